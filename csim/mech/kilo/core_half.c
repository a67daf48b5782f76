/* SPDX-License-Identifier: Apache-2.0 */
/* Kilo TM family, core half: the sockets of the core. Begin, accesses and messages are here, commit is in commit.c. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mech/kilo/conflict_addresses.h"
#include "mech/kilo/core_half.h"
#include "mech/tm/attempt.h"

/* Begin */

static bool begin(void *self, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_kilo_core *c = self;
    struct cw_kilo_warp *w = c->warp + warp;
    if (w->phase == CW_KILO_IDLE) {
        w->phase = CW_KILO_TOKEN;
        w->waiting = now;
    }
    if (!cw_tokens_take(&c->tokens, warp))
        return false;
    cw_attempt_admit(&c->tm->common, lanes, c->tokens.used, w->waiting, now);
    w->tx_lanes = lanes;
    w->aborts = 0;
    w->paused = 0;
    w->done = now;
    cw_kilo__begin_attempt(c, warp, lanes, now);
    cw_tokens_wake_next(&c->tokens, c->core, now);
    return true;
}

/* Accesses */

static bool access(void *self, struct cw_mem_inst *inst, cw_time now)
{
    struct cw_kilo_core *c = self;
    const struct cw_kilo_warp *w = c->warp + inst->warp;
    struct cw_access *a = cw_access_take(&c->access, inst, cw_lanes_without(inst->lanes & w->lanes, w->aborted));
    if (a == NULL)
        return false;
    assert(w->phase == CW_KILO_RUN);
    if (a->unsent == 0 || c->cat == NULL || !cw_kilo__pause(c, a, now))
        cw_access_go(&c->access, a);
    return true;
}

static uint32_t request(void *self, const struct cw_access *a, struct cw_message *p)
{
    struct cw_kilo_core *c = self;
    p->attempt = cw_core_attempt(c->core, a->warp);
    if (c->first_read != NULL)
        cw_adapt_first_read_table_load(c->first_read, a->warp, p->lanes, p->born);
    return 0;
}

static bool grow_stamps(struct cw_kilo_warp *w)
{
    if (w->stamp_cap >= w->log.read_cap)
        return true;
    void *moved = realloc(w->stamp, w->log.read_cap * sizeof *w->stamp);
    if (moved == NULL)
        return false;
    w->stamp = moved;
    w->stamp_cap = w->log.read_cap;
    return true;
}

/* Logs a load with the values that it saw, for validation. */
static int log_load(void *self, const struct cw_access *a, cw_lanes lanes)
{
    struct cw_kilo_core *c = self;
    struct cw_kilo_warp *w = c->warp + a->warp;
    const struct cw_kilo_load *l = c->load + cw_access_index(&c->access, a);
    uint32_t row = w->log.read_cnt, words = cw_inst_words(a->inst);
    struct cw_read_row *r = cw_redo_log_read_rows(&w->log, words);
    if (r == NULL || !grow_stamps(w))
        return CW_ENOMEM;
    for (uint32_t i = 0; i < words; i++) {
        r[i].lanes = lanes;
        for (cw_lanes rest = lanes; rest != 0; rest = cw_lanes_rest(rest)) {
            uint32_t lane = cw_lanes_first(rest);
            r[i].addr[lane] = (a->inst->addr[lane] & ~UINT64_C(3)) + 4 * i;
            r[i].value[lane] = l->word[lane][i];
            w->stamp[row + i][lane] = l->stamp[lane];
            *cw_kilo__readers(c, r[i].addr[lane]) += c->tm->early;
        }
    }
    return CW_OK;
}

static void log_done(void *self, uint32_t warp, uint32_t cookie, cw_time now)
{
    struct cw_kilo_core *c = self;
    (void)now;
    if (cookie & CW_LOG_COOKIE_RESOLVE)
        c->warp[warp].walk.back++;
    else
        cw_access_log_done(&c->access, warp, cookie);
}

/* Replies */

