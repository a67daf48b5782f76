/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and warps that have not issued: from an instruction to the PC-warp table, into a warp, and into a slot; and warp barriers. */
#include <assert.h>
#include <string.h>

#include "control/dwf/dwf_state.h"

/* ---- threads on their way to the table ---- */

static void enqueue(struct dwf *d, const struct dwf_group *g)
{
    assert(d->queue_ring.cnt < DWF_QUEUE);
    d->queue[cw_ring_add(&d->queue_ring, DWF_QUEUE)] = *g;
    d->counters->dwf_threads_in += (uint32_t)__builtin_popcount(g->lanes);
    d->config.host.wake(d->config.host.context);
}

/* Threads of one instruction, which is complete for all of them at once, go to the table, now or then. */
static void send(struct dwf *d, uint32_t pc, uint32_t lanes, const uint8_t *home)
{
    struct dwf_group g = {.pc = pc, .lanes = lanes};
    if (lanes == 0)
        return;
    memcpy(g.home, home, sizeof g.home);
    if (d->outstanding == NULL) {
        enqueue(d, &g);
        return;
    }
    d->outstanding[d->outstanding_cnt++] = (struct dwf_outstanding){.g = g, .at = UINT64_MAX};
    d->outstanding_next = 0;
    d->config.host.wake(d->config.host.context);
}

void cw_dwf__completed(struct cw_control *p)
{
    struct dwf *d = cw_dwf__of(p);
    if (d->outstanding_cnt == 0)
        return;
    d->outstanding_next = 0;
    d->config.host.wake(d->config.host.context);
}

