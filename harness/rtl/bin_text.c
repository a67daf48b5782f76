/* SPDX-License-Identifier: Apache-2.0 */
/* From the text of a file of bins to rules. */
#define _POSIX_C_SOURCE 200809L /* strndup */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bins_private.h"

#define PAST_MAX  64u /* cycles */
#define ARRAY_MAX 64u /* bins of one line */
#define LEVELS    11  /* of binary operators, the loosest is 1 */

struct name {
    char *text;
    uint32_t slot;
};

struct reader {
    struct cw_bins *bins;
    struct cw_port *port;
    struct name *name;
    uint32_t name_cnt;
    const char *at; /* the rest of the statement */
    bool in_array;
    uint64_t n; /* in an array, which of its bins */
    uint32_t depth;
    const char *path;
    uint32_t line;
    int status; /* of the first thing that was wrong */
    struct cw_error *err;
};

__attribute__((format(printf, 2, 3))) static void wrong(struct reader *r, const char *fmt, ...)
{
    char text[300];
    va_list ap;
    if (r->status != CW_OK)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    r->status = cw_fail(r->err, CW_EINVAL, "%s:%" PRIu32 ": %s", r->path, r->line, text);
}

static void *grown(struct reader *r, void *array, uint32_t cnt, size_t size)
{
    void *more = realloc(array, (cnt + 1) * size);
    if (more == NULL && r->status == CW_OK)
        r->status = cw_fail(r->err, CW_ENOMEM, "out of memory");
    return more;
}

/* Words --------------------------------------------------------------------------------------------------------------- */

static void skip_blanks(struct reader *r)
{
    while (*r->at != '\0' && isspace((unsigned char)*r->at))
        r->at++;
}

/* Takes the word or sign if it comes next. */
static bool take(struct reader *r, const char *sign)
{
    const size_t length = strlen(sign);
    skip_blanks(r);
    if (strncmp(r->at, sign, length) != 0)
        return false;
    r->at += length;
    return true;
}

static void expect(struct reader *r, const char *sign)
{
    if (!take(r, sign))
        wrong(r, "'%s' is missing before '%.20s'", sign, r->at);
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return isdigit((unsigned char)at[0]) ? 0 : length;
}

/* The word that comes next, to be freed; NULL, with an error told, when none does. */
static char *take_word(struct reader *r, const char *what)
{
    skip_blanks(r);
    const size_t length = word_length(r->at);
    char *word = length > 0 ? strndup(r->at, length) : NULL;
    if (length == 0)
        wrong(r, "%s is missing before '%.20s'", what, r->at);
    r->at += length;
    return word;
}

static uint64_t take_number(struct reader *r)
{
    char *end;
    skip_blanks(r);
    const uint64_t value = strtoull(r->at, &end, r->at[0] == '0' && r->at[1] == 'x' ? 16 : 10);
    if (!isdigit((unsigned char)r->at[0]))
        wrong(r, "a number is missing before '%.20s'", r->at);
    else
        r->at = end;
    return value;
}

/* Rules --------------------------------------------------------------------------------------------------------------- */

static void emit(struct reader *r, struct bin_code *code, enum bin_op op, uint64_t operand)
{
    struct bin_insn *more = grown(r, code->insn, code->cnt, sizeof *more);
    const bool pushes = op == BIN_CONST || op == BIN_PORT || op == BIN_PARAM || op == BIN_VALUE;
    if (more == NULL)
        return;
    code->insn = more;
    code->insn[code->cnt++] = (struct bin_insn){op, operand};
    if (pushes)
        r->depth++;
    else if (op == BIN_CHOOSE)
        r->depth -= 2;
    else if (op >= BIN_MUL)
        r->depth--;
    if (r->depth > BIN_STACK)
        wrong(r, "the expression is too long; name a part of it by let");
}

/* Takes the code over. */
static void add_rule(struct reader *r, enum bin_kind kind, uint32_t slot, struct bin_code code)
{
    struct bin_rule *more = grown(r, r->bins->rule, r->bins->rule_cnt, sizeof *more);
    if (more == NULL) {
        free(code.insn);
        return;
    }
    r->bins->rule = more;
    r->bins->rule[r->bins->rule_cnt++] = (struct bin_rule){kind, slot, code};
}

