/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of a core half of the Kilo TM family. Tests of the core half include it, too.
 *
 * Private to: attempt.c, commit.c, core_half.c, early.c, pause.c, probe.c, resend.c, resolve.c, validate.c.
 */
#ifndef CW_MECH_KILO_CORE_HALF_H
#define CW_MECH_KILO_CORE_HALF_H

#include "adapt/first_read_table.h"
#include "mech/kilo/parts.h"
#include "mech/tm/access.h"
#include "mech/tm/redo_log.h"
#include "mech/tm/resolver.h"
#include "mech/tm/tell.h"
#include "mech/tm/tokens.h"

#define CW_KILO_READER_BITS 13 /* a core runs up to 1,536 transactions of a few reads */

enum cw_kilo_phase {
    CW_KILO_IDLE,
    CW_KILO_TOKEN, /* waits for a token */
    CW_KILO_RUN,
    CW_KILO_DRAIN, /* at tx_commit: log writes on their way, or a watchdog validation */
    CW_KILO_QUEUE, /* waits for resolution metadata */
    CW_KILO_INIT,
    CW_KILO_MARK,
    CW_KILO_CHECK, /* 2PCR */
    CW_KILO_SCAN,  /* SCR */
    CW_KILO_ID,    /* waits for commit IDs */
    CW_KILO_WALK,  /* reads its logs, sends them */
    CW_KILO_ANSWER /* waits for verdicts and acknowledgements */
};

enum cw_kilo_abort { CW_KILO_BY_VALIDATION, CW_KILO_BY_WARP, CW_KILO_EARLY };

struct cw_kilo_warp {
    enum cw_kilo_phase phase;
    cw_lanes tx_lanes, lanes, aborted; /* of the transaction, of the attempt, of these */
    cw_lanes ready;                    /* commit: lanes at tx_commit that still want to commit */
    uint32_t aborts;                   /* failed attempts of this transaction */
    cw_lanes paused;                   /* EAPG: lanes of the transaction that have paused */
    struct cw_log_walk walk;           /* of commit phases */
    uint32_t resolver;                 /* its ownership table */
    cw_lanes losers;                   /* of intra-warp resolution */
    cw_lanes unscanned;                /* SCR: lanes that have not been through it */
    bool adding;                       /* SCR: the lowest of them adds its writes */
    cw_time begun, ended, waiting, done;
    /* between commit IDs and end of attempt */
    bool probe; /* a validation by the watchdog while the warp runs */
    enum cw_kilo_phase probe_phase;
    cw_time probe_at;               /* end of the last one */
    struct cw_kilo_request request; /* for commit IDs; the answerer's while it is on the wires */
    uint64_t first_id;
    uint32_t epoch;
    cw_time walk_free;                                               /* until then the walker is busy with a row */
    cw_lanes members;                                                /* lanes with commit IDs */
    uint32_t rows_read, rows_written;                                /* of the logs that are validated */
    cw_lanes touched[CW_KILO_PARTITIONS], wrote[CW_KILO_PARTITIONS]; /* by partition */
    uint32_t verdicts[CW_LANES];                                     /* awaited per lane; aggregated: [0] counts partitions */
    cw_lanes passed_at[CW_KILO_PARTITIONS];
    cw_lanes undecided, failed;
    uint32_t acks; /* awaited */
    struct cw_redo_log log;
    uint64_t (*stamp)[CW_LANES]; /* ideal: commits that each read-log entry has seen */
    uint32_t stamp_cap;
};

/* What the family keeps of a load besides struct cw_access. */
struct cw_kilo_load {
    cw_time paused;                               /* EAPG: since when */
    uint32_t word[CW_LANES][CW_ACCESS_BYTES / 4]; /* memory's words */
    uint64_t stamp[CW_LANES];
};

/* A set of one lane that a commit unit wants again. */
struct cw_kilo_resend {
    uint64_t first_id;
    uint32_t row;
    uint8_t warp, lane, partition, write, half;
};
#define CW_KILO_RESENDS 256u /* each of a commit unit's pointers waits for one at most */

struct cw_kilo_core {
    struct cw_kilo *tm;
    struct cw_core *core;
    uint32_t index;
    struct cw_kilo_warp *warp;
    struct cw_tokens tokens;
    struct cw_rng rng;
    struct cw_accesses access;
    struct cw_kilo_load *load;           /* per access */
    struct cw_access_queue pause;        /* EAPG: loads that wait for a commit */
    uint8_t committing[64], probing[64]; /* warps with work in commit.c, in validate.c; oldest first */
    uint32_t committing_cnt, probing_cnt, resolving;
    uint8_t *table;                                /* SCR's filter; 2PCR without cost: ownership table */
    struct cw_resolvers resolvers;                 /* 2PCR */
    struct cw_adapt_first_read_table *first_read;  /* temporal conflict detection; NULL: none */
    uint32_t asking;                               /* requests for commit IDs without grant */
    cw_time watchdog;                              /* next look for long attempts */
    struct cw_kilo_cat *cat;                       /* EAPG */
    struct cw_kilo_resend resend[CW_KILO_RESENDS]; /* ring */
    uint32_t resend_head, resend_cnt;
    uint32_t readers[1u << CW_KILO_READER_BITS]; /* ideal, EAPG: running reads per hashed word */
    uint64_t overwritten;                        /* ideal: place in the broadcast of overwritten words */
};

