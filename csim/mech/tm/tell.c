/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/tm/tell.h"

#include <stdlib.h>

void cw_tell_commits(const struct cw_mech_host *host, struct cw_attempt_name a, cw_lanes lanes, const struct cw_write_set *set, cw_time now)
{
    if (lanes == 0 || !cw_tell_wanted(host, CW_EVENT_REGION_COMMIT))
        return;
    uint64_t *addr = malloc((set->word_cnt + 1) * sizeof *addr);
    uint32_t *value = malloc((set->word_cnt + 1) * sizeof *value);
    if (addr == NULL || value == NULL)
        cw_mech_fault(host, CW_ENOMEM, "out of host memory for the event of a commit");
    for (cw_lanes rest = addr != NULL && value != NULL ? lanes : 0; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t lane = cw_lanes_first(rest), cnt = 0;
        for (uint32_t i = 0; i < set->word_cnt; i++)
            if (set->word[i].lane == lane) {
                addr[cnt] = set->word[i].addr;
                value[cnt++] = set->word[i].value;
            }
        cw_tell_commit(host, a, lane, cnt, addr, value, now);
    }
    free(addr);
    free(value);
}

/* Whether one of the lanes has written the word. */
static bool is_written(const struct cw_redo_log *log, cw_lanes lanes, uint64_t word)
{
    for (uint32_t i = 0; i < log->write_cnt; i++)
        for (cw_lanes rest = log->write[i].lanes & lanes; rest != 0; rest = cw_lanes_rest(rest))
            if (log->write[i].addr[cw_lanes_first(rest)] == word)
                return true;
    return false;
}

static void tell_loser(const struct cw_mech_host *host, struct cw_attempt_name a, const struct cw_redo_log *log, cw_lanes lanes,
                       uint32_t lane, cw_time now)
{
    const cw_lanes lower = lanes & (cw_lanes_one(lane) - 1), others = cw_lanes_without(lanes, cw_lanes_one(lane));
    for (uint32_t i = 0; i < log->read_cnt; i++)
        if (cw_lanes_has(log->read[i].lanes, lane) && is_written(log, lower, log->read[i].addr[lane])) {
            cw_tell_conflict(host, a, lane, log->read[i].addr[lane], now);
            return;
        }
    for (uint32_t i = 0; i < log->write_cnt; i++)
        if (cw_lanes_has(log->write[i].lanes, lane) && is_written(log, others, log->write[i].addr[lane])) {
            cw_tell_conflict(host, a, lane, log->write[i].addr[lane], now);
            return;
        }
}

void cw_tell_losers(const struct cw_mech_host *host, struct cw_attempt_name a, const struct cw_redo_log *log, cw_lanes lanes,
                    cw_lanes losers, cw_time now)
{
    for (cw_lanes rest = cw_tell_wanted(host, CW_EVENT_CONFLICT) ? losers : 0; rest != 0; rest = cw_lanes_rest(rest))
        tell_loser(host, a, log, lanes, cw_lanes_first(rest), now);
}
