/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime API: graphs, and streams whose calls go into one. */
#include <string.h>

#include "cuda/runtime.h"

struct cudaKernelNodeParams {
    const void *function;
    struct dim3 grid, block;
    unsigned shared;
    void **args, **extra;
};

struct cudaMemsetParams {
    void *to;
    size_t pitch;
    unsigned value, unit;
    size_t width, height;
};

struct cudaHostNodeParams {
    void (*call)(void *);
    void *data;
};

int cudaGraphCreate(struct cw_cuda_graph **graph, unsigned flags)
{
    return cw_cuda_note(flags == 0 ? cw_cuda_graph_create(graph) : CW_CUDA_INVALID_VALUE);
}

int cudaGraphDestroy(struct cw_cuda_graph *graph)
{
    return cw_cuda_note(cw_cuda_graph_destroy(graph));
}

int cudaGraphClone(struct cw_cuda_graph **clone, const struct cw_cuda_graph *graph)
{
    return cw_cuda_note(cw_cuda_graph_clone(clone, graph));
}

/* The members before `access` say where the memory lies and who else may reach it: of one device's, nothing. */
struct cudaMemAllocNodeParams {
    char pool[88];
    const void *access;
    size_t access_cnt, bytes;
    void *address;
};

/* What a node does, out of CUDA's structures; *launch and *box are the caller's. */
static int read_kernel(struct cw_cuda_work *w, struct cw_cuda_launch *launch, const struct cudaKernelNodeParams *p)
{
    *launch = (struct cw_cuda_launch){.grid = {p->grid.x, p->grid.y, p->grid.z},
                                      .block = {p->block.x, p->block.y, p->block.z},
                                      .shared_bytes = p->shared,
                                      .args = p->args};
    *w = (struct cw_cuda_work){.kind = CW_CUDA_NODE_KERNEL, .launch = launch};
    if (p->extra != NULL)
        return cw_cuda_missing("a node of a graph with packed parameters");
    return cw_cuda_function(&w->function, p->function);
}

static struct cw_cuda_work set_of(const struct cudaMemsetParams *p)
{
    return (struct cw_cuda_work){.kind = CW_CUDA_NODE_SET,
                                 .to = p->to,
                                 .value = p->value,
                                 .unit = p->unit,
                                 .width = p->width,
                                 .height = p->height,
                                 .pitch = p->pitch};
}

static struct cw_cuda_box line(void *to, const void *from, size_t bytes, int kind)
{
    return (struct cw_cuda_box){
        .to = to, .from = from, .to_pitch = bytes, .from_pitch = bytes, .width = bytes, .height = 1, .depth = 1, .kind = kind};
}

static int add(struct cw_cuda_node **node, struct cw_cuda_graph *graph, struct cw_cuda_node *const *after, size_t cnt,
               const struct cw_cuda_work *w)
{
    return cw_cuda_note(cw_cuda_node_add(node, graph, after, cnt, w));
}

int cudaGraphAddKernelNode(struct cw_cuda_node **node, struct cw_cuda_graph *graph, struct cw_cuda_node *const *after, size_t cnt,
                           const struct cudaKernelNodeParams *p)
{
    struct cw_cuda_work w;
    struct cw_cuda_launch launch;
    const int code = read_kernel(&w, &launch, p);
    return code == CW_CUDA_OK ? add(node, graph, after, cnt, &w) : cw_cuda_note(code);
}

int cudaGraphAddMemcpyNode(struct cw_cuda_node **node, struct cw_cuda_graph *graph, struct cw_cuda_node *const *after, size_t cnt,
                           const struct cudaMemcpy3DParms *p)
{
    struct cw_cuda_box box;
    const struct cw_cuda_work w = {.kind = CW_CUDA_NODE_COPY, .box = &box};
    const int code = cw_cuda_runtime_box(&box, p);
    return code == CW_CUDA_OK ? add(node, graph, after, cnt, &w) : cw_cuda_note(code);
}

int cudaGraphAddMemcpyNode1D(struct cw_cuda_node **node, struct cw_cuda_graph *graph, struct cw_cuda_node *const *after, size_t cnt,
                             void *to, const void *from, size_t bytes, int kind)
{
    const struct cw_cuda_box box = line(to, from, bytes, kind);
    const struct cw_cuda_work w = {.kind = CW_CUDA_NODE_COPY, .box = &box};
    return add(node, graph, after, cnt, &w);
}

int cudaGraphAddMemsetNode(struct cw_cuda_node **node, struct cw_cuda_graph *graph, struct cw_cuda_node *const *after, size_t cnt,
                           const struct cudaMemsetParams *p)
{
    const struct cw_cuda_work w = set_of(p);
    return add(node, graph, after, cnt, &w);
}

