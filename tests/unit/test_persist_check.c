/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The persistency oracle on histories written by hand. What is right and what is wrong follows from Box 2 of Pandey et al. (ASPLOS 2023)
 * and from the examples of its sections 5 and 6.
 */
#include "check/persist.h"

#include <string.h>

#include "base/rng.h"
#include "cw_test.h"
#include "ir/uop.h"
#include "mech/persist/orders.h"

#define PM     (UINT64_C(0x100000000) + (UINT64_C(1) << 34))
#define X      PM
#define Y      (PM + 4)   /* of X's line */
#define Z      (PM + 128) /* of another line */
#define FLAG   UINT64_C(0x100000000)
#define SHARED UINT64_C(0x01000040) /* in the window of shared memory */
#define PERIOD 10u
#define IDS    4096u

/* Core, warp and lane; its block. */
struct thread {
    uint32_t core, warp, lane, block;
};

static const struct thread T0 = {0, 0, 0, 0}, T1 = {0, 0, 1, 0}, T32 = {0, 1, 0, 0}; /* of one block */
static const struct thread U0 = {1, 0, 0, 1}, U32 = {1, 1, 0, 1};                    /* of another block, on another core */
static const struct thread V0 = {0, 2, 0, 2};                                        /* of a third block, on the core of the first */

struct history {
    struct cw_events events;
    struct cw_persist_check *check;
    struct cw_persist_report report;
    struct cw_error err;
    cw_time now;
    uint32_t ids, stamps;
    struct cw_uop uop;      /* of the events of now: its line; 0: they have none */
    uint8_t memory[2][256]; /* from PM on, as each core sees it */
    uint8_t gone[IDS][128]; /* what has left under this number */
    struct cw_event leave[IDS];
    uint32_t mask[IDS][4];
};

static void start(struct history *h)
{
    memset(h, 0, sizeof *h);
    assert_int_equal(cw_persist_check_create(&h->check, PERIOD, CW_CONTRACT_FENCES, &h->err), CW_OK);
    cw_events_listen(&h->events, cw_persist_check_listener(h->check));
}

static int launched(struct history *h)
{
    const int status = cw_persist_check_launched(h->check, &h->report, &h->err);
    assert_int_equal(status == CW_OK, h->report.text[0] == '\0');
    return status;
}

static void end(struct history *h)
{
    cw_persist_check_destroy(h->check);
}

static void right(struct history *h)
{
    if (launched(h) != CW_OK)
        fail_msg("%s", h->report.text);
    end(h);
}

/* Wrong, and the text has these words. */
static void wrong(struct history *h, const char *words)
{
    assert_int_equal(launched(h), CW_ECHECK);
    if (strstr(h->report.text, words) == NULL)
        fail_msg("'%s' has no '%s'", h->report.text, words);
    end(h);
}

static struct cw_event event(struct history *h, enum cw_event_type type, struct thread t)
{
    assert_true(cw_events_want(&h->events, type));
    return (struct cw_event){.type = (uint8_t)type, .core = t.core, .warp = t.warp, .lane = t.lane, .now = PERIOD * h->now++};
}

static struct cw_event word(struct history *h, enum cw_event_type type, struct thread t, uint64_t addr, uint32_t value)
{
    struct cw_event e = event(h, type, t);
    e.u.word.uop = h->uop.line != 0 ? &h->uop : NULL;
    e.u.word.addr = addr;
    e.u.word.persistent = addr >= PM;
    e.u.word.value = value;
    e.u.word.bytes = 15;
    e.u.word.stamp = ++h->stamps;
    return e;
}

/* The store is performed. */
static void perform(struct history *h, struct cw_event e)
{
    e.type = CW_EVENT_PM_STORE;
    for (uint32_t b = 0; b < 4; b++)
        if ((e.u.word.bytes >> b & 1) != 0)
            h->memory[e.core][e.u.word.addr - PM + b] = (uint8_t)(e.u.word.value >> (8 * b));
    cw_events_tell(&h->events, &e);
}

static struct cw_event issue_bytes(struct history *h, struct thread t, uint64_t addr, uint32_t value, uint32_t bytes)
{
    struct cw_event e = word(h, CW_EVENT_PM_ISSUE, t, addr, value);
    e.u.word.bytes = bytes;
    cw_events_tell(&h->events, &e);
    return e;
}

/* A store that has issued and is not performed yet. */
static struct cw_event issue(struct history *h, struct thread t, uint64_t addr, uint32_t value)
{
    return issue_bytes(h, t, addr, value, 15);
}

static void store_bytes(struct history *h, struct thread t, uint64_t addr, uint32_t value, uint32_t bytes)
{
    perform(h, issue_bytes(h, t, addr, value, bytes));
}

static void store(struct history *h, struct thread t, uint64_t addr, uint32_t value)
{
    store_bytes(h, t, addr, value, 15);
}

/* A variable is a word, or a byte that is not the first one of its word. */
static uint32_t bytes_of(uint64_t addr)
{
    return addr % 4 == 0 ? 15 : 1u << addr % 4;
}

static uint32_t in_word(uint64_t addr, uint32_t value)
{
    return value << 8 * (addr % 4);
}

static void order(struct history *h, struct thread t, enum cw_event_order kind, uint64_t addr, uint32_t value, bool device)
{
    struct cw_event e = event(h, CW_EVENT_PM_ORDER, t);
    e.u.order.uop = h->uop.line != 0 ? &h->uop : NULL;
    e.u.order.kind = (uint8_t)kind;
    e.u.order.device = device;
    e.u.order.block = t.block;
    e.u.order.addr = addr;
    e.u.order.value = value;
    e.u.order.stamp = ++h->stamps;
    cw_events_tell(&h->events, &e);
}

static void ofence(struct history *h, struct thread t)
{
    order(h, t, CW_ORDER_OFENCE, 0, 0, false);
}

static void dfence(struct history *h, struct thread t)
{
    order(h, t, CW_ORDER_DFENCE, 0, 0, false);
}

static void begin(struct history *h, struct thread t)
{
    order(h, t, CW_ORDER_BEGIN, 0, 0, false);
}

static void release(struct history *h, struct thread t, uint64_t addr, uint32_t value, bool device)
{
    order(h, t, CW_ORDER_RELEASE, addr, value, device);
    if (addr >= PM)
        return; /* its store is told as one of persistent memory */
    h->now--;
    issue_bytes(h, t, addr - addr % 4, in_word(addr, value), bytes_of(addr));
}

static void acquire(struct history *h, struct thread t, uint64_t addr, uint32_t value, bool device)
{
    order(h, t, CW_ORDER_ACQUIRE, addr, value, device);
}

