/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The load/store unit: a queue of memory instructions in issue order. Its head is cut into line accesses, which go into the pipe, or into
 * passes over the banks of shared memory.
 *
 * Fields: lsu.c, shared.c, core.c, saved.c, charge.c.
 */
#ifndef CW_CORE_MEMORY_LSU_H
#define CW_CORE_MEMORY_LSU_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"

struct cw_lsu {
    struct cw_core_inst **queue; /* ring */
    uint32_t cap, head;
    uint64_t next;           /* cycle in which it needs a tick */
    uint64_t stage_free_at;  /* cycle in which the next access to global or local memory may go into the pipe; where each takes one, 0 */
    uint64_t shared_free_at; /* cycle from which the banks of shared memory are free */
};

#endif
