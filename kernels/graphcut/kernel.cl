/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Minimum cut of an image's pixel grid by push-relabel (Goldberg and Tarjan 1988), pushes and relabels in turn as in Vineet and Narayanan,
 * CUDA Cuts (CVPRW 2008); Fung 2015, CC; GETM Table III. One thread per pixel, blocks of 32 x 8. The image has a frame of pixels without edges.
 *
 * Transactions of an active pixel (thesis 4.3: consecutive atomics of a push are one): one for a push into the sink, 1 word read and written
 * (the pixel's excess); then one per neighbour, either a push, 4 words read and written (both residual capacities, both excesses), or, when
 * nothing can be pushed, a note to the neighbour, 1 word read and written. What a pixel reads outside of them is its own excess and outgoing
 * capacities, which in one launch others only increase, and heights, which do not change in this kernel; each is read once, before the first
 * transaction.
 */
#include "sync.h"

#define BLOCK_WIDTH 32
#define BLOCK_HEIGHT 8
#define TILE_WIDTH (BLOCK_WIDTH + 2)
#define TILE_WORDS (TILE_WIDTH * (BLOCK_HEIGHT + 2))

/* Arrays are of stride * rows pixels; those with a direction have four of these, one after the other: left, up, right, down. */
struct grid {
    __global volatile int *residual; /* capacity left from the pixel to its neighbour */
    __global volatile int *excess;
    __global volatile int *sink;     /* capacity left from the pixel to the sink; touched by the pixel's thread alone */
    __global volatile int *refused;  /* times that the neighbour on the other side had nothing to push in this direction */
    __global volatile int *tally;    /* times that the pixel itself had nothing to push; touched by its own thread alone */
    __global const int *height;
    int stride, rows, width, image_rows; /* with and without the frame and the padding to whole blocks */
    int limit;                           /* height of pixels that cannot reach the sink */
};

#define GRID_PARAMETERS                                                                                                               \
    __global volatile int *residual, __global volatile int *excess, __global volatile int *sink, __global volatile int *refused,      \
        __global volatile int *tally, __global const int *height, int stride, int rows, int width, int image_rows, int limit
#define GRID {residual, excess, sink, refused, tally, height, stride, rows, width, image_rows, limit}

/* What a pixel knows of itself and its neighbours at the beginning of a launch. */
struct pixel {
    int at;          /* index */
    int inside;      /* belongs to the image */
    int height, excess, sink;
    int residual[4], below[4]; /* below: the neighbour is one lower */
    int lowest;      /* smallest height of a neighbour that can be reached, or the limit */
};

static int neighbour(const struct grid *g, int at, int direction)
{
    const int step = (direction & 1) != 0 ? g->stride : 1;
    return direction < 2 ? at - step : at + step;
}

static int index_of(const struct grid *g, int direction, int at)
{
    return direction * g->stride * g->rows + at;
}

static struct pixel look(const struct grid *g, __local int *tile)
{
    const int x = (int)get_global_id(0), y = (int)get_global_id(1), tx = (int)get_local_id(0), ty = (int)get_local_id(1);
    const int at = y * g->stride + x, t = (ty + 1) * TILE_WIDTH + tx + 1;
    tile[t] = g->height[at];
    if (tx == 0 && x > 0)
        tile[t - 1] = g->height[at - 1];
    if (tx == BLOCK_WIDTH - 1 && x < g->stride - 1)
        tile[t + 1] = g->height[at + 1];
    if (ty == 0 && y > 0)
        tile[t - TILE_WIDTH] = g->height[at - g->stride];
    if (ty == BLOCK_HEIGHT - 1 && y < g->rows - 1)
        tile[t + TILE_WIDTH] = g->height[at + g->stride];
    barrier(CLK_LOCAL_MEM_FENCE);
    struct pixel p = {.at = at, .inside = x >= 1 && x <= g->width && y >= 1 && y <= g->image_rows, .height = tile[t], .lowest = g->limit};
    if (!p.inside)
        return p;
    const int near[4] = {tile[t - 1], tile[t - TILE_WIDTH], tile[t + 1], tile[t + TILE_WIDTH]};
    p.excess = g->excess[at];
    p.sink = g->sink[at];
    for (int d = 0; d < 4; d++) {
        p.residual[d] = g->residual[index_of(g, d, at)];
        p.below[d] = p.height == near[d] + 1;
        p.lowest = p.residual[d] > 0 ? min(p.lowest, near[d]) : p.lowest;
    }
    return p;
}

/* It has something that may still reach the sink. */
static int is_active(const struct grid *g, const struct pixel *p)
{
    return p->inside && p->excess > 0 && p->height < g->limit;
}

static int sink_amount(const struct pixel *p)
{
    return p->height == 1 ? min(p->excess, p->sink) : 0;
}

static int push_amount(const struct pixel *p, int d)
{
    return p->below[d] ? min(p->excess, p->residual[d]) : 0;
}

/* Moves the amount to the neighbour, or leaves it a note that there was none. */
static void push(const struct grid *g, const struct pixel *p, int d, int amount)
{
    const int to = neighbour(g, p->at, d);
    if (amount > 0) {
        g->residual[index_of(g, d, p->at)] -= amount;
        g->residual[index_of(g, d ^ 2, to)] += amount;
        g->excess[p->at] -= amount;
        g->excess[to] += amount;
    } else {
        g->refused[index_of(g, d, to)] += 1;
    }
}

static void count(const struct grid *g, const struct pixel *p, int refusals)
{
    g->tally[p->at] += refusals;
}

__kernel void graphcut_push_tx(GRID_PARAMETERS)
{
    __local int tile[TILE_WORDS];
    const struct grid g = GRID;
    struct pixel p = look(&g, tile);
    int amount = sink_amount(&p), refusals = 0;
    if (!is_active(&g, &p))
        return;
    if (amount > 0) {
        sink[p.at] = p.sink - amount;
        p.excess -= amount;
        tx_begin();
        excess[p.at] -= amount;
        tx_commit();
    }
    #pragma unroll
    for (int d = 0; d < 4; d++) {
        amount = push_amount(&p, d);
        tx_begin();
        push(&g, &p, d, amount);
        tx_commit();
        p.excess -= amount;
        refusals += amount == 0;
    }
    count(&g, &p, refusals);
}

/* The authors' fine-grained form of this benchmark has no locks but an atomic operation per word (thesis 4.1): sums commute, and nobody reads
 * two of the words together. */
__kernel void graphcut_push_fglock(GRID_PARAMETERS)
{
    __local int tile[TILE_WORDS];
    const struct grid g = GRID;
    struct pixel p = look(&g, tile);
    int amount = sink_amount(&p), refusals = 0;
    if (!is_active(&g, &p))
        return;
    if (amount > 0) {
        sink[p.at] = p.sink - amount;
        p.excess -= amount;
        atomic_sub(&excess[p.at], amount);
    }
    #pragma unroll
    for (int d = 0; d < 4; d++) {
        const int to = neighbour(&g, p.at, d);
        amount = push_amount(&p, d);
        if (amount > 0) {
            atomic_sub(&residual[index_of(&g, d, p.at)], amount);
            atomic_add(&residual[index_of(&g, d ^ 2, to)], amount);
            atomic_sub(&excess[p.at], amount);
            atomic_add(&excess[to], amount);
        } else {
            atomic_inc(&refused[index_of(&g, d, to)]);
        }
        p.excess -= amount;
        refusals += amount == 0;
    }
    count(&g, &p, refusals);
}

__kernel void graphcut_push_cglock(GRID_PARAMETERS, __global volatile uint *lock)
{
    __local int tile[TILE_WORDS];
    const struct grid g = GRID;
    struct pixel p = look(&g, tile);
    int amount = sink_amount(&p), refusals = 0;
    if (!is_active(&g, &p))
        return;
    if (amount > 0)
        sink[p.at] = p.sink - amount;
    #pragma unroll
    for (int d = -1; d < 4; d++) { /* -1: the sink */
        int done = d < 0 && amount == 0;
        amount = d < 0 ? amount : push_amount(&p, d);
        while (!done) {
            if (atomic_cmpxchg(lock, 0u, 1u) == 0) {
                if (d < 0)
                    excess[p.at] -= amount;
                else
                    push(&g, &p, d, amount);
                FENCE_DEVICE();
                atomic_xchg(lock, 0u);
                done = 1;
            }
            KEEP_LOOP_SHAPE(done);
        }
        p.excess -= amount;
        refusals += d >= 0 && amount == 0;
    }
    count(&g, &p, refusals);
}

/* Every pixel at once, from the old heights: one more than the lowest neighbour that it can reach. If no edge led down by more than one before,
 * none does afterwards, and no height sinks. */
__kernel void graphcut_relabel(GRID_PARAMETERS, __global int *height_next)
{
    __local int tile[TILE_WORDS];
    const struct grid g = GRID;
    const struct pixel p = look(&g, tile);
    height_next[p.at] = !p.inside ? p.height : p.sink > 0 ? 1 : min(p.lowest + 1, limit);
}
