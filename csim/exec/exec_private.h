/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the executor share.
 *
 * Private to: atom.c, compare.c, cvt.c, exec.c, move.c, round.c, video.c, warp.c, lane_avx2.c, lane.h.
 */
#ifndef CW_EXEC_EXEC_PRIVATE_H
#define CW_EXEC_EXEC_PRIVATE_H

#include <stddef.h>

#include "exec/exec.h"

#define CW_FULL_MASK UINT32_C(0xffffffff)

/*
 * Before a loop over lanes: iterations are independent. A destination may be the same vector as a source, never one that
 * overlaps it partly, so that the compiler's run-time overlap check would only send "add r1, r1, r2" down a scalar path.
 */
#if defined(__clang__)
#define CW_LANE_LOOP _Pragma("clang loop vectorize(assume_safety)") for (uint32_t l = 0; l < CW_LANES; l++)
#elif defined(__GNUC__)
#define CW_LANE_LOOP _Pragma("GCC ivdep") for (uint32_t l = 0; l < CW_LANES; l++)
#else
#define CW_LANE_LOOP for (uint32_t l = 0; l < CW_LANES; l++)
#endif

/* Bit of each lane in a mask: (mask & bit[l]) vectorises without the variable shifts that SSE2 lacks. The element is as wide as the
 * slots that it selects. */
#define CW_BITS8(n) 1u << (n), 2u << (n), 4u << (n), 8u << (n), 16u << (n), 32u << (n), 64u << (n), 128u << (n)
static const uint32_t cw_lane_bit32[CW_LANES] = {CW_BITS8(0), CW_BITS8(8), CW_BITS8(16), CW_BITS8(24)};
static const uint64_t cw_lane_bit64[CW_LANES] = {CW_BITS8(0), CW_BITS8(8), CW_BITS8(16), CW_BITS8(24)};

static inline uint32_t *cw_exec__dst32(const struct cw_exec *x, struct cw_opnd o)
{
    return x->r32 + (uint32_t)o.idx * x->r32_stride;
}

static inline uint64_t *cw_exec__dst64(const struct cw_exec *x, struct cw_opnd o)
{
    return x->r64 + (uint32_t)o.idx * x->r64_stride;
}

/* A predicate source, negation applied, as a mask over all lanes; absent is true. */
static inline uint32_t cw_exec__pred(const struct cw_exec *x, struct cw_opnd o)
{
    uint32_t p = CW_FULL_MASK;
    if (o.kind == CW_OPND_PRED)
        p = x->pred[(uint32_t)o.idx * x->pred_stride];
    else if (o.kind == CW_OPND_CPRED)
        p = o.idx ? CW_FULL_MASK : 0;
    return o.neg ? ~p : p;
}

/* Writes the lanes of mask; destinations other than predicates (absent, _) drop the value. */
static inline void cw_exec__set_pred(const struct cw_exec *x, struct cw_opnd o, uint32_t mask, uint32_t value)
{
    if (o.kind != CW_OPND_PRED)
        return;
    uint32_t *p = x->pred + (uint32_t)o.idx * x->pred_stride;
    *p = (*p & ~mask) | (value & mask);
}

static inline bool cw_exec__is64(struct cw_opnd o)
{
    return o.kind == CW_OPND_R64 || o.kind == CW_OPND_C64;
}

/* The slow but general way to an operand: any register file, one lane; absent is 0. */
static inline uint64_t cw_exec__get(const struct cw_exec *x, struct cw_opnd o, uint32_t lane)
{
    if (o.kind == CW_OPND_R32 || o.kind == CW_OPND_C32)
        return cw_exec_src32(x, o)[lane];
    return cw_exec__is64(o) ? cw_exec_src64(x, o)[lane] : 0;
}

static inline void cw_exec__set(const struct cw_exec *x, struct cw_opnd o, uint32_t lane, uint64_t value)
{
    if (o.kind == CW_OPND_R32)
        cw_exec__dst32(x, o)[lane] = (uint32_t)value;
    else if (o.kind == CW_OPND_R64)
        cw_exec__dst64(x, o)[lane] = value;
}

/* Index of the lowest lane of a mask that is not 0. */
static inline uint32_t cw_exec__first(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

/* Forms of one operation; a key of the tables below. SETP uses enum cw_cmp and CVT the source type in its place. */
enum { CW_FORM_PLAIN, CW_FORM_FLAGS, CW_FORM_HI, CW_FORM_WIDE, CW_FORM_SAT, CW_FORM_HISAT, CW_FORM_APPROX, CW_FORM_RELU };
enum {
    CW_FORM_FROM_U8 = CW_U8,
    CW_FORM_FROM_S8 = CW_S8,
    CW_FORM_FROM_U16 = CW_U16,
    CW_FORM_FROM_S16 = CW_S16,
    CW_FORM_FROM_U32 = CW_U32,
    CW_FORM_FROM_S32 = CW_S32,
    CW_FORM_FROM_U64 = CW_U64,
    CW_FORM_FROM_S64 = CW_S64,
    CW_FORM_FROM_F32 = CW_F32,
    CW_FORM_FROM_F64 = CW_F64
};

struct cw_exec_entry {
    uint8_t op, type, form;
    cw_exec_fn fn;
};

/* The vector loops (lane.h), compiled for the baseline and, on x86-64, for AVX2 with FMA; both give the same bits. */
extern const struct cw_exec_entry cw_exec__lane_base[];
extern const size_t cw_exec__lane_base_cnt;
extern const struct cw_exec_entry cw_exec__lane_avx2[];
extern const size_t cw_exec__lane_avx2_cnt; /* 0 where the host cannot have it */

enum cw_exec_isa { CW_EXEC_BEST, CW_EXEC_BASE, CW_EXEC_AVX2 };

/* cw_exec_bind() for a chosen instruction set; CW_EUNSUP when the host lacks it. For tests and benchmarks. */
int cw_exec__bind_isa(struct cw_kernel *kernel, enum cw_exec_isa isa, struct cw_error *err);

/* The scalar functions; each serves all types and modifiers of its operations (the table in exec.c). */
void cw_exec__nop(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__mov_sreg(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__pred_logic(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__pack(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__unpack(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__cvta(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__isspacep(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__ld_param(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__carry(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__setp(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__setp_pair(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__set_cmp(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__testp(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__slct(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__cvt(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__cvt_pack(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__cvt_pair(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__rounded(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__video(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__shfl(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__vote(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__match(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__activemask(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__elect(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__bits(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);
void cw_exec__redux(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);

#endif
