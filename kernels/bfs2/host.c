/* SPDX-License-Identifier: Apache-2.0 */
/* bfs2: breadth-first search of a random graph with a frontier of flags, two launches per level. The check searches the graph with a queue.
 */
#include "../session.h"

enum { NODES, DEGREE };
static const struct cowarp_workload_param params[] = {
    [NODES] = {"nodes", 65536, 2, 1 << 22, "nodes of the graph"},
    [DEGREE] = {"degree", 12, 1, 64, "most edges out of a node; each has a random number of them, 1 at least"},
};

#define EXPAND_THREADS  512u
#define ADVANCE_THREADS 256u

struct graph {
    uint32_t nodes, edges;
    uint32_t *first, *target, *queue;
    uint32_t *cost, *expected; /* of a node: levels from node 0, or UNREACHED */
};

#define UNREACHED UINT32_MAX

static void make_graph(struct session *s, struct graph *g, uint32_t degree)
{
    g->nodes = (uint32_t)s->x->param[NODES];
    g->first = session_array(s, g->nodes + UINT64_C(1), sizeof *g->first);
    g->target = session_array(s, (uint64_t)g->nodes * degree, sizeof *g->target);
    g->queue = session_array(s, g->nodes, sizeof *g->queue);
    g->cost = session_array(s, g->nodes, sizeof *g->cost);
    g->expected = session_array(s, g->nodes, sizeof *g->expected);
    for (uint32_t i = 0; s->status == 0 && i < g->nodes; i++) {
        g->cost[i] = g->expected[i] = UNREACHED;
        g->first[i + 1] = g->first[i] + 1 + session_below(s, degree);
        for (uint32_t e = g->first[i]; e < g->first[i + 1]; e++)
            g->target[e] = session_below(s, g->nodes);
        g->edges = g->first[i + 1];
    }
}

static void search(struct graph *g)
{
    uint32_t head = 0, tail = 0;
    g->queue[tail++] = 0;
    g->expected[0] = 0;
    while (head < tail) {
        const uint32_t node = g->queue[head++];
        for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++)
            if (g->expected[g->target[e]] == UNREACHED) {
                g->expected[g->target[e]] = g->expected[node] + 1;
                g->queue[tail++] = g->target[e];
            }
    }
}

static uint32_t search_on_gpu(struct session *s, struct graph *g)
{
    const uint8_t one = 1;
    uint32_t again = 1, levels = 0;
    const uint64_t first = session_upload(s, g->first, (g->nodes + UINT64_C(1)) * sizeof *g->first);
    const uint64_t target = session_upload(s, g->target, (uint64_t)g->edges * sizeof *g->target);
    const uint64_t frontier = session_upload(s, NULL, g->nodes), marked = session_upload(s, NULL, g->nodes);
    const uint64_t seen = session_upload(s, NULL, g->nodes), flag = session_upload(s, NULL, sizeof again);
    g->cost[0] = 0;
    const uint64_t cost = session_upload(s, g->cost, g->nodes * sizeof *g->cost);
    session_write(s, frontier, &one, 1);
    session_write(s, seen, &one, 1);
    for (; s->status == 0 && again != 0; levels++) {
        again = 0;
        session_write(s, flag, &again, sizeof again);
        session_launch(s, "expand", (g->nodes + EXPAND_THREADS - 1) / EXPAND_THREADS, EXPAND_THREADS, COWARP_U64(first), COWARP_U64(target),
                       COWARP_U64(frontier), COWARP_U64(marked), COWARP_U64(seen), COWARP_U64(cost), COWARP_U32(g->nodes));
        session_launch(s, "advance", (g->nodes + ADVANCE_THREADS - 1) / ADVANCE_THREADS, ADVANCE_THREADS, COWARP_U64(frontier),
                       COWARP_U64(marked), COWARP_U64(seen), COWARP_U64(flag), COWARP_U32(g->nodes));
        session_read(s, &again, flag, sizeof again);
    }
    session_read(s, g->cost, cost, g->nodes * sizeof *g->cost);
    return levels;
}

static int run(struct cowarp_workload_context *x)
{
    struct session s;
    struct graph g = {0};
    session_open(&s, x);
    make_graph(&s, &g, (uint32_t)x->param[DEGREE]);
    if (s.status == 0) {
        search(&g);
        const uint32_t levels = search_on_gpu(&s, &g);
        session_compare_u32(&s, "level of node", g.cost, g.expected, g.nodes);
        session_passed(&s, "%u nodes have the right level, %u launches", g.nodes, 2 * levels);
    }
    return session_close(&s);
}

const struct cowarp_workload cowarp_workload_bfs2 = {
    .name = "bfs2",
    .folder = "bfs2",
    .what = "breadth-first search with a frontier of flags (divergent; Fung 2015, Table 3.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
