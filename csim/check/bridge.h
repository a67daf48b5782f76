/* SPDX-License-Identifier: Apache-2.0 */
/* An observer that tells the serializability oracle what a mechanism without events reports. */
#ifndef CW_CHECK_BRIDGE_H
#define CW_CHECK_BRIDGE_H

#include "check/serial.h"
#include "mech/tm/tm.h"

/* Fills the observer. It is the caller's, and must not outlive the oracle. */
void cw_serial_bridge(struct cw_tm_observer *observer, struct cw_serial *s);

#endif
