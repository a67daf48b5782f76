/* SPDX-License-Identifier: Apache-2.0 */
/* The key of large warps, and what they need of the machine. */
#include "control/lw/lw_state.h"

static const struct cw_key key[] = {
#define CW_LIST "control/lw/keys.def"
#include "base/key_rows.h"
};

static int check(const struct cw_config *c, const void *own, struct cw_error *err)
{
    const struct cw_lw_keys *k = own;
    if (c->core_divergence != CW_DIVERGENCE_LW)
        return k->warps == key[0].value_default
                   ? CW_OK
                   : cw_fail(err, CW_EINVAL, "%s says something about large warps only; set core.divergence=lw", key[0].name);
    if (c->core_lcp != CW_LCP_OFF)
        return cw_fail(err, CW_EINVAL,
                       "core.lcp is for threads that may join others early, and those of a large warp go in step; set core.lcp=off");
    return CW_OK;
}

const struct cw_key_set cw_lw_keys = {.owner = "lw", .key = key, .key_cnt = sizeof key / sizeof key[0], .check = check};
