/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime API: the device. There is one. */
#include <string.h>

#include "cuda/runtime.h"

static unsigned device_flags;

static int check_device(int device)
{
    return device == 0 ? CW_CUDA_OK : CW_CUDA_DEVICE;
}

int cudaGetDeviceCount(int *count)
{
    *count = 1;
    return CW_CUDA_OK;
}

int cudaGetDevice(int *device)
{
    *device = 0;
    return CW_CUDA_OK;
}

int cudaSetDevice(int device)
{
    return cw_cuda_note(check_device(device));
}

int cudaInitDevice(int device, unsigned device_flags_, unsigned flags)
{
    (void)device_flags_, (void)flags;
    return cw_cuda_note(check_device(device));
}

int cudaSetValidDevices(int *devices, int count)
{
    return cw_cuda_note(count > 0 && devices[0] != 0 ? CW_CUDA_DEVICE : CW_CUDA_OK);
}

int cudaChooseDevice(int *device, const void *properties)
{
    (void)properties;
    *device = 0;
    return CW_CUDA_OK;
}

int cudaSetDeviceFlags(unsigned flags)
{
    device_flags = flags;
    return CW_CUDA_OK;
}

int cudaGetDeviceFlags(unsigned *flags)
{
    *flags = device_flags;
    return CW_CUDA_OK;
}

int cudaDeviceGetAttribute(int *value, int attribute, int device)
{
    const int code = check_device(device);
    return cw_cuda_note(code == CW_CUDA_OK ? cw_cuda_attribute(value, attribute) : code);
}

/* Writes members of cudaDeviceProp one after the other, as a compiler lays them out. */
struct writer {
    char *at;
    size_t used;
};

static void put_int(struct writer *w, int value)
{
    w->used = (w->used + 3) / 4 * 4;
    memcpy(w->at + w->used, &value, 4);
    w->used += 4;
}

static void put_ints(struct writer *w, int cnt, int value)
{
    for (int i = 0; i < cnt; i++)
        put_int(w, value);
}

static void put_size(struct writer *w, size_t value)
{
    w->used = (w->used + 7) / 8 * 8;
    memcpy(w->at + w->used, &value, 8);
    w->used += 8;
}

static int attribute(int number)
{
    int value = 0;
    cw_cuda_attribute(&value, number);
    return value;
}

/* The members up to the alignments. Versions 11 and 12 have some that version 13 has not. */
static void put_first(struct writer *w, bool old)
{
    size_t total = 0;
    strncpy(w->at, cw_cuda_device_name(), 255);
    memcpy(w->at + 256, "cowarp.simulated", 16);
    w->used = 256 + 16 + 8; /* name, uuid, luid */
    cw_cuda_memory_info(NULL, &total);
    put_int(w, 0);
    put_size(w, total);
    put_size(w, (size_t)attribute(8));
    put_int(w, attribute(12));
    put_int(w, attribute(10));
    put_size(w, (size_t)attribute(11));
    put_int(w, attribute(1));
    for (int i = 2; i <= 7; i++) /* most threads of a block, blocks of a grid, in each dimension */
        put_int(w, attribute(i));
    if (old)
        put_int(w, attribute(13));
    put_size(w, (size_t)attribute(9));
    put_int(w, attribute(75));
    put_int(w, attribute(76));
    put_size(w, (size_t)attribute(14));
    put_size(w, (size_t)attribute(51));
}

/* The most that textures and surfaces have: the attributes, in the order of the members. */
static const unsigned char texture_attribute[] = {21, 77, 69, 22, 23, 73, 74, 70, 71, 72, 45, 46, 24, 25, 26, 47, 48, 49, 52, 42,
                                                  43, 27, 28, 29, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68};

static void put_textures(struct writer *w, bool old)
{
    for (size_t i = 0; i < sizeof texture_attribute; i++)
        if (old || texture_attribute[i] != 69)
            put_int(w, attribute(texture_attribute[i]));
    put_size(w, (size_t)attribute(30));
}

