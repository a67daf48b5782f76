/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clock domains and components.
 *
 * Global time counts units of 1 / L microseconds, where L is the least common multiple of the domains' frequencies in MHz;
 * so every clock edge of every domain falls on a whole number and no period is rounded. A domain's edge n is at n * period.
 *
 * A component belongs to one domain and ticks on its edges. It says when it next needs a tick (wake, any time; the tick
 * happens at the domain's first edge at or after it); pushes into a component's input FIFOs lower its wake. A tick earlier than
 * needed must change nothing, so that skipping idle time is exact. At the end of a tick the component sets wake to the
 * earliest of: its next own event, and the heads of its input FIFOs (cw_fifo_next); a component that is blocked by a full
 * output asks for its next edge.
 */
#ifndef CW_BASE_CLOCK_H
#define CW_BASE_CLOCK_H

#include "base/fifo.h"

enum cw_domain { CW_DOMAIN_CORE, CW_DOMAIN_NOC, CW_DOMAIN_L2, CW_DOMAIN_CU, CW_DOMAIN_DRAM, CW_DOMAIN_COUNT };

struct cw_clocks {
    uint64_t units_per_us; /* L */
    cw_time period[CW_DOMAIN_COUNT];
};

struct cw_component {
    void (*tick)(void *self, cw_time now);
    void *self;
    cw_time wake;
    enum cw_domain domain;
};

#endif
