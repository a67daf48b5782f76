/* SPDX-License-Identifier: Apache-2.0 */
/* The Kilo TM family from access to commit, with scripted warps around it (tm_machine.h). */
#include "tm_machine.h"

#include "base/rng.h"
#include "mech/kilo/core/core_half.h"
#include "mech/kilo/unit/hazard.h"

#define GO 99 /* no step waits */
#define A  M_BASE
#define B  (M_BASE + 256) /* the other partition */

static void make(struct machine *m, const char *system)
{
    memset(m, 0, sizeof *m);
    m_default_config(&m->config);
    tm_keys(&m->config)->tm_backoff_cycles = 0;
    if (m_create(m, system, false, NULL) != CW_OK)
        fail_msg("%s", m->fault);
}

static bool serializable(struct machine *m)
{
    struct cw_serial_report report;
    struct cw_error err;
    return cw_serial_check(m->serial, &report, &err) == CW_OK;
}

static struct m_tx add_to(uint64_t addr, int64_t amount)
{
    return (struct m_tx){.lanes = 1, .op_cnt = 2, .op = {m_access(false, 4, 1, 0, 0, addr, 0), m_access(true, 4, 1, 0, amount, addr, 0)}};
}

/* lane 0 writes the value: registers begin at 0 */
static struct m_tx put(uint64_t addr, int64_t value)
{
    return (struct m_tx){.lanes = 1, .op_cnt = 1, .op = {m_access(true, 4, 1, 7, value, addr, 0)}};
}

/* Ideal TM hides its overheads, not the program's own traffic: a store's bytes travel when it is executed, one sector per line. What they
 * change, the commit decides. */
static void test_kilo_protocol__ideal_store_travels(void **state)
{
    static const char *const systems[] = {"ideal", "kilotm"};
    static struct machine m;
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        make(&m, systems[i]);
        const struct m_tx tx = put(A, 5);
        m_poke(&m, A, 100);
        m_script(&m, 0, 0, &tx, 1, 1); /* stores, and waits */
        m_run(&m, 300);
        assert_int_equal(m.core[0].sent[CW_MSG_WRITE], i == 0);
        assert_int_equal(m.core[0].sent_bytes, i == 0 ? m.config.noc_header_bytes + CW_SECTOR_BYTES : 0);
        assert_int_equal(m_peek(&m, A), 100);
        m.core[0].warp[0].limit = GO;
        assert_true(m_run_all(&m, 20000));
        assert_int_equal(m_peek(&m, A), 5);
        m_destroy(&m);
    }
}

/* Two warps that have both read a word before either commits: one of them aborts, once, and both additions count. */
static void test_kilo_protocol__conflict(void **state)
{
    static const char *const systems[] = {"kilotm", "warptm", "eapg", "warptm-el", "ideal"};
    static struct machine m;
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        make(&m, systems[i]);
        const struct m_tx first = add_to(A, 5), second = add_to(A, 9);
        m_poke(&m, A, 100);
        m_script(&m, 0, 0, &first, 1, 1); /* both read, and wait */
        m_script(&m, 1, 0, &second, 1, 1);
        m_run(&m, 300);
        m.core[0].warp[0].limit = m.core[1].warp[0].limit = GO;
        assert_true(m_run_all(&m, 20000));
        assert_int_equal(m_peek(&m, A), 114);
        assert_int_equal(cw_tm_counters_of(&m.stats)->tx_committed, 2);
        assert_int_equal(cw_tm_counters_of(&m.stats)->tx_aborted, 1);
        assert_true(serializable(&m));
        m_destroy(&m);
    }
}

