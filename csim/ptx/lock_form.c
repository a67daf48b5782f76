/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/lock_form.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/lex.h"

#define DEPTH_MAX 64u
#define PIECE_MAX 320u

#define LOCK      "cw_lock_of_block"
#define VARIABLE  " .shared .align 4 .b32 " LOCK ";"
#define REGISTERS " .reg .pred %cw_lock_p; .reg .u32 %cw_lock_done, %cw_lock_old;"
#define ENTER                                                                                  \
    " mov.u32 %%cw_lock_done, 0; $cw_lock_again_%u: atom.shared.cas.b32 %%cw_lock_old, [" LOCK \
    "], 0, 1; setp.ne.u32 %%cw_lock_p, %%cw_lock_old, 0; @%%cw_lock_p bra $cw_lock_next_%u;"
#define LEAVE                                                                                         \
    " membar.cta; mov.u32 %%cw_lock_done, 1; mov.u32 %%cw_lock_old, 0; st.volatile.shared.u32 [" LOCK \
    "], %%cw_lock_old; $cw_lock_next_%u: setp.eq.u32 %%cw_lock_p, %%cw_lock_done, 0; @%%cw_lock_p bra $cw_lock_again_%u;"

/* Text that goes out at a place of the input, after `skip` characters there, which become blanks. */
struct edit {
    size_t at, skip;
    char text[PIECE_MAX];
};

struct form {
    const char *text, *file, *begin, *end;
    struct cw_lex lex;
    struct cw_tok tok, before, before_that;
    struct cw_error *err;
    struct edit *edit;
    uint32_t edit_cnt, edit_cap;
    /* braces */
    uint32_t depth, scopes, scope[DEPTH_MAX];
    bool only_registers[DEPTH_MAX]; /* nothing but declarations of registers so far */
    size_t body;                    /* behind the '{' of the function */
    bool in_form;                   /* the function has the registers already */
    size_t head;                    /* behind .address_size */
    /* the open pair */
    bool open;
    uint32_t open_scope, open_line, pairs;
};

static int refuse(const struct form *f, uint32_t line, const char *why)
{
    return cw_fail(f->err, CW_EUNSUP, "%s:%u: lock form: %s", f->file, line, why);
}

static bool is_punct(const struct cw_tok *t, char c)
{
    return t->kind == CW_TOK_PUNCT && t->punct == (uint16_t)c;
}

static bool is_word(const struct cw_tok *t, const char *word)
{
    return t->kind == CW_TOK_WORD && t->len == strlen(word) && memcmp(t->text, word, t->len) == 0;
}

static size_t end_of(const struct form *f, const struct cw_tok *t)
{
    return (size_t)(t->text - f->text) + t->len;
}

static void advance(struct form *f)
{
    f->before_that = f->before;
    f->before = f->tok;
    cw_lex_next(&f->lex, &f->tok);
}

static struct edit *add_edit(struct form *f, size_t at, size_t skip)
{
    if (f->edit_cnt == f->edit_cap) {
        const uint32_t cap = f->edit_cap == 0 ? 16 : 2 * f->edit_cap;
        struct edit *more = realloc(f->edit, cap * sizeof *more);
        if (more == NULL)
            return NULL;
        f->edit = more;
        f->edit_cap = cap;
    }
    f->edit[f->edit_cnt] = (struct edit){.at = at, .skip = skip};
    return &f->edit[f->edit_cnt++];
}

/* ---- braces ---- */

static int enter_brace(struct form *f)
{
    if (++f->depth == DEPTH_MAX)
        return refuse(f, f->tok.line, "braces too deep");
    f->scope[f->depth] = ++f->scopes;
    f->only_registers[f->depth] = true;
    if (f->depth == 1) {
        f->body = end_of(f, &f->tok);
        f->in_form = false;
    }
    return CW_OK;
}

static int leave_brace(struct form *f)
{
    f->depth -= f->depth > 0;
    return f->depth == 0 && f->open ? refuse(f, f->open_line, "a transaction does not end in its function") : CW_OK;
}

/* ---- calls ---- */

/* The call's place is the scope that the loop's labels have to be in: a call in braces of its own, as compilers write it, is in those
 * around. */
