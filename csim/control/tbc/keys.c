/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and counters of thread block compaction, and what they need of the machine. */
#include <string.h>

#include "control/tbc/tbc_state.h"

static const struct cw_key key[] = {
#define CW_LIST "control/tbc/keys.def"
#include "base/key_rows.h"
};

static const struct cw_counter counter[] = {
#define CW_LIST "control/tbc/counters.def"
#include "base/counter_rows.h"
};

/* The keys say something only where the mechanism is. */
static int check_unused(const struct cw_tbc_keys *own, struct cw_error *err)
{
    const uint32_t *value = (const uint32_t *)own;
    for (uint32_t i = 0; i < sizeof key / sizeof key[0]; i++)
        if (value[i] != key[i].value_default)
            return cw_fail(err, CW_EINVAL, "%s says something about thread block compaction only; set core.divergence=tbc", key[i].name);
    return CW_OK;
}

static int check(const struct cw_config *c, const void *own, struct cw_error *err)
{
    if (!cw_divergence_has_block_stack(c->core_divergence))
        return check_unused(own, err);
    if (c->core_scheduler != CW_SCHED_LRR)
        return cw_fail(err, CW_EINVAL,
                       "core.divergence=tbc chooses among blocks itself (tbc.priority), and within one round robin; "
                       "set core.scheduler=lrr");
    if (c->core_warp_width != CW_LANES)
        return cw_fail(err, CW_EINVAL, "core.divergence=tbc works on warps of %u lanes; set core.warp_width=%u", CW_LANES, CW_LANES);
    if (c->core_warps > CW_ADAPT_BLOCK_STACK_WARPS)
        return cw_fail(err, CW_EINVAL, "core.divergence=tbc: the masks of the unit block_stack have %u threads; set core.warps=%u",
                       CW_ADAPT_BLOCK_STACK_WARPS * CW_LANES, CW_ADAPT_BLOCK_STACK_WARPS);
    if (c->core_blocks > CW_ADAPT_BLOCK_STACK_BLOCKS)
        return cw_fail(err, CW_EINVAL, "core.divergence=tbc: the unit block_stack has stacks for %u blocks; set core.blocks=%u",
                       CW_ADAPT_BLOCK_STACK_BLOCKS, CW_ADAPT_BLOCK_STACK_BLOCKS);
    return CW_OK;
}

const struct cw_key_set cw_tbc_keys = {.owner = "tbc", .key = key, .key_cnt = sizeof key / sizeof key[0], .check = check};
const struct cw_counter_set cw_tbc_counters = {.owner = "tbc", .counter = counter, .counter_cnt = sizeof counter / sizeof counter[0]};
