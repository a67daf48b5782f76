/* SPDX-License-Identifier: Apache-2.0 */
/* State of subwarp interleaving in a core. Private to: si.c, keys.c. */
#ifndef CW_CONTROL_SI_SI_STATE_H
#define CW_CONTROL_SI_SI_STATE_H

#include "base/config.h"
#include "base/machine.h"
#include "control/its/its.h"

struct cw_subwarp_keys {
#define CW_LIST "control/si/keys.def"
#include "base/key_fields.h"
};

struct cw_subwarp_counters {
#define CW_LIST "control/si/counters.def"
#include "base/counter_fields.h"
};

extern const struct cw_key_set cw_subwarp_keys;
extern const struct cw_counter_set cw_subwarp_counters;

struct si {
    const struct cw_subwarp_keys *keys;
    struct cw_subwarp_counters *counters;
    struct cw_its_stalls stalls;
    struct cw_slots counted; /* Of these warps, those that subwarp_stalls has. */
};

#endif