/* Both transactions are in the second partition, so its commit unit refuses the loser, by name. */
static void test_kilo_protocol__decisions_are_told(void **state)
{
    static struct machine m;
    struct m_decisions decisions;
    (void)state;
    make(&m, "kilotm");
    m_note_decisions(&m, &decisions);
    const struct m_tx first = add_to(B, 5), second = add_to(B, 9);
    m_script(&m, 0, 0, &first, 1, 1); /* both read, and wait */
    m_script(&m, 1, 0, &second, 1, 1);
    m_run(&m, 300);
    m.core[0].warp[0].limit = m.core[1].warp[0].limit = GO;
    assert_true(m_run_all(&m, 20000));
    const uint32_t loser = m.core[1].warp[0].attempts > m.core[0].warp[0].attempts;
    assert_int_equal(decisions.granted[1], 2); /* who won, and the loser's second attempt */
    assert_int_equal(decisions.refused, 1);
    assert_string_equal(decisions.refusal.u.decision.unit, "commit_unit");
    assert_int_equal(decisions.refusal.u.decision.index, 1);
    assert_int_equal(decisions.refusal.core, loser);
    assert_int_equal(decisions.refusal.warp, 0);
    m_destroy(&m);
}

/* Fung 2015, 5.1: between a transaction's read and its validation the word changes and changes back. It may commit. Idealised detection, by
 * address, aborts it. */
static void test_kilo_protocol__aba(void **state)
{
    static const char *const systems[] = {"kilotm", "warptm", "ideal"};
    static struct machine m;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        make(&m, systems[i]);
        struct m_tx copy = add_to(A, 1);
        for (uint32_t lane = 0; lane < CW_LANES; lane++)
            copy.op[1].addr[lane] = B; /* B = A + 1 */
        const struct m_tx change[2] = {put(A, 55), put(A, 100)};
        m_poke(&m, A, 100);
        m_script(&m, 0, 0, &copy, 1, 1);
        m_run(&m, 300);
        m_script(&m, 1, 0, change, 2, GO);
        m_run(&m, 3000);
        assert_int_equal(cw_tm_counters_of(&m.stats)->tx_committed, 2);
        m.core[0].warp[0].limit = GO;
        assert_true(m_run_all(&m, 20000));
        assert_int_equal(m_peek(&m, B), 101);
        assert_int_equal(cw_tm_counters_of(&m.stats)->tx_aborted, strcmp(systems[i], "ideal") == 0);
        assert_true(serializable(&m));
        m_destroy(&m);
    }
}

/*
 * A commit that stays half done: a transaction of core 0 has entries in B's partition, and the network holds back its decision. The writer
 * of core 1, which comes later, writes A at once, and B only when that decision is there. Meanwhile core 2 reads A and B. Returns whether
 * what committed is serializable.
 */
static bool half_commit(struct machine *m, enum cw_kilo_tcd mode)
{
    const struct m_tx first = put(B + 512, 1);
    const struct m_tx writer = {.lanes = 1, .op_cnt = 2, .op = {m_access(true, 4, 1, 7, 1, A, 0), m_access(true, 4, 1, 7, 1, B, 0)}};
    const struct m_tx reader = {.lanes = 1, .op_cnt = 2, .op = {m_access(false, 4, 1, 0, 0, A, 0), m_access(false, 4, 1, 1, 0, B, 0)}};
    memset(m, 0, sizeof *m);
    m_default_config(&m->config);
    m->config.core_count = 3;
    kilo_keys(&m->config)->tcd_mode = mode;
    assert_int_equal(m_create(m, "warptm", false, NULL), CW_OK);
    m_script(m, 0, 0, &first, 1, GO);
    const struct cw_kilo_core *c = m->core[0].tm;
    while ((c->half.warp->phase != CW_KILO_ANSWER || c->half.access.warp->messages > 0) && m->now < 2000)
        m_run(m, 1);
    m->core[0].refuse = true;
    m_script(m, 1, 0, &writer, 1, GO);
    m_run(m, 600);
    assert_int_equal(m_peek(m, A), 1);
    assert_int_equal(m_peek(m, B), 0);
    m_script(m, 2, 0, &reader, 1, GO);
    m_run(m, 600);
    m->core[0].refuse = false;
    assert_true(m_run_all(m, 40000));
    return serializable(m);
}

/* Fung 2015, 6.4: the snapshot may lie in the middle of a commit. As published, temporal conflict detection lets that through; with writes
 * to come held back, the transaction goes to the commit units. */
