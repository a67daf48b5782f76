/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fetch port, which fills instruction buffers (core.buffer). A warp's buffer holds the next instructions of its path. When it is empty,
 * the warp asks the core's fetch port, which serves one warp per stage: in the order in which they ask, and those that ask in one cycle
 * round robin. The port reads a line of the instruction memory; the next stage decodes, and from the one after that the instructions may
 * issue.
 *
 *     t      the last instruction of the buffer issues; the port fetches
 *     t+1    decode
 *     t+2    the next instruction may issue
 *
 * A warp that leaves the path of its buffer (a taken branch, an abort) notices when its next instruction would issue, a stage after the
 * branch, and asks then. When the branch was the last of its buffer, the instructions behind it have been asked for already: they arrive,
 * are thrown away, and only then the warp asks for the right ones.
 *
 * A line that the instruction cache (icache.bytes) does not hold is read through the crossbar. The warps that wait for it take the port in
 * turn when it has come. What a warp asks for by mistake behind a taken branch takes the port, but is not looked up in the cache.
 *
 * Warps ask while a core's tick runs; the port answers at the end of the tick, so that the order of the schedulers makes no difference.
 * Warps of a block that starts are answered at once.
 */
#include "core/blocks/blocks.h"
#include "mem/address.h"

#define INSN_BYTES 8u

/* Instructions that one fetch from pc on brings: it ends with its line. */
static uint32_t fetched(const struct cw_core_blocks *blocks, uint32_t pc)
{
    const struct cw_core_warps *const warps = &blocks->cache.warps;
    const uint32_t per_line = blocks->cache.line_bytes / INSN_BYTES, left = per_line - pc % per_line;
    return left < warps->config->core_buffer ? left : warps->config->core_buffer;
}

/* The port's next free cycle from `cycle` on, which it takes. */
static uint64_t take_port(struct cw_core_blocks *blocks, uint64_t cycle)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    cw_calendar_forget(&blocks->fetch.port, warps->cycle);
    const uint64_t at = cw_calendar_free(&blocks->fetch.port, cycle, warps->stage);
    cw_calendar_take(&blocks->fetch.port, at, warps->stage);
    return at;
}

/* The ask that is next: the earliest, of those the first behind the warp that was served last. */
static uint32_t next_ask(const struct cw_core_blocks *blocks)
{
    const struct cw_core_warps *const warps = &blocks->cache.warps;
    const uint32_t slots = warps->slots;
    uint32_t best = 0, best_turn = UINT32_MAX;
    for (uint32_t i = 0; i < warps->asks.cnt; i++) {
        const struct cw_fetch_ask *a = &warps->asks.ask[i], *b = &warps->asks.ask[best];
        const uint32_t turn = a->warp > blocks->fetch.last ? a->warp - blocks->fetch.last : a->warp + slots - blocks->fetch.last;
        if (a->cycle < b->cycle || (a->cycle == b->cycle && turn < best_turn)) {
            best = i;
            best_turn = turn;
        }
    }
    return best;
}

/* The port has read the warp's line in cycle `at`, or read it again after a miss. */
static void arrive(struct cw_core_blocks *blocks, uint32_t w, uint64_t at)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    warps->warp[w].fetch = CW_FETCH_NONE;
    warps->warp[w].fetched_at = at + 2 * warps->stage;
    cw_core__requeue(warps, w);
}

/* Looks the line up that the port reads in cycle `at`. */
static enum cw_fetch look_up(struct cw_core_blocks *blocks, uint32_t w, uint32_t pc, uint64_t at)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_core_cache *const cache = &blocks->cache;
    const uint64_t line = (CW_PROGRAM_BASE + warps->launch->code_offset + INSN_BYTES * (uint64_t)pc) & ~(uint64_t)(cache->line_bytes - 1);
    static const uint64_t whole[2] = {UINT64_MAX, UINT64_MAX};
    const struct cw_l1_waiter who = {.warp = w};
    struct cw_l1_line *victim;
    uint8_t *data;
    uint32_t mshr;
    const enum cw_l1_result r = cw_l1_read(&blocks->fetch.cache, line, whole, &who, &data, &mshr, &victim);
    if (r == CW_L1_BUSY)
        return CW_FETCH_BUSY;
    warps->cfg.stats->icache_reads++;
    warps->cfg.stats->icache_read_misses += r != CW_L1_HIT;
    if (r == CW_L1_MISS)
        cw_core__miss_push(cache, at + 1, line, cache->line_bytes, CW_TAG_CODE | mshr);
    return r == CW_L1_HIT ? CW_FETCH_NONE : CW_FETCH_MISS;
}

static void serve(struct cw_core_blocks *blocks, struct cw_fetch_ask a)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    struct cw_warp *warp = &warps->warp[a.warp];
    const uint32_t pc = cw_core__pc(warps, a.warp);
    if (a.astray)
        a.cycle = take_port(blocks, a.cycle) + 2 * warps->stage;
    const uint64_t at = take_port(blocks, a.cycle);
    blocks->fetch.last = a.warp;
    warp->fetch = blocks->fetch.cache.sets != 0 ? (uint8_t)look_up(blocks, a.warp, pc, at) : CW_FETCH_NONE;
    warp->buffer_next = warp->buffer_end = pc;
    if (warp->fetch == CW_FETCH_BUSY)
        blocks->fetch.busy_cnt++;
    else
        warp->buffer_end = pc + fetched(blocks, pc);
    if (warp->fetch == CW_FETCH_NONE)
        arrive(blocks, a.warp, at);
}

/* Those who found no miss register ask again. */
static void ask_again(struct cw_core_blocks *blocks)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    for (uint32_t w = 0; blocks->fetch.busy_cnt != 0 && w < warps->slots; w++) {
        if (warps->warp[w].fetch != CW_FETCH_BUSY)
            continue;
        blocks->fetch.busy_cnt--;
        warps->warp[w].fetch = CW_FETCH_NONE;
        warps->warp[w].fetched_at = warps->cycle;
        cw_core__requeue(warps, w);
    }
}

void cw_core__code_fill(struct cw_core_blocks *blocks, uint32_t mshr)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    static const uint8_t nothing[CW_LINE_BYTES];
    const struct cw_l1_mshr *m = &blocks->fetch.cache.mshr[mshr];
    cw_l1_fill_line(&blocks->fetch.cache, mshr, nothing);
    warps->cfg.stats->icache_fills++;
    for (uint32_t i = 0; i < m->waiter_cnt; i++)
        arrive(blocks, m->waiter[i].warp, take_port(blocks, warps->cycle));
    cw_l1_release(&blocks->fetch.cache, mshr);
    ask_again(blocks);
}

void cw_core__fetch_tick(struct cw_core_blocks *blocks)
{
    struct cw_core_warps *const warps = &blocks->cache.warps;
    while (warps->asks.cnt != 0) {
        const uint32_t i = next_ask(blocks);
        const struct cw_fetch_ask a = warps->asks.ask[i];
        warps->asks.ask[i] = warps->asks.ask[--warps->asks.cnt];
        serve(blocks, a);
    }
}
