/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Special registers. docs/ptx.md has the table for people. A block is its own cluster here, so what tells of clusters is a constant or what
 * tells of blocks. A name with % that is neither declared nor of this list refuses the kernel, since a later PTX may have it.
 */
#include <string.h>

#include "ptx/insn.h"

static const struct {
    const char *name;
    uint8_t bytes; /* 4, 8; 0 = either */
} sregs[CW_SREG_COUNT] = {[CW_SREG_TID_X] = {"%tid.x", 4},
                          [CW_SREG_TID_Y] = {"%tid.y", 4},
                          [CW_SREG_TID_Z] = {"%tid.z", 4},
                          [CW_SREG_NTID_X] = {"%ntid.x", 4},
                          [CW_SREG_NTID_Y] = {"%ntid.y", 4},
                          [CW_SREG_NTID_Z] = {"%ntid.z", 4},
                          [CW_SREG_CTAID_X] = {"%ctaid.x", 4},
                          [CW_SREG_CTAID_Y] = {"%ctaid.y", 4},
                          [CW_SREG_CTAID_Z] = {"%ctaid.z", 4},
                          [CW_SREG_NCTAID_X] = {"%nctaid.x", 4},
                          [CW_SREG_NCTAID_Y] = {"%nctaid.y", 4},
                          [CW_SREG_NCTAID_Z] = {"%nctaid.z", 4},
                          [CW_SREG_LANEID] = {"%laneid", 4},
                          [CW_SREG_WARPID] = {"%warpid", 4},
                          [CW_SREG_NWARPID] = {"%nwarpid", 4},
                          [CW_SREG_SMID] = {"%smid", 4},
                          [CW_SREG_NSMID] = {"%nsmid", 4},
                          [CW_SREG_GRIDID] = {"%gridid", 0},
                          [CW_SREG_LANEMASK_EQ] = {"%lanemask_eq", 4},
                          [CW_SREG_LANEMASK_LE] = {"%lanemask_le", 4},
                          [CW_SREG_LANEMASK_LT] = {"%lanemask_lt", 4},
                          [CW_SREG_LANEMASK_GE] = {"%lanemask_ge", 4},
                          [CW_SREG_LANEMASK_GT] = {"%lanemask_gt", 4},
                          [CW_SREG_CLOCK] = {"%clock", 4},
                          [CW_SREG_CLOCK_HI] = {"%clock_hi", 4},
                          [CW_SREG_CLOCK64] = {"%clock64", 8},
                          [CW_SREG_GLOBALTIMER] = {"%globaltimer", 8},
                          [CW_SREG_GLOBALTIMER_LO] = {"%globaltimer_lo", 4},
                          [CW_SREG_GLOBALTIMER_HI] = {"%globaltimer_hi", 4},
                          [CW_SREG_DYNAMIC_SMEM] = {"%dynamic_smem_size", 4},
                          [CW_SREG_TOTAL_SMEM] = {"%total_smem_size", 4},
                          [CW_SREG_AGGR_SMEM] = {"%aggr_smem_size", 4},
                          [CW_SREG_EXPLICIT_CLUSTER] = {"%is_explicit_cluster", 4},
                          [CW_SREG_ZERO] = {"", 4},
                          [CW_SREG_ZERO64] = {"%current_graph_exec", 8}, /* no launch is part of a graph */
                          [CW_SREG_ONE] = {"", 4},
                          [CW_SREG_ENVREG1] = {"%envreg1", 4},
                          [CW_SREG_ENVREG2] = {"%envreg2", 4}};

/* Scalars that are another one here. */
static const struct {
    const char *name;
    uint8_t sreg;
} same[] = {{"%cluster_ctarank", CW_SREG_ZERO}, {"%cluster_nctarank", CW_SREG_ONE}, {"%reserved_smem_offset_cap", CW_SREG_ZERO}};

/* Vectors of three elements; the fourth of each reads 0. */
static const struct {
    const char *name;
    uint8_t sreg, step; /* of the first element, and from one element to the next */
} vectors[] = {{"%tid", CW_SREG_TID_X, 1},          {"%ntid", CW_SREG_NTID_X, 1},       {"%ctaid", CW_SREG_CTAID_X, 1},
               {"%nctaid", CW_SREG_NCTAID_X, 1},    {"%clusterid", CW_SREG_CTAID_X, 1}, {"%nclusterid", CW_SREG_NCTAID_X, 1},
               {"%cluster_ctaid", CW_SREG_ZERO, 0}, {"%cluster_nctaid", CW_SREG_ONE, 0}};

