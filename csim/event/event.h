/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens in a run, as one stream of typed events. Oracles and timelines read it and nothing else of the simulator; the simulator
 * does not know who listens. A listener says which types it wants. Where nobody wants a type, telling it costs a test of one bit
 * (cw_events_want), so a component asks before it works out what to tell.
 *
 * Threads are named by core, warp (slot of the core) and lane. A region (a transaction) is named by its thread and the number of the warp's
 * attempt; the number grows with each attempt of the warp, so a name is never used twice. All addresses of words are of 32-bit words: wider
 * accesses are told word by word.
 *
 * Events of one thread come in the order of their times. Components tick in any order within an instant, so events of one instant may come
 * in any order; a listener must not depend on it.
 */
#ifndef CW_EVENT_EVENT_H
#define CW_EVENT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fifo.h"
#include "base/lanes.h"
#include "base/machine.h"

struct cw_exec; /* exec/exec.h */
struct cw_kernel;
struct cw_uop;

enum cw_event_type {
    CW_EVENT_ISSUE,           /* an instruction issues: uop, lanes */
    CW_EVENT_MEMORY,          /* an access to a line enters the load/store pipeline, outside regions: uop, lanes, addr (line) */
    CW_EVENT_REGION_ENTER,    /* threads of a warp begin a region for the first time, not again after an abort: uop, lanes */
    CW_EVENT_REGION_BEGIN,    /* a thread begins an attempt; where it reads a snapshot, `now` is that one's moment */
    CW_EVENT_REGION_READ,     /* a load of the attempt took word.value from memory, not from its own log */
    CW_EVENT_REGION_VALIDATE, /* validation found word.value in memory again: the attempt's reads of the word count as made now (Fung
                                 2015, 5.1.3) */
    CW_EVENT_REGION_WRITE,    /* a committed attempt's write reached memory: word with byte enables */
    CW_EVENT_REGION_COMMIT,   /* the attempt's fate is sealed; set: the words that will reach memory, or have */
    CW_EVENT_REGION_ABORT,    /* the attempt has failed: cause */
    CW_EVENT_REGION_ACCESS,   /* the mechanism has taken a memory instruction of an attempt: uop, lanes, lines */
    CW_EVENT_REGION_KEEP,     /* the attempt is about to write in place: word.value, which memory holds, has been put aside */
    CW_EVENT_REGION_RESTORE,  /* the attempt has failed, and memory holds word.value again */
    CW_EVENT_REGION_LEAVE,    /* the word leaves what regions share: something else is about to write it, or its memory ends. The thread
                                 is not said; memory still holds what regions have left */
    /* What the program does in a region of global memory, by the instruction alone. The core tells of these, and no mechanism. */
    CW_EVENT_REGION_ISSUE, /* a thread has issued a store in the attempt: word */
    CW_EVENT_REGION_LOAD,  /* a load of the attempt has its value in the thread's register: word. With word.outside: a load past the
                              caches, or an atomic with a result, in global memory and in no attempt */
    /* Persistent memory. The core tells of these, from the instruction alone; no mechanism does. PM_ISSUE and PM_ORDER of one thread come in
     * program order. */
    CW_EVENT_PM_ISSUE,    /* a thread has issued a store or an atomic to persistent memory, or a strong store (volatile, relaxed, release)
                             to global or shared memory, by its address that all spaces share; it has not been carried out: word */
    CW_EVENT_PM_STORE,    /* a store of which PM_ISSUE has told is performed, where all threads of its core see it: word */
    CW_EVENT_PM_READ,     /* a load of a word of persistent memory has its value: word */
    CW_EVENT_PM_ORDER,    /* an instruction that orders the thread's persists has issued, so it is complete: order */
    CW_EVENT_PM_LEAVE,    /* bytes of a line leave the core for persistent memory; the thread is not said: line */
    CW_EVENT_PERSIST,     /* these bytes have become durable; core says which core they have left: line, with data */
    CW_EVENT_DECISION,    /* a hardware unit has decided about an attempt of a warp (lane is not said): decision */
    CW_EVENT_BRANCH,      /* threads of a warp execute a conditional branch: branch. A thread is told of once, also when its policy lets it
                             come to the branch several times before it goes on */
    CW_EVENT_BLOCK_BEGIN, /* a thread block takes warps of a core: block */
    CW_EVENT_BLOCK_END,   /* it has given the last one back: block */
    CW_EVENT_QUEUE,       /* a hardware unit holds another number of requests that wait in it: queue */
    CW_EVENT_BRANCHED,    /* a branch has issued, conditional or not: branched */
    CW_EVENT_STALL,       /* What a warp scheduler has done with some cycles: stall. Where the core counts why (struct cw_core_config) */
    CW_EVENT_SNAPSHOT, /* regions that begin at `now` or later, which may be yet to come, see all writes told so far; those that have begun
                          see none that they did not see before. Told first in a launch by a mechanism whose regions read snapshots; the
                          thread is not said */
    /* For the sanitizer, of timed and of functional launches. Both are told as the instruction issues, so those of one thread come in
     * program order. */
    CW_EVENT_LANES, /* a memory instruction of lanes of one warp of one block, in one space: lanes */
    CW_EVENT_SYNC,  /* something orders threads of a block: sync */
    /* For the graph of persists (check/persist_seen.h): what threads see of each other beside barriers. */
    CW_EVENT_STRONG, /* a strong access of global or shared memory outside regions: volatile, relaxed, acquire, release, or an atomic; or
                        lanes of a warp that exchange values: strong */
    /* For a debugger. A warp is about to execute an instruction: uop, lanes. Nothing of it has happened, and its operands are there. It may be
     * told again of the same instruction, when something has refused it. Where it is wanted as a launch begins. */
    CW_EVENT_BEFORE,
    /* For a log of pipelines: a memory instruction begins its way, before its CW_EVENT_ISSUE, or ends it; then `now` is the time from which its
     * registers may be used: flight. Where it is wanted as a launch begins. */
    CW_EVENT_FLIGHT,
    CW_EVENT_CONFLICT, /* Threads contend for a word: conflict. Of an attempt it is told when the word is found, before the abort; one that fails
                          by no word of memory has none; sitm-oracle does not say the thread */
    CW_EVENT_TYPES /* at most 64: a listener has a bit for each */
};

