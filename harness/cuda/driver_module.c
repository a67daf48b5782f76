/* SPDX-License-Identifier: Apache-2.0 */
/* The driver API: modules, libraries, and the kernels and variables in them. A library is a module, and a kernel a function. */
#include <string.h>

#include "cuda/driver.h"

/* Where a program wants the words of the compiler; each is a buffer with its size. */
enum jit_option { INFO_LOG = 3, INFO_LOG_BYTES = 4, ERROR_LOG = 5, ERROR_LOG_BYTES = 6 };

static void write_log(const char *text, unsigned cnt, const int *option, void **value, int buffer, int bytes)
{
    char *to = NULL;
    size_t room = 0, at = 0;
    for (unsigned i = 0; i < cnt; i++) {
        if (option[i] == buffer)
            to = value[i];
        if (option[i] == bytes) {
            room = (uintptr_t)value[i];
            at = i;
        }
    }
    if (to == NULL || room == 0)
        return;
    const size_t used = strlen(text) < room ? strlen(text) : room - 1;
    memcpy(to, text, used);
    to[used] = '\0';
    value[at] = (void *)(uintptr_t)used;
}

int cuModuleLoadDataEx(struct cw_cuda_image **module, const void *data, unsigned cnt, const int *option, void **value)
{
    CW_DRIVER_NEEDS_CONTEXT();
    if (module == NULL || data == NULL)
        return CW_CUDA_INVALID_VALUE;
    const int code = cw_cuda_load(module, data);
    if (cnt > 0 && option != NULL && value != NULL) {
        write_log(code != CW_CUDA_OK ? cw_cuda_said() : "", cnt, option, value, ERROR_LOG, ERROR_LOG_BYTES);
        write_log("", cnt, option, value, INFO_LOG, INFO_LOG_BYTES);
    }
    return code;
}

int cuModuleLoadData(struct cw_cuda_image **module, const void *data)
{
    return cuModuleLoadDataEx(module, data, 0, NULL, NULL);
}

int cuModuleLoadFatBinary(struct cw_cuda_image **module, const void *data)
{
    return cuModuleLoadData(module, data);
}

int cuModuleLoad(struct cw_cuda_image **module, const char *path)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_load_file(module, path);
}

int cuModuleUnload(struct cw_cuda_image *module)
{
    CW_DRIVER_NEEDS_CONTEXT();
    return cw_cuda_unload(module);
}

int cuModuleGetLoadingMode(int *mode)
{
    *mode = 1; /* at once */
    return CW_CUDA_OK;
}

int cuModuleGetFunction(struct cw_cuda_function **function, struct cw_cuda_image *module, const char *name)
{
    CW_DRIVER_NEEDS_CONTEXT();
    const int code = cw_cuda_image_check(module);
    return code == CW_CUDA_OK ? cw_cuda_function_named(function, module, name) : code;
}

int cuModuleGetFunctionCount(unsigned *count, struct cw_cuda_image *module)
{
    struct cw_cuda_function *f;
    CW_DRIVER_NEEDS_CONTEXT();
    const int code = cw_cuda_image_check(module);
    *count = 0;
    while (code == CW_CUDA_OK && cw_cuda_function_at(&f, module, *count) == CW_CUDA_OK)
        ++*count;
    return code;
}

int cuModuleEnumerateFunctions(struct cw_cuda_function **functions, unsigned most, struct cw_cuda_image *module)
{
    CW_DRIVER_NEEDS_CONTEXT();
    const int code = cw_cuda_image_check(module);
    for (unsigned i = 0; code == CW_CUDA_OK && i < most; i++)
        if (cw_cuda_function_at(&functions[i], module, i) != CW_CUDA_OK)
            break;
    return code;
}

int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, struct cw_cuda_image *module, const char *name)
{
    uint64_t at;
    size_t size;
    CW_DRIVER_NEEDS_CONTEXT();
    int code = cw_cuda_image_check(module);
    if (code == CW_CUDA_OK)
        code = cw_cuda_global(module, name, &at, &size);
    if (code == CW_CUDA_OK && address != NULL)
        *address = at;
    if (code == CW_CUDA_OK && bytes != NULL)
        *bytes = size;
    return code;
}

/* Libraries */

int cuLibraryLoadData(struct cw_cuda_image **library, const void *data, const int *option, void **value, unsigned cnt,
                      const int *library_option, void **library_value, unsigned library_cnt)
{
    (void)library_option, (void)library_value, (void)library_cnt;
    return cuModuleLoadDataEx(library, data, cnt, option, value);
}

int cuLibraryLoadFromFile(struct cw_cuda_image **library, const char *path, const int *option, void **value, unsigned cnt,
                          const int *library_option, void **library_value, unsigned library_cnt)
{
    (void)option, (void)value, (void)cnt, (void)library_option, (void)library_value, (void)library_cnt;
    return cuModuleLoad(library, path);
}

int cuLibraryUnload(struct cw_cuda_image *library)
{
    return cuModuleUnload(library);
}

int cuLibraryGetModule(struct cw_cuda_image **module, struct cw_cuda_image *library)
{
    *module = library;
    return cw_cuda_image_check(library);
}

int cuLibraryGetKernel(struct cw_cuda_function **kernel, struct cw_cuda_image *library, const char *name)
{
    return cuModuleGetFunction(kernel, library, name);
}

int cuLibraryGetKernelCount(unsigned *count, struct cw_cuda_image *library)
{
    return cuModuleGetFunctionCount(count, library);
}

int cuLibraryEnumerateKernels(struct cw_cuda_function **kernels, unsigned most, struct cw_cuda_image *library)
{
    return cuModuleEnumerateFunctions(kernels, most, library);
}

int cuLibraryGetGlobal(uint64_t *address, size_t *bytes, struct cw_cuda_image *library, const char *name)
{
    return cuModuleGetGlobal_v2(address, bytes, library, name);
}

int cuKernelGetFunction(struct cw_cuda_function **function, struct cw_cuda_function *kernel)
{
    return cw_cuda_function(function, kernel);
}

int cuKernelGetLibrary(struct cw_cuda_image **library, struct cw_cuda_function *kernel)
{
    struct cw_cuda_function *f;
    const int code = cw_cuda_function(&f, kernel);
    *library = code == CW_CUDA_OK ? cw_cuda_function_image(f) : NULL;
    return code;
}