static void test_kilo_protocol__temporal_detection_hole(void **state)
{
    static struct machine m;
    (void)state;
    assert_false(half_commit(&m, CW_KILO_TCD_PUBLISHED));
    assert_int_equal(cw_kilo_counters_of(&m.stats)->tx_silent_failed, 0);
    m_destroy(&m);
    assert_true(half_commit(&m, CW_KILO_TCD_CLOSED));
    assert_true(cw_kilo_counters_of(&m.stats)->tx_silent_failed > 0);
    m_destroy(&m);
    assert_true(half_commit(&m, CW_KILO_TCD_OFF));
    m_destroy(&m);
}

/*
 * Core 0 has read A and is to write B, core 1 is to write both. Core 0 comes first in commit order, but its decision is held back. A commit
 * unit that does not wait for it writes core 1's words first: core 0 comes before core 1 (it read the old A) and after it (its B is the
 * last one).
 */
static bool overtaking(const char *system, const char *sabotage)
{
    static struct machine m;
    struct m_tx first = add_to(A, 1);
    const struct m_tx second = {.lanes = 1, .op_cnt = 2, .op = {m_access(true, 4, 1, 7, 50, A, 0), m_access(true, 4, 1, 7, 60, B, 0)}};
    memset(&m, 0, sizeof m);
    m_default_config(&m.config);
    assert_int_equal(m_create(&m, system, false, sabotage), CW_OK);
    for (uint32_t lane = 0; lane < CW_LANES; lane++)
        first.op[1].addr[lane] = B;
    m_script(&m, 0, 0, &first, 1, GO);
    const struct cw_kilo_core *c = m.core[0].tm;
    while ((c->half.warp->phase != CW_KILO_ANSWER || c->half.access.warp->messages > 0) && m.now < 2000)
        m_run(&m, 1);
    m.core[0].refuse = true;
    m_script(&m, 1, 0, &second, 1, GO);
    m_run(&m, 600);
    m.core[0].refuse = false;
    assert_true(m_run_all(&m, 40000));
    bool sound = serializable(&m);
    m_destroy(&m);
    return sound;
}

static void test_kilo_protocol__commit_order(void **state)
{
    static const char *const systems[] = {"kilotm", "warptm", "eapg"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_true(overtaking(systems[i], NULL));
        assert_false(overtaking(systems[i], "commit-out-of-order"));
    }
}

/* Alone in the machine, a read-only transaction commits silently, and sends the commit units nothing. */
static void test_kilo_protocol__silent_commit(void **state)
{
    static struct machine m;
    const struct m_tx reader = {.lanes = 1, .op_cnt = 2, .op = {m_access(false, 4, 1, 0, 0, A, 0), m_access(false, 4, 1, 1, 0, B, 0)}};
    (void)state;
    make(&m, "warptm");
    m_script(&m, 0, 0, &reader, 1, GO);
    assert_true(m_run_all(&m, 20000));
    assert_int_equal(cw_kilo_counters_of(&m.stats)->tx_silent, 1);
    assert_int_equal(cw_tm_counters_of(&m.stats)->cu_packets, 0);
    assert_int_equal(m.core[0].sent[CW_MSG_OWN], 0);
    m_destroy(&m);
}

/* Lane 1 of a warp reads what lane 0 writes: Kilo TM sees a hazard and validates again, WarpTM aborts the lane before it asks for commit
 * IDs. */
static void test_kilo_protocol__intra_warp(void **state)
{
    static struct machine m;
    (void)state;
    for (int warp = 0; warp < 2; warp++) {
        make(&m, warp ? "warptm" : "kilotm");
        struct m_tx both = add_to(A, 1);
        both.lanes = 3;
        m_script(&m, 0, 0, &both, 1, GO);
        assert_true(m_run_all(&m, 20000));
        assert_int_equal(m_peek(&m, A), 2);
        assert_int_equal(cw_tm_counters_of(&m.stats)->tx_aborted, 1);
        assert_int_equal(cw_tm_counters_of(&m.stats)->tx_aborted_intra_warp, warp);
        assert_int_equal(cw_kilo_counters_of(&m.stats)->cu_hazards, !warp);
        assert_true(serializable(&m));
        m_destroy(&m);
    }
}

