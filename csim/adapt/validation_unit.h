/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A validation unit of a memory partition (include/cowarp/unit/validation_unit.h; GETM sections IV and V.B), from the provider: C model,
 * RTL, or both in lockstep.
 *
 * The adapter opens the unit for a machine of a given size, drives its ports, and is the memory of its overflow area. What a request
 * belongs to, and what becomes of an answer, is the mechanism's business.
 *
 * A unit that has nothing to do is not clocked: its state cannot change then.
 */
#ifndef CW_ADAPT_VALIDATION_UNIT_H
#define CW_ADAPT_VALIDATION_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/fifo.h"
#include "cowarp/unit/validation_unit.h"

struct cw_adapt_validation_unit;

struct cw_adapt_validation_unit_config {
    const struct cw_unit_provider *units; /* used during create only */
    uint32_t partition;                   /* for the instance's name */
    uint32_t ts_bits;                     /* of a logical timestamp */
    uint32_t id_bits;                     /* of a request's tag */
    uint32_t owners;                      /* owners are 0 .. owners - 1 */
    uint64_t granules;                    /* granule numbers are 0 .. granules - 1 */
    uint32_t table_rows, bloom_rows;      /* per way; powers of two */
    uint32_t stash, max_swaps;            /* stash entries; swaps of an insertion before it gives up */
    uint32_t stall_lines, stall_entries;  /* of the stall buffer; entries per line */
    cw_time overflow_latency;             /* of an access to the overflow area */
    cw_time overflow_stream;              /* instead, of a read of the entry behind the one that was read last: it has been fetched ahead */
};

struct cw_adapt_validation_unit_request {
    enum cw_vu_kind kind;
    uint64_t granule;
    uint64_t warpts; /* LOAD, STORE; else 0 */
    uint32_t owner;
    uint32_t id;    /* LOAD, STORE; else 0 */
    uint32_t count; /* RELEASE: writes to give back, at least 1; else 0 */
    bool spill;     /* STORE: the overflow area may be used */
};

/* What a cycle is to do beside a request. */
struct cw_adapt_validation_unit_control {
    bool keep_awake; /* the unit is clocked whether it has something to do or not */
    bool drain;      /* stalled requests, and those that would stall, are answered ROLLOVER */
    bool flush;      /* every table is cleared, while nothing is in the unit; it is busy until that is done */
};

/* What the unit did in a cycle. */
struct cw_adapt_validation_unit_cycle {
    bool taken; /* the request */
    /* its answer to an earlier one */
    bool answered;
    uint32_t id;
    enum cw_vu_outcome outcome;
    uint64_t ts; /* ABORT: the timestamp that caused it; SUCCESS: 0; else the request's own */
    /* events */
    uint32_t lookups, table_cycles; /* requests decided, 0 or 1; cycles of the metadata table that this one took */
    uint32_t stalls, retries, evictions, stashed, overflows;
    uint32_t stalled, stalled_lines; /* requests and granules in the stall buffer now */
};

/* Status of the provider, with err, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_validation_unit_create(struct cw_adapt_validation_unit **out, const struct cw_adapt_validation_unit_config *config,
                                    struct cw_error *err);
void cw_adapt_validation_unit_destroy(struct cw_adapt_validation_unit *u);
/* One cycle of the unit at time now: r, or NULL, is offered. False: the unit slept, and *cycle is left as it is. A place for the answer to
 * every request that was taken is the caller's to have. */
bool cw_adapt_validation_unit_clock(struct cw_adapt_validation_unit *u, const struct cw_adapt_validation_unit_request *r,
                                    struct cw_adapt_validation_unit_control control, cw_time now,
                                    struct cw_adapt_validation_unit_cycle *cycle);
/* Whether the next cycle changes anything without a request. */
bool cw_adapt_validation_unit_awake(const struct cw_adapt_validation_unit *u);
/* As of its last cycle: it is at work; since the last flush it has seen a timestamp in the top eighth of the range. */
bool cw_adapt_validation_unit_busy(const struct cw_adapt_validation_unit *u);
bool cw_adapt_validation_unit_rollover(const struct cw_adapt_validation_unit *u);

#endif
