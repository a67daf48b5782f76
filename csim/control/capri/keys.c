/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and counters of the predictor of compaction-adequacy, and what it needs of the machine. */
#include "control/capri/capri_state.h"

static const struct cw_key key[] = {
#define CW_LIST "control/capri/keys.def"
#include "base/key_rows.h"
};

static const struct cw_counter counter[] = {
#define CW_LIST "control/capri/counters.def"
#include "base/counter_rows.h"
};

static int check(const struct cw_config *c, const void *own, struct cw_error *err)
{
    const struct cw_capri_keys *k = own;
    if (c->core_divergence != CW_DIVERGENCE_CAPRI)
        return k->entries == key[0].value_default
                   ? CW_OK
                   : cw_fail(err, CW_EINVAL, "%s says something about CAPRI's predictor only; set core.divergence=capri", key[0].name);
    if (c->core_lcp != CW_LCP_OFF)
        return cw_fail(err, CW_EINVAL, "core.lcp is for warps that wait at every branch, and those of capri do not; set core.lcp=off");
    return CW_OK;
}

const struct cw_key_set cw_capri_keys = {.owner = "capri", .key = key, .key_cnt = sizeof key / sizeof key[0], .check = check};
const struct cw_counter_set cw_capri_counters = {.owner = "capri", .counter = counter, .counter_cnt = sizeof counter / sizeof counter[0]};
