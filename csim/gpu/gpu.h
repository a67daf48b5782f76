/* SPDX-License-Identifier: Apache-2.0 */
/* The whole chip: clock domains, cores, crossbars, partitions, mechanisms; kernel launch and block dispatch. */
#ifndef CW_GPU_GPU_H
#define CW_GPU_GPU_H

#include "base/clock.h"
#include "base/config.h"
#include "base/error.h"
#include "base/stats.h"
#include "check/persist.h"
#include "check/persist_model.h"
#include "check/sanitizer.h"
#include "check/serial.h"
#include "core/core.h"
#include "cowarp/unit.h"
#include "mech/mech.h"
#include "mem/device_memory.h"
#include "mem/service.h"

struct cw_gpu;

struct cw_gpu_options {
    const struct cw_config *config;       /* copied */
    const struct cw_mech *const *mechs;   /* NULL-terminated, at most one of them a transactional system; NULL: none */
    const struct cw_control_ops *control; /* NULL: ipdom */
    const struct cw_unit_provider *units; /* NULL: C models */
    const struct cw_mem_kind *partitions; /* NULL: those of mem/partition.h */
    uint64_t seed;
    bool check_serial;    /* run the serializability oracle */
    bool check_persist;   /* run the persistency oracle */
    bool model_persists;  /* keep the graph of persists (cw_gpu_persist_graph) */
    uint32_t checks;      /* set of enum cw_check: what the sanitizer looks for; results and cycles do not change. With CW_CHECK_MEMORY
                               an access that would fault goes on as with CW_OOB_ZERO, and needs red zones */
    uint32_t check_lines; /* places of which on_notice is told, at the most; the others are told by cw_gpu_finding_at */
    bool count_stalls;    /* count why warp schedulers do not issue (issue_* in base/stats.def); nothing else changes */
    bool split_stats;     /* cores and partitions count each for itself too: cw_gpu_core_stats */
    bool tick_always;     /* tick every component at every edge of its clock: must not change anything (tests) */
    bool reverse_ticks;   /* tick components in reverse order: must not change anything (tests) */
    /* Each message that enters a crossbar is packed to bits, and made of them again: must not change anything (tests). on_notice is told at
     * the end of a launch what has passed. */
    bool pack_messages;
    uint64_t renew_cycles; /* after each so many core cycles of a launch all components are saved, destroyed, made anew and loaded: must not
                               change anything (tests); 0: never. CW_EUNSUP for what cannot be saved */
    uint64_t save_cycle;   /* with on_save: the core cycle since creation at which a launch is saved, or the first step after it; once */
    /* Given the state in the middle of a launch (base/state.h), which it has read when it returns; a launch of the same request in a GPU of
     * the same options goes on from there. Its status other than 0 ends the launch. NULL: nothing is saved. */
    int (*on_save)(void *context, const struct cw_state *saved, struct cw_error *err);
    enum cw_oob_mode oob;   /* what an access to device memory does that lies in no allocation */
    uint64_t redzone_bytes; /* between allocations (cw_memory_set_redzone); 0: none */
    const char *sabotage;   /* for the mechanism that knows it; see struct cw_mech_host */
    double
        estimate; /* 0; or launches are timed in part, until half of the 95-percent interval of their cycles is at most this part of them:
                         sampled.c. cw_gpu_estimated then has the result, time goes on by it, and other counters have what was timed */
    const struct cw_native_compiler *native; /* For functional launches (exec/native.h); NULL: they are interpreted */
    bool native_at_once;                     /* Code is made before it pays (tests) */
    uint32_t threads;                        /* Host threads of functional launches; 0 and 1: the caller's */
    uint64_t max_cycles;                     /* core cycles per run, 0: no limit; CW_ELIMIT when reached */
    /* Called about every 10 ms of host time during a launch, may be NULL; a non-zero answer stops the run with CW_ELIMIT. */
    int (*on_progress)(void *context, const struct cw_gpu *gpu);
    /* Called in a launch whenever so many core cycles have passed, with the cycle before which all has happened that is counted; NULL:
     * never. Cycles are those since creation, so the first call of a launch may come soon. */
    uint64_t sample_cycles;
    void (*on_sample)(void *context, const struct cw_gpu *gpu, uint64_t cycle);
    /* Called after every time step in which anything ticked, for wave traces; may be NULL. */
    void (*on_step)(void *context, const struct cw_gpu *gpu, cw_time now);
    /* What a kernel prints (printf), thread by thread as its instruction issues; the text is not terminated. NULL: it is dropped. */
    void (*on_print)(void *context, const char *text, size_t length);
    /* One line for the user. NULL: it is dropped. */
    void (*on_notice)(void *context, const char *text);
    void *context;
};

