/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C model of the miss status holding registers of an L2 slice (contract: include/cowarp/unit/l2_mshr.h).
 *
 * An operation waits for the cycle of its answer, and looks at the entries in that cycle alone: whoever comes before it has been there. The
 * requests of an entry are a ring of `merge` places.
 */
#include "cowarp/unit/l2_mshr.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/state.h"

typedef struct cw_l2_mshr_in mshr_in;
typedef struct cw_l2_mshr_out mshr_out;

enum kind { REQUEST, COMES, PERFORMED, NOTHING };

#define LATENCY 3u /* Cycles from an operation to its answer. */

struct request {
    uint16_t number;
    uint8_t needs;
};

struct entry {
    bool used, ready;
    uint8_t fetching, touched;
    uint32_t line, first, waiting; /* Place of the first request, and how many wait. */
    uint32_t passed;               /* Writes that have gone on. */
};

struct operation {
    bool there;
    uint8_t kind, sectors;
    uint32_t line, entry;
};

/* Cycles until the head's request is there. */
enum at_head { NOBODY, COMING, HERE };

struct mshr {
    struct cw_l2_mshr_params p;
    struct entry *entry;
    struct request *request;      /* [entry][place] */
    struct operation op[LATENCY]; /* The oldest one, which is answered, comes first. */
    uint32_t *list;               /* Ready entries that are not at the head, in their order. */
    uint32_t listed, used;
    uint32_t at_head, head; /* One of enum at_head; which entry. */
};

static uint32_t mask_of(uint32_t width)
{
    return width >= 32 ? UINT32_MAX : (1u << width) - 1;
}

static void mshr_reset(void *self)
{
    struct mshr *m = self;
    for (uint32_t e = 0; e < m->p.entries; e++)
        m->entry[e] = (struct entry){0};
    for (uint32_t r = 0; r < m->p.entries * m->p.merge; r++)
        m->request[r] = (struct request){0};
    for (uint32_t i = 0; i < LATENCY; i++)
        m->op[i] = (struct operation){0};
    m->listed = m->used = m->head = 0;
    m->at_head = NOBODY;
}

static void mshr_destroy(void *self)
{
    struct mshr *m = self;
    if (m == NULL)
        return;
    free(m->entry);
    free(m->request);
    free(m->list);
    free(m);
}

static int mshr_create(void **self, const void *params)
{
    const struct cw_l2_mshr_params *p = params;
    if (cw_unit_params_check(&cw_l2_mshr_unit, p, NULL) != CW_OK)
        return CW_EINVAL;
    struct mshr *m = calloc(1, sizeof *m);
    if (m == NULL)
        return CW_ENOMEM;
    m->p = *p;
    m->entry = calloc(p->entries, sizeof *m->entry);
    m->request = calloc((size_t)p->entries * p->merge, sizeof *m->request);
    m->list = calloc(p->entries, sizeof *m->list);
    if (m->entry == NULL || m->request == NULL || m->list == NULL) {
        mshr_destroy(m);
        return CW_ENOMEM;
    }
    mshr_reset(m);
    *self = m;
    return CW_OK;
}

/* The entry of a line, or the lowest that is not in use; `entries`: all are. */
static uint32_t of_line(const struct mshr *m, uint32_t line)
{
    uint32_t unused = m->p.entries;
    for (uint32_t e = m->p.entries; e-- > 0;) {
        if (m->entry[e].used && m->entry[e].line == line)
            return e;
        if (!m->entry[e].used)
            unused = e;
    }
    return unused;
}

/* The entry that the answer names; `entries`: none. */
static uint32_t named(const struct mshr *m, const struct operation *op)
{
    if (!op->there)
        return m->p.entries;
    if (op->kind == REQUEST)
        return of_line(m, op->line);
    if (op->kind == COMES && op->entry < m->p.entries && m->entry[op->entry].used)
        return op->entry;
    return op->kind == PERFORMED && m->at_head == HERE ? m->head : m->p.entries;
}

static bool has_room(const struct mshr *m, const struct entry *e)
{
    return e->waiting + e->passed < m->p.merge;
}

static struct request *waits_at(const struct mshr *m, uint32_t e, uint32_t i)
{
    return &m->request[e * m->p.merge + (m->entry[e].first + i) % m->p.merge];
}

/* The operation is the last that the entry needs. */
static bool ends(const struct operation *op, const struct entry *e)
{
    if (op->kind == COMES)
        return e->waiting == 0 && (e->fetching & ~(uint32_t)op->sectors) == 0;
    return op->kind == PERFORMED && e->waiting == 1 && e->fetching == 0;
}

static void mshr_eval(void *self, const void *inputs, void *outputs)
{
    struct mshr *m = self;
    mshr_out *out = outputs;
    const struct operation *op = &m->op[0];
    (void)inputs;
    *out = (mshr_out){.ans_valid = op->there, .head_valid = m->at_head == HERE, .empty = m->used == 0};
    if (m->at_head == HERE)
        out->head_req = waits_at(m, m->head, 0)->number;
    out->idle = m->at_head == HERE || (m->at_head == NOBODY && m->listed == 0);
    for (uint32_t i = 0; i < LATENCY; i++)
        out->idle &= !m->op[i].there;
    const uint32_t name = named(m, op);
    if (name == m->p.entries)
        return;
    const struct entry *e = &m->entry[name];
    out->ans_entry = name;
    out->ans_hit = e->used;
    out->ans_room = op->kind == REQUEST && has_room(m, e);
    if (!e->used)
        return;
    out->ans_behind = op->kind == REQUEST && (e->touched & op->sectors) != 0;
    out->ans_ends = ends(op, e);
    out->ans_line = e->line;
    out->ans_fetching = e->fetching;
}

