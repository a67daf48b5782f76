/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocks floor: blocks and warps begin and end, barriers, the order of accesses, regions, and instructions fetched.
 */
#ifndef CW_CORE_BLOCKS_BLOCKS_H
#define CW_CORE_BLOCKS_BLOCKS_H

#include "core/blocks/fetch.h"
#include "core/blocks/room.h"
#include "core/cache/cache.h"

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

struct cw_core_blocks {
    struct cw_core_cache cache; /* The floor below; it comes first, so both have one address. */
    struct cw_flush flush;
    uint64_t control_next; /* cycle in which the policy's tick has to be called; CW_CYCLE_NEVER */
    struct cw_room room;
    struct cw_fetch_port fetch;
    uint32_t result_stages;          /* cycles of an instruction behind its unit */
    uint64_t *starts_at;             /* [slot], where warps are dynamic: the first cycle of the threads at home there */
    uint16_t epoch;                  /* synchronisations of block scope, modulo 2^16 */
    uint8_t *shared;                 /* the shared memory of all blocks */
    struct cw_dynamic_warp *dynamic; /* [warp]; NULL: the policy does not regroup threads */
    const struct cw_uop *
        *bar_insn; /* where warps mix blocks: [home * CW_LANES + lane]: of a thread in bar_waiting, the barrier at which it waits */
    const struct cw_core_mech *region; /* the mechanism with regions; NULL: none */
    const struct cw_core_mech *keeper; /* the one that keeps lines of persistent memory in the L1; NULL: none */
};

