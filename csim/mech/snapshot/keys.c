/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/snapshot/keys.h"

#include "mech/tm/keys.h"

static const struct cw_key table[] = {
#define X CW_KEY_NUMBER
#define P CW_KEY_POWER
#define E CW_KEY_CHOICE
#include "mech/snapshot/keys.def"
#undef X
#undef E
};

static const struct cw_counter counters[] = {
#define X CW_COUNTER_SUM
#define M CW_COUNTER_MAX
#define W CW_COUNTER_SHOWN
#include "mech/snapshot/counters.def"
#undef X
#undef M
};

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof(a)[0]))
const struct cw_key_set cw_si_key_set = {.owner = "snapshot", .key = table, .key_cnt = COUNT(table)};
const struct cw_counter_set cw_si_counter_set = {.owner = "snapshot", .counter = counters, .counter_cnt = COUNT(counters)};

const struct cw_key_set *const cw_si_key_sets[] = {&cw_tm_key_set, &cw_si_key_set, NULL};
const struct cw_counter_set *const cw_si_counter_sets[] = {&cw_tm_counter_set, &cw_si_counter_set, NULL};
