/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small machine around a transactional system, for its unit tests: cores that run scripted transactions, a network and partitions with
 * fixed latencies, and, if wanted, a validation unit written straight from its contract whose tables a test can read. It takes the place of
 * csim/core and csim/mem at link time.
 */
#ifndef CW_TESTS_UNIT_TM_MACHINE_H
#define CW_TESTS_UNIT_TM_MACHINE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "check/serial.h"
#include "cowarp/unit/validation_unit.h"
#include "cw_test.h"
#include "mech/mechs.h"
#include "mech/tm/tm.h"
#include "mem/address.h"
#include "mem/device_memory_private.h"
#include "mem/partition.h"
#include "own_keys.h"

#define M_CORES      4
#define M_WARPS      8
#define M_PARTITIONS 3
#define M_OPS        12
#define M_REGS       8
#define M_NET        5u  /* latency of the network, core cycles */
#define M_ROP        24u /* from network to validation unit */
#define M_WRITE      12u /* commit write */
#define M_BASE       CW_GLOBAL_BASE

/* Step of a transaction: loads into, or stores from, registers reg .. reg + vec - 1; a store adds `add`. */
struct m_op {
    bool store;
    uint8_t elem, vec, reg;
    int64_t add;
    uint64_t addr[CW_LANES];
};

struct m_tx {
    uint32_t lanes, op_cnt;
    struct m_op op[M_OPS];
};

struct m_warp {
    const struct m_tx *tx; /* transactions to run, one after the other */
    uint32_t tx_cnt, tx_at;
    uint32_t limit;         /* ops from here on wait; op_cnt stands for the commit. Raise it to go on. */
    uint32_t at;            /* next op of the attempt */
    cw_lanes t, r, reached; /* the two entries' masks */
    bool in_tx, asks, committing;
    struct cw_mem_inst inst; /* one at a time */
    bool out;                /* it is out */
    bool taken;              /* by the system */
    cw_time not_before;
    uint32_t attempts;
    uint64_t reg[M_REGS][CW_LANES];
};

struct m_log {
    cw_time at;
    uint32_t warp, cookie;
};

struct machine;

struct cw_core {
    struct machine *m;
    uint32_t index;
    void *tm;
    struct m_warp warp[M_WARPS];
    struct cw_fifo up[M_PARTITIONS], down[M_PARTITIONS];
    struct m_log log[64];
    uint32_t log_head, log_cnt, log_total, shared_total;
    cw_time log_port, shared_port, send_port, tm_next;
    uint32_t sent[CW_MSG_OWN_REPLY + 1], sent_bytes;
    bool refuse; /* the network takes nothing */
};

struct m_partition {
    struct machine *m;
    uint32_t index;
    struct cw_mem_socket tm;
    struct cw_fifo rop, write;
    uint32_t turn;
    uint32_t replied[2], replied_bytes;
};

/* Validation unit from the contract: unlimited exact tables. */
struct m_entry {
    uint64_t granule, wts, rts;
    uint32_t writes, owner;
};

struct m_request {
    uint64_t granule, warpts;
    uint32_t kind, owner, id;
};

struct m_unit {
    struct cw_validation_unit_params p;
    struct m_entry entry[256];
    uint32_t entry_cnt;
    struct m_request stalled[64];
    uint32_t stalled_cnt;
    uint32_t rsp_id[256], rsp_outcome[256];
    uint64_t rsp_ts[256];
    uint32_t rsp_head, rsp_cnt;
    bool rollover;
};

struct machine {
    struct cw_config config;
    struct cw_clocks clocks;
    struct cw_stats stats;
    struct cw_memory *memory;
    struct cw_message_pool pool;
    struct cw_core core[M_CORES], *cores[M_CORES];
    struct m_partition partition[M_PARTITIONS];
    struct cw_mem_service partitions[M_PARTITIONS];
    const struct cw_mech *system;
    void *tm;
    struct cw_component *component[4 * M_PARTITIONS];
    uint32_t component_cnt;
    struct cw_serial *serial;
    struct cw_events events;
    struct cw_unit_provider doubles;
    struct m_unit *unit[M_PARTITIONS]; /* when doubles are used */
    uint32_t unit_cnt;
    bool reverse;
    uint64_t progress;
    cw_time now;
    char fault[128];
};

/* ---- validation unit ---- */

