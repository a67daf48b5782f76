/* SPDX-License-Identifier: Apache-2.0 */
/* State that is named once: what is loaded is what was saved, and what is not its own state is refused. */
#include "base/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/component.h"
#include "cw_test.h"

struct node {
    uint32_t value;
    struct node *next;
};

/* One of everything. */
struct thing {
    uint8_t small;
    bool yes;
    uint64_t wide[3];
    struct node pool[4], *first;
    uint32_t *grown, grown_cnt, grown_cap;
    struct node *shared[2];
    struct cw_fifo fifo;
};

static void slot_state(struct cw_state *s, void **slot, void *context)
{
    struct thing *t = context;
    cw_state_ref(s, "slot", slot, t->pool, sizeof *t->pool, 4);
}

static void shared_state(struct cw_state *s, struct node **at)
{
    void *to = *at;
    const bool is_new = cw_state_shared(s, &to);
    if (is_new && cw_state_loads(s)) {
        to = calloc(1, sizeof(struct node));
        cw_state_shares(s, to);
    }
    *at = to;
    if (is_new)
        CW_STATE(s, (*at)->value);
}

static void thing_state(void *self, struct cw_state *s)
{
    struct thing *t = self;
    CW_STATE(s, t->small);
    CW_STATE(s, t->yes);
    CW_STATE(s, t->wide);
    for (int i = 0; i < 4; i++) {
        CW_STATE(s, t->pool[i].value);
        CW_STATE_REF(s, t->pool[i].next, t->pool, 4);
    }
    CW_STATE_REF(s, t->first, t->pool, 4);
    CW_STATE_GROWN(s, t->grown_cnt, t->grown, t->grown_cap);
    cw_state_array(s, "grown", t->grown, t->grown_cnt, sizeof *t->grown);
    shared_state(s, &t->shared[0]);
    shared_state(s, &t->shared[1]);
    cw_fifo_state(s, &t->fifo, slot_state, t);
}

static const struct cw_component_ops ops = {.kind = "thing", .domain = CW_DOMAIN_CORE, .state = thing_state};

static void make(struct thing *t)
{
    memset(t, 0, sizeof *t);
    assert_int_equal(cw_fifo_create(&t->fifo, 3, NULL), CW_OK);
}

static void fill(struct thing *t)
{
    make(t);
    t->small = 7;
    t->yes = true;
    for (uint32_t i = 0; i < 3; i++)
        t->wide[i] = UINT64_C(0x0123456789abcdef) * (i + 1);
    for (uint32_t i = 0; i < 4; i++)
        t->pool[i] = (struct node){100 + i, i > 0 ? &t->pool[i - 1] : NULL};
    t->first = &t->pool[3];
    t->grown_cnt = t->grown_cap = 5;
    t->grown = malloc(5 * sizeof *t->grown);
    for (uint32_t i = 0; i < 5; i++)
        t->grown[i] = i * i;
    t->shared[0] = t->shared[1] = malloc(sizeof(struct node));
    *t->shared[0] = (struct node){55, NULL};
    /* the ring has gone round */
    for (uint64_t now = 0; now < 5; now++) {
        cw_fifo_push(&t->fifo, now, 1, &t->pool[now % 4]);
        if (now >= 2)
            cw_fifo_pop(&t->fifo, now);
    }
}

static void clear(struct thing *t)
{
    if (t->shared[1] != t->shared[0])
        free(t->shared[1]);
    free(t->shared[0]);
    free(t->grown);
    cw_fifo_destroy(&t->fifo);
}

static uint64_t digest_of(struct thing *t)
{
    struct cw_error err;
    struct cw_state s;
    struct cw_component c = cw_component_of(&ops, t, 3);
    cw_state_digest_begin(&s, &err);
    cw_component_state(&c, &s);
    const uint64_t digest = s.digest;
    assert_int_equal(s.status, CW_OK);
    cw_state_end(&s);
    return digest;
}

static void save(struct cw_state *s, struct thing *t, struct cw_error *err)
{
    struct cw_component c = cw_component_of(&ops, t, 3);
    c.wake = 1234;
    cw_state_save_begin(s, err);
    cw_component_state(&c, s);
    assert_int_equal(s->status, CW_OK);
}

static int load(struct thing *t, const void *stream, size_t bytes, uint32_t index, struct cw_error *err, cw_time *wake)
{
    struct cw_state s;
    struct cw_component c = cw_component_of(&ops, t, index);
    cw_state_load_begin(&s, stream, bytes, err);
    cw_component_state(&c, &s);
    *wake = c.wake;
    const int status = s.status != CW_OK ? s.status : s.at == s.bytes ? CW_OK : CW_EINVAL;
    cw_state_end(&s);
    return status;
}

