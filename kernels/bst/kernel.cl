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

/*
 * The same with pointers of 8 bytes, and nodes that know their parents, are made before, and are moved, not copied: where a node with two
 * children is removed, "the parent of a tree node" becomes "the next largest element in the tree" (section 7.2).
 */
typedef __global volatile struct element *element_t;
struct element { /* element 0 stands for none; its left child is the root */
    uint key, unused;
    element_t left, right, parent;
};

/* `child`, which may be none, takes the place of `at` below its parent. */
static void replace(element_t none, element_t at, element_t child)
{
    element_t parent = at->parent;
    if (parent->left == at)
        parent->left = child;
    else
        parent->right = child;
    if (child != none)
        child->parent = parent;
}

static uint insert_element(element_t none, uint nodes, element_t mine, uint key)
{
    element_t parent = none;
    element_t at = none->left;
    uint on_left = 1;
    for (uint steps = 0; at != none && steps < nodes; steps++) {
        uint other = at->key;
        if (other == key)
            return 0;
        parent = at;
        on_left = key < other;
        at = on_left ? at->left : at->right;
    }
    mine->parent = parent;
    if (on_left)
        parent->left = mine;
    else
        parent->right = mine;
    return 1;
}

static uint remove_element(element_t none, uint nodes, uint key)
{
    element_t at = none->left;
    for (uint steps = 0; at != none && steps < nodes; steps++) {
        uint other = at->key;
        if (other == key)
            break;
        at = key < other ? at->left : at->right;
    }
    if (at == none)
        return 0;
    element_t left = at->left;
    element_t right = at->right;
    if (left == none || right == none) {
        replace(none, at, left != none ? left : right);
        return 1;
    }
    element_t next = right;
    element_t child = next->left;
    for (uint steps = 0; child != none && steps < nodes; steps++) {
        next = child;
        child = next->left;
    }
    if (next != right) {
        replace(none, next, next->right);
        next->right = right;
        right->parent = next;
    }
    replace(none, at, next);
    next->left = left;
    left->parent = next;
    return 1;
}

static void change_elements(int how, __global const uint *keys, element_t none, __global uint *done, uint before, uint inserts, uint threads,
                            __global volatile uint *lock)
{
    uint i = get_global_id(0);
    if (i >= threads)
        return;
    uint key = keys[i], nodes = before + inserts, result;
    if (i < inserts)
        ATOMICALLY(how, lock, result = insert_element(none, nodes, none + before + 1 + i, key));
    else
        ATOMICALLY(how, lock, result = remove_element(none, nodes, key));
    done[i] = result;
}

__kernel void bst_pointers_tx(__global const uint *keys, element_t none, __global uint *done, uint before, uint inserts, uint threads)
{
    change_elements(0, keys, none, done, before, inserts, threads, 0);
}

__kernel void bst_pointers_cglock(__global const uint *keys, element_t none, __global uint *done, uint before, uint inserts, uint threads,
                                  __global volatile uint *lock)
{
    change_elements(1, keys, none, done, before, inserts, threads, lock);
}
