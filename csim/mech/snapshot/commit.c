/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshot isolation, core half: what happens from tx_commit on (SI-TM Figure 12, steps 3 to 6).
 *
 *   DRAIN      log writes reach the L1, all edges are dated; then the logical times are final, and the snapshot is given back. Lanes
 * without writes have committed. The others ask for a version WALK       per row of the write log two log reads, then a message per
 * partition; at the end DONE VERDICTS   the commit units have compared the words ADMISSION  a version takes writes; the outcome goes to the
 * commit units ACKS       the words are in memory CLOSE      the version is readable BACKOFF    lanes that have aborted wait, and begin
 * again
 */
#include <assert.h>
#include <string.h>

#include "mech/snapshot/core_half.h"
#include "mech/tm/attempt.h"
#include "mech/tm/backoff.h"

void cw_si__commit(void *self, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_si_core *c = self;
    struct cw_si_warp *w = c->warp + warp;
    assert(w->phase == CW_SI_RUN && c->access.warp[warp].accesses == 0);
    (void)lanes;
    c->tm->common.counters->tx_exec_cycles += (now - w->begun) / cw_si_period(c->tm, CW_DOMAIN_CORE);
    w->phase = CW_SI_DRAIN;
    w->ended = now;
    cw_si__make_busy(c, warp);
}

/* Lanes have committed: counts them, and tells their write sets. */
static void count_committed(struct cw_si_core *c, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_si_warp *w = c->warp + warp;
    struct cw_tm_counters *counters = c->tm->common.counters;
    struct cw_write_set set = {0};
    for (cw_lanes rest = lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        const cw_lanes lane = cw_lanes_one(cw_lanes_first(rest));
        cw_write_set_clear(&set);
        if (cw_write_set_merge(&set, &w->log, lane, CW_GLOBAL_BASE, 5) != CW_OK)
            cw_mech_fault(&c->tm->host, CW_ENOMEM, "out of host memory for a write set");
        counters->tx_write_words += set.word_cnt;
        counters->tx_read_only += set.word_cnt == 0;
        cw_tell_commits(&c->tm->host, cw_si__attempt_name(c, warp), lane, &set, now);
    }
    cw_write_set_free(&set);
    for (uint32_t i = 0; i < w->log.read_cnt; i++)
        counters->tx_read_words += cw_lanes_count(w->log.read[i].lanes & lanes);
    counters->tx_committed += cw_lanes_count(lanes);
    *c->tm->host.progress += cw_lanes_count(lanes);
}

/* Everything of the running attempt is back. */
static void leave_drain(struct cw_si_core *c, uint32_t warp, cw_time now)
{
    struct cw_si_warp *w = c->warp + warp;
    const cw_lanes ready = w->lanes & ~w->aborted;
    w->writers = 0;
    for (uint32_t i = 0; i < w->log.write_cnt; i++)
        w->writers |= w->log.write[i].lanes & ready;
    w->members = w->writers;
    w->failed = 0;
    w->admitted = false;
    w->walk = (struct cw_log_walk){0};
    w->verdicts = w->acks = 0;
    memset(w->touched, 0, sizeof w->touched);
    if (ready != 0)
        cw_si__ask(c, warp, CW_SI_SEAL, ready, w->writers, now);
    count_committed(c, warp, ready & ~w->writers, now);
    w->phase = w->writers != 0 ? CW_SI_WALK : CW_SI_BACKOFF;
    w->waiting = now;
}

/* Walk */

static struct cw_message *control(struct cw_si_core *c, const struct cw_si_warp *w, uint32_t op, uint32_t part, size_t bytes, cw_time now)
{
    const uint64_t addr = CW_GLOBAL_BASE + (uint64_t)part * c->tm->config->partition_interleave;
    struct cw_message *p = cw_mech_message(&c->tm->host, CW_MSG_OWN, op, addr, bytes, now);
    *cw_si_commit(p) = (struct cw_si_commit_body){0};
    p->lanes = w->members;
    return p;
}

static void emit(struct cw_si_core *c, uint32_t warp, struct cw_message *p)
{
    p->core = (uint16_t)c->index;
    p->attempt = cw_core_attempt(c->core, warp);
    cw_access_emit(&c->access, warp, p);
}

static void send_row(struct cw_si_core *c, uint32_t warp, const struct cw_write_row *row, cw_time now)
{
    struct cw_si_warp *w = c->warp + warp;
    const struct cw_config *config = c->tm->config;
    struct cw_message *to[CW_SI_PARTITIONS] = {0};
    for (cw_lanes rest = w->members & row->lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        const uint32_t lane = cw_lanes_first(rest), part = cw_address_partition(config, row->addr[lane]);
        if (to[part] == NULL) {
            to[part] = control(c, w, CW_SI_WRITES, part, cw_si_log_bytes(cw_lanes_count(w->members)), now);
            cw_si_log(to[part])->log.cnt = 0;
        }
        struct cw_tx_log_body *log = &cw_si_log(to[part])->log;
        log->entry[log->cnt++] =
            (struct cw_log_entry){.addr = row->addr[lane], .value = row->value[lane], .bytes = row->bytes[lane], .lane = (uint8_t)lane};
        w->touched[part] |= cw_lanes_one(lane);
    }
    for (uint32_t part = 0; part < config->partition_count; part++)
        if (to[part] != NULL) {
            cw_message_size(to[part], 8 * cw_si_log(to[part])->log.cnt, config->noc_header_bytes, config->noc_flit_bytes);
            emit(c, warp, to[part]);
        }
}