static inline struct m_entry *m_entry(struct m_unit *u, uint64_t granule)
{
    for (uint32_t i = 0; i < u->entry_cnt; i++)
        if (u->entry[i].granule == granule)
            return u->entry + i;
    assert_true(u->entry_cnt < 256);
    u->entry[u->entry_cnt] = (struct m_entry){.granule = granule};
    return u->entry + u->entry_cnt++;
}

static inline void m_answer(struct m_unit *u, uint32_t id, uint32_t outcome, uint64_t ts)
{
    uint32_t at = (u->rsp_head + u->rsp_cnt++) % 256;
    assert_true(u->rsp_cnt <= 256);
    u->rsp_id[at] = id;
    u->rsp_outcome[at] = outcome;
    u->rsp_ts[at] = ts;
}

/* Figure 6 of the GETM paper. */
static inline void m_decide(struct m_unit *u, struct m_request r, bool drain)
{
    struct m_entry *e = m_entry(u, r.granule);
    bool load = r.kind == CW_VU_LOAD, owner = e->writes > 0 && e->owner == r.owner;
    uint64_t top = (UINT64_C(1) << u->p.ts_w) - 1, need = load || e->wts > e->rts ? e->wts : e->rts;
    u->rollover = u->rollover || r.warpts >= top - top / 8;
    if (r.warpts == top) {
        m_answer(u, r.id, CW_VU_ROLLOVER, 0);
    } else if (!owner && need > r.warpts) {
        m_answer(u, r.id, CW_VU_ABORT, need);
    } else if (!owner && e->writes > 0) {
        if (drain)
            m_answer(u, r.id, CW_VU_ROLLOVER, 0);
        else if (u->stalled_cnt == u->p.stall_lines * u->p.stall_entries)
            m_answer(u, r.id, CW_VU_FULL, r.warpts);
        else
            u->stalled[u->stalled_cnt++] = r;
    } else {
        if (load && r.warpts > e->rts)
            e->rts = r.warpts;
        if (!load && !owner) {
            e->wts = r.warpts + 1;
            e->owner = r.owner;
        }
        e->writes += !load;
        m_answer(u, r.id, CW_VU_SUCCESS, 0);
    }
}

static inline void m_release(struct m_unit *u, uint64_t granule, uint32_t count, bool drain)
{
    struct m_entry *e = m_entry(u, granule);
    assert_true(count >= 1 && e->writes >= count); /* reservations are given back exactly */
    e->writes -= count;
    while (e->writes == 0) {
        uint32_t best = u->stalled_cnt;
        for (uint32_t i = 0; i < u->stalled_cnt; i++)
            if (u->stalled[i].granule == granule && (best == u->stalled_cnt || u->stalled[i].warpts < u->stalled[best].warpts))
                best = i;
        if (best == u->stalled_cnt)
            return;
        struct m_request r = u->stalled[best];
        memmove(u->stalled + best, u->stalled + best + 1, (--u->stalled_cnt - best) * sizeof r);
        m_decide(u, r, drain);
    }
}

static inline void m_unit_eval(void *self, const void *in, void *out)
{
    struct m_unit *u = self;
    struct cw_validation_unit_out *o = out;
    (void)in;
    *o = (struct cw_validation_unit_out){.req_ready = u->rsp_cnt<100, .rsp_valid = u->rsp_cnt> 0,
                                         .rollover = u->rollover,
                                         .busy = u->rsp_cnt > 0,
                                         .stall_occupancy = u->stalled_cnt};
    if (u->rsp_cnt == 0)
        return;
    o->rsp_id = u->rsp_id[u->rsp_head];
    o->rsp_outcome = u->rsp_outcome[u->rsp_head];
    o->rsp_ts = u->rsp_ts[u->rsp_head];
}

static inline void m_unit_tick(void *self, const void *in)
{
    struct m_unit *u = self;
    const struct cw_validation_unit_in *i = in;
    bool ready = u->rsp_cnt < 100;
    if (u->rsp_cnt > 0 && i->rsp_ready) {
        u->rsp_head = (u->rsp_head + 1) % 256;
        u->rsp_cnt--;
    }
    for (; i->drain && u->stalled_cnt > 0; u->stalled_cnt--)
        m_answer(u, u->stalled[u->stalled_cnt - 1].id, CW_VU_ROLLOVER, 0);
    if (i->flush) {
        for (uint32_t k = 0; k < u->entry_cnt; k++)
            assert_true(u->entry[k].writes == 0);
        assert_true(u->rsp_cnt == 0 && u->stalled_cnt == 0);
        u->entry_cnt = 0;
        u->rollover = false;
    }
    if (!i->req_valid || !ready)
        return;
    if (i->req_kind == CW_VU_RELEASE)
        m_release(u, i->req_granule, (uint32_t)i->req_count, i->drain != 0);
    else
        m_decide(u, (struct m_request){i->req_granule, i->req_warpts, (uint32_t)i->req_kind, (uint32_t)i->req_owner, (uint32_t)i->req_id},
                 i->drain != 0);
}

