/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash table with chaining (Fung 2015, HT; GETM Table III, HT-H, HT-M, HT-L): each thread inserts one entry at the head of its key's
 * bucket. Transaction: 1 word read (the head), 4 words written (the entry, the head). The key is read outside.
 */
#include "sync.h"

struct entry {
    uint key, value;
    int next; /* index of the next entry in the bucket, -1 at the end */
};

struct bucket {
    int head; /* index of the first entry, -1 when empty */
    uint lock;
};

#include "body.h"

__kernel void hashtable_tx(__global const uint *keys, __global volatile struct entry *entries, __global volatile struct bucket *buckets,
                           uint bucket_cnt, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint key = keys[i];
    uint b = key % bucket_cnt;
    tx_begin();
    insert(entries, &buckets[b], (int)i, key);
    tx_commit();
}

__kernel void hashtable_fglock(__global const uint *keys, __global volatile struct entry *entries, __global volatile struct bucket *buckets,
                               uint bucket_cnt, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint key = keys[i];
    uint b = key % bucket_cnt;
    int done = 0;
    while (!done) {
        if (atomic_cmpxchg(&buckets[b].lock, 0u, 1u) == 0) {
            insert(entries, &buckets[b], (int)i, key);
            FENCE_DEVICE();
            atomic_xchg(&buckets[b].lock, 0u);
            done = 1;
        }
        KEEP_LOOP_SHAPE(done);
    }
}

__kernel void hashtable_cglock(__global const uint *keys, __global volatile struct entry *entries, __global volatile struct bucket *buckets,
                               uint bucket_cnt, uint n, __global volatile uint *lock)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint key = keys[i];
    uint b = key % bucket_cnt;
    int done = 0;
    while (!done) {
        if (atomic_cmpxchg(lock, 0u, 1u) == 0) {
            insert(entries, &buckets[b], (int)i, key);
            FENCE_DEVICE();
            atomic_xchg(lock, 0u);
            done = 1;
        }
        KEEP_LOOP_SHAPE(done);
    }
}

#define STM_READS  1
#define STM_WRITES 4
#include "stm.h"

#include "body.h"

STM_INLINE void insert_all_stm(int how, __global const uint *keys, __global volatile struct entry *entries,
                               __global volatile struct bucket *buckets, uint bucket_cnt, uint n, __global volatile uint *shared)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint key = keys[i];
    uint b = key % bucket_cnt;
    STM_ATOMICALLY(how, shared, insert_stm(TX_PASS entries, &buckets[b], (int)i, key));
}

__kernel void hashtable_stm_tl2(__global const uint *keys, __global volatile struct entry *entries,
                                __global volatile struct bucket *buckets, uint bucket_cnt, uint n, __global volatile uint *shared)
{
    insert_all_stm(HOW_STM_TL2, keys, entries, buckets, bucket_cnt, n, shared);
}

__kernel void hashtable_stm_pr(__global const uint *keys, __global volatile struct entry *entries, __global volatile struct bucket *buckets,
                               uint bucket_cnt, uint n, __global volatile uint *shared)
{
    insert_all_stm(HOW_STM_PR, keys, entries, buckets, bucket_cnt, n, shared);
}
