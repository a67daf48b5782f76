/* SPDX-License-Identifier: Apache-2.0 */
/* GETM, core half: begin, accesses, replies, rollover. Commit is in getm_commit.c. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tm/getm_state.h"

#define ACCESSES  64u /* transactional memory instructions in the system per core */
#define LOG_SLACK 256u

static uint32_t lane_cnt(uint32_t lanes)
{
    return (uint32_t)__builtin_popcount(lanes);
}

static void queue_push(struct cw_getm_queue *q, struct cw_getm_access *a)
{
    a->next = NULL;
    if (q->first == NULL)
        q->first = a;
    else
        q->last->next = a;
    q->last = a;
}

static struct cw_getm_access *queue_pop(struct cw_getm_queue *q)
{
    struct cw_getm_access *a = q->first;
    q->first = a->next;
    return a;
}

/* Log unit's L1 port */

static uint32_t log_cap(const struct cw_getm_core *c)
{
    return c->tm->config->tm_log_entries + LOG_SLACK;
}

bool cw_getm__log_room(const struct cw_getm_core *c, uint32_t cnt)
{
    return c->log_op_cnt + cnt <= log_cap(c);
}

void cw_getm__log_push(struct cw_getm_core *c, struct cw_getm_log_op op)
{
    c->log_op[(c->log_op_head + c->log_op_cnt++) % log_cap(c)] = op;
}

/* Log writes of `words` rows from row on: address and value lines. */
static void post_rows(struct cw_getm_core *c, uint32_t warp, bool write_log, uint32_t row, uint32_t words)
{
    uint32_t max = c->tm->config->tm_log_entries;
    for (uint32_t i = 0; i < 2 * words; i++) {
        uint32_t word = cw_redo_log_word(write_log, (row + i / 2) % max, i % 2 != 0, max);
        cw_getm__log_push(c, (struct cw_getm_log_op){.word = word, .cookie = CW_GETM_COOKIE_POSTED, .warp = (uint8_t)warp, .write = true});
    }
    c->warp[warp].posted += 2 * words;
}

static void log_tick(struct cw_getm_core *c, cw_time now)
{
    if (c->log_op_cnt == 0)
        return;
    struct cw_getm_log_op op = c->log_op[c->log_op_head];
    if (!cw_core_tx_log_access(c->core, op.warp, op.word, op.write, op.cookie, now))
        return;
    c->log_op_head = (c->log_op_head + 1) % log_cap(c);
    c->log_op_cnt--;
}

static bool log_overflow(struct cw_getm_core *c, uint32_t rows)
{
    if (rows <= c->tm->config->tm_log_entries || c->tm->cfg.fault == NULL)
        return false;
    cw_getm__fault(c->tm, CW_ELIMIT,
                   "a transaction's read log or write log is full: raise tm.log_entries, or make the transaction smaller");
    return true;
}

/* Begin */

void cw_getm__wake_next(struct cw_getm_core *c, cw_time now)
{
    int warp = c->stopped ? -1 : cw_tokens_next(&c->tokens);
    if (warp >= 0)
        cw_core_wake_warp(c->core, (uint32_t)warp, now);
}

void cw_getm__begin_attempt(struct cw_getm_core *c, uint32_t warp, uint32_t lanes, cw_time now)
{
    struct cw_getm_warp *w = c->warp + warp;
    const struct cw_tm_observer *o = c->tm->cfg.observer;
    w->phase = CW_GETM_RUN;
    w->lanes = lanes;
    w->aborted = w->ready = w->requested = w->losers = 0;
    w->cleaned = w->full = false;
    w->begun = now;
    w->next_warpts = w->warpts;
    cw_redo_log_clear(&w->log);
    cw_write_set_clear(&w->set);
    cw_getm__note_time(c->tm, w->warpts);
    if (w->warpts > c->largest)
        c->largest = w->warpts;
    if (o != NULL)
        for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            w->attempt[lane] = o->begin(o->self, c->index, warp, lane, now);
        }
}

