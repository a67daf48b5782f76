/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order that a core keeps for acquire and release: when its requests reach a memory that answers LATENCY cycles later. What must
 * wait for an answer arrives at least that much after the request that it waits for; what need not wait arrives a few cycles after it.
 */
#include "core_rig.h"

#define LATENCY 600u

/* Words of the buffer, in lines of their own. */
#define X 0u
#define Y 4096u

static struct rig *slow_rig(void)
{
    struct rig *r = new_rig();
    r->slower = LATENCY - MEMORY_LATENCY;
    return r;
}

/* When the nth request for the line of a word arrived. */
static cw_time arrived(const struct rig *r, uint32_t at, uint32_t nth)
{
    for (uint32_t i = 0; i < r->arrival_cnt; i++)
        if (r->arrival[i].addr == r->buffer + 4u * at && nth-- == 0)
            return r->arrival[i].at;
    fail_msg("no such request");
    return 0;
}

static uint32_t requests(const struct rig *r, uint32_t at)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->arrival_cnt; i++)
        n += r->arrival[i].addr == r->buffer + 4u * at;
    return n;
}

static cw_time between(const struct rig *r)
{
    return arrived(r, Y, 0) - arrived(r, X, 0);
}

/* Cycles from the first request for X to the first for Y, of a kernel with one thread. Its results %r1 and %r2 are used afterwards: else
 * they might share a register, and the second access would wait for that. */
static cw_time gap(const char *body)
{
    char text[1024];
    snprintf(text, sizeof text, "%smov.u32 %%r1, 0; mov.u32 %%r2, 0; %s add.u32 %%r3, %%r1, %%r2; st.global.u32 [%%a+32768], %%r3; ret; }",
             PTX_HEAD ENTRY, body);
    struct rig *r = run_kernel(slow_rig(), text, 1, 1);
    const cw_time t = between(r);
    destroy_rig(r);
    return t;
}

static void must_wait(const char *body)
{
    const cw_time t = gap(body);
    if (t < LATENCY)
        fail_msg("%s: the second access follows after %llu cycles", body, (unsigned long long)t);
}

static void need_not_wait(const char *body)
{
    const cw_time t = gap(body);
    if (t >= LATENCY)
        fail_msg("%s: the second access follows only after %llu cycles", body, (unsigned long long)t);
}

static void test_core_order__release_waits_for_stores_and_loads(void **state)
{
    (void)state;
    static const char *const first[] = {"st.global.u32 [%a], 1;", "ld.global.u32 %r1, [%a];", "red.global.add.u32 [%a], 1;",
                                        "atom.global.add.u32 %r1, [%a], 1;"};
    static const char *const second[] = {"st.release.gpu.global.u32 [%a+16384], 1;",
                                         "st.release.sys.global.u32 [%a+16384], 1;",
                                         "atom.release.gpu.global.add.u32 %r2, [%a+16384], 1;",
                                         "atom.acq_rel.sys.global.exch.b32 %r2, [%a+16384], 1;",
                                         "red.release.gpu.global.add.u32 [%a+16384], 1;",
                                         "st.release.gpu.u32 [%a+16384], 1;"};
    char body[256];
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 6; j++) {
            snprintf(body, sizeof body, "%s %s", first[i], second[j]);
            must_wait(body);
        }
}

static void test_core_order__plain_and_block_scope_do_not(void **state)
{
    (void)state;
    need_not_wait("st.global.u32 [%a], 1; st.global.u32 [%a+16384], 1;");
    need_not_wait("st.global.u32 [%a], 1; st.relaxed.gpu.global.u32 [%a+16384], 1;");
    need_not_wait("st.global.u32 [%a], 1; st.release.cta.global.u32 [%a+16384], 1;");
    need_not_wait("st.global.u32 [%a], 1; atom.acquire.gpu.global.add.u32 %r2, [%a+16384], 1;");
    need_not_wait("ld.relaxed.gpu.global.u32 %r1, [%a]; ld.global.u32 %r2, [%a+16384];");
    need_not_wait("st.global.u32 [%a], 1; fence.acq_rel.cta; ld.global.u32 %r2, [%a+16384];");
    need_not_wait("st.release.gpu.global.u32 [%a], 1; st.global.u32 [%a+16384], 1;");
}

