/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that a core sends: of line accesses, write-backs, misses. */
#include <string.h>

#include "core/cache/cache.h"
#include "mem/address.h"

static struct cw_message *new_packet(struct cw_core_cache *cache, enum cw_message_kind kind, uint64_t line, uint32_t payload_bytes)
{
    struct cw_core_warps *const warps = &cache->warps;
    struct cw_message *p = cw_message_new(warps->cfg.pool, kind == CW_MSG_ATOMIC ? &cw_atomic_body_type : &cw_line_body_type);
    p->kind = (uint8_t)kind;
    p->addr = line;
    p->core = (uint16_t)warps->cfg.index;
    p->partition = (uint16_t)cw_address_partition(warps->config, line);
    p->born = warps->now;
    cw_message_size(p, payload_bytes, warps->config->noc_header_bytes, warps->config->noc_flit_bytes);
    return p;
}

static void fill_atomic(const struct cw_core_cache *cache, struct cw_message *p, const struct cw_pipe_entry *e)
{
    const struct cw_mem_inst *m = &e->inst->m;
    struct cw_atomic_body *b = cw_atomic_body(p);
    b->atom = m->uop->atom;
    b->type = m->uop->type;
    p->needs_reply = m->uop->dst_cnt != 0 || (m->uop->flags & CW_UF_ACQUIRE) != 0;
    for (cw_lanes left = e->access.lanes; left != 0; left = cw_lanes_rest(left)) {
        uint32_t lane = cw_lanes_first(left);
        b->lane_offset[lane] = (uint8_t)(m->addr[lane] & (cache->line_bytes - 1));
        b->a[lane] = m->value[0][lane];
        b->b[lane] = m->value[1][lane];
    }
}

/* Lanes that write the same byte: the highest lane's value stays. */
static void fill_write(const struct cw_core_cache *cache, struct cw_message *p, const struct cw_pipe_entry *e)
{
    uint64_t mask[2];
    struct cw_line_body *b = cw_line_body(p);
    cw_core__touched(cache, e, mask);
    memcpy(b->byte_mask, mask, sizeof b->byte_mask);
    cw_core__values_to_line(cache, e, b->data);
}

struct cw_message *cw_core__packet(struct cw_core_cache *cache, const struct cw_pipe_entry *e)
{
    const struct cw_uop *u = e->inst->m.uop;
    uint32_t lanes = cw_lanes_count(e->access.lanes), sectors = cw_sectors_count(e->access.sectors);
    bool whole_sectors = u->op == CW_OP_ST || (u->op == CW_OP_ATOM && cache->warps.config->noc_atomic_sectors == CW_ON);
    uint32_t payload = whole_sectors         ? sectors * CW_SECTOR_BYTES
                       : u->op == CW_OP_ATOM ? lanes * e->inst->m.elem_bytes * (u->atom == CW_ATOM_CAS ? 2u : 1u)
                                             : 0;
    enum cw_message_kind kind = u->op == CW_OP_ST ? CW_MSG_WRITE : u->op == CW_OP_ATOM ? CW_MSG_ATOMIC : CW_MSG_READ;
    struct cw_message *p = new_packet(cache, kind, e->access.line, payload);
    p->sectors = (uint8_t)e->access.sectors;
    p->lanes = e->access.lanes;
    p->warp = (uint16_t)e->inst->m.warp;
    p->tag = e->inst->index;
    if (kind == CW_MSG_WRITE) {
        p->needs_reply = 1;
        fill_write(cache, p, e);
    } else if (kind == CW_MSG_ATOMIC) {
        fill_atomic(cache, p, e);
    }
    return p;
}

/* A write of the warp leaves, and comes back as its acknowledgement; memory fences wait for that. */
void cw_core__expect_ack(struct cw_core_cache *cache, struct cw_message *p, uint8_t flight)
{
    cache->acks++;
    cache->warps.warp[p->warp].acks++;
    cw_core__order_begin(&cache->warps, flight);
    p->flight = flight;
}

bool cw_core__write_line(struct cw_core_cache *cache, struct cw_l1_line *e, uint32_t tag)
{
    struct cw_core_warps *const warps = &cache->warps;
    const uint8_t sectors = cw_l1_sectors(e->dirty) & cw_core__sectors(cache, e->line, cache->line_bytes);
    uint32_t payload = cw_sectors_count(sectors) * CW_SECTOR_BYTES;
    uint32_t flits = (warps->config->noc_header_bytes + payload + warps->config->noc_flit_bytes - 1) / warps->config->noc_flit_bytes;
    if (!cw_core__crossbar_takes(cache, flits))
        return false;
    struct cw_message *p = new_packet(cache, CW_MSG_WRITE, e->line, payload);
    p->sectors = sectors;
    if (e->global) {
        p->needs_reply = 1;
        p->warp = CW_NO_WARP;
        p->tag = tag;
    }
    struct cw_line_body *b = cw_line_body(p);
    memcpy(b->byte_mask, e->dirty, sizeof b->byte_mask);
    memcpy(b->data, e->data, cache->line_bytes);
    cw_core__persist_leaves(warps, p);
    if (p->needs_reply != 0)
        cw_trips_begin(warps->cfg.trips, p, warps->now);
    cw_crossbar_push(warps->cfg.up, warps->cfg.index, p, warps->now);
    cw_l1_clean(&cache->l1, e);
    cw_core__tell_line(warps, CW_L1_LINE_EVICTED, e->line, CW_CORE_WARPS_MAX);
    warps->cfg.stats->l1_writebacks++;
    return true;
}

void cw_core__send_miss(struct cw_core_cache *cache, uint64_t line, uint8_t sectors, uint32_t tag)
{
    struct cw_core_warps *const warps = &cache->warps;
    struct cw_message *p = new_packet(cache, CW_MSG_READ, line & ~(uint64_t)(cache->line_bytes - 1), 0);
    p->sectors = sectors;
    p->tag = tag;
    cw_trips_begin(warps->cfg.trips, p, warps->now);
    cw_crossbar_push(warps->cfg.up, warps->cfg.index, p, warps->now);
}
