/* SPDX-License-Identifier: Apache-2.0 */
/* Constant cache and texture cache: pipelines counted by hand, hits and misses beside a model of a few lines, and conservation of requests.
 */
#include "mem/address.h"
#include "mem/cache_array.h"
#include "unit/core_rig.h"

static struct rig *with_const(uint32_t bytes, uint32_t ways, uint32_t line_bytes, uint32_t latency)
{
    struct rig *r = new_rig();
    r->config.core_issue_cycles = 1;
    r->config.fu_alu_latency = 4;
    r->config.fu_alu_interval = 1;
    r->config.const_bytes = bytes;
    r->config.const_ways = ways;
    r->config.const_line_bytes = line_bytes;
    r->config.const_latency = latency;
    r->config.const_pass_cycles = 1;
    return r;
}

static struct rig *with_texture(uint32_t bytes, uint32_t ways, uint32_t line_bytes)
{
    struct rig *r = new_rig();
    r->config.core_issue_cycles = 1;
    r->config.texture_bytes = bytes;
    r->config.texture_ways = ways;
    r->config.texture_line_bytes = line_bytes;
    return r;
}

#define T0 "mov.u32 %r20, %clock;"
#define T1 "mov.u32 %r21, %clock; sub.u32 %r22, %r21, %r20; st.global.u32 [%e+4096], %r22; st.global.u32 [%e], %r1; ret; }"
/* 8 KB of constant memory; %d1 is the address of the thread's word. The words are zero. */
#define CONSTANTS   PTX_HEAD ".const .align 256 .b32 tab[2048];\n" ENTRY
#define DISTINCT(n) "rem.u32 %r5, %t, " n "; mov.u64 %d2, tab; mad.wide.u32 %d1, %r5, 4, %d2; add.u64 %d3, %d1, 0; "
#define WARM        "ld.const.u32 %r3, [tab]; add.u32 %r4, %r3, 1;" /* the line is there when this has issued */

/* Cycles between the two clocks, in thread 0. */
static uint32_t between(struct rig *r, const char *text, uint32_t threads)
{
    run_kernel(r, text, threads, 1);
    const uint32_t cycles = word(r, 1024);
    destroy_rig(r);
    return cycles;
}

/* 0: clock, 1: load, 1 + latency: the addition that needs it, then clock. */
static void test_core_caches__a_hit_in_the_constant_cache(void **state)
{
    (void)state;
    const char direct[] = CONSTANTS WARM T0 "ld.const.u32 %r1, [tab+4]; add.u32 %r1, %r1, 1;" T1;
    const char indirect[] = CONSTANTS DISTINCT("1") WARM T0 "ld.const.u32 %r1, [%d1+4]; add.u32 %r1, %r1, 1;" T1;
    assert_int_equal(between(with_const(0, 2, 64, 1), direct, 1), 1 + 4 + 1); /* perfect: as fu.alu_latency */
    assert_int_equal(between(with_const(1024, 2, 64, 1), direct, 1), 1 + 1 + 1);
    assert_int_equal(between(with_const(1024, 2, 64, 8), direct, 1), 1 + 8 + 1);
    assert_int_equal(between(with_const(1024, 2, 64, 8), indirect, 1), 1 + 8 + 1);
    /* load at 1, collector at 2, exit at 3, unit at 4, lookup at 5, written at 6; with an operand, which is read at 3, one later */
    struct rig *staged = with_const(1024, 2, 64, 1), *operand = with_const(1024, 2, 64, 1);
    staged->config.core_collectors = operand->config.core_collectors = 6;
    assert_int_equal(between(staged, direct, 1), 6 + 1);
    assert_int_equal(between(operand, indirect, 1), 7 + 1);
}

