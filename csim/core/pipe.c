/* SPDX-License-Identifier: Apache-2.0 */
/* Load/store pipeline: line accesses on their way to the L1 or the crossbar, replies on their way back, accesses to mechanisms' logs. */
#include <assert.h>
#include <string.h>

#include "core/core_state.h"
#include "mem/address.h"

static void enter_mask(uint64_t mask[2], uint32_t first, uint32_t bytes)
{
    uint64_t ones = bytes >= 64 ? UINT64_MAX : (UINT64_C(1) << bytes) - 1; /* an aligned access never crosses byte 64 */
    mask[first / 64] |= ones << (first % 64);
}

/* Where in its line a lane's access lies. */
static uint32_t offset_in_line(const struct cw_core *c, const struct cw_pipe_entry *e, uint32_t lane)
{
    const struct cw_mem_inst *m = &e->inst->m;
    uint64_t addr = m->addr[lane];
    if (m->space == CW_SPACE_LOCAL)
        addr = cw_core__local_word(c, cw_core__home(c, m->made, m->warp, lane), m->half, lane, addr + 4u * e->piece) + addr % 4;
    return (uint32_t)addr & (c->line_bytes - 1);
}

/* Bytes of the line that an access touches. */
static void access_mask(const struct cw_core *c, const struct cw_pipe_entry *e, uint64_t mask[2])
{
    const struct cw_mem_inst *m = &e->inst->m;
    uint32_t bytes = (uint32_t)m->elem_bytes * m->vec;
    mask[0] = mask[1] = 0;
    for (cw_lanes left = e->access.lanes; left != 0; left = cw_lanes_rest(left)) {
        uint32_t lane = cw_lanes_first(left);
        enter_mask(mask, offset_in_line(c, e, lane), m->space == CW_SPACE_LOCAL && bytes > 4 ? 4 : bytes);
    }
}

/* Values of an instruction to or from the bytes of a line. */
static void copy_lane(struct cw_mem_inst *m, uint32_t lane, uint32_t first, uint32_t bytes, uint8_t *line, bool to_line)
{
    for (uint32_t b = 0; b < bytes; b++) {
        uint32_t e = (first + b) / m->elem_bytes, shift = 8 * ((first + b) % m->elem_bytes);
        if (to_line)
            line[b] = (uint8_t)(m->value[e][lane] >> shift);
        else
            m->value[e][lane] |= (uint64_t)line[b] << shift;
    }
}

static void copy_local(const struct cw_core *c, const struct cw_pipe_entry *e, uint8_t *line, bool to_line)
{
    struct cw_mem_inst *m = &e->inst->m;
    uint32_t bytes = (uint32_t)m->elem_bytes * m->vec;
    for (cw_lanes left = e->access.lanes; left != 0; left = cw_lanes_rest(left)) {
        uint32_t lane = cw_lanes_first(left);
        copy_lane(m, lane, 4 * e->piece, bytes < 4 ? bytes : 4, line + offset_in_line(c, e, lane), to_line);
    }
}

static void copy_global(const struct cw_core *c, const struct cw_pipe_entry *e, const uint8_t *line)
{
    struct cw_mem_inst *m = &e->inst->m;
    for (uint32_t i = 0; i < m->vec; i++)
        for (cw_lanes left = e->access.lanes; left != 0; left = cw_lanes_rest(left)) {
            uint32_t lane = cw_lanes_first(left);
            m->value[i][lane] = cw_core__load_element(line + (m->addr[lane] & (c->line_bytes - 1)) + i * m->elem_bytes, m->elem_bytes);
        }
}

/* Load data has come. */
static void deliver(struct cw_core *c, struct cw_core_inst *inst, cw_lanes lanes, uint32_t piece, const uint8_t *line, uint64_t cycle)
{
    struct cw_pipe_entry e = {.inst = inst, .piece = piece, .access = {.lanes = lanes}};
    uint8_t bytes[CW_LINE_BYTES];
    if (inst->m.space == CW_SPACE_LOCAL) {
        memcpy(bytes, line, c->line_bytes);
        copy_local(c, &e, bytes, false);
    } else {
        copy_global(c, &e, line);
    }
    cw_core__inst_answered(c, inst, cycle);
}

/* ---- packets ---- */

