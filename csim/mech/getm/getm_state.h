/* SPDX-License-Identifier: Apache-2.0 */
/* State of the GETM system, shared by its source files; nobody else includes this. The protocol is described in getm.h. */
#ifndef CW_MECH_GETM_GETM_STATE_H
#define CW_MECH_GETM_GETM_STATE_H

#include "cowarp/unit/validation_unit.h"
#include "mech/getm/getm.h"
#include "mech/tm/access.h"
#include "mech/tm/attempt.h"
#include "mech/tm/resolver.h"
#include "mech/tm/tokens.h"
#include "mech/tm/write_set.h"

enum { CW_GETM_TIES_WARP, CW_GETM_TIES_NONE };
enum { CW_GETM_NEW_CORE, CW_GETM_NEW_WARP };

enum cw_getm_sabotage { CW_GETM_SOUND, CW_GETM_SKIP_OWNER, CW_GETM_DROP_RTS, CW_GETM_FORGET_RELEASE };

/* sub of TX_CONTROL and TX_CONTROL_REPLY */
enum {
    CW_GETM_STOP,
    CW_GETM_ACK,
    CW_GETM_RESUME,
    CW_GETM_DONE,
    CW_GETM_LOG,
    CW_GETM_ANSWER
}; /* DONE: end of a warp's log, and that it has been carried out */

/* Body of a request to the validation unit, and of its reply. */
struct cw_getm_access_body {
    struct cw_tx_access_body access;
    uint64_t warpts;   /* request: the warp's logical time; reply: the latest time that aborted a lane */
    uint32_t owner;    /* global warp number: core * core.warps + warp */
    uint32_t ticket;   /* log messages that the warp has sent to this partition */
    uint32_t granules; /* of the line that are touched */
    uint32_t granted;  /* reply: those that the VU granted */
    uint32_t cause;    /* reply: worst enum cw_vu_outcome */
    bool spill;        /* store: the VU may use the overflow area */
};
CW_MESSAGE_BODY(cw_getm_access, struct cw_getm_access_body)

/* Body of a LOG message. */
struct cw_getm_log_body {
    struct cw_tx_log_body log;
    uint32_t owner;
    uint32_t names;   /* oracle: 1 + index of the attempts' names; 0: none */
    uint32_t writing; /* the commit unit's: writes that are not done */
};
CW_MESSAGE_BODY(cw_getm_log, struct cw_getm_log_body)

#define CW_GETM_CLEAN 1u /* flags of a log entry without data */

enum cw_getm_phase {
    CW_GETM_IDLE,
    CW_GETM_TOKEN, /* waits for a token */
    CW_GETM_RUN,
    CW_GETM_DRAIN, /* at tx_commit: log writes on their way */
    CW_GETM_QUEUE, /* waits for an ownership table */
    CW_GETM_INIT,
    CW_GETM_MARK,
    CW_GETM_CHECK, /* 2PCR */
    CW_GETM_WALK,  /* reads the write log */
    CW_GETM_SEND,  /* log packets wait for the interconnect */
    CW_GETM_HELD   /* attempt over; restarts after the rollover */
};

struct cw_getm_warp {
    enum cw_getm_phase phase;
    uint64_t warpts, next_warpts;  /* of this attempt; at least, of the next one */
    uint32_t tx_lanes;             /* of the transaction */
    uint32_t lanes;                /* of the attempt */
    uint32_t aborted;              /* of these */
    uint32_t ready;                /* commit: lanes at tx_commit, later those that survived 2PCR */
    uint32_t aborts;               /* failed attempts of this transaction */
    uint32_t starved;              /* of these, since a lane committed, the ones with an abort for want of a place */
    uint32_t requested;            /* requests sent in this attempt */
    uint32_t resolver;             /* its ownership table */
    struct cw_log_walk walk;       /* of commit phases */
    uint32_t acks;                 /* SEND: getm.commit_acks, awaited */
    bool cleaned;                  /* an aborted lane had stored */
    bool full;                     /* a lane aborted for want of a place: CW_VU_FULL */
    cw_time begun, ended, waiting; /* attempt's start; tx_commit; since when it waits */
    cw_time done;                  /* end of the transaction's last attempt */
    uint16_t *ticket;              /* per partition */
    uint64_t attempt[CW_LANES];    /* observer's numbers */
    struct cw_redo_log log;
    struct cw_write_set set;
};

struct cw_getm_core {
    struct cw_getm *tm;
    struct cw_core *core;
    uint32_t index;
    struct cw_getm_warp *warp;
    struct cw_tokens tokens;
    struct cw_rng rng;
    uint64_t largest; /* largest warpts used, getm.new_warpts = core */
    struct cw_accesses access;
    /* commits */
    uint8_t committing[64]; /* warps, oldest first */
    uint32_t committing_cnt;
    struct cw_resolvers resolvers;
    /* rollover */
    bool stopped;
    uint32_t acks_left;
    uint64_t doomed; /* warps that accessed memory while stopped: aborted in the next tick */
};

struct cw_getm_pending;
struct cw_getm_vu;
struct cw_getm_cu;

