/* SPDX-License-Identifier: Apache-2.0 */
/* The ownership table's adapter: lanes and addresses reach the ports, and a table that may not use the banks stands still. */
#include "adapt/ownership_table.h"

#include <string.h>

#include "cw_test.h"

#define BASE (UINT64_C(0x100000000) + 960)

struct banks {
    bool refuse;
    uint32_t asked, taken;
    cw_time now;
};

static bool take(void *context, cw_time now)
{
    struct banks *b = context;
    b->now = now;
    b->asked++;
    b->taken += !b->refuse;
    return !b->refuse;
}

/* Clocks until the op is taken, or, without one, the table is cleared, or the resolution is over. Returns the cycles. */
static uint32_t run(struct cw_adapt_ownership_table *t, const struct cw_adapt_ownership_table_op *op, cw_time *now,
                    struct cw_adapt_ownership_table_answer *a)
{
    uint32_t cycles = 0;
    do {
        *a = cw_adapt_ownership_table_clock(t, op, ++*now);
        assert_true(++cycles < 1000);
    } while (!a->over && !(op != NULL ? a->taken : a->cleared));
    return cycles;
}

/* Lane 0 and 2 write the word at offset 64 of the base, lane 1 reads it, lane 31 writes another word. Lane 3 writes a byte whose entry is
 * that of offset 64 (1071 + 17 = 1024 + 64), which it would not be were the base not 0 for the unit. */
static void test_adapt_ownership_table__resolution(void **state)
{
    (void)state;
    struct banks b = {0};
    struct cw_adapt_ownership_table *t;
    struct cw_adapt_ownership_table_answer a;
    const struct cw_adapt_ownership_table_banks banks = {.take = take, .context = &b};
    uint64_t addr[32] = {[0] = BASE + 64, [1] = BASE + 64, [2] = BASE + 64, [3] = BASE + 1071, [31] = BASE + 128};
    const struct cw_adapt_ownership_table_op start = {.start = true, .lanes = 0x8000000f},
                                             mark = {.kind = CW_OWNERSHIP_MARK, .lanes = 0x8000000d, .addr = addr},
                                             read = {.kind = CW_OWNERSHIP_CHECK_READ, .lanes = 2, .addr = addr},
                                             write = {.kind = CW_OWNERSHIP_CHECK_WRITE, .lanes = 0x8000000d, .addr = addr},
                                             finish = {.kind = CW_OWNERSHIP_END};
    cw_time now = 0;
    assert_int_equal(cw_adapt_ownership_table_create(&t, cw_unit_provider_c(), "t", 1024, BASE, &banks, NULL), CW_OK);
    assert_int_equal(run(t, &start, &now, &a), 1);
    assert_int_equal(b.asked, 0);
    assert_int_equal(run(t, NULL, &now, &a), 1024 / 128 + 1); /* 32 banks of four entries, and the cycle that sees it done */
    assert_int_equal(b.taken, 1024 / 128);
    run(t, &mark, &now, &a);
    b.refuse = true;
    b.asked = 0;
    while (b.asked == 0) {
        cw_adapt_ownership_table_clock(t, NULL, ++now);
        assert_true(now < 1000);
    }
    for (uint32_t i = 0; i < 20; i++)
        assert_false(cw_adapt_ownership_table_clock(t, &read, ++now).taken);
    assert_int_equal(b.asked, 21); /* the MARK's read, again and again */
    assert_int_equal(b.now, now);
    b.refuse = false;
    run(t, &read, &now, &a);
    run(t, &write, &now, &a);
    do {
        a = cw_adapt_ownership_table_clock(t, &finish, ++now);
        assert_true(now < 1000);
    } while (!a.over);
    assert_int_equal(a.lanes, 0x80000001);
    cw_adapt_ownership_table_destroy(t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_adapt_ownership_table__resolution),
};

CW_TEST_MAIN(tests)
