/* SPDX-License-Identifier: Apache-2.0 */
/* What compilers emit: tests/ptx/ holds the sources and the commands. Expected sizes and counts are read off the sources. */
#include "exec/exec.h"
#include "ptx_fixture.h"

static struct cw_module *load_file(const char *name)
{
    char path[512];
    struct cw_module *m;
    struct cw_error err;
    snprintf(path, sizeof(path), "%s/tests/ptx/%s", CW_SOURCE_DIR, name);
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        fail_msg("cannot open %s", path);
    static char text[1 << 20];
    size_t n = fread(text, 1, sizeof(text), f);
    fclose(f);
    if (cw_ptx_load(&m, text, n, name, px_intrinsics, NULL, &err) != CW_OK)
        fail_msg("%s", err.text);
    assert_int_equal(cw_module_place(m, CW_GLOBAL_BASE, &err), CW_OK);
    for (uint32_t i = 0; i < m->kernel_cnt; i++)
        if (cw_exec_bind(&m->kernel[i], &err) != CW_OK)
            fail_msg("%s", err.text);
    return m;
}

static const struct cw_kernel *kernel_of(const struct cw_module *m, const char *name, uint32_t params, uint32_t param_bytes,
                                         uint32_t shared_bytes)
{
    const struct cw_kernel *k = cw_module_kernel(m, name);
    assert_non_null(k);
    assert_int_equal(k->param_cnt, params);
    assert_int_equal(k->param_bytes, param_bytes);
    assert_int_equal(k->shared_bytes, shared_bytes);
    return k;
}

static void test_ptx_files__opencl(void **state)
{
    (void)state;
    struct cw_module *m = load_file("features_cl.ptx");
    const struct cw_kernel *k = kernel_of(m, "vecadd", 5, 40, 0);
    assert_int_equal(m->kernel_cnt, 4);
    assert_int_equal(px_count(k, CW_OP_BAR), 1);
    assert_int_equal(px_count(k, CW_OP_BRA), 1);
    assert_int_equal(k->uop[px_find(k, CW_OP_BRA, 0)].rpc, px_find(k, CW_OP_EXIT, 0)); /* the body of the if falls into the return */
    k = kernel_of(m, "structs", 6, 80, 0);
    assert_true(k->uses_region);
    assert_int_equal(px_count(k, CW_OP_REGION_BEGIN), 1);
    assert_int_equal(px_count(k, CW_OP_REGION_END), 1);
    assert_true(k->local_bytes >= 8 * 4 + 24); /* arr and s */
    k = kernel_of(m, "loops", 5, 36, 0);
    assert_int_equal(px_count(k, CW_OP_SQRT), 1);
    assert_int_equal(k->uop[px_find(k, CW_OP_SQRT, 0)].fu, CW_FU_SFU);
    assert_int_equal(px_count(k, CW_OP_POPC), 1);
    k = kernel_of(m, "atomics", 4, 28, 0);
    assert_int_equal(px_count(k, CW_OP_ATOM), 8);
    assert_int_equal(px_count(k, CW_OP_BAR), 2);
    assert_int_equal(px_count(k, CW_OP_MEMBAR), 1);
    cw_module_destroy(m);
}

static void test_ptx_files__cuda_by_clang(void **state)
{
    (void)state;
    struct cw_module *m = load_file("syntax_cu.ptx");
    const struct cw_kernel *k = kernel_of(m, "kern", 3, 8 + 24 + 4, 64 * 4);
    assert_int_equal(px_count(k, CW_OP_BAR), 1);
    assert_int_equal(cw_module_symbol(m, "gdata")->bytes, 20);
    assert_int_equal(m->global_image[cw_module_symbol(m, "gdata")->offset + 16], 5);
    assert_int_equal(m->const_bytes, 16);
    cw_module_destroy(m);
}

static void test_ptx_files__nvcc(void **state)
{
    (void)state;
    static const char *const names[] = {"nvcc_cu.ptx", "nvcc_debug_cu.ptx"};
    for (uint32_t i = 0; i < 2; i++) {
        struct cw_module *m = load_file(names[i]);
        const struct cw_kernel *k = kernel_of(m, "mixed", 4, 8 + 8 + 24 + 4, 32 * 4);
        const struct cw_symbol *table = cw_module_symbol(m, "table"), *second = cw_module_symbol(m, "second"),
                               *coef = cw_module_symbol(m, "coef");
        uint64_t pointer, want = CW_GLOBAL_BASE + table->offset + 8;
        memcpy(&pointer, m->global_image + second->offset, 8);
        assert_int_equal(pointer, want);
        assert_int_equal(m->global_image[table->offset + 4], 2);
        assert_int_equal(coef->space, CW_SPACE_CONST);
        assert_int_equal(m->const_image[coef->offset + 3], 0x3f); /* 1.5f is 3fc00000 */
        assert_int_equal(k->maxntid[0], 128);
        assert_true(k->uses_dynamic_shared);
        assert_int_equal(px_count(k, CW_OP_SHFL), 1);
        assert_int_equal(px_count(k, CW_OP_MATCH), 1);
        assert_int_equal(px_count(k, CW_OP_ATOM), 2);
        k = kernel_of(m, "table_jump", 2, 12, 0);
        assert_int_equal(px_count(k, CW_OP_TRAP), 1);
        cw_module_destroy(m);
    }
}

/* The debug listing has one line for the module, for each kernel and for each micro-op. */
static void test_ptx_files__dump(void **state)
{
    (void)state;
    struct cw_module *m = load_file("nvcc_cu.ptx");
    FILE *f = tmpfile();
    uint32_t want = 1, lines = 0;
    assert_non_null(f);
    cw_module_dump(m, f);
    rewind(f);
    for (int c; (c = fgetc(f)) != EOF;)
        lines += c == '\n';
    fclose(f);
    for (uint32_t i = 0; i < m->kernel_cnt; i++)
        want += 1 + m->kernel[i].uop_cnt;
    assert_int_equal(lines, want);
    char text[8];
    cw_uop_text(&m->kernel[0], &m->kernel[0].uop[0], text, sizeof(text)); /* cut, not overrun */
    assert_true(strlen(text) < sizeof(text));
    cw_module_destroy(m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ptx_files__opencl),
    cmocka_unit_test(test_ptx_files__cuda_by_clang),
    cmocka_unit_test(test_ptx_files__nvcc),
    cmocka_unit_test(test_ptx_files__dump),
};

CW_TEST_MAIN(tests)
