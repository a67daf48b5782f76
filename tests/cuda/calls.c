/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the runtime that program.c has no need of, each with an answer that CUDA's manual promises. */
#define _GNU_SOURCE
#include "program.h"

struct extent {
    size_t width, height, depth;
};
struct pitched {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct copy3d {
    void *from_array;
    size_t from_pos[3];
    struct pitched from;
    void *to_array;
    size_t to_pos[3];
    struct pitched to;
    struct extent extent;
    int kind;
};
struct config {
    struct dim3 grid, block;
    size_t shared;
    void *stream, *attributes;
    unsigned cnt;
};

extern int cudaChooseDevice(int *, const void *), cudaGetDevice(int *), cudaSetValidDevices(int *, int),
    cudaInitDevice(int, unsigned, unsigned);
extern int cudaSetDeviceFlags(unsigned), cudaGetDeviceFlags(unsigned *), cudaDeviceGetAttribute(int *, int, int);
extern int cudaDeviceSetLimit(int, size_t), cudaDeviceGetLimit(size_t *, int), cudaDeviceGetPCIBusId(char *, int, int);
extern int cudaDeviceSetCacheConfig(int), cudaDeviceGetCacheConfig(int *), cudaThreadSetCacheConfig(int);
extern int cudaDeviceSetSharedMemConfig(int), cudaDeviceGetSharedMemConfig(int *), cudaDeviceGetStreamPriorityRange(int *, int *);
extern int cudaDeviceCanAccessPeer(int *, int, int), cudaDeviceEnablePeerAccess(int, unsigned), cudaDeviceDisablePeerAccess(int);
extern int cudaDriverGetVersion(int *), cudaRuntimeGetVersion(int *), cudaProfilerStart(void), cudaProfilerStop(void);
extern int cudaThreadSynchronize(void), cudaThreadExit(void), cudaGetDeviceProperties_v2(void *, int);
extern int cudaEventCreateWithFlags(void **, unsigned), cudaEventRecordWithFlags(void *, void *, unsigned), cudaEventSynchronize(void *);
extern int cudaEventQuery(void *), cudaStreamWaitEvent(void *, void *, unsigned), cudaLaunchHostFunc(void *, void (*)(void *), void *);
extern int cudaStreamCreateWithPriority(void **, unsigned, int), cudaStreamCreateWithFlags(void **, unsigned);
extern int cudaStreamGetFlags(void *, unsigned *), cudaStreamGetId(void *, unsigned long long *), cudaStreamGetPriority(void *, int *);
extern int cudaStreamIsCapturing(void *, int *), cudaStreamQuery(void *), cudaStreamAttachMemAsync(void *, void *, size_t, unsigned);
extern int cudaStreamAddCallback(void *, void (*)(void *, int, void *), void *, unsigned);
extern int cudaMallocAsync(void **, size_t, void *), cudaFreeAsync(void *, void *), cudaHostAlloc(void **, size_t, unsigned);
extern int cudaHostGetFlags(unsigned *, void *), cudaHostGetDevicePointer(void **, void *, unsigned);
extern int cudaHostRegister(void *, size_t, unsigned), cudaHostUnregister(void *), cudaPointerGetAttributes(void *, const void *);
extern int cudaMemAdvise(const void *, size_t, int, int), cudaMemPrefetchAsync(const void *, size_t, int, void *);
extern int cudaMemcpyAsync(void *, const void *, size_t, int, void *), cudaMemcpyPeer(void *, int, const void *, int, size_t);
extern int cudaMemcpyPeerAsync(void *, int, const void *, int, size_t, void *);
extern int cudaMemcpy2DAsync(void *, size_t, const void *, size_t, size_t, size_t, int, void *);
extern int cudaMemcpyToSymbolAsync(const void *, const void *, size_t, size_t, int, void *);
extern int cudaMemcpyFromSymbolAsync(void *, const void *, size_t, size_t, int, void *);
extern int cudaMemcpy3D(const struct copy3d *), cudaMemcpy3DAsync(const struct copy3d *, void *),
    cudaMalloc3D(struct pitched *, struct extent);
extern int cudaMemset2D(void *, size_t, int, size_t, size_t), cudaMemset2DAsync(void *, size_t, int, size_t, size_t, void *);
extern int cudaMemset3D(struct pitched, int, struct extent), cudaMemset3DAsync(struct pitched, int, struct extent, void *);
extern int cudaMemsetAsync(void *, int, size_t, void *), cudaMallocPitch(void **, size_t *, size_t, size_t);
extern int cudaFuncGetName(const char **, const void *), cudaFuncGetParamInfo(const void *, size_t, size_t *, size_t *);
extern int cudaFuncSetAttribute(const void *, int, int), cudaFuncSetCacheConfig(const void *, int),
    cudaFuncSetSharedMemConfig(const void *, int);
extern int cudaGetFuncBySymbol(void **, const void *), __cudaGetKernel(void **, const void *), cudaGetKernel(void **, const void *);
extern int __cudaLaunchKernel(void *, struct dim3, struct dim3, void **, size_t, void *);
extern int cudaLaunchCooperativeKernel(const void *, struct dim3, struct dim3, void **, size_t, void *);
extern int cudaLaunchKernelExC(const struct config *, const void *, void **);
extern int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *, const void *, int, int);
extern int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *, const void *, int, size_t, unsigned);
extern const char *cudaGetErrorString(int);
extern int cudaGetDriverEntryPoint(const char *, void **, unsigned long long, int *);
extern int cudaGetDriverEntryPointByVersion(const char *, void **, unsigned, unsigned long long, int *);
extern int cudaDeviceGetDefaultMemPool(void **, int), cudaDeviceGetMemPool(void **, int), cudaDeviceSetMemPool(int, void *);
extern int cudaMemPoolCreate(void **, const void *), cudaMemPoolDestroy(void *), cudaMemPoolTrimTo(void *, size_t);
extern int cudaMemPoolSetAttribute(void *, int, void *), cudaMemPoolGetAttribute(void *, int, void *);
extern int cudaMallocFromPoolAsync(void **, size_t, void *, void *);