int cw_gpu_create(struct cw_gpu **out, const struct cw_gpu_options *options, struct cw_error *err);
void cw_gpu_destroy(struct cw_gpu *gpu);

/* What a launch asks for. */
struct cw_gpu_request {
    const struct cw_module *module;
    const struct cw_kernel *kernel;
    uint64_t
        program_base; /* where the module's instructions, and in their own segment its constants, begin: behind those of other modules */
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes;
    uint32_t registers; /* of a thread, 1 .. CW_REGISTERS_MAX; 0: those that live at once, below what the kernel's directives say */
    bool static_warps;
    uint32_t stream; /* for the sanitizer: struct cw_sanitizer_launch */
    const uint32_t *before;
    bool cooperative; /* all blocks are there at once, and may meet: the kernel finds memory for a barrier by %envreg1 and 2 */
    bool functional;  /* without time: csim/gpu/functional.c */
    bool baseline;    /* under the baseline of the GPU's system: cw_gpu_turn has been called */
    struct cw_state
        *saved;        /* NULL; or what on_save was given in a launch of the same request, to be loaded: the launch goes on from there */
    bool passed;       /* the launch is laid out in memory and counted, and runs no step: a later one will be loaded */
    const void *param; /* Of kernel->param_bytes bytes; they are read while the kernel runs. An occupancy looks at sizes in it alone */
    /* NULL: nowhere; or [kernel->param_cnt]: whether the parameter holds a number of bytes of shared memory, and is to be replaced by the offset
     * of a piece of that size (OpenCL __local arguments). */
    const bool *local_size;
};
#define CW_REGISTERS_MAX 65536u
#define CW_REGISTERS_PTX 255u /* what a compiler gives a thread at most, from sm_35 on */

/* Bytes of addresses that a module takes from its program_base on, a multiple of 256: of its instructions or of its constants, whichever are
 * more. */
uint64_t cw_gpu_program_bytes(const struct cw_module *module);

/* Runs one kernel to its end, all memory traffic done. Memory persists between launches; L1 caches are cold at every launch, other caches as
 * their keys *.launch say. Errors: CW_EINVAL (does not fit), CW_EFAULT, CW_EDEADLOCK, CW_ELIMIT, CW_EMISMATCH, CW_ECHECK; after an error the
 * GPU can only be reset or destroyed.
 *
 * A functional launch takes no time and moves no counter but functional_*: memory is then as a timed launch of a race-free kernel leaves it.
 * A transaction is a critical section of one lock, persistency models have nothing to order, and what other mechanisms carry out is
 * CW_EUNSUP. options.max_cycles bounds its warp instructions. */
int cw_gpu_launch(struct cw_gpu *gpu, const struct cw_gpu_request *request, struct cw_error *err);

/* One piece of work of several that may be carried out at the same time. */
struct cw_gpu_work {
    const struct cw_gpu_request *request; /* A timed kernel; NULL: work of the host, which takes no time */
    const uint32_t *after;                /* [after_cnt] what is over before it begins: places in the list, lower than its own */
    uint32_t after_cnt;
    uint32_t queue;   /* Of a kernel: it begins after those before it in its queue (gpu.queues) have begun */
    int32_t priority; /* As CUDA has it: blocks of kernels with lower numbers come first */
    /* What has become of it. */
    cw_time begin, end;
    struct cw_stats counted; /* Of a kernel: what its cores have counted meanwhile; zeros without options.split_stats */
};
/* Whether this GPU runs kernels side by side: not where gpu.kernels is 1, nor under mechanisms, oracles, the sanitizer, and where a launch may be
 * saved. */
