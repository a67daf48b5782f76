/* SPDX-License-Identifier: Apache-2.0 */
/* Programs under each treatment of divergence (docs/divergence.md): right, or wrong where the thesis says so; refusals; reports; and units.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cw_test.h"
#include "run.h"

#define MACHINE "core.count=3", "partition.count=2", "core.warps=32", "core.scheduler=lrr", "core.schedulers=1"

enum { PDOM, DWF, DWF_WB, TBC, TBC_STATIC, MECHANISMS, PDOM_ITS = MECHANISMS, ITS };
static const char *const mechanism[][2] = {
    {"core.divergence=pdom"},
    {"core.divergence=dwf"},
    {"core.divergence=dwf-wb"},
    {"core.divergence=tbc"},
    {"core.divergence=tbc", "tbc.arrangement=static"},
    {"core.divergence=pdom-its"},
    {"core.divergence=its"},
};

static struct run run_of(const char *workload, uint32_t m, const char *a, const char *b)
{
    struct run r = {.workload = workload, .system = "none", .variant = COWARP_PLAIN, .settings = {MACHINE}, .param = {a, b}};
    r.settings[5] = mechanism[m][0];
    r.settings[6] = mechanism[m][1];
    return r;
}

/* With a heap of one entry the PC that took it issues until none is left, however many threads are elsewhere: right, in another order. */
static void test_divergence_runs__a_small_heap(void **state)
{
    (void)state;
    for (uint32_t m = DWF; m <= DWF_WB; m++) {
        struct run large = run_of("fcdt", m, "width=40", "height=32"), small = large;
        small.settings[6] = "dwf.heap_entries=1";
        run_workload(&large);
        run_workload(&small);
        assert_int_equal(large.status, COWARP_OK);
        assert_int_equal(small.status, COWARP_OK);
        assert_int_equal(run_counter(&small, "threads_exited"), run_counter(&large, "threads_exited"));
        assert_int_not_equal(small.cycles, large.cycles);
    }
}

/* The units that each mechanism has. */
static const char *const unit[MECHANISMS][3] = {[DWF] = {"warp_lut"},
                                                [DWF_WB] = {"warp_lut"},
                                                [TBC] = {"thread_compactor", "block_stack"},
                                                [TBC_STATIC] = {"thread_compactor", "block_stack"}};

/* The run again, with every unit as C model and RTL side by side: neither differs, and no count does. */
static void again_in_lockstep(const struct run *plain, uint32_t m)
{
    struct run r = *plain;
    char choice[2][40];
    for (uint32_t u = 0; unit[m][u] != NULL; u++) {
        snprintf(choice[u], sizeof choice[u], "%s=lockstep", unit[m][u]);
        r.units[u] = choice[u];
    }
    run_workload(&r);
    if (r.status != 0)
        fail_msg("%s under %s in lockstep: %s", r.workload, mechanism[m][0], r.message);
    assert_int_equal(r.cycles, plain->cycles);
    assert_memory_equal(r.counter, plain->counter, sizeof plain->counter);
}

/* The divergent programs are right under each, and execute the same instructions per thread as under pdom. */
static void test_divergence_runs__programs_are_right(void **state)
{
    (void)state;
    static const char *const program[][3] = {{"bfs2", "nodes=2000"},
                                             {"fcdt", "width=40", "height=32"},
                                             {"hotsp", "n=40", "launches=1"},
                                             {"lps", "n=20"},
                                             {"mum", "queries=200"},
                                             {"mumpp", "queries=200"},
                                             {"namd", "cells=2"},
                                             {"mgst", NULL},
                                             {"reduction", "n=20000"}};
    for (uint32_t i = 0; i < sizeof program / sizeof program[0]; i++) {
        uint64_t threads = 0;
        for (uint32_t m = 0; m < MECHANISMS; m++) {
            struct run r = run_of(program[i][0], m, program[i][1], program[i][2]);
            if (strcmp(program[i][0], "mgst") == 0)
                r.param[0] = "n=4096";
            run_workload(&r);
            if (r.status != 0)
                fail_msg("%s under %s: %s", program[i][0], mechanism[m][0], r.message);
            threads = m == PDOM ? run_counter(&r, "thread_instructions") : threads;
            if (strcmp(program[i][0], "bfs2") != 0) /* whose threads race for a node */
                assert_int_equal(run_counter(&r, "thread_instructions"), threads);
            assert_int_equal(run_counter(&r, "tbc_threads_in"), run_counter(&r, "tbc_threads_out"));
            assert_int_equal(run_counter(&r, "tbc_warps_made"), run_counter(&r, "tbc_warps_ended"));
            assert_int_equal(run_counter(&r, "dwf_threads_in"), run_counter(&r, "dwf_threads_out"));
            assert_int_equal(run_counter(&r, "dwf_warps_made"), run_counter(&r, "dwf_warps_ended"));
            assert_true((run_counter(&r, "tbc_warps_made") > 0) == (m >= TBC));
            assert_true((run_counter(&r, "dwf_warps_made") > 0) == (m == DWF || m == DWF_WB));
            if (m == TBC || m == DWF)
                again_in_lockstep(&r, m);
        }
    }
}

/* What relies on the lockstep of a static warp. wsreduce does inside of a branch, nvrt where the warp is together. */
static void test_divergence_runs__static_warps(void **state)
{
    (void)state;
    static const bool lockstep[MECHANISMS] = {[PDOM] = true, [TBC_STATIC] = true};
    for (uint32_t m = 0; m < MECHANISMS; m++) {
        struct run sums = run_of("wsreduce", m, "blocks=20", NULL), rays = run_of("nvrt", m, "width=8", "height=8");
        rays.param[2] = "triangles=30";
        run_workload(&sums);
        assert_int_equal(sums.status, lockstep[m] ? COWARP_OK : COWARP_ECHECK);
        run_workload(&rays);
        assert_int_equal(rays.status, m != DWF ? COWARP_OK : COWARP_ECHECK);
    }
}

/* A core has its own choice of what stands behind its units, and that changes no count. */
static void test_divergence_runs__each_core_by_itself(void **state)
{
    (void)state;
    struct run plain = run_of("hotsp", TBC, "n=40", "launches=1"), mixed = plain, one = run_of("hotsp", DWF, "n=40", "launches=1"),
               other = one;
    mixed.units[0] = "core0.thread_compactor=lockstep";
    mixed.units[1] = "core1.thread_compactor=rtl";
    mixed.units[2] = "core1.block_stack=rtl";
    mixed.units[3] = "core2.block_stack=lockstep";
    other.units[0] = "core1.warp_lut=lockstep";
    other.units[1] = "core2.warp_lut=rtl";
    struct run *pair[][2] = {{&plain, &mixed}, {&one, &other}};
    for (uint32_t i = 0; i < 2; i++) {
        run_workload(pair[i][0]);
        run_workload(pair[i][1]);
        if (pair[i][1]->status != 0)
            fail_msg("%s", pair[i][1]->message);
        assert_int_equal(pair[i][0]->cycles, pair[i][1]->cycles);
        assert_memory_equal(pair[i][0]->counter, pair[i][1]->counter, sizeof plain.counter);
    }
    mixed.units[3] = "core3.block_stack=lockstep"; /* the machine has three cores */
    run_workload(&mixed);
    assert_int_equal(mixed.status, COWARP_EINVAL);
    assert_non_null(strstr(mixed.message, "core3.block_stack"));
}

