/* SPDX-License-Identifier: Apache-2.0 */
#include "mech/serial/serial.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mech/tm/access.h"
#include "mech/tm/redo_log.h"

enum { ASK, GIVE_BACK, GRANT, STORED, LOADED }; /* sub of TX_CONTROL and TX_CONTROL_REPLY */
#define LOADS 8u                                /* of a warp in flight */

enum phase { NO_TX, ASKS, GRANTED, STARTS, RUNS, ENDS };

struct written {
    uint64_t addr;
    uint32_t value, bytes; /* byte enables 3:0 */
};

struct warp {
    enum phase phase;
    uint32_t lanes;                  /* whose transactions are not done */
    uint32_t lane;                   /* the one that runs */
    uint32_t committed;              /* ENDS */
    struct cw_mem_inst *queue;       /* accesses not yet sent, oldest first */
    struct cw_mem_inst *load[LOADS]; /* without reply; by the tag of the packet */
    uint32_t loads, stores;          /* without reply */
    struct cw_mem_inst *loaded;      /* to be returned to the core */
    uint64_t attempt;
    cw_time since;
    struct written *write; /* write set, word by word */
    uint32_t write_cnt, write_cap, reads;
};

struct core {
    struct cw_serial_tm *tm;
    struct cw_core *core;
    uint32_t index;
    struct warp *warp;
    uint64_t busy;        /* warps that a tick has to look at */
    uint32_t asks, gives; /* messages to partition 0 not yet sent */
    uint8_t *ask;         /* ring of warps that ask */
    uint32_t ask_head;
};

struct partition {
    struct cw_component component;
    struct cw_serial_tm *tm;
    uint32_t index;
    cw_time period;
    struct cw_partition_socket *port;
    /* partition 0: the token and who waits for it */
    uint32_t *queue; /* core << 8 | warp */
    uint32_t head, cnt;
    bool taken;
    uint32_t stores; /* being written; answered when the L2 has them */
};

struct cw_serial_tm {
    struct cw_mech_host cfg;
    const struct cw_config *config;
    struct core *core;
    struct partition *partition;
};

static void size_packet(const struct cw_serial_tm *tm, struct cw_message *p, uint32_t payload_bytes)
{
    cw_message_size(p, payload_bytes, tm->config->noc_header_bytes, tm->config->noc_flit_bytes);
}

/* Core half */

static bool begin(void *self, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct core *c = self;
    struct warp *w = c->warp + warp;
    if (w->phase == NO_TX) {
        w->phase = ASKS;
        w->since = now;
        c->ask[(c->ask_head + c->asks++) % c->tm->config->core_warps] = (uint8_t)warp;
    }
    if (w->phase != GRANTED)
        return false;
    struct cw_stats *stats = c->tm->cfg.stats;
    stats->tx_begun += (uint32_t)__builtin_popcount(lanes);
    stats->tx_wait_cycles += (now - w->since) / c->tm->cfg.clocks->period[CW_DOMAIN_CORE];
    cw_stat_max(&stats->tx_warps_max, 1);
    w->lanes = lanes;
    w->phase = STARTS;
    c->busy |= UINT64_C(1) << warp;
    return true;
}

/* The lowest lane runs; the others go to the retry entry. */
static void start_lane(struct core *c, uint32_t warp, uint32_t running, cw_time now)
{
    struct warp *w = c->warp + warp;
    const struct cw_tm_observer *o = c->tm->cfg.observer;
    w->lane = (uint32_t)__builtin_ctz(w->lanes);
    w->phase = RUNS;
    w->since = now;
    w->write_cnt = w->reads = 0;
    if (o != NULL)
        w->attempt = o->begin(o->self, c->index, warp, w->lane, now);
    uint32_t others = running & ~(1u << w->lane);
    if (others != 0)
        cw_core_tx_abort(c->core, warp, others);
}

