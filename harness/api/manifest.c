/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp: how a run was made, as its statistics file tells it, so that somebody else can make it again. */
#define _POSIX_C_SOURCE 200809L /* open_memstream, strdup */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api.h"
#include "file/in_file.h"
#include "file/json.h"
#include "file/sha256.h"
#include "mech/mechs.h"

#define LAUNCHES_MAX 1000u /* in the file; a program may have any number */
#define PATH_BYTES   4096u

/* A file that the run has read. */
struct input {
    char *role, *path;
    uint64_t bytes;
    void *text;                  /* what was read, of which the digest is made when somebody asks for it; else NULL */
    char digest[CW_SHA256_TEXT]; /* "": there was no such file, or its text is there */
    struct input *next;
};

/* A launch, and how many equal ones followed it. */
struct launched {
    char *text; /* members of a JSON object */
    uint64_t times;
    struct launched *next;
};

struct param {
    char *name;
    int64_t value;
    struct param *next;
};

struct cowarp_manifest {
    char **command, **repeat; /* NULL-terminated; NULL: a program has called the library */
    char *directory;
    struct param *params;
    struct input *inputs;
    struct launched *launches, *last;
    uint32_t launch_cnt;
    uint64_t left_out;
};

static int no_memory(struct cowarp_gpu *gpu)
{
    return cw_fail(&gpu->err, CW_ENOMEM, "out of memory");
}

int cowarp__manifest_create(struct cowarp_gpu *gpu)
{
    gpu->manifest = calloc(1, sizeof *gpu->manifest);
    return gpu->manifest != NULL ? CW_OK : no_memory(gpu);
}

static void free_words(char **words)
{
    for (char **w = words; w != NULL && *w != NULL; w++)
        free(*w);
    free(words);
}

void cowarp__manifest_destroy(struct cowarp_gpu *gpu)
{
    struct cowarp_manifest *m = gpu->manifest;
    if (m == NULL)
        return;
    free_words(m->command);
    free_words(m->repeat);
    free(m->directory);
    for (struct param *p = m->params, *next; p != NULL; p = next) {
        next = p->next;
        free(p->name);
        free(p);
    }
    for (struct input *f = m->inputs, *next; f != NULL; f = next) {
        next = f->next;
        free(f->role);
        free(f->path);
        free(f->text);
        free(f);
    }
    for (struct launched *l = m->launches, *next; l != NULL; l = next) {
        next = l->next;
        free(l->text);
        free(l);
    }
    free(m);
}

/* A copy that the manifest keeps; NULL: out of memory. */
static char **copy_words(const char *const *words)
{
    size_t cnt = 0;
    while (words[cnt] != NULL)
        cnt++;
    char **copy = calloc(cnt + 1, sizeof *copy);
    for (size_t i = 0; copy != NULL && i < cnt; i++)
        if ((copy[i] = strdup(words[i])) == NULL) {
            free_words(copy);
            return NULL;
        }
    return copy;
}

int cowarp_manifest_command(struct cowarp_gpu *gpu, const char *const *command, const char *const *repeat)
{
    struct cowarp_manifest *m = gpu->manifest;
    char folder[PATH_BYTES];
    if (m == NULL || command == NULL || m->command != NULL)
        return cw_fail(&gpu->err, CW_EINVAL, "manifest: takes one command line, after the GPU has been created");
    m->command = copy_words(command);
    m->repeat = repeat != NULL ? copy_words(repeat) : NULL;
    m->directory = getcwd(folder, sizeof folder) != NULL ? strdup(folder) : NULL;
    return m->command != NULL && (repeat == NULL || m->repeat != NULL) ? CW_OK : no_memory(gpu);
}

