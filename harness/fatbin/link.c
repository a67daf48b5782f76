/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* open_memstream */
#include "fatbin/link.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum linkage { OWN, EXTERN, COMMON, WEAK, VISIBLE }; /* of definitions the later one counts */

/* A statement of a text outside of functions. */
struct statement {
    const char *begin, *end; /* with its semicolon or its body */
    const char *after;       /* behind the words of linkage */
    const char *head_end;    /* where a body or an initial value begins; NULL: it has none */
    uint32_t unit, name_cnt;
    enum linkage linkage;
    bool is_function, is_variable, is_header;
    bool left_out, only_declares;
};

/* A name that a statement declares. */
struct name {
    const char *text;
    size_t length;
    uint64_t bytes; /* of a variable; 0: unknown */
    uint32_t statement;
    bool renamed;
};

struct link {
    const struct cw_link_unit *unit;
    struct statement *statement;
    struct name *name;
    uint32_t statement_cnt, name_cnt;
    bool failed; /* out of memory */
    const char *version, *target, *address_size;
    size_t version_length, target_length, address_size_length;
    unsigned long target_number;
};

/* ---- words ---- */

struct token {
    const char *text;
    size_t length; /* 0: the end */
};

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static const char *skip_blank(const char *c)
{
    for (;;) {
        const char *end = NULL;
        c += strspn(c, " \t\r\n\f\v");
        if (c[0] == '/' && c[1] == '/')
            c += strcspn(c, "\n");
        else if (c[0] == '/' && c[1] == '*' && (end = strstr(c + 2, "*/")) != NULL)
            c = end + 2;
        else
            return c;
    }
}

/* The next word (with a dot before it, if there is one), text in quotes, or character. */
static struct token next(const char *c)
{
    struct token t = {.text = skip_blank(c)};
    c = t.text;
    if (*c == '"') {
        const char *end = strchr(c + 1, '"');
        t.length = end != NULL ? (size_t)(end + 1 - c) : strlen(c);
    } else if (*c != '\0') {
        t.length = 1;
        while ((t.length > 1 || *c == '.' || is_of_word(*c)) && is_of_word(c[t.length]))
            t.length++;
    }
    return t;
}

static bool is(struct token t, const char *word)
{
    return t.length == strlen(word) && memcmp(t.text, word, t.length) == 0;
}

static bool is_name(struct token t)
{
    return t.length > 0 && is_of_word(t.text[0]) && !isdigit((unsigned char)t.text[0]);
}

static const char *behind(struct token t)
{
    return t.text + t.length;
}

/* ---- statements ---- */

static void *grown(struct link *l, void *list, uint32_t cnt, size_t each)
{
    if (cnt % 64 != 0)
        return list;
    void *more = realloc(list, (cnt + 64) * each);
    l->failed |= more == NULL;
    return more != NULL ? more : list;
}

/* Bits of a variable's type; 0: the word is no type. */
static uint64_t type_bits(struct token t)
{
    if (t.length < 3 || t.text[0] != '.' || strchr("busf", t.text[1]) == NULL || !isdigit((unsigned char)t.text[2]))
        return 0;
    return strtoull(t.text + 2, NULL, 10) << (t.text[t.length - 2] == 'x' ? 1 : 0);
}

/* [2][3] behind a name; 0: not all are known */
static uint64_t elements(const char *c)
{
    uint64_t n = 1;
    for (struct token t = next(c); is(t, "["); t = next(behind(t))) {
        t = next(behind(t));
        n *= strtoull(t.text, NULL, 0);
        if (!is(t, "]"))
            t = next(behind(t));
    }
    return n;
}

static void add_name(struct link *l, struct token t, uint64_t bits)
{
    l->name = grown(l, l->name, l->name_cnt, sizeof *l->name);
    if (l->failed)
        return;
    l->name[l->name_cnt++] =
        (struct name){.text = t.text, .length = t.length, .bytes = bits / 8 * elements(behind(t)), .statement = l->statement_cnt};
}

