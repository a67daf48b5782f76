/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory without time: what a functional launch reads and writes, 32 lanes at once. No message carries it and no cache holds it, so
 * it may be used only while nothing of a timed launch is under way.
 *
 * A store is at once what every reader sees, of versioned ranges the newest version, and durable where the memory is persistent.
 */
#ifndef CW_MEM_DIRECT_H
#define CW_MEM_DIRECT_H

#include "base/machine.h"
#include "mem/device_memory.h"

/* value[l] = the zero-extended element of 1, 2, 4 or 8 bytes at addr[l] + offset, for each lane l of `lanes`; other lanes of value stay.
 * The elements must be valid, and aligned to their size. */
void cw_memory_load_lanes(const struct cw_memory *m, const uint64_t addr[CW_LANES], uint64_t offset, uint32_t lanes, uint32_t bytes,
                          uint64_t value[CW_LANES]);
/* The reverse, in the order of the lanes: of two that store to one address the higher lane stays. */
void cw_memory_store_lanes(struct cw_memory *m, const uint64_t addr[CW_LANES], uint64_t offset, uint32_t lanes, uint32_t bytes,
                           const uint64_t value[CW_LANES]);

/* The word of 4 or 8 bytes at addr, valid and aligned, becomes next if it is *old; else *old is what it is, and the result false. In one step for
 * other threads of the host, where there are no versions. */
bool cw_memory_exchange(struct cw_memory *m, uint64_t addr, uint32_t bytes, uint64_t *old, uint64_t next);

/* Whether all valid addresses may be read and written as the host's memory, *offset behind them; not so while there are versions. Stores to
 * persistent memory are not to go there. */
bool cw_memory_direct(const struct cw_memory *m, uint64_t *offset);

#endif