static struct cw_message *new_packet(struct cw_core *c, enum cw_message_kind kind, uint64_t line, uint32_t payload_bytes)
{
    const size_t body = kind == CW_MSG_ATOMIC ? sizeof(struct cw_atomic_body) : sizeof(struct cw_line_body);
    struct cw_message *p = cw_message_new(c->cfg.pool, body);
    p->kind = (uint8_t)kind;
    p->addr = line;
    p->core = (uint16_t)c->cfg.index;
    p->partition = (uint16_t)cw_address_partition(c->config, line);
    p->born = c->now;
    cw_message_size(p, payload_bytes, c->config->noc_header_bytes, c->config->noc_flit_bytes);
    return p;
}

static void fill_atomic(const struct cw_core *c, struct cw_message *p, const struct cw_pipe_entry *e)
{
    const struct cw_mem_inst *m = &e->inst->m;
    struct cw_atomic_body *b = cw_atomic_body(p);
    b->atom = m->uop->atom;
    b->type = m->uop->type;
    p->needs_reply = m->uop->dst_cnt != 0 || (m->uop->flags & CW_UF_ACQUIRE) != 0;
    for (cw_lanes left = e->access.lanes; left != 0; left = cw_lanes_rest(left)) {
        uint32_t lane = cw_lanes_first(left);
        b->lane_offset[lane] = (uint8_t)(m->addr[lane] & (c->line_bytes - 1));
        b->a[lane] = m->value[0][lane];
        b->b[lane] = m->value[1][lane];
    }
}

/* Lanes that write the same byte: the highest lane's value stays. */
static void fill_write(const struct cw_core *c, struct cw_message *p, const struct cw_pipe_entry *e)
{
    const struct cw_mem_inst *m = &e->inst->m;
    uint64_t mask[2];
    access_mask(c, e, mask);
    struct cw_line_body *b = cw_line_body(p);
    memcpy(b->byte_mask, mask, sizeof b->byte_mask);
    for (uint32_t i = 0; i < m->vec; i++)
        for (cw_lanes left = e->access.lanes; left != 0; left = cw_lanes_rest(left)) {
            uint32_t lane = cw_lanes_first(left);
            cw_core__store_element(b->data + (m->addr[lane] & (c->line_bytes - 1)) + i * m->elem_bytes, m->elem_bytes, m->value[i][lane]);
        }
}

static struct cw_message *build(struct cw_core *c, const struct cw_pipe_entry *e)
{
    const struct cw_uop *u = e->inst->m.uop;
    uint32_t lanes = cw_lanes_count(e->access.lanes), sectors = (uint32_t)__builtin_popcount(e->access.sectors);
    bool whole_sectors = u->op == CW_OP_ST || (u->op == CW_OP_ATOM && c->config->noc_atomic_sectors == CW_ON);
    uint32_t payload = whole_sectors         ? sectors * CW_SECTOR_BYTES
                       : u->op == CW_OP_ATOM ? lanes * e->inst->m.elem_bytes * (u->atom == CW_ATOM_CAS ? 2u : 1u)
                                             : 0;
    enum cw_message_kind kind = u->op == CW_OP_ST ? CW_MSG_WRITE : u->op == CW_OP_ATOM ? CW_MSG_ATOMIC : CW_MSG_READ;
    struct cw_message *p = new_packet(c, kind, e->access.line, payload);
    p->sectors = (uint8_t)e->access.sectors;
    p->lanes = e->access.lanes;
    p->warp = (uint16_t)e->inst->m.warp;
    p->tag = e->inst->index;
    if (kind == CW_MSG_WRITE) {
        p->needs_reply = 1;
        fill_write(c, p, e);
    } else if (kind == CW_MSG_ATOMIC) {
        fill_atomic(c, p, e);
    }
    return p;
}

static bool crossbar_takes(const struct cw_core *c, uint32_t flits)
{
    return cw_crossbar_can_push(c->cfg.up, c->cfg.index, flits, c->now);
}

/* A write of the warp leaves, and comes back as its acknowledgement; memory fences wait for that. */
static void expect_ack(struct cw_core *c, struct cw_message *p, uint8_t flight)
{
    c->acks++;
    c->warp[p->warp].acks++;
    cw_core__order_begin(c, flight);
    p->flight = flight;
}

