/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshot isolation, partition: sitm-oracle's accesses pass no table. The version manager is told of each word, at once. */
#include "mech/snapshot/port.h"

#define NONE UINT32_MAX
#define MOST (CW_LANES * 5u) /* words of an access: 16 bytes per lane, not aligned */

static void tell_lane(struct cw_si_port *u, uint32_t op, uint32_t lane, cw_time now)
{
    const struct cw_message *p = u->op[op].p;
    const struct cw_si_access_body *body = cw_si_access_of(p);
    const uint32_t first = body->access.lane_offset[lane], end = first + body->access.bytes;
    for (uint32_t at = first & ~3u; at < end; at += 4) {
        const struct cw_si_fact_note note = {.kind = p->kind == CW_MSG_PASS ? CW_SI_HAS_WRITTEN : CW_SI_HAS_READ,
                                             .reader = body->id[lane],
                                             .writer = body->id[lane],
                                             .word = p->addr + at,
                                             .op = op,
                                             .lane = lane};
        cw_si_line_push(u->tm->fact + u->index, &note, now, u->period);
        u->op[op].pending++;
    }
}

bool cw_si__oracle_port_step(struct cw_si_port *u, cw_time now)
{
    while (u->op_first != NONE && u->op[u->op_first].since < now && cw_fifo_space(&u->tm->fact[u->index].fifo, now) > MOST + 2) {
        const uint32_t op = u->op_first;
        for (cw_lanes rest = u->op[op].p->lanes; rest != 0; rest = cw_lanes_rest(rest))
            tell_lane(u, op, cw_lanes_first(rest), now);
        u->op[op].scanned = true;
        u->op_first = u->op[op].next;
    }
    return u->op_first != NONE;
}
