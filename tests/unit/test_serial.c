/* SPDX-License-Identifier: Apache-2.0 */
/* The serializability oracle on histories written by hand; each expectation is the textbook's. */
#include "check/serial.h"

#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "cw_test.h"

#define X     UINT64_C(0x100000000)
#define Y     (X + 4)
#define Z     (X + 8)
#define WORDS 1024

struct history {
    uint32_t memory[WORDS]; /* from X on */
    struct cw_events events;
    struct cw_serial *serial;
    struct cw_serial_report report;
    struct cw_error err;
    cw_time now;
    uint32_t attempts;
};

static uint32_t *at(struct history *h, uint64_t addr)
{
    assert_true(addr >= X && addr < X + 4 * WORDS);
    return h->memory + (addr - X) / 4;
}

static uint32_t word_now(void *context, uint64_t addr)
{
    return *at(context, addr);
}

static void start(struct history *h)
{
    memset(h, 0, sizeof *h);
    assert_int_equal(cw_serial_create(&h->serial, word_now, h, &h->err), CW_OK);
    cw_events_listen(&h->events, cw_serial_listener(h->serial));
}

static int judge(struct history *h)
{
    int status = cw_serial_check(h->serial, &h->report, &h->err);
    assert_int_equal(status == CW_OK, h->report.text[0] == '\0');
    if (status != CW_OK)
        assert_int_equal(strncmp(h->err.text, h->report.text, sizeof h->err.text - 1), 0);
    return status;
}

static void end(struct history *h)
{
    cw_serial_destroy(h->serial);
}

/* An event of an attempt of core 0, warp 1, lane 2. */
static struct cw_event event(struct history *h, enum cw_event_type type, uint32_t tx)
{
    assert_true(cw_events_want(&h->events, type));
    return (struct cw_event){.type = (uint8_t)type, .core = 0, .warp = 1, .lane = 2, .attempt = tx, .now = h->now++};
}

static void tell_word(struct history *h, enum cw_event_type type, uint32_t tx, uint64_t addr, uint32_t value, uint32_t bytes)
{
    struct cw_event e = event(h, type, tx);
    e.u.word.addr = addr;
    e.u.word.value = value;
    e.u.word.bytes = bytes;
    cw_events_tell(&h->events, &e);
}

static uint32_t begin(struct history *h)
{
    struct cw_event e = event(h, CW_EVENT_REGION_BEGIN, h->attempts++);
    cw_events_tell(&h->events, &e);
    return e.attempt;
}

static void rd(struct history *h, uint32_t tx, uint64_t addr, uint32_t value)
{
    tell_word(h, CW_EVENT_REGION_READ, tx, addr, value, 15);
}

/* Memory takes the write, then it is reported. */
static void wr(struct history *h, uint32_t tx, uint64_t addr, uint32_t value)
{
    *at(h, addr) = value;
    tell_word(h, CW_EVENT_REGION_WRITE, tx, addr, value, 15);
}

static void commit(struct history *h, uint32_t tx, uint32_t cnt, const uint64_t *addr, const uint32_t *value)
{
    struct cw_event e = event(h, CW_EVENT_REGION_COMMIT, tx);
    e.u.set.cnt = cnt;
    e.u.set.addr = addr;
    e.u.set.value = value;
    cw_events_tell(&h->events, &e);
}

static void commit1(struct history *h, uint32_t tx, uint64_t addr, uint32_t value)
{
    commit(h, tx, 1, &addr, &value);
}

static void commit0(struct history *h, uint32_t tx)
{
    commit(h, tx, 0, NULL, NULL);
}

static void abort_tx(struct history *h, uint32_t tx)
{
    struct cw_event e = event(h, CW_EVENT_REGION_ABORT, tx);
    cw_events_tell(&h->events, &e);
}

static void test_serial__serial_history(void **state)
{
    (void)state;
    struct history h;
    start(&h);
    for (uint32_t i = 0; i < 10; i++) {
        uint32_t t = begin(&h);
        rd(&h, t, X, i);
        wr(&h, t, X, i + 1);
        commit1(&h, t, X, i + 1);
    }
    assert_int_equal(judge(&h), CW_OK);
    assert_int_equal(h.report.committed, 10);
    assert_int_equal(h.report.reads, 10);
    assert_int_equal(h.report.writes, 10);
    assert_int_equal(h.report.cycle_length, 0);
    end(&h);
}

