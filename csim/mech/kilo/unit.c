/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commit unit of Kilo TM (Fung 2015, 4.2.5 and Figure 4.5; rates after [art]): the datapath around its ring (kilo_ring.h). Entries lie
 * in the ring in the order of their commit IDs, one per transaction. Four pointers pass over it, each by at most one entry per CU cycle:
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
 * Here: what the ring asks for, and the cycle. Messages and logs are in kilo_unit_log.c, accesses of the L2 in kilo_unit_l2.c, what the
 * unit says in kilo_unit_out.c.
 */
#include "mech/kilo/unit.h"

bool cw_kilo_unit__grow_ring(void **ring, uint32_t *cap, uint32_t *head, uint32_t cnt, size_t bytes)
{
    uint32_t larger = *cap == 0 ? 64 : 2 * *cap;
    char *moved = malloc(larger * bytes);
    if (moved == NULL)
        return false;
    for (uint32_t i = 0; i < cnt; i++)
        memcpy(moved + i * bytes, (char *)*ring + ((*head + i) & (*cap - 1)) * bytes, bytes);
    free(*ring);
    *ring = moved;
    *cap = larger;
    *head = 0;
    return true;
}

/* Hazard detection */

/* Commit IDs below are a hazard to nobody any more: RCIDs ascend in the order of arrival. */
static uint64_t live(const struct cw_kilo_unit *u)
{
    return u->oldest != NULL ? u->oldest->rcid : u->retire;
}

void cw_kilo_unit__hazards_done(struct cw_kilo_unit *u, struct cw_kilo_group *g)
{
    *(g->older != NULL ? &g->older->younger : &u->oldest) = g->younger;
    *(g->younger != NULL ? &g->younger->older : &u->youngest) = g->older;
}

/* Whether both sets of the entry are at hand as far as they are needed now. */
static bool word_here(struct cw_kilo_unit *u, struct cw_kilo_entry *e, cw_time now)
{
    const struct cw_kilo_group *g = e->group;
    if (!cw_kilo_unit__whole(u, e, e->pass_over, now))
        return false;
    if (!e->started) {
        e->started = true;
        e->cursor = g->head[e->pass_over][e->lane];
    }
    if (e->pass_over == 0 && e->cursor == CW_KILO_NIL) {
        cw_kilo_unit__cut(u, e, 0);
        e->pass_over = 1;
        e->started = cw_kilo_unit__whole(u, e, 1, now);
        e->cursor = g->head[1][e->lane];
    }
    return e->started;
}

/* The word at the cursor is the last of both sets. */
static bool last_word(const struct cw_kilo_group *g, const struct cw_kilo_entry *e)
{
    return g->word[e->cursor].next == CW_KILO_NIL && (e->pass_over == 1 || (g->head[1][e->lane] == CW_KILO_NIL && !e->over[1]));
}

/* What the hazard unit is offered of the ring's entry: false if nothing. */
static bool next_word(struct cw_kilo_unit *u, const struct cw_kilo_ring_view *v, struct cw_kilo_hazard_entry *offer, cw_time now)
{
    struct cw_kilo_entry *e = cw_kilo_unit__at(u, v->hazard_id);
    const struct cw_kilo_group *g = e->group;
    if (!word_here(u, e, now))
        return false;
    *offer = (struct cw_kilo_hazard_entry){.kind = CW_HAZARD_NONE, .entry = v->hazard_id, .last = e->cursor == CW_KILO_NIL};
    if (e->cursor == CW_KILO_NIL)
        return true;
    offer->kind = e->pass_over == 0 ? CW_HAZARD_CHECK : CW_HAZARD_RECORD;
    offer->last = last_word(g, e);
    offer->addr = g->word[e->cursor].addr;
    offer->rcid = v->hazard_rcid;
    /* A warp without conflicts among its lanes never waits for itself: this would be a false hit, behind which an older writer may be. */
    offer->own = u->tm->resolution != CW_KILO_NONE ? g->first : v->hazard_id;
    offer->id = offer->kind == CW_HAZARD_CHECK ? offer->own : v->hazard_id;
    return true;
}

