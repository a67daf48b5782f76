/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which transactions stand before one that had ended when they began.
 *
 * In a graph without a circle each node has an earliest end of all that it stands before. Nodes are taken from the last one to the first, so a
 * node finds those of its successors ready: the search looks at each edge once.
 */
#include <stdlib.h>

#include "check/serial_private.h"

#define NONE CW_SERIAL_NONE

struct ahead {
    cw_time end; /* The earliest one that is reached; CW_TIME_NEVER: none is. */
    uint32_t steps, edge;
};

/* A meeting of threads is no transaction: it has no end. */
static cw_time end_of(const struct cw_serial *s, const struct cw_serial_nodes *n, uint32_t node)
{
    return node < n->committed ? s->attempt.at[n->attempt[node]].ended : CW_TIME_NEVER;
}

static bool earlier(const struct ahead *a, const struct ahead *b)
{
    return a->end != b->end ? a->end < b->end : a->steps < b->steps;
}

static struct ahead look_ahead(const struct cw_serial *s, const struct cw_serial_nodes *n, const struct cw_graph *g,
                               const struct ahead *ahead, uint32_t node)
{
    struct ahead best = {.end = CW_TIME_NEVER, .steps = NONE, .edge = NONE};
    for (uint32_t i = g->first[node]; i < g->first[node + 1]; i++) {
        const uint32_t to = g->edge[i].to;
        const struct ahead itself = {.end = end_of(s, n, to), .steps = 1, .edge = i},
                           behind = {.end = ahead[to].end, .steps = ahead[to].steps + 1, .edge = i};
        if (earlier(&itself, &best))
            best = itself;
        if (behind.end != CW_TIME_NEVER && earlier(&behind, &best))
            best = behind;
    }
    return best;
}

uint64_t cw_serial__real_time(const struct cw_serial *s, const struct cw_serial_nodes *n, const struct cw_graph *g,
                              const struct cw_edge **path, uint32_t max, uint32_t *length)
{
    struct ahead *ahead = malloc((g->node_cnt + 1) * sizeof *ahead);
    uint32_t *at = malloc((g->node_cnt + 1) * sizeof *at), example = NONE;
    uint64_t early = 0;
    *length = 0;
    for (uint32_t i = 0; i < g->node_cnt && at != NULL; i++)
        at[g->component[i]] = i; /* Without a circle a component is one node. */
    for (uint32_t c = 0; c < g->node_cnt && at != NULL && ahead != NULL; c++) {
        const uint32_t node = at[c];
        ahead[node] = look_ahead(s, n, g, ahead, node);
        if (node >= n->committed || ahead[node].end >= s->attempt.at[n->attempt[node]].started)
            continue;
        early++;
        if (example == NONE || ahead[node].steps < ahead[example].steps)
            example = node;
    }
    for (uint32_t node = example; node != NONE && *length < ahead[example].steps; node = g->edge[ahead[node].edge].to, ++*length)
        if (*length < max)
            path[*length] = g->edge + ahead[node].edge;
    free(ahead);
    free(at);
    return early;
}
