/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshot isolation: logical times (SI-TM 4.1, Figure 7). A reader of a word is before the writer of the next version of it: the reader is
 * the predecessor of the edge, the writer the successor. Along every edge between transactions that commit, the last CTS grows. So they
 * have a serial order: that of their last CTS.
 *
 * The rules are those of the post-dating unit (include/cowarp/unit/postdate_unit.h). It takes one operation per L2 cycle: a BEGIN, COMMIT or
 * FREE of an ID before any edge, so that it knows of each ID what the version manager knows when an edge of it is judged.
 *
 * When no time is left (4.3), nobody begins, and an edge for which there is none is refused. When all transactions have ended, times begin
 * at 0 anew.
 */
#include "mech/snapshot/center/center.h"

#include <stdlib.h>

static void push(struct cw_si_center *c, const struct cw_adapt_postdate_unit_op *op)
{
    struct cw_si_times *t = &c->times;
    if (t->cnt == CW_SI_UPDATES) {
        cw_mech_fault(&c->tm->host, CW_ELIMIT, "snapshot isolation: too many transactions wait for their logical times");
        return;
    }
    t->update[(t->head + t->cnt++) % CW_SI_UPDATES] = *op;
}

bool cw_si__times_first(struct cw_si_center *c, uint32_t slot, uint32_t *cts)
{
    struct cw_si_times *t = &c->times;
    const uint32_t written = c->version[slot].cts, below = written > t->read_only_cts ? written : t->read_only_cts;
    const uint64_t largest = (UINT64_C(1) << c->tm->keys->si_time_bits) - 1;
    if (below >= largest)
        t->run_over = true;
    *cts = below + 1;
    return t->committing == 0 && !t->run_over;
}

void cw_si__times_begin(struct cw_si_center *c, uint32_t id)
{
    const struct cw_adapt_postdate_unit_op op = {.kind = CW_POSTDATE_BEGIN, .a = id, .time = c->id[id].cts};
    push(c, &op);
}

void cw_si__times_free(struct cw_si_center *c, uint32_t id)
{
    const struct cw_adapt_postdate_unit_op op = {.kind = CW_POSTDATE_FREE, .a = id};
    cw_si_graph_remove(c->times.graph, id, c->id[id].state == CW_SI_COMMITTED);
    push(c, &op);
}

void cw_si__times_commit(struct cw_si_center *c, uint32_t id, bool read_only)
{
    /* b is the unit's no input of a COMMIT: here it says whether the transaction was read-only */
    const struct cw_adapt_postdate_unit_op op = {.kind = CW_POSTDATE_COMMIT, .a = id, .b = read_only};
    c->times.committing++;
    push(c, &op);
}

bool cw_si__times_open(const struct cw_si_center *c)
{
    return c->times.cnt == 0 && !c->times.has_edge && cw_adapt_postdate_unit_ready(c->times.unit);
}

static bool is_alive(const struct cw_si_transaction *t)
{
    return t->state != CW_SI_UNUSED && t->state != CW_SI_DEAD;
}

/* Whether it is an edge to be judged, by what the unit does not know: when the writer has committed. */
static bool is_edge(const struct cw_si_center *c, const struct cw_si_transaction *reader, const struct cw_si_transaction *writer)
{
    if (c->tm->sabotage == CW_SI_NO_POSTDATING || !is_alive(reader) || !is_alive(writer))
        return false;
    if (writer->state == CW_SI_COMMITTED && writer->committed <= reader->begin)
        return false; /* it reads what this one has written */
    return writer->state == CW_SI_RUNNING || c->tm->keys->si_retain != CW_SI_RETAIN_PUBLISHED;
}

void cw_si__times_edge(struct cw_si_center *c, uint32_t partition, const struct cw_si_fact_note *fact)
{
    struct cw_si_times *t = &c->times;
    const struct cw_si_transaction *reader = c->id + fact->reader, *writer = c->id + fact->writer;
    const bool edge = is_edge(c, reader, writer), asks = (fact->reader_asks ? reader : writer)->state == CW_SI_RUNNING;
    c->tm->counters->si_edges++;
    t->question[t->tag] = (struct cw_si_question){.edge = true, .exact = edge && asks, .partition = partition, .fact = *fact};
    t->edge = (struct cw_adapt_postdate_unit_op){.kind = CW_POSTDATE_EDGE,
                                                 .a = fact->reader,
                                                 .b = edge ? fact->writer : fact->reader, /* of one transaction to itself: none */
                                                 .writer_asks = !fact->reader_asks,
                                                 .tag = t->tag++};
    t->has_edge = true;
}

