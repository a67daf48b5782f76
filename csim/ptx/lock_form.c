/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/lock_form.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/lex.h"
#include "ptx/lock_graph.h"

#define DEPTH_MAX 64u
#define PIECE_MAX 320u /* the longest text of a loop, with three numbers */

#define LOCK      "cw_lock_of_block"
#define VARIABLE  " .shared .align 4 .b32 " LOCK ";"
#define REGISTERS " .reg .pred %%cw_lock_p; .reg .u32 %%cw_lock_done, %%cw_lock_old, %%cw_lock_from, %%cw_lock_which;"

/* Text that goes out at a place of the input, after `skip` characters there, which become blanks. */
struct edit {
    size_t at, skip, length;
    char *text; /* NULL: none */
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
    size_t head;                    /* behind .address_size */
    /* of the function */
    struct cw_lock_point *point;
    uint32_t point_cnt, point_cap;
    uint32_t calls;  /* begins and ends among them */
    uint32_t edits;  /* that were there before it */
    const char *why; /* what keeps it from having a lock form, */
    uint32_t why_line;
    bool given_up;  /* so that it is left as it is */
    uint32_t loops; /* of the text */
};

static int refuse(struct form *f, uint32_t line, const char *why)
{
    f->why = why;
    f->why_line = line;
    return CW_EUNSUP;
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

/* Appends to the edit's text. */
static int write_piece(struct edit *e, const char *format, ...)
{
    char piece[PIECE_MAX];
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(piece, sizeof piece, format, values);
    va_end(values);
    assert(length >= 0 && (size_t)length < sizeof piece);
    char *more = realloc(e->text, e->length + (size_t)length + 1);
    if (more == NULL)
        return CW_ENOMEM;
    memcpy(more + e->length, piece, (size_t)length + 1);
    e->text = more;
    e->length += (size_t)length;
    return CW_OK;
}

/* NULL: no memory. */
static struct cw_lock_point *add_point(struct form *f, enum cw_lock_kind kind)
{
    if (f->point_cnt == f->point_cap) {
        const uint32_t cap = f->point_cap == 0 ? 64 : 2 * f->point_cap;
        struct cw_lock_point *more = realloc(f->point, cap * sizeof *more);
        if (more == NULL)
            return NULL;
        f->point = more;
        f->point_cap = cap;
    }
    f->point[f->point_cnt] = (struct cw_lock_point){.kind = kind, .line = f->tok.line};
    return &f->point[f->point_cnt++];
}

/* ---- loops ---- */

static int write_enter(struct form *f, const struct cw_lock_point *p, uint32_t number, bool alone)
{
    struct edit *e = add_edit(f, p->at, 0);
    if (e == NULL || write_piece(e, " mov.u32 %%cw_lock_done, 0;") != CW_OK ||
        (!alone && write_piece(e, " mov.u32 %%cw_lock_from, %u;", number)))
        return CW_ENOMEM;
    return write_piece(e,
                       " $cw_lock_again_%u_%u: atom.shared.cas.b32 %%cw_lock_old, [" LOCK
                       "], 0, 1; setp.ne.u32 %%cw_lock_p, %%cw_lock_old, 0; @%%cw_lock_p bra $cw_lock_next_%u;",
                       f->loops, number, f->loops);
}

/* Where all lanes of the loop meet: those that have not been in go back to their begin, the others on from their end. */
static int write_meeting(struct form *f, struct edit *e, uint32_t group)
{
    uint32_t begins = 0, ends = 0;
    int status = write_piece(e, " $cw_lock_next_%u: setp.ne.u32 %%cw_lock_p, %%cw_lock_done, 0; @%%cw_lock_p bra $cw_lock_over_%u;",
                             f->loops, f->loops);
    for (uint32_t i = 0; i < f->point_cnt && status == CW_OK; i++)
        if (f->point[i].kind == CW_LOCK_BEGIN && f->point[i].group == group && begins++ > 0)
            status = write_piece(e, " setp.eq.u32 %%cw_lock_p, %%cw_lock_from, %u; @%%cw_lock_p bra $cw_lock_again_%u_%u;", begins - 1,
                                 f->loops, begins - 1);
    if (status == CW_OK)
        status = write_piece(e, " bra.uni $cw_lock_again_%u_0; $cw_lock_over_%u:", f->loops, f->loops);
    for (uint32_t i = 0; i < f->point_cnt && status == CW_OK; i++)
        if (f->point[i].kind == CW_LOCK_END && f->point[i].group == group && ends++ > 0)
            status = write_piece(e, " setp.eq.u32 %%cw_lock_p, %%cw_lock_which, %u; @%%cw_lock_p bra $cw_lock_end_%u_%u;", ends - 1,
                                 f->loops, ends - 1);
    return status;
}

/* alone: one begin and one end. The first end of the text has the meeting; another one goes there, and comes back. */
static int write_leave(struct form *f, const struct cw_lock_point *p, uint32_t number, bool alone)
{
    struct edit *e = add_edit(f, p->at, 0);
    if (e == NULL || write_piece(e, " membar.cta; mov.u32 %%cw_lock_done, 1; mov.u32 %%cw_lock_old, 0; st.volatile.shared.u32 [" LOCK
                                    "], %%cw_lock_old;") != CW_OK)
        return CW_ENOMEM;
    if (alone)
        return write_piece(e, " $cw_lock_next_%u: setp.eq.u32 %%cw_lock_p, %%cw_lock_done, 0; @%%cw_lock_p bra $cw_lock_again_%u_0;",
                           f->loops, f->loops);
    if (write_piece(e, " mov.u32 %%cw_lock_which, %u;", number) != CW_OK)
        return CW_ENOMEM;
    return number == 0 ? write_meeting(f, e, p->group)
                       : write_piece(e, " bra.uni $cw_lock_next_%u; $cw_lock_end_%u_%u:", f->loops, f->loops, number);
}

/* The loop of one set of begins and ends. */
static int write_loop(struct form *f, uint32_t group)
{
    uint32_t begins = 0, ends = 0, cnt = 0;
    int status = CW_OK;
    for (uint32_t i = 0; i < f->point_cnt; i++)
        cnt += f->point[i].group == group && f->point[i].kind >= CW_LOCK_BEGIN;
    for (uint32_t i = group; i < f->point_cnt && status == CW_OK; i++) {
        const struct cw_lock_point *p = &f->point[i];
        if (p->group != group || p->kind < CW_LOCK_BEGIN)
            continue;
        if (p->scope != f->point[group].scope)
            return refuse(f, p->line, "begin and end lie in different braces");
        status = p->kind == CW_LOCK_BEGIN ? write_enter(f, p, begins++, cnt == 2) : write_leave(f, p, ends++, cnt == 2);
    }
    f->loops++;
    return status;
}

/* At the end of a function: its loops. */
static int write_loops(struct form *f)
{
    const char *why;
    uint32_t line;
    if (f->calls == 0)
        return CW_OK;
    if (add_point(f, CW_LOCK_LEAVE) == NULL)
        return CW_ENOMEM;
    int status = cw_lock_graph(f->point, f->point_cnt, &why, &line);
    if (status == CW_EUNSUP)
        return refuse(f, line, why);
    struct edit *registers = status == CW_OK ? add_edit(f, f->body, 0) : NULL;
    status = registers != NULL ? write_piece(registers, REGISTERS) : CW_ENOMEM;
    for (uint32_t i = 0; i < f->point_cnt && status == CW_OK; i++)
        if (f->point[i].kind >= CW_LOCK_BEGIN && f->point[i].group == i)
            status = write_loop(f, i);
    return status;
}

/* ---- braces ---- */

static int enter_brace(struct form *f)
{
    if (++f->depth == DEPTH_MAX)
        return cw_fail(f->err, CW_EUNSUP, "%s:%u: lock form: braces too deep", f->file, f->tok.line);
    f->scope[f->depth] = ++f->scopes;
    f->only_registers[f->depth] = true;
    if (f->depth == 1) {
        f->body = end_of(f, &f->tok);
        f->point_cnt = f->calls = 0;
        f->edits = f->edit_cnt;
        f->given_up = false;
    }
    return CW_OK;
}

static int leave_brace(struct form *f)
{
    f->depth -= f->depth > 0;
    return f->depth == 0 && !f->given_up ? write_loops(f) : CW_OK;
}

/* ---- calls ---- */

/* The call's place is the scope that the loop's labels have to be in: a call in braces of its own, as compilers write it, is in those
 * around. */
static int replace_call(struct form *f, size_t from, uint32_t line, bool begins)
{
    const size_t to = end_of(f, &f->before);
    const bool lifted = f->depth > 1 && f->only_registers[f->depth] && is_punct(&f->tok, '}');
    struct edit *gone = add_edit(f, from, to - from);
    struct cw_lock_point *p = gone != NULL ? add_point(f, begins ? CW_LOCK_BEGIN : CW_LOCK_END) : NULL;
    if (p == NULL)
        return CW_ENOMEM;
    p->line = line;
    p->at = lifted ? end_of(f, &f->tok) : to;
    p->scope = f->scope[f->depth - lifted];
    f->calls++;
    return CW_OK;
}

static bool is_guarded(const struct form *f)
{
    return f->before.kind == CW_TOK_WORD && (is_punct(&f->before_that, '@') || is_punct(&f->before_that, '!'));
}

/* At a word "call" or "call.uni". */
static int read_call(struct form *f)
{
    const size_t from = (size_t)(f->tok.text - f->text);
    const uint32_t line = f->tok.line;
    const bool guarded = is_guarded(f);
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

static bool is_one_of(const struct cw_tok *t, const char *a, const char *b)
{
    return is_word(t, a) || is_word(t, b);
}

/* What divides or ends ways, and where they come together. */
static int note_way(struct form *f)
{
    struct cw_lock_point *p = NULL;
    const bool guarded = is_guarded(f), label = is_punct(&f->tok, ':') && f->before.kind == CW_TOK_WORD;
    const bool branch = is_one_of(&f->tok, "bra", "bra.uni");
    if (label)
        p = add_point(f, CW_LOCK_LABEL);
    else if (branch)
        p = add_point(f, CW_LOCK_BRANCH);
    else if (is_one_of(&f->tok, "brx.idx", "brx.idx.uni"))
        p = add_point(f, CW_LOCK_ANY_BRANCH);
    else if (is_one_of(&f->tok, "ret", "ret.uni") || is_word(&f->tok, "exit"))
        p = add_point(f, CW_LOCK_LEAVE);
    else if (is_word(&f->tok, "trap"))
        p = add_point(f, CW_LOCK_TRAP);
    else
        return CW_OK;
    if (p == NULL)
        return CW_ENOMEM;
    p->guarded = guarded;
    if (branch)
        advance(f);
    const struct cw_tok *name = label ? &f->before : &f->tok;
    p->name = name->text;
    p->length = name->len;
    return CW_OK;
}

/* The function stays as it was, and says to the reader why it cannot run. */
static int give_up(struct form *f)
{
    while (f->edit_cnt > f->edits)
        free(f->edit[--f->edit_cnt].text);
    struct edit *e = add_edit(f, f->body, 0);
    f->given_up = true;
    return e != NULL ? write_piece(e, " " CW_LOCK_FORM_REFUSED " %u \"lock form: %s\";", f->why_line, f->why) : CW_ENOMEM;
}

static int read_text(struct form *f)
{
    int status = CW_OK;
    cw_lex_next(&f->lex, &f->tok);
    while (status == CW_OK && f->tok.kind != CW_TOK_EOF && f->tok.kind != CW_TOK_BAD) {
        if (f->depth > 0 && !f->given_up && (is_word(&f->tok, "call") || is_word(&f->tok, "call.uni"))) {
            status = read_call(f);
            status = status == CW_EUNSUP ? give_up(f) : status;
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
        if (status == CW_EUNSUP && f->depth == 0)
            status = give_up(f);
        if (status == CW_OK && f->depth > 0)
            status = note_way(f);
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
    size_t from = 0, at = 0, added = 0;
    for (uint32_t i = 0; i < f->edit_cnt; i++)
        added += f->edit[i].length;
    char *to = malloc(length + added + 1);
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
        if (e->length > 0)
            memcpy(to + at, e->text, e->length);
        at += e->length;
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
    if (status == CW_OK && f.loops > 0 && f.head == 0)
        status = cw_fail(err, CW_EUNSUP, "%s:1: lock form: no .address_size", file);
    struct edit *variable = status == CW_OK && f.loops > 0 ? add_edit(&f, f.head, 0) : NULL;
    if (status == CW_OK && f.loops > 0)
        status = variable != NULL ? write_piece(variable, VARIABLE) : CW_ENOMEM;
    if (status == CW_OK)
        status = write_text(&f, out, out_length, length);
    if (status == CW_ENOMEM)
        status = cw_fail(err, CW_ENOMEM, "%s: out of memory", file);
    for (uint32_t i = 0; i < f.edit_cnt; i++)
        free(f.edit[i].text);
    free(f.edit);
    free(f.point);
    return status;
}
