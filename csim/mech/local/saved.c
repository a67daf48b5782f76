/* SPDX-License-Identifier: Apache-2.0 */
/* The state of transactions in shared memory (base/state.h). */
#include <stdlib.h>

#include "mech/local/core_private.h"

static void ring_state(struct cw_state *s, struct cw_ring *r, uint32_t places)
{
    cw_state_count(s, "head", &r->head, places - 1);
    cw_state_count(s, "entries", &r->cnt, places);
}

/* ---- groups ---- */

static void item_state(struct cw_state *s, struct cw_local_item *i)
{
    CW_STATE_GROWN(s, i->cnt, i->entry, i->cap);
    for (uint32_t k = 0; k < i->cnt; k++) {
        CW_STATE(s, i->entry[k].word);
        CW_STATE(s, i->entry[k].written);
        CW_STATE(s, i->entry[k].kept);
    }
}

/* A group without a block has no words. */
static void words_state(struct cw_state *s, struct cw_local_group *g, uint32_t words)
{
    uint32_t cnt = g->warps != 0 ? words : 0;
    CW_STATE_GROWN(s, cnt, g->word, g->word_cap);
    for (uint32_t i = 0; i < cnt; i++) {
        CW_STATE(s, g->word[i].sharers);
        CW_STATE(s, g->word[i].owned);
        CW_STATE(s, g->word[i].shared);
        CW_STATE(s, g->word[i].modified);
        CW_STATE(s, g->word[i].told);
    }
}

static void group_state(struct cw_state *s, struct cw_local_group *g, uint32_t words)
{
    CW_STATE(s, g->warps);
    CW_STATE(s, g->started);
    words_state(s, g, words);
    for (uint32_t i = 0; i < CW_LOCAL_ITEMS; i++)
        item_state(s, &g->item[i]);
    CW_STATE(s, g->running);
    CW_STATE(s, g->holder);
    CW_STATE(s, g->used);
    cw_state_count(s, "queue", &g->queue_cnt, sizeof g->queue);
    CW_STATE(s, g->queue);
}

/* ---- wavefronts ---- */

static void wave_state(struct cw_state *s, struct cw_local_wave *w)
{
    CW_STATE(s, w->phase);
    CW_STATE(s, w->mode);
    CW_STATE(s, w->group);
    CW_STATE(s, w->number);
    CW_STATE(s, w->attempt);
    CW_STATE(s, w->start);
    CW_STATE(s, w->before);
    CW_STATE(s, w->next);
    CW_STATE(s, w->stopped);
    CW_STATE(s, w->dead);
    CW_STATE(s, w->mcm);
    CW_STATE(s, w->undos);
    CW_STATE(s, w->clears);
    CW_STATE(s, w->banks);
    CW_STATE(s, w->write_banks);
    CW_STATE(s, w->stuck);
    CW_STATE(s, w->since);
    CW_STATE(s, w->overhead_until);
    CW_STATE(s, w->overhead);
}

static void choice_state(struct cw_state *s, struct cw_local_core *c)
{
    CW_STATE(s, c->ends);
    CW_STATE(s, c->chooses);
    CW_STATE(s, c->chosen);
    CW_STATE(s, c->choice.tcm);
    CW_STATE(s, c->choice.run);
    CW_STATE(s, c->choice.mode);
    CW_STATE(s, c->choice.want);
    CW_STATE(s, c->choice.free);
}

/* ---- accesses ---- */

static void inst_state(struct cw_state *s, struct cw_local_core *c, struct cw_local_inst *i)
{
    cw_core_inst_state(s, c->core, &i->m);
    CW_STATE(s, i->taken);
    CW_STATE(s, i->due);
    CW_STATE(s, i->passes);
    CW_STATE(s, i->asks);
    CW_STATE(s, i->at);
    CW_STATE(s, i->left);
    CW_STATE(s, i->bytes);
}

static void pass_state(struct cw_state *s, struct cw_local_core *c, struct cw_local_pass *p)
{
    CW_STATE(s, p->cycle);
    CW_STATE(s, p->banks);
    for (uint32_t banks = p->banks; banks != 0; banks &= banks - 1) {
        struct cw_local_ask *a = &p->ask[__builtin_ctz(banks)];
        CW_STATE(s, a->warp);
        CW_STATE(s, a->lane);
        CW_STATE(s, a->word);
        CW_STATE(s, a->write);
        CW_STATE_REF(s, a->inst, c->inst, CW_LOCAL_INSTS);
        CW_STATE(s, a->at);
    }
}

static void accesses_state(struct cw_state *s, struct cw_local_core *c)
{
    ring_state(s, &c->inst_ring, CW_LOCAL_INSTS);
    for (uint32_t i = 0; i < c->inst_ring.cnt; i++)
        inst_state(s, c, &c->inst[cw_ring_at(&c->inst_ring, i, CW_LOCAL_INSTS)]);
    CW_STATE(s, c->asking);
    ring_state(s, &c->pass_ring, CW_LOCAL_PHASES + 1);
    for (uint32_t i = 0; i < c->pass_ring.cnt; i++)
        pass_state(s, c, &c->pass[cw_ring_at(&c->pass_ring, i, CW_LOCAL_PHASES + 1)]);
}

static void undo_state(struct cw_state *s, struct cw_local_core *c)
{
    ring_state(s, &c->undo_ring, c->undo_cap);
    for (uint32_t i = 0; i < c->undo_ring.cnt; i++) {
        struct cw_local_undo *u = &c->undo[cw_ring_at(&c->undo_ring, i, c->undo_cap)];
        CW_STATE(s, u->at);
        CW_STATE(s, u->warp);
        CW_STATE(s, u->lanes);
    }
}

static void clear_state(struct cw_state *s, struct cw_local_core *c)
{
    ring_state(s, &c->clear_ring, c->undo_cap);
    for (uint32_t i = 0; i < c->clear_ring.cnt; i++) {
        struct cw_local_clear *u = &c->clear[cw_ring_at(&c->clear_ring, i, c->undo_cap)];
        CW_STATE(s, u->warp);
        CW_STATE(s, u->group);
        CW_STATE(s, u->number);
        CW_STATE(s, u->lanes);
        CW_STATE(s, u->banks);
        CW_STATE(s, u->write_banks);
    }
}

static void units_state(struct cw_state *s, struct cw_local_core *c)
{
    for (uint32_t bank = 0; bank < CW_LOCAL_BANKS; bank++)
        cw_adapt_bank_detector_state(s, c->bank[bank]);
    cw_adapt_tcm_select_state(s, c->select);
    cw_adapt_shadow_address_state(s, c->shadow);
    CW_STATE(s, c->awake);
}

void cw_local__core_state(struct cw_state *s, struct cw_local_core *c)
{
    const struct cw_config *config = c->local->host.config;
    cw_state_group(s, "localtm", c->index);
    for (uint32_t w = 0; w < config->core_warps; w++)
        wave_state(s, &c->wave[w]);
    for (uint32_t b = 0; b < config->core_blocks; b++)
        group_state(s, &c->group[b], c->local->words);
    choice_state(s, c);
    accesses_state(s, c);
    undo_state(s, c);
    clear_state(s, c);
    units_state(s, c);
}
