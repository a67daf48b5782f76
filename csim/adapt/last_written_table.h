/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Last-written time table of temporal conflict detection (include/cowarp/unit/last_written_table.h; Fung 2015, 6.4.2) of a partition, from
 * the provider: C model, RTL, or both in lockstep. It is clocked only while it has something to do, and the sweep that follows its reset
 * lies before the first cycle.
 *
 * With it go the counters that close the hole that the thesis names in 6.4: the blocks that commits under way are going to write, hashed
 * into counters of which a hit may be false but a miss is never.
 */
#ifndef CW_ADAPT_LAST_WRITTEN_TABLE_H
#define CW_ADAPT_LAST_WRITTEN_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "mech/tm/tm.h"

struct cw_kilo_written;

/* An access of the table. */
struct cw_kilo_written_op {
    bool write;
    uint64_t block; /* byte address / tcd.granule_bytes */
    uint64_t time;  /* WRITE: when; times ascend */
};

/* Status of the provider, or CW_ENOMEM. */
int cw_kilo_written_create(struct cw_kilo_written **out, const struct cw_mech_host *cfg, uint32_t partition, struct cw_error *err);
void cw_kilo_written_destroy(struct cw_kilo_written *w);
/* One clock of the unit: op, or NULL, is offered; returns whether it was taken. *answered: the oldest READ without an answer has it in
 * *time, a time at or after its block's last WRITE; 0: never written. */
bool cw_kilo_written_clock(struct cw_kilo_written *w, const struct cw_kilo_written_op *op, bool *answered, uint64_t *time);
/* Whether the next clock changes anything without an access. */
bool cw_kilo_written_busy(const struct cw_kilo_written *w);

/* One more (+1), or one less (-1), write to come. */
void cw_kilo_written_expect(struct cw_kilo_written *w, uint64_t block, int change);
bool cw_kilo_written_expected(const struct cw_kilo_written *w, uint64_t block);

#endif