static inline int m_unit_open(void *context, const struct cw_unit *unit, const char *name, const void *params,
                              struct cw_unit_instance *instance, struct cw_error *err)
{
    static const struct cw_unit_ops ops = {.destroy = free, .eval = m_unit_eval, .tick = m_unit_tick};
    struct machine *m = context;
    if (unit != &cw_validation_unit_unit)
        return cw_unit_provider_c()->open(NULL, unit, name, params, instance, err);
    struct m_unit *u = calloc(1, sizeof *u);
    assert_true(u != NULL);
    memcpy(&u->p, params, sizeof u->p);
    m->unit[m->unit_cnt++] = u;
    *instance = (struct cw_unit_instance){.unit = unit, .ops = &ops, .self = u};
    return CW_OK;
}

/* ---- cores ---- */

static const struct cw_uop m_uop_ld = {.op = CW_OP_LD}, m_uop_st = {.op = CW_OP_ST};

static inline void m_event(struct cw_core *c)
{
    if (c->tm_next > c->m->now + 1)
        c->tm_next = c->m->now + 1;
}

static inline void m_attempt_over(struct cw_core *c, uint32_t w)
{
    struct m_warp *p = c->warp + w;
    if (p->t != 0 || p->out || p->committing)
        return;
    p->committing = true;
    c->m->system->core->region_end(c->tm, w, p->reached, c->m->now);
    m_event(c);
}

void cw_core_wake_warp(struct cw_core *c, uint32_t warp, cw_time now)
{
    (void)now;
    c->warp[warp].asks = false;
}

void cw_core_region_abort(struct cw_core *c, uint32_t warp, cw_lanes lanes)
{
    struct m_warp *p = c->warp + warp;
    assert_true(p->in_tx && (lanes & ~(p->t | p->reached)) == 0);
    p->t &= ~lanes;
    p->reached &= ~lanes;
    p->r |= lanes;
    if (!p->committing)
        m_attempt_over(c, warp);
}

void cw_core_region_end(struct cw_core *c, uint32_t warp, cw_time now, cw_time restart)
{
    struct m_warp *p = c->warp + warp;
    assert_true(p->in_tx && p->committing && p->t == 0 && restart >= now);
    p->committing = false;
    p->reached = 0;
    p->at = 0;
    p->not_before = restart > now ? restart : now + 1;
    p->in_tx = p->r != 0;
    p->t = p->r;
    p->r = 0;
    p->attempts++;
    if (!p->in_tx)
        p->tx_at++;
}

cw_lanes cw_core_region_aborted(const struct cw_core *c, uint32_t warp)
{
    return c->warp[warp].r;
}

/* No test of a protocol saves a core. */
void cw_core_inst_state(struct cw_state *s, struct cw_core *c, struct cw_mem_inst **inst)
{
    (void)c;
    (void)inst;
    cw_state_fail(s, CW_EUNSUP, "this core is a double");
}

uint32_t cw_core_attempt(const struct cw_core *c, uint32_t w)
{
    return c->warp[w].attempts;
}

void cw_core_mem_done(struct cw_core *c, struct cw_mem_inst *inst, cw_time now)
{
    struct m_warp *p = c->warp + inst->warp;
    const struct m_op *op = p->tx[p->tx_at].op + p->at;
    (void)now;
    assert_true(p->out && inst == &p->inst);
    for (uint32_t lane = 0; lane < CW_LANES && !op->store; lane++)
        for (uint32_t v = 0; v < op->vec && (inst->lanes & p->t) >> lane & 1; v++)
            p->reg[op->reg + v][lane] = inst->value[v][lane];
    p->out = false;
    p->at++;
    if (p->t == 0)
        m_attempt_over(c, inst->warp);
}