/* An atomic whose old value nobody wants still has to have been performed. */
static void test_core_order__later_accesses_wait_for_an_acquire(void **state)
{
    (void)state;
    must_wait("ld.acquire.gpu.global.u32 %r1, [%a]; ld.global.u32 %r2, [%a+16384];");
    must_wait("ld.acquire.sys.global.u32 %r1, [%a]; st.global.u32 [%a+16384], 1;");
    must_wait("atom.acquire.gpu.global.add.u32 %r1, [%a], 1; ld.global.u32 %r2, [%a+16384];");
    must_wait("atom.acq_rel.gpu.global.add.u32 _, [%a], 1; ld.global.u32 %r2, [%a+16384];");
    must_wait("ld.acquire.gpu.u32 _, [%a]; red.global.add.u32 [%a+16384], 1;");
    must_wait("st.global.u32 [%a], 1; fence.acq_rel.gpu; ld.global.u32 %r2, [%a+16384];");
    must_wait("ld.global.u32 %r1, [%a]; fence.sc.sys; ld.global.u32 %r2, [%a+16384];");
    must_wait("st.global.u32 [%a], 1; membar.gl; ld.global.u32 %r2, [%a+16384];");
}

/* Two warps: the first does something, and after the block has synchronised the second releases. What it releases is the first one's too.
 */
static cw_time two_warps(const char *first, const char *meet, const char *second)
{
    char text[1024];
    snprintf(text, sizeof text,
             "%s.shared .align 4 .u32 flag;\n%s and.b32 %%r9, %%t, 31; setp.ne.u32 %%p2, %%r9, 0; setp.ge.u32 %%p1, %%t, 32; @%%p1 bra B;\n"
             "@!%%p2 %s\n%s ret;\nB: %s @!%%p2 %s ret; }",
             PTX_HEAD, ENTRY, first, meet, meet, second);
    struct rig *r = run_kernel(slow_rig(), text, 64, 1);
    const cw_time t = between(r);
    destroy_rig(r);
    return t;
}

static void test_core_order__a_release_covers_what_the_block_did_before_a_barrier(void **state)
{
    (void)state;
    static const char st[] = "st.global.u32 [%a], 1;", ld[] = "ld.global.u32 %r1, [%a];", bar[] = "bar.sync 0;";
    static const char release[] = "st.release.gpu.global.u32 [%a+16384], 1;", plain[] = "st.global.u32 [%a+16384], 1;";
    assert_true(two_warps(st, bar, release) >= LATENCY);
    assert_true(two_warps(ld, bar, release) >= LATENCY);
    assert_true(two_warps(st, bar, "fence.acq_rel.gpu; st.global.u32 [%a+16384], 1;") >= LATENCY);
    assert_true(two_warps(st, bar, plain) < LATENCY);
    assert_true(two_warps(st, bar, "st.release.cta.global.u32 [%a+16384], 1;") < LATENCY);
    assert_true(two_warps(st, "bar.sync 1, 64;", release) >= LATENCY);
}

/* By a flag in shared memory and block scope: the writer releases it, the reader waits for it. */
static void test_core_order__a_release_covers_what_a_flag_of_the_block_published(void **state)
{
    (void)state;
    static const char *const publish[] = {"st.release.cta.shared.u32 [flag], 1;",
                                          "fence.acq_rel.cta; st.relaxed.cta.shared.u32 [flag], 1;"};
    for (size_t i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "%s.shared .align 4 .u32 flag;\n%s setp.ge.u32 %%p1, %%t, 32; @%%p1 bra B;\nst.global.u32 [%%a], 1; %s ret;\n"
                 "B: ld.acquire.cta.shared.u32 %%r1, [flag]; setp.eq.u32 %%p1, %%r1, 0; @%%p1 bra B;\n"
                 "st.release.gpu.global.u32 [%%a+16384], 1; ret; }",
                 PTX_HEAD, ENTRY, publish[i]);
        struct rig *r = run_kernel(slow_rig(), text, 64, 1);
        assert_true(between(r) >= LATENCY);
        destroy_rig(r);
    }
}

