/* SPDX-License-Identifier: Apache-2.0 */
/* A hardware unit as a program knows it that has units to choose from: what a mechanism or a control policy says of a unit that it brings.
 */
#ifndef CW_UNIT_OFFER_H
#define CW_UNIT_OFFER_H

#include <stdbool.h>

#include "base/clock.h"
#include "base/config.h"
#include "cowarp/unit.h"

/* Mechanisms and policies may bring the same unit. */
struct cw_mech_unit {
    const struct cw_unit *unit;
    const char *what;         /* one line for `cowarp list`, with "one per memory partition" or the like */
    enum cw_domain domain;    /* the clock of its instances */
    const char *const *inner; /* names of units inside this one, which cannot be chosen on their own; NULL-terminated; NULL: none */
    /* Whether this configuration has the unit; NULL: always. */
    bool (*used)(const struct cw_config *config);
    const char *needs; /* what one has to set so that `used` says yes: "warptm.resolution = 2pcr"; NULL when `used` is */
};

#endif
