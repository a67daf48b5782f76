/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/getm/events.h"

#include <stdlib.h>
#include <string.h>

void cw_getm__tell_region(const struct cw_getm *g, enum cw_event_type type, struct cw_getm_attempt_name name, cw_time now)
{
    if (!cw_events_want(g->host.events, type))
        return;
    struct cw_event e = {.type = (uint8_t)type, .core = name.core, .warp = name.warp, .attempt = name.attempt, .now = now};
    for (cw_lanes rest = name.lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        e.lane = cw_lanes_first(rest);
        cw_events_tell(g->host.events, &e);
    }
}

void cw_getm__tell_commit(const struct cw_getm *g, struct cw_getm_attempt_name name, const struct cw_write_set *set, cw_time now)
{
    if (name.lanes == 0 || !cw_events_want(g->host.events, CW_EVENT_REGION_COMMIT))
        return;
    struct cw_event e = {.type = CW_EVENT_REGION_COMMIT, .core = name.core, .warp = name.warp, .attempt = name.attempt, .now = now};
    uint64_t *addr = malloc((set->word_cnt + 1) * sizeof *addr);
    uint32_t *value = malloc((set->word_cnt + 1) * sizeof *value);
    if (addr == NULL || value == NULL)
        cw_mech_fault(&g->host, CW_ENOMEM, "out of host memory for the event of a commit");
    for (cw_lanes rest = addr != NULL && value != NULL ? name.lanes : 0; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t cnt = 0;
        e.lane = cw_lanes_first(rest);
        for (uint32_t i = 0; i < set->word_cnt; i++)
            if (set->word[i].lane == e.lane) {
                addr[cnt] = set->word[i].addr;
                value[cnt++] = set->word[i].value;
            }
        e.u.set.cnt = cnt;
        e.u.set.addr = addr;
        e.u.set.value = value;
        cw_events_tell(g->host.events, &e);
    }
    free(addr);
    free(value);
}

static struct cw_event about(const struct cw_message *p, enum cw_event_type type, cw_time now)
{
    return (struct cw_event){.type = (uint8_t)type, .core = p->core, .warp = p->warp, .attempt = p->attempt, .now = now};
}

void cw_getm__tell_reads(const struct cw_getm *g, const struct cw_message *load, uint32_t granule, cw_time now)
{
    if (!cw_events_want(g->host.events, CW_EVENT_REGION_READ))
        return;
    const struct cw_tx_access_body *body = cw_tx_access_of(load);
    uint32_t from = granule << g->granule_shift, to = from + g->common.keys->tm_granule_bytes;
    struct cw_event e = about(load, CW_EVENT_REGION_READ, now);
    e.u.word.bytes = 15;
    for (cw_lanes rest = load->lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        e.lane = cw_lanes_first(rest);
        uint32_t first = body->lane_offset[e.lane] & ~3u, end = body->lane_offset[e.lane] + body->bytes;
        for (uint32_t at = first < from ? from : first; at < end && at < to; at += 4) {
            e.u.word.addr = load->addr + at;
            memcpy(&e.u.word.value, body->line.data + at, sizeof e.u.word.value);
            cw_events_tell(g->host.events, &e);
        }
    }
}

void cw_getm__tell_writes(const struct cw_getm *g, const struct cw_message *log, cw_lanes entries, cw_time now)
{
    if (!cw_events_want(g->host.events, CW_EVENT_REGION_WRITE))
        return;
    struct cw_event e = about(log, CW_EVENT_REGION_WRITE, now);
    for (; entries != 0; entries = cw_lanes_rest(entries)) {
        const struct cw_log_entry *entry = cw_getm_log_of(log)->log.entry + cw_lanes_first(entries);
        e.lane = entry->lane;
        e.u.word.addr = entry->addr;
        e.u.word.value = entry->value;
        e.u.word.bytes = entry->bytes;
        cw_events_tell(g->host.events, &e);
    }
}
