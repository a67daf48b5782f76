/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commit unit of Kilo TM (Fung 2015, 4.2.5 and Figure 4.5; rates after [art]): the datapath around its ring (adapt/commit_unit.h).
 * Entries lie in the ring in the order of their commit IDs, one per transaction. Four pointers pass over it, each by at most one entry per
 * CU cycle:
 *
 *   hazard   when the logs are there, every read, then every write of the entry goes to the hazard unit (CHECK, RECORD), one per cycle of
 *            that unit, which has kilo.hazard_rate cycles in one of the CU. The pointer goes on with the last one; the answer comes later
 *   pass     when the values have been compared. An entry with a hazard holds it until the youngest conflicting entry has retired, and
 *            is compared again; the pointer goes on meanwhile. Else the verdict goes to the core
 *   commit   when the core has decided; an entry that passed writes memory, one that failed is done
 *   retire   when the writes are in memory
 *
 * Values are compared as the reads arrive, in the background. Per cycle: one message to the port, one commit write and one validation read
 * into the delay line of cu.rop_latency cycles before the L2, one message from the network. A read or write is one word; with
 * warptm.coalesce all words of one message in one region of cu.write_bytes, and a warp's lanes write together, once the commit pointer has
 * passed the last of them.
 *
 * Here: what the ring asks for, and the cycle. Hazard detection is in commit_unit_hazard.c, messages and logs in commit_unit_log.c,
 * accesses of the L2 in commit_unit_l2.c, what the unit says in commit_unit_out.c.
 */
#include "mech/kilo/unit/commit_unit.h"

/* Verdicts */

/* The local result of an entry, to the core. */
static void report(struct cw_kilo_unit *u, const struct cw_adapt_commit_unit_view *v, cw_time now)
{
    struct cw_kilo_entry *e = cw_kilo_unit__at(u, v->report_id);
    struct cw_kilo_group *g = e->group;
    const struct cw_event_decision d = {
        .unit = "commit_unit", .index = u->index, .kind = v->report_pass, .subject = v->report_id, .refused = !v->report_pass};
    cw_lanes told = cw_lanes_one(e->lane);
    cw_tell_decision(&u->tm->host, g->attempt, &d, now);
    cw_kilo_unit__release(u, e, v->report_pass ? 1 : 3, now);
    if (v->report_pass) {
        g->passed |= told;
    } else {
        g->failed |= told;
        cw_kilo_unit__forget_expected(u, g, e->lane);
    }
    if (u->tm->aggregate)
        told = (g->passed | g->failed) == g->accessed ? g->accessed : 0;
    if (told != 0) {
        struct cw_message *p = cw_kilo_unit__message(u, g, CW_KILO_VERDICT, now);
        cw_kilo_commit(p)->verdict.pass = g->passed & told;
        cw_kilo_commit(p)->verdict.fail = g->failed & told;
        cw_kilo_unit__send(u, p);
    }
    if (u->hooks->announce_end != NULL)
        u->hooks->announce_end(u, g, now);
}

/* WarpTM-EL: the core has decided long ago, so the result is its own decision; it takes the place of a message. */
static void decide_reported(struct cw_kilo_unit *u, const struct cw_adapt_commit_unit_view *v)
{
    struct cw_kilo_group *g = cw_kilo_unit__at(u, v->report_id)->group;
    const struct cw_adapt_commit_unit_message m = {.kind = CW_COMMIT_OUTCOME, .first = v->report_id, .entries = 1, .pass = 1};
    g->passed |= cw_lanes_one(cw_kilo_unit__at(u, v->report_id)->lane);
    cw_adapt_commit_unit_send(u->ring, &m);
}

static void revalidate(struct cw_kilo_unit *u, uint64_t id, cw_time now)
{
    struct cw_kilo_entry *e = cw_kilo_unit__at(u, id);
    if (!cw_kilo_unit__whole(u, e, 0, now))
        return;
    cw_adapt_commit_unit_take_revalidate(u->ring);
    e->again = true;
    bool reads = e->group->head[0][e->lane] != CW_KILO_NIL; /* kilo.hazard=bloom-array finds hazards of writes as well */
    if (!reads || u->tm->sabotage == CW_KILO_SKIP_REVALIDATION) {
        cw_kilo_unit__check(u, cw_adapt_commit_unit_validated(u->ring, id, true, true));
        return;
    }
    cw_kilo_unit__compare_set(u, e, u->batches++);
    cw_kilo_unit__cut(u, e, 0);
}

