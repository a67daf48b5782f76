/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshot isolation, partition: what the exact graph is told. sitm-oracle's accesses pass no table: the version manager is told of each word at
 * once, and answers. With si.graph=on it is told of what sitm-ts has read or written when the answer leaves.
 */
#include "mech/snapshot/port/port.h"

#define NONE UINT32_MAX
#define MOST (CW_LANES * 5u) /* words of an access: 16 bytes per lane, not aligned */

/* Returns how many words it has told of. */
static uint32_t tell_lane(struct cw_si_line *line, const struct cw_message *p, uint32_t op, uint32_t lane, cw_time now, cw_time latency)
{
    uint32_t cnt = 0;
    const struct cw_si_access_body *body = cw_si_access_of(p);
    const uint32_t first = body->access.lane_offset[lane], end = first + body->access.bytes;
    for (uint32_t at = first & ~3u; at < end; at += 4) {
        const struct cw_si_fact_note note = {.kind = p->kind == CW_MSG_PASS ? CW_SI_HAS_WRITTEN : CW_SI_HAS_READ,
                                             .reader = body->id[lane],
                                             .writer = body->id[lane],
                                             .word = p->addr + at,
                                             .op = op,
                                             .lane = lane};
        cw_si_line_push(line, &note, now, latency);
        cnt++;
    }
    return cnt;
}

bool cw_si__oracle_port_step(struct cw_si_port *u, cw_time now)
{
    while (u->op_first != NONE && u->op[u->op_first].since < now && cw_fifo_space(&u->tm->fact[u->index].fifo, now) > MOST + 2) {
        const uint32_t op = u->op_first;
        for (cw_lanes rest = u->op[op].p->lanes; rest != 0; rest = cw_lanes_rest(rest))
            u->op[op].pending += tell_lane(u->tm->fact + u->index, u->op[op].p, op, cw_lanes_first(rest), now, u->period);
        u->op[op].scanned = true;
        u->op_first = u->op[op].next;
    }
    return u->op_first != NONE;
}

/* A lane that an edge has refused has been there: the edge may be of a circle. */
void cw_si__oracle_port_count(struct cw_si_port *u, const struct cw_message *p, cw_time now)
{
    const struct cw_si_access_body *body = cw_si_access_of(p);
    struct cw_si_line *line = u->tm->seen + u->index;
    if (cw_fifo_space(&line->fifo, now) < MOST) {
        cw_mech_fault(&u->tm->host, CW_ELIMIT, "snapshot isolation: too many accesses wait for the exact graph");
        return;
    }
    for (cw_lanes rest = p->lanes & ~(body->single_writer | body->write_write | body->table); rest != 0; rest = cw_lanes_rest(rest))
        tell_lane(line, p, 0, cw_lanes_first(rest), now, u->period);
}
