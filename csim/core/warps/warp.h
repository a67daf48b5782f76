/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A warp and its block, as the floors share them.
 *
 * A warp has 32 or 64 lanes (core.warp_width). csim/exec works on halves of 32 lanes, and so does the load/store unit.
 */
#ifndef CW_CORE_WARPS_WARP_H
#define CW_CORE_WARPS_WARP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/warps/inst.h"

#define CW_CYCLE_NEVER     UINT64_MAX
#define CW_CORE_BLOCKS_MAX 32
#define CW_BARRIERS        16
#define CW_HALVES          2u /* most halves of a warp */

enum cw_wait {
    CW_WAIT_FREE, /* no warp in the slot */
    CW_WAIT_NONE, /* runs; may wait for registers or a time */
    CW_WAIT_BARRIER,
    CW_WAIT_FENCE,        /* membar: earlier accesses */
    CW_WAIT_REGION_LOADS, /* begin of a region: earlier loads (their registers belong to the checkpoint) */
    CW_WAIT_PIPE,         /* a mechanism wants its earlier memory instructions performed first (cw_core_settle) */
    CW_WAIT_MECH,         /* a mechanism said "not now": to a region's begin, a fence, an intrinsic */
    CW_WAIT_REGION_DRAIN, /* all lanes at the region's end or aborted; memory instructions on their way */
    CW_WAIT_REGION_END,   /* the mechanism resolves the attempt */
    CW_WAIT_EXIT          /* all threads have exited; loads on their way */
};

/* A warp's instruction buffer. */
enum cw_fetch {
    CW_FETCH_NONE,  /* as cw_warp.buffer_next and buffer_end say */
    CW_FETCH_ASKED, /* the port will be asked at the end of the tick */
    CW_FETCH_MISS,  /* waits for a line; buffer_next and buffer_end are what it will bring */
    CW_FETCH_BUSY   /* the instruction cache has no miss register for it; asks again after a fill */
};

/* 64 slots of warps. */
struct cw_slot_row {
    uint64_t ready;                 /* warps that may issue as far as they are concerned */
    uint64_t fu_warps[CW_FU_COUNT]; /* warps by the unit of their next instruction */
};

