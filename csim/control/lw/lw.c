/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Large warps with two-level scheduling (Narasiman and others, MICRO 2011) on thread block compaction (csim/control/tbc): the stack is one of a large
 * warp, a few warps of a block; its warps go in step; a scheduler stays with a large warp until none of its warps can issue. README.md tells the
 * protocol.
 */
#include "control/lw/lw_state.h"

static struct lw *of(const struct cw_control *p)
{
    return cw_tbc_own(p);
}

/* ---- blocks are cut into large warps ---- */

static uint32_t free_large(const struct cw_control *p)
{
    for (uint32_t i = 0; i < CW_ADAPT_BLOCK_STACK_BLOCKS; i++)
        if (of(p)->block[i] == LW_NONE || cw_tbc_is_free(p, i))
            return i;
    return LW_NONE;
}

static uint32_t free_cnt(const struct cw_control *p)
{
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < CW_ADAPT_BLOCK_STACK_BLOCKS; i++)
        cnt += of(p)->block[i] == LW_NONE || cw_tbc_is_free(p, i);
    return cnt;
}

/* The slots of the lowest `cnt` warps of the set, which lose them. */
static struct cw_slots cut(struct cw_slots *from, uint32_t cnt)
{
    struct cw_slots cut = {{0}};
    for (; from->word[0] != 0 && cnt > 0; cnt--) {
        cut.word[0] |= from->word[0] & -from->word[0];
        from->word[0] &= from->word[0] - 1;
    }
    return cut;
}

/* A large warp has at least one place in the unit; the block's last one takes all that is left when no other is free. */
static void block_start(struct cw_control *p, uint32_t block, const struct cw_slots *slots)
{
    struct lw *d = of(p);
    struct cw_slots left = *slots;
    uint32_t places = free_cnt(p);
    while (left.word[0] != 0) {
        const struct cw_slots own = cut(&left, places > 1 ? d->keys->warps : LW_SLOTS);
        const uint32_t large = free_large(p);
        cw_tbc_block_start(p, large, &own);
        d->block[large] = block;
        for (uint64_t s = own.word[0]; s != 0; s &= s - 1)
            cw_tbc_start(p, (uint32_t)__builtin_ctzll(s), 1); /* So the place is not free; the core names the threads next. */
        places--;
    }
}

static uint32_t held(const struct cw_control *p, uint32_t block)
{
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < CW_ADAPT_BLOCK_STACK_BLOCKS; i++)
        cnt += of(p)->block[i] == block && !cw_tbc_is_free(p, i) ? cw_tbc_held(p, i) : 0;
    return cnt;
}

/* ---- in step ---- */

/* Rounds and PC of a warp of the top say how far it is: it has no branches of its own. */
static uint64_t progress(const struct cw_control *p, uint32_t warp, uint64_t top)
{
    const struct lw *d = of(p);
    return (uint64_t)(d->top[warp] == top ? d->rounds[warp] : 0) << 32 | p->front[warp].pc;
}

static bool may_issue(const struct cw_control *p, uint32_t warp)
{
    struct cw_tbc_view v;
    if (!cw_tbc_may_issue(p, warp))
        return false;
    cw_tbc_see(p, warp, &v);
    const uint64_t own = progress(p, warp, v.entry);
    for (uint64_t left = v.slots; left != 0; left &= left - 1) {
        const uint32_t w = (uint32_t)__builtin_ctzll(left);
        if (p->front[w].active != 0 && progress(p, w, v.entry) < own)
            return false;
    }
    return true;
}

static bool branch(struct cw_control *p, uint32_t warp, cw_lanes taken, const struct cw_branch *b)
{
    struct lw *d = of(p);
    struct cw_tbc_view v;
    cw_tbc_see(p, warp, &v);
    if (d->top[warp] != v.entry)
        d->rounds[warp] = 0;
    d->top[warp] = v.entry;
    d->rounds[warp]++;
    return cw_tbc_branch(p, warp, taken, b);
}

/* ---- two levels ---- */

/* The candidates of the large warp that has issued last, else of the next one that has some. */
static uint64_t first(struct cw_control *p, uint32_t scheduler, uint64_t cycle, uint64_t candidates)
{
    struct lw *d = of(p);
    struct cw_tbc_view v;
    uint64_t of_large[CW_ADAPT_BLOCK_STACK_BLOCKS] = {0};
    (void)cycle;
    for (uint64_t left = candidates; left != 0; left &= left - 1) {
        cw_tbc_see(p, (uint32_t)__builtin_ctzll(left), &v);
        of_large[v.block] |= left & -left;
    }
    uint32_t large = d->group[scheduler];
    while (of_large[large] == 0)
        large = large + 1 < CW_ADAPT_BLOCK_STACK_BLOCKS ? large + 1 : 0;
    d->group[scheduler] = large;
    return of_large[large];
}

/* ---- creation ---- */

static void state(struct cw_control *p, struct cw_state *s)
{
    struct lw *d = of(p);
    cw_tbc_state(p, s);
    CW_STATE(s, d->block);
    CW_STATE(s, d->rounds);
    CW_STATE(s, d->top);
    CW_STATE(s, d->group);
}

static int create(struct cw_control **out, const struct cw_control_config *config, struct cw_error *err)
{
    const int status = cw_tbc_create_for(out, config, sizeof(struct lw), CW_ADAPT_BLOCK_STACK_BLOCKS, err);
    if (status != CW_OK)
        return status;
    struct lw *d = of(*out);
    d->keys = cw_config_own(config->config, &cw_lw_keys);
    for (uint32_t i = 0; i < CW_ADAPT_BLOCK_STACK_BLOCKS; i++)
        d->block[i] = LW_NONE;
    return CW_OK;
}

static const struct cw_key_set *const key_sets[] = {&cw_tbc_keys, &cw_lw_keys, NULL};
static const struct cw_counter_set *const counter_sets[] = {&cw_tbc_counters, NULL};

const struct cw_control_ops cw_control_lw = {
    CW_TBC_POLICY,
    CW_TBC_CLOCK,
    .name = "lw",
    .what = "large warps: a stack for a few warps that go in step, their threads packed anew; two-level scheduling (MICRO 2011)",
    .keys = key_sets,
    .counters = counter_sets,
    .create = create,
    .destroy = cw_tbc_destroy,
    .state = state,
    .prepare = cw_tbc_prepare,
    .block_start = block_start,
    .arrive = cw_tbc_arrive,
    .branch = branch,
    .branch_indexed = cw_tbc_branch_indexed,
    .repeats = cw_tbc_repeats,
    .exit = cw_tbc_exit,
    .held = held,
    .may_issue = may_issue,
    .first = first,
    .waiting = cw_tbc_waiting,
    .where = cw_tbc_where,
    .below = cw_tbc_below,
    .report = cw_tbc_report,
};