static bool begin(void *self, uint32_t warp, uint32_t lanes, cw_time now)
{
    struct cw_getm_core *c = self;
    struct cw_getm_warp *w = c->warp + warp;
    struct cw_stats *stats = c->tm->cfg.stats;
    if (w->phase == CW_GETM_IDLE) {
        w->phase = CW_GETM_TOKEN;
        w->waiting = now;
    }
    if (c->stopped)
        cw_tokens_wait(&c->tokens, warp);
    if (c->stopped || !cw_tokens_take(&c->tokens, warp))
        return false;
    uint64_t waited = (now - w->waiting) / cw_getm_period(c->tm, CW_DOMAIN_CORE);
    stats->tx_begun += lane_cnt(lanes);
    stats->tx_wait_cycles += waited;
    stats->tx_thread_wait_cycles += waited * lane_cnt(lanes);
    cw_stat_max(&stats->tx_warps_max, c->tokens.used);
    w->tx_lanes = lanes;
    w->aborts = w->starved = 0;
    w->done = now;
    if (c->tm->config->getm_new_warpts == CW_GETM_NEW_CORE)
        w->warpts = cw_getm__at(c->tm, c->largest, cw_getm_owner(c->tm, c->index, warp));
    cw_getm__begin_attempt(c, warp, lanes, now);
    cw_getm__wake_next(c, now);
    return true;
}

void cw_getm__abort_lanes(struct cw_getm_core *c, uint32_t warp, uint32_t lanes, uint32_t cause, cw_time now)
{
    struct cw_getm_warp *w = c->warp + warp;
    struct cw_stats *stats = c->tm->cfg.stats;
    const struct cw_tm_observer *o = c->tm->cfg.observer;
    uint64_t *by_cause[] = {[CW_VU_ABORT] = &stats->tx_aborted_timestamp,
                            [CW_VU_FULL] = &stats->tx_aborted_stall_full,
                            [CW_VU_ROLLOVER] = &stats->tx_aborted_rollover,
                            [CW_GETM_INTRA_WARP] = &stats->tx_aborted_intra_warp};
    assert((lanes & (w->aborted | ~w->lanes)) == 0);
    if (lanes == 0)
        return;
    w->aborted |= lanes;
    w->full |= cause == CW_VU_FULL;
    stats->tx_aborted += lane_cnt(lanes);
    *by_cause[cause] += lane_cnt(lanes);
    if (o != NULL)
        for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            o->abort(o->self, w->attempt[lane], now);
        }
    cw_core_tx_abort(c->core, warp, lanes);
}

/* Accesses */

static void complete(struct cw_getm_core *c, struct cw_getm_access *a)
{
    if (a->unsent == 0 && a->packets == 0 && a->log_reads == 0)
        queue_push(&c->done, a);
}

static bool take_store(struct cw_getm_core *c, struct cw_getm_access *a)
{
    struct cw_getm_warp *w = c->warp + a->warp;
    uint32_t words = cw_inst_words(a->inst), row = w->log.write_cnt;
    a->unsent = a->lanes;
    if (log_overflow(c, row + words))
        return false;
    if (cw_redo_log_store(&w->log, a->inst, a->lanes) != CW_OK) {
        cw_getm__fault(c->tm, CW_ENOMEM, "out of host memory for a write log");
        return false;
    }
    post_rows(c, a->warp, true, row, words);
    return true;
}

/* Looks the load up in the write log. A hit costs a walk over the log's addresses and the read of one value line ([art]). */
static void take_load(struct cw_getm_core *c, struct cw_getm_access *a)
{
    const struct cw_getm_warp *w = c->warp + a->warp;
    uint32_t length = cw_inst_bytes(a->inst), whole = (1u << length) - 1;
    a->unsent = a->lanes;
    a->raw = false;
    if (w->log.write_cnt == 0)
        return;
    for (uint32_t rest = a->lanes; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint32_t own = cw_redo_log_find(&w->log, lane, a->inst->addr[lane], length, a->bytes[lane]);
        a->own[lane] = (uint16_t)own;
        a->raw |= own != 0;
        if (own == whole)
            a->unsent &= ~(1u << lane);
    }
    if (!a->raw)
        return;
    uint32_t max = c->tm->config->tm_log_entries, rows = w->log.write_cnt < max ? w->log.write_cnt : max;
    a->log_reads = rows + 1;
    for (uint32_t i = 0; i <= rows; i++) {
        uint32_t word = i < rows ? cw_redo_log_word(true, i, false, max) : cw_redo_log_word(true, rows - 1, true, max);
        cw_getm__log_push(c, (struct cw_getm_log_op){.word = word, .cookie = (uint32_t)(a - c->access), .warp = (uint8_t)a->warp});
    }
}

