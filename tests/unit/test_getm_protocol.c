/* SPDX-License-Identifier: Apache-2.0 */
/* GETM from access to commit, with scripted warps around it (tm_machine.h). */
#include "tm_machine.h"

#include "base/rng.h"
#include "mech/getm/core_private.h"
#include "mech/getm/getm.h"

#define A M_BASE
#define B (M_BASE + 256) /* the other partition */

static const struct m_entry *entry_of(const struct machine *m, uint64_t addr)
{
    uint32_t p = cw_address_partition(&m->config, addr);
    return m_entry(m->unit[p], (addr - M_BASE) / cw_tm_keys_of(&m->config)->tm_granule_bytes);
}

static void assert_entry(const struct machine *m, uint64_t addr, uint64_t wts, uint64_t rts, uint32_t writes)
{
    const struct m_entry *e = entry_of(m, addr);
    assert_int_equal(e->wts, wts);
    assert_int_equal(e->rts, rts);
    assert_int_equal(e->writes, writes);
}

static void assert_serializable(struct machine *m)
{
    struct cw_serial_report report;
    struct cw_error err;
    int status = cw_serial_check(m->serial, &report, &err);
    if (status != CW_OK)
        fail_msg("%s", report.text);
    assert_int_equal(report.committed, cw_tm_counters_of(&m->stats)->tx_committed);
    assert_int_equal(report.aborted, cw_tm_counters_of(&m->stats)->tx_aborted);
}

static void paper_config(struct machine *m)
{
    m_default_config(&m->config);
    getm_keys(&m->config)->getm_ties = CW_GETM_TIES_NONE;
    getm_keys(&m->config)->getm_new_warpts = CW_GETM_NEW_WARP;
    tm_keys(&m->config)->tm_backoff_cycles = 0;
}

/* lane 0: from -= amount, to += amount */
static struct m_tx transfer(uint64_t from, uint64_t to, int64_t amount)
{
    return (struct m_tx){.lanes = 1,
                         .op_cnt = 4,
                         .op = {m_access(false, 4, 1, 0, 0, from, 0), m_access(true, 4, 1, 0, -amount, from, 0),
                                m_access(false, 4, 1, 1, 0, to, 0), m_access(true, 4, 1, 1, amount, to, 0)}};
}

/* GETM Figure 7: tx1 (warpts 20) moves from A to B, tx2 (warpts 10) from B to A; the tables are the figure's. */
static void test_getm_protocol__figure_7(void **state)
{
    (void)state;
    static struct machine m;
    struct m_decisions decisions;
    paper_config(&m);
    assert_int_equal(m_create(&m, "getm", true, NULL), CW_OK);
    m_note_decisions(&m, &decisions);
    const struct m_tx tx1 = transfer(A, B, 5), tx2 = transfer(B, A, 3);
    struct cw_getm_warp *w1 = ((struct cw_getm_core *)m.core[0].tm)->warp, *w2 = ((struct cw_getm_core *)m.core[1].tm)->warp;
    struct m_warp *p1 = m.core[0].warp, *p2 = m.core[1].warp;
    m_poke(&m, A, 100);
    m_poke(&m, B, 100);
    w1->warpts = 20;
    w2->warpts = 10;
    m_script(&m, 0, 0, &tx1, 1, 2);
    m_script(&m, 1, 0, &tx2, 1, 2);
    m_run(&m, 300);
    assert_entry(&m, A, 21, 20, 1);
    assert_entry(&m, B, 11, 10, 1);
    p2->limit = 3; /* tx2 reads A, which is 21 by now */
    while (p2->attempts == 0 && m.now < 2000)
        m_run(&m, 1);
    p2->limit = 0;
    m_run(&m, 300);
    assert_int_equal(w2->warpts, 22);
    assert_entry(&m, A, 21, 20, 1);
    assert_entry(&m, B, 11, 10, 0);
    p1->limit = 4;
    m_run(&m, 300);
    assert_entry(&m, A, 21, 20, 1);
    assert_entry(&m, B, 21, 20, 1);
    p2->limit = 1; /* B is reserved by an older transaction: tx2 waits */
    m_run(&m, 300);
    assert_true(p2->out);
    assert_int_equal(m.unit[1]->stalled_cnt, 1);
    p1->limit = 5;
    m_run(&m, 300);
    assert_int_equal(p1->tx_at, 1);
    assert_entry(&m, A, 21, 20, 0);
    assert_entry(&m, B, 21, 22, 0); /* read by tx2 in the meantime */
    assert_false(p2->out);
    assert_int_equal(p2->reg[0][0], 105); /* tx1's value */
    p2->limit = 5;
    assert_true(m_run_all(&m, 5000));
    assert_int_equal(m_peek(&m, A), 98);
    assert_int_equal(m_peek(&m, B), 102);
    assert_int_equal(cw_tm_counters_of(&m.stats)->tx_committed, 2);
    assert_int_equal(cw_getm_counters_of(&m.stats)->tx_aborted_timestamp, 1);
    /* tx1's four accesses, two of tx2's first attempt and four of its second one; the one refusal is tx2's load of A, by the unit that has
     * A */
    assert_int_equal(decisions.granted[0], 4);
    assert_int_equal(decisions.granted[1], 6);
    assert_int_equal(decisions.refused, 1);
    assert_string_equal(decisions.refusal.u.decision.unit, "validation_unit");
    assert_int_equal(decisions.refusal.u.decision.index, 0);
    assert_int_equal(decisions.refusal.u.decision.kind, CW_VU_ABORT);
    assert_int_equal(decisions.refusal.u.decision.subject, (A - M_BASE) / cw_tm_keys_of(&m.config)->tm_granule_bytes);
    assert_int_equal(decisions.refusal.core, 1);
    assert_int_equal(decisions.refusal.warp, 0);
    assert_serializable(&m);
    m_destroy(&m);
}

