/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIMT core: resident thread blocks and warps, schedulers, scoreboard, functional units, barriers, shared memory, load/store unit with L1.
 * One component in the core clock domain.
 *
 * Register values change when an instruction issues (registers are private to the warp) and the scoreboard holds back its dependents;
 * loads write their registers when the data arrives. Device memory is touched by messages to the partitions alone.
 *
 * A mechanism plugs in through struct cw_core_sockets: the core calls it, and it calls the services below, always from within the core's
 * own tick.
 */
#ifndef CW_CORE_CORE_H
#define CW_CORE_CORE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/component.h"
#include "base/config.h"
#include "base/error.h"
#include "base/stats.h"
#include "control/control.h"
#include "core/socket.h"
#include "cowarp/unit.h"
#include "event/event.h"
#include "event/finding.h"
#include "exec/exec.h"
#include "ir/module.h"
#include "mem/device_memory.h"
#include "msg/crossbar.h"
#include "msg/message.h"
#include "msg/trip.h"

struct cw_core;

/* One kernel launch, shared by all cores; owned by the GPU. */
struct cw_launch {
    const struct cw_kernel *kernel;
    const struct cw_module *module;
    const uint8_t *param; /* parameter block, kernel->param_bytes */
    uint32_t grid[3], block[3];
    uint32_t threads, warps; /* per block */
    uint32_t shared_bytes;   /* per block: static + dynamic + __local arguments */
    uint32_t shared_further; /* per block: what mechanisms take of shared memory, behind it */
    uint32_t dynamic_shared_bytes;
    uint32_t regs_per_thread;
    uint32_t gridid;
    /* Byte offsets, multiples of 256: of the kernel's first instruction from CW_PROGRAM_BASE, of the module's constants from CW_CONST_BASE, of
     * the launch's parameters from CW_PARAM_BASE. */
    uint64_t code_offset, const_offset, param_offset;
    bool static_warps;       /* a policy that regroups threads leaves them in their static warps, as far as it can */
    uint64_t local_base;     /* device address of local memory; layout in core_local.h */
    uint32_t local_bytes;    /* per thread, rounded up to 4; a mechanism's logs included */
    uint32_t log_offset;     /* byte offset of a mechanism's logs in each thread's local memory */
    uint64_t grid_workspace; /* see struct cw_exec */
};

/* Position of block n of the launch in its grid, x first. */
static inline void cw_launch_ctaid(const struct cw_launch *l, uint64_t n, uint32_t ctaid[3])
{
    ctaid[0] = (uint32_t)(n % l->grid[0]);
    ctaid[1] = (uint32_t)(n / l->grid[0] % l->grid[1]);
    ctaid[2] = (uint32_t)(n / l->grid[0] / l->grid[1]);
}

/* How many blocks of a launch a core has room for. */
struct cw_occupancy {
    uint32_t block_registers, block_shared; /* registers and bytes of shared memory of a block, in the units in which they are given out */
    /* Blocks for which each resource alone has room; 0: not even one; UINT32_MAX: a block needs nothing of it. Warps that exit leave room
     * before their block ends, so by_warps holds for blocks that have just begun. */
    uint32_t by_registers, by_shared, by_warps, by_blocks;
    uint32_t room; /* the least of these */
};

/* Needs the launch's warps, regs_per_thread and bytes of shared memory. */
void cw_core_occupancy(struct cw_occupancy *o, const struct cw_config *config, const struct cw_launch *launch);
/* The largest number of registers of a thread with which a core has room for so many blocks of so many warps; 0: there is none. */
uint32_t cw_core_registers_for(const struct cw_config *config, uint32_t blocks, uint32_t warps);

struct cw_dynamic_warp; /* threads of a warp that a policy has regrouped; the core's own */

/* A memory instruction of 32 lanes on its way through the load/store unit. An instruction of a warp of 64 lanes goes as two of these.
 * Pooled by the core. Lanes are counted within the part: lane l is lane 32 half + l of the warp. */
struct cw_mem_inst {
    const struct cw_uop *uop;
    const struct cw_dynamic_warp *dynamic; /* whose registers the lanes use; NULL: those of warp slot `warp` */
    uint32_t warp;
    uint32_t half;  /* 0: lanes 0 .. 31 of the warp, 1: lanes 32 .. 63 */
    cw_lanes lanes; /* active lanes, guard true */
    uint8_t space;  /* resolved: GLOBAL, LOCAL, SHARED, CONST */
    uint8_t elem_bytes, vec;
    uint64_t addr[CW_LANES];               /* device address (GLOBAL, CONST offset, SHARED offset in the block's slice; LOCAL: offset) */
    uint64_t value[CW_UOP_DSTS][CW_LANES]; /* ST: values, zero-extended bit patterns; LD: filled as data arrives */
    uint32_t accesses_pending;             /* line accesses not yet answered */
    uint32_t attempt;                      /* number of the warp's attempt when it was issued */
    struct cw_mem_inst *next;
};

