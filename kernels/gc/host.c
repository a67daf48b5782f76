/* SPDX-License-Identifier: Apache-2.0 */
/* gc-hc, gc-lc: each work-group colours a graph in shared memory (GPU-LocalTM 6, GC). The check: neighbours differ, and a vertex has one of
 * the first degree + 1 colours. */
#include "../session.h"

#define VERTICES 1024u /* of a graph, at the most */
#define DEGREE   8u    /* at the most */

enum { GROUPS, WAVEFRONTS, VERTEX_CNT, EDGES, SPAN };

struct graphs {
    struct session s;
    uint32_t groups, threads, vertices, edges, span; /* of one graph */
    uint16_t *neighbour;                             /* [graph][vertex][DEGREE] */
    uint32_t *degree, *colour, *rounds;
    uint32_t edge_cnt; /* of all */
};

static uint32_t are_neighbours(const uint16_t *neighbour, const uint32_t *degree, uint32_t a, uint32_t b)
{
    uint32_t found = 0;
    for (uint32_t k = 0; k < degree[a]; k++)
        found |= neighbour[a * DEGREE + k] == b;
    return found;
}

/* Random edges between vertices that are at most `span` numbers apart, until there are enough or no more are found. */
static void make_graph(struct graphs *g, uint16_t *neighbour, uint32_t *degree)
{
    uint32_t cnt = 0;
    for (uint32_t tries = 0; g->vertices > 1 && cnt < g->edges && tries < 20 * g->edges; tries++) {
        const uint32_t a = session_below(&g->s, g->vertices), b = (a + 1 + session_below(&g->s, g->span)) % g->vertices;
        if (a == b || degree[a] == DEGREE || degree[b] == DEGREE || are_neighbours(neighbour, degree, a, b))
            continue;
        neighbour[a * DEGREE + degree[a]++] = (uint16_t)b;
        neighbour[b * DEGREE + degree[b]++] = (uint16_t)a;
        cnt++;
    }
    g->edge_cnt += cnt;
}

static void open_graphs(struct graphs *g, struct cowarp_workload_context *x)
{
    *g = (struct graphs){.groups = (uint32_t)x->param[GROUPS],
                         .threads = 64 * (uint32_t)x->param[WAVEFRONTS],
                         .vertices = (uint32_t)x->param[VERTEX_CNT],
                         .edges = (uint32_t)x->param[EDGES],
                         .span = (uint32_t)x->param[SPAN]};
    session_open(&g->s, x);
    const uint64_t all = (uint64_t)g->groups * g->vertices;
    g->neighbour = session_array(&g->s, all * DEGREE, sizeof *g->neighbour);
    g->degree = session_array(&g->s, all, sizeof *g->degree);
    g->colour = session_array(&g->s, all, sizeof *g->colour);
    g->rounds = session_array(&g->s, g->groups, sizeof *g->rounds);
    for (uint32_t i = 0; g->s.status == 0 && i < g->groups; i++)
        make_graph(g, g->neighbour + (uint64_t)i * g->vertices * DEGREE, g->degree + (uint64_t)i * g->vertices);
    for (uint64_t v = 0; g->s.status == 0 && v < all; v++)
        g->colour[v] = 1 + session_below(&g->s, g->degree[v] + 1);
}

static void check_vertex(struct graphs *g, uint32_t graph, uint32_t v)
{
    const uint32_t *degree = g->degree + (uint64_t)graph * g->vertices, *colour = g->colour + (uint64_t)graph * g->vertices;
    const uint16_t *neighbour = g->neighbour + ((uint64_t)graph * g->vertices + v) * DEGREE;
    if (colour[v] == 0 || colour[v] > degree[v] + 1)
        session_fail(&g->s, COWARP_ECHECK, "work-group %u: vertex %u has colour %u and %u neighbours", graph, v, colour[v], degree[v]);
    for (uint32_t k = 0; k < degree[v]; k++)
        if (colour[neighbour[k]] == colour[v])
            session_fail(&g->s, COWARP_ECHECK, "work-group %u: the neighbours %u and %u have colour %u", graph, v, neighbour[k], colour[v]);
}

static void check(struct graphs *g)
{
    uint32_t most = 0, rounds = 0;
    for (uint32_t graph = 0; graph < g->groups; graph++) {
        for (uint32_t v = 0; g->s.status == 0 && v < g->vertices; v++) {
            check_vertex(g, graph, v);
            most = g->colour[graph * g->vertices + v] > most ? g->colour[graph * g->vertices + v] : most;
        }
        rounds = g->rounds[graph] > rounds ? g->rounds[graph] : rounds;
    }
    session_passed(&g->s, "%u graphs with %u edges in all are coloured, with %u colours and in %u rounds at the most", g->groups,
                   g->edge_cnt, most, rounds);
}

static int run(struct cowarp_workload_context *x)
{
    struct graphs g;
    open_graphs(&g, x);
    const uint64_t all = (uint64_t)g.groups * g.vertices;
    const uint64_t neighbour = session_upload(&g.s, g.neighbour, all * DEGREE * sizeof *g.neighbour);
    const uint64_t degree = session_upload(&g.s, g.degree, all * 4), colour = session_upload(&g.s, g.colour, all * 4);
    const uint64_t rounds = session_upload(&g.s, NULL, g.groups * UINT64_C(4));
    session_launch(&g.s, x->variant == COWARP_TX ? "gc_tx" : "gc_cglock", g.groups, g.threads, COWARP_U64(neighbour), COWARP_U64(degree),
                   COWARP_U64(colour), COWARP_U64(rounds), COWARP_U32(g.vertices));
    session_read(&g.s, g.colour, colour, all * 4);
    session_read(&g.s, g.rounds, rounds, g.groups * UINT64_C(4));
    if (g.s.status == 0)
        check(&g);
    return session_close(&g.s);
}

#define GC(id, word, edge_cnt, apart, contention)                                                                  \
    static const struct cowarp_workload_param params_##id[] = {                                                    \
        [GROUPS] = {"groups", 64, 1, 4096, "work-groups, each with a graph"},                                      \
        [WAVEFRONTS] = {"wavefronts", 4, 1, 4, "of 64 work-items, per work-group"},                                \
        [VERTEX_CNT] = {"vertices", 256, 1, VERTICES, "vertices of a graph"},                                      \
        [EDGES] = {"edges", edge_cnt, 0, VERTICES * DEGREE / 2, "edges of a graph, as far as 8 per vertex allow"}, \
        [SPAN] = {"span", apart, 1, VERTICES, "how far apart the numbers of neighbours are at the most"},          \
    };                                                                                                             \
    const struct cowarp_workload cowarp_workload_##id = {                                                          \
        .name = word,                                                                                              \
        .folder = "gc",                                                                                            \
        .what = "graph colouring in shared memory, " contention " contention (GPU-LocalTM 6, GC)",                 \
        .system = "localtm",                                                                                       \
        .variants = COWARP_TX | COWARP_CGLOCK,                                                                     \
        .params = params_##id,                                                                                     \
        .param_count = sizeof params_##id / sizeof params_##id[0],                                                 \
        .run = run,                                                                                                \
    }

GC(gc_hc, "gc-hc", 768, 24, "high");
GC(gc_lc, "gc-lc", 256, 256, "low");
