/* SPDX-License-Identifier: Apache-2.0 */
/* The SIMT core with hand-made kernels, between two crossbars and a memory that answers after a fixed time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/core_local.h"
#include "cw_test.h"
#include "mem/partition.h"

#define MEMORY_LATENCY 50u
#define UOPS_MAX 64u
#define CYCLES_MAX 2000000u

/* ---- a kernel, written micro-op by micro-op ---- */

#define R(i)    ((struct cw_opnd){.kind = CW_OPND_R32, .idx = (i)})
#define D(i)    ((struct cw_opnd){.kind = CW_OPND_R64, .idx = (i)})
#define P(i)    ((struct cw_opnd){.kind = CW_OPND_PRED, .idx = (i)})
#define S(i)    ((struct cw_opnd){.kind = CW_OPND_SREG, .idx = (i)})
#define NONE    ((struct cw_opnd){.kind = CW_OPND_NONE})
#define OP(...) defaults((struct cw_uop){__VA_ARGS__})

/* What was left 0: one element of u32, no reconvergence. The guard is given as slot + 1. */
static struct cw_uop defaults(struct cw_uop u)
{
    u.guard--;
    u.vec = u.vec != 0 ? u.vec : 1;
    u.type = u.type != 0 ? u.type : CW_U32;
    u.stype = u.stype != 0 ? u.stype : CW_U32;
    u.rpc = u.rpc != 0 ? u.rpc : CW_PC_NONE;
    return u;
}

struct program {
    struct cw_kernel kernel;
    struct cw_module module;
    struct cw_uop uop[UOPS_MAX];
    uint32_t c32[16 * CW_LANES];
};

static uint32_t emit(struct program *p, struct cw_uop u)
{
    uint32_t pc = p->kernel.uop_cnt++;
    assert_true(pc < UOPS_MAX);
    u.line = 100 + pc;
    p->uop[pc] = u;
    return pc;
}

/* A constant operand. */
static struct cw_opnd C(struct program *p, uint32_t value)
{
    uint32_t i = p->kernel.c32_cnt++;
    for (uint32_t lane = 0; lane < CW_LANES; lane++)
        p->c32[i * CW_LANES + lane] = value;
    return (struct cw_opnd){.kind = CW_OPND_C32, .idx = (uint16_t)i};
}

static void mov(struct program *p, struct cw_opnd dst, struct cw_opnd src)
{
    emit(p, OP(.op = CW_OP_MOV, .dst_cnt = 1, .src_cnt = 1, .dst = {dst}, .src = {src}));
}

static void add(struct program *p, struct cw_opnd dst, struct cw_opnd a, struct cw_opnd b)
{
    emit(p, OP(.op = CW_OP_ADD, .dst_cnt = 1, .src_cnt = 2, .dst = {dst}, .src = {a, b}));
}

static void mul(struct program *p, struct cw_opnd dst, struct cw_opnd a, struct cw_opnd b)
{
    emit(p, OP(.op = CW_OP_MUL, .fu = CW_FU_IMUL, .dst_cnt = 1, .src_cnt = 2, .dst = {dst}, .src = {a, b}));
}

static void setp(struct program *p, struct cw_opnd dst, enum cw_cmp cmp, struct cw_opnd a, struct cw_opnd b)
{
    emit(p, OP(.op = CW_OP_SETP, .cmp = (uint8_t)cmp, .dst_cnt = 1, .src_cnt = 2, .dst = {dst}, .src = {a, b}));
}

static uint32_t bra(struct program *p, int guard, bool neg, uint32_t target, uint32_t rpc)
{
    return emit(p, OP(.op = CW_OP_BRA, .fu = CW_FU_CTRL, .guard = (int16_t)(guard + 1), .guard_neg = neg, .target = target, .rpc = rpc));
}

static void param(struct program *p, struct cw_opnd dst, enum cw_type type, int64_t offset)
{
    emit(p, OP(.op = CW_OP_LD, .fu = CW_FU_MEM, .space = CW_SPACE_PARAM, .type = (uint8_t)type, .imm = offset, .dst_cnt = 1, .src_cnt = 1,
               .dst = {dst}));
}

/* dst = base + 4 * index */
static void element(struct program *p, struct cw_opnd dst, struct cw_opnd base, struct cw_opnd index)
{
    struct cw_opnd four = C(p, 4);
    emit(p, OP(.op = CW_OP_MAD, .fu = CW_FU_IMUL, .flags = CW_UF_WIDE, .type = CW_U64, .stype = CW_U32, .dst_cnt = 1, .src_cnt = 3, .dst = {dst},
               .src = {index, four, base}));
}

