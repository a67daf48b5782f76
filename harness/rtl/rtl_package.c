/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "rtl_package.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

char *cw_rtl_code(const char *verilog)
{
    char *text = strdup(verilog), *to = text;
    const char *from = verilog;
    while (text != NULL && *from != '\0') {
        const char *end = from;
        if (from[0] == '/' && from[1] == '/')
            end = from + strcspn(from, "\n");
        else if (from[0] == '/' && from[1] == '*' && (end = strstr(from + 2, "*/")) != NULL)
            end += 2;
        if (end == NULL) /* a comment without an end: Verilator says so */
            break;
        if (end != from)
            *to++ = ' ';
        else
            *to++ = *end++;
        from = end;
    }
    if (text != NULL)
        *to = '\0';
    return text;
}

/* The place behind the next occurrence of the word; NULL: there is none. */
static const char *behind(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        if ((at == text || !is_letter(at[-1])) && !is_letter(at[length]))
            return at + length;
    return NULL;
}

bool cw_rtl_has_word(const char *text, const char *word)
{
    return behind(text, word) != NULL;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* The name that is declared behind the keyword, and its length. */
static const char *declared(const char *at, size_t *length)
{
    static const char *const lifetime[] = {"automatic", "static"};
    at = skip_blanks(at);
    for (size_t i = 0; i < 2; i++)
        if (strncmp(at, lifetime[i], strlen(lifetime[i])) == 0 && !is_letter(at[strlen(lifetime[i])]))
            at = skip_blanks(at + strlen(lifetime[i]));
    *length = 0;
    while (is_letter(at[*length]))
        ++*length;
    return at;
}

bool cw_rtl_declares(const char *code, const char *keyword, const char *name)
{
    for (const char *at = behind(code, keyword); at != NULL; at = behind(at, keyword)) {
        size_t length;
        const char *const word = declared(at, &length);
        if (length == strlen(name) && strncmp(word, name, length) == 0)
            return true;
    }
    return false;
}

static bool uses(const char *code, const char *package)
{
    for (const char *at = behind(code, package); at != NULL; at = behind(at, package))
        if (strncmp(skip_blanks(at), "::", 2) == 0)
            return true;
    return false;
}

/* ---- the files of packages ---- */

struct candidate {
    char *path, *code;
    struct cw_rtl_names package; /* that it declares */
    bool taken;
};

struct search {
    struct candidate *file;
    uint32_t count;
    struct cw_rtl_names known; /* packages that known files declare */
    struct cw_error *err;
};

static int note_packages(struct cw_rtl_names *packages, const char *code, struct cw_error *err)
{
    for (const char *at = behind(code, "package"); at != NULL; at = behind(at, "package")) {
        size_t length;
        const char *const name = declared(at, &length);
        if (length > 0 && cw_rtl_names_add(packages, name, length) != CW_OK)
            return cw_fail(err, CW_ENOMEM, "out of memory");
    }
    return CW_OK;
}

/* A file without packages, or that cannot be read, is no candidate. */
static int add_candidate(struct search *s, const char *path)
{
    char *text = cw_os_read_file(path, NULL);
    struct candidate c = {.path = strdup(path), .code = text != NULL ? cw_rtl_code(text) : NULL};
    int status = c.code != NULL ? note_packages(&c.package, c.code, s->err) : CW_OK;
    struct candidate *const grown = status == CW_OK && c.package.count > 0 ? realloc(s->file, (s->count + 1u) * sizeof *grown) : NULL;
    free(text);
    if (grown != NULL && c.path != NULL) {
        s->file = grown;
        s->file[s->count++] = c;
        return CW_OK;
    }
    if (c.package.count > 0 && status == CW_OK)
        status = cw_fail(s->err, CW_ENOMEM, "out of memory");
    free(c.path);
    free(c.code);
    cw_rtl_names_free(&c.package);
    return status;
}

static int is_verilog(const struct dirent *e)
{
    const char *const dot = strrchr(e->d_name, '.');
    return dot != NULL && dot != e->d_name && (strcmp(dot, ".sv") == 0 || strcmp(dot, ".v") == 0);
}

static bool has_name(const struct cw_rtl_names *names, const char *name)
{
    for (uint32_t i = 0; i < names->count; i++)
        if (strcmp(names->name[i], name) == 0)
            return true;
    return false;
}

static int look_in(struct search *s, const char *folder, const struct cw_rtl_names *known)
{
    struct dirent **entry;
    const int cnt = scandir(folder, &entry, is_verilog, alphasort);
    int status = CW_OK;
    for (int i = 0; i < cnt; i++) {
        char path[CW_PATH_MAX];
        if (status == CW_OK && cw_os_path(path, sizeof path, NULL, "%s/%s", folder, entry[i]->d_name) == CW_OK && !has_name(known, path))
            status = add_candidate(s, path);
        free(entry[i]);
    }
    if (cnt >= 0)
        free(entry);
    return status;
}

static int note_known(struct search *s, const struct cw_rtl_names *known)
{
    int status = CW_OK;
    for (uint32_t i = 0; i < known->count && status == CW_OK; i++) {
        char *text = cw_os_read_file(known->name[i], NULL), *code = text != NULL ? cw_rtl_code(text) : NULL;
        status = code != NULL ? note_packages(&s->known, code, s->err) : CW_OK;
        free(code);
        free(text);
    }
    return status;
}

/* Of the packages that a candidate declares, whether the code uses one that nobody else brings. */
static bool is_wanted(const struct search *s, const struct candidate *c, const char *code)
{
    for (uint32_t i = 0; i < c->package.count; i++)
        if (uses(code, c->package.name[i]) && !has_name(&s->known, c->package.name[i]))
            return true;
    return false;
}

/* What a package uses comes before it. */
static int take_used(struct search *s, const char *code, struct cw_rtl_names *found)
{
    int status = CW_OK;
    for (uint32_t i = 0; i < s->count && status == CW_OK; i++) {
        struct candidate *const c = &s->file[i];
        if (c->taken || !is_wanted(s, c, code))
            continue;
        c->taken = true;
        status = note_packages(&s->known, c->code, s->err);
        if (status == CW_OK)
            status = take_used(s, c->code, found);
        if (status == CW_OK && cw_rtl_names_add(found, c->path, strlen(c->path)) != CW_OK)
            status = cw_fail(s->err, CW_ENOMEM, "out of memory");
    }
    return status;
}

int cw_rtl_packages(struct cw_rtl_names *found, const char *code, const struct cw_rtl_names *folders, const struct cw_rtl_names *known,
                    struct cw_error *err)
{
    struct search s = {.err = err};
    int status = note_known(&s, known);
    for (uint32_t i = 0; i < folders->count && status == CW_OK; i++)
        status = look_in(&s, folders->name[i], known);
    if (status == CW_OK)
        status = take_used(&s, code, found);
    for (uint32_t i = 0; i < s.count; i++) {
        free(s.file[i].path);
        free(s.file[i].code);
        cw_rtl_names_free(&s.file[i].package);
    }
    free(s.file);
    cw_rtl_names_free(&s.known);
    return status;
}