/* n addresses in a line take n cycles; the second line is looked up when the first has been read. */
static void test_core_caches__addresses_take_turns(void **state)
{
    (void)state;
    static const char *const distinct[] = {DISTINCT("1"), DISTINCT("2"), DISTINCT("7"), DISTINCT("16"), DISTINCT("32")};
    static const uint32_t n[] = {1, 2, 7, 16, 32};
    for (int i = 0; i < 5; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s %s %s", CONSTANTS, distinct[i],
                 "ld.const.u32 %r3, [tab]; ld.const.u32 %r4, [tab+64]; add.u32 %r4, %r3, %r4; add.u32 %r4, %r4, 1;" T0
                 "ld.const.u32 %r1, [%d1]; add.u32 %r1, %r1, 1;" T1);
        struct rig *cached = with_const(1024, 2, 64, 5), *perfect = with_const(0, 2, 64, 5), *slow = with_const(0, 2, 64, 5);
        run_kernel(cached, text, 32, 1);
        assert_int_equal(word(cached, 1024), 1 + 5 + (n[i] - 1) + 1);
        assert_int_equal(cached->stats.const_conflict_cycles, n[i] <= 16 ? n[i] - 1 : 30);    /* 16 words to a line */
        assert_int_equal(cached->stats.mem_stall_const, cached->stats.const_conflict_cycles); /* nobody waited for a miss register */
        assert_int_equal(cached->stats.const_reads, n[i] <= 16 ? 3 : 4);
        destroy_rig(cached);
        assert_int_equal(between(perfect, text, 32), 1 + 4 + (n[i] - 1) + 1);
        slow->config.const_pass_cycles = 3;
        assert_int_equal(between(slow, text, 32), 1 + 4 + 3 * (n[i] - 1) + 1);
    }
}

/* A miss and a load of a whole line are the same request. The load has passed the pipeline (34) before it, and leaves in the cycle in which
 * it has; the miss leaves in the cycle after the lookup, which is one after the issue. */
static void test_core_caches__a_miss_in_the_constant_cache(void **state)
{
    (void)state;
    const char global[] = CONSTANTS "add.u64 %d1, %e, 0; add.u64 %d2, %d1, 0;" T0 "ld.global.u32 %r1, [%d1]; add.u32 %r1, %r1, 1;" T1;
    const char constant[] = CONSTANTS T0 "ld.const.u32 %r1, [tab]; add.u32 %r1, %r1, 1;" T1;
    const uint32_t load = between(with_const(0, 2, 128, 1), global, 32), miss = between(with_const(1024, 2, 128, 1), constant, 32);
    assert_true(load > 34 + MEMORY_LATENCY);
    assert_int_equal(load - miss, 34 - 2);
    /* a reply of two sectors instead of four: two flits less */
    assert_int_equal(miss - between(with_const(1024, 2, 64, 1), constant, 32), 2);
}

/* A hit with a longer latency than a miss: the load has its values when both of its lines are read. */
static void test_core_caches__a_load_waits_for_its_hits(void **state)
{
    (void)state;
    const char text[] = CONSTANTS DISTINCT("32") WARM "add.u32 %r4, %r4, 1;" T0 "ld.const.u32 %r1, [%d1]; add.u32 %r1, %r1, 1;" T1;
    assert_int_equal(between(with_const(1024, 2, 64, 500), text, 32), 1 + 500 + 31 + 1);
}

/* Warps that wait for one line go on one per cycle, although two schedulers could issue for two of them. */
static void test_core_caches__waiting_warps_take_turns(void **state)
{
    (void)state;
    const char text[] = CONSTANTS "ld.const.u32 %r1, [tab]; add.u32 %r1, %r1, 1; mov.u32 %r21, %clock; st.global.u32 [%e], %r21; ret; }";
    struct rig *r = run_kernel(with_const(1024, 2, 64, 1), text, 256, 1);
    uint64_t seen = 0;
    uint32_t first = UINT32_MAX;
    for (uint32_t w = 0; w < 8; w++)
        first = word(r, 32 * w) < first ? word(r, 32 * w) : first;
    for (uint32_t w = 0; w < 8; w++)
        seen |= UINT64_C(1) << (word(r, 32 * w) - first);
    assert_int_equal(r->stats.const_fills, 1);
    assert_int_equal(r->stats.const_read_misses, 8);
    assert_int_equal(__builtin_popcountll(seen), 8);
    destroy_rig(r);
}

/* ---- beside a model: the lines of a set from the most to the least recently used ---- */

struct model {
    uint32_t sets, ways, misses, reads;
    uint64_t line[64][32], line_bytes;
};

static void model_read(struct model *m, uint64_t line)
{
    uint64_t *set = m->line[line / m->line_bytes % m->sets];
    uint32_t i = 0;
    while (i < m->ways - 1 && set[i] != line)
        i++;
    m->misses += set[i] != line;
    m->reads++;
    memmove(set + 1, set, i * sizeof *set);
    set[0] = line;
}

#define ROUNDS 120u
/* Word 32 k + l of the buffer is what lane l adds to the base in round k. Loads wait for each other. */
#define LOOP(base, load)                                                                                             \
    "mov.u32 %r1, 0; mov.u32 %r6, 0; mov.u64 %d2, " base "; mov.u64 %d4, %e; LOOP: ld.global.u32 %r2, [%d4];"        \
    "cvt.u64.u32 %d3, %r2; add.u64 %d3, %d3, %d2;" load " %r3, [%d3]; add.u32 %r1, %r1, %r3; add.u64 %d4, %d4, 128;" \
    "add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 120; @%p1 bra LOOP; mov.u64 %d5, %a; mad.wide.u32 %d5, %t, 4, %d5;"  \
    "st.global.u32 [%d5+65408], %r1; ret; }"

