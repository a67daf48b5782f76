/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/kilo/kilo.h"

#include <stdlib.h>
#include <string.h>

#include "mech/kilo/kilo_state.h"

void cw_kilo__fault(struct cw_kilo *tm, int status, const char *text)
{
    if (tm->cfg.fault != NULL)
        tm->cfg.fault(tm->cfg.fault_context, status, text);
}

struct cw_message *cw_kilo__message(struct cw_kilo *tm, enum cw_message_kind kind, uint32_t sub, uint32_t partition, cw_time now)
{
    const struct cw_config *config = tm->config;
    struct cw_message *p = cw_message_new(tm->cfg.pool, sizeof(struct cw_kilo_commit_body));
    struct cw_kilo_commit_body *body = cw_kilo_commit(p);
    body->first = 0;
    body->epoch = body->pass = body->fail = 0;
    body->probe = false;
    p->kind = (uint8_t)kind;
    p->mech = 1;
    p->op = (uint8_t)sub;
    p->partition = (uint16_t)partition;
    p->addr = CW_GLOBAL_BASE + (uint64_t)partition * config->partition_interleave;
    p->born = now;
    cw_message_size(p, 0, config->noc_header_bytes, config->noc_flit_bytes);
    return p;
}

/* Creation */

static const char *const names[] = {
    [CW_KILO_TM] = "kilotm", [CW_KILO_WARPTM] = "warptm", [CW_KILO_EAPG] = "eapg", [CW_KILO_EL] = "warptm-el", [CW_KILO_IDEAL] = "ideal"};

