/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and counters of dynamic warp formation, and what they need of the machine. */
#include "base/bits.h"
#include "control/dwf/dwf_state.h"

static const struct cw_key key[] = {
#define CW_LIST "control/dwf/keys.def"
#include "base/key_rows.h"
};

static const struct cw_counter counter[] = {
#define CW_LIST "control/dwf/counters.def"
#include "base/counter_rows.h"
};

static int check(const struct cw_config *c, const void *own, struct cw_error *err)
{
    const struct cw_dwf_keys *k = own;
    const uint32_t sets = k->lut_entries / k->lut_ways;
    if (c->core_divergence != CW_DIVERGENCE_DWF && c->core_divergence != CW_DIVERGENCE_DWF_WB) {
        const uint32_t *value = own;
        for (uint32_t i = 0; i < sizeof key / sizeof key[0]; i++)
            if (value[i] != key[i].value_default)
                return cw_fail(err, CW_EINVAL, "%s says something about dynamic warp formation only; set core.divergence=dwf or dwf-wb",
                               key[i].name);
        return CW_OK;
    }
    if (c->core_schedulers != 1)
        return cw_fail(err, CW_EINVAL,
                       "dynamic warp formation makes warps of all threads of a core, for one scheduler; set core.schedulers=1");
    if (c->core_lcp != CW_LCP_OFF)
        return cw_fail(err, CW_EINVAL,
                       "core.lcp says where the sides of a branch meet, and dynamic warp formation has no sides; "
                       "set core.lcp=off, or core.divergence=pdom or tbc");
    if (c->core_warp_width != CW_LANES)
        return cw_fail(err, CW_EINVAL, "dynamic warp formation works on warps of %u lanes; set core.warp_width=%u", CW_LANES, CW_LANES);
    if (c->core_warps > DWF_SLOTS)
        return cw_fail(err, CW_EINVAL,
                       "dynamic warp formation: the unit warp_lut has names for %u warps, one per thread; set core.warps=%u", DWF_NAMES,
                       DWF_SLOTS);
    if (sets * k->lut_ways != k->lut_entries || sets < 2 || sets > 64 || !cw_is_power_of_two(sets))
        return cw_fail(err, CW_EINVAL, "dwf.lut_entries=%u in dwf.lut_ways=%u ways is no power of two of sets, from 2 to 64",
                       k->lut_entries, k->lut_ways);
    return CW_OK;
}

const struct cw_key_set cw_dwf_keys = {.owner = "dwf", .key = key, .key_cnt = sizeof key / sizeof key[0], .check = check};
const struct cw_counter_set cw_dwf_counters = {.owner = "dwf", .counter = counter, .counter_cnt = sizeof counter / sizeof counter[0]};
