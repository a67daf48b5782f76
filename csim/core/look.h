/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may be seen of a core's warps at any time: between the steps of a run, and from within an event. Nothing here changes anything. A
 * warp is named by its slot; a thread by the slot, and its lane there.
 */
#ifndef CW_CORE_LOOK_H
#define CW_CORE_LOOK_H

#include "core/core.h"

struct cw_core_warps;

struct cw_look_warp {
    const struct cw_launch *launch; /* Of the kernel that it runs; NULL: nothing has been prepared */
    uint32_t state;                 /* As cw_look_state */
    uint32_t pc;                    /* Micro-op that it executes next; counts while `active` is not 0 */
    cw_lanes active;                /* Lanes that run; they execute pc */
    cw_lanes live;                  /* Lanes that have not exited */
    uint32_t block;                 /* Slot of its block, of which this is the position in the grid: */
    uint32_t ctaid[3];
    uint32_t number;  /* Of the warp in its block */
    uint32_t attempt; /* At its region, from 0 on; counts while in_region */
    bool in_region;
};

uint32_t cw_look_slots(const struct cw_core_warps *warps);
/* State word of a warp: 0 free, 1 ready, 2 scoreboard, 3 barrier, 4 memory, 5 waits for a mechanism, 6 end of a region, 7 back-off. */
uint32_t cw_look_state(const struct cw_core_warps *warps, uint32_t warp);
/* False: nobody is in the slot. */
bool cw_look_warp(const struct cw_core_warps *warps, uint32_t warp, struct cw_look_warp *look);
/* Of that alone what is often asked: its `active`; 0 where nobody is. */
cw_lanes cw_look_active(const struct cw_core_warps *warps, uint32_t warp);
/* Position of a thread in its block. */
void cw_look_thread(const struct cw_core_warps *warps, uint32_t warp, uint32_t lane, uint32_t tid[3]);
/* A register of 32 or 64 bits, or a predicate (0 or 1), of all lanes. */
void cw_look_register(const struct cw_core_warps *warps, uint32_t warp, struct cw_opnd o, uint64_t out[CW_WARP_LANES_MAX]);
/* Of the warp's next instruction, from within CW_EVENT_BEFORE: the core cycle from which it was there, and the one from which the warp could
 * have issued it. Both may lie before its previous one. */
void cw_look_next(const struct cw_core_warps *warps, uint32_t warp, uint64_t *there, uint64_t *ready);
/* Of an instruction of the warp, from within its CW_EVENT_ISSUE: the core cycle from which its registers may be used, or its unit is through
 * with it. Of an access to memory, which tells of its end by CW_EVENT_FLIGHT, it is that of the unit. */
uint64_t cw_look_results(const struct cw_core_warps *warps, uint32_t warp, const struct cw_uop *uop);
/* Whether a load that is on its way is to write the register. */
bool cw_look_is_pending(const struct cw_core_warps *warps, uint32_t warp, struct cw_opnd o);
/* "waits for ...", and where the lanes stand, without line ends. */
void cw_look_tell_wait(const struct cw_core_warps *warps, uint32_t warp, FILE *out);
void cw_look_tell_stack(const struct cw_core_warps *warps, uint32_t warp, FILE *out);

#endif
