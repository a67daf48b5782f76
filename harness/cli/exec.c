/* SPDX-License-Identifier: Apache-2.0 */
/* cowarp exec: one kernel of anyone's PTX, with arguments from the command line and from files. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "file/out_file.h"

#define FILE_MAX_BYTES (UINT64_C(1) << 34)

enum kind { VALUE, BUFFER, BYTES, PERSISTENT };

/* One --arg, or one --symbol. */
struct argument {
    const char *option, *text;
    enum kind kind;
    struct cowarp_arg value;
    struct cowarp_bytes by_value; /* BYTES */
    char *name;                   /* of --symbol, PERSISTENT */
    /* BUFFER, BYTES, PERSISTENT */
    char *path;         /* in, out, inout, bytes: the file; NULL: zero */
    bool reads, writes; /* the file */
    bool written;       /* it has been */
    uint64_t bytes;
    uint64_t address;
    void *data;
};

struct request {
    const char *path;
    struct cowarp_launch launch;
    struct argument *argument;
    uint32_t argument_cnt;
    struct argument *symbol;
    uint32_t symbol_cnt;
};

static int bad(const struct argument *a, const char *what)
{
    return cli_error(CLI_WRONG, "--%s '%s': %s", a->option, a->text, what);
}

static bool real(const char *text, double *value)
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
        ok = real(text, &v->value.f64);
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

static int parse_bytes(struct argument *a, const char *text)
{
    if (cli_u64(text, &a->bytes) && a->bytes > 0 && a->bytes <= FILE_MAX_BYTES)
        return CLI_OK;
    if (cli_is_number(text))
        return cli_error(CLI_WRONG, "--%s '%s': the number of bytes is at least 1 and at most 2^34", a->option, a->text);
    return cli_error(CLI_WRONG, "--%s '%s': '%s' is no number of bytes; it takes at least 1, without a unit", a->option, a->text, text);
}

/* pm:NAME:BYTES; the library checks the name */
static int parse_region(struct argument *a, const char *text)
{
    const char *colon = strrchr(text, ':');
    a->kind = PERSISTENT;
    if (colon == NULL || colon == text)
        return bad(a, "expected pm:NAME:BYTES");
    if (parse_bytes(a, colon + 1) != CLI_OK)
        return CLI_WRONG;
    a->name = copy_of(text, (size_t)(colon - text));
    return a->name != NULL ? CLI_OK : cli_error(CLI_FAILED, "out of memory");
}

/* in:FILE, inout:FILE, bytes:FILE, out:FILE:BYTES, zero:BYTES */
static int parse_buffer(struct argument *a, const char *type, const char *text)
{
    static const char *const types[] = {"u32", "s32", "u64", "s64", "f32", "f64", "in", "out", "inout", "zero", "local", "bytes", "pm"};
    const char *bytes = NULL;
    size_t length = strlen(text);
    char near[96];
    a->kind = strcmp(type, "bytes") == 0 ? BYTES : BUFFER;
    a->reads = a->kind == BYTES || strcmp(type, "in") == 0 || strcmp(type, "inout") == 0;
    a->writes = strcmp(type, "out") == 0 || strcmp(type, "inout") == 0;
    if (strcmp(type, "zero") == 0) {
        bytes = text;
        length = 0;
    } else if (strcmp(type, "out") == 0) {
        const char *colon = strrchr(text, ':');
        if (colon == NULL)
            return bad(a, "expected out:FILE:BYTES");
        length = (size_t)(colon - text);
        bytes = colon + 1;
    } else if (!a->reads) {
        return cli_error(CLI_WRONG, "--arg '%s': unknown kind '%s'; %s", a->text, type,
                         cli_suggest(near, type, types, sizeof types / sizeof types[0], "see 'cowarp help exec'"));
    }
    if (bytes != NULL && parse_bytes(a, bytes) != CLI_OK)
        return CLI_WRONG;
    if (bytes != text && length == 0)
        return bad(a, "there is no file name");
    if (bytes != text && (a->path = copy_of(text, length)) == NULL)
        return cli_error(CLI_FAILED, "out of memory");
    return CLI_OK;
}