/* Those whose instruction is complete go to the table. */
static void land(struct dwf *d, uint64_t cycle)
{
    uint32_t kept = 0;
    d->outstanding_next = UINT64_MAX;
    for (uint32_t i = 0; i < d->outstanding_cnt; i++) {
        struct dwf_outstanding *f = &d->outstanding[i];
        const uint32_t lane = (uint32_t)__builtin_ctz(f->g.lanes);
        if (f->at == UINT64_MAX)
            f->at = d->config.host.done(d->config.host.context, f->g.home[lane], lane);
        if (f->at <= cycle) {
            enqueue(d, &f->g);
            continue;
        }
        d->outstanding_next = f->at < d->outstanding_next ? f->at : d->outstanding_next;
        d->outstanding[kept++] = *f;
    }
    d->outstanding_cnt = kept;
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

void cw_dwf__choose(struct dwf *d)
{
    if (d->threads[d->majority] != 0)
        return;
    for (uint32_t i = 0; i < d->list_cnt; i++) {
        const uint32_t pc = d->warp[d->list[i]].g.pc;
        if (!enter_heap(d, pc))
            continue;
        if (d->threads[pc] > d->threads[d->majority] || (d->threads[pc] == d->threads[d->majority] && pc < d->majority))
            d->majority = pc;
    }
}

/* ---- warps ---- */

static void begin_warp(struct dwf *d, uint32_t name, const struct dwf_group *from, uint32_t lanes)
{
    struct dwf_warp *w = &d->warp[name];
    *w = (struct dwf_warp){.g = *from, .slot = DWF_NONE, .at = d->list_cnt, .since = *d->config.host.cycle};
    w->g.lanes = lanes;
    cw_dwf__set_waits(d, d->list_cnt, true);
    d->list[d->list_cnt++] = name;
    d->slotless++;
    d->threads[from->pc] += (uint32_t)__builtin_popcount(lanes);
    enter_heap(d, from->pc);
    d->counters->dwf_warps_made++;
}

void cw_dwf__end_warp(struct dwf *d, uint32_t name)
{
    struct dwf_warp *w = &d->warp[name];
    if (w->slot != DWF_NONE) {
        d->slot_name[w->slot] = DWF_NONE;
        d->free_slots |= 1u << w->slot;
        d->control.front[w->slot].active = 0;
    } else {
        d->slotless--;
    }
    d->list[w->at] = d->list[--d->list_cnt];
    d->warp[d->list[w->at]].at = w->at;
    cw_dwf__set_waits(d, w->at, d->warp[d->list[w->at]].slot == DWF_NONE);
    cw_dwf__set_waits(d, d->list_cnt, false);
    d->threads[w->g.pc] -= (uint32_t)__builtin_popcount(w->g.lanes);
    w->g.lanes = 0;
    leave_heap(d, w->g.pc);
    if (w->is_static)
        d->free[d->free_cnt++] = name;
    else
        d->closed[cw_ring_add(&d->closed_ring, DWF_NAMES)] = name;
    d->counters->dwf_warps_ended++;
    d->config.host.wake(d->config.host.context);
}

static void put_into_slot(struct dwf *d, uint32_t name, uint32_t slot)
{
    struct dwf_warp *w = &d->warp[name];
    d->slotless -= w->slot == DWF_NONE;
    cw_dwf__set_waits(d, w->at, false);
    w->slot = slot;
    d->slot_name[slot] = name;
    d->free_slots &= ~(1u << slot);
    d->control.front[slot] = (struct cw_front){.pc = w->g.pc, .stop = w->g.pc + 1, .active = w->g.lanes};
    d->config.host.form(d->config.host.context, slot, w->g.lanes, w->g.home, true);
}

static uint32_t blocks_of(const struct dwf *d, const struct dwf_group *g)
{
    uint32_t blocks = 0;
    for (uint32_t left = g->lanes; left != 0;) {
        const uint8_t home = g->home[__builtin_ctz(left)];
        blocks |= 1u << d->slot_block[home];
        if (d->block_slots[d->slot_block[home]] == d->used_slots) /* the core has no other block */
            break;
        left &= ~cw_lanes_equal(g->home, home);
    }
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
    struct dwf_warp *w = &d->warp[name];
    if (w->blocks == 0)
        w->blocks = blocks_of(d, &w->g);
    const uint32_t slots = slots_of(d, w->blocks) & d->free_slots;
    if (slots != 0)
        put_into_slot(d, name, (uint32_t)__builtin_ctz(slots));
}

/* The oldest warps first. */
static void fill_fairly(struct dwf *d)
{
    uint32_t tried = 0, name[DWF_NAMES];
    for (uint32_t i = 0; i < d->list_cnt; i++)
        if (d->warp[d->list[i]].slot == DWF_NONE)
            name[tried++] = d->list[i];
    while (tried != 0 && (d->free_slots & d->used_slots) != 0) {
        uint32_t oldest = 0;
        for (uint32_t i = 1; i < tried; i++)
            if (d->warp[name[i]].since < d->warp[name[oldest]].since)
                oldest = i;
        find_slot(d, name[oldest]);
        name[oldest] = name[--tried];
    }
}

static bool has_slot(const struct dwf *d, uint32_t pc)
{
    for (uint32_t used = ~d->free_slots; used != 0; used &= used - 1)
        if (d->warp[d->slot_name[__builtin_ctz(used)]].g.pc == pc)
            return true;
    return false;
}

/* A warp of the majority is next to issue. When none has a slot, one takes that of another warp, which waits for a slot again. */
static void make_room(struct dwf *d)
{
    if (d->slotless == 0 || d->threads[d->majority] == 0 || has_slot(d, d->majority))
        return;
    for (uint32_t i = 0; i < d->list_cnt; i++) {
        const uint32_t name = d->list[i];
        if (d->warp[name].g.pc != d->majority)
            continue;
        const uint32_t slot = (uint32_t)__builtin_ctz(slots_of(d, blocks_of(d, &d->warp[name].g)) & ~d->free_slots);
        struct dwf_warp *const other = &d->warp[d->slot_name[slot]];
        other->slot = DWF_NONE;
        cw_dwf__set_waits(d, other->at, true);
        d->slotless++;
        d->counters->dwf_slots_taken++;
        put_into_slot(d, name, slot);
        return;
    }
}

/* Warps without a slot take one, in the order of the list: those of the majority, or the others. */
static void fill_with(struct dwf *d, bool majority)
{
    for (uint32_t from = 0; from < d->list_cnt; from += 64)
        for (uint64_t left = d->waits[from / 64]; left != 0; left &= left - 1) {
            const uint32_t name = d->list[from + (uint32_t)__builtin_ctzll(left)];
            if (d->slotless == 0 || (d->free_slots & d->used_slots) == 0)
                return;
            if ((d->warp[name].g.pc == d->majority) == majority)
                find_slot(d, name);
        }
}

/* Those of the majority first. Slots of no block are not free for anyone. */
static void fill_slots(struct dwf *d)
{
    if (*d->config.host.cycle < d->fair_until) {
        fill_fairly(d);
        return;
    }
    cw_dwf__choose(d);
    fill_with(d, true);
    fill_with(d, false);
    make_room(d);
}

/* ---- warp barriers ---- */

/* Threads at home in one slot go on as a warp of their own. */
static void go_static(struct dwf *d, uint32_t home, uint32_t pc, uint32_t lanes)
{
    struct dwf_group g = {.pc = pc};
    memset(g.home, (int)home, sizeof g.home);
    const uint32_t name = d->free[--d->free_cnt];
    begin_warp(d, name, &g, lanes);
    d->warp[name].is_static = true;
    d->counters->dwf_threads_in += (uint32_t)__builtin_popcount(lanes);
    d->config.host.wake(d->config.host.context);
}

void cw_dwf__meet(struct dwf *d, uint32_t home)
{
    struct dwf_home *h = &d->home[home];
    if (!h->apart || h->there == 0 || h->there != h->live)
        return;
    h->apart = false;
    d->counters->warp_barrier_wait_cycles += *d->config.host.cycle - h->since;
    go_static(d, home, h->meet, h->there);
}

/* Lanes at home in one slot have this next PC. Returns those that go to the table. */
static uint32_t go_home(struct dwf *d, uint32_t home, uint32_t pc, uint32_t lanes)
{
    struct dwf_home *h = &d->home[home];
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
    cw_dwf__meet(d, home);
    return 0;
}

void cw_dwf__go(struct dwf *d, uint32_t pc, uint32_t lanes, const uint8_t *home)
{
    uint32_t table = d->has_barriers ? 0 : lanes;
    for (uint32_t left = d->has_barriers ? lanes : 0; left != 0;) {
        const uint32_t h = home[__builtin_ctz(left)];
        const uint32_t own = left & cw_lanes_equal(home, (uint8_t)h);
        table |= go_home(d, h, pc, own);
        left &= ~own;
    }
    send(d, pc, table, home);
}

void cw_dwf__part(struct dwf *d, const struct dwf_group *g, uint32_t rpc)
{
    for (uint32_t left = g->lanes; d->has_barriers && left != 0; left &= left - 1) {
        struct dwf_home *h = &d->home[g->home[__builtin_ctz(left)]];
        if (!h->apart)
            *h = (struct dwf_home){.live = h->live, .apart = true, .meet = rpc};
    }
}

/* ---- the table's answers ---- */

static void join(struct dwf *d, uint32_t name, uint32_t lanes)
{
    struct dwf_warp *w = &d->warp[name];
    if (w->g.lanes == 0 || w->g.pc != d->sent.pc) { /* it has issued since the table was asked */
        begin_warp(d, d->free[--d->free_cnt], &d->sent, lanes);
        return;
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1)
        w->g.home[__builtin_ctz(left)] = d->sent.home[__builtin_ctz(left)];
    w->g.lanes |= lanes;
    w->blocks = 0;
    d->threads[w->g.pc] += (uint32_t)__builtin_popcount(lanes);
    if (w->slot != DWF_NONE)
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
    uint32_t closed = DWF_NONE;
    if (d->closed_ring.cnt != 0) {
        in.close = true;
        in.closed = closed = d->closed[d->closed_ring.head];
        cw_ring_take(&d->closed_ring, DWF_NAMES);
    }
    const struct dwf_group *next = d->queue_ring.cnt != 0 && d->free_cnt > 2 + DWF_SLOTS ? &d->queue[d->queue_ring.head] : NULL;
    uint32_t name = DWF_NONE;
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
        cw_ring_take(&d->queue_ring, DWF_QUEUE);
    }
    if (closed != DWF_NONE) /* an answer of the update before may have named it; later ones do not */
        d->free[d->free_cnt++] = closed;
    return d->is_sent || d->queue_ring.cnt != 0 || d->closed_ring.cnt != 0;
}

uint64_t cw_dwf__tick(struct cw_control *p, uint64_t cycle)
{
    struct dwf *d = cw_dwf__of(p);
    if (cycle % d->step != 0)
        return (cycle / d->step + 1) * d->step;
    for (; d->holding != 0; d->holding &= d->holding - 1)
        d->config.host.hold(d->config.host.context, (uint32_t)__builtin_ctz(d->holding));
    if (d->outstanding_next <= cycle)
        land(d, cycle);
    const bool more = clock(d);
    fill_slots(d);
    return more ? cycle + d->step : d->outstanding_next;
}
