/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshot isolation, version manager: the exact graph. sitm-oracle has it in the place of tables and logical times (SI-TM section 6: perfect
 * loop detection by a dependence graph, many writers, no cost); with si.graph=on sitm-ts counts by it, and nothing else. Under sitm-oracle partitions tell of each word that a transaction reads or writes; the answer is there two L2
 * cycles later, before the L2's, so nobody waits for it.
 *
 * Several running transactions of sitm-oracle may have written a word. Who first wants to commit does; the others abort when they want to, or when they
 * write such a word, whatever comes first. So a commit that has come to the commit units cannot fail there.
 */
#include "mech/snapshot/center/center.h"
#include "mech/tm/tell.h"

int cw_si__oracle_create(struct cw_si_center *c)
{
    c->exact = cw_si_exact_create();
    return c->exact == NULL ? CW_ENOMEM : CW_OK;
}

void cw_si__oracle_begin(struct cw_si_center *c, uint32_t id, uint32_t core, uint32_t lane, const struct cw_si_ask_note *n)
{
    const uint64_t thread = (uint64_t)n->blocks << 32 | (uint64_t)core << 16 | n->warp << 8 | lane;
    c->attempt[id] = cw_si_exact_begin(c->exact, c->id[id].begin);
    /* Who has written goes on at its commit, who has not when it says so, two wires before that. */
    cw_si_exact_order(c->exact, c->attempt[id], thread, n->looked, n->looked == 0 ? 0 : n->looked + 2 * c->tm->wire);
}

void cw_si__oracle_free(struct cw_si_center *c, uint32_t id)
{
    if (c->id[id].state != CW_SI_COMMITTED) /* the graph keeps what has committed by itself */
        cw_si_exact_abort(c->exact, c->attempt[id]);
}

void cw_si__oracle_commit(struct cw_si_center *c, uint32_t id, cw_time time)
{
    cw_si_exact_commit(c->exact, c->attempt[id], time);
}

cw_lanes cw_si__oracle_seal(struct cw_si_center *c, const struct cw_si_ask_note *n)
{
    cw_lanes failed = 0;
    for (cw_lanes rest = n->writers; rest != 0; rest = cw_lanes_rest(rest))
        if (!cw_si_exact_seal(c->exact, c->attempt[n->id[cw_lanes_first(rest)]]))
            failed |= cw_lanes_one(cw_lanes_first(rest));
    return failed;
}

static enum cw_si_exact_answer ask(struct cw_si_center *c, const struct cw_si_fact_note *f)
{
    struct cw_si_counters *counters = c->tm->counters;
    const bool writes = f->kind == CW_SI_HAS_WRITTEN;
    uint64_t edges = 0, loops = 0;
    if (c->tm->oracle && c->tm->sabotage == CW_SI_NO_POSTDATING && !writes)
        return CW_SI_EXACT_FINE;
    const enum cw_si_exact_answer answer =
        cw_si_exact_access(c->exact, c->attempt[writes ? f->writer : f->reader], f->word, writes, &edges, &loops);
    counters->si_exact_loops += loops;
    if (c->tm->oracle) {
        counters->si_edges += edges;
        counters->si_loops += loops;
    }
    return answer;
}

void cw_si__oracle_count(struct cw_si_center *c, const struct cw_si_fact_note *f)
{
    ask(c, f);
}

void cw_si__oracle_access(struct cw_si_center *c, uint32_t partition, const struct cw_si_fact_note *f, cw_time now)
{
    const enum cw_si_exact_answer answer = ask(c, f);
    const struct cw_si_verdict_note v = {
        .op = f->op, .lane = f->lane, .refused = answer == CW_SI_EXACT_LOOP, .write_write = answer == CW_SI_EXACT_WRITE_WRITE};
    if (answer != CW_SI_EXACT_FINE) /* Whose, only the partition knows */
        cw_tell_conflict(&c->tm->host, (struct cw_attempt_name){0}, f->lane, f->word, now);
    cw_si_line_push(c->tm->verdict_line + partition, &v, now, c->period);
}

void cw_si__oracle_clean(struct cw_si_center *c, cw_time oldest, cw_time now)
{
    struct cw_si_counters *counters = c->tm->counters;
    const struct cw_si_exact_pairs *pairs = cw_si_exact_pairs(c->exact);
    cw_si_exact_prune(c->exact, oldest, now);
    counters->si_pairs = pairs->all;
    counters->si_pairs_read_write = pairs->read_write;
    counters->si_pairs_write_write = pairs->write_write;
    counters->si_pairs_both = pairs->both;
    if (cw_si_exact_failed(c->exact))
        cw_mech_fault(&c->tm->host, CW_ENOMEM, "snapshot isolation: out of host memory for the exact graph");
}
