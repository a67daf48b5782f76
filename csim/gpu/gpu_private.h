/* SPDX-License-Identifier: Apache-2.0 */
/* The chip's state. Private to: functional.c, gpu.c, launch.c, loop.c, mechs.c, members.c, sampled.c, saved.c, together.c,
 * watchdog.c. */
#ifndef CW_GPU_GPU_PRIVATE_H
#define CW_GPU_GPU_PRIVATE_H

#include <stdio.h>

#include "core/functional.h"
#include "gpu/crew.h"
#include "gpu/estimate.h"
#include "gpu/gpu.h"

struct cw_watchdog {
    uint64_t instructions; /* warp instructions when it last moved */
    uint64_t progress;     /* see struct cw_core_config */
    uint64_t moved;        /* what memory has done, in no unit: grows while anything moves */
    uint64_t polls;        /* Polling iterations when the time of progress was last put off (struct cw_core_patience). */
    cw_time instructions_at, progress_at;
    cw_time stands_since; /* As progress_at, which is put off. */
    uint32_t steps;
};

/* A notice that is given once. */
struct cw_told {
    char *file; /* owned */
    uint32_t line, what;
};

/* What belongs to a core of functional launches. */
struct cw_gpu_untimed {
    _Alignas(CW_HOST_LINE) struct cw_stats stats; /* What it counts; nobody reads it */
    struct cw_native *native;                     /* Of its thread; NULL: there is none so far, or none at all */
};

/* What functional launches need. */
struct cw_gpu_functional {
    struct cw_config config;        /* the GPU's, without what costs the cores work and changes no value */
    struct cw_functional *on;       /* [core_count]; on[i].core is the same as core[i] */
    struct cw_core **core;          /* [core_count]; NULL: not made yet */
    struct cw_gpu_untimed *untimed; /* [core_count] */
    bool *prepared;                 /* [core_count]: for the running launch */
    uint32_t used;                  /* Of the running launch: cores from this one on are not prepared */
    uint64_t asked;                 /* And warp instructions when the host's clock was read last */
    uint32_t next;                  /* core that is asked first whether it has room for a further block */
};

/* What counters that run by themselves are to do, in front of a cycle. */
enum cw_gpu_count {
    CW_GPU_COUNT_FROM,  /* They begin. */
    CW_GPU_COUNT_UNTIL, /* They get there. */
    CW_GPU_COUNT_START, /* The first block starts there. */
    CW_GPU_COUNT_DRAIN, /* The last one has finished. */
    CW_GPU_COUNT_LATE,  /* So do those that are counted when a warp issues. Samples need it. */
};

/* A member of the chip, as a launch sees it. It keeps what components do beside that: nobody but members.c knows what kind it is of. Each verb
 * but destroy may be NULL: there is nothing to do. */
struct cw_gpu_member_ops {
    bool of_mechanism; /* It may be at work between kernels, as a unit that clears itself before the first one. */
    uint32_t (*components)(void *self, struct cw_component **list, uint32_t max);
    int (*begin)(void *self, const struct cw_launch *launch, struct cw_error *err); /* A kernel is about to run; everything is at rest. */
    void (*end)(void *self, cw_time now);                                           /* Its last block has finished. */
    void (*finish)(void *self);                                                     /* Everything is at rest again. */
    void (*count)(void *self, uint64_t cycle, enum cw_gpu_count what);
    bool (*idle)(const void *self); /* Beside its components. */
    void (*state)(void *self, struct cw_state *s);
    void (*report)(const void *self, FILE *out);
    void (*destroy)(void *self);
};

struct cw_gpu_member {
    const struct cw_gpu_member_ops *ops;
    void *self; /* NULL: this machine has none at this place */
};

/* A launch as it was described, and what of its request is not in it. */
struct cw_gpu_described {
    struct cw_launch launch;
    uint64_t program_base;
    uint32_t registers;
    enum cw_registers_from from;
};

/* A kernel of several that run side by side. */
struct cw_gpu_resident {
    enum { CW_RESIDENT_WAITS, CW_RESIDENT_RUNS, CW_RESIDENT_DRAINS, CW_RESIDENT_OVER } state;
    struct cw_launch launch;
    uint64_t blocks, started, finished;
    cw_time from;       /* Its first block is not dispatched before */
    uint32_t next_core; /* Round-robin dispatch */
    uint32_t place;     /* Of its local memory */
    bool ends;          /* Its last block has finished in this step */
};
#define CW_NOBODY UINT32_MAX

