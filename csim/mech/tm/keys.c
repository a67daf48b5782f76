/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/tm/keys.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

static const struct cw_key table[] = {
#define CW_LIST "mech/tm/keys.def"
#include "base/key_rows.h"
};

/* Values of published machines (csim/base/config_presets.c). */
#define SET(preset, field, value, source)                              \
    {                                                                  \
        preset, CW_KEY_AT(struct cw_tm_keys, field), (value), (source) \
    }
static const struct cw_key_preset presets[] = {
    SET("thesis-warptm", tm_ownership_entries, 4096, "thesis Table 6.1"),
    SET("thesis-warptm", tm_resolvers, 3, "thesis Table 6.1"),
    SET("thesis-warptm", cu_write_bytes, 32,
        "thesis 6.2.1: WarpTM coalesces for the 32-byte L2 port; Table 6.1's 1 word/cycle is Kilo TM without it"),
    SET("thesis-kilotm", tm_warps, 2, "thesis Table 4.4"),
    SET("thesis-kilotm", cu_write_bytes, 4, "thesis Table 4.4: 1 word per cycle and partition"),
    SET("si-tm", tm_warps, 2, "SI-TM Table 2: 960 concurrent transactions"),
    SET("si-tm", tm_log_entries, 1024, "SI-TM Table 3: Linked List 2 reads 240 words on average, and some read three times that"),
    SET("si-tm", cu_write_bytes, 4, "SI-TM Table 2: 1 word per cycle per commit unit"),
    SET("getm-artifact", tm_backoff_cycles, 500, "[art]"),
    SET("getm-artifact", tm_backoff_max_cycles, 5000, "[art]"),
};

static const struct cw_counter counters[] = {
#define CW_LIST "mech/tm/counters.def"
#include "base/counter_rows.h"
};

static const struct cw_ratio ratios[] = {
    {"aborts_per_1k_commits", "tx_aborted", "tx_committed", 1000.0, "transactions", "1000 x tx_aborted / tx_committed (GETM Table IV)"},
};

static int check(const struct cw_config *config, const void *own, struct cw_error *err)
{
    const struct cw_tm_keys *keys = own;
    if (keys->tm_granule_bytes > config->partition_interleave)
        return cw_fail(err, CW_EINVAL,
                       "tm.granule_bytes = %" PRIu32 ": a granule must lie in one partition, at most partition.interleave = %" PRIu32,
                       keys->tm_granule_bytes, config->partition_interleave);
    if (keys->tm_granule_bytes > config->mem_line_bytes)
        return cw_fail(err, CW_EINVAL, "tm.granule_bytes = %" PRIu32 ": a granule must lie in one line, at most mem.line_bytes = %" PRIu32,
                       keys->tm_granule_bytes, config->mem_line_bytes);
    if (keys->tm_backoff_max_cycles < keys->tm_backoff_cycles)
        return cw_fail(err, CW_EINVAL, "tm.backoff_max_cycles = %" PRIu32 ": below tm.backoff_cycles = %" PRIu32,
                       keys->tm_backoff_max_cycles, keys->tm_backoff_cycles);
    return CW_OK;
}

/* Only GETM has granules, only it and the WarpTM family resolve conflicts inside a warp, and a system that runs one transaction at a time
 * has no logs and no tokens. */
static const char *needs(const struct cw_config *config, const void *own, const char *reader, uint32_t key)
{
    const char *name = table[key].name;
    const bool getm = strcmp(reader, "getm") == 0, warp = strncmp(reader, "warptm", strlen("warptm")) == 0 || strcmp(reader, "eapg") == 0;
    (void)config;
    (void)own;
    if (strcmp(reader, "serial") == 0 && strcmp(name, "cu.buffer") != 0)
        return "another system than serial ('cowarp list' shows all)";
    if (strcmp(name, "tm.granule_bytes") == 0 && !getm)
        return "--system getm";
    if ((strcmp(name, "tm.ownership_entries") == 0 || strcmp(name, "tm.resolvers") == 0) && !getm && !warp)
        return "--system getm, warptm, eapg or warptm-el";
    return NULL;
}

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof(a)[0]))
const struct cw_key_set cw_tm_key_set = {
    .owner = "tm", .key = table, .key_cnt = COUNT(table), .preset = presets, .preset_cnt = COUNT(presets), .check = check, .needs = needs};
const struct cw_counter_set cw_tm_counter_set = {
    .owner = "tm", .counter = counters, .counter_cnt = COUNT(counters), .ratio = ratios, .ratio_cnt = COUNT(ratios)};

const struct cw_key_set *const cw_tm_key_sets[] = {&cw_tm_key_set, NULL};
const struct cw_counter_set *const cw_tm_counter_sets[] = {&cw_tm_counter_set, NULL};
