/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison, selection, predicates, moves, special registers, address spaces, parameters, operations across lanes. */
#include "exec_fixture.h"

#define NAN32 0x7fc00000u
#define NAN64 UINT64_C(0x7ff8000000000000)

static struct fixture f;

static void set32(uint32_t reg, uint32_t (*value)(uint32_t lane))
{
    for (uint32_t l = 0; l < CW_LANES; l++)
        f.r32[reg][1][l] = value(l);
}

static uint32_t lane_times_3(uint32_t l)
{
    return 3 * l;
}

static void run(struct cw_uop *u, uint32_t mask)
{
    u->guard = -1;
    fx_run(&f, u, CW_EXEC_BEST, mask);
}

/* Truth of every comparison for below, equal, above and unordered, in PTX's table of operators. */
static void compare_all(enum cw_type type, uint64_t low, uint64_t high, uint64_t nan, uint32_t flags)
{
    static const char truth[][5] = {
        [CW_CMP_EQ] = "0100",  [CW_CMP_NE] = "1010",  [CW_CMP_LT] = "1000",  [CW_CMP_LE] = "1100",  [CW_CMP_GT] = "0010",
        [CW_CMP_GE] = "0110",  [CW_CMP_LO] = "1000",  [CW_CMP_LS] = "1100",  [CW_CMP_HI] = "0010",  [CW_CMP_HS] = "0110",
        [CW_CMP_EQU] = "0101", [CW_CMP_NEU] = "1011", [CW_CMP_LTU] = "1001", [CW_CMP_LEU] = "1101", [CW_CMP_GTU] = "0011",
        [CW_CMP_GEU] = "0111", [CW_CMP_NUM] = "1110", [CW_CMP_NAN] = "0001",
    };
    bool is_float = type == CW_F16 || type == CW_F32 || type == CW_F64;
    bool is_signed = type == CW_S16 || type == CW_S32 || type == CW_S64;
    for (uint32_t cmp = 0; cmp <= CW_CMP_NAN; cmp++) {
        bool unsigned_name = cmp >= CW_CMP_LO && cmp <= CW_CMP_HS;
        if ((is_float && unsigned_name) || (!is_float && cmp >= CW_CMP_EQU) || (is_signed && unsigned_name))
            continue;
        const uint64_t pair[6][2] = {{low, high}, {high, high}, {high, low}, {nan, low}, {high, nan}, {nan, nan}};
        for (uint32_t k = 0; k < (is_float ? 6u : 3u); k++) {
            struct fx_case c = {CW_OP_SETP, type, CW_TYPE_NONE, flags, cmp, {pair[k][0], pair[k][1]}, truth[cmp][k < 3 ? k : 3] == '1',
                                "setp"};
            fx_check(&c);
            if (type == CW_U16 || type == CW_S16)
                continue;
            c = (struct fx_case){CW_OP_SET, CW_U32, type, flags, cmp, {pair[k][0], pair[k][1]}, c.expected ? 0xffffffff : 0, "set"};
            fx_check(&c);
            c.type = CW_F32;
            c.expected = c.expected ? 0x3f800000 : 0;
            fx_check(&c);
        }
    }
}