/* Runs the rounds, and the model with them. In each the lanes read random words, below `words`, of one line: a line that is waited for is
 * not replaced, so the model would need to know the time if an instruction read more. */
static void random_rounds(struct rig *r, struct model *m, const char *text, uint32_t words, uint64_t base, uint32_t seed)
{
    create_machine(r);
    memset(m->line, 0xff, sizeof m->line);
    base = base != 0 ? base : r->buffer + 4 * 4096;
    for (uint32_t i = 0; i < BUFFER_WORDS; i++)
        set_word(r, i, i);
    for (uint32_t k = 0; k < ROUNDS; k++) {
        seed = seed * 1664525u + 1013904223u;
        const uint32_t line = 4 * ((seed >> 8) % words) & ~((uint32_t)m->line_bytes - 1);
        model_read(m, base + line);
        for (uint32_t lane = 0; lane < 32; lane++) {
            seed = seed * 1664525u + 1013904223u;
            set_word(r, 32 * k + lane, line + (seed >> 8) % (k % 3 + 1) * 4);
        }
    }
    load(r, text);
    prepare(r, 32, 1);
    run(r);
    assert_string_equal(r->fault_text, "");
}

static void test_core_caches__the_constant_cache_is_lru(void **state)
{
    static const struct {
        uint32_t lines, ways, line_bytes, words, mshrs;
    } kinds[] = {{4, 1, 64, 100, 2},  {8, 2, 64, 300, 2}, {16, 4, 32, 250, 1},
                 {8, 8, 128, 600, 4}, {6, 2, 64, 200, 8}, {128, 2, 64, 2048, 2}};
    char text[8192] = PTX_HEAD ".const .align 256 .b32 tab[2048] = {";
    for (uint32_t i = 0; i < 1000; i++)
        sprintf(text + strlen(text), "%u,", 7 * i + 1);
    strcat(text, "5};\n" ENTRY LOOP("tab", "ld.const.u32"));
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        struct rig *r = with_const(kinds[i].lines * kinds[i].line_bytes, kinds[i].ways, kinds[i].line_bytes, 3);
        r->config.const_mshrs = kinds[i].mshrs;
        static struct model m;
        m = (struct model){.sets = kinds[i].lines / kinds[i].ways, .ways = kinds[i].ways, .line_bytes = kinds[i].line_bytes};
        random_rounds(r, &m, text, kinds[i].words, CW_CONST_BASE, 17 + i);
        assert_true(m.misses > 10 && m.misses < m.reads - 10);
        assert_int_equal(r->stats.const_reads, m.reads);
        assert_int_equal(r->stats.const_read_misses, m.misses);
        assert_int_equal(r->stats.const_fills, m.misses);
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint32_t sum = 0;
            for (uint32_t k = 0; k < ROUNDS; k++) {
                const uint32_t n = word(r, 32 * k + lane) / 4;
                sum += n < 1000 ? 7 * n + 1 : n == 1000 ? 5 : 0;
            }
            assert_int_equal(word(r, BUFFER_WORDS - 32 + lane), sum);
        }
        destroy_rig(r);
    }
}

static void test_core_caches__the_texture_cache_is_lru(void **state)
{
    static const struct {
        uint32_t lines, ways, line_bytes, words, mshrs;
    } kinds[] = {{4, 1, 128, 200, 8}, {8, 2, 64, 300, 4}, {32, 4, 32, 500, 1}, {96, 24, 128, 4000, 32}, {20, 20, 32, 200, 2}};
    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        struct rig *r = with_texture(kinds[i].lines * kinds[i].line_bytes, kinds[i].ways, kinds[i].line_bytes);
        r->config.texture_mshrs = kinds[i].mshrs;
        static struct model m;
        m = (struct model){.sets = kinds[i].lines / kinds[i].ways, .ways = kinds[i].ways, .line_bytes = kinds[i].line_bytes};
        random_rounds(r, &m, PTX_HEAD ENTRY "add.u64 %d6, %a, 16384;" LOOP("%d6", "ld.global.nc.u32"), kinds[i].words, 0, 5 + i);
        assert_true(m.misses > 10 && m.misses < m.reads - 10);
        assert_int_equal(r->stats.texture_reads, m.reads);
        assert_int_equal(r->stats.texture_read_misses, m.misses);
        assert_int_equal(r->stats.texture_fills, m.misses);
        assert_int_equal(r->reads, m.misses + ROUNDS); /* the words themselves pass by */
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint32_t sum = 0;
            for (uint32_t k = 0; k < ROUNDS; k++)
                sum += 4096 + word(r, 32 * k + lane) / 4;
            assert_int_equal(word(r, BUFFER_WORDS - 32 + lane), sum);
        }
        destroy_rig(r);
    }
}

