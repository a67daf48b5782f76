/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/block_stack.h"

#include <stdlib.h>
#include <string.h>

#include "adapt/open.h"

struct cw_adapt_block_stack {
    struct cw_unit_instance unit;
    struct cw_block_stack_params params;
    struct cw_block_stack_in in;
    struct cw_block_stack_out out;
    uint32_t (*memory)[CW_BLOCK_STACK_ENTRY_WORDS];
    uint32_t latency;
    uint32_t wait; /* cycles until the answer; 0: nothing was asked */
    uint32_t asked;
    bool awake;
};

int cw_adapt_block_stack_create(struct cw_adapt_block_stack **out, const struct cw_unit_provider *units, uint32_t core, uint32_t warps,
                                uint32_t blocks, uint32_t latency, struct cw_error *err)
{
    struct cw_adapt_block_stack *s = *out = calloc(1, sizeof *s);
    if (s == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a block stack");
    cw_unit_params_default(&cw_block_stack_unit, &s->params);
    s->params.warps = warps;
    s->params.blocks = blocks;
    s->latency = latency;
    s->memory = calloc((size_t)blocks << s->params.pos_w, sizeof *s->memory);
    if (s->memory == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a block stack");
    return cw_adapt_open(&s->unit, units, &cw_block_stack_unit, "core", core, &s->params, err);
}

void cw_adapt_block_stack_destroy(struct cw_adapt_block_stack *s)
{
    if (s == NULL)
        return;
    cw_adapt_close(&s->unit);
    free(s->memory);
    free(s);
}

static void set_pc(uint32_t pc, uint64_t *valid, uint64_t *field)
{
    *valid = pc != CW_ADAPT_BLOCK_STACK_NONE;
    *field = *valid ? pc : 0;
}

static void drive_op(struct cw_adapt_block_stack *s, const struct cw_adapt_block_stack_op *op)
{
    struct cw_block_stack_in *in = &s->in;
    in->op_valid = op != NULL;
    if (op == NULL)
        return;
    in->op_kind = op->kind;
    in->op_block = op->block;
    in->op_lanes = op->lanes;
    in->op_first = op->first;
    in->op_first_pc = op->first_pc;
    in->op_second_pc = op->second_pc;
    set_pc(op->rpc, &in->op_rpc_valid, &in->op_rpc);
    set_pc(op->lpc, &in->op_lpc_valid, &in->op_lpc);
    in->op_last = op->last;
    memset(in->op_home, 0, sizeof in->op_home);
    for (uint32_t left = op->lanes; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        in->op_home[lane / 4] |= (uint32_t)op->home[lane] << 8 * (lane % 4);
    }
    if (op->kind == CW_BLOCK_STACK_START)
        memcpy(in->op_mask, op->mask, sizeof in->op_mask);
}

/* The memory takes an access in every cycle in which no answer is outstanding. */
static void drive_memory(struct cw_adapt_block_stack *s)
{
    s->in.mem_ready = s->wait == 0;
    s->in.mem_rsp_valid = s->wait == 1;
    if (s->wait == 1)
        memcpy(s->in.mem_rdata, s->memory[s->asked], sizeof s->in.mem_rdata);
}

static void serve_memory(struct cw_adapt_block_stack *s)
{
    const struct cw_block_stack_out *out = &s->out;
    if (s->wait > 0) {
        s->wait--;
        return;
    }
    if (!out->mem_valid)
        return;
    if (!out->mem_write) {
        s->asked = (uint32_t)out->mem_addr;
        s->wait = s->latency;
        return;
    }
    const size_t bytes = out->mem_mask_only ? 1024 / 8 : sizeof out->mem_wdata;
    memcpy(s->memory[out->mem_addr], out->mem_wdata, bytes);
}

static uint32_t pc_of(uint64_t valid, uint64_t pc)
{
    return valid ? (uint32_t)pc : CW_ADAPT_BLOCK_STACK_NONE;
}

static void show(const struct cw_adapt_block_stack *s, struct cw_adapt_block_stack_view *view)
{
    const struct cw_block_stack_out *out = &s->out;
    view->taken = s->in.op_valid && out->op_ready;
    view->top = out->top_valid;
    view->block = (uint32_t)out->top_block;
    view->pc = (uint32_t)out->top_pc;
    view->rpc = pc_of(out->top_rpc_valid, out->top_rpc);
    view->lpc = pc_of(out->top_lpc_valid, out->top_lpc);
    view->mask = out->top_mask;
    view->popped = out->pop_valid;
    view->popped_block = (uint32_t)out->pop_block;
    view->empty = out->pop_empty;
    view->ended = out->ended_valid;
    view->ended_block = (uint32_t)out->ended_block;
    view->peak = (uint32_t)out->peak;
    view->overflow = out->overflow;
}

void cw_adapt_block_stack_clock(struct cw_adapt_block_stack *s, const struct cw_adapt_block_stack_in *in,
                                struct cw_adapt_block_stack_view *view)
{
    memset(view, 0, sizeof *view);
    if (!s->awake && in->op == NULL && !in->dynamic)
        return;
    drive_op(s, in->op);
    drive_memory(s);
    s->in.top_ready = in->take;
    s->in.made_valid = in->dynamic;
    s->in.made_block = in->made_block;
    s->in.made_count = in->made_count;
    s->unit.ops->eval(s->unit.self, &s->in, &s->out);
    serve_memory(s);
    show(s, view);
    /* busy speaks of this cycle; what was accepted in it shows in the next */
    s->awake = view->busy = s->out.busy || view->taken || in->dynamic || s->wait != 0;
    s->unit.ops->tick(s->unit.self, &s->in);
}

void cw_adapt_block_stack_state(struct cw_state *s, struct cw_adapt_block_stack *b)
{
    cw_adapt_state(s, &b->unit);
    CW_STATE_PORTS(s, b->in);
    CW_STATE_PORTS(s, b->out);
    cw_state_array(s, "memory", b->memory, ((size_t)b->params.blocks << b->params.pos_w) * CW_BLOCK_STACK_ENTRY_WORDS, sizeof(uint32_t));
    CW_STATE(s, b->wait);
    cw_state_count(s, "asked", &b->asked, (b->params.blocks << b->params.pos_w) - 1);
    CW_STATE(s, b->awake);
}