/* .version 9.0, .target sm_75, debug, .address_size 64; NULL: it is none of them. The newest of each is the linked text's. */
static const char *header(struct link *l, struct token t)
{
    const char *begin = t.text;
    const bool version = is(t, ".version"), target = is(t, ".target"), size = is(t, ".address_size");
    if (!version && !target && !size)
        return NULL;
    do {
        t = next(behind(t));
        if (target && strncmp(t.text, "sm_", 3) == 0 && strtoul(t.text + 3, NULL, 10) >= l->target_number) {
            l->target_number = strtoul(t.text + 3, NULL, 10);
            l->target = begin;
        }
        if (version && *behind(t) == '.')
            t = next(behind(t));
    } while (target && is(next(behind(t)), ",") && (t = next(behind(t)), true));
    const char *end = behind(t);
    if (version && (l->version == NULL || strtod(begin + 8, NULL) > strtod(l->version + 8, NULL))) {
        l->version = begin;
        l->version_length = (size_t)(end - begin);
    }
    if (l->target == begin)
        l->target_length = (size_t)(end - begin);
    if (size) {
        l->address_size = begin;
        l->address_size_length = (size_t)(end - begin);
    }
    return end;
}

/* .file 1 "name", time, size */
static const char *file_directive(struct token t)
{
    t = next(behind(next(behind(t))));
    while (is(next(behind(t)), ","))
        t = next(behind(next(behind(t))));
    return behind(t);
}

/* Behind the bracket that closes the one at t. */
static const char *closed(struct token t)
{
    for (int depth = 0; t.length > 0; t = next(behind(t))) {
        depth += strchr("([{", *t.text) != NULL;
        depth -= strchr(")]}", *t.text) != NULL;
        if (depth == 0)
            return behind(t);
    }
    return t.text;
}

static void note_word(struct statement *s, struct token t)
{
    static const char *const linkages[] = {[EXTERN] = ".extern", [COMMON] = ".common", [WEAK] = ".weak", [VISIBLE] = ".visible"};
    static const char *const spaces[] = {".global", ".const", ".shared"};
    for (size_t i = EXTERN; i < sizeof linkages / sizeof linkages[0]; i++)
        if (is(t, linkages[i])) {
            s->linkage = (enum linkage)i;
            s->after = behind(t);
        }
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        s->is_variable |= is(t, spaces[i]);
    s->is_function |= is(t, ".func") || is(t, ".entry");
}

/* A function, a variable, or something without a name. Returns where it ends. */
static const char *declaration(struct link *l, struct statement *s)
{
    bool wants_name = true;
    uint64_t bits = 0;
    for (struct token t = next(s->begin); t.length > 0; t = next(behind(t))) {
        const bool body = is(t, "{"), named = s->is_function || s->is_variable;
        if (is(t, ";"))
            return behind(t);
        if ((body || is(t, "=")) && s->head_end == NULL)
            s->head_end = t.text;
        if (body && s->is_function)
            return closed(t);
        if (body || is(t, "(") || is(t, "["))
            t = (struct token){closed(t) - 1, 1};
        else if (*t.text == '.') {
            note_word(s, t);
            bits = type_bits(t) != 0 ? type_bits(t) : bits;
            bits *= is(t, ".v2") ? 2 : is(t, ".v4") ? 4 : 1;
        } else if (is(t, "=")) {
            wants_name = false;
        } else if (is(t, ",")) {
            wants_name = s->is_variable;
        } else if (named && wants_name && is_name(t)) {
            add_name(l, t, bits);
            s->name_cnt++;
            wants_name = false;
        }
    }
    return s->begin + strlen(s->begin);
}

/* The statement that begins with t. Returns where it ends. */
static const char *statement(struct link *l, uint32_t unit, struct token t)
{
    struct statement s = {.unit = unit, .begin = t.text, .after = t.text};
    l->statement = grown(l, l->statement, l->statement_cnt, sizeof *l->statement);
    if (l->failed)
        return "";
    const char *end = header(l, t);
    s.is_header = end != NULL;
    if (is(t, ".file"))
        end = file_directive(t);
    else if (is(t, "@"))
        end = t.text + strcspn(t.text, "\n");
    else if (is(t, ".section"))
        end = closed(next(t.text + strcspn(t.text, "{")));
    else if (end == NULL)
        end = declaration(l, &s);
    s.end = end;
    l->statement[l->statement_cnt++] = s;
    return end;
}

