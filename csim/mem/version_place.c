/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that exists in versions: ranges, and where the bytes of an address are. */
#include "mem/version.h"

#include <assert.h>
#include <string.h>

#include "base/machine.h"
#include "mem/device_memory_private.h"
#include "mem/row.h"

uint32_t cw_version_cnt(const struct cw_memory *m)
{
    return m->range_cnt;
}

const struct cw_version_range *cw_version_at(const struct cw_memory *m, uint32_t index)
{
    return m->range + index;
}

uint32_t cw_version_find(const struct cw_memory *m, uint64_t addr)
{
    for (uint32_t i = 0; i < m->range_cnt; i++)
        if (addr - m->range[i].base < m->range[i].bytes)
            return i;
    return UINT32_MAX;
}

/* Places */

static uint64_t place_inside(const struct cw_config *c, const struct cw_version_range *r, uint64_t addr, uint32_t slot)
{
    const uint64_t row = cw_row_of(c, addr) - r->row, group = row / r->slot_rows, within = row % r->slot_rows;
    const uint64_t stride = r->rows > r->slot_rows ? c->dram_subarray_rows : 0;
    assert(slot < r->slots);
    return cw_row_move(c, addr, r->row + group * stride + (uint64_t)slot * r->slot_rows + within);
}

uint64_t cw_version_place(const struct cw_memory *m, uint64_t addr, uint32_t slot)
{
    for (uint32_t i = 0; i < m->range_cnt; i++) {
        const struct cw_version_range *r = m->range + i;
        const struct cw_config *c = m->range_config;
        if (addr - r->base < r->bytes)
            return place_inside(c, r, addr, slot);
        const uint64_t behind = addr - (r->base + r->bytes); /* huge when addr is lower */
        if (behind < (r->reach - r->rows) * cw_row_set_bytes(c))
            return cw_row_base(c, r->spare) + behind;
    }
    return addr;
}

void cw_version_publish(struct cw_memory *m, uint32_t slot)
{
    m->newest = slot;
}

uint32_t cw_version_newest(const struct cw_memory *m)
{
    return m->newest;
}

void cw_version_copy_row(struct cw_memory *m, uint64_t from, uint64_t to)
{
    const struct cw_config *c = m->range_config;
    for (uint32_t column = 0; column < c->dram_row_bytes / c->mem_line_bytes; column++)
        memcpy(cw_memory__at(m, cw_row_column(c, to, column)), cw_memory__at(m, cw_row_column(c, from, column)), c->mem_line_bytes);
}
