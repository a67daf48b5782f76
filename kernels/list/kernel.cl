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

/*
 * The same with pointers of 8 bytes, and elements that are made before. Only so can a transaction read and write what Table 3 says: in a list
 * of 200 elements that are 2 words each on the way, nobody reads 240 words in the mean.
 */
typedef __global volatile struct element *element_t;
struct element { /* 0 is the head, to which the last element points */
    uint key, value;
    element_t next;
};

static void insert_element(int how, element_t head, uint n, __global volatile uint *lock)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    element_t mine = head + i + 1;
    uint key = mine->key;
    ATOMICALLY(how, lock, {
        element_t last = head;
        element_t at = head->next;
        for (uint steps = 0; at != head && steps < n; steps++) {
            if (at->key >= key)
                break;
            last = at;
            at = at->next;
        }
        mine->next = at;
        last->next = mine;
    });
}

__kernel void list_pointers_tx(element_t head, uint n)
{
    insert_element(0, head, n, 0);
}

__kernel void list_pointers_cglock(element_t head, uint n, __global volatile uint *lock)
{
    insert_element(1, head, n, lock);
}