static void device(void)
{
    int n = 9, other = 9, list[] = {0};
    unsigned flags = 9;
    size_t limit = 0;
    char text[64];
    static char properties[2048];
    WANT(cudaChooseDevice(&n, properties), 0);
    WANT(n, 0);
    WANT(cudaGetDevice(&other), 0);
    WANT(other, 0);
    WANT(cudaSetValidDevices(list, 1), 0);
    WANT(cudaInitDevice(0, 0, 0), 0);
    WANT(cudaInitDevice(3, 0, 0), 101);
    WANT(cudaSetDeviceFlags(4), 0);
    WANT(cudaGetDeviceFlags(&flags), 0);
    WANT(flags, 4);
    WANT(cudaDeviceSetLimit(0, 4096), 0); /* the stack */
    WANT(cudaDeviceGetLimit(&limit, 0), 0);
    WANT(limit, 4096);
    WANT(cudaDeviceGetLimit(&limit, 99), 1);
    WANT(cudaDeviceGetPCIBusId(text, sizeof text, 0), 0);
    WANT(strlen(text), 12);
    WANT(cudaDeviceGetPCIBusId(text, 3, 0), 1);
    WANT(cudaDeviceSetCacheConfig(1), 0);
    WANT(cudaThreadSetCacheConfig(1), 0);
    WANT(cudaDeviceGetCacheConfig(&n), 0);
    WANT(cudaDeviceSetSharedMemConfig(1), 0);
    WANT(cudaDeviceGetSharedMemConfig(&n), 0);
    WANT(cudaDeviceGetStreamPriorityRange(&n, &other), 0);
    WANT(other <= n, 1);
    WANT(cudaDeviceCanAccessPeer(&n, 0, 1), 101);
    WANT(cudaDeviceEnablePeerAccess(1, 0), 101);
    WANT(cudaDeviceDisablePeerAccess(1), 101);
    WANT(cudaDriverGetVersion(&n), 0);
    WANT(cudaRuntimeGetVersion(&other), 0);
    WANT(n >= other && other >= 11000, 1);
    WANT(cudaProfilerStart(), 0);
    WANT(cudaProfilerStop(), 0);
    WANT(cudaGetDeviceProperties_v2(properties, 0), 0);
    WANT(strncmp(properties, "cowarp", 6), 0);
    WANT(cudaGetDeviceProperties_v2(properties, 1), 101);
    WANT(strcmp(cudaGetErrorString(101), "invalid device ordinal"), 0);
    WANT(strcmp(cudaGetErrorString(-5), "unrecognized error code"), 0);
    WANT(cudaThreadSynchronize(), 0);
}

static void called(void *data)
{
    ++*(int *)data;
}

static void called_back(void *stream, int code, void *data)
{
    WANT(code, 0);
    WANT(stream != NULL, 1);
    ++*(int *)data;
}