/* A transaction that a commit unit has refused waits before its next attempt. Who loses to another lane of the warp does not. */
static void test_kilo_protocol__back_off_is_for_the_refused(void **state)
{
    static struct machine m;
    (void)state;
    for (uint32_t warps = 1; warps <= 2; warps++) {
        struct m_tx tx = add_to(A, 1);
        tx.lanes = warps == 1 ? 3 : 1;
        make(&m, "warptm");
        tm_keys(&m.config)->tm_backoff_cycles = 50;
        for (uint32_t w = 0; w < warps; w++)
            m_script(&m, w, 0, &tx, 1, 1); /* read, and wait */
        m_run(&m, 300);
        for (uint32_t w = 0; w < warps; w++)
            m.core[w].warp[0].limit = GO;
        assert_true(m_run_all(&m, 20000));
        assert_int_equal(m_peek(&m, A), 2);
        assert_int_equal(cw_tm_counters_of(&m.stats)->tx_aborted, 1);
        assert_int_equal(cw_tm_counters_of(&m.stats)->tx_aborted_intra_warp, warps == 1);
        assert_int_equal(cw_tm_counters_of(&m.stats)->tx_backoff_cycles, warps == 1 ? 0 : 50);
        m_destroy(&m);
    }
}

/*
 * Two lanes that write words of their own, and then the same one: lane 1 loses by the second row. Shared memory is used for 4096 / 128 rows
 * that are cleared, for two MARKs, each with a write, and for two CHECKs; then lane 1 is alone and needs no resolution. With as many tables
 * as warps, two warps that resolve at once take turns at shared memory.
 */
static void test_kilo_protocol__ownership_table(void **state)
{
    static struct machine m;
    (void)state;
    for (uint32_t warps = 1; warps <= 2; warps++) {
        struct m_tx tx[2];
        make(&m, "warptm");
        assert_int_equal(tm_keys(&m.config)->tm_ownership_entries, 4096);
        for (uint32_t w = 0; w < warps; w++) {
            const uint64_t words = A + 1024 * w;
            tx[w] = (struct m_tx){
                .lanes = 3, .op_cnt = 2, .op = {m_access(true, 4, 1, 7, 1, words, 4), m_access(true, 4, 1, 7, 2, words + 64, 0)}};
            m_script(&m, 0, w, &tx[w], 1, GO);
        }
        assert_true(m_run_all(&m, 20000));
        assert_int_equal(cw_tm_counters_of(&m.stats)->tx_committed, 2 * warps);
        assert_int_equal(cw_tm_counters_of(&m.stats)->tx_aborted_intra_warp, warps);
        assert_int_equal(m.core[0].shared_total, warps * (32 + 2 * 2 + 2));
        assert_true(serializable(&m));
        m_destroy(&m);
    }
}

/* Time of a warp whose 32 lanes write a word each. */
static cw_time time_with_entry_cycles(uint32_t cycles)
{
    static struct machine m;
    memset(&m, 0, sizeof m);
    m_default_config(&m.config);
    kilo_keys(&m.config)->kilo_entry_cycles = cycles;
    assert_int_equal(m_create(&m, "kilotm", false, NULL), CW_OK);
    const struct m_tx tx = {.lanes = UINT32_MAX, .op_cnt = 1, .op = {m_access(true, 4, 1, 7, 1, A, 4)}};
    m_script(&m, 0, 0, &tx, 1, GO);
    assert_true(m_run_all(&m, 20000));
    assert_int_equal(cw_tm_counters_of(&m.stats)->tx_committed, 32);
    cw_time now = m.now;
    m_destroy(&m);
    return now;
}

/* The logs wait behind the 32 entries of the warp; a CU cycle is two core cycles here, and times are multiples of 16. */
static void test_kilo_protocol__entry_cycles(void **state)
{
    (void)state;
    cw_time none = time_with_entry_cycles(0);
    assert_in_range(time_with_entry_cycles(4) - none, 32 * 4 * 2 - 16, 32 * 4 * 2 + 16);
}

/* The same lanes one after the other: 32,768 bits are cleared; lane 0 looks for two words and adds them; lane 1 looks for two, and loses.
 */
