/* SPDX-License-Identifier: Apache-2.0 */
/* What core.h offers for lines of the L1 and for stores on their way; a floor carries it out. */
#include "core/core_state.h"

void cw_core_end_kernel(struct cw_core *c, cw_time now)
{
    cw_core__end_kernel(c->blocks, now);
}

bool cw_core_keeps(const struct cw_core *c, uint64_t addr, uint64_t bytes)
{
    return cw_core__keeps(c->blocks, addr, bytes);
}

uint32_t cw_core_flush_lines(struct cw_core *c, uint32_t kinds)
{
    return cw_core__flush_lines(c->blocks, kinds);
}

void cw_core_forget_lines(struct cw_core *c, uint32_t kinds)
{
    cw_core__forget_lines(c->blocks, kinds);
}

bool cw_core_write_line_back(struct cw_core *c, uint32_t index)
{
    return cw_core__write_line_back(c->blocks, index);
}

void cw_core_drop_line(struct cw_core *c, uint32_t index)
{
    cw_core__drop_line(c->blocks, index);
}

void cw_core_retry_store(struct cw_core *c)
{
    cw_core__retry_store(c->memory);
}

bool cw_core_park_store(struct cw_core *c)
{
    return cw_core__park(c->memory);
}

void cw_core_unpark_stores(struct cw_core *c, uint32_t warp)
{
    cw_core__unpark(c->memory, warp);
}

bool cw_core_settle(struct cw_core *c, uint32_t warp, bool all)
{
    return cw_core__settle(c->blocks, warp, all);
}
