/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dynamic warp formation (Fung 2015, 2.4 and 3.2): after every instruction the threads of a warp go back by their next PCs, and make warps
 * with others of the core. README.md tells the protocol. The table that finds a warp to join is the unit warp_lut.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "adapt/warp_lut.h"
#include "base/config.h"
#include "base/machine.h"
#include "control/control.h"

#define SLOTS  32u
#define BLOCKS 32u
#define NAMES  CW_ADAPT_WARP_LUT_NAMES
#define NONE   UINT32_MAX
#define QUEUE  4096u /* updates that wait; issue stops long before (may_issue) */

struct dwf_keys {
#define X CW_KEY_FIELD
#include "control/dwf/keys.def"
#undef X
};

static const struct cw_key key[] = {
#define X CW_KEY_NUMBER
#include "control/dwf/keys.def"
#undef X
};

struct dwf_counters {
#define X CW_COUNTER_FIELD
#include "control/dwf/counters.def"
#undef X
};

static const struct cw_counter counter[] = {
#define X CW_COUNTER_SUM
#include "control/dwf/counters.def"
#undef X
};

/* Threads, one of a lane at most. */
struct group {
    uint32_t pc, lanes;
    uint8_t home[CW_WARP_LANES_MAX];
};

/* Threads whose instruction has issued, with their next PC, until it is complete. */
struct flight {
    struct group g;
    uint64_t at; /* the cycle in which they go on; UINT64_MAX: not known */
};

/* A warp that has not issued. */
struct warp {
    struct group g;  /* lanes 0: there is no warp of this name */
    uint32_t slot;   /* NONE: it has none yet */
    uint32_t at;     /* in the list of warps */
    uint32_t blocks; /* without a slot: bit per block that has threads in it; 0: not worked out yet */
    bool is_static;  /* the table does not know it */
};

/* With warp barriers: the threads at home in a slot. */
struct home {
    uint32_t live;  /* lanes that have not exited */
    bool apart;     /* they have parted at a branch, and meet where its sides do */
    uint32_t meet;  /* then: at this PC; CW_PC_NONE: nowhere */
    uint32_t there; /* lanes that wait there */
    uint64_t since; /* then: the first one from this cycle on */
};

struct dwf {
    struct cw_control control;
    struct cw_control_config config;
    const struct dwf_keys *keys;
    struct dwf_counters *counters;
    struct cw_adapt_warp_lut *lut;
    struct warp warp[NAMES];
    uint32_t list[NAMES], list_cnt;                  /* names of warps */
    uint32_t free[NAMES], free_cnt;                  /* names that nobody has */
    uint32_t closed[NAMES], closed_head, closed_cnt; /* names that the table may still know, in order */
    struct group *queue;                             /* ring */
    uint32_t queue_head, queue_cnt;
    struct flight *flight; /* in the order of issue; NULL: threads go on when their instruction has issued */
    uint32_t flight_cnt;
    uint64_t flight_next; /* the first of their cycles; 0: some are not known, and may be now */
    struct group sent;    /* the update that the table answers next */
    uint32_t sent_name;
    bool is_sent;
    uint32_t *threads; /* [pc] of warps */
    bool *in_heap;     /* [pc]: it has an entry of the majority heap */
    uint32_t heap_cnt;
    uint32_t pcs;
    uint32_t majority;                        /* PC that issues */
    uint32_t slotless;                        /* warps that have no slot */
    uint32_t slot_name[SLOTS];                /* NONE: it is free */
    uint32_t free_slots;                      /* a bit for each of these */
    uint32_t block_slots[BLOCKS], used_slots; /* of each block that runs, and of all of them */
    uint32_t slot_block[SLOTS];
    uint32_t live[BLOCKS];               /* threads of the block that have not exited */
    uint32_t holding;                    /* blocks with threads that have come to a warp barrier since the last tick */
    bool has_barriers;                   /* dwf-wb */
    struct home home[SLOTS];             /* then */
    uint32_t resume_at[SLOTS][CW_LANES]; /* by home: where a thread goes on behind its barrier */
};

