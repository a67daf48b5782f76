/* SPDX-License-Identifier: Apache-2.0 */
/* C model of the convergence barriers (contract: include/cowarp/unit/convergence_barriers.h). An operation is carried out when it is taken, and
 * its answer is kept until it is due. */
#include "cowarp/unit/convergence_barriers.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lanes.h"
#include "base/state.h"

typedef struct cw_convergence_barriers_in cb_in;
typedef struct cw_convergence_barriers_out cb_out;

#define BARRIERS_MAX 16u

struct barrier {
    cw_lanes in, at; /* Lanes that it waits for, and of these the ones that wait there. */
    uint32_t pc;
    bool strict;
};

/* A live lane that is not active, held or at a barrier is ready. */
struct warp {
    cw_lanes live, active, held;
    cw_lanes yielded; /* Of the ready ones. */
    cw_lanes served;  /* They have had their turn in this round. */
    uint32_t pc[CW_WARP_LANES_MAX];
    struct barrier barrier[BARRIERS_MAX];
};

/* An operation at work: its inputs, cut to their widths. */
struct op {
    struct warp *w;
    enum cw_convergence_op kind;
    cw_lanes active, lanes, named; /* Active: before it. */
    uint32_t target, next, meet;
    bool meets, first, yields;
    cw_lanes released;
};

struct cb {
    struct cw_convergence_barriers_params p;
    cw_lanes all;
    uint32_t pc_mask;
    struct warp *warp;
    cb_out answer;
    uint32_t left; /* Cycles up to the answer, with its own; 0: none is due. */
};

static void cb_reset(void *self)
{
    struct cb *u = self;
    memset(u->warp, 0, sizeof *u->warp << u->p.warp_w);
    memset(&u->answer, 0, sizeof u->answer);
    u->left = 0;
}

static void cb_destroy(void *self)
{
    struct cb *u = self;
    free(u->warp);
    free(u);
}

