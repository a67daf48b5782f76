/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kilo TM family, core half: what happens from tx_commit on. A committing warp passes through these phases:
 *
 *   DRAIN    its log writes reach the L1; then the first-read table is asked, and read-only transactions that it clears commit silently
 *   QUEUE .. intra-warp conflict resolution (kilo_resolve.c)
 *   ID       one commit ID per transaction, contiguous in the warp
 *   WALK     per log row two log reads, then a packet per partition with the entries of all lanes; at the end DONE or SKIP to every
 * partition ANSWER   verdicts come in, decisions go out, acknowledgements come in
 *
 * Messages leave at one per core cycle; the walk shares the L1 port, oldest warp first.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mech/kilo/kilo_state.h"
#include "mech/tm/backoff.h"
#include "mech/tm/write_set.h"

/* The phase that kilo_commit.c moves: that of the warp, or of a validation while it runs. */
static enum cw_kilo_phase *stage(struct cw_kilo_warp *w)
{
    return w->probe ? &w->probe_phase : &w->phase;
}

void cw_kilo__commit(void *self, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_kilo_core *c = self;
    struct cw_kilo_warp *w = c->warp + warp;
    assert(w->phase == CW_KILO_RUN && c->access.warp[warp].accesses == 0 && lanes == (w->lanes & ~w->aborted));
    c->tm->cfg.stats->tx_exec_cycles += (now - w->begun) / cw_kilo_period(c->tm, CW_DOMAIN_CORE);
    w->phase = CW_KILO_DRAIN;
    w->ready = lanes;
    w->ended = now;
    c->committing[c->committing_cnt++] = (uint8_t)warp;
}

/* Commit */

static void tell_observer(struct cw_kilo_core *c, const struct cw_kilo_warp *w, uint32_t lane, const struct cw_write_set *s, cw_time now)
{
    const struct cw_tm_observer *o = c->tm->cfg.observer;
    uint64_t *addr = malloc((s->word_cnt + 1) * sizeof *addr);
    uint32_t *value = malloc((s->word_cnt + 1) * sizeof *value);
    if (addr == NULL || value == NULL)
        cw_kilo__fault(c->tm, CW_ENOMEM, "out of host memory for the serializability oracle");
    for (uint32_t i = 0; addr != NULL && value != NULL && i < s->word_cnt; i++) {
        addr[i] = s->word[i].addr;
        value[i] = s->word[i].value;
    }
    if (addr != NULL && value != NULL)
        o->commit(o->self, w->attempt[lane], s->word_cnt, addr, value, now);
    free(addr);
    free(value);
}

void cw_kilo__seal(struct cw_kilo_core *c, uint32_t warp, uint32_t lanes, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    struct cw_stats *stats = c->tm->cfg.stats;
    struct cw_write_set set = {0};
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        cw_write_set_clear(&set);
        if (cw_write_set_merge(&set, &w->log, 1u << lane, CW_GLOBAL_BASE, 5) != CW_OK)
            cw_kilo__fault(c->tm, CW_ENOMEM, "out of host memory for a write set");
        stats->tx_write_words += set.word_cnt;
        stats->tx_read_only += set.word_cnt == 0;
        if (c->tm->cfg.observer != NULL)
            tell_observer(c, w, lane, &set, now);
    }
    cw_write_set_free(&set);
    for (uint32_t i = 0; i < w->log.read_cnt; i++)
        stats->tx_read_words += cw_kilo_lane_cnt(w->log.read[i].lanes & lanes);
    stats->tx_committed += cw_kilo_lane_cnt(lanes);
    *c->tm->cfg.progress += cw_kilo_lane_cnt(lanes);
}

/* End of an attempt */

static void restart(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    uint64_t delay = c->tm->kind == CW_KILO_IDEAL ? 0 : cw_backoff_linear_cycles(c->tm->config, w->aborts);
    c->tm->cfg.stats->tx_backoff_cycles += delay;
    cw_attempt_waited(&c->tm->cfg, w->tx_lanes, delay);
    w->done = now + delay * cw_kilo_period(c->tm, CW_DOMAIN_CORE);
    cw_kilo__begin_attempt(c, warp, w->aborted, w->done);
    cw_core_tx_end(c->core, warp, now, w->done);
}