/* ---- names ---- */

static int by_name(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    const size_t n = x->length < y->length ? x->length : y->length;
    const int order = memcmp(x->text, y->text, n);
    if (order != 0)
        return order;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return x->statement < y->statement ? -1 : x->statement > y->statement;
}

static const struct statement *of(const struct link *l, const struct name *n)
{
    return &l->statement[n->statement];
}

/* Whether only the unit itself sees the name. */
static bool is_own(const struct link *l, const struct name *n, uint32_t cnt, uint32_t unit)
{
    bool own = true;
    for (uint32_t i = 0; i < cnt; i++)
        own &= of(l, &n[i])->unit != unit || of(l, &n[i])->linkage == OWN;
    return own;
}

static bool defines(const struct link *l, const struct name *n)
{
    const struct statement *s = of(l, n);
    return s->is_function ? s->head_end != NULL : s->linkage != EXTERN;
}

/* Of the definitions that all see, the one that remains; cnt: there is none. *twice: another one that may not be there; else cnt. */
static uint32_t choose(const struct link *l, const struct name *n, uint32_t cnt, uint32_t *twice)
{
    uint32_t best = cnt;
    *twice = cnt;
    for (uint32_t i = 0; i < cnt; i++) {
        const enum linkage linkage = of(l, &n[i])->linkage;
        if (!defines(l, &n[i]) || linkage == OWN)
            continue;
        const enum linkage so_far = best < cnt ? of(l, &n[best])->linkage : OWN;
        if (linkage == VISIBLE && so_far == VISIBLE)
            *twice = i;
        if (linkage > so_far || (linkage == COMMON && so_far == COMMON && n[i].bytes > n[best].bytes))
            best = i;
    }
    return best;
}

static void leave_one(struct link *l, const struct name *n, uint32_t cnt, uint32_t best)
{
    for (uint32_t i = 0; i < cnt; i++) {
        struct statement *s = &l->statement[n[i].statement];
        if (i == best || !defines(l, &n[i]) || s->linkage == OWN || s->name_cnt != 1)
            continue;
        s->left_out = i > best;
        s->only_declares = i < best;
    }
}

/* The statements of one name. */
static int join(struct link *l, struct name *n, uint32_t cnt, struct cw_error *err)
{
    uint32_t twice;
    const uint32_t best = choose(l, n, cnt, &twice);
    if (twice < cnt)
        return cw_fail(err, CW_EINVAL, "%s: %.*s is defined in %s as well", l->unit[of(l, &n[twice])->unit].name, (int)n->length, n->text,
                       l->unit[of(l, &n[best])->unit].name);
    if (best < cnt)
        leave_one(l, n, cnt, best);
    for (uint32_t i = 0; i < cnt; i++) {
        const uint32_t unit = of(l, &n[i])->unit;
        if (is_own(l, n, cnt, unit)) {
            bool first = true; /* of all that have the name, which nobody else sees */
            for (uint32_t k = 0; k < cnt; k++)
                first &= of(l, &n[k])->unit >= unit && is_own(l, n, cnt, of(l, &n[k])->unit);
            n[i].renamed = !first;
        } else if (best < cnt && n[i].bytes != 0 && n[best].bytes != 0 && n[i].bytes != n[best].bytes && of(l, &n[i])->linkage != COMMON) {
            return cw_fail(err, CW_EINVAL, "%s: %.*s has %llu bytes, and %llu in %s", l->unit[unit].name, (int)n->length, n->text,
                           (unsigned long long)n[i].bytes, (unsigned long long)n[best].bytes, l->unit[of(l, &n[best])->unit].name);
        }
    }
    return CW_OK;
}

static int join_all(struct link *l, struct cw_error *err)
{
    int status = CW_OK;
    if (l->name_cnt > 0)
        qsort(l->name, l->name_cnt, sizeof *l->name, by_name);
    for (uint32_t i = 0, cnt; status == CW_OK && i < l->name_cnt; i += cnt) {
        for (cnt = 1; i + cnt < l->name_cnt && l->name[i + cnt].length == l->name[i].length &&
                      memcmp(l->name[i + cnt].text, l->name[i].text, l->name[i].length) == 0;)
            cnt++;
        status = join(l, l->name + i, cnt, err);
    }
    return status;
}

