/* SPDX-License-Identifier: Apache-2.0 */
/* Why a scheduler does not issue, of kernels whose reasons one can count by hand. Integer units take 8 cycles here, special functions 16.
 */
#include "unit/core_rig.h"

#define HEAD PTX_HEAD ".visible .entry k(.param .u64 buf) {\n.reg .b32 %r<32>; .reg .b64 %d<8>; .reg .pred %p<4>; .reg .f32 %f<4>;\n"
#define ADD  "add.u32 %r1, %r1, 1;"
#define ROOT "sqrt.approx.f32 %f1, %f1;"

/* In the order of enum cw_stall. */
struct reasons {
    uint64_t cycles[CW_STALLS];
};

static struct rig *machine(uint32_t schedulers)
{
    struct rig *r = new_rig();
    r->config.core_schedulers = schedulers;
    r->config.core_issue_cycles = 1;
    r->config.l1_pass_cycles = r->config.l1_miss_cycles = r->config.shared_pass_cycles = 1;
    r->config.fu_alu_interval = 1;
    r->config.fu_alu_latency = 8;
    r->config.fu_sfu_latency = r->config.fu_sfu_interval = 16;
    r->count_stalls = true;
    return r;
}

static struct reasons reasons_of(const struct cw_stats *s)
{
    return (struct reasons){{s->issue_issued, s->issue_structural, s->issue_memory, s->issue_fetch, s->issue_scoreboard_alu,
                             s->issue_scoreboard_sfu, s->issue_scoreboard_memory, s->issue_sleep, s->issue_mechanism, s->issue_barrier,
                             s->issue_no_warp}};
}

/* The reasons of one block of so many threads; each scheduler has one for each cycle. */
static struct reasons run_it(struct rig *r, const char *text, uint32_t threads)
{
    run_kernel(r, text, threads, 1);
    const struct reasons got = reasons_of(&r->stats);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < CW_STALLS; i++)
        sum += got.cycles[i];
    assert_int_equal(sum, r->cycles * r->config.core_schedulers);
    assert_int_equal(got.cycles[CW_STALL_ISSUED], r->stats.warp_instructions * r->config.core_issue_cycles);
    destroy_rig(r);
    return got;
}

static void expect(struct reasons got, struct reasons want)
{
    for (uint32_t i = 0; i < CW_STALLS; i++)
        if (got.cycles[i] != want.cycles[i])
            fail_msg("reason %u: %llu cycles, expected %llu", i, (unsigned long long)got.cycles[i], (unsigned long long)want.cycles[i]);
}

/* `more` behaves as `less`, and each reason has so many cycles more. */
static void expect_more(struct reasons more, struct reasons less, struct reasons by)
{
    for (uint32_t i = 0; i < CW_STALLS; i++)
        less.cycles[i] += by.cycles[i];
    expect(more, less);
}

/* The warp comes in the first cycle, which is one of its fetch, and issues from the second one on; its last instruction is the run's last
 * one. */
static void test_core_stalls__dependent_adds(void **state)
{
    (void)state;
    expect(run_it(machine(1), HEAD "mov.u32 %r1, 1;" ADD ADD ADD ADD ADD "ret; }", 32),
           (struct reasons){{[CW_STALL_ISSUED] = 7, [CW_STALL_SCOREBOARD_ALU] = 5 * 7, [CW_STALL_FETCH] = 1}});
}

static void test_core_stalls__special_functions(void **state)
{
    (void)state;
    expect(
        run_it(machine(1), HEAD "mov.f32 %f1, 0f40000000;" ROOT ROOT ROOT "add.f32 %f2, %f1, %f1; ret; }", 32),
        (struct reasons){{[CW_STALL_ISSUED] = 6, [CW_STALL_SCOREBOARD_ALU] = 7, [CW_STALL_SCOREBOARD_SFU] = 3 * 15, [CW_STALL_FETCH] = 1}});
}

