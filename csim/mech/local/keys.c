/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/local/keys.h"

#include <string.h>

#include "mech/tm/keys.h"

static const struct cw_key table[] = {
#define CW_LIST "mech/local/keys.def"
#include "base/key_rows.h"
};

static const struct cw_counter counters[] = {
#define CW_LIST "mech/local/counters.def"
#include "base/counter_rows.h"
};

/* ltm.choose=auto chooses these itself. */
static const char *needs(const struct cw_config *config, const void *own, const char *reader, uint32_t key)
{
    const struct cw_local_keys *k = own;
    (void)config;
    (void)reader;
    const bool chosen = strcmp(table[key].name, "ltm.detect") == 0 || strcmp(table[key].name, "ltm.serial") == 0;
    return chosen && k->ltm_choose == CW_LOCAL_CHOOSE_AUTO ? "ltm.choose=manual" : NULL;
}

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof(a)[0]))
const struct cw_key_set cw_local_key_set = {.owner = "local", .key = table, .key_cnt = COUNT(table), .needs = needs};
const struct cw_counter_set cw_local_counter_set = {.owner = "local", .counter = counters, .counter_cnt = COUNT(counters)};

const struct cw_key_set *const cw_local_key_sets[] = {&cw_local_key_set, NULL};
const struct cw_counter_set *const cw_local_counter_sets[] = {&cw_tm_counter_set, &cw_local_counter_set, NULL};