static void send_done(struct cw_si_core *c, uint32_t warp, cw_time now)
{
    struct cw_si_warp *w = c->warp + warp;
    for (uint32_t part = 0; part < c->tm->config->partition_count; part++) {
        if (w->touched[part] == 0)
            continue;
        struct cw_message *p = control(c, w, CW_SI_DONE, part, sizeof(struct cw_si_commit_body), now);
        cw_si_commit(p)->accessed = w->touched[part];
        emit(c, warp, p);
        w->verdicts++;
    }
    w->phase = CW_SI_VERDICTS;
}

static void walk_step(struct cw_si_core *c, uint32_t warp, cw_time now)
{
    struct cw_si_warp *w = c->warp + warp;
    const uint32_t rows = w->log.write_cnt, max = c->tm->common.keys->tm_log_entries, row = w->walk.read / 2;
    cw_log_walk_read(&w->walk, c->core, warp, 2 * rows, cw_redo_log_word(true, row % max, w->walk.read % 2 != 0, max), now);
    if (w->walk.step < w->walk.back / 2)
        send_row(c, warp, w->log.write + w->walk.step++, now);
    if (w->walk.step == rows)
        send_done(c, warp, now);
}

/* Decision */

void cw_si__verdict(struct cw_si_core *c, const struct cw_message *p, cw_time now)
{
    struct cw_si_warp *w = c->warp + p->warp;
    w->failed |= cw_si_commit_of(p)->fail;
    if (--w->verdicts > 0)
        return;
    w->phase = CW_SI_ADMISSION;
    w->decided = now;
}

void cw_si__ack(struct cw_si_core *c, const struct cw_message *p)
{
    c->warp[p->warp].acks--;
}

/* The version takes the warp's writes: the fate of its lanes is sealed. */
static void decide(struct cw_si_core *c, uint32_t warp, cw_time now)
{
    struct cw_si_warp *w = c->warp + warp;
    const cw_lanes pass = w->members & ~w->failed;
    c->tm->counters->si_commit_waits += (now - w->decided) / cw_si_period(c->tm, CW_DOMAIN_CORE);
    count_committed(c, warp, pass, now);
    w->told |= w->failed; /* the version manager hears of these with the writes */
    cw_si__abort_lanes(c, warp, w->failed, CW_SI_BY_WRITE_WRITE, now);
    for (uint32_t part = 0; part < c->tm->config->partition_count; part++) {
        if (w->touched[part] == 0)
            continue;
        struct cw_message *p = control(c, w, CW_SI_OUTCOME, part, sizeof(struct cw_si_commit_body), now);
        cw_si_commit(p)->pass = pass;
        cw_si_commit(p)->slot = w->slot;
        emit(c, warp, p);
        w->acks += (w->touched[part] & pass) != 0;
    }
    w->phase = CW_SI_ACKS;
}

/* End of an attempt */

static void finish(struct cw_si_core *c, uint32_t warp, cw_time now)
{
    struct cw_si_warp *w = c->warp + warp;
    w->phase = CW_SI_IDLE;
    cw_tokens_release(&c->tokens);
    cw_core_region_end(c->core, warp, now, now);
    cw_tokens_wake_next(&c->tokens, c->core, now);
}

/* The attempt is over for the lanes that have committed. Those that have aborted wait. Returns when the next step is due. */
static cw_time back_off(struct cw_si_core *c, uint32_t warp, cw_time now)
{
    struct cw_si_warp *w = c->warp + warp;
    if (w->waiting == now) { /* just over */
        cw_attempt_end(&c->tm->common, w->tx_lanes, w->lanes, w->begun, w->ended, now);
        w->in_vain = w->aborted == w->lanes ? w->in_vain + 1 : 0;
        w->again = cw_core_region_aborted(c->core, warp);
        if (w->again == 0) {
            finish(c, warp, now);
            return CW_TIME_NEVER;
        }
        if (w->in_vain >= c->tm->keys->si_alone_after) {
            w->again = cw_lanes_one(cw_lanes_first(w->again));
            c->tm->counters->si_alone++;
        }
        const uint64_t delay = cw_backoff_cycles(c->tm->common.keys, &c->rng, ++w->aborts);
        c->tm->common.counters->tx_backoff_cycles += delay;
        cw_attempt_waited(&c->tm->common, (uint32_t)w->tx_lanes, delay);
        w->done = now + delay * cw_si_period(c->tm, CW_DOMAIN_CORE);
    }
    if (now < w->done)
        return w->done;
    cw_si__ask(c, warp, CW_SI_BEGIN, w->again, 0, now);
    w->phase = CW_SI_ASK_AGAIN;
    return CW_TIME_NEVER;
}

cw_time cw_si__commit_advance(struct cw_si_core *c, uint32_t warp, cw_time now)
{
    struct cw_si_warp *w = c->warp + warp;
    const cw_time soon = now + cw_si_period(c->tm, CW_DOMAIN_CORE);
    const bool drained = c->access.warp[warp].posted == 0 && w->dates == 0;
    if (w->phase == CW_SI_DRAIN && drained && (w->aborted & ~w->told) == 0) {
        leave_drain(c, warp, now);
        return w->phase == CW_SI_BACKOFF ? back_off(c, warp, now) : soon;
    }
    if (w->phase == CW_SI_WALK) {
        walk_step(c, warp, now);
        return soon;
    }
    if (w->phase == CW_SI_ADMISSION && w->admitted) {
        decide(c, warp, now);
        return soon;
    }
    if (w->phase == CW_SI_ACKS && w->acks == 0 && c->access.warp[warp].messages == 0) {
        cw_si__ask(c, warp, CW_SI_WRITTEN, w->members & ~w->failed, w->members, now);
        w->phase = CW_SI_CLOSE;
        return CW_TIME_NEVER;
    }
    return w->phase == CW_SI_BACKOFF ? back_off(c, warp, now) : CW_TIME_NEVER;
}
