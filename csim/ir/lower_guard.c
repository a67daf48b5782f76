/* SPDX-License-Identifier: Apache-2.0 */
/*
 * If-conversion: an assembler gives the instructions of a short side of a branch a guard, and leaves the branch out. The warp then issues
 * them even when all its lanes are off. The limits are those of ptxas 13 for sm_75 (experiments/lowering/guards.py), which guards no atomic,
 * no barrier, no operation across lanes, and no side with a branch of its own. Subroutines are longer than the limits.
 *
 *     @%p bra END;  body;  END:                      ->  @!%p body
 *     @%p bra ELSE; body;  bra END;  ELSE: other; END:  ->  @!%p body; @%p other
 */
#include "ir/lower.h"

#include <stdlib.h>

#include "ir/cfg.h"

#define MOST_ALONE 8u /* Machine instructions of the only side */
#define MOST_EACH  7u /* Of each of two */

struct side {
    uint32_t first, end; /* Micro-operations; a branch behind them is not among them */
    uint32_t leads_to;   /* The micro-operation with which it goes on */
};

static bool may_be_guarded(const struct cw_vop *v, uint32_t predicate)
{
    const struct cw_uop *u = &v->u;
    if (v->guard != CW_IR_NONE || cw_lower_is_wall(v) || cw_lower_crosses_lanes(v) || u->op == CW_OP_ATOM || u->op == CW_OP_MEMBAR)
        return false;
    if ((u->flags & (CW_UF_ACQUIRE | CW_UF_RELEASE | CW_UF_CIN | CW_UF_COUT)) != 0)
        return false;
    for (uint32_t j = 0; j < u->dst_cnt; j++)
        if (v->dst[j].kind == CW_V_REG && v->dst[j].id == predicate)
            return false;
    return true;
}

/* Whether a side may have a guard: `most` machine instructions at most. */
static bool is_short(const struct cw_code *k, const struct side *s, uint32_t predicate, uint32_t most)
{
    uint32_t cnt = 0;
    for (uint32_t i = s->first; i < s->end; i++) {
        const struct cw_vop *v = &k->code.a[i];
        if (!may_be_guarded(v, predicate))
            return false;
        cnt += v->u.rides ? 0 : 1u + v->u.slots;
    }
    return cnt <= most;
}

/* The block as a side: only the branch comes to it. */
static bool find_side(const struct cw_code *k, const struct cw_cfg *cfg, uint32_t block, struct side *s)
{
    if (block >= cfg->block_cnt || cfg->block[block].pred_cnt != 1)
        return false;
    const struct cw_vop *last = &k->code.a[cfg->block[block].end - 1];
    const bool jumps = last->u.op == CW_OP_BRA && last->guard == CW_IR_NONE;
    *s = (struct side){.first = cfg->block[block].first, .end = cfg->block[block].end - jumps};
    s->leads_to = jumps ? last->u.target : cfg->block[block].end;
    return true;
}

static bool is_end(const struct cw_vop *v)
{
    return v->u.op == CW_OP_EXIT && v->guard == CW_IR_NONE;
}

/* Adds `by` for each operand that is the register. */
static void count_touches(const struct cw_code *k, uint32_t first, uint32_t end, uint32_t *touches, uint32_t by)
{
    for (uint32_t i = first; i < end; i++) {
        const struct cw_vop *v = &k->code.a[i];
        for (uint32_t j = 0; j < v->u.dst_cnt; j++)
            if (v->dst[j].kind == CW_V_REG)
                touches[v->dst[j].id] += by;
        for (uint32_t j = 0; j < CW_UOP_SRCS; j++)
            if (v->src[j].kind == CW_V_REG)
                touches[v->src[j].id] += by;
        if (v->guard != CW_IR_NONE)
            touches[v->guard] += by;
    }
}

/* Whether the side writes the register before it reads it. */
static bool is_written_first(const struct cw_code *k, const struct side *s, uint32_t reg)
{
    for (uint32_t i = s->first; i < s->end; i++) {
        const struct cw_vop *v = &k->code.a[i];
        for (uint32_t j = 0; j < CW_UOP_SRCS; j++)
            if (v->src[j].kind == CW_V_REG && v->src[j].id == reg)
                return false;
        for (uint32_t j = 0; j < v->u.dst_cnt; j++)
            if (v->dst[j].kind == CW_V_REG && v->dst[j].id == reg)
                return true;
    }
    return false;
}

