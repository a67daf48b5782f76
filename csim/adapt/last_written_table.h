/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last-written time table of a partition (include/cowarp/unit/last_written_table.h; temporal conflict detection, Fung 2015, 6.4.2),
 * from the provider: C model, RTL, or both in lockstep. The table is clocked only while it has something to do. The sweep that follows its
 * reset lies before the first cycle.
 */
#ifndef CW_ADAPT_LAST_WRITTEN_TABLE_H
#define CW_ADAPT_LAST_WRITTEN_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit.h"

struct cw_adapt_last_written_table;

/* An access of the table. */
struct cw_adapt_last_written_table_op {
    bool write;
    uint64_t block; /* byte address / granule_bytes */
    uint64_t time;  /* WRITE: when; times ascend */
};

struct cw_adapt_last_written_table_config {
    const struct cw_unit_provider *units;
    uint32_t partition;                 /* for the instance's name */
    uint32_t ways, rows;                /* rows: a power of two */
    uint32_t granule_bytes;             /* of a block: a power of two, 4 .. CW_LINE_BYTES */
    uint64_t memory_base, memory_bytes; /* where addresses lie */
};

/* Status of the provider, with err, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_last_written_table_create(struct cw_adapt_last_written_table **out, const struct cw_adapt_last_written_table_config *config,
                                       struct cw_error *err);
void cw_adapt_last_written_table_destroy(struct cw_adapt_last_written_table *w);
void cw_adapt_last_written_table_state(struct cw_state *s, struct cw_adapt_last_written_table *w);
/* One clock of the unit: op, or NULL, is offered; returns whether it was taken. *answered: the oldest READ without an answer has it in
 * *time, a time at or after its block's last WRITE; 0: never written. */
bool cw_adapt_last_written_table_clock(struct cw_adapt_last_written_table *w, const struct cw_adapt_last_written_table_op *op,
                                       bool *answered, uint64_t *time);
/* Whether the next clock changes anything without an access. */
bool cw_adapt_last_written_table_busy(const struct cw_adapt_last_written_table *w);

#endif