/* Block mates that never rest, and synchronise with each other in nearly every cycle, must not hold a release up for ever: two warps keep
 * additions on their way, seven do fences, the tenth releases. */
static void test_core_order__a_release_ends_beside_restless_block_mates(void **state)
{
    (void)state;
    static const char text[] = PTX_HEAD
        ".shared .u32 flag;\n" ENTRY "setp.ge.u32 %p1, %t, 288; @%p1 bra C; setp.ge.u32 %p1, %t, 64; @%p1 bra B;\n"
        "A: red.global.add.u32 [%a+64], 1; ld.volatile.shared.u32 %r1, [flag]; setp.ne.u32 %p1, %r1, 1; @%p1 bra A; ret;\n"
        "B: mov.u32 %r2, 8;\n"
        "F: fence.acq_rel.cta; fence.acq_rel.cta; sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra F;\n"
        "ld.volatile.shared.u32 %r1, [flag]; setp.ne.u32 %p1, %r1, 1; @%p1 bra B; ret;\n"
        "C: nanosleep.u32 3000; fence.acq_rel.gpu; st.release.gpu.global.u32 [%a+16384], 1; st.volatile.shared.u32 [flag], 1; ret; }";
    struct rig *r = run_kernel(slow_rig(), text, 320, 1);
    assert_int_equal(word(r, Y), 1);
    assert_true(r->cycles < 100000);
    destroy_rig(r);
}

/* Two barriers follow each other while the first store is on its way, so the second one's generation ends only when that store has been
 * performed. What the first warp does after that is not the release's business, though it goes on for ten times as long. */
static void test_core_order__a_generation_that_could_not_end_ends_later(void **state)
{
    (void)state;
    static const char text[] = PTX_HEAD ENTRY
        "and.b32 %r9, %t, 31; setp.ne.u32 %p2, %r9, 0; setp.ge.u32 %p1, %t, 32; @%p1 bra B;\n"
        "@!%p2 st.global.u32 [%a], 1; bar.sync 0; @!%p2 st.global.u32 [%a+64], 1; bar.sync 0; @%p2 ret; mov.u32 %r2, 100;\n"
        "A: red.global.add.u32 [%a+128], 1; nanosleep.u32 64; sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra A; ret;\n"
        "B: bar.sync 0; bar.sync 0; @!%p2 st.release.gpu.global.u32 [%a+16384], 1; ret; }";
    struct rig *r = run_kernel(slow_rig(), text, 64, 1);
    assert_int_equal(word(r, 32), 32 + 100); /* the buffer holds its indices at first */
    assert_in_range(between(r), LATENCY, 3 * LATENCY);
    assert_true(r->cycles > 10 * LATENCY);
    destroy_rig(r);
}

/* With global lines in the L1: the second load of X hits, unless something between the two has acquired. */
static uint32_t loads_of_x(const char *between_them)
{
    char text[1024];
    struct rig *r = slow_rig();
    r->config.l1_global = CW_ON;
    snprintf(text, sizeof text,
             "%sld.global.u32 %%r1, [%%a]; add.u32 %%r2, %%r1, 1; st.global.u32 [%%a+32768], %%r2; %s ld.global.u32 %%r3, [%%a];\n"
             "st.global.u32 [%%a+32772], %%r3; ret; }",
             PTX_HEAD ENTRY, between_them);
    run_kernel(r, text, 1, 1);
    const uint32_t n = requests(r, X);
    destroy_rig(r);
    return n;
}

static void test_core_order__an_acquire_empties_the_l1(void **state)
{
    (void)state;
    assert_int_equal(loads_of_x(""), 1);
    assert_int_equal(loads_of_x("ld.acquire.gpu.global.u32 %r4, [%a+16384];"), 2);
    assert_int_equal(loads_of_x("atom.acquire.gpu.global.add.u32 %r4, [%a+16384], 1;"), 2);
    assert_int_equal(loads_of_x("fence.acq_rel.gpu;"), 2);
    assert_int_equal(loads_of_x("fence.sc.sys;"), 2);
    assert_int_equal(loads_of_x("membar.gl;"), 2);
    assert_int_equal(loads_of_x("fence.acq_rel.cta;"), 1);
    assert_int_equal(loads_of_x("membar.cta;"), 1);
    assert_int_equal(loads_of_x("ld.acquire.cta.global.u32 %r4, [%a+16384];"), 1);
    assert_int_equal(loads_of_x("ld.relaxed.gpu.global.u32 %r4, [%a+16384];"), 1);
    assert_int_equal(loads_of_x("st.release.gpu.global.u32 [%a+16384], 1;"), 1);
}

