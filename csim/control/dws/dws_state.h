/* SPDX-License-Identifier: Apache-2.0 */
/* State of dynamic warp subdivision in a core. Private to: dws.c, keys.c. */
#ifndef CW_CONTROL_DWS_DWS_STATE_H
#define CW_CONTROL_DWS_DWS_STATE_H

#include "base/config.h"
#include "base/machine.h"
#include "control/its/its.h"

struct cw_dws_keys {
#define CW_LIST "control/dws/keys.def"
#include "base/key_fields.h"
};

struct cw_dws_counters {
#define CW_LIST "control/dws/counters.def"
#include "base/counter_fields.h"
};

extern const struct cw_key_set cw_dws_keys;
extern const struct cw_counter_set cw_dws_counters;

struct dws {
    const struct cw_dws_keys *keys;
    struct cw_dws_counters *counters;
    struct cw_its_stalls stalls;
    uint32_t meets[CW_SLOTS_MAX]; /* [slot]: the PC at which the group stands that has been told where to meet; CW_PC_NONE: none. */
    uint32_t *limit;              /* [PC]: where lanes that run ahead from there wait for the others, or CW_PC_NONE. */
};

#endif