static void test_exec_warp__comparisons(void **state)
{
    (void)state;
    compare_all(CW_U16, 1, 0xffff, 0, 0);
    compare_all(CW_S16, 0xffff, 1, 0, 0);
    compare_all(CW_U32, 1, 0xffffffff, 0, 0);
    compare_all(CW_S32, 0xffffffff, 1, 0, 0);
    compare_all(CW_U64, 0x1ffffffff, 0x200000000, 0, 0);
    compare_all(CW_S64, UINT64_C(0x8000000000000000), 1, 0, 0);
    compare_all(CW_F16, 0xbc00, 0x3c00, 0x7e00, 0);
    compare_all(CW_F32, 0xbf800000, 0x3f800000, NAN32, 0);
    compare_all(CW_F32, 0xbf800000, 0x3f800000, NAN32, CW_UF_FTZ);
    compare_all(CW_F64, fx_f64(-2), fx_f64(3), NAN64, 0);
    const struct fx_case t[] = {
        {CW_OP_SETP, CW_F32, CW_TYPE_NONE, 0, CW_CMP_EQ, {0x80000000, 0}, 1, "zeros are equal"},
        {CW_OP_SETP, CW_F32, CW_TYPE_NONE, 0, CW_CMP_EQ, {1, 0}, 0, "subnormal is not zero"},
        {CW_OP_SETP, CW_F32, CW_TYPE_NONE, CW_UF_FTZ, CW_CMP_EQ, {1, 0}, 1, "but it is with .ftz"},
        {CW_OP_SETP, CW_F64, CW_TYPE_NONE, 0, CW_CMP_LT, {0, 1}, 1, "subnormal double"},
        {CW_OP_SET, CW_F16, CW_F16, 0, CW_CMP_EQ, {0x3c00, 0x3c00}, 0x3c00, "set.f16"},
        {CW_OP_SET, CW_U16, CW_F16, 0, CW_CMP_EQ, {0x3c00, 0x3c00}, 0xffff, "set.u16"},
        {CW_OP_TESTP, CW_F32, CW_TYPE_NONE, 0, CW_TESTP_FINITE, {0x7f7fffff}, 1, ""},
        {CW_OP_TESTP, CW_F32, CW_TYPE_NONE, 0, CW_TESTP_FINITE, {0x7f800000}, 0, ""},
        {CW_OP_TESTP, CW_F32, CW_TYPE_NONE, 0, CW_TESTP_INFINITE, {0xff800000}, 1, ""},
        {CW_OP_TESTP, CW_F32, CW_TYPE_NONE, 0, CW_TESTP_INFINITE, {NAN32}, 0, ""},
        {CW_OP_TESTP, CW_F32, CW_TYPE_NONE, 0, CW_TESTP_NUMBER, {0xff800000}, 1, ""},
        {CW_OP_TESTP, CW_F32, CW_TYPE_NONE, 0, CW_TESTP_NUMBER, {NAN32}, 0, ""},
        {CW_OP_TESTP, CW_F64, CW_TYPE_NONE, 0, CW_TESTP_NOTANUMBER, {NAN64}, 1, ""},
        {CW_OP_TESTP, CW_F64, CW_TYPE_NONE, 0, CW_TESTP_NOTANUMBER, {1}, 0, ""},
        {CW_OP_TESTP, CW_F32, CW_TYPE_NONE, 0, CW_TESTP_NORMAL, {0x80000000}, 1, "zero"},
        {CW_OP_TESTP, CW_F32, CW_TYPE_NONE, 0, CW_TESTP_NORMAL, {0x007fffff}, 0, ""},
        {CW_OP_TESTP, CW_F32, CW_TYPE_NONE, 0, CW_TESTP_NORMAL, {0x00800000}, 1, ""},
        {CW_OP_TESTP, CW_F32, CW_TYPE_NONE, 0, CW_TESTP_SUBNORMAL, {0x807fffff}, 1, ""},
        {CW_OP_TESTP, CW_F32, CW_TYPE_NONE, 0, CW_TESTP_SUBNORMAL, {0}, 0, ""},
        {CW_OP_TESTP, CW_F64, CW_TYPE_NONE, 0, CW_TESTP_SUBNORMAL, {UINT64_C(0x000fffffffffffff)}, 1, ""},
        {CW_OP_SLCT, CW_U32, CW_S32, 0, 0, {11, 22, 0}, 11, ""},
        {CW_OP_SLCT, CW_U32, CW_S32, 0, 0, {11, 22, 0xffffffff}, 22, ""},
        {CW_OP_SLCT, CW_U64, CW_F32, 0, 0, {11, 22, 0x80000000}, 11, "-0 >= 0"},
        {CW_OP_SLCT, CW_F32, CW_F32, 0, 0, {11, 22, 0x80000001}, 22, ""},
        {CW_OP_SLCT, CW_F32, CW_F32, CW_UF_FTZ, 0, {11, 22, 0x80000001}, 11, ""},
        {CW_OP_SLCT, CW_F64, CW_F32, 0, 0, {11, 22, NAN32}, 22, "NaN"},
    };
    FX_CHECK_ALL(t);
}

static void test_exec_warp__setp_combines_and_writes_both(void **state)
{
    (void)state;
    for (uint32_t flags = 0; flags <= CW_UF_FTZ; flags += CW_UF_FTZ) { /* vector loop and scalar function */
        for (uint32_t boolop = CW_BOOL_NONE; boolop <= CW_BOOL_XOR; boolop++) {
            fx_init(&f, 5);
            struct cw_uop u = {.op = CW_OP_SETP, .type = CW_F32, .cmp = CW_CMP_LT, .boolop = (uint8_t)boolop, .flags = (uint16_t)flags};
            u.src[0] = fx_reg(CW_F32, 0);
            u.src[1] = fx_reg(CW_F32, 1);
            u.src[2] = (struct cw_opnd){CW_OPND_PRED, 1, 4}; /* !p4, which is also the destination */
            u.dst[0] = fx_reg(CW_PRED, 4);
            u.dst[1] = fx_reg(CW_PRED, 5);
            for (uint32_t l = 0; l < CW_LANES; l++) {
                f.r32[0][1][l] = l % 3 == 0 ? 0x3f800000 : 0x40000000;
                f.r32[1][1][l] = 0x40000000;
            }
            uint32_t c = ~f.pred[4][1], lt = 0x49249249, q_before = f.pred[5][1], p_before = f.pred[4][1], mask = 0x00ffff0f;
            uint32_t p = boolop == CW_BOOL_AND ? lt & c : boolop == CW_BOOL_OR ? lt | c : boolop == CW_BOOL_XOR ? lt ^ c : lt;
            uint32_t q = boolop == CW_BOOL_AND ? ~lt & c : boolop == CW_BOOL_OR ? ~lt | c : boolop == CW_BOOL_XOR ? ~lt ^ c : ~lt;
            run(&u, mask);
            assert_int_equal(f.pred[4][1], (p & mask) | (p_before & ~mask));
            assert_int_equal(f.pred[5][1], (q & mask) | (q_before & ~mask));
        }
    }
}