/* Each load of the chase waits for the one before it. */
static void test_core_stalls__pointer_chase(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "ld.param.u64 %d1, [buf]; ld.global.u64 %d2, [%d1]; and.b64 %d2, %d2, 0; add.u64 %d2, %d2, %d1; ld.global.u64 %d2, [%d2];"
             "and.b64 %d2, %d2, 0; add.u64 %d2, %d2, %d1; ld.global.u64 %d2, [%d2]; add.u64 %d2, %d2, %d1; ret; }";
    struct rig *slow = machine(1);
    slow->slower = 100;
    const struct reasons quick = run_it(machine(1), text, 32);
    expect_more(run_it(slow, text, 32), quick, (struct reasons){{[CW_STALL_SCOREBOARD_MEMORY] = 3 * 100}});
    /* the parameter and each address but the last one is waited for in the integer unit */
    assert_int_equal(quick.cycles[CW_STALL_SCOREBOARD_ALU], 7 + 2 * 14);
    assert_int_equal(quick.cycles[CW_STALL_ISSUED], 10);
}

/* Two warps whose roots do not depend on anything: the second waits for the unit as long as the first has it. */
static void test_core_stalls__unit_taken(void **state)
{
    (void)state;
    static const char text[] = HEAD "sqrt.approx.f32 %f1, 0f40000000; ret; }";
    struct rig *longer = machine(1);
    longer->config.fu_sfu_interval = 46;
    const struct reasons shorter = run_it(machine(1), text, 64);
    /* the first warp's root, and its end in the next cycle; the second warp's root when the unit is free */
    expect(shorter, (struct reasons){{[CW_STALL_ISSUED] = 4, [CW_STALL_STRUCTURAL] = 16 - 2, [CW_STALL_FETCH] = 1}});
    expect_more(run_it(longer, text, 64), shorter, (struct reasons){{[CW_STALL_STRUCTURAL] = 30}});
}

/* Loads of 32 words of one bank, which keep the head of a queue of one place for 32 cycles each. Their results are used, or they would have
 * one register. */
static void test_core_stalls__queue_full(void **state)
{
    (void)state;
#define CONFLICTS(loads)                                                                                                         \
    HEAD ".shared .b32 s[1024]; mov.u32 %r1, %tid.x; mul.lo.u32 %r1, %r1, 128; mov.u32 %r6, s; add.u32 %r1, %r1, %r6;"           \
         "mov.u32 %r5, 0; mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 0;" loads "add.u32 %r2, %r2, %r3; add.u32 %r4, %r4, %r5;" \
         "add.u32 %r2, %r2, %r4; ret; }"
#define THREE "ld.shared.u32 %r2, [%r1]; ld.shared.u32 %r3, [%r1]; ld.shared.u32 %r4, [%r1];"
    struct rig *a = machine(1), *b = machine(1);
    a->config.core_mem_queue = b->config.core_mem_queue = 1;
    const struct reasons three = run_it(a, CONFLICTS(THREE), 32), four = run_it(b, CONFLICTS(THREE "ld.shared.u32 %r5, [%r1];"), 32);
    expect_more(four, three, (struct reasons){{[CW_STALL_ISSUED] = 1, [CW_STALL_MEMORY] = 31}});
    assert_true(three.cycles[CW_STALL_MEMORY] > 0);
}

/* Each taken branch costs core.fetch_cycles. */
static void test_core_stalls__taken_branches(void **state)
{
    (void)state;
    static const char text[] = HEAD "mov.u32 %r1, 5; L: sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L; ret; }";
    struct rig *r = machine(1);
    r->config.core_fetch_cycles = 6;
    expect(run_it(r, text, 32),
           (struct reasons){{[CW_STALL_ISSUED] = 1 + 5 * 3 + 1, [CW_STALL_SCOREBOARD_ALU] = 7 + 5 * 14, [CW_STALL_FETCH] = 1 + 4 * 5}});
}

/* 1,400 cycles are 1,000 ns. The instruction behind it is the next one a cycle after it anyway. */
static void test_core_stalls__sleep(void **state)
{
    (void)state;
    expect(run_it(machine(1), HEAD "nanosleep.u32 1000; ret; }", 32),
           (struct reasons){{[CW_STALL_ISSUED] = 2, [CW_STALL_SLEEP] = 1400, [CW_STALL_FETCH] = 1}});
}