/* warp.c */
/* Counts active cycles up to cycle (exclusive). */
void cw_core__account(struct cw_core_blocks *blocks, uint64_t cycle);
void cw_core__exit_lanes(struct cw_core_blocks *blocks, uint32_t w, cw_lanes lanes);
/* With dynamic warps: the block gives its slots back when its threads have exited and its memory instructions are back. */
void cw_core__free_block(struct cw_core_blocks *blocks, uint32_t block);
/* What struct cw_control_host asks. */
void cw_core__form(struct cw_core_blocks *blocks, uint32_t warp, cw_lanes lanes, const uint8_t *home, bool fetched);
void cw_core__go(struct cw_core_blocks *blocks, uint32_t warp);
/* A warp whose threads have exited and whose memory instructions are back gives its slot back. */
void cw_core__free_warp(struct cw_core_blocks *blocks, uint32_t w);
/* flush.c */
/* Asks for the lines of these kinds (enum cw_core_lines) to be written back. Returns the number of the job that does it. */
uint32_t cw_core__flush_ask(struct cw_core_blocks *blocks, uint32_t kinds);
bool cw_core__flushed(const struct cw_core_blocks *blocks, uint32_t job);
/* The tag of a write-back that is not of a kept line. */
static inline uint32_t cw_core__flush_tag(const struct cw_core_blocks *blocks)
{
    return blocks->flush.generation;
}
/* The acknowledgement of a write-back of global memory. */
void cw_core__written_back(struct cw_core_blocks *blocks, uint32_t tag);
/* Dirty lines of global memory that nobody keeps, or such on their way. */
bool cw_core__has_dirty(const struct cw_core_blocks *blocks);
void cw_core__flush_tick(struct cw_core_blocks *blocks);
/* flush.c: lines that a mechanism keeps */
/* Whether a mechanism keeps the line of persistent memory. */
static inline bool cw_core__is_kept(const struct cw_core_blocks *blocks, uint64_t line)
{
    return blocks->keeper != NULL && cw_memory_is_pm(line);
}
/* The keeper lets a store be performed, in its line of the L1 or, with NULL, past the L1. false: not now; it has the pipe tried again. */
bool cw_core__keeper_stores(struct cw_core_blocks *blocks, const struct cw_pipe_entry *e, const struct cw_l1_line *line);
/* What the warp waits for before a mechanism's instruction may have come. */
void cw_core__settled(struct cw_core_blocks *blocks, uint32_t w);
/* barrier.c */
void cw_core__barrier(struct cw_core_blocks *blocks, uint32_t w, const struct cw_uop *u, cw_lanes mask);
/* Whether the lanes, before they arrive, wait for the others of their warp. */
bool cw_core__barrier_waits(struct cw_core_blocks *blocks, uint32_t w, const struct cw_uop *u, cw_lanes mask);
void cw_core__barrier_exit(struct cw_core_blocks *blocks, struct cw_block *b);
/* converge.c: core.convergence=check. */
/* Whether the lanes stay at their instruction until these have come too, and others run (control.h, await). */
bool cw_core__awaits(struct cw_core_blocks *blocks, uint32_t w, cw_lanes lanes, cw_lanes named, uint32_t id);
/* Tells the sanitizer when the lanes of the mask come to a barrier without others of their warp. */
void cw_core__find_divergent(struct cw_core_blocks *blocks, uint32_t w, const struct cw_uop *u, cw_lanes mask);
/* Where lanes wait for each other at barriers: finds lanes of the group whose guard is false, which bar.sync forbids. */
void cw_core__find_guarded(struct cw_core_blocks *blocks, uint32_t w, const struct cw_uop *u, cw_lanes mask);
/* The run has come to a stop: finds lanes of the warp that wait at an operation across lanes. Returns whether there are any. */
bool cw_core__find_waiting_lanes(struct cw_core_blocks *blocks, uint32_t w);
/* Each of the following two returns whether all is well; if not, a fault was raised. */
/* The instruction's membermask names lanes that have come; mask: those that execute it, which are not all of the warp. */
bool cw_core__members_came(struct cw_core_blocks *blocks, uint32_t w, const struct cw_uop *u, cw_lanes mask);
/* For the sanitizer: at a branch, and where some lanes change memory: whether the warp is whole. */
void cw_core__note_side(struct cw_core_blocks *blocks, uint32_t w, cw_lanes stores);
/* For the sanitizer: lanes that their own membermask does not name. */
void cw_core__find_strangers(struct cw_core_blocks *blocks, uint32_t w, const struct cw_uop *u, cw_lanes mask);
/* The lanes of the mask arrive at a barrier, and none of them has been passed over at one. Notes who is passed over here. */
bool cw_core__arrives(struct cw_core_blocks *blocks, uint32_t w, const struct cw_uop *u, cw_lanes mask);
/* A barrier without a count lets the block go on: so it does in the name of threads that a stack of the block keeps below. */
void cw_core__pass_over_held(struct cw_core_blocks *blocks, const struct cw_block *block, uint32_t line);
/* In together.c: active lanes that execute another instruction of the operation across lanes than the front's; 0 almost always. */
cw_lanes cw_core__guests(const struct cw_core_warps *warps, uint32_t w);
/* Active lanes by their own instructions. Returns how many there are. */
uint32_t cw_core__sides(const struct cw_core_warps *warps, uint32_t w, cw_lanes lanes, struct cw_exec_side side[CW_LANES]);
/* The same of all active lanes whose guards are true. */
uint32_t cw_core__guarded_sides(const struct cw_core_warps *warps, uint32_t w, struct cw_exec_side side[CW_LANES]);
/* order.c */
/* The block of the warp has synchronised. */
void cw_core__order_block(struct cw_core_blocks *blocks, uint32_t block);
/* Whether what comes before the release at the warp's front is performed at that scope. false: the warp waits, and tries again. */
bool cw_core__order_release(struct cw_core_blocks *blocks, uint32_t w, uint8_t scope);
/* An acquire by the core at that scope: loads from here on, of L1 and texture cache, find nothing that other cores may have overwritten. */
void cw_core__order_acquired(struct cw_core_blocks *blocks, uint8_t scope);
/* The last access of a generation is performed. */
void cw_core__order_drained(struct cw_core_blocks *blocks, uint32_t block);
static inline void cw_core__order_done(struct cw_core_blocks *blocks, uint8_t flight)
{
    struct cw_order *o = &blocks->cache.warps.order[flight / 2];
    if (--o->flight[flight % 2] == 0 && o->is_owed)
        cw_core__order_drained(blocks, flight / 2);
}
/* A line of the instruction cache has come. */
void cw_core__code_fill(struct cw_core_blocks *blocks, uint32_t mshr);
/* Answers all who have asked. */
void cw_core__fetch_tick(struct cw_core_blocks *blocks);
/* A warp of the core does nothing for so many cycles: a back-off, or a sleep. */
void cw_core__note_wait(struct cw_core_blocks *blocks, uint64_t cycles);
/* false: not now. */
bool cw_core__region_begin(struct cw_core_blocks *blocks, uint32_t w, cw_lanes active, cw_lanes mask);
void cw_core__region_reach(struct cw_core_blocks *blocks, uint32_t w, cw_lanes mask);
/* No lane of the attempt is left to run, and its memory instructions are back. */
void cw_core__region_drained(struct cw_core_blocks *blocks, uint32_t w);
/* What core.h declares of the whole core. */
bool cw_core__can_take_block(const struct cw_core_blocks *blocks);
void cw_core__start_block(struct cw_core_blocks *blocks, const uint32_t ctaid[3], cw_time now);
void cw_core__end_kernel(struct cw_core_blocks *blocks, cw_time now);
bool cw_core__keeps(const struct cw_core_blocks *blocks, uint64_t addr, uint64_t bytes);
void cw_core__find_waiting(struct cw_core_blocks *blocks);
void cw_core__wake_warp(struct cw_core_blocks *blocks, uint32_t warp, cw_time now);
void cw_core__region_abort(struct cw_core_blocks *blocks, uint32_t warp, cw_lanes lanes);
void cw_core__region_end(struct cw_core_blocks *blocks, uint32_t warp, cw_time now, cw_time restart);
cw_lanes cw_core__region_lanes(const struct cw_core_blocks *blocks, uint32_t warp);
cw_lanes cw_core__region_aborted(const struct cw_core_blocks *blocks, uint32_t warp);
uint32_t cw_core__attempt(const struct cw_core_blocks *blocks, uint32_t warp);
uint32_t cw_core__flush_lines(struct cw_core_blocks *blocks, uint32_t kinds);
void cw_core__forget_lines(struct cw_core_blocks *blocks, uint32_t kinds);
bool cw_core__write_line_back(struct cw_core_blocks *blocks, uint32_t index);
void cw_core__drop_line(struct cw_core_blocks *blocks, uint32_t index);
bool cw_core__settle(struct cw_core_blocks *blocks, uint32_t warp, bool all);

#endif
