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

/* The word that links to the key's node, or to which it would be linked. */
static uint find(__global volatile uint *tree, uint nodes, uint key)
{
    uint link = 0;
    uint at = tree[0];
    for (uint steps = 0; WITHIN(at, nodes) && steps < nodes; steps++) {
        uint other = tree[KEY(at)];
        if (other == key)
            break;
        link = key < other ? LEFT(at) : RIGHT(at);
        at = tree[link];
    }
    return link;
}

static uint insert(__global volatile uint *tree, uint nodes, uint node, uint key)
{
    uint link = find(tree, nodes, key);
    if (tree[link] != 0)
        return 0;
    tree[KEY(node)] = key;
    tree[LEFT(node)] = 0;
    tree[RIGHT(node)] = 0;
    tree[link] = node;
    return 1;
}

static uint remove(__global volatile uint *tree, uint nodes, uint key)
{
    uint link = find(tree, nodes, key);
    uint at = tree[link];
    if (!WITHIN(at, nodes))
        return 0;
    uint left = tree[LEFT(at)];
    uint right = tree[RIGHT(at)];
    if (left == 0 || right == 0 || !WITHIN(right, nodes)) {
        tree[link] = left != 0 ? left : right;
        return 1;
    }
    uint next_link = RIGHT(at);
    uint next = right;
    for (uint steps = 0, child = tree[LEFT(next)]; WITHIN(child, nodes) && steps < nodes; steps++) {
        next_link = LEFT(next);
        next = child;
        child = tree[LEFT(next)];
    }
    tree[KEY(at)] = tree[KEY(next)];
    tree[next_link] = tree[RIGHT(next)];
    return 1;
}

static void change(int locked, __global const uint *keys, __global volatile uint *tree, __global uint *done, uint before, uint inserts,
                   uint threads, __global volatile uint *lock)
{
    uint i = get_global_id(0);
    if (i >= threads)
        return;
    uint key = keys[i], nodes = before + inserts, result;
    if (i < inserts)
        ATOMICALLY(locked, lock, result = insert(tree, nodes, before + 1 + i, key));
    else
        ATOMICALLY(locked, lock, result = remove(tree, nodes, key));
    done[i] = result;
}

__kernel void bst_tx(__global const uint *keys, __global volatile uint *tree, __global uint *done, uint before, uint inserts, uint threads)
{
    change(0, keys, tree, done, before, inserts, threads, 0);
}

__kernel void bst_cglock(__global const uint *keys, __global volatile uint *tree, __global uint *done, uint before, uint inserts,
                         uint threads, __global volatile uint *lock)
{
    change(1, keys, tree, done, before, inserts, threads, lock);
}