/* One last-written time for all lanes, or each its own. */
static void tell_first_read(struct cw_kilo_core *c, uint32_t warp, const struct cw_message *p)
{
    if (!cw_kilo_tcd_by_lane(c->tm)) {
        cw_adapt_first_read_table_reply(c->first_read, warp, p->lanes, cw_kilo_access_of(p)->stamp);
        return;
    }
    for (cw_lanes rest = p->lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t lane = cw_lanes_first(rest);
        cw_adapt_first_read_table_reply(c->first_read, warp, cw_lanes_one(lane), cw_kilo_access_of(p)->time[lane]);
    }
}

static void take_reply(struct cw_kilo_core *c, const struct cw_message *p)
{
    struct cw_access *a = c->access.pool + p->tag;
    struct cw_kilo_load *l = c->load + p->tag;
    uint32_t words = cw_inst_words(a->inst);
    cw_access_take_values(a, p);
    for (cw_lanes rest = p->lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t lane = cw_lanes_first(rest);
        memcpy(l->word[lane], cw_line_body_of(p)->data + (cw_tx_access_of(p)->lane_offset[lane] & ~3u), words * sizeof l->word[lane][0]);
        l->stamp[lane] = cw_kilo_access_of(p)->stamp;
    }
    if (c->first_read != NULL)
        tell_first_read(c, a->warp, p);
    cw_access_replied(&c->access, a);
}

static void reply(void *self, struct cw_message *p, cw_time now)
{
    struct cw_kilo_core *c = self;
    if (p->op == CW_KILO_LOADED)
        take_reply(c, p);
    else if (p->op == CW_KILO_VERDICT)
        cw_kilo__verdict(c, p, now);
    else if (p->op == CW_KILO_ACK)
        cw_kilo__ack(c, p);
    else if (p->op == CW_KILO_RESEND)
        cw_kilo__resend(c, p);
    else
        cw_kilo__news(c, p, now);
    cw_message_free(c->tm->host.pool, p);
}

static cw_time tick(void *self, cw_time now)
{
    struct cw_kilo_core *c = self;
    if (cw_kilo_arbitrated(c->tm))
        cw_kilo__follow(c, now);
    if (c->pause.first != NULL)
        cw_kilo__resume(c, now);
    cw_access_retire(&c->access, now);
    cw_log_port_tick(&c->access.log, c->core, now);
    if (now >= c->watchdog)
        cw_kilo__watchdog(c, now);
    bool more = c->committing_cnt + c->probing_cnt > 0 && cw_kilo__commit_tick(c, now);
    more |= c->resend_cnt > 0;
    cw_access_send(&c->access, now);
    more |= cw_accesses_busy(&c->access) || c->asking > 0;
    more |= c->first_read != NULL && cw_adapt_first_read_table_clock(c->first_read);
    cw_time period = cw_kilo_period(c->tm, CW_DOMAIN_CORE);
    if (more || c->pause.first == NULL)
        return more ? now + period : CW_TIME_NEVER;
    cw_time paused = c->load[cw_access_index(&c->access, c->pause.first)].paused;
    return paused + c->tm->keys->eapg_pause_max_cycles * period; /* the oldest; before that, news wake the core */
}

static bool idle(const void *self)
{
    const struct cw_kilo_core *c = self;
    for (uint32_t i = 0; i < c->tm->config->core_warps; i++)
        if (c->warp[i].phase != CW_KILO_IDLE)
            return false;
    return cw_accesses_idle(&c->access) && c->asking == 0;
}

