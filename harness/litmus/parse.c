/* SPDX-License-Identifier: Apache-2.0 */
/* The language of litmus tests: one statement in each line. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "litmus/litmus.h"

#define TOKENS 40u

struct token {
    char text[LITMUS_NAME];
    uint32_t column;
};

struct reader {
    struct litmus_test *t;
    const char *path;
    struct cw_error *err;
    uint32_t line;
    struct token token[TOKENS]; /* of the line; the last one, at cnt, is empty and stands at its end */
    uint32_t cnt, at;
    uint32_t writes;
    bool declared[LITMUS_PLACES];                                    /* by "shared", "persistent" or "line" */
    uint32_t place_column[LITMUS_PLACES], place_line[LITMUS_PLACES]; /* where it comes first */
    uint32_t op_line[LITMUS_OPS], op_column[LITMUS_OPS];
};

static int wrong_at(struct reader *r, uint32_t line, uint32_t column, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
static int wrong_at(struct reader *r, uint32_t line, uint32_t column, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return cw_fail(r->err, CW_EINVAL, "%s:%u:%u: %s", r->path, line, column, text);
}

#define WRONG(r, ...) wrong_at((r), (r)->line, (r)->token[(r)->at].column, __VA_ARGS__)

/* Words */

static size_t token_length(const char *text)
{
    size_t n = 0;
    if (isalnum((unsigned char)text[0]) || text[0] == '_')
        while (isalnum((unsigned char)text[n]) || text[n] == '_')
            n++;
    return n > 0 ? n : text[0] == '-' && text[1] == '>' ? 2 : 1;
}

/* Splits a line that ends with '\0'. */
static int split(struct reader *r, const char *text)
{
    uint32_t column = 0;
    r->cnt = r->at = 0;
    while (text[column] != '\0' && text[column] != '#') {
        if (isspace((unsigned char)text[column])) {
            column++;
            continue;
        }
        const size_t length = token_length(text + column);
        struct token *token = &r->token[r->cnt];
        *token = (struct token){.column = column + 1};
        if (length >= sizeof token->text)
            return wrong_at(r, r->line, column + 1, "a word of more than %u characters", LITMUS_NAME - 1);
        if (r->cnt + 1 == TOKENS)
            return wrong_at(r, r->line, column + 1, "more than %u words in a line", TOKENS - 1);
        memcpy(token->text, text + column, length);
        r->cnt++;
        column += (uint32_t)length;
    }
    r->token[r->cnt] = (struct token){.column = column + 1};
    return CW_OK;
}

static const char *word(const struct reader *r)
{
    return r->token[r->at].text;
}

static const char *shown(const struct reader *r)
{
    return word(r)[0] != '\0' ? word(r) : "the end of the line";
}

static bool take(struct reader *r, const char *text)
{
    const bool is = strcmp(word(r), text) == 0;
    r->at += is;
    return is;
}

static int expect(struct reader *r, const char *text)
{
    return take(r, text) ? CW_OK : WRONG(r, "expected '%s' and found '%s'", text, shown(r));
}

static int expect_end(struct reader *r)
{
    return word(r)[0] == '\0' ? CW_OK : WRONG(r, "'%s' is too much", word(r));
}

static bool is_keyword(const char *text)
{
    static const char *const words[] = {"thread",  "block", "warp", "device", "shared", "persistent", "line", "ofence",   "dfence",
                                        "release", "wait",  "read", "never",  "may",    "fence",      "load", "volatile", "atomic"};
    for (uint32_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], text) == 0)
            return true;
    return false;
}

/* The next word as a name of the user's. */
static int take_name(struct reader *r, const char *what, char name[LITMUS_NAME])
{
    if (!(isalpha((unsigned char)word(r)[0]) || word(r)[0] == '_') || is_keyword(word(r)))
        return WRONG(r, "expected the name of a %s and found '%s'", what, shown(r));
    snprintf(name, LITMUS_NAME, "%s", word(r));
    r->at++;
    return CW_OK;
}

static int take_large(struct reader *r, uint64_t maximum, uint64_t *value)
{
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(word(r), &end, 10);
    if (!isdigit((unsigned char)word(r)[0]) || *end != '\0')
        return WRONG(r, "expected a number and found '%s'", shown(r));
    if (number > maximum || errno != 0)
        return WRONG(r, "%s is more than %" PRIu64, word(r), maximum);
    *value = number;
    r->at++;
    return CW_OK;
}

