/* SPDX-License-Identifier: Apache-2.0 */
/* The slice without its partition: requests are given by hand, DRAM is ticked until it is quiet. */
#include "cw_test.h"

#include <string.h>

#include "exec/exec.h"
#include "mem/cache_array.h"
#include "mem/device_memory_private.h"
#include "mem/l2.h"

#define T 10u

static const struct cw_config defaults = {
#define X(field, name, def, lo, hi, unit, source, what) .field = def,
#define E(field, name, def, words, source, what)        .field = def,
#include "base/config.def"
#undef X
#undef E
};

struct bench {
    struct cw_config config;
    struct cw_stats stats;
    struct cw_memory *memory;
    struct cw_message_pool pool;
    struct cw_dram *dram;
    struct cw_dram_port *port;
    struct cw_l2 *l2;
    cw_time now, wake;
    uint32_t cycles;  /* port cycles of the last access */
    bool timing_only; /* of the writes to come */
    uint32_t written; /* writes that passed and are with DRAM */
};

static struct bench b;

/* 2 ways, one partition: line n of memory is local line n, in set n mod 4 (lines of 128 bytes) or n mod 8 (of 64). */
static void bench_create_policy(uint32_t line_bytes, enum cw_replacement policy)
{
    struct cw_error err;
    uint64_t addr;
    struct cw_clocks clocks = {.period = {T, T, T, T, T}};
    memset(&b, 0, sizeof b);
    b.config = defaults;
    b.config.partition_count = 1;
    b.config.l2_bytes = 1024;
    b.config.l2_ways = 2;
    b.config.l2_mshrs = 3;
    b.config.l2_mshr_merge = 2;
    b.config.mem_line_bytes = line_bytes;
    b.config.l2_replacement = (uint32_t)policy;
    cw_message_pool_create(&b.pool);
    assert_int_equal(cw_memory_create(&b.memory, 1 << 20, 0, &err), CW_OK);
    assert_int_equal(cw_memory_alloc(b.memory, &addr, 1 << 20, CW_REGION_GLOBAL, &err), CW_OK);
    assert_int_equal(cw_dram_create(&b.dram, &b.config, &clocks, &b.stats, 16, &err), CW_OK);
    b.port = cw_dram_connect(b.dram, 0, &b.wake);
    assert_int_equal(cw_l2_create(&b.l2, &b.config, 0, &b.stats, b.memory, b.port, NULL, NULL, &err), CW_OK);
}

static void bench_create_lines(uint32_t line_bytes)
{
    bench_create_policy(line_bytes, CW_REPLACE_LRU);
}

static void bench_create(void)
{
    bench_create_lines(128);
}

static void bench_destroy(void)
{
    assert_true(cw_l2_idle(b.l2));
    assert_int_equal(b.pool.in_use, 0);
    cw_l2_destroy(b.l2);
    cw_dram_destroy(b.dram);
    cw_memory_destroy(b.memory);
    cw_message_pool_destroy(&b.pool);
}

static const struct cw_message_type any_body = {.name = "any", .bytes = CW_MESSAGE_BODY_LARGE};

static struct cw_message *request(enum cw_message_kind kind, uint32_t line, uint32_t sectors)
{
    struct cw_message *p = cw_message_new(&b.pool, &any_body);
    memset(p->body, 0, CW_MESSAGE_BODY_LARGE);
    p->kind = (uint8_t)kind;
    p->addr = CW_GLOBAL_BASE + line * b.config.mem_line_bytes;
    p->sectors = (uint8_t)sectors;
    return p;
}

static struct cw_message *write_of(uint32_t line, uint32_t first, uint32_t bytes, uint8_t value)
{
    struct cw_message *p = request(CW_MSG_WRITE, line, 0);
    p->timing_only = b.timing_only;
    for (uint32_t i = first; i < first + bytes; i++) {
        cw_line_body(p)->byte_mask[i / 32] |= 1u << i % 32;
        cw_line_body(p)->data[i] = value;
    }
    return p;
}

static enum cw_l2_result give(struct cw_message *p)
{
    b.now += T;
    return cw_l2_access(b.l2, p, &b.cycles, b.now);
}

/* Gives a request and frees it when it is done at once; whether it was. */
static bool hits(struct cw_message *p)
{
    enum cw_l2_result result = give(p);
    assert_true(result == CW_L2_DONE || result == CW_L2_MISS || result == CW_L2_PASSED);
    if (result == CW_L2_DONE)
        cw_message_free(&b.pool, p);
    return result == CW_L2_DONE;
}

/* Frees the writes that have passed the slice and are with DRAM. */
static void free_written(void)
{
    for (struct cw_message *p; (p = cw_dram_written(b.port, b.now)) != NULL;) {
        cw_dram_pop_written(b.port, b.now);
        cw_message_free(&b.pool, p);
        b.written++;
    }
}

