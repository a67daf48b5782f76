/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout of local memory in device memory, interleaved by lane so that one word of 32 lanes is one row of 128 bytes: word w of lane l of
 * slot k of core c is at local_base + ((c * slots + k) * words_per_thread + w) * 128 + l * 4 A warp of 32 lanes has one slot, a warp of 64
 * two. Mechanisms' logs (as in thesis 4.2.4) lie in the same space from log_offset on.
 */
#ifndef CW_CORE_CORE_LOCAL_H
#define CW_CORE_CORE_LOCAL_H

#include <stdint.h>

/* Device bytes of local memory that a launch needs; bytes_per_thread is a multiple of 4. */
static inline uint64_t cw_local_total_bytes(uint32_t cores, uint32_t slots_per_core, uint32_t bytes_per_thread)
{
    return (uint64_t)cores * slots_per_core * (bytes_per_thread / 4) * 128;
}

/* Address of the row that holds word `word` of all lanes of a slot, counted over all cores. */
static inline uint64_t cw_local_row(uint64_t local_base, uint32_t bytes_per_thread, uint32_t slot, uint32_t word)
{
    return local_base + ((uint64_t)slot * (bytes_per_thread / 4) + word) * 128;
}

#endif