static void finish_attempt(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    cw_attempt_end(&c->tm->cfg, w->tx_lanes, w->lanes, w->begun, w->ended, now);
    w->done = now;
    assert(w->aborted == cw_core_tx_aborted(c->core, warp));
    if (w->aborted != 0) {
        w->aborts++;
        restart(c, warp, now);
        return;
    }
    w->phase = CW_KILO_IDLE;
    cw_tokens_release(&c->tokens);
    cw_core_tx_end(c->core, warp, now, now);
    int next = cw_tokens_next(&c->tokens);
    if (next >= 0)
        cw_core_wake_warp(c->core, (uint32_t)next, now);
}

/* Before the commit units */

static void lanes_with_accesses(const struct cw_kilo_warp *w, uint32_t *reads, uint32_t *writes)
{
    *reads = *writes = 0;
    for (uint32_t i = 0; i < w->log.read_cnt; i++)
        *reads |= w->log.read[i].lanes;
    for (uint32_t i = 0; i < w->log.write_cnt; i++)
        *writes |= w->log.write[i].lanes;
}

/* Whether it is known which lanes of a warp at tx_commit may commit without validation: *silent, the empty ones, and read-only ones that
 * saw a snapshot (Fung 2015, 6.4.4). */
static bool judge_silent(struct cw_kilo_core *c, uint32_t warp, uint32_t *silent)
{
    struct cw_kilo_warp *w = c->warp + warp;
    struct cw_stats *stats = c->tm->cfg.stats;
    uint32_t reads, writes, conflict;
    cw_lanes found;
    lanes_with_accesses(w, &reads, &writes);
    *silent = w->ready & ~reads & ~writes;
    uint32_t only = w->ready & reads & ~writes;
    if (c->first_read == NULL || only == 0)
        return true;
    if (!cw_adapt_first_read_table_ask(c->first_read, warp, &found))
        return false;
    conflict = (uint32_t)found;
    *silent |= only & ~conflict;
    stats->tx_silent += cw_kilo_lane_cnt(only & ~conflict);
    stats->tx_silent_failed += cw_kilo_lane_cnt(only & conflict);
    return true;
}

static void ask(struct cw_kilo_core *c, uint32_t warp, uint32_t lanes, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    w->members = w->undecided = lanes;
    w->failed = w->acks = 0;
    w->walk = (struct cw_log_walk){0};
    w->rows_read = w->log.read_cnt;
    w->rows_written = w->probe ? 0 : w->log.write_cnt;
    memset(w->touched, 0, sizeof w->touched);
    memset(w->wrote, 0, sizeof w->wrote);
    memset(w->passed_at, 0, sizeof w->passed_at);
    memset(w->verdicts, 0, sizeof w->verdicts);
    *stage(w) = w->members != 0 ? CW_KILO_ID : CW_KILO_ANSWER;
    if (w->members != 0)
        cw_kilo__ask_id(c, warp, cw_kilo_lane_cnt(w->members), now);
}

/* Walk */

/* Sends the entries of a row, one packet per partition. */
static void send_row(struct cw_kilo_core *c, uint32_t warp, bool write, uint32_t row, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    const struct cw_config *config = c->tm->config;
    const struct cw_read_row *r = write ? NULL : w->log.read + row;
    const struct cw_write_row *s = write ? w->log.write + row : NULL;
    struct cw_message *packet[CW_KILO_PARTITIONS] = {0};
    for (uint32_t rest = w->members & (write ? s->lanes : r->lanes); rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t addr = write ? s->addr[lane] : r->addr[lane];
        uint32_t part = cw_address_partition(config, addr);
        struct cw_message *p = packet[part];
        if (p == NULL) {
            p = packet[part] = cw_kilo__message(c->tm, CW_MSG_OWN, write ? CW_KILO_WRITES : CW_KILO_READS, part, now);
            p->lanes = w->members;
            cw_kilo_commit(p)->first = w->first_id;
            cw_kilo_commit(p)->epoch = w->epoch;
            cw_kilo_commit(p)->probe = w->probe;
            cw_kilo_commit(p)->log.cnt = 0;
        }
        cw_kilo_commit(p)->log.entry[cw_kilo_commit(p)->log.cnt++] = (struct cw_log_entry){
            .addr = addr, .value = write ? s->value[lane] : r->value[lane], .bytes = write ? s->bytes[lane] : 15, .lane = (uint8_t)lane};
        w->touched[part] |= 1u << lane;
        if (write)
            w->wrote[part] |= 1u << lane;
    }
    for (uint32_t part = 0; part < config->partition_count; part++)
        if (packet[part] != NULL) {
            cw_message_size(packet[part], 8 * cw_kilo_commit(packet[part])->log.cnt, config->noc_header_bytes, config->noc_flit_bytes);
            cw_kilo__emit(c, warp, packet[part]);
        }
}

