/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations across the lanes of a warp. They work on groups: the lanes that execute the instruction together with one membermask. So
 * groups with masks of their own, as tiles of a warp have them, go through one instruction side by side. The members of a group are its
 * lanes that the mask names; a SIMT stack cannot bring in lanes that are on another path. Without a membermask all lanes are one group, and
 * its members.
 *
 * PTX leaves some cases open. A lane that its own mask does not name counts for nothing, and gets what its group's members get: of no
 * members, a redux of 0 and the lane 0 elected. Votes go by what ptxas makes of them: one ballot of all lanes that execute the instruction,
 * and the lanes of it that a lane's own mask names, be it one of them or not. A shfl that reads a lane outside of the members reads 0, as
 * cards do. All are told (cw_exec.open).
 */
#include "exec/exec_private.h"

struct group {
    uint32_t lanes;   /* they execute the instruction with one membermask */
    uint32_t members; /* those of them that it names */
    uint32_t mask;    /* That membermask */
};

static void tell(const struct cw_exec *x, const struct cw_uop *u, enum cw_exec_open what, uint32_t lanes, uint32_t other)
{
    if (x->open != NULL)
        x->open(x->open_context, u, x, what, cw_exec__first(lanes), other);
}

/* Takes the group of the first lane out of *left, which is not empty. o: the membermask. */
static struct group take_group(const struct cw_exec *x, const struct cw_uop *u, struct cw_opnd o, uint32_t *left)
{
    struct group g = {*left, *left, CW_FULL_MASK};
    if (o.kind != CW_OPND_NONE) {
        const uint32_t *mask = cw_exec_src32(x, o), members = mask[cw_exec__first(*left)];
        uint32_t same = 0;
        if (o.kind == CW_OPND_C32) {
            same = CW_FULL_MASK;
        } else {
            CW_LANE_LOOP
            same |= mask[l] == members ? cw_lane_bit32[l] : 0;
        }
        g.lanes &= same;
        g.members = g.lanes & members;
        g.mask = members;
        if (g.members != g.lanes)
            tell(x, u, CW_EXEC_OPEN_STRANGER, g.lanes & ~members, members);
    }
    *left &= ~g.lanes;
    return g;
}

static void shfl_group(const struct cw_uop *u, const struct cw_exec *x, struct group g)
{
    const uint32_t *a = cw_exec_src32(x, u->src[0]), *b = cw_exec_src32(x, u->src[1]), *c = cw_exec_src32(x, u->src[2]);
    uint32_t value[CW_LANES], source[CW_LANES], p = 0, absent = 0;
    for (uint32_t l = 0; l < CW_LANES; l++) {
        bool in_range;
        uint32_t from = cw_shfl_source((enum cw_shfl)u->cmp, l, b[l], c[l], &in_range);
        const bool there = !in_range || ((g.members >> from) & 1) != 0;
        value[l] = there ? a[from] : 0;
        source[l] = from;
        absent |= (uint32_t)!there << l;
        p |= (uint32_t)in_range << l;
    }
    for (uint32_t l = 0; l < CW_LANES; l++)
        if ((g.lanes >> l) & 1)
            cw_exec__set(x, u->dst[0], l, value[l]);
    cw_exec__set_pred(x, u->dst[1], g.lanes, p);
    if ((absent & g.members) != 0)
        tell(x, u, CW_EXEC_OPEN_ABSENT, absent & g.members, source[cw_exec__first(absent & g.members)]);
}

void cw_exec__shfl(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    while (mask != 0)
        shfl_group(u, x, take_group(x, u, u->src[3], &mask));
}

/* One value for all lanes of a set. */
static void set_all(const struct cw_exec *x, struct cw_opnd o, uint32_t lanes, uint64_t value)
{
    if (o.kind == CW_OPND_R32) {
        uint32_t *to = cw_exec__dst32(x, o);
        CW_LANE_LOOP
        to[l] = (lanes & cw_lane_bit32[l]) != 0 ? (uint32_t)value : to[l];
        return;
    }
    for (uint32_t l = 0; l < CW_LANES; l++)
        if ((lanes >> l) & 1)
            cw_exec__set(x, o, l, value);
}

