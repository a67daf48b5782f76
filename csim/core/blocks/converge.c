/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convergence as PTX 6 defines it, checked: core.convergence=check. From sm_70 on a barrier waits for each thread of its warp that has not
 * exited, and an operation across lanes for those that its membermask names. A SIMT stack cannot let lanes wait that are on one side of a
 * branch for those on another. So the run ends, with the line,
 * - when an operation names a lane that has not come, and
 * - when a lane comes to a barrier after one that its warp has passed without it.
 *
 * Lanes that only go to their end are as good as gone: a barrier or an operation that they could not reach does not miss them. So a lane
 * that waits at the kernel's `ret` for the others breaks nothing.
 *
 * Where a policy mixes blocks, threads wait by themselves, and there is nothing to check.
 *
 * With CW_CHECK_SYNC the sanitizer is told of all that, and the run goes on; and of a barrier to which lanes of a warp come on one side of a
 * branch only, which the ISA forbids for bar.sync (barrier.sync.aligned), whatever comes of it.
 */
#include <stdio.h>

#include "core/blocks/blocks.h"

/* Where the lane that has not come is; its guard may be false, and then it is here. */
static uint32_t place_of(const struct cw_core_blocks *blocks, uint32_t w, uint32_t lane)
{
    const struct cw_core_warps *const warps = &blocks->cache.warps;
    if (cw_lanes_has(warps->front[w].active & ~cw_core__guests(warps, w), lane))
        return cw_core__pc(warps, w);
    return warps->control->ops->where != NULL ? warps->control->ops->where(warps->control, w, lane) : CW_PC_NONE;
}

/* Without the lanes that can come to no barrier and to no operation across lanes any more. */
static cw_lanes missed(const struct cw_core_blocks *blocks, uint32_t w, cw_lanes absent)
{
    const struct cw_core_warps *const warps = &blocks->cache.warps;
    cw_lanes lanes = 0;
    for (cw_lanes left = absent; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t lane = cw_lanes_first(left), pc = place_of(blocks, w, lane);
        if (pc == CW_PC_NONE || !warps->uop[pc].leaves)
            lanes |= cw_lanes_one(lane);
    }
    return lanes;
}

/* Of mma the ISA says that all lanes take part; it names none. */
static struct cw_opnd members_of(const struct cw_uop *u)
{
    switch (u->op) {
    case CW_OP_MMA:
        return (struct cw_opnd){.kind = CW_OPND_NONE};
    case CW_OP_SHFL:
        return u->src[3];
    case CW_OP_VOTE:
    case CW_OP_MATCH:
    case CW_OP_REDUX:
        return u->src[1];
    default: /* elect, bar.warp */
        return u->src[0];
    }
}

/* The lanes that the membermasks of these lanes name. */
static cw_lanes named_by(const struct cw_core_warps *warps, uint32_t w, cw_lanes mask)
{
    struct cw_exec_side side[CW_LANES];
    const uint32_t cnt = cw_core__sides(warps, w, mask, side);
    uint64_t value[CW_LANES];
    cw_lanes named = 0;
    for (uint32_t i = 0; i < cnt; i++) {
        cw_core__read_operand(warps, warps->warp[w].dynamic, w, 0, members_of(side[i].uop), value);
        for (cw_lanes left = side[i].lanes; left != 0; left = cw_lanes_rest(left))
            named |= (uint32_t)value[cw_lanes_first(left)];
    }
    return named;
}

/* What lanes have to come to: for an operation with a result the same one with the same qualifiers. */
static uint32_t await_of(const struct cw_uop *u)
{
    if (u->op == CW_OP_BAR || u->op == CW_OP_MMA)
        return CW_AWAIT_HERE;
    return CW_AWAIT_OPERATION((uint32_t)u->op, (uint32_t)u->type, (uint32_t)u->cmp, (uint32_t)u->atom);
}

