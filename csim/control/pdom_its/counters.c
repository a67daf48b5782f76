/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of a SIMT stack with independent threads behind it. */
#include "control/pdom_its/pdom_its_state.h"

static const struct cw_counter counter[] = {
#define CW_LIST "control/pdom_its/counters.def"
#include "base/counter_rows.h"
};

const struct cw_counter_set cw_pdom_its_counters = {
    .owner = "pdom-its", .counter = counter, .counter_cnt = sizeof counter / sizeof counter[0]};
