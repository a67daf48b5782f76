/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/kilo/region_events.h"

#include <stdlib.h>

static struct cw_event event_of(enum cw_event_type type, struct cw_kilo_region region, uint32_t lane, cw_time now)
{
    return (struct cw_event){
        .type = (uint8_t)type, .core = region.core, .warp = region.warp, .lane = lane, .attempt = region.attempt, .now = now};
}

void cw_kilo_tell_lanes(const struct cw_kilo *tm, enum cw_event_type type, struct cw_kilo_region region, cw_lanes lanes, cw_time now)
{
    for (cw_lanes rest = cw_kilo_wanted(tm, type) ? lanes : 0; rest != 0; rest = cw_lanes_rest(rest)) {
        const struct cw_event e = event_of(type, region, cw_lanes_first(rest), now);
        cw_events_tell(tm->host.events, &e);
    }
}

void cw_kilo_tell_word(const struct cw_kilo *tm, enum cw_event_type type, struct cw_kilo_region region, const struct cw_log_entry *word,
                       cw_time now)
{
    if (!cw_kilo_wanted(tm, type))
        return;
    struct cw_event e = event_of(type, region, word->lane, now);
    e.u.word.addr = word->addr;
    e.u.word.value = word->value;
    e.u.word.bytes = word->bytes;
    cw_events_tell(tm->host.events, &e);
}

void cw_kilo_tell_commit(const struct cw_kilo *tm, struct cw_kilo_region region, uint32_t lane, const struct cw_write_set *set, cw_time now)
{
    if (!cw_kilo_wanted(tm, CW_EVENT_REGION_COMMIT))
        return;
    struct cw_event e = event_of(CW_EVENT_REGION_COMMIT, region, lane, now);
    uint64_t *addr = malloc((set->word_cnt + 1) * sizeof *addr);
    uint32_t *value = malloc((set->word_cnt + 1) * sizeof *value);
    if (addr != NULL && value != NULL) {
        for (uint32_t i = 0; i < set->word_cnt; i++) {
            addr[i] = set->word[i].addr;
            value[i] = set->word[i].value;
        }
        e.u.set.cnt = set->word_cnt;
        e.u.set.addr = addr;
        e.u.set.value = value;
        cw_events_tell(tm->host.events, &e);
    } else {
        cw_mech_fault(&tm->host, CW_ENOMEM, "out of host memory for the event of a commit");
    }
    free(addr);
    free(value);
}
