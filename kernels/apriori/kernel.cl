/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Apriori (Fung 2015, AP; GETM Table III): finds the sets of items that many records contain. A pass makes candidates of k items from the
 * frequent sets of k - 1 items, one such set per thread, and inserts them into a hash tree; then counts, one record per thread, how many
 * records contain each.
 *
 * Transaction: one insertion. It goes down the tree, walks the leaf's sorted list and links the candidate in (6 words written for a pair);
 * a leaf that has grown too long gets children and hands its list down to them. Counting adds to supports with atomics in every form, since
 * the tree stands.
 */
#include "sync.h"

struct set {
    int x, y, z, unused; /* items, ascending; z is 0 in a pair */
};

struct node {
    int child; /* first of its `fanout` children, 0: a leaf */
    int count; /* candidates of a leaf */
    int head;  /* first of them, 0: none */
    uint lock;
};

struct candidate {
    int item[3]; /* ascending; the last is 0 in a pair */
    uint support;
    int next; /* in the leaf, in lexical order; 0: none */
    int unused[3];
};

struct tree {
    __global volatile struct node *nodes; /* the root is the first */
    __global volatile struct candidate *candidates;
    __global volatile uint *used; /* of candidates and of nodes */
    int fanout, limit, k;         /* children of a node; candidates of a leaf, from which only depth k exempts; items of a candidate */
};

enum form { TRANSACTION, LOCK };

static int item_of(struct set set, int i)
{
    return i == 0 ? set.x : i == 1 ? set.y : set.z;
}

static int is_before(__global volatile struct candidate *candidate, struct set set)
{
    int x = candidate->item[0];
    if (x != set.x)
        return x < set.x;
    int y = candidate->item[1];
    if (y != set.y)
        return y < set.y;
    return candidate->item[2] < set.z;
}

static void link_in(struct tree t, int n, int slot, struct set set)
{
    __global volatile int *link = &t.nodes[n].head;
    int next = *link;
    while (next != 0 && is_before(&t.candidates[next], set)) {
        link = &t.candidates[next].next;
        next = *link;
    }
    t.candidates[slot].next = next;
    *link = slot;
}

/* Turns leaf n at a depth into an inner node. Under locks, others may go down the tree meanwhile: the children are complete before they are
 * reachable. */
static void split(struct tree t, int n, int depth, enum form form)
{
    int base;
    if (form == LOCK) {
        base = (int)atomic_add(&t.used[1], (uint)t.fanout);
    } else {
        base = (int)t.used[1];
        t.used[1] = (uint)(base + t.fanout);
    }
    int reversed = 0; /* first, so that pushing to the children's fronts keeps the order */
    for (int i = t.nodes[n].head, next; i != 0; i = next) {
        next = t.candidates[i].next;
        t.candidates[i].next = reversed;
        reversed = i;
    }
    for (int i = reversed, next; i != 0; i = next) {
        next = t.candidates[i].next;
        __global volatile struct node *child = &t.nodes[base + t.candidates[i].item[depth] % t.fanout];
        t.candidates[i].next = child->head;
        child->head = i;
        child->count++;
    }
    if (form == LOCK)
        FENCE_DEVICE();
    t.nodes[n].child = base;
}

static void add_to_leaf(struct tree t, int n, int depth, int slot, struct set set, enum form form)
{
    __global volatile struct candidate *candidate = &t.candidates[slot];
    candidate->item[0] = set.x;
    candidate->item[1] = set.y;
    if (t.k == 3)
        candidate->item[2] = set.z;
    candidate->support = 0;
    link_in(t, n, slot, set);
    int count = t.nodes[n].count + 1;
    t.nodes[n].count = count;
    if (count > t.limit && depth < t.k)
        split(t, n, depth, form);
}

static void insert(struct tree t, int slot, struct set set, enum form form)
{
    int n = 0, depth = 0;
    for (int child; (child = t.nodes[n].child) != 0; depth++)
        n = child + item_of(set, depth) % t.fanout;
    add_to_leaf(t, n, depth, slot, set, form);
}

