/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Barriers of a block. They count threads: those that arrive with a warp, which the control policy says (control.h, barrier). Without a
 * count a barrier waits for all threads of the block that have not exited, so a warp that exits completes it for the others. With a count a
 * warp counts with all its lanes, and the count is rounded up to warps (PTX ISA, bar). bar.warp.sync needs nothing: the lanes of a warp
 * execute in lock step and its memory instructions in order. converge.c sees that nobody is missed who has to come.
 */
#include "core/blocks/blocks.h"

static void write_half(const struct cw_exec *x, const struct cw_uop *u, uint32_t lanes, const struct cw_barrier *b)
{
    const uint32_t idx = u->dst[0].idx;
    if (u->dst[0].kind == CW_OPND_PRED) {
        uint32_t *p = &x->pred[idx * x->pred_stride];
        bool v = u->cmp == CW_BAR_RED_AND ? b->all : b->any;
        *p = (*p & ~lanes) | (v ? lanes : 0);
    } else if (u->dst[0].kind == CW_OPND_R32) {
        for (; lanes != 0; lanes &= lanes - 1)
            x->r32[idx * x->r32_stride + (uint32_t)__builtin_ctz(lanes)] = b->popc;
    }
}

static void write_reduction(struct cw_core_blocks *blocks, const struct cw_warp *warp, const struct cw_barrier *b)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    const struct cw_uop *u = warp->bar_uop;
    const uint32_t w = (uint32_t)(warp - warps->warp);
    struct cw_part p;
    if (u->dst_cnt == 0)
        return;
    for (uint32_t half = 0; half < warps->halves; half++)
        for (uint32_t i = 0; cw_core__part(warps, warp->dynamic, w, half, i, &p); i++)
            write_half(p.x, u, cw_lanes_half(warp->bar_lanes, half) & p.lanes, b);
    cw_core__set_slots(warps, warp->dynamic, w, &warps->op[u - warps->uop],
                       cw_core__past_collectors(warps) + blocks->result_stages + warps->config->fu_alu_latency);
}

/* Threads at home in a slot that have waited by themselves, each at its instruction, get the result of a reduction there. */
static void write_home(struct cw_core_blocks *blocks, struct cw_warp *home, uint32_t lanes, const struct cw_barrier *b)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    const struct cw_uop *const *insn = &blocks->bar_insn[(size_t)(home - warps->warp) * CW_LANES];
    while (lanes != 0) {
        const struct cw_uop *u = insn[__builtin_ctz(lanes)];
        uint32_t same = 0;
        for (uint32_t left = lanes; left != 0; left &= left - 1)
            same |= insn[__builtin_ctz(left)] == u ? left & -left : 0;
        lanes &= ~same;
        if (u->dst_cnt == 0)
            continue;
        write_half(&home->x[0], u, same, b);
        cw_scoreboard_set(home->slot_cycle, &warps->op[u - warps->uop],
                          cw_core__past_collectors(warps) + blocks->result_stages + warps->config->fu_alu_latency);
    }
}

/* Where warps mix blocks a thread waits by itself. */
static void release_homes(struct cw_core_blocks *blocks, const struct cw_block *block, struct cw_barrier *b, uint32_t id)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    for (uint32_t w = 0; w < warps->config->core_warps; w++) {
        struct cw_warp *home = &warps->warp[w];
        const uint32_t lanes = home->bar_waiting[id];
        if (home->wait == CW_WAIT_FREE || lanes == 0 || &warps->block[home->block] != block)
            continue;
        home->bar_waiting[id] = 0;
        write_home(blocks, home, lanes, b);
        cw_core__progress(warps, home);
        warps->control->ops->resume(warps->control, w, lanes);
    }
}

