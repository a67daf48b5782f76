/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Epoch persistency, without buffers and without scopes, in the two forms of Pandey et al. 2023, section 7: gpm is what GPM's system-scoped
 * fence does, which writes back all dirty lines; epoch writes back those of persistent memory alone. The operation waits until the warp's
 * own instructions are complete and all acknowledgements have come, and the core drops its clean lines, since a fence may be one for
 * threads of other blocks. Beyond block scope it takes pm.fence_cycles, if the acknowledgements come sooner: in the authors' simulator the
 * fence's latency begins with the flush (perform_ordering_ops). A fence of PTX of device scope needs nothing of this: the
 * machine itself has written back all dirty lines, and what they were is durable.
 */
#include <stdlib.h>

#include "mech/mech.h"
#include "mech/persist/keys.h"
#include "mech/persist/orders.h"

enum step { STEP_NONE, STEP_WRITE_BACK, STEP_FENCE, STEP_DONE };

/* A warp's operation on its way. */
struct pending {
    enum step step;
    uint32_t fences; /* that follow this one */
    uint32_t job;    /* STEP_WRITE_BACK */
    cw_time until;   /* The fence ends then, or when the acknowledgements have come, whichever is later. */
};

struct epoch_core {
    struct epoch *epoch;
    struct cw_core *core;
    struct pending warp[64];
    uint64_t writing, fencing; /* warps in that step */
};

struct epoch {
    struct cw_mech_host host;
    const struct cw_persist_keys *keys;
    struct cw_persist_counters *counters;
    uint32_t lines;  /* kinds that a fence writes back */
    uint32_t fences; /* of an operation */
    cw_time fence;
    struct epoch_core *core; /* [core_count] */
};

static void begin_fence(struct epoch_core *c, uint32_t w, bool device, uint32_t fences, cw_time now)
{
    c->warp[w] = (struct pending){.step = STEP_WRITE_BACK,
                                  .fences = fences - 1,
                                  .job = cw_core_flush_lines(c->core, c->epoch->lines),
                                  .until = now + (device ? c->epoch->fence : 0)};
    c->writing |= UINT64_C(1) << w;
}

/* Whether the warp's operation is done; else it is on its way, and the warp waits. */
static bool carry_out(struct epoch_core *c, uint32_t w, bool device, cw_time now)
{
    struct pending *p = &c->warp[w];
    if (p->step == STEP_DONE) {
        p->step = STEP_NONE;
        return true;
    }
    if (p->step == STEP_NONE && cw_core_settle(c->core, w, true)) {
        begin_fence(c, w, device, c->epoch->fences, now);
        c->epoch->counters->pm_orderings++;
    }
    return false;
}

static void finish(struct epoch_core *c, uint32_t w, cw_time now)
{
    c->fencing &= ~(UINT64_C(1) << w);
    if (c->warp[w].fences != 0) {
        begin_fence(c, w, true, c->warp[w].fences, now);
        return;
    }
    c->warp[w].step = STEP_DONE;
    cw_core_wake_warp(c->core, w, now);
}

static void l1_flushed(void *self, uint32_t job, cw_time now)
{
    struct epoch_core *c = self;
    bool any = false;
    for (uint64_t left = c->writing; left != 0; left &= left - 1) {
        const uint32_t w = (uint32_t)__builtin_ctzll(left);
        struct pending *p = &c->warp[w];
        if ((int32_t)(job - p->job) < 0)
            continue;
        c->writing &= ~(UINT64_C(1) << w);
        any = true;
        if (p->until <= now) {
            finish(c, w, now);
            continue;
        }
        p->step = STEP_FENCE;
        c->fencing |= UINT64_C(1) << w;
    }
    if (!any)
        return;
    cw_core_forget_lines(c->core, c->epoch->lines);
    c->epoch->counters->pm_invalidated++;
}

static cw_time tick(void *self, cw_time now)
{
    struct epoch_core *c = self;
    cw_time next = CW_TIME_NEVER;
    for (uint64_t left = c->fencing; left != 0; left &= left - 1) {
        const uint32_t w = (uint32_t)__builtin_ctzll(left);
        if (c->warp[w].until <= now)
            finish(c, w, now);
        else
            next = c->warp[w].until < next ? c->warp[w].until : next;
    }
    return next;
}

