/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions in shared memory as the GPU sees them: the descriptor, what it refuses, and the cores' halves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mech/local/advice.h"
#include "mech/local/core_private.h"
#include "mech/tm/tm.h"

struct machine {
    struct cw_local shared;
    struct cw_local_core **core; /* [core_count] */
};

/* In the order of enum cw_local_sabotage, without its first. */
static const char *const sabotage[] = {"skip-ownership", "no-restore", "forget-write-signature", "ignore-m", "select-none",
                                       "token-to-two",   NULL};

static void destroy(void *self)
{
    struct machine *m = self;
    if (m == NULL)
        return;
    for (uint32_t i = 0; m->core != NULL && i < m->shared.host.config->core_count; i++)
        cw_local__core_destroy(m->core[i]);
    free(m->core);
    free(m);
}

static int check_sabotage(struct cw_local *l, struct cw_error *err)
{
    const uint32_t cnt = sizeof sabotage / sizeof sabotage[0] - 1;
    const char *name = l->host.sabotage;
    for (uint32_t i = 0; name != NULL && i < cnt; i++)
        if (strcmp(name, sabotage[i]) == 0)
            l->sabotage = (enum cw_local_sabotage)(i + 1);
    if (name == NULL || l->sabotage != CW_LOCAL_SOUND)
        return CW_OK;
    const char *near = cw_nearest(name, sabotage, cnt);
    return cw_fail(err, CW_EINVAL, "localtm knows no sabotage '%s'%s%s%s", name, near != NULL ? "; did you mean '" : "",
                   near != NULL ? near : "", near != NULL ? "'?" : "");
}

static int check(struct cw_local *l, struct cw_error *err)
{
    const struct cw_config *config = l->host.config;
    if (config->shared_banks != CW_LOCAL_BANKS)
        return cw_fail(err, CW_EINVAL, "localtm: shared memory has %u banks here, and a conflict detector for each of %u (shared.banks)",
                       config->shared_banks, CW_LOCAL_BANKS);
    if (config->core_blocks > CW_LOCAL_GROUPS)
        return cw_fail(err, CW_EINVAL, "localtm: a conflict detector knows %u blocks of a core at most, and core.blocks = %u",
                       CW_LOCAL_GROUPS, config->core_blocks);
    return check_sabotage(l, err);
}

static int create(void **out, const struct cw_mech_host *host, struct cw_error *err)
{
    *out = NULL;
    struct machine *m = calloc(1, sizeof *m);
    if (m == NULL)
        return cw_fail(err, CW_ENOMEM, "localtm: out of host memory");
    struct cw_local *l = &m->shared;
    l->host = *host;
    l->keys = *(const struct cw_local_keys *)cw_config_own(host->config, &cw_local_key_set);
    l->counters = cw_stats_own(host->stats, &cw_local_counter_set);
    l->tm = cw_tm_counters_of(host->stats);
    l->period = host->clocks->period[CW_DOMAIN_CORE];
    l->width = host->config->core_warp_width;
    m->core = calloc(host->config->core_count, sizeof *m->core);
    int status = m->core != NULL ? check(l, err) : CW_ENOMEM;
    for (uint32_t i = 0; i < host->config->core_count && status == CW_OK; i++)
        status = cw_local__core_create(m->core + i, l, i, err);
    if (status == CW_ENOMEM)
        status = cw_fail(err, CW_ENOMEM, "localtm: out of host memory");
    if (status != CW_OK) {
        destroy(m);
        return status;
    }
    *out = m;
    return CW_OK;
}

/* ---- launches ---- */