static void test_exec_warp__predicates(void **state)
{
    (void)state;
    static const struct {
        enum cw_op op;
        uint32_t want;
    } t[] = {{CW_OP_AND, 0x88888888}, {CW_OP_OR, 0xeeeeeeee}, {CW_OP_XOR, 0x66666666}, {CW_OP_NOT, 0x33333333}, {CW_OP_MOV, 0xcccccccc}};
    for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
        fx_init(&f, 6);
        f.pred[0][1] = 0xcccccccc;
        f.pred[1][1] = 0xaaaaaaaa;
        uint32_t before = f.pred[2][1];
        struct cw_uop u = {
            .op = (uint16_t)t[i].op, .type = CW_PRED, .src = {fx_reg(CW_PRED, 0), fx_reg(CW_PRED, 1)}, .dst = {fx_reg(CW_PRED, 2)}};
        run(&u, 0xffff0000);
        assert_int_equal(f.pred[2][1], (t[i].want & 0xffff0000) | (before & 0xffff));
    }
    struct cw_uop u = {.op = CW_OP_MOV, .type = CW_PRED, .src = {fx_opnd(CW_OPND_CPRED, 1)}, .dst = {fx_reg(CW_PRED, 2)}};
    run(&u, CW_FULL_MASK);
    assert_int_equal(f.pred[2][1], 0xffffffff);
    u.src[0].neg = 1;
    run(&u, 0xf);
    assert_int_equal(f.pred[2][1], 0xfffffff0);
}

static void test_exec_warp__selp(void **state)
{
    (void)state;
    static const enum cw_type types[] = {CW_U16, CW_U32, CW_F32, CW_U64, CW_F64};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        for (uint8_t neg = 0; neg < 2; neg++) {
            fx_init(&f, 7);
            struct fixture before = f;
            struct cw_uop u = {.op = CW_OP_SELP,
                               .type = (uint8_t)types[i],
                               .src = {fx_reg(types[i], 0), fx_reg(types[i], 1), {CW_OPND_PRED, neg, 3}},
                               .dst = {fx_reg(types[i], 1)}};
            run(&u, 0x0ff0ff00);
            for (uint32_t l = 0; l < CW_LANES; l++) {
                bool on = (0x0ff0ff00u >> l) & 1, first = on && ((f.pred[3][1] >> l) & 1) != neg;
                if (cw_type_bytes(types[i]) == 8)
                    assert_true(f.r64[1][1][l] == before.r64[first ? 0 : 1][1][l]);
                else
                    assert_int_equal(f.r32[1][1][l], before.r32[first ? 0 : 1][1][l]);
            }
        }
    }
}

static void test_exec_warp__moves_and_constants(void **state)
{
    (void)state;
    fx_init(&f, 8);
    for (uint32_t l = 0; l < CW_LANES; l++) {
        f.c32[1][l] = 0xdeadbeef;
        f.c64[1][l] = UINT64_C(0x123456789abcdef0);
    }
    struct cw_uop u = {.op = CW_OP_MOV, .type = CW_F32, .src = {fx_opnd(CW_OPND_C32, 1)}, .dst = {fx_reg(CW_U32, 2)}};
    uint32_t before = f.r32[2][1][31];
    run(&u, 0x7fffffff);
    assert_int_equal(f.r32[2][1][0], 0xdeadbeef);
    assert_int_equal(f.r32[2][1][31], before);
    u = (struct cw_uop){.op = CW_OP_MOV, .type = CW_U64, .src = {fx_opnd(CW_OPND_C64, 1)}, .dst = {fx_reg(CW_U64, 2)}};
    run(&u, CW_FULL_MASK);
    assert_true(f.r64[2][1][31] == UINT64_C(0x123456789abcdef0)); /* not cut to 32 bits */
    u = (struct cw_uop){.op = CW_OP_UNPACK,
                        .type = CW_U64,
                        .stype = CW_U16,
                        .src = {fx_reg(CW_U64, 2)},
                        .dst = {fx_reg(CW_U16, 3), fx_opnd(CW_OPND_SINK, 0), fx_reg(CW_U16, 5), fx_reg(CW_U16, 6)}};
    run(&u, CW_FULL_MASK);
    assert_int_equal(f.r32[3][1][9], 0xdef0);
    assert_int_equal(f.r32[5][1][9], 0x5678);
    assert_int_equal(f.r32[6][1][9], 0x1234);
    u = (struct cw_uop){.op = CW_OP_PACK,
                        .type = CW_U64,
                        .stype = CW_U16,
                        .src = {fx_reg(CW_U16, 6), fx_reg(CW_U16, 5), fx_reg(CW_U16, 3), fx_reg(CW_U16, 3)},
                        .dst = {fx_reg(CW_U64, 0)}};
    f.r32[6][1][9] |= 0xffff0000; /* what is above 16 bits does not count */
    run(&u, CW_FULL_MASK);
    assert_true(f.r64[0][1][9] == UINT64_C(0xdef0def056781234));
    u = (struct cw_uop){
        .op = CW_OP_UNPACK, .type = CW_F64, .stype = CW_U32, .src = {fx_reg(CW_F64, 2)}, .dst = {fx_reg(CW_U32, 0), fx_reg(CW_U32, 1)}};
    run(&u, CW_FULL_MASK);
    assert_int_equal(f.r32[0][1][0], 0x9abcdef0);
    assert_int_equal(f.r32[1][1][0], 0x12345678);
    u = (struct cw_uop){.op = CW_OP_PACK,
                        .type = CW_U32,
                        .stype = CW_U8,
                        .src = {fx_reg(CW_U8, 0), fx_reg(CW_U8, 1), fx_reg(CW_U8, 0), fx_reg(CW_U8, 1)},
                        .dst = {fx_reg(CW_U32, 0)}};
    run(&u, CW_FULL_MASK);
    assert_int_equal(f.r32[0][1][0], 0x78f078f0);
    u = (struct cw_uop){.op = CW_OP_ADD, .type = CW_U32, .src = {fx_reg(CW_U32, 0), fx_reg(CW_U32, 0)}, .dst = {fx_opnd(CW_OPND_SINK, 0)}};
    struct fixture all = f;
    run(&u, CW_FULL_MASK);
    assert_memory_equal(f.r32, all.r32, sizeof f.r32);
}