static const char *name_of(const struct cw_uop *u)
{
    return u->op == CW_OP_BAR ? "bar.warp" : cw_op_mnemonic((enum cw_op)u->op);
}

/* A place in words: "is at line N". */
static const char *in_words(const struct cw_core_blocks *blocks, uint32_t pc, char text[40])
{
    if (pc == CW_PC_NONE)
        snprintf(text, 40, "is on another side of a branch");
    else
        snprintf(text, 40, "is at line %u", blocks->cache.warps.uop[pc].line);
    return text;
}

bool cw_core__awaits(struct cw_core_blocks *blocks, uint32_t w, cw_lanes lanes, cw_lanes named, uint32_t id)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    const struct cw_control_ops *ops = warps->control->ops;
    if (ops->await == NULL || (named & warps->warp[w].live & ~lanes) == 0 || !ops->await(warps->control, w, lanes, named, id))
        return false;
    warps->warp[w].not_before = warps->cycle + warps->stage;
    warps->unusual = true;
    return true;
}

/* Whether lanes of the warp wait for others by themselves, so that at a barrier of the warp nobody misses any. */
static bool waits_apart(const struct cw_core_warps *warps, uint32_t w)
{
    const struct cw_control_ops *ops = warps->control->ops;
    return ops->await != NULL && (ops->stacked == NULL || !ops->stacked(warps->control, w));
}

bool cw_core__members_came(struct cw_core_blocks *blocks, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    const struct cw_opnd o = members_of(u);
    char where[40];
    if (mask == 0 || (o.kind == CW_OPND_NONE && u->op != CW_OP_MMA) || warps->width != CW_LANES || warps->warp[w].in_region || warps->mixes)
        return true;
    const cw_lanes named = u->op == CW_OP_MMA ? UINT32_MAX : named_by(warps, w, mask);
    const cw_lanes absent = missed(blocks, w, named & warps->warp[w].live & ~mask);
    if (absent == 0)
        return true;
    const bool anywhere = u->op == CW_OP_BAR && mask == warps->front[w].active;
    const uint32_t id = anywhere ? CW_AWAIT_WARP : await_of(u);
    const cw_lanes waiting = id == CW_AWAIT_HERE ? warps->front[w].active : mask;
    if ((absent & ~warps->front[w].active) != 0 && cw_core__awaits(blocks, w, waiting, named, id))
        return false;
    if (anywhere && waits_apart(warps, w))
        return true;
    const uint32_t first = cw_lanes_first(absent);
    if (cw_core__checks(warps, CW_CHECK_SYNC)) {
        cw_core__find(warps, CW_CHECK_SYNC, w, cw_lanes_first(mask), u, 0, 0,
                      "%s.sync by lanes 0x%08x names lanes 0x%08x, which have not come; lane %u %s", name_of(u), (uint32_t)mask,
                      (uint32_t)absent, first, in_words(blocks, place_of(blocks, w, first), where));
        return true;
    }
    cw_core__fault(
        warps, w, cw_lanes_first(mask), u, CW_EFAULT,
        "%s.sync by lanes 0x%08x names lanes 0x%08x, which have not come; lane %u %s. PTX 6 waits for them, and a SIMT stack cannot: set "
        "core.divergence=its, or core.convergence=ignore to take the lanes that are there",
        name_of(u), (uint32_t)mask, (uint32_t)absent, first, in_words(blocks, place_of(blocks, w, first), where));
    return false;
}

void cw_core__find_strangers(struct cw_core_blocks *blocks, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    uint64_t members[CW_LANES];
    if (u->src_cnt == 0 || u->src[0].kind == CW_OPND_NONE || warps->width != CW_LANES || warps->mixes)
        return;
    cw_core__read_operand(warps, warps->warp[w].dynamic, w, 0, u->src[0], members);
    for (cw_lanes left = mask; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t lane = cw_lanes_first(left);
        if ((members[lane] >> lane & 1u) == 0)
            cw_core__find(warps, CW_CHECK_SYNC, w, lane, u, 0, 0, "the membermask 0x%08x of %s does not name the lane itself, which is %u",
                          (uint32_t)members[lane], name_of(u), lane);
    }
}

