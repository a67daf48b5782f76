/* SPDX-License-Identifier: Apache-2.0 */
#include "core/issue/operands.h"

#include <string.h>

void cw_operands_reset(struct cw_operands *o, const struct cw_config *config)
{
    memset(o, 0, sizeof *o);
    o->stage = config->core_stage_cycles;
    o->banks = config->core_reg_banks;
    o->reads = config->core_collector_reads;
    o->pipe[CW_PIPE_ALU].width = config->core_alu_units;
    o->pipe[CW_PIPE_ALU].collector_cnt = config->core_collectors;
    o->pipe[CW_PIPE_SFU].width = 1;
    o->pipe[CW_PIPE_SFU].collector_cnt = config->core_sfu_collectors;
    o->pipe[CW_PIPE_MEM].width = 1;
    o->pipe[CW_PIPE_MEM].collector_cnt = config->core_mem_collectors;
}

uint32_t cw_operands_places(const struct cw_config *config, enum cw_pipe pipe)
{
    struct cw_operands o;
    cw_operands_reset(&o, config);
    return 2 * o.pipe[pipe].width + o.pipe[pipe].collector_cnt;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Index of a place that is free in `cycle`, or of the one that is free first. */
static uint32_t first_free(const uint64_t *place, uint32_t n, uint64_t cycle)
{
    uint32_t best = 0;
    if (place[0] <= cycle)
        return 0;
    for (uint32_t i = 1; i < n; i++) {
        if (place[i] <= cycle)
            return i;
        best = place[i] < place[best] ? i : best;
    }
    return best;
}

uint64_t cw_operands_entry(const struct cw_operands *o, enum cw_pipe pipe)
{
    const struct cw_operand_pipe *p = &o->pipe[pipe];
    return p->entry[first_free(p->entry, p->width, 0)];
}

/* ---- banks ---- */

static uint32_t bank_of(const struct cw_operands *o, uint32_t slot, uint32_t warp)
{
    return (slot + warp) % o->banks;
}

uint64_t cw_operands_write(struct cw_operands *o, const struct cw_issue_op *op, uint32_t warp, uint64_t cycle, uint64_t now)
{
    uint64_t done = cycle;
    for (uint32_t i = 0; i < op->dst_cnt; i++) {
        struct cw_calendar *writes = &o->writes[bank_of(o, op->slot[i], warp)];
        cw_calendar_forget(writes, now);
        if (cycle - now >= CW_CALENDAR_CYCLES - o->stage)
            continue;
        const uint64_t at = cw_calendar_free(writes, cycle, o->stage);
        cw_calendar_take(writes, at, o->stage);
        done = later(done, at);
    }
    return done;
}

/* ---- the way ---- */

/* The operand, of those left, that can be read first from `cycle` on: its index, and in *at the cycle. */
static uint32_t next_read(const struct cw_operands *o, const uint32_t *bank, uint32_t left, uint64_t cycle, uint64_t *at)
{
    uint32_t best = 0;
    *at = UINT64_MAX;
    for (; left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        const uint64_t t = cw_calendar_free(&o->writes[bank[i]], later(cycle, o->bank_free[bank[i]]), o->stage);
        if (t < *at) {
            *at = t;
            best = i;
        }
        if (t == cycle)
            break;
    }
    return best;
}

/* Reads the operands from `cycle` on; returns the cycle after the last read. */
static uint64_t collect(struct cw_operands *o, const struct cw_issue_op *op, uint32_t warp, uint64_t cycle, uint64_t now)
{
    uint32_t bank[CW_OP_SLOTS], in_cycle = 0;
    for (uint32_t i = 0; i < op->reads; i++) {
        bank[i] = bank_of(o, op->slot[op->dst_cnt + i], warp);
        cw_calendar_forget(&o->writes[bank[i]], now);
    }
    uint64_t end = cycle;
    for (uint32_t left = (1u << op->reads) - 1; left != 0;) {
        uint64_t at;
        const uint32_t i = next_read(o, bank, left, cycle, &at);
        left &= ~(1u << i);
        o->bank_free[bank[i]] = end = at + o->stage;
        in_cycle = at == cycle ? in_cycle + 1 : 1;
        cycle = in_cycle < o->reads ? at : end;
        in_cycle = in_cycle < o->reads ? in_cycle : 0;
    }
    return end;
}

uint64_t cw_operands_issue(struct cw_operands *o, const struct cw_issue_op *op, uint32_t warp, uint64_t cycle)
{
    struct cw_operand_pipe *p = &o->pipe[op->pipe];
    uint64_t *entry = &p->entry[first_free(p->entry, p->width, cycle)];
    uint64_t *collector = &p->collector[first_free(p->collector, p->collector_cnt, cycle + o->stage)];
    const uint64_t taken = later(cycle + o->stage, *collector), there = collect(o, op, warp, taken + o->stage, cycle);
    uint64_t *exit = &p->exit[first_free(p->exit, p->width, there)];
    const uint64_t moved = later(there, *exit);
    uint64_t *unit = &p->unit[first_free(p->unit, p->width, moved + o->stage)];
    const uint64_t start = later(moved + o->stage, *unit);
    *entry = taken;
    *collector = moved;
    *exit = start;
    *unit = start + later(op->interval, o->stage);
    return start;
}
