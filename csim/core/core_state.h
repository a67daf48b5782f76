/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of a SIMT core, shared by its source files. README.md names them in the order in which they call each other. Inside the core time
 * is counted in core cycles.
 *
 * Private to: barrier.c, bounds.c, buffer.c, classes.c, constant.c, converge.c, core.c, fetch.c, flush.c, functional.c, inst.c, issue.c,
 * line.c, lsu.c, miss.c, order.c, packet.c, pipe.c, tell.c, print.c, ready.c, region.c, registers.c, report.c, saved.c, shared.c, stall.c,
 * warp.c.
 *
 * Who may issue: a resident warp that waits for nothing has its bit in `ready` from the cycle on at which its next instruction's
 * registers are ready (cw_core__requeue works that out once, after the warp's last issue or a load's arrival); a timing wheel with
 * one bit per warp and slot sets the bit then. So a cycle costs no scan over warps. A core has as many slots as its policy asks for, in
 * rows of 64: one row is the usual case, and has a path of its own through issue.c.
 *
 * Order of memory accesses: instructions of a core enter one queue in issue order, their line accesses one pipe, from there the crossbar
 * input, and a partition serves a line's requests in arrival order; L1 write-backs enter the crossbar before a later miss of the same line.
 * So accesses of one warp (and of one core) to one address are performed in program order. Accesses in a region leave the queue by
 * another door: they wait until the warp's earlier accesses have left the pipe.
 *
 * A warp has 32 or 64 lanes (core.warp_width). csim/exec works on halves of 32 lanes, and so does the load/store unit.
 */
#ifndef CW_CORE_CORE_STATE_H
#define CW_CORE_CORE_STATE_H

#include <stddef.h>
#include <string.h>

#include "base/rng.h"
#include "core/checkpoint.h"
#include "core/classes.h"
#include "core/coalesce.h"
#include "core/constants.h"
#include "core/core.h"
#include "core/fetch.h"
#include "core/heap.h"
#include "core/inst_pool.h"
#include "core/l1.h"
#include "core/lsu.h"
#include "core/misses.h"
#include "core/operands.h"
#include "core/pipe.h"
#include "core/room.h"
#include "core/scheduler.h"
#include "core/scoreboard.h"
#include "core/wheel.h"

#define CW_CYCLE_NEVER         UINT64_MAX
#define CW_CORE_WARPS_MAX      CW_SLOTS_MAX
#define CW_CORE_BLOCKS_MAX     32
#define CW_CORE_SCHEDULERS_MAX 4
#define CW_BARRIERS            16
#define CW_HALVES              2u          /* most halves of a warp */
#define CW_CHUNK_BYTES         128u        /* core.coalesce=chunk */
#define CW_TAG_TEXTURE         0x10000000u /* tag of a texture cache miss: with the register's index */
#define CW_TAG_CONST           0x20000000u /* tag of a constant cache miss: with the register's index */
#define CW_TAG_CODE            0x40000000u /* tag of an instruction cache miss: with the register's index */
#define CW_TAG_KEPT            0x08000000u /* tag of a write-back: of a line that a mechanism keeps; else its generation (flush.c) */
#define CW_NO_WARP             UINT16_MAX  /* in a message: it is nobody's, as a write-back of a line of global memory */
#define CW_TAG_MSHR            0x80000000u /* tag of an L1 miss: with the register's index; else the index of the memory instruction */

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

