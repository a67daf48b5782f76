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

#include "mech/kilo/core/core_half.h"

void cw_kilo__validate(struct cw_kilo_core *c, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_tm_warp *w = c->half.warp + warp;
    struct cw_kilo_warp *own = c->warp + warp;
    own->members = own->undecided = lanes;
    own->failed = own->acks = 0;
    w->walk = (struct cw_log_walk){0};
    own->rows_read = w->log.read_cnt;
    own->rows_written = own->probe ? 0 : w->log.write_cnt;
    cw_tm_core_clear_touched(&c->half, warp);
    memset(own->passed_at, 0, sizeof own->passed_at);
    memset(own->verdicts, 0, sizeof own->verdicts);
    *cw_kilo__stage(c, warp) = lanes != 0 ? CW_KILO_ID : CW_KILO_ANSWER;
    if (lanes == 0)
        return;
    struct cw_kilo_request *r = cw_kilo_request_of(&c->tm->wires, c->half.index, warp);
    *r = (struct cw_kilo_request){.core = c->half.index,
                                  .warp = warp,
                                  .attempt = cw_core_attempt(c->half.core, warp),
                                  .members = lanes,
                                  .log = &w->log,
                                  .stamp = own->stamp};
    cw_fifo_push(c->tm->wires.ask + c->half.index, now, c->tm->ask_cycles * c->half.period, r);
    c->asking++;
}

/* Walk */

static struct cw_message *about_members(const struct cw_kilo_core *c, uint32_t warp, uint32_t op, uint32_t part, uint32_t entries,
                                        cw_time now)
{
    const struct cw_kilo_warp *own = c->warp + warp;
    struct cw_message *p = cw_kilo_message(c->tm, CW_MSG_OWN, op, part, entries, now);
    p->lanes = own->members;
    cw_kilo_commit(p)->first = own->first_id;
    cw_kilo_commit(p)->epoch = own->epoch;
    return p;
}

struct cw_message *cw_kilo__control(const struct cw_kilo_core *c, uint32_t warp, uint32_t op, uint32_t partition, cw_time now)
{
    return about_members(c, warp, op, partition, 0, now);
}

struct cw_message *cw_kilo__log_message(void *self, uint32_t warp, bool write, uint32_t partition, cw_time now)
{
    const struct cw_kilo_core *c = self;
    const uint32_t entries = cw_lanes_count(c->warp[warp].members);
    struct cw_message *p = about_members(c, warp, write ? CW_KILO_WRITES : CW_KILO_READS, partition, entries, now);
    cw_kilo_commit(p)->probe = c->warp[warp].probe;
    return p;
}

void cw_kilo__await_verdicts(struct cw_kilo_core *c, uint32_t warp, cw_lanes lanes)
{
    struct cw_kilo_warp *own = c->warp + warp;
    if (c->tm->aggregate)
        own->verdicts[0]++;
    for (cw_lanes rest = c->tm->aggregate ? 0 : lanes; rest != 0; rest = cw_lanes_rest(rest))
        own->verdicts[cw_lanes_first(rest)]++;
}

void cw_kilo__await_ack(struct cw_kilo_core *c, uint32_t warp, cw_lanes lanes)
{
    (void)lanes;
    c->warp[warp].acks++;
}

static void send_done(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    const struct cw_tm_warp *w = c->half.warp + warp;
    for (uint32_t part = 0; part < c->tm->config->partition_count; part++) {
        struct cw_message *p = cw_kilo__control(c, warp, CW_KILO_DONE, part, now);
        cw_kilo_commit(p)->done.accessed = w->touched[part];
        cw_kilo_commit(p)->probe = c->warp[warp].probe;
        cw_tm_core_emit(&c->half, warp, p);
        if (w->touched[part] != 0)
            c->hooks->await(c, warp, w->touched[part]);
    }
    *cw_kilo__stage(c, warp) = CW_KILO_ANSWER;
}

void cw_kilo__walk_step(struct cw_kilo_core *c, uint32_t warp, cw_time now)
{
    const struct cw_tm_warp *w = c->half.warp + warp;
    struct cw_kilo_warp *own = c->warp + warp;
    const uint32_t step = w->walk.step;
    if (cw_tm_core_walk(&c->half, warp, own->rows_read, own->rows_written, now) && now >= own->walk_free) {
        cw_lanes lanes = step >= own->rows_read ? w->log.write[step - own->rows_read].lanes : w->log.read[step].lanes;
        if (!c->tm->aggregate && c->tm->keys->kilo_walker == CW_KILO_ENTRY)
            own->walk_free = now + cw_lanes_count(lanes & own->members) * c->half.period;
        cw_tm_core_send_row(&c->half, warp, own->rows_read, own->members, now);
    }
    if (w->walk.step == own->rows_read + own->rows_written && now >= own->walk_free)
        send_done(c, warp, now);
}