/* Works that are carried out together (cw_gpu_launch_together). */
struct cw_gpu_together {
    struct cw_gpu_work *work;
    struct cw_gpu_resident *resident; /* [cnt] */
    uint32_t cnt, over, running;
    uint32_t *owner;                  /* [core_count] whose blocks the core takes; CW_NOBODY */
    struct cw_stats *before;          /* [core_count] what the core had counted then; NULL: nobody asks */
    bool fresh;                       /* No kernel has run on this GPU before */
    uint64_t local_base, local_bytes; /* Local memory of one kernel behind the other's */
    int (*host)(void *context, uint32_t i);
    void *context;
};

/* Blocks that look alike: what sampled.c tells them by, and how long they take. */
struct cw_gpu_region {
    double per_block, lanes; /* Warp instructions of a block, threads of a warp instruction */
    double untimed;          /* Warp instructions that ran without time */
    bool asked;              /* Time has been taken for its sake */
    struct cw_samples waves, stretches;
};
#define CW_REGIONS 16u /* Of a launch */
#define CW_WAVES   24u /* Of a stretch */

/* Launches of which a part is timed (sampled.c). */
struct cw_gpu_sampling {
    double bound; /* Half of the interval that is wanted, as a part; 0: all launches are timed */
    struct cw_launch_kinds kinds;
    struct cw_estimate all;
    double left_out; /* Of its cycles, those that were not simulated */
    double timed_instructions, untimed_instructions;
    uint64_t timed_launches, partly_timed_launches, untimed_launches;
    uint64_t local_base, local_bytes; /* Local memory of cores without time, beside that of timed ones */
    /* Of the running launch. */
    void (*watch)(struct cw_gpu *gpu); /* NULL: it is not sampled */
    uint64_t room;                     /* Blocks of a wave */
    struct cw_gpu_region region[CW_REGIONS];
    uint32_t region_cnt, stretches;
    /* Of the running stretch: its samples, and what had happened when the first one began. */
    struct cw_gpu_wave {
        double cycles, instructions;
    } wave[CW_WAVES];
    uint32_t wave_cnt;
    uint64_t since_blocks, since_instructions, since_threads;
    /* Of the running wave. */
    bool is_first;      /* In its stretch */
    uint64_t next_wave; /* Blocks that will have finished when it ends */
    uint64_t cycle, instructions;
};

struct cw_gpu {
    struct cw_config config;
    struct cw_clocks clocks;
    struct cw_stats stats; /* of the chip, without those that count for themselves */
    struct cw_stats *part; /* [core_count + partition_count] each counts for itself; NULL: in stats */
    struct cw_stats *sum;  /* of all; NULL: stats is that */
    struct cw_memory *memory;
    struct cw_message_pool pool;
    struct cw_trips *trips; /* NULL: stalls are not counted */
    struct cw_crossbar *up, *down;
    struct cw_core **core;
    struct cw_gpu_functional *functional; /* NULL: no functional launch so far */
    struct cw_nvm *nvm;                   /* NULL: no persistent memory */
    const struct cw_mem_kind *partitions; /* NULL: those of mem/partition.h */
    struct cw_mem_service *partition;
    struct cw_gpu_mech {
        const struct cw_mech *mech;
        void *self;                   /* NULL: not created */
        const struct cw_mech *proper; /* as the GPU was made with it; mech is its baseline after cw_gpu_turn */
        bool is_to_break;             /* It is given the deliberate fault of the GPU. */
        uint32_t index, cores;
    } * mech;
    uint32_t mech_cnt;
    /* What follows from the mechanisms. */
    bool baseline;     /* Launches run under it. */
    bool has_baseline; /* A mechanism has one. */
    bool has_stateful; /* A mechanism has state, or is told of launches. */
    bool is_off;       /* Launches that say nothing run under it. */
    uint32_t versions;
    enum cw_event_contract contract;                     /* What the persistency oracle holds the GPU to. */
    const struct cw_message_type *const **message_types; /* [mech_cnt]: what each mechanism declares */
    uint32_t *inbox;                                     /* [mech_cnt]: its own messages that can wait at a partition */
    const struct cw_control_ops *control;
    const struct cw_unit_provider *units;
    struct cw_core_events core_events; /* what cores tell the GPU */
    struct cw_events events;
    struct cw_events functional_events; /* of cores that run without time; the sanitizer alone listens */
    struct cw_sanitizer *sanitizer;     /* NULL: nothing is looked for */
    uint32_t checks;
    struct cw_serial *serial;
    struct cw_serial_report serial_report;
    struct cw_persist_check *persist;
    struct cw_persist_model *model;
    struct cw_persist_report persist_report;
    bool reverse_ticks, tick_always, check_serial, check_persist, model_persists, count_stalls;
    struct cw_pack_check *pack_check; /* NULL: messages pass crossbars as they are */
    uint64_t seed;
    char *sabotage; /* owned, or NULL */

