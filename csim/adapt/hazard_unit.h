/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hazard unit of a commit unit (include/cowarp/unit/hazard_unit.h; Fung 2015, 4.2.5), from the provider: C model, RTL, or both in
 * lockstep. Here commit IDs are those of the system, which count from 0 and go on when the hardware's begin again; the hardware's have
 * kilo.id_bits bits, count from 1 in every epoch, and 0 is nobody.
 *
 * The unit is clocked only while it has something to do, and the sweep that follows its reset lies before the first cycle. With kilo.hazard
 * other than `history` a detector of kilo_detector.h stands in its place.
 */
#ifndef CW_ADAPT_HAZARD_UNIT_H
#define CW_ADAPT_HAZARD_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "cowarp/unit/hazard_unit.h"
#include "mech/tm/tm.h"

struct cw_kilo_hazard;

/* A word of a transaction. */
struct cw_kilo_hazard_entry {
    enum cw_hazard_kind kind;
    uint64_t entry; /* the transaction: its commit ID */
    uint64_t addr;  /* byte address in global memory */
    uint64_t id;    /* RECORD: the writer. CHECK: writers of this ID or above are taken as the one before */
    uint64_t own;   /* the first ID of those that it has no conflict with: its warp's, or its own */
    uint64_t rcid;  /* writers below are in memory */
    bool last;
};

struct cw_kilo_hazard_result {
    bool valid;
    uint64_t entry;
    bool hazard, exact;
    uint64_t ycid; /* of a hazard */
};

/* Status of the provider, or CW_ENOMEM. cfg is used after the call. */
int cw_kilo_hazard_create(struct cw_kilo_hazard **out, const struct cw_mech_host *cfg, uint32_t partition, struct cw_error *err);
void cw_kilo_hazard_destroy(struct cw_kilo_hazard *h);
/* An epoch of commit IDs begins with this one: forgets every writer. Only when nothing is under way. */
void cw_kilo_hazard_begin_epoch(struct cw_kilo_hazard *h, uint64_t first);
/* One clock of the unit: e, or NULL, is offered; returns whether it was taken. live: older writers are no hazard to anyone any more; does
 * not decrease. */
bool cw_kilo_hazard_clock(struct cw_kilo_hazard *h, const struct cw_kilo_hazard_entry *e, uint64_t live,
                          struct cw_kilo_hazard_result *result);
/* Whether the next clock changes anything without an entry. */
bool cw_kilo_hazard_busy(const struct cw_kilo_hazard *h);

#endif
