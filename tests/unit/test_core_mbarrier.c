/* SPDX-License-Identifier: Apache-2.0 */
/* mbarrier: threads that wait for each other at an object in shared memory, and what the object says about its phase. */
#include "unit/core_rig.h"
#include "unit/load_all.h"

#define HEAD   PTX_HEAD ".shared .align 8 .b64 object;\n.shared .align 16 .b8 tile[1024];\n" ENTRY "mov.u32 %r1, object;"
#define SHARED "shared::cta.b64"
/* Thread 0 makes the object, for as many arrivals as the block has threads. */
#define MAKE                                                                                                           \
    "setp.ne.u32 %p1, %t, 0; @%p1 bra MADE; mbarrier.init.shared.b64 [%r1], %m; fence.mbarrier_init.release.cluster; " \
    "MADE: bar.sync 0; mov.u32 %r2, tile; shl.b32 %r3, %t, 2; add.u32 %r3, %r2, %r3;"
/* In each of four phases a thread writes a word, and reads that of a thread of another warp after the wait. */
#define ROUNDS(WAIT)                                                                                                   \
    MAKE "mov.u32 %r10, 0; mov.u32 %r11, 0; "                                                                          \
         "LOOP: mad.lo.u32 %r4, %r10, 1000, %t; and.b32 %r12, %r10, 1; st.shared.u32 [%r3], %r4; "                     \
         "mbarrier.arrive.release.cta." SHARED " %d1, [%r1]; " WAIT " add.u32 %r5, %t, 33; rem.u32 %r5, %r5, %m; "     \
         "shl.b32 %r5, %r5, 2; add.u32 %r5, %r2, %r5; ld.shared.u32 %r6, [%r5]; add.u32 %r11, %r11, %r6; bar.sync 0; " \
         "add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, 4; @%p3 bra LOOP; st.global.u32 [%e], %r11; ret; }"

static void check_rounds(const char *text)
{
    struct rig *r = run_kernel(new_rig(), text, 96, 1);
    for (uint32_t t = 0; t < 96; t++)
        assert_int_equal(word(r, t), 4 * ((t + 33) % 96) + 6000);
    destroy_rig(r);
}

static void test_core_mbarrier__no_thread_goes_on_before_the_others(void **state)
{
    (void)state;
    check_rounds(HEAD ROUNDS("W: mbarrier.test_wait." SHARED " %p2, [%r1], %d1; @!%p2 bra W;"));
    check_rounds(HEAD ROUNDS("W: mbarrier.test_wait.parity.acquire.cta.shared.b64 %p2, [%r1], %r12; @!%p2 bra W;"));
    check_rounds(HEAD ROUNDS("W: mbarrier.try_wait." SHARED " %p2, [%r1], %d1; @%p2 bra D; bra W; D:"));
    check_rounds(HEAD ROUNDS("W: mbarrier.try_wait.parity." SHARED " %p2, [%r1], %r12, 1000; @%p2 bra D; bra W; D:"));
}

/* The same object through its generic address. */
static void test_core_mbarrier__generic_address(void **state)
{
    (void)state;
    check_rounds(HEAD "cvt.u64.u32 %d3, %r1; cvta.shared.u64 %d4, %d3; " ROUNDS("W: mbarrier.test_wait.b64 %p2, [%d4], %d1; @!%p2 bra W;"));
}

/* One thread alone: what it reads goes to words 0, 1 .. of the buffer. */
static void check_alone(const char *text, const uint32_t *want, uint32_t n)
{
    char all[4096];
    snprintf(all, sizeof all, "%s %s ret; }", HEAD, text);
    struct rig *r = run_kernel(new_rig(), all, 1, 1);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(word(r, i), want[i]);
    destroy_rig(r);
}

#define SAY(WORD, P)         "selp.u32 %r9, 1, 0, " P "; st.global.u32 [%a+" #WORD "*4], %r9; "
#define PENDING(WORD, STATE) "mbarrier.pending_count.b64 %r9, " STATE "; st.global.u32 [%a+" #WORD "*4], %r9; "

