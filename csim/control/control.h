/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control-flow policies: which lanes of a warp run next, and where. A core has one policy (--control). It tells the policy what
 * happens to a warp: a start, a branch, an exit, a region that begins or ends. The policy keeps a front for every warp slot: the PC and the
 * lanes of the warp's next instruction. The core reads the front, and asks what struct cw_control_ops lists; nothing else
 * of a policy is visible.
 *
 * A policy may also regroup threads into warps of its own making (struct cw_control_host, form). Such a warp has slots as any other one
 * has. A thread has a home, which does not change while its block runs: the slot of its static warp, and its lane there. Its registers, its
 * identity and its local memory are at home. It runs in any slot, but always in this lane.
 *
 * Called in the core's clock, from within the core's own tick. A policy calls back as struct cw_control_host says.
 */
#ifndef CW_CONTROL_CONTROL_H
#define CW_CONTROL_CONTROL_H

#include <stdbool.h>
#include <stdio.h>

#include "base/config.h"
#include "base/error.h"
#include "base/keys.h"
#include "base/lanes.h"
#include "base/state.h"
#include "base/stats.h"
#include "ir/module.h"
#include "ir/uop.h"
#include "unit/offer.h"

/* The next instruction of a warp. */
struct cw_front {
    uint32_t pc;
    uint32_t stop;   /* the policy wants to hear (arrive) when the front's PC becomes this one; CW_PC_NONE: never */
    cw_lanes active; /* 0: no lane can run; the warp has exited, or waits in a region for its end */
};

#define CW_SLOTS_MAX  1024u /* warp slots of a core: as many as it may have threads of Fung 2015, Table 3.2 */
#define CW_AWAIT_HERE UINT32_MAX
#define CW_AWAIT_WARP (UINT32_MAX - 1)
/* An operation across lanes with its qualifiers, numbers below 256: lanes come to any instruction of the same one that names the same lanes. */
#define CW_AWAIT_OPERATION(op, type, how, atom) ((op) << 24 | (type) << 16 | (how) << 8 | (atom))
#define CW_AWAIT_OPERATIONS                     (1u << 24) /* Numbers from here on are of operations, or one of the two above. */
#define CW_SLOT_WORDS                           (CW_SLOTS_MAX / 64)

/* A set of slots: slot w is bit w mod 64 of word w / 64. */
struct cw_slots {
    uint64_t word[CW_SLOT_WORDS];
};

static inline bool cw_slots_has(const struct cw_slots *set, uint32_t slot)
{
    return (set->word[slot / 64] >> (slot % 64) & 1u) != 0;
}

/* Puts the slot into the set, or takes it out. */
static inline void cw_slots_put(struct cw_slots *set, uint32_t slot, bool is)
{
    const uint64_t bit = UINT64_C(1) << (slot % 64);
    set->word[slot / 64] = is ? set->word[slot / 64] | bit : set->word[slot / 64] & ~bit;
}

/* What is known of a branch before it is executed. */
enum cw_branch_kind {
    CW_BRANCH_OPEN,  /* each thread may go either way */
    CW_BRANCH_UNI,   /* marked .uni: the threads of a warp go one way */
    CW_BRANCH_ALWAYS /* no guard: all threads go to its target */
};

/* A branch instruction. */
struct cw_branch {
    uint32_t target, next; /* the PCs that it chooses from; branch_indexed has targets of its own */
    uint32_t rpc;          /* the reconvergence PC, or CW_PC_NONE */
    uint32_t lpc;          /* likely-convergence PC, where lanes may meet earlier (core.lcp), or CW_PC_NONE */
    enum cw_branch_kind kind;
    bool uniform; /* proved: threads of a block that come to it together take one target */
};