static struct dwf *of(struct cw_control *p)
{
    return (struct dwf *)p;
}

/* ---- threads on their way to the table ---- */

static void enqueue(struct dwf *d, const struct group *g)
{
    assert(d->queue_cnt < QUEUE);
    d->queue[(d->queue_head + d->queue_cnt++) % QUEUE] = *g;
    d->counters->dwf_threads_in += (uint32_t)__builtin_popcount(g->lanes);
    d->config.host.wake(d->config.host.context);
}

/* Threads of one instruction, which is complete for all of them at once, go to the table, now or then. */
static void send(struct dwf *d, uint32_t pc, uint32_t lanes, const uint8_t *home)
{
    struct group g = {.pc = pc, .lanes = lanes};
    if (lanes == 0)
        return;
    memcpy(g.home, home, sizeof g.home);
    if (d->flight == NULL) {
        enqueue(d, &g);
        return;
    }
    d->flight[d->flight_cnt++] = (struct flight){.g = g, .at = UINT64_MAX};
    d->flight_next = 0;
    d->config.host.wake(d->config.host.context);
}

static void completed(struct cw_control *p)
{
    struct dwf *d = of(p);
    if (d->flight_cnt == 0)
        return;
    d->flight_next = 0;
    d->config.host.wake(d->config.host.context);
}

/* Those whose instruction is complete go to the table. */
static void land(struct dwf *d, uint64_t cycle)
{
    uint32_t kept = 0;
    d->flight_next = UINT64_MAX;
    for (uint32_t i = 0; i < d->flight_cnt; i++) {
        struct flight *f = &d->flight[i];
        const uint32_t lane = (uint32_t)__builtin_ctz(f->g.lanes);
        if (f->at == UINT64_MAX)
            f->at = d->config.host.done(d->config.host.context, f->g.home[lane], lane);
        if (f->at <= cycle) {
            enqueue(d, &f->g);
            continue;
        }
        d->flight_next = f->at < d->flight_next ? f->at : d->flight_next;
        d->flight[kept++] = *f;
    }
    d->flight_cnt = kept;
}

/* ---- the majority heap ---- */

/* A PC without threads gives its entry back. */
static void leave_heap(struct dwf *d, uint32_t pc)
{
    if (d->threads[pc] != 0 || !d->in_heap[pc])
        return;
    d->in_heap[pc] = false;
    d->heap_cnt--;
}

/* Whether the PC of a warp has an entry; it takes a free one. */
static bool enter_heap(struct dwf *d, uint32_t pc)
{
    if (!d->in_heap[pc] && d->heap_cnt < d->keys->heap_entries) {
        d->in_heap[pc] = true;
        d->heap_cnt++;
    }
    return d->in_heap[pc];
}

/* ---- warps ---- */

static void begin_warp(struct dwf *d, uint32_t name, const struct group *from, uint32_t lanes)
{
    struct warp *w = &d->warp[name];
    *w = (struct warp){.g = *from, .slot = NONE, .at = d->list_cnt};
    w->g.lanes = lanes;
    d->list[d->list_cnt++] = name;
    d->slotless++;
    d->threads[from->pc] += (uint32_t)__builtin_popcount(lanes);
    enter_heap(d, from->pc);
    d->counters->dwf_warps_made++;
}

/* The warp has issued, or its last thread has gone: it is no more, and the table hears of it. */
static void end_warp(struct dwf *d, uint32_t name)
{
    struct warp *w = &d->warp[name];
    if (w->slot != NONE) {
        d->slot_name[w->slot] = NONE;
        d->free_slots |= 1u << w->slot;
        d->control.front[w->slot].active = 0;
    } else {
        d->slotless--;
    }
    d->list[w->at] = d->list[--d->list_cnt];
    d->warp[d->list[w->at]].at = w->at;
    d->threads[w->g.pc] -= (uint32_t)__builtin_popcount(w->g.lanes);
    w->g.lanes = 0;
    leave_heap(d, w->g.pc);
    if (w->is_static)
        d->free[d->free_cnt++] = name;
    else
        d->closed[(d->closed_head + d->closed_cnt++) % NAMES] = name;
    d->counters->dwf_warps_ended++;
    d->config.host.wake(d->config.host.context);
}