/* Runs DRAM until it is quiet, and accepts its fills. Returns fills. */
static uint32_t settle(void)
{
    struct cw_component *c = cw_dram_component(b.dram);
    uint32_t fills = 0;
    while (!cw_dram_idle(b.port)) {
        b.now += T;
        if (c->wake <= b.now)
            c->tick(c->self, b.now);
        fills += cw_l2_fill(b.l2, b.now);
        free_written();
    }
    return fills;
}

/* Serves what waits; frees; returns how many. */
static uint32_t replay_all(void)
{
    uint32_t n = 0;
    for (; cw_l2_replay_head(b.l2) != NULL; n++)
        cw_message_free(&b.pool, cw_l2_replay(b.l2, &b.cycles));
    return n;
}

static bool read_hits(uint32_t line, uint32_t sectors)
{
    bool hit = hits(request(CW_MSG_READ, line, sectors));
    settle();
    assert_int_equal(replay_all(), !hit);
    return hit;
}

/* l2.port_bytes: 96 bytes pass a port of 64 in two cycles, one of 32 in three; a hit and a miss that comes back alike. */
static void test_l2__port_width(void **state)
{
    static const uint32_t port[] = {128, 64, 32}, cycles[] = {1, 2, 3};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        bench_create();
        b.config.l2_port_bytes = port[i];
        assert_false(read_hits(0, 7));
        assert_int_equal(b.cycles, cycles[i]);
        b.cycles = 0;
        assert_true(read_hits(0, 7));
        assert_int_equal(b.cycles, cycles[i]);
        assert_true(hits(write_of(0, 16, 96, 1))); /* bytes of four sectors */
        assert_int_equal(b.cycles, 128 / port[i]);
        assert_true(hits(write_of(0, 16, 8, 1)));
        assert_int_equal(b.cycles, 1);
        bench_destroy();
    }
}

/* Of the reads, those of a commit unit are counted apart. */
static void test_l2__validation_reads(void **state)
{
    (void)state;
    bench_create();
    for (uint32_t i = 0; i < 6; i++) {
        struct cw_message *p = request(CW_MSG_READ, i / 3, 1);
        p->after = i % 2 == 0 ? CW_AFTER_RETURN : CW_AFTER_REPLY;
        hits(p);
        settle();
        replay_all();
    }
    assert_int_equal(b.stats.l2_reads, 6);
    assert_int_equal(b.stats.l2_read_misses, 2);
    assert_int_equal(b.stats.l2_validation_reads, 3); /* 0, 2, 4 */
    assert_int_equal(b.stats.l2_validation_misses, 1);
    bench_destroy();
}

static void test_l2__read_misses_then_hits_per_burst(void **state)
{
    (void)state;
    bench_create();
    assert_false(read_hits(5, 1));
    assert_true(read_hits(5, 1));
    assert_true(read_hits(5, 2)); /* the other half of the 64-byte burst */
    assert_false(read_hits(5, 4));
    assert_true(read_hits(5, 15));
    assert_int_equal(b.stats.l2_reads, 5);
    assert_int_equal(b.stats.l2_read_misses, 2);
    assert_int_equal(b.stats.dram_reads, 2);
    assert_int_equal(b.stats.dram_writes, 0);
    bench_destroy();
}

static void test_l2__values_are_of_the_time_of_service(void **state)
{
    (void)state;
    bench_create();
    uint8_t *bytes = cw_memory__at(b.memory, CW_GLOBAL_BASE + 128);
    memset(bytes, 0x11, 128);
    struct cw_message *p = request(CW_MSG_READ, 1, 6);
    memset(cw_line_body(p)->data, 0xee, 128);
    assert_int_equal(give(p), CW_L2_MISS);
    memset(bytes, 0x22, 128); /* before the miss returns: seen */
    settle();
    uint32_t cycles;
    assert_ptr_equal(cw_l2_replay(b.l2, &cycles), p);
    memset(bytes, 0x33, 128); /* too late */
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(cw_line_body(p)->data[i], i >= 32 && i < 96 ? 0x22 : 0xee);
    cw_message_free(&b.pool, p);
    bench_destroy();
}

static void test_l2__least_recently_used_goes(void **state)
{
    (void)state;
    bench_create();
    assert_false(read_hits(0, 15));
    assert_false(read_hits(4, 15)); /* same set */
    assert_true(read_hits(0, 15));
    assert_false(read_hits(1, 15)); /* another set */
    assert_false(read_hits(8, 15)); /* 4 goes */
    assert_true(read_hits(0, 15));
    assert_false(read_hits(4, 15)); /* 8 goes */
    assert_true(read_hits(0, 15));
    assert_false(read_hits(8, 15));
    assert_int_equal(b.stats.l2_writebacks, 0);
    bench_destroy();
}