static uint64_t sreg(enum cw_sreg s, uint32_t lane)
{
    struct cw_uop u = {.op = CW_OP_MOV, .type = CW_U64, .src = {fx_opnd(CW_OPND_SREG, s)}, .dst = {fx_reg(CW_U64, 2)}};
    run(&u, CW_FULL_MASK);
    struct cw_uop v = {.op = CW_OP_MOV, .type = CW_U32, .src = {fx_opnd(CW_OPND_SREG, s)}, .dst = {fx_reg(CW_U32, 2)}};
    run(&v, CW_FULL_MASK);
    assert_int_equal(f.r32[2][1][lane], (uint32_t)f.r64[2][1][lane]);
    return f.r64[2][1][lane];
}

static void test_exec_warp__special_registers(void **state)
{
    (void)state;
    fx_init(&f, 9);
    for (uint32_t i = 0; i < 3; i++) {
        f.x.ntid[i] = 100 + i;
        f.x.ctaid[i] = 200 + i;
        f.x.nctaid[i] = 300 + i;
    }
    f.x.warpid = 1, f.x.nwarpid = 48, f.x.smid = 3, f.x.nsmid = 15, f.x.gridid = 7, f.x.dynamic_smem = 512, f.x.total_smem = 1024;
    f.x.clock = UINT64_C(0x1122334455667788), f.x.globaltimer_ns = UINT64_C(0x99aabbccddeeff00);
    static const struct {
        enum cw_sreg s;
        uint32_t lane;
        uint64_t want;
    } t[] = {
        {CW_SREG_TID_X, 13, 5},
        {CW_SREG_TID_Y, 13, 1},
        {CW_SREG_TID_Z, 13, 0},
        {CW_SREG_TID_Z, 31, 1},
        {CW_SREG_NTID_X, 0, 100},
        {CW_SREG_NTID_Y, 1, 101},
        {CW_SREG_NTID_Z, 2, 102},
        {CW_SREG_CTAID_X, 0, 200},
        {CW_SREG_CTAID_Y, 0, 201},
        {CW_SREG_CTAID_Z, 0, 202},
        {CW_SREG_NCTAID_X, 0, 300},
        {CW_SREG_NCTAID_Y, 0, 301},
        {CW_SREG_NCTAID_Z, 31, 302},
        {CW_SREG_LANEID, 17, 17},
        {CW_SREG_WARPID, 4, 1},
        {CW_SREG_NWARPID, 4, 48},
        {CW_SREG_SMID, 4, 3},
        {CW_SREG_NSMID, 4, 15},
        {CW_SREG_GRIDID, 4, 7},
        {CW_SREG_LANEMASK_EQ, 4, 0x10},
        {CW_SREG_LANEMASK_LE, 4, 0x1f},
        {CW_SREG_LANEMASK_LT, 4, 0x0f},
        {CW_SREG_LANEMASK_GE, 4, 0xfffffff0},
        {CW_SREG_LANEMASK_GT, 4, 0xffffffe0},
        {CW_SREG_LANEMASK_EQ, 31, 0x80000000},
        {CW_SREG_LANEMASK_LE, 31, 0xffffffff},
        {CW_SREG_LANEMASK_LT, 0, 0},
        {CW_SREG_LANEMASK_GE, 0, 0xffffffff},
        {CW_SREG_LANEMASK_GT, 31, 0},
        {CW_SREG_CLOCK, 0, 0x55667788},
        {CW_SREG_CLOCK_HI, 0, 0x11223344},
        {CW_SREG_CLOCK64, 0, UINT64_C(0x1122334455667788)},
        {CW_SREG_GLOBALTIMER, 0, UINT64_C(0x99aabbccddeeff00)},
        {CW_SREG_GLOBALTIMER_LO, 0, 0xddeeff00},
        {CW_SREG_GLOBALTIMER_HI, 0, 0x99aabbcc},
        {CW_SREG_DYNAMIC_SMEM, 0, 512},
        {CW_SREG_TOTAL_SMEM, 0, 1024},
    };
    for (size_t i = 0; i < sizeof t / sizeof t[0]; i++)
        assert_true(sreg(t[i].s, t[i].lane) == t[i].want);
}

