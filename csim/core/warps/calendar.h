/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calendar of a place that one instruction uses at a time: which of the next 64 cycles are taken. A reservation further away than that
 * goes behind all others, and while such a one lies ahead, so do the reservations after it.
 */
#ifndef CW_CORE_WARPS_CALENDAR_H
#define CW_CORE_WARPS_CALENDAR_H

#include <stdint.h>

#define CW_CALENDAR_CYCLES 64u

struct cw_calendar {
    uint64_t taken; /* bit t mod 64: cycle t, for cycles from `from` on */
    uint64_t from;
    uint64_t behind; /* cycle after the last reservation that was too far away for a bit */
};

/* Bits of `cnt` (1 .. 63) cycles from `cycle` on. */
static inline uint64_t cw_calendar_bits(uint64_t cycle, uint64_t cnt)
{
    const uint64_t ones = (UINT64_C(1) << cnt) - 1;
    const uint32_t shift = (uint32_t)(cycle % CW_CALENDAR_CYCLES);
    return shift == 0 ? ones : ones << shift | ones >> (CW_CALENDAR_CYCLES - shift);
}

/* Forgets what lies before now. now never decreases. */
static inline void cw_calendar_forget(struct cw_calendar *c, uint64_t now)
{
    const uint64_t past = now - c->from;
    c->from = now;
    if (c->taken == 0)
        return;
    if (past >= CW_CALENDAR_CYCLES)
        c->taken = 0;
    else if (past != 0)
        c->taken &= ~cw_calendar_bits(now - past, past);
}

/* First cycle, not before `cycle`, from which on `cnt` cycles are free. Only after cw_calendar_forget(now), with cycle >= now. */
static inline uint64_t cw_calendar_free(const struct cw_calendar *c, uint64_t cycle, uint32_t cnt)
{
    if (c->behind > c->from && c->behind > cycle)
        return c->behind;
    if (c->taken == 0)
        return cycle;
    while (cycle - c->from + cnt <= CW_CALENDAR_CYCLES && (c->taken & cw_calendar_bits(cycle, cnt)) != 0)
        cycle++;
    return cycle;
}

/* Takes `cnt` cycles from `cycle` on, which are free. */
static inline void cw_calendar_take(struct cw_calendar *c, uint64_t cycle, uint32_t cnt)
{
    if (cycle - c->from + cnt <= CW_CALENDAR_CYCLES)
        c->taken |= cw_calendar_bits(cycle, cnt);
    else
        c->behind = cycle + cnt;
}

#endif