/* Copies of the host are clean lines, and the youngest of their sets. Lines 0, 4, 8 share a set of two ways. */
static void test_l2__host_copies_stay(void **state)
{
    (void)state;
    bench_create();
    cw_l2_host_copy(b.l2, CW_GLOBAL_BASE + 0 * 128);
    cw_l2_host_copy(b.l2, CW_GLOBAL_BASE + 4 * 128 + 64);
    assert_true(read_hits(0, 15));
    assert_true(read_hits(4, 15));
    cw_l2_host_copy(b.l2, CW_GLOBAL_BASE + 0 * 128);
    cw_l2_host_copy(b.l2, CW_GLOBAL_BASE + 8 * 128); /* 4 goes */
    assert_true(read_hits(0, 15));
    assert_true(read_hits(8, 15));
    assert_false(read_hits(4, 15)); /* 0 goes, clean */
    assert_int_equal(b.stats.dram_writes, 0);
    assert_int_equal(b.stats.l2_writebacks, 0);
    bench_destroy();
}

/* What they replace is dropped without a write-back; a line that is there stays dirty. */
static void test_l2__host_copies_over_dirty_lines(void **state)
{
    (void)state;
    bench_create();
    assert_true(hits(write_of(0, 0, 128, 7)));
    assert_true(hits(write_of(4, 0, 4, 7)));
    cw_l2_host_copy(b.l2, CW_GLOBAL_BASE + 8 * 128); /* 0 goes */
    cw_l2_host_copy(b.l2, CW_GLOBAL_BASE + 4 * 128);
    settle();
    assert_int_equal(b.stats.dram_writes, 0);
    assert_true(read_hits(4, 15)); /* all of it, though one word was written */
    assert_true(read_hits(8, 15));
    assert_false(read_hits(0, 15)); /* 4 goes, dirty */
    assert_int_equal(b.stats.l2_writebacks, 1);
    assert_false(read_hits(4, 15)); /* 8 goes, which is clean, though it lies where dirty 0 lay */
    assert_int_equal(b.stats.l2_writebacks, 1);
    bench_destroy();
}

/* What a load would find: of the slice, or of memory. */
static uint8_t byte_at(uint32_t offset)
{
    uint8_t byte;
    cw_memory_read(b.memory, CW_GLOBAL_BASE + offset, &byte, 1);
    return byte;
}

/* Misses, write-backs and bursts of a few writes; what they leave in memory is for the caller to say. */
static void write_and_evict(bool timing_only)
{
    bench_create();
    b.timing_only = timing_only;
    assert_true(hits(write_of(0, 0, 128, 7)));
    assert_int_equal(b.stats.l2_write_misses, 1);
    assert_true(hits(write_of(0, 0, 4, 8)));
    assert_int_equal(b.stats.l2_write_misses, 1);
    assert_true(read_hits(0, 15)); /* allocated without a fetch */
    assert_int_equal(b.stats.dram_reads, 0);
    assert_false(read_hits(4, 1));
    assert_false(read_hits(8, 1)); /* 0 goes */
    assert_int_equal(b.stats.l2_writebacks, 1);
    assert_int_equal(b.stats.dram_writes, 2);
    assert_true(hits(write_of(12, 40, 1, 9))); /* 4 goes, clean; one byte of sector 1 */
    assert_int_equal(b.stats.l2_writebacks, 1);
    assert_true(read_hits(8, 1));
    assert_false(read_hits(16, 1)); /* 12 goes: one burst */
    assert_int_equal(b.stats.l2_writebacks, 2);
    assert_int_equal(b.stats.dram_writes, 3);
}

/* Lines 0, 4 and 8 share a set of two ways. 0 and 4 fill it, 0 is read again, 8 takes a place: of 0 under FIFO, else of 4. */
static void test_l2__who_is_replaced(void **state)
{
    (void)state;
    for (uint32_t p = 0; p < CW_REPLACE_CNT; p++) {
        static const uint32_t lines[] = {0, 4, 0, 8};
        bench_create_policy(128, (enum cw_replacement)p);
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(read_hits(lines[i], 1), i == 2);
        assert_true(read_hits(8, 1));
        const uint32_t stays = p == CW_REPLACE_FIFO ? 4 : 0;
        assert_true(read_hits(stays, 1));
        assert_false(read_hits(4 - stays, 1));
        bench_destroy();
    }
}

static void test_l2__dirty_victim_is_written_back(void **state)
{
    (void)state;
    write_and_evict(false);
    assert_int_equal(byte_at(3), 8);
    assert_int_equal(byte_at(4), 7);
    assert_int_equal(byte_at(12 * 128 + 40), 9);
    assert_int_equal(byte_at(12 * 128 + 41), 0);
    bench_destroy();
}

