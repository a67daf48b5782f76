/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HM: a batch of pairs is inserted into a hash map in persistent memory (SBRP 7.1). A bucket is three tables of 192 nodes; a key has one place
 * in each of them. A thread block inserts the bucket's new keys by cuckoo hashing in shared memory, then writes the nodes that have changed.
 */
#include "undo_log.h"

#define TABLES  3u
#define ENTRIES 192u
#define NODES   (TABLES * ENTRIES) /* of a bucket, and threads of a block */
#define MOVES   100u               /* of a key in hand, before the batch does not fit */

/* hm_find has it too, and so has the host. */
static inline uint place_of(uint key, uint table)
{
    uint h = (key + 1) * (0x9e3779b1u + 0x632be5a6u * table);
    return table * ENTRIES + (h >> 16) % ENTRIES;
}

/* Lists the new keys of each bucket. */
__kernel void hm_mark(__global const uint2 *batch, uint pairs, uint buckets, __global uint *list, __global uint *length)
{
    for (uint i = get_global_id(0); i < pairs; i += get_global_size(0)) {
        uint bucket = batch[i].x % buckets;
        uint at = atomic_inc(&length[bucket]);
        if (at < NODES)
            list[bucket * NODES + at] = i;
    }
}

/* Gives the pair in hand its place; who was there moves to its place in the next table. Returns what is left in the hand at the end. */
static inline uint settle(uint in_hand, __local const uint2 *pair, __local uint *node)
{
    for (uint move = 0; in_hand != 0 && move < MOVES; move++)
        in_hand = atomic_xchg(&node[place_of(pair[in_hand - 1].x, move % TABLES)], in_hand);
    return in_hand;
}

__kernel void hm_insert(__global uint2 *map, __global const uint2 *batch, __global const uint *list, __global const uint *length,
                        __global uint4 *entry, __global uint *head, __global uint *failed)
{
    __local uint node[NODES];      /* number of the pair that is there, from 1 on; 0: none */
    __local uint2 pair[2 * NODES]; /* those of the map, then the new ones */
    uint i = get_local_id(0), bucket = get_group_id(0), fresh = length[bucket];
    uint2 old = map[bucket * NODES + i];
    pair[i] = old;
    node[i] = old.x != 0 ? i + 1 : 0;
    pair[NODES + i] = i < fresh && i < NODES ? batch[list[bucket * NODES + i]] : (uint2)(0, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint left = settle(i < fresh ? NODES + i + 1 : 0, pair, node);
    if (left != 0 || (i == 0 && fresh > NODES))
        *failed = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint2 new = node[i] != 0 ? pair[node[i] - 1] : (uint2)(0, 0);
    if (new.x != old.x || new.y != old.y) {
        log_old(entry, head, bucket * NODES + i, bucket * NODES + i, old.x, old.y);
        map[bucket * NODES + i] = new;
        dfence();
    }
}

/* Puts back what the entries say. */
__kernel void hm_undo(__global uint2 *map, __global const uint4 *entry, __global const uint *head, uint nodes)
{
    uint i = get_global_id(0);
    if (i >= nodes || head[i] == 0)
        return;
    uint4 old = entry[i];
    map[old.x] = (uint2)(old.y, old.z);
    dfence();
}

/* The values of keys, 0 for a key that is not there. */
__kernel void hm_find(__global const uint2 *map, __global const uint2 *wanted, uint pairs, uint buckets, __global uint *value)
{
    for (uint i = get_global_id(0); i < pairs; i += get_global_size(0)) {
        uint key = wanted[i].x, found = 0;
        for (uint table = 0; table < TABLES; table++) {
            uint2 seen = map[key % buckets * NODES + place_of(key, table)];
            found = seen.x == key ? seen.y : found;
        }
        value[i] = found;
    }
}
