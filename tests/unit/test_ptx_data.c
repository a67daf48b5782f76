/* SPDX-License-Identifier: Apache-2.0 */
/* Constants, variables, parameters: values and places worked out by hand. */
#include "ptx_fixture.h"

static uint64_t first_const(const char *body)
{
    char text[1024];
    snprintf(text, sizeof(text), "%s%s\nret;\n}\n", PX_START, body);
    struct cw_module *m = px_load(text);
    uint64_t v = px_const(&m->kernel[0], m->kernel[0].uop[0].src[m->kernel[0].uop[0].src_cnt - 1]);
    cw_module_destroy(m);
    return v;
}

static void test_ptx_data__immediates(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        uint64_t value;
    } cases[] = {
        {"mov.u64 %d1, 0x123456789abcdef0;", UINT64_C(0x123456789abcdef0)},
        {"mov.s64 %d1, -2;", UINT64_C(0xfffffffffffffffe)},
        {"mov.u64 %d1, 18446744073709551615;", UINT64_MAX},
        {"mov.u32 %r1, -1;", 0xffffffffu},
        {"mov.u16 %h1, -1;", 0xffff},
        {"mov.u32 %r1, 0b1011;", 11},
        {"mov.u32 %r1, 0777U;", 511},
        {"mov.f32 %f1, 0f3F800001;", 0x3f800001},
        {"mov.f32 %f1, 0f7F800001;", 0x7f800001},
        {"mov.f32 %f1, 1.5;", 0x3fc00000},
        {"mov.f32 %f1, -1.5e0;", 0xbfc00000},
        {"mov.f32 %f1, 0d3FF8000000000000;", 0x3fc00000},
        {"mov.f64 %g1, 0d400921FB54442D18;", UINT64_C(0x400921fb54442d18)},
        {"mov.f64 %g1, 0f3FC00000;", UINT64_C(0x3ff8000000000000)},
        {"mov.f64 %g1, -0.0;", UINT64_C(0x8000000000000000)},
        {"mov.b32 %r1, 0f40000000;", 0x40000000},
        {"mov.u32 %r1, WARP_SZ*2;", 64},
        {"mov.u32 %r1, (1 << 4) | 3;", 19},
        {"mov.s32 %r1, -7 / 2;", 0xfffffffd},
        {"mov.s32 %r1, -7 % 4;", 0xfffffffd},
        {"mov.s64 %d1, -8 >> 1;", UINT64_C(0xfffffffffffffffc)},
        {"mov.u64 %d1, (.u64)-8 >> 1;", UINT64_C(0x7ffffffffffffffc)},
        {"mov.u32 %r1, 2 + 3 * 4 - 6 / 2;", 11},
        {"mov.u32 %r1, 1 ? 5 : 6;", 5},
        {"mov.u32 %r1, !3 || 2 > 1 && ~0 == -1;", 1},
        {"mov.u32 %r1, -1 < 0U;", 0},
        {"mov.u32 %r1, -1 < 0;", 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (first_const(cases[i].body) != cases[i].value)
            fail_msg("%s gives 0x%llx", cases[i].body, (unsigned long long)first_const(cases[i].body));
}

static void test_ptx_data__constants_are_shared(void **state)
{
    (void)state;
    struct cw_module *m =
        px_load(PX_KERNEL("add.u32 %r1, %r2, 5;\nadd.u32 %r3, %r1, 5;\nadd.u64 %d1, %d2, 5;\nadd.u32 %r1, %r2, 6;\nret;"));
    const struct cw_kernel *k = &m->kernel[0];
    assert_int_equal(k->c32_cnt, 2);
    assert_int_equal(k->c64_cnt, 1);
    assert_int_equal(k->uop[0].src[1].idx, k->uop[1].src[1].idx);
    for (uint32_t lane = 0; lane < 32; lane++)
        assert_int_equal(k->c32[k->uop[0].src[1].idx * 32 + lane], 5);
    cw_module_destroy(m);
}

static uint64_t read64(const uint8_t *p)
{
    uint64_t v = 0;
    for (uint32_t i = 0; i < 8; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

#define DATA                                                                                                                            \
    PX_HEAD ".global .align 1 .b8 a[5] = {1, 2, 0xff, -1};\n.global .u32 b = 0x12345678;\n.global .f32 c[2][2] = {{1.0}, {0f40000000, " \
            "-0.5}};\n"                                                                                                                 \
            ".const .u16 e[] = {1, 2, 3};\n.const .u64 q = generic(e)+2;\n.const .u64 r = e+2;\n.const .u64 s = b;\n"                   \
            ".global .f64 d = 2;\n.global .u64 p[3] = {generic(b)+4, e, c-8};\n.global .align 64 .b8 z[7];\n"

static void test_ptx_data__initialisers(void **state)
{
    (void)state;
    struct cw_module *m = px_load(DATA);
    struct cw_error err;
    static const uint8_t a[5] = {1, 2, 0xff, 0xff, 0};
    static const uint8_t c[16] = {0, 0, 0x80, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0xbf};
    const struct cw_symbol *z = cw_module_symbol(m, "z");
    /* a 0..4, b at 8, c 12..27, d at 32, p 40..63, z at 64 */
    assert_memory_equal(m->global_image, a, 5);
    assert_int_equal(cw_module_symbol(m, "b")->offset, 8);
    assert_int_equal(m->global_image[8], 0x78);
    assert_memory_equal(m->global_image + cw_module_symbol(m, "c")->offset, c, 16);
    assert_int_equal(read64(m->global_image + 32), UINT64_C(0x4000000000000000));
    assert_int_equal(z->offset, 64);
    assert_int_equal(z->bytes, 7);
    assert_int_equal(m->global_bytes, 71);
    assert_int_equal(cw_module_symbol(m, "e")->bytes, 6);
    assert_int_equal(cw_module_symbol(m, "e")->space, CW_SPACE_CONST);
    /* constant space: e 0..5, q at 8, r at 16, s at 24 */
    assert_int_equal(read64(m->const_image + 8), CW_CONST_WINDOW + 2);
    assert_int_equal(read64(m->const_image + 16), 2);
    assert_int_equal(cw_module_place(m, UINT64_C(0x1234500), &err), CW_OK);
    assert_int_equal(read64(m->global_image + 40), 0x1234500 + 8 + 4);
    assert_int_equal(read64(m->global_image + 48), 0);
    assert_int_equal(read64(m->global_image + 56), 0x1234500 + 12 - 8);
    assert_int_equal(read64(m->const_image + 24), 0x1234500 + 8);
    assert_int_equal(cw_module_place(m, 8, &err), CW_EINVAL);
    cw_module_destroy(m);
}

static void test_ptx_data__symbol_addresses(void **state)
{
    (void)state;
    struct cw_module *m = px_load(DATA ".entry k() { .reg .b64 %d<4>; .reg .b32 %r<3>;\nmov.u64 %d1, b+16;\nld.global.u32 %r1, "
                                       "[c+4];\nld.const.u16 %r1, [q+2];\nmov.u64 %d2, r;\nret; }");
    struct cw_error err;
    const struct cw_kernel *k = &m->kernel[0];
    assert_int_equal(cw_module_place(m, CW_GLOBAL_BASE, &err), CW_OK);
    assert_int_equal(px_const(k, k->uop[0].src[0]), CW_GLOBAL_BASE + 8 + 16);
    assert_int_equal(px_const(k, k->uop[1].src[0]), CW_GLOBAL_BASE + 12);
    assert_int_equal(k->uop[1].imm, 4);
    assert_int_equal(px_const(k, k->uop[2].src[0]), 8);
    assert_int_equal(k->uop[2].imm, 2);
    assert_int_equal(px_const(k, k->uop[3].src[0]), 16);
    cw_module_destroy(m);
}

/* Only what a kernel names takes room; dynamic memory begins behind the static, at its alignment. */
static void test_ptx_data__shared_layout(void **state)
{
    (void)state;
    struct cw_module *m = px_load(PX_HEAD ".shared .b8 unused[1000];\n.shared .align 2 .b8 a[6];\n.extern .shared .align 16 .b8 dyn[];\n"
                                          ".entry k() { .reg .b32 %r<9>; .shared .f64 s[2];\nmov.u32 %r1, s;\nmov.u32 %r2, a;\nmov.u32 "
                                          "%r3, dyn;\nmov.u32 %r3, dyn+4;\nret; }\n"
                                          ".entry l() { .reg .b32 %r<9>;\nst.shared.u32 [unused+4], %r1;\nret; }");
    const struct cw_kernel *k = cw_module_kernel(m, "k"), *l = cw_module_kernel(m, "l");
    assert_int_equal(px_const(k, k->uop[1].src[0]), 0);  /* a, declared first: 0..5 */
    assert_int_equal(px_const(k, k->uop[0].src[0]), 8);  /* s: 8..23 */
    assert_int_equal(px_const(k, k->uop[2].src[0]), 32); /* 24 rounded up to 16 */
    assert_int_equal(px_const(k, k->uop[3].src[0]), 36);
    assert_int_equal(k->shared_bytes, 24);
    assert_true(k->uses_dynamic_shared);
    assert_int_equal(l->shared_bytes, 1000);
    assert_false(l->uses_dynamic_shared);
    assert_null(cw_module_kernel(m, "m"));
    cw_module_destroy(m);
}

/* What is said before the body, and 0 for what is not. */
static void test_ptx_data__launch_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *said;
        uint32_t threads, registers, min_blocks, max_blocks;
    } cases[] = {{"", 0, 0, 0, 0},
                 {".maxntid 128, 2 .minnctapersm 3", 256, 0, 3, 0},
                 {".maxnreg 40\n.maxntid 64,4,2", 512, 40, 0, 0},
                 {".maxntid 512 .reqntid 8, 4, 3", 96, 0, 0, 0},
                 {".maxntid 32 .maxnctapersm 5", 32, 0, 0, 5},
                 {".maxntid 65536, 65536, 65536", UINT32_MAX, 0, 0, 0}};
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[400];
        snprintf(text, sizeof text, PX_HEAD ".entry a() .maxnreg 7 { ret; }\n.entry k() %s { ret; }\n.entry r() %s { frob; }",
                 cases[i].said, cases[i].said);
        struct cw_module *m;
        struct cw_error err;
        assert_int_equal(cw_ptx_load(&m, text, strlen(text), "t.ptx", NULL, NULL, &err), CW_OK);
        for (uint32_t j = 1; j < 3; j++) { /* also of a kernel that cannot run */
            assert_int_equal(m->kernel[j].max_threads, cases[i].threads);
            assert_int_equal(m->kernel[j].max_registers, cases[i].registers);
            assert_int_equal(m->kernel[j].min_blocks_per_core, cases[i].min_blocks);
            assert_int_equal(m->kernel[j].max_blocks_per_core, cases[i].max_blocks);
        }
        cw_module_destroy(m);
    }
}