/* Since when, and how long, the pass pointer has waited for a conflict. */
static void count_waiting(struct cw_kilo_unit *u, bool waiting, cw_time now)
{
    if (waiting && u->waiting == 0)
        u->waiting = now;
    if (waiting || u->waiting == 0)
        return;
    u->tm->counters->cu_wait_cycles += (now - u->waiting) / u->period;
    u->waiting = 0;
}

/* Write-back */

static void begin_write(struct cw_kilo_unit *u, uint64_t id, cw_time now)
{
    struct cw_kilo_entry *e = cw_kilo_unit__at(u, id);
    if (!cw_kilo_unit__whole(u, e, 1, now))
        return;
    cw_adapt_commit_unit_take_write(u->ring);
    e->writing = true;
    if (u->tm->sabotage == CW_KILO_OUT_OF_ORDER) {
        if (e->written)
            cw_kilo_unit__check(u, cw_adapt_commit_unit_written(u->ring, id));
        return;
    }
    e->group->committing |= cw_lanes_one(e->lane);
    if (!u->tm->coalesce)
        cw_kilo_unit__queue_lane(u, e->group, e->lane, u->batches++);
}

/* The commit pointer has passed these entries: a warp's lanes write together. */
static void follow_commit(struct cw_kilo_unit *u, uint64_t commit)
{
    for (; u->commit < commit; u->commit++) {
        struct cw_kilo_group *g = cw_kilo_unit__at(u, u->commit)->group;
        if (!u->tm->coalesce || u->commit + 1 != g->first + g->cnt)
            continue;
        for (cw_lanes rest = g->committing; rest != 0; rest = cw_lanes_rest(rest))
            cw_kilo_unit__queue_lane(u, g, cw_lanes_first(rest), u->batches);
        u->batches++;
    }
}

static void count_retired(struct cw_kilo_unit *u, struct cw_kilo_entry *e, cw_time now)
{
    cw_kilo_unit__release(u, e, 3, now);
    if (e->used != 0) {
        cw_kilo_unit__census(u, CW_KILO_ACCESSED, -1, now);
        cw_kilo_unit__census(u, CW_KILO_USED, -(int64_t)cw_lanes_count(e->used), now);
    }
    cw_kilo_unit__census(u, CW_KILO_ALL, -1, now);
}

/* The retire pointer has passed these. */
static void follow_retire(struct cw_kilo_unit *u, uint64_t oldest, cw_time now)
{
    for (; u->retire < oldest; u->retire++) {
        struct cw_kilo_entry *e = cw_kilo_unit__at(u, u->retire);
        struct cw_kilo_group *g = e->group;
        count_retired(u, e, now);
        e->group = NULL;
        if (--g->live > 0)
            continue;
        g->next = u->groups;
        u->groups = g;
    }
}

/* WarpTM-EL: the arbiter has decided for every lane whose log comes. */
static void pass_all(struct cw_kilo_group *g)
{
    g->out_pass = g->accessed;
}

/* Tells the ID vendor, when it needs to know: with a ring for all that can be under way, not of every entry. */
static void publish(struct cw_kilo_unit *u, cw_time now)
{
    struct cw_fifo *to = u->tm->wires.retired + u->index;
    bool due = u->tm->keys->kilo_entries != 0 || u->retire == u->tail || u->retire - u->published >= u->tm->window / 8;
    if (!due || !cw_fifo_can_push(to, now))
        return;
    cw_fifo_push(to, now, u->tm->keys->kilo_id_latency * cw_kilo_period(u->tm, CW_DOMAIN_CORE), (void *)(uintptr_t)(u->retire + 1));
    u->published = u->retire;
}

/* No commit unit of CW_KILO_IDEAL is made. */
#define VALIDATED .report = report, .publish = publish, .detects = true, .writes_memory = true
static const struct cw_kilo_unit_hooks hooks[] = {
    [CW_KILO_TM] = {VALIDATED},
    [CW_KILO_WARPTM] = {VALIDATED},
    [CW_KILO_EAPG] = {VALIDATED, .announce = cw_kilo_unit__announce, .announce_end = cw_kilo_unit__announce_end},
    [CW_KILO_EL] = {.decide = decide_reported, .filled = pass_all}};