bool cw_core_send(struct cw_core *c, struct cw_message *p, cw_time now)
{
    if (c->refuse || c->send_port == now)
        return false;
    c->send_port = now;
    p->core = (uint16_t)c->index;
    p->partition = (uint16_t)cw_address_partition(&c->m->config, p->addr);
    c->sent[p->kind]++;
    c->sent_bytes += c->m->config.noc_header_bytes + p->payload_bytes;
    cw_fifo_push(&c->up[p->partition], now, M_NET, p);
    return true;
}

bool cw_core_log_access(struct cw_core *c, uint32_t warp, uint32_t word, bool write, uint32_t cookie, cw_time now)
{
    (void)write;
    assert_true(word < c->m->system->local_bytes(&c->m->config) / 4);
    if (c->log_port == now || c->log_cnt == 64)
        return false;
    c->log_port = now;
    c->log_total++;
    c->log[(c->log_head + c->log_cnt++) % 64] = (struct m_log){now + 2, warp, cookie};
    return true;
}

/* Programs here have no shared memory. */
uint32_t cw_core_shared_word(const struct cw_core *c, uint32_t block, uint32_t offset)
{
    (void)c;
    (void)block;
    (void)offset;
    fail();
    return 0;
}

struct cw_component *cw_core_component(struct cw_core *c)
{
    static struct cw_component component;
    (void)c;
    return &component;
}

uint8_t *cw_core_shared_of(struct cw_core *c, uint32_t block)
{
    (void)c;
    (void)block;
    fail();
    return NULL;
}

cw_time cw_core_hold_shared(struct cw_core *c, uint32_t cycles)
{
    (void)c;
    (void)cycles;
    fail();
    return 0;
}

void cw_core_refuse(struct cw_core *c, const struct cw_mem_inst *inst, const char *text)
{
    (void)c;
    (void)inst;
    fail_msg("%s", text);
}

cw_lanes cw_core_region_lanes(const struct cw_core *c, uint32_t warp)
{
    return c->warp[warp].t | c->warp[warp].reached;
}

bool cw_core_take_shared(struct cw_core *c, cw_time now)
{
    if (c->shared_port == now)
        return false;
    c->shared_port = now;
    c->shared_total++;
    return true;
}

/* Starts the warp's next op, or reaches tx_commit. */
static inline void m_issue(struct cw_core *c, uint32_t w)
{
    struct m_warp *p = c->warp + w;
    const struct m_tx *tx = p->tx + p->tx_at;
    if (p->at >= p->limit)
        return;
    if (p->at == tx->op_cnt) {
        p->reached = p->t;
        p->t = 0;
        m_attempt_over(c, w);
        return;
    }
    const struct m_op *op = tx->op + p->at;
    p->inst = (struct cw_mem_inst){.uop = op->store ? &m_uop_st : &m_uop_ld,
                                   .warp = w,
                                   .lanes = p->t,
                                   .space = CW_SPACE_GLOBAL,
                                   .elem_bytes = op->elem,
                                   .vec = op->vec};
    memcpy(p->inst.addr, op->addr, sizeof p->inst.addr);
    for (uint32_t v = 0; v < op->vec; v++)
        for (uint32_t lane = 0; lane < CW_LANES; lane++) {
            uint64_t value = p->reg[op->reg + v][lane] + (uint64_t)op->add;
            p->inst.value[v][lane] = op->elem < 8 ? value & ((UINT64_C(1) << (8 * op->elem)) - 1) : value;
        }
    p->out = true;
    p->taken = false;
}

static inline void m_warp_tick(struct cw_core *c, uint32_t w)
{
    struct m_warp *p = c->warp + w;
    const struct cw_core_sockets *ops = c->m->system->core;
    if (p->tx_at >= p->tx_cnt || p->committing || c->m->now < p->not_before)
        return;
    if (!p->in_tx) {
        if (p->asks || p->limit == 0)
            return;
        if (!ops->region_begin(c->tm, w, p->tx[p->tx_at].lanes, c->m->now)) {
            p->asks = true;
        } else {
            p->in_tx = true;
            p->t = p->tx[p->tx_at].lanes;
            p->at = 0;
        }
        m_event(c);
        return;
    }
    if (!p->out && p->t != 0)
        m_issue(c, w);
    if (p->out && !p->taken) {
        p->taken = ops->region_access(c->tm, &p->inst, c->m->now);
        m_event(c);
    }
}