/* Neither the order of ticks nor what stands behind a unit changes a count. */
static void test_divergence_runs__one_result(void **state)
{
    (void)state;
    static const struct {
        uint32_t mechanism;
        const char *unit[2];
    } t[] = {{TBC, {"thread_compactor=lockstep", "block_stack=lockstep"}}, {DWF, {"warp_lut=lockstep"}}, {DWF_WB, {"warp_lut=rtl"}}};
    for (uint32_t i = 0; i < sizeof t / sizeof t[0]; i++) {
        struct run plain = run_of("fcdt", t[i].mechanism, "width=40", "height=32"), units = plain, reversed = plain, always = plain;
        units.units[0] = t[i].unit[0];
        units.units[1] = t[i].unit[1];
        reversed.reverse_ticks = 1;
        always.tick_always = 1;
        run_workload(&plain);
        run_workload(&units);
        run_workload(&reversed);
        run_workload(&always);
        const struct run *other[] = {&units, &reversed, &always};
        for (uint32_t k = 0; k < 3; k++) {
            if (other[k]->status != 0)
                fail_msg("%s", other[k]->message);
            assert_int_equal(other[k]->cycles, plain.cycles);
            for (uint32_t n = 0; n < plain.counter_cnt; n++)
                if (other[k]->counter[n] != plain.counter[n])
                    fail_msg("mechanism %u, run %u: counter %u is %llu, not %llu", t[i].mechanism, k, n,
                             (unsigned long long)other[k]->counter[n], (unsigned long long)plain.counter[n]);
        }
    }
}

static void test_divergence_runs__refusals(void **state)
{
    (void)state;
    static const struct {
        const char *setting[3], *says;
    } t[] = {
        {{"core.divergence=tbc", "core.scheduler=gto"}, "set core.scheduler=lrr"},
        {{"core.divergence=tbc", "core.warps=48"}, "set core.warps=32"},
        {{"core.divergence=tbc", "core.blocks=17"}, "set core.blocks=16"},
        {{"core.divergence=tbc", "core.warp_width=64"}, "set core.warp_width=32"},
        {{"core.divergence=dwf", "core.schedulers=2"}, "set core.schedulers=1"},
        {{"core.divergence=dwf", "core.lcp=loop"}, "set core.lcp=off"},
        {{"core.divergence=dwf-wb", "core.lcp=profile"}, "set core.lcp=off"},
        {{"core.lcp=profile"}, "give --lcp-profile"},
        {{"core.divergence=dwf-wb", "core.warps=33"}, "set core.warps=32"},
        {{"core.divergence=dwf", "dwf.lut_entries=24"}, "power of two"},
        {{"tbc.priority=srr"}, "set core.divergence=tbc"},
        {{"core.divergence=tbc", "dwf.lut_entries=64"}, "set core.divergence=dwf"},
    };
    for (uint32_t i = 0; i < sizeof t / sizeof t[0]; i++) {
        struct run r = run_of("vecadd", PDOM, NULL, NULL);
        memcpy(&r.settings[5], t[i].setting, sizeof t[i].setting);
        run_workload(&r);
        assert_int_equal(r.status, COWARP_EINVAL);
        if (strstr(r.message, t[i].says) == NULL)
            fail_msg("%s: %s", t[i].setting[0], r.message);
    }
    struct run tx = run_of("atm", TBC, NULL, NULL);
    tx.system = "getm";
    tx.variant = COWARP_TX;
    run_workload(&tx);
    assert_int_equal(tx.status, COWARP_EINVAL);
    assert_non_null(strstr(tx.message, "set core.divergence=pdom"));
}

/* ---- kernels ---- */

#define HEAD ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<4>; .reg .pred %p, %q;\n"

struct exec {
    int status;
    char error[600], report[4000], notice[400];
};

static void on_message(void *context, const char *text)
{
    struct exec *x = context;
    snprintf(x->notice, sizeof x->notice, "%s", text);
}

static void exec_with(struct exec *x, uint32_t m, const char *text, int static_warps)
{
    const char *const settings[] = {MACHINE, mechanism[m][0], mechanism[m][1], NULL};
    struct cowarp_options o;
    struct cowarp_gpu *gpu = NULL;
    struct cowarp_module *module = NULL;
    *x = (struct exec){0};
    cowarp_options_init(&o);
    o.settings = settings;
    o.on_message = on_message;
    o.context = x;
    const struct cowarp_launch l = {.size = sizeof l, .kernel = "k", .grid = {1, 1, 1}, .block = {64, 1, 1}, .static_warps = static_warps};
    assert_int_equal(cowarp_create(&gpu, &o), 0);
    if (cowarp_load(gpu, &module, text, strlen(text), "k.ptx") != 0)
        fail_msg("%s", cowarp_error(gpu));
    x->status = cowarp_run(gpu, module, &l);
    snprintf(x->error, sizeof x->error, "%s", cowarp_error(gpu));
    snprintf(x->report, sizeof x->report, "%s", cowarp_report(gpu));
    cowarp_destroy(gpu);
}

static void exec(struct exec *x, uint32_t m, const char *text)
{
    exec_with(x, m, text, 0);
}

/* Instructions that speak of a warp: static warps under tbc, refused where they are taken apart. */
static void test_divergence_runs__warp_wide_instructions(void **state)
{
    (void)state;
    static const char *const insn[] = {"shfl.sync.idx.b32 %r1, %r0, 0, 31, -1;", "vote.sync.ballot.b32 %r1, %p, -1;", "activemask.b32 %r1;",
                                       "bar.warp.sync -1;"};
    for (uint32_t i = 0; i < sizeof insn / sizeof insn[0]; i++) {
        struct exec x;
        char text[600];
        snprintf(text, sizeof text, "%s%s\nret;\n}\n", HEAD "mov.u32 %r0, %tid.x; setp.lt.u32 %p, %r0, 9;\n", insn[i]);
        exec(&x, TBC, text);
        assert_int_equal(x.status, COWARP_OK);
        assert_non_null(strstr(x.notice, "k.ptx:8: "));
        exec(&x, TBC_STATIC, text);
        assert_string_equal(x.notice, "");
        exec(&x, DWF, text);
        assert_int_equal(x.status, COWARP_EUNSUP);
        assert_non_null(strstr(x.error, "k.ptx:8: "));
        exec(&x, PDOM, text);
        assert_int_equal(x.status, COWARP_OK);
    }
}

