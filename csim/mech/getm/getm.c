/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/getm/getm.h"

#include <stdlib.h>
#include <string.h>

#include "cowarp/unit/ownership_table.h"
#include "cowarp/unit/validation_unit.h"
#include "mech/getm/getm_state.h"
#include "mech/tm/statistics.h"

/* Timestamps */

uint64_t cw_getm__at(const struct cw_getm *tm, uint64_t ts, uint32_t owner)
{
    return tm->id_bits == 0 ? ts : ts >> tm->id_bits << tm->id_bits | owner;
}

uint64_t cw_getm__after(const struct cw_getm *tm, uint64_t cause, uint32_t owner)
{
    uint64_t next = ((cause >> tm->id_bits) + 1) << tm->id_bits;
    if (tm->id_bits != 0)
        next |= owner;
    return next < tm->ts_max ? next : tm->ts_max;
}

void cw_getm__note_time(struct cw_getm *tm, uint64_t warpts)
{
    uint64_t logical = warpts >> tm->id_bits;
    if (logical <= tm->logical_max)
        return;
    tm->logical_max = logical;
    cw_stat_max(&tm->cfg.stats->warpts_max, logical);
}

/* Oracle */

uint32_t cw_getm__names_new(struct cw_getm *tm, const uint64_t attempt[CW_LANES])
{
    if (tm->names_free_cnt == 0) {
        uint32_t cap = tm->names_cap == 0 ? 64 : 2 * tm->names_cap;
        void *names = realloc(tm->names, cap * sizeof *tm->names);
        void *list = names != NULL ? realloc(tm->names_free, cap * sizeof *tm->names_free) : NULL;
        tm->names = names != NULL ? names : tm->names;
        tm->names_free = list != NULL ? list : tm->names_free;
        if (list == NULL) {
            cw_getm__fault(tm, CW_ENOMEM, "out of host memory for the serializability oracle");
            return 0;
        }
        for (uint32_t i = cap; i-- > tm->names_cap;)
            tm->names_free[tm->names_free_cnt++] = i;
        tm->names_cap = cap;
    }
    uint32_t i = tm->names_free[--tm->names_free_cnt];
    memcpy(tm->names[i], attempt, sizeof tm->names[i]);
    return i + 1;
}

void cw_getm__names_free(struct cw_getm *tm, uint32_t tag)
{
    tm->names_free[tm->names_free_cnt++] = tag - 1;
}

void cw_getm__fault(struct cw_getm *tm, int status, const char *text)
{
    if (tm->cfg.fault != NULL)
        tm->cfg.fault(tm->cfg.fault_context, status, text);
}

/* Creation */

static uint32_t bits_for(uint32_t cnt)
{
    uint32_t bits = 0;
    while (UINT32_C(1) << bits < cnt)
        bits++;
    return bits;
}

static bool power_of_two(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

static int check(struct cw_getm *tm, struct cw_error *err)
{
    const struct cw_config *c = tm->config;
    static const char *const names[] = {"", "skip-owner-check", "drop-rts-update", "forget-writes-decrement"};
    uint32_t warps = c->core_count * c->core_warps;
    if (c->getm_ties == CW_GETM_TIES_WARP)
        tm->id_bits = bits_for(warps);
    if (c->getm_ts_bits < tm->id_bits + 4)
        return cw_fail(err, CW_EINVAL,
                       "getm.ts_bits = %u is too small: %u warps take %u bits (getm.ties = warp) and the logical time needs 4; "
                       "set getm.ts_bits = %u or more, or getm.ties = none",
                       c->getm_ts_bits, warps, tm->id_bits, tm->id_bits + 4);
    if (!power_of_two(c->tm_granule_bytes) || !power_of_two(c->cu_write_bytes) || !power_of_two(c->getm_table_rows) ||
        !power_of_two(c->getm_bloom_rows))
        return cw_fail(err, CW_EINVAL, "tm.granule_bytes, cu.write_bytes, getm.table_rows and getm.bloom_rows have to be powers of two");
    if (c->tm_log_entries > 65535)
        return cw_fail(err, CW_EINVAL, "tm.log_entries = %u: at most 65535 stores of a warp can be counted per granule", c->tm_log_entries);
    tm->ts_max = (UINT64_C(1) << c->getm_ts_bits) - 1;
    tm->granule_shift = (uint32_t)__builtin_ctz(c->tm_granule_bytes);
    for (uint32_t i = 1; tm->cfg.sabotage != NULL && i < 4; i++)
        if (strcmp(tm->cfg.sabotage, names[i]) == 0)
            tm->sabotage = (enum cw_getm_sabotage)i;
    if (tm->cfg.sabotage != NULL && tm->sabotage == CW_GETM_SOUND) {
        const char *near = cw_nearest(tm->cfg.sabotage, names + 1, 3);
        return cw_fail(err, CW_EINVAL, "getm knows no sabotage '%s'%s%s%s", tm->cfg.sabotage, near != NULL ? "; did you mean '" : "",
                       near != NULL ? near : "", near != NULL ? "'?" : "");
    }
    return CW_OK;
}

static int create_parts(struct cw_getm *tm, struct cw_error *err)
{
    uint32_t cores = tm->config->core_count, partitions = tm->config->partition_count;
    tm->core = calloc(cores, sizeof *tm->core);
    tm->vu = calloc(partitions, sizeof *tm->vu);
    tm->cu = calloc(partitions, sizeof *tm->cu);
    tm->ring.wanted = calloc(4 * (size_t)partitions, sizeof *tm->ring.wanted);
    if (tm->core == NULL || tm->vu == NULL || tm->cu == NULL || tm->ring.wanted == NULL)
        return CW_ENOMEM;
    tm->ring.wanted_time = tm->ring.wanted + partitions;
    tm->ring.flushed = tm->ring.wanted + 2 * (size_t)partitions;
    tm->ring.flushed_time = tm->ring.wanted + 3 * (size_t)partitions;
    int status = CW_OK;
    for (uint32_t i = 0; i < cores && status == CW_OK; i++)
        status = cw_getm__core_create(tm->core + i, tm, i, err);
    for (uint32_t i = 0; i < partitions && status == CW_OK; i++) {
        status = cw_getm__vu_create(tm->vu + i, tm, i, err);
        if (status == CW_OK)
            status = cw_getm__cu_create(tm->cu + i, tm, i, err);
    }
    return status;
}

static void destroy(void *self)
{
    struct cw_getm *tm = self;
    if (tm == NULL)
        return;
    for (uint32_t i = 0; tm->core != NULL && i < tm->config->core_count; i++)
        if (tm->core[i].tm != NULL)
            cw_getm__core_destroy(tm->core + i);
    for (uint32_t i = 0; i < tm->config->partition_count; i++) {
        if (tm->vu != NULL)
            cw_getm__vu_destroy(tm->vu[i]);
        if (tm->cu != NULL)
            cw_getm__cu_destroy(tm->cu[i]);
    }
    free(tm->core);
    free(tm->vu);
    free(tm->cu);
    free(tm->ring.wanted);
    free(tm->names);
    free(tm->names_free);
    free(tm);
}

static int create(void **out, const struct cw_mech_host *config, struct cw_error *err)
{
    *out = NULL;
    struct cw_getm *tm = calloc(1, sizeof *tm);
    if (tm == NULL)
        return cw_fail(err, CW_ENOMEM, "getm: out of host memory");
    tm->cfg = *config;
    tm->config = config->config;
    int status = check(tm, err);
    if (status == CW_OK)
        status = create_parts(tm, err);
    if (status == CW_ENOMEM)
        status = cw_fail(err, CW_ENOMEM, "getm: out of host memory");
    if (status != CW_OK) {
        destroy(tm);
        return status;
    }
    *out = tm;
    return CW_OK;
}

static uint32_t components(void *self, struct cw_component **list, uint32_t max)
{
    struct cw_getm *tm = self;
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < tm->config->partition_count && cnt + 2 <= max; i++) {
        list[cnt++] = cw_getm__vu_component(tm->vu[i]);
        list[cnt++] = cw_getm__cu_component(tm->cu[i]);
    }
    return cnt;
}

