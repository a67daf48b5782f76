/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The persist buffer of a core (include/cowarp/unit/persist_buffer.h; Pandey et al. 2023, section 6), from the provider: C model, RTL, or
 * both in lockstep.
 */
#ifndef CW_ADAPT_PERSIST_BUFFER_H
#define CW_ADAPT_PERSIST_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit/persist_buffer.h"

struct cw_adapt_persist_buffer;

/* One cycle's inputs; the contract says what each means. */
struct cw_adapt_persist_buffer_in {
    bool insert, held, evict;
    enum cw_persist_kind kind;
    uint32_t warp, line, entry; /* of the insert */
    uint32_t evict_entry;
    bool flush_taken, order_taken;
    uint64_t fsm;
    bool hold, drain;
};

struct cw_adapt_persist_buffer_view {
    enum cw_persist_answer answer; /* of the last cycle's insert */
    uint32_t at;
    bool evict_done, evict_go; /* of the last cycle's evict */
    bool flush, order;         /* on offer */
    uint32_t flush_line;
    enum cw_persist_kind order_kind;
    uint64_t order_warps;
    uint32_t count;
    bool demand, busy;
};

/* warps: up to 64; lines: of the L1. Status of the provider, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_persist_buffer_create(struct cw_adapt_persist_buffer **out, const struct cw_unit_provider *units, uint32_t core,
                                   uint32_t entries, uint32_t warps, uint32_t lines, struct cw_error *err);
void cw_adapt_persist_buffer_destroy(struct cw_adapt_persist_buffer *b);
void cw_adapt_persist_buffer_state(struct cw_state *s, struct cw_adapt_persist_buffer *b);
/* The outputs of this cycle with those inputs; nothing changes. */
void cw_adapt_persist_buffer_look(struct cw_adapt_persist_buffer *b, const struct cw_adapt_persist_buffer_in *in,
                                  struct cw_adapt_persist_buffer_view *view);
/* The end of the cycle. */
void cw_adapt_persist_buffer_clock(struct cw_adapt_persist_buffer *b, const struct cw_adapt_persist_buffer_in *in);

#endif