/* Both warps run at time 0: one reads x and writes y, the other reads y and writes x. */
static uint64_t write_skew(uint32_t ties, uint64_t *aborted)
{
    static struct machine m;
    memset(&m, 0, sizeof m);
    paper_config(&m);
    getm_keys(&m.config)->getm_ties = ties;
    assert_int_equal(m_create(&m, "getm", true, NULL), CW_OK);
    const struct m_tx tx[2] = {{.lanes = 1, .op_cnt = 2, .op = {m_access(false, 4, 1, 0, 0, A, 0), m_access(true, 4, 1, 0, 1, B, 0)}},
                               {.lanes = 1, .op_cnt = 2, .op = {m_access(false, 4, 1, 0, 0, B, 0), m_access(true, 4, 1, 0, 1, A, 0)}}};
    for (uint32_t limit = 1; limit <= 3; limit++) {
        m_script(&m, 0, 0, tx, 1, limit);
        m_script(&m, 1, 0, tx + 1, 1, limit);
        m_run(&m, 200);
    }
    assert_true(m_run_all(&m, 5000));
    struct cw_serial_report report;
    cw_serial_check(m.serial, &report, NULL);
    *aborted = cw_tm_counters_of(&m.stats)->tx_aborted;
    m_destroy(&m);
    return report.cycle_length;
}

static void test_getm_protocol__equal_times_need_an_order(void **state)
{
    (void)state;
    uint64_t aborted;
    assert_int_equal(write_skew(CW_GETM_TIES_NONE, &aborted), 2);
    assert_int_equal(aborted, 0);
    assert_int_equal(write_skew(CW_GETM_TIES_WARP, &aborted), 0);
    assert_true(aborted >= 1);
}

/* A warp's next transaction begins while the data of its last one are on their way, and must see them. */
static void test_getm_protocol__own_commit_is_seen(void **state)
{
    (void)state;
    static struct machine m;
    paper_config(&m);
    tm_keys(&m.config)->cu_rop_latency = 300; /* much longer than a request takes to arrive */
    assert_int_equal(m_create(&m, "getm", true, NULL), CW_OK);
    const struct m_tx add = {.lanes = 1, .op_cnt = 2, .op = {m_access(false, 4, 1, 0, 0, A, 0), m_access(true, 4, 1, 0, 1, A, 0)}};
    const struct m_tx twice[3] = {add, add, add};
    m_script(&m, 0, 0, twice, 3, 9);
    assert_true(m_run_all(&m, 20000));
    assert_int_equal(m_peek(&m, A), 3);
    assert_serializable(&m);
    m_destroy(&m);
}

