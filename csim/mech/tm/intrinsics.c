/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel calls to run a transaction, and sizes that follow from the keys. */
#include "mech/tm/keys.h"
#include "mech/tm/redo_log.h"
#include "mech/tm/tm.h"

const struct cw_intrinsic cw_tm_intrinsics[] = {
    {.name = "tx_begin", .role = CW_INTRINSIC_REGION_BEGIN, .what = "begins a transaction"},
    {.name = "tx_commit", .role = CW_INTRINSIC_REGION_END, .what = "ends a transaction"},
    {.name = NULL},
};

uint32_t cw_tm_inbox(const struct cw_config *config)
{
    return cw_tm_keys_of(config)->cu_buffer;
}

uint32_t cw_tm_log_bytes(const struct cw_config *config)
{
    return cw_redo_log_bytes(cw_tm_keys_of(config)->tm_log_entries);
}
