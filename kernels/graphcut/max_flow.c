/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "max_flow.h"

#define NONE UINT32_MAX

/* Arcs come in pairs, a and a ^ 1, one per direction of an edge. */
struct arc {
    uint32_t to, next; /* next: of the same node */
    int32_t room;      /* residual capacity */
};

struct max_flow {
    uint32_t node_cnt, arc_cnt, source, sink;
    struct arc *arc;
    uint32_t *first;   /* per node */
    uint32_t *current; /* per node: arcs before this one are of no use in this phase */
    uint32_t *level;   /* per node: distance from the source, NONE: not reached or without a way on */
    uint32_t *path;    /* arcs; also the queue of the breadth-first search */
};

struct max_flow *max_flow_create(uint32_t node_cnt, uint32_t edge_cnt)
{
    struct max_flow *f = calloc(1, sizeof *f);
    if (f == NULL)
        return NULL;
    f->node_cnt = node_cnt;
    f->arc = malloc(2 * (size_t)edge_cnt * sizeof *f->arc);
    f->first = malloc(node_cnt * sizeof *f->first);
    f->current = malloc(node_cnt * sizeof *f->current);
    f->level = malloc(node_cnt * sizeof *f->level);
    f->path = malloc(node_cnt * sizeof *f->path);
    if (!f->arc || !f->first || !f->current || !f->level || !f->path) {
        max_flow_destroy(f);
        return NULL;
    }
    for (uint32_t i = 0; i < node_cnt; i++)
        f->first[i] = NONE;
    return f;
}

void max_flow_destroy(struct max_flow *f)
{
    if (f == NULL)
        return;
    free(f->arc);
    free(f->first);
    free(f->current);
    free(f->level);
    free(f->path);
    free(f);
}

void max_flow_edge(struct max_flow *f, uint32_t from, uint32_t to, int32_t forward, int32_t backward)
{
    f->arc[f->arc_cnt] = (struct arc){to, f->first[from], forward};
    f->first[from] = f->arc_cnt++;
    f->arc[f->arc_cnt] = (struct arc){from, f->first[to], backward};
    f->first[to] = f->arc_cnt++;
}

/* Levels by breadth-first search; whether the sink is reached. */
static int find_levels(struct max_flow *f)
{
    uint32_t head = 0, tail = 0;
    for (uint32_t i = 0; i < f->node_cnt; i++) {
        f->level[i] = NONE;
        f->current[i] = f->first[i];
    }
    f->level[f->source] = 0;
    f->path[tail++] = f->source;
    while (head < tail) {
        const uint32_t node = f->path[head++];
        for (uint32_t a = f->first[node]; a != NONE; a = f->arc[a].next)
            if (f->arc[a].room > 0 && f->level[f->arc[a].to] == NONE) {
                f->level[f->arc[a].to] = f->level[node] + 1;
                f->path[tail++] = f->arc[a].to;
            }
    }
    return f->level[f->sink] != NONE;
}

/* The node's next arc that leads one level on, or NONE. */
static uint32_t way_on(struct max_flow *f, uint32_t node)
{
    uint32_t a = f->current[node];
    while (a != NONE && (f->arc[a].room == 0 || f->level[f->arc[a].to] != f->level[node] + 1))
        a = f->arc[a].next;
    f->current[node] = a;
    return a;
}

/* Fills one path of the level graph from source to sink; how much it takes, 0 when there is none left. */
static int32_t augment(struct max_flow *f)
{
    uint32_t length = 0, node = f->source;
    int32_t amount = INT32_MAX;
    while (node != f->sink) {
        const uint32_t a = way_on(f, node);
        if (a != NONE) {
            f->path[length++] = a;
            node = f->arc[a].to;
        } else if (length > 0) {
            f->level[node] = NONE;
            node = f->arc[f->path[--length] ^ 1].to;
        } else {
            return 0;
        }
    }
    for (uint32_t i = 0; i < length; i++)
        amount = f->arc[f->path[i]].room < amount ? f->arc[f->path[i]].room : amount;
    for (uint32_t i = 0; i < length; i++) {
        f->arc[f->path[i]].room -= amount;
        f->arc[f->path[i] ^ 1].room += amount;
    }
    return amount;
}

int64_t max_flow_solve(struct max_flow *f, uint32_t source, uint32_t sink)
{
    int64_t value = 0;
    f->source = source;
    f->sink = sink;
    while (find_levels(f))
        for (int32_t amount; (amount = augment(f)) > 0;)
            value += amount;
    return value;
}
