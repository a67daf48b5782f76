/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scan: prefix sums of many arrays of 512 integers, of which each step persists (SBRP 7.1). A thread has four integers. In step k it adds
 * the sum of the thread that is 2^(k-1) below it, as that one had it before the step. Steps write to two buffers in turn. So a step
 * overwrites sums of which a thread further up has made its own; those have to be durable first, or the array cannot be finished after a
 * crash.
 *
 * A sum and its step share a word, which becomes durable as a whole. The same kernel resumes at the latest steps that the words tell.
 */
#include "scope.h"
#include "sync.h"

#define THREADS 128u
#define STEPS   7u
#define DONE(k) ((k) + 1) /* of a lock or a word after step k; 0: nothing is done */

#define SUM_BITS   24
#define WORD(k, s) (DONE(k) << SUM_BITS | (s))
#define DONE_OF(w) ((w) >> SUM_BITS)
#define SUM_OF(w)  ((w) & ((1u << SUM_BITS) - 1))
#define BELOW(k)   ((1u << (k)) / 2) /* how far below the thread is that step k adds */
#define WAIT(scope, lock, done)              \
    while (acquire_in(scope, lock) < done) { \
    }

/* The step after which the thread's latest word is. */
static inline uint latest(__global uint *words, uint t)
{
    return max(words[t], words[THREADS + t]);
}

/* The thread further up has the thread's sum of this step in its own word. */
#define USED(step, t) (&used[(step) % 2 * THREADS + (t)])

/* words: two buffers of the block. locks: of each thread, the step that it has done. used: of each thread, in two turns, the step in which
 * the thread further up has used its sum. These are bytes, sums are read again and the thread further up answers, as in the authors'
 * program. An answer is durable before the next word of who gives it, but it may be missing after the last one: then it is given again. */
static inline uint steps(int scope, uint sum, __global uint *words, __global uchar *locks, __global uchar *used)
{
    uint t = get_local_id(0), word = latest(words, t), done = DONE_OF(word);
    if (done > 0) { /* from before a crash */
        uint step = done - DONE(0), below = BELOW(step);
        if (step > 0 && t >= below && DONE_OF(latest(words, t - below)) <= done)
            release_in(scope, USED(step, t - below), done);
        release_in(scope, &locks[t], done);
    } else {
        words[t] = WORD(0, sum);
        release_in(scope, &locks[t], DONE(0));
    }
    /* All lanes of a warp take each step together: one that resumes early must not wait for one that is behind it. */
    for (uint k = 1; k <= STEPS; k++) {
        KEEP_LOOP_SHAPE(done);
        uint below = BELOW(k), reader = below / 2;
        if (done >= DONE(k))
            continue;
        WAIT(scope, &locks[t], DONE(k - 1)); /* its own word comes first, too */
        if (reader > 0 && t + reader < THREADS)
            WAIT(scope, USED(k - 1, t), DONE(k - 1)); /* what is overwritten now */
        sum = SUM_OF(persist__load_block(&words[(k - 1) % 2 * THREADS + t]));
        if (t >= below) {
            WAIT(scope, &locks[t - below], DONE(k - 1));
            sum += SUM_OF(words[(k - 1) % 2 * THREADS + t - below]);
        }
        words[k % 2 * THREADS + t] = WORD(k, sum);
        if (t >= below)
            release_in(scope, USED(k, t - below), DONE(k));
        release_in(scope, &locks[t], DONE(k));
    }
    return SUM_OF(persist__load_block(&words[STEPS % 2 * THREADS + t]));
}

static inline void scan(int scope, __global const uint4 *in, __global uint *words, __global uchar *locks, __global uchar *used,
                        __global uint4 *out)
{
    uint4 v = in[get_global_id(0)];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    uint sum =
        steps(scope, v.w, words + get_group_id(0) * 2 * THREADS, locks + get_group_id(0) * THREADS, used + get_group_id(0) * 2 * THREADS);
    out[get_global_id(0)] = v + (uint4)(sum - v.w);
    dfence();
}

#define SCAN_KERNEL(name, scope)                                                                                                         \
    __kernel void name(__global const uint4 *in, __global uint *words, __global uchar *locks, __global uchar *used, __global uint4 *out) \
    {                                                                                                                                    \
        scan(scope, in, words, locks, used, out);                                                                                        \
    }

SCAN_KERNEL(scan_block, SCOPE_BLOCK)
SCAN_KERNEL(scan_device, SCOPE_DEVICE)
SCAN_KERNEL(scan_none, SCOPE_NONE)