/* Warp 0 is scheduler 0's, warp 1 is scheduler 1's. Each add that warp 1 has before the barrier makes warp 0 wait for it. */
static void test_core_stalls__barrier(void **state)
{
    (void)state;
#define UNEQUAL(adds) HEAD "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra J;" adds "J: bar.sync 0; ret; }"
    const struct reasons three = run_it(machine(2), UNEQUAL(ADD ADD ADD), 64), five = run_it(machine(2), UNEQUAL(ADD ADD ADD ADD ADD), 64);
    expect_more(five, three, (struct reasons){{[CW_STALL_ISSUED] = 2, [CW_STALL_SCOREBOARD_ALU] = 2 * 7, [CW_STALL_BARRIER] = 2 * 8}});
    /* With one scheduler the warp that does not wait at the barrier says what the cycle is. */
    const struct reasons alone = run_it(machine(1), UNEQUAL(ADD ADD ADD), 64);
    assert_int_equal(alone.cycles[CW_STALL_BARRIER], 0);
}

/* A scheduler without a warp, and a warp whose threads have exited. */
static void test_core_stalls__no_warp(void **state)
{
    (void)state;
    struct rig *r = machine(2);
    run_kernel(r, HEAD "mov.u32 %r1, 1;" ADD ADD "ret; }", 32, 1);
    assert_int_equal(r->stats.issue_no_warp, r->cycles);
    assert_int_equal(r->stats.issue_issued, 4);
    destroy_rig(r);
    static const char text[] = HEAD "ld.param.u64 %d1, [buf]; ld.global.u32 %r1, [%d1]; ret; }";
    struct rig *slow = machine(1);
    slow->slower = 100;
    const struct reasons quick = run_it(machine(1), text, 32);
    expect_more(run_it(slow, text, 32), quick, (struct reasons){{[CW_STALL_NO_WARP] = 100}});
}

/* While one warp waits for memory and the other for an add, the cycle is the add's: more adds take cycles from the memory. */
static void test_core_stalls__soonest_first(void **state)
{
    (void)state;
#define BOTH(adds)                                                                                                                      \
    HEAD "ld.param.u64 %d1, [buf]; mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra M;" adds "ret; M: ld.global.u32 %r2, [%d1];" \
         "add.u32 %r2, %r2, 1; ret; }"
    struct rig *a = machine(1), *b = machine(1);
    a->slower = b->slower = 500;
    const struct reasons two = run_it(a, BOTH(ADD ADD), 64), five = run_it(b, BOTH(ADD ADD ADD ADD ADD), 64);
    assert_int_equal(five.cycles[CW_STALL_SCOREBOARD_ALU], two.cycles[CW_STALL_SCOREBOARD_ALU] + 3 * 7);
    assert_int_equal(five.cycles[CW_STALL_SCOREBOARD_MEMORY], two.cycles[CW_STALL_SCOREBOARD_MEMORY] - 3 * 8);
    assert_int_equal(five.cycles[CW_STALL_ISSUED], two.cycles[CW_STALL_ISSUED] + 3);
}

/* A fence waits for its store's acknowledgement. */
static void test_core_stalls__fence(void **state)
{
    (void)state;
    static const char text[] = HEAD "ld.param.u64 %d1, [buf]; st.global.u32 [%d1], 5; membar.gl; ret; }";
    struct rig *slow = machine(1);
    slow->slower = 100;
    const struct reasons quick = run_it(machine(1), text, 32);
    expect_more(run_it(slow, text, 32), quick, (struct reasons){{[CW_STALL_MEMORY] = 100}});
}

/* A mechanism that holds a fence back until a cycle. */
struct holder {
    struct rig *rig;
    uint64_t until;
    bool asked;
};

static bool hold_fence(void *self, uint32_t warp, const struct cw_uop *uop, cw_time now)
{
    struct holder *h = self;
    (void)warp;
    (void)uop;
    h->asked = true;
    return now >= h->until;
}

static cw_time wake_at(void *self, cw_time now)
{
    struct holder *h = self;
    if (h->asked && now >= h->until)
        cw_core_wake_warp(h->rig->core, 0, now);
    return now < h->until ? h->until : CW_TIME_NEVER;
}

