/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorted linked list (Chen et al., ISCA 2017, section 6, Linked List): each thread inserts one key into a list that is empty at first. The
 * transaction reads from the head up to the key's place and writes the node and the link to it.
 */
#include "sync.h"

struct node {              /* node 0 is the head; it has no key */
    uint key, value, next; /* next: 0: none */
};

static void insert(int locked, __global const uint *keys, __global volatile struct node *node, uint n, __global volatile uint *lock)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint key = keys[i];
    ATOMICALLY(locked, lock, {
        uint last = 0;
        uint at = node[0].next;
        /* a transaction that is about to fail may see a list that never was */
        for (uint steps = 0; at != 0 && at <= n && steps < n && node[at].key < key; steps++) {
            last = at;
            at = node[at].next;
        }
        node[i + 1].key = key;
        node[i + 1].value = ~key;
        node[i + 1].next = at;
        node[last].next = i + 1;
    });
}

__kernel void list_tx(__global const uint *keys, __global volatile struct node *node, uint n)
{
    insert(0, keys, node, n, 0);
}

__kernel void list_cglock(__global const uint *keys, __global volatile struct node *node, uint n, __global volatile uint *lock)
{
    insert(1, keys, node, n, lock);
}