static void release(struct cw_core_blocks *blocks, const struct cw_block *block, struct cw_barrier *b)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    const uint32_t id = (uint32_t)(b - block->barrier), cycles = warps->config->core_barrier_cycles;
    const uint64_t latency = warps->barrier_free > warps->cycle + cycles ? warps->barrier_free - warps->cycle : cycles;
    if (cw_events_want(warps->cfg.stream, CW_EVENT_SYNC))
        cw_core__tell_pass(warps, (uint32_t)(block - warps->block), id);
    cw_core__order_block(blocks, (uint32_t)(block - warps->block));
    for (uint32_t w = b->waiting; b->waits > 0; b->waits--) {
        struct cw_warp *warp = &warps->warp[w];
        const uint32_t next = warp->bar_next;
        write_reduction(blocks, warp, b);
        warp->wait = CW_WAIT_NONE;
        warp->not_before = warps->cycle + (warps->stage > latency ? warps->stage : latency);
        if (warps->stalls != NULL && latency > warps->stage)
            warps->stalls->delay[w] = CW_STALL_BARRIER;
        cw_core__progress(warps, warp);
        if (blocks->dynamic != NULL)
            cw_control_advance(warps->control, w, cw_core__pc(warps, w) + 1);
        cw_core__requeue(warps, w);
        w = next;
    }
    if (warps->mixes)
        release_homes(blocks, block, b, id);
    for (uint32_t w = 0; blocks->dynamic != NULL && w < warps->config->core_warps; w++)
        if (&warps->block[warps->warp[w].block] == block)
            warps->warp[w].bar_homes &= (uint16_t) ~(1u << id);
    *b = (struct cw_barrier){0};
}

static void check(struct cw_core_blocks *blocks, const struct cw_block *block, struct cw_barrier *b)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    uint32_t (*const held)(const struct cw_control *, uint32_t) = warps->control->ops->held;
    if (b->places == 0)
        return;
    const uint32_t also = held != NULL ? held(warps->control, (uint32_t)(block - warps->block)) : 0;
    const bool complete = b->expected != 0 ? b->places >= b->expected : b->arrived + also >= block->threads_live;
    if (!complete)
        return;
    if (also != 0 && b->expected == 0 && b->waits != 0 && warps->config->core_convergence == CW_CONVERGENCE_CHECK)
        cw_core__pass_over_held(blocks, block, warps->warp[b->waiting].bar_uop->line);
    release(blocks, block, b);
}

/* Predicate operand o of a half, a bit per lane. */
static uint32_t predicate(const struct cw_exec *x, struct cw_opnd o)
{
    uint32_t p = UINT32_MAX;
    if (o.kind == CW_OPND_PRED)
        p = x->pred[(uint32_t)o.idx * x->pred_stride];
    else if (o.kind == CW_OPND_CPRED)
        p = o.idx != 0 ? UINT32_MAX : 0;
    return o.neg ? ~p : p;
}

static void reduce(const struct cw_core_blocks *blocks, uint32_t w, struct cw_barrier *b, const struct cw_uop *u, cw_lanes lanes)
{
    const struct cw_core_warps *const warps = &blocks->cache.warps;
    cw_lanes p = 0;
    struct cw_part part;
    for (uint32_t half = 0; half < warps->halves; half++)
        for (uint32_t i = 0; cw_core__part(warps, warps->warp[w].dynamic, w, half, i, &part); i++)
            p |= (cw_lanes)(predicate(part.x, u->src[2]) & part.lanes) << (CW_LANES * half);
    b->popc += cw_lanes_count(p & lanes);
    b->all = (b->places == 0 || b->all) && (p & lanes) == lanes;
    b->any = b->any || (p & lanes) != 0;
}

static bool is_reduction(const struct cw_uop *u)
{
    return u->cmp >= CW_BAR_RED_POPC && u->cmp <= CW_BAR_RED_OR;
}

/* Lanes of a warp with threads of one block. */
static uint32_t lanes_of(const struct cw_core_blocks *blocks, const struct cw_dynamic_warp *dynamic, uint32_t block)
{
    const struct cw_core_warps *const warps = &blocks->cache.warps;
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < dynamic->cnt; i++)
        lanes |= warps->warp[dynamic->part[i].home].block == block ? dynamic->part[i].lanes : 0;
    return lanes;
}

/* A dynamic warp takes a place for each of its threads. With the first thread of a home come those that the home does not have any more. */
static uint32_t places(struct cw_core_blocks *blocks, uint32_t w, uint64_t id)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_part p;
    uint32_t n = 0;
    for (uint32_t i = 0; cw_core__part(warps, warps->warp[w].dynamic, w, 0, i, &p); i++) {
        struct cw_warp *home = &warps->warp[p.home];
        n += (uint32_t)__builtin_popcount(p.lanes & (uint32_t)warps->front[w].active);
        if ((home->bar_homes >> id & 1u) == 0)
            n += warps->width - cw_lanes_count(home->live);
        home->bar_homes |= (uint16_t)(1u << id);
    }
    return n;
}

