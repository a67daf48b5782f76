/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver API, as a compiler such as Numba's or Triton's calls it: PTX text from a file (the first argument), without a runtime. Each
 * function is called once at least, with an answer that CUDA's manual promises.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef void *handle;

extern int cuInit(unsigned), cuDriverGetVersion(int *), cuProfilerStart(void), cuProfilerStop(void);
extern int cuGetErrorName(int, const char **), cuGetErrorString(int, const char **);
extern int cuGetProcAddress(const char *, void **, int, uint64_t), cuGetProcAddress_v2(const char *, void **, int, uint64_t, int *);
extern int cuDeviceGet(int *, int), cuDeviceGetCount(int *), cuDeviceGetName(char *, int, int), cuDeviceGetUuid(char *, int);
extern int cuDeviceGetUuid_v2(char *, int), cuDeviceTotalMem_v2(size_t *, int), cuDeviceGetAttribute(int *, int, int);
extern int cuDeviceComputeCapability(int *, int *, int), cuDeviceGetPCIBusId(char *, int, int), cuDeviceGetByPCIBusId(int *, const char *);
extern int cuDeviceCanAccessPeer(int *, int, int), cuDevicePrimaryCtxRetain(handle *, int), cuDevicePrimaryCtxRelease_v2(int);
extern int cuDevicePrimaryCtxSetFlags_v2(int, unsigned), cuDevicePrimaryCtxGetState(int, unsigned *, int *),
    cuDevicePrimaryCtxReset_v2(int);
extern int cuCtxCreate_v2(handle *, unsigned, int), cuCtxCreate_v3(handle *, void *, int, unsigned, int);
extern int cuCtxCreate_v4(handle *, void *, unsigned, int), cuCtxDestroy_v2(handle), cuCtxPushCurrent_v2(handle);
extern int cuCtxPopCurrent_v2(handle *), cuCtxSetCurrent(handle), cuCtxGetCurrent(handle *), cuCtxGetDevice(int *),
    cuCtxGetDevice_v2(int *, handle), cuCtxGetFlags(unsigned *);
