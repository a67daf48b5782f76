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
        CW_LANE_LOOP
        same |= mask[l] == members ? cw_lane_bit32[l] : 0;
        g.lanes &= same;
        g.members = g.lanes & members;
        g.mask = members;
        if (g.members != g.lanes)
            tell(x, u, CW_EXEC_OPEN_STRANGER, g.lanes & ~members, members);
    }
    *left &= ~g.lanes;
    return g;
}

/* The lane that lane reads, by the PTX ISA's pseudocode of shfl; *in_range is its predicate. */
static uint32_t shfl_source(enum cw_shfl mode, uint32_t lane, uint32_t b, uint32_t c, bool *in_range)
{
    int bval = (int)(b & 31), cval = (int)(c & 31), seg = (int)((c >> 8) & 31), me = (int)lane;
    int max = (me & seg) | (cval & ~seg & 31), min = me & seg, from;
    switch (mode) {
    case CW_SHFL_UP:
        from = me - bval;
        *in_range = from >= max;
        break;
    case CW_SHFL_DOWN:
        from = me + bval;
        *in_range = from <= max;
        break;
    case CW_SHFL_BFLY:
        from = me ^ bval;
        *in_range = from <= max;
        break;
    default:
        from = min | (bval & ~seg & 31);
        *in_range = from <= max;
        break;
    }
    return *in_range ? (uint32_t)from : lane;
}

static void shfl_group(const struct cw_uop *u, const struct cw_exec *x, struct group g)
{
    const uint32_t *a = cw_exec_src32(x, u->src[0]), *b = cw_exec_src32(x, u->src[1]), *c = cw_exec_src32(x, u->src[2]);
    uint32_t value[CW_LANES], source[CW_LANES], p = 0, absent = 0;
    for (uint32_t l = 0; l < CW_LANES; l++) {
        bool in_range;
        uint32_t from = shfl_source((enum cw_shfl)u->cmp, l, b[l], c[l], &in_range);
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