static int parse_argument(struct argument *a)
{
    char type[16];
    bool known = true;
    const char *colon = strchr(a->text, ':');
    if (colon == NULL || (size_t)(colon - a->text) >= sizeof type)
        return bad(a, "expected kind:value, as in u32:5 or in:data.bin");
    snprintf(type, sizeof type, "%.*s", (int)(colon - a->text), a->text);
    if (!parse_value(&a->value, type, colon + 1, &known))
        return cli_error(CLI_WRONG, "--arg '%s': '%s' is not a value of type %s", a->text, colon + 1, type);
    if (known)
        return CLI_OK;
    return strcmp(type, "pm") == 0 ? parse_region(a, colon + 1) : parse_buffer(a, type, colon + 1);
}

static int read_input(struct argument *a)
{
    FILE *f = fopen(a->path, "rb");
    if (f == NULL)
        return cli_error(CLI_WRONG, "--%s '%s': cannot be opened: %s", a->option, a->text, strerror(errno));
    size_t capacity = 1u << 16;
    char *data = malloc(capacity);
    while (data != NULL) {
        a->bytes += fread(data + a->bytes, 1, capacity - a->bytes, f);
        if (a->bytes < capacity)
            break;
        capacity *= 2;
        char *larger = capacity <= FILE_MAX_BYTES ? realloc(data, capacity) : NULL;
        if (larger == NULL)
            free(data);
        data = larger;
    }
    const bool failed = ferror(f) != 0;
    fclose(f);
    a->data = data;
    if (data == NULL)
        return cli_error(CLI_FAILED, "--%s '%s': the file is too large", a->option, a->text);
    if (failed)
        return cli_error(CLI_WRONG, "--%s '%s': cannot be read: %s", a->option, a->text, strerror(errno));
    return a->bytes > 0 ? CLI_OK : bad(a, "the file is empty");
}

/* What can be found wrong before a simulation starts. */
static int prepare_argument(const struct request *q, uint32_t i)
{
    struct argument *a = &q->argument[i];
    struct cw_error err;
    int status = parse_argument(a);
    if (status == CLI_OK && a->reads)
        status = read_input(a);
    if (status != CLI_OK || !a->writes)
        return status;
    if (cw_out_file_check(a->path, &err) != CW_OK)
        return cli_error(CLI_WRONG, "--arg '%s': %s", a->text, err.text);
    if (a->data == NULL && (a->data = malloc(a->bytes)) == NULL)
        return cli_error(CLI_FAILED, "--arg '%s': out of memory", a->text);
    return CLI_OK;
}

/* NAME=FILE */
static int prepare_symbol(struct argument *a)
{
    const char *equals = strchr(a->text, '=');
    if (equals == NULL || equals == a->text || equals[1] == '\0')
        return bad(a, "expected NAME=FILE");
    a->name = copy_of(a->text, (size_t)(equals - a->text));
    a->path = copy_of(equals + 1, strlen(equals + 1));
    if (a->name == NULL || a->path == NULL)
        return cli_error(CLI_FAILED, "out of memory");
    return read_input(a);
}

/* All values of an option. */
static int list_arguments(const struct cli_parsed *p, const char *option, struct argument **list, uint32_t *cnt)
{
    const char **texts = cli_values(p, option, 0);
    while (texts != NULL && texts[*cnt] != NULL)
        ++*cnt;
    *list = calloc(*cnt + 1u, sizeof **list);
    for (uint32_t i = 0; *list != NULL && i < *cnt; i++)
        (*list)[i] = (struct argument){.option = option, .text = texts[i]};
    const bool failed = texts == NULL || *list == NULL;
    free(texts);
    return failed ? cli_error(CLI_FAILED, "out of memory") : CLI_OK;
}

/* X, X,Y or X,Y,Z */
static int read_shape(const struct cli_parsed *p, const char *option, uint32_t shape[3])
{
    const char *text = cli_value(p, option, NULL);
    char part[32];
    uint32_t wide;
    if (text == NULL)
        return cli_error(CLI_WRONG, "exec needs --%s X[,Y[,Z]]", option);
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
        return cli_error(CLI_WRONG, "--%s '%s': %s is out of range, 1 to %" PRIu32, option, cli_value(p, option, ""), part, UINT32_MAX);
    return cli_error(CLI_WRONG, "--%s '%s': expected one to three numbers from 1 on, as in 64,4", option, cli_value(p, option, ""));
}