/* l2.dirty_ways = 1: of two dirty lines of a set the older one goes to memory, and stays. */
static void test_l2__few_lines_are_dirty(void **state)
{
    (void)state;
    bench_create();
    b.config.l2_dirty_ways = 1;
    assert_true(hits(write_of(0, 0, 32, 7)));
    assert_true(hits(write_of(4, 0, 32, 8)));
    settle();
    assert_int_equal(b.stats.dram_writes, 1);
    assert_true(read_hits(0, 1));
    assert_true(read_hits(4, 1));
    assert_true(hits(write_of(1, 0, 32, 9)));  /* another set */
    assert_true(hits(write_of(4, 32, 32, 8))); /* it was the younger one, so it is dirty as it was */
    settle();
    assert_int_equal(b.stats.dram_writes, 1);
    assert_true(hits(write_of(0, 0, 32, 6))); /* 4 is the older one now */
    settle();
    assert_int_equal(b.stats.dram_writes, 2); /* its two sectors are one burst */
    assert_int_equal(byte_at(0), 6);
    assert_int_equal(byte_at(4 * 128 + 32), 8);
    bench_destroy();
}

static void test_l2__timing_only_writes_do_all_but_write(void **state)
{
    (void)state;
    write_and_evict(true);
    assert_int_equal(byte_at(3), 0);
    assert_int_equal(byte_at(4), 0);
    assert_int_equal(byte_at(12 * 128 + 40), 0);
    bench_destroy();
}

/* It has the bytes that the slice has of a sector, else memory's; DRAM and the tags hear nothing of it. */
static void test_l2__a_certain_read(void **state)
{
    (void)state;
    bench_create();
    static const uint8_t of_memory[] = {1, 2, 3, 4};
    cw_memory_write(b.memory, CW_GLOBAL_BASE, of_memory, sizeof of_memory);
    for (uint32_t present = 0; present < 2; present++) {
        if (present)
            assert_true(hits(write_of(0, 1, 2, 9)));
        struct cw_message *p = request(CW_MSG_READ, 0, 3);
        p->after = CW_AFTER_RETURN;
        p->certain = 1;
        assert_int_equal(give(p), CW_L2_DONE);
        const uint8_t expected[] = {1, present ? 9 : 2, present ? 9 : 3, 4};
        assert_memory_equal(cw_line_body(p)->data, expected, sizeof expected);
        cw_message_free(&b.pool, p);
        assert_int_equal(b.stats.dram_reads, 0);
        assert_int_equal(b.stats.l2_validation_reads, present + 1);
        assert_int_equal(b.stats.l2_validation_misses, 0);
    }
    assert_false(read_hits(0, 1)); /* the line lacks what it lacked before */
    bench_destroy();
}

static void test_l2__partial_writes_make_a_sector_valid_when_complete(void **state)
{
    (void)state;
    bench_create();
    assert_true(hits(write_of(0, 0, 16, 1)));
    assert_false(read_hits(0, 1)); /* half the bytes: fetched */
    assert_true(hits(write_of(1, 64, 16, 1)));
    assert_true(hits(write_of(1, 80, 15, 1)));
    assert_true(hits(write_of(1, 95, 1, 1)));
    assert_true(read_hits(1, 4)); /* all 32 written: no fetch */
    assert_false(read_hits(1, 8));
    assert_int_equal(b.stats.dram_reads, 2);
    bench_destroy();
}

static void test_l2__misses_to_a_line_merge_in_order(void **state)
{
    (void)state;
    bench_create();
    struct cw_message *p[4] = {request(CW_MSG_READ, 3, 1), write_of(3, 0, 4, 5), request(CW_MSG_READ, 3, 1), request(CW_MSG_READ, 3, 1)};
    assert_int_equal(give(p[0]), CW_L2_MISS);
    assert_int_equal(give(p[1]), CW_L2_MISS);  /* the write may not overtake the read */
    assert_int_equal(give(p[2]), CW_L2_STALL); /* merges 2 */
    assert_int_equal(b.stats.l2_reads, 1);     /* a stalled request is not counted */
    assert_int_equal(settle(), 1);
    uint32_t cycles;
    assert_ptr_equal(cw_l2_replay(b.l2, &cycles), p[0]);
    assert_int_equal(cw_line_body(p[0])->data[0], 0);
    assert_int_equal(give(p[2]), CW_L2_MISS); /* there now, but behind the write */
    assert_ptr_equal(cw_l2_replay(b.l2, &cycles), p[1]);
    assert_ptr_equal(cw_l2_replay(b.l2, &cycles), p[2]);
    assert_int_equal(cw_line_body(p[2])->data[0], 5);
    assert_null(cw_l2_replay_head(b.l2));
    assert_int_equal(give(p[3]), CW_L2_DONE);
    assert_int_equal(b.stats.dram_reads, 1);
    assert_int_equal(b.stats.l2_read_misses, 1);
    for (uint32_t i = 0; i < 4; i++)
        cw_message_free(&b.pool, p[i]);
    bench_destroy();
}

