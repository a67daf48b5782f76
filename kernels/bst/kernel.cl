/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binary search tree, not balanced (Chen et al., ISCA 2017, section 6, Binary Tree): each thread inserts or removes one key. A node with
 * two children that is removed takes the key of the next larger node, which goes in its place.
 *
 * Links are words of the tree: word 0 is the root's number; node k has its key at 3 k, its children at 3 k + 1 and 3 k + 2. 0: no node.
 */
#include "sync.h"

#define KEY(k)   (3 * (k))
#define LEFT(k)  (3 * (k) + 1)
#define RIGHT(k) (3 * (k) + 2)

/* A transaction that is about to fail may see a tree that never was, so numbers are tested and steps are counted. */
#define WITHIN(k, nodes) ((k) != 0 && (k) <= (nodes))

#include "body.h"

__kernel void bst_tx(__global const uint *keys, __global volatile uint *tree, __global uint *done, uint before, uint inserts, uint threads)
{
    change(0, keys, tree, done, before, inserts, threads, 0);
}

__kernel void bst_cglock(__global const uint *keys, __global volatile uint *tree, __global uint *done, uint before, uint inserts,
                         uint threads, __global volatile uint *lock)
{
    change(1, keys, tree, done, before, inserts, threads, lock);
}

#define STM_READS  256
#define STM_WRITES 4
#include "stm.h"

#include "body.h"

__kernel void bst_stm_tl2(__global const uint *keys, __global volatile uint *tree, __global uint *done, uint before, uint inserts,
                          uint threads, __global volatile uint *shared)
{
    change_stm(HOW_STM_TL2, keys, tree, done, before, inserts, threads, shared);
}

__kernel void bst_stm_pr(__global const uint *keys, __global volatile uint *tree, __global uint *done, uint before, uint inserts,
                         uint threads, __global volatile uint *shared)
{
    change_stm(HOW_STM_PR, keys, tree, done, before, inserts, threads, shared);
}