static int read_request(struct request *q, const struct cli_parsed *p)
{
    uint32_t bytes = 0;
    if (p->word_cnt != 1)
        return cli_error(CLI_WRONG, "exec needs one PTX file; see 'cowarp help exec'");
    q->path = p->word[0];
    q->launch.size = sizeof q->launch;
    q->launch.kernel = cli_value(p, "kernel", NULL);
    if (q->launch.kernel == NULL)
        return cli_error(CLI_WRONG, "exec needs --kernel NAME");
    int status = read_shape(p, "grid", q->launch.grid);
    if (status == CLI_OK)
        status = read_shape(p, "block", q->launch.block);
    if (status == CLI_OK && cli_has(p, "shared") && !cli_u32(cli_value(p, "shared", ""), &bytes))
        status = cli_error(CLI_WRONG, "--shared '%s': not a number of bytes", cli_value(p, "shared", ""));
    q->launch.dynamic_shared_bytes = bytes;
    q->launch.static_warps = cli_has(p, "static-warps");
    if (status == CLI_OK)
        status = list_arguments(p, "arg", &q->argument, &q->argument_cnt);
    if (status == CLI_OK)
        status = list_arguments(p, "symbol", &q->symbol, &q->symbol_cnt);
    for (uint32_t i = 0; status == CLI_OK && i < q->argument_cnt; i++)
        status = prepare_argument(q, i);
    for (uint32_t i = 0; status == CLI_OK && i < q->symbol_cnt; i++)
        status = prepare_symbol(&q->symbol[i]);
    return status;
}

/* The files that arguments and symbols are read from. */
static int note_inputs(const struct request *q, struct cowarp_gpu *gpu)
{
    int status = COWARP_OK;
    for (uint32_t i = 0; status == COWARP_OK && i < q->argument_cnt; i++)
        if (q->argument[i].reads)
            status = cowarp_manifest_file(gpu, q->argument[i].option, q->argument[i].path);
    for (uint32_t i = 0; status == COWARP_OK && i < q->symbol_cnt; i++)
        status = cowarp_manifest_file(gpu, q->symbol[i].option, q->symbol[i].path);
    return status;
}

/* Runs the kernel and reads the buffers back; a status of libcowarp. */
static int simulate(struct request *q, struct cowarp_gpu *gpu)
{
    struct cowarp_module *module;
    struct cowarp_arg *args = calloc(q->argument_cnt + 1, sizeof *args);
    int status = args != NULL ? note_inputs(q, gpu) : COWARP_ENOMEM;
    if (status == COWARP_OK)
        status = cowarp_load_file(gpu, &module, q->path);
    for (uint32_t i = 0; status == COWARP_OK && i < q->symbol_cnt; i++)
        status = cowarp_symbol_write(gpu, module, q->symbol[i].name, 0, q->symbol[i].data, q->symbol[i].bytes);
    for (uint32_t i = 0; status == COWARP_OK && i < q->argument_cnt; i++) {
        struct argument *a = &q->argument[i];
        if (a->kind == BUFFER) {
            status = cowarp_alloc(gpu, &a->address, a->bytes);
            if (status == COWARP_OK && a->reads)
                status = cowarp_write(gpu, a->address, a->data, a->bytes);
            a->value = COWARP_U64(a->address);
        } else if (a->kind == PERSISTENT) {
            status = cowarp_pm_alloc(gpu, &a->address, a->name, a->bytes);
            a->value = COWARP_U64(a->address);
        } else if (a->kind == BYTES) {
            a->by_value = (struct cowarp_bytes){a->data, a->bytes};
            a->value = COWARP_BYTES(&a->by_value);
        }
        args[i] = a->value;
    }
    q->launch.arg_count = q->argument_cnt;
    q->launch.args = args;
    if (status == COWARP_OK)
        status = cowarp_run(gpu, module, &q->launch);
    for (uint32_t i = 0; status == COWARP_OK && i < q->argument_cnt; i++)
        if (q->argument[i].writes)
            status = cowarp_read(gpu, q->argument[i].data, q->argument[i].address, q->argument[i].bytes);
    free(args);
    return status;
}

