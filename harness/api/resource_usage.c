/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcowarp: registers of kernels, from what a compiler's tools print. `ptxas -v` writes "Compiling entry function 'k' for 'sm_80'", other
 * lines, and "Used 24 registers, ..."; `cuobjdump --dump-resource-usage` writes "Function k:" and "REG:24 STACK:0 ...". Other lines are
 * passed over, as a build's output has many.
 */
#define _GNU_SOURCE /* strdup, strndup */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "file/in_file.h"

struct entry {
    char *kernel;
    uint32_t registers; /* 0: the file does not have the kernel, and the user has been told */
    uint32_t line;
    struct entry *next;
};

struct cowarp_usage {
    char *path;
    struct entry *entries;
};

/* The text while it is read. */
struct reader {
    struct cowarp_gpu *gpu;
    const char *kernel; /* whose registers have not come yet; NULL: none */
    size_t length;      /* of its name */
    uint32_t line, kernel_line;
};

static struct entry *find(const struct cowarp_usage *u, const char *kernel, size_t length)
{
    for (struct entry *e = u->entries; e != NULL; e = e->next)
        if (strlen(e->kernel) == length && memcmp(e->kernel, kernel, length) == 0)
            return e;
    return NULL;
}

static int add(struct cowarp_gpu *gpu, const char *kernel, size_t length, uint32_t registers, uint32_t line)
{
    struct entry *e = calloc(1, sizeof *e);
    if (e == NULL || (e->kernel = strndup(kernel, length)) == NULL) {
        free(e);
        return cw_fail(&gpu->err, CW_ENOMEM, "%s: out of memory", gpu->usage->path);
    }
    e->registers = registers;
    e->line = line;
    e->next = gpu->usage->entries;
    gpu->usage->entries = e;
    return CW_OK;
}

/* A line names a kernel, whose registers another line will say. */
static int begin(struct reader *r, const char *kernel, size_t length)
{
    if (r->kernel != NULL)
        return cw_fail(&r->gpu->err, CW_EINVAL, "%s:%" PRIu32 ": the registers of '%.*s' are missing; no line says them",
                       r->gpu->usage->path, r->kernel_line, r->length < 80 ? (int)r->length : 80, r->kernel);
    r->kernel = kernel;
    r->length = length;
    r->kernel_line = r->line;
    return CW_OK;
}

/* number: where it begins. */
static int end(struct reader *r, const char *number)
{
    char *behind = NULL;
    const char *path = r->gpu->usage->path;
    const unsigned long n = isdigit((unsigned char)*number) ? strtoul(number, &behind, 10) : 0;
    if (n == 0 || n > CW_REGISTERS_MAX || (*behind != ' ' && *behind != '\0'))
        return cw_fail(&r->gpu->err, CW_EINVAL, "%s:%" PRIu32 ": '%.20s' is no number of registers from 1 to %u", path, r->line, number,
                       CW_REGISTERS_MAX);
    if (r->kernel == NULL)
        return cw_fail(&r->gpu->err, CW_EINVAL, "%s:%" PRIu32 ": %lu registers, but no line above says of which kernel", path, r->line, n);
    const struct entry *e = find(r->gpu->usage, r->kernel, r->length);
    const int length = r->length < 80 ? (int)r->length : 80;
    if (e != NULL && e->registers != n)
        return cw_fail(&r->gpu->err, CW_EINVAL,
                       "%s:%" PRIu32 ": '%.*s' has %lu registers here and %" PRIu32 " in line %" PRIu32 "; keep those of one architecture",
                       path, r->line, length, r->kernel, n, e->registers, e->line);
    const int status = e == NULL ? add(r->gpu, r->kernel, r->length, (uint32_t)n, r->line) : CW_OK;
    r->kernel = NULL;
    return status;
}

static int read_line(struct reader *r, const char *line)
{
    static const char entry[] = "Compiling entry function '", used[] = ": Used ", function[] = "Function ", reg[] = "REG:";
    const char *at = strstr(line, entry);
    line += strspn(line, " \t");
    if (at != NULL) {
        at += sizeof entry - 1;
        return begin(r, at, strcspn(at, "'"));
    }
    const size_t length = strlen(line);
    if (strncmp(line, function, sizeof function - 1) == 0 && line[length - 1] == ':')
        return begin(r, line + sizeof function - 1, length - sizeof function);
    if (strncmp(line, reg, sizeof reg - 1) == 0)
        return end(r, line + sizeof reg - 1);
    at = strstr(line, used);
    return at != NULL && strncmp(line, "ptxas", 5) == 0 && strstr(at, " registers") != NULL ? end(r, at + sizeof used - 1) : CW_OK;
}

static int read_text(struct cowarp_gpu *gpu, char *text)
{
    struct reader r = {.gpu = gpu};
    int status = CW_OK;
    for (char *line = text, *next; status == CW_OK && line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        line[strcspn(line, "\r")] = '\0';
        r.line++;
        status = read_line(&r, line);
    }
    if (status == CW_OK)
        status = begin(&r, "", 0); /* is one left? */
    if (status == CW_OK && gpu->usage->entries == NULL)
        return cw_fail(&gpu->err, CW_EINVAL,
                       "%s: says no kernel's registers; it takes what ptxas -v or cuobjdump --dump-resource-usage prints",
                       gpu->usage->path);
    return status;
}

int cowarp__usage_create(struct cowarp_gpu *gpu, const struct cowarp_options *options)
{
    char *text;
    size_t length = 0;
    if (options->resource_usage == NULL)
        return CW_OK;
    gpu->usage = calloc(1, sizeof *gpu->usage);
    if (gpu->usage == NULL || (gpu->usage->path = strdup(options->resource_usage)) == NULL)
        return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
    int status = cw_in_file_read(&text, &length, gpu->usage->path, &gpu->err);
    if (status != CW_OK)
        return status;
    char *grown = realloc(text, length + 1);
    if (grown != NULL)
        grown[length] = '\0';
    status = grown != NULL ? read_text(gpu, grown) : cw_fail(&gpu->err, CW_ENOMEM, "%s: out of memory", gpu->usage->path);
    free(grown != NULL ? grown : text);
    return status;
}

uint32_t cowarp__usage_registers(const struct cowarp_gpu *gpu, const char *kernel)
{
    const struct entry *e = gpu->usage != NULL ? find(gpu->usage, kernel, strlen(kernel)) : NULL;
    return e != NULL ? e->registers : 0;
}

int cowarp__usage_missing(struct cowarp_gpu *gpu, const char *kernel)
{
    char text[600];
    if (gpu->usage == NULL || find(gpu->usage, kernel, strlen(kernel)) != NULL)
        return CW_OK;
    snprintf(text, sizeof text, "%.200s says nothing of kernel %.200s; its registers are those that live at once in its PTX",
             gpu->usage->path, kernel);
    if (gpu->on_message != NULL)
        gpu->on_message(gpu->context, text);
    return add(gpu, kernel, strlen(kernel), 0, 0);
}

void cowarp__usage_destroy(struct cowarp_gpu *gpu)
{
    struct cowarp_usage *u = gpu->usage;
    for (struct entry *e = u != NULL ? u->entries : NULL, *next; e != NULL; e = next) {
        next = e->next;
        free(e->kernel);
        free(e);
    }
    if (u != NULL)
        free(u->path);
    free(u);
}
