/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A red-black tree in transactional memory, for kernels that keep one or several. Nodes know their parents. A node with two children that is
 * removed takes the content of the next larger node, which goes in its place.
 *
 * Node 0 is no node: it stands for absent children, is black, and its left child is the root. A transaction that is about to fail may see a
 * tree that never was; node numbers always lie in the tree, and steps are counted.
 *
 * RBTREE_VALUE: nodes have a word of the kernel's beside the key.
 */
#ifndef KERNELS_RBTREE_H
#define KERNELS_RBTREE_H

#define RED   1u
#define BLACK 0u
#define STEPS 64u /* deeper than any tree of 2^31 keys */

struct node {
    uint key, left, right, parent, colour;
#ifdef RBTREE_VALUE
    uint value;
#endif
};
typedef __global volatile struct node *tree_t;

/* Its child takes the node's place. Where the child would be none, the tree is one that never was. */
static void rotate_left(tree_t t, uint x)
{
    uint y = t[x].right;
    if (x == 0 || y == 0)
        return;
    uint inner = t[y].left;
    uint parent = t[x].parent;
    t[x].right = inner;
    if (inner != 0)
        t[inner].parent = x;
    t[y].parent = parent;
    if (t[parent].left == x)
        t[parent].left = y;
    else
        t[parent].right = y;
    t[y].left = x;
    t[x].parent = y;
}

static void rotate_right(tree_t t, uint x)
{
    uint y = t[x].left;
    if (x == 0 || y == 0)
        return;
    uint inner = t[y].right;
    uint parent = t[x].parent;
    t[x].left = inner;
    if (inner != 0)
        t[inner].parent = x;
    t[y].parent = parent;
    if (t[parent].left == x)
        t[parent].left = y;
    else
        t[parent].right = y;
    t[y].right = x;
    t[x].parent = y;
}

/* Two red nodes, z and its parent, may follow each other. */
static void mend_insert(tree_t t, uint z)
{
    for (uint steps = 0; steps < STEPS; steps++) {
        uint parent = t[z].parent;
        if (parent == 0 || t[parent].colour == BLACK)
            break;
        uint grand = t[parent].parent;
        if (grand == 0)
            break;
        uint on_left = t[grand].left == parent;
        uint uncle = on_left ? t[grand].right : t[grand].left;
        if (uncle != 0 && t[uncle].colour == RED) {
            t[parent].colour = BLACK;
            t[uncle].colour = BLACK;
            t[grand].colour = RED;
            z = grand;
            continue;
        }
        if (on_left && t[parent].right == z) {
            rotate_left(t, parent);
            parent = z;
        } else if (!on_left && t[parent].left == z) {
            rotate_right(t, parent);
            parent = z;
        }
        t[parent].colour = BLACK;
        t[grand].colour = RED;
        if (on_left)
            rotate_right(t, grand);
        else
            rotate_left(t, grand);
        break;
    }
    uint root = t[0].left;
    if (root != 0 && t[root].colour == RED)
        t[root].colour = BLACK;
}

/* Node z, which is in no tree yet, gets the key and a place. 0: the key is there already, and nothing has changed. */
static uint insert(tree_t t, uint z, uint key)
{
    uint parent = 0, at = t[0].left, on_right = 0;
    for (uint steps = 0; at != 0 && steps < STEPS; steps++) {
        uint other = t[at].key;
        if (other == key)
            return 0;
        parent = at;
        on_right = key > other;
        at = on_right ? t[at].right : t[at].left;
    }
    t[z].key = key;
    t[z].left = 0;
    t[z].right = 0;
    t[z].parent = parent;
    t[z].colour = RED;
    if (on_right)
        t[parent].right = z;
    else
        t[parent].left = z;
    mend_insert(t, z);
    return 1;
}

static uint is_black(tree_t t, uint x)
{
    return x == 0 || t[x].colour == BLACK;
}

/* Ways through x, a child of parent, have one black node too few. */
static void mend_remove(tree_t t, uint x, uint parent)
{
    for (uint steps = 0; parent != 0 && is_black(t, x) && steps < STEPS; steps++) {
        uint on_left = t[parent].left == x;
        uint other = on_left ? t[parent].right : t[parent].left;
        if (other == 0)
            return;
        if (t[other].colour == RED) {
            t[other].colour = BLACK;
            t[parent].colour = RED;
            if (on_left)
                rotate_left(t, parent);
            else
                rotate_right(t, parent);
            other = on_left ? t[parent].right : t[parent].left;
            if (other == 0)
                return;
        }
        uint near = on_left ? t[other].left : t[other].right;
        uint far = on_left ? t[other].right : t[other].left;
        if (is_black(t, near) && is_black(t, far)) {
            t[other].colour = RED;
            x = parent;
            parent = t[x].parent;
            continue;
        }
        if (is_black(t, far)) {
            t[near].colour = BLACK;
            t[other].colour = RED;
            if (on_left)
                rotate_right(t, other);
            else
                rotate_left(t, other);
            far = other;
            other = near;
        }
        t[other].colour = t[parent].colour;
        t[parent].colour = BLACK;
        if (far != 0)
            t[far].colour = BLACK;
        if (on_left)
            rotate_left(t, parent);
        else
            rotate_right(t, parent);
        return;
    }
    if (x != 0 && t[x].colour == RED)
        t[x].colour = BLACK;
}

/* The node of a key; 0: there is none. */
static uint find(tree_t t, uint key)
{
    uint at = t[0].left;
    for (uint steps = 0; at != 0 && steps < STEPS; steps++) {
        uint other = t[at].key;
        if (other == key)
            break;
        at = key > other ? t[at].right : t[at].left;
    }
    return at;
}

/* 0: the key is not there. */
static uint remove(tree_t t, uint key)
{
    uint z = find(t, key);
    if (z == 0)
        return 0;
    uint left = t[z].left, y = z;
    if (left != 0 && t[z].right != 0) {
        y = t[z].right;
        for (uint steps = 0; steps < STEPS; steps++) {
            left = t[y].left;
            if (left == 0)
                break;
            y = left;
        }
        t[z].key = t[y].key;
#ifdef RBTREE_VALUE
        t[z].value = t[y].value;
#endif
    }
    uint x = left != 0 ? left : t[y].right;
    uint parent = t[y].parent;
    if (t[parent].left == y)
        t[parent].left = x;
    else
        t[parent].right = x;
    if (x != 0)
        t[x].parent = parent;
    if (t[y].colour == BLACK)
        mend_remove(t, x, parent);
    return 1;
}

#endif