/* Those with a number in the name, which read 0: a driver may set more of the environment, and performance counters are undefined. */
static const struct {
    const char *before, *behind;
    uint8_t count, sreg;
} numbered[] = {{"%envreg", "", 32, CW_SREG_ZERO}, {"%pm", "", 8, CW_SREG_ZERO}, {"%pm", "_64", 8, CW_SREG_ZERO64}};

/* Reserved shared memory: offsets in it, and whether the register is that. */
static const struct {
    const char *name;
    uint32_t offset;
} reserved[] = {{"%reserved_smem_offset_begin", 0},
                {"%reserved_smem_offset_end", CW_RESERVED_SHARED_BYTES},
                {"%reserved_smem_offset_0", 0},
                {"%reserved_smem_offset_1", CW_RESERVED_SHARED_BYTES / 2}};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool starts_with(const char *name, uint32_t len, const char *word)
{
    return len >= strlen(word) && memcmp(name, word, strlen(word)) == 0;
}

/* Whether name is before, a number below count without leading zeros, and behind. */
static bool is_numbered(const char *name, uint32_t len, const char *before, const char *behind, uint32_t count)
{
    const uint32_t first = (uint32_t)strlen(before), tail = (uint32_t)strlen(behind);
    if (len <= first + tail || !starts_with(name, len, before) || memcmp(name + len - tail, behind, tail) != 0)
        return false;
    uint32_t number = 0;
    for (uint32_t i = first; i < len - tail; i++) {
        if (name[i] < '0' || name[i] > '9' || i > first + 1 || (i > first && name[first] == '0'))
            return false;
        number = number * 10 + (uint32_t)(name[i] - '0');
    }
    return number < count;
}

/* Element of a vector: .x .y .z .w or .r .g .b .a. */
static uint32_t find_element(const char *name, uint32_t len)
{
    static const char letters[] = "xyzwrgba";
    const char *at = len > 2 && name[len - 2] == '.' ? strchr(letters, name[len - 1]) : NULL;
    if (at == NULL || *at == '\0')
        return CW_SREG_COUNT;
    const uint32_t element = (uint32_t)(at - letters) % 4;
    for (uint32_t i = 0; i < COUNT(vectors); i++)
        if (strlen(vectors[i].name) == len - 2 && starts_with(name, len, vectors[i].name))
            return element == 3 ? CW_SREG_ZERO : vectors[i].sreg + element * vectors[i].step;
    return CW_SREG_COUNT;
}

uint32_t cw_sreg_find(const char *name, uint32_t len)
{
    for (uint32_t i = 0; i < CW_SREG_COUNT; i++)
        if (len > 0 && strlen(sregs[i].name) == len && starts_with(name, len, sregs[i].name))
            return i;
    for (uint32_t i = 0; i < COUNT(numbered); i++)
        if (is_numbered(name, len, numbered[i].before, numbered[i].behind, numbered[i].count))
            return numbered[i].sreg;
    for (uint32_t i = 0; i < COUNT(same); i++)
        if (strlen(same[i].name) == len && starts_with(name, len, same[i].name))
            return same[i].sreg;
    return find_element(name, len);
}

uint32_t cw_sreg_bytes(uint32_t sreg)
{
    return sregs[sreg].bytes;
}

/* ---- as operands ---- */

static struct cw_vopnd none(struct cw_ptx *p, int status, enum cw_ptype want)
{
    if (status == CW_EUNSUP)
        cw_ptx_fail(p, status, "%.*s is neither declared nor a special register of this machine", (int)(p->tok.len < 60 ? p->tok.len : 60),
                    p->tok.text);
    else
        cw_ptx_fail(p, status, "%.*s does not fit .%s", (int)(p->tok.len < 60 ? p->tok.len : 60), p->tok.text, cw_ptype_info[want].name);
    return (struct cw_vopnd){.kind = CW_V_NONE};
}

void cw_ptx_reserve_shared(struct cw_ptx *p)
{
    CW_PUSH(&p->ir, &p->var,
            (struct cw_var){.name = "reserved shared memory",
                            .len = 22,
                            .space = CW_VAR_SHARED,
                            .ptype = CW_PT_B8,
                            .bytes = CW_RESERVED_SHARED_BYTES,
                            .align = 16,
                            .line = 1,
                            .col = 1,
                            .cell_base = CW_IR_NONE});
}

