/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core half of a transactional system with redo logs: what GETM, the Kilo TM family and snapshot isolation do alike in a core. It owns
 * the warps' attempts, their logs and their accesses, the tokens, the phases of a commit, and the report of a deadlock. The system adds its
 * own part by hooks (struct cw_tm_core_ops).
 *
 *   tx_begin     cw_tm_core_token, cw_tm_core_admit    a warp waits for its token, then its first attempt begins
 *   accesses     cw_tm_core_access                     access.h does the rest
 *   an abort     cw_tm_core_abort                      lanes leave the attempt; they may at any time before its end
 *   tx_commit    cw_tm_core_commit                     from here on the hook `advance` moves the warp, once per cycle
 *     DRAIN                                            its log writes reach the L1
 *     QUEUE to CHECK  cw_tm_core_resolve               conflicts among its lanes, in an ownership table (resolver.h)
 *     then the system's own phases, which may use
 *                cw_tm_core_walk, _send_row            reads the logs, sends them row by row to the partitions
 *                cw_tm_core_committed, cw_tm_core_seal counts and tells the lanes that commit
 *   the end      cw_tm_core_end                        counts the attempt; ends the transaction when no lane has aborted
 *                cw_tm_core_restart                    or begins the next attempt, after a back-off
 *
 * A system's core half is a struct whose first member is a struct cw_tm_core. So `self`, which sockets and hooks get, is both, and the
 * functions below that take a self are sockets as they stand (csim/core/socket.h). What a system keeps of a warp beside struct cw_tm_warp
 * is in an array of its own.
 *
 * tests/mech/two_phase is the smallest example.
 */
#ifndef CW_MECH_TM_CORE_HALF_H
#define CW_MECH_TM_CORE_HALF_H

#include <stdio.h>

#include "mech/tm/access.h"
#include "mech/tm/resolver.h"
#include "mech/tm/tell.h"
#include "mech/tm/tokens.h"

#define CW_TM_PARTITIONS 64u /* most partitions of a system that uses cw_tm_core_send_row */

/*
 * Phases of a warp, X(name, what the report says after "transaction"). A system's own phases follow in a list of the same form:
 *     #define CW_MINE_PHASES(X) X(CW_MINE_WALK, "walks its write log")
 *     enum cw_mine_phase { CW_MINE__FIRST = CW_TM_PHASE_CNT - 1, CW_MINE_PHASES(CW_TM_PHASE_NAME) };
 *     static const char *const phases[] = {CW_MINE_PHASES(CW_TM_PHASE_TEXT)};
 */
#define CW_TM_PHASES(X)                             \
    X(CW_TM_IDLE, "no transaction")                 \
    X(CW_TM_TOKEN, "waits for a token")             \
    X(CW_TM_RUN, "runs")                            \
    X(CW_TM_DRAIN, "waits for its log writes")      \
    X(CW_TM_QUEUE, "waits for resolution metadata") \
    X(CW_TM_CLEAR, "resolution: clears its table")  \
    X(CW_TM_MARK, "2PCR: marks")                    \
    X(CW_TM_CHECK, "2PCR: checks")
#define CW_TM_PHASE_NAME(name, text) name,
#define CW_TM_PHASE_TEXT(name, text) text,

enum cw_tm_phase { CW_TM_PHASES(CW_TM_PHASE_NAME) CW_TM_PHASE_CNT };

struct cw_tm_warp {
    uint32_t phase;          /* enum cw_tm_phase, or one of the system's own */
    cw_lanes tx_lanes;       /* of the transaction */
    cw_lanes lanes;          /* of the attempt */
    cw_lanes aborted;        /* of these, those that have left it */
    cw_lanes ready;          /* from tx_commit on: lanes that reached it and have not been decided about; the system takes them out */
    uint32_t aborts;         /* attempts of this transaction that ended with a lane to begin again */
    uint32_t resolver;       /* CLEAR to CHECK: its ownership table */
    bool listed;             /* it has a place in cw_tm_core.list; cleared by `advance` only, and by what that calls */
    bool asleep;             /* the system's: it has no call of `advance`, until whoever has news for it clears this */
    struct cw_log_walk walk; /* of the phase that it is in; cw_tm_core_enter begins a new one */
    cw_time begun, ended;    /* of the attempt: its start, its tx_commit */
    cw_time waiting;         /* TOKEN: since when; in other phases the system's own */
    cw_time done;            /* the end of the attempt before, or of the back-off behind it */
    struct cw_redo_log log;
    cw_lanes *touched, *wrote; /* with log_message, by partition: lanes of which rows have been sent, of the write log */
};