/* The commit leaves the critical path: the warp goes on before its data are in memory. */
static void test_getm_protocol__commit_is_off_the_critical_path(void **state)
{
    (void)state;
    static struct machine m;
    paper_config(&m);
    tm_keys(&m.config)->cu_rop_latency = 1000;
    assert_int_equal(m_create(&m, "getm", true, NULL), CW_OK);
    const struct m_tx put = {.lanes = 1, .op_cnt = 1, .op = {m_access(true, 4, 1, 0, 7, A, 0)}};
    m_script(&m, 0, 0, &put, 1, 9);
    while (m.core[0].warp[0].tx_at == 0 && m.now < 10000)
        m_run(&m, 1);
    assert_true(m.now < 500);
    assert_int_equal(m_peek(&m, A), 0);
    assert_true(m_run_all(&m, 10000));
    assert_true(m.now > 2000);
    assert_int_equal(m_peek(&m, A), 7);
    m_destroy(&m);
}

/* Loads see the warp's own stores, byte by byte; other bytes come from memory. */
static void test_getm_protocol__redo_log_merges_bytes(void **state)
{
    (void)state;
    static struct machine m;
    paper_config(&m);
    assert_int_equal(m_create(&m, "getm", true, NULL), CW_OK);
    m_poke(&m, A, 0x44332211);
    m_poke(&m, A + 4, 0x88776655);
    const struct m_tx tx = {.lanes = 1,
                            .op_cnt = 6,
                            .op = {m_access(true, 1, 1, 0, 0xaa, A + 1, 0),   /* byte 1 */
                                   m_access(false, 4, 1, 1, 0, A, 0),         /* word: own byte 1, rest from memory */
                                   m_access(true, 2, 1, 0, 0xbbcc, A + 4, 0), /* bytes 4, 5 */
                                   m_access(false, 8, 1, 2, 0, A, 0),         /* both words */
                                   m_access(true, 4, 2, 3, 0x01020304, A, 0), /* whole words */
                                   m_access(false, 4, 2, 5, 0, A, 0)}};
    m_script(&m, 0, 0, &tx, 1, 6);
    m_run(&m, 1500);
    const uint64_t(*reg)[CW_LANES] = (const uint64_t(*)[CW_LANES])m.core[0].warp[0].reg;
    assert_int_equal(reg[1][0], 0x4433aa11);
    assert_true(reg[2][0] == UINT64_C(0x8877bbcc4433aa11));
    assert_int_equal(reg[5][0], 0x01020304);
    assert_int_equal(reg[6][0], 0x01020304);
    assert_int_equal(m.core[0].sent[CW_MSG_READ], 2); /* the last load was wholly its own */
    assert_int_equal(m_peek(&m, A), 0x44332211);      /* nothing leaves before the commit */
    m.core[0].warp[0].limit = 7;
    assert_true(m_run_all(&m, 5000));
    assert_int_equal(m_peek(&m, A), 0x01020304);
    assert_int_equal(m_peek(&m, A + 4), 0x01020304);
    assert_serializable(&m);
    m_destroy(&m);
}

/* Partly written words reach memory with the other bytes untouched. */
static void test_getm_protocol__commit_writes_bytes(void **state)
{
    (void)state;
    static struct machine m;
    paper_config(&m);
    assert_int_equal(m_create(&m, "getm", true, NULL), CW_OK);
    m_poke(&m, A + 32, 0x44332211);
    const struct m_tx tx = {.lanes = 3, .op_cnt = 1, .op = {m_access(true, 1, 1, 0, 0xee, A + 33, 4)}};
    m_script(&m, 0, 0, &tx, 1, 9);
    assert_true(m_run_all(&m, 5000));
    assert_int_equal(m_peek(&m, A + 32), 0x4433ee11);
    assert_int_equal(m_peek(&m, A + 36), 0x0000ee00);
    m_destroy(&m);
}

