/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/lex.h"

#include <stdlib.h>
#include <string.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* what some editors write first */
#define MARK_BYTES      3u

void cw_lex_init(struct cw_lex *lex, const char *text, size_t length)
{
    const size_t mark = length >= MARK_BYTES && memcmp(text, BYTE_ORDER_MARK, MARK_BYTES) == 0 ? MARK_BYTES : 0;
    text += mark;
    length -= mark;
    *lex = (struct cw_lex){.pos = text, .end = text + length, .line_start = text, .line = 1};
}

/* The character at pos + ahead, or NUL beyond the end. */
static char at(const struct cw_lex *lex, size_t ahead)
{
    return (size_t)(lex->end - lex->pos) > ahead ? lex->pos[ahead] : '\0';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static bool is_name(char c)
{
    return is_letter(c) || is_digit(c);
}

static int hex_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void step(struct cw_lex *lex)
{
    if (*lex->pos++ == '\n') {
        lex->line++;
        lex->line_start = lex->pos;
    }
}

/* # 12 "file", as C preprocessors leave it at the beginning of a line. */
static bool at_line_marker(const struct cw_lex *lex)
{
    size_t n = 1;
    while (at(lex, n) == ' ' || at(lex, n) == '\t')
        n++;
    for (const char *c = lex->line_start; c < lex->pos; c++)
        if (*c != ' ' && *c != '\t')
            return false;
    return is_digit(at(lex, n));
}

static void skip_to_line_end(struct cw_lex *lex)
{
    while (lex->pos < lex->end && *lex->pos != '\n')
        lex->pos++;
}

/* Skips blanks and comments; false when a block comment is not closed, with lex back at its start. */
static bool skip_blank(struct cw_lex *lex)
{
    while (lex->pos < lex->end) {
        char c = *lex->pos;
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v') {
            step(lex);
        } else if ((c == '/' && at(lex, 1) == '/') || (c == '#' && at_line_marker(lex))) {
            skip_to_line_end(lex);
        } else if (c == '/' && at(lex, 1) == '*') {
            struct cw_lex start = *lex;
            lex->pos += 2;
            while (lex->pos < lex->end && !(*lex->pos == '*' && at(lex, 1) == '/'))
                step(lex);
            if (lex->pos == lex->end) {
                *lex = start;
                return false;
            }
            lex->pos += 2;
        } else {
            return true;
        }
    }
    return true;
}

static void bad(struct cw_tok *tok, const char *why)
{
    tok->kind = CW_TOK_BAD;
    tok->why = why;
}

/* A directive ends at the next dot: the headers of CUDA write .reg.b16 without a blank. */
static void lex_word(struct cw_lex *lex, struct cw_tok *tok)
{
    const bool is_directive = at(lex, 0) == '.';
    tok->kind = CW_TOK_WORD;
    lex->pos++;
    for (;;) {
        char c = at(lex, 0);
        if (is_name(c) || (c == '.' && !is_directive && is_name(at(lex, 1))))
            lex->pos++;
        else if (c == ':' && at(lex, 1) == ':' && is_name(at(lex, 2)))
            lex->pos += 2;
        else
            return;
    }
}

/* 0f and 0d literals: the digits are the bit pattern. */
static void lex_bits(struct cw_lex *lex, struct cw_tok *tok, uint32_t digits)
{
    lex->pos += 2;
    for (uint32_t i = 0; i < digits; i++) {
        int d = hex_digit(at(lex, 0));
        if (d < 0) {
            bad(tok, digits == 8 ? "0f needs eight hexadecimal digits" : "0d needs sixteen hexadecimal digits");
            return;
        }
        tok->value = tok->value << 4 | (uint64_t)d;
        lex->pos++;
    }
    tok->kind = digits == 8 ? CW_TOK_F32 : CW_TOK_F64;
}

static void lex_decimal_float(struct cw_lex *lex, struct cw_tok *tok)
{
    char text[80];
    size_t n = 0;
    bool exponent = false;
    for (;;) {
        char c = at(lex, 0);
        bool sign = (c == '+' || c == '-') && n > 0 && (text[n - 1] == 'e' || text[n - 1] == 'E');
        if (!is_digit(c) && c != '.' && !sign && !((c == 'e' || c == 'E') && !exponent))
            break;
        exponent |= c == 'e' || c == 'E';
        if (n + 1 == sizeof(text)) {
            bad(tok, "number too long");
            return;
        }
        text[n++] = c;
        lex->pos++;
    }
    text[n] = '\0';
    char *stop;
    double value = strtod(text, &stop);
    if (*stop != '\0') {
        bad(tok, "malformed number");
        return;
    }
    memcpy(&tok->value, &value, sizeof(value));
    tok->kind = CW_TOK_FLOAT;
}