static void request(struct mshr *m, const mshr_in *in, uint32_t name)
{
    struct entry *e = &m->entry[name];
    const uint32_t sectors = mask_of(m->p.sectors);
    if (!e->used)
        *e = (struct entry){.line = m->op[0].line};
    if (!has_room(m, e))
        return;
    m->used += !e->used;
    e->used = true;
    e->fetching = (uint8_t)(e->fetching | (in->act_fetch & sectors));
    if (in->act_pass & 1) {
        e->passed++;
        return;
    }
    *waits_at(m, name, e->waiting++) = (struct request){(uint16_t)(in->act_req & mask_of(m->p.req_w)), (uint8_t)(in->act_needs & sectors)};
    e->touched |= m->op[0].sectors;
}

/* Whether the entry's first request needs nothing that is not there. */
static bool can_go(const struct mshr *m, const mshr_in *in, uint32_t name)
{
    return m->entry[name].waiting > 0 && (waits_at(m, name, 0)->needs & ~in->act_here) == 0;
}

static void comes(struct mshr *m, const mshr_in *in, uint32_t name)
{
    struct entry *e = &m->entry[name];
    e->fetching = (uint8_t)(e->fetching & ~(uint32_t)m->op[0].sectors);
    if (e->fetching == 0)
        e->passed = 0;
    if (e->ready || !can_go(m, in, name))
        return;
    e->ready = true;
    m->list[m->listed++] = name;
}

static void performed(struct mshr *m, const mshr_in *in, uint32_t name)
{
    struct entry *e = &m->entry[name];
    e->first = (e->first + 1) % m->p.merge;
    if (--e->waiting == 0)
        e->touched = 0;
    e->ready = can_go(m, in, name);
    if (!e->ready)
        m->at_head = NOBODY;
}

static void act(struct mshr *m, const mshr_in *in)
{
    const struct operation *op = &m->op[0];
    const uint32_t name = named(m, op);
    if (name == m->p.entries)
        return;
    const bool over = ends(op, &m->entry[name]);
    if (op->kind == REQUEST)
        request(m, in, name);
    else if (op->kind == COMES)
        comes(m, in, name);
    else
        performed(m, in, name);
    if (over) {
        m->entry[name] = (struct entry){0};
        m->used--;
    }
}

/* The first entry of the list goes to the head. */
static void take_first(struct mshr *m)
{
    m->at_head = COMING;
    m->head = m->list[0];
    m->listed--;
    for (uint32_t i = 0; i < m->listed; i++)
        m->list[i] = m->list[i + 1];
}

static void mshr_tick(void *self, const void *inputs)
{
    struct mshr *m = self;
    const mshr_in *in = inputs;
    const bool takes = m->at_head == NOBODY && m->listed > 0, arrives = m->at_head == COMING; /* Whatever is done in this cycle. */
    if (m->op[0].there && in->act_valid & 1)
        act(m, in);
    if (takes)
        take_first(m);
    if (arrives)
        m->at_head = HERE;
    for (uint32_t i = 0; i + 1 < LATENCY; i++)
        m->op[i] = m->op[i + 1];
    m->op[LATENCY - 1] = (struct operation){.there = in->op_valid & 1,
                                            .kind = in->op_kind & 3,
                                            .sectors = (uint8_t)(in->op_sectors & mask_of(m->p.sectors)),
                                            .line = (uint32_t)in->op_line & mask_of(m->p.line_w),
                                            .entry = in->op_entry & 255};
}

static void entry_state(struct cw_state *s, struct mshr *m, struct entry *e)
{
    CW_STATE(s, e->used);
    CW_STATE(s, e->ready);
    CW_STATE(s, e->fetching);
    CW_STATE(s, e->touched);
    CW_STATE(s, e->line);
    cw_state_count(s, "first", &e->first, m->p.merge - 1);
    cw_state_count(s, "waiting", &e->waiting, m->p.merge);
    cw_state_count(s, "passed", &e->passed, m->p.merge);
}

static void mshr_state(void *self, struct cw_state *s)
{
    struct mshr *m = self;
    for (uint32_t e = 0; e < m->p.entries; e++)
        entry_state(s, m, &m->entry[e]);
    for (uint32_t r = 0; r < m->p.entries * m->p.merge; r++) {
        CW_STATE(s, m->request[r].number);
        CW_STATE(s, m->request[r].needs);
    }
    for (uint32_t i = 0; i < LATENCY; i++) {
        CW_STATE(s, m->op[i].there);
        CW_STATE(s, m->op[i].kind);
        CW_STATE(s, m->op[i].sectors);
        CW_STATE(s, m->op[i].line);
        CW_STATE(s, m->op[i].entry);
    }
    cw_state_count(s, "listed", &m->listed, m->p.entries);
    for (uint32_t i = 0; i < m->listed; i++)
        cw_state_count(s, "list", &m->list[i], m->p.entries - 1);
    cw_state_count(s, "used", &m->used, m->p.entries);
    cw_state_count(s, "at_head", &m->at_head, HERE);
    cw_state_count(s, "head", &m->head, m->p.entries - 1);
}

#define CW_UNIT__PARAMS_T struct cw_l2_mshr_params
#define CW_UNIT__IN_T     struct cw_l2_mshr_in
#define CW_UNIT__OUT_T    struct cw_l2_mshr_out
CW_UNIT_DEFINE(l2_mshr, CW_L2_MSHR_PARAMS, CW_L2_MSHR_PORTS, mshr_create, mshr_destroy, mshr_reset, mshr_eval, mshr_tick, mshr_state);
