/* SPDX-License-Identifier: Apache-2.0 */
/* Serialised transactions: right whatever the conflicts, one at a time, never an abort. */
#include "tm_machine.h"

#include "base/rng.h"

static void test_tm_serialised__counters(void **state)
{
    (void)state;
    static struct machine m[2];
    for (uint32_t k = 0; k < 2; k++) {
        m_default_config(&m[k].config);
        m[k].reverse = k == 1;
        assert_int_equal(m_create(&m[k], "serial", false, NULL), CW_OK);
        /* every lane adds 1 to a shared word and to a 64-bit word of its warp, and reads the first back */
        struct m_tx tx[2][4];
        for (uint32_t c = 0; c < 2; c++)
            for (uint32_t w = 0; w < 4; w++) {
                uint64_t own = M_BASE + 1024 + 64 * (4 * c + w);
                tx[c][w] = (struct m_tx){.lanes = c == 0 ? UINT32_MAX : 0xf0f,
                                         .op_cnt = 5,
                                         .op = {m_access(false, 4, 1, 0, 0, M_BASE, 0), m_access(true, 4, 1, 0, 1, M_BASE, 0),
                                                m_access(false, 4, 1, 1, 0, M_BASE, 0), m_access(false, 8, 1, 2, 0, own, 0),
                                                m_access(true, 8, 1, 2, 1, own, 0)}};
                m_script(&m[k], c, w, &tx[c][w], 1, 99);
            }
        assert_true(m_run_all(&m[k], 200000));
        assert_int_equal(m_peek(&m[k], M_BASE), 4 * 32 + 4 * 8);
        assert_int_equal(m_peek(&m[k], M_BASE + 1024), 32);
        assert_int_equal(m_peek(&m[k], M_BASE + 1024 + 64 * 7), 8);
        assert_int_equal(m[k].core[0].warp[0].reg[1][3], m[k].core[0].warp[0].reg[0][3] + 1); /* its own store */
        struct cw_serial_report report;
        assert_int_equal(cw_serial_check(m[k].serial, &report, NULL), CW_OK);
        assert_int_equal(report.committed, 4 * 32 + 4 * 8);
        assert_int_equal(report.aborted, 0);
        assert_int_equal(cw_tm_counters_of(&m[k].stats)->tx_aborted, 0);
        assert_int_equal(cw_tm_counters_of(&m[k].stats)->tx_committed, cw_tm_counters_of(&m[k].stats)->tx_begun);
    }
    assert_int_equal(m[0].now, m[1].now);
    assert_memory_equal(&m[0].stats, &m[1].stats, sizeof m[0].stats);
    m_destroy(&m[0]);
    m_destroy(&m[1]);
}

/* Cycles of one transaction: a load, if wanted, and stores. */
static cw_time time_of(bool load, uint32_t stores)
{
    static struct machine m;
    memset(&m, 0, sizeof m);
    m_default_config(&m.config);
    assert_int_equal(m_create(&m, "serial", false, NULL), CW_OK);
    struct m_tx tx = {.lanes = 1, .op_cnt = load + stores, .op[0] = m_access(false, 4, 1, 1, 0, M_BASE, 0)};
    for (uint32_t i = 0; i < stores; i++)
        tx.op[load + i] = m_access(true, 4, 1, 0, 7 + i, M_BASE + 256 * i, 0);
    m_script(&m, 0, 0, &tx, 1, 99);
    assert_true(m_run_all(&m, 10000));
    for (uint32_t i = 0; i < stores; i++)
        assert_int_equal(m_peek(&m, M_BASE + 256 * i), 7 + i);
    cw_time now = m.now;
    m_destroy(&m);
    return now;
}

/* All stores of a transaction share one round trip, and a store waits for the load before it. Times are multiples of 16 cycles. */
static void test_tm_serialised__stores_overlap(void **state)
{
    (void)state;
    const cw_time there_and_back = 2 * M_NET + M_ROP;
    cw_time one = time_of(false, 1);
    assert_true(time_of(false, 6) - one < there_and_back);
    assert_in_range(time_of(true, 1) - one, there_and_back - 16, there_and_back + 16);
}