static void lex_integer(struct cw_lex *lex, struct cw_tok *tok)
{
    uint32_t base = 10;
    if (at(lex, 0) == '0' && (at(lex, 1) == 'x' || at(lex, 1) == 'X'))
        base = 16;
    else if (at(lex, 0) == '0' && (at(lex, 1) == 'b' || at(lex, 1) == 'B'))
        base = 2;
    else if (at(lex, 0) == '0')
        base = 8;
    if (base == 16 || base == 2)
        lex->pos += 2;
    tok->kind = CW_TOK_INT;
    uint32_t digits = 0;
    bool is_wide = false; /* more than 64 bits: the lowest count, as for ptxas */
    for (int d; (d = hex_digit(at(lex, 0))) >= 0 && (uint32_t)d < base; digits++) {
        is_wide |= tok->value > (UINT64_MAX - (uint64_t)d) / base;
        tok->value = tok->value * base + (uint64_t)d;
        lex->pos++;
    }
    tok->is_unsigned = is_wide || tok->value > INT64_MAX;
    if (at(lex, 0) == 'U') {
        tok->is_unsigned = true;
        lex->pos++;
    }
    if (digits == 0 || is_name(at(lex, 0)))
        bad(tok, "malformed number");
}

static void lex_number(struct cw_lex *lex, struct cw_tok *tok)
{
    char kind = at(lex, 0) == '0' ? at(lex, 1) : '\0';
    if (kind == 'f' || kind == 'F') {
        lex_bits(lex, tok, 8);
    } else if (kind == 'd' || kind == 'D') {
        lex_bits(lex, tok, 16);
    } else {
        size_t n = 0;
        while (is_digit(at(lex, n)))
            n++;
        if (kind != 'x' && kind != 'X' && (at(lex, n) == '.' || at(lex, n) == 'e' || at(lex, n) == 'E'))
            lex_decimal_float(lex, tok);
        else
            lex_integer(lex, tok);
    }
    if (tok->kind != CW_TOK_BAD && is_name(at(lex, 0)))
        bad(tok, "malformed number");
}

static void lex_string(struct cw_lex *lex, struct cw_tok *tok)
{
    tok->kind = CW_TOK_STRING;
    lex->pos++;
    while (lex->pos < lex->end && *lex->pos != '"' && *lex->pos != '\n')
        lex->pos += *lex->pos == '\\' && at(lex, 1) != '\n' && at(lex, 1) != '\0' ? 2 : 1;
    if (at(lex, 0) != '"')
        bad(tok, "string is not closed");
    else
        lex->pos++;
}

static bool is_text(char c)
{
    return (c >= ' ' && c <= '~') || c == '\t';
}

static void lex_punct(struct cw_lex *lex, struct cw_tok *tok)
{
    static const char pairs[][3] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    char c = at(lex, 0);
    tok->kind = CW_TOK_PUNCT;
    tok->punct = (uint8_t)c;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        if (c == pairs[i][0] && at(lex, 1) == pairs[i][1])
            tok->punct = CW_PUNCT2(pairs[i][0], pairs[i][1]);
    if (c == '\0' || strchr("@!,;:()[]{}<>|&^~+-*/%=?", c) == NULL)
        bad(tok, is_text(c) ? "character that PTX does not know" : "a byte that is no text, so this is no PTX file");
    else
        lex->pos += tok->punct > 255 ? 2 : 1;
}

void cw_lex_next(struct cw_lex *lex, struct cw_tok *tok)
{
    bool closed = skip_blank(lex);
    *tok = (struct cw_tok){.kind = CW_TOK_EOF, .line = lex->line, .text = lex->pos};
    tok->col = (uint32_t)(lex->pos - lex->line_start) + 1;
    if (!closed) {
        bad(tok, "comment is not closed");
        return;
    }
    if (lex->pos == lex->end)
        return;
    char c = *lex->pos;
    bool word = is_letter(c) || ((c == '%' || c == '.') && is_letter(at(lex, 1)));
    if (word)
        lex_word(lex, tok);
    else if (is_digit(c) || (c == '.' && is_digit(at(lex, 1))))
        lex_number(lex, tok);
    else if (c == '"')
        lex_string(lex, tok);
    else
        lex_punct(lex, tok);
    tok->len = (uint32_t)(lex->pos - tok->text);
}