static int shared_bytes(uint32_t *bytes, const struct cw_config *config, const struct cw_launch *l, struct cw_error *err)
{
    const struct cw_local_keys *keys = cw_config_own(config, &cw_local_key_set);
    const uint32_t words = (l->shared_bytes + 3) / 4, rows = cw_local__rows(words), most = config->core_shared_bytes / CW_LOCAL_ROW_BYTES;
    if (l->threads > CW_LOCAL_ITEMS)
        return cw_fail(err, CW_EINVAL, "%s: a block of %u threads; with localtm at most %u, whose numbers fit the owner's byte",
                       l->kernel->name, l->threads, CW_LOCAL_ITEMS);
    if (words > keys->ltm_max_words)
        return cw_fail(err, CW_EINVAL,
                       "%s: a block has %u words of shared memory, and localtm keeps versions of %u (ltm.max_words): lower the kernel's "
                       "shared memory",
                       l->kernel->name, words, keys->ltm_max_words);
    if (rows > most)
        return cw_fail(
            err, CW_EINVAL,
            "%s: a block has %u words of shared memory; with their backups and owners that are %u rows of a bank, and a bank has "
            "%u (core.shared_bytes): lower the kernel's shared memory",
            l->kernel->name, words, rows, most);
    *bytes = rows * CW_LOCAL_ROW_BYTES - l->shared_bytes;
    return CW_OK;
}

/* What the work-group would take, beside what a core has. */
static int refuse(const struct cw_local_advice *a, uint32_t combination, const char *kernel, struct cw_error *err)
{
    const struct cw_local_line *line = &a->line[combination];
    return cw_fail(err, CW_EINVAL,
                   "%s: too few %s for ltm.detect=%s and ltm.serial=%s: a block takes %u vector and %u scalar registers, and a core has %u "
                   "and %u; 'cowarp advise' shows what fits",
                   kernel, line->lacks, cw_local_detect_name(combination / CW_LOCAL_SERIALS),
                   cw_local_serial_name(combination % CW_LOCAL_SERIALS), line->need.vector_registers, line->need.scalar_registers,
                   a->has.vector_registers, a->has.scalar_registers);
}

static int fits(const struct cw_local *local, const struct cw_launch *l, struct cw_error *err)
{
    struct cw_local_advice a;
    const uint32_t combination = local->keys.ltm_detect * CW_LOCAL_SERIALS + local->keys.ltm_serial;
    cw_local_advise(&a, local->host.config, l->kernel, l->threads, 4 * local->words);
    return a.line[combination].lacks != NULL ? refuse(&a, combination, l->kernel->name, err) : CW_OK;
}

static int launch(void *self, const struct cw_launch *l, struct cw_error *err)
{
    struct machine *m = self;
    m->shared.words = l->kernel->uses_region ? (l->shared_bytes + 3) / 4 : 0;
    return l->kernel->uses_region ? fits(&m->shared, l, err) : CW_OK;
}

static void *core_self(void *self, uint32_t core)
{
    struct machine *m = self;
    return m->core[core];
}

static bool idle(const void *self)
{
    const struct machine *m = self;
    for (uint32_t i = 0; i < m->shared.host.config->core_count; i++)
        if (!cw_local__sockets.idle(m->core[i]))
            return false;
    return true;
}

static void state(void *self, struct cw_state *s)
{
    struct machine *m = self;
    for (uint32_t i = 0; i < m->shared.host.config->core_count; i++)
        cw_local__core_state(s, m->core[i]);
}

static const struct cw_mech_unit units[] = {
    {.unit = &cw_bank_detector_unit, .what = "conflict detector of a bank of shared memory; 32 per core", .domain = CW_DOMAIN_CORE},
    {.unit = &cw_tcm_select_unit, .what = "lanes and mode of a wavefront's next attempt; one per core", .domain = CW_DOMAIN_CORE},
    {.unit = &cw_shadow_address_unit, .what = "places of a word's backup and owner; one per core", .domain = CW_DOMAIN_CORE},
};

const struct cw_mech cw_mech_localtm = {
    .name = "localtm",
    .what = "GPU-LocalTM: transactions in shared memory, with its improvements of serialisation and conflict detection",
    .system = true,
    .any_width = true,
    .any_line = true,
    .unit = units,
    .unit_cnt = sizeof units / sizeof units[0],
    .keys = cw_local_key_sets,
    .counters = cw_local_counter_sets,
    .intrinsic = cw_tm_intrinsics,
    .sabotage = sabotage,
    .create = create,
    .destroy = destroy,
    .core = &cw_local__sockets,
    .core_self = core_self,
    .shared_bytes = shared_bytes,
    .state = state,
    .idle = idle,
    .launch = launch,
};
