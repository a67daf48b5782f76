/* SPDX-License-Identifier: Apache-2.0 */
/* State of thread block compaction in a core. Private to: tbc.c, tick.c, keys.c, saved.c. */
#ifndef CW_CONTROL_TBC_TBC_STATE_H
#define CW_CONTROL_TBC_TBC_STATE_H

#include "adapt/block_stack.h"
#include "adapt/thread_compactor.h"
#include "base/config.h"
#include "base/machine.h"
#include "base/ring.h"
#include "control/tbc/tbc.h"

#define TBC_WARPS 32u  /* slots of a core, at most */
#define TBC_SIDES 256u /* entries of a stack, at most */

struct cw_tbc_keys {
#define CW_LIST "control/tbc/keys.def"
#include "base/key_fields.h"
};

struct cw_tbc_counters {
#define CW_LIST "control/tbc/counters.def"
#include "base/counter_fields.h"
};

/* A slot: the warp that the compactor has made last for it. */
struct tbc_warp {
    uint32_t block;
    uint8_t home[CW_WARP_LANES_MAX]; /* of its lanes */
    bool waits;                      /* it has ended, with threads, before others of its block */
    uint64_t since;                  /* then: from this cycle on */
    uint32_t indexed;                /* lanes that wait at an indexed branch; 0: none */
    uint32_t target[CW_LANES];       /* then: where they go */
};

enum tbc_end { TBC_END_NONE, TBC_END_BRANCH, TBC_END_ARRIVE, TBC_END_JOIN };

struct tbc_block {
    uint64_t slots;
    uint32_t slot[TBC_WARPS], slot_cnt;
    uint64_t number;                          /* blocks of the core are counted */
    bool starts;                              /* the unit has not heard of it yet */
    uint32_t live[TBC_WARPS], top[TBC_WARPS]; /* threads by home: that have not exited; of these, in the top entry */
    uint32_t again[TBC_WARPS];                /* likewise: that come back to the indexed branch at which they are */
    uint32_t rpc, lpc;                        /* of the top; CW_PC_NONE: none */
    uint64_t entry;                           /* The top's number. */
    uint32_t gone;                            /* Warps of the top whose threads have all exited. */
    uint32_t dynamic, ended;                  /* warps of the top, and of these, those that have ended */
    enum tbc_end end;                         /* how the first of them has ended, with threads, and where */
    uint32_t end_pc;
    struct cw_branch branch;      /* at which its warps end, and which two ways lead on */
    bool goes_first, goes_second; /* then: threads take this way */
    bool indexed;                 /* it is an indexed branch */
    /* For reports: PCs of the sides that wait below the top. */
    uint32_t side[TBC_SIDES], side_cnt;
};

struct tbc {
    struct cw_control control;
    struct cw_control_config config;
    const struct cw_tbc_keys *keys;
    struct cw_tbc_counters *counters;
    struct cw_adapt_block_stack *stack;
    struct cw_adapt_thread_compactor *compactor;
    void *own;      /* Of a policy that adds to this one. */
    bool is_static; /* the launch keeps its static warps */
    const struct cw_kernel *noticed;
    uint32_t at[TBC_WARPS][CW_LANES]; /* with static warps: where a thread goes on that is not in the top */
    struct tbc_warp *warp;            /* [slot] */
    struct tbc_block block[CW_ADAPT_BLOCK_STACK_BLOCKS];
    uint32_t blocks;
    uint64_t block_cnt;                 /* that have started */
    uint64_t top_cnt;                   /* Tops that the compactor has taken. */
    uint32_t sticky[4];                 /* srr: the block that each scheduler stays with */
    struct cw_adapt_block_stack_op *op; /* ring: for the block stack, in order */
    uint32_t op_cap;
    struct cw_ring op_ring;
    /* what is being compacted */
    uint32_t compacted;      /* block */
    uint32_t compacted_next; /* of its slots, the one that takes the next warp */
    uint32_t compacted_pc;
    uint32_t compacted_left; /* of its threads, those of warps that are not made yet: none when it begins with the next one */
};

/* Of the PCs at which a warp of the block's top ends, that to which it comes first from pc on: without a branch the PC only grows. */
static inline uint32_t cw_tbc__stop(const struct tbc_block *b, uint32_t pc)
{
    const bool likely_first = b->lpc != CW_PC_NONE && b->lpc >= pc && (b->rpc < pc || b->lpc < b->rpc);
    return likely_first ? b->lpc : b->rpc;
}

#endif
