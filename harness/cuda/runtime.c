/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime API: what nvcc's start-up code calls, and errors. */
#include <dlfcn.h>

#include "cuda/runtime.h"

/* So the driver's functions have a context without asking for it. */
__attribute__((constructor)) static void is_loaded(void)
{
    cw_cuda_use_runtime();
}

/* Registration. The handle is the image. */

void **__cudaRegisterFatBinary(void *wrapper)
{
    return (void **)cw_cuda_register(wrapper);
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle; /* the image stays: the process ends */
}

char __cudaInitModule(void **handle)
{
    return cw_cuda_note(cw_cuda_place_managed((struct cw_cuda_image *)(void *)handle)) == CW_CUDA_OK;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, void *tid, void *bid, void *block,
                            void *grid, int *warp)
{
    (void)device, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    cw_cuda_register_function((struct cw_cuda_image *)(void *)handle, host, name);
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t bytes, int constant, int global)
{
    (void)device, (void)external, (void)constant, (void)global;
    cw_cuda_register_variable((struct cw_cuda_image *)(void *)handle, host, name, bytes);
}

void __cudaRegisterManagedVar(void **handle, void **pointer, char *device, const char *name, int external, size_t bytes, int constant,
                              int global)
{
    (void)device, (void)external, (void)constant, (void)global;
    cw_cuda_register_managed((struct cw_cuda_image *)(void *)handle, pointer, name, bytes);
}

/* The driver's functions: status 0 found, 1 no such name, 2 too new for the version. */
int cudaGetDriverEntryPointByVersion(const char *name, void **address, unsigned version, unsigned long long flags, int *status)
{
    typedef int find(const char *, void **, int, uint64_t, int *);
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
    find *const found = driver != NULL ? (find *)(uintptr_t)dlsym(driver, "cuGetProcAddress_v2") : NULL;
    int result = 1;
    *address = NULL;
    if (found != NULL) /* what is not there is told by the status */
        found(name, address, (int)version, flags, &result);
    if (status != NULL)
        *status = result;
    return cw_cuda_note(found != NULL ? CW_CUDA_OK : CW_CUDA_FILE);
}

int cudaGetDriverEntryPoint(const char *name, void **address, unsigned long long flags, int *status)
{
    return cudaGetDriverEntryPointByVersion(name, address, (unsigned)cw_cuda_runtime_version * 1000, flags, status);
}

/* Errors */

int cudaGetLastError(void)
{
    return cw_cuda_last(true);
}

int cudaPeekAtLastError(void)
{
    return cw_cuda_last(false);
}

const char *cudaGetErrorName(int code)
{
    const char *name = cw_cuda_code_name(code);
    return name != NULL ? name : "unrecognized error code";
}

const char *cudaGetErrorString(int code)
{
    const char *text = cw_cuda_code_text(code);
    return text != NULL ? text : "unrecognized error code";
}
