/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Persist buffer and order masks of a core, joined as a core joins them, under warps that write, order and wait at random. What they wrote
 * is judged by what section 5 of the paper promises, which knows nothing of buffers and masks: a store leaves the core only when all stores
 * that are ordered before it are acknowledged, and a dFence or a release of device scope is over only when all earlier ones of its warp
 * are.
 */
#ifndef CW_TESTS_RTL_PERSIST_CORE_H
#define CW_TESTS_RTL_PERSIST_CORE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "cowarp/unit/order_masks.h"
#include "cowarp/unit/persist_buffer.h"
#include "cw_test.h"
#include "lockstep_driver.h"

#define CORE_WARPS  8u
#define CORE_LINES  12u
#define CORE_STORES 60000u /* of a warp, at most */

enum core_wait { CORE_RUNS, CORE_WAITS_ORDER, CORE_WAITS_RETRY };

/* A store, and for each warp how many of its stores have to be acknowledged before this one leaves. */
struct core_store {
    uint32_t warp, number;
    uint32_t before[CORE_WARPS];
};

/* Stores that leave together. */
struct core_batch {
    struct core_store *store;
    uint32_t cnt, max;
};

struct core_line {
    bool dirty;
    uint64_t entry;
    struct core_batch batch;
};

struct core_flight {
    uint64_t due; /* cycle of the acknowledgement */
    struct core_batch batch;
};

struct core_warp {
    enum core_wait wait;
    uint64_t kind, since; /* what it waits for, from which cycle on */
    uint32_t stores;
    uint32_t before[CORE_WARPS]; /* what its next store comes after */
    uint32_t unacked;            /* its first store that is not acknowledged */
    bool acked[CORE_STORES];
};

struct core_counts {
    uint32_t appended, coalesced, merged, conflict, full, went, waited, held, invalidated, resumed, flushed;
    uint64_t longest_wait;
};

/* How it is driven. */
struct core_setup {
    struct cw_persist_buffer_params buffer;
    struct cw_order_masks_params masks;
    uint64_t drain, window, latency, cycles;
    uint32_t evicts; /* of 16 cycles */
};

struct core {
    const struct core_setup *setup;
    struct cw_unit_provider buffer_provider, masks_provider;
    struct cw_unit_instance buffer, masks;
    struct cw_persist_buffer_in bi;
    struct cw_persist_buffer_out bo;
    struct cw_order_masks_in mi;
    struct cw_order_masks_out mo;
    struct cw_rng rng;
    uint64_t cycle;
    struct core_line line[CORE_LINES];
    struct core_flight flight[4096];
    uint32_t flights;
    struct core_warp warp[CORE_WARPS];
    uint32_t released[CORE_WARPS];     /* what an acquirer that reads the variable comes after */
    struct cw_persist_buffer_in posed; /* the insert of the cycle before, which is answered in this one */
    uint32_t evict_line, evict_warp;
    bool evict_asked;
    struct core_counts counts;
};

static void core_batch_add(struct core_batch *b, const struct core_store *s)
{
    if (b->cnt == b->max) {
        b->max = b->max == 0 ? 8 : 2 * b->max;
        b->store = realloc(b->store, b->max * sizeof *b->store);
        assert_non_null(b->store);
    }
    b->store[b->cnt++] = *s;
}

static void core_store(struct core *c, uint32_t warp, uint32_t line)
{
    struct core_warp *w = &c->warp[warp];
    struct core_store s = {.warp = warp, .number = w->stores++};
    assert_true(w->stores < CORE_STORES);
    memcpy(s.before, w->before, sizeof s.before);
    core_batch_add(&c->line[line].batch, &s);
}

/* The line leaves the core: everything that comes before any of its stores is durable. */
static void core_leave(struct core *c, uint32_t line)
{
    struct core_line *l = &c->line[line];
    assert_true(l->dirty);
    for (uint32_t i = 0; i < l->batch.cnt; i++)
        for (uint32_t w = 0; w < CORE_WARPS; w++)
            assert_in_range(l->batch.store[i].before[w], 0, c->warp[w].unacked);
    assert_true(c->flights < sizeof c->flight / sizeof c->flight[0]);
    c->flight[c->flights++] = (struct core_flight){c->cycle + 1 + cw_rng_below(&c->rng, (uint32_t)c->setup->latency), l->batch};
    l->batch = (struct core_batch){0};
    l->dirty = false;
}

/* At most one acknowledgement in a cycle, in any order. */
static void core_acknowledge(struct core *c)
{
    for (uint32_t i = 0; i < c->flights; i++) {
        struct core_flight f = c->flight[i];
        if (f.due > c->cycle)
            continue;
        for (uint32_t n = 0; n < f.batch.cnt; n++)
            c->warp[f.batch.store[n].warp].acked[f.batch.store[n].number] = true;
        for (uint32_t w = 0; w < CORE_WARPS; w++)
            while (c->warp[w].unacked < c->warp[w].stores && c->warp[w].acked[c->warp[w].unacked])
                c->warp[w].unacked++;
        free(f.batch.store);
        c->flight[i] = c->flight[--c->flights];
        c->mi.ack_valid = 1;
        return;
    }
}