/* Verdicts and decisions */

static void decide(struct cw_kilo_core *c, uint32_t warp, cw_lanes lanes, cw_time now)
{
    const struct cw_tm_warp *w = c->half.warp + warp;
    struct cw_kilo_warp *own = c->warp + warp;
    cw_lanes pass = lanes & ~own->failed, fail = lanes & own->failed;
    own->undecided &= ~lanes;
    if (!own->probe)
        cw_tm_core_seal(&c->half, warp, pass, now);
    own->refused |= fail;
    cw_kilo__abort_lanes(c, warp, own->probe ? fail & cw_tm_running(w) : fail, CW_KILO_BY_VALIDATION, now);
    for (uint32_t part = 0; part < c->tm->config->partition_count; part++) {
        cw_lanes waiting = own->passed_at[part] & lanes; /* entries that failed there have gone already */
        if (waiting == 0)
            continue;
        struct cw_message *p = cw_kilo__control(c, warp, CW_KILO_OUTCOME, part, now);
        cw_kilo_commit(p)->verdict.pass = waiting & pass;
        cw_kilo_commit(p)->verdict.fail = waiting & fail;
        cw_tm_core_emit(&c->half, warp, p);
        own->acks += (w->wrote[part] & pass) != 0;
    }
}

void cw_kilo__verdict(struct cw_kilo_core *c, const struct cw_message *p, cw_time now)
{
    struct cw_kilo_warp *own = c->warp + p->warp;
    cw_lanes pass = cw_kilo_commit_of(p)->verdict.pass, fail = cw_kilo_commit_of(p)->verdict.fail;
    assert(*cw_kilo__stage(c, p->warp) == CW_KILO_ANSWER && cw_kilo_commit_of(p)->first == own->first_id);
    c->half.warp[p->warp].asleep = false;
    own->passed_at[p->partition] |= pass;
    own->failed |= fail;
    if (c->tm->aggregate) {
        if (--own->verdicts[0] == 0)
            decide(c, p->warp, own->members, now);
        return;
    }
    uint32_t lane = cw_lanes_first(pass | fail);
    if (--own->verdicts[lane] == 0)
        decide(c, p->warp, cw_lanes_one(lane), now);
}

void cw_kilo__ack(struct cw_kilo_core *c, const struct cw_message *p)
{
    assert(c->warp[p->warp].acks > 0);
    c->half.warp[p->warp].asleep = false;
    c->warp[p->warp].acks--;
}

void cw_kilo__granted(struct cw_kilo_core *c, const struct cw_kilo_request *r, cw_time now)
{
    (void)now;
    *cw_kilo__stage(c, r->warp) = CW_KILO_WALK;
}

/* The arbiter has spoken: memory is as it will be. */
void cw_kilo__decided(struct cw_kilo_core *c, const struct cw_kilo_request *r, cw_time now)
{
    struct cw_kilo_warp *own = c->warp + r->warp;
    cw_lanes fail = own->members & ~r->pass;
    cw_tm_core_seal(&c->half, r->warp, r->pass, now);
    cw_kilo__abort_lanes(c, r->warp, fail, CW_KILO_BY_VALIDATION, now);
    own->undecided = own->rows_read = 0;
    own->members = r->writers;
    c->half.warp[r->warp].phase = CW_KILO_ANSWER;
}

void cw_kilo__decided_sends(struct cw_kilo_core *c, const struct cw_kilo_request *r, cw_time now)
{
    cw_kilo__decided(c, r, now);
    if (r->writers != 0)
        c->half.warp[r->warp].phase = CW_KILO_WALK;
}

void cw_kilo__take_grants(struct cw_kilo_core *c, cw_time now)
{
    const struct cw_kilo_request *r;
    while ((r = cw_fifo_pop(c->tm->wires.grant + c->half.index, now)) != NULL) {
        c->asking--;
        c->warp[r->warp].first_id = r->first;
        c->warp[r->warp].epoch = r->epoch;
        c->hooks->granted(c, r, now);
    }
}