/* Interleaved in time but equivalent to T2 before T1: T2 reads x before T1's write. */
static void test_serial__interleaved_but_serializable(void **state)
{
    (void)state;
    struct history h;
    start(&h);
    uint32_t t1 = begin(&h), t2 = begin(&h);
    rd(&h, t2, X, 0);
    wr(&h, t1, X, 1);
    commit1(&h, t1, X, 1);
    rd(&h, t2, Y, 0);
    wr(&h, t2, Z, 2);
    commit1(&h, t2, Z, 2);
    assert_int_equal(judge(&h), CW_OK);
    end(&h);
}

static void test_serial__lost_update(void **state)
{
    (void)state;
    struct history h;
    start(&h);
    uint32_t t1 = begin(&h), t2 = begin(&h);
    rd(&h, t1, X, 0);
    rd(&h, t2, X, 0);
    wr(&h, t1, X, 1);
    wr(&h, t2, X, 1);
    commit1(&h, t2, X, 1);
    commit1(&h, t1, X, 1);
    const cw_time sealed = h.now - 1;
    commit0(&h, begin(&h)); /* which is none of them */
    assert_int_equal(judge(&h), CW_ECHECK);
    assert_int_equal(h.report.cycle_length, 2);
    assert_true(h.report.last.at == sealed && h.report.last.core == 0 && h.report.last.warp == 1 && h.report.last.lane == 2);
    assert_non_null(strstr(h.report.text, "0x100000000"));
    assert_non_null(strstr(h.report.text, "transaction 1 (core 0 warp 1 lane 2)"));
    assert_int_equal(h.report.value_errors + h.report.lost_writes, 0);
    end(&h);
}

static void test_serial__write_skew(void **state)
{
    (void)state;
    struct history h;
    start(&h);
    uint32_t t1 = begin(&h), t2 = begin(&h);
    rd(&h, t1, X, 0);
    rd(&h, t2, Y, 0);
    wr(&h, t1, Y, 1);
    wr(&h, t2, X, 1);
    commit1(&h, t1, Y, 1);
    commit1(&h, t2, X, 1);
    assert_int_equal(judge(&h), CW_ECHECK);
    assert_int_equal(h.report.cycle_length, 2);
    end(&h);
}

/* T1 writes x and y; T2 reads the new x and the old y. */
static void test_serial__fractured_read(void **state)
{
    (void)state;
    struct history h;
    const uint64_t addr[] = {X, Y};
    const uint32_t value[] = {1, 1};
    start(&h);
    uint32_t t1 = begin(&h), t2 = begin(&h);
    wr(&h, t1, X, 1);
    rd(&h, t2, X, 1);
    rd(&h, t2, Y, 0);
    wr(&h, t1, Y, 1);
    commit(&h, t1, 2, addr, value);
    commit0(&h, t2);
    assert_int_equal(judge(&h), CW_ECHECK);
    assert_int_equal(h.report.cycle_length, 2);
    end(&h);
}

/* The same reads in an attempt that aborts are no violation, but counted. */
static void test_serial__opacity_is_counted(void **state)
{
    (void)state;
    struct history h;
    const uint64_t addr[] = {X, Y};
    const uint32_t value[] = {1, 1};
    start(&h);
    uint32_t t1 = begin(&h), t2 = begin(&h), t3 = begin(&h);
    rd(&h, t3, X, 0);
    rd(&h, t3, Y, 0);
    wr(&h, t1, X, 1);
    rd(&h, t2, X, 1);
    rd(&h, t2, Y, 0);
    wr(&h, t1, Y, 1);
    commit(&h, t1, 2, addr, value);
    abort_tx(&h, t2);
    abort_tx(&h, t3);
    assert_int_equal(judge(&h), CW_OK);
    assert_int_equal(h.report.aborted, 2);
    assert_int_equal(h.report.inconsistent_aborted, 1);
    end(&h);
}

