/* SPDX-License-Identifier: Apache-2.0 */
/* The public API lists a module's kernels and their parameters. Offsets are worked out by hand from the PTX rules. */
#include <string.h>

#include "cowarp/cowarp.h"
#include "cw_test.h"

static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".func helper(.param .b32 x) { ret; }\n"
                           ".visible .entry mixed(.param .u32 n, .param .u64 .ptr .global .align 4 to, .param .u8 flag,\n"
                           ".param .align 16 .b8 shape[20], .param .f32 scale, .param .u64 .ptr .shared .align 4 room) { ret; }\n"
                           ".visible .entry empty() { ret; }\n";

static struct cowarp_module *load(struct cowarp_gpu **gpu)
{
    struct cowarp_module *module;
    struct cowarp_options options;
    cowarp_options_init(&options);
    assert_int_equal(cowarp_create(gpu, &options), COWARP_OK);
    if (cowarp_load(*gpu, &module, text, sizeof text - 1, "t.ptx") != COWARP_OK)
        fail_msg("%s", cowarp_error(*gpu));
    return module;
}

static void test_kernel_params__kernels_in_order(void **state)
{
    (void)state;
    struct cowarp_gpu *gpu;
    const struct cowarp_module *module = load(&gpu);
    const char *name = "untouched";
    assert_int_equal(cowarp_kernel_at(module, 0, &name), 1);
    assert_string_equal(name, "mixed");
    assert_int_equal(cowarp_kernel_at(module, 1, &name), 1);
    assert_string_equal(name, "empty");
    assert_int_equal(cowarp_kernel_at(module, 2, &name), 0);
    assert_string_equal(name, "empty");
    cowarp_destroy(gpu);
}

static void test_kernel_params__place_and_size(void **state)
{
    (void)state;
    struct cowarp_gpu *gpu;
    const struct cowarp_module *module = load(&gpu);
    static const struct cowarp_param expected[] = {{"n", 0, 4, 4, COWARP_PARAM_INTEGER},     {"to", 8, 8, 8, COWARP_PARAM_INTEGER},
                                                   {"flag", 16, 1, 1, COWARP_PARAM_INTEGER}, {"shape", 32, 20, 16, COWARP_PARAM_AGGREGATE},
                                                   {"scale", 52, 4, 4, COWARP_PARAM_FLOAT},  {"room", 56, 8, 8, COWARP_PARAM_SHARED}};
    struct cowarp_param p = {.name = "untouched"};
    uint32_t i = 0;
    for (; cowarp_kernel_param_at(module, "mixed", i, &p); i++) {
        assert_true(i < sizeof expected / sizeof expected[0]);
        assert_string_equal(p.name, expected[i].name);
        assert_int_equal(p.offset, expected[i].offset);
        assert_int_equal(p.bytes, expected[i].bytes);
        assert_int_equal(p.alignment, expected[i].alignment);
        assert_int_equal(p.kind, expected[i].kind);
    }
    assert_int_equal(i, 6);
    assert_string_equal(p.name, "room");
    assert_int_equal(cowarp_kernel_param_at(module, "empty", 0, &p), 0);
    assert_int_equal(cowarp_kernel_param_at(module, "helper", 0, &p), 0); /* no kernel */
    assert_int_equal(cowarp_kernel_param_at(module, "nothing", 0, &p), 0);
    cowarp_destroy(gpu);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_kernel_params__kernels_in_order),
    cmocka_unit_test(test_kernel_params__place_and_size),
};

CW_TEST_MAIN(tests)
