/* SPDX-License-Identifier: Apache-2.0 */
/* xorshift64* random numbers: small, seedable, the same on every machine. Not for cryptography. */
#ifndef CW_BASE_RNG_H
#define CW_BASE_RNG_H

#include <stdint.h>

struct cw_rng {
    uint64_t state;
};

/* Any seed is good; equal seeds give equal sequences. */
static inline void cw_rng_seed(struct cw_rng *r, uint64_t seed)
{
    uint64_t z = seed + 0x9e3779b97f4a7c15u; /* splitmix64 step, so that small seeds differ in all bits */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    r->state = z != 0 ? z : 1;
}

static inline uint64_t cw_rng_next(struct cw_rng *r)
{
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return r->state * 0x2545f4914f6cdd1du;
}

/* Uniform in 0 .. n-1; n > 0. */
static inline uint32_t cw_rng_below(struct cw_rng *r, uint32_t n)
{
    return (uint32_t)(((cw_rng_next(r) >> 32) * n) >> 32);
}

#endif