/* The threads of one block in a warp. */
static void arrive_block(struct cw_core_blocks *blocks, const struct cw_dynamic_warp *dynamic, const struct cw_uop *u, uint32_t mask,
                         struct cw_barrier *b, uint32_t block)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    const uint32_t id = (uint32_t)(b - warps->block[block].barrier);
    for (uint32_t i = 0; i < dynamic->cnt; i++) {
        struct cw_warp *home = &warps->warp[dynamic->part[i].home];
        const uint32_t lanes = dynamic->part[i].lanes & mask;
        if (home->block != block || lanes == 0)
            continue;
        b->arrived += (uint32_t)__builtin_popcount(lanes);
        b->places += (uint32_t)__builtin_popcount(lanes);
        if ((home->bar_homes >> id & 1u) == 0)
            b->places += warps->width - cw_lanes_count(home->live);
        home->bar_homes |= (uint16_t)(1u << id);
        if (u->cmp == CW_BAR_ARRIVE)
            continue;
        home->bar_waiting[id] |= lanes;
        for (uint32_t left = lanes; left != 0; left &= left - 1)
            blocks->bar_insn[dynamic->part[i].home * CW_LANES + (uint32_t)__builtin_ctz(left)] = u;
    }
}

/* What an instruction says in its first lane, and the lanes that say the same. */
struct said {
    uint32_t id;
    uint32_t count; /* threads; 0: all of the block */
    cw_lanes lanes;
};

/* Whether the operand may differ by lane. */
static bool is_register(struct cw_opnd o)
{
    return o.kind == CW_OPND_R32;
}

static uint32_t known(const struct cw_core_warps *warps, uint32_t w, struct cw_opnd o)
{
    const struct cw_kernel *k = warps->warp[w].x[0].kernel;
    return o.kind == CW_OPND_C32 ? k->c32[(size_t)o.idx * CW_LANES] : 0;
}

static void read_lanes(const struct cw_core_warps *warps, uint32_t w, const struct cw_uop *u, cw_lanes lanes, struct said *s)
{
    uint64_t id[CW_WARP_LANES_MAX] = {0}, count[CW_WARP_LANES_MAX] = {0};
    const uint32_t first = cw_lanes_first(lanes);
    cw_core__read_warp(warps, w, u->src[0], id);
    if (u->src_cnt > 1 && u->src[1].kind != CW_OPND_NONE)
        cw_core__read_warp(warps, w, u->src[1], count);
    *s = (struct said){(uint32_t)id[first], (uint32_t)count[first], lanes};
    for (cw_lanes left = lanes; left != 0; left = cw_lanes_rest(left))
        if (id[cw_lanes_first(left)] != s->id || count[cw_lanes_first(left)] != s->count)
            s->lanes &= ~cw_lanes_one(cw_lanes_first(left));
}

/* false: a fault, the first lane names no barrier. */
static bool read_said(struct cw_core_blocks *blocks, uint32_t w, const struct cw_uop *u, cw_lanes lanes, struct said *s)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    const uint32_t first = cw_lanes_first(lanes);
    const bool has_id = u->src_cnt > 0, has_count = u->src_cnt > 1 && u->src[1].kind != CW_OPND_NONE;
    if ((has_id && is_register(u->src[0])) || (has_count && is_register(u->src[1])))
        read_lanes(warps, w, u, lanes, s);
    else
        *s = (struct said){has_id ? known(warps, w, u->src[0]) : 0, has_count ? known(warps, w, u->src[1]) : 0, lanes};
    if (s->id >= CW_BARRIERS)
        cw_core__fault(warps, w, first, u, CW_EFAULT, "barrier number above 15");
    return s->id < CW_BARRIERS;
}

