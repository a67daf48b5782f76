/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dependency graph of sitm-oracle: the anomalies of snapshot isolation step by step, and random histories against a judge that keeps all
 * attempts and all their accesses for ever, and looks for circles by Warshall's closure of edges found anew from the accesses.
 */
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "cw_test.h"
#include "mech/snapshot/center/exact.h"

enum { FINE = CW_SI_EXACT_FINE, LOOP = CW_SI_EXACT_LOOP, WRITE_WRITE = CW_SI_EXACT_WRITE_WRITE };
#define X 0x1000u
#define Y 0x1004u

static struct cw_si_exact *g;
static uint64_t edges, loops;

static int setup(void **state)
{
    (void)state;
    g = cw_si_exact_create();
    edges = loops = 0;
    return g == NULL;
}

static int teardown(void **state)
{
    (void)state;
    assert_false(cw_si_exact_failed(g));
    cw_si_exact_destroy(g);
    return 0;
}

static int reads(uint32_t attempt, uint64_t word)
{
    return (int)cw_si_exact_access(g, attempt, word, false, &edges, &loops);
}

static int writes(uint32_t attempt, uint64_t word)
{
    return (int)cw_si_exact_access(g, attempt, word, true, &edges, &loops);
}

static void commits(uint32_t attempt, cw_time time)
{
    assert_true(cw_si_exact_seal(g, attempt));
    cw_si_exact_commit(g, attempt, time);
}

/* Both read both, each writes one. */
static void test_snapshot_exact__write_skew(void **state)
{
    (void)state;
    for (uint32_t committed = 0; committed < 2; committed++) {
        const uint32_t a = cw_si_exact_begin(g, 10), b = cw_si_exact_begin(g, 10);
        assert_int_equal(reads(a, X) + reads(a, Y) + reads(b, X) + reads(b, Y), FINE);
        assert_int_equal(writes(a, X), FINE);
        if (committed)
            commits(a, 20);
        loops = 0;
        assert_int_equal(writes(b, Y), LOOP);
        assert_int_equal(loops, 1);
        assert_int_equal(reads(b, 0x2000), FINE); /* it counts no more */
        cw_si_exact_abort(g, b);
        if (!committed)
            commits(a, 20);
        cw_si_exact_prune(g, CW_TIME_NEVER, 30);
        assert_int_equal(cw_si_exact_known(g), 0);
    }
}

/* Several may have written a word; the first to be sealed commits. Who began later has not been beside it. */
static void test_snapshot_exact__first_committer_wins(void **state)
{
    (void)state;
    const uint32_t a = cw_si_exact_begin(g, 10), b = cw_si_exact_begin(g, 10), c = cw_si_exact_begin(g, 10);
    assert_int_equal(writes(a, X) + writes(b, X), FINE);
    assert_true(cw_si_exact_seal(g, b));
    assert_int_equal(writes(c, X), WRITE_WRITE);
    cw_si_exact_commit(g, b, 20);
    assert_false(cw_si_exact_seal(g, a));
    const uint32_t d = cw_si_exact_begin(g, 20);
    assert_int_equal(writes(d, X), FINE);
    commits(d, 30);
}

/* The read-only anomaly: a reader sees the commit of one, which has to stand behind the other one, which writes what the reader
 * has read. Only the edge from the writer to its reader closes the circle. */
static void test_snapshot_exact__read_only_anomaly(void **state)
{
    (void)state;
    const uint32_t slow = cw_si_exact_begin(g, 10), quick = cw_si_exact_begin(g, 10);
    assert_int_equal(reads(slow, X) + reads(slow, Y) + reads(quick, Y), FINE);
    assert_int_equal(writes(quick, Y), FINE); /* slow before quick */
    commits(quick, 20);
    cw_si_exact_prune(g, 10, 25);
    const uint32_t reader = cw_si_exact_begin(g, 30);
    assert_int_equal(reads(reader, Y), FINE); /* quick before reader */
    assert_int_equal(reads(reader, X), FINE);
    cw_si_exact_commit(g, reader, 40);
    cw_si_exact_prune(g, 10, 45);
    assert_int_equal(cw_si_exact_known(g), 3);
    assert_int_equal(writes(slow, X), LOOP); /* reader before slow */
    cw_si_exact_abort(g, slow);
    cw_si_exact_prune(g, CW_TIME_NEVER, 50);
    assert_int_equal(cw_si_exact_known(g), 0);
}

/* Random histories */

#define ATTEMPTS 48u
#define WORDS    6u
#define STEPS    1000u

static struct {
    enum { UNUSED, RUNS, REFUSED, SEALS, COMMITS, ABORTS } state;
    cw_time begin, committed;
    uint32_t number; /* the graph's */
    bool reads[WORDS], writes[WORDS];
} t[ATTEMPTS];
static uint32_t cnt;

static bool counts(uint32_t i)
{
    return t[i].state == RUNS || t[i].state == SEALS || t[i].state == COMMITS;
}

static bool sees(uint32_t i, uint32_t writer)
{
    return t[writer].state == COMMITS && t[writer].committed <= t[i].begin;
}

/* Whether a has to stand before b. */
static bool is_before(uint32_t a, uint32_t b)
{
    for (uint32_t w = 0; w < WORDS; w++) {
        if (t[a].reads[w] && t[b].writes[w] && !sees(a, b))
            return true;
        if (t[a].writes[w] && (t[b].reads[w] || t[b].writes[w]) && sees(b, a))
            return true;
    }
    return false;
}

