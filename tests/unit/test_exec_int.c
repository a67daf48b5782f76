/* SPDX-License-Identifier: Apache-2.0 */
/* Integer micro-ops against values worked out by hand from the PTX ISA's definitions. */
#include "exec_fixture.h"

#define NEG(v) ((uint64_t)(v))
#define I(OP, T, FLAGS, E, ...)                                              \
    {                                                                        \
        CW_OP_##OP, CW_##T, CW_TYPE_NONE, (FLAGS), 0, {__VA_ARGS__}, (E), "" \
    }
#define W(OP, T, ST, E, ...)                                               \
    {                                                                      \
        CW_OP_##OP, CW_##T, CW_##ST, CW_UF_WIDE, 0, {__VA_ARGS__}, (E), "" \
    }
#define M(OP, T, MODE, E, ...)                                              \
    {                                                                       \
        CW_OP_##OP, CW_##T, CW_TYPE_NONE, 0, (MODE), {__VA_ARGS__}, (E), "" \
    }
#define HI    CW_UF_HI
#define SAT   CW_UF_SAT
#define WRAP  CW_UF_WRAP
#define MIN64 UINT64_C(0x8000000000000000)

static void test_exec_int__add_and_subtract(void **state)
{
    (void)state;
    static const struct fx_case t[] = {
        I(ADD, U32, 0, 0, 0xffffffff, 1),
        I(ADD, S32, 0, 0x80000000, 0x7fffffff, 1),
        I(ADD, U16, 0, 0x0001, 0xffff, 2),
        I(ADD, S16, 0, 0x8000, 0x7fff, 1),
        I(ADD, U64, 0, 0x100000000, 0xffffffff, 1),
        I(ADD, S64, 0, 0, UINT64_MAX, 1),
        I(ADD, S32, SAT, 0x7fffffff, 0x7fffffff, 1),
        I(ADD, S32, SAT, 0x80000000, 0x80000000, 0xffffffff),
        I(ADD, S32, SAT, 0xfffffffe, 0xffffffff, 0xffffffff),
        I(SUB, S32, SAT, 0x80000000, 0x80000000, 1),
        I(SUB, S32, SAT, 0x7fffffff, 0x7fffffff, 0xffffffff),
        I(SUB, S32, SAT, 0x7fffffff, 0, 0x80000000),
        I(SUB, U32, 0, 0xffffffff, 0, 1),
        I(SUB, U16, 0, 0xfff6, 5, 15),
        I(SUB, S64, 0, UINT64_MAX, 0, 1),
        I(ABS, S16, 0, 5, 0xfffb),
        I(ABS, S16, 0, 0x8000, 0x8000),
        I(ABS, S32, 0, 7, 0xfffffff9),
        I(ABS, S32, 0, 0x80000000, 0x80000000),
        I(ABS, S64, 0, 1, UINT64_MAX),
        I(ABS, S64, 0, MIN64, MIN64),
        I(NEG, S16, 0, 0xffff, 1),
        I(NEG, S32, 0, 0xfffffffe, 2),
        I(NEG, S32, 0, 0x80000000, 0x80000000),
        I(NEG, S64, 0, UINT64_MAX, 1),
        I(NEG, S64, 0, 0, 0),
        I(MIN, U16, 0, 1, 1, 0xffff),
        I(MIN, S16, 0, 0xffff, 1, 0xffff),
        I(MIN, U32, 0, 1, 0xffffffff, 1),
        I(MIN, S32, 0, 0xffffffff, 0xffffffff, 1),
        I(MIN, U64, 0, 1, 1, UINT64_MAX),
        I(MIN, S64, 0, UINT64_MAX, 1, UINT64_MAX),
        I(MAX, U16, 0, 0xffff, 1, 0xffff),
        I(MAX, S16, 0, 1, 1, 0xffff),
        I(MAX, U32, 0, 0xffffffff, 0xffffffff, 1),
        I(MAX, S32, 0, 1, 0xffffffff, 1),
        I(MAX, U64, 0, UINT64_MAX, 1, UINT64_MAX),
        I(MAX, S64, 0, 1, 1, UINT64_MAX),
        I(SAD, U32, 0, 0x100, 1, 0x100, 1),
        I(SAD, S32, 0, 4, 0xffffffff, 2, 1),
        I(SAD, S32, 0, 0xffffffff, 0x80000000, 0x7fffffff, 0),
        I(SAD, U16, 0, 0xfffe, 1, 0xffff, 0),
        I(SAD, S16, 0, 2, 1, 0xffff, 0),
        I(SAD, U64, 0, 12, 5, 15, 2),
        I(SAD, S64, 0, 3, UINT64_MAX, 1, 1),
    };
    FX_CHECK_ALL(t);
}

