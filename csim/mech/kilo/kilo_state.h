/* SPDX-License-Identifier: Apache-2.0 */
/* State of the Kilo TM family, shared by its source files; nobody else includes this. The protocol is described in kilo.h. */
#ifndef CW_MECH_KILO_KILO_STATE_H
#define CW_MECH_KILO_KILO_STATE_H

#include "adapt/first_read_table.h"
#include "adapt/last_written_table.h"
#include "mech/kilo/kilo.h"
#include "mech/tm/access.h"
#include "mech/tm/attempt.h"
#include "mech/tm/redo_log.h"
#include "mech/tm/resolver.h"
#include "mech/tm/tokens.h"

#define CW_KILO_PARTITIONS  64u
#define CW_KILO_ENTRIES_MAX 65536u /* of a commit unit (include/cowarp/unit/commit_unit.h) */

enum cw_kilo_kind { CW_KILO_TM, CW_KILO_WARPTM, CW_KILO_EAPG, CW_KILO_EL, CW_KILO_IDEAL };
enum cw_kilo_resolution { CW_KILO_NONE, CW_KILO_SCR, CW_KILO_2PCR, CW_KILO_SCR_FREE, CW_KILO_2PCR_FREE };
#define CW_KILO_READER_BITS 13 /* a core runs up to 1,536 transactions of a few reads */

enum { CW_KILO_ENTRY, CW_KILO_ROW }; /* kilo.walker */
enum cw_kilo_tcd { CW_KILO_TCD_AUTO, CW_KILO_TCD_OFF, CW_KILO_TCD_PUBLISHED, CW_KILO_TCD_CLOSED };
enum cw_kilo_sabotage { CW_KILO_SOUND, CW_KILO_SKIP_REVALIDATION, CW_KILO_OUT_OF_ORDER, CW_KILO_IGNORE_HAZARD };

/* sub of TX_LOG: which set the entries belong to; with CW_KILO_AGAIN, the answer to a RESEND. */
enum { CW_KILO_READS = 0x40, CW_KILO_WRITES = 0x41 };
#define CW_KILO_LOG   0x40u
#define CW_KILO_AGAIN 0x10u

/* sub of TX_CONTROL: DONE (DONE_FILL, and SKIP when no lane has accesses here), OUTCOME (TX_PASS, TX_FAIL), EOS (end of a RESEND's answer)
 */
enum { CW_KILO_DONE, CW_KILO_OUTCOME, CW_KILO_EOS };
/* sub of TX_CONTROL_REPLY: VERDICT (CU_PASS, CU_FAIL), ACK (CU_DONE_COMMIT), RESEND; EAPG's broadcasts */
enum { CW_KILO_VERDICT, CW_KILO_ACK, CW_KILO_RESEND, CW_KILO_COMMITTING, CW_KILO_WRITTEN, CW_KILO_LOADED };

/* Body of a request for a load, and of its reply. */
struct cw_kilo_access_body {
    struct cw_tx_access_body access;
    uint64_t stamp;    /* reply: last-written time of the line; idealised systems: last commit that the partition has carried out */
    uint64_t time[32]; /* reply, only with cw_kilo_tcd_by_lane(): last-written time of what each lane touches */
};
CW_MESSAGE_BODY(cw_kilo_access, struct cw_kilo_access_body)

/* Body of every message about commits. */
struct cw_kilo_commit_body {
    uint64_t first; /* commit ID of the lowest of the message's lanes */
    uint32_t epoch; /* how often commit IDs have begun again */
    bool probe;     /* a validation by the watchdog */
    /* DONE: pass are the lanes with accesses here. OUTCOME, VERDICT: lanes that passed, and that failed. ACK: pass. RESEND, EOS: pass is
     * the lane, fail the set, 0 or 1. */
    uint32_t pass, fail;
    struct cw_tx_log_body log; /* READS, WRITES, COMMITTING, WRITTEN */
};
CW_MESSAGE_BODY(cw_kilo_commit, struct cw_kilo_commit_body)

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
    uint32_t tx_lanes, lanes, aborted; /* of the transaction, of the attempt, of these */
    uint32_t ready;                    /* commit: lanes at tx_commit that still want to commit */
    uint32_t aborts;                   /* failed attempts of this transaction */
    uint32_t paused;                   /* EAPG: lanes of the transaction that have paused */
    struct cw_log_walk walk;           /* of commit phases */
    uint32_t resolver;                 /* its ownership table */
    uint32_t losers;                   /* of intra-warp resolution */
    uint32_t unscanned;                /* SCR: lanes that have not been through it */
    bool adding;                       /* SCR: the lowest of them adds its writes */
    cw_time begun, ended, waiting, done;
    /* between commit IDs and end of attempt */
    bool probe; /* a validation by the watchdog while the warp runs */
    enum cw_kilo_phase probe_phase;
    cw_time probe_at; /* end of the last one */
    uint64_t first_id;
    uint32_t epoch;
    cw_time walk_free;                                               /* until then the walker is busy with a row */
    uint32_t members;                                                /* lanes with commit IDs */
    uint32_t rows_read, rows_written;                                /* of the logs that are validated */
    uint32_t touched[CW_KILO_PARTITIONS], wrote[CW_KILO_PARTITIONS]; /* lanes by partition */
    uint32_t verdicts[CW_LANES];                                     /* awaited per lane; aggregated: [0] counts partitions */
    uint32_t passed_at[CW_KILO_PARTITIONS];                          /* lanes that passed there */
    uint32_t undecided, failed;
    uint32_t acks;              /* awaited */
    uint64_t attempt[CW_LANES]; /* observer's numbers */
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

