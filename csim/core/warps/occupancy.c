/* SPDX-License-Identifier: Apache-2.0 */
/* How many thread blocks of a launch a core has room for, resource by resource. */
#include "core/core.h"

#define REGISTER_UNIT 64u  /* registers are given to warps in such units (Fermi) */
#define SHARED_UNIT   128u /* bytes */

static uint32_t round_up(uint32_t n, uint32_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static uint32_t room(uint32_t all, uint32_t each)
{
    return each != 0 ? all / each : UINT32_MAX;
}

void cw_core_occupancy(struct cw_occupancy *o, const struct cw_config *config, const struct cw_launch *launch)
{
    const uint32_t shared = launch->shared_bytes + launch->shared_further;
    o->block_registers = launch->warps * round_up(launch->regs_per_thread * config->core_warp_width, REGISTER_UNIT);
    o->block_shared = round_up(shared, SHARED_UNIT);
    if (o->block_shared > config->core_shared_bytes && shared <= config->core_shared_bytes)
        o->block_shared = shared;
    o->by_registers = room(config->core_registers, o->block_registers);
    o->by_shared = room(config->core_shared_bytes, o->block_shared);
    o->by_warps = room(config->core_warps, launch->warps);
    o->by_blocks = config->core_blocks;
    const uint32_t all[] = {o->by_registers, o->by_shared, o->by_warps, o->by_blocks};
    o->room = UINT32_MAX;
    for (uint32_t i = 0; i < sizeof all / sizeof all[0]; i++)
        o->room = all[i] < o->room ? all[i] : o->room;
}

uint32_t cw_core_registers_for(const struct cw_config *config, uint32_t blocks, uint32_t warps)
{
    const uint64_t all = (uint64_t)blocks * warps;
    return all != 0 ? (uint32_t)(config->core_registers / all / REGISTER_UNIT * REGISTER_UNIT / config->core_warp_width) : 0;
}