/* What travels from CU to VU adapter. */
struct cw_getm_release {
    uint64_t granule;
    uint32_t count; /* 0: only the rest counts */
    uint32_t owner;
    bool last;               /* a log packet of the owner is done */
    bool ack;                /* instead: a core has nothing in flight */
    struct cw_message *done; /* instead: this goes back to its core */
    uint64_t after;          /* commit write that has to be done first */
};

/* The ring between the VUs: who wrote what when; a reader looks at times at least one ring latency ago. */
struct cw_getm_ring {
    uint64_t epoch; /* written by partition 0: rollovers finished */
    bool stopping;  /* written by partition 0 */
    cw_time stop_time;
    uint64_t *wanted; /* per partition: epoch that it wants to end + 1 */
    cw_time *wanted_time;
    uint64_t *flushed; /* per partition: epochs that it has flushed */
    cw_time *flushed_time;
};

struct cw_getm {
    struct cw_mech_host cfg;
    const struct cw_config *config;
    enum cw_getm_sabotage sabotage;
    uint32_t id_bits; /* low timestamp bits that hold the warp number; 0: none */
    uint64_t ts_max;
    uint32_t granule_shift;
    struct cw_getm_core *core;
    struct cw_getm_vu **vu;
    struct cw_getm_cu **cu;
    struct cw_getm_ring ring;
    /* oracle: attempt numbers of the lanes of each log packet; index + 1 is the packet's tag */
    uint64_t (*names)[CW_LANES];
    uint32_t *names_free;
    uint32_t names_cap, names_free_cnt;
    /* statistics kept aside */
    uint64_t logical_max, logical_counted; /* of this period */
    uint64_t stalled;                      /* requests in all stall buffers */
    uint64_t stalled_folded;
    cw_time stalled_time;
};

static inline cw_time cw_getm_period(const struct cw_getm *tm, enum cw_domain d)
{
    return tm->cfg.clocks->period[d];
}

static inline uint32_t cw_getm_owner(const struct cw_getm *tm, uint32_t core, uint32_t warp)
{
    return core * tm->config->core_warps + warp;
}

static inline uint64_t cw_getm_granule(const struct cw_getm *tm, uint64_t addr)
{
    return (addr - CW_GLOBAL_BASE) >> tm->granule_shift;
}

/* getm.c */
/* The warp's smallest timestamp that is later than `cause`; at least its first one. */
uint64_t cw_getm__after(const struct cw_getm *tm, uint64_t cause, uint32_t owner);
/* The warp's timestamp in the same logical instant as ts. */
uint64_t cw_getm__at(const struct cw_getm *tm, uint64_t ts, uint32_t owner);
void cw_getm__note_time(struct cw_getm *tm, uint64_t warpts);
uint32_t cw_getm__names_new(struct cw_getm *tm, const uint64_t attempt[CW_LANES]);
void cw_getm__names_free(struct cw_getm *tm, uint32_t tag);
void cw_getm__fault(struct cw_getm *tm, int status, const char *text);

/* getm_core.c */
extern const struct cw_core_sockets cw_getm__core_ops;
/* Statuses: CW_ENOMEM, or the unit provider's, with err. */
int cw_getm__core_create(struct cw_getm_core *c, struct cw_getm *tm, uint32_t index, struct cw_error *err);
void cw_getm__core_destroy(struct cw_getm_core *c);
/* Ends lanes of the running attempt. cause: enum cw_vu_outcome, or CW_GETM_INTRA_WARP. */
#define CW_GETM_INTRA_WARP 4
void cw_getm__abort_lanes(struct cw_getm_core *c, uint32_t warp, uint32_t lanes, uint32_t cause, cw_time now);
void cw_getm__begin_attempt(struct cw_getm_core *c, uint32_t warp, uint32_t lanes, cw_time now);
void cw_getm__wake_next(struct cw_getm_core *c, cw_time now);

/* getm_commit.c */
void cw_getm__commit(void *self, uint32_t warp, cw_lanes lanes, cw_time now);
/* One core cycle of every committing warp; whether some warp needs the next one too. */
bool cw_getm__commit_tick(struct cw_getm_core *c, cw_time now);
void cw_getm__restart(struct cw_getm_core *c, uint32_t warp, cw_time now);

/* getm_partition.c */
int cw_getm__vu_create(struct cw_getm_vu **out, struct cw_getm *tm, uint32_t index, struct cw_error *err);
void cw_getm__vu_destroy(struct cw_getm_vu *v);
struct cw_component *cw_getm__vu_component(struct cw_getm_vu *v);
struct cw_fifo *cw_getm__vu_releases(struct cw_getm_vu *v);
bool cw_getm__vu_idle(const struct cw_getm_vu *v);
void cw_getm__vu_finish(struct cw_getm_vu *v);

/* getm_commit_unit.c */
int cw_getm__cu_create(struct cw_getm_cu **out, struct cw_getm *tm, uint32_t index, struct cw_error *err);
void cw_getm__cu_destroy(struct cw_getm_cu *u);
struct cw_component *cw_getm__cu_component(struct cw_getm_cu *u);
bool cw_getm__cu_idle(const struct cw_getm_cu *u);

#endif
