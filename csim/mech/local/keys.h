/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and counters of transactions in shared memory: keys.def, counters.def. */
#ifndef CW_MECH_LOCAL_KEYS_H
#define CW_MECH_LOCAL_KEYS_H

#include "base/config.h"
#include "base/stats.h"

/* Values of ltm.serial: bit 0 says descending, bit 1 multiple. Those of ltm.detect are enum cw_local_detect (cowarp/unit/bank_detector.h).
 */
enum cw_local_serial { CW_LOCAL_DESCENDING = 1, CW_LOCAL_MULTIPLE = 2 };
enum cw_local_undo_cost { CW_LOCAL_UNDO_WALK, CW_LOCAL_UNDO_FREE };
enum cw_local_token { CW_LOCAL_TOKEN_TRANSACTION, CW_LOCAL_TOKEN_LANES, CW_LOCAL_TOKEN_WAVEFRONT };
enum cw_local_global { CW_LOCAL_GLOBAL_FAULT, CW_LOCAL_GLOBAL_ALLOW };

struct cw_local_keys {
#define CW_LIST "mech/local/keys.def"
#include "base/key_fields.h"
};

struct cw_local_counters {
#define CW_LIST "mech/local/counters.def"
#include "base/counter_fields.h"
};

extern const struct cw_key_set cw_local_key_set;
extern const struct cw_counter_set cw_local_counter_set;

/* As struct cw_mech has them. */
extern const struct cw_key_set *const cw_local_key_sets[];
extern const struct cw_counter_set *const cw_local_counter_sets[];

#endif
