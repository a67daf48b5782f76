/* SPDX-License-Identifier: Apache-2.0 */
/* State of the predictor of compaction-adequacy in a core. Private to: capri.c, adequacy.c, keys.c. */
#ifndef CW_CONTROL_CAPRI_CAPRI_STATE_H
#define CW_CONTROL_CAPRI_CAPRI_STATE_H

#include "base/config.h"
#include "base/machine.h"
#include "control/simt_stack.h"
#include "control/tbc/tbc.h"

#define CAPRI_WARPS  32u /* Slots of a core, at most. */
#define CAPRI_AHEAD  16u /* Branches by which a warp may be ahead of the last one of its block without waiting for it. */
#define CAPRI_BLOCKS 32u

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

/* What the predictor knows of the branches with an index. */
struct capri_entry {
    uint32_t pc; /* CW_PC_NONE: it knows nothing. */
    bool adequate;
};

/* A branch to which all warps of a top come. */
struct capri_branch {
    uint32_t pc, came; /* Warps that have come. */
    bool bypass, predicted;
    uint32_t sides; /* Warps, counted once for each way that some of their threads go. */
    uint8_t taken[CW_LANES],
        other[CW_LANES]; /* Threads of a lane that go each way: compaction makes as many warps as the fullest lane has. */
};

struct capri_block {
    uint64_t top;         /* Number of the top that the branches are of. */
    uint32_t first, next; /* Branches first .. next - 1 of the top are kept, at their number modulo CAPRI_AHEAD. */
    struct capri_branch branch[CAPRI_AHEAD];
};

struct capri_warp {
    uint64_t top;
    uint32_t next;      /* The branch of the top to which it comes next. */
    struct cw_simt own; /* Behind a branch at which it has not waited, up to where its sides meet; else of depth 0. */
};

struct capri {
    const struct cw_capri_keys *keys;
    struct cw_capri_counters *counters;
    struct capri_entry *entry;                                          /* [keys->entries] */
    struct cw_simt_entry entries[CAPRI_WARPS][CW_SIMT_DEPTH(CW_LANES)]; /* Of warp[].own. */
    struct capri_warp warp[CAPRI_WARPS];
    struct capri_block block[CAPRI_BLOCKS];
};

/* Whether the warps of the block wait for each other at this branch, to which the warp comes with `active`, of which `taken` go one way. All
 * warps of a top get the same answer. */
bool cw_capri__waits(struct capri *d, uint32_t warp, const struct cw_tbc_view *v, uint32_t pc, uint32_t active, uint32_t taken);

#endif