/* How many running reads of the core have the hash of that word. */
static inline uint32_t *cw_kilo__readers(struct cw_kilo_core *c, uint64_t addr)
{
    return c->readers + (((addr >> 2) * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - CW_KILO_READER_BITS));
}

/* The phase that validate.c moves: that of the warp, or of a validation while it runs. */
static inline enum cw_kilo_phase *cw_kilo__stage(struct cw_kilo_warp *w)
{
    return w->probe ? &w->probe_phase : &w->phase;
}

/* commit.c: from tx_commit to the end of the attempt */
void cw_kilo__commit(void *self, uint32_t warp, cw_lanes lanes, cw_time now);
/* A cycle of all committing warps; whether the next one is needed too. */
bool cw_kilo__commit_tick(struct cw_kilo_core *c, cw_time now);

/* resolve.c: intra-warp conflict resolution of a committing warp */
/* Whether the warp has to go through it. */
bool cw_kilo__resolve_needed(const struct cw_kilo_core *c, const struct cw_kilo_warp *w);
/* One cycle; true when the phase after it is due. */
bool cw_kilo__resolve_step(struct cw_kilo_core *c, uint32_t warp, cw_time now);

/* validate.c: from commit IDs to the last acknowledgement */
/* These lanes of the warp ask for commit IDs; none: its validation is over. */
void cw_kilo__validate(struct cw_kilo_core *c, uint32_t warp, cw_lanes lanes, cw_time now);
/* A cycle of the walk over the warp's logs. */
void cw_kilo__walk_step(struct cw_kilo_core *c, uint32_t warp, cw_time now);
void cw_kilo__take_grants(struct cw_kilo_core *c, cw_time now);
/* Messages from the commit units. */
void cw_kilo__verdict(struct cw_kilo_core *c, const struct cw_message *p, cw_time now);
void cw_kilo__ack(struct cw_kilo_core *c, const struct cw_message *p);

/* probe.c: validations of attempts that run too long */
/* Begins them. */
void cw_kilo__watchdog(struct cw_kilo_core *c, cw_time now);
/* A cycle of those under way; whether the next one is needed too. */
bool cw_kilo__probe_tick(struct cw_kilo_core *c, cw_time now);

/* resend.c: sets that a commit unit has no room for */
void cw_kilo__resend(struct cw_kilo_core *c, const struct cw_message *p);
/* One log access for the oldest. */
void cw_kilo__resend_step(struct cw_kilo_core *c, cw_time now);

/* pause.c: EAPG */
void cw_kilo__news(struct cw_kilo_core *c, const struct cw_message *p, cw_time now);
/* Whether the load has to pause. */
bool cw_kilo__pause(struct cw_kilo_core *c, struct cw_access *a, cw_time now);
/* Paused loads that may go on do so. */
void cw_kilo__resume(struct cw_kilo_core *c, cw_time now);

/* early.c: running transactions whose reads have been overwritten */
/* EAPG: the word has been overwritten with that value; those that have read another one abort. */
void cw_kilo__overwritten(struct cw_kilo_core *c, uint64_t addr, uint32_t value, cw_time now);
/* Idealised systems: follows the arbiter's broadcast. */
void cw_kilo__follow(struct cw_kilo_core *c, cw_time now);

/* attempt.c: begin and end of attempts */
static inline struct cw_attempt_name cw_kilo__attempt_name(const struct cw_kilo_core *c, uint32_t warp)
{
    return (struct cw_attempt_name){.core = c->index, .warp = warp, .attempt = cw_core_attempt(c->core, warp)};
}
/* The core is in the new attempt already. */
void cw_kilo__begin_attempt(struct cw_kilo_core *c, uint32_t warp, cw_lanes lanes, cw_time now);
void cw_kilo__abort_lanes(struct cw_kilo_core *c, uint32_t warp, cw_lanes lanes, enum cw_kilo_abort cause, cw_time now);
/* Lanes of the attempt have committed: counts them, and tells their write sets. */
void cw_kilo__seal(struct cw_kilo_core *c, uint32_t warp, cw_lanes lanes, cw_time now);
/* Lanes with reads, with writes. */
void cw_kilo__accessed(const struct cw_kilo_warp *w, cw_lanes *reads, cw_lanes *writes);
/* A message of the warp leaves the core behind those already queued. */
void cw_kilo__emit(struct cw_kilo_core *c, uint32_t warp, struct cw_message *p);
/* Begins one L1 read of the log, if fewer than total have begun. */
void cw_kilo__read_log(struct cw_kilo_core *c, uint32_t warp, uint32_t total, bool write_log, uint32_t row, bool value, cw_time now);

#endif