/* The reply of a miss that set out before the acquire is as old as the line: it must not come into the cache. Warp 1 loads X just before
 * warp 0 has its acquire; its second load comes after. */
static void test_core_order__an_acquire_drops_replies_under_way(void **state)
{
    (void)state;
    uint32_t overtaken = 0;
    for (uint32_t delay = 0; delay < 900; delay += 50) {
        char text[1024];
        struct rig *r = slow_rig();
        r->config.l1_global = CW_ON;
        snprintf(text, sizeof text,
                 "%sand.b32 %%r9, %%t, 31; setp.ne.u32 %%p2, %%r9, 0; @%%p2 ret; setp.ge.u32 %%p1, %%t, 32; @%%p1 bra B;\n"
                 "ld.acquire.gpu.global.u32 %%r4, [%%a+16384]; ret;\n"
                 "B: nanosleep.u32 %u; ld.global.u32 %%r1, [%%a]; add.u32 %%r2, %%r1, 1; nanosleep.u32 1000; ld.global.u32 %%r3, [%%a];\n"
                 "add.u32 %%r3, %%r3, %%r2; st.global.u32 [%%a+32772], %%r3; ret; }",
                 PTX_HEAD ENTRY, delay);
        run_kernel(r, text, 64, 1);
        const cw_time answered = arrived(r, Y, 0) + LATENCY, asked = arrived(r, X, 0);
        if (asked < answered)
            assert_int_equal(requests(r, X), 2);
        overtaken += asked < answered && asked + LATENCY > answered;
        destroy_rig(r);
    }
    assert_true(overtaken > 0);
}

/* ptxas takes order, scope, space and operation of an atomic in any order. */
static void test_core_order__modifiers_in_any_order(void **state)
{
    (void)state;
    must_wait("st.global.u32 [%a], 1; atom.or.acq_rel.gpu.b32 %r2, [%a+16384], 1;");
    must_wait("st.global.u32 [%a], 1; atom.global.add.release.sys.u32 %r2, [%a+16384], 1;");
    must_wait("st.global.u32 [%a], 1; red.add.release.gpu.global.u32 [%a+16384], 1;");
    must_wait("atom.global.sys.exch.acquire.b32 %r1, [%a], 1; ld.global.u32 %r2, [%a+16384];");
    need_not_wait("st.global.u32 [%a], 1; atom.or.acq_rel.cta.b32 %r2, [%a+16384], 1;");
    need_not_wait("st.global.u32 [%a], 1; atom.global.sys.add.u32 %r2, [%a+16384], 1;");
    need_not_wait("ld.global.L2::cache_hint.u32 %r1, [%a], %d1; st.global.L2::cache_hint.u32 [%a+16384], 1, %d1;");
    must_wait("ld.global.u32 %r1, [%a]; fence.release.gpu; st.global.u32 [%a+16384], 1;");
    must_wait("ld.global.u32 %r1, [%a]; fence.acquire.sys; ld.global.u32 %r2, [%a+16384];");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_core_order__modifiers_in_any_order),
    cmocka_unit_test(test_core_order__release_waits_for_stores_and_loads),
    cmocka_unit_test(test_core_order__plain_and_block_scope_do_not),
    cmocka_unit_test(test_core_order__later_accesses_wait_for_an_acquire),
    cmocka_unit_test(test_core_order__a_release_covers_what_the_block_did_before_a_barrier),
    cmocka_unit_test(test_core_order__a_release_covers_what_a_flag_of_the_block_published),
    cmocka_unit_test(test_core_order__a_release_ends_beside_restless_block_mates),
    cmocka_unit_test(test_core_order__a_generation_that_could_not_end_ends_later),
    cmocka_unit_test(test_core_order__an_acquire_empties_the_l1),
    cmocka_unit_test(test_core_order__an_acquire_drops_replies_under_way),
};

CW_TEST_MAIN(tests)
