/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpKVS: a batch of pairs is inserted into a key-value store in persistent memory (SBRP 7.1). A bucket has four pairs: four signatures, then
 * four locations. Each pair has two buckets to choose from, and four threads that look at a slot each. A thread block has a slice of the
 * table of its own.
 */
#include "sync.h"
#include "undo_log.h"

#define SLOTS 4u
#define WORDS (2 * SLOTS) /* of a bucket */
#define LOCKS 1024u       /* of buckets, per block */

/* The lanes of the thread's group of four for which the flag is set. */
static inline uint group_vote(uint flag)
{
    uint lanes;
    __asm__ volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.ballot.b32 %0, p; }" : "=r"(lanes) : "r"(flag) : "memory");
    return lanes >> (get_local_id(0) % 32 / SLOTS * SLOTS) & 15u;
}

static inline uint lowest(uint bits)
{
    return 31u - clz(bits & -bits);
}

/* Where the pair goes: slot 0..3 of the first bucket, 4..7 of the second; 8: nowhere. A pair of the same signature is replaced. */
static inline uint choose(uint same, uint empty)
{
    uint first = empty & 15u, second = empty >> SLOTS;
    if (same != 0)
        return lowest(same);
    if (empty == 0)
        return 2 * SLOTS;
    return popcount(first) >= popcount(second) ? lowest(first) : SLOTS + lowest(second);
}

/* All four threads of the group. */
static inline void insert(__global const uint *pair, __global uint *table, __global uint4 *entry, __global uint *head, uint writer,
                          uint slice, __local uint *lock)
{
    uint slot = get_local_id(0) % SLOTS, base = get_group_id(0) * slice;
    uint signature = pair[0], hash = pair[1], location = pair[2], wrote = 0;
    uint bucket[2] = {base + hash % slice, base + (hash * 0x85ebca6bu >> 5) % slice};
    int done = 0;
    while (!done) {
        uint seen[2] = {table[WORDS * bucket[0] + slot], table[WORDS * bucket[1] + slot]};
        uint same = group_vote(seen[0] == signature) | group_vote(seen[1] == signature) << SLOTS;
        uint empty = group_vote(seen[0] == 0) | group_vote(seen[1] == 0) << SLOTS;
        uint pick = choose(same, empty);
        uint mine = bucket[pick / SLOTS % 2];
        uint locked = slot == 0 && pick < 2 * SLOTS ? atomic_cmpxchg(&lock[mine % LOCKS], 0, 1) == 0 : 0;
        if (group_vote(locked) != 0) {
            __global uint *at = table + WORDS * mine + slot;
            if (slot == pick % SLOTS && at[0] == (same != 0 ? signature : 0)) { /* else another pair has come first */
                log_old(entry, head, writer, WORDS * mine + slot, at[0], at[SLOTS]);
                at[0] = signature;
                at[SLOTS] = location;
                wrote = 1;
            }
            mem_fence(CLK_GLOBAL_MEM_FENCE); /* before the next pair looks at the bucket */
            done = group_vote(wrote) != 0;
            if (slot == 0)
                atomic_xchg(&lock[mine % LOCKS], 0);
        }
        done |= pick == 2 * SLOTS;
        KEEP_LOOP_SHAPE(done);
    }
    if (wrote)
        dfence();
}

__kernel void gpkvs_insert(__global const uint *batch, __global uint *table, __global uint4 *entry, __global uint *head, uint pairs,
                           uint per_block, uint slice)
{
    __local uint lock[LOCKS];
    uint threads = get_local_size(0), end = min((uint)(get_group_id(0) + 1) * per_block, pairs);
    for (uint i = get_local_id(0); i < LOCKS; i += threads)
        lock[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_group_id(0) * per_block + get_local_id(0) / SLOTS; i < end; i += threads / SLOTS)
        insert(batch + 3 * i, table, entry, head, i, slice, lock);
}

/* Puts back what the entries say. */
__kernel void gpkvs_undo(__global uint *table, __global const uint4 *entry, __global const uint *head, uint pairs)
{
    uint i = get_global_id(0);
    if (i >= pairs || head[i] == 0)
        return;
    uint4 old = entry[i];
    table[old.x] = old.y;
    table[old.x + SLOTS] = old.z;
    dfence();
}