static void put_into_slot(struct dwf *d, uint32_t name, uint32_t slot)
{
    struct warp *w = &d->warp[name];
    d->slotless -= w->slot == NONE;
    w->slot = slot;
    d->slot_name[slot] = name;
    d->free_slots &= ~(1u << slot);
    d->control.front[slot] = (struct cw_front){.pc = w->g.pc, .stop = w->g.pc + 1, .active = w->g.lanes};
    d->config.host.form(d->config.host.context, slot, w->g.lanes, w->g.home, true);
}

static uint32_t blocks_of(const struct dwf *d, const struct group *g)
{
    uint32_t blocks = 0;
    for (uint32_t left = g->lanes; left != 0; left &= left - 1)
        blocks |= 1u << d->slot_block[g->home[__builtin_ctz(left)]];
    return blocks;
}

/* Slots of these blocks. */
static uint32_t slots_of(const struct dwf *d, uint32_t blocks)
{
    uint32_t slots = 0;
    for (; blocks != 0; blocks &= blocks - 1)
        slots |= d->block_slots[__builtin_ctz(blocks)];
    return slots;
}

/* The warp takes the first free slot of a block that has threads in it, if there is one. */
static void find_slot(struct dwf *d, uint32_t name)
{
    struct warp *w = &d->warp[name];
    if (w->blocks == 0)
        w->blocks = blocks_of(d, &w->g);
    const uint32_t slots = slots_of(d, w->blocks) & d->free_slots;
    if (slots != 0)
        put_into_slot(d, name, (uint32_t)__builtin_ctz(slots));
}

/* Warps take slots: those of the majority first. Slots of no block are not free for anyone. */
static void fill_slots(struct dwf *d)
{
    for (uint32_t others = 0; others < 2; others++)
        for (uint32_t i = 0; d->slotless != 0 && (d->free_slots & d->used_slots) != 0 && i < d->list_cnt; i++) {
            const struct warp *w = &d->warp[d->list[i]];
            if (w->slot == NONE && (w->g.pc == d->majority) == (others == 0))
                find_slot(d, d->list[i]);
        }
}

/* ---- warp barriers ---- */

/* Threads at home in one slot go on as a warp of their own. */
static void go_static(struct dwf *d, uint32_t home, uint32_t pc, uint32_t lanes)
{
    struct group g = {.pc = pc};
    memset(g.home, (int)home, sizeof g.home);
    const uint32_t name = d->free[--d->free_cnt];
    begin_warp(d, name, &g, lanes);
    d->warp[name].is_static = true;
    d->counters->dwf_threads_in += (uint32_t)__builtin_popcount(lanes);
    d->config.host.wake(d->config.host.context);
}

/* All threads of a home are at its warp barrier. */
static void meet(struct dwf *d, uint32_t home)
{
    struct home *h = &d->home[home];
    if (!h->apart || h->there == 0 || h->there != h->live)
        return;
    h->apart = false;
    d->counters->warp_barrier_wait_cycles += *d->config.host.cycle - h->since;
    go_static(d, home, h->meet, h->there);
}

/* Lanes at home in one slot have this next PC. Returns those that go to the table. */
static uint32_t go_home(struct dwf *d, uint32_t home, uint32_t pc, uint32_t lanes)
{
    struct home *h = &d->home[home];
    if (!h->apart) {
        go_static(d, home, pc, lanes);
        return 0;
    }
    if (pc != h->meet)
        return lanes;
    if (h->there == 0)
        h->since = *d->config.host.cycle;
    h->there |= lanes;
    d->holding |= 1u << d->slot_block[home];
    d->config.host.wake(d->config.host.context);
    meet(d, home);
    return 0;
}

