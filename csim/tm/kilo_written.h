/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Last-written time table of temporal conflict detection (Fung 2015, 6.4.2): when each 128-byte block of a memory partition was last
 * written by a committing transaction, conservatively: a recency Bloom filter of times, 4 ways.
 *
 * With it go the counters that close the hole that the thesis names in 6.4: the blocks that commits under way are going to write, hashed
 * into counters of which a hit may be false but a miss is never.
 */
#ifndef CW_TM_KILO_WRITTEN_H
#define CW_TM_KILO_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>

struct cw_kilo_written;

/* rows: per way; counters: for writes to come; both powers of two, at most 65536. NULL: out of memory. */
struct cw_kilo_written *cw_kilo_written_create(uint32_t rows, uint32_t counters);
void cw_kilo_written_destroy(struct cw_kilo_written *w);
/* The block (byte address / 128) was written at this time; times ascend. */
void cw_kilo_written_enter(struct cw_kilo_written *w, uint64_t block, uint64_t time);
/* Time at or after the block's last write; 0: never written. */
uint64_t cw_kilo_written_find(const struct cw_kilo_written *w, uint64_t block);
/* One more (+1), or one less (-1), write to come. */
void cw_kilo_written_expect(struct cw_kilo_written *w, uint64_t block, int change);
bool cw_kilo_written_expected(const struct cw_kilo_written *w, uint64_t block);

#endif
