/* SPDX-License-Identifier: Apache-2.0 */
#include "check/serial_graph.h"

#include <stdlib.h>
#include <string.h>

#define NONE         UINT32_MAX
#define CYCLE_BUDGET UINT64_C(20000000) /* edge visits */
#define REACH_BUDGET UINT64_C(20000000)

void cw_graph_init(struct cw_graph *g, uint32_t node_cnt)
{
    *g = (struct cw_graph){.node_cnt = node_cnt, .budget = REACH_BUDGET};
}

void cw_graph_free(struct cw_graph *g)
{
    free(g->edge);
    free(g->first);
    free(g->component);
    free(g->size);
    free(g->work);
    *g = (struct cw_graph){0};
}

bool cw_graph_edge(struct cw_graph *g, uint32_t from, uint32_t to, enum cw_edge_kind kind, uint32_t label)
{
    if (g->edge_cnt == g->edge_cap) {
        uint32_t cap = g->edge_cap == 0 ? 1024 : 2 * g->edge_cap;
        struct cw_edge *edge = realloc(g->edge, cap * sizeof *edge);
        if (edge == NULL)
            return false;
        g->edge = edge;
        g->edge_cap = cap;
    }
    g->edge[g->edge_cnt++] = (struct cw_edge){from, to, label, kind};
    return true;
}

/* Counting sort by from. */
static bool sort_edges(struct cw_graph *g)
{
    struct cw_edge *sorted = malloc((g->edge_cnt + 1) * sizeof *sorted);
    if (sorted == NULL)
        return false;
    for (uint32_t i = 0; i < g->edge_cnt; i++)
        g->first[g->edge[i].from + 1]++;
    for (uint32_t n = 0; n < g->node_cnt; n++)
        g->first[n + 1] += g->first[n];
    memcpy(g->work, g->first, g->node_cnt * sizeof *g->work);
    for (uint32_t i = 0; i < g->edge_cnt; i++)
        sorted[g->work[g->edge[i].from]++] = g->edge[i];
    free(g->edge);
    g->edge = sorted;
    g->edge_cap = g->edge_cnt + 1;
    return true;
}

/* Tarjan's algorithm without recursion. */
struct tarjan {
    uint32_t *index, *low, *stack, *path; /* index 0: not seen; path: nodes being visited */
    uint32_t *edge;                       /* next edge of each node on the path */
    uint32_t next_index, stack_cnt, path_cnt, components;
};

static void enter(struct cw_graph *g, struct tarjan *t, uint32_t node)
{
    t->index[node] = t->low[node] = ++t->next_index;
    t->stack[t->stack_cnt++] = node;
    t->path[t->path_cnt++] = node;
    t->edge[node] = g->first[node];
}

static void leave(struct cw_graph *g, struct tarjan *t)
{
    uint32_t node = t->path[--t->path_cnt], member;
    if (t->path_cnt > 0 && t->low[node] < t->low[t->path[t->path_cnt - 1]])
        t->low[t->path[t->path_cnt - 1]] = t->low[node];
    if (t->low[node] != t->index[node])
        return;
    do {
        member = t->stack[--t->stack_cnt];
        g->component[member] = t->components;
        g->size[t->components]++;
    } while (member != node);
    t->components++;
}

static void visit(struct cw_graph *g, struct tarjan *t, uint32_t root)
{
    enter(g, t, root);
    while (t->path_cnt > 0) {
        uint32_t node = t->path[t->path_cnt - 1];
        if (t->edge[node] == g->first[node + 1]) {
            leave(g, t);
            continue;
        }
        uint32_t to = g->edge[t->edge[node]++].to;
        if (t->index[to] == 0)
            enter(g, t, to);
        else if (g->component[to] == NONE && t->index[to] < t->low[node])
            t->low[node] = t->index[to];
    }
}

static bool find_components(struct cw_graph *g)
{
    uint32_t n = g->node_cnt;
    uint32_t *space = calloc(5 * (size_t)n + 1, sizeof *space);
    if (space == NULL)
        return false;
    struct tarjan t = {
        .index = space, .low = space + n, .stack = space + 2 * (size_t)n, .path = space + 3 * (size_t)n, .edge = space + 4 * (size_t)n};
    memset(g->component, 0xff, n * sizeof *g->component);
    for (uint32_t i = 0; i < n; i++)
        if (t.index[i] == 0)
            visit(g, &t, i);
    free(space);
    return true;
}

