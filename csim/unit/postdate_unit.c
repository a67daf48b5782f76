/* SPDX-License-Identifier: Apache-2.0 */
/* C model of the post-dating unit (contract: include/cowarp/unit/postdate_unit.h). The lines are those of SI-TM's Figure 7. */
#include "cowarp/unit/postdate_unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"

typedef struct cw_postdate_unit_in postdate_in;
typedef struct cw_postdate_unit_out postdate_out;

#define IDS_MAX 1024u
#define LATENCY 2u          /* cycles */
#define MISSING INT64_C(-1) /* a PDTS */

enum rules { CORRECTED, INFINITE, PRINTED };

struct transaction {
    enum { NOBODY, RUNS, COMMITTED } state;
    int64_t cts, pdts;
};

struct postdate {
    struct cw_postdate_unit_params p;
    uint64_t id_mask, tag_mask;
    int64_t largest;
    struct transaction id[IDS_MAX];
    uint32_t wait;              /* cycles until operations are taken */
    uint32_t recent;            /* cycles that the last operation still takes */
    postdate_out next, current; /* answer to the operation of the last cycle; answer of this cycle */
};

static void clear(struct postdate *u)
{
    memset(u->id, 0, sizeof u->id);
    u->wait = 1u << u->p.id_w;
}

static void postdate_reset(void *self)
{
    struct postdate *u = self;
    clear(u);
    u->recent = 0;
    memset(&u->next, 0, sizeof u->next);
    memset(&u->current, 0, sizeof u->current);
}

