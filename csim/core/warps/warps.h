/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The warps floor: when a warp's next instruction may issue, its registers, why it does not issue, and what others hear of it. It also holds
 * what all floors share: time, configuration, launch, mechanisms. Time is counted in core cycles.
 *
 * Who may issue: a resident warp that waits for nothing has its bit in `ready` from the cycle on at which its next instruction's
 * registers are ready (cw_core__requeue works that out once, after the warp's last issue or a load's arrival); a timing wheel with
 * one bit per warp and slot sets the bit then. So a cycle costs no scan over warps. A core has as many slots as its policy asks for, in
 * rows of 64: one row is the usual case, and has a path of its own through issue.c.
 */
#ifndef CW_CORE_WARPS_WARPS_H
#define CW_CORE_WARPS_WARPS_H

#include <stddef.h>
#include <string.h>

#include "core/look.h"
#include "core/warps/checkpoint.h"
#include "core/warps/classes.h"
#include "core/warps/heap.h"
#include "core/warps/scheduler.h"
#include "core/warps/scoreboard.h"
#include "core/warps/warp.h"
#include "core/warps/wheel.h"

#define CW_CORE_WARPS_MAX      CW_SLOTS_MAX
#define CW_CORE_SCHEDULERS_MAX 4

/* Why a scheduler does not issue; see stall.c. */
struct cw_stalled {
    uint8_t why; /* Enum cw_stall */
    /* The rest only where somebody hears of it. */
    uint8_t of;      /* What the warp below waits for: the same, but of a barrier what the last warp waits for */
    uint8_t at;      /* Enum cw_stall_at, as far as the warp knows */
    bool ready;      /* The warp is, and something else is not */
    uint32_t warp;   /* Who waits; of a barrier the warp that it waits for */
    uint32_t pc, by; /* As in the event */
};

/* What it is found from. */
struct cw_stalls {
    uint64_t charged; /* cycles are counted up to this one, exclusive */
    uint8_t idle;     /* Enum cw_stall of a scheduler without a warp */
    struct {
        uint32_t trip; /* The request that it was last found to wait for, with its number (msg/trip.h); 0: none */
        uint64_t number;
    } found[CW_CORE_SCHEDULERS_MAX];
    uint64_t mine[CW_CORE_SCHEDULERS_MAX][CW_SLOT_WORDS]; /* a scheduler's slots */
    uint64_t waits[CW_STALLS][CW_SLOT_WORDS];             /* slots by what they wait for, or have waited for when they are ready */
    uint8_t *why;                                         /* [slot]: the same */
    uint8_t *delay;                                       /* [slot]: what not_before stands for */
    uint8_t *last;     /* [home * CW_LANES + lane]: class of the thread's last instruction; without dynamic warps that of lane 0 counts */
    uint8_t *producer; /* [home * registers + slot of the scoreboard]: class of the instruction that writes it */
    uint8_t *at;       /* [slot]: as a scheduler's */
    /* PCs, in the same places: of what the slot waits for, of its last instruction, of the last region that it has begun, of `last` and of
     * `producer`. */
    uint32_t *by, *issued, *begun, *last_pc, *producer_pc;
    uint32_t registers;
    bool stopped; /* in one pipeline: a memory instruction keeps its stage */
    bool refused; /* The crossbar has no room for what is at the end of the load/store pipeline */
};

/* Registers and identities of all warps. */
struct cw_storage {
    uint32_t *r32, *pred, *cc;
    uint64_t *r64, *slot_cycle;
    cw_lanes *slot_lanes;         /* With core.scoreboard=lane, else NULL. */
    uint32_t (*tid)[3][CW_LANES]; /* [warp * halves + half] */
    size_t bytes[9];
};

/* A mechanism that is attached. */
struct cw_core_mech {
    const struct cw_core_sockets *sockets; /* never NULL; those that it does not take are */
    void *self;
    const struct cw_intrinsic *intrinsics; /* NULL: none */
};

