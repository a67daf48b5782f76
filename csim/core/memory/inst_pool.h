/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory instructions that have issued and are not complete. One that is complete goes back to the pool.
 *
 * Fields: inst.c, core.c, issue.c, saved.c.
 */
#ifndef CW_CORE_MEMORY_INST_POOL_H
#define CW_CORE_MEMORY_INST_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"

#define CW_INST_CHUNK 64u

struct cw_inst_pool {
    struct cw_core_inst *free;   /* list */
    struct cw_core_inst **chunk; /* of CW_INST_CHUNK instructions each */
    uint32_t chunk_cnt;
    uint64_t out; /* not complete */
};

#endif
