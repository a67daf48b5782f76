/* SPDX-License-Identifier: Apache-2.0 */
/* The model sbrp: its state and its descriptor. README.md tells the protocol and the decisions. */
#include "mech/persist/sbrp.h"

#include <stdlib.h>
#include <string.h>

static const char *const sabotage[] = {"drop-ofence", "ignore-fsm", "early-ack", "release-before-drain", "device-as-block", NULL};

static void destroy(void *self)
{
    struct cw_sbrp *s = self;
    for (uint32_t i = 0; s->core != NULL && i < s->host.config->core_count; i++) {
        cw_adapt_persist_buffer_destroy(s->core[i].buffer);
        cw_adapt_order_masks_destroy(s->core[i].masks);
        free(s->core[i].entry);
        free(s->core[i].ordered);
    }
    free(s->core);
    free(s);
}

static int create_core(struct cw_sbrp *s, uint32_t i, struct cw_error *err)
{
    const struct cw_config *config = s->host.config;
    const uint32_t lines = config->l1_bytes / config->mem_line_bytes;
    struct cw_sbrp_core *c = &s->core[i];
    *c = (struct cw_sbrp_core){.sbrp = s, .core = s->host.core[i], .viewed = CW_TIME_NEVER};
    c->entry = calloc(lines, sizeof *c->entry);
    c->ordered = calloc(s->keys->pm_pb_entries, sizeof *c->ordered);
    int status = c->entry != NULL && c->ordered != NULL ? CW_OK : cw_fail(err, CW_ENOMEM, "no memory for a persist buffer");
    if (status == CW_OK)
        status = cw_adapt_persist_buffer_create(&c->buffer, s->host.units, i, s->keys->pm_pb_entries, config->core_warps, lines, err);
    /* 8 bits, as in the paper, or as many as the window needs (trap 3) */
    if (status == CW_OK)
        status = cw_adapt_order_masks_create(&c->masks, s->host.units, i, config->core_warps, 8, s->keys->pm_patience, err);
    return status;
}

static int create(void **self, const struct cw_mech_host *host, struct cw_error *err)
{
    *self = NULL;
    if (host->config->l1_global != CW_L1_WRITE_BACK)
        return cw_fail(err, CW_EINVAL,
                       "persistency models keep dirty lines in the L1; set l1.global=write-back (presets sbrp-near, sbrp-far)");
    struct cw_sbrp *s = calloc(1, sizeof *s);
    if (s == NULL)
        return cw_fail(err, CW_ENOMEM, "no memory for a persistency model");
    s->host = *host;
    s->keys = cw_config_own(host->config, &cw_persist_key_set);
    s->counters = cw_stats_own(host->stats, &cw_persist_counter_set);
    s->period = host->clocks->period[CW_DOMAIN_CORE];
    for (uint32_t i = 0; host->sabotage != NULL && sabotage[i] != NULL; i++)
        if (strcmp(sabotage[i], host->sabotage) == 0)
            s->fault = i + 1;
    s->core = calloc(host->config->core_count, sizeof *s->core);
    int status = s->core != NULL ? CW_OK : cw_fail(err, CW_ENOMEM, "no memory for a persistency model");
    for (uint32_t i = 0; status == CW_OK && i < host->config->core_count; i++)
        status = create_core(s, i, err);
    if (status == CW_OK)
        *self = s;
    else
        destroy(s);
    return status;
}

static void *core_self(void *self, uint32_t core)
{
    struct cw_sbrp *s = self;
    return s->core + core;
}

static void inputs_state(struct cw_state *s, struct cw_adapt_persist_buffer_in *in)
{
    CW_STATE(s, in->insert);
    CW_STATE(s, in->held);
    CW_STATE(s, in->evict);
    CW_STATE(s, in->kind);
    CW_STATE(s, in->warp);
    CW_STATE(s, in->line);
    CW_STATE(s, in->entry);
    CW_STATE(s, in->evict_entry);
    CW_STATE(s, in->flush_taken);
    CW_STATE(s, in->order_taken);
    CW_STATE(s, in->fsm);
    CW_STATE(s, in->hold);
    CW_STATE(s, in->drain);
}