static int cb_create(void **self, const void *params)
{
    const struct cw_convergence_barriers_params *p = params;
    if (cw_unit_params_check(&cw_convergence_barriers_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct cb *u = calloc(1, sizeof *u);
    if (u == NULL)
        return CW_ENOMEM;
    u->p = *p;
    u->all = cw_lanes_below(p->lanes);
    u->pc_mask = UINT32_MAX >> (32 - p->pc_w);
    u->warp = calloc((size_t)1 << p->warp_w, sizeof *u->warp);
    if (u->warp == NULL) {
        free(u);
        return CW_ENOMEM;
    }
    *self = u;
    return CW_OK;
}

/* ---- lanes ---- */

static cw_lanes waits_at(const struct warp *w, bool strict)
{
    cw_lanes lanes = 0;
    for (uint32_t b = 0; b < BARRIERS_MAX; b++)
        lanes |= w->barrier[b].strict == strict ? w->barrier[b].at : 0;
    return lanes;
}

static cw_lanes waiting(const struct warp *w)
{
    return waits_at(w, false) | waits_at(w, true);
}

static cw_lanes ready(const struct warp *w)
{
    return w->live & ~w->active & ~w->held & ~waiting(w);
}

static void place(struct warp *w, cw_lanes lanes, uint32_t pc)
{
    w->active &= ~lanes;
    for (; lanes != 0; lanes = cw_lanes_rest(lanes))
        w->pc[cw_lanes_first(lanes)] = pc;
}

/* The lanes stand at the PC; barriers of convergence there that wait for them stop them. */
static void come(struct warp *w, cw_lanes lanes, uint32_t pc)
{
    place(w, lanes, pc);
    for (uint32_t b = 0; b < BARRIERS_MAX; b++)
        if (!w->barrier[b].strict && w->barrier[b].pc == pc)
            w->barrier[b].at |= w->barrier[b].in & lanes;
}

/* ---- barriers ---- */

/* The lowest of this kind at the PC that waits for all of the lanes; NULL: none. */
static struct barrier *find(struct warp *w, bool strict, uint32_t pc, cw_lanes lanes)
{
    for (uint32_t b = 0; b < BARRIERS_MAX; b++) {
        struct barrier *at = &w->barrier[b];
        if (at->in != 0 && at->strict == strict && at->pc == pc && (lanes & ~at->in) == 0)
            return at;
    }
    return NULL;
}

static struct barrier *lowest_free(const struct cb *u, struct warp *w)
{
    for (uint32_t b = 0; b < u->p.barriers; b++)
        if (w->barrier[b].in == 0)
            return &w->barrier[b];
    return NULL;
}

static struct barrier *find_or_take(const struct cb *u, struct warp *w, bool strict, uint32_t pc, cw_lanes lanes, cw_lanes in)
{
    struct barrier *b = find(w, strict, pc, lanes);
    if (b != NULL)
        return b;
    b = lowest_free(u, w);
    if (b != NULL)
        *b = (struct barrier){.in = in, .pc = pc, .strict = strict};
    return b;
}

/* Barriers open whose missing lanes are all among those that they do without; strict ones do without nobody. */
static void open_barriers(struct op *o, cw_lanes without)
{
    struct warp *w = o->w;
    const cw_lanes before = waiting(w);
    for (uint32_t b = 0; b < BARRIERS_MAX; b++) {
        struct barrier *at = &w->barrier[b];
        if (at->at == 0 || (at->in & ~at->at & ~(at->strict ? 0 : without)) != 0)
            continue;
        at->in &= ~at->at;
        at->at = 0;
    }
    o->released |= before & ~waiting(w);
}

/* ---- operations ---- */

static void start(struct op *o)
{
    *o->w = (struct warp){.live = o->lanes, .active = o->lanes};
}

static void branch(const struct cb *u, struct op *o)
{
    const cw_lanes taken = o->active & o->lanes, on = o->active & ~o->lanes;
    if (taken != 0 && on != 0 && o->meets)
        find_or_take(u, o->w, false, o->meet, o->active, o->active);
    come(o->w, taken, o->target);
    come(o->w, on, o->next);
    if (o->yields)
        o->w->yielded |= o->active & ready(o->w);
}

static void warpsync(const struct cb *u, struct op *o)
{
    const cw_lanes here = o->active & o->lanes;
    if (here != 0) {
        struct barrier *b = find_or_take(u, o->w, true, o->target, here, here | (o->named & o->w->live));
        place(o->w, here, o->target);
        if (b != NULL)
            b->at |= here;
        else
            o->w->yielded |= here;
    }
    come(o->w, o->active & ~o->lanes, o->next);
}

static void block(struct op *o)
{
    const cw_lanes here = o->active & o->lanes;
    place(o->w, here, o->target);
    o->w->held |= here;
    come(o->w, o->active & ~o->lanes, o->next);
}

static void resume(struct op *o)
{
    const cw_lanes lanes = o->w->held & o->lanes;
    o->w->held &= ~lanes;
    come(o->w, lanes, o->target);
}

static void leave(struct op *o)
{
    struct warp *w = o->w;
    w->live &= ~o->lanes;
    w->active &= ~o->lanes;
    w->held &= ~o->lanes;
    w->yielded &= ~o->lanes;
    for (uint32_t b = 0; b < BARRIERS_MAX; b++) {
        struct barrier *at = &w->barrier[b];
        at->in &= ~o->lanes;
        at->at &= ~o->lanes;
        if (at->strict && at->at == 0)
            at->in = 0;
    }
}

static void carry_out(const struct cb *u, struct op *o)
{
    switch (o->kind) {
    case CW_CONVERGENCE_START:
        start(o);
        break;
    case CW_CONVERGENCE_BRANCH:
        branch(u, o);
        break;
    case CW_CONVERGENCE_WARPSYNC:
        warpsync(u, o);
        break;
    case CW_CONVERGENCE_BLOCK:
        block(o);
        break;
    case CW_CONVERGENCE_RESUME:
        resume(o);
        break;
    case CW_CONVERGENCE_EXIT:
        leave(o);
        break;
    }
}

/* ---- who runs ---- */

/* Ready lanes that are first, whoever's turn it is. */
static cw_lanes put_first(const struct op *o)
{
    const cw_lanes taken = o->active & o->lanes, on = o->active & ~o->lanes, may = ready(o->w) & ~o->w->yielded;
    if (o->kind == CW_CONVERGENCE_WARPSYNC)
        return taken & may;
    if (o->kind != CW_CONVERGENCE_BRANCH)
        return 0;
    const cw_lanes side = (o->first ? taken : on) & may;
    return side != 0 ? side : (taken | on) & may;
}

/* Ready lanes whose turn it may be. */
static cw_lanes in_turn(const struct op *o)
{
    struct warp *w = o->w;
    const cw_lanes may = ready(w), round = may & ~w->served, begins = may & ~(o->active & w->yielded);
    if (round != 0)
        return round;
    w->served = 0;
    return begins != 0 ? begins : may;
}

/* Returns the PC of the group. */
static uint32_t choose(struct op *o)
{
    struct warp *w = o->w;
    cw_lanes from = put_first(o), may = ready(w);
    if (may == 0)
        return 0;
    if (from == 0)
        from = in_turn(o);
    const uint32_t pc = w->pc[cw_lanes_first(from)];
    for (; may != 0; may = cw_lanes_rest(may))
        if (w->pc[cw_lanes_first(may)] == pc)
            w->active |= cw_lanes_one(cw_lanes_first(may));
    w->served |= w->active;
    w->yielded &= ~w->active;
    return pc;
}

static bool is_barred(const struct warp *w)
{
    bool barred = false;
    for (uint32_t b = 0; b < BARRIERS_MAX; b++)
        barred = barred || (!w->barrier[b].strict && (w->barrier[b].in & w->active) != 0);
    return barred;
}

static void take(struct cb *u, const cb_in *in)
{
    const uint32_t warp = (uint32_t)in->op_warp & ((1u << u->p.warp_w) - 1);
    struct warp *w = &u->warp[warp];
    struct op o = {.w = w,
                   .kind = (enum cw_convergence_op)(in->op_kind & 7),
                   .active = w->active,
                   .lanes = in->op_lanes & u->all,
                   .named = in->op_named & u->all,
                   .target = (uint32_t)in->op_target & u->pc_mask,
                   .next = (uint32_t)in->op_next & u->pc_mask,
                   .meet = (uint32_t)in->op_meet & u->pc_mask,
                   .meets = in->op_meet_valid & 1,
                   .first = in->op_first & 1,
                   .yields = in->op_yield & 1};
    carry_out(u, &o);
    open_barriers(&o, w->yielded);
    if (w->active == 0 && ready(w) == 0)
        open_barriers(&o, w->held | waits_at(w, true));
    const bool keep = w->active != 0;
    const uint32_t pc = keep ? 0 : choose(&o);
    u->answer = (cb_out){.ans_warp = warp,
                         .ans_keep = keep,
                         .ans_group = w->active,
                         .ans_pc = pc,
                         .ans_released = o.released & w->live,
                         .ans_blocked = waits_at(w, false),
                         .ans_parked = w->held | waits_at(w, true),
                         .ans_barred = is_barred(w)};
    u->left = CW_CONVERGENCE_BARRIERS_CYCLES;
}

static void cb_tick(void *self, const void *inputs)
{
    struct cb *u = self;
    const cb_in *in = inputs;
    if (u->left > 0)
        u->left--;
    else if (in->op_valid & 1)
        take(u, in);
}

static void cb_eval(void *self, const void *inputs, void *outputs)
{
    const struct cb *u = self;
    cb_out *out = outputs;
    (void)inputs;
    *out = u->left == 1 ? u->answer : (cb_out){0};
    out->ans_valid = u->left == 1;
    out->op_ready = u->left == 0;
    out->busy = u->left > 0;
}

static void warp_state(struct cw_state *s, struct warp *w, uint32_t barriers)
{
    CW_STATE(s, w->live);
    CW_STATE(s, w->active);
    CW_STATE(s, w->held);
    CW_STATE(s, w->yielded);
    CW_STATE(s, w->served);
    CW_STATE(s, w->pc);
    for (uint32_t b = 0; b < barriers; b++) {
        CW_STATE(s, w->barrier[b].in);
        CW_STATE(s, w->barrier[b].at);
        CW_STATE(s, w->barrier[b].pc);
        CW_STATE(s, w->barrier[b].strict);
    }
}

static void cb_state(void *self, struct cw_state *s)
{
    struct cb *u = self;
    for (uint32_t i = 0; i < 1u << u->p.warp_w; i++)
        warp_state(s, &u->warp[i], u->p.barriers);
    CW_STATE_PORTS(s, u->answer);
    cw_state_count(s, "left", &u->left, CW_CONVERGENCE_BARRIERS_CYCLES);
}

#define CW_UNIT__PARAMS_T struct cw_convergence_barriers_params
#define CW_UNIT__IN_T     struct cw_convergence_barriers_in
#define CW_UNIT__OUT_T    struct cw_convergence_barriers_out
CW_UNIT_DEFINE_WORDS(convergence_barriers, CW_CONVERGENCE_BARRIERS_PARAMS, CW_CONVERGENCE_BARRIERS_PORTS, CW_CONVERGENCE_BARRIERS_WORDS,
                     cb_create, cb_destroy, cb_reset, cb_eval, cb_tick, cb_state);
