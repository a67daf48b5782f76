/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions between two crossbars, with a driver that keeps the rules of base/clock.h, in either order of ticking. */
#include "cw_test.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "mem/address.h"
#include "mem/device_memory_private.h"
#include "mem/partition.h"

static const struct cw_config defaults = {
#define X(field, name, def, lo, hi, unit, source, what) .field = def,
#define E(field, name, def, words, source, what)        .field = def,
#include "base/config.def"
#undef X
#undef E
};

static const uint32_t inbox = 64; /* of a mechanism */

#define CORES          4u
#define PARTITIONS_MAX 6u
#define MEMORY         (1u << 20)
#define LINES          (MEMORY / 128)

struct bench {
    struct cw_config config;
    struct cw_clocks clocks;
    struct cw_stats stats;
    struct cw_memory *memory;
    struct cw_message_pool pool;
    struct cw_crossbar *up, *down;
    struct cw_mem_service partition[PARTITIONS_MAX];
    struct cw_component *component[2 + 2 * PARTITIONS_MAX + 2];
    struct cw_component *l2[PARTITIONS_MAX];
    uint32_t components;
    bool reverse, always; /* order of ticking; ticks at every edge */
    cw_time now;
};

static struct bench b;

static void make_crossbars(void)
{
    struct cw_error err;
    struct cw_crossbar_config x = {.inputs = CORES,
                                   .outputs = b.config.partition_count,
                                   .inputs_per_port = 1,
                                   .outputs_per_port = 1,
                                   .latency_cycles = b.config.noc_latency,
                                   .in_flits = b.config.noc_in_flits,
                                   .out_flits = b.config.noc_out_flits,
                                   .period = b.clocks.period[CW_DOMAIN_NOC],
                                   .to_partition = true,
                                   .packets = &b.stats.noc_up_packets};
    assert_int_equal(cw_crossbar_create(&b.up, &x, &err), CW_OK);
    x.inputs = b.config.partition_count;
    x.outputs = CORES;
    x.to_partition = false;
    x.packets = &b.stats.noc_down_packets;
    assert_int_equal(cw_crossbar_create(&b.down, &x, &err), CW_OK);
    b.component[b.components++] = cw_crossbar_component(b.up);
    b.component[b.components++] = cw_crossbar_component(b.down);
}

/* real_clocks: those of GETM Table II; else all periods are 10. */
static void bench_create(const struct cw_config *config, bool real_clocks, bool with_tm)
{
    struct cw_error err;
    uint64_t addr;
    memset(&b, 0, sizeof b);
    b.config = *config;
    b.clocks = (struct cw_clocks){1, {10, 10, 10, 10, 10}};
    if (real_clocks)
        b.clocks = (struct cw_clocks){46200, {33, 33, 33, 66, 50}};
    cw_message_pool_create(&b.pool);
    assert_int_equal(cw_memory_create(&b.memory, MEMORY, 0, &err), CW_OK);
    assert_int_equal(cw_memory_alloc(b.memory, &addr, MEMORY, CW_REGION_GLOBAL, &err), CW_OK);
    make_crossbars();
    const uint32_t channels = b.config.partition_count / b.config.dram_sharing;
    for (uint32_t i = 0; i < b.config.partition_count; i++) {
        const struct cw_mem_service *shares = i >= channels ? &b.partition[i % channels] : NULL;
        struct cw_mem_config p = {.config = &b.config,
                                  .clocks = &b.clocks,
                                  .stats = &b.stats,
                                  .memory = b.memory,
                                  .pool = &b.pool,
                                  .up = b.up,
                                  .down = b.down,
                                  .index = i,
                                  .shares = shares,
                                  .mech_cnt = with_tm,
                                  .mech_inbox = &inbox};
        assert_int_equal(cw_partition_kind.create(&b.partition[i], &p, &err), CW_OK);
        const uint32_t cnt = b.partition[i].ops->components(b.partition[i].self, b.component + b.components);
        assert_int_equal(cnt, shares == NULL ? 2 : 1);
        b.l2[i] = b.component[b.components];
        b.components += cnt;
    }
}

static bool idle(void)
{
    bool all = cw_crossbar_idle(b.up) && cw_crossbar_idle(b.down);
    for (uint32_t i = 0; i < b.config.partition_count; i++)
        all = all && cw_component_idle(b.l2[i]);
    return all;
}

static void bench_destroy(void)
{
    assert_true(idle());
    assert_int_equal(b.pool.in_use, 0);
    for (uint32_t i = b.config.partition_count; i-- > 0;)
        cw_mem_destroy(&b.partition[i]);
    cw_crossbar_destroy(b.up);
    cw_crossbar_destroy(b.down);
    cw_memory_destroy(b.memory);
    cw_message_pool_destroy(&b.pool);
}

/* Next edge of c at or after its wake time, and after b.now. */
static cw_time next_edge(const struct cw_component *c)
{
    cw_time period = b.clocks.period[c->domain], from = b.always || c->wake <= b.now ? b.now + 1 : c->wake;
    return from == CW_TIME_NEVER ? from : (from + period - 1) / period * period;
}

/* Goes to the next time at which a component ticks, but not beyond limit. */
static void step(cw_time limit)
{
    cw_time due[2 + 2 * PARTITIONS_MAX + 2], next = limit;
    for (uint32_t i = 0; i < b.components; i++) {
        due[i] = next_edge(b.component[i]);
        next = due[i] < next ? due[i] : next;
    }
    b.now = next;
    for (uint32_t k = 0; k < b.components; k++) {
        uint32_t i = b.reverse ? b.components - 1 - k : k;
        if (due[i] == next)
            b.component[i]->tick(b.component[i]->self, next);
    }
}

