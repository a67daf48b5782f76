/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: made node by node, and from what is asked of streams. What they leave is what the calls would have left, in an order of the edges. */
#include "program.h"

struct kernel_node {
    const void *function;
    struct dim3 grid, block;
    unsigned shared;
    void **args, **extra;
};
struct set_node {
    void *to;
    size_t pitch;
    unsigned value, unit;
    size_t width, height;
};
struct host_node {
    void (*call)(void *);
    void *data;
};
struct copy_node {
    void *from_array;
    size_t from_pos[3];
    struct {
        void *ptr;
        size_t pitch, xsize, ysize;
    } from;
    void *to_array;
    size_t to_pos[3];
    struct {
        void *ptr;
        size_t pitch, xsize, ysize;
    } to;
    size_t extent[3];
    int kind;
};

struct allocate_node {
    char pool[88];
    const void *access;
    size_t access_cnt, bytes;
    void *address;
};

extern int cudaGraphAddMemAllocNode(void **, void *, void *const *, size_t, struct allocate_node *);
extern int cudaGraphAddMemFreeNode(void **, void *, void *const *, size_t, void *), cudaGraphMemFreeNodeGetParams(void *, void **);
extern int cudaGraphMemAllocNodeGetParams(void *, struct allocate_node *), cudaDeviceGetGraphMemAttribute(int, int, void *);
extern int cudaDeviceSetGraphMemAttribute(int, int, void *), cudaDeviceGraphMemTrim(int), cudaFreeAsync(void *, void *);
extern int cudaStreamSetAttribute(void *, int, const void *), cudaStreamGetAttribute(void *, int, void *);
extern int cudaStreamCopyAttributes(void *, void *), cudaCtxResetPersistingL2Cache(void);
extern int cudaGraphCreate(void **, unsigned), cudaGraphDestroy(void *), cudaGraphClone(void **, void *);
extern int cudaGraphAddKernelNode(void **, void *, void *const *, size_t, const struct kernel_node *);
extern int cudaGraphAddMemcpyNode(void **, void *, void *const *, size_t, const struct copy_node *);
extern int cudaGraphAddMemcpyNode1D(void **, void *, void *const *, size_t, void *, const void *, size_t, int);
extern int cudaGraphAddMemsetNode(void **, void *, void *const *, size_t, const struct set_node *);
extern int cudaGraphAddHostNode(void **, void *, void *const *, size_t, const struct host_node *);
extern int cudaGraphAddEmptyNode(void **, void *, void *const *, size_t);
extern int cudaGraphAddChildGraphNode(void **, void *, void *const *, size_t, void *);
extern int cudaGraphAddEventRecordNode(void **, void *, void *const *, size_t, void *);
extern int cudaGraphAddEventWaitNode(void **, void *, void *const *, size_t, void *);
extern int cudaGraphAddDependencies(void *, void *const *, void *const *, size_t), cudaGraphDestroyNode(void *);
extern int cudaGraphGetNodes(void *, void **, size_t *), cudaGraphGetRootNodes(void *, void **, size_t *);
extern int cudaGraphNodeGetType(void *, int *), cudaGraphKernelNodeSetParams(void *, const struct kernel_node *);
extern int cudaGraphInstantiate(void **, void *, unsigned long long), cudaGraphInstantiateWithFlags(void **, void *, unsigned long long);
extern int cudaGraphExecDestroy(void *), cudaGraphUpload(void *, void *), cudaGraphLaunch(void *, void *);
extern int cudaGraphExecUpdate(void *, void *, void *), cudaGraphExecKernelNodeSetParams(void *, void *, const struct kernel_node *);
extern int cudaGraphExecMemcpyNodeSetParams1D(void *, void *, void *, const void *, size_t, int);
extern int cudaGraphExecMemsetNodeSetParams(void *, void *, const struct set_node *);
extern int cudaStreamBeginCapture(void *, int), cudaStreamEndCapture(void *, void **), cudaStreamIsCapturing(void *, int *);
extern int cudaThreadExchangeStreamCaptureMode(int *), cudaMemcpyAsync(void *, const void *, size_t, int, void *);
extern int cudaMemsetAsync(void *, int, size_t, void *), cudaLaunchHostFunc(void *, void (*)(void *), void *);
extern int cudaStreamWaitEvent(void *, void *, unsigned), cudaMallocAsync(void **, size_t, void *);
extern int cudaMemcpyToSymbolAsync(const void *, const void *, size_t, size_t, int, void *);

static int *device; /* four words */
static int back[4];

static void read_back(void)
{
    WANT(cudaMemcpy(back, device, sizeof back, TO_HOST), 0);
}