static void test_kilo_protocol__sequential_resolution(void **state)
{
    static struct machine m;
    (void)state;
    memset(&m, 0, sizeof m);
    m_default_config(&m.config);
    kilo_keys(&m.config)->warptm_resolution = CW_KILO_SCR;
    assert_int_equal(m_create(&m, "warptm", false, NULL), CW_OK);
    const struct m_tx tx = {.lanes = 3, .op_cnt = 2, .op = {m_access(true, 4, 1, 7, 1, A, 4), m_access(true, 4, 1, 7, 2, A + 64, 0)}};
    m_script(&m, 0, 0, &tx, 1, GO);
    assert_true(m_run_all(&m, 20000));
    assert_int_equal(cw_tm_counters_of(&m.stats)->tx_committed, 2);
    assert_int_equal(cw_tm_counters_of(&m.stats)->tx_aborted_intra_warp, 1);
    assert_int_equal(m.core[0].shared_total, 32768 / 8 / 128 + (2 + 2) + 2);
    assert_true(serializable(&m));
    m_destroy(&m);
}

/* Random transactions on 24 words: read-only ones with up to four loads, and blind or dependent writes; words of both partitions. */
static struct m_tx random_tx(struct cw_rng *rng)
{
    struct m_tx t = {.lanes = 1u | (uint32_t)cw_rng_next(rng), .op_cnt = 2 + cw_rng_below(rng, 3)};
    bool read_only = cw_rng_below(rng, 2) == 0;
    for (uint32_t i = 0; i < t.op_cnt; i++) {
        bool store = !read_only && cw_rng_below(rng, 2) == 0;
        t.op[i] = m_access(store, 4, 1, (uint8_t)cw_rng_below(rng, 4), (int64_t)cw_rng_below(rng, 3), M_BASE, 0);
        for (uint32_t lane = 0; lane < CW_LANES; lane++)
            t.op[i].addr[lane] = M_BASE + 4 * cw_rng_below(rng, 12) + 256 * cw_rng_below(rng, 2);
    }
    return t;
}

static void test_kilo_protocol__random_transactions(void **state)
{
    static const char *const systems[] = {"kilotm", "warptm", "eapg", "warptm-el", "ideal"};
    static struct machine m;
    static struct m_tx tx[2][4][3];
    uint64_t silent = 0, hazards = 0, second = 0;
    (void)state;
    for (uint32_t run = 0; run < 60; run++) {
        struct cw_rng rng;
        cw_rng_seed(&rng, 1000 + run);
        memset(&m, 0, sizeof m);
        m_default_config(&m.config);
        tm_keys(&m.config)->tm_backoff_cycles = 50;
        kilo_keys(&m.config)->tcd_mode = run % 5 < 2 ? CW_KILO_TCD_CLOSED : CW_KILO_TCD_AUTO;
        kilo_keys(&m.config)->tcd_granule_bytes = 4u << run % 6;
        kilo_keys(&m.config)->tcd_ways = 1 + run % 4;
        kilo_keys(&m.config)->tcd_ports = kilo_keys(&m.config)->kilo_history_ports = 1 + run / 3 % 2;
        kilo_keys(&m.config)->kilo_history_sets = run % 2 == 0 ? 2 : 128;
        kilo_keys(&m.config)->kilo_history_rows = run % 3 == 0 ? 2 : 256;
        kilo_keys(&m.config)->kilo_read_words = run % 4;
        kilo_keys(&m.config)->kilo_hazard = run < 40 ? CW_KILO_HISTORY : run < 50 ? CW_KILO_PERFECT : CW_KILO_BLOOM_ARRAY;
        assert_int_equal(m_create(&m, systems[run % 5], false, NULL), CW_OK);
        for (uint32_t i = 0; i < 24; i++) {
            tx[i / 12][i / 3 % 4][i % 3] = random_tx(&rng);
            m_script(&m, i / 12, i / 3 % 4, tx[i / 12][i / 3 % 4], 3, GO);
        }
        assert_true(m_run_all(&m, 4000000));
        if (!serializable(&m))
            fail_msg("%s, seed %u: not serializable", systems[run % 5], 1000 + run);
        silent += cw_kilo_counters_of(&m.stats)->tx_silent;
        second += cw_kilo_counters_of(&m.stats)->tx_silent_failed;
        hazards += cw_kilo_counters_of(&m.stats)->cu_hazards;
        m_destroy(&m);
    }
    assert_true(silent > 100 && second > 100 && hazards > 1000);
}