extern int cuCtxGetId(handle, unsigned long long *), cuCtxGetApiVersion(handle, unsigned *), cuCtxSynchronize(void);
extern int cuCtxSynchronize_v2(handle), cuCtxGetStreamPriorityRange(int *, int *), cuCtxSetCacheConfig(int), cuCtxGetCacheConfig(int *);
extern int cuCtxSetSharedMemConfig(int), cuCtxGetSharedMemConfig(int *), cuCtxSetLimit(int, size_t), cuCtxGetLimit(size_t *, int);
extern int cuModuleLoadDataEx(handle *, const void *, unsigned, const int *, void **), cuModuleLoadData(handle *, const void *);
extern int cuModuleLoadFatBinary(handle *, const void *), cuModuleLoad(handle *, const char *), cuModuleUnload(handle);
extern int cuModuleGetLoadingMode(int *), cuModuleGetFunction(handle *, handle, const char *), cuModuleGetFunctionCount(unsigned *, handle);
extern int cuModuleEnumerateFunctions(handle *, unsigned, handle), cuModuleGetGlobal_v2(uint64_t *, size_t *, handle, const char *);
extern int cuLibraryLoadData(handle *, const void *, const int *, void **, unsigned, const int *, void **, unsigned);
extern int cuLibraryLoadFromFile(handle *, const char *, const int *, void **, unsigned, const int *, void **, unsigned);
extern int cuLibraryUnload(handle), cuLibraryGetModule(handle *, handle), cuLibraryGetKernel(handle *, handle, const char *);
extern int cuLibraryGetKernelCount(unsigned *, handle), cuLibraryEnumerateKernels(handle *, unsigned, handle);
extern int cuLibraryGetGlobal(uint64_t *, size_t *, handle, const char *), cuKernelGetFunction(handle *, handle);
extern int cuKernelGetLibrary(handle *, handle), cuLinkCreate_v2(unsigned, const int *, void **, handle *), cuLinkDestroy(handle);
extern int cuLinkAddData_v2(handle, int, const void *, size_t, const char *, unsigned, const int *, void **);
extern int cuLinkAddFile_v2(handle, int, const char *, unsigned, const int *, void **), cuLinkComplete(handle, void **, size_t *);
extern int cuLaunchKernel(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void **, void **);
extern int cuLaunchCooperativeKernel(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void **);
extern int cuLaunchKernelEx(const void *, handle, void **, void **), cuLaunchHostFunc(handle, void (*)(void *), void *);
extern int cuFuncGetAttribute(int *, int, handle), cuFuncSetAttribute(handle, int, int), cuKernelGetAttribute(int *, int, handle, int);
extern int cuKernelSetAttribute(int, int, handle, int), cuFuncSetCacheConfig(handle, int), cuFuncSetSharedMemConfig(handle, int);
extern int cuKernelSetCacheConfig(handle, int, int), cuFuncGetName(const char **, handle), cuKernelGetName(const char **, handle);
extern int cuFuncGetModule(handle *, handle), cuFuncGetParamInfo(handle, size_t, size_t *, size_t *);
extern int cuKernelGetParamInfo(handle, size_t, size_t *, size_t *), cuFuncIsLoaded(int *, handle), cuFuncLoad(handle);
extern int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *, handle, int, size_t);
extern int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *, handle, int, size_t, unsigned);
extern int cuOccupancyMaxPotentialBlockSize(int *, int *, handle, size_t (*)(int), size_t, int);
extern int cuOccupancyMaxPotentialBlockSizeWithFlags(int *, int *, handle, size_t (*)(int), size_t, int, unsigned);
extern int cuOccupancyAvailableDynamicSMemPerBlock(size_t *, handle, int, int);
extern int cuMemAlloc_v2(uint64_t *, size_t), cuMemAllocManaged(uint64_t *, size_t, unsigned), cuMemAllocAsync(uint64_t *, size_t, handle);
extern int cuMemAllocPitch_v2(uint64_t *, size_t *, size_t, size_t, unsigned), cuMemFree_v2(uint64_t), cuMemFreeAsync(uint64_t, handle);
extern int cuMemHostAlloc(void **, size_t, unsigned), cuMemAllocHost_v2(void **, size_t), cuMemFreeHost(void *);
extern int cuMemHostRegister_v2(void *, size_t, unsigned), cuMemHostUnregister(void *);
extern int cuMemHostGetDevicePointer_v2(uint64_t *, void *, unsigned), cuMemHostGetFlags(unsigned *, void *);
extern int cuMemGetInfo_v2(size_t *, size_t *), cuMemGetAddressRange_v2(uint64_t *, size_t *, uint64_t);
extern int cuDeviceGetDefaultMemPool(handle *, int), cuDeviceGetMemPool(handle *, int), cuDeviceSetMemPool(int, handle);
extern int cuMemPoolCreate(handle *, const void *), cuMemPoolDestroy(handle), cuMemPoolTrimTo(handle, size_t);
extern int cuMemPoolSetAttribute(handle, int, void *), cuMemPoolGetAttribute(handle, int, void *);
extern int cuMemAllocFromPoolAsync(uint64_t *, size_t, handle, handle);
extern int cuArrayCreate_v2(handle *, const void *), cuArray3DCreate_v2(handle *, const void *), cuArrayDestroy(handle);
extern int cuArrayGetDescriptor_v2(void *, handle), cuArray3DGetDescriptor_v2(void *, handle);
extern int cuMemcpyHtoA_v2(handle, size_t, const void *, size_t), cuMemcpyHtoAAsync_v2(handle, size_t, const void *, size_t, handle);
extern int cuMemcpyAtoH_v2(void *, handle, size_t, size_t), cuMemcpyAtoHAsync_v2(void *, handle, size_t, size_t, handle);
extern int cuMemcpyDtoA_v2(handle, size_t, uint64_t, size_t), cuMemcpyAtoD_v2(uint64_t, handle, size_t, size_t);
extern int cuTexObjectCreate(uint64_t *, const void *, const void *, const void *), cuTexObjectDestroy(uint64_t);
extern int cuTexObjectGetResourceDesc(void *, uint64_t), cuSurfObjectCreate(uint64_t *, const void *), cuSurfObjectDestroy(uint64_t);
struct location {
    int kind, number;
};
extern int cuMemAdvise(uint64_t, size_t, int, int), cuMemAdvise_v2(uint64_t, size_t, int, struct location);
extern int cuMemPrefetchAsync(uint64_t, size_t, int, handle), cuMemPrefetchAsync_v2(uint64_t, size_t, struct location, unsigned, handle);
extern int cuPointerGetAttribute(void *, int, uint64_t), cuPointerGetAttributes(unsigned, const int *, void **, uint64_t);
extern int cuMemcpy(uint64_t, uint64_t, size_t), cuMemcpyAsync(uint64_t, uint64_t, size_t, handle);
extern int cuMemcpyHtoD_v2(uint64_t, const void *, size_t), cuMemcpyHtoDAsync_v2(uint64_t, const void *, size_t, handle);
extern int cuMemcpyDtoH_v2(void *, uint64_t, size_t), cuMemcpyDtoHAsync_v2(void *, uint64_t, size_t, handle);
extern int cuMemcpyDtoD_v2(uint64_t, uint64_t, size_t), cuMemcpyDtoDAsync_v2(uint64_t, uint64_t, size_t, handle);
extern int cuMemcpyPeer(uint64_t, handle, uint64_t, handle, size_t), cuMemcpyPeerAsync(uint64_t, handle, uint64_t, handle, size_t, handle);
extern int cuMemcpy2D_v2(const void *), cuMemcpy2DAsync_v2(const void *, handle), cuMemcpy2DUnaligned_v2(const void *);
extern int cuMemcpy3D_v2(const void *), cuMemcpy3DAsync_v2(const void *, handle);
extern int cuMemsetD8_v2(uint64_t, unsigned char, size_t), cuMemsetD16_v2(uint64_t, unsigned short, size_t);
extern int cuMemsetD32_v2(uint64_t, unsigned, size_t), cuMemsetD8Async(uint64_t, unsigned char, size_t, handle);
extern int cuMemsetD16Async(uint64_t, unsigned short, size_t, handle), cuMemsetD32Async(uint64_t, unsigned, size_t, handle);
extern int cuMemsetD2D8_v2(uint64_t, size_t, unsigned char, size_t, size_t),
    cuMemsetD2D16_v2(uint64_t, size_t, unsigned short, size_t, size_t);
extern int cuMemsetD2D32_v2(uint64_t, size_t, unsigned, size_t, size_t);
extern int cuMemsetD2D8Async(uint64_t, size_t, unsigned char, size_t, size_t, handle);
extern int cuMemsetD2D16Async(uint64_t, size_t, unsigned short, size_t, size_t, handle);
extern int cuMemsetD2D32Async(uint64_t, size_t, unsigned, size_t, size_t, handle);
extern int cuStreamCreate(handle *, unsigned), cuStreamCreateWithPriority(handle *, unsigned, int), cuStreamDestroy_v2(handle);
extern int cuStreamSynchronize(handle), cuStreamQuery(handle), cuStreamWaitEvent(handle, handle, unsigned);
extern int cuStreamGetFlags(handle, unsigned *), cuStreamGetPriority(handle, int *), cuStreamGetId(handle, unsigned long long *);
extern int cuStreamGetCtx(handle, handle *), cuStreamGetDevice(handle, int *), cuStreamIsCapturing(handle, int *);
extern int cuStreamAddCallback(handle, void (*)(handle, int, void *), void *, unsigned);
extern int cuStreamAttachMemAsync(handle, uint64_t, size_t, unsigned), cuEventCreate(handle *, unsigned), cuEventDestroy_v2(handle);
extern int cuEventRecord(handle, handle), cuEventRecordWithFlags(handle, handle, unsigned), cuEventQuery(handle),
    cuEventSynchronize(handle);
extern int cuEventElapsedTime(float *, handle, handle), cuEventElapsedTime_v2(float *, handle, handle);

static const char *error_name(int code)
{
    const char *name = NULL;
    cuGetErrorName(code, &name);
    return name != NULL ? name : "";
}
#include "want.h"

__asm__(".section .rodata\n.align 8\nfatbin:\n.incbin \"" FATBIN "\"\n.previous\n");
extern const char fatbin[];