/* All 32 lanes increment one word: each attempt commits exactly its lowest lane, and the others start again at once. */
static void test_getm_protocol__lanes_serialise_on_one_word(void **state)
{
    (void)state;
    static struct machine m;
    paper_config(&m);
    tm_keys(&m.config)->tm_backoff_cycles = 50;
    assert_int_equal(m_create(&m, "getm", true, NULL), CW_OK);
    const struct m_tx add = {.lanes = UINT32_MAX, .op_cnt = 2, .op = {m_access(false, 4, 1, 0, 0, A, 0), m_access(true, 4, 1, 0, 1, A, 0)}};
    m_script(&m, 0, 0, &add, 1, 9);
    assert_true(m_run_all(&m, 50000));
    assert_int_equal(m_peek(&m, A), 32);
    assert_int_equal(m.core[0].warp[0].attempts, 32);
    assert_int_equal(cw_tm_counters_of(&m.stats)->tx_aborted_intra_warp, 31 * 32 / 2);
    assert_int_equal(cw_tm_counters_of(&m.stats)->tx_aborted, cw_tm_counters_of(&m.stats)->tx_aborted_intra_warp);
    assert_int_equal(cw_tm_counters_of(&m.stats)->tx_backoff_cycles, 0);
    assert_serializable(&m);
    m_destroy(&m);
}

/* Messages of GETM Figure 2 and their sizes: 8-byte control, 32 bytes per sector of a load's reply, 8 bytes per committed word, 4 per
 * clean-up. */
static void test_getm_protocol__message_sizes(void **state)
{
    (void)state;
    static struct machine m;
    paper_config(&m);
    m.config.partition_count = 1;
    assert_int_equal(m_create(&m, "getm", true, NULL), CW_OK);
    /* 32 lanes, consecutive words: one line, 4 sectors, 4 granules */
    const struct m_tx tx = {.lanes = UINT32_MAX, .op_cnt = 2, .op = {m_access(false, 4, 1, 0, 0, A, 4), m_access(true, 4, 1, 0, 1, A, 4)}};
    m_script(&m, 0, 0, &tx, 1, 9);
    assert_true(m_run_all(&m, 5000));
    const struct cw_core *c = m.core;
    assert_int_equal(c->sent[CW_MSG_READ], 1);
    assert_int_equal(c->sent[CW_MSG_PASS], 1);
    assert_int_equal(c->sent[CW_MSG_OWN], 1);
    assert_int_equal(c->sent_bytes, 8 + 8 + (8 + 32 * 8));
    assert_int_equal(m.partition[0].replied_bytes, (8 + 4 * 32) + 8);
    assert_int_equal(cw_tm_counters_of(&m.stats)->cu_writes, 4);
    assert_int_equal(cw_tm_counters_of(&m.stats)->cu_entries, 32);
    m_destroy(&m);
}

/* 2PCR for one read row and one write row whose words lie in different banks: 32 accesses clear 4096 entries, 2 mark, 2 check. */
static void test_getm_protocol__resolution_timing(void **state)
{
    (void)state;
    static struct machine m;
    paper_config(&m);
    assert_int_equal(m_create(&m, "getm", true, NULL), CW_OK);
    struct m_tx tx = {.lanes = 3, .op_cnt = 2, .op = {m_access(false, 4, 1, 0, 0, A, 64), m_access(true, 4, 1, 0, 1, A, 64)}};
    m_script(&m, 0, 0, &tx, 1, 9);
    assert_true(m_run_all(&m, 5000));
    assert_int_equal(m.core[0].shared_total, 32 + 2 + 2);
    /* log: 2 rows written (2 lines each); mark 1, check 2; walk 2 */
    assert_int_equal(m.core[0].log_total, 4 + 1 + 2 + 2);
    tx.lanes = 1; /* one lane: no resolution */
    m_script(&m, 0, 1, &tx, 1, 9);
    assert_true(m_run_all(&m, 5000));
    assert_int_equal(m.core[0].shared_total, 36);
    m_destroy(&m);
}

static void test_getm_protocol__log_overflow_is_a_fault(void **state)
{
    (void)state;
    static struct machine m;
    paper_config(&m);
    tm_keys(&m.config)->tm_log_entries = 16;
    assert_int_equal(m_create(&m, "getm", true, NULL), CW_OK);
    struct m_tx tx = {.lanes = 1, .op_cnt = 5};
    for (uint32_t i = 0; i < 5; i++)
        tx.op[i] = m_access(true, 4, 4, 0, 1, A + 16 * i, 0);
    m_script(&m, 0, 0, &tx, 1, 4);
    m_run(&m, 2000);
    assert_int_equal(m.fault[0], '\0');
    m.core[0].warp[0].limit = 5;
    m_run(&m, 500);
    assert_non_null(strstr(m.fault, "tm.log_entries"));
    m_destroy(&m);
}

