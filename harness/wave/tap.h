/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A unit provider that stands before another one and keeps the latest inputs and outputs of every instance, so that a trace shows the ports
 * of each unit whatever implements it.
 */
#ifndef CW_HARNESS_WAVE_TAP_H
#define CW_HARNESS_WAVE_TAP_H

#include "base/error.h"
#include "cowarp/unit.h"

struct cw_tap {
    char *name;                   /* instance path, "partition2.validation_unit" */
    const struct cw_unit *unit;
    struct cw_port *port;         /* unit->port_cnt, at this instance's parameters */
    void *in, *out;               /* the unit's structs as the latest eval saw and left them */
    struct cw_unit_instance inner;
};

struct cw_taps;

/* *outer behaves as inner does, and records. inner must outlive it. 0 or CW_ENOMEM. */
int cw_taps_create(struct cw_taps **taps, struct cw_unit_provider *outer, const struct cw_unit_provider *inner, struct cw_error *err);
void cw_taps_destroy(struct cw_taps *taps);
uint32_t cw_taps_count(const struct cw_taps *taps);
const struct cw_tap *cw_taps_at(const struct cw_taps *taps, uint32_t i);

#endif