struct cw_kilo_cat;
struct cw_kilo_arbiter;

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
    uint8_t committing[64], probing[64]; /* warps with work in kilo_commit.c, oldest first */
    uint32_t committing_cnt, probing_cnt, resolving;
    uint8_t *table;                                /* SCR's filter; 2PCR without cost: ownership table */
    struct cw_resolvers resolvers;                 /* 2PCR */
    struct cw_adapt_first_read_table *first_read;  /* temporal conflict detection; NULL: none */
    struct cw_fifo grant;                          /* from the ID vendor, or the arbiter */
    struct cw_fifo request;                        /* to it */
    uint32_t asking;                               /* requests without grant */
    cw_time watchdog;                              /* next look for long attempts */
    struct cw_kilo_cat *cat;                       /* EAPG */
    struct cw_kilo_resend resend[CW_KILO_RESENDS]; /* ring */
    uint32_t resend_head, resend_cnt;
    uint32_t readers[1u << CW_KILO_READER_BITS]; /* ideal, EAPG: running reads per hashed word */
};

struct cw_kilo_unit;
struct cw_kilo_port;
struct cw_kilo_vendor;

struct cw_kilo {
    struct cw_mech_host cfg;
    const struct cw_config *config;
    enum cw_kilo_kind kind;
    enum cw_kilo_sabotage sabotage;
    enum cw_kilo_resolution resolution;
    enum cw_kilo_tcd tcd;
    bool aggregate, coalesce;
    bool early;      /* cores keep a filter of running reads */
    uint32_t window; /* commit entries per partition: IDs that may be under way at once */
    struct cw_kilo_core *core;
    struct cw_kilo_port **port;
    struct cw_kilo_unit **unit;
    struct cw_kilo_vendor *vendor;
    struct cw_kilo_arbiter *arbiter;
};

static inline cw_time cw_kilo_period(const struct cw_kilo *tm, enum cw_domain d)
{
    return tm->cfg.clocks->period[d];
}

static inline uint32_t cw_kilo_lane_cnt(uint32_t lanes)
{
    return (uint32_t)__builtin_popcount(lanes);
}

/* Of temporal conflict detection. */
static inline uint64_t cw_kilo_tcd_block(const struct cw_kilo *tm, uint64_t addr)
{
    return addr / tm->config->tcd_granule_bytes;
}

/* Whether replies to loads carry a last-written time for each lane (time) instead of one for the line (stamp). */
static inline bool cw_kilo_tcd_by_lane(const struct cw_kilo *tm)
{
    return tm->tcd != CW_KILO_TCD_OFF && tm->config->tcd_granule_bytes < CW_LINE_BYTES;
}

/* Idealised systems decide at one place and write memory at once (kilo_arbiter.c). */
static inline bool cw_kilo_arbitrated(const struct cw_kilo *tm)
{
    return tm->kind == CW_KILO_EL || tm->kind == CW_KILO_IDEAL;
}

/* kilo.c */
void cw_kilo__fault(struct cw_kilo *tm, int status, const char *text);
/* A message of the system with no more than a header; addr names the partition. */
struct cw_message *cw_kilo__message(struct cw_kilo *tm, enum cw_message_kind kind, uint32_t sub, uint32_t partition, cw_time now);

/* kilo_core.c */
extern const struct cw_core_sockets cw_kilo__core_ops;
/* Statuses: CW_ENOMEM, or the unit provider's, with err. */
int cw_kilo__core_create(struct cw_kilo_core *c, struct cw_kilo *tm, uint32_t index, struct cw_error *err);
void cw_kilo__core_destroy(struct cw_kilo_core *c);
void cw_kilo__abort_lanes(struct cw_kilo_core *c, uint32_t warp, uint32_t lanes, enum cw_kilo_abort cause, cw_time now);
void cw_kilo__begin_attempt(struct cw_kilo_core *c, uint32_t warp, uint32_t lanes, cw_time now);
/* A message leaves the core behind those already queued. */
void cw_kilo__emit(struct cw_kilo_core *c, uint32_t warp, struct cw_message *p);

