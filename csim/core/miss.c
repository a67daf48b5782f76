/* SPDX-License-Identifier: Apache-2.0 */
/* Misses of read-only caches: reads without bytes, on their way to the crossbar. */
#include <assert.h>

#include "core/core_state.h"
#include "mem/address.h"

void cw_core__miss_push(struct cw_core *c, uint64_t ready, uint64_t line, uint32_t bytes, uint32_t tag)
{
    assert(c->misses.cnt < c->misses.cap);
    c->misses.entry[(c->misses.head + c->misses.cnt++) % c->misses.cap] = (struct cw_miss){ready, line, bytes, tag};
}

uint64_t cw_core__miss_next(const struct cw_core *c)
{
    if (c->misses.cnt == 0)
        return CW_CYCLE_NEVER;
    const uint64_t ready = c->misses.entry[c->misses.head].ready;
    return ready > c->cycle ? ready : c->cycle + 1;
}

void cw_core__miss_tick(struct cw_core *c)
{
    const struct cw_miss *m = &c->misses.entry[c->misses.head];
    const uint32_t flits = (c->config->noc_header_bytes + c->config->noc_flit_bytes - 1) / c->config->noc_flit_bytes;
    if (c->misses.cnt == 0 || m->ready > c->cycle || !cw_crossbar_can_push(c->cfg.up, c->cfg.index, flits == 0 ? 1 : flits, c->now))
        return;
    struct cw_message *p = cw_message_new(c->cfg.pool, &cw_line_body_type);
    p->kind = CW_MSG_READ;
    p->timing_only = 1;
    p->sectors = cw_core__sectors(c, m->line, m->bytes);
    p->addr = m->line & ~(uint64_t)(c->line_bytes - 1);
    p->core = (uint16_t)c->cfg.index;
    p->partition = (uint16_t)cw_address_partition(c->config, m->line);
    p->tag = m->tag;
    p->born = c->now;
    cw_message_size(p, 0, c->config->noc_header_bytes, c->config->noc_flit_bytes);
    cw_crossbar_push(c->cfg.up, c->cfg.index, p, c->now);
    c->misses.head = (c->misses.head + 1) % c->misses.cap;
    c->misses.cnt--;
}
