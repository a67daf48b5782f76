/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a core's cycles, and what keeps its memory stage busy, counted by hand (Fung 2015, Figures 3.11 and 3.12). */
#include "unit/core_rig.h"

#define T0 "mov.u32 %r20, %clock;"
#define T1 "mov.u32 %r21, %clock;"
#define OUT                                                                                                   \
    "sub.u32 %r22, %r21, %r20; st.global.u32 [%e+16384], %r22; add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;" \
    "st.global.u32 [%e+32768], %r1; ret; }"

static struct rig *machine(uint32_t issue_cycles)
{
    struct rig *r = new_rig();
    r->config.core_schedulers = 1;
    r->config.core_issue_cycles = issue_cycles;
    r->config.fu_alu_interval = 1;
    return r;
}

static uint64_t by_threads(const struct cw_stats *s, uint32_t eighth)
{
    const uint64_t counter[] = {s->simd_w1_4,   s->simd_w5_8,   s->simd_w9_12,  s->simd_w13_16,
                                s->simd_w17_20, s->simd_w21_24, s->simd_w25_28, s->simd_w29_32};
    return counter[eighth];
}

static uint64_t classes(const struct cw_stats *s)
{
    uint64_t sum = s->core_stall + s->core_w0_mem + s->core_w0_idle;
    for (uint32_t eighth = 0; eighth < 8; eighth++)
        sum += by_threads(s, eighth);
    return sum;
}

/* One warp that never waits: the core starts, and each instruction has its slot, the last one until its warp is gone. */
static void test_core_classes__by_threads(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 4, 5, 8, 9, 28, 29, 32, 1, 8, 9, 57, 64};
    for (uint32_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        struct rig *r = machine(8);
        r->config.core_warp_width = i < 8 ? 32 : 64;
        run_kernel(r, PTX_HEAD ENTRY "add.u32 %r1, %n, 1; add.u32 %r2, %r1, 1; ret; }", threads[i], 1);
        const uint64_t n = ENTRY_UOPS + 3;
        assert_int_equal(r->stats.warp_instructions, n);
        assert_int_equal(by_threads(&r->stats, (threads[i] - 1) / (i < 8 ? 4 : 8)), 8 * (n - 1) + 1);
        assert_int_equal(r->stats.core_w0_idle, 1);
        assert_int_equal(r->stats.core_active_cycles, 8 * (n - 1) + 2);
        assert_int_equal(classes(&r->stats), r->stats.core_active_cycles);
        destroy_rig(r);
    }
}

/* Active threads count, whatever the guard says. */
static void test_core_classes__guards(void **state)
{
    (void)state;
    struct rig *r = run_kernel(machine(8), PTX_HEAD ENTRY "setp.eq.u32 %p1, %n, 3; @%p1 add.u32 %r1, %n, 1; ret; }", 32, 1);
    assert_int_equal(r->stats.simd_w29_32, classes(&r->stats) - 1);
    destroy_rig(r);
}

/* A memory that is slower by 100 cycles makes a load's wait longer by 100; units that are taken for longer, that of a ready warp. */
static void test_core_classes__reasons(void **state)
{
    (void)state;
    static const char load[] = PTX_HEAD ENTRY "ld.global.u32 %r1, [%e]; add.u32 %r2, %r1, 1; ret; }";
    static const char root[] = PTX_HEAD ENTRY ".reg .f32 %f; sqrt.approx.f32 %f, 0f40000000; ret; }";
    struct rig *slow = machine(1), *quick = machine(1), *longer = machine(1), *shorter = machine(1);
    slow->slower = 100;
    run_kernel(slow, load, 32, 1);
    run_kernel(quick, load, 32, 1);
    assert_int_equal(slow->stats.core_w0_mem, quick->stats.core_w0_mem + 100);
    assert_int_equal(slow->stats.core_w0_idle, quick->stats.core_w0_idle);
    assert_int_equal(slow->stats.simd_w29_32, quick->stats.simd_w29_32);
    assert_int_equal(slow->stats.core_stall, 0);
    longer->config.fu_sfu_interval = 70;
    shorter->config.fu_sfu_interval = 40;
    run_kernel(longer, root, 64, 1);
    run_kernel(shorter, root, 64, 1);
    assert_int_equal(longer->stats.core_stall, shorter->stats.core_stall + 30);
    assert_int_equal(longer->stats.core_w0_idle, shorter->stats.core_w0_idle);
    assert_int_equal(longer->stats.core_w0_mem, 0);
    struct rig *all[] = {slow, quick, longer, shorter};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(classes(&all[i]->stats), all[i]->stats.core_active_cycles);
        destroy_rig(all[i]);
    }
}