/* ---- replacement ---- */

/* Each address waits for the value before it. Lines A and B fill the set's two ways, A is read again, C takes a place, A comes once more. */
static void test_core_caches__the_l1_replaces_as_it_is_told(void **state)
{
    static const char text[] = PTX_HEAD ENTRY "add.u64 %d6, %a, 16384; mov.u64 %d5, 0;"
#define READ(offset) "add.u64 %d7, %d6, %d5; ld.global.u32 %r2, [%d7+" offset "]; and.b32 %r2, %r2, 0; cvt.u64.u32 %d5, %r2;"
        READ("0") READ("128") READ("0") READ("256") READ("0") "st.global.u32 [%e], %r2; ret; }";
    (void)state;
    for (uint32_t p = 0; p < CW_REPLACE_CNT; p++) {
        struct rig *r = new_rig();
        r->config.l1_global = CW_ON;
        r->config.l1_bytes = 256;
        r->config.l1_ways = 2;
        r->config.l1_replacement = p;
        run_kernel(r, text, 1, 1);
        assert_int_equal(r->stats.l1_reads, 5);
        assert_int_equal(r->stats.l1_read_misses, p == CW_REPLACE_FIFO ? 4 : 3);
        destroy_rig(r);
    }
}

/* ---- stores of a write-back L1 of one set of two lines ---- */

/* Reads A, stores to A and B, reads B, C, which takes A's place, A and B, and stores to A and the result. */
static const char stores[] = PTX_HEAD ENTRY "add.u64 %d6, %a, 16384; mov.u64 %d5, 0; mov.u32 %r4, 77;" READ(
    "0") "st.global.u32 [%d6], %r4; st.global.u32 [%d6+128], %r4;" READ("128")
    READ("256") "add.u64 %d7, %d6, %d5; ld.global.u32 %r2, [%d7]; ld.global.u32 %r3, [%d7+128]; add.u32 %r2, %r2, %r3;"
                "st.global.u32 [%d6+4], %r4; st.global.u32 [%e], %r2; ret; }";

struct request {
    uint8_t kind;
    uint32_t line; /* 0: A, 1: B, 2: C; 100: that of the result */
};

static void expect_requests(const struct rig *r, const struct request *expected, uint32_t cnt)
{
    assert_int_equal(r->arrival_cnt, cnt);
    for (uint32_t i = 0; i < cnt; i++) {
        assert_int_equal(r->arrival[i].kind, expected[i].kind);
        assert_int_equal(r->arrival[i].addr, r->buffer + (expected[i].line == 100 ? 0 : 16384 + 128 * expected[i].line));
    }
}

/* What is absent goes to memory and stays absent, or is kept and is there for the next read. A dirty line is written when it makes room, or at
 * the end of the kernel. */
static void test_core_caches__stores_to_a_line_that_the_l1_lacks(void **state)
{
    static const struct request around[] = {{CW_MSG_READ, 0}, {CW_MSG_WRITE, 1}, {CW_MSG_READ, 1}, {CW_MSG_WRITE, 0},
                                            {CW_MSG_READ, 2}, {CW_MSG_READ, 0},  {CW_MSG_READ, 1}, {CW_MSG_WRITE, 100}},
                                allocate[] = {{CW_MSG_READ, 0},  {CW_MSG_WRITE, 0}, {CW_MSG_READ, 2},
                                              {CW_MSG_WRITE, 1}, {CW_MSG_READ, 0},  {CW_MSG_READ, 1}};
    (void)state;
    for (uint32_t p = CW_L1_ALLOCATE; p <= CW_L1_AROUND; p++) {
        struct rig *r = new_rig();
        r->config.l1_global = CW_L1_WRITE_BACK;
        r->config.l1_write_miss = p;
        r->config.l1_bytes = 256;
        r->config.l1_ways = 2;
        create_machine(r);
        load(r, stores);
        prepare(r, 1, 1);
        while (r->blocks_done == 0)
            step(r);
        for (uint32_t n = 0; n < 100; n++) /* until stores are there */
            step(r);
        expect_requests(r, p == CW_L1_AROUND ? around : allocate, p == CW_L1_AROUND ? 8 : 6);
        assert_int_equal(r->stats.l1_writes, 4);
        assert_int_equal(r->stats.l1_write_misses, 2);
        assert_int_equal(word(r, 4096 + 1), 0);
        cw_core_end_kernel(r->core, r->now);
        run(r);
        assert_int_equal(r->arrival_cnt, p == CW_L1_AROUND ? 9 : 8); /* dirty are A, and with allocate the result */
        assert_int_equal(word(r, 4096 + 1), 77);
        assert_int_equal(word(r, 0), 2 * 77);
        destroy_rig(r);
    }
}

