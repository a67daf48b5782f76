/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Octree of the Barnes-Hut method, built by insertion (Fung 2015, BH; GETM Table III). The data structure is that of Burtscher and Pingali,
 * GPU Computing Gems 2011: arrays of coordinates, bodies first, cells behind them, the root last, new cells taken downwards from the end. A
 * cell's child is a body, a cell or EMPTY.
 *
 * Transactions (thesis 4.3): one for each level that a body descends, read-only, 3 coordinates and the child; then one for the insertion, which
 * writes either the body (1 word) or a new cell that holds the body found there (14 words: centre, mass, start, 8 children, link).
 *
 * A turn of a thread's loop takes a body down to a leaf and tries once to insert it there, or to put a new cell there. At the end of a turn the
 * block's warps wait for each other, so that those without success do not crowd out the others: the published code throttles itself so.
 * Threads leave the loop at different times; the barrier counts warps, as it did before PTX 6.
 */
#include "sync.h"

#define EMPTY (-1)
#define LOCKED (-2) /* lock form: someone works on this child */
#define NONE (-1)

struct tree {
    __global volatile float *x, *y, *z, *mass; /* mass -1: not yet summed */
    __global volatile int *start;              /* -1: not yet sorted; both belong to later phases of the method */
    __global volatile int *child;              /* 8 per cell */
    __global volatile int *bottom;             /* the last cell taken */
    int body_cnt;
};

#define TREE_PARAMETERS                                                                                                               \
    __global volatile float *x, __global volatile float *y, __global volatile float *z, __global volatile float *mass,                \
        __global volatile int *start, __global volatile int *child, __global volatile int *bottom, int body_cnt, int root, float root_edge
#define TREE {x, y, z, mass, start, child, bottom, body_cnt}

struct point {
    float x, y, z;
};

static struct point position(const struct tree *t, int node)
{
    struct point p = {t->x[node], t->y[node], t->z[node]};
    return p;
}

/* Octant of p around c: one bit per coordinate, set when p lies above the plane; a point on the plane belongs below. */
static int octant(struct point c, struct point p)
{
    return (c.x < p.x ? 1 : 0) + (c.y < p.y ? 2 : 0) + (c.z < p.z ? 4 : 0);
}

/* Index of child j of a cell. */
static int slot_of(const struct tree *t, int cell, int j)
{
    return (cell - t->body_cnt) * 8 + j;
}

/* The slot of a cell in which p belongs. */
static int descend(const struct tree *t, int cell, struct point p)
{
    return slot_of(t, cell, octant(position(t, cell), p));
}

/* Centre of octant j of a cell with this centre and edge. Exact: coordinates are dyadic fractions of the root's edge. */
static struct point child_centre(struct point c, float edge, int j)
{
    const float quarter = 0.25f * edge;
    struct point r = {c.x + ((j & 1) != 0 ? quarter : -quarter), c.y + ((j & 2) != 0 ? quarter : -quarter),
                      c.z + ((j & 4) != 0 ? quarter : -quarter)};
    return r;
}

/* Makes a cell: centre c, child j is `node`, the others are EMPTY. */
static void fill_cell(const struct tree *t, int cell, struct point c, int j, int node)
{
    t->mass[cell] = -1.0f;
    t->start[cell] = -1;
    t->x[cell] = c.x;
    t->y[cell] = c.y;
    t->z[cell] = c.z;
    for (int k = 0; k < 8; k++)
        t->child[slot_of(t, cell, k)] = k == j ? node : EMPTY;
}

static int take_cell(const struct tree *t)
{
    return atomic_dec(t->bottom) - 1;
}

/*
 * A thread takes a cell outside of the transaction, since atomics are not undone, and keeps it until a transaction that uses it commits.
 * The link to the new cell is written before the cell is filled: it is what transactions fight for, and an eager system that has let a
 * transaction read it should hear soon that it is to be written. With the link last, GETM at 8 warps per core does not get past the first
 * few cells: in the time of 13 stores someone else has always read the link at a later logical time.
 */
