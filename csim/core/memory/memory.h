/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory floor: memory instructions on their way through the load/store unit, shared memory, constant memory, L1 and crossbar.
 *
 * Order of memory accesses: instructions of a core enter one queue in issue order, their line accesses one pipe, from there the crossbar
 * input, and a partition serves a line's requests in arrival order; L1 write-backs enter the crossbar before a later miss of the same line.
 * So accesses of one warp (and of one core) to one address are performed in program order. Accesses in a region leave the queue by
 * another door: they wait until the warp's earlier accesses have left the pipe.
 */
#ifndef CW_CORE_MEMORY_MEMORY_H
#define CW_CORE_MEMORY_MEMORY_H

#include "core/blocks/blocks.h"
#include "core/memory/constants.h"
#include "core/memory/inst_pool.h"
#include "core/memory/lsu.h"
#include "core/memory/pipe.h"

#define CW_CHUNK_BYTES 128u /* core.coalesce=chunk */

/* Core cycles that something keeps its part of the load/store unit for; at least 1. */
struct cw_passes {
    uint32_t line;     /* an access to a line, or in one pipeline the accesses to one chunk */
    uint32_t miss;     /* one that leaves for memory */
    uint32_t shared;   /* a pass over the banks of shared memory */
    uint32_t constant; /* an address of the constant cache */
    uint32_t least;    /* An instruction of global, local or shared memory; at most 2 */
    uint32_t wide;     /* A pass of a wide access to shared memory; at most 2 */
    bool together;     /* Accesses to global and to shared memory take turns (core.mem_unit=one) */
};

struct cw_core_memory {
    struct cw_core_blocks blocks; /* The floor below; it comes first, so both have one address. */
    struct cw_lsu lsu;
    struct cw_access_pipe pipe;
    struct cw_inst_pool pool;
    struct cw_constants constants;
    struct cw_passes pass;
    uint32_t mem_stages;   /* cycles from the unit's start to the load/store unit's sight of a memory instruction */
    uint32_t write_stages; /* cycles of a load behind its data */
    bool unified;          /* one pipeline (core.pipeline=unified) */
    bool chunks;           /* core.coalesce=chunk, and lines are smaller */
    bool hostile;          /* core.memory=adversary: messages say what may pass them, and weak loads may go past the L1 */
    uint64_t whim;         /* the seed of that */
};

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
bool cw_core__check_bounds(struct cw_core_memory *memory, struct cw_mem_part *part);
/* lsu.c; those that return something: whether all is well; if not, a fault was raised */
/* Generic addresses of the lanes of mask: each lane's window decides; addr becomes the offset in it. lanes[space] were 0. */
void cw_core__resolve(uint64_t addr[CW_LANES], uint32_t mask, uint32_t lanes[CW_SPACE_PARAM + 1]);
/* Works out part->bytes, and whether the part may be performed; lanes may leave it (cw_core__check_bounds). */
bool cw_core__check_part(struct cw_core_memory *memory, struct cw_mem_part *part);
/* What a store or an atomic brings, and zeros for a load of local memory. */
void cw_core__read_values(const struct cw_core_memory *memory, struct cw_mem_inst *m);
/* The lanes of a load that point to constant memory or to parameters, each space an access of its own; without a constant cache at once. */
bool cw_core__load_constants(struct cw_core_memory *memory, struct cw_mem_part p, const uint32_t lanes[CW_SPACE_PARAM + 1],
                             struct cw_core_inst **leader);
/* shared.c */
/* Performs the access and occupies the banks; only when they are free. */
void cw_core__shared_access(struct cw_core_memory *memory, struct cw_core_inst *inst);
/* Performs it, without time. */
void cw_core__shared_perform(struct cw_core_memory *memory, struct cw_mem_inst *m);
/* An instruction from the pool; NULL when the host is out of memory. */
struct cw_core_inst *cw_core__inst_new(struct cw_core_memory *memory);
struct cw_core_inst *cw_core__inst_of(const struct cw_core_memory *memory, uint32_t index);
/* One chunk more, all free; false: the host is out of memory. Gives chunks back, of which none is used; the list of free ones is to be made
 * anew. */
