/* SPDX-License-Identifier: Apache-2.0 */
/* State of GETM's half in a core. Private to: attempt.c, commit.c, core_half.c, log_packets.c. */
#ifndef CW_MECH_GETM_CORE_PRIVATE_H
#define CW_MECH_GETM_CORE_PRIVATE_H

#include "mech/getm/core_half.h"
#include "mech/getm/messages.h"
#include "mech/tm/resolver.h"
#include "mech/tm/tell.h"
#include "mech/tm/tokens.h"
#include "mech/tm/write_set.h"

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
    CW_GETM_SEND,  /* log messages wait for the interconnect */
    CW_GETM_HELD   /* attempt over; restarts after the rollover */
};

struct cw_getm_warp {
    enum cw_getm_phase phase;
    uint64_t warpts, next_warpts;  /* of this attempt; at least, of the next one */
    cw_lanes tx_lanes;             /* of the transaction */
    cw_lanes lanes;                /* of the attempt */
    cw_lanes aborted;              /* of these */
    cw_lanes ready;                /* commit: lanes at tx_commit, later those that survived 2PCR */
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
    struct cw_redo_log log;
    struct cw_write_set set;
};

struct cw_getm_core {
    const struct cw_getm *getm;
    struct cw_core *core;
    uint32_t index;
    struct cw_getm_warp *warp;
    struct cw_tokens tokens;
    struct cw_rng rng;
    uint64_t largest; /* largest warpts used, getm.new_warpts = core */
    struct cw_accesses access;
    /* commits */
    uint8_t committing[CW_TOKENS_WARPS]; /* warps, oldest first */
    uint32_t committing_cnt;
    struct cw_resolvers resolvers;
    /* rollover */
    bool stopped;
    uint32_t acks_left; /* to send */
    uint64_t doomed;    /* warps that accessed memory while stopped: aborted in the next tick */
};

/* commit.c: from tx_commit on. lanes: those that reached it. */
void cw_getm__commit(void *self, uint32_t warp, cw_lanes lanes, cw_time now);
/* One core cycle of every committing warp; whether some warp needs the next one too. */
bool cw_getm__commit_tick(struct cw_getm_core *c, cw_time now);

/* log_packets.c: sends the warp's write set to the commit units: the words, and the reservations to give back. */
void cw_getm__log_send(struct cw_getm_core *c, uint32_t warp, cw_time now);

/* attempt.c: an attempt begins, loses lanes, and begins anew. */
void cw_getm__attempt_begin(struct cw_getm_core *c, uint32_t warp, cw_lanes lanes, cw_time now);
/* Ends lanes of the running attempt. cause: enum cw_vu_outcome, or CW_GETM_INTRA_WARP. */
#define CW_GETM_INTRA_WARP 4
void cw_getm__attempt_abort(struct cw_getm_core *c, uint32_t warp, cw_lanes lanes, uint32_t cause, cw_time now);
/* The attempt is over, and lanes of it have to try again: after the back-off they do. */
void cw_getm__attempt_restart(struct cw_getm_core *c, uint32_t warp, cw_time now);
/* Whoever waits for a token and could have one is asked to begin again. */
void cw_getm__wake_next(struct cw_getm_core *c, cw_time now);
struct cw_attempt_name cw_getm__attempt_name(const struct cw_getm_core *c, uint32_t warp);

#endif