static void send_done(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    for (uint32_t part = 0; part < c->tm->config->partition_count; part++) {
        struct cw_message *p = cw_kilo__message(c->tm, CW_MSG_OWN, CW_KILO_DONE, part, now);
        p->lanes = w->members;
        cw_kilo_commit(p)->first = w->first_id;
        cw_kilo_commit(p)->epoch = w->epoch;
        cw_kilo_commit(p)->pass = w->touched[part];
        cw_kilo_commit(p)->probe = w->probe;
        cw_kilo__emit(c, warp, p);
        if (w->touched[part] == 0)
            continue;
        if (c->tm->kind == CW_KILO_EL)
            w->acks++;
        else if (c->tm->aggregate)
            w->verdicts[0]++;
        else
            for (uint32_t rest = w->touched[part]; rest != 0; rest &= rest - 1)
                w->verdicts[__builtin_ctz(rest)]++;
    }
    *stage(w) = CW_KILO_ANSWER;
}

static void walk_step(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    uint32_t rows = w->rows_read + w->rows_written, row = w->walk.read / 2;
    bool write = row >= w->rows_read;
    cw_kilo__read_log(c, warp, 2 * rows, write, write ? row - w->rows_read : row, w->walk.read % 2 != 0, now);
    if (w->walk.step < w->walk.back / 2 && now >= w->walk_free) {
        write = w->walk.step >= w->rows_read;
        const uint32_t *lanes = write ? &w->log.write[w->walk.step - w->rows_read].lanes : &w->log.read[w->walk.step].lanes;
        if (!c->tm->aggregate && c->tm->config->kilo_walker == CW_KILO_ENTRY)
            w->walk_free = now + cw_kilo_lane_cnt(*lanes & w->members) * cw_kilo_period(c->tm, CW_DOMAIN_CORE);
        send_row(c, warp, write, write ? w->walk.step - w->rows_read : w->walk.step, now);
        w->walk.step++;
    }
    if (w->walk.step == rows && now >= w->walk_free)
        send_done(c, warp, now);
}

/* Verdicts and decisions */

static void send_outcome(struct cw_kilo_core *c, uint32_t warp, uint32_t part, uint32_t pass, uint32_t fail, cw_time now)
{
    struct cw_message *p = cw_kilo__message(c->tm, CW_MSG_OWN, CW_KILO_OUTCOME, part, now);
    cw_kilo_commit(p)->first = c->warp[warp].first_id;
    cw_kilo_commit(p)->epoch = c->warp[warp].epoch;
    p->lanes = c->warp[warp].members;
    cw_kilo_commit(p)->pass = pass;
    cw_kilo_commit(p)->fail = fail;
    cw_kilo__emit(c, warp, p);
}

static void decide(struct cw_kilo_core *c, uint32_t warp, uint32_t lanes, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    uint32_t pass = lanes & ~w->failed, fail = lanes & w->failed;
    w->undecided &= ~lanes;
    if (!w->probe)
        cw_kilo__seal(c, warp, pass, now);
    cw_kilo__abort_lanes(c, warp, w->probe ? fail & w->lanes & ~w->aborted : fail, CW_KILO_BY_VALIDATION, now);
    for (uint32_t part = 0; part < c->tm->config->partition_count; part++) {
        uint32_t waiting = w->passed_at[part] & lanes; /* entries that failed there have gone already */
        if (waiting == 0)
            continue;
        send_outcome(c, warp, part, waiting & pass, waiting & fail, now);
        w->acks += (w->wrote[part] & pass) != 0;
    }
}

void cw_kilo__verdict(struct cw_kilo_core *c, const struct cw_message *p, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + p->warp;
    uint32_t pass = cw_kilo_commit(p)->pass, fail = cw_kilo_commit(p)->fail;
    assert(*stage(w) == CW_KILO_ANSWER && cw_kilo_commit(p)->first == w->first_id);
    w->passed_at[p->partition] |= pass;
    w->failed |= fail;
    if (c->tm->aggregate) {
        if (--w->verdicts[0] == 0)
            decide(c, p->warp, w->members, now);
        return;
    }
    uint32_t lane = (uint32_t)__builtin_ctz(pass | fail);
    if (--w->verdicts[lane] == 0)
        decide(c, p->warp, 1u << lane, now);
}

