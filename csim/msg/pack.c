/* SPDX-License-Identifier: Apache-2.0 */
#include "msg/pack.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SPOILT 0xa5

#define HEAD(member, bits)                                                                                                                 \
    {                                                                                                                                      \
#member, offsetof(struct cw_message, member), CW_BODY__SIZE(struct cw_message, member), 1, 0, bits, CW_WAY_BOTH, CW_WITH_ALL, NULL \
    }

/* Beside these a head has what the simulator keeps: times, places, events, sizes. */
static const struct cw_body_field head[] = {
    HEAD(kind, 4),
    HEAD(after, 2),
    HEAD(mech, 4),
    HEAD(op, 8),
    HEAD(sectors, 4),
    HEAD(needs_reply, 1),
    HEAD(flight, 8),
    HEAD(core, 10),
    HEAD(partition, 6),
    HEAD(warp, 16),
    HEAD(tag, 32),
    HEAD(addr, CW_BITS_ADDR),
    HEAD(lanes, CW_BITS_LANES),
};
#define HEAD_FIELDS (sizeof head / sizeof *head)

/* Where a row of bits is read or written. */
struct row {
    struct cw_pack *pack;
    uint32_t at;
};

static void put(struct row *r, uint64_t value, uint32_t bits)
{
    const uint32_t word = r->at / 64, shift = r->at % 64;
    r->pack->word[word] |= value << shift;
    if (shift + bits > 64)
        r->pack->word[word + 1] |= value >> (64 - shift);
    r->at += bits;
}

static uint64_t get(struct row *r, uint32_t bits)
{
    const uint32_t word = r->at / 64, shift = r->at % 64;
    uint64_t value = r->pack->word[word] >> shift;
    if (shift + bits > 64)
        value |= r->pack->word[word + 1] << (64 - shift);
    r->at += bits;
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static uint64_t load(const unsigned char *from, uint32_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, from, bytes); /* Hosts are little-endian, as device memory is. */
    return value;
}

static void store(unsigned char *to, uint64_t value, uint32_t bytes)
{
    memcpy(to, &value, bytes);
}

static uint32_t width(const struct cw_message *m, const struct cw_body_field *f, const struct cw_pack_shape *shape)
{
    if (f->bits == CW_BITS_LANES)
        return shape->lanes;
    if (f->bits == CW_BITS_TYPE)
        return cw_atomic_body_of(m)->type < CW_TYPE_NONE ? 8 * cw_type_bytes((enum cw_type)cw_atomic_body_of(m)->type) : 0;
    return f->bits;
}

static bool travels(const struct cw_message *m, const struct cw_body_field *f)
{
    const uint32_t way = cw_message_is_down(m) ? CW_WAY_DOWN : CW_WAY_UP;
    return (f->way & way) != 0 && (f->only == NULL || f->only(m));
}

static uint32_t elements(const struct cw_message *m, const struct cw_body_field *f)
{
    uint32_t cnt = f->cnt;
    if (cnt == 0)
        memcpy(&cnt, m->body + m->type->tail_cnt, sizeof cnt);
    return cnt;
}

/* Whether element i of a field goes along. */
static bool goes(const struct cw_message *m, const struct cw_body_field *f, uint32_t i)
{
    if (f->with == CW_WITH_LANE)
        return cw_lanes_has(m->lanes, i);
    return f->with != CW_WITH_SECTOR || (m->sectors >> i * (CW_LINE_BYTES_MAX / CW_SECTOR_BYTES) / f->cnt & 1) != 0;
}

static int pack_field(struct row *r, const struct cw_message *m, const unsigned char *base, const struct cw_body_field *f, uint32_t bits,
                      struct cw_error *err)
{
    const uint32_t cnt = elements(m, f);
    for (uint32_t i = 0; i < cnt; i++) {
        if (!goes(m, f, i))
            continue;
        const uint64_t value = load(base + f->offset + i * f->stride, f->bytes);
        if (bits < 64 && value >> bits != 0)
            return cw_fail(err, CW_EINVAL, "message %s: %s is 0x%" PRIx64 ", and its field has %u bits", m->type->name, f->name, value,
                           bits);
        if (bits > 0)
            put(r, value, bits);
    }
    return CW_OK;
}

static void unpack_field(struct row *r, const struct cw_message *m, unsigned char *base, const struct cw_body_field *f, uint32_t bits)
{
    const uint32_t cnt = elements(m, f);
    for (uint32_t i = 0; i < cnt; i++)
        store(base + f->offset + i * f->stride, goes(m, f, i) && bits > 0 ? get(r, bits) : 0, f->bytes);
}

uint32_t cw_pack_head_bits(const struct cw_pack_shape *shape)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < HEAD_FIELDS; i++)
        bits += width(NULL, &head[i], shape);
    return bits;
}

static uint32_t elements_that_go(const struct cw_message *m, const struct cw_body_field *f)
{
    if (f->with == CW_WITH_LANE)
        return cw_lanes_count(m->lanes & cw_lanes_below(f->cnt));
    if (f->with == CW_WITH_SECTOR)
        return cw_sectors_count(m->sectors) * f->cnt / (CW_LINE_BYTES_MAX / CW_SECTOR_BYTES);
    return elements(m, f);
}