/* Bytes of the word leave the core; returns the number of the departure. */
static uint32_t leave_bytes(struct history *h, uint32_t core, uint64_t addr, uint32_t bytes)
{
    const uint32_t id = h->ids++, word = (uint32_t)(addr % 128) / 4;
    assert_true(id < IDS);
    struct cw_event e = event(h, CW_EVENT_PM_LEAVE, (struct thread){.core = core});
    h->mask[id][word / 8] = bytes << (4 * (word % 8));
    e.u.line.addr = addr - addr % 128;
    e.u.line.id = id;
    e.u.line.byte_mask = h->mask[id];
    memcpy(h->gone[id], h->memory[core] + (e.u.line.addr - PM), 128);
    cw_events_tell(&h->events, &e);
    h->leave[id] = e;
    return id;
}

static uint32_t leave(struct history *h, uint32_t core, uint64_t addr)
{
    return leave_bytes(h, core, addr, 15);
}

/* X and Y leave together. */
static uint32_t leave_line(struct history *h, uint32_t core)
{
    return leave_bytes(h, core, X, 0xff);
}

static void persist_at(struct history *h, uint32_t id, cw_time now)
{
    struct cw_event e = h->leave[id];
    e.type = CW_EVENT_PERSIST;
    e.now = now;
    e.u.line.data = h->gone[id];
    cw_events_tell(&h->events, &e);
}

static void persist(struct history *h, uint32_t id)
{
    persist_at(h, id, PERIOD * h->now++);
}

/* The word leaves and becomes durable. */
static void durable(struct history *h, uint32_t core, uint64_t addr)
{
    persist(h, leave(h, core, addr));
}

static struct history *const H = &(struct history){0};

static void test_persist_check__counts(void **state)
{
    (void)state;
    start(H);
    store(H, T0, X, 1);
    ofence(H, T0);
    store(H, T0, Z, 2);
    durable(H, 0, X);
    assert_int_equal(launched(H), CW_OK);
    assert_int_equal(H->report.stores, 2);
    assert_int_equal(H->report.persists, 1);
    assert_int_equal(H->report.orderings, 1);
    durable(H, 0, Z); /* what was not durable at the end of a launch may be later */
    assert_int_equal(launched(H), CW_OK);
    assert_int_equal(H->report.stores, 0);
    assert_int_equal(H->report.persists, 1);
    right(H);
}

static void test_persist_check__no_fence_no_order(void **state)
{
    (void)state;
    start(H);
    store(H, T0, X, 1);
    store(H, T0, Z, 2);
    durable(H, 0, Z);
    durable(H, 0, X);
    right(H);
}

static void test_persist_check__ofence_orders(void **state)
{
    (void)state;
    for (uint32_t swapped = 0; swapped < 2; swapped++) {
        start(H);
        store(H, T0, X, 1);
        ofence(H, T0);
        store(H, T0, Z, 2);
        durable(H, 0, swapped ? Z : X);
        durable(H, 0, swapped ? X : Z);
        store(H, T0, Y, 3); /* each moment is judged when the next one comes */
        assert_int_equal(cw_persist_check_violation(H->check) != NULL, swapped);
        if (!swapped)
            right(H);
        else
            wrong(H,
                  "core 0 warp 0 lane 0, 0x1 to 0x500000000 in cycle 0, is not durable; ofence by core 0 warp 0 lane 0 in cycle 1; core 0 "
                  "warp 0 lane 0, 0x2 to 0x500000080 in cycle 2, is durable in cycle 4");
    }
}

static void at_line(struct history *h, uint32_t line)
{
    h->uop.line = line;
}

/* Both writes by file and line, the orderings by line; the first write is of another launch, with another file. */
static void test_persist_check__names_lines(void **state)
{
    (void)state;
    start(H);
    assert_int_equal(cw_persist_check_file(H->check, "first.ptx", &H->err), CW_OK);
    at_line(H, 11);
    store(H, T0, X, 1);
    at_line(H, 12);
    release(H, T0, FLAG, 1, true);
    assert_int_equal(launched(H), CW_OK);
    assert_int_equal(cw_persist_check_file(H->check, "second.ptx", &H->err), CW_OK);
    at_line(H, 23);
    acquire(H, U0, FLAG, 1, true);
    at_line(H, 24);
    store(H, U0, Z, 2);
    durable(H, 1, Z);
    wrong(H,
          "0x1 to 0x500000000 in cycle 0 at first.ptx:11, is not durable; release of 0x100000000 = 1 by core 0 warp 0 lane 0 in cycle 1 at "
          "line 12; acquire of 0x100000000 = 1 by core 1 warp 0 lane 0 in cycle 2 at line 23; core 1 warp 0 lane 0, 0x2 to 0x500000080 in "
          "cycle 3 at second.ptx:24, is durable in cycle 5");
    start(H);
    assert_int_equal(cw_persist_check_file(H->check, "first.ptx", &H->err), CW_OK);
    at_line(H, 31);
    store(H, T0, X, 1);
    at_line(H, 32);
    dfence(H, T0);
    wrong(H, "in cycle 0 at first.ptx:31; dfence complete in cycle 1 at first.ptx:32");
}

/* Of a long chain the text has both ends, and both writes. */
static void test_persist_check__a_long_chain_is_shortened(void **state)
{
    (void)state;
    start(H);
    store(H, T0, X, 1);
    for (uint32_t i = 0; i < 20; i++) {
        release(H, i % 2 != 0 ? U0 : T0, FLAG, i, true);
        acquire(H, i % 2 != 0 ? T0 : U0, FLAG, i, true);
    }
    store(H, T0, Z, 2);
    durable(H, 0, Z);
    wrong(H, "release of 0x100000000 = 1 by core 1 warp 0 lane 0 in cycle 3; 34 more; acquire of 0x100000000 = 18");
}

/* Having left is not being durable. */
static void test_persist_check__left_is_not_durable(void **state)
{
    (void)state;
    start(H);
    store(H, T0, X, 1);
    ofence(H, T0);
    store(H, T0, Z, 2);
    const uint32_t x = leave(H, 0, X), z = leave(H, 0, Z);
    persist(H, z);
    persist(H, x);
    wrong(H, "ofence");
}

static void test_persist_check__order_goes_through_empty_segments(void **state)
{
    (void)state;
    start(H);
    store(H, T0, X, 1);
    ofence(H, T0);
    ofence(H, T0);
    store(H, T0, Y, 2);
    ofence(H, T0);
    store(H, T0, Z, 3);
    const uint32_t y = leave(H, 0, Y);
    durable(H, 0, X);
    persist(H, y);
    durable(H, 0, Z);
    right(H);
    start(H);
    store(H, T0, X, 1);
    ofence(H, T0);
    ofence(H, T0);
    store(H, T0, Z, 3);
    durable(H, 0, Z);
    wrong(H, "0x1 to");
}

/* Section 6: the fence of one thread does not order the writes of another of the same warp or core. */
static void test_persist_check__a_fence_is_its_threads(void **state)
{
    (void)state;
    const struct thread other[] = {T1, T32, U0};
    for (uint32_t i = 0; i < 3; i++) {
        start(H);
        store(H, T0, X, 1);
        ofence(H, other[i]);
        store(H, other[i], Z, 2);
        durable(H, other[i].core, Z);
        durable(H, 0, X);
        right(H);
    }
}