static bool power_of_two(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

static int check_sabotage(struct cw_kilo *tm, struct cw_error *err)
{
    static const char *const faults[] = {"", "skip-revalidation", "commit-out-of-order", "ignore-hazard"};
    const char *wanted = tm->cfg.sabotage;
    uint32_t cnt = cw_kilo_arbitrated(tm) ? 0 : 3;
    if (wanted == NULL)
        return CW_OK;
    for (uint32_t i = 1; i <= cnt; i++)
        if (strcmp(wanted, faults[i]) == 0)
            tm->sabotage = (enum cw_kilo_sabotage)i;
    if (tm->sabotage != CW_KILO_SOUND)
        return CW_OK;
    const char *near = cw_nearest(wanted, faults + 1, cnt);
    return cw_fail(err, CW_EINVAL, "%s knows no sabotage '%s'%s%s%s", names[tm->kind], wanted, near != NULL ? "; did you mean '" : "",
                   near != NULL ? near : "", near != NULL ? "'?" : "");
}

/* kilo.entries; without bound, room for two attempts of every warp that may be in a transaction, at least 2,048. An attempt's entries may
 * outlive it in partitions that lag behind. */
static uint32_t window(const struct cw_kilo *tm)
{
    const struct cw_config *c = tm->config;
    uint32_t warps = c->tm_warps != 0 && c->tm_warps < c->core_warps ? c->tm_warps : c->core_warps, entries = 2048;
    if (cw_kilo_arbitrated(tm))
        return CW_KILO_ENTRIES_MAX; /* nobody keeps credits there */
    if (c->kilo_entries != 0)
        return c->kilo_entries;
    while (entries < 2 * CW_LANES * warps * c->core_count && entries < CW_KILO_ENTRIES_MAX)
        entries *= 2;
    return entries;
}

static int check(struct cw_kilo *tm, struct cw_error *err)
{
    const struct cw_config *c = tm->config;
    if (!power_of_two(c->kilo_history_sets) || !power_of_two(c->kilo_history_rows) || !power_of_two(c->warptm_scr_bits) ||
        !power_of_two(c->tcd_rows) || !power_of_two(c->tcd_pending) || !power_of_two(c->cu_write_bytes))
        return cw_fail(err, CW_EINVAL,
                       "kilo.history_sets, kilo.history_rows, warptm.scr_bits, tcd.rows, tcd.pending and cu.write_bytes have to be powers "
                       "of two");
    if (c->kilo_entries != 0 && c->kilo_entries < CW_LANES)
        return cw_fail(err, CW_EINVAL, "kilo.entries = %u: a warp needs up to %u at once; 0 is without bound", c->kilo_entries, CW_LANES);
    tm->early = tm->kind >= CW_KILO_EAPG;
    tm->window = window(tm);
    if (tm->kind != CW_KILO_TM && tm->kind != CW_KILO_IDEAL) {
        tm->resolution = (enum cw_kilo_resolution)c->warptm_resolution;
        tm->aggregate = c->warptm_aggregate == CW_ON;
        tm->coalesce = c->warptm_coalesce == CW_ON;
    }
    if (tm->resolution == CW_KILO_NONE && (tm->aggregate || tm->coalesce))
        return cw_fail(err, CW_EINVAL,
                       "warptm.aggregate and warptm.coalesce need warptm.resolution: lanes of a warp that conflict cannot commit as one");
    tm->tcd = (enum cw_kilo_tcd)c->tcd_mode;
    if (tm->tcd == CW_KILO_TCD_AUTO)
        tm->tcd = tm->kind == CW_KILO_WARPTM || tm->kind == CW_KILO_EAPG ? CW_KILO_TCD_CLOSED : CW_KILO_TCD_OFF;
    if (cw_kilo_arbitrated(tm))
        tm->tcd = CW_KILO_TCD_OFF;
    if (tm->tcd == CW_KILO_TCD_CLOSED && c->kilo_write_words != 0)
        return cw_fail(err, CW_EINVAL,
                       "kilo.write_words = %u: tcd.mode = closed has to know all writes to come; set tcd.mode to off or published, or "
                       "kilo.write_words to 0",
                       c->kilo_write_words);
    return check_sabotage(tm, err);
}

static int create_parts(struct cw_kilo *tm, struct cw_error *err)
{
    uint32_t cores = tm->config->core_count, partitions = tm->config->partition_count;
    int status;
    tm->core = calloc(cores, sizeof *tm->core);
    tm->port = calloc(partitions, sizeof *tm->port);
    tm->unit = calloc(partitions, sizeof *tm->unit);
    if (tm->core == NULL || tm->port == NULL || tm->unit == NULL)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < cores; i++)
        if ((status = cw_kilo__core_create(tm->core + i, tm, i, err)) != CW_OK)
            return status;
    status = cw_kilo_arbitrated(tm) ? cw_kilo__arbiter_create(&tm->arbiter, tm) : cw_kilo__vendor_create(&tm->vendor, tm);
    for (uint32_t i = 0; i < partitions && status == CW_OK; i++) {
        status = cw_kilo__port_create(tm->port + i, tm, i, err);
        if (status == CW_OK)
            status = cw_kilo__unit_create(tm->unit + i, tm, i, err);
    }
    return status;
}

static void destroy(void *self)
{
    struct cw_kilo *tm = self;
    if (tm == NULL)
        return;
    for (uint32_t i = 0; i < tm->config->partition_count; i++) {
        if (tm->unit != NULL)
            cw_kilo__unit_destroy(tm->unit[i]);
        if (tm->port != NULL)
            cw_kilo__port_destroy(tm->port[i]);
    }
    cw_kilo__vendor_destroy(tm->vendor);
    cw_kilo__arbiter_destroy(tm->arbiter);
    for (uint32_t i = 0; tm->core != NULL && i < tm->config->core_count; i++)
        if (tm->core[i].tm != NULL)
            cw_kilo__core_destroy(tm->core + i);
    free(tm->core);
    free(tm->port);
    free(tm->unit);
    free(tm);
}

