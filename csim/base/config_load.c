/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reader of configuration files, a subset of TOML: tables [a.b], key = integer or "word" (dotted keys too), comments. What a file may
 * hold beyond that is refused with its line.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/config_private.h"

#define FILE_MAX_BYTES  (1u << 20)
#define TOKEN_BYTES     64u
#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* what some editors write first */

struct reader {
    struct cw_config *config;
    const char *path;
    uint32_t line;
    const char *at;                   /* in the current line */
    char table[TOKEN_BYTES];          /* "" before the first [table] */
    uint32_t set_at[CW_CONFIG__MOST]; /* line that set a parameter, 0: none */
};

static int bad(const struct reader *r, struct cw_error *err, const char *what, const char *text)
{
    return cw_fail(err, CW_EINVAL, "%s:%u: %s: %.80s", r->path, (unsigned)r->line, what, text);
}

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t");
}

/* Nothing but a comment may follow. */
static int end_of_line(struct reader *r, struct cw_error *err)
{
    skip_blanks(r);
    return *r->at == '\0' || *r->at == '#' ? CW_OK : bad(r, err, "unexpected text at the end of the line", r->at);
}

/* A name a.b.c of bare keys, blanks around the dots allowed. */
static int read_name(struct reader *r, char name[TOKEN_BYTES], struct cw_error *err)
{
    static const char bare[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const char *start = r->at;
    size_t used = 0;
    for (;;) {
        const size_t length = strspn(r->at, bare);
        if (length == 0)
            return bad(r, err, "expected a name", start);
        if (used + length + 2 > TOKEN_BYTES)
            return bad(r, err, "name too long", start);
        memcpy(name + used, r->at, length);
        used += length;
        r->at += length;
        skip_blanks(r);
        if (*r->at != '.')
            break;
        name[used++] = '.';
        r->at++;
        skip_blanks(r);
    }
    name[used] = '\0';
    return CW_OK;
}

/* The text of an integer, or of a string without its quotes. */
static int read_value(struct reader *r, char value[TOKEN_BYTES], char *quote, struct cw_error *err)
{
    const char *start = r->at;
    size_t length;
    *quote = *start == '"' || *start == '\'' ? *start : '\0';
    if (*quote != '\0') {
        start++;
        const char *end = strchr(start, *quote);
        if (end == NULL)
            return bad(r, err, "string without its closing quote", r->at);
        length = (size_t)(end - start);
        r->at = end + 1;
    } else {
        length = strcspn(start, " \t#");
        r->at = start + length;
        if (length == 0)
            return bad(r, err, "expected a value", "an integer or a \"word\"");
    }
    if (length >= TOKEN_BYTES)
        return bad(r, err, "value too long", start);
    memcpy(value, start, length);
    value[length] = '\0';
    return CW_OK;
}

static int read_table(struct reader *r, struct cw_error *err)
{
    r->at++;
    if (*r->at == '[')
        return bad(r, err, "arrays of tables are not used here", r->at - 1);
    skip_blanks(r);
    int status = read_name(r, r->table, err);
    if (status != CW_OK)
        return status;
    if (*r->at != ']')
        return bad(r, err, "expected ]", r->table);
    r->at++;
    return end_of_line(r, err);
}

static int read_assignment(struct reader *r, struct cw_error *err)
{
    char key[TOKEN_BYTES], value[TOKEN_BYTES], name[2 * TOKEN_BYTES], quote;
    int status = read_name(r, key, err);
    if (status != CW_OK)
        return status;
    if (*r->at != '=')
        return bad(r, err, "expected = behind", key);
    r->at++;
    skip_blanks(r);
    status = read_value(r, value, &quote, err);
    if (status == CW_OK)
        status = end_of_line(r, err);
    if (status != CW_OK)
        return status;
    snprintf(name, sizeof name, "%s%s%s", r->table, r->table[0] != '\0' ? "." : "", key);
    uint32_t id;
    struct cw_error why;
    struct cw_config_info info;
    if (cw_config_find(&id, name, &why) != CW_OK)
        return cw_fail(err, CW_EINVAL, "%s:%u: %s", r->path, (unsigned)r->line, why.text);
    if (r->set_at[id] != 0)
        return cw_fail(err, CW_EINVAL, "%s:%u: %s is already set in line %u", r->path, (unsigned)r->line, name, (unsigned)r->set_at[id]);
    r->set_at[id] = r->line;
    cw_config_info(r->config, id, &info);
    if ((info.words != NULL) != (quote != '\0'))
        return bad(r, err, info.words != NULL ? "takes a word in quotes" : "takes an integer without quotes", name);
    if (cw_config__assign(r->config, id, value, &why) != CW_OK)
        return cw_fail(err, CW_EINVAL, "%s:%u: %s", r->path, (unsigned)r->line, why.text);
    return CW_OK;
}

static int read_lines(struct reader *r, char *text, struct cw_error *err)
{
    while (text != NULL) {
        char *next = strchr(text, '\n');
        if (next != NULL)
            *next++ = '\0';
        const size_t length = strlen(text);
        if (length > 0 && text[length - 1] == '\r')
            text[length - 1] = '\0';
        r->line++;
        r->at = text;
        skip_blanks(r);
        int status = CW_OK;
        if (*r->at == '[')
            status = read_table(r, err);
        else if (*r->at != '\0' && *r->at != '#')
            status = read_assignment(r, err);
        if (status != CW_OK)
            return status;
        text = next;
    }
    return CW_OK;
}

/* The whole file with a final '\0'; the caller frees. */
static int read_file(char **text, const char *path, struct cw_error *err)
{
    *text = NULL;
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return cw_fail(err, CW_EIO, "%s: cannot be opened: %s", path, strerror(errno));
    char *buffer = malloc(FILE_MAX_BYTES + 1);
    size_t length = 0;
    int status = CW_OK;
    if (buffer == NULL)
        status = cw_fail(err, CW_ENOMEM, "%s: out of memory", path);
    else {
        length = fread(buffer, 1, FILE_MAX_BYTES + 1, f);
        if (ferror(f))
            status = cw_fail(err, CW_EIO, "%s: cannot be read: %s", path, strerror(errno));
        else if (length > FILE_MAX_BYTES)
            status = cw_fail(err, CW_EINVAL, "%s: larger than 1 MB, not a configuration file", path);
        else if (memchr(buffer, '\0', length) != NULL)
            status = cw_fail(err, CW_EINVAL, "%s: holds NUL bytes, not a configuration file", path);
    }
    fclose(f);
    if (status != CW_OK) {
        free(buffer);
        return status;
    }
    buffer[length] = '\0';
    *text = buffer;
    return CW_OK;
}

int cw_config_load(struct cw_config *config, const char *path, uint32_t *line_of, struct cw_error *err)
{
    char *text;
    int status = read_file(&text, path, err);
    if (status != CW_OK)
        return status;
    /* into a copy: a file with an error changes nothing */
    struct cw_config copy = *config;
    struct reader r = {.config = &copy, .path = path};
    const bool marked = strncmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0;
    status = read_lines(&r, text + (marked ? strlen(BYTE_ORDER_MARK) : 0), err);
    if (status == CW_OK)
        *config = copy;
    for (uint32_t i = 0; line_of != NULL && i < cw_config_count(); i++)
        line_of[i] = r.set_at[i];
    free(text);
    return status;
}