static uint32_t slot_named(const struct reader *r, const char *word)
{
    uint32_t i = 0;
    while (i < r->name_cnt && strcmp(r->name[i].text, word) != 0)
        i++;
    return i < r->name_cnt ? r->name[i].slot : UINT32_MAX;
}

/* The index of the port of that name, or UINT32_MAX. */
static uint32_t port_named(const struct reader *r, const char *word)
{
    uint32_t i = 0;
    while (i < r->bins->unit->port_cnt && strcmp(r->port[i].name, word) != 0)
        i++;
    return i < r->bins->unit->port_cnt ? i : UINT32_MAX;
}

static uint32_t param_named(const struct reader *r, const char *word)
{
    uint32_t i = 0;
    while (i < r->bins->unit->param_cnt && strcmp(r->bins->unit->params[i].verilog_name, word) != 0)
        i++;
    return i < r->bins->unit->param_cnt ? i : UINT32_MAX;
}

/* Expressions --------------------------------------------------------------------------------------------------------- */

static void read_choice(struct reader *r, struct bin_code *code);

/* past(x, cycles): a chain of registers behind x, each before the one that it reads, so that all move at once. */
static void read_past(struct reader *r, struct bin_code *code)
{
    struct bin_code inner = {NULL, 0};
    const uint32_t depth = r->depth;
    uint64_t cycles = 1;
    expect(r, "(");
    r->depth = 0;
    read_choice(r, &inner);
    r->depth = depth;
    if (take(r, ","))
        cycles = take(r, "n") && r->in_array ? r->n : take_number(r);
    expect(r, ")");
    if (cycles == 0 || cycles > PAST_MAX)
        wrong(r, "past of %" PRIu64 " cycles; 1 to %u are kept", cycles, PAST_MAX);
    add_rule(r, BIN_LET, r->bins->slot_cnt++, inner);
    for (uint64_t i = 0; r->status == CW_OK && i < cycles; i++) {
        struct bin_code last = {NULL, 0};
        emit(r, &last, BIN_VALUE, r->bins->slot_cnt - 1);
        r->depth = depth;
        add_rule(r, BIN_REGISTER, r->bins->slot_cnt++, last);
    }
    emit(r, code, BIN_VALUE, r->bins->slot_cnt - 1);
}

static void read_port(struct reader *r, struct bin_code *code, uint32_t port)
{
    if (r->port[port].words == 0) {
        emit(r, code, BIN_PORT, port);
        return;
    }
    expect(r, "[");
    read_choice(r, code);
    expect(r, "]");
    emit(r, code, BIN_WORD, port);
}

static void read_name(struct reader *r, struct bin_code *code)
{
    char *word = take_word(r, "a value");
    if (word == NULL)
        return;
    const uint32_t slot = slot_named(r, word), port = port_named(r, word), param = param_named(r, word);
    if (r->in_array && strcmp(word, "n") == 0)
        emit(r, code, BIN_CONST, r->n);
    else if (strcmp(word, "past") == 0)
        read_past(r, code);
    else if (strcmp(word, "ones") == 0) {
        expect(r, "(");
        read_choice(r, code);
        expect(r, ")");
        emit(r, code, BIN_ONES, 0);
    } else if (slot != UINT32_MAX)
        emit(r, code, BIN_VALUE, slot);
    else if (port != UINT32_MAX)
        read_port(r, code, port);
    else if (param != UINT32_MAX)
        emit(r, code, BIN_PARAM, param);
    else
        wrong(r, "'%s' is no port, no parameter in its Verilog's spelling and no name of a let or reg above", word);
    free(word);
}