static bool access(void *self, struct cw_mem_inst *inst, cw_time now)
{
    struct core *c = self;
    struct warp *w = c->warp + inst->warp;
    struct cw_mem_inst **end = &w->queue;
    (void)now;
    while (*end != NULL)
        end = &(*end)->next;
    inst->next = NULL;
    *end = inst;
    c->busy |= UINT64_C(1) << inst->warp;
    return true;
}

static struct written *find_written(struct warp *w, uint64_t addr)
{
    for (uint32_t i = 0; i < w->write_cnt; i++)
        if (w->write[i].addr == addr)
            return &w->write[i];
    return NULL;
}

static void note_write(struct warp *w, uint64_t addr, uint32_t value, uint32_t bytes)
{
    struct written *old = find_written(w, addr);
    if (old != NULL) {
        old->value = value;
        old->bytes |= bytes;
        return;
    }
    if (w->write_cnt == w->write_cap) {
        uint32_t cap = w->write_cap == 0 ? 16 : 2 * w->write_cap;
        struct written *write = realloc(w->write, cap * sizeof *write);
        if (write == NULL)
            return;
        w->write = write;
        w->write_cap = cap;
    }
    w->write[w->write_cnt++] = (struct written){addr, value, bytes};
}

static struct cw_message *build_request(struct core *c, uint32_t warp, cw_time now)
{
    struct warp *w = c->warp + warp;
    const struct cw_mem_inst *inst = w->queue;
    struct cw_message *p = cw_message_new(c->tm->cfg.pool, sizeof(struct cw_tx_access_body));
    struct cw_tx_access_body *body = cw_tx_access(p);
    bool store = inst->uop->op == CW_OP_ST;
    uint32_t bytes = cw_inst_bytes(inst), offset = (uint32_t)(inst->addr[w->lane] % CW_LINE_BYTES);
    p->kind = store ? CW_MSG_PASS : CW_MSG_READ;
    p->mech = 1;
    p->after = CW_AFTER_MECH;
    p->addr = inst->addr[w->lane] - offset;
    body->bytes = (uint8_t)bytes;
    p->warp = (uint16_t)warp;
    p->lanes = 1u << w->lane;
    body->lane_offset[w->lane] = (uint8_t)offset;
    p->sectors = (uint8_t)(1u << (offset / CW_SECTOR_BYTES));
    p->born = now;
    if (store) {
        uint8_t data[CW_ACCESS_BYTES];
        cw_inst_get_bytes(inst, w->lane, data);
        memcpy(body->line.data + offset, data, bytes);
        memset(body->line.byte_mask, 0, sizeof body->line.byte_mask);
        body->line.byte_mask[offset / 32] = ((bytes < 32 ? 1u << bytes : 0) - 1) << (offset % 32);
    }
    size_packet(c->tm, p, store ? CW_SECTOR_BYTES : 0);
    return p;
}

/* A store waits for the loads before it, which may read what it writes. */
static bool may_go(const struct warp *w, bool store)
{
    return store ? w->loads == 0 : w->loads < LOADS;
}

/* Sends the oldest access, if it may go. */
static void next_access(struct core *c, uint32_t warp, cw_time now)
{
    struct warp *w = c->warp + warp;
    struct cw_mem_inst *inst = w->queue;
    bool store = inst->uop->op == CW_OP_ST, sends = w->phase == RUNS && (inst->lanes >> w->lane & 1) != 0;
    if (sends) {
        if (!may_go(w, store))
            return;
        struct cw_message *p = build_request(c, warp, now);
        while (!store && w->load[p->tag] != NULL)
            p->tag++;
        if (!cw_core_send(c->core, p, now)) {
            cw_message_free(c->tm->cfg.pool, p);
            return;
        }
        *(store ? &c->tm->cfg.stats->tx_stores : &c->tm->cfg.stats->tx_loads) += 1;
        *(store ? &w->stores : &w->loads) += 1;
        if (!store)
            w->load[p->tag] = inst;
    }
    w->queue = inst->next;
    if (store || !sends)
        cw_core_mem_done(c->core, inst, now);
}