/* Section 6.1: pX = a, pY = b, oFence, pX = c. Were c to take a's place in the line, it would be durable before b. */
static void test_persist_check__same_line_after_a_fence(void **state)
{
    (void)state;
    start(H);
    store(H, T0, X, 0xa);
    store(H, T0, Z, 0xb);
    ofence(H, T0);
    store(H, T0, X, 0xc);
    durable(H, 0, X);
    wrong(H, "0xb to 0x500000080 in cycle 1, is not durable; ofence");
    start(H);
    store(H, T0, X, 0xa);
    store(H, T0, Z, 0xb);
    ofence(H, T0);
    durable(H, 0, X);
    store(H, T0, X, 0xc);
    durable(H, 0, Z);
    durable(H, 0, X);
    right(H);
}

/* What leaves together becomes durable together, so a fence between two words of one line is kept. */
static void test_persist_check__one_departure_keeps_order(void **state)
{
    (void)state;
    start(H);
    store(H, T0, X, 1);
    ofence(H, T0);
    store(H, T0, Y, 2);
    persist(H, leave_line(H, 0));
    right(H);
}

/* An overwritten write is durable with the one that stands for it: before that, what is ordered behind it may not be. */
static void test_persist_check__an_overwritten_write(void **state)
{
    (void)state;
    for (uint32_t late = 0; late < 2; late++) {
        start(H);
        store(H, T0, X, 1);
        store(H, T1, X, 2); /* unordered, of another thread */
        ofence(H, T0);
        store(H, T0, Z, 3);
        if (late)
            durable(H, 0, Z);
        durable(H, 0, X);
        if (!late)
            durable(H, 0, Z);
        if (late)
            wrong(H, "0x1 to");
        else
            right(H);
    }
}

static void test_persist_check__bytes_are_overwritten_one_by_one(void **state)
{
    (void)state;
    for (uint32_t bytes = 0x7; bytes <= 0xf; bytes += 8) {
        start(H);
        store(H, T0, X, 0x01010101);
        store_bytes(H, T1, X, 0x02020202, 0x6);
        ofence(H, T0);
        store(H, T0, Z, 3);
        persist(H, leave_bytes(H, 0, X, bytes));
        durable(H, 0, Z); /* byte 3 of the first store may not be durable yet */
        if (bytes == 0xf)
            right(H);
        else
            wrong(H, "0x1010101 to");
    }
}

static void test_persist_check__a_part_is_overwritten(void **state)
{
    (void)state;
    start(H);
    store(H, T0, X, 0x01010101);
    store_bytes(H, T0, X, 0x02020202, 0x6);
    durable(H, 0, X);
    assert_int_equal(launched(H), CW_OK);
    assert_int_equal(H->report.persists, 2);
    right(H);
}

/* A thread that writes one word again and again has one write in the record for each segment. */
static void test_persist_check__the_last_of_many_stores_stands_for_all(void **state)
{
    (void)state;
    start(H);
    for (uint32_t i = 0; i < 100; i++)
        store(H, T0, X, i);
    ofence(H, T0);
    for (uint32_t i = 0; i < 100; i++)
        store(H, T0, Z, i);
    durable(H, 0, X);
    durable(H, 0, Z);
    assert_int_equal(launched(H), CW_OK);
    assert_int_equal(H->report.stores, 200);
    assert_int_equal(H->report.persists, 2);
    store(H, T0, Z, 7);
    dfence(H, T0);
    wrong(H, "0x7 to");
}

static void test_persist_check__older_bytes_after_newer(void **state)
{
    (void)state;
    start(H);
    store(H, T0, X, 1);
    const uint32_t first = leave(H, 0, X);
    store(H, T0, X, 2);
    const uint32_t second = leave(H, 0, X);
    persist(H, second);
    persist(H, first);
    wrong(H, "byte 0 of 0x500000000: what core 0 wrote in cycle 2 is durable in cycle 4, and what it wrote there in cycle 0 has left");
    start(H);
    store(H, T0, X, 1);
    const uint32_t older = leave(H, 0, X);
    store(H, U0, X, 2); /* another core: nothing is known of the order of the two */
    durable(H, 1, X);
    persist(H, older);
    right(H);
}

static void test_persist_check__dfence(void **state)
{
    (void)state;
    start(H);
    store(H, T0, X, 1);
    store(H, T1, Z, 2);
    durable(H, 0, X);
    dfence(H, T0); /* of T0's stores alone */
    right(H);
    start(H);
    store(H, T0, X, 1);
    leave(H, 0, X);
    dfence(H, T0);
    wrong(H, "a dfence is complete before a write of its thread is durable: core 0 warp 0 lane 0, 0x1 to 0x500000000 in cycle 0; dfence "
             "complete in cycle 2");
}

/* A dfence orders like an ofence: here what another thread has handed over, which is not durable. */
static void test_persist_check__dfence_orders(void **state)
{
    (void)state;
    start(H);
    store(H, T0, X, 1);
    release(H, T0, FLAG, 1, false);
    acquire(H, T32, FLAG, 1, false);
    dfence(H, T32);
    store(H, T32, Z, 2);
    durable(H, 0, Z);
    wrong(H,
          "release of 0x100000000 = 1 by core 0 warp 0 lane 0 in cycle 1; acquire of 0x100000000 = 1 by core 0 warp 1 lane 0 in cycle 2");
}

/* Scopes: whether the write of `from` before its release is ordered before the write of `to` after its acquire. */
static bool handed_over(struct thread from, bool from_device, struct thread to, bool to_device)
{
    start(H);
    store(H, from, X, 1);
    release(H, from, FLAG, 1, from_device);
    acquire(H, to, FLAG, 1, to_device);
    store(H, to, Z, 2);
    durable(H, to.core, Z);
    durable(H, from.core, X);
    const bool ordered = launched(H) != CW_OK;
    end(H);
    return ordered;
}

static void test_persist_check__release_and_acquire(void **state)
{
    (void)state;
    assert_true(handed_over(T0, false, T32, false));
    assert_true(handed_over(T0, true, T32, false));
    assert_true(handed_over(T0, false, T32, true));
    assert_true(handed_over(T0, true, T32, true));
    assert_true(handed_over(T0, true, U0, true));
    /* both sides have to include both threads */
    assert_false(handed_over(T0, false, U0, true));
    assert_false(handed_over(T0, true, U0, false));
    assert_false(handed_over(T0, false, U0, false));
    /* being on one core is not being in one block */
    assert_false(handed_over(T0, false, V0, false));
    assert_true(handed_over(T0, true, V0, true));
}

static void test_persist_check__hand_over_in_order(void **state)
{
    (void)state;
    start(H);
    store(H, T0, X, 1);
    release(H, T0, FLAG, 1, true);
    acquire(H, U0, FLAG, 1, true);
    store(H, U0, Z, 2);
    durable(H, 0, X);
    durable(H, 1, Z);
    right(H);
}