/* An offset in reserved shared memory is an address of the variable. */
static bool reserved_offset(struct cw_ptx *p, enum cw_ptype want, struct cw_vopnd *o)
{
    uint32_t i = 0;
    while (i < COUNT(reserved) && !cw_tok_is(&p->tok, reserved[i].name))
        i++;
    if (i == COUNT(reserved))
        return false;
    if (cw_ptype_info[want].bytes != 4 || cw_ptype_info[want].kind == 'f') {
        *o = none(p, CW_EINVAL, want);
        return true;
    }
    cw_ptx_advance(p);
    *o = (struct cw_vopnd){.kind = CW_V_CONST, .id = cw_konst_add(&p->ir, &p->konsts, reserved[i].offset, 4, CW_PTX_RESERVED)};
    return true;
}

static struct cw_vopnd moved(struct cw_ptx *p, uint32_t sreg, uint32_t bytes)
{
    struct cw_vopnd tmp = {.kind = CW_V_REG, .id = cw_ptx_new_reg(p, bytes == 8 ? CW_PT_U64 : CW_PT_U32, true)};
    struct cw_insn in = {.v = {.guard = CW_IR_NONE, .u = {.stype = CW_TYPE_NONE}}};
    in.v.u.op = CW_OP_MOV;
    in.v.u.type = bytes == 8 ? CW_U64 : CW_U32;
    cw_insn_dst(&in, tmp);
    cw_insn_src(&in, (struct cw_vopnd){.kind = CW_V_SREG, .id = sreg});
    cw_insn_emit(p, &in);
    return tmp;
}

uint32_t cw_sreg_predicate(struct cw_ptx *p, const struct cw_tok *name)
{
    if (!cw_tok_is(name, "%is_explicit_cluster"))
        return CW_IR_NONE;
    const uint32_t guard = p->guard;
    p->guard = CW_IR_NONE; /* of its own value: nothing guards how it comes about */
    const struct cw_vopnd word = moved(p, CW_SREG_EXPLICIT_CLUSTER, 4);
    const uint32_t reg = cw_ptx_new_reg(p, CW_PT_PRED, true);
    struct cw_insn in = {.v = {.guard = CW_IR_NONE, .u = {.op = CW_OP_SETP, .type = CW_U32, .stype = CW_TYPE_NONE, .cmp = CW_CMP_NE}}};
    cw_insn_dst(&in, (struct cw_vopnd){.kind = CW_V_REG, .id = reg});
    cw_insn_src(&in, word);
    cw_insn_src(&in, (struct cw_vopnd){.kind = CW_V_CONST, .id = cw_konst_add(&p->ir, &p->konsts, 0, 4, CW_IR_NONE)});
    cw_insn_emit(p, &in);
    p->guard = guard;
    return reg;
}

struct cw_vopnd cw_opnd_sreg(struct cw_ptx *p, enum cw_ptype want)
{
    struct cw_vopnd o;
    if (reserved_offset(p, want, &o))
        return o;
    const uint32_t sreg = cw_sreg_find(p->tok.text, p->tok.len);
    const struct cw_ptype_info *w = &cw_ptype_info[want];
    if (sreg == CW_SREG_COUNT)
        return none(p, CW_EUNSUP, want);
    if (sreg == CW_SREG_EXPLICIT_CLUSTER && want == CW_PT_PRED) {
        o = (struct cw_vopnd){.kind = CW_V_REG, .id = cw_sreg_predicate(p, &p->tok)};
        cw_ptx_advance(p);
        return o;
    }
    const uint32_t bytes = sregs[sreg].bytes != 0 ? sregs[sreg].bytes : w->bytes < 4 ? 4 : w->bytes;
    const bool fits = w->kind != 'p' && w->kind != 'f' && (w->bytes == bytes || (w->bytes == 2 && bytes == 4));
    if (!fits || sreg == CW_SREG_EXPLICIT_CLUSTER)
        return none(p, CW_EINVAL, want);
    cw_ptx_advance(p);
    o = moved(p, sreg, bytes);
    if (w->bytes == 2) { /* historic .u16 reads */
        struct cw_vopnd half = {.kind = CW_V_REG, .id = cw_ptx_new_reg(p, CW_PT_U16, true)};
        cw_insn_convert(p, half, CW_U16, o, CW_U32);
        o = half;
    }
    return o;
}