bool cw_core_send(struct cw_core *c, struct cw_message *p, cw_time now)
{
    if (!cw_crossbar_can_push(c->cfg.up, c->cfg.index, p->flits, now))
        return false;
    p->core = (uint16_t)c->cfg.index;
    p->partition = (uint16_t)cw_address_partition(c->config, p->addr);
    if (p->kind == CW_MSG_WRITE && p->needs_reply)
        expect_ack(c, p, cw_core__order_flight(c, p->warp));
    cw_crossbar_push(c->cfg.up, c->cfg.index, p, now);
    return true;
}

/* ---- L1 ---- */

/* Writes the victim's dirty bytes back; false when the crossbar has no room. Nobody waits for the write: later misses of the
 * line follow it on the same path. */
static bool evict(struct cw_core *c, struct cw_l1_line *victim)
{
    uint32_t sectors = 0;
    for (uint32_t s = 0; s < c->line_bytes / CW_SECTOR_BYTES; s++)
        if ((victim->dirty[s / 2] >> (32 * (s % 2)) & UINT32_MAX) != 0)
            sectors |= 1u << s;
    uint32_t payload = (uint32_t)__builtin_popcount(sectors) * CW_SECTOR_BYTES;
    uint32_t flits = (c->config->noc_header_bytes + payload + c->config->noc_flit_bytes - 1) / c->config->noc_flit_bytes;
    if (!crossbar_takes(c, flits))
        return false;
    struct cw_message *p = new_packet(c, CW_MSG_WRITE, victim->line, payload);
    p->sectors = (uint8_t)sectors;
    struct cw_line_body *b = cw_line_body(p);
    memcpy(b->byte_mask, victim->dirty, sizeof b->byte_mask);
    memcpy(b->data, victim->data, c->line_bytes);
    cw_crossbar_push(c->cfg.up, c->cfg.index, p, c->now);
    cw_l1_clean(victim);
    cw_core__tell_line(c, CW_L1_LINE_EVICTED, victim->line, CW_CORE_WARPS_MAX);
    c->cfg.stats->l1_writebacks++;
    return true;
}

static void send_miss(struct cw_core *c, uint64_t line, uint32_t bytes, uint32_t tag)
{
    struct cw_message *p = new_packet(c, CW_MSG_READ, line & ~(uint64_t)(c->line_bytes - 1), 0);
    p->sectors = cw_core__sectors(c, line, bytes);
    p->tag = tag;
    cw_crossbar_push(c->cfg.up, c->cfg.index, p, c->now);
}

static bool miss_has_room(const struct cw_core *c)
{
    return crossbar_takes(c, (c->config->noc_header_bytes + c->config->noc_flit_bytes) / c->config->noc_flit_bytes);
}

enum progress { MOVED, RETRY, WAIT_FILL, WAIT_CROSSBAR };

/* What a refusal means for the one who asked. */
static enum progress refused(struct cw_core *c, enum cw_l1_result r, struct cw_l1_line *victim)
{
    if (r == CW_L1_BUSY)
        return WAIT_FILL;
    evict(c, victim);
    return RETRY;
}

static enum progress l1_load(struct cw_core *c, const struct cw_pipe_entry *e)
{
    const struct cw_l1_waiter who = {
        .inst = e->inst, .global = e->inst->m.space == CW_SPACE_GLOBAL, .lanes = (uint32_t)e->access.lanes, .piece = e->piece};
    uint64_t need[2];
    uint8_t *data = 0;
    uint32_t mshr = 0;
    struct cw_l1_line *victim = 0;
    if (!miss_has_room(c))
        return RETRY;
    access_mask(c, e, need);
    enum cw_l1_result r = cw_l1_read(&c->l1, e->access.line, need, &who, &data, &mshr, &victim);
    if (r == CW_L1_BUSY || r == CW_L1_EVICT)
        return refused(c, r, victim);
    c->cfg.stats->l1_reads++;
    c->cfg.stats->l1_read_misses += r != CW_L1_HIT;
    if (r == CW_L1_HIT) {
        cw_core__tell_line(c, CW_L1_LINE_HIT, e->access.line, e->inst->m.warp);
        deliver(c, e->inst, e->access.lanes, e->piece, data, c->cycle + c->config->l1_latency);
    } else if (r == CW_L1_MISS) {
        send_miss(c, e->access.line, c->line_bytes, CW_TAG_MSHR | mshr);
    }
    return MOVED;
}