static uint32_t ld(struct program *p, enum cw_space space, struct cw_opnd dst, struct cw_opnd addr)
{
    return emit(p, OP(.op = CW_OP_LD, .fu = CW_FU_MEM, .space = (uint8_t)space, .flags = CW_UF_CACHE_ALL, .dst_cnt = 1, .src_cnt = 1,
                      .dst = {dst}, .src = {addr}));
}

static uint32_t st(struct program *p, enum cw_space space, struct cw_opnd addr, struct cw_opnd value)
{
    return emit(p, OP(.op = CW_OP_ST, .fu = CW_FU_MEM, .space = (uint8_t)space, .src_cnt = 2, .src = {addr, value}));
}

static void finish(struct program *p)
{
    emit(p, OP(.op = CW_OP_EXIT, .fu = CW_FU_CTRL));
}

/* ---- the rig ---- */

struct pending {
    struct cw_packet *packet;
    cw_time ready;
};

struct rig {
    struct cw_config config;
    struct cw_clocks clocks;
    struct cw_stats stats;
    struct cw_devmem memory;
    struct cw_packet_pool pool;
    struct cw_crossbar *up, *down;
    struct cw_core *core;
    struct cw_launch launch;
    struct program program;
    uint8_t param[64];
    struct pending pending[4096];
    uint32_t pending_head, pending_cnt;
    uint32_t in_flight_max;
    uint64_t progress;
    uint32_t blocks_done, blocks_left;
    int fault;
    char fault_text[512];
    cw_time now;
    uint64_t cycles;      /* at the end */
    bool every_cycle;     /* tick the core in every cycle, not only when it asks for it */
    uint64_t buffer;      /* device address of 64 KB */
};

static void on_block_done(void *context, uint32_t core)
{
    struct rig *r = context;
    (void)core;
    r->blocks_done++;
}

static void on_fault(void *context, int status, const char *text)
{
    struct rig *r = context;
    r->fault = status;
    snprintf(r->fault_text, sizeof r->fault_text, "%s", text);
}

static void perform_atomic(struct rig *r, struct cw_packet *p)
{
    uint32_t bytes = cw_type_bytes((enum cw_type)p->type);
    for (uint32_t lane = 0; lane < CW_LANES; lane++) {
        if ((p->lanes >> lane & 1u) == 0)
            continue;
        uint8_t *at = cw_devmem_at(&r->memory, p->addr + p->lane_offset[lane]);
        uint64_t old = 0;
        memcpy(&old, at, bytes);
        uint64_t v = cw_atomic_apply((enum cw_atom)p->atom, (enum cw_type)p->type, old, p->u.atomic.a[lane], p->u.atomic.b[lane]);
        memcpy(at, &v, bytes);
        p->u.atomic.a[lane] = old;
    }
}

/* Performs a request on device memory and makes it its reply; false: it wants none. */
static bool perform(struct rig *r, struct cw_packet *p)
{
    uint8_t *line = cw_devmem_at(&r->memory, p->addr);
    uint32_t payload = 0;
    switch (p->kind) {
    case CW_PK_READ:
        for (uint32_t s = 0; s < 4; s++)
            if ((p->sectors >> s & 1u) != 0)
                memcpy(p->u.data + 32 * s, line + 32 * s, 32);
        p->kind = CW_PK_READ_REPLY;
        payload = 32u * (uint32_t)__builtin_popcount(p->sectors);
        break;
    case CW_PK_WRITE:
        for (uint32_t b = 0; b < CW_LINE_BYTES; b++)
            if ((p->byte_mask[b / 32] >> (b % 32) & 1u) != 0)
                line[b] = p->u.data[b];
        if (!p->needs_reply)
            return false;
        p->kind = CW_PK_WRITE_ACK;
        break;
    case CW_PK_ATOMIC:
        perform_atomic(r, p);
        p->kind = p->needs_reply ? CW_PK_ATOMIC_REPLY : CW_PK_WRITE_ACK;
        payload = p->needs_reply ? 128 : 0;
        break;
    default:
        fail_msg("unexpected packet kind %u", p->kind);
    }
    cw_packet_size(p, payload, r->config.noc_header_bytes, r->config.noc_flit_bytes);
    return true;
}