static void test_ptx_data__kernel_parameters(void **state)
{
    (void)state;
    struct cw_module *m = px_load(PX_HEAD ".visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 4 b, .param .u64 .ptr .shared "
                                          ".align 16 c, .param .align 8 .b8 d[20], .param .f32 e) .reqntid 8, 4\n"
                                          ".maxntid 32 .minnctapersm 2\n{ .reg .b32 %r<9>; .reg .b64 %d<4>;\nld.param.u64 %d1, "
                                          "[c];\nld.param.v2.u32 {%r1, %r2}, [d+8];\nmov.b64 %d2, d;\nld.param.u32 %r3, [%d2+4];\nret; }");
    const struct cw_kernel *k = &m->kernel[0];
    /* a 0, b 8, c 16, d 24..43, e 44..47 */
    static const struct {
        const char *name;
        uint32_t type, offset, bytes, shared, ptr_align;
    } want[] = {{"a", CW_U8, 0, 1, 0, 1},
                {"b", CW_U64, 8, 8, 0, 4},
                {"c", CW_U64, 16, 8, 1, 16},
                {"d", CW_U8, 24, 20, 0, 1},
                {"e", CW_F32, 44, 4, 0, 1}};
    assert_int_equal(k->param_cnt, 5);
    assert_int_equal(k->param_bytes, 48);
    for (uint32_t i = 0; i < 5; i++) {
        assert_string_equal(k->param[i].name, want[i].name);
        assert_int_equal(k->param[i].type, want[i].type);
        assert_int_equal(k->param[i].offset, want[i].offset);
        assert_int_equal(k->param[i].bytes, want[i].bytes);
        assert_int_equal(k->param[i].is_shared_ptr, want[i].shared);
        assert_int_equal(k->param[i].ptr_align, want[i].ptr_align);
    }
    assert_int_equal(k->reqntid[0], 8);
    assert_int_equal(k->reqntid[1], 4);
    assert_int_equal(k->reqntid[2], 1);
    assert_int_equal(k->maxntid[0], 32);
    assert_int_equal(k->uop[0].src[0].kind, CW_OPND_NONE);
    assert_int_equal(k->uop[0].imm, 16);
    assert_int_equal(k->uop[1].imm, 32);
    assert_int_equal(px_const(k, k->uop[2].src[0]), 24);
    assert_int_equal(k->uop[3].src[0].kind, CW_OPND_R64);
    assert_int_equal(k->uop[3].space, CW_SPACE_PARAM);
    cw_module_destroy(m);
}

