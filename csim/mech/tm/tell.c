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
