/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/tm/redo_log.h"

#include <stdlib.h>
#include <string.h>

static uint64_t signature_bit(uint64_t addr)
{
    return UINT64_C(1) << (((addr >> 2) * UINT64_C(0x9e3779b97f4a7c15)) >> 58);
}

void cw_inst_get_bytes(const struct cw_mem_inst *inst, uint32_t lane, uint8_t bytes[CW_ACCESS_BYTES])
{
    uint8_t *at = bytes;
    for (uint32_t i = 0; i < inst->vec; i++)
        for (uint32_t b = 0; b < inst->elem_bytes; b++)
            *at++ = (uint8_t)(inst->value[i][lane] >> (8 * b));
}

void cw_inst_set_bytes(struct cw_mem_inst *inst, uint32_t lane, const uint8_t bytes[CW_ACCESS_BYTES])
{
    const uint8_t *at = bytes;
    for (uint32_t i = 0; i < inst->vec; i++) {
        uint64_t value = 0;
        for (uint32_t b = 0; b < inst->elem_bytes; b++)
            value |= (uint64_t)*at++ << (8 * b);
        inst->value[i][lane] = value;
    }
}

void cw_redo_log_clear(struct cw_redo_log *log)
{
    if (log->write_cnt > 0)
        memset(log->signature, 0, sizeof log->signature);
    log->write_cnt = log->read_cnt = 0;
}

void cw_redo_log_free(struct cw_redo_log *log)
{
    free(log->write);
    free(log->read);
    *log = (struct cw_redo_log){0};
}

static int reserve(void **rows, uint32_t *cap, uint32_t needed, size_t row_bytes)
{
    if (needed <= *cap)
        return CW_OK;
    uint32_t grown = needed < 8 ? 8 : 2 * needed;
    void *moved = realloc(*rows, grown * row_bytes);
    if (moved == NULL)
        return CW_ENOMEM;
    *rows = moved;
    *cap = grown;
    return CW_OK;
}

/* One lane's share of a store: word i of the access goes to row[i]. */
static void store_lane(struct cw_redo_log *log, struct cw_write_row *row, const struct cw_mem_inst *inst, uint32_t lane)
{
    uint64_t addr = inst->addr[lane];
    uint8_t bytes[CW_ACCESS_BYTES];
    cw_inst_get_bytes(inst, lane, bytes);
    uint32_t at = addr & 3, length = cw_inst_bytes(inst);
    for (uint32_t b = 0; b < length; b++, at++) {
        struct cw_write_row *r = row + at / 4;
        if (b == 0 || at % 4 == 0) {
            r->addr[lane] = (addr & ~UINT64_C(3)) + (at & ~3u);
            r->value[lane] = 0;
            r->bytes[lane] = 0;
            log->signature[lane] |= signature_bit(r->addr[lane]);
        }
        r->value[lane] |= (uint32_t)bytes[b] << (8 * (at % 4));
        r->bytes[lane] |= (uint8_t)(1u << (at % 4));
    }
}

int cw_redo_log_store(struct cw_redo_log *log, const struct cw_mem_inst *inst, cw_lanes lanes)
{
    uint32_t words = cw_inst_words(inst);
    void *rows = log->write;
    int status = reserve(&rows, &log->write_cap, log->write_cnt + words, sizeof *log->write);
    log->write = rows;
    if (status != CW_OK)
        return status;
    struct cw_write_row *row = log->write + log->write_cnt;
    for (uint32_t i = 0; i < words; i++) {
        row[i].lanes = lanes;
    }
    for (cw_lanes rest = lanes; rest != 0; rest = cw_lanes_rest(rest))
        store_lane(log, row, inst, cw_lanes_first(rest));
    log->write_cnt += words;
    return CW_OK;
}

int cw_redo_log_load(struct cw_redo_log *log, const struct cw_mem_inst *inst, cw_lanes lanes)
{
    uint32_t words = cw_inst_words(inst);
    void *rows = log->read;
    int status = reserve(&rows, &log->read_cap, log->read_cnt + words, sizeof *log->read);
    log->read = rows;
    if (status != CW_OK)
        return status;
    for (uint32_t i = 0; i < words; i++) {
        struct cw_read_row *row = log->read + log->read_cnt++;
        row->lanes = lanes;
        for (cw_lanes rest = lanes; rest != 0; rest = cw_lanes_rest(rest)) {
            uint32_t lane = cw_lanes_first(rest);
            row->addr[lane] = (inst->addr[lane] & ~UINT64_C(3)) + 4 * i;
        }
    }
    return CW_OK;
}

struct cw_read_row *cw_redo_log_read_rows(struct cw_redo_log *log, uint32_t rows)
{
    void *all = log->read;
    int status = reserve(&all, &log->read_cap, log->read_cnt + rows, sizeof *log->read);
    log->read = all;
    if (status != CW_OK)
        return NULL;
    struct cw_read_row *first = log->read + log->read_cnt;
    for (uint32_t i = 0; i < rows; i++)
        first[i].lanes = 0;
    log->read_cnt += rows;
    return first;
}

/* Byte enables of the word that the lane has written, newest store first. */
static uint32_t find_word(const struct cw_redo_log *log, uint32_t lane, uint64_t addr, uint32_t *value)
{
    uint32_t found = 0;
    *value = 0;
    if ((log->signature[lane] & signature_bit(addr)) == 0)
        return 0;
    for (uint32_t i = log->write_cnt; i-- > 0 && found != 15;) {
        const struct cw_write_row *row = log->write + i;
        if (!cw_lanes_has(row->lanes, lane) || row->addr[lane] != addr)
            continue;
        uint32_t fresh = row->bytes[lane] & ~found;
        for (uint32_t b = 0; b < 4; b++)
            if (fresh >> b & 1)
                *value |= row->value[lane] & (0xffu << (8 * b));
        found |= fresh;
    }
    return found;
}

uint32_t cw_redo_log_find(const struct cw_redo_log *log, uint32_t lane, uint64_t addr, uint32_t length, uint8_t bytes[CW_ACCESS_BYTES])
{
    uint32_t mask = 0;
    uint64_t first = addr & ~UINT64_C(3);
    for (uint64_t word = first; word < addr + length; word += 4) {
        uint32_t value;
        uint32_t found = find_word(log, lane, word, &value);
        for (uint32_t b = 0; b < 4; b++) {
            uint64_t at = word + b;
            if ((found >> b & 1) == 0 || at < addr || at >= addr + length)
                continue;
            bytes[at - addr] = (uint8_t)(value >> (8 * b));
            mask |= 1u << (at - addr);
        }
    }
    return mask;
}