static void masks_inputs_state(struct cw_state *s, struct cw_adapt_order_masks_in *in)
{
    CW_STATE(s, in->stall);
    CW_STATE(s, in->delay);
    CW_STATE(s, in->order);
    CW_STATE(s, in->stall_warp);
    CW_STATE(s, in->delay_warp);
    CW_STATE(s, in->order_kind);
    CW_STATE(s, in->order_warps);
    CW_STATE(s, in->flush);
    CW_STATE(s, in->evict);
    CW_STATE(s, in->ack);
}

static void units_state(struct cw_state *s, struct cw_sbrp_core *c)
{
    cw_adapt_persist_buffer_state(s, c->buffer);
    cw_adapt_order_masks_state(s, c->masks);
    inputs_state(s, &c->in);
    inputs_state(s, &c->posed);
    CW_STATE(s, c->answers_store);
    masks_inputs_state(s, &c->masks_in);
    if (cw_state_loads(s))
        c->viewed = CW_TIME_NEVER; /* `view` follows from the unit. */
    CW_STATE(s, c->clocked);
    CW_STATE(s, c->awake);
}

static void core_state(struct cw_state *s, struct cw_sbrp_core *c)
{
    const struct cw_config *config = c->sbrp->host.config;
    cw_state_array(s, "entry", c->entry, config->l1_bytes / config->mem_line_bytes, sizeof *c->entry);
    cw_state_array(s, "ordered", c->ordered, c->sbrp->keys->pm_pb_entries, sizeof *c->ordered);
    units_state(s, c);
    for (uint32_t w = 0; w < sizeof c->warp / sizeof c->warp[0]; w++) {
        CW_STATE(s, c->warp[w].step);
        CW_STATE(s, c->warp[w].kind);
        CW_STATE(s, c->warp[w].returns);
        CW_STATE(s, c->warp[w].orders);
    }
    cw_state_count(s, "head", &c->asked_ring.head, 63);
    cw_state_count(s, "asked", &c->asked_ring.cnt, 64);
    CW_STATE(s, c->asked);
    CW_STATE(s, c->pipe);
    CW_STATE(s, c->evict);
    CW_STATE(s, c->evict_line);
    CW_STATE(s, c->evict_warp);
    CW_STATE(s, c->past_waits);
    CW_STATE(s, c->ends);
}

static void state(void *self, struct cw_state *s)
{
    struct cw_sbrp *m = self;
    for (uint32_t i = 0; i < m->host.config->core_count; i++) {
        cw_state_group(s, "sbrp", i);
        core_state(s, &m->core[i]);
    }
}

static bool keeps(const void *self)
{
    const struct cw_sbrp *s = self;
    return s->keys->pm_kernel_end == CW_PM_END_KEEP;
}

static const struct cw_mech_unit units[] = {
    {.unit = &cw_persist_buffer_unit,
     .what = "dirty lines of persistent memory in order, with ordering entries; one per core",
     .domain = CW_DOMAIN_CORE},
    {.unit = &cw_order_masks_unit, .what = "warps that wait for persists: ODM, EDM, FSM, ACTR; one per core", .domain = CW_DOMAIN_CORE}};

const struct cw_mech cw_mech_sbrp = {
    .name = "sbrp",
    .what = "scoped buffered release persistency: lines wait in a persist buffer, in the order that kernels ask for (Pandey et al. 2023)",
    .persistency = true,
    .contract = CW_CONTRACT_FENCES,
    .any_line = true,
    .unit = units,
    .unit_cnt = sizeof units / sizeof units[0],
    .keys = cw_persist_key_sets,
    .counters = cw_persist_counter_sets,
    .intrinsic = cw_persist_intrinsics,
    .sabotage = sabotage,
    .create = create,
    .destroy = destroy,
    .core = &cw_sbrp_sockets,
    .core_self = core_self,
    .state = state,
    .keeps = keeps};