__kernel void barneshut_tx(TREE_PARAMETERS)
{
    const struct tree t = TREE;
    int spare = NONE, cell = root;
    float edge = root_edge;
    for (int i = get_global_id(0); i < body_cnt;) {
        const struct point p = position(&t, i);
        int slot, found, done = 0;
        for (;;) {
            tx_begin();
            slot = descend(&t, cell, p);
            found = child[slot];
            tx_commit();
            if (found < body_cnt)
                break;
            cell = found;
            edge *= 0.5f;
        }
        if (found != EMPTY && spare == NONE)
            spare = take_cell(&t);
        tx_begin();
        found = child[slot];
        while (found >= body_cnt) { /* others have been here meanwhile */
            cell = found;
            edge *= 0.5f;
            slot = descend(&t, cell, p);
            found = child[slot];
        }
        if (found == EMPTY) {
            child[slot] = i;
            done = 1;
        } else if (spare != NONE) {
            child[slot] = spare;
            const struct point c = child_centre(position(&t, cell), edge, slot & 7);
            fill_cell(&t, spare, c, octant(c, position(&t, found)), found);
            cell = spare;
            edge *= 0.5f;
            spare = NONE;
        }
        tx_commit();
        if (done) {
            i += get_global_size(0);
            cell = root;
            edge = root_edge;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* New cells below `cell`, as many as it takes until bodies a and b lie in different octants; returns the topmost. Nobody else sees them yet. */
static int separate(const struct tree *t, int cell, float edge, int j, int a, int b)
{
    const struct point pa = position(t, a), pb = position(t, b);
    struct point c = position(t, cell);
    int top = NONE, above = 0, ja, jb;
    do {
        const int next = take_cell(t);
        c = child_centre(c, edge, j);
        edge *= 0.5f;
        ja = octant(c, pa);
        jb = octant(c, pb);
        fill_cell(t, next, c, ja, a);
        if (top == NONE)
            top = next;
        else
            t->child[above] = next;
        above = slot_of(t, next, jb);
        j = jb;
    } while (ja == jb);
    t->child[above] = b;
    return top;
}

/* Locks the child in which the body belongs by exchanging it for LOCKED; the store that publishes the new child is the unlock. */
__kernel void barneshut_fglock(TREE_PARAMETERS)
{
    const struct tree t = TREE;
    int cell = root;
    float edge = root_edge;
    for (int i = get_global_id(0); i < body_cnt;) {
        const struct point p = position(&t, i);
        int slot = descend(&t, cell, p), found = child[slot], done = 0;
        while (found >= body_cnt) {
            cell = found;
            edge *= 0.5f;
            slot = descend(&t, cell, p);
            found = child[slot];
        }
        if (found != LOCKED && atomic_cmpxchg(&child[slot], found, LOCKED) == found) {
            const int made = found == EMPTY ? i : separate(&t, cell, edge, slot & 7, found, i);
            FENCE_DEVICE();
            child[slot] = made;
            done = 1;
        }
        KEEP_LOOP_SHAPE(done);
        if (done) {
            i += get_global_size(0);
            cell = root;
            edge = root_edge;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* One lock for the whole tree, taken for the insertion; the way down is read without it, as above. */
__kernel void barneshut_cglock(TREE_PARAMETERS, __global volatile uint *lock)
{
    const struct tree t = TREE;
    int cell = root;
    float edge = root_edge;
    for (int i = get_global_id(0); i < body_cnt;) {
        const struct point p = position(&t, i);
        int slot = descend(&t, cell, p), found = child[slot], done = 0;
        while (found >= body_cnt) {
            cell = found;
            edge *= 0.5f;
            slot = descend(&t, cell, p);
            found = child[slot];
        }
        if (atomic_cmpxchg(lock, 0u, 1u) == 0) {
            if (child[slot] == found) {
                const int made = found == EMPTY ? i : separate(&t, cell, edge, slot & 7, found, i);
                FENCE_DEVICE();
                child[slot] = made;
                done = 1;
            }
            FENCE_DEVICE();
            atomic_xchg(lock, 0u);
        }
        KEEP_LOOP_SHAPE(done);
        if (done) {
            i += get_global_size(0);
            cell = root;
            edge = root_edge;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
