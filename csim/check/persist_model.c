/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of a run's persists. The events are kept, so that the graph can be made again without some of the ordering operations. */
#include "check/persist_model.h"

#include <stdlib.h>
#include <string.h>

#include "check/persist_private.h"
#include "ir/module.h"
#include "ir/uop.h"

#define NONE   CW_PERSIST_NONE
#define LAUNCH CW_EVENT_TYPES /* no event: a launch is over */

struct order {
    struct cw_persist_model_order told;
    uint32_t launch; /* of its first use */
};

struct cw_persist_model {
    struct cw_event_listener listener;
    enum cw_event_contract contract;
    bool out_of_memory;
    struct cw_event *event;
    uint32_t events, event_cap;
    uint32_t unknown; /* stores of this launch whose value is not known yet */
    uint64_t persists;
    uint64_t *begins; /* [launch] persists before it */
    bool *kept;       /* [launch] */
    const struct cw_module **module;
    uint32_t launches;
    struct cw_persist_model_store *store;
    struct cw_persist_model_node *node;
    uint32_t stores, nodes, store_cap;
    struct order *order;
    uint32_t orders;
};

static uint32_t line_of(const struct cw_uop *uop)
{
    return uop != NULL ? uop->line : 0;
}

/* ---- the events ---- */

static void keep(struct cw_persist_model *m, const struct cw_event *e)
{
    if (m->events == m->event_cap) {
        const uint32_t cap = m->event_cap == 0 ? 1024 : 2 * m->event_cap;
        struct cw_event *larger = realloc(m->event, cap * sizeof *larger);
        if (larger == NULL) {
            m->out_of_memory = true;
            return;
        }
        m->event = larger;
        m->event_cap = cap;
    }
    m->unknown += e->type == CW_EVENT_PM_ISSUE && e->u.word.unknown;
    m->event[m->events++] = *e;
}

static void count_order(struct cw_persist_model *m, const struct cw_event *e)
{
    const uint32_t line = line_of(e->u.order.uop);
    for (uint32_t i = 0; i < m->orders; i++)
        if (m->order[i].told.line == line && m->order[i].told.kind == e->u.order.kind) {
            m->order[i].told.times++;
            return;
        }
    struct order *larger = realloc(m->order, (m->orders + 1) * sizeof *larger);
    if (larger == NULL) {
        m->out_of_memory = true;
        return;
    }
    m->order = larger;
    m->order[m->orders++] =
        (struct order){.told = {.line = line, .kind = e->u.order.kind, .device = e->u.order.device, .times = 1}, .launch = m->launches};
}

/* What an atomic has left is known when it is durable. */
static void learn(struct cw_persist_model *m, const struct cw_event *e)
{
    for (uint32_t i = m->events; m->unknown > 0 && i-- > 0 && m->event[i].type != LAUNCH;) {
        struct cw_event *x = &m->event[i];
        const uint64_t at = x->u.word.addr - e->u.line.addr;
        if (x->type != CW_EVENT_PM_ISSUE || !x->u.word.unknown || x->core != e->core || at >= CW_PERSIST_ROW ||
            (e->u.line.byte_mask[at / 32] >> at % 32 & 15) == 0)
            continue;
        memcpy(&x->u.word.value, e->u.line.data + at, sizeof x->u.word.value);
        x->u.word.unknown = false;
        m->unknown--;
    }
}

static void hear(void *self, const struct cw_event *e)
{
    struct cw_persist_model *m = self;
    if (e->type == CW_EVENT_PERSIST) {
        m->persists++;
        learn(m, e);
        return;
    }
    if (e->type == CW_EVENT_PM_ORDER && e->u.order.kind != CW_ORDER_BEGIN)
        count_order(m, e);
    keep(m, e);
}

