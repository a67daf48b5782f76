/* SPDX-License-Identifier: Apache-2.0 */
/* What requests do to the bytes of an L2 slice, and which bytes it and memory get of each other. */
#include <string.h>

#include "exec/exec.h"
#include "mem/l2_private.h"

static void copy_out(struct cw_l2 *l2, const struct cw_l2__line *l, struct cw_message *p)
{
    const uint8_t *from = cw_l2__data_of(l2, l);
    for (uint32_t s = 0; s < l2->sectors; s++)
        if (p->sectors & 1u << s)
            memcpy(cw_line_body(p)->data + s * CW_SECTOR_BYTES, from + s * CW_SECTOR_BYTES, CW_SECTOR_BYTES);
}

void cw_l2__fetch_sector(struct cw_l2 *l2, const struct cw_l2__line *l, uint32_t s, uint64_t place)
{
    const uint32_t lacks = ~l->written[s];
    cw_memory__copy_masked(cw_l2__data_of(l2, l) + s * CW_SECTOR_BYTES, cw_memory__at(l2->memory, place) + s * CW_SECTOR_BYTES, &lacks,
                           CW_SECTOR_BYTES);
}

/* Memory gets the bytes of those sectors, as far as the slice has them. */
void cw_l2__write_back(struct cw_l2 *l2, const struct cw_l2__line *l, uint8_t sectors)
{
    const uint64_t place = cw_l2__place_of(l2, l);
    if (!cw_memory__has(l2->memory, place))
        return;
    for (uint32_t s = 0; s < l2->sectors; s++)
        if (sectors & 1u << s)
            cw_memory__copy_masked(cw_memory__at(l2->memory, place) + s * CW_SECTOR_BYTES, cw_l2__data_of(l2, l) + s * CW_SECTOR_BYTES,
                                   &l->written[s], CW_SECTOR_BYTES);
}

/* Bytes go into the slice, or past it (mark_written); those of persistent memory both ways. Of a write without bytes, those of memory stay
 * what they are when the slice says that it has them. */
static void copy_in(struct cw_l2 *l2, const struct cw_l2__line *l, const struct cw_message *p)
{
    const struct cw_line_body *b = cw_line_body_of(p);
    const uint64_t place = cw_message_place(p);
    uint8_t *const memory = cw_memory__has(l2->memory, place) ? cw_memory__at(l2->memory, place) : NULL;
    for (uint32_t s = 0; s < l2->sectors && memory != NULL; s++) {
        const uint32_t mask = b->byte_mask[s], at = s * CW_SECTOR_BYTES, lacks = mask & ~l->written[s];
        const bool passes = cw_l2__may_pass(l2, p) && (l->valid & 1u << s) == 0;
        if (p->timing_only)
            cw_memory__copy_masked(cw_l2__data_of(l2, l) + at, memory + at, &lacks, CW_SECTOR_BYTES);
        else if (!passes)
            cw_memory__copy_masked(cw_l2__data_of(l2, l) + at, b->data + at, &mask, CW_SECTOR_BYTES);
        if (!p->timing_only && (passes || cw_memory_is_pm(p->addr)))
            cw_memory__copy_masked(memory + at, b->data + at, &mask, CW_SECTOR_BYTES);
    }
}

/* Those lanes, in lane order, each seeing the one before; old values replace operand a. Returns the largest number of lanes on
 * one address: one operation per cycle and address, different addresses side by side (one unit per bank of the data
 * array). */
uint32_t cw_l2__perform_atomic(struct cw_l2 *l2, const struct cw_l2__line *l, struct cw_message *p, cw_lanes of)
{
    struct cw_atomic_body *b = cw_atomic_body(p);
    uint32_t bytes = cw_type_bytes((enum cw_type)b->type), most = 1;
    uint8_t lanes_at[CW_LINE_BYTES_MAX] = {0};
    for (cw_lanes lanes = of; lanes != 0; lanes = cw_lanes_rest(lanes)) {
        uint32_t i = cw_lanes_first(lanes);
        uint8_t *at = cw_l2__data_of(l2, l) + b->lane_offset[i];
        uint64_t old = 0;
        memcpy(&old, at, bytes);
        uint64_t value = cw_atomic_apply((enum cw_atom)b->atom, (enum cw_type)b->type, old, b->a[i], b->b[i]);
        memcpy(at, &value, bytes);
        b->a[i] = old;
        if (++lanes_at[b->lane_offset[i]] > most)
            most = lanes_at[b->lane_offset[i]];
    }
    if (cw_memory_is_pm(p->addr))
        cw_l2__write_back(l2, l, cw_l2__sectors_of(l2, p));
    l2->stats->l2_atomics += cw_lanes_count(of);
    return most;
}

