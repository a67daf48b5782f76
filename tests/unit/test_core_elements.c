/* SPDX-License-Identifier: Apache-2.0 */
/* Several elements side by side: atomic operations, of which each element is one of its own, and accesses of 32 bytes. */
#include "unit/core_rig.h"

#define HEAD PTX_HEAD ENTRY ".reg .f32 %f<8>; .reg .b16 %h<8>;"

static uint32_t f32(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* 64 threads add 1, 2, 3, 4 to words that hold 0: sums of small numbers are exact in any order. */
static void test_core_elements__sums(void **state)
{
    (void)state;
    struct rig *r =
        run_kernel(new_rig(),
                   HEAD "mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000; mov.f32 %f3, 0f40400000; mov.f32 %f4, 0f40800000; "
                        "setp.eq.u32 %p1, %t, 0; @%p1 st.global.v4.u32 [%a], {0, 0, 0, 0}; "
                        "@%p1 st.global.v4.u32 [%a+16], {0, 0, 0, 0}; bar.sync 0; "
                        "red.global.add.v2.f32 [%a], {%f1, %f2}; red.relaxed.gpu.global.v4.f32.add [%a+16], {%f1, %f2, %f3, %f4}; "
                        "setp.lt.u32 %p2, %t, 10; @%p2 red.global.add.v2.f32 [%a+8], {%f3, %f3}; ret; }",
                   64, 1);
    static const float want[] = {64, 128, 30, 30, 64, 128, 192, 256};
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(word(r, i), f32(want[i]));
    destroy_rig(r);
}

static void test_core_elements__halves(void **state)
{
    (void)state;
    struct rig *r = run_kernel(
        new_rig(),
        HEAD "mov.b32 %r1, 0x3c004000; mov.b32 %r2, 0x3f804000; setp.eq.u32 %p1, %t, 0; @%p1 st.global.v4.u32 [%a], {0, 0, 0, 0}; "
             "mov.b32 {%h1, %h2}, %r2; bar.sync 0; red.global.add.noftz.v2.f16x2 [%a], {%r1, %r1}; "
             "red.global.add.noftz.v2.bf16 [%a+8], {%h1, %h2}; red.global.add.noftz.bf16x2 [%a+12], %r2; ret; }",
        32, 1);
    static const uint32_t want[] = {0x50005400, 0x50005400, 0x42004280, 0x42004280}; /* 32 and 64 */
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(word(r, i), want[i]);
    destroy_rig(r);
}

/* Old values go to registers that later elements still read. */
static void test_core_elements__old_values(void **state)
{
    (void)state;
    struct rig *r = run_kernel(new_rig(),
                               HEAD "mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000; mov.f32 %f3, 0f40400000; mov.f32 %f4, 0f40800000; "
                                    "st.global.v4.f32 [%a], {%f1, %f2, %f3, %f4}; "
                                    "atom.global.add.v4.f32 {%f4, %f3, %f2, _}, [%a], {%f1, %f2, %f3, %f4}; "
                                    "st.global.v4.f32 [%a+16], {%f1, %f2, %f3, %f4}; ret; }",
                               1, 1);
    static const float want[] = {2, 4, 6, 8, 1, 3, 2, 1}; /* old: f4 = 1, f3 = 2, f2 = 3 */
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(word(r, i), f32(want[i]));
    destroy_rig(r);
}

/* 32 bytes at once, in words and in pairs of words; the address is in one of the registers that are loaded. Word i of the buffer is i. */
static void test_core_elements__32_bytes(void **state)
{
    (void)state;
    struct rig *r = run_kernel(
        new_rig(),
        HEAD "mul.wide.u32 %d1, %t, 32; add.u64 %d1, %d1, %a; add.u64 %d2, %d1, 4096; "
             "ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%d1]; "
             "st.global.v8.b32 [%d2], {%r8, %r7, %r6, %r5, %r4, %r3, %r2, %r1}; "
             "mov.u64 %d3, %d1; ld.global.v4.b64 {%d4, %d3, %d5, %d6}, [%d3]; st.global.v4.b64 [%d2+4096], {%d4, %d3, %d5, %d6}; "
             "mov.u64 %d3, %d1; ld.global.v4.b64 {%d4, %d5, %d6, %d3}, [%d3]; st.global.v4.b64 [%d2+8192], {%d4, %d5, %d6, %d3}; "
             "setp.lt.u32 %p1, %t, 5; @%p1 st.global.v8.b32 [%d2+12288], {1, 2, 3, 4, 5, 6, 7, 8}; ret; }",
        64, 1);
    for (uint32_t i = 0; i < 512; i++) {
        assert_int_equal(word(r, 1024 + i), i / 8 * 8 + 7 - i % 8);
        assert_int_equal(word(r, 2048 + i), i);
        assert_int_equal(word(r, 3072 + i), i);
        assert_int_equal(word(r, 4096 + i), i < 40 ? 1 + i % 8 : 4096 + i);
    }
    destroy_rig(r);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_core_elements__32_bytes),
    cmocka_unit_test(test_core_elements__sums),
    cmocka_unit_test(test_core_elements__halves),
    cmocka_unit_test(test_core_elements__old_values),
};

CW_TEST_MAIN(tests)
