/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* vasprintf */
#include "argument.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/in_file.h"
#include "file/out_file.h"

char *cli_text(const char *fmt, ...)
{
    char *text = NULL;
    va_list ap;
    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0)
        text = NULL;
    va_end(ap);
    return text;
}

static int bad(const struct cli_argument *a, const char *what)
{
    return cli_error(CLI_WRONG, "%s: %s", a->place, what);
}

bool cli_real(const char *text, double *value)
{
    char *end;
    if (text[0] == '\0' || text[0] == ' ' || text[0] == '\t')
        return false;
    *value = strtod(text, &end);
    return *end == '\0' && end != text && !(errno == ERANGE && isinf(*value));
}

static bool real32(const char *text, float *value)
{
    char *end;
    if (text[0] == '\0' || text[0] == ' ' || text[0] == '\t')
        return false;
    /* not by way of double: that would round twice */
    *value = strtof(text, &end);
    return *end == '\0' && end != text && !(errno == ERANGE && isinf(*value));
}

/* u32, s32, u64, s64, f32, f64, local. *known: whether type is one of these. */
static bool parse_value(struct cowarp_arg *v, const char *type, const char *text, bool *known)
{
    int64_t s = 0;
    uint64_t u = 0;
    bool ok = true;
    errno = 0;
    if (strcmp(type, "u32") == 0) {
        ok = cli_u32(text, &v->value.u32);
        v->type = COWARP_ARG_U32;
    } else if (strcmp(type, "s32") == 0) {
        ok = cli_s64(text, &s) && s >= INT32_MIN && s <= INT32_MAX;
        *v = (struct cowarp_arg){COWARP_ARG_S32, {.s32 = (int32_t)s}};
    } else if (strcmp(type, "u64") == 0) {
        ok = cli_u64(text, &u);
        *v = (struct cowarp_arg){COWARP_ARG_U64, {.u64 = u}};
    } else if (strcmp(type, "s64") == 0) {
        ok = cli_s64(text, &s);
        *v = (struct cowarp_arg){COWARP_ARG_S64, {.s64 = s}};
    } else if (strcmp(type, "f32") == 0) {
        ok = real32(text, &v->value.f32);
        v->type = COWARP_ARG_F32;
    } else if (strcmp(type, "f64") == 0) {
        ok = cli_real(text, &v->value.f64);
        v->type = COWARP_ARG_F64;
    } else if (strcmp(type, "local") == 0) {
        ok = cli_u64(text, &u);
        *v = (struct cowarp_arg){COWARP_ARG_LOCAL, {.u64 = u}};
    } else {
        *known = false;
    }
    return ok;
}

