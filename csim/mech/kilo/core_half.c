/* SPDX-License-Identifier: Apache-2.0 */
/* Kilo TM family, core half: begin, accesses, messages. Commit is in kilo_commit.c. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mech/kilo/conflict_addresses.h"
#include "mech/kilo/kilo_state.h"

void cw_kilo__emit(struct cw_kilo_core *c, uint32_t warp, struct cw_message *p)
{
    p->core = (uint16_t)c->index;
    cw_access_emit(&c->access, warp, p);
}

/* Begin */

static void wake_next(struct cw_kilo_core *c, cw_time now)
{
    int warp = cw_tokens_next(&c->tokens);
    if (warp >= 0)
        cw_core_wake_warp(c->core, (uint32_t)warp, now);
}

/* The last attempt's reads leave the core's filter of running reads. */
static void forget_readers(struct cw_kilo_core *c, const struct cw_kilo_warp *w)
{
    if (!c->tm->early)
        return;
    for (uint32_t i = 0; i < w->log.read_cnt; i++)
        for (uint32_t rest = w->log.read[i].lanes; rest != 0; rest &= rest - 1)
            c->readers[cw_kilo__reader_hash(w->log.read[i].addr[__builtin_ctz(rest)])]--;
}

void cw_kilo__begin_attempt(struct cw_kilo_core *c, uint32_t warp, uint32_t lanes, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    w->phase = CW_KILO_RUN;
    w->lanes = lanes;
    w->aborted = w->ready = w->losers = 0;
    w->begun = now;
    if (c->first_read != NULL)
        cw_adapt_first_read_table_begin(c->first_read, warp, lanes);
    forget_readers(c, w);
    cw_redo_log_clear(&w->log);
    cw_attempt_begin(&c->tm->cfg, w->attempt, c->index, warp, lanes, now);
}

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
    cw_attempt_admit(&c->tm->cfg, lanes, c->tokens.used, w->waiting, now);
    w->tx_lanes = lanes;
    w->aborts = w->paused = 0;
    w->done = now;
    cw_kilo__begin_attempt(c, warp, lanes, now);
    wake_next(c, now);
    return true;
}

void cw_kilo__abort_lanes(struct cw_kilo_core *c, uint32_t warp, uint32_t lanes, enum cw_kilo_abort cause, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    struct cw_stats *stats = c->tm->cfg.stats;
    uint64_t *by_cause[] = {[CW_KILO_BY_VALIDATION] = &stats->tx_aborted_validation,
                            [CW_KILO_BY_WARP] = &stats->tx_aborted_intra_warp,
                            [CW_KILO_EARLY] = &stats->tx_aborted_early};
    assert((lanes & (w->aborted | ~w->lanes)) == 0);
    if (lanes == 0)
        return;
    w->aborted |= lanes;
    cw_attempt_abort(&c->tm->cfg, w->attempt, lanes, by_cause[cause], now);
    cw_core_tx_abort(c->core, warp, lanes);
}

/* Accesses */

static bool access(void *self, struct cw_mem_inst *inst, cw_time now)
{
    struct cw_kilo_core *c = self;
    const struct cw_kilo_warp *w = c->warp + inst->warp;
    struct cw_access *a = cw_access_take(&c->access, inst, inst->lanes & w->lanes & ~w->aborted);
    if (a == NULL)
        return false;
    assert(w->phase == CW_KILO_RUN);
    if (a->unsent != 0 && c->cat != NULL && cw_kilo__eapg_pause(c, a, now))
        cw_access_queue_push(&c->pause, a);
    else
        cw_access_go(&c->access, a);
    return true;
}

static uint32_t request(void *self, const struct cw_access *a, struct cw_message *p)
{
    struct cw_kilo_core *c = self;
    if (c->first_read != NULL)
        cw_adapt_first_read_table_load(c->first_read, a->warp, p->lanes, p->born);
    return 0;
}

/* Paused loads that may go on. Every load looks again in every cycle in which something has happened. */
static void resume(struct cw_kilo_core *c, cw_time now)
{
    struct cw_access_queue old = c->pause;
    c->pause = (struct cw_access_queue){0};
    while (old.first != NULL) {
        struct cw_access *a = cw_access_queue_pop(&old);
        if (cw_kilo__eapg_resume(c, a, now))
            cw_access_go(&c->access, a);
        else
            cw_access_queue_push(&c->pause, a);
    }
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
static int log_load(void *self, const struct cw_access *a, uint32_t lanes)
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
        for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            r[i].addr[lane] = (a->inst->addr[lane] & ~UINT64_C(3)) + 4 * i;
            r[i].value[lane] = l->word[lane][i];
            w->stamp[row + i][lane] = l->stamp[lane];
            c->readers[cw_kilo__reader_hash(r[i].addr[lane])] += c->tm->early;
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
    for (uint32_t rest = p->lanes; rest != 0; rest &= rest - 1)
        cw_adapt_first_read_table_reply(c->first_read, warp, rest & -rest, cw_kilo_access_of(p)->time[__builtin_ctz(rest)]);
}