static void core_wait(struct core *c, uint32_t warp, enum core_wait wait, uint64_t kind)
{
    c->warp[warp].wait = wait;
    c->warp[warp].kind = kind;
    c->warp[warp].since = c->cycle;
    if (wait == CORE_WAITS_ORDER) {
        c->mi.stall_valid = 1;
        c->mi.stall_warp = warp;
    } else {
        c->mi.delay_valid = 1;
        c->mi.delay_warp = warp;
    }
}

static void core_later(uint32_t *of, const uint32_t *than)
{
    for (uint32_t w = 0; w < CORE_WARPS; w++)
        if (of[w] < than[w])
            of[w] = than[w];
}

/* An ordering entry has been accepted. A release of device scope can be read when it is over, one of block scope at once. */
static void core_ordered(struct core *c, uint32_t warp, uint64_t kind)
{
    struct core_warp *w = &c->warp[warp];
    const bool acquire = kind == CW_PERSIST_ACQ_BLOCK || kind == CW_PERSIST_ACQ_DEV;
    if (acquire)
        core_later(w->before, c->released);
    else
        w->before[warp] = w->stores;
    if (kind == CW_PERSIST_REL_BLOCK)
        core_later(c->released, w->before);
    if (kind >= CW_PERSIST_ACQ_DEV)
        core_wait(c, warp, CORE_WAITS_ORDER, kind);
}

/* The warp, or the line, has an insert that is not answered yet. */
static bool core_posed(const struct core *c, uint64_t warp, uint64_t line)
{
    return c->posed.ins_valid && (c->posed.ins_warp == warp || c->posed.ins_line == line);
}

/* A warp that runs does something. */
static void core_choose(struct core *c, bool more)
{
    static const uint64_t kinds[] = {CW_PERSIST_LINE,    CW_PERSIST_LINE,    CW_PERSIST_LINE,   CW_PERSIST_LINE,      CW_PERSIST_LINE,
                                     CW_PERSIST_LINE,    CW_PERSIST_OFENCE,  CW_PERSIST_OFENCE, CW_PERSIST_REL_BLOCK, CW_PERSIST_ACQ_BLOCK,
                                     CW_PERSIST_REL_DEV, CW_PERSIST_ACQ_DEV, CW_PERSIST_DFENCE};
    const uint32_t dev = (uint32_t)(c->cycle >> 10 & 3) == 0 ? 0 : 3; /* at times nobody waits for device scope */
    const uint32_t warp = cw_rng_below(&c->rng, CORE_WARPS), line = cw_rng_below(&c->rng, CORE_LINES);
    c->bi.ins_valid = more && c->warp[warp].wait == CORE_RUNS && !core_posed(c, warp, line) && cw_rng_below(&c->rng, 4) != 0;
    c->bi.ins_kind = kinds[cw_rng_below(&c->rng, sizeof kinds / sizeof kinds[0] - dev)];
    c->bi.ins_warp = warp;
    c->bi.ins_line = line;
    c->bi.ins_held = c->line[line].dirty;
    c->bi.ins_entry = c->line[line].entry;
}

static void core_answer(struct core *c)
{
    const uint32_t warp = (uint32_t)c->posed.ins_warp, line = (uint32_t)c->posed.ins_line;
    const uint64_t kind = c->posed.ins_kind, answer = c->bo.ins_answer;
    c->counts.appended += answer == CW_PERSIST_APPENDED;
    c->counts.coalesced += answer == CW_PERSIST_COALESCED;
    c->counts.merged += answer == CW_PERSIST_MERGED;
    c->counts.conflict += answer == CW_PERSIST_CONFLICT;
    c->counts.full += answer == CW_PERSIST_FULL;
    if (answer == CW_PERSIST_CONFLICT)
        core_wait(c, warp, CORE_WAITS_RETRY, kind);
    else if (answer != CW_PERSIST_FULL && answer != CW_PERSIST_BUSY && kind != CW_PERSIST_LINE)
        core_ordered(c, warp, kind);
    else if (answer == CW_PERSIST_APPENDED || answer == CW_PERSIST_COALESCED) {
        if (answer == CW_PERSIST_APPENDED)
            c->line[line].entry = c->bo.ins_at;
        c->line[line].dirty = true;
        core_store(c, warp, line);
    }
}

/* The L1 would evict a line for a warp, which waits if it may not. */
static void core_evict(struct core *c, bool more)
{
    if (c->evict_asked && c->bo.evict_done && c->bo.evict_go) {
        core_leave(c, c->evict_line);
        c->mi.evict_valid = 1;
        c->counts.went++;
    } else if (c->evict_asked && c->bo.evict_done) {
        c->counts.waited++;
        if (!c->mi.delay_valid && c->warp[c->evict_warp].wait == CORE_RUNS && !(c->bi.ins_valid && c->bi.ins_warp == c->evict_warp))
            core_wait(c, c->evict_warp, CORE_WAITS_RETRY, CW_PERSIST_LINE);
    }
    c->evict_warp = cw_rng_below(&c->rng, CORE_WARPS);
    c->evict_line = cw_rng_below(&c->rng, CORE_LINES);
    c->evict_asked = more && c->warp[c->evict_warp].wait == CORE_RUNS && c->line[c->evict_line].dirty && !c->mo.actr_full &&
                     cw_rng_below(&c->rng, 16) < c->setup->evicts;
}

