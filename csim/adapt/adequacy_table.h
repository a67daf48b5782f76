/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A predictor of compaction-adequacy (include/cowarp/unit/adequacy_table.h; Rhu 2012), one per core, from the provider: C model, RTL, or both in
 * lockstep. It takes an operation in each cycle, and answers in their order.
 */
#ifndef CW_ADAPT_ADEQUACY_TABLE_H
#define CW_ADAPT_ADEQUACY_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit/adequacy_table.h"

struct cw_adapt_adequacy_table;

struct cw_adapt_adequacy_table_config {
    uint32_t core;
    uint32_t rows;    /* Branches to which warps are coming, 1 .. 256. */
    uint32_t entries; /* Branches that are known: a power of two, 2 .. 1024. */
    uint32_t pc_w;    /* Bits of a PC, more than those of an entry's number. */
};

/* A warp is at a branch. */
struct cw_adapt_adequacy_table_op {
    uint32_t row;
    bool first, last; /* Of the warps that come to it. */
    uint32_t pc;
    uint32_t taken, other; /* Lanes that go to its target; that go on behind it. */
};

struct cw_adapt_adequacy_table_view {
    bool answer, wait;     /* To the oldest operation without an answer; warps should wait there. */
    bool judged, adequate; /* The oldest last operation without a judgement is judged; compaction was adequate. */
    bool busy;             /* The next cycle has something to see. */
};

/* Status of the provider, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_adequacy_table_create(struct cw_adapt_adequacy_table **out, const struct cw_unit_provider *units,
                                   const struct cw_adapt_adequacy_table_config *config, struct cw_error *err);
void cw_adapt_adequacy_table_destroy(struct cw_adapt_adequacy_table *t);
void cw_adapt_adequacy_table_state(struct cw_state *s, struct cw_adapt_adequacy_table *t);
/* From the next cycle on it knows no branch. */
void cw_adapt_adequacy_table_forget(struct cw_adapt_adequacy_table *t);
/* A cycle. op: NULL for none. */
void cw_adapt_adequacy_table_clock(struct cw_adapt_adequacy_table *t, const struct cw_adapt_adequacy_table_op *op,
                                   struct cw_adapt_adequacy_table_view *view);

#endif
