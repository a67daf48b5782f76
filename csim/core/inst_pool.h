/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory instructions that have issued and are not complete. One that is complete goes back to the pool.
 *
 * Fields: inst.c, core.c, issue.c, saved.c. Private to: core_state.h.
 */
#ifndef CW_CORE_INST_POOL_H
#define CW_CORE_INST_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"

struct cw_core_inst; /* core_state.h */

#define CW_INST_CHUNK 64u

struct cw_inst_pool {
    struct cw_core_inst *free;   /* list */
    struct cw_core_inst **chunk; /* of CW_INST_CHUNK instructions each */
    uint32_t chunk_cnt;
    uint64_t out; /* not complete */
};

/* An instruction from the pool; NULL when the host is out of memory. */
struct cw_core_inst *cw_core__inst_new(struct cw_core *c);
struct cw_core_inst *cw_core__inst_of(const struct cw_core *c, uint32_t index);
/* One chunk more, all free; false: the host is out of memory. Gives chunks back, of which none is used; the list of free ones is to be made
 * anew. */
bool cw_core__inst_grow(struct cw_core *c);
void cw_core__inst_shrink(struct cw_core *c, uint32_t chunks);
void cw_core__inst_done(struct cw_core *c, struct cw_core_inst *inst, uint64_t cycle);
void cw_core__inst_answered(struct cw_core *c, struct cw_core_inst *inst, uint64_t cycle);
/* One of the warp's memory instructions is complete, or a store was acknowledged: whoever waited for that goes on. */
void cw_core__drained(struct cw_core *c, uint32_t w);

#endif
