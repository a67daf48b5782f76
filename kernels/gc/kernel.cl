/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc: colours for the vertices of a graph in shared memory, so that neighbours differ (GPU-LocalTM 6, GC). A transaction reads the colours
 * of a vertex and of its neighbours. When one of them has the vertex's colour, it writes the lowest colour that no neighbour has. So a
 * vertex whose colour is right makes a read-only transaction. The work-group goes over its vertices until nothing changes any more.
 */
#include "sync.h"

#define VERTICES 1024u /* of a graph, at the most */
#define DEGREE   8u    /* at the most */

/* neighbours: of each vertex, numbers within its graph, 16 bits each; degree: how many of them; colour: first the colours before, then
 * after; all of one work-group's graph after the other. rounds: how often a work-group went over its vertices. */
static inline void paint(int locked, __global const uint4 *neighbours, __global const uint *degree, __global uint *colours,
                         __global uint *rounds, uint vertices, __local uint *colour, __local uint *changed, __local uint *lock)
{
    uint t = get_local_id(0), threads = get_local_size(0), first = get_group_id(0) * vertices, round = 0, again;
    for (uint v = t; v < vertices; v += threads)
        colour[v] = colours[first + v];
    if (t == 0)
        *changed = 0;
    if (locked && t == 0)
        *lock = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    do {
        for (uint v = t; v < vertices; v += threads) {
            uint4 packed = neighbours[first + v];
            uint n = degree[first + v], is_new;
            uint neighbour[DEGREE] = {packed.x & 0xffff, packed.x >> 16, packed.y & 0xffff, packed.y >> 16,
                                      packed.z & 0xffff, packed.z >> 16, packed.w & 0xffff, packed.w >> 16};
            ATOMICALLY_IN_GROUP(locked, lock, {
                uint taken = 1; /* no vertex has colour 0 */
                for (uint k = 0; k < DEGREE; k++)
                    if (k < n)
                        taken |= 1u << colour[neighbour[k]];
                is_new = taken >> colour[v] & 1;
                if (is_new)
                    colour[v] = 31 - clz(~taken & (taken + 1));
            });
            if (is_new)
                *changed = 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        again = *changed;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t == 0)
            *changed = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        round++;
    } while (again);
    for (uint v = t; v < vertices; v += threads)
        colours[first + v] = colour[v];
    if (t == 0)
        rounds[get_group_id(0)] = round;
}

__kernel void gc_tx(__global const uint4 *neighbours, __global const uint *degree, __global uint *colours, __global uint *rounds,
                    uint vertices)
{
    __local uint colour[VERTICES], changed;
    paint(0, neighbours, degree, colours, rounds, vertices, colour, &changed, 0);
}

__kernel void gc_cglock(__global const uint4 *neighbours, __global const uint *degree, __global uint *colours, __global uint *rounds,
                        uint vertices)
{
    __local uint colour[VERTICES], changed, lock;
    paint(1, neighbours, degree, colours, rounds, vertices, colour, &changed, &lock);
}