static enum progress l1_store(struct cw_core *c, const struct cw_pipe_entry *e)
{
    uint64_t mask[2];
    uint8_t *data = 0;
    bool allocated;
    struct cw_l1_line *victim = 0;
    access_mask(c, e, mask);
    enum cw_l1_result r = cw_l1_write(&c->l1, e->access.line, mask, &data, &allocated, &victim);
    if (r != CW_L1_HIT)
        return refused(c, r, victim);
    copy_local(c, e, data, true);
    cw_core__tell_line(c, CW_L1_LINE_WRITTEN, e->access.line, e->inst->m.warp);
    c->cfg.stats->l1_writes++;
    c->cfg.stats->l1_write_misses += allocated;
    cw_core__inst_answered(c, e->inst, c->cycle + 1);
    return MOVED;
}

/* A hit of the texture cache, or a read of its line; bytes lie where they lie in the line of L1 and L2. */
static __attribute__((noinline)) enum progress texture_load(struct cw_core *c, const struct cw_pipe_entry *e)
{
    static const uint64_t whole[2] = {UINT64_MAX, UINT64_MAX};
    const struct cw_l1_waiter who = {.inst = e->inst, .global = true, .lanes = (uint32_t)e->access.lanes};
    uint8_t *data = 0;
    uint32_t mshr = 0;
    struct cw_l1_line *victim = 0;
    if (!miss_has_room(c))
        return RETRY;
    const enum cw_l1_result r = cw_l1_read(&c->texture, e->access.line, whole, &who, &data, &mshr, &victim);
    if (r == CW_L1_BUSY)
        return WAIT_FILL;
    c->cfg.stats->texture_reads++;
    c->cfg.stats->texture_read_misses += r != CW_L1_HIT;
    if (r == CW_L1_HIT)
        deliver(c, e->inst, e->access.lanes, 0, data, c->cycle + c->config->texture_latency);
    else if (r == CW_L1_MISS)
        send_miss(c, e->access.line, c->texture.line_bytes, CW_TAG_TEXTURE | mshr);
    return MOVED;
}

static bool uses_l1(const struct cw_core *c, const struct cw_mem_inst *m)
{
    const struct cw_uop *u = m->uop;
    if (m->space == CW_SPACE_LOCAL)
        return true;
    return c->config->l1_global == CW_ON && u->op == CW_OP_LD && (u->flags & (CW_UF_CACHE_ALL | CW_UF_VOLATILE)) == CW_UF_CACHE_ALL;
}

/* ---- the pipe ---- */

bool cw_core__pipe_has_room(const struct cw_core *c)
{
    return c->pipe_cnt < c->pipe_cap;
}

void cw_core__pipe_push(struct cw_core *c, const struct cw_pipe_entry *e)
{
    uint32_t tail = c->pipe_head + c->pipe_cnt++;
    c->pipe[tail < c->pipe_cap ? tail : tail - c->pipe_cap] = *e;
    if (c->pipe_cnt == 1)
        c->pipe_next = e->ready > c->cycle ? e->ready : c->cycle + 1;
}

static enum progress l1_access(struct cw_core *c, const struct cw_pipe_entry *e)
{
    if (c->log_refused) { /* log accesses take turns with the pipe */
        c->log_refused = false;
        return RETRY;
    }
    c->l1_port_cycle = c->cycle;
    return e->inst->m.uop->op == CW_OP_ST ? l1_store(c, e) : l1_load(c, e);
}

static enum progress bypass(struct cw_core *c, const struct cw_pipe_entry *e)
{
    if (c->pipe_packet == 0)
        c->pipe_packet = build(c, e);
    struct cw_message *p = c->pipe_packet;
    if (!crossbar_takes(c, p->flits))
        return WAIT_CROSSBAR;
    const bool unanswered = p->kind == CW_MSG_WRITE || (p->kind == CW_MSG_ATOMIC && p->needs_reply == 0);
    if (unanswered)
        expect_ack(c, p, e->inst->flight);
    cw_crossbar_push(c->cfg.up, c->cfg.index, p, c->now);
    c->pipe_packet = 0;
    if (c->config->l1_global == CW_ON && p->kind != CW_MSG_READ) {
        cw_l1_invalidate(&c->l1, e->access.line);
        cw_core__tell_line(c, CW_L1_LINE_INVALIDATED, e->access.line, e->inst->m.warp);
    }
    if (unanswered)
        cw_core__inst_answered(c, e->inst, c->cycle + 1);
    return MOVED;
}

