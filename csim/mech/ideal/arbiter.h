/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Idealised conflict detection for the systems `ideal` and `warptm-el`: one place that knows all commits, and decides in two core cycles
 * (core clock). It stands at the ends of the Kilo TM family's wires (mech/kilo/wires.h), in the place of the vendor of commit IDs.
 */
#ifndef CW_MECH_IDEAL_ARBITER_H
#define CW_MECH_IDEAL_ARBITER_H

#include "mech/kilo/shared.h"

struct cw_ideal_arbiter;

/* CW_OK or CW_ENOMEM; destroy it in any case. tm outlives it. */
int cw_ideal_arbiter_create(struct cw_ideal_arbiter **out, struct cw_kilo *tm);
void cw_ideal_arbiter_destroy(struct cw_ideal_arbiter *a);
struct cw_component *cw_ideal_arbiter_component(struct cw_ideal_arbiter *a);

#endif
