/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: their nodes. */
#include <stdlib.h>
#include <string.h>

#include "cuda/graph.h"

int cw_cuda_graph_create(struct cw_cuda_graph **graph)
{
    *graph = calloc(1, sizeof **graph);
    return *graph != NULL ? CW_CUDA_OK : CW_CUDA_NO_MEMORY;
}

static void destroy_node(struct cw_cuda_node *n)
{
    if (n->child != NULL)
        cw_cuda_graph_destroy(n->child);
    free(n->bytes);
    free(n->after);
    free(n);
}

int cw_cuda_graph_destroy(struct cw_cuda_graph *graph)
{
    if (graph == NULL)
        return CW_CUDA_INVALID_VALUE;
    for (struct cw_cuda_node *n = graph->first, *next; n != NULL; n = next) {
        next = n->next;
        destroy_node(n);
    }
    free(graph);
    return CW_CUDA_OK;
}

struct cw_cuda_node *cw_cuda__node_add(struct cw_cuda_graph *graph, enum cw_cuda_node_kind kind, struct cw_cuda_node *const *after,
                                       size_t after_cnt)
{
    struct cw_cuda_node *n = calloc(1, sizeof *n), **end = &graph->first;
    if (n != NULL && after_cnt > 0 && (n->after = calloc(after_cnt, sizeof *n->after)) == NULL) {
        free(n);
        n = NULL;
    }
    if (n == NULL)
        return NULL;
    for (size_t i = 0; i < after_cnt; i++)
        n->after[n->after_cnt++] = after[i]->id;
    n->kind = kind;
    n->graph = graph;
    n->id = graph->id_cnt++;
    while (*end != NULL)
        end = &(*end)->next;
    return *end = n;
}

int cw_cuda__node_launch(struct cw_cuda_node *node, struct cw_cuda_function *function, const struct cw_cuda_launch *launch)
{
    const struct cowarp_param *last = function->param_cnt > 0 ? &function->param[function->param_cnt - 1] : NULL;
    const size_t bytes = last != NULL ? last->offset + last->bytes : 0;
    char *packed = calloc(1, bytes + 1);
    if (packed == NULL)
        return CW_CUDA_NO_MEMORY;
    for (uint32_t i = 0; launch->args != NULL && i < function->param_cnt; i++)
        memcpy(packed + function->param[i].offset, launch->args[i], function->param[i].bytes);
    if (launch->args == NULL && launch->packed != NULL)
        memcpy(packed, launch->packed, launch->packed_bytes < bytes ? launch->packed_bytes : bytes);
    free(node->bytes);
    node->bytes = packed;
    node->function = function;
    node->launch = *launch;
    node->launch.args = NULL;
    node->launch.packed = packed;
    node->launch.packed_bytes = bytes;
    node->launch.stream = NULL;
    return CW_CUDA_OK;
}

int cw_cuda_node_add(struct cw_cuda_node **node, struct cw_cuda_graph *graph, struct cw_cuda_node *const *after, size_t after_cnt,
                     const struct cw_cuda_work *work)
{
    int code = CW_CUDA_OK;
    struct cw_cuda_graph *child = NULL;
    if (graph == NULL || (after_cnt > 0 && after == NULL))
        return CW_CUDA_INVALID_VALUE;
    if (work->kind == CW_CUDA_NODE_CHILD)
        code = cw_cuda_graph_clone(&child, work->child);
    struct cw_cuda_node *n = code == CW_CUDA_OK ? cw_cuda__node_add(graph, work->kind, after, after_cnt) : NULL;
    if (n == NULL)
        return code != CW_CUDA_OK ? code : CW_CUDA_NO_MEMORY;
    n->child = child;
    *node = n;
    return work->kind == CW_CUDA_NODE_CHILD ? code : cw_cuda_node_set(n, work);
}