static void memory_tick(struct rig *r)
{
    struct cw_packet *p = cw_crossbar_pop(r->up, 0, r->now);
    if (p != NULL) {
        uint32_t tail = (r->pending_head + r->pending_cnt++) % 4096;
        assert_true(r->pending_cnt < 4096);
        r->pending[tail] = (struct pending){p, r->now + MEMORY_LATENCY * r->clocks.period[CW_DOMAIN_CORE]};
    }
    while (r->pending_cnt > 0 && r->pending[r->pending_head].ready <= r->now) {
        p = r->pending[r->pending_head].packet;
        bool request = p->kind <= CW_PK_ATOMIC;
        if (request && !perform(r, p)) {
            cw_packet_free(&r->pool, p);
        } else {
            if (!cw_crossbar_can_push(r->down, 0, p->flits, r->now))
                break;
            cw_crossbar_push(r->down, 0, p, r->now);
        }
        r->pending_head = (r->pending_head + 1) % 4096;
        r->pending_cnt--;
    }
}

static void create_machine(struct rig *r)
{
    struct cw_error err;
    const struct cw_crossbar_config x = {.inputs = 1, .outputs = 1, .latency_cycles = 5, .in_flits = r->config.noc_in_flits,
                                         .out_flits = r->config.noc_out_flits, .period = 1, .to_partition = true};
    r->clocks = (struct cw_clocks){.units_per_us = 1400, .period = {1, 1, 1, 2, 1}};
    assert_int_equal(cw_devmem_create(&r->memory, 16u << 20, &err), 0);
    cw_packet_pool_create(&r->pool);
    assert_int_equal(cw_crossbar_create(&r->up, &x, &err), 0);
    assert_int_equal(cw_crossbar_create(&r->down, &x, &err), 0);
    const struct cw_core_config c = {.config = &r->config, .clocks = &r->clocks, .stats = &r->stats, .memory = &r->memory, .pool = &r->pool,
                                     .up = r->up, .down = r->down, .index = 0, .events = {r, on_block_done, on_fault},
                                     .progress = &r->progress};
    assert_int_equal(cw_core_create(&r->core, &c, &err), 0);
    assert_int_equal(cw_devmem_alloc(&r->memory, &r->buffer, 65536, &err), 0);
    r->program.kernel = (struct cw_kernel){.name = (char *)"k", .uop = r->program.uop, .c32 = r->program.c32, .r32_cnt = 16, .r64_cnt = 8,
                                           .pred_cnt = 4, .live_regs = 16, .param_bytes = sizeof r->param};
    r->program.module = (struct cw_module){.file = (char *)"k.ptx"};
}

static struct rig *new_rig(void)
{
    struct cw_error err;
    struct rig *r = calloc(1, sizeof *r);
    assert_non_null(r);
    assert_int_equal(cw_config_preset(&r->config, "getm", &err), 0);
    r->config.core_count = 1;
    r->config.partition_count = 1;
    return r;
}

static void destroy_rig(struct rig *r)
{
    cw_core_destroy(r->core);
    cw_crossbar_destroy(r->up);
    cw_crossbar_destroy(r->down);
    cw_packet_pool_destroy(&r->pool);
    cw_devmem_destroy(&r->memory);
    free(r);
}

static void prepare(struct rig *r, uint32_t threads, uint32_t blocks, uint32_t shared_bytes)
{
    struct cw_error err;
    r->launch = (struct cw_launch){.kernel = &r->program.kernel, .module = &r->program.module, .param = r->param, .grid = {blocks, 1, 1},
                                   .block = {threads, 1, 1}, .threads = threads, .warps = (threads + 31) / 32, .shared_bytes = shared_bytes,
                                   .regs_per_thread = r->program.kernel.live_regs, .local_bytes = r->program.kernel.local_bytes,
                                   .log_offset = r->program.kernel.local_bytes};
    if (r->launch.local_bytes > 0)
        assert_int_equal(cw_devmem_alloc(&r->memory, &r->launch.local_base,
                                         cw_local_total_bytes(1, r->config.core_warps, r->launch.local_bytes), &err), 0);
    assert_int_equal(cw_exec_bind(&r->program.kernel, &err), 0);
    if (cw_core_prepare(r->core, &r->launch, &err) != 0)
        fail_msg("%s", err.text);
    r->blocks_left = blocks;
}

static bool at_rest(const struct rig *r)
{
    return r->blocks_left == 0 && cw_core_idle(r->core) && r->pool.in_use == 0;
}