static void test_tm_serialised__refuses_sabotage(void **state)
{
    (void)state;
    static struct machine m;
    m_default_config(&m.config);
    assert_int_equal(m_create(&m, "serial", false, "skip-owner-check"), CW_EINVAL);
    m_destroy(&m);
}

/* Two warps of two cores read a word and add 1, both with the token: one addition is lost, and the oracle says so. */
static void test_tm_serialised__shared_token_loses_an_update(void **state)
{
    (void)state;
    static struct machine m;
    m_default_config(&m.config);
    assert_int_equal(m_create(&m, "serial", false, "share-token"), CW_OK);
    const struct m_tx tx = {.lanes = 1, .op_cnt = 2, .op = {m_access(false, 4, 1, 0, 0, M_BASE, 0), m_access(true, 4, 1, 0, 1, M_BASE, 0)}};
    m_script(&m, 0, 0, &tx, 1, 99);
    m_script(&m, 1, 0, &tx, 1, 99);
    assert_true(m_run_all(&m, 10000));
    assert_int_equal(m_peek(&m, M_BASE), 1);
    struct cw_serial_report report;
    assert_int_equal(cw_serial_check(m.serial, &report, NULL), CW_ECHECK);
    assert_int_equal(report.cycle_length, 2);
    assert_int_equal(report.stray_events, 0);
    m_destroy(&m);
}

/* A word counts as read, and is told to the oracle, unless the transaction has written it before; it counts as written once. Two
 * transactions. */
static void test_tm_serialised__words_are_counted_once(void **state)
{
    (void)state;
    static struct machine m;
    m_default_config(&m.config);
    assert_int_equal(m_create(&m, "serial", false, NULL), CW_OK);
    m_poke(&m, M_BASE + 4, 0xaabbccdd);
    const struct m_tx tx = {.lanes = 1,
                            .op_cnt = 5,
                            .op = {m_access(false, 4, 1, 0, 0, M_BASE, 0), m_access(true, 4, 1, 0, 1, M_BASE, 0),
                                   m_access(true, 4, 1, 0, 2, M_BASE, 0), m_access(false, 8, 1, 1, 0, M_BASE, 0),
                                   m_access(true, 1, 1, 0, 0x77, M_BASE + 5, 0)}};
    const struct m_tx twice[] = {tx, tx};
    m_script(&m, 0, 0, twice, 2, 99);
    assert_true(m_run_all(&m, 10000));
    assert_int_equal(cw_tm_counters_of(&m.stats)->tx_read_words, 4); /* the first word, and of the load of 8 bytes the second one */
    assert_int_equal(cw_tm_counters_of(&m.stats)->tx_write_words, 4);
    assert_int_equal(m_peek(&m, M_BASE), 4);
    assert_int_equal(m_peek(&m, M_BASE + 4), 0xaabb79dd);
    struct cw_serial_report report;
    assert_int_equal(cw_serial_check(m.serial, &report, NULL), CW_OK);
    assert_int_equal(report.reads, 4);
    assert_int_equal(report.writes, 4);
    m_destroy(&m);
}

static void test_tm_serialised__systems_are_found_by_name(void **state)
{
    (void)state;
    assert_string_equal(cw_mech_find("getm")->name, "getm");
    assert_string_equal(cw_mech_find("serial")->name, "serial");
    assert_null(cw_mech_find("gtem"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_tm_serialised__counters),
    cmocka_unit_test(test_tm_serialised__stores_overlap),
    cmocka_unit_test(test_tm_serialised__refuses_sabotage),
    cmocka_unit_test(test_tm_serialised__shared_token_loses_an_update),
    cmocka_unit_test(test_tm_serialised__words_are_counted_once),
    cmocka_unit_test(test_tm_serialised__systems_are_found_by_name),
};

CW_TEST_MAIN(tests)