/* Each leaf has a lock. Nobody locks on the way down: an inner node stays one. */
static void insert_with_locks(struct tree t, int slot, struct set set)
{
    int n = 0, depth = 0, done = 0;
    while (!done) {
        int child = t.nodes[n].child;
        if (child != 0) {
            n = child + item_of(set, depth) % t.fanout;
            depth++;
        } else if (atomic_cmpxchg(&t.nodes[n].lock, 0u, 1u) == 0) {
            if (t.nodes[n].child == 0) {
                add_to_leaf(t, n, depth, slot, set, LOCK);
                FENCE_DEVICE();
                done = 1;
            }
            atomic_xchg(&t.nodes[n].lock, 0u);
        }
        KEEP_LOOP_SHAPE(done);
    }
}

static void insert_with_global_lock(struct tree t, int slot, struct set set, __global volatile uint *lock)
{
    int done = 0;
    while (!done) {
        if (atomic_cmpxchg(lock, 0u, 1u) == 0) {
            insert(t, slot, set, LOCK);
            FENCE_DEVICE();
            atomic_xchg(lock, 0u);
            done = 1;
        }
        KEEP_LOOP_SHAPE(done);
    }
}

/* Is a pair among the frequent ones, which are in lexical order? */
static int is_frequent(__global const struct set *frequent, int n, int x, int y)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        struct set pair = frequent[middle];
        if (pair.x < x || (pair.x == x && pair.y < y))
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && frequent[low].x == x && frequent[low].y == y;
}

/* The candidate that frequent sets i < j make: both plus the last item of j, if all but the last are equal and the remaining pair is
 * frequent. */
static int join(__global const struct set *frequent, int n, int k, struct set a, struct set b, struct set *set)
{
    set->x = a.x;
    set->y = k == 2 ? b.x : a.y;
    set->z = k == 2 ? 0 : b.y;
    return k == 2 || (a.x == b.x && is_frequent(frequent, n, a.y, b.y));
}

#define PARAMETERS                                                                           \
    __global const struct set *frequent, int n, int k, __global volatile struct node *nodes, \
        __global volatile struct candidate *candidates, __global volatile uint *used, int fanout, int limit

#define FOR_EACH_CANDIDATE(statement)                                   \
    do {                                                                \
        struct tree tree = {nodes, candidates, used, fanout, limit, k}; \
        int i = (int)get_global_id(0);                                  \
        for (int j = i + 1; j < n; j++) {                               \
            struct set set;                                             \
            if (join(frequent, n, k, frequent[i], frequent[j], &set)) { \
                int slot = (int)atomic_inc(&used[0]);                   \
                statement;                                              \
            }                                                           \
        }                                                               \
    } while (0)

__kernel void insert_tx(PARAMETERS)
{
    FOR_EACH_CANDIDATE({
        tx_begin();
        insert(tree, slot, set, TRANSACTION);
        tx_commit();
    });
}

__kernel void insert_fglock(PARAMETERS)
{
    FOR_EACH_CANDIDATE(insert_with_locks(tree, slot, set));
}

__kernel void insert_cglock(PARAMETERS, __global volatile uint *lock)
{
    FOR_EACH_CANDIDATE(insert_with_global_lock(tree, slot, set, lock));
}

/* Adds one to a set's support, if it is a candidate. */
static void count_set(__global const struct node *nodes, __global struct candidate *candidates, int fanout, struct set set)
{
    int n = 0;
    for (int depth = 0; nodes[n].child != 0; depth++)
        n = nodes[n].child + item_of(set, depth) % fanout;
    for (int i = nodes[n].head; i != 0; i = candidates[i].next) {
        if (candidates[i].item[0] == set.x && candidates[i].item[1] == set.y && candidates[i].item[2] == set.z) {
            atomic_inc(&candidates[i].support);
            return;
        }
    }
}

/* first[r] to first[r + 1] - 1 are record r's items, ascending. */
__kernel void count(__global const int *first, __global const int *items, int records, int k, __global const struct node *nodes,
                    __global struct candidate *candidates, int fanout)
{
    int r = (int)get_global_id(0);
    if (r >= records)
        return;
    int begin = first[r], end = first[r + 1];
    for (int a = begin; a < end; a++) {
        for (int b = a + 1; b < end; b++) {
            if (k == 2)
                count_set(nodes, candidates, fanout, (struct set){items[a], items[b], 0, 0});
            for (int c = k == 2 ? end : b + 1; c < end; c++)
                count_set(nodes, candidates, fanout, (struct set){items[a], items[b], items[c], 0});
        }
    }
}