/* What becomes of a strong access. Of one thread STORE and ATOMIC come in program order. */
enum cw_event_strong {
    CW_STRONG_STORE,    /* a store of the value has issued */
    CW_STRONG_ATOMIC,   /* an atomic has issued */
    CW_STRONG_PERFORM,  /* an atomic is performed: it has found `old` and left `value` */
    CW_STRONG_READ,     /* a load, or an atomic that returns what it has found, has the value */
    CW_STRONG_EXCHANGE, /* `lanes` of the warp have given each other values (shfl, vote, match, redux) */
};

/* What threads that contend for a word lose. */
enum cw_event_contention {
    CW_CONTENTION_ABORT, /* The lane's attempt */
    CW_CONTENTION_BANK   /* Cycles: an access holds the banks of shared memory for longer. The word is that of its first lane */
};

/* What orders threads of a block. */
enum cw_event_sync {
    CW_SYNC_ARRIVE, /* lanes of a warp come to a barrier and wait */
    CW_SYNC_SIGNAL, /* lanes of a warp come to a barrier and do not wait */
    CW_SYNC_PASS,   /* the barrier lets all go on that wait (warp is not said) */
    CW_SYNC_WARP,   /* lanes of a warp have waited for each other */
    CW_SYNC_FENCE   /* lanes of a warp execute a fence */
};

/* What becomes of a scheduler's cycles. Where its warps wait for different things, the first of them in this order is taken: from what is
 * over soonest to what depends on others. The counters issue_* (base/stats.def) stand in the same order. */
enum cw_stall {
    CW_STALL_ISSUED, /* an instruction has the issue slot */
    CW_STALL_STRUCTURAL,
    CW_STALL_MEMORY,
    CW_STALL_FETCH,
    CW_STALL_SCOREBOARD_ALU,
    CW_STALL_SCOREBOARD_SFU,
    CW_STALL_SCOREBOARD_MEMORY,
    CW_STALL_SLEEP,
    CW_STALL_MECHANISM,
    CW_STALL_BARRIER,
    CW_STALL_NO_WARP,
    CW_STALL_LAUNCH, /* No block of the launch has started yet */
    CW_STALL_DRAIN,  /* All have finished, and what they have left behind is on its way */
    CW_STALLS
};

