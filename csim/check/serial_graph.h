/* SPDX-License-Identifier: Apache-2.0 */
/* Precedence graph of committed transactions: strongly connected components, shortest cycle, reachability. */
#ifndef CW_CHECK_SERIAL_GRAPH_H
#define CW_CHECK_SERIAL_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

enum cw_edge_kind { CW_EDGE_WR, CW_EDGE_RW, CW_EDGE_WW, CW_EDGE_ORDER };

struct cw_edge {
    uint32_t from, to;
    uint32_t label; /* the caller's own */
    uint32_t kind;
};

struct cw_graph {
    uint32_t node_cnt, edge_cnt, edge_cap;
    struct cw_edge *edge; /* after cw_graph_close sorted by from */
    uint32_t *first;      /* node -> its first edge; node_cnt + 1 entries */
    uint32_t *component;  /* node -> strongly connected component; an edge between two leads to the smaller number */
    uint32_t *size;       /* component -> nodes */
    uint32_t *work;       /* 4 per node, for the searches */
    uint32_t stamp;
    uint64_t budget; /* edges that cw_graph_reaches may still look at, all calls together */
};

void cw_graph_init(struct cw_graph *g, uint32_t node_cnt);
void cw_graph_free(struct cw_graph *g);
/* false: out of memory */
bool cw_graph_edge(struct cw_graph *g, uint32_t from, uint32_t to, enum cw_edge_kind kind, uint32_t label);
/* To be called when all edges are in, before the questions. false: out of memory. */
bool cw_graph_close(struct cw_graph *g);
/* Length of the shortest cycle, 0 when there is none; its first max edges in cycle[]. In components so large that the search would take
 * seconds it is the shortest one found until then, which is still a cycle. */
uint32_t cw_graph_shortest_cycle(struct cw_graph *g, const struct cw_edge **cycle, uint32_t max);
/* Whether a path of any length (0 included) leads from one of from[] to one of to[]. Only for graphs without a cycle. false, too, once the
 * budget is spent. */
bool cw_graph_reaches(struct cw_graph *g, const uint32_t *from, uint32_t from_cnt, const uint32_t *to, uint32_t to_cnt);

#endif
