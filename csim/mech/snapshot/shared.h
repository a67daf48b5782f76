/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the components of snapshot isolation have in common: the host, the configuration, and the wires between them. None of the components
 * changes it. Each component's state is its own.
 */
#ifndef CW_MECH_SNAPSHOT_SHARED_H
#define CW_MECH_SNAPSHOT_SHARED_H

#include "mech/mech.h"
#include "mech/snapshot/keys.h"
#include "mech/snapshot/messages.h"
#include "mech/snapshot/wires.h"
#include "mem/version.h"

#define CW_SI_IDS        1024u /* most transaction IDs */
#define CW_SI_SLOTS      16u   /* most versions */
#define CW_SI_PARTITIONS 64u
#define CW_SI_RANGES     64u

enum cw_si_sabotage { CW_SI_SOUND, CW_SI_NO_POSTDATING, CW_SI_NO_WRITE_CHECK, CW_SI_EARLY_CLOSE, CW_SI_STALE_INDEX };

/* Their names, NULL-terminated. */
extern const char *const cw_si_faults[];

struct cw_si {
    struct cw_mech_host host;
    const struct cw_config *config; /* the host's */
    struct cw_tm_common common;     /* keys and counters that all transactional systems share */
    const struct cw_si_keys *keys;
    struct cw_si_counters *counters;
    enum cw_si_sabotage sabotage;
    const char *name; /* of the system */
    bool oracle;      /* it is sitm-oracle: an exact graph in the place of tables and times, and copies without time */
    uint32_t ids;
    cw_time wire, index, postdate;                       /* latencies */
    struct cw_si_line *ask, *answer;                     /* by core */
    struct cw_si_line *index_line, *fact, *verdict_line; /* by partition */
    struct cw_si_line *seen;                             /* by partition: facts that are counted only (si.graph) */
};

static inline cw_time cw_si_period(const struct cw_si *tm, enum cw_domain d)
{
    return tm->host.clocks->period[d];
}

/* center.c (L2 clock): the version manager, with the logical timestamp table */
struct cw_si_center;
int cw_si__center_create(struct cw_si_center **out, struct cw_si *tm, struct cw_error *err);
void cw_si__center_destroy(struct cw_si_center *c);
struct cw_component *cw_si__center_component(struct cw_si_center *c);
bool cw_si__center_idle(const struct cw_si_center *c);
void cw_si__center_launch(struct cw_si_center *c);
/* The kernel has ended: host and next kernel see the newest version. */
void cw_si__center_finish(struct cw_si_center *c);

/* port.c (L2 clock): a partition's tables, commit unit and copy engine */
struct cw_si_port;
int cw_si__port_create(struct cw_si_port **out, struct cw_si *tm, uint32_t index, struct cw_error *err);
void cw_si__port_destroy(struct cw_si_port *p);
struct cw_component *cw_si__port_component(struct cw_si_port *p);
/* The version index table in front of the slice, as a component. */
struct cw_component *cw_si__port_index_component(struct cw_si_port *p);
bool cw_si__port_idle(const struct cw_si_port *p);
void cw_si__port_launch(struct cw_si_port *p);
/* Regions of the version index table that all ranges take. */
uint32_t cw_si__index_regions(const struct cw_memory *memory);

/* core_half.c: ticks within the core */
struct cw_si_core;
int cw_si__core_create(struct cw_si_core **out, struct cw_si *tm, uint32_t index);
void cw_si__core_destroy(struct cw_si_core *c);
void cw_si__core_state(struct cw_state *s, struct cw_si_core *c);
extern const struct cw_core_sockets cw_si_core_sockets;

#endif