static void test_getm_protocol__tokens_limit_warps(void **state)
{
    (void)state;
    static struct machine m;
    paper_config(&m);
    tm_keys(&m.config)->tm_warps = 2;
    assert_int_equal(m_create(&m, "getm", true, NULL), CW_OK);
    struct m_tx tx[4];
    for (uint32_t w = 0; w < 4; w++) {
        tx[w] = (struct m_tx){.lanes = 1, .op_cnt = 1, .op = {m_access(true, 4, 1, 0, 1, A + 32 * w, 0)}};
        m_script(&m, 0, w, tx + w, 1, 9);
    }
    assert_true(m_run_all(&m, 5000));
    assert_int_equal(cw_tm_counters_of(&m.stats)->tx_warps_max, 2);
    assert_int_equal(cw_tm_counters_of(&m.stats)->tx_committed, 4);
    assert_true(cw_tm_counters_of(&m.stats)->tx_wait_cycles > 0);
    m_destroy(&m);
}

static void test_getm_protocol__bad_parameters_are_refused(void **state)
{
    (void)state;
    static struct machine m;
    m_default_config(&m.config);
    getm_keys(&m.config)->getm_ts_bits = 6; /* 8 warps take 3 bits, 4 are needed */
    assert_int_equal(m_create(&m, "getm", true, NULL), CW_EINVAL);
    assert_non_null(strstr(m.fault, "getm.ts_bits"));
    m_destroy(&m);
    memset(&m, 0, sizeof m);
    m_default_config(&m.config);
    assert_int_equal(m_create(&m, "getm", true, "skip-owner-chek"), CW_EINVAL);
    assert_non_null(strstr(m.fault, "skip-owner-check"));
    m_destroy(&m);
}

/* ---- random transfers ---- */

#define TXS 12

struct load {
    struct machine m;
    struct m_tx tx[M_CORES][M_WARPS][TXS];
    uint32_t accounts;
};

/* Each lane moves 1 between two of the accounts, now and then through 64-bit accesses of pairs or after reading a third one. */
static void random_load(struct load *l, uint64_t seed, uint32_t accounts)
{
    struct cw_rng rng;
    cw_rng_seed(&rng, seed);
    l->accounts = accounts;
    for (uint32_t i = 0; i < accounts; i++)
        m_poke(&l->m, A + 4 * i, 1000);
    for (uint32_t c = 0; c < l->m.config.core_count; c++)
        for (uint32_t w = 0; w < l->m.config.core_warps; w++) {
            for (uint32_t t = 0; t < TXS; t++) {
                struct m_tx *tx = &l->tx[c][w][t];
                *tx = transfer(A, A, 1);
                tx->lanes = (uint32_t)cw_rng_next(&rng) & (uint32_t)cw_rng_next(&rng);
                tx->lanes |= tx->lanes == 0;
                for (uint32_t lane = 0; lane < CW_LANES; lane++) {
                    uint32_t from = cw_rng_below(&rng, accounts), to = (from + 1 + cw_rng_below(&rng, accounts - 1)) % accounts;
                    tx->op[0].addr[lane] = tx->op[1].addr[lane] = A + 4 * from;
                    tx->op[2].addr[lane] = tx->op[3].addr[lane] = A + 4 * to;
                }
                if (cw_rng_below(&rng, 4) == 0) {
                    tx->op[4] = m_access(false, 8, 1, 4, 0, A + 8 * cw_rng_below(&rng, accounts / 2), 0);
                    tx->op_cnt = 5;
                }
            }
            m_script(&l->m, c, w, l->tx[c][w], TXS, 99);
        }
}

static uint32_t total(const struct load *l)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < l->accounts; i++)
        sum += m_peek(&l->m, A + 4 * i);
    return sum;
}

static struct load *new_load(void)
{
    struct load *l = calloc(1, sizeof *l);
    assert_non_null(l);
    m_default_config(&l->m.config);
    l->m.config.core_count = 4;
    l->m.config.core_warps = 4;
    l->m.config.partition_count = 3;
    tm_keys(&l->m.config)->tm_backoff_cycles = 100;
    tm_keys(&l->m.config)->tm_backoff_max_cycles = 1000;
    return l;
}

static void free_load(struct load *l)
{
    m_destroy(&l->m);
    free(l);
}