static void test_l2__hit_under_miss_in_other_sectors(void **state)
{
    (void)state;
    bench_create();
    assert_false(read_hits(2, 1));
    assert_false(hits(request(CW_MSG_READ, 2, 4))); /* outstanding */
    assert_true(hits(request(CW_MSG_READ, 2, 1)));
    assert_true(hits(write_of(2, 32, 32, 1)));
    assert_false(hits(request(CW_MSG_READ, 2, 5))); /* behind */
    settle();
    assert_int_equal(replay_all(), 2);
    assert_int_equal(b.stats.dram_reads, 2);
    bench_destroy();
}

/* A fetch may come back to an entry whose requests have all been served: a write that waited made its sectors valid. */
static void test_l2__fetch_outlives_its_requests(void **state)
{
    (void)state;
    bench_create();
    struct cw_message *first = request(CW_MSG_READ, 0, 1), *write = write_of(0, 0, 96, 1);
    struct cw_message *second = request(CW_MSG_READ, 0, 4);
    assert_int_equal(give(first), CW_L2_MISS);
    assert_int_equal(give(write), CW_L2_MISS);
    /* the entry is full: wait for the first fill alone, then add the read of sector 2, whose fetch is then underway */
    assert_int_equal(settle(), 1);
    uint32_t cycles;
    assert_ptr_equal(cw_l2_replay(b.l2, &cycles), first);
    assert_int_equal(give(second), CW_L2_MISS);
    assert_int_equal(replay_all(), 2);
    assert_false(cw_l2_idle(b.l2));
    assert_true(hits(request(CW_MSG_READ, 0, 4)));
    assert_int_equal(settle(), 1);
    assert_true(cw_l2_idle(b.l2));
    cw_message_free(&b.pool, first);
    bench_destroy();
}

static void test_l2__stalls_without_mshr_or_line(void **state)
{
    (void)state;
    bench_create();
    assert_false(hits(request(CW_MSG_READ, 0, 1)));
    assert_false(hits(request(CW_MSG_READ, 4, 1)));
    struct cw_message *w = write_of(8, 0, 4, 1); /* both ways of set 0 wait */
    assert_int_equal(give(w), CW_L2_STALL);
    assert_false(hits(request(CW_MSG_READ, 1, 1)));
    struct cw_message *r = request(CW_MSG_READ, 2, 1); /* three of three MSHRs in use */
    assert_int_equal(give(r), CW_L2_STALL);
    assert_true(hits(write_of(3, 0, 4, 1))); /* a write needs none */
    settle();
    assert_int_equal(replay_all(), 3);
    assert_int_equal(give(w), CW_L2_DONE);
    assert_int_equal(give(r), CW_L2_MISS);
    settle();
    replay_all();
    cw_message_free(&b.pool, w);
    bench_destroy();
}

static void test_l2__stalls_without_room_towards_dram(void **state)
{
    (void)state;
    bench_create();
    b.now = T;
    while (cw_dram_space(b.port, b.now) > 1)
        cw_dram_push(b.port, 0, 1, true, 0, b.now);
    assert_true(hits(write_of(0, 0, 4, 1)));
    assert_true(hits(write_of(4, 0, 4, 1)));
    struct cw_message *r = request(CW_MSG_READ, 8, 1); /* a write-back and a fetch: two */
    assert_int_equal(give(r), CW_L2_STALL_DRAM);
    assert_int_equal(b.stats.l2_writebacks, 0);
    assert_true(hits(write_of(8, 0, 4, 1))); /* a write-back: one */
    assert_int_equal(b.stats.l2_writebacks, 1);
    settle();
    assert_int_equal(give(r), CW_L2_MISS);
    settle();
    replay_all();
    bench_destroy();
}

static void put32(uint32_t line, uint32_t offset, uint32_t value)
{
    cw_memory_write(b.memory, CW_GLOBAL_BASE + line * 128 + offset, &value, 4);
}

static uint32_t get32(uint32_t line, uint32_t offset)
{
    uint32_t value;
    cw_memory_read(b.memory, CW_GLOBAL_BASE + line * 128 + offset, &value, 4);
    return value;
}