/* ---- conservation, with many warps and few places ---- */

/* Each thread sums words of constant memory, which are i at i, and of the buffer, which holds the same, at places that differ by warp. */
#define MANY                                                                                                                   \
    "mov.u32 %r1, 0; mov.u32 %r6, 0; mov.u64 %d2, tab; add.u64 %d6, %a, 16384; LOOP: mad.lo.u32 %r2, %r6, 37, %n;"             \
    "shr.u32 %r7, %n, 2; add.u32 %r7, %r7, %r6; and.b32 %r7, %r7, 127; and.b32 %r2, %r2, 1023; mad.wide.u32 %d3, %r7, 4, %d2;" \
    "mad.wide.u32 %d5, %r2, 4, %d6; ld.const.u32 %r3, [%d3]; ld.global.nc.u32 %r4, [%d5]; add.u32 %r1, %r1, %r3;"              \
    "add.u32 %r1, %r1, %r4; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 9; @%p1 bra LOOP; st.global.u32 [%e], %r1; ret; }"

static struct rig *crowded(uint32_t places)
{
    struct rig *r = with_const(256, 2, 64, 2);
    r->config.texture_bytes = 512;
    r->config.texture_ways = 2;
    r->config.texture_line_bytes = 64;
    r->config.const_mshrs = r->config.const_mshr_merge = r->config.texture_mshrs = r->config.texture_mshr_merge = places;
    r->config.const_params = CW_ON;
    return r;
}

static void check_many(const struct rig *r, uint32_t threads)
{
    for (uint32_t n = 0; n < threads; n++) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < 9; i++)
            sum += ((n / 4 + i) & 127) + 4096 + ((37 * i + n) & 1023);
        assert_int_equal(word(r, n), sum);
    }
}

static void test_core_caches__every_miss_has_one_fill(void **state)
{
    (void)state;
    char text[8192] = PTX_HEAD ".const .align 256 .b32 tab[128] = {0";
    for (uint32_t i = 1; i < 128; i++)
        sprintf(text + strlen(text), ",%u", i);
    strcat(text, "};\n" ENTRY MANY);
    struct rig *skip = crowded(4), *all = crowded(4), *few = crowded(1), *wide = crowded(4), *staged = crowded(2);
    all->every_cycle = true;
    wide->config.core_warp_width = 64;
    staged->config.core_collectors = 6;
    staged->config.core_buffer = 2;
    struct rig *rigs[] = {skip, all, few, wide, staged};
    for (int i = 0; i < 5; i++) {
        const struct cw_stats *s = &run_kernel(rigs[i], text, 256, 3)->stats;
        check_many(rigs[i], 768);
        assert_true(s->const_fills > 10 && s->const_fills <= s->const_read_misses && s->const_read_misses < s->const_reads);
        assert_true(s->texture_fills > 10 && s->texture_fills <= s->texture_read_misses && s->texture_read_misses < s->texture_reads);
        assert_int_equal(rigs[i]->reads, s->const_fills + s->texture_fills); /* nothing else is read */
        assert_true(s->const_stalls > 0 && s->texture_stalls > 0);
        assert_int_equal(s->mem_stall_const, s->const_conflict_cycles + s->const_stalls);
        assert_int_equal(s->mem_stall_texture, s->texture_stalls);
    }
    assert_int_equal(few->stats.const_fills, few->stats.const_read_misses); /* nobody merges */
    assert_int_equal(few->stats.texture_fills, few->stats.texture_read_misses);
    assert_true(skip->stats.const_fills < skip->stats.const_read_misses);
    assert_int_equal(skip->cycles, all->cycles);
    assert_true(skip->ticks < all->ticks);
    assert_memory_equal(&skip->stats, &all->stats, sizeof skip->stats);
    for (int i = 0; i < 5; i++)
        destroy_rig(rigs[i]);
}