/* What a load would find: of the slice, or of memory. */
static uint8_t byte_at(uint64_t addr)
{
    uint8_t byte;
    cw_memory_read(b.memory, addr, &byte, 1);
    return byte;
}

static struct cw_message *request(enum cw_message_kind kind, uint32_t core, uint32_t line, uint32_t payload)
{
    const struct cw_message_type *const type = kind == CW_MSG_ATOMIC ? &cw_atomic_body_type : &cw_line_body_type;
    struct cw_message *p = cw_message_new(&b.pool, type);
    memset(p->body, 0, type->bytes);
    p->kind = (uint8_t)kind;
    p->core = (uint16_t)core;
    p->addr = CW_GLOBAL_BASE + (uint64_t)line * b.config.mem_line_bytes;
    p->partition = (uint16_t)cw_address_partition(&b.config, p->addr);
    p->sectors = 1;
    p->needs_reply = 1;
    p->tag = line;
    cw_message_size(p, payload, b.config.noc_header_bytes, b.config.noc_flit_bytes);
    return p;
}

/* A request of a mechanism; behind the slice it goes to the mechanism. */
static struct cw_message *mechs(enum cw_message_kind kind, uint32_t core, uint32_t line)
{
    struct cw_message *p = request(kind, core, line, 0);
    p->mech = 1;
    p->after = CW_AFTER_MECH;
    return p;
}

static void send(struct cw_message *p)
{
    assert_true(cw_crossbar_can_push(b.up, p->core, p->flits, b.now));
    cw_crossbar_push(b.up, p->core, p, b.now);
}

/* Arrival of the next packet at a core, as cycles since from. */
static uint32_t arrival(uint32_t core, cw_time from)
{
    while (cw_crossbar_next(b.down, core) == CW_TIME_NEVER && b.now < from + 100000)
        step(from + 100000);
    cw_time at = cw_crossbar_next(b.down, core);
    while (b.now < at)
        step(at);
    return (uint32_t)((at - from) / 10);
}

/* Waits for the next reply to a core, compares its kind and flits, and frees it. */
static void expect_reply(uint32_t core, enum cw_message_kind kind, uint32_t flits)
{
    arrival(core, b.now);
    struct cw_message *p = cw_crossbar_pop(b.down, core, b.now);
    assert_non_null(p);
    assert_int_equal(p->kind, kind);
    assert_int_equal(p->flits, flits);
    cw_message_free(&b.pool, p);
}

static struct cw_config one_partition(void)
{
    struct cw_config c = defaults;
    c.partition_count = 1;
    c.l2_latency = 8; /* the cycle counts below are worked out with it */
    return c;
}

/* up: grant 1, traversal 5; ROP 240; access 8; down: grant 1, second flit 1, traversal 5 */
#define HIT_CYCLES (1 + 5 + 240 + 8 + 1 + 1 + 5)
/* scheduling latency 200, tRCD 12, tCL 12, data 2 */
#define MISS_CYCLES (HIT_CYCLES + 200 + 12 + 12 + 2)

static void test_partition__read_latency(void **state)
{
    (void)state;
    struct cw_config c = one_partition();
    bench_create(&c, false, false);
    send(request(CW_MSG_READ, 1, 0, 0));
    assert_int_equal(arrival(1, b.now), MISS_CYCLES);
    expect_reply(1, CW_MSG_READ_REPLY, 2);
    b.now = 100000;
    send(request(CW_MSG_READ, 1, 0, 0));
    assert_int_equal(arrival(1, b.now), HIT_CYCLES);
    expect_reply(1, CW_MSG_READ_REPLY, 2);
    bench_destroy();
}

static void test_partition__replies_by_kind(void **state)
{
    (void)state;
    struct cw_config c = one_partition();
    bench_create(&c, false, false);
    struct cw_message *p = request(CW_MSG_WRITE, 0, 3, 128);
    memset(cw_line_body(p)->byte_mask, 0xff, sizeof cw_line_body(p)->byte_mask);
    memset(cw_line_body(p)->data, 0x5a, 128);
    send(p);
    expect_reply(0, CW_MSG_WRITE_ACK, 1);
    assert_int_equal(byte_at(CW_GLOBAL_BASE + 3 * 128 + 127), 0x5a);
    p = request(CW_MSG_READ, 0, 3, 0);
    p->sectors = 0xf;
    send(p);
    expect_reply(0, CW_MSG_READ_REPLY, 5); /* 8 + 128 bytes in flits of 32 */
    for (uint32_t wanted = 0; wanted < 2; wanted++) {
        p = request(CW_MSG_ATOMIC, 0, 3, 128);
        cw_atomic_body(p)->atom = CW_ATOM_EXCH;
        cw_atomic_body(p)->type = CW_U32;
        p->lanes = 0xff;
        p->needs_reply = (uint8_t)wanted;
        memset(cw_atomic_body(p)->a, 0, sizeof cw_atomic_body(p)->a);
        for (uint32_t i = 0; i < 32; i++)
            cw_atomic_body(p)->lane_offset[i] = (uint8_t)(4 * i);
        send(p);
        expect_reply(0, wanted ? CW_MSG_ATOMIC_REPLY : CW_MSG_WRITE_ACK, wanted ? 2 : 1); /* 8 + 32 bytes, 8 bytes */
    }
    p = request(CW_MSG_WRITE, 0, 9, 4);
    p->needs_reply = 0;
    cw_line_body(p)->byte_mask[0] = 1;
    cw_line_body(p)->data[0] = 0x77;
    send(p);
    while (!idle())
        step(b.now + 100000);
    assert_int_equal(byte_at(CW_GLOBAL_BASE + 9 * 128), 0x77);
    bench_destroy(); /* no packet is left */
}

