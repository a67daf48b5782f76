/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshot isolation, partition half (L2 clock): the version index table in front of the L2, and what passes between L2 and interconnect. A
 * transactional access asks for its version when it leaves the crossbar, and for the tables' opinion (scan.c) on its way to the L2. Its
 * answer leaves when both have been there. If edges of it have not been dated by then, DATED follows when they are.
 */
#include "mech/snapshot/port/port.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* Accesses */

static bool grow_ops(struct cw_si_port *u)
{
    const uint32_t cap = u->op_cap == 0 ? 256 : 2 * u->op_cap;
    struct cw_si_op *op = realloc(u->op, cap * sizeof *op);
    if (op == NULL)
        return false;
    u->op = op;
    for (uint32_t i = cap; i-- > u->op_cap;) {
        op[i].next = u->op_free;
        u->op_free = i;
    }
    u->op_cap = cap;
    return true;
}

/* A transactional access joins those that wait for the tables. */
static void join(struct cw_si_port *u, struct cw_message *m, cw_time now)
{
    if (u->op_free == NONE && !grow_ops(u)) {
        cw_mech_fault(&u->tm->host, CW_ENOMEM, "out of host memory for transactional accesses");
        return;
    }
    const uint32_t i = u->op_free;
    u->op_free = u->op[i].next;
    u->op[i] = (struct cw_si_op){.p = m, .since = now, .next = NONE};
    cw_si_access(m)->op = i;
    u->ops++;
    if (u->op_first == NONE) {
        u->op_first = i;
        cw_si__scan_first(u);
    } else {
        u->op[u->op_last].next = i;
    }
    u->op_last = i;
}

/* Each access asks the version index table for its place; its answer is there before the access leaves the ROP delay. */
static uint32_t before_l2(void *self, struct cw_message *m, cw_time now)
{
    struct cw_si_port *u = self;
    const bool own = m->mech == u->tm->host.index + 1, reads_newest = !own || u->tm->sabotage == CW_SI_STALE_INDEX;
    if (m->timing_only)
        return 0;
    if (own)
        cw_si_access(m)->op = CW_SI_NO_OP;
    cw_si__index_look(u->index_table, m, reads_newest ? CW_VERSION_NEWEST : CW_VERSION_SNAPSHOT, own ? cw_si_access(m)->snapshot : 0, now);
    return CW_SI_INDEX_CYCLES;
}

static const struct cw_mem_hooks hooks = {.before_l2 = before_l2};

/* The version index table as a component. */
static void index_tick(void *self, cw_time now)
{
    struct cw_si_port *u = self;
    bool versioned;
    struct cw_message *m = cw_si__index_clock(u->index_table, now, &versioned);
    if (m == NULL || m->mech != u->tm->host.index + 1 || !versioned)
        return;
    join(u, m, now);
    u->component.wake = cw_time_min(u->component.wake, now + u->period);
}

/* Answers */

static void tell_reads(const struct cw_si_port *u, const struct cw_message *p, cw_time now)
{
    const struct cw_tx_access_body *body = cw_tx_access_of(p);
    for (cw_lanes rest = cw_lanes_without(p->lanes, body->aborted); rest != 0; rest = cw_lanes_rest(rest)) {
        uint32_t lane = cw_lanes_first(rest), first = body->lane_offset[lane], end = first + body->bytes, value;
        for (uint32_t at = first & ~3u; at < end; at += 4) {
            memcpy(&value, body->line.data + at, sizeof value);
            cw_tell_word(&u->tm->host, CW_EVENT_REGION_READ, cw_attempt_name_of(p), lane, p->addr + at, value, 15, now);
        }
    }
}

/* What tables and logical times still say of the access is for DATED, which has all of it but its bytes. */
static void leave_rest(struct cw_si_port *u, struct cw_si_op *o, cw_time now)
{
    const struct cw_message *p = o->p;
    struct cw_message *rest = cw_si__message(u, cw_attempt_name_of(p), CW_SI_DATED, &cw_si_access_type, now);
    *cw_si_access(rest) = *cw_si_access_of(p);
    rest->kind = p->kind;
    rest->addr = p->addr;
    rest->lanes = p->lanes;
    o->p = rest;
    o->gone = true;
    u->ahead += !o->scanned;
}

