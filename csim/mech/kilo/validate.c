/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kilo TM family, core half: how a warp, or a probe of one, goes through the commit units.
 *
 *   ID      one commit ID per transaction, contiguous in the warp
 *   WALK    per log row two log reads, then a message per partition with the entries of all lanes; at the end DONE to every partition
 *   ANSWER  verdicts come in, decisions go out, acknowledgements come in
 *
 * Messages leave at one per core cycle; the walk shares the L1 port, oldest warp first.
 */
#include <assert.h>
#include <string.h>

#include "mech/kilo/core_half.h"

void cw_kilo__validate(struct cw_kilo_core *c, uint32_t warp, cw_lanes lanes, cw_time now)
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
    *cw_kilo__stage(w) = lanes != 0 ? CW_KILO_ID : CW_KILO_ANSWER;
    if (lanes == 0)
        return;
    uint32_t cycles = cw_kilo_arbitrated(c->tm) ? 1 : c->tm->keys->kilo_id_latency;
    w->request = (struct cw_kilo_request){
        .core = c->index, .warp = warp, .attempt = cw_core_attempt(c->core, warp), .members = lanes, .log = &w->log, .stamp = w->stamp};
    cw_fifo_push(c->tm->wires.ask + c->index, now, cycles * cw_kilo_period(c->tm, CW_DOMAIN_CORE), &w->request);
    c->asking++;
}

/* Walk */

static struct cw_message *new_log(const struct cw_kilo_core *c, const struct cw_kilo_warp *w, bool write, uint32_t part, cw_time now)
{
    struct cw_message *p = cw_kilo_message(c->tm, CW_MSG_OWN, write ? CW_KILO_WRITES : CW_KILO_READS, part,
                                           cw_kilo_log_bytes(cw_lanes_count(w->members)), now);
    p->lanes = w->members;
    cw_kilo_commit(p)->first = w->first_id;
    cw_kilo_commit(p)->epoch = w->epoch;
    cw_kilo_commit(p)->probe = w->probe;
    cw_kilo_log(p)->log.cnt = 0;
    return p;
}

/* Sends the entries of a row, one message per partition. */
static void send_row(struct cw_kilo_core *c, uint32_t warp, bool write, uint32_t row, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    const struct cw_config *config = c->tm->config;
    const struct cw_read_row *r = write ? NULL : w->log.read + row;
    const struct cw_write_row *s = write ? w->log.write + row : NULL;
    struct cw_message *to[CW_KILO_PARTITIONS] = {0};
    for (cw_lanes rest = w->members & (write ? s->lanes : r->lanes); rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t lane = cw_lanes_first(rest);
        uint64_t addr = write ? s->addr[lane] : r->addr[lane];
        uint32_t part = cw_address_partition(config, addr);
        if (to[part] == NULL)
            to[part] = new_log(c, w, write, part, now);
        struct cw_tx_log_body *log = &cw_kilo_log(to[part])->log;
        log->entry[log->cnt++] = (struct cw_log_entry){
            .addr = addr, .value = write ? s->value[lane] : r->value[lane], .bytes = write ? s->bytes[lane] : 15, .lane = (uint8_t)lane};
        w->touched[part] |= cw_lanes_one(lane);
        if (write)
            w->wrote[part] |= cw_lanes_one(lane);
    }
    for (uint32_t part = 0; part < config->partition_count; part++)
        if (to[part] != NULL) {
            cw_message_size(to[part], 8 * cw_kilo_log(to[part])->log.cnt, config->noc_header_bytes, config->noc_flit_bytes);
            cw_kilo__emit(c, warp, to[part]);
        }
}

/* A message without a log, about all members. */
static struct cw_message *new_control(const struct cw_kilo_core *c, const struct cw_kilo_warp *w, uint32_t op, uint32_t part, cw_time now)
{
    struct cw_message *p = cw_kilo_message(c->tm, CW_MSG_OWN, op, part, sizeof(struct cw_kilo_commit_body), now);
    p->lanes = w->members;
    cw_kilo_commit(p)->first = w->first_id;
    cw_kilo_commit(p)->epoch = w->epoch;
    return p;
}

static void send_done(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    for (uint32_t part = 0; part < c->tm->config->partition_count; part++) {
        struct cw_message *p = new_control(c, w, CW_KILO_DONE, part, now);
        cw_kilo_commit(p)->done.accessed = w->touched[part];
        cw_kilo_commit(p)->probe = w->probe;
        cw_kilo__emit(c, warp, p);
        if (w->touched[part] == 0)
            continue;
        if (c->tm->kind == CW_KILO_EL)
            w->acks++;
        else if (c->tm->aggregate)
            w->verdicts[0]++;
        else
            for (cw_lanes rest = w->touched[part]; rest != 0; rest = cw_lanes_rest(rest))
                w->verdicts[cw_lanes_first(rest)]++;
    }
    *cw_kilo__stage(w) = CW_KILO_ANSWER;
}

