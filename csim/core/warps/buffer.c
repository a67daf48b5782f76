/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction buffers: when a warp asks for instructions. fetch.c answers, and says what that costs. */
#include "core/warps/warps.h"

/* Whether the warp's front is the place at which it goes on. */
static bool knows_where(const struct cw_warp *warp)
{
    return warp->wait == CW_WAIT_NONE || (warp->wait == CW_WAIT_BARRIER && warp->dynamic == NULL) || warp->wait == CW_WAIT_FENCE ||
           warp->wait == CW_WAIT_REGION_LOADS || warp->wait == CW_WAIT_MECH;
}

static void ask(struct cw_core_warps *warps, uint32_t w, uint64_t cycle, bool astray)
{
    warps->warp[w].fetch = CW_FETCH_ASKED;
    warps->warp[w].fetched_at = CW_CYCLE_NEVER;
    warps->asks.ask[warps->asks.cnt++] = (struct cw_fetch_ask){.cycle = cycle, .warp = w, .astray = astray};
}

void cw_core__refill(struct cw_core_warps *warps, uint32_t w)
{
    const struct cw_warp *warp = &warps->warp[w];
    if (warp->fetch != CW_FETCH_NONE || !knows_where(warp) || warps->front[w].active == 0)
        return;
    const uint32_t pc = cw_core__pc(warps, w);
    const uint64_t now = warp->fetched_at > warps->cycle ? warp->fetched_at : warps->cycle;
    const bool empty = warp->buffer_next >= warp->buffer_end;
    if (pc != warp->buffer_next)
        ask(warps, w, empty ? now : now + warps->stage, empty);
    else if (empty)
        ask(warps, w, now, false);
}
