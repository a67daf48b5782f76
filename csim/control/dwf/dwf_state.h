/* SPDX-License-Identifier: Apache-2.0 */
/* State of dynamic warp formation in a core. Private to: dwf.c, pool.c, keys.c, saved.c. */
#ifndef CW_CONTROL_DWF_DWF_STATE_H
#define CW_CONTROL_DWF_DWF_STATE_H

#include "adapt/warp_lut.h"
#include "base/config.h"
#include "base/machine.h"
#include "base/ring.h"
#include "control/control.h"

#define DWF_SLOTS  32u
#define DWF_BLOCKS 32u
#define DWF_NAMES  CW_ADAPT_WARP_LUT_NAMES
#define DWF_NONE   UINT32_MAX
#define DWF_QUEUE  4096u /* updates that wait; issue stops long before (may_issue) */

struct cw_dwf_keys {
#define CW_LIST "control/dwf/keys.def"
#include "base/key_fields.h"
};

struct cw_dwf_counters {
#define CW_LIST "control/dwf/counters.def"
#include "base/counter_fields.h"
};

extern const struct cw_key_set cw_dwf_keys;
extern const struct cw_counter_set cw_dwf_counters;

/* Threads, one of a lane at most. */
struct dwf_group {
    uint32_t pc, lanes;
    uint8_t home[CW_WARP_LANES_MAX];
};

/* Threads whose instruction has issued, with their next PC, until it is complete. */
struct dwf_outstanding {
    struct dwf_group g;
    uint64_t at; /* the cycle in which they go on; UINT64_MAX: not known */
};

/* A warp that has not issued. */
struct dwf_warp {
    struct dwf_group g; /* lanes 0: there is no warp of this name */
    uint32_t slot;      /* DWF_NONE: it has none yet */
    uint32_t at;        /* in the list of warps */
    uint32_t blocks;    /* without a slot: bit per block that has threads in it; 0: not worked out yet */
    bool is_static;     /* the table does not know it */
    uint64_t since;     /* cycle in which it has begun */
};

/* With warp barriers: the threads at home in a slot. */
struct dwf_home {
    uint32_t live;  /* lanes that have not exited */
    bool apart;     /* they have parted at a branch, and meet where its sides do */
    uint32_t meet;  /* then: at this PC; CW_PC_NONE: nowhere */
    uint32_t there; /* lanes that wait there */
    uint64_t since; /* then: the first one from this cycle on */
};

struct dwf {
    struct cw_control control;
    struct cw_control_config config;
    const struct cw_dwf_keys *keys;
    struct cw_dwf_counters *counters;
    struct cw_adapt_warp_lut *lut;
    uint32_t step; /* core cycles of a cycle of the table, which takes both sides of a branch in a stage of the core */
    struct dwf_warp warp[DWF_NAMES];
    uint32_t list[DWF_NAMES], list_cnt; /* names of warps */
    uint64_t waits[DWF_NAMES / 64];     /* Bit per place in the list: that warp has no slot */
    uint32_t free[DWF_NAMES], free_cnt; /* names that nobody has */
    uint32_t closed[DWF_NAMES];         /* names that the table may still know, in order */
    struct dwf_group *queue;            /* ring */
    struct cw_ring queue_ring, closed_ring;
    struct dwf_outstanding *outstanding; /* in the order of issue; NULL: threads go on when their instruction has issued */
    uint32_t outstanding_cnt;
    uint64_t outstanding_next; /* the first of their cycles; 0: some are not known, and may be now */
    struct dwf_group sent;     /* the update that the table answers next */
    uint32_t sent_name;
    bool is_sent;
    uint32_t *threads; /* [pc] of warps */
    bool *in_heap;     /* [pc]: it has an entry of the majority heap */
    uint32_t heap_cnt;
    uint32_t pcs;
    uint32_t majority;                            /* PC that issues */
    uint64_t look_at;                             /* cycle from which to look for a warp that has waited too long */
    uint64_t fair_until;                          /* up to this cycle the oldest warps issue first, whatever the majority */
    uint32_t slotless;                            /* warps that have no slot */
    uint32_t slot_name[DWF_SLOTS];                /* DWF_NONE: it is free */
    uint32_t free_slots;                          /* a bit for each of these */
    uint32_t block_slots[DWF_BLOCKS], used_slots; /* of each block that runs, and of all of them */
    uint32_t slot_block[DWF_SLOTS];
    uint32_t live[DWF_BLOCKS];               /* threads of the block that have not exited */
    uint32_t holding;                        /* blocks with threads that have come to a warp barrier since the last tick */
    bool has_barriers;                       /* dwf-wb */
    struct dwf_home home[DWF_SLOTS];         /* then */
    uint32_t resume_at[DWF_SLOTS][CW_LANES]; /* by home: where a thread goes on behind its barrier */
};

static inline struct dwf *cw_dwf__of(struct cw_control *p)
{
    return (struct dwf *)p;
}

/* Whether the warp at this place in the list has no slot. */
static inline void cw_dwf__set_waits(struct dwf *d, uint32_t at, bool waits)
{
    d->waits[at / 64] = (d->waits[at / 64] & ~(UINT64_C(1) << at % 64)) | (uint64_t)waits << at % 64;
}

/* Of struct cw_control_ops: saved.c. */
void cw_dwf__state(struct cw_control *p, struct cw_state *s);
/* pool.c */
/* The warp has issued, or its last thread has gone: it is no more, and the table hears of it. */
void cw_dwf__end_warp(struct dwf *d, uint32_t name);
/* When no thread is left at the majority's PC: the PC that most threads are at, of those that have an entry of the majority heap, is the
 * majority. */
void cw_dwf__choose(struct dwf *d);
/* Threads go on at a PC: lane l is that of slot home[l]. */
void cw_dwf__go(struct dwf *d, uint32_t pc, uint32_t lanes, const uint8_t *home);
/* A branch has parted the threads of a warp. Those of a home that were together until now meet where its sides do. */
void cw_dwf__part(struct dwf *d, const struct dwf_group *g, uint32_t rpc);
/* When all threads of a home are at its warp barrier, they go on as a static warp. */
void cw_dwf__meet(struct dwf *d, uint32_t home);
/* struct cw_control_ops, tick and completed */
uint64_t cw_dwf__tick(struct cw_control *p, uint64_t cycle);
void cw_dwf__completed(struct cw_control *p);

#endif
