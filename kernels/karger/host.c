/* SPDX-License-Identifier: Apache-2.0 */
/* karger-1, karger-2: threads contract one graph to two vertices. The check makes the contractions again, on the host: they join parts that
 * are not joined yet, so that two connected parts are left. The state tells the same parts, and their lists have the ends of their edges. */
#include "../session.h"
#include "../stm.h"

enum { VERTICES, EDGES, THREADS, BLOCK };

struct graph {
    struct session s;
    uint32_t vertices, edges, threads, words;
    uint32_t *edge;  /* [edges][2] */
    uint32_t *state; /* [vertices] of parent and head, then [edges][2] of the next end in the part's list */
    uint32_t *contracted, *parent;
};
#define NONE UINT32_MAX

/* A random tree, so that the graph is connected, and random edges beside it. */
static void make(struct graph *g)
{
    for (uint32_t e = 0; e < g->edges; e++) {
        uint32_t a = e + 1, b = session_below(&g->s, e + 1 < g->vertices ? e + 1 : g->vertices);
        if (e + 1 >= g->vertices) {
            a = session_below(&g->s, g->vertices);
            b = (a + 1 + session_below(&g->s, g->vertices - 1)) % g->vertices;
        }
        g->edge[2 * e] = a;
        g->edge[2 * e + 1] = b;
    }
    for (uint32_t v = 0; v < g->vertices; v++) {
        g->state[2 * v] = g->parent[v] = v;
        g->state[2 * v + 1] = NONE;
    }
    for (uint32_t end = 0; end < 2 * g->edges; end++) {
        uint32_t *head = &g->state[2 * g->edge[end] + 1];
        g->state[2 * g->vertices + end] = *head;
        *head = end;
    }
}

static uint32_t part_of(const uint32_t *parent, uint32_t step, uint32_t vertices, uint32_t v)
{
    for (uint32_t i = 0; i < vertices && v < vertices && parent[step * v] != v; i++)
        v = parent[step * v];
    return v;
}

/* The lists of the two parts that are left have each end of an edge once, in the part where its vertex is. */
static void check_lists(struct graph *g)
{
    uint32_t seen = 0;
    for (uint32_t v = 0; g->s.status == 0 && v < g->vertices; v++) {
        if (g->state[2 * v] != v)
            continue;
        for (uint32_t end = g->state[2 * v + 1]; g->s.status == 0 && end != NONE; end = g->state[2 * g->vertices + end]) {
            if (end >= 2 * g->edges || seen++ >= 2 * g->edges) {
                session_fail(&g->s, COWARP_ECHECK, "the list of vertex %u has a circle, or end %u that is none", v, end);
                break;
            }
            if (part_of(g->state, 2, g->vertices, g->edge[end]) != v)
                session_fail(&g->s, COWARP_ECHECK, "end %u of edge %u is in the list of vertex %u, which has it not", end % 2, end / 2, v);
        }
    }
    if (g->s.status == 0 && seen != 2 * g->edges)
        session_fail(&g->s, COWARP_ECHECK, "the lists have %u ends of edges, expected %u", seen, 2 * g->edges);
}

static void check(struct graph *g)
{
    uint32_t contracted = 0, cut = 0;
    for (uint32_t e = 0; g->s.status == 0 && e < g->edges; e++) {
        if (g->contracted[e] == 0)
            continue;
        const uint32_t a = part_of(g->parent, 1, g->vertices, g->edge[2 * e]), b = part_of(g->parent, 1, g->vertices, g->edge[2 * e + 1]);
        if (a == b)
            session_fail(&g->s, COWARP_ECHECK, "edge %u was contracted within one part", e);
        g->parent[a] = b;
        contracted++;
    }
    if (g->s.status == 0 && contracted != g->vertices - 2)
        session_fail(&g->s, COWARP_ECHECK, "%u edges are contracted, expected %u", contracted, g->vertices - 2);
    for (uint32_t e = 0; g->s.status == 0 && e < g->edges; e++) {
        const uint32_t *end = g->edge + 2 * e;
        const uint32_t cut_here = part_of(g->parent, 1, g->vertices, end[0]) != part_of(g->parent, 1, g->vertices, end[1]);
        const uint32_t cut_there = part_of(g->state, 2, g->vertices, end[0]) != part_of(g->state, 2, g->vertices, end[1]);
        if (cut_here != cut_there)
            session_fail(&g->s, COWARP_ECHECK, "edge %u (%u to %u) is in the cut for one of state and contractions only", e, end[0],
                         end[1]);
        cut += cut_here;
    }
    check_lists(g);
    session_passed(&g->s, "%u vertices contracted to two connected parts; %u edges between them", g->vertices, cut);
}