static inline void m_core_tick(struct cw_core *c)
{
    const struct cw_core_sockets *ops = c->m->system->core;
    bool event = false;
    for (uint32_t i = 0; i < c->m->config.partition_count && !event; i++) { /* one reply per cycle, as in the core */
        struct cw_message *p = cw_fifo_pop(&c->down[i], c->m->now);
        event = p != NULL;
        if (event)
            ops->message(c->tm, p, c->m->now);
    }
    for (; c->log_cnt > 0 && c->log[c->log_head].at <= c->m->now; c->log_cnt--) {
        struct m_log l = c->log[c->log_head];
        c->log_head = (c->log_head + 1) % 64;
        ops->log_done(c->tm, l.warp, l.cookie, c->m->now);
        event = true;
    }
    if (event || c->tm_next <= c->m->now)
        c->tm_next = ops->tick(c->tm, c->m->now);
    for (uint32_t w = 0; w < c->m->config.core_warps; w++)
        m_warp_tick(c, w);
}

/* ---- partitions ---- */

static inline struct cw_mem_socket *m_socket_of(void *self, uint32_t mech)
{
    (void)mech;
    return &((struct m_partition *)self)->tm;
}

static inline int m_hook(void *self, const struct cw_mem_hooks *hooks, void *context)
{
    (void)self;
    (void)hooks;
    (void)context;
    return CW_OK;
}

static const struct cw_mem_service_ops m_service_ops = {.kind = "partition", .socket = m_socket_of, .hook = m_hook};

static inline void m_write(struct machine *m, struct cw_message *p)
{
    if (p->kind == CW_MSG_READ)
        memcpy(cw_line_body(p)->data, cw_memory__at(m->memory, p->addr), CW_LINE_BYTES);
    for (uint32_t b = 0; b < CW_LINE_BYTES && !p->timing_only; b++)
        if (cw_line_body(p)->byte_mask[b / 32] >> (b % 32) & 1)
            *cw_memory__at(m->memory, p->addr + b) = cw_line_body(p)->data[b];
}

static inline void m_partition_tick(struct m_partition *s)
{
    struct machine *m = s->m;
    struct cw_message *p;
    for (uint32_t i = 0; i < m->config.core_count; i++) {
        struct cw_fifo *up = &m->core[(s->turn + i) % m->config.core_count].up[s->index];
        if ((p = cw_fifo_peek(up, m->now)) == NULL)
            continue;
        bool bypass = p->kind == CW_MSG_OWN;
        struct cw_fifo *to = bypass ? &s->tm.from_noc : &s->rop;
        if (!cw_fifo_can_push(to, m->now))
            continue;
        cw_fifo_push(to, m->now, bypass ? 1 : M_ROP, cw_fifo_pop(up, m->now));
        s->turn++;
        break;
    }
    if ((p = cw_fifo_peek(&s->rop, m->now)) != NULL && p->kind == CW_MSG_WRITE) {
        m_write(m, p);
        cw_message_free(&m->pool, cw_fifo_pop(&s->rop, m->now));
    } else if (p != NULL && cw_fifo_can_push(&s->tm.from_l2, m->now)) {
        if (p->kind == CW_MSG_READ)
            memcpy(cw_line_body(p)->data, cw_memory__at(m->memory, p->addr), CW_LINE_BYTES);
        cw_fifo_push(&s->tm.from_l2, m->now, 1, cw_fifo_pop(&s->rop, m->now));
    }
    if (cw_fifo_peek(&s->tm.to_l2, m->now) != NULL && cw_fifo_can_push(&s->write, m->now))
        cw_fifo_push(&s->write, m->now, M_WRITE, cw_fifo_pop(&s->tm.to_l2, m->now));
    if (cw_fifo_peek(&s->write, m->now) != NULL && cw_fifo_can_push(&s->tm.l2_done, m->now)) {
        p = cw_fifo_pop(&s->write, m->now);
        m_write(m, p);
        cw_fifo_push(&s->tm.l2_done, m->now, 3, p);
    }
    if ((p = cw_fifo_peek(&s->tm.reply, m->now)) != NULL && cw_fifo_can_push(&m->core[p->core].down[s->index], m->now)) {
        s->replied[p->sectors != 0]++;
        s->replied_bytes += m->config.noc_header_bytes + p->payload_bytes;
        cw_fifo_push(&m->core[p->core].down[s->index], m->now, M_NET, cw_fifo_pop(&s->tm.reply, m->now));
    }
}

/* ---- machine ---- */