static int take_number(struct reader *r, uint32_t maximum, uint32_t *value)
{
    uint64_t number = 0;
    const int status = take_large(r, maximum, &number);
    *value = status == CW_OK ? (uint32_t)number : *value;
    return status;
}

/* Places */

static uint32_t find_place(const struct litmus_test *t, const char *name)
{
    uint32_t i = 0;
    while (i < t->place_cnt && strcmp(t->place[i].name, name) != 0)
        i++;
    return i;
}

static uint32_t find_read(const struct litmus_test *t, const char *name)
{
    uint32_t i = 0;
    while (i < t->read_cnt && strcmp(t->read[i], name) != 0)
        i++;
    return i;
}

/* A place by its name; a new one is of that space and has a line of its own. */
static int take_place(struct reader *r, enum litmus_space space, uint32_t *index)
{
    struct litmus_test *t = r->t;
    char name[LITMUS_NAME];
    const uint32_t column = r->token[r->at].column;
    const int status = take_name(r, "place", name);
    if (status != CW_OK)
        return status;
    *index = find_place(t, name);
    if (*index < t->place_cnt)
        return CW_OK;
    if (find_read(t, name) < t->read_cnt)
        return wrong_at(r, r->line, column, "'%s' is the result of a read", name);
    if (t->place_cnt == LITMUS_PLACES)
        return wrong_at(r, r->line, column, "more than %u places", LITMUS_PLACES);
    t->place[*index] = (struct litmus_place){.space = (uint8_t)space, .line = *index};
    memcpy(t->place[*index].name, name, sizeof name);
    r->place_line[*index] = r->line;
    r->place_column[*index] = column;
    t->place_cnt++;
    return CW_OK;
}

/* "shared F G", "persistent F": before the first thread. "line X Y": persistent places of one line. */
static int parse_places(struct reader *r, enum litmus_space space, bool one_line)
{
    uint32_t first = LITMUS_PLACES;
    if (r->t->thread_cnt > 0)
        return wrong_at(r, r->line, r->token[0].column, "'%s' comes before the first thread", r->token[0].text);
    do {
        const uint32_t column = r->token[r->at].column;
        uint32_t i;
        const int status = take_place(r, space, &i);
        if (status != CW_OK)
            return status;
        if (r->t->place[i].space != space || (r->declared[i] && !one_line) || r->t->place[i].line != i)
            return wrong_at(r, r->line, column, "'%s' has been declared in line %u", r->t->place[i].name, r->place_line[i]);
        r->declared[i] = true;
        first = first == LITMUS_PLACES ? i : first;
        if (one_line)
            r->t->place[i].line = first;
    } while (word(r)[0] != '\0');
    return CW_OK;
}

/* Threads */

static int parse_thread(struct reader *r)
{
    struct litmus_test *t = r->t;
    struct litmus_thread *thread = &t->thread[t->thread_cnt];
    if (t->thread_cnt == LITMUS_THREADS)
        return WRONG(r, "more than %u threads", LITMUS_THREADS);
    const uint32_t column = r->token[r->at].column;
    int status = take_name(r, "thread", thread->name);
    for (uint32_t i = 0; status == CW_OK && i < t->thread_cnt; i++)
        if (strcmp(t->thread[i].name, thread->name) == 0)
            return wrong_at(r, r->line, column, "there is a thread '%s' already", thread->name);
    if (status == CW_OK)
        status = expect(r, "block");
    if (status == CW_OK)
        status = take_number(r, LITMUS_BLOCKS - 1, &thread->block);
    if (status == CW_OK)
        status = expect(r, "warp");
    if (status == CW_OK)
        status = take_number(r, LITMUS_WARPS - 1, &thread->warp);
    t->thread_cnt += status == CW_OK;
    return status;
}

