/* SPDX-License-Identifier: Apache-2.0 */
/* Where a thread's local memory lies (core_local.h). */
#include "core/core_local.h"
#include "core/core_state.h"

uint64_t cw_core__local_word(const struct cw_core *c, uint32_t w, uint32_t half, uint32_t lane, uint64_t offset)
{
    const struct cw_launch *l = c->launch;
    const struct cw_who *who = c->warp[w].who[half];
    const uint32_t home = who != NULL ? who->home[lane] : (w * c->halves + half) * CW_LANES + lane;
    const uint32_t slot = c->cfg.index * c->config->core_warps * c->halves + home / CW_LANES;
    return cw_local_row(l->local_base, l->local_bytes, slot, (uint32_t)(offset / 4)) + home % CW_LANES * 4;
}