/* A memory instruction with what only the core needs. m comes first: mechanisms see only that. */
struct cw_core_inst {
    struct cw_mem_inst m;
    struct cw_core_inst *leader;    /* parts of one generic instruction that went to different spaces; itself when whole */
    struct cw_dynamic_warp dynamic; /* what m.dynamic points to */
    cw_lanes threads;               /* leader, of a dynamic warp: its active lanes, whatever the guard says */
    const struct cw_issue_op *op;
    uint32_t parts;           /* leader: parts not complete */
    uint32_t index;           /* tag of its packets */
    cw_lanes lanes_left;      /* not yet turned into line accesses (of this piece) */
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

/* Write-backs of the L1's dirty lines of global memory; see flush.c. */
struct cw_flush {
    uint64_t next;              /* cycle in which it needs a tick */
    uint32_t asked;             /* kinds of lines that the next job is to write back; 0: nobody has asked */
    uint32_t kinds;             /* of the running job */
    uint32_t started, finished; /* jobs */
    uint32_t at;                /* the next line to look at */
    uint32_t generation;        /* 0 or 1: of write-backs that leave now */
    uint32_t out[2];            /* write-backs without acknowledgement, by generation */
    uint32_t busy;              /* 1: a job runs, or somebody has asked for one; `next` says when */
    bool active, scanning;
};

/* Why each scheduler does not issue; see stall.c. */
struct cw_stalls {
    uint64_t charged; /* cycles are counted up to this one, exclusive */
    struct {
        uint8_t why; /* enum cw_stall, of the cycles from `charged` on that its issue slot is free for */
        uint32_t pc;
    } scheduler[CW_CORE_SCHEDULERS_MAX];
    uint64_t mine[CW_CORE_SCHEDULERS_MAX][CW_SLOT_WORDS]; /* a scheduler's slots */
    uint64_t waits[CW_STALLS][CW_SLOT_WORDS];             /* slots by what they wait for, or have waited for when they are ready */
    uint8_t *why;                                         /* [slot]: the same */
    uint8_t *delay;                                       /* [slot]: what not_before stands for */
    uint8_t *last;     /* [home * CW_LANES + lane]: class of the thread's last instruction; without dynamic warps that of lane 0 counts */
    uint8_t *producer; /* [home * registers + slot of the scoreboard]: class of the instruction that writes it */
    uint32_t registers;
    bool stopped; /* in one pipeline: a memory instruction keeps its stage */
};

/* The instruction that is issuing, and who may. */
struct cw_issue_stage {
    uint64_t fu_free[CW_CORE_SCHEDULERS_MAX][CW_FU_COUNT];
    uint64_t next;                /* cycle in which it needs a tick */
    uint64_t started;             /* cycle in which the unit takes the instruction that is issuing */
    struct cw_dynamic_warp alone; /* with one_by_one: the threads of that instruction, */
    cw_lanes alone_active;        /* and its lanes */
    uint32_t wide_only;           /* with more than one row: the candidate that a scheduler tries, of those in wide */
    struct cw_slots wide;
};

/* Core cycles that something keeps its part of the load/store unit for; at least 1. */
struct cw_passes {
    uint32_t line;     /* an access to a line, or in one pipeline the accesses to one chunk */
    uint32_t miss;     /* one that leaves for memory */
    uint32_t shared;   /* a pass over the banks of shared memory */
    uint32_t constant; /* an address of the constant cache */
};

/* Registers and identities of all warps. */
struct cw_storage {
    uint32_t *r32, *pred, *cc;
    uint64_t *r64, *slot_cycle;
    uint32_t (*tid)[3][CW_LANES]; /* [warp * halves + half] */
    size_t bytes[8];
};

struct cw_core {
    /* hot: read in every tick */
    struct cw_component component;
    cw_time period;
    uint64_t cycle; /* of the running tick, or of the last one */
    cw_time now;
    struct cw_slot_row row[CW_SLOT_WORDS];
    struct cw_control *control;
    const struct cw_front *front;    /* control->front */
    uint64_t control_next;           /* cycle in which the policy's tick has to be called; CW_CYCLE_NEVER */
    struct cw_dynamic_warp *dynamic; /* [warp]; NULL: the policy does not regroup threads */
    uint64_t *thread_done; /* [home * CW_LANES + lane]; NULL unless one_by_one with dynamic warps: as done_at, or CW_CYCLE_PENDING */
    bool mixes;            /* threads of several blocks, too */
    const struct cw_uop *
        *bar_insn;          /* then: [home * CW_LANES + lane]: of a thread in bar_waiting, the barrier instruction at which it waits */
    uint32_t width, halves; /* lanes per warp, and in exec's vectors */
    cw_lanes all_lanes;     /* of a warp */
    uint32_t line_bytes, line_shift;
    struct cw_scheduler scheduler[CW_CORE_SCHEDULERS_MAX];
    uint32_t scheduler_cnt;
    uint32_t slots; /* of warps: core.warps, and more when the policy needs more */
    uint32_t rows;  /* of 64 slots */
    struct cw_issue_stage issue;
    struct cw_classes classes;
    struct cw_room room;
    struct cw_wheel wheel;
    struct cw_lsu lsu;
    struct cw_access_pipe pipe;
    cw_time mech_next;
    bool faulted;
    bool unusual;    /* issue needs more than most machines have: see create_control */
    bool one_by_one; /* an instruction waits for the warp's previous one (core.scoreboard=warp) */
    bool collects;   /* has operand collectors */
    bool unified;    /* one pipeline (core.pipeline=unified) */
    bool chunks;     /* core.coalesce=chunk, and lines are smaller */
    struct cw_passes pass;
    uint32_t buffer;        /* instructions; 0: no buffers */
    uint32_t turn_shift;    /* log2 of stage */
    uint32_t stage;         /* core cycles per pipeline stage */
    uint32_t mem_stages;    /* cycles from the unit's start to the load/store unit's sight of a memory instruction */
    uint32_t result_stages; /* cycles of an instruction behind its unit */
    uint32_t write_stages;  /* cycles of a load behind its data */
    struct cw_fetch_port fetch;
    struct cw_constants constants;
    struct cw_l1 texture; /* no sets: there is none */
    struct cw_misses misses;
    struct cw_operands operands;
    struct cw_ages ages;
    struct cw_l1 l1;
    struct cw_inst_pool pool;
    uint64_t acks; /* of all warps */
    struct cw_order order[CW_CORE_BLOCKS_MAX];
    struct cw_flush flush;
    uint32_t departures; /* of bytes of persistent memory */
    uint32_t stamps;     /* instructions that have one */
    bool hostile;        /* core.memory=adversary: messages say what may pass them, and weak loads may go past the L1 */
    uint16_t epoch;      /* synchronisations of block scope, modulo 2^16 */
    uint64_t whim;       /* the seed of that */
    uint8_t *shared;
    /* launch */
    const struct cw_launch *launch;
    struct cw_issue_op *op;
    struct cw_branch *branch; /* [PC]; of instructions that are no branches nobody reads it */
    uint32_t op_cap;          /* of both */
    const struct cw_uop *uop;
    struct cw_checkpoint checkpoint;
    struct cw_storage storage;
    struct cw_warp *warp;
    struct cw_block block[CW_CORE_BLOCKS_MAX];
    /* mechanisms */
    struct cw_core_mech {
        const struct cw_core_sockets *sockets; /* never NULL; those that it does not take are */
        void *self;
        const struct cw_intrinsic *intrinsics; /* NULL: none */
    } * mech;                                  /* by the GPU's list */
    uint32_t mech_cnt;
    const struct cw_core_mech *region; /* the one with regions; NULL: none */
    const struct cw_core_mech *keeper; /* the one that keeps lines of persistent memory in the L1; NULL: none */
    uint32_t taken;                    /* bits of enum cw_socket: somebody takes it */
    struct cw_core_config cfg;
    const struct cw_config *config;
    struct cw_stalls *stalls; /* NULL: not counted */
};

/* In the word of its row. */
static inline uint64_t cw_core__bit(uint32_t warp)
{
    return UINT64_C(1) << warp % 64;
}

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
    CW_SOCKET_PROGRAM = 2048u  /* and CW_EVENT_REGION_ISSUE: memory instructions get stamps */
};

