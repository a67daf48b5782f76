/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of a core half of snapshot isolation.
 *
 * Private to: attempt.c, commit.c, core_half.c, saved.c.
 */
#ifndef CW_MECH_SNAPSHOT_CORE_CORE_HALF_H
#define CW_MECH_SNAPSHOT_CORE_CORE_HALF_H

#include "mech/snapshot/shared.h"
#include "mech/tm/core_half.h"

/* Phases beside those of mech/tm/core_half.h. ASK and GIVEN come before RUN, the others behind DRAIN. */
#define CW_SI_PHASES(X)                                            \
    X(CW_SI_ASK, "waits for transaction IDs")                      \
    X(CW_SI_GIVEN, "may begin") /* the core has not asked again */ \
    X(CW_SI_WALK, "sends its logs")                                \
    X(CW_SI_VERDICTS, "waits for the commit units")                \
    X(CW_SI_ADMISSION, "waits for a version to write into")        \
    X(CW_SI_ACKS, "writes")                                        \
    X(CW_SI_CLOSE, "waits for its version to become readable")     \
    X(CW_SI_BACKOFF, "waits before it begins again")               \
    X(CW_SI_ASK_AGAIN, "waits for transaction IDs, again")

enum cw_si_phase { CW_SI__FIRST = CW_TM_PHASE_CNT - 1, CW_SI_PHASES(CW_TM_PHASE_NAME) };

enum cw_si_cause { CW_SI_BY_SINGLE_WRITER, CW_SI_BY_WRITE_WRITE, CW_SI_BY_LOOP, CW_SI_BY_TABLE };

/* What snapshot isolation keeps of a warp beside struct cw_tm_warp. */
struct cw_si_warp {
    cw_lanes told;                     /* of the aborted lanes, those of which the version manager knows */
    cw_lanes members, failed, writers; /* that commit; of these; with writes */
    cw_lanes crowded;                  /* of the aborted lanes, those that a full table has refused */
    cw_time age;                       /* when the transaction first asked for IDs */
    uint32_t blocks;                   /* that have taken the slot */
    bool looks;                        /* since its last transaction it has looked at what other threads do, outside of transactions */
    cw_time looked;                    /* when it last began one after it had */
    uint32_t in_vain;                  /* failed attempts since a lane has committed */
    cw_lanes again;                    /* lanes of the attempt that has been asked for */
    uint32_t dates;                    /* Accesses of which DATED will come. */
    uint16_t on_way[CW_LANES];         /* Accesses of a lane that are on their way, or of which DATED will come. */
    cw_time decided;
    cw_time begin;     /* of its snapshot */
    uint32_t snapshot; /* time of that */
    uint16_t id[CW_LANES];
    uint32_t verdicts, acks;
    bool admitted;
    uint32_t slot;
};

struct cw_si_core {
    struct cw_tm_core half; /* first */
    struct cw_si *tm;
    struct cw_si_warp *warp;
};

/* attempt.c */
void cw_si__abort_lanes(struct cw_si_core *c, uint32_t warp, cw_lanes lanes, enum cw_si_cause cause, cw_time now);
void cw_si__begun(void *self, uint32_t warp, cw_time now);
void cw_si__ask(struct cw_si_core *c, uint32_t warp, enum cw_si_ask kind, cw_lanes lanes, cw_lanes writers, cw_time now);

/* commit.c: from tx_commit to the end of the attempt */
struct cw_message *cw_si__log_message(void *self, uint32_t warp, bool write, uint32_t partition, cw_time now);
void cw_si__verdict(struct cw_si_core *c, const struct cw_message *p, cw_time now);
void cw_si__ack(struct cw_si_core *c, const struct cw_message *p);
/* A cycle of the warp; when the next one is needed. */
cw_time cw_si__commit_advance(struct cw_si_core *c, uint32_t warp, cw_time now);

#endif
