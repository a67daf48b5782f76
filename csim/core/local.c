/* SPDX-License-Identifier: Apache-2.0 */
/* Where a thread's local memory lies (core_local.h). */
#include "core/core_local.h"
#include "core/core_state.h"

uint64_t cw_core__local_word(const struct cw_core *c, uint32_t home, uint32_t half, uint32_t lane, uint64_t offset)
{
    const struct cw_launch *l = c->launch;
    const uint32_t slot = (c->cfg.index * c->config->core_warps + home) * c->halves + half;
    return cw_local_row(l->local_base, l->local_bytes, slot, (uint32_t)(offset / 4)) + lane * 4;
}