/* Whether the instruction reads through the texture cache. */
static inline bool cw_core__uses_texture(const struct cw_core *c, const struct cw_mem_inst *m)
{
    return c->texture.sets != 0 && m->space == CW_SPACE_GLOBAL && m->uop->op == CW_OP_LD && (m->uop->flags & CW_UF_NC) != 0;
}

static inline uint32_t cw_core__pc(const struct cw_core *c, uint32_t w)
{
    return c->front[w].pc;
}

/* Lanes of 32 that are at home in one slot, with the registers that they use. */
struct cw_part {
    const struct cw_exec *x;
    uint32_t home, lanes;
};

/* Part i of a half of the warp, whose threads are `dynamic`; false: there are no more. */
static inline bool cw_core__part(const struct cw_core *c, const struct cw_dynamic_warp *dynamic, uint32_t w, uint32_t half, uint32_t i,
                                 struct cw_part *part)
{
    if (__builtin_expect(dynamic == NULL, 1)) {
        *part = (struct cw_part){&c->warp[w].x[half], w, UINT32_MAX};
        return i == 0;
    }
    if (i >= dynamic->cnt)
        return false;
    *part = (struct cw_part){&c->warp[dynamic->part[i].home].x[0], dynamic->part[i].home, dynamic->part[i].lanes};
    return true;
}

