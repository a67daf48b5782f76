/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of transactions beside their reads and writes, in histories written by hand. Each is the same three transactions: T1 writes x, T2
 * reads y as it was at first, and `between` reads x as it was at first and writes y. So T2 stands before `between`, and that before T1:
 * serializable, unless T1 has to stand before T2.
 */
#include <string.h>

#include "base/rng.h"
#include "check/serial.h"
#include "cw_test.h"
#include "ir/uop.h"

#define X     UINT64_C(0x100000000)
#define Y     (X + 4)
#define FLAG  (X + 64)
#define WORDS 64

static uint32_t memory[WORDS]; /* from X on */
static struct cw_events events;
static struct cw_serial *serial;
static struct cw_serial_report report;
static cw_time now;

static uint32_t word_now(void *context, uint64_t addr)
{
    (void)context;
    return memory[(addr - X) / 4];
}

static int setup(void **state)
{
    struct cw_error err;
    (void)state;
    memset(memory, 0, sizeof memory);
    events = (struct cw_events){0};
    now = 0;
    assert_int_equal(cw_serial_create(&serial, word_now, NULL, &err), CW_OK);
    cw_events_listen(&events, cw_serial_listener(serial));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cw_serial_destroy(serial);
    return 0;
}

/* Threads are lane 0 of warps of core 0. */
static struct cw_event event(enum cw_event_type type, uint32_t warp, uint32_t attempt)
{
    assert_true(cw_events_want(&events, type));
    return (struct cw_event){.type = (uint8_t)type, .warp = warp, .attempt = attempt, .now = now++};
}

static void region(enum cw_event_type type, uint32_t warp, uint32_t attempt)
{
    const struct cw_event e = event(type, warp, attempt);
    cw_events_tell(&events, &e);
}

static void word(enum cw_event_type type, uint32_t warp, uint32_t attempt, uint64_t addr, uint32_t value)
{
    struct cw_event e = event(type, warp, attempt);
    if (type == CW_EVENT_REGION_WRITE)
        memory[(addr - X) / 4] = value;
    e.u.word.addr = addr;
    e.u.word.value = value;
    e.u.word.bytes = 15;
    cw_events_tell(&events, &e);
}

/* Writes 1. */
static void writes(uint32_t warp, uint32_t attempt, uint64_t addr)
{
    const uint32_t one = 1;
    word(CW_EVENT_REGION_WRITE, warp, attempt, addr, 1);
    struct cw_event e = event(CW_EVENT_REGION_COMMIT, warp, attempt);
    e.u.set.cnt = 1;
    e.u.set.addr = &addr;
    e.u.set.value = &one;
    cw_events_tell(&events, &e);
}

/* Events outside of transactions. */

static void sync(enum cw_event_sync kind, uint32_t warp, cw_lanes lanes)
{
    struct cw_event e = event(CW_EVENT_SYNC, warp, 0);
    e.u.sync.kind = (uint8_t)kind;
    e.u.sync.lanes = lanes;
    cw_events_tell(&events, &e);
}

static const struct cw_uop load = {.op = CW_OP_LD, .flags = CW_UF_VOLATILE, .scope = CW_SCOPE_SYS, .dst_cnt = 1}, store = {.op = CW_OP_ST},
                           atomic = {.op = CW_OP_ATOM, .scope = CW_SCOPE_GPU, .dst_cnt = 1};

static void issues(uint32_t warp, const struct cw_uop *u, uint32_t value)
{
    const uint64_t addr[CW_LANES] = {FLAG}, values[1][CW_LANES] = {{value}};
    struct cw_event e = event(CW_EVENT_LANES, warp, 0);
    e.u.lanes.uop = u;
    e.u.lanes.addr = addr;
    e.u.lanes.value = values;
    e.u.lanes.lanes = 1;
    e.u.lanes.space = CW_SPACE_GLOBAL;
    e.u.lanes.elem_bytes = 4;
    e.u.lanes.vec = 1;
    cw_events_tell(&events, &e);
}

static void completes(uint32_t warp, const struct cw_uop *u, uint32_t value)
{
    struct cw_event e = event(CW_EVENT_REGION_LOAD, warp, 0);
    e.u.word.addr = FLAG;
    e.u.word.value = value;
    e.u.word.bytes = 15;
    e.u.word.uop = u;
    e.u.word.outside = true;
    cw_events_tell(&events, &e);
}

static void loads(uint32_t warp, const struct cw_uop *u, uint32_t value)
{
    issues(warp, u, 0);
    completes(warp, u, value);
}

/* T1 in warp 0, T2 in warp `second`, with `meet` between both. Returns the transactions of the circle; 0: there is none. */
static uint32_t judged(uint32_t second, void (*meet)(void))
{
    struct cw_error err;
    const uint32_t between = 9;
    memset(memory, 0, sizeof memory);
    region(CW_EVENT_REGION_BEGIN, between, 0);
    word(CW_EVENT_REGION_READ, between, 0, X, 0);
    region(CW_EVENT_REGION_BEGIN, 0, 0);
    writes(0, 0, X);
    if (meet != NULL)
        meet();
    region(CW_EVENT_REGION_BEGIN, second, 1);
    word(CW_EVENT_REGION_READ, second, 1, Y, 0);
    struct cw_event e = event(CW_EVENT_REGION_COMMIT, second, 1);
    e.u.set.cnt = 0;
    cw_events_tell(&events, &e);
    writes(between, 0, Y);
    const int status = cw_serial_check(serial, &report, &err);
    assert_int_equal(status, report.cycle_length != 0 ? CW_ECHECK : CW_OK);
    return (uint32_t)report.cycle_length;
}