/* One address conflict of 32 lanes holds the port for 32 cycles. */
/* Headers of 8 bytes in flits of 32, then of 40 in flits of 32: two flits for each acknowledgement. */
static void test_partition__each_sector_of_a_store_is_acknowledged(void **state)
{
    (void)state;
    for (uint32_t flits = 1; flits <= 2; flits++)
        for (uint32_t sectors = 1; sectors <= 4; sectors++) {
            struct cw_config c = one_partition();
            c.noc_sector_acks = CW_ON;
            c.noc_header_bytes = 40 * flits - 32;
            bench_create(&c, false, false);
            struct cw_message *p = request(CW_MSG_WRITE, 0, 3, 128);
            p->sectors = (uint8_t)((1u << sectors) - 1);
            memset(cw_line_body(p)->byte_mask, 0xff, sizeof cw_line_body(p)->byte_mask);
            send(p);
            expect_reply(0, CW_MSG_WRITE_ACK, flits * sectors);
            bench_destroy();
        }
}

static void test_partition__atomics_hold_the_port(void **state)
{
    (void)state;
    struct cw_config c = one_partition();
    bench_create(&c, false, false);
    for (uint32_t line = 0; line < 2; line++) {
        send(request(CW_MSG_READ, 0, line, 0));
        expect_reply(0, CW_MSG_READ_REPLY, 2);
    }
    b.now = 100000;
    struct cw_message *p = request(CW_MSG_ATOMIC, 1, 0, 0);
    cw_atomic_body(p)->atom = CW_ATOM_ADD;
    cw_atomic_body(p)->type = CW_U32;
    p->lanes = UINT32_MAX;
    p->needs_reply = 0;
    send(p);
    send(request(CW_MSG_READ, 2, 1, 0)); /* round-robin: after core 1's */
    /* both requests get to the output of the crossbar, one cycle after the other; the read is performed 32 cycles after
     * the atomic */
    assert_int_equal(arrival(1, 100000), HIT_CYCLES - 1 + 31); /* acknowledgement: one flit less */
    expect_reply(1, CW_MSG_WRITE_ACK, 1);
    assert_int_equal(arrival(2, 100000), HIT_CYCLES + 32);
    expect_reply(2, CW_MSG_READ_REPLY, 2);
    bench_destroy();
}

/* What comes after the atomic is performed after its 32 cycles, not only answered after it. */
static void test_partition__atomics_delay_the_next_request(void **state)
{
    (void)state;
    struct cw_config c = one_partition();
    bench_create(&c, false, false);
    send(request(CW_MSG_READ, 0, 0, 0));
    expect_reply(0, CW_MSG_READ_REPLY, 2);
    b.now = 100000;
    struct cw_message *p = request(CW_MSG_ATOMIC, 1, 0, 0), *w = request(CW_MSG_WRITE, 2, 1, 16);
    cw_atomic_body(p)->atom = CW_ATOM_ADD;
    cw_atomic_body(p)->type = CW_U32;
    p->lanes = UINT32_MAX;
    p->needs_reply = w->needs_reply = 0;
    cw_line_body(w)->byte_mask[0] = 1;
    cw_line_body(w)->data[0] = 1;
    send(p);
    send(w);
    while (byte_at(w->addr) == 0 && b.now < 200000)
        step(200000);
    assert_int_equal(b.now, 100000 + (1 + 5 + 240 + 32) * 10);
    expect_reply(1, CW_MSG_WRITE_ACK, 1);
    bench_destroy();
}

/* A request that waits for an MSHR gets it when a fetch comes back that nobody waits for any more (see l2.c,
 * retire). */
static void test_partition__late_fetch_frees_its_entry(void **state)
{
    (void)state;
    struct cw_config c = one_partition();
    c.l2_mshrs = 1;
    c.dram_ccdl = 40; /* the second fetch comes 40 cycles after the first */
    bench_create(&c, false, false);
    struct cw_message *p[4] = {request(CW_MSG_READ, 0, 0, 0), request(CW_MSG_WRITE, 0, 0, 96), request(CW_MSG_READ, 0, 0, 0),
                               request(CW_MSG_READ, 0, 1, 0)};
    cw_line_body(p[1])->byte_mask[0] = cw_line_body(p[1])->byte_mask[1] = cw_line_body(p[1])->byte_mask[2] = UINT32_MAX;
    memset(cw_line_body(p[1])->data, 0, 128);
    p[2]->sectors = 4; /* written by the write before its fetch returns */
    for (uint32_t i = 0; i < 4; i++)
        send(p[i]);
    expect_reply(0, CW_MSG_READ_REPLY, 2);
    expect_reply(0, CW_MSG_WRITE_ACK, 1);
    expect_reply(0, CW_MSG_READ_REPLY, 2);
    expect_reply(0, CW_MSG_READ_REPLY, 2);
    assert_true(b.stats.l2_stalls > 200);
    bench_destroy();
}

