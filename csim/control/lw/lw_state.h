/* SPDX-License-Identifier: Apache-2.0 */
/* State of large warps in a core. Private to: lw.c, keys.c. */
#ifndef CW_CONTROL_LW_LW_STATE_H
#define CW_CONTROL_LW_LW_STATE_H

#include "adapt/block_stack.h"
#include "base/config.h"
#include "base/machine.h"
#include "control/tbc/tbc.h"

#define LW_SLOTS 32u
#define LW_NONE  UINT32_MAX

struct cw_lw_keys {
#define CW_LIST "control/lw/keys.def"
#include "base/key_fields.h"
};

extern const struct cw_key_set cw_lw_keys;

struct lw {
    const struct cw_lw_keys *keys;
    uint32_t block[CW_ADAPT_BLOCK_STACK_BLOCKS]; /* [large warp]: the core's block that it is of; LW_NONE: it has never been used. */
    uint32_t rounds[LW_SLOTS];                   /* [slot]: branches at which the warp has gone on without the others, since it was made. */
    uint64_t top[LW_SLOTS];                      /* [slot]: it was made of this top. */
    uint32_t group[4];                           /* [scheduler]: the large warp that issues. */
};

#endif
