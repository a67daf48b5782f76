/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for an order of the committed transactions that explains what a launch has left in the oracle's record. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/serial_graph.h"
#include "check/serial_private.h"

#define NONE      CW_SERIAL_NONE
#define CYCLE_MAX 64u /* edges of a cycle that are looked at */

struct verdict {
    struct cw_serial *s;
    struct cw_serial_report *report;
    struct cw_graph graph;
    struct cw_serial_nodes nodes;
    char values[512]; /* first violation other than a cycle */
    uint32_t blamed;  /* Whose it is; 0: nobody's */
};

static const char *name(const struct cw_serial *s, uint32_t attempt, char text[80])
{
    const struct cw_serial_attempt *a = s->attempt.at + attempt;
    if (attempt == 0)
        snprintf(text, 80, "the initial state");
    else
        snprintf(text, 80, "transaction %u (core %u warp %u lane %u)", attempt, a->core, a->warp, a->lane);
    return text;
}

#define NOTE(v, who, ...)                                      \
    do {                                                       \
        if ((v)->values[0] != '\0')                            \
            break;                                             \
        snprintf((v)->values, sizeof(v)->values, __VA_ARGS__); \
        (v)->blamed = (who);                                   \
    } while (0)

static void judge_reads(struct verdict *v)
{
    struct cw_serial *s = v->s;
    char who[80];
    for (uint32_t i = 0; i < s->read.cnt; i++) {
        const struct cw_serial_read *r = s->read.at + i;
        const struct cw_serial_attempt *a = s->attempt.at + r->attempt;
        v->report->late_reads += a->fate == CW_SERIAL_ABORTED && r->now >= a->ended;
        if (a->fate != CW_SERIAL_COMMITTED || r->replaced)
            continue;
        v->report->reads++;
        if (r->version != NONE)
            continue;
        v->report->value_errors++;
        NOTE(v, r->attempt, "%s read 0x%08x from 0x%llx, which never held that", name(s, r->attempt, who), r->value,
             (unsigned long long)s->word.at[r->word].addr);
    }
}

/* Write sets are a few words, seldom hundreds: a search through the chain will do. */
static struct cw_serial_promised *find_promise(struct cw_serial *s, uint32_t attempt, uint64_t addr)
{
    for (uint32_t i = s->attempt.at[attempt].set; i != NONE; i = s->promised.at[i].next)
        if (s->promised.at[i].addr == addr)
            return s->promised.at + i;
    return NULL;
}

static void judge_arrivals(struct verdict *v)
{
    struct cw_serial *s = v->s;
    char who[80];
    for (uint32_t i = 0; i < s->version.cnt; i++) {
        const struct cw_serial_version *w = s->version.at + i;
        uint64_t addr = s->word.at[w->word].addr;
        if (w->writer == 0)
            continue;
        struct cw_serial_promised *p = s->attempt.at[w->writer].fate == CW_SERIAL_COMMITTED ? find_promise(s, w->writer, addr) : NULL;
        if (p == NULL) {
            v->report->lost_writes++;
            NOTE(v, w->writer, "%s wrote 0x%llx, which is in no committed write set", name(s, w->writer, who), (unsigned long long)addr);
            continue;
        }
        v->report->writes++;
        p->wrong = p->wrong || ((w->value ^ p->value) & cw_serial__mask(w->bytes)) != 0;
        if (++p->arrived != 2)
            continue;
        v->report->lost_writes++;
        NOTE(v, w->writer, "%s wrote 0x%llx twice", name(s, w->writer, who), (unsigned long long)addr);
    }
    for (uint32_t i = 0; i < s->promised.cnt; i++) {
        const struct cw_serial_promised *p = s->promised.at + i;
        if (p->arrived == 0)
            NOTE(v, p->attempt, "the write of %s to 0x%llx never reached memory", name(s, p->attempt, who), (unsigned long long)p->addr);
        else if (p->wrong)
            NOTE(v, p->attempt, "the write of %s to 0x%llx reached memory with another value than 0x%08x", name(s, p->attempt, who),
                 (unsigned long long)p->addr, p->value);
        v->report->lost_writes += p->arrived == 0;
        v->report->value_errors += p->arrived != 0 && p->wrong;
    }
}