static bool access(void *self, struct cw_mem_inst *inst, cw_time now)
{
    struct cw_getm_core *c = self;
    struct cw_getm_warp *w = c->warp + inst->warp;
    struct cw_stats *stats = c->tm->cfg.stats;
    bool store = inst->uop->op == CW_OP_ST;
    (void)now;
    uint32_t max = c->tm->config->tm_log_entries, rows = w->log.write_cnt < max ? w->log.write_cnt : max;
    if (c->free == NULL || !cw_getm__log_room(c, store ? 2 * cw_inst_words(inst) : rows + 1))
        return false;
    assert(w->phase == CW_GETM_RUN);
    struct cw_getm_access *a = c->free;
    c->free = a->next;
    c->access_cnt++;
    w->accesses++;
    a->inst = inst;
    a->warp = inst->warp;
    a->store = store;
    a->raw = false;
    a->lanes = inst->lanes & w->lanes & ~w->aborted;
    a->unsent = a->packets = a->log_reads = 0;
    if (c->stopped) {
        c->doomed |= UINT64_C(1) << inst->warp;
        a->lanes = 0;
    }
    *(store ? &stats->tx_stores : &stats->tx_loads) += lane_cnt(a->lanes);
    if (a->lanes != 0 && store)
        a->unsent = take_store(c, a) ? a->unsent : 0;
    else if (a->lanes != 0)
        take_load(c, a);
    if (a->unsent != 0)
        queue_push(&c->send, a);
    else
        complete(c, a);
    return true;
}

/* The request for all unsent lanes on the line of the lowest one. */
static struct cw_packet *build_request(struct cw_getm_core *c, struct cw_getm_access *a, cw_time now)
{
    const struct cw_config *config = c->tm->config;
    struct cw_getm_warp *w = c->warp + a->warp;
    struct cw_packet *p = cw_packet_new(c->tm->cfg.pool);
    const uint64_t *addr = a->inst->addr;
    uint32_t bytes = cw_inst_bytes(a->inst), shift = c->tm->granule_shift;
    p->addr = addr[__builtin_ctz(a->unsent)] & ~(uint64_t)(CW_LINE_BYTES - 1);
    for (uint32_t rest = a->unsent; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t offset = addr[lane] - p->addr;
        if (offset >= CW_LINE_BYTES)
            continue;
        p->lanes |= 1u << lane;
        p->lane_offset[lane] = (uint8_t)offset;
        p->sectors |= (uint8_t)(1u << (offset / CW_SECTOR_BYTES));
        for (uint64_t g = offset >> shift; g <= (offset + bytes - 1) >> shift; g++)
            p->outcome[CW_GETM_GRANULES] |= 1u << g;
    }
    a->unsent &= ~p->lanes;
    a->packets++;
    w->requested++;
    p->kind = a->store ? CW_PK_TX_STORE : CW_PK_TX_LOAD;
    bool spill = a->store && w->starved >= config->getm_spill_after;
    p->sub = (uint8_t)(spill ? bytes | CW_GETM_SPILL : bytes);
    p->warp = (uint16_t)a->warp;
    p->warpts = w->warpts;
    p->owner = cw_getm_owner(c->tm, c->index, a->warp);
    p->tag = (uint32_t)(a - c->access);
    p->outcome[CW_GETM_TICKET] = w->ticket[cw_address_partition(config, p->addr)];
    p->born = now;
    uint32_t data = a->store && config->getm_store_data == CW_ON ? CW_SECTOR_BYTES * (uint32_t)__builtin_popcount(p->sectors) : 0;
    cw_packet_size(p, data, config->noc_header_bytes, config->noc_flit_bytes);
    return p;
}

