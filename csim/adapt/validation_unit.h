/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A validation unit of a memory partition (include/cowarp/unit/validation_unit.h; GETM sections IV and V.B), from the provider: C model,
 * RTL, or both in lockstep.
 *
 * The adapter opens the unit for a machine of a given size, drives its ports, and is the memory of its overflow area. What a request
 * belongs to, and what becomes of an answer, is the mechanism's business.
 */
#ifndef CW_ADAPT_VALIDATION_UNIT_H
#define CW_ADAPT_VALIDATION_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/fifo.h"
#include "base/state.h"
#include "cowarp/unit/validation_unit.h"

struct cw_adapt_validation_unit_config {
    const struct cw_unit_provider *units; /* used during create only */
    uint32_t partition;                   /* for the instance's name */
    uint32_t ts_bits;                     /* of a logical timestamp */
    uint32_t id_bits;                     /* of a request's tag */
    uint32_t owners;                      /* owners are 0 .. owners - 1 */
    uint64_t granules;                    /* granule numbers are 0 .. granules - 1 */
    uint32_t table_rows, bloom_rows;      /* per way; powers of two */
    uint32_t bloom_copies;                /* 1 or 2: with 1 an eviction takes the filter's read port */
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

/* Owned by the caller, who reads `out` and nothing else: the unit's outputs as of its last cycle, answers and events as the contract has
 * them; all 0 before the first cycle. */
struct cw_adapt_validation_unit {
    struct cw_validation_unit_out out;
    struct cw_validation_unit_in in;
    struct cw_unit_instance unit;
    /* overflow area */
    uint32_t (*overflow)[CW_VU_OVERFLOW_WORDS];
    cw_time latency, stream;
    cw_time memory_free;   /* when it takes the next access */
    cw_time memory_answer; /* when the entry that was read arrives; CW_TIME_NEVER: none is on its way */
    uint32_t memory_addr;  /* entry read last */
};

/* Status of the provider, with err, or CW_ENOMEM; close it in any case. */
int cw_adapt_validation_unit_open(struct cw_adapt_validation_unit *u, const struct cw_adapt_validation_unit_config *config,
                                  struct cw_error *err);
void cw_adapt_validation_unit_close(struct cw_adapt_validation_unit *u);
void cw_adapt_validation_unit_state(struct cw_state *s, struct cw_adapt_validation_unit *u);

/* What the next cycle offers: a request, which has been taken when the output req_ready is 1 then, or nothing. */
static inline void cw_adapt_validation_unit_offer(struct cw_adapt_validation_unit *u, struct cw_adapt_validation_unit_request r)
{
    u->in.req_valid = 1;
    u->in.req_kind = r.kind;
    u->in.req_granule = r.granule;
    u->in.req_warpts = r.warpts;
    u->in.req_owner = r.owner;
    u->in.req_id = r.id;
    u->in.req_count = r.count;
    u->in.req_spill = r.spill;
}

static inline void cw_adapt_validation_unit_offer_nothing(struct cw_adapt_validation_unit *u)
{
    u->in.req_valid = 0;
}

/* One cycle of the unit at time now; drain and flush are the ports of that name. A place for the answer to every request that was taken is
 * the caller's to have: answers are never held up. Returns whether the next cycle changes anything without a request, drain and flush. If
 * not, the caller may leave it out; the first one may not be. */
bool cw_adapt_validation_unit_clock(struct cw_adapt_validation_unit *u, bool drain, bool flush, cw_time now);

#endif