/* Room for an operation of the last thread. */
static int add_op(struct reader *r, enum litmus_kind kind, struct litmus_op **op)
{
    struct litmus_test *t = r->t;
    if (t->thread_cnt == 0)
        return wrong_at(r, r->line, r->token[0].column, "an operation before the first thread");
    if (t->op_cnt == LITMUS_OPS)
        return wrong_at(r, r->line, r->token[0].column, "more than %u operations", LITMUS_OPS);
    r->op_line[t->op_cnt] = r->line;
    r->op_column[t->op_cnt] = r->token[0].column;
    *op = &t->op[t->op_cnt++];
    **op = (struct litmus_op){.kind = (uint8_t)kind, .thread = t->thread_cnt - 1};
    return CW_OK;
}

/* One that another write of the place has not: from the value one sees which write it was. */
static int take_value(struct reader *r, struct litmus_op *op)
{
    const uint32_t column = r->token[r->at].column;
    const int status = take_large(r, op->bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * (op->bytes != 0 ? op->bytes : 4)) - 1, &op->value);
    if (status != CW_OK)
        return status;
    if (op->value == 0)
        return wrong_at(r, r->line, column, "0 is what every place has at the beginning; take another value");
    if (op->kind == LITMUS_WAIT)
        return CW_OK;
    for (const struct litmus_op *o = r->t->op; o < op; o++)
        if ((o->kind == LITMUS_WRITE || o->kind == LITMUS_RELEASE || o->kind == LITMUS_MEMORY_STORE || o->kind == LITMUS_MEMORY_EXCHANGE) &&
            o->place == op->place && o->value == op->value && o->data == 0)
            return wrong_at(r, r->line, column, "%s = %" PRIu64 " is written already", r->t->place[op->place].name, op->value);
    if (r->t->place[op->place].space == LITMUS_PERSISTENT && r->writes++ == LITMUS_WRITES)
        return wrong_at(r, r->line, column, "more than %u writes to persistent places", LITMUS_WRITES);
    return CW_OK;
}

static int parse_write(struct reader *r, enum litmus_how how)
{
    struct litmus_op *op = NULL;
    int status = add_op(r, LITMUS_WRITE, &op);
    if (status != CW_OK)
        return status;
    op->how = (uint8_t)how;
    if (status == CW_OK)
        status = take_place(r, LITMUS_PERSISTENT, &op->place);
    if (status == CW_OK && r->t->place[op->place].space != LITMUS_PERSISTENT)
        return wrong_at(r, r->line, r->token[0].column, "'%s' is not persistent; only a release writes it", r->t->place[op->place].name);
    if (status == CW_OK)
        status = expect(r, "=");
    return status == CW_OK ? take_value(r, op) : status;
}

static int parse_fence(struct reader *r, enum litmus_kind kind)
{
    struct litmus_op *op = NULL;
    return add_op(r, kind, &op);
}

static int take_scope(struct reader *r, struct litmus_op *op)
{
    op->device = take(r, "device");
    if (!op->device && !take(r, "block"))
        return WRONG(r, "expected 'block' or 'device' and found '%s'", shown(r));
    return CW_OK;
}

static int parse_ptx_fence(struct reader *r)
{
    struct litmus_op *op = NULL;
    const int status = add_op(r, LITMUS_FENCE, &op);
    return status == CW_OK ? take_scope(r, op) : status;
}

/* "SCOPE PLACE" of a release or acquire; a load has no scope. */
static int parse_variable(struct reader *r, enum litmus_kind kind, struct litmus_op **op)
{
    int status = add_op(r, kind, op);
    if (status != CW_OK)
        return status;
    if (kind != LITMUS_LOAD && (status = take_scope(r, *op)) != CW_OK)
        return status;
    const uint32_t column = r->token[r->at].column;
    status = take_place(r, kind == LITMUS_LOAD ? LITMUS_PERSISTENT : LITMUS_GLOBAL, &(*op)->place);
    if (status == CW_OK && kind != LITMUS_LOAD && r->t->place[(*op)->place].space == LITMUS_PERSISTENT && !r->declared[(*op)->place])
        return wrong_at(r, r->line, column, "'%s' is written in line %u; declare it with 'persistent %s'", r->t->place[(*op)->place].name,
                        r->place_line[(*op)->place], r->t->place[(*op)->place].name);
    return status;
}

static int parse_sync(struct reader *r, enum litmus_kind kind)
{
    struct litmus_op *op = NULL;
    int status = parse_variable(r, kind, &op);
    if (status == CW_OK)
        status = expect(r, "=");
    return status == CW_OK ? take_value(r, op) : status;
}