static char *text; /* of the file */
static size_t text_bytes;
static const char *path;

static void read_text(const char *name)
{
    FILE *file = fopen(name, "rb");
    path = name;
    text = calloc(1, 100000);
    text_bytes = file != NULL && text != NULL ? fread(text, 1, 99999, file) : 0;
    if (file != NULL)
        fclose(file);
}

static void before_a_context(void)
{
    uint64_t p = 0;
    int n = 9, version = 0, status = 9;
    const char *words = NULL;
    void *function = NULL, *other = NULL;
    WANT(cuDeviceGetCount(&n), 3);
    WANT(cuInit(1), 1);
    WANT(cuInit(0), 0);
    WANT(cuDriverGetVersion(&version), 0);
    WANT(version >= 11000, 1);
    WANT(cuMemAlloc_v2(&p, 4), 201);
    WANT(cuGetErrorString(201, &words), 0);
    WANT(strcmp(words, "invalid device context"), 0);
    WANT(cuGetErrorName(201, &words), 0);
    WANT(strcmp(words, "CUDA_ERROR_INVALID_CONTEXT"), 0);
    WANT(cuGetErrorName(12345, &words), 1);
    WANT(cuGetProcAddress_v2("cuMemAlloc", &function, 12000, 0, &status), 0);
    WANT(function == (void *)(uintptr_t)cuMemAlloc_v2 && status == 0, 1);
    WANT(cuGetProcAddress_v2("cuCtxCreate", &function, 12000, 0, NULL), 0);
    WANT(cuGetProcAddress_v2("cuCtxCreate", &other, 13000, 0, NULL), 0);
    WANT(function == (void *)(uintptr_t)cuCtxCreate_v3 && other == (void *)(uintptr_t)cuCtxCreate_v4, 1);
    WANT(cuGetProcAddress("cuLaunchKernelEx", &function, 11060, 0), 0);
    WANT(cuGetProcAddress_v2("cuLaunchKernelEx", &function, 11050, 0, &status), 500);
    WANT(status, 2);
    WANT(cuGetProcAddress_v2("cuNothing", &function, 13000, 0, &status), 500);
    WANT(status, 1);
}

static void device(void)
{
    int device = 9, n = 0, major = 0, minor = 9, can = 9;
    char name[64], id[16], again[16], bus[16];
    size_t bytes = 0;
    WANT(cuDeviceGet(&device, 0), 0);
    WANT(cuDeviceGet(&n, 1), 101);
    WANT(cuDeviceGetCount(&n), 0);
    WANT(n, 1);
    WANT(cuDeviceGetName(name, 8, device), 0);
    WANT(strcmp(name, "cowarp "), 0);
    WANT(cuDeviceGetUuid(id, device), 0);
    WANT(cuDeviceGetUuid_v2(again, device), 0);
    WANT(memcmp(id, again, 16), 0);
    WANT(cuDeviceTotalMem_v2(&bytes, device), 0);
    WANT(bytes > 1u << 20, 1);
    WANT(cuDeviceGetAttribute(&n, 10, device), 0);
    WANT(n, 32);
    WANT(cuDeviceGetAttribute(&n, 1000, device), 1);
    WANT(cuDeviceComputeCapability(&major, &minor, device), 0);
    WANT(major >= 7, 1);
    WANT(cuDeviceGetPCIBusId(bus, sizeof bus, device), 0);
    WANT(cuDeviceGetPCIBusId(bus, 3, device), 1);
    WANT(cuDeviceGetByPCIBusId(&device, bus), 0);
    WANT(cuDeviceGetByPCIBusId(&device, "1"), 101);
    WANT(cuDeviceCanAccessPeer(&can, 0, 0), 0);
    WANT(can, 0);
}

static void contexts(void)
{
    handle first = NULL, second = NULL, third = NULL, current = NULL, primary = NULL;
    unsigned flags = 9, version = 0;
    unsigned long long one = 0, two = 0;
    int active = 9, device = 9;
    WANT(cuCtxCreate_v2(&first, 4, 0), 0);
    WANT(cuCtxCreate_v3(&second, NULL, 0, 0, 0), 0);
    WANT(cuCtxCreate_v4(&third, NULL, 0, 1), 101);
    WANT(cuCtxCreate_v4(&third, NULL, 0, 0), 0);
    WANT(cuCtxGetCurrent(&current), 0);
    WANT(current == third, 1);
    WANT(cuCtxDestroy_v2(third), 0);
    WANT(cuCtxPopCurrent_v2(&current), 0);
    WANT(current == second, 1);
    WANT(cuCtxPushCurrent_v2(second), 0);
    WANT(cuCtxSetCurrent(first), 0);
    WANT(cuCtxGetFlags(&flags), 0);
    WANT(flags, 4);
    WANT(cuCtxGetId(first, &one), 0);
    WANT(cuCtxGetId(second, &two), 0);
    WANT(one != two, 1);
    WANT(cuCtxGetApiVersion(first, &version), 0);
    WANT(version, 3020);
    WANT(cuCtxGetDevice(&device), 0);
    WANT(device, 0);
    device = 9;
    WANT(cuCtxGetDevice_v2(&device, first), 0);
    WANT(device, 0);
    WANT(cuCtxDestroy_v2(second), 0);
    WANT(cuDevicePrimaryCtxRelease_v2(0), 201); /* nobody has it */
    WANT(cuDevicePrimaryCtxSetFlags_v2(0, 2), 0);
    WANT(cuDevicePrimaryCtxRetain(&primary, 0), 0);
    WANT(cuDevicePrimaryCtxGetState(0, &flags, &active), 0);
    WANT(flags == 2 && active == 1, 1);
    WANT(cuCtxDestroy_v2(primary), 201);
    WANT(cuDevicePrimaryCtxRelease_v2(0), 0);
    WANT(cuDevicePrimaryCtxReset_v2(0), 0);
    WANT(cuCtxSetCurrent(NULL), 0);
    WANT(cuCtxPopCurrent_v2(NULL), 0); /* `first`, from before it was set once more */
    WANT(cuCtxSynchronize(), 201);
    WANT(cuCtxPushCurrent_v2(primary), 0);
    WANT(cuCtxSynchronize(), 0);
    WANT(cuCtxSynchronize_v2(primary), 0);
}

