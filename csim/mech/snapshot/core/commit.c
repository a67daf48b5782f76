/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshot isolation, core half: what happens from tx_commit on (SI-TM Figure 12, steps 3 to 6).
 *
 *   DRAIN      log writes reach the L1, all edges are dated; then the logical times are final, and the snapshot is given back
 *              lanes without writes have committed; the others ask for a version
 *   WALK       per row of the write log two log reads, then a message per partition; at the end DONE
 *   VERDICTS   the commit units have compared the words
 *   ADMISSION  a version takes writes; the outcome goes to the commit units
 *   ACKS       the words are in memory
 *   CLOSE      the version is readable
 *   BACKOFF    lanes that have aborted wait
 *   ASK_AGAIN  they have asked for IDs, and begin when they have them
 */
#include "mech/snapshot/core/core_half.h"
#include "mech/tm/attempt.h"
#include "mech/tm/backoff.h"

/* Everything of the running attempt is back. */
static void leave_drain(struct cw_si_core *c, uint32_t warp, cw_time now)
{
    struct cw_tm_warp *w = c->half.warp + warp;
    struct cw_si_warp *own = c->warp + warp;
    const cw_lanes ready = cw_tm_running(w);
    own->writers = 0;
    for (uint32_t i = 0; i < w->log.write_cnt; i++)
        own->writers |= w->log.write[i].lanes & ready;
    own->members = own->writers;
    own->failed = 0;
    own->admitted = false;
    own->verdicts = own->acks = 0;
    cw_tm_core_clear_touched(&c->half, warp);
    if (ready != 0)
        cw_si__ask(c, warp, CW_SI_SEAL, ready, own->writers, now);
    cw_tm_core_seal(&c->half, warp, ready & ~own->writers, now);
    cw_tm_core_enter(w, own->writers != 0 ? CW_SI_WALK : CW_SI_BACKOFF);
    w->waiting = now;
}

/* Walk */

/* entries: of a log behind it; 0: no log. */
static struct cw_message *control(struct cw_si_core *c, uint32_t warp, uint32_t op, uint32_t part, uint32_t entries, cw_time now)
{
    const uint64_t addr = cw_tm_partition_addr(c->tm->config, part);
    struct cw_message *p = entries == 0 ? cw_mech_message(&c->tm->host, CW_MSG_OWN, op, addr, &cw_si_commit_type, now)
                                        : cw_mech_message_tail(&c->tm->host, CW_MSG_OWN, op, addr, &cw_si_log_type, entries, now);
    *cw_si_commit(p) = (struct cw_si_commit_body){0};
    p->lanes = c->warp[warp].members;
    return p;
}

struct cw_message *cw_si__log_message(void *self, uint32_t warp, bool write, uint32_t partition, cw_time now)
{
    struct cw_si_core *c = self;
    (void)write;
    return control(c, warp, CW_SI_WRITES, partition, cw_lanes_count(c->warp[warp].members), now);
}

static void send_done(struct cw_si_core *c, uint32_t warp, cw_time now)
{
    struct cw_tm_warp *w = c->half.warp + warp;
    for (uint32_t part = 0; part < c->tm->config->partition_count; part++) {
        if (w->touched[part] == 0)
            continue;
        struct cw_message *p = control(c, warp, CW_SI_DONE, part, 0, now);
        cw_si_commit(p)->accessed = w->touched[part];
        cw_tm_core_emit(&c->half, warp, p);
        c->warp[warp].verdicts++;
    }
    w->phase = CW_SI_VERDICTS;
}

static void walk_step(struct cw_si_core *c, uint32_t warp, cw_time now)
{
    const struct cw_tm_warp *w = c->half.warp + warp;
    if (cw_tm_core_walk(&c->half, warp, 0, w->log.write_cnt, now))
        cw_tm_core_send_row(&c->half, warp, 0, c->warp[warp].members, now);
    if (w->walk.step == w->log.write_cnt)
        send_done(c, warp, now);
}

/* Decision */

void cw_si__verdict(struct cw_si_core *c, const struct cw_message *p, cw_time now)
{
    struct cw_si_warp *own = c->warp + p->warp;
    own->failed |= cw_si_commit_of(p)->fail;
    if (--own->verdicts > 0)
        return;
    c->half.warp[p->warp].phase = CW_SI_ADMISSION;
    own->decided = now;
}

