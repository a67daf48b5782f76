/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver API: the device and its contexts. There is one device with one address space, so all contexts are names of the same one: what
 * one allocates is valid in the others, and ends with the process. What belongs to each is which thread it is current to.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"

#define CONTEXT_MAGIC UINT32_C(0x43545854)
#define STACK_MOST    64u

struct cw_driver_context {
    uint32_t magic;
    unsigned flags;
    uint64_t id;
};

static struct cw_driver_context primary = {.magic = CONTEXT_MAGIC, .id = 1};
static unsigned primary_retained;
static bool is_init;
static _Thread_local struct cw_driver_context *stack[STACK_MOST]; /* the current one on top */
static _Thread_local unsigned stack_cnt;

void cw_driver_init(void)
{
    is_init = true;
}

bool cw_driver_is_init(void)
{
    return is_init || cw_cuda_has_runtime();
}

struct cw_driver_context *cw_driver_current(void)
{
    if (stack_cnt > 0)
        return stack[stack_cnt - 1];
    return cw_cuda_has_runtime() ? &primary : NULL;
}

int cw_driver_ready(void)
{
    if (!cw_driver_is_init())
        return CW_CUDA_INIT;
    return cw_driver_current() != NULL ? CW_CUDA_OK : CW_CUDA_CONTEXT;
}

static bool is_context(const struct cw_driver_context *context)
{
    return context != NULL && context->magic == CONTEXT_MAGIC;
}

static int check_device(int device)
{
    if (!cw_driver_is_init())
        return CW_CUDA_INIT;
    return device == 0 ? CW_CUDA_OK : CW_CUDA_DEVICE;
}

/* The device */

int cuDeviceGet(int *device, int ordinal)
{
    *device = 0;
    return check_device(ordinal);
}

int cuDeviceGetCount(int *count)
{
    *count = 1;
    return check_device(0);
}

int cuDeviceGetName(char *name, int length, int device)
{
    const int code = check_device(device);
    if (code != CW_CUDA_OK || length < 1)
        return code != CW_CUDA_OK ? code : CW_CUDA_INVALID_VALUE;
    strncpy(name, cw_cuda_device_name(), (size_t)length - 1);
    name[length - 1] = '\0';
    return CW_CUDA_OK;
}

int cuDeviceGetUuid(char uuid[16], int device)
{
    memcpy(uuid, "cowarp.simulated", 16);
    return check_device(device);
}

int cuDeviceGetUuid_v2(char uuid[16], int device)
{
    return cuDeviceGetUuid(uuid, device);
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    const int code = check_device(device);
    return code == CW_CUDA_OK ? cw_cuda_memory_info(NULL, bytes) : code;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    const int code = check_device(device);
    return code == CW_CUDA_OK ? cw_cuda_attribute(value, attribute) : code;
}

int cuDeviceComputeCapability(int *major, int *minor, int device)
{
    const int code = cuDeviceGetAttribute(major, 75, device);
    return code == CW_CUDA_OK ? cuDeviceGetAttribute(minor, 76, device) : code;
}

static const char bus_id[] = "0000:00:00.0";

int cuDeviceGetPCIBusId(char *text, int length, int device)
{
    const int code = check_device(device);
    if (code != CW_CUDA_OK || length < (int)sizeof bus_id)
        return code != CW_CUDA_OK ? code : CW_CUDA_INVALID_VALUE;
    memcpy(text, bus_id, sizeof bus_id);
    return CW_CUDA_OK;
}

int cuDeviceGetByPCIBusId(int *device, const char *text)
{
    *device = 0;
    return strcmp(text, bus_id) == 0 ? check_device(0) : CW_CUDA_DEVICE;
}

int cuDeviceCanAccessPeer(int *can, int device, int peer)
{
    *can = 0;
    return check_device(device | peer);
}

/* The primary context */

int cuDevicePrimaryCtxRetain(struct cw_driver_context **context, int device)
{
    const int code = check_device(device);
    *context = code == CW_CUDA_OK ? &primary : NULL;
    primary_retained += code == CW_CUDA_OK;
    return code;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    const int code = check_device(device);
    if (code != CW_CUDA_OK)
        return code;
    if (primary_retained == 0)
        return CW_CUDA_CONTEXT;
    primary_retained--;
    return CW_CUDA_OK;
}

int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags)
{
    primary.flags = flags;
    return check_device(device);
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    *flags = primary.flags;
    *active = primary_retained > 0 || cw_cuda_has_runtime();
    return check_device(device);
}

int cuDevicePrimaryCtxReset_v2(int device)
{
    const int code = check_device(device);
    return code == CW_CUDA_OK ? cw_cuda_reset() : code;
}

/* Contexts */

