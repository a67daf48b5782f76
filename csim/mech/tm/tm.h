/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A transactional-memory system: a per-core half that the SIMT cores call (struct cw_core_tm_ops) and a per-partition half made of
 * components that attach to the memory partitions (struct cw_partition_tm). One file per system; cw_tm_systems[] lists them.
 */
#ifndef CW_MECH_TM_TM_H
#define CW_MECH_TM_TM_H

#include "base/clock.h"
#include "base/config.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/stats.h"
#include "core/core.h"
#include "cowarp/unit.h"
#include "mem/partition.h"

struct cw_tm;
struct cw_tm_observer;

/* What a system is built from; the pointed-to objects outlive it. */
struct cw_tm_config {
    const struct cw_config *config;
    const struct cw_clocks *clocks;
    struct cw_stats *stats;
    struct cw_devmem *memory;
    struct cw_message_pool *pool;
    struct cw_core **core;           /* config->core_count */
    struct cw_partition **partition; /* config->partition_count */
    const struct cw_unit_provider *units;
    struct cw_tm_observer *observer; /* oracle, or NULL */
    uint64_t seed;
    const char *sabotage; /* deliberate protocol fault for tests ("skip-owner-check", ...), or NULL; see the system's header */
    uint64_t *progress;   /* incremented per commit */
    /* The kernel asks for more than the system has room for (log overflow): the run ends with this text. NULL: the logs grow without limit.
     */
    void (*fault)(void *context, int status, const char *text);
    void *fault_context;
};

struct cw_tm_system {
    const char *name; /* "getm" */
    const char *what; /* one line for `cowarp list` */
    int (*create)(struct cw_tm **out, const struct cw_tm_config *config, struct cw_error *err);
    void (*destroy)(struct cw_tm *tm);
    /* The system's components (validation units, commit units, ...), for the GPU's clock loop. Pointers stay valid until destroy. */
    uint32_t (*components)(struct cw_tm *tm, struct cw_component **list, uint32_t max);
    const struct cw_core_tm_ops *core_ops;
    void *(*core_self)(struct cw_tm *tm, uint32_t core);
    /* Bytes of log per thread in local memory. */
    uint32_t (*log_bytes)(const struct cw_config *config);
    /* Nothing in flight anywhere. */
    bool (*idle)(const struct cw_tm *tm);
    /* Kernel boundary: sums statistics that are kept aside. */
    void (*finish)(struct cw_tm *tm);
};

/* NULL-terminated. */
extern const struct cw_tm_system *const cw_tm_systems[];
const struct cw_tm_system *cw_tm_find(const char *name);

/*
 * What an oracle sees of a run: events at the memory and at the ends of transactions, never the protocol's own state. A transaction attempt
 * has a number that the system takes from cw_tm_observer.begin. All addresses are of 32-bit words; wider accesses are reported word by
 * word.
 */
struct cw_tm_observer {
    void *self;
    uint64_t (*begin)(void *self, uint32_t core, uint32_t warp, uint32_t lane, cw_time now);
    /* A load of the attempt took this value from memory (not from its own redo log) at time now. */
    void (*read)(void *self, uint64_t attempt, uint64_t addr, uint32_t value, cw_time now);
    /* Value-based validation found this value in memory again at time now: the attempt's reads of the word so far count as made now (Fung
     * 2015, 5.1.3: a transaction serialises at its validation, so a value that has gone and come back is no conflict). NULL: not wanted. */
    void (*validate)(void *self, uint64_t attempt, uint64_t addr, uint32_t value, cw_time now);
    /* A committed attempt's write reached memory at time now. bytes: byte enables 3:0. */
    void (*write)(void *self, uint64_t attempt, uint64_t addr, uint32_t value, uint32_t bytes, cw_time now);
    /* The attempt's fate. On commit, the write set that will reach memory (or has): addresses and values. */
    void (*commit)(void *self, uint64_t attempt, uint32_t write_cnt, const uint64_t *addr, const uint32_t *value, cw_time now);
    void (*abort)(void *self, uint64_t attempt, cw_time now);
};

#endif
