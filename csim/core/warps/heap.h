/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of malloc in kernels, as far as a report needs them. Texts have room for 300 characters.
 */
#ifndef CW_CORE_WARPS_HEAP_H
#define CW_CORE_WARPS_HEAP_H

#include "mem/device_memory.h"

/* Why `free` cannot free that address; state: what it has found in front of it. */
void cw_heap_why_not_free(const struct cw_memory *memory, uint64_t heap, uint64_t address, uint32_t state, char text[300]);
/* Whether the bytes, of one allocation, are in a block of malloc's or not in its heap; else *text says where. Blocks that malloc or free has
 * in work, and freed ones, count as right. */
bool cw_heap_in_block(const struct cw_memory *memory, uint64_t addr, uint32_t bytes, char text[300]);

#endif