static void core_resume(struct core *c)
{
    for (uint32_t w = 0; w < CORE_WARPS; w++) {
        struct core_warp *warp = &c->warp[w];
        if (!(c->mo.resume_warps >> w & 1))
            continue;
        assert_int_not_equal(warp->wait, CORE_RUNS);
        if (warp->wait == CORE_WAITS_ORDER) /* it has not stored since; what it waits for is that all is durable */
            assert_int_equal(warp->unacked, warp->stores);
        if (warp->kind == CW_PERSIST_REL_DEV && warp->wait == CORE_WAITS_ORDER)
            core_later(c->released, warp->before);
        if (c->cycle - warp->since > c->counts.longest_wait)
            c->counts.longest_wait = c->cycle - warp->since;
        warp->wait = CORE_RUNS;
        c->counts.resumed++;
    }
    c->counts.invalidated += c->mo.invalidate != 0;
    c->counts.held += c->mo.hold != 0;
}

/* more: warps go on writing. */
static void core_cycle(struct core *c, bool more)
{
    const bool evicts = c->evict_asked; /* asked in the cycle before, answered in this one */
    c->masks.ops->eval(c->masks.self, &c->mi, &c->mo);
    core_resume(c);
    assert_int_equal(c->mo.actr, c->flights);
    memset(&c->mi, 0, sizeof c->mi);
    memset(&c->bi, 0, sizeof c->bi);
    core_choose(c, more);
    c->bi.fsm = c->mo.fsm;
    c->bi.hold = c->mo.hold;
    c->bi.drain = !more || c->setup->drain;
    c->bi.flush_ready = c->mo.actr < c->setup->window && !c->mo.actr_full;
    c->bi.order_ready = cw_rng_below(&c->rng, 8) != 0;
    c->buffer.ops->eval(c->buffer.self, &c->bi, &c->bo);
    core_acknowledge(c);
    if (c->posed.ins_valid)
        core_answer(c);
    c->evict_asked = evicts;
    core_evict(c, more);
    c->bi.evict_valid = c->evict_asked;
    c->bi.evict_entry = c->line[c->evict_line].entry;
    if (c->bo.flush_valid && c->bi.flush_ready) {
        assert_int_equal(c->line[c->bo.flush_line].entry, c->bo.flush_entry);
        core_leave(c, (uint32_t)c->bo.flush_line);
        c->mi.flush_valid = 1;
        c->counts.flushed++;
    }
    c->mi.order_valid = c->bo.order_valid && c->bi.order_ready;
    c->mi.order_kind = c->bo.order_kind;
    c->mi.order_warps = c->bo.order_warps;
    c->masks.ops->eval(c->masks.self, &c->mi, &c->mo);
    c->buffer.ops->eval(c->buffer.self, &c->bi, &c->bo);
    c->masks.ops->tick(c->masks.self, &c->mi);
    c->buffer.ops->tick(c->buffer.self, &c->bi);
    c->posed = c->bi;
    c->cycle++;
}

/* Runs the whole setup; all that was written becomes durable in the end, and nobody waits any more. */
static struct core_counts core_run(const struct core_setup *setup, enum cw_unit_backend backend, uint64_t seed)
{
    struct core *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->setup = setup;
    cw_rng_seed(&c->rng, seed);
    c->buffer_provider = cw_directed_open(&cw_persist_buffer_unit, &setup->buffer, backend, &c->buffer);
    c->masks_provider = cw_directed_open(&cw_order_masks_unit, &setup->masks, backend, &c->masks);
    for (uint64_t n = 0; n < setup->cycles; n++)
        core_cycle(c, true);
    for (uint64_t n = 0; n < 20 * (setup->latency + setup->buffer.entries) && !(c->bo.empty && c->mo.actr == 0 && !c->posed.ins_valid); n++)
        core_cycle(c, false);
    core_cycle(c, false);
    core_cycle(c, false);
    assert_int_equal(c->bo.empty, 1);
    assert_int_equal(c->mo.odm | c->mo.edm | c->mo.fsm | c->mo.actr, 0);
    for (uint32_t w = 0; w < CORE_WARPS; w++) {
        assert_int_equal(c->warp[w].wait, CORE_RUNS);
        assert_int_equal(c->warp[w].unacked, c->warp[w].stores);
    }
    for (uint32_t l = 0; l < CORE_LINES; l++)
        free(c->line[l].batch.store);
    const struct core_counts counts = c->counts;
    cw_directed_close(&c->buffer_provider, &c->buffer);
    cw_directed_close(&c->masks_provider, &c->masks);
    free(c);
    return counts;
}

#endif
