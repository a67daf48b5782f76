/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Karger's contraction (Chen et al., ISCA 2017, section 6, GraphCut): threads contract random edges of one graph until two vertices are
 * left. A vertex that has been contracted points to the one that it is part of now, and a part has a list of the ends of edges that lie in
 * it. A transaction follows both ends of its edge to their parts, and walks one part's list to its end to join the other's to it. Each thread
 * has a number of contractions to make, so no count is shared.
 *
 * Words of the state: per vertex: parent (itself: none), head of its list; then per end of an edge (2e and 2e + 1): the next one.
 */
#include "sync.h"

#define PARENT(v)   (2 * (v))
#define HEAD(v)     (2 * (v) + 1)
#define NEXT(h, vs) (2 * (vs) + (h))
#define NONE        0xffffffffu

/* Contractions that thread i makes: all make vertices - 2. */
#define SHARE(i, vertices, threads) (((vertices)-2 + (threads)-1 - (i)) / (threads))

/* Looked at outside a transaction: what has become one part stays one. */
static uint are_one(__global volatile uint *state, uint vertices, uint a, uint b)
{
    uint above_a = state[PARENT(a)], above_b = state[PARENT(b)];
    for (uint steps = 0; steps < 2 * vertices && (above_a != a || above_b != b); steps++) {
        a = above_a;
        b = above_b;
        above_a = state[PARENT(a)];
        above_b = state[PARENT(b)];
    }
    return a == b;
}

#include "body.h"

#define ARGUMENTS                                                                                                                      \
    __global const uint2 *edges, __global volatile uint *state, __global uint *contracted, uint vertices, uint edge_cnt, uint threads, \
        uint seed

__kernel void karger_tx(ARGUMENTS)
{
    work(0, edges, state, contracted, vertices, edge_cnt, threads, seed, 0);
}

__kernel void karger_cglock(ARGUMENTS, __global volatile uint *lock)
{
    work(1, edges, state, contracted, vertices, edge_cnt, threads, seed, lock);
}

#define STM_READS  1024
#define STM_WRITES 4
#include "stm.h"

#include "body.h"

__kernel void karger_stm_tl2(ARGUMENTS, __global volatile uint *shared)
{
    work_stm(HOW_STM_TL2, edges, state, contracted, vertices, edge_cnt, threads, seed, shared);
}

__kernel void karger_stm_pr(ARGUMENTS, __global volatile uint *shared)
{
    work_stm(HOW_STM_PR, edges, state, contracted, vertices, edge_cnt, threads, seed, shared);
}
