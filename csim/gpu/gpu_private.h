/* SPDX-License-Identifier: Apache-2.0 */
/* The chip's state. Private to: gpu.c, launch.c, parts.c, watchdog.c. */
#ifndef CW_GPU_GPU_PRIVATE_H
#define CW_GPU_GPU_PRIVATE_H

#include "gpu/gpu.h"

struct cw_watchdog {
    uint64_t instructions; /* warp instructions when it last moved */
    uint64_t progress;     /* see struct cw_core_config */
    cw_time instructions_at, progress_at;
    uint32_t steps;
};

/* A notice that is given once. */
struct cw_told {
    char *file; /* owned */
    uint32_t line, what;
};

struct cw_gpu {
    struct cw_config config;
    struct cw_clocks clocks;
    struct cw_stats stats; /* of the chip, without those that count for themselves */
    struct cw_stats *part; /* [core_count + partition_count] each counts for itself; NULL: in stats */
    struct cw_stats *sum;  /* of all; NULL: stats is that */
    struct cw_memory *memory;
    struct cw_message_pool pool;
    struct cw_crossbar *up, *down;
    struct cw_core **core;
    struct cw_nvm *nvm; /* NULL: no persistent memory */
    struct cw_partition **partition;
    struct cw_gpu_mech {
        const struct cw_mech *mech;
        void *self; /* NULL: not created */
    } * mech;
    uint32_t mech_cnt;
    const struct cw_control_ops *control;
    const struct cw_unit_provider *units;
    struct cw_events events;
    struct cw_serial *serial;
    struct cw_serial_report serial_report;
    struct cw_persist_check *persist;
    struct cw_persist_report persist_report;
    bool reverse_ticks, tick_always, check_serial, check_persist, count_stalls;
    uint64_t seed;
    char *sabotage; /* owned, or NULL */

    struct cw_component **component;
    uint32_t component_cnt;
    cw_time now;
    cw_time edge[CW_DOMAIN_COUNT]; /* an edge of each domain, the next one after now once next_edge() has looked */

    struct cw_oob oob;
    struct cw_launch launch;
    uint64_t blocks_started, blocks_finished, blocks_total;
    uint32_t next_core; /* round-robin dispatch */
    uint32_t launches;
    bool kernel_ends; /* the last block has finished in this step */
    bool dispatch_pending;
    cw_time dispatch_from;               /* the launch's first block is not dispatched before (gpu.launch_cycles) */
    uint64_t local_base, local_capacity; /* local memory region, kept between launches */

    uint64_t sample_cycles;
    cw_time sample_at; /* CW_TIME_NEVER: no samples */

    uint64_t progress;
    struct cw_watchdog watchdog;
    uint64_t max_cycles;
    int fault_status;
    struct cw_error fault;
    char *report; /* deadlock report, owned */

    int (*on_progress)(void *context, const struct cw_gpu *gpu);
    void (*on_sample)(void *context, const struct cw_gpu *gpu, uint64_t cycle);
    void (*on_step)(void *context, const struct cw_gpu *gpu, cw_time now);
    void (*on_print)(void *context, const char *text, size_t length);
    void (*on_notice)(void *context, const char *text);
    void *context;
    struct cw_told *told; /* notices of this GPU that are not given again */
    uint32_t told_cnt;
};

/* All blocks have finished, and no access to memory is under way: between launches, unless the last one failed. A mechanism may still
 * be at work, as a unit that clears itself before the first launch. */
bool cw_gpu__memory_at_rest(const struct cw_gpu *gpu);
/* Time of the next step in which something has to tick (CW_TIME_NEVER: nothing will ever happen), and per domain the time at which
 * it is due. */
cw_time cw_gpu__next_step(struct cw_gpu *gpu, cw_time due[CW_DOMAIN_COUNT]);
/* Ticks what is due at gpu->now. */
void cw_gpu__tick(struct cw_gpu *gpu, const cw_time due[CW_DOMAIN_COUNT]);

void cw_gpu__watchdog_reset(struct cw_gpu *gpu);
/* CW_EDEADLOCK with a report when the machine has stopped or spins without progress. */
int cw_gpu__watchdog_check(struct cw_gpu *gpu, struct cw_error *err);
/* Where that core, or that partition, counts. */
struct cw_stats *cw_gpu__core_stats(struct cw_gpu *gpu, uint32_t core);
struct cw_stats *cw_gpu__partition_stats(struct cw_gpu *gpu, uint32_t partition);

/* Writes the report of all cores and mechanisms into gpu->report and fails with CW_EDEADLOCK. */
int cw_gpu__deadlock(struct cw_gpu *gpu, const char *what, struct cw_error *err);

#endif
