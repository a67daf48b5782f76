/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PTX tokens. An instruction with its modifiers ("ld.param.u64"), a directive (".reg") and a special register with its component
 * ("%tid.x") are each one word. Tokens point into the text, which must outlive them; the text needs no terminator.
 */
#ifndef CW_PTX_LEX_H
#define CW_PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cw_tok_kind {
    CW_TOK_EOF,
    CW_TOK_WORD,
    CW_TOK_INT,    /* value; is_unsigned when it has a U suffix or does not fit 63 bits */
    CW_TOK_FLOAT,  /* decimal: value = bits of the double */
    CW_TOK_F32,    /* 0fXXXXXXXX: value = bits of the float */
    CW_TOK_F64,    /* 0dXXXXXXXXXXXXXXXX: value = bits of the double */
    CW_TOK_STRING, /* quotes included */
    CW_TOK_PUNCT,  /* punct: the character, or first << 8 | second */
    CW_TOK_BAD     /* why says what is wrong */
};

struct cw_tok {
    uint8_t kind; /* enum cw_tok_kind */
    bool is_unsigned;
    uint16_t punct;
    uint32_t line, col; /* from 1; the column counts bytes */
    uint32_t len;
    const char *text;
    const char *why;
    uint64_t value;
};

struct cw_lex {
    const char *pos, *end, *line_start;
    uint32_t line;
};

#define CW_PUNCT2(a, b) ((uint16_t)((a) << 8 | (b)))

void cw_lex_init(struct cw_lex *lex, const char *text, size_t length);
/* The next token; EOF again and again at the end. A BAD token is not skipped over: the caller is expected to stop. */
void cw_lex_next(struct cw_lex *lex, struct cw_tok *tok);

#endif