static int push(struct cw_driver_context *context)
{
    if (stack_cnt == STACK_MOST)
        return CW_CUDA_NO_MEMORY;
    stack[stack_cnt++] = context;
    return CW_CUDA_OK;
}

int cuCtxCreate_v2(struct cw_driver_context **context, unsigned flags, int device)
{
    static uint64_t next = 2;
    const int code = check_device(device);
    if (code != CW_CUDA_OK)
        return code;
    struct cw_driver_context *new = malloc(sizeof *new);
    if (new == NULL)
        return CW_CUDA_NO_MEMORY;
    *new = (struct cw_driver_context){.magic = CONTEXT_MAGIC, .flags = flags, .id = __atomic_fetch_add(&next, 1, __ATOMIC_SEQ_CST)};
    *context = new;
    return push(new);
}

/* Affinities and other wishes of a context: there is one address space and one device. */
int cuCtxCreate_v3(struct cw_driver_context **context, const void *affinities, int cnt, unsigned flags, int device)
{
    (void)affinities, (void)cnt;
    return cuCtxCreate_v2(context, flags, device);
}

int cuCtxCreate_v4(struct cw_driver_context **context, const void *wishes, unsigned flags, int device)
{
    (void)wishes;
    return cuCtxCreate_v2(context, flags, device);
}

int cuCtxDestroy_v2(struct cw_driver_context *context)
{
    if (!is_context(context) || context == &primary)
        return CW_CUDA_CONTEXT;
    if (cw_driver_current() == context)
        stack_cnt--;
    context->magic = 0;
    free(context);
    return CW_CUDA_OK;
}

int cuCtxPushCurrent_v2(struct cw_driver_context *context)
{
    return is_context(context) ? push(context) : CW_CUDA_CONTEXT;
}

int cuCtxPopCurrent_v2(struct cw_driver_context **context)
{
    if (stack_cnt == 0)
        return CW_CUDA_CONTEXT;
    stack_cnt--;
    if (context != NULL)
        *context = stack[stack_cnt];
    return CW_CUDA_OK;
}

int cuCtxSetCurrent(struct cw_driver_context *context)
{
    if (!cw_driver_is_init())
        return CW_CUDA_INIT;
    if (context != NULL && !is_context(context))
        return CW_CUDA_CONTEXT;
    stack_cnt -= stack_cnt > 0;
    return context != NULL ? push(context) : CW_CUDA_OK;
}

int cuCtxGetCurrent(struct cw_driver_context **context)
{
    *context = cw_driver_current();
    return cw_driver_is_init() ? CW_CUDA_OK : CW_CUDA_INIT;
}

int cuCtxGetDevice(int *device)
{
    *device = 0;
    return cw_driver_ready();
}

int cuCtxGetFlags(unsigned *flags)
{
    CW_DRIVER_NEEDS_CONTEXT();
    *flags = cw_driver_current()->flags;
    return CW_CUDA_OK;
}

int cuCtxGetId(const struct cw_driver_context *context, unsigned long long *id)
{
    const struct cw_driver_context *c = context != NULL ? context : cw_driver_current();
    *id = is_context(c) ? c->id : 0;
    return is_context(c) ? CW_CUDA_OK : CW_CUDA_CONTEXT;
}

int cuCtxGetApiVersion(const struct cw_driver_context *context, unsigned *version)
{
    *version = 3020;
    return context == NULL || is_context(context) ? CW_CUDA_OK : CW_CUDA_CONTEXT;
}

int cuCtxSynchronize(void)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_wait();
}

/* The context is not looked at in these two: Numba takes the newest function of a name, and gives what the older one takes. */
int cuCtxSynchronize_v2(const struct cw_driver_context *context)
{
    (void)context;
    return cuCtxSynchronize();
}

int cuCtxGetDevice_v2(int *device, const struct cw_driver_context *context)
{
    (void)context;
    return cuCtxGetDevice(device);
}

int cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    if (least != NULL)
        *least = 0;
    if (greatest != NULL)
        *greatest = 0;
    return cw_driver_ready();
}

/* Preferences: the machine's caches are as it is configured. */
int cuCtxSetCacheConfig(int config)
{
    (void)config;
    return cw_driver_ready();
}

int cuCtxGetCacheConfig(int *config)
{
    *config = 0;
    return cw_driver_ready();
}

int cuCtxSetSharedMemConfig(int config)
{
    return cuCtxSetCacheConfig(config);
}

int cuCtxGetSharedMemConfig(int *config)
{
    *config = 1; /* banks of four bytes */
    return cw_driver_ready();
}

int cuCtxSetLimit(int limit, size_t value)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_set_limit(limit, value);
}

int cuCtxGetLimit(size_t *value, int limit)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_get_limit(value, limit);
}