static inline void m_default_config(struct cw_config *c)
{
    assert_int_equal(cw_config_preset(c, "getm", NULL), CW_OK);
    c->core_count = 2;
    c->core_warps = 4;
    c->partition_count = 2;
    tm_keys(c)->tm_log_entries = 64;
    tm_keys(c)->cu_rop_latency = 4;
    c->mem_mbytes = 16;
}

static inline void m_on_fault(void *context, int status, const char *text)
{
    struct machine *m = context;
    (void)status;
    if (m->fault[0] == '\0')
        snprintf(m->fault, sizeof m->fault, "%s", text);
}

static inline void m_create_parts(struct machine *m)
{
    for (uint32_t i = 0; i < m->config.core_count; i++) {
        struct cw_core *c = m->cores[i] = m->core + i;
        c->m = m;
        c->index = i;
        c->log_port = c->shared_port = c->send_port = CW_TIME_NEVER;
        int status = CW_OK;
        for (uint32_t k = 0; k < m->config.partition_count; k++)
            status |= cw_fifo_create(&c->up[k], 4096, NULL) | cw_fifo_create(&c->down[k], 64, NULL);
        assert_true(status == CW_OK);
    }
    for (uint32_t i = 0; i < m->config.partition_count; i++) {
        struct m_partition *s = m->partition + i;
        m->partitions[i] = (struct cw_mem_service){&m_service_ops, s};
        s->m = m;
        s->index = i;
        int status = cw_fifo_create(&s->rop, 64, NULL) | cw_fifo_create(&s->write, 64, NULL) | cw_fifo_create(&s->tm.from_l2, 8, NULL) |
                     cw_fifo_create(&s->tm.from_noc, 8, NULL) | cw_fifo_create(&s->tm.reply, 4, NULL) |
                     cw_fifo_create(&s->tm.to_l2, 4, NULL) | cw_fifo_create(&s->tm.l2_done, 8, NULL);
        assert_true(status == CW_OK);
    }
}

static inline uint32_t m_word_now(void *context, uint64_t addr)
{
    const struct machine *m = context;
    uint32_t value;
    cw_memory_read(m->memory, addr, &value, sizeof value);
    return value;
}

/* config as the test wants it is in m->config; the rest is zero. doubles: contract units instead of the validation unit's C model. */
static inline int m_create(struct machine *m, const char *system, bool doubles, const char *sabotage)
{
    struct cw_error err = {{0}};
    m->system = cw_mech_find(system);
    m->clocks.units_per_us = 1400;
    for (uint32_t d = 0; d < CW_DOMAIN_COUNT; d++)
        m->clocks.period[d] = d == CW_DOMAIN_CU ? 2 : 1;
    cw_message_pool_create(&m->pool);
    m_create_parts(m);
    m->doubles = (struct cw_unit_provider){.context = m, .open = m_unit_open};
    uint64_t base;
    int status = cw_memory_create(&m->memory, 1 << 20, 0, &err);
    status |= cw_memory_alloc(m->memory, &base, 1 << 16, CW_REGION_GLOBAL, &err);
    status |= cw_serial_create(&m->serial, m_word_now, m, &err);
    assert_true(status == CW_OK && base == M_BASE);
    cw_events_listen(&m->events, cw_serial_listener(m->serial));
    const struct cw_mech_host config = {.config = &m->config,
                                        .clocks = &m->clocks,
                                        .stats = &m->stats,
                                        .memory = m->memory,
                                        .pool = &m->pool,
                                        .core = m->cores,
                                        .partition = m->partitions,
                                        .units = doubles ? &m->doubles : cw_unit_provider_c(),
                                        .events = &m->events,
                                        .seed = 7,
                                        .sabotage = sabotage,
                                        .progress = &m->progress,
                                        .fault = m_on_fault,
                                        .fault_context = m};
    status = m->system->create(&m->tm, &config, &err);
    if (status != CW_OK) {
        snprintf(m->fault, sizeof m->fault, "%.127s", err.text);
        return status;
    }
    for (uint32_t i = 0; i < m->config.core_count; i++)
        m->core[i].tm = m->system->core_self(m->tm, i);
    m->component_cnt = m->system->components(m->tm, m->component, 4 * M_PARTITIONS);
    return CW_OK;
}

/* Decisions of the units that were told as events. */
struct m_decisions {
    struct cw_event_listener listener;
    uint32_t granted[M_PARTITIONS], refused;
    struct cw_event refusal; /* the last one */
};