int cudaGraphAddHostNode(struct cw_cuda_node **node, struct cw_cuda_graph *graph, struct cw_cuda_node *const *after, size_t cnt,
                         const struct cudaHostNodeParams *p)
{
    const struct cw_cuda_work w = {.kind = CW_CUDA_NODE_HOST, .call = p->call, .data = p->data};
    return add(node, graph, after, cnt, &w);
}

int cudaGraphAddMemAllocNode(struct cw_cuda_node **node, struct cw_cuda_graph *graph, struct cw_cuda_node *const *after, size_t cnt,
                             struct cudaMemAllocNodeParams *p)
{
    return cw_cuda_note(cw_cuda_node_allocate(node, &p->address, graph, after, cnt, p->bytes));
}

int cudaGraphAddMemFreeNode(struct cw_cuda_node **node, struct cw_cuda_graph *graph, struct cw_cuda_node *const *after, size_t cnt,
                            void *address)
{
    const struct cw_cuda_work w = {.kind = CW_CUDA_NODE_FREE, .to = address, .unit = 1};
    return add(node, graph, after, cnt, &w);
}

int cudaGraphMemAllocNodeGetParams(const struct cw_cuda_node *node, struct cudaMemAllocNodeParams *p)
{
    *p = (struct cudaMemAllocNodeParams){.bytes = 0};
    return cw_cuda_note(cw_cuda_node_memory(node, CW_CUDA_NODE_ALLOCATE, &p->address, &p->bytes));
}

int cudaGraphMemFreeNodeGetParams(const struct cw_cuda_node *node, void **address)
{
    size_t bytes;
    return cw_cuda_note(cw_cuda_node_memory(node, CW_CUDA_NODE_FREE, address, &bytes));
}

/* Bytes used and reserved, now and at the most: graphs' memory stays, so the four are one number. */
int cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value)
{
    const uint64_t bytes = cw_cuda_graph_bytes();
    if (device != 0 || attribute < 0 || attribute > 3)
        return cw_cuda_note(device != 0 ? CW_CUDA_DEVICE : CW_CUDA_INVALID_VALUE);
    memcpy(value, &bytes, sizeof bytes);
    return CW_CUDA_OK;
}

/* The two numbers that a program may set back are those that it reads at the most. */
int cudaDeviceSetGraphMemAttribute(int device, int attribute, void *value)
{
    (void)value;
    return cw_cuda_note(device == 0 && (attribute == 1 || attribute == 3) ? CW_CUDA_OK : CW_CUDA_INVALID_VALUE);
}

int cudaDeviceGraphMemTrim(int device)
{
    return cw_cuda_note(device == 0 ? CW_CUDA_OK : CW_CUDA_DEVICE);
}

int cudaGraphAddEmptyNode(struct cw_cuda_node **node, struct cw_cuda_graph *graph, struct cw_cuda_node *const *after, size_t cnt)
{
    const struct cw_cuda_work w = {.kind = CW_CUDA_NODE_EMPTY};
    return add(node, graph, after, cnt, &w);
}

int cudaGraphAddChildGraphNode(struct cw_cuda_node **node, struct cw_cuda_graph *graph, struct cw_cuda_node *const *after, size_t cnt,
                               const struct cw_cuda_graph *child)
{
    const struct cw_cuda_work w = {.kind = CW_CUDA_NODE_CHILD, .child = child};
    return add(node, graph, after, cnt, &w);
}

int cudaGraphAddEventRecordNode(struct cw_cuda_node **node, struct cw_cuda_graph *graph, struct cw_cuda_node *const *after, size_t cnt,
                                struct cw_cuda_event *event)
{
    const struct cw_cuda_work w = {.kind = CW_CUDA_NODE_RECORD, .event = event};
    return add(node, graph, after, cnt, &w);
}

/* What is recorded has happened. */
int cudaGraphAddEventWaitNode(struct cw_cuda_node **node, struct cw_cuda_graph *graph, struct cw_cuda_node *const *after, size_t cnt,
                              struct cw_cuda_event *event)
{
    const int code = cw_cuda_event_check(event);
    return code == CW_CUDA_OK ? cudaGraphAddEmptyNode(node, graph, after, cnt) : cw_cuda_note(code);
}

int cudaGraphAddDependencies(struct cw_cuda_graph *graph, struct cw_cuda_node *const *from, struct cw_cuda_node *const *to, size_t cnt)
{
    (void)graph;
    return cw_cuda_note(cw_cuda_graph_depend(from, to, cnt));
}

int cudaGraphDestroyNode(struct cw_cuda_node *node)
{
    return cw_cuda_note(cw_cuda_node_remove(node));
}

int cudaGraphGetNodes(const struct cw_cuda_graph *graph, struct cw_cuda_node **nodes, size_t *cnt)
{
    return cw_cuda_note(cw_cuda_graph_nodes(nodes, cnt, graph, false));
}