/* Runs to the end; everything is conserved and serialisable. */
static void run_load(struct load *l, bool doubles, uint64_t seed, uint32_t accounts)
{
    assert_int_equal(m_create(&l->m, "getm", doubles, NULL), CW_OK);
    random_load(l, seed, accounts);
    if (!m_run_all(&l->m, 4000000))
        fail_msg("does not end: %s", l->m.fault);
    const struct cw_tm_counters *s = cw_tm_counters_of(&l->m.stats);
    const struct cw_getm_counters *g = cw_getm_counters_of(&l->m.stats);
    assert_int_equal(total(l), 1000 * accounts);
    assert_int_equal(s->tx_committed, s->tx_begun);
    assert_int_equal(s->tx_aborted, g->tx_aborted_timestamp + g->tx_aborted_stall_full + s->tx_aborted_intra_warp + g->tx_aborted_rollover);
    assert_serializable(&l->m);
    for (uint32_t i = 0; doubles && i < l->m.unit_cnt; i++)
        for (uint32_t k = 0; k < l->m.unit[i]->entry_cnt; k++)
            assert_int_equal(l->m.unit[i]->entry[k].writes, 0); /* every reservation was given back */
}

static void test_getm_protocol__random_transfers(void **state)
{
    (void)state;
    static const uint32_t granules[] = {4, 8, 32, 128};
    uint64_t seed = cw_test_seed(1);
    for (uint32_t g = 0; g < 4; g++)
        for (uint32_t k = 0; k < 4; k++) {
            struct load *l = new_load();
            tm_keys(&l->m.config)->tm_granule_bytes = granules[g];
            getm_keys(&l->m.config)->getm_new_warpts = k % 2;
            tm_keys(&l->m.config)->tm_warps = k < 2 ? 2 : 0;
            run_load(l, k % 2 == 0, seed + 10 * g + k, 400);
            assert_int_equal(cw_getm_counters_of(&l->m.stats)->rollovers, 0);
            free_load(l);
        }
}

static void test_getm_protocol__rollover(void **state)
{
    (void)state;
    uint64_t seed = cw_test_seed(2);
    for (uint32_t k = 0; k < 6; k++) {
        struct load *l = new_load();
        l->m.config.core_count = 2;
        getm_keys(&l->m.config)->getm_ts_bits = 7 - (k % 2);
        getm_keys(&l->m.config)->getm_ties = k % 2 == 0 ? CW_GETM_TIES_WARP : CW_GETM_TIES_NONE;
        tm_keys(&l->m.config)->tm_backoff_cycles = k < 4 ? 20 : 1000;
        run_load(l, k < 3, seed + k, 600);
        assert_true(cw_getm_counters_of(&l->m.stats)->rollovers > 0);
        assert_true(cw_getm_counters_of(&l->m.stats)->warpts_increments >= cw_getm_counters_of(&l->m.stats)->warpts_max);
        free_load(l);
    }
}

/* Cycle in which a transaction of one access, of so many lanes side by side, has ended. */
static cw_time answer_cycles(uint32_t delay, uint32_t ports, uint32_t lanes, bool store)
{
    static struct machine m;
    memset(&m, 0, sizeof m);
    paper_config(&m);
    getm_keys(&m.config)->getm_validation_delay = delay;
    getm_keys(&m.config)->getm_ports = ports;
    assert_int_equal(m_create(&m, "getm", true, NULL), CW_OK);
    const struct m_tx tx = {
        .lanes = lanes == 32 ? UINT32_MAX : 1, .op_cnt = 1, .op = {m_access(store, 4, 1, 0, 1, A, lanes == 32 ? 4 : 0)}};
    struct cw_core *core = m.core;
    m_script(&m, 0, 0, &tx, 1, 9);
    while (core->warp[0].tx_at == 0 && m.now < 10000)
        m_run(&m, 1);
    cw_time answered = m.now;
    assert_true(m_run_all(&m, 10000));
    assert_int_equal(m_peek(&m, A), store);
    assert_serializable(&m);
    m_destroy(&m);
    return answered;
}

/* An answer leaves so many cycles later, and nothing else moves. */
static void test_getm_protocol__answers_are_delayed(void **state)
{
    (void)state;
    for (uint32_t store = 0; store < 2; store++) {
        cw_time at_once = answer_cycles(0, 2, 1, store);
        assert_true(at_once > 2 * M_NET + M_ROP && at_once < 500);
        assert_int_equal(answer_cycles(1, 2, 1, store), at_once + 1);
        assert_int_equal(answer_cycles(7, 2, 1, store), at_once + 7);
        assert_int_equal(answer_cycles(64, 2, 1, store), at_once + 64);
    }
}