struct cw_core_events {
    void *context;
    /* A block has finished; the GPU may give the core another one at its next tick. */
    void (*block_done)(void *context, uint32_t core);
    /* Illegal address, trap, unsupported situation: the run ends with this text. */
    void (*fault)(void *context, int status, const char *text);
    /* What a thread prints; NULL: nobody wants it. The text is not terminated. */
    void (*print)(void *context, const char *text, size_t length);
    /* One line for the user; NULL: nobody wants it. */
    void (*notice)(void *context, const char *text);
    /* The same, but once: what any core tells later of the same line of the file, with the same number `what`, is dropped. NULL: nobody
     * wants it. */
    void (*notice_once)(void *context, const char *file, uint32_t line, uint32_t what, const char *text);
    /* A thread does what the sanitizer looks for, and the run goes on. Called for what struct cw_core_config.checks has. */
    void (*finding)(void *context, const struct cw_finding *finding);
};

/* What an access to device memory does that lies in no allocation. */
enum cw_oob_mode {
    CW_OOB_FAULT, /* it ends the run */
    CW_OOB_WARN,  /* a load gives 0, a store and an atomic do nothing, and the user is told, once for each line */
    CW_OOB_ZERO   /* the same without a word */
};

#define CW_OOB_LINES 64u
struct cw_oob {
    enum cw_oob_mode mode;
    uint32_t told;
    struct {
        const struct cw_module *module;
        uint32_t line;
    } line[CW_OOB_LINES]; /* of which the user has been told */
};

struct cw_core_config {
    const struct cw_config *config;
    const struct cw_clocks *clocks;
    struct cw_stats *stats;
    const struct cw_memory *memory; /* to check addresses, and between launches; const space is read from the module */
    struct cw_message_pool *pool;
    const struct cw_unit_provider *units; /* for the control policy; may be NULL for one that has no units */
    struct cw_crossbar *up, *down;        /* requests enter up at source index; replies leave down at output index; NULL: the core is for
                                             functional launches alone (core/functional.h) and never ticks */
    uint32_t index;
    const struct cw_control_ops *control; /* policy of control flow */
    const struct cw_events *stream;       /* what happens is told here */
    struct cw_core_events events;
    struct cw_oob *oob;     /* of all cores; NULL: an access outside ends the run */
    uint32_t checks;        /* enum cw_check: of MEMORY and SYNC the core tells by events.finding, and lets the program go on */
    bool count_stalls;      /* count why schedulers do not issue (issue_* in base/stats.def); else those are 0. Nothing else changes */
    struct cw_trips *trips; /* With that: where requests are on their way; else NULL */
    uint64_t *progress;     /* counts what the livelock watchdog takes as progress: exits, stores, atomics that changed memory, commits */
};

int cw_core_create(struct cw_core **out, const struct cw_core_config *config, struct cw_error *err);
void cw_core_destroy(struct cw_core *c);
/* From now on the core tells these what it tells, and not those that it was created with. */
void cw_core_hear(struct cw_core *c, const struct cw_core_events *events);
struct cw_component *cw_core_component(struct cw_core *c);
/* Attaches a mechanism, in the order of the GPU's list, before the first launch. sockets may be NULL (it takes none in the core),
 * intrinsics too (it has none); self is the mechanism's object for this core. */
int cw_core_attach(struct cw_core *c, const struct cw_core_sockets *sockets, void *self, const struct cw_intrinsic *intrinsics,
                   struct cw_error *err);

/* Fixes the launch for the blocks to come: sizes registers and SIMT stacks. CW_EINVAL when not even one block fits (err says which
 * resource). */
int cw_core_prepare(struct cw_core *c, const struct cw_launch *launch, struct cw_error *err);
/* Around a launch: its schedulers' cycles are counted from that core cycle on, and up to that one, exclusive. From outside the core's tick;
 * the second at any time between, too. idle: what a scheduler without a warp counts as from then on; CW_STALL_ISSUED: as before. */
