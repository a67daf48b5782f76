/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs: work that is described once and carried out often. A node is what one call would have done, with its arguments as they were.
 *
 * Private to: node.c, graph.c, launch.c, memory.c, order.c, pending.c, together.c.
 */
#ifndef CW_HARNESS_CUDA_GRAPH_H
#define CW_HARNESS_CUDA_GRAPH_H

#include "cuda/process.h"

struct cw_cuda_set {
    void *to;
    uint32_t value;
    size_t unit, count, rows, pitch;
};

/* Which launches happen before one of the stream that is made now (cowarp_launch). */
struct cw_cuda_order {
    uint32_t stream, before[COWARP_STREAMS];
};

struct cw_cuda_node {
    uint32_t queue; /* of a kernel that has been put off: the stream's number */
    int priority;
    struct cw_cuda_order order;
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

/* order.c */
void cw_cuda__order_launch(struct cw_cuda_stream *stream, struct cw_cuda_order *order);
/* The host has waited for the work of the stream; of all streams. */
void cw_cuda__waited(struct cw_cuda_stream *stream);
void cw_cuda__waited_for_all(void);
/* pending.c: what of the work that has been put off comes before something. */
#define CW_CUDA_PENDING 256u
struct cw_cuda_after {
    uint64_t generation; /* of another one: nothing does */
    uint64_t bits[CW_CUDA_PENDING / 64];
};
bool cw_cuda__is_pending(void);
void cw_cuda__after_join(struct cw_cuda_after *to, const struct cw_cuda_after *from);
/* Puts work off behind `after`, which it then is a part of. */
int cw_cuda__put_off(struct cw_cuda_node **node, struct cw_cuda_after *after, const struct cw_cuda_work *work);
/* All of it, which is the caller's then; NULL: nothing. */
struct cw_cuda_graph *cw_cuda__take_pending(void);
/* order.c: whether kernels may overlap. */
bool cw_cuda__may_overlap(void);
/* order.c: whether work of the stream may be put off. What comes before its next work. */
bool cw_cuda__may_put_off(const struct cw_cuda_stream *stream);
struct cw_cuda_after *cw_cuda__after_of(struct cw_cuda_stream *stream);
/* An event whose record was put off happens now. */
void cw_cuda__event_happens(struct cw_cuda_event *event);
/* launch.c: a launch as libcowarp takes it. args: the caller frees them. */
int cw_cuda__check_launch(struct cowarp_gpu *gpu, struct cw_cuda_function *function, const struct cw_cuda_launch *launch);
int cw_cuda__make_launch(struct cowarp_launch *made, struct cowarp_arg **args, const struct cw_cuda_function *function,
                         const struct cw_cuda_launch *launch);
/* The run has failed. */
void cw_cuda__launch_failed(struct cowarp_gpu *gpu, const char *name, int status);
/* together.c: nodes in an order that their edges allow, side by side where the machine does that. Children are not among them. */
int cw_cuda__run_nodes(struct cw_cuda_node *const *node, uint32_t cnt);
/* together.c: what a node does that is neither kernel nor child. The lock is held. */
int cw_cuda__carry_out_by_host(const struct cw_cuda_node *node);

/* memory.c: memory that nobody gives back. */
int cw_cuda__malloc_for_graph(void **address, size_t bytes);

/* order.c: the stream is being captured: makes a node of the work, behind what the stream has captured and waited for. */
int cw_cuda__capture_work(struct cw_cuda_stream *stream, const struct cw_cuda_work *work);

/* launch.c and memory.c: what a node does. The lock is held. */
int cw_cuda__carry_out_launch(struct cw_cuda_function *function, const struct cw_cuda_launch *launch);
int cw_cuda__carry_out_box(const struct cw_cuda_box *box);
int cw_cuda__carry_out_set(const struct cw_cuda_set *set);

#endif
