/* SPDX-License-Identifier: Apache-2.0 */
/* Kilo TM family, core half: begin, accesses, messages. Commit is in kilo_commit.c. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tm/kilo_cat.h"
#include "tm/kilo_state.h"
#include "tm/resolver.h"

#define ACCESSES  64u /* transactional memory instructions in the system per core */
#define LOG_SLACK 256u

static void queue_push(struct cw_kilo_queue *q, struct cw_kilo_access *a)
{
    a->next = NULL;
    if (q->first == NULL)
        q->first = a;
    else
        q->last->next = a;
    q->last = a;
}

static struct cw_kilo_access *queue_pop(struct cw_kilo_queue *q)
{
    struct cw_kilo_access *a = q->first;
    q->first = a->next;
    return a;
}

void cw_kilo__emit(struct cw_kilo_core *c, uint32_t warp, struct cw_packet *p)
{
    p->warp = (uint16_t)warp;
    p->core = (uint16_t)c->index;
    p->owner = c->index * c->tm->config->core_warps + warp;
    p->next = NULL;
    if (c->out_first == NULL)
        c->out_first = p;
    else
        c->out_last->next = p;
    c->out_last = p;
    c->warp[warp].packets++;
}

/* Log writes of `words` rows from row on: address and value lines. The ideal system keeps no log in memory. */
static void post_rows(struct cw_kilo_core *c, uint32_t warp, bool write_log, uint32_t row, uint32_t words)
{
    uint32_t max = c->tm->config->tm_log_entries;
    if (c->tm->kind == CW_KILO_IDEAL)
        return;
    for (uint32_t i = 0; i < 2 * words; i++) {
        uint32_t word = cw_redo_log_word(write_log, (row + i / 2) % max, i % 2 != 0, max);
        cw_log_port_push(&c->log, (struct cw_log_op){.word = word, .cookie = CW_KILO_COOKIE_POSTED, .warp = (uint8_t)warp, .write = true});
    }
    c->warp[warp].posted += 2 * words;
}

static bool log_overflow(struct cw_kilo_core *c, uint32_t rows)
{
    if (rows <= c->tm->config->tm_log_entries || c->tm->cfg.fault == NULL)
        return false;
    cw_kilo__fault(c->tm, CW_ELIMIT,
                   "a transaction's read log or write log is full: raise tm.log_entries, or make the transaction smaller");
    return true;
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
    const struct cw_tm_observer *o = c->tm->cfg.observer;
    w->phase = CW_KILO_RUN;
    w->lanes = lanes;
    w->aborted = w->ready = w->losers = w->tcd_conflict = 0;
    w->begun = now;
    memset(w->first_read, 0, sizeof w->first_read);
    forget_readers(c, w);
    cw_redo_log_clear(&w->log);
    if (o != NULL)
        for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            w->attempt[lane] = o->begin(o->self, c->index, warp, lane, now);
        }
}

static bool begin(void *self, uint32_t warp, uint32_t lanes, cw_time now)
{
    struct cw_kilo_core *c = self;
    struct cw_kilo_warp *w = c->warp + warp;
    struct cw_stats *stats = c->tm->cfg.stats;
    if (w->phase == CW_KILO_IDLE) {
        w->phase = CW_KILO_TOKEN;
        w->waiting = now;
    }
    if (!cw_tokens_take(&c->tokens, warp))
        return false;
    uint64_t waited = (now - w->waiting) / cw_kilo_period(c->tm, CW_DOMAIN_CORE);
    stats->tx_begun += cw_kilo_lane_cnt(lanes);
    stats->tx_wait_cycles += waited;
    stats->tx_thread_wait_cycles += waited * cw_kilo_lane_cnt(lanes);
    cw_stat_max(&stats->tx_warps_max, c->tokens.used);
    w->tx_lanes = lanes;
    w->aborts = 0;
    w->done = now;
    cw_kilo__begin_attempt(c, warp, lanes, now);
    wake_next(c, now);
    return true;
}

