/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts: carries statements out. */
#include "script.h"
#include "kernels.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/in_file.h"
#include "file/out_file.h"

static int say(struct script_run *x, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static int say(struct script_run *x, int status, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(x->message, sizeof x->message, fmt, ap);
    va_end(ap);
    return status;
}

static uint64_t address(const struct script_run *x)
{
    return x->address[x->st->buffer] + x->st->offset;
}

static uint64_t room(const struct script_run *x)
{
    return x->script->buffer[x->st->buffer].bytes - x->st->offset;
}

static const char *name(const struct script_run *x)
{
    return x->script->buffer[x->st->buffer].name;
}

/* one: NULL for a PTX file */
static int load_one(struct script_run *x, const char *path, const struct cw_fatbin_one *one)
{
    struct cowarp_module **more = realloc(x->module, (x->module_cnt + 1u) * sizeof *more), **new;
    if (more == NULL)
        return say(x, COWARP_ENOMEM, "out of memory");
    x->module = more;
    new = &x->module[x->module_cnt];
    const int status = one != NULL ? cowarp_load(x->gpu, new, one->text, one->length, one->name) : cowarp_load_file(x->gpu, new, path);
    x->module_cnt += status == COWARP_OK;
    return status;
}

static int load_path(struct script_run *x, const char *path)
{
    struct cw_fatbin_texts texts;
    if (cli_texts(&texts, path) != CLI_OK)
        return say(x, COWARP_EINVAL, "%s cannot be loaded", path);
    int status = texts.cnt == 0 ? load_one(x, path, NULL) : COWARP_OK;
    for (uint32_t i = 0; status == COWARP_OK && i < texts.cnt; i++)
        status = load_one(x, path, &texts.one[i]);
    cw_fatbin_texts_free(&texts);
    return status;
}

/* What the command line has loaded is not loaded again. */
static int load(struct script_run *x)
{
    if (x->script->ptx != NULL && cw_out_file_same(x->script->ptx, x->st->file))
        return COWARP_OK;
    return load_path(x, x->st->file);
}

/* The file's bytes, which the caller frees, at most so many. */
static int read_file(struct script_run *x, uint64_t most, char **data, size_t *length)
{
    struct cw_error err;
    *data = NULL;
    const int read = cw_in_file_read(data, length, x->st->file, &err);
    if (read != CW_OK)
        return say(x, read == CW_ELIMIT ? COWARP_ELIMIT : COWARP_EIO, "%s", err.text);
    const int status = cowarp_manifest_file(x->gpu, "argument", x->st->file);
    if (status != COWARP_OK)
        return status;
    if (*length <= most)
        return COWARP_OK;
    return say(x, COWARP_EINVAL, "%s has %zu bytes, and there is room for %" PRIu64, x->st->file, *length, most);
}

static int copy_from(struct script_run *x)
{
    char *data;
    size_t length;
    int status = read_file(x, room(x), &data, &length);
    if (status == COWARP_OK)
        status = cowarp_write(x->gpu, address(x), data, length);
    free(data);
    return status;
}

static int copy_to(struct script_run *x)
{
    struct cw_out_file out;
    struct cw_error err;
    char *data = malloc(room(x));
    int status = data != NULL ? cowarp_read(x->gpu, data, address(x), room(x)) : say(x, COWARP_ENOMEM, "out of memory");
    if (status == COWARP_OK && !x->no_files) {
        int written = cw_out_file_open(&out, x->st->file, &err);
        if (written == CW_OK) {
            fwrite(data, 1, room(x), out.file);
            written = cw_out_file_close(&out, &err);
        }
        if (written != CW_OK) /* the request was right, so the run has failed */
            status = say(x, COWARP_ENOMEM, "%s", err.text);
    }
    free(data);
    return status;
}

static int fill(struct script_run *x)
{
    uint32_t *data = calloc(room(x) / 4 + 1, sizeof *data);
    if (data == NULL)
        return say(x, COWARP_ENOMEM, "out of memory");
    for (uint64_t i = 0; i < room(x) / 4; i++)
        data[i] = x->st->number;
    const int status = cowarp_write(x->gpu, address(x), data, room(x));
    free(data);
    return status;
}

static bool has_region(const struct script_run *x)
{
    const char *region;
    uint64_t at, bytes;
    bool found = false;
    for (uint32_t i = 0; !found && cowarp_pm_at(x->gpu, i, &region, &at, &bytes); i++)
        found = strcmp(region, name(x)) == 0;
    return found;
}

/* A region that is there keeps what it has. */
static int alloc_region(struct script_run *x, bool *fresh)
{
    *fresh = !has_region(x);
    return cowarp_pm_alloc(x->gpu, &x->address[x->st->buffer], name(x), room(x));
}

static int alloc(struct script_run *x)
{
    uint64_t *at = &x->address[x->st->buffer];
    bool fresh = true, again = *at != 0;
    int status = COWARP_OK;
    if (x->script->buffer[x->st->buffer].persistent)
        status = alloc_region(x, &fresh);
    else if (!again)
        status = x->st->versions ? cowarp_alloc_versioned(x->gpu, at, room(x)) : cowarp_alloc(x->gpu, at, room(x));
    if (status != COWARP_OK || !fresh)
        return status;
    if (x->st->file != NULL)
        return copy_from(x);
    return x->st->has_number || again ? fill(x) : COWARP_OK;
}

/* The statement's values, one after the other; the caller frees them. */
static int values(struct script_run *x, char **data, size_t *length)
{
    *length = 0;
    *data = malloc(8 * (size_t)x->st->value_cnt);
    if (*data == NULL)
        return say(x, COWARP_ENOMEM, "out of memory");
    for (uint32_t i = 0; i < x->st->value_cnt; i++) {
        const struct script_value *v = &x->st->value[i];
        const bool is_word = v->buffer == SCRIPT_NO_BUFFER;
        const uint64_t to = is_word ? 0 : x->address[v->buffer] + v->offset;
        memcpy(*data + *length, is_word ? (const void *)&v->number : (const void *)&to, is_word ? 4 : 8);
        *length += is_word ? 4 : 8;
    }
    return COWARP_OK;
}

static int set(struct script_run *x)
{
    char *data;
    size_t length;
    int status = values(x, &data, &length);
    if (status == COWARP_OK)
        status = cowarp_write(x->gpu, address(x), data, length);
    free(data);
    return status;
}

/* Of the last file that has such a variable; when none has, the library says so of the last one. */
static int write_symbol(struct script_run *x)
{
    char *data;
    size_t length = 0;
    uint32_t m = x->module_cnt;
    while (m > 0 && cowarp_symbol_read(x->gpu, x->module[m - 1], x->st->name, 0, &length, 0) != COWARP_OK)
        m--;
    int status = x->st->value_cnt != 0 ? values(x, &data, &length) : read_file(x, UINT64_MAX, &data, &length);
    if (status == COWARP_OK)
        status = cowarp_symbol_write(x->gpu, x->module[m > 0 ? m - 1 : x->module_cnt - 1], x->st->name, 0, data, length);
    free(data);
    return status;
}

/* The module that has the kernel; the last one when none has, and the library says so. */
static int find_module(struct script_run *x, struct cowarp_module **module)
{
    uint32_t found = 0;
    *module = x->module[x->module_cnt - 1];
    for (uint32_t m = 0; m < x->module_cnt; m++) {
        const char *kernel;
        for (uint32_t k = 0; cowarp_kernel_at(x->module[m], k, &kernel); k++)
            if (strcmp(kernel, x->st->name) == 0) {
                *module = x->module[m];
                found++;
            }
    }
    return found < 2 ? COWARP_OK : say(x, COWARP_EINVAL, "%" PRIu32 " of the loaded files have a kernel '%s'", found, x->st->name);
}

static int bind(struct script_run *x, struct script_argument *arg)
{
    const int status = arg->a.reads ? cowarp_manifest_file(x->gpu, "argument", arg->a.path) : COWARP_OK;
    if (status != COWARP_OK)
        return status;
    if (arg->buffer == SCRIPT_NO_BUFFER)
        return cli_argument_bind(&arg->a, x->gpu);
    arg->a.value = COWARP_U64(x->address[arg->buffer] + arg->offset);
    return COWARP_OK;
}

static int write_files(struct script_run *x)
{
    int status = COWARP_OK;
    for (uint32_t i = 0; status == COWARP_OK && i < x->st->argument_cnt; i++)
        status = cli_argument_fetch(&x->st->argument[i].a, x->gpu);
    for (uint32_t i = 0; status == COWARP_OK && !x->no_files && i < x->st->argument_cnt; i++)
        if (cli_argument_write(&x->st->argument[i].a) != CLI_OK)
            status = say(x, COWARP_ENOMEM, "'%s' could not be written", x->st->argument[i].a.text);
    return status;
}

static int launch(struct script_run *x)
{
    const struct script_statement *st = x->st;
    struct cowarp_module *module = NULL;
    struct cowarp_arg *args = calloc(st->argument_cnt + 1u, sizeof *args);
    int status = args != NULL ? find_module(x, &module) : say(x, COWARP_ENOMEM, "out of memory");
    for (uint32_t i = 0; status == COWARP_OK && i < st->argument_cnt; i++) {
        status = bind(x, &st->argument[i]);
        args[i] = st->argument[i].a.value;
    }
    struct cowarp_launch l = {.size = sizeof l, .kernel = st->name, .dynamic_shared_bytes = st->shared_bytes, .registers = st->registers};
    memcpy(l.grid, st->grid, sizeof l.grid);
    memcpy(l.block, st->block, sizeof l.block);
    l.arg_count = st->argument_cnt;
    l.args = args;
    if (status == COWARP_OK)
        status = cowarp_run(x->gpu, module, &l);
    if (status == COWARP_OK)
        status = write_files(x);
    for (uint32_t i = 0; i < st->argument_cnt; i++)
        cli_argument_release(&st->argument[i].a, x->gpu);
    free(args);
    return status;
}

/* The end of a loop: *next becomes the statement that follows. */
static int end(struct script_run *x, uint32_t *next)
{
    struct script_statement *until = &x->script->statement[x->st->partner];
    uint32_t word;
    const int line_status = cowarp_read(x->gpu, &word, x->address[until->buffer] + until->offset, sizeof word);
    if (line_status != COWARP_OK || word == 0)
        return line_status;
    x->st = until; /* for the message's line and name */
    if (++until->rounds >= until->number)
        return say(x, COWARP_ELIMIT, "%s is %" PRIu32 " after %" PRIu32 " rounds, the most that are allowed (max)", name(x), word,
                   until->rounds);
    *next = x->script->statement[*next - 1].partner + 1;
    return COWARP_OK;
}

/* Of word i, 4 bytes or with width 1 a byte. */
static uint32_t word_at(const char *data, uint64_t i, size_t width)
{
    uint32_t word = 0;
    memcpy(&word, data + i * width, width);
    return word;
}

static bool close_enough(uint32_t is, uint32_t wanted, double tolerance)
{
    float a, b;
    memcpy(&a, &is, sizeof a);
    memcpy(&b, &wanted, sizeof b);
    if (is == wanted || a == b || (isnan(a) && isnan(b)))
        return true;
    const double scale = fabs((double)b) > 1 ? fabs((double)b) : 1;
    return isfinite(b) && fabs((double)a - (double)b) <= tolerance * scale;
}

static int tell_difference(struct script_run *x, uint64_t differ, uint64_t first, size_t width, uint32_t is, uint32_t wanted)
{
    const char *what = width == 4 ? "word" : "byte";
    float a, b;
    memcpy(&a, &is, sizeof a);
    memcpy(&b, &wanted, sizeof b);
    if (x->st->is_float)
        return say(x, COWARP_ECHECK,
                   "%" PRIu64 " of %" PRIu64 " floats of %s differ from %s, first float %" PRIu64 ": is %.9g, the file has %.9g", differ,
                   room(x) / width, name(x), x->st->file, first, (double)a, (double)b);
    return say(x, COWARP_ECHECK,
               "%" PRIu64 " of %" PRIu64 " %ss of %s differ from %s, first %s %" PRIu64 ": is %" PRIu32 ", the file has %" PRIu32, differ,
               room(x) / width, what, name(x), x->st->file, what, first, is, wanted);
}

static int compare_data(struct script_run *x, const char *is, const char *wanted)
{
    const size_t width = room(x) % 4 == 0 ? 4 : 1;
    uint64_t differ = 0, first = 0;
    for (uint64_t i = 0; i < room(x) / width; i++) {
        const uint32_t a = word_at(is, i, width), b = word_at(wanted, i, width);
        if (a == b || (x->st->is_float && close_enough(a, b, x->st->tolerance)))
            continue;
        first = differ++ == 0 ? i : first;
    }
    x->comparisons++;
    return differ == 0 ? COWARP_OK : tell_difference(x, differ, first, width, word_at(is, first, width), word_at(wanted, first, width));
}

static int compare(struct script_run *x)
{
    char *wanted, *is = malloc(room(x));
    size_t length;
    int status = read_file(x, room(x), &wanted, &length);
    if (status == COWARP_OK && length != room(x))
        status = say(x, COWARP_EINVAL, "%s has %zu bytes, and %s has %" PRIu64, x->st->file, length, name(x), room(x));
    if (status == COWARP_OK)
        status = is != NULL ? cowarp_read(x->gpu, is, address(x), room(x)) : say(x, COWARP_ENOMEM, "out of memory");
    if (status == COWARP_OK)
        status = compare_data(x, is, wanted);
    free(wanted);
    free(is);
    return status;
}

static int expect(struct script_run *x)
{
    uint32_t word;
    const int status = cowarp_read(x->gpu, &word, address(x), sizeof word);
    x->comparisons++;
    if (status != COWARP_OK || word == x->st->number)
        return status;
    return say(x, COWARP_ECHECK, "%s is %" PRIu32 ", expected %" PRIu32, name(x), word, x->st->number);
}

/* One statement; *next is the one behind it, and another one in a loop. */
static int step(struct script_run *x, uint32_t *next)
{
    switch (x->st->verb) {
    case SCRIPT_LOAD:
        return load(x);
    case SCRIPT_ALLOC:
        return alloc(x);
    case SCRIPT_READ:
        return copy_from(x);
    case SCRIPT_WRITE:
        return copy_to(x);
    case SCRIPT_SET:
        return set(x);
    case SCRIPT_SYMBOL:
        return write_symbol(x);
    case SCRIPT_LAUNCH:
        return launch(x);
    case SCRIPT_UNTIL:
        x->script->statement[*next - 1].rounds = 0;
        return COWARP_OK;
    case SCRIPT_END:
        return end(x, next);
    case SCRIPT_COMPARE:
        return compare(x);
    case SCRIPT_EXPECT:
        return expect(x);
    }
    return COWARP_OK;
}

int cli_script_begin(struct script_run *x, struct script *script, struct cowarp_gpu *gpu)
{
    *x = (struct script_run){.script = script, .gpu = gpu, .st = &script->statement[0]};
    x->address = calloc(script->buffer_cnt + 1u, sizeof *x->address);
    return x->address != NULL ? CLI_OK : cli_error(CLI_FAILED, "out of memory");
}

void cli_script_end(struct script_run *x)
{
    free(x->address);
    free(x->module);
    x->address = NULL;
    x->module = NULL;
}

static int load_first(struct script_run *x)
{
    x->message[0] = '\0';
    return x->script->ptx != NULL && x->module_cnt == 0 ? load_path(x, x->script->ptx) : COWARP_OK;
}

int cli_script_carry_out(struct script_run *x, uint32_t from, uint32_t to)
{
    int status = load_first(x);
    for (uint32_t i = from, next; status == COWARP_OK && i < to; i = next) {
        x->st = &x->script->statement[i];
        next = i + 1;
        status = step(x, &next);
    }
    return status;
}

/* Whether it puts something into memory that a failure has taken. */
static bool is_lost(const struct script_run *x, const struct script_statement *st)
{
    switch (st->verb) {
    case SCRIPT_LOAD:
        return !x->set_up;
    case SCRIPT_ALLOC:
    case SCRIPT_SYMBOL:
        return true;
    case SCRIPT_SET:
    case SCRIPT_READ:
        return !x->script->buffer[st->buffer].persistent;
    default:
        return false;
    }
}

int cli_script_set_up(struct script_run *x, uint32_t to)
{
    int status = load_first(x);
    uint32_t depth = 0, next;
    for (uint32_t i = 0; status == COWARP_OK && i < to; i++) {
        x->st = &x->script->statement[i];
        depth += x->st->verb == SCRIPT_UNTIL;
        depth -= x->st->verb == SCRIPT_END;
        next = i + 1;
        if (depth == 0 && is_lost(x, x->st))
            status = step(x, &next);
    }
    x->set_up = x->set_up || status == COWARP_OK;
    return status;
}

const char *cli_script_why(const struct script_run *x)
{
    return x->message[0] != '\0' ? x->message : cowarp_error(x->gpu);
}
