/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads of the read-only caches on their way to the crossbar: one leaves in a cycle that has room.
 *
 * Fields: miss.c, core.c, charge.c.
 */
#ifndef CW_CORE_CACHE_MISSES_H
#define CW_CORE_CACHE_MISSES_H

#include <stdint.h>

#include "core/core.h"

/* A read of a read-only cache on its way to the crossbar. */
struct cw_miss {
    uint64_t ready; /* cycle from which it may leave */
    uint64_t line;
    uint32_t bytes; /* of the line: 32, 64 or 128 */
    uint32_t tag;
};

struct cw_misses {
    struct cw_miss *entry; /* ring, one per miss register at most */
    uint32_t cap, head, cnt;
};

#endif
