/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a commit unit has to hold, over time: Fung 2015, 4.4.4, Figures 4.12 and 4.13. Four ways of giving out buffers for read sets and
 * write sets are counted side by side; none of them limits anything (kilo.entries, kilo.read_words and kilo.write_words do).
 *
 *   all       two buffers per entry of the ring
 *   accessed  two per entry whose transaction has accesses here
 *   used      one per set that is not empty, until the entry retires
 *   needed    the same, but a read set until it has passed validation, and both until the transaction is known to have failed
 */
#ifndef CW_MECH_KILO_CENSUS_H
#define CW_MECH_KILO_CENSUS_H

#include "base/clock.h"
#include "mech/kilo/keys.h"

enum cw_kilo_level { CW_KILO_ALL, CW_KILO_ACCESSED, CW_KILO_USED, CW_KILO_NEEDED, CW_KILO_LEVELS };

struct cw_kilo_census {
    uint64_t level[CW_KILO_LEVELS];
    cw_time since[CW_KILO_LEVELS]; /* of the last change */
};

/* The level changes at now; period: of the commit unit's clock, at whose edges it does. */
static inline void cw_kilo_census_add(struct cw_kilo_census *c, struct cw_kilo_counters *counters, enum cw_kilo_level which, int64_t change,
                                      cw_time now, cw_time period)
{
    uint64_t *const cycles[] = {&counters->cu_all_cycles, &counters->cu_accessed_cycles, &counters->cu_used_cycles,
                                &counters->cu_needed_cycles};
    uint64_t *const most[] = {&counters->cu_entries_max, &counters->cu_accessed_max, &counters->cu_used_max, &counters->cu_needed_max};
    *cycles[which] += c->level[which] * ((now - c->since[which]) / period);
    c->since[which] = now;
    c->level[which] += (uint64_t)change;
    cw_stat_max(most[which], c->level[which]);
}

/* An entry whose sets have these words has all of its log. */
static inline void cw_kilo_census_sizes(struct cw_kilo_counters *counters, uint32_t reads, uint32_t writes)
{
    uint64_t *const at_most[2][7] = {{&counters->cu_reads_0, &counters->cu_reads_1, &counters->cu_reads_2, &counters->cu_reads_4,
                                      &counters->cu_reads_8, &counters->cu_reads_16, &counters->cu_reads_32},
                                     {&counters->cu_writes_0, &counters->cu_writes_1, &counters->cu_writes_2, &counters->cu_writes_4,
                                      &counters->cu_writes_8, &counters->cu_writes_16, &counters->cu_writes_32}};
    counters->cu_accessed++;
    for (uint32_t i = 0, words = 0; i < 7; i++, words = words == 0 ? 1 : 2 * words) {
        *at_most[0][i] += reads <= words;
        *at_most[1][i] += writes <= words;
    }
}

#endif