static const struct {
    const char *text, *says; /* NULL: it is well */
    bool barrier;            /* which threads may wait at by themselves */
} waits[] = {
    /* both sides of a branch, each with a barrier or an operation of its own */
    {"@%p bra A;\nbarrier.sync 0;\nbra.uni E;\nA:\nbarrier.sync 0;\nE:\nret;\n}\n", "lanes 0xfffffe00 come to a barrier", true},
    {"@%p bra A;\nbar.warp.sync -1;\nbra.uni E;\nA:\nbar.warp.sync -1;\nE:\nret;\n}\n", "which have not come; lane 9 is at line 9", false},
    {"@%p bra A;\nbra.uni E;\nA:\nvote.sync.ballot.b32 %r1, %p, -1;\nE:\nvote.sync.ballot.b32 %r1, %p, -1;\nret;\n}\n",
     "vote.sync by lanes 0x000001ff names lanes 0xfffffe00", false},
    {"@%p shfl.sync.idx.b32 %r1, %r0, 0, 31, 0x3ff;\nret;\n}\n", "names lanes 0x00000200, which have not come; lane 9 is at line 8", false},
    /* masks of a side's own lanes; lanes that have left, or only leave */
    {"@%p bra A;\nbar.warp.sync 0xfffffe00;\nbra.uni E;\nA:\nbar.warp.sync 0x1ff;\nE:\nret;\n}\n", NULL, false},
    {"@%p bra E;\nvote.sync.ballot.b32 %r1, %p, -1;\nbar.sync 0;\nE:\nret;\n}\n", NULL, false},
    {"@%p exit;\nvote.sync.ballot.b32 %r1, %p, -1;\nbar.sync 0;\nret;\n}\n", NULL, false},
    {"@%p bra A;\nbar.sync 0;\nA:\nret;\n}\n", NULL, true},
    {"setp.gt.u32 %q, %r0, 40;\n@%q bra E;\n@%p barrier.sync 0;\nE:\nret;\n}\n", NULL, true},
};

/* What PTX 6 waits for, and a SIMT stack cannot: the run ends, with the line. */
static void test_divergence_runs__lanes_that_have_not_come(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof waits / sizeof waits[0]; i++)
        for (uint32_t m = 0; m < MECHANISMS; m++) {
            struct exec x;
            char text[800];
            snprintf(text, sizeof text, "%s%s", HEAD "mov.u32 %r0, %laneid; setp.lt.u32 %p, %r0, 9;\n", waits[i].text);
            const bool by_threads = m == DWF || m == DWF_WB;
            if (by_threads && !waits[i].barrier)
                continue;
            exec(&x, m, text);
            if (waits[i].says == NULL || by_threads) {
                if (x.status != COWARP_OK)
                    fail_msg("text %u under %s: %s", i, mechanism[m][0], x.error);
                continue;
            }
            /* a dynamic warp has the threads of a side together, so that they come at once, and from both warps */
            assert_int_equal(x.status, COWARP_EFAULT);
            if (strstr(x.error, m == TBC && waits[i].barrier ? "come to a barrier" : waits[i].says) == NULL)
                fail_msg("text %u under %s: %s", i, mechanism[m][0], x.error);
            assert_non_null(strstr(x.error, "set core.divergence=its, or core.convergence=ignore"));
        }
}

static uint64_t counter_of(struct cowarp_gpu *gpu, const char *wanted)
{
    const char *name, *dimension, *what;
    uint64_t value;
    for (uint32_t i = 0; cowarp_counter_at(gpu, i, &name, &value, &dimension, &what); i++)
        if (strcmp(name, wanted) == 0)
            return value;
    return UINT64_MAX;
}

#define ONE_BY_ONE "core.scoreboard=warp"
#define GLOBAL_HEAD                                                                                                                  \
    ".version 7.0\n.target sm_70\n.address_size 64\n.global .align 4 .b32 g[64];\n.visible .entry k()\n{\n.reg .pred %p; .reg .b32 " \
    "%r<4>; .reg .b64 %d;\nmov.u32 %r0, %tid.x;\nmov.u64 %d, g;\nand.b32 %r3, %r0, 1;\n"

/* A launch of 64 threads of a machine whose issue slot takes one cycle; fills counters by name. */
static uint64_t exec_blocks(uint32_t blocks, uint32_t m, const char *scoreboard, const char *text, const char *const name[],
                            uint64_t value[])
{
    const char *const settings[] = {MACHINE, "core.issue_cycles=1", mechanism[m][0], scoreboard, mechanism[m][1], NULL};
    struct cowarp_options o;
    struct cowarp_gpu *gpu = NULL;
    struct cowarp_module *module;
    cowarp_options_init(&o);
    o.settings = settings;
    const struct cowarp_launch l = {.size = sizeof l, .kernel = "k", .grid = {blocks, 1, 1}, .block = {64, 1, 1}};
    assert_int_equal(cowarp_create(&gpu, &o), 0);
    if (cowarp_load(gpu, &module, text, strlen(text), "k.ptx") != 0)
        fail_msg("%s", cowarp_error(gpu));
    assert_int_equal(cowarp_run(gpu, module, &l), 0);
    for (uint32_t i = 0; name != NULL && name[i] != NULL; i++)
        value[i] = counter_of(gpu, name[i]);
    const uint64_t cycles = cowarp_cycles(gpu);
    cowarp_destroy(gpu);
    return cycles;
}

static uint64_t exec_counting(uint32_t m, const char *scoreboard, const char *text, const char *const name[], uint64_t value[])
{
    return exec_blocks(1, m, scoreboard, text, name, value);
}

/* A stack with independent threads behind it runs barriers on two sides of a branch, and hands over where the stack could not have gone on, and
 * nowhere else: what a stack can run takes its cycles. */
static void test_divergence_runs__a_stack_that_hands_over(void **state)
{
    (void)state;
    static const char *const name[] = {"stack_handovers", NULL};
    for (uint32_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        char text[800];
        uint64_t handed, none;
        snprintf(text, sizeof text, "%s%s", HEAD "mov.u32 %r0, %laneid; setp.lt.u32 %p, %r0, 9;\n", waits[i].text);
        if (strstr(text, "@%p shfl") != NULL)
            continue; /* lane 9 never comes */
        const uint64_t cycles = exec_counting(PDOM_ITS, "core.scoreboard=register", text, name, &handed);
        assert_int_equal(handed, waits[i].says != NULL ? 2 : 0); /* warps */
        if (waits[i].says == NULL)
            assert_int_equal(cycles, exec_counting(PDOM, "core.scoreboard=register", text, name, &none));
    }
}

/* ---- one operation on several sides of a branch ---- */

#define EXCHANGE_HEAD                                                                                                              \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg .pred %p<4>; .reg .b32 %r<9>; .reg " \
    ".b64 %d<3>;\nld.param.u64 %d1, [a];\nmov.u32 %r0, %laneid;\nmad.wide.u32 %d1, %r0, 4, %d1;\nadd.u32 %r1, %r0, 100;\n"         \
    "add.u32 %r2, %r0, 200;\nand.b32 %r3, %r0, 1;\nsetp.eq.u32 %p0, %r3, 0;\n"
/* Odd lanes run `odd`, even ones `even`; each leaves a value. */
#define SIDES(odd, even) \
    EXCHANGE_HEAD "@%p0 bra A;\n" odd "\nst.global.u32 [%d1], %r4;\nbra.uni E;\nA:\n" even "\nst.global.u32 [%d1], %r5;\nE:\nret;\n}\n"

