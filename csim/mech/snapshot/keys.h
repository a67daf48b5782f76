/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and counters of snapshot isolation: keys.def, counters.def. */
#ifndef CW_MECH_SNAPSHOT_KEYS_H
#define CW_MECH_SNAPSHOT_KEYS_H

#include "base/config.h"
#include "base/keys.h"
#include "base/stats.h"

enum { CW_SI_ROWCLONE, CW_SI_BUS };                              /* si.copy */
enum { CW_SI_CONCURRENT, CW_SI_RETAIN_PUBLISHED };               /* si.retain */
enum { CW_SI_CORRECTED, CW_SI_INFINITE, CW_SI_RULES_PUBLISHED }; /* si.rules; as the parameter of the post-dating unit */

struct cw_si_keys {
#define CW_LIST "mech/snapshot/keys.def"
#include "base/key_fields.h"
};

struct cw_si_counters {
#define CW_LIST "mech/snapshot/counters.def"
#include "base/counter_fields.h"
};

extern const struct cw_key_set cw_si_key_set;
extern const struct cw_counter_set cw_si_counter_set;

/* As struct cw_mech has them: those that all transactional systems share, and these. */
extern const struct cw_key_set *const cw_si_key_sets[];
extern const struct cw_counter_set *const cw_si_counter_sets[];

/* They look for the set: once, when something is created. */
static inline const struct cw_si_keys *cw_si_keys_of(const struct cw_config *config)
{
    return cw_config_own(config, &cw_si_key_set);
}

static inline struct cw_si_counters *cw_si_counters_of(struct cw_stats *stats)
{
    return cw_stats_own(stats, &cw_si_counter_set);
}

#endif