static void test_partition__requests_and_commits_take_turns(void **state)
{
    (void)state;
    struct cw_config c = one_partition();
    bench_create(&c, false, true);
    struct cw_mem_socket *tm = cw_mem_socket_of(&b.partition[0], 0);
    uint32_t sent = 0, requests = 0, commits = 0;
    for (uint32_t cycle = 0; requests + commits < 400 && cycle < 5000; cycle++) {
        while (b.now < cycle * 10)
            step(cycle * 10);
        for (; cw_crossbar_can_push(b.up, 0, 1, b.now); sent++)
            send(mechs(CW_MSG_PASS, 0, sent % 8));
        if (cycle > 500 && cw_fifo_can_push(&tm->to_l2, b.now)) {
            struct cw_message *w = request(CW_MSG_WRITE, 0, 9, 0);
            w->after = CW_AFTER_RETURN;
            w->mech = 1;
            cw_line_body(w)->byte_mask[0] = 1;
            cw_fifo_push(&tm->to_l2, b.now, 10, w);
        }
        struct cw_message *store = cw_fifo_pop(&tm->from_l2, b.now), *done = cw_fifo_pop(&tm->l2_done, b.now);
        requests += store != NULL && cycle > 520;
        commits += done != NULL && cycle > 520;
        if (store != NULL)
            cw_message_free(&b.pool, store);
        if (done != NULL)
            cw_message_free(&b.pool, done);
    }
    assert_in_range(requests, 199, 201);
    for (; !idle(); step(b.now + 10)) {
        struct cw_message *store = cw_fifo_pop(&tm->from_l2, b.now), *done = cw_fifo_pop(&tm->l2_done, b.now);
        if (store != NULL)
            cw_message_free(&b.pool, store);
        if (done != NULL)
            cw_message_free(&b.pool, done);
    }
    bench_destroy();
}

/* One request per cycle when they hit and the replies fit. */
static void test_partition__one_request_per_cycle(void **state)
{
    (void)state;
    struct cw_config c = one_partition();
    bench_create(&c, false, false);
    uint32_t sent = 0, got = 0, first = 0, last = 0;
    for (uint32_t cycle = 0; got < 2000 && cycle < 10000; cycle++) {
        while (b.now < cycle * 10)
            step(cycle * 10);
        while (sent < 2000 && cw_crossbar_can_push(b.up, 0, 1, b.now)) {
            struct cw_message *p = request(CW_MSG_WRITE, 0, sent++ % 64, 16);
            cw_line_body(p)->byte_mask[0] = 0xffff;
            cw_crossbar_push(b.up, 0, p, b.now);
        }
        for (struct cw_message *p; (p = cw_crossbar_pop(b.down, 0, b.now)) != NULL; got++, last = cycle) {
            first = got == 0 ? cycle : first;
            cw_message_free(&b.pool, p);
        }
    }
    assert_int_equal(got, 2000);
    assert_int_equal(last - first, 1999);
    assert_int_equal(b.stats.l2_stalls, 0);
    while (!idle())
        step(b.now + 1000);
    bench_destroy();
}

/* A core that takes nothing stalls the slice; nothing is lost, and all comes out afterwards, in order. */
static void test_partition__back_pressure_reaches_the_cores(void **state)
{
    (void)state;
    struct cw_config c = one_partition();
    c.l2_rop_queue = 16;
    bench_create(&c, false, false);
    uint32_t sent = 0;
    for (uint32_t cycle = 0; cycle < 3000; cycle++) {
        while (b.now < cycle * 10)
            step(cycle * 10);
        if (cw_crossbar_can_push(b.up, 2, 1, b.now)) {
            struct cw_message *p = request(CW_MSG_READ, 2, 0, 0);
            p->tag = sent++;
            send(p);
        }
    }
    /* down: 64 + 64 flits of two each; replies 8 + 8; ROP 16; up: 64 + 64 flits of one */
    assert_int_equal(sent, 32 + 32 + 16 + 16 + 64 + 64);
    for (uint32_t got = 0; got < sent; got++) {
        arrival(2, b.now);
        struct cw_message *p = cw_crossbar_pop(b.down, 2, b.now);
        assert_int_equal(p->tag, got);
        cw_message_free(&b.pool, p);
    }
    assert_true(b.stats.l2_stalls > 1000);
    while (!idle())
        step(b.now + 1000);
    bench_destroy();
}

