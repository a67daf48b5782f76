/* SPDX-License-Identifier: Apache-2.0 */
/* What core.h offers to mechanisms: warps, regions, messages, shared memory; a floor carries it out. */
#include "core/core_state.h"

void cw_core_wake_warp(struct cw_core *c, uint32_t warp, cw_time now)
{
    cw_core__wake_warp(c->blocks, warp, now);
}

void cw_core_region_abort(struct cw_core *c, uint32_t warp, cw_lanes lanes)
{
    cw_core__region_abort(c->blocks, warp, lanes);
}

void cw_core_region_end(struct cw_core *c, uint32_t warp, cw_time now, cw_time restart)
{
    cw_core__region_end(c->blocks, warp, now, restart);
}

cw_lanes cw_core_region_lanes(const struct cw_core *c, uint32_t warp)
{
    return cw_core__region_lanes(c->blocks, warp);
}

cw_lanes cw_core_region_aborted(const struct cw_core *c, uint32_t warp)
{
    return cw_core__region_aborted(c->blocks, warp);
}

uint32_t cw_core_attempt(const struct cw_core *c, uint32_t warp)
{
    return cw_core__attempt(c->blocks, warp);
}

void cw_core_mem_done(struct cw_core *c, struct cw_mem_inst *inst, cw_time now)
{
    cw_core__mem_done(c->memory, inst, now);
}

bool cw_core_send(struct cw_core *c, struct cw_message *p, cw_time now)
{
    return cw_core__send(c->memory, p, now);
}

bool cw_core_log_access(struct cw_core *c, uint32_t warp, uint32_t word, bool write, uint32_t cookie, cw_time now)
{
    return cw_core__log_access(c->memory, warp, word, write, cookie, now);
}

bool cw_core_take_shared(struct cw_core *c, cw_time now)
{
    return cw_core__take_shared(c->memory, now);
}

cw_time cw_core_hold_shared(struct cw_core *c, uint32_t cnt)
{
    return cw_core__hold_shared(c->memory, cnt);
}

uint8_t *cw_core_shared_of(struct cw_core *c, uint32_t block)
{
    return cw_core__shared_of(c->memory, block);
}

uint32_t cw_core_shared_word(const struct cw_core *c, uint32_t block, uint32_t offset)
{
    return cw_core__shared_word(c->memory, block, offset);
}

void cw_core_refuse(struct cw_core *c, const struct cw_mem_inst *inst, const char *text)
{
    cw_core__refuse(c->memory, inst, text);
}
