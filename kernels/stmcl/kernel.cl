/* SPDX-License-Identifier: Apache-2.0 */
/* Clustering of a stream of points: what would it gain to make a point a centre? A thread has one point. It computes its distance to the
 * candidate, the squared one, and compares it with what it pays now. Coordinates are stored dimension by dimension; those of the candidate
 * wait in shared memory. */
#define THREADS 512
#define DIMS    64 /* most dimensions */

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void gain(__global const int *coordinates, __global const uint *weight,
                                                                        uint n, uint dims, uint candidate, __global const uint *cost,
                                                                        __global uint *price, __global uchar *switches)
{
    __local int centre[DIMS];
    uint point = get_global_id(0);
    for (uint d = get_local_id(0); d < dims; d += THREADS)
        centre[d] = coordinates[d * n + candidate];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (point >= n)
        return;
    uint sum = 0;
    for (uint d = 0; d < dims; d++) {
        int difference = coordinates[d * n + point] - centre[d];
        sum += (uint)(difference * difference);
    }
    sum *= weight[point];
    price[point] = sum;
    switches[point] = sum < cost[point];
}

/* Points that pay less with the new centre move to it; so do all points of centres that close. */
__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void move(uint n, uint candidate, __global const uint *price,
                                                                        __global const uchar *switches, __global const uchar *closes,
                                                                        __global uint *cost, __global uint *centre)
{
    uint point = get_global_id(0);
    if (point < n && (switches[point] || closes[centre[point]])) {
        cost[point] = price[point];
        centre[point] = candidate;
    }
}
