/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ownership table of a core (include/cowarp/unit/ownership_table.h; 2PCR, Fung 2015, 6.3.3), from the provider: C model, RTL, or both in
 * lockstep. Its banks are those of the core's shared memory: in a cycle in which it would use them and a warp does, its clock is held.
 */
#ifndef CW_TM_RESOLVER_H
#define CW_TM_RESOLVER_H

#include <stdbool.h>
#include <stdint.h>

#include "cowarp/unit/ownership_table.h"
#include "tm/tm.h"

struct cw_resolver;

struct cw_resolver_op {
    bool start; /* a resolution of these lanes; else an operation */
    enum cw_ownership_op kind;
    uint32_t lanes;
    const uint64_t *addr; /* of each lane, in global memory; NULL for start and END */
};

struct cw_resolver_answer {
    bool taken;     /* what was offered */
    bool cleared;   /* the table takes operations now, or soon */
    bool over;      /* the resolution has ended */
    uint32_t lanes; /* then: those that may commit */
};

/* Status of the provider, or CW_ENOMEM. */
int cw_resolver_create(struct cw_resolver **out, const struct cw_tm_config *cfg, uint32_t core, uint32_t index, struct cw_error *err);
void cw_resolver_destroy(struct cw_resolver *r);
/* One core cycle, from a start to the end of its resolution; op, or NULL, is offered. */
struct cw_resolver_answer cw_resolver_clock(struct cw_resolver *r, struct cw_core *core, const struct cw_resolver_op *op, cw_time now);

#endif
