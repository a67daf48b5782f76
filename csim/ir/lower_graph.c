/* SPDX-License-Identifier: Apache-2.0 */
/* What has to come before what in a stretch: values through registers, accesses to memory, operations across lanes. */
#include "ir/lower.h"
#include "ir/op_class.h"

static uint32_t load_latency(const struct cw_config *c, uint8_t space)
{
    const uint32_t far = c->l1_pipeline + c->l1_latency + c->l2_rop_latency + c->l2_latency;
    if (space == CW_SPACE_PARAM || space == CW_SPACE_CONST)
        return c->fu_alu_latency;
    return space == CW_SPACE_SHARED ? c->shared_latency : far;
}

/* Cycles from its issue until something that needs its result may issue. */
static uint32_t latency_of(const struct cw_lower *l, const struct cw_vop *v)
{
    const struct cw_uop *u = &v->u;
    if (u->rides)
        return 0;
    if (u->op == CW_OP_LD || u->op == CW_OP_ATOM)
        return load_latency(l->config, u->space);
    return cw_op_timing(u, cw_op_fu((enum cw_op)u->op, (enum cw_type)u->type, (enum cw_type)u->stype), l->config).latency;
}

static void edge(struct cw_lower *l, uint32_t from, uint32_t to, uint32_t cycles)
{
    if (from == CW_IR_NONE || from == to)
        return;
    CW_PUSH(l->ir, &l->edge, (struct cw_lower_edge){.to = to, .cycles = cycles, .next = l->node.a[from].edge});
    if (l->ir->status != CW_OK)
        return;
    l->node.a[from].edge = l->edge.n - 1;
    l->node.a[to].earlier++;
}

static void first_touch(struct cw_lower *l, uint32_t reg)
{
    if (l->stamp[reg] == l->now)
        return;
    l->stamp[reg] = l->now;
    l->writer[reg] = l->reader[reg] = CW_IR_NONE;
    l->writes[reg] = 0;
}

static void reads(struct cw_lower *l, uint32_t at, uint32_t reg)
{
    first_touch(l, reg);
    if (l->writer[reg] != CW_IR_NONE)
        edge(l, l->writer[reg], at, l->node.a[l->writer[reg]].latency);
    CW_PUSH(l->ir, &l->read, (struct cw_lower_edge){.to = at, .next = l->reader[reg]});
    l->reader[reg] = l->read.n - 1;
}

/* The scoreboard lets a register be written again only when the write before has its result. */
static void writes(struct cw_lower *l, uint32_t at, uint32_t reg)
{
    first_touch(l, reg);
    if (l->writer[reg] != CW_IR_NONE)
        edge(l, l->writer[reg], at, l->node.a[l->writer[reg]].latency);
    for (uint32_t r = l->reader[reg]; r != CW_IR_NONE && l->ir->status == CW_OK; r = l->read.a[r].next)
        edge(l, l->read.a[r].to, at, 0);
    l->writer[reg] = at;
    l->reader[reg] = CW_IR_NONE;
}

/* Of the micro-op at i, in the graph at `at`. */
static void registers(struct cw_lower *l, uint32_t i, uint32_t at)
{
    const struct cw_vop *v = &l->op[i];
    const uint32_t carry = l->k->vreg.n;
    if (v->guard != CW_IR_NONE)
        reads(l, at, v->guard);
    for (uint32_t j = 0; j < CW_UOP_SRCS; j++)
        if (v->src[j].kind == CW_V_REG)
            reads(l, at, v->src[j].id);
    if ((v->u.flags & CW_UF_CIN) != 0)
        reads(l, at, carry);
    for (uint32_t j = 0; j < v->u.dst_cnt; j++)
        if (v->dst[j].kind == CW_V_REG)
            writes(l, at, v->dst[j].id);
    if ((v->u.flags & CW_UF_COUT) != 0)
        writes(l, at, carry);
}

/* Parameters and constants do not change while a kernel runs. */
static bool is_access(const struct cw_vop *v)
{
    const uint16_t op = v->u.op;
    if (op == CW_OP_LD && (v->u.space == CW_SPACE_PARAM || v->u.space == CW_SPACE_CONST))
        return false;
    return op == CW_OP_LD || op == CW_OP_ST || op == CW_OP_ATOM || op == CW_OP_MEMBAR || op == CW_OP_BAR;
}

bool cw_lower_is_wall(const struct cw_vop *v)
{
    switch ((enum cw_op)v->u.op) {
    case CW_OP_LD:
    case CW_OP_ST:
    case CW_OP_ATOM:
    case CW_OP_MEMBAR:
        return false;
    case CW_OP_NOP:
        return !v->u.rides;
    case CW_OP_BAR: /* One of a warp says who is there */
        return v->u.cmp == CW_BAR_WARP;
    case CW_OP_MOV:
        return v->src[0].kind == CW_V_SREG && v->src[0].id >= CW_SREG_CLOCK && v->src[0].id <= CW_SREG_GLOBALTIMER_HI;
    default:
        return cw_op_fu((enum cw_op)v->u.op, (enum cw_type)v->u.type, (enum cw_type)v->u.stype) == CW_FU_CTRL;
    }
}

bool cw_lower_crosses_lanes(const struct cw_vop *v)
{
    const uint16_t op = v->u.op;
    return op == CW_OP_SHFL || op == CW_OP_VOTE || op == CW_OP_MATCH || op == CW_OP_REDUX || op == CW_OP_ELECT || op == CW_OP_ACTIVEMASK ||
           op == CW_OP_MMA || op == CW_OP_BAR;
}

static void access_order(struct cw_lower *l, uint32_t i, uint32_t at)
{
    struct cw_lower_access a = cw_access_of(l, i);
    a.at = at;
    for (uint32_t j = 0; j < l->access.n && l->ir->status == CW_OK; j++)
        if (cw_access_ordered(&l->access.a[j], &a))
            edge(l, l->access.a[j].at, at, 1);
    CW_PUSH(l->ir, &l->access, a);
}

static void heights(struct cw_lower *l)
{
    for (uint32_t i = l->cnt; i-- > 0;) {
        struct cw_node *n = &l->node.a[i];
        n->height = n->latency;
        for (uint32_t e = n->edge; e != CW_IR_NONE; e = l->edge.a[e].next) {
            const uint32_t way = l->edge.a[e].cycles + l->node.a[l->edge.a[e].to].height;
            n->height = way > n->height ? way : n->height;
        }
    }
}

void cw_graph_build(struct cw_lower *l)
{
    uint32_t across = CW_IR_NONE, at = 0;
    l->now++;
    l->node.n = l->edge.n = l->access.n = l->read.n = 0;
    for (uint32_t i = 0; i < l->cnt && l->ir->status == CW_OK; i++)
        CW_PUSH(l->ir, &l->node, (struct cw_node){.latency = latency_of(l, &l->op[i]), .edge = CW_IR_NONE});
    for (uint32_t i = 0; i < l->cnt && l->ir->status == CW_OK; i++) {
        const struct cw_vop *v = &l->op[i];
        if (i == 0 || i >= at + cw_wide_parts(&l->op[at]))
            at = i; /* Parts of a wide load are where its first one is */
        registers(l, i, at);
        if (is_access(v))
            access_order(l, i, at);
        if (cw_lower_crosses_lanes(v)) {
            edge(l, across, i, 1);
            across = i;
        }
        if (v->u.op == CW_OP_NOP && i + 1 < l->cnt) /* A branch that is left out stays where it was */
            edge(l, i, i + 1, 0);
        cw_address_follow(l, v);
    }
    if (l->ir->status == CW_OK)
        heights(l);
}