static const struct {
    const char *text;
    uint32_t expected[3]; /* of lanes 1, 14 and 31 */
} exchanges[] = {
    /* an odd lane gets 200 and the number of the even one in front of it, an even lane 100 and that of the odd one behind it */
    {SIDES("shfl.sync.bfly.b32 %r4, %r1, 1, 31, -1;", "shfl.sync.bfly.b32 %r5, %r2, 1, 31, -1;"), {200, 115, 230}},
    /* odd lanes read lane 6, even ones lane 9, by a register or a number */
    {SIDES("mov.u32 %r6, 6; shfl.sync.idx.b32 %r4|%p1, %r1, %r6, 31, -1;", "shfl.sync.idx.b32 %r5, %r2, 9, 31, -1;"), {206, 109, 206}},
    /* odd ones below 9: 1, 3, 5, 7; even ones from 20 on: 20, 22, ... 30 */
    {SIDES("setp.lt.u32 %p1, %r0, 9; vote.sync.ballot.b32 %r4, %p1, -1;", "setp.lt.u32 %p2, %r0, 20; vote.sync.ballot.b32 %r5, !%p2, -1;"),
     {0x555000aa, 0x555000aa, 0x555000aa}},
    /* nobody on one side, lane 30 on the other one */
    {SIDES("setp.gt.u32 %p1, %r0, 31; vote.sync.any.pred %p3, %p1, -1; selp.u32 %r4, 7, 3, %p3;",
           "setp.eq.u32 %p2, %r0, 30; vote.sync.any.pred %p1, %p2, -1; selp.u32 %r5, 8, 4, %p1;"),
     {7, 8, 7}},
    /* the lanes of a quad have one value, whatever side they are on */
    {SIDES("shr.u32 %r6, %r0, 2; match.any.sync.b32 %r4, %r6, -1;", "shr.u32 %r7, %r0, 2; match.any.sync.b32 %r5, %r7, -1;"),
     {0xf, 0xf000, 0xf0000000}},
    {SIDES("redux.sync.add.u32 %r4, 1, -1;", "mov.u32 %r6, 100; redux.sync.add.u32 %r5, %r6, -1;"), {1616, 1616, 1616}},
    {SIDES("elect.sync %r6|%p1, -1; selp.u32 %r4, 1, 2, %p1;", "elect.sync %r7|%p2, -1; selp.u32 %r5, %r7, 5, %p2;"), {2, 5, 2}},
    /* a second round, each side with the other's first value */
    {SIDES("shfl.sync.bfly.b32 %r4, %r1, 1, 31, -1; shfl.sync.bfly.b32 %r4, %r4, 2, 31, -1;",
           "shfl.sync.bfly.b32 %r5, %r2, 1, 31, -1; shfl.sync.bfly.b32 %r5, %r5, 2, 31, -1;"),
     {202, 113, 228}},
    /* three sides: lanes below 8 have 100, 8 to 15 have 200, others 300, and each reads the lane 8 behind it */
    {EXCHANGE_HEAD "add.u32 %r6, %r0, 300; add.u32 %r7, %r0, 8; setp.lt.u32 %p1, %r0, 8; setp.lt.u32 %p2, %r0, 16;\n@%p1 bra A;\n"
                   "@%p2 bra B;\nshfl.sync.idx.b32 %r6, %r6, %r7, 31, -1;\nst.global.u32 [%d1], %r6;\nbra.uni E;\nA:\n"
                   "shfl.sync.idx.b32 %r4, %r1, %r7, 31, -1;\nst.global.u32 [%d1], %r4;\nbra.uni E;\nB:\n"
                   "shfl.sync.idx.b32 %r5, %r2, %r7, 31, -1;\nst.global.u32 [%d1], %r5;\nE:\nret;\n}\n",
     {209, 322, 107}},
    /* lanes from 24 on have left before the others meet */
    {EXCHANGE_HEAD "setp.gt.u32 %p1, %r0, 23;\n@%p0 bra A;\n@%p1 bra L;\nshfl.sync.bfly.b32 %r4, %r1, 1, 31, -1;\n"
                   "st.global.u32 [%d1], %r4;\nbra.uni E;\nA:\n@%p1 bra L;\nshfl.sync.bfly.b32 %r5, %r2, 1, 31, -1;\n"
                   "st.global.u32 [%d1], %r5;\nE:\nret;\nL:\nst.global.u32 [%d1], 9;\nret;\n}\n",
     {200, 115, 9}},
};

static const char *const apart[][3] = {
    {"core.divergence=its"},
    {"core.divergence=its", "core.scoreboard=warp"},
    {"core.divergence=pdom-its"},
    {"core.divergence=si", "core.scoreboard=lane"},
    {"core.divergence=dws", "core.scoreboard=lane", "dws.wait_cycles=0"},
};
#define APARTS (sizeof apart / sizeof apart[0])

/* How they run. RENEWED: all components are saved, made anew and loaded after each ten cycles. */
enum way { TIMED, FUNCTIONAL, RENEWED, CHECKED, EXCHANGES };

/* Two warps; out: what each lane has left. Returns the status. */
static int exchange(struct exec *x, uint32_t m, enum way way, const char *text, uint32_t out[32])
{
    const char *const settings[] = {"core.count=1", "core.warps=32", "watchdog.cycles=50000", apart[m][0], apart[m][1], apart[m][2], NULL};
    struct cowarp_options o;
    struct cowarp_gpu *gpu = NULL;
    struct cowarp_module *module = NULL;
    uint64_t data;
    *x = (struct exec){0};
    cowarp_options_init(&o);
    o.settings = settings;
    o.functional = way == FUNCTIONAL;
    o.renew_cycles = way == RENEWED ? 10 : 0;
    o.checks = way == CHECKED ? "memory,sync,init" : NULL; /* both blocks store the same to one place */
    assert_int_equal(cowarp_create(&gpu, &o), 0);
    assert_int_equal(cowarp_alloc(gpu, &data, 128), 0);
    if (cowarp_load(gpu, &module, text, strlen(text), "k.ptx") != 0)
        fail_msg("%s", cowarp_error(gpu));
    const struct cowarp_arg args[] = {COWARP_U64(data)};
    const struct cowarp_launch l = {.size = sizeof l, .kernel = "k", .grid = {2, 1, 1}, .block = {32, 1, 1}, .arg_count = 1, .args = args};
    x->status = cowarp_run(gpu, module, &l);
    snprintf(x->error, sizeof x->error, "%s", cowarp_error(gpu));
    snprintf(x->report, sizeof x->report, "%s", cowarp_report(gpu));
    assert_int_equal(cowarp_findings(gpu, NULL), 0);
    assert_int_equal(cowarp_read(gpu, out, data, 128), 0);
    cowarp_destroy(gpu);
    return x->status;
}

