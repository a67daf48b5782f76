/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions of shared memory as critical sections: the descriptor. The PTX reader does the rest (csim/ptx/lock_form.h). */
#include <stddef.h>

#include "mech/mech.h"
#include "mech/tm/tm.h"

static int nothing;

static int create(void **out, const struct cw_mech_host *host, struct cw_error *err)
{
    if (host->sabotage != NULL)
        return cw_fail(err, CW_EINVAL, "the system lds-lock knows no sabotage '%s'", host->sabotage);
    *out = &nothing;
    return CW_OK;
}

static void destroy(void *self)
{
    (void)self;
}

const struct cw_mech cw_mech_lds_lock = {
    .name = "lds-lock",
    .what = "transactions become critical sections of one lock per block, in its shared memory",
    .system = true,
    .any_width = true,
    .any_line = true,
    .any_warps = true,
    .stateless = true,
    .lock_form = true,
    .intrinsic = cw_tm_intrinsics,
    .create = create,
    .destroy = destroy,
};
