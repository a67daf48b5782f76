/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshot isolation, core half: begin and end of attempts, and what the other files of the core half do in common. */
#include "mech/snapshot/core/core_half.h"

/* Words of versioned ranges that these lanes write, by range. */
static uint64_t ranges_of(const struct cw_si_core *c, uint32_t warp, cw_lanes lanes)
{
    const struct cw_tm_warp *w = c->half.warp + warp;
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
    struct cw_si_ask_note note = {.kind = kind, .warp = warp, .lanes = lanes, .writers = writers};
    note.age = c->warp[warp].age;
    note.blocks = c->warp[warp].blocks;
    note.looked = c->warp[warp].looked;
    note.crowded = lanes & c->warp[warp].crowded;
    if (kind == CW_SI_SEAL)
        note.ranges = ranges_of(c, warp, writers);
    for (uint32_t i = 0; i < CW_LANES; i++)
        note.id[i] = c->warp[warp].id[i];
    cw_si_line_push(c->tm->ask + c->half.index, &note, now, c->tm->wire);
}

void cw_si__begun(void *self, uint32_t warp, cw_time now)
{
    struct cw_si_core *c = self;
    struct cw_si_warp *own = c->warp + warp;
    (void)now;
    own->told = own->failed = own->members = own->writers = own->crowded = 0;
}

void cw_si__abort_lanes(struct cw_si_core *c, uint32_t warp, cw_lanes lanes, enum cw_si_cause cause, cw_time now)
{
    const struct cw_tm_warp *w = c->half.warp + warp;
    struct cw_si_counters *counters = c->tm->counters;
    uint64_t *const by_cause[] = {[CW_SI_BY_SINGLE_WRITER] = &counters->tx_aborted_single_writer,
                                  [CW_SI_BY_WRITE_WRITE] = &counters->tx_aborted_write_write,
                                  [CW_SI_BY_LOOP] = &counters->tx_aborted_loop,
                                  [CW_SI_BY_TABLE] = &counters->tx_aborted_table};
    static const char *const causes[] = {[CW_SI_BY_SINGLE_WRITER] = "single_writer",
                                         [CW_SI_BY_WRITE_WRITE] = "write_write",
                                         [CW_SI_BY_LOOP] = "loop",
                                         [CW_SI_BY_TABLE] = "table"};
    lanes &= cw_tm_running(w);
    if (lanes == 0)
        return;
    if (cause == CW_SI_BY_TABLE)
        c->warp[warp].crowded |= lanes;
    cw_tm_core_abort(&c->half, warp, lanes, causes[cause], by_cause[cause], now);
    cw_tm_core_list(&c->half, warp);
}
