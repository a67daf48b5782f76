/* SPDX-License-Identifier: Apache-2.0 */
/* The programs of Fung 2015, Table 3.1, and wsreduce: each on small inputs by its own check, in blocks of the table's shape. */
#include "cw_test.h"
#include "system/run.h"

static const struct {
    const char *name, *param[6];
} workload[] = {
    {"bfs2", {"nodes=700", "degree=6"}},
    {"fcdt", {"width=56", "height=48", "stages=6"}},
    {"hotsp", {"n=30", "launches=2"}},
    {"lps", {"n=18"}},
    {"mum", {"reference=500", "queries=300", "length=12"}},
    {"mumpp", {"reference=500", "queries=200", "length=12"}},
    {"mum", {"reference=500", "queries=300", "length=12", "texture=1"}},
    {"mumpp", {"reference=500", "queries=200", "length=12", "texture=1"}},
    {"namd", {"cells=2", "atoms=70"}},
    {"nvrt", {"width=16", "height=13", "triangles=60", "blocks=2"}},
    {"aes", {"kbytes=3"}},
    {"backp", {"inputs=160", "rounds=2"}},
    {"cp", {"blocks_x=1", "blocks_y=2", "atoms=30"}},
    {"dg", {"elements=5"}},
    {"hrtwl", {"points=2", "frames=3", "width=40", "height=30"}},
    {"lib", {"paths=20"}},
    {"lkyt", {"width=40", "height=32", "cells=1"}},
    {"mgst", {"n=2000"}},
    {"nnc", {"blocks=5", "k=3"}},
    {"ray", {"width=40", "height=30"}},
    {"stmcl", {"n=700", "dims=8", "candidates=8"}},
    {"sto", {"blocks=2", "words=32"}},
    {"wp", {"width=20", "height=12", "steps=2", "levels=20"}},
    {"wsreduce", {"blocks=5"}},
};
#define WORKLOAD_CNT (sizeof workload / sizeof workload[0])

static struct run small_run(size_t i)
{
    struct run r = {.workload = workload[i].name, .variant = COWARP_PLAIN};
    memcpy(r.param, workload[i].param, sizeof r.param);
    return r;
}

static void expect_right(struct run *r)
{
    run_workload(r);
    if (r->status != 0)
        fail_msg("%s: status %d: %s\n%s", r->workload, r->status, r->message, r->report);
    assert_true(run_classes_add_up(r));
}

/* Every workload, with two seeds. Other inputs take another time. */
static void test_thesis_workloads__are_right(void **state)
{
    (void)state;
    for (size_t i = 0; i < WORKLOAD_CNT; i++) {
        struct run a = small_run(i), b = small_run(i);
        b.seed = 2;
        expect_right(&a);
        expect_right(&b);
        assert_true(run_counter(&a, "thread_instructions") > run_counter(&a, "warp_instructions"));
    }
}

/* A warp of 64 lanes holds two of 32 threads: what counts on 32 threads in lockstep is still right. Lines of 64 bytes, one scheduler and a
 * small L1 change the order of accesses, and no result. */
static void test_thesis_workloads__on_other_machines(void **state)
{
    (void)state;
    static const char *const machines[][4] = {{"core.warp_width=64"},
                                              {"mem.line_bytes=64", "core.scheduler=lrr", "core.schedulers=1"},
                                              {"core.count=1", "l1.global=on", "l1.bytes=4096", "l1.ways=2"},
                                              {"l1.global=write-back", "l1.write_miss=around", "l1.bytes=4096", "l1.ways=2"}};
    for (size_t i = 0; i < WORKLOAD_CNT; i++)
        for (size_t k = 0; k < sizeof machines / sizeof machines[0]; k++) {
            struct run r = small_run(i);
            memcpy(r.settings, machines[k], sizeof machines[k]);
            expect_right(&r);
        }
}

/* The machine on which chapter 3 measures them (Table 3.2). */
static void test_thesis_workloads__on_thesis_tbc(void **state)
{
    (void)state;
    for (size_t i = 0; i < WORKLOAD_CNT; i++) {
        struct run r = small_run(i);
        r.preset = "thesis-tbc";
        expect_right(&r);
    }
}

