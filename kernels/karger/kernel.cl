/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Karger's contraction (Chen et al., ISCA 2017, section 6, GraphCut): threads contract random edges of one graph until two vertices are
 * left. A vertex that has been contracted points to the one that it is part of now. A transaction follows both ends of its edge to what
 * they are part of now, and joins the two.
 *
 * Words of the state: 0: vertices that are left; then per vertex: parent (itself: none), size of its part; then per edge: 1: contracted.
 */
#include "sync.h"

#define PARENT(v)         (1 + 2 * (v))
#define SIZE(v)           (2 + 2 * (v))
#define CONTRACTED(e, vs) (1 + 2 * (vs) + (e))

#include "body.h"

__kernel void karger_tx(__global const uint2 *edges, __global volatile uint *state, uint vertices, uint edge_cnt, uint seed)
{
    work(0, edges, state, vertices, edge_cnt, seed, 0);
}

__kernel void karger_cglock(__global const uint2 *edges, __global volatile uint *state, uint vertices, uint edge_cnt, uint seed,
                            __global volatile uint *lock)
{
    work(1, edges, state, vertices, edge_cnt, seed, lock);
}

#define STM_READS  256
#define STM_WRITES 4
#include "stm.h"

#include "body.h"

__kernel void karger_stm_tl2(__global const uint2 *edges, __global volatile uint *state, uint vertices, uint edge_cnt, uint seed,
                             __global volatile uint *shared)
{
    work_stm(HOW_STM_TL2, edges, state, vertices, edge_cnt, seed, shared);
}

__kernel void karger_stm_pr(__global const uint2 *edges, __global volatile uint *state, uint vertices, uint edge_cnt, uint seed,
                            __global volatile uint *shared)
{
    work_stm(HOW_STM_PR, edges, state, vertices, edge_cnt, seed, shared);
}
