/* SPDX-License-Identifier: Apache-2.0 */
/* Fill stimulus of the block stacks: in all blocks at a time branches nest, a thread less in each, until the positions end or just before; then all is popped. */
#ifndef CW_TESTS_RTL_FILL_BLOCK_STACK_H
#define CW_TESTS_RTL_FILL_BLOCK_STACK_H

#include "fill/fill.h"

#define FILL_BLOCKS 16u

enum fill_state { FILL_NONE, FILL_WAITS, FILL_OFFERED, FILL_OPS };

struct fill_block {
    enum fill_state state;
    bool unwinds;
    uint32_t ops, level, rounds; /* ops: of the warps of this top, that are still to come */
};

struct fill {
    const params_t *p;
    struct memory memory;
    struct fill_block block[FILL_BLOCKS];
    uint32_t at, asked[2]; /* cycles; the blocks that were asked about in the last two */
    in_t last;
};

/* Block b has the static warps b, b + blocks and so on. */
static uint32_t fill_warps(const struct fill *f, uint32_t b)
{
    return b < f->p->warps ? (f->p->warps - b + f->p->blocks - 1) / f->p->blocks : 0;
}

/* Branches that nest without using up the positions: each leaves a top, a likely-convergence entry and a second entry. */
static uint32_t fill_levels(const struct fill *f, uint32_t b)
{
    const uint32_t threads = fill_warps(f, b) * f->p->lanes, positions = 1u << f->p->pos_w;
    const uint32_t most = f->block[b].rounds % 2 == 0 ? positions : (positions - 1) / 3;
    return threads - 1 < most ? threads - 1 : most;
}

static void fill_start(const struct fill *f, uint32_t b, in_t *in)
{
    in->op_kind = CW_BLOCK_STACK_START;
    in->op_first_pc = 1;
    for (uint32_t w = b; w < f->p->warps; w += f->p->blocks)
        in->op_mask[w] = (uint32_t)fill_mask(f->p->lanes);
}

/* All threads of the warp go first, but for one of all in each level. */
static void fill_branch(const struct fill *f, uint32_t b, in_t *in)
{
    const struct fill_block *k = &f->block[b];
    const uint32_t warp = k->ops - 1, level = k->level, lane = level % f->p->lanes;
    in->op_kind = CW_BLOCK_STACK_BRANCH;
    in->op_lanes = in->op_first = fill_mask(f->p->lanes);
    if (level / f->p->lanes == warp)
        in->op_first &= ~(UINT64_C(1) << lane);
    for (uint32_t l = 0; l < 32; l++)
        in->op_home[l / 4] |= (b + warp * f->p->blocks) << 8 * (l % 4);
    in->op_first_pc = 1;
    in->op_second_pc = 2;
    in->op_rpc_valid = in->op_lpc_valid = 1;
    in->op_rpc = 3 + level % 2 * 2;
    in->op_lpc = 4 + level % 2 * 2;
}

static void fill_operation(struct fill *f, uint32_t b, in_t *in)
{
    struct fill_block *k = &f->block[b];
    in->op_valid = 1;
    in->op_block = b;
    if (k->state == FILL_NONE) {
        fill_start(f, b, in);
        k->state = FILL_WAITS;
        k->level = 0;
        k->unwinds = false;
    } else if (k->unwinds) {
        in->op_kind = CW_BLOCK_STACK_ARRIVE;
        k->ops--;
    } else {
        fill_branch(f, b, in);
        k->level += --k->ops == 0;
    }
    if (k->ops == 0)
        k->state = FILL_WAITS;
}

static void fill_look(struct fill *f, const out_t *out)
{
    struct fill_block *k = &f->block[out->top_block];
    if (out->top_valid && f->last.top_ready && k->state == FILL_WAITS)
        k->state = FILL_OFFERED;
    if (out->ended_valid) {
        k = &f->block[out->ended_block];
        k->state = FILL_NONE;
        k->rounds++;
    }
}

static void fill_next(void *context, struct cw_rng *rng, const void *last_out, void *inputs)
{
    struct fill *f = context;
    const out_t *out = last_out;
    in_t *in = inputs;
    const uint32_t b = f->at++ / 3 % f->p->blocks;
    struct fill_block *k = &f->block[b];
    fill_look(f, out);
    *in = (in_t){.top_ready = 1, .qry_valid = 1, .qry_block = b, .mem_ready = 1};
    memory_step(&f->memory, out, in, true);
    if (k->state == FILL_OFFERED) {
        k->unwinds = k->unwinds || k->level >= fill_levels(f, b);
        in->made_valid = 1;
        in->made_block = b;
        in->made_count = k->ops = fill_warps(f, b);
        k->state = FILL_OPS;
    } else if (k->state == FILL_WAITS && f->asked[1] == b && out->qry_state == CW_BLOCK_OVERFLOWED && out->op_ready) {
        in->op_valid = 1;
        in->op_block = b;
        in->op_kind = CW_BLOCK_STACK_END;
        k->state = FILL_NONE;
        k->rounds++;
    } else if ((k->state == FILL_OPS || k->state == FILL_NONE) && fill_warps(f, b) > 0 && out->op_ready && !f->last.op_valid) {
        fill_operation(f, b, in);
    }
    (void)rng;
    f->asked[1] = f->asked[0];
    f->asked[0] = b;
    f->last = f->memory.last_in = *in;
}

static const params_t fill_largest = {32, 32, 16, 64, 24, 8}, fill_smallest = {4, 1, 1, 2, 3, 2}, fill_odd = {3, 5, 3, 3, 4, 4},
                      fill_deep = {32, 32, 5, 64, 16, 8};
static const struct cw_lockstep_set fill_ends[] = {
    {"largest", &fill_largest, 0}, {"smallest", &fill_smallest, 0}, {"odd", &fill_odd, 0}, {"deep", &fill_deep, 0}};
FILL_TEST(block_stack, fill_ends, 200000, 300000)

#endif
