/* SPDX-License-Identifier: Apache-2.0 */
/* Containers of the program and their PTX, before there is a GPU. */
#define _GNU_SOURCE /* program_invocation_short_name */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cuda/process.h"
#include "fatbin/elf.h"
#include "fatbin/fatbin.h"
#include "fatbin/link.h"
#include "fatbin/texts.h"

#define WRAPPER_MAGIC UINT32_C(0x466243B1)

/* What nvcc's start-up code hands over. */
struct wrapper {
    uint32_t magic, version;
    const void *data;
    const void *const
        *more; /* version 2: containers that were compiled with -rdc=true, to be linked with each other; the last one is NULL */
};

struct cw_cuda_image *cw_cuda__image_new(void)
{
    struct cw_cuda_process *p = &cw_cuda__process;
    struct cw_cuda_image *image = calloc(1, sizeof *image);
    if (image == NULL) { /* a program's start-up code has no way to be told */
        fprintf(stderr, "cowarp: out of memory\n");
        abort();
    }
    snprintf(image->name, sizeof image->name, "%.60s#%u.ptx", program_invocation_short_name, (unsigned)++p->image_cnt);
    image->next = p->images;
    p->images = image;
    return image;
}

static void cannot(struct cw_cuda_image *image, int code, const char *why)
{
    image->code = code;
    snprintf(image->why, sizeof image->why, "%.500s", why);
}

static void fill_container(struct cw_cuda_image *image, const void *data)
{
    struct cw_fatbin f;
    struct cw_error err;
    int status = cw_fatbin_read_own(&f, data, image->name, &err);
    if (status != CW_OK) {
        cannot(image, CW_CUDA_IMAGE, err.text);
        return;
    }
    const struct cw_fatbin_image *ptx = cw_fatbin_newest_ptx(&f);
    if (ptx == NULL) {
        cw_fatbin_no_ptx(&f, image->name, &err);
        cannot(image, CW_CUDA_NO_IMAGE, err.text);
        return;
    }
    status = cw_fatbin_text(&image->text, &image->length, ptx, image->name, &err);
    if (status != CW_OK)
        cannot(image, CW_CUDA_IMAGE, err.text);
    image->architecture = ptx->architecture;
}

/* Containers without PTX are no error before a kernel or a variable of theirs is asked for: the toolkit's library of the device may be one. */
static void note_what_has_no_ptx(struct cw_cuda_image *image, const struct cw_fatbin *f, uint32_t cnt)
{
    struct cw_error err;
    for (uint32_t i = 0; i < cnt && image->missing[0] == '\0'; i++)
        if (cw_fatbin_newest_ptx(&f[i]) == NULL) {
            cw_fatbin_no_ptx(&f[i], image->name, &err);
            snprintf(image->missing, sizeof image->missing, "%.500s", err.text);
        }
}

/* Links the containers of files that were compiled with -rdc=true. */
static void fill_linked(struct cw_cuda_image *image, const void *const *containers)
{
    struct cw_fatbin_one one = {.name = image->name};
    struct cw_error err;
    uint32_t cnt = 0;
    while (containers[cnt] != NULL)
        cnt++;
    struct cw_fatbin *f = calloc(cnt + 1, sizeof *f);
    int status = f != NULL ? CW_OK : cw_fail(&err, CW_ENOMEM, "%s: out of memory", image->name);
    for (uint32_t i = 0; status == CW_OK && i < cnt; i++)
        status = cw_fatbin_read_own(&f[i], containers[i], image->name, &err);
    if (status == CW_OK) {
        note_what_has_no_ptx(image, f, cnt);
        status = cw_fatbin_texts_link(&one, f, cnt, image->name, &err);
    }
    if (status != CW_OK)
        cannot(image, status == CW_EUNSUP ? CW_CUDA_NO_IMAGE : CW_CUDA_IMAGE, err.text);
    image->text = one.text;
    image->length = one.length;
    image->architecture = one.architecture;
    free(f);
}

