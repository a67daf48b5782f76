/* SPDX-License-Identifier: Apache-2.0 */
/* Errors, memory and tables of the PTX reader. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/reader.h"

void *cw_ptx_fit(struct cw_ptx *p, void *a, uint32_t *cap, uint32_t n, uint32_t elem_bytes)
{
    if (n < *cap)
        return a;
    uint32_t want = *cap < 8 ? 8 : *cap * 2;
    void *bigger = *cap > UINT32_MAX / 4 ? NULL : realloc(a, (size_t)want * elem_bytes);
    if (bigger == NULL) {
        cw_ptx_fail(p, CW_ENOMEM, "out of memory");
        return a;
    }
    *cap = want;
    return bigger;
}

void *cw_ptx_alloc(struct cw_ptx *p, size_t n, size_t elem_bytes)
{
    void *a = calloc(n > 0 ? n : 1, elem_bytes);
    if (a == NULL)
        cw_ptx_fail(p, CW_ENOMEM, "out of memory");
    return a;
}

int cw_ptx_fail_at(struct cw_ptx *p, int status, uint32_t line, uint32_t col, const char *fmt, ...)
{
    if (p->status != CW_OK)
        return p->status;
    char what[6000];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof(what), fmt, ap);
    va_end(ap);
    p->status = cw_fail(p->err, status, "%s:%u:%u: %s", p->file, line, col, what);
    p->tok.kind = p->ahead.kind = CW_TOK_EOF;
    return status;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%';
}

#define QUOTED 119u /* letters of a statement in a message; its last word is whole */

/* Copies the text from start up to the ';' or brace that ends the statement, or to a comment, with runs of blanks as one; nothing of what
 * is no text. */
static void quote(const struct cw_ptx *p, const char *start, char *out, size_t size)
{
    const char *end = p->text + p->length;
    size_t n = 0;
    for (const char *c = start != NULL ? start : end; c < end && n + 1 < size; c++) {
        bool blank = *c == ' ' || *c == '\t' || *c == '\n' || *c == '\r';
        const bool text = *c >= 32 && *c < 127;
        if ((*c == '/' && c + 1 < end && (c[1] == '/' || c[1] == '*')) || (c == start && !blank && !text))
            break;
        if (n >= QUOTED && (blank || !is_word(c[0]) || !is_word(c[-1])))
            break;
        if (!blank)
            out[n++] = text ? *c : '?';
        else if (n > 0 && out[n - 1] != ' ')
            out[n++] = ' ';
        if (*c == ';' || *c == '{' || *c == '}')
            break;
    }
    while (n > 0 && out[n - 1] == ' ')
        n--;
    out[n] = '\0';
}

static int fail_tok(struct cw_ptx *p, int status, const struct cw_tok *tok, const char *fmt, va_list ap)
{
    char what[4096], text[4096];
    vsnprintf(what, sizeof(what), fmt, ap);
    snprintf(p->why, sizeof(p->why), "%.*s", (int)sizeof(p->why) - 1, what);
    bool in_stmt = p->stmt.text != NULL && tok->text >= p->stmt.text && tok->kind != CW_TOK_BAD;
    quote(p, in_stmt ? p->stmt.text : tok->text, text, sizeof(text));
    if (tok->kind == CW_TOK_BAD)
        return cw_ptx_fail_at(p, status, tok->line, tok->col, "%s%s%s", tok->why, text[0] != '\0' ? ": " : "", text);
    if (tok->kind == CW_TOK_EOF)
        return cw_ptx_fail_at(p, status, tok->line, tok->col, "%s: the file ends here%s%s", what, text[0] != '\0' ? ", in: " : "", text);
    return cw_ptx_fail_at(p, status, tok->line, tok->col, "%s: %s", what, text);
}

int cw_ptx_fail(struct cw_ptx *p, int status, const char *fmt, ...)
{
    if (p->status != CW_OK)
        return p->status;
    va_list ap;
    va_start(ap, fmt);
    fail_tok(p, status, &p->tok, fmt, ap);
    va_end(ap);
    return p->status;
}

int cw_ptx_fail_tok(struct cw_ptx *p, int status, const struct cw_tok *tok, const char *fmt, ...)
{
    if (p->status != CW_OK)
        return p->status;
    va_list ap;
    va_start(ap, fmt);
    fail_tok(p, status, tok, fmt, ap);
    va_end(ap);
    return p->status;
}

