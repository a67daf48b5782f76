/* SPDX-License-Identifier: Apache-2.0 */
/* bfs: level-synchronous breadth-first search of a random graph, one launch per level, checked against a search on the host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../host.h"

enum { NODES, DEGREE };
static const struct cowarp_workload_param params[] = {
    [NODES] = {"nodes", 16384, 2, 1 << 22, "nodes of the graph"},
    [DEGREE] = {"degree", 4, 1, 64, "edges out of each node, to random nodes"},
};

#define THREADS 256u

struct graph {
    uint32_t nodes, edges;
    uint32_t *row, *column;
    int32_t *level, *expected;
};

static void make_graph(struct graph *g, uint32_t degree, uint64_t seed)
{
    for (uint32_t i = 0; i <= g->nodes; i++)
        g->row[i] = i * degree;
    for (uint32_t e = 0; e < g->edges; e++)
        g->column[e] = (uint32_t)(host_random(&seed) % g->nodes);
    for (uint32_t i = 0; i < g->nodes; i++)
        g->level[i] = g->expected[i] = -1;
    g->level[0] = g->expected[0] = 0;
}

/* Breadth-first search with a queue: a different algorithm from the kernel's. */
static int host_search(struct graph *g)
{
    uint32_t *queue = malloc(g->nodes * sizeof *queue);
    if (queue == NULL)
        return COWARP_ENOMEM;
    uint32_t head = 0, tail = 0;
    queue[tail++] = 0;
    while (head < tail) {
        const uint32_t node = queue[head++];
        for (uint32_t e = g->row[node]; e < g->row[node + 1]; e++)
            if (g->expected[g->column[e]] < 0) {
                g->expected[g->column[e]] = g->expected[node] + 1;
                queue[tail++] = g->column[e];
            }
    }
    free(queue);
    return 0;
}

static int search_levels(struct cowarp_workload_context *x, const struct graph *g, int *levels, uint64_t dlevel)
{
    struct cowarp_module *module;
    uint64_t drow, dcolumn, dchanged;
    uint32_t changed = 1;
    int status = cowarp_load_file(x->gpu, &module, x->ptx_path);
    if (status == 0)
        status = host_upload(x->gpu, &drow, g->row, (g->nodes + UINT64_C(1)) * sizeof *g->row);
    if (status == 0)
        status = host_upload(x->gpu, &dcolumn, g->column, (uint64_t)g->edges * sizeof *g->column);
    if (status == 0)
        status = host_upload(x->gpu, &dchanged, NULL, sizeof changed);
    for (*levels = 0; status == 0 && changed != 0; ++*levels) {
        changed = 0;
        status = cowarp_write(x->gpu, dchanged, &changed, sizeof changed);
        const struct cowarp_arg args[] = {COWARP_U64(drow),     COWARP_U64(dcolumn), COWARP_U64(dlevel),
                                          COWARP_U64(dchanged), COWARP_S32(*levels), COWARP_U32(g->nodes)};
        if (status == 0)
            status = host_launch(x->gpu, module, "bfs_level", (g->nodes + THREADS - 1) / THREADS, THREADS, 6, args);
        if (status == 0)
            status = cowarp_read(x->gpu, &changed, dchanged, sizeof changed);
    }
    return status;
}

static int run_with(struct cowarp_workload_context *x, struct graph *g)
{
    uint64_t dlevel;
    int levels = 0;
    const uint64_t bytes = g->nodes * sizeof *g->level;
    make_graph(g, (uint32_t)x->param[DEGREE], x->seed);
    int status = host_search(g);
    if (status == 0)
        status = host_upload(x->gpu, &dlevel, g->level, bytes);
    if (status == 0)
        status = search_levels(x, g, &levels, dlevel);
    if (status == 0)
        status = cowarp_read(x->gpu, g->level, dlevel, bytes);
    for (uint32_t i = 0; status == 0 && i < g->nodes; i++)
        if (g->level[i] != g->expected[i]) {
            snprintf(x->message, sizeof x->message, "node %u has level %d, expected %d", i, g->level[i], g->expected[i]);
            return COWARP_ECHECK;
        }
    snprintf(x->message, sizeof x->message, "%u nodes have the right level, %d launches", g->nodes, levels);
    return status;
}

static int run(struct cowarp_workload_context *x)
{
    struct graph g = {.nodes = (uint32_t)x->param[NODES]};
    g.edges = g.nodes * (uint32_t)x->param[DEGREE];
    g.row = malloc((g.nodes + 1) * sizeof *g.row);
    g.column = malloc(g.edges * sizeof *g.column);
    g.level = malloc(g.nodes * sizeof *g.level);
    g.expected = malloc(g.nodes * sizeof *g.expected);
    int status = g.row && g.column && g.level && g.expected ? run_with(x, &g) : COWARP_ENOMEM;
    free(g.row);
    free(g.column);
    free(g.level);
    free(g.expected);
    return status;
}

const struct cowarp_workload cowarp_workload_bfs = {
    .name = "bfs",
    .folder = "bfs",
    .what = "breadth-first search of a random graph, one launch per level",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