static int replace_call(struct form *f, size_t from, uint32_t line, bool begins)
{
    const size_t to = end_of(f, &f->before);
    const bool lifted = f->depth > 1 && f->only_registers[f->depth] && is_punct(&f->tok, '}');
    const uint32_t scope = f->scope[f->depth - lifted];
    if (begins && f->open)
        return refuse(f, line, "a transaction in a transaction");
    if (!begins && !f->open)
        return refuse(f, line, "an end without a begin before it; the loop has one of each");
    if (!begins && scope != f->open_scope)
        return refuse(f, line, "begin and end lie in different braces");
    if (!f->in_form) {
        struct edit *registers = add_edit(f, f->body, 0);
        if (registers == NULL)
            return CW_ENOMEM;
        snprintf(registers->text, sizeof registers->text, "%s", REGISTERS);
        f->in_form = true;
    }
    const size_t at = lifted ? end_of(f, &f->tok) : to;
    struct edit *gone = add_edit(f, from, to - from), *loop = gone != NULL ? add_edit(f, at, 0) : NULL;
    if (loop == NULL)
        return CW_ENOMEM;
    if (begins)
        snprintf(loop->text, sizeof loop->text, ENTER, f->pairs, f->pairs);
    else
        snprintf(loop->text, sizeof loop->text, LEAVE, f->pairs, f->pairs);
    f->pairs += !begins;
    f->open = begins;
    f->open_scope = scope;
    f->open_line = line;
    return CW_OK;
}

/* At a word "call" or "call.uni". */
static int read_call(struct form *f)
{
    const size_t from = (size_t)(f->tok.text - f->text);
    const uint32_t line = f->tok.line;
    const bool guarded = f->before.kind == CW_TOK_WORD && (is_punct(&f->before_that, '@') || is_punct(&f->before_that, '!'));
    advance(f);
    const bool begins = is_word(&f->tok, f->begin);
    if (!begins && !is_word(&f->tok, f->end)) {
        f->only_registers[f->depth] = false;
        return CW_OK;
    }
    if (guarded)
        return refuse(f, line, "a begin or end under a predicate: use a branch");
    while (f->tok.kind != CW_TOK_EOF && f->tok.kind != CW_TOK_BAD && !is_punct(&f->tok, ';'))
        advance(f);
    advance(f);
    return replace_call(f, from, line, begins);
}

/* ---- the text ---- */

static void note_statement(struct form *f)
{
    const bool first = is_punct(&f->before, ';') || is_punct(&f->before, '{') || is_punct(&f->before, '}');
    if (first && !is_word(&f->tok, ".reg"))
        f->only_registers[f->depth] = false;
}

static int read_text(struct form *f)
{
    int status = CW_OK;
    cw_lex_next(&f->lex, &f->tok);
    while (status == CW_OK && f->tok.kind != CW_TOK_EOF && f->tok.kind != CW_TOK_BAD) {
        if (f->depth > 0 && (is_word(&f->tok, "call") || is_word(&f->tok, "call.uni"))) {
            status = read_call(f);
            continue;
        }
        if (f->head == 0 && is_word(&f->before, ".address_size"))
            f->head = end_of(f, &f->tok);
        if (is_punct(&f->tok, '{'))
            status = enter_brace(f);
        else if (is_punct(&f->tok, '}'))
            status = leave_brace(f);
        else
            note_statement(f);
        advance(f);
    }
    return status;
}

static int by_place(const void *a, const void *b)
{
    const struct edit *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static int write_text(struct form *f, char **out, size_t *out_length, size_t length)
{
    char *to = malloc(length + f->edit_cnt * (size_t)PIECE_MAX + 1);
    size_t from = 0, at = 0;
    if (to == NULL)
        return CW_ENOMEM;
    qsort(f->edit, f->edit_cnt, sizeof *f->edit, by_place);
    for (uint32_t i = 0; i < f->edit_cnt; i++) {
        const struct edit *e = &f->edit[i];
        memcpy(to + at, f->text + from, e->at - from);
        at += e->at - from;
        for (size_t k = 0; k < e->skip; k++) {
            const char c = f->text[e->at + k];
            to[at++] = c;
            if (c != '\n')
                to[at - 1] = ' ';
        }
        from = e->at + e->skip;
        memcpy(to + at, e->text, strlen(e->text));
        at += strlen(e->text);
    }
    memcpy(to + at, f->text + from, length - from);
    *out = to;
    *out_length = at + length - from;
    return CW_OK;
}

int cw_ptx_lock_form(char **out, size_t *out_length, const char *text, size_t length, const char *file, const char *begin, const char *end,
                     struct cw_error *err)
{
    struct form f = {.text = text, .file = file, .begin = begin, .end = end, .err = err};
    *out = NULL;
    cw_lex_init(&f.lex, text, length);
    int status = read_text(&f);
    if (status == CW_OK && f.pairs > 0 && f.head == 0)
        status = refuse(&f, 1, "no .address_size");
    struct edit *variable = status == CW_OK && f.pairs > 0 ? add_edit(&f, f.head, 0) : NULL;
    if (variable != NULL)
        snprintf(variable->text, sizeof variable->text, "%s", VARIABLE);
    else if (status == CW_OK && f.pairs > 0)
        status = CW_ENOMEM;
    if (status == CW_OK)
        status = write_text(&f, out, out_length, length);
    if (status == CW_ENOMEM)
        status = cw_fail(err, CW_ENOMEM, "%s: out of memory", file);
    free(f.edit);
    return status;
}