static void test_exec_int__multiply(void **state)
{
    (void)state;
    static const struct fx_case t[] = {
        I(MUL, U16, 0, 0xfe01, 0xff, 0xff),
        I(MUL, U16, HI, 0xfffe, 0xffff, 0xffff),
        I(MUL, S16, HI, 0, 0xffff, 0xffff),
        I(MUL, S16, HI, 0x4000, 0x8000, 0x8000),
        I(MUL, S16, 0, 0xfffe, 0xffff, 2),
        I(MUL, U32, 0, 1, 0xffffffff, 0xffffffff),
        I(MUL, U32, HI, 0xfffffffe, 0xffffffff, 0xffffffff),
        I(MUL, S32, HI, 0, 0xffffffff, 0xffffffff),
        I(MUL, S32, HI, 0xffffffff, 0xffffffff, 1),
        I(MUL, S32, HI, 0x40000000, 0x80000000, 0x80000000),
        I(MUL, U64, 0, 1, UINT64_MAX, UINT64_MAX),
        I(MUL, U64, HI, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX),
        I(MUL, S64, HI, 0, UINT64_MAX, UINT64_MAX),
        I(MUL, S64, HI, UINT64_MAX, UINT64_MAX, 1),
        I(MUL, S64, HI, 0x4000000000000000, MIN64, MIN64),
        I(MUL, U64, HI, 1, 0x100000000, 0x100000000),
        W(MUL, U32, U16, 0xfffe0001, 0xffff, 0xffff),
        W(MUL, S32, S16, 1, 0xffff, 0xffff),
        W(MUL, S32, S16, 0x40000000, 0x8000, 0x8000),
        W(MUL, U64, U32, 0xfffffffe00000001, 0xffffffff, 0xffffffff),
        W(MUL, S64, S32, 1, 0xffffffff, 0xffffffff),
        W(MUL, S64, S32, 0xffffffff80000000, 0x80000000, 1),
        I(MAD, U16, 0, 0x0002, 0xffff, 0xffff, 1),
        I(MAD, S16, HI, 0x4001, 0x8000, 0x8000, 1),
        I(MAD, U16, HI, 3, 0x100, 0x200, 1),
        I(MAD, U32, 0, 7, 2, 3, 1),
        I(MAD, S32, 0, 0xfffffffb, 0xfffffffe, 3, 1),
        I(MAD, U32, HI, 0xffffffff, 0xffffffff, 0xffffffff, 1),
        I(MAD, S32, HI, 0, 0xffffffff, 1, 1),
        I(MAD, S32, HI | SAT, 0x7fffffff, 0x80000000, 0x80000000, 0x7fffffff),
        I(MAD, S32, HI | SAT, 0x80000000, 0x80000000, 0x7fffffff, 0x80000000),
        I(MAD, U64, 0, 0x200000001, 0x100000000, 2, 1),
        I(MAD, U64, HI, 2, 0x100000000, 0x100000000, 1),
        I(MAD, S64, HI, 0, UINT64_MAX, 1, 1),
        W(MAD, U32, U16, 0xffff0000, 0xffff, 0xffff, 0x0000ffff),
        W(MAD, S32, S16, 0, 0xffff, 1, 1),
        W(MAD, U64, U32, UINT64_MAX, 0xffffffff, 0xffffffff, 0x1fffffffe),
        W(MAD, S64, S32, 0, 0xffffffff, 1, 1),
        I(MUL24, U32, 0, 0xfe000001, 0xffffff, 0xffffff),
        I(MUL24, U32, HI, 0xfffffe00, 0xffffff, 0xffffff),
        I(MUL24, S32, 0, 1, 0xffffff, 0xffffff),
        I(MUL24, S32, HI, 0x40000000, 0x800000, 0x800000),
        I(MUL24, U32, 0, 6, 0xff000002, 0xff000003),
        I(MAD24, U32, 0, 7, 0xff000002, 3, 1),
        I(MAD24, S32, 0, 0xfffffffb, 0xfffffe, 3, 1),
        I(MAD24, U32, HI, 0xfffffe01, 0xffffff, 0xffffff, 1),
        I(MAD24, S32, HI, 0x40000001, 0x800000, 0x800000, 1),
        I(MAD24, S32, HI | SAT, 0x7fffffff, 0x800000, 0x800000, 0x7fffffff),
    };
    FX_CHECK_ALL(t);
}