/* Sockets that are looked at in a hot place. */
enum cw_socket {
    CW_SOCKET_ACCESS = 1u,
    CW_SOCKET_L1_LINE = 2u,
    CW_SOCKET_FENCE = 4u,
    CW_SOCKET_ACQUIRE = 8u,
    CW_SOCKET_BLOCK = 16u,
    CW_SOCKET_ISSUED = 32u,
    CW_SOCKET_STREAM = 64u,  /* the stream wants CW_EVENT_ISSUE, as known at the launch */
    CW_SOCKET_BRANCH = 128u, /* and CW_EVENT_BRANCH */
    CW_SOCKET_BARRIER = 256u,
    CW_SOCKET_BRANCHED = 512u, /* and CW_EVENT_BRANCHED */
    CW_SOCKET_PM = 1024u,      /* and CW_EVENT_PM_ISSUE: memory and ordering instructions get stamps */
    CW_SOCKET_PROGRAM = 2048u, /* and CW_EVENT_REGION_ISSUE: memory instructions get stamps */
    CW_SOCKET_FLIGHT = 4096u,  /* And CW_EVENT_FLIGHT */
    CW_SOCKET_TICK = 8192u
};

/* How full the load/store unit's queue is: nothing issues to it while it holds `most`; those that their collectors still have count. */
struct cw_mem_queue {
    uint32_t cnt, most;
};

/* Warps that ask for instructions in this tick; one place per warp. */
struct cw_fetch_asks {
    struct cw_fetch_ask {
        uint64_t cycle; /* from which it wants the port */
        uint32_t warp;
        bool astray; /* instructions that are not wanted come first */
    } * ask;
    uint32_t cnt;
};

/* What all floors share: time, configuration and launch; the warps; who may issue. */
struct cw_core_warps {
    /* What a tick reads stands together, in as few lines of the host's caches as it can. */
    cw_time period;
    uint64_t cycle; /* of the running tick, or of the last one */
    cw_time now;
    cw_time *wake; /* the component's */
    const struct cw_launch *launch;
    struct cw_core_mech *mech; /* by the GPU's list */
    cw_time mech_next;
    uint32_t mech_cnt;
    uint32_t taken; /* bits of enum cw_socket: somebody takes it */
    const struct cw_config *config;
    struct cw_control *control;
    const struct cw_front *front; /* control->front */
    struct cw_warp *warp;
    struct cw_issue_op *op;
    const struct cw_uop *uop;
    bool mixes; /* a warp has threads of several blocks, too */
    bool faulted;
    bool unusual;           /* issue needs more than most machines have: see create_control */
    bool one_by_one;        /* an instruction waits for the warp's previous one (core.scoreboard=warp) */
    bool by_lane;           /* A lane waits for its own loads only (core.scoreboard=lane). */
    bool collects;          /* has operand collectors */
    uint32_t width, halves; /* lanes per warp, and in exec's vectors */
    cw_lanes all_lanes;     /* of a warp */
    uint32_t scheduler_cnt;
    uint32_t slots;  /* of warps: core.warps, and more when the policy needs more */
    uint32_t rows;   /* of 64 slots */
    uint32_t buffer; /* instructions; 0: no buffers */
    uint32_t stage;  /* core cycles per pipeline stage */
    struct cw_mem_queue mem_queue;
    struct cw_fetch_asks asks;
    struct cw_wheel wheel;
    struct cw_core_config cfg;
    struct cw_scheduler scheduler[CW_CORE_SCHEDULERS_MAX];
    uint64_t fu_free[CW_CORE_SCHEDULERS_MAX][CW_FU_COUNT];
    struct cw_slot_row row[CW_SLOT_WORDS]; /* Most machines have one. */
    struct cw_classes classes;
    struct cw_ages ages;
    /* What some ticks read. */
    uint64_t started;         /* cycle in which the unit takes the instruction that is issuing */
    uint64_t *thread_done;    /* [home * CW_LANES + lane]; NULL unless one_by_one with dynamic warps: as done_at, or CW_CYCLE_PENDING */
    struct cw_stalls *stalls; /* NULL: not counted */
    uint64_t barrier_free;    /* The cycle from which the unit for barriers takes another warp. */
    uint32_t departures;      /* Of bytes of persistent memory */
    uint32_t stamps;          /* Instructions that have one */
    struct cw_order order[CW_CORE_BLOCKS_MAX];
    struct cw_checkpoint checkpoint;
    struct cw_storage storage;
    struct cw_block block[CW_CORE_BLOCKS_MAX];
};

