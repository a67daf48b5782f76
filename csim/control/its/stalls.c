/* SPDX-License-Identifier: Apache-2.0 */
/* Warps whose group waits for a load, for a policy that adds to independent threads. */
#include "control/its/its_state.h"

void cw_its_stalls_note(struct cw_control *p, struct cw_its_stalls *s, uint32_t warp)
{
    const struct cw_control_host *host = &((const struct its *)p)->config.host;
    if (cw_slots_has(&s->warps, warp))
        return;
    cw_slots_put(&s->warps, warp, true);
    s->since[warp] = *host->cycle;
    host->wake(host->context);
}

uint64_t cw_its_stalls_look(struct cw_control *p, const struct cw_its_stalls *s, uint64_t cycle, uint64_t next,
                            uint64_t (*look)(struct cw_control *p, uint32_t warp, uint64_t cycle))
{
    const struct its *d = (const struct its *)p;
    if (cycle % d->config.config->core_stage_cycles != 0)
        return next;
    for (uint32_t word = 0; word * 64 < d->config.warps; word++)
        for (uint64_t left = s->warps.word[word]; left != 0; left &= left - 1) {
            const uint64_t at = look(p, 64 * word + (uint32_t)__builtin_ctzll(left), cycle);
            next = at < next ? at : next;
        }
    return next;
}

void cw_its_stalls_state(const struct cw_control *p, struct cw_state *s, struct cw_its_stalls *stalls)
{
    CW_STATE(s, stalls->warps);
    cw_state_array(s, "since", stalls->since, ((const struct its *)p)->config.warps, sizeof *stalls->since);
}
