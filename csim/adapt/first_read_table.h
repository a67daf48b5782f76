/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First-read time table of temporal conflict detection (include/cowarp/unit/first_read_table.h; Fung 2015, 6.4) of a core, from the
 * provider: C model, RTL, or both in lockstep. Its timer is the simulation's time.
 *
 * What happens in a core cycle is noted, and goes into the table at the cycle's end, in cw_kilo_first_read_clock: of each kind the table
 * takes one. Begins wait for their turn, but not longer than for their warp's first load. The table is clocked only while it has something
 * to do.
 */
#ifndef CW_ADAPT_FIRST_READ_TABLE_H
#define CW_ADAPT_FIRST_READ_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "mech/tm/tm.h"

struct cw_kilo_first_read;

/* Status of the provider, or CW_ENOMEM. */
int cw_kilo_first_read_create(struct cw_kilo_first_read **out, const struct cw_mech_host *cfg, uint32_t core, struct cw_error *err);
void cw_kilo_first_read_destroy(struct cw_kilo_first_read *f);

/* Lanes of a warp begin an attempt. */
void cw_kilo_first_read_begin(struct cw_kilo_first_read *f, uint32_t warp, uint32_t lanes);
/* A transactional load of these lanes is sent; one per cycle. */
void cw_kilo_first_read_load(struct cw_kilo_first_read *f, uint32_t warp, uint32_t lanes, cw_time now);
/* Such a load comes back; written: time of its block's last write, UINT64_MAX: a write is to come. The table takes one time per
 * cycle; a warp's question is answered when it has taken all of the warp's. */
void cw_kilo_first_read_reply(struct cw_kilo_first_read *f, uint32_t warp, uint32_t lanes, uint64_t written);
/* Asks for the lanes of a warp that have read what was written after their first load. The first call of a warp, and any while another
 * warp is being answered, returns false; when it returns true *conflict is the answer. To be called once in every cycle until then. */
bool cw_kilo_first_read_ask(struct cw_kilo_first_read *f, uint32_t warp, uint32_t *conflict);

/* End of the core's cycle; true: the next one is needed too. */
bool cw_kilo_first_read_clock(struct cw_kilo_first_read *f);

#endif
