/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions and values: C's operators over numbers, registers (%r5), what is known of a thread (lane, tid.x, ctaid.y, cycle), and memory
 * (u32[ADDRESS], shared.f32[ADDRESS]). A register has the type that the PTX declares it with.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "debugger/debug_private.h"

struct reader {
    const struct cw_debug *d;
    const struct cw_debug_focus *focus;
    const char *at;
    const char *wrong; /* NULL: nothing yet */
};

typedef struct cw_debug_value value;

static value parse(struct reader *r, uint32_t level);

static value integer(uint64_t bits, bool is_signed)
{
    return (value){.bits = bits, .is_signed = is_signed};
}

static value number_of(double x)
{
    return (value){.is_float = true, .number = x};
}

static double as_float(value v)
{
    return v.is_float ? v.number : v.is_signed ? (double)(int64_t)v.bits : (double)v.bits;
}

static bool is_true(value v)
{
    return v.is_float ? v.number != 0 : v.bits != 0;
}

static value wrong(struct reader *r, const char *text)
{
    if (r->wrong == NULL)
        r->wrong = text;
    return integer(0, false);
}

static void skip(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool take(struct reader *r, const char *token)
{
    skip(r);
    const size_t length = strlen(token);
    if (strncmp(r->at, token, length) != 0)
        return false;
    r->at += length;
    return true;
}

/* Bits as a type of the PTX has them. */
static value typed(uint64_t bits, enum cw_type type)
{
    float f;
    double x;
    const uint32_t low = (uint32_t)bits;
    switch (type) {
    case CW_F32:
        memcpy(&f, &low, sizeof f);
        return number_of((double)f);
    case CW_F64:
        memcpy(&x, &bits, sizeof x);
        return number_of(x);
    case CW_S8:
        return integer((uint64_t)(int64_t)(int8_t)bits, true);
    case CW_S16:
        return integer((uint64_t)(int64_t)(int16_t)bits, true);
    case CW_S32:
        return integer((uint64_t)(int64_t)(int32_t)bits, true);
    case CW_S64:
        return integer(bits, true);
    default:
        return integer(cw_type_bytes(type) == 8 || type == CW_PRED ? bits : bits & ((UINT64_C(1) << 8 * cw_type_bytes(type)) - 1), false);
    }
}

static uint32_t word(struct reader *r, char text[64])
{
    uint32_t length = 0;
    skip(r);
    while (length + 1 < 64 && (isalnum((unsigned char)*r->at) || strchr("%$_.", *r->at) != NULL) && *r->at != '\0')
        text[length++] = *r->at++;
    text[length] = '\0';
    return length;
}

static value of_register(struct reader *r, const char *name)
{
    struct cw_look_warp w;
    uint64_t all[CW_WARP_LANES_MAX];
    if (!cw_debug__warp(r->d, r->focus, &w))
        return wrong(r, "there is no warp here whose registers could be read");
    const struct cw_named *n = cw_debug__named(r->d, name, w.pc);
    if (n == NULL)
        return wrong(r, "no register of that name has a value here; 'info registers' shows those that have");
    cw_look_register(cw_debug__warps(r->d, r->focus->core), r->focus->warp, n->o, all);
    return typed(all[r->focus->lane], (enum cw_type)n->type);
}

static value of_thread(struct reader *r, const char *name)
{
    struct cw_look_warp w;
    uint32_t tid[3] = {0, 0, 0};
    const char *const names[] = {"cycle", "core", "warp", "lane"};
    const uint64_t values[] = {cw_gpu_cycles(r->d->gpu), r->focus->core, r->focus->warp, r->focus->lane};
    for (uint32_t i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0)
            return integer(values[i], true);
    if (!cw_debug__warp(r->d, r->focus, &w))
        return wrong(r, "there is no warp here that could be asked");
    cw_look_thread(cw_debug__warps(r->d, r->focus->core), r->focus->warp, r->focus->lane, tid);
    const uint32_t *const sets[] = {tid, w.ctaid, w.launch->block, w.launch->grid};
    const char *const set_names[] = {"tid.", "ctaid.", "ntid.", "nctaid."};
    for (uint32_t i = 0; i < 4; i++) {
        const size_t length = strlen(set_names[i]);
        if (strncmp(name, set_names[i], length) == 0 && name[length] >= 'x' && name[length] <= 'z' && name[length + 1] == '\0')
            return integer(sets[i][name[length] - 'x'], true);
    }
    if (strcmp(name, "attempt") == 0)
        return integer(w.attempt, true);
    return wrong(r, "unknown name; there are registers (%r1), tid.x, ctaid.x, ntid.x, nctaid.x, lane, warp, core, cycle, attempt");
}

/* "u32", "shared.f32": whether the word is a type. */
static bool memory_type(const char *text, uint32_t *space, enum cw_type *type)
{
    const char *dot = strchr(text, '.');
    char name[16];
    *space = CW_SPACE_GENERIC;
    if (dot != NULL) {
        if ((size_t)(dot - text) >= sizeof name)
            return false;
        memcpy(name, text, (size_t)(dot - text));
        name[dot - text] = '\0';
        *space = cw_debug__space(name);
        text = dot + 1;
    }
    for (uint32_t t = CW_U8; t <= CW_F64; t++)
        if (strcmp(cw_type_name((enum cw_type)t), text) == 0) {
            *type = (enum cw_type)t;
            return *space != UINT32_MAX;
        }
    return false;
}

static value of_memory(struct reader *r, uint32_t space, enum cw_type type)
{
    uint64_t bits = 0;
    const value address = parse(r, 0);
    if (!take(r, "]"))
        return wrong(r, "a ] is missing");
    if (r->wrong == NULL && !cw_debug__read(r->d, r->focus, space, address.bits, &bits, cw_type_bytes(type)))
        return wrong(r, "nothing is at that address");
    return typed(bits, type);
}

static value literal(struct reader *r)
{
    char *end, *float_end;
    const double x = strtod(r->at, &float_end);
    const uint64_t bits = strtoull(r->at, &end, 0);
    if (float_end > end && !(r->at[0] == '0' && (r->at[1] | 32) == 'x')) {
        r->at = float_end;
        return number_of(x);
    }
    r->at = end;
    return integer(bits, true);
}

static value primary(struct reader *r)
{
    char text[64];
    uint32_t space;
    enum cw_type type;
    if (take(r, "(")) {
        const value v = parse(r, 0);
        return take(r, ")") ? v : wrong(r, "a ) is missing");
    }
    if (take(r, "-")) {
        const value v = primary(r);
        return v.is_float ? number_of(-v.number) : integer(0 - v.bits, true);
    }
    if (take(r, "!"))
        return integer(!is_true(primary(r)), true);
    if (take(r, "~"))
        return integer(~primary(r).bits, false);
    skip(r);
    if (isdigit((unsigned char)*r->at))
        return literal(r);
    if (word(r, text) == 0)
        return wrong(r, "a number, a register or a name is missing");
    if (memory_type(text, &space, &type) && take(r, "["))
        return of_memory(r, space, type);
    return strchr("%$_", text[0]) != NULL ? of_register(r, text) : of_thread(r, text);
}

/* By what binds least; longer tokens stand before those that they begin with. */
static const struct {
    const char *token;
    uint32_t level;
} operators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"|", 3},
                 {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

static value compute_float(const char *op, double a, double b)
{
    switch (op[0]) {
    case '+':
        return number_of(a + b);
    case '-':
        return number_of(a - b);
    case '*':
        return number_of(a * b);
    case '/':
        return number_of(a / b);
    case '=':
        return integer(a == b, true);
    case '!':
        return integer(a != b, true);
    case '<':
        return integer(op[1] == '=' ? a <= b : a < b, true);
    default:
        return integer(op[1] == '=' ? a >= b : a > b, true);
    }
}

static value compare(const char *op, value a, value b)
{
    const bool is_signed = a.is_signed && b.is_signed;
    const bool less = is_signed ? (int64_t)a.bits < (int64_t)b.bits : a.bits < b.bits, same = a.bits == b.bits;
    const bool or_same = op[1] == '=';
    const bool result = op[0] == '=' ? same : op[0] == '!' ? !same : op[0] == '<' ? less || (or_same && same) : !less && (or_same || !same);
    return integer(result, true);
}

static value compute(struct reader *r, const char *op, value a, value b)
{
    const bool is_signed = a.is_signed && b.is_signed;
    if ((a.is_float || b.is_float) && strchr("+-*/=!<>", op[0]) != NULL && strcmp(op, "<<") != 0 && strcmp(op, ">>") != 0)
        return compute_float(op, as_float(a), as_float(b));
    if (a.is_float || b.is_float)
        return wrong(r, "that operator takes no floating-point number");
    if ((op[0] == '/' || op[0] == '%') && b.bits == 0)
        return wrong(r, "a division by zero");
    if ((op[0] == '/' || op[0] == '%') && is_signed && b.bits == UINT64_MAX) /* by -1, which the host's division may not like */
        return integer(op[0] == '/' ? 0 - a.bits : 0, true);
    if (strcmp(op, "<<") == 0 || strcmp(op, ">>") == 0)
        return integer(b.bits > 63 ? 0 : op[0] == '<' ? a.bits << b.bits : a.bits >> b.bits, is_signed);
    switch (op[0]) {
    case '+':
        return integer(a.bits + b.bits, is_signed);
    case '-':
        return integer(a.bits - b.bits, is_signed);
    case '*':
        return integer(a.bits * b.bits, is_signed);
    case '/':
        return integer(is_signed ? (uint64_t)((int64_t)a.bits / (int64_t)b.bits) : a.bits / b.bits, is_signed);
    case '%':
        return integer(is_signed ? (uint64_t)((int64_t)a.bits % (int64_t)b.bits) : a.bits % b.bits, is_signed);
    case '&':
        return integer(a.bits & b.bits, is_signed);
    case '|':
        return integer(a.bits | b.bits, is_signed);
    case '^':
        return integer(a.bits ^ b.bits, is_signed);
    default:
        return compare(op, a, b);
    }
}

/* Operators that bind more than `level`. */
static value parse(struct reader *r, uint32_t level)
{
    value left = primary(r);
    while (r->wrong == NULL) {
        uint32_t i = 0;
        const char *const here = r->at;
        while (i < sizeof operators / sizeof operators[0] && !take(r, operators[i].token))
            i++;
        if (i == sizeof operators / sizeof operators[0] || operators[i].level <= level) {
            r->at = here;
            return left;
        }
        const char *const op = operators[i].token;
        const value right = parse(r, operators[i].level);
        if (strcmp(op, "&&") == 0)
            left = integer(is_true(left) && is_true(right), true);
        else if (strcmp(op, "||") == 0)
            left = integer(is_true(left) || is_true(right), true);
        else
            left = compute(r, op, left, right);
    }
    return left;
}

const char *cw_debug__evaluate(const struct cw_debug *d, const char *text, const struct cw_debug_focus *focus, value *result)
{
    struct reader r = {.d = d, .focus = focus, .at = text};
    *result = parse(&r, 0);
    skip(&r);
    if (r.wrong == NULL && *r.at != '\0')
        r.wrong = "something stands behind the end of the expression";
    return r.wrong;
}