static void test_partition__transactional_ports(void **state)
{
    (void)state;
    struct cw_config c = one_partition();
    bench_create(&c, false, true);
    struct cw_mem_socket *tm = cw_mem_socket_of(&b.partition[0], 0);
    cw_time wake = CW_TIME_NEVER;
    tm->from_l2.wake = tm->from_noc.wake = tm->l2_done.wake = &wake;
    send(mechs(CW_MSG_OWN, 3, 0));
    while (wake == CW_TIME_NEVER)
        step(b.now + 100000);
    assert_int_equal(wake, (1 + 5 + 1) * 10); /* no ROP delay */
    struct cw_message *log = cw_fifo_pop(&tm->from_noc, wake);
    assert_int_equal(log->kind, CW_MSG_OWN);
    b.now = 1000;
    wake = CW_TIME_NEVER;
    send(mechs(CW_MSG_PASS, 0, 5)); /* passes as a hit, before the load that misses */
    send(mechs(CW_MSG_READ, 1, 6));
    while (wake == CW_TIME_NEVER)
        step(b.now + 100000);
    assert_int_equal(wake, 1000 + (1 + 5 + 240 + 8) * 10);
    struct cw_message *store = cw_fifo_pop(&tm->from_l2, wake);
    assert_int_equal(store->kind, CW_MSG_PASS);
    wake = CW_TIME_NEVER;
    while (wake == CW_TIME_NEVER)
        step(b.now + 100000);
    assert_int_equal(wake, 1000 + (1 + 1 + 5 + 240 + 8 + 226) * 10); /* one cycle behind the store, and the miss */
    struct cw_message *load = cw_fifo_pop(&tm->from_l2, wake);
    assert_int_equal(load->kind, CW_MSG_READ);
    assert_int_equal(b.stats.l2_reads, 1);
    b.now = 10000;
    wake = CW_TIME_NEVER;
    log->kind = CW_MSG_WRITE;
    log->after = CW_AFTER_RETURN;
    log->mech = 1;
    cw_line_body(log)->byte_mask[1] = 0xf0;
    memset(cw_line_body(log)->data, 0xcd, 128);
    cw_fifo_push(&tm->to_l2, b.now, 10, log);
    while (wake == CW_TIME_NEVER)
        step(b.now + 100000);
    assert_int_equal(wake, 10000 + (1 + 8) * 10);
    assert_ptr_equal(cw_fifo_pop(&tm->l2_done, wake), log);
    assert_int_equal(byte_at(CW_GLOBAL_BASE + 36), 0xcd);
    assert_int_equal(byte_at(CW_GLOBAL_BASE + 35), 0);
    cw_message_free(&b.pool, log);
    store->kind = CW_MSG_OWN_REPLY;
    cw_fifo_push(&tm->reply, b.now, 10, store);
    expect_reply(0, CW_MSG_OWN_REPLY, 1);
    cw_message_free(&b.pool, load);
    while (!idle())
        step(b.now + 1000);
    bench_destroy();
}

/* The validation unit takes nothing: loads wait, the commit's write gets through. */
static void test_partition__commits_pass_stalled_loads(void **state)
{
    (void)state;
    struct cw_config c = one_partition();
    bench_create(&c, false, true);
    struct cw_mem_socket *tm = cw_mem_socket_of(&b.partition[0], 0);
    for (uint32_t i = 0; i < 40; i++)
        send(mechs(CW_MSG_PASS, 0, i));
    while (b.now < 10000)
        step(10000);
    assert_int_equal(tm->from_l2.count, 8 + 8);
    struct cw_message *w = request(CW_MSG_WRITE, 0, 50, 0);
    w->after = CW_AFTER_RETURN;
    w->mech = 1;
    cw_line_body(w)->byte_mask[0] = 1;
    cw_line_body(w)->data[0] = 3;
    cw_fifo_push(&tm->to_l2, b.now, 10, w);
    while (tm->l2_done.count == 0 && b.now < 20000)
        step(20000);
    assert_int_equal(tm->l2_done.count, 1);
    while (b.now < 20000)
        step(20000);
    cw_message_free(&b.pool, cw_fifo_pop(&tm->l2_done, b.now));
    uint32_t got = 0;
    for (; !idle(); step(b.now + 10))
        for (struct cw_message *p; (p = cw_fifo_pop(&tm->from_l2, b.now)) != NULL; got++)
            cw_message_free(&b.pool, p);
    assert_int_equal(got, 40);
    bench_destroy();
}

static void test_partition__replies_take_turns(void **state)
{
    (void)state;
    struct cw_config c = one_partition();
    bench_create(&c, false, true);
    struct cw_mem_socket *tm = cw_mem_socket_of(&b.partition[0], 0);
    uint32_t sent = 0, own = 0, system = 0;
    for (uint32_t cycle = 0; own + system < 400 && cycle < 5000; cycle++) {
        while (b.now < cycle * 10)
            step(cycle * 10);
        if (sent < 600 && cw_crossbar_can_push(b.up, 0, 1, b.now)) {
            struct cw_message *p = request(CW_MSG_WRITE, 0, sent++ % 8, 0);
            cw_line_body(p)->byte_mask[0] = 1;
            send(p);
        }
        if (cycle > 260 && cw_fifo_can_push(&tm->reply, b.now))
            cw_fifo_push(&tm->reply, b.now, 10, mechs(CW_MSG_OWN_REPLY, 0, 0));
        struct cw_message *p = cw_crossbar_pop(b.down, 0, b.now);
        if (p == NULL)
            continue;
        own += p->kind == CW_MSG_WRITE_ACK;
        system += p->kind == CW_MSG_OWN_REPLY;
        cw_message_free(&b.pool, p);
    }
    assert_in_range(own, 190, 215);
    for (; !idle(); step(b.now + 10))
        for (struct cw_message *p; (p = cw_crossbar_pop(b.down, 0, b.now)) != NULL;)
            cw_message_free(&b.pool, p);
    bench_destroy();
}

/*
 * Random traffic end to end, in real clock ratios, against a plain memory: one access outstanding per line, so each
 * reply has one right value. The lines of the upper half take writes without acknowledgement and commit writes, once
 * each; they are compared at the end.
 */
#define HALF (LINES / 2)

struct random_load {
    struct cw_component cores, system; /* all cores in one; the transactional side of all partitions in one */
    struct cw_rng rng;
    uint8_t *want;  /* plain memory */
    bool *busy;     /* lines with an access outstanding */
    uint32_t hot;   /* lines that are used */
    uint32_t upper; /* next line of the upper half */
    uint32_t to_send, sent, replies, silent, commits, checks;
    uint64_t core_trace, system_trace; /* hashes of what came where and when; two, since these tick in either order */
};