/* Where something is that a scheduler waits for, or which phase it is in. The words are those of the statistics file (harness/api/waits.c). */
enum cw_stall_at {
    CW_AT_NONE,
    CW_AT_L1,        /* In the load/store unit or the L1, or on its way out of it */
    CW_AT_SHARED,    /* In shared memory */
    CW_AT_CONSTANT,  /* In the constant cache, or the parameters */
    CW_AT_NOC_UP,    /* In the crossbar to memory, or refused by it */
    CW_AT_L2,        /* In the partition, but for DRAM */
    CW_AT_DRAM,      /* The L2 waits for DRAM with it */
    CW_AT_NOC_DOWN,  /* In the crossbar back */
    CW_AT_MECHANISM, /* At the mechanism, whose access it is */
    CW_AT_BEGIN,     /* A region is to begin */
    CW_AT_BACK_OFF,  /* An attempt failed, and the next one is put off */
    CW_AT_DRAINING,  /* An attempt is over, and its accesses are on their way */
    CW_AT_COMMIT,    /* The mechanism resolves an attempt */
    /* Of a barrier alone: what its last warp waits for, where that has no place. Of another wait its cause says it. */
    CW_AT_ISSUE, /* For its turn: its scheduler, unit or collector is taken */
    CW_AT_FETCH, /* For instructions */
    CW_AT_ALU,   /* For a register, as CW_STALL_SCOREBOARD_ALU */
    CW_AT_SFU,   /* As CW_STALL_SCOREBOARD_SFU */
    CW_AT_SLEEP,
    CW_AT_POLICY, /* For other threads, as the control policy wants it */
    CW_ATS
};

/*
 * Words of a block's shared memory, in the events of regions: core, block slot and byte offset in one number, which is no device address.
 * Another block may come to the same slot; CW_EVENT_REGION_LEAVE stands between.
 */
#define CW_EVENT_SHARED (UINT64_C(1) << 63)

static inline uint64_t cw_event_shared(uint32_t core, uint32_t block, uint32_t offset)
{
    return CW_EVENT_SHARED | (uint64_t)core << 40 | (uint64_t)block << 32 | offset;
}

/* What a persistency model promises. */
enum cw_event_contract {
    CW_CONTRACT_NONE,  /* nothing: ordering operations are as if they were not there */
    CW_CONTRACT_BOX2,  /* Pandey et al., ASPLOS 2023, Box 2; a fence of PTX beyond block scope is a dFence (5.2) */
    CW_CONTRACT_FENCES /* the same, and a fence of PTX of block scope is an oFence */
};

/* What a thread does to order persists (Pandey et al., ASPLOS 2023, Box 2). */
enum cw_event_order {
    CW_ORDER_BEGIN,   /* the warp's threads, all of them, are new: those that were in this slot before are gone (lane is not said) */
    CW_ORDER_OFENCE,  /* persists before it are ordered before those after it */
    CW_ORDER_DFENCE,  /* the fence is complete: as OFENCE, and all persists before it are durable */
    CW_ORDER_RELEASE, /* the thread is about to write `value` to `addr`, for threads of the scope */
    CW_ORDER_ACQUIRE, /* the thread has read `value` from `addr` */
    CW_ORDER_FENCE    /* a fence of PTX of that scope; the contract says what it is (enum cw_event_contract) */
};

struct cw_event_decision {
    const char *unit; /* the unit's stem */
    uint32_t index;   /* of the instance: partition or core */
    uint32_t kind;    /* the unit's own code, as its port has it */
    uint64_t subject; /* granule, commit ID, ... */
    bool refused;     /* threads of the attempt fail by it */
    bool slept;       /* the question has waited in the unit for another attempt, since ... */
    cw_time asked;    /* ... this time; else 0 */
};

