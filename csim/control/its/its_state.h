/* SPDX-License-Identifier: Apache-2.0 */
/* State of independent threads in a core. Private to: its.c, region.c, ask.c, tick.c, saved.c, keys.c, stalls.c. */
#ifndef CW_CONTROL_ITS_ITS_STATE_H
#define CW_CONTROL_ITS_ITS_STATE_H

#include "adapt/convergence_barriers.h"
#include "base/config.h"
#include "base/ring.h"
#include "control/its/its.h"
#include "control/simt_stack.h"

/* A slot. The unit has the barriers and the groups; here is what the core asks about, and what it need not ask the unit. */
struct its_warp {
    cw_lanes live;
    cw_lanes held;                     /* At barriers of the block, and of the warp. */
    cw_lanes across;                   /* They wait at operations across lanes. */
    cw_lanes guests;                   /* They wait, or are active, at another instruction of their operation than their own. */
    cw_lanes pass;                     /* They come to a barrier of the warp again to which all others have come. */
    cw_lanes again;                    /* They come back to the indexed branch at which they are. */
    cw_lanes stopped;                  /* The policy has stopped them (cw_its_stop). */
    cw_lanes last;                     /* The group of the last operation. */
    cw_lanes blocked, parked;          /* As the unit has said last. */
    uint32_t at[CW_WARP_LANES_MAX];    /* PCs of lanes that are not active. */
    uint32_t own[CW_WARP_LANES_MAX];   /* Of guests: the PC of their own instruction. */
    uint32_t id[CW_WARP_LANES_MAX];    /* Of held lanes: the barrier; of those at operations: which. */
    cw_lanes named[CW_WARP_LANES_MAX]; /* Of both: those that they wait for. */
    uint32_t branches;                 /* Backward ones of the group since its turn began. */
    uint32_t pending;                  /* Operations of the warp that the unit has not answered. */
    uint32_t skips;                    /* Of these, the first ones whose answers say nothing: they only put lanes to their places. */
    uint32_t place_cnt;                /* PCs at which lanes meet besides those of branches (struct its, place). */
    bool barred;                       /* A barrier of convergence waits for the group. */
};

/* What is on its way to the unit of a scheduler, whose warps are those of slots that are its number modulo the schedulers. */
struct its_scheduler {
    struct cw_adapt_convergence_barriers *unit;
    struct cw_adapt_convergence_barriers_op *op; /* [op_cap] */
    struct cw_ring op_ring;
};

struct its {
    struct cw_control control;
    struct cw_control_config config;
    const struct cw_its_keys *keys;
    struct its_warp *warp; /* [slot] */
    struct cw_simt *stack; /* [slot]: of the group in a region; depth 0: in none */
    struct cw_simt_entry *entries;
    struct its_scheduler *scheduler;
    uint32_t scheduler_cnt, op_cap;
    void (*whole)(struct cw_control *p, uint32_t warp); /* cw_its_whole; NULL: nobody asks. */
    void *own;                                          /* Of a policy that adds to this one. */
    uint32_t *meet;  /* [PC]: the first one from there on at which sides of a branch meet, or CW_PC_NONE; [uop_cnt] is one */
    uint64_t *place; /* [slot]: bit per PC, at which its lanes meet besides (cw_its_meet). */
    uint32_t uop_cnt;
};

/* The bit of a PC among the places of the slot: its word, and there. */
static inline uint64_t *cw_its__place(const struct its *d, uint32_t warp, uint32_t pc)
{
    return &d->place[(size_t)warp * (d->uop_cnt / 64 + 1) + pc / 64];
}

static inline bool cw_its__is_place(const struct its *d, uint32_t warp, uint32_t pc)
{
    return d->warp[warp].place_cnt != 0 && (*cw_its__place(d, warp, pc) >> (pc % 64) & 1u) != 0;
}

void cw_its__forget_places(struct its *d, uint32_t warp);
/* The first place of the slot from pc on, below end; else end. */
uint32_t cw_its__next_place(const struct its *d, uint32_t warp, uint32_t pc, uint32_t end);

/* The first PC at which lanes may have to stop that run on at pc. */
static inline uint32_t cw_its__stop(const struct its *d, uint32_t warp, uint32_t pc)
{
    const struct its_warp *w = &d->warp[warp];
    if (!w->barred || pc >= d->uop_cnt)
        return CW_PC_NONE;
    return w->place_cnt == 0 ? d->meet[pc + 1] : cw_its__next_place(d, warp, pc + 1, d->meet[pc + 1]);
}

static inline bool cw_its__in_region(const struct its *d, uint32_t warp)
{
    return d->stack[warp].depth != 0;
}

/* A new operation of the warp for the unit, to be filled in. */
struct cw_adapt_convergence_barriers_op *cw_its__tell(struct its *d, uint32_t warp, enum cw_convergence_op kind, cw_lanes lanes);

/* The same; the group goes on when the unit has answered. */
struct cw_adapt_convergence_barriers_op *cw_its__ask(struct its *d, uint32_t warp, enum cw_convergence_op kind, cw_lanes lanes);

/* Stopped lanes go on. */
void cw_its__resume(struct its *d, uint32_t warp, cw_lanes lanes);

void cw_its__note_place(struct its_warp *w, cw_lanes lanes, uint32_t pc);

/* The PC at which a lane that is not active stands by the program; of a guest its own. */
static inline uint32_t cw_its__stand(const struct its_warp *w, uint32_t lane)
{
    return cw_lanes_has(w->guests, lane) ? w->own[lane] : w->at[lane];
}

/* Those of the lanes whose PC (pcs[lane]) is this one. */
cw_lanes cw_its__at(const uint32_t *pcs, cw_lanes lanes, uint32_t pc);

/* These active lanes go to b->target, the others, if there are any, to b->next. first: those of the target are first if they may. */
void cw_its__part(struct its *d, uint32_t warp, cw_lanes lanes, bool first, bool yields, const struct cw_branch *b);

/* All active lanes go to one PC. */
void cw_its__go(struct its *d, uint32_t warp, uint32_t pc, bool yielding);

/* The active lanes go to PCs of their own, from which all ways meet at `meet`, or at CW_PC_NONE. */
void cw_its__scatter(struct its *d, uint32_t warp, const uint32_t *target, uint32_t meet);

/* In a region. */
void cw_its__region_arrive(struct its *d, uint32_t warp);
bool cw_its__region_branch(struct its *d, uint32_t warp, cw_lanes taken, const struct cw_branch *b);
bool cw_its__region_indexed(struct its *d, uint32_t warp, const uint32_t *target, const struct cw_branch *b);

#endif