/* Returns whether the entry has been taken in full. */
static bool word_taken(struct cw_kilo_unit *u, uint64_t id)
{
    struct cw_kilo_entry *e = cw_kilo_unit__at(u, id);
    bool last = e->cursor == CW_KILO_NIL || last_word(e->group, e);
    if (e->cursor != CW_KILO_NIL) {
        e->cursor = e->group->word[e->cursor].next;
        u->tm->cfg.stats->cu_hazard_cycles++;
    }
    if (!last)
        return false;
    cw_kilo_unit__cut(u, e, 0);
    cw_kilo_unit__cut(u, e, 1);
    cw_kilo_ring_take_hazard(u->ring);
    if (--e->group->undetected == 0)
        cw_kilo_unit__hazards_done(u, e->group);
    return true;
}

static void detected(struct cw_kilo_unit *u, const struct cw_kilo_hazard_result *r, bool later)
{
    bool hazard = r->hazard && u->tm->sabotage != CW_KILO_IGNORE_HAZARD;
    u->tm->cfg.stats->cu_hazards += hazard;
    u->tm->cfg.stats->cu_hazards_filter += hazard && !r->exact;
    cw_kilo_unit__check(u, cw_kilo_ring_detected(u->ring, r->entry, hazard, r->ycid, later));
}

/* The cycles of the hazard unit in one of the commit unit's; false: nothing to do until a message comes. */
static bool hazard_step(struct cw_kilo_unit *u, const struct cw_kilo_ring_view *v, cw_time now)
{
    struct cw_kilo_hazard_entry offer;
    struct cw_kilo_hazard_result result = {.entry = v->hazard_id};
    bool taken = false, busy = false;
    if (u->detector == NULL) { /* nothing is left to detect */
        if (v->hazard) {
            cw_kilo_unit__at(u, v->hazard_id)->cursor = CW_KILO_NIL;
            taken = word_taken(u, v->hazard_id);
            detected(u, &result, true);
        }
        return taken;
    }
    for (uint32_t i = 0; i < u->tm->config->kilo_hazard_rate; i++) {
        bool offered = v->hazard && !taken && next_word(u, v, &offer, now);
        if (cw_kilo_hazard_clock(u->detector, offered ? &offer : NULL, live(u), &result))
            taken = word_taken(u, v->hazard_id);
        if (result.valid)
            detected(u, &result, taken && result.entry == v->hazard_id);
        busy |= offered;
    }
    return busy || cw_kilo_hazard_busy(u->detector);
}

/* Verdicts */

/* The local result of an entry, to the core. */
static void report(struct cw_kilo_unit *u, const struct cw_kilo_ring_view *v, cw_time now)
{
    struct cw_kilo_entry *e = cw_kilo_unit__at(u, v->report_id);
    struct cw_kilo_group *g = e->group;
    uint32_t bit = 1u << e->lane;
    cw_kilo_unit__release(u, e, v->report_pass ? 1 : 3, now);
    if (v->report_pass) {
        g->passed |= bit;
    } else {
        g->failed |= bit;
        cw_kilo_unit__forget_expected(u, g, e->lane);
    }
    if (!u->tm->aggregate)
        cw_kilo_unit__send(u, g, CW_KILO_VERDICT, g->passed & bit, g->failed & bit, now);
    else if ((g->passed | g->failed) == g->accessed)
        cw_kilo_unit__send(u, g, CW_KILO_VERDICT, g->passed, g->failed, now);
    cw_kilo_unit__announce_end(u, g, now);
}

/* WarpTM-EL: the core has decided long ago, so the result is its own decision; it takes the place of a message. */
static void decide_reported(struct cw_kilo_unit *u, const struct cw_kilo_ring_view *v)
{
    struct cw_kilo_group *g = cw_kilo_unit__at(u, v->report_id)->group;
    const struct cw_kilo_ring_message m = {.kind = CW_COMMIT_OUTCOME, .first = v->report_id, .entries = 1, .pass = 1};
    g->passed |= 1u << cw_kilo_unit__at(u, v->report_id)->lane;
    cw_kilo_ring_message(u->ring, &m);
}