static void preferences(void)
{
    int least = 9, greatest = 9, config = 9;
    size_t value = 0;
    WANT(cuCtxGetStreamPriorityRange(&least, &greatest), 0);
    WANT(least == 0 && greatest == 0, 1);
    WANT(cuCtxSetCacheConfig(1), 0);
    WANT(cuCtxGetCacheConfig(&config), 0);
    WANT(cuCtxSetSharedMemConfig(1), 0);
    WANT(cuCtxGetSharedMemConfig(&config), 0);
    WANT(cuCtxSetLimit(2, 12345), 0);
    WANT(cuCtxGetLimit(&value, 2), 0);
    WANT(value, 12345);
    WANT(cuCtxSetLimit(99, 1), 1);
    WANT(cuProfilerStart(), 0);
    WANT(cuProfilerStop(), 0);
}

static handle module, add, poke, take;

static void modules(void)
{
    handle other = NULL, found = NULL, all[8] = {NULL};
    char log[200] = "x";
    const int options[] = {5, 6}; /* a buffer for errors, and its size */
    void *values[] = {log, (void *)sizeof log};
    unsigned n = 0;
    int mode = 0;
    WANT(cuModuleLoadDataEx(&module, "this is no PTX", 2, options, values), 218);
    WANT(strstr(log, ":1:") != NULL || strstr(log, ":1 ") != NULL || strstr(log, ".ptx:1") != NULL, 1);
    WANT((uintptr_t)values[1], strlen(log));
    WANT(cuModuleLoadDataEx(&module, text, 0, NULL, NULL), 0);
    WANT(cuModuleLoadData(&other, text), 0);
    WANT(cuModuleUnload(other), 0);
    WANT(cuModuleGetFunction(&found, other, "add"), 400);
    WANT(cuModuleLoadFatBinary(&other, fatbin), 0);
    WANT(cuModuleGetFunction(&found, other, "add"), 0);
    WANT(cuModuleLoad(&other, "nowhere"), 301);
    WANT(cuModuleLoad(&other, path), 0);
    WANT(cuModuleGetLoadingMode(&mode), 0);
    WANT(cuModuleGetFunction(&add, module, "add"), 0);
    WANT(cuModuleGetFunction(&poke, module, "poke"), 0);
    WANT(cuModuleGetFunction(&take, module, "take"), 0);
    WANT(cuModuleGetFunction(&found, module, "gone"), 500);
    WANT(cuModuleGetFunctionCount(&n, module), 0);
    WANT(n, 3);
    WANT(cuModuleEnumerateFunctions(all, 8, module), 0);
    WANT(all[0] == add && all[2] == take && all[3] == NULL, 1);
}

static void libraries(void)
{
    handle library = NULL, same = NULL, kernel = NULL, function = NULL, all[3] = {NULL};
    unsigned n = 0;
    uint64_t address = 0;
    size_t bytes = 0;
    WANT(cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0), 0);
    WANT(cuLibraryUnload(library), 0);
    WANT(cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0), 0);
    WANT(cuLibraryGetKernelCount(&n, library), 0);
    WANT(n, 3);
    WANT(cuLibraryEnumerateKernels(all, 3, library), 0);
    WANT(cuLibraryGetKernel(&kernel, library, "poke"), 0);
    WANT(kernel == all[1], 1);
    WANT(cuKernelGetFunction(&function, kernel), 0);
    WANT(cuKernelGetLibrary(&same, kernel), 0);
    WANT(same == library, 1);
    WANT(cuLibraryGetModule(&same, library), 0);
    WANT(cuLibraryGetGlobal(&address, &bytes, library, "counter"), 0);
    WANT(address != 0 && bytes == 4, 1);
}

/* One piece of PTX declares what the other has, as Numba gives them to the linker. */
static void link_pieces(void)
{
    static const char head[] = ".version 7.0\n.target sm_75\n.address_size 64\n";
    static const char first[] = ".extern .func (.param .b32 r) seven();\n"
                                ".visible .entry put(.param .u64 at)\n{\n.reg .b64 %a;\n.reg .b32 %v;\nld.param.u64 %a, [at];\n"
                                "call (%v), seven, ();\nst.global.u32 [%a], %v;\nret;\n}\n";
    static const char second[] = ".visible .func (.param .b32 r) seven()\n{\nst.param.b32 [r], 7;\nret;\n}\n";
    char piece[1000];
    handle link = NULL, linked = NULL, put = NULL;
    void *result = NULL;
    size_t bytes = 0;
    uint64_t at = 0;
    int back = 0;
    WANT(cuLinkCreate_v2(0, NULL, NULL, &link), 0);
    WANT(cuLinkComplete(link, &result, &bytes), 1);
    snprintf(piece, sizeof piece, "%s%s", head, first);
    WANT(cuLinkAddData_v2(link, 1, piece, strlen(piece) + 1, "first", 0, NULL, NULL), 0);
    snprintf(piece, sizeof piece, "%s%s", head, second);
    WANT(cuLinkAddData_v2(link, 1, piece, strlen(piece), "second", 0, NULL, NULL), 0);
    WANT(cuLinkAddData_v2(link, 0, piece, 8, "machine code", 0, NULL, NULL), 801);
    WANT(cuLinkAddFile_v2(link, 1, "nowhere", 0, NULL, NULL), 301);
    WANT(cuLinkComplete(link, &result, &bytes), 0);
    WANT(cuModuleLoadData(&linked, result), 0);
    WANT(cuLinkDestroy(link), 0);
    WANT(cuModuleGetFunction(&put, linked, "put"), 0);
    WANT(cuMemAlloc_v2(&at, 4), 0);
    void *args[] = {&at};
    WANT(cuLaunchKernel(put, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL), 0);
    WANT(cuMemcpyDtoH_v2(&back, at, 4), 0);
    WANT(back, 7);
    WANT(cuMemFree_v2(at), 0);
    WANT(cuLinkCreate_v2(0, NULL, NULL, &link), 0);
    WANT(cuLinkAddFile_v2(link, 1, path, 0, NULL, NULL), 0);
    WANT(cuLinkComplete(link, &result, NULL), 0);
    WANT(strstr(result, "counter") != NULL, 1);
    WANT(cuLinkDestroy(link), 0);
}