static int postdate_create(void **self, const void *params)
{
    const struct cw_postdate_unit_params *p = params;
    if (cw_unit_params_check(&cw_postdate_unit_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct postdate *u = calloc(1, sizeof *u);
    if (u == NULL)
        return CW_ENOMEM;
    u->p = *p;
    u->id_mask = (1u << p->id_w) - 1;
    u->tag_mask = (1u << p->tag_w) - 1;
    u->largest = (INT64_C(1) << p->time_w) - 1;
    postdate_reset(u);
    *self = u;
    return CW_OK;
}

static void postdate_destroy(void *self)
{
    free(self);
}

static void postdate_eval(void *self, const void *inputs, void *outputs)
{
    const struct postdate *u = self;
    postdate_out *out = outputs;
    (void)inputs;
    *out = u->current;
    out->op_ready = u->wait == 0;
    out->idle = u->wait == 0 && u->recent == 0;
}

/* Lines 1 to 15. What the successor has to exceed; the predecessor runs. */
static int64_t predecessor(const struct postdate *u, struct transaction *pred, int64_t succ_pdts)
{
    const bool printed = u->p.rules == PRINTED;
    if (succ_pdts == MISSING || pred->cts >= succ_pdts) {
        if (pred->pdts == MISSING)
            pred->pdts = pred->cts + (int64_t)u->p.step;
    } else {
        const int64_t midpoint = (pred->cts + succ_pdts) / 2;
        if (pred->pdts > midpoint || (pred->pdts == MISSING && !printed))
            pred->pdts = midpoint;
    }
    return pred->pdts;
}

/* Lines 16 to 22: whether the successor can follow. */
static bool successor(const struct postdate *u, struct transaction *succ, int64_t timestamp)
{
    if (succ->pdts != MISSING && timestamp >= succ->pdts)
        return false;
    if (u->p.rules != CORRECTED || succ->cts <= timestamp)
        succ->cts = timestamp + 1;
    return true;
}

/* A writer that has committed; the reader runs. */
static bool follows_fixed(const struct postdate *u, struct transaction *reader, const struct transaction *writer)
{
    if (u->p.rules == PRINTED) {
        predecessor(u, reader, MISSING);
        return true;
    }
    if (reader->cts >= writer->cts)
        return false;
    if (reader->pdts == MISSING || reader->pdts > writer->cts - 1)
        reader->pdts = writer->cts - 1;
    return true;
}

static void judge(struct postdate *u, const postdate_in *in, postdate_out *answer)
{
    struct transaction *const a = u->id + (in->op_a & u->id_mask), *const b = u->id + (in->op_b & u->id_mask);
    const struct transaction *const asks = (in->op_by & 1) != 0 ? b : a;
    struct transaction reader = *a, writer = *b;
    bool possible = true;
    answer->ans_accepted = 1;
    if (a == b || a->state == NOBODY || b->state == NOBODY || asks->state != RUNS)
        return;
    if (writer.state == COMMITTED)
        possible = follows_fixed(u, &reader, &writer);
    else
        possible = successor(u, &writer, reader.state == RUNS ? predecessor(u, &reader, writer.pdts) : reader.cts);
    if (reader.pdts > u->largest || writer.cts > u->largest) {
        answer->ans_accepted = 0;
        answer->ans_overflow = 1;
        return;
    }
    *a = reader;
    *b = writer;
    answer->ans_accepted = possible;
    answer->ans_loop = !possible;
}

/* The last CTS of who commits: as late as its bound lets it be, so that who has read past it finds a time below. */
static int64_t last(const struct postdate *u, const struct transaction *t)
{
    const int64_t late = t->pdts != MISSING ? t->pdts : t->cts + 4 * (int64_t)u->p.step;
    return u->p.rules != CORRECTED || late > u->largest ? t->cts : late;
}

static void operate(struct postdate *u, const postdate_in *in)
{
    struct transaction *t = u->id + (in->op_a & u->id_mask);
    const uint64_t kind = in->op_kind & 3;
    if (kind == CW_POSTDATE_EDGE || kind == CW_POSTDATE_COMMIT) {
        u->next.ans_valid = 1;
        u->next.ans_tag = in->op_tag & u->tag_mask;
    }
    if (kind == CW_POSTDATE_EDGE) {
        judge(u, in, &u->next);
    } else if (kind == CW_POSTDATE_BEGIN) {
        *t = (struct transaction){RUNS, (int64_t)(in->op_time & (uint64_t)u->largest), MISSING};
    } else if (kind == CW_POSTDATE_FREE) {
        t->state = NOBODY;
    } else if (t->state == RUNS) {
        t->state = COMMITTED;
        t->cts = last(u, t);
        u->next.ans_accepted = 1;
        u->next.ans_time = (uint64_t)t->cts;
    }
}

static void postdate_tick(void *self, const void *inputs)
{
    struct postdate *u = self;
    const postdate_in *in = inputs;
    u->current = u->next;
    memset(&u->next, 0, sizeof u->next);
    if (u->wait > 0 || in->op_valid)
        u->recent = LATENCY;
    else if (u->recent > 0)
        u->recent--;
    if (u->wait > 0)
        u->wait--;
    else if (in->op_valid)
        operate(u, in);
    if (in->clear)
        clear(u);
}

static void postdate_state(void *self, struct cw_state *s)
{
    struct postdate *u = self;
    for (uint64_t i = 0; i <= u->id_mask; i++) {
        CW_STATE(s, u->id[i].state);
        CW_STATE(s, u->id[i].cts);
        CW_STATE(s, u->id[i].pdts);
    }
    CW_STATE(s, u->wait);
    CW_STATE(s, u->recent);
    CW_STATE_PORTS(s, u->next);
    CW_STATE_PORTS(s, u->current);
}

#define CW_UNIT__PARAMS_T struct cw_postdate_unit_params
#define CW_UNIT__IN_T     struct cw_postdate_unit_in
#define CW_UNIT__OUT_T    struct cw_postdate_unit_out
CW_UNIT_DEFINE_WORDS(postdate_unit, CW_POSTDATE_UNIT_PARAMS, CW_POSTDATE_UNIT_PORTS, CW_POSTDATE_UNIT_WORDS, postdate_create,
                     postdate_destroy, postdate_reset, postdate_eval, postdate_tick, postdate_state);