/* A core that sleeps counts what one counts that is woken in each cycle; blocks come and go, of two schedulers. */
static void test_core_classes__of_a_core_that_sleeps(void **state)
{
    (void)state;
    static const char text[] =
        PTX_HEAD ENTRY "setp.gt.u32 %p1, %t, 20; mov.u32 %r2, 3; @%p1 bra J; L: ld.global.u32 %r1, [%e]; add.u32 %n, %n, %r1;"
                       "sub.u32 %r2, %r2, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra L; J: st.global.u32 [%e+4096], %n; bar.sync 0; ret; }";
    struct rig *r[2];
    for (uint32_t i = 0; i < 2; i++) {
        r[i] = new_rig();
        r[i]->every_cycle = i == 1;
        r[i]->config.core_warps = 4;
        run_kernel(r[i], text, 50, 7);
        assert_int_equal(classes(&r[i]->stats), r[i]->stats.core_active_cycles);
        assert_true(r[i]->stats.simd_w17_20 > 0 && r[i]->stats.simd_w21_24 > 0);
    }
    assert_true(r[0]->ticks < r[1]->ticks);
    assert_memory_equal(&r[0]->stats, &r[1]->stats, sizeof r[0]->stats);
    destroy_rig(r[0]);
    destroy_rig(r[1]);
}

/* ---- one pipeline ---- */

/* Cycles between the two reads of the clock, by the first of 32 threads. What an address is made of has to be there before the first read.
 */
static uint32_t between(struct rig *r, const char *text, struct cw_stats *stats)
{
    char all[2048];
    snprintf(all, sizeof all, "%s mov.u32 %%r1, 0; mov.u32 %%r2, 0; mov.u32 %%r3, 0; %s %s", PTX_HEAD ENTRY, text, OUT);
    run_kernel(r, all, 32, 1);
    const uint32_t cycles = word(r, 4096);
    *stats = r->stats;
    assert_int_equal(classes(stats), stats->core_active_cycles);
    destroy_rig(r);
    return cycles;
}

static struct rig *pipeline(uint32_t issue_cycles, uint32_t unified, uint32_t chunks)
{
    struct rig *r = machine(issue_cycles);
    r->config.core_pipeline = unified ? CW_PIPELINE_UNIFIED : CW_PIPELINE_SPLIT;
    r->config.core_coalesce = chunks ? CW_COALESCE_CHUNK : CW_COALESCE_LINE;
    r->config.mem_line_bytes = 64;
    r->config.l1_pass_cycles = r->config.shared_pass_cycles = 0; /* as long as the slot, or a cycle */
    r->config.l1_miss_cycles = 1;
    return r;
}

/* 32 words of one bank: 32 passes, each as long as the issue slot. The load reaches the stage a cycle after its issue, so the next
 * instruction may issue a cycle before the stage is free. */
static void test_core_classes__bank_conflicts(void **state)
{
    (void)state;
    const char text[] = ".shared .b32 s[1024]; mul.lo.u32 %r4, %t, 128; mov.u32 %r5, s; add.u32 %r4, %r4, %r5; add.u32 %r6, %r4, 0;" T0
                        "ld.shared.u32 %r1, [%r4];" T1;
    struct cw_stats s;
    assert_int_equal(between(pipeline(1, false, false), text, &s), 2);
    assert_int_equal(s.mem_stall_shared, 31);
    assert_int_equal(between(pipeline(1, true, false), text, &s), 1 + 32);
    assert_int_equal(s.mem_stall_shared, 31);
    assert_int_equal(between(pipeline(2, true, false), text, &s), 2 + 2 * 32);
    assert_int_equal(s.mem_stall_shared, 2 * 31);
}

/* Lines of 64 bytes, an access each; chunks of 128 bytes are one step in one pipeline. */
static void test_core_classes__coalescing(void **state)
{
    (void)state;
    const char dense[] = "add.u64 %d1, %e, 0;" T0 "ld.global.u32 %r1, [%e];" T1;
    const char sparse[] = "mul.wide.u32 %d1, %t, 128; add.u64 %d1, %a, %d1; add.u64 %d2, %d1, 0;" T0 "ld.global.u32 %r1, [%d1];" T1;
    const struct {
        uint32_t issue, unified, chunks, dense, dense_stall, sparse, sparse_stall;
    } t[] = {{1, 0, 0, 2, 1, 2, 31},
             {1, 0, 1, 2, 1, 2, 31},
             {1, 1, 0, 1 + 2, 1, 1 + 32, 31},
             {1, 1, 1, 1 + 2, 1, 1 + 32, 31},
             {4, 1, 0, 4 + 4 * 2, 4, 4 + 4 * 32, 4 * 31},
             {4, 1, 1, 4 + 4, 0, 4 + 4 * 32, 4 * 31}};
    for (uint32_t i = 0; i < sizeof t / sizeof t[0]; i++) {
        struct cw_stats s, stores;
        assert_int_equal(between(pipeline(t[i].issue, t[i].unified, t[i].chunks), T0 T1, &stores), t[i].issue);
        assert_int_equal(between(pipeline(t[i].issue, t[i].unified, t[i].chunks), dense, &s), t[i].dense);
        assert_int_equal(s.mem_stall_coalesce - stores.mem_stall_coalesce, t[i].dense_stall);
        assert_int_equal(between(pipeline(t[i].issue, t[i].unified, t[i].chunks), sparse, &s), t[i].sparse);
        assert_int_equal(s.mem_stall_coalesce - stores.mem_stall_coalesce, t[i].sparse_stall);
        assert_int_equal(s.mem_accesses - stores.mem_accesses, 32);
    }
}

