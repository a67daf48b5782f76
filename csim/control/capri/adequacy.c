/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of the predictor, the unit adequacy_table: which branch of its block's top a warp has come to, and what becomes of the answers. */
#include "control/capri/capri_state.h"

static struct capri *of(const struct cw_control *p)
{
    return cw_tbc_own(p);
}

/* The first branch of those that are kept to which a warp of the block may still come. */
static uint32_t slowest(const struct capri *d, const struct cw_tbc_view *v, uint32_t next)
{
    if (v->warps == 0)
        return 0;
    uint32_t least = next, of_top = 0;
    for (uint64_t left = v->slots; left != 0; left &= left - 1) {
        const struct capri_warp *w = &d->warp[__builtin_ctzll(left)];
        if (w->top != v->entry)
            continue;
        of_top++;
        least = w->next < least ? w->next : least;
    }
    return of_top < v->warps ? 0 : least;
}

/* The first warp has come to the block's next branch. */
static struct capri_branch *begin(struct capri *d, struct capri_block *b, const struct cw_tbc_view *v)
{
    if (b->next - b->first >= CAPRI_AHEAD - 1)
        b->first = slowest(d, v, b->next);
    const bool full = b->next - b->first >= CAPRI_AHEAD - 1; /* The last place is for a branch at which all wait. */
    struct capri_branch *at = &b->branch[b->next++ % CAPRI_AHEAD];
    *at = (struct capri_branch){.full = full};
    return at;
}

static void new_top(struct capri_block *b, struct capri_warp *w, uint64_t top)
{
    if (b->top != top) {
        b->top = top;
        b->first = b->next = 0;
    }
    if (w->top != top) {
        w->top = top;
        w->next = 0;
    }
}

void cw_capri__ask(struct cw_control *p, uint32_t warp, uint32_t taken, const struct cw_branch *b)
{
    struct capri *d = of(p);
    struct capri_warp *w = &d->warp[warp];
    struct cw_front *f = &p->front[warp];
    struct cw_tbc_view v;
    cw_tbc_see(p, warp, &v);
    struct capri_block *block = &d->block[v.block];
    new_top(block, w, v.entry);
    const uint32_t number = w->next++;
    const bool first = number == block->next;
    struct capri_branch *at = first ? begin(d, block, &v) : &block->branch[number % CAPRI_AHEAD];
    w->asks = (uint32_t)f->active;
    w->taken = taken;
    w->branch = *b;
    f->active = 0;
    d->ask[cw_ring_add(&d->ask_ring, CAPRI_WARPS)] = (struct capri_ask){
        .warp = warp,
        .op = {.row = v.block * CAPRI_AHEAD + number % CAPRI_AHEAD,
               .first = first,
               .last = ++at->came + v.left == v.warps,
               .pc = f->pc,
               .taken = taken,
               .other = w->asks & ~taken},
        .full = at->full,
        .is_static = v.is_static,
    };
    d->host.wake(d->host.context);
}

/* To the warp that has asked first. In static warps threads stay where they are, whatever is predicted. */
static struct capri_answer hear(struct capri *d, bool waits)
{
    const struct capri_ask *a = &d->ask[cw_ring_take(&d->ask_ring, CAPRI_WARPS)];
    const bool predicted = waits && !a->is_static, stays = predicted || a->full;
    d->sent--;
    d->counters->capri_predictions += a->op.first;
    d->counters->capri_bypasses += a->op.first && !stays;
    if (a->op.last)
        d->predicted = predicted;
    return (struct capri_answer){.there = true, .warp = a->warp, .waits = stays};
}

bool cw_capri__clock(struct capri *d, struct capri_answer *answer)
{
    struct cw_adapt_adequacy_table_view v;
    const bool asks = d->sent < d->ask_ring.cnt;
    cw_adapt_adequacy_table_clock(d->table, asks ? &d->ask[cw_ring_at(&d->ask_ring, d->sent, CAPRI_WARPS)].op : NULL, &v);
    d->sent += asks;
    if (v.judged) {
        d->counters->capri_judged++;
        d->counters->capri_right += v.adequate == d->predicted;
    }
    *answer = v.answer ? hear(d, v.wait) : (struct capri_answer){0};
    return v.busy || d->sent < d->ask_ring.cnt;
}

static void ask_state(struct cw_state *s, struct capri_ask *a)
{
    cw_state_count(s, "warp", &a->warp, CAPRI_WARPS - 1);
    CW_STATE(s, a->op.row);
    CW_STATE(s, a->op.first);
    CW_STATE(s, a->op.last);
    CW_STATE(s, a->op.pc);
    CW_STATE(s, a->op.taken);
    CW_STATE(s, a->op.other);
    CW_STATE(s, a->full);
    CW_STATE(s, a->is_static);
}

void cw_capri__state(struct capri *d, struct cw_state *s)
{
    cw_adapt_adequacy_table_state(s, d->table);
    cw_state_count(s, "head", &d->ask_ring.head, CAPRI_WARPS - 1);
    cw_state_count(s, "asks", &d->ask_ring.cnt, CAPRI_WARPS);
    cw_state_count(s, "sent", &d->sent, d->ask_ring.cnt);
    for (uint32_t i = 0; i < d->ask_ring.cnt; i++)
        ask_state(s, &d->ask[cw_ring_at(&d->ask_ring, i, CAPRI_WARPS)]);
    CW_STATE(s, d->predicted);
    for (uint32_t b = 0; b < d->blocks; b++) {
        CW_STATE(s, d->block[b].top);
        CW_STATE(s, d->block[b].first);
        CW_STATE(s, d->block[b].next);
        for (uint32_t i = 0; i < CAPRI_AHEAD; i++) {
            CW_STATE(s, d->block[b].branch[i].came);
            CW_STATE(s, d->block[b].branch[i].full);
        }
    }
}
