/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C model of Kilo TM's last writer history, exact to the bit and the cycle: include/cowarp/unit/last_writer_history.h is the
 * specification (Fung 2015, section 4.2.5).
 *
 * An operation touches the table and the filter two cycles after it was accepted, in that order. The C model of the recency Bloom
 * filter is a part. All outputs are functions of the state, so a tick leaves the next cycle's outputs in `out`.
 */
#include "cowarp/unit/last_writer_history.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit/recency_bloom_filter.h"
#include "unit/h3.h"

/* No seed of the filter's: a crowded set must not make a crowded bucket. */
#define SET_SEED 0x50607080u

struct entry {
    uint64_t addr, cid; /* cid 0: empty */
};

/* An operation that has been accepted and has not reached the table yet. */
struct operation {
    bool valid, write;
    uint64_t addr, cid;
};

/* What the table made of an operation. */
struct outcome {
    bool check, found, evict;
    uint64_t addr, cid; /* of the CHECK, or of the evicted entry */
};

/* From an operation's search to the answer's cycle. */
#define WAITING (CW_LAST_WRITER_HISTORY_LATENCY - 3)

struct answer {
    bool valid, exact;
    uint64_t cid; /* while it waits for the filter: when exact, else 0 */
};

struct history {
    struct cw_last_writer_history_params p;
    struct cw_last_writer_history_out out;
    struct cw_h3 hash;
    uint64_t addr_mask, cid_mask;
    struct entry *entry; /* [ways << set_w]: set-major */

    struct operation accepted, read;
    struct answer waiting[WAITING], rsp; /* youngest first */
    bool clear_pending;
    bool evicted;
    uint32_t sweep_left; /* cycles of the table's sweep still to come */

    void *bloom;
    struct cw_recency_bloom_filter_out bloom_out;
};

static const struct cw_unit_ops *bloom_ops(void)
{
    return &cw_recency_bloom_filter_unit.c_model;
}

