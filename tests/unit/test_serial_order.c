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

/* T1 has ended before T2 begins; `between` has begun before both. */
static void test_serial_order__real_time(void **state)
{
    (void)state;
    assert_int_equal(judged(1, NULL), 0);
    assert_int_equal(report.early, 1);
    assert_string_equal(report.real_time,
                        "transaction 3 (core 0 warp 1 lane 0) began when transaction 2 (core 0 warp 0 lane 0) had ended, and "
                        "stands before it: transaction 3 (core 0 warp 1 lane 0) read before the next wrote 0x100000004 "
                        "(0x00000001), transaction 1 (core 0 warp 9 lane 0) read before the next wrote 0x100000000 "
                        "(0x00000001)");
    assert_int_equal(judged(0, touch_and_end), 0); /* the same, in a slot that two blocks have had */
    assert_int_equal(report.early, 1);
    assert_int_equal(judged(0, NULL), 3); /* no order */
    assert_int_equal(report.early, 0);
    assert_string_equal(report.real_time, "");
}

/* T1 is told as committed, but its write comes to memory when T2 has begun. */
static void test_serial_order__ends_with_its_writes(void **state)
{
    struct cw_error err;
    const uint64_t addr = X;
    const uint32_t one = 1;
    (void)state;
    for (uint32_t arrives_first = 0; arrives_first < 2; arrives_first++) {
        memset(memory, 0, sizeof memory);
        now = 0;
        region(CW_EVENT_SNAPSHOT, 0, 0);
        region(CW_EVENT_REGION_BEGIN, 0, 0);
        struct cw_event e = event(CW_EVENT_REGION_COMMIT, 0, 0);
        e.u.set.cnt = 1;
        e.u.set.addr = &addr;
        e.u.set.value = &one;
        cw_events_tell(&events, &e);
        if (arrives_first)
            word(CW_EVENT_REGION_WRITE, 0, 0, X, 1);
        sync(CW_SYNC_FENCE, 2, 1); /* time goes on */
        struct cw_event begin = event(CW_EVENT_REGION_BEGIN, 1, 0);
        begin.now = 0; /* of the snapshot that it reads; it begins now */
        cw_events_tell(&events, &begin);
        if (!arrives_first)
            word(CW_EVENT_REGION_WRITE, 0, 0, X, 1);
        word(CW_EVENT_REGION_READ, 1, 0, X, 0);
        e = event(CW_EVENT_REGION_COMMIT, 1, 0);
        e.u.set.cnt = 0;
        cw_events_tell(&events, &e);
        assert_int_equal(cw_serial_check(serial, &report, &err), CW_OK);
        assert_int_equal(report.early, arrives_first);
    }
}

/* Random histories, judged from their reads and writes alone: which transaction reaches which, by all triples. */
enum { TRANSACTIONS = 12, VARIABLES = 4 };

struct history {
    uint32_t last[VARIABLES];                         /* writer of what memory holds; TRANSACTIONS: nobody */
    uint32_t read_by[VARIABLES];                      /* who has read that, as bits */
    bool reach[TRANSACTIONS + 1][TRANSACTIONS + 1];   /* has to stand before */
    cw_time began[TRANSACTIONS], ended[TRANSACTIONS]; /* ended 0: not yet */
    uint32_t reads[TRANSACTIONS];                     /* words, as bits */
};

static void reads_one(struct history *h, uint32_t t, uint32_t v)
{
    h->reads[t] |= 1u << v;
    h->reach[h->last[v]][t] = true;
    h->read_by[v] |= 1u << t;
    word(CW_EVENT_REGION_READ, t, 0, X + 4 * v, memory[v]);
}