/* ---- what goes where ---- */

static void test_core_caches__parameters(void **state)
{
    (void)state;
    const char text[] = PTX_HEAD ENTRY "ld.param.u32 %r1, [buf+4]; ld.param.u8 %r2, [buf+2]; ld.param.s16 %r3, [buf+6];"
                                       "add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; st.global.u32 [%e], %r1; ret; }";
    struct rig *hand = with_const(1024, 2, 64, 1), *cached = with_const(1024, 2, 64, 1);
    cached->config.const_params = CW_ON;
    run_kernel(hand, text, 1, 1);
    run_kernel(cached, text, 1, 1);
    const uint64_t buf = cached->buffer;
    assert_int_equal(hand->stats.const_reads, 0);
    assert_int_equal(cached->stats.const_reads, 4);
    assert_int_equal(cached->stats.const_fills, 1);
    assert_int_equal(word(hand, 0), (uint32_t)(buf >> 32) + (uint32_t)(buf >> 16 & 255) + (uint32_t)(int16_t)(buf >> 48));
    assert_int_equal(word(cached, 0), word(hand, 0));
    destroy_rig(hand);
    destroy_rig(cached);
}

/* Generic addresses of constant memory; and what is out of bounds is as without the cache. */
static void test_core_caches__generic_addresses_and_faults(void **state)
{
    (void)state;
    const char generic[] = PTX_HEAD ".const .align 4 .b32 tab[4] = {9, 8, 7, 6};\n" ENTRY
                                    "cvta.const.u64 %d1, tab; ld.u32 %r1, [%d1+8]; st.global.u32 [%e], %r1; ret; }";
    const char beyond[] = CONSTANTS "mov.u64 %d1, tab; add.u64 %d1, %d1, 8192; ld.const.u32 %r1, [%d1]; st.global.u32 [%e], %r1; ret; }";
    struct rig *r = run_kernel(with_const(1024, 2, 64, 1), generic, 32, 1);
    assert_int_equal(word(r, 3), 7);
    assert_int_equal(r->stats.const_reads, 1);
    destroy_rig(r);
    r = with_const(1024, 2, 64, 1);
    create_machine(r);
    load(r, beyond);
    prepare(r, 32, 1);
    run(r);
    assert_int_equal(r->fault, CW_EFAULT);
    assert_non_null(strstr(r->fault_text, "ld of 4 bytes at const address 0x2000: beyond constant memory"));
    destroy_rig(r);
}

/* The address of a parameter, as a generic one: what nvcc makes of a __grid_constant__ whose address is taken. */
static void test_core_caches__parameters_at_generic_addresses(void **state)
{
    (void)state;
    const char text[] =
        PTX_HEAD ENTRY "mov.b64 %d1, buf; cvta.param.u64 %d2, %d1; and.b32 %r5, %t, 1; mad.wide.u32 %d3, %r5, 4, %d2;"
                       "ld.u32 %r1, [%d3]; isspacep.param %p1, %d3; @%p1 add.u32 %r1, %r1, 1; st.global.u32 [%e], %r1; ret; }";
    static const char *const wrong[][2] = {{"ld.u32 %r1, [%d2+8];", "ld of 4 bytes at param address 0x8: beyond the kernel's parameters"},
                                           {"ld.u32 %r1, [%d2+2];", "ld of 4 bytes at param address 0x2: misaligned"},
                                           {"st.u32 [%d2], %t;", "parameters of a kernel cannot be written"},
                                           {"setp.eq.u32 %p1, %t, 3; selp.b64 %d2, %d2, %a, %p1; st.u32 [%d2], %t;",
                                            "thread (3, 0, 0): parameters of a kernel cannot be written"}};
    for (uint32_t bytes = 0; bytes <= 1024; bytes += 1024) {
        struct rig *r = with_const(bytes, 2, 64, 1);
        r->config.const_params = CW_ON;
        run_kernel(r, text, 32, 1);
        assert_int_equal(word(r, 6), (uint32_t)r->buffer + 1);
        assert_int_equal(word(r, 7), (uint32_t)(r->buffer >> 32) + 1);
        assert_int_equal(r->stats.const_reads, bytes != 0 ? 2 : 0);
        destroy_rig(r);
        for (uint32_t i = 0; i < 4; i++) {
            char bad[1024];
            snprintf(bad, sizeof bad, "%s %s %s", PTX_HEAD ENTRY "mov.b64 %d1, buf; cvta.param.u64 %d2, %d1;", wrong[i][0],
                     "st.global.u32 [%e], %r1; ret; }");
            r = with_const(bytes, 2, 64, 1);
            create_machine(r);
            load(r, bad);
            prepare(r, 32, 1);
            run(r);
            assert_int_equal(r->fault, CW_EFAULT);
            if (strstr(r->fault_text, wrong[i][1]) == NULL)
                fail_msg("'%s' does not say '%s'", r->fault_text, wrong[i][1]);
            destroy_rig(r);
        }
    }
}