/* The slot in which the thread in a lane of the warp is at home. */
static inline uint32_t cw_core__home(const struct cw_core *c, const struct cw_dynamic_warp *dynamic, uint32_t w, uint32_t lane)
{
    struct cw_part p;
    for (uint32_t i = 0; dynamic != NULL && cw_core__part(c, dynamic, w, 0, i, &p); i++)
        if ((p.lanes >> lane & 1u) != 0)
            return p.home;
    return w;
}

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

/* The sectors of a line of L1 and L2 that a read-only cache's line of so many bytes is. */
static inline uint8_t cw_core__sectors(const struct cw_core *c, uint64_t line, uint32_t bytes)
{
    return (uint8_t)(((1u << bytes / CW_SECTOR_BYTES) - 1) << (line & (c->line_bytes - 1)) / CW_SECTOR_BYTES);
}

/* The mechanisms' tick of this cycle may be over: what they have just been told must bring them another one. */
static inline void cw_core__tell_mechanisms(struct cw_core *c)
{
    const cw_time next = c->now + c->period;
    c->mech_next = next < c->mech_next ? next : c->mech_next;
}

/* ready.c */
/* Works out when the warp's next instruction may issue and puts the warp into the ready mask or the wheel; a warp that waits for an event
 * leaves both. To be called after anything that changes the warp's front, wait, scoreboard or not_before. */
void cw_core__requeue(struct cw_core *c, uint32_t w);
/* Whether a warp in the ready mask may still issue: of dynamic warps with threads of one home another one may have issued since. A warp
 * that may not leaves the mask. */
bool cw_core__still_ready(struct cw_core *c, uint32_t w);
/* The destinations of op may be used by the warp's threads from cycle on. */
static inline void cw_core__set_slots(struct cw_core *c, const struct cw_dynamic_warp *dynamic, uint32_t w, const struct cw_issue_op *op,
                                      uint64_t cycle)
{
    if (__builtin_expect(dynamic == NULL, 1))
        cw_scoreboard_set(c->warp[w].slot_cycle, op, cycle);
    for (uint32_t i = 0; dynamic != NULL && i < dynamic->cnt; i++)
        cw_scoreboard_set(c->warp[dynamic->part[i].home].slot_cycle, op, cycle);
}
/* With core.scoreboard=warp: the instruction of these threads is complete from cycle on. */
static inline void cw_core__set_done(struct cw_core *c, const struct cw_dynamic_warp *dynamic, cw_lanes lanes, uint64_t cycle)
{
    for (uint32_t i = 0; i < dynamic->cnt; i++)
        for (uint32_t left = dynamic->part[i].lanes & (uint32_t)lanes; left != 0; left &= left - 1)
            c->thread_done[dynamic->part[i].home * CW_LANES + (uint32_t)__builtin_ctz(left)] = cycle;
}
/* A load of threads of these blocks has its values: dynamic warps that waited for it go on. */
void cw_core__loaded(struct cw_core *c, uint32_t blocks);

/* stall.c; only where c->stalls is there */
/* NULL: no memory. */
struct cw_stalls *cw_core__stalls_create(const struct cw_core *c);
/* A launch's registers. CW_ENOMEM. */
int cw_core__stalls_prepare(struct cw_core *c, const struct cw_kernel *kernel, struct cw_error *err);
void cw_core__stalls_destroy(struct cw_stalls *s);
/* The warp has just been put into the ready mask or the wheel, or waits for an event. */
void cw_core__stalls_note(struct cw_core *c, uint32_t w);
/* The instruction issues, unless it is refused. */
void cw_core__stalls_issue(struct cw_core *c, uint32_t w, const struct cw_issue_op *op);
/* Counts the cycles up to that one, exclusive. */
void cw_core__stalls_charge(struct cw_core *c, uint64_t cycle);
/* At the end of a tick: why each scheduler does not issue, from this cycle on. */
void cw_core__stalls_judge(struct cw_core *c);

