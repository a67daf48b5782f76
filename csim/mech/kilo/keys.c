/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/kilo/keys.h"

#include <stdbool.h>
#include <string.h>

#include "mech/kilo/shared.h"
#include "mech/kilo/unit/hazard.h"
#include "mech/tm/keys.h"

static const struct cw_key table[] = {
#define CW_LIST "mech/kilo/keys.def"
#include "base/key_rows.h"
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

/* Who does not read a key, and when */

static bool starts(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static const char *times_need(const struct cw_kilo_keys *k, const char *reader, const char *name)
{
    const bool on = k->tcd_mode == CW_KILO_TCD_CLOSED || k->tcd_mode == CW_KILO_TCD_PUBLISHED ||
                    (k->tcd_mode == CW_KILO_TCD_AUTO && strcmp(reader, "kilotm") != 0);
    if (strcmp(name, "tcd.mode") == 0)
        return NULL;
    if (!on)
        return "tcd.mode=closed or published";
    return strcmp(name, "tcd.pending") == 0 && k->tcd_mode == CW_KILO_TCD_PUBLISHED ? "tcd.mode=closed" : NULL;
}

static const char *hazard_needs(const struct cw_kilo_keys *k, const char *reader, const char *name)
{
    if (starts(name, "kilo.history_") && k->kilo_hazard != CW_KILO_HISTORY)
        return "kilo.hazard=history";
    if (strcmp(name, "kilo.walker") == 0 && strcmp(reader, "kilotm") != 0 && k->warptm_aggregate == CW_ON)
        return "warptm.aggregate=off, or --system kilotm";
    return NULL;
}

static const char *needs(const struct cw_config *config, const void *own, const char *reader, uint32_t key)
{
    const struct cw_kilo_keys *k = own;
    const char *name = table[key].name;
    const bool ideal = strcmp(reader, "ideal") == 0, arbitrated = ideal || strcmp(reader, "warptm-el") == 0;
    (void)config;
    if (starts(name, "eapg."))
        return strcmp(reader, "eapg") == 0 ? NULL : "--system eapg";
    if (starts(name, "warptm.") && (ideal || strcmp(reader, "kilotm") == 0))
        return "--system warptm, eapg or warptm-el";
    if (strcmp(name, "warptm.scr_bits") == 0 && k->warptm_resolution != CW_KILO_SCR && k->warptm_resolution != CW_KILO_SCR_FREE)
        return "warptm.resolution=scr";
    if (arbitrated && (starts(name, "tcd.") || starts(name, "kilo.validation") || starts(name, "kilo.hazard") ||
                       starts(name, "kilo.history_") || starts(name, "kilo.id_") || starts(name, "kilo.watchdog")))
        return "--system kilotm, warptm or eapg";
    return starts(name, "tcd.") ? times_need(k, reader, name) : hazard_needs(k, reader, name);
}

static const struct cw_counter counters[] = {
#define CW_LIST "mech/kilo/counters.def"
#include "base/counter_rows.h"
};

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof(a)[0]))
const struct cw_key_set cw_kilo_key_set = {
    .owner = "kilo", .key = table, .key_cnt = COUNT(table), .preset = presets, .preset_cnt = COUNT(presets), .needs = needs};
const struct cw_counter_set cw_kilo_counter_set = {.owner = "kilo", .counter = counters, .counter_cnt = COUNT(counters)};

const struct cw_key_set *const cw_kilo_key_sets[] = {&cw_tm_key_set, &cw_kilo_key_set, NULL};
const struct cw_counter_set *const cw_kilo_counter_sets[] = {&cw_tm_counter_set, &cw_kilo_counter_set, NULL};