static uint64_t mask_of(uint32_t width)
{
    return width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

static struct entry *find(struct entry *set, uint32_t ways, uint64_t addr)
{
    for (uint32_t w = 0; w < ways; w++)
        if (set[w].cid != 0 && set[w].addr == addr)
            return &set[w];
    return NULL;
}

static struct entry *oldest(struct entry *set, uint32_t ways)
{
    struct entry *e = &set[0];
    for (uint32_t w = 1; w < ways; w++)
        if (set[w].cid < e->cid)
            e = &set[w];
    return e;
}

/* The table's part of an operation. live: commit IDs below are dead in this cycle. */
static struct outcome search(struct history *h, const struct operation *op, uint64_t live)
{
    struct outcome o = {.check = op->valid && !op->write};
    if (!op->valid)
        return o;
    struct entry *set = &h->entry[(size_t)cw_h3(&h->hash, op->addr) * h->p.ways];
    struct entry *e = find(set, h->p.ways, op->addr);
    o.found = e != NULL;
    if (!op->write) {
        o.addr = op->addr;
        o.cid = e != NULL ? e->cid : 0;
        return o;
    }
    if (op->cid == 0)
        return o;
    if (e == NULL) {
        e = oldest(set, h->p.ways);
        o.evict = e->cid != 0 && e->cid >= live;
        o.addr = e->addr;
        o.cid = e->cid;
        e->addr = op->addr;
    }
    e->cid = op->cid;
    return o;
}

static void tick_bloom(struct history *h, const struct outcome *o, bool clear)
{
    const struct cw_recency_bloom_filter_in in = {
        .lkp_valid = o->check && !o->found,
        .lkp_key = o->addr,
        .ins_valid = o->evict,
        .ins_key = o->addr,
        .ins_v0 = o->cid,
        .clear = clear,
    };
    if (!in.lkp_valid && !in.ins_valid && !clear && !h->bloom_out.busy)
        return;
    bloom_ops()->tick(h->bloom, &in);
    bloom_ops()->eval(h->bloom, &(struct cw_recency_bloom_filter_in){0}, &h->bloom_out);
}

static void start_sweep(struct history *h)
{
    memset(h->entry, 0, ((size_t)h->p.ways << h->p.set_w) * sizeof *h->entry);
    h->sweep_left = 1u << h->p.set_w;
    h->clear_pending = false;
}

/* Outputs of the coming cycle. */
static void present(struct history *h)
{
    struct cw_last_writer_history_out *o = &h->out;
    o->op_ready = !h->clear_pending && h->sweep_left == 0 && h->bloom_out.lkp_ready;
    o->rsp_valid = h->rsp.valid;
    o->rsp_exact = h->rsp.exact;
    o->rsp_cid = h->rsp.cid;
    o->evt_evict = h->evicted;
    bool waiting = false;
    for (int i = 0; i < WAITING; i++)
        waiting = waiting || h->waiting[i].valid;
    o->busy = h->clear_pending || h->sweep_left != 0 || h->accepted.valid || h->read.valid || waiting || h->rsp.valid || h->bloom_out.busy;
}

/* The oldest waiting answer has the filter's now, and what the table has found takes its place at the other end. */
static void move_answers(struct history *h, const struct outcome *o)
{
    h->rsp = h->waiting[WAITING - 1];
    if (h->rsp.valid && !h->rsp.exact)
        h->rsp.cid = h->bloom_out.rsp_v0;
    for (int i = WAITING - 1; i > 0; i--)
        h->waiting[i] = h->waiting[i - 1];
    h->waiting[0] = (struct answer){o->check, o->check && o->found, o->check && o->found ? o->cid : 0};
}

static void history_tick(void *self, const void *inputs)
{
    struct history *h = self;
    const struct cw_last_writer_history_in *in = inputs;
    if (!h->out.busy && !(in->op_valid & 1) && !(in->clear & 1))
        return;
    bool accept = h->out.op_ready && (in->op_valid & 1);
    bool sweep = h->clear_pending && !h->accepted.valid;

    const struct outcome o = search(h, &h->read, in->live_cid & h->cid_mask);
    move_answers(h, &o);
    tick_bloom(h, &o, sweep);
    h->evicted = o.evict;
    h->read = h->accepted;
    h->accepted.valid = accept;
    if (accept)
        h->accepted = (struct operation){true, in->op_write & 1, in->op_addr & h->addr_mask, in->op_cid & h->cid_mask};
    if (sweep)
        start_sweep(h);
    else if (h->sweep_left != 0)
        h->sweep_left--;
    if (h->out.op_ready && (in->clear & 1))
        h->clear_pending = true;
    present(h);
}

static void history_eval(void *self, const void *inputs, void *outputs)
{
    const struct history *h = self;
    (void)inputs;
    memcpy(outputs, &h->out, sizeof h->out);
}

static void history_reset(void *self)
{
    struct history *h = self;
    h->accepted.valid = h->read.valid = h->evicted = false;
    memset(h->waiting, 0, sizeof h->waiting);
    memset(&h->rsp, 0, sizeof h->rsp);
    bloom_ops()->reset(h->bloom);
    bloom_ops()->eval(h->bloom, &(struct cw_recency_bloom_filter_in){0}, &h->bloom_out);
    start_sweep(h);
    present(h);
}

static void history_destroy(void *self)
{
    struct history *h = self;
    if (h == NULL)
        return;
    bloom_ops()->destroy(h->bloom);
    free(h->entry);
    free(h);
}

static int history_create(void **self, const void *params)
{
    const struct cw_last_writer_history_params *p = params;
    if (cw_unit_params_check(&cw_last_writer_history_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct history *h = calloc(1, sizeof *h);
    if (h == NULL)
        return CW_ENOMEM;
    h->p = *p;
    h->addr_mask = mask_of(p->addr_w);
    h->cid_mask = mask_of(p->cid_w);
    cw_h3_init(&h->hash, SET_SEED, p->addr_w, p->set_w);
    h->entry = calloc((size_t)p->ways << p->set_w, sizeof *h->entry);
    const struct cw_recency_bloom_filter_params bloom = {
        .ways = p->bloom_ways, .row_w = p->bloom_row_w, .key_w = p->addr_w, .fields = 1, .value_w = p->cid_w, .dual_read = 0};
    int status = h->entry == NULL ? CW_ENOMEM : bloom_ops()->create(&h->bloom, &bloom);
    if (status != CW_OK) {
        history_destroy(h);
        return status;
    }
    history_reset(h);
    *self = h;
    return CW_OK;
}

static void operation_state(struct cw_state *s, struct operation *op)
{
    CW_STATE(s, op->valid);
    CW_STATE(s, op->write);
    CW_STATE(s, op->addr);
    CW_STATE(s, op->cid);
}

static void answer_state(struct cw_state *s, struct answer *a)
{
    CW_STATE(s, a->valid);
    CW_STATE(s, a->exact);
    CW_STATE(s, a->cid);
}

static void history_state(void *self, struct cw_state *s)
{
    struct history *h = self;
    CW_STATE_PORTS(s, h->out);
    for (size_t i = 0; i < (size_t)h->p.ways << h->p.set_w; i++) {
        CW_STATE(s, h->entry[i].addr);
        CW_STATE(s, h->entry[i].cid);
    }
    operation_state(s, &h->accepted);
    operation_state(s, &h->read);
    for (uint32_t i = 0; i < WAITING; i++)
        answer_state(s, &h->waiting[i]);
    answer_state(s, &h->rsp);
    CW_STATE(s, h->clear_pending);
    CW_STATE(s, h->evicted);
    CW_STATE(s, h->sweep_left);
    bloom_ops()->state(h->bloom, s);
    CW_STATE_PORTS(s, h->bloom_out);
}

#define CW_UNIT__PARAMS_T struct cw_last_writer_history_params
#define CW_UNIT__IN_T     struct cw_last_writer_history_in
#define CW_UNIT__OUT_T    struct cw_last_writer_history_out
CW_UNIT_DEFINE_WORDS(last_writer_history, CW_LAST_WRITER_HISTORY_PARAMS, CW_LAST_WRITER_HISTORY_PORTS, CW_LAST_WRITER_HISTORY_WORDS,
                     history_create, history_destroy, history_reset, history_eval, history_tick, history_state);
