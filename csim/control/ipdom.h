/* SPDX-License-Identifier: Apache-2.0 */
/* The policy of immediate post-dominators, which every preset has. */
#ifndef CW_CONTROL_IPDOM_H
#define CW_CONTROL_IPDOM_H

#include "control/control.h"

extern const struct cw_control_ops cw_control_ipdom;

#endif
