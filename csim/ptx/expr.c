/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constant expressions, as in C on 64-bit integers: an operation is unsigned when an operand is; comparisons give a signed 0 or 1. All
 * arithmetic is done on uint64_t, where it cannot overflow.
 */
#include "ptx/reader.h"

struct value {
    uint64_t v;
    bool is_unsigned;
};

static struct value conditional(struct cw_ptx *p, uint32_t depth);

/* "(.s64) x" and "(.u64) x"; true when the parenthesis was a cast. */
static bool cast(struct cw_ptx *p, bool *to_unsigned)
{
    if (!cw_tok_is(&p->tok, ".s64") && !cw_tok_is(&p->tok, ".u64"))
        return false;
    *to_unsigned = cw_tok_is(&p->tok, ".u64");
    cw_ptx_advance(p);
    cw_ptx_expect(p, ')');
    return true;
}

static struct value primary(struct cw_ptx *p)
{
    struct value r = {0, false};
    if (p->tok.kind == CW_TOK_INT) {
        r = (struct value){p->tok.value, p->tok.is_unsigned};
        cw_ptx_advance(p);
    } else if (cw_ptx_accept_word(p, "WARP_SZ")) {
        r.v = 32;
    } else {
        cw_ptx_fail(p, CW_EINVAL, "expected an integer constant");
    }
    return r;
}

static struct value unary(struct cw_ptx *p, uint32_t depth)
{
    struct value r = {0, false};
    if (depth > CW_PTX_MAX_DEPTH) {
        cw_ptx_fail(p, CW_EUNSUP, "expression nested more than %u deep", CW_PTX_MAX_DEPTH);
    } else if (cw_ptx_accept(p, '(')) {
        bool to_unsigned;
        if (cast(p, &to_unsigned)) {
            r = unary(p, depth + 1);
            r.is_unsigned = to_unsigned;
        } else {
            r = conditional(p, depth + 1);
            cw_ptx_expect(p, ')');
        }
    } else if (cw_ptx_accept(p, '-')) {
        r = unary(p, depth + 1);
        r.v = 0 - r.v;
    } else if (cw_ptx_accept(p, '+')) {
        r = unary(p, depth + 1);
    } else if (cw_ptx_accept(p, '~')) {
        r = unary(p, depth + 1);
        r.v = ~r.v;
    } else if (cw_ptx_accept(p, '!')) {
        r = unary(p, depth + 1);
        r = (struct value){r.v == 0, false};
    } else {
        r = primary(p);
    }
    return r;
}

struct level {
    uint16_t op;
    uint8_t rank;
};

