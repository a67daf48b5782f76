/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The select of the transaction conflict mask of a core (include/cowarp/unit/tcm_select.h; GPU-LocalTM, sections 2.1 and 3), from the
 * provider: C model, RTL, or both in lockstep.
 */
#ifndef CW_ADAPT_TCM_SELECT_H
#define CW_ADAPT_TCM_SELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/lanes.h"
#include "base/state.h"
#include "cowarp/unit/tcm_select.h"

struct cw_adapt_tcm_select;

/* The attempt of a wavefront that ends; the contract says what each means. */
struct cw_adapt_tcm_select_ask {
    cw_lanes tcm, start, before, mcm;
    enum cw_local_mode mode;
    bool descending, multiple, keep, token;
};

/* The next one. */
struct cw_adapt_tcm_select_answer {
    cw_lanes tcm, run;
    enum cw_local_mode mode;
    bool want, free; /* the token */
};

/* lanes: of a wavefront, 2 to 64. Status of the provider, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_tcm_select_create(struct cw_adapt_tcm_select **out, const struct cw_unit_provider *units, uint32_t core, uint32_t lanes,
                               struct cw_error *err);
void cw_adapt_tcm_select_destroy(struct cw_adapt_tcm_select *s);
void cw_adapt_tcm_select_state(struct cw_state *s, struct cw_adapt_tcm_select *t);
/* Asks in this cycle, once at most; the answer is that of the next cycle. */
void cw_adapt_tcm_select_ask(struct cw_adapt_tcm_select *s, const struct cw_adapt_tcm_select_ask *ask,
                             struct cw_adapt_tcm_select_answer *answer);

#endif