/* Of a longer cycle and a shorter one, the shorter is reported. */
static void test_serial__shortest_cycle(void **state)
{
    (void)state;
    struct history h;
    start(&h);
    uint32_t t[8];
    for (uint32_t i = 0; i < 8; i++)
        t[i] = begin(&h);
    for (uint32_t i = 0; i < 5; i++) /* i reads what i + 1 overwrites: a ring of five */
        rd(&h, t[i], X + 64 + 4 * i, 0);
    for (uint32_t i = 5; i < 8; i++) /* and one of three */
        rd(&h, t[i], X + 128 + 4 * i, 0);
    for (uint32_t i = 0; i < 5; i++)
        wr(&h, t[(i + 1) % 5], X + 64 + 4 * i, 9);
    for (uint32_t i = 5; i < 8; i++)
        wr(&h, t[i == 7 ? 5 : i + 1], X + 128 + 4 * i, 9);
    for (uint32_t i = 0; i < 5; i++)
        commit1(&h, t[(i + 1) % 5], X + 64 + 4 * i, 9);
    for (uint32_t i = 5; i < 8; i++)
        commit1(&h, t[i == 7 ? 5 : i + 1], X + 128 + 4 * i, 9);
    assert_int_equal(judge(&h), CW_ECHECK);
    assert_int_equal(h.report.cycle_length, 3);
    end(&h);
}

/* The commit is announced before the writes arrive, or after; a read gets the new value before the write is reported. */
static void test_serial__arrival_order(void **state)
{
    (void)state;
    struct history h;
    start(&h);
    uint32_t t1 = begin(&h), t2 = begin(&h);
    rd(&h, t2, Y, 0);
    commit1(&h, t1, X, 7);
    rd(&h, t1, X, 0);
    *at(&h, X) = 7;
    rd(&h, t2, X, 7);
    tell_word(&h, CW_EVENT_REGION_WRITE, t1, X, 7, 15);
    wr(&h, t2, Y, 8);
    commit1(&h, t2, Y, 8);
    assert_int_equal(judge(&h), CW_OK);
    end(&h);
}

static void test_serial__wrong_value(void **state)
{
    (void)state;
    struct history h;
    start(&h);
    uint32_t t1 = begin(&h), t2 = begin(&h);
    wr(&h, t1, X, 5);
    commit1(&h, t1, X, 5);
    rd(&h, t2, X, 6);
    commit0(&h, t2);
    assert_int_equal(judge(&h), CW_ECHECK);
    assert_int_equal(h.report.value_errors, 1);
    assert_int_equal(h.report.cycle_length, 0);
    end(&h);
}

static void test_serial__torn_read(void **state)
{
    (void)state;
    struct history h;
    start(&h);
    uint32_t t1 = begin(&h), t2 = begin(&h);
    rd(&h, t2, Y, 0);
    wr(&h, t1, X, 0x11112222);
    commit1(&h, t1, X, 0x11112222);
    rd(&h, t2, X, 0x00002222); /* half of it */
    commit0(&h, t2);
    assert_int_equal(judge(&h), CW_ECHECK);
    assert_int_equal(h.report.value_errors, 1);
    end(&h);
}

static void test_serial__missing_double_and_foreign_writes(void **state)
{
    (void)state;
    struct history h;
    start(&h);
    uint32_t t1 = begin(&h);
    commit1(&h, t1, X, 5);
    assert_int_equal(judge(&h), CW_ECHECK);
    assert_int_equal(h.report.lost_writes, 1);
    assert_non_null(strstr(h.report.text, "never reached memory"));
    t1 = begin(&h);
    wr(&h, t1, X, 5);
    wr(&h, t1, X, 5);
    commit1(&h, t1, X, 5);
    assert_int_equal(judge(&h), CW_ECHECK);
    assert_int_equal(h.report.lost_writes, 1);
    t1 = begin(&h);
    wr(&h, t1, X, 5);
    abort_tx(&h, t1);
    assert_int_equal(judge(&h), CW_ECHECK);
    assert_int_equal(h.report.lost_writes, 1);
    t1 = begin(&h);
    wr(&h, t1, X, 5);
    commit1(&h, t1, X, 6);
    assert_int_equal(judge(&h), CW_ECHECK);
    assert_int_equal(h.report.value_errors, 1);
    end(&h);
}

static void test_serial__final_memory(void **state)
{
    (void)state;
    struct history h;
    start(&h);
    uint32_t t1 = begin(&h);
    wr(&h, t1, X, 5);
    commit1(&h, t1, X, 5);
    *at(&h, X) = 4;
    assert_int_equal(judge(&h), CW_ECHECK);
    assert_int_equal(h.report.value_errors, 1);
    assert_non_null(strstr(h.report.text, "memory holds 0x00000004"));
    end(&h);
}

