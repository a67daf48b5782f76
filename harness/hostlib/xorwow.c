/* SPDX-License-Identifier: Apache-2.0 */
/* XORWOW: its steps, and the way from one sequence to the next. */
#include "hostlib/xorwow.h"

#include <string.h>

#define BITS     160
#define WORDS    5
#define DISTANCE 67 /* log2 of the steps between two sequences */

uint32_t cw_xorwow_next(struct cw_xorwow *s)
{
    const uint32_t t = s->v[0] ^ s->v[0] >> 2;
    memmove(s->v, s->v + 1, 4 * sizeof s->v[0]);
    s->v[4] = s->v[4] ^ s->v[4] << 4 ^ t ^ t << 1;
    s->d += 362437;
    return s->v[4] + s->d;
}

/* A step of v is linear over bits. row[i] is what the step makes of bit i alone. */
struct matrix {
    uint32_t row[BITS][WORDS];
};

static void apply(const struct matrix *m, const uint32_t v[WORDS], uint32_t result[WORDS])
{
    uint32_t sum[WORDS] = {0};
    for (int bit = 0; bit < BITS; bit++)
        if (v[bit / 32] >> bit % 32 & 1)
            for (int i = 0; i < WORDS; i++)
                sum[i] ^= m->row[bit][i];
    memcpy(result, sum, sizeof sum);
}

/* The matrix of 2^67 steps: that of one step, squared so many times. */
static void make_jump(struct matrix *jump)
{
    for (int bit = 0; bit < BITS; bit++) {
        struct cw_xorwow one = {{0}, 0};
        one.v[bit / 32] = 1u << bit % 32;
        cw_xorwow_next(&one);
        memcpy(jump->row[bit], one.v, sizeof one.v);
    }
    for (int i = 0; i < DISTANCE; i++) {
        const struct matrix before = *jump;
        for (int bit = 0; bit < BITS; bit++)
            apply(&before, before.row[bit], jump->row[bit]);
    }
}

/* The counter d needs no jump: 362437 * 2^67 is a multiple of 2^32. */
void cw_xorwow_seed(struct cw_xorwow sequence[CW_XORWOW_SEQUENCES], uint64_t seed)
{
    struct matrix jump;
    const uint32_t t0 = 1099087573u * ((uint32_t)seed ^ 0xaad26b49u), t1 = 2591861531u * ((uint32_t)(seed >> 32) ^ 0xf7dcefddu);
    sequence[0] =
        (struct cw_xorwow){{123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0}, 6615241u + t1 + t0};
    make_jump(&jump);
    for (uint32_t i = 1; i < CW_XORWOW_SEQUENCES; i++) {
        sequence[i].d = sequence[0].d;
        apply(&jump, sequence[i - 1].v, sequence[i].v);
    }
}
