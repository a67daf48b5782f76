/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is not read: debug information, which may stand anywhere between statements; and what is unknown or not supported. The latter keeps
 * no other kernel of the file from running: a function of which something cannot be read is refused, with each kernel that calls it; the name
 * of a declaration that cannot be read refuses the functions that use it; an unknown directive outside of functions is left out with a notice.
 */
#define _POSIX_C_SOURCE 200809L /* For strnlen */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/reader.h"

struct cw_place cw_ptx_place(const struct cw_ptx *p)
{
    return (struct cw_place){p->lex, p->tok, p->ahead};
}

void cw_ptx_return_to(struct cw_ptx *p, const struct cw_place *place)
{
    p->lex = place->lex;
    p->tok = place->tok;
    p->ahead = place->ahead;
}

void cw_ptx_skip_group(struct cw_ptx *p, char open, char close)
{
    uint32_t depth = 0;
    do {
        if (cw_ptx_is_punct(p, (uint8_t)open))
            depth++;
        else if (cw_ptx_is_punct(p, (uint8_t)close))
            depth--;
        else if (depth == 0)
            cw_ptx_fail(p, CW_EINVAL, "expected '%c'", open);
        cw_ptx_advance(p);
    } while (depth > 0 && p->tok.kind != CW_TOK_EOF);
    if (depth > 0)
        cw_ptx_fail(p, CW_EINVAL, open == '{' ? "a brace is not closed" : "a parenthesis is not closed");
}

/* ---- debug information ---- */

/* A function that is refused is read twice. */
static void add_loc(struct cw_ptx *p, const struct cw_loc *loc)
{
    if (p->loc.n == 0 || p->loc.a[p->loc.n - 1].ptx_line <= loc->ptx_line)
        CW_PUSH(&p->ir, &p->loc, *loc);
}

void cw_ptx_no_loc(struct cw_ptx *p)
{
    add_loc(p, &(struct cw_loc){.ptx_line = p->tok.line});
}

static bool skip_int(struct cw_ptx *p)
{
    const bool is_int = p->tok.kind == CW_TOK_INT;
    if (is_int)
        cw_ptx_advance(p);
    return is_int;
}

/* FILE LINE COLUMN; what does not fit is of no line. */
static void take_place(struct cw_ptx *p, uint32_t *file, uint32_t *line, uint32_t *column)
{
    uint32_t *const to[] = {file, line, column};
    bool fits = true;
    for (uint32_t i = 0; i < 3; i++) {
        const uint64_t number = p->tok.kind == CW_TOK_INT ? p->tok.value : 0;
        fits = fits && number <= UINT32_MAX;
        *to[i] = (uint32_t)number;
        skip_int(p);
    }
    *line = fits ? *line : 0;
}

/* LABEL + N: 1 + the number of the function. */
static uint32_t take_function(struct cw_ptx *p)
{
    const struct cw_tok label = p->tok;
    uint64_t offset = 0;
    cw_ptx_advance(p);
    if (cw_ptx_accept(p, '+') && p->tok.kind == CW_TOK_INT) {
        offset = p->tok.value;
        cw_ptx_advance(p);
    }
    for (uint32_t i = p->function.n; i > 0; i--) {
        const struct cw_function_name *f = &p->function.a[i - 1];
        if (f->offset == offset && strncmp(f->label, label.text, label.len) == 0 && f->label[label.len] == '\0')
            return i;
    }
    char *name = cw_ir_strdup(&p->ir, label.text, label.len);
    if (name != NULL)
        CW_PUSH(&p->ir, &p->function, (struct cw_function_name){.label = name, .offset = (uint32_t)offset});
    return p->function.n;
}

/* .loc FILE LINE COLUMN, function_name LABEL + N, inlined_at FILE LINE COLUMN. An instruction may follow in the same line. */
static void take_loc(struct cw_ptx *p)
{
    struct cw_loc loc = {.ptx_line = p->tok.line};
    take_place(p, &loc.file, &loc.line, &loc.column);
    while (cw_ptx_accept(p, ',')) {
        if (cw_ptx_accept_word(p, "function_name")) {
            loc.function = take_function(p);
        } else {
            cw_ptx_advance(p); /* Which is inlined_at */
            take_place(p, &loc.at_file, &loc.at_line, &loc.at_column);
        }
    }
    add_loc(p, &loc);
}

/* The bytes behind a label of .debug_str are the names of the functions that name it. */
static void name_functions(struct cw_ptx *p, const struct cw_tok *label, const char *text, uint32_t bytes)
{
    for (uint32_t i = 0; label->text != NULL && i < p->function.n; i++) {
        struct cw_function_name *f = &p->function.a[i];
        if (f->name == NULL && f->offset < bytes && strncmp(f->label, label->text, label->len) == 0 && f->label[label->len] == '\0')
            f->name = cw_ir_strdup(&p->ir, text + f->offset, (uint32_t)strnlen(text + f->offset, bytes - f->offset));
    }
}