void cw_kilo__ack(struct cw_kilo_core *c, const struct cw_message *p)
{
    assert(c->warp[p->warp].acks > 0);
    c->warp[p->warp].acks--;
}

/* Sets that did not fit into a commit unit's buffer (Fung 2015, 4.2.5, unbounded transactions) */

void cw_kilo__resend(struct cw_kilo_core *c, const struct cw_message *p)
{
    assert(c->resend_cnt < CW_KILO_RESENDS && *stage(c->warp + p->warp) == CW_KILO_ANSWER);
    c->resend[(c->resend_head + c->resend_cnt++) % CW_KILO_RESENDS] =
        (struct cw_kilo_resend){.first_id = cw_kilo_commit(p)->first,
                                .warp = (uint8_t)p->warp,
                                .lane = (uint8_t)__builtin_ctz(cw_kilo_commit(p)->pass),
                                .partition = (uint8_t)p->partition,
                                .write = cw_kilo_commit(p)->fail != 0};
}

/* The row's word of that lane, if it lies in the partition. */
static void resend_row(struct cw_kilo_core *c, const struct cw_kilo_resend *r, cw_time now)
{
    const struct cw_kilo_warp *w = c->warp + r->warp;
    const struct cw_config *config = c->tm->config;
    uint32_t lanes = r->write ? w->log.write[r->row].lanes : w->log.read[r->row].lanes;
    uint64_t addr = r->write ? w->log.write[r->row].addr[r->lane] : w->log.read[r->row].addr[r->lane];
    if ((lanes >> r->lane & 1) == 0 || cw_address_partition(config, addr) != r->partition)
        return;
    struct cw_message *p =
        cw_kilo__message(c->tm, CW_MSG_OWN, (r->write ? CW_KILO_WRITES : CW_KILO_READS) | CW_KILO_AGAIN, r->partition, now);
    p->lanes = w->members;
    cw_kilo_commit(p)->first = r->first_id;
    cw_kilo_commit(p)->epoch = w->epoch;
    cw_kilo_commit(p)->log.cnt = 1;
    cw_kilo_commit(p)->log.entry[0] =
        (struct cw_log_entry){.addr = addr,
                              .value = r->write ? w->log.write[r->row].value[r->lane] : w->log.read[r->row].value[r->lane],
                              .bytes = r->write ? w->log.write[r->row].bytes[r->lane] : 15,
                              .lane = r->lane};
    cw_message_size(p, 8, config->noc_header_bytes, config->noc_flit_bytes);
    cw_kilo__emit(c, r->warp, p);
}

/* One log access of the oldest request; addresses and values of a row are two. */
static void resend_step(struct cw_kilo_core *c, cw_time now)
{
    struct cw_kilo_resend *r = c->resend + c->resend_head;
    const struct cw_kilo_warp *w = c->warp + r->warp;
    uint32_t rows = r->write ? w->log.write_cnt : w->log.read_cnt, max = c->tm->config->tm_log_entries;
    if (r->row < rows) {
        uint32_t word = cw_redo_log_word(r->write, r->row % max, r->half, max);
        if (!cw_core_tx_log_access(c->core, r->warp, word, false, CW_LOG_COOKIE_RESOLVE, now))
            return;
        r->half = !r->half;
        if (!r->half)
            resend_row(c, r, now);
        r->row += !r->half;
        return;
    }
    struct cw_message *p = cw_kilo__message(c->tm, CW_MSG_OWN, CW_KILO_EOS, r->partition, now);
    p->lanes = w->members;
    cw_kilo_commit(p)->first = r->first_id;
    cw_kilo_commit(p)->epoch = w->epoch;
    cw_kilo_commit(p)->pass = 1u << r->lane;
    cw_kilo_commit(p)->fail = r->write;
    cw_kilo__emit(c, r->warp, p);
    c->resend_head = (c->resend_head + 1) % CW_KILO_RESENDS;
    c->resend_cnt--;
}

/* The arbiter has spoken: memory is as it will be. WarpTM-EL still sends the write logs, for the time and the traffic. */
static void take_decision(struct cw_kilo_core *c, const struct cw_kilo_grant *g, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + g->warp;
    uint32_t fail = w->members & ~g->pass;
    cw_kilo__seal(c, g->warp, g->pass, now);
    cw_kilo__abort_lanes(c, g->warp, fail, CW_KILO_BY_VALIDATION, now);
    w->undecided = w->rows_read = 0;
    w->members = g->writers;
    if (c->tm->kind == CW_KILO_IDEAL || g->writers == 0)
        w->phase = CW_KILO_ANSWER;
}

