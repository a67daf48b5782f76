/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of the SIMT core: one core running small PTX kernels, between two crossbars and a memory that answers after a fixed time. */
#ifndef CW_TESTS_UNIT_CORE_RIG_H
#define CW_TESTS_UNIT_CORE_RIG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/ipdom.h"
#include "core/core_local.h"
#include "core/look.h"
#include "cw_test.h"
#include "mech/tm/tm.h"
#include "mem/device_memory_private.h"
#include "mem/partition.h"
#include "ptx/ptx.h"

#define MEMORY_LATENCY 50u
#define CYCLES_MAX     2000000u
#define BUFFER_WORDS   16384u

struct pending {
    struct cw_message *packet;
    cw_time ready;
};

/* A request as the memory saw it. */
struct arrival {
    uint64_t addr; /* of the line */
    cw_time at;
    uint8_t kind;
};

struct rig {
    struct cw_config config;
    struct cw_clocks clocks;
    struct cw_stats stats;
    struct cw_memory *memory;
    struct cw_message_pool pool;
    struct cw_crossbar *up, *down;
    struct cw_core *core;
    struct cw_launch launch;
    struct cw_module *module;
    struct cw_kernel *kernel;
    uint8_t param[64];
    struct pending pending[4096];
    uint32_t pending_head, pending_cnt;
    uint32_t slower;            /* cycles of the memory beyond MEMORY_LATENCY */
    struct arrival arrival[64]; /* the first ones */
    uint32_t arrival_cnt;
    uint32_t reads; /* that the memory has answered */
    uint64_t progress;
    uint32_t blocks_done, blocks_left;
    int fault;
    char fault_text[512];
    uint32_t notices;
    char notice_text[512]; /* the last one */
    char printed[4096];    /* by the kernel, the first of it */
    size_t printed_cnt;
    cw_time now;
    uint64_t cycles;                              /* at the end */
    uint64_t ticks;                               /* of the core */
    struct cw_events stream;                      /* nobody listens unless a test does */
    const struct cw_intrinsic *const *intrinsics; /* that kernels may call; NULL: those of transactions, and one of nobody */
    const struct cw_control_ops *control;         /* NULL: ipdom */
    uint32_t log_bytes;                           /* per thread in local memory */
    bool count_stalls;
    bool every_cycle; /* tick the core in every cycle, not only when it asks for it */
    uint64_t buffer;  /* device address of BUFFER_WORDS words: every kernel's only parameter */
};

static inline void on_block_done(void *context, uint32_t core)
{
    struct rig *r = context;
    (void)core;
    r->blocks_done++;
}

static inline void on_fault(void *context, int status, const char *text)
{
    struct rig *r = context;
    r->fault = status;
    snprintf(r->fault_text, sizeof r->fault_text, "%s", text);
}

static inline void on_print(void *context, const char *text, size_t length)
{
    struct rig *r = context;
    const size_t n = length < sizeof r->printed - 1 - r->printed_cnt ? length : sizeof r->printed - 1 - r->printed_cnt;
    memcpy(r->printed + r->printed_cnt, text, n);
    r->printed_cnt += n;
}

static inline void on_notice_once(void *context, const char *file, uint32_t line, uint32_t what, const char *text)
{
    struct rig *r = context;
    (void)file, (void)line, (void)what;
    r->notices++;
    snprintf(r->notice_text, sizeof r->notice_text, "%s", text);
}

static inline void perform_atomic(struct rig *r, struct cw_message *p)
{
    uint32_t bytes = cw_type_bytes((enum cw_type)cw_atomic_body(p)->type);
    for (uint32_t lane = 0; lane < CW_LANES; lane++) {
        if ((p->lanes >> lane & 1u) == 0)
            continue;
        uint8_t *at = cw_memory__at(r->memory, p->addr + cw_atomic_body(p)->lane_offset[lane]);
        uint64_t old = 0;
        memcpy(&old, at, bytes);
        uint64_t v = cw_atomic_apply((enum cw_atom)cw_atomic_body(p)->atom, (enum cw_type)cw_atomic_body(p)->type, old,
                                     cw_atomic_body(p)->a[lane], cw_atomic_body(p)->b[lane]);
        memcpy(at, &v, bytes);
        cw_atomic_body(p)->a[lane] = old;
    }
}

