/* SPDX-License-Identifier: Apache-2.0 */
/* The key of independent threads, and what they need of the machine. */
#include "control/its/its_state.h"

static const struct cw_key key[] = {
#define CW_LIST "control/its/keys.def"
#include "base/key_rows.h"
};

static int check(const struct cw_config *c, const void *own, struct cw_error *err)
{
    const struct cw_its_keys *k = own;
    if (c->core_divergence == CW_DIVERGENCE_PDOM_ITS)
        return CW_OK;
    if (!cw_divergence_is_independent(c->core_divergence))
        return k->yield_branches == key[0].value_default
                   ? CW_OK
                   : cw_fail(err, CW_EINVAL, "%s says something about independent threads only; set core.divergence=its", key[0].name);
    if (c->core_lcp != CW_LCP_OFF)
        return cw_fail(err, CW_EINVAL, "core.lcp is for stacks, and independent threads have none; set core.lcp=off");
    return CW_OK;
}

const struct cw_key_set cw_its_keys = {.owner = "its", .key = key, .key_cnt = sizeof key / sizeof key[0], .check = check};