#define N 1000
/* c[i] = scale * (a[i] + b[i]) by a launch of each kind */
static void vectors(void)
{
    static float a[N], c[N];
    uint64_t da = 0, dc = 0;
    unsigned n = N, wrong = 0;
    struct {
        uint64_t a, b, c;
        unsigned n;
    } packed;
    size_t bytes = sizeof packed;
    for (int i = 0; i < N; i++)
        a[i] = (float)i;
    WANT(cuMemAlloc_v2(&da, sizeof a), 0);
    WANT(cuMemAllocAsync(&dc, sizeof a, NULL), 0);
    WANT(cuMemcpyHtoD_v2(da, a, sizeof a), 0);
    void *args[] = {&da, &da, &dc, &n};
    WANT(cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 0, NULL, args, NULL), 0);
    WANT(cuMemcpyDtoH_v2(c, dc, sizeof c), 0);
    for (int i = 0; i < N; i++)
        wrong += c[i] != (float)(2 * i);
    WANT(wrong, 0);
    packed.a = dc, packed.b = da, packed.c = dc, packed.n = N;
    void *extra[] = {(void *)1, &packed, (void *)2, &bytes, NULL};
    WANT(cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra), 0);
    WANT(cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 0, NULL, args, extra), 1); /* both */
    bytes = 8;
    WANT(cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra), 1); /* too short */
    WANT(cuMemcpyDtoHAsync_v2(c, dc, sizeof c, NULL), 0);
    for (int i = 0; i < N; i++)
        wrong += c[i] != (float)(3 * i);
    WANT(wrong, 0);
    WANT(cuMemFree_v2(da), 0);
    WANT(cuMemFreeAsync(dc, NULL), 0);
    WANT(cuMemFree_v2(dc), 1);
}

static void count(void *calls)
{
    ++*(int *)calls;
}

static void launches(void)
{
    struct {
        unsigned grid[3], block[3], shared;
        handle stream;
        void *attributes;
        unsigned cnt;
    } c = {{1, 1, 1}, {1, 1, 1}, 0, NULL, NULL, 0};
    unsigned attribute[18] = {2, 0, 1}; /* cooperative */
    int calls = 0, back = 0;
    uint64_t at = 0;
    WANT(cuMemAlloc_v2(&at, 4), 0);
    void *args[] = {&at};
    WANT(cuLaunchCooperativeKernel(poke, 1, 1, 1, 1, 1, 1, 0, NULL, args), 0);
    c.attributes = attribute;
    c.cnt = 1;
    WANT(cuMemsetD32_v2(at, 0, 1), 0);
    WANT(cuLaunchKernelEx(&c, poke, args, NULL), 0);
    WANT(cuMemcpyDtoH_v2(&back, at, 4), 0);
    WANT(back, 7);
    c.grid[0] = 1u << 20;
    WANT(cuLaunchKernelEx(&c, poke, args, NULL), 720);
    attribute[0] = 4, attribute[2] = 2, attribute[3] = attribute[4] = 1; /* clusters of two blocks */
    WANT(cuLaunchKernelEx(&c, poke, args, NULL), 801);
    WANT(cuLaunchKernel(poke, 1, 1, 1, 2048, 1, 1, 0, NULL, args, NULL), 1);
    WANT(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL), 400);
    WANT(cuLaunchHostFunc(NULL, count, &calls), 0);
    WANT(calls, 1);
    WANT(cuMemFree_v2(at), 0);
}

static void attributes(void)
{
    int value = 0, state = 0;
    size_t offset = 0, bytes = 0;
    const char *name = NULL;
    handle same = NULL;
    WANT(cuFuncGetAttribute(&value, 0, add), 0);
    WANT(value, 1024);
    WANT(cuFuncGetAttribute(&value, 5, add), 0);
    WANT(value, 75);
    WANT(cuFuncGetAttribute(&value, 77, add), 1);
    WANT(cuFuncSetAttribute(add, 8, 1000), 0);
    WANT(cuKernelGetAttribute(&value, 8, add, 0), 0);
    WANT(value, 1000);
    WANT(cuKernelSetAttribute(8, 1 << 30, add, 0), 1);
    WANT(cuKernelSetAttribute(8, 0, add, 1), 101);
    WANT(cuFuncSetCacheConfig(add, 1), 0);
    WANT(cuFuncSetSharedMemConfig(add, 1), 0);
    WANT(cuKernelSetCacheConfig(add, 1, 0), 0);
    WANT(cuFuncGetName(&name, add), 0);
    WANT(strcmp(name, "add"), 0);
    WANT(cuKernelGetName(&name, take), 0);
    WANT(strcmp(name, "take"), 0);
    WANT(cuFuncGetModule(&same, add), 0);
    WANT(same == module, 1);
    WANT(cuFuncGetParamInfo(add, 3, &offset, &bytes), 0);
    WANT(offset == 24 && bytes == 4, 1);
    WANT(cuKernelGetParamInfo(add, 4, &offset, NULL), 1);
    WANT(cuFuncIsLoaded(&state, add), 0);
    WANT(cuFuncLoad(add), 0);
    WANT(state, 1);
}

static size_t none(int threads)
{
    return 0 * (size_t)threads;
}

static void occupancy(void)
{
    int blocks = 0, same = 0, grid = 0, block = 0, most = 0;
    size_t bytes = 0;
    WANT(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, poke, 64, 0), 0);
    WANT(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&same, poke, 64, 0, 0), 0);
    WANT(blocks > 0 && blocks == same, 1);
    WANT(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, poke, 2, 64), 0);
    WANT(cuOccupancyMaxActiveBlocksPerMultiprocessor(&same, poke, 64, bytes + 256), 0);
    WANT(bytes > 0 && same < 2, 1);
    WANT(cuOccupancyMaxPotentialBlockSize(&grid, &block, poke, none, 0, 0), 0);
    WANT(cuOccupancyMaxActiveBlocksPerMultiprocessor(&most, poke, block, 0), 0);
    for (int threads = 32; threads <= 1024; threads += 32) {
        WANT(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, poke, threads, 0), 0);
        WANT(blocks * threads <= most * block, 1);
    }
    WANT(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, poke, NULL, 0, 256, 0), 0);
    WANT(block <= 256 && block > 0 && grid > 0, 1);
}

