/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs: work that is described once and carried out often. A node is what one call would have done, with its arguments as they were.
 *
 * Private to: node.c, graph.c, launch.c, memory.c, order.c.
 */
#ifndef CW_HARNESS_CUDA_GRAPH_H
#define CW_HARNESS_CUDA_GRAPH_H

#include "cuda/process.h"

struct cw_cuda_set {
    void *to;
    uint32_t value;
    size_t unit, count, rows, pitch;
};

struct cw_cuda_node {
    enum cw_cuda_node_kind kind;
    struct cw_cuda_graph *graph;
    uint32_t id; /* its place in the order of adding, also in a copy of the graph */
    struct cw_cuda_function *function;
    struct cw_cuda_launch launch; /* with .packed, which `bytes` has */
    char *bytes;
    struct cw_cuda_box box;
    struct cw_cuda_set set;
    void (*call)(void *);
    void *data;
    struct cw_cuda_event *event;
    struct cw_cuda_graph *child; /* the node's own */
    uint32_t *after, after_cnt;  /* ids of the nodes that come before it */
    struct cw_cuda_node *next;
};

struct cw_cuda_graph {
    struct cw_cuda_node *first;
    uint32_t id_cnt;
};

/* node.c: a node of its own at the end; NULL: out of memory. after: the nodes before it. */
struct cw_cuda_node *cw_cuda__node_add(struct cw_cuda_graph *graph, enum cw_cuda_node_kind kind, struct cw_cuda_node *const *after,
                                       size_t after_cnt);
/* Takes the arguments over. */
int cw_cuda__node_launch(struct cw_cuda_node *node, struct cw_cuda_function *function, const struct cw_cuda_launch *launch);

/* order.c: which launches happen before one of the stream that is made now (cowarp_launch). */
struct cw_cuda_order {
    uint32_t stream, before[COWARP_STREAMS];
};
void cw_cuda__order_launch(struct cw_cuda_stream *stream, struct cw_cuda_order *order);
/* The host has waited for the work of the stream; of all streams. */
void cw_cuda__waited(struct cw_cuda_stream *stream);
void cw_cuda__waited_for_all(void);
/* order.c: the graph that the stream's calls go into; NULL: they are carried out. */
struct cw_cuda_graph *cw_cuda__capture(const struct cw_cuda_stream *stream);

/* launch.c and memory.c: what a node does. The lock is held. */
int cw_cuda__carry_out_launch(struct cw_cuda_function *function, const struct cw_cuda_launch *launch);
int cw_cuda__carry_out_box(const struct cw_cuda_box *box);
int cw_cuda__carry_out_set(const struct cw_cuda_set *set);

#endif