static void test_l2__atomics_act_in_lane_order(void **state)
{
    (void)state;
    bench_create();
    read_hits(0, 15);
    put32(0, 8, 100);
    struct cw_message *p = request(CW_MSG_ATOMIC, 0, 0);
    cw_atomic_body(p)->atom = CW_ATOM_ADD;
    cw_atomic_body(p)->type = CW_U32;
    p->lanes = 0x8000000f; /* lanes 0 1 2 31 on one address, 3 on another */
    for (uint32_t i = 0; i < 32; i++) {
        cw_atomic_body(p)->lane_offset[i] = i == 3 ? 12 : 8;
        cw_atomic_body(p)->a[i] = i + 1;
    }
    assert_int_equal(give(p), CW_L2_DONE);
    assert_int_equal(b.cycles, 4);
    assert_int_equal(cw_atomic_body(p)->a[0], 100);
    assert_int_equal(cw_atomic_body(p)->a[1], 101);
    assert_int_equal(cw_atomic_body(p)->a[2], 103);
    assert_int_equal(cw_atomic_body(p)->a[31], 106);
    assert_int_equal(cw_atomic_body(p)->a[3], 0);
    assert_int_equal(get32(0, 8), 138);
    assert_int_equal(get32(0, 12), 4);
    assert_int_equal(b.stats.l2_atomics, 5);
    cw_message_free(&b.pool, p);
    bench_destroy();
}

static void test_l2__compare_and_swap_has_one_winner(void **state)
{
    (void)state;
    bench_create();
    struct cw_message *p = request(CW_MSG_ATOMIC, 0, 0);
    cw_atomic_body(p)->atom = CW_ATOM_CAS;
    cw_atomic_body(p)->type = CW_U64;
    p->lanes = UINT32_MAX;
    for (uint32_t i = 0; i < 32; i++) {
        cw_atomic_body(p)->lane_offset[i] = 120;
        cw_atomic_body(p)->a[i] = 0;
        cw_atomic_body(p)->b[i] = 0x100000000u + i;
    }
    assert_int_equal(give(p), CW_L2_MISS); /* it reads: fetched first */
    settle();
    uint32_t cycles;
    cw_l2_replay(b.l2, &cycles);
    assert_int_equal(cycles, 32);
    assert_int_equal(cw_atomic_body(p)->a[0], 0);
    for (uint32_t i = 1; i < 32; i++)
        assert_int_equal(cw_atomic_body(p)->a[i], 0x100000000u);
    assert_int_equal(get32(0, 120), 0);
    assert_int_equal(get32(0, 124), 1);
    cw_message_free(&b.pool, p);
    bench_destroy();
}

static void test_l2__float_add_and_write_back(void **state)
{
    (void)state;
    bench_create();
    struct cw_message *p = request(CW_MSG_ATOMIC, 0, 0);
    cw_atomic_body(p)->atom = CW_ATOM_ADD;
    cw_atomic_body(p)->type = CW_F32;
    p->lanes = 7;
    put32(0, 64, 0x3f800000); /* 1.0 */
    for (uint32_t i = 0; i < 3; i++) {
        cw_atomic_body(p)->lane_offset[i] = 64;
        cw_atomic_body(p)->a[i] = i == 2 ? 0x40000000 : 0x3e800000; /* 0.25 0.25 2.0 */
    }
    assert_int_equal(give(p), CW_L2_MISS);
    settle();
    assert_int_equal(replay_all(), 1);
    assert_int_equal(get32(0, 64), 0x40600000); /* 3.5 */
    read_hits(4, 1);
    read_hits(8, 1);
    assert_int_equal(b.stats.l2_writebacks, 1); /* the atomic made its line dirty */
    bench_destroy();
}

/* l2.sectored = off: a miss of one sector fetches the line, and a line with one dirty sector is written back whole. */
static void test_l2__whole_lines(void **state)
{
    (void)state;
    bench_create();
    b.config.l2_sectored = CW_OFF;
    assert_false(read_hits(0, 1));
    assert_true(read_hits(0, 8));
    assert_int_equal(b.stats.dram_reads, 2); /* bursts of 64 bytes */
    assert_true(hits(write_of(0, 0, 4, 1)));
    assert_false(read_hits(4, 1));
    assert_false(read_hits(8, 1)); /* line 0 leaves */
    assert_int_equal(b.stats.l2_writebacks, 1);
    assert_int_equal(b.stats.dram_writes, 2);
    bench_destroy();
}

/* l2.write_miss = through: the bytes and a fetch of what is missing go to DRAM at once, which tells when the bytes are there; the line is
 * clean, then a cache's line as any. */