/* "a" behind "->" or ",", as the word says. */
static int take_result(struct reader *r, const char *before, struct litmus_op *op)
{
    struct litmus_test *t = r->t;
    char name[LITMUS_NAME];
    int status = expect(r, before);
    const uint32_t column = r->token[r->at].column;
    if (status == CW_OK)
        status = take_name(r, "result", name);
    if (status != CW_OK)
        return status;
    if (find_read(t, name) < t->read_cnt || find_place(t, name) < t->place_cnt)
        return wrong_at(r, r->line, column, "there is a '%s' already", name);
    if (t->read_cnt == LITMUS_READS)
        return wrong_at(r, r->line, column, "more than %u reads", LITMUS_READS);
    op->read = t->read_cnt;
    memcpy(t->read[t->read_cnt++], name, sizeof name);
    return CW_OK;
}

/* "-> a, b": one for each element. */
static int take_results(struct reader *r, struct litmus_op *op)
{
    int status = take_result(r, "->", op);
    const uint32_t first = op->read;
    for (uint32_t i = 1; status == CW_OK && i < op->lanes; i++)
        status = take_result(r, ",", op);
    op->read = first;
    return status;
}

static int parse_read(struct reader *r, enum litmus_kind kind)
{
    struct litmus_op *op = NULL;
    const int status = parse_variable(r, kind, &op);
    return status == CW_OK ? take_result(r, "->", op) : status;
}

/* Conditions */

static int parse_term(struct reader *r, struct litmus_term *term)
{
    const struct litmus_test *t = r->t;
    const uint32_t column = r->token[r->at].column;
    char name[LITMUS_NAME];
    int status = take_name(r, "place or result", name);
    if (status != CW_OK)
        return status;
    term->index = find_read(t, name);
    term->read = term->index < t->read_cnt;
    if (!term->read)
        term->index = find_place(t, name);
    if (!term->read && term->index == t->place_cnt)
        return wrong_at(r, r->line, column, "there is no '%s'", name);
    if (!term->read && !litmus_is_told(t, term->index))
        return wrong_at(r, r->line, column, "'%s' is not persistent", name);
    status = expect(r, "=");
    return status == CW_OK ? take_large(r, UINT64_MAX, &term->value) : status;
}

static int parse_clause(struct reader *r, bool never)
{
    struct litmus_test *t = r->t;
    struct litmus_clause *c = &t->clause[t->clause_cnt];
    if (t->clause_cnt == LITMUS_CLAUSES)
        return WRONG(r, "more than %u conditions", LITMUS_CLAUSES);
    *c = (struct litmus_clause){.never = never, .line = r->line};
    do {
        if (c->cnt == LITMUS_TERMS)
            return WRONG(r, "more than %u parts of a condition", LITMUS_TERMS);
        const int status = parse_term(r, &c->term[c->cnt++]);
        if (status != CW_OK)
            return status;
    } while (take(r, ","));
    t->clause_cnt++;
    return CW_OK;
}

/* The whole test */

/* ".WORD" */
static bool take_part(struct reader *r, const char *text)
{
    const bool is = strcmp(word(r), ".") == 0 && strcmp(r->token[r->at + 1].text, text) == 0;
    r->at += is ? 2 : 0;
    return is;
}

/* Whether ".v2", ".u16", ".nc" or such is next. */
static bool has_type(const struct reader *r)
{
    static const char *const words[] = {"nc", "v2", "v4", "u8", "u16", "u32", "u64"};
    for (uint32_t i = 0; strcmp(word(r), ".") == 0 && i < sizeof words / sizeof words[0]; i++)
        if (strcmp(r->token[r->at + 1].text, words[i]) == 0)
            return true;
    return false;
}