/* Ticks */

static void take_grants(struct cw_kilo_core *c, cw_time now)
{
    struct cw_kilo_grant *g;
    while ((g = cw_fifo_pop(&c->grant, now)) != NULL) {
        struct cw_kilo_warp *w = c->warp + g->warp;
        c->asking--;
        w->first_id = g->first;
        w->epoch = g->epoch;
        *stage(w) = CW_KILO_WALK;
        if (cw_kilo_arbitrated(c->tm))
            take_decision(c, g, now);
    }
}

/* Log writes are done. */
static void leave_drain(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    uint32_t silent;
    w->ready &= ~w->aborted; /* a validation by the watchdog may have come in between */
    if (!judge_silent(c, warp, &silent))
        return;
    w->ready &= ~silent;
    cw_kilo__seal(c, warp, silent, now);
    if (cw_kilo__resolve_needed(c, w))
        w->phase = CW_KILO_QUEUE;
    else
        ask(c, warp, w->ready, now);
}

/* Whether the warp can do something in the next cycle without an event. */
static bool advance(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    bool drained = c->access.warp[warp].posted == 0 && !w->probe;
    if (w->phase == CW_KILO_DRAIN && drained) {
        leave_drain(c, warp, now);
    } else if (w->phase >= CW_KILO_QUEUE && w->phase <= CW_KILO_SCAN) {
        if (cw_kilo__resolve_step(c, warp, now))
            ask(c, warp, w->ready, now);
    } else if (w->phase == CW_KILO_WALK) {
        walk_step(c, warp, now);
    }
    return (w->phase != CW_KILO_DRAIN || drained) && (w->phase != CW_KILO_ANSWER || (w->undecided == 0 && w->acks == 0));
}

void cw_kilo__watchdog(struct cw_kilo_core *c, cw_time now)
{
    cw_time limit = c->tm->config->kilo_watchdog_cycles * cw_kilo_period(c->tm, CW_DOMAIN_CORE);
    c->watchdog = now + limit / 4;
    if (cw_kilo_arbitrated(c->tm)) /* it has no need: what is doomed is aborted */
        return;
    for (uint32_t i = 0; i < c->tm->config->core_warps; i++) {
        struct cw_kilo_warp *w = c->warp + i;
        cw_time since = w->begun > w->probe_at ? w->begun : w->probe_at;
        uint32_t reads, writes;
        lanes_with_accesses(w, &reads, &writes);
        reads &= w->lanes & ~w->aborted;
        if (w->phase != CW_KILO_RUN || w->probe || reads == 0 || now < since + limit)
            continue;
        w->probe = true;
        c->probing[c->probing_cnt++] = (uint8_t)i;
        c->tm->cfg.stats->tx_probes++;
        ask(c, i, reads, now);
    }
}

static bool probe_tick(struct cw_kilo_core *c, cw_time now)
{
    uint32_t kept = 0;
    bool more = false;
    for (uint32_t i = 0; i < c->probing_cnt; i++) {
        struct cw_kilo_warp *w = c->warp + c->probing[i];
        if (w->probe_phase == CW_KILO_WALK)
            walk_step(c, c->probing[i], now);
        if (w->probe_phase == CW_KILO_ANSWER && w->undecided == 0 && c->access.warp[c->probing[i]].messages == 0) {
            w->probe = false;
            w->probe_at = now;
            more = true; /* its commit may have waited for this */
            continue;
        }
        more |= w->probe_phase != CW_KILO_ANSWER || w->undecided == 0;
        c->probing[kept++] = c->probing[i];
    }
    c->probing_cnt = kept;
    return more;
}

bool cw_kilo__commit_tick(struct cw_kilo_core *c, cw_time now)
{
    uint32_t kept = 0;
    bool more = false;
    take_grants(c, now);
    if (c->resend_cnt > 0)
        resend_step(c, now);
    more = probe_tick(c, now);
    for (uint32_t i = 0; i < c->committing_cnt; i++) {
        uint32_t warp = c->committing[i];
        struct cw_kilo_warp *w = c->warp + warp;
        if (w->phase == CW_KILO_ANSWER && w->undecided == 0 && c->access.warp[warp].messages == 0 && w->acks == 0) {
            finish_attempt(c, warp, now);
            continue;
        }
        more |= advance(c, warp, now);
        c->committing[kept++] = (uint8_t)warp;
    }
    c->committing_cnt = kept;
    return more;
}