static void report(const void *self, FILE *out)
{
    static const char *const phase[] = {"no transaction",
                                        "waits for a token",
                                        "runs",
                                        "waits for its log writes",
                                        "waits for resolution metadata",
                                        "2PCR: clears its table",
                                        "2PCR: marks",
                                        "2PCR: checks",
                                        "SCR",
                                        "waits for commit IDs",
                                        "sends its logs",
                                        "waits for the commit units"};
    const struct cw_kilo_core *c = self;
    for (uint32_t i = 0; i < c->tm->config->core_warps; i++) {
        const struct cw_kilo_warp *w = c->warp + i;
        if (w->phase == CW_KILO_IDLE)
            continue;
        fprintf(out, "core %u warp %u: transaction %s; lanes 0x%08x, aborted 0x%08x, attempt %u", c->index, i, phase[w->phase],
                (unsigned)w->lanes, (unsigned)w->aborted, w->aborts + 1);
        if (w->phase == CW_KILO_ANSWER)
            fprintf(out, "; commit IDs from %llu, lanes 0x%08x undecided, %u acknowledgements missing", (unsigned long long)w->first_id,
                    (unsigned)w->undecided, w->acks);
        fprintf(out, "\n");
    }
}

const struct cw_core_sockets cw_kilo_core_sockets = {.region_begin = begin,
                                                     .region_access = access,
                                                     .region_end = cw_kilo__commit,
                                                     .message = reply,
                                                     .log_done = log_done,
                                                     .tick = tick,
                                                     .idle = idle,
                                                     .report = report};

static const struct cw_access_ops access_ops = {.request = request, .log_load = log_load};

int cw_kilo__core_create(struct cw_kilo_core **out, struct cw_kilo *tm, uint32_t index, struct cw_error *err)
{
    const struct cw_config *config = tm->config;
    struct cw_kilo_core *c = *out = calloc(1, sizeof *c);
    if (c == NULL)
        return CW_ENOMEM;
    *c = (struct cw_kilo_core){.tm = tm, .core = tm->host.core[index], .index = index, .tokens.limit = tm->common.keys->tm_warps};
    cw_rng_seed(&c->rng, tm->host.seed ^ ((uint64_t)index + 1) << 32);
    c->access = (struct cw_accesses){.common = &tm->common,
                                     .core = c->core,
                                     .ops = &access_ops,
                                     .self = c,
                                     .idealised = tm->kind == CW_KILO_IDEAL,
                                     .body_bytes = cw_kilo_tcd_by_lane(tm) ? sizeof(struct cw_kilo_access_body)
                                                                           : offsetof(struct cw_kilo_access_body, time)};
    c->warp = calloc(config->core_warps, sizeof *c->warp);
    c->load = calloc(CW_ACCESSES, sizeof *c->load);
    const uint32_t table_bytes = tm->common.keys->tm_ownership_entries, filter_bytes = tm->keys->warptm_scr_bits / 8;
    c->table = malloc(table_bytes > filter_bytes ? table_bytes : filter_bytes);
    if (cw_accesses_create(&c->access) != CW_OK || c->warp == NULL || c->load == NULL || c->table == NULL)
        return CW_ENOMEM;
    if (tm->kind == CW_KILO_EAPG && (c->cat = cw_kilo_cat_create(tm->keys->eapg_cat_entries)) == NULL)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < config->core_warps; i++)
        c->access.warp[i].log = &c->warp[i].log;
    int status = tm->tcd != CW_KILO_TCD_OFF
                     ? cw_adapt_first_read_table_create(&c->first_read, tm->host.units, index, config->core_warps, tm->keys->tcd_ports, err)
                     : CW_OK;
    if (status == CW_OK && tm->resolution == CW_KILO_2PCR)
        status = cw_resolvers_create(&c->resolvers, &tm->common, index, err);
    return status;
}

void cw_kilo__core_destroy(struct cw_kilo_core *c)
{
    if (c == NULL)
        return;
    for (uint32_t i = 0; c->warp != NULL && i < c->tm->config->core_warps; i++) {
        cw_redo_log_free(&c->warp[i].log);
        free(c->warp[i].stamp);
    }
    cw_accesses_destroy(&c->access);
    free(c->warp);
    free(c->load);
    free(c->table);
    cw_resolvers_destroy(&c->resolvers);
    cw_adapt_first_read_table_destroy(c->first_read);
    cw_kilo_cat_destroy(c->cat);
    free(c);
}
