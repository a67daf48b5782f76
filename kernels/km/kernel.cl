/* SPDX-License-Identifier: Apache-2.0 */
/*
 * km: K-Means in shared memory, on integers (GPU-LocalTM 6, KM, after Rodinia's kmeans: its input has 34 dimensions, and it takes up to 32
 * clusters). A thread finds the centre that is nearest to its point. Then it adds the point to the sums of this centre's cluster, in one
 * transaction: it reads and writes a word for each dimension, and the number of points. When all points are added, the centres move to the
 * middle of their clusters.
 */
#include "sync.h"

#define DIMS     34u
#define WORDS    (DIMS + 1) /* of a cluster's sums; the last one is the number of points */
#define CLUSTERS 32u        /* at the most */

static inline uint nearest(const uint *x, uint clusters, __local const uint *centre)
{
    uint best = 0, least = ~0u;
    for (uint c = 0; c < clusters; c++) {
        uint sum = 0;
#pragma unroll
        for (uint d = 0; d < DIMS; d++) {
            uint difference = x[d] - centre[c * DIMS + d];
            sum += difference * difference;
        }
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    return best;
}

/* points: dimension by dimension, of one work-group after the other; the first ones are the first centres. sums_out: of each round and
 * work-group. It is always inlined: a function that both variants call would bring transactions into the one with the lock. */
static inline __attribute__((always_inline)) void cluster(int locked, __global const uint *points, __global uint *sums_out,
                                                          uint points_per_thread, uint clusters, uint rounds, __local uint *centre,
                                                          __local uint *sums, __local uint *lock)
{
    uint t = get_local_id(0), threads = get_local_size(0), n = threads * points_per_thread;
    points += get_group_id(0) * n * DIMS;
    for (uint i = t; i < clusters * DIMS; i += threads)
        centre[i] = points[i % DIMS * n + i / DIMS];
    if (locked && t == 0)
        *lock = 0;
    for (uint round = 0; round < rounds; round++) {
        for (uint i = t; i < clusters * WORDS; i += threads)
            sums[i] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = t; i < n; i += threads) {
            uint x[DIMS]; /* in registers, since all loops over it are unrolled */
#pragma unroll
            for (uint d = 0; d < DIMS; d++)
                x[d] = points[d * n + i];
            __local uint *own = sums + nearest(x, clusters, centre) * WORDS;
            ATOMICALLY_IN_GROUP(locked, lock, {
                _Pragma("unroll") for (uint d = 0; d < DIMS; d++)
                    own[d] += x[d];
                own[DIMS]++;
            });
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = t; i < clusters * DIMS; i += threads) {
            uint count = sums[i / DIMS * WORDS + DIMS];
            if (count != 0)
                centre[i] = sums[i / DIMS * WORDS + i % DIMS] / count;
        }
        for (uint i = t; i < clusters * WORDS; i += threads)
            sums_out[(round * get_num_groups(0) + get_group_id(0)) * clusters * WORDS + i] = sums[i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel void km_tx(__global const uint *points, __global uint *sums_out, uint points_per_thread, uint clusters, uint rounds)
{
    __local uint centre[CLUSTERS * DIMS], sums[CLUSTERS * WORDS];
    cluster(0, points, sums_out, points_per_thread, clusters, rounds, centre, sums, 0);
}

__kernel void km_cglock(__global const uint *points, __global uint *sums_out, uint points_per_thread, uint clusters, uint rounds)
{
    __local uint centre[CLUSTERS * DIMS], sums[CLUSTERS * WORDS], lock;
    cluster(1, points, sums_out, points_per_thread, clusters, rounds, centre, sums, &lock);
}
