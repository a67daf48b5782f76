/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a mechanism is. A mechanism is a published idea for GPU hardware (a transactional memory, a persistency model, a tracer of one's
 * own): it takes sockets of the machine, sends messages of its own, and brings keys, counters, intrinsics and hardware units. The machine
 * knows sockets and no mechanism. Everything that lists mechanisms, systems or units is derived from the descriptors below.
 *
 * A mechanism lives in one folder, csim/mech/<name>/; cw_add_mechanism in CMake puts its descriptor into cw_mechs[].
 */
#ifndef CW_MECH_MECH_H
#define CW_MECH_MECH_H

#include "base/component.h"
#include "base/config.h"
#include "base/error.h"
#include "base/stats.h"
#include "core/core.h"
#include "cowarp/unit.h"
#include "event/event.h"
#include "ir/intrinsic.h"
#include "mem/device_memory.h"
#include "mem/service.h"
#include "unit/offer.h"

struct cw_mech;

/* What an instance of a mechanism is built from; the pointed-to objects outlive it. */
struct cw_mech_host {
    const struct cw_config *config;
    const struct cw_clocks *clocks;
    struct cw_stats *stats;
    struct cw_memory *memory;
    struct cw_message_pool *pool;
    struct cw_core **core;                  /* config->core_count */
    const struct cw_mem_service *partition; /* config->partition_count */
    const struct cw_unit_provider *units;
    struct cw_events *events; /* to tell, and to listen to (from create on) */
    uint32_t index;           /* of the mechanism in the GPU's list; its messages carry index + 1 */
    uint64_t seed;
    const char *sabotage; /* deliberate fault for tests ("skip-owner-check", ...), one of the descriptor's, or NULL */
    uint64_t *progress;   /* what the livelock watchdog counts: incremented per commit */
    /* The kernel asks for more than the mechanism has room for: the run ends with this text. May be NULL in tests. */
    void (*fault)(void *context, int status, const char *text);
    void *fault_context;
    /* A line for the user, which changes nothing. May be NULL in tests. */
    void (*notice)(void *context, const char *text);
    void *notice_context;
};

/* A message of the mechanism with nothing but a header: kind is CW_MSG_OWN for the partition of `addr`, or CW_MSG_OWN_REPLY for a core that
 * the caller names; type NULL: without a body. Never NULL (csim/msg/message.h). */
struct cw_message *cw_mech_message(const struct cw_mech_host *host, enum cw_message_kind kind, uint32_t op, uint64_t addr,
                                   const struct cw_message_type *type, cw_time now);
/* The same with room for that many elements of the body's tail. */
struct cw_message *cw_mech_message_tail(const struct cw_mech_host *host, enum cw_message_kind kind, uint32_t op, uint64_t addr,
                                        const struct cw_message_type *type, uint32_t elements, cw_time now);
static inline void cw_mech_fault(const struct cw_mech_host *host, int status, const char *text)
{
    if (host->fault != NULL)
        host->fault(host->fault_context, status, text);
}

static inline void cw_mech_notice(const struct cw_mech_host *host, const char *text)
{
    if (host->notice != NULL)
        host->notice(host->notice_context, text);
}

/* A mechanism that cannot be in the same GPU. */
struct cw_mech_exclusion {
    const char *name;
    const char *why; /* a sentence, without its full stop: "both decide when a store reaches memory" */
};

/* The persistency model of a GPU for which none is chosen; it goes with everything. */
#define CW_MECH_PERSISTENCY_NONE "none"

/* Most components of a mechanism. */
#define CW_MECH_COMPONENTS(config) (4 * (config)->partition_count + (config)->core_count + 8)

struct cw_mech {
    const char *name; /* "getm" */
    const char *what; /* one line for `cowarp list` */
    bool system;      /* a transactional system: chosen with --system, at most one of a GPU */
    bool persistency; /* a persistency model: chosen with --persistency, exactly one of a GPU; what is neither is chosen with --mech */
    uint8_t contract; /* enum cw_event_contract: what a persistency model promises, and the oracle holds it to */
    bool any_width;   /* works with warps of 64 lanes too (core.warp_width) */
    bool any_line;    /* works with lines of 64 bytes too (mem.line_bytes) */
    bool any_warps;   /* works with more than 64 warps per core too */
    bool lock_form;   /* has the PTX reader turn transactions into critical sections (ptx/lock_form.h) */
    const struct cw_mech_unit *unit;
    uint32_t unit_cnt;
    const struct cw_key_set *const *keys;         /* NULL-terminated; mechanisms that share a set name the same; NULL: none */
    const struct cw_counter_set *const *counters; /* likewise */
    const struct cw_mech_exclusion *excludes;     /* ends with one of name NULL; one side of a pair is enough; NULL: none */
    const struct cw_intrinsic *intrinsic; /* ends with one of name NULL; mechanisms that share intrinsics share the array; NULL: none */
    const struct cw_message_type *const
        *messages;               /* bodies that it declares, NULL-terminated; mechanisms that share them name the same; NULL: none */
    const char *const *sabotage; /* names of deliberate faults, NULL-terminated; NULL: none */
    int (*create)(void **self, const struct cw_mech_host *host, struct cw_error *err);
    void (*destroy)(void *self);
    /* Its components (validation units, commit units, ...), for the GPU's clock loop. Pointers stay valid until destroy. Returns how many
     * there are, at most max (CW_MECH_COMPONENTS). May be NULL: none. */
    uint32_t (*components)(void *self, struct cw_component **list, uint32_t max);
    const struct cw_core_sockets *core; /* NULL: takes none */
    void *(*core_self)(void *self, uint32_t core);
    /* Own messages that can wait at a partition (socket from_noc); NULL: 64. */
    uint32_t (*inbox)(const struct cw_config *config);
    /* Bytes per thread in local memory, beside the kernel's own; NULL: none. */
    uint32_t (*local_bytes)(const struct cw_config *config);
    /* Bytes of each block's shared memory that it takes behind the kernel's own, of a kernel that uses regions. The launch's shared_bytes,
     * threads and kernel are known. An error (what does not fit, and what to lower) ends the launch. NULL: none. */
    int (*shared_bytes)(uint32_t *bytes, const struct cw_config *config, const struct cw_launch *launch, struct cw_error *err);
    /* Versions of memory that it keeps, 2 or more: a host may declare versioned ranges (mem/version.h), which it finds at launch. NULL:
     * none.
     */
    uint32_t (*versions)(const struct cw_config *config);
    /* What serves a launch in its place that asks for it (struct cw_gpu_request, baseline), and whether those do that say nothing; NULL: nothing, and
     * no. While it does, memory has no versions. It has the same intrinsics, and as many bytes of local memory. */
    const struct cw_mech *baseline;
    bool (*is_off)(const struct cw_config *config);
    /* What it holds beside the state of its components: that of its core halves, first of all (base/state.h). NULL: nothing, if it is
     * stateless, and else a run with it cannot be saved. */
    void (*state)(void *self, struct cw_state *s);
    bool stateless;
    /* Nothing in flight anywhere; NULL: always. */
    bool (*idle)(const void *self);
    /* A kernel is about to run: everything is at rest, no warp is there yet. May be NULL; an error ends the launch. */
    int (*launch)(void *self, const struct cw_launch *launch, struct cw_error *err);
    /* Whether a kernel may end before what it has written to persistent memory is durable; NULL: no. */
    bool (*keeps)(const void *self);
    /* Kernel boundary: sums statistics that are kept aside; may be NULL. */
    void (*finish)(void *self);
};

#endif
