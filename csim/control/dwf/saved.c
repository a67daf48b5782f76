/* SPDX-License-Identifier: Apache-2.0 */
/* The state of dynamic warp formation (base/state.h). */
#include <string.h>

#include "control/dwf/dwf_state.h"

/* The PC of a group without threads may be one of an earlier kernel. */
static void group_state(struct cw_state *s, const struct dwf *d, struct dwf_group *g)
{
    CW_STATE(s, g->lanes);
    cw_state_count(s, "pc", &g->pc, g->lanes != 0 ? d->pcs : UINT32_MAX);
    CW_STATE(s, g->home);
}

static void ring_state(struct cw_state *s, struct cw_ring *r, uint32_t places)
{
    cw_state_count(s, "head", &r->head, places - 1);
    cw_state_count(s, "entries", &r->cnt, places);
}

static void warp_state(struct cw_state *s, const struct dwf *d, struct dwf_warp *w)
{
    group_state(s, d, &w->g);
    CW_STATE(s, w->slot);
    CW_STATE(s, w->at);
    CW_STATE(s, w->blocks);
    CW_STATE(s, w->is_static);
    CW_STATE(s, w->since);
}

static void names_state(struct cw_state *s, struct dwf *d)
{
    for (uint32_t n = 0; n < DWF_NAMES; n++)
        warp_state(s, d, &d->warp[n]);
    cw_state_count(s, "warps", &d->list_cnt, DWF_NAMES);
    CW_STATE(s, d->list);
    cw_state_count(s, "free names", &d->free_cnt, DWF_NAMES);
    CW_STATE(s, d->free);
    memset(d->waits, 0, sizeof d->waits);
    for (uint32_t i = 0; i < d->list_cnt; i++)
        if (d->warp[d->list[i] % DWF_NAMES].slot == DWF_NONE)
            cw_dwf__set_waits(d, i, true);
    CW_STATE(s, d->closed);
    ring_state(s, &d->closed_ring, DWF_NAMES);
}

static void queue_state(struct cw_state *s, struct dwf *d)
{
    ring_state(s, &d->queue_ring, DWF_QUEUE);
    for (uint32_t i = 0; i < d->queue_ring.cnt; i++)
        group_state(s, d, &d->queue[cw_ring_at(&d->queue_ring, i, DWF_QUEUE)]);
    cw_state_count(s, "outstanding", &d->outstanding_cnt, d->outstanding != NULL ? DWF_SLOTS * CW_LANES : 0);
    for (uint32_t i = 0; i < d->outstanding_cnt; i++) {
        group_state(s, d, &d->outstanding[i].g);
        CW_STATE(s, d->outstanding[i].at);
    }
    CW_STATE(s, d->outstanding_next);
    CW_STATE(s, d->is_sent);
    if (!d->is_sent)
        d->sent.lanes = 0;
    group_state(s, d, &d->sent);
    CW_STATE(s, d->sent_name);
}

/* Which PC issues. `threads` and `in_heap` are there when a kernel has been prepared. */
static void majority_state(struct cw_state *s, struct dwf *d)
{
    cw_state_array(s, "threads", d->threads, d->pcs, sizeof *d->threads);
    cw_state_array(s, "in_heap", d->in_heap, d->pcs, sizeof *d->in_heap);
    CW_STATE(s, d->heap_cnt);
    CW_STATE(s, d->majority);
    CW_STATE(s, d->look_at);
    CW_STATE(s, d->fair_until);
}

static void home_state(struct cw_state *s, struct dwf_home *h)
{
    CW_STATE(s, h->live);
    CW_STATE(s, h->apart);
    CW_STATE(s, h->meet);
    CW_STATE(s, h->there);
    CW_STATE(s, h->since);
}

static void slots_state(struct cw_state *s, struct dwf *d)
{
    CW_STATE(s, d->slotless);
    CW_STATE(s, d->slot_name);
    CW_STATE(s, d->free_slots);
    CW_STATE(s, d->block_slots);
    CW_STATE(s, d->used_slots);
    CW_STATE(s, d->slot_block);
    CW_STATE(s, d->live);
    CW_STATE(s, d->holding);
    for (uint32_t i = 0; i < DWF_SLOTS; i++)
        home_state(s, &d->home[i]);
    CW_STATE(s, d->resume_at);
}

void cw_dwf__state(struct cw_control *p, struct cw_state *s)
{
    struct dwf *d = cw_dwf__of(p);
    names_state(s, d);
    queue_state(s, d);
    majority_state(s, d);
    slots_state(s, d);
    cw_adapt_warp_lut_state(s, d->lut);
}