bool cw_gpu_runs_together(const struct cw_gpu *gpu);
/* Runs all works, as cw_gpu_launch runs a kernel, in any order that `after` and the machine allow. A core has blocks of one kernel at a time, as in
 * GPGPU-Sim, and takes another's when it is idle and its own kernel has no block left to begin. host(context, i) carries out work i of the host, may
 * read and write memory, and ends the run with a status other than 0. Requests have no __local arguments and are not cooperative. */
int cw_gpu_launch_together(struct cw_gpu *gpu, struct cw_gpu_work *work, uint32_t cnt, int (*host)(void *context, uint32_t i),
                           void *context, struct cw_error *err);

/* Whether the machine is as launches that ask for the baseline need it, or those that do not; and makes it so, anew: caches and tables are empty,
 * memory, time and statistics stay, as with cw_gpu_reset. CW_EINVAL: no mechanism has a baseline. */
bool cw_gpu_is_turned(const struct cw_gpu *gpu, bool baseline);
int cw_gpu_turn(struct cw_gpu *gpu, bool baseline, struct cw_error *err);

/* Why a thread has as many registers as it is taken to have. */
enum cw_registers_from {
    CW_REGISTERS_LIVE,      /* so many live at once */
    CW_REGISTERS_MAXNREG,   /* .maxnreg allows no more */
    CW_REGISTERS_BLOCK,     /* one block of .reqntid or .maxntid has to fit into a core */
    CW_REGISTERS_BLOCKS,    /* .minnctapersm blocks of them have to */
    CW_REGISTERS_THREAD,    /* a thread of the ISA has no more */
    CW_REGISTERS_LAUNCHED,  /* one block of this launch has to fit */
    CW_REGISTERS_REQUESTED, /* by the launch */
};

/* How many blocks of a launch a core holds at once, and why. */
struct cw_gpu_occupancy {
    struct cw_occupancy core;
    uint32_t threads, warps; /* of a block */
    uint32_t registers;      /* of a thread */
    enum cw_registers_from registers_from;
    uint32_t by_grid; /* blocks of a core, when the grid's are dealt out evenly: the largest number */
    uint32_t blocks;  /* the least of by_grid and core.room; 0: a block does not fit, and a launch would be refused */
};
/* Of a launch that is not made. What a launch refuses for other reasons is refused too. */
int cw_gpu_occupancy(struct cw_gpu *gpu, struct cw_gpu_occupancy *occupancy, const struct cw_gpu_request *request, struct cw_error *err);
/* How many launches have been worked out. One that asks for what the last one did, with other values of its parameters, is not worked out again;
 * so modules of one program_base have to be there as long as the GPU. */
uint64_t cw_gpu_descriptions(const struct cw_gpu *gpu);

/* After a launch that failed, or between launches: drops everything in flight and makes cores, crossbars, partitions, mechanisms and their
 * units anew, as cw_gpu_create made them. Kept are device memory with its allocations, counters, the oracle's sums, and time, which goes on
 * at the next full microsecond. Pointers to components (cw_gpu_core) are invalid afterwards. CW_ENOMEM, or what a unit provider answers:
 * the GPU can then only be reset again or destroyed. */
int cw_gpu_reset(struct cw_gpu *gpu, struct cw_error *err);

/* Whether a kernel that has ended has left some of these bytes in a core: a persistency model may keep lines (pm.kernel_end). They are in
 * memory later, in another kernel. false during a launch; after one that failed the answer means nothing. */
bool cw_gpu_keeps(const struct cw_gpu *gpu, uint64_t addr, uint64_t bytes);
/* The host has written constants of a module. Between launches. */
void cw_gpu_constants_written(struct cw_gpu *gpu);

/* The host has copied those bytes of allocated device memory, from or to it: with l2.host_copies their lines are in the L2 afterwards, the
 * last ones if not all find room. During a launch, and after one that failed, it moves nothing. */
void cw_gpu_host_copied(struct cw_gpu *gpu, uint64_t addr, uint64_t bytes);

struct cw_memory *cw_gpu_memory(struct cw_gpu *gpu);
/* Versions of memory that a mechanism keeps (struct cw_mech, versions); 0: there is none that does. */
uint32_t cw_gpu_versions(const struct cw_gpu *gpu);
/* Of the whole chip. With options.split_stats, as they are at this call. */
const struct cw_stats *cw_gpu_stats(const struct cw_gpu *gpu);
/* With options.split_stats: what a core or a partition has counted itself; NULL else. Crossbars, mechanisms and the NVM count for the chip.
 */
