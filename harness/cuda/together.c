/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels of several streams, and branches of a graph, side by side.
 *
 * A launch in a stream is put off as long as nobody can see the difference: until the program waits, copies to memory that it may use at once, asks
 * for or gives back memory, or ends. Then all that has been put off is one run of libcowarp (cowarp_run_together). What a call would have answered
 * at once it still answers at once.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/graph.h"

struct run {
    struct cowarp_work *work;
    struct cowarp_launch *launch;
    struct cowarp_arg **args;
    uint32_t *after; /* of all works, one behind the other */
};

static int make_run(struct run *r, uint32_t cnt, size_t edges)
{
    *r = (struct run){calloc(cnt + 1u, sizeof *r->work), calloc(cnt + 1u, sizeof *r->launch), calloc(cnt + 1u, sizeof *r->args),
                      calloc(edges + 1, sizeof *r->after)};
    return r->work != NULL && r->launch != NULL && r->args != NULL && r->after != NULL ? CW_CUDA_OK : CW_CUDA_NO_MEMORY;
}

static void release(struct run *r, uint32_t cnt)
{
    for (uint32_t i = 0; r->args != NULL && i < cnt; i++)
        free(r->args[i]);
    free(r->work);
    free(r->launch);
    free(r->args);
    free(r->after);
}

int cw_cuda__carry_out_by_host(const struct cw_cuda_node *n)
{
    switch (n->kind) {
    case CW_CUDA_NODE_COPY:
        return cw_cuda__carry_out_box(&n->box);
    case CW_CUDA_NODE_SET:
        return cw_cuda__carry_out_set(&n->set);
    case CW_CUDA_NODE_HOST:
        n->call(n->data);
        return CW_CUDA_OK;
    case CW_CUDA_NODE_RECORD:
        cw_cuda__event_happens(n->event);
        return CW_CUDA_OK;
    case CW_CUDA_NODE_KERNEL:
    case CW_CUDA_NODE_CHILD:
    case CW_CUDA_NODE_EMPTY:
    case CW_CUDA_NODE_ALLOCATE:
    case CW_CUDA_NODE_FREE:
    default:
        return CW_CUDA_OK;
    }
}

static int carry_out(void *node)
{
    return cw_cuda__carry_out_by_host(node) == CW_CUDA_OK ? COWARP_OK : COWARP_EINVAL;
}

/* Places in the list of the nodes with these numbers; those that are not in it have been removed. */
static uint32_t places(uint32_t *to, struct cw_cuda_node *const *node, uint32_t cnt, const struct cw_cuda_node *of)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < of->after_cnt; i++)
        for (uint32_t k = 0; k < cnt; k++)
            if (node[k]->id == of->after[i])
                to[found++] = k;
    return found;
}

static int fill(struct run *r, struct cw_cuda_node *const *node, uint32_t cnt)
{
    uint32_t *after = r->after;
    int code = CW_CUDA_OK;
    for (uint32_t i = 0; code == CW_CUDA_OK && i < cnt; i++) {
        struct cw_cuda_node *n = node[i];
        struct cowarp_work *w = &r->work[i];
        *w = (struct cowarp_work){.size = sizeof *w,
                                  .call = carry_out,
                                  .data = n,
                                  .after = after,
                                  .after_count = places(after, node, i, n),
                                  .queue = n->queue,
                                  .priority = n->priority};
        after += w->after_count;
        if (n->kind != CW_CUDA_NODE_KERNEL)
            continue;
        code = cw_cuda__make_launch(&r->launch[i], &r->args[i], n->function, &n->launch);
        r->launch[i].stream = n->order.stream;
        r->launch[i].before = n->order.before;
        w->module = n->function->image->module;
        w->launch = &r->launch[i];
    }
    return code;
}

int cw_cuda__run_nodes(struct cw_cuda_node *const *node, uint32_t cnt)
{
    struct cowarp_gpu *gpu;
    struct run r;
    size_t edges = 0;
    const char *name = "a graph";
    for (uint32_t i = 0; i < cnt; i++) {
        edges += node[i]->after_cnt;
        if (node[i]->kind == CW_CUDA_NODE_KERNEL)
            name = node[i]->function->name;
    }
    int code = make_run(&r, cnt, edges);
    if (code == CW_CUDA_OK)
        code = cw_cuda__gpu(&gpu);
    if (code == CW_CUDA_OK)
        code = fill(&r, node, cnt);
    if (code == CW_CUDA_OK) {
        cw_cuda__process.session.title = name;
        const int status = cowarp_run_together(gpu, r.work, cnt);
        if (status != COWARP_OK)
            cw_cuda__launch_failed(gpu, name, status);
    }
    release(&r, cnt);
    return code;
}

static void run_pending(void)
{
    struct cw_cuda_graph *graph = cw_cuda__take_pending();
    struct cw_cuda_node *node[CW_CUDA_PENDING];
    uint32_t cnt = 0;
    for (struct cw_cuda_node *n = graph != NULL ? graph->first : NULL; n != NULL && cnt < CW_CUDA_PENDING; n = n->next)
        node[cnt++] = n;
    if (cnt > 0 && cw_cuda__run_nodes(node, cnt) == CW_CUDA_NO_MEMORY)
        cw_cuda__say("out of memory for kernels that run side by side");
    cw_cuda_graph_destroy(graph);
}

static int put_off(struct cw_cuda_function *function, const struct cw_cuda_launch *launch)
{
    struct cowarp_gpu *gpu;
    struct cw_cuda_node *node;
    const struct cw_cuda_work work = {.kind = CW_CUDA_NODE_KERNEL, .function = function, .launch = launch};
    int code = cw_cuda__gpu_as_is(&gpu);
    if (code == CW_CUDA_OK)
        code = cw_cuda__check_launch(gpu, function, launch);
    if (code == CW_CUDA_OK)
        code = cw_cuda__put_off(&node, cw_cuda__after_of(launch->stream), &work);
    if (code != CW_CUDA_OK)
        return code;
    cw_cuda__order_launch(launch->stream, &node->order);
    node->queue = (uint32_t)cw_cuda_stream_id(launch->stream);
    node->priority = cw_cuda_stream_priority(launch->stream);
    cw_cuda__process.settle = run_pending;
    return CW_CUDA_OK;
}

int cw_cuda_launch(struct cw_cuda_function *function, const struct cw_cuda_launch *launch)
{
    const struct cw_cuda_work work = {.kind = CW_CUDA_NODE_KERNEL, .function = function, .launch = launch};
    if (cw_cuda_is_capturing(launch->stream))
        return cw_cuda__capture_work(launch->stream, &work);
    cw_cuda__lock();
    if (cw_cuda__may_put_off(launch->stream) && !launch->cooperative)
        return cw_cuda__leave(put_off(function, launch));
    return cw_cuda__leave(cw_cuda__carry_out_launch(function, launch));
}