static void test_exec_int__divide(void **state)
{
    (void)state;
    static const struct fx_case t[] = {
        I(DIV, U32, 0, 3, 10, 3),
        I(DIV, U32, 0, 0xffffffff, 10, 0),
        I(DIV, S32, 0, 0xfffffffd, 0xfffffff6, 3),
        I(DIV, S32, 0, 0xffffffff, 10, 0),
        I(DIV, S32, 0, 0x80000000, 0x80000000, 0xffffffff),
        I(DIV, U16, 0, 0xffff, 7, 0),
        I(DIV, U16, 0, 0x5555, 0xffff, 3),
        I(DIV, S16, 0, 0xfffd, 0xfff6, 3),
        I(DIV, S16, 0, 0x8000, 0x8000, 0xffff),
        I(DIV, S16, 0, 0xffff, 7, 0),
        I(DIV, U64, 0, 0x5555555555555555, UINT64_MAX, 3),
        I(DIV, U64, 0, UINT64_MAX, 1, 0),
        I(DIV, S64, 0, NEG(-3), NEG(-10), 3),
        I(DIV, S64, 0, MIN64, MIN64, UINT64_MAX),
        I(DIV, S64, 0, UINT64_MAX, 1, 0),
        I(REM, U32, 0, 1, 10, 3),
        I(REM, U32, 0, 10, 10, 0),
        I(REM, S32, 0, 0xffffffff, 0xfffffff6, 3),
        I(REM, S32, 0, 1, 10, 0xfffffffd),
        I(REM, S32, 0, 0, 0x80000000, 0xffffffff),
        I(REM, S32, 0, 0xfffffff6, 0xfffffff6, 0),
        I(REM, U16, 0, 2, 0xffff, 0xfffd),
        I(REM, S16, 0, 0xffff, 0xfff6, 3),
        I(REM, S16, 0, 0, 0x8000, 0xffff),
        I(REM, U64, 0, 0, UINT64_MAX, 3),
        I(REM, U64, 0, 9, 9, 0),
        I(REM, S64, 0, UINT64_MAX, NEG(-10), 3),
        I(REM, S64, 0, 0, MIN64, UINT64_MAX),
        I(REM, S64, 0, NEG(-10), NEG(-10), 0),
    };
    FX_CHECK_ALL(t);
}

