/* SPDX-License-Identifier: Apache-2.0 */
/* The messages that wait in a hardware unit, which knows them by numbers. */
#ifndef CW_MEM_WAITING_H
#define CW_MEM_WAITING_H

#include <stdint.h>

#include "base/state.h"
#include "msg/message.h"

struct cw_waiting {
    struct cw_message **message; /* [number]; NULL: it is free */
    uint32_t cnt;
};

/* CW_ENOMEM; destroy it in any case. */
int cw_waiting_create(struct cw_waiting *w, uint32_t cnt);
/* The messages are their owner's. */
void cw_waiting_destroy(struct cw_waiting *w);
/* A number that nobody has; cnt: all are taken, which only a unit does that gives more places than it has. */
uint32_t cw_waiting_free(const struct cw_waiting *w);
void cw_waiting_state(struct cw_state *s, struct cw_waiting *w);

#endif
