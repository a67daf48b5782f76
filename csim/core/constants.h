/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constant memory and kernel parameters, with a cache or without.
 *
 * Fields: constant.c, core.c, lsu.c, saved.c. Private to: core_state.h.
 */
#ifndef CW_CORE_CONSTANTS_H
#define CW_CORE_CONSTANTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"
#include "core/l1.h"

struct cw_core_inst; /* core_state.h */
struct cw_issue_op;  /* scoreboard.h */

struct cw_constants {
    struct cw_l1 cache;  /* no sets: there is none */
    uint64_t free_at;    /* cycle from which it takes the next access */
    uint64_t stalled_at; /* last one in which an access did not get on */
};

enum cw_const_step {
    CW_CONST_DONE,   /* the instruction has read all its lines */
    CW_CONST_MORE,   /* from const_free_at on */
    CW_CONST_STALLED /* until a fill */
};
/* Whether the lanes' addresses are of the constant memory, or of the parameters, that there are. false: a fault was raised. */
bool cw_core__const_check(struct cw_core *c, const struct cw_mem_inst *m);
/* Without a constant cache: a load by lanes of one half, at these addresses, which have been checked. */
void cw_core__const_load(struct cw_core *c, struct cw_mem_inst *m, const struct cw_issue_op *op);
/* With one: the instruction's next line. */
enum cw_const_step cw_core__const_access(struct cw_core *c, struct cw_core_inst *i);
/* A line of the constant cache has come. */
void cw_core__const_fill(struct cw_core *c, uint32_t mshr);

#endif