static void commit(void *self, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct core *c = self;
    c->warp[warp].phase = ENDS;
    c->warp[warp].committed = lanes;
    c->tm->cfg.stats->tx_exec_cycles += (now - c->warp[warp].since) / c->tm->cfg.clocks->period[CW_DOMAIN_CORE];
    c->busy |= UINT64_C(1) << warp;
}

/* Stores go to memory at once; nobody can tell, since nobody else runs. To the oracle they arrive at commit, each word once. */
static void tell_observer(struct core *c, const struct warp *w, cw_time now)
{
    const struct cw_tm_observer *o = c->tm->cfg.observer;
    uint64_t *addr = malloc((w->write_cnt + 1) * sizeof *addr);
    uint32_t *value = malloc((w->write_cnt + 1) * sizeof *value);
    for (uint32_t i = 0; addr != NULL && value != NULL && i < w->write_cnt; i++) {
        addr[i] = w->write[i].addr;
        value[i] = w->write[i].value;
    }
    if (addr != NULL && value != NULL)
        o->commit(o->self, w->attempt, w->write_cnt, addr, value, now);
    for (uint32_t i = 0; i < w->write_cnt; i++)
        o->write(o->self, w->attempt, w->write[i].addr, w->write[i].value, w->write[i].bytes, now);
    free(addr);
    free(value);
}

static void end_lane(struct core *c, uint32_t warp, cw_time now)
{
    struct warp *w = c->warp + warp;
    struct cw_stats *stats = c->tm->cfg.stats;
    assert(w->committed == 1u << w->lane);
    stats->tx_committed++;
    stats->tx_read_words += w->reads;
    stats->tx_write_words += w->write_cnt;
    stats->tx_read_only += w->write_cnt == 0;
    ++*c->tm->cfg.progress;
    if (c->tm->cfg.observer != NULL)
        tell_observer(c, w, now);
    w->lanes &= ~w->committed;
    if (w->lanes != 0) {
        w->phase = STARTS;
    } else {
        w->phase = NO_TX;
        c->gives++;
    }
    cw_core_tx_end(c->core, warp, now, now);
}

static void reply(void *self, struct cw_message *p, cw_time now)
{
    struct core *c = self;
    struct warp *w = c->warp + p->warp;
    if (p->op == LOADED) {
        uint8_t data[CW_ACCESS_BYTES];
        struct cw_mem_inst *inst = w->load[p->tag];
        memcpy(data, cw_tx_access(p)->line.data + cw_tx_access(p)->lane_offset[w->lane], cw_tx_access(p)->bytes);
        cw_inst_set_bytes(inst, w->lane, data);
        w->load[p->tag] = NULL;
        w->loads--;
        inst->next = w->loaded;
        w->loaded = inst;
        c->busy |= UINT64_C(1) << p->warp;
    } else if (p->op == STORED) {
        w->stores--;
        c->busy |= UINT64_C(1) << p->warp;
    } else {
        w->phase = GRANTED;
        cw_core_wake_warp(c->core, p->warp, now);
    }
    cw_message_free(c->tm->cfg.pool, p);
}

/* The token goes back before the next warp of this core asks: it has asked already. */
static void send_control(struct core *c, cw_time now)
{
    if (c->asks == 0 && c->gives == 0)
        return;
    struct cw_message *p = cw_message_new(c->tm->cfg.pool, 0);
    p->mech = 1;
    p->kind = CW_MSG_OWN;
    p->op = c->gives > 0 ? GIVE_BACK : ASK;
    p->addr = CW_GLOBAL_BASE;
    p->warp = c->ask[c->ask_head];
    p->born = now;
    size_packet(c->tm, p, 0);
    if (!cw_core_send(c->core, p, now)) {
        cw_message_free(c->tm->cfg.pool, p);
    } else if (p->op == GIVE_BACK) {
        c->gives--;
    } else {
        c->ask_head = (c->ask_head + 1) % c->tm->config->core_warps;
        c->asks--;
    }
}

