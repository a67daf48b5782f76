/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler of a DRAM channel (include/cowarp/unit/dram_scheduler.h), from the provider: C model, RTL, or both in lockstep. Instance
 * partition<N>.dram_scheduler, N being the partition that has the channel.
 *
 * A command cycle is one clock of the unit, with step. The clocks that take requests for it, and the one until the last of them is looked at,
 * come before it, without step: in a chip requests come two cycles sooner, which are a part of dram.latency. A cycle in which the unit is idle
 * has no clock.
 */
#ifndef CW_ADAPT_DRAM_SCHEDULER_H
#define CW_ADAPT_DRAM_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit.h"
#include "cowarp/unit/dram_scheduler.h"

struct cw_adapt_dram_scheduler;

struct cw_adapt_dram_scheduler_request {
    bool write;
    uint32_t bank, bursts, tag; /* Bursts: 1 .. 8 */
    uint64_t row;
};

/* As the contract has it. */
struct cw_adapt_dram_scheduler_command {
    uint32_t kind, tag;
    bool last; /* The request leaves the queue. */
};

/* Of params, tag_w is set here. CW_EINVAL for those that the unit refuses, the status of the provider, or CW_ENOMEM; destroy it in any
 * case. */
int cw_adapt_dram_scheduler_create(struct cw_adapt_dram_scheduler **out, const struct cw_unit_provider *units, uint32_t partition,
                                   const struct cw_dram_scheduler_params *params, struct cw_error *err);
void cw_adapt_dram_scheduler_destroy(struct cw_adapt_dram_scheduler *d);
void cw_adapt_dram_scheduler_state(struct cw_state *s, struct cw_adapt_dram_scheduler *d);
/* Whether a request may come for command cycle `cycle`; no call is for an earlier one than the call before it. */
bool cw_adapt_dram_scheduler_room(struct cw_adapt_dram_scheduler *d, uint64_t cycle);
/* Directly after that. */
void cw_adapt_dram_scheduler_push(struct cw_adapt_dram_scheduler *d, const struct cw_adapt_dram_scheduler_request *request);
/* The command of that cycle, once for each; false: there is none. */
bool cw_adapt_dram_scheduler_command(struct cw_adapt_dram_scheduler *d, uint64_t cycle, struct cw_adapt_dram_scheduler_command *command);

#endif
