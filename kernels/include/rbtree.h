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

/* Links are numbers of nodes. */
#define RB_(name)           name
#define TREE                tree_t
#define LINK                uint
#define NONE                0
#define NONE_OF(tree)       0
#define NODE(k)             (k)
#define AT(x)               t[x]
#define IS_LEFT(x, parent)  (AT(parent).left == (x))
#define IS_RIGHT(x, parent) (AT(parent).right == (x))
#define SET_SIDE(x, side)   ((void)0)

#include "rbtree_body.h"

#endif
