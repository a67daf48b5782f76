/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coalescer: the addresses of 32 lanes become accesses to lines, one line per call (Fung 2015, section 2.1).
 */
#ifndef CW_CORE_CACHE_COALESCE_H
#define CW_CORE_CACHE_COALESCE_H

#include <stdint.h>

#include "base/lanes.h"
#include "base/machine.h"
#include "core/warps/inst.h"

/*
 * Takes the line of the lowest lane in *lanes, with all other lanes of *lanes on the same line, and removes those from *lanes (not 0).
 * Every lane touches bytes (1 .. 32) bytes at its address, aligned to that size, hence on one line and in one sector. line_bytes: 32, 64
 * or 128.
 */
struct cw_line_access cw_coalesce_next(const uint64_t addr[32], uint32_t line_bytes, cw_lanes *lanes);

/* Extra passes of a shared memory access: the largest number of distinct 32-bit words of one bank, among lanes whose words lie at
 * addr (byte offsets), less one. banks: 1 .. 64. Lanes that read the same word share it. */
uint32_t cw_bank_conflicts(const uint64_t addr[32], uint32_t lanes, uint32_t banks);

/* Largest number of lanes with the same address (1 when all differ, 0 without lanes): how often a shared atomic serialises. */
uint32_t cw_address_multiplicity(const uint64_t addr[32], uint32_t lanes);

/* Number of distinct addresses. */
uint32_t cw_address_distinct(const uint64_t addr[32], uint32_t lanes);

#endif
