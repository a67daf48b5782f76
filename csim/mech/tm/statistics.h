/* SPDX-License-Identifier: Apache-2.0 */
/* What all transactional systems count. */
#ifndef CW_MECH_TM_STATISTICS_H
#define CW_MECH_TM_STATISTICS_H

#include "base/stats.h"

extern const struct cw_counter_set cw_tm_counter_set;

#endif
