/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conflict address table of one core (EAPG: early abort and pause-and-go, [26] in Ren and Lis 2018; sizes from their Table V): the words
 * that commits under way are going to write, with the commit that each belongs to. The published table holds signatures; this one is exact,
 * as their footnote 3 idealises it, but bounded.
 */
#ifndef CW_MECH_KILO_CONFLICT_ADDRESSES_H
#define CW_MECH_KILO_CONFLICT_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

struct cw_kilo_cat;

/* NULL: out of memory. */
struct cw_kilo_cat *cw_kilo_cat_create(uint32_t entries);
void cw_kilo_cat_destroy(struct cw_kilo_cat *t);
/* Enters a word (byte address) of the commit; false when the table is full. */
bool cw_kilo_cat_enter(struct cw_kilo_cat *t, uint64_t word, uint64_t commit);
/* Removes it, if it is there. */
void cw_kilo_cat_remove(struct cw_kilo_cat *t, uint64_t word, uint64_t commit);
bool cw_kilo_cat_has(const struct cw_kilo_cat *t, uint64_t word);

#endif