static void order(void)
{
    void *stream, *quiet, *event, *timed;
    unsigned flags = 9;
    unsigned long long one = 0, two = 0;
    int priority = 9, calls = 0, state = 9;
    float ms;
    WANT(cudaStreamCreateWithPriority(&stream, 1, 0), 0);
    WANT(cudaStreamCreateWithFlags(&quiet, 0), 0);
    WANT(cudaStreamCreateWithFlags(&event, 77), 1);
    WANT(cudaStreamGetFlags(stream, &flags), 0);
    WANT(flags, 1);
    WANT(cudaStreamGetPriority(stream, &priority), 0);
    WANT(priority, 0);
    WANT(cudaStreamGetId(stream, &one), 0);
    WANT(cudaStreamGetId(quiet, &two), 0);
    WANT(one != two, 1);
    WANT(cudaStreamIsCapturing(stream, &state), 0);
    WANT(state, 0);
    WANT(cudaStreamQuery(stream), 0);
    WANT(cudaLaunchHostFunc(stream, called, &calls), 0);
    WANT(cudaStreamAddCallback(stream, called_back, &calls, 0), 0);
    WANT(cudaStreamSynchronize(stream), 0);
    WANT(calls, 2);
    WANT(cudaEventCreateWithFlags(&event, 2), 0); /* without a time */
    WANT(cudaEventCreate(&timed), 0);
    WANT(cudaEventRecordWithFlags(event, stream, 0), 0);
    WANT(cudaEventRecord(timed, stream), 0);
    WANT(cudaStreamWaitEvent(quiet, event, 0), 0);
    WANT(cudaEventSynchronize(event), 0);
    WANT(cudaEventQuery(event), 0);
    WANT(cudaEventElapsedTime(&ms, timed, event), 400);
    WANT(cudaEventDestroy(event), 0);
    WANT(cudaStreamDestroy(quiet), 0);
    WANT(cudaStreamDestroy(NULL), 400);
}

static void host_memory(void)
{
    char *p = NULL, *same = NULL, own[64];
    unsigned flags = 9;
    struct {
        int type, device;
        void *on_device, *on_host;
        long more[8];
    } a;
    WANT(cudaHostAlloc((void **)&p, 64, 2), 0);
    WANT(cudaHostGetFlags(&flags, p), 0);
    WANT(cudaHostGetDevicePointer((void **)&same, p, 0), 0);
    WANT(cudaPointerGetAttributes(&a, p + 3), 0);
    WANT(a.type, 1);
    void *at = same + 4, *args[] = {&at};
    WANT(launch(&poke_stands_here, 1, 1, args), 0);
    WANT(cudaDeviceSynchronize(), 0);
    WANT(p[4], 7);
    WANT(cudaFreeHost(p), 0);
    WANT(cudaPointerGetAttributes(&a, own), 0);
    WANT(a.type, 0);
    WANT(cudaHostGetDevicePointer((void **)&same, own, 0), 1);
    WANT(cudaHostRegister(own, 0, 0), 1);
    WANT(cudaHostUnregister(own), 713);
}

/* A kernel writes into memory of the program's own, at an address of the device's, where copies and sets reach it as well. */
static void registered(void)
{
    static char own[100];
    char *device = NULL, back[2] = {0};
    unsigned flags = 9;
    WANT(cudaHostRegister(own, sizeof own, 2), 0);
    WANT(cudaHostRegister(own + 99, 1, 0), 712);
    WANT(cudaHostGetFlags(&flags, own + 99), 0);
    WANT(flags, 2);
    WANT(cudaHostGetDevicePointer((void **)&device, own, 0), 0);
    own[5] = 9;
    void *at = device + 4, *args[] = {&at};
    WANT(launch(&poke_stands_here, 1, 1, args), 0);
    WANT(cudaDeviceSynchronize(), 0);
    WANT(own[4] == 7 && own[5] == 0, 1); /* the kernel stores four bytes */
    own[8] = 3;
    WANT(cudaMemcpy(back, device + 7, 2, TO_HOST), 0);
    WANT(back[1], 3);
    WANT(cudaMemset(device + 20, 1, 4), 0);
    WANT(own[23], 1);
    WANT(cudaMemcpy(device + 24, back + 1, 1, TO_DEVICE), 0);
    WANT(own[24], 3);
    WANT(cudaHostUnregister(own + 1), 713);
    WANT(cudaHostUnregister(own), 0);
    WANT(cudaMemset(device, 1, 4), 1); /* it is gone */
    WANT(cudaHostRegister(own, sizeof own, 0), 0);
    WANT(cudaHostGetDevicePointer((void **)&device, own + 1, 0), 0);
    at = device + 3;
    WANT(launch(&poke_stands_here, 1, 1, args), 0);
    WANT(own[4], 7);
    WANT(cudaHostUnregister(own), 0);
}