/* The system's part. self is its core half. What says NULL may be left out. */
struct cw_tm_core_ops {
    struct cw_access_ops access;
    const char *const *phases; /* texts of its own phases */
    /* An attempt of the warp begins: lanes are set, the logs are still those of the attempt before. NULL. */
    void (*begun)(void *self, uint32_t warp, cw_time now);
    /* In each core cycle, before the warps that commit. Returns when it next has to be called without an event. NULL. */
    cw_time (*before)(void *self, cw_time now);
    /* A cycle of a warp of the list. Returns when the next one is due without an event. The warp leaves the list when `listed` is cleared:
     * by this hook, or by cw_tm_core_end and cw_tm_core_restart when they begin something new. */
    cw_time (*advance)(void *self, uint32_t warp, cw_time now);
    /* An empty message with entries of the warp's read log or write log for that partition. NULL without cw_tm_core_send_row. */
    struct cw_message *(*log_message)(void *self, uint32_t warp, bool write, uint32_t partition, cw_time now);
    size_t log_offset; /* where struct cw_tx_log_body stands in its body */
    /* What else the report says of a warp, behind a semicolon and a blank. NULL. */
    void (*report)(const void *self, uint32_t warp, FILE *out);
};

struct cw_tm_core {
    const struct cw_tm_common *common;
    const struct cw_tm_core_ops *ops;
    struct cw_core *core;
    uint32_t index;
    cw_time period;          /* of the core clock */
    struct cw_tm_warp *warp; /* config->core_warps */
    cw_lanes *touched;       /* of all warps */
    struct cw_tokens tokens;
    struct cw_rng rng; /* of back-offs: two that refuse each other must not begin again together for ever */
    struct cw_accesses access;
    struct cw_resolvers resolvers;
    bool closed;                   /* the system's: no transaction begins, and no access asks memory */
    uint8_t list[CW_TOKENS_WARPS]; /* warps that `advance` has to be called for, oldest first */
    uint32_t list_cnt;
};

struct cw_tm_core_options {
    const struct cw_message_type *body; /* of the system's requests, which begin with struct cw_tx_access_body */
    bool stores_ask;                    /* access.h */
    bool idealised;                     /* access.h */
    bool has_resolvers;                 /* with ownership tables, for cw_tm_core_resolve */
};

/* h is all zero. CW_ENOMEM, or the unit provider's status, with err. Destroy it in any case that has set h->common. */
int cw_tm_core_create(struct cw_tm_core *h, const struct cw_tm_common *common, uint32_t index, const struct cw_tm_core_ops *ops,
                      const struct cw_tm_core_options *options, struct cw_error *err);
void cw_tm_core_destroy(struct cw_tm_core *h);

static inline struct cw_attempt_name cw_tm_core_name(const struct cw_tm_core *h, uint32_t warp)
{
    return (struct cw_attempt_name){.core = h->index, .warp = warp, .attempt = cw_core_attempt(h->core, warp)};
}

/* Lanes of the attempt that have not aborted. */
static inline cw_lanes cw_tm_running(const struct cw_tm_warp *w)
{
    return cw_lanes_without(w->lanes, w->aborted);
}

/* Begin */

/* Whether a warp that wants to begin has a token: one that asks for the first time, or again. */
bool cw_tm_core_token(struct cw_tm_core *h, uint32_t warp, cw_time now);
/* A warp with a token begins its transaction. */
void cw_tm_core_admit(struct cw_tm_core *h, uint32_t warp, cw_lanes lanes, cw_time now);
/* The core's next attempt of the warp has begun already (cw_core_region_end), or will at that time. */
void cw_tm_core_begin(struct cw_tm_core *h, uint32_t warp, cw_lanes lanes, cw_time now);
/* Whoever waits for a token and could have one is asked to begin again. */
void cw_tm_core_wake_next(struct cw_tm_core *h, cw_time now);