static int create(void **out, const struct cw_mech_host *config, enum cw_kilo_kind kind, struct cw_error *err)
{
    *out = NULL;
    struct cw_kilo *tm = calloc(1, sizeof *tm);
    if (tm == NULL)
        return cw_fail(err, CW_ENOMEM, "%s: out of host memory", names[kind]);
    tm->cfg = *config;
    tm->config = config->config;
    tm->kind = kind;
    int status = check(tm, err);
    if (status == CW_OK)
        status = create_parts(tm, err);
    if (status == CW_ENOMEM)
        status = cw_fail(err, CW_ENOMEM, "%s: out of host memory", names[kind]);
    if (status != CW_OK) {
        destroy(tm);
        return status;
    }
    *out = tm;
    return CW_OK;
}

static int create_kilotm(void **out, const struct cw_mech_host *config, struct cw_error *err)
{
    return create(out, config, CW_KILO_TM, err);
}

static int create_warptm(void **out, const struct cw_mech_host *config, struct cw_error *err)
{
    return create(out, config, CW_KILO_WARPTM, err);
}

static int create_eapg(void **out, const struct cw_mech_host *config, struct cw_error *err)
{
    return create(out, config, CW_KILO_EAPG, err);
}

static int create_el(void **out, const struct cw_mech_host *config, struct cw_error *err)
{
    return create(out, config, CW_KILO_EL, err);
}

static int create_ideal(void **out, const struct cw_mech_host *config, struct cw_error *err)
{
    return create(out, config, CW_KILO_IDEAL, err);
}

static uint32_t components(void *self, struct cw_component **list, uint32_t max)
{
    struct cw_kilo *tm = self;
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < tm->config->partition_count && cnt + 3 <= max; i++) {
        list[cnt++] = cw_kilo__port_component(tm->port[i]);
        list[cnt++] = cw_kilo__unit_component(tm->unit[i]);
    }
    list[cnt++] = cw_kilo_arbitrated(tm) ? cw_kilo__arbiter_component(tm->arbiter) : cw_kilo__vendor_component(tm->vendor);
    return cnt;
}

static void *core_self(void *self, uint32_t core)
{
    struct cw_kilo *tm = self;
    return tm->core + core;
}

static uint32_t log_bytes(const struct cw_config *config)
{
    return cw_redo_log_bytes(config->tm_log_entries);
}

static bool idle(const void *self)
{
    const struct cw_kilo *tm = self;
    for (uint32_t i = 0; i < tm->config->core_count; i++)
        if (!cw_kilo__core_ops.idle(tm->core + i))
            return false;
    for (uint32_t i = 0; i < tm->config->partition_count; i++)
        if (!cw_kilo__port_idle(tm->port[i]) || !cw_kilo__unit_idle(tm->unit[i]))
            return false;
    return true;
}

static void finish(void *self)
{
    (void)self;
}

#define SYSTEM(name_, what_, create_)                                                                                               \
    {                                                                                                                               \
        .name = name_, .system = true, .intrinsic = cw_tm_intrinsics, .inbox = cw_tm_inbox, .what = what_, .create = create_,       \
        .destroy = destroy, .components = components, .core = &cw_kilo__core_ops, .core_self = core_self, .local_bytes = log_bytes, \
        .idle = idle, .finish = finish                                                                                              \
    }

const struct cw_mech cw_mech_kilotm =
    SYSTEM("kilotm", "Kilo TM: value-based validation at commit units (Fung 2015, chapter 4)", create_kilotm);
const struct cw_mech cw_mech_warptm =
    SYSTEM("warptm", "WarpTM: Kilo TM with warp-level management and temporal conflict detection (Fung 2015, chapter 6)", create_warptm);
const struct cw_mech cw_mech_warptm_el =
    SYSTEM("warptm-el", "WarpTM with idealised eager conflict detection (Ren and Lis, HPCA 2018, section III)", create_el);
const struct cw_mech cw_mech_ideal =
    SYSTEM("ideal", "Ideal TM: conflicts are detected and resolved at no cost (Fung 2015, 4.1)", create_ideal);
const struct cw_mech cw_mech_eapg =
    SYSTEM("eapg", "WarpTM with early abort and pause-and-go, idealised (Ren and Lis, HPCA 2018, VI.A)", create_eapg);
