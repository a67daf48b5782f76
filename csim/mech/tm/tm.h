/* SPDX-License-Identifier: Apache-2.0 */
/* What transactional systems share in their descriptors. */
#ifndef CW_MECH_TM_TM_H
#define CW_MECH_TM_TM_H

#include "base/rng.h"
#include "mech/mech.h"

/* tx_begin and tx_commit, which every transactional system carries out. */
extern const struct cw_intrinsic cw_tm_intrinsics[];

/* Local memory of a thread for both logs, as struct cw_mech has it. */
uint32_t cw_tm_log_bytes(const struct cw_config *config);
/* cu.buffer: input queue of a commit unit, or of what stands in its place. */
uint32_t cw_tm_inbox(const struct cw_config *config);

#endif