    struct cw_gpu_member *member; /* Cores, crossbars, partitions, persistent memory, mechanisms; in the order in which they tick. */
    uint32_t member_cnt;
    struct cw_component **component; /* all, in the order in which they tick */
    struct cw_component **machine;   /* of these, those that are no mechanism's */
    uint32_t component_cnt, machine_cnt;
    cw_time now;
    cw_time edge[CW_DOMAIN_COUNT]; /* an edge of each domain, the next one after now once next_edge() has looked */

    struct cw_oob oob;
    struct cw_launch launch;
    struct cw_gpu_together *together; /* NULL: one kernel runs */
    struct cw_gpu_together apart;     /* What `together` points to. */
    struct cw_launch *of_core; /* [core_count] The launch of each core that ran side by side with others: it looks at it later, too. */
    uint64_t apart_base, apart_bytes;  /* Local memory of kernels that run side by side, kept between launches. */
    struct cw_gpu_described described; /* The last one; it has no kernel when there is none. */
    uint64_t descriptions;             /* How many have been made. */
    uint64_t blocks_started, blocks_finished, blocks_total;
    uint32_t next_core; /* Round-robin dispatch */
    uint32_t launches;
    uint64_t param_next; /* bytes of parameters of all launches, each rounded up to 256 */
    bool kernel_ends;    /* the last block has finished in this step */
    bool dispatch_pending;
    bool host_came;                      /* the host has copied something since the last launch began */
    cw_time dispatch_from;               /* the launch's first block is not dispatched before (gpu.launch_cycles) */
    uint64_t local_base, local_capacity; /* local memory region, kept between launches */

    struct cw_gpu_sampling sampling;

    uint64_t grid_workspace; /* 0: no cooperative launch so far */

    uint64_t sample_cycles;
    cw_time sample_at; /* CW_TIME_NEVER: no samples */

    uint64_t progress;
    struct cw_watchdog watchdog;
    uint64_t max_cycles;
    const struct cw_native_compiler *native;
    bool native_at_once;
    uint32_t threads;      /* Host threads of functional launches */
    uint64_t renew_cycles; /* options.renew_cycles; 0: never */
    cw_time renew_at;
    cw_time save_at; /* CW_TIME_NEVER: nothing is to be saved, or has been */
    uint64_t began;  /* core cycle in which the launch has begun */
    int fault_status;
    struct cw_error fault;
    char *report; /* deadlock report, owned */

    int (*on_progress)(void *context, const struct cw_gpu *gpu);
    uint64_t asked_ns; /* host time of its last call; 0: none */
    void (*on_sample)(void *context, const struct cw_gpu *gpu, uint64_t cycle);
    void (*on_step)(void *context, const struct cw_gpu *gpu, cw_time now);
    int (*on_save)(void *context, const struct cw_state *saved, struct cw_error *err);
    void (*on_print)(void *context, const char *text, size_t length);
    void (*on_notice)(void *context, const char *text);
    void *context;
    struct cw_told *told; /* notices of this GPU that are not given again */
    uint32_t told_cnt;
};

/* All blocks have finished, and nothing is under way in the machine: between launches, unless the last one failed. A mechanism may still
 * be at work, as a unit that clears itself before the first launch. */
bool cw_gpu__at_rest(const struct cw_gpu *gpu);
/* Time of the next step in which something has to tick (CW_TIME_NEVER: nothing will ever happen), and per domain the time at which
 * it is due. */
cw_time cw_gpu__next_step(struct cw_gpu *gpu, cw_time due[CW_DOMAIN_COUNT]);
/* Ticks what is due at gpu->now. */
void cw_gpu__tick(struct cw_gpu *gpu, const cw_time due[CW_DOMAIN_COUNT]);

