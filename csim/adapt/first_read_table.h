/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first-read time table of a core (include/cowarp/unit/first_read_table.h; temporal conflict detection, Fung 2015, 6.4), from the
 * provider: C model, RTL, or both in lockstep. Its timer is the simulation's time.
 *
 * The caller notes what happens in a core cycle. It goes into the table at the cycle's end, in cw_adapt_first_read_table_clock: the table
 * takes one of each kind. Begins wait for their turn, but not longer than for their warp's first load. The table is clocked only while it
 * has something to do.
 */
#ifndef CW_ADAPT_FIRST_READ_TABLE_H
#define CW_ADAPT_FIRST_READ_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/fifo.h"
#include "base/lanes.h"
#include "base/state.h"
#include "cowarp/unit.h"

struct cw_adapt_first_read_table;

/* For a core of that many warps, at most 64. ports of its RAMs, 1 or 2: with 1 a response waits while another load is recorded. Status of
 * the provider, with err, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_first_read_table_create(struct cw_adapt_first_read_table **out, const struct cw_unit_provider *units, uint32_t core,
                                     uint32_t warps, uint32_t ports, struct cw_error *err);
void cw_adapt_first_read_table_destroy(struct cw_adapt_first_read_table *f);
void cw_adapt_first_read_table_state(struct cw_state *s, struct cw_adapt_first_read_table *f);

/* Lanes of a warp begin an attempt. */
void cw_adapt_first_read_table_begin(struct cw_adapt_first_read_table *f, uint32_t warp, cw_lanes lanes);
/* A transactional load of these lanes is sent; one per cycle. */
void cw_adapt_first_read_table_load(struct cw_adapt_first_read_table *f, uint32_t warp, cw_lanes lanes, cw_time now);
/* Such a load comes back; written: time of its block's last write, UINT64_MAX: a write is to come. The table takes one time per
 * cycle; a warp's question is answered when it has taken all of the warp's. */
void cw_adapt_first_read_table_reply(struct cw_adapt_first_read_table *f, uint32_t warp, cw_lanes lanes, uint64_t written);
/* Asks for the lanes of a warp that have read what was written after their first load. The first call of a warp, and any while another
 * warp is being answered, returns false; when it returns true *conflict is the answer. To be called once in every cycle until then. */
bool cw_adapt_first_read_table_ask(struct cw_adapt_first_read_table *f, uint32_t warp, cw_lanes *conflict);

/* End of the core's cycle; true: the next one is needed too. */
bool cw_adapt_first_read_table_clock(struct cw_adapt_first_read_table *f);

#endif
