/* SPDX-License-Identifier: Apache-2.0 */
/* cp.async: what lies in shared memory after a copy from global memory. */
#include "unit/core_rig.h"
#include "unit/load_all.h"

#define HEAD                                                                                                             \
    PTX_HEAD ".shared .align 16 .b8 tile[2048];\n" ENTRY "mov.u32 %r1, tile; shl.b32 %r2, %t, 4; add.u32 %r1, %r1, %r2;" \
             "mul.wide.u32 %d1, %t, 16; add.u64 %d1, %d1, %a; st.shared.v4.u32 [%r1], {%t, %t, %t, %t};"
/* The 16 bytes that the thread has copied, to word 1024 + 4 t of the buffer. */
#define TAIL "ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r1]; st.global.v4.u32 [%d1+4096], {%r4, %r5, %r6, %r7}; ret; }"

/* Word i of the buffer is i. copied: words of the thread's 16 bytes that are as in the buffer, from word `from` on; zeros: words behind
 * them that are 0. The others keep the thread's number. Threads from `threads` on do not copy. */
static void check(const char *text, uint32_t from, uint32_t copied, uint32_t zeros, uint32_t threads)
{
    char all[2048];
    snprintf(all, sizeof all, "%s %s %s", HEAD, text, TAIL);
    struct rig *r = run_kernel(new_rig(), all, 64, 1);
    for (uint32_t t = 0; t < 64; t++)
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t want = t >= threads || i >= copied + zeros ? t : i < copied ? 4 * t + from + i : 0;
            assert_int_equal(word(r, 1024 + 4 * t + i), want);
        }
    destroy_rig(r);
}

#define WAIT "cp.async.commit_group; cp.async.wait_group 0;"

static void test_core_copy__sizes(void **state)
{
    (void)state;
    check("cp.async.ca.shared.global [%r1], [%d1], 4;" WAIT, 0, 1, 0, 64);
    check("cp.async.ca.shared::cta.global [%r1], [%d1+8], 8;" WAIT, 2, 2, 0, 64);
    check("cp.async.ca.shared.global.L2::128B [%r1], [%d1+16], 16; cp.async.wait_all;", 4, 4, 0, 64);
    check("cp.async.cg.shared.global [%r1], [%d1], 16, 16;" WAIT, 0, 4, 0, 64);
    check("cp.async.cg.shared.global.L2::cache_hint [%r1], [%d1], 16, %d1;" WAIT, 0, 4, 0, 64);
    check("cp.async.cg.shared.global.L2::cache_hint [%r1], [%d1], 16, 8, %d1;" WAIT, 0, 2, 2, 64);
}

static void test_core_copy__what_is_not_read_is_zero(void **state)
{
    (void)state;
    check("cp.async.cg.shared.global [%r1], [%d1], 16, 12;" WAIT, 0, 3, 1, 64);
    check("cp.async.ca.shared.global [%r1], [%d1], 16, 8;" WAIT, 0, 2, 2, 64);
    check("cp.async.ca.shared.global [%r1], [%d1], 8, 4;" WAIT, 0, 1, 1, 64);
    check("mov.u64 %d2, 0; cp.async.ca.shared.global [%r1], [%d2], 16, 0;" WAIT, 0, 0, 4, 64); /* and may lie anywhere */
}

/* Any number of bytes as a constant: `bytes` are copied, of which `have` are read; the others are 0, and behind them the thread's number.
 */
static void check_bytes(uint32_t bytes, uint32_t have)
{
    char all[2048];
    snprintf(all, sizeof all, "%s cp.async.%s [%%r1], [%%d1], %u, %u; cp.async.wait_all; %s", HEAD,
             bytes == 16 ? "shared.cg.global" : "ca.L2::128B.shared.global", bytes, have, TAIL);
    struct rig *r = run_kernel(new_rig(), all, 64, 1);
    for (uint32_t t = 0; t < 64; t++)
        for (uint32_t i = 0; i < 16; i++) {
            const uint32_t source = i < bytes ? 4 * t + i / 4 : t, byte = source >> (8 * (i % 4)) & 255;
            assert_int_equal(word(r, 1024 + 4 * t + i / 4) >> (8 * (i % 4)) & 255, i < have || i >= bytes ? byte : 0);
        }
    destroy_rig(r);
}