void cw_gpu__watchdog_reset(struct cw_gpu *gpu);
/* CW_EDEADLOCK with a report when the machine has stopped or spins without progress. */
int cw_gpu__watchdog_check(struct cw_gpu *gpu, struct cw_error *err);
/* Walks the chip's state: saves it, or loads it into a chip that has begun the same launch. */
void cw_gpu__state(struct cw_gpu *gpu, struct cw_state *s);
/* In together.c: works that can begin do, and blocks go to cores, at a core edge. Sets dispatch_pending and dispatch_from. */
void cw_gpu__together_step(struct cw_gpu *gpu);
/* Kernels whose last block has finished in this step. */
void cw_gpu__together_end(struct cw_gpu *gpu);
void cw_gpu__forget_together(struct cw_gpu *gpu); /* In gpu.c: what the last ones have left */
/* Core cycles from now to the first block of the launch that begins. first: of all on this GPU. */
uint32_t cw_gpu__launch_cycles(const struct cw_gpu *gpu, bool first);
/* Destroys cores, crossbars, partitions, mechanisms, and makes them again; time and counters stay. */
int cw_gpu__make_machine_anew(struct cw_gpu *gpu, struct cw_error *err);
/* members.c: makes the members. Mechanisms come last, when the oracles are there: they hear what mechanisms tell from the beginning. */
int cw_gpu__create_machine(struct cw_gpu *gpu, struct cw_error *err);
int cw_gpu__create_mechs(struct cw_gpu *gpu, struct cw_error *err);
/* Also of a machine that has been created in part only. */
void cw_gpu__destroy_members(struct cw_gpu *gpu);
/* The verbs of struct cw_gpu_member_ops, of all members. */
int cw_gpu__begin(struct cw_gpu *gpu, struct cw_error *err);
void cw_gpu__end(struct cw_gpu *gpu);
void cw_gpu__finish(struct cw_gpu *gpu);
void cw_gpu__count(struct cw_gpu *gpu, uint64_t cycle, enum cw_gpu_count what);
bool cw_gpu__members_idle(const struct cw_gpu *gpu);
void cw_gpu__members_state(struct cw_gpu *gpu, struct cw_state *s);
void cw_gpu__members_report(const struct cw_gpu *gpu, FILE *out);

/* mechs.c: which mechanisms there are, and which of them, or their baselines, launches run under. */
int cw_gpu__list_mechs(struct cw_gpu *gpu, const struct cw_mech *const *mechs, struct cw_error *err);
void cw_gpu__choose_mechs(struct cw_gpu *gpu, bool baseline);
void cw_gpu__forget_mechs(struct cw_gpu *gpu);
/* Whether this is the machine that the mechanism wants. */
int cw_gpu__check_mech(const struct cw_gpu *gpu, const struct cw_mech *m, struct cw_error *err);
int cw_gpu__check_sabotage(const struct cw_gpu *gpu, struct cw_error *err);
/* Whether a mechanism carries the intrinsic out; a persistency model. */
bool cw_gpu__carries_out(const struct cw_gpu *gpu, const struct cw_intrinsic *x, bool persistency);
/* Whether a kernel may end before what it has written to persistent memory is durable. */
bool cw_gpu__keeps_persists(const struct cw_gpu *gpu);

/* The first core that has kept some of these bytes after a kernel; core_count: none. */
uint32_t cw_gpu__keeper(const struct cw_gpu *gpu, uint64_t addr, uint64_t bytes);
/* Where that core, or that partition, counts. */
struct cw_stats *cw_gpu__core_stats(struct cw_gpu *gpu, uint32_t core);
struct cw_stats *cw_gpu__partition_stats(struct cw_gpu *gpu, uint32_t partition);

/* Writes the report of all cores and mechanisms into gpu->report and fails with CW_EDEADLOCK. */
int cw_gpu__deadlock(struct cw_gpu *gpu, const char *what, struct cw_error *err);
/* The same of these cores alone, without time; NULLs are passed over. */
int cw_gpu__deadlock_functional(struct cw_gpu *gpu, struct cw_core *const *core, const char *what, struct cw_error *err);

#define CW_GPU_HALTED "nothing can ever happen again"
#define CW_GPU_SPINS  "warps spin without any of them getting on, for as many instructions as watchdog.livelock_cycles"

/* Runs blocks of the launch that has been described without time, from blocks_started to blocks_total. whole: these are all; else the
 * counter of launches stays. */
int cw_gpu__run_functional(struct cw_gpu *gpu, bool whole, struct cw_error *err);
/* Loop.c: makes the machine ready for the launch; runs its blocks, from blocks_started to blocks_total, until everything is at rest. A launch that
 * is loaded from `saved` has begun to count, and to be watched, when it was saved. */
int cw_gpu__begin_launch(struct cw_gpu *gpu, struct cw_error *err);
int cw_gpu__run(struct cw_gpu *gpu, struct cw_state *saved, struct cw_error *err);
/* Sampled.c: whether the launch may be timed in part, and does not hang on others; runs the launch that has been described; counts one that
 * was timed without samples. */
bool cw_gpu__is_sampled(const struct cw_gpu *gpu, const struct cw_gpu_request *q);
int cw_gpu__run_sampled(struct cw_gpu *gpu, struct cw_error *err);
void cw_gpu__note_whole(struct cw_gpu *gpu, uint64_t cycles, uint64_t instructions);
/* Asks the caller, at most every 10 ms of host time, whether to stop: CW_ELIMIT then. Each launch begins with it: a thousand short ones can be
 * stopped, too. */
int cw_gpu__progress_due(struct cw_gpu *gpu, struct cw_error *err);

#endif