/* Bytes that nobody has seen before a partial write are not judged; those that were written are. */
static void test_serial__partial_words(void **state)
{
    (void)state;
    struct history h;
    start(&h);
    uint32_t t1 = begin(&h), t2 = begin(&h), t3 = begin(&h);
    *at(&h, X) = 0xaabbccdd;
    tell_word(&h, CW_EVENT_REGION_WRITE, t1, X, 0x0000cc00, 2);
    commit1(&h, t1, X, 0x0000cc00);
    rd(&h, t2, X, 0xaabbccdd);
    commit0(&h, t2);
    assert_int_equal(judge(&h), CW_OK);
    t1 = begin(&h);
    t3 = begin(&h);
    tell_word(&h, CW_EVENT_REGION_WRITE, t1, X, 0x0000cc00, 2);
    commit1(&h, t1, X, 0x0000cc00);
    rd(&h, t3, X, 0xaabb00dd);
    commit0(&h, t3);
    assert_int_equal(judge(&h), CW_ECHECK);
    assert_int_equal(h.report.value_errors, 1);
    end(&h);
}

/* A memory partition tells a read of a lane that has aborted meanwhile: ignored, whatever its value, in the instant of the abort too, and
 * in whichever order that instant's events come. A read from before the abort counts. */
static void test_serial__reads_of_aborted_attempts_are_ignored(void **state)
{
    (void)state;
    struct history h;
    start(&h);
    uint32_t t1 = begin(&h), t2 = begin(&h), t3 = begin(&h);
    rd(&h, t1, X, 0);
    wr(&h, t3, X, 7);
    wr(&h, t3, Y, 7);
    const uint64_t addr[] = {X, Y};
    const uint32_t value[] = {7, 7};
    commit(&h, t3, 2, addr, value);
    abort_tx(&h, t1);
    rd(&h, t1, Y, 7); /* with X = 0 that were a torn snapshot */
    tell_word(&h, CW_EVENT_REGION_VALIDATE, t1, Y, 7, 15);
    cw_time now = h.now;
    rd(&h, t2, X, 1234);
    h.now = now;
    abort_tx(&h, t2);
    h.now = now;
    rd(&h, t2, Y, 5678);
    assert_int_equal(judge(&h), CW_OK);
    assert_int_equal(h.report.late_reads, 4);
    assert_int_equal(h.report.aborted, 2);
    assert_int_equal(h.report.inconsistent_aborted, 0);
    assert_int_equal(h.report.stray_events, 0);
    t1 = begin(&h);
    rd(&h, t1, X, 1234);
    abort_tx(&h, t1);
    assert_int_equal(judge(&h), CW_OK);
    assert_int_equal(h.report.inconsistent_aborted, 1);
    assert_int_equal(h.report.late_reads, 0);
    end(&h);
}

/* Every type of event needs an attempt that has begun. */
static void test_serial__events_without_an_attempt(void **state)
{
    static const enum cw_event_type types[] = {CW_EVENT_REGION_READ, CW_EVENT_REGION_VALIDATE, CW_EVENT_REGION_WRITE,
                                               CW_EVENT_REGION_COMMIT, CW_EVENT_REGION_ABORT};
    (void)state;
    struct history h;
    start(&h);
    for (uint32_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        commit0(&h, begin(&h));
        struct cw_event e = event(&h, types[i], h.attempts);
        cw_events_tell(&h.events, &e);
        assert_int_equal(judge(&h), CW_ECHECK);
        assert_int_equal(h.report.stray_events, 1);
        assert_non_null(strstr(h.report.text, "(core 0 warp 1 lane 2), which has not begun"));
    }
    /* the launch is over, and with it its attempts */
    abort_tx(&h, 0);
    assert_int_equal(judge(&h), CW_ECHECK);
    assert_int_equal(judge(&h), CW_OK);
    end(&h);
}

