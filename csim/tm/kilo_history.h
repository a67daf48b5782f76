/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Last-writer history (Fung 2015, 4.2.5): for each word the commit ID of its youngest writer in the commit unit, conservatively. A
 * set-associative table of 4 ways holds recent writers exactly; what it evicts, the oldest commit ID of the set, goes to a recency Bloom
 * filter of commit IDs, which may answer too young an ID, never too old a one.
 *
 * IDs here are commit IDs + 1, ascending from call to call; 0 means that nobody wrote the word.
 */
#ifndef CW_TM_KILO_HISTORY_H
#define CW_TM_KILO_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

struct cw_kilo_history;

/* sets: of the table; rows: per way of the filter, at most 65536; both powers of two. NULL: out of memory. */
struct cw_kilo_history *cw_kilo_history_create(uint32_t sets, uint32_t rows);
void cw_kilo_history_destroy(struct cw_kilo_history *h);
/* Forgets everything: only when no entry is left in the commit unit. */
void cw_kilo_history_clear(struct cw_kilo_history *h);
/* Youngest writer of the word (byte address / 4). *filter: the answer came from the filter. */
uint64_t cw_kilo_history_find(const struct cw_kilo_history *h, uint64_t word, bool *filter);
/* id writes the word. Returns whether an entry was evicted. */
bool cw_kilo_history_enter(struct cw_kilo_history *h, uint64_t word, uint64_t id);

#endif