bool cw_graph_close(struct cw_graph *g)
{
    size_t n = g->node_cnt;
    g->first = calloc(n + 1, sizeof *g->first);
    g->component = calloc(n + 1, sizeof *g->component);
    g->size = calloc(n + 1, sizeof *g->size);
    g->work = calloc(4 * n + 1, sizeof *g->work);
    if (g->first == NULL || g->component == NULL || g->size == NULL || g->work == NULL)
        return false;
    if (!sort_edges(g) || !find_components(g))
        return false;
    memset(g->work, 0, 4 * n * sizeof *g->work);
    return true;
}

/* Breadth-first from start inside its component until an edge leads back to it; cycles of `limit` edges or more don't count. The closing
 * edge's index, or NONE. work: 0 stamps, 1 queue, 2 edge that led to the node, 3 distance. */
static uint32_t search_back(struct cw_graph *g, uint32_t start, uint32_t limit, uint32_t *length, uint64_t *budget)
{
    uint32_t *seen = g->work, *queue = seen + g->node_cnt, *by = queue + g->node_cnt, *distance = by + g->node_cnt;
    uint32_t head = 0, tail = 0;
    seen[start] = ++g->stamp;
    queue[tail++] = start;
    by[start] = NONE;
    distance[start] = 0;
    while (head < tail) {
        uint32_t node = queue[head++];
        if (distance[node] + 1 >= limit)
            return NONE;
        for (uint32_t i = g->first[node]; i < g->first[node + 1] && *budget > 0; i++, --*budget) {
            uint32_t to = g->edge[i].to;
            if (to == start) {
                *length = distance[node] + 1;
                return i;
            }
            if (g->component[to] != g->component[start] || seen[to] == g->stamp)
                continue;
            seen[to] = g->stamp;
            by[to] = i;
            distance[to] = distance[node] + 1;
            queue[tail++] = to;
        }
    }
    return NONE;
}

uint32_t cw_graph_shortest_cycle(struct cw_graph *g, const struct cw_edge **cycle, uint32_t max)
{
    uint32_t best = NONE, *by = g->work + 2 * (size_t)g->node_cnt;
    uint64_t budget = CYCLE_BUDGET;
    for (uint32_t n = 0; n < g->node_cnt && best > 2 && budget > 0; n++) {
        uint32_t length;
        if (g->size[g->component[n]] < 2)
            continue;
        uint32_t edge = search_back(g, n, best, &length, &budget);
        if (edge == NONE)
            continue;
        best = length;
        for (uint32_t at = length; edge != NONE; edge = by[g->edge[edge].from])
            if (--at < max)
                cycle[at] = g->edge + edge;
    }
    return best != NONE ? best : 0;
}

bool cw_graph_reaches(struct cw_graph *g, const uint32_t *from, uint32_t from_cnt, const uint32_t *to, uint32_t to_cnt)
{
    uint32_t *seen = g->work, *stack = seen + g->node_cnt, cnt = 0, lowest = NONE;
    uint32_t reached = g->stamp + 1, goal = g->stamp + 2;
    g->stamp += 2;
    for (uint32_t i = 0; i < to_cnt; i++) {
        seen[to[i]] = goal;
        lowest = g->component[to[i]] < lowest ? g->component[to[i]] : lowest;
    }
    for (uint32_t i = 0; i < from_cnt; i++) {
        if (seen[from[i]] == goal)
            return true;
        if (seen[from[i]] != reached && g->component[from[i]] > lowest)
            stack[cnt++] = from[i];
        seen[from[i]] = reached;
    }
    while (cnt > 0) {
        uint32_t node = stack[--cnt];
        for (uint32_t i = g->first[node]; i < g->first[node + 1] && g->budget > 0; i++, g->budget--) {
            uint32_t next = g->edge[i].to;
            if (seen[next] == goal)
                return true;
            if (seen[next] == reached || g->component[next] < lowest)
                continue;
            seen[next] = reached;
            stack[cnt++] = next;
        }
    }
    return false;
}
