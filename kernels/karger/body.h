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

/* The part of vertex a becomes one with that of vertex b: its list of ends of edges goes in front of the other's. 0: they are one already. */
TX_FN uint TX_(contract)(TX __global volatile uint *state, uint vertices, uint end_cnt, uint a, uint b)
{
    a = TX_(part_of)(TX_PASS state, vertices, a);
    b = TX_(part_of)(TX_PASS state, vertices, b);
    if (a == b)
        return 0;
    uint head = TX_READ(state[HEAD(a)]), tail = head;
    for (uint steps = 0; steps < end_cnt; steps++) {
        uint next = TX_READ(state[NEXT(tail, vertices)]);
        if (next == NONE || next >= end_cnt)
            break;
        tail = next;
    }
    TX_WRITE(state[PARENT(a)], b);
    TX_WRITE(state[NEXT(tail, vertices)], TX_READ(state[HEAD(b)]));
    TX_WRITE(state[HEAD(b)], head);
    return 1;
}

TX_FN void TX_(work)(int how, __global const uint2 *edges, __global volatile uint *state, __global uint *contracted, uint vertices,
                     uint edge_cnt, uint threads, uint seed, __global volatile uint *lock)
{
    uint i = get_global_id(0), random = seed ^ (i + 1) * 2654435761u, result;
    if (i >= threads)
        return;
    uint left = SHARE(i, vertices, threads);
    while (left != 0) {
        random = random * 1664525u + 1013904223u;
        uint e = (random >> 8) % edge_cnt;
        uint2 edge = edges[e];
        if (are_one(state, vertices, edge.x, edge.y))
            continue;
        TX_ATOMICALLY(how, lock, result = TX_(contract)(TX_PASS state, vertices, 2 * edge_cnt, edge.x, edge.y));
        if (result != 0) {
            contracted[e] = 1;
            left--;
        }
    }
}
