/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of transactions, included once for each way in which they run: see kernels/include/sync.h. */

TX_FN uint TX_(part_of)(TX __global volatile uint *state, uint vertices, uint v)
{
    /* a transaction that is about to fail may see parents in a circle */
    for (uint steps = 0; steps < vertices; steps++) {
        uint up = TX_READ(state[PARENT(v)]);
        if (up == v || up >= vertices)
            break;
        v = up;
    }
    return v;
}

/* 2: the graph has two vertices left. */
TX_FN uint TX_(contract)(TX __global volatile uint *state, uint vertices, uint e, uint a, uint b)
{
    uint left = TX_READ(state[0]);
    if (left <= 2)
        return 2;
    a = TX_(part_of)(TX_PASS state, vertices, a);
    b = TX_(part_of)(TX_PASS state, vertices, b);
    if (a == b)
        return 0;
    uint size_a = TX_READ(state[SIZE(a)]);
    uint size_b = TX_READ(state[SIZE(b)]);
    uint small = size_a < size_b ? a : b;
    uint large = size_a < size_b ? b : a;
    TX_WRITE(state[PARENT(small)], large);
    TX_WRITE(state[SIZE(large)], size_a + size_b);
    TX_WRITE(state[CONTRACTED(e, vertices)], 1);
    TX_WRITE(state[0], left - 1);
    return 1;
}

TX_FN void TX_(work)(int how, __global const uint2 *edges, __global volatile uint *state, uint vertices, uint edge_cnt, uint seed,
                     __global volatile uint *lock)
{
    uint random = seed ^ (get_global_id(0) + 1) * 2654435761u, result = 0;
    while (result != 2) {
        random = random * 1664525u + 1013904223u;
        uint e = (random >> 8) % edge_cnt;
        uint2 edge = edges[e];
        TX_ATOMICALLY(how, lock, result = TX_(contract)(TX_PASS state, vertices, e, edge.x, edge.y));
    }
}
