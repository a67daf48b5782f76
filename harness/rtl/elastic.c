/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "elastic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AHEAD_STEPS 2u      /* of the model in a cycle of the Verilog, while operations wait for it */
#define PATIENCE    100000u /* steps of the model for an answer: more than any sweep of a table takes */
#define NOBODY      UINT32_MAX

/* A queue of entries of one size, which grows. */
struct queue {
    unsigned char *bytes;
    size_t size, first, cnt, room; /* size of an entry; the others count entries */
};

/* An operation, or a pulse: the inputs of its cycle. */
struct event {
    uint32_t ask; /* which channel; NOBODY: a pulse */
};

struct side {
    struct cw_unit_instance inst;
    void *in, *out;
    struct queue waiting; /* uint64_t cycles: operations that are to be answered */
    uint64_t cycle;
    struct cw_elastic_times *times;
};

struct pair {
    const struct cw_unit *unit;
    const struct cw_elastic_contract *contract;
    struct cw_port *port;
    char *name;
    struct side model, rtl;
    struct queue events;                        /* of what the Verilog has taken and the model has not */
    struct queue expected[CW_ELASTIC_CHANNELS]; /* outputs of the model with an answer */
    void *held;                                 /* outputs of the Verilog in the cycle before */
    bool holding[CW_ELASTIC_CHANNELS];          /* it offered an answer then that was not taken */
    uint64_t given[CW_ELASTIC_CHANNELS];        /* answers */
    bool done;                                  /* a difference was found; nothing is compared any more */
    struct cw_lockstep_report *report;
    struct cw_elastic_tally tally;
};

/* ---- queues ---- */

static void *at(const struct queue *q, size_t i)
{
    return q->bytes + (q->first + i) * q->size;
}

/* Room for one more, at the end; NULL: out of memory, and then there is nothing to compare with. */
static void *add(struct queue *q)
{
    if (q->first + q->cnt == q->room && q->first > q->cnt) {
        memmove(q->bytes, at(q, 0), q->cnt * q->size);
        q->first = 0;
    }
    if (q->first + q->cnt == q->room) {
        unsigned char *more = realloc(q->bytes, (2 * q->room + 16) * q->size);
        if (more == NULL)
            return NULL;
        q->bytes = more;
        q->room = 2 * q->room + 16;
    }
    return at(q, q->cnt++);
}

static void drop(struct queue *q)
{
    q->first++;
    q->cnt--;
    if (q->cnt == 0)
        q->first = 0;
}

static void empty(struct queue *q)
{
    q->first = q->cnt = 0;
}

/* ---- ports ---- */

static const struct cw_port *port_of(const struct pair *p, const char *name)
{
    for (uint32_t i = 0; i < p->unit->port_cnt; i++)
        if (strcmp(p->port[i].name, name) == 0)
            return &p->port[i];
    return NULL;
}

static uint64_t value_of(const struct pair *p, const char *name, const void *ports)
{
    uint64_t value = 0;
    memcpy(&value, (const unsigned char *)ports + port_of(p, name)->offset, sizeof value);
    return value;
}

static void set(const struct pair *p, const char *name, void *ports, uint64_t value)
{
    memcpy((unsigned char *)ports + port_of(p, name)->offset, &value, sizeof value);
}

static size_t bytes_of(const struct cw_port *port)
{
    return port->words == 0 ? sizeof(uint64_t) : port->words * sizeof(uint32_t);
}

/* ---- what is wrong ---- */

static void hex(char text[64], const struct cw_port *port, const void *ports)
{
    const unsigned char *byte = (const unsigned char *)ports + port->offset;
    int used = snprintf(text, 64, "0x");
    size_t i = bytes_of(port);
    while (i > 1 && byte[i - 1] == 0)
        i--;
    for (; i > 0 && used < 60; i--)
        used += snprintf(text + used, 64 - (size_t)used, "%02x", byte[i - 1]);
}

static void say(struct pair *p, int verdict, const char *text)
{
    p->done = true;
    p->tally.broken = verdict;
    if (p->report == NULL || atomic_flag_test_and_set(&p->report->taken))
        return;
    const char *sentences = cw_elastic_sentences(p->contract, verdict);
    cw_fail(&p->report->error, CW_EMISMATCH, "elastic: %s (%s): cycle %" PRIu64 ": %s; %s (%s of the contract) does not hold", p->name,
            p->unit->name, p->rtl.cycle, text, cw_elastic_what(verdict), sentences);
    snprintf(p->report->name, sizeof p->report->name, "%s", p->name);
    atomic_store(&p->report->status, CW_EMISMATCH);
}

