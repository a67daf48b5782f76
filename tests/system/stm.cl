/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions in software whose results tell every order that is not serial (stm_test.py). */
#ifndef STM_READS
#define STM_READS 16
#endif
#define STM_WRITES 8
#include "stm.h"

#define WORDS 8
#define LINE  32 /* words */

/* Each thread takes a number: 0 to n - 1, each once, in any serial order. It reads zeros in between, so that others can come first. */
STM_INLINE void ticket(int how, __global volatile uint *data, __global uint *out, __global volatile uint *shared)
{
    uint mine = 0;
    STM_ATOMICALLY(how, shared, {
        mine = TX_READ(data[0]);
        for (uint k = 1; k < WORDS / 2; k++)
            mine += TX_READ(data[k * LINE]);
        TX_WRITE(data[0], mine + 1);
    });
    out[get_global_id(0)] = mine;
}

/* The two threads of a pair clear one word each, but only where none is cleared yet: one of them does in a serial order, and under snapshot
 * isolation both. far: threads of other warps are a pair, too. */
STM_INLINE void skew(int how, uint far, __global volatile uint *data, __global uint *out, __global volatile uint *shared)
{
    uint i = get_global_id(0), apart = get_global_size(0) / 2, pair = far ? i % apart : i / 2, side = far ? i / apart : i % 2, did = 0;
    __global volatile uint *own = &data[(2 * pair + side) * LINE];
    __global volatile uint *other = &data[(2 * pair + !side) * LINE];
    STM_ATOMICALLY(how, shared, {
        did = TX_READ(*own) == 0 && TX_READ(*other) == 0;
        if (did)
            TX_WRITE(*own, 1);
    });
    out[i] = did;
}

/* The first thread of each block adds one to two words, 24 times, while the second warp looks at them: they are equal. out: 1 where a
 * transaction that has committed saw others. */
STM_INLINE void equal(int how, __global volatile uint *data, __global uint *out, __global volatile uint *shared)
{
    uint wrong = 0, writes = get_local_id(0) == 0, times = writes ? 24 : get_local_id(0) < 32 ? 0 : 24;
    for (uint time = 0; time < times; time++) {
        uint differ = 0;
        STM_ATOMICALLY(how, shared, {
            uint first = TX_READ(data[0]);
            for (uint wait = 0; !writes && wait < 16; wait++) /* others may commit; the word is 0 */
                first += data[2 * LINE];
            differ = TX_READ(data[LINE]) != first;
            if (writes) {
                TX_WRITE(data[LINE], first + 1);
                TX_WRITE(data[0], first + 1);
            }
        });
        wrong |= differ;
    }
    out[get_global_id(0)] = wrong;
}

/* Neighbours write two words in opposite order. out: 1. */
STM_INLINE void cross(int how, __global volatile uint *data, __global uint *out, __global volatile uint *shared)
{
    uint i = get_global_id(0), first = i & 1;
    STM_ATOMICALLY(how, shared, {
        TX_WRITE(data[(i / 2 * 2 + first) * LINE], i);
        TX_WRITE(data[(i / 2 * 2 + !first) * LINE], i);
    });
    out[i] = data[i / 2 * 2 * LINE] == data[(i / 2 * 2 + 1) * LINE];
}

#define KERNELS(kind, how)                                                                                         \
    __kernel void ticket_##kind(__global volatile uint *data, __global uint *out, __global volatile uint *shared)  \
    {                                                                                                              \
        ticket(how, data, out, shared);                                                                            \
    }                                                                                                              \
    __kernel void skew_##kind(__global volatile uint *data, __global uint *out, __global volatile uint *shared)    \
    {                                                                                                              \
        skew(how, 0, data, out, shared);                                                                           \
    }                                                                                                              \
    __kernel void farskew_##kind(__global volatile uint *data, __global uint *out, __global volatile uint *shared) \
    {                                                                                                              \
        skew(how, 1, data, out, shared);                                                                           \
    }                                                                                                              \
    __kernel void equal_##kind(__global volatile uint *data, __global uint *out, __global volatile uint *shared)   \
    {                                                                                                              \
        equal(how, data, out, shared);                                                                             \
    }                                                                                                              \
    __kernel void cross_##kind(__global volatile uint *data, __global uint *out, __global volatile uint *shared)   \
    {                                                                                                              \
        cross(how, data, out, shared);                                                                             \
    }

KERNELS(tl2, HOW_STM_TL2)
KERNELS(pr, HOW_STM_PR)