static void note(uint64_t *trace, uint64_t what)
{
    *trace = (*trace ^ what) * 0x9e3779b97f4a7c15u;
    *trace ^= *trace >> 29;
}

static void fill_write(struct random_load *l, struct cw_message *p)
{
    uint8_t *want = l->want + (p->addr - CW_GLOBAL_BASE);
    const uint32_t style = cw_rng_below(&l->rng, 3), last = b.config.mem_line_bytes - 1;
    for (uint32_t i = 0; i <= last; i++) {
        cw_line_body(p)->data[i] = (uint8_t)cw_rng_next(&l->rng);
        if (style == 0 || (style == 1 && i / 32 == 2) || cw_rng_below(&l->rng, 8) == 0) {
            cw_line_body(p)->byte_mask[i / 32] |= 1u << i % 32;
            want[i] = cw_line_body(p)->data[i];
        }
    }
    cw_line_body(p)->byte_mask[last / 32] |= 1u << 31; /* at least one */
    want[last] = cw_line_body(p)->data[last];
}

/* Old values are checked with the reply: they are kept in operand b, which add and exchange do not use; CAS keeps it in
 * its own way. */
static void fill_atomic(struct random_load *l, struct cw_message *p)
{
    static const uint8_t atom[] = {CW_ATOM_ADD, CW_ATOM_EXCH, CW_ATOM_CAS};
    cw_atomic_body(p)->atom = atom[cw_rng_below(&l->rng, 3)];
    cw_atomic_body(p)->type = cw_rng_below(&l->rng, 2) ? CW_U32 : CW_U64;
    p->lanes = (uint32_t)cw_rng_next(&l->rng) | 1;
    p->needs_reply = (uint8_t)cw_rng_below(&l->rng, 2);
    uint32_t bytes = cw_atomic_body(p)->type == CW_U32 ? 4 : 8;
    for (uint32_t i = 0; i < 32; i++) {
        if (!(p->lanes >> i & 1))
            continue;
        cw_atomic_body(p)->lane_offset[i] =
            (uint8_t)(bytes * cw_rng_below(&l->rng, cw_rng_below(&l->rng, 2) ? b.config.mem_line_bytes / bytes : 2));
        uint8_t *at = l->want + (p->addr - CW_GLOBAL_BASE) + cw_atomic_body(p)->lane_offset[i];
        uint64_t old = 0, mask = bytes == 4 ? UINT32_MAX : UINT64_MAX, a = cw_rng_next(&l->rng) & mask, value;
        memcpy(&old, at, bytes);
        if (cw_atomic_body(p)->atom == CW_ATOM_CAS && cw_rng_below(&l->rng, 2))
            a = old;
        uint64_t next = cw_rng_next(&l->rng) & mask;
        value = cw_atomic_body(p)->atom == CW_ATOM_ADD    ? (old + a) & mask
                : cw_atomic_body(p)->atom == CW_ATOM_EXCH ? a
                : old == a                                ? next
                                                          : old;
        memcpy(at, &value, bytes);
        cw_atomic_body(p)->a[i] = a;
        cw_atomic_body(p)->b[i] = cw_atomic_body(p)->atom == CW_ATOM_CAS ? next : old;
    }
    if (cw_atomic_body(p)->atom == CW_ATOM_CAS)
        p->attempt = 1; /* old values not kept */
}

static struct cw_message *random_request(struct random_load *l, uint32_t core)
{
    static const uint8_t kinds[] = {CW_MSG_READ,   CW_MSG_READ,  CW_MSG_READ, CW_MSG_WRITE, CW_MSG_WRITE,
                                    CW_MSG_ATOMIC, CW_MSG_WRITE, CW_MSG_READ, CW_MSG_PASS,  CW_MSG_OWN};
    uint32_t pick = cw_rng_below(&l->rng, 10), line = cw_rng_below(&l->rng, l->hot);
    bool silent = (pick == 6 || kinds[pick] == CW_MSG_OWN) && l->upper < LINES;
    if (silent)
        line = l->upper++;
    else if (pick == 6 || kinds[pick] == CW_MSG_OWN || l->busy[line])
        return NULL;
    struct cw_message *p = request((enum cw_message_kind)kinds[pick], core, line, 8 + cw_rng_below(&l->rng, 120));
    p->sectors = (uint8_t)(1 + cw_rng_below(&l->rng, (1u << b.config.mem_line_bytes / 32) - 1));
    p->mech = pick >= 7;
    p->after = pick >= 7 ? CW_AFTER_MECH : CW_AFTER_REPLY;
    if (p->kind == CW_MSG_WRITE || p->kind == CW_MSG_OWN)
        fill_write(l, p);
    if (p->kind == CW_MSG_ATOMIC)
        fill_atomic(l, p);
    l->busy[line] = !silent;
    p->needs_reply = silent ? 0 : p->kind == CW_MSG_ATOMIC ? p->needs_reply : 1;
    l->silent += silent && p->kind == CW_MSG_WRITE;
    return p;
}

static void check_reply(struct random_load *l, struct cw_message *p)
{
    const uint8_t *want = l->want + (p->addr - CW_GLOBAL_BASE);
    for (uint32_t i = 0; p->kind == CW_MSG_READ_REPLY && i < b.config.mem_line_bytes; i++)
        if (p->sectors >> i / 32 & 1) {
            assert_int_equal(cw_line_body(p)->data[i], want[i]);
            l->checks++;
        }
    for (uint32_t i = 0; p->kind == CW_MSG_ATOMIC_REPLY && p->attempt == 0 && i < 32; i++)
        if (p->lanes >> i & 1) {
            assert_int_equal(cw_atomic_body(p)->a[i], cw_atomic_body(p)->b[i]);
            l->checks++;
        }
}

