/* SPDX-License-Identifier: Apache-2.0 */
/* The driver API: its beginning, its errors, and the addresses of its functions. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <string.h>

#include "cuda/driver.h"

extern const int cw_cuda_runtime_version; /* of libcuda: 1 */

int cuInit(unsigned flags)
{
    if (flags != 0)
        return CW_CUDA_INVALID_VALUE;
    cw_driver_init();
    return CW_CUDA_OK;
}

int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return CW_CUDA_OK;
}

static const struct {
    int code;
    const char *name;
} codes[] = {
    {0, "CUDA_SUCCESS"},
    {1, "CUDA_ERROR_INVALID_VALUE"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY"},
    {3, "CUDA_ERROR_NOT_INITIALIZED"},
    {4, "CUDA_ERROR_DEINITIALIZED"},
    {101, "CUDA_ERROR_INVALID_DEVICE"},
    {200, "CUDA_ERROR_INVALID_IMAGE"},
    {201, "CUDA_ERROR_INVALID_CONTEXT"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    {218, "CUDA_ERROR_INVALID_PTX"},
    {301, "CUDA_ERROR_FILE_NOT_FOUND"},
    {400, "CUDA_ERROR_INVALID_HANDLE"},
    {500, "CUDA_ERROR_NOT_FOUND"},
    {600, "CUDA_ERROR_NOT_READY"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
    {710, "CUDA_ERROR_ASSERT"},
    {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
    {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
    {719, "CUDA_ERROR_LAUNCH_FAILED"},
    {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
    {801, "CUDA_ERROR_NOT_SUPPORTED"},
    {999, "CUDA_ERROR_UNKNOWN"},
};

int cuGetErrorName(int code, const char **name)
{
    *name = NULL;
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i].code == code)
            *name = codes[i].name;
    return *name != NULL ? CW_CUDA_OK : CW_CUDA_INVALID_VALUE;
}

int cuGetErrorString(int code, const char **text)
{
    const char *name;
    const int known = cuGetErrorName(code, &name);
    *text = known == CW_CUDA_OK ? cw_cuda_code_text(code) : NULL;
    return known;
}

/* This library, whichever way the program has loaded it. */
static void *own_library(void)
{
    Dl_info info;
    return dladdr(codes, &info) != 0 ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

/* status: 0 found, 1 no such name, 2 the program's version of CUDA has none yet */
int cuGetProcAddress_v2(const char *name, void **address, int version, uint64_t flags, int *status)
{
    const char *symbol = NULL;
    int found = 1;
    (void)flags; /* the default stream is the same for each thread */
    for (unsigned i = 0; i < cw_driver_function_cnt; i++) {
        const struct cw_driver_function *f = &cw_driver_functions[i];
        if (strcmp(f->name, name) != 0)
            continue;
        if (f->since <= version)
            symbol = f->symbol;
        found = symbol != NULL ? 0 : 2;
    }
    void *library = symbol != NULL ? own_library() : NULL;
    *address = library != NULL ? dlsym(library, symbol) : NULL;
    if (library != NULL)
        dlclose(library);
    if (status != NULL)
        *status = found;
    return *address != NULL ? CW_CUDA_OK : CW_CUDA_NOT_FOUND;
}

int cuGetProcAddress(const char *name, void **address, int version, uint64_t flags)
{
    return cuGetProcAddress_v2(name, address, version, flags, NULL);
}

int cuProfilerStart(void)
{
    return CW_CUDA_OK;
}

int cuProfilerStop(void)
{
    return CW_CUDA_OK;
}
