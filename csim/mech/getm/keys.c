/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/getm/keys.h"

#include "mech/tm/keys.h"

static const struct cw_key table[] = {
#define CW_LIST "mech/getm/keys.def"
#include "base/key_rows.h"
};

/* Values of published machines (csim/base/config_presets.c). */
#define SET(preset, field, value, source)                                \
    {                                                                    \
        preset, CW_KEY_AT(struct cw_getm_keys, field), (value), (source) \
    }
static const struct cw_key_preset presets[] = {
    SET("getm-56", getm_table_rows, 256, "GETM VI.A: precise table doubled to 8K entries in all = 8 x 4 x 256"),
    SET("getm-56", getm_bloom_rows, 32, "GETM VI.A: recency filter not doubled, 1K entries in all = 8 x 4 x 32"),
    SET("getm-artifact", getm_overflow_latency, 115, "[art]"),
    SET("getm-artifact", getm_store_data, CW_ON, "[art]"),
    SET("getm-artifact", getm_commit_acks, CW_ON, "[art]"),
};

static const struct cw_counter counters[] = {
#define CW_LIST "mech/getm/counters.def"
#include "base/counter_rows.h"
};

static const struct cw_ratio ratios[] = {
    {"table_cycles_per_request", "vu_table_cycles", "vu_requests", 1.0, "cycles", "vu_table_cycles / vu_requests (GETM Figure 13)"},
    {"stalled_requests_per_line", "vu_stall_request_cycles", "vu_stall_line_cycles", 1.0, "requests",
     "vu_stall_request_cycles / vu_stall_line_cycles (GETM Figure 16)"},
    {"cycles_per_warpts_increment", "cycles", "warpts_increments", 1.0, "cycles", "cycles / warpts_increments (GETM V.B.1)"},
};

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof(a)[0]))
const struct cw_key_set cw_getm_key_set = {
    .owner = "getm", .key = table, .key_cnt = COUNT(table), .preset = presets, .preset_cnt = COUNT(presets)};
const struct cw_counter_set cw_getm_counter_set = {
    .owner = "getm", .counter = counters, .counter_cnt = COUNT(counters), .ratio = ratios, .ratio_cnt = COUNT(ratios)};

const struct cw_key_set *const cw_getm_key_sets[] = {&cw_tm_key_set, &cw_getm_key_set, NULL};
const struct cw_counter_set *const cw_getm_counter_sets[] = {&cw_tm_counter_set, &cw_getm_counter_set, NULL};