/* "75" of ".target sm_75". */
static uint32_t target_of(const char *text)
{
    const char *at = strstr(text, ".target");
    at = at != NULL ? strstr(at, "sm_") : NULL;
    return at != NULL ? (uint32_t)strtoul(at + 3, NULL, 10) : 0;
}

static void fill_text(struct cw_cuda_image *image, const char *text)
{
    image->length = strlen(text);
    image->text = strdup(text);
    image->architecture = target_of(text);
    if (image->text == NULL)
        cannot(image, CW_CUDA_NO_MEMORY, "out of memory");
}

/* Whether what a program has registered is PTX, which begins with a directive or a comment. */
static bool is_text(const char *data)
{
    const char first = data[strspn(data, " \t\r\n")];
    return first == '.' || first == '/';
}

void cw_cuda__image_fill(struct cw_cuda_image *image, const void *data)
{
    struct wrapper w;
    uint32_t magic;
    memcpy(&magic, data, sizeof magic);
    const bool wrapped = magic == WRAPPER_MAGIC;
    if (wrapped) {
        memcpy(&w, data, sizeof w);
        data = w.data;
    }
    if (wrapped && w.version == 2 && w.more != NULL)
        fill_linked(image, w.more);
    else if (cw_fatbin_is(data, sizeof magic))
        fill_container(image, data);
    else if (wrapped ? is_text(data) : memcmp(data, "\177ELF", 4) != 0)
        fill_text(image, data);
    else
        cannot(image, CW_CUDA_NO_IMAGE, "machine code without PTX cannot run; give the PTX");
}

struct cw_cuda_image *cw_cuda_register(const void *wrapper)
{
    cw_cuda__lock();
    struct cw_cuda_image *image = cw_cuda__image_new();
    cw_cuda__image_fill(image, wrapper);
    cw_cuda__unlock();
    return image;
}

int cw_cuda_link(char **text, size_t *length, char *const *piece, char *const *name, unsigned cnt)
{
    struct cw_error err;
    struct cw_link_unit *unit = calloc(cnt, sizeof *unit);
    *text = NULL;
    if (unit == NULL)
        return CW_CUDA_NO_MEMORY;
    for (unsigned i = 0; i < cnt; i++)
        unit[i] = (struct cw_link_unit){.text = piece[i], .name = name[i]};
    const int status = cw_fatbin_link(text, length, unit, cnt, &err);
    free(unit);
    if (status != CW_OK)
        cw_cuda__say("%s", err.text);
    return status == CW_OK ? CW_CUDA_OK : status == CW_ENOMEM ? CW_CUDA_NO_MEMORY : CW_CUDA_PTX;
}

void cw_cuda_use_runtime(void)
{
    cw_cuda__process.has_runtime = true;
}

bool cw_cuda_has_runtime(void)
{
    return cw_cuda__process.has_runtime;
}

/* Bytes of the declaration that begins at `at`: its last [N], times the bytes of its type; 0: [] or no array of a known size. */
static uint64_t declared_bytes(const char *at, const char *end)
{
    uint64_t unit = 0, count = 1;
    for (const char *c = at; c < end; c++) {
        if (c[0] == '.' && strchr("bsuf", c[1]) != NULL && isdigit((unsigned char)c[2]))
            unit = strtoull(c + 2, NULL, 10) / 8;
        if (c[0] == '[')
            count *= strtoull(c + 1, NULL, 10);
    }
    return unit * count;
}

/* A function's body begins where a line begins with a brace, and ends so: compilers write it like that, and it is an estimate only. */
uint64_t cw_cuda__shared_need(const char *text, bool *dynamic)
{
    uint64_t global = 0, own = 0, most = 0;
    bool inside = false;
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *end = line + strcspn(line, "\n"), *at = line + strspn(line, " \t");
        if (*at == '{' && !inside)
            inside = true, own = 0;
        else if (line[0] == '}')
            inside = false;
        *dynamic |= strncmp(at, ".extern", 7) == 0 && memmem(at, (size_t)(end - at), ".shared", 7) != NULL;
        if (strncmp(at, ".shared", 7) != 0)
            continue;
        *(inside ? &own : &global) += declared_bytes(at, end);
        most = own > most ? own : most;
    }
    return global + most;
}