static void judge_memory(struct verdict *v)
{
    struct cw_serial *s = v->s;
    char who[80];
    for (uint32_t i = 0; i < s->word.cnt; i++) {
        const struct cw_serial_version *last = s->version.at + s->word.at[i].version;
        if (s->word.at[i].left)
            continue;
        uint32_t value = s->word_now(s->context, s->word.at[i].addr);
        if (last->writer == 0 || cw_serial__agrees(last, value))
            continue;
        v->report->value_errors++;
        NOTE(v, last->writer, "memory holds 0x%08x at 0x%llx, but %s wrote 0x%08x last", value, (unsigned long long)s->word.at[i].addr,
             name(s, last->writer, who), last->value);
    }
}

/* What was found out as it happened. */
static void judge_places(struct verdict *v)
{
    v->report->value_errors += v->s->misplaced;
    if (v->s->misplaced > 0)
        NOTE(v, 0, "%s", v->s->place);
}

static uint32_t node_of(const struct cw_serial *s, uint32_t attempt)
{
    return attempt != 0 ? s->attempt.at[attempt].node : NONE;
}

/* Edge between committed attempts; why: what it is and about which version. */
static void add_edge(struct verdict *v, uint32_t from, uint32_t to, enum cw_edge_kind kind, uint32_t version)
{
    uint32_t a = node_of(v->s, from), b = node_of(v->s, to);
    if (a != NONE && b != NONE && a != b && !cw_graph_edge(&v->graph, a, b, kind, version))
        v->s->out_of_memory = true;
}

/* The next version's writer, its own versions skipped: an attempt does not conflict with itself. */
static uint32_t next_writer(const struct cw_serial *s, uint32_t version, uint32_t self)
{
    uint32_t i = s->version.at[version].next;
    while (i != NONE && s->version.at[i].writer == self)
        i = s->version.at[i].next;
    return i;
}

/* The node of a place in the order. */
static uint32_t node_of_place(const struct verdict *v, uint32_t place)
{
    return (place & CW_SERIAL_MEETING) != 0 ? v->nodes.committed + (place & ~CW_SERIAL_MEETING) : node_of(v->s, place);
}

/* Edges of the threads, and of what they have seen of each other. */
static void add_order(struct verdict *v)
{
    struct cw_serial *s = v->s;
    bool fine = true;
    for (uint32_t i = 0; i < s->order.cnt && fine; i++)
        fine = cw_graph_edge(&v->graph, node_of_place(v, s->order.at[i].from), node_of_place(v, s->order.at[i].to), CW_EDGE_ORDER, 0);
    for (uint32_t i = 1; i < s->attempt.cnt && fine; i++)
        if (s->attempt.at[i].node != NONE && s->attempt.at[i].after != NONE)
            fine = cw_graph_edge(&v->graph, node_of_place(v, s->attempt.at[i].after), s->attempt.at[i].node, CW_EDGE_ORDER, 0);
    s->out_of_memory |= !fine;
}

static bool build_graph(struct verdict *v)
{
    struct cw_serial *s = v->s;
    cw_graph_init(&v->graph, 0);
    v->nodes = (struct cw_serial_nodes){.attempt = malloc((s->attempt.cnt + 1) * sizeof *v->nodes.attempt)};
    if (v->nodes.attempt == NULL)
        return false;
    for (uint32_t i = 1; i < s->attempt.cnt; i++)
        if (s->attempt.at[i].fate == CW_SERIAL_COMMITTED) {
            v->nodes.attempt[v->nodes.committed] = i;
            s->attempt.at[i].node = v->nodes.committed++;
        }
    cw_graph_init(&v->graph, v->nodes.committed + s->meetings);
    add_order(v);
    for (uint32_t i = 0; i < s->version.cnt; i++) {
        const struct cw_serial_version *w = s->version.at + i;
        if (w->next != NONE)
            add_edge(v, w->writer, s->version.at[w->next].writer, CW_EDGE_WW, w->next);
    }
    for (uint32_t i = 0; i < s->read.cnt; i++) {
        const struct cw_serial_read *r = s->read.at + i;
        if (r->version == NONE || r->replaced || s->attempt.at[r->attempt].fate != CW_SERIAL_COMMITTED)
            continue;
        uint32_t next = next_writer(s, r->version, r->attempt);
        add_edge(v, s->version.at[r->version].writer, r->attempt, CW_EDGE_WR, r->version);
        if (next != NONE)
            add_edge(v, r->attempt, s->version.at[next].writer, CW_EDGE_RW, next);
    }
    return !s->out_of_memory && cw_graph_close(&v->graph);
}