static void test_exec_int__logic_and_shifts(void **state)
{
    (void)state;
    static const struct fx_case t[] = {
        I(AND, U16, 0, 0x0f00, 0x0ff0, 0xff00),
        I(AND, U32, 0, 0x0f000f00, 0x0ff00ff0, 0xff00ff00),
        I(AND, U64, 0, 0xff00000000, 0xffff00000000, 0xffffffffff),
        I(OR, U16, 0, 0xfff0, 0x0ff0, 0xff00),
        I(OR, U32, 0, 0xffff0000, 0xf0f00000, 0x0f0f0000),
        I(OR, U64, 0, MIN64 | 1, MIN64, 1),
        I(XOR, U16, 0, 0xf0f0, 0x0ff0, 0xff00),
        I(XOR, U32, 0, 0xffffffff, 0x55555555, 0xaaaaaaaa),
        I(XOR, U64, 0, MIN64, UINT64_MAX, INT64_MAX),
        I(NOT, U16, 0, 0xff00, 0x00ff),
        I(NOT, U32, 0, 0, 0xffffffff),
        I(NOT, U64, 0, UINT64_MAX, 0),
        I(CNOT, U16, 0, 1, 0),
        I(CNOT, U32, 0, 0, 5),
        I(CNOT, U32, 0, 1, 0),
        I(CNOT, U64, 0, 0, 0x100000000),
        I(CNOT, U64, 0, 1, 0),
        I(SHL, U16, 0, 0x8000, 1, 15),
        I(SHL, U16, 0, 0, 1, 16),
        I(SHL, U16, 0, 0, 0xffff, 0x10001),
        I(SHL, U32, 0, 0x80000000, 1, 31),
        I(SHL, U32, 0, 0, 1, 32),
        I(SHL, U32, 0, 0, 1, 0xffffffff),
        I(SHL, U32, 0, 5, 5, 0),
        I(SHL, U64, 0, MIN64, 1, 63),
        I(SHL, U64, 0, 0, 1, 64),
        I(SHL, U64, 0, 0x100000000, 1, 32),
        I(SHR, U16, 0, 1, 0x8000, 15),
        I(SHR, U16, 0, 0, 0xffff, 16),
        I(SHR, S16, 0, 0xffff, 0x8000, 15),
        I(SHR, S16, 0, 0xffff, 0x8000, 77),
        I(SHR, S16, 0, 0, 0x7fff, 77),
        I(SHR, U32, 0, 1, 0x80000000, 31),
        I(SHR, U32, 0, 0, 0xffffffff, 32),
        I(SHR, S32, 0, 0xffffffff, 0x80000000, 31),
        I(SHR, S32, 0, 0xffffffff, 0x80000000, 32),
        I(SHR, S32, 0, 0, 0x7fffffff, 0xffffffff),
        I(SHR, S32, 0, 0xc0000000, 0x80000000, 1),
        I(SHR, U64, 0, 1, MIN64, 63),
        I(SHR, U64, 0, 0, UINT64_MAX, 64),
        I(SHR, S64, 0, UINT64_MAX, MIN64, 63),
        I(SHR, S64, 0, UINT64_MAX, MIN64, 1000),
        I(SHF_L, U32, 0, 0x23456788, 0x89abcdef, 0x12345678, 4) /* {b,a} = 1234567889abcdef */,
        I(SHF_L, U32, 0, 0x12345678, 0x89abcdef, 0x12345678, 0),
        I(SHF_L, U32, 0, 0x89abcdef, 0x89abcdef, 0x12345678, 32),
        I(SHF_L, U32, 0, 0x89abcdef, 0x89abcdef, 0x12345678, 77),
        I(SHF_L, U32, WRAP, 0x12345678, 0x89abcdef, 0x12345678, 32),
        I(SHF_L, U32, WRAP, 0x23456788, 0x89abcdef, 0x12345678, 36),
        I(SHF_R, U32, 0, 0x889abcde, 0x89abcdef, 0x12345678, 4),
        I(SHF_R, U32, 0, 0x12345678, 0x89abcdef, 0x12345678, 32),
        I(SHF_R, U32, 0, 0x12345678, 0x89abcdef, 0x12345678, 1000),
        I(SHF_R, U32, WRAP, 0x89abcdef, 0x89abcdef, 0x12345678, 32),
        I(SHF_R, U32, WRAP, 0x889abcde, 0x89abcdef, 0x12345678, 0xffffffe4),
        I(LOP3, U32, 0, 1, 0xf, 0x3, 0x1, 0x80) /* and */,
        I(LOP3, U32, 0, 0xf, 0xc, 0x2, 0x1, 0xfe) /* or */,
        I(LOP3, U32, 0, 0x96, 0xf0, 0xcc, 0xaa, 0x96) /* xor */,
        I(LOP3, U32, 0, 0x1a, 0xf0, 0xcc, 0xaa, 0x1a) /* the table itself */,
        I(LOP3, U32, 0, 0xffffff27, 0xf0, 0xcc, 0xaa, 0x27) /* entry 0 is 1: high bits set */,
        I(LOP3, U32, 0, 0, 0xf0, 0xcc, 0xaa, 0),
    };
    FX_CHECK_ALL(t);
}