/* In the word of its row. */
static inline uint64_t cw_core__bit(uint32_t warp)
{
    return UINT64_C(1) << warp % 64;
}

/* Lanes of 32 that are at home in one slot, with the registers that they use. */
struct cw_part {
    const struct cw_exec *x;
    uint32_t home, lanes;
};

/* One element of 1, 2, 4 or 8 bytes from or to memory; copies of constant size, unlike memcpy(p, q, bytes). */
static inline uint64_t cw_core__load_element(const uint8_t *p, uint32_t bytes)
{
    uint64_t v = 0;
    if (bytes == 4)
        memcpy(&v, p, 4);
    else if (bytes == 8)
        memcpy(&v, p, 8);
    else if (bytes == 1)
        v = *p;
    else
        memcpy(&v, p, 2);
    return v;
}
/*NOOWNER core_state cw_core__store_element */
static inline void cw_core__store_element(uint8_t *p, uint32_t bytes, uint64_t v)
{
    if (bytes == 4)
        memcpy(p, &v, 4);
    else if (bytes == 8)
        memcpy(p, &v, 8);
    else if (bytes == 1)
        *p = (uint8_t)v;
    else
        memcpy(p, &v, 2);
}

static inline uint32_t cw_core__pc(const struct cw_core_warps *warps, uint32_t w)
{
    return warps->front[w].pc;
}
/* Part i of a half of the warp, whose threads are `dynamic`; false: there are no more. */
static inline bool cw_core__part(const struct cw_core_warps *warps, const struct cw_dynamic_warp *dynamic, uint32_t w, uint32_t half,
                                 uint32_t i, struct cw_part *part)
{
    if (__builtin_expect(dynamic == NULL, 1)) {
        *part = (struct cw_part){&warps->warp[w].x[half], w, UINT32_MAX};
        return i == 0;
    }
    if (i >= dynamic->cnt)
        return false;
    *part = (struct cw_part){&warps->warp[dynamic->part[i].home].x[0], dynamic->part[i].home, dynamic->part[i].lanes};
    return true;
}
/* The slot in which the thread in a lane of the warp is at home. */
static inline uint32_t cw_core__home(const struct cw_core_warps *warps, const struct cw_dynamic_warp *dynamic, uint32_t w, uint32_t lane)
{
    struct cw_part p;
    for (uint32_t i = 0; dynamic != NULL && cw_core__part(warps, dynamic, w, 0, i, &p); i++)
        if ((p.lanes >> lane & 1u) != 0)
            return p.home;
    return w;
}
/* The mechanisms' tick of this cycle may be over: what they have just been told must bring them another one. */
static inline void cw_core__tell_mechanisms(struct cw_core_warps *warps)
{
    const cw_time next = warps->now + warps->period;
    warps->mech_next = next < warps->mech_next ? next : warps->mech_next;
}

/* ready.c */
/* Works out when the warp's next instruction may issue and puts the warp into the ready mask or the wheel; a warp that waits for an event
 * leaves both. To be called after anything that changes the warp's front, wait, scoreboard or not_before. */
void cw_core__requeue(struct cw_core_warps *warps, uint32_t w);
/* Whether a warp in the ready mask may still issue: of dynamic warps with threads of one home another one may have issued since. A warp
 * that may not leaves the mask. */
