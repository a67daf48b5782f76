/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/snapshot/keys.h"

#include <string.h>

#include "mech/tm/keys.h"

static const struct cw_key table[] = {
#define CW_LIST "mech/snapshot/keys.def"
#include "base/key_rows.h"
};

/* Nobody reads the others where no launch has snapshots. sitm-oracle has no tables, no logical times and no copies that take time. */
static const char *needs(const struct cw_config *config, const void *own, const char *reader, uint32_t key)
{
    static const char *const unread[] = {"si.copy",         "si.retain",         "si.rules", "si.step",  "si.time_bits",       "si.graph",
                                         "si.writer_words", "si.reader_entries", "si.lists", "si.ahead", "si.postdate_latency"};
    (void)config;
    if (((const struct cw_si_keys *)own)->si_mode == CW_OFF && strcmp(table[key].name, "si.mode") != 0)
        return "si.mode=on";
    for (uint32_t i = 0; strcmp(reader, "sitm-oracle") == 0 && i < sizeof unread / sizeof unread[0]; i++)
        if (strcmp(table[key].name, unread[i]) == 0)
            return "--system sitm-ts";
    return NULL;
}

static const struct cw_counter counters[] = {
#define CW_LIST "mech/snapshot/counters.def"
#include "base/counter_rows.h"
};

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof(a)[0]))
const struct cw_key_set cw_si_key_set = {.owner = "snapshot", .key = table, .key_cnt = COUNT(table), .needs = needs};
const struct cw_counter_set cw_si_counter_set = {.owner = "snapshot", .counter = counters, .counter_cnt = COUNT(counters)};

const struct cw_key_set *const cw_si_key_sets[] = {&cw_tm_key_set, &cw_si_key_set, NULL};
const struct cw_counter_set *const cw_si_counter_sets[] = {&cw_tm_counter_set, &cw_si_counter_set, NULL};