/* What a policy that regroups threads may ask of its core. */
struct cw_control_host {
    void *context;
    /* Slot `warp`, whose front the policy has set, runs from now on the threads of `lanes`: lane l the thread that is at home in lane l of
     * slot home[l]. All of them are of blocks that run, and in no other slot. No instruction of the slot waits for anything but registers.
     * The warp issues as soon as its first instruction is fetched and the registers of its threads are there. fetched: it is, for the next
     * cycle. To be called again when threads are added before the first instruction. */
    void (*form)(void *context, uint32_t warp, cw_lanes lanes, const uint8_t home[CW_WARP_LANES_MAX], bool fetched);
    const uint64_t *cycle; /* the running one */
    /* What `held` says of the block has grown. From within the policy's tick. */
    void (*hold)(void *context, uint32_t block);
    /* The policy wants its tick in the next cycle. */
    void (*wake)(void *context);
    /* The run ends: the program does what the policy cannot run, at the warp's front. */
    void (*fault)(void *context, uint32_t warp, const char *text);
    /* One line for the user. */
    void (*notice)(void *context, const char *text);
    /* With core.scoreboard=warp, of a policy that regroups threads: from this cycle on the last instruction of the thread at home in this
     * lane is complete. UINT64_MAX: that is not known yet, and `completed` tells. To be asked from the cycle after the instruction on. */
    uint64_t (*done)(const void *context, uint32_t home, uint32_t lane);
    /* Slot `warp`, whose front had no active lane, runs on at the front that the policy has set, as behind a taken branch. From within the
     * policy's tick, of a policy that does not regroup threads. */
    void (*go)(void *context, uint32_t warp);
    /* With core.scoreboard=lane: active lanes for whose loads the warp's next instruction waits; 0: it does not, or the warp waits for
     * something else. */
    cw_lanes (*stalled)(const void *context, uint32_t warp);
    /* With core.scoreboard=lane: those of the lanes at home in the slot for whose loads the instruction at pc would wait. */
    cw_lanes (*awaits)(const void *context, uint32_t home, uint32_t pc, cw_lanes lanes);
};

/* The pointers are the caller's, and stay valid as long as the policy. */
struct cw_control_config {
    uint32_t warps; /* slots of the core, at most CW_SLOTS_MAX; 64 for a policy that regroups threads */
    uint32_t homes; /* of these, the first ones take the warps of blocks: core.warps; the others are the policy's own */
    uint32_t width; /* lanes per warp: 32 or 64 */
    /* What follows is for policies that have keys, counters or units, and for those that regroup threads; others may be given zeros. */
    const struct cw_config *config;
    struct cw_stats *stats;
    const struct cw_unit_provider *units;
    uint32_t core; /* the core's number, for the names of units */
    struct cw_control_host host;
};

struct cw_control_ops;

/* A policy at work in a core. A policy's own struct begins with it. */
struct cw_control {
    const struct cw_control_ops *ops;
    struct cw_front *front; /* [warp] */
};

struct cw_control_ops {
    const char *name; /* "ipdom": --control */
    const char *what; /* one line for `cowarp list` */
    bool regroups;    /* calls form */
    bool mixes;       /* and makes warps of threads of several blocks; the slot of a warp is one of a block that has threads in it */
    const struct cw_mech_unit *unit;
    uint32_t unit_cnt;
    const struct cw_key_set *const *keys;         /* NULL-terminated; policies that share a set name the same; NULL: none */
    const struct cw_counter_set *const *counters; /* likewise */
    /* Sets front; the core sets ops. */
    int (*create)(struct cw_control **out, const struct cw_control_config *config, struct cw_error *err);
    void (*destroy)(struct cw_control *p);
    /* Its state without the fronts (base/state.h). NULL: a run under it cannot be saved. */
    void (*state)(struct cw_control *p, struct cw_state *s);

    /* Slots that the policy needs in a core: the blocks' core.warps and its own behind them. NULL: core.warps. */
    uint32_t (*slots)(const struct cw_config *config);
    /* The blocks to come run this kernel, of PTX file `file`. static_warps: the launch asks for static warps, of a policy that has a
     * choice. An error ends the launch. May be NULL. */
    int (*prepare)(struct cw_control *p, const struct cw_kernel *kernel, const char *file, bool static_warps, struct cw_error *err);
    /* Called in every core tick from that cycle on that the last call returned (UINT64_MAX: none), or that wake asked for, before warps
     * issue. NULL: never. */
    uint64_t (*tick)(struct cw_control *p, uint64_t cycle);

