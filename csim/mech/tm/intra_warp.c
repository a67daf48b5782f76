/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/tm/intra_warp.h"

#include <string.h>

#define READ_ONLY 0xffu /* the null bit: no lane writes here; above every lane number */

static void mark(const struct cw_redo_log *log, cw_lanes lanes, uint8_t *table, uint32_t entries)
{
    for (uint32_t i = 0; i < log->write_cnt; i++) {
        const struct cw_write_row *row = log->write + i;
        for (cw_lanes rest = row->lanes & lanes; rest != 0; rest = cw_lanes_rest(rest)) {
            uint32_t lane = cw_lanes_first(rest);
            uint8_t *owner = table + cw_intra_warp_hash(row->addr[lane], entries);
            if (lane < *owner)
                *owner = (uint8_t)lane;
        }
    }
}

cw_lanes cw_intra_warp_resolve(const struct cw_redo_log *log, cw_lanes lanes, uint8_t *table, uint32_t entries)
{
    cw_lanes losers = 0;
    memset(table, READ_ONLY, entries);
    mark(log, lanes, table, entries);
    for (uint32_t i = 0; i < log->read_cnt; i++)
        for (cw_lanes rest = cw_lanes_without(log->read[i].lanes & lanes, losers); rest != 0; rest = cw_lanes_rest(rest)) {
            uint32_t lane = cw_lanes_first(rest);
            if (table[cw_intra_warp_hash(log->read[i].addr[lane], entries)] < lane)
                losers |= cw_lanes_one(lane);
        }
    for (uint32_t i = 0; i < log->write_cnt; i++)
        for (cw_lanes rest = cw_lanes_without(log->write[i].lanes & lanes, losers); rest != 0; rest = cw_lanes_rest(rest)) {
            uint32_t lane = cw_lanes_first(rest);
            if (table[cw_intra_warp_hash(log->write[i].addr[lane], entries)] != lane)
                losers |= cw_lanes_one(lane);
        }
    return losers;
}

/* Two bits per word. */
static void filter_bits(uint64_t addr, uint32_t bits, uint32_t bit[2])
{
    uint64_t mixed = (addr >> 2) * UINT64_C(0x9e3779b97f4a7c15);
    bit[0] = (uint32_t)(mixed >> 32) & (bits - 1);
    bit[1] = (uint32_t)(mixed >> 8) & (bits - 1);
}

static bool filter_hits(const uint8_t *filter, uint32_t bits, uint64_t addr)
{
    uint32_t bit[2];
    filter_bits(addr, bits, bit);
    return (filter[bit[0] / 8] >> bit[0] % 8 & filter[bit[1] / 8] >> bit[1] % 8 & 1) != 0;
}

static bool lane_hits(const struct cw_redo_log *log, uint32_t lane, const uint8_t *filter, uint32_t bits)
{
    for (uint32_t i = 0; i < log->read_cnt; i++)
        if (cw_lanes_has(log->read[i].lanes, lane) && filter_hits(filter, bits, log->read[i].addr[lane]))
            return true;
    for (uint32_t i = 0; i < log->write_cnt; i++)
        if (cw_lanes_has(log->write[i].lanes, lane) && filter_hits(filter, bits, log->write[i].addr[lane]))
            return true;
    return false;
}

cw_lanes cw_intra_warp_sequential(const struct cw_redo_log *log, cw_lanes lanes, uint8_t *filter, uint32_t bits)
{
    cw_lanes losers = 0;
    uint32_t bit[2];
    memset(filter, 0, bits / 8);
    for (cw_lanes rest = lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t lane = cw_lanes_first(rest);
        if (lane_hits(log, lane, filter, bits)) {
            losers |= cw_lanes_one(lane);
            continue;
        }
        for (uint32_t i = 0; i < log->write_cnt; i++) {
            if (!cw_lanes_has(log->write[i].lanes, lane))
                continue;
            filter_bits(log->write[i].addr[lane], bits, bit);
            filter[bit[0] / 8] |= (uint8_t)(1u << bit[0] % 8);
            filter[bit[1] / 8] |= (uint8_t)(1u << bit[1] % 8);
        }
    }
    return losers;
}