/* One packet per core cycle: logs first, for they give back reservations. */
static void send_tick(struct cw_getm_core *c, cw_time now)
{
    struct cw_packet *p = c->log_first;
    if (p != NULL) {
        struct cw_packet *next = p->next;
        uint32_t warp = p->warp;
        if (!cw_core_send(c->core, p, now))
            return;
        c->log_first = next;
        c->warp[warp].packets--;
        return;
    }
    while (c->spare == NULL && c->send.first != NULL) {
        struct cw_getm_access *a = c->send.first;
        a->unsent &= ~c->warp[a->warp].aborted;
        if (a->unsent != 0)
            c->spare = build_request(c, a, now);
        if (a->unsent == 0)
            complete(c, queue_pop(&c->send));
    }
    if (c->spare != NULL && cw_core_send(c->core, c->spare, now))
        c->spare = NULL;
}

/* Gives a load its values and logs what it took from memory. */
static void finish_load(struct cw_getm_core *c, struct cw_getm_access *a, uint32_t lanes)
{
    struct cw_getm_warp *w = c->warp + a->warp;
    uint32_t logged = lanes, whole = (1u << cw_inst_bytes(a->inst)) - 1;
    uint32_t row = w->log.read_cnt, words = cw_inst_words(a->inst);
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        cw_inst_set_bytes(a->inst, lane, a->bytes[lane]);
        if (a->raw && a->own[lane] == whole)
            logged &= ~(1u << lane);
    }
    if (logged == 0 || log_overflow(c, row + words))
        return;
    if (cw_redo_log_load(&w->log, a->inst, logged) != CW_OK)
        cw_getm__fault(c->tm, CW_ENOMEM, "out of host memory for a read log");
    post_rows(c, a->warp, false, row, words);
}

/* Hands complete accesses back to the core, as far as the log unit has room for the loads' entries. */
static void retire(struct cw_getm_core *c, cw_time now)
{
    while (c->done.first != NULL) {
        struct cw_getm_access *a = c->done.first;
        struct cw_getm_warp *w = c->warp + a->warp;
        uint32_t lanes = a->store ? 0 : a->lanes & ~w->aborted;
        if (lanes != 0 && !cw_getm__log_room(c, 2 * cw_inst_words(a->inst)))
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
    struct cw_getm_core *c = self;
    (void)now;
    if (cookie & CW_GETM_COOKIE_POSTED)
        c->warp[warp].posted--;
    else if (cookie & CW_GETM_COOKIE_RESOLVE)
        c->warp[warp].back++;
    else {
        c->access[cookie].log_reads--;
        complete(c, c->access + cookie);
    }
}

/* Replies */

static void take_values(struct cw_getm_access *a, const struct cw_packet *p)
{
    uint32_t length = cw_getm_bytes(p);
    for (uint32_t rest = p->lanes & ~p->aborted_lanes; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), own = a->raw ? a->own[lane] : 0;
        const uint8_t *from = p->u.data + p->lane_offset[lane];
        if (own == 0)
            memcpy(a->bytes[lane], from, length);
        else
            for (uint32_t b = 0; b < length; b++)
                if ((own >> b & 1) == 0)
                    a->bytes[lane][b] = from[b];
    }
}

static void count_granted(struct cw_getm_core *c, struct cw_getm_warp *w, const struct cw_packet *p)
{
    uint64_t first = cw_getm_granule(c->tm, p->addr);
    for (uint32_t rest = p->outcome[CW_GETM_GRANTED]; rest != 0; rest &= rest - 1)
        if (cw_write_set_count(&w->set, first + (uint32_t)__builtin_ctz(rest)) != CW_OK)
            cw_getm__fault(c->tm, CW_ENOMEM, "out of host memory for a write set");
}