static void test_l2__write_misses_pass(void **state)
{
    (void)state;
    bench_create();
    b.config.l2_write_miss = CW_L2_THROUGH;
    assert_int_equal(give(write_of(0, 4, 4, 7)), CW_L2_PASSED);
    assert_int_equal(b.written, 0);
    assert_int_equal(settle(), 1);
    assert_int_equal(b.written, 1);
    assert_int_equal(b.stats.dram_writes, 1);
    assert_int_equal(b.stats.dram_reads, 1);
    assert_int_equal(cw_memory__at(b.memory, CW_GLOBAL_BASE)[4], 7);
    assert_true(read_hits(0, 1));
    assert_int_equal(give(write_of(1, 0, 4, 1)), CW_L2_PASSED);
    settle();
    assert_true(hits(write_of(1, 0, 4, 2))); /* it is here now: it stays here */
    settle();
    assert_int_equal(b.written, 2);
    assert_int_equal(b.stats.dram_writes, 2);
    for (uint32_t line = 4; line < 14; line += 4) { /* both leave: only line 1 has something to write back */
        read_hits(line, 1);
        read_hits(line + 1, 1);
    }
    assert_int_equal(b.stats.l2_writebacks, 1);
    assert_int_equal(b.stats.dram_writes, 3);
    assert_int_equal(b.stats.l2_write_misses, 2);
    bench_destroy();
}

/* Each write that passes keeps a place in the MSHR until the line is here. */
static void test_l2__write_misses_keep_places(void **state)
{
    (void)state;
    bench_create();
    b.config.l2_write_miss = CW_L2_THROUGH;
    assert_int_equal(give(write_of(0, 0, 4, 1)), CW_L2_PASSED);
    assert_int_equal(give(write_of(0, 4, 4, 1)), CW_L2_PASSED);
    struct cw_message *third = write_of(0, 8, 4, 1), *read = request(CW_MSG_READ, 0, 1);
    assert_int_equal(give(third), CW_L2_STALL);
    assert_int_equal(give(read), CW_L2_STALL);
    settle();
    assert_int_equal(b.stats.dram_writes, 2);
    assert_int_equal(b.stats.dram_reads, 1); /* one fetch for both */
    assert_true(hits(third));
    assert_true(hits(read));
    bench_destroy();
}

/* A write may not pass a read that waits for the same sector: it waits behind it, and then finds the sector. */
static void test_l2__write_misses_stay_behind_reads(void **state)
{
    (void)state;
    bench_create();
    b.config.l2_write_miss = CW_L2_THROUGH;
    struct cw_message *read = request(CW_MSG_READ, 0, 1);
    assert_int_equal(give(read), CW_L2_MISS);
    assert_false(hits(write_of(0, 0, 4, 9)));
    settle();
    assert_ptr_equal(cw_l2_replay_head(b.l2), read);
    cw_l2_replay(b.l2, &b.cycles);
    assert_int_equal(cw_line_body(read)->data[0], 0);
    cw_message_free(&b.pool, read);
    assert_int_equal(replay_all(), 1);
    assert_int_equal(byte_at(0), 9);
    assert_int_equal(b.stats.dram_writes, 0);
    read_hits(4, 1);
    read_hits(8, 1);
    assert_int_equal(b.stats.l2_writebacks, 1);
    bench_destroy();
}

static void test_l2__flush_makes_cold_without_traffic(void **state)
{
    (void)state;
    bench_create();
    assert_true(hits(write_of(0, 0, 128, 7)));
    cw_l2_flush(b.l2);
    assert_false(read_hits(0, 15));
    assert_int_equal(b.stats.dram_writes, 0);
    assert_int_equal(byte_at(0), 7);
    bench_destroy();
}

/* Lines of 64 bytes have two sectors and are one burst: neighbours are lines of their own, and two sectors make a line complete. What a
 * request says beyond the line is not looked at. */
static void test_l2__lines_of_64_bytes(void **state)
{
    (void)state;
    bench_create_lines(64); /* 8 sets */
    b.config.l2_port_bytes = 64;
    assert_false(read_hits(8, 1));
    assert_true(read_hits(8, 2)); /* of the same burst */
    assert_false(read_hits(9, 3));
    assert_int_equal(b.stats.dram_reads, 2);
    assert_false(read_hits(0, 3));
    assert_false(read_hits(4, 3));
    assert_true(read_hits(8, 3)); /* line 4 is not of set 0 */
    assert_false(read_hits(16, 1));
    assert_false(read_hits(0, 1)); /* has gone for 16 */
    struct cw_message *write = write_of(1, 0, 64, 9);
    cw_line_body(write)->byte_mask[2] = cw_line_body(write)->byte_mask[3] = UINT32_MAX;
    cw_line_body(write)->data[64] = 7;
    assert_true(hits(write));
    assert_int_equal(b.cycles, 1);
    assert_true(read_hits(1, 3)); /* complete without a fetch */
    assert_int_equal(byte_at(64 + 63), 9);
    assert_int_equal(byte_at(64 + 64), 0);
    const uint64_t writes = b.stats.dram_writes;
    assert_false(read_hits(17, 1));
    assert_false(read_hits(25, 1)); /* the third and fourth line of set 1: lines 9 and 1 go, of which 1 is dirty */
    assert_int_equal(b.stats.l2_writebacks, 1);
    assert_int_equal(b.stats.dram_writes - writes, 1);
    bench_destroy();
}

