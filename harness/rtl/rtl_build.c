/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "rtl_build.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "rtl_compiler.h"
#include "rtl_files.h"
#include "rtl_library.h"
#include "rtl_os.h"
#include "rtl_package.h"
#include "rtl_place.h"
#include "rtl_shim.h"

#define NOT_FOUND 127 /* exit status of a shell that does not find a program */

static const char verilator_program[] = "verilator";

/* All that one build needs, as absolute or given paths. */
struct build {
    const struct cw_unit *unit;
    const void *params;
    struct cw_rtl_build_options opt; /* NULLs replaced by their meaning */
    struct cw_rtl_compilers cxx;     /* by opt.cxx */
    struct cw_rtl_files files;       /* of opt.files */
    struct cw_rtl_names around;      /* folders in which somebody else's Verilog has what it names */
    struct cw_rtl_names package;     /* files of packages that it uses and does not list, each behind those that it uses itself */
    const char *top;                 /* of the sources, the one with the unit's module; NULL: the unit's own Verilog */
    const char *coverage;            /* "line", "toggle", "both" or NULL: counters in the model, see scripts/coverage */
    char source_dir[CW_PATH_MAX], prebuilt_dir[CW_PATH_MAX]; /* what came with cowarp */
    char rtl_dir[CW_PATH_MAX];
    char home_rtl_dir[CW_PATH_MAX]; /* of a unit that a mechanism's folder brings; "": none */
    char cache_dir[CW_PATH_MAX];
    char root[CW_PATH_MAX]; /* Verilator's */
    char version[64];
    char work_dir[CW_PATH_MAX];
    int lock; /* of it */
    char log[CW_PATH_MAX];
    char runtime[CW_PATH_MAX];
};

/* An argument list that owns its strings. */
struct args {
    char **arg; /* NULL at the end */
    uint32_t count;
    bool failed; /* memory ran out */
};