static void put_last(struct writer *w, bool old)
{
    put_ints(w, 6, 0); /* concurrent kernels, ECC, PCI bus, device and domain, TCC */
    put_int(w, attribute(40));
    put_int(w, 1); /* unified addresses */
    if (old)
        put_int(w, attribute(36));
    put_int(w, attribute(37));
    put_int(w, attribute(38));
    put_int(w, 0);
    put_int(w, attribute(39));
    put_ints(w, 1, 0);
    put_ints(w, 2, 1); /* the L1 holds global and local data */
    put_size(w, (size_t)attribute(81));
    put_int(w, attribute(82));
    put_int(w, 1); /* managed memory */
    put_ints(w, 3, 0);
    put_ints(w, old ? 5 : 4, 0); /* old: single to double performance; pageable and concurrent access, preemption, registered pointers */
    put_int(w, 1);               /* cooperative launches */
    if (old)
        put_int(w, 0);
    put_size(w, (size_t)attribute(97));
    put_ints(w, 2, 0);
    put_int(w, attribute(106));
    put_int(w, 0);
    put_size(w, 0);
}

static int properties(void *p, int device, size_t bytes, bool old)
{
    struct writer w = {.at = p};
    if (check_device(device) != CW_CUDA_OK)
        return cw_cuda_note(CW_CUDA_DEVICE);
    memset(p, 0, bytes);
    put_first(&w, old);
    if (old)
        put_int(&w, 1); /* copies and kernels overlap */
    put_int(&w, attribute(16));
    put_ints(&w, old ? 2 : 1, 0); /* old: a limit of the run time; integrated */
    put_int(&w, 1);               /* maps host memory */
    if (old)
        put_int(&w, 0); /* compute mode */
    put_textures(&w, old);
    put_last(&w, old);
    return CW_CUDA_OK;
}

/* Of version 11 the structure is shorter; version 12's headers call the second function. */
int cudaGetDeviceProperties(void *p, int device)
{
    return cw_cuda_runtime_version >= 13 ? properties(p, device, 1008, false) : properties(p, device, 712, true);
}

int cudaGetDeviceProperties_v2(void *p, int device)
{
    return properties(p, device, 1032, true);
}

int cudaDeviceSynchronize(void)
{
    return cw_cuda_note(cw_cuda_wait());
}

int cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

int cudaDeviceReset(void)
{
    return cw_cuda_note(cw_cuda_reset());
}

int cudaThreadExit(void)
{
    return cudaDeviceReset();
}

int cudaDeviceSetLimit(int limit, size_t value)
{
    return cw_cuda_note(cw_cuda_set_limit(limit, value));
}

int cudaDeviceGetLimit(size_t *value, int limit)
{
    return cw_cuda_note(cw_cuda_get_limit(value, limit));
}

/* Preferences: the machine's caches are as it is configured. */
int cudaDeviceSetCacheConfig(int config)
{
    (void)config;
    return CW_CUDA_OK;
}

int cudaThreadSetCacheConfig(int config)
{
    return cudaDeviceSetCacheConfig(config);
}

int cudaDeviceGetCacheConfig(int *config)
{
    *config = 0;
    return CW_CUDA_OK;
}

int cudaDeviceSetSharedMemConfig(int config)
{
    (void)config;
    return CW_CUDA_OK;
}

int cudaDeviceGetSharedMemConfig(int *config)
{
    *config = 1; /* banks of four bytes */
    return CW_CUDA_OK;
}

int cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least != NULL)
        *least = 0;
    if (greatest != NULL)
        *greatest = 0;
    return CW_CUDA_OK;
}

int cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    *can = 0;
    return cw_cuda_note(device == 0 && peer == 0 ? CW_CUDA_OK : CW_CUDA_DEVICE);
}

int cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)peer, (void)flags;
    return cw_cuda_note(CW_CUDA_DEVICE);
}

int cudaDeviceDisablePeerAccess(int peer)
{
    (void)peer;
    return cw_cuda_note(CW_CUDA_DEVICE);
}

int cudaDriverGetVersion(int *version)
{
    *version = 13000;
    return CW_CUDA_OK;
}

int cudaRuntimeGetVersion(int *version)
{
    *version = cw_cuda_runtime_version * 1000;
    return CW_CUDA_OK;
}

int cudaProfilerStart(void)
{
    return CW_CUDA_OK;
}

int cudaProfilerStop(void)
{
    return CW_CUDA_OK;
}

int cudaDeviceGetPCIBusId(char *text, int length, int device)
{
    static const char id[] = "0000:00:00.0";
    if (check_device(device) != CW_CUDA_OK || length < (int)sizeof id)
        return cw_cuda_note(CW_CUDA_INVALID_VALUE);
    memcpy(text, id, sizeof id);
    return CW_CUDA_OK;
}