/* Threads go on at a PC. */
static void go(struct dwf *d, uint32_t pc, uint32_t lanes, const uint8_t *home)
{
    uint32_t table = d->has_barriers ? 0 : lanes;
    for (uint32_t left = d->has_barriers ? lanes : 0; left != 0;) {
        const uint32_t h = home[__builtin_ctz(left)];
        uint32_t own = 0;
        for (uint32_t rest = left; rest != 0; rest &= rest - 1)
            own |= home[__builtin_ctz(rest)] == h ? rest & -rest : 0;
        table |= go_home(d, h, pc, own);
        left &= ~own;
    }
    send(d, pc, table, home);
}

/* A branch has parted the threads of a warp. Those of a home that were together until now meet where its sides do. */
static void part(struct dwf *d, const struct group *g, uint32_t rpc)
{
    for (uint32_t left = g->lanes; d->has_barriers && left != 0; left &= left - 1) {
        struct home *h = &d->home[g->home[__builtin_ctz(left)]];
        if (!h->apart)
            *h = (struct home){.live = h->live, .apart = true, .meet = rpc};
    }
}

/* ---- the table's answers ---- */

static void join(struct dwf *d, uint32_t name, uint32_t lanes)
{
    struct warp *w = &d->warp[name];
    if (w->g.lanes == 0 || w->g.pc != d->sent.pc) { /* it has issued since the table was asked */
        begin_warp(d, d->free[--d->free_cnt], &d->sent, lanes);
        return;
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1)
        w->g.home[__builtin_ctz(left)] = d->sent.home[__builtin_ctz(left)];
    w->g.lanes |= lanes;
    w->blocks = 0;
    d->threads[w->g.pc] += (uint32_t)__builtin_popcount(lanes);
    if (w->slot != NONE)
        put_into_slot(d, name, w->slot);
}

static void take_answer(struct dwf *d, const struct cw_adapt_warp_lut_view *v)
{
    d->counters->dwf_joins += v->join_lanes != 0;
    d->counters->dwf_splits += v->join_lanes != 0 && v->begin_lanes != 0;
    d->counters->dwf_lut_evictions += v->evicted;
    if (v->begin_lanes != 0)
        begin_warp(d, v->begin, &d->sent, v->begin_lanes);
    else
        d->free[d->free_cnt++] = d->sent_name;
    if (v->join_lanes != 0)
        join(d, v->join, v->join_lanes);
}

static bool clock(struct dwf *d)
{
    struct cw_adapt_warp_lut_in in = {0};
    struct cw_adapt_warp_lut_view v;
    const bool was_sent = d->is_sent;
    uint32_t closed = NONE;
    if (d->closed_cnt != 0) {
        in.close = true;
        in.closed = closed = d->closed[d->closed_head];
        d->closed_head = (d->closed_head + 1) % NAMES;
        d->closed_cnt--;
    }
    const struct group *next = d->queue_cnt != 0 && d->free_cnt > 2 + SLOTS ? &d->queue[d->queue_head] : NULL;
    uint32_t name = NONE;
    if (next != NULL) {
        name = d->free[--d->free_cnt];
        in.update = true;
        in.pc = next->pc;
        in.lanes = next->lanes;
        in.name = name;
    }
    cw_adapt_warp_lut_clock(d->lut, &in, &v);
    assert(v.answer == was_sent);
    if (v.answer)
        take_answer(d, &v);
    d->is_sent = next != NULL;
    if (next != NULL) {
        d->sent = *next;
        d->sent_name = name;
        d->queue_head = (d->queue_head + 1) % QUEUE;
        d->queue_cnt--;
    }
    if (closed != NONE) /* an answer of the update before may have named it; later ones do not */
        d->free[d->free_cnt++] = closed;
    return d->is_sent || d->queue_cnt != 0 || d->closed_cnt != 0;
}

static uint64_t tick(struct cw_control *p, uint64_t cycle)
{
    struct dwf *d = of(p);
    const uint32_t stage = d->config.config->core_stage_cycles;
    if (cycle % stage != 0)
        return (cycle / stage + 1) * stage;
    for (; d->holding != 0; d->holding &= d->holding - 1)
        d->config.host.hold(d->config.host.context, (uint32_t)__builtin_ctz(d->holding));
    if (d->flight_next <= cycle)
        land(d, cycle);
    const bool more = clock(d);
    fill_slots(d);
    return more ? cycle + stage : d->flight_next;
}