static void read_unary(struct reader *r, struct bin_code *code)
{
    static const struct {
        const char *sign;
        enum bin_op op;
    } signs[] = {{"!", BIN_NOT}, {"~", BIN_INVERT}, {"-", BIN_NEGATE}};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (take(r, signs[i].sign)) {
            read_unary(r, code);
            emit(r, code, signs[i].op, 0);
            return;
        }
    if (take(r, "(")) {
        read_choice(r, code);
        expect(r, ")");
    } else if (isdigit((unsigned char)*r->at))
        emit(r, code, BIN_CONST, take_number(r));
    else
        read_name(r, code);
}

/* The binary operators, two letters before one. */
static const struct binary {
    const char *sign;
    int level;
    enum bin_op op;
} operators[] = {{"||", 1, BIN_EITHER}, {"&&", 2, BIN_BOTH}, {"==", 6, BIN_EQ}, {"!=", 6, BIN_NE},  {"<=", 7, BIN_LE},  {">=", 7, BIN_GE},
                 {"<<", 8, BIN_SHL},    {">>", 8, BIN_SHR},  {"<", 7, BIN_LT},  {">", 7, BIN_GT},   {"|", 3, BIN_OR},   {"^", 4, BIN_XOR},
                 {"&", 5, BIN_AND},     {"+", 9, BIN_ADD},   {"-", 9, BIN_SUB}, {"*", 10, BIN_MUL}, {"/", 10, BIN_DIV}, {"%", 10, BIN_MOD}};

static const struct binary *next_operator(struct reader *r)
{
    skip_blanks(r);
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (strncmp(r->at, operators[i].sign, strlen(operators[i].sign)) == 0)
            return &operators[i];
    return NULL;
}

/* Operators of this level and of tighter ones, from left to right. */
static void read_binary(struct reader *r, struct bin_code *code, int level)
{
    const struct binary *o;
    if (level == LEVELS) {
        read_unary(r, code);
        return;
    }
    read_binary(r, code, level + 1);
    while (r->status == CW_OK && (o = next_operator(r)) != NULL && o->level == level) {
        r->at += strlen(o->sign);
        read_binary(r, code, level + 1);
        emit(r, code, o->op, 0);
    }
}

static void read_choice(struct reader *r, struct bin_code *code)
{
    read_binary(r, code, 1);
    if (!take(r, "?"))
        return;
    read_choice(r, code);
    expect(r, ":");
    read_choice(r, code);
    emit(r, code, BIN_CHOOSE, 0);
}

/* A whole expression, up to the end of the statement. */
static struct bin_code read_expression(struct reader *r)
{
    struct bin_code code = {NULL, 0};
    r->depth = 0;
    read_choice(r, &code);
    skip_blanks(r);
    if (*r->at != '\0')
        wrong(r, "'%.20s' stands behind the expression", r->at);
    return code;
}

/* Statements ---------------------------------------------------------------------------------------------------------- */

static void add_name(struct reader *r, char *word, uint32_t slot)
{
    struct name *more = grown(r, r->name, r->name_cnt, sizeof *more);
    if (more == NULL) {
        free(word);
        return;
    }
    r->name = more;
    r->name[r->name_cnt++] = (struct name){word, slot};
}

static void read_value(struct reader *r, enum bin_kind kind)
{
    char *word = take_word(r, "a name");
    if (word == NULL)
        return;
    if (slot_named(r, word) != UINT32_MAX || port_named(r, word) != UINT32_MAX || param_named(r, word) != UINT32_MAX)
        wrong(r, "'%s' is a name already", word);
    expect(r, "=");
    const uint32_t slot = r->bins->slot_cnt++;
    if (kind == BIN_REGISTER) /* its own value may be part of the next one */
        add_name(r, word, slot);
    add_rule(r, kind, slot, read_expression(r));
    if (kind == BIN_LET)
        add_name(r, word, slot);
}

static uint32_t bin_named(const struct cw_bins *bins, const char *name)
{
    uint32_t i = 0;
    while (i < bins->bin_cnt && strcmp(bins->bin[i].name, name) != 0)
        i++;
    return i;
}

