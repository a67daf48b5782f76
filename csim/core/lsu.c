/* SPDX-License-Identifier: Apache-2.0 */
/* Load/store unit: memory instructions from issue to their line accesses, and back into the registers. */
#include <stdlib.h>
#include <string.h>

#include "core/core_local.h"
#include "core/core_state.h"

/* ---- instructions ---- */

struct cw_core_inst *cw_core__inst_of(const struct cw_core *c, uint32_t index)
{
    return &c->inst_chunk[index / CW_INST_CHUNK][index % CW_INST_CHUNK];
}

static bool grow_insts(struct cw_core *c)
{
    struct cw_core_inst *chunk = calloc(CW_INST_CHUNK, sizeof *chunk);
    struct cw_core_inst **table = realloc(c->inst_chunk, (c->inst_chunk_cnt + 1) * sizeof *table);
    if (table != 0)
        c->inst_chunk = table;
    if (chunk == 0 || table == 0) {
        free(chunk);
        return false;
    }
    table[c->inst_chunk_cnt] = chunk;
    for (uint32_t i = CW_INST_CHUNK; i-- > 0;) {
        chunk[i].index = c->inst_chunk_cnt * CW_INST_CHUNK + i;
        chunk[i].m.next = (struct cw_mem_inst *)c->inst_free;
        c->inst_free = &chunk[i];
    }
    c->inst_chunk_cnt++;
    return true;
}

static struct cw_core_inst *new_inst(struct cw_core *c)
{
    if (c->inst_free == 0 && !grow_insts(c))
        return 0;
    struct cw_core_inst *i = c->inst_free;
    c->inst_free = (struct cw_core_inst *)i->m.next;
    c->inst_out++;
    return i;
}

static void free_inst(struct cw_core *c, struct cw_core_inst *i)
{
    i->m.next = (struct cw_mem_inst *)c->inst_free;
    c->inst_free = i;
    c->inst_out--;
}

void cw_core__inst_done(struct cw_core *c, struct cw_core_inst *inst, uint64_t cycle)
{
    uint32_t w = inst->m.warp;
    struct cw_warp *warp = &c->warp[w];
    struct cw_core_inst *leader = inst->leader;
    if (inst != leader)
        free_inst(c, inst);
    warp->insts--;
    if (--leader->parts == 0) {
        cw_scoreboard_set(warp->slot_cycle, leader->op, cycle);
        if (leader->op->dst_cnt != 0 && warp->ready_at == CW_CYCLE_NEVER)
            cw_core__requeue(c, w);
        free_inst(c, leader);
    }
    cw_core__drained(c, w);
}

void cw_core__inst_answered(struct cw_core *c, struct cw_core_inst *inst, uint64_t cycle)
{
    if (--inst->m.accesses_pending > 0)
        return;
    if (inst->m.uop->op == CW_OP_LD)
        cw_core__write_back(c, &inst->m, inst->m.lanes);
    cw_core__inst_done(c, inst, cycle);
}

/* ---- registers ---- */

void cw_core__read_operand(const struct cw_exec *x, struct cw_opnd o, uint64_t out[CW_LANES])
{
    if (o.kind == CW_OPND_R64 || o.kind == CW_OPND_C64) {
        memcpy(out, cw_exec_src64(x, o), CW_LANES * sizeof *out);
    } else if (o.kind == CW_OPND_R32 || o.kind == CW_OPND_C32) {
        const uint32_t *v = cw_exec_src32(x, o);
        for (uint32_t lane = 0; lane < CW_LANES; lane++)
            out[lane] = v[lane];
    } else {
        memset(out, 0, CW_LANES * sizeof *out);
    }
}

static uint64_t extend(uint64_t v, uint32_t type)
{
    switch (type) {
    case CW_S8:
        return (uint64_t)(int64_t)(int8_t)v;
    case CW_S16:
        return (uint64_t)(int64_t)(int16_t)v;
    case CW_S32:
        return (uint64_t)(int64_t)(int32_t)v;
    default:
        return v;
    }
}

