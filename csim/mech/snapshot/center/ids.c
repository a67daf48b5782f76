/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshot isolation: transaction IDs. An attempt of a lane has one from its begin on. An ID is used again when its transaction is over,
 * when nobody runs who began before its commit (si.retain), and when no table has an entry of it: a sweep over all tables sees to that.
 */
#include "mech/snapshot/center/center.h"

#include <string.h>

#define ORDER (CW_SI_IDS * 4)

void cw_si__ids_init(struct cw_si_center *c)
{
    for (uint32_t i = 0; i < c->tm->ids; i++)
        c->unused[i] = (uint16_t)i;
    c->unused_ring.cnt = c->window = c->tm->ids;
}

/*
 * Full tables (SI-TM 4.3: "all future transactions, as well as transactions trying to obtain entry in any of those tables, will abort and
 * wait for current transactions to either commit or abort and free up space"). Who is refused an entry has aborted. From then on nobody
 * begins until all that run have ended and the tables are empty. Were all let in again, they would fill the tables again, so half as many
 * as before are, those first that have waited longest; each commit makes room for one more. At last one warp is alone, whatever it needs, and of
 * a warp that does not get on the lowest lane is.
 * Who needs more than the tables have goes to the end of the queue: the commits of others may change what it needs.
 */
void cw_si__ids_crowd(struct cw_si_center *c, uint32_t core, const struct cw_si_ask_note *n)
{
    if (c->alone && cw_lanes_count(n->lanes) == 1) {
        c->hopeless_core = core;
        c->hopeless_warp = n->warp;
        if (++c->hopeless > c->begin.ring.cnt)
            cw_mech_fault(
                &c->tm->host, CW_ELIMIT,
                "snapshot isolation: each transaction that is left needs more entries than the tables have, also when it is alone; raise "
                "si.reader_entries or si.writer_words");
    }
    if (c->crowded)
        return;
    c->crowded = true;
    c->window = c->running / 2 > 1 ? c->running / 2 : 1;
    c->tm->counters->si_crowded++;
}

/* The oldest transaction that runs began then; CW_TIME_NEVER: none runs. */
static cw_time oldest_begin(struct cw_si_center *c)
{
    while (c->order_ring.cnt > 0) {
        const struct cw_si_transaction *t = c->id + c->order[c->order_ring.head];
        if (t->state == CW_SI_RUNNING && t->serial == c->order_serial[c->order_ring.head])
            return t->begin;
        cw_ring_take(&c->order_ring, ORDER);
    }
    return CW_TIME_NEVER;
}

/* What has ended leaves the ring, so that there is room for all that run. */
static void compact(struct cw_si_center *c)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->order_ring.cnt; i++) {
        const uint32_t from = cw_ring_at(&c->order_ring, i, ORDER), to = cw_ring_at(&c->order_ring, kept, ORDER);
        const struct cw_si_transaction *t = c->id + c->order[from];
        if (t->state != CW_SI_RUNNING || t->serial != c->order_serial[from])
            continue;
        c->order[to] = c->order[from];
        c->order_serial[to] = c->order_serial[from];
        kept++;
    }
    c->order_ring.cnt = kept;
}

static uint16_t take(struct cw_si_center *c)
{
    const uint16_t id = c->unused[c->unused_ring.head];
    cw_ring_take(&c->unused_ring, CW_SI_IDS);
    return id;
}

/* Begins an attempt: its snapshot is that of the moment at which the core hears of it. false: no time for it yet. */
static bool begin(struct cw_si_center *c, struct cw_si_request *r, cw_time now)
{
    const cw_time begins = now + c->tm->wire;
    const uint32_t slot = cw_si__versions_at(c, begins);
    uint32_t cts = 0;
    if (cw_si__versions_run_over(c) || (!c->tm->oracle && !cw_si__times_first(c, slot, &cts)))
        return false;
    struct cw_si_answer_note answer = {.kind = CW_SI_BEGUN, .warp = r->note.warp, .begin = begins, .snapshot = c->version[slot].time};
    struct cw_si_version *v = c->version + slot;
    if (c->order_ring.cnt + CW_LANES > ORDER)
        compact(c);
    for (cw_lanes rest = r->note.lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        const uint32_t lane = cw_lanes_first(rest), at = cw_ring_add(&c->order_ring, ORDER);
        const uint16_t id = take(c);
        c->id[id] = (struct cw_si_transaction){.state = CW_SI_RUNNING, .begin = begins, .cts = cts, .slot = slot, .serial = ++c->serial};
        c->order[at] = answer.id[lane] = r->note.id[lane] = id;
        c->order_serial[at] = c->serial;
        if (c->exact != NULL)
            cw_si__oracle_begin(c, id, r->core, lane, &r->note);
        if (!c->tm->oracle)
            cw_si__times_begin(c, id);
    }
    v->readers += cw_lanes_count(r->note.lanes);
    c->running += cw_lanes_count(r->note.lanes);
    c->tm->counters->si_id_waits += (now - r->since) / cw_si_period(c->tm, CW_DOMAIN_CORE);
    cw_si__tell_ids(c, CW_SI_ID_NEW, r->core, &r->note, r->note.lanes, begins, now);
    cw_si__tell_core(c, r->core, &answer, now, c->tm->wire);
    return true;
}

static uint32_t count(const struct cw_si_set *s)
{
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < CW_SI_SET_WORDS; i++)
        cnt += (uint32_t)__builtin_popcountll(s->bits[i]);
    return cnt;
}

