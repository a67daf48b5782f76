/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that exists in versions: how a range comes to be. */
#include "mem/version.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "mem/device_memory_private.h"
#include "mem/row.h"

static uint64_t row_sets(const struct cw_config *c, uint64_t bytes)
{
    return (bytes + cw_row_set_bytes(c) - 1) / cw_row_set_bytes(c);
}

/* Row sets of a slot in one subarray, and all that the slots take. */
static void shape(const struct cw_config *c, uint64_t rows, uint32_t slots, uint64_t *slot_rows, uint64_t *reach)
{
    const uint64_t most = c->dram_subarray_rows / slots;
    *slot_rows = rows < most ? rows : most;
    *reach = rows <= most ? rows * slots : (rows + most - 1) / most * c->dram_subarray_rows;
}

uint64_t cw_version_alignment(const struct cw_config *c, uint64_t bytes, uint32_t slots)
{
    uint64_t slot_rows, reach, rows = 1;
    shape(c, row_sets(c, bytes), slots, &slot_rows, &reach);
    while (rows < reach && rows < c->dram_subarray_rows)
        rows *= 2;
    return rows * cw_row_set_bytes(c);
}

/* A range whose slots take row sets from there on, of those that slots of a new range would; NULL: none. */
static const struct cw_version_range *range_in(const struct cw_memory *m, uint64_t row, uint64_t reach)
{
    for (uint32_t i = 0; i < m->range_cnt; i++)
        if (row < m->range[i].row + m->range[i].reach && m->range[i].row < row + reach)
            return &m->range[i];
    return NULL;
}

int cw_version_alloc(struct cw_memory *m, const struct cw_config *c, uint64_t *addr, uint64_t bytes, uint32_t slots, struct cw_error *err)
{
    const uint64_t whole = row_sets(c, bytes) * cw_row_set_bytes(c), alignment = cw_version_alignment(c, bytes, slots);
    const uint64_t end = m->general.base + m->general.bytes;
    uint64_t slot_rows, reach, at = CW_GLOBAL_BASE;
    shape(c, row_sets(c, bytes), slots, &slot_rows, &reach);
    while (at < end && end - at >= reach * cw_row_set_bytes(c)) {
        const struct cw_version_range *r = range_in(m, cw_row_of(c, at), reach);
        if (r == NULL && cw_memory_alloc_at(m, at, whole, CW_REGION_GLOBAL, NULL) == CW_OK) {
            *addr = at;
            return CW_OK;
        }
        do
            at += alignment;
        while (r != NULL && cw_row_of(c, at) < r->row + r->reach);
    }
    return cw_fail(err, CW_ENOMEM, "versions of memory: no room for %u versions of %" PRIu64 " bytes; set mem.mbytes higher", slots, bytes);
}

static int check(const struct cw_memory *m, const struct cw_config *c, const struct cw_version_range *r, uint64_t asked,
                 struct cw_error *err)
{
    const struct cw_region *a = cw_memory_region(m, r->base);
    if (c->dram_sharing != 1)
        return cw_fail(err, CW_EINVAL, "versions of memory: partitions share DRAM channels; set dram.sharing to 1");
    if (r->slots < 2 || r->slots > c->dram_subarray_rows)
        return cw_fail(err, CW_EINVAL, "versions of memory: %u versions; 2 to dram.subarray_rows = %u", r->slots, c->dram_subarray_rows);
    if (asked == 0 || a == NULL || r->base - a->base > a->bytes || asked > a->bytes - (r->base - a->base))
        return cw_fail(err, CW_EINVAL, "versions of memory: %" PRIu64 " bytes at 0x%" PRIx64 " are not within one allocation", asked,
                       r->base);
    const uint64_t alignment = cw_version_alignment(c, asked, r->slots);
    if ((r->base - CW_GLOBAL_BASE) % alignment != 0)
        return cw_fail(err, CW_EINVAL,
                       "versions of memory: 0x%" PRIx64
                       " does not begin at a row; allocate it with versions from the start, which aligns it "
                       "to %" PRIu64 " bytes",
                       r->base, alignment);
    const struct cw_version_range *other = range_in(m, r->row, r->reach);
    if (other != NULL)
        return cw_fail(err, CW_EINVAL,
                       "versions of memory: 0x%" PRIx64 " and its versions meet those of the %" PRIu64 " bytes at 0x%" PRIx64, r->base,
                       other->used, other->base);
    for (uint32_t i = 0; i < m->region_cnt; i++)
        if (m->region + i != a && m->region[i].base < r->base + r->bytes && m->region[i].base + m->region[i].bytes > r->base)
            return cw_fail(err, CW_EINVAL,
                           "versions of memory: the last row of the %" PRIu64 " bytes at 0x%" PRIx64
                           " has another allocation, at 0x%" PRIx64,
                           asked, r->base, m->region[i].base);
    return CW_OK;
}