void cw_exec__vote(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    const uint32_t ballot = cw_exec__pred(x, u->src[0]) & mask, voters = mask;
    while (mask != 0) {
        const struct group g = take_group(x, u, u->src[1], &mask);
        const uint32_t yes = ballot & g.mask;
        const bool all = yes == (voters & g.mask), any = yes != 0;
        const bool r = u->cmp == CW_VOTE_ALL ? all : u->cmp == CW_VOTE_ANY ? any : all || !any;
        if (u->cmp == CW_VOTE_BALLOT)
            set_all(x, u->dst[0], g.lanes, yes);
        else
            cw_exec__set_pred(x, u->dst[0], g.lanes, r ? CW_FULL_MASK : 0);
    }
}

static void match_group(const struct cw_uop *u, const struct cw_exec *x, struct group g)
{
    uint32_t result[CW_LANES] = {0}, p = 0;
    for (uint32_t l = 0; l < CW_LANES; l++)
        for (uint32_t k = 0; k < CW_LANES; k++)
            if ((g.members >> k) & 1 && cw_exec__get(x, u->src[0], k) == cw_exec__get(x, u->src[0], l))
                result[l] |= 1u << k;
    for (uint32_t l = 0; l < CW_LANES; l++) {
        bool everyone = result[l] == g.members;
        p |= (uint32_t)everyone << l;
        if (u->cmp == 1 && !everyone)
            result[l] = 0;
    }
    for (uint32_t l = 0; l < CW_LANES; l++)
        if ((g.lanes >> l) & 1)
            cw_exec__set(x, u->dst[0], l, result[l]);
    cw_exec__set_pred(x, u->dst[1], g.lanes, p);
}

void cw_exec__match(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    while (mask != 0)
        match_group(u, x, take_group(x, u, u->src[1], &mask));
}

void cw_exec__activemask(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    set_all(x, u->dst[0], mask, mask);
}

static uint64_t reduce(const struct cw_uop *u, const uint32_t a[CW_LANES], uint32_t members)
{
    if (members == 0)
        return 0;
    const uint32_t first = cw_exec__first(members);
    uint64_t r = a[first];
    for (uint32_t l = first + 1; l < CW_LANES; l++)
        if ((members >> l) & 1)
            r = cw_atomic_apply((enum cw_atom)u->atom, (enum cw_type)u->type, r, a[l], 0);
    return r;
}

void cw_exec__redux(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    const uint32_t *a = cw_exec_src32(x, u->src[0]);
    while (mask != 0) {
        const struct group g = take_group(x, u, u->src[1], &mask);
        set_all(x, u->dst[0], g.lanes, reduce(u, a, g.members));
    }
}

/* The first of the members is elected. */
void cw_exec__elect(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    while (mask != 0) {
        const struct group g = take_group(x, u, u->src[0], &mask);
        set_all(x, u->dst[0], g.lanes, g.members != 0 ? cw_exec__first(g.members) : 0);
        cw_exec__set_pred(x, u->dst[1], g.lanes, g.members & (0 - g.members));
    }
}

/*
 * ---- lanes on several sides of a branch carry out one operation by different instructions ----
 *
 * Each lane's operands are those of its own instruction, and so is the place of its result. The operands are brought together in registers of
 * their own, and one instruction works on these.
 */

#define DST CW_UOP_SRCS /* Registers of the sources have their numbers; those of the results follow. */

struct together {
    const struct cw_exec_side *side;
    uint32_t cnt;
    const struct cw_exec *x;
    uint32_t r32[CW_UOP_SRCS + 2][CW_LANES], pred[CW_UOP_SRCS + 2];
    uint64_t r64[CW_UOP_SRCS][CW_LANES];
};