/* A word of each space for each lane; %d2 .. %d6 are the lane's generic addresses of them. */
#define FIVE_SPACES                                                                                                                  \
    PTX_HEAD ".const .align 4 .b8 tab[128]; .shared .align 4 .b8 s[128];\n" ENTRY                                                    \
             ".local .align 4 .b8 l[4]; mul.wide.u32 %d1, %t, 4; mov.u64 %d2, s; cvta.shared.u64 %d2, %d2; add.u64 %d2, %d2, %d1;\n" \
             "mov.u64 %d3, l; cvta.local.u64 %d3, %d3; cvta.const.u64 %d4, tab; add.u64 %d4, %d4, %d1;\n"                            \
             "mov.b64 %d5, buf; cvta.param.u64 %d5, %d5; and.b32 %r9, %t, 1; mad.wide.u32 %d5, %r9, 4, %d5; mov.u64 %d6, %e;\n"      \
             "add.u32 %r1, %t, 1000; st.u32 [%d2], %r1; add.u32 %r1, %t, 2000; st.u32 [%d3], %r1;\n"

/* Lane t goes to space number t % 5 where that is one of the set, else to global memory. */
static struct rig *load_spaces(struct rig *r, uint32_t set)
{
    char text[4096];
    size_t n = (size_t)snprintf(text, sizeof text, "%srem.u32 %%r10, %%t, 5; mov.u64 %%d7, %%d6;\n", FIVE_SPACES);
    for (uint32_t i = 0; i < 4; i++)
        if (set >> i & 1u)
            n += (size_t)snprintf(text + n, sizeof text - n, "setp.eq.u32 %%p1, %%r10, %u; selp.b64 %%d7, %%d%u, %%d7, %%p1;\n", i, i + 2);
    snprintf(text + n, sizeof text - n,
             "bar.sync 0; mov.u32 %%r1, 0; mov.u32 %%r20, %%clock; ld.u32 %%r1, [%%d7]; add.u32 %%r2, %%r1, 0;%s",
             "mov.u32 %r21, %clock; sub.u32 %r22, %r21, %r20; st.global.u32 [%e+4096], %r22; st.global.u32 [%e], %r2; ret; }");
    create_machine(r);
    load(r, text);
    for (uint32_t i = 0; i < 32; i++) {
        set_word(r, i, i);
        memcpy(r->module->const_image + 4 * i, &(uint32_t){3000 + i}, 4);
    }
    prepare(r, 32, 1);
    run(r);
    assert_string_equal(r->fault_text, "");
    return r;
}

/* Every set of spaces in one load, with and without a constant cache. Each space is an access of its own, and the last one's values count. */
static void test_core_caches__lanes_of_one_load_in_every_space(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t set = i / 2, bytes = i % 2 * 1024;
        struct rig *r = with_const(bytes, 2, 64, 1);
        r->config.const_params = CW_ON;
        load_spaces(r, set);
        for (uint32_t t = 0; t < 32; t++) {
            const uint32_t half = (uint32_t)(r->buffer >> 32 * (t % 2)), way[] = {1000 + t, 2000 + t, 3000 + t, half, t};
            const uint32_t space = t % 5 < 4 && (set >> t % 5 & 1u) != 0 ? t % 5 : 4;
            assert_int_equal(word(r, t), way[space]);
        }
        assert_int_equal(r->stats.shared_accesses, 1 + (set & 1u));
        assert_in_range(word(r, 1024), MEMORY_LATENCY, 1000); /* lane 4 always goes to global memory */
        destroy_rig(r);
    }
}

/* One lane in shared memory does not make the others' 31 addresses of constant memory come sooner: they take a cycle each. */
static void test_core_caches__a_mixed_load_waits_for_its_slowest_space(void **state)
{
    (void)state;
    char text[4096];
    snprintf(
        text, sizeof text, "%s%s", FIVE_SPACES,
        "setp.eq.u32 %p1, %t, 0; selp.b64 %d7, %d2, %d4, %p1; bar.sync 0; mov.u32 %r20, %clock; ld.u32 %r1, [%d7]; add.u32 %r2, %r1, 0;"
        "mov.u32 %r21, %clock; sub.u32 %r22, %r21, %r20; st.global.u32 [%e+4096], %r22; ret; }");
    for (uint32_t bytes = 0; bytes <= 1024; bytes += 1024) {
        struct rig *r = with_const(bytes, 2, 64, 1);
        r->config.shared_latency = 2;
        run_kernel(r, text, 32, 1);
        assert_in_range(word(r, 1024), 30, 300);
        destroy_rig(r);
    }
}

