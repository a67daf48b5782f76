/* SPDX-License-Identifier: Apache-2.0 */
/*
 * it: an indexed table in shared memory (GPU-LocalTM 6, IT). Each row says where its next free place is. A thread takes this place for its
 * key, and moves the row's index on. The transaction reads and writes that one word. The place is the thread's own, so the key is stored
 * after it.
 */
#include "sync.h"

#define WORDS 1024u /* places of the table */
#define ROWS  256u  /* at the most */

/* keys: of one work-group after the other; table_out, next_out: as many tables and their indices. */
static inline void fill(int locked, __global const uint *keys, __global uint *table_out, __global uint *next_out, uint rows,
                        uint keys_per_thread, __local uint *table, __local uint *next, __local uint *lock)
{
    uint t = get_local_id(0), threads = get_local_size(0), n = threads * keys_per_thread, group = get_group_id(0);
    for (uint i = t; i < WORDS; i += threads)
        table[i] = 0;
    for (uint i = t; i < rows; i += threads)
        next[i] = 0;
    if (locked && t == 0)
        *lock = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = t; i < n; i += threads) {
        uint key = keys[group * n + i], row = (key >> 16) % rows, place;
        ATOMICALLY_IN_GROUP(locked, lock, {
            place = next[row];
            next[row] = place + 1;
        });
        if (place < WORDS / rows)
            table[place * rows + row] = key;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = t; i < WORDS; i += threads)
        table_out[group * WORDS + i] = table[i];
    for (uint i = t; i < rows; i += threads)
        next_out[group * rows + i] = next[i];
}

__kernel void it_tx(__global const uint *keys, __global uint *table_out, __global uint *next_out, uint rows, uint keys_per_thread)
{
    __local uint table[WORDS], next[ROWS];
    fill(0, keys, table_out, next_out, rows, keys_per_thread, table, next, 0);
}

__kernel void it_cglock(__global const uint *keys, __global uint *table_out, __global uint *next_out, uint rows, uint keys_per_thread)
{
    __local uint table[WORDS], next[ROWS], lock;
    fill(1, keys, table_out, next_out, rows, keys_per_thread, table, next, &lock);
}
