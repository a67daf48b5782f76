/* SPDX-License-Identifier: Apache-2.0 */
/* The video instructions, as the pseudocode of the PTX ISA has them. Elements are extended to 64 bits, so that no step wraps before the
 * saturation. */
#include "ir/video.h"

#include "exec/exec_private.h"

static int64_t extend(uint64_t v, uint32_t first, uint32_t width, bool is_signed)
{
    const uint64_t left = v << (64 - first - width);
    return is_signed ? (int64_t)left >> (64 - width) : (int64_t)(left >> (64 - width));
}

static uint32_t part_width(uint32_t part)
{
    return part == CW_VIDEO_WORD ? 32 : part >= CW_VIDEO_H0 ? 16 : 8;
}

static uint32_t part_first(uint32_t part)
{
    return part >= CW_VIDEO_H0 ? 16 * (part - CW_VIDEO_H0) : part == CW_VIDEO_WORD ? 0 : 8 * (part - CW_VIDEO_B0);
}

static int64_t part(uint64_t v, uint32_t which, bool is_signed)
{
    return extend(v, part_first(which), part_width(which), is_signed);
}

static int64_t clamp(int64_t v, uint32_t width, bool is_signed)
{
    const int64_t high = (INT64_C(1) << (is_signed ? width - 1 : width)) - 1, low = is_signed ? -high - 1 : 0;
    return v > high ? high : v < low ? low : v;
}

static bool holds(int64_t a, int64_t b, enum cw_cmp cmp)
{
    switch (cmp) {
    case CW_CMP_EQ:
        return a == b;
    case CW_CMP_NE:
        return a != b;
    case CW_CMP_LT:
        return a < b;
    case CW_CMP_LE:
        return a <= b;
    case CW_CMP_GT:
        return a > b;
    default:
        return a >= b;
    }
}

/* A shift to the left stops short of 64 bits: 2^62 saturates like the true value, and has its lower 32 bits, which are 0 by then. */
static int64_t shifted(int64_t a, uint64_t b, bool left, bool wrap)
{
    const uint32_t n = (uint32_t)(wrap ? b & 31 : b > 32 ? 32 : b);
    if (!left)
        return a >> n;
    return n == 32 ? (a == 0 ? 0 : a > 0 ? INT64_C(1) << 62 : -(INT64_C(1) << 62)) : a * (INT64_C(1) << n);
}

static int64_t compute(const struct cw_video *v, const struct cw_uop *u, int64_t a, int64_t b)
{
    switch ((enum cw_video_op)v->op) {
    case CW_VIDEO_ADD:
        return a + b;
    case CW_VIDEO_SUB:
        return a - b;
    case CW_VIDEO_ABSDIFF:
        return a < b ? b - a : a - b;
    case CW_VIDEO_MIN:
        return a < b ? a : b;
    case CW_VIDEO_MAX:
        return a > b ? a : b;
    case CW_VIDEO_AVRG: /* halves go away from zero when positive, towards minus infinity otherwise */
        return (a + b >= 0 ? a + b + 1 : a + b) >> 1;
    case CW_VIDEO_SET:
        return holds(a, b, (enum cw_cmp)u->cmp);
    default:
        return shifted(a, (uint64_t)b, v->op == CW_VIDEO_SHL, (u->flags & CW_UF_WRAP) != 0);
    }
}

/* One element, then a second operation with all of c or a merge into a part of it. */
static uint32_t scalar(const struct cw_video *v, const struct cw_uop *u, uint64_t a, uint64_t b, uint32_t c)
{
    const bool is_signed = u->type == CW_S32;
    int64_t t = compute(v, u, part(a, v->a, u->stype == CW_S32), part(b, v->b, v->b_signed != 0));
    if (u->flags & CW_UF_SAT)
        t = clamp(t, part_width(v->dst), is_signed);
    const int64_t word = extend((uint64_t)t, 0, 32, is_signed), other = extend(c, 0, 32, is_signed);
    switch ((enum cw_video_second)v->second) {
    case CW_VIDEO_THEN_ADD:
        return (uint32_t)(word + other);
    case CW_VIDEO_THEN_MIN:
        return (uint32_t)(word < other ? word : other);
    case CW_VIDEO_THEN_MAX:
        return (uint32_t)(word > other ? word : other);
    default:
        break;
    }
    const uint32_t field = (uint32_t)((UINT64_C(1) << part_width(v->dst)) - 1) << part_first(v->dst);
    return (c & ~field) | ((uint32_t)t << part_first(v->dst) & field);
}

/* Two or four elements: their sum is added to c, or they replace the elements of c that the mask names. */
static uint32_t parallel(const struct cw_video *v, const struct cw_uop *u, uint64_t a, uint64_t b, uint32_t c)
{
    const uint32_t width = 32 / v->lanes;
    const uint64_t both = b << 32 | a, field = (UINT64_C(1) << width) - 1;
    uint32_t d = c;
    for (uint32_t i = 0; i < v->lanes; i++) {
        const int64_t x = extend(both, width * (v->a >> (4 * i) & 15), width, u->stype == CW_S32);
        const int64_t y = extend(both, width * (v->b >> (4 * i) & 15), width, v->b_signed != 0);
        int64_t t = compute(v, u, x, y);
        if (u->flags & CW_UF_SAT)
            t = clamp(t, width, u->type == CW_S32);
        if ((v->dst >> i & 1) == 0)
            continue;
        if (v->second == CW_VIDEO_THEN_ADD)
            d += (uint32_t)t;
        else
            d = (d & ~(uint32_t)(field << width * i)) | (uint32_t)(((uint64_t)t & field) << width * i);
    }
    return d;
}

/* The product has up to 64 bits and the sum one or two more, which a shift brings into the result. */
static uint32_t mad(const struct cw_video *v, const struct cw_uop *u, uint64_t a, uint64_t b, uint32_t c)
{
    const bool a_signed = u->stype == CW_S32, b_signed = v->b_signed != 0;
    const bool is_signed = a_signed || b_signed || v->neg_ab != 0 || v->neg_c != 0;
    __int128 sum = (__int128)part(a, v->a, a_signed) * part(b, v->b, b_signed);
    if (v->neg_ab != 0)
        sum = -sum;
    sum += extend(v->neg_c != 0 ? ~c : c, 0, 32, is_signed);
    sum += v->plus_one != 0 || v->neg_c != 0;
    sum >>= v->shift;
    if (u->flags & CW_UF_SAT) {
        const int64_t high = is_signed ? INT32_MAX : UINT32_MAX, low = is_signed ? INT32_MIN : 0;
        sum = sum > high ? high : sum < low ? low : sum;
    }
    return (uint32_t)sum;
}

void cw_exec__video(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    const struct cw_video v = cw_video_of(u->imm);
    for (uint32_t l = 0; l < CW_LANES; l++) {
        const uint64_t a = cw_exec__get(x, u->src[0], l), b = cw_exec__get(x, u->src[1], l);
        const uint32_t c = (uint32_t)cw_exec__get(x, u->src[2], l);
        if (!((mask >> l) & 1))
            continue;
        if (v.op == CW_VIDEO_MAD)
            cw_exec__set(x, u->dst[0], l, mad(&v, u, a, b, c));
        else
            cw_exec__set(x, u->dst[0], l, v.lanes == 1 ? scalar(&v, u, a, b, c) : parallel(&v, u, a, b, c));
    }
}
