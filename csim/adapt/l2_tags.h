/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tags of an L2 slice (include/cowarp/unit/l2_tags.h), from the provider: C model, RTL, or both in lockstep. The sweep after the reset lies
 * before the first cycle of the run.
 *
 * A slice asks at most for one line at a time: it looks, decides, and says what becomes of the line. The unit is clocked when it is asked, so
 * its two cycles are part of those that the slice takes for tags and data (l2.latency), not of others.
 */
#ifndef CW_ADAPT_L2_TAGS_H
#define CW_ADAPT_L2_TAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit.h"

struct cw_adapt_l2_tags;

#define CW_ADAPT_L2_TAGS_NONE UINT32_MAX /* No line */

struct cw_adapt_l2_tags_config {
    uint32_t partition;
    uint32_t sets, ways, sectors;
};

/* What the unit answers. */
struct cw_adapt_l2_tags_view {
    uint32_t line;        /* Set * ways + way: the line of that number, or the victim; CW_ADAPT_L2_TAGS_NONE: all are held */
    bool present;         /* It is the line asked for. */
    uint32_t number;      /* Its own. */
    uint8_t valid, dirty; /* Sectors. */
};

/* What has become of it. */
struct cw_adapt_l2_tags_line {
    bool present;         /* A victim is the line that was asked for now. */
    bool held, used;      /* It stays until one says otherwise; it is the one used last. */
    uint8_t valid, dirty; /* Sectors; of a line that was present, all that were valid still are */
};

/* CW_EUNSUP with the key that is too large for the unit, or the status of the provider, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_l2_tags_create(struct cw_adapt_l2_tags **out, const struct cw_unit_provider *units,
                            const struct cw_adapt_l2_tags_config *config, struct cw_error *err);
void cw_adapt_l2_tags_destroy(struct cw_adapt_l2_tags *t);
void cw_adapt_l2_tags_state(struct cw_state *s, struct cw_adapt_l2_tags *t);
/* No line is present. */
void cw_adapt_l2_tags_reset(struct cw_adapt_l2_tags *t);
/* Asks for the line of that number in its partition. */
const struct cw_adapt_l2_tags_view *cw_adapt_l2_tags_look(struct cw_adapt_l2_tags *t, uint32_t number);
/* Once after each look; NULL: nothing. */
void cw_adapt_l2_tags_set(struct cw_adapt_l2_tags *t, const struct cw_adapt_l2_tags_line *line);

#endif
