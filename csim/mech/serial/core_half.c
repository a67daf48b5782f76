/* SPDX-License-Identifier: Apache-2.0 */
/* Serialised transactions, core half: runs the lanes of the warp that has the token one after the other. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/ring.h"
#include "mech/serial/serial_private.h"
#include "mech/tm/access.h"
#include "mech/tm/keys.h"
#include "mech/tm/tell.h"

#define LOADS 8u /* of a warp in flight */

/* X(name, what the report says after "transaction") */
#define PHASES(X)                         \
    X(NO_TX, "none")                      \
    X(ASKS, "waits for the global token") \
    X(GRANTED, "has the global token")    \
    X(STARTS, "starts")                   \
    X(RUNS, "runs")                       \
    X(ENDS, "ends")
#define NAME(name, text) name,
#define TEXT(name, text) text,
enum phase { PHASES(NAME) };

/* Words that a transaction has stored to, in the order of their first store. */
struct written {
    uint64_t *addr;
    uint32_t *value;
    uint8_t *bytes; /* byte enables 3:0 */
    uint32_t cnt, cap;
};

struct warp {
    enum phase phase;
    cw_lanes lanes;                  /* whose transactions are not done */
    uint32_t lane;                   /* the one that runs */
    uint32_t attempt;                /* its number */
    cw_lanes committed;              /* ENDS */
    struct cw_mem_inst *queue;       /* accesses not yet sent, oldest first */
    struct cw_mem_inst *load[LOADS]; /* without reply; by the tag of the message */
    uint32_t loads, stores;          /* without reply */
    struct cw_mem_inst *loaded;      /* to be returned to the core */
    cw_time since;                   /* it waits, or runs */
    struct written written;
    uint32_t reads; /* words read that it had not written */
    uint32_t block; /* slot of its block */
};

struct cw_serialised_core {
    const struct cw_mech_host *host;
    struct cw_tm_counters *counters;
    struct cw_core *core;
    uint32_t index;
    struct warp *warp;
    uint64_t busy;  /* warps that a tick has to look at */
    uint32_t gives; /* messages to partition 0 not yet sent, beside those of the ring */
    uint16_t *ask;  /* ring of warps that ask */
    struct cw_ring ask_ring;
    bool *told; /* [core_blocks * shared words]: words of shared memory that the oracle may know; NULL: none yet */
};

static uint64_t cycles(const struct cw_serialised_core *c, cw_time from, cw_time to)
{
    return (to - from) / c->host->clocks->period[CW_DOMAIN_CORE];
}

/* The running lane, as an instruction's part counts it. */
static uint32_t part_lane(const struct warp *w)
{
    return w->lane % CW_LANES;
}

static bool is_of_lane(const struct warp *w, const struct cw_mem_inst *inst)
{
    return inst->half == w->lane / CW_LANES && cw_lanes_has(inst->lanes, part_lane(w));
}

static struct cw_attempt_name name_of(const struct cw_serialised_core *c, uint32_t warp)
{
    return (struct cw_attempt_name){.core = c->index, .warp = warp, .attempt = c->warp[warp].attempt};
}

static void out_of_memory(const struct cw_serialised_core *c)
{
    cw_mech_fault(c->host, CW_ENOMEM, "out of host memory for serialised transactions");
}

/* The token, and the lanes' turns */

static bool begin(void *self, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_serialised_core *c = self;
    struct warp *w = c->warp + warp;
    if (w->phase == NO_TX) {
        w->phase = ASKS;
        w->since = now;
        c->ask[cw_ring_add(&c->ask_ring, c->host->config->core_warps)] = (uint16_t)warp;
    }
    if (w->phase != GRANTED)
        return false;
    struct cw_tm_counters *counters = c->counters;
    counters->tx_begun += cw_lanes_count(lanes);
    counters->tx_wait_cycles += cycles(c, w->since, now);
    cw_stat_max(&counters->tx_warps_max, 1);
    w->lanes = lanes;
    w->phase = STARTS;
    c->busy |= UINT64_C(1) << warp;
    return true;
}