static void cores_tick(void *self, cw_time now)
{
    struct random_load *l = self;
    for (uint32_t core = 0; core < CORES; core++) {
        struct cw_message *p = cw_rng_below(&l->rng, 4) ? cw_crossbar_pop(b.down, core, now) : NULL;
        if (p != NULL) {
            note(&l->core_trace, now);
            note(&l->core_trace, p->tag);
            check_reply(l, p);
            l->busy[p->tag] = false;
            l->replies++;
            cw_message_free(&b.pool, p);
        }
        if (l->sent >= l->to_send || cw_rng_below(&l->rng, 3) == 0 || !cw_crossbar_can_push(b.up, core, 5, now))
            continue;
        p = random_request(l, core);
        if (p == NULL)
            continue;
        l->sent++;
        cw_crossbar_push(b.up, core, p, now);
    }
    l->cores.wake = now + 1;
}

/* Replies to transactional requests, and writes what logs bring. */
static void system_tick(void *self, cw_time now)
{
    struct random_load *l = self;
    cw_time l2 = b.clocks.period[CW_DOMAIN_L2];
    for (uint32_t i = 0; i < b.config.partition_count; i++) {
        struct cw_mem_socket *tm = cw_mem_socket_of(&b.partition[i], 0);
        struct cw_message *p = cw_fifo_can_push(&tm->reply, now) ? cw_fifo_pop(&tm->from_l2, now) : NULL;
        if (p != NULL) {
            note(&l->system_trace, now);
            p->kind = CW_MSG_OWN_REPLY;
            cw_message_size(p, 4, 8, 32);
            cw_fifo_push(&tm->reply, now, l2, p);
        }
        p = cw_fifo_can_push(&tm->to_l2, now) ? cw_fifo_pop(&tm->from_noc, now) : NULL;
        if (p != NULL) {
            p->kind = CW_MSG_WRITE;
            p->after = CW_AFTER_RETURN;
            p->mech = 1;
            cw_fifo_push(&tm->to_l2, now, l2, p);
        }
        p = cw_fifo_pop(&tm->l2_done, now);
        if (p != NULL) {
            note(&l->system_trace, now);
            l->commits++;
            cw_message_free(&b.pool, p);
        }
    }
    l->system.wake = now + 1;
}

static uint64_t random_run(uint64_t seed, uint32_t line_bytes, bool reverse, bool always, struct cw_stats *stats)
{
    static struct random_load l;
    struct cw_config c = defaults;
    l = (struct random_load){.to_send = 6000, .upper = HALF};
    cw_rng_seed(&l.rng, seed);
    c.partition_count = seed % 2 ? 6 : 3;
    c.dram_sharing = seed % 4 == 1 ? 2 : seed % 4 == 2 ? 3 : 1;
    c.mem_line_bytes = line_bytes;
    c.l2_bytes = 16384; /* small, so that it evicts */
    c.l2_mshrs = 4 + cw_rng_below(&l.rng, 16);
    c.l2_mshr_merge = 1 + cw_rng_below(&l.rng, 4);
    c.l2_rop_queue = 32;
    c.l2_rop_latency = 1 + cw_rng_below(&l.rng, 40);
    c.dram_latency = cw_rng_below(&l.rng, 100);
    c.l2_reply_queue = 1 + cw_rng_below(&l.rng, 8);
    c.l2_latency = 1 + cw_rng_below(&l.rng, 8);
    l.hot = cw_rng_below(&l.rng, 2) ? 300 : HALF;
    bench_create(&c, true, true);
    b.reverse = reverse;
    b.always = always;
    l.want = calloc(MEMORY, 1);
    l.busy = calloc(LINES, sizeof *l.busy);
    l.cores = (struct cw_component){.tick = cores_tick, .self = &l, .domain = CW_DOMAIN_CORE};
    l.system = (struct cw_component){.tick = system_tick, .self = &l, .domain = CW_DOMAIN_CU};
    b.component[b.components++] = &l.cores;
    b.component[b.components++] = &l.system;
    while (l.sent < l.to_send || !idle()) {
        step(b.now + 1000);
        assert_true(b.now < 100000000);
    }
    assert_int_equal(l.sent, l.replies + l.silent + l.commits);
    assert_int_equal(b.stats.noc_up_packets, l.sent);
    assert_int_equal(b.stats.noc_down_packets, l.replies);
    cw_memory_settle(b.memory);
    assert_memory_equal(cw_memory__at(b.memory, CW_GLOBAL_BASE), l.want, MEMORY);
    assert_true(l.checks > 10000);
    *stats = b.stats;
    free(l.want);
    free(l.busy);
    bench_destroy();
    return l.core_trace * 31 + l.system_trace;
}