static void test_serial_order__of_a_thread(void **state)
{
    (void)state;
    assert_int_equal(judged(0, NULL), 3);
    assert_non_null(strstr(report.text, "transaction 2 (core 0 warp 0 lane 0) came before the next in its thread"));
    assert_int_equal(judged(1, NULL), 0);
}

static void block_ends(void)
{
    struct cw_event e = event(CW_EVENT_BLOCK_END, 0, 0);
    cw_events_tell(&events, &e);
}

static void touch_and_end(void)
{
    issues(0, &store, 3);
    block_ends();
}

/* The warp's slot goes to another block. */
static void test_serial_order__not_of_blocks(void **state)
{
    (void)state;
    assert_int_equal(judged(0, touch_and_end), 0);
}

static void barrier(void)
{
    sync(CW_SYNC_ARRIVE, 0, 1);
    sync(CW_SYNC_ARRIVE, 1, 1);
    sync(CW_SYNC_PASS, 0, 0);
}

static void waits_for_nobody(void)
{
    sync(CW_SYNC_ARRIVE, 0, 1);
    sync(CW_SYNC_SIGNAL, 1, 1);
    sync(CW_SYNC_PASS, 0, 0);
}

static void signals(void)
{
    sync(CW_SYNC_SIGNAL, 0, 1);
    sync(CW_SYNC_ARRIVE, 1, 1);
    sync(CW_SYNC_PASS, 0, 0);
}

static void test_serial_order__barriers(void **state)
{
    (void)state;
    assert_int_equal(judged(1, barrier), 3);
    assert_non_null(strstr(report.text, "transaction 2 (core 0 warp 0 lane 0) was over, as the next's thread had seen outside"));
    assert_int_equal(judged(1, signals), 3);
    assert_int_equal(judged(1, waits_for_nobody), 0);
}

static void flag_is_seen(void)
{
    issues(0, &store, 7);
    loads(1, &load, 7);
}

static void flag_is_not_seen(void)
{
    issues(0, &store, 7);
    loads(1, &load, 0);
}

static void flag_of_two(void)
{
    issues(2, &store, 7);
    issues(0, &store, 7);
    loads(1, &load, 7);
}

static void flag_that_was_there(void)
{
    memory[(FLAG - X) / 4] = 7;
    issues(0, &store, 7);
    loads(1, &load, 7);
}

static void flag_by_a_third(void)
{
    issues(0, &store, 7);
    loads(2, &load, 7);
    issues(2, &store, 8);
    loads(1, &load, 8);
}

static void test_serial_order__flags(void **state)
{
    (void)state;
    assert_int_equal(judged(1, flag_is_seen), 3);
    assert_non_null(strstr(report.text, "transaction 2 (core 0 warp 0 lane 0) was over, as the next's thread had seen outside"));
    assert_int_equal(judged(1, flag_by_a_third), 3);
    assert_int_equal(judged(1, flag_is_not_seen), 0);
    assert_int_equal(judged(1, flag_of_two), 0);
    assert_int_equal(judged(1, flag_that_was_there), 0);
}

static void one_atomic_after_the_other(void)
{
    loads(0, &atomic, 0);
    issues(1, &atomic, 0);
}

static void atomics_together(void)
{
    issues(0, &atomic, 0);
    issues(1, &atomic, 0);
    completes(0, &atomic, 0);
    completes(1, &atomic, 0);
}

static void load_behind_an_atomic(void)
{
    loads(0, &atomic, 0);
    loads(1, &load, 5);
}

static void stores_beside_an_atomic(void)
{
    issues(2, &store, 5);
    loads(0, &atomic, 0);
    loads(1, &load, 5);
}

static void test_serial_order__atomics(void **state)
{
    (void)state;
    assert_int_equal(judged(1, one_atomic_after_the_other), 3);
    assert_int_equal(judged(1, load_behind_an_atomic), 3);
    assert_int_equal(judged(1, atomics_together), 0);
    assert_int_equal(judged(1, stores_beside_an_atomic), 0);
}

/* An attempt begins in the moment in which a snapshot becomes readable; which of both is told first means nothing. */
static void test_serial_order__begin_beside_a_snapshot(void **state)
{
    struct cw_error err;
    (void)state;
    for (uint32_t first = 0; first < 2; first++) {
        const cw_time moment = 100;
        struct cw_event snapshot = event(CW_EVENT_SNAPSHOT, 0, 0), begin = event(CW_EVENT_REGION_BEGIN, 1, 0);
        cw_events_tell(&events, &snapshot);
        region(CW_EVENT_REGION_BEGIN, 0, 0);
        writes(0, 0, X);
        snapshot.now = begin.now = moment;
        cw_events_tell(&events, first == 0 ? &snapshot : &begin);
        cw_events_tell(&events, first == 0 ? &begin : &snapshot);
        now = moment + 1;
        word(CW_EVENT_REGION_READ, 1, 0, X, 1);
        struct cw_event e = event(CW_EVENT_REGION_COMMIT, 1, 0);
        e.u.set.cnt = 0;
        cw_events_tell(&events, &e);
        assert_int_equal(cw_serial_check(serial, &report, &err), CW_OK);
        memory[0] = 0;
        now = 0;
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_serial_order__of_a_thread, setup, teardown),
    cmocka_unit_test_setup_teardown(test_serial_order__not_of_blocks, setup, teardown),
    cmocka_unit_test_setup_teardown(test_serial_order__barriers, setup, teardown),
    cmocka_unit_test_setup_teardown(test_serial_order__flags, setup, teardown),
    cmocka_unit_test_setup_teardown(test_serial_order__atomics, setup, teardown),
    cmocka_unit_test_setup_teardown(test_serial_order__begin_beside_a_snapshot, setup, teardown),
};

CW_TEST_MAIN(tests)
