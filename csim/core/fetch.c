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
 * Warps ask while a core's tick runs; the port answers at the end of the tick, so that the order of the schedulers makes no difference.
 */
#include "core/core_state.h"

#define INSN_BYTES 8u

/* Instructions that one fetch from pc on brings: it ends with its line. */
static uint32_t fetched(const struct cw_core *c, uint32_t pc)
{
    const uint32_t per_line = c->line_bytes / INSN_BYTES, left = per_line - pc % per_line;
    return left < c->config->core_buffer ? left : c->config->core_buffer;
}

/* The port's next free cycle from `cycle` on, which it takes. */
static uint64_t take_port(struct cw_core *c, uint64_t cycle)
{
    cw_calendar_forget(&c->fetch_port, c->cycle);
    const uint64_t at = cw_calendar_free(&c->fetch_port, cycle, c->stage);
    cw_calendar_take(&c->fetch_port, at, c->stage);
    return at;
}

/* Of asks made in one tick, those for an earlier cycle go first. */
static bool goes_first(const struct cw_fetch_ask *a, const struct cw_fetch_ask *b)
{
    return a->made < b->made || (a->made == b->made && a->cycle < b->cycle);
}

/* The ask that is next: the oldest, of those the first behind the warp that was served last. */
static uint32_t next_ask(const struct cw_core *c)
{
    const uint32_t warps = c->config->core_warps;
    uint32_t best = 0, best_turn = UINT32_MAX;
    for (uint32_t i = 0; i < c->fetch_ask_cnt; i++) {
        const struct cw_fetch_ask *a = &c->fetch_ask[i], *b = &c->fetch_ask[best];
        const uint32_t turn = a->warp > c->fetch_last ? a->warp - c->fetch_last : a->warp + warps - c->fetch_last;
        if (goes_first(a, b) || (!goes_first(b, a) && turn < best_turn)) {
            best = i;
            best_turn = turn;
        }
    }
    return best;
}

static void serve(struct cw_core *c, struct cw_fetch_ask a)
{
    struct cw_warp *warp = &c->warp[a.warp];
    if (a.astray)
        a.cycle = take_port(c, a.cycle) + 2 * c->stage;
    const uint64_t at = take_port(c, a.cycle);
    c->fetch_last = a.warp;
    warp->fetch = CW_FETCH_NONE;
    warp->fetched_at = at + 2 * c->stage;
    warp->buffer_next = cw_core__pc(c, a.warp);
    warp->buffer_end = warp->buffer_next + fetched(c, warp->buffer_next);
    cw_core__requeue(c, a.warp);
}

void cw_core__fetch_tick(struct cw_core *c)
{
    while (c->fetch_ask_cnt != 0) {
        const uint32_t i = next_ask(c);
        const struct cw_fetch_ask a = c->fetch_ask[i];
        c->fetch_ask[i] = c->fetch_ask[--c->fetch_ask_cnt];
        serve(c, a);
    }
}