bool cw_core__still_ready(struct cw_core_warps *warps, uint32_t w);
/* The destinations of op may be used by the warp's threads from cycle on. */
static inline void cw_core__set_slots(struct cw_core_warps *warps, const struct cw_dynamic_warp *dynamic, uint32_t w,
                                      const struct cw_issue_op *op, uint64_t cycle)
{
    if (__builtin_expect(dynamic == NULL, 1))
        cw_scoreboard_set(warps->warp[w].slot_cycle, op, cycle);
    for (uint32_t i = 0; dynamic != NULL && i < dynamic->cnt; i++)
        cw_scoreboard_set(warps->warp[dynamic->part[i].home].slot_cycle, op, cycle);
}
/* With core.scoreboard=lane: those of the lanes that have a load on its way to a register that op names. */
static inline cw_lanes cw_core__lanes_await(const struct cw_warp *home, const struct cw_issue_op *op, cw_lanes lanes)
{
    cw_lanes waits = 0;
    for (uint32_t i = 0; i < op->slot_cnt; i++)
        waits |= home->slot_lanes[op->slot[i]];
    return waits & lanes;
}
/* Lanes of the warp have a load on its way to op's destinations, or have it no more. */
void cw_core__lanes_load(struct cw_core_warps *warps, uint32_t w, const struct cw_issue_op *op, cw_lanes lanes);
void cw_core__lanes_loaded(struct cw_core_warps *warps, uint32_t w, const struct cw_issue_op *op, cw_lanes lanes, uint64_t cycle);
/* Active lanes for whose loads the warp's next instruction waits; 0 while the warp waits for something else. */
cw_lanes cw_core__stalled_lanes(const struct cw_core_warps *warps, uint32_t w);
/* With core.scoreboard=warp: the instruction of these threads is complete from cycle on. */
static inline void cw_core__set_done(struct cw_core_warps *warps, const struct cw_dynamic_warp *dynamic, cw_lanes lanes, uint64_t cycle)
{
    for (uint32_t i = 0; i < dynamic->cnt; i++) {
        uint64_t *const done = &warps->thread_done[dynamic->part[i].home * CW_LANES];
        uint32_t left = dynamic->part[i].lanes & (uint32_t)lanes;
        for (uint32_t lane = 0; left == UINT32_MAX && lane < CW_LANES; lane++)
            done[lane] = cycle;
        for (left = left == UINT32_MAX ? 0 : left; left != 0; left &= left - 1)
            done[__builtin_ctz(left)] = cycle;
    }
}
/* A load of threads of these blocks has its values: dynamic warps that waited for it go on. */
void cw_core__loaded(struct cw_core_warps *warps, uint32_t blocks);
void cw_core__stalls_destroy(struct cw_stalls *s);
/* stall.c; only where warps->stalls is there */
/* NULL: no memory. */
struct cw_stalls *cw_core__stalls_create(const struct cw_core_warps *warps);
/* A launch's registers. CW_ENOMEM. */
int cw_core__stalls_prepare(struct cw_core_warps *warps, const struct cw_kernel *kernel, struct cw_error *err);
/* The warp has just been put into the ready mask or the wheel, or waits for an event. */
void cw_core__stalls_note(struct cw_core_warps *warps, uint32_t w);
/* The instruction issues, unless it is refused. */
void cw_core__stalls_issue(struct cw_core_warps *warps, uint32_t w, const struct cw_issue_op *op);
/* Why a scheduler has not issued since the last tick. A core changes in its ticks only, so this is found when such a cycle is counted. */
struct cw_stalled cw_core__stalls_judge(const struct cw_core_warps *warps, uint32_t s);
/* registers.c */
/* Operand o of a half of the warp, whose threads are `dynamic`: all its lanes. */
void cw_core__read_operand(const struct cw_core_warps *warps, const struct cw_dynamic_warp *dynamic, uint32_t w, uint32_t half,
                           struct cw_opnd o, uint64_t out[CW_LANES]);
/* The same of all lanes of the warp. */
void cw_core__read_warp(const struct cw_core_warps *warps, uint32_t w, struct cw_opnd o, uint64_t out[CW_WARP_LANES_MAX]);
/* Address operand and offset of a memory instruction, all lanes of the half. */
void cw_core__read_addresses(const struct cw_core_warps *warps, uint32_t w, uint32_t half, const struct cw_uop *u, uint64_t addr[CW_LANES]);
/* Writes registers from inst->value for lanes. */
void cw_core__write_back(struct cw_core_warps *warps, const struct cw_mem_inst *inst, cw_lanes lanes);
void cw_core__write_old(struct cw_core_warps *warps, const struct cw_mem_inst *inst, cw_lanes lanes, const uint64_t old[CW_LANES]);
/* Values of one destination, whose register has 32 or 64 bits, in these lanes of the warp. */
void cw_core__write_warp(struct cw_core_warps *warps, uint32_t w, struct cw_opnd o, uint32_t type, cw_lanes lanes,
                         const uint64_t value[CW_WARP_LANES_MAX]);
