/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The video instructions of PTX (vadd .. vmad, vadd2 .. vset4; PTX ISA, "Scalar Video Instructions" and "SIMD Video Instructions"), as the
 * micro-op VIDEO or VMAD carries them: what its types and flags do not say stands in u->imm.
 *
 * u->type is the type of the result and u->stype that of operand a: U32 or S32. u->flags: CW_UF_SAT, CW_UF_WRAP (of a shift amount).
 * u->cmp: enum cw_cmp of SET. Sources: a, b, and c or none.
 */
#ifndef CW_IR_VIDEO_H
#define CW_IR_VIDEO_H

#include <stdint.h>

enum cw_video_op {
    CW_VIDEO_ADD,
    CW_VIDEO_SUB,
    CW_VIDEO_ABSDIFF,
    CW_VIDEO_MIN,
    CW_VIDEO_MAX,
    CW_VIDEO_AVRG,
    CW_VIDEO_SHL,
    CW_VIDEO_SHR,
    CW_VIDEO_SET,
    CW_VIDEO_MAD
};

/* What happens with the result and operand c. */
enum cw_video_second { CW_VIDEO_NONE, CW_VIDEO_THEN_ADD, CW_VIDEO_THEN_MIN, CW_VIDEO_THEN_MAX };

/* Part of a register that one element is taken from, or put into. */
enum cw_video_part { CW_VIDEO_WORD, CW_VIDEO_B0, CW_VIDEO_B1, CW_VIDEO_B2, CW_VIDEO_B3, CW_VIDEO_H0, CW_VIDEO_H1 };

struct cw_video {
    uint32_t op;       /* enum cw_video_op */
    uint32_t lanes;    /* 1, 2, 4 */
    uint32_t second;   /* enum cw_video_second; with 2 and 4 lanes: NONE or THEN_ADD */
    uint32_t dst;      /* 1 lane: enum cw_video_part, of which WORD means all; else bit i: lane i is written */
    uint32_t a, b;     /* 1 lane: enum cw_video_part; else hexadecimal digit i: which element of b:a lane i takes */
    uint32_t b_signed; /* b is S32 */
    uint32_t shift;    /* MAD: the sum is shifted right by that much: 0, 7, 15 */
    uint32_t plus_one; /* MAD: .po */
    uint32_t neg_ab;   /* MAD: the product is negated */
    uint32_t neg_c;    /* MAD */
};

static inline int64_t cw_video_pack(const struct cw_video *v)
{
    uint64_t low = v->op | v->lanes << 4 | v->second << 8 | v->dst << 12 | v->b_signed << 16 | v->shift << 20 | v->plus_one << 24 |
                   v->neg_ab << 25 | v->neg_c << 26;
    return (int64_t)(low | (uint64_t)v->a << 32 | (uint64_t)v->b << 48);
}

static inline struct cw_video cw_video_of(int64_t imm)
{
    const uint64_t bits = (uint64_t)imm;
    return (struct cw_video){.op = bits & 15,
                             .lanes = bits >> 4 & 15,
                             .second = bits >> 8 & 15,
                             .dst = bits >> 12 & 15,
                             .b_signed = bits >> 16 & 1,
                             .shift = bits >> 20 & 15,
                             .plus_one = bits >> 24 & 1,
                             .neg_ab = bits >> 25 & 1,
                             .neg_c = bits >> 26 & 1,
                             .a = bits >> 32 & 0xffff,
                             .b = (uint32_t)(bits >> 48)};
}

#endif