bool cw_core__inst_grow(struct cw_core_memory *memory);
void cw_core__inst_shrink(struct cw_core_memory *memory, uint32_t chunks);
void cw_core__inst_done(struct cw_core_memory *memory, struct cw_core_inst *inst, uint64_t cycle);
/* With core.scoreboard=lane: a line has come with all that these lanes load. They wait no longer, whatever other lanes wait for. */
void cw_core__inst_lands(struct cw_core_memory *memory, struct cw_core_inst *inst, cw_lanes lanes, uint64_t cycle);
void cw_core__inst_answered(struct cw_core_memory *memory, struct cw_core_inst *inst, uint64_t cycle);
/* One of the warp's memory instructions is complete, or a store was acknowledged: whoever waited for that goes on. */
void cw_core__drained(struct cw_core_memory *memory, uint32_t w);
/* Whether the lanes' addresses are of the constant memory, or of the parameters, that there are. false: a fault was raised. */
bool cw_core__const_check(struct cw_core_memory *memory, const struct cw_mem_inst *m);
/* Without a constant cache: a load by lanes of one half, at these addresses, which have been checked. Returns when its registers are there. */
uint64_t cw_core__const_load(struct cw_core_memory *memory, struct cw_mem_inst *m, const struct cw_issue_op *op);
/* With one: the instruction's next line. */
enum cw_const_step cw_core__const_access(struct cw_core_memory *memory, struct cw_core_inst *i);
/* A line of the constant cache has come. */
void cw_core__const_fill(struct cw_core_memory *memory, uint32_t mshr);
/* A read of a special register, which is executed, takes its turn in the load/store unit (core.specials=memory); the register is there when
 * the unit has come to it. */
void cw_core__pass_special(struct cw_core_memory *memory, uint32_t w, const struct cw_issue_op *op, cw_lanes mask);
/* After an access has taken its stage: in one unit (core.mem_unit=one) both kinds have it. */
static inline void cw_core__lsu_together(struct cw_core_memory *memory)
{
    struct cw_lsu *const lsu = &memory->lsu;
    if (memory->pass.together)
        lsu->stage_free_at = lsu->shared_free_at = lsu->stage_free_at > lsu->shared_free_at ? lsu->stage_free_at : lsu->shared_free_at;
}
bool cw_core__issue_mem(struct cw_core_memory *memory, uint32_t w, const struct cw_uop *u, const struct cw_issue_op *op, cw_lanes mask);
/* The queue has an instruction. lsu.next is CW_CYCLE_NEVER before. */
void cw_core__lsu_tick(struct cw_core_memory *memory);
/* In one pipeline: whether a memory instruction keeps its stage, so that nothing issues. *until: it ends in that cycle; CW_CYCLE_NEVER:
 * when the load/store unit or its pipe moves. */
bool cw_core__memory_stalls(const struct cw_core_memory *memory, uint64_t *until);
bool cw_core__pipe_has_room(const struct cw_core_memory *memory);
void cw_core__pipe_push(struct cw_core_memory *memory, const struct cw_pipe_entry *e);
/* The pipe has an access. pipe.next is CW_CYCLE_NEVER before. */
void cw_core__pipe_tick(struct cw_core_memory *memory);
void cw_core__reply_tick(struct cw_core_memory *memory);
void cw_core__log_tick(struct cw_core_memory *memory);
/* The floor's stages in reverse order, so that what a stage passes on is seen in the next cycle. Most cycles have nothing in them. */
static inline void cw_core__memory_tick(struct cw_core_memory *memory)
{
    cw_core__reply_tick(memory);
    memory->pipe.next = CW_CYCLE_NEVER;
    if ((memory->pipe.cnt | memory->pipe.parked_cnt) != 0)
        cw_core__pipe_tick(memory);
    if (memory->pipe.log_cnt != 0)
        cw_core__log_tick(memory);
    memory->lsu.next = CW_CYCLE_NEVER;
    if (memory->blocks.cache.warps.mem_queue.cnt != 0)
        cw_core__lsu_tick(memory);
}
/* What core.h declares of the whole core. */
void cw_core__mem_done(struct cw_core_memory *memory, struct cw_mem_inst *inst, cw_time now);
bool cw_core__send(struct cw_core_memory *memory, struct cw_message *p, cw_time now);
bool cw_core__log_access(struct cw_core_memory *memory, uint32_t warp, uint32_t word, bool write, uint32_t cookie, cw_time now);
void cw_core__retry_store(struct cw_core_memory *memory);
bool cw_core__park(struct cw_core_memory *memory);
void cw_core__unpark(struct cw_core_memory *memory, uint32_t warp);
bool cw_core__take_shared(struct cw_core_memory *memory, cw_time now);
cw_time cw_core__hold_shared(struct cw_core_memory *memory, uint32_t cnt);
uint8_t *cw_core__shared_of(struct cw_core_memory *memory, uint32_t block);
uint32_t cw_core__shared_word(const struct cw_core_memory *memory, uint32_t block, uint32_t offset);
void cw_core__refuse(struct cw_core_memory *memory, const struct cw_mem_inst *inst, const char *text);

#endif
