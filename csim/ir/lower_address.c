/* SPDX-License-Identifier: Apache-2.0 */
/* What registers hold, as far as a stretch says it: enough to tell two addresses apart that are one register and two offsets. */
#include "ir/lower.h"

static struct cw_lower_address constant(const struct cw_lower *l, uint32_t id)
{
    const struct cw_vconst *c = &l->k->konsts.c.a[id];
    struct cw_lower_address a = {.root = CW_ROOT_VARIABLE, .bytes = (uint8_t)c->bytes, .offset = c->value};
    bool in_global = false;
    if (c->var != CW_IR_NONE)
        a.offset += l->variables->offset(l->variables->self, c->var, &in_global);
    if (in_global)
        a.root = CW_ROOT_MODULE;
    return a;
}

static struct cw_lower_address value_of(const struct cw_lower *l, const struct cw_vopnd *o)
{
    if (o->kind == CW_V_CONST)
        return constant(l, o->id);
    if (o->kind != CW_V_REG)
        return (struct cw_lower_address){.root = CW_ROOT_UNKNOWN};
    if (l->stamp[o->id] == l->now && l->writes[o->id] != 0)
        return l->value[o->id];
    return (struct cw_lower_address){.root = CW_ROOT_REGISTER, .bytes = l->k->vreg.a[o->id].bytes, .id = o->id};
}

/* A root and a number; of two roots nothing is known. */
static struct cw_lower_address sum(struct cw_lower_address a, struct cw_lower_address b)
{
    if (a.root == CW_ROOT_VARIABLE) {
        const struct cw_lower_address swap = a;
        a = b;
        b = swap;
    }
    if (b.root != CW_ROOT_VARIABLE || a.root == CW_ROOT_UNKNOWN || a.bytes != b.bytes)
        return (struct cw_lower_address){.root = CW_ROOT_UNKNOWN};
    a.offset += b.offset;
    return a;
}

static bool is_integer(const struct cw_uop *u)
{
    return u->type == CW_U32 || u->type == CW_S32 || u->type == CW_U64 || u->type == CW_S64;
}

static struct cw_lower_address result_of(const struct cw_lower *l, const struct cw_vop *v)
{
    if (v->guard != CW_IR_NONE)
        return (struct cw_lower_address){.root = CW_ROOT_UNKNOWN};
    if (v->u.op == CW_OP_MOV || (v->u.op == CW_OP_CVTA && v->u.space == CW_SPACE_GLOBAL))
        return value_of(l, &v->src[0]);
    if (v->u.op == CW_OP_ADD && is_integer(&v->u) && (v->u.flags & CW_UF_SAT) == 0)
        return sum(value_of(l, &v->src[0]), value_of(l, &v->src[1]));
    return (struct cw_lower_address){.root = CW_ROOT_UNKNOWN};
}

void cw_address_follow(struct cw_lower *l, const struct cw_vop *v)
{
    const struct cw_lower_address a = v->u.dst_cnt == 1 ? result_of(l, v) : (struct cw_lower_address){.root = CW_ROOT_UNKNOWN};
    for (uint32_t j = 0; j < v->u.dst_cnt; j++) {
        const uint32_t reg = v->dst[j].id;
        if (v->dst[j].kind != CW_V_REG)
            continue;
        l->writes[reg]++;
        l->value[reg] = a;
        if (a.root == CW_ROOT_UNKNOWN || a.bytes != l->k->vreg.a[reg].bytes)
            l->value[reg] =
                (struct cw_lower_address){.root = CW_ROOT_REGISTER, .bytes = l->k->vreg.a[reg].bytes, .id = reg, .write = l->writes[reg]};
    }
}

struct cw_lower_access cw_access_of(struct cw_lower *l, uint32_t at)
{
    const struct cw_vop *v = &l->op[at];
    const struct cw_uop *u = &v->u;
    struct cw_lower_access a = {.at = at, .space = u->space, .bytes = cw_type_bytes((enum cw_type)u->type) * u->vec};
    a.fixed = (u->op != CW_OP_LD && u->op != CW_OP_ST) || (u->flags & (CW_UF_VOLATILE | CW_UF_ACQUIRE | CW_UF_RELEASE | CW_UF_HEAP)) != 0;
    a.reads = u->op == CW_OP_LD;
    a.writes = u->op == CW_OP_ST;
    if (a.reads && (u->flags & CW_UF_NC) != 0)
        a.space = CW_SPACE_CONST; /* The kernel does not write what it reads */
    a.address = value_of(l, &v->src[0]);
    a.address.offset += (uint64_t)u->imm;
    return a;
}

static bool spaces_meet(uint8_t a, uint8_t b)
{
    if (a == b)
        return true;
    if (a == CW_SPACE_CONST || b == CW_SPACE_CONST || a == CW_SPACE_PARAM || b == CW_SPACE_PARAM)
        return false;
    return a == CW_SPACE_GENERIC || b == CW_SPACE_GENERIC;
}

/* Whether an address of the one space is the same number in the other. */
static bool same_numbers(uint8_t a, uint8_t b)
{
    const bool first = a == CW_SPACE_GENERIC || a == CW_SPACE_GLOBAL, second = b == CW_SPACE_GENERIC || b == CW_SPACE_GLOBAL;
    return a == b || (first && second);
}

/* Addresses wrap at the width of their register. */
static bool apart(const struct cw_lower_access *a, const struct cw_lower_access *b)
{
    const uint64_t mask = a->address.bytes == 4 ? UINT32_MAX : UINT64_MAX;
    const uint64_t up = (b->address.offset - a->address.offset) & mask, down = (a->address.offset - b->address.offset) & mask;
    return up >= a->bytes && down >= b->bytes;
}

bool cw_access_ordered(const struct cw_lower_access *first, const struct cw_lower_access *second)
{
    const struct cw_lower_address *a = &first->address, *b = &second->address;
    if (first->fixed || second->fixed)
        return true;
    if (!first->writes && !second->writes)
        return false;
    if (!spaces_meet(first->space, second->space))
        return false;
    const bool same_root = a->root != CW_ROOT_UNKNOWN && a->root == b->root && a->id == b->id && a->write == b->write;
    const bool comparable = same_root && a->bytes == b->bytes && same_numbers(first->space, second->space);
    return !comparable || !apart(first, second);
}
