/* SPDX-License-Identifier: Apache-2.0 */
/* The serializability oracle on histories written by hand; each expectation is the textbook's. */
#include "check/serial.h"

#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "cw_test.h"
#include "mem/device_memory_private.h"
#include "ptx/uop.h"

#define X CW_GLOBAL_BASE
#define Y (CW_GLOBAL_BASE + 4)
#define Z (CW_GLOBAL_BASE + 8)

struct history {
    struct cw_memory *memory;
    struct cw_serial *serial;
    struct cw_tm_observer *o;
    struct cw_serial_report report;
    struct cw_error err;
    cw_time now;
};

static void start(struct history *h)
{
    uint64_t base;
    memset(h, 0, sizeof *h);
    assert_int_equal(cw_memory_create(&h->memory, 1 << 20, &h->err), CW_OK);
    assert_int_equal(cw_memory_alloc(h->memory, &base, 1 << 20, CW_REGION_GLOBAL, &h->err), CW_OK);
    assert_true(base == X);
    assert_int_equal(cw_serial_create(&h->serial, h->memory, &h->err), CW_OK);
    h->o = cw_serial_observer(h->serial);
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
    cw_memory_destroy(h->memory);
}

static uint64_t begin(struct history *h)
{
    return h->o->begin(h->o->self, 0, 1, 2, h->now++);
}

static void rd(struct history *h, uint64_t tx, uint64_t addr, uint32_t value)
{
    h->o->read(h->o->self, tx, addr, value, h->now++);
}

/* Memory takes the write, then it is reported. */
static void wr(struct history *h, uint64_t tx, uint64_t addr, uint32_t value)
{
    memcpy(cw_memory__at(h->memory, addr), &value, sizeof value);
    h->o->write(h->o->self, tx, addr, value, 15, h->now++);
}

static void commit1(struct history *h, uint64_t tx, uint64_t addr, uint32_t value)
{
    h->o->commit(h->o->self, tx, 1, &addr, &value, h->now++);
}

static void commit0(struct history *h, uint64_t tx)
{
    h->o->commit(h->o->self, tx, 0, NULL, NULL, h->now++);
}

static void test_serial__serial_history(void **state)
{
    (void)state;
    struct history h;
    start(&h);
    for (uint32_t i = 0; i < 10; i++) {
        uint64_t t = begin(&h);
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
    uint64_t t1 = begin(&h), t2 = begin(&h);
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
    uint64_t t1 = begin(&h), t2 = begin(&h);
    rd(&h, t1, X, 0);
    rd(&h, t2, X, 0);
    wr(&h, t1, X, 1);
    wr(&h, t2, X, 1);
    commit1(&h, t1, X, 1);
    commit1(&h, t2, X, 1);
    assert_int_equal(judge(&h), CW_ECHECK);
    assert_int_equal(h.report.cycle_length, 2);
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
    uint64_t t1 = begin(&h), t2 = begin(&h);
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
    uint64_t t1 = begin(&h), t2 = begin(&h);
    wr(&h, t1, X, 1);
    rd(&h, t2, X, 1);
    rd(&h, t2, Y, 0);
    wr(&h, t1, Y, 1);
    h.o->commit(h.o->self, t1, 2, addr, value, h.now);
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
    uint64_t t1 = begin(&h), t2 = begin(&h), t3 = begin(&h);
    rd(&h, t3, X, 0);
    rd(&h, t3, Y, 0);
    wr(&h, t1, X, 1);
    rd(&h, t2, X, 1);
    rd(&h, t2, Y, 0);
    wr(&h, t1, Y, 1);
    h.o->commit(h.o->self, t1, 2, addr, value, h.now);
    h.o->abort(h.o->self, t2, h.now);
    h.o->abort(h.o->self, t3, h.now);
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
    uint64_t t[8];
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
    uint64_t t1 = begin(&h), t2 = begin(&h);
    rd(&h, t2, Y, 0);
    commit1(&h, t1, X, 7);
    uint32_t seven = 7;
    rd(&h, t1, X, 0);
    memcpy(cw_memory__at(h.memory, X), &seven, 4);
    rd(&h, t2, X, 7);
    h.o->write(h.o->self, t1, X, 7, 15, h.now);
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
    uint64_t t1 = begin(&h), t2 = begin(&h);
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
    uint64_t t1 = begin(&h), t2 = begin(&h);
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
    uint64_t t1 = begin(&h);
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
    h.o->abort(h.o->self, t1, h.now);
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
    uint64_t t1 = begin(&h);
    wr(&h, t1, X, 5);
    commit1(&h, t1, X, 5);
    *cw_memory__at(h.memory, X) = 4;
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
    uint32_t whole = 0xaabbccdd;
    start(&h);
    uint64_t t1 = begin(&h), t2 = begin(&h), t3 = begin(&h);
    memcpy(cw_memory__at(h.memory, X), &whole, 4);
    h.o->write(h.o->self, t1, X, 0x0000cc00, 2, h.now);
    commit1(&h, t1, X, 0x0000cc00);
    rd(&h, t2, X, 0xaabbccdd);
    commit0(&h, t2);
    assert_int_equal(judge(&h), CW_OK);
    t1 = begin(&h);
    t3 = begin(&h);
    h.o->write(h.o->self, t1, X, 0x0000cc00, 2, h.now);
    commit1(&h, t1, X, 0x0000cc00);
    rd(&h, t3, X, 0xaabb00dd);
    commit0(&h, t3);
    assert_int_equal(judge(&h), CW_ECHECK);
    assert_int_equal(h.report.value_errors, 1);
    end(&h);
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
        uint64_t early = begin(&h);
        if (round == 1)
            for (uint32_t i = 0; i < 2; i++) {
                uint32_t value;
                memcpy(&value, cw_memory__at(h.memory, X + 4 * i), 4);
                rd(&h, early, X + 4 * i, value);
            }
        for (uint32_t i = 0; i < 100000; i++) {
            uint64_t t = begin(&h), a = X + 4 * cw_rng_below(&rng, 1000), b = X + 4 * cw_rng_below(&rng, 1000);
            uint32_t va, vb;
            memcpy(&va, cw_memory__at(h.memory, a), 4);
            memcpy(&vb, cw_memory__at(h.memory, b), 4);
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

static const struct CMUnitTest tests[] = {
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
    cmocka_unit_test(test_serial__large_history),
};

CW_TEST_MAIN(tests)
