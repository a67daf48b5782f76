/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the Kilo TM family: what cores and partitions agree on. README.md says who sends which, and when. */
#ifndef CW_MECH_KILO_MESSAGES_H
#define CW_MECH_KILO_MESSAGES_H

#include "mech/mech.h"
#include "mech/tm/access.h"

/* Codes (struct cw_message.op) of kind OWN, from a core to a commit unit. A log's code says which set the entries belong to; with AGAIN it
 * answers a RESEND. A load is of kind READ and has no code. */
enum cw_kilo_up { CW_KILO_DONE, CW_KILO_OUTCOME, CW_KILO_EOS, CW_KILO_READS = 0x40, CW_KILO_WRITES = 0x41 };
#define CW_KILO_LOG   0x40u
#define CW_KILO_AGAIN 0x10u

/* Codes of kind OWN_REPLY, from a partition to a core. */
enum cw_kilo_down { CW_KILO_VERDICT, CW_KILO_ACK, CW_KILO_RESEND, CW_KILO_COMMITTING, CW_KILO_WRITTEN, CW_KILO_LOADED };

/* A load, and LOADED. */
struct cw_kilo_access_body {
    struct cw_tx_access_body access;
    uint64_t stamp;    /* reply: last-written time of the line; idealised systems: last commit that the partition has carried out */
    uint64_t time[32]; /* reply, only with cw_kilo_tcd_by_lane(): last-written time of what each lane touches */
};
CW_MESSAGE_BODY(cw_kilo_access, struct cw_kilo_access_body)
/* The same without time[]. */
extern const struct cw_message_type cw_kilo_access_line_type;

/* Every message about commits. Its lanes (in the head) are all lanes of the warp that have a commit ID; the IDs follow the lanes. */
struct cw_kilo_commit_body {
    uint64_t first; /* commit ID of the lowest of the message's lanes */
    uint32_t epoch; /* how often commit IDs have begun again */
    bool probe;     /* a validation by the watchdog */
    union {
        struct {
            cw_lanes accessed; /* lanes with accesses in this partition */
        } done;
        struct {
            cw_lanes pass, fail; /* VERDICT: in this partition. OUTCOME: as the core has decided */
        } verdict;
        struct {
            cw_lanes lanes; /* whose writes are in memory */
        } ack;
        struct {
            uint32_t lane; /* RESEND, EOS: whose set */
            uint32_t set;  /* 0 reads, 1 writes */
        } again;
    };
};
CW_MESSAGE_BODY(cw_kilo_commit, struct cw_kilo_commit_body)

/* Flags of a word in WRITTEN: it has this value now; nobody else is going to write it. */
#define CW_KILO_CHANGED 1u
#define CW_KILO_LAST    2u

/* READS, WRITES, COMMITTING, WRITTEN: a log behind it, which takes the room of its entries only. */
struct cw_kilo_log_body {
    struct cw_kilo_commit_body commit;
    struct cw_tx_log_body log;
};
CW_MESSAGE_BODY(cw_kilo_log, struct cw_kilo_log_body)

/* All of them, NULL-terminated: for descriptors. */
extern const struct cw_message_type *const cw_kilo_messages[];

#endif
