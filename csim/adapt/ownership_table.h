/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ownership table (include/cowarp/unit/ownership_table.h; 2PCR, Fung 2015, 6.3.3), from the provider: C model, RTL, or both in lockstep.
 * Its banks are those of the core's shared memory: in a cycle in which it would use them and a warp does, its clock is held.
 */
#ifndef CW_ADAPT_OWNERSHIP_TABLE_H
#define CW_ADAPT_OWNERSHIP_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/fifo.h"
#include "base/lanes.h"
#include "base/state.h"
#include "cowarp/unit/ownership_table.h"

struct cw_adapt_ownership_table;

/* Who shares the banks. Returns whether the table may use them in this cycle, and takes them then. */
struct cw_adapt_ownership_table_banks {
    bool (*take)(void *context, cw_time now);
    void *context;
};

struct cw_adapt_ownership_table_op {
    bool start; /* a resolution of these lanes; else an operation */
    enum cw_ownership_op kind;
    cw_lanes lanes;       /* of 31:0 */
    const uint64_t *addr; /* of each lane, base or above; NULL for start and END */
};

struct cw_adapt_ownership_table_answer {
    bool taken;     /* what was offered */
    bool cleared;   /* the table takes operations now, or soon */
    bool over;      /* the resolution has ended */
    cw_lanes lanes; /* then: those that may commit */
};

/* entries: of the table, a power of two from 32 on. base: the address that is 0 for the unit. name: of the instance; copied. Status of the
 * provider, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_ownership_table_create(struct cw_adapt_ownership_table **out, const struct cw_unit_provider *units, const char *name,
                                    uint32_t entries, uint64_t base, const struct cw_adapt_ownership_table_banks *banks,
                                    struct cw_error *err);
void cw_adapt_ownership_table_destroy(struct cw_adapt_ownership_table *t);
void cw_adapt_ownership_table_state(struct cw_state *s, struct cw_adapt_ownership_table *t);
/* One core cycle, from a start to the end of its resolution; op, or NULL, is offered. */
struct cw_adapt_ownership_table_answer cw_adapt_ownership_table_clock(struct cw_adapt_ownership_table *t,
                                                                      const struct cw_adapt_ownership_table_op *op, cw_time now);

#endif
