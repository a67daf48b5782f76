/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lht: a hash table in shared memory (GPU-LocalTM 6, HT). A thread looks at the places of its key's bucket from the first one on until one
 * is empty, and puts the key there. A transaction is one look: it reads one word, and writes this word when the place is empty. So all
 * looks but the last one of a key are read-only. The places of equal rank stand side by side, so that neighbouring buckets use different
 * banks.
 */
#include "sync.h"

#define WORDS                   1024u /* places of the table */
#define EMPTY                   0u
#define BUCKET_OF(key, buckets) (((key) >> 12) % (buckets)) /* the lower bits tell a work-group's keys apart */

/* keys: of one work-group after the other; tables: as many, with what is in them before and after. */
static inline void fill(int locked, __global const uint *keys, __global uint *tables, uint buckets, uint keys_per_thread,
                        __local uint *table, __local uint *lock)
{
    uint t = get_local_id(0), threads = get_local_size(0), n = threads * keys_per_thread;
    for (uint i = t; i < WORDS; i += threads)
        table[i] = tables[get_group_id(0) * WORDS + i];
    if (locked && t == 0)
        *lock = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    keys += get_group_id(0) * n;
    uint i = t, key = keys[t], place = BUCKET_OF(key, buckets);
    while (i < n && place < WORDS) {
        uint is_mine;
        ATOMICALLY_IN_GROUP(locked, lock, {
            is_mine = table[place] == EMPTY;
            if (is_mine)
                table[place] = key;
        });
        place += buckets;
        if (is_mine) {
            i += threads;
            key = i < n ? keys[i] : 0;
            place = BUCKET_OF(key, buckets);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = t; k < WORDS; k += threads)
        tables[get_group_id(0) * WORDS + k] = table[k];
}

__kernel void lht_tx(__global const uint *keys, __global uint *tables, uint buckets, uint keys_per_thread)
{
    __local uint table[WORDS];
    fill(0, keys, tables, buckets, keys_per_thread, table, 0);
}

__kernel void lht_cglock(__global const uint *keys, __global uint *tables, uint buckets, uint keys_per_thread)
{
    __local uint table[WORDS], lock;
    fill(1, keys, tables, buckets, keys_per_thread, table, &lock);
}
