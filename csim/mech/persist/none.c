/* SPDX-License-Identifier: Apache-2.0 */
/* The model none: nothing is ordered and nobody waits. Persistent memory is as volatile, so a run shows what persistency itself costs. It
 * is in every GPU for which no other model is chosen, so that a kernel with fences runs anywhere. */
#include "mech/mech.h"
#include "mech/persist/persist.h"

static int create(void **self, const struct cw_mech_host *host, struct cw_error *err)
{
    (void)host;
    (void)err;
    *self = NULL; /* it has no state */
    return CW_OK;
}

static void destroy(void *self)
{
    (void)self;
}

static bool intrinsic(void *self, struct cw_core_call *call, cw_time now)
{
    (void)self;
    (void)call;
    (void)now;
    return true;
}

static const struct cw_core_sockets sockets = {.intrinsic = intrinsic};

const struct cw_mech cw_mech_none = {
    .name = CW_MECH_PERSISTENCY_NONE,
    .what = "persistent memory as volatile memory: fences, acquires and releases order nothing and wait for nothing",
    .persistency = true,
    .any_width = true,
    .any_line = true,
    .any_warps = true,
    .stateless = true,
    .intrinsic = cw_persist_intrinsics,
    .create = create,
    .destroy = destroy,
    .core = &sockets,
};
