/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many blocks of a launch a core has room for, and who is there.
 *
 * Fields: warp.c, core.c, issue.c, saved.c.
 */
#ifndef CW_CORE_BLOCKS_ROOM_H
#define CW_CORE_BLOCKS_ROOM_H

#include <stdint.h>

struct cw_room {
    uint32_t blocks_max, block_regs, block_shared; /* of the launch */
    uint32_t blocks, registers_used, shared_used;  /* now */
    uint32_t resident;                             /* warps */
    uint64_t started_cnt;                          /* warps, ever */
    uint64_t start_free;                           /* The first cycle in which a further warp can start (core.warp_cycles). */
};

#endif