int cowarp_manifest_param(struct cowarp_gpu *gpu, const char *name, int64_t value)
{
    if (gpu->manifest == NULL)
        return no_memory(gpu);
    struct param **at = &gpu->manifest->params;
    while (*at != NULL && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    if (*at == NULL) {
        *at = calloc(1, sizeof **at);
        if (*at != NULL && ((*at)->name = strdup(name)) == NULL) {
            free(*at);
            *at = NULL;
        }
    }
    if (*at == NULL)
        return no_memory(gpu);
    (*at)->value = value;
    return CW_OK;
}

/* A new last entry; NULL: out of memory. */
static struct input *new_input(struct cowarp_gpu *gpu, const char *role, const char *path, const char *digest)
{
    struct input **at = &gpu->manifest->inputs;
    while (*at != NULL)
        at = &(*at)->next;
    struct input *f = calloc(1, sizeof *f);
    if (f == NULL)
        return NULL;
    f->role = strdup(role);
    f->path = strdup(path);
    snprintf(f->digest, sizeof f->digest, "%s", digest);
    if (f->role == NULL || f->path == NULL) {
        free(f->role);
        free(f->path);
        free(f);
        return NULL;
    }
    *at = f;
    return f;
}

/* As new_input, unless there is an entry of the same role, path and bytes. */
static struct input *add_input(struct cowarp_gpu *gpu, const char *role, const char *path, const char *digest)
{
    for (struct input *f = gpu->manifest->inputs; f != NULL; f = f->next)
        if (f->text == NULL && strcmp(f->role, role) == 0 && strcmp(f->path, path) == 0 && strcmp(f->digest, digest) == 0)
            return f;
    return new_input(gpu, role, path, digest);
}

/* Most runs write no statistics, and digests of a unit's Verilog take longer than its clock: the text is kept. */
int cowarp__manifest_text(struct cowarp_gpu *gpu, const char *role, const char *path, const void *data, size_t length)
{
    for (const struct input *f = gpu->manifest->inputs; f != NULL; f = f->next)
        if (f->text != NULL && f->bytes == length && strcmp(f->role, role) == 0 && strcmp(f->path, path) == 0 &&
            memcmp(f->text, data, length) == 0)
            return CW_OK;
    void *text = malloc(length + 1);
    struct input *f = text != NULL ? new_input(gpu, role, path, "") : NULL;
    if (f == NULL) {
        free(text);
        return no_memory(gpu);
    }
    memcpy(text, data, length);
    f->text = text;
    f->bytes = length;
    return CW_OK;
}

int cowarp_manifest_file(struct cowarp_gpu *gpu, const char *role, const char *path)
{
    static const char none[CW_SHA256_TEXT];
    char digest[CW_SHA256_TEXT];
    uint64_t bytes;
    if (gpu->manifest == NULL)
        return no_memory(gpu);
    if (access(path, R_OK) == 0 && !cw_in_file_is_regular(path)) /* what is in a pipe is there once, and a device has no end */
        return add_input(gpu, role, path, none) != NULL ? CW_OK : no_memory(gpu);
    int status = cw_sha256_file(digest, &bytes, path, &gpu->err);
    struct input *f = status == CW_OK ? add_input(gpu, role, path, digest) : NULL;
    if (f == NULL)
        return status != CW_OK ? status : no_memory(gpu);
    f->bytes = bytes;
    return CW_OK;
}

int cowarp__manifest_maybe(struct cowarp_gpu *gpu, const char *role, const char *path)
{
    static const char none[CW_SHA256_TEXT];
    if (access(path, F_OK) == 0)
        return cowarp_manifest_file(gpu, role, path);
    return add_input(gpu, role, path, none) != NULL ? CW_OK : no_memory(gpu);
}

struct sources {
    struct cowarp_gpu *gpu;
    int status; /* of the first that could not be noted */
};

static void add_source(void *context, const char *path, const char *text, size_t length)
{
    struct sources *s = context;
    if (s->status == CW_OK)
        s->status = cowarp__manifest_text(s->gpu, "verilog", path, text, length);
}

int cowarp__manifest_units(struct cowarp_gpu *gpu)
{
    const struct cw_mech_unit *u;
    const char *needs;
    struct sources sources = {gpu, CW_OK};
    int status = CW_OK;
    for (uint32_t i = 0; status == CW_OK && (u = cw_mech_unit_at(i)) != NULL; i++) {
        if (!cowarp__unit_used(gpu, u->unit, &needs) || !cw_rtl_provider_is_rtl(&gpu->units, u->unit))
            continue;
        const struct cw_rtl_build_options build = cw_rtl_provider_build(&gpu->units, u->unit);
        status = cw_rtl_sources(u->unit, &build, add_source, &sources, &gpu->err);
        if (status == CW_OK)
            status = sources.status;
    }
    return status;
}

static void put_arg(FILE *f, const struct cowarp_arg *a)
{
    char digest[CW_SHA256_TEXT];
    switch (a->type) {
    case COWARP_ARG_U32:
        fprintf(f, "\"u32:%" PRIu32 "\"", a->value.u32);
        break;
    case COWARP_ARG_S32:
        fprintf(f, "\"s32:%" PRId32 "\"", a->value.s32);
        break;
    case COWARP_ARG_U64:
        fprintf(f, "\"u64:%" PRIu64 "\"", a->value.u64);
        break;
    case COWARP_ARG_S64:
        fprintf(f, "\"s64:%" PRId64 "\"", a->value.s64);
        break;
    case COWARP_ARG_F32:
        fprintf(f, "\"f32:%a\"", (double)a->value.f32);
        break;
    case COWARP_ARG_F64:
        fprintf(f, "\"f64:%a\"", a->value.f64);
        break;
    case COWARP_ARG_LOCAL:
        fprintf(f, "\"local:%" PRIu64 "\"", a->value.u64);
        break;
    case COWARP_ARG_BYTES:
        cw_sha256_bytes(digest, a->value.bytes->data, a->value.bytes->bytes);
        fprintf(f, "\"bytes:sha256:%s\"", digest);
        break;
    }
}

static void put_shape(FILE *f, const char *name, const uint32_t shape[3])
{
    fprintf(f, ", \"%s\": [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "]", name, shape[0], shape[1], shape[2]);
}

static char *launch_text(const char *module, const struct cowarp_launch *l)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    if (f == NULL)
        return NULL;
    fputs("\"kernel\": ", f);
    cw_json_string(f, l->kernel);
    fputs(", \"module\": ", f);
    cw_json_string(f, module);
    put_shape(f, "grid", l->grid);
    put_shape(f, "block", l->block);
    fprintf(f, ", \"dynamic_shared_bytes\": %" PRIu32 ", \"static_warps\": %s, \"args\": [", l->dynamic_shared_bytes,
            l->static_warps != 0 ? "true" : "false");
    for (uint32_t i = 0; i < l->arg_count; i++) {
        fputs(i > 0 ? ", " : "", f);
        put_arg(f, &l->args[i]);
    }
    fputs("]", f);
    if (l->registers != 0)
        fprintf(f, ", \"registers\": %" PRIu32, l->registers);
    if (fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}

int cowarp__manifest_launch(struct cowarp_gpu *gpu, const char *module, const struct cowarp_launch *launch)
{
    struct cowarp_manifest *m = gpu->manifest;
    if (m->launch_cnt == LAUNCHES_MAX) {
        m->left_out++;
        return CW_OK;
    }
    char *text = launch_text(module, launch);
    if (text == NULL)
        return no_memory(gpu);
    if (m->last != NULL && strcmp(m->last->text, text) == 0) {
        m->last->times++;
        free(text);
        return CW_OK;
    }
    struct launched *l = calloc(1, sizeof *l);
    if (l == NULL) {
        free(text);
        return no_memory(gpu);
    }
    *l = (struct launched){.text = text, .times = 1};
    *(m->last != NULL ? &m->last->next : &m->launches) = l;
    m->last = l;
    m->launch_cnt++;
    return CW_OK;
}

/* The file that this code is in, a program or a shared library. */
static bool own_file(char path[PATH_BYTES])
{
    char line[PATH_BYTES + 128];
    bool found = false;
    const uintptr_t here = (uintptr_t)cowarp_version;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f != NULL && !found && fgets(line, sizeof line, f) != NULL) {
        uintptr_t begin, end;
        int at = 0;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &begin, &end, &at) < 2 || here < begin || here >= end || at == 0)
            continue;
        line[strcspn(line, "\n")] = '\0';
        found = snprintf(path, PATH_BYTES, "%s", line + at) < (int)PATH_BYTES;
    }
    if (f != NULL)
        fclose(f);
    return found;
}