/* With one port the last of n granules is asked for n - 1 cycles later. */
static void test_getm_protocol__one_port_takes_two_cycles(void **state)
{
    (void)state;
    for (uint32_t store = 0; store < 2; store++) {
        assert_int_equal(answer_cycles(0, 1, 1, store), answer_cycles(0, 2, 1, store));
        assert_int_equal(answer_cycles(0, 1, 32, store), answer_cycles(0, 2, 32, store) + 128 / 32 - 1);
    }
}

/* A delay changes when transactions meet, not what they may do. */
static void test_getm_protocol__delayed_answers_are_serialisable(void **state)
{
    (void)state;
    uint64_t seed = cw_test_seed(3);
    for (uint32_t k = 0; k < 3; k++) {
        struct load *l = new_load();
        getm_keys(&l->m.config)->getm_validation_delay = 16u << k;
        run_load(l, k == 1, seed + k, 300);
        free_load(l);
    }
}

/* Parts may tick in any order: times and counters are the same. */
static void test_getm_protocol__tick_order_does_not_matter(void **state)
{
    (void)state;
    struct load *l[2] = {new_load(), new_load()};
    for (uint32_t i = 0; i < 2; i++) {
        l[i]->m.reverse = i == 1;
        getm_keys(&l[i]->m.config)->getm_ts_bits = 9; /* rollovers, too */
        run_load(l[i], false, 5, 300);
        l[i]->m.system->finish(l[i]->m.tm);
    }
    assert_int_equal(l[0]->m.now, l[1]->m.now);
    assert_true(cw_getm_counters_of(&l[0]->m.stats)->rollovers > 0);
    assert_memory_equal(&l[0]->m.stats, &l[1]->m.stats, sizeof l[0]->m.stats);
    free_load(l[0]);
    free_load(l[1]);
}

static void test_getm_protocol__faults_are_noticed(void **state)
{
    (void)state;
    static const char *const faults[] = {"skip-owner-check", "drop-rts-update", "forget-writes-decrement"};
    for (uint32_t i = 0; i < 3; i++) {
        struct load *l = new_load();
        assert_int_equal(m_create(&l->m, "getm", true, faults[i]), CW_OK);
        random_load(l, 3, 200);
        bool ended = m_run_all(&l->m, 400000);
        struct cw_serial_report report;
        int status = cw_serial_check(l->m.serial, &report, NULL);
        assert_int_equal(ended, i < 2);
        if (i < 2) {
            assert_int_equal(status, CW_ECHECK);
            assert_true(report.cycle_length >= 2);
        }
        free_load(l);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_getm_protocol__figure_7),
    cmocka_unit_test(test_getm_protocol__equal_times_need_an_order),
    cmocka_unit_test(test_getm_protocol__own_commit_is_seen),
    cmocka_unit_test(test_getm_protocol__commit_is_off_the_critical_path),
    cmocka_unit_test(test_getm_protocol__redo_log_merges_bytes),
    cmocka_unit_test(test_getm_protocol__commit_writes_bytes),
    cmocka_unit_test(test_getm_protocol__lanes_serialise_on_one_word),
    cmocka_unit_test(test_getm_protocol__message_sizes),
    cmocka_unit_test(test_getm_protocol__resolution_timing),
    cmocka_unit_test(test_getm_protocol__log_overflow_is_a_fault),
    cmocka_unit_test(test_getm_protocol__tokens_limit_warps),
    cmocka_unit_test(test_getm_protocol__bad_parameters_are_refused),
    cmocka_unit_test(test_getm_protocol__random_transfers),
    cmocka_unit_test(test_getm_protocol__rollover),
    cmocka_unit_test(test_getm_protocol__answers_are_delayed),
    cmocka_unit_test(test_getm_protocol__one_port_takes_two_cycles),
    cmocka_unit_test(test_getm_protocol__delayed_answers_are_serialisable),
    cmocka_unit_test(test_getm_protocol__tick_order_does_not_matter),
    cmocka_unit_test(test_getm_protocol__faults_are_noticed),
};

CW_TEST_MAIN(tests)