/* The attempt */

/* Takes a memory instruction of a running attempt. NULL: no room now. Else the system lets it go, at once or later (cw_access_go). */
struct cw_tm_access *cw_tm_core_access(struct cw_tm_core *h, struct cw_mem_inst *inst);
/* Lanes of the attempt, which have not aborted, leave it; none: nothing happens. cause is static; by_cause is its counter. */
void cw_tm_core_abort(struct cw_tm_core *h, uint32_t warp, cw_lanes lanes, const char *cause, uint64_t *by_cause, cw_time now);

/* The commit */

/* The socket region_end: the lanes have reached tx_commit. */
void cw_tm_core_commit(void *self, uint32_t warp, cw_lanes lanes, cw_time now);
/* `advance` is called for the warp from now on. */
void cw_tm_core_list(struct cw_tm_core *h, uint32_t warp);
static inline void cw_tm_core_enter(struct cw_tm_warp *w, uint32_t phase)
{
    w->phase = phase;
    w->walk = (struct cw_log_walk){0};
}
/* Whether the warp's lanes can conflict with each other. */
bool cw_tm_core_must_resolve(const struct cw_tm_warp *w);
/* A cycle of the phases QUEUE to CHECK; true in the last one: *losers have to abort, and have been taken out of `ready`. */
bool cw_tm_core_resolve(struct cw_tm_core *h, uint32_t warp, cw_lanes *losers, cw_time now);
/* A cycle of a pass over so many rows of the read log, then of the write log: begins a log read, of the addresses of a row or of its
 * values. True when a row has been read in full that has not been taken yet: row number walk.step of both. */
bool cw_tm_core_walk(struct cw_tm_core *h, uint32_t warp, uint32_t read_rows, uint32_t write_rows, cw_time now);
/* Takes that row: sends its entries of these lanes, in a message per partition, and notes who has touched and written what. */
void cw_tm_core_send_row(struct cw_tm_core *h, uint32_t warp, uint32_t read_rows, cw_lanes lanes, cw_time now);
/* Forgets who has touched what. */
void cw_tm_core_clear_touched(struct cw_tm_core *h, uint32_t warp);
/* A message of the warp leaves the core behind those already queued. */
void cw_tm_core_emit(struct cw_tm_core *h, uint32_t warp, struct cw_message *p);
/* These lanes have committed, having written that many words; read_only of them none. Counts them; the words that they read too. */
void cw_tm_core_committed(struct cw_tm_core *h, const struct cw_tm_warp *w, cw_lanes lanes, uint32_t words, uint32_t read_only);
/* The same; the words are those of the write log, lane by lane, and the lanes' commits are told as events. */
void cw_tm_core_seal(struct cw_tm_core *h, uint32_t warp, cw_lanes lanes, cw_time now);
/* The attempt is over. Returns the lanes that have to begin again. If there are none, the transaction is over, and the warp gives its token
 * back. */
cw_lanes cw_tm_core_end(struct cw_tm_core *h, uint32_t warp, cw_time now);
/* Lanes that have aborted begin the next attempt that many core cycles later. */
void cw_tm_core_restart(struct cw_tm_core *h, uint32_t warp, uint64_t delay_cycles, cw_time now);

/* Sockets of the core. The first two are for systems that add nothing of their own. */

bool cw_tm_core_region_begin(void *self, uint32_t warp, cw_lanes lanes, cw_time now);
bool cw_tm_core_region_access(void *self, struct cw_mem_inst *inst, cw_time now);
void cw_tm_core_log_done(void *self, uint32_t warp, uint32_t cookie, cw_time now);
cw_time cw_tm_core_tick(void *self, cw_time now);
bool cw_tm_core_idle(const void *self);
void cw_tm_core_report(const void *self, FILE *out);

#endif