/* Whether the unit's own name has become another one. */
static bool is_renamed(const struct link *l, uint32_t unit, struct token t)
{
    const struct name key = {.text = t.text, .length = t.length};
    uint32_t low = 0, high = l->name_cnt;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (by_name(&l->name[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < l->name_cnt && l->name[low].length == t.length && memcmp(l->name[low].text, t.text, t.length) == 0; low++)
        if (l->name[low].renamed && of(l, &l->name[low])->unit == unit)
            return true;
    return false;
}

/* ---- the linked text ---- */

/* Copies the text with the unit's new names, and with `files` added to the numbers of source files; *most: the highest of those. */
static void copy(FILE *out, const struct link *l, uint32_t unit, const char *from, const char *to, unsigned long files, unsigned long *most)
{
    bool file = false;
    for (struct token t = next(from); t.length > 0 && t.text < to; t = next(from)) {
        fwrite(from, 1, (size_t)(t.text - from), out);
        from = behind(t);
        if (file && isdigit((unsigned char)*t.text)) {
            const unsigned long number = strtoul(t.text, NULL, 10) + files;
            *most = number > *most ? number : *most;
            fprintf(out, "%lu", number);
        } else {
            fwrite(t.text, 1, t.length, out);
            if (is_name(t) && *from != '.' && is_renamed(l, unit, t))
                fprintf(out, "$file%u", (unsigned)unit + 1);
        }
        file = is(t, ".file") || is(t, ".loc") || is(t, "inlined_at");
    }
}

static void put_all(FILE *out, const struct link *l)
{
    unsigned long files = 0, most = 0;
    fprintf(out, "%.*s\n%.*s\n%.*s\n", (int)l->version_length, l->version, (int)l->target_length, l->target, (int)l->address_size_length,
            l->address_size);
    for (uint32_t i = 0; i < l->statement_cnt; i++) {
        const struct statement *s = &l->statement[i];
        if (i > 0 && s->unit != l->statement[i - 1].unit)
            files = most;
        if (s->is_header || s->left_out)
            continue;
        const char *end = s->only_declares && s->head_end != NULL ? s->head_end : s->only_declares ? s->end - 1 : s->end;
        if (s->only_declares)
            fprintf(out, ".extern ");
        copy(out, l, s->unit, s->only_declares ? s->after : s->begin, end, files, &most);
        fprintf(out, s->only_declares ? ";\n" : "\n");
    }
}

static int link_all(char **text, size_t *length, struct link *l, uint32_t cnt, struct cw_error *err)
{
    for (uint32_t u = 0; u < cnt && !l->failed; u++)
        for (struct token t = next(l->unit[u].text); t.length > 0 && !l->failed;)
            t = next(statement(l, u, t));
    const int status = l->failed ? cw_fail(err, CW_ENOMEM, "out of memory") : join_all(l, err);
    if (status != CW_OK)
        return status;
    if (l->version == NULL || l->target == NULL || l->address_size == NULL)
        return cw_fail(err, CW_EINVAL, "%s: PTX without .version, .target or .address_size", l->unit[0].name);
    FILE *out = open_memstream(text, length);
    if (out == NULL)
        return cw_fail(err, CW_ENOMEM, "out of memory");
    put_all(out, l);
    return fclose(out) == 0 ? CW_OK : cw_fail(err, CW_ENOMEM, "out of memory");
}

int cw_fatbin_link(char **text, size_t *length, const struct cw_link_unit *unit, uint32_t cnt, struct cw_error *err)
{
    struct link l = {.unit = unit};
    *text = NULL;
    if (cnt == 1) { /* lines keep their numbers */
        *text = strdup(unit->text);
        *length = *text != NULL ? strlen(*text) : 0;
        return *text != NULL ? CW_OK : cw_fail(err, CW_ENOMEM, "out of memory");
    }
    const int status = link_all(text, length, &l, cnt, err);
    if (status != CW_OK) {
        free(*text);
        *text = NULL;
    }
    free(l.statement);
    free(l.name);
    return status;
}
