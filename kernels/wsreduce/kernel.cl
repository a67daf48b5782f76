/* SPDX-License-Identifier: Apache-2.0 */
/* Sums without barriers. The lanes of each static warp of 32 threads divide themselves into those with an odd value and those with an even
 * one. Each side adds up its values by a tree in shared memory. Nothing orders the threads but the lockstep of their static warp, so the
 * kernel is right only on a machine that keeps static warps together. */
#define THREADS 128
#define LANES   32

/* Adds up slot[0] to slot[count - 1] into slot[0]; the caller is the thread with the slot `rank`. */
static void tree(__local volatile uint *slot, uint rank, uint count)
{
    for (uint step = 1; step < count; step *= 2)
        if (rank % (2 * step) == 0 && rank + step < count)
            slot[rank] = slot[rank] + slot[rank + step];
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void warp_sums(__global const uint *in, __global uint2 *sums)
{
    __local volatile uint odd_flag[THREADS], odd_slot[THREADS], even_slot[THREADS];
    uint thread = get_local_id(0), first = thread / LANES * LANES, lane = thread % LANES, value = in[get_global_id(0)];
    odd_flag[thread] = value & 1;
    uint odd_before = 0, odd_cnt = 0;
    for (uint i = 0; i < LANES; i++) {
        uint flag = odd_flag[first + i];
        odd_before += i < lane ? flag : 0;
        odd_cnt += flag;
    }
    __global uint2 *out = &sums[get_global_id(0) / LANES];
    if (value & 1) {
        odd_slot[first + odd_before] = value;
        tree(odd_slot + first, odd_before, odd_cnt);
        if (odd_before == 0)
            out->x = odd_slot[first];
    } else {
        uint rank = lane - odd_before;
        even_slot[first + rank] = value;
        tree(even_slot + first, rank, LANES - odd_cnt);
        if (rank == 0)
            out->y = even_slot[first];
    }
}