/* The second half of a wide warp counts its lanes on. */
static void test_exec_warp__special_registers_of_a_second_half(void **state)
{
    (void)state;
    fx_init(&f, 9);
    f.x.ctaid[1] = 77, f.x.warpid = 3, f.x.smid = 5, f.x.first_lane = 32;
    assert_true(sreg(CW_SREG_CTAID_Y, 9) == 77);
    assert_true(sreg(CW_SREG_WARPID, 9) == 3);
    assert_true(sreg(CW_SREG_LANEID, 9) == 41);
    assert_true(sreg(CW_SREG_SMID, 9) == 5);
}

static void test_exec_warp__address_spaces(void **state)
{
    (void)state;
    const struct fx_case t[] = {
        {CW_OP_CVTA, CW_U64, CW_TYPE_NONE, 0, CW_SPACE_SHARED, {0x10}, CW_SHARED_WINDOW + 0x10, ""},
        {CW_OP_CVTA, CW_U64, CW_TYPE_NONE, CW_UF_TO, CW_SPACE_SHARED, {CW_SHARED_WINDOW + 0x10}, 0x10, ""},
        {CW_OP_CVTA, CW_U32, CW_TYPE_NONE, 0, CW_SPACE_LOCAL, {4}, CW_LOCAL_WINDOW + 4, ""},
        {CW_OP_CVTA, CW_U64, CW_TYPE_NONE, CW_UF_TO, CW_SPACE_CONST, {CW_CONST_WINDOW}, 0, ""},
        {CW_OP_CVTA, CW_U64, CW_TYPE_NONE, 0, CW_SPACE_GLOBAL, {CW_GLOBAL_BASE + 8}, CW_GLOBAL_BASE + 8, ""},
        {CW_OP_CVTA, CW_U64, CW_TYPE_NONE, CW_UF_TO, CW_SPACE_GLOBAL, {CW_GLOBAL_BASE}, CW_GLOBAL_BASE, ""},
        {CW_OP_ISSPACEP, CW_U64, CW_TYPE_NONE, 0, CW_SPACE_SHARED, {CW_SHARED_WINDOW}, 1, ""},
        {CW_OP_ISSPACEP, CW_U64, CW_TYPE_NONE, 0, CW_SPACE_SHARED, {CW_SHARED_WINDOW - 1}, 0, ""},
        {CW_OP_ISSPACEP, CW_U64, CW_TYPE_NONE, 0, CW_SPACE_SHARED, {CW_SHARED_WINDOW + CW_WINDOW_BYTES}, 0, ""},
        {CW_OP_ISSPACEP, CW_U64, CW_TYPE_NONE, 0, CW_SPACE_LOCAL, {CW_LOCAL_WINDOW + 5}, 1, ""},
        {CW_OP_ISSPACEP, CW_U64, CW_TYPE_NONE, 0, CW_SPACE_CONST, {CW_CONST_WINDOW + CW_WINDOW_BYTES - 1}, 1, ""},
        {CW_OP_ISSPACEP, CW_U64, CW_TYPE_NONE, 0, CW_SPACE_GLOBAL, {CW_GLOBAL_BASE}, 1, ""},
        {CW_OP_ISSPACEP, CW_U64, CW_TYPE_NONE, 0, CW_SPACE_GLOBAL, {CW_GLOBAL_BASE - 1}, 0, ""},
        {CW_OP_ISSPACEP, CW_U64, CW_TYPE_NONE, 0, CW_SPACE_GLOBAL, {0}, 0, "null"},
    };
    FX_CHECK_ALL(t);
}

static void load_param(enum cw_type type, uint32_t vec, int64_t offset, struct cw_opnd base, struct cw_opnd d0, struct cw_opnd d1)
{
    struct cw_uop u = {
        .op = CW_OP_LD, .type = (uint8_t)type, .space = CW_SPACE_PARAM, .vec = (uint8_t)vec, .imm = offset, .src = {base}, .dst = {d0, d1}};
    run(&u, CW_FULL_MASK);
}

static void test_exec_warp__parameters(void **state)
{
    (void)state;
    const struct cw_opnd none = fx_opnd(CW_OPND_NONE, 0), r = fx_reg(CW_U32, 4), r2 = fx_reg(CW_U32, 5), d = fx_reg(CW_U64, 4);
    fx_init(&f, 10);
    for (uint32_t i = 0; i < sizeof f.param; i++)
        f.param[i] = (uint8_t)(0x80 + i);
    load_param(CW_U8, 1, 1, none, r, none);
    assert_int_equal(f.r32[4][1][7], 0x81);
    load_param(CW_S8, 1, 1, none, r, none);
    assert_int_equal(f.r32[4][1][7], 0xffffff81);
    load_param(CW_S8, 1, 1, none, d, none);
    assert_true(f.r64[4][1][7] == UINT64_C(0xffffffffffffff81));
    load_param(CW_U16, 1, 2, none, r, none);
    assert_int_equal(f.r32[4][1][0], 0x8382);
    load_param(CW_U64, 1, 8, none, d, none);
    assert_true(f.r64[4][1][31] == UINT64_C(0x8f8e8d8c8b8a8988));
    load_param(CW_U32, 2, 4, none, r, r2);
    assert_int_equal(f.r32[4][1][31], 0x87868584);
    assert_int_equal(f.r32[5][1][31], 0x8b8a8988);
    set32(0, lane_times_3); /* an address per lane, past the end for some */
    load_param(CW_U8, 1, 0, fx_reg(CW_U32, 0), r, none);
    assert_int_equal(f.r32[4][1][5], 0x8f);
    assert_int_equal(f.r32[4][1][22], 0); /* 66 is outside the block of 64 bytes */
    load_param(CW_U64, 1, 60, none, d, none);
    assert_true(f.r64[4][1][0] == 0);
}

