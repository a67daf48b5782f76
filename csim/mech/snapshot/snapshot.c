/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshot isolation (Chen et al., ISCA 2017; README.md): the system sitm-ts, put together from its components. */
#include <stdlib.h>
#include <string.h>

#include "cowarp/unit/postdate_unit.h"
#include "cowarp/unit/row_copy_engine.h"
#include "cowarp/unit/scalable_reader_list.h"
#include "cowarp/unit/version_index_table.h"
#include "cowarp/unit/writer_table.h"
#include "mech/kilo/kilo.h"
#include "mech/snapshot/shared.h"
#include "mech/tm/tm.h"

struct machine {
    struct cw_si shared;
    struct cw_si_center *center;
    struct cw_si_core **core;
    struct cw_si_port **port;
};

const char *const cw_si_faults[] = {"no-postdating", "no-write-check", "early-close", "stale-index", NULL};
static const char *const oracle_faults[] = {"no-postdating", "early-close", "stale-index", NULL};

static void destroy(void *self)
{
    struct machine *m = self;
    if (m == NULL)
        return;
    struct cw_si *tm = &m->shared;
    for (uint32_t i = 0; m->core != NULL && i < tm->config->core_count; i++)
        cw_si__core_destroy(m->core[i]);
    for (uint32_t i = 0; m->port != NULL && i < tm->config->partition_count; i++)
        cw_si__port_destroy(m->port[i]);
    cw_si__center_destroy(m->center);
    for (uint32_t i = 0; tm->ask != NULL && tm->answer != NULL && i < tm->config->core_count; i++) {
        cw_si_line_destroy(tm->ask + i);
        cw_si_line_destroy(tm->answer + i);
    }
    struct cw_si_line *const by_partition[] = {tm->index_line, tm->fact, tm->seen, tm->verdict_line};
    for (uint32_t k = 0; k < sizeof by_partition / sizeof by_partition[0]; k++) {
        for (uint32_t i = 0; by_partition[k] != NULL && i < tm->config->partition_count; i++)
            cw_si_line_destroy(by_partition[k] + i);
        free(by_partition[k]);
    }
    free(tm->ask);
    free(tm->answer);
    free(m->core);
    free(m->port);
    free(m);
}

#define TABLE_MAX 65536u /* entries of a table's unit */

static int check_entries(const struct cw_si *tm, const char *key, uint32_t entries, struct cw_error *err)
{
    const uint32_t partitions = tm->config->partition_count;
    if (tm->oracle || (entries >= partitions && entries / partitions <= TABLE_MAX))
        return CW_OK;
    return cw_fail(err, CW_EINVAL, "%s: %s is %u; a table has 1 to %u entries in each of the %u partitions, so set it from %u to %u",
                   tm->name, key, entries, TABLE_MAX, partitions, partitions, TABLE_MAX * partitions);
}

static int check(struct cw_si *tm, struct cw_error *err)
{
    const struct cw_config *c = tm->config;
    if (tm->index > tm->wire)
        return cw_fail(err, CW_EINVAL,
                       "%s: si.index_latency is longer than si.wire_latency: a partition has to know of a transaction "
                       "before its first access comes",
                       tm->name);
    if (c->partition_count > CW_SI_PARTITIONS)
        return cw_fail(err, CW_EINVAL, "%s: more than %u partitions", tm->name, CW_SI_PARTITIONS);
    int status = check_entries(tm, "si.writer_words", tm->keys->si_writer_words, err);
    if (status == CW_OK)
        status = check_entries(tm, "si.reader_entries", tm->keys->si_reader_entries, err);
    if (status != CW_OK)
        return status;
    for (uint32_t i = 0; tm->host.sabotage != NULL && cw_si_faults[i] != NULL; i++)
        if (strcmp(tm->host.sabotage, cw_si_faults[i]) == 0 && !(tm->oracle && CW_SI_NO_POSTDATING + i == CW_SI_NO_WRITE_CHECK))
            tm->sabotage = (enum cw_si_sabotage)(CW_SI_NO_POSTDATING + i);
    if (tm->host.sabotage != NULL && tm->sabotage == CW_SI_SOUND)
        return cw_fail(err, CW_EINVAL, "%s knows no sabotage '%s'", tm->name, tm->host.sabotage);
    return CW_OK;
}