/* An acquire that reads another value, another variable, or before the release, has nothing from it. */
static void test_persist_check__acquires_that_read_something_else(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        start(H);
        store(H, T0, X, 1);
        if (i == 0)
            acquire(H, T32, FLAG, 1, false);
        release(H, T0, FLAG, 1, false);
        if (i == 1)
            acquire(H, T32, FLAG, 0, false);
        if (i == 2)
            acquire(H, T32, FLAG + 4, 1, false);
        store(H, T32, Z, 2);
        durable(H, 0, Z);
        durable(H, 0, X);
        right(H);
    }
}

/* The address of shared memory is another variable in every block. */
static void test_persist_check__shared_memory(void **state)
{
    (void)state;
    for (uint32_t same = 0; same < 2; same++) {
        start(H);
        store(H, T0, X, 1);
        release(H, T0, SHARED, 1, true);
        acquire(H, same ? T32 : V0, SHARED, 1, true);
        store(H, same ? T32 : V0, Z, 2);
        durable(H, 0, Z);
        if (same)
            wrong(H, "release of 0x1000040 = 1");
        else
            right(H);
    }
}

/* A release orders what comes before it, and nothing of its own thread that comes after it. */
static void test_persist_check__around_a_release(void **state)
{
    (void)state;
    start(H);
    store(H, T0, X, 1);
    release(H, T0, FLAG, 1, false);
    store(H, T0, Z, 2); /* not ordered after X */
    durable(H, 0, Z);
    durable(H, 0, X);
    right(H);
    start(H);
    release(H, T0, FLAG, 1, false);
    store(H, T0, X, 1); /* not ordered before what the acquirer writes */
    acquire(H, T32, FLAG, 1, false);
    store(H, T32, Z, 2);
    durable(H, 0, Z);
    durable(H, 0, X);
    right(H);
    start(H); /* but a fence behind the release orders what was before it */
    store(H, T0, X, 1);
    release(H, T0, FLAG, 1, false);
    store(H, T0, Y, 2);
    ofence(H, T0);
    store(H, T0, Z, 3);
    durable(H, 0, Y);
    durable(H, 0, Z);
    wrong(H, "0x1 to");
}

/* An acquire orders what comes after it, and not what the thread has written before it; a fence orders both. */
static void test_persist_check__around_an_acquire(void **state)
{
    (void)state;
    start(H);
    store(H, T0, X, 1);
    release(H, T0, FLAG, 1, false);
    store(H, T32, Y, 2);
    acquire(H, T32, FLAG, 1, false);
    store(H, T32, Z, 3);
    durable(H, 0, Y);
    durable(H, 0, X);
    durable(H, 0, Z);
    right(H);
    for (uint32_t last = 0; last < 2; last++) {
        start(H);
        store(H, T0, X, 1);
        release(H, T0, FLAG, 1, false);
        store(H, T32, Y, 2);
        acquire(H, T32, FLAG, 1, false);
        ofence(H, T32);
        store(H, T32, Z, 3);
        durable(H, 0, last ? X : Y);
        durable(H, 0, Z);
        wrong(H, last ? "0x2 to" : "0x1 to");
    }
}

/* Order is handed on: by a thread that writes nothing itself, and from block scope to device scope. */
static void test_persist_check__hand_over_twice(void **state)
{
    (void)state;
    for (uint32_t early = 0; early < 2; early++) {
        start(H);
        store(H, T0, X, 1);
        release(H, T0, FLAG, 1, false);
        acquire(H, T32, FLAG, 1, false);
        release(H, T32, FLAG + 4, 1, true);
        acquire(H, U0, FLAG + 4, 1, true);
        store(H, U0, Z, 2);
        if (!early)
            durable(H, 0, X);
        durable(H, 1, Z);
        if (early)
            wrong(H, "release of 0x100000000 = 1 by core 0 warp 0 lane 0 in cycle 1; acquire of 0x100000000 = 1 by core 0 warp 1 lane 0 in "
                     "cycle 2; release of 0x100000004 = 1 by core 0 warp 1 lane 0 in cycle 3; acquire of 0x100000004 = 1 by core 1 warp 0 "
                     "lane 0 in cycle 4");
        else
            right(H);
    }
}

/* Figure 3, line 23: the variable is persistent, and its own write is ordered after the earlier writes. */
static void test_persist_check__a_persistent_variable(void **state)
{
    (void)state;
    for (uint32_t early = 0; early < 2; early++) {
        start(H);
        store(H, T0, X, 1);
        release(H, T0, Z, 5, true);
        store(H, T0, Z, 5);
        if (!early)
            durable(H, 0, X);
        durable(H, 0, Z);
        if (early)
            wrong(H, "release of 0x500000080 = 5");
        else
            right(H);
    }
    start(H); /* the write of a release is not before the release: what the acquirer writes may be durable before it */
    release(H, T0, Z, 5, true);
    store(H, T0, Z, 5);
    acquire(H, U0, Z, 5, true);
    store(H, U0, X, 1);
    durable(H, 1, X);
    right(H);
    start(H); /* a fence orders it like every other write */
    store(H, T0, X, 1);
    release(H, T0, Z, 5, true);
    store(H, T0, Z, 5);
    ofence(H, T0);
    store(H, T0, Y, 1);
    durable(H, 0, X);
    durable(H, 0, Y);
    wrong(H, "0x5 to");
}

/* Figure 3: threads 2 and 3 persist and release flags in shared memory, 0 and 1 wait for them and do the same, 0 releases the block's sum.
 * `early`: the one of the words 0 to 3 that becomes durable first. */
static void reduction(struct history *h, uint32_t early)
{
    const uint64_t word[4] = {Z, Y, X, X + 8};
    struct thread t[4] = {T0, T0, T0, T0};
    start(h);
    for (uint32_t i = 0; i < 4; i++)
        t[i].lane = i;
    for (uint32_t i = 2; i < 4; i++) {
        store(h, t[i], word[i], i);
        release(h, t[i], SHARED + 4 * i, 1, false);
    }
    for (uint32_t i = 0; i < 2; i++) {
        acquire(h, t[i], SHARED + 4 * (i + 2), 0, false);
        acquire(h, t[i], SHARED + 4 * (i + 2), 1, false);
        store(h, t[i], word[i], i);
        release(h, t[i], SHARED + 4 * i, 1, false);
    }
    durable(h, 0, word[early]);
    durable(h, 0, word[early == 2 ? 0 : 2]);
}

static void test_persist_check__figure_3(void **state)
{
    (void)state;
    reduction(H, 2); /* thread 2 is all that thread 0 has waited for */
    right(H);
    reduction(H, 3);
    right(H);
    reduction(H, 0);
    wrong(H, "lane 2, 0x2 to 0x500000000");
    reduction(H, 1);
    wrong(H, "lane 3, 0x3 to 0x500000008");
}