static void answer(struct cw_si_port *u, struct cw_message *p, cw_time now)
{
    const struct cw_config *config = u->tm->config;
    struct cw_si_access_body *body = cw_si_access(p);
    const bool load = p->kind == CW_MSG_READ;
    body->dates = false;
    if (body->op != CW_SI_NO_OP) {
        struct cw_si_op *o = u->op + body->op;
        body->dates = !o->scanned || o->pending > 0;
        if (body->dates)
            leave_rest(u, o, now);
        else
            cw_si__free_op(u, body->op);
        if (load && cw_tell_wanted(&u->tm->host, CW_EVENT_REGION_READ))
            tell_reads(u, p, now);
    }
    p->kind = CW_MSG_OWN_REPLY;
    p->op = CW_SI_ACCESSED;
    p->sectors = load ? p->sectors : 0; /* The answer to a store brings no bytes. */
    cw_message_size(p, load ? CW_SECTOR_BYTES * (uint32_t)__builtin_popcount(p->sectors) : 0, config->noc_header_bytes,
                    config->noc_flit_bytes);
    cw_si__send(u, p);
}

/* Whether the access's answer may leave. Loop detection does not block (4.3), as long as there is room for accesses that the tables are behind. */
static bool may_leave(const struct cw_si_port *u, uint32_t op)
{
    if (op == CW_SI_NO_OP)
        return true;
    if (u->tm->oracle)
        return u->op[op].scanned && u->op[op].pending == 0;
    return u->op[op].scanned || u->ahead < u->tm->keys->si_ahead;
}

/* What has passed the L2. */
static void take_accesses(struct cw_si_port *u, cw_time now)
{
    struct cw_message *p = cw_fifo_peek(&u->port->from_l2, now);
    if (p == NULL || u->out_ring.cnt > 64)
        return;
    if (!may_leave(u, cw_si_access_of(p)->op))
        return;
    answer(u, cw_fifo_pop(&u->port->from_l2, now), now);
}

static void take_verdicts(struct cw_si_port *u, cw_time now)
{
    const struct cw_si_verdict_note *v;
    while ((v = cw_si_line_pop(u->tm->verdict_line + u->index, now)) != NULL) {
        struct cw_si_op *o = u->op + v->op;
        const cw_lanes lane = v->refused ? cw_lanes_one(v->lane) : 0, late = v->write_write ? cw_lanes_one(v->lane) : 0;
        o->pending--;
        cw_si_access(o->p)->loop |= cw_lanes_without(lane, cw_tx_access_of(o->p)->aborted);
        cw_si_access(o->p)->write_write |= late;
        cw_tx_access(o->p)->aborted |= lane | late;
        if (o->gone && o->scanned && o->pending == 0)
            cw_si__tell_rest(u, v->op);
    }
}

/* From the version manager */

/* Of these transactions, those that have run until now. */
static uint32_t running(const struct cw_si_port *u, const struct cw_si_index_note *n)
{
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < n->ids; i++)
        cnt += cw_si_set_has(&u->live, n->id[i]) && u->owner[n->id[i]] == CW_SI_OWNER_RUNS;
    return cnt;
}

/* A transaction reads its version from its begin until it wants to commit, or has aborted. */
static void hear_of_ids(struct cw_si_port *u, const struct cw_si_index_note *n, cw_time now)
{
    if (n->kind == CW_SI_ID_NEW)
        cw_si__index_count(u->index_table, CW_VERSION_HOLD, n->slot, n->ids, now);
    else
        cw_si__index_count(u->index_table, CW_VERSION_RELEASE, n->slot, running(u, n), now);
    cw_si__scan_index(u, n);
}

static void copy(struct cw_si_port *u, const struct cw_si_index_note *n, cw_time now)
{
    if (!u->tm->oracle) {
        cw_si__copy_begin(u, n, now);
        return;
    }
    cw_si__index_op(u->index_table, CW_VERSION_COPY, n->slot, now);
    cw_si__index_op(u->index_table, CW_VERSION_READY, n->slot, now);
}