/* From sm_70 on lanes on all sides of a branch exchange values by one operation that names them, wherever each of them executes it. */
static void test_divergence_runs__sides_that_exchange(void **state)
{
    (void)state;
    static const uint32_t lane[3] = {1, 14, 31};
    struct exec x;
    uint32_t out[32];
    for (uint32_t i = 0; i < sizeof exchanges / sizeof exchanges[0]; i++)
        for (uint32_t m = 0; m < EXCHANGES * APARTS; m++) {
            if (m % EXCHANGES == RENEWED && apart[m / EXCHANGES][1] != NULL) /* si and dws keep what its keeps */
                continue;
            if (exchange(&x, m / EXCHANGES, m % EXCHANGES, exchanges[i].text, out) != COWARP_OK)
                fail_msg("text %u under %s, way %u: %s %s", i, apart[m / EXCHANGES][0], m % EXCHANGES, x.error, x.report);
            for (uint32_t k = 0; k < 3; k++)
                if (out[lane[k]] != exchanges[i].expected[k])
                    fail_msg("text %u under %s, way %u: lane %u has %u, expected %u", i, apart[m / EXCHANGES][0], m % EXCHANGES, lane[k],
                             out[lane[k]], exchanges[i].expected[k]);
        }
}

/* Other qualifiers or another operation are no meeting: the run ends, with both lines. */
static void test_divergence_runs__sides_that_do_not(void **state)
{
    (void)state;
    static const char *const texts[] = {
        SIDES("shfl.sync.bfly.b32 %r4, %r1, 1, 31, -1;", "shfl.sync.idx.b32 %r5, %r2, 1, 31, -1;"),
        SIDES("vote.sync.any.pred %p1, %p0, -1;", "vote.sync.all.pred %p1, %p0, -1;"),
        SIDES("redux.sync.add.u32 %r4, 1, -1;", "redux.sync.max.u32 %r5, 1, -1;"),
        SIDES("match.any.sync.b32 %r4, %r0, -1;", "vote.sync.ballot.b32 %r5, %p0, -1;"),
    };
    struct exec x;
    uint32_t out[32];
    for (uint32_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (uint32_t m = 0; m < APARTS; m++) {
            assert_int_equal(exchange(&x, m, TIMED, texts[i], out), COWARP_EDEADLOCK);
            if (strstr(x.report, "lanes aaaaaaaa wait for others at line 15") == NULL ||
                strstr(x.report, "lanes 55555555 wait for others at line 19") == NULL)
                fail_msg("text %u under %s: %s", i, apart[m][0], x.report);
        }
}

/* Threads that spin for a lock are the majority for ever, if nobody looks after the one that holds it. */
static void run_lock(struct exec *x, uint32_t m, const char *patience)
{
    static const char text[] = ".version 6.0\n.target sm_60\n.address_size 64\n.global .align 4 .b32 lock;\n.visible .entry k()\n{\n"
                               ".reg .b32 %a, %n; .reg .pred %p; .reg .b64 %d;\nmov.u64 %d, lock; mov.u32 %n, 0;\nTRY:\n"
                               "atom.global.cas.b32 %a, [%d], 0, 1;\nsetp.eq.u32 %p, %a, 0;\n@%p bra GOT;\nadd.u32 %n, %n, 1;\nbra TRY;\n"
                               "GOT:\nmembar.gl;\natom.global.exch.b32 %a, [%d], 0;\nret;\n}\n";
    const char *const settings[] = {
        "core.count=1", "watchdog.cycles=100000", "watchdog.livelock_cycles=300000", mechanism[m][0], patience, NULL};
    struct cowarp_options o;
    struct cowarp_gpu *gpu = NULL;
    struct cowarp_module *module = NULL;
    *x = (struct exec){0};
    cowarp_options_init(&o);
    o.preset = "thesis-tbc";
    o.settings = settings;
    const struct cowarp_launch l = {.size = sizeof l, .kernel = "k", .grid = {4, 1, 1}, .block = {256, 1, 1}};
    if (cowarp_create(&gpu, &o) != 0 || cowarp_load(gpu, &module, text, strlen(text), "k.ptx") != 0)
        fail_msg("%s", cowarp_error(gpu));
    x->status = cowarp_run(gpu, module, &l);
    snprintf(x->error, sizeof x->error, "%s", cowarp_error(gpu));
    snprintf(x->report, sizeof x->report, "%s", cowarp_report(gpu));
    cowarp_destroy(gpu);
}

static void test_divergence_runs__who_holds_a_lock_gets_on(void **state)
{
    (void)state;
    struct exec x;
    run_lock(&x, DWF, "dwf.patience_cycles=20000");
    if (x.status != COWARP_OK)
        fail_msg("%s", x.error);
    run_lock(&x, DWF, "dwf.patience_cycles=4000000000");
    assert_int_equal(x.status, COWARP_EDEADLOCK);
    assert_non_null(strstr(x.error, "warps spin"));
    assert_non_null(strstr(x.report, "spins at k.ptx:14")); /* where a round ends */
    /* the lock is given back behind the place where a static warp meets, so with warp barriers its holder waits for who spins */
    run_lock(&x, DWF_WB, "dwf.patience_cycles=20000");
    assert_int_equal(x.status, COWARP_EDEADLOCK);
    assert_non_null(strstr(x.report, "spins at k.ptx:14"));
    assert_non_null(strstr(x.report, "wait at their warp barrier, line 16, for lanes"));
}

/* The sides of a branch run one after the other under tbc, so neither can wait for the other one. */
static void test_divergence_runs__named_barriers_on_two_sides(void **state)
{
    (void)state;
    static const char text[] = HEAD "mov.u32 %r0, %tid.x; setp.lt.u32 %p, %r0, 32;\n@%p bra A;\nbar.sync 1, 64;\nbra.uni E;\nA:\n"
                                    "bar.sync 1, 64;\nE:\nret;\n}\n";
    for (uint32_t m = 0; m < MECHANISMS; m++) {
        struct exec x;
        exec(&x, m, text);
        assert_int_equal(x.status, m < TBC ? COWARP_OK : COWARP_EDEADLOCK);
        if (m < TBC)
            continue;
        assert_non_null(strstr(x.report, "at k.ptx:12 ")); /* the side that waits at its barrier */
        assert_non_null(strstr(x.report, "32 threads of the block wait for them, to go on at line 9")); /* and the other one */
    }
}

/* Odd threads load, even ones add, in other lanes of the same homes. With core.scoreboard=warp a thread waits for its own instruction only,
 * so nothing changes when the additions write the register of the load. With core.scoreboard=register they wait for it. */
static void test_divergence_runs__registers_of_other_threads(void **state)
{
    (void)state;
    static const char *const scoreboard[] = {ONE_BY_ONE, "core.scoreboard=register"};
    for (uint32_t board = 0; board < 2; board++)
        for (uint32_t m = 0; m < 2; m++) {
            uint64_t cycles[2];
            for (uint32_t same = 0; same < 2; same++) {
                char text[900];
                const int r = same ? 1 : 2;
                snprintf(text, sizeof text,
                         "%smov.u32 %%r1, 7;\nmov.u32 %%r2, 8;\nsetp.ne.u32 %%p, %%r3, 0;\n@%%p bra A;\nadd.u32 %%r%d, %%r3, 1;\nadd.u32 "
                         "%%r%d, %%r%d, 1;\nadd.u32 %%r%d, "
                         "%%r%d, 1;\nbra.uni E;\nA:\nld.global.u32 %%r1, [%%d];\nE:\nadd.u32 %%r1, %%r1, %%r2;\nst.global.u32 [%%d], "
                         "%%r1;\nret;\n}\n",
                         GLOBAL_HEAD, r, r, r, r, r);
                cycles[same] = exec_counting(m == 0 ? DWF : TBC, scoreboard[board], text, NULL, NULL);
            }
            if (board == 0)
                assert_int_equal(cycles[0], cycles[1]);
            else
                assert_true(cycles[0] < cycles[1]);
        }
}

/* Each core has two blocks. Threads of the first take 24 ways and go round there, more warps than the block's two slots; those of the other
 * load a word. When a warp of the first has issued and the many are the majority, a slot of the wrong block is free. */
static void test_divergence_runs__the_majority_has_a_slot(void **state)
{
    (void)state;
    enum { WAYS = 24, BYTES = 6000 };
    char text[BYTES];
    size_t n = (size_t)snprintf(text, BYTES,
                                "%smov.u32 %%r1, %%ctaid.x;\nmov.u32 %%r2, 0;\nsetp.ge.u32 %%p, %%r1, 3;\n@%%p bra M;\n"
                                "rem.u32 %%r1, %%r0, %d;\nW: .branchtargets A0",
                                GLOBAL_HEAD, WAYS);
    for (int i = 1; i < WAYS; i++)
        n += (size_t)snprintf(text + n, BYTES - n, ", A%d", i);
    n += (size_t)snprintf(text + n, BYTES - n, ";\nbrx.idx %%r1, W;\n");
    for (int i = 0; i < WAYS; i++)
        n += (size_t)snprintf(text + n, BYTES - n, "A%d:\nadd.u32 %%r2, %%r2, 1;\nsetp.lt.u32 %%p, %%r2, 60;\n@%%p bra A%d;\nbra.uni E;\n",
                              i, i);
    snprintf(text + n, BYTES - n,
             "M:\nrem.u32 %%r1, %%r0, 5;\nsetp.lt.u32 %%p, %%r1, 2;\n@%%p bra N;\nld.global.u32 %%r2, [%%d];\nadd.u32 %%r2, %%r2, 1;\n"
             "N:\nadd.u32 %%r2, %%r2, 1;\nE:\nst.global.u32 [%%d], %%r2;\nret;\n}\n");
    static const char *const name[] = {"dwf_slots_taken", "thread_instructions", NULL};
    uint64_t dwf[2], pdom[2];
    exec_blocks(6, DWF, ONE_BY_ONE, text, name, dwf);
    exec_blocks(6, PDOM, ONE_BY_ONE, text, name + 1, pdom + 1);
    assert_true(dwf[0] > 0);
    assert_int_equal(dwf[1], pdom[1]);
}

/* Even lanes of warp 0 load a word, and odd lanes of warp 1 add; the others exit. All of them fit into one warp behind that, but those that
 * add are far away when the word has come: no warp of more than 16 threads issues again. */
static void test_divergence_runs__threads_come_back_when_their_instruction_is_complete(void **state)
{
    (void)state;
    static const char text[] =
        GLOBAL_HEAD "setp.lt.u32 %p, %r0, 32;\n@%p bra L;\nbra.uni M;\nL:\nxor.b32 %r3, %r3, 1;\nM:\n"
                    "setp.eq.u32 %p, %r3, 0;\n@%p bra X;\nsetp.lt.u32 %p, %r0, 32;\n@%p bra A;\nadd.u32 %r2, %r0, 1;\n"
                    "bra.uni E;\nA:\nld.global.u32 %r1, [%d];\nE:\nadd.u32 %r2, %r0, 1;\nadd.u32 %r2, %r2, 1;\n"
                    "add.u32 %r2, %r2, 1;\nadd.u32 %r2, %r2, 1;\nX:\nret;\n}\n";
    static const char *const name[] = {"simd_w13_16", "simd_w29_32", NULL};
    uint64_t cycles[2];
    exec_counting(DWF, ONE_BY_ONE, text, name, cycles);
    /* of two warps of 16: setp, bra and the four additions, ret, and ret of those that have exited before; of one: add, bra, and ld */
    assert_int_equal(cycles[0], 2 * (1 + 1 + 4 + 1 + 1) + 3);
    assert_int_equal(cycles[1], 2 * (3 + 2 + 1 + 2)); /* mov, mov, and; setp, bra; bra or xor; setp, bra */
}

/* Of each of two warps half the threads go one way, in lanes that fit together. */
static void test_divergence_runs__static_warps_of_one_launch(void **state)
{
    (void)state;
    static const char text[] = HEAD "mov.u32 %r0, %tid.x; sub.u32 %r0, %r0, 16; setp.lt.u32 %p, %r0, 32;\n@%p bra A;\nmov.u32 %r1, 1;\n"
                                    "A:\nret;\n}\n";
    int64_t made[2];
    const char *settings[] = {MACHINE, mechanism[TBC][0], NULL, NULL};
    for (int wanted = 0; wanted < 2; wanted++) {
        struct cowarp_options o;
        struct cowarp_gpu *gpu = NULL;
        struct cowarp_module *module;
        cowarp_options_init(&o);
        o.settings = settings;
        struct cowarp_launch l = {.size = sizeof l, .kernel = "k", .grid = {1, 1, 1}, .block = {64, 1, 1}, .static_warps = wanted};
        assert_int_equal(cowarp_create(&gpu, &o), 0);
        assert_int_equal(cowarp_load(gpu, &module, text, strlen(text), "k.ptx"), 0);
        assert_int_equal(cowarp_run(gpu, module, &l), 0);
        made[wanted] = (int64_t)counter_of(gpu, "tbc_warps_made");
        l.static_warps = !wanted; /* a launch's own */
        assert_int_equal(cowarp_run(gpu, module, &l), 0);
        made[wanted] = 2 * made[wanted] - (int64_t)counter_of(gpu, "tbc_warps_made");
        cowarp_destroy(gpu);
    }
    assert_int_equal(made[0], -1); /* compacted, the side of the addition is one warp; static, two */
    assert_int_equal(made[1], 1);
    struct exec x;
    exec_with(&x, DWF, text, 1);
    assert_int_equal(x.status, COWARP_EINVAL);
    assert_non_null(strstr(x.error, "set core.divergence=tbc or pdom"));
    exec_with(&x, PDOM, text, 1);
    assert_int_equal(x.status, COWARP_OK);
}

/* A promise that is not kept: warps of a block part at a branch marked .uni. */
static void test_divergence_runs__a_false_uni(void **state)
{
    (void)state;
    static const char text[] = HEAD "mov.u32 %r0, %tid.x; setp.lt.u32 %p, %r0, 32; setp.lt.u32 %q, %r0, 40;\n@%p bra.uni A;\n@%q bra B;\n"
                                    "mov.u32 %r1, 1;\nB: ret;\nA:\n@%q bra C;\nmov.u32 %r1, 2;\nC: ret;\n}\n";
    struct exec x;
    exec(&x, TBC, text);
    assert_int_equal(x.status, COWARP_EFAULT);
    assert_non_null(strstr(x.error, "tbc.sync=all"));
    exec(&x, DWF, text);
    assert_int_equal(x.status, COWARP_OK);
}

/* ---- likely convergence by the branches of an earlier run ---- */

/* Figure 3.8 with a counter: eight rounds; each thread is at B in two of them; lane 7 of each warp comes to D in its third round. */
#define FIGURE_3_8                                                                                                                  \
    ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"                                        \
    ".reg .b32 %r<8>; .reg .pred %p<4>; .reg .b64 %d<3>;\n"                                                                         \
    "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, 0; mov.u32 %r2, 0; and.b32 %r3, %r0, 31; mul.lo.u32 %r3, %r3, 8;\n" \
    "A: add.u32 %r4, %r0, %r1; and.b32 %r4, %r4, 3; setp.eq.u32 %p1, %r4, 0; add.u32 %r5, %r3, %r1; setp.ne.u32 %p2, %r5, 58;\n"    \
    "@%p1 bra B;\n"                                                                                                                 \
    "@%p2 bra E;\n"                                                                                                                 \
    "add.u32 %r2, %r2, 1000; bra.uni F;\n"                                                                                          \
    "E: mad.lo.u32 %r2, %r2, 3, %r1; add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, 8;\n"                                               \
    "@%p3 bra A;\nbra.uni F;\n"                                                                                                     \
    "B: xor.b32 %r2, %r2, 5; bra.uni E;\n"                                                                                          \
    "F: mad.wide.u32 %d1, %r0, 4, %d0; st.global.u32 [%d1], %r2; ret;\n}\n"