static void copies(void)
{
    int from[6] = {1, 2, 3, 4, 5, 6}, back[6] = {0}, *p, *q;
    WANT(cudaMallocAsync((void **)&p, sizeof from, NULL), 0);
    WANT(cudaMalloc((void **)&q, sizeof from), 0);
    WANT(cudaMemcpyAsync(p, from, sizeof from, TO_DEVICE, NULL), 0);
    WANT(cudaMemcpyPeer(q, 0, p, 0, sizeof from), 0);
    WANT(cudaMemcpyPeer(q, 1, p, 0, sizeof from), 101);
    WANT(cudaMemsetAsync(p, 255, 8, NULL), 0);
    WANT(cudaMemcpyPeerAsync(q, 0, p, 0, 4, NULL), 0);
    WANT(cudaMemcpy2DAsync(back, 8, q, 8, 8, 3, TO_HOST, NULL), 0);
    WANT(back[0] == -1 && back[1] == 2 && back[5] == 6, 1);
    WANT(cudaMemset2DAsync(q, 8, 0, 4, 3, NULL), 0);
    WANT(cudaMemset2D(q, 8, 1, 1, 1), 0);
    WANT(cudaMemcpy(back, q, sizeof back, TO_HOST), 0);
    WANT(back[0] == 1 && back[1] == 2 && back[2] == 0 && back[3] == 4 && back[4] == 0, 1);
    WANT(cudaMemAdvise(p, 8, 1, 0), 0);
    WANT(cudaMemPrefetchAsync(p, 8, 0, NULL), 0);
    WANT(cudaStreamAttachMemAsync(NULL, p, 0, 1), 0);
    WANT(cudaMemcpyToSymbolAsync(&counter, from, 4, 0, TO_DEVICE, NULL), 0);
    WANT(cudaMemcpyFromSymbolAsync(back, &counter, 4, 0, TO_HOST, NULL), 0);
    WANT(back[0], 1);
    WANT(cudaFreeAsync(p, NULL), 0);
    WANT(cudaFree(q), 0);
}

static void boxes(void)
{
    char from[2][3][4], back[2][3][4];
    struct pitched box;
    const struct extent whole = {4, 3, 2};
    void *rows;
    size_t pitch;
    for (int i = 0; i < 24; i++)
        from[i / 12][i / 4 % 3][i % 4] = (char)i;
    WANT(cudaMalloc3D(&box, whole), 0);
    struct copy3d in = {.from = {from, 4, 4, 3}, .to = box, .extent = whole, .kind = TO_DEVICE};
    WANT(cudaMemcpy3DAsync(&in, NULL), 0);
    WANT(cudaMemset3D(box, 50, (struct extent){2, 1, 2}), 0);
    WANT(cudaMemset3DAsync(box, 60, (struct extent){1, 1, 1}, NULL), 0);
    struct copy3d out = {.from = box, .to = {back, 4, 4, 3}, .extent = whole, .kind = TO_HOST};
    WANT(cudaMemcpy3D(&out), 0);
    for (int i = 0; i < 24; i++)
        WANT(back[i / 12][i / 4 % 3][i % 4], i == 0 ? 60 : i == 1 || i == 12 || i == 13 ? 50 : i);
    in.from_array = from;
    WANT(cudaMemcpy3D(&in), 400); /* no array */
    WANT(cudaMallocPitch(&rows, &pitch, 5, 3), 0);
    WANT(pitch >= 5, 1);
}