static void hear(struct cw_si_port *u, cw_time now)
{
    const struct cw_si_index_note *n;
    while ((n = cw_si_line_pop(u->tm->index_line + u->index, now)) != NULL) {
        if (n->kind <= CW_SI_ID_COMMITTED)
            hear_of_ids(u, n, now);
        else if (n->kind == CW_SI_SWEEP)
            cw_si__scan_sweep(u);
        else if (n->kind == CW_SI_COPY)
            copy(u, n, now);
        else if (n->kind == CW_SI_CREATE)
            cw_si__index_close(u->index_table, n->slot, n->number, n->time, now);
        else
            cw_si__index_op(u->index_table, n->kind == CW_SI_FREE ? CW_VERSION_FREE : CW_VERSION_RENUMBER, n->slot, now);
        u->renumbers |= n->kind == CW_SI_RENUMBER;
    }
}

/* Tells the version manager that numbers have begun anew. */
static void tell_renumbered(struct cw_si_port *u, cw_time now)
{
    const struct cw_si_fact_note note = {.kind = CW_SI_RENUMBERED};
    if (!u->renumbers || !cw_si__index_settled(u->index_table, now) || !cw_fifo_can_push(&u->tm->fact[u->index].fifo, now))
        return;
    cw_si_line_push(u->tm->fact + u->index, &note, now, u->tm->postdate);
    u->renumbers = false;
}

static bool lists_sweep(const struct cw_si_port *u)
{
    for (uint32_t i = 0; i < u->tm->keys->si_lists; i++)
        if (cw_adapt_scalable_reader_list_sweeps(u->readers[i]))
            return true;
    return false;
}

/* A sweep is over when it is in all tables. */
static void sweep(struct cw_si_port *u, cw_time now)
{
    const bool over = !cw_adapt_writer_table_sweeps(u->writers) && !lists_sweep(u);
    if (u->sweeping && over && cw_fifo_can_push(&u->tm->fact[u->index].fifo, now)) {
        const struct cw_si_fact_note note = {.kind = CW_SI_SWEPT};
        cw_si_line_push(u->tm->fact + u->index, &note, now, u->tm->postdate);
        u->sweeping = false;
    }
}

/* The component */

static void speak(struct cw_si_port *u, cw_time now)
{
    if (u->out_ring.cnt == 0 || !cw_fifo_can_push(&u->port->reply, now))
        return;
    cw_fifo_push(&u->port->reply, now, u->period, u->out[u->out_ring.head]);
    cw_ring_take(&u->out_ring, CW_SI_OUT);
}

static void tick(void *self, cw_time now)
{
    struct cw_si_port *u = self;
    struct cw_message *p;
    hear(u, now);
    take_verdicts(u, now);
    bool more = u->tm->oracle ? cw_si__oracle_port_step(u, now) : cw_si__scan_step(u, now);
    if (!u->tm->oracle)
        sweep(u, now);
    while ((p = cw_fifo_pop(&u->port->l2_done, now)) != NULL) {
        if (p->kind == CW_MSG_WRITE)
            cw_si__commit_written(u, p, now);
        else
            cw_si__copy_done(u, p);
    }
    take_accesses(u, now);
    cw_si__commit_take(u, now);
    more |= cw_si__commit_step(u, now);
    more |= cw_si__copy_step(u, now);
    tell_renumbered(u, now);
    speak(u, now);
    cw_time next = more || u->out_ring.cnt > 0 || u->renumbers || u->sweeping ? now + u->period : CW_TIME_NEVER;
    next = cw_time_min(next, cw_fifo_next(&u->port->l2_done));
    next = cw_time_min(next, cw_fifo_next(&u->port->from_l2));
    const cw_time in = cw_fifo_next(&u->port->from_noc);
    next = cw_time_min(next, in == CW_TIME_NEVER || in > u->input_free ? in : u->input_free);
    next = cw_time_min(next, cw_fifo_next(&u->tm->index_line[u->index].fifo));
    next = cw_time_min(next, cw_fifo_next(&u->tm->verdict_line[u->index].fifo));
    u->component.wake = next > now ? next : now + u->period;
}

