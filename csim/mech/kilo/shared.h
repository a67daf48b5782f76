/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the components of the Kilo TM family have in common: the host, what the configuration comes to, and the wires between them. None of
 * the components changes it. Each component's state is its own: core/core_half.h, unit/commit_unit.h, and inside port/port.c
 * and id_vendor.c.
 */
#ifndef CW_MECH_KILO_SHARED_H
#define CW_MECH_KILO_SHARED_H

#include "mech/kilo/keys.h"
#include "mech/kilo/kilo.h"
#include "mech/kilo/messages.h"
#include "mech/kilo/wires.h"
#include "mech/tm/keys.h"

#define CW_KILO_PARTITIONS  64u
#define CW_KILO_ENTRIES_MAX 65536u /* of a commit unit in C */

enum cw_kilo_resolution { CW_KILO_NONE, CW_KILO_SCR, CW_KILO_2PCR, CW_KILO_SCR_FREE, CW_KILO_2PCR_FREE }; /* warptm.resolution */
enum { CW_KILO_VALIDATION_ACCESSES, CW_KILO_VALIDATION_HITS };                                            /* Of kilo.validation. */
enum { CW_KILO_ENTRY, CW_KILO_ROW };                                                                      /* kilo.walker */
enum cw_kilo_tcd { CW_KILO_TCD_AUTO, CW_KILO_TCD_OFF, CW_KILO_TCD_PUBLISHED, CW_KILO_TCD_CLOSED };        /* tcd.mode */
enum cw_kilo_sabotage { CW_KILO_SOUND, CW_KILO_SKIP_REVALIDATION, CW_KILO_OUT_OF_ORDER, CW_KILO_IGNORE_HAZARD };

/* Their names, NULL-terminated; for systems with commit units that decide. */
extern const char *const cw_kilo_faults[];

/* What the systems of the family differ in, as far as it is configuration (kilo.c). What they do differently is in hooks, one table per
 * kind: core/core_half.c, unit/commit_unit.c, port/port.c. */
struct cw_kilo_system {
    const char *name;
    bool arbitrated; /* an arbiter decides, and writes memory (csim/mech/ideal); nobody needs faults, credits or last-written times */
    bool idealised;  /* logs take no time, and there are no commit units */
    bool by_warp;    /* warptm.* says what lanes of a warp do together; else each commits by itself */
    bool tcd;        /* tcd.mode = auto is closed */
    bool early;      /* cores keep a filter of running reads, and abort what cannot commit any more */
};

struct cw_kilo {
    struct cw_mech_host host;
    const struct cw_config *config; /* the host's */
    struct cw_tm_common common;     /* keys and counters that all transactional systems share */
    const struct cw_kilo_keys *keys;
    struct cw_kilo_counters *counters;
    enum cw_kilo_kind kind; /* which hooks a component takes */
    const struct cw_kilo_system *system;
    enum cw_kilo_sabotage sabotage;
    enum cw_kilo_resolution resolution;
    enum cw_kilo_tcd tcd; /* not AUTO */
    bool aggregate, coalesce;
    uint32_t ask_cycles; /* from a core to who gives commit IDs */
    uint32_t window;     /* commit entries per partition: IDs that may be under way at once */
    struct cw_kilo_wires wires;
};

static inline cw_time cw_kilo_period(const struct cw_kilo *tm, enum cw_domain d)
{
    return tm->host.clocks->period[d];
}

/* Of temporal conflict detection. */
static inline uint64_t cw_kilo_tcd_block(const struct cw_kilo *tm, uint64_t addr)
{
    return addr / tm->keys->tcd_granule_bytes;
}

/* Whether replies to loads carry a last-written time for each lane (time) instead of one for the line (stamp). */
static inline bool cw_kilo_tcd_by_lane(const struct cw_kilo *tm)
{
    return tm->tcd != CW_KILO_TCD_OFF && tm->keys->tcd_granule_bytes < CW_LINE_BYTES;
}

/* A message of the family for a partition, or from it, about a commit; its payload is none yet. entries: of a log behind it; 0: no log. */
static inline struct cw_message *cw_kilo_message(const struct cw_kilo *tm, enum cw_message_kind kind, uint32_t op, uint32_t partition,
                                                 uint32_t entries, cw_time now)
{
    const uint64_t addr = cw_tm_partition_addr(tm->config, partition);
    struct cw_message *p = entries == 0 ? cw_mech_message(&tm->host, kind, op, addr, &cw_kilo_commit_type, now)
                                        : cw_mech_message_tail(&tm->host, kind, op, addr, &cw_kilo_log_type, entries, now);
    *cw_kilo_commit(p) = (struct cw_kilo_commit_body){0};
    return p;
}

#endif
