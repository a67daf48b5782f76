/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every component of GETM knows: the host, constants that follow from the configuration, and the timed wires between the validation
 * units. Components do not see each other: their states are in files of their own, and what they tell each other is in messages.h.
 */
#ifndef CW_MECH_GETM_SHARED_H
#define CW_MECH_GETM_SHARED_H

#include "base/wire.h"
#include "mech/getm/keys.h"
#include "mech/tm/keys.h"
#include "mech/tm/tm.h"

/* getm.ties, getm.new_warpts */
enum { CW_GETM_TIES_WARP, CW_GETM_TIES_NONE };
enum { CW_GETM_NEW_CORE, CW_GETM_NEW_WARP };

/* Faults on purpose, in the order of the descriptor's list, README.md. */
enum cw_getm_sabotage { CW_GETM_SOUND, CW_GETM_SKIP_OWNER, CW_GETM_DROP_RTS, CW_GETM_FORGET_RELEASE };

/* The wires of the validation units' ring (GETM V.B.1), one of each per partition. They carry numbers of rollovers, which count from 1. */
struct cw_getm_wires {
    struct cw_wire *wanted;  /* from the partition to partition 0: it asks for this rollover */
    struct cw_wire *stop;    /* from partition 0 to the partition: this rollover has begun */
    struct cw_wire *flushed; /* from the partition to partition 0: it has done its part of this one */
};

/* Measures of the whole GPU that are no sum over components. Components report here, and none reads it to decide anything. An order of the
 * reports within an instant does not matter (statistics.c). */
struct cw_getm_statistics {
    uint64_t time_max;     /* largest logical time since the last rollover */
    uint64_t time_counted; /* of this, what is in warpts_increments */
    uint64_t stalled;      /* requests in all stall buffers */
    cw_time stalled_at;    /* instant of the last change */
};

struct cw_getm {
    struct cw_mech_host host;
    const struct cw_config *config; /* the host's */
    struct cw_tm_common common;     /* keys and counters that all transactional systems share */
    const struct cw_getm_keys *keys;
    struct cw_getm_counters *counters;
    enum cw_getm_sabotage sabotage;
    uint32_t id_bits; /* low timestamp bits that hold the warp number; 0: none */
    uint64_t ts_max;
    uint32_t granule_shift; /* log2 of tm.granule_bytes */
    struct cw_getm_wires wires;
    struct cw_getm_statistics *statistics;
};

static inline cw_time cw_getm_period(const struct cw_getm *g, enum cw_domain d)
{
    return g->host.clocks->period[d];
}

/* Global warp number. */
static inline uint32_t cw_getm_owner(const struct cw_getm *g, uint32_t core, uint32_t warp)
{
    return core * g->config->core_warps + warp;
}

/* Number of the granule of an address in global memory, and back. */
static inline uint64_t cw_getm_granule(const struct cw_getm *g, uint64_t addr)
{
    return (addr - CW_GLOBAL_BASE) >> g->granule_shift;
}

static inline uint64_t cw_getm_granule_addr(const struct cw_getm *g, uint64_t granule)
{
    return CW_GLOBAL_BASE + (granule << g->granule_shift);
}

/* The owner's timestamp in the same logical instant as ts. */
static inline uint64_t cw_getm_at(const struct cw_getm *g, uint64_t ts, uint32_t owner)
{
    return g->id_bits == 0 ? ts : ts >> g->id_bits << g->id_bits | owner;
}

/* The owner's timestamp in the logical instant after that of `cause`; at most ts_max. */
static inline uint64_t cw_getm_after(const struct cw_getm *g, uint64_t cause, uint32_t owner)
{
    uint64_t next = ((cause >> g->id_bits) + 1) << g->id_bits;
    if (g->id_bits != 0)
        next |= owner;
    return next < g->ts_max ? next : g->ts_max;
}

#endif