static void test_exec_int__bit_fields(void **state)
{
    (void)state;
    static const struct fx_case t[] = {
        I(BFE, U32, 0, 0xbc, 0xabcdef12, 20, 8) /* bits 27:20 of abcdef12 are bc */,
        I(BFE, S32, 0, 0xffffffbc, 0xabcdef12, 20, 8),
        I(BFE, U32, 0, 0, 0xabcdef12, 20, 0),
        I(BFE, S32, 0, 0, 0xabcdef12, 31, 0),
        I(BFE, U32, 0, 0xa, 0xabcdef12, 28, 32),
        I(BFE, S32, 0, 0xfffffffa, 0xabcdef12, 28, 32),
        I(BFE, U32, 0, 0, 0xffffffff, 32, 8),
        I(BFE, S32, 0, 0xffffffff, 0x80000000, 40, 8),
        I(BFE, U32, 0, 0xabcdef12, 0xabcdef12, 0, 255),
        I(BFE, U32, 0, 0xabcdef12, 0xabcdef12, 0x100, 0x120) /* amounts are bytes */,
        I(BFE, U64, 0, 0x7, 0xf000000000000000, 61, 10),
        I(BFE, S64, 0, UINT64_MAX, 0xf000000000000000, 61, 10),
        I(BFE, U64, 0, UINT64_MAX, UINT64_MAX, 0, 64),
        I(BFE, S64, 0, 0x7, 0xe, 1, 4),
        I(BFE, S64, 0, 0, 0x7fffffffffffffff, 64, 1),
        I(BFI, U32, 0, 0xffff5aff, 0x5a, 0xffffffff, 8, 8),
        I(BFI, U32, 0, 0x12345678, 0xff, 0x12345678, 8, 0),
        I(BFI, U32, 0, 0xf2345678, 0xff, 0x12345678, 28, 32),
        I(BFI, U32, 0, 0x12345678, 0xff, 0x12345678, 32, 4),
        I(BFI, U32, 0, 0xdeadbeef, 0xdeadbeef, 0x12345678, 0, 32),
        I(BFI, U64, 0, 0xff00000000000001, 0xff, 1, 56, 8),
        I(BFI, U64, 0, 5, 0xff, 5, 64, 8),
        I(BFI, U64, 0, 0x77, 0x77, 5, 0, 64),
        I(BFI, U32, 0, 0xffff5aff, 0x5a, 0xffffffff, 0x108, 0x108),
        I(BFIND, U32, 0, 31, 0x80000000),
        I(BFIND, U32, 0, 0, 1),
        I(BFIND, U32, 0, 0xffffffff, 0),
        I(BFIND, S32, 0, 0xffffffff, 0xffffffff),
        I(BFIND, S32, 0, 30, 0x80000000),
        I(BFIND, S32, 0, 3, 8),
        I(BFIND, S32, 0, 2, 0xfffffff8),
        I(BFIND, U64, 0, 63, MIN64),
        I(BFIND, S64, 0, 62, MIN64),
        I(BFIND, S64, 0, 0xffffffff, UINT64_MAX),
        I(BFIND, U64, 0, 0xffffffff, 0),
        I(BFIND, U32, CW_UF_SHIFTAMT, 0, 0x80000000),
        I(BFIND, U32, CW_UF_SHIFTAMT, 31, 1),
        I(BFIND, U32, CW_UF_SHIFTAMT, 0xffffffff, 0),
        I(BFIND, U64, CW_UF_SHIFTAMT, 63, 1),
        I(BFIND, S32, CW_UF_SHIFTAMT, 1, 0x80000000),
        I(FNS, U32, 0, 4, 0x10, 4, 0),
        I(FNS, U32, 0, 0xffffffff, 0x10, 3, 0),
        I(FNS, U32, 0, 8, 0x110, 0, 2),
        I(FNS, U32, 0, 4, 0x110, 4, 1),
        I(FNS, U32, 0, 4, 0x110, 31, 0xfffffffe),
        I(FNS, U32, 0, 8, 0x110, 8, 0xffffffff),
        I(FNS, U32, 0, 0xffffffff, 0x110, 0, 3),
        I(FNS, U32, 0, 0xffffffff, 0xffffffff, 3, 0xfffffffb),
        I(FNS, U32, 0, 0, 0xffffffff, 3, 0xfffffffc),
        I(BREV, U32, 0, 0x80000000, 1),
        I(BREV, U32, 0, 0x1e6a2c48, 0x12345678),
        I(BREV, U64, 0, MIN64, 1),
        I(BREV, U64, 0, 0x1e6a2c4800000000, 0x12345678),
        I(POPC, U32, 0, 32, 0xffffffff),
        I(POPC, U32, 0, 0, 0),
        I(POPC, U32, 0, 13, 0x12345678),
        I(POPC, U64, 0, 64, UINT64_MAX),
        I(POPC, U64, 0, 2, MIN64 | 1),
        I(CLZ, U32, 0, 32, 0),
        I(CLZ, U32, 0, 0, 0xffffffff),
        I(CLZ, U32, 0, 31, 1),
        I(CLZ, U64, 0, 64, 0),
        I(CLZ, U64, 0, 31, 0x100000000),
    };
    FX_CHECK_ALL(t);
}

