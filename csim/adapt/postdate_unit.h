/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The post-dating unit of the version manager (include/cowarp/unit/postdate_unit.h; SI-TM 4.1, Figure 7), from the provider: C model, RTL, or
 * both in lockstep. Instance version_manager.postdate_unit. The sweep after its reset lies before the first cycle of the run.
 */
#ifndef CW_ADAPT_POSTDATE_UNIT_H
#define CW_ADAPT_POSTDATE_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit/postdate_unit.h"

#define CW_ADAPT_POSTDATE_UNIT_LATENCY 2u /* cycles from an operation to its answer */

struct cw_adapt_postdate_unit;

struct cw_adapt_postdate_unit_config {
    uint32_t id_bits, time_bits;
    uint32_t rules; /* 0 .. 2, as the contract has them */
    uint32_t step;
};

struct cw_adapt_postdate_unit_op {
    enum cw_postdate_op kind;
    uint32_t a, b;    /* EDGE: reader, writer */
    bool writer_asks; /* EDGE */
    uint32_t time;    /* BEGIN: CTS */
    uint8_t tag;      /* EDGE, COMMIT */
};

struct cw_adapt_postdate_unit_answer {
    bool valid;
    uint8_t tag;
    bool accepted, loop, overflow;
    uint32_t time; /* COMMIT: last CTS */
};

/* Status of the provider, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_postdate_unit_create(struct cw_adapt_postdate_unit **out, const struct cw_unit_provider *units,
                                  const struct cw_adapt_postdate_unit_config *config, struct cw_error *err);
void cw_adapt_postdate_unit_destroy(struct cw_adapt_postdate_unit *u);
void cw_adapt_postdate_unit_state(struct cw_state *s, struct cw_adapt_postdate_unit *u);
/* Whether it takes an operation in this cycle. */
bool cw_adapt_postdate_unit_ready(const struct cw_adapt_postdate_unit *u);
/* Whether it needs the next clock. */
bool cw_adapt_postdate_unit_busy(const struct cw_adapt_postdate_unit *u);
/* A cycle: takes op (NULL: none; only where it is ready), and gives the answer that is there in this cycle. */
void cw_adapt_postdate_unit_clock(struct cw_adapt_postdate_unit *u, const struct cw_adapt_postdate_unit_op *op,
                                  struct cw_adapt_postdate_unit_answer *answer);
/* Makes all transactions nobody's from the next cycle on. */
void cw_adapt_postdate_unit_clear(struct cw_adapt_postdate_unit *u);

#endif