/* With chunks the lines of one follow each other: lanes read lines 0, 2, 1, 3 in turns. */
static void test_core_classes__lines_of_a_chunk(void **state)
{
    (void)state;
    static const char text[] =
        PTX_HEAD ENTRY "and.b32 %r1, %t, 3; shr.u32 %r2, %r1, 1; and.b32 %r1, %r1, 1; mad.lo.u32 %r1, %r1, 2, %r2; mul.lo.u32 %r1, %r1, 64;"
                       "cvt.u64.u32 %d1, %r1; add.u64 %d1, %a, %d1; ld.global.u32 %r3, [%d1]; add.u32 %r3, %r3, 1; ret; }";
    for (uint32_t chunks = 0; chunks < 2; chunks++) {
        static const uint64_t order[2][4] = {{0, 128, 64, 192}, {0, 64, 128, 192}};
        struct rig *r = run_kernel(pipeline(1, false, chunks), text, 32, 1);
        assert_int_equal(r->arrival_cnt, 4);
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(r->arrival[i].addr - r->buffer, order[chunks][i]);
        destroy_rig(r);
    }
}

/* Rates of their own: shared.pass_cycles, l1.pass_cycles, and l1.miss_cycles, which is seen in front of memory. */
static void test_core_classes__rates(void **state)
{
    (void)state;
    const char conflicts[] = ".shared .b32 s[1024]; mul.lo.u32 %r4, %t, 128; mov.u32 %r5, s; add.u32 %r4, %r4, %r5; add.u32 %r6, %r4, 0;" T0
                             "ld.shared.u32 %r1, [%r4];" T1;
    const char sparse[] = "mul.wide.u32 %d1, %t, 128; add.u64 %d1, %a, %d1; add.u64 %d2, %d1, 0;" T0 "ld.global.u32 %r1, [%d1];" T1;
    struct cw_stats s;
    for (uint32_t unified = 0; unified < 2; unified++) {
        struct rig *r = pipeline(4, unified, false);
        r->config.shared_pass_cycles = 2;
        assert_int_equal(between(r, conflicts, &s), unified ? 4 + 2 * 32 : 2 * 4);
        assert_int_equal(s.mem_stall_shared, 2 * 31);
        r = pipeline(4, unified, false);
        r->config.l1_pass_cycles = 3;
        assert_int_equal(between(r, sparse, &s), unified ? 4 + 3 * 32 : 2 * 4);
        assert_in_range(s.mem_stall_coalesce, 3 * 31, 3 * 33); /* the two stores have two lines each */
    }
    for (uint32_t miss = 1; miss < 8; miss += 3) {
        struct rig *r = pipeline(1, false, false);
        r->config.l1_miss_cycles = miss;
        run_kernel(r, PTX_HEAD ENTRY "mul.wide.u32 %d1, %t, 8; add.u64 %d1, %a, %d1; ld.global.u32 %r1, [%d1]; ret; }", 32, 1);
        assert_int_equal(r->arrival_cnt, 4);
        for (uint32_t i = 1; i < 4; i++)
            assert_int_equal(r->arrival[i].at - r->arrival[i - 1].at, miss * r->clocks.period[CW_DOMAIN_CORE]);
        destroy_rig(r);
    }
}

/* Two loads that miss, and one miss register: in one pipeline what comes behind waits for it, too. */
static void test_core_classes__a_full_l1(void **state)
{
    (void)state;
    const char text[] =
        "add.u64 %d1, %a, 0;" T0 "ld.global.ca.u32 %r1, [%a]; ld.global.ca.u32 %r2, [%a+1024]; add.u32 %r4, %t, 1; add.u32 %r5, %t, 1;"
        "add.u32 %r6, %t, 1; add.u32 %r7, %t, 1;" T1;
    for (uint32_t unified = 0; unified < 2; unified++) {
        struct cw_stats s;
        struct rig *r = pipeline(1, unified, false);
        r->config.l1_global = CW_ON;
        r->config.l1_pipeline = r->config.l1_mshrs = 1;
        const uint32_t cycles = between(r, text, &s);
        assert_true(s.mem_stall_global >= MEMORY_LATENCY);
        assert_true(unified ? cycles >= MEMORY_LATENCY : cycles < MEMORY_LATENCY - 10);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_core_classes__by_threads),
    cmocka_unit_test(test_core_classes__guards),
    cmocka_unit_test(test_core_classes__reasons),
    cmocka_unit_test(test_core_classes__of_a_core_that_sleeps),
    cmocka_unit_test(test_core_classes__bank_conflicts),
    cmocka_unit_test(test_core_classes__coalescing),
    cmocka_unit_test(test_core_classes__lines_of_a_chunk),
    cmocka_unit_test(test_core_classes__a_full_l1),
    cmocka_unit_test(test_core_classes__rates),
};

CW_TEST_MAIN(tests)
