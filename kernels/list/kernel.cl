/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorted linked list (Chen et al., ISCA 2017, section 6, Linked List): each thread inserts one key into a list that is empty at first. The
 * transaction reads from the head up to the key's place and writes the node and the link to it.
 */
#include "sync.h"

struct node {              /* node 0 is the head; it has no key */
    uint key, value, next; /* next: 0: none */
};

#include "body.h"

__kernel void list_tx(__global const uint *keys, __global volatile struct node *node, uint n)
{
    insert(0, keys, node, n, 0);
}

__kernel void list_cglock(__global const uint *keys, __global volatile struct node *node, uint n, __global volatile uint *lock)
{
    insert(1, keys, node, n, lock);
}

#define STM_READS  1024
#define STM_WRITES 4
#include "stm.h"

#include "body.h"

__kernel void list_stm_tl2(__global const uint *keys, __global volatile struct node *node, uint n, __global volatile uint *shared)
{
    insert_stm(HOW_STM_TL2, keys, node, n, shared);
}

__kernel void list_stm_pr(__global const uint *keys, __global volatile struct node *node, uint n, __global volatile uint *shared)
{
    insert_stm(HOW_STM_PR, keys, node, n, shared);
}