/* The four parts of a name tell attempts apart; no name is used twice, and no attempt ends twice. */
static void test_serial__names(void **state)
{
    (void)state;
    struct history h;
    start(&h);
    for (uint32_t i = 0; i < 16; i++) {
        struct cw_event e = event(&h, CW_EVENT_REGION_BEGIN, (i & 1) != 0 ? UINT32_C(1) << 31 : 0);
        e.core = (i & 2) != 0 ? 128 : 0;
        e.warp = (i & 4) != 0 ? 512 : 0;
        e.lane = (i & 8) != 0 ? 32 : 0;
        cw_events_tell(&h.events, &e);
    }
    assert_int_equal(judge(&h), CW_OK);
    h.attempts = 9;
    begin(&h);
    h.attempts = 9;
    begin(&h);
    assert_int_equal(judge(&h), CW_ECHECK);
    assert_non_null(strstr(h.report.text, "begin of attempt 9 (core 0 warp 1 lane 2), which has begun before"));
    uint32_t t1 = begin(&h);
    commit0(&h, t1);
    abort_tx(&h, t1);
    commit0(&h, t1);
    assert_int_equal(judge(&h), CW_ECHECK);
    assert_int_equal(h.report.stray_events, 2);
    assert_non_null(strstr(h.report.text, "abort of attempt 10 (core 0 warp 1 lane 2), which has ended before"));
    assert_int_equal(h.report.committed, 1);
    end(&h);
}

/* Value-based validation moves a transaction's reads to the time of the validation. */
static void test_serial__validation(void **state)
{
    (void)state;
    for (uint32_t validated = 0; validated < 2; validated++) {
        struct history h;
        start(&h);
        uint32_t t1 = begin(&h), t2 = begin(&h), t3 = begin(&h);
        rd(&h, t1, X, 0);
        wr(&h, t2, X, 1); /* the value goes ... */
        wr(&h, t2, Y, 1);
        const uint64_t addr[] = {X, Y};
        const uint32_t value[] = {1, 1};
        commit(&h, t2, 2, addr, value);
        wr(&h, t3, X, 0); /* ... and comes back */
        commit1(&h, t3, X, 0);
        rd(&h, t1, Y, 1);
        if (validated)
            tell_word(&h, CW_EVENT_REGION_VALIDATE, t1, X, 0, 15);
        commit0(&h, t1);
        assert_int_equal(judge(&h), validated ? CW_OK : CW_ECHECK);
        assert_int_equal(h.report.cycle_length, validated ? 0 : 2);
        end(&h);
    }
}

/* 100,000 transactions on 1,000 words, one after the other: serializable, and judged fast. Then one more, which reads before all of them
 * and writes after them: found, although most of them lie on cycles with it. */
static void test_serial__large_history(void **state)
{
    (void)state;
    struct history h;
    struct cw_rng rng;
    start(&h);
    cw_rng_seed(&rng, cw_test_seed(3));
    for (uint32_t round = 0; round < 2; round++) {
        uint32_t early = begin(&h);
        if (round == 1)
            for (uint32_t i = 0; i < 2; i++)
                rd(&h, early, X + 4 * i, *at(&h, X + 4 * i));
        for (uint32_t i = 0; i < 100000; i++) {
            uint64_t a = X + 4 * cw_rng_below(&rng, 1000), b = X + 4 * cw_rng_below(&rng, 1000);
            uint32_t t = begin(&h), va = *at(&h, a), vb = *at(&h, b);
            rd(&h, t, a, va);
            rd(&h, t, b, vb);
            wr(&h, t, a, va + vb + 1);
            commit1(&h, t, a, va + vb + 1);
        }
        if (round == 1)
            wr(&h, early, X, 1);
        if (round == 1)
            commit1(&h, early, X, 1);
        else
            commit0(&h, early);
        clock_t from = clock();
        int status = judge(&h);
        clock_t to = clock();
        assert_int_equal(status, round == 0 ? CW_OK : CW_ECHECK);
        assert_int_equal(h.report.committed, 100001);
        print_message("judged in %.3f s\n", (double)(to - from) / CLOCKS_PER_SEC);
        assert_true(to - from < 5 * CLOCKS_PER_SEC);
        assert_int_equal(h.report.cycle_length >= 2, round == 1);
    }
    end(&h);
}

/* Regions that begin from now on see what has been written. */
static void snapshot(struct history *h)
{
    struct cw_event e = event(h, CW_EVENT_SNAPSHOT, 0);
    cw_events_tell(&h->events, &e);
}

