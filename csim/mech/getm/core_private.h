/* SPDX-License-Identifier: Apache-2.0 */
/* State of GETM's half in a core. Private to: attempt.c, commit.c, core_half.c, log_packets.c, saved.c. */
#ifndef CW_MECH_GETM_CORE_PRIVATE_H
#define CW_MECH_GETM_CORE_PRIVATE_H

#include "mech/getm/core_half.h"
#include "mech/getm/messages.h"
#include "mech/tm/core_half.h"
#include "mech/tm/write_set.h"

/* Phases behind those of mech/tm/core_half.h. */
#define CW_GETM_PHASES(X)                  \
    X(CW_GETM_WALK, "walks its write log") \
    X(CW_GETM_SEND, "sends its write log") \
    X(CW_GETM_HELD, "waits for the rollover")

enum cw_getm_phase { CW_GETM__FIRST = CW_TM_PHASE_CNT - 1, CW_GETM_PHASES(CW_TM_PHASE_NAME) };

/* What GETM keeps of a warp beside struct cw_tm_warp. */
struct cw_getm_warp {
    uint64_t warpts, next_warpts; /* of this attempt; at least, of the next one */
    uint32_t failed;              /* attempts in a row of which no lane was left at tx_commit */
    uint32_t starved;             /* of those, the ones with an abort for want of a place */
    uint32_t requested;           /* requests sent in this attempt */
    uint32_t acks;                /* SEND: getm.commit_acks, awaited */
    cw_lanes refused;             /* of the attempt, by validation units */
    bool cleaned;                 /* one of these had stored */
    bool full;                    /* a lane aborted for want of a place: CW_VU_FULL */
    uint16_t *ticket;             /* per partition */
    struct cw_write_set set;
};

struct cw_getm_core {
    struct cw_tm_core half; /* first; closed: a rollover is under way */
    const struct cw_getm *getm;
    struct cw_getm_warp *warp;
    uint64_t largest;   /* largest warpts used, getm.new_warpts = core */
    uint32_t in_vain;   /* attempts of the core in a row of which no lane was left at tx_commit */
    uint32_t acks_left; /* rollover: to send */
    uint64_t doomed;    /* warps that accessed memory during a rollover: aborted in the next tick */
};

/* commit.c: a cycle of a warp at tx_commit, as struct cw_tm_core_ops has it. */
cw_time cw_getm__commit_advance(void *self, uint32_t warp, cw_time now);

/* log_packets.c: sends the warp's write set to the commit units: the words, and the reservations to give back. */
void cw_getm__log_send(struct cw_getm_core *c, uint32_t warp, cw_time now);

/* attempt.c: an attempt begins, loses lanes, and begins anew. */
void cw_getm__attempt_begun(void *self, uint32_t warp, cw_time now);
/* Ends lanes of the running attempt. cause: enum cw_vu_outcome, or CW_GETM_INTRA_WARP. */
#define CW_GETM_INTRA_WARP 4
void cw_getm__attempt_abort(struct cw_getm_core *c, uint32_t warp, cw_lanes lanes, uint32_t cause, cw_time now);
/* The attempt is over, and lanes of it have to try again: after the back-off they do. */
void cw_getm__attempt_restart(struct cw_getm_core *c, uint32_t warp, cw_time now);

#endif