/* The lanes leave their warp, each to wait for its own block; those of bar.arrive go on. */
static void arrive_mixed(struct cw_core_blocks *blocks, uint32_t w, const struct cw_uop *u, const struct cw_dynamic_warp *dynamic,
                         const struct said *s)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    const uint32_t lanes = (uint32_t)s->lanes;
    for (uint32_t left = is_reduction(u) ? dynamic->blocks : 0; left != 0; left &= left - 1) {
        const uint32_t block = (uint32_t)__builtin_ctz(left), own = lanes_of(blocks, dynamic, block) & lanes;
        if (own != 0)
            reduce(blocks, w, &warps->block[block].barrier[s->id], u, own);
    }
    if (u->cmp != CW_BAR_ARRIVE)
        warps->control->ops->barrier(warps->control, w, lanes, warps->front[w].active);
    for (uint32_t left = dynamic->blocks; left != 0; left &= left - 1) {
        const uint32_t block = (uint32_t)__builtin_ctz(left);
        struct cw_barrier *b = &warps->block[block].barrier[s->id];
        if (s->count != 0)
            b->expected = (s->count + warps->width - 1) / warps->width * warps->width;
        arrive_block(blocks, dynamic, u, lanes, b, block);
    }
}

/* The lanes whose guard is true arrive, those that name one barrier together; the others go on. */
static void barrier_mixed(struct cw_core_blocks *blocks, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    const struct cw_dynamic_warp dynamic = *warps->warp[w].dynamic; /* the policy may use the slot again */
    const uint32_t pc = cw_core__pc(warps, w);
    struct said s;
    uint32_t named = 0;
    for (cw_lanes left = mask; left != 0; left &= ~s.lanes, named |= 1u << s.id)
        if (!read_said(blocks, w, u, left, &s))
            return;
    for (cw_lanes left = mask; left != 0 && !warps->faulted; left &= ~s.lanes) {
        read_said(blocks, w, u, left, &s);
        cw_core__synced(warps, w, u->cmp == CW_BAR_ARRIVE ? CW_SYNC_SIGNAL : CW_SYNC_ARRIVE, s.lanes, s.id);
        arrive_mixed(blocks, w, u, &dynamic, &s);
    }
    if (warps->faulted)
        return;
    if (warps->front[w].active != 0)
        cw_control_advance(warps->control, w, pc + 1);
    for (; named != 0; named &= named - 1)
        for (uint32_t left = dynamic.blocks; left != 0; left &= left - 1) {
            struct cw_block *block = &warps->block[__builtin_ctz(left)];
            check(blocks, block, &block->barrier[__builtin_ctz(named)]);
        }
}

/* A warp waits at one barrier at a time. false: a fault, its lanes name more. */
static bool say_one(struct cw_core_blocks *blocks, uint32_t w, const struct cw_uop *u, cw_lanes mask, struct said *s)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct said other;
    if (!read_said(blocks, w, u, mask, s))
        return false;
    if (s->lanes == mask)
        return true;
    if (!read_said(blocks, w, u, mask & ~s->lanes, &other))
        return false;
    const uint32_t lane = cw_lanes_first(mask & ~s->lanes);
    if (other.id != s->id)
        cw_core__fault(warps, w, lane, u, CW_EFAULT,
                       "the thread comes to barrier %u, and others of its warp to barrier %u: a warp waits at one "
                       "barrier at a time; core.divergence=dwf lets each thread wait at its own",
                       other.id, s->id);
    else
        cw_core__fault(warps, w, lane, u, CW_EFAULT, "the thread says that barrier %u has %u threads, and others of its warp say %u", s->id,
                       other.count, s->count);
    return false;
}