static void take_reply(struct cw_kilo_core *c, const struct cw_message *p)
{
    struct cw_access *a = c->access.pool + p->tag;
    struct cw_kilo_load *l = c->load + p->tag;
    uint32_t words = cw_inst_words(a->inst);
    cw_access_take_values(a, p);
    for (uint32_t rest = p->lanes; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
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
        cw_kilo__eapg_news(c, p, now);
    cw_message_free(c->tm->cfg.pool, p);
}

static cw_time tick(void *self, cw_time now)
{
    struct cw_kilo_core *c = self;
    if (c->tm->arbiter != NULL)
        cw_kilo__arbiter_follow(c, now);
    if (c->pause.first != NULL)
        resume(c, now);
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
    return paused + c->tm->config->eapg_pause_max_cycles * period; /* the oldest; before that, news wake the core */
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
        fprintf(out, "core %u warp %u: transaction %s; lanes 0x%08x, aborted 0x%08x, attempt %u", c->index, i, phase[w->phase], w->lanes,
                w->aborted, w->aborts + 1);
        if (w->phase == CW_KILO_ANSWER)
            fprintf(out, "; commit IDs from %llu, lanes 0x%08x undecided, %u acknowledgements missing", (unsigned long long)w->first_id,
                    w->undecided, w->acks);
        fprintf(out, "\n");
    }
}

const struct cw_core_sockets cw_kilo__core_ops = {.region_begin = begin,
                                                  .region_access = access,
                                                  .region_end = cw_kilo__commit,
                                                  .message = reply,
                                                  .log_done = log_done,
                                                  .tick = tick,
                                                  .idle = idle,
                                                  .report = report};

static const struct cw_access_ops access_ops = {.request = request, .log_load = log_load};

int cw_kilo__core_create(struct cw_kilo_core *c, struct cw_kilo *tm, uint32_t index, struct cw_error *err)
{
    const struct cw_config *config = tm->config;
    *c = (struct cw_kilo_core){.tm = tm, .core = tm->cfg.core[index], .index = index, .tokens.limit = config->tm_warps};
    cw_rng_seed(&c->rng, tm->cfg.seed ^ ((uint64_t)index + 1) << 32);
    c->access = (struct cw_accesses){.cfg = &tm->cfg,
                                     .core = c->core,
                                     .ops = &access_ops,
                                     .self = c,
                                     .idealised = tm->kind == CW_KILO_IDEAL,
                                     .body_bytes = cw_kilo_tcd_by_lane(tm) ? sizeof(struct cw_kilo_access_body)
                                                                           : offsetof(struct cw_kilo_access_body, time)};
    c->warp = calloc(config->core_warps, sizeof *c->warp);
    c->load = calloc(CW_ACCESSES, sizeof *c->load);
    c->table =
        malloc(config->tm_ownership_entries > config->warptm_scr_bits / 8 ? config->tm_ownership_entries : config->warptm_scr_bits / 8);
    if (cw_accesses_create(&c->access) != CW_OK || c->warp == NULL || c->load == NULL || c->table == NULL ||
        cw_fifo_create(&c->grant, config->core_warps + 1, NULL) != CW_OK ||
        cw_fifo_create(&c->request, config->core_warps + 1, NULL) != CW_OK)
        return CW_ENOMEM;
    if (tm->kind == CW_KILO_EAPG && (c->cat = cw_kilo_cat_create(config->eapg_cat_entries)) == NULL)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < config->core_warps; i++)
        c->access.warp[i].log = &c->warp[i].log;
    int status = tm->tcd != CW_KILO_TCD_OFF
                     ? cw_adapt_first_read_table_create(&c->first_read, tm->cfg.units, index, config->core_warps, err)
                     : CW_OK;
    if (status == CW_OK && tm->resolution == CW_KILO_2PCR)
        status = cw_resolvers_create(&c->resolvers, &tm->cfg, index, err);
    return status;
}

void cw_kilo__core_destroy(struct cw_kilo_core *c)
{
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
    cw_fifo_destroy(&c->grant);
    cw_fifo_destroy(&c->request);
}