/* Section 5.3: line 24 with block scope hands over nothing to another block. Whoever orders nothing breaks nothing; the program's lines are
 * told. With device scope there is an order, and it is broken. */
static void test_persist_check__scoped_persistency_bug(void **state)
{
    (void)state;
    for (uint32_t device = 0; device < 2; device++) {
        start(H);
        assert_int_equal(cw_persist_check_file(H->check, "k.ptx", &H->err), CW_OK);
        store(H, T0, X, 1);
        at_line(H, 24);
        release(H, T0, FLAG, 1, device != 0);
        at_line(H, 30);
        acquire(H, U0, FLAG, 1, true);
        at_line(H, 31);
        store(H, U0, Z, 2);
        durable(H, 1, Z);
        if (device) {
            wrong(H, "release of 0x100000000 = 1");
            continue;
        }
        assert_int_equal(launched(H), CW_OK);
        assert_int_equal(H->report.scopes, 1);
        assert_string_equal(
            cw_persist_check_scope(H->check),
            "the acquire at k.ptx:30 of device scope (core 1 warp 0 lane 0, cycle 2) reads 0x100000000 = 1 from the release at "
            "k.ptx:24 of block scope (core 0 warp 0 lane 0, cycle 1) of another block, and so gets no order: nothing keeps the "
            "write of core 1 warp 0 lane 0, 0x2 to 0x500000080 in cycle 3 at k.ptx:31 from being durable before what the "
            "release was to hand over (scoped persistency bug, docs/persistency.md); it was in this run, in cycle 5");
        assert_null(cw_persist_check_scope(H->check));
        right(H);
    }
}

/* Thread T0 writes X and releases; `to` acquires and, with `writes`, writes Z, and all become durable in order. The pairs of lines that are
 * told. */
static uint64_t narrow_pairs(bool release_device, bool acquire_device, struct thread to, bool writes, bool early)
{
    start(H);
    for (uint32_t again = 0; again < 2; again++) { /* a pair is told once */
        store(H, T0, X, 1);
        if (early)
            durable(H, 0, X);
        release(H, T0, FLAG, 1, release_device);
        if (!early)
            durable(H, 0, X);
        acquire(H, to, FLAG, 0, acquire_device); /* another value */
        acquire(H, to, FLAG, 1, acquire_device);
        if (writes) {
            store(H, to, Z, 1);
            durable(H, to.core, Z);
        }
    }
    assert_int_equal(launched(H), CW_OK);
    const uint64_t pairs = H->report.scopes;
    const char *text = cw_persist_check_scope(H->check);
    assert_int_equal(text != NULL, pairs != 0);
    assert_true(text == NULL || strstr(text, "in this run") == NULL); /* nothing came of it */
    right(H);
    return pairs;
}

/* It is told whatever this run has made of it, and only where the release had something to hand over and the acquirer writes. */
static void test_persist_check__scopes_that_are_too_narrow(void **state)
{
    (void)state;
    assert_int_equal(narrow_pairs(false, true, U0, true, false), 1);
    assert_int_equal(narrow_pairs(true, false, U0, true, false), 1);
    assert_int_equal(narrow_pairs(false, false, V0, true, false), 1); /* another block on the same core */
    assert_int_equal(narrow_pairs(true, true, U0, true, false), 0);
    assert_int_equal(narrow_pairs(false, false, T32, true, false), 0); /* of one block */
    assert_int_equal(narrow_pairs(false, true, U0, false, false), 0);
    assert_int_equal(narrow_pairs(false, true, U0, true, true), 0);
    start(H); /* the end of a launch hands everything over */
    store(H, T0, X, 1);
    release(H, T0, FLAG, 1, true);
    assert_int_equal(launched(H), CW_OK);
    begin(H, U0);
    acquire(H, U0, FLAG, 1, false);
    store(H, U0, Z, 2);
    durable(H, 0, X);
    durable(H, 1, Z);
    assert_int_equal(launched(H), CW_OK);
    assert_int_equal(H->report.scopes, 0);
    right(H);
    start(H); /* each thread has its own acquire: that another one of the same line acquires later changes nothing */
    store(H, T0, X, 1);
    release(H, T0, FLAG, 1, false);
    acquire(H, U0, FLAG, 1, true);
    acquire(H, U32, FLAG, 1, true);
    store(H, U0, Z, 2);
    durable(H, 0, X);
    durable(H, 1, Z);
    assert_int_equal(launched(H), CW_OK);
    assert_int_equal(H->report.scopes, 1);
    right(H);
}

/* Two threads release a counter; each acquire reads from the release of its value. */
static void test_persist_check__two_releases(void **state)
{
    (void)state;
    for (uint32_t value = 1; value <= 2; value++) {
        start(H);
        store(H, T0, X, 1);
        release(H, T0, FLAG, 1, true);
        store(H, T32, Y, 2);
        release(H, T32, FLAG, 2, true);
        acquire(H, U0, FLAG, value, true);
        store(H, U0, Z, 3);
        durable(H, 0, value == 1 ? X : Y);
        durable(H, 1, Z);
        durable(H, 0, value == 1 ? Y : X);
        right(H);
    }
    start(H); /* of one value: the latest with sufficient scope */
    store(H, T0, X, 1);
    release(H, T0, FLAG, 1, true);
    store(H, V0, Y, 2);
    release(H, V0, FLAG, 1, false); /* of another block */
    acquire(H, U0, FLAG, 1, true);
    store(H, U0, Z, 3);
    durable(H, 1, Z);
    wrong(H, "0x1 to");
}

/* An acquire of a value that was released twice reads from the later release, also when all is durable that this one orders. */
static void test_persist_check__a_release_with_nothing_to_order(void **state)
{
    (void)state;
    for (uint32_t again = 0; again < 2; again++) {
        start(H);
        store(H, T0, X, 1);
        release(H, T0, FLAG, 1, true);
        if (again)
            release(H, U0, FLAG, 1, true);
        release(H, T32, FLAG, 2, true);
        release(H, T32, FLAG, 3, true);
        acquire(H, V0, FLAG, 1, true);
        store(H, V0, Z, 2);
        durable(H, 0, Z);
        if (again)
            right(H);
        else
            wrong(H, "release of 0x100000000 = 1");
    }
}

static void test_persist_check__new_threads(void **state)
{
    (void)state;
    start(H);
    store(H, T0, X, 1);
    ofence(H, T0);
    begin(H, T1); /* all lanes of the warp */
    store(H, T0, Z, 2);
    dfence(H, T32);
    durable(H, 0, Z);
    dfence(H, T0); /* X was another thread's */
    durable(H, 0, X);
    right(H);
    start(H);
    store(H, T0, X, 1);
    begin(H, T0);
    durable(H, 0, X);
    dfence(H, T0);
    store(H, T0, Z, 2);
    leave(H, 0, Z);
    assert_int_equal(launched(H), CW_OK);
    dfence(H, T0);
    wrong(H, "0x2 to");
    for (uint32_t fenced = 0; fenced < 2; fenced++) {
        start(H);
        store(H, T0, X, 1);
        if (fenced)
            release(H, T0, FLAG, 1, true);
        begin(H, T0);
        ofence(H, T0); /* it has nothing to order yet */
        store(H, T0, Z, 2);
        durable(H, 0, Z);
        right(H);
    }
    start(H);
    store(H, T32, X, 1);
    ofence(H, T32);
    begin(H, T0); /* of another warp */
    store(H, T32, Z, 2);
    durable(H, 0, Z);
    wrong(H, "ofence");
}

