/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/kilo/kilo.h"

#include <stdlib.h>
#include <string.h>

#include "adapt/sets.h"
#include "mech/kilo/parts.h"

struct cw_kilo_machine {
    struct cw_kilo shared;
    struct cw_kilo_core **core;
    struct cw_kilo_port **port;
    struct cw_kilo_unit **unit;    /* ideal: NULL, since nobody validates */
    struct cw_kilo_vendor *vendor; /* NULL: the caller brings an arbiter */
};

static const struct cw_kilo_system systems[] = {
    [CW_KILO_TM] = {.name = "kilotm"},
    [CW_KILO_WARPTM] = {.name = "warptm", .by_warp = true, .tcd = true},
    [CW_KILO_EAPG] = {.name = "eapg", .by_warp = true, .tcd = true, .early = true},
    [CW_KILO_EL] = {.name = "warptm-el", .arbitrated = true, .by_warp = true, .early = true},
    [CW_KILO_IDEAL] = {.name = "ideal", .arbitrated = true, .idealised = true, .early = true},
};

const char *const cw_kilo_faults[] = {"skip-revalidation", "commit-out-of-order", "ignore-hazard", NULL};

static int check_sabotage(struct cw_kilo *tm, struct cw_error *err)
{
    static const enum cw_kilo_sabotage meaning[] = {CW_KILO_SKIP_REVALIDATION, CW_KILO_OUT_OF_ORDER, CW_KILO_IGNORE_HAZARD};
    const char *wanted = tm->host.sabotage;
    uint32_t cnt = tm->system->arbitrated ? 0 : 3;
    if (wanted == NULL)
        return CW_OK;
    for (uint32_t i = 0; i < cnt; i++)
        if (strcmp(wanted, cw_kilo_faults[i]) == 0)
            tm->sabotage = meaning[i];
    if (tm->sabotage != CW_KILO_SOUND)
        return CW_OK;
    const char *near = cw_nearest(wanted, cw_kilo_faults, cnt);
    return cw_fail(err, CW_EINVAL, "%s knows no sabotage '%s'%s%s%s", tm->system->name, wanted, near != NULL ? "; did you mean '" : "",
                   near != NULL ? near : "", near != NULL ? "'?" : "");
}

/* kilo.entries; without bound, room for two attempts of every warp that may be in a transaction, at least 2,048. An attempt's entries may
 * outlive it in partitions that lag behind. */
static uint32_t wanted_window(const struct cw_kilo *tm)
{
    const struct cw_config *c = tm->config;
    uint32_t limit = tm->common.keys->tm_warps, warps = limit != 0 && limit < c->core_warps ? limit : c->core_warps, entries = 2048;
    if (tm->system->arbitrated)
        return CW_KILO_ENTRIES_MAX; /* nobody keeps credits there */
    if (tm->keys->kilo_entries != 0)
        return tm->keys->kilo_entries;
    while (entries < 2 * CW_LANES * warps * c->core_count && entries < CW_KILO_ENTRIES_MAX)
        entries *= 2;
    return entries;
}

/* The ring leaves a warp's number of commit IDs free (include/cowarp/unit/commit_unit.h). */
static uint32_t window(const struct cw_kilo *tm)
{
    const uint64_t ids = tm->system->arbitrated ? UINT32_MAX : UINT64_C(1) << tm->keys->kilo_id_bits;
    const uint32_t entries = wanted_window(tm);
    return entries < ids - CW_LANES ? entries : (uint32_t)(ids - CW_LANES);
}

static int check_sets(const char *key, uint32_t entries, uint32_t banks, struct cw_error *err)
{
    uint32_t ways, set_bits;
    if (entries % banks == 0 && cw_adapt_sets(entries / banks, &ways, &set_bits))
        return CW_OK;
    return cw_fail(err, CW_EINVAL, "%s = %u: take %u times a power of two, or 3, 5, 6 or 7 times that: a bank has 2^n sets of up to 8 ways",
                   key, entries, 2 * banks);
}

static int check_tables(const struct cw_kilo *tm, struct cw_error *err)
{
    const struct cw_kilo_keys *k = tm->keys;
    if (tm->kind != CW_KILO_EAPG)
        return CW_OK;
    const int status = check_sets("eapg.cat_entries", k->eapg_cat_entries, k->eapg_cat_banks, err);
    return status == CW_OK ? check_sets("eapg.rct_entries", k->eapg_rct_entries, 1, err) : status;
}

static int check(struct cw_kilo *tm, struct cw_error *err)
{
    const struct cw_kilo_keys *k = tm->keys;
    if (k->kilo_entries != 0 && k->kilo_entries < CW_LANES)
        return cw_fail(err, CW_EINVAL, "kilo.entries = %u: a warp needs up to %u at once; 0 is without bound", k->kilo_entries, CW_LANES);
    tm->ask_cycles = tm->system->arbitrated ? 1 : k->kilo_id_latency;
    tm->window = window(tm);
    if (tm->system->by_warp) {
        tm->resolution = (enum cw_kilo_resolution)k->warptm_resolution;
        tm->aggregate = k->warptm_aggregate == CW_ON;
        tm->coalesce = k->warptm_coalesce == CW_ON;
    }
    if (tm->resolution == CW_KILO_NONE && (tm->aggregate || tm->coalesce))
        return cw_fail(err, CW_EINVAL,
                       "warptm.aggregate and warptm.coalesce need warptm.resolution: lanes of a warp that conflict cannot commit as one");
    tm->tcd = (enum cw_kilo_tcd)k->tcd_mode;
    if (tm->tcd == CW_KILO_TCD_AUTO)
        tm->tcd = tm->system->tcd ? CW_KILO_TCD_CLOSED : CW_KILO_TCD_OFF;
    if (tm->system->arbitrated)
        tm->tcd = CW_KILO_TCD_OFF;
    if (tm->tcd == CW_KILO_TCD_CLOSED && k->kilo_write_words != 0)
        return cw_fail(err, CW_EINVAL,
                       "kilo.write_words = %u: tcd.mode = closed has to know all writes to come; set tcd.mode to off or published, or "
                       "kilo.write_words to 0",
                       k->kilo_write_words);
    const int status = check_tables(tm, err);
    return status == CW_OK ? check_sabotage(tm, err) : status;
}

