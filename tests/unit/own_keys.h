/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of mechanisms in a configuration, for tests that set them. */
#ifndef CW_TESTS_OWN_KEYS_H
#define CW_TESTS_OWN_KEYS_H

#include "mech/getm/keys.h"
#include "mech/kilo/keys.h"
#include "mech/tm/keys.h"

static inline void *own_keys(struct cw_config *config, const struct cw_key_set *set)
{
    const char *own = cw_config_own(config, set);
    return (char *)config + (own - (const char *)config);
}

static inline struct cw_tm_keys *tm_keys(struct cw_config *config)
{
    return own_keys(config, &cw_tm_key_set);
}

static inline struct cw_getm_keys *getm_keys(struct cw_config *config)
{
    return own_keys(config, &cw_getm_key_set);
}

static inline struct cw_kilo_keys *kilo_keys(struct cw_config *config)
{
    return own_keys(config, &cw_kilo_key_set);
}

#endif