/* .debug_str { LABEL: .b8 N, N, ... } */
static void take_strings(struct cw_ptx *p)
{
    CW_VEC(char) text = {0};
    struct cw_tok label = {0};
    for (cw_ptx_advance(p); p->tok.kind != CW_TOK_EOF && !cw_ptx_is_punct(p, '}'); cw_ptx_advance(p)) {
        if (p->tok.kind == CW_TOK_WORD && p->ahead.kind == CW_TOK_PUNCT && p->ahead.punct == ':') {
            name_functions(p, &label, text.a, text.n);
            label = p->tok;
            text.n = 0;
        } else if (p->tok.kind == CW_TOK_INT) {
            CW_PUSH(&p->ir, &text, (char)p->tok.value);
        }
    }
    name_functions(p, &label, text.a, text.n);
    free(text.a);
    if (!cw_ptx_accept(p, '}'))
        cw_ptx_fail(p, CW_EINVAL, "a brace is not closed");
}

/* .file INDEX "NAME", TIME, SIZE */
static void take_file(struct cw_ptx *p)
{
    const uint64_t number = p->tok.value;
    const struct cw_tok *name = &p->tok;
    if (skip_int(p) && p->tok.kind == CW_TOK_STRING && number <= UINT32_MAX)
        CW_PUSH(&p->ir, &p->source, (struct cw_source){(uint32_t)number, cw_ir_strdup(&p->ir, name->text + 1, name->len - 2)});
    while (p->tok.kind == CW_TOK_STRING)
        cw_ptx_advance(p);
    while (cw_ptx_accept(p, ','))
        skip_int(p);
}

/* @@DWARF, a line of PTX before 2.0 */
static void skip_line(struct cw_ptx *p)
{
    const uint32_t line = p->tok.line;
    while (p->tok.kind != CW_TOK_EOF && p->tok.line == line)
        cw_ptx_advance(p);
}

bool cw_ptx_skip_noise(struct cw_ptx *p)
{
    if (cw_ptx_accept_word(p, ".loc")) {
        take_loc(p);
    } else if (cw_ptx_accept_word(p, ".file")) {
        take_file(p);
    } else if (cw_ptx_accept_word(p, ".section")) {
        if (cw_ptx_accept_word(p, ".debug_str") && cw_ptx_is_punct(p, '{')) {
            take_strings(p);
        } else {
            if (!cw_ptx_is_punct(p, '{'))
                cw_ptx_advance(p);
            cw_ptx_skip_group(p, '{', '}');
        }
    } else if (cw_ptx_accept_word(p, ".pragma")) {
        while (p->tok.kind == CW_TOK_STRING || cw_ptx_is_punct(p, ','))
            cw_ptx_advance(p);
        cw_ptx_expect(p, ';');
    } else if (cw_ptx_is_punct(p, '@') && p->ahead.kind == CW_TOK_PUNCT && p->ahead.punct == '@') {
        skip_line(p);
    } else {
        return false;
    }
    return true;
}

/* ---- functions ---- */

/* Ends the error, which was found in what can be skipped. False: the text cannot be skipped either, and there is an error. A malformed text
 * keeps its error then. */
static bool skip_after_error(struct cw_ptx *p, const struct cw_place *begin, void (*skip)(struct cw_ptx *p))
{
    const int status = p->ir.status;
    const struct cw_error error = *p->ir.err;
    p->ir.status = CW_OK;
    cw_ptx_return_to(p, begin);
    skip(p);
    if (p->ir.status == CW_OK || status != CW_EUNSUP) {
        const bool skipped = p->ir.status == CW_OK;
        *p->ir.err = error;
        p->ir.status = status;
        return skipped;
    }
    return false;
}

static void drop_scopes(struct cw_ptx *p, uint32_t depth)
{
    p->ref.n = 0;
    while (p->depth > depth)
        cw_ptx_scope_close(p);
}

static void skip_body(struct cw_ptx *p)
{
    cw_ptx_skip_group(p, '{', '}');
}

void cw_ptx_refuse_body(struct cw_ptx *p, const struct cw_place *begin, uint32_t fn, uint32_t depth)
{
    if ((p->ir.status != CW_EUNSUP && p->ir.status != CW_EINVAL) || !skip_after_error(p, begin, skip_body))
        return;
    p->cur = fn;
    cw_ptx_refuse_text(p, cw_ptx_fn(p));
    cw_ptx_fn(p)->call.n = 0;
    drop_scopes(p, depth);
}

/* Parameters and directives, up to the body or the ';'. */
static void skip_header(struct cw_ptx *p)
{
    while (p->tok.kind != CW_TOK_EOF && !cw_ptx_is_punct(p, '{') && !cw_ptx_is_punct(p, ';')) {
        if (cw_ptx_is_punct(p, '('))
            cw_ptx_skip_group(p, '(', ')');
        else
            cw_ptx_advance(p);
    }
    if (p->tok.kind == CW_TOK_EOF)
        cw_ptx_fail(p, CW_EINVAL, "expected '{'");
}