static inline void m_hear_decision(void *self, const struct cw_event *e)
{
    struct m_decisions *d = self;
    if (!e->u.decision.refused) {
        d->granted[e->u.decision.index]++;
        return;
    }
    d->refused++;
    d->refusal = *e;
}

/* Hears them from now on. d stays where it is until the machine is gone. */
static inline void m_note_decisions(struct machine *m, struct m_decisions *d)
{
    *d = (struct m_decisions){.listener = {.types = 1u << CW_EVENT_DECISION, .self = d, .hear = m_hear_decision}};
    cw_events_listen(&m->events, &d->listener);
}

static inline void m_destroy(struct machine *m)
{
    if (m->tm != NULL)
        m->system->destroy(m->tm);
    for (uint32_t i = 0; i < m->config.core_count; i++) {
        for (uint32_t k = 0; k < m->config.partition_count; k++) {
            cw_fifo_destroy(&m->core[i].up[k]);
            cw_fifo_destroy(&m->core[i].down[k]);
        }
    }
    for (uint32_t i = 0; i < m->config.partition_count; i++) {
        struct m_partition *s = m->partition + i;
        struct cw_fifo *fifo[] = {&s->rop, &s->write, &s->tm.from_l2, &s->tm.from_noc, &s->tm.reply, &s->tm.to_l2, &s->tm.l2_done};
        for (uint32_t k = 0; k < sizeof fifo / sizeof fifo[0]; k++)
            cw_fifo_destroy(fifo[k]);
    }
    cw_serial_destroy(m->serial);
    cw_memory_destroy(m->memory);
    cw_message_pool_destroy(&m->pool);
}

static inline void m_tick_part(struct machine *m, uint32_t i)
{
    if (i < m->config.core_count) {
        m_core_tick(m->core + i);
        return;
    }
    i -= m->config.core_count;
    if (i < m->config.partition_count) {
        m_partition_tick(m->partition + i);
        return;
    }
    struct cw_component *c = m->component[i - m->config.partition_count];
    if (c->wake <= m->now && m->now % m->clocks.period[c->domain] == 0) {
        c->wake = CW_TIME_NEVER;
        c->tick(c->self, m->now);
    }
}

static inline void m_run(struct machine *m, uint32_t cycles)
{
    uint32_t parts = m->config.core_count + m->config.partition_count + m->component_cnt;
    while (cycles-- > 0) {
        for (uint32_t i = 0; i < parts; i++)
            m_tick_part(m, m->reverse ? parts - 1 - i : i);
        m->now++;
    }
}

/* Whether every warp has run all its transactions and nothing is in flight. */
static inline bool m_finished(const struct machine *m)
{
    for (uint32_t i = 0; i < m->config.core_count; i++)
        for (uint32_t w = 0; w < m->config.core_warps; w++)
            if (m->core[i].warp[w].tx_at < m->core[i].warp[w].tx_cnt)
                return false;
    return m->pool.in_use == 0 && m->system->idle(m->tm);
}

static inline bool m_run_all(struct machine *m, uint32_t limit)
{
    for (uint32_t i = 0; i < limit && m->fault[0] == '\0'; i += 16) {
        if (m_finished(m))
            return true;
        m_run(m, 16);
    }
    return m_finished(m);
}

static inline void m_script(struct machine *m, uint32_t core, uint32_t warp, const struct m_tx *tx, uint32_t cnt, uint32_t limit)
{
    struct m_warp *w = m->core[core].warp + warp;
    w->tx = tx;
    w->tx_cnt = cnt;
    w->limit = limit;
}

static inline uint32_t m_peek(const struct machine *m, uint64_t addr)
{
    uint32_t value;
    memcpy(&value, cw_memory__at(m->memory, addr), sizeof value);
    return value;
}

static inline void m_poke(struct machine *m, uint64_t addr, uint32_t value)
{
    memcpy(cw_memory__at(m->memory, addr), &value, sizeof value);
}

/* An op in which every lane accesses addr + stride * lane. */
static inline struct m_op m_access(bool store, uint8_t elem, uint8_t vec, uint8_t reg, int64_t add, uint64_t addr, uint64_t stride)
{
    struct m_op op = {.store = store, .elem = elem, .vec = vec, .reg = reg, .add = add};
    for (uint32_t lane = 0; lane < CW_LANES; lane++)
        op.addr[lane] = addr + stride * lane;
    return op;
}

#endif
