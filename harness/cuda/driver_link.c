/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver API: the linker, to which compilers such as Numba's give their PTX piece by piece. What it links is the text: the pieces after
 * each other, with one header. A function that one piece declares and another has is then the same function. Nothing here reads machine code.
 */
#define _GNU_SOURCE /* strnlen */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"

enum input { INPUT_PTX = 1 };

struct cw_driver_link {
    char *text;
    size_t length;
};

int cuLinkCreate_v2(unsigned cnt, const int *option, void **value, struct cw_driver_link **link)
{
    (void)cnt, (void)option, (void)value;
    CW_DRIVER_NEEDS_CONTEXT();
    *link = calloc(1, sizeof **link);
    return *link != NULL ? CW_CUDA_OK : CW_CUDA_NO_MEMORY;
}

/* Whether the line is one of a header's, which a text has once. */
static bool is_header(const char *line)
{
    static const char *const words[] = {".version", ".target", ".address_size"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strncmp(line, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

/* Appends the text, line by line; first: with its header. */
static void append(struct cw_driver_link *link, const char *text, size_t length, bool first)
{
    for (size_t at = 0, n; at < length && text[at] != '\0'; at += n) {
        const char *end = memchr(text + at, '\n', length - at);
        n = end != NULL ? (size_t)(end - (text + at)) + 1 : strnlen(text + at, length - at);
        if (!first && is_header(text + at))
            continue;
        memcpy(link->text + link->length, text + at, n);
        link->length += n;
    }
    link->text[link->length++] = '\n';
    link->text[link->length] = '\0';
}

int cuLinkAddData_v2(struct cw_driver_link *link, int kind, const void *data, size_t bytes, const char *name, unsigned cnt,
                     const int *option, void **value)
{
    (void)name, (void)cnt, (void)option, (void)value;
    CW_DRIVER_NEEDS_CONTEXT();
    if (kind != INPUT_PTX)
        return cw_cuda_missing("cuLinkAddData with anything but PTX");
    char *more = realloc(link->text, link->length + bytes + 2);
    if (more == NULL)
        return CW_CUDA_NO_MEMORY;
    link->text = more;
    append(link, data, bytes, link->length == 0);
    return CW_CUDA_OK;
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
    if (link->length == 0)
        return CW_CUDA_INVALID_VALUE;
    *data = link->text;
    if (bytes != NULL)
        *bytes = link->length + 1;
    return CW_CUDA_OK;
}

int cuLinkDestroy(struct cw_driver_link *link)
{
    free(link->text);
    free(link);
    return CW_CUDA_OK;
}