/* Lanes at home in a slot arrive with the warp w; others of those active there do not. */
static bool arrive_home(struct cw_core_blocks *blocks, uint32_t w, uint32_t h, const struct cw_uop *u, cw_lanes come, cw_lanes others)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_warp *home = &warps->warp[h];
    const cw_lanes late = home->passed & come;
    if (late != 0 && cw_core__checks(warps, CW_CHECK_SYNC)) {
        cw_core__find(warps, CW_CHECK_SYNC, w, cw_lanes_first(late), u, 0, 0,
                      "lanes 0x%08llx come to a barrier after their warp has passed the one at line %u without them",
                      (unsigned long long)late, home->passed_line);
        home->passed &= ~late;
    } else if (late != 0) {
        cw_core__fault(
            warps, w, cw_lanes_first(late), u, CW_EFAULT,
            "lanes 0x%08llx come to a barrier after their warp has passed the one at line %u without them. From sm_70 on a barrier "
            "waits for each thread, and a SIMT stack cannot: set core.divergence=its, or core.convergence=ignore to let whole warps pass",
            (unsigned long long)late, home->passed_line);
        return false;
    }
    if (others != 0) {
        home->passed |= others;
        home->passed_line = u->line;
    }
    return true;
}

bool cw_core__arrives(struct cw_core_blocks *blocks, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    const struct cw_warp *warp = &warps->warp[w];
    struct cw_part p;
    bool well = true;
    if (!warps->launch->kernel->threads_apart)
        return true;
    if (warp->dynamic == NULL)
        return arrive_home(blocks, w, w, u, mask, warp->live & ~mask);
    for (uint32_t i = 0; well && cw_core__part(warps, warp->dynamic, w, 0, i, &p); i++)
        well = arrive_home(blocks, w, p.home, u, p.lanes & mask, p.lanes & warps->front[w].active & ~mask);
    return well;
}

/* Whether a lane that has only its end before it still changes memory on the way: then it has not left, but taken another side. */
static bool still_works(const struct cw_core_blocks *blocks, uint32_t pc)
{
    const struct cw_core_warps *const warps = &blocks->cache.warps;
    for (uint32_t steps = 0; steps < warps->launch->kernel->uop_cnt; steps++) {
        const struct cw_uop *u = &warps->uop[pc];
        if (u->op == CW_OP_EXIT && u->guard < 0)
            return false;
        if (u->op == CW_OP_ST || u->op == CW_OP_ATOM || (u->op == CW_OP_BRA && u->guard >= 0))
            return true;
        pc = u->op == CW_OP_BRA ? u->target : pc + 1;
    }
    return false;
}

void cw_core__note_side(struct cw_core_blocks *blocks, uint32_t w, cw_lanes stores)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_warp *warp = &warps->warp[w];
    if (warps->front[w].active == warp->live)
        warp->sided &= ~warp->live;
    else
        warp->sided |= stores;
}

/* Of the warp's lanes those that should come to the barrier and do not. A thread that has returned before its block's barriers is let go, as
 * programs do where they have more threads than elements. One that changes memory on another side than these lanes has taken the other branch
 * of an `if`; one that has been at this barrier before has left a loop whose other threads come again. */
static cw_lanes missed_by_barrier(const struct cw_core_blocks *blocks, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    const struct cw_core_warps *const warps = &blocks->cache.warps;
    const struct cw_warp *warp = &warps->warp[w];
    const cw_lanes absent = warp->live & ~mask, again = warp->came_to == u ? warp->came & ~mask : 0;
    cw_lanes lanes = missed(blocks, w, absent) | again | (warp->sided & ~warp->live);
    for (cw_lanes left = absent & ~lanes; left != 0; left = cw_lanes_rest(left))
        if (still_works(blocks, place_of(blocks, w, cw_lanes_first(left))))
            lanes |= cw_lanes_one(cw_lanes_first(left));
    return lanes;
}