void cw_si__ids_ask(struct cw_si_center *c, uint32_t core, const struct cw_si_ask_note *n, cw_time now)
{
    struct cw_si_ask_note note = *n;
    if (c->hopeless > 0 && core == c->hopeless_core && n->warp == c->hopeless_warp)
        note.age = now;
    cw_si__queue_push(&c->begin, core, &note, now);
}

/* Whether so many lanes may begin. */
static bool may_begin(struct cw_si_center *c, uint32_t lanes)
{
    const bool empty = c->running == 0 && c->kept_ring.cnt == 0 && c->sweeping == 0 && count(&c->dying) == 0;
    if (c->crowded && !empty)
        return false;
    c->crowded = false;
    if (c->unused_ring.cnt < lanes || (c->running > 0 && c->running + lanes > c->window))
        return false;
    c->alone = empty && lanes == 1;
    return true;
}

/* The request that has waited longest comes to the head of the queue. */
static void sort_oldest(struct cw_si_queue *q)
{
    uint32_t oldest = 0;
    for (uint32_t i = 1; i < q->ring.cnt; i++)
        if (q->at[cw_ring_at(&q->ring, i, CW_SI_WAITING)].age < q->at[cw_ring_at(&q->ring, oldest, CW_SI_WAITING)].age)
            oldest = i;
    for (uint32_t i = oldest; i > 0; i--) {
        struct cw_si_request *a = q->at + cw_ring_at(&q->ring, i, CW_SI_WAITING), *b = q->at + cw_ring_at(&q->ring, i - 1, CW_SI_WAITING);
        const struct cw_si_request kept = *a;
        *a = *b;
        *b = kept;
    }
}

void cw_si__ids_begin(struct cw_si_center *c, cw_time now)
{
    while (c->begin.ring.cnt > 0) {
        if (c->window < c->tm->ids)
            sort_oldest(&c->begin);
        struct cw_si_request *r = cw_si__queue_head(&c->begin);
        if (!may_begin(c, cw_lanes_count(r->note.lanes)))
            return;
        if (!begin(c, r, now))
            return;
        cw_si__queue_pop(&c->begin);
    }
}

void cw_si__ids_release(struct cw_si_center *c, uint32_t id)
{
    c->version[c->id[id].slot].readers--;
}

void cw_si__ids_die(struct cw_si_center *c, uint32_t id)
{
    if (c->exact != NULL)
        cw_si__oracle_free(c, id);
    if (!c->tm->oracle)
        cw_si__times_free(c, id);
    c->id[id].state = CW_SI_DEAD;
    cw_si_set_put(&c->dying, id, true);
}

void cw_si__ids_commit(struct cw_si_center *c, uint32_t id, cw_time time)
{
    c->id[id].state = CW_SI_COMMITTED;
    c->id[id].committed = time;
    if (c->exact != NULL)
        cw_si__oracle_commit(c, id, time);
    c->window += c->window < c->tm->ids;
    c->hopeless = 0;
    c->kept[cw_ring_add(&c->kept_ring, CW_SI_IDS)] = (uint16_t)id;
}

void cw_si__ids_forget(struct cw_si_center *c, cw_time now)
{
    cw_si__oracle_clean(c, oldest_begin(c), now);
}

/* No table has anything of the swept IDs any more. */
static void reuse(struct cw_si_center *c)
{
    for (uint32_t id = 0; id < c->tm->ids; id++) {
        if (!cw_si_set_has(&c->swept, id))
            continue;
        c->id[id].state = CW_SI_UNUSED;
        c->unused[cw_ring_add(&c->unused_ring, CW_SI_IDS)] = (uint16_t)id;
    }
}

/*
 * A sweep takes the tables' time, so there is one when IDs become scarce: those that it will free are not fewer than those that are left, or
 * somebody waits for them. When a table was full, there is one when all is over, because it leaves the tables empty.
 */
static bool wants_sweep(const struct cw_si_center *c)
{
    const uint32_t dying = count(&c->dying);
    if (c->tm->oracle || dying == 0)
        return dying > 0; /* sitm-oracle's takes no time */
    if (c->crowded)
        return c->running + c->committer_cnt + c->kept_ring.cnt == 0;
    return dying >= c->unused_ring.cnt || (c->begin.ring.cnt > 0 && c->unused_ring.cnt < CW_LANES);
}

void cw_si__ids_clean(struct cw_si_center *c, cw_time now)
{
    struct cw_si_index_note dead = {.kind = CW_SI_ID_DEAD};
    const cw_time oldest = oldest_begin(c);
    const bool keeps = !c->tm->oracle && c->tm->keys->si_retain == CW_SI_CONCURRENT;
    while (c->kept_ring.cnt > 0) {
        const uint16_t id = c->kept[c->kept_ring.head];
        if (keeps && (c->id[id].committed > now || oldest < c->id[id].committed))
            break;
        cw_si__ids_die(c, id);
        dead.id[dead.ids++] = id;
        cw_ring_take(&c->kept_ring, CW_SI_IDS);
        if (dead.ids < CW_LANES && c->kept_ring.cnt > 0)
            continue;
        cw_si__tell_partitions(c, &dead, now);
        dead.ids = 0;
    }
    if (dead.ids > 0)
        cw_si__tell_partitions(c, &dead, now);
    if (c->sweeping > 0 || !wants_sweep(c))
        return;
    const struct cw_si_index_note sweep = {.kind = CW_SI_SWEEP};
    c->swept = c->dying;
    memset(&c->dying, 0, sizeof c->dying);
    if (c->tm->oracle) {
        reuse(c);
        return;
    }
    c->sweeping = c->tm->config->partition_count;
    cw_si__tell_partitions(c, &sweep, now);
}

void cw_si__ids_swept(struct cw_si_center *c)
{
    if (--c->sweeping == 0)
        reuse(c);
}