void cw_kilo__abort_lanes(struct cw_kilo_core *c, uint32_t warp, uint32_t lanes, enum cw_kilo_abort cause, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    struct cw_stats *stats = c->tm->cfg.stats;
    const struct cw_tm_observer *o = c->tm->cfg.observer;
    uint64_t *by_cause[] = {[CW_KILO_BY_VALIDATION] = &stats->tx_aborted_validation,
                            [CW_KILO_BY_WARP] = &stats->tx_aborted_intra_warp,
                            [CW_KILO_EARLY] = &stats->tx_aborted_early};
    assert((lanes & (w->aborted | ~w->lanes)) == 0);
    if (lanes == 0)
        return;
    w->aborted |= lanes;
    stats->tx_aborted += cw_kilo_lane_cnt(lanes);
    *by_cause[cause] += cw_kilo_lane_cnt(lanes);
    if (o != NULL)
        for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
            o->abort(o->self, w->attempt[__builtin_ctz(rest)], now);
    cw_core_tx_abort(c->core, warp, lanes);
}

/* Accesses */

static void complete(struct cw_kilo_core *c, struct cw_kilo_access *a)
{
    if (a->unsent == 0 && a->packets == 0 && a->log_reads == 0)
        queue_push(&c->done, a);
}

static void take_store(struct cw_kilo_core *c, struct cw_kilo_access *a)
{
    struct cw_kilo_warp *w = c->warp + a->warp;
    uint32_t words = cw_inst_words(a->inst), row = w->log.write_cnt;
    if (log_overflow(c, row + words))
        return;
    if (cw_redo_log_store(&w->log, a->inst, a->lanes) != CW_OK)
        cw_kilo__fault(c->tm, CW_ENOMEM, "out of host memory for a write log");
    else
        post_rows(c, a->warp, true, row, words);
}

/* Looks the load up in the write log. A hit costs a walk over the log's addresses and the read of one value line ([art]). */
static void take_load(struct cw_kilo_core *c, struct cw_kilo_access *a)
{
    const struct cw_kilo_warp *w = c->warp + a->warp;
    uint32_t length = cw_inst_bytes(a->inst), whole = (1u << length) - 1;
    bool raw = false;
    a->unsent = a->lanes;
    if (w->log.write_cnt > 0)
        for (uint32_t rest = a->lanes; rest != 0; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            uint32_t own = cw_redo_log_find(&w->log, lane, a->inst->addr[lane], length, a->bytes[lane]);
            a->own[lane] = (uint16_t)own;
            raw |= own != 0;
            if (own == whole)
                a->unsent &= ~(1u << lane);
        }
    else
        memset(a->own, 0, sizeof a->own);
    a->asked = a->unsent;
    if (!raw || c->tm->kind == CW_KILO_IDEAL)
        return;
    uint32_t max = c->tm->config->tm_log_entries, rows = w->log.write_cnt < max ? w->log.write_cnt : max;
    a->log_reads = rows + 1;
    for (uint32_t i = 0; i <= rows; i++) {
        uint32_t word = i < rows ? cw_redo_log_word(true, i, false, max) : cw_redo_log_word(true, rows - 1, true, max);
        cw_log_port_push(&c->log, (struct cw_log_op){.word = word, .cookie = (uint32_t)(a - c->access), .warp = (uint8_t)a->warp});
    }
}

static bool access(void *self, struct cw_mem_inst *inst, cw_time now)
{
    struct cw_kilo_core *c = self;
    struct cw_kilo_warp *w = c->warp + inst->warp;
    struct cw_stats *stats = c->tm->cfg.stats;
    bool store = inst->uop->op == CW_OP_ST;
    uint32_t max = c->tm->config->tm_log_entries, rows = w->log.write_cnt < max ? w->log.write_cnt : max;
    if (c->free == NULL || !cw_log_port_room(&c->log, store ? 2 * cw_inst_words(inst) : rows + 1))
        return false;
    assert(w->phase == CW_KILO_RUN);
    struct cw_kilo_access *a = c->free;
    c->free = a->next;
    c->access_cnt++;
    w->accesses++;
    a->inst = inst;
    a->warp = inst->warp;
    a->store = store;
    a->lanes = inst->lanes & w->lanes & ~w->aborted;
    a->unsent = a->packets = a->log_reads = a->asked = 0;
    *(store ? &stats->tx_stores : &stats->tx_loads) += cw_kilo_lane_cnt(a->lanes);
    if (a->lanes != 0 && store)
        take_store(c, a);
    else if (a->lanes != 0)
        take_load(c, a);
    if (a->unsent == 0)
        complete(c, a);
    else
        queue_push(c->cat != NULL && cw_kilo__eapg_pause(c, a, now) ? &c->pause : &c->send, a);
    return true;
}