/* Lanes that wait at the barrier already, where a policy lets groups of a warp come one after the other. */
static cw_lanes came_before(const struct cw_core_blocks *blocks, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    const struct cw_core_warps *const warps = &blocks->cache.warps;
    cw_lanes there = 0;
    if (warps->control->ops->await == NULL)
        return 0;
    for (cw_lanes left = warps->warp[w].live & ~mask; left != 0; left = cw_lanes_rest(left))
        if (place_of(blocks, w, cw_lanes_first(left)) == (uint32_t)(u - warps->uop))
            there |= cw_lanes_one(cw_lanes_first(left));
    return there;
}

void cw_core__find_guarded(struct cw_core_blocks *blocks, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    const cw_lanes others = warps->front[w].active & ~mask;
    if (others != 0 && (u->flags & CW_UF_APART) == 0)
        cw_core__find(warps, CW_CHECK_SYNC, w, cw_lanes_first(mask), u, 0, 0,
                      "divergent barrier: lanes 0x%08llx come to it without lanes 0x%08llx of their warp, whose guard is false",
                      (unsigned long long)mask, (unsigned long long)others);
}

bool cw_core__find_waiting_lanes(struct cw_core_blocks *blocks, uint32_t w)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    const struct cw_warp *warp = &warps->warp[w];
    if (warp->wait != CW_WAIT_NONE || warps->front[w].active != 0 || warps->control->ops->await == NULL)
        return false;
    for (cw_lanes left = warp->live; left != 0; left = cw_lanes_rest(left)) {
        const uint32_t lane = cw_lanes_first(left), pc = place_of(blocks, w, lane);
        if (pc == CW_PC_NONE || (warps->op[pc].kind != CW_ISSUE_WARP && warps->op[pc].kind != CW_ISSUE_WARP_BARRIER))
            continue;
        cw_core__find(warps, CW_CHECK_SYNC, w, lane, &warps->uop[pc], 0, 0, "%s.sync waits for ever for lanes of its membermask",
                      name_of(&warps->uop[pc]));
        return true;
    }
    return false;
}

void cw_core__find_divergent(struct cw_core_blocks *blocks, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    char where[40];
    struct cw_warp *warp = &warps->warp[w];
    if (warps->mixes || warp->dynamic != NULL || (u->flags & CW_UF_APART) != 0)
        return;
    mask |= came_before(blocks, w, u, mask);
    const cw_lanes absent = missed_by_barrier(blocks, w, u, mask);
    warp->came = warp->came_to == u ? warp->came | mask : mask;
    warp->came_to = u;
    if (absent == 0)
        return;
    const uint32_t first = cw_lanes_first(absent);
    cw_core__find(warps, CW_CHECK_SYNC, w, cw_lanes_first(mask), u, 0, 0,
                  "divergent barrier: lanes 0x%08llx come to it without lanes 0x%08llx of their warp; lane %u %s", (unsigned long long)mask,
                  (unsigned long long)absent, first,
                  cw_lanes_has(warp->live, first) ? in_words(blocks, place_of(blocks, w, first), where) : "has ended");
}

void cw_core__pass_over_held(struct cw_core_blocks *blocks, const struct cw_block *block, uint32_t line)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    if (warps->control->ops->below == NULL)
        return;
    for (uint32_t w = 0; w < warps->config->core_warps; w++) {
        const bool ours = warps->warp[w].wait != CW_WAIT_FREE && &warps->block[warps->warp[w].block] == block;
        const cw_lanes lanes = ours ? warps->control->ops->below(warps->control, w) : 0;
        if (lanes == 0)
            continue;
        warps->warp[w].passed |= lanes;
        warps->warp[w].passed_line = line;
    }
}
