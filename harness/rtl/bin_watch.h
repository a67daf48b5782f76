/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A unit provider that stands before another one and counts, over all instances of a unit, the cycles in each bin of the unit (bins.h). A unit
 * without a file of bins in the source tree, as that of a mechanism outside of it, passes uncounted.
 *
 * A cycle is a tick. Cycles in which a simulator leaves a unit alone, because a clock would change nothing, are not there.
 */
#ifndef CW_HARNESS_BIN_WATCH_H
#define CW_HARNESS_BIN_WATCH_H

#include "bins.h"

struct cw_bin_watch;

/* *outer behaves as inner does, and counts. inner must outlive it. 0 or CW_ENOMEM. */
int cw_bin_watch_create(struct cw_bin_watch **watch, struct cw_unit_provider *outer, const struct cw_unit_provider *inner,
                        struct cw_error *err);
/* After the instances. NULL is ignored. */
void cw_bin_watch_destroy(struct cw_bin_watch *watch);

/* The bins of the i-th unit of which an instance has been opened, and its name; NULL: there are no more. They live as long as the watch. */
const struct cw_bins *cw_bin_watch_at(const struct cw_bin_watch *watch, uint32_t i, const char **unit);

#endif
