/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of a core half of snapshot isolation.
 *
 * Private to: attempt.c, commit.c, core_half.c.
 */
#ifndef CW_MECH_SNAPSHOT_CORE_HALF_H
#define CW_MECH_SNAPSHOT_CORE_HALF_H

#include "base/rng.h"
#include "mech/snapshot/shared.h"
#include "mech/tm/access.h"
#include "mech/tm/redo_log.h"
#include "mech/tm/tell.h"
#include "mech/tm/tokens.h"

enum cw_si_phase {
    CW_SI_IDLE,
    CW_SI_TOKEN, /* waits for a token */
    CW_SI_ASK,   /* has asked to begin */
    CW_SI_GIVEN, /* may begin; the core has not asked again yet */
    CW_SI_RUN,
    CW_SI_DRAIN,     /* at tx_commit: log writes on their way, edges not dated */
    CW_SI_WALK,      /* reads its write logs, sends them */
    CW_SI_VERDICTS,  /* waits for the commit units */
    CW_SI_ADMISSION, /* waits for a version to write into */
    CW_SI_ACKS,      /* its words are being written */
    CW_SI_CLOSE,     /* waits for its version to become readable */
    CW_SI_BACKOFF,   /* lanes that have aborted wait */
    CW_SI_ASK_AGAIN  /* they have asked to begin */
};

enum cw_si_cause { CW_SI_BY_SINGLE_WRITER, CW_SI_BY_WRITE_WRITE, CW_SI_BY_LOOP, CW_SI_BY_TABLE };

struct cw_si_warp {
    enum cw_si_phase phase;
    cw_lanes tx_lanes, lanes, aborted; /* of the transaction, of the attempt, of these */
    cw_lanes told;                     /* of these, those of which the version manager knows */
    cw_lanes members, failed, writers; /* that commit; of these; with writes */
    uint32_t aborts;                   /* failed attempts of this transaction */
    uint32_t in_vain;                  /* since a lane has committed */
    cw_lanes again;                    /* lanes of the attempt that has been asked for */
    uint32_t dates;                    /* accesses with edges that are not dated */
    struct cw_log_walk walk;
    cw_time begun, ended, waiting, done, decided;
    cw_time begin; /* of its snapshot */
    uint16_t id[CW_LANES];
    cw_lanes touched[CW_SI_PARTITIONS];
    uint32_t verdicts, acks;
    bool admitted;
    uint32_t slot;
    struct cw_redo_log log;
};

struct cw_si_core {
    struct cw_si *tm;
    struct cw_core *core;
    uint32_t index;
    struct cw_si_warp *warp;
    struct cw_tokens tokens;
    struct cw_rng rng; /* of back-offs: two that refuse each other must not begin again together for ever */
    struct cw_accesses access;
    uint8_t busy[64]; /* warps beyond RUN, or with lanes to be told; oldest first */
    uint32_t busy_cnt;
};

/* attempt.c */
struct cw_attempt_name cw_si__attempt_name(const struct cw_si_core *c, uint32_t warp);
/* The warp has something to do in the next cycle. */
void cw_si__make_busy(struct cw_si_core *c, uint32_t warp);
void cw_si__abort_lanes(struct cw_si_core *c, uint32_t warp, cw_lanes lanes, enum cw_si_cause cause, cw_time now);
void cw_si__begin_attempt(struct cw_si_core *c, uint32_t warp, cw_lanes lanes, cw_time now);
void cw_si__ask(struct cw_si_core *c, uint32_t warp, enum cw_si_ask kind, cw_lanes lanes, cw_lanes writers, cw_time now);

/* commit.c: from tx_commit to the end of the attempt */
void cw_si__commit(void *self, uint32_t warp, cw_lanes lanes, cw_time now);
void cw_si__verdict(struct cw_si_core *c, const struct cw_message *p, cw_time now);
void cw_si__ack(struct cw_si_core *c, const struct cw_message *p);
/* A cycle of the warp; when the next one is needed. */
cw_time cw_si__commit_advance(struct cw_si_core *c, uint32_t warp, cw_time now);

#endif