__attribute__((noinline)) void cw_core__barrier(struct cw_core_blocks *blocks, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_warp *warp = &warps->warp[w];
    struct cw_block *block = &warps->block[warp->block];
    struct said s;
    if (mask == 0)
        return;
    warps->cfg.stats->barriers++;
    if (warps->config->core_barrier_interval != 0)
        warps->barrier_free =
            (warps->barrier_free > warps->cycle ? warps->barrier_free : warps->cycle) + warps->config->core_barrier_interval;
    if (warps->mixes) {
        barrier_mixed(blocks, w, u, mask);
        return;
    }
    if (!say_one(blocks, w, u, mask, &s))
        return;
    if (warp->in_region) {
        cw_core__fault(warps, w, cw_lanes_first(mask), u, CW_EFAULT, "barrier inside a transaction");
        return;
    }
    if (cw_core__checks(warps, CW_CHECK_SYNC))
        cw_core__find_divergent(blocks, w, u, mask);
    if (warps->config->core_convergence == CW_CONVERGENCE_CHECK && warps->control->ops->await == NULL &&
        !cw_core__arrives(blocks, w, u, mask))
        return;
    cw_core__synced(warps, w, u->cmp == CW_BAR_ARRIVE ? CW_SYNC_SIGNAL : CW_SYNC_ARRIVE, mask, s.id);
    struct cw_barrier *b = &block->barrier[s.id];
    if (s.count != 0)
        b->expected = (s.count + warps->width - 1) / warps->width * warps->width;
    if (is_reduction(u))
        reduce(blocks, w, b, u, mask);
    b->arrived +=
        cw_lanes_count(warps->control->ops->barrier(warps->control, w, mask, warp->dynamic != NULL ? warps->front[w].active : warp->live));
    b->places += warp->dynamic != NULL ? places(blocks, w, s.id) : warps->width;
    if (u->cmp != CW_BAR_ARRIVE) {
        warp->bar_next = (uint16_t)b->waiting;
        b->waiting = w;
        b->waits++;
        warp->wait = CW_WAIT_BARRIER;
        warp->bar_lanes = mask;
        warp->bar_id = (uint8_t)s.id;
        warp->bar_uop = u;
    } else if (blocks->dynamic != NULL) {
        cw_control_advance(warps->control, w, cw_core__pc(warps, w) + 1);
    }
    check(blocks, block, b);
}

bool cw_core__barrier_waits(struct cw_core_blocks *blocks, uint32_t w, const struct cw_uop *u, cw_lanes mask)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct said s;
    if (warps->control->ops->await == NULL || !read_said(blocks, w, u, mask, &s))
        return false;
    if (cw_core__checks(warps, CW_CHECK_SYNC))
        cw_core__find_guarded(blocks, w, u, mask);
    return cw_core__awaits(blocks, w, mask, warps->warp[w].live, is_reduction(u) ? CW_AWAIT_HERE : s.id);
}

void cw_core__barrier_exit(struct cw_core_blocks *blocks, struct cw_block *b)
{
    for (uint32_t i = 0; i < CW_BARRIERS; i++)
        check(blocks, b, &b->barrier[i]);
}

/* Where a barrier's other threads are, of which one that has not come is named. */
static void find_at(struct cw_core_blocks *blocks, uint32_t w)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    const struct cw_warp *warp = &warps->warp[w];
    const struct cw_block *block = &warps->block[warp->block];
    const struct cw_barrier *b = &block->barrier[warp->bar_id];
    char other[80] = "";
    for (uint32_t i = 0; i < warps->config->core_warps && other[0] == '\0'; i++)
        if (i != w && warps->warp[i].wait != CW_WAIT_FREE && warps->warp[i].block == warp->block &&
            (warps->warp[i].wait != CW_WAIT_BARRIER || warps->warp[i].bar_id != warp->bar_id) && warps->warp[i].live != 0)
            snprintf(other, sizeof other, "; warp %u of the block is at line %u", warps->warp[i].number,
                     warps->uop[cw_core__pc(warps, i)].line);
    cw_core__find(warps, CW_CHECK_SYNC, w, cw_lanes_first(warp->bar_lanes), warp->bar_uop, 0, 0,
                  "waits for ever at barrier %u: %u of %u threads have come%s", warp->bar_id, b->expected != 0 ? b->places : b->arrived,
                  b->expected != 0 ? b->expected : block->threads_live, other);
}

void cw_core__find_waiting(struct cw_core_blocks *blocks)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    uint32_t told = 0; /* blocks */
    for (uint32_t w = 0; cw_core__checks(warps, CW_CHECK_SYNC) && w < warps->config->core_warps; w++)
        if (cw_core__find_waiting_lanes(blocks, w))
            told |= 1u << warps->warp[w].block;
    for (uint32_t w = 0; cw_core__checks(warps, CW_CHECK_SYNC) && w < warps->config->core_warps; w++) {
        if (warps->warp[w].wait != CW_WAIT_BARRIER || warps->mixes || (told >> warps->warp[w].block & 1u) != 0)
            continue;
        told |= 1u << warps->warp[w].block;
        find_at(blocks, w);
    }
}
