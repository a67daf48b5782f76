/* SPDX-License-Identifier: Apache-2.0 */
/* The state of GETM's half in a core (base/state.h). */
#include "mech/tm/saved.h"
#include "mech/getm/core_private.h"

static void warp_state(struct cw_state *s, struct cw_getm_core *c, struct cw_getm_warp *w)
{
    CW_STATE(s, w->warpts);
    CW_STATE(s, w->next_warpts);
    CW_STATE(s, w->failed);
    CW_STATE(s, w->starved);
    CW_STATE(s, w->requested);
    CW_STATE(s, w->acks);
    CW_STATE(s, w->refused);
    CW_STATE(s, w->cleaned);
    CW_STATE(s, w->full);
    cw_state_array(s, "ticket", w->ticket, c->getm->config->partition_count, sizeof *w->ticket);
    cw_write_set_state(s, &w->set);
}

void cw_getm__core_state(struct cw_state *s, struct cw_getm_core *c)
{
    cw_tm_core_state(s, &c->half);
    for (uint32_t w = 0; w < c->getm->config->core_warps; w++)
        warp_state(s, c, &c->warp[w]);
    CW_STATE(s, c->largest);
    CW_STATE(s, c->acks_left);
    CW_STATE(s, c->doomed);
    CW_STATE(s, c->in_vain);
}