/* Room for one launch more. */
static bool grow_launches(struct cw_persist_model *m)
{
    uint64_t *begins = realloc(m->begins, (m->launches + 2) * sizeof *begins);
    m->begins = begins != NULL ? begins : m->begins;
    bool *kept = realloc(m->kept, (m->launches + 1) * sizeof *kept);
    m->kept = kept != NULL ? kept : m->kept;
    const struct cw_module **module = realloc(m->module, (m->launches + 1) * sizeof *module);
    m->module = module != NULL ? module : m->module;
    return begins != NULL && kept != NULL && module != NULL;
}

void cw_persist_model_launched(struct cw_persist_model *m, const struct cw_module *module, bool durable)
{
    const struct cw_event e = {.type = LAUNCH};
    if (!grow_launches(m)) {
        m->out_of_memory = true;
        return;
    }
    m->begins[0] = 0;
    m->unknown = 0;
    m->kept[m->launches] = !durable;
    m->module[m->launches] = module;
    m->begins[++m->launches] = m->persists;
    keep(m, &e);
    for (uint32_t i = 0; i < m->orders; i++)
        if (m->order[i].launch + 1 == m->launches && module != NULL)
            m->order[i].told.source = cw_module_source(module, m->order[i].told.line, &m->order[i].told.source_line);
}

void cw_persist_model_forget(struct cw_persist_model *m)
{
    m->events = m->unknown = m->launches = m->orders = 0;
    m->persists = 0;
}

uint64_t cw_persist_model_persists(const struct cw_persist_model *m, uint32_t launch)
{
    return launch <= m->launches && m->begins != NULL ? m->begins[launch] : 0;
}

bool cw_persist_model_order_at(const struct cw_persist_model *m, uint32_t i, struct cw_persist_model_order *order)
{
    if (i < m->orders)
        *order = m->order[i].told;
    return i < m->orders;
}

/* ---- the graph ---- */

static bool add_store(struct cw_persist_model *m, const struct cw_event *e, uint32_t node, uint32_t launch)
{
    if (m->stores == m->store_cap) {
        const uint32_t cap = m->store_cap == 0 ? 1024 : 2 * m->store_cap;
        struct cw_persist_model_store *larger = realloc(m->store, cap * sizeof *larger);
        if (larger == NULL)
            return false;
        m->store = larger;
        m->store_cap = cap;
    }
    struct cw_persist_model_store *x = &m->store[m->stores++];
    *x = (struct cw_persist_model_store){.addr = e->u.word.addr,
                                         .value = e->u.word.value,
                                         .bytes = e->u.word.bytes,
                                         .node = node,
                                         .launch = launch,
                                         .line = line_of(e->u.word.uop),
                                         .core = e->core,
                                         .warp = e->warp,
                                         .lane = e->lane,
                                         .now = e->now};
    if (launch < m->launches && m->module[launch] != NULL)
        x->source = cw_module_source(m->module[launch], x->line, &x->source_line);
    return true;
}

static void replay_store(struct cw_persist_model *m, struct cw_persist_check *s, const struct cw_event *e, uint32_t launch)
{
    const uint32_t thread = cw_persist__thread_of(s, e);
    const bool own = thread != NONE && cw_persist__is_release(s, thread, e);
    const uint32_t node = thread != NONE && e->u.word.persistent ? cw_persist__segment(s, thread, e, own) : NONE;
    if (node != NONE && !add_store(m, e, node, launch))
        s->out_of_memory = true;
}

/* The operation as it would be; kind CW_ORDER_BEGIN: it would not be there. */
static struct cw_event changed(const struct cw_event *e, enum cw_persist_change change, uint32_t line)
{
    struct cw_event x = *e;
    const bool fence = x.u.order.kind == CW_ORDER_DFENCE || (x.u.order.kind == CW_ORDER_FENCE && x.u.order.device);
    if (change == CW_PERSIST_SAME || (line_of(e->u.order.uop) != line && line != 0))
        return x;
    if (change == CW_PERSIST_WITHOUT)
        x.u.order.kind = CW_ORDER_BEGIN;
    else if (change == CW_PERSIST_AS_OFENCE && fence)
        x.u.order.kind = CW_ORDER_OFENCE;
    else if (change == CW_PERSIST_AS_DFENCE && x.u.order.kind == CW_ORDER_OFENCE)
        x.u.order.kind = CW_ORDER_DFENCE;
    else if (change == CW_PERSIST_AS_DEVICE)
        x.u.order.device = true;
    return x;
}