static void variables(void)
{
    uint64_t counter = 0, scale = 0, at = 0;
    size_t bytes = 0;
    int now = 0;
    float half = 0.5f, two[1] = {2}, back = 0;
    unsigned one = 1;
    WANT(cuModuleGetGlobal_v2(&counter, &bytes, module, "counter"), 0);
    WANT(bytes, 4);
    WANT(cuMemcpyDtoH_v2(&now, counter, 4), 0);
    WANT(now, 5 + 2 * N);
    WANT(cuModuleGetGlobal_v2(&counter, &bytes, module, "nothing"), 500);
    WANT(cuModuleGetGlobal_v2(&scale, &bytes, module, "scale"), 0); /* a constant */
    WANT(bytes, 4);
    WANT(cuMemcpyDtoH_v2(&back, scale, 4), 0);
    WANT(back == 1, 1);
    WANT(cuMemcpyHtoD_v2(scale, &half, 4), 0);
    WANT(cuMemAlloc_v2(&at, 4), 0);
    WANT(cuMemcpyHtoD_v2(at, two, 4), 0);
    void *args[] = {&at, &at, &at, &one};
    WANT(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL), 0);
    WANT(cuMemcpyDtoH_v2(&back, at, 4), 0);
    WANT(back == 2, 1); /* half of 2 + 2 */
    WANT(cuMemFree_v2(at), 0);
}

static void memory(void)
{
    uint64_t p = 0, base = 0, device = 0;
    size_t bytes = 0, pitch = 0, left = 0, total = 0;
    char *host = NULL, own[64];
    unsigned flags = 9;
    WANT(cuMemAlloc_v2(&p, 0), 1);
    WANT(cuMemAlloc_v2(&p, (size_t)1 << 50), 2);
    WANT(cuMemAlloc_v2(&p, 100), 0);
    WANT(cuMemGetAddressRange_v2(&base, &bytes, p + 50), 0);
    WANT(base == p && bytes == 100, 1);
    WANT(cuMemGetAddressRange_v2(&base, &bytes, 1), 500);
    WANT(cuMemGetInfo_v2(&left, &total), 0);
    WANT(left < total, 1);
    WANT(cuMemFree_v2(p), 0);
    WANT(cuMemAllocPitch_v2(&p, &pitch, 5, 3, 4), 0);
    WANT(pitch >= 5, 1);
    WANT(cuMemFree_v2(p), 0);
    WANT(cuMemAllocManaged(&p, 64, 1), 0);
    ((char *)(uintptr_t)p)[5] = 3;
    WANT(cuMemAdvise(p, 64, 1, 0), 0);
    WANT(cuMemAdvise_v2(p, 64, 1, (struct location){1, 0}), 0);
    WANT(cuMemPrefetchAsync(p, 64, 0, NULL), 0);
    WANT(cuMemPrefetchAsync_v2(p, 64, (struct location){1, 0}, 0, NULL), 0);
    WANT(cuMemFree_v2(p), 0);
    WANT(cuMemHostAlloc((void **)&host, 64, 2), 0);
    WANT(cuMemHostGetDevicePointer_v2(&device, host, 0), 0);
    WANT(device == (uintptr_t)host, 1);
    WANT(cuMemFreeHost(host), 0);
    WANT(cuMemAllocHost_v2((void **)&host, 64), 0);
    WANT(cuMemFreeHost(host), 0);
    WANT(cuMemHostRegister_v2(own, sizeof own, 2), 0);
    WANT(cuMemHostGetFlags(&flags, own), 0);
    WANT(flags, 2);
    WANT(cuMemHostUnregister(own), 0);
}

static void pools(void)
{
    handle pool = NULL, own = NULL, now = NULL;
    uint64_t p = 0, threshold = 7, back = 0;
    WANT(cuDeviceGetDefaultMemPool(&pool, 0), 0);
    WANT(cuMemPoolCreate(&own, NULL), 0);
    WANT(cuDeviceSetMemPool(0, own), 0);
    WANT(cuDeviceGetMemPool(&now, 0), 0);
    WANT(now == own, 1);
    WANT(cuMemPoolSetAttribute(own, 4, &threshold), 0);
    WANT(cuMemPoolGetAttribute(own, 4, &back), 0);
    WANT(back, 7);
    WANT(cuMemAllocFromPoolAsync(&p, 100, own, NULL), 0);
    WANT(cuMemFree_v2(p), 0);
    WANT(cuMemPoolTrimTo(own, 0), 0);
    WANT(cuMemPoolDestroy(own), 0);
    WANT(cuMemPoolDestroy(pool), 1);
}

static void pointers(void)
{
    uint64_t p = 0, found = 0, first = 0;
    int kind = 0, ordinal = 9;
    char own = 0;
    const int asked[] = {2, 11, 9};
    void *answers[] = {&kind, &first, &ordinal};
    WANT(cuMemAlloc_v2(&p, 64), 0);
    WANT(cuPointerGetAttribute(&kind, 2, p), 0);
    WANT(kind, 2);
    WANT(cuPointerGetAttribute(&found, 3, p + 1), 0);
    WANT(found == p + 1, 1);
    WANT(cuPointerGetAttribute(&kind, 2, (uintptr_t)&own), 1);
    WANT(cuPointerGetAttributes(3, asked, answers, p + 8), 0);
    WANT(kind == 2 && first == p && ordinal == 0, 1);
    WANT(cuPointerGetAttributes(3, asked, answers, (uintptr_t)&own), 0);
    WANT(kind == 0 && ordinal == -2, 1);
    WANT(cuMemFree_v2(p), 0);
}