    /* The block in this slot takes these warps; each is then started by itself. May be NULL. */
    void (*block_start)(struct cw_control *p, uint32_t block, const struct cw_slots *warps);
    /* A warp starts at PC 0 with these lanes. Of a policy that regroups threads: these lanes of the slot are home to a thread, which begins
     * at PC 0. */
    void (*start)(struct cw_control *p, uint32_t warp, cw_lanes lanes);
    /* The front's PC has become its stop. */
    void (*arrive)(struct cw_control *p, uint32_t warp);
    /* A branch by all active lanes: lanes `taken` go to b->target, the others to b->next. Returns whether the warp diverged. */
    bool (*branch)(struct cw_control *p, uint32_t warp, cw_lanes taken, const struct cw_branch *b);
    /* A branch with a target of its own per active lane. */
    bool (*branch_indexed)(struct cw_control *p, uint32_t warp, const uint32_t target[CW_WARP_LANES_MAX], const struct cw_branch *b);
    /* Active lanes at a branch that have executed it before: the policy has let them come back to it rather than go on, and what happened
     * is counted once. NULL: none ever. */
    cw_lanes (*repeats)(const struct cw_control *p, uint32_t warp);
    /* Lanes exit at the front's PC. Outside a region only. Active lanes that stay go on behind it, which advance says afterwards. */
    void (*exit)(struct cw_control *p, uint32_t warp, cw_lanes lanes);
    /* Active lanes execute a barrier: the lanes that arrive at it now, with them; live are the warp's lanes that have not exited, and of a
     * dynamic warp the active ones. */
    cw_lanes (*barrier)(struct cw_control *p, uint32_t warp, cw_lanes lanes, cw_lanes live);
    /* These active lanes execute an instruction that waits for the lanes `named`, of which some are not with them. true: they stay until these
     * have come, and others run; active lanes that do not execute it go on behind it. false: all that it needs have come. id: of a barrier of
     * the block without result, to which lanes may come at several instructions; CW_AWAIT_HERE: they come to this instruction;
     * CW_AWAIT_WARP: to any barrier of the warp that names the same lanes; CW_AWAIT_OPERATION: to any instruction of that operation, as guests of
     * those that have come first. NULL: nobody can wait so (core/blocks/converge.c). */
    bool (*await)(struct cw_control *p, uint32_t warp, cw_lanes lanes, cw_lanes named, uint32_t id);
    /* Active lanes that are guests at the front's instruction, which is another one of the operation that they wait for; `where` has their own.
     * NULL: there are none ever. */
    cw_lanes (*guests)(const struct cw_control *p, uint32_t warp);
    /* The active lanes, some of them guests, have executed the operation: each goes on behind its own instruction. NULL: as guests. */
    void (*part)(struct cw_control *p, uint32_t warp);
    /* Of a policy whose warps have a SIMT stack of their own until some lanes have to wait for others (await, spins): whether this one has. Then
     * its front has active lanes, and native code may run it. NULL: there is none such, or all have and nobody ever waits. */
    bool (*stacked)(const struct cw_control *p, uint32_t warp);
    /* Active lanes, behind a backward branch, have polled memory in vain so many times. true: they wait, and others run. NULL: the policy sees to
     * that at branches, or others never run before. */
    bool (*spins)(struct cw_control *p, uint32_t warp, uint32_t polls);
    /* Of a policy that mixes blocks: threads that have arrived at a barrier, and have left their warp there, go on behind it. */
    void (*resume)(struct cw_control *p, uint32_t home, cw_lanes lanes);
    /* With core.scoreboard=warp: host.done of some threads is known now. NULL: the policy does not ask. */
    void (*completed)(struct cw_control *p);
    /* With core.scoreboard=lane: `stalled` says of the warp that lanes wait for their loads; and loads of these lanes at home in the slot have
     * their values. The policy may call its host from there, but not change its fronts. NULL: the policy does not ask. */
    void (*stalls)(struct cw_control *p, uint32_t warp);
    void (*loaded)(struct cw_control *p, uint32_t home, cw_lanes lanes);
    /* Threads of the block that cannot run before those at a barrier have gone on. A barrier does not wait for them: before PTX 6 a warp
     * arrives at a barrier with the lanes that wait below in its stack, and so does a block with a stack of its own. NULL: none. */
    uint32_t (*held)(const struct cw_control *p, uint32_t block);
    /* Whether a warp with active lanes may issue now; NULL: always. When the answer turns to true the policy has been told something about
     * a warp of the same core in that cycle. */
    bool (*may_issue)(const struct cw_control *p, uint32_t warp);
    /* Those of the candidates (not 0) of a scheduler that it may choose from; not 0. NULL: all. */
    uint64_t (*first)(struct cw_control *p, uint32_t scheduler, uint64_t cycle, uint64_t candidates);

