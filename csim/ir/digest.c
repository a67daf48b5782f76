/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A number that tells a kernel from others: of its micro-ops with their operands, and of the calls expanded in it. Lines and names of
 * labels and registers are not in it, so a comment more changes nothing. Two kernels that differ have one number with a chance of 2^-64.
 */
#include <string.h>

#include "ir/digest.h"

static uint64_t mix(uint64_t h, uint64_t value)
{
    h = (h ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static uint64_t mix_name(uint64_t h, const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++)
        h = mix(h, (uint8_t)name[i]);
    return mix(h, length);
}

/* Constants by their values: their numbers are the kernel's own. */
static uint64_t mix_operand(uint64_t h, const struct cw_code *k, const struct cw_ir_variables *variables, const struct cw_vopnd *o)
{
    h = mix(h, (uint64_t)o->kind | (uint64_t)o->neg << 8 | (uint64_t)(o->kind != CW_V_CONST ? o->id : 0) << 16);
    if (o->kind != CW_V_CONST)
        return h;
    const struct cw_vconst *c = &k->konsts.c.a[o->id];
    h = mix(mix(h, c->value), c->bytes);
    if (c->var == CW_IR_NONE)
        return h;
    uint32_t length;
    const char *name = variables->name(variables->self, c->var, &length);
    return mix_name(h, name, length);
}

static uint64_t mix_op(uint64_t h, const struct cw_code *k, const struct cw_ir_variables *variables, const struct cw_vop *v)
{
    const struct cw_uop *u = &v->u;
    const uint32_t flags = u->flags & ~CW_UF_ROUNDED; /* It computes the same. */
    h = mix(h, (uint64_t)u->op | (uint64_t)(flags & UINT16_MAX) << 16 | (uint64_t)u->type << 32 | (uint64_t)u->stype << 40 |
                   (uint64_t)u->round << 48 | (uint64_t)u->cmp << 56);
    h = mix(h, (uint64_t)u->boolop | (uint64_t)u->atom << 8 | (uint64_t)u->scope << 16 | (uint64_t)u->space << 24 | (uint64_t)u->vec << 32 |
                   (uint64_t)u->dst_cnt << 40 | (uint64_t)u->src_cnt << 48 | (uint64_t)u->guard_neg << 56);
    if (flags >> 16 != 0)
        h = mix(h, flags >> 16);
    h = mix(mix(h, (uint64_t)u->imm), (uint64_t)u->target | (uint64_t)v->guard << 32);
    for (uint32_t i = 0; i < CW_UOP_DSTS; i++)
        h = mix_operand(h, k, variables, &v->dst[i]);
    for (uint32_t i = 0; i < CW_UOP_SRCS; i++)
        h = mix_operand(h, k, variables, &v->src[i]);
    return u->intrinsic != NULL ? mix_name(h, u->intrinsic->name, strlen(u->intrinsic->name)) : h;
}

uint64_t cw_digest(const struct cw_code *k, const struct cw_ir_variables *variables)
{
    uint64_t h = k->code.n;
    for (uint32_t i = 0; i < k->code.n; i++)
        h = mix_op(h, k, variables, &k->code.a[i]);
    for (uint32_t i = 0; i < k->table.n; i++) {
        h = mix(h, k->table.a[i].cnt);
        for (uint32_t j = 0; j < k->table.a[i].cnt; j++)
            h = mix(h, k->table.a[i].target[j]);
    }
    return h;
}
