/* SPDX-License-Identifier: Apache-2.0 */
/* The state (base/state.h) of what transactional systems share in a core. A system's own state function calls it, then names what it keeps
 * itself. */
#ifndef CW_MECH_TM_SAVED_H
#define CW_MECH_TM_SAVED_H

#include "mech/tm/core_half.h"
#include "mech/tm/write_set.h"

/* All of a core half: attempts, logs, accesses, tokens, ownership tables. */
void cw_tm_core_state(struct cw_state *s, struct cw_tm_core *h);
/* A queue of accesses of the core half's pool. */
void cw_tm_queue_state(struct cw_state *s, const struct cw_accesses *q, struct cw_access_queue *queue);
void cw_redo_log_state(struct cw_state *s, struct cw_redo_log *log);
void cw_write_set_state(struct cw_state *s, struct cw_write_set *set);

/* A ring of numbers in an array of `places` elements of `bytes` each: the whole array. */
void cw_tm_ring_state(struct cw_state *s, struct cw_ring *ring, void *entries, uint32_t places, size_t bytes);

#endif
