/* SPDX-License-Identifier: Apache-2.0 */
/* What transactional systems share with each other, and, until all of them tell events (tell.h), with the oracle. */
#ifndef CW_MECH_TM_TM_H
#define CW_MECH_TM_TM_H

#include "base/rng.h"
#include "mech/mech.h"

/*
 * Goes with csim/check/bridge.h. What an oracle sees of a run: events at the memory and at the ends of transactions, never the protocol's
 * own state. A transaction attempt has a number that the system takes from cw_tm_observer.begin. All addresses are of 32-bit words; wider
 * accesses are reported word by word.
 */
struct cw_tm_observer {
    void *self;
    uint64_t (*begin)(void *self, uint32_t core, uint32_t warp, uint32_t lane, cw_time now);
    /* A load of the attempt took this value from memory (not from its own redo log) at time now. */
    void (*read)(void *self, uint64_t attempt, uint64_t addr, uint32_t value, cw_time now);
    /* Value-based validation found this value in memory again at time now: the attempt's reads of the word so far count as made now (Fung
     * 2015, 5.1.3: a transaction serialises at its validation, so a value that has gone and come back is no conflict). NULL: not wanted. */
    void (*validate)(void *self, uint64_t attempt, uint64_t addr, uint32_t value, cw_time now);
    /* A committed attempt's write reached memory at time now. bytes: byte enables 3:0. */
    void (*write)(void *self, uint64_t attempt, uint64_t addr, uint32_t value, uint32_t bytes, cw_time now);
    /* The attempt's fate. On commit, the write set that will reach memory (or has): addresses and values. */
    void (*commit)(void *self, uint64_t attempt, uint32_t write_cnt, const uint64_t *addr, const uint32_t *value, cw_time now);
    void (*abort)(void *self, uint64_t attempt, cw_time now);
};

/* tx_begin and tx_commit, which every transactional system carries out. */
extern const struct cw_intrinsic cw_tm_intrinsics[];

/* cu.buffer: input queue of a commit unit, or of what stands in its place. */
uint32_t cw_tm_inbox(const struct cw_config *config);

#endif