struct cw_event {
    uint8_t type; /* enum cw_event_type */
    uint32_t core, warp, lane, attempt;
    cw_time now;
    union {
        struct {
            uint64_t addr;
            uint32_t value;
            uint32_t bytes;           /* byte enables, 3:0 */
            bool unknown;             /* of a PM_ISSUE or PM_STORE: the value is not known yet, that of an atomic */
            bool outside;             /* of a REGION_LOAD: of no attempt */
            bool persistent;          /* of a PM_ISSUE: the word is one of persistent memory */
            uint32_t stamp;           /* of what the core tells: its number for the instruction, given in the order of issue; else 0 */
            const struct cw_uop *uop; /* of that: the instruction; else NULL */
        } word;
        struct {
            uint32_t cnt;
            const uint64_t *addr; /* of words; valid during the call only */
            const uint32_t *value;
        } set;
        struct {
            const struct cw_uop *uop;
            cw_lanes lanes;
            uint64_t addr;
            uint32_t lines; /* of REGION_ACCESS: those that the lanes touch */
        } access;
        const char *cause; /* of an abort: "validation", ...; static, never NULL */
        struct cw_event_decision decision;
        struct {
            uint8_t kind;   /* enum cw_event_order */
            bool device;    /* of a release, acquire or fence of PTX: device scope; else block scope */
            uint32_t stamp; /* as of a word */
            uint32_t block; /* number of the thread's block in the launch: who is in its block scope */
            uint64_t addr;  /* of the variable: a device address, or the shared-memory window of the block's own address space */
            uint32_t value;
            const struct cw_uop *uop; /* the call or the fence; NULL for BEGIN */
        } order;
        struct {
            uint8_t kind;         /* enum cw_event_strong */
            bool atomic, returns; /* of a READ: of an atomic; of an ATOMIC: there will be a READ */
            uint64_t addr;        /* as of an order */
            uint64_t value, old;
            cw_lanes lanes;
        } strong;
        struct {
            uint64_t addr;             /* of the line */
            uint32_t id;               /* the core's number for this departure: what leaves together becomes durable together */
            const uint32_t *byte_mask; /* [4]; bit b of word w: byte 32 w + b; valid during the call only */
            const uint8_t *data;       /* bytes of the line under the mask; NULL for CW_EVENT_PM_LEAVE */
        } line;
        struct {
            const struct cw_uop *uop;
            cw_lanes taken;         /* lanes whose guard is true: they go to a target of the branch */
            cw_lanes falls;         /* the others: they go to the next instruction */
            const uint32_t *target; /* [lane of taken] of an indexed branch, valid during the call only; else NULL */
        } branch;
        struct {
            uint32_t slot; /* of the core */
            uint32_t ctaid[3];
        } block;
        struct {
            const struct cw_uop *uop;
            const struct cw_exec *x;           /* who the lanes are */
            const uint64_t *addr;              /* [lane], in `space`; valid during the call only, as x and value */
            const uint64_t (*value)[CW_LANES]; /* of a store: [element][lane] */
            uint32_t lanes;
            uint32_t block, number; /* slot of the core; the warp's number in the block */
            uint32_t half;          /* lane l is thread 32 half + l of the warp */
            uint8_t space;          /* enum cw_space, no generic one */
            uint8_t elem_bytes, vec;
            bool in_region;
        } lanes;
        struct {
            uint8_t kind;           /* enum cw_event_sync */
            uint32_t block, number; /* as above */
            cw_lanes lanes;
            bool all;    /* the lanes are all of the warp that have not exited */
            uint32_t id; /* of the barrier; of a fence: enum cw_scope */
        } sync;
        struct {
            const char *unit; /* as in a decision */
            uint32_t index, depth;
        } queue;
        struct {
            uint8_t kind;  /* Enum cw_event_contention */
            uint64_t addr; /* Of the word: a device address, cw_event_shared, or in the shared-memory window of the block's address space */
            uint64_t cycles;
        } conflict;
        struct {
            const struct cw_uop *uop;
            uint32_t id; /* Of the instruction, among those of its core that are on their way */
            bool ends;
        } flight;
        struct {
            const struct cw_uop *uop;
            bool diverged; /* the warp's lanes go two ways */
        } branched;
        struct {
            const struct cw_kernel *kernel;
            const struct cw_uop
                *uop; /* The next instruction of the warp that would issue first of those that wait for this; of ISSUED the one
                                         that has the slot. NULL: no warp */
            const struct cw_uop *by; /* The instruction that it waits for; of a barrier, what the last warp waits for. NULL: no warp */
            uint8_t why;             /* Enum cw_stall */
            uint8_t at;              /* Enum cw_stall_at */
            uint32_t scheduler;      /* Of the core */
            uint64_t cycles;         /* Up to the core cycle of `now`, exclusive */
        } stall;
    } u;
};

/* Who listens; owned by the listener, which stays where it is until the stream is gone. */
struct cw_event_listener {
    uint64_t types; /* bit t: wants events of type t */
    void *self;
    void (*hear)(void *self, const struct cw_event *e);
    struct cw_event_listener *next; /* the stream's */
};

struct cw_events {
    uint64_t wanted; /* by any listener */
    struct cw_event_listener *first;
};

static inline bool cw_events_want(const struct cw_events *s, enum cw_event_type type)
{
    return (s->wanted >> type & 1u) != 0;
}

/* Their words: "scoreboard_memory", "dram". */
const char *cw_stall_name(enum cw_stall why);
const char *cw_stall_at_name(enum cw_stall_at at);

void cw_events_listen(struct cw_events *s, struct cw_event_listener *listener);
/* Tells everybody who wants the type. */
void cw_events_tell(const struct cw_events *s, const struct cw_event *e);

#endif