static struct reasons held_until(uint64_t until)
{
    static const struct cw_core_sockets sockets = {.fence = hold_fence, .tick = wake_at};
    struct cw_error err;
    struct rig *r = machine(1);
    struct holder h = {.rig = r, .until = until};
    create_machine(r);
    assert_int_equal(cw_core_attach(r->core, &sockets, &h, NULL, &err), 0);
    load(r, HEAD "membar.gl; ret; }");
    prepare(r, 32, 1);
    run(r);
    assert_int_equal(r->fault, 0);
    const struct reasons got = reasons_of(&r->stats);
    destroy_rig(r);
    return got;
}

/* It asks in cycle 1, and issues in the cycle in which it may. */
static void test_core_stalls__mechanism(void **state)
{
    (void)state;
    expect(held_until(41), (struct reasons){{[CW_STALL_ISSUED] = 2, [CW_STALL_MECHANISM] = 40, [CW_STALL_FETCH] = 1}});
}

/* A core that sleeps counts what one counts that is woken in each cycle, and nothing else changes by the counting. */
static void test_core_stalls__of_a_core_that_sleeps(void **state)
{
    (void)state;
    static const char text[] =
        PTX_HEAD ENTRY "setp.gt.u32 %p1, %t, 20; mov.u32 %r2, 3; @%p1 bra J; L: ld.global.u32 %r1, [%e]; add.u32 %n, %n, %r1;"
                       "nanosleep.u32 300; sub.u32 %r2, %r2, 1; setp.ne.u32 %p2, %r2, 0; @%p2 bra L; J: st.global.u32 [%e+4096], %n;"
                       "bar.sync 0; membar.gl; ret; }";
    struct rig *r[3];
    for (uint32_t i = 0; i < 3; i++) {
        r[i] = new_rig();
        r[i]->every_cycle = i == 1;
        r[i]->count_stalls = i < 2;
        r[i]->config.core_warps = 4;
        run_kernel(r[i], text, 50, 7);
    }
    assert_true(r[0]->ticks < r[1]->ticks);
    assert_memory_equal(&r[0]->stats, &r[1]->stats, sizeof r[0]->stats);
    const struct reasons got = reasons_of(&r[0]->stats);
    for (uint32_t i = CW_STALL_FETCH; i < CW_STALL_NO_WARP; i++)
        if ((got.cycles[i] > 0) == (i == CW_STALL_SCOREBOARD_SFU || i == CW_STALL_MECHANISM))
            fail_msg("reason %u: %llu cycles", i, (unsigned long long)got.cycles[i]);
    assert_int_equal(r[0]->cycles, r[2]->cycles);
    expect(reasons_of(&r[2]->stats), (struct reasons){{0}});
    struct cw_stats without = r[0]->stats;
    without.issue_issued = without.issue_structural = without.issue_memory = without.issue_fetch = without.issue_scoreboard_alu = 0;
    without.issue_scoreboard_sfu = without.issue_scoreboard_memory = without.issue_sleep = without.issue_mechanism = 0;
    without.issue_barrier = without.issue_no_warp = 0;
    assert_memory_equal(&without, &r[2]->stats, sizeof without);
    for (uint32_t i = 0; i < 3; i++)
        destroy_rig(r[i]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_core_stalls__dependent_adds),
    cmocka_unit_test(test_core_stalls__special_functions),
    cmocka_unit_test(test_core_stalls__pointer_chase),
    cmocka_unit_test(test_core_stalls__unit_taken),
    cmocka_unit_test(test_core_stalls__queue_full),
    cmocka_unit_test(test_core_stalls__taken_branches),
    cmocka_unit_test(test_core_stalls__sleep),
    cmocka_unit_test(test_core_stalls__barrier),
    cmocka_unit_test(test_core_stalls__no_warp),
    cmocka_unit_test(test_core_stalls__soonest_first),
    cmocka_unit_test(test_core_stalls__fence),
    cmocka_unit_test(test_core_stalls__mechanism),
    cmocka_unit_test(test_core_stalls__of_a_core_that_sleeps),
};

CW_TEST_MAIN(tests)