/* warp.c */
/* Counts active cycles up to cycle (exclusive). */
void cw_core__account(struct cw_core *c, uint64_t cycle);
void cw_core__exit_lanes(struct cw_core *c, uint32_t w, cw_lanes lanes);
/* With dynamic warps: the block gives its slots back when its threads have exited and its memory instructions are back. */
void cw_core__free_block(struct cw_core *c, uint32_t block);
/* What struct cw_control_host asks; context is the core. */
void cw_core__form(void *context, uint32_t warp, cw_lanes lanes, const uint8_t *home, bool fetched);
/* A warp whose threads have exited and whose memory instructions are back gives its slot back. */
void cw_core__free_warp(struct cw_core *c, uint32_t w);

/* issue.c */
void cw_core__issue_tick(struct cw_core *c);
/* Targets of a brx, by lane, of the active lanes; false: a lane's index is beyond the table, and a fault was raised. */
bool cw_core__indexed_targets(struct cw_core *c, uint32_t w, const struct cw_uop *u, uint32_t pc, cw_lanes mask, uint32_t *target);
/* The fault of TRAP and BRKPT by these lanes. */
void cw_core__trap(struct cw_core *c, uint32_t w, const struct cw_uop *u, cw_lanes mask);

/* bounds.c */
/* Lanes of one space in one half of a warp. */
struct cw_mem_part {
    uint32_t warp, half, space, lanes;
    uint32_t bytes; /* of each lane */
    const struct cw_uop *uop;
    const struct cw_issue_op *op;
    const uint64_t *addr; /* of 32 lanes */
};
/* Lanes that the user lets go on outside of device memory leave the part, with their results. false: the run has ended with a fault. */
bool cw_core__check_bounds(struct cw_core *c, struct cw_mem_part *part);

/* lsu.c; those that return something: whether all is well; if not, a fault was raised */
/* Generic addresses of the lanes of mask: each lane's window decides; addr becomes the offset in it. lanes[space] were 0. */
void cw_core__resolve(uint64_t addr[CW_LANES], uint32_t mask, uint32_t lanes[CW_SPACE_PARAM + 1]);
/* Works out part->bytes, and whether the part may be performed; lanes may leave it (cw_core__check_bounds). */
bool cw_core__check_part(struct cw_core *c, struct cw_mem_part *part);
/* What a store or an atomic brings, and zeros for a load of local memory. */
void cw_core__read_values(const struct cw_core *c, struct cw_mem_inst *m);
/* The lanes of a load that point to constant memory or to parameters, each space an access of its own; without a constant cache at once. */
bool cw_core__load_constants(struct cw_core *c, struct cw_mem_part p, const uint32_t lanes[CW_SPACE_PARAM + 1],
                             struct cw_core_inst **leader);

/* registers.c */
/* Operand o of a half of the warp, whose threads are `dynamic`: all its lanes. */
void cw_core__read_operand(const struct cw_core *c, const struct cw_dynamic_warp *dynamic, uint32_t w, uint32_t half, struct cw_opnd o,
                           uint64_t out[CW_LANES]);
/* The same of all lanes of the warp. */
void cw_core__read_warp(const struct cw_core *c, uint32_t w, struct cw_opnd o, uint64_t out[CW_WARP_LANES_MAX]);
/* Address operand and offset of a memory instruction, all lanes of the half. */
void cw_core__read_addresses(const struct cw_core *c, uint32_t w, uint32_t half, const struct cw_uop *u, uint64_t addr[CW_LANES]);
/* Writes registers from inst->value for lanes. */
void cw_core__write_back(struct cw_core *c, const struct cw_mem_inst *inst, cw_lanes lanes);
void cw_core__write_old(struct cw_core *c, const struct cw_mem_inst *inst, cw_lanes lanes, const uint64_t old[CW_LANES]);
/* Values of one destination, whose register has 32 or 64 bits, in these lanes of the warp. */
void cw_core__write_warp(struct cw_core *c, uint32_t w, struct cw_opnd o, uint32_t type, cw_lanes lanes,
                         const uint64_t value[CW_WARP_LANES_MAX]);

