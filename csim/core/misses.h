/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads of the read-only caches on their way to the crossbar: one leaves in a cycle that has room.
 *
 * Fields: miss.c, core.c, saved.c. Private to: core_state.h.
 */
#ifndef CW_CORE_MISSES_H
#define CW_CORE_MISSES_H

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

/* A read of the whole line, of so many bytes, leaves in `ready` or when the crossbar has room after that; its reply carries the tag. */
void cw_core__miss_push(struct cw_core *c, uint64_t ready, uint64_t line, uint32_t bytes, uint32_t tag);
void cw_core__miss_tick(struct cw_core *c);
/* Cycle in which the next read may leave; CW_CYCLE_NEVER when there is none. */
uint64_t cw_core__miss_next(const struct cw_core *c);

#endif
