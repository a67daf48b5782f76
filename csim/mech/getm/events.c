/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/getm/events.h"

#include <string.h>

void cw_getm__tell_reads(const struct cw_getm *g, const struct cw_message *load, uint32_t granule, cw_time now)
{
    if (!cw_tell_wanted(&g->host, CW_EVENT_REGION_READ))
        return;
    const struct cw_tx_access_body *body = cw_tx_access_of(load);
    uint32_t from = granule << g->granule_shift, to = from + g->common.keys->tm_granule_bytes;
    for (cw_lanes rest = load->lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t lane = cw_lanes_first(rest), first = body->lane_offset[lane] & ~3u, end = body->lane_offset[lane] + body->bytes, value;
        for (uint32_t at = first < from ? from : first; at < end && at < to; at += 4) {
            memcpy(&value, body->line.data + at, sizeof value);
            cw_tell_word(&g->host, CW_EVENT_REGION_READ, cw_attempt_name_of(load), lane, load->addr + at, value, 15, now);
        }
    }
}

void cw_getm__tell_writes(const struct cw_getm *g, const struct cw_message *log, cw_lanes entries, cw_time now)
{
    if (!cw_tell_wanted(&g->host, CW_EVENT_REGION_WRITE))
        return;
    for (; entries != 0; entries = cw_lanes_rest(entries)) {
        const struct cw_log_entry *entry = cw_getm_log_of(log)->log.entry + cw_lanes_first(entries);
        cw_tell_word(&g->host, CW_EVENT_REGION_WRITE, cw_attempt_name_of(log), entry->lane, entry->addr, entry->value, entry->bytes, now);
    }
}
