/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: carrying them out, one node after the other, in an order that their edges allow. */
#include <stdlib.h>
#include <string.h>

#include "cuda/graph.h"

/* The graph as it was when it was instantiated, in the order in which it runs. */
struct cw_cuda_exec {
    struct cw_cuda_graph *graph;
    struct cw_cuda_node **order;
    uint32_t cnt;
};

static bool is_ready(const struct cw_cuda_graph *graph, const struct cw_cuda_node *n, const bool *done)
{
    for (uint32_t i = 0; i < n->after_cnt; i++) {
        const struct cw_cuda_node *before = graph->first; /* one that was removed is waited for by nobody */
        while (before != NULL && before->id != n->after[i])
            before = before->next;
        if (before != NULL && !done[before->id])
            return false;
    }
    return true;
}

/* CW_CUDA_INVALID_VALUE: the edges go round in a circle. */
static int sort(struct cw_cuda_exec *e)
{
    struct cw_cuda_graph *graph = e->graph;
    bool *done = calloc(graph->id_cnt + 1, sizeof *done);
    uint32_t all = 0;
    e->order = calloc(graph->id_cnt + 1, sizeof(struct cw_cuda_node *));
    if (done == NULL || e->order == NULL) {
        free(done);
        return CW_CUDA_NO_MEMORY;
    }
    for (const struct cw_cuda_node *n = graph->first; n != NULL; n = n->next)
        all++;
    for (uint32_t last = UINT32_MAX; e->cnt < all && e->cnt != last;) {
        last = e->cnt;
        for (struct cw_cuda_node *n = graph->first; n != NULL; n = n->next)
            if (!done[n->id] && is_ready(graph, n, done)) {
                done[n->id] = true;
                e->order[e->cnt++] = n;
            }
    }
    free(done);
    return e->cnt == all ? CW_CUDA_OK : CW_CUDA_INVALID_VALUE;
}

int cw_cuda_exec_create(struct cw_cuda_exec **exec, const struct cw_cuda_graph *graph)
{
    struct cw_cuda_exec *e = calloc(1, sizeof *e);
    *exec = NULL;
    if (e == NULL)
        return CW_CUDA_NO_MEMORY;
    int code = cw_cuda_graph_clone(&e->graph, graph);
    if (code == CW_CUDA_OK)
        code = sort(e);
    if (code == CW_CUDA_OK)
        *exec = e;
    else
        cw_cuda_exec_destroy(e);
    return code;
}

int cw_cuda_exec_destroy(struct cw_cuda_exec *exec)
{
    if (exec == NULL)
        return CW_CUDA_INVALID_VALUE;
    if (exec->graph != NULL)
        cw_cuda_graph_destroy(exec->graph);
    free(exec->order);
    free(exec);
    return CW_CUDA_OK;
}

int cw_cuda_exec_update(struct cw_cuda_exec *exec, const struct cw_cuda_graph *graph)
{
    struct cw_cuda_exec *new, old = *exec;
    const int code = cw_cuda_exec_create(&new, graph);
    if (code != CW_CUDA_OK)
        return code;
    *exec = *new;
    *new = old;
    return cw_cuda_exec_destroy(new);
}

struct cw_cuda_graph *cw_cuda_exec_graph(struct cw_cuda_exec *exec)
{
    return exec->graph;
}

static struct cw_cuda_work memory_work(enum cw_cuda_node_kind kind, void *address, size_t bytes)
{
    return (struct cw_cuda_work){.kind = kind, .to = address, .width = bytes, .unit = 1, .height = 1};
}

int cw_cuda_node_allocate(struct cw_cuda_node **node, void **address, struct cw_cuda_graph *graph, struct cw_cuda_node *const *after,
                          size_t after_cnt, size_t bytes)
{
    const int code = cw_cuda__malloc_for_graph(address, bytes);
    const struct cw_cuda_work work = memory_work(CW_CUDA_NODE_ALLOCATE, *address, bytes);
    return code == CW_CUDA_OK ? cw_cuda_node_add(node, graph, after, after_cnt, &work) : code;
}

