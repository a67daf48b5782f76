/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of snapshot isolation: what cores and partitions agree on. README.md says who sends which, and when. */
#ifndef CW_MECH_SNAPSHOT_MESSAGES_H
#define CW_MECH_SNAPSHOT_MESSAGES_H

#include "mech/tm/access.h"

/* Codes (struct cw_message.op) of kind OWN, from a core to a commit unit. Loads (READ) and stores (PASS) have no code. */
enum cw_si_up { CW_SI_WRITES, CW_SI_DONE, CW_SI_OUTCOME };
/* Codes of kind OWN_REPLY, from a partition to a core. */
enum cw_si_down {
    CW_SI_ACCESSED, /* answer to a load or store */
    CW_SI_DATED,    /* tables and logical times are done with an earlier one */
    CW_SI_VERDICT,
    CW_SI_ACK
};

#define CW_SI_NO_OP UINT32_MAX

/* A load or store, ACCESSED and DATED. The ID and the begin of each running transaction are known to the partitions (CW_SI_ID_NEW); they
 * stand here to save the look-up, and take no place on the wires. */
struct cw_si_access_body {
    struct cw_tx_access_body access; /* reply: aborted are the lanes that lose, by the sets below */
    uint64_t begin;
    uint32_t snapshot; /* time of the newest version of that moment */
    uint32_t op;       /* the partition's; CW_SI_NO_OP: not versioned */
    bool dates;        /* ACCESSED: DATED will come */
    cw_lanes single_writer, write_write, loop, table;
    uint16_t id[CW_LANES];
};
CW_MESSAGE_BODY(cw_si_access, struct cw_si_access_body)

/* Every message about commits. */
struct cw_si_commit_body {
    cw_lanes accessed; /* DONE: lanes with words in this partition */
    cw_lanes pass, fail;
    uint32_t slot; /* OUTCOME: of the version to write */
};
CW_MESSAGE_BODY(cw_si_commit, struct cw_si_commit_body)

/* WRITES: a log behind it, which takes the room of its entries only. */
struct cw_si_log_body {
    struct cw_si_commit_body commit;
    struct cw_tx_log_body log;
};
CW_MESSAGE_BODY(cw_si_log, struct cw_si_log_body)

/* All of them, NULL-terminated: for descriptors. */
extern const struct cw_message_type *const cw_si_messages[];

#endif
