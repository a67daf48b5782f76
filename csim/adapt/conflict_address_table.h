/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The conflict address table of a core (include/cowarp/unit/conflict_address_table.h; EAPG), from the provider: C model, RTL, or both in
 * lockstep. It has banks, each a unit: instances core<N>.conflict_address_table<B>. B comes of the XOR of the eight digits of 4 bits of the
 * word's address. The sweep after the reset lies before the first cycle of the run.
 *
 * The caller notes updates, which wait for their turn, one per bank and cycle, and one query per cycle; then it ends the cycle.
 */
#ifndef CW_ADAPT_CONFLICT_ADDRESS_TABLE_H
#define CW_ADAPT_CONFLICT_ADDRESS_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit.h"

#define CW_ADAPT_CONFLICT_ADDRESS_TABLE_TAGS  128u
#define CW_ADAPT_CONFLICT_ADDRESS_TABLE_BANKS 16u

struct cw_adapt_conflict_address_table;

struct cw_adapt_conflict_address_table_config {
    const struct cw_unit_provider *units;
    uint32_t core;
    uint32_t banks;       /* 1 .. CW_ADAPT_CONFLICT_ADDRESS_TABLE_BANKS */
    uint32_t entries;     /* of all; a bank's share is as cw_adapt_sets takes it */
    uint64_t memory_base; /* of the addresses, which lie in the 4 GB from there on */
};

/* What is there in a cycle. */
struct cw_adapt_conflict_address_table_result {
    uint32_t removed, refused; /* updates that have removed a word, or have had no room for one */
    bool answered, held;       /* a query's answer, with its tag */
    uint32_t tag;
};

/* Status of the provider, with err, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_conflict_address_table_create(struct cw_adapt_conflict_address_table **out,
                                           const struct cw_adapt_conflict_address_table_config *config, struct cw_error *err);
void cw_adapt_conflict_address_table_destroy(struct cw_adapt_conflict_address_table *t);
void cw_adapt_conflict_address_table_state(struct cw_state *s, struct cw_adapt_conflict_address_table *t);
/* Enters or removes the word at that byte address. CW_OK or CW_ENOMEM. */
int cw_adapt_conflict_address_table_update(struct cw_adapt_conflict_address_table *t, uint64_t addr, bool leaves);
/* Whether it has no word at the beginning of the cycle. */
bool cw_adapt_conflict_address_table_empty(const struct cw_adapt_conflict_address_table *t);
/* Asks for the word at that byte address; once per cycle, tag below CW_ADAPT_CONFLICT_ADDRESS_TABLE_TAGS. */
void cw_adapt_conflict_address_table_ask(struct cw_adapt_conflict_address_table *t, uint64_t addr, uint32_t tag);
/* Whether it needs the next clock. */
bool cw_adapt_conflict_address_table_busy(const struct cw_adapt_conflict_address_table *t);
/* End of the core's cycle. */
void cw_adapt_conflict_address_table_clock(struct cw_adapt_conflict_address_table *t,
                                           struct cw_adapt_conflict_address_table_result *result);

#endif