static void pipe_stall(struct cw_core *c, enum progress why)
{
    if (c->pipe_stalled_at == CW_CYCLE_NEVER)
        c->pipe_stalled_at = c->cycle;
    if (why == RETRY)
        c->pipe_next = c->cycle + 1;
    else if (why == WAIT_CROSSBAR) {
        const cw_time when = cw_crossbar_space_at(c->cfg.up, c->cfg.index, c->pipe_packet->flits, c->now);
        c->pipe_next = when == CW_TIME_NEVER ? CW_CYCLE_NEVER : (when + c->period - 1) / c->period;
    }
}

static void end_stall(struct cw_core *c, bool texture)
{
    struct cw_stats *s = c->cfg.stats;
    const uint64_t cycles = c->cycle - c->pipe_stalled_at;
    *(texture ? &s->texture_stalls : &s->l1_stalls) += cycles;
    *(texture ? &s->mem_stall_texture : &s->mem_stall_global) += cycles;
    c->pipe_stalled_at = CW_CYCLE_NEVER;
}

void cw_core__pipe_tick(struct cw_core *c)
{
    c->pipe_next = CW_CYCLE_NEVER;
    if (c->pipe_cnt == 0)
        return;
    const struct cw_pipe_entry *e = &c->pipe[c->pipe_head];
    if (e->ready > c->cycle) {
        c->pipe_next = e->ready;
        return;
    }
    struct cw_warp *warp = &c->warp[e->inst->m.warp];
    const bool texture = cw_core__uses_texture(c, &e->inst->m);
    enum progress r = texture ? texture_load(c, e) : uses_l1(c, &e->inst->m) ? l1_access(c, e) : bypass(c, e);
    if (r != MOVED) {
        pipe_stall(c, r);
        return;
    }
    if (c->pipe_stalled_at != CW_CYCLE_NEVER)
        end_stall(c, texture);
    warp->piped--;
    c->pipe_head = c->pipe_head + 1 < c->pipe_cap ? c->pipe_head + 1 : 0;
    if (--c->pipe_cnt > 0) {
        uint64_t ready = c->pipe[c->pipe_head].ready;
        c->pipe_next = ready > c->cycle ? ready : c->cycle + 1;
    }
}

/* ---- replies ---- */

static void fill(struct cw_core *c, struct cw_message *p)
{
    uint32_t mshr = p->tag & ~CW_TAG_MSHR;
    struct cw_l1_mshr *m = &c->l1.mshr[mshr];
    const uint8_t *line = cw_l1_fill(&c->l1, mshr, cw_line_body(p)->data);
    cw_core__tell_line(c, CW_L1_LINE_FILLED, m->line, CW_CORE_WARPS_MAX);
    for (uint32_t i = 0; i < m->waiter_cnt; i++) {
        const struct cw_l1_waiter *who = &m->waiter[i];
        if (who->inst == 0)
            c->region->sockets->log_done(c->region->self, who->warp, who->piece, c->now);
        else
            deliver(c, who->inst, who->lanes, who->piece, line, c->cycle + 1);
    }
    cw_l1_release(&c->l1, mshr);
}

static __attribute__((noinline)) void texture_fill(struct cw_core *c, struct cw_message *p)
{
    const uint32_t mshr = p->tag & ~CW_TAG_TEXTURE;
    const struct cw_l1_mshr *m = &c->texture.mshr[mshr];
    const uint8_t *line = cw_l1_fill(&c->texture, mshr, cw_line_body(p)->data);
    c->cfg.stats->texture_fills++;
    for (uint32_t i = 0; i < m->waiter_cnt; i++)
        deliver(c, m->waiter[i].inst, m->waiter[i].lanes, 0, line, c->cycle + 1);
    cw_l1_release(&c->texture, mshr);
}