/* A thread comes to A in each of its rounds, and goes to B when its lane and the round add up to a multiple of 4: twice in eight. 62
 * threads make eight rounds. Lanes 7 and 39 come to A three times, go to B once (round 1), and leave at D in the third (8 * 7 + 2 = 58). So
 * 502 threads come to A and 126 go to B; of the other 376, 2 go to D; 500 come to E, and 62 go on to F from there. */
static const char *const figure_3_8_branches[] = {"line 9: 20=126 next=376\n", "line 10: 15=374 next=2\n", "line 13: 6=438 next=62\n"};

struct figure_run {
    uint32_t result[64];
    uint64_t warp_instructions, joins;
};

static void run_kernel(struct figure_run *r, const char *text, const char *const *settings, int reverse_ticks, const char *record,
                       const char *profile)
{
    struct cowarp_options o;
    struct cowarp_gpu *gpu = NULL;
    struct cowarp_module *module = NULL;
    uint64_t out;
    cowarp_options_init(&o);
    o.settings = settings;
    o.reverse_ticks = reverse_ticks;
    o.record_branches = record != NULL;
    o.lcp_profile = profile;
    if (cowarp_create(&gpu, &o) != 0 || cowarp_load(gpu, &module, text, strlen(text), "k.ptx") != 0)
        fail_msg("%s", cowarp_error(gpu));
    assert_int_equal(cowarp_alloc(gpu, &out, sizeof r->result), 0);
    const struct cowarp_arg arg = COWARP_U64(out);
    const struct cowarp_launch l = {.size = sizeof l, .kernel = "k", .grid = {1, 1, 1}, .block = {64, 1, 1}, .arg_count = 1, .args = &arg};
    if (cowarp_run(gpu, module, &l) != 0)
        fail_msg("%s", cowarp_error(gpu));
    assert_int_equal(cowarp_read(gpu, r->result, out, sizeof r->result), 0);
    r->warp_instructions = counter_of(gpu, "warp_instructions");
    r->joins = counter_of(gpu, "lcp_joins");
    if (record != NULL)
        assert_int_equal(cowarp_write_branches(gpu, record), 0);
    cowarp_destroy(gpu);
}

