/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The choice of a channel's commands in hardware: unit dram_scheduler (dram.unit). The unit says which command is next; here are the
 * requests, which it knows by their tags.
 *
 * Ports that share the channel take turns in front of it, and addresses are mapped there. All times but that of a copy are whole command
 * cycles, which are cycles of clock.dram, so the unit chooses in each as mem/dram.c does; copies of rows it has not.
 *
 * Private to: dram_unit.c, dram.c.
 */
#ifndef CW_MEM_DRAM_UNIT_H
#define CW_MEM_DRAM_UNIT_H

#include "adapt/dram_scheduler.h"
#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit.h"

struct cw_dram_unit;

/* CW_EUNSUP with the parameter that is too large or too small for the unit, another status of the adapter, or CW_ENOMEM; *out is NULL then.
 * partition: the channel's. params: without tag_w. */
int cw_dram_unit_create(struct cw_dram_unit **out, const struct cw_unit_provider *units, uint32_t partition,
                        const struct cw_dram_scheduler_params *params, struct cw_error *err);
void cw_dram_unit_destroy(struct cw_dram_unit *u);
/* The requests are elements of the array pool, of `bytes` each. */
void cw_dram_unit_state(struct cw_state *s, struct cw_dram_unit *u, void *pool, size_t bytes, size_t cnt);
/* Whether a request may enter for that command cycle; then at most one cw_dram_unit_push, which gives the request its tag. */
bool cw_dram_unit_room(struct cw_dram_unit *u, uint64_t cycle);
void cw_dram_unit_push(struct cw_dram_unit *u, struct cw_adapt_dram_scheduler_request *what, void *request);
/* The request that has the command of that cycle, or NULL; kind: as the contract has it. With the command of its last burst the unit forgets it. */
void *cw_dram_unit_command(struct cw_dram_unit *u, uint64_t cycle, uint32_t *kind);

#endif
