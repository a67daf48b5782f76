/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of a core half of the Kilo TM family. Tests of the core half include it, too.
 *
 * Private to: attempt.c, commit.c, core_half.c, early.c, pause.c, probe.c, resend.c, resolve.c, saved.c,
 * validate.c.
 */
#ifndef CW_MECH_KILO_CORE_HALF_H
#define CW_MECH_KILO_CORE_HALF_H

#include "adapt/conflict_address_table.h"
#include "adapt/first_read_table.h"
#include "base/ring.h"
#include "mech/kilo/parts.h"
#include "mech/tm/core_half.h"

#define CW_KILO_READER_BITS 13 /* a core runs up to 1,536 transactions of a few reads */

/* Phases behind those of mech/tm/core_half.h. SCR has QUEUE and CLEAR, then SCAN. */
#define CW_KILO_PHASES(X)                 \
    X(CW_KILO_SCAN, "SCR")                \
    X(CW_KILO_ID, "waits for commit IDs") \
    X(CW_KILO_WALK, "sends its logs")     \
    X(CW_KILO_ANSWER, "waits for the commit units")

enum cw_kilo_phase { CW_KILO__FIRST = CW_TM_PHASE_CNT - 1, CW_KILO_PHASES(CW_TM_PHASE_NAME) };

enum cw_kilo_abort { CW_KILO_BY_VALIDATION, CW_KILO_BY_WARP, CW_KILO_EARLY };

/* What the family keeps of a warp beside struct cw_tm_warp. */
struct cw_kilo_warp {
    cw_lanes paused;    /* EAPG: lanes of the transaction that have paused */
    cw_lanes losers;    /* of intra-warp resolution */
    cw_lanes refused;   /* of the attempt, by commit units */
    cw_lanes unscanned; /* SCR: lanes that have not been through it */
    bool adding;        /* SCR: the lowest of them adds its writes */
    /* between commit IDs and end of attempt */
    bool probe; /* a validation by the watchdog while the warp runs */
    uint32_t probe_phase;
    cw_time probe_at; /* end of the last one */
    uint64_t first_id;
    uint32_t epoch;
    cw_time walk_free;                /* until then the walker is busy with a row */
    cw_lanes members;                 /* lanes with commit IDs */
    uint32_t rows_read, rows_written; /* of the logs that are validated */
    uint32_t verdicts[CW_LANES];      /* awaited per lane; aggregated: [0] counts partitions */
    cw_lanes passed_at[CW_KILO_PARTITIONS];
    cw_lanes undecided, failed;
    uint32_t acks;               /* awaited */
    uint64_t (*stamp)[CW_LANES]; /* ideal: commits that each read-log entry has seen */
    uint32_t stamp_cap;
};

