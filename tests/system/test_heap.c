/* SPDX-License-Identifier: Apache-2.0 */
/* The heap of malloc in kernels, as a host program sees it: its size, and that it is one for all modules and launches of a GPU. */
#include <string.h>

#include "cowarp/cowarp.h"
#include "cw_test.h"

/* out[thread] = malloc(bytes) */
static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n.extern .func (.param .b64 r) malloc(.param .b64 n);\n"
                           ".visible .entry take(.param .u64 out, .param .u64 bytes) { .reg .b64 %a<5>; .reg .b32 %t;\n"
                           "ld.param.u64 %a1, [out]; ld.param.u64 %a2, [bytes]; mov.u32 %t, %tid.x; mul.wide.u32 %a3, %t, 8;\n"
                           "add.u64 %a1, %a1, %a3; { .param .b64 n; .param .b64 r; st.param.b64 [n], %a2; call.uni (r), malloc, (n);\n"
                           "ld.param.b64 %a4, [r]; } st.global.u64 [%a1], %a4; ret; }\n";

static struct cowarp_gpu *create(struct cowarp_module **module)
{
    struct cowarp_gpu *gpu;
    struct cowarp_options options;
    cowarp_options_init(&options);
    assert_int_equal(cowarp_create(&gpu, &options), COWARP_OK);
    if (cowarp_load(gpu, module, text, sizeof text - 1, "t.ptx") != COWARP_OK)
        fail_msg("%s", cowarp_error(gpu));
    return gpu;
}

/* Pieces of so many bytes for 32 threads; how many are not NULL, and the first of these. */
static uint32_t take(struct cowarp_gpu *gpu, struct cowarp_module *module, uint64_t bytes, uint64_t *first)
{
    uint64_t out, got[32];
    uint32_t cnt = 0;
    assert_int_equal(cowarp_alloc(gpu, &out, sizeof got), COWARP_OK);
    const struct cowarp_arg args[] = {COWARP_U64(out), COWARP_U64(bytes)};
    const struct cowarp_launch l = {
        .size = sizeof l, .kernel = "take", .grid = {1, 1, 1}, .block = {32, 1, 1}, .arg_count = 2, .args = args, .functional = 1};
    if (cowarp_run(gpu, module, &l) != COWARP_OK)
        fail_msg("%s", cowarp_error(gpu));
    assert_int_equal(cowarp_read(gpu, got, out, sizeof got), COWARP_OK);
    assert_int_equal(cowarp_free(gpu, out), COWARP_OK);
    for (uint32_t i = 0; i < 32; i++)
        if (got[i] != 0 && cnt++ == 0)
            *first = got[i];
    return cnt;
}

static void test_heap__has_the_size_that_is_set(void **state)
{
    (void)state;
    struct cowarp_module *module;
    struct cowarp_gpu *gpu = create(&module);
    uint64_t first = 0;
    assert_int_equal(cowarp_set_heap(gpu, 64 << 20), COWARP_OK);
    assert_int_equal(cowarp_set_heap(gpu, 1 << 20), COWARP_OK); /* the last one counts */
    assert_int_equal(take(gpu, module, 100000, &first), 7);     /* pieces of 128 KiB in 1 MiB, of which the head has a part */
    assert_int_equal(cowarp_set_heap(gpu, 64 << 20), COWARP_EINVAL);
    assert_int_equal(take(gpu, module, 100000, &first), 0);
    assert_int_equal(take(gpu, module, 1000, &first), 32); /* there is a rest */
    cowarp_destroy(gpu);
}

static void test_heap__is_one_for_all_modules(void **state)
{
    (void)state;
    struct cowarp_module *module, *other;
    struct cowarp_gpu *gpu = create(&module);
    uint64_t first = 0, next = 0;
    assert_int_equal(cowarp_load(gpu, &other, text, sizeof text - 1, "u.ptx"), COWARP_OK);
    assert_int_equal(cowarp_set_heap(gpu, 1 << 20), COWARP_OK);
    assert_int_equal(take(gpu, module, 100000, &first), 7);
    assert_int_equal(take(gpu, other, 100000, &next), 0);
    assert_int_equal(cowarp_reset(gpu), COWARP_OK); /* it stays */
    assert_int_equal(take(gpu, module, 100000, &next), 0);
    assert_int_not_equal(cowarp_free(gpu, first - 16), COWARP_OK);
    cowarp_destroy(gpu);
}

static void test_heap__that_is_too_large_is_refused_at_the_launch(void **state)
{
    (void)state;
    struct cowarp_module *module;
    struct cowarp_gpu *gpu = create(&module);
    uint64_t first = 0;
    const struct cowarp_arg args[] = {COWARP_U64(0), COWARP_U64(8)};
    const struct cowarp_launch l = {
        .size = sizeof l, .kernel = "take", .grid = {1, 1, 1}, .block = {1, 1, 1}, .arg_count = 2, .args = args};
    assert_int_equal(cowarp_set_heap(gpu, UINT64_C(1) << 40), COWARP_OK);
    assert_int_equal(cowarp_run(gpu, module, &l), COWARP_ENOMEM);
    assert_int_equal(cowarp_set_heap(gpu, 0), COWARP_OK); /* 8 MiB */
    assert_int_equal(take(gpu, module, 100000, &first), 32);
    cowarp_destroy(gpu);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_heap__has_the_size_that_is_set),
    cmocka_unit_test(test_heap__is_one_for_all_modules),
    cmocka_unit_test(test_heap__that_is_too_large_is_refused_at_the_launch),
};

CW_TEST_MAIN(tests)