/* The reads of the tree and of the reference go through the texture cache, and only these. */
static void test_thesis_workloads__read_through_the_texture_cache(void **state)
{
    (void)state;
    static const char *const names[] = {"mum", "mumpp"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct run plain = {.workload = names[i], .variant = COWARP_PLAIN, .preset = "thesis-tbc", .param = {"queries=200", "length=12"}};
        struct run texture = plain;
        texture.param[2] = "texture=1";
        expect_right(&plain);
        expect_right(&texture);
        assert_int_equal(run_counter(&plain, "texture_reads"), 0);
        assert_true(run_counter(&texture, "texture_reads") > 0 && run_counter(&texture, "l1_reads") > 0);
        assert_true(run_counter(&texture, "l1_reads") < run_counter(&plain, "l1_reads"));
    }
}

/* Under every mechanism, with its units in lockstep: they agree, each cycle has one class, warps that are made end, and threads that go
 * into a compaction come out of it. What relies on the lockstep of warps is wrong under some (docs/divergence.md), and ends all the same.
 */
static void test_thesis_workloads__conservation(void **state)
{
    (void)state;
    static const char *const mechanisms[] = {"core.divergence=dwf", "core.divergence=dwf-wb", "core.divergence=tbc"};
    static const char *const units[][2] = {
        {"warp_lut=lockstep"}, {"warp_lut=lockstep"}, {"thread_compactor=lockstep", "block_stack=lockstep"}};
    for (size_t i = 0; i < WORKLOAD_CNT; i++)
        for (size_t k = 0; k < sizeof mechanisms / sizeof mechanisms[0]; k++) {
            struct run r = small_run(i);
            r.preset = "thesis-tbc";
            r.settings[0] = mechanisms[k];
            memcpy(r.units, units[k], sizeof units[k]);
            run_workload(&r);
            if (r.status != COWARP_OK && r.status != COWARP_ECHECK)
                fail_msg("%s under %s: status %d: %s", r.workload, mechanisms[k], r.status, r.message);
            assert_true(run_classes_add_up(&r));
            assert_int_equal(run_counter(&r, "tbc_warps_made"), run_counter(&r, "tbc_warps_ended"));
            assert_int_equal(run_counter(&r, "tbc_threads_in"), run_counter(&r, "tbc_threads_out"));
            assert_int_equal(run_counter(&r, "dwf_threads_in"), run_counter(&r, "dwf_threads_out"));
        }
}

/* Likely-convergence points (3.4) change no result. Where a loop has a way out beside its end, as in nvrt, lanes meet earlier, and the same
 * instructions of threads take fewer of warps. */
static void test_thesis_workloads__likely_convergence(void **state)
{
    (void)state;
    uint64_t joins = 0;
    for (size_t i = 0; i < WORKLOAD_CNT; i++) {
        struct run off = small_run(i), loop = small_run(i);
        loop.settings[0] = "core.lcp=loop";
        expect_right(&off);
        expect_right(&loop);
        assert_int_equal(run_counter(&off, "lcp_joins"), 0);
        joins += run_counter(&loop, "lcp_joins");
        if (strcmp(off.workload, "nvrt") != 0)
            continue;
        assert_true(run_counter(&loop, "lcp_joins") > 0);
        assert_true(run_counter(&loop, "warp_instructions") * 10 < run_counter(&off, "warp_instructions") * 9);
    }
    assert_true(joins > 1000);
}

/* A core with 1,024 slots for warps that holds no more blocks than one with 64 does the same in every cycle. */
static void test_thesis_workloads__slots_that_nobody_takes(void **state)
{
    (void)state;
    static const char *const schedulers[] = {"core.scheduler=gto", "core.scheduler=lrr"};
    static const char *const counts[] = {"core.schedulers=1", "core.schedulers=3"};
    for (size_t i = 0; i < WORKLOAD_CNT; i++) {
        struct run few = small_run(i), many = small_run(i);
        few.settings[0] = "core.warps=64";
        many.settings[0] = "core.warps=1024";
        few.settings[1] = many.settings[1] = "core.blocks=2";
        few.settings[2] = many.settings[2] = schedulers[i % 2];
        few.settings[3] = many.settings[3] = counts[i / 2 % 2];
        expect_right(&few);
        expect_right(&many);
        assert_true(few.cycles > 0 && few.counter_cnt == many.counter_cnt);
        assert_int_equal(few.cycles, many.cycles);
        assert_memory_equal(few.counter, many.counter, few.counter_cnt * sizeof few.counter[0]);
    }
}