/* A sector that is absent stays so when its bytes go on. */
static void mark_written(const struct cw_l2 *l2, struct cw_l2__line *l, const struct cw_message *p)
{
    for (uint32_t s = 0; s < l2->sectors; s++) {
        if (cw_line_body_of(p)->byte_mask[s] == 0 || (cw_l2__may_pass(l2, p) && (l->valid & 1u << s) == 0))
            continue;
        l->written[s] |= cw_line_body_of(p)->byte_mask[s];
        if (!cw_memory_is_pm(p->addr))
            l->dirty = (uint8_t)(l->dirty | 1u << s);
        if (l->written[s] == UINT32_MAX)
            l->valid = (uint8_t)(l->valid | 1u << s);
    }
}

/* The line of the array is used. */
void cw_l2__use(struct cw_l2 *l2, struct cw_l2__line *l)
{
    if (l->brought)
        cw_cache_array_served(&l2->array, (uint32_t)(l - l2->line));
    else
        cw_cache_array_hit(&l2->array, (uint32_t)(l - l2->line));
    l->brought = false;
}

uint32_t cw_l2__port_cycles(const struct cw_l2 *l2, uint8_t sectors)
{
    const uint32_t bytes = cw_sectors_count(sectors) * CW_SECTOR_BYTES, port = l2->config->l2_port_bytes;
    return bytes <= port ? 1 : (bytes + port - 1) / port;
}

uint32_t cw_l2__atomic_cycles(const struct cw_l2 *l2, uint8_t sectors, uint32_t most)
{
    const uint32_t cycles = cw_l2__port_cycles(l2, sectors);
    if (l2->config->l2_atomic_cycles != 0)
        most = cw_sectors_count(sectors) * l2->config->l2_atomic_cycles;
    return most > cycles ? most : cycles;
}

uint32_t cw_l2__perform(struct cw_l2 *l2, struct cw_l2__line *l, struct cw_message *p)
{
    const uint8_t sectors = cw_l2__sectors_of(l2, p);
    cw_l2__use(l2, l);
    if (p->kind == CW_MSG_READ) {
        if (!p->timing_only)
            copy_out(l2, l, p);
    } else if (p->kind == CW_MSG_WRITE) {
        copy_in(l2, l, p);
        mark_written(l2, l, p);
    } else if (p->kind == CW_MSG_ATOMIC) {
        if (!cw_memory_is_pm(p->addr))
            l->dirty = (uint8_t)(l->dirty | sectors);
        return cw_l2__atomic_cycles(l2, sectors, cw_l2__perform_atomic(l2, l, p, p->lanes));
    }
    return cw_l2__port_cycles(l2, sectors);
}

/* The line has a new number, and nothing else. */
void cw_l2__rename_line(struct cw_l2 *l2, uint32_t index, uint32_t number)
{
    l2->line[index] = (struct cw_l2__line){.brought = true};
    cw_cache_array_name(&l2->array, index, number);
    cw_cache_array_filled(&l2->array, index);
}

void cw_l2__count(struct cw_l2 *l2, const struct cw_message *p, bool miss)
{
    const uint32_t sectors = cw_sectors_count(cw_l2__sectors_of(l2, p));
    if (p->kind == CW_MSG_WRITE) {
        l2->stats->l2_write_sectors += sectors;
        l2->stats->l2_writes++;
        l2->stats->l2_write_misses += miss;
    } else if (p->kind != CW_MSG_ATOMIC) {
        l2->stats->l2_read_sectors += sectors;
        l2->stats->l2_reads++;
        l2->stats->l2_read_misses += miss;
        if (p->after == CW_AFTER_RETURN) {
            l2->stats->l2_validation_reads++;
            l2->stats->l2_validation_misses += miss;
        }
    }
}

void cw_l2__sectors_come(struct cw_l2 *l2, uint32_t index, uint8_t sectors)
{
    struct cw_l2__line *l = &l2->line[index];
    const uint64_t place = cw_l2__place_of(l2, l);
    l->valid |= sectors;
    for (uint32_t s = 0; s < l2->sectors; s++) {
        if ((sectors & 1u << s) == 0)
            continue;
        if (cw_memory__has(l2->memory, place))
            cw_l2__fetch_sector(l2, l, s, place);
        l->written[s] = UINT32_MAX;
    }
}
