/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver API: the linker, to which compilers such as Numba's give their PTX piece by piece. What it links is the text: the pieces after
 * each other, joined by nvlink's rules of names. Nothing here reads machine code.
 */
#define _GNU_SOURCE /* strndup */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"

enum input { INPUT_PTX = 1 };

struct cw_driver_link {
    char **piece, **name;
    unsigned cnt;
    char *text; /* what they are together */
    size_t length;
};

int cuLinkCreate_v2(unsigned cnt, const int *option, void **value, struct cw_driver_link **link)
{
    (void)cnt, (void)option, (void)value;
    CW_DRIVER_NEEDS_CONTEXT();
    *link = calloc(1, sizeof **link);
    return *link != NULL ? CW_CUDA_OK : CW_CUDA_NO_MEMORY;
}

int cuLinkAddData_v2(struct cw_driver_link *link, int kind, const void *data, size_t bytes, const char *name, unsigned cnt,
                     const int *option, void **value)
{
    (void)cnt, (void)option, (void)value;
    CW_DRIVER_NEEDS_CONTEXT();
    if (kind != INPUT_PTX)
        return cw_cuda_missing("cuLinkAddData with anything but PTX");
    char **pieces = realloc(link->piece, (link->cnt + 1u) * sizeof *pieces);
    if (pieces != NULL)
        link->piece = pieces;
    char **names = realloc(link->name, (link->cnt + 1u) * sizeof *names);
    if (names != NULL)
        link->name = names;
    if (pieces == NULL || names == NULL)
        return CW_CUDA_NO_MEMORY;
    pieces[link->cnt] = strndup(data, bytes);
    names[link->cnt] = strdup(name != NULL && name[0] != '\0' ? name : "a piece of PTX");
    link->cnt++;
    return pieces[link->cnt - 1] != NULL && names[link->cnt - 1] != NULL ? CW_CUDA_OK : CW_CUDA_NO_MEMORY;
}

int cuLinkAddFile_v2(struct cw_driver_link *link, int kind, const char *path, unsigned cnt, const int *option, void **value)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return CW_CUDA_FILE;
    if (fseek(file, 0, SEEK_END) == 0 && ftell(file) > 0) {
        length = (size_t)ftell(file);
        rewind(file);
        text = malloc(length);
        length = text != NULL ? fread(text, 1, length, file) : 0;
    }
    fclose(file);
    const int code = length > 0 ? cuLinkAddData_v2(link, kind, text, length, path, cnt, option, value) : CW_CUDA_FILE;
    free(text);
    return code;
}

/* The text lives as long as the link. */
int cuLinkComplete(struct cw_driver_link *link, void **data, size_t *bytes)
{
    CW_DRIVER_NEEDS_CONTEXT();
    if (link->cnt == 0)
        return CW_CUDA_INVALID_VALUE;
    free(link->text);
    const int code = cw_cuda_link(&link->text, &link->length, link->piece, link->name, link->cnt);
    if (code != CW_CUDA_OK)
        return code;
    *data = link->text;
    if (bytes != NULL)
        *bytes = link->length + 1;
    return CW_CUDA_OK;
}

int cuLinkDestroy(struct cw_driver_link *link)
{
    for (unsigned i = 0; i < link->cnt; i++) {
        free(link->piece[i]);
        free(link->name[i]);
    }
    free(link->piece);
    free(link->name);
    free(link->text);
    free(link);
    return CW_CUDA_OK;
}
