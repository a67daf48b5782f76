/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys and counters that all transactional systems share: keys.def, counters.def. A system names these sets in its descriptor beside its
 * own.
 */
#ifndef CW_MECH_TM_KEYS_H
#define CW_MECH_TM_KEYS_H

#include "mech/mech.h"

struct cw_tm_keys {
#define CW_LIST "mech/tm/keys.def"
#include "base/key_fields.h"
};

struct cw_tm_counters {
#define CW_LIST "mech/tm/counters.def"
#include "base/counter_fields.h"
};

extern const struct cw_key_set cw_tm_key_set;
extern const struct cw_counter_set cw_tm_counter_set;
/* These alone, for a system that has no others. */
extern const struct cw_key_set *const cw_tm_key_sets[];
extern const struct cw_counter_set *const cw_tm_counter_sets[];

/* They look for the set: once, when something is created. */
static inline const struct cw_tm_keys *cw_tm_keys_of(const struct cw_config *config)
{
    return cw_config_own(config, &cw_tm_key_set);
}

static inline struct cw_tm_counters *cw_tm_counters_of(struct cw_stats *stats)
{
    return cw_stats_own(stats, &cw_tm_counter_set);
}

/* What the shared parts need of a system: its host, and these keys and counters. The system fills it once and keeps it. */
struct cw_tm_common {
    const struct cw_mech_host *host;
    const struct cw_tm_keys *keys;
    struct cw_tm_counters *counters;
};

static inline struct cw_tm_common cw_tm_common_of(const struct cw_mech_host *host)
{
    return (struct cw_tm_common){host, cw_tm_keys_of(host->config), cw_tm_counters_of(host->stats)};
}

#endif
