/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshot isolation: transaction IDs. An attempt of a lane has one from its begin on. An ID is used again when its transaction is over,
 * when nobody runs who began before its commit (si.retain), and when no table has an entry of it: a sweep over all tables sees to that.
 */
#include "mech/snapshot/center.h"

#include <string.h>

#define ORDER (CW_SI_IDS * 4)

void cw_si__ids_init(struct cw_si_center *c)
{
    for (uint32_t i = 0; i < c->tm->ids; i++)
        c->unused[i] = (uint16_t)i;
    c->unused_cnt = c->tm->ids;
}

/* The oldest transaction that runs began then; CW_TIME_NEVER: none runs. */
static cw_time oldest_begin(struct cw_si_center *c)
{
    while (c->order_cnt > 0) {
        const struct cw_si_transaction *t = c->id + c->order[c->order_head];
        if (t->state == CW_SI_RUNNING && t->serial == c->order_serial[c->order_head])
            return t->begin;
        c->order_head = (c->order_head + 1) % ORDER;
        c->order_cnt--;
    }
    return CW_TIME_NEVER;
}

/* What has ended leaves the ring, so that there is room for all that run. */
static void compact(struct cw_si_center *c)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->order_cnt; i++) {
        const uint32_t from = (c->order_head + i) % ORDER, to = (c->order_head + kept) % ORDER;
        const struct cw_si_transaction *t = c->id + c->order[from];
        if (t->state != CW_SI_RUNNING || t->serial != c->order_serial[from])
            continue;
        c->order[to] = c->order[from];
        c->order_serial[to] = c->order_serial[from];
        kept++;
    }
    c->order_cnt = kept;
}

static uint16_t take(struct cw_si_center *c)
{
    const uint16_t id = c->unused[c->unused_head];
    c->unused_head = (c->unused_head + 1) % CW_SI_IDS;
    c->unused_cnt--;
    return id;
}

/* Begins an attempt: its snapshot is that of the moment at which the core hears of it. false: no logical time for it yet. */
static bool begin(struct cw_si_center *c, struct cw_si_request *r, cw_time now)
{
    const cw_time begins = now + c->tm->wire;
    const uint32_t slot = cw_si__versions_at(c, begins);
    uint32_t cts;
    if (!cw_si__times_first(c, slot, &cts))
        return false;
    struct cw_si_answer_note answer = {.kind = CW_SI_BEGUN, .warp = r->note.warp, .begin = begins};
    struct cw_si_version *v = c->version + slot;
    if (c->order_cnt + CW_LANES > ORDER)
        compact(c);
    for (cw_lanes rest = r->note.lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        const uint32_t lane = cw_lanes_first(rest), at = (c->order_head + c->order_cnt++) % ORDER;
        const uint16_t id = take(c);
        c->id[id] = (struct cw_si_transaction){.state = CW_SI_RUNNING, .begin = begins, .cts = cts, .slot = slot, .serial = ++c->serial};
        c->order[at] = answer.id[lane] = r->note.id[lane] = id;
        c->order_serial[at] = c->serial;
        cw_si__times_begin(c, id);
    }
    v->readers += cw_lanes_count(r->note.lanes);
    c->tm->counters->si_id_waits += (now - r->since) / cw_si_period(c->tm, CW_DOMAIN_CORE);
    cw_si__tell_ids(c, CW_SI_ID_NEW, r->core, &r->note, r->note.lanes, begins, now);
    cw_si__tell_core(c, r->core, &answer, now, c->tm->wire);
    return true;
}

void cw_si__ids_begin(struct cw_si_center *c, cw_time now)
{
    for (struct cw_si_request *r; (r = cw_si__queue_head(&c->begin)) != NULL && c->unused_cnt >= cw_lanes_count(r->note.lanes);) {
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
    cw_si__times_free(c, id);
    c->id[id].state = CW_SI_DEAD;
    cw_si_set_put(&c->dying, id, true);
}

void cw_si__ids_commit(struct cw_si_center *c, uint32_t id, cw_time time)
{
    c->id[id].state = CW_SI_COMMITTED;
    c->id[id].committed = time;
    c->kept[(c->kept_head + c->kept_cnt++) % CW_SI_IDS] = (uint16_t)id;
}

static bool any(const struct cw_si_set *s)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < CW_SI_SET_WORDS; i++)
        bits |= s->bits[i];
    return bits != 0;
}

void cw_si__ids_clean(struct cw_si_center *c, cw_time now)
{
    struct cw_si_index_note dead = {.kind = CW_SI_ID_DEAD};
    const cw_time oldest = oldest_begin(c);
    while (c->kept_cnt > 0) {
        const uint16_t id = c->kept[c->kept_head];
        if (c->tm->keys->si_retain == CW_SI_CONCURRENT && (c->id[id].committed > now || oldest < c->id[id].committed))
            break;
        cw_si__ids_die(c, id);
        dead.id[dead.ids++] = id;
        c->kept_head = (c->kept_head + 1) % CW_SI_IDS;
        c->kept_cnt--;
        if (dead.ids < CW_LANES && c->kept_cnt > 0)
            continue;
        cw_si__tell_partitions(c, &dead, now);
        dead.ids = 0;
    }
    if (dead.ids > 0)
        cw_si__tell_partitions(c, &dead, now);
    if (c->sweeping > 0 || !any(&c->dying))
        return;
    const struct cw_si_index_note sweep = {.kind = CW_SI_SWEEP};
    c->swept = c->dying;
    memset(&c->dying, 0, sizeof c->dying);
    c->sweeping = c->tm->config->partition_count;
    cw_si__tell_partitions(c, &sweep, now);
}

void cw_si__ids_swept(struct cw_si_center *c)
{
    if (--c->sweeping > 0)
        return;
    for (uint32_t id = 0; id < c->tm->ids; id++) {
        if (!cw_si_set_has(&c->swept, id))
            continue;
        c->id[id].state = CW_SI_UNUSED;
        c->unused[(c->unused_head + c->unused_cnt++) % CW_SI_IDS] = (uint16_t)id;
    }
}