/* ".nc.v2.u16" of those that the load or store has. */
static int take_type(struct reader *r, struct litmus_op *op)
{
    static const char *const names[] = {"u8", "u16", "u32", "u64"};
    op->texture = op->kind == LITMUS_MEMORY_LOAD && op->sem == LITMUS_WEAK && take_part(r, "nc");
    op->lanes = take_part(r, "v2") ? 2 : take_part(r, "v4") ? 4 : 1;
    op->bytes = 4;
    for (uint32_t i = 0; i < 4; i++)
        if (take_part(r, names[i]))
            op->bytes = (uint8_t)(1u << i);
    if (op->lanes * op->bytes > LITMUS_EXTENT)
        return WRONG(r, "a vector of more than %u bytes", LITMUS_EXTENT);
    if (op->lanes > 1 || op->bytes != 4)
        r->t->spacing = LITMUS_EXTENT;
    return has_type(r) ? WRONG(r, "expected '.nc', '.v2' or '.v4', '.u8' to '.u64' in this order") : CW_OK;
}

/* 1 + number of an earlier read of the thread, of so many bytes, or of any. */
static int take_earlier(struct reader *r, const struct litmus_op *end, uint32_t thread, uint32_t bytes, uint8_t *index)
{
    const uint32_t read = find_read(r->t, word(r));
    for (const struct litmus_op *o = r->t->op; o < end; o++) {
        const bool load = o->kind == LITMUS_MEMORY_LOAD || o->kind == LITMUS_MEMORY_EXCHANGE;
        const uint32_t lanes = o->kind == LITMUS_MEMORY_LOAD ? o->lanes : 1, size = o->kind == LITMUS_MEMORY_LOAD ? o->bytes : 4;
        if (!load || o->thread != thread || read < o->read || read >= o->read + lanes)
            continue;
        if (bytes != 0 && size != bytes)
            return WRONG(r, "'%s' has %u bytes, and %u are needed", word(r), size, bytes);
        *index = (uint8_t)(1 + read);
        r->at++;
        return CW_OK;
    }
    return WRONG(r, "expected what this thread has read and found '%s'", shown(r));
}

/* "+4" and "[a]" behind a place. */
static int take_offset(struct reader *r, struct litmus_op *op)
{
    const uint32_t column = r->token[r->at].column, width = op->lanes * op->bytes;
    uint32_t offset = 0;
    int status = take(r, "+") ? take_number(r, LITMUS_EXTENT - 1, &offset) : CW_OK;
    op->offset = (uint8_t)offset;
    if (status == CW_OK && take(r, "[")) {
        status = take_earlier(r, op, op->thread, 4, &op->index);
        status = status == CW_OK ? expect(r, "]") : status;
    }
    if (status == CW_OK && (offset % width != 0 || offset + width + (op->index != 0 ? op->bytes : 0) > LITMUS_EXTENT))
        return wrong_at(r, r->line, column, "not at a multiple of %u bytes, or behind the place's %u bytes", width, LITMUS_EXTENT);
    if (op->index != 0 && op->lanes > 1)
        return wrong_at(r, r->line, column, "an address that depends on a read is that of one element");
    if (offset != 0 || op->index != 0)
        r->t->spacing = LITMUS_EXTENT;
    return status;
}

/* What is stored: "= 1", "= a" of a read, or a value for each element. */
static int take_stored(struct reader *r, struct litmus_op *op)
{
    int status = expect(r, "=");
    if (status == CW_OK && op->lanes == 1 && isalpha((unsigned char)word(r)[0]))
        return take_earlier(r, op, op->thread, op->bytes, &op->data);
    if (status == CW_OK)
        status = take_value(r, op);
    for (uint32_t i = 1; status == CW_OK && i < op->lanes; i++) {
        status = expect(r, ",");
        if (status == CW_OK)
            status = take_large(r, op->bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * op->bytes) - 1, &op->more[i - 1]);
    }
    return status;
}