/* Doubles the first word that the host has. */
static void twice(void *data)
{
    *(int *)data *= 2;
}

/* set -> kernel -> copy to the host -> host -> copy to the device; added in the reverse order, and put in order by edges. */
static void by_nodes(void)
{
    void *g = NULL, *exec = NULL, *nodes[5] = {NULL}, *found[9] = {NULL}, *stream = NULL;
    static int host[4];
    int *at = device + 1, type = 9;
    size_t cnt = 9;
    void *args[] = {&at};
    const struct kernel_node poke = {.function = &poke_stands_here, .grid = {1, 1, 1}, .block = {1, 1, 1}, .args = args};
    struct set_node set = {.to = device, .pitch = 16, .value = 3, .unit = 4, .width = 4, .height = 1};
    const struct host_node call = {twice, &host[1]};
    const struct copy_node copy = {.from = {device, 16, 16, 1}, .to = {host, 16, 16, 1}, .extent = {16, 1, 1}, .kind = TO_HOST};
    WANT(launch(&poke_stands_here, 1, 1, args), 0); /* now, as a node does it later */
    WANT(cudaGraphCreate(&g, 1), 1);
    WANT(cudaGraphCreate(&g, 0), 0);
    WANT(cudaGraphAddMemcpyNode1D(&nodes[4], g, NULL, 0, device, host, 16, TO_DEVICE), 0);
    WANT(cudaGraphAddHostNode(&nodes[3], g, NULL, 0, &call), 0);
    WANT(cudaGraphAddMemcpyNode(&nodes[2], g, NULL, 0, &copy), 0);
    WANT(cudaGraphAddKernelNode(&nodes[1], g, NULL, 0, &poke), 0);
    at = NULL; /* the node has its own copy */
    WANT(cudaGraphAddMemsetNode(&nodes[0], g, NULL, 0, &set), 0);
    WANT(cudaGraphAddDependencies(g, nodes, nodes + 1, 4), 0);
    WANT(cudaGraphGetNodes(g, NULL, &cnt), 0);
    WANT(cnt, 5);
    cnt = 9;
    WANT(cudaGraphGetRootNodes(g, found, &cnt), 0);
    WANT(cnt == 1 && found[0] == nodes[0], 1);
    WANT(cudaGraphNodeGetType(nodes[1], &type), 0);
    WANT(type, 0);
    WANT(cudaGraphInstantiate(&exec, g, 0), 0);
    WANT(cudaStreamCreate(&stream), 0);
    WANT(cudaGraphUpload(exec, stream), 0);
    WANT(cudaGraphLaunch(exec, stream), 0);
    read_back();
    WANT(back[0] == 3 && back[1] == 14 && back[2] == 3 && back[3] == 3, 1); /* twice 7 */
    set.value = 5;
    WANT(cudaGraphExecMemsetNodeSetParams(exec, nodes[0], &set), 0);
    WANT(cudaGraphExecMemcpyNodeSetParams1D(exec, nodes[4], device, host, 8, TO_DEVICE), 0);
    WANT(cudaGraphExecMemsetNodeSetParams(exec, nodes[1], &set), 1); /* another kind */
    int *last = device + 3;
    args[0] = &last;
    WANT(cudaGraphExecKernelNodeSetParams(exec, nodes[1], &poke), 0);
    WANT(cudaGraphLaunch(exec, NULL), 0);
    read_back();
    WANT(back[0] == 5 && back[1] == 10 && back[2] == 5 && back[3] == 7, 1);
    WANT(cudaGraphAddDependencies(g, &nodes[4], &nodes[0], 1), 0);
    void *circle = NULL;
    WANT(cudaGraphInstantiate(&circle, g, 0), 1);
    WANT(cudaGraphDestroyNode(nodes[4]), 0);
    WANT(cudaGraphKernelNodeSetParams(nodes[1], &poke), 0);
    int result[4] = {9};
    WANT(cudaGraphExecUpdate(exec, g, result), 0);
    WANT(result[0], 0);
    WANT(cudaGraphLaunch(exec, stream), 0);
    read_back();
    WANT(back[1] == 3 && back[3] == 7, 1);
    WANT(cudaGraphExecDestroy(exec), 0);
    WANT(cudaGraphDestroy(g), 0);
    WANT(cudaStreamDestroy(stream), 0);
}