static void ends_one(struct history *h, uint32_t t, uint32_t v)
{
    for (uint32_t r = 0; r < TRANSACTIONS; r++)
        h->reach[r][t] |= (h->read_by[v] >> r & 1) != 0 && r != t;
    h->reach[h->last[v]][t] = true;
    h->last[v] = t;
    h->read_by[v] = 0;
    const uint64_t addr = X + 4 * v;
    const uint32_t value = t + 1;
    word(CW_EVENT_REGION_WRITE, t, 0, addr, value);
    struct cw_event e = event(CW_EVENT_REGION_COMMIT, t, 0);
    e.u.set.cnt = 1;
    e.u.set.addr = &addr;
    e.u.set.value = &value;
    h->ended[t] = e.now;
    cw_events_tell(&events, &e);
}

/* -1: there is no order. */
static int expected_early(struct history *h)
{
    int early = 0;
    for (uint32_t k = 0; k < TRANSACTIONS; k++)
        for (uint32_t a = 0; a < TRANSACTIONS; a++)
            for (uint32_t b = 0; b < TRANSACTIONS; b++)
                h->reach[a][b] |= h->reach[a][k] && h->reach[k][b];
    for (uint32_t a = 0; a < TRANSACTIONS; a++) {
        bool found = false;
        for (uint32_t b = 0; b < TRANSACTIONS; b++)
            found |= h->reach[a][b] && h->ended[b] < h->began[a];
        if (h->reach[a][a])
            return -1;
        early += found;
    }
    return early;
}

/* Each transaction is a thread's only one. Few run at once, so that some begin behind the end of others. */
static void make_history(struct history *h, struct cw_rng *r)
{
    uint32_t begun = 0, running = 0;
    memset(memory, 0, sizeof memory);
    now = 1;
    *h = (struct history){.last = {TRANSACTIONS, TRANSACTIONS, TRANSACTIONS, TRANSACTIONS}};
    while (begun < TRANSACTIONS || running != 0) {
        const uint32_t t = cw_rng_below(r, TRANSACTIONS), v = cw_rng_below(r, VARIABLES);
        if (t == begun && __builtin_popcount(running) < 4) {
            h->began[t] = now;
            region(CW_EVENT_REGION_BEGIN, t, 0);
            running |= 1u << begun++;
        } else if ((running >> t & 1) != 0 && cw_rng_below(r, 2) == 0) {
            ends_one(h, t, v);
            running &= ~(1u << t);
        } else if ((running >> t & 1) != 0 && (h->reads[t] >> v & 1) == 0) {
            reads_one(h, t, v);
        }
    }
}

static void test_serial_order__random(void **state)
{
    struct cw_rng r;
    struct cw_error err;
    uint32_t with = 0, without = 0, circles = 0;
    (void)state;
    cw_rng_seed(&r, 5);
    for (uint32_t i = 0; i < 20000; i++) {
        struct history h;
        make_history(&h, &r);
        const int early = expected_early(&h), status = cw_serial_check(serial, &report, &err);
        assert_int_equal(status, early < 0 ? CW_ECHECK : CW_OK);
        assert_int_equal(report.early, early < 0 ? 0 : early);
        *(early < 0 ? &circles : early > 0 ? &with : &without) += 1;
    }
    print_message("%u histories without an order, %u out of real-time order, %u others\n", circles, with, without);
    assert_true(with > 100 && without > 100 && circles > 100);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_serial_order__of_a_thread, setup, teardown),
    cmocka_unit_test_setup_teardown(test_serial_order__not_of_blocks, setup, teardown),
    cmocka_unit_test_setup_teardown(test_serial_order__barriers, setup, teardown),
    cmocka_unit_test_setup_teardown(test_serial_order__flags, setup, teardown),
    cmocka_unit_test_setup_teardown(test_serial_order__atomics, setup, teardown),
    cmocka_unit_test_setup_teardown(test_serial_order__begin_beside_a_snapshot, setup, teardown),
    cmocka_unit_test_setup_teardown(test_serial_order__real_time, setup, teardown),
    cmocka_unit_test_setup_teardown(test_serial_order__ends_with_its_writes, setup, teardown),
    cmocka_unit_test_setup_teardown(test_serial_order__random, setup, teardown),
};

CW_TEST_MAIN(tests)