static void replay_order(struct cw_persist_check *s, const struct cw_event *e, enum cw_persist_change change, uint32_t line)
{
    if (e->u.order.kind == CW_ORDER_BEGIN) {
        cw_persist__ordered(s, e);
        return;
    }
    const struct cw_event x = changed(e, change, line);
    if (x.u.order.kind != CW_ORDER_BEGIN)
        cw_persist__ordered(s, &x);
}

static void replay(struct cw_persist_model *m, struct cw_persist_check *s, enum cw_persist_change change, uint32_t line)
{
    uint32_t launch = 0;
    for (uint32_t i = 0; i < m->events && !s->out_of_memory; i++) {
        const struct cw_event *e = &m->event[i];
        if (e->type == LAUNCH) {
            cw_persist__read_launched(s);
            cw_persist__seen_launched(s, m->kept[launch++]);
            cw_persist__forget_blocks(s);
        } else if (e->type == CW_EVENT_PM_ISSUE) {
            replay_store(m, s, e, launch);
        } else if (e->type == CW_EVENT_SYNC) {
            cw_persist__synced(s, e);
        } else if (e->type == CW_EVENT_STRONG) {
            cw_persist__strong(s, e);
        } else {
            replay_order(s, e, change, line);
        }
    }
}

static bool copy_nodes(struct cw_persist_model *m, const struct cw_persist_check *s)
{
    struct cw_persist_model_node *larger = realloc(m->node, (s->node.cnt + 1) * sizeof *larger);
    if (larger == NULL)
        return false;
    m->node = larger;
    m->nodes = s->node.cnt;
    for (uint32_t i = 0; i < m->nodes; i++)
        memcpy(m->node[i].before, cw_persist__node(s, i)->before, sizeof m->node[i].before);
    return true;
}

int cw_persist_model_graph(struct cw_persist_model *m, enum cw_persist_change change, uint32_t line, struct cw_persist_model_graph *graph,
                           struct cw_error *err)
{
    struct cw_persist_check *s;
    int status = cw_persist_check_create(&s, 1, m->contract, err);
    if (status != CW_OK)
        return status;
    s->keeps = true;
    m->stores = 0;
    status = cw_persist_check_file(s, "", err);
    if (status == CW_OK)
        replay(m, s, change, line);
    if (status == CW_OK && (s->out_of_memory || m->out_of_memory || !copy_nodes(m, s)))
        status = cw_fail(err, CW_ENOMEM, "graph of persists: out of host memory");
    cw_persist_check_destroy(s);
    *graph = (struct cw_persist_model_graph){
        .store = m->store, .node = m->node, .kept = m->kept, .stores = m->stores, .nodes = m->nodes, .launches = m->launches};
    return status;
}

/* ---- the model ---- */

int cw_persist_model_create(struct cw_persist_model **out, enum cw_event_contract contract, struct cw_error *err)
{
    struct cw_persist_model *m = *out = calloc(1, sizeof *m);
    if (m == NULL)
        return cw_fail(err, CW_ENOMEM, "graph of persists: out of host memory");
    m->contract = contract;
    m->listener = (struct cw_event_listener){.types = 1u << CW_EVENT_PM_ISSUE | 1u << CW_EVENT_PM_ORDER | 1u << CW_EVENT_PERSIST |
                                                      1u << CW_EVENT_SYNC | 1u << CW_EVENT_STRONG,
                                             .self = m,
                                             .hear = hear};
    return CW_OK;
}

void cw_persist_model_destroy(struct cw_persist_model *m)
{
    if (m == NULL)
        return;
    free(m->event);
    free(m->begins);
    free(m->kept);
    free(m->module);
    free(m->store);
    free(m->node);
    free(m->order);
    free(m);
}

struct cw_event_listener *cw_persist_model_listener(struct cw_persist_model *m)
{
    return &m->listener;
}
