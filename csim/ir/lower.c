/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of a kernel, block by block: stretches, what is live around them, and their new order. */
#include "ir/lower.h"

#include <stdlib.h>
#include <string.h>

#include "ir/passes.h"

/* ---- what is live ---- */

static void set_live(struct cw_lower *l, uint32_t reg, uint8_t bit, bool is)
{
    const uint32_t words = (l->k->vreg.a[reg].bytes + 3u) / 4;
    if (((l->live[reg] & bit) != 0) == is)
        return;
    l->live[reg] ^= bit;
    l->words += is ? words : 0u - words;
}

/* The micro-op is passed on the way up. */
static void pass_up(struct cw_lower *l, const struct cw_vop *v, uint8_t bit)
{
    for (uint32_t j = 0; j < v->u.dst_cnt; j++)
        if (v->dst[j].kind == CW_V_REG && (v->guard == CW_IR_NONE || l->k->vreg.a[v->dst[j].id].is_temp))
            set_live(l, v->dst[j].id, bit, false);
    if (v->guard != CW_IR_NONE)
        set_live(l, v->guard, bit, true);
    for (uint32_t j = 0; j < CW_UOP_SRCS; j++)
        if (v->src[j].kind == CW_V_REG)
            set_live(l, v->src[j].id, bit, true);
}

/* Of the registers of the stretch: now is behind, where the walk up begins; or nothing is live, for the next block. */
static void start_now(struct cw_lower *l, const struct cw_vop *v, bool clear)
{
    for (uint32_t j = 0; j < CW_UOP_DSTS + CW_UOP_SRCS + 1; j++) {
        const struct cw_vopnd *o = j < CW_UOP_DSTS ? &v->dst[j] : j < CW_UOP_DSTS + CW_UOP_SRCS ? &v->src[j - CW_UOP_DSTS] : NULL;
        const uint32_t reg = o == NULL ? v->guard : o->kind == CW_V_REG ? o->id : CW_IR_NONE;
        if (reg != CW_IR_NONE)
            l->live[reg] = clear ? 0 : (uint8_t)((l->live[reg] & CW_LIVE_BEHIND) * (CW_LIVE_BEHIND | CW_LIVE_NOW));
    }
}

static void ends(struct cw_lower *l, const struct cw_cfg *cfg, const struct cw_live *live, uint32_t b, bool is)
{
    for (uint32_t i = 0; i < cfg->block[b].succ_cnt; i++) {
        const uint32_t to = cfg->succ[cfg->block[b].succ + i];
        for (uint32_t j = to < cfg->block_cnt ? live->in_start[to] : 0; to < cfg->block_cnt && j < live->in_start[to + 1]; j++)
            set_live(l, live->in[j], CW_LIVE_BEHIND, is);
    }
}

/* ---- stretches ---- */

static void apply(struct cw_lower *l, struct cw_vop *at, struct cw_vop *copy)
{
    memcpy(copy, at, l->cnt * sizeof *at);
    for (uint32_t i = 0; i < l->cnt; i++)
        at[i] = copy[l->order[i]];
}

static void stretch(struct cw_lower *l, uint32_t first, uint32_t end, struct cw_vop *copy)
{
    struct cw_vop *at = &l->k->code.a[first];
    l->op = at;
    l->cnt = end - first;
    cw_wide_find(l, at, l->cnt);
    const uint32_t behind = l->words;
    for (uint32_t i = 0; i < l->cnt; i++)
        start_now(l, &at[i], false);
    for (uint32_t i = l->cnt; i-- > 0;)
        pass_up(l, &at[i], CW_LIVE_NOW);
    cw_graph_build(l);
    if (l->ir->status == CW_OK)
        cw_list_schedule(l);
    l->words = behind;
    for (uint32_t i = l->cnt; i-- > 0;)
        pass_up(l, &at[i], CW_LIVE_BEHIND);
    if (l->ir->status == CW_OK)
        apply(l, at, copy);
}