static void test_state__what_is_loaded_was_saved(void **state)
{
    struct thing a, b;
    struct cw_state s;
    struct cw_error err;
    cw_time wake;
    (void)state;
    fill(&a);
    make(&b);
    save(&s, &a, &err);
    assert_int_not_equal(digest_of(&a), digest_of(&b));
    assert_int_equal(load(&b, s.stream, s.bytes, 3, &err, &wake), CW_OK);
    assert_int_equal(wake, 1234);
    assert_int_equal(digest_of(&a), digest_of(&b));
    assert_ptr_equal(b.first, &b.pool[3]);
    assert_ptr_equal(b.first->next, &b.pool[2]);
    assert_null(b.pool[0].next);
    assert_int_equal(b.grown[4], 16);
    assert_ptr_equal(b.shared[0], b.shared[1]);
    assert_int_equal(b.shared[0]->value, 55);
    for (cw_time now = 10; a.fifo.count > 0; now++)
        assert_int_equal(((struct node *)cw_fifo_pop(&a.fifo, now))->value, ((struct node *)cw_fifo_pop(&b.fifo, now))->value);
    assert_int_equal(b.fifo.count, 0);
    cw_state_end(&s);
    clear(&a);
    clear(&b);
}

/* At each byte: a line says so, and nothing is read behind the end (under the sanitizers). */
static void test_state__a_stream_that_ends(void **state)
{
    struct thing a;
    struct cw_state s;
    struct cw_error err;
    (void)state;
    fill(&a);
    save(&s, &a, &err);
    for (size_t bytes = 0; bytes < s.bytes; bytes++) {
        struct thing b;
        cw_time wake;
        unsigned char *cut = malloc(bytes + 1);
        memcpy(cut, s.stream, bytes);
        make(&b);
        assert_int_equal(load(&b, cut, bytes, 3, &err, &wake), CW_EINVAL);
        assert_memory_equal(err.text, "state of ", 9);
        clear(&b);
        free(cut);
    }
    cw_state_end(&s);
    clear(&a);
}

static void test_state__another_component(void **state)
{
    struct thing a, b;
    struct cw_state s;
    struct cw_error err;
    cw_time wake;
    (void)state;
    fill(&a);
    make(&b);
    save(&s, &a, &err);
    assert_int_equal(load(&b, s.stream, s.bytes, 4, &err, &wake), CW_EINVAL);
    assert_non_null(strstr(err.text, "thing 4 should follow"));
    cw_state_end(&s);
    clear(&a);
    clear(&b);
}

/* Whatever the bytes are: no element beyond an array. */
static void test_state__damaged_streams(void **state)
{
    struct thing a;
    struct cw_state s;
    struct cw_error err;
    (void)state;
    fill(&a);
    save(&s, &a, &err);
    for (size_t at = 0; at < s.bytes; at++) {
        struct thing b;
        cw_time wake;
        const unsigned char was = s.stream[at];
        s.stream[at] ^= 0xff;
        make(&b);
        (void)load(&b, s.stream, s.bytes, 3, &err, &wake);
        assert_true(b.first == NULL || (b.first >= b.pool && b.first < b.pool + 4));
        assert_true(b.fifo.count <= 3 && b.grown_cnt <= b.grown_cap);
        clear(&b);
        s.stream[at] = was;
    }
    cw_state_end(&s);
    clear(&a);
}

static void test_state__a_component_without(void **state)
{
    static const struct cw_component_ops none = {.kind = "mute", .domain = CW_DOMAIN_L2};
    struct cw_component c = cw_component_of(&none, NULL, 2);
    struct cw_state s;
    struct cw_error err;
    (void)state;
    cw_state_save_begin(&s, &err);
    cw_component_state(&c, &s);
    assert_int_equal(s.status, CW_EUNSUP);
    assert_string_equal(err.text, "state of mute 2: it cannot be saved");
    assert_true(cw_component_idle(&c));
    cw_state_end(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_state__what_is_loaded_was_saved), cmocka_unit_test(test_state__a_stream_that_ends),
    cmocka_unit_test(test_state__another_component),        cmocka_unit_test(test_state__damaged_streams),
    cmocka_unit_test(test_state__a_component_without),
};

CW_TEST_MAIN(tests)
