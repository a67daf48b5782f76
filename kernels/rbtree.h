/* SPDX-License-Identifier: Apache-2.0 */
/* The host's side of kernels/include/rbtree.h: makes a red-black tree, and tells what is wrong with one. */
#ifndef KERNELS_RBTREE_H
#define KERNELS_RBTREE_H

#include <stdint.h>

/* Nodes 0 to node_cnt of `stride` words each; node 0's left child is the root. The memory is the caller's. */
struct rbtree {
    uint32_t *word; /* [node_cnt + 1][stride] */
    uint32_t stride, node_cnt;
};

enum rbtree_field { RBTREE_KEY, RBTREE_LEFT, RBTREE_RIGHT, RBTREE_PARENT, RBTREE_COLOUR, RBTREE_VALUE };

static inline uint32_t *rbtree_field(const struct rbtree *t, uint32_t node, enum rbtree_field field)
{
    return t->word + (uint64_t)node * t->stride + field;
}

/* A tree of n keys, sorted, without gaps; its lowest level is red. Node i + 1 has key[i]. */
void rbtree_build(const struct rbtree *t, const uint32_t *key, uint32_t n);

/* Looks at every node: order, colours, black nodes on each way, parents. Returns NULL and the number of keys, or what is wrong, and where. */
const char *rbtree_fault(const struct rbtree *t, uint32_t *keys, uint32_t *at);

/* The node of a key in a tree without fault; 0: there is none. */
uint32_t rbtree_find(const struct rbtree *t, uint32_t key);

#endif
