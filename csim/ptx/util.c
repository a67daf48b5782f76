/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of the PTX reader. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/reader.h"

void cw_ptx_failed(struct cw_ir *ir)
{
    struct cw_ptx *p = (struct cw_ptx *)ir; /* its first member */
    p->tok.kind = p->ahead.kind = CW_TOK_EOF;
}

int cw_ptx_fail_at(struct cw_ptx *p, int status, uint32_t line, uint32_t col, const char *fmt, ...)
{
    if (p->ir.status != CW_OK)
        return p->ir.status;
    char what[6000];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof(what), fmt, ap);
    va_end(ap);
    return cw_ir_fail_at(&p->ir, status, line, col, "%s", what);
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
    if (p->ir.status != CW_OK)
        return p->ir.status;
    va_list ap;
    va_start(ap, fmt);
    fail_tok(p, status, &p->tok, fmt, ap);
    va_end(ap);
    return p->ir.status;
}

int cw_ptx_fail_tok(struct cw_ptx *p, int status, const struct cw_tok *tok, const char *fmt, ...)
{
    if (p->ir.status != CW_OK)
        return p->ir.status;
    va_list ap;
    va_start(ap, fmt);
    fail_tok(p, status, tok, fmt, ap);
    va_end(ap);
    return p->ir.status;
}

bool cw_ptx_refuse_text(struct cw_ptx *p, struct cw_fn *fn)
{
    fn->refused_status = p->ir.status;
    p->ir.status = CW_OK;
    const size_t bytes = strlen(p->ir.err->text) + 1;
    char *text = cw_ir_alloc(&p->ir, bytes, 1);
    if (text != NULL)
        memcpy(text, p->ir.err->text, bytes);
    CW_PUSH(&p->ir, &p->refusal, text);
    if (p->ir.status != CW_OK) {
        free(text);
        return false;
    }
    fn->refused = text;
    return true;
}

bool cw_ptx_refuse(struct cw_ptx *p, struct cw_fn *fn)
{
    return !p->ir.is_final && (p->ir.status == CW_EUNSUP || p->ir.status == CW_EINVAL) && cw_ptx_refuse_text(p, fn);
}

void cw_ptx_fail_refused(struct cw_ptx *p, const struct cw_fn *fn)
{
    if (p->ir.status != CW_OK)
        return;
    p->ir.status = cw_fail(p->ir.err, fn->refused_status, "%s", fn->refused);
    cw_ptx_failed(&p->ir);
}

uint32_t cw_ptx_hash(const char *s, uint32_t len)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (uint32_t i = 0; i < len; i++)
        h = (h ^ (uint8_t)s[i]) * 16777619u;
    return h ^ h >> 15;
}

void cw_ptx_notice(struct cw_ptx *p, const struct cw_tok *at, const char *what)
{
    char text[320];
    if (p->ir.status != CW_OK)
        return;
    snprintf(text, sizeof text, "%.120s:%u:%u: %s: %.*s", p->ir.file, at->line, at->col, what, (int)(at->len < 100 ? at->len : 100),
             at->text);
    const size_t bytes = strlen(text) + 1;
    char *copy = cw_ir_alloc(&p->ir, bytes, 1);
    if (copy == NULL)
        return;
    memcpy(copy, text, bytes);
    CW_PUSH(&p->ir, &p->notice, copy);
    if (p->ir.status != CW_OK)
        free(copy);
}

uint32_t cw_ptx_enter(struct cw_kcode *k, const struct cw_fn *fn, uint32_t caller, uint32_t line)
{
    struct cw_ir *const ir = &k->p->ir;
    if (ir->names) {
        CW_PUSH(ir, &k->body.scope, (struct cw_inlined){.name = cw_ir_strdup(ir, fn->name, fn->len), .caller = caller, .line = line});
        k->scope = k->body.scope.n > 0 ? k->body.scope.n - 1 : 0;
    }
    for (uint32_t i = 0; i < fn->vreg.n; i++) {
        struct cw_vreg r = fn->vreg.a[i];
        r.scope = k->scope;
        CW_PUSH(ir, &k->body.vreg, r);
    }
    return k->scope;
}