static bool same_thread(const struct cw_serial_attempt *a, const struct cw_serial_attempt *b)
{
    return a->core == b->core && a->warp == b->warp && a->lane == b->lane;
}

static void describe_edge(const struct verdict *v, const struct cw_edge *e, char *text, size_t size)
{
    static const char *const kind[] = {[CW_EDGE_WR] = "wrote what the next read",
                                       [CW_EDGE_RW] = "read before the next wrote",
                                       [CW_EDGE_WW] = "wrote before the next wrote"};
    const struct cw_serial *s = v->s;
    const uint32_t *attempt = v->nodes.attempt;
    char who[80];
    name(s, attempt[e->from], who);
    if (e->kind == CW_EDGE_ORDER) {
        const bool mine = e->to < v->nodes.committed && same_thread(s->attempt.at + attempt[e->from], s->attempt.at + attempt[e->to]);
        snprintf(text, size, "%s %s", who,
                 mine ? "came before the next in its thread" : "was over, as the next's thread had seen outside of transactions");
    } else {
        const struct cw_serial_version *w = s->version.at + e->label;
        snprintf(text, size, "%s %s 0x%llx (0x%08x)", who, kind[e->kind], (unsigned long long)s->word.at[w->word].addr, w->value);
    }
}

/* Transactions of a cycle: the others of its nodes are meetings. */
static uint32_t transactions_of(const struct verdict *v, const struct cw_edge *const *cycle, uint32_t length)
{
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < length; i++)
        cnt += cycle[i]->from < v->nodes.committed;
    return cnt;
}

/* Behind what stands in text: what leads from transaction to transaction. */
static void describe_path(const struct verdict *v, const struct cw_edge *const *path, uint32_t length, char *text, size_t size)
{
    char edge[256];
    const char *mark = ":";
    size_t at = strlen(text);
    for (uint32_t i = 0; i < length && at < size; i++) {
        if (path[i]->from >= v->nodes.committed)
            continue;
        describe_edge(v, path[i], edge, sizeof edge);
        at += (size_t)snprintf(text + at, size - at, "%s %s", mark, edge);
        mark = ",";
    }
}

/* The transaction is one of the violation. */
static void blame(struct verdict *v, uint32_t attempt)
{
    const struct cw_serial_attempt *a = v->s->attempt.at + attempt;
    if (attempt != 0 && a->committed >= v->report->last.at)
        v->report->last = (struct cw_serial_culprit){.at = a->committed, .core = a->core, .warp = a->warp, .lane = a->lane};
}

static void describe_cycle(struct verdict *v, const struct cw_edge *const *cycle, uint32_t length)
{
    snprintf(v->report->text, sizeof v->report->text, "not serializable: cycle of %" PRIu64 " transactions", v->report->cycle_length);
    describe_path(v, cycle, length, v->report->text, sizeof v->report->text);
    for (uint32_t i = 0; i < length; i++)
        if (cycle[i]->from < v->nodes.committed)
            blame(v, v->nodes.attempt[cycle[i]->from]);
}

/* There is an order. */
static void judge_real_time(struct verdict *v)
{
    const struct cw_edge *path[CYCLE_MAX];
    uint32_t length;
    char early[80], late[80];
    v->report->early = cw_serial__real_time(v->s, &v->nodes, &v->graph, path, CYCLE_MAX, &length);
    if (length == 0)
        return;
    snprintf(v->report->real_time, sizeof v->report->real_time, "%s began when %s had ended, and stands before it",
             name(v->s, v->nodes.attempt[path[0]->from], early),
             length <= CYCLE_MAX ? name(v->s, v->nodes.attempt[path[length - 1]->to], late) : "another one");
    describe_path(v, path, length < CYCLE_MAX ? length : CYCLE_MAX, v->report->real_time, sizeof v->report->real_time);
}