/* The lowest lane runs. The others restart when it is done: for the core they have aborted, for events they have not begun. */
static void start_lane(struct cw_serialised_core *c, uint32_t warp, cw_time now)
{
    struct warp *w = c->warp + warp;
    w->lane = cw_lanes_first(w->lanes);
    w->attempt = cw_core_attempt(c->core, warp);
    w->phase = RUNS;
    w->since = now;
    w->written.cnt = w->reads = 0;
    cw_tell_lanes(c->host, CW_EVENT_REGION_BEGIN, name_of(c, warp), cw_lanes_one(w->lane), now);
    cw_lanes others = cw_lanes_rest(w->lanes);
    if (others != 0)
        cw_core_region_abort(c->core, warp, others);
}

static void commit(void *self, uint32_t warp, cw_lanes lanes, cw_time now)
{
    struct cw_serialised_core *c = self;
    c->warp[warp].phase = ENDS;
    c->warp[warp].committed = lanes;
    c->counters->tx_exec_cycles += cycles(c, c->warp[warp].since, now);
    c->busy |= UINT64_C(1) << warp;
}

/* Stores go to memory at once; nobody can tell, since nobody else runs. So they are told at commit, each word once. */
static void tell_end(const struct cw_serialised_core *c, uint32_t warp, cw_time now)
{
    const struct warp *w = c->warp + warp;
    const struct written *set = &w->written;
    for (uint32_t i = 0; i < set->cnt; i++)
        if ((set->addr[i] & CW_EVENT_SHARED) != 0)
            set->value[i] = cw_core_shared_word(c->core, w->block, (uint32_t)set->addr[i]);
    cw_tell_commit(c->host, name_of(c, warp), w->lane, set->cnt, set->addr, set->value, now);
    for (uint32_t i = 0; i < set->cnt; i++)
        cw_tell_word(c->host, CW_EVENT_REGION_WRITE, name_of(c, warp), w->lane, set->addr[i], set->value[i], set->bytes[i], now);
}

static void end_lane(struct cw_serialised_core *c, uint32_t warp, cw_time now)
{
    struct warp *w = c->warp + warp;
    struct cw_tm_counters *counters = c->counters;
    assert(w->committed == cw_lanes_one(w->lane));
    counters->tx_committed++;
    counters->tx_read_words += w->reads;
    counters->tx_write_words += w->written.cnt;
    counters->tx_read_only += w->written.cnt == 0;
    ++*c->host->progress;
    tell_end(c, warp, now);
    w->lanes = cw_lanes_without(w->lanes, w->committed);
    if (w->lanes != 0) {
        w->phase = STARTS;
    } else {
        w->phase = NO_TX;
        c->gives++;
    }
    cw_core_region_end(c->core, warp, now, now);
}

/* The token goes back before the next warp of this core asks: it has asked already. */
static void send_control(struct cw_serialised_core *c, cw_time now)
{
    if (c->ask_ring.cnt == 0 && c->gives == 0)
        return;
    uint32_t op = c->gives > 0 ? CW_SERIALISED_GIVE_BACK : CW_SERIALISED_ASK;
    struct cw_message *p = cw_mech_message(c->host, CW_MSG_OWN, op, CW_GLOBAL_BASE, NULL, now); /* of partition 0 */
    p->warp = c->ask[c->ask_ring.head];
    if (!cw_core_send(c->core, p, now)) {
        cw_message_free(c->host->pool, p);
    } else if (op == CW_SERIALISED_GIVE_BACK) {
        c->gives--;
    } else {
        cw_ring_take(&c->ask_ring, c->host->config->core_warps);
    }
}

/* Loads and stores */

static bool access(void *self, struct cw_mem_inst *inst, cw_time now)
{
    struct cw_serialised_core *c = self;
    struct cw_mem_inst **end = &c->warp[inst->warp].queue;
    (void)now;
    while (*end != NULL)
        end = &(*end)->next;
    inst->next = NULL;
    *end = inst;
    c->busy |= UINT64_C(1) << inst->warp;
    return true;
}

