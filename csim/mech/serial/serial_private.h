/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two halves of serialised transactions. They know each other by messages alone: neither sees the other's state. README.md has the
 * protocol.
 *
 * Private to: core_half.c, messages.c, partition_half.c, serial.c.
 */
#ifndef CW_MECH_SERIAL_SERIAL_PRIVATE_H
#define CW_MECH_SERIAL_SERIAL_PRIVATE_H

#include "mech/mech.h"

/* op of the messages that have no place in the L2. */
enum {
    CW_SERIALISED_ASK,       /* to partition 0: a warp asks for the token */
    CW_SERIALISED_GIVE_BACK, /* to partition 0 */
    CW_SERIALISED_GRANT,     /* to the warp */
    CW_SERIALISED_STORED,    /* to the warp: its store is in memory; the body has the line as it is there */
    CW_SERIALISED_LOADED     /* to the warp: the body has the line as it is in memory */
};

/* Type of loads and stores, with a struct cw_tx_access_body. */
extern const struct cw_message_type cw_serialised_access_type;
/* All of them, NULL-terminated: for the descriptor. */
extern const struct cw_message_type *const cw_serialised_messages[];

/* Of a core. All functions: host outlives the half. */
struct cw_serialised_core;

extern const struct cw_core_sockets cw_serialised_sockets;

/* CW_OK or CW_ENOMEM. */
int cw_serialised_core_create(struct cw_serialised_core **out, const struct cw_mech_host *host, uint32_t index);
void cw_serialised_core_destroy(struct cw_serialised_core *c);
void cw_serialised_core_state(struct cw_state *s, struct cw_serialised_core *c);

/* Of a memory partition. Partition 0 has the token. */
struct cw_serialised_partition;

/* share_token: a deliberate fault, the token is given to whoever asks. CW_OK or CW_ENOMEM. */
int cw_serialised_partition_create(struct cw_serialised_partition **out, const struct cw_mech_host *host, uint32_t index, bool share_token);
void cw_serialised_partition_destroy(struct cw_serialised_partition *n);
struct cw_component *cw_serialised_partition_component(struct cw_serialised_partition *n);
bool cw_serialised_partition_idle(const struct cw_serialised_partition *n);

#endif