static void return_loads(struct core *c, struct warp *w, cw_time now)
{
    while (w->loaded != NULL) {
        struct cw_mem_inst *inst = w->loaded;
        w->loaded = inst->next;
        cw_core_mem_done(c->core, inst, now);
    }
}

static cw_time tick(void *self, cw_time now)
{
    struct core *c = self;
    for (uint64_t rest = c->busy; rest != 0; rest &= rest - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(rest);
        struct warp *w = c->warp + warp;
        if (w->phase == STARTS)
            start_lane(c, warp, w->lanes, now);
        return_loads(c, w, now);
        if (w->queue != NULL)
            next_access(c, warp, now);
        if (w->phase == ENDS && w->queue == NULL && w->loads + w->stores == 0)
            end_lane(c, warp, now);
        if (w->phase != STARTS && (w->queue == NULL || !may_go(w, w->queue->uop->op == CW_OP_ST)))
            c->busy &= ~(UINT64_C(1) << warp);
    }
    send_control(c, now);
    bool more = c->busy != 0 || c->asks > 0 || c->gives > 0;
    return more ? now + c->tm->cfg.clocks->period[CW_DOMAIN_CORE] : CW_TIME_NEVER;
}

static void log_done(void *self, uint32_t warp, uint32_t cookie, cw_time now)
{
    (void)self;
    (void)warp;
    (void)cookie;
    (void)now;
}

static bool core_idle(const void *self)
{
    const struct core *c = self;
    for (uint32_t i = 0; i < c->tm->config->core_warps; i++)
        if (c->warp[i].phase != NO_TX)
            return false;
    return c->asks == 0 && c->gives == 0;
}

static void report(const void *self, FILE *out)
{
    static const char *const phase[] = {"", "waits for the global token", "has the global token", "starts", "runs", "ends"};
    const struct core *c = self;
    for (uint32_t i = 0; i < c->tm->config->core_warps; i++)
        if (c->warp[i].phase != NO_TX)
            fprintf(out, "core %u warp %u: transaction %s\n", c->index, i, phase[c->warp[i].phase]);
}

static const struct cw_core_sockets core_ops = {.region_begin = begin,
                                                .region_access = access,
                                                .region_end = commit,
                                                .message = reply,
                                                .log_done = log_done,
                                                .tick = tick,
                                                .idle = core_idle,
                                                .report = report};

/* Partition half */

static void observe(struct partition *n, const struct cw_message *p, cw_time now)
{
    const struct cw_tm_observer *o = n->tm->cfg.observer;
    struct warp *w = n->tm->core[p->core].warp + p->warp;
    uint32_t lane = (uint32_t)__builtin_ctz(p->lanes), first = cw_tx_access_of(p)->lane_offset[lane],
             end = first + cw_tx_access_of(p)->bytes;
    for (uint32_t at = first & ~3u; at < end; at += 4) {
        uint32_t value, enables = 0;
        cw_memory_read(n->tm->cfg.memory, p->addr + at, &value, sizeof value);
        for (uint32_t b = at; b < at + 4; b++)
            enables |= (b >= first && b < end ? 1u : 0) << (b - at);
        if (p->kind == CW_MSG_PASS) {
            note_write(w, p->addr + at, value, enables);
        } else if (find_written(w, p->addr + at) == NULL) {
            w->reads++;
            if (o != NULL)
                o->read(o->self, w->attempt, p->addr + at, value, now);
        }
    }
}