/* kilo_commit.c */
void cw_kilo__commit(void *self, uint32_t warp, cw_lanes lanes, cw_time now);
bool cw_kilo__commit_tick(struct cw_kilo_core *c, cw_time now);
/* Begins a validation of attempts that run too long. */
void cw_kilo__watchdog(struct cw_kilo_core *c, cw_time now);
/* Messages from the commit units. */
void cw_kilo__verdict(struct cw_kilo_core *c, const struct cw_message *p, cw_time now);
void cw_kilo__ack(struct cw_kilo_core *c, const struct cw_message *p);
void cw_kilo__resend(struct cw_kilo_core *c, const struct cw_message *p);
/* Lanes of the attempt have committed: counts them, and tells the oracle their write set. */
void cw_kilo__seal(struct cw_kilo_core *c, uint32_t warp, uint32_t lanes, cw_time now);

/* kilo_resolve.c: intra-warp conflict resolution of a committing warp */
/* Whether the warp has to go through it. */
bool cw_kilo__resolve_needed(const struct cw_kilo_core *c, const struct cw_kilo_warp *w);
/* One cycle; true when the phase after it is due. */
bool cw_kilo__resolve_step(struct cw_kilo_core *c, uint32_t warp, cw_time now);
/* Begins one L1 read of the log, if fewer than total have begun. */
void cw_kilo__read_log(struct cw_kilo_core *c, uint32_t warp, uint32_t total, bool write_log, uint32_t row, bool value, cw_time now);

/* kilo_vendor.c: commit IDs */
int cw_kilo__vendor_create(struct cw_kilo_vendor **out, struct cw_kilo *tm);
void cw_kilo__vendor_destroy(struct cw_kilo_vendor *v);
struct cw_component *cw_kilo__vendor_component(struct cw_kilo_vendor *v);
void cw_kilo__ask_id(struct cw_kilo_core *c, uint32_t warp, uint32_t cnt, cw_time now);
struct cw_kilo_grant {
    uint64_t first;
    uint32_t warp, epoch;   /* epoch: how often IDs have begun again */
    uint32_t pass, writers; /* from the arbiter: lanes that commit; of these, lanes with writes */
};
struct cw_fifo *cw_kilo__vendor_retired(struct cw_kilo_vendor *v, uint32_t partition);

/* kilo_port.c: loads at the L2, and the commit unit's messages to the cores */
/* Statuses: CW_ENOMEM, or the unit provider's, with err. */
int cw_kilo__port_create(struct cw_kilo_port **out, struct cw_kilo *tm, uint32_t index, struct cw_error *err);
void cw_kilo__port_destroy(struct cw_kilo_port *p);
struct cw_component *cw_kilo__port_component(struct cw_kilo_port *p);
bool cw_kilo__port_idle(const struct cw_kilo_port *p);
/* From the commit unit, in order: a packet for a core, or what the last-written table has to know. */
enum cw_kilo_note { CW_KILO_PACKET, CW_KILO_EXPECT, CW_KILO_WROTE };
struct cw_kilo_event {
    enum cw_kilo_note note;
    struct cw_message *packet;
    uint64_t block;
    uint32_t cnt; /* WROTE, EXPECT: expected writes that are over, that begin */
    bool written;
};
bool cw_kilo__port_room(const struct cw_kilo_port *p, cw_time now);
void cw_kilo__port_tell(struct cw_kilo_port *p, struct cw_kilo_event e, cw_time now);

/* kilo_eapg.c */
void cw_kilo__eapg_news(struct cw_kilo_core *c, const struct cw_message *p, cw_time now);
/* Whether the load has to pause, and whether it may go on. */
bool cw_kilo__eapg_pause(struct cw_kilo_core *c, const struct cw_access *a, cw_time now);
bool cw_kilo__eapg_resume(struct cw_kilo_core *c, const struct cw_access *a, cw_time now);

/* kilo_arbiter.c: idealised conflict detection */
struct cw_kilo_apply {
    uint64_t addr, commit, attempt;
    cw_time ready;
    uint32_t value;
    uint8_t bytes;
};
int cw_kilo__arbiter_create(struct cw_kilo_arbiter **out, struct cw_kilo *tm);
void cw_kilo__arbiter_destroy(struct cw_kilo_arbiter *a);
struct cw_component *cw_kilo__arbiter_component(struct cw_kilo_arbiter *a);
/* Aborts what the core runs on words that have been overwritten. */
void cw_kilo__arbiter_follow(struct cw_kilo_core *c, cw_time now);
/* Writes a word at the port's first edge at or after e->ready. */
void cw_kilo__port_apply(struct cw_kilo_port *p, const struct cw_kilo_apply *e);
static inline uint32_t cw_kilo__reader_hash(uint64_t addr)
{
    return (uint32_t)(((addr >> 2) * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - CW_KILO_READER_BITS));
}

/* kilo_unit.c: the commit unit */
/* Statuses: CW_ENOMEM, or the unit provider's, with err. */
int cw_kilo__unit_create(struct cw_kilo_unit **out, struct cw_kilo *tm, uint32_t index, struct cw_error *err);
void cw_kilo__unit_destroy(struct cw_kilo_unit *u);
struct cw_component *cw_kilo__unit_component(struct cw_kilo_unit *u);
bool cw_kilo__unit_idle(const struct cw_kilo_unit *u);

#endif
