/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In front of NVRTC, NVIDIA's compiler as a library, which runs here as it is: a program that asks it for machine code gets the PTX of the same
 * compilation. cuModuleLoadData takes either. `cowarp cuda` preloads this file as a library of its own.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef int get_size(void *program, size_t *bytes);
typedef int get_text(void *program, char *text);

int nvrtcGetCUBINSize(void *program, size_t *bytes);
int nvrtcGetCUBIN(void *program, char *code);

/* POSIX lets a pointer to data be one to a function; ISO C has no cast for it. 1000: a status that NVRTC has not. */
static int size_by(const char *function, void *program, size_t *bytes)
{
    void *const at = dlsym(RTLD_NEXT, function);
    get_size *call = NULL;
    memcpy(&call, &at, sizeof at);
    return call != NULL ? call(program, bytes) : 1000;
}

static int text_by(const char *function, void *program, char *text)
{
    void *const at = dlsym(RTLD_NEXT, function);
    get_text *call = NULL;
    memcpy(&call, &at, sizeof at);
    return call != NULL ? call(program, text) : 1000;
}

/* Of a compilation without PTX, as of -dlto, its own answer. */
static int has_text(void *program, size_t *bytes)
{
    return size_by("nvrtcGetPTXSize", program, bytes) == 0 && *bytes > 1;
}

int nvrtcGetCUBINSize(void *program, size_t *bytes)
{
    return has_text(program, bytes) ? 0 : size_by("nvrtcGetCUBINSize", program, bytes);
}

int nvrtcGetCUBIN(void *program, char *code)
{
    size_t bytes;
    return text_by(has_text(program, &bytes) ? "nvrtcGetPTX" : "nvrtcGetCUBIN", program, code);
}