static void judged(struct cw_si_center *c, const struct cw_si_question *q, const struct cw_adapt_postdate_unit_answer *a, cw_time now)
{
    const struct cw_si_fact_note *f = &q->fact;
    const struct cw_si_verdict_note v = {.op = f->op, .lane = f->lane, .refused = !a->accepted};
    struct cw_si_times *t = &c->times;
    const bool exact = q->exact && is_alive(c->id + f->reader) && is_alive(c->id + f->writer);
    if (a->accepted && exact)
        cw_si_graph_add(t->graph, f->reader, f->writer);
    t->run_over |= a->overflow;
    c->tm->counters->si_loops += a->loop;
    c->tm->counters->si_false_loops += a->loop && !cw_si_graph_leads(t->graph, f->writer, f->reader);
    cw_si_line_push(c->tm->verdict_line + q->partition, &v, now, c->tm->postdate);
}

static void committed(struct cw_si_center *c, const struct cw_si_question *q, const struct cw_adapt_postdate_unit_answer *a)
{
    struct cw_si_times *t = &c->times;
    c->id[q->id].cts = a->time;
    if (q->read_only && a->time > t->read_only_cts)
        t->read_only_cts = a->time;
    t->committing--;
}

/* Times begin anew when nobody has one any more. */
static void start_over(struct cw_si_center *c)
{
    struct cw_si_times *t = &c->times;
    if (t->cnt > 0 || t->has_edge || cw_adapt_postdate_unit_busy(t->unit))
        return;
    for (uint32_t id = 0; id < c->tm->ids; id++)
        if (is_alive(c->id + id))
            return;
    for (uint32_t i = 0; i < CW_SI_SLOTS; i++)
        c->version[i].cts = 0;
    t->read_only_cts = 0;
    t->run_over = false;
    c->tm->counters->si_rollovers++;
    cw_adapt_postdate_unit_clear(t->unit);
}

static const struct cw_adapt_postdate_unit_op *next_op(struct cw_si_times *t)
{
    if (t->has_edge)
        return &t->edge;
    if (t->cnt == 0 || !cw_adapt_postdate_unit_ready(t->unit))
        return NULL;
    struct cw_adapt_postdate_unit_op *op = t->update + t->head;
    t->head = (t->head + 1) % CW_SI_UPDATES;
    t->cnt--;
    if (op->kind != CW_POSTDATE_COMMIT)
        return op;
    t->question[t->tag] = (struct cw_si_question){.id = op->a, .read_only = op->b != 0};
    op->tag = t->tag++;
    return op;
}

bool cw_si__times_clock(struct cw_si_center *c, cw_time now)
{
    struct cw_si_times *t = &c->times;
    struct cw_adapt_postdate_unit_answer answer;
    if (t->run_over)
        start_over(c);
    cw_adapt_postdate_unit_clock(t->unit, next_op(t), &answer);
    t->has_edge = false;
    if (answer.valid && t->question[answer.tag].edge)
        judged(c, t->question + answer.tag, &answer, now);
    else if (answer.valid)
        committed(c, t->question + answer.tag, &answer);
    return answer.valid || t->cnt > 0 || t->run_over || cw_adapt_postdate_unit_busy(t->unit);
}

int cw_si__times_create(struct cw_si_center *c, struct cw_error *err)
{
    const struct cw_si_keys *keys = c->tm->keys;
    const struct cw_adapt_postdate_unit_config unit = {
        .id_bits = keys->si_id_bits, .time_bits = keys->si_time_bits, .rules = (uint32_t)keys->si_rules, .step = keys->si_step};
    struct cw_si_times *t = &c->times;
    t->update = calloc(CW_SI_UPDATES, sizeof *t->update);
    t->graph = cw_si_graph_create();
    if (t->update == NULL || t->graph == NULL)
        return CW_ENOMEM;
    return cw_adapt_postdate_unit_create(&t->unit, c->tm->host.units, &unit, err);
}

void cw_si__times_destroy(struct cw_si_center *c)
{
    cw_adapt_postdate_unit_destroy(c->times.unit);
    cw_si_graph_destroy(c->times.graph);
    free(c->times.update);
}