static void take_reply(struct cw_getm_core *c, struct cw_packet *p, cw_time now)
{
    struct cw_getm_access *a = c->access + p->tag;
    struct cw_getm_warp *w = c->warp + a->warp;
    if (a->store)
        count_granted(c, w, p);
    else
        take_values(a, p);
    if (p->aborted_lanes != 0) {
        uint64_t next = cw_getm__after(c->tm, p->warpts > w->warpts ? p->warpts : w->warpts, p->owner);
        if (next > w->next_warpts)
            w->next_warpts = next;
        cw_getm__abort_lanes(c, a->warp, p->aborted_lanes & ~w->aborted, p->outcome[CW_GETM_CAUSE], now);
    }
    a->packets--;
    complete(c, a);
}

/* Rollover */

static bool untouched(const struct cw_getm_warp *w)
{
    return w->requested == 0 && w->accesses == 0;
}

static void stop(struct cw_getm_core *c, cw_time now)
{
    c->stopped = true;
    c->acks_left = c->tm->config->partition_count;
    for (uint32_t i = 0; i < c->tm->config->core_warps; i++) {
        struct cw_getm_warp *w = c->warp + i;
        if (w->phase == CW_GETM_RUN && !untouched(w))
            cw_getm__abort_lanes(c, i, w->lanes & ~w->aborted, CW_VU_ROLLOVER, now);
    }
}

static void resume(struct cw_getm_core *c, cw_time now)
{
    c->stopped = false;
    c->largest = 0;
    for (uint32_t i = 0; i < c->tm->config->core_warps; i++) {
        struct cw_getm_warp *w = c->warp + i;
        w->warpts = w->next_warpts = cw_getm__at(c->tm, 0, cw_getm_owner(c->tm, c->index, i));
        if (w->phase == CW_GETM_HELD)
            cw_getm__restart(c, i, now);
    }
    cw_getm__wake_next(c, now);
}

/* Attempts that touched nothing may sleep in back-off or run on: nothing of theirs is in flight. */
static bool quiet(const struct cw_getm_core *c)
{
    if (c->log_first != NULL || c->spare != NULL || c->access_cnt > 0)
        return false;
    for (uint32_t i = 0; i < c->tm->config->core_warps; i++) {
        const struct cw_getm_warp *w = c->warp + i;
        bool parked = w->phase == CW_GETM_IDLE || w->phase == CW_GETM_TOKEN || w->phase == CW_GETM_HELD;
        if (!parked && !(w->phase == CW_GETM_RUN && untouched(w)))
            return false;
    }
    return true;
}

static void stopped_tick(struct cw_getm_core *c, cw_time now)
{
    for (; c->doomed != 0; c->doomed &= c->doomed - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(c->doomed);
        const struct cw_getm_warp *w = c->warp + warp;
        cw_getm__abort_lanes(c, warp, w->lanes & ~w->aborted, CW_VU_ROLLOVER, now);
    }
    if (!c->stopped || c->acks_left == 0 || !quiet(c))
        return;
    struct cw_packet *p = cw_packet_new(c->tm->cfg.pool);
    p->kind = CW_PK_TX_CONTROL;
    p->sub = CW_GETM_ACK;
    p->addr = CW_GLOBAL_BASE + (uint64_t)(c->acks_left - 1) * c->tm->config->partition_interleave;
    p->born = now;
    cw_packet_size(p, 0, c->tm->config->noc_header_bytes, c->tm->config->noc_flit_bytes);
    if (cw_core_send(c->core, p, now))
        c->acks_left--;
    else
        cw_packet_free(c->tm->cfg.pool, p);
}

static void reply(void *self, struct cw_packet *p, cw_time now)
{
    struct cw_getm_core *c = self;
    if (p->kind == CW_PK_TX_REPLY)
        take_reply(c, p, now);
    else if (p->sub == CW_GETM_DONE)
        c->warp[p->warp].acks--;
    else if (p->sub == CW_GETM_STOP)
        stop(c, now);
    else
        resume(c, now);
    cw_packet_free(c->tm->cfg.pool, p);
}