/* Attempts to or from which `i` has an edge that is not in `old`, and which are on a circle with it by that edge. */
static uint32_t circles(uint32_t i, bool old[2][ATTEMPTS])
{
    static bool leads[ATTEMPTS][ATTEMPTS];
    uint32_t found = 0;
    for (uint32_t a = 0; a < cnt; a++)
        for (uint32_t b = 0; b < cnt; b++)
            leads[a][b] = a != b && counts(a) && counts(b) && is_before(a, b);
    bool edge[2][ATTEMPTS];
    for (uint32_t a = 0; a < cnt; a++) {
        edge[0][a] = leads[a][i] && !old[0][a];
        edge[1][a] = leads[i][a] && !old[1][a];
    }
    for (uint32_t k = 0; k < cnt; k++)
        for (uint32_t a = 0; a < cnt; a++)
            for (uint32_t b = 0; b < cnt; b++)
                leads[a][b] |= leads[a][k] && leads[k][b];
    for (uint32_t a = 0; a < cnt; a++)
        found += (uint32_t)(edge[0][a] && leads[i][a]) + (uint32_t)(edge[1][a] && leads[a][i]);
    return found;
}

static bool another_ahead(uint32_t i, uint32_t w)
{
    for (uint32_t a = 0; a < cnt; a++)
        if (a != i && t[a].writes[w] && (t[a].state == SEALS || t[a].state == COMMITS) && !sees(i, a))
            return true;
    return false;
}

static void check_access(uint32_t i, uint32_t w, bool write)
{
    int expected = FINE;
    uint32_t circle_cnt = 0;
    bool old[2][ATTEMPTS];
    for (uint32_t a = 0; a < cnt; a++) {
        old[0][a] = a != i && counts(a) && is_before(a, i);
        old[1][a] = a != i && counts(a) && is_before(i, a);
    }
    if (write && another_ahead(i, w)) {
        expected = WRITE_WRITE;
    } else {
        if (write)
            t[i].writes[w] = true;
        else
            t[i].reads[w] = true;
        circle_cnt = circles(i, old);
        expected = circle_cnt > 0 ? LOOP : FINE;
    }
    loops = 0;
    assert_int_equal(write ? writes(t[i].number, X + 4 * w) : reads(t[i].number, X + 4 * w), expected);
    assert_true((loops > 0) == (circle_cnt > 0));
    if (expected != FINE)
        t[i].state = REFUSED;
}

static void check_seal(uint32_t i, cw_time now)
{
    bool expected = true;
    for (uint32_t w = 0; w < WORDS; w++)
        expected &= !t[i].writes[w] || !another_ahead(i, w);
    assert_int_equal(cw_si_exact_seal(g, t[i].number), expected);
    t[i].state = expected ? SEALS : REFUSED;
    t[i].committed = now;
}

static void step(struct cw_rng *rng, cw_time now, uint64_t *refused)
{
    const uint32_t i = cw_rng_below(rng, ATTEMPTS), what = cw_rng_below(rng, 12);
    cw_time oldest = CW_TIME_NEVER;
    if (i >= cnt) {
        if (cnt == ATTEMPTS || cw_rng_below(rng, 4) > 0)
            return;
        t[cnt].state = RUNS;
        t[cnt].begin = now;
        t[cnt++].number = cw_si_exact_begin(g, now);
    } else if (t[i].state == REFUSED || (t[i].state == RUNS && what == 0)) {
        *refused += t[i].state == REFUSED;
        cw_si_exact_abort(g, t[i].number);
        t[i].state = ABORTS;
    } else if (t[i].state == SEALS) {
        cw_si_exact_commit(g, t[i].number, now);
        t[i].committed = now;
        t[i].state = COMMITS;
    } else if (t[i].state == RUNS && what < 2) {
        check_seal(i, now);
    } else if (t[i].state == RUNS) {
        check_access(i, cw_rng_below(rng, WORDS), what < 6);
    }
    for (uint32_t a = 0; a < cnt; a++)
        if (t[a].state == RUNS && t[a].begin < oldest)
            oldest = t[a].begin;
    cw_si_exact_prune(g, oldest, now);
}

static void test_snapshot_exact__random_histories(void **state)
{
    struct cw_rng rng;
    uint64_t refused = 0, pruned = 0;
    (void)state;
    cw_rng_seed(&rng, cw_test_seed(11));
    for (uint32_t round = 0; round < 60; round++) {
        cw_si_exact_destroy(g);
        g = cw_si_exact_create();
        assert_non_null(g);
        memset(t, 0, sizeof t);
        cnt = 0;
        for (uint32_t k = 0; k < STEPS; k++)
            step(&rng, 10 + k, &refused);
        uint32_t committed = 0, others = 0;
        for (uint32_t a = 0; a < cnt; a++) {
            committed += t[a].state == COMMITS;
            others += t[a].state != COMMITS && t[a].state != ABORTS;
        }
        pruned += committed + others - cw_si_exact_known(g);
    }
    printf("%u refused, %u committed and forgotten\n", (unsigned)refused, (unsigned)pruned);
    assert_true(refused > 300 && pruned > 100);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_snapshot_exact__write_skew, setup, teardown),
    cmocka_unit_test_setup_teardown(test_snapshot_exact__first_committer_wins, setup, teardown),
    cmocka_unit_test_setup_teardown(test_snapshot_exact__read_only_anomaly, setup, teardown),
    cmocka_unit_test_setup_teardown(test_snapshot_exact__random_histories, setup, teardown),
};
CW_TEST_MAIN(tests)