/* narrow: the register has 16 bits, which its slot keeps zero-extended. */
static void write_lanes(const struct cw_exec *x, struct cw_opnd o, uint32_t type, bool narrow, uint32_t lanes, const uint64_t *value)
{
    const bool all = lanes == UINT32_MAX; /* a loop without a mask is vector code; few lanes are better taken one by one */
    if (o.kind == CW_OPND_R32) {
        const uint32_t keep = narrow ? 0xffffu : UINT32_MAX;
        uint32_t *r = x->r32 + (uint32_t)o.idx * x->r32_stride;
        for (uint32_t lane = 0; all && lane < CW_LANES; lane++)
            r[lane] = (uint32_t)extend(value[lane], type) & keep;
        for (; !all && lanes != 0; lanes &= lanes - 1)
            r[cw_core__lowest(lanes)] = (uint32_t)extend(value[cw_core__lowest(lanes)], type) & keep;
    } else if (o.kind == CW_OPND_R64) {
        uint64_t *r = x->r64 + (uint32_t)o.idx * x->r64_stride;
        for (uint32_t lane = 0; all && lane < CW_LANES; lane++)
            r[lane] = extend(value[lane], type);
        for (; !all && lanes != 0; lanes &= lanes - 1)
            r[cw_core__lowest(lanes)] = extend(value[cw_core__lowest(lanes)], type);
    }
}

void cw_core__write_back(struct cw_core *c, const struct cw_mem_inst *inst, uint32_t lanes)
{
    const struct cw_exec *x = &c->warp[inst->warp].x;
    for (uint32_t e = 0; e < inst->vec; e++)
        write_lanes(x, inst->uop->dst[e], inst->uop->type, inst->uop->stype == CW_U16, lanes, inst->value[e]);
}

void cw_core__write_old(struct cw_core *c, const struct cw_mem_inst *inst, uint32_t lanes, const uint64_t old[CW_LANES])
{
    struct cw_warp *warp = &c->warp[inst->warp];
    const struct cw_uop *u = inst->uop;
    bool changed = false;
    for (uint32_t left = lanes; left != 0 && !changed; left &= left - 1) {
        uint32_t lane = cw_core__lowest(left);
        changed = cw_atomic_apply((enum cw_atom)u->atom, (enum cw_type)u->type, old[lane], inst->value[0][lane], inst->value[1][lane]) !=
                  old[lane];
    }
    if (changed)
        cw_core__progress(c, warp);
    if (u->dst_cnt != 0)
        write_lanes(&warp->x, u->dst[0], u->type, false, lanes, old);
}

/* ---- issue ---- */

static const char *const space_names[] = {"generic", "global", "shared", "local", "const", "param"};

static bool address_fault(struct cw_core *c, uint32_t w, const struct cw_uop *u, uint32_t space, uint32_t lane, uint64_t addr,
                          uint32_t bytes)
{
    const char *why = addr % bytes != 0          ? "misaligned"
                      : space == CW_SPACE_SHARED ? "beyond the block's shared memory"
                      : space == CW_SPACE_LOCAL  ? "beyond the thread's local memory"
                      : addr < CW_GLOBAL_BASE    ? "no memory there (a null or small pointer)"
                                                 : "not allocated";
    cw_core__fault(c, w, lane, u, CW_EFAULT, "%s of %u bytes at %s address 0x%llx: %s", cw_op_mnemonic((enum cw_op)u->op), bytes,
                   space_names[space], (unsigned long long)addr, why);
    return false;
}

static bool in_bounds(const struct cw_core *c, uint32_t space, uint64_t first, uint64_t bytes)
{
    if (space == CW_SPACE_GLOBAL)
        return first >= CW_GLOBAL_BASE && cw_devmem_valid(c->cfg.memory, first, bytes);
    uint64_t size = space == CW_SPACE_SHARED ? c->launch->shared_bytes : c->launch->kernel->local_bytes;
    return first <= size && bytes <= size - first;
}

