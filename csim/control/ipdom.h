/* SPDX-License-Identifier: Apache-2.0 */
/* The policy of immediate post-dominators: a SIMT stack per warp. */
#ifndef CW_CONTROL_IPDOM_H
#define CW_CONTROL_IPDOM_H

#include "control/control.h"
#include "control/simt_stack.h"

extern const struct cw_control_ops cw_control_ipdom;
/* The stack of a warp, with the PC of its front. For a policy that takes warps over, and gives them back (csim/control/pdom_its). */
struct cw_simt *cw_ipdom_stack(struct cw_control *p, uint32_t warp);

#endif
