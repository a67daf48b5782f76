/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of the device as copies of the host, and libraries of the host. */
#include "hostlib/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void drop(struct cw_operand *operand, unsigned cnt)
{
    for (unsigned i = 0; i < cnt; i++) {
        free(operand[i].host);
        operand[i].host = NULL;
    }
}

int cw_operands_get(struct cw_operand *operand, unsigned cnt)
{
    int code = CW_CUDA_OK;
    for (unsigned i = 0; i < cnt; i++)
        operand[i].host = NULL;
    for (unsigned i = 0; i < cnt && code == CW_CUDA_OK; i++) {
        struct cw_operand *o = operand + i;
        if (o->bytes == 0)
            continue;
        o->host = malloc(o->bytes);
        code = o->host == NULL ? CW_CUDA_NO_MEMORY : cw_cuda_copy(o->host, o->device, o->bytes, 2);
    }
    if (code != CW_CUDA_OK)
        drop(operand, cnt);
    return code;
}

int cw_operands_put(struct cw_operand *operand, unsigned cnt)
{
    int code = CW_CUDA_OK;
    for (unsigned i = 0; i < cnt && code == CW_CUDA_OK; i++)
        if (operand[i].written && operand[i].bytes > 0)
            code = cw_cuda_copy(operand[i].device, operand[i].host, operand[i].bytes, 1);
    drop(operand, cnt);
    return code;
}

void *cw_library_function(const char *library, const char *package, const char *name)
{
    static const char *said[4]; /* libraries, whose names are literals */
    void *const handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    void *const found = handle != NULL ? dlsym(handle, name) : NULL; /* the handle stays open: the function is used */
    uint32_t i = 0;
    while (i < 4 && said[i] != NULL && strcmp(said[i], library) != 0)
        i++;
    if (found == NULL && i < 4 && said[i] == NULL) {
        fprintf(stderr, "cowarp: %s of %s is needed and is not there; apt-get install %s\n", name, library, package);
        said[i] = library;
    }
    return found;
}

size_t cw_vector_bytes(int64_t n, int64_t inc, size_t element)
{
    const int64_t step = inc < 0 ? -inc : inc;
    return n > 0 ? ((size_t)(n - 1) * (size_t)step + 1) * element : 0;
}

size_t cw_matrix_bytes(int64_t rows, int64_t columns, int64_t ld, size_t element)
{
    return rows > 0 && columns > 0 ? ((size_t)(columns - 1) * (size_t)ld + (size_t)rows) * element : 0;
}