void cw_core_count_from(struct cw_core *c, uint64_t cycle);
void cw_core_count_until(struct cw_core *c, uint64_t cycle, enum cw_stall idle);
/* What is counted late, active cycles and their classes, is counted up to that core cycle. A launch that fails leaves it out otherwise. */
void cw_core_count_late(struct cw_core *c, uint64_t cycle);
/* Whether another block of the prepared launch fits now (threads, blocks, registers, shared memory). */
bool cw_core_can_take_block(const struct cw_core *c);
void cw_core_start_block(struct cw_core *c, const uint32_t ctaid[3], cw_time now);
/* All blocks of the launch have finished, on all cores: dirty lines of the L1 are written back. From outside the core's tick. */
void cw_core_end_kernel(struct cw_core *c, cw_time now);
/* No warp resident and nothing outstanding (stores acknowledged, logs sent). */
bool cw_core_idle(const struct cw_core *c);
/* Whether the L1 has a dirty line with some of these bytes, which at rest is one that a mechanism keeps. */
bool cw_core_keeps(const struct cw_core *c, uint64_t addr, uint64_t bytes);
/* Between launches: a cold L1, where only dirty lines that a mechanism keeps stay, and caches that only read as icache.launch, const.launch and
 * texture.launch say. What the host or a kernel has written since is seen, constants after cw_core_forget_constants. */
void cw_core_flush(struct cw_core *c);
void cw_core_forget_constants(struct cw_core *c);
/* One line per resident warp: PC, PTX line, SIMT stack, what it waits for. */
void cw_core_report(const struct cw_core *c, FILE *out);
/* The run has come to a stop. With CW_CHECK_SYNC: tells the sanitizer of a thread of each block that waits at a barrier. */
void cw_core_find_waiting(struct cw_core *c);
/* A warp that polls memory in vain, for the livelock report: its active lanes run a loop with an atomic or a volatile load that has changed
 * nothing for `iterations` backward branches. When `waiting` is not 0, those lanes of the same warp cannot run before the loop ends: if one
 * of them is to end it (it holds the lock), that is a SIMT deadlock (Fung 2015, Example 5). */
struct cw_core_spin {
    uint32_t warp, pc, line; /* line in the PTX file */
    cw_lanes lanes, waiting;
    uint32_t iterations;
    uint32_t ctaid[3];
    const struct cw_uop *poll; /* its last access to global memory that polled; NULL: it had none */
    uint64_t poll_at;          /* of the first lane: the address of the word */
};
/* Finds one such warp, one with waiting lanes first; false when there is none. */
bool cw_core_spin_report(const struct cw_core *c, struct cw_core_spin *spin);
/* A word in the core's L1. */
struct cw_core_copy {
    uint32_t value;
    bool dirty; /* written here, and not written back */
};
/* false: the L1 does not have it. addr: a multiple of 4. */
bool cw_core_copy_report(const struct cw_core *c, uint64_t addr, struct cw_core_copy *copy);
/* What warps have as a reason to stand still, or to try for long. Times are core cycles. */
struct cw_core_patience {
    bool backs_off;    /* A warp will issue in a cycle that is known: a back-off holds back its next attempt at a region, or it sleeps. */
    bool long_attempt; /* An attempt at a region has been running, or backing off, for longer than livelock_cycles, not 20 times as long. */
    uint64_t longest_back_off; /* Of all back-offs and sleeps so far. */
    uint64_t polls;            /* Polling iterations of warps that have had few of them, and long ones: grows while a loop computes. */
};
/* Adds what the core's warps have. still_cycles: for how long there has been no progress. */
void cw_core_add_patience(const struct cw_core *c, cw_time now, uint64_t livelock_cycles, uint64_t still_cycles,
                          struct cw_core_patience *p);
/* The core's warps, for those who look and change nothing (core/look.h). */
const struct cw_core_warps *cw_core_look(const struct cw_core *c);

/* ---- services for mechanisms; from within the core's own tick ---- */

/* The core asks the mechanism again on behalf of a warp that waits for it, or just looks at the warp again. */
void cw_core_wake_warp(struct cw_core *c, uint32_t warp, cw_time now);
/* Lanes of the running attempt abort: they run no further, and restart when it ends (Fung 2015, 4.2.1). When no lane is left the core calls
 * region_end with lanes = 0 once the warp's memory instructions are back. */
void cw_core_region_abort(struct cw_core *c, uint32_t warp, cw_lanes lanes);
/* The attempt is over: lanes that reached the region's end leave it, aborted ones begin again at `restart` (a time >= now, for back-off;
 * the core issues the warp again from then on). When none aborted, the warp goes on behind the region's end. */
