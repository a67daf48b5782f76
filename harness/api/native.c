/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: the compiler of functional launches, which is loaded when the first kernel is worth it. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "api.h"
#include "exec/native.h"
#include "rtl/rtl_place.h"

struct loaded {
    const struct cw_native_compiler *compiler;
    void *self;
};

static int load(const struct cw_native_compiler **compiler, struct cw_error *err)
{
    const struct cw_native_compiler *(*get)(void) = NULL;
    char path[CW_PATH_MAX];
    void *library = cw_place(path, CW_PLACE_LOADED "/libcowarp_native.so") ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) : NULL;
    if (library != NULL)
        *(void **)&get = dlsym(library, "cw_native_compiler_get");
    *compiler = get != NULL ? get() : NULL;
    if (*compiler == NULL || (*compiler)->abi != CW_NATIVE_ABI)
        return cw_fail(err, CW_EUNSUP, "--functional=native: %s cannot be loaded; 'cowarp doctor' says what it needs", path);
    return CW_OK;
}

static int open_loaded(void **self, struct cw_error *err)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER; /* Each thread of a launch has a compiler. */
    struct loaded *l = calloc(1, sizeof *l);
    pthread_mutex_lock(&one);
    int status = l != NULL ? load(&l->compiler, err) : cw_fail(err, CW_ENOMEM, "out of memory");
    if (status == CW_OK)
        status = l->compiler->open(&l->self, err);
    pthread_mutex_unlock(&one);
    if (status == CW_OK)
        *self = l;
    else
        free(l);
    return status;
}

static int compile(void *self, const struct cw_native_source *source, const struct cw_native_part *part, cw_native_code **code,
                   uint32_t *entry, struct cw_error *err)
{
    const struct loaded *l = self;
    return l->compiler->compile(l->self, source, part, code, entry, err);
}

static void close_loaded(void *self)
{
    struct loaded *l = self;
    l->compiler->close(l->self);
    free(l);
}

const struct cw_native_compiler cowarp__native = {CW_NATIVE_ABI, open_loaded, compile, close_loaded};
