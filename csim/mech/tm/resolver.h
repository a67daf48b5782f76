/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ownership tables of a core (tm.resolvers of them; 2PCR, Fung 2015, 6.3.3), and how a warp's logs go through one: MARK its write rows,
 * CHECK its read rows and its write rows, END. An operation is offered when the row's addresses have been read from the log, one log read
 * per cycle. One table is csim/adapt/ownership_table.h.
 */
#ifndef CW_MECH_TM_RESOLVER_H
#define CW_MECH_TM_RESOLVER_H

#include <stdbool.h>
#include <stdint.h>

#include "mech/tm/keys.h"
#include "mech/tm/log_port.h"

struct cw_adapt_ownership_table;

struct cw_resolvers {
    struct cw_core *core;
    struct cw_adapt_ownership_table **table;
    uint32_t cnt, log_rows; /* tables; tm.log_entries */
    uint64_t busy;          /* mask of tables */
    cw_time freed[64];      /* when, last; 0: never used */
};

/* A warp that resolves. */
struct cw_resolvers_job {
    uint32_t warp, table;
    const struct cw_redo_log *log;
    struct cw_log_walk *walk;
};

/* Status of the units' provider, or CW_ENOMEM; destroy it in any case. */
int cw_resolvers_create(struct cw_resolvers *s, const struct cw_tm_common *common, uint32_t core, struct cw_error *err);
void cw_resolvers_destroy(struct cw_resolvers *s);
/* Begins a resolution of these lanes in a table that is free, and was in the cycle before (a table is clocked once in a cycle); false if
 * there is none. */
bool cw_resolvers_start(struct cw_resolvers *s, cw_lanes lanes, uint32_t *table, cw_time now);
/* One cycle each: until the table is cleared; until all is marked; until the table is free again and *survivors are the lanes that may
 * commit. Each returns true in its last cycle. */
bool cw_resolvers_clear(struct cw_resolvers *s, uint32_t table, cw_time now);
bool cw_resolvers_mark(struct cw_resolvers *s, const struct cw_resolvers_job *job, cw_time now);
bool cw_resolvers_check(struct cw_resolvers *s, const struct cw_resolvers_job *job, cw_lanes *survivors, cw_time now);

#endif