/* What the family keeps of a load besides struct cw_tm_access. */
struct cw_kilo_load {
    cw_time paused;                               /* EAPG: since when, or CW_TIME_NEVER */
    uint64_t removals;                            /* EAPG: the core's, when it was last asked for */
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

/* EAPG: the load that the conflict address table is being asked for, by its distinct words, one per cycle. */
struct cw_kilo_question {
    struct cw_tm_access *access; /* NULL: none */
    uint32_t cnt, asked, answered;
    uint64_t word[CW_LANES * CW_ACCESS_BYTES / 4];
    cw_lanes lanes[CW_LANES * CW_ACCESS_BYTES / 4]; /* that want the word */
    cw_lanes held;                                  /* lanes that have to pause, so far */
};

struct cw_kilo_core;

/* What the systems do differently in a core; core_half.c has a table per kind. */
struct cw_kilo_core_hooks {
    void (*follow)(struct cw_kilo_core *c, cw_time now);                                   /* in each cycle, first. NULL */
    bool (*pause)(struct cw_kilo_core *c, struct cw_tm_access *a, cw_time now);            /* whether a load has to. NULL: never */
    void (*watchdog)(struct cw_kilo_core *c, cw_time now);                                 /* looks for long attempts. NULL */
    void (*granted)(struct cw_kilo_core *c, const struct cw_kilo_request *r, cw_time now); /* the answer to a request for commit IDs */
    void (*await)(struct cw_kilo_core *c, uint32_t warp, cw_lanes lanes); /* the logs of these lanes are with a partition */
};

struct cw_kilo_core {
    struct cw_tm_core half; /* first */
    struct cw_kilo *tm;
    const struct cw_kilo_core_hooks *hooks;
    struct cw_kilo_warp *warp;
    struct cw_kilo_load *load;                     /* per access */
    struct cw_access_queue fresh;                  /* EAPG: loads that the table has not been asked for */
    struct cw_access_queue pause;                  /* EAPG: loads that wait for a commit */
    struct cw_kilo_question question;              /* EAPG */
    uint64_t removals;                             /* EAPG: words that have left the table */
    uint8_t probing[64];                           /* warps with work in probe.c, oldest first */
    uint32_t probing_cnt, resolving;               /* resolving: warps in SCR */
    uint8_t *table;                                /* SCR's filter; 2PCR without cost: ownership table */
    struct cw_adapt_first_read_table *first_read;  /* temporal conflict detection; NULL: none */
    uint32_t asking;                               /* requests for commit IDs without grant */
    cw_time watchdog;                              /* next look for long attempts */
    struct cw_adapt_conflict_address_table *cat;   /* EAPG. NULL */
    struct cw_kilo_resend resend[CW_KILO_RESENDS]; /* ring */
    struct cw_ring resend_ring;
    uint32_t readers[1u << CW_KILO_READER_BITS]; /* ideal, EAPG: running reads per hashed word */
    uint64_t overwritten;                        /* ideal: place in the broadcast of overwritten words */
};

/* How many running reads of the core have the hash of that word. */
static inline uint32_t *cw_kilo__readers(struct cw_kilo_core *c, uint64_t addr)
{
    return c->readers + (((addr >> 2) * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - CW_KILO_READER_BITS));
}

/* The phase that validate.c moves: that of the warp, or of a validation while it runs. */
static inline uint32_t *cw_kilo__stage(struct cw_kilo_core *c, uint32_t warp)
{
    return c->warp[warp].probe ? &c->warp[warp].probe_phase : &c->half.warp[warp].phase;
}

/* commit.c: from tx_commit to the end of the attempt: a cycle of a warp, as struct cw_tm_core_ops has it. */
cw_time cw_kilo__commit_advance(void *self, uint32_t warp, cw_time now);

/* resolve.c: intra-warp conflict resolution of a committing warp */
/* One cycle; true when the phase after it is due. */
bool cw_kilo__resolve_step(struct cw_kilo_core *c, uint32_t warp, cw_time now);

/* validate.c: from commit IDs to the last acknowledgement */
struct cw_message *cw_kilo__log_message(void *self, uint32_t warp, bool write, uint32_t partition, cw_time now);
/* A message without a log, about all members. */
struct cw_message *cw_kilo__control(const struct cw_kilo_core *c, uint32_t warp, uint32_t op, uint32_t partition, cw_time now);
/* These lanes of the warp ask for commit IDs; none: its validation is over. */
void cw_kilo__validate(struct cw_kilo_core *c, uint32_t warp, cw_lanes lanes, cw_time now);
/* A cycle of the walk over the warp's logs. */
void cw_kilo__walk_step(struct cw_kilo_core *c, uint32_t warp, cw_time now);
void cw_kilo__take_grants(struct cw_kilo_core *c, cw_time now);
/* For hooks. granted: the logs are sent; memory is as it will be, and nothing is sent, or the write logs, for the time and the traffic. */
void cw_kilo__granted(struct cw_kilo_core *c, const struct cw_kilo_request *r, cw_time now);
void cw_kilo__decided(struct cw_kilo_core *c, const struct cw_kilo_request *r, cw_time now);
void cw_kilo__decided_sends(struct cw_kilo_core *c, const struct cw_kilo_request *r, cw_time now);
/* await: verdicts, or the acknowledgement of what has been decided. */
void cw_kilo__await_verdicts(struct cw_kilo_core *c, uint32_t warp, cw_lanes lanes);
void cw_kilo__await_ack(struct cw_kilo_core *c, uint32_t warp, cw_lanes lanes);
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
/* Whether the load has to wait for an answer of the table. */
bool cw_kilo__pause(struct cw_kilo_core *c, struct cw_tm_access *a, cw_time now);
/* The table's cycle. Loads go on, or pause. */
void cw_kilo__resume(struct cw_kilo_core *c, cw_time now);
/* When the next such cycle is due, after this one. */
cw_time cw_kilo__resume_next(const struct cw_kilo_core *c, cw_time now);

/* early.c: running transactions whose reads have been overwritten */
/* EAPG: the word has been overwritten with that value; those that have read another one abort. */
void cw_kilo__overwritten(struct cw_kilo_core *c, uint64_t addr, uint32_t value, cw_time now);
/* Idealised systems: follows the arbiter's broadcast. */
void cw_kilo__follow(struct cw_kilo_core *c, cw_time now);

/* attempt.c: begin and end of attempts */
void cw_kilo__begun(void *self, uint32_t warp, cw_time now);
void cw_kilo__abort_lanes(struct cw_kilo_core *c, uint32_t warp, cw_lanes lanes, enum cw_kilo_abort cause, cw_time now);
/* Lanes with reads, with writes. */
void cw_kilo__accessed(const struct cw_redo_log *log, cw_lanes *reads, cw_lanes *writes);

#endif