/* Whose miss a line answers, or the instruction that asked for it. */
static void read_reply(struct cw_core *c, struct cw_message *p)
{
    if ((p->tag & CW_TAG_MSHR) != 0)
        fill(c, p);
    else if ((p->tag & CW_TAG_CODE) != 0)
        cw_core__code_fill(c, p->tag & ~CW_TAG_CODE);
    else if ((p->tag & CW_TAG_CONST) != 0)
        cw_core__const_fill(c, p->tag & ~CW_TAG_CONST);
    else if ((p->tag & CW_TAG_TEXTURE) != 0)
        texture_fill(c, p);
    else
        deliver(c, cw_core__inst_of(c, p->tag), p->lanes, 0, cw_line_body(p)->data, c->cycle + 1);
}

static void acknowledge(struct cw_core *c, uint32_t w, uint8_t flight)
{
    assert(c->acks > 0 && c->warp[w].acks > 0);
    c->acks--;
    cw_core__order_done(c, flight);
    if (--c->warp[w].acks == 0)
        cw_core__drained(c, w);
}

void cw_core__reply_tick(struct cw_core *c)
{
    struct cw_message *p = cw_crossbar_pop(c->cfg.down, c->cfg.index, c->now);
    if (p == 0)
        return;
    switch (p->kind) {
    case CW_MSG_READ_REPLY:
        read_reply(c, p);
        break;
    case CW_MSG_ATOMIC_REPLY: {
        struct cw_core_inst *inst = cw_core__inst_of(c, p->tag);
        cw_core__write_old(c, &inst->m, p->lanes, cw_atomic_body(p)->a);
        cw_core__inst_answered(c, inst, c->cycle + 1);
        break;
    }
    case CW_MSG_WRITE_ACK:
        acknowledge(c, p->warp, p->flight);
        break;
    default:
        assert(p->mech != 0 && p->mech <= c->mech_cnt);
        c->mech[p->mech - 1].sockets->message(c->mech[p->mech - 1].self, p, c->now); /* which frees it */
        return;
    }
    cw_message_free(c->cfg.pool, p);
}

/* ---- mechanisms' logs ---- */

bool cw_core_log_access(struct cw_core *c, uint32_t warp, uint32_t word, bool write, uint32_t cookie, cw_time now)
{
    static const uint64_t all[2] = {UINT64_MAX, UINT64_MAX};
    uint64_t line = cw_core__local_word(c, warp, 0, 0, c->launch->log_offset + 4 * (uint64_t)word);
    const struct cw_l1_waiter who = {.inst = 0, .warp = warp, .piece = cookie};
    uint8_t *data = 0;
    uint32_t mshr = 0;
    bool allocated = false;
    struct cw_l1_line *victim = 0;
    (void)now;
    if (c->l1_port_cycle == c->cycle || c->log_cnt == c->log_cap || !miss_has_room(c)) {
        c->log_refused = c->l1_port_cycle == c->cycle;
        return false;
    }
    enum cw_l1_result r =
        write ? cw_l1_write(&c->l1, line, all, &data, &allocated, &victim) : cw_l1_read(&c->l1, line, all, &who, &data, &mshr, &victim);
    c->l1_port_cycle = c->cycle;
    if (r == CW_L1_BUSY || r == CW_L1_EVICT) {
        refused(c, r, victim);
        return false;
    }
    *(write ? &c->cfg.stats->l1_writes : &c->cfg.stats->l1_reads) += 1;
    *(write ? &c->cfg.stats->l1_write_misses : &c->cfg.stats->l1_read_misses) += write ? allocated : r != CW_L1_HIT;
    if (r == CW_L1_MISS)
        send_miss(c, line, c->line_bytes, CW_TAG_MSHR | mshr);
    if (r == CW_L1_HIT)
        c->log_done[(c->log_head + c->log_cnt++) % c->log_cap] = (struct cw_log_done){c->cycle + c->config->l1_latency, warp, cookie};
    return true;
}

void cw_core__log_tick(struct cw_core *c)
{
    while (c->log_cnt > 0 && c->log_done[c->log_head].ready <= c->cycle) {
        struct cw_log_done d = c->log_done[c->log_head];
        c->log_head = (c->log_head + 1) % c->log_cap;
        c->log_cnt--;
        c->region->sockets->log_done(c->region->self, d.warp, d.cookie, c->now);
    }
}