static char *copy_of(const char *text, size_t length)
{
    char *copy = calloc(1, length + 1);
    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

static int parse_bytes(struct cli_argument *a, const char *text)
{
    if (cli_u64(text, &a->bytes) && a->bytes > 0 && a->bytes <= CLI_FILE_MAX_BYTES)
        return CLI_OK;
    if (cli_is_number(text))
        return cli_error(CLI_WRONG, "%s: the number of bytes is at least 1 and at most 2^34", a->place);
    return cli_error(CLI_WRONG, "%s: '%s' is no number of bytes; it takes at least 1, without a unit", a->place, text);
}

/* pm:NAME:BYTES; the library checks the name */
static int parse_region(struct cli_argument *a, const char *text)
{
    const char *colon = strrchr(text, ':');
    a->kind = CLI_PERSISTENT;
    if (colon == NULL || colon == text)
        return bad(a, "expected pm:NAME:BYTES");
    if (parse_bytes(a, colon + 1) != CLI_OK)
        return CLI_WRONG;
    a->name = copy_of(text, (size_t)(colon - text));
    return a->name != NULL ? CLI_OK : cli_error(CLI_FAILED, "out of memory");
}

/* in:FILE:BYTES, unless there is a file of that whole name: where the name ends. */
static size_t cut_size(struct cli_argument *a, const char *text)
{
    const char *colon = strrchr(text, ':');
    if (colon == NULL || colon == text || access(text, F_OK) == 0 || !cli_u64(colon + 1, &a->bytes) || a->bytes > CLI_FILE_MAX_BYTES) {
        a->bytes = 0;
        return strlen(text);
    }
    return (size_t)(colon - text);
}

/* in:FILE, in:FILE:BYTES, inout:FILE, bytes:FILE, out:FILE:BYTES, zero:BYTES, version:BYTES */
static int parse_buffer(struct cli_argument *a, const char *type, const char *text)
{
    static const char *const types[] = {"u32", "s32",   "u64",  "s64",   "f32",   "f64", "in",
                                        "out", "inout", "zero", "local", "bytes", "pm",  "version"};
    const char *bytes = NULL;
    size_t length = strlen(text);
    char near[96];
    a->kind = strcmp(type, "bytes") == 0 ? CLI_BYTES : CLI_BUFFER;
    a->reads = a->kind == CLI_BYTES || strcmp(type, "in") == 0 || strcmp(type, "inout") == 0;
    a->writes = strcmp(type, "out") == 0 || strcmp(type, "inout") == 0;
    a->versioned = strcmp(type, "version") == 0;
    if (a->versioned || strcmp(type, "zero") == 0) {
        bytes = text;
        length = 0;
    } else if (strcmp(type, "out") == 0) {
        const char *colon = strrchr(text, ':');
        if (colon == NULL)
            return bad(a, "expected out:FILE:BYTES");
        length = (size_t)(colon - text);
        bytes = colon + 1;
    } else if (!a->reads) {
        return cli_error(CLI_WRONG, "%s: unknown kind '%s'; %s", a->place, type,
                         cli_suggest(near, type, types, sizeof types / sizeof types[0], "see 'cowarp help exec'"));
    }
    if (strcmp(type, "in") == 0)
        length = cut_size(a, text);
    if (bytes != NULL && parse_bytes(a, bytes) != CLI_OK)
        return CLI_WRONG;
    if (bytes != text && length == 0)
        return bad(a, "there is no file name");
    const bool standard = (a->writes != a->reads || a->kind == CLI_BYTES) && length == 1 && text[0] == '-';
    if (bytes != text && (a->path = standard ? cli_text(a->writes ? "/dev/stdout" : "/dev/stdin") : copy_of(text, length)) == NULL)
        return cli_error(CLI_FAILED, "out of memory");
    return CLI_OK;
}

static int parse_argument(struct cli_argument *a)
{
    char type[16];
    bool known = true;
    const char *colon = strchr(a->text, ':');
    if (colon == NULL || (size_t)(colon - a->text) >= sizeof type)
        return bad(a, "expected kind:value, as in u32:5 or in:data.bin");
    snprintf(type, sizeof type, "%.*s", (int)(colon - a->text), a->text);
    if (!parse_value(&a->value, type, colon + 1, &known))
        return cli_error(CLI_WRONG, "%s: '%s' is not a value of type %s", a->place, colon + 1, type);
    if (known)
        return CLI_OK;
    return strcmp(type, "pm") == 0 ? parse_region(a, colon + 1) : parse_buffer(a, type, colon + 1);
}

/* A whole file, or with in:FILE:BYTES its first bytes. */
int cli_argument_read(struct cli_argument *a)
{
    struct cw_error err;
    char *data = NULL;
    size_t length = a->bytes;
    const int status = a->bytes != 0 ? cw_in_file_read_bytes(&data, a->path, a->bytes, &err)
                                     : cw_in_file_read_most(&data, &length, a->path, CLI_FILE_MAX_BYTES, &err);
    a->data = data;
    a->bytes = length;
    if (status != CW_OK)
        return cli_error(status == CW_ENOMEM || status == CW_ELIMIT ? CLI_FAILED : CLI_WRONG, "%s: %s", a->place, err.text);
    return a->bytes > 0 ? CLI_OK : bad(a, "the file is empty");
}

int cli_argument_prepare(struct cli_argument *a)
{
    struct cw_error err;
    int status = parse_argument(a);
    if (status == CLI_OK && a->reads)
        status = cli_argument_read(a);
    if (status != CLI_OK || !a->writes)
        return status;
    if (cw_out_file_check(a->path, &err) != CW_OK)
        return cli_error(CLI_WRONG, "%s: %s", a->place, err.text);
    if (a->data == NULL && (a->data = malloc(a->bytes)) == NULL)
        return cli_error(CLI_FAILED, "%s: out of memory", a->place);
    return CLI_OK;
}

int cli_argument_bind(struct cli_argument *a, struct cowarp_gpu *gpu)
{
    int status = COWARP_OK;
    if (a->kind == CLI_BUFFER) {
        status = a->versioned ? cowarp_alloc_versioned(gpu, &a->address, a->bytes) : cowarp_alloc(gpu, &a->address, a->bytes);
        if (status == COWARP_OK && a->reads)
            status = cowarp_write(gpu, a->address, a->data, a->bytes);
        else if (status == COWARP_OK && a->writes)
            cowarp_mark_unwritten(gpu, a->address, a->bytes);
        a->value = COWARP_U64(a->address);
    } else if (a->kind == CLI_PERSISTENT) {
        status = cowarp_pm_alloc(gpu, &a->address, a->name, a->bytes);
        a->value = COWARP_U64(a->address);
    } else if (a->kind == CLI_BYTES) {
        a->by_value = (struct cowarp_bytes){a->data, a->bytes};
        a->value = COWARP_BYTES(&a->by_value);
    }
    return status;
}

int cli_argument_fetch(struct cli_argument *a, struct cowarp_gpu *gpu)
{
    return a->writes ? cowarp_read(gpu, a->data, a->address, a->bytes) : COWARP_OK;
}

int cli_argument_write(struct cli_argument *a)
{
    struct cw_out_file out;
    struct cw_error err;
    if (!a->writes)
        return CLI_OK;
    int status = cw_out_file_open(&out, a->path, &err);
    if (status == CW_OK) {
        fwrite(a->data, 1, a->bytes, out.file);
        status = cw_out_file_close(&out, &err);
    }
    if (status != CW_OK)
        return cli_error(CLI_FAILED, "%s: %s", a->place, err.text);
    a->written = true;
    return CLI_OK;
}

void cli_argument_release(struct cli_argument *a, struct cowarp_gpu *gpu)
{
    if (a->kind == CLI_BUFFER && a->address != 0 && !a->versioned)
        cowarp_free(gpu, a->address);
    a->address = 0;
}

void cli_argument_free(struct cli_argument *a)
{
    free(a->place);
    free(a->name);
    free(a->path);
    free(a->data);
}

int cli_shape(const char *place, const char *text, uint32_t shape[3])
{
    char part[32];
    uint32_t wide;
    shape[0] = shape[1] = shape[2] = 1;
    for (uint32_t i = 0; i < 3; i++) {
        const size_t length = strcspn(text, ",");
        snprintf(part, sizeof part, "%.*s", (int)(length < sizeof part ? length : 0), text);
        if (!cli_u32(part, &shape[i]) || shape[i] == 0)
            break;
        text += length;
        if (*text == '\0')
            return CLI_OK;
        text++;
    }
    if (cli_is_number(part) && part[0] != '-' && (!cli_u32(part, &wide)))
        return cli_error(CLI_WRONG, "%s: %s is out of range, 1 to %" PRIu32, place, part, UINT32_MAX);
    return cli_error(CLI_WRONG, "%s: expected one to three numbers from 1 on, as in 64,4", place);
}
