/* SPDX-License-Identifier: Apache-2.0 */
/* State of a SIMT stack with independent threads behind it, in a core. Private to: pdom_its.c, counters.c. */
#ifndef CW_CONTROL_PDOM_ITS_PDOM_ITS_STATE_H
#define CW_CONTROL_PDOM_ITS_PDOM_ITS_STATE_H

#include "base/config.h"
#include "base/machine.h"
#include "control/ipdom.h"
#include "control/its/its.h"

struct cw_pdom_its_counters {
#define CW_LIST "control/pdom_its/counters.def"
#include "base/counter_fields.h"
};

extern const struct cw_counter_set cw_pdom_its_counters;

struct pdom_its {
    const struct cw_its_keys *keys;
    struct cw_pdom_its_counters *counters;
    struct cw_control *stack; /* The policy of the warps that are not apart; its fronts are this policy's. */
    struct cw_slots apart;    /* Warps that are with independent threads. */
    const struct cw_kernel *kernel;
    bool prepared; /* Independent threads are, for the kernel. */
};

#endif
