/* SPDX-License-Identifier: Apache-2.0 */
#include "adapt/shadow_address.h"

#include <stdlib.h>

#include "adapt/open.h"

struct cw_adapt_shadow_address {
    struct cw_unit_instance unit;
    struct cw_shadow_address_in in;
    struct cw_shadow_address_out out;
};

int cw_adapt_shadow_address_create(struct cw_adapt_shadow_address **out, const struct cw_unit_provider *units, uint32_t core,
                                   uint32_t bank_bits, uint32_t row_bits, struct cw_error *err)
{
    struct cw_adapt_shadow_address *a = *out = calloc(1, sizeof *a);
    struct cw_shadow_address_params p;
    if (a == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a shadow address");
    cw_unit_params_default(&cw_shadow_address_unit, &p);
    p.bank_w = bank_bits;
    p.row_w = row_bits;
    return cw_adapt_open(&a->unit, units, &cw_shadow_address_unit, "core", core, &p, err);
}

void cw_adapt_shadow_address_destroy(struct cw_adapt_shadow_address *a)
{
    if (a == NULL)
        return;
    cw_adapt_close(&a->unit);
    free(a);
}

void cw_adapt_shadow_address_find(struct cw_adapt_shadow_address *a, uint32_t base, uint32_t words, uint32_t bank, uint32_t word,
                                  struct cw_adapt_shadow_address_places *places)
{
    a->in = (struct cw_shadow_address_in){.req_valid = 1, .req_base = base, .req_words = words, .req_bank = bank, .req_word = word};
    a->unit.ops->eval(a->unit.self, &a->in, &a->out);
    a->unit.ops->tick(a->unit.self, &a->in);
    a->in.req_valid = 0;
    a->unit.ops->eval(a->unit.self, &a->in, &a->out);
    *places = (struct cw_adapt_shadow_address_places){.data = (uint32_t)a->out.adr_data,
                                                      .backup = (uint32_t)a->out.adr_backup,
                                                      .owner = (uint32_t)a->out.adr_owner,
                                                      .owner_byte = (uint32_t)a->out.adr_byte,
                                                      .fits = a->out.adr_fits};
}

void cw_adapt_shadow_address_state(struct cw_state *s, struct cw_adapt_shadow_address *a)
{
    cw_adapt_state(s, &a->unit);
    CW_STATE_PORTS(s, a->in);
    CW_STATE_PORTS(s, a->out);
}