/* tell.c */
/* To the mechanisms. warp: who did it; CW_CORE_WARPS_MAX: the cache itself. */
void cw_core__tell_line(struct cw_core_warps *warps, enum cw_l1_event what, uint64_t line, uint32_t warp);
/* To those who listen: each lane has stored, or is about to by an atomic. */
void cw_core__tell_stores(struct cw_core_warps *warps, const struct cw_pipe_entry *e);
/* A memory instruction issues, where CW_SOCKET_PM, CW_SOCKET_PROGRAM or CW_SOCKET_FLIGHT is taken: with the first two it gets its number. */
void cw_core__stamp(struct cw_core_warps *warps, struct cw_core_inst *inst);
/* Where CW_SOCKET_FLIGHT is taken. */
void cw_core__tell_flight(const struct cw_core_warps *warps, const struct cw_core_inst *inst, bool ends, uint64_t cycle);
/* Where CW_SOCKET_PROGRAM is taken: a load in a region has its values in the registers of these lanes. */
void cw_core__tell_region_loads(const struct cw_core_warps *warps, const struct cw_core_inst *inst, cw_lanes lanes);
/* The same of what has its value outside of regions, if it can order threads. */
void cw_core__tell_completed(const struct cw_core_warps *warps, const struct cw_core_inst *inst);
/* The following are called where CW_SOCKET_PM is taken. */
/* It is complete; if it is a load, its values have come. */
void cw_core__tell_reads(const struct cw_core_warps *warps, const struct cw_core_inst *inst);
/* For CW_EVENT_STRONG, where it is wanted: a load has its values; an atomic what it has found; an atomic of shared memory is performed; lanes
 * of a warp exchange values. */
void cw_core__tell_loads(const struct cw_core_warps *warps, const struct cw_core_inst *inst);
void cw_core__tell_old(const struct cw_core_warps *warps, const struct cw_mem_inst *m, cw_lanes lanes, const uint64_t *old);
void cw_core__tell_shared_atomic(const struct cw_core_warps *warps, const struct cw_mem_inst *m, uint32_t lane, uint64_t old,
                                 uint64_t value);
