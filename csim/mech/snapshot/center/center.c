/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshot isolation: the version manager as a component (L2 clock). Here are its queues and its cycle; transaction IDs are in ids.c,
 * versions in versions.c, logical times in postdate.c.
 */
#include "mech/snapshot/center/center.h"

#include <stdlib.h>

/* From the cores */

static void abort_lanes(struct cw_si_center *c, uint32_t core, const struct cw_si_ask_note *n, cw_time now)
{
    for (cw_lanes rest = n->lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        const uint32_t id = n->id[cw_lanes_first(rest)];
        cw_si__ids_release(c, id);
        cw_si__ids_die(c, id);
    }
    cw_si__tell_ids(c, CW_SI_ID_DEAD, core, n, n->lanes, 0, now);
    if (n->crowded != 0)
        cw_si__ids_crowd(c, core, n);
    c->running -= cw_lanes_count(n->lanes);
}

/* References end here, so that committers that wait for a version do not hold the versions that keep it from coming. */
static void seal(struct cw_si_center *c, uint32_t core, const struct cw_si_ask_note *n, cw_time now)
{
    const cw_lanes readers = n->lanes & ~n->writers;
    const cw_time done = now + c->tm->wire; /* who begins from then on is asked for after this, and begins above its CTS */
    struct cw_si_ask_note note = *n;
    note.failed = c->tm->oracle ? cw_si__oracle_seal(c, n) : 0;
    for (cw_lanes rest = n->lanes; rest != 0; rest = cw_lanes_rest(rest)) {
        const uint32_t id = n->id[cw_lanes_first(rest)];
        struct cw_si_transaction *t = c->id + id;
        cw_si__ids_release(c, id);
        if (!c->tm->oracle)
            cw_si__times_commit(c, id, !cw_lanes_has(n->writers, cw_lanes_first(rest)));
        if (cw_lanes_has(n->writers, cw_lanes_first(rest))) {
            t->state = CW_SI_SEALED;
            continue;
        }
        cw_si__ids_commit(c, id, done);
    }
    c->running -= cw_lanes_count(readers);
    cw_si__tell_ids(c, CW_SI_ID_COMMITTED, core, n, readers, done, now);
    cw_si__tell_ids(c, CW_SI_ID_SEALED, core, n, n->writers, now, now);
    if (n->writers != 0)
        cw_si__queue_push(&c->admission, core, &note, now);
}

/* Of the writers those have failed at a commit unit that are not among the lanes. */
static void written(struct cw_si_center *c, uint32_t core, const struct cw_si_ask_note *n, cw_time now)
{
    const cw_lanes failed = n->writers & ~n->lanes;
    for (cw_lanes rest = failed; rest != 0; rest = cw_lanes_rest(rest))
        cw_si__ids_die(c, n->id[cw_lanes_first(rest)]);
    cw_si__tell_ids(c, CW_SI_ID_DEAD, core, n, failed, 0, now);
    c->running -= cw_lanes_count(n->writers);
    cw_si__versions_written(c, core, n, now);
}

static void listen(struct cw_si_center *c, uint32_t core, cw_time now)
{
    const struct cw_si_ask_note *n;
    while ((n = cw_si_line_pop(c->tm->ask + core, now)) != NULL) {
        if (n->kind == CW_SI_BEGIN)
            cw_si__ids_ask(c, core, n, now);
        else if (n->kind == CW_SI_ABORT)
            abort_lanes(c, core, n, now);
        else if (n->kind == CW_SI_SEAL)
            seal(c, core, n, now);
        else
            written(c, core, n, now);
    }
}

/* From the partitions */

/* One fact of a partition; false: it has none, or an edge that the post-dating unit does not take in this cycle. */
static bool take_fact(struct cw_si_center *c, uint32_t partition, cw_time now)
{
    struct cw_si_line *line = c->tm->fact + partition;
    const struct cw_si_fact_note *f = cw_fifo_peek(&line->fifo, now);
    if (f == NULL || (f->kind == CW_SI_EDGE && !cw_si__times_open(c)))
        return false;
    f = cw_si_line_pop(line, now);
    if (f->kind == CW_SI_SWEPT) {
        cw_si__ids_swept(c);
    } else if (f->kind == CW_SI_COPIED) {
        cw_si__versions_copied(c, now);
    } else if (f->kind == CW_SI_RENUMBERED) {
        cw_si__versions_renumbered(c);
    } else if (f->kind == CW_SI_HAS_READ || f->kind == CW_SI_HAS_WRITTEN) {
        cw_si__oracle_access(c, partition, f, now);
    } else {
        cw_si__times_edge(c, partition, f);
        c->turn = (partition + 1) % c->tm->config->partition_count;
    }
    return true;
}