/* One core cycle. */
static void step(struct rig *r)
{
    struct cw_component *c = cw_core_component(r->core);
    struct cw_component *up = cw_crossbar_component(r->up), *down = cw_crossbar_component(r->down);
    if (r->blocks_left > 0 && cw_core_can_take_block(r->core)) {
        const uint32_t id[3] = {r->launch.grid[0] - r->blocks_left, 0, 0};
        cw_core_start_block(r->core, id, r->now);
        r->blocks_left--;
    }
    if (r->every_cycle || c->wake <= r->now)
        c->tick(c->self, r->now);
    if (up->wake <= r->now)
        up->tick(up->self, r->now);
    if (down->wake <= r->now)
        down->tick(down->self, r->now);
    memory_tick(r);
    r->now++;
}

static void run(struct rig *r)
{
    for (uint64_t n = 0; r->fault == 0 && !at_rest(r); n++) {
        if (n >= CYCLES_MAX) {
            cw_core_report(r->core, stderr);
            fail_msg("still running after %u cycles", CYCLES_MAX);
        }
        step(r);
    }
    r->cycles = r->now;
}

static uint32_t word(const struct rig *r, uint32_t i)
{
    uint32_t v;
    memcpy(&v, cw_devmem_at(&r->memory, r->buffer + 4 * (uint64_t)i), 4);
    return v;
}

static void set_word(struct rig *r, uint32_t i, uint32_t v)
{
    memcpy(cw_devmem_at(&r->memory, r->buffer + 4 * (uint64_t)i), &v, 4);
}

/* r0 = global thread number, d0 = buffer */
static void prologue(struct rig *r)
{
    struct program *p = &r->program;
    memcpy(r->param, &r->buffer, 8);
    mov(p, R(0), S(CW_SREG_TID_X));
    mov(p, R(1), S(CW_SREG_CTAID_X));
    mov(p, R(2), S(CW_SREG_NTID_X));
    emit(p, OP(.op = CW_OP_MAD, .fu = CW_FU_IMUL, .dst_cnt = 1, .src_cnt = 3, .dst = {R(0)}, .src = {R(1), R(2), R(0)}));
    param(p, D(0), CW_U64, 0);
}

/* ---- tests ---- */

static void build_vecadd(struct rig *r)
{
    struct program *p = &r->program;
    prologue(r);
    element(p, D(1), D(0), R(0));
    ld(p, CW_SPACE_GLOBAL, R(3), D(1));
    uint32_t second = ld(p, CW_SPACE_GLOBAL, R(4), D(1));
    p->uop[second].imm = 16384;
    add(p, R(5), R(3), R(4));
    uint32_t store = st(p, CW_SPACE_GLOBAL, D(1), R(5));
    p->uop[store].imm = 32768;
    finish(p);
}

static void run_vecadd(struct rig *r)
{
    create_machine(r);
    for (uint32_t i = 0; i < 4096; i++) {
        set_word(r, i, 3 * i);
        set_word(r, 4096 + i, 1000000 - i);
    }
    build_vecadd(r);
    prepare(r, 96, 40, 0);
    run(r);
    assert_string_equal(r->fault_text, "");
    for (uint32_t i = 0; i < 3840; i++)
        assert_int_equal(word(r, 8192 + i), 1000000 + 2 * i);
    assert_int_equal(word(r, 8192 + 3840), 0);
}

static void test_core__adds_vectors(void **state)
{
    (void)state;
    struct rig *r = new_rig();
    run_vecadd(r);
    assert_int_equal(r->stats.threads_exited, 3840);
    assert_int_equal(r->stats.blocks_finished, 40);
    assert_int_equal(r->blocks_done, 40);
    assert_int_equal(r->stats.warp_instructions, 120 * 11);
    assert_int_equal(r->stats.thread_instructions, 3840 * 11);
    assert_int_equal(r->stats.mem_accesses, 120 * 3); /* a warp's 32 words are one line */
    destroy_rig(r);
}

static void test_core__skipping_idle_cycles_changes_nothing(void **state)
{
    (void)state;
    struct rig *skip = new_rig(), *all = new_rig();
    all->every_cycle = true;
    run_vecadd(skip);
    run_vecadd(all);
    assert_int_equal(skip->cycles, all->cycles);
    assert_memory_equal(&skip->stats, &all->stats, sizeof skip->stats);
    destroy_rig(skip);
    destroy_rig(all);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_core__adds_vectors),
    cmocka_unit_test(test_core__skipping_idle_cycles_changes_nothing),
};
CW_TEST_MAIN(tests)
