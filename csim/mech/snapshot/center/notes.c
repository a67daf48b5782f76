/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshot isolation: what the version manager tells cores and partitions, and its queues. */
#include "mech/snapshot/center/center.h"

void cw_si__queue_push(struct cw_si_queue *q, uint32_t core, const struct cw_si_ask_note *note, cw_time now)
{
    q->at[cw_ring_add(&q->ring, CW_SI_WAITING)] = (struct cw_si_request){.core = core, .since = now, .age = note->age, .note = *note};
}

void cw_si__tell_core(struct cw_si_center *c, uint32_t core, const struct cw_si_answer_note *note, cw_time now, cw_time latency)
{
    cw_si_line_push(c->tm->answer + core, note, now, latency);
}

void cw_si__tell_partitions(struct cw_si_center *c, const struct cw_si_index_note *note, cw_time now)
{
    for (uint32_t i = 0; i < c->tm->config->partition_count; i++)
        cw_si_line_push(c->tm->index_line + i, note, now, c->tm->index);
}

void cw_si__tell_ids(struct cw_si_center *c, enum cw_si_index kind, uint32_t core, const struct cw_si_ask_note *note, cw_lanes lanes,
                     cw_time time, cw_time now)
{
    struct cw_si_index_note ids = {.kind = kind, .time = time, .core = core, .warp = note->warp, .lanes = lanes};
    for (cw_lanes rest = lanes; rest != 0; rest = cw_lanes_rest(rest))
        ids.id[ids.ids++] = note->id[cw_lanes_first(rest)];
    if (ids.ids == 0)
        return;
    ids.slot = c->id[ids.id[0]].slot;
    cw_si__tell_partitions(c, &ids, now);
}