static bool intrinsic(void *self, struct cw_core_call *call, cw_time now)
{
    struct epoch_core *c = self;
    struct cw_persist_order order;
    return !cw_persist_order_of(call, &order) || carry_out(c, call->warp, order.device, now);
}

static bool barrier(void *self, uint32_t warp, cw_time now)
{
    struct epoch_core *c = self;
    return c->epoch->keys->pm_barrier == CW_PM_BARRIER_NONE || carry_out(c, warp, false, now);
}

static const struct cw_core_sockets sockets = {.l1_flushed = l1_flushed, .tick = tick, .intrinsic = intrinsic, .barrier = barrier};

static void destroy(void *self)
{
    struct epoch *e = self;
    free(e->core);
    free(e);
}

static int create(void **self, const struct cw_mech_host *host, uint32_t lines, bool gpm, struct cw_error *err)
{
    if (host->config->l1_global != CW_L1_WRITE_BACK)
        return cw_fail(err, CW_EINVAL,
                       "persistency models keep dirty lines in the L1; set l1.global=write-back (presets sbrp-near, sbrp-far)");
    struct epoch *e = calloc(1, sizeof *e);
    struct epoch_core *core = calloc(host->config->core_count, sizeof *core);
    if (e == NULL || core == NULL) {
        free(e);
        free(core);
        return cw_fail(err, CW_ENOMEM, "no memory for a persistency model");
    }
    e->host = *host;
    e->keys = cw_config_own(host->config, &cw_persist_key_set);
    e->counters = cw_stats_own(host->stats, &cw_persist_counter_set);
    e->lines = lines;
    e->fences = gpm ? e->keys->pm_gpm_fences : 1;
    e->fence = e->keys->pm_fence_cycles * host->clocks->period[CW_DOMAIN_CORE];
    e->core = core;
    for (uint32_t i = 0; i < host->config->core_count; i++)
        core[i] = (struct epoch_core){.epoch = e, .core = host->core[i]};
    *self = e;
    return CW_OK;
}

static int create_gpm(void **self, const struct cw_mech_host *host, struct cw_error *err)
{
    return create(self, host, CW_LINES_VOLATILE | CW_LINES_PERSISTENT, true, err);
}

static int create_epoch(void **self, const struct cw_mech_host *host, struct cw_error *err)
{
    return create(self, host, CW_LINES_PERSISTENT, false, err);
}

static void *core_self(void *self, uint32_t core)
{
    struct epoch *e = self;
    return e->core + core;
}

static void core_state(struct cw_state *s, struct epoch_core *c)
{
    for (uint32_t w = 0; w < sizeof c->warp / sizeof c->warp[0]; w++) {
        CW_STATE(s, c->warp[w].step);
        CW_STATE(s, c->warp[w].fences);
        CW_STATE(s, c->warp[w].job);
        CW_STATE(s, c->warp[w].until);
    }
    CW_STATE(s, c->writing);
    CW_STATE(s, c->fencing);
}

static void state(void *self, struct cw_state *s)
{
    struct epoch *e = self;
    for (uint32_t i = 0; i < e->host.config->core_count; i++) {
        cw_state_group(s, "epoch", i);
        core_state(s, &e->core[i]);
    }
}

const struct cw_mech cw_mech_gpm = {.name = "gpm",
                                    .what = "GPM: each ordering operation writes all dirty lines back and waits (Pandey et al. 2023, 7)",
                                    .persistency = true,
                                    .contract = CW_CONTRACT_BOX2,
                                    .any_line = true,
                                    .keys = cw_persist_key_sets,
                                    .counters = cw_persist_counter_sets,
                                    .intrinsic = cw_persist_intrinsics,
                                    .create = create_gpm,
                                    .destroy = destroy,
                                    .core = &sockets,
                                    .core_self = core_self,
                                    .state = state};
const struct cw_mech cw_mech_epoch = {.name = "epoch",
                                      .what = "epoch persistency: as gpm, but only lines of persistent memory (Pandey et al. 2023, 7)",
                                      .persistency = true,
                                      .contract = CW_CONTRACT_BOX2,
                                      .any_line = true,
                                      .keys = cw_persist_key_sets,
                                      .counters = cw_persist_counter_sets,
                                      .intrinsic = cw_persist_intrinsics,
                                      .create = create_epoch,
                                      .destroy = destroy,
                                      .core = &sockets,
                                      .core_self = core_self,
                                      .state = state};