/* flush.c */
/* Asks for the lines of these kinds (enum cw_core_lines) to be written back. Returns the number of the job that does it. */
uint32_t cw_core__flush_ask(struct cw_core *c, uint32_t kinds);
bool cw_core__flushed(const struct cw_core *c, uint32_t job);
/* The tag of a write-back that is not of a kept line. */
static inline uint32_t cw_core__flush_tag(const struct cw_core *c)
{
    return c->flush.generation;
}
/* The acknowledgement of a write-back of global memory. */
void cw_core__written_back(struct cw_core *c, uint32_t tag);
/* Dirty lines of global memory that nobody keeps, or such on their way. */
bool cw_core__has_dirty(const struct cw_core *c);
void cw_core__flush_tick(struct cw_core *c);

/* flush.c: lines that a mechanism keeps */
/* Whether a mechanism keeps the line of persistent memory. */
static inline bool cw_core__is_kept(const struct cw_core *c, uint64_t line)
{
    return c->keeper != NULL && cw_memory_is_pm(line);
}
/* The keeper lets a store be performed, in its line of the L1 or, with NULL, past the L1. false: not now; it has the pipe tried again. */
bool cw_core__keeper_stores(struct cw_core *c, const struct cw_pipe_entry *e, const struct cw_l1_line *line);
/* What the warp waits for before a mechanism's instruction may have come. */
void cw_core__settled(struct cw_core *c, uint32_t w);

/* tell.c */
/* To the mechanisms. warp: who did it; CW_CORE_WARPS_MAX: the cache itself. */
void cw_core__tell_line(struct cw_core *c, enum cw_l1_event what, uint64_t line, uint32_t warp);
/* To those who listen: each lane has stored, or is about to by an atomic. */
void cw_core__tell_stores(struct cw_core *c, const struct cw_pipe_entry *e);
/* A memory instruction issues, where CW_SOCKET_PM or CW_SOCKET_PROGRAM is taken: it gets its number. */
void cw_core__stamp(struct cw_core *c, struct cw_core_inst *inst);
/* Where CW_SOCKET_PROGRAM is taken: a load in a region has its values in the registers of these lanes. */
void cw_core__tell_region_loads(const struct cw_core *c, const struct cw_core_inst *inst, cw_lanes lanes);
/* The same of what has its value outside of regions, if it can order threads. */
void cw_core__tell_completed(const struct cw_core *c, const struct cw_core_inst *inst);
/* The following are called where CW_SOCKET_PM is taken. */
/* It is complete; if it is a load, its values have come. */
void cw_core__tell_reads(const struct cw_core *c, const struct cw_core_inst *inst);
/* For CW_EVENT_STRONG, where it is wanted: a load has its values; an atomic what it has found; an atomic of shared memory is performed; lanes
 * of a warp exchange values. */
