/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The red-black tree of rbtree.h with links that are pointers of 8 bytes, as in the RSTM and STAMP suites, whose trees Chen et al. 2017,
 * section 6, adapt. Pointers always lead to nodes of the tree, also in a transaction that is about to fail.
 *
 * As in RSTM, a word tells which child of its parent a node is. RBTREE_NO_SIDE: as in STAMP, there is no such word.
 */
#ifndef KERNELS_RBTREE_POINTERS_H
#define KERNELS_RBTREE_POINTERS_H

#include "rbtree.h"

typedef __global volatile struct pointer_node *pointers_t;
struct pointer_node {
    uint key, colour;
    pointers_t left, right, parent;
    uint side, value; /* side 0: a left child */
};

#undef RB_
#undef TREE
#undef LINK
#undef NONE
#undef NONE_OF
#undef NODE
#undef AT
#define RB_(name)     name##_by_pointers
#define TREE          pointers_t
#define LINK          pointers_t
#define NONE          t
#define NONE_OF(tree) (tree)
#define NODE(k)       (t + (k))
#define AT(x)         (*(x))

#ifndef RBTREE_NO_SIDE
#undef IS_LEFT
#undef IS_RIGHT
#undef SET_SIDE
#define IS_LEFT(x, parent)  (AT(x).side == 0)
#define IS_RIGHT(x, parent) (AT(x).side != 0)
#define SET_SIDE(x, where)    \
    do {                      \
        AT(x).side = (where); \
    } while (0)
#endif

#include "rbtree_body.h"

#endif