static void children(void)
{
    void *g = NULL, *inner = NULL, *clone = NULL, *exec = NULL, *n = NULL, *event = NULL, *begin = NULL;
    float ms = -1;
    int value = 1;
    const struct set_node set = {.to = device, .pitch = 4, .value = 8, .unit = 4, .width = 1, .height = 1};
    WANT(cudaEventCreate(&begin), 0);
    WANT(cudaEventCreate(&event), 0);
    WANT(cudaEventRecord(begin, NULL), 0);
    WANT(cudaGraphCreate(&inner, 0), 0);
    WANT(cudaGraphAddMemsetNode(&n, inner, NULL, 0, &set), 0);
    WANT(cudaGraphCreate(&g, 0), 0);
    WANT(cudaGraphAddEmptyNode(&n, g, NULL, 0), 0);
    WANT(cudaGraphAddChildGraphNode(&n, g, &n, 1, inner), 0);
    WANT(cudaGraphDestroy(inner), 0); /* the node has a copy */
    WANT(cudaGraphAddEventRecordNode(&n, g, &n, 1, event), 0);
    WANT(cudaGraphAddEventWaitNode(&n, g, &n, 1, event), 0);
    const struct host_node call = {twice, &value};
    WANT(cudaGraphAddHostNode(&n, g, &n, 1, &call), 0);
    WANT(cudaGraphClone(&clone, g), 0);
    WANT(cudaGraphDestroy(g), 0);
    WANT(cudaGraphInstantiateWithFlags(&exec, clone, 0), 0);
    WANT(cudaMemset(device, 0, 16), 0);
    WANT(cudaGraphLaunch(exec, NULL), 0);
    WANT(cudaGraphLaunch(exec, NULL), 0);
    read_back();
    WANT(back[0] == 8 && value == 4, 1);
    WANT(cudaEventElapsedTime(&ms, begin, event), 0);
    WANT(cudaGraphExecDestroy(exec), 0);
    WANT(cudaGraphDestroy(clone), 0);
}

/* The calls of two streams, of which the second joins by an event; nothing happens until the graph is launched. */
static void by_capture(void)
{
    void *one = NULL, *two = NULL, *fork = NULL, *join = NULL, *g = NULL, *exec = NULL, *p = NULL;
    static int source[2] = {4, 5}, value = 3;
    int capturing = 9, mode = 2;
    int *at = device + 2;
    float three = 3, now = 0;
    void *args[] = {&at};
    WANT(cudaThreadExchangeStreamCaptureMode(&mode), 0);
    WANT(mode, 0);
    WANT(cudaStreamCreate(&one), 0);
    WANT(cudaStreamCreate(&two), 0);
    WANT(cudaEventCreate(&fork), 0);
    WANT(cudaEventCreate(&join), 0);
    WANT(cudaMemset(device, 0, 16), 0);
    WANT(cudaStreamBeginCapture(NULL, 0), 900); /* the default stream cannot be */
    WANT(cudaStreamBeginCapture(one, 0), 0);
    WANT(cudaStreamIsCapturing(one, &capturing), 0);
    WANT(capturing, 1);
    WANT(cudaMemcpyAsync(device, source, 4, TO_DEVICE, one), 0);
    WANT(cudaEventRecord(fork, one), 0);
    WANT(cudaStreamWaitEvent(two, fork, 0), 0);
    WANT(cudaStreamIsCapturing(two, &capturing), 0);
    WANT(capturing, 1);
    WANT(cudaMemsetAsync(device + 1, 1, 4, two), 0);
    WANT(cudaEventRecord(join, two), 0);
    WANT(cudaLaunchKernel(&poke_stands_here, (struct dim3){1, 1, 1}, (struct dim3){1, 1, 1}, args, 0, one), 0);
    WANT(cudaLaunchHostFunc(one, twice, &value), 0);
    WANT(cudaMemcpyToSymbolAsync(&scale, &three, 4, 0, TO_DEVICE, one), 0);
    WANT(cudaStreamWaitEvent(one, join, 0), 0);
    WANT(cudaStreamSynchronize(one), 900);
    WANT(cudaMallocAsync(&p, 4, one), 0); /* nodes, and the address is there */
    WANT(p != NULL, 1);
    WANT(cudaFreeAsync(p, one), 0);
    WANT(cudaStreamEndCapture(two, &g), 1); /* it has not begun there */
    WANT(cudaStreamEndCapture(one, &g), 0);
    WANT(cudaStreamIsCapturing(two, &capturing), 0);
    WANT(capturing, 0);
    read_back();
    WANT(back[0], 0);
    WANT(back[1], 0);
    WANT(back[2], 0);
    WANT(value, 3);
    WANT(cudaGraphInstantiate(&exec, g, 0), 0);
    WANT(cudaGraphDestroy(g), 0);
    source[0] = 6; /* copies read what is there when they are carried out */
    WANT(cudaGraphLaunch(exec, one), 0);
    read_back();
    WANT(back[0], 6);
    WANT(back[1], 0x01010101);
    WANT(back[2], 7);
    WANT(value, 6);
    WANT(cudaMemcpyFromSymbol(&now, &scale, 4, 0, TO_HOST), 0);
    WANT(now == 3, 1);
    WANT(cudaStreamBeginCapture(two, 0), 0); /* a graph in a graph */
    WANT(cudaGraphLaunch(exec, two), 0);
    WANT(cudaStreamEndCapture(two, &g), 0);
    WANT(value, 6);
    WANT(cudaGraphExecDestroy(exec), 0);
    WANT(cudaGraphInstantiate(&exec, g, 0), 0);
    WANT(cudaGraphLaunch(exec, two), 0);
    WANT(value, 12);
    WANT(cudaGraphExecDestroy(exec), 0);
    WANT(cudaGraphDestroy(g), 0);
    WANT(cudaStreamDestroy(one), 0);
    WANT(cudaStreamDestroy(two), 0);
}

