/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshot isolation: the life of versions (SI-TM section 3). All versioned ranges have the same slots, and their versions become readable
 * together.
 *
 *   COPYING      the slot gets the bytes of the newest version: of the ranges that have changed since it last did
 *   WRITTEN_TO   commits write into it: all that come until the first of them is done
 *   READABLE     since `created`: for transactions that begin then or later
 *   FREED        nobody reads it, and a newer one is readable: it can be copied to
 *
 * A version that closes is readable after the latency of the wires, and not before all partitions know it: so it appears in all of them,
 * and in all cores, at one instant. The version index tables know versions by numbers of si.version_bits; a transaction reads the version
 * with the largest number that is not above that of its begin.
 */
#include "mech/snapshot/center/center.h"

#include <string.h>

static bool is_used(const struct cw_si_center *c, uint32_t slot)
{
    return slot == c->newest || slot == c->open;
}

/* From its closing to its creation: the tables of the partitions show it by then, and no core begins before its creation and does not know.
 */
static cw_time closing_time(const struct cw_si_center *c)
{
    return cw_time_max(c->tm->wire, c->tm->index + c->period) + 1;
}

/* Versions that nobody can read any more are free. */
static void release(struct cw_si_center *c, cw_time now)
{
    for (uint32_t i = 0; i < c->tm->keys->si_versions; i++) {
        struct cw_si_version *v = c->version + i;
        if (v->state != CW_SI_READABLE || v->readers > 0 || is_used(c, i) || cw_si__versions_at(c, now + c->tm->wire) == i)
            continue;
        const struct cw_si_index_note note = {.kind = CW_SI_FREE, .slot = i};
        v->state = CW_SI_FREED;
        cw_si__tell_partitions(c, &note, now);
    }
}

/* Numbers begin anew when no transaction reads, so that no version but the newest is readable. */
static void renumber(struct cw_si_center *c, cw_time now)
{
    const struct cw_si_index_note note = {.kind = CW_SI_RENUMBER, .slot = c->newest};
    uint32_t others = 0;
    for (uint32_t i = 0; i < c->tm->keys->si_versions; i++)
        others += i != c->newest && c->version[i].state == CW_SI_READABLE;
    if (c->renumbering > 0 || others > 0 || c->version[c->newest].readers > 0)
        return;
    c->renumbering = c->tm->config->partition_count;
    cw_si__tell_partitions(c, &note, now);
}

void cw_si__versions_renumbered(struct cw_si_center *c)
{
    if (--c->renumbering > 0)
        return;
    c->version[c->newest].time = 0;
    c->tm->counters->si_renumbered++;
}

static uint64_t changed(const struct cw_si_center *c, uint32_t slot)
{
    uint64_t ranges = 0;
    for (uint32_t r = 0; r < cw_version_cnt(c->tm->host.memory); r++)
        ranges |= (uint64_t)(c->version[slot].content[r] != c->version[c->newest].content[r]) << r;
    return ranges;
}

/* sitm-oracle: a copy takes no time. The bytes of the newest version do not change any more. */
static void copy_at_once(struct cw_si_center *c, const struct cw_si_index_note *n)
{
    for (uint64_t rest = n->ranges; rest != 0; rest &= rest - 1)
        cw_version_copy(c->tm->host.memory, (uint32_t)__builtin_ctzll(rest), n->from, n->slot);
    c->version[n->slot].state = CW_SI_WRITTEN_TO;
}

/* The next version. */
static void open_next(struct cw_si_center *c, cw_time now)
{
    for (uint32_t i = 0; i < c->tm->keys->si_versions; i++) {
        if (c->version[i].state != CW_SI_FREED)
            continue;
        const struct cw_si_index_note note = {.kind = CW_SI_COPY, .slot = i, .from = c->newest, .ranges = changed(c, i)};
        c->open = i;
        c->closing = false;
        c->version[i].state = CW_SI_COPYING;
        memcpy(c->version[i].content, c->version[c->newest].content, sizeof c->version[i].content);
        cw_si__tell_partitions(c, &note, now);
        if (c->tm->oracle) {
            copy_at_once(c, &note);
            return;
        }
        c->copying = c->tm->config->partition_count;
        c->copy_began = now;
        return;
    }
}

void cw_si__versions_copied(struct cw_si_center *c, cw_time now)
{
    if (--c->copying > 0)
        return;
    c->version[c->open].state = CW_SI_WRITTEN_TO;
    c->tm->counters->si_copy_cycles += (now - c->copy_began) / c->period;
}

/* Commits */

static bool takes(const struct cw_si_center *c)
{
    const uint32_t most = c->tm->keys->si_merge_warps;
    return c->times.committing == 0 && c->open != CW_SI_NONE && c->version[c->open].state == CW_SI_WRITTEN_TO && !c->closing &&
           (most == 0 || c->committer_cnt < most);
}

static void admit(struct cw_si_center *c, cw_time now)
{
    for (struct cw_si_request *r; (r = cw_si__queue_head(&c->admission)) != NULL && takes(c);) {
        const struct cw_si_answer_note answer = {.kind = CW_SI_ADMITTED, .warp = r->note.warp, .slot = c->open, .failed = r->note.failed};
        c->tm->counters->si_merged += c->committer_cnt > 0;
        c->committer[c->committer_cnt++] = (struct cw_si_committer){.core = r->core, .warp = r->note.warp, .ranges = r->note.ranges};
        c->undone++;
        cw_si__tell_core(c, r->core, &answer, now, c->tm->wire);
        cw_si__queue_pop(&c->admission);
    }
}

