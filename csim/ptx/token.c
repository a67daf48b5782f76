/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of the text, read one ahead, and the types that words name. */
#include <string.h>

#include "ptx/reader.h"

const struct cw_ptype_info cw_ptype_info[CW_PT_COUNT] = {
    [CW_PT_NONE] = {"", 0, ' ', CW_TYPE_NONE},
    [CW_PT_PRED] = {"pred", 0, 'p', CW_PRED},
    [CW_PT_B8] = {"b8", 1, 'b', CW_U8},
    [CW_PT_B16] = {"b16", 2, 'b', CW_U16},
    [CW_PT_B32] = {"b32", 4, 'b', CW_U32},
    [CW_PT_B64] = {"b64", 8, 'b', CW_U64},
    [CW_PT_U8] = {"u8", 1, 'u', CW_U8},
    [CW_PT_U16] = {"u16", 2, 'u', CW_U16},
    [CW_PT_U32] = {"u32", 4, 'u', CW_U32},
    [CW_PT_U64] = {"u64", 8, 'u', CW_U64},
    [CW_PT_S8] = {"s8", 1, 's', CW_S8},
    [CW_PT_S16] = {"s16", 2, 's', CW_S16},
    [CW_PT_S32] = {"s32", 4, 's', CW_S32},
    [CW_PT_S64] = {"s64", 8, 's', CW_S64},
    [CW_PT_F16] = {"f16", 2, 'f', CW_F16},
    [CW_PT_F16X2] = {"f16x2", 4, 'f', CW_F16X2},
    [CW_PT_F32] = {"f32", 4, 'f', CW_F32},
    [CW_PT_F64] = {"f64", 8, 'f', CW_F64},
    [CW_PT_BF16] = {"bf16", 2, 'f', CW_BF16},
    [CW_PT_BF16X2] = {"bf16x2", 4, 'f', CW_BF16X2},
    [CW_PT_U16X2] = {"u16x2", 4, 'u', CW_U16X2},
    [CW_PT_S16X2] = {"s16x2", 4, 's', CW_S16X2},
    [CW_PT_TF32] = {"tf32", 4, 'f', CW_TF32},
    [CW_PT_E4M3X2] = {"e4m3x2", 2, 'f', CW_E4M3X2},
    [CW_PT_E5M2X2] = {"e5m2x2", 2, 'f', CW_E5M2X2},
};

uint32_t cw_ptype_of(const char *name, uint32_t len)
{
    for (uint32_t i = CW_PT_PRED; i < CW_PT_COUNT; i++)
        if (strlen(cw_ptype_info[i].name) == len && memcmp(cw_ptype_info[i].name, name, len) == 0)
            return i;
    return CW_PT_NONE;
}

void cw_ptx_advance(struct cw_ptx *p)
{
    if (p->ir.status != CW_OK)
        return;
    p->tok = p->ahead;
    if (p->tok.kind == CW_TOK_BAD) {
        cw_ptx_fail(p, CW_EINVAL, "malformed text");
        return;
    }
    if (p->ahead.kind != CW_TOK_EOF)
        cw_lex_next(&p->lex, &p->ahead);
}

bool cw_ptx_is_punct(const struct cw_ptx *p, uint16_t c)
{
    return p->tok.kind == CW_TOK_PUNCT && p->tok.punct == c;
}

bool cw_ptx_accept(struct cw_ptx *p, uint16_t c)
{
    if (!cw_ptx_is_punct(p, c))
        return false;
    cw_ptx_advance(p);
    return true;
}

void cw_ptx_expect(struct cw_ptx *p, char c)
{
    if (!cw_ptx_accept(p, (uint8_t)c))
        cw_ptx_fail(p, CW_EINVAL, "expected '%c'", c);
}

bool cw_tok_is(const struct cw_tok *tok, const char *word)
{
    return tok->kind == CW_TOK_WORD && strlen(word) == tok->len && memcmp(tok->text, word, tok->len) == 0;
}

bool cw_ptx_accept_word(struct cw_ptx *p, const char *word)
{
    if (!cw_tok_is(&p->tok, word))
        return false;
    cw_ptx_advance(p);
    return true;
}