int cw_cuda_node_set(struct cw_cuda_node *n, const struct cw_cuda_work *work)
{
    if (n == NULL || n->kind != work->kind)
        return CW_CUDA_INVALID_VALUE;
    if (work->kind == CW_CUDA_NODE_KERNEL)
        return cw_cuda__node_launch(n, work->function, work->launch);
    if (work->box != NULL)
        n->box = *work->box;
    n->set = (struct cw_cuda_set){work->to, work->value, work->unit, work->width, work->height, work->pitch};
    n->call = work->call;
    n->data = work->data;
    n->event = work->event;
    return CW_CUDA_OK;
}

enum cw_cuda_node_kind cw_cuda_node_kind(const struct cw_cuda_node *node)
{
    return node->kind;
}

int cw_cuda_graph_depend(struct cw_cuda_node *const *before, struct cw_cuda_node *const *node, size_t cnt)
{
    for (size_t i = 0; i < cnt; i++) {
        struct cw_cuda_node *n = node[i];
        uint32_t *more = realloc(n->after, (n->after_cnt + 1) * sizeof *more);
        if (more == NULL)
            return CW_CUDA_NO_MEMORY;
        n->after = more;
        n->after[n->after_cnt++] = before[i]->id;
    }
    return CW_CUDA_OK;
}

static int clone_node(struct cw_cuda_graph *to, const struct cw_cuda_node *n)
{
    struct cw_cuda_node *c = cw_cuda__node_add(to, n->kind, NULL, 0);
    int code = c != NULL ? CW_CUDA_OK : CW_CUDA_NO_MEMORY;
    if (code != CW_CUDA_OK)
        return code;
    c->id = n->id;
    c->box = n->box;
    c->set = n->set;
    c->call = n->call;
    c->data = n->data;
    c->event = n->event;
    if (n->after_cnt > 0 && (c->after = malloc(n->after_cnt * sizeof *c->after)) == NULL)
        return CW_CUDA_NO_MEMORY;
    if (n->after_cnt > 0)
        memcpy(c->after, n->after, n->after_cnt * sizeof *c->after);
    c->after_cnt = n->after_cnt;
    if (n->child != NULL)
        code = cw_cuda_graph_clone(&c->child, n->child);
    return code == CW_CUDA_OK && n->kind == CW_CUDA_NODE_KERNEL ? cw_cuda__node_launch(c, n->function, &n->launch) : code;
}

int cw_cuda_graph_clone(struct cw_cuda_graph **clone, const struct cw_cuda_graph *graph)
{
    if (graph == NULL)
        return CW_CUDA_INVALID_VALUE;
    int code = cw_cuda_graph_create(clone);
    for (const struct cw_cuda_node *n = graph->first; code == CW_CUDA_OK && n != NULL; n = n->next)
        code = clone_node(*clone, n);
    if (code == CW_CUDA_OK)
        (*clone)->id_cnt = graph->id_cnt;
    return code;
}

int cw_cuda_graph_nodes(struct cw_cuda_node **nodes, size_t *cnt, const struct cw_cuda_graph *graph, bool roots)
{
    size_t n = 0;
    for (struct cw_cuda_node *at = graph->first; at != NULL; at = at->next)
        if (!roots || at->after_cnt == 0) {
            if (nodes != NULL && n < *cnt)
                nodes[n] = at;
            n++;
        }
    *cnt = nodes != NULL && n > *cnt ? *cnt : n;
    return CW_CUDA_OK;
}

int cw_cuda_node_remove(struct cw_cuda_node *node)
{
    struct cw_cuda_node **place = &node->graph->first;
    while (*place != node)
        place = &(*place)->next;
    *place = node->next;
    destroy_node(node);
    return CW_CUDA_OK;
}

struct cw_cuda_node *cw_cuda_graph_twin(const struct cw_cuda_graph *graph, const struct cw_cuda_node *node)
{
    struct cw_cuda_node *n = graph->first;
    while (n != NULL && n->id != node->id)
        n = n->next;
    return n;
}