int cw_cuda_node_memory(const struct cw_cuda_node *node, enum cw_cuda_node_kind kind, void **address, size_t *bytes)
{
    if (node == NULL || node->kind != kind)
        return CW_CUDA_INVALID_VALUE;
    *address = node->set.to;
    *bytes = node->set.count;
    return CW_CUDA_OK;
}

int cw_cuda_capture_allocate(void **address, size_t bytes, struct cw_cuda_stream *stream)
{
    const int code = cw_cuda__malloc_for_graph(address, bytes);
    const struct cw_cuda_work work = memory_work(CW_CUDA_NODE_ALLOCATE, *address, bytes);
    return code == CW_CUDA_OK ? cw_cuda__capture_work(stream, &work) : code;
}

int cw_cuda_capture_free(void *address, struct cw_cuda_stream *stream)
{
    const struct cw_cuda_work work = memory_work(CW_CUDA_NODE_FREE, address, 0);
    return cw_cuda__capture_work(stream, &work);
}

static int run_graph(const struct cw_cuda_graph *graph);

static int run_node(const struct cw_cuda_node *n)
{
    switch (n->kind) {
    case CW_CUDA_NODE_KERNEL:
        return cw_cuda__carry_out_launch(n->function, &n->launch);
    case CW_CUDA_NODE_CHILD:
        return run_graph(n->child);
    case CW_CUDA_NODE_RECORD: /* Behind all launches before it */
        return cw_cuda_event_record(n->event, NULL);
    case CW_CUDA_NODE_COPY:
    case CW_CUDA_NODE_SET:
    case CW_CUDA_NODE_HOST:
    case CW_CUDA_NODE_EMPTY:
    case CW_CUDA_NODE_ALLOCATE:
    case CW_CUDA_NODE_FREE:
    default:
        return cw_cuda__carry_out_by_host(n);
    }
}

/* A child, whose edges were looked at when it was made. */
static int run_graph(const struct cw_cuda_graph *graph)
{
    struct cw_cuda_exec *e;
    int code = cw_cuda_exec_create(&e, graph);
    if (code != CW_CUDA_OK)
        return code;
    for (uint32_t i = 0; code == CW_CUDA_OK && i < e->cnt; i++)
        code = run_node(e->order[i]);
    cw_cuda_exec_destroy(e);
    return code;
}

/* A call of the host may ask for work of its own, and a child is run by itself. */
static bool may_overlap(const struct cw_cuda_exec *e)
{
    bool may = cw_cuda__may_overlap();
    for (uint32_t i = 0; may && i < e->cnt; i++)
        may = e->order[i]->kind != CW_CUDA_NODE_CHILD && e->order[i]->kind != CW_CUDA_NODE_HOST;
    return may;
}

static int run_overlapping(struct cw_cuda_exec *e)
{
    struct cowarp_gpu *gpu;
    int code = cw_cuda__gpu(&gpu);
    for (uint32_t i = 0; code == CW_CUDA_OK && i < e->cnt; i++)
        if (e->order[i]->kind == CW_CUDA_NODE_KERNEL) {
            code = cw_cuda__check_launch(gpu, e->order[i]->function, &e->order[i]->launch);
            cw_cuda__order_launch(NULL, &e->order[i]->order);
        }
    return code == CW_CUDA_OK ? cw_cuda__run_nodes(e->order, e->cnt) : code;
}

int cw_cuda_exec_run(struct cw_cuda_exec *exec, struct cw_cuda_stream *stream)
{
    const struct cw_cuda_work work = {.kind = CW_CUDA_NODE_CHILD, .child = exec->graph};
    if (cw_cuda_is_capturing(stream))
        return cw_cuda__capture_work(stream, &work);
    int code = CW_CUDA_OK;
    cw_cuda__lock();
    cw_cuda__waited_for_all(); /* its launches are taken for ordered with all others */
    if (may_overlap(exec))
        code = run_overlapping(exec);
    else
        for (uint32_t i = 0; code == CW_CUDA_OK && i < exec->cnt; i++)
            code = run_node(exec->order[i]);
    cw_cuda__waited_for_all();
    return cw_cuda__leave(code);
}