/* The request for all unsent lanes on the line of the lowest one. */
static struct cw_packet *build_request(struct cw_kilo_core *c, struct cw_kilo_access *a, cw_time now)
{
    const struct cw_config *config = c->tm->config;
    struct cw_kilo_warp *w = c->warp + a->warp;
    struct cw_packet *p = cw_packet_new(c->tm->cfg.pool);
    const uint64_t *addr = a->inst->addr;
    p->addr = addr[__builtin_ctz(a->unsent)] & ~(uint64_t)(CW_LINE_BYTES - 1);
    for (uint32_t rest = a->unsent; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t offset = addr[lane] - p->addr;
        if (offset >= CW_LINE_BYTES)
            continue;
        p->lanes |= 1u << lane;
        p->lane_offset[lane] = (uint8_t)offset;
        p->sectors |= (uint8_t)(1u << (offset / CW_SECTOR_BYTES));
        if (w->first_read[lane] == 0)
            w->first_read[lane] = now;
    }
    a->unsent &= ~p->lanes;
    a->packets++;
    p->kind = CW_PK_TX_LOAD;
    p->sub = (uint8_t)cw_inst_bytes(a->inst);
    p->warp = (uint16_t)a->warp;
    p->tag = (uint32_t)(a - c->access);
    p->born = now;
    cw_packet_size(p, 0, config->noc_header_bytes, config->noc_flit_bytes);
    return p;
}

/* One packet per core cycle: logs and decisions first, for they end transactions. */
static void send_tick(struct cw_kilo_core *c, cw_time now)
{
    struct cw_packet *p = c->out_first;
    if (p != NULL) {
        struct cw_packet *next = p->next;
        uint32_t warp = p->warp;
        if (!cw_core_send(c->core, p, now))
            return;
        c->out_first = next;
        c->warp[warp].packets--;
        return;
    }
    while (c->spare == NULL && c->send.first != NULL) {
        struct cw_kilo_access *a = c->send.first;
        a->unsent &= ~c->warp[a->warp].aborted;
        if (a->unsent != 0)
            c->spare = build_request(c, a, now);
        if (a->unsent == 0)
            complete(c, queue_pop(&c->send));
    }
    if (c->spare != NULL && cw_core_send(c->core, c->spare, now))
        c->spare = NULL;
}

