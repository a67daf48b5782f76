/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Red: the sum of many integers, of which each partial sum persists (SBRP Figure 3). In a thread block, the upper half of the threads that are
 * still at work hand their sums to the lower half. After a crash the same kernel, with `resume`, goes on from the partial sums that are
 * there. The block that is the last to finish adds the sums of all blocks
 * in the same way.
 *
 * With `authors` the kernel is that of their published program (reduction.cu). The upper half hands its sums over by a barrier, which is no
 * order in the paper's model, so these may be lost; the warp that has the sum makes it durable; then all threads of the block release. There
 * they release the sum, which a late one could overwrite with what it has read before; here the others have a word of their own.
 *
 * Persistent memory is zero at first. A sum that has been made has MADE beside it.
 */
#include "scope.h"
#include "sync.h"

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

/* The same as the authors' program does it. */
static inline uint add_up_authors(int scope, uint sum, uint known, __global uint *partial, __local uint *flag)
{
    uint t = get_local_id(0);
    if (t >= THREADS / 2 && !known)
        partial[t] = sum | MADE;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint step = THREADS / 2; step > 0; step /= 2) {
        KEEP_LOOP_SHAPE(t); /* lanes that have handed theirs on meet the others of their warp, who wait for them */
        if (t < step && !known) {
            if (step < THREADS / 2)
                WAIT_IN(scope, &flag[t + step]);
            sum += partial[t + step] & ~MADE;
        }
        if (t < step && t >= step / 2 && step > 1) {
            if (!known)
                partial[t] = sum | MADE;
            release_in(scope, &flag[t], 1u);
        }
    }
    if (t == 0)
        partial[0] = sum | MADE;
    if (t < 32)
        dfence();
    return sum;
}

/* All threads of the block release at its end. */
static inline void release_all(int out_scope, uint sum, __global uint *out)
{
    uint t = get_local_id(0), block = get_group_id(0), blocks = get_num_groups(0);
    if (t == 0)
        out[blocks + block] = MADE; /* they store the sum, and release it then */
    release_in(out_scope, &out[t == 0 ? block : blocks + block], t == 0 ? sum | MADE : MADE);
}

/* partial: of the block, one of each thread but the first; out: of each block; with `authors` as many words more; finished: blocks, 0 at
 * first. After those of all blocks, `parts` has the partial sums of the sum of all blocks. */
static inline void reduce(int authors, int scope, int out_scope, __global const uint *in, __global uint *parts, __global uint *out,
                          __global uint *total, __global uint *finished, uint n, uint resume, __local uint *flag, __local uint *place)
{
    uint t = get_local_id(0), block = get_group_id(0), blocks = get_num_groups(0), sum = 0;
    __global uint *partial = parts + block * THREADS;
    flag[t] = 0;
    if (!authors)
        barrier(CLK_LOCAL_MEM_FENCE);
    if (!resume || out[block] == 0) { /* else the block had come to its end */
        uint known = resume && t > 0 ? partial[t] & MADE : 0;
        for (uint i = 2 * THREADS * block + t; !known && i < n; i += 2 * THREADS * blocks) {
            uint first = in[i], second = i + THREADS < n ? in[i + THREADS] : 0;
            sum += first + second;
        }
        sum = authors ? add_up_authors(scope, sum, known, partial, flag) : add_up(scope, sum, known, partial, flag);
        if (authors)
            release_all(out_scope, sum, out);
        else if (t == 0)
            release_in(out_scope, &out[block], sum | MADE);
    }
    if (t == 0)
        *place = atomic_inc(finished);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (*place == blocks - 1 && (!resume || *total == 0)) {
        partial = parts + blocks * THREADS;
        uint known = resume && t > 0 ? partial[t] & MADE : 0;
        flag[t] = 0;
        if (!authors)
            barrier(CLK_LOCAL_MEM_FENCE);
        sum = 0;
        for (uint b = t; !known && b < blocks; b += THREADS) {
            uint of_block = 0;
            while (of_block == 0)
                of_block = pacq_dev(&out[b]);
            sum += of_block & ~MADE;
        }
        sum = authors ? add_up_authors(scope, sum, known, partial, flag) : add_up(scope, sum, known, partial, flag);
        if (t == 0)
            *total = sum | MADE;
    }
    if (!authors)
        dfence();
}

#define RED_KERNEL(name, authors, scope, out_scope)                                                                                      \
    __kernel void name(__global const uint *in, __global uint *parts, __global uint *out, __global uint *total, __global uint *finished, \
                       uint n, uint resume)                                                                                              \
    {                                                                                                                                    \
        __local uint flag[THREADS], place;                                                                                               \
        reduce(authors, scope, out_scope, in, parts, out, total, finished, n, resume, flag, &place);                                     \
    }

RED_KERNEL(red_block, 0, SCOPE_BLOCK, SCOPE_DEVICE)
RED_KERNEL(red_device, 0, SCOPE_DEVICE, SCOPE_DEVICE)
RED_KERNEL(red_none, 0, SCOPE_NONE, SCOPE_DEVICE)
RED_KERNEL(red_bug, 0, SCOPE_BLOCK, SCOPE_BLOCK) /* line 24 of the figure: others than the block's threads acquire it */
RED_KERNEL(red_authors_block, 1, SCOPE_BLOCK, SCOPE_DEVICE)
RED_KERNEL(red_authors_device, 1, SCOPE_DEVICE, SCOPE_DEVICE)
RED_KERNEL(red_authors_none, 1, SCOPE_NONE, SCOPE_DEVICE)
