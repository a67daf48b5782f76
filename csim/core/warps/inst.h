/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A memory instruction on its way, and its accesses to lines.
 */
#ifndef CW_CORE_WARPS_INST_H
#define CW_CORE_WARPS_INST_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/core.h"

struct cw_issue_op; /* scoreboard.h */

/*
 * The threads of a warp that a policy has regrouped (struct cw_control_host). A thread is at home in one lane of one slot as long as its
 * block runs: there its registers, their scoreboard, its identity and its local memory are. It stays in this lane, so a dynamic warp is a
 * set of lanes of each of several home slots, and an instruction is executed for one home after the other. A memory instruction keeps a
 * copy, and so writes to the homes whatever warp its threads are in by then. Warps have 32 lanes then.
 */
struct cw_dynamic_warp {
    uint32_t blocks; /* bit per block slot that has threads in it */
    uint32_t cnt;
    struct cw_dynamic_part {
        uint32_t home;  /* slot */
        uint32_t lanes; /* not 0; no lane is in two parts */
    } part[CW_LANES];
};

/* Parts behind those that there are keep what they hold. */
static inline void cw_core__copy_dynamic(struct cw_dynamic_warp *to, const struct cw_dynamic_warp *from)
{
    to->blocks = from->blocks;
    to->cnt = from->cnt;
    memcpy(to->part, from->part, from->cnt * sizeof from->part[0]);
}

/* A memory instruction with what only the core needs. m comes first: mechanisms see only that. */
struct cw_core_inst {
    struct cw_mem_inst m;
    struct cw_core_inst
        *leader; /* parts of one generic instruction that went to different spaces, or of one wide load; itself when whole */
    struct cw_dynamic_warp dynamic; /* what m.dynamic points to */
    cw_lanes
        threads; /* leader, of a dynamic warp: its active lanes, whatever the guard says; with core.scoreboard=lane, those that execute it */
    const struct cw_issue_op *op;
    uint32_t parts;           /* leader: parts not complete */
    uint32_t index;           /* tag of its packets */
    cw_lanes lanes_left;      /* not yet turned into line accesses (of this piece) */
    cw_lanes landed;          /* With core.scoreboard=lane: their registers are written. */
    cw_lanes chunk_left;      /* of these, those of the chunk that is being accessed */
    uint8_t piece, piece_cnt; /* local memory: 32-bit words per lane */
    bool in_region;
    uint8_t flight;      /* see struct cw_order */
    uint64_t arrives;    /* cycle from which the load/store unit sees it */
    uint64_t read_until; /* cycle from which what constant memory, or a part that is complete, has given may be used */
    uint32_t stamp;      /* number in the order of issue, where CW_SOCKET_PM or CW_SOCKET_PROGRAM is taken */
    uint16_t epoch;      /* of the core when it issued */
    uint32_t asked;      /* mechanisms before the L1 that have let it go or need not be asked, in the order of the list */
};

struct cw_line_access {
    uint64_t line;    /* address, multiple of the line size */
    cw_lanes lanes;   /* lanes whose bytes lie in it */
    uint32_t sectors; /* touched sectors of CW_SECTOR_BYTES */
};

/* A line access in the load/store pipeline. */
struct cw_pipe_entry {
    uint64_t ready; /* cycle at which it reaches the end */
    struct cw_core_inst *inst;
    struct cw_line_access access;
    uint32_t piece;
    bool last; /* of its instruction */
};

#endif
