/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One step of a matrix multiplication: D = A x B + C, of 8 rows and 8 columns, and as deep as 32 bits of a lane are elements. Lane 4 g + t
 * holds of row g of A, and of column g of B, the elements t n to t n + n - 1, where n is how many elements a register has; and of row g of C
 * and D the columns 2 t and 2 t + 1 (PTX ISA, matrix fragments of mma). All shapes of mma.sync are made of such steps (csim/ptx/matrix.c).
 *
 * PTX leaves the order of a sum and its rounding open. Here products are added in the order of their depth, each sum is rounded to nearest
 * even in f32 or f64, and a result in f16 is rounded at the end of a step.
 */
#include "exec/matrix.h"

#include <math.h>

#include "exec/fp.h"

/* One lane of a 32-bit or 64-bit result, if anybody wants it. */
static void put(const struct cw_exec *x, struct cw_opnd o, uint32_t lane, uint64_t value)
{
    if (o.kind == CW_OPND_R32)
        x->r32[(uint32_t)o.idx * x->r32_stride + lane] = (uint32_t)value;
    else if (o.kind == CW_OPND_R64)
        x->r64[(uint32_t)o.idx * x->r64_stride + lane] = value;
}

static uint32_t first(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

/* Elements of a register of that type. */
static uint32_t elements(enum cw_type type)
{
    return type == CW_F64 || type == CW_TF32 ? 1 : type == CW_U8 || type == CW_S8 ? 4 : 2;
}

static float real_of(uint32_t word, enum cw_type type, uint32_t i)
{
    if (type == CW_TF32)
        return cw_f32_of(word & ~UINT32_C(0x1fff));
    const uint32_t half = word >> 16 * i & 0xffffu;
    return type == CW_BF16 ? cw_f32_of(half << 16) : (float)cw_f16_load(half);
}

static int64_t integer_of(uint32_t word, enum cw_type type, uint32_t i)
{
    const uint8_t byte = (uint8_t)(word >> 8 * i);
    return type == CW_S8 ? (int64_t)(int8_t)byte : (int64_t)byte;
}

/* The sum of row `row` and column `column`, from c on, of reals and of integers. */
static float real_sum(const struct cw_uop *u, const uint32_t *a, const uint32_t *b, uint32_t row, uint32_t column, float c)
{
    const uint32_t n = elements((enum cw_type)u->stype);
    for (uint32_t k = 0; k < 4 * n; k++)
        c = cw_f32_fma(real_of(a[4 * row + k / n], (enum cw_type)u->stype, k % n),
                       real_of(b[4 * column + k / n], (enum cw_type)u->cmp, k % n), c);
    return c;
}

static uint32_t integer_sum(const struct cw_uop *u, const uint32_t *a, const uint32_t *b, uint32_t row, uint32_t column, uint32_t c)
{
    int64_t sum = (int32_t)c;
    for (uint32_t k = 0; k < 16; k++)
        sum +=
            integer_of(a[4 * row + k / 4], (enum cw_type)u->stype, k % 4) * integer_of(b[4 * column + k / 4], (enum cw_type)u->cmp, k % 4);
    if ((u->flags & CW_UF_SAT) != 0)
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)(uint64_t)sum;
}

static void step_f64(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    const uint64_t *a = cw_exec_src64(x, u->src[0]), *b = cw_exec_src64(x, u->src[1]);
    uint64_t d[2][CW_LANES];
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t l = 0; l < CW_LANES; l++) {
            double sum = cw_f64_of(cw_exec_src64(x, u->src[2 + i])[l]);
            for (uint32_t k = 0; k < 4; k++)
                sum = fma(cw_f64_of(a[l / 4 * 4 + k]), cw_f64_of(b[4 * (2 * (l % 4) + i) + k]), sum);
            d[i][l] = cw_f64_bits(sum);
        }
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t left = mask; left != 0; left &= left - 1)
            put(x, u->dst[i], first(left), d[i][first(left)]);
}

/* The two sums of a lane, each in 32 bits, or in f16 both in one word. */
static void sums(const struct cw_uop *u, const struct cw_exec *x, uint32_t l, uint32_t d[2])
{
    const uint32_t *a = cw_exec_src32(x, u->src[0]), *b = cw_exec_src32(x, u->src[1]);
    const uint32_t row = l / 4, column = 2 * (l % 4);
    for (uint32_t i = 0; i < 2; i++) {
        if (u->type == CW_S32) {
            d[i] = integer_sum(u, a, b, row, column + i, cw_exec_src32(x, u->src[2 + i])[l]);
        } else if (u->type == CW_F32) {
            d[i] = cw_f32_bits(real_sum(u, a, b, row, column + i, cw_f32_of(cw_exec_src32(x, u->src[2 + i])[l])));
        } else {
            const float c = (float)cw_f16_load(cw_exec_src32(x, u->src[2])[l] >> 16 * i & 0xffffu);
            d[i] = cw_f16_store((double)real_sum(u, a, b, row, column + i, c), false);
        }
    }
    if (u->type == CW_F16X2)
        d[0] |= d[1] << 16;
}

void cw_exec__mma(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    uint32_t d[CW_LANES][2];
    if (u->type == CW_F64) {
        step_f64(u, x, mask);
        return;
    }
    for (uint32_t l = 0; l < CW_LANES; l++)
        sums(u, x, l, d[l]);
    for (uint32_t i = 0; i < u->dst_cnt; i++)
        for (uint32_t left = mask; left != 0; left &= left - 1)
            put(x, u->dst[i], first(left), d[first(left)][i]);
}