static int create_units(struct cw_kilo_machine *m, struct cw_error *err)
{
    uint32_t partitions = m->shared.config->partition_count;
    m->unit = calloc(partitions, sizeof *m->unit);
    int status = m->unit != NULL ? CW_OK : CW_ENOMEM;
    for (uint32_t i = 0; i < partitions && status == CW_OK; i++)
        status = cw_kilo__unit_create(m->unit + i, &m->shared, i, err);
    return status;
}

static int create_parts(struct cw_kilo_machine *m, struct cw_error *err)
{
    struct cw_kilo *tm = &m->shared;
    uint32_t cores = tm->config->core_count, partitions = tm->config->partition_count;
    int status = cw_kilo_wires_create(&tm->wires, tm->config, tm->system->arbitrated);
    m->core = calloc(cores, sizeof *m->core);
    m->port = calloc(partitions, sizeof *m->port);
    if (m->core == NULL || m->port == NULL)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < cores && status == CW_OK; i++)
        status = cw_kilo__core_create(m->core + i, tm, i, err);
    for (uint32_t i = 0; i < partitions && status == CW_OK; i++)
        status = cw_kilo__port_create(m->port + i, tm, i, err);
    if (status == CW_OK && !tm->system->idealised)
        status = create_units(m, err);
    if (status == CW_OK && !tm->system->arbitrated)
        status = cw_kilo__vendor_create(&m->vendor, tm);
    return status;
}

void cw_kilo_destroy(struct cw_kilo_machine *m)
{
    if (m == NULL)
        return;
    for (uint32_t i = 0; m->unit != NULL && i < m->shared.config->partition_count; i++)
        cw_kilo__unit_destroy(m->unit[i]);
    for (uint32_t i = 0; m->port != NULL && i < m->shared.config->partition_count; i++)
        cw_kilo__port_destroy(m->port[i]);
    for (uint32_t i = 0; m->core != NULL && i < m->shared.config->core_count; i++)
        cw_kilo__core_destroy(m->core[i]);
    cw_kilo__vendor_destroy(m->vendor);
    cw_kilo_wires_destroy(&m->shared.wires);
    free(m->core);
    free(m->port);
    free(m->unit);
    free(m);
}

int cw_kilo_create(struct cw_kilo_machine **out, const struct cw_mech_host *host, enum cw_kilo_kind kind, struct cw_error *err)
{
    *out = NULL;
    struct cw_kilo_machine *m = calloc(1, sizeof *m);
    if (m == NULL)
        return cw_fail(err, CW_ENOMEM, "%s: out of host memory", systems[kind].name);
    m->shared.host = *host;
    m->shared.config = host->config;
    m->shared.common = cw_tm_common_of(&m->shared.host);
    m->shared.keys = cw_kilo_keys_of(host->config);
    m->shared.counters = cw_kilo_counters_of(host->stats);
    m->shared.kind = kind;
    m->shared.system = systems + kind;
    int status = check(&m->shared, err);
    if (status == CW_OK)
        status = create_parts(m, err);
    if (status == CW_ENOMEM)
        status = cw_fail(err, CW_ENOMEM, "%s: out of host memory", systems[kind].name);
    if (status != CW_OK) {
        cw_kilo_destroy(m);
        return status;
    }
    *out = m;
    return CW_OK;
}

struct cw_kilo *cw_kilo_shared(struct cw_kilo_machine *m)
{
    return &m->shared;
}

uint32_t cw_kilo_components(struct cw_kilo_machine *m, struct cw_component **list, uint32_t max)
{
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < m->shared.config->partition_count && cnt + 3 <= max; i++) {
        list[cnt++] = cw_kilo__port_component(m->port[i]);
        if (m->unit != NULL)
            list[cnt++] = cw_kilo__unit_component(m->unit[i]);
    }
    if (m->vendor != NULL)
        list[cnt++] = cw_kilo__vendor_component(m->vendor);
    return cnt;
}

void *cw_kilo_core_self(struct cw_kilo_machine *m, uint32_t core)
{
    return m->core[core];
}

bool cw_kilo_idle(const struct cw_kilo_machine *m)
{
    for (uint32_t i = 0; i < m->shared.config->core_count; i++)
        if (!cw_kilo_core_sockets.idle(m->core[i]))
            return false;
    for (uint32_t i = 0; i < m->shared.config->partition_count; i++)
        if (!cw_kilo__port_idle(m->port[i]) || (m->unit != NULL && !cw_kilo__unit_idle(m->unit[i])))
            return false;
    return true;
}

void cw_kilo_state(struct cw_kilo_machine *m, struct cw_state *s)
{
    cw_kilo_wires_state(s, &m->shared.wires);
    for (uint32_t i = 0; i < m->shared.config->core_count; i++)
        cw_kilo__core_state(s, m->core[i]);
}
