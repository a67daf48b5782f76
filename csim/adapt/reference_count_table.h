/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference count table of a memory partition (include/cowarp/unit/reference_count_table.h; EAPG), from the provider: C model, RTL, or
 * both in lockstep. Instance partition<N>.reference_count_table. The sweep after its reset lies before the first cycle of the run.
 */
#ifndef CW_ADAPT_REFERENCE_COUNT_TABLE_H
#define CW_ADAPT_REFERENCE_COUNT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit.h"

struct cw_adapt_reference_count_table;

struct cw_adapt_reference_count_table_config {
    const struct cw_unit_provider *units;
    uint32_t partition;
    uint32_t entries;     /* as cw_adapt_sets takes them */
    uint64_t memory_base; /* of the addresses, which lie in the 4 GB from there on */
};

/* To the operation of two cycles before; edge: the first acquire, or the last release. */
struct cw_adapt_reference_count_table_answer {
    bool valid, counted, edge;
};

/* Status of the provider, with err, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_reference_count_table_create(struct cw_adapt_reference_count_table **out,
                                          const struct cw_adapt_reference_count_table_config *config, struct cw_error *err);
void cw_adapt_reference_count_table_destroy(struct cw_adapt_reference_count_table *t);
void cw_adapt_reference_count_table_state(struct cw_state *s, struct cw_adapt_reference_count_table *t);
/* Acquires or releases the word at that byte address; once per cycle. */
void cw_adapt_reference_count_table_operate(struct cw_adapt_reference_count_table *t, uint64_t addr, bool release);
/* End of the commit unit's cycle: takes the operation, if there is one, and gives the answer that is there in this cycle. */
void cw_adapt_reference_count_table_clock(struct cw_adapt_reference_count_table *t, struct cw_adapt_reference_count_table_answer *answer);

#endif
