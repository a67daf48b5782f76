/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GETM's messages: the contract between the core half, the validation units and the commit units. README.md says which of them follows
 * which. The first word of each comment is the way: a core's, a partition's, or from the commit unit of a partition to its validation unit.
 */
#ifndef CW_MECH_GETM_MESSAGES_H
#define CW_MECH_GETM_MESSAGES_H

#include "mech/tm/access.h"

/* cw_message.op of messages of kind OWN and OWN_REPLY. Requests (kind READ for loads, PASS for stores) have none. */
enum {
    CW_GETM_LOG,  /* core: words of a committed attempt, and reservations to give back: struct cw_getm_log_body */
    CW_GETM_DONE, /* core: with getm.commit_acks, the end of a warp's log. It comes back as OWN_REPLY when the log has been carried out. */
    CW_GETM_ACK,  /* core: rollover: nothing of this core is in flight, and nothing follows */
    CW_GETM_ANSWER, /* partition: to a request: struct cw_getm_access_body */
    CW_GETM_STOP,   /* partition: a rollover begins */
    CW_GETM_RESUME  /* partition: and ends */
};

/* Body of a request to the validation unit, and of its answer. */
struct cw_getm_access_body {
    struct cw_tx_access_body access;
    uint64_t warpts;   /* request: the warp's logical time; answer: the latest time that aborted a lane */
    uint32_t owner;    /* global warp number: core * core.warps + warp */
    uint32_t ticket;   /* log messages that the warp has sent to this partition so far, modulo 65536 */
    uint32_t granules; /* bit g: granule g of the line is touched */
    uint32_t granted;  /* answer: those that the validation unit granted */
    uint32_t cause;    /* answer: worst enum cw_vu_outcome */
    bool spill;        /* store: the validation unit may use the overflow area */
};
CW_MESSAGE_BODY(cw_getm_access, struct cw_getm_access_body)

/* Body of a LOG message. */
struct cw_getm_log_body {
    uint32_t owner;            /* as in the requests */
    uint32_t writing;          /* the commit unit's own: writes of this message that are not done; the core sends 0 */
    struct cw_tx_log_body log; /* entry.count: store requests of the entry's granule that are given back */
};
CW_MESSAGE_BODY(cw_getm_log, struct cw_getm_log_body)

#define CW_GETM_CLEAN 1u /* flag of a log entry that gives reservations back and has no data */

/* What travels from the commit unit of a partition to its validation unit. It lies with the commit unit, which leaves it alone until the
 * receiver has popped it. */
struct cw_getm_release {
    uint64_t granule;
    uint32_t count; /* store requests to give back; 0: only the rest counts */
    uint32_t owner;
    bool last;               /* with it, a log message of the owner has been carried out */
    bool ack;                /* instead: an ACK of a core */
    struct cw_message *done; /* instead: a DONE, which goes back to its core */
    uint64_t after;          /* the commit unit's own: number of commit writes that have to be done first */
};

/* All of them, NULL-terminated: for the descriptor. */
extern const struct cw_message_type *const cw_getm_messages[];

#endif