/* a = 33221100 (bytes 0 to 3), b = 77665544 (bytes 4 to 7); bytes with the sign set: use f.. values. */
static void test_exec_int__byte_permutations(void **state)
{
    (void)state;
    static const struct fx_case t[] = {
        M(PRMT, U32, CW_PRMT_INDEX, 0x33221100, 0x33221100, 0x77665544, 0x3210),
        M(PRMT, U32, CW_PRMT_INDEX, 0x77665544, 0x33221100, 0x77665544, 0x7654),
        M(PRMT, U32, CW_PRMT_INDEX, 0x00775533, 0x33221100, 0x77665544, 0x0753),
        M(PRMT, U32, CW_PRMT_INDEX, 0xff00ff80, 0x80000000, 0x000000ff, 0xc843) /* 8 + n: sign of byte n */,
        M(PRMT, U32, CW_PRMT_INDEX, 0x00000000, 0x7f7f7f7f, 0, 0x8888),
        M(PRMT, U32, CW_PRMT_INDEX, 0xffffffff, 0x00000080, 0, 0x8888),
        M(PRMT, U32, CW_PRMT_F4E, 0x33221100, 0x33221100, 0x77665544, 0),
        M(PRMT, U32, CW_PRMT_F4E, 0x44332211, 0x33221100, 0x77665544, 1),
        M(PRMT, U32, CW_PRMT_F4E, 0x55443322, 0x33221100, 0x77665544, 2),
        M(PRMT, U32, CW_PRMT_F4E, 0x66554433, 0x33221100, 0x77665544, 0xff),
        M(PRMT, U32, CW_PRMT_B4E, 0x55667700, 0x33221100, 0x77665544, 0),
        M(PRMT, U32, CW_PRMT_B4E, 0x66770011, 0x33221100, 0x77665544, 1),
        M(PRMT, U32, CW_PRMT_B4E, 0x77001122, 0x33221100, 0x77665544, 2),
        M(PRMT, U32, CW_PRMT_B4E, 0x00112233, 0x33221100, 0x77665544, 3),
        M(PRMT, U32, CW_PRMT_RC8, 0x00000000, 0x33221100, 0x77665544, 0),
        M(PRMT, U32, CW_PRMT_RC8, 0x11111111, 0x33221100, 0x77665544, 1),
        M(PRMT, U32, CW_PRMT_RC8, 0x22222222, 0x33221100, 0x77665544, 2),
        M(PRMT, U32, CW_PRMT_RC8, 0x33333333, 0x33221100, 0x77665544, 3),
        M(PRMT, U32, CW_PRMT_ECL, 0x33221100, 0x33221100, 0x77665544, 0),
        M(PRMT, U32, CW_PRMT_ECL, 0x33221111, 0x33221100, 0x77665544, 1),
        M(PRMT, U32, CW_PRMT_ECL, 0x33222222, 0x33221100, 0x77665544, 2),
        M(PRMT, U32, CW_PRMT_ECL, 0x33333333, 0x33221100, 0x77665544, 3),
        M(PRMT, U32, CW_PRMT_ECR, 0x00000000, 0x33221100, 0x77665544, 0),
        M(PRMT, U32, CW_PRMT_ECR, 0x11111100, 0x33221100, 0x77665544, 1),
        M(PRMT, U32, CW_PRMT_ECR, 0x22221100, 0x33221100, 0x77665544, 2),
        M(PRMT, U32, CW_PRMT_ECR, 0x33221100, 0x33221100, 0x77665544, 3),
        M(PRMT, U32, CW_PRMT_RC16, 0x11001100, 0x33221100, 0x77665544, 0),
        M(PRMT, U32, CW_PRMT_RC16, 0x33223322, 0x33221100, 0x77665544, 1),
        M(PRMT, U32, CW_PRMT_RC16, 0x11001100, 0x33221100, 0x77665544, 2),
        M(PRMT, U32, CW_PRMT_RC16, 0x33223322, 0x33221100, 0x77665544, 3),
    };
    FX_CHECK_ALL(t);
}

static void test_exec_int__dot_products(void **state)
{
    (void)state;
#define D(OP, TA, TB, FLAGS, E, ...)                                     \
    {                                                                    \
        CW_OP_##OP, CW_##TA, CW_##TB, (FLAGS), 0, {__VA_ARGS__}, (E), "" \
    }
    static const struct fx_case t[] = {
        D(DP4A, U32, U32, 0, 1 * 5 + 2 * 6 + 3 * 7 + 4 * 8 + 100, 0x04030201, 0x08070605, 100),
        D(DP4A, U32, U32, 0, 4 * 255 * 255, 0xffffffff, 0xffffffff, 0),
        D(DP4A, S32, S32, 0, 4, 0xffffffff, 0xffffffff, 0),
        D(DP4A, S32, U32, 0, NEG(-1020), 0xffffffff, 0xffffffff, 0),
        D(DP4A, U32, S32, 0, NEG(-1020), 0xffffffff, 0xffffffff, 0),
        D(DP4A, S32, S32, 0, 0x80000000, 0x00000001, 0x00000001, 0x7fffffff),
        D(DP2A, U32, U32, 0, 2 * 5 + 3 * 6 + 1, 0x00030002, 0x08070605, 1),
        D(DP2A, U32, U32, HI, 2 * 7 + 3 * 8 + 1, 0x00030002, 0x08070605, 1),
        D(DP2A, S32, S32, 0, 2, 0xffffffff, 0xffffffff, 0),
        D(DP2A, S32, U32, HI, NEG(-510), 0xffffffff, 0xffffffff, 0),
        D(DP2A, U32, S32, 0, NEG(-131070), 0xffffffff, 0xffffffff, 0),
    };
    FX_CHECK_ALL(t);
}

