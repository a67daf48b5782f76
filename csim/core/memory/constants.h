/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constant memory and kernel parameters, with a cache or without.
 *
 * Fields: constant.c, core.c, lsu.c, saved.c, charge.c.
 */
#ifndef CW_CORE_MEMORY_CONSTANTS_H
#define CW_CORE_MEMORY_CONSTANTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cache/l1.h"
#include "core/core.h"

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

#endif