static int run(struct cowarp_workload_context *x)
{
    struct graph g = {.vertices = (uint32_t)x->param[VERTICES], .edges = (uint32_t)x->param[EDGES], .threads = (uint32_t)x->param[THREADS]};
    const uint32_t block = (uint32_t)x->param[BLOCK], blocks = (g.threads + block - 1) / block;
    char name[64];
    session_open(&g.s, x);
    if (g.edges < g.vertices - 1)
        session_fail(&g.s, COWARP_EINVAL, "edges = %u do not connect vertices = %u; at least one less than these", g.edges, g.vertices);
    g.words = 2 * g.vertices + 2 * g.edges;
    g.edge = session_array(&g.s, g.edges, 2 * sizeof *g.edge);
    g.state = session_array(&g.s, g.words, sizeof *g.state);
    g.contracted = session_array(&g.s, g.edges, sizeof *g.contracted);
    g.parent = session_array(&g.s, g.vertices, sizeof *g.parent);
    if (g.s.status == 0)
        make(&g);
    const uint32_t seed = session_below(&g.s, UINT32_MAX);
    const uint64_t edge = session_upload(&g.s, g.edge, g.edges * UINT64_C(8)),
                   contracted = session_upload(&g.s, NULL, g.edges * UINT64_C(4)),
                   state = session_upload_shared(&g.s, g.state, g.words * UINT64_C(4));
    const uint64_t shared = x->variant == COWARP_TX ? 0 : session_upload(&g.s, NULL, stm_bytes(x->variant));
    const struct cowarp_arg args[] = {COWARP_U64(edge),    COWARP_U64(state),     COWARP_U64(contracted), COWARP_U32(g.vertices),
                                      COWARP_U32(g.edges), COWARP_U32(g.threads), COWARP_U32(seed),       COWARP_U64(shared)};
    session_run(&g.s, x->variant == COWARP_TX ? "karger_tx" : stm_kernel(name, "karger", x->variant),
                (struct session_shape){blocks, 1, block, 1}, sizeof args / sizeof args[0] - (x->variant == COWARP_TX), args);
    session_read(&g.s, g.state, state, g.words * UINT64_C(4));
    session_read(&g.s, g.contracted, contracted, g.edges * UINT64_C(4));
    if (g.s.status == 0)
        check(&g);
    g.s.status = stm_finish(x, shared, g.s.status);
    return session_close(&g.s);
}

#define KARGER(id, word, v, e)                                                         \
    static const struct cowarp_workload_param params_##id[] = {                        \
        [VERTICES] = {"vertices", v, 3, 65536, "vertices of the graph"},               \
        [EDGES] = {"edges", e, 2, 1048576, "edges of the graph"},                      \
        [THREADS] = {"threads", 32, 1, 16384, "threads, which make the contractions"}, \
        [BLOCK] = {"block", 8, 1, 1024, "threads per block"},                          \
    };                                                                                 \
    const struct cowarp_workload cowarp_workload_##id = {                              \
        .name = word,                                                                  \
        .folder = "karger",                                                            \
        .what = "minimal cut by random contractions (Chen et al. 2017, GraphCut)",     \
        .variants = COWARP_TX | COWARP_CGLOCK | COWARP_STM_TL2 | COWARP_STM_PR,        \
        .params = params_##id,                                                         \
        .param_count = sizeof params_##id / sizeof params_##id[0],                     \
        .run = run,                                                                    \
    }

KARGER(karger_1, "karger-1", 60, 180);
KARGER(karger_2, "karger-2", 90, 270);
