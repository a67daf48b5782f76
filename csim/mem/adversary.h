/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An adversary of programs (core.memory=adversary): requests that have come to a partition are held, each for a time drawn at random, and
 * leave in the order of these times. So accesses are performed in any order that PTX allows, also in those that the machine would hardly show.
 * What has to be in order stays so:
 *   - requests of one core to one line, but for a load past the L1 that may pass an older one of the core: a weak load a weak load; and any
 *     load a write or atomic of another warp, if no warp of the core has synchronised at block scope in between (message.h, epoch);
 *   - all requests of a core, from and to those of mechanisms: their protocols may lean on it.
 * A release of more than block scope, and a dFence, wait for acknowledgements and so are not touched.
 */
#ifndef CW_MEM_ADVERSARY_H
#define CW_MEM_ADVERSARY_H

#include <stdint.h>

#include "base/fifo.h"
#include "base/rng.h"
#include "base/state.h"
#include "msg/message.h"

#define CW_ADVERSARY_HELD 64u /* more wait in the crossbar */

struct cw_adversary {
    struct cw_rng rng;
    uint64_t seed;
    cw_time period; /* of the partition */
    struct cw_held {
        struct cw_message *message;
        cw_time due;
    } held[CW_ADVERSARY_HELD]; /* oldest first */
    uint32_t cnt;
};

/* The request has come; false: there is no room, and it is not held. */
bool cw_adversary_hold(struct cw_adversary *a, struct cw_message *p, cw_time now);
/* A request that may go on now, or NULL: its index is for cw_adversary_take. */
struct cw_message *cw_adversary_peek(const struct cw_adversary *a, cw_time now, uint32_t *index);
void cw_adversary_take(struct cw_adversary *a, uint32_t index);
/* cw_adversary_peek has none before; CW_TIME_NEVER when none is held. */
cw_time cw_adversary_next(const struct cw_adversary *a);
/* What is held, in its order, with the times (base/state.h). */
void cw_adversary_state(struct cw_state *s, struct cw_adversary *a);

#endif
