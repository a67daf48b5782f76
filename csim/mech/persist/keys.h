/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and counters of the persistency models: keys.def, counters.def. */
#ifndef CW_MECH_PERSIST_KEYS_H
#define CW_MECH_PERSIST_KEYS_H

#include "base/config.h"
#include "base/stats.h"

enum { CW_PM_DRAIN_WINDOW, CW_PM_DRAIN_EAGER, CW_PM_DRAIN_LAZY };
enum { CW_PM_WINDOW_EXACT, CW_PM_WINDOW_PLUS_ONE };
enum { CW_PM_URGENT_ALL, CW_PM_URGENT_WINDOW };
enum { CW_PM_ACQUIRE_RETURN, CW_PM_ACQUIRE_ISSUE };
enum { CW_PM_BARRIER_ORDER, CW_PM_BARRIER_NONE };
enum { CW_PM_STALL_WARP, CW_PM_STALL_PIPE };
enum { CW_PM_END_DRAIN, CW_PM_END_KEEP };
enum { CW_PM_RELEASE_MEMORY, CW_PM_RELEASE_BUFFER };
enum { CW_PM_FLUSHED_KEEP, CW_PM_FLUSHED_DROP };

struct cw_persist_keys {
#define CW_LIST "mech/persist/keys.def"
#include "base/key_fields.h"
};

struct cw_persist_counters {
#define CW_LIST "mech/persist/counters.def"
#include "base/counter_fields.h"
};

extern const struct cw_key_set cw_persist_key_set;
extern const struct cw_counter_set cw_persist_counter_set;
extern const struct cw_key_set *const cw_persist_key_sets[];
extern const struct cw_counter_set *const cw_persist_counter_sets[];

#endif
