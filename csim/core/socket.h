/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sockets of a core: the places at which a mechanism takes part in what a SIMT core does. A mechanism fills the functions of the sockets
 * that it takes and leaves the others NULL; self is its object for this core. Every socket is called in the core's clock, from within the
 * core's own tick, with now = the core's current edge. A socket may call the services of core/core.h for its own core, and touches nothing
 * else but its own state and its FIFOs. A socket that nobody takes costs a test of one pointer where it stands.
 *
 * Of `region_*` and `message` each message or region has one owner. The other sockets may be taken by several mechanisms; they are asked in
 * the order of the GPU's list.
 */
#ifndef CW_CORE_SOCKET_H
#define CW_CORE_SOCKET_H

#include <stdbool.h>
#include <stdio.h>

#include "base/fifo.h"
#include "base/lanes.h"
#include "ir/intrinsic.h"
#include "ir/uop.h"
#include "msg/message.h"

struct cw_mem_inst;

/* What becomes of a memory instruction at the socket before the L1. */
enum cw_access_verdict {
    CW_ACCESS_GO,   /* it goes on */
    CW_ACCESS_WAIT, /* it stays at the head of the load/store unit's queue, and those behind it too; the socket is asked again at *again */
    CW_ACCESS_TAKEN /* the mechanism owns it until it calls cw_core_mem_done */
};

/* What happens to a line of the L1. */
enum cw_l1_event { CW_L1_LINE_HIT, CW_L1_LINE_FILLED, CW_L1_LINE_WRITTEN, CW_L1_LINE_EVICTED, CW_L1_LINE_INVALIDATED };

/* A call of an intrinsic of role CALL (csim/ir/intrinsic.h) by a warp. */
struct cw_core_call {
    const struct cw_uop *uop; /* uop->intrinsic names it */
    uint32_t warp;
    cw_lanes lanes;                                     /* that call; not 0 */
    uint64_t arg[CW_INTRINSIC_ARGS][CW_WARP_LANES_MAX]; /* arguments, zero-extended bit patterns */
    uint64_t result[CW_WARP_LANES_MAX];                 /* to be filled for these lanes when the intrinsic has a result */
};

/* A store to a line of persistent memory, or an atomic, at the end of the load/store pipeline. */
struct cw_l1_store {
    uint32_t warp;
    uint32_t index; /* of its line in the L1 */
    bool dirty;     /* the line has been written since it last left */
    bool past;      /* It goes past the L1 to memory at once: an atomic, a volatile store, a store of device scope that the L1 does not take
                       (l1_takes_device); index and dirty say nothing */
    bool returns;   /* An atomic that returns a value: there is no acknowledgement beside it */
};

struct cw_core_sockets {
    /* Regions: lanes between two intrinsics whose effects are committed or undone together; the control policy restarts lanes that abort.
     * The warp reached the region's begin with these lanes (not a restart). true: it may begin now. false: it waits; the core asks again
     * whenever the mechanism called cw_core_wake_warp(). */
    bool (*region_begin)(void *self, uint32_t warp, cw_lanes lanes, cw_time now);
    /* A global load or store inside the region; the mechanism owns inst until it calls cw_core_mem_done. false: no room, ask again next
     * cycle. NULL: regions are not of global memory, and such an access is one as any other. */
    bool (*region_access)(void *self, struct cw_mem_inst *inst, cw_time now);
    /* All lanes of the attempt have reached the region's end or aborted; lanes are those that reached it (0 when all aborted). The
     * mechanism resolves the attempt and ends it with cw_core_region_end(). The warp issues nothing meanwhile. */
    void (*region_end)(void *self, uint32_t warp, cw_lanes lanes, cw_time now);
    /* An L1 access begun by cw_core_log_access() has finished. */
    void (*log_done)(void *self, uint32_t warp, uint32_t cookie, cw_time now);