/* PTX ISA, shfl: whole warp (c = 0x1f, for up 0) and segments of eight (mask 0x18). */
static void test_exec_warp__shuffles(void **state)
{
    (void)state;
    static const struct {
        enum cw_shfl mode;
        uint32_t b, c, lane, from;
        bool in_range;
    } t[] = {
        {CW_SHFL_UP, 1, 0, 0, 0, false},        {CW_SHFL_UP, 1, 0, 1, 0, true},         {CW_SHFL_UP, 4, 0, 31, 27, true},
        {CW_SHFL_UP, 1, 0x1800, 8, 8, false},   {CW_SHFL_UP, 1, 0x1800, 9, 8, true},    {CW_SHFL_DOWN, 1, 31, 0, 1, true},
        {CW_SHFL_DOWN, 1, 31, 31, 31, false},   {CW_SHFL_DOWN, 4, 31, 28, 28, false},   {CW_SHFL_DOWN, 2, 0x181f, 6, 6, false},
        {CW_SHFL_DOWN, 2, 0x181f, 5, 7, true},  {CW_SHFL_BFLY, 16, 31, 3, 19, true},    {CW_SHFL_BFLY, 1, 31, 3, 2, true},
        {CW_SHFL_BFLY, 8, 0x181f, 3, 3, false}, {CW_SHFL_BFLY, 31, 31, 0, 31, true},    {CW_SHFL_IDX, 5, 31, 20, 5, true},
        {CW_SHFL_IDX, 37, 31, 20, 5, true},     {CW_SHFL_IDX, 5, 0x181f, 20, 21, true}, {CW_SHFL_IDX, 5, 3, 20, 20, false},
        {CW_SHFL_IDX, 0, 0x1c1f, 7, 4, true},
    };
    for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
        fx_init(&f, 11);
        set32(0, lane_times_3);
        for (uint32_t l = 0; l < CW_LANES; l++)
            f.r32[1][1][l] = t[i].b, f.r32[2][1][l] = t[i].c, f.r32[3][1][l] = 0xffffffff;
        struct cw_uop u = {.op = CW_OP_SHFL,
                           .type = CW_U32,
                           .cmp = (uint8_t)t[i].mode,
                           .src = {fx_reg(CW_U32, 0), fx_reg(CW_U32, 1), fx_reg(CW_U32, 2), fx_reg(CW_U32, 3)},
                           .dst = {fx_reg(CW_U32, 0), fx_reg(CW_PRED, 4)}};
        run(&u, CW_FULL_MASK); /* in place: every lane must read the old values */
        assert_int_equal(f.r32[0][1][t[i].lane], 3 * t[i].from);
        assert_int_equal((f.pred[4][1] >> t[i].lane) & 1, t[i].in_range);
    }
    fx_init(&f, 11);
    set32(0, lane_times_3);
    for (uint32_t l = 0; l < CW_LANES; l++)
        f.r32[1][1][l] = 1, f.r32[2][1][l] = 31;
    struct cw_uop u = {.op = CW_OP_SHFL,
                       .type = CW_U32,
                       .cmp = CW_SHFL_BFLY,
                       .src = {fx_reg(CW_U32, 0), fx_reg(CW_U32, 1), fx_reg(CW_U32, 2)},
                       .dst = {fx_reg(CW_U32, 4)}};
    uint32_t off = f.r32[4][1][1];
    run(&u, 0xfffffffd);
    assert_int_equal(f.r32[4][1][1], off); /* off: unchanged */
    assert_int_equal(f.r32[4][1][2], 9);
    u.src[0] = fx_reg(CW_U32, 1); /* every lane has 1 */
    run(&u, 0xfffffffd);
    assert_int_equal(f.r32[4][1][0], 0); /* partner is off */
    assert_int_equal(f.r32[4][1][2], 1);
}