static uint32_t texture_misses(const char *between)
{
    char text[1024];
    snprintf(text, sizeof text, "%s %s %s", PTX_HEAD ENTRY "ld.global.nc.u32 %r1, [%e]; add.u32 %r1, %r1, 0;", between,
             "ld.global.nc.u32 %r2, [%e]; add.u32 %r1, %r1, %r2; st.global.u32 [%e], %r1; ret; }");
    struct rig *r = run_kernel(with_texture(1024, 2, 128), text, 32, 1);
    const uint32_t misses = (uint32_t)r->stats.texture_read_misses;
    assert_int_equal(r->stats.texture_reads, 2);
    assert_int_equal(word(r, 7), 14);
    destroy_rig(r);
    return misses;
}

static void test_core_caches__an_acquire_empties_the_texture_cache(void **state)
{
    (void)state;
    assert_int_equal(texture_misses(""), 1);
    assert_int_equal(texture_misses("fence.acq_rel.cta;"), 1);
    assert_int_equal(texture_misses("fence.acq_rel.gpu;"), 2);
    assert_int_equal(texture_misses("membar.gl;"), 2);
    assert_int_equal(texture_misses("ld.acquire.gpu.global.u32 %r3, [%e+8192];"), 2);
    assert_int_equal(texture_misses("ld.relaxed.gpu.global.u32 %r3, [%e+8192];"), 1);
}

/* Without a texture cache, and other loads with one, are as they were. */
static void test_core_caches__other_loads_pass_by(void **state)
{
    (void)state;
    const char plain[] = PTX_HEAD ENTRY "ld.global.u32 %r1, [%e]; ld.global.cg.u32 %r2, [%e]; add.u32 %r1, %r1, %r2;"
                                        "st.global.u32 [%e], %r1; ret; }";
    const char nc[] = PTX_HEAD ENTRY "ld.global.nc.u32 %r1, [%e]; ld.global.nc.L1::no_allocate.u32 %r2, [%e]; add.u32 %r1, %r1, %r2;"
                                     "st.global.u32 [%e], %r1; ret; }";
    struct rig *with = run_kernel(with_texture(1024, 2, 128), plain, 64, 1), *without = run_kernel(with_texture(0, 2, 128), nc, 64, 1);
    assert_int_equal(with->stats.texture_reads, 0);
    assert_int_equal(without->stats.texture_reads, 0);
    assert_int_equal(without->stats.l1_reads, 0);
    assert_int_equal(with->reads, 4);
    assert_int_equal(without->reads, 4);
    assert_int_equal(with->cycles, without->cycles);
    destroy_rig(with);
    destroy_rig(without);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_core_caches__the_l1_replaces_as_it_is_told),
    cmocka_unit_test(test_core_caches__stores_to_a_line_that_the_l1_lacks),
    cmocka_unit_test(test_core_caches__a_hit_in_the_constant_cache),
    cmocka_unit_test(test_core_caches__addresses_take_turns),
    cmocka_unit_test(test_core_caches__a_miss_in_the_constant_cache),
    cmocka_unit_test(test_core_caches__a_load_waits_for_its_hits),
    cmocka_unit_test(test_core_caches__waiting_warps_take_turns),
    cmocka_unit_test(test_core_caches__the_constant_cache_is_lru),
    cmocka_unit_test(test_core_caches__the_texture_cache_is_lru),
    cmocka_unit_test(test_core_caches__every_miss_has_one_fill),
    cmocka_unit_test(test_core_caches__parameters),
    cmocka_unit_test(test_core_caches__generic_addresses_and_faults),
    cmocka_unit_test(test_core_caches__parameters_at_generic_addresses),
    cmocka_unit_test(test_core_caches__lanes_of_one_load_in_every_space),
    cmocka_unit_test(test_core_caches__a_mixed_load_waits_for_its_slowest_space),
    cmocka_unit_test(test_core_caches__an_acquire_empties_the_texture_cache),
    cmocka_unit_test(test_core_caches__other_loads_pass_by),
};

CW_TEST_MAIN(tests)
