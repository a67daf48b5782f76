/* SPDX-License-Identifier: Apache-2.0 */
/* Every type of message, of the machine and of all mechanisms, goes through bits and comes back: with all ones, and with random values. */
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "cw_test.h"
#include "mech/mechs.h"
#include "msg/pack.h"

static const uint8_t kinds[] = {CW_MSG_READ,       CW_MSG_WRITE,     CW_MSG_ATOMIC,       CW_MSG_PASS,     CW_MSG_OWN,
                                CW_MSG_READ_REPLY, CW_MSG_WRITE_ACK, CW_MSG_ATOMIC_REPLY, CW_MSG_OWN_REPLY};
static const uint8_t codes[] = {0, 1, 2, 3, 4, 5, 0x40, 0x41, 0x50};
static const struct cw_pack_shape shapes[] = {{32, 4}, {64, 4}};

static struct cw_message_pool pool;

static uint32_t bits_of(const struct cw_message *m, const struct cw_body_field *f, const struct cw_pack_shape *shape)
{
    return f->bits == CW_BITS_LANES ? shape->lanes
           : f->bits == CW_BITS_TYPE
               ? (cw_atomic_body_of(m)->type < CW_TYPE_NONE ? 8 * cw_type_bytes((enum cw_type)cw_atomic_body_of(m)->type) : 0)
               : f->bits;
}

static uint64_t value_of(struct cw_rng *rng, uint32_t bits)
{
    const uint64_t ones = bits == 0 ? 0 : UINT64_MAX >> (64 - bits);
    return rng != NULL ? cw_rng_next(rng) & ones : ones;
}

static unsigned char *place(struct cw_message *m, const struct cw_body_field *f, uint32_t i)
{
    return m->body + f->offset + i * f->stride;
}

static bool travels(const struct cw_message *m, const struct cw_body_field *f)
{
    const uint32_t way = m->kind >= CW_MSG_READ_REPLY ? CW_WAY_DOWN : CW_WAY_UP;
    return (f->way & way) != 0 && (f->only == NULL || f->only(m));
}

/* Fills what travels of the type, in order, since some share a place. A value that decides about others stays one that there is. */
static void fill_body(struct cw_message *m, const struct cw_pack_shape *shape, struct cw_rng *rng)
{
    uint32_t cnt = rng != NULL && m->type->tail_max != 0 ? cw_rng_below(rng, m->type->tail_max + 1) : m->type->tail_max;
    for (uint32_t k = 0; k < m->type->field_cnt; k++) {
        const struct cw_body_field *f = &m->type->field[k];
        for (uint32_t i = 0; travels(m, f) && i < (f->cnt != 0 ? f->cnt : cnt); i++) {
            uint64_t value = value_of(rng, bits_of(m, f, shape));
            if (m->type == &cw_atomic_body_type && strcmp(f->name, "type") == 0)
                value = rng != NULL ? cw_rng_below(rng, CW_TYPE_NONE) : CW_U64;
            if (m->type == &cw_atomic_body_type && strcmp(f->name, "atom") == 0)
                value = rng != NULL ? cw_rng_below(rng, CW_ATOM_DEC + 1) : CW_ATOM_CAS;
            memcpy(place(m, f, i), &value, f->bytes);
        }
    }
    if (m->type->tail_max != 0)
        memcpy(m->body + m->type->tail_cnt, &cnt, sizeof cnt);
}

static void fill_head(struct cw_message *m, uint8_t kind, uint8_t op, const struct cw_pack_shape *shape, struct cw_rng *rng)
{
    m->kind = kind;
    m->op = op;
    m->after = (uint8_t)value_of(rng, 2);
    m->mech = (uint8_t)value_of(rng, 4);
    m->sectors = (uint8_t)value_of(rng, shape->sectors);
    m->needs_reply = (uint8_t)value_of(rng, 1);
    m->flight = (uint8_t)value_of(rng, 8);
    m->core = (uint16_t)value_of(rng, 10);
    m->partition = (uint16_t)value_of(rng, 6);
    m->warp = (uint16_t)value_of(rng, 16);
    m->tag = (uint32_t)value_of(rng, 32);
    m->addr = value_of(rng, CW_BITS_ADDR);
    m->lanes = value_of(rng, shape->lanes);
}

static bool goes(const struct cw_message *m, const struct cw_body_field *f, uint32_t i)
{
    if (f->with == CW_WITH_LANE)
        return (m->lanes >> i & 1) != 0;
    return f->with == CW_WITH_ALL || (m->sectors >> i * 4 / f->cnt & 1) != 0;
}

/* What has come is what was sent, field by field. */
static uint32_t compare_body(struct cw_message *sent, struct cw_message *come, const struct cw_pack_shape *shape)
{
    uint32_t bits = 0, cnt = 0;
    if (sent->type->tail_max != 0)
        memcpy(&cnt, sent->body + sent->type->tail_cnt, sizeof cnt);
    for (uint32_t k = 0; k < sent->type->field_cnt; k++) {
        const struct cw_body_field *f = &sent->type->field[k];
        if (!travels(sent, f))
            continue;
        for (uint32_t i = 0; i < (f->cnt != 0 ? f->cnt : cnt); i++) {
            const uint64_t zero = 0;
            const bool on = goes(sent, f, i) && bits_of(sent, f, shape) > 0;
            if (memcmp(place(come, f, i), on ? (const void *)place(sent, f, i) : &zero, f->bytes) != 0)
                fail_msg("%s, kind %u, code %u: %s[%u] has changed", sent->type->name, sent->kind, sent->op, f->name, i);
            bits += on ? bits_of(sent, f, shape) : 0;
        }
    }
    return bits;
}