/* ---- what the core says ---- */

static void block_start(struct cw_control *p, uint32_t block, const struct cw_slots *slots)
{
    struct dwf *d = of(p);
    d->live[block] = 0;
    d->block_slots[block] = (uint32_t)slots->word[0];
    d->used_slots |= d->block_slots[block];
    for (uint64_t warps = slots->word[0]; warps != 0; warps &= warps - 1)
        d->slot_block[__builtin_ctzll(warps)] = block;
}

static void start(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    struct dwf *d = of(p);
    uint8_t home[CW_WARP_LANES_MAX];
    memset(home, (int)warp, sizeof home);
    p->front[warp] = (struct cw_front){.stop = CW_PC_NONE};
    d->live[d->slot_block[warp]] += cw_lanes_count(lanes);
    d->home[warp] = (struct home){.live = (uint32_t)lanes};
    go(d, 0, (uint32_t)lanes, home);
}

/* The threads of the warp in the slot: it has issued. */
static struct group issued(struct dwf *d, uint32_t slot)
{
    const uint32_t name = d->slot_name[slot];
    const struct group g = d->warp[name].g;
    d->counters->dwf_threads_out += (uint32_t)__builtin_popcount(g.lanes);
    end_warp(d, name);
    return g;
}

static void arrive(struct cw_control *p, uint32_t warp)
{
    const uint32_t pc = p->front[warp].pc;
    const struct group g = issued(of(p), warp);
    go(of(p), pc, g.lanes, g.home);
}

static bool branch(struct cw_control *p, uint32_t warp, cw_lanes taken, const struct cw_branch *b)
{
    const struct group g = issued(of(p), warp);
    const uint32_t on = g.lanes & ~(uint32_t)taken;
    if (b->target == b->next) {
        go(of(p), b->next, g.lanes, g.home);
        return false;
    }
    if (taken != 0 && on != 0)
        part(of(p), &g, b->rpc);
    go(of(p), b->target, (uint32_t)taken, g.home);
    go(of(p), b->next, on, g.home);
    return taken != 0 && on != 0;
}

static bool branch_indexed(struct cw_control *p, uint32_t warp, const uint32_t *target, const struct cw_branch *b)
{
    const struct group g = issued(of(p), warp);
    uint32_t sides = 0;
    for (uint32_t left = g.lanes; left != 0; left &= left - 1)
        if (target[__builtin_ctz(left)] != target[__builtin_ctz(g.lanes)]) {
            part(of(p), &g, b->rpc);
            break;
        }
    for (uint32_t left = g.lanes; left != 0; sides++) {
        const uint32_t to = target[__builtin_ctz(left)];
        uint32_t lanes = 0;
        for (uint32_t rest = left; rest != 0; rest &= rest - 1)
            lanes |= target[__builtin_ctz(rest)] == to ? rest & -rest : 0;
        go(of(p), to, lanes, g.home);
        left &= ~lanes;
    }
    return sides > 1;
}

/* Lanes leave the warp that executes; the others go on when the core says where. */
static void leave(struct dwf *d, uint32_t slot, uint32_t lanes)
{
    const uint32_t name = d->slot_name[slot];
    struct warp *w = &d->warp[name];
    d->counters->dwf_threads_out += (uint32_t)__builtin_popcount(lanes);
    d->threads[w->g.pc] -= (uint32_t)__builtin_popcount(lanes);
    w->g.lanes &= ~lanes;
    d->control.front[slot].active = w->g.lanes;
    if (w->g.lanes == 0)
        end_warp(d, name);
}