/* Performs a request on device memory and makes it its reply; false: it wants none. */
static inline bool perform(struct rig *r, struct cw_message *p)
{
    uint8_t *line = p->timing_only ? NULL : cw_memory__at(r->memory, p->addr);
    uint32_t payload = 0;
    switch (p->kind) {
    case CW_MSG_READ:
        r->reads++;
        for (uint32_t s = 0; s < 4 && !p->timing_only; s++)
            if ((p->sectors >> s & 1u) != 0)
                memcpy(cw_line_body(p)->data + 32 * s, line + 32 * s, 32);
        p->kind = CW_MSG_READ_REPLY;
        payload = 32u * (uint32_t)__builtin_popcount(p->sectors);
        break;
    case CW_MSG_WRITE:
        for (uint32_t b = 0; b < CW_LINE_BYTES; b++)
            if ((cw_line_body(p)->byte_mask[b / 32] >> (b % 32) & 1u) != 0)
                line[b] = cw_line_body(p)->data[b];
        if (!p->needs_reply)
            return false;
        p->kind = CW_MSG_WRITE_ACK;
        break;
    case CW_MSG_ATOMIC:
        perform_atomic(r, p);
        p->kind = p->needs_reply ? CW_MSG_ATOMIC_REPLY : CW_MSG_WRITE_ACK;
        payload = p->needs_reply ? 128 : 0;
        break;
    default:
        fail_msg("unexpected packet kind %u", p->kind);
    }
    cw_message_size(p, payload, r->config.noc_header_bytes, r->config.noc_flit_bytes);
    return true;
}

static inline void memory_tick(struct rig *r)
{
    struct cw_message *p = cw_crossbar_pop(r->up, 0, r->now);
    if (p != NULL) {
        uint32_t tail = (r->pending_head + r->pending_cnt++) % 4096;
        assert_true(r->pending_cnt < 4096);
        if (r->arrival_cnt < 64)
            r->arrival[r->arrival_cnt++] = (struct arrival){p->addr, r->now, p->kind};
        r->pending[tail] = (struct pending){p, r->now + (MEMORY_LATENCY + r->slower) * r->clocks.period[CW_DOMAIN_CORE]};
    }
    while (r->pending_cnt > 0 && r->pending[r->pending_head].ready <= r->now) {
        p = r->pending[r->pending_head].packet;
        bool request = p->kind <= CW_MSG_ATOMIC;
        if (request && !perform(r, p)) {
            cw_message_free(&r->pool, p);
        } else {
            if (!cw_crossbar_can_push(r->down, 0, p->flits, r->now))
                break;
            cw_crossbar_push(r->down, 0, p, r->now);
        }
        r->pending_head = (r->pending_head + 1) % 4096;
        r->pending_cnt--;
    }
}

static inline void create_machine(struct rig *r)
{
    struct cw_error err;
    const struct cw_crossbar_config x = {.inputs = 1,
                                         .outputs = 1,
                                         .inputs_per_port = 1,
                                         .outputs_per_port = 1,
                                         .latency_cycles = 5,
                                         .in_flits = r->config.noc_in_flits,
                                         .out_flits = r->config.noc_out_flits,
                                         .period = 1,
                                         .to_partition = true};
    r->clocks = (struct cw_clocks){.units_per_us = 1400, .period = {1, 1, 1, 2, 1}};
    assert_int_equal(cw_memory_create(&r->memory, 16u << 20, 0, &err), 0);
    cw_message_pool_create(&r->pool);
    assert_int_equal(cw_crossbar_create(&r->up, &x, &err), 0);
    assert_int_equal(cw_crossbar_create(&r->down, &x, &err), 0);
    const struct cw_core_config c = {
        .config = &r->config,
        .clocks = &r->clocks,
        .stats = &r->stats,
        .memory = r->memory,
        .pool = &r->pool,
        .up = r->up,
        .down = r->down,
        .index = 0,
        .control = r->control != NULL ? r->control : &cw_control_ipdom,
        .stream = &r->stream,
        .events = {.context = r, .block_done = on_block_done, .fault = on_fault, .print = on_print, .notice_once = on_notice_once},
        .count_stalls = r->count_stalls,
        .progress = &r->progress};
    assert_int_equal(cw_core_create(&r->core, &c, &err), 0);
    assert_int_equal(cw_memory_alloc(r->memory, &r->buffer, 4 * BUFFER_WORDS, CW_REGION_GLOBAL, &err), 0);
}

static inline struct rig *new_rig(void)
{
    struct cw_error err;
    struct rig *r = calloc(1, sizeof *r);
    assert_non_null(r);
    assert_int_equal(cw_config_preset(&r->config, "getm", &err), 0);
    r->config.core_count = 1;
    r->config.partition_count = 1;
    return r;
}

static inline void destroy_rig(struct rig *r)
{
    cw_core_destroy(r->core);
    cw_module_destroy(r->module);
    cw_crossbar_destroy(r->up);
    cw_crossbar_destroy(r->down);
    cw_message_pool_destroy(&r->pool);
    cw_memory_destroy(r->memory);
    free(r);
}

#define PTX_HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

/* Registers that every kernel has; %n is the thread's number in the grid, %a the buffer, %e the buffer's word n. */
#define ENTRY                                                                                       \
    ".visible .entry k(.param .u64 buf) {\n.reg .b32 %r<32>; .reg .b64 %d<16>; .reg .pred %p<8>;\n" \
    ".reg .b32 %n, %t, %c, %m; .reg .b64 %a, %e;\n"                                                 \
    "mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mov.u32 %m, %ntid.x; mad.lo.u32 %n, %c, %m, %t;\n"   \
    "ld.param.u64 %a, [buf]; mad.wide.u32 %e, %n, 4, %a;\n"
#define ENTRY_UOPS 6u