/* Memory in the order of a stream. */
static void pools(void)
{
    void *pool = NULL, *own = NULL, *now = NULL, *p = NULL;
    uint64_t threshold = 12345, before = 0, after = 0;
    int reuse = 9;
    WANT(cudaDeviceGetDefaultMemPool(&pool, 0), 0);
    WANT(cudaDeviceGetDefaultMemPool(&pool, 1), 101);
    WANT(cudaMemPoolSetAttribute(pool, 4, &threshold), 0);
    threshold = 0;
    WANT(cudaMemPoolGetAttribute(pool, 4, &threshold), 0);
    WANT(threshold, 12345);
    WANT(cudaMemPoolGetAttribute(pool, 1, &reuse), 0);
    WANT(reuse, 1);
    WANT(cudaMemPoolGetAttribute(pool, 9, &reuse), 1);
    WANT(cudaMemPoolCreate(&own, NULL), 0);
    WANT(cudaDeviceSetMemPool(0, own), 0);
    WANT(cudaDeviceGetMemPool(&now, 0), 0);
    WANT(now == own, 1);
    WANT(cudaMemPoolGetAttribute(own, 7, &before), 0);
    WANT(cudaMallocFromPoolAsync(&p, 1000, own, NULL), 0);
    WANT(cudaMemPoolGetAttribute(own, 7, &after), 0);
    WANT(after - before, 1024);
    WANT(cudaFreeAsync(p, NULL), 0);
    WANT(cudaMemPoolTrimTo(own, 0), 0);
    WANT(cudaMemPoolDestroy(own), 0);
    WANT(cudaMemPoolDestroy(pool), 1); /* CUDA's own */
    WANT(cudaDeviceGetMemPool(&now, 0), 0);
    WANT(now == pool, 1);
}

static void kernels(void)
{
    int *out = NULL, blocks = 0, cores = 0;
    size_t offset = 9, bytes = 9;
    const char *name = "";
    void *kernel = NULL, *same = NULL, *third = NULL;
    const struct dim3 one = {1, 1, 1};
    WANT(cudaMalloc((void **)&out, 8), 0);
    void *at = out, *args[] = {&at};
    void *entry = NULL;
    int status = 9;
    WANT(cudaGetDriverEntryPoint("cuInit", &entry, 0, &status), 0);
    WANT(status == 0 && entry != NULL && ((int (*)(unsigned))(uintptr_t)entry)(1) == 1, 1);
    WANT(cudaGetDriverEntryPointByVersion("cuLaunchKernelEx", &entry, 11000, 0, &status), 0);
    WANT(status == 2 && entry == NULL, 1);
    WANT(cudaFuncGetName(&name, &poke_stands_here), 0);
    WANT(strcmp(name, "poke"), 0);
    WANT(cudaFuncGetParamInfo((const void *)(uintptr_t)add, 3, &offset, &bytes), 0);
    WANT(offset == 24 && bytes == 4, 1);
    WANT(cudaFuncGetParamInfo((const void *)(uintptr_t)add, 4, &offset, &bytes), 1);
    WANT(cudaFuncSetAttribute(&poke_stands_here, 8, 1024), 0); /* most dynamic shared memory */
    WANT(cudaFuncSetAttribute(&poke_stands_here, 8, 1 << 30), 1);
    WANT(cudaFuncSetCacheConfig(&poke_stands_here, 1), 0);
    WANT(cudaFuncSetSharedMemConfig(&poke_stands_here, 1), 0);
    WANT(__cudaGetKernel(&kernel, &poke_stands_here), 0);
    WANT(cudaGetKernel(&same, &poke_stands_here), 0);
    WANT(cudaGetFuncBySymbol(&third, &poke_stands_here), 0);
    WANT(kernel == same && same == third, 1);
    WANT(__cudaLaunchKernel(kernel, one, one, args, 0, NULL), 0);
    at = out + 1;
    const struct config c = {.grid = one, .block = one};
    WANT(cudaLaunchKernelExC(&c, &poke_stands_here, args), 0);
    int back[2] = {0};
    WANT(cudaMemcpy(back, out, 8, TO_HOST), 0);
    WANT(back[0] == 7 && back[1] == 7, 1);
    WANT(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, &poke_stands_here, 64, 0, 0), 0);
    WANT(cudaDeviceGetAttribute(&cores, 16, 0), 0);
    const struct dim3 full = {(unsigned)(blocks * cores), 1, 1}, more = {full.x + 1, 1, 1}, block = {64, 1, 1};
    WANT(cudaLaunchCooperativeKernel(&poke_stands_here, full, block, args, 0, NULL), 0);
    WANT(cudaLaunchCooperativeKernel(&poke_stands_here, more, block, args, 0, NULL), 720);
    WANT(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &poke_stands_here, 2, 64), 0);
    int with = 0, beyond = 9;
    WANT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&with, &poke_stands_here, 64, bytes), 0);
    WANT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&beyond, &poke_stands_here, 64, bytes + 256), 0);
    WANT(with >= 2 && beyond < 2, 1);
}

int main(void)
{
    device();
    order();
    host_memory();
    registered();
    copies();
    boxes();
    pools();
    kernels();
    WANT(cudaThreadExit(), 0);
    return bad != 0;
}