static void args_add(struct args *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void args_add(struct args *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = NULL;
    char **grown = realloc(a->arg, (a->count + 2u) * sizeof *grown);
    if (grown != NULL)
        a->arg = grown;
    if (grown == NULL || vasprintf(&text, fmt, ap) < 0)
        a->failed = true;
    else {
        a->arg[a->count++] = text;
        a->arg[a->count] = NULL;
    }
    va_end(ap);
}

static void args_add_words(struct args *a, const char *words)
{
    while (*words != '\0') {
        size_t n = strcspn(words, " ");
        if (n > 0)
            args_add(a, "%.*s", (int)n, words);
        words += n + (words[n] != '\0');
    }
}

static int args_run(struct args *a, const struct build *b, struct cw_error *err)
{
    const struct cw_os_stop stop = {b->opt.stop, b->opt.stop_context};
    int status = a->failed ? cw_fail(err, CW_ENOMEM, "out of memory") : cw_os_run(a->arg, b->log, &stop, err);
    for (uint32_t i = 0; i < a->count; i++)
        free(a->arg[i]);
    free(a->arg);
    return status;
}

int cw_rtl_cache_dir(char out[CW_PATH_MAX], const char *given, struct cw_error *err)
{
    const char *own = getenv("COWARP_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (given != NULL)
        return cw_os_path(out, CW_PATH_MAX, err, "%s", given);
    if (own != NULL && *own != '\0')
        return cw_os_path(out, CW_PATH_MAX, err, "%s", own);
    if (xdg != NULL && *xdg != '\0')
        return cw_os_path(out, CW_PATH_MAX, err, "%s/cowarp", xdg);
    if (home != NULL && *home != '\0')
        return cw_os_path(out, CW_PATH_MAX, err, "%s/.cache/cowarp", home);
    return cw_fail(err, CW_EINVAL, "no directory for built RTL: set COWARP_CACHE");
}

/* The files that come with cowarp. Libraries that are built already need not be there. */
static int choose_own_dirs(struct build *b, struct cw_error *err)
{
    if (b->opt.source_dir == NULL && !cw_place(b->source_dir, CW_PLACE_SOURCE "/rtl"))
        return cw_fail(err, CW_EIO, "%s: the Verilog of the units is not there; install it (cowarp-rtl), or set COWARP_HOME",
                       b->source_dir);
    if (b->opt.source_dir == NULL) {
        *strrchr(b->source_dir, '/') = '\0';
        b->opt.source_dir = b->source_dir;
    }
    if (b->opt.prebuilt_dir == NULL && cw_place(b->prebuilt_dir, CW_PLACE_LOADED "/rtl"))
        b->opt.prebuilt_dir = b->prebuilt_dir;
    return CW_OK;
}

static int open_files(struct build *b, struct cw_error *err);

static int build_init(struct build *b, const struct cw_unit *unit, const void *params, const struct cw_rtl_build_options *opt,
                      struct cw_error *err)
{
    static const struct cw_rtl_build_options none;
    memset(b, 0, sizeof *b);
    b->unit = unit;
    b->params = params;
    b->opt = opt != NULL ? *opt : none;
    b->cxx = cw_rtl_compilers(b->opt.cxx);
    b->coverage = getenv("COWARP_RTL_COVERAGE");
    if (b->opt.cxx_flags == NULL)
        b->opt.cxx_flags = getenv("COWARP_RTL_CXXFLAGS");
    if (b->opt.cxx_flags == NULL)
        b->opt.cxx_flags = b->coverage != NULL ? "-O0" : cw_rtl_compiler_flags(); /* with a counter at each bit, -O3 takes many minutes */
    if (b->coverage != NULL && strcmp(b->coverage, "line") != 0 && strcmp(b->coverage, "toggle") != 0 && strcmp(b->coverage, "both") != 0)
        return cw_fail(err, CW_EINVAL, "COWARP_RTL_COVERAGE is %s, not line, toggle or both", b->coverage);
    int status = choose_own_dirs(b, err);
    if (status == CW_OK)
        status = b->opt.rtl_dir != NULL ? cw_os_path(b->rtl_dir, CW_PATH_MAX, err, "%s", b->opt.rtl_dir)
                                        : cw_os_path(b->rtl_dir, CW_PATH_MAX, err, "%s/rtl", b->opt.source_dir);
    if (status == CW_OK && unit != NULL && unit->home != NULL)
        status = cw_os_path(b->home_rtl_dir, CW_PATH_MAX, err, "%s/rtl", unit->home);
    if (status == CW_OK)
        status = cw_rtl_cache_dir(b->cache_dir, b->opt.cache_dir, err);
    return status != CW_OK || unit == NULL || b->opt.files == NULL ? status : open_files(b, err);
}

static void build_free(struct build *b)
{
    cw_rtl_files_close(&b->files);
    cw_rtl_names_free(&b->around);
    cw_rtl_names_free(&b->package);
}

static void say(const struct build *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(const struct build *b, const char *fmt, ...)
{
    struct cw_error text;
    va_list ap;
    if (b->opt.message == NULL)
        return;
    va_start(ap, fmt);
    cw_vfail(&text, CW_OK, fmt, ap);
    va_end(ap);
    b->opt.message(b->opt.message_context, text.text);
}

/* Digest of the sources ---------------------------------------------------------------------------------------------- */

static uint64_t fnv1a(uint64_t h, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++)
        h = (h ^ byte[i]) * 0x100000001b3u;
    return h;
}

static int module_in(char path[CW_PATH_MAX], const char *module, const char *rtl_dir)
{
    DIR *d = opendir(rtl_dir);
    int status = CW_EIO;
    for (struct dirent *e = d != NULL ? readdir(d) : NULL; e != NULL && status != CW_OK; e = readdir(d))
        if (e->d_name[0] != '.' && cw_os_path(path, CW_PATH_MAX, NULL, "%s/%s/%s.v", rtl_dir, e->d_name, module) == CW_OK &&
            access(path, R_OK) == 0)
            status = CW_OK;
    if (d != NULL)
        closedir(d);
    return status;
}

/* What a unit's own folder has comes first. */
static int module_path(char path[CW_PATH_MAX], const char *module, const struct build *b)
{
    const int status = b->home_rtl_dir[0] != '\0' ? module_in(path, module, b->home_rtl_dir) : CW_EIO;
    return status == CW_OK ? status : module_in(path, module, b->rtl_dir);
}

int cw_rtl_module_path(char path[CW_PATH_MAX], const char *module, const struct cw_rtl_build_options *opt)
{
    struct build b;
    int status = build_init(&b, NULL, NULL, opt, NULL);
    return status != CW_OK ? status : module_path(path, module, &b);
}

/* Names without repetition; its own. */
struct module_list {
    char **name;
    uint32_t count;
    bool failed; /* memory ran out: names are missing */
};

static void add_module(struct module_list *list, const char *name, size_t length)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strlen(list->name[i]) == length && memcmp(list->name[i], name, length) == 0)
            return;
    char **grown = realloc(list->name, (list->count + 1u) * sizeof *grown);
    if (grown != NULL)
        list->name = grown;
    char *copy = grown != NULL ? strndup(name, length) : NULL;
    if (copy == NULL)
        list->failed = true;
    else
        list->name[list->count++] = copy;
}

static void free_modules(struct module_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        free(list->name[i]);
    free(list->name);
}