static void test_exec_int__narrow_sources_ignore_high_bits(void **state)
{
    (void)state;
    static const struct fx_case t[] = {
        I(ADD, U16, 0, 3, 0xdead0001, 0xbeef0002), I(DIV, U16, 0, 2, 0xdead0004, 0xbeef0002), I(MAX, S16, 0, 1, 0x7fffffff, 0x80000001),
        I(SHR, U16, 0, 0x0fff, 0xabcdffff, 4),     I(SHR, S16, 0, 0x0000, 0xffff0001, 4),
    };
    FX_CHECK_ALL(t);
}

/* Several adds in a chain: 128-bit arithmetic by 32- and 64-bit words against the host's. */
static void carry_case(enum cw_op op, enum cw_type type, unsigned __int128 a, unsigned __int128 b)
{
    static struct fixture f;
    uint32_t bits = 8 * cw_type_bytes(type), words = 128 / bits;
    unsigned __int128 sum = 0, want = op == CW_OP_ADDC ? a + b : a - b;
    fx_init(&f, 3);
    for (uint32_t w = 0; w < words; w++) {
        struct fx_case c = {
            .op = op, .type = type, .stype = CW_TYPE_NONE, .src = {(uint64_t)(a >> (w * bits)), (uint64_t)(b >> (w * bits))}};
        struct cw_uop u = fx_uop(&c);
        u.flags = (uint16_t)(CW_UF_COUT | (w > 0 ? CW_UF_CIN : 0));
        fx_load(&f, &c, CW_FULL_MASK);
        fx_run(&f, &u, CW_EXEC_BEST, CW_FULL_MASK);
        sum |= (unsigned __int128)(bits == 64 ? f.r64[FX_D][1][17] : f.r32[FX_D][1][17]) << (w * bits);
    }
    assert_true(sum == want);
    bool carry = op == CW_OP_ADDC ? want < a : a >= b; /* after a subtraction: no borrow */
    assert_int_equal(f.cc, carry ? 0xffffffff : 0);
}

static void test_exec_int__carry_chains(void **state)
{
    (void)state;
    struct cw_rng rng;
    cw_rng_seed(&rng, cw_test_seed(7));
    for (int i = 0; i < 500; i++) {
        unsigned __int128 v[2];
        for (int k = 0; k < 2; k++) {
            v[k] = (unsigned __int128)cw_rng_next(&rng) << 64 | cw_rng_next(&rng);
            if (cw_rng_below(&rng, 3) == 0)
                v[k] = ~(unsigned __int128)0 >> cw_rng_below(&rng, 128);
        }
        carry_case(CW_OP_ADDC, i & 1 ? CW_U32 : CW_U64, v[0], v[1]);
        carry_case(CW_OP_SUBC, i & 1 ? CW_S32 : CW_S64, v[0], v[1]);
    }
}

/*
 * Chains of all three in any order and width, and what writes and reads the flag in any mix. The model is an adder with a carry input: a
 * subtraction feeds it the complement, and a 1 where no flag comes in (SASS has IADD3 with ~b and a carry predicate).
 */