/* touches: of each register by the whole kernel. Those that only the side touches live under its guard. */
static void set_guard(struct cw_code *k, const struct side *s, uint32_t predicate, bool negated, uint32_t *touches)
{
    count_touches(k, s->first, s->end, touches, 0u - 1u);
    for (uint32_t i = s->first; i < s->end; i++) {
        struct cw_vop *v = &k->code.a[i];
        for (uint32_t j = 0; j < v->u.dst_cnt; j++)
            if (v->dst[j].kind == CW_V_REG && touches[v->dst[j].id] == 0 && is_written_first(k, s, v->dst[j].id))
                k->vreg.a[v->dst[j].id].is_temp = 1;
    }
    count_touches(k, s->first, s->end, touches, 1);
    for (uint32_t i = s->first; i < s->end; i++) {
        k->code.a[i].guard = predicate;
        k->code.a[i].u.guard_neg = negated;
    }
}

/* A branch that the machine has not. It stays as what rides, with its guard, so that the text's instructions count as before. */
static void leave_out(struct cw_vop *branch)
{
    branch->u.op = CW_OP_NOP;
    branch->u.rides = 1;
}

static bool convert(struct cw_code *k, const struct cw_cfg *cfg, uint32_t block, uint32_t *touches)
{
    const uint32_t at = cfg->block[block].end - 1;
    struct cw_vop *branch = &k->code.a[at];
    struct side then, other = {0};
    if (branch->u.op != CW_OP_BRA || branch->guard == CW_IR_NONE || branch->u.target <= at || !find_side(k, cfg, block + 1, &then))
        return false;
    const bool one = then.end == branch->u.target;   /* A side that jumps there stands elsewhere: all lanes would have to jump */
    if (one && is_end(&k->code.a[branch->u.target])) /* The lanes that are off exit instead */
        return false;
    const bool two = !one && find_side(k, cfg, cfg->block_of[branch->u.target], &other) && other.first == then.end + 1 &&
                     other.end == then.leads_to; /* Else lanes of both would take its jump, and it would count for both */
    if (!one && !two)
        return false;
    const uint32_t predicate = branch->guard, most = one ? MOST_ALONE : MOST_EACH;
    const bool negated = branch->u.guard_neg != 0;
    if (!is_short(k, &then, predicate, most) || !is_short(k, &other, predicate, most))
        return false;
    then.end = cfg->block[block + 1].end; /* With its branch */
    set_guard(k, &then, predicate, !negated, touches);
    set_guard(k, &other, predicate, negated, touches);
    leave_out(branch);
    if (k->code.a[then.end - 1].u.op == CW_OP_BRA)
        leave_out(&k->code.a[then.end - 1]);
    return true;
}

/* A guard is read later than data (fu.guard_latency). Logic of predicates reads as its reader does. */
void cw_lower_find_guards(struct cw_ir *ir, struct cw_code *k)
{
    uint8_t *guards = cw_ir_alloc(ir, (size_t)k->vreg.n + 1, 1);
    for (uint32_t i = 0; guards != NULL && i < k->code.n; i++) {
        const struct cw_vop *v = &k->code.a[i];
        if (v->guard != CW_IR_NONE)
            guards[v->guard] = 1;
        for (uint32_t j = 0; j < CW_UOP_SRCS && v->u.rides; j++)
            if (v->src[j].kind == CW_V_REG && k->vreg.a[v->src[j].id].bytes == 0)
                guards[v->src[j].id] = 1;
    }
    for (uint32_t i = 0; guards != NULL && i < k->code.n; i++) {
        struct cw_vop *v = &k->code.a[i];
        for (uint32_t j = 0; j < v->u.dst_cnt; j++)
            if (v->dst[j].kind == CW_V_REG && guards[v->dst[j].id])
                v->u.flags |= CW_UF_GUARDS;
    }
    free(guards);
}

bool cw_lower_guard(struct cw_ir *ir, struct cw_code *k, const struct cw_cfg *cfg)
{
    uint32_t *touches = cw_ir_alloc(ir, (size_t)k->vreg.n + 1, sizeof *touches);
    bool some = false;
    if (touches != NULL)
        count_touches(k, 0, k->code.n, touches, 1);
    for (uint32_t b = 0; touches != NULL && b < cfg->block_cnt; b++)
        some |= convert(k, cfg, b, touches);
    free(touches);
    return some;
}
