/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/persist/keys.h"

static const struct cw_key table[] = {
#define X CW_KEY_NUMBER
#define E CW_KEY_CHOICE
#include "mech/persist/keys.def"
#undef X
#undef E
};

static const struct cw_counter counters[] = {
#define X CW_COUNTER_SUM
#define M CW_COUNTER_MAX
#define W CW_COUNTER_SHOWN
#include "mech/persist/counters.def"
#undef X
#undef M
#undef W
};

/* Values of published machines (csim/base/config_presets.c). */
#define SET(preset, field, value, source)                                   \
    {                                                                       \
        preset, CW_KEY_AT(struct cw_persist_keys, field), (value), (source) \
    }
static const struct cw_key_preset presets[] = {
    SET("sbrp-artifact-near", pm_window_form, CW_PM_WINDOW_PLUS_ONE, "[art]"),
    SET("sbrp-artifact-near", pm_acquire, CW_PM_ACQUIRE_ISSUE, "[art]"),
    SET("sbrp-artifact-far", pm_window_form, CW_PM_WINDOW_PLUS_ONE, "[art]"),
    SET("sbrp-artifact-far", pm_acquire, CW_PM_ACQUIRE_ISSUE, "[art]"),
};

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof(a)[0]))
const struct cw_key_set cw_persist_key_set = {
    .owner = "persist", .key = table, .key_cnt = COUNT(table), .preset = presets, .preset_cnt = COUNT(presets)};
const struct cw_counter_set cw_persist_counter_set = {.owner = "persist", .counter = counters, .counter_cnt = COUNT(counters)};

const struct cw_key_set *const cw_persist_key_sets[] = {&cw_persist_key_set, NULL};
const struct cw_counter_set *const cw_persist_counter_sets[] = {&cw_persist_counter_set, NULL};