void cw_ptx_refuse_header(struct cw_ptx *p, const struct cw_place *begin, uint32_t fn, uint32_t depth)
{
    if (p->ir.status != CW_EUNSUP || !skip_after_error(p, begin, skip_header))
        return;
    p->cur = fn;
    cw_ptx_refuse(p, cw_ptx_fn(p));
    drop_scopes(p, depth);
    cw_ptx_fn(p)->is_opaque = 1;
    if (cw_ptx_accept(p, ';'))
        return;
    cw_ptx_fn(p)->is_defined = 1;
    cw_ptx_skip_group(p, '{', '}');
}

/* ---- declarations outside of functions ---- */

static void skip_declaration(struct cw_ptx *p)
{
    while (p->tok.kind != CW_TOK_EOF && !cw_ptx_is_punct(p, ';'))
        if (cw_ptx_is_punct(p, '{'))
            cw_ptx_skip_group(p, '{', '}');
        else
            cw_ptx_advance(p);
    cw_ptx_expect(p, ';');
}

/* Whether a variable's name stands here: a word that its dimensions, its initial value or the end follow. */
static bool at_declared_name(const struct cw_ptx *p)
{
    const uint16_t next = p->ahead.kind == CW_TOK_PUNCT ? p->ahead.punct : 0;
    return p->tok.kind == CW_TOK_WORD && p->tok.text[0] != '.' && (next == '[' || next == '=' || next == ';' || next == ',');
}

static void refuse_name(struct cw_ptx *p, uint32_t unusable)
{
    struct cw_sym *s = cw_ptx_find(p, p->tok.text, p->tok.len);
    if (s == NULL || s->depth != p->depth) {
        cw_ptx_define(p, &p->tok, CW_SYM_REFUSED, unusable);
        return;
    }
    if (s->kind == CW_SYM_VAR)
        p->var.a[s->id].unusable = unusable + 1;
    s->kind = CW_SYM_REFUSED;
    s->id = unusable;
}

void cw_ptx_refuse_declaration(struct cw_ptx *p, const struct cw_place *begin)
{
    struct cw_unusable u = {.line = begin->tok.line};
    snprintf(u.why, sizeof u.why, "%s", p->why);
    if (p->ir.status != CW_EUNSUP || !skip_after_error(p, begin, skip_declaration))
        return;
    p->ir.status = CW_OK;
    const struct cw_place end = cw_ptx_place(p);
    cw_ptx_return_to(p, begin);
    CW_PUSH(&p->ir, &p->unusable, u);
    for (bool in_value = false; p->ir.status == CW_OK && p->tok.text != end.tok.text; cw_ptx_advance(p)) {
        if (!in_value && at_declared_name(p))
            refuse_name(p, p->unusable.n - 1);
        in_value = cw_ptx_is_punct(p, '=') || (in_value && !cw_ptx_is_punct(p, ','));
    }
}

/* ---- unknown directives ---- */

/* Whether the unknown word has not been met before. */
static bool is_first(struct cw_ptx *p, const struct cw_tok *word)
{
    for (uint32_t i = 0; i < p->skipped.n; i++)
        if (p->skipped.a[i].len == word->len && memcmp(p->skipped.a[i].text, word->text, word->len) == 0)
            return false;
    CW_PUSH(&p->ir, &p->skipped, *word);
    return true;
}

static bool at_one_of(const struct cw_ptx *p, const char *const *words)
{
    while (*words != NULL && !cw_tok_is(&p->tok, *words))
        words++;
    return *words != NULL;
}

/* A function or a variable begins here. */
static bool at_declaration(const struct cw_ptx *p)
{
    static const char *const words[] = {".extern", ".visible", ".weak", ".common", ".entry", ".func", ".global", ".const", ".shared", NULL};
    return at_one_of(p, words);
}

static bool at_statement(const struct cw_ptx *p)
{
    static const char *const words[] = {".version", ".target", ".address_size", ".file", ".loc", ".section", ".pragma", ".alias", NULL};
    return at_declaration(p) || at_one_of(p, words);
}

bool cw_ptx_unknown_directive(struct cw_ptx *p)
{
    const struct cw_tok word = p->tok;
    if (word.kind != CW_TOK_WORD || word.text[0] != '.' || at_statement(p))
        return false;
    cw_ptx_advance(p);
    bool in_value = false;
    while (p->tok.kind != CW_TOK_EOF && !cw_ptx_is_punct(p, ';') && !at_statement(p)) {
        in_value |= cw_ptx_is_punct(p, '=');
        const bool is_group = cw_ptx_is_punct(p, '{');
        if (is_group)
            cw_ptx_skip_group(p, '{', '}');
        else
            cw_ptx_advance(p);
        if (is_group && !in_value)
            break;
    }
    if (at_declaration(p) && p->tok.line == word.line) {
        p->prefix = word;
        return true;
    }
    cw_ptx_accept(p, ';');
    if (is_first(p, &word))
        cw_ptx_notice(p, &word, "unknown directive, which is left out");
    return true;
}