/* A read belongs to the newest version of the attempt's begin, whatever memory holds by then. */
static void test_serial__snapshots(void **state)
{
    (void)state;
    struct history h;
    start(&h);
    snapshot(&h);
    const uint32_t t1 = begin(&h), t2 = begin(&h);
    rd(&h, t1, Y, 0);
    wr(&h, t2, X, 1);
    commit1(&h, t2, X, 1);
    snapshot(&h);
    rd(&h, t1, X, 0); /* of its snapshot */
    commit0(&h, t1);
    const uint32_t t3 = begin(&h);
    rd(&h, t3, X, 1);
    wr(&h, t3, X, 2);
    commit1(&h, t3, X, 2);
    assert_int_equal(judge(&h), CW_OK);
    assert_int_equal(h.report.reads, 3);
    end(&h);
}

/* Memory's newest version is the wrong one for who began before it, and an old one for who began after it. */
static void test_serial__reads_beside_the_snapshot(void **state)
{
    (void)state;
    for (uint32_t late = 0; late < 2; late++) {
        struct history h;
        start(&h);
        snapshot(&h);
        const uint32_t t1 = begin(&h), t2 = begin(&h);
        rd(&h, t1, X, 0); /* says what the first version was */
        wr(&h, t2, X, 1);
        commit1(&h, t2, X, 1);
        snapshot(&h);
        const uint32_t t3 = late ? begin(&h) : t1;
        rd(&h, t3, X, late ? 0 : 1);
        commit0(&h, t1);
        if (late)
            commit0(&h, t3);
        assert_int_equal(judge(&h), CW_ECHECK);
        assert_int_equal(h.report.value_errors, 1);
        end(&h);
    }
}

/* Two that read each other's words in one snapshot, and one that commits in a later one, are in a circle. */
static void test_serial__write_skew_of_snapshots(void **state)
{
    (void)state;
    for (uint32_t apart = 0; apart < 2; apart++) {
        struct history h;
        start(&h);
        snapshot(&h);
        const uint32_t t1 = begin(&h), t2 = begin(&h);
        rd(&h, t1, X, 0);
        rd(&h, t2, Y, 0);
        wr(&h, t1, Y, 1);
        commit1(&h, t1, Y, 1);
        if (apart)
            snapshot(&h);
        wr(&h, t2, X, 1);
        commit1(&h, t2, X, 1);
        snapshot(&h);
        assert_int_equal(judge(&h), CW_ECHECK);
        assert_int_equal(h.report.cycle_length, 2);
        end(&h);
    }
}

/* t1 has read what t2 overwrites, so it stands before t2, and commits after it. Between the two commits there is a snapshot, whole, which
 * t2 has changed and t1 has not: no order explains it. Who has one word of it and one of the next snapshot has no snapshot at all. */
static void test_serial__aborted_between_commits(void **state)
{
    (void)state;
    for (uint32_t torn = 0; torn < 2; torn++) {
        struct history h;
        start(&h);
        snapshot(&h);
        const uint32_t t1 = begin(&h), t2 = begin(&h);
        rd(&h, t1, X, 0);
        rd(&h, t1, Y, 0);
        wr(&h, t2, Y, 1);
        commit1(&h, t2, Y, 1);
        snapshot(&h);
        const uint32_t t3 = begin(&h);
        rd(&h, t3, Y, 1);
        wr(&h, t1, X, 1);
        commit1(&h, t1, X, 1);
        snapshot(&h);
        rd(&h, t3, X, torn);
        abort_tx(&h, t3);
        assert_int_equal(judge(&h), CW_OK);
        assert_int_equal(h.report.inconsistent_aborted, torn);
        assert_int_equal(h.report.unordered_aborted, 1 - torn);
        end(&h);
    }
}

static void by_program(struct history *h, enum cw_event_type type, uint32_t tx, uint64_t addr, uint32_t value, uint32_t bytes,
                       uint32_t stamp)
{
    struct cw_event e = event(h, type, tx);
    e.u.word.addr = addr;
    e.u.word.value = value;
    e.u.word.bytes = bytes;
    e.u.word.stamp = stamp;
    cw_events_tell(&h->events, &e);
}

static void stores(struct history *h, uint32_t tx, uint64_t addr, uint32_t value, uint32_t stamp)
{
    by_program(h, CW_EVENT_REGION_ISSUE, tx, addr, value, 15, stamp);
}

static void loads(struct history *h, uint32_t tx, uint64_t addr, uint32_t value, uint32_t stamp)
{
    by_program(h, CW_EVENT_REGION_LOAD, tx, addr, value, 15, stamp);
}