static int create_lines(struct cw_si *tm)
{
    const uint32_t cores = tm->config->core_count, partitions = tm->config->partition_count, warps = tm->config->core_warps;
    int status = CW_OK;
    tm->ask = calloc(cores, sizeof *tm->ask);
    tm->answer = calloc(cores, sizeof *tm->answer);
    tm->index_line = calloc(partitions, sizeof *tm->index_line);
    tm->fact = calloc(partitions, sizeof *tm->fact);
    tm->seen = calloc(partitions, sizeof *tm->seen);
    tm->verdict_line = calloc(partitions, sizeof *tm->verdict_line);
    if (tm->ask == NULL || tm->answer == NULL || tm->index_line == NULL || tm->fact == NULL || tm->seen == NULL || tm->verdict_line == NULL)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < cores && status == CW_OK; i++) {
        status = cw_si_line_create(tm->ask + i, sizeof(struct cw_si_ask_note), 40 * warps, NULL);
        if (status == CW_OK)
            status = cw_si_line_create(tm->answer + i, sizeof(struct cw_si_answer_note), 4 * warps, NULL);
    }
    for (uint32_t i = 0; i < partitions && status == CW_OK; i++) {
        status = cw_si_line_create(tm->index_line + i, sizeof(struct cw_si_index_note), 16384, NULL);
        if (status == CW_OK)
            status = cw_si_line_create(tm->fact + i, sizeof(struct cw_si_fact_note), tm->oracle ? 1024 : 128, NULL);
        if (status == CW_OK)
            status = cw_si_line_create(tm->seen + i, sizeof(struct cw_si_fact_note), tm->keys->si_graph == CW_ON ? 4096 : 1, NULL);
        if (status == CW_OK)
            status = cw_si_line_create(tm->verdict_line + i, sizeof(struct cw_si_verdict_note), tm->oracle ? 4096 : 512, NULL);
    }
    return status;
}

static int create_parts(struct machine *m, struct cw_error *err)
{
    struct cw_si *tm = &m->shared;
    int status = create_lines(tm);
    m->core = calloc(tm->config->core_count, sizeof *m->core);
    m->port = calloc(tm->config->partition_count, sizeof *m->port);
    if (status != CW_OK || m->core == NULL || m->port == NULL)
        return CW_ENOMEM;
    status = cw_si__center_create(&m->center, tm, err);
    for (uint32_t i = 0; i < tm->config->core_count && status == CW_OK; i++)
        status = cw_si__core_create(m->core + i, tm, i);
    for (uint32_t i = 0; i < tm->config->partition_count && status == CW_OK; i++)
        status = cw_si__port_create(m->port + i, tm, i, err);
    return status;
}

static int create(void **out, const struct cw_mech_host *host, const char *name, bool oracle, struct cw_error *err)
{
    struct machine *m = calloc(1, sizeof *m);
    if (m == NULL)
        return cw_fail(err, CW_ENOMEM, "%s: out of host memory", name);
    struct cw_si *tm = &m->shared;
    tm->host = *host;
    tm->name = name;
    tm->oracle = oracle;
    tm->config = host->config;
    tm->common = cw_tm_common_of(&tm->host);
    tm->keys = cw_si_keys_of(host->config);
    tm->counters = cw_si_counters_of(host->stats);
    tm->ids = 1u << tm->keys->si_id_bits;
    tm->wire = tm->keys->si_wire_latency * cw_si_period(tm, CW_DOMAIN_CORE);
    tm->index = tm->keys->si_index_latency * cw_si_period(tm, CW_DOMAIN_L2);
    tm->postdate = tm->keys->si_postdate_latency * cw_si_period(tm, CW_DOMAIN_L2);
    int status = check(tm, err);
    if (status == CW_OK) {
        status = create_parts(m, err);
        if (status == CW_ENOMEM)
            status = cw_fail(err, CW_ENOMEM, "%s: out of host memory", name);
    }
    if (status != CW_OK) {
        destroy(m);
        return status;
    }
    *out = m;
    return CW_OK;
}

static int create_ts(void **out, const struct cw_mech_host *host, struct cw_error *err)
{
    return create(out, host, "sitm-ts", false, err);
}

static int create_oracle(void **out, const struct cw_mech_host *host, struct cw_error *err)
{
    return create(out, host, "sitm-oracle", true, err);
}

static uint32_t components(void *self, struct cw_component **list, uint32_t max)
{
    struct machine *m = self;
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < m->shared.config->partition_count && cnt + 3 <= max; i++) {
        list[cnt++] = cw_si__port_component(m->port[i]);
        list[cnt++] = cw_si__port_index_component(m->port[i]);
    }
    list[cnt++] = cw_si__center_component(m->center);
    return cnt;
}

static void *core_self(void *self, uint32_t core)
{
    return ((struct machine *)self)->core[core];
}

/* A kernel ends when all have heard of its end: the tables of the next one begin anew. */
static bool is_on_way(const struct cw_si_line *l)
{
    return cw_fifo_next(&l->fifo) != CW_TIME_NEVER;
}

static bool idle(const void *self)
{
    const struct machine *m = self;
    for (uint32_t i = 0; i < m->shared.config->core_count; i++)
        if (!cw_si_core_sockets.idle(m->core[i]) || is_on_way(m->shared.ask + i))
            return false;
    for (uint32_t i = 0; i < m->shared.config->partition_count; i++)
        if (!cw_si__port_idle(m->port[i]) || is_on_way(m->shared.index_line + i) || is_on_way(m->shared.fact + i))
            return false;
    return cw_si__center_idle(m->center);
}