static void exit_lanes(struct cw_control *p, uint32_t warp, cw_lanes lanes)
{
    struct dwf *d = of(p);
    const struct warp *w = &d->warp[d->slot_name[warp]];
    for (uint32_t left = (uint32_t)lanes; left != 0; left &= left - 1) {
        const uint32_t block = d->slot_block[w->g.home[__builtin_ctz(left)]];
        if (--d->live[block] > 0)
            continue;
        for (uint32_t s = 0; s < d->config.warps; s++)
            d->slot_block[s] = d->slot_block[s] == block ? NONE : d->slot_block[s];
        d->used_slots &= ~d->block_slots[block];
        d->block_slots[block] = 0;
    }
    const struct group g = w->g;
    leave(d, warp, (uint32_t)lanes);
    for (uint32_t left = (uint32_t)lanes; left != 0; left &= left - 1)
        d->home[g.home[__builtin_ctz(left)]].live &= ~(left & -left);
    for (uint32_t left = (uint32_t)lanes; d->has_barriers && left != 0; left &= left - 1)
        meet(d, g.home[__builtin_ctz(left)]);
}

static cw_lanes barrier(struct cw_control *p, uint32_t warp, cw_lanes lanes, cw_lanes live)
{
    struct dwf *d = of(p);
    const struct warp *w = &d->warp[d->slot_name[warp]];
    (void)live;
    for (cw_lanes left = lanes; left != 0; left = cw_lanes_rest(left))
        d->resume_at[w->g.home[cw_lanes_first(left)]][cw_lanes_first(left)] = p->front[warp].pc + 1;
    leave(d, warp, (uint32_t)lanes);
    return lanes;
}

static void resume(struct cw_control *p, uint32_t home, cw_lanes lanes)
{
    struct dwf *d = of(p);
    uint8_t homes[CW_WARP_LANES_MAX];
    memset(homes, (int)home, sizeof homes);
    while (lanes != 0) {
        const uint32_t pc = d->resume_at[home][cw_lanes_first(lanes)];
        uint32_t same = 0;
        for (cw_lanes left = lanes; left != 0; left = cw_lanes_rest(left))
            same |= d->resume_at[home][cw_lanes_first(left)] == pc ? 1u << cw_lanes_first(left) : 0;
        go(d, pc, same, homes);
        lanes &= ~(cw_lanes)same;
    }
}

/* Threads at a warp barrier wait for others of their static warp. */
static uint32_t held(const struct cw_control *p, uint32_t block)
{
    const struct dwf *d = (const struct dwf *)p;
    uint32_t n = 0;
    for (uint32_t s = 0; d->has_barriers && s < d->config.warps; s++)
        n += d->slot_block[s] == block && d->home[s].apart ? (uint32_t)__builtin_popcount(d->home[s].there) : 0;
    return n;
}

/* ---- who issues ---- */

static bool may_issue(const struct cw_control *p, uint32_t warp)
{
    (void)warp;
    return ((const struct dwf *)p)->queue_cnt < QUEUE / 2;
}

/* The PC with most threads issues until none is left. While it has to wait for registers, others may. */
static uint64_t first(struct cw_control *p, uint32_t scheduler, uint64_t cycle, uint64_t candidates)
{
    struct dwf *d = of(p);
    uint64_t most = 0;
    (void)scheduler;
    (void)cycle;
    if (d->threads[d->majority] == 0)
        for (uint32_t i = 0; i < d->list_cnt; i++) {
            const uint32_t pc = d->warp[d->list[i]].g.pc;
            if (!enter_heap(d, pc))
                continue;
            if (d->threads[pc] > d->threads[d->majority] || (d->threads[pc] == d->threads[d->majority] && pc < d->majority))
                d->majority = pc;
        }
    for (uint64_t left = candidates; left != 0; left &= left - 1)
        if (p->front[__builtin_ctzll(left)].pc == d->majority)
            most |= left & -left;
    return most != 0 ? most : candidates;
}

static cw_lanes waiting(const struct cw_control *p, uint32_t warp)
{
    (void)p;
    (void)warp;
    return 0;
}

static void report(const struct cw_control *p, uint32_t warp, uint32_t (*line)(const void *context, uint32_t pc), const void *context,
                   FILE *out)
{
    const struct dwf *d = (const struct dwf *)p;
    (void)line;
    (void)context;
    fprintf(out, "; the slot's home has %u threads of its block left, the core %u warps",
            d->slot_block[warp] != NONE ? d->live[d->slot_block[warp]] : 0, d->list_cnt);
}