bool cw_ptx_refuse_text(struct cw_ptx *p, struct cw_fn *fn)
{
    fn->refused_status = p->status;
    p->status = CW_OK;
    const size_t bytes = strlen(p->err->text) + 1;
    char *text = cw_ptx_alloc(p, bytes, 1);
    if (text != NULL)
        memcpy(text, p->err->text, bytes);
    CW_PUSH(p, &p->refusal, text);
    if (p->status != CW_OK) {
        free(text);
        return false;
    }
    fn->refused = text;
    return true;
}

bool cw_ptx_refuse(struct cw_ptx *p, struct cw_fn *fn)
{
    return !p->is_final && (p->status == CW_EUNSUP || p->status == CW_EINVAL) && cw_ptx_refuse_text(p, fn);
}

void cw_ptx_fail_refused(struct cw_ptx *p, const struct cw_fn *fn)
{
    if (p->status != CW_OK)
        return;
    p->status = cw_fail(p->err, fn->refused_status, "%s", fn->refused);
    p->tok.kind = p->ahead.kind = CW_TOK_EOF;
}

uint32_t cw_ptx_hash(const char *s, uint32_t len)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (uint32_t i = 0; i < len; i++)
        h = (h ^ (uint8_t)s[i]) * 16777619u;
    return h ^ h >> 15;
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static struct cw_map_entry *map_find(const struct cw_map *m, uint64_t key)
{
    uint32_t i = (uint32_t)mix(key) & (m->size - 1);
    while (m->slot[i].id != CW_PTX_NONE && m->slot[i].key != key)
        i = (i + 1) & (m->size - 1);
    return &m->slot[i];
}

uint32_t cw_map_get(const struct cw_map *m, uint64_t key)
{
    return m->size == 0 ? CW_PTX_NONE : map_find(m, key)->id;
}

static bool map_grow(struct cw_ptx *p, struct cw_map *m)
{
    struct cw_map bigger = {.size = m->size == 0 ? 64 : m->size * 2, .n = m->n};
    bigger.slot = cw_ptx_alloc(p, bigger.size, sizeof(*bigger.slot));
    if (bigger.slot == NULL)
        return false;
    for (uint32_t i = 0; i < bigger.size; i++)
        bigger.slot[i].id = CW_PTX_NONE;
    for (uint32_t i = 0; i < m->size; i++)
        if (m->slot[i].id != CW_PTX_NONE)
            *map_find(&bigger, m->slot[i].key) = m->slot[i];
    free(m->slot);
    *m = bigger;
    return true;
}

void cw_map_put(struct cw_ptx *p, struct cw_map *m, uint64_t key, uint32_t id)
{
    if (m->n >= m->size / 2 && !map_grow(p, m))
        return;
    struct cw_map_entry *e = map_find(m, key);
    m->n += e->id == CW_PTX_NONE;
    *e = (struct cw_map_entry){.key = key, .id = id};
}

void cw_map_clear(struct cw_map *m)
{
    free(m->slot);
    *m = (struct cw_map){0};
}

uint32_t cw_konst_add(struct cw_ptx *p, struct cw_konsts *k, uint64_t value, uint32_t bytes, uint32_t var)
{
    if (bytes == 4)
        value &= UINT32_MAX;
    uint64_t key = mix(value ^ (uint64_t)var << 32) ^ bytes;
    uint32_t first = cw_map_get(&k->map, key);
    for (uint32_t i = first; i != CW_PTX_NONE; i = k->next.a[i])
        if (k->c.a[i].value == value && k->c.a[i].bytes == bytes && k->c.a[i].var == var)
            return i;
    uint32_t id = k->c.n;
    CW_PUSH(p, &k->c, (struct cw_vconst){.value = value, .var = var, .bytes = bytes});
    CW_PUSH(p, &k->next, first);
    if (p->status != CW_OK)
        return 0;
    cw_map_put(p, &k->map, key, id);
    return id;
}

void cw_konsts_free(struct cw_konsts *k)
{
    free(k->c.a);
    free(k->next.a);
    cw_map_clear(&k->map);
}