/* Paused loads that may go on. Every load looks again in every cycle in which something has happened. */
static void resume(struct cw_kilo_core *c, cw_time now)
{
    struct cw_kilo_queue old = c->pause;
    c->pause = (struct cw_kilo_queue){0};
    while (old.first != NULL) {
        struct cw_kilo_access *a = queue_pop(&old);
        queue_push(cw_kilo__eapg_resume(c, a, now) ? &c->send : &c->pause, a);
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

/* Gives a load its values and logs what it took from memory. */
static void finish_load(struct cw_kilo_core *c, struct cw_kilo_access *a, uint32_t lanes)
{
    struct cw_kilo_warp *w = c->warp + a->warp;
    uint32_t logged = lanes & a->asked, row = w->log.read_cnt, words = cw_inst_words(a->inst);
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
        cw_inst_set_bytes(a->inst, (uint32_t)__builtin_ctz(rest), a->bytes[__builtin_ctz(rest)]);
    if (logged == 0 || log_overflow(c, row + words))
        return;
    struct cw_read_row *r = cw_redo_log_read_rows(&w->log, words);
    if (r == NULL || !grow_stamps(w)) {
        cw_kilo__fault(c->tm, CW_ENOMEM, "out of host memory for a read log");
        return;
    }
    for (uint32_t i = 0; i < words; i++) {
        r[i].lanes = logged;
        for (uint32_t rest = logged; rest != 0; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            r[i].addr[lane] = (a->inst->addr[lane] & ~UINT64_C(3)) + 4 * i;
            r[i].value[lane] = a->word[lane][i];
            w->stamp[row + i][lane] = a->stamp[lane];
            c->readers[cw_kilo__reader_hash(r[i].addr[lane])] += c->tm->early;
        }
    }
    post_rows(c, a->warp, false, row, words);
}

/* Hands complete accesses back to the core, as far as the log unit has room for the loads' entries. */
static void retire(struct cw_kilo_core *c, cw_time now)
{
    while (c->done.first != NULL) {
        struct cw_kilo_access *a = c->done.first;
        struct cw_kilo_warp *w = c->warp + a->warp;
        uint32_t lanes = a->store ? 0 : a->lanes & ~w->aborted;
        if (lanes != 0 && !cw_log_port_room(&c->log, 2 * cw_inst_words(a->inst)))
            return;
        queue_pop(&c->done);
        if (lanes != 0)
            finish_load(c, a, lanes);
        struct cw_mem_inst *inst = a->inst;
        a->next = c->free;
        c->free = a;
        c->access_cnt--;
        w->accesses--;
        cw_core_mem_done(c->core, inst, now);
    }
}

static void log_done(void *self, uint32_t warp, uint32_t cookie, cw_time now)
{
    struct cw_kilo_core *c = self;
    (void)now;
    if (cookie & CW_KILO_COOKIE_POSTED)
        c->warp[warp].posted--;
    else if (cookie & CW_KILO_COOKIE_RESOLVE)
        c->warp[warp].back++;
    else {
        c->access[cookie].log_reads--;
        complete(c, c->access + cookie);
    }
}

/* Replies */

static void take_reply(struct cw_kilo_core *c, const struct cw_packet *p)
{
    struct cw_kilo_access *a = c->access + p->tag;
    struct cw_kilo_warp *w = c->warp + a->warp;
    uint32_t length = p->sub, words = cw_inst_words(a->inst);
    for (uint32_t rest = p->lanes; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), own = a->own[lane];
        const uint8_t *from = p->u.data + p->lane_offset[lane];
        for (uint32_t b = 0; b < length; b++)
            if ((own >> b & 1) == 0)
                a->bytes[lane][b] = from[b];
        memcpy(a->word[lane], p->u.data + (p->lane_offset[lane] & ~3u), words * sizeof a->word[lane][0]);
        a->stamp[lane] = p->warpts;
        if (p->warpts >= w->first_read[lane])
            w->tcd_conflict |= 1u << lane;
    }
    a->packets--;
    complete(c, a);
}

static void reply(void *self, struct cw_packet *p, cw_time now)
{
    struct cw_kilo_core *c = self;
    if (p->kind == CW_PK_TX_REPLY)
        take_reply(c, p);
    else if (p->sub == CW_KILO_VERDICT)
        cw_kilo__verdict(c, p, now);
    else if (p->sub == CW_KILO_ACK)
        cw_kilo__ack(c, p);
    else if (p->sub == CW_KILO_RESEND)
        cw_kilo__resend(c, p);
    else
        cw_kilo__eapg_news(c, p, now);
    cw_packet_free(c->tm->cfg.pool, p);
}

static cw_time tick(void *self, cw_time now)
{
    struct cw_kilo_core *c = self;
    if (c->tm->arbiter != NULL)
        cw_kilo__arbiter_follow(c, now);
    if (c->pause.first != NULL)
        resume(c, now);
    retire(c, now);
    cw_log_port_tick(&c->log, c->core, now);
    if (now >= c->watchdog)
        cw_kilo__watchdog(c, now);
    bool more = c->committing_cnt + c->probing_cnt > 0 && cw_kilo__commit_tick(c, now);
    more |= c->resend_cnt > 0;
    send_tick(c, now);
    more |= c->log.cnt > 0 || c->out_first != NULL || c->spare != NULL || c->send.first != NULL || c->done.first != NULL || c->asking > 0;
    cw_time period = cw_kilo_period(c->tm, CW_DOMAIN_CORE);
    if (more || c->pause.first == NULL)
        return more ? now + period : CW_TIME_NEVER;
    return c->pause.first->paused + c->tm->config->eapg_pause_max_cycles * period; /* the oldest; before that, news wake the core */
}

static bool idle(const void *self)
{
    const struct cw_kilo_core *c = self;
    for (uint32_t i = 0; i < c->tm->config->core_warps; i++)
        if (c->warp[i].phase != CW_KILO_IDLE || c->warp[i].posted > 0)
            return false;
    return c->access_cnt == 0 && c->out_first == NULL && c->spare == NULL && c->log.cnt == 0 && c->asking == 0;
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

const struct cw_core_tm_ops cw_kilo__core_ops = {.begin = begin,
                                                 .access = access,
                                                 .commit = cw_kilo__commit,
                                                 .reply = reply,
                                                 .log_done = log_done,
                                                 .tick = tick,
                                                 .idle = idle,
                                                 .report = report};

static int create_resolvers(struct cw_kilo_core *c, struct cw_error *err)
{
    uint32_t cnt = c->tm->config->tm_resolvers;
    int status = CW_OK;
    c->resolver = calloc(cnt, sizeof *c->resolver);
    if (c->resolver == NULL)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < cnt && status == CW_OK; i++)
        status = cw_resolver_create(c->resolver + i, &c->tm->cfg, c->index, i, err);
    return status;
}

int cw_kilo__core_create(struct cw_kilo_core *c, struct cw_tm *tm, uint32_t index, struct cw_error *err)
{
    const struct cw_config *config = tm->config;
    *c = (struct cw_kilo_core){.tm = tm, .core = tm->cfg.core[index], .index = index, .tokens.limit = config->tm_warps};
    cw_rng_seed(&c->rng, tm->cfg.seed ^ ((uint64_t)index + 1) << 32);
    c->log.cap = config->tm_log_entries + LOG_SLACK;
    c->warp = calloc(config->core_warps, sizeof *c->warp);
    c->access = calloc(ACCESSES, sizeof *c->access);
    c->log.op = calloc(c->log.cap, sizeof *c->log.op);
    c->table =
        malloc(config->tm_ownership_entries > config->warptm_scr_bits / 8 ? config->tm_ownership_entries : config->warptm_scr_bits / 8);
    if (c->warp == NULL || c->access == NULL || c->log.op == NULL || c->table == NULL ||
        cw_fifo_create(&c->grant, config->core_warps + 1, NULL) != CW_OK ||
        cw_fifo_create(&c->request, config->core_warps + 1, NULL) != CW_OK)
        return CW_ENOMEM;
    if (tm->kind == CW_KILO_EAPG && (c->cat = cw_kilo_cat_create(config->eapg_cat_entries)) == NULL)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < ACCESSES; i++) {
        c->access[i].next = c->free;
        c->free = c->access + i;
    }
    return tm->resolution == CW_KILO_2PCR ? create_resolvers(c, err) : CW_OK;
}

void cw_kilo__core_destroy(struct cw_kilo_core *c)
{
    for (uint32_t i = 0; c->warp != NULL && i < c->tm->config->core_warps; i++) {
        cw_redo_log_free(&c->warp[i].log);
        free(c->warp[i].stamp);
    }
    free(c->warp);
    free(c->access);
    free(c->log.op);
    free(c->table);
    for (uint32_t i = 0; c->resolver != NULL && i < c->tm->config->tm_resolvers; i++)
        cw_resolver_destroy(c->resolver[i]);
    free(c->resolver);
    cw_kilo_cat_destroy(c->cat);
    cw_fifo_destroy(&c->grant);
    cw_fifo_destroy(&c->request);
}