static void revalidate(struct cw_kilo_unit *u, uint64_t id, cw_time now)
{
    struct cw_kilo_entry *e = cw_kilo_unit__at(u, id);
    if (!cw_kilo_unit__whole(u, e, 0, now))
        return;
    cw_kilo_ring_take_revalidate(u->ring);
    bool reads = e->group->head[0][e->lane] != CW_KILO_NIL; /* kilo.hazard=bloom-array finds hazards of writes as well */
    if (!reads || u->tm->sabotage == CW_KILO_SKIP_REVALIDATION) {
        cw_kilo_unit__check(u, cw_kilo_ring_validated(u->ring, id, true, true));
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
    u->tm->cfg.stats->cu_wait_cycles += (now - u->waiting) / u->period;
    u->waiting = 0;
}

/* Write-back */

static void begin_write(struct cw_kilo_unit *u, uint64_t id, cw_time now)
{
    struct cw_kilo_entry *e = cw_kilo_unit__at(u, id);
    if (!cw_kilo_unit__whole(u, e, 1, now))
        return;
    cw_kilo_ring_take_write(u->ring);
    e->writing = true;
    if (u->tm->sabotage == CW_KILO_OUT_OF_ORDER) {
        if (e->written)
            cw_kilo_unit__check(u, cw_kilo_ring_written(u->ring, id, true));
        return;
    }
    e->group->committing |= 1u << e->lane;
    if (!u->tm->coalesce)
        cw_kilo_unit__queue_lane(u, e->group, e->lane, u->batches++);
}

void cw_kilo_unit__write_at_once(struct cw_kilo_unit *u, struct cw_kilo_group *g, uint32_t lanes)
{
    for (uint32_t rest = lanes & g->writers; rest != 0; rest &= rest - 1)
        cw_kilo_unit__queue_lane(u, g, (uint32_t)__builtin_ctz(rest), u->batches++);
}

/* The commit pointer has passed these entries: a warp's lanes write together. */
static void follow_commit(struct cw_kilo_unit *u, uint64_t commit)
{
    for (; u->commit < commit; u->commit++) {
        struct cw_kilo_group *g = cw_kilo_unit__at(u, u->commit)->group;
        if (!u->tm->coalesce || u->commit + 1 != g->first + g->cnt)
            continue;
        for (uint32_t rest = g->committing; rest != 0; rest &= rest - 1)
            cw_kilo_unit__queue_lane(u, g, (uint32_t)__builtin_ctz(rest), u->batches);
        u->batches++;
    }
}

static void count_retired(struct cw_kilo_unit *u, struct cw_kilo_entry *e, cw_time now)
{
    cw_kilo_unit__release(u, e, 3, now);
    if (e->used != 0) {
        cw_kilo_unit__census(u, CW_KILO_ACCESSED, -1, now);
        cw_kilo_unit__census(u, CW_KILO_USED, -(int64_t)cw_kilo_lane_cnt(e->used), now);
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

/* Tells the ID vendor, when it needs to know: with a ring for all that can be under way, not of every entry. */
static void publish(struct cw_kilo_unit *u, cw_time now)
{
    if (u->tm->vendor == NULL)
        return;
    struct cw_fifo *to = cw_kilo__vendor_retired(u->tm->vendor, u->index);
    bool due = u->tm->config->kilo_entries != 0 || u->retire == u->tail || u->retire - u->published >= u->tm->window / 8;
    if (!due || u->published == u->retire || !cw_fifo_can_push(to, now))
        return;
    cw_fifo_push(to, now, u->tm->config->kilo_id_latency * cw_kilo_period(u->tm, CW_DOMAIN_CORE), (void *)(uintptr_t)(u->retire + 1));
    u->published = u->retire;
}

static void tick(void *self, cw_time now)
{
    struct cw_kilo_unit *u = self;
    bool decides = u->tm->kind == CW_KILO_EL;
    cw_kilo_unit__take_done(u, now);
    const struct cw_kilo_ring_view *v = cw_kilo_ring_look(u->ring);
    follow_commit(u, v->commit);
    if (v->report && !decides)
        report(u, v, now);
    follow_retire(u, v->oldest, now);
    count_waiting(u, v->waiting, now);
    cw_kilo_unit__speak(u, now);
    cw_kilo_unit__issue_accesses(u, now);
    bool more = hazard_step(u, v, now);
    if (v->revalidate)
        revalidate(u, v->revalidate_id, now);
    if (v->write)
        begin_write(u, v->write_id, now);
    publish(u, now);
    if (v->report && decides)
        decide_reported(u, v);
    else
        more |= cw_kilo_unit__accept(u, now);
    more |= cw_kilo_ring_clock(u->ring);
    more |= u->write.cnt > 0 || u->compare.cnt > 0 || u->out_cnt > 0;
    cw_time next = cw_fifo_next(&u->port->from_noc);
    next = next < u->input_free ? u->input_free : next;
    cw_time done = cw_fifo_next(&u->port->l2_done);
    next = done < next ? done : next;
    if (u->line_cnt > 0 && u->request[u->line[u->line_head]].ready < next)
        next = u->request[u->line[u->line_head]].ready;
    u->component.wake = !more && next > now ? next : now + u->period;
}

/* Everything else */

static int create_units(struct cw_kilo_unit *u, struct cw_error *err)
{
    struct cw_kilo *tm = u->tm;
    uint32_t id_bits = tm->config->kilo_id_bits;
    if (cw_kilo_arbitrated(tm)) /* whose IDs are without bound */
        return cw_kilo_ring_create(&u->ring, &tm->cfg, u->index, tm->window, 20, err);
    uint64_t entries = (tm->window + CW_LANES - 1) / CW_LANES * CW_LANES, ids = UINT64_C(1) << id_bits;
    int status = cw_kilo_ring_create(&u->ring, &tm->cfg, u->index, (uint32_t)(entries < ids ? entries : ids), id_bits, err);
    return status == CW_OK ? cw_kilo_hazard_create(&u->detector, &tm->cfg, u->index, err) : status;
}

int cw_kilo__unit_create(struct cw_kilo_unit **out, struct cw_kilo *tm, uint32_t index, struct cw_error *err)
{
    struct cw_kilo_unit *u = *out = calloc(1, sizeof *u);
    if (u == NULL)
        return CW_ENOMEM;
    u->tm = tm;
    u->index = index;
    u->period = cw_kilo_period(tm, CW_DOMAIN_CU);
    u->component = (struct cw_component){.tick = tick, .self = u, .wake = CW_TIME_NEVER, .domain = CW_DOMAIN_CU};
    u->port = cw_partition_socket_of(tm->cfg.partition[index], tm->cfg.index);
    u->port->from_noc.wake = &u->component.wake;
    u->port->l2_done.wake = &u->component.wake;
    u->to_cores = tm->port[index];
    u->entry_cap = 1024;
    u->entry = calloc(u->entry_cap, sizeof *u->entry);
    u->request = calloc(CW_KILO_REQUESTS, sizeof *u->request);
    u->idle = calloc(CW_KILO_REQUESTS, sizeof *u->idle);
    if (u->entry == NULL || u->request == NULL || u->idle == NULL)
        return CW_ENOMEM;
    for (uint32_t i = 0; i < CW_KILO_REQUESTS; i++)
        u->idle[u->idle_cnt++] = (uint16_t)i;
    return create_units(u, err);
}

void cw_kilo__unit_destroy(struct cw_kilo_unit *u)
{
    if (u == NULL)
        return;
    for (uint64_t id = u->retire; u->entry != NULL && id < u->tail; id++) {
        struct cw_kilo_group *g = cw_kilo_unit__at(u, id)->group;
        if (g != NULL && --g->live == 0) {
            g->next = u->groups;
            u->groups = g;
        }
    }
    while (u->groups != NULL) {
        struct cw_kilo_group *next = u->groups->next;
        free(u->groups->word);
        free(u->groups);
        u->groups = next;
    }
    cw_kilo_hazard_destroy(u->detector);
    cw_kilo_ring_destroy(u->ring);
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
    return u->retire == u->tail && u->out_cnt == 0 && u->line_cnt == 0 && u->idle_cnt == CW_KILO_REQUESTS;
}