/* ---- the model, in its own time ---- */

static bool is_answered(const struct pair *p, uint32_t ask, const void *in)
{
    const struct cw_elastic_ask *a = &p->contract->ask[ask];
    const uint64_t kind = a->kind != NULL ? value_of(p, a->kind, in) : 0;
    return kind < 32 && (a->answered >> kind & 1) != 0;
}

static void note_answer(struct side *s)
{
    if (s->waiting.cnt == 0)
        return;
    const uint64_t cycles = s->cycle - *(const uint64_t *)at(&s->waiting, 0);
    s->times->latency[cycles < CW_ELASTIC_CYCLES ? cycles : CW_ELASTIC_CYCLES - 1]++;
    drop(&s->waiting);
}

static void note_cycle(struct side *s)
{
    const size_t cnt = s->waiting.cnt;
    s->times->occupancy[cnt < CW_ELASTIC_CYCLES ? cnt : CW_ELASTIC_CYCLES - 1]++;
    s->cycle++;
}

static void take_answers(struct pair *p)
{
    for (uint32_t k = 0; k < CW_ELASTIC_CHANNELS && p->contract->answer[k].valid != NULL; k++) {
        if (value_of(p, p->contract->answer[k].valid, p->model.out) == 0)
            continue;
        void *room = add(&p->expected[k]);
        if (room != NULL)
            memcpy(room, p->model.out, p->unit->out_size);
        if (p->contract->answer[k].each)
            note_answer(&p->model);
    }
}

/* A cycle of the model, with the first of the events that wait. */
static void step(struct pair *p)
{
    const struct cw_elastic_contract *c = p->contract;
    struct side *m = &p->model;
    struct event *e = p->events.cnt > 0 ? at(&p->events, 0) : NULL;
    memset(m->in, 0, p->unit->in_size);
    if (e != NULL)
        memcpy(m->in, e + 1, p->unit->in_size);
    for (uint32_t k = 0; k < CW_ELASTIC_CHANNELS && c->ask[k].valid != NULL; k++)
        set(p, c->ask[k].valid, m->in, e != NULL && e->ask == k);
    for (uint32_t k = 0; k < CW_ELASTIC_CHANNELS && c->answer[k].valid != NULL; k++)
        if (c->answer[k].ready != NULL)
            set(p, c->answer[k].ready, m->in, 1);
    if (c->pulse != NULL)
        set(p, c->pulse, m->in, e != NULL && e->ask == NOBODY);
    m->inst.ops->eval(m->inst.self, m->in, m->out);
    take_answers(p);
    const bool taken = e != NULL && (e->ask == NOBODY || value_of(p, c->ask[e->ask].ready, m->out) != 0);
    m->times->offered += e != NULL && e->ask != NOBODY;
    m->times->taken += taken && e->ask != NOBODY;
    if (taken && e->ask != NOBODY && is_answered(p, e->ask, m->in)) {
        uint64_t *cycle = add(&m->waiting);
        if (cycle != NULL)
            *cycle = m->cycle;
    }
    m->inst.ops->tick(m->inst.self, m->in);
    note_cycle(m);
    if (taken)
        drop(&p->events);
}

static bool at_rest(const struct pair *p, const void *out)
{
    return p->contract->rest != NULL && (value_of(p, p->contract->rest, out) != 0) != p->contract->rest_low;
}

/* ---- the Verilog ---- */

static void event(struct pair *p, uint32_t ask, const void *in)
{
    struct event *e = add(&p->events);
    if (e == NULL)
        return;
    e->ask = ask;
    memcpy(e + 1, in, p->unit->in_size);
}

static void take_operations(struct pair *p)
{
    const struct cw_elastic_contract *c = p->contract;
    const struct side *r = &p->rtl;
    for (uint32_t k = 0; k < CW_ELASTIC_CHANNELS && c->ask[k].valid != NULL; k++) {
        const bool offered = value_of(p, c->ask[k].valid, r->in) != 0, taken = offered && value_of(p, c->ask[k].ready, r->out) != 0;
        r->times->offered += offered;
        r->times->taken += taken;
        if (!taken)
            continue;
        event(p, k, r->in);
        uint64_t *cycle = is_answered(p, k, r->in) ? add(&p->rtl.waiting) : NULL;
        if (cycle != NULL)
            *cycle = r->cycle;
    }
    if (c->pulse != NULL && value_of(p, c->pulse, r->in) != 0)
        event(p, NOBODY, r->in);
}

/* The answer that the model has given in this place, when it has. */
static const void *expected(struct pair *p, uint32_t k)
{
    for (uint32_t i = 0; i < PATIENCE && p->expected[k].cnt == 0; i++)
        step(p);
    return p->expected[k].cnt > 0 ? at(&p->expected[k], 0) : NULL;
}

