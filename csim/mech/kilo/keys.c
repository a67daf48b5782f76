/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/kilo/keys.h"

#include "mech/tm/keys.h"

static const struct cw_key table[] = {
#define X CW_KEY_NUMBER
#define P CW_KEY_POWER
#define E CW_KEY_CHOICE
#include "mech/kilo/keys.def"
#undef X
#undef E
};

/* Values of published machines (csim/base/config_presets.c). */
#define SET(preset, field, value, source)                                \
    {                                                                    \
        preset, CW_KEY_AT(struct cw_kilo_keys, field), (value), (source) \
    }
static const struct cw_key_preset presets[] = {
    SET("thesis-warptm", kilo_entry_cycles, 0, "thesis 4.2.5 has none; its averages of chapter 6 want none (docs/fidelity.md)"),
    SET("thesis-kilotm", kilo_entry_cycles, 0, "as thesis-warptm"),
    SET("getm-56", kilo_history_rows, 512, "GETM VI.A: WarpTM's recency filter doubled"),
    SET("getm-artifact", kilo_id_latency, 1, "[art]: commit IDs cost nothing; one cycle is the least here"),
    SET("getm-artifact", kilo_entry_cycles, 0, "the L2's write misses (l2.write_miss) take this time"),
    SET("getm-artifact", kilo_history_sets, 256, "[art]"),
    SET("getm-artifact", kilo_watchdog_cycles, 100000, "[art]"),
    SET("getm-artifact", tcd_reply_bytes, 0, "[art]"),
    SET("getm-artifact", eapg_cat_entries, 3072, "[art]"),
};

static const struct cw_counter counters[] = {
#define X CW_COUNTER_SUM
#define M CW_COUNTER_MAX
#define W CW_COUNTER_SHOWN
#include "mech/kilo/counters.def"
#undef X
#undef M
};

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof(a)[0]))
const struct cw_key_set cw_kilo_key_set = {
    .owner = "kilo", .key = table, .key_cnt = COUNT(table), .preset = presets, .preset_cnt = COUNT(presets)};
const struct cw_counter_set cw_kilo_counter_set = {.owner = "kilo", .counter = counters, .counter_cnt = COUNT(counters)};

const struct cw_key_set *const cw_kilo_key_sets[] = {&cw_tm_key_set, &cw_kilo_key_set, NULL};
const struct cw_counter_set *const cw_kilo_counter_sets[] = {&cw_tm_counter_set, &cw_kilo_counter_set, NULL};