static uint8_t rank_of(uint16_t op)
{
    static const struct level levels[] = {{'*', 10},
                                          {'/', 10},
                                          {'%', 10},
                                          {'+', 9},
                                          {'-', 9},
                                          {CW_PUNCT2('<', '<'), 8},
                                          {CW_PUNCT2('>', '>'), 8},
                                          {'<', 7},
                                          {'>', 7},
                                          {CW_PUNCT2('<', '='), 7},
                                          {CW_PUNCT2('>', '='), 7},
                                          {CW_PUNCT2('=', '='), 6},
                                          {CW_PUNCT2('!', '='), 6},
                                          {'&', 5},
                                          {'^', 4},
                                          {'|', 3},
                                          {CW_PUNCT2('&', '&'), 2},
                                          {CW_PUNCT2('|', '|'), 1}};
    for (uint32_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
        if (levels[i].op == op)
            return levels[i].rank;
    return 0;
}

static uint64_t divide(struct cw_ptx *p, uint16_t op, struct value a, struct value b, bool is_unsigned)
{
    if (b.v == 0) {
        cw_ptx_fail(p, CW_EINVAL, "division by zero in a constant expression");
        return 0;
    }
    if (is_unsigned)
        return op == '/' ? a.v / b.v : a.v % b.v;
    if (b.v == UINT64_MAX) /* by -1: the most negative number would overflow */
        return op == '/' ? 0 - a.v : 0;
    int64_t x = (int64_t)a.v, y = (int64_t)b.v;
    return (uint64_t)(op == '/' ? x / y : x % y);
}

static uint64_t shift(uint16_t op, struct value a, uint64_t by)
{
    bool left = op == CW_PUNCT2('<', '<'), fill = !left && !a.is_unsigned && (a.v >> 63) != 0;
    if (by > 63)
        return fill ? UINT64_MAX : 0;
    if (left)
        return a.v << by;
    return a.v >> by | (fill && by > 0 ? UINT64_MAX << (64 - by) : 0);
}

static bool compare(uint16_t op, uint64_t a, uint64_t b, bool is_unsigned)
{
    if (!is_unsigned) { /* same order after flipping the sign bit */
        a ^= UINT64_C(1) << 63;
        b ^= UINT64_C(1) << 63;
    }
    switch (op) {
    case '<':
        return a < b;
    case '>':
        return a > b;
    case CW_PUNCT2('<', '='):
        return a <= b;
    case CW_PUNCT2('>', '='):
        return a >= b;
    case CW_PUNCT2('=', '='):
        return a == b;
    default:
        return a != b;
    }
}

static struct value apply(struct cw_ptx *p, uint16_t op, struct value a, struct value b)
{
    bool is_unsigned = a.is_unsigned || b.is_unsigned;
    switch (op) {
    case '*':
        return (struct value){a.v * b.v, is_unsigned};
    case '/':
    case '%':
        return (struct value){divide(p, op, a, b, is_unsigned), is_unsigned};
    case '+':
        return (struct value){a.v + b.v, is_unsigned};
    case '-':
        return (struct value){a.v - b.v, is_unsigned};
    case '&':
        return (struct value){a.v & b.v, is_unsigned};
    case '^':
        return (struct value){a.v ^ b.v, is_unsigned};
    case '|':
        return (struct value){a.v | b.v, is_unsigned};
    case CW_PUNCT2('<', '<'):
    case CW_PUNCT2('>', '>'):
        return (struct value){shift(op, a, b.v), a.is_unsigned};
    case CW_PUNCT2('&', '&'):
        return (struct value){a.v != 0 && b.v != 0, false};
    case CW_PUNCT2('|', '|'):
        return (struct value){a.v != 0 || b.v != 0, false};
    default:
        return (struct value){compare(op, a.v, b.v, is_unsigned), false};
    }
}

/* Precedence climbing. */
static struct value binary(struct cw_ptx *p, uint8_t min_rank, uint32_t depth)
{
    struct value left = unary(p, depth);
    for (;;) {
        uint16_t op = p->tok.kind == CW_TOK_PUNCT ? p->tok.punct : 0;
        uint8_t rank = rank_of(op);
        if (rank == 0 || rank < min_rank)
            return left;
        cw_ptx_advance(p);
        left = apply(p, op, left, binary(p, (uint8_t)(rank + 1), depth + 1));
    }
}

static struct value conditional(struct cw_ptx *p, uint32_t depth)
{
    struct value c = binary(p, 1, depth);
    if (!cw_ptx_accept(p, '?'))
        return c;
    struct value yes = conditional(p, depth + 1);
    cw_ptx_expect(p, ':');
    struct value no = conditional(p, depth + 1);
    struct value r = c.v != 0 ? yes : no;
    r.is_unsigned = yes.is_unsigned || no.is_unsigned;
    return r;
}

uint64_t cw_ptx_expr(struct cw_ptx *p, bool *is_unsigned)
{
    struct value r = conditional(p, 0);
    if (is_unsigned != NULL)
        *is_unsigned = r.is_unsigned;
    return r.v;
}

uint64_t cw_ptx_uint(struct cw_ptx *p, uint64_t max, const char *what)
{
    struct cw_tok at = p->tok;
    uint64_t v = cw_ptx_expr(p, NULL);
    if (p->ir.status == CW_OK && v > max)
        cw_ptx_fail_tok(p, CW_EINVAL, &at, "%s is out of range (at most %llu)", what, (unsigned long long)max);
    return p->ir.status == CW_OK ? v : 0;
}