/* All lanes' addresses lie between the lowest and the highest: memory is allocated in one piece, so one look does for all. */
static bool check_addresses(struct cw_core *c, uint32_t w, const struct cw_uop *u, uint32_t space, uint32_t lanes, const uint64_t *addr,
                            uint32_t bytes)
{
    uint64_t low = UINT64_MAX, high = 0, bits = 0;
    for (uint32_t lane = 0; lane < CW_LANES; lane++) {
        if ((lanes >> lane & 1u) == 0)
            continue;
        low = addr[lane] < low ? addr[lane] : low;
        high = addr[lane] > high ? addr[lane] : high;
        bits |= addr[lane];
    }
    if (bits % bytes == 0 && high <= UINT64_MAX - bytes && in_bounds(c, space, low, high - low + bytes))
        return true;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = cw_core__lowest(left);
        if (addr[lane] % bytes != 0 || !in_bounds(c, space, addr[lane], bytes))
            return address_fault(c, w, u, space, lane, addr[lane], bytes);
    }
    return true;
}

static void read_values(const struct cw_core *c, struct cw_core_inst *i)
{
    const struct cw_uop *u = i->m.uop;
    const struct cw_exec *x = &c->warp[i->m.warp].x;
    uint64_t keep = i->m.elem_bytes == 8 ? UINT64_MAX : (UINT64_C(1) << (8u * i->m.elem_bytes)) - 1;
    uint32_t n = u->op == CW_OP_ST ? i->m.vec : u->op == CW_OP_ATOM ? 2 : 0;
    for (uint32_t e = 0; e < n; e++) {
        struct cw_opnd o = e + 1 < u->src_cnt ? u->src[e + 1] : (struct cw_opnd){.kind = CW_OPND_NONE};
        cw_core__read_operand(x, o, i->m.value[e]);
        for (uint32_t lane = 0; lane < CW_LANES; lane++)
            i->m.value[e][lane] &= keep;
    }
    if (u->op == CW_OP_LD && i->m.space == CW_SPACE_LOCAL)
        memset(i->m.value, 0, sizeof i->m.value[0] * i->m.vec);
}

static struct cw_core_inst *enqueue(struct cw_core *c, uint32_t w, const struct cw_uop *u, const struct cw_issue_op *op, uint32_t space,
                                    uint32_t lanes, const uint64_t *addr, struct cw_core_inst *leader)
{
    struct cw_core_inst *i = new_inst(c);
    if (i == 0) {
        cw_core__fault(c, w, cw_core__lowest(lanes), u, CW_ENOMEM, "out of host memory");
        return 0;
    }
    struct cw_warp *warp = &c->warp[w];
    i->m.uop = u;
    i->m.warp = w;
    i->m.lanes = i->m.lanes_pending = lanes;
    i->m.space = (uint8_t)space;
    i->m.elem_bytes = (uint8_t)cw_type_bytes((enum cw_type)u->type);
    i->m.vec = u->op == CW_OP_ATOM ? 1 : u->vec;
    memcpy(i->m.addr, addr, sizeof i->m.addr);
    i->m.accesses_pending = 1; /* held until the last line access has been made */
    i->m.attempt = warp->attempt;
    i->op = op;
    i->leader = leader != 0 ? leader : i;
    i->parts = leader != 0 ? 0 : 1;
    i->leader->parts += leader != 0;
    i->lanes_left = lanes;
    i->piece = 0;
    uint32_t bytes = (uint32_t)i->m.elem_bytes * i->m.vec;
    i->piece_cnt = (uint8_t)(space == CW_SPACE_LOCAL && bytes > 4 ? bytes / 4 : 1);
    i->in_tx = cw_simt_in_tx(&warp->simt) && space == CW_SPACE_GLOBAL && u->op != CW_OP_ATOM;
    read_values(c, i);
    warp->insts++;
    if (c->queue_cnt == 0)
        c->lsu_next = c->cycle + 1;
    c->queue[(c->queue_head + c->queue_cnt++) % c->queue_cap] = i;
    return i;
}

