/* SPDX-License-Identifier: Apache-2.0 */
/* The state of snapshot isolation's half in a core (base/state.h). */
#include "mech/tm/saved.h"
#include "mech/snapshot/core/core_half.h"

static void warp_state(struct cw_state *s, struct cw_si_warp *w)
{
    CW_STATE(s, w->told);
    CW_STATE(s, w->members);
    CW_STATE(s, w->failed);
    CW_STATE(s, w->writers);
    CW_STATE(s, w->crowded);
    CW_STATE(s, w->age);
    CW_STATE(s, w->blocks);
    CW_STATE(s, w->looks);
    CW_STATE(s, w->looked);
    CW_STATE(s, w->in_vain);
    CW_STATE(s, w->again);
    CW_STATE(s, w->dates);
    CW_STATE(s, w->on_way);
    CW_STATE(s, w->decided);
    CW_STATE(s, w->begin);
    CW_STATE(s, w->snapshot);
    CW_STATE(s, w->id);
    CW_STATE(s, w->verdicts);
    CW_STATE(s, w->acks);
    CW_STATE(s, w->admitted);
    CW_STATE(s, w->slot);
}

void cw_si__core_state(struct cw_state *s, struct cw_si_core *c)
{
    cw_tm_core_state(s, &c->half);
    for (uint32_t w = 0; w < c->tm->config->core_warps; w++)
        warp_state(s, &c->warp[w]);
}