/* Fields that the executor relies on. */
static void test_ptx_data__fields(void **state)
{
    (void)state;
    struct cw_module *m = px_load(PX_KERNEL("mul.wide.s32 %d1, %r1, %r2;\nset.gt.u32.f32 %r1, %f1, %f2;\nshf.r.wrap.b32 %r1, %r2, %r3, "
                                            "%r4;\nlop3.b32 %r1, %r2, %r3, %r4, 0xe8;\n"
                                            "div.approx.ftz.f32 %f1, %f2, %f3;\nvote.sync.ballot.b32 %r1, !%p1, -1;\nmatch.all.sync.b32 "
                                            "%r1|%p1, %r2, -1;\nred.shared.inc.u32 [%r1+8], 7;\n"
                                            "ld.acquire.gpu.global.s8 %h1, [%d1];\n@!%p3 sqrt.rn.f64 %g1, %g2;\nbar.warp.sync "
                                            "-1;\nsetp.ltu.xor.f32 _|%p2, %f1, %f2, %p1;\nret;"));
    const struct cw_uop *u = m->kernel[0].uop;
    assert_true(u[0].type == CW_S64 && u[0].stype == CW_S32 && u[0].flags == CW_UF_WIDE && u[0].fu == CW_FU_IMUL);
    assert_true(u[1].type == CW_U32 && u[1].stype == CW_F32 && u[1].cmp == CW_CMP_GT && u[1].fu == CW_FU_FP);
    assert_true(u[2].op == CW_OP_SHF_R && u[2].flags == CW_UF_WRAP && u[2].fu == CW_FU_ALU);
    assert_true(u[3].op == CW_OP_LOP3 && u[3].imm == 0xe8);
    assert_true(u[4].round == CW_ROUND_APPROX && u[4].flags == CW_UF_FTZ && u[4].fu == CW_FU_FDIV);
    assert_true(u[5].cmp == CW_VOTE_BALLOT && u[5].src[0].neg && u[5].src_cnt == 2);
    assert_true(u[6].cmp == 1 && u[6].dst_cnt == 2 && u[6].dst[1].kind == CW_OPND_PRED);
    assert_true(u[7].op == CW_OP_ATOM && u[7].dst_cnt == 0 && u[7].atom == CW_ATOM_INC && u[7].imm == 8 && u[7].space == CW_SPACE_SHARED);
    assert_true(u[8].flags == (CW_UF_VOLATILE | CW_UF_SCOPED | CW_UF_ACQUIRE) && u[8].scope == CW_SCOPE_GPU && u[8].type == CW_S8 &&
                u[8].stype == CW_U16);
    assert_true(u[9].guard >= 0 && u[9].guard_neg && u[9].fu == CW_FU_SFU && u[9].line == 16);
    assert_true(u[10].op == CW_OP_BAR && u[10].cmp == CW_BAR_WARP);
    assert_true(u[11].dst[0].kind == CW_OPND_SINK && u[11].boolop == CW_BOOL_XOR && u[11].cmp == CW_CMP_LTU &&
                u[11].src[2].kind == CW_OPND_PRED);
    cw_module_destroy(m);
}

