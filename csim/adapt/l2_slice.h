/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An L2 slice (include/cowarp/unit/l2_slice.h), from the provider: C model, RTL, or both in lockstep. The sweep after the reset lies before the
 * first cycle of the run.
 *
 * A partition does one thing after the other: it asks, is answered, and moves all the bytes. The unit is clocked when it is asked, so its cycles are part of
 * those that a request takes in the slice (l2.latency, and a cycle of the port for each sector), not of others.
 */
#ifndef CW_ADAPT_L2_SLICE_H
#define CW_ADAPT_L2_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/machine.h"
#include "base/state.h"
#include "cowarp/unit.h"

struct cw_adapt_l2_slice;

struct cw_adapt_l2_slice_config {
    uint32_t partition;
    uint32_t sets, ways, sectors;
    uint32_t entries, merge; /* MSHRs, and requests in each */
    uint32_t burst;          /* Sectors that memory reads together */
    bool whole;              /* l2.sectored = off */
    uint32_t lines;          /* Of the partition's memory */
};

enum cw_adapt_l2_slice_kind {
    CW_SLICE_READ,
    CW_SLICE_WRITE,
    CW_SLICE_ATOMIC,
    CW_SLICE_CLEAN,
    CW_SLICE_DROP,
    CW_SLICE_COME, /* Memory gives sectors. */
    CW_SLICE_LOAD, /* The host does; with `head` only bytes change. */
    CW_SLICE_LOOK  /* Bytes come out, and nothing changes. */
};

struct cw_adapt_l2_slice_op {
    enum cw_adapt_l2_slice_kind kind;
    bool head;            /* It is the request that is performed next. */
    bool passes;          /* A write that goes on where it does not find its sectors. */
    bool pm;              /* It is for persistent memory. */
    uint32_t line, entry; /* Of the partition; of a COME. */
    uint8_t sectors;
    const uint32_t *mask; /* [sectors]: bytes of a WRITE; else NULL */
    /* What memory takes: places for requests, writes that are told, reads of persistent memory. */
    uint32_t space;
    bool told, pm_ready;
    uint32_t number; /* Of the request, if it waits. */
};

enum cw_adapt_l2_slice_result {
    CW_SLICE_DONE,
    CW_SLICE_PASSED,
    CW_SLICE_MISSED,
    CW_SLICE_NO_ROOM,
    CW_SLICE_NO_MEMORY,
    CW_SLICE_BUSY /* Not of a unit that keeps the contract: nothing is under way when it is asked. */
};

struct cw_adapt_l2_slice_answer {
    enum cw_adapt_l2_slice_result result;
    uint32_t index; /* Set * ways + way of the line, with the first three results. */
    uint32_t entry;
    uint8_t fetch;      /* Sectors that are asked of memory. */
    uint8_t back;       /* Sectors of line back_line that go there. */
    uint32_t back_line; /* Of the partition. */
};

/* A cycle in which bytes move: a sector comes out, one is wanted, or both. */
struct cw_adapt_l2_slice_turn {
    bool out, back; /* back: it is one of back_line */
    uint32_t sector;
    uint32_t mask; /* Bytes that it has */
    uint8_t data[CW_SECTOR_BYTES];
    bool wants;
    uint32_t wanted;
};

/* CW_EUNSUP with the key that the unit cannot have, or the status of the provider, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_l2_slice_create(struct cw_adapt_l2_slice **out, const struct cw_unit_provider *units,
                             const struct cw_adapt_l2_slice_config *config, struct cw_error *err);
void cw_adapt_l2_slice_destroy(struct cw_adapt_l2_slice *t);
void cw_adapt_l2_slice_state(struct cw_state *s, struct cw_adapt_l2_slice *t);
/* No line is present. Only when it is empty. */
void cw_adapt_l2_slice_reset(struct cw_adapt_l2_slice *t);
/* Then all turns. The answer is the adapter's until the next one. */
const struct cw_adapt_l2_slice_answer *cw_adapt_l2_slice_ask(struct cw_adapt_l2_slice *t, const struct cw_adapt_l2_slice_op *op);
/* The next turn; false: there is none. One that wants bytes is given them before the next. */
bool cw_adapt_l2_slice_turn(struct cw_adapt_l2_slice *t, struct cw_adapt_l2_slice_turn *turn);
void cw_adapt_l2_slice_give(struct cw_adapt_l2_slice *t, const uint8_t data[CW_SECTOR_BYTES]);
/* Whether a request is performed next, and its number. */
bool cw_adapt_l2_slice_head(const struct cw_adapt_l2_slice *t, uint32_t *number);
bool cw_adapt_l2_slice_empty(const struct cw_adapt_l2_slice *t);

#endif
