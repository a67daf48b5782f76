/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of a run's persists, of histories written by hand; what is ordered before what is read off Box 2 (Pandey et al. 2023). */
#include "check/persist_model.h"

#include <string.h>

#include "cw_test.h"
#include "ir/uop.h"

#define PM   UINT64_C(0x500000000)
#define FLAG UINT64_C(0x100000000)

struct history {
    struct cw_persist_model *model;
    struct cw_events events;
    struct cw_persist_model_graph g;
    struct cw_error err;
    struct cw_uop uop[8]; /* [line] */
    uint32_t stamps;
};

static void start(struct history *h)
{
    memset(h, 0, sizeof *h);
    assert_int_equal(cw_persist_model_create(&h->model, CW_CONTRACT_FENCES, &h->err), CW_OK);
    cw_events_listen(&h->events, cw_persist_model_listener(h->model));
    for (uint32_t i = 0; i < 8; i++)
        h->uop[i].line = i;
}

static void store(struct history *h, uint32_t core, uint64_t addr, uint32_t value, uint32_t line)
{
    struct cw_event e = {.type = CW_EVENT_PM_ISSUE, .core = core, .now = h->stamps};
    e.u.word.addr = addr;
    e.u.word.value = value;
    e.u.word.bytes = 15;
    e.u.word.persistent = addr >= PM;
    e.u.word.stamp = ++h->stamps;
    e.u.word.uop = &h->uop[line];
    cw_events_tell(&h->events, &e);
}

static void order(struct history *h, uint32_t core, enum cw_event_order kind, uint32_t value, uint32_t line)
{
    struct cw_event e = {.type = CW_EVENT_PM_ORDER, .core = core, .now = h->stamps};
    e.u.order.kind = (uint8_t)kind;
    e.u.order.block = core;
    e.u.order.device = true;
    e.u.order.addr = FLAG;
    e.u.order.value = value;
    e.u.order.stamp = ++h->stamps;
    e.u.order.uop = &h->uop[line];
    cw_events_tell(&h->events, &e);
}

static bool reaches(const struct history *h, uint32_t node, uint32_t other)
{
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t before = h->g.node[node].before[i];
        assert_true(before == CW_PERSIST_MODEL_NONE || before < node);
        if (before != CW_PERSIST_MODEL_NONE && (before == other || reaches(h, before, other)))
            return true;
    }
    return false;
}

/* Whether store a is ordered before store b: by their numbers. */
static bool is_before(const struct history *h, uint32_t a, uint32_t b)
{
    return reaches(h, h->g.store[b].node, h->g.store[a].node);
}

static void graph(struct history *h, uint32_t without, uint32_t stores)
{
    assert_int_equal(cw_persist_model_graph(h->model, without != 0 ? CW_PERSIST_WITHOUT : CW_PERSIST_SAME, without, &h->g, &h->err), CW_OK);
    assert_int_equal(h->g.stores, stores);
}

static void test_persist_model__fences(void **state)
{
    struct cw_persist_model_order o;
    (void)state;
    static struct history h;
    start(&h);
    store(&h, 0, PM, 1, 1);
    order(&h, 0, CW_ORDER_OFENCE, 0, 2);
    store(&h, 0, PM + 4, 2, 3);
    store(&h, 0, PM + 8, 3, 4);
    order(&h, 0, CW_ORDER_DFENCE, 0, 5);
    store(&h, 1, PM + 12, 4, 1);
    store(&h, 0, PM + 16, 5, 6);
    graph(&h, 0, 5);
    static const bool expected[5][5] = {{0, 1, 1, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}};
    for (uint32_t a = 0; a < 5; a++)
        for (uint32_t b = 0; b < 5; b++)
            assert_int_equal(is_before(&h, a, b), expected[a][b]);
    assert_int_equal(h.g.store[1].line, 3);
    assert_int_equal(h.g.store[3].core, 1);
    graph(&h, 2, 5); /* without the ofence */
    assert_false(is_before(&h, 0, 1));
    assert_true(is_before(&h, 0, 4) && is_before(&h, 1, 4));
    graph(&h, 5, 5); /* and again with it, without the dfence */
    assert_true(is_before(&h, 0, 1) && is_before(&h, 0, 4));
    assert_false(is_before(&h, 1, 4));
    assert_true(cw_persist_model_order_at(h.model, 1, &o));
    assert_int_equal(o.line, 5);
    assert_int_equal(o.kind, CW_ORDER_DFENCE);
    assert_int_equal(o.times, 1);
    assert_false(cw_persist_model_order_at(h.model, 2, &o));
    cw_persist_model_destroy(h.model);
}

static void test_persist_model__release_and_acquire(void **state)
{
    (void)state;
    static struct history h;
    start(&h);
    store(&h, 0, PM, 1, 1);
    order(&h, 0, CW_ORDER_RELEASE, 7, 2);
    store(&h, 0, FLAG, 7, 3); /* makes the release visible */
    store(&h, 0, PM + 4, 2, 3);
    order(&h, 1, CW_ORDER_ACQUIRE, 7, 4);
    store(&h, 1, PM + 8, 3, 5);
    order(&h, 2, CW_ORDER_ACQUIRE, 6, 4); /* of another value */
    store(&h, 2, PM + 12, 4, 6);
    graph(&h, 0, 4);
    assert_true(is_before(&h, 0, 2));
    assert_false(is_before(&h, 0, 1)); /* a release orders nothing for its own thread */
    assert_false(is_before(&h, 1, 2));
    assert_false(is_before(&h, 0, 3));
    graph(&h, 2, 4);
    assert_false(is_before(&h, 0, 2));
    graph(&h, 4, 4);
    assert_false(is_before(&h, 0, 2));
    cw_persist_model_destroy(h.model);
}

static void test_persist_model__launches_and_atomics(void **state)
{
    static const uint8_t data[128] = {9, 8};
    static const uint32_t mask[4] = {15};
    (void)state;
    static struct history h;
    start(&h);
    struct cw_event e = {.type = CW_EVENT_PM_ISSUE};
    e.u.word.addr = PM;
    e.u.word.bytes = 15;
    e.u.word.persistent = e.u.word.unknown = true;
    cw_events_tell(&h.events, &e);
    e = (struct cw_event){.type = CW_EVENT_PERSIST, .u.line = {.addr = PM, .byte_mask = mask, .data = data}};
    cw_events_tell(&h.events, &e);
    cw_persist_model_launched(h.model, NULL, true);
    store(&h, 0, PM + 4, 2, 3);
    graph(&h, 0, 2);
    assert_int_equal(h.g.launches, 1);
    assert_int_equal(h.g.store[0].value, 0x809);
    assert_int_equal(h.g.store[0].launch, 0);
    assert_int_equal(h.g.store[1].launch, 1);
    assert_int_equal(cw_persist_model_persists(h.model, 0), 0);
    assert_int_equal(cw_persist_model_persists(h.model, 1), 1);
    cw_persist_model_destroy(h.model);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_persist_model__fences),
    cmocka_unit_test(test_persist_model__release_and_acquire),
    cmocka_unit_test(test_persist_model__launches_and_atomics),
};
CW_TEST_MAIN(tests)