static void tick(void *self, cw_time now)
{
    struct cw_kilo_unit *u = self;
    cw_kilo_unit__take_done(u, now);
    const struct cw_adapt_commit_unit_view *v = cw_adapt_commit_unit_look(u->ring);
    follow_commit(u, v->commit);
    if (v->report && u->hooks->report != NULL)
        u->hooks->report(u, v, now);
    follow_retire(u, v->oldest, now);
    count_waiting(u, v->waiting, now);
    if (u->out_ring.cnt > 0)
        cw_kilo_unit__speak(u, now);
    cw_kilo_unit__issue_accesses(u, now);
    bool more = (v->hazard || u->detecting) && cw_kilo_unit__hazard_step(u, v, now);
    if (v->revalidate)
        revalidate(u, v->revalidate_id, now);
    if (v->write)
        begin_write(u, v->write_id, now);
    if (u->published != u->retire && u->hooks->publish != NULL)
        u->hooks->publish(u, now);
    if (v->report && u->hooks->decide != NULL)
        u->hooks->decide(u, v);
    else
        more |= cw_kilo_unit__accept(u, now);
    more |= cw_adapt_commit_unit_clock(u->ring);
    more |= u->rct != NULL && cw_kilo_unit__news_step(u, now);
    more |= u->write.ring.cnt > 0 || u->compare.ring.cnt > 0 || u->out_ring.cnt > 0;
    cw_time next = cw_fifo_next(&u->port->from_noc);
    next = next < u->input_free ? u->input_free : next;
    cw_time done = cw_fifo_next(&u->port->l2_done);
    next = done < next ? done : next;
    if (u->line_ring.cnt > 0 && u->request[u->line[u->line_ring.head]].ready < next)
        next = u->request[u->line[u->line_ring.head]].ready;
    u->component.wake = !more && next > now ? next : now + u->period;
}

/* Everything else */

static int create_units(struct cw_kilo_unit *u, struct cw_error *err)
{
    struct cw_kilo *tm = u->tm;
    uint32_t id_bits = tm->keys->kilo_id_bits;
    struct cw_adapt_commit_unit_config ring = {.units = tm->host.units,
                                               .partition = u->index,
                                               .entries = tm->window,
                                               .id_bits = 20,
                                               .fault = tm->host.fault,
                                               .fault_context = tm->host.fault_context};
    if (!u->hooks->detects) /* IDs are without bound there */
        return cw_adapt_commit_unit_create(&u->ring, &ring, err);
    ring.id_bits = id_bits;
    int status = cw_adapt_commit_unit_create(&u->ring, &ring, err);
    if (status == CW_OK && u->hooks->announce != NULL)
        status = cw_kilo_unit__news_create(u, err);
    return status == CW_OK ? cw_kilo_hazard_create(&u->detector, &tm->host, u->index, err) : status;
}

static const struct cw_component_ops component_ops = {
    .kind = "kilo_commit_unit", .domain = CW_DOMAIN_CU, .tick = tick, .state = cw_kilo_unit__state};

int cw_kilo__unit_create(struct cw_kilo_unit **out, struct cw_kilo *tm, uint32_t index, struct cw_error *err)
{
    struct cw_kilo_unit *u = *out = calloc(1, sizeof *u);
    if (u == NULL)
        return CW_ENOMEM;
    u->tm = tm;
    u->hooks = hooks + tm->kind;
    u->index = index;
    u->period = cw_kilo_period(tm, CW_DOMAIN_CU);
    u->component = cw_component_of(&component_ops, u, u->index);
    u->port = cw_mem_socket_of(&tm->host.partition[index], tm->host.index);
    u->port->from_noc.wake = &u->component.wake;
    u->port->l2_done.wake = &u->component.wake;
    u->to_port = tm->wires.notes + index;
    u->entry_cap = 1024;
    u->entry = calloc(u->entry_cap, sizeof *u->entry);
    u->request = calloc(CW_KILO_L2_REQUESTS, sizeof *u->request);
    u->idle = calloc(CW_KILO_L2_REQUESTS, sizeof *u->idle);
    if (u->entry == NULL || u->request == NULL || u->idle == NULL)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < CW_KILO_L2_REQUESTS; i++)
        u->idle[u->idle_cnt++] = (uint16_t)i;
    return create_units(u, err);
}

void cw_kilo__unit_destroy(struct cw_kilo_unit *u)
{
    if (u == NULL)
        return;
    cw_kilo_unit__forget_groups(u);
    cw_kilo_unit__news_destroy(u);
    cw_kilo_hazard_destroy(u->detector);
    cw_adapt_commit_unit_destroy(u->ring);
    free(u->entry);
    free(u->compare.at);
    free(u->write.at);
    free(u->request);
    free(u->idle);
    free(u->out);
    free(u);
}

struct cw_component *cw_kilo__unit_component(struct cw_kilo_unit *u)
{
    return &u->component;
}

bool cw_kilo__unit_idle(const struct cw_kilo_unit *u)
{
    return u->retire == u->tail && u->out_ring.cnt == 0 && u->news_ring.cnt == 0 && u->line_ring.cnt == 0 &&
           u->idle_cnt == CW_KILO_L2_REQUESTS;
}
