/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/local/keys.h"

#include "mech/tm/keys.h"

static const struct cw_key table[] = {
#define CW_LIST "mech/local/keys.def"
#include "base/key_rows.h"
};

static const struct cw_counter counters[] = {
#define CW_LIST "mech/local/counters.def"
#include "base/counter_rows.h"
};

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof(a)[0]))
const struct cw_key_set cw_local_key_set = {.owner = "local", .key = table, .key_cnt = COUNT(table)};
const struct cw_counter_set cw_local_counter_set = {.owner = "local", .counter = counters, .counter_cnt = COUNT(counters)};

const struct cw_key_set *const cw_local_key_sets[] = {&cw_local_key_set, NULL};
const struct cw_counter_set *const cw_local_counter_sets[] = {&cw_tm_counter_set, &cw_local_counter_set, NULL};