bool cw_si__port_idle(const struct cw_si_port *u)
{
    return u->ops + u->active_cnt + u->out_ring.cnt + u->request_ring.cnt + u->in_l2 == 0 && !u->copy.active &&
           cw_si__index_idle(u->index_table);
}

static const struct cw_component_ops component_ops = {.kind = "si_port", .domain = CW_DOMAIN_L2, .tick = tick, .state = cw_si__port_state};
static const struct cw_component_ops index_component_ops = {
    .kind = "si_index", .domain = CW_DOMAIN_L2, .tick = index_tick, .state = cw_si__port_index_state};

int cw_si__port_create(struct cw_si_port **out, struct cw_si *tm, uint32_t index, struct cw_error *err)
{
    const struct cw_config *config = tm->config;
    struct cw_si_port *u = *out = calloc(1, sizeof *u);
    if (u == NULL)
        return cw_fail(err, CW_ENOMEM, "snapshot isolation: out of host memory");
    u->tm = tm;
    u->index = index;
    u->period = cw_si_period(tm, CW_DOMAIN_L2);
    u->component = cw_component_of(&component_ops, u, u->index);
    u->port = cw_mem_socket_of(&tm->host.partition[index], tm->host.index);
    u->port->from_l2.wake = u->port->from_noc.wake = u->port->l2_done.wake = &u->component.wake;
    tm->index_line[index].fifo.wake = tm->verdict_line[index].fifo.wake = &u->component.wake;
    u->op_free = u->op_first = NONE;
    u->index_component = cw_component_of(&index_component_ops, u, u->index);
    u->state = calloc(CW_SI_STATES, sizeof *u->state);
    u->commit = calloc((size_t)config->core_count * config->core_warps, sizeof *u->commit);
    u->active = calloc((size_t)config->core_count * config->core_warps, sizeof *u->active);
    if (u->state == NULL || u->commit == NULL || u->active == NULL || cw_mem_hook(&tm->host.partition[index], &hooks, u) != CW_OK)
        return cw_fail(err, CW_ENOMEM, "snapshot isolation: out of host memory");
    int status = cw_si__index_create(&u->index_table, tm, index, &u->index_component.wake, err);
    if (status == CW_OK && !tm->oracle)
        status = cw_adapt_writer_table_create(&u->writers, tm->host.units, index, tm->keys->si_writer_words / config->partition_count,
                                              tm->keys->si_id_bits, err);
    const uint32_t lists = tm->keys->si_lists;
    for (uint32_t i = 0; i < lists && status == CW_OK && !tm->oracle; i++)
        status = cw_adapt_scalable_reader_list_create(
            &u->readers[i], tm->host.units,
            &(struct cw_adapt_scalable_reader_list_config){.partition = index,
                                                           .list = i,
                                                           .lists = lists,
                                                           .entries = tm->keys->si_reader_entries / config->partition_count / lists,
                                                           .id_bits = tm->keys->si_id_bits - (uint32_t)__builtin_ctz(lists)},
            err);
    return status == CW_OK && !tm->oracle ? cw_si__copy_create(u, err) : status;
}

void cw_si__port_destroy(struct cw_si_port *u)
{
    if (u == NULL)
        return;
    for (uint32_t i = 0; u->commit != NULL && i < u->tm->config->core_count * u->tm->config->core_warps; i++)
        free(u->commit[i].word);
    free(u->commit);
    free(u->active);
    free(u->op);
    free(u->state);
    cw_adapt_writer_table_destroy(u->writers);
    for (uint32_t i = 0; i < CW_SI_LISTS; i++)
        cw_adapt_scalable_reader_list_destroy(u->readers[i]);
    cw_si__index_destroy(u->index_table);
    free(u);
}

struct cw_component *cw_si__port_component(struct cw_si_port *u)
{
    return &u->component;
}

struct cw_component *cw_si__port_index_component(struct cw_si_port *u)
{
    return &u->index_component;
}

void cw_si__port_launch(struct cw_si_port *u)
{
    cw_si__index_launch(u->index_table);
    if (!u->tm->oracle)
        cw_si__copy_launch(u);
}