static struct cw_message *build_request(const struct cw_serialised_core *c, uint32_t warp, cw_time now)
{
    const struct cw_config *config = c->host->config;
    const struct warp *w = c->warp + warp;
    const struct cw_mem_inst *inst = w->queue;
    bool store = inst->uop->op == CW_OP_ST;
    const uint32_t lane = part_lane(w);
    uint32_t bytes = cw_inst_bytes(inst), offset = (uint32_t)(inst->addr[lane] % config->mem_line_bytes);
    struct cw_message *p =
        cw_mech_message(c->host, store ? CW_MSG_PASS : CW_MSG_READ, 0, inst->addr[lane] - offset, &cw_serialised_access_type, now);
    struct cw_tx_access_body *body = cw_tx_access(p);
    p->after = CW_AFTER_MECH;
    p->warp = (uint16_t)warp;
    p->lanes = cw_lanes_one(lane);
    p->sectors = (uint8_t)(1u << (offset / CW_SECTOR_BYTES));
    body->bytes = (uint8_t)bytes;
    body->aborted = 0;
    body->lane_offset[lane] = (uint8_t)offset;
    if (store) {
        uint8_t data[CW_ACCESS_BYTES];
        cw_inst_get_bytes(inst, lane, data);
        memcpy(body->line.data + offset, data, bytes);
        memset(body->line.byte_mask, 0, sizeof body->line.byte_mask);
        body->line.byte_mask[offset / 32] = ((bytes < 32 ? 1u << bytes : 0) - 1) << (offset % 32);
    }
    cw_message_size(p, store ? CW_SECTOR_BYTES : 0, config->noc_header_bytes, config->noc_flit_bytes);
    return p;
}

/* A store waits for the loads before it, which may read what it writes. */
static bool may_go(const struct warp *w, bool store)
{
    return store ? w->loads == 0 : w->loads < LOADS;
}

/* false: not now. */
static bool send_access(struct cw_serialised_core *c, uint32_t warp, bool store, cw_time now)
{
    struct warp *w = c->warp + warp;
    uint32_t tag = 0;
    if (!may_go(w, store))
        return false;
    struct cw_message *p = build_request(c, warp, now);
    while (!store && w->load[tag] != NULL)
        tag++;
    p->tag = tag;
    if (!cw_core_send(c->core, p, now)) {
        cw_message_free(c->host->pool, p);
        return false;
    }
    *(store ? &c->counters->tx_stores : &c->counters->tx_loads) += 1;
    *(store ? &w->stores : &w->loads) += 1;
    if (!store)
        w->load[tag] = w->queue;
    return true;
}

/* Sends the oldest access, if it may go. */
static void next_access(struct cw_serialised_core *c, uint32_t warp, cw_time now)
{
    struct warp *w = c->warp + warp;
    struct cw_mem_inst *inst = w->queue;
    bool store = inst->uop->op == CW_OP_ST, sends = w->phase == RUNS && is_of_lane(w, inst);
    if (sends && !send_access(c, warp, store, now))
        return;
    w->queue = inst->next;
    if (store || !sends)
        cw_core_mem_done(c->core, inst, now);
}

/* Place of the word in the set, or set->cnt. */
static uint32_t find_written(const struct written *set, uint64_t addr)
{
    uint32_t i = 0;
    while (i < set->cnt && set->addr[i] != addr)
        i++;
    return i;
}

static bool grow_written(struct written *set)
{
    uint32_t cap = set->cap == 0 ? 16 : 2 * set->cap;
    uint64_t *addr = realloc(set->addr, cap * sizeof *addr);
    set->addr = addr != NULL ? addr : set->addr;
    uint32_t *value = realloc(set->value, cap * sizeof *value);
    set->value = value != NULL ? value : set->value;
    uint8_t *bytes = realloc(set->bytes, cap * sizeof *bytes);
    set->bytes = bytes != NULL ? bytes : set->bytes;
    if (addr == NULL || value == NULL || bytes == NULL)
        return false;
    set->cap = cap;
    return true;
}