/* What a thread computes, by C. */
static uint32_t figure_result(uint32_t thread)
{
    uint32_t sum = 0;
    for (uint32_t round = 0; round < 8; round++) {
        if ((thread + round) % 4 == 0)
            sum ^= 5;
        else if (thread % 32 == 7 && round == 2)
            return sum + 1000;
        sum = 3 * sum + round;
    }
    return sum;
}

static void expect_figure(const struct figure_run *r)
{
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(r->result[i], figure_result(i));
}

static void expect_figure_branches(const char *path)
{
    char line[200];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    assert_string_equal(line, "cowarp branches 1\n");
    assert_non_null(fgets(line, sizeof line, f));
    assert_int_equal(strncmp(line, "kernel k ", 9), 0);
    for (uint32_t i = 0; i < 3; i++) {
        assert_non_null(fgets(line, sizeof line, f));
        assert_non_null(strstr(line, " line "));
        assert_string_equal(strstr(line, " line ") + 1, figure_3_8_branches[i]);
    }
    assert_non_null(fgets(line, sizeof line, f));
    assert_string_equal(line, "end\n");
    fclose(f);
}

/* Every mechanism counts the same, in either order of ticks; with the profile the threads meet at E and not only at F, so there is less to
 * issue. */
static void test_divergence_runs__profile(void **state)
{
    (void)state;
    static const char record[] = "figure_3_8.branches", again[] = "figure_3_8_again.branches";
    for (uint32_t m = 0; m < MECHANISMS; m++) {
        const bool stack = m == PDOM || m >= TBC;
        const char *settings[] = {MACHINE, mechanism[m][0], stack ? "core.lcp=profile" : mechanism[m][1], stack ? mechanism[m][1] : NULL,
                                  NULL};
        const char *plain[] = {MACHINE, mechanism[m][0], mechanism[m][1], NULL};
        struct figure_run off, profiled;
        run_kernel(&off, FIGURE_3_8, plain, m % 2, record, NULL);
        expect_figure(&off);
        expect_figure_branches(record);
        assert_int_equal(off.joins, 0);
        if (!stack)
            continue;
        run_kernel(&profiled, FIGURE_3_8, settings, m / 2 % 2, again, record);
        expect_figure(&profiled);
        expect_figure_branches(again);
        assert_true(profiled.joins > 0);
        if (profiled.warp_instructions >= off.warp_instructions)
            fail_msg("%s: %llu warp instructions with the profile, %llu without", mechanism[m][0],
                     (unsigned long long)profiled.warp_instructions, (unsigned long long)off.warp_instructions);
        remove(again);
    }
    remove(record);
}

/* Sixteen rounds. In each, one of eight threads takes the side; the others make two rounds of a loop that they could leave for F, and come to
 * E by the test at its head, which its whole warp takes one way. Who leaves for F would do so for good, so that without a likely-convergence
 * point the sides meet at F only, and run all later rounds apart. */