/* One bin, whose expression comes next. Takes the name over. */
static void add_bin(struct reader *r, char *name)
{
    if (bin_named(r->bins, name) < r->bins->bin_cnt)
        wrong(r, "there is a bin '%s' already", name);
    struct bin *more = grown(r, r->bins->bin, r->bins->bin_cnt, sizeof *more);
    if (more == NULL) {
        free(name);
        return;
    }
    r->bins->bin = more;
    r->bins->bin[r->bins->bin_cnt++] = (struct bin){.name = name};
    add_rule(r, BIN_COUNT, r->bins->bin_cnt - 1, read_expression(r));
}

static char *element_name(const char *word, uint64_t n)
{
    char text[128];
    snprintf(text, sizeof text, "%s[%" PRIu64 "]", word, n);
    return strdup(text);
}

/* NAME: EXPRESSION, or NAME[first..last]: EXPRESSION */
static void read_bins(struct reader *r)
{
    char *word = take_word(r, "a name");
    uint64_t first = 0, last = 0;
    r->in_array = take(r, "[");
    if (r->in_array) {
        first = take_number(r);
        expect(r, "..");
        last = take_number(r);
        expect(r, "]");
    }
    expect(r, ":");
    if (last < first || last - first >= ARRAY_MAX)
        wrong(r, "bins %" PRIu64 " to %" PRIu64 "; a line has 1 to %u", first, last, ARRAY_MAX);
    const char *expression = r->at;
    for (r->n = first; r->status == CW_OK && r->n <= last; r->n++) {
        char *name = r->in_array ? element_name(word, r->n) : strdup(word);
        r->at = expression;
        if (name != NULL)
            add_bin(r, name);
    }
    r->in_array = false;
    free(word);
}

/* NAME: REASON, or NAME[n]: REASON */
static void read_hole(struct reader *r)
{
    skip_blanks(r);
    const size_t length = strcspn(r->at, ":");
    char *name = strndup(r->at, length);
    const uint32_t i = name != NULL ? bin_named(r->bins, name) : 0;
    r->at += length;
    expect(r, ":");
    skip_blanks(r);
    if (r->status == CW_OK && i == r->bins->bin_cnt)
        wrong(r, "there is no bin '%s' above", name);
    else if (*r->at == '\0')
        wrong(r, "the hole '%s' has no reason", name);
    else if (r->status == CW_OK)
        r->bins->bin[i].hole = strdup(r->at);
    free(name);
}

static void read_statement(struct reader *r, const char *text)
{
    r->at = text;
    if (*text == '\0' || *text == '#')
        return;
    if (take(r, "let "))
        read_value(r, BIN_LET);
    else if (take(r, "reg "))
        read_value(r, BIN_REGISTER);
    else if (take(r, "bin "))
        read_bins(r);
    else if (take(r, "hole "))
        read_hole(r);
    else
        wrong(r, "'%.20s' is none of let, reg, bin, hole", text);
}

/* Statements begin at the beginning of a line. A line that begins with a blank belongs to the one above. */
static void read_statements(struct reader *r, char *text)
{
    uint32_t line = 1;
    while (r->status == CW_OK && *text != '\0') {
        char *end = text;
        r->line = line;
        for (; *end != '\0' && !(*end == '\n' && end[1] != ' '); end++)
            if (*end == '\n') {
                *end = ' ';
                line++;
            }
        const bool more = *end == '\n';
        *end = '\0';
        read_statement(r, text);
        text = end + more;
        line++;
    }
}

int cw_bins__read(struct cw_bins *bins, char *text, const char *path, struct cw_error *err)
{
    struct reader r = {.bins = bins, .path = path, .status = CW_OK, .err = err};
    void *params = calloc(1, bins->unit->params_size);
    r.port = calloc(bins->unit->port_cnt, sizeof *r.port);
    if (params == NULL || r.port == NULL)
        r.status = cw_fail(err, CW_ENOMEM, "out of memory");
    if (r.status == CW_OK) {
        cw_unit_params_default(bins->unit, params);
        bins->unit->ports(params, r.port);
        read_statements(&r, text);
    }
    bins->open_cnt = bins->bin_cnt;
    for (uint32_t i = 0; i < r.name_cnt; i++)
        free(r.name[i].text);
    free(r.name);
    free(r.port);
    free(params);
    return r.status;
}