/* Core cycles until a transaction has committed that writes six words of one line, which reach the commit unit at once. */
static cw_time six_writes(uint32_t ports)
{
    static struct machine m;
    struct m_tx tx = {.lanes = 1, .op_cnt = 6};
    memset(&m, 0, sizeof m);
    m_default_config(&m.config);
    kilo_keys(&m.config)->kilo_history_ports = ports;
    kilo_keys(&m.config)->kilo_entry_cycles = 0;
    assert_int_equal(m_create(&m, "kilotm", false, NULL), CW_OK);
    for (uint32_t i = 0; i < 6; i++)
        tx.op[i] = m_access(true, 4, 1, 7, 1, M_BASE + 4 * i, 0);
    m_script(&m, 0, 0, &tx, 1, GO);
    while (cw_tm_counters_of(&m.stats)->tx_committed == 0 && m.now < 10000)
        m_run(&m, 1);
    cw_time committed = m.now;
    assert_true(m_run_all(&m, 100000));
    assert_true(serializable(&m));
    m_destroy(&m);
    return committed;
}

/* With one port the last of six words is recorded five cycles later; a commit unit's cycle is two of a core. */
static void test_kilo_protocol__one_port_takes_two_cycles(void **state)
{
    (void)state;
    assert_int_equal(six_writes(1), six_writes(2) + 5 * 2);
}

/* The order in which the parts tick changes nothing. */
static void test_kilo_protocol__tick_order(void **state)
{
    static const char *const systems[] = {"kilotm", "warptm", "eapg", "warptm-el", "ideal"};
    static struct machine m;
    static struct m_tx tx[2][4][6];
    struct cw_rng rng;
    (void)state;
    cw_rng_seed(&rng, 3);
    for (uint32_t i = 0; i < 2 * 4 * 6; i++) {
        struct m_tx *t = &tx[0][0][0] + i;
        *t = add_to(M_BASE, 1 + (int64_t)cw_rng_below(&rng, 9));
        t->lanes = 0xff;
        for (uint32_t lane = 0; lane < CW_LANES; lane++)
            t->op[0].addr[lane] = t->op[1].addr[lane] = M_BASE + 4 * cw_rng_below(&rng, 200) + 1024 * cw_rng_below(&rng, 2);
    }
    for (size_t s = 0; s < 5; s++) {
        struct cw_stats stats[2];
        cw_time end[2];
        for (int reverse = 0; reverse < 2; reverse++) {
            make(&m, systems[s]);
            m.reverse = reverse;
            for (uint32_t i = 0; i < 8; i++)
                m_script(&m, i / 4, i % 4, tx[i / 4][i % 4], 6, GO);
            assert_true(m_run_all(&m, 400000));
            assert_true(serializable(&m));
            stats[reverse] = m.stats;
            end[reverse] = m.now;
            m_destroy(&m);
        }
        assert_int_equal(cw_tm_counters_of(&stats[0])->tx_committed, 8 * 6 * 8);
        assert_int_equal(end[0], end[1]);
        assert_memory_equal(&stats[0], &stats[1], sizeof stats[0]);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_kilo_protocol__ideal_store_travels),
    cmocka_unit_test(test_kilo_protocol__conflict),
    cmocka_unit_test(test_kilo_protocol__decisions_are_told),
    cmocka_unit_test(test_kilo_protocol__aba),
    cmocka_unit_test(test_kilo_protocol__temporal_detection_hole),
    cmocka_unit_test(test_kilo_protocol__commit_order),
    cmocka_unit_test(test_kilo_protocol__silent_commit),
    cmocka_unit_test(test_kilo_protocol__intra_warp),
    cmocka_unit_test(test_kilo_protocol__back_off_is_for_the_refused),
    cmocka_unit_test(test_kilo_protocol__entry_cycles),
    cmocka_unit_test(test_kilo_protocol__ownership_table),
    cmocka_unit_test(test_kilo_protocol__sequential_resolution),
    cmocka_unit_test(test_kilo_protocol__random_transactions),
    cmocka_unit_test(test_kilo_protocol__one_port_takes_two_cycles),
    cmocka_unit_test(test_kilo_protocol__tick_order),
};

CW_TEST_MAIN(tests)