/* ---- launches, creation ---- */

static bool warp_wide(const struct cw_uop *u)
{
    return u->op == CW_OP_SHFL || u->op == CW_OP_VOTE || u->op == CW_OP_MATCH || u->op == CW_OP_ELECT || u->op == CW_OP_REDUX ||
           u->op == CW_OP_ACTIVEMASK || (u->op == CW_OP_BAR && u->cmp == CW_BAR_WARP);
}

static int prepare(struct cw_control *p, const struct cw_kernel *kernel, const char *file, bool static_warps, struct cw_error *err)
{
    struct dwf *d = of(p);
    if (static_warps)
        return cw_fail(err, CW_EINVAL,
                       "kernel %s: dynamic warp formation takes static warps apart, and the launch asks for them; set core.divergence=tbc "
                       "or pdom",
                       kernel->name);
    if (kernel->uop_cnt > CW_ADAPT_WARP_LUT_PC_MAX)
        return cw_fail(err, CW_EUNSUP, "kernel %s has %u instructions, and PCs of the unit warp_lut end at %u; set core.divergence=pdom",
                       kernel->name, kernel->uop_cnt, CW_ADAPT_WARP_LUT_PC_MAX);
    for (uint32_t i = 0; i < kernel->uop_cnt; i++)
        if (warp_wide(&kernel->uop[i]))
            return cw_fail(
                err, CW_EUNSUP,
                "kernel %s: %s:%u: %s works on a static warp, which dynamic warp formation takes apart; set core.divergence=pdom",
                kernel->name, file, kernel->uop[i].line,
                kernel->uop[i].op == CW_OP_BAR ? "bar.warp" : cw_op_mnemonic((enum cw_op)kernel->uop[i].op));
    free(d->threads);
    free(d->in_heap);
    d->pcs = kernel->uop_cnt + 1;
    d->threads = calloc(d->pcs, sizeof *d->threads);
    d->in_heap = calloc(d->pcs, sizeof *d->in_heap);
    d->heap_cnt = 0;
    d->majority = 0;
    return d->threads != NULL && d->in_heap != NULL ? CW_OK : cw_fail(err, CW_ENOMEM, "no memory for the PCs of a kernel");
}

static void destroy(struct cw_control *p)
{
    struct dwf *d = of(p);
    if (d == NULL)
        return;
    cw_adapt_warp_lut_destroy(d->lut);
    free(d->control.front);
    free(d->queue);
    free(d->flight);
    free(d->threads);
    free(d->in_heap);
    free(d);
}

static int check(const struct cw_config *c, const void *own, struct cw_error *err)
{
    const struct dwf_keys *k = own;
    const uint32_t sets = k->lut_entries / k->lut_ways;
    if (c->core_divergence != CW_DIVERGENCE_DWF && c->core_divergence != CW_DIVERGENCE_DWF_WB) {
        const uint32_t *value = own;
        for (uint32_t i = 0; i < sizeof key / sizeof key[0]; i++)
            if (value[i] != key[i].value_default)
                return cw_fail(err, CW_EINVAL, "%s says something about dynamic warp formation only; set core.divergence=dwf or dwf-wb",
                               key[i].name);
        return CW_OK;
    }
    if (c->core_schedulers != 1)
        return cw_fail(err, CW_EINVAL,
                       "dynamic warp formation makes warps of all threads of a core, for one scheduler; set core.schedulers=1");
    if (c->core_lcp != CW_LCP_OFF)
        return cw_fail(err, CW_EINVAL,
                       "core.lcp says where the sides of a branch meet, and dynamic warp formation has no sides; "
                       "set core.lcp=off, or core.divergence=pdom or tbc");
    if (c->core_warp_width != CW_LANES)
        return cw_fail(err, CW_EINVAL, "dynamic warp formation works on warps of %u lanes; set core.warp_width=%u", CW_LANES, CW_LANES);
    if (c->core_warps > SLOTS)
        return cw_fail(err, CW_EINVAL,
                       "dynamic warp formation: the unit warp_lut has names for %u warps, one per thread; set core.warps=%u", NAMES, SLOTS);
    if (sets * k->lut_ways != k->lut_entries || sets < 2 || sets > 64 || (sets & (sets - 1)) != 0)
        return cw_fail(err, CW_EINVAL, "dwf.lut_entries=%u in dwf.lut_ways=%u ways is no power of two of sets, from 2 to 64",
                       k->lut_entries, k->lut_ways);
    return CW_OK;
}