static void answer(struct partition *n, struct cw_message *p, cw_time now)
{
    bool load = p->kind == CW_MSG_READ;
    observe(n, p, now);
    if (load)
        cw_memory_read(n->tm->cfg.memory, p->addr, cw_line_body(p)->data, CW_LINE_BYTES);
    p->kind = CW_MSG_OWN_REPLY;
    p->op = load ? LOADED : STORED;
    size_packet(n->tm, p, load ? CW_SECTOR_BYTES : 0);
    cw_fifo_push(&n->port->reply, now, n->period, p);
}

/* A store becomes the write of a commit unit and, when the L2 has done that, a store again. */
static void finish_store(struct partition *n, cw_time now)
{
    struct cw_message *p = cw_fifo_can_push(&n->port->reply, now) ? cw_fifo_pop(&n->port->l2_done, now) : NULL;
    if (p == NULL)
        return;
    n->stores--;
    p->kind = CW_MSG_PASS;
    answer(n, p, now);
}

/* A load waits here for the stores before it. */
static void serve_access(struct partition *n, cw_time now)
{
    struct cw_message *p = cw_fifo_peek(&n->port->from_l2, now);
    if (p == NULL)
        return;
    if (p->kind == CW_MSG_READ) {
        if (n->stores == 0 && cw_fifo_can_push(&n->port->reply, now))
            answer(n, cw_fifo_pop(&n->port->from_l2, now), now);
        return;
    }
    if (!cw_fifo_can_push(&n->port->to_l2, now))
        return;
    cw_fifo_pop(&n->port->from_l2, now);
    n->stores++;
    p->kind = CW_MSG_WRITE;
    p->after = CW_AFTER_RETURN;
    cw_fifo_push(&n->port->to_l2, now, n->period, p);
}

static void serve_token(struct partition *n, cw_time now)
{
    uint32_t cap = n->tm->config->core_count * n->tm->config->core_warps;
    struct cw_message *p = cw_fifo_pop(&n->port->from_noc, now);
    if (p != NULL) {
        if (p->op == ASK)
            n->queue[(n->head + n->cnt++) % cap] = (uint32_t)p->core << 8 | p->warp;
        else
            n->taken = false;
        cw_message_free(n->tm->cfg.pool, p);
    }
    if (n->taken || n->cnt == 0 || !cw_fifo_can_push(&n->port->reply, now))
        return;
    uint32_t who = n->queue[n->head];
    n->head = (n->head + 1) % cap;
    n->cnt--;
    n->taken = true;
    p = cw_message_new(n->tm->cfg.pool, 0);
    p->mech = 1;
    p->kind = CW_MSG_OWN_REPLY;
    p->op = GRANT;
    p->core = (uint16_t)(who >> 8);
    p->warp = (uint16_t)(who & 255);
    p->partition = (uint16_t)n->index;
    p->born = now;
    size_packet(n->tm, p, 0);
    cw_fifo_push(&n->port->reply, now, n->period, p);
}

static void partition_tick(void *self, cw_time now)
{
    struct partition *n = self;
    finish_store(n, now);
    serve_access(n, now);
    if (n->index == 0)
        serve_token(n, now);
    cw_time next = cw_fifo_next(&n->port->l2_done), access = cw_fifo_next(&n->port->from_l2), token = cw_fifo_next(&n->port->from_noc);
    if (n->cnt > 0 && !n->taken)
        token = now;
    next = next < token ? next : token;
    next = next < access ? next : access;
    n->component.wake = next > now ? next : now + n->period;
}

/* Everything else */

static void destroy(void *self)
{
    struct cw_serial_tm *tm = self;
    if (tm == NULL)
        return;
    for (uint32_t i = 0; tm->core != NULL && i < tm->config->core_count; i++) {
        for (uint32_t k = 0; tm->core[i].warp != NULL && k < tm->config->core_warps; k++)
            free(tm->core[i].warp[k].write);
        free(tm->core[i].warp);
        free(tm->core[i].ask);
    }
    if (tm->partition != NULL)
        free(tm->partition[0].queue);
    free(tm->core);
    free(tm->partition);
    free(tm);
}

