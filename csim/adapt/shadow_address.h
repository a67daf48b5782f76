/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shadow address of a core (include/cowarp/unit/shadow_address.h; GPU-LocalTM, section 2.1), from the provider: C model, RTL, or both
 * in lockstep.
 */
#ifndef CW_ADAPT_SHADOW_ADDRESS_H
#define CW_ADAPT_SHADOW_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit/shadow_address.h"

struct cw_adapt_shadow_address;

/* Rows of the word's bank; nothing without fits. */
struct cw_adapt_shadow_address_places {
    uint32_t data, backup, owner, owner_byte;
    bool fits;
};

/* Of 2^bank_bits banks of 2^row_bits rows. Status of the provider, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_shadow_address_create(struct cw_adapt_shadow_address **out, const struct cw_unit_provider *units, uint32_t core,
                                   uint32_t bank_bits, uint32_t row_bits, struct cw_error *err);
void cw_adapt_shadow_address_destroy(struct cw_adapt_shadow_address *a);
void cw_adapt_shadow_address_state(struct cw_state *s, struct cw_adapt_shadow_address *a);
/* Asks in this cycle; the places are there in the next one. base: first row of the group, which has that many words; word: the number of
 * the word within the bank. */
void cw_adapt_shadow_address_find(struct cw_adapt_shadow_address *a, uint32_t base, uint32_t words, uint32_t bank, uint32_t word,
                                  struct cw_adapt_shadow_address_places *places);

#endif