/* Lanes of one space; the first part leads. */
static bool add_part(struct cw_core *c, uint32_t w, const struct cw_uop *u, const struct cw_issue_op *op, uint32_t space, uint32_t lanes,
                     const uint64_t *addr, struct cw_core_inst **leader)
{
    uint32_t bytes = cw_type_bytes((enum cw_type)u->type) * (u->op == CW_OP_ATOM ? 1u : u->vec);
    if (lanes == 0)
        return true;
    if (!check_addresses(c, w, u, space, lanes, addr, bytes))
        return false;
    if (u->op == CW_OP_ATOM && space == CW_SPACE_LOCAL) {
        cw_core__fault(c, w, cw_core__lowest(lanes), u, CW_EFAULT, "atomic on local memory");
        return false;
    }
    if (space == CW_SPACE_SHARED)
        c->cfg.stats->shared_accesses++;
    else
        c->cfg.stats->mem_instructions++;
    struct cw_core_inst *i = enqueue(c, w, u, op, space, lanes, addr, *leader);
    if (*leader == 0)
        *leader = i;
    if (i != 0 && u->op != CW_OP_LD && space != CW_SPACE_LOCAL && !i->in_tx && (u->op == CW_OP_ST || u->dst_cnt == 0))
        cw_core__progress(c, &c->warp[w]);
    return i != 0;
}

/* Generic addresses: each lane's window decides; addr becomes the offset in it. */
static void resolve(uint64_t addr[CW_LANES], uint32_t mask, uint32_t lanes[CW_SPACE_PARAM + 1])
{
    static const struct {
        uint64_t window;
        uint32_t space;
    } windows[] = {{CW_SHARED_WINDOW, CW_SPACE_SHARED}, {CW_LOCAL_WINDOW, CW_SPACE_LOCAL}, {CW_CONST_WINDOW, CW_SPACE_CONST}};
    lanes[CW_SPACE_GLOBAL] = mask;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t lane = cw_core__lowest(left);
        if (addr[lane] >= CW_GLOBAL_BASE)
            continue;
        for (uint32_t i = 0; i < 3; i++)
            if (addr[lane] - windows[i].window < CW_WINDOW_BYTES) {
                lanes[windows[i].space] |= 1u << lane;
                lanes[CW_SPACE_GLOBAL] &= ~(1u << lane);
                addr[lane] -= windows[i].window;
                break;
            }
    }
}

bool cw_core__issue_mem(struct cw_core *c, uint32_t w, const struct cw_uop *u, const struct cw_issue_op *op, uint32_t mask)
{
    struct cw_warp *warp = &c->warp[w];
    uint64_t addr[CW_LANES];
    uint32_t lanes[CW_SPACE_PARAM + 1] = {0};
    if (mask == 0)
        return true;
    cw_core__read_operand(&warp->x, u->src[0], addr);
    for (uint32_t lane = 0; lane < CW_LANES; lane++)
        addr[lane] += (uint64_t)u->imm;
    if (u->space == CW_SPACE_GENERIC)
        resolve(addr, mask, lanes);
    else
        lanes[u->space] = mask;
    if (u->op == CW_OP_ATOM || (u->flags & CW_UF_VOLATILE) != 0)
        warp->polled |= u->op != CW_OP_ST;
    if (lanes[CW_SPACE_CONST] != 0) {
        if (u->op != CW_OP_LD || lanes[CW_SPACE_CONST] != mask) {
            cw_core__fault(c, w, cw_core__lowest(lanes[CW_SPACE_CONST]), u, CW_EFAULT, "%s",
                           u->op != CW_OP_LD ? "constant memory cannot be written" : "lanes of one load in constant and in other memory");
            return false;
        }
        return cw_core__const_load(c, w, u, op, mask, addr);
    }
    struct cw_core_inst *leader = 0;
    for (uint32_t space = CW_SPACE_GLOBAL; space <= CW_SPACE_LOCAL; space++)
        if (!add_part(c, w, u, op, space, lanes[space], addr, &leader))
            return false;
    cw_scoreboard_set(warp->slot_cycle, op, CW_CYCLE_PENDING);
    return true;
}

