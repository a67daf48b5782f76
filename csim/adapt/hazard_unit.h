/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hazard unit of a commit unit (include/cowarp/unit/hazard_unit.h; Fung 2015, 4.2.5), from the provider: C model, RTL, or both in
 * lockstep. Commit IDs are those of the system here: they count from 0, and go on when the hardware's begin again. The hardware's have
 * id_bits bits and count from 1 in every epoch; 0 is nobody.
 *
 * The unit is clocked only while it has something to do. The sweep that follows its reset lies before the first cycle.
 */
#ifndef CW_ADAPT_HAZARD_UNIT_H
#define CW_ADAPT_HAZARD_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit.h"
#include "cowarp/unit/hazard_unit.h"

struct cw_adapt_hazard_unit;

/* A word of a transaction. */
struct cw_adapt_hazard_unit_word {
    enum cw_hazard_kind kind;
    uint64_t entry; /* the transaction: its commit ID */
    uint64_t addr;  /* byte address in global memory */
    uint64_t id;    /* RECORD: the writer. CHECK: writers of this ID or above are taken as the one before */
    uint64_t own;   /* the first ID of those that it has no conflict with: its warp's, or its own */
    uint64_t rcid;  /* writers below are in memory */
    bool last;
};

struct cw_adapt_hazard_unit_result {
    bool valid;
    uint64_t entry;
    bool hazard, exact;
    uint64_t ycid; /* of a hazard */
    bool evicted;  /* in this clock the history has lost an entry to the filter; valid in every clock */
};

struct cw_adapt_hazard_unit_config {
    const struct cw_unit_provider *units;
    uint32_t partition;                 /* for the instance's name */
    uint32_t sets, rows;                /* of the history, of its filter: powers of two */
    uint32_t id_bits;                   /* of the hardware's commit IDs */
    uint64_t memory_base, memory_bytes; /* where addresses lie */
};

/* Status of the provider, with err, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_hazard_unit_create(struct cw_adapt_hazard_unit **out, const struct cw_adapt_hazard_unit_config *config, struct cw_error *err);
void cw_adapt_hazard_unit_destroy(struct cw_adapt_hazard_unit *h);
void cw_adapt_hazard_unit_state(struct cw_state *s, struct cw_adapt_hazard_unit *h);
/* An epoch of commit IDs begins with this one: forgets every writer. Only when nothing is under way. */
void cw_adapt_hazard_unit_begin_epoch(struct cw_adapt_hazard_unit *h, uint64_t first);
/* One clock of the unit: e, or NULL, is offered; returns whether it was taken. live: older writers are no hazard to anyone any more; does
 * not decrease. */
bool cw_adapt_hazard_unit_clock(struct cw_adapt_hazard_unit *h, const struct cw_adapt_hazard_unit_word *e, uint64_t live,
                                struct cw_adapt_hazard_unit_result *result);
/* Whether the next clock changes anything without an entry. */
bool cw_adapt_hazard_unit_busy(const struct cw_adapt_hazard_unit *h);

#endif