static void *core_self(void *self, uint32_t core)
{
    struct cw_getm *tm = self;
    return tm->core + core;
}

static uint32_t log_bytes(const struct cw_config *config)
{
    return cw_redo_log_bytes(config->tm_log_entries);
}

static bool idle(const void *self)
{
    const struct cw_getm *tm = self;
    for (uint32_t i = 0; i < tm->config->core_count; i++)
        if (!cw_getm__core_ops.idle(tm->core + i))
            return false;
    for (uint32_t i = 0; i < tm->config->partition_count; i++)
        if (!cw_getm__vu_idle(tm->vu[i]) || !cw_getm__cu_idle(tm->cu[i]))
            return false;
    return !tm->ring.stopping;
}

static void finish(void *self)
{
    struct cw_getm *tm = self;
    for (uint32_t i = 0; i < tm->config->partition_count; i++)
        cw_getm__vu_finish(tm->vu[i]);
    tm->cfg.stats->warpts_increments += tm->logical_max - tm->logical_counted;
    tm->logical_counted = tm->logical_max;
}

static const char *const inner[] = {"recency_bloom_filter", "cuckoo_table", "stall_buffer", NULL};
static const struct cw_mech_unit units[] = {
    {.unit = &cw_validation_unit_unit,
     .what = "metadata tables and stall buffer of a partition; one per memory partition",
     .domain = CW_DOMAIN_L2,
     .inner = inner},
    {.unit = &cw_ownership_table_unit, .what = "two-phase intra-warp conflict resolution; tm.resolvers per core", .domain = CW_DOMAIN_CORE},
};

static const struct cw_ratio ratios[] = {
    {"table_cycles_per_request", "vu_table_cycles", "vu_requests", 1.0, "cycles", "vu_table_cycles / vu_requests (GETM Figure 13)"},
    {"stalled_requests_per_line", "vu_stall_request_cycles", "vu_stall_line_cycles", 1.0, "requests",
     "vu_stall_request_cycles / vu_stall_line_cycles (GETM Figure 16)"},
    {"cycles_per_warpts_increment", "cycles", "warpts_increments", 1.0, "cycles", "cycles / warpts_increments (GETM V.B.1)"},
};
static const struct cw_counter_set counter_set = {.owner = "getm", .ratio = ratios, .ratio_cnt = sizeof ratios / sizeof ratios[0]};
static const struct cw_counter_set *const counters[] = {&cw_tm_counter_set, &counter_set, NULL};

const struct cw_mech cw_mech_getm = {.name = "getm",
                                     .system = true,
                                     .intrinsic = cw_tm_intrinsics,
                                     .inbox = cw_tm_inbox,
                                     .what = "GETM: eager conflict detection in validation units at the LLC (Ren and Lis, HPCA 2018)",
                                     .counters = counters,
                                     .unit = units,
                                     .unit_cnt = sizeof units / sizeof units[0],
                                     .create = create,
                                     .destroy = destroy,
                                     .components = components,
                                     .core = &cw_getm__core_ops,
                                     .core_self = core_self,
                                     .local_bytes = log_bytes,
                                     .idle = idle,
                                     .finish = finish};