static void mixed_case(struct cw_rng *rng)
{
    static const enum cw_type types[] = {CW_U32, CW_S32, CW_U64, CW_S64};
    static const enum cw_op ops[] = {CW_OP_ADDC, CW_OP_SUBC, CW_OP_MADC};
    static struct fixture f;
    uint32_t flag = 0;
    fx_init(&f, 3);
    f.cc = 0;
    for (uint32_t step = 0; step < 6; step++) {
        const bool reads = step > 0 && cw_rng_below(rng, 4) != 0, writes = cw_rng_below(rng, 4) != 0;
        const enum cw_op op = ops[cw_rng_below(rng, 3)];
        struct fx_case c = {.op = op, .type = types[cw_rng_below(rng, 4)], .stype = CW_TYPE_NONE};
        const uint32_t bits = 8 * cw_type_bytes(c.type);
        const uint64_t width = UINT64_MAX >> (64 - bits);
        for (uint32_t i = 0; i < 3; i++)
            c.src[i] = (cw_rng_below(rng, 2) ? cw_rng_next(rng) : cw_rng_below(rng, 3) - UINT64_C(1)) & width;
        struct cw_uop u = fx_uop(&c);
        u.flags = (uint16_t)((writes ? CW_UF_COUT : 0) | (reads ? CW_UF_CIN : 0));
        fx_load(&f, &c, CW_FULL_MASK);
        fx_run(&f, &u, CW_EXEC_BEST, CW_FULL_MASK);
        const uint64_t x = op == CW_OP_MADC ? (c.src[0] * c.src[1]) & width : c.src[0];
        const uint64_t y = op == CW_OP_MADC ? c.src[2] : op == CW_OP_SUBC ? ~c.src[1] & width : c.src[1];
        const unsigned __int128 sum = (unsigned __int128)x + y + (reads ? flag : op == CW_OP_SUBC);
        assert_true((bits == 64 ? f.r64[FX_D][1][17] : f.r32[FX_D][1][17]) == ((uint64_t)sum & width));
        flag = writes ? (uint32_t)(sum >> bits) & 1 : flag;
        assert_int_equal(f.cc, flag ? 0xffffffff : 0);
    }
}

static void test_exec_int__carry_in_any_mix(void **state)
{
    (void)state;
    struct cw_rng rng;
    cw_rng_seed(&rng, cw_test_seed(11));
    for (int i = 0; i < 3000; i++)
        mixed_case(&rng);
}

/* The 64 by 64 to 128 bit product as nvcc makes it of madc. */
static void test_exec_int__madc(void **state)
{
    (void)state;
    struct {
        enum cw_type type;
        uint32_t flags;
        uint64_t a, b, c, want;
        uint32_t cc_in, cc_out;
    } t[] = {
        {CW_U32, CW_UF_COUT, 0xffffffff, 0xffffffff, 0xffffffff, 0, 0, 1},
        {CW_U32, CW_UF_CIN | CW_UF_HI, 0xffffffff, 0xffffffff, 0, 0xffffffff, 1, 1},
        {CW_U32, CW_UF_CIN, 2, 3, 4, 11, 1, 1},
        {CW_S32, CW_UF_CIN | CW_UF_COUT | CW_UF_HI, 0xffffffff, 1, 0, 0, 1, 1},
        {CW_S32, CW_UF_COUT, 0xffffffff, 2, 1, 0xffffffff, 0, 0},
        {CW_U64, CW_UF_COUT | CW_UF_HI, UINT64_MAX, UINT64_MAX, 2, 0, 0, 1},
        {CW_S64, CW_UF_CIN | CW_UF_HI, UINT64_MAX, 1, 5, 5, 1, 1},
    };
    for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
        static struct fixture f;
        struct fx_case c = {.op = CW_OP_MADC, .type = t[i].type, .stype = CW_TYPE_NONE, .src = {t[i].a, t[i].b, t[i].c}};
        struct cw_uop u = fx_uop(&c);
        u.flags = (uint16_t)t[i].flags;
        fx_init(&f, 3);
        fx_load(&f, &c, CW_FULL_MASK);
        f.cc = t[i].cc_in ? 0xffffffff : 0;
        fx_run(&f, &u, CW_EXEC_BEST, 0x0000ffff);
        assert_true((cw_type_bytes(t[i].type) == 8 ? f.r64[FX_D][1][15] : f.r32[FX_D][1][15]) == t[i].want);
        assert_int_equal(f.cc & 0xffff, t[i].cc_out ? 0xffff : 0);
        assert_int_equal(f.cc >> 16, t[i].cc_in ? 0xffff : 0); /* lanes that are off keep their carry */
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_exec_int__add_and_subtract), cmocka_unit_test(test_exec_int__multiply),
    cmocka_unit_test(test_exec_int__divide),           cmocka_unit_test(test_exec_int__logic_and_shifts),
    cmocka_unit_test(test_exec_int__bit_fields),       cmocka_unit_test(test_exec_int__byte_permutations),
    cmocka_unit_test(test_exec_int__dot_products),     cmocka_unit_test(test_exec_int__narrow_sources_ignore_high_bits),
    cmocka_unit_test(test_exec_int__carry_chains),     cmocka_unit_test(test_exec_int__madc),
    cmocka_unit_test(test_exec_int__carry_in_any_mix),
};

CW_TEST_MAIN(tests)