static void compare(struct pair *p, uint32_t k)
{
    const struct cw_elastic_answer *a = &p->contract->answer[k];
    char text[300], value[2][64];
    const void *right = expected(p, k);
    if (right == NULL) {
        snprintf(text, sizeof text, "%s_o is 1, and nothing was asked for that has this answer", a->valid);
        say(p, CW_ELASTIC_ASKED, text);
        return;
    }
    for (uint32_t i = 0; i < CW_ELASTIC_FIELDS && a->field[i] != NULL; i++) {
        const struct cw_port *port = port_of(p, a->field[i]);
        if (memcmp((const unsigned char *)right + port->offset, (const unsigned char *)p->rtl.out + port->offset, bytes_of(port)) == 0)
            continue;
        hex(value[0], port, right);
        hex(value[1], port, p->rtl.out);
        snprintf(text, sizeof text, "%s_o of answer %" PRIu64 " is %s in the C model and %s in the RTL", port->name, p->given[k], value[0],
                 value[1]);
        say(p, (int)k, text);
        return;
    }
    p->tally.checks[k]++;
    p->given[k]++;
    drop(&p->expected[k]);
}

static bool differs(const struct pair *p, const struct cw_elastic_answer *a, const void *was, const void *is, const char **which)
{
    for (uint32_t i = 0; i < CW_ELASTIC_FIELDS && a->field[i] != NULL; i++) {
        const struct cw_port *port = port_of(p, a->field[i]);
        *which = port->name;
        if (was != NULL ? memcmp((const unsigned char *)was + port->offset, (const unsigned char *)is + port->offset, bytes_of(port)) != 0
                        : ((const unsigned char *)is)[port->offset] != 0 ||
                              memcmp((const unsigned char *)is + port->offset, (const unsigned char *)is + port->offset + 1,
                                     bytes_of(port) - 1) != 0)
            return true;
    }
    return false;
}

static void judge_answer(struct pair *p, uint32_t k)
{
    const struct cw_elastic_answer *a = &p->contract->answer[k];
    const bool valid = value_of(p, a->valid, p->rtl.out) != 0;
    const bool taken = valid && (a->ready == NULL || value_of(p, a->ready, p->rtl.in) != 0);
    const char *which = a->valid;
    char text[200];
    if (!valid && p->contract->zeros != NULL && differs(p, a, NULL, p->rtl.out, &which)) {
        snprintf(text, sizeof text, "%s_o is not 0 while %s_o is", which, a->valid);
        say(p, CW_ELASTIC_ZEROS, text);
    } else if (p->holding[k] && (!valid || differs(p, a, p->held, p->rtl.out, &which))) {
        snprintf(text, sizeof text, "%s_o has changed before %s_i was 1", which, a->ready);
        say(p, CW_ELASTIC_HOLDS, text);
    } else if (taken && a->each && p->rtl.waiting.cnt == 0) {
        snprintf(text, sizeof text, "%s_o is 1, and all operations have their answers", a->valid);
        say(p, CW_ELASTIC_ASKED, text);
    } else if (taken) {
        compare(p, k);
        if (a->each)
            note_answer(&p->rtl);
    }
    p->tally.checks[CW_ELASTIC_ZEROS] += !valid && p->contract->zeros != NULL;
    p->tally.checks[CW_ELASTIC_HOLDS] += p->holding[k];
    p->tally.checks[CW_ELASTIC_ASKED] += taken && a->each;
    p->holding[k] = valid && !taken;
}

/* It says that nothing is inside: then each operation has its answer, and the model, which has had the same ones, has no other. */
static void judge_rest(struct pair *p)
{
    char text[160];
    if (!at_rest(p, p->rtl.out))
        return;
    if (p->rtl.waiting.cnt > 0) {
        snprintf(text, sizeof text, "%s_o says that nothing is inside, and %zu operations are without their answer", p->contract->rest,
                 p->rtl.waiting.cnt);
        say(p, CW_ELASTIC_RESTS, text);
        return;
    }
    p->tally.checks[CW_ELASTIC_RESTS]++;
}

/* ---- the pair ---- */

static void side_free(struct side *s)
{
    if (s->inst.ops != NULL)
        s->inst.ops->destroy(s->inst.self);
    free(s->in);
    free(s->out);
    free(s->waiting.bytes);
}

