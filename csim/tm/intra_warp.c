/* SPDX-License-Identifier: Apache-2.0 */
#include "tm/intra_warp.h"

#include <string.h>

#define READ_ONLY 0xffu /* the null bit: no lane writes here; above every lane number */

static void mark(struct cw_redo_log *log, uint32_t lanes, uint8_t *table, uint32_t entries)
{
    for (uint32_t i = 0; i < log->write_cnt; i++) {
        struct cw_write_row *row = log->write + i;
        row->marked = false;
        for (uint32_t rest = row->lanes & lanes; rest != 0; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            uint8_t *owner = table + cw_intra_warp_hash(row->addr[lane], entries);
            if (lane < *owner) {
                *owner = (uint8_t)lane;
                row->marked = true;
            }
        }
    }
}

uint32_t cw_intra_warp_resolve(struct cw_redo_log *log, uint32_t lanes, uint8_t *table, uint32_t entries)
{
    uint32_t losers = 0;
    memset(table, READ_ONLY, entries);
    mark(log, lanes, table, entries);
    for (uint32_t i = 0; i < log->read_cnt; i++)
        for (uint32_t rest = log->read[i].lanes & lanes & ~losers; rest != 0; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            if (table[cw_intra_warp_hash(log->read[i].addr[lane], entries)] < lane)
                losers |= 1u << lane;
        }
    for (uint32_t i = 0; i < log->write_cnt; i++)
        for (uint32_t rest = log->write[i].lanes & lanes & ~losers; rest != 0; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            if (table[cw_intra_warp_hash(log->write[i].addr[lane], entries)] != lane)
                losers |= 1u << lane;
        }
    return losers;
}