void cw_core_region_end(struct cw_core *c, uint32_t warp, cw_time now, cw_time restart);
/* Lanes of the running attempt that have not aborted; those that have reached the end among them. */
cw_lanes cw_core_region_lanes(const struct cw_core *c, uint32_t warp);
/* Lanes that have aborted in this attempt. */
cw_lanes cw_core_region_aborted(const struct cw_core *c, uint32_t warp);
/* Number of the warp's attempt: it names the attempt in events. It grows from one attempt to the next of all warps that take the slot, so
 * that no name is used twice. */
uint32_t cw_core_attempt(const struct cw_core *c, uint32_t warp);
/* An access that the mechanism owns is complete: for a load, inst->value holds the element values of inst->lanes that did not abort (sign
 * or zero extension is the core's work). Registers are written, the scoreboard released, inst goes back to its pool. */
void cw_core_mem_done(struct cw_core *c, struct cw_mem_inst *inst, cw_time now);
/* Sends a message into the up crossbar. The caller has set kind, address and size (cw_message_size); core and partition are filled in
 * here. false: no space now. */
bool cw_core_send(struct cw_core *c, struct cw_message *p, cw_time now);
/* One access of a whole 128-byte log line (word `word` of all lanes) in the warp's local memory through the L1: byte offset = log_offset +
 * 4 * word. false: the L1 port is taken this cycle. log_done comes back with the cookie when the access is done (hit latency or miss). */
bool cw_core_log_access(struct cw_core *c, uint32_t warp, uint32_t word, bool write, uint32_t cookie, cw_time now);
/* Lines of global memory in the L1, by what they are of. */
enum cw_core_lines { CW_LINES_VOLATILE = 1, CW_LINES_PERSISTENT = 2 };
/* Asks for the dirty lines of these kinds (a set) to be written back, of l1.global=write-back; not for kept ones. Returns the number of the
 * job that does it: socket l1_flushed tells when they are acknowledged. */
uint32_t cw_core_flush_lines(struct cw_core *c, uint32_t kinds);
/* Loads from here on find nothing of these kinds in the L1 but what the core itself has written and not sent. */
void cw_core_forget_lines(struct cw_core *c, uint32_t kinds);
/* Writes the kept line with that index back; it stays in the L1, clean. l1_written tells of the acknowledgement. false: no room. */
bool cw_core_write_line_back(struct cw_core *c, uint32_t index);
/* The line with that index, which has just been written back, goes from the L1. */
void cw_core_drop_line(struct cw_core *c, uint32_t index);
/* A store or eviction that the keeper has refused is tried again in the next cycle. */
void cw_core_retry_store(struct cw_core *c);
/* It gives way: accesses of other warps behind it go on, and its warp's wait, until the warp's are unparked; then it is tried as a new one.
 * false: it cannot, and stays where it is. */
bool cw_core_park_store(struct cw_core *c);
void cw_core_unpark_stores(struct cw_core *c, uint32_t warp);
/* Whether the warp's earlier memory instructions are performed, as far as its block sees, and its stores past the L1 acknowledged; all:
 * whether they are complete. false: its intrinsic or fence, for which the mechanism then answers false, is tried again when they may be. */
bool cw_core_settle(struct cw_core *c, uint32_t warp, bool all);
/* Takes the shared memory's banks for a pass (shared.pass_cycles) from this cycle on. false: they are taken. */
bool cw_core_take_shared(struct cw_core *c, cw_time now);
/* Takes them for so many passes more, from the cycle on in which they would be free. Returns the time at which they are free then. */
cw_time cw_core_hold_shared(struct cw_core *c, uint32_t cnt);
/* The shared memory of the block in slot `block`: first the block's own bytes, then what a mechanism has asked for (struct cw_mech,
 * shared_bytes). Valid until the block ends; without timing. */
uint8_t *cw_core_shared_of(struct cw_core *c, uint32_t block);
/* The 32-bit word at the offset of that block's shared memory, for oracles; 0 when no block is there. */
uint32_t cw_core_shared_word(const struct cw_core *c, uint32_t block, uint32_t offset);
/* A memory instruction that the mechanism holds, or NULL, as a piece of the mechanism's state (base/state.h). */
void cw_core_inst_state(struct cw_state *s, struct cw_core *c, struct cw_mem_inst **inst);
/* The program does what the mechanism does not allow: the run ends with the kernel's line, the first thread of inst, and this text. */
void cw_core_refuse(struct cw_core *c, const struct cw_mem_inst *inst, const char *text);

#endif