static void put_simulator(FILE *f)
{
    char path[PATH_BYTES], digest[CW_SHA256_TEXT] = "";
    struct cw_error err;
    uint64_t bytes;
    fputs("    \"simulator\": {\"version\": ", f);
    cw_json_string(f, cowarp_version());
    const char *commit = cowarp_commit();
    fputs(", \"commit\": ", f);
    cw_json_string(f, commit);
    fprintf(f, ", \"dirty\": %s, \"sources\": ", strcmp(commit, "unknown") == 0 ? "null" : strchr(commit, '+') != NULL ? "true" : "false");
    cw_json_string(f, cowarp_sources());
    fputs(", \"compiler\": ", f);
    cw_json_string(f, cowarp_compiler());
    fputs(", \"sha256\": ", f);
    const bool read = own_file(path) && cw_sha256_file(digest, &bytes, path, &err) == CW_OK;
    cw_json_string(f, read ? digest : NULL);
    fputs("}", f);
}

static void put_words(FILE *f, const char *name, char *const *words)
{
    fprintf(f, "    \"%s\": ", name);
    if (words == NULL) {
        fputs("null,\n", f);
        return;
    }
    for (uint32_t i = 0; words[i] != NULL; i++) {
        fputs(i > 0 ? ", " : "[", f);
        cw_json_string(f, words[i]);
    }
    fputs("],\n", f);
}