static void test_persist_check__next_launch(void **state)
{
    (void)state;
    for (uint32_t device = 0; device < 2; device++) {
        start(H);
        store(H, T0, X, 1);
        release(H, T0, FLAG, 1, device != 0);
        release(H, T0, SHARED, 1, true);
        assert_int_equal(launched(H), CW_OK);
        begin(H, T0);
        begin(H, T32);
        acquire(H, T32, FLAG, 1, device != 0); /* block 0 is another one now */
        acquire(H, T32, SHARED, 1, true);
        store(H, T32, Z, 1);
        durable(H, 0, Z);
        if (device)
            wrong(H, "release of 0x100000000 = 1");
        else
            right(H);
    }
}

/* A release of device scope holds from launch to launch, and only where both sides have it: its block is gone. */
static void test_persist_check__next_launch_has_other_blocks(void **state)
{
    (void)state;
    start(H);
    store(H, T0, X, 1);
    release(H, T0, FLAG, 1, true);
    assert_int_equal(launched(H), CW_OK);
    acquire(H, T32, FLAG, 1, false);
    store(H, T32, Z, 1);
    durable(H, 0, Z);
    right(H);
}

/* Events of one instant come in any order. */
static void test_persist_check__one_instant(void **state)
{
    (void)state;
    start(H);
    store(H, T0, X, 1);
    ofence(H, T0);
    store(H, T0, Z, 2);
    const uint32_t x = leave(H, 0, X), z = leave(H, 0, Z);
    persist_at(H, z, 1000);
    persist_at(H, x, 1000);
    right(H);
}

static void test_persist_check__events_that_cannot_be(void **state)
{
    (void)state;
    start(H);
    store(H, T0, X, 1);
    leave_line(H, 0);
    wrong(H, "bytes 0xf of 0x500000004 leave core 0 in cycle 1");
    start(H);
    store(H, T0, X, 1);
    leave(H, 1, X); /* another core's */
    wrong(H, "leave core 1");
    start(H);
    store(H, T0, X, 1);
    leave(H, 0, X);
    leave(H, 0, X);
    wrong(H, "bytes 0xf of 0x500000000 leave core 0 in cycle 2");
    start(H);
    store(H, T0, X, 1);
    const uint32_t id = leave(H, 0, X);
    persist(H, id);
    persist(H, id);
    wrong(H, "departure 0 of core 0 is not of these bytes");
    start(H);
    store(H, T0, X, 1);
    H->mask[leave(H, 0, X)][0] = 3;
    persist(H, 0);
    wrong(H, "departure 0 of core 0 is not of these bytes");
    start(H);
    store(H, T0, X, 1);
    H->leave[leave(H, 0, X)].u.line.addr += 128;
    persist(H, 0);
    wrong(H, "bytes of line 0x500000080 are durable");
    start(H);
    store(H, T0, X, 1);
    H->gone[leave(H, 0, X)][2] = 9;
    persist(H, 0);
    wrong(H, "byte 2 of 0x500000000 is durable in cycle 2 as 0x9; core 0 wrote 0x0 in cycle 0");
    start(H);
    store(H, T0, X, 1);
    store(H, T0, Z, 1);
    leave(H, 0, X);
    H->ids = 0;
    leave(H, 0, Z);
    wrong(H, "departure 0 of core 0 has not arrived");
}

/* Random histories, judged by the definition: a relation over all operations, and its transitive closure. */
#define OPS 48u

struct op {
    enum { STORE, OWN_STORE, FENCE, RELEASE, ACQUIRE } kind;
    uint32_t who; /* index into everybody */
    uint64_t addr;
    uint32_t value;
    bool device, durable;
};

static const struct thread *const everybody[] = {&T0, &T1, &T32, &U0, &U32, &V0};

/* Whether a is before b in program order and one of them orders. */
static bool in_program(const struct op *a, const struct op *b)
{
    if (a->who != b->who || a->kind == RELEASE)
        return false;
    return a->kind == FENCE || a->kind == ACQUIRE || b->kind == FENCE || b->kind == RELEASE;
}

static bool scopes_do(const struct op *a, const struct op *b)
{
    return everybody[a->who]->block == everybody[b->who]->block || (a->device && b->device);
}

/* Which release the acquire, the last of cnt operations, reads from; OPS: none. */
static uint32_t source(const struct op *op, uint32_t acquire_at)
{
    for (uint32_t i = acquire_at; i-- > 0;)
        if (op[i].kind == RELEASE && op[i].addr == op[acquire_at].addr && op[i].value == op[acquire_at].value &&
            scopes_do(&op[i], &op[acquire_at]))
            return i;
    return OPS;
}

static void relate(const struct op *op, uint32_t cnt, bool before[OPS][OPS])
{
    memset(before, 0, sizeof(bool[OPS][OPS]));
    for (uint32_t j = 0; j < cnt; j++) {
        for (uint32_t i = 0; i < j; i++)
            before[i][j] = in_program(&op[i], &op[j]);
        if (op[j].kind == ACQUIRE && source(op, j) != OPS)
            before[source(op, j)][j] = true;
        if (op[j].kind == OWN_STORE)
            before[j - 1][j] = true;
    }
    for (uint32_t k = 0; k < cnt; k++)
        for (uint32_t i = 0; i < cnt; i++)
            for (uint32_t j = 0; j < cnt; j++)
                before[i][j] |= before[i][k] && before[k][j];
}

static bool is_store(const struct op *o)
{
    return o->kind == STORE || o->kind == OWN_STORE;
}

/* Makes the store durable. Whether one is not that has to be. */
static bool persist_op(struct history *h, struct op *op, uint32_t cnt, uint32_t i)
{
    bool before[OPS][OPS], bad = false;
    relate(op, cnt, before);
    op[i].durable = true;
    for (uint32_t k = 0; k < cnt; k++)
        bad |= is_store(&op[k]) && !op[k].durable && before[k][i];
    persist(h, leave_bytes(h, everybody[op[i].who]->core, op[i].addr - op[i].addr % 4, bytes_of(op[i].addr)));
    return bad;
}

static void tell_op(struct history *h, const struct op *o)
{
    const struct thread t = *everybody[o->who];
    if (is_store(o))
        store_bytes(h, t, o->addr - o->addr % 4, in_word(o->addr, o->value), bytes_of(o->addr));
    else if (o->kind == FENCE)
        ofence(h, t);
    else if (o->kind == RELEASE)
        release(h, t, o->addr, o->value, o->device);
    else
        acquire(h, t, o->addr, o->value, o->device);
}