static void pair_destroy(void *self)
{
    struct pair *p = self;
    side_free(&p->model);
    side_free(&p->rtl);
    free(p->events.bytes);
    for (uint32_t k = 0; k < CW_ELASTIC_CHANNELS; k++)
        free(p->expected[k].bytes);
    free(p->port);
    free(p->name);
    free(p->held);
    free(p);
}

static bool side_open(struct side *s, const struct cw_unit *unit)
{
    s->in = calloc(1, unit->in_size);
    s->out = calloc(1, unit->out_size);
    s->waiting.size = sizeof(uint64_t);
    return s->in != NULL && s->out != NULL;
}

int cw_elastic_create(void **self, const void *params, const struct cw_unit_instance *model, const struct cw_unit_instance *rtl,
                      const struct cw_elastic_contract *contract, const char *name, struct cw_lockstep_report *report)
{
    struct pair *p = calloc(1, sizeof *p);
    if (p == NULL) {
        model->ops->destroy(model->self);
        rtl->ops->destroy(rtl->self);
        return CW_ENOMEM;
    }
    p->unit = model->unit;
    p->contract = contract;
    p->report = report;
    p->model = (struct side){.inst = *model, .times = &p->tally.model};
    p->rtl = (struct side){.inst = *rtl, .times = &p->tally.rtl};
    p->tally.broken = -1;
    p->events.size = sizeof(struct event) + p->unit->in_size;
    p->events.size = (p->events.size + 7) / 8 * 8;
    for (uint32_t k = 0; k < CW_ELASTIC_CHANNELS; k++)
        p->expected[k].size = p->unit->out_size;
    p->port = calloc(p->unit->port_cnt, sizeof *p->port);
    p->name = strdup(name);
    p->held = calloc(1, p->unit->out_size);
    if (!side_open(&p->model, p->unit) || !side_open(&p->rtl, p->unit) || p->port == NULL || p->name == NULL || p->held == NULL) {
        pair_destroy(p);
        return CW_ENOMEM;
    }
    p->unit->ports(params, p->port);
    *self = p;
    return CW_OK;
}

static void pair_eval(void *self, const void *in, void *out)
{
    struct pair *p = self;
    memcpy(p->rtl.in, in, p->unit->in_size);
    p->rtl.inst.ops->eval(p->rtl.inst.self, in, p->rtl.out);
    memcpy(out, p->rtl.out, p->unit->out_size);
}

static void pair_tick(void *self, const void *in)
{
    struct pair *p = self;
    if (memcmp(p->rtl.in, in, p->unit->in_size) != 0) /* a tick without eval before it */
        pair_eval(p, in, p->held);
    for (uint32_t k = 0; !p->done && k < CW_ELASTIC_CHANNELS && p->contract->answer[k].valid != NULL; k++)
        judge_answer(p, k);
    if (!p->done)
        judge_rest(p);
    memcpy(p->held, p->rtl.out, p->unit->out_size);
    take_operations(p);
    p->rtl.inst.ops->tick(p->rtl.inst.self, in);
    note_cycle(&p->rtl);
    step(p); /* so that it, too, is through with the beginning when the first operation comes */
    for (uint32_t i = 1; i < AHEAD_STEPS && p->events.cnt > 0; i++)
        step(p);
}

static void side_reset(struct side *s)
{
    s->inst.ops->reset(s->inst.self);
    empty(&s->waiting);
    s->cycle++;
}

static void pair_reset(void *self)
{
    struct pair *p = self;
    side_reset(&p->model);
    side_reset(&p->rtl);
    empty(&p->events);
    for (uint32_t k = 0; k < CW_ELASTIC_CHANNELS; k++) {
        empty(&p->expected[k]);
        p->holding[k] = false;
    }
}

const struct cw_elastic_tally *cw_elastic_tally(const void *self)
{
    return &((const struct pair *)self)->tally;
}

static void add_times(struct cw_elastic_times *sum, const struct cw_elastic_times *more)
{
    for (uint32_t i = 0; i < CW_ELASTIC_CYCLES; i++) {
        sum->latency[i] += more->latency[i];
        sum->occupancy[i] += more->occupancy[i];
    }
    sum->offered += more->offered;
    sum->taken += more->taken;
}

void cw_elastic_add(struct cw_elastic_tally *sum, const struct cw_elastic_tally *more)
{
    for (uint32_t i = 0; i < CW_ELASTIC_VERDICTS; i++)
        sum->checks[i] += more->checks[i];
    add_times(&sum->model, &more->model);
    add_times(&sum->rtl, &more->rtl);
    if (more->broken >= 0)
        sum->broken = more->broken;
}

const struct cw_unit_ops cw_elastic_ops = {.destroy = pair_destroy, .reset = pair_reset, .eval = pair_eval, .tick = pair_tick};
