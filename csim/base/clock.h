/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clock domains.
 *
 * Global time counts units of 1 / L microseconds, where L is the least common multiple of the domains' frequencies in MHz;
 * so every clock edge of every domain falls on a whole number and no period is rounded. A domain's edge n is at n * period.
 */
#ifndef CW_BASE_CLOCK_H
#define CW_BASE_CLOCK_H

#include "base/fifo.h"

enum cw_domain { CW_DOMAIN_CORE, CW_DOMAIN_NOC, CW_DOMAIN_L2, CW_DOMAIN_CU, CW_DOMAIN_DRAM, CW_DOMAIN_COUNT };

struct cw_clocks {
    uint64_t units_per_us; /* L */
    cw_time period[CW_DOMAIN_COUNT];
};

#endif