static void random_runs(uint64_t seed, uint32_t line_bytes)
{
    uint64_t writebacks = 0, stalls = 0, misses = 0;
    for (uint32_t round = 0; round < 8; round++) {
        struct cw_stats stats[3];
        uint64_t trace = random_run(seed + round, line_bytes, false, false, &stats[0]);
        assert_int_equal(random_run(seed + round, line_bytes, true, false, &stats[1]), trace);
        assert_int_equal(random_run(seed + round, line_bytes, false, true, &stats[2]), trace);
        assert_memory_equal(&stats[1], &stats[0], sizeof stats[0]);
        assert_memory_equal(&stats[2], &stats[0], sizeof stats[0]);
        writebacks += stats[0].l2_writebacks;
        stalls += stats[0].l2_stalls;
        misses += stats[0].l2_read_misses;
    }
    print_message("%u write-backs, %u stall cycles, %u read misses\n", (uint32_t)writebacks, (uint32_t)stalls, (uint32_t)misses);
    assert_true(writebacks > 1000 && stalls > 1000 && misses > 1000);
}

static void test_partition__random_traffic_equals_plain_memory_in_any_tick_order(void **state)
{
    (void)state;
    random_runs(cw_test_seed(1), 128);
}

static void test_partition__random_traffic_with_lines_of_64_bytes(void **state)
{
    (void)state;
    random_runs(cw_test_seed(1), 64);
}

/* Hooks: what a double has been told, and by how much it holds requests. */
struct hooked {
    uint32_t hold; /* L2 cycles, of each request for line 0 */
    uint32_t before_l2_cnt, accepted_cnt, command_cnt, write_cnt;
    uint64_t local;
    uint8_t sectors;
    cw_time accepted, command;
};

static uint32_t on_before_l2(void *self, struct cw_message *m, cw_time now)
{
    struct hooked *h = self;
    (void)now;
    h->before_l2_cnt++;
    return m->tag == 0 ? h->hold : 0;
}

static void on_accepted(void *self, uint64_t local, uint8_t sectors, bool write, cw_time now)
{
    struct hooked *h = self;
    h->accepted_cnt++;
    h->write_cnt += write;
    h->local = local;
    h->sectors = sectors;
    h->accepted = now;
}

static void on_command(void *self, uint64_t local, bool write, cw_time now)
{
    struct hooked *h = self;
    assert_true(h->command_cnt < h->accepted_cnt && local == h->local && !write);
    h->command_cnt++;
    h->command = now;
}

static const struct cw_mem_hooks all_hooks = {.before_l2 = on_before_l2, .accepted = on_accepted, .dram_command = on_command};
static const struct cw_mem_hooks one_hook = {.before_l2 = on_before_l2};

/* Two mechanisms hold a read by 7 and 20 cycles; the one behind it, which nobody holds, waits too. The memory controller tells of the read
 * when it takes it, and again when the scheduling latency (200) and the activation (tRCD, 12) are over. */
static void test_partition__calls_of_mechanisms(void **state)
{
    (void)state;
    struct cw_config c = one_partition();
    struct hooked first = {0}, second = {0};
    bench_create(&c, false, false);
    assert_int_equal(cw_mem_hook(&b.partition[0], &all_hooks, &first), CW_OK);
    assert_int_equal(cw_mem_hook(&b.partition[0], &one_hook, &second), CW_OK);
    send(request(CW_MSG_READ, 1, 0, 0));
    assert_int_equal(arrival(1, b.now), MISS_CYCLES);
    expect_reply(1, CW_MSG_READ_REPLY, 2);
    assert_int_equal(first.accepted_cnt, 1);
    assert_int_equal(first.command_cnt, 1);
    assert_int_equal(first.write_cnt, 0);
    assert_int_equal(first.local, 0);
    assert_int_equal(first.sectors, 3); /* a burst brings 64 bytes */
    assert_int_equal((first.command - first.accepted) / 10, 200 + 12);
    b.now = 100000;
    send(request(CW_MSG_READ, 2, 1, 0)); /* the other line is in the L2 now, too */
    expect_reply(2, CW_MSG_READ_REPLY, 2);
    b.now = 200000;
    first.hold = 7;
    second.hold = 20;
    send(request(CW_MSG_READ, 1, 0, 0));
    send(request(CW_MSG_READ, 2, 1, 0));
    assert_int_equal(arrival(1, 200000), HIT_CYCLES + 7 + 20);
    expect_reply(1, CW_MSG_READ_REPLY, 2);
    assert_true(arrival(2, 200000) > HIT_CYCLES + 7 + 20);
    expect_reply(2, CW_MSG_READ_REPLY, 2);
    assert_int_equal(first.before_l2_cnt, 4);
    assert_int_equal(second.before_l2_cnt, 4);
    assert_int_equal(first.accepted_cnt, 2);
    bench_destroy();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_partition__calls_of_mechanisms),
    cmocka_unit_test(test_partition__read_latency),
    cmocka_unit_test(test_partition__replies_by_kind),
    cmocka_unit_test(test_partition__each_sector_of_a_store_is_acknowledged),
    cmocka_unit_test(test_partition__atomics_hold_the_port),
    cmocka_unit_test(test_partition__atomics_delay_the_next_request),
    cmocka_unit_test(test_partition__late_fetch_frees_its_entry),
    cmocka_unit_test(test_partition__requests_and_commits_take_turns),
    cmocka_unit_test(test_partition__one_request_per_cycle),
    cmocka_unit_test(test_partition__back_pressure_reaches_the_cores),
    cmocka_unit_test(test_partition__transactional_ports),
    cmocka_unit_test(test_partition__commits_pass_stalled_loads),
    cmocka_unit_test(test_partition__replies_take_turns),
    cmocka_unit_test(test_partition__random_traffic_equals_plain_memory_in_any_tick_order),
    cmocka_unit_test(test_partition__random_traffic_with_lines_of_64_bytes),
};
CW_TEST_MAIN(tests)