static void put_params(FILE *f, const struct cowarp_manifest *m)
{
    fputs(",\n    \"params\": {", f);
    for (const struct param *p = m->params; p != NULL; p = p->next) {
        cw_json_string(f, p->name);
        fprintf(f, ": %" PRId64 "%s", p->value, p->next != NULL ? ", " : "");
    }
    fputs("}", f);
}

/* What is not as the preset has it. */
static void put_changed(FILE *f, const struct cw_config *config)
{
    struct cw_config preset;
    struct cw_error err;
    const char *comma = "";
    fputs(",\n    \"config_changed\": {", f);
    const bool known = cw_config_preset(&preset, config->preset, &err) == CW_OK;
    for (uint32_t i = 0; known && i < cw_config_count(); i++) {
        struct cw_config_info is, was;
        char is_text[32], was_text[32];
        cw_config_info(config, i, &is);
        cw_config_info(&preset, i, &was);
        if (is.value == was.value)
            continue;
        cw_config_value_text(&is, is_text);
        cw_config_value_text(&was, was_text);
        const char *quote = is.words != NULL ? "\"" : "";
        fprintf(f, "%s\n      \"%s\": {\"value\": %s%s%s, \"preset\": %s%s%s}", comma, is.name, quote, is_text, quote, quote, was_text,
                quote);
        comma = ",";
    }
    fputs("}", f);
}

static void put_inputs(FILE *f, const struct cowarp_manifest *m)
{
    fputs(",\n    \"files\": [", f);
    for (const struct input *i = m->inputs; i != NULL; i = i->next) {
        fprintf(f, "%s\n      {\"role\": ", i == m->inputs ? "" : ",");
        cw_json_string(f, i->role);
        fputs(", \"path\": ", f);
        cw_json_string(f, i->path);
        fprintf(f, ", \"bytes\": %" PRIu64 ", \"sha256\": ", i->bytes);
        char digest[CW_SHA256_TEXT];
        memcpy(digest, i->digest, sizeof digest);
        if (i->text != NULL)
            cw_sha256_bytes(digest, i->text, i->bytes);
        cw_json_string(f, digest[0] != '\0' ? digest : NULL);
        fputs("}", f);
    }
    fputs("]", f);
}

static void put_launches(FILE *f, const struct cowarp_manifest *m)
{
    fputs(",\n    \"launches\": [", f);
    for (const struct launched *l = m->launches; l != NULL; l = l->next)
        fprintf(f, "%s\n      {%s, \"times\": %" PRIu64 "}", l == m->launches ? "" : ",", l->text, l->times);
    fprintf(f, "],\n    \"launches_left_out\": %" PRIu64, m->left_out);
}

void cowarp__manifest_write(const struct cowarp_gpu *gpu, FILE *f)
{
    const struct cowarp_manifest *m = gpu->manifest;
    fputs("  \"manifest\": {\n", f);
    put_words(f, "repeat", m->repeat);
    if (!gpu->omit_host_seconds) { /* as those, these are of the host */
        put_words(f, "command", m->command);
        fputs("    \"directory\": ", f);
        cw_json_string(f, m->directory);
        fputs(",\n", f);
    }
    put_simulator(f);
    put_params(f, m);
    put_changed(f, &gpu->config);
    put_inputs(f, m);
    put_launches(f, m);
    fputs("\n  },\n", f);
}