static const struct cw_key_set keys = {.owner = "dwf", .key = key, .key_cnt = sizeof key / sizeof key[0], .check = check};
static const struct cw_counter_set counters = {.owner = "dwf", .counter = counter, .counter_cnt = sizeof counter / sizeof counter[0]};

static int create(struct cw_control **out, const struct cw_control_config *config, struct cw_error *err)
{
    struct dwf *d = calloc(1, sizeof *d);
    *out = d != NULL ? &d->control : NULL;
    if (d == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a core's warps");
    d->config = *config;
    d->has_barriers = config->config->core_divergence == CW_DIVERGENCE_DWF_WB;
    d->keys = cw_config_own(config->config, &keys);
    d->counters = cw_stats_own(config->stats, &counters);
    d->control.front = calloc(config->warps, sizeof *d->control.front);
    d->queue = calloc(QUEUE, sizeof *d->queue);
    d->flight_next = UINT64_MAX;
    const bool waits = config->config->core_scoreboard == CW_SCOREBOARD_WARP;
    if (waits)
        d->flight = calloc((size_t)SLOTS * CW_LANES, sizeof *d->flight);
    for (uint32_t s = 0; s < SLOTS; s++)
        d->slot_name[s] = d->slot_block[s] = NONE;
    d->free_slots = UINT32_MAX;
    for (uint32_t n = NAMES; n-- > 0;)
        d->free[d->free_cnt++] = n;
    int status = d->control.front != NULL && d->queue != NULL && (d->flight != NULL || !waits)
                     ? CW_OK
                     : cw_fail(err, CW_ENOMEM, "no memory for a core's warps");
    if (status == CW_OK)
        status = cw_adapt_warp_lut_create(&d->lut, config->units, config->core, d->keys->lut_entries, d->keys->lut_ways, err);
    if (status == CW_OK)
        return CW_OK;
    destroy(*out);
    *out = NULL;
    return status;
}

static const struct cw_key_set *const key_sets[] = {&keys, NULL};
static const struct cw_counter_set *const counter_sets[] = {&counters, NULL};
static const struct cw_mech_unit units[] = {
    {.unit = &cw_warp_lut_unit,
     .what = "PC-warp table of dynamic warp formation (Fung 2015, 2.4); one per core",
     .domain = CW_DOMAIN_CORE,
     .needs = "core.divergence=dwf"},
};

#define POLICY                                                                                                                    \
    .regroups = true, .mixes = true, .unit = units, .unit_cnt = sizeof units / sizeof units[0], .keys = key_sets,                 \
    .counters = counter_sets, .create = create, .destroy = destroy, .prepare = prepare, .tick = tick, .block_start = block_start, \
    .start = start, .arrive = arrive, .branch = branch, .branch_indexed = branch_indexed, .exit = exit_lanes, .barrier = barrier, \
    .resume = resume, .completed = completed, .held = held, .may_issue = may_issue, .first = first, .waiting = waiting, .report = report

const struct cw_control_ops cw_control_dwf = {
    .name = "dwf",
    .what = "dynamic warp formation: after each instruction the threads of a core that are at one PC make warps anew (Fung 2015, 2.4)",
    POLICY,
};

const struct cw_control_ops cw_control_dwf_wb = {
    .name = "dwf-wb",
    .what = "the same with warp barriers: static warps until they part, and again where the sides meet (Fung 2015, 3.2.1)",
    POLICY,
};