#define ONE_WAY_LOOP                                                                                             \
    ".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"                     \
    ".reg .b32 %r<8>; .reg .pred %p<5>; .reg .b64 %d<3>;\n"                                                      \
    "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, 0; mov.u32 %r2, 0;\n"                            \
    "A: add.u32 %r4, %r0, %r1; and.b32 %r4, %r4, 7; mov.u32 %r5, 0; setp.eq.u32 %p1, %r4, 0;\n@%p1 bra SIDE;\n"  \
    "B: setp.ge.u32 %p2, %r5, 2;\n@%p2 bra E;\nadd.u32 %r6, %r2, %r5; setp.eq.u32 %p3, %r6, -77;\n@%p3 bra F;\n" \
    "add.u32 %r2, %r2, 7; add.u32 %r5, %r5, 1; bra B;\nSIDE: xor.b32 %r2, %r2, 5;\n"                             \
    "E: mad.lo.u32 %r2, %r2, 3, %r1; add.u32 %r1, %r1, 1; setp.lt.u32 %p4, %r1, 16;\n@%p4 bra A;\n"              \
    "F: mad.wide.u32 %d1, %r0, 4, %d0; st.global.u32 [%d1], %r2; ret;\n}\n"

static uint32_t one_way_result(uint32_t thread)
{
    uint32_t sum = 0;
    for (uint32_t round = 0; round < 16; round++)
        sum = 3 * ((thread + round) % 8 == 0 ? sum ^ 5 : sum + 14) + round;
    return sum;
}

/* A block that takes one way at a branch keeps its likely-convergence point. Threads that go to the side have the same lanes in both warps, so
 * there is nothing to compact: what issues is what issues under pdom, whose stacks are other code. */
static void test_divergence_runs__a_branch_to_one_side_keeps_the_meeting_point(void **state)
{
    (void)state;
    uint64_t issued[2][2];
    for (uint32_t m = 0; m < 2; m++)
        for (uint32_t likely = 0; likely < 2; likely++) {
            const char *settings[] = {MACHINE, mechanism[m == 0 ? PDOM : TBC][0], likely ? "core.lcp=loop" : "core.lcp=off", NULL};
            struct figure_run r;
            run_kernel(&r, ONE_WAY_LOOP, settings, 0, NULL, NULL);
            for (uint32_t i = 0; i < 64; i++)
                assert_int_equal(r.result[i], one_way_result(i));
            issued[m][likely] = r.warp_instructions;
        }
    assert_int_equal(issued[1][0], issued[0][0]);
    assert_int_equal(issued[1][1], issued[0][1]);
    assert_true(issued[1][0] > 4 * issued[1][1]);
}

/* Several launches are one sum, of kernels in the order of their first launch; also beyond a launch that failed. */
static void test_divergence_runs__branches_of_several_launches(void **state)
{
    (void)state;
    static const char text[] = ".version 6.0\n.target sm_70\n.address_size 64\n"
                               ".visible .entry never() { .reg .pred %p; .reg .b32 %r; mov.u32 %r, %tid.x;\nsetp.eq.u32 %p, %r, 0;\n"
                               "@%p bra X;\nX: ret; }\n"
                               ".visible .entry odd() { .reg .pred %p; .reg .b32 %r; mov.u32 %r, %tid.x; and.b32 %r, %r, 1;\n"
                               "setp.ne.u32 %p, %r, 0;\n@%p bra X;\nX: ret; }\n"
                               ".visible .entry bad() { .reg .pred %p; .reg .b32 %r; mov.u32 %r, %tid.x;\n"
                               "setp.ne.u32 %p, %r, 0;\n@%p bra X;\ntrap;\nX: ret; }\n";
    static const char path[] = "several.branches";
    const char *settings[] = {MACHINE, NULL};
    char found[600];
    struct cowarp_options o;
    struct cowarp_gpu *gpu = NULL;
    struct cowarp_module *module;
    cowarp_options_init(&o);
    o.settings = settings;
    o.record_branches = 1;
    struct cowarp_launch l = {.size = sizeof l, .kernel = "bad", .grid = {1, 1, 1}, .block = {32, 1, 1}};
    assert_int_equal(cowarp_create(&gpu, &o), 0);
    assert_int_equal(cowarp_load(gpu, &module, text, sizeof text - 1, "k.ptx"), 0);
    assert_int_equal(cowarp_run(gpu, module, &l), COWARP_EFAULT);
    assert_int_equal(cowarp_reset(gpu), 0);
    l.kernel = "odd";
    for (uint32_t blocks = 1; blocks <= 3; blocks++) {
        l.grid[0] = blocks;
        l.block[0] = 31 + blocks;
        assert_int_equal(cowarp_run(gpu, module, &l), 0);
    }
    assert_int_equal(cowarp_write_branches(gpu, path), 0);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    found[fread(found, 1, sizeof found - 1, f)] = '\0';
    fclose(f);
    remove(path);
    const char *bad = strstr(found, "kernel bad "), *odd = strstr(found, "kernel odd ");
    assert_true(bad != NULL && odd > bad && strstr(found, "never") == NULL);
    assert_non_null(strstr(bad, ": 4=31 next=1\n"));
    assert_non_null(strstr(odd, ": 4=99 next=101\n")); /* of 32 + 2 * 33 + 3 * 34 threads: 16 + 2 * 16 + 3 * 17 are odd */
    assert_int_equal(cowarp_write_branches(gpu, "no/such/folder/b"), COWARP_EIO);
    cowarp_destroy(gpu);
    o.record_branches = 0;
    assert_int_equal(cowarp_create(&gpu, &o), 0);
    assert_int_equal(cowarp_write_branches(gpu, path), COWARP_EINVAL);
    cowarp_destroy(gpu);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_divergence_runs__profile),
    cmocka_unit_test(test_divergence_runs__a_branch_to_one_side_keeps_the_meeting_point),
    cmocka_unit_test(test_divergence_runs__branches_of_several_launches),
    cmocka_unit_test(test_divergence_runs__programs_are_right),
    cmocka_unit_test(test_divergence_runs__registers_of_other_threads),
    cmocka_unit_test(test_divergence_runs__the_majority_has_a_slot),
    cmocka_unit_test(test_divergence_runs__threads_come_back_when_their_instruction_is_complete),
    cmocka_unit_test(test_divergence_runs__static_warps),
    cmocka_unit_test(test_divergence_runs__a_small_heap),
    cmocka_unit_test(test_divergence_runs__each_core_by_itself),
    cmocka_unit_test(test_divergence_runs__one_result),
    cmocka_unit_test(test_divergence_runs__refusals),
    cmocka_unit_test(test_divergence_runs__warp_wide_instructions),
    cmocka_unit_test(test_divergence_runs__lanes_that_have_not_come),
    cmocka_unit_test(test_divergence_runs__a_stack_that_hands_over),
    cmocka_unit_test(test_divergence_runs__sides_that_exchange),
    cmocka_unit_test(test_divergence_runs__sides_that_do_not),
    cmocka_unit_test(test_divergence_runs__who_holds_a_lock_gets_on),
    cmocka_unit_test(test_divergence_runs__named_barriers_on_two_sides),
    cmocka_unit_test(test_divergence_runs__a_false_uni),
    cmocka_unit_test(test_divergence_runs__static_warps_of_one_launch),
};

CW_TEST_MAIN(tests)