static void copies(void)
{
    int from[6] = {1, 2, 3, 4, 5, 6}, back[6] = {0};
    uint64_t p = 0, q = 0;
    WANT(cuMemAlloc_v2(&p, sizeof from), 0);
    WANT(cuMemAlloc_v2(&q, sizeof from), 0);
    WANT(cuMemcpyHtoDAsync_v2(p, from, sizeof from, NULL), 0);
    WANT(cuMemcpyDtoD_v2(q, p, 8), 0);
    WANT(cuMemcpyDtoDAsync_v2(q + 8, p + 8, 4, NULL), 0);
    WANT(cuMemcpy(q + 12, p + 12, 4), 0);
    WANT(cuMemcpyAsync(q + 16, (uintptr_t)&from[4], 4, NULL), 0);
    WANT(cuMemcpyPeer(q + 20, NULL, p + 20, NULL, 4), 0);
    WANT(cuMemcpyPeerAsync(q, NULL, p, NULL, 4, NULL), 0);
    WANT(cuMemcpyDtoH_v2(back, q, sizeof back), 0);
    WANT(memcmp(from, back, sizeof from), 0);
    WANT(cuMemcpyHtoD_v2((uintptr_t)back, from, 4), 1); /* no memory of the device */
    WANT(cuMemFree_v2(p), 0);
    WANT(cuMemFree_v2(q), 0);
}

struct end2d {
    size_t x, y;
    int kind;
    void *host;
    uint64_t device;
    void *array;
    size_t pitch;
};
struct end3d {
    size_t x, y, z, level;
    int kind;
    void *host;
    uint64_t device;
    void *array, *reserved;
    size_t pitch, rows;
};

static void boxes(void)
{
    char from[2][3][4], back[2][3][4] = {{{0}}};
    uint64_t p = 0;
    for (int i = 0; i < 24; i++)
        from[i / 12][i / 4 % 3][i % 4] = (char)(i + 1);
    WANT(cuMemAlloc_v2(&p, 24), 0);
    WANT(cuMemsetD8_v2(p, 0, 24), 0);
    /* two bytes of two rows, from (1, 1) to (2, 0) */
    struct {
        struct end2d from, to;
        size_t width, height;
    } flat = {{.x = 1, .y = 1, .kind = 1, .host = from, .pitch = 4}, {.x = 2, .kind = 2, .device = p, .pitch = 4}, 2, 2};
    WANT(cuMemcpy2D_v2(&flat), 0);
    WANT(cuMemcpy2DUnaligned_v2(&flat), 0);
    WANT(cuMemcpy2DAsync_v2(&flat, NULL), 0);
    WANT(cuMemcpyDtoH_v2(back, p, 24), 0);
    for (int i = 0; i < 24; i++)
        WANT(((char *)back)[i], i % 4 >= 2 && i < 8 ? from[0][i / 4 + 1][i % 4 - 1] : 0);
    flat.from.pitch = 1;
    WANT(cuMemcpy2D_v2(&flat), 1);
    struct {
        struct end3d from, to;
        size_t width, height, depth;
    } box = {{.kind = 4, .device = (uintptr_t)from, .pitch = 4, .rows = 3}, {.kind = 2, .device = p, .pitch = 4, .rows = 3}, 4, 3, 2};
    WANT(cuMemcpy3D_v2(&box), 0);
    WANT(cuMemcpyDtoH_v2(back, p, 24), 0);
    WANT(memcmp(from, back, 24), 0);
    box.to.z = 1, box.to.y = 1, box.to.x = 3;
    box.width = box.height = box.depth = 1;
    WANT(cuMemcpy3DAsync_v2(&box, NULL), 0);
    WANT(cuMemcpyDtoH_v2(back, p, 24), 0);
    WANT(back[1][1][3], 1);
    box.to.kind = 7;
    WANT(cuMemcpy3D_v2(&box), 1);
    WANT(cuMemFree_v2(p), 0);
}

/* A row of texels there and back, a box of a flat array, and a texture's description. */
static void arrays(void)
{
    const struct {
        size_t width, height;
        int format;
        unsigned channels;
    } flat = {6, 3, 1, 2}, odd = {6, 3, 7, 2};
    struct {
        size_t width, height, depth;
        int format;
        unsigned channels, flags;
    } deep = {4, 2, 2, 0x20, 1, 0}, found;
    struct {
        int kind, padding;
        handle array;
        int reserved[30];
        unsigned flags;
    } r = {0}, back_r;
    struct {
        int address[3], linear;
        unsigned flags, more[5];
        float border[4];
        int reserved[12];
    } how = {.address = {1, 1, 1}};
    char from[36], back[36] = {0};
    handle a = NULL, b = NULL;
    uint64_t p = 0, t = 0, s = 0;
    for (int i = 0; i < 36; i++)
        from[i] = (char)(i + 1);
    WANT(cuArrayCreate_v2(&a, &odd), 1);
    WANT(cuArrayCreate_v2(&a, &flat), 0);
    WANT(cuArray3DCreate_v2(&b, &deep), 0);
    WANT(cuArray3DGetDescriptor_v2(&found, b), 0);
    WANT(found.width == 4 && found.depth == 2 && found.format == 0x20 && found.channels == 1, 1);
    WANT(cuArrayGetDescriptor_v2(&found, a), 0);
    WANT(found.height, 3);
    WANT(cuMemcpyHtoA_v2(a, 2, from, 10), 0);
    WANT(cuMemcpyHtoA_v2(a, 4, from, 10), 1); /* beyond the row */
    WANT(cuMemcpyHtoAAsync_v2(a, 0, from + 30, 2, NULL), 0);
    WANT(cuMemcpyAtoH_v2(back, a, 0, 12), 0);
    WANT(back[0] == 31 && back[2] == 1 && back[11] == 10, 1);
    WANT(cuMemAlloc_v2(&p, 12), 0);
    WANT(cuMemcpyAtoD_v2(p, a, 0, 12), 0);
    WANT(cuMemcpyDtoA_v2(a, 6, p, 4), 0);
    WANT(cuMemcpyAtoHAsync_v2(back, a, 6, 2, NULL), 0);
    WANT(back[0] == 31 && back[1] == 32, 1);
    struct {
        struct end2d from, to;
        size_t width, height;
    } box = {{.kind = 1, .host = from, .pitch = 12}, {.kind = 3, .array = a, .y = 1}, 12, 2};
    WANT(cuMemcpy2D_v2(&box), 0);
    box.to = (struct end2d){.kind = 1, .host = back, .pitch = 12};
    box.from = (struct end2d){.kind = 3, .array = a, .y = 1};
    WANT(cuMemcpy2D_v2(&box), 0);
    WANT(memcmp(from, back, 24), 0);
    box.from.array = &p;
    WANT(cuMemcpy2D_v2(&box), 400);
    r.array = a;
    WANT(cuTexObjectCreate(&t, &r, &how, NULL), 0);
    WANT(cuTexObjectGetResourceDesc(&back_r, t), 0);
    WANT(back_r.kind == 0 && back_r.array == a, 1);
    WANT(cuTexObjectDestroy(t), 0);
    how.linear = 1, how.flags = 1; /* integers are not weighed */
    WANT(cuTexObjectCreate(&t, &r, &how, NULL), 1);
    WANT(cuSurfObjectCreate(&s, &r), 0);
    WANT(cuSurfObjectDestroy(s), 0);
    WANT(cuArrayDestroy(a), 0);
    WANT(cuArrayDestroy(b), 0);
    WANT(cuArrayDestroy(NULL), 400);
    WANT(cuMemFree_v2(p), 0);
}