    /* A message of this mechanism for this core, one per core cycle at most of all messages; the mechanism frees it. */
    void (*message)(void *self, struct cw_message *p, cw_time now);

    /* A memory instruction, in any space but constant, is at the head of the load/store unit's queue: called once per cycle until this
     * mechanism lets it go or takes it. Accesses that go to region_access do not come here; those of a region to shared and local memory
     * do, and lanes of them may have aborted since they issued (cw_core_region_aborted). An instruction of a warp of 64 lanes comes as two
     * parts, one with lanes of each half. */
    enum cw_access_verdict (*access)(void *self, struct cw_mem_inst *inst, cw_time now, cw_time *again);
    /* Something has happened to a line of the L1 (not of constant or shared memory). */
    void (*l1_line)(void *self, enum cw_l1_event what, uint64_t line, uint32_t warp, cw_time now);
    /* Persistent memory (CW_PM_BASE), with l1.global=write-back. A mechanism that takes these keeps its lines in the L1, and decides
     * when a dirty one goes (cw_core_write_line_back); at most one mechanism of a GPU does.
     * A store is to be performed in this cycle. false: not now; the mechanism calls cw_core_retry_store, and is asked again. */
    bool (*l1_store)(void *self, const struct cw_l1_store *s, cw_time now);
    /* Whether relaxed stores of device scope to these lines are stores to the L1, as others are, and other cores see them when the line has
     * gone. NULL: no; they go past it (cw_l1_store.past). */
    bool (*l1_takes_device)(const void *self);
    /* The dirty line with that index has to make room for an access of the warp, or to go before one that passes by. The mechanism writes
     * it back when it may go, and calls cw_core_retry_store; until then it is asked again whenever it calls that. */
    void (*l1_evict)(void *self, uint32_t index, uint32_t warp, cw_time now);
    /* A line that has gone is acknowledged. */
    void (*l1_written)(void *self, cw_time now);
    /* The job of that number, and those before it, are done (cw_core_flush_lines). */
    void (*l1_flushed)(void *self, uint32_t job, cw_time now);

    /* A fence of the warp, with what the machine itself waits for done: true: it may pass. false: the mechanism will call
     * cw_core_wake_warp(), and the core asks again. */
    bool (*fence)(void *self, uint32_t warp, const struct cw_uop *uop, cw_time now);
    /* The warp is to arrive at a barrier of its block. As fence. */
    bool (*barrier)(void *self, uint32_t warp, cw_time now);
    /* All blocks of the kernel have finished, on all cores. */
    void (*kernel_end)(void *self, cw_time now);
    /* A load or atomic with acquire semantics has its values; lanes are those of inst. */
    void (*acquire)(void *self, const struct cw_mem_inst *inst, cw_time now);
    /* A block takes warps (bit per warp slot); a block has given its last warp back. */
    void (*block_start)(void *self, uint32_t block, uint64_t warps, cw_time now);
    void (*block_end)(void *self, uint32_t block, cw_time now);
    /* An instruction has issued, with the lanes whose guard is true (may be 0). */
    void (*issued)(void *self, uint32_t warp, const struct cw_uop *uop, cw_lanes lanes, cw_time now);
    /* An intrinsic of this mechanism is called. false: not now; the mechanism will call cw_core_wake_warp(), and the core asks again. */
    bool (*intrinsic)(void *self, struct cw_core_call *call, cw_time now);

    /* Called once per core tick, after replies and before issue; returns when it next needs a call (CW_TIME_NEVER: only after events). A
     * call of region_begin, region_end, issued or intrinsic, and an access that it has taken, bring it one in the next cycle. */
    cw_time (*tick)(void *self, cw_time now);
    /* The last warp of the kernel is gone and nothing may be in flight: true when so. */
    bool (*idle)(const void *self);
    /* One line per waiting warp for a deadlock report. */
    void (*report)(const void *self, FILE *out);
};

#endif
