/* SPDX-License-Identifier: Apache-2.0 */
/* Red-black tree (Chen et al., ISCA 2017, section 6, Red Black Tree): each thread inserts or removes one key. */
#include "sync.h"

#include "rbtree.h"
#include "rbtree_pointers.h"

static void change(int locked, __global const uint *keys, tree_t t, __global uint *done, uint before, uint inserts, uint threads,
                   __global volatile uint *lock)
{
    uint i = get_global_id(0);
    if (i >= threads)
        return;
    uint key = keys[i], result;
    if (i < inserts)
        ATOMICALLY(locked, lock, result = insert(t, before + 1 + i, key));
    else
        ATOMICALLY(locked, lock, result = remove(t, key));
    done[i] = result;
}

__kernel void rbt_tx(__global const uint *keys, tree_t t, __global uint *done, uint before, uint inserts, uint threads)
{
    change(0, keys, t, done, before, inserts, threads, 0);
}

__kernel void rbt_cglock(__global const uint *keys, tree_t t, __global uint *done, uint before, uint inserts, uint threads,
                         __global volatile uint *lock)
{
    change(1, keys, t, done, before, inserts, threads, lock);
}

/* The same with nodes like those of the RSTM suite's tree. */
static void change_pointers(int locked, __global const uint *keys, pointers_t t, __global uint *done, uint before, uint inserts, uint threads,
                            __global volatile uint *lock)
{
    uint i = get_global_id(0);
    if (i >= threads)
        return;
    uint key = keys[i], result;
    if (i < inserts)
        ATOMICALLY(locked, lock, result = insert_by_pointers(t, t + before + 1 + i, key));
    else
        ATOMICALLY(locked, lock, result = remove_by_pointers(t, key));
    done[i] = result;
}

__kernel void rbt_pointers_tx(__global const uint *keys, pointers_t t, __global uint *done, uint before, uint inserts, uint threads)
{
    change_pointers(0, keys, t, done, before, inserts, threads, 0);
}

__kernel void rbt_pointers_cglock(__global const uint *keys, pointers_t t, __global uint *done, uint before, uint inserts, uint threads,
                                  __global volatile uint *lock)
{
    change_pointers(1, keys, t, done, before, inserts, threads, lock);
}
