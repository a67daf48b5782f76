/* SPDX-License-Identifier: Apache-2.0 */
/* Misses of read-only caches: reads without bytes, on their way to the crossbar. */
#include <assert.h>

#include "core/cache/cache.h"
#include "mem/address.h"

void cw_core__miss_push(struct cw_core_cache *cache, uint64_t ready, uint64_t line, uint32_t bytes, uint32_t tag)
{
    assert(cache->misses.cnt < cache->misses.cap);
    cache->misses.entry[(cache->misses.head + cache->misses.cnt++) % cache->misses.cap] = (struct cw_miss){ready, line, bytes, tag};
}

uint64_t cw_core__miss_next(const struct cw_core_cache *cache)
{
    if (cache->misses.cnt == 0)
        return CW_CYCLE_NEVER;
    const uint64_t ready = cache->misses.entry[cache->misses.head].ready;
    return ready > cache->warps.cycle ? ready : cache->warps.cycle + 1;
}

void cw_core__miss_tick(struct cw_core_cache *cache)
{
    struct cw_core_warps *const warps = &cache->warps;
    const struct cw_miss *m = &cache->misses.entry[cache->misses.head];
    const uint32_t flits = (warps->config->noc_header_bytes + warps->config->noc_flit_bytes - 1) / warps->config->noc_flit_bytes;
    if (cache->misses.cnt == 0 || m->ready > warps->cycle ||
        !cw_crossbar_can_push(warps->cfg.up, warps->cfg.index, flits == 0 ? 1 : flits, warps->now))
        return;
    struct cw_message *p = cw_message_new(warps->cfg.pool, &cw_line_body_type);
    p->kind = CW_MSG_READ;
    p->timing_only = 1;
    p->sectors = cw_core__sectors(cache, m->line, m->bytes);
    p->addr = m->line & ~(uint64_t)(cache->line_bytes - 1);
    p->core = (uint16_t)warps->cfg.index;
    p->partition = (uint16_t)cw_address_partition(warps->config, m->line);
    p->tag = m->tag;
    p->born = warps->now;
    cw_message_size(p, 0, warps->config->noc_header_bytes, warps->config->noc_flit_bytes);
    cw_trips_begin(warps->cfg.trips, p, warps->now);
    cw_crossbar_push(warps->cfg.up, warps->cfg.index, p, warps->now);
    cache->misses.head = (cache->misses.head + 1) % cache->misses.cap;
    cache->misses.cnt--;
}