const struct cw_stats *cw_gpu_core_stats(const struct cw_gpu *gpu, uint32_t core);
const struct cw_stats *cw_gpu_partition_stats(const struct cw_gpu *gpu, uint32_t partition);
const struct cw_config *cw_gpu_config(const struct cw_gpu *gpu);
const struct cw_clocks *cw_gpu_clocks(const struct cw_gpu *gpu);
struct cw_core *cw_gpu_core(const struct cw_gpu *gpu, uint32_t index);
/* Requests of a partition: between crossbar and L2 slice, and at the DRAM channel (struct cw_mem_service_ops). */
void cw_gpu_queued(const struct cw_gpu *gpu, uint32_t partition, uint32_t *l2, uint32_t *dram);
/* With options.estimate: core cycles of all launches, and what they come from. */
struct cw_gpu_estimate {
    double cycles, half;                             /* The interval is cycles - half to cycles + half */
    double timed_instructions, untimed_instructions; /* Of warps */
    uint64_t timed_launches;                         /* All blocks of them */
    uint64_t partly_timed_launches, untimed_launches;
};
double cw_gpu_estimates(const struct cw_gpu *gpu); /* Options.estimate */
void cw_gpu_estimated(const struct cw_gpu *gpu, struct cw_gpu_estimate *estimate);
/* Core cycles and time since creation. */
uint64_t cw_gpu_cycles(const struct cw_gpu *gpu);
cw_time cw_gpu_now(const struct cw_gpu *gpu);
/* Blocks finished and in all of the running launch. */
void cw_gpu_blocks(const struct cw_gpu *gpu, uint64_t *finished, uint64_t *total);
/* The listener hears the machine's events from now on; its owner keeps it until cw_gpu_reset or cw_gpu_destroy. */
void cw_gpu_listen(struct cw_gpu *gpu, struct cw_event_listener *listener);
/* Report of the serializability oracle, summed over all launches (text: the last one's; real_time: the first one); zeros when it is off. */
const struct cw_serial_report *cw_gpu_serial_report(const struct cw_gpu *gpu);
/* The same of the persistency oracle. */
const struct cw_persist_report *cw_gpu_persist_report(const struct cw_gpu *gpu);
/* The violation that the persistency oracle has heard of in the launch so far, in words; NULL: none. */
const char *cw_gpu_persist_violation(const struct cw_gpu *gpu);
/* What options.checks asks for, as cw_sanitizer_at and cw_sanitizer_count tell it; NULL and 0 when that is nothing. */
const struct cw_sanitizer_place *cw_gpu_finding_at(const struct cw_gpu *gpu, uint32_t i);
uint64_t cw_gpu_findings(const struct cw_gpu *gpu, enum cw_check check);
/* For CW_CHECK_INIT: the bytes are written, or not, whoever wrote them before. */
void cw_gpu_mark(struct cw_gpu *gpu, uint64_t addr, uint64_t bytes, bool written);
/* With model_persists: as the functions of check/persist_model.h. CW_EINVAL without. */
int cw_gpu_persist_graph(struct cw_gpu *gpu, enum cw_persist_change change, uint32_t line, struct cw_persist_model_graph *graph,
                         struct cw_error *err);
uint64_t cw_gpu_persists_before(const struct cw_gpu *gpu, uint32_t launch);
void cw_gpu_forget_persists(struct cw_gpu *gpu); /* the graph begins anew; without one, nothing */
bool cw_gpu_persist_order_at(const struct cw_gpu *gpu, uint32_t i, struct cw_persist_model_order *order);
/* Names each piece of the chip's state to `tell` (base/state.h), but for the bytes of memory. Nothing changes. CW_EUNSUP: a part has no names for
 * its state. */
typedef void cw_gpu_tell(void *self, const struct cw_state *s, const char *name, const void *at, size_t cnt, size_t bytes);
int cw_gpu_tell_state(struct cw_gpu *gpu, cw_gpu_tell *tell, void *self, struct cw_error *err);
/* Text of the deadlock or livelock report of the last launch, many lines, "" when none. */
const char *cw_gpu_deadlock_report(const struct cw_gpu *gpu);
/* What a fault, deadlock or check failure said is in err of the launch. */

#endif
