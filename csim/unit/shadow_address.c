/* SPDX-License-Identifier: Apache-2.0 */
/* C model of the shadow address (contract: include/cowarp/unit/shadow_address.h). */
#include "cowarp/unit/shadow_address.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/state.h"

#define OWNERS_OF_ROW 4u

struct address {
    uint32_t banks, rows, words_mask;
    uint32_t data, backup, owner, byte;
    bool fits;
};

static void address_reset(void *self)
{
    struct address *a = self;
    a->data = a->backup = a->owner = a->byte = 0;
    a->fits = false;
}

static int address_create(void **self, const void *params)
{
    const struct cw_shadow_address_params *p = params;
    if (cw_unit_params_check(&cw_shadow_address_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct address *a = calloc(1, sizeof *a);
    if (a == NULL)
        return CW_ENOMEM;
    a->banks = 1u << p->bank_w;
    a->rows = 1u << p->row_w;
    a->words_mask = (1u << (p->bank_w + p->row_w)) - 1;
    *self = a;
    return CW_OK;
}

static void address_destroy(void *self)
{
    free(self);
}

static void address_eval(void *self, const void *inputs, void *outputs)
{
    const struct address *a = self;
    struct cw_shadow_address_out *out = outputs;
    (void)inputs;
    out->adr_data = a->data;
    out->adr_backup = a->backup;
    out->adr_owner = a->owner;
    out->adr_byte = a->byte;
    out->adr_fits = a->fits;
}

static void address_tick(void *self, const void *inputs)
{
    struct address *a = self;
    const struct cw_shadow_address_in *in = inputs;
    if ((in->req_valid & 1) == 0)
        return;
    const uint32_t base = (uint32_t)in->req_base & (a->rows - 1), bank = (uint32_t)in->req_bank & (a->banks - 1);
    const uint32_t words = (uint32_t)in->req_words & a->words_mask, word = (uint32_t)in->req_word & (a->rows - 1);
    const uint32_t in_bank = (words + a->banks - 1 - bank) / a->banks;
    const uint32_t owner = base + 2 * in_bank + word / OWNERS_OF_ROW;
    a->data = (base + word) % a->rows;
    a->backup = (base + in_bank + word) % a->rows;
    a->owner = owner % a->rows;
    a->byte = word % OWNERS_OF_ROW;
    a->fits = (word < in_bank) & (owner < a->rows);
}

static void address_state(void *self, struct cw_state *s)
{
    struct address *a = self;
    CW_STATE(s, a->data);
    CW_STATE(s, a->backup);
    CW_STATE(s, a->owner);
    CW_STATE(s, a->byte);
    CW_STATE(s, a->fits);
}

#define CW_UNIT__PARAMS_T struct cw_shadow_address_params
#define CW_UNIT__IN_T     struct cw_shadow_address_in
#define CW_UNIT__OUT_T    struct cw_shadow_address_out
CW_UNIT_DEFINE(shadow_address, CW_SHADOW_ADDRESS_PARAMS, CW_SHADOW_ADDRESS_PORTS, address_create, address_destroy, address_reset,
               address_eval, address_tick, address_state);
