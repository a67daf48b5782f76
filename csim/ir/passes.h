/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The passes of cw_ir_finish(), in the order in which it runs them. None of them knows the language that the kernel came from.
 *
 * Private to: cfg.c, finish.c, live.c, loop.c, lower.c, lpc.c, lpc_profile.c, meet.c, slots.c, transaction.c, uniform.c.
 */
#ifndef CW_IR_PASSES_H
#define CW_IR_PASSES_H

#include "ir/cfg.h"

/* What is wrong with a kernel as a whole. */
#define cw_ir_fail(ir, status, ...) cw_ir_fail_at((ir), (status), 1, 1, __VA_ARGS__)

/* loop.c */
struct cw_loop {
    uint32_t header;    /* block */
    uint32_t latch;     /* a block with an edge back to the header */
    uint32_t latch_cnt; /* how many there are */
    uint32_t parent;    /* the loop around it, or CW_IR_NONE */
};

struct cw_loops {
    CW_VEC(struct cw_loop) loop;
    uint32_t *of;         /* [block]: the innermost loop with the block in it, or CW_IR_NONE */
    uint32_t *order, cnt; /* blocks that can be reached, in reverse postorder */
    uint32_t *number;     /* [block]: its place there, or CW_IR_NONE */
    uint8_t irreducible;  /* a cycle that can be entered at two blocks: loop is empty then */
};

void cw_loops_find(struct cw_ir *ir, const struct cw_cfg *cfg, struct cw_loops *l);
void cw_loops_free(struct cw_loops *l);
bool cw_loops_has(const struct cw_loops *l, uint32_t loop, uint32_t block); /* whether the block is in the loop */

/* meet.c: sets rpc of the branches, and ipdom of their blocks: where their sides meet when ways that only leave do not count */
void cw_meet_find(struct cw_ir *ir, struct cw_code *k, struct cw_cfg *cfg, const struct cw_loops *l);

/* meet.c: sets rpc of each REGION_BEGIN: where the ways from its ends meet, when it has several. After cw_meet_find. */
void cw_region_meet(struct cw_ir *ir, struct cw_code *k, const struct cw_cfg *cfg);

/* lpc.c: sets lpc of the branches, by the loops around them */
void cw_lpc_find(struct cw_ir *ir, struct cw_code *k, const struct cw_cfg *cfg, const struct cw_loops *l);

/* lpc_profile.c: sets lpc of the branches by the counts of an earlier run, and kernel->profiled, when these have counts of the kernel `name`. */
void cw_lpc_profile(struct cw_ir *ir, struct cw_code *k, const struct cw_cfg *cfg, const struct cw_loops *l, const char *name,
                    size_t length);

/* Lowering (lower.c): which micro-ops are machine instructions of their own, and which have a guard in the place of a branch. Whether
 * blocks are joined: the graph is to be built again. */
bool cw_lower_select(struct cw_ir *ir, struct cw_code *k, const struct cw_cfg *cfg);
/* After it: the order of issue that an assembler would make of the text's, for ir->machine (ir/lower.h). Blocks stay where they are. */
void cw_lower(struct cw_ir *ir, struct cw_code *k, const struct cw_cfg *cfg, const struct cw_ir_variables *variables,
              const struct cw_kernel *kernel);

/* live.c, slots.c */
struct cw_live {
    uint32_t *first,
        *last; /* [virtual register]: hull of the live range in half steps, 2 i = read, 2 i + 1 = write; first > last: unused */
    uint32_t live_regs;
    uint32_t *in_start, *in; /* registers live at the start of block b: from in[in_start[b]] on, below in_start[b + 1] */
};

struct cw_register_slots {
    uint32_t *slot; /* [virtual register] */
    uint32_t r32_cnt, r64_cnt, pred_cnt;
};

void cw_live_compute(struct cw_ir *ir, const struct cw_code *k, const struct cw_cfg *cfg, struct cw_live *live);
void cw_live_free(struct cw_live *live);

/* uniform.c: sets uniform of the branches. Returns the words of uniform registers that live at once. */
uint32_t cw_uniform_find(struct cw_ir *ir, struct cw_code *k, const struct cw_cfg *cfg, const struct cw_loops *l,
                         const struct cw_live *live);

/* transaction.c: what the kernel's regions do to shared memory */
struct cw_transactions cw_transactions_find(struct cw_ir *ir, const struct cw_code *k, const struct cw_cfg *cfg);

void cw_slots_assign(struct cw_ir *ir, const struct cw_code *k, const struct cw_live *live, struct cw_register_slots *slots);

#endif