static void test_exec_warp__votes(void **state)
{
    (void)state;
    static const struct {
        enum cw_vote mode;
        uint32_t p, mask;
        uint8_t neg;
        uint32_t want; /* ballot, or truth */
    } t[] = {
        {CW_VOTE_ALL, 0xff, 0xff, 0, 1},
        {CW_VOTE_ALL, 0xfe, 0xff, 0, 0},
        {CW_VOTE_ANY, 0x100, 0xff, 0, 0},
        {CW_VOTE_ANY, 0x80, 0xff, 0, 1},
        {CW_VOTE_UNI, 0xff, 0xff, 0, 1},
        {CW_VOTE_UNI, 0, 0xff, 0, 1},
        {CW_VOTE_UNI, 1, 0xff, 0, 0},
        {CW_VOTE_BALLOT, 0xf0f0f0f0, 0x00ffff00, 0, 0x00f0f000},
        {CW_VOTE_BALLOT, 0xf0f0f0f0, 0xffffffff, 1, 0x0f0f0f0f},
        {CW_VOTE_ALL, 0, 0xff, 1, 1},
    };
    for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
        fx_init(&f, 12);
        f.pred[0][1] = t[i].p;
        uint32_t before = f.pred[4][1], off = f.r32[4][1][31];
        struct cw_uop u = {.op = CW_OP_VOTE,
                           .type = t[i].mode == CW_VOTE_BALLOT ? CW_U32 : CW_PRED,
                           .cmp = (uint8_t)t[i].mode,
                           .src = {{CW_OPND_PRED, t[i].neg, 0}}};
        u.dst[0] = t[i].mode == CW_VOTE_BALLOT ? fx_reg(CW_U32, 4) : fx_reg(CW_PRED, 4);
        run(&u, t[i].mask);
        if (t[i].mode == CW_VOTE_BALLOT) {
            assert_int_equal(f.r32[4][1][8], t[i].want);
            if (!(t[i].mask >> 31))
                assert_int_equal(f.r32[4][1][31], off);
        } else
            assert_int_equal(f.pred[4][1], (before & ~t[i].mask) | (t[i].want ? t[i].mask : 0));
    }
}

static uint32_t lane_mod_4(uint32_t l)
{
    return l % 4;
}

static void test_exec_warp__match_redux_activemask(void **state)
{
    (void)state;
    fx_init(&f, 13);
    set32(0, lane_mod_4);
    struct cw_uop u = {.op = CW_OP_MATCH, .type = CW_U32, .cmp = 0, .src = {fx_reg(CW_U32, 0)}, .dst = {fx_reg(CW_U32, 4)}};
    run(&u, 0x0000ffff);
    assert_int_equal(f.r32[4][1][1], 0x2222);
    u.cmp = 1;
    u.dst[1] = fx_reg(CW_PRED, 4);
    f.pred[4][1] = 0;
    run(&u, 0x11111111);
    assert_int_equal(f.r32[4][1][4], 0x11111111);
    assert_int_equal(f.pred[4][1], 0x11111111);
    run(&u, 0x11111113);
    assert_int_equal(f.r32[4][1][4], 0);
    assert_int_equal(f.pred[4][1], 0);
    static const struct {
        enum cw_atom op;
        enum cw_type type;
        uint32_t want; /* over the values 0xffffffff, 3, 5 */
    } t[] = {{CW_ATOM_ADD, CW_U32, 7}, {CW_ATOM_MIN, CW_U32, 3}, {CW_ATOM_MAX, CW_U32, 0xffffffff}, {CW_ATOM_MIN, CW_S32, 0xffffffff},
             {CW_ATOM_MAX, CW_S32, 5}, {CW_ATOM_AND, CW_U32, 1}, {CW_ATOM_OR, CW_U32, 0xffffffff},  {CW_ATOM_XOR, CW_U32, 0xfffffff9}};
    for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
        f.r32[0][1][2] = 0xffffffff, f.r32[0][1][9] = 3, f.r32[0][1][31] = 5;
        u = (struct cw_uop){.op = CW_OP_REDUX,
                            .type = (uint8_t)t[i].type,
                            .atom = (uint8_t)t[i].op,
                            .src = {fx_reg(CW_U32, 0)},
                            .dst = {fx_reg(CW_U32, 4)}};
        run(&u, 0x80000204);
        assert_int_equal(f.r32[4][1][2], t[i].want);
        assert_int_equal(f.r32[4][1][31], t[i].want);
    }
    u = (struct cw_uop){.op = CW_OP_ACTIVEMASK, .type = CW_U32, .dst = {fx_reg(CW_U32, 4)}};
    run(&u, 0x80000204);
    assert_int_equal(f.r32[4][1][9], 0x80000204);
}

