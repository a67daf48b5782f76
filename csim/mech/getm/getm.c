/* SPDX-License-Identifier: Apache-2.0 */
/* GETM as the GPU sees it: the descriptor, what it refuses, and its components, which are joined here. */
#include "mech/getm/getm.h"

#include <stdlib.h>
#include <string.h>

#include "cowarp/unit/ownership_table.h"
#include "cowarp/unit/validation_unit.h"
#include "mech/getm/core_half.h"
#include "mech/getm/log_writer.h"
#include "mech/getm/messages.h"
#include "mech/getm/statistics.h"
#include "mech/getm/validation.h"
#include "mech/tm/redo_log.h"

struct cw_getm_machine {
    struct cw_getm shared;
    struct cw_getm_statistics statistics;
    struct cw_getm_core **core;             /* per core */
    struct cw_getm_validation **validation; /* per partition */
    struct cw_getm_log_writer **log_writer;
};

/* In the order of enum cw_getm_sabotage, without its first. */
static const char *const sabotage[] = {"skip-owner-check", "drop-rts-update", "forget-writes-decrement", NULL};

/* Creation */

static uint32_t bits_for(uint32_t cnt)
{
    uint32_t bits = 0;
    while (UINT32_C(1) << bits < cnt)
        bits++;
    return bits;
}

static int check_sabotage(struct cw_getm *g, struct cw_error *err)
{
    const uint32_t cnt = sizeof sabotage / sizeof sabotage[0] - 1;
    const char *name = g->host.sabotage;
    for (uint32_t i = 0; name != NULL && i < cnt; i++)
        if (strcmp(name, sabotage[i]) == 0)
            g->sabotage = (enum cw_getm_sabotage)(i + 1);
    if (name == NULL || g->sabotage != CW_GETM_SOUND)
        return CW_OK;
    const char *near = cw_nearest(name, sabotage, cnt);
    return cw_fail(err, CW_EINVAL, "getm knows no sabotage '%s'%s%s%s", name, near != NULL ? "; did you mean '" : "",
                   near != NULL ? near : "", near != NULL ? "'?" : "");
}

static int check(struct cw_getm *g, struct cw_error *err)
{
    const struct cw_config *c = g->config;
    uint32_t warps = c->core_count * c->core_warps;
    if (g->keys->getm_ties == CW_GETM_TIES_WARP)
        g->id_bits = bits_for(warps);
    if (g->keys->getm_ts_bits < g->id_bits + 4)
        return cw_fail(err, CW_EINVAL,
                       "getm.ts_bits = %u is too small: %u warps take %u bits (getm.ties = warp) and the logical time needs 4; "
                       "set getm.ts_bits = %u or more, or getm.ties = none",
                       g->keys->getm_ts_bits, warps, g->id_bits, g->id_bits + 4);
    if (g->common.keys->tm_log_entries > 65535)
        return cw_fail(err, CW_EINVAL, "tm.log_entries = %u: at most 65535 stores of a warp can be counted per granule",
                       g->common.keys->tm_log_entries);
    g->ts_max = (UINT64_C(1) << g->keys->getm_ts_bits) - 1;
    g->granule_shift = (uint32_t)__builtin_ctz(g->common.keys->tm_granule_bytes);
    return check_sabotage(g, err);
}

static int allocate(struct cw_getm_machine *m)
{
    uint32_t cores = m->shared.config->core_count, partitions = m->shared.config->partition_count;
    struct cw_getm_wires *wires = &m->shared.wires;
    m->core = calloc(cores, sizeof *m->core);
    m->validation = calloc(partitions, sizeof *m->validation);
    m->log_writer = calloc(partitions, sizeof *m->log_writer);
    wires->wanted = calloc(3 * (size_t)partitions, sizeof *wires->wanted);
    if (m->core == NULL || m->validation == NULL || m->log_writer == NULL || wires->wanted == NULL)
        return CW_ENOMEM;
    wires->stop = wires->wanted + partitions;
    wires->flushed = wires->wanted + 2 * (size_t)partitions;
    return CW_OK;
}

static int create_parts(struct cw_getm_machine *m, struct cw_error *err)
{
    const struct cw_getm *g = &m->shared;
    int status = allocate(m);
    for (uint32_t i = 0; i < g->config->core_count && status == CW_OK; i++)
        status = cw_getm__core_create(m->core + i, g, i, err);
    for (uint32_t i = 0; i < g->config->partition_count && status == CW_OK; i++) {
        status = cw_getm__validation_create(m->validation + i, g, i, err);
        if (status == CW_OK)
            status = cw_getm__log_writer_create(m->log_writer + i, g, i, cw_getm__validation_releases(m->validation[i]));
    }
    return status;
}