/* What is displaced, as far as it is allocated, gets its bytes in the spare rows; or those come back. */
static void displace(struct cw_memory *m, const struct cw_config *c, const struct cw_version_range *r, bool back)
{
    const uint64_t set = cw_row_set_bytes(c), first = r->base + r->bytes, end = cw_row_base(c, r->row + r->reach);
    const uint64_t shift = cw_row_base(c, r->spare) - first;
    for (uint32_t i = 0; i < m->span_cnt; i++) {
        const uint64_t from = m->span[i].base > first ? m->span[i].base : first;
        const uint64_t to = m->span[i].base + m->span[i].bytes < end ? m->span[i].base + m->span[i].bytes : end;
        if (from >= to)
            continue;
        unsigned char *home = cw_memory__at(m, from), *away = cw_memory__at(m, from + shift);
        memcpy(back ? home : away, back ? away : home, to - from);
        if (!back)
            memset(home, 0, to - from);
    }
    assert(shift % set == 0);
}

int cw_version_hide(struct cw_memory *m, struct cw_error *err)
{
    const struct cw_config *c = m->range_config;
    uint64_t most = 1;
    for (uint32_t i = 0; i < m->range_cnt; i++)
        most = m->range[i].bytes > most ? m->range[i].bytes : most;
    unsigned char *bytes = malloc(most);
    if (bytes == NULL)
        return cw_fail(err, CW_ENOMEM, "versions of memory: out of host memory");
    for (uint32_t i = 0; i < m->range_cnt; i++) {
        const struct cw_version_range *r = m->range + i;
        for (uint64_t at = 0; at < r->bytes; at += c->mem_line_bytes)
            memcpy(bytes + at, cw_memory__at(m, cw_version_place(m, r->base + at, m->newest)), c->mem_line_bytes);
        displace(m, c, r, true);
        memcpy(cw_memory__at(m, r->base), bytes, r->bytes);
    }
    free(bytes);
    m->newest = 0;
    m->hidden_cnt = m->range_cnt;
    m->range_cnt = 0;
    return CW_OK;
}

void cw_version_show(struct cw_memory *m)
{
    m->range_cnt = m->hidden_cnt;
    m->hidden_cnt = 0;
    for (uint32_t i = 0; i < m->range_cnt; i++)
        displace(m, m->range_config, m->range + i, false);
}

int cw_version_add(struct cw_memory *m, const struct cw_config *c, uint64_t addr, uint64_t bytes, uint32_t slots, struct cw_error *err)
{
    struct cw_version_range r = {.base = addr, .used = bytes, .slots = slots, .row = cw_row_of(c, addr)};
    uint64_t slot_rows = 0, reach = 0, spare = 0;
    if (slots >= 2 && slots <= c->dram_subarray_rows && bytes <= UINT64_C(1) << 34)
        shape(c, row_sets(c, bytes), slots, &slot_rows, &reach);
    r.rows = (uint32_t)row_sets(c, bytes);
    r.bytes = r.rows * cw_row_set_bytes(c);
    r.slot_rows = (uint32_t)slot_rows;
    r.reach = (uint32_t)reach;
    int status = check(m, c, &r, bytes, err);
    if (status != CW_OK)
        return status;
    struct cw_version_range *more = realloc(m->range, (m->range_cnt + 1) * sizeof *more);
    if (more == NULL)
        return cw_fail(err, CW_ENOMEM, "versions of memory: out of host memory");
    m->range = more;
    const uint64_t set = cw_row_set_bytes(c), end = cw_row_base(c, r.row + r.reach);
    if (end > m->general.base + m->general.bytes)
        return cw_fail(err, CW_ENOMEM,
                       "versions of memory: %u versions of the %" PRIu64 " bytes at 0x%" PRIx64 " go beyond device memory; set "
                       "mem.mbytes higher",
                       slots, bytes, addr);
    status = cw_memory_alloc_top_aligned(m, &spare, (r.reach - r.rows) * set, set, CW_REGION_SPARE, err);
    if (status != CW_OK)
        return status;
    if (spare < end) {
        cw_memory_free(m, spare, NULL);
        return cw_fail(err, CW_ENOMEM,
                       "versions of memory: no room for what %u versions of %" PRIu64 " bytes displace; set mem.mbytes higher", slots,
                       bytes);
    }
    r.spare = cw_row_of(c, spare);
    m->range_config = c;
    displace(m, c, &r, false);
    m->range[m->range_cnt++] = r;
    return CW_OK;
}

static void copy_line(struct cw_memory *m, uint64_t from, uint64_t to, uint32_t bytes)
{
    uint8_t line[CW_LINE_BYTES_MAX];
    cw_memory__get(m, from, line, bytes);
    cw_memory__put(m, to, line, bytes);
}

void cw_version_copy(struct cw_memory *m, uint32_t index, uint32_t from, uint32_t to)
{
    const struct cw_version_range *r = m->range + index;
    const struct cw_config *c = m->range_config;
    for (uint64_t addr = r->base; addr < r->base + r->used; addr += c->mem_line_bytes)
        copy_line(m, cw_version_place(m, addr, from), cw_version_place(m, addr, to), c->mem_line_bytes);
}
