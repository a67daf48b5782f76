/* SPDX-License-Identifier: Apache-2.0 */
/* Which branches are worth a wait: the predictor, and what compaction would have done at each branch. */
#include <string.h>

#include "control/capri/capri_state.h"

static struct capri_entry *entry_of(struct capri *d, uint32_t pc)
{
    return &d->entry[pc % d->keys->entries];
}

/* A branch that is not known is taken for adequate: so far all is as in thread block compaction. */
static bool predicts(struct capri *d, uint32_t pc)
{
    const struct capri_entry *e = entry_of(d, pc);
    return e->pc != pc || e->adequate;
}

static uint32_t fullest(const uint8_t threads[CW_LANES])
{
    uint32_t most = 0;
    for (uint32_t lane = 0; lane < CW_LANES; lane++)
        most = threads[lane] > most ? threads[lane] : most;
    return most;
}

/* All warps have come: is there a warp less with compaction? */
static void judge(struct capri *d, const struct capri_branch *b)
{
    const bool adequate = fullest(b->taken) + fullest(b->other) < b->sides;
    *entry_of(d, b->pc) = (struct capri_entry){b->pc, adequate};
    d->counters->capri_judged++;
    d->counters->capri_right += adequate == b->predicted;
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

static struct capri_branch *begin(struct capri *d, struct capri_block *b, const struct cw_tbc_view *v, uint32_t pc)
{
    if (b->next - b->first >= CAPRI_AHEAD - 1)
        b->first = slowest(d, v, b->next);
    const bool full = b->next - b->first >= CAPRI_AHEAD - 1; /* The last place is for a branch at which all wait. */
    struct capri_branch *at = &b->branch[b->next++ % CAPRI_AHEAD];
    *at = (struct capri_branch){.pc = pc, .predicted = !v->is_static && predicts(d, pc)};
    at->bypass = !at->predicted && !full;
    d->counters->capri_predictions++;
    d->counters->capri_bypasses += at->bypass;
    return at;
}

static void count(struct capri_branch *at, uint32_t lanes, uint8_t threads[CW_LANES])
{
    at->sides += lanes != 0;
    for (; lanes != 0; lanes &= lanes - 1)
        threads[__builtin_ctz(lanes)]++;
}

bool cw_capri__waits(struct capri *d, uint32_t warp, const struct cw_tbc_view *v, uint32_t pc, uint32_t active, uint32_t taken)
{
    struct capri_warp *w = &d->warp[warp];
    struct capri_block *b = &d->block[v->block];
    if (b->top != v->entry) {
        b->top = v->entry;
        b->first = b->next = 0;
    }
    if (w->top != v->entry) {
        w->top = v->entry;
        w->next = 0;
    }
    struct capri_branch *at = w->next == b->next ? begin(d, b, v, pc) : &b->branch[w->next % CAPRI_AHEAD];
    w->next++;
    count(at, taken, at->taken);
    count(at, active & ~taken, at->other);
    if (++at->came + v->left == v->warps)
        judge(d, at);
    return !at->bypass;
}