/* From the block's end to its beginning, so that what is live is known. */
static void block(struct cw_lower *l, const struct cw_cfg *cfg, const struct cw_live *live, uint32_t b, struct cw_vop *copy)
{
    const uint32_t first = cfg->block[b].first, end = cfg->block[b].end;
    l->words = 0;
    ends(l, cfg, live, b, true);
    for (uint32_t at = end; at > first && l->ir->status == CW_OK;) {
        uint32_t from = at;
        while (from > first && at - from < CW_LOWER_STRETCH && !cw_lower_is_wall(&l->k->code.a[from - 1]))
            from--;
        if (at - from > 1)
            stretch(l, from, at, copy);
        else
            pass_up(l, &l->k->code.a[from = at - 1], CW_LIVE_BEHIND);
        at = from;
    }
    l->k->code.a[end - 1].u.rides = 0; /* Nothing rides into the next block, where lanes may meet or part */
    for (uint32_t i = first; i < end; i++)
        start_now(l, &l->k->code.a[i], true);
    ends(l, cfg, live, b, false);
}

/* Words that a thread may take without a core having room for fewer warps, or that the text takes already. */
static uint32_t limit(const struct cw_config *c, const struct cw_kernel *kernel, uint32_t text)
{
    uint32_t words = c->core_registers / (c->core_warps * c->core_warp_width);
    if (kernel->max_registers != 0 && kernel->max_registers < words)
        words = kernel->max_registers;
    return words > text ? words : text;
}

bool cw_lower_select(struct cw_ir *ir, struct cw_code *k, const struct cw_cfg *cfg)
{
    cw_lower_fold(ir, k, cfg->block_of);
    const bool joined = ir->status == CW_OK && cw_lower_guard(ir, k, cfg);
    if (ir->status == CW_OK)
        cw_lower_find_guards(ir, k);
    return joined;
}

void cw_lower(struct cw_ir *ir, struct cw_code *k, const struct cw_cfg *cfg, const struct cw_ir_variables *variables,
              const struct cw_kernel *kernel)
{
    struct cw_live live = {0};
    const size_t regs = (size_t)k->vreg.n + 1;
    cw_live_compute(ir, k, cfg, &live);
    struct cw_lower l = {.ir = ir, .k = k, .config = ir->machine, .variables = variables};
    l.limit = limit(ir->machine, kernel, live.live_regs);
    l.stamp = cw_ir_alloc(ir, regs, sizeof *l.stamp);
    l.writer = cw_ir_alloc(ir, regs, sizeof *l.writer);
    l.reader = cw_ir_alloc(ir, regs, sizeof *l.reader);
    l.writes = cw_ir_alloc(ir, regs, sizeof *l.writes);
    l.value = cw_ir_alloc(ir, regs, sizeof *l.value);
    l.multiple = cw_ir_alloc(ir, regs, sizeof *l.multiple);
    l.residue = cw_ir_alloc(ir, regs, sizeof *l.residue);
    l.live = cw_ir_alloc(ir, regs, sizeof *l.live);
    l.uses = cw_ir_alloc(ir, regs, sizeof *l.uses);
    l.order = cw_ir_alloc(ir, CW_LOWER_STRETCH, sizeof *l.order);
    struct cw_vop *copy = cw_ir_alloc(ir, CW_LOWER_STRETCH, sizeof *copy);
    if (ir->status == CW_OK)
        cw_wide_prepare(&l);
    for (uint32_t b = 0; b < cfg->block_cnt && ir->status == CW_OK; b++)
        block(&l, cfg, &live, b, copy);
    free(copy);
    free(l.order);
    free(l.uses);
    free(l.live);
    free(l.residue);
    free(l.multiple);
    free(l.value);
    free(l.writes);
    free(l.reader);
    free(l.writer);
    free(l.stamp);
    free(l.read.a);
    free(l.access.a);
    free(l.edge.a);
    free(l.node.a);
    cw_live_free(&live);
}