static void destroy(void *self)
{
    struct cw_getm_machine *m = self;
    if (m == NULL)
        return;
    for (uint32_t i = 0; m->core != NULL && i < m->shared.config->core_count; i++)
        cw_getm__core_destroy(m->core[i]);
    for (uint32_t i = 0; m->log_writer != NULL && i < m->shared.config->partition_count; i++)
        cw_getm__log_writer_destroy(m->log_writer[i]);
    for (uint32_t i = 0; m->validation != NULL && i < m->shared.config->partition_count; i++)
        cw_getm__validation_destroy(m->validation[i]);
    free(m->core);
    free(m->validation);
    free(m->log_writer);
    free(m->shared.wires.wanted);
    free(m);
}

static int create(void **out, const struct cw_mech_host *host, struct cw_error *err)
{
    *out = NULL;
    struct cw_getm_machine *m = calloc(1, sizeof *m);
    if (m == NULL)
        return cw_fail(err, CW_ENOMEM, "getm: out of host memory");
    m->shared = (struct cw_getm){.host = *host, .config = host->config, .statistics = &m->statistics};
    m->shared.common = cw_tm_common_of(&m->shared.host);
    m->shared.keys = cw_getm_keys_of(host->config);
    m->shared.counters = cw_getm_counters_of(host->stats);
    int status = check(&m->shared, err);
    if (status == CW_OK)
        status = create_parts(m, err);
    if (status == CW_ENOMEM)
        status = cw_fail(err, CW_ENOMEM, "getm: out of host memory");
    if (status != CW_OK) {
        destroy(m);
        return status;
    }
    *out = m;
    return CW_OK;
}

/* The rest of the descriptor */

static uint32_t components(void *self, struct cw_component **list, uint32_t max)
{
    struct cw_getm_machine *m = self;
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < m->shared.config->partition_count && cnt + 2 <= max; i++) {
        list[cnt++] = cw_getm__validation_component(m->validation[i]);
        list[cnt++] = cw_getm__log_writer_component(m->log_writer[i]);
    }
    return cnt;
}

static void *core_self(void *self, uint32_t core)
{
    struct cw_getm_machine *m = self;
    return m->core[core];
}

static bool idle(const void *self)
{
    const struct cw_getm_machine *m = self;
    for (uint32_t i = 0; i < m->shared.config->core_count; i++)
        if (!cw_getm__core_sockets.idle(m->core[i]))
            return false;
    for (uint32_t i = 0; i < m->shared.config->partition_count; i++)
        if (!cw_getm__validation_idle(m->validation[i]) || !cw_getm__log_writer_idle(m->log_writer[i]))
            return false;
    return true;
}

static void finish(void *self)
{
    struct cw_getm_machine *m = self;
    cw_getm__note_end(&m->shared);
}

static const char *const inner[] = {"recency_bloom_filter", "cuckoo_table", "stall_buffer", NULL};
static const struct cw_mech_unit units[] = {
    {.unit = &cw_validation_unit_unit,
     .what = "metadata tables and stall buffer of a partition; one per memory partition",
     .domain = CW_DOMAIN_L2,
     .inner = inner},
    {.unit = &cw_ownership_table_unit, .what = "two-phase intra-warp conflict resolution; tm.resolvers per core", .domain = CW_DOMAIN_CORE},
};

const struct cw_mech cw_mech_getm = {
    .name = "getm",
    .what = "GETM: eager conflict detection in validation units at the LLC (Ren and Lis, HPCA 2018)",
    .system = true,
    .unit = units,
    .unit_cnt = sizeof units / sizeof units[0],
    .keys = cw_getm_key_sets,
    .counters = cw_getm_counter_sets,
    .messages = cw_getm_messages,
    .intrinsic = cw_tm_intrinsics,
    .sabotage = sabotage,
    .create = create,
    .destroy = destroy,
    .components = components,
    .core = &cw_getm__core_sockets,
    .core_self = core_self,
    .inbox = cw_tm_inbox,
    .local_bytes = cw_tm_log_bytes,
    .idle = idle,
    .finish = finish,
};