static void test_exec_warp__atomics(void **state)
{
    (void)state;
    static const struct {
        enum cw_atom op;
        enum cw_type type;
        uint64_t old, a, b, want;
    } t[] = {
        {CW_ATOM_ADD, CW_U32, 0xffffffff, 2, 0, 1},
        {CW_ATOM_ADD, CW_S32, 5, 0xffffffff, 0, 4},
        {CW_ATOM_ADD, CW_U64, 0xffffffff, 1, 0, 0x100000000},
        {CW_ATOM_ADD, CW_F32, 0x3f800000, 0x3f800000, 0, 0x40000000},
        {CW_ATOM_ADD, CW_F32, 1, 1, 0, 2},
        {CW_ATOM_ADD, CW_F32, 0x7f800000, 0xff800000, 0, 0x7fffffff},
        {CW_ATOM_ADD, CW_F64, 0x3ff0000000000000, 0x3ff0000000000000, 0, 0x4000000000000000},
        {CW_ATOM_ADD, CW_F16X2, 0x3c003c00, 0x40003c00, 0, 0x42004000},
        {CW_ATOM_ADD, CW_BF16, 0x3f81, 0x3b80, 0, 0x3f82}, /* the tie goes to even */
        {CW_ATOM_ADD, CW_BF16X2, 0x3f80ff80, 0x40007f80, 0, 0x40407fff},
        {CW_ATOM_EXCH, CW_U32, 1, 2, 0, 2},
        {CW_ATOM_EXCH, CW_U64, 1, UINT64_MAX, 0, UINT64_MAX},
        {CW_ATOM_CAS, CW_U32, 1, 1, 9, 9},
        {CW_ATOM_CAS, CW_U32, 2, 1, 9, 2},
        {CW_ATOM_CAS, CW_U16, 0x1234, 0xabcd1234, 7, 7},
        {CW_ATOM_CAS, CW_U64, 1, 0x100000001, 9, 1},
        {CW_ATOM_MIN, CW_U32, 0xffffffff, 1, 0, 1},
        {CW_ATOM_MIN, CW_S32, 0xffffffff, 1, 0, 0xffffffff},
        {CW_ATOM_MAX, CW_U32, 0xffffffff, 1, 0, 0xffffffff},
        {CW_ATOM_MAX, CW_S32, 0xffffffff, 1, 0, 1},
        {CW_ATOM_MIN, CW_S64, UINT64_MAX, 1, 0, UINT64_MAX},
        {CW_ATOM_MAX, CW_S64, UINT64_MAX, 1, 0, 1},
        {CW_ATOM_MAX, CW_U64, UINT64_MAX, 1, 0, UINT64_MAX},
        {CW_ATOM_MIN, CW_U64, UINT64_MAX, 1, 0, 1},
        {CW_ATOM_MIN, CW_F32, 0x3f800000, 0xc0000000, 0, 0xc0000000}, /* 1 and -2, of which -2 is larger as an unsigned number */
        {CW_ATOM_MAX, CW_F32, 0x3f800000, 0xc0000000, 0, 0x3f800000},
        {CW_ATOM_MIN, CW_F32, 0x7fc00000, 0x40400000, 0, 0x40400000},                         /* a NaN and 3 */
        {CW_ATOM_MIN, CW_F64, 0xbff0000000000000, 0xc000000000000000, 0, 0xc000000000000000}, /* -1 and -2 */
        {CW_ATOM_MAX, CW_F64, 0xbff0000000000000, 0xc000000000000000, 0, 0xbff0000000000000},
        {CW_ATOM_AND, CW_U32, 0xff, 0x0f, 0, 0x0f},
        {CW_ATOM_OR, CW_U64, 0xf0, 0x0f, 0, 0xff},
        {CW_ATOM_XOR, CW_U32, 0xff, 0x0f, 0, 0xf0},
        {CW_ATOM_INC, CW_U32, 3, 4, 0, 4},
        {CW_ATOM_INC, CW_U32, 4, 4, 0, 0},
        {CW_ATOM_INC, CW_U32, 9, 4, 0, 0},
        {CW_ATOM_DEC, CW_U32, 3, 4, 0, 2},
        {CW_ATOM_DEC, CW_U32, 0, 4, 0, 4},
        {CW_ATOM_DEC, CW_U32, 9, 4, 0, 4},
    };
    for (size_t i = 0; i < sizeof t / sizeof t[0]; i++)
        assert_true(cw_atomic_apply(t[i].op, t[i].type, t[i].old, t[i].a, t[i].b) == t[i].want);
}

static void test_exec_warp__binding(void **state)
{
    (void)state;
    struct cw_error err;
    struct cw_uop u[] = {{.op = CW_OP_BRA},
                         {.op = CW_OP_LD, .type = CW_U32, .space = CW_SPACE_GLOBAL},
                         {.op = CW_OP_EXIT},
                         {.op = CW_OP_NOP},
                         {.op = CW_OP_ADD, .type = CW_S16},
                         {.op = CW_OP_SQRT, .type = CW_U32, .line = 42}};
    struct cw_kernel k = {.uop = u, .uop_cnt = 5};
    u[0].exec = cw_exec__nop;
    assert_int_equal(cw_exec_bind(&k, &err), CW_OK);
    assert_true(u[0].exec == NULL && u[1].exec == NULL && u[2].exec == NULL);
    assert_true(u[3].exec != NULL && u[4].exec != NULL);
    k.uop_cnt = 6;
    assert_int_equal(cw_exec_bind(&k, &err), CW_EUNSUP);
    assert_non_null(strstr(err.text, "line 42"));
    assert_non_null(strstr(err.text, "sqrt"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_exec_warp__comparisons),
    cmocka_unit_test(test_exec_warp__setp_combines_and_writes_both),
    cmocka_unit_test(test_exec_warp__predicates),
    cmocka_unit_test(test_exec_warp__selp),
    cmocka_unit_test(test_exec_warp__moves_and_constants),
    cmocka_unit_test(test_exec_warp__special_registers),
    cmocka_unit_test(test_exec_warp__special_registers_of_a_second_half),
    cmocka_unit_test(test_exec_warp__address_spaces),
    cmocka_unit_test(test_exec_warp__parameters),
    cmocka_unit_test(test_exec_warp__shuffles),
    cmocka_unit_test(test_exec_warp__votes),
    cmocka_unit_test(test_exec_warp__match_redux_activemask),
    cmocka_unit_test(test_exec_warp__atomics),
    cmocka_unit_test(test_exec_warp__binding),
};

CW_TEST_MAIN(tests)