/* Only after the kernel has ended well. */
static int write_outputs(struct request *q)
{
    for (uint32_t i = 0; i < q->argument_cnt; i++) {
        const struct argument *a = &q->argument[i];
        struct cw_out_file out;
        struct cw_error err;
        if (!a->writes)
            continue;
        int status = cw_out_file_open(&out, a->path, &err);
        if (status == CW_OK) {
            fwrite(a->data, 1, a->bytes, out.file);
            status = cw_out_file_close(&out, &err);
        }
        if (status != CW_OK)
            return cli_error(CLI_FAILED, "--arg '%s': %s", a->text, err.text);
        q->argument[i].written = true;
    }
    return CLI_OK;
}

/* Behind the summary. */
static void tell_outputs(const struct request *q, const struct cli_session *s)
{
    for (uint32_t i = 0; i < q->argument_cnt; i++)
        if (q->argument[i].written && !s->quiet && !s->to_stdout)
            printf("  written       %s\n", q->argument[i].path);
}

static int run_session(struct request *q, const struct cli_parsed *p)
{
    struct cli_session s;
    int status = cli_session_open(&s, p, q->launch.kernel, cli_value(p, "system", "none"));
    if (status == CLI_OK) {
        s.kernel = q->launch.kernel;
        const int outcome = simulate(q, s.gpu);
        const struct cli_result r = {.workload = q->launch.kernel, .status = outcome};
        const int written = outcome == COWARP_OK ? write_outputs(q) : CLI_OK;
        status = cli_session_end(&s, &r);
        tell_outputs(q, &s);
        if (status == CLI_OK)
            status = written;
    }
    cli_session_close(&s);
    return status;
}

static void free_arguments(struct argument *list, uint32_t cnt)
{
    for (uint32_t i = 0; list != NULL && i < cnt; i++) {
        free(list[i].name);
        free(list[i].path);
        free(list[i].data);
    }
    free(list);
}

static int exec(const struct cli_parsed *p)
{
    struct request q = {0};
    int status = read_request(&q, p);
    if (status == CLI_OK)
        status = run_session(&q, p);
    free_arguments(q.argument, q.argument_cnt);
    free_arguments(q.symbol, q.symbol_cnt);
    return status;
}

static const struct cli_option options[] = {
    {"kernel", "NAME", 0, "the .entry to run"},
    {"grid", "X[,Y[,Z]]", 0, "thread blocks"},
    {"block", "X[,Y[,Z]]", 0, "threads per block"},
    {"shared", "BYTES", 0, "dynamic shared memory per block (default 0)"},
    {"static-warps", NULL, 0, "with core.divergence=tbc: threads stay in their static warps"},
    {"arg", "KIND:VALUE", CLI_REPEATS, "the kernel's arguments, in order; see below"},
    {"symbol", "NAME=FILE", CLI_REPEATS, "first bytes of a .global or .const variable, from a file"},
    {"system", "NAME", 0, "transactional system (default none)"},
};

const struct cli_command cli_exec = {
    .name = "exec",
    .usage = "FILE.ptx --kernel NAME --grid X[,Y[,Z]] --block X[,Y[,Z]] [OPTIONS]",
    .what = "Runs one kernel of a PTX file",
    .option = options,
    .option_cnt = sizeof options / sizeof options[0],
    .takes_machine = true,
    .notes = "Kinds of argument\n"
             "  u32:N s32:N u64:N s64:N f32:X f64:X  a number\n"
             "  in:FILE                              address of a buffer with the file's bytes\n"
             "  out:FILE:BYTES                       address of a zeroed buffer, written to the file after the run\n"
             "  inout:FILE                           both\n"
             "  zero:BYTES                           address of a zeroed buffer\n"
             "  pm:NAME:BYTES                        address of a region of persistent memory (--pm), made when there is none\n"
             "  bytes:FILE                           the file's bytes by value: a struct or an array\n"
             "  local:BYTES                          size of a __local argument (shared memory)\n"
             "Files are written only when the kernel has ended without an error.\n",
    .run = exec,
};