static void says(struct history *h, const char *text)
{
    assert_int_equal(judge(h), CW_ECHECK);
    if (strstr(h->report.text, text) == NULL)
        fail_msg("'%s' in '%s'", text, h->report.text);
    end(h);
}

/* What the protocol says of an attempt has to be what the attempt's instructions do. */
static void test_serial__the_program_and_the_protocol(void **state)
{
    static const uint64_t both[] = {X, Y};
    (void)state;
    static struct history h;
    start(&h); /* its own store, one of two bytes of it, and what memory has */
    uint32_t t = begin(&h);
    rd(&h, t, X, 0);
    loads(&h, t, X, 0, 1);
    stores(&h, t, X, 7, 2);
    by_program(&h, CW_EVENT_REGION_ISSUE, t, Y, 0x500, 2, 3);
    rd(&h, t, Y, 0);
    loads(&h, t, Y, 0x500, 4);
    loads(&h, t, X, 7, 5);
    commit(&h, t, 2, both, (const uint32_t[]){7, 0x500});
    wr(&h, t, X, 7);
    wr(&h, t, Y, 0x500);
    assert_int_equal(judge(&h), CW_OK);
    end(&h);
    start(&h);
    t = begin(&h);
    stores(&h, t, X, 7, 1);
    rd(&h, t, X, 0);
    loads(&h, t, X, 0, 2);
    says(&h, "loads 0x00000000 from 0x100000000, where it has stored 0x00000007");
    start(&h); /* a load that was issued before the store may find what was there, and nothing else */
    t = begin(&h);
    rd(&h, t, X, 0);
    stores(&h, t, X, 7, 2);
    loads(&h, t, X, 0, 1);
    commit1(&h, t, X, 7);
    wr(&h, t, X, 7);
    assert_int_equal(judge(&h), CW_OK);
    end(&h);
    start(&h);
    t = begin(&h);
    rd(&h, t, X, 0);
    loads(&h, t, X, 3, 1);
    says(&h, "loads 0x00000003 from 0x100000000, which it has not read from memory");
    start(&h);
    t = begin(&h);
    stores(&h, t, X, 7, 1);
    stores(&h, t, Y, 8, 2);
    commit1(&h, t, X, 7);
    wr(&h, t, X, 7);
    says(&h, "commits 1 of the 2 words that it has stored");
    start(&h);
    t = begin(&h);
    stores(&h, t, X, 7, 1);
    stores(&h, t, X, 9, 2);
    commit1(&h, t, X, 7);
    wr(&h, t, X, 7);
    says(&h, "commits 0x00000007 to 0x100000000, where it has stored 0x00000009");
    start(&h);
    t = begin(&h);
    stores(&h, t, X, 7, 1);
    commit(&h, t, 2, both, (const uint32_t[]){7, 8});
    wr(&h, t, X, 7);
    wr(&h, t, Y, 8);
    says(&h, "commits 0x00000008 to 0x100000004, where it has stored nothing");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_serial__snapshots),
    cmocka_unit_test(test_serial__reads_beside_the_snapshot),
    cmocka_unit_test(test_serial__write_skew_of_snapshots),
    cmocka_unit_test(test_serial__aborted_between_commits),
    cmocka_unit_test(test_serial__serial_history),
    cmocka_unit_test(test_serial__interleaved_but_serializable),
    cmocka_unit_test(test_serial__lost_update),
    cmocka_unit_test(test_serial__write_skew),
    cmocka_unit_test(test_serial__fractured_read),
    cmocka_unit_test(test_serial__opacity_is_counted),
    cmocka_unit_test(test_serial__shortest_cycle),
    cmocka_unit_test(test_serial__arrival_order),
    cmocka_unit_test(test_serial__wrong_value),
    cmocka_unit_test(test_serial__torn_read),
    cmocka_unit_test(test_serial__missing_double_and_foreign_writes),
    cmocka_unit_test(test_serial__final_memory),
    cmocka_unit_test(test_serial__partial_words),
    cmocka_unit_test(test_serial__reads_of_aborted_attempts_are_ignored),
    cmocka_unit_test(test_serial__events_without_an_attempt),
    cmocka_unit_test(test_serial__names),
    cmocka_unit_test(test_serial__validation),
    cmocka_unit_test(test_serial__the_program_and_the_protocol),
    cmocka_unit_test(test_serial__large_history),
};

CW_TEST_MAIN(tests)