/* Memory of a graph: its address is known from the node on, and each run of the graph has it, whoever has given it back meanwhile. */
static void memory(void)
{
    void *g, *exec, *allocate, *poke, *copy, *give, *p;
    struct allocate_node node = {.bytes = 4}, asked;
    int got = 0, type = 0;
    unsigned long long used = 0;
    WANT(cudaGraphCreate(&g, 0), 0);
    WANT(cudaGraphAddMemAllocNode(&allocate, g, NULL, 0, &node), 0);
    void *args[] = {&node.address};
    const struct kernel_node kernel = {.function = &poke_stands_here, .grid = {1, 1, 1}, .block = {1, 1, 1}, .args = args};
    WANT(cudaGraphAddKernelNode(&poke, g, &allocate, 1, &kernel), 0);
    WANT(cudaGraphAddMemcpyNode1D(&copy, g, &poke, 1, &got, node.address, 4, TO_HOST), 0);
    WANT(cudaGraphAddMemFreeNode(&give, g, &copy, 1, node.address), 0);
    WANT(cudaGraphMemAllocNodeGetParams(allocate, &asked), 0);
    WANT(asked.address == node.address && asked.bytes == 4, 1);
    WANT(cudaGraphMemFreeNodeGetParams(give, &p), 0);
    WANT(p == node.address, 1);
    WANT(cudaGraphMemFreeNodeGetParams(allocate, &p), 1);
    WANT(cudaGraphNodeGetType(allocate, &type), 0);
    WANT(type, 10);
    WANT(cudaGraphNodeGetType(give, &type), 0);
    WANT(type, 11);
    WANT(cudaGraphInstantiate(&exec, g, 0), 0);
    for (int i = 0; i < 2; i++) {
        got = 0;
        WANT(cudaGraphLaunch(exec, NULL), 0);
        WANT(cudaDeviceSynchronize(), 0);
        WANT(got, 7);
        WANT(i == 0 ? cudaFree(node.address) : 0, 0);
    }
    WANT(cudaDeviceGetGraphMemAttribute(0, 0, &used), 0);
    WANT(used >= 4, 1);
    WANT(cudaDeviceSetGraphMemAttribute(0, 1, &used), 0);
    WANT(cudaDeviceSetGraphMemAttribute(0, 0, &used), 1); /* what there is now is not the program's to say */
    WANT(cudaDeviceGraphMemTrim(0), 0);
    WANT(cudaDeviceGraphMemTrim(1), 101);
    WANT(cudaGraphExecDestroy(exec), 0);
    WANT(cudaGraphDestroy(g), 0);
}

/* Wishes for a stream are remembered. */
static void wishes(void)
{
    int policy[16] = {2}, got[16] = {0};
    void *one, *two;
    WANT(cudaStreamCreate(&one), 0);
    WANT(cudaStreamCreate(&two), 0);
    WANT(cudaStreamSetAttribute(one, 3, policy), 0);
    WANT(cudaStreamCopyAttributes(two, one), 0);
    WANT(cudaStreamGetAttribute(two, 3, got), 0);
    WANT(got[0], 2);
    WANT(cudaStreamSetAttribute(one, 99, policy), 1);
    WANT(cudaCtxResetPersistingL2Cache(), 0);
    WANT(cudaStreamDestroy(one), 0);
    WANT(cudaStreamDestroy(two), 0);
}

int main(void)
{
    WANT(cudaMalloc((void **)&device, 64), 0);
    by_nodes();
    children();
    by_capture();
    memory();
    wishes();
    return bad != 0;
}
