/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/persist/keys.h"

#include <stdbool.h>
#include <string.h>

static const struct cw_key table[] = {
#define CW_LIST "mech/persist/keys.def"
#include "base/key_rows.h"
};

static const struct cw_counter counters[] = {
#define CW_LIST "mech/persist/counters.def"
#include "base/counter_rows.h"
};

/* Values of published machines (csim/base/config_presets.c). */
#define SET(preset, field, value, source)                                   \
    {                                                                       \
        preset, CW_KEY_AT(struct cw_persist_keys, field), (value), (source) \
    }
static const struct cw_key_preset presets[] = {
    SET("sbrp-artifact-near", pm_window_form, CW_PM_WINDOW_PLUS_ONE, "[art]"),
    SET("sbrp-artifact-near", pm_patience, 8, "model: the authors' pipeline stands still instead"),
    SET("sbrp-artifact-far", pm_patience, 8, "model: the authors' pipeline stands still instead"),
    SET("sbrp-artifact-near", pm_stall, CW_PM_STALL_PIPE, "[art]"),
    SET("sbrp-artifact-far", pm_stall, CW_PM_STALL_PIPE, "[art]"),
    SET("sbrp-artifact-near", pm_acquire, CW_PM_ACQUIRE_ISSUE, "[art]"),
    SET("sbrp-artifact-far", pm_window_form, CW_PM_WINDOW_PLUS_ONE, "[art]"),
    SET("sbrp-artifact-far", pm_acquire, CW_PM_ACQUIRE_ISSUE, "[art]"),
    SET("sbrp-artifact-near", pm_release, CW_PM_RELEASE_BUFFER, "[art]"),
    SET("sbrp-artifact-far", pm_release, CW_PM_RELEASE_BUFFER, "[art]"),
    SET("sbrp-artifact-near", pm_gpm_fences, 2, "[art]"),
    SET("sbrp-artifact-far", pm_gpm_fences, 2, "[art]"),
};

/* Models with fences have no persist buffer, and SBRP has no fences that wait a time of their own. */
static const char *needs(const struct cw_config *config, const void *own, const char *reader, uint32_t key)
{
    const struct cw_persist_keys *k = own;
    const char *name = table[key].name;
    const bool sbrp = strcmp(reader, "sbrp") == 0;
    (void)config;
    if (strcmp(name, "pm.barrier") == 0)
        return NULL;
    if (strcmp(name, "pm.gpm_fences") == 0)
        return strcmp(reader, "gpm") != 0 ? "--persistency gpm" : NULL;
    if (strcmp(name, "pm.fence_cycles") == 0)
        return sbrp ? "--persistency gpm or epoch" : NULL;
    if (!sbrp)
        return "--persistency sbrp";
    if (strcmp(name, "pm.release") == 0 && k->pm_drain == CW_PM_DRAIN_LAZY)
        return "pm.drain=window or eager";
    const bool windowed = strcmp(name, "pm.window") == 0 || strcmp(name, "pm.window_form") == 0 || strcmp(name, "pm.urgent") == 0;
    return windowed && k->pm_drain != CW_PM_DRAIN_WINDOW ? "pm.drain=window" : NULL;
}

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof(a)[0]))
const struct cw_key_set cw_persist_key_set = {
    .owner = "persist", .key = table, .key_cnt = COUNT(table), .preset = presets, .preset_cnt = COUNT(presets), .needs = needs};
const struct cw_counter_set cw_persist_counter_set = {.owner = "persist", .counter = counters, .counter_cnt = COUNT(counters)};

const struct cw_key_set *const cw_persist_key_sets[] = {&cw_persist_key_set, NULL};
const struct cw_counter_set *const cw_persist_counter_sets[] = {&cw_persist_counter_set, NULL};
