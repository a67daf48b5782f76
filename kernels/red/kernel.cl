/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Red: the sum of many integers, of which each partial sum persists (SBRP Figure 3). In a thread block, the upper half of the threads that are
 * still at work hand their sums to the lower half. After a crash the same kernel, with `resume`, goes on from the partial sums that are
 * there. The block that is the last to finish adds the sums of all blocks
 * in the same way.
 *
 * Persistent memory is zero at first. A sum that has been made has MADE beside it.
 */
#include "scope.h"

#define MADE    0x80000000u
#define THREADS 512u

/* The thread's sum after its last step; 0 < thread: it is handed on, and the thread has no more to add. step: half of the threads at work. */
static inline uint add_up(int scope, uint sum, uint known, __global uint *partial, __local uint *flag)
{
    uint t = get_local_id(0);
#pragma unroll
    for (uint step = THREADS / 2; step > 0; step /= 2) {
        if (t >= step) {
            if (!known)
                partial[t] = sum | MADE;
            release_in(scope, &flag[t], 1u);
            break;
        }
        if (!known) {
            WAIT_IN(scope, &flag[t + step]);
            sum += partial[t + step] & ~MADE;
        }
    }
    return sum;
}

/* partial: of the block, one of each thread but the first; out: of each block; finished: blocks, 0 at first. After those of all blocks, `parts`
 * has the partial sums of the sum of all blocks. */
static inline void reduce(int scope, int out_scope, __global const uint *in, __global uint *parts, __global uint *out, __global uint *total,
                          __global uint *finished, uint n, uint resume, __local uint *flag, __local uint *place)
{
    uint t = get_local_id(0), block = get_group_id(0), blocks = get_num_groups(0), sum = 0;
    __global uint *partial = parts + block * THREADS;
    flag[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!resume || out[block] == 0) { /* else the block had come to its end */
        uint known = resume && t > 0 ? partial[t] & MADE : 0;
        for (uint i = 2 * THREADS * block + t; !known && i < n; i += 2 * THREADS * blocks) {
            uint first = in[i], second = i + THREADS < n ? in[i + THREADS] : 0;
            sum += first + second;
        }
        sum = add_up(scope, sum, known, partial, flag);
        if (t == 0)
            release_in(out_scope, &out[block], sum | MADE);
    }
    if (t == 0)
        *place = atomic_inc(finished);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (*place == blocks - 1 && (!resume || *total == 0)) {
        partial = parts + blocks * THREADS;
        uint known = resume && t > 0 ? partial[t] & MADE : 0;
        flag[t] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum = 0;
        for (uint b = t; !known && b < blocks; b += THREADS) {
            uint of_block = 0;
            while (of_block == 0)
                of_block = pacq_dev(&out[b]);
            sum += of_block & ~MADE;
        }
        sum = add_up(scope, sum, known, partial, flag);
        if (t == 0)
            *total = sum | MADE;
    }
    dfence();
}

#define RED_KERNEL(name, scope, out_scope)                                                                                               \
    __kernel void name(__global const uint *in, __global uint *parts, __global uint *out, __global uint *total, __global uint *finished, \
                       uint n, uint resume)                                                                                              \
    {                                                                                                                                    \
        __local uint flag[THREADS], place;                                                                                               \
        reduce(scope, out_scope, in, parts, out, total, finished, n, resume, flag, &place);                                              \
    }

RED_KERNEL(red_block, SCOPE_BLOCK, SCOPE_DEVICE)
RED_KERNEL(red_device, SCOPE_DEVICE, SCOPE_DEVICE)
RED_KERNEL(red_none, SCOPE_NONE, SCOPE_DEVICE)
RED_KERNEL(red_bug, SCOPE_BLOCK, SCOPE_BLOCK) /* line 24 of the figure: others than the block's threads acquire it */