static inline void load(struct rig *r, const char *text)
{
    struct cw_error err;
    uint64_t base = r->buffer;
    static const struct cw_intrinsic nobodys[] = {{.name = "nobodys", .role = CW_INTRINSIC_CALL, .what = "nothing"}, {.name = NULL}};
    static const struct cw_intrinsic *const usual[] = {cw_tm_intrinsics, nobodys, NULL};
    const struct cw_intrinsic *const *intrinsics = r->intrinsics != NULL ? r->intrinsics : usual;
    if (cw_ptx_load(&r->module, text, strlen(text), "k.ptx", intrinsics, NULL, &err) != 0 || cw_module_place(r->module, base, &err) != 0)
        fail_msg("%s", err.text);
    r->kernel = (struct cw_kernel *)cw_module_kernel(r->module, "k");
    assert_non_null(r->kernel);
    assert_int_equal(cw_exec_bind(r->kernel, &err), 0);
}

static inline int try_prepare(struct rig *r, uint32_t threads, uint32_t blocks, uint32_t shared_bytes, struct cw_error *err)
{
    const uint32_t local_bytes = (r->kernel->local_bytes + 3) / 4 * 4;
    memcpy(r->param, &r->buffer, 8);
    r->launch = (struct cw_launch){.kernel = r->kernel,
                                   .module = r->module,
                                   .param = r->param,
                                   .grid = {blocks, 1, 1},
                                   .block = {threads, 1, 1},
                                   .threads = threads,
                                   .warps = (threads + r->config.core_warp_width - 1) / r->config.core_warp_width,
                                   .shared_bytes = r->kernel->shared_bytes + shared_bytes,
                                   .regs_per_thread = r->kernel->live_regs,
                                   .local_bytes = local_bytes + r->log_bytes,
                                   .log_offset = local_bytes};
    if (r->launch.local_bytes > 0)
        assert_int_equal(
            cw_memory_alloc(r->memory, &r->launch.local_base,
                            cw_local_total_bytes(1, r->config.core_warps * (r->config.core_warp_width / 32), r->launch.local_bytes),
                            CW_REGION_GLOBAL, err),
            0);
    r->blocks_left = blocks;
    return cw_core_prepare(r->core, &r->launch, err);
}

static inline void prepare(struct rig *r, uint32_t threads, uint32_t blocks)
{
    struct cw_error err;
    if (try_prepare(r, threads, blocks, 0, &err) != 0)
        fail_msg("%s", err.text);
}

static inline bool at_rest(const struct rig *r)
{
    return r->blocks_left == 0 && cw_core_idle(r->core) && r->pool.in_use == 0;
}

/* One core cycle. */
static inline void step(struct rig *r)
{
    struct cw_component *c = cw_core_component(r->core);
    struct cw_component *up = cw_crossbar_component(r->up), *down = cw_crossbar_component(r->down);
    if (r->blocks_left > 0 && cw_core_can_take_block(r->core)) {
        const uint32_t id[3] = {r->launch.grid[0] - r->blocks_left, 0, 0};
        cw_core_start_block(r->core, id, r->now);
        r->blocks_left--;
    }
    if (r->every_cycle || c->wake <= r->now) {
        c->tick(c->self, r->now);
        r->ticks++;
    }
    if (up->wake <= r->now)
        up->tick(up->self, r->now);
    if (down->wake <= r->now)
        down->tick(down->self, r->now);
    memory_tick(r);
    r->now++;
}

static inline void run(struct rig *r)
{
    for (uint64_t n = 0; r->fault == 0 && !at_rest(r); n++) {
        if (n >= CYCLES_MAX) {
            cw_core_report(r->core, stderr);
            fail_msg("still running after %u cycles", CYCLES_MAX);
        }
        step(r);
    }
    r->cycles = r->now;
    cw_core_count_until(r->core, r->now, CW_STALL_ISSUED);
}

static inline uint32_t word(const struct rig *r, uint32_t i)
{
    uint32_t v;
    memcpy(&v, cw_memory__at(r->memory, r->buffer + 4 * (uint64_t)i), 4);
    return v;
}

static inline void set_word(struct rig *r, uint32_t i, uint32_t v)
{
    memcpy(cw_memory__at(r->memory, r->buffer + 4 * (uint64_t)i), &v, 4);
}

/* A machine that has run the kernel without a fault. */
static inline struct rig *run_kernel(struct rig *r, const char *text, uint32_t threads, uint32_t blocks)
{
    create_machine(r);
    for (uint32_t i = 0; i < BUFFER_WORDS; i++)
        set_word(r, i, i);
    load(r, text);
    prepare(r, threads, blocks);
    run(r);
    assert_string_equal(r->fault_text, "");
    return r;
}

static inline void report_text(const struct rig *r, char *text, size_t size)
{
    FILE *f = tmpfile();
    assert_non_null(f);
    cw_core_report(r->core, f);
    rewind(f);
    size_t n = fread(text, 1, size - 1, f);
    text[n] = 0;
    fclose(f);
}

#endif