static bool hear_partitions(struct cw_si_center *c, cw_time now)
{
    bool more = false;
    const uint32_t first = c->turn;
    for (uint32_t i = 0; i < c->tm->config->partition_count; i++) {
        const uint32_t partition = (first + i) % c->tm->config->partition_count;
        while (take_fact(c, partition, now))
            ;
        more |= cw_fifo_peek(&c->tm->fact[partition].fifo, now) != NULL;
    }
    return more;
}

/* The exact graph is up to date before it is asked. Of what is only counted partitions tell on lines of their own. */
static void look_at_graph(struct cw_si_center *c, cw_time now)
{
    const struct cw_si_fact_note *f;
    cw_si__ids_forget(c, now);
    for (uint32_t i = 0; !c->tm->oracle && i < c->tm->config->partition_count; i++)
        while ((f = cw_si_line_pop(c->tm->seen + i, now)) != NULL)
            cw_si__oracle_count(c, f);
}

/* When something is due that no note tells of: the newest version is what transactions begin with, so that the one before it may be freed;
 * a committed ID may be let go. */
static cw_time time_passes(const struct cw_si_center *c, cw_time now)
{
    const cw_time created = c->version[c->newest].created, known = created > c->tm->wire ? created - c->tm->wire : 0;
    const cw_time kept = c->kept_ring.cnt > 0 ? c->id[c->kept[c->kept_ring.head]].committed : 0;
    cw_time next = CW_TIME_NEVER;
    if (known > now)
        next = known;
    if (kept > now && kept < next)
        next = kept;
    return next;
}

static void tick(void *self, cw_time now)
{
    struct cw_si_center *c = self;
    const struct cw_config *config = c->tm->config;
    for (uint32_t i = 0; i < config->core_count; i++)
        listen(c, i, now);
    if (c->exact != NULL)
        look_at_graph(c, now);
    bool more = hear_partitions(c, now);
    cw_si__ids_clean(c, now);
    cw_si__ids_begin(c, now);
    more |= !c->tm->oracle && cw_si__times_clock(c, now);
    more |= cw_si__versions_step(c, now);
    cw_time next = more ? now + c->period : CW_TIME_NEVER;
    for (uint32_t i = 0; i < config->core_count; i++)
        next = cw_fifo_next(&c->tm->ask[i].fifo) < next ? cw_fifo_next(&c->tm->ask[i].fifo) : next;
    for (uint32_t i = 0; i < config->partition_count; i++)
        next = cw_time_min(next, cw_time_min(cw_fifo_next(&c->tm->fact[i].fifo), cw_fifo_next(&c->tm->seen[i].fifo)));
    const cw_time passing = time_passes(c, now);
    c->component.wake = passing < next ? passing : next;
}

void cw_si__center_launch(struct cw_si_center *c)
{
    cw_si__versions_launch(c);
    c->component.wake = 0;
}

void cw_si__center_finish(struct cw_si_center *c)
{
    cw_version_publish(c->tm->host.memory, c->newest);
}

bool cw_si__center_idle(const struct cw_si_center *c)
{
    return c->begin.ring.cnt + c->admission.ring.cnt + c->committer_cnt + c->copying + c->renumbering + c->times.committing == 0;
}

static const struct cw_component_ops component_ops = {
    .kind = "si_center", .domain = CW_DOMAIN_L2, .tick = tick, .state = cw_si__center_state};

int cw_si__center_create(struct cw_si_center **out, struct cw_si *tm, struct cw_error *err)
{
    struct cw_si_center *c = *out = calloc(1, sizeof *c);
    if (c == NULL)
        return CW_ENOMEM;
    c->tm = tm;
    c->period = cw_si_period(tm, CW_DOMAIN_L2);
    c->component = cw_component_of(&component_ops, c, 0);
    c->begin.at = calloc(CW_SI_WAITING, sizeof *c->begin.at);
    c->admission.at = calloc(CW_SI_WAITING, sizeof *c->admission.at);
    c->committer = calloc(CW_SI_WAITING, sizeof *c->committer);
    if (c->begin.at == NULL || c->admission.at == NULL || c->committer == NULL)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < tm->config->core_count; i++)
        tm->ask[i].fifo.wake = &c->component.wake;
    for (uint32_t i = 0; i < tm->config->partition_count; i++)
        tm->fact[i].fifo.wake = tm->seen[i].fifo.wake = &c->component.wake;
    cw_si__ids_init(c);
    cw_si__versions_init(c);
    const int status = tm->oracle || tm->keys->si_graph == CW_ON ? cw_si__oracle_create(c) : CW_OK;
    return status != CW_OK || tm->oracle ? status : cw_si__times_create(c, err);
}

void cw_si__center_destroy(struct cw_si_center *c)
{
    if (c == NULL)
        return;
    cw_si__times_destroy(c);
    cw_si_exact_destroy(c->exact);
    free(c->begin.at);
    free(c->admission.at);
    free(c->committer);
    free(c);
}

struct cw_component *cw_si__center_component(struct cw_si_center *c)
{
    return &c->component;
}
