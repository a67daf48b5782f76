/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest of many places to a target, again and again. Distances first; then rounds of three kernels: the nearest of each block, the
 * nearest of all, and its removal. Blocks have 16 threads, half a warp, and no branch splits them. */
#pragma OPENCL FP_CONTRACT OFF
#define THREADS 16
#define REMOVED 3e38f

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void distances(__global const float2 *places, float x, float y,
                                                                             __global float *distance)
{
    uint i = get_global_id(0);
    float dx = places[i].x - x, dy = places[i].y - y;
    distance[i] = sqrt(dx * dx + dy * dy);
}

/* The nearest of the threads' candidates, in every thread; of two at one distance, the lower number. */
static uint nearest_of(__local float *near, __local uint *who, float mine, uint candidate)
{
    uint thread = get_local_id(0);
    for (uint step = THREADS / 2; step > 0; step /= 2) {
        near[thread] = mine;
        who[thread] = candidate;
        barrier(CLK_LOCAL_MEM_FENCE);
        float other = near[thread ^ step];
        uint theirs = who[thread ^ step];
        bool closer = (other < mine) | ((other == mine) & (theirs < candidate));
        mine = closer ? other : mine;
        candidate = closer ? theirs : candidate;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return candidate;
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void nearest_of_block(__global const float *distance, uint per_thread,
                                                                                    __global uint *block_nearest)
{
    __local float near[THREADS];
    __local uint who[THREADS];
    uint first = get_group_id(0) * THREADS * per_thread + get_local_id(0), candidate = first;
    float mine = distance[first];
    for (uint k = 1; k < per_thread; k++) {
        float other = distance[first + k * THREADS];
        candidate = other < mine ? first + k * THREADS : candidate;
        mine = fmin(other, mine);
    }
    block_nearest[get_group_id(0)] = nearest_of(near, who, mine, candidate);
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void
nearest_of_all(__global const float *distance, __global const uint *block_nearest, uint blocks, __global uint *result)
{
    __local float near[THREADS];
    __local uint who[THREADS];
    uint candidate = block_nearest[0];
    float mine = distance[candidate];
    for (uint first = 0; first < blocks; first += THREADS) {
        uint other = block_nearest[min(first + (uint)get_local_id(0), blocks - 1)];
        float d = distance[other];
        bool closer = (d < mine) | ((d == mine) & (other < candidate));
        candidate = closer ? other : candidate;
        mine = closer ? d : mine;
    }
    *result = nearest_of(near, who, mine, candidate);
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void removal(__global float *distance, __global const uint *result,
                                                                           __global float *found)
{
    uint i = get_global_id(0), nearest = *result;
    float d = distance[i];
    distance[i] = i == nearest ? REMOVED : d;
    found[i] = i == nearest ? d : found[i];
}
