/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and counters of dynamic warp subdivision, and what it needs of the machine. */
#include "control/dws/dws_state.h"

static const struct cw_key key[] = {
#define CW_LIST "control/dws/keys.def"
#include "base/key_rows.h"
};

static const struct cw_counter counter[] = {
#define CW_LIST "control/dws/counters.def"
#include "base/counter_rows.h"
};

static int check(const struct cw_config *c, const void *own, struct cw_error *err)
{
    const struct cw_dws_keys *k = own;
    if (c->core_divergence != CW_DIVERGENCE_DWS)
        return k->memory == CW_ON && k->wait_cycles == key[0].value_default
                   ? CW_OK
                   : cw_fail(err, CW_EINVAL, "%s says something about dynamic warp subdivision only; set core.divergence=dws",
                             key[k->memory != CW_ON].name);
    if (c->core_scoreboard != CW_SCOREBOARD_LANE)
        return cw_fail(err, CW_EINVAL,
                       "core.divergence=dws lets lanes run whose loads have come while others wait for theirs; set core.scoreboard=lane");
    if (c->core_lcp != CW_LCP_OFF)
        return cw_fail(err, CW_EINVAL, "core.lcp is for stacks, and independent threads have none; set core.lcp=off");
    return CW_OK;
}

const struct cw_key_set cw_dws_keys = {.owner = "dws", .key = key, .key_cnt = sizeof key / sizeof key[0], .check = check};
const struct cw_counter_set cw_dws_counters = {.owner = "dws", .counter = counter, .counter_cnt = sizeof counter / sizeof counter[0]};