/* Registers wider than the type: the reader converts, the micro-op itself sees its own class. */
static void test_ptx_data__wide_registers(void **state)
{
    (void)state;
    struct cw_module *m =
        px_load(PX_KERNEL("ld.global.s32 %d1, [%d2];\nst.global.u16 [%d2], %d1;\ncvt.s8.s32 %d3, %r1;\ncvt.u8.u32 %r1, %r2;\nret;"));
    const struct cw_uop *u = m->kernel[0].uop;
    assert_true(u[0].op == CW_OP_LD && u[0].dst[0].kind == CW_OPND_R32);
    assert_true(u[1].op == CW_OP_CVT && u[1].type == CW_S64 && u[1].stype == CW_S32 && u[1].dst[0].kind == CW_OPND_R64);
    assert_true(u[2].op == CW_OP_CVT && u[2].type == CW_U32 && u[2].stype == CW_U64);
    assert_true(u[3].op == CW_OP_ST && u[3].type == CW_U16 && u[3].src[1].kind == CW_OPND_R32);
    assert_true(u[4].op == CW_OP_CVT && u[4].type == CW_S8 && u[4].stype == CW_S32);
    assert_true(u[5].op == CW_OP_CVT && u[5].type == CW_S64 && u[5].stype == CW_S8);
    assert_true(u[6].op == CW_OP_CVT && u[6].type == CW_U8 && m->kernel[0].uop_cnt == 8);
    cw_module_destroy(m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ptx_data__immediates),        cmocka_unit_test(test_ptx_data__constants_are_shared),
    cmocka_unit_test(test_ptx_data__initialisers),      cmocka_unit_test(test_ptx_data__symbol_addresses),
    cmocka_unit_test(test_ptx_data__shared_layout),     cmocka_unit_test(test_ptx_data__launch_bounds),
    cmocka_unit_test(test_ptx_data__kernel_parameters), cmocka_unit_test(test_ptx_data__fields),
    cmocka_unit_test(test_ptx_data__wide_registers),
};

CW_TEST_MAIN(tests)