/* A random operation; a store has a word of its own. */
static struct op random_op(struct cw_rng *rng, const struct op *last, uint32_t i)
{
    if (i > 0 && last->kind == RELEASE && last->addr >= PM)
        return (struct op){.kind = OWN_STORE, .who = last->who, .addr = last->addr, .value = last->value};
    struct op o = {.who = cw_rng_below(rng, 6), .device = cw_rng_below(rng, 2) != 0};
    const uint32_t kind = cw_rng_below(rng, 8);
    o.kind = kind < 3 ? STORE : kind < 4 ? FENCE : kind < 6 ? RELEASE : ACQUIRE;
    o.addr = o.kind == STORE ? PM + 4 * i : FLAG + 2 * cw_rng_below(rng, 4); /* two words, and a byte of each */
    o.value = o.kind == STORE ? i : cw_rng_below(rng, 2);
    if (o.kind == RELEASE && cw_rng_below(rng, 4) == 0)
        o.addr = PM + 4 * i + cw_rng_below(rng, 2);
    return o;
}

/* One history; true when it is wrong. */
static bool one_history(struct history *h, struct cw_rng *rng)
{
    struct op op[OPS];
    bool bad = false;
    start(h);
    for (uint32_t i = 0; i < OPS && !bad; i++) {
        op[i] = random_op(rng, &op[i > 0 ? i - 1 : 0], i);
        tell_op(h, &op[i]);
        /* mostly the oldest that is not durable, so that histories grow long before something is wrong */
        const uint32_t from = cw_rng_below(rng, 8) == 0 ? cw_rng_below(rng, i + 1) : 0;
        for (uint32_t k = from; k <= i && cw_rng_below(rng, 4) != 0; k++)
            if (is_store(&op[k]) && !op[k].durable) {
                bad = persist_op(h, op, i + 1, k);
                break;
            }
    }
    assert_int_equal(launched(h) != CW_OK, bad);
    end(h);
    return bad;
}

/* A variable may be a byte. What is released to another byte of the word, with the same value, is another release. */
static void released_to_bytes(uint32_t acquired)
{
    start(H);
    store(H, T0, X, 1);
    release(H, T0, FLAG + 1, 1, false);
    release(H, T0, FLAG + 2, 1, false);
    acquire(H, T32, FLAG + acquired, 1, false);
    store(H, T32, Z, 2);
    durable(H, 0, Z);
}

static void test_persist_check__release_of_a_byte(void **state)
{
    (void)state;
    released_to_bytes(1);
    wrong(H, "acquire");
    released_to_bytes(2);
    wrong(H, "acquire");
    released_to_bytes(3); /* nobody has released it */
    right(H);
}

static void test_persist_check__random_histories(void **state)
{
    (void)state;
    struct cw_rng rng;
    uint32_t bad = 0;
    cw_rng_seed(&rng, cw_test_seed(12));
    for (uint32_t i = 0; i < 4000; i++)
        bad += one_history(H, &rng);
    assert_in_range(bad, 400, 3600); /* both kinds are there */
}

/* The scope is an argument of the call, and may differ by lane. */
static void test_persist_check__the_widest_scope_of_a_warp(void **state)
{
    (void)state;
    static const uint8_t codes[] = {CW_PERSIST_CALL_RELEASE, CW_PERSIST_CALL_ACQUIRE_END, CW_PERSIST_CALL_ACQUIRE_BEGIN};
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t wide = 0; wide < 4; wide++) { /* lane 3 or 5, or both, asks for the device */
            const struct cw_intrinsic intrinsic = {.code = codes[i]};
            const struct cw_uop uop = {.intrinsic = &intrinsic};
            struct cw_core_call call = {.uop = &uop, .lanes = 1u << 3 | 1u << 5};
            struct cw_persist_order order;
            const uint32_t arg = codes[i] == CW_PERSIST_CALL_ACQUIRE_BEGIN ? 0 : 2;
            for (uint32_t l = 0; l < 32; l++)
                call.arg[arg][l] = CW_PERSIST_DEVICE; /* lanes that do not call do not count */
            call.arg[arg][3] = (wide & 1) != 0 ? CW_PERSIST_DEVICE : CW_PERSIST_BLOCK;
            call.arg[arg][5] = (wide & 2) != 0 ? CW_PERSIST_DEVICE : CW_PERSIST_BLOCK;
            cw_persist_order_of(&call, &order);
            assert_int_equal(order.device, wide != 0);
        }
}

/* The program's order counts, also while nothing of it has been carried out: a fence that overtakes the stores before it breaks it. */
static void test_persist_check__a_store_counts_from_its_issue(void **state)
{
    (void)state;
    for (uint32_t late = 0; late < 2; late++) {
        start(H);
        const struct cw_event x = issue(H, T0, X, 1);
        if (!late)
            perform(H, x);
        ofence(H, T0);
        store(H, T0, Z, 2);
        if (!late)
            durable(H, 0, X);
        durable(H, 0, Z);
        if (late)
            wrong(H, "0x1 to 0x500000000 in cycle 0, is not durable; ofence");
        else
            right(H);
    }
    start(H);
    issue(H, T0, X, 1);
    dfence(H, T0);
    wrong(H, "a dfence is complete before a write of its thread is durable");
}

static void test_persist_check__stores_that_are_not_performed(void **state)
{
    (void)state;
    start(H);
    issue(H, T0, X, 1);
    wrong(H, "the kernel has ended, and core 0 has not performed the store of 0x1 to 0x500000000 issued in cycle 0");
    start(H);
    struct cw_event e = word(H, CW_EVENT_PM_ISSUE, T0, X, 1);
    perform(H, e);
    wrong(H, "core 0 performs a store to 0x500000000 in cycle 0, and no thread has issued it");
    start(H);
    e = issue(H, T0, X, 1);
    perform(H, e);
    perform(H, e);
    wrong(H, "and no thread has issued it");
    start(H); /* of one thread to one byte they come in order; to others they need not */
    e = issue(H, T0, X, 1);
    const struct cw_event z = issue(H, T0, Z, 3), second = issue_bytes(H, T0, X, 2, 1);
    perform(H, z);
    perform(H, second);
    wrong(H, "core 0 performs a store to 0x500000000 in cycle 2 before one that its thread has issued earlier, in cycle 0");
}

static void fence_of_ptx(struct history *h, bool device)
{
    order(h, T0, CW_ORDER_FENCE, 0, 0, device);
}