static void sets(void)
{
    uint64_t p = 0;
    unsigned char back[24];
    static const unsigned char wanted[24] = {9, 9, 0x34, 0x12, 0x78, 0x56, 0x34, 0x12, 1, 1, 5, 0, 1, 1, 5, 0, 7, 0, 0, 0, 8, 8, 6, 0};
    WANT(cuMemAlloc_v2(&p, 24), 0);
    WANT(cuMemsetD8_v2(p, 9, 4), 0);
    WANT(cuMemsetD16_v2(p + 2, 0x1234, 1), 0);
    WANT(cuMemsetD32_v2(p + 4, 0x12345678, 1), 0);
    WANT(cuMemsetD2D8_v2(p + 8, 4, 1, 2, 2), 0);
    WANT(cuMemsetD2D16_v2(p + 10, 4, 5, 1, 2), 0);
    WANT(cuMemsetD2D32_v2(p + 16, 4, 7, 1, 2), 0);
    WANT(cuMemsetD8Async(p + 20, 8, 2, NULL), 0);
    WANT(cuMemsetD16Async(p + 22, 6, 1, NULL), 0);
    WANT(cuMemcpyDtoH_v2(back, p, 24), 0);
    WANT(memcmp(back, wanted, 24), 0);
    WANT(cuMemsetD32Async(p + 2, 0, 1, NULL), 1); /* not aligned */
    WANT(cuMemsetD2D8Async(p, 12, 0, 12, 2, NULL), 0);
    WANT(cuMemsetD2D16Async(p, 12, 3, 2, 2, NULL), 0);
    WANT(cuMemsetD2D32Async(p + 4, 12, 2, 1, 2, NULL), 0);
    WANT(cuMemcpyDtoH_v2(back, p, 24), 0);
    for (int i = 0; i < 24; i++)
        WANT(back[i], i % 12 == 4 ? 2 : i % 12 == 0 || i % 12 == 2 ? 3 : 0);
    WANT(cuMemFree_v2(p), 0);
}

static void called_back(handle stream, int code, void *calls)
{
    (void)stream;
    WANT(code, 0);
    count(calls);
}

static void order(void)
{
    handle stream = NULL, urgent = NULL, begin = NULL, end = NULL, context = NULL;
    unsigned flags = 9;
    int priority = 9, device = 9, capturing = 9, calls = 0;
    unsigned long long id = 0, other = 0;
    float ms = -1, again = -1;
    uint64_t at = 0;
    WANT(cuStreamCreate(&stream, 1), 0);
    WANT(cuStreamCreateWithPriority(&urgent, 0, 0), 0);
    WANT(cuStreamGetFlags(stream, &flags), 0);
    WANT(flags, 1);
    WANT(cuStreamGetPriority(stream, &priority), 0);
    WANT(cuStreamGetId(stream, &id), 0);
    WANT(cuStreamGetId(urgent, &other), 0);
    WANT(id != other, 1);
    WANT(cuStreamGetCtx(stream, &context), 0);
    WANT(context != NULL, 1);
    WANT(cuStreamGetDevice(stream, &device), 0);
    WANT(cuStreamIsCapturing(stream, &capturing), 0);
    WANT(device == 0 && capturing == 0, 1);
    WANT(cuEventCreate(&begin, 0), 0);
    WANT(cuEventCreate(&end, 0), 0);
    WANT(cuEventElapsedTime(&ms, begin, end), 400);
    WANT(cuMemAlloc_v2(&at, 4), 0);
    void *args[] = {&at};
    WANT(cuEventRecord(begin, stream), 0);
    WANT(cuLaunchKernel(poke, 1, 1, 1, 1, 1, 1, 0, stream, args, NULL), 0);
    WANT(cuEventRecordWithFlags(end, stream, 0), 0);
    WANT(cuStreamWaitEvent(urgent, end, 0), 0);
    WANT(cuEventQuery(end), 0);
    WANT(cuEventSynchronize(end), 0);
    WANT(cuEventElapsedTime(&ms, begin, end), 0);
    WANT(cuEventElapsedTime_v2(&again, begin, end), 0);
    WANT(ms > 0 && ms == again, 1);
    WANT(cuStreamAddCallback(stream, called_back, &calls, 0), 0);
    WANT(calls, 1);
    WANT(cuStreamAttachMemAsync(stream, at, 0, 1), 0);
    WANT(cuStreamQuery(stream), 0);
    WANT(cuStreamSynchronize(stream), 0);
    WANT(cuEventDestroy_v2(begin), 0);
    WANT(cuEventDestroy_v2(end), 0);
    WANT(cuStreamDestroy_v2(stream), 0);
    WANT(cuStreamDestroy_v2(urgent), 0);
    WANT(cuMemFree_v2(at), 0);
}

static void faults(void)
{
    uint64_t nowhere = 16;
    void *args[] = {&nowhere};
    WANT(cuLaunchKernel(poke, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL), 0);
    WANT(cuCtxSynchronize(), 700);
    WANT(cuMemAlloc_v2(&nowhere, 4), 700); /* which stays */
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    read_text(argv[1]);
    WANT(text_bytes > 0, 1);
    before_a_context();
    device();
    contexts();
    preferences();
    modules();
    libraries();
    link_pieces();
    vectors();
    launches();
    attributes();
    occupancy();
    variables();
    memory();
    pools();
    pointers();
    copies();
    boxes();
    arrays();
    sets();
    order();
    faults();
    return bad != 0;
}