    /* Regions (transactions, Fung 2015, 4.2.1): lanes begin together, each reaches the end or aborts; lanes that aborted restart.
     * A policy may leave all of them NULL: a GPU with a mechanism that has regions refuses it.
     * The active lanes begin a region; the attempt starts at pc. Not inside another one. */
    void (*region_begin)(struct cw_control *p, uint32_t warp, uint32_t pc);
    /* Active lanes have reached the region's end and wait; the others go on at next. Returns whether no lane is left to run. */
    bool (*region_reach)(struct cw_control *p, uint32_t warp, cw_lanes lanes, uint32_t next);
    /* Lanes of the attempt abort. Returns whether no lane is left to run. */
    bool (*region_abort)(struct cw_control *p, uint32_t warp, cw_lanes lanes);
    /* End of the attempt. true: lanes have aborted, and restart. false: none has; the region is over, and lane l goes on at resume[l].
     * meet: the PC where all ways from the region's ends meet, or CW_PC_NONE. */
    bool (*region_end)(struct cw_control *p, uint32_t warp, const uint32_t resume[CW_WARP_LANES_MAX], uint32_t meet);
    /* Lanes of the attempt that have not aborted; lanes that have; of the former, those that wait at the end. */
    cw_lanes (*region_lanes)(const struct cw_control *p, uint32_t warp);
    cw_lanes (*region_aborted)(const struct cw_control *p, uint32_t warp);
    cw_lanes (*region_reached)(const struct cw_control *p, uint32_t warp);

    /* Lanes of the warp that cannot run before active ones have gone on. */
    cw_lanes (*waiting)(const struct cw_control *p, uint32_t warp);
    /* Where a lane at home in the slot goes on that is not active and has not exited; CW_PC_NONE: not known. NULL: there are none such. */
    uint32_t (*where)(const struct cw_control *p, uint32_t home, uint32_t lane);
    /* Of a policy with a stack per block: lanes at home in the slot that have not exited and are kept below. NULL: it has none. */
    cw_lanes (*below)(const struct cw_control *p, uint32_t home);
    /* For a deadlock report: where the warp's lanes stand; line: of a PC in the PTX file. One line, without its end; may print nothing. */
    void (*report)(const struct cw_control *p, uint32_t warp, uint32_t (*line)(const void *context, uint32_t pc), const void *context,
                   FILE *out);
};

/* All policies, NULL-terminated; --control names one. */
extern const struct cw_control_ops *const cw_controls[];
const struct cw_control_ops *cw_control_find(const char *name);
/* The policy that core.divergence names; CW_EINVAL when the program does not have it. */
int cw_control_of(const struct cw_control_ops **ops, const struct cw_config *config, struct cw_error *err);
/* Somebody has chosen this policy by its name: core.divergence says so too from now on. CW_EINVAL when it names another one already, or
 * when the machine is not one for the policy. */
int cw_control_settle(struct cw_config *config, const struct cw_control_ops *ops, struct cw_error *err);

/* All active lanes go on at pc. */
static inline void cw_control_advance(struct cw_control *p, uint32_t warp, uint32_t pc)
{
    struct cw_front *f = &p->front[warp];
    f->pc = pc;
    if (pc == f->stop)
        p->ops->arrive(p, warp);
}

/* The same for an instruction that is several of the text. A policy that wants to hear of the warp in between hears of it at pc. */
static inline void cw_control_advance_over(struct cw_control *p, uint32_t warp, uint32_t pc)
{
    struct cw_front *f = &p->front[warp];
    const bool stops = f->stop > f->pc && f->stop <= pc;
    f->pc = pc;
    if (stops)
        p->ops->arrive(p, warp);
}

/* Slots of a core with this policy: core.warps to CW_SLOTS_MAX. */
static inline uint32_t cw_control_slots(const struct cw_control_ops *ops, const struct cw_config *config)
{
    const uint32_t wanted = ops->slots != NULL ? ops->slots(config) : 0;
    const uint32_t cnt = wanted > config->core_warps ? wanted : config->core_warps;
    return cnt < CW_SLOTS_MAX ? cnt : CW_SLOTS_MAX;
}

#endif