static void test_core_copy__any_number_of_bytes(void **state)
{
    (void)state;
    for (uint32_t bytes = 4; bytes <= 16; bytes *= 2)
        for (uint32_t have = 0; have <= bytes; have++)
            check_bytes(bytes, have);
}

/* No byte behind those that are asked for is read: the buffer's last ones are the end of its memory. */
static void test_core_copy__nothing_behind_is_read(void **state)
{
    (void)state;
    static const char *const texts[] = {"cp.async.cg.shared.global [%r1], [%d2], 16, 3;",
                                        "mov.u32 %r3, 3; cp.async.cg.shared.global [%r1], [%d2], 16, %r3;"};
    for (uint32_t i = 0; i < 2; i++) {
        char all[2048];
        snprintf(all, sizeof all, "%s mov.u64 %%d2, small; %s %s",
                 ".version 7.0\n.target sm_70\n.address_size 64\n"
                 ".global .align 16 .b8 small[3] = {7, 8, 9};\n.shared .align 16 .b8 tile[2048];\n" ENTRY
                 "mov.u32 %r1, tile; shl.b32 %r2, %t, 4; add.u32 %r1, %r1, %r2; mul.wide.u32 %d1, %t, 16; add.u64 %d1, %d1, %a;",
                 texts[i], TAIL);
        struct rig *r = new_rig();
        struct cw_error err;
        uint64_t base;
        create_machine(r);
        load(r, all);
        assert_int_equal(cw_memory_alloc(r->memory, &base, 3, CW_REGION_MODULE, &err), 0);
        assert_int_equal(cw_module_place(r->module, base, &err), 0);
        cw_memory_write(r->memory, base, r->module->global_image, 3);
        prepare(r, 32, 1);
        run(r);
        assert_string_equal(r->fault_text, "");
        for (uint32_t t = 0; t < 32; t++)
            assert_true(word(r, 1024 + 4 * t) == 0x090807 && word(r, 1025 + 4 * t) == 0);
        destroy_rig(r);
    }
}

static void test_core_copy__under_a_predicate(void **state)
{
    (void)state;
    check("setp.lt.u32 %p1, %t, 40; @%p1 cp.async.ca.shared.global [%r1], [%d1], 16, 12;" WAIT, 0, 3, 1, 40);
}

/* The number of bytes in a register: all, none, and between; of every thread another one. */
static void test_core_copy__as_many_as_a_register_says(void **state)
{
    (void)state;
    check("mov.u32 %r3, 16; cp.async.cg.shared.global [%r1], [%d1], 16, %r3;" WAIT, 0, 4, 0, 64);
    check("mov.u32 %r3, 99; cp.async.ca.shared.global [%r1], [%d1], 8, %r3;" WAIT, 0, 2, 0, 64);
    check("mov.u32 %r3, 8; cp.async.ca.shared.global [%r1], [%d1], 16, %r3;" WAIT, 0, 2, 2, 64);
    check("mov.u32 %r3, 0; mov.u64 %d2, 0; cp.async.ca.shared.global [%r1], [%d2], 16, %r3;" WAIT, 0, 0, 4, 64);
    check("mov.u32 %r3, 4; setp.lt.u32 %p1, %t, 40; @%p1 cp.async.ca.shared.global [%r1], [%d1], 8, %r3;" WAIT, 0, 1, 1, 40);
    check("mov.u32 %r3, 16; setp.ge.u32 %p1, %t, 40; @!%p1 cp.async.cg.shared.global.L2::cache_hint [%r1], [%d1], 16, %r3, %d1;" WAIT, 0, 4,
          0, 40);
    char all[2048];
    snprintf(all, sizeof all, "%s and.b32 %%r3, %%t, 31; cp.async.ca.shared.global [%%r1], [%%d1], 16, %%r3; %s", HEAD, TAIL);
    struct rig *r = run_kernel(new_rig(), all, 64, 1);
    for (uint32_t t = 0; t < 64; t++)
        for (uint32_t i = 0; i < 16; i++) {
            const uint32_t source = 4 * t + i / 4, byte = source >> (8 * (i % 4)) & 255;
            assert_int_equal(word(r, 1024 + 4 * t + i / 4) >> (8 * (i % 4)) & 255, i < t % 32 ? byte : 0);
        }
    destroy_rig(r);
}