static void note_write(struct cw_serialised_core *c, struct written *set, uint64_t addr, uint32_t value, uint32_t bytes)
{
    uint32_t i = find_written(set, addr);
    if (i == set->cap && !grow_written(set)) {
        out_of_memory(c);
        return;
    }
    set->bytes[i] = (uint8_t)(bytes | (i < set->cnt ? set->bytes[i] : 0));
    set->addr[i] = addr;
    set->value[i] = value;
    set->cnt += i == set->cnt;
}

/*
 * The words of an access that memory has answered. Replies to accesses of one word come in program order: a store leaves the core when the
 * loads before it have been answered, and a load waits in its partition for the stores before it.
 */
static void account(struct cw_serialised_core *c, const struct cw_message *p, cw_time now)
{
    struct warp *w = c->warp + p->warp;
    const struct cw_tx_access_body *body = cw_tx_access_of(p);
    uint32_t first = body->lane_offset[part_lane(w)], end = first + body->bytes;
    for (uint32_t at = first & ~3u; at < end; at += 4) {
        uint32_t value, enables = 0;
        memcpy(&value, body->line.data + at, sizeof value);
        for (uint32_t b = at; b < at + 4; b++)
            enables |= (b >= first && b < end ? 1u : 0) << (b - at);
        if (p->op == CW_SERIALISED_STORED) {
            note_write(c, &w->written, p->addr + at, value, enables);
        } else if (find_written(&w->written, p->addr + at) == w->written.cnt) {
            w->reads++;
            cw_tell_word(c->host, CW_EVENT_REGION_READ, name_of(c, p->warp), w->lane, p->addr + at, value, enables, now);
        }
    }
}

/* ---- shared memory: the core carries the accesses out, and nobody else runs a transaction ---- */

/* One word of an access of the running lane. What an access leaves is told at the commit, as memory has it then. */
static void account_shared(struct cw_serialised_core *c, uint32_t warp, const struct cw_mem_inst *inst, uint32_t k, cw_time now)
{
    struct warp *w = c->warp + warp;
    const uint32_t at = (uint32_t)inst->addr[part_lane(w)], bytes = cw_inst_bytes(inst), offset = (at & ~3u) + 4 * k;
    const uint32_t enables = bytes < 4 ? ((1u << bytes) - 1) << at % 4 : 0xf;
    const uint64_t addr = cw_event_shared(c->index, w->block, offset);
    if (inst->uop->op != CW_OP_ST && find_written(&w->written, addr) == w->written.cnt) {
        w->reads++;
        cw_tell_word(c->host, CW_EVENT_REGION_READ, name_of(c, warp), w->lane, addr, cw_core_shared_word(c->core, w->block, offset),
                     enables, now);
    }
    if (inst->uop->op != CW_OP_LD)
        note_write(c, &w->written, addr, 0, enables);
    if (c->told != NULL)
        c->told[(w->block * c->host->config->core_shared_bytes + offset) / 4] = true;
}

static void leave(struct cw_serialised_core *c, uint32_t block, uint32_t offset, cw_time now)
{
    bool *told = c->told != NULL ? &c->told[(block * c->host->config->core_shared_bytes + offset) / 4] : NULL;
    const struct cw_attempt_name nobody = {.core = c->index};
    if (told == NULL || !*told)
        return;
    cw_tell_word(c->host, CW_EVENT_REGION_LEAVE, nobody, 0, cw_event_shared(c->index, block, offset),
                 cw_core_shared_word(c->core, block, offset), 0xf, now);
    *told = false;
}