/* A commit of these lanes has become visible. */
static void commit(struct cw_si_center *c, const struct cw_si_committer *m, uint32_t slot, cw_time created, cw_time now)
{
    struct cw_si_version *v = c->version + slot;
    struct cw_si_ask_note ids = {.lanes = m->lanes};
    const struct cw_si_answer_note answer = {.kind = CW_SI_VISIBLE, .warp = m->warp, .slot = slot};
    memcpy(ids.id, m->id, sizeof ids.id);
    for (cw_lanes rest = m->lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        const uint32_t id = m->id[cw_lanes_first(rest)];
        v->cts = v->cts > c->id[id].cts ? v->cts : c->id[id].cts;
        cw_si__ids_commit(c, id, created);
    }
    cw_si__tell_ids(c, CW_SI_ID_COMMITTED, m->core, &ids, m->lanes, created, now);
    cw_si__tell_core(c, m->core, &answer, now, created - now);
    c->tm->counters->si_version_waits += (created - m->since) / cw_si_period(c->tm, CW_DOMAIN_CORE);
}

void cw_si__versions_written(struct cw_si_center *c, uint32_t core, const struct cw_si_ask_note *note, cw_time now)
{
    for (uint32_t i = 0; i < c->committer_cnt; i++) {
        struct cw_si_committer *m = c->committer + i;
        if (m->core != core || m->warp != note->warp || m->done)
            continue;
        m->done = true;
        m->since = now;
        m->lanes = note->lanes;
        memcpy(m->id, note->id, sizeof m->id);
        c->undone--;
        if (m->late) {
            commit(c, m, c->newest, now + closing_time(c), now);
            *m = c->committer[--c->committer_cnt];
            return;
        }
        c->closing = true;
        return;
    }
}

static uint32_t held(const struct cw_si_center *c)
{
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < c->tm->keys->si_versions; i++)
        cnt += c->version[i].state == CW_SI_READABLE;
    return cnt;
}

static void close(struct cw_si_center *c, cw_time now)
{
    const cw_time created = now + closing_time(c);
    struct cw_si_version *v = c->version + c->open;
    v->time = c->version[c->newest].time + 1;
    const struct cw_si_index_note note = {.kind = CW_SI_CREATE, .slot = c->open, .time = created, .number = v->time};
    v->cts = c->version[c->newest].cts;
    v->readers = 0;
    uint64_t ranges = 0;
    uint32_t late = 0;
    for (uint32_t i = 0; i < c->committer_cnt; i++) {
        struct cw_si_committer m = c->committer[i];
        ranges |= m.ranges;
        if (m.done) {
            commit(c, &m, c->open, created, now);
            continue;
        }
        m.late = true;
        c->committer[late++] = m;
    }
    c->number++;
    for (uint64_t rest = ranges; rest != 0; rest &= rest - 1)
        v->content[__builtin_ctzll(rest)] = c->number;
    v->state = CW_SI_READABLE;
    v->created = created;
    cw_si__tell_partitions(c, &note, now);
    if (cw_events_want(c->tm->host.events, CW_EVENT_SNAPSHOT)) {
        const struct cw_event e = {.type = CW_EVENT_SNAPSHOT, .now = created};
        cw_events_tell(c->tm->host.events, &e);
    }
    c->newest = c->open;
    c->open = CW_SI_NONE;
    c->committer_cnt = late;
    c->tm->counters->si_versions++;
    cw_stat_max(&c->tm->counters->si_versions_held, held(c));
}

bool cw_si__versions_step(struct cw_si_center *c, cw_time now)
{
    admit(c, now);
    const bool full = c->undone == 0 || c->tm->sabotage == CW_SI_EARLY_CLOSE;
    if (c->open != CW_SI_NONE && c->closing && full && !cw_si__versions_run_over(c))
        close(c, now);
    release(c, now);
    if (cw_si__versions_run_over(c))
        renumber(c, now);
    if (c->open == CW_SI_NONE)
        open_next(c, now);
    return c->admission.ring.cnt > 0 && takes(c); /* sitm-oracle's new version has been copied at once, and no note will tell of it */
}

void cw_si__versions_init(struct cw_si_center *c)
{
    c->newest = cw_version_newest(c->tm->host.memory); /* not 0 where the GPU has been reset */
    for (uint32_t i = 0; i < CW_SI_SLOTS; i++)
        c->version[i].state = i == c->newest ? CW_SI_READABLE : CW_SI_FREED;
    c->open = CW_SI_NONE;
}

void cw_si__versions_launch(struct cw_si_center *c)
{
    const struct cw_event e = {.type = CW_EVENT_SNAPSHOT};
    c->number++; /* the host may have written into the newest one, so that the next has to be copied anew */
    for (uint32_t r = 0; r < CW_SI_RANGES; r++)
        c->version[c->newest].content[r] = c->number;
    for (uint32_t i = 0; i < c->tm->keys->si_versions; i++)
        c->version[i].state = i == c->newest ? CW_SI_READABLE : CW_SI_FREED; /* as the tables are told at a launch */
    c->version[c->newest].time = 0;
    c->open = CW_SI_NONE;
    if (cw_events_want(c->tm->host.events, CW_EVENT_SNAPSHOT))
        cw_events_tell(c->tm->host.events, &e);
}
