/* SPDX-License-Identifier: Apache-2.0 */
/* State of the predictor of compaction-adequacy in a core. Private to: capri.c, adequacy.c, keys.c. */
#ifndef CW_CONTROL_CAPRI_CAPRI_STATE_H
#define CW_CONTROL_CAPRI_CAPRI_STATE_H

#include "adapt/adequacy_table.h"
#include "adapt/block_stack.h"
#include "base/config.h"
#include "base/machine.h"
#include "base/ring.h"
#include "control/simt_stack.h"
#include "control/tbc/tbc.h"

#define CAPRI_WARPS 32u /* Slots of a core, at most. */
#define CAPRI_PC_W  16u /* Bits of a PC: kernels are no longer (block_stack). */
#define CAPRI_AHEAD 16u /* Branches by which a warp may be ahead of the last one of its block without waiting for it. */

struct cw_capri_keys {
#define CW_LIST "control/capri/keys.def"
#include "base/key_fields.h"
};

struct cw_capri_counters {
#define CW_LIST "control/capri/counters.def"
#include "base/counter_fields.h"
};

extern const struct cw_key_set cw_capri_keys;
extern const struct cw_counter_set cw_capri_counters;

/* A branch to which all warps of a top come. */
struct capri_branch {
    uint32_t came; /* Warps that have come. */
    bool full;     /* No place is left behind it: all wait there. */
};

struct capri_block {
    uint64_t top;         /* Number of the top that the branches are of. */
    uint32_t first, next; /* Branches first .. next - 1 of the top are kept, at their number modulo CAPRI_AHEAD. */
    struct capri_branch branch[CAPRI_AHEAD];
};

struct capri_warp {
    uint64_t top;
    uint32_t next;        /* The branch of the top to which it comes next. */
    struct cw_simt own;   /* Behind a branch at which it has not waited, up to where its sides meet; else of depth 0. */
    uint32_t asks, taken; /* Lanes that are at a branch until the predictor has answered, 0: none; of these, those that go to its target. */
    struct cw_branch branch; /* Then: this one. */
};

/* What a warp asks the predictor. */
struct capri_ask {
    uint32_t warp;
    struct cw_adapt_adequacy_table_op op;
    bool full, is_static; /* All wait at the branch; nobody does. */
};

/* What a warp is told. */
struct capri_answer {
    bool there;
    uint32_t warp;
    bool waits; /* At its branch, for the others of its block. */
};

struct capri {
    const struct cw_capri_keys *keys;
    struct cw_capri_counters *counters;
    struct cw_control_host host;
    uint32_t stage_cycles, blocks;
    struct cw_adapt_adequacy_table *table;
    struct cw_ring ask_ring; /* Of ask; the first `sent` of them are in the unit. */
    uint32_t sent;
    struct capri_ask ask[CAPRI_WARPS];
    bool predicted;                                                     /* Of the branch that is judged next. */
    struct cw_simt_entry entries[CAPRI_WARPS][CW_SIMT_DEPTH(CW_LANES)]; /* Of warp[].own. */
    struct capri_warp warp[CAPRI_WARPS];
    struct capri_block block[CW_ADAPT_BLOCK_STACK_BLOCKS];
};

/* The warp has come to the branch at its front with the active lanes, of which `taken` go to its target, and waits for its answer. */
void cw_capri__ask(struct cw_control *p, uint32_t warp, uint32_t taken, const struct cw_branch *b);
/* A cycle of the unit. Returns whether the next one has work. */
bool cw_capri__clock(struct capri *d, struct capri_answer *answer);
void cw_capri__state(struct capri *d, struct cw_state *s);

#endif