/* What becomes of an instruction at issue: CW_EVENT_BEFORE, CW_EVENT_ISSUE. */
void cw_core__tell_stream(const struct cw_core_warps *warps, enum cw_event_type type, uint32_t w, const struct cw_uop *u, cw_lanes mask);
void cw_core__tell_exchange(const struct cw_core_warps *warps, uint32_t w, cw_lanes lanes);
static inline bool cw_core__wants_strong(const struct cw_core_warps *warps)
{
    return __builtin_expect(cw_events_want(warps->cfg.stream, CW_EVENT_STRONG), 0);
}
/* For the sanitizer: a memory instruction issues, with its addresses and what it stores. */
void cw_core__tell_lanes(const struct cw_core_warps *warps, const struct cw_mem_inst *m);
static inline void cw_core__issued(const struct cw_core_warps *warps, const struct cw_mem_inst *m)
{
    if (__builtin_expect(cw_events_want(warps->cfg.stream, CW_EVENT_LANES), 0))
        cw_core__tell_lanes(warps, m);
}
/* For the sanitizer: lanes of a warp synchronise (enum cw_event_sync); id: of a barrier. */
void cw_core__tell_sync(const struct cw_core_warps *warps, uint32_t w, enum cw_event_sync kind, cw_lanes lanes, uint32_t id);
static inline void cw_core__synced(const struct cw_core_warps *warps, uint32_t w, enum cw_event_sync kind, cw_lanes lanes, uint32_t id)
{
    if (__builtin_expect(cw_events_want(warps->cfg.stream, CW_EVENT_SYNC), 0))
        cw_core__tell_sync(warps, w, kind, lanes, id);
}
/* The same of a block whose barrier lets its threads go on. */
void cw_core__tell_pass(const struct cw_core_warps *warps, uint32_t block, uint32_t id);
/* The warp's threads are new. */
void cw_core__tell_begin(const struct cw_core_warps *warps, uint32_t w, cw_time now);
/* A fence, or a call that orders persists, has issued. */
void cw_core__tell_fence(struct cw_core_warps *warps, uint32_t w, const struct cw_uop *u, cw_lanes lanes);
void cw_core__tell_call(struct cw_core_warps *warps, const struct cw_core_call *call);
/* A message with bytes of persistent memory, if they are that, leaves: it gets its number. */
void cw_core__persist_leaves(struct cw_core_warps *warps, struct cw_message *p);
/* Cycle in which an instruction that issues now is in its unit when it passes the operand collectors by: entry, collector, exit. */
static inline uint64_t cw_core__past_collectors(const struct cw_core_warps *warps)
{
    return warps->cycle + (warps->collects ? 3 * warps->stage : 0);
}
/* The generation to which an access of the warp belongs that sets out now. */
static inline uint8_t cw_core__order_flight(const struct cw_core_warps *warps, uint32_t w)
{
    const uint32_t order = warps->mixes ? 0 : warps->warp[w].block; /* one order for all blocks where warps mix them */
    return (uint8_t)(2 * order + (warps->order[order].generation & 1u));
}
/* An access of that generation sets out; cw_core__order_done is told when it is performed. */
static inline void cw_core__order_begin(struct cw_core_warps *warps, uint8_t flight)
{
    warps->order[flight / 2].flight[flight % 2]++;
}
/* report.c */
void cw_core__fault(struct cw_core_warps *warps, uint32_t w, uint32_t lane, const struct cw_uop *u, int status, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* Whether the sanitizer looks for that. */
static inline bool cw_core__checks(const struct cw_core_warps *warps, enum cw_check check)
{
    return (warps->cfg.checks & (uint32_t)check) != 0;
}
/* Tells the sanitizer; bytes at an address of the instruction's space, or 0. */
void cw_core__find(struct cw_core_warps *warps, enum cw_check check, uint32_t w, uint32_t lane, const struct cw_uop *u, uint64_t addr,
                   uint32_t bytes, const char *fmt, ...) __attribute__((format(printf, 8, 9)));
/* Tells the user, once per line of the file, what PTX leaves open and a lane has done (struct cw_exec). */
void cw_core__tell_open(const struct cw_core_warps *warps, const struct cw_uop *u, const struct cw_exec *x, enum cw_exec_open what,
                        uint32_t lane, uint32_t other);
/* The warp did something that a spinning warp does not do. */
static inline void cw_core__progress(struct cw_core_warps *warps, struct cw_warp *warp)
{
    warp->spin = 0;
    if (warps->cfg.progress != NULL)
        ++*warps->cfg.progress;
}
void cw_core__backward_branch(struct cw_core_warps *warps, struct cw_warp *warp, const struct cw_uop *u);
/* With an instruction buffer: asks for the warp's next instructions when its buffer does not hold them. To be called when its front or its
 * buffer has changed. */
void cw_core__refill(struct cw_core_warps *warps, uint32_t w);
void cw_core__wheel_tick(struct cw_core_warps *warps);
uint64_t cw_core__wheel_next(const struct cw_core_warps *warps);
void cw_core__create_classes(struct cw_core_warps *warps);
/* The instruction that has taken the issue slot has not issued; before, `counted` was this. */
void cw_core__declass(struct cw_core_warps *warps, uint64_t classed);
/* The first warp starts; the last one has gone. */
void cw_core__begin_classes(struct cw_core_warps *warps);
void cw_core__end_classes(struct cw_core_warps *warps);
/* What core.h declares of the whole core. */
void cw_core__add_patience(const struct cw_core_warps *warps, uint64_t cycle, uint64_t livelock_cycles, uint64_t still_cycles,
                           struct cw_core_patience *p);
void cw_core__report(const struct cw_core_warps *warps, FILE *out);
bool cw_core__spin_report(const struct cw_core_warps *warps, struct cw_core_spin *spin);

#endif