/* What a fence of PTX is follows from its scope and the contract, not from what the machine makes of it. */
static void test_persist_check__fences_of_ptx(void **state)
{
    (void)state;
    start(H);
    store(H, T0, X, 1);
    fence_of_ptx(H, true);
    wrong(H, "a dfence is complete before");
    for (uint32_t contract = CW_CONTRACT_NONE; contract <= CW_CONTRACT_FENCES; contract++) {
        memset(H, 0, sizeof *H);
        assert_int_equal(cw_persist_check_create(&H->check, PERIOD, (enum cw_event_contract)contract, &H->err), CW_OK);
        cw_events_listen(&H->events, cw_persist_check_listener(H->check));
        store(H, T0, X, 1);
        fence_of_ptx(H, false);
        store(H, T0, Z, 2);
        if (contract == CW_CONTRACT_NONE)
            ofence(H, T0);
        durable(H, 0, Z);
        if (contract == CW_CONTRACT_FENCES)
            wrong(H, "; ofence by");
        else
            right(H);
    }
}

static void load(struct history *h, struct thread t, uint64_t addr, uint32_t value)
{
    struct cw_event e = word(h, CW_EVENT_PM_READ, t, addr, value);
    cw_events_tell(&h->events, &e);
}

/* X = 1, release, acquire, load of X, which finds `value`. */
static void hand_over_and_load(struct history *h, bool device, struct thread to, uint32_t value)
{
    start(h);
    store(h, T0, X, 1);
    release(h, T0, FLAG, 1, device);
    load(h, to, X, 0); /* before the acquire it may find anything */
    acquire(h, to, FLAG, 1, device);
    load(h, to, X, value);
}

/* Box 1: a load behind an acquire finds what was written before the release. */
static void test_persist_check__old_values(void **state)
{
    (void)state;
    hand_over_and_load(H, true, U0, 1);
    right(H);
    hand_over_and_load(H, true, U0, 0);
    wrong(H,
          "a load finds an old value: core 1 warp 0 lane 0 has 0x0 from 0x500000000 in cycle 4; core 0 warp 0 lane 0 has written 0x1 there "
          "before a release that this thread has acquired");
    hand_over_and_load(H, false, T32, 0); /* of its block */
    wrong(H, "old value");
    hand_over_and_load(H, false, U0, 0); /* of another block: block scope hands nothing over */
    right(H);
    start(H); /* a thread finds what it has written */
    store(H, T0, X, 1);
    load(H, T0, X, 0);
    wrong(H, "core 0 warp 0 lane 0 has written 0x1 there before");
    hand_over_and_load(H, true, U0, 1); /* somebody else writes meanwhile: either value may be there */
    store(H, U32, X, 7);
    load(H, U0, X, 1);
    load(H, U0, X, 7);
    right(H);
    start(H); /* a later store of its own does not excuse it */
    store(H, T0, X, 1);
    release(H, T0, FLAG, 1, true);
    acquire(H, U0, FLAG, 1, true);
    const struct cw_event between = word(H, CW_EVENT_PM_READ, U0, X, 0);
    store(H, U0, X, 2);
    cw_events_tell(&H->events, &between);
    wrong(H, "old value");
    start(H); /* a load that issued before the acquire */
    store(H, T0, X, 1);
    struct cw_event early = word(H, CW_EVENT_PM_READ, U0, X, 0);
    release(H, T0, FLAG, 1, true);
    acquire(H, U0, FLAG, 1, true);
    cw_events_tell(&H->events, &early);
    right(H);
    start(H); /* handed on by a thread between */
    store(H, T0, X, 1);
    release(H, T0, FLAG, 1, true);
    acquire(H, U0, FLAG, 1, true);
    release(H, U0, FLAG + 4, 1, true);
    acquire(H, V0, FLAG + 4, 1, true);
    load(H, V0, X, 0);
    wrong(H, "old value");
    start(H); /* a value released twice does not say which release it is of */
    store(H, T0, X, 1);
    release(H, T0, FLAG, 1, true);
    store(H, T0, X, 2);
    release(H, T0, FLAG, 1, true);
    acquire(H, U0, FLAG, 1, true);
    load(H, U0, X, 1);
    right(H);
    start(H); /* the next launch begins anew */
    store(H, T0, X, 1);
    durable(H, 0, X);
    assert_int_equal(launched(H), CW_OK);
    load(H, T0, X, 0);
    right(H);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_persist_check__a_store_counts_from_its_issue),
    cmocka_unit_test(test_persist_check__stores_that_are_not_performed),
    cmocka_unit_test(test_persist_check__fences_of_ptx),
    cmocka_unit_test(test_persist_check__old_values),
    cmocka_unit_test(test_persist_check__counts),
    cmocka_unit_test(test_persist_check__no_fence_no_order),
    cmocka_unit_test(test_persist_check__ofence_orders),
    cmocka_unit_test(test_persist_check__names_lines),
    cmocka_unit_test(test_persist_check__a_long_chain_is_shortened),
    cmocka_unit_test(test_persist_check__left_is_not_durable),
    cmocka_unit_test(test_persist_check__order_goes_through_empty_segments),
    cmocka_unit_test(test_persist_check__a_fence_is_its_threads),
    cmocka_unit_test(test_persist_check__same_line_after_a_fence),
    cmocka_unit_test(test_persist_check__one_departure_keeps_order),
    cmocka_unit_test(test_persist_check__an_overwritten_write),
    cmocka_unit_test(test_persist_check__bytes_are_overwritten_one_by_one),
    cmocka_unit_test(test_persist_check__the_last_of_many_stores_stands_for_all),
    cmocka_unit_test(test_persist_check__older_bytes_after_newer),
    cmocka_unit_test(test_persist_check__dfence),
    cmocka_unit_test(test_persist_check__dfence_orders),
    cmocka_unit_test(test_persist_check__release_and_acquire),
    cmocka_unit_test(test_persist_check__hand_over_in_order),
    cmocka_unit_test(test_persist_check__acquires_that_read_something_else),
    cmocka_unit_test(test_persist_check__shared_memory),
    cmocka_unit_test(test_persist_check__around_a_release),
    cmocka_unit_test(test_persist_check__around_an_acquire),
    cmocka_unit_test(test_persist_check__hand_over_twice),
    cmocka_unit_test(test_persist_check__a_persistent_variable),
    cmocka_unit_test(test_persist_check__figure_3),
    cmocka_unit_test(test_persist_check__scoped_persistency_bug),
    cmocka_unit_test(test_persist_check__scopes_that_are_too_narrow),
    cmocka_unit_test(test_persist_check__two_releases),
    cmocka_unit_test(test_persist_check__a_release_with_nothing_to_order),
    cmocka_unit_test(test_persist_check__next_launch_has_other_blocks),
    cmocka_unit_test(test_persist_check__a_part_is_overwritten),
    cmocka_unit_test(test_persist_check__new_threads),
    cmocka_unit_test(test_persist_check__next_launch),
    cmocka_unit_test(test_persist_check__one_instant),
    cmocka_unit_test(test_persist_check__events_that_cannot_be),
    cmocka_unit_test(test_persist_check__the_widest_scope_of_a_warp),
    cmocka_unit_test(test_persist_check__release_of_a_byte),
    cmocka_unit_test(test_persist_check__random_histories),
};
CW_TEST_MAIN(tests)
