/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transaction log unit's port to the L1: accesses of whole log lines, in order, one per core cycle. A log row costs two accesses,
 * addresses and values (Fung 2015, 4.2.4).
 */
#ifndef CW_MECH_TM_LOG_PORT_H
#define CW_MECH_TM_LOG_PORT_H

#include <assert.h>

#include "base/ring.h"
#include "mech/tm/redo_log.h"

struct cw_log_op {
    uint32_t word, cookie; /* place in the warp's log area; comes back with log_done */
    uint8_t warp;
    bool write;
};

struct cw_log_port {
    struct cw_log_op *op; /* ring */
    uint32_t cap;
    struct cw_ring ring;
};

static inline bool cw_log_port_room(const struct cw_log_port *q, uint32_t cnt)
{
    return q->ring.cnt + cnt <= q->cap;
}

static inline void cw_log_port_push(struct cw_log_port *q, struct cw_log_op op)
{
    assert(q->ring.cnt < q->cap);
    q->op[cw_ring_add(&q->ring, q->cap)] = op;
}

/* Begins the oldest access, if the L1 takes it. */
static inline void cw_log_port_tick(struct cw_log_port *q, struct cw_core *core, cw_time now)
{
    if (q->ring.cnt == 0)
        return;
    const struct cw_log_op *op = q->op + q->ring.head;
    if (!cw_core_log_access(core, op->warp, op->word, op->write, op->cookie, now))
        return;
    cw_ring_take(&q->ring, q->cap);
}

#define CW_LOG_COOKIE_RESOLVE 0x40000000u /* log read of a committing warp; others: access.h */

/* A pass over a warp's logs: places that have been handled, log reads begun, log reads done (the owner counts these in its log_done). */
struct cw_log_walk {
    uint32_t step, read, back;
};

/* Begins the read of that word of the warp's log area, if fewer than total have begun and the L1 takes it. */
static inline void cw_log_walk_read(struct cw_log_walk *w, struct cw_core *core, uint32_t warp, uint32_t total, uint32_t word, cw_time now)
{
    w->read += w->read < total && cw_core_log_access(core, warp, word, false, CW_LOG_COOKIE_RESOLVE, now);
}

#endif