/* Whether a read from before the attempt's abort found what memory, or the attempt's snapshot, never held. */
static bool is_torn(const struct cw_serial *s, uint32_t attempt)
{
    for (uint32_t i = s->attempt.at[attempt].reads; i != NONE; i = s->read.at[i].next)
        if (s->read.at[i].now < s->attempt.at[attempt].ended && s->read.at[i].version == NONE)
            return true;
    return false;
}

/* Whether the attempt, had it committed, would close a cycle. Where regions read memory as it is, no moment exists then at which all its
 * reads were true together. */
static bool closes_cycle(struct verdict *v, uint32_t attempt)
{
    struct cw_serial *s = v->s;
    uint32_t from[64], to[64], from_cnt = 0, to_cnt = 0;
    for (uint32_t i = s->attempt.at[attempt].reads; i != NONE; i = s->read.at[i].next) {
        const struct cw_serial_read *r = s->read.at + i;
        if (r->now >= s->attempt.at[attempt].ended)
            continue;
        uint32_t writer = node_of(s, s->version.at[r->version].writer), next = next_writer(s, r->version, attempt);
        uint32_t after = next != NONE ? node_of(s, s->version.at[next].writer) : NONE;
        if (writer != NONE && to_cnt < 64)
            to[to_cnt++] = writer;
        if (after != NONE && from_cnt < 64)
            from[from_cnt++] = after;
    }
    return from_cnt > 0 && to_cnt > 0 && cw_graph_reaches(&v->graph, from, from_cnt, to, to_cnt);
}

static void judge_aborted(struct verdict *v, uint32_t attempt)
{
    if (is_torn(v->s, attempt))
        v->report->inconsistent_aborted++;
    else if (closes_cycle(v, attempt))
        (*(v->s->snapshot.cnt > 0 ? &v->report->unordered_aborted : &v->report->inconsistent_aborted))++;
}

static void judge_graph(struct verdict *v)
{
    const struct cw_edge *cycle[CYCLE_MAX];
    struct cw_serial *s = v->s;
    uint32_t length = cw_graph_shortest_cycle(&v->graph, cycle, CYCLE_MAX);
    if (length > 0) {
        const uint32_t known = length < CYCLE_MAX ? length : CYCLE_MAX;
        v->report->cycle_length = length - known + transactions_of(v, cycle, known);
        describe_cycle(v, cycle, known);
        return;
    }
    for (uint32_t i = 1; i < s->attempt.cnt; i++)
        if (s->attempt.at[i].fate == CW_SERIAL_ABORTED)
            judge_aborted(v, i);
    judge_real_time(v);
}

/* Events without an attempt come first: what they say is missing from all that follows. */
static void judge_strays(struct verdict *v)
{
    v->report->late_reads += v->s->late;
    v->report->stray_events = v->s->strays;
    if (v->s->strays > 0)
        snprintf(v->report->text, sizeof v->report->text, "the oracle was told what cannot be: %s", v->s->stray);
}

void cw_serial__judge(struct cw_serial *s, struct cw_serial_report *report)
{
    struct verdict v = {.s = s, .report = report};
    for (uint32_t i = 1; i < s->attempt.cnt; i++) {
        report->committed += s->attempt.at[i].fate == CW_SERIAL_COMMITTED;
        report->aborted += s->attempt.at[i].fate == CW_SERIAL_ABORTED;
    }
    judge_reads(&v);
    judge_arrivals(&v);
    judge_memory(&v);
    judge_places(&v);
    if (build_graph(&v))
        judge_graph(&v);
    else
        s->out_of_memory = true;
    cw_graph_free(&v.graph);
    free(v.nodes.attempt);
    if (report->text[0] == '\0') {
        memcpy(report->text, v.values, sizeof v.values);
        blame(&v, v.blamed);
    }
    judge_strays(&v);
}
