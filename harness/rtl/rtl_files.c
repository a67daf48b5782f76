/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "rtl_files.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

#define LISTS_MAX 32u /* lists that name each other, deep */

int cw_rtl_names_add(struct cw_rtl_names *names, const char *name, size_t length)
{
    for (uint32_t i = 0; i < names->count; i++)
        if (strlen(names->name[i]) == length && memcmp(names->name[i], name, length) == 0)
            return CW_OK;
    char **grown = realloc(names->name, (names->count + 1u) * sizeof *grown);
    if (grown == NULL)
        return CW_ENOMEM;
    names->name = grown;
    grown[names->count] = strndup(name, length);
    if (grown[names->count] == NULL)
        return CW_ENOMEM;
    names->count++;
    return CW_OK;
}

void cw_rtl_names_free(struct cw_rtl_names *names)
{
    for (uint32_t i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
    *names = (struct cw_rtl_names){0};
}

/* Where words come from: the request, or a list. */
struct origin {
    const char *list; /* NULL: the request */
    uint32_t line, depth;
};

static int wrong(struct cw_error *err, const struct origin *o, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static int wrong(struct cw_error *err, const struct origin *o, const char *fmt, ...)
{
    struct cw_error what;
    va_list ap;
    va_start(ap, fmt);
    cw_vfail(&what, CW_EINVAL, fmt, ap);
    va_end(ap);
    return o->list != NULL ? cw_fail(err, CW_EINVAL, "%s:%u: %s", o->list, o->line, what.text) : cw_fail(err, CW_EINVAL, "%s", what.text);
}

static int add(struct cw_rtl_names *names, const char *name, struct cw_error *err)
{
    const int status = cw_rtl_names_add(names, name, strlen(name));
    return status == CW_OK ? CW_OK : cw_fail(err, status, "out of memory");
}

static int read_list(struct cw_rtl_files *f, const char *path, const struct origin *from, struct cw_error *err);

/* A name as it is to be opened: what a list names begins at the list's folder. */
static int place(char path[CW_PATH_MAX], const char *name, const struct origin *o, struct cw_error *err)
{
    const char *slash = o->list != NULL && name[0] != '/' ? strrchr(o->list, '/') : NULL;
    return slash != NULL ? cw_os_path(path, CW_PATH_MAX, err, "%.*s/%s", (int)(slash - o->list), o->list, name)
                         : cw_os_path(path, CW_PATH_MAX, err, "%s", name);
}

static int add_file(struct cw_rtl_files *f, const char *name, const struct origin *o, struct cw_error *err)
{
    char path[CW_PATH_MAX];
    struct stat s;
    const size_t length = strlen(name);
    int status = place(path, name, o, err);
    if (status != CW_OK)
        return status;
    if (stat(path, &s) == 0 && S_ISDIR(s.st_mode))
        return wrong(err, o, "'%.400s' is a folder; a folder to look in is +incdir+%.400s", path, name);
    if (access(path, R_OK) != 0)
        return wrong(err, o, "cannot read '%.800s': %s", path, strerror(errno));
    return length > 2 && strcmp(name + length - 2, ".f") == 0 ? read_list(f, path, o, err) : add(&f->source, path, err);
}

static int add_folder(struct cw_rtl_files *f, const char *name, const struct origin *o, struct cw_error *err)
{
    char path[CW_PATH_MAX];
    struct stat s;
    int status = place(path, name, o, err);
    if (status != CW_OK)
        return status;
    if (stat(path, &s) != 0)
        return wrong(err, o, "cannot look in '%.800s': %s", path, strerror(errno));
    return S_ISDIR(s.st_mode) ? add(&f->folder, path, err) : wrong(err, o, "'%.800s' is no folder", path);
}

/* "+incdir+a+b" and the like: each part behind the option. */
static int add_parts(struct cw_rtl_files *f, char *parts, bool folders, const struct origin *o, struct cw_error *err)
{
    int status = CW_OK;
    char *rest = NULL;
    if (parts[0] == '\0')
        return wrong(err, o, "+%s+ names nothing", folders ? "incdir" : "define");
    for (char *part = strtok_r(parts, "+", &rest); part != NULL && status == CW_OK; part = strtok_r(NULL, "+", &rest))
        status = folders ? add_folder(f, part, o, err) : add(&f->define, part, err);
    return status;
}

/* What an option with an argument does with it; 0: it is none. */
static char option(const char *word)
{
    static const struct {
        const char *name;
        char kind;
    } table[] = {{"-f", 'l'}, {"-F", 'l'}, {"-v", 's'}, {"-y", 'd'}, {"-I", 'd'}, {"-D", 'm'}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strncmp(word, table[i].name, 2) == 0 && (word[2] == '\0' || table[i].kind == 'm' || word[1] == 'I'))
            return table[i].kind;
    return '\0';
}

static int add_option(struct cw_rtl_files *f, char kind, const char *argument, const struct origin *o, struct cw_error *err)
{
    char path[CW_PATH_MAX];
    int status = CW_OK;
    switch (kind) {
    case 'l':
        status = place(path, argument, o, err);
        return status != CW_OK ? status : read_list(f, path, o, err);
    case 'd':
        return add_folder(f, argument, o, err);
    case 'm':
        return add(&f->define, argument, err);
    default:
        return add_file(f, argument, o, err);
    }
}

/* One word; next: the one behind it, or NULL. *takes_next: it was the word's argument. */
static int add_word(struct cw_rtl_files *f, char *word, const char *next, bool *takes_next, const struct origin *o, struct cw_error *err)
{
    static const char incdir[] = "+incdir+", define[] = "+define+", libext[] = "+libext+";
    const char kind = o->list != NULL ? option(word) : '\0';
    *takes_next = false;
    if (strncmp(word, incdir, strlen(incdir)) == 0)
        return add_parts(f, word + strlen(incdir), true, o, err);
    if (strncmp(word, define, strlen(define)) == 0)
        return add_parts(f, word + strlen(define), false, o, err);
    if (strncmp(word, libext, strlen(libext)) == 0)
        return CW_OK;
    if (kind != '\0') {
        *takes_next = word[2] == '\0';
        if (*takes_next && next == NULL)
            return wrong(err, o, "%s names nothing", word);
        return add_option(f, kind, *takes_next ? next : word + 2, o, err);
    }
    if (word[0] == '+' || word[0] == '-')
        return wrong(err, o, "'%.200s' is not understood; expected a file, +incdir+DIR, +define+NAME=TEXT%s", word,
                     o->list != NULL ? ", -f, -v, -y, -I or -D" : " or a list FILE.f");
    return add_file(f, word, o, err);
}

/* ---- lists ---- */

/* Blanks in the place of comments. They begin where a word would: a path may have two slashes inside. */
static void drop_comments(char *text)
{
    bool begins = true;
    while (*text != '\0') {
        const bool line = begins && (text[0] == '#' || (text[0] == '/' && text[1] == '/')),
                   span = begins && text[0] == '/' && text[1] == '*';
        begins = strchr(" \t\r\n", *text) != NULL;
        if (!line && !span) {
            text++;
            continue;
        }
        char *const close = span ? strstr(text + 2, "*/") : text + strcspn(text, "\n");
        char *const end = close == NULL ? text + strlen(text) : close + (span ? 2 : 0);
        for (; text < end; text++)
            *text = *text == '\n' ? '\n' : ' ';
        begins = true;
    }
}

/* Appends to a text of the heap; NULL: no memory. */
static char *append(char *to, const char *text, size_t length)
{
    char *grown = NULL;
    if (to == NULL || asprintf(&grown, "%s%.*s", to, (int)length, text) < 0)
        grown = NULL;
    free(to);
    return grown;
}

/* A word of a list, with the environment's texts in the place of their names; the caller frees it. */
static int expand(char **out, const char *word, size_t length, const struct origin *o, struct cw_error *err)
{
    *out = strdup("");
    for (size_t i = 0; i < length && *out != NULL;) {
        char name[200];
        size_t n = 0;
        if (word[i] != '$') {
            *out = append(*out, word + i, 1);
            i++;
            continue;
        }
        const bool braced = i + 1 < length && (word[i + 1] == '{' || word[i + 1] == '(');
        i += braced ? 2 : 1;
        while (i + n < length && (isalnum((unsigned char)word[i + n]) || word[i + n] == '_'))
            n++;
        snprintf(name, sizeof name, "%.*s", (int)n, word + i);
        const char *const text = getenv(name);
        if (text == NULL)
            return wrong(err, o, "the environment has no %s", name);
        *out = append(*out, text, strlen(text));
        i += n + braced;
    }
    return *out != NULL ? CW_OK : cw_fail(err, CW_ENOMEM, "out of memory");
}

/* The words of a list and their lines. */
struct words {
    char **text;
    uint32_t *line, count;
};

static void free_words(struct words *w)
{
    for (uint32_t i = 0; i < w->count; i++)
        free(w->text[i]);
    free(w->text);
    free(w->line);
}

/* o->line: moves with the words. */
static int split(struct words *w, const char *at, struct origin *o, struct cw_error *err)
{
    static const char blanks[] = " \t\r\n";
    for (int status = CW_OK; status == CW_OK;) {
        for (; *at != '\0' && strchr(blanks, *at) != NULL; at++)
            o->line += *at == '\n';
        const size_t length = strcspn(at, blanks);
        if (length == 0)
            return CW_OK;
        char **const text = realloc(w->text, (w->count + 1u) * sizeof *text);
        w->text = text != NULL ? text : w->text;
        uint32_t *const line = realloc(w->line, (w->count + 1u) * sizeof *line);
        w->line = line != NULL ? line : w->line;
        if (text == NULL || line == NULL)
            return cw_fail(err, CW_ENOMEM, "out of memory");
        w->line[w->count] = o->line;
        status = expand(&w->text[w->count++], at, length, o, err);
        if (status != CW_OK)
            return status;
        at += length;
    }
    return CW_OK;
}

static int read_words(struct cw_rtl_files *f, const char *text, struct origin *o, struct cw_error *err)
{
    struct words w = {0};
    int status = split(&w, text, o, err);
    for (uint32_t i = 0; i < w.count && status == CW_OK; i++) {
        bool takes;
        o->line = w.line[i];
        status = add_word(f, w.text[i], i + 1 < w.count ? w.text[i + 1] : NULL, &takes, o, err);
        i += takes;
    }
    free_words(&w);
    return status;
}

static int read_list(struct cw_rtl_files *f, const char *path, const struct origin *from, struct cw_error *err)
{
    struct origin o = {path, 1, from->depth + 1};
    if (from->depth >= LISTS_MAX)
        return wrong(err, from, "lists name each other: '%.800s'", path);
    char *text = cw_os_read_file(path, NULL);
    if (text == NULL)
        return wrong(err, from, "cannot read '%.800s': %s", path, strerror(errno));
    int status = add(&f->list, path, err);
    drop_comments(text);
    if (status == CW_OK)
        status = read_words(f, text, &o, err);
    free(text);
    return status;
}

/* ---- the request ---- */

int cw_rtl_files_open(struct cw_rtl_files *files, const char *words, struct cw_error *err)
{
    const struct origin o = {NULL, 0, 0};
    const bool one = access(words, R_OK) == 0; /* whatever its name has in it */
    *files = (struct cw_rtl_files){0};
    int status = one ? add_file(files, words, &o, err) : CW_OK;
    while (!one && status == CW_OK) {
        const size_t length = strcspn(words, ",");
        char *word = strndup(words, length);
        bool takes; /* no word of the request does */
        if (word == NULL)
            status = cw_fail(err, CW_ENOMEM, "out of memory");
        else if (length == 0)
            status = cw_fail(err, CW_EINVAL, "a file's name is missing; expected FILE.v[,FILE.sv...][,+incdir+DIR] or a list FILE.f");
        else
            status = add_word(files, word, NULL, &takes, &o, err);
        free(word);
        if (words[length] == '\0')
            break;
        words += length + 1;
    }
    if (status == CW_OK && files->source.count == 0)
        status = cw_fail(err, CW_EINVAL, "no source is named");
    return status;
}

void cw_rtl_files_close(struct cw_rtl_files *files)
{
    cw_rtl_names_free(&files->source);
    cw_rtl_names_free(&files->list);
    cw_rtl_names_free(&files->folder);
    cw_rtl_names_free(&files->define);
}
