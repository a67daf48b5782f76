/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations across the lanes of a warp. Those that take part are the lanes that execute the instruction and are in its membermask; a
 * SIMT stack cannot bring in lanes that are on another path, so .sync means the members that are here.
 */
#include "exec/exec_private.h"

/* Lanes of mask that the membermask o, read in the first lane, names. */
static uint32_t members(const struct cw_exec *x, struct cw_opnd o, uint32_t mask)
{
    if (mask == 0 || o.kind == CW_OPND_NONE)
        return mask;
    return mask & (uint32_t)cw_exec__get(x, o, cw_exec__first(mask));
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

void cw_exec__shfl(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    const uint32_t *a = cw_exec_src32(x, u->src[0]), *b = cw_exec_src32(x, u->src[1]), *c = cw_exec_src32(x, u->src[2]);
    uint32_t present = members(x, u->src[3], mask), value[CW_LANES], p = 0;
    for (uint32_t l = 0; l < CW_LANES; l++) {
        bool in_range;
        uint32_t from = shfl_source((enum cw_shfl)u->cmp, l, b[l], c[l], &in_range);
        value[l] = (present >> from) & 1 ? a[from] : a[l]; /* of an absent lane: undefined in PTX, here one's own value */
        p |= (uint32_t)in_range << l;
    }
    for (uint32_t l = 0; l < CW_LANES; l++)
        if ((mask >> l) & 1)
            cw_exec__set(x, u->dst[0], l, value[l]);
    cw_exec__set_pred(x, u->dst[1], mask, p);
}

void cw_exec__vote(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    uint32_t present = members(x, u->src[1], mask);
    uint32_t yes = cw_exec__pred(x, u->src[0]) & present;
    if (u->cmp == CW_VOTE_BALLOT) {
        for (uint32_t l = 0; l < CW_LANES; l++)
            if ((mask >> l) & 1)
                cw_exec__set(x, u->dst[0], l, yes);
        return;
    }
    bool all = yes == present, any = yes != 0;
    bool r = u->cmp == CW_VOTE_ALL ? all : u->cmp == CW_VOTE_ANY ? any : all || !any;
    cw_exec__set_pred(x, u->dst[0], mask, r ? CW_FULL_MASK : 0);
}

void cw_exec__match(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    uint32_t present = members(x, u->src[1], mask), result[CW_LANES] = {0}, p = 0;
    for (uint32_t l = 0; l < CW_LANES; l++)
        for (uint32_t k = 0; k < CW_LANES; k++)
            if ((present >> k) & 1 && cw_exec__get(x, u->src[0], k) == cw_exec__get(x, u->src[0], l))
                result[l] |= 1u << k;
    for (uint32_t l = 0; l < CW_LANES; l++) {
        bool everyone = result[l] == present;
        p |= (uint32_t)everyone << l;
        if (u->cmp == 1 && !everyone)
            result[l] = 0;
    }
    for (uint32_t l = 0; l < CW_LANES; l++)
        if ((mask >> l) & 1)
            cw_exec__set(x, u->dst[0], l, result[l]);
    cw_exec__set_pred(x, u->dst[1], mask, p);
}

void cw_exec__activemask(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    for (uint32_t l = 0; l < CW_LANES; l++)
        if ((mask >> l) & 1)
            cw_exec__set(x, u->dst[0], l, mask);
}

void cw_exec__redux(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    const uint32_t *a = cw_exec_src32(x, u->src[0]);
    uint32_t present = members(x, u->src[1], mask);
    if (present == 0)
        return;
    uint32_t first = cw_exec__first(present);
    uint64_t r = a[first];
    for (uint32_t l = first + 1; l < CW_LANES; l++)
        if ((present >> l) & 1)
            r = cw_atomic_apply((enum cw_atom)u->atom, (enum cw_type)u->type, r, a[l], 0);
    for (uint32_t l = 0; l < CW_LANES; l++)
        if ((mask >> l) & 1)
            cw_exec__set(x, u->dst[0], l, r);
}

/* The first of the members is elected. */
void cw_exec__elect(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    uint32_t present = members(x, u->src[0], mask);
    uint32_t leader = present != 0 ? cw_exec__first(present) : 0;
    for (uint32_t l = 0; l < CW_LANES; l++)
        if ((mask >> l) & 1)
            cw_exec__set(x, u->dst[0], l, leader);
    cw_exec__set_pred(x, u->dst[1], mask, present & (0 - present));
}