static void compare_heads(const struct cw_message *a, const struct cw_message *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->op, b->op);
    assert_int_equal(a->after, b->after);
    assert_int_equal(a->mech, b->mech);
    assert_int_equal(a->sectors, b->sectors);
    assert_int_equal(a->needs_reply, b->needs_reply);
    assert_int_equal(a->flight, b->flight);
    assert_int_equal(a->core, b->core);
    assert_int_equal(a->partition, b->partition);
    assert_int_equal(a->warp, b->warp);
    assert_int_equal(a->tag, b->tag);
    assert_int_equal(a->addr, b->addr);
    assert_int_equal(a->lanes, b->lanes);
}

static void check(const struct cw_message_type *type, uint8_t kind, uint8_t op, const struct cw_pack_shape *shape, struct cw_rng *rng)
{
    struct cw_message *sent = cw_message_new(&pool, type), *come = cw_message_new(&pool, type);
    struct cw_pack bits;
    struct cw_error err = {""};
    memset(sent->body, 0, type->bytes);
    memset(come->body, 0xa5, type->bytes);
    fill_head(sent, kind, op, shape, rng);
    fill_body(sent, shape, rng);
    if (cw_pack(&bits, sent, shape, &err) != CW_OK)
        fail_msg("%s", err.text);
    cw_unpack(come, &bits, shape);
    compare_heads(sent, come);
    const uint32_t body = compare_body(sent, come, shape);
    assert_int_equal(body, cw_pack_body_bits(sent, shape));
    assert_int_equal(bits.bits, cw_pack_head_bits(shape) + body);
    assert_int_equal(cw_pack_flits(sent, shape, 32), (bits.bits + 255) / 256);
    cw_message_free(&pool, sent);
    cw_message_free(&pool, come);
}

static uint32_t check_type(const struct cw_message_type *type, struct cw_rng *rng)
{
    uint32_t checks = 0;
    for (size_t k = 0; k < sizeof kinds; k++)
        for (size_t c = 0; c < sizeof codes; c++)
            for (size_t s = 0; s < 2; s++)
                for (uint32_t n = 0; n < 8; n++, checks++)
                    check(type, kinds[k], codes[c], &shapes[s], n == 0 ? NULL : rng);
    return checks;
}

static void test_pack__every_type_comes_back(void **state)
{
    static const struct cw_message_type *const machine[] = {&cw_line_body_type, &cw_copy_body_type, &cw_atomic_body_type, NULL};
    const struct cw_message_type *const *lists[64] = {machine};
    uint32_t list_cnt = 1, types = 0, checks = 0;
    struct cw_rng rng;
    (void)state;
    cw_rng_seed(&rng, 4);
    cw_message_pool_create(&pool);
    for (uint32_t i = 0; i < cw_mech_cnt(); i++)
        if (cw_mechs[i]->messages != NULL && list_cnt < 64)
            lists[list_cnt++] = cw_mechs[i]->messages;
    for (uint32_t i = 0; i < list_cnt; i++)
        for (const struct cw_message_type *const *type = lists[i]; *type != NULL; type++, types++)
            checks += check_type(*type, &rng);
    print_message("%u types, %u messages\n", types, checks);
    assert_true(types > 12);
    assert_int_equal(pool.in_use, 0);
    cw_message_pool_destroy(&pool);
}

/* The first bits, by hand: kind 1, after 2, mech 3, op 0x41; the first field of a copy begins behind the head. */
static void test_pack__bits_are_where_the_header_says(void **state)
{
    (void)state;
    struct cw_pack bits;
    struct cw_error err;
    cw_message_pool_create(&pool);
    struct cw_message *m = cw_message_new(&pool, &cw_copy_body_type);
    memset(m->body, 0, cw_copy_body_type.bytes);
    m->kind = CW_MSG_WRITE;
    m->after = 2;
    m->mech = 3;
    m->op = 0x41;
    cw_copy_body(m)->to = 5;
    assert_int_equal(cw_pack(&bits, m, &shapes[0], &err), CW_OK);
    assert_int_equal(bits.word[0] & 0x3ffff, 1 | 2 << 4 | 3 << 6 | 0x41 << 10);
    const uint32_t head = cw_pack_head_bits(&shapes[0]);
    assert_int_equal(head, 4 + 2 + 4 + 8 + 4 + 1 + 8 + 10 + 6 + 16 + 32 + 40 + 32);
    assert_int_equal(bits.word[head / 64] >> head % 64, 5);
    assert_int_equal(bits.bits, head + 41);
    cw_message_free(&pool, m);
    cw_message_pool_destroy(&pool);
}

static void test_pack__refuses_what_does_not_fit(void **state)
{
    (void)state;
    struct cw_pack bits;
    struct cw_error err;
    cw_message_pool_create(&pool);
    struct cw_message *m = cw_message_new(&pool, &cw_copy_body_type);
    memset(m->body, 0, cw_copy_body_type.bytes);
    cw_copy_body(m)->to = UINT64_C(1) << 40;
    assert_int_equal(cw_pack(&bits, m, &shapes[0], &err), CW_EINVAL);
    assert_string_equal(err.text, "message copy: to is 0x10000000000, and its field has 40 bits");
    cw_copy_body(m)->to--;
    assert_int_equal(cw_pack(&bits, m, &shapes[0], &err), CW_OK);
    cw_message_free(&pool, m);
    cw_message_pool_destroy(&pool);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_pack__every_type_comes_back),
    cmocka_unit_test(test_pack__bits_are_where_the_header_says),
    cmocka_unit_test(test_pack__refuses_what_does_not_fit),
};

CW_TEST_MAIN(tests)
