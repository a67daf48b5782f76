/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The block-wide stacks of a core (include/cowarp/unit/block_stack.h; Fung 2015, 3.3.2), from the provider: C model, RTL, or both in
 * lockstep. Entries that the unit has no place for go to a memory that answers after a fixed time. Static warps are numbered as warp slots.
 */
#ifndef CW_ADAPT_BLOCK_STACK_H
#define CW_ADAPT_BLOCK_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/lanes.h"
#include "base/state.h"
#include "cowarp/unit/block_stack.h"

struct cw_adapt_block_stack;

#define CW_ADAPT_BLOCK_STACK_WARPS  32u
#define CW_ADAPT_BLOCK_STACK_BLOCKS 16u
#define CW_ADAPT_BLOCK_STACK_NONE   UINT32_MAX /* no such PC */

/* The largest PC that the unit can hold. */
#define CW_ADAPT_BLOCK_STACK_PC_MAX 0xffffu

struct cw_adapt_block_stack_op {
    enum cw_block_stack_op kind;
    uint32_t block;
    uint32_t lanes;     /* BRANCH, EXIT: of the warp */
    uint32_t first;     /* BRANCH: those that go first */
    uint32_t first_pc;  /* START, BRANCH */
    uint32_t second_pc; /* BRANCH */
    uint32_t rpc, lpc;  /* BRANCH; may be none */
    bool last;          /* EXIT: the warp has no thread left */
    uint8_t home[32];   /* BRANCH, EXIT: static warp of each of the lanes */
    uint32_t mask[32];  /* START: threads of each static warp */
};

/* What happens in a cycle. */
struct cw_adapt_block_stack_in {
    const struct cw_adapt_block_stack_op *op; /* offered; NULL: none */
    bool take;                                /* a top that is shown is taken */
    bool dynamic;                             /* the compactor has made made_count warps of the block's top */
    uint32_t made_block, made_count;
};

struct cw_adapt_block_stack_view {
    bool taken; /* the operation */
    bool top;   /* a block's top that runs next is shown */
    uint32_t block, pc, rpc, lpc;
    const uint32_t *mask; /* a word per static warp; until the next clock */
    bool popped, empty;   /* an entry, without a thread */
    uint32_t popped_block;
    bool ended; /* a block has no entry left */
    uint32_t ended_block;
    uint32_t peak; /* most entries of a block since the beginning */
    bool overflow; /* a block has needed more entries than there can be */
    bool busy;     /* the next cycle has something to see */
};

/* latency: cycles of a read of an entry from memory, at least 1. core, warps, blocks: its number, slots, and blocks. Status of the
 * provider, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_block_stack_create(struct cw_adapt_block_stack **out, const struct cw_unit_provider *units, uint32_t core, uint32_t warps,
                                uint32_t blocks, uint32_t latency, struct cw_error *err);
void cw_adapt_block_stack_destroy(struct cw_adapt_block_stack *s);
void cw_adapt_block_stack_state(struct cw_state *s, struct cw_adapt_block_stack *b);
/* One cycle. */
void cw_adapt_block_stack_clock(struct cw_adapt_block_stack *s, const struct cw_adapt_block_stack_in *in,
                                struct cw_adapt_block_stack_view *view);

#endif
