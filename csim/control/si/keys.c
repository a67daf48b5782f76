/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and counters of subwarp interleaving, and what it needs of the machine. */
#include "control/si/si_state.h"

static const struct cw_key key[] = {
#define CW_LIST "control/si/keys.def"
#include "base/key_rows.h"
};

static const struct cw_counter counter[] = {
#define CW_LIST "control/si/counters.def"
#include "base/counter_rows.h"
};

static int check(const struct cw_config *c, const void *own, struct cw_error *err)
{
    const struct cw_subwarp_keys *k = own;
    if (c->core_divergence != CW_DIVERGENCE_SI)
        return k->wait_cycles == key[0].value_default
                   ? CW_OK
                   : cw_fail(err, CW_EINVAL, "%s says something about subwarp interleaving only; set core.divergence=si", key[0].name);
    if (c->core_scoreboard != CW_SCOREBOARD_LANE)
        return cw_fail(
            err, CW_EINVAL,
            "core.divergence=si lets one side of a branch run while the other one waits for its loads; set core.scoreboard=lane");
    if (c->core_lcp != CW_LCP_OFF)
        return cw_fail(err, CW_EINVAL, "core.lcp is for stacks, and independent threads have none; set core.lcp=off");
    return CW_OK;
}

const struct cw_key_set cw_subwarp_keys = {.owner = "si", .key = key, .key_cnt = sizeof key / sizeof key[0], .check = check};
const struct cw_counter_set cw_subwarp_counters = {.owner = "si", .counter = counter, .counter_cnt = sizeof counter / sizeof counter[0]};