/* ---- the queue's head ---- */

enum outcome { DONE, AGAIN, BLOCKED /* until another stage has moved */ };

/* The lines that an instruction's lanes touch. */
static uint32_t line_cnt(const struct cw_mem_inst *m)
{
    uint32_t n = 0;
    for (uint32_t left = m->lanes; left != 0; n++)
        cw_coalesce_next(m->addr, &left);
    return n;
}

static enum outcome tx_access(struct cw_core *c, struct cw_core_inst *i)
{
    struct cw_warp *warp = &c->warp[i->m.warp];
    if (warp->piped != 0)
        return BLOCKED;
    i->m.lanes &= warp->simt.entry[warp->simt.t].mask; /* lanes may have aborted since issue */
    i->m.lanes_pending = i->m.lanes;
    if (i->m.lanes == 0) {
        cw_core__inst_done(c, i, c->cycle + 1);
        return DONE;
    }
    const uint32_t lines = line_cnt(&i->m); /* now: the system may give the instruction back at once */
    if (!c->tm->region_access(c->tm_self, &i->m, c->now))
        return AGAIN;
    c->cfg.stats->mem_accesses += lines;
    return DONE;
}

static struct cw_line_access next_local(const struct cw_core *c, struct cw_core_inst *i)
{
    struct cw_line_access a = {0};
    uint64_t word = i->m.addr[cw_core__lowest(i->lanes_left)] / 4;
    for (uint32_t left = i->lanes_left; left != 0; left &= left - 1)
        if (i->m.addr[cw_core__lowest(left)] / 4 == word)
            a.lanes |= 1u << cw_core__lowest(left);
    i->lanes_left &= ~a.lanes;
    a.line = cw_local_line(c->launch->local_base, c->launch->local_bytes, c->cfg.index * c->config->core_warps + i->m.warp,
                           (uint32_t)word + i->piece);
    return a;
}

static enum outcome line_access(struct cw_core *c, struct cw_core_inst *i)
{
    if (!cw_core__pipe_has_room(c))
        return BLOCKED;
    struct cw_pipe_entry e = {.ready = c->cycle + c->config->l1_pipeline - 1, .inst = i, .piece = i->piece};
    e.access = i->m.space == CW_SPACE_LOCAL ? next_local(c, i) : cw_coalesce_next(i->m.addr, &i->lanes_left);
    bool more = i->lanes_left != 0;
    if (!more && ++i->piece < i->piece_cnt) {
        i->lanes_left = i->m.lanes;
        more = true;
    }
    i->m.accesses_pending += more; /* the last one takes over the hold */
    c->warp[i->m.warp].piped++;
    cw_core__pipe_push(c, &e);
    c->cfg.stats->mem_accesses++;
    return more ? AGAIN : DONE;
}

void cw_core__lsu_tick(struct cw_core *c)
{
    c->lsu_next = CW_CYCLE_NEVER;
    if (c->queue_cnt == 0)
        return;
    struct cw_core_inst *i = c->queue[c->queue_head];
    enum outcome o = AGAIN;
    if (i->m.space == CW_SPACE_SHARED) {
        if (c->shared_free_at <= c->cycle) {
            cw_core__shared_access(c, i);
            o = DONE;
        }
    } else if (i->in_tx) {
        o = tx_access(c, i);
    } else {
        o = line_access(c, i);
    }
    if (o == DONE) {
        c->queue_head = (c->queue_head + 1) % c->queue_cap;
        c->queue_cnt--;
    }
    if (c->queue_cnt > 0 && o != BLOCKED) {
        bool shared = c->queue[c->queue_head]->m.space == CW_SPACE_SHARED;
        c->lsu_next = shared && c->shared_free_at > c->cycle ? c->shared_free_at : c->cycle + 1;
    }
}
