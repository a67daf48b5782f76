/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What nvcc makes of a program besides its kernels, without nvcc: the fatbinary is registered before main, and kernels have functions of
 * the host that stand for them. FATBIN names the file of the container. Symbols are CUDA's, and so are the numbers of errors.
 */
#ifndef TESTS_CUDA_PROGRAM_H
#define TESTS_CUDA_PROGRAM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dim3 {
    unsigned x, y, z;
};

extern void **__cudaRegisterFatBinary(void *);
extern void __cudaRegisterFatBinaryEnd(void **);
extern void __cudaUnregisterFatBinary(void **);
extern void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
extern void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
extern void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
extern char __cudaInitModule(void **);
extern unsigned __cudaPushCallConfiguration(struct dim3, struct dim3, size_t, void *);
extern int __cudaPopCallConfiguration(struct dim3 *, struct dim3 *, size_t *, void *);
extern int cudaLaunchKernel(const void *, struct dim3, struct dim3, void **, size_t, void *);
extern int cudaMalloc(void **, size_t), cudaFree(void *), cudaMemcpy(void *, const void *, size_t, int), cudaMemset(void *, int, size_t);
extern int cudaMallocManaged(void **, size_t, unsigned), cudaMallocHost(void **, size_t), cudaFreeHost(void *);
extern int cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int);
extern int cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int),
    cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
extern int cudaGetSymbolAddress(void **, const void *), cudaGetSymbolSize(size_t *, const void *);
extern int cudaDeviceSynchronize(void), cudaGetLastError(void), cudaPeekAtLastError(void), cudaDeviceReset(void);
extern int cudaStreamCreate(void **), cudaStreamDestroy(void *), cudaStreamSynchronize(void *);
extern int cudaEventCreate(void **), cudaEventRecord(void *, void *), cudaEventElapsedTime(float *, void *, void *),
    cudaEventDestroy(void *);
extern int cudaMemGetInfo(size_t *, size_t *), cudaGetDeviceCount(int *), cudaSetDevice(int);
extern int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
extern int cudaMallocMipmappedArray(void *, void *, void *, unsigned, unsigned); /* which is not there */
extern const char *cudaGetErrorName(int);

static const char *error_name(int code)
{
    return cudaGetErrorName(code);
}
#include "want.h"

enum { TO_DEVICE = 1, TO_HOST = 2, ON_DEVICE = 3, ANY = 4 };

__asm__(".section .nv_fatbin, \"a\"\n.align 8\nfatbin:\n.incbin \"" FATBIN "\"\n.previous\n");
extern const char fatbin[];
static struct {
    uint32_t magic, version;
    const void *data;
    const void *const *more;
#ifdef UNITS /* containers to be linked, in the file one behind the other: "fatbin, fatbin + 1000" */
} wrapper = {0x466243B1, 2, "", (const void *const[]){UNITS, NULL}};
#else
} wrapper = {0x466243B1, 1, fatbin, NULL};
#endif

static void **handle;
static int counter, managed_shadow; /* stand for the device's */
static float scale;
static int *managed;

/* The functions that stand for kernels; their addresses are all that counts. */
static void add(void)
{
}

static int poke_stands_here, take_stands_here, big_stands_here, gone_stands_here;

__attribute__((constructor)) static void start(void)
{
    handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, (const char *)(uintptr_t)add, NULL, "add", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, (const char *)&poke_stands_here, NULL, "poke", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, (const char *)&take_stands_here, NULL, "take", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, (const char *)&big_stands_here, NULL, "big", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, (const char *)&gone_stands_here, NULL, "gone", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, (char *)&counter, NULL, "counter", 0, 4, 0, 0);
    __cudaRegisterVar(handle, (char *)&scale, NULL, "scale", 0, 4, 1, 0);
    __cudaRegisterManagedVar(handle, (void **)(void *)&managed, (char *)&managed_shadow, "managed", 0, 8, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

static int launch(const void *kernel, unsigned grid, unsigned block, void **args)
{
    struct dim3 g, b;
    size_t shared;
    void *stream;
    if (__cudaPushCallConfiguration((struct dim3){grid, 1, 1}, (struct dim3){block, 1, 1}, 0, NULL) != 0 ||
        __cudaPopCallConfiguration(&g, &b, &shared, &stream) != 0)
        return -1;
    return cudaLaunchKernel(kernel, g, b, args, shared, stream);
}

#endif