/* The bytes of a written sector are the slice's until they are written back; what is fetched goes around them. */
static void test_l2__has_bytes_that_memory_lacks(void **state)
{
    (void)state;
    bench_create();
    uint8_t *const memory = cw_memory__at(b.memory, CW_GLOBAL_BASE);
    memset(memory, 0x11, 128);
    assert_true(hits(write_of(0, 4, 4, 7)));
    assert_int_equal(memory[4], 0x11);
    assert_int_equal(byte_at(4), 7);
    assert_int_equal(byte_at(3), 0x11);
    struct cw_message *p = request(CW_MSG_READ, 0, 1);
    assert_int_equal(give(p), CW_L2_MISS);
    memory[5] = 0x22; /* what DRAM has of a byte that the slice has does not count */
    memory[8] = 0x33;
    settle();
    assert_ptr_equal(cw_l2_replay(b.l2, &b.cycles), p);
    const uint8_t want[10] = {0x11, 0x11, 0x11, 0x11, 7, 7, 7, 7, 0x33, 0x11};
    assert_memory_equal(cw_line_body(p)->data, want, sizeof want);
    cw_message_free(&b.pool, p);
    for (uint32_t line = 1; memory[4] != 7 && line < 64; line++) { /* until its set has replaced it */
        read_hits(line * b.config.l2_bytes / b.config.l2_ways / 128, 1);
        settle();
        replay_all();
    }
    assert_memory_equal(memory, want, sizeof want);
    bench_destroy();
}

/* Between launches memory has all bytes, and whoever writes them then writes what the next launch finds. */
static void test_l2__settles_and_reloads(void **state)
{
    (void)state;
    bench_create();
    uint8_t *const memory = cw_memory__at(b.memory, CW_GLOBAL_BASE);
    assert_true(hits(write_of(0, 0, 128, 7)));
    cw_memory_settle(b.memory);
    assert_int_equal(memory[0], 7);
    memory[0] = 8;
    assert_int_equal(byte_at(0), 8);
    cw_memory_reload(b.memory);
    assert_int_equal(byte_at(0), 8);
    struct cw_message *p = request(CW_MSG_READ, 0, 1);
    assert_int_equal(give(p), CW_L2_DONE);
    assert_int_equal(cw_line_body(p)->data[0], 8);
    assert_int_equal(cw_line_body(p)->data[1], 7);
    cw_message_free(&b.pool, p);
    const uint8_t nine = 9;
    cw_memory_write(b.memory, CW_GLOBAL_BASE + 1, &nine, 1);
    assert_int_equal(byte_at(1), 9);
    bench_destroy();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_l2__has_bytes_that_memory_lacks),
    cmocka_unit_test(test_l2__settles_and_reloads),
    cmocka_unit_test(test_l2__lines_of_64_bytes),
    cmocka_unit_test(test_l2__port_width),
    cmocka_unit_test(test_l2__validation_reads),
    cmocka_unit_test(test_l2__read_misses_then_hits_per_burst),
    cmocka_unit_test(test_l2__values_are_of_the_time_of_service),
    cmocka_unit_test(test_l2__least_recently_used_goes),
    cmocka_unit_test(test_l2__who_is_replaced),
    cmocka_unit_test(test_l2__dirty_victim_is_written_back),
    cmocka_unit_test(test_l2__few_lines_are_dirty),
    cmocka_unit_test(test_l2__timing_only_writes_do_all_but_write),
    cmocka_unit_test(test_l2__a_certain_read),
    cmocka_unit_test(test_l2__partial_writes_make_a_sector_valid_when_complete),
    cmocka_unit_test(test_l2__misses_to_a_line_merge_in_order),
    cmocka_unit_test(test_l2__hit_under_miss_in_other_sectors),
    cmocka_unit_test(test_l2__fetch_outlives_its_requests),
    cmocka_unit_test(test_l2__stalls_without_mshr_or_line),
    cmocka_unit_test(test_l2__stalls_without_room_towards_dram),
    cmocka_unit_test(test_l2__atomics_act_in_lane_order),
    cmocka_unit_test(test_l2__compare_and_swap_has_one_winner),
    cmocka_unit_test(test_l2__float_add_and_write_back),
    cmocka_unit_test(test_l2__whole_lines),
    cmocka_unit_test(test_l2__host_copies_stay),
    cmocka_unit_test(test_l2__host_copies_over_dirty_lines),
    cmocka_unit_test(test_l2__write_misses_pass),
    cmocka_unit_test(test_l2__write_misses_keep_places),
    cmocka_unit_test(test_l2__write_misses_stay_behind_reads),
    cmocka_unit_test(test_l2__flush_makes_cold_without_traffic),
};
CW_TEST_MAIN(tests)