/* Every word cw_... of the text is a module's name, or is found to have no file. */
static void add_named_modules(struct module_list *list, const char *text)
{
    const char *at = text;
    while ((at = strstr(at, "cw_")) != NULL) {
        size_t length = 3;
        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            length++;
        if (at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_'))
            add_module(list, at, length);
        at += length;
    }
}

static int is_source(const struct dirent *e)
{
    static const char *const kind[] = {".v", ".vh", ".sv", ".svh", ".h", ".inc", ".hex", ".mem"};
    const char *dot = strchr(e->d_name, '.');
    for (size_t i = 0; i < sizeof kind / sizeof kind[0]; i++)
        if (dot != NULL && dot != e->d_name && strcmp(dot, kind[i]) == 0)
            return 1;
    return 0;
}

/* Files in the folders around that the text may use: those whose name up to the first dot is a word of it. */
static void add_named_neighbours(struct module_list *list, const struct build *b, const char *text)
{
    for (uint32_t k = 0; k < b->around.count; k++) {
        struct dirent **entry;
        char path[CW_PATH_MAX];
        const int cnt = scandir(b->around.name[k], &entry, is_source, alphasort);
        for (int i = 0; i < cnt; i++) {
            char *name = entry[i]->d_name, *dot = strchr(name, '.');
            *dot = '\0';
            const bool named = cw_rtl_has_word(text, name);
            *dot = '.';
            if (named && cw_os_path(path, sizeof path, NULL, "%s/%s", b->around.name[k], name) == CW_OK)
                add_module(list, path, strlen(path));
            free(entry[i]);
        }
        if (cnt >= 0)
            free(entry);
    }
}

/* A name in the list is a module's, or with a slash a file's. */
static int source_path(char path[CW_PATH_MAX], const struct build *b, const char *name)
{
    return strchr(name, '/') != NULL ? cw_os_path(path, CW_PATH_MAX, NULL, "%s", name) : module_path(path, name, b);
}

/* What is told of each source, in the order in which the names are found. */
struct visitor {
    cw_rtl_source_fn *each;
    void *context;
};

/* Somebody else's files begin the list: a file without a folder in its name is of this one. */
static void add_paths(struct module_list *list, const struct cw_rtl_names *files)
{
    char path[CW_PATH_MAX];
    for (uint32_t i = 0; i < files->count; i++)
        if (cw_os_path(path, sizeof path, NULL, "%s%s", strchr(files->name[i], '/') != NULL ? "" : "./", files->name[i]) == CW_OK)
            add_module(list, path, strlen(path));
}

/* The sources of the list, which grows by what they name. */
static int visit_list(const struct visitor *v, struct module_list *list, const struct build *b, struct cw_error *err)
{
    char path[CW_PATH_MAX];
    int status = CW_OK;
    for (uint32_t i = 0; i < list->count && status == CW_OK; i++) {
        size_t size;
        if (source_path(path, b, list->name[i]) != CW_OK) {
            if (i == 0)
                status = cw_fail(err, CW_EIO, "no file %s.v in a folder of %s", list->name[i], b->rtl_dir);
            continue;
        }
        char *text = cw_os_read_file(path, &size);
        if (text == NULL) {
            status = cw_fail(err, CW_EIO, "cannot read %s", path);
            continue;
        }
        v->each(v->context, strncmp(path, "./", 2) == 0 ? path + 2 : path, text, size);
        add_named_modules(list, text);
        add_named_neighbours(list, b, text);
        free(text);
    }
    return status == CW_OK && list->failed ? cw_fail(err, CW_ENOMEM, "out of memory") : status;
}

static int visit_sources(const struct visitor *v, const struct build *b, struct cw_error *err)
{
    struct module_list list = {0};
    char name[CW_PATH_MAX];
    int status = cw_os_path(name, sizeof name, err, "cw_%s", b->unit->name);
    if (b->opt.files == NULL)
        add_module(&list, name, strlen(name));
    add_paths(&list, &b->files.source);
    add_paths(&list, &b->files.list);
    add_paths(&list, &b->package);
    if (status == CW_OK)
        status = visit_list(v, &list, b, err);
    free_modules(&list);
    return status;
}

/* Somebody else's files ----------------------------------------------------------------------------------------------- */

static int no_memory(struct cw_error *err, int status)
{
    return status == CW_OK ? CW_OK : cw_fail(err, CW_ENOMEM, "out of memory");
}

/* The folders of the sources, then those that are named. */
static int note_folders(struct build *b, struct cw_error *err)
{
    int status = CW_OK;
    for (uint32_t i = 0; i < b->files.source.count && status == CW_OK; i++) {
        const char *const name = b->files.source.name[i], *const slash = strrchr(name, '/');
        const size_t length = slash == NULL ? 0 : (size_t)(slash - name) + (slash == name);
        status = cw_rtl_names_add(&b->around, length == 0 ? "." : name, length == 0 ? 1 : length);
    }
    for (uint32_t i = 0; i < b->files.folder.count && status == CW_OK; i++)
        status = cw_rtl_names_add(&b->around, b->files.folder.name[i], strlen(b->files.folder.name[i]));
    return no_memory(err, status);
}

/* A macro may make the module's name: of a single file the name is enough. */
static bool has_module(const struct build *b, const char *path, const char *name)
{
    char *text = cw_os_read_file(path, NULL), *code = text != NULL ? cw_rtl_code(text) : NULL;
    const bool has = code != NULL && (b->files.source.count == 1 ? cw_rtl_has_word(code, name) : cw_rtl_declares(code, "module", name));
    free(code);
    free(text);
    return has;
}

static int find_top(struct build *b, struct cw_error *err)
{
    char name[CW_PATH_MAX];
    int status = cw_os_path(name, sizeof name, err, "cw_%s", b->unit->name);
    for (uint32_t i = 0; i < b->files.source.count && status == CW_OK; i++)
        if (has_module(b, b->files.source.name[i], name)) {
            b->top = b->files.source.name[i];
            return CW_OK;
        }
    if (status != CW_OK)
        return status;
    if (b->files.source.count > 1)
        return cw_fail(err, CW_EIO, "%s: none of its files has module %s", b->unit->name, name);
    return cw_fail(err, CW_EIO, "%s: %s has no module %s", b->unit->name, b->files.source.name[0], name);
}

struct pool {
    char *code;
    bool failed;
};

static void add_code(void *context, const char *path, const char *text, size_t length)
{
    struct pool *pool = context;
    char *code = cw_rtl_code(text), *grown = NULL;
    (void)path, (void)length;
    if (code == NULL || asprintf(&grown, "%s\n%s", pool->code != NULL ? pool->code : "", code) < 0)
        pool->failed = true;
    else {
        free(pool->code);
        pool->code = grown;
    }
    free(code);
}

static int find_packages(struct build *b, struct cw_error *err)
{
    struct pool pool = {0};
    const struct visitor v = {add_code, &pool};
    int status = visit_sources(&v, b, err);
    if (status == CW_OK)
        status = no_memory(err, pool.failed ? CW_ENOMEM : CW_OK);
    if (status == CW_OK && pool.code != NULL)
        status = cw_rtl_packages(&b->package, pool.code, &b->around, &b->files.source, err);
    free(pool.code);
    return status;
}

static int open_files(struct build *b, struct cw_error *err)
{
    struct cw_error why;
    int status = cw_rtl_files_open(&b->files, b->opt.files, &why);
    if (status != CW_OK)
        return cw_fail(err, status, "unit %s: %s", b->unit->name, why.text);
    status = note_folders(b, err);
    if (status == CW_OK)
        status = find_top(b, err);
    return status == CW_OK ? find_packages(b, err) : status;
}

int cw_rtl_sources(const struct cw_unit *unit, const struct cw_rtl_build_options *opt, cw_rtl_source_fn *each, void *context,
                   struct cw_error *err)
{
    const struct visitor v = {each, context};
    struct build b;
    int status = build_init(&b, unit, NULL, opt, err);
    if (status == CW_OK)
        status = visit_sources(&v, &b, err);
    build_free(&b);
    return status;
}

static void digest_source(void *context, const char *path, const char *text, size_t length)
{
    uint64_t *h = context;
    (void)path; /* the same text elsewhere is the same hardware */
    *h = fnv1a(*h, text, length + 1);
}

static int digest_ports(uint64_t *h, const struct build *b, struct cw_error *err)
{
    struct cw_port *ports = calloc(b->unit->port_cnt, sizeof *ports);
    if (ports == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    b->unit->ports(b->params, ports);
    for (uint32_t i = 0; i < b->unit->port_cnt; i++) {
        uint64_t shape[4] = {(uint64_t)ports[i].dir, ports[i].width, ports[i].words, ports[i].offset};
        *h = fnv1a(*h, ports[i].name, strlen(ports[i].name) + 1);
        *h = fnv1a(*h, shape, sizeof shape);
    }
    free(ports);
    return CW_OK;
}

static int template_path(char path[CW_PATH_MAX], const struct build *b, struct cw_error *err)
{
    return cw_os_path(path, CW_PATH_MAX, err, "%s/harness/rtl/shim.cpp.in", b->opt.source_dir);
}

static int digest_template(uint64_t *h, const struct build *b, struct cw_error *err)
{
    char path[CW_PATH_MAX];
    size_t size;
    int status = template_path(path, b, err);
    if (status != CW_OK)
        return status;
    char *text = cw_os_read_file(path, &size);
    if (text == NULL)
        return cw_fail(err, CW_EIO, "cannot read %s: %s", path, strerror(errno));
    *h = fnv1a(*h, text, size + 1);
    free(text);
    return CW_OK;
}

static int digest_of(uint64_t *digest, const struct build *b, struct cw_error *err)
{
    char *text = cw_rtl_params_text(b->unit, b->params);
    uint64_t h = 0xcbf29ce484222325u + CW_RTL_ABI;
    if (text == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    h = fnv1a(h, text, strlen(text) + 1);
    h = fnv1a(h, b->unit->name, strlen(b->unit->name) + 1);
    free(text);
    int status = digest_ports(&h, b, err);
    if (status == CW_OK)
        status = digest_template(&h, b, err);
    const struct visitor v = {digest_source, &h};
    if (b->opt.files != NULL)
        h = fnv1a(h, "files", 5);
    for (uint32_t i = 0; i < b->files.define.count; i++)
        h = fnv1a(h, b->files.define.name[i], strlen(b->files.define.name[i]) + 1);
    if (status == CW_OK)
        status = visit_sources(&v, b, err);
    *digest = h;
    return status;
}

int cw_rtl_digest(uint64_t *digest, const struct cw_unit *unit, const void *params, const struct cw_rtl_build_options *opt,
                  struct cw_error *err)
{
    struct build b;
    int status = build_init(&b, unit, params, opt, err);
    if (status == CW_OK)
        status = digest_of(digest, &b, err);
    build_free(&b);
    return status;
}

/* Building ----------------------------------------------------------------------------------------------------------- */

/* What it says of itself, with what it complains of. */
static int ask_verilator(char *answer, size_t size)
{
    FILE *p = popen("verilator --version 2>&1 && verilator --getenv VERILATOR_ROOT 2>&1", "r");
    const size_t length = p != NULL ? fread(answer, 1, size - 1, p) : 0;
    answer[length] = '\0';
    return p != NULL ? pclose(p) : -1;
}

static int find_verilator(struct build *b, struct cw_error *err)
{
    char answer[2048], word[32], root[1024];
    const int status = ask_verilator(answer, sizeof answer);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        return cw_fail(err, CW_EIO, "verilator is not installed (needed once to build the RTL of a unit)");
    if (status != 0 || sscanf(answer, "%31s %63s%*[^\n] %1023[^\n]", word, b->version, root) != 3 || strcmp(word, "Verilator") != 0)
        return cw_fail(err, CW_EIO, "'verilator --version' failed (needed once to build the RTL of a unit): %.*s",
                       (int)strcspn(answer, "\n"), answer);
    return cw_os_path(b->root, sizeof b->root, err, "%s", root);
}

/* A directory of its own inside dir, so that the final rename does not cross file systems. */
static int make_work_dir(struct build *b, const char *dir, struct cw_error *err)
{
    struct cw_error why;
    int status = cw_os_make_work_dir(b->work_dir, &b->lock, dir, &why);
    if (status != CW_OK)
        return cw_fail(err, status, "%s; built RTL is kept there, set COWARP_CACHE to another folder", why.text);
    return status != CW_OK ? status : cw_os_path(b->log, CW_PATH_MAX, err, "%s/log", b->work_dir);
}

static void remove_work_dir(const struct build *b)
{
    cw_os_remove_tree(b->work_dir);
    if (b->lock >= 0)
        close(b->lock);
}

/* Symbols that are unique in a process would keep a library from being unloaded; clang makes none, and knows no such option. */
static void add_compile_args(struct args *a, const struct build *b, const char *cxx)
{
    args_add_words(a, cxx);
    args_add(a, "-std=gnu++17");
    args_add_words(a, b->opt.cxx_flags);
    if (!cw_rtl_is_clang(cxx))
        args_add(a, "-fno-gnu-unique");
    else if (b->opt.precompile) /* another process may write the same header again, which would be a newer file */
        args_add_words(a, "-Xclang -fvalidate-ast-input-files-content");
    args_add_words(a, "-fPIC -DVM_TRACE=1 -DVM_TRACE_FST=1 -DVM_TRACE_VCD=0");
    args_add(a, "-DVM_COVERAGE=%d", b->coverage != NULL);
    args_add(a, "-DVM_SC=0");
    args_add(a, "-DCW_RTL_PROPERTIES=%d", b->opt.properties);
    args_add(a, "-I%s/include", b->root);
    args_add(a, "-I%s/include/vltstd", b->root);
    if (b->unit != NULL && b->unit->home != NULL)
        args_add(a, "-I%s/include", b->unit->home);
    args_add(a, "-I%s/include", b->opt.source_dir);
    args_add(a, "-I%s/csim", b->opt.source_dir);
    args_add(a, "-I%s/harness/rtl", b->opt.source_dir);
}

static const char link_args[] = "-shared -Wl,-Bsymbolic";

static int move_into_place(const char *from, const char *to, struct cw_error *err)
{
    return rename(from, to) == 0 ? CW_OK : cw_fail(err, CW_EIO, "cannot rename %s to %s: %s", from, to, strerror(errno));
}

static int build_runtime(struct build *b, const char *dir, struct cw_error *err)
{
    static const char *const source[] = {"verilated.cpp", "verilated_threads.cpp"};
    static const char *const own[] = {"rtl_runtime.cpp", "rtl_fst.cpp"};
    struct args a = {0};
    char out[CW_PATH_MAX];
    const char *kind = b->coverage != NULL ? "-coverage" : "";
    int status = cw_os_path(b->runtime, CW_PATH_MAX, err, "%s/libcw_verilated-%s-%u%s.so", dir, b->version, CW_RTL_ABI, kind);
    if (status != CW_OK || access(b->runtime, R_OK) == 0)
        return status;
    say(b, "building Verilator's run time, once");
    add_compile_args(&a, b, b->cxx.runtime);
    args_add_words(&a, link_args);
    for (size_t i = 0; i < sizeof source / sizeof source[0]; i++)
        args_add(&a, "%s/include/%s", b->root, source[i]);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        args_add(&a, "%s/harness/rtl/%s", b->opt.source_dir, own[i]);
    if (b->coverage != NULL)
        args_add(&a, "%s/include/verilated_cov.cpp", b->root);
    args_add(&a, "-Wl,-soname,libcw_verilated-%s-%u%s.so", b->version, CW_RTL_ABI, kind);
    if (cw_rtl_is_clang(b->cxx.runtime)) /* which calls functions for atomics that gcc computes */
        args_add(&a, "-latomic");
    args_add_words(&a, "-lz -lpthread -o");
    args_add(&a, "%s/runtime.so", b->work_dir);
    status = args_run(&a, b, err);
    if (status == CW_OK)
        status = cw_os_path(out, sizeof out, err, "%s/runtime.so", b->work_dir);
    return status != CW_OK ? status : move_into_place(out, b->runtime, err);
}

int cw_rtl_build_runtime(char path[CW_PATH_MAX], const char *dir, const struct cw_rtl_build_options *opt, struct cw_error *err)
{
    struct build b;
    int status = build_init(&b, NULL, NULL, opt, err);
    if (status == CW_OK)
        status = find_verilator(&b, err);
    if (status == CW_OK)
        status = make_work_dir(&b, dir, err);
    if (status != CW_OK)
        return status;
    status = build_runtime(&b, dir, err);
    remove_work_dir(&b);
    return status != CW_OK ? status : cw_os_path(path, CW_PATH_MAX, err, "%s", b.runtime);
}

static void add_library_dirs(struct args *a, const char *rtl_dir)
{
    DIR *d = opendir(rtl_dir);
    for (struct dirent *e = d != NULL ? readdir(d) : NULL; e != NULL; e = readdir(d))
        if (e->d_name[0] != '.' && strchr(e->d_name, '.') == NULL) {
            args_add(a, "-y");
            args_add(a, "%s/%s", rtl_dir, e->d_name);
        }
    if (d != NULL)
        closedir(d);
}

/* Somebody else's Verilog need not be free of warnings; modules beside it come before those of rtl_dir. */
static void add_file_args(struct args *a, const struct build *b)
{
    if (b->opt.files == NULL)
        return;
    args_add_words(a, "-Wno-fatal +systemverilogext+sv");
    for (uint32_t i = 0; i < b->files.define.count; i++)
        args_add(a, "-D%s", b->files.define.name[i]);
    for (uint32_t i = 0; i < b->around.count; i++) {
        args_add(a, "-y");
        args_add(a, "%s", b->around.name[i]);
    }
}

/* The sources: packages first. */
static void add_source_args(struct args *a, const struct build *b)
{
    for (uint32_t i = 0; i < b->package.count; i++)
        args_add(a, "%s", b->package.name[i]);
    for (uint32_t i = 0; i < b->files.source.count; i++)
        args_add(a, "%s", b->files.source.name[i]);
}

/* Asserts are SystemVerilog, and a constant of the prover's choice is a register that nothing drives. */
static void add_property_args(struct args *a, const struct build *b)
{
    if (!b->opt.properties) {
        args_add(a, "--noassert");
        return;
    }
    args_add_words(a, "--assert -Wno-fatal +systemverilogext+v");
    args_add(a, "+define+CW_PROPERTIES=posedge clk_i");
}

/* Verilator speaks of a command line that nobody has seen. */
static int name_parameters(const struct build *b, int status, struct cw_error *err)
{
    static const char lacks[] = "were not found in the design: ";
    const char *found = err != NULL && status != CW_OK && b->top != NULL ? strstr(err->text, lacks) : NULL;
    char names[200];
    if (found == NULL)
        return status;
    snprintf(names, sizeof names, "%s", found + strlen(lacks));
    return cw_fail(err, CW_EMISMATCH, "%s: the contract cowarp/unit/%s.h has parameters that %s has not: %s", b->unit->name, b->unit->name,
                   b->top, names);
}

static int verilate(const struct build *b, struct cw_error *err)
{
    struct args a = {0};
    char top[CW_PATH_MAX];
    char name[CW_PATH_MAX];
    int status = cw_os_path(name, sizeof name, err, "cw_%s", b->unit->name);
    if (status != CW_OK)
        return status;
    if (b->top == NULL && module_path(top, name, b) != CW_OK)
        return cw_fail(err, CW_EIO, "no file %s.v in a folder of %s", name, b->rtl_dir);
    args_add(&a, "%s", verilator_program);
    args_add_words(&a, "--cc --default-language 1364-2005 -Wall -O3 --x-assign fast --x-initial unique --trace-fst");
    add_property_args(&a, b);
    if (b->coverage != NULL && strcmp(b->coverage, "both") == 0)
        args_add_words(&a, "--coverage-line --coverage-toggle");
    else if (b->coverage != NULL)
        args_add(&a, "--coverage-%s", b->coverage);
    else
        args_add(&a, "--savable");
    if (b->coverage != NULL) /* else a counter behind an assignment to what its condition reads is split from it, and counts nothing */
        args_add_words(&a, "-fno-reorder -fno-split -Wno-UNOPTFLAT");
    args_add(&a, "--top-module");
    args_add(&a, "%s", name);
    args_add(&a, "--prefix");
    args_add(&a, "V%s", name);
    args_add(&a, "--Mdir");
    args_add(&a, "%s", b->work_dir);
    for (uint32_t i = 0; i < b->unit->param_cnt; i++) {
        uint32_t value;
        memcpy(&value, (const char *)b->params + b->unit->params[i].offset, sizeof value);
        args_add(&a, "-G%s=%u", b->unit->params[i].verilog_name, value);
    }
    add_file_args(&a, b);
    if (b->home_rtl_dir[0] != '\0')
        add_library_dirs(&a, b->home_rtl_dir);
    add_library_dirs(&a, b->rtl_dir);
    if (b->top == NULL)
        args_add(&a, "%s", top);
    add_source_args(&a, b);
    return name_parameters(b, args_run(&a, b, err), err);
}

/* Every shim includes these first. */
static const char headers[] = "#include \"verilated.h\"\n#include \"verilated_fst_c.h\"\n";

static int write_headers(const char *path, struct cw_error *err)
{
    FILE *f = fopen(path, "w");
    const bool written = f != NULL && fputs(headers, f) >= 0;
    if ((f != NULL && fclose(f) != 0) || !written)
        return cw_fail(err, CW_EIO, "cannot write %s", path);
    return CW_OK;
}

/* Name of a file in the cache that includes what every shim includes, and that the compiler has compiled for these flags. It is of use to
 * the same compiler only; another one takes the text. */
static int precompile(char path[CW_PATH_MAX], const struct build *b, struct cw_error *err)
{
    struct args a = {0};
    char text[CW_PATH_MAX], compiled[CW_PATH_MAX], out[CW_PATH_MAX];
    uint64_t h = fnv1a(0xcbf29ce484222325u + b->opt.properties, b->opt.cxx_flags, strlen(b->opt.cxx_flags) + 1);
    h = fnv1a(h, b->cxx.model, strlen(b->cxx.model) + 1);
    int status = cw_os_path(path, CW_PATH_MAX, err, "%s/cw_verilated-%s-%016" PRIx64 ".h", b->cache_dir, b->version, h);
    if (status == CW_OK)
        status = cw_os_path(out, sizeof out, err, "%s.gch", path);
    if (status != CW_OK || access(out, R_OK) == 0)
        return status;
    status = cw_os_path(text, sizeof text, err, "%s/headers.h", b->work_dir);
    if (status == CW_OK)
        status = cw_os_path(compiled, sizeof compiled, err, "%s/headers.h.gch", b->work_dir);
    if (status == CW_OK)
        status = write_headers(text, err);
    if (status == CW_OK)
        status = move_into_place(text, path, err);
    if (status != CW_OK)
        return status;
    add_compile_args(&a, b, b->cxx.model);
    args_add_words(&a, "-x c++-header");
    args_add(&a, "%s", path);
    args_add(&a, "-o");
    args_add(&a, "%s", compiled);
    status = args_run(&a, b, err);
    return status != CW_OK ? status : move_into_place(compiled, out, err);
}

static int compile(const struct build *b, const char *library, struct cw_error *err)
{
    struct args a = {0};
    char out[CW_PATH_MAX], header[CW_PATH_MAX];
    int status = cw_os_path(out, sizeof out, err, "%s/unit.so", b->work_dir);
    if (status == CW_OK && b->opt.precompile && b->coverage == NULL)
        status = precompile(header, b, err);
    if (status != CW_OK)
        return status;
    add_compile_args(&a, b, b->cxx.model);
    if (b->opt.precompile && b->coverage == NULL) {
        args_add(&a, "-include");
        args_add(&a, "%s", header);
    }
    args_add(&a, "-I%s", b->work_dir);
    args_add_words(&a, link_args);
    args_add(&a, "%s/shim.cpp", b->work_dir);
    args_add(&a, "%s", b->runtime);
    args_add(&a, "-Wl,-rpath,$ORIGIN");
    args_add(&a, "-o");
    args_add(&a, "%s", out);
    status = args_run(&a, b, err);
    return status != CW_OK ? status : move_into_place(out, library, err);
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Threads that build units wait for the one that builds the run time. */
static int share_runtime(struct build *b, struct cw_error *err)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    const int status = build_runtime(b, b->cache_dir, err);
    pthread_mutex_unlock(&mutex);
    return status;
}

static int build_in_work_dir(struct build *b, const char *library, uint64_t digest, struct cw_error *err)
{
    char header[CW_PATH_MAX], shim[CW_PATH_MAX];
    const double begun = seconds_now();
    int status = share_runtime(b, err);
    if (status == CW_OK) {
        char *text = cw_rtl_params_text(b->unit, b->params);
        say(b, "building RTL of %s (%s), once", b->unit->name, text != NULL ? text : "...");
        free(text);
        status = verilate(b, err);
    }
    if (status == CW_OK)
        status = cw_os_path(header, sizeof header, err, "%s/Vcw_%s.h", b->work_dir, b->unit->name);
    if (status == CW_OK)
        status = cw_rtl_check_ports(b->unit, b->params, b->top, header, err);
    if (status == CW_OK)
        status = template_path(shim, b, err);
    if (status == CW_OK)
        status = cw_rtl_write_shim(b->work_dir, shim, b->unit, b->params, digest, b->version, err);
    if (status == CW_OK)
        status = compile(b, library, err);
    if (status == CW_OK)
        say(b, "built RTL of %s in %.0f s", b->unit->name, seconds_now() - begun);
    return status != CW_ELIMIT ? status : cw_fail(err, CW_ELIMIT, "interrupted while RTL of %s was built", b->unit->name);
}

static int library_path(char path[CW_PATH_MAX], const struct build *b, const char *cxx, const char *dir, uint64_t digest,
                        struct cw_error *err)
{
    uint64_t h = fnv1a(digest, b->opt.cxx_flags, strlen(b->opt.cxx_flags));
    if (cw_rtl_is_clang(cxx))
        h = fnv1a(h, "clang", strlen("clang"));
    if (b->coverage != NULL)
        h = fnv1a(h, b->coverage, strlen(b->coverage));
    if (b->opt.properties)
        h = fnv1a(h, "properties", strlen("properties"));
    return cw_os_path(path, CW_PATH_MAX, err, "%s/libcw_rtl_%s_%016" PRIx64 ".so", dir, b->unit->name, h);
}

static bool is_built(char path[CW_PATH_MAX], const struct build *b, const char *cxx, uint64_t digest)
{
    const char *const dir[] = {b->opt.prebuilt_dir, b->cache_dir};
    for (size_t i = 0; i < sizeof dir / sizeof dir[0]; i++)
        if (dir[i] != NULL && library_path(path, b, cxx, dir[i], digest, NULL) == CW_OK && access(path, R_OK) == 0)
            return true;
    return false;
}

static int find_library(char path[CW_PATH_MAX], struct build *b, struct cw_error *err)
{
    uint64_t digest;
    int status = digest_of(&digest, b, err);
    if (status != CW_OK || is_built(path, b, b->cxx.model, digest) || is_built(path, b, b->cxx.also, digest))
        return status;
    status = library_path(path, b, b->cxx.model, b->cache_dir, digest, err);
    if (status != CW_OK)
        return status;
    if (b->opt.stop != NULL && b->opt.stop(b->opt.stop_context) != 0)
        return cw_fail(err, CW_ELIMIT, "interrupted before RTL of %s was built", b->unit->name);
    status = find_verilator(b, err);
    if (status == CW_OK)
        status = make_work_dir(b, b->cache_dir, err);
    if (status != CW_OK)
        return status;
    status = build_in_work_dir(b, path, digest, err);
    remove_work_dir(b);
    return status;
}

int cw_rtl_find(char path[CW_PATH_MAX], const struct cw_unit *unit, const void *params, const struct cw_rtl_build_options *opt,
                struct cw_error *err)
{
    struct build b;
    int status = cw_unit_params_check(unit, params, err);
    if (status != CW_OK)
        return status;
    status = build_init(&b, unit, params, opt, err);
    if (status == CW_OK)
        status = find_library(path, &b, err);
    build_free(&b);
    return status;
}