int cudaGraphGetRootNodes(const struct cw_cuda_graph *graph, struct cw_cuda_node **nodes, size_t *cnt)
{
    return cw_cuda_note(cw_cuda_graph_nodes(nodes, cnt, graph, true));
}

int cudaGraphNodeGetType(const struct cw_cuda_node *node, int *type)
{
    *type = (int)cw_cuda_node_kind(node);
    return CW_CUDA_OK;
}

int cudaGraphKernelNodeSetParams(struct cw_cuda_node *node, const struct cudaKernelNodeParams *p)
{
    struct cw_cuda_work w;
    struct cw_cuda_launch launch;
    const int code = read_kernel(&w, &launch, p);
    return cw_cuda_note(code == CW_CUDA_OK ? cw_cuda_node_set(node, &w) : code);
}

/* Carrying out. Version 11 has five parameters, of which the last two are a buffer for words, and later ones have flags. */
int cudaGraphInstantiate(struct cw_cuda_exec **exec, const struct cw_cuda_graph *graph, unsigned long long flags)
{
    (void)flags;
    return cw_cuda_note(cw_cuda_exec_create(exec, graph));
}

int cudaGraphInstantiateWithFlags(struct cw_cuda_exec **exec, const struct cw_cuda_graph *graph, unsigned long long flags)
{
    return cudaGraphInstantiate(exec, graph, flags);
}

int cudaGraphExecDestroy(struct cw_cuda_exec *exec)
{
    return cw_cuda_note(cw_cuda_exec_destroy(exec));
}

int cudaGraphUpload(struct cw_cuda_exec *exec, struct cw_cuda_stream *stream)
{
    (void)exec;
    return cw_cuda_note(cw_cuda_stream_check(stream));
}

int cudaGraphLaunch(struct cw_cuda_exec *exec, struct cw_cuda_stream *stream)
{
    const int code = cw_cuda_stream_check(stream);
    return cw_cuda_note(code == CW_CUDA_OK ? cw_cuda_exec_run(exec, stream) : code);
}

/* result: versions before 12 have a node and a number, later ones a structure that begins with the number, which is 0 for "done". */
int cudaGraphExecUpdate(struct cw_cuda_exec *exec, const struct cw_cuda_graph *graph, void *result, int *older)
{
    const int code = cw_cuda_exec_update(exec, graph);
    if (cw_cuda_runtime_version < 12 && older != NULL)
        *older = code != CW_CUDA_OK;
    if (cw_cuda_runtime_version >= 12 && result != NULL)
        *(int *)result = code != CW_CUDA_OK;
    return cw_cuda_note(code);
}

int cudaGraphExecKernelNodeSetParams(struct cw_cuda_exec *exec, const struct cw_cuda_node *node, const struct cudaKernelNodeParams *p)
{
    return cudaGraphKernelNodeSetParams(cw_cuda_graph_twin(cw_cuda_exec_graph(exec), node), p);
}

int cudaGraphExecMemcpyNodeSetParams1D(struct cw_cuda_exec *exec, const struct cw_cuda_node *node, void *to, const void *from, size_t bytes,
                                       int kind)
{
    const struct cw_cuda_box box = line(to, from, bytes, kind);
    const struct cw_cuda_work w = {.kind = CW_CUDA_NODE_COPY, .box = &box};
    return cw_cuda_note(cw_cuda_node_set(cw_cuda_graph_twin(cw_cuda_exec_graph(exec), node), &w));
}

int cudaGraphExecMemsetNodeSetParams(struct cw_cuda_exec *exec, const struct cw_cuda_node *node, const struct cudaMemsetParams *p)
{
    const struct cw_cuda_work w = set_of(p);
    return cw_cuda_note(cw_cuda_node_set(cw_cuda_graph_twin(cw_cuda_exec_graph(exec), node), &w));
}

/* Capture */

int cudaStreamBeginCapture(struct cw_cuda_stream *stream, int mode)
{
    (void)mode;
    return cw_cuda_note(cw_cuda_capture_begin(stream));
}

int cudaStreamEndCapture(struct cw_cuda_stream *stream, struct cw_cuda_graph **graph)
{
    return cw_cuda_note(cw_cuda_capture_end(stream, graph));
}

int cudaStreamIsCapturing(struct cw_cuda_stream *stream, int *state)
{
    const int code = cw_cuda_stream_check(stream);
    *state = code == CW_CUDA_OK && cw_cuda_is_capturing(stream);
    return cw_cuda_note(code);
}

int cudaThreadExchangeStreamCaptureMode(int *mode)
{
    static _Thread_local int current;
    const int last = current;
    current = *mode;
    *mode = last;
    return CW_CUDA_OK;
}
