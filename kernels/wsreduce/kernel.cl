/* SPDX-License-Identifier: Apache-2.0 */
/* Sums without barriers. The lanes of each static warp of 32 threads divide themselves into those with an odd value and those with an even
 * one. Each side adds up its values by a tree in shared memory. Nothing orders the threads but the lockstep of their static warp, and the tree
 * has no branch at which they could wait for each other. So the kernel is right only on a machine that keeps static warps together. */
#define THREADS 128
#define LANES   32
#define SLOTS   (2 * LANES) /* of a warp: the upper half, and what a side leaves of the lower one, stays 0 */

/* Adds up slot[0] to slot[LANES - 1] into slot[0]; the caller is the thread with the slot `rank`. */
static void tree(__local volatile uint *slot, uint rank)
{
    slot[rank] = slot[rank] + slot[rank + 16];
    slot[rank] = slot[rank] + slot[rank + 8];
    slot[rank] = slot[rank] + slot[rank + 4];
    slot[rank] = slot[rank] + slot[rank + 2];
    slot[rank] = slot[rank] + slot[rank + 1];
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void warp_sums(__global const uint *in, __global uint2 *sums)
{
    __local volatile uint odd_flag[THREADS], odd_slot[2 * THREADS], even_slot[2 * THREADS];
    uint thread = get_local_id(0), first = thread / LANES * LANES, lane = thread % LANES, value = in[get_global_id(0)];
    __local volatile uint *odd = odd_slot + 2 * first, *even = even_slot + 2 * first;
    odd_flag[thread] = value & 1;
    for (uint i = lane; i < SLOTS; i += LANES)
        odd[i] = even[i] = 0;
    uint odd_before = 0;
    for (uint i = 0; i < LANES; i++)
        odd_before += i < lane ? odd_flag[first + i] : 0;
    /* Two threads of a warp write one word of the pair each: a store to out->x would read and write both. */
    __global uint *out = (__global uint *)&sums[get_global_id(0) / LANES];
    if (value & 1) {
        odd[odd_before] = value;
        tree(odd, odd_before);
        if (odd_before == 0)
            out[0] = odd[0];
    } else {
        uint rank = lane - odd_before;
        even[rank] = value;
        tree(even, rank);
        if (rank == 0)
            out[1] = even[0];
    }
}