void cw_kilo__walk_step(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    uint32_t rows = w->rows_read + w->rows_written, row = w->walk.read / 2;
    bool write = row >= w->rows_read;
    cw_kilo__read_log(c, warp, 2 * rows, write, write ? row - w->rows_read : row, w->walk.read % 2 != 0, now);
    if (w->walk.step < w->walk.back / 2 && now >= w->walk_free) {
        write = w->walk.step >= w->rows_read;
        cw_lanes lanes = write ? w->log.write[w->walk.step - w->rows_read].lanes : w->log.read[w->walk.step].lanes;
        if (!c->tm->aggregate && c->tm->keys->kilo_walker == CW_KILO_ENTRY)
            w->walk_free = now + cw_lanes_count(lanes & w->members) * cw_kilo_period(c->tm, CW_DOMAIN_CORE);
        send_row(c, warp, write, write ? w->walk.step - w->rows_read : w->walk.step, now);
        w->walk.step++;
    }
    if (w->walk.step == rows && now >= w->walk_free)
        send_done(c, warp, now);
}

/* Verdicts and decisions */

static void decide(struct cw_kilo_core *c, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + warp;
    cw_lanes pass = lanes & ~w->failed, fail = lanes & w->failed;
    w->undecided &= ~lanes;
    if (!w->probe)
        cw_kilo__seal(c, warp, pass, now);
    cw_kilo__abort_lanes(c, warp, w->probe ? fail & w->lanes & ~w->aborted : fail, CW_KILO_BY_VALIDATION, now);
    for (uint32_t part = 0; part < c->tm->config->partition_count; part++) {
        cw_lanes waiting = w->passed_at[part] & lanes; /* entries that failed there have gone already */
        if (waiting == 0)
            continue;
        struct cw_message *p = new_control(c, w, CW_KILO_OUTCOME, part, now);
        cw_kilo_commit(p)->verdict.pass = waiting & pass;
        cw_kilo_commit(p)->verdict.fail = waiting & fail;
        cw_kilo__emit(c, warp, p);
        w->acks += (w->wrote[part] & pass) != 0;
    }
}

void cw_kilo__verdict(struct cw_kilo_core *c, const struct cw_message *p, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + p->warp;
    cw_lanes pass = cw_kilo_commit_of(p)->verdict.pass, fail = cw_kilo_commit_of(p)->verdict.fail;
    assert(*cw_kilo__stage(w) == CW_KILO_ANSWER && cw_kilo_commit_of(p)->first == w->first_id);
    w->passed_at[p->partition] |= pass;
    w->failed |= fail;
    if (c->tm->aggregate) {
        if (--w->verdicts[0] == 0)
            decide(c, p->warp, w->members, now);
        return;
    }
    uint32_t lane = cw_lanes_first(pass | fail);
    if (--w->verdicts[lane] == 0)
        decide(c, p->warp, cw_lanes_one(lane), now);
}

void cw_kilo__ack(struct cw_kilo_core *c, const struct cw_message *p)
{
    assert(c->warp[p->warp].acks > 0);
    c->warp[p->warp].acks--;
}

/* The arbiter has spoken: memory is as it will be. WarpTM-EL still sends the write logs, for the time and the traffic. */
static void take_decision(struct cw_kilo_core *c, const struct cw_kilo_request *r, cw_time now)
{
    struct cw_kilo_warp *w = c->warp + r->warp;
    cw_lanes fail = w->members & ~r->pass;
    cw_kilo__seal(c, r->warp, r->pass, now);
    cw_kilo__abort_lanes(c, r->warp, fail, CW_KILO_BY_VALIDATION, now);
    w->undecided = w->rows_read = 0;
    w->members = r->writers;
    if (c->tm->kind == CW_KILO_IDEAL || r->writers == 0)
        w->phase = CW_KILO_ANSWER;
}

void cw_kilo__take_grants(struct cw_kilo_core *c, cw_time now)
{
    const struct cw_kilo_request *r;
    while ((r = cw_fifo_pop(c->tm->wires.grant + c->index, now)) != NULL) {
        struct cw_kilo_warp *w = c->warp + r->warp;
        c->asking--;
        w->first_id = r->first;
        w->epoch = r->epoch;
        *cw_kilo__stage(w) = CW_KILO_WALK;
        if (cw_kilo_arbitrated(c->tm))
            take_decision(c, r, now);
    }
}