uint32_t cw_pack_body_bits(const struct cw_message *m, const struct cw_pack_shape *shape)
{
    uint32_t bits = 0;
    for (const struct cw_body_field *f = m->type->field; f < m->type->field + m->type->field_cnt; f++)
        if (travels(m, f))
            bits += elements_that_go(m, f) * width(m, f, shape);
    return bits;
}

uint32_t cw_pack_flits(const struct cw_message *m, const struct cw_pack_shape *shape, uint32_t flit_bytes)
{
    const uint32_t bits = cw_pack_head_bits(shape) + cw_pack_body_bits(m, shape);
    return (bits + 8 * flit_bytes - 1) / (8 * flit_bytes);
}

int cw_pack(struct cw_pack *to, const struct cw_message *m, const struct cw_pack_shape *shape, struct cw_error *err)
{
    struct row r = {to, 0};
    int status = CW_OK;
    assert(cw_pack_head_bits(shape) + cw_pack_body_bits(m, shape) <= 64 * CW_PACK_WORDS);
    memset(to, 0, sizeof *to);
    for (size_t i = 0; i < HEAD_FIELDS && status == CW_OK; i++)
        status = pack_field(&r, m, (const unsigned char *)m, &head[i], width(m, &head[i], shape), err);
    for (uint32_t i = 0; i < m->type->field_cnt && status == CW_OK; i++)
        if (travels(m, &m->type->field[i]))
            status = pack_field(&r, m, m->body, &m->type->field[i], width(m, &m->type->field[i], shape), err);
    to->bits = r.at;
    return status;
}

void cw_unpack(struct cw_message *m, const struct cw_pack *from, const struct cw_pack_shape *shape)
{
    struct row r = {(struct cw_pack *)(uintptr_t)from, 0};
    for (size_t i = 0; i < HEAD_FIELDS; i++)
        unpack_field(&r, m, (unsigned char *)m, &head[i], width(m, &head[i], shape));
    for (uint32_t i = 0; i < m->type->field_cnt; i++)
        if (travels(m, &m->type->field[i]))
            unpack_field(&r, m, m->body, &m->type->field[i], width(m, &m->type->field[i], shape));
}

static void spoil(unsigned char *base, const struct cw_body_field *f, uint32_t cnt)
{
    for (uint32_t i = 0; i < cnt; i++)
        memset(base + f->offset + i * f->stride, SPOILT, f->bytes);
}

int cw_pack_through(struct cw_message *m, const struct cw_pack_shape *shape, struct cw_error *err)
{
    struct cw_pack bits;
    const int status = cw_pack(&bits, m, shape, err);
    if (status != CW_OK)
        return status;
    bool on[64];
    uint32_t cnt[64];
    assert(m->type->field_cnt <= 64);
    for (uint32_t i = 0; i < m->type->field_cnt; i++) { /* First of all, for it may depend on what is spoilt next. */
        on[i] = travels(m, &m->type->field[i]);
        cnt[i] = elements(m, &m->type->field[i]);
    }
    for (uint32_t i = 0; i < m->type->field_cnt; i++)
        if (on[i])
            spoil(m->body, &m->type->field[i], cnt[i]);
    for (size_t i = 0; i < HEAD_FIELDS; i++)
        spoil((unsigned char *)m, &head[i], 1);
    cw_unpack(m, &bits, shape);
    return CW_OK;
}

static struct cw_pack_tally *tally_of(struct cw_pack_check *check, const struct cw_message *m)
{
    for (uint32_t i = 0; i < check->cnt; i++)
        if (check->tally[i].type == m->type && check->tally[i].kind == m->kind && check->tally[i].op == m->op)
            return &check->tally[i];
    assert(check->cnt < sizeof check->tally / sizeof *check->tally);
    check->tally[check->cnt] = (struct cw_pack_tally){.type = m->type, .kind = m->kind, .op = m->op};
    return &check->tally[check->cnt++];
}

void cw_pack_check(struct cw_pack_check *check, struct cw_message *m)
{
    struct cw_error err;
    struct cw_pack_tally *t = tally_of(check, m);
    t->packets++;
    t->flits += m->flits;
    t->packed += cw_pack_flits(m, &check->shape, check->flit_bytes);
    const int status = cw_pack_through(m, &check->shape, &err);
    if (status != CW_OK)
        check->pool->fault(check->pool->fault_context, status, err.text);
}

void cw_pack_tell(const struct cw_pack_tally *t, char *text, size_t bytes)
{
    static const char *const kind[] = {
        [CW_MSG_READ] = "read",
        [CW_MSG_WRITE] = "write",
        [CW_MSG_ATOMIC] = "atomic",
        [CW_MSG_PASS] = "pass",
        [CW_MSG_OWN] = "own",
        [CW_MSG_READ_REPLY] = "read_reply",
        [CW_MSG_WRITE_ACK] = "write_ack",
        [CW_MSG_ATOMIC_REPLY] = "atomic_reply",
        [CW_MSG_OWN_REPLY] = "own_reply",
    };
    snprintf(text, bytes, "message %s %s %u: %" PRIu64 " packets, %" PRIu64 " flits, %" PRIu64 " of their bits", t->type->name,
             kind[t->kind], t->op, t->packets, t->flits, t->packed);
}
