/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ownership table of a core (include/cowarp/unit/ownership_table.h; 2PCR, Fung 2015, 6.3.3), from the provider: C model, RTL, or both in
 * lockstep. Its banks are those of the core's shared memory: in a cycle in which it would use them and a warp does, its clock is held.
 */
#ifndef CW_MECH_TM_RESOLVER_H
#define CW_MECH_TM_RESOLVER_H

#include <stdbool.h>
#include <stdint.h>

#include "cowarp/unit/ownership_table.h"
#include "mech/tm/log_port.h"
#include "mech/tm/tm.h"

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
int cw_resolver_create(struct cw_resolver **out, const struct cw_mech_host *cfg, uint32_t core, uint32_t index, struct cw_error *err);
void cw_resolver_destroy(struct cw_resolver *r);
/* One core cycle, from a start to the end of its resolution; op, or NULL, is offered. */
struct cw_resolver_answer cw_resolver_clock(struct cw_resolver *r, struct cw_core *core, const struct cw_resolver_op *op, cw_time now);

/* The ownership tables of a core (tm.resolvers), and how a warp's logs go through one: MARK its write rows, CHECK its read rows and its
 * write rows, END. An operation is offered when the row's addresses have been read from the log, one log read per cycle. */
struct cw_resolvers {
    struct cw_core *core;
    struct cw_resolver **table;
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

/* Statuses as cw_resolver_create; destroy it in any case. */
int cw_resolvers_create(struct cw_resolvers *s, const struct cw_mech_host *cfg, uint32_t core, struct cw_error *err);
void cw_resolvers_destroy(struct cw_resolvers *s);
/* Begins a resolution of these lanes in a table that is free, and was in the cycle before (a table is clocked once in a cycle); false if
 * there is none. */
bool cw_resolvers_start(struct cw_resolvers *s, uint32_t lanes, uint32_t *table, cw_time now);
/* One cycle each: until the table is cleared; until all is marked; until the table is free again and *survivors are the lanes that may
 * commit. Each returns true in its last cycle. */
bool cw_resolvers_clear(struct cw_resolvers *s, uint32_t table, cw_time now);
bool cw_resolvers_mark(struct cw_resolvers *s, const struct cw_resolvers_job *job, cw_time now);
bool cw_resolvers_check(struct cw_resolvers *s, const struct cw_resolvers_job *job, uint32_t *survivors, cw_time now);

#endif