void cw_core__tell_loads(const struct cw_core *c, const struct cw_core_inst *inst);
void cw_core__tell_old(const struct cw_core *c, const struct cw_mem_inst *m, cw_lanes lanes, const uint64_t *old);
void cw_core__tell_shared_atomic(const struct cw_core *c, const struct cw_mem_inst *m, uint32_t lane, uint64_t old, uint64_t value);
void cw_core__tell_exchange(const struct cw_core *c, uint32_t w, cw_lanes lanes);
static inline bool cw_core__wants_strong(const struct cw_core *c)
{
    return __builtin_expect(cw_events_want(c->cfg.stream, CW_EVENT_STRONG), 0);
}
/* For the sanitizer: a memory instruction issues, with its addresses and what it stores. */
void cw_core__tell_lanes(const struct cw_core *c, const struct cw_mem_inst *m);
static inline void cw_core__issued(const struct cw_core *c, const struct cw_mem_inst *m)
{
    if (__builtin_expect(cw_events_want(c->cfg.stream, CW_EVENT_LANES), 0))
        cw_core__tell_lanes(c, m);
}
/* For the sanitizer: lanes of a warp synchronise (enum cw_event_sync); id: of a barrier. */
void cw_core__tell_sync(const struct cw_core *c, uint32_t w, enum cw_event_sync kind, cw_lanes lanes, uint32_t id);
static inline void cw_core__synced(const struct cw_core *c, uint32_t w, enum cw_event_sync kind, cw_lanes lanes, uint32_t id)
{
    if (__builtin_expect(cw_events_want(c->cfg.stream, CW_EVENT_SYNC), 0))
        cw_core__tell_sync(c, w, kind, lanes, id);
}
/* The same of a block whose barrier lets its threads go on. */
void cw_core__tell_pass(const struct cw_core *c, uint32_t block, uint32_t id);
/* The warp's threads are new. */
void cw_core__tell_begin(const struct cw_core *c, uint32_t w, cw_time now);
/* A fence, or a call that orders persists, has issued. */
void cw_core__tell_fence(struct cw_core *c, uint32_t w, const struct cw_uop *u, cw_lanes lanes);
void cw_core__tell_call(struct cw_core *c, const struct cw_core_call *call);
/* A message with bytes of persistent memory, if they are that, leaves: it gets its number. */
void cw_core__persist_leaves(struct cw_core *c, struct cw_message *p);

/* packet.c */
struct cw_message *cw_core__packet(struct cw_core *c, const struct cw_pipe_entry *e);
/* A write of the warp leaves, and comes back as its acknowledgement; memory fences wait for that. */
void cw_core__expect_ack(struct cw_core *c, struct cw_message *p, uint8_t flight);
/* Writes the line's dirty bytes back, and leaves them in the L1; false when the crossbar has no room. Nobody waits for a write-back of
 * local memory: later misses of the line follow it on the same path. One of global memory is acknowledged with the tag. */
bool cw_core__write_line(struct cw_core *c, struct cw_l1_line *e, uint32_t tag);
/* Asks for those sectors of the line. */
void cw_core__send_miss(struct cw_core *c, uint64_t line, uint8_t sectors, uint32_t tag);
static inline bool cw_core__crossbar_takes(const struct cw_core *c, uint32_t flits)
{
    return cw_crossbar_can_push(c->cfg.up, c->cfg.index, flits, c->now);
}
static inline bool cw_core__miss_has_room(const struct cw_core *c)
{
    return cw_core__crossbar_takes(c, (c->config->noc_header_bytes + c->config->noc_flit_bytes) / c->config->noc_flit_bytes);
}

/* line.c */
/* Device address of the 32-bit word that holds byte `offset` of the local memory of a lane at home in the slot; lane of that half. */
uint64_t cw_core__local_word(const struct cw_core *c, uint32_t home, uint32_t half, uint32_t lane, uint64_t offset);
/* Bytes of the line that an access touches. */
void cw_core__touched(const struct cw_core *c, const struct cw_pipe_entry *e, uint64_t mask[2]);
/* Values of an access's lanes to or from the bytes of its line. */
void cw_core__values_to_line(const struct cw_core *c, const struct cw_pipe_entry *e, uint8_t *line);
void cw_core__values_from_line(const struct cw_core *c, const struct cw_pipe_entry *e, const uint8_t *line);

/* shared.c */
/* Performs the access and occupies the banks; only when they are free. */
void cw_core__shared_access(struct cw_core *c, struct cw_core_inst *inst);
/* Performs it, without time. */
void cw_core__shared_perform(struct cw_core *c, struct cw_mem_inst *m);

/* barrier.c */
void cw_core__barrier(struct cw_core *c, uint32_t w, const struct cw_uop *u, cw_lanes mask);
void cw_core__barrier_exit(struct cw_core *c, struct cw_block *b);

