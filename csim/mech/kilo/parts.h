/* SPDX-License-Identifier: Apache-2.0 */
/* The components, as kilo.c puts them together. Statuses: CW_ENOMEM, or the unit provider's, with err. What was created, in part too, is to
 * be destroyed. tm outlives them. */
#ifndef CW_MECH_KILO_PARTS_H
#define CW_MECH_KILO_PARTS_H

#include "mech/kilo/shared.h"

/* core_half.c: a core's part; it ticks within the core, through cw_kilo_core_sockets (kilo.h). */
struct cw_kilo_core;
int cw_kilo__core_create(struct cw_kilo_core **out, struct cw_kilo *tm, uint32_t index, struct cw_error *err);
void cw_kilo__core_destroy(struct cw_kilo_core *c);
void cw_kilo__core_state(struct cw_state *s, struct cw_kilo_core *c);

/* port.c: loads at the L2, and the commit unit's messages to the cores (L2 clock) */
struct cw_kilo_port;
int cw_kilo__port_create(struct cw_kilo_port **out, struct cw_kilo *tm, uint32_t index, struct cw_error *err);
void cw_kilo__port_destroy(struct cw_kilo_port *p);
struct cw_component *cw_kilo__port_component(struct cw_kilo_port *p);
bool cw_kilo__port_idle(const struct cw_kilo_port *p);

/* commit_unit.c (CU clock) */
struct cw_kilo_unit;
int cw_kilo__unit_create(struct cw_kilo_unit **out, struct cw_kilo *tm, uint32_t index, struct cw_error *err);
void cw_kilo__unit_destroy(struct cw_kilo_unit *u);
struct cw_component *cw_kilo__unit_component(struct cw_kilo_unit *u);
bool cw_kilo__unit_idle(const struct cw_kilo_unit *u);

/* id_vendor.c (core clock); idealised systems have an arbiter in its place */
struct cw_kilo_vendor;
int cw_kilo__vendor_create(struct cw_kilo_vendor **out, struct cw_kilo *tm);
void cw_kilo__vendor_destroy(struct cw_kilo_vendor *v);
struct cw_component *cw_kilo__vendor_component(struct cw_kilo_vendor *v);

#endif