/* All slots taken: 32 blocks of 32 warps in one core. */
static void test_thesis_workloads__slots_that_are_taken(void **state)
{
    (void)state;
    static const char *const schedulers[] = {"core.scheduler=gto", "core.scheduler=lrr"};
    for (size_t i = 0; i < 2; i++) {
        struct run r = {.workload = "vecadd",
                        .variant = COWARP_PLAIN,
                        .param = {"n=100000"},
                        .settings = {"core.warps=1024", "core.blocks=32", "core.count=1", "core.registers=1048576", schedulers[i]}};
        expect_right(&r);
    }
}

/* Inputs at the edges of what parameters allow. */
static void test_thesis_workloads__least_inputs(void **state)
{
    (void)state;
    struct run r[] = {
        {.workload = "bfs2", .param = {"nodes=2", "degree=1"}},
        {.workload = "fcdt", .param = {"width=24", "height=24", "stages=2", "features=1"}},
        {.workload = "hotsp", .param = {"n=1", "steps=7", "launches=1"}},
        {.workload = "mum", .param = {"reference=1", "queries=1", "length=1"}},
        {.workload = "mumpp", .param = {"reference=1", "queries=1", "length=1"}},
        {.workload = "namd", .param = {"cells=1", "atoms=1"}},
        {.workload = "nvrt", .param = {"width=1", "height=1", "triangles=1", "blocks=1"}},
        {.workload = "aes", .param = {"kbytes=1"}},
        {.workload = "backp", .param = {"inputs=16"}},
        {.workload = "cp", .param = {"blocks_x=1", "blocks_y=1", "atoms=1"}},
        {.workload = "dg", .param = {"elements=1"}},
        {.workload = "hrtwl", .param = {"points=1", "frames=1", "width=16", "height=16"}},
        {.workload = "lib", .param = {"paths=1"}},
        {.workload = "lkyt", .param = {"width=32", "height=32", "cells=1", "rounds=1"}},
        {.workload = "mgst", .param = {"n=1"}},
        {.workload = "nnc", .param = {"blocks=1", "k=64"}},
        {.workload = "ray", .param = {"width=1", "height=1", "spheres=1", "bounces=0"}},
        {.workload = "stmcl", .param = {"n=2", "dims=1", "candidates=2"}},
        {.workload = "sto", .param = {"blocks=1", "words=16"}},
        {.workload = "wp", .param = {"width=1", "height=1", "levels=1", "steps=1"}},
        {.workload = "wsreduce", .param = {"blocks=1"}},
    };
    for (size_t i = 0; i < sizeof r / sizeof r[0]; i++) {
        r[i].variant = COWARP_PLAIN;
        expect_right(&r[i]);
    }
}

/* A parameter that does not divide is refused in one line. */
static void test_thesis_workloads__refusals(void **state)
{
    (void)state;
    static const char *const cases[][3] = {{"backp", "inputs=100", "inputs must be a multiple of 16"},
                                           {"sto", "words=40", "words must be a multiple of 16"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run r = {.workload = cases[i][0], .variant = COWARP_PLAIN, .param = {cases[i][1]}};
        run_workload(&r);
        assert_int_equal(r.status, COWARP_EINVAL);
        assert_string_equal(r.message, cases[i][2]);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_thesis_workloads__are_right),
    cmocka_unit_test(test_thesis_workloads__on_other_machines),
    cmocka_unit_test(test_thesis_workloads__likely_convergence),
    cmocka_unit_test(test_thesis_workloads__least_inputs),
    cmocka_unit_test(test_thesis_workloads__slots_that_nobody_takes),
    cmocka_unit_test(test_thesis_workloads__slots_that_are_taken),
    cmocka_unit_test(test_thesis_workloads__on_thesis_tbc),
    cmocka_unit_test(test_thesis_workloads__read_through_the_texture_cache),
    cmocka_unit_test(test_thesis_workloads__conservation),
    cmocka_unit_test(test_thesis_workloads__refusals),
};

CW_TEST_MAIN(tests)
