/* SPDX-License-Identifier: Apache-2.0 */
#include "rbtree.h"

#include <stddef.h>

enum { BLACK, RED };

static uint32_t get(const struct rbtree *t, uint32_t node, enum rbtree_field field)
{
    return *rbtree_field(t, node, field);
}

/* The keys first .. end - 1; `levels` more are full below this one. Returns their root. */
static uint32_t build(const struct rbtree *t, const uint32_t *key, uint32_t first, uint32_t end, uint32_t parent, uint32_t levels)
{
    if (first >= end)
        return 0;
    const uint32_t middle = first + (end - first) / 2, node = middle + 1;
    *rbtree_field(t, node, RBTREE_KEY) = key[middle];
    *rbtree_field(t, node, RBTREE_PARENT) = parent;
    *rbtree_field(t, node, RBTREE_COLOUR) = levels == 0 ? RED : BLACK;
    *rbtree_field(t, node, RBTREE_LEFT) = build(t, key, first, middle, node, levels - 1);
    *rbtree_field(t, node, RBTREE_RIGHT) = build(t, key, middle + 1, end, node, levels - 1);
    return node;
}

void rbtree_build(const struct rbtree *t, const uint32_t *key, uint32_t n)
{
    uint32_t levels = 0;
    while ((UINT64_C(2) << levels) - 1 <= n)
        levels++; /* full ones */
    *rbtree_field(t, 0, RBTREE_LEFT) = build(t, key, 0, n, 0, levels);
}

struct look {
    const struct rbtree *t;
    const char *fault;
    uint32_t at, found;
};

static void fault(struct look *l, uint32_t at, const char *what)
{
    if (l->fault == NULL) {
        l->fault = what;
        l->at = at;
    }
}

/* Black nodes from here down. Keys lie between low and high, exclusive. */
static uint32_t look(struct look *l, uint32_t at, uint32_t parent, uint64_t low, uint64_t high)
{
    const struct rbtree *t = l->t;
    if (at == 0 || l->fault != NULL)
        return 1;
    if (at > t->node_cnt || ++l->found > t->node_cnt) {
        fault(l, at > t->node_cnt ? 0 : at, "the tree has a circle, or a node that is none");
        return 0;
    }
    const uint32_t key = get(t, at, RBTREE_KEY), red = get(t, at, RBTREE_COLOUR) == RED;
    if (get(t, at, RBTREE_PARENT) != parent)
        fault(l, at, "its parent is another one");
    else if (key <= low || key >= high)
        fault(l, at, "out of order");
    else if (red && (parent == 0 || get(t, parent, RBTREE_COLOUR) == RED))
        fault(l, at, "red below red, or a red root");
    const uint32_t left = look(l, get(t, at, RBTREE_LEFT), at, low, key), right = look(l, get(t, at, RBTREE_RIGHT), at, key, high);
    if (left != right)
        fault(l, at, "ways with different numbers of black nodes");
    return left + !red;
}

const char *rbtree_fault(const struct rbtree *t, uint32_t *keys, uint32_t *at)
{
    struct look l = {.t = t};
    look(&l, get(t, 0, RBTREE_LEFT), 0, 0, UINT64_MAX);
    *keys = l.found;
    *at = l.at;
    return l.fault;
}

uint32_t rbtree_find(const struct rbtree *t, uint32_t key)
{
    uint32_t at = get(t, 0, RBTREE_LEFT);
    while (at != 0 && get(t, at, RBTREE_KEY) != key)
        at = get(t, at, key > get(t, at, RBTREE_KEY) ? RBTREE_RIGHT : RBTREE_LEFT);
    return at;
}
