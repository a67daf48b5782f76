/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of lanes: bit l stands for lane l of a warp of 32 or 64 lanes. Everything outside csim/exec speaks of lanes in this type; exec works
 * on halves of 32.
 *
 *     for (cw_lanes rest = lanes; rest != 0; rest = cw_lanes_rest(rest))
 *         ... cw_lanes_first(rest) ...
 */
#ifndef CW_BASE_LANES_H
#define CW_BASE_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t cw_lanes;

#define CW_WARP_LANES_MAX 64u

/* The lowest lane of a set that is not empty. */
static inline uint32_t cw_lanes_first(cw_lanes lanes)
{
    return (uint32_t)__builtin_ctzll(lanes);
}

/* The set without its lowest lane. */
static inline cw_lanes cw_lanes_rest(cw_lanes lanes)
{
    return lanes & (lanes - 1);
}

static inline uint32_t cw_lanes_count(cw_lanes lanes)
{
#ifdef __POPCNT__
    return (uint32_t)__builtin_popcountll(lanes);
#else /* the compiler would call a function, once or twice per instruction of a warp */
    lanes -= lanes >> 1 & UINT64_C(0x5555555555555555);
    lanes = (lanes & UINT64_C(0x3333333333333333)) + (lanes >> 2 & UINT64_C(0x3333333333333333));
    lanes = (lanes + (lanes >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(lanes * UINT64_C(0x0101010101010101) >> 56);
#endif
}

static inline cw_lanes cw_lanes_one(uint32_t lane)
{
    return (cw_lanes)1 << lane;
}

static inline bool cw_lanes_has(cw_lanes lanes, uint32_t lane)
{
    return (lanes >> lane & 1u) != 0;
}

static inline cw_lanes cw_lanes_without(cw_lanes lanes, cw_lanes others)
{
    return lanes & ~others;
}

/* Lanes 0 .. cnt - 1; cnt is 0 .. 64. */
static inline cw_lanes cw_lanes_below(uint32_t cnt)
{
    return cnt >= CW_WARP_LANES_MAX ? ~(cw_lanes)0 : ((cw_lanes)1 << cnt) - 1;
}

/* Which of 32 bytes are this one, by eights: in a byte of `other` the upper bit is 0 where they are equal. */
static inline uint32_t cw_lanes_equal(const uint8_t of[32], uint8_t byte)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t eight;
        memcpy(&eight, of + 8 * i, sizeof eight);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        eight = __builtin_bswap64(eight);
#endif
        eight ^= ones * byte;
        const uint64_t other = ((eight & low) + low) | eight;
        lanes |= (uint32_t)((~other >> 7 & ones) * UINT64_C(0x0102040810204080) >> 56) << 8 * i;
    }
    return lanes;
}

/* Lanes 32 half .. 32 half + 31 as exec takes them. */
static inline uint32_t cw_lanes_half(cw_lanes lanes, uint32_t half)
{
    return (uint32_t)(lanes >> (32u * half));
}

#endif