/* ".SEM.SCOPE" of those that the operation has; an access without is weak. */
static int take_sem(struct reader *r, struct litmus_op *op, const char *const *sems, bool weak)
{
    static const struct {
        const char *name;
        enum litmus_sem sem;
    } all[] = {{"volatile", LITMUS_AS_VOLATILE}, {"relaxed", LITMUS_RELAXED}, {"acquire", LITMUS_ACQUIRE},
               {"release", LITMUS_RELEASING},    {"acq_rel", LITMUS_ACQ_REL}, {"sc", LITMUS_SC}};
    op->sem = LITMUS_WEAK;
    for (uint32_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (const char *const *name = sems; *name != NULL && op->sem == LITMUS_WEAK; name++)
            if (strcmp(*name, all[i].name) == 0 && take_part(r, all[i].name))
                op->sem = (uint8_t)all[i].sem;
    op->device = op->sem == LITMUS_AS_VOLATILE;
    if (op->device || (op->sem == LITMUS_WEAK && weak && (strcmp(word(r), ".") != 0 || has_type(r))))
        return CW_OK;
    if (op->sem != LITMUS_WEAK) {
        op->system = take_part(r, "sys");
        op->device = op->system || take_part(r, "gpu");
        if (op->device || take_part(r, "cta"))
            return CW_OK;
        return WRONG(r, "expected '.cta', '.gpu' or '.sys' and found '%s'", shown(r));
    }
    return WRONG(r, "expected an order, as in '.%s.gpu', and found '%s'", sems[0], shown(r));
}

/* An access or a fence of a test of memory: "ld.acquire.gpu F -> a", "st X = 1", "atom.relaxed.gpu.exch X = 1 -> a", "fence.sc.gpu". */
static int parse_access(struct reader *r, enum litmus_kind kind)
{
    static const char *const sems[][6] = {[LITMUS_MEMORY_LOAD] = {"relaxed", "acquire", "volatile"},
                                          [LITMUS_MEMORY_STORE] = {"relaxed", "release", "volatile"},
                                          [LITMUS_MEMORY_EXCHANGE] = {"relaxed", "acquire", "release", "acq_rel"},
                                          [LITMUS_MEMORY_FENCE] = {"acq_rel", "sc"}};
    struct litmus_op *op = NULL;
    int status = add_op(r, kind, &op);
    if (status == CW_OK && r->t->op_cnt > LITMUS_EVENTS)
        return wrong_at(r, r->line, r->token[0].column, "more than %u operations", LITMUS_EVENTS);
    if (status == CW_OK)
        status = take_sem(r, op, sems[kind], kind == LITMUS_MEMORY_LOAD || kind == LITMUS_MEMORY_STORE);
    if (status != CW_OK || kind == LITMUS_MEMORY_FENCE)
        return status;
    const bool transfer = kind != LITMUS_MEMORY_EXCHANGE;
    if (transfer && (status = take_type(r, op)) != CW_OK)
        return status;
    if (kind == LITMUS_MEMORY_EXCHANGE && !take_part(r, "exch"))
        return WRONG(r, "expected '.exch' and found '%s'", shown(r));
    const uint32_t column = r->token[r->at].column;
    status = take_place(r, LITMUS_GLOBAL, &op->place);
    for (uint32_t i = 0; status == CW_OK && i + 1 < r->t->op_cnt; i++) {
        const struct litmus_op *other = &r->t->op[i];
        const bool access = other->kind != LITMUS_MEMORY_FENCE && other->kind != LITMUS_MEMORY_BARRIER;
        if (access && other->place == op->place && r->t->place[op->place].space == LITMUS_SHARED &&
            r->t->thread[other->thread].block != r->t->thread[op->thread].block)
            return wrong_at(r, r->line, column, "'%s' is shared memory of another block", r->t->place[op->place].name);
    }
    if (status == CW_OK && op->texture && r->t->place[op->place].space == LITMUS_SHARED)
        return wrong_at(r, r->line, column, "'%s' is shared memory, which .nc does not read", r->t->place[op->place].name);
    if (status == CW_OK && transfer)
        status = take_offset(r, op);
    if (status == CW_OK && kind == LITMUS_MEMORY_STORE)
        return take_stored(r, op);
    if (status == CW_OK && !transfer)
        status = expect(r, "=") == CW_OK ? take_value(r, op) : CW_EINVAL;
    return status == CW_OK ? take_results(r, op) : status;
}

/* "if a = 1 st X = 1" */
static int parse_guarded(struct reader *r)
{
    const struct litmus_op *end = r->t->op + r->t->op_cnt;
    uint8_t read = 0;
    uint64_t value = 0;
    if (r->t->thread_cnt == 0)
        return wrong_at(r, r->line, r->token[0].column, "an operation before the first thread");
    int status = take_earlier(r, end, r->t->thread_cnt - 1, 0, &read);
    if (status == CW_OK)
        status = expect(r, "=");
    if (status == CW_OK)
        status = take_large(r, UINT64_MAX, &value);
    if (status != CW_OK)
        return status;
    if (take(r, "ld"))
        status = parse_access(r, LITMUS_MEMORY_LOAD);
    else
        status = take(r, "st") ? parse_access(r, LITMUS_MEMORY_STORE) : WRONG(r, "expected 'ld' or 'st' and found '%s'", shown(r));
    if (status == CW_OK) {
        r->t->op[r->t->op_cnt - 1].guard = read;
        r->t->op[r->t->op_cnt - 1].guard_value = value;
    }
    return status;
}

/* "membar.gl" is "fence.sc.gpu". */
static int parse_membar(struct reader *r)
{
    struct litmus_op *op = NULL;
    const int status = add_op(r, LITMUS_MEMORY_FENCE, &op);
    if (status != CW_OK)
        return status;
    op->sem = LITMUS_SC;
    op->membar = true;
    op->system = take_part(r, "sys");
    op->device = op->system || take_part(r, "gl");
    return op->device || take_part(r, "cta") ? CW_OK : WRONG(r, "expected '.cta', '.gl' or '.sys' and found '%s'", shown(r));
}

/* Its threads have warps of their own: a warp comes to a barrier as a whole. */
static int parse_barrier(struct reader *r)
{
    const struct litmus_test *t = r->t;
    struct litmus_op *op = NULL;
    const int status = add_op(r, LITMUS_MEMORY_BARRIER, &op);
    for (uint32_t k = 0; status == CW_OK && k < t->thread_cnt; k++)
        if (k != op->thread && t->thread[k].block == t->thread[op->thread].block && t->thread[k].warp == t->thread[op->thread].warp)
            return wrong_at(r, r->line, r->token[0].column, "a thread with a barrier has a warp of its own");
    return status;
}

static int parse_memory_line(struct reader *r)
{
    if (take(r, "shared"))
        return parse_places(r, LITMUS_SHARED, false);
    if (take(r, "membar"))
        return parse_membar(r);
    if (take(r, "bar"))
        return parse_barrier(r);
    if (take(r, "line"))
        return parse_places(r, LITMUS_GLOBAL, true);
    if (take(r, "thread"))
        return parse_thread(r);
    if (take(r, "ld"))
        return parse_access(r, LITMUS_MEMORY_LOAD);
    if (take(r, "st"))
        return parse_access(r, LITMUS_MEMORY_STORE);
    if (take(r, "if"))
        return parse_guarded(r);
    if (take(r, "atom"))
        return parse_access(r, LITMUS_MEMORY_EXCHANGE);
    if (take(r, "fence"))
        return parse_access(r, LITMUS_MEMORY_FENCE);
    if (take(r, "never"))
        return parse_clause(r, true);
    if (take(r, "may"))
        return parse_clause(r, false);
    return WRONG(r,
                 "unknown statement '%s'; a test of memory has thread, line, shared, ld, st, if, atom, fence, membar, bar, never and may",
                 shown(r));
}

static int parse_line(struct reader *r)
{
    int status;
    if (r->cnt == 0)
        return CW_OK;
    if (r->t->memory) {
        status = parse_memory_line(r);
        return status == CW_OK ? expect_end(r) : status;
    }
    if (take(r, "shared"))
        status = parse_places(r, LITMUS_SHARED, false);
    else if (take(r, "persistent"))
        status = parse_places(r, LITMUS_PERSISTENT, false);
    else if (take(r, "line"))
        status = parse_places(r, LITMUS_PERSISTENT, true);
    else if (take(r, "thread"))
        status = parse_thread(r);
    else if (take(r, "ofence"))
        status = parse_fence(r, LITMUS_OFENCE);
    else if (take(r, "dfence"))
        status = parse_fence(r, LITMUS_DFENCE);
    else if (take(r, "fence"))
        status = parse_ptx_fence(r);
    else if (take(r, "volatile"))
        status = parse_write(r, LITMUS_VOLATILE);
    else if (take(r, "atomic"))
        status = parse_write(r, LITMUS_ATOMIC);
    else if (take(r, "load"))
        status = parse_read(r, LITMUS_LOAD);
    else if (take(r, "release"))
        status = parse_sync(r, LITMUS_RELEASE);
    else if (take(r, "wait"))
        status = parse_sync(r, LITMUS_WAIT);
    else if (take(r, "read"))
        status = parse_read(r, LITMUS_READ);
    else if (take(r, "never"))
        status = parse_clause(r, true);
    else if (take(r, "may"))
        status = parse_clause(r, false);
    else
        status = parse_write(r, LITMUS_PLAIN);
    return status == CW_OK ? expect_end(r) : status;
}

/* A thread that waits would keep those of its warp from going on, and one that waits for the wrong thing would wait for ever. */
static int check_wait(struct reader *r, uint32_t i)
{
    const struct litmus_test *t = r->t;
    const struct litmus_op *op = &t->op[i], *source = NULL;
    const struct litmus_thread *thread = &t->thread[op->thread];
    for (uint32_t k = 0; k < t->thread_cnt; k++)
        if (k != op->thread && t->thread[k].block == thread->block && t->thread[k].warp == thread->warp)
            return wrong_at(r, r->op_line[i], r->op_column[i], "a thread that waits has a warp of its own; %s is of the same warp",
                            t->thread[k].name);
    for (uint32_t k = 0; k < t->op_cnt; k++)
        if (t->op[k].kind == LITMUS_RELEASE && t->op[k].place == op->place && t->op[k].value == op->value)
            source = &t->op[k];
    if (source == NULL)
        return wrong_at(r, r->op_line[i], r->op_column[i], "nobody releases %s = %" PRIu64, t->place[op->place].name, op->value);
    if (t->thread[source->thread].block != thread->block && !(op->device && source->device))
        return wrong_at(r, r->op_line[i], r->op_column[i],
                        "a wait for another block needs device scope on both sides, or it may see nothing; use read");
    return CW_OK;
}

static int check_shared(struct reader *r, uint32_t i)
{
    const struct litmus_test *t = r->t;
    for (uint32_t k = 0; k < i; k++)
        if (t->op[k].place == t->op[i].place && t->op[k].kind >= LITMUS_RELEASE &&
            t->thread[t->op[k].thread].block != t->thread[t->op[i].thread].block)
            return wrong_at(r, r->op_line[i], r->op_column[i], "shared memory is a block's own; %s is of another block",
                            t->thread[t->op[k].thread].name);
    return CW_OK;
}

static int check_whole(struct reader *r)
{
    const struct litmus_test *t = r->t;
    int status = t->op_cnt > 0 ? CW_OK : wrong_at(r, r->line, 1, "the test has no operation");
    for (uint32_t i = 0; status == CW_OK && i < t->op_cnt; i++) {
        if (t->op[i].kind == LITMUS_WAIT)
            status = check_wait(r, i);
        if (status == CW_OK && t->op[i].kind >= LITMUS_RELEASE && t->place[t->op[i].place].space == LITMUS_SHARED)
            status = check_shared(r, i);
    }
    return status;
}

static void name_of(char name[LITMUS_NAME], const char *path)
{
    const char *base = strrchr(path, '/');
    snprintf(name, LITMUS_NAME, "%s", base != NULL ? base + 1 : path);
    char *end = strrchr(name, '.');
    if (end != NULL && strcmp(end, ".lit") == 0)
        *end = '\0';
}

int litmus_parse(struct litmus_test *t, const char *text, size_t length, const char *path, bool memory, struct cw_error *err)
{
    struct reader r = {.t = t, .path = path, .err = err};
    char line[1024];
    int status = CW_OK;
    memset(t, 0, sizeof *t);
    t->memory = memory;
    t->spacing = 4;
    name_of(t->name, path);
    for (size_t at = 0; status == CW_OK && at < length;) {
        const char *end = memchr(text + at, '\n', length - at);
        const size_t bytes = end != NULL ? (size_t)(end - (text + at)) : length - at;
        r.line++;
        if (bytes >= sizeof line || memchr(text + at, '\0', bytes) != NULL)
            return wrong_at(&r, r.line, 1, "a line of more than %zu characters, or one that is no text", sizeof line - 1);
        memcpy(line, text + at, bytes);
        line[bytes] = '\0';
        status = split(&r, line);
        if (status == CW_OK)
            status = parse_line(&r);
        at += bytes + 1;
    }
    return status == CW_OK ? check_whole(&r) : status;
}