static int launch(void *self, const struct cw_launch *l, struct cw_error *err)
{
    struct machine *m = self;
    const uint32_t ranges = cw_version_cnt(m->shared.host.memory);
    if (l->kernel->uses_region && ranges == 0)
        return cw_fail(err, CW_EINVAL,
                       "%s: %s has no memory with versions; allocate what transactions share with cowarp_alloc_versioned, or exec --arg "
                       "version:BYTES",
                       l->kernel->name, m->shared.name);
    if (ranges > CW_SI_RANGES)
        return cw_fail(err, CW_EINVAL, "%s: %s has room for %u ranges with versions, and there are %u", l->kernel->name, m->shared.name,
                       CW_SI_RANGES, ranges);
    const uint32_t regions = cw_si__index_regions(m->shared.host.memory);
    if (regions > m->shared.keys->si_regions)
        return cw_fail(
            err, CW_EINVAL,
            "%s: the version index table has %u entries, and the ranges with versions need %u; set si.regions higher (64 at most)",
            l->kernel->name, m->shared.keys->si_regions, regions);
    cw_si__center_launch(m->center);
    for (uint32_t i = 0; i < m->shared.config->partition_count; i++)
        cw_si__port_launch(m->port[i]);
    return CW_OK;
}

static void finish(void *self)
{
    cw_si__center_finish(((struct machine *)self)->center);
}

static void state(void *self, struct cw_state *s)
{
    struct machine *m = self;
    const struct cw_si *tm = &m->shared;
    for (uint32_t i = 0; i < tm->config->core_count; i++) {
        cw_si__core_state(s, m->core[i]);
        cw_si_line_state(s, &tm->ask[i], cw_si_ask_state);
        cw_si_line_state(s, &tm->answer[i], cw_si_answer_state);
    }
    for (uint32_t i = 0; i < tm->config->partition_count; i++) {
        cw_si_line_state(s, &tm->index_line[i], cw_si_index_state);
        cw_si_line_state(s, &tm->fact[i], cw_si_fact_state);
        cw_si_line_state(s, &tm->verdict_line[i], cw_si_verdict_state);
        cw_si_line_state(s, &tm->seen[i], cw_si_fact_state);
    }
}

static bool is_off(const struct cw_config *config)
{
    return cw_si_keys_of(config)->si_mode == CW_OFF;
}

static uint32_t versions(const struct cw_config *config)
{
    return cw_si_keys_of(config)->si_versions;
}

#define INDEX_TABLE                                                                                                                    \
    {                                                                                                                                  \
        &cw_version_index_table_unit, "versions of memory under snapshot isolation; one per partition", CW_DOMAIN_L2, NULL, NULL, NULL \
    }

static const struct cw_mech_unit ts_units[] = {
    {&cw_postdate_unit_unit, "logical times of snapshot isolation; one, of the version manager", CW_DOMAIN_L2, NULL, NULL, NULL},
    {&cw_row_copy_engine_unit, "copies of versions under snapshot isolation; one per partition", CW_DOMAIN_L2, NULL, NULL, NULL},
    {&cw_scalable_reader_list_unit, "who reads each word under snapshot isolation; si.lists per partition", CW_DOMAIN_L2, NULL, NULL, NULL},
    INDEX_TABLE,
    {&cw_writer_table_unit, "who writes each word under snapshot isolation; one per partition", CW_DOMAIN_L2, NULL, NULL, NULL}};
static const struct cw_mech_unit oracle_units[] = {INDEX_TABLE};

#define SYSTEM(name_, what_, create_, units_, faults_)                                                                     \
    {                                                                                                                      \
        .name = name_, .what = what_, .system = true, .unit = units_, .unit_cnt = sizeof(units_) / sizeof((units_)[0]),    \
        .keys = cw_si_key_sets, .counters = cw_si_counter_sets, .messages = cw_si_messages, .intrinsic = cw_tm_intrinsics, \
        .inbox = cw_tm_inbox, .sabotage = faults_, .create = create_, .destroy = destroy, .components = components,        \
        .core = &cw_si_core_sockets, .core_self = core_self, .local_bytes = cw_tm_log_bytes, .versions = versions,         \
        .baseline = &cw_mech_warptm, .is_off = is_off, .idle = idle, .launch = launch, .finish = finish, .state = state    \
    }

const struct cw_mech cw_mech_sitm_ts =
    SYSTEM("sitm-ts", "snapshot isolation: versions of memory, write skew found by post-dated times (Chen et al., ISCA 2017)", create_ts,
           ts_units, cw_si_faults);
const struct cw_mech cw_mech_sitm_oracle =
    SYSTEM("sitm-oracle",
           "ideal snapshot isolation: an exact graph finds write skew, and detection and copies take no time (Chen et al., ISCA 2017)",
           create_oracle, oracle_units, oracle_faults);