void cw_si__ack(struct cw_si_core *c, const struct cw_message *p)
{
    c->warp[p->warp].acks--;
}

/* The version takes the warp's writes: the fate of its lanes is sealed. */
static void decide(struct cw_si_core *c, uint32_t warp, cw_time now)
{
    struct cw_tm_warp *w = c->half.warp + warp;
    struct cw_si_warp *own = c->warp + warp;
    const cw_lanes pass = own->members & ~own->failed;
    c->tm->counters->si_commit_waits += (now - own->decided) / c->half.period;
    cw_tm_core_seal(&c->half, warp, pass, now);
    own->told |= own->failed; /* the version manager hears of these with the writes */
    cw_si__abort_lanes(c, warp, own->failed, CW_SI_BY_WRITE_WRITE, now);
    for (uint32_t part = 0; part < c->tm->config->partition_count; part++) {
        if (w->touched[part] == 0)
            continue;
        struct cw_message *p = control(c, warp, CW_SI_OUTCOME, part, 0, now);
        cw_si_commit(p)->pass = pass;
        cw_si_commit(p)->slot = own->slot;
        cw_tm_core_emit(&c->half, warp, p);
        own->acks += (w->touched[part] & pass) != 0;
    }
    w->phase = CW_SI_ACKS;
}

/* End of an attempt */

/* The attempt is over for the lanes that have committed. Those that have aborted wait. Returns when the next step is due. */
static cw_time back_off(struct cw_si_core *c, uint32_t warp, cw_time now)
{
    struct cw_tm_warp *w = c->half.warp + warp;
    struct cw_si_warp *own = c->warp + warp;
    if (w->waiting == now) { /* just over */
        own->in_vain = w->aborted == w->lanes ? own->in_vain + 1 : 0;
        own->again = cw_tm_core_end(&c->half, warp, now);
        if (own->again == 0)
            return CW_TIME_NEVER;
        if (own->in_vain >= c->tm->keys->si_alone_after) {
            own->again = cw_lanes_one(cw_lanes_first(own->again));
            c->tm->counters->si_alone++;
        }
        const uint64_t delay = cw_backoff_cycles(c->tm->common.keys, &c->half.rng, w->aborts);
        c->tm->common.counters->tx_backoff_cycles += delay;
        cw_attempt_waited(&c->tm->common, (uint32_t)w->tx_lanes, delay);
        w->done = now + delay * c->half.period;
    }
    if (now < w->done)
        return w->done;
    cw_si__ask(c, warp, CW_SI_BEGIN, own->again, 0, now);
    w->phase = CW_SI_ASK_AGAIN;
    return CW_TIME_NEVER;
}

cw_time cw_si__commit_advance(struct cw_si_core *c, uint32_t warp, cw_time now)
{
    struct cw_tm_warp *w = c->half.warp + warp;
    const struct cw_si_warp *own = c->warp + warp;
    const struct cw_access_warp *way = c->half.access.warp + warp;
    const cw_time soon = now + c->half.period;
    if (w->phase == CW_TM_DRAIN && way->posted == 0 && own->dates == 0 && (w->aborted & ~own->told) == 0) {
        leave_drain(c, warp, now);
        return w->phase == CW_SI_BACKOFF ? back_off(c, warp, now) : soon;
    }
    if (w->phase == CW_SI_WALK) {
        walk_step(c, warp, now);
        return soon;
    }
    if (w->phase == CW_SI_ADMISSION && own->admitted) {
        decide(c, warp, now);
        return soon;
    }
    if (w->phase == CW_SI_ACKS && own->acks == 0) {
        if (way->messages > 0) /* no answer comes when no lane commits */
            return soon;
        cw_si__ask(c, warp, CW_SI_WRITTEN, own->members & ~own->failed, own->members, now);
        w->phase = CW_SI_CLOSE;
        return CW_TIME_NEVER;
    }
    return w->phase == CW_SI_BACKOFF ? back_off(c, warp, now) : CW_TIME_NEVER;
}
