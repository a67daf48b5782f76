/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a line that an access touches, and its values there; where a thread's local memory lies (core_local.h). */
#include <string.h>

#include "core/cache/cache.h"
#include "core/core_local.h"

uint64_t cw_core__local_word(const struct cw_core_cache *cache, uint32_t home, uint32_t half, uint32_t lane, uint64_t offset)
{
    const struct cw_core_warps *const warps = &cache->warps;
    const struct cw_launch *l = warps->launch;
    const uint32_t slot = (warps->cfg.index * warps->config->core_warps + home) * warps->halves + half;
    return cw_local_row(l->local_base, l->local_bytes, slot, (uint32_t)(offset / 4)) + lane * 4;
}

static void enter_mask(uint64_t mask[2], uint32_t first, uint32_t bytes)
{
    uint64_t ones = bytes >= 64 ? UINT64_MAX : (UINT64_C(1) << bytes) - 1; /* an aligned access never crosses byte 64 */
    mask[first / 64] |= ones << (first % 64);
}

/* Where in its line a lane's access lies. */
static uint32_t offset_in_line(const struct cw_core_cache *cache, const struct cw_pipe_entry *e, uint32_t lane)
{
    const struct cw_mem_inst *m = &e->inst->m;
    uint64_t addr = m->addr[lane];
    if (m->space == CW_SPACE_LOCAL)
        addr = cw_core__local_word(cache, cw_core__home(&cache->warps, m->dynamic, m->warp, lane), m->half, lane, addr + 4u * e->piece) +
               addr % 4;
    return (uint32_t)addr & (cache->line_bytes - 1);
}

void cw_core__touched(const struct cw_core_cache *cache, const struct cw_pipe_entry *e, uint64_t mask[2])
{
    const struct cw_mem_inst *m = &e->inst->m;
    uint32_t bytes = (uint32_t)m->elem_bytes * m->vec;
    mask[0] = mask[1] = 0;
    for (cw_lanes left = e->access.lanes; left != 0; left = cw_lanes_rest(left)) {
        uint32_t lane = cw_lanes_first(left);
        enter_mask(mask, offset_in_line(cache, e, lane), m->space == CW_SPACE_LOCAL && bytes > 4 ? 4 : bytes);
    }
}

/* Values of an instruction to or from the bytes of a line. */
static void copy_lane(struct cw_mem_inst *m, uint32_t lane, uint32_t first, uint32_t bytes, uint8_t *line, bool to_line)
{
    for (uint32_t b = 0; b < bytes; b++) {
        uint32_t e = (first + b) / m->elem_bytes, shift = 8 * ((first + b) % m->elem_bytes);
        if (to_line)
            line[b] = (uint8_t)(m->value[e][lane] >> shift);
        else
            m->value[e][lane] |= (uint64_t)line[b] << shift;
    }
}

static void copy_local(const struct cw_core_cache *cache, const struct cw_pipe_entry *e, uint8_t *line, bool to_line)
{
    struct cw_mem_inst *m = &e->inst->m;
    uint32_t bytes = (uint32_t)m->elem_bytes * m->vec;
    for (cw_lanes left = e->access.lanes; left != 0; left = cw_lanes_rest(left)) {
        uint32_t lane = cw_lanes_first(left);
        copy_lane(m, lane, 4 * e->piece, bytes < 4 ? bytes : 4, line + offset_in_line(cache, e, lane), to_line);
    }
}

void cw_core__values_to_line(const struct cw_core_cache *cache, const struct cw_pipe_entry *e, uint8_t *line)
{
    const struct cw_mem_inst *m = &e->inst->m;
    if (m->space == CW_SPACE_LOCAL) {
        copy_local(cache, e, line, true);
        return;
    }
    for (uint32_t i = 0; i < m->vec; i++)
        for (cw_lanes left = e->access.lanes; left != 0; left = cw_lanes_rest(left)) {
            uint32_t lane = cw_lanes_first(left);
            cw_core__store_element(line + (m->addr[lane] & (cache->line_bytes - 1)) + i * m->elem_bytes, m->elem_bytes, m->value[i][lane]);
        }
}

void cw_core__values_from_line(const struct cw_core_cache *cache, const struct cw_pipe_entry *e, const uint8_t *line)
{
    struct cw_mem_inst *m = &e->inst->m;
    if (m->space == CW_SPACE_LOCAL) {
        uint8_t bytes[CW_LINE_BYTES];
        memcpy(bytes, line, cache->line_bytes);
        copy_local(cache, e, bytes, false);
        return;
    }
    for (uint32_t i = 0; i < m->vec; i++)
        for (cw_lanes left = e->access.lanes; left != 0; left = cw_lanes_rest(left)) {
            uint32_t lane = cw_lanes_first(left);
            m->value[i][lane] = cw_core__load_element(line + (m->addr[lane] & (cache->line_bytes - 1)) + i * m->elem_bytes, m->elem_bytes);
        }
}

bool cw_core__copy_report(const struct cw_core_cache *cache, uint64_t addr, struct cw_core_copy *copy)
{
    const uint32_t at = (uint32_t)(addr % cache->line_bytes);
    const struct cw_l1_line *e = cache->l1.line != NULL ? cw_l1_find(&cache->l1, addr - at) : NULL;
    if (e == NULL || (e->valid[at / 64] >> at % 64 & 15) != 15)
        return false;
    memcpy(&copy->value, e->data + at, sizeof copy->value);
    copy->dirty = (e->dirty[at / 64] >> at % 64 & 15) != 0;
    return true;
}
