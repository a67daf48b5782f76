/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshot isolation, core half: begin and end of attempts, and what the other files of the core half do in common. */
#include "mech/tm/attempt.h"
#include "mech/snapshot/core_half.h"

struct cw_attempt_name cw_si__attempt_name(const struct cw_si_core *c, uint32_t warp)
{
    return (struct cw_attempt_name){.core = c->index, .warp = warp, .attempt = cw_core_attempt(c->core, warp)};
}

/* Words of versioned ranges that these lanes write, by range. */
static uint64_t ranges_of(const struct cw_si_core *c, const struct cw_si_warp *w, cw_lanes lanes)
{
    uint64_t ranges = 0;
    for (uint32_t row = 0; row < w->log.write_cnt; row++)
        for (cw_lanes rest = w->log.write[row].lanes & lanes; rest != 0; rest = cw_lanes_rest(rest)) {
            const uint32_t range = cw_version_find(c->tm->host.memory, w->log.write[row].addr[cw_lanes_first(rest)]);
            ranges |= range < CW_SI_RANGES ? UINT64_C(1) << range : 0;
        }
    return ranges;
}

void cw_si__ask(struct cw_si_core *c, uint32_t warp, enum cw_si_ask kind, cw_lanes lanes, cw_lanes writers, cw_time now)
{
    const struct cw_si_warp *w = c->warp + warp;
    struct cw_si_ask_note note = {.kind = kind, .warp = warp, .lanes = lanes, .writers = writers};
    if (kind == CW_SI_SEAL)
        note.ranges = ranges_of(c, w, writers);
    for (uint32_t i = 0; i < CW_LANES; i++)
        note.id[i] = w->id[i];
    cw_si_line_push(c->tm->ask + c->index, &note, now, c->tm->wire);
}

void cw_si__make_busy(struct cw_si_core *c, uint32_t warp)
{
    for (uint32_t i = 0; i < c->busy_cnt; i++)
        if (c->busy[i] == warp)
            return;
    c->busy[c->busy_cnt++] = (uint8_t)warp;
}

void cw_si__begin_attempt(struct cw_si_core *c, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_si_warp *w = c->warp + warp;
    w->phase = CW_SI_RUN;
    w->lanes = lanes;
    w->aborted = w->told = w->failed = w->members = w->writers = 0;
    w->begun = now;
    cw_redo_log_clear(&w->log);
    cw_tell_lanes(&c->tm->host, CW_EVENT_REGION_BEGIN, cw_si__attempt_name(c, warp), lanes, now);
}

void cw_si__abort_lanes(struct cw_si_core *c, uint32_t warp, cw_lanes lanes, enum cw_si_cause cause, cw_time now)
{
    struct cw_si_warp *w = c->warp + warp;
    struct cw_si_counters *counters = c->tm->counters;
    uint64_t *const by_cause[] = {[CW_SI_BY_SINGLE_WRITER] = &counters->tx_aborted_single_writer,
                                  [CW_SI_BY_WRITE_WRITE] = &counters->tx_aborted_write_write,
                                  [CW_SI_BY_LOOP] = &counters->tx_aborted_loop,
                                  [CW_SI_BY_TABLE] = &counters->tx_aborted_table};
    static const char *const causes[] = {[CW_SI_BY_SINGLE_WRITER] = "single_writer",
                                         [CW_SI_BY_WRITE_WRITE] = "write_write",
                                         [CW_SI_BY_LOOP] = "loop",
                                         [CW_SI_BY_TABLE] = "table"};
    lanes &= w->lanes & ~w->aborted;
    if (lanes == 0)
        return;
    w->aborted |= lanes;
    cw_attempt_aborted(&c->tm->common, lanes, by_cause[cause]);
    counters->tx_aborted_cycles += cw_lanes_count(lanes) * ((now - w->begun) / cw_si_period(c->tm, CW_DOMAIN_CORE));
    cw_tell_aborts(&c->tm->host, cw_si__attempt_name(c, warp), lanes, causes[cause], now);
    cw_core_region_abort(c->core, warp, lanes);
    cw_si__make_busy(c, warp);
}