/* What PTX leaves open is told of the lane's own instruction. */
static void pass_on(void *context, const struct cw_uop *u, const struct cw_exec *x, enum cw_exec_open what, uint32_t lane, uint32_t other)
{
    const struct together *t = context;
    (void)x;
    for (uint32_t i = 0; i < t->cnt; i++)
        if ((t->side[i].lanes >> lane & 1u) != 0)
            u = t->side[i].uop;
    t->x->open(t->x->open_context, u, t->x, what, lane, other);
}

static bool is_pred(struct cw_opnd o)
{
    return o.kind == CW_OPND_PRED || o.kind == CW_OPND_CPRED;
}

/* Where a source is brought to. */
static struct cw_opnd source(struct cw_opnd o, uint32_t i)
{
    const uint8_t kind = is_pred(o) ? CW_OPND_PRED : cw_exec__is64(o) ? CW_OPND_R64 : CW_OPND_R32;
    return (struct cw_opnd){.kind = o.kind == CW_OPND_NONE ? CW_OPND_NONE : kind, .idx = (uint16_t)i};
}

static void bring(struct together *t, const struct cw_exec_side *side, uint32_t i)
{
    const struct cw_opnd o = side->uop->src[i];
    t->pred[i] |= is_pred(o) ? cw_exec__pred(t->x, o) & side->lanes : 0;
    for (uint32_t l = 0; !is_pred(o) && l < CW_LANES; l++)
        if ((side->lanes >> l & 1u) != 0) {
            t->r64[i][l] = cw_exec__get(t->x, o, l);
            t->r32[i][l] = (uint32_t)t->r64[i][l];
        }
}

static void take_result(const struct together *t, const struct cw_exec_side *side)
{
    for (uint32_t i = 0; i < 2; i++) {
        const struct cw_opnd o = side->uop->dst[i];
        cw_exec__set_pred(t->x, o, side->lanes, t->pred[DST + i]);
        for (uint32_t l = 0; l < CW_LANES; l++)
            if ((side->lanes >> l & 1u) != 0)
                cw_exec__set(t->x, o, l, t->r32[DST + i][l]);
    }
}

static void carry_out(const struct cw_uop *u, const struct cw_exec *x, uint32_t lanes)
{
    switch (u->op) {
    case CW_OP_SHFL:
        cw_exec__shfl(u, x, lanes);
        break;
    case CW_OP_VOTE:
        cw_exec__vote(u, x, lanes);
        break;
    case CW_OP_MATCH:
        cw_exec__match(u, x, lanes);
        break;
    case CW_OP_REDUX:
        cw_exec__redux(u, x, lanes);
        break;
    default:
        cw_exec__elect(u, x, lanes);
        break;
    }
}

void cw_exec_together(const struct cw_exec_side *side, uint32_t cnt, const struct cw_exec *x)
{
    struct together t = {.side = side, .cnt = cnt, .x = x};
    struct cw_exec joint = *x;
    struct cw_uop u = *side->uop;
    const bool votes = u.op == CW_OP_VOTE && u.cmp != CW_VOTE_BALLOT;
    uint32_t lanes = 0;
    joint.r32 = t.r32[0];
    joint.r64 = t.r64[0];
    joint.pred = t.pred;
    joint.r32_stride = joint.r64_stride = CW_LANES;
    joint.pred_stride = 1;
    joint.open = x->open != NULL ? pass_on : NULL;
    joint.open_context = &t;
    for (uint32_t s = 0; s < cnt; s++) {
        lanes |= side[s].lanes;
        for (uint32_t i = 0; i < u.src_cnt; i++)
            bring(&t, &side[s], i);
    }
    for (uint32_t i = 0; i < u.src_cnt; i++)
        u.src[i] = source(u.src[i], i);
    u.dst[0] = (struct cw_opnd){.kind = votes ? CW_OPND_PRED : CW_OPND_R32, .idx = DST};
    u.dst[1] = (struct cw_opnd){.kind = CW_OPND_PRED, .idx = DST + 1};
    carry_out(&u, &joint, lanes);
    for (uint32_t s = 0; s < cnt; s++)
        take_result(&t, &side[s]);
}