static cw_time tick(void *self, cw_time now)
{
    struct cw_getm_core *c = self;
    if (c->stopped || c->doomed != 0)
        stopped_tick(c, now);
    retire(c, now);
    log_tick(c, now);
    bool more = c->committing_cnt > 0 && cw_getm__commit_tick(c, now);
    send_tick(c, now);
    more |= c->log_op_cnt > 0 || c->log_first != NULL || c->spare != NULL || c->send.first != NULL || c->done.first != NULL ||
            (c->stopped && c->acks_left > 0);
    return more ? now + cw_getm_period(c->tm, CW_DOMAIN_CORE) : CW_TIME_NEVER;
}

static bool idle(const void *self)
{
    const struct cw_getm_core *c = self;
    for (uint32_t i = 0; i < c->tm->config->core_warps; i++)
        if (c->warp[i].phase != CW_GETM_IDLE || c->warp[i].posted > 0)
            return false;
    return c->access_cnt == 0 && c->log_first == NULL && c->spare == NULL && c->log_op_cnt == 0 && !c->stopped;
}

static void report(const void *self, FILE *out)
{
    static const char *const phase[] = {
        "no transaction",         "waits for a token", "runs",         "waits for its log writes", "waits for an ownership table",
        "2PCR: clears its table", "2PCR: marks",       "2PCR: checks", "walks its write log",      "sends its write log",
        "waits for the rollover"};
    const struct cw_getm_core *c = self;
    for (uint32_t i = 0; i < c->tm->config->core_warps; i++) {
        const struct cw_getm_warp *w = c->warp + i;
        if (w->phase == CW_GETM_IDLE)
            continue;
        fprintf(out, "core %u warp %u: transaction %s; warpts %llu, lanes 0x%08x, aborted 0x%08x, attempt %u", c->index, i, phase[w->phase],
                (unsigned long long)w->warpts, w->lanes, w->aborted, w->aborts + 1);
        for (uint32_t k = 0; k < ACCESSES; k++) {
            const struct cw_getm_access *a = c->access + k;
            if (w->accesses > 0 && a->inst != NULL && a->warp == i && a->packets > 0)
                fprintf(out, "; waits for %u validation replies to the %s of PTX line %u", a->packets, a->store ? "store" : "load",
                        a->inst->uop->line);
        }
        fprintf(out, "\n");
    }
}

const struct cw_core_tm_ops cw_getm__core_ops = {.begin = begin,
                                                 .access = access,
                                                 .commit = cw_getm__commit,
                                                 .reply = reply,
                                                 .log_done = log_done,
                                                 .tick = tick,
                                                 .idle = idle,
                                                 .report = report};

int cw_getm__core_create(struct cw_getm_core *c, struct cw_tm *tm, uint32_t index)
{
    const struct cw_config *config = tm->config;
    *c = (struct cw_getm_core){.tm = tm, .core = tm->cfg.core[index], .index = index, .tokens.limit = config->tm_warps};
    cw_rng_seed(&c->rng, tm->cfg.seed ^ ((uint64_t)index + 1) << 32);
    c->warp = calloc(config->core_warps, sizeof *c->warp);
    c->access = calloc(ACCESSES, sizeof *c->access);
    c->log_op = calloc(log_cap(c), sizeof *c->log_op);
    c->table = malloc(config->tm_ownership_entries);
    if (c->warp == NULL || c->access == NULL || c->log_op == NULL || c->table == NULL)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < ACCESSES; i++) {
        c->access[i].next = c->free;
        c->free = c->access + i;
    }
    for (uint32_t i = 0; i < config->core_warps; i++) {
        c->warp[i].warpts = cw_getm__at(tm, 0, cw_getm_owner(tm, index, i));
        c->warp[i].ticket = calloc(config->partition_count, sizeof *c->warp[i].ticket);
        if (c->warp[i].ticket == NULL)
            return CW_ENOMEM;
    }
    return CW_OK;
}

void cw_getm__core_destroy(struct cw_getm_core *c)
{
    for (uint32_t i = 0; c->warp != NULL && i < c->tm->config->core_warps; i++) {
        free(c->warp[i].ticket);
        cw_redo_log_free(&c->warp[i].log);
        cw_write_set_free(&c->warp[i].set);
    }
    free(c->warp);
    free(c->access);
    free(c->log_op);
    free(c->table);
}