static void test_core_copy__nothing_where_a_predicate_says_so(void **state)
{
    (void)state;
    check("setp.gt.u32 %p1, %t, 99; cp.async.cg.shared.global [%r1], [%d1], 16, %p1;" WAIT, 0, 4, 0, 64);
    check("setp.gt.u32 %p1, %t, 99; mov.u64 %d2, 0; cp.async.ca.shared.global [%r1], [%d2], 16, !%p1;" WAIT, 0, 0, 4, 64);
    check("setp.lt.u32 %p1, %t, 40; @%p1 cp.async.ca.shared.global [%r1], [%d2], 8, %p1;" WAIT, 0, 0, 2, 40);
    check("setp.lt.u32 %p1, %t, 40; @%p1 cp.async.ca.shared.global.L2::cache_hint [%r1], [%d1], 8, !%p1, %d1;" WAIT, 0, 2, 0, 40);
}

static void test_core_copy__what_is_refused(void **state)
{
    static const char *const wrong[][2] = {{"cp.async.cg.shared.global [%r1], [%d1], 8;", "with .cg 16"},
                                           {"cp.async.ca.shared.global [%r1], [%d1], 12;", "4, 8 or 16 bytes"},
                                           {"cp.async.ca.shared.global [%r1], [%d1], 4, 8;", "at most as many"},
                                           {"cp.async.ca.shared.global [%r1], [%d1], 16, 17;", "out of range (at most 16)"},
                                           {"cp.async.ca.global.shared [%r1], [%d1], 4;", "unknown or unsupported form of cp"},
                                           {"cp.async.ca.shared.global [%r1], [%d1], 4, %d1;", "%d1 does not fit .u32"},
                                           {"cp.async.ca.shared.global [%r1], [%d1], 4, %r2, %r2;", "expected ';'"},
                                           {"cp.async.shared.global [%r1], [%d1], 4;", "unknown or unsupported form of cp"},
                                           {"cp.async.bulk.commit_group;", "unknown or unsupported form of cp"},
                                           {"cp.async;", "unknown or unsupported form of cp"},
                                           {"cp;", "unknown or unsupported form of cp"}};
    static const struct cw_intrinsic *const none[] = {NULL};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char all[2048];
        struct cw_error err;
        struct cw_module *module;
        snprintf(all, sizeof all, "%s %s %s", HEAD, wrong[i][0], TAIL);
        assert_int_not_equal(load_all(&module, all, "k.ptx", none, &err), 0);
        if (strstr(err.text, wrong[i][1]) == NULL)
            fail_msg("'%s' does not say '%s'", err.text, wrong[i][1]);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_core_copy__sizes),
    cmocka_unit_test(test_core_copy__what_is_not_read_is_zero),
    cmocka_unit_test(test_core_copy__any_number_of_bytes),
    cmocka_unit_test(test_core_copy__nothing_behind_is_read),
    cmocka_unit_test(test_core_copy__under_a_predicate),
    cmocka_unit_test(test_core_copy__as_many_as_a_register_says),
    cmocka_unit_test(test_core_copy__nothing_where_a_predicate_says_so),
    cmocka_unit_test(test_core_copy__what_is_refused),
};

CW_TEST_MAIN(tests)
