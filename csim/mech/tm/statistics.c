/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/tm/statistics.h"

static const struct cw_ratio ratios[] = {
    {"aborts_per_1k_commits", "tx_aborted", "tx_committed", 1000.0, "transactions", "1000 x tx_aborted / tx_committed (GETM Table IV)"}};

const struct cw_counter_set cw_tm_counter_set = {.owner = "tm", .ratio = ratios, .ratio_cnt = sizeof ratios / sizeof ratios[0]};
