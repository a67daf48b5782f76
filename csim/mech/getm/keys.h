/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and counters of GETM: keys.def, counters.def. */
#ifndef CW_MECH_GETM_KEYS_H
#define CW_MECH_GETM_KEYS_H

#include "base/config.h"
#include "base/stats.h"

struct cw_getm_keys {
#define CW_LIST "mech/getm/keys.def"
#include "base/key_fields.h"
};

struct cw_getm_counters {
#define CW_LIST "mech/getm/counters.def"
#include "base/counter_fields.h"
};

extern const struct cw_key_set cw_getm_key_set;
extern const struct cw_counter_set cw_getm_counter_set;

/* As struct cw_mech has them: those that all transactional systems share, and these. */
extern const struct cw_key_set *const cw_getm_key_sets[];
extern const struct cw_counter_set *const cw_getm_counter_sets[];

/* They look for the set: once, when something is created. */
static inline const struct cw_getm_keys *cw_getm_keys_of(const struct cw_config *config)
{
    return cw_config_own(config, &cw_getm_key_set);
}

static inline struct cw_getm_counters *cw_getm_counters_of(struct cw_stats *stats)
{
    return cw_stats_own(stats, &cw_getm_counter_set);
}

#endif
