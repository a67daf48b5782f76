/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execution of a micro-op over 32 lanes, a warp or half of one: all but memory and control flow, which the core does itself.
 *
 * Registers of a core lie as [warp][register][lane], so that a micro-op is one loop over 32 adjacent lanes under a mask.
 */
#ifndef CW_EXEC_EXEC_H
#define CW_EXEC_EXEC_H

#include "base/error.h"
#include "base/fifo.h"
#include "base/machine.h"
#include "ir/module.h"
#include "ir/uop.h"

/* What a program may do across the lanes of a warp and PTX leaves open (warp.c says what comes of it). */
enum cw_exec_open {
    CW_EXEC_OPEN_ABSENT,  /* shfl reads a lane that does not take part */
    CW_EXEC_OPEN_STRANGER /* a lane takes part with a membermask that does not name it */
};

/* Everything that an execution function may read or write: the view that 32 lanes of a warp have of their core. Pointers are to this warp's
 * slice: register i is at r32 + i * r32_stride, a vector of CW_LANES lanes. */
struct cw_exec {
    uint32_t *r32;
    uint64_t *r64;
    uint32_t *pred;                               /* predicate i is pred[i * pred_stride], one bit per lane */
    uint32_t *cc;                                 /* carry flag of add.cc and friends, one bit per lane */
    uint32_t r32_stride, r64_stride, pred_stride; /* in elements */
    const struct cw_kernel *kernel;
    const uint8_t *param; /* the launch's parameter block */
    /* special registers */
    const uint32_t *tid[3]; /* [lane] */
    uint32_t ntid[3], ctaid[3], nctaid[3];
    uint32_t warpid, nwarpid, smid, nsmid, gridid;
    uint32_t first_lane;               /* %laneid of lane 0: 32 in the second half of a warp of 64 lanes */
    uint32_t dynamic_smem, total_smem; /* bytes */
    uint32_t aggr_smem;                /* total_smem and what is reserved */
    uint64_t grid_workspace;           /* device address of what a cooperative launch's barrier needs; 0: it is no such launch */
    uint64_t clock;                    /* core cycles */
    uint64_t globaltimer_ns;
    /* Hears of such a lane; other: the lane that it reads, or its membermask. Each time, so it is to be quick. NULL: nobody hears. */
    void (*open)(void *context, const struct cw_uop *u, const struct cw_exec *x, enum cw_exec_open what, uint32_t lane, uint32_t other);
    void *open_context;
};

/* Sets uop->exec of every micro-op of the kernel that this file executes. 0, or CW_EUNSUP naming the line of a micro-op with a
 * type that it cannot do (the reader should have refused it). */
int cw_exec_bind(struct cw_kernel *kernel, struct cw_error *err);

/* Lanes in which the guard of u is true, out of mask. */
static inline uint32_t cw_exec_guard(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    if (u->guard < 0)
        return mask;
    uint32_t p = x->pred[(uint32_t)u->guard * x->pred_stride];
    return mask & (u->guard_neg ? ~p : p);
}

/* Reads operand o as a vector of 32-bit or 64-bit lanes. The pointer is valid until the next write of that register. */
static inline const uint32_t *cw_exec_src32(const struct cw_exec *x, struct cw_opnd o)
{
    return o.kind == CW_OPND_C32 ? x->kernel->c32 + (uint32_t)o.idx * CW_LANES : x->r32 + (uint32_t)o.idx * x->r32_stride;
}

static inline const uint64_t *cw_exec_src64(const struct cw_exec *x, struct cw_opnd o)
{
    return o.kind == CW_OPND_C64 ? x->kernel->c64 + (uint32_t)o.idx * CW_LANES : x->r64 + (uint32_t)o.idx * x->r64_stride;
}

/* Lanes that execute an operation across lanes by this instruction. */
struct cw_exec_side {
    const struct cw_uop *uop;
    uint32_t lanes;
};

/* Executes an operation across lanes that lanes carry out by cnt instructions, at least one (together.c). All are of the same operation with the
 * same qualifiers: shfl, vote, match, redux or elect. */
void cw_exec_together(const struct cw_exec_side *side, uint32_t cnt, const struct cw_exec *x);

/* One atomic operation as the L2 slice and shared memory do it: returns the new value, given old. Values are zero-extended bit patterns
 * of type (u32 s32 u64 s64 f32 f64 f16 f16x2 bf16 bf16x2 and the 16-bit CAS). f32 adds round to nearest even, denormals kept. */
uint64_t cw_atomic_apply(enum cw_atom op, enum cw_type type, uint64_t old, uint64_t a, uint64_t b);

/* The lane that `lane` reads, by the PTX ISA's pseudocode of shfl; *in_range is its predicate. */
static inline uint32_t cw_shfl_source(enum cw_shfl mode, uint32_t lane, uint32_t b, uint32_t c, bool *in_range)
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

#endif