struct cw_warp {
    /* hot */
    uint64_t ready_at;    /* cycle at which its bit enters the ready mask; CW_CYCLE_NEVER when that depends on an event */
    uint64_t not_before;  /* fetch, back-off */
    uint64_t done_at;     /* with core.scoreboard=warp: cycle from which its last instruction is complete, if that is no access to memory */
    uint64_t fetched_at;  /* with an instruction buffer: cycle from which its first instruction may issue */
    uint64_t *slot_cycle; /* scoreboard */
    cw_lanes
        *slot_lanes; /* With core.scoreboard=lane: lanes whose loads to the register are on their way. NULL: slot_cycle says that, too. */
    struct cw_slot_row *row;      /* the slot's */
    uint64_t *wheel;              /* of that row */
    uint32_t insts;               /* memory instructions issued and not complete */
    uint32_t acks;                /* stores and reductions on their way to their acknowledgement */
    uint32_t queued;              /* memory instructions in the load/store unit's queue */
    uint32_t piped;               /* line accesses in the pipe */
    uint8_t wait;                 /* enum cw_wait */
    uint8_t fu;                   /* unit of the next instruction */
    uint8_t block;                /* block slot */
    uint16_t bar_next;            /* another slot that waits at the same barrier */
    uint8_t fetch;                /* enum cw_fetch */
    bool acquiring;               /* an access with acquire semantics is under way: nothing of the warp issues */
    bool releasing;               /* a release waits; what it owes was settled when it began to: later synchronisations cannot hold it up */
    bool owes;                    /* generation `owed` of its block (struct cw_order) */
    bool polled;                  /* an atomic or volatile load since the last backward branch: see report.c */
    bool in_region;               /* runs an attempt at a region */
    uint64_t age;                 /* how many warps had started before it */
    const struct cw_uop *spin_at; /* of a policy that mixes blocks: the last backward branch of threads at home here, */
    uint32_t spin_lanes;          /* and those that had polled */
    uint32_t polled_lanes;        /* of a policy that mixes blocks, instead of polled: lanes at home here */
    uint32_t spin;                /* polling iterations since the warp's last progress */
    const struct cw_uop *poll;    /* the last access to global memory that polled, with the address of its first lane */
    uint64_t poll_at;
    uint64_t poll_low, poll_high;     /* all of those lie between them */
    uint32_t number;                  /* in its block */
    uint32_t buffer_next, buffer_end; /* PCs in the instruction buffer: from, below */
    uint32_t owed;
    uint32_t flush;                  /* job that a release of it waits for; 0: none (flush.c) */
    cw_lanes live;                   /* lanes that have not exited */
    struct cw_exec x[CW_HALVES];     /* registers and identity of the threads at home in this slot */
    struct cw_dynamic_warp *dynamic; /* the threads that the slot runs; NULL: those at home in it. The policy regroups all warps or none */
    /* barrier */
    cw_lanes bar_lanes;
    uint8_t bar_id;
    uint32_t bar_waiting[CW_BARRIERS];    /* lanes at home here that wait at a barrier, where warps mix blocks */
    uint16_t bar_homes;                   /* bit per barrier: it has counted the lanes that this home does not have (dynamic warps) */
    const struct cw_uop *bar_uop;         /* where warps do not mix blocks; else core.bar_insn */
    uint32_t (*print)[CW_WARP_LANES_MAX]; /* arguments of a vprintf, 2 * CW_PRINT_ARGS words per lane; NULL: it has not printed yet */
    const struct cw_uop *came_to;         /* where CW_CHECK_SYNC is looked for: the last barrier, */
    cw_lanes came;                        /* the lanes that have been there since the warp came to it, */
    cw_lanes sided;                       /* and those that have changed memory since the warp was last whole */
    cw_lanes passed;                      /* lanes at home here in whose name a barrier has been passed */
    uint32_t passed_line;                 /* then: the last one's */
    /* region */
    uint32_t attempt;       /* number; see cw_core_attempt */
    uint32_t attempt_first; /* of the warp that has the slot */
    uint64_t attempt_since; /* cycle in which the attempt was given to the warp; a back-off before its first instruction is part of it */
    uint8_t nest[CW_WARP_LANES_MAX];
    uint32_t resume[CW_WARP_LANES_MAX];
    uint32_t meet; /* PC where the ways from the region's ends meet, or CW_PC_NONE */
};

struct cw_barrier {
    uint32_t arrived;  /* threads, those of bar.arrive included */
    uint32_t places;   /* the same, where a warp counts with all its lanes, as an explicit thread count does (PTX ISA, bar) */
    uint32_t expected; /* places; 0: the threads of the block that have not exited */
    uint32_t waiting;  /* a slot that waits; it names the next one (bar_next); counts only when somebody waits */
    uint32_t waits;    /* how many do */
    uint32_t popc;
    bool all, any;
};

struct cw_block {
    bool used;
    uint32_t warps_left;   /* slots not yet free */
    uint32_t threads_live; /* not exited */
    uint32_t insts;        /* memory instructions of dynamic warps with threads of the block, not complete */
    uint32_t shared_base;
    uint32_t ctaid[3];
    uint32_t number; /* differs from those of all other blocks of the launch, on all cores */
    struct cw_barrier barrier[CW_BARRIERS];
};

/*
 * Accesses of the warps of one block on their way, in two generations. A synchronisation of the block (a barrier, a fence of block scope)
 * ends a generation: what the other threads have done before it has to be performed before a release of wider scope, by whichever thread of
 * the block (causality is transitive, PTX ISA 8.8). While the generation before is still on its way the new one cannot begin, and what is
 * issued meanwhile counts as older than it is. The place of a block keeps its counts when another block takes it.
 */
struct cw_order {
    uint32_t flight[2]; /* instructions, and writes without acknowledgement, by generation modulo 2; cw_core_inst.flight is an index */
    uint32_t generation;
    uint32_t owed; /* generations up to this one have to be performed before a release */
    bool is_owed;  /* and are not yet */
};

#endif