static bool create_core(struct cw_serial_tm *tm, uint32_t index)
{
    struct core *c = tm->core + index;
    c->tm = tm;
    c->core = tm->cfg.core[index];
    c->index = index;
    c->warp = calloc(tm->config->core_warps, sizeof *c->warp);
    c->ask = calloc(tm->config->core_warps, sizeof *c->ask);
    return c->warp != NULL && c->ask != NULL;
}

static bool create_partition(struct cw_serial_tm *tm, uint32_t index)
{
    struct partition *n = tm->partition + index;
    n->tm = tm;
    n->index = index;
    n->period = tm->cfg.clocks->period[CW_DOMAIN_L2];
    n->component = (struct cw_component){.tick = partition_tick, .self = n, .wake = CW_TIME_NEVER, .domain = CW_DOMAIN_L2};
    n->port = cw_partition_socket_of(tm->cfg.partition[index], tm->cfg.index);
    n->port->from_l2.wake = n->port->from_noc.wake = n->port->l2_done.wake = &n->component.wake;
    if (index == 0)
        n->queue = calloc((size_t)tm->config->core_count * tm->config->core_warps, sizeof *n->queue);
    return index != 0 || n->queue != NULL;
}

static int create(void **out, const struct cw_mech_host *config, struct cw_error *err)
{
    *out = NULL;
    if (config->sabotage != NULL)
        return cw_fail(err, CW_EINVAL, "the system serial knows no sabotage '%s'", config->sabotage);
    struct cw_serial_tm *tm = calloc(1, sizeof *tm);
    if (tm == NULL)
        return cw_fail(err, CW_ENOMEM, "serial: out of host memory");
    tm->cfg = *config;
    tm->config = config->config;
    tm->core = calloc(tm->config->core_count, sizeof *tm->core);
    tm->partition = calloc(tm->config->partition_count, sizeof *tm->partition);
    bool ok = tm->core != NULL && tm->partition != NULL;
    for (uint32_t i = 0; ok && i < tm->config->core_count; i++)
        ok = create_core(tm, i);
    for (uint32_t i = 0; ok && i < tm->config->partition_count; i++)
        ok = create_partition(tm, i);
    if (!ok) {
        destroy(tm);
        return cw_fail(err, CW_ENOMEM, "serial: out of host memory");
    }
    *out = tm;
    return CW_OK;
}

static uint32_t components(void *self, struct cw_component **list, uint32_t max)
{
    struct cw_serial_tm *tm = self;
    uint32_t cnt = 0;
    for (uint32_t i = 0; i < tm->config->partition_count && cnt < max; i++)
        list[cnt++] = &tm->partition[i].component;
    return cnt;
}

static void *core_self(void *self, uint32_t core)
{
    struct cw_serial_tm *tm = self;
    return tm->core + core;
}

static uint32_t log_bytes(const struct cw_config *config)
{
    (void)config;
    return 0;
}

static bool idle(const void *self)
{
    const struct cw_serial_tm *tm = self;
    for (uint32_t i = 0; i < tm->config->core_count; i++)
        if (!core_idle(tm->core + i))
            return false;
    for (uint32_t i = 0; i < tm->config->partition_count; i++)
        if (tm->partition[i].stores > 0 || tm->partition[i].taken || tm->partition[i].cnt > 0)
            return false;
    return true;
}

static void finish(void *self)
{
    (void)self;
}

const struct cw_mech cw_mech_serial = {.name = "serial",
                                       .system = true,
                                       .intrinsic = cw_tm_intrinsics,
                                       .inbox = cw_tm_inbox,
                                       .what = "one transaction at a time in the whole GPU (Fung 2015 4.1)",
                                       .create = create,
                                       .destroy = destroy,
                                       .components = components,
                                       .core = &core_ops,
                                       .core_self = core_self,
                                       .local_bytes = log_bytes,
                                       .idle = idle,
                                       .finish = finish};
