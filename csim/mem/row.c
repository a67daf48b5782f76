/* SPDX-License-Identifier: Apache-2.0 */
#include "mem/row.h"

#include <assert.h>

#include "mem/address.h"

/* Bytes of all rows of one number in a channel. */
static uint64_t channel_rows(const struct cw_config *c)
{
    return (uint64_t)c->dram_row_bytes * c->dram_banks;
}

uint64_t cw_row_set_bytes(const struct cw_config *c)
{
    return channel_rows(c) * cw_address_channels(c);
}

uint64_t cw_row_of(const struct cw_config *c, uint64_t addr)
{
    return (addr - CW_GLOBAL_BASE) / cw_row_set_bytes(c);
}

uint64_t cw_row_base(const struct cw_config *c, uint64_t row)
{
    return CW_GLOBAL_BASE + row * cw_row_set_bytes(c);
}

/* The offset in a channel's row set that has another bank by these bits (dram.map = groups): the low bits of the bank stand above the line,
 * the others above the columns. */
static uint64_t flip_bank(const struct cw_config *c, uint64_t offset, uint32_t bits)
{
    const uint64_t group = bits & (c->dram_bank_groups - 1), high = bits / c->dram_bank_groups;
    return offset ^ group * c->mem_line_bytes ^ high * c->dram_row_bytes * c->dram_bank_groups;
}

uint64_t cw_row_move(const struct cw_config *c, uint64_t addr, uint64_t row)
{
    assert(c->dram_sharing == 1);
    const uint64_t local = cw_address_local(c, addr), from = local / channel_rows(c);
    uint64_t offset = local % channel_rows(c);
    if (c->dram_map == CW_DRAM_GROUPS_LOW)
        offset = flip_bank(c, offset, (uint32_t)(from ^ row) & (c->dram_banks - 1));
    return cw_address_global(c, cw_address_partition(c, addr), row * channel_rows(c) + offset);
}

uint64_t cw_row_bank(const struct cw_config *c, uint32_t partition, uint64_t row, uint32_t bank)
{
    const uint64_t groups = c->dram_bank_groups, bytes = c->dram_row_bytes;
    const uint64_t step = c->dram_map == CW_DRAM_GROUPS_LOW  ? bank % groups * c->mem_line_bytes + bank / groups * bytes * groups
                          : c->dram_map == CW_DRAM_BANKS_LOW ? bank % 2 * (uint64_t)c->partition_interleave + bank / 2 * bytes * 2
                                                             : bank * bytes;
    return cw_address_global(c, partition, row * channel_rows(c) + step);
}

uint64_t cw_row_column(const struct cw_config *c, uint64_t addr, uint32_t column)
{
    assert(c->dram_sharing == 1);
    const uint64_t line = c->mem_line_bytes, local = cw_address_local(c, addr) / line * line, lines = c->dram_row_bytes / line;
    uint64_t low, step; /* bytes below the column, and of one column */
    if (c->dram_map == CW_DRAM_GROUPS_LOW) {
        low = line * c->dram_bank_groups;
        const uint64_t base = local / (low * lines) * (low * lines) + local % low;
        return cw_address_global(c, cw_address_partition(c, addr), base + column * low);
    }
    if (c->dram_map == CW_DRAM_COLUMNS_LOW)
        return cw_address_global(c, cw_address_partition(c, addr), local / c->dram_row_bytes * c->dram_row_bytes + column * line);
    /* dram.map = banks: the columns of a chunk follow each other; the next chunk of the row is behind one of the other bank */
    low = c->partition_interleave;
    step = low / line;
    const uint64_t row_chunks = c->dram_row_bytes / low, pair = 2 * low;
    const uint64_t base = local / (pair * row_chunks) * (pair * row_chunks) + local / low % 2 * low;
    return cw_address_global(c, cw_address_partition(c, addr), base + column / step * pair + column % step * line);
}