static enum cw_access_verdict shared_access(void *self, struct cw_mem_inst *inst, cw_time now, cw_time *again)
{
    struct cw_serialised_core *c = self;
    struct warp *w = c->warp + inst->warp;
    (void)again;
    if (inst->space != CW_SPACE_SHARED)
        return CW_ACCESS_GO;
    const bool wanted = cw_tell_wanted(c->host, CW_EVENT_REGION_LEAVE);
    if (wanted && c->told == NULL)
        c->told = calloc((size_t)c->host->config->core_blocks * c->host->config->core_shared_bytes / 4, sizeof *c->told);
    if (wanted && c->told == NULL)
        out_of_memory(c);
    const bool transactional = w->phase == RUNS && is_of_lane(w, inst);
    for (uint32_t k = 0; transactional && k < cw_inst_words(inst); k++)
        account_shared(c, inst->warp, inst, k, now);
    for (cw_lanes left = !wanted || transactional || inst->uop->op == CW_OP_LD ? 0 : inst->lanes; left != 0; left = cw_lanes_rest(left))
        for (uint32_t k = 0; k < cw_inst_words(inst); k++)
            leave(c, w->block, ((uint32_t)inst->addr[cw_lanes_first(left)] & ~3u) + 4 * k, now);
    return CW_ACCESS_GO;
}

static void block_start(void *self, uint32_t block, uint64_t warps, cw_time now)
{
    struct cw_serialised_core *c = self;
    (void)now;
    for (; warps != 0; warps &= warps - 1)
        c->warp[__builtin_ctzll(warps)].block = block;
}

static void block_end(void *self, uint32_t block, cw_time now)
{
    struct cw_serialised_core *c = self;
    for (uint32_t offset = 0; c->told != NULL && offset < c->host->config->core_shared_bytes; offset += 4)
        leave(c, block, offset, now);
}

static void take_load(struct warp *w, const struct cw_message *p)
{
    uint8_t data[CW_ACCESS_BYTES];
    struct cw_mem_inst *inst = w->load[p->tag];
    memcpy(data, cw_tx_access_of(p)->line.data + cw_tx_access_of(p)->lane_offset[part_lane(w)], cw_tx_access_of(p)->bytes);
    cw_inst_set_bytes(inst, part_lane(w), data);
    w->load[p->tag] = NULL;
    w->loads--;
    inst->next = w->loaded;
    w->loaded = inst;
}

static void reply(void *self, struct cw_message *p, cw_time now)
{
    struct cw_serialised_core *c = self;
    struct warp *w = c->warp + p->warp;
    if (p->op == CW_SERIALISED_GRANT) {
        w->phase = GRANTED;
        cw_core_wake_warp(c->core, p->warp, now);
    } else {
        account(c, p, now);
        if (p->op == CW_SERIALISED_LOADED)
            take_load(w, p);
        else
            w->stores--;
        c->busy |= UINT64_C(1) << p->warp;
    }
    cw_message_free(c->host->pool, p);
}

static void return_loads(struct cw_serialised_core *c, struct warp *w, cw_time now)
{
    while (w->loaded != NULL) {
        struct cw_mem_inst *inst = w->loaded;
        w->loaded = inst->next;
        cw_core_mem_done(c->core, inst, now);
    }
}

/* The core's calls */

static cw_time tick(void *self, cw_time now)
{
    struct cw_serialised_core *c = self;
    for (uint64_t rest = c->busy; rest != 0; rest &= rest - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(rest);
        struct warp *w = c->warp + warp;
        if (w->phase == STARTS)
            start_lane(c, warp, now);
        return_loads(c, w, now);
        if (w->queue != NULL)
            next_access(c, warp, now);
        if (w->phase == ENDS && w->queue == NULL && w->loads + w->stores == 0)
            end_lane(c, warp, now);
        if (w->phase != STARTS && (w->queue == NULL || !may_go(w, w->queue->uop->op == CW_OP_ST)))
            c->busy &= ~(UINT64_C(1) << warp);
    }
    send_control(c, now);
    bool more = c->busy != 0 || c->ask_ring.cnt > 0 || c->gives > 0;
    return more ? now + c->host->clocks->period[CW_DOMAIN_CORE] : CW_TIME_NEVER;
}

static bool idle(const void *self)
{
    const struct cw_serialised_core *c = self;
    for (uint32_t i = 0; i < c->host->config->core_warps; i++)
        if (c->warp[i].phase != NO_TX)
            return false;
    return c->ask_ring.cnt == 0 && c->gives == 0;
}