/* converge.c: core.convergence=check. */
/* Tells the sanitizer when the lanes of the mask come to a barrier without others of their warp. */
void cw_core__find_divergent(struct cw_core *c, uint32_t w, const struct cw_uop *u, cw_lanes mask);
/* Each of the following two returns whether all is well; if not, a fault was raised. */
/* The instruction's membermask names lanes that have come; mask: those that execute it, which are not all of the warp. */
bool cw_core__members_came(struct cw_core *c, uint32_t w, const struct cw_uop *u, cw_lanes mask);
/* For the sanitizer: at a branch, and where some lanes change memory: whether the warp is whole. */
void cw_core__note_side(struct cw_core *c, uint32_t w, cw_lanes stores);
/* For the sanitizer: lanes that their own membermask does not name. */
void cw_core__find_strangers(struct cw_core *c, uint32_t w, const struct cw_uop *u, cw_lanes mask);
/* The lanes of the mask arrive at a barrier, and none of them has been passed over at one. Notes who is passed over here. */
bool cw_core__arrives(struct cw_core *c, uint32_t w, const struct cw_uop *u, cw_lanes mask);
/* A barrier without a count lets the block go on: so it does in the name of threads that a stack of the block keeps below. */
void cw_core__pass_over_held(struct cw_core *c, const struct cw_block *block, uint32_t line);

/* print.c */
/* PRINT_WORD, PRINT and ASSERT by these lanes. false: a fault was raised. */
bool cw_core__print(struct cw_core *c, uint32_t w, const struct cw_uop *u, cw_lanes mask);

/* order.c */
/* The block of the warp has synchronised. */
void cw_core__order_block(struct cw_core *c, uint32_t block);
/* Whether what comes before the release at the warp's front is performed at that scope. false: the warp waits, and tries again. */
bool cw_core__order_release(struct cw_core *c, uint32_t w, uint8_t scope);
/* An acquire by the core at that scope: loads from here on, of L1 and texture cache, find nothing that other cores may have overwritten. */
void cw_core__order_acquired(struct cw_core *c, uint8_t scope);
/* The last access of a generation is performed. */
void cw_core__order_drained(struct cw_core *c, uint32_t block);

/* Cycle in which an instruction that issues now is in its unit when it passes the operand collectors by: entry, collector, exit. */
static inline uint64_t cw_core__past_collectors(const struct cw_core *c)
{
    return c->cycle + (c->collects ? 3 * c->stage : 0);
}

/* The generation to which an access of the warp belongs that sets out now. */
static inline uint8_t cw_core__order_flight(const struct cw_core *c, uint32_t w)
{
    const uint32_t order = c->mixes ? 0 : c->warp[w].block; /* one order for all blocks where warps mix them */
    return (uint8_t)(2 * order + (c->order[order].generation & 1u));
}

/* An access of that generation sets out; cw_core__order_done is told when it is performed. */
static inline void cw_core__order_begin(struct cw_core *c, uint8_t flight)
{
    c->order[flight / 2].flight[flight % 2]++;
}

static inline void cw_core__order_done(struct cw_core *c, uint8_t flight)
{
    struct cw_order *o = &c->order[flight / 2];
    if (--o->flight[flight % 2] == 0 && o->is_owed)
        cw_core__order_drained(c, flight / 2);
}

/* saved.c */
void cw_core__state(void *self, struct cw_state *s);

/* report.c */
void cw_core__fault(struct cw_core *c, uint32_t w, uint32_t lane, const struct cw_uop *u, int status, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* Whether the sanitizer looks for that. */
static inline bool cw_core__checks(const struct cw_core *c, enum cw_check check)
{
    return (c->cfg.checks & (uint32_t)check) != 0;
}
/* Tells the sanitizer; bytes at an address of the instruction's space, or 0. */
void cw_core__find(struct cw_core *c, enum cw_check check, uint32_t w, uint32_t lane, const struct cw_uop *u, uint64_t addr, uint32_t bytes,
                   const char *fmt, ...) __attribute__((format(printf, 8, 9)));
/* Tells the user, once per line of the file, what PTX leaves open and a lane has done (struct cw_exec). */
void cw_core__tell_open(const struct cw_core *c, const struct cw_uop *u, const struct cw_exec *x, enum cw_exec_open what, uint32_t lane,
                        uint32_t other);
/* The warp did something that a spinning warp does not do. */
static inline void cw_core__progress(struct cw_core *c, struct cw_warp *warp)
{
    warp->spin = 0;
    if (c->cfg.progress != NULL)
        ++*c->cfg.progress;
}
void cw_core__backward_branch(struct cw_core *c, struct cw_warp *warp, const struct cw_uop *u);

#endif