static void test_core_mbarrier__counts(void **state)
{
    (void)state;
    static const uint32_t want[] = {5, 4, 0, 1, 0, 1, 5, 0, 1};
    check_alone(
        "mbarrier.init.shared.b64 [%r1], 5; mbarrier.arrive.shared.b64 %d1, [%r1]; " PENDING(0, "%d1") /* before it: 5 */
        "mov.u32 %r4, 3; mbarrier.arrive.noComplete.release.cta.shared.b64 %d2, [%r1], %r4; " PENDING(
            1, "%d2") "mbarrier.test_wait.shared.b64 %p1, [%r1], %d1; " SAY(2, "%p1") /* 4 of 5 */
        "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 1; " SAY(3, "%p1")          /* the phase before the first is over */
        "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 0; " SAY(4, "%p1")          /* the first one is not */
        "mbarrier.arrive.shared.b64 _, [%r1]; "                                       /* 5 of 5 */
        "mbarrier.test_wait.shared.b64 %p1, [%r1], %d2; " SAY(5, "%p1") "mbarrier.arrive.shared.b64 %d3, [%r1]; " PENDING(
            6, "%d3") "mbarrier.test_wait.shared.b64 %p1, [%r1], %d3; " SAY(7, "%p1") "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], "
                                                                                      "0; " SAY(8,
                                                                                                "%p1") "mbarrier.inval.shared.b64 [%r1];",
        want, 9);
}

/* A guarded instruction arrives for the lanes of its guard only. */
static void test_core_mbarrier__under_a_predicate(void **state)
{
    (void)state;
    struct rig *r = run_kernel(new_rig(),
                               HEAD MAKE "setp.lt.u32 %p4, %t, 10; @!%p4 mbarrier.arrive.shared.b64 _, [%r1]; bar.sync 0; "
                                         "mbarrier.arrive.shared.b64 %d1, [%r1], 0; mbarrier.pending_count.b64 %r9, %d1; "
                                         "st.global.u32 [%e], %r9; ret; }",
                               64, 1);
    for (uint32_t t = 0; t < 64; t++)
        assert_int_equal(word(r, t), 10);
    destroy_rig(r);
}

static void test_core_mbarrier__copies_arrive(void **state)
{
    (void)state;
    static const uint32_t want[] = {2, 1, 0};
    check_alone(
        "mov.u32 %r2, tile; mbarrier.init.shared.b64 [%r1], 2; cp.async.ca.shared.global [%r2], [%a+64], 4; "
        "cp.async.mbarrier.arrive.shared.b64 [%r1]; mbarrier.arrive.shared.b64 %d1, [%r1]; " PENDING(
            0, "%d1") "mbarrier.test_wait.shared.b64 %p1, [%r1], %d1; not.pred %p1, %p1; " SAY(1, "%p1") "cp.async.mbarrier.arrive.noinc."
                                                                                                         "shared.b64 [%r1]; "
                                                                                                         "mbarrier.test_wait.shared.b64 "
                                                                                                         "%p1, [%r1], %d1; not.pred %p1, "
                                                                                                         "%p1; " SAY(2, "%p1"),
        want, 3);
}

static void test_core_mbarrier__what_is_refused(void **state)
{
    static const char *const wrong[] = {"mbarrier.arrive_drop.shared.b64 %d1, [%r1];",
                                        "mbarrier.arrive.expect_tx.shared.b64 %d1, [%r1], %r2;",
                                        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r1], %r2;",
                                        "mbarrier.arrive.release.shared.b64 %d1, [%r1];",
                                        "mbarrier.arrive.acquire.cta.shared.b64 _, [%r1];",
                                        "mbarrier.init.shared.b32 [%r1], 3;",
                                        "mbarrier.test_wait.parity.global.b64 %p1, [%d1], 0;",
                                        "mbarrier.shared.b64 [%r1];",
                                        "mbarrier;",
                                        "cp.async.mbarrier.shared.b64 [%r1];"};
    static const struct cw_intrinsic *const none[] = {NULL};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char all[4096];
        struct cw_error err;
        struct cw_module *module;
        snprintf(all, sizeof all, "%s\n %s ret; }", HEAD, wrong[i]);
        assert_int_not_equal(load_all(&module, all, "k.ptx", none, &err), 0);
        if (strstr(err.text, ":2: unknown or unsupported form of ") == NULL)
            fail_msg("'%s' is not what is to be said of %s", err.text, wrong[i]);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_core_mbarrier__no_thread_goes_on_before_the_others),
    cmocka_unit_test(test_core_mbarrier__generic_address),
    cmocka_unit_test(test_core_mbarrier__counts),
    cmocka_unit_test(test_core_mbarrier__under_a_predicate),
    cmocka_unit_test(test_core_mbarrier__copies_arrive),
    cmocka_unit_test(test_core_mbarrier__what_is_refused),
};

CW_TEST_MAIN(tests)