static void report(const void *self, FILE *out)
{
    static const char *const phase[] = {PHASES(TEXT)};
    const struct cw_serialised_core *c = self;
    for (uint32_t i = 0; i < c->host->config->core_warps; i++)
        if (c->warp[i].phase != NO_TX)
            fprintf(out, "core %u warp %u: transaction %s\n", c->index, i, phase[c->warp[i].phase]);
}

const struct cw_core_sockets cw_serialised_sockets = {.region_begin = begin,
                                                      .region_access = access,
                                                      .region_end = commit,
                                                      .access = shared_access,
                                                      .block_start = block_start,
                                                      .block_end = block_end,
                                                      .message = reply,
                                                      .tick = tick,
                                                      .idle = idle,
                                                      .report = report};

void cw_serialised_core_destroy(struct cw_serialised_core *c)
{
    if (c == NULL)
        return;
    for (uint32_t i = 0; c->warp != NULL && i < c->host->config->core_warps; i++) {
        free(c->warp[i].written.addr);
        free(c->warp[i].written.value);
        free(c->warp[i].written.bytes);
    }
    free(c->warp);
    free(c->ask);
    free(c->told);
    free(c);
}

int cw_serialised_core_create(struct cw_serialised_core **out, const struct cw_mech_host *host, uint32_t index)
{
    struct cw_serialised_core *c = *out = calloc(1, sizeof *c);
    if (c == NULL)
        return CW_ENOMEM;
    c->host = host;
    c->counters = cw_tm_counters_of(host->stats);
    c->core = host->core[index];
    c->index = index;
    c->warp = calloc(host->config->core_warps, sizeof *c->warp);
    c->ask = calloc(host->config->core_warps, sizeof *c->ask);
    if (c->warp != NULL && c->ask != NULL)
        return CW_OK;
    cw_serialised_core_destroy(c);
    *out = NULL;
    return CW_ENOMEM;
}

/* ---- state ---- */

static void written_state(struct cw_state *s, struct written *set)
{
    uint32_t cnt = set->cnt;
    cw_state_count(s, "written", &cnt, UINT32_C(1) << 24);
    while (cw_state_loads(s) && s->status == CW_OK && set->cap < cnt)
        if (!grow_written(set))
            cw_state_fail(s, CW_ENOMEM, "out of host memory");
    set->cnt = cnt <= set->cap ? cnt : 0;
    cw_state_array(s, "addr", set->addr, set->cnt, sizeof *set->addr);
    cw_state_array(s, "value", set->value, set->cnt, sizeof *set->value);
    cw_state_array(s, "bytes", set->bytes, set->cnt, sizeof *set->bytes);
}

/* The queue and what has been loaded hang together by the instructions' own links. */
static void warp_state(struct cw_state *s, struct cw_core *core, struct warp *w)
{
    CW_STATE(s, w->phase);
    CW_STATE(s, w->lanes);
    CW_STATE(s, w->lane);
    CW_STATE(s, w->attempt);
    CW_STATE(s, w->committed);
    cw_core_inst_state(s, core, &w->queue);
    for (uint32_t i = 0; i < LOADS; i++)
        cw_core_inst_state(s, core, &w->load[i]);
    CW_STATE(s, w->loads);
    CW_STATE(s, w->stores);
    cw_core_inst_state(s, core, &w->loaded);
    CW_STATE(s, w->since);
    written_state(s, &w->written);
    CW_STATE(s, w->reads);
    CW_STATE(s, w->block);
}

/* `told` is for an oracle alone, and a run with one cannot be saved. */
void cw_serialised_core_state(struct cw_state *s, struct cw_serialised_core *c)
{
    const uint32_t warps = c->host->config->core_warps;
    cw_state_group(s, "serial", c->index);
    for (uint32_t w = 0; w < warps; w++)
        warp_state(s, c->core, &c->warp[w]);
    CW_STATE(s, c->busy);
    CW_STATE(s, c->gives);
    cw_state_count(s, "head", &c->ask_ring.head, warps - 1);
    cw_state_count(s, "asks", &c->ask_ring.cnt, warps);
    cw_state_array(s, "ask", c->ask, warps, sizeof *c->ask);
}
