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

static uint part_of(__global volatile uint *state, uint vertices, uint v)
{
    /* a transaction that is about to fail may see parents in a circle */
    for (uint steps = 0; steps < vertices; steps++) {
        uint up = state[PARENT(v)];
        if (up == v || up >= vertices)
            break;
        v = up;
    }
    return v;
}

/* 2: the graph has two vertices left. */
static uint contract(__global volatile uint *state, uint vertices, uint e, uint a, uint b)
{
    uint left = state[0];
    if (left <= 2)
        return 2;
    a = part_of(state, vertices, a);
    b = part_of(state, vertices, b);
    if (a == b)
        return 0;
    uint size_a = state[SIZE(a)];
    uint size_b = state[SIZE(b)];
    uint small = size_a < size_b ? a : b;
    uint large = size_a < size_b ? b : a;
    state[PARENT(small)] = large;
    state[SIZE(large)] = size_a + size_b;
    state[CONTRACTED(e, vertices)] = 1;
    state[0] = left - 1;
    return 1;
}

static void work(int locked, __global const uint2 *edges, __global volatile uint *state, uint vertices, uint edge_cnt, uint seed,
                 __global volatile uint *lock)
{
    uint random = seed ^ (get_global_id(0) + 1) * 2654435761u, result = 0;
    while (result != 2) {
        random = random * 1664525u + 1013904223u;
        uint e = (random >> 8) % edge_cnt;
        uint2 edge = edges[e];
        ATOMICALLY(locked, lock, result = contract(state, vertices, e, edge.x, edge.y));
    }
}

__kernel void karger_tx(__global const uint2 *edges, __global volatile uint *state, uint vertices, uint edge_cnt, uint seed)
{
    work(0, edges, state, vertices, edge_cnt, seed, 0);
}

__kernel void karger_cglock(__global const uint2 *edges, __global volatile uint *state, uint vertices, uint edge_cnt, uint seed,
                            __global volatile uint *lock)
{
    work(1, edges, state, vertices, edge_cnt, seed, lock);
}
