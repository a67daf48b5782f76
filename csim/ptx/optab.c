/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions with a regular syntax, after the PTX ISA. Rows of one name stand together and are tried in order; the first whose
 * modifiers fit is taken.
 */
#include "ptx/insn.h"

#define B(t)  (1u << CW_PT_##t)
#define U_    (B(U16) | B(U32) | B(U64))
#define S_    (B(S16) | B(S32) | B(S64))
#define I_    (U_ | S_)
#define I32   (B(U32) | B(S32))
#define I3264 (I32 | B(U64) | B(S64))
#define I1632 (B(U16) | B(S16) | I32)
#define B_    (B(B16) | B(B32) | B(B64))
#define B3264 (B(B32) | B(B64))
#define F_    (B(F32) | B(F64))
#define H_    (B(F16) | B(F16X2))
#define BF_   (B(BF16) | B(BF16X2))
#define I16X2 (B(U16X2) | B(S16X2))

#define ROW(name, op, mods, opnds, types)             \
    {                                                 \
        name, CW_OP_##op, 0, 0, mods, opnds, types, 0 \
    }
#define ROWS(name, op, mods, opnds, types, stypes)         \
    {                                                      \
        name, CW_OP_##op, 0, 0, mods, opnds, types, stypes \
    }
#define ROWF(name, op, flags, mods, opnds, types)         \
    {                                                     \
        name, CW_OP_##op, flags, 0, mods, opnds, types, 0 \
    }

const struct cw_opspec cw_opspecs[] = {
    ROW("abs", ABS, "T", "da", S_ | F_ | H_ | BF_),
    ROW("abs", ABS, "ftz T", "da", B(F32) | H_),
    ROW("activemask", ACTIVEMASK, "T", "d", B(B32)),
    ROW("add", ADD, "T", "daa", I_ | I16X2),
    ROW("add", ADD, "sat T", "daa", B(S32)),
    ROWF("add", ADDC, CW_UF_COUT, "cc T", "daa", I3264),
    ROW("add", ADD, "rnd? ftz? sat? T", "daa", B(F32)),
    ROW("add", ADD, "rnd? T", "daa", B(F64)),
    ROW("add", ADD, "rn? ftz? sat? T", "daa", H_),
    ROW("add", ADD, "rn? T", "daa", BF_),
    ROWF("addc", ADDC, CW_UF_CIN, "cc? T", "daa", I3264),
    ROW("and", AND, "T", "daa", B_ | B(PRED)),
    ROW("bfe", BFE, "T", "daee", I3264),
    ROW("bfi", BFI, "T", "daaee", B3264),
    ROW("bfind", BFIND, "shiftamt? T", "ua", I3264),
    ROW("bmsk", BMSK, "clamp T", "dee", B(B32)),
    ROW("bmsk", BMSK, "wrap T", "dee", B(B32)),
    ROW("brev", BREV, "T", "da", B3264),
    ROW("clz", CLZ, "T", "ua", B3264),
    ROW("cnot", CNOT, "T", "da", B_),
    ROW("copysign", COPYSIGN, "T", "daa", F_),
    ROW("cos", COS, "approx ftz? T", "da", B(F32)),
    ROW("div", DIV, "T", "daa", I_),
    ROW("div", DIV, "approx ftz? T", "daa", B(F32)),
    ROW("div", DIV, "full ftz? T", "daa", B(F32)),
    ROW("div", DIV, "rnd ftz? T", "daa", B(F32)),
    ROW("div", DIV, "rnd T", "daa", B(F64)),
    ROWS("dp2a", DP2A, "hl T S", "ueee", I32, I32),
    ROWS("dp4a", DP4A, "T S", "ueee", I32, I32),
    ROW("elect", ELECT, "sync", "Ue", 0),
    ROW("ex2", EX2, "approx ftz? T", "da", B(F32)),
    ROW("ex2", EX2, "approx T", "da", H_),
    ROW("ex2", EX2, "approx ftz T", "da", BF_),
    ROW("fma", FMA, "rnd ftz? sat? T", "daaa", B(F32)),
    ROW("fma", FMA, "rnd T", "daaa", B(F64)),
    ROW("fma", FMA, "rn ftz? sat? T", "daaa", H_),
    ROW("fma", FMA, "rn ftz? relu T", "daaa", H_),
    ROW("fma", FMA, "rn relu? T", "daaa", BF_),
    ROW("fns", FNS, "T", "daee", B(B32)),
    ROW("lg2", LG2, "approx ftz? T", "da", B(F32)),
    ROW("lop3", LOP3, "T", "daaak", B(B32)),
    ROW("mad", MAD, "hl T", "daaa", I_),
    ROWF("mad", MAD, CW_UF_HI, "hi sat T", "daaa", B(S32)),
    ROWF("mad", MAD, CW_UF_WIDE, "wide T", "dssa", I1632),
    ROWF("mad", MADC, CW_UF_COUT, "hl cc T", "daaa", I3264),
    ROW("mad", FMA, "rnd? ftz? sat? T", "daaa", B(F32)),
    ROW("mad", FMA, "rnd T", "daaa", B(F64)),
    ROW("mad24", MAD24, "hl T", "daaa", I32),
    ROW("mad24", MAD24, "hi sat T", "daaa", B(S32)),
    ROWF("madc", MADC, CW_UF_CIN, "hl cc? T", "daaa", I3264),
    ROW("match", MATCH, "any sync T", "uae", B3264),
    {"match", CW_OP_MATCH, 0, 1, "all sync T", "Uae", B3264, 0},
    ROW("max", MAX, "T", "daa", I_ | I16X2),
    ROW("max", MAX, "relu T", "daa", B(S32) | B(S16X2)),
    ROW("max", MAX, "T relu", "daa", B(S32) | B(S16X2)),
    ROW("max", MAX, "ftz? NaN? xorsign? T", "daa", B(F32) | H_),
    ROW("max", MAX, "NaN? xorsign? T", "daa", BF_),
    ROW("max", MAX, "T", "daa", B(F64)),
    ROW("min", MIN, "T", "daa", I_ | I16X2),
    ROW("min", MIN, "relu T", "daa", B(S32) | B(S16X2)),
    ROW("min", MIN, "T relu", "daa", B(S32) | B(S16X2)),
    ROW("min", MIN, "ftz? NaN? xorsign? T", "daa", B(F32) | H_),
    ROW("min", MIN, "NaN? xorsign? T", "daa", BF_),
    ROW("min", MIN, "T", "daa", B(F64)),
    ROW("mul", MUL, "hl T", "daa", I_),
    ROWF("mul", MUL, CW_UF_WIDE, "wide T", "dss", I1632),
    ROW("mul", MUL, "rnd? ftz? sat? T", "daa", B(F32)),
    ROW("mul", MUL, "rnd? T", "daa", B(F64)),
    ROW("mul", MUL, "rn? ftz? sat? T", "daa", H_),
    ROW("mul", MUL, "rn? T", "daa", BF_),
    ROW("mul24", MUL24, "hl T", "daa", I32),
    ROW("nanosleep", NANOSLEEP, "T", "a", B(U32)),
    ROW("neg", NEG, "T", "da", S_ | F_ | H_ | BF_),
    ROW("neg", NEG, "ftz T", "da", B(F32) | H_),
    ROW("not", NOT, "T", "da", B_ | B(PRED)),
    ROW("or", OR, "T", "daa", B_ | B(PRED)),
    ROW("popc", POPC, "T", "ua", B3264),
    ROW("prmt", PRMT, "T prmt?", "daaa", B(B32)),
    ROW("rcp", RCP, "approx ftz? T", "da", B(F32)),
    ROW("rcp", RCP, "rnd ftz? T", "da", B(F32)),
    ROW("rcp", RCP, "rnd T", "da", B(F64)),
    ROW("rcp", RCP, "approx ftz T", "da", B(F64)),
    ROW("redux", REDUX, "sync redop T", "dae", I32 | B(B32)),
    ROW("rem", REM, "T", "daa", I_),
    ROW("rsqrt", RSQRT, "approx ftz? T", "da", F_),
    ROW("sad", SAD, "T", "daaa", I_),
    ROW("selp", SELP, "T", "daam", B_ | I_ | F_),
    ROWS("set", SET, "cmp ftz? T S", "dss", I32 | B(F32), B_ | I_ | F_ | B(F16)),
    ROWS("set", SET, "cmp ftz? T S", "dss", B(F16) | B(U16) | B(S16), B(F16)),
    ROWS("set", SET, "cmp ftz? T S", "dss", I32 | B(F16X2), B(F16X2)),
    ROWS("set", SET, "cmp T S", "dss", I32 | B(U16) | B(S16) | B(BF16), B(BF16)),
    ROWS("set", SET, "cmp T S", "dss", I32 | B(BF16X2), B(BF16X2)),
    ROWS("set", SET, "cmp bool ftz? T S", "dssm", I32 | B(F32), B_ | I_ | F_ | B(F16)),
    ROWS("set", SET, "cmp bool ftz? T S", "dssm", B(F16) | B(U16) | B(S16), B(F16)),
    ROWS("set", SET, "cmp bool ftz? T S", "dssm", I32 | B(F16X2), B(F16X2)),
    ROWS("set", SET, "cmp bool T S", "dssm", I32 | B(U16) | B(S16) | B(BF16), B(BF16)),
    ROWS("set", SET, "cmp bool T S", "dssm", I32 | B(BF16X2), B(BF16X2)),
    ROW("setp", SETP, "cmp ftz? T", "qaa", B_ | I_ | F_ | H_),
    ROW("setp", SETP, "cmp T", "qaa", BF_),
    ROW("setp", SETP, "cmp bool T", "qaam", BF_),
    ROW("setp", SETP, "cmp bool ftz? T", "qaam", B_ | I_ | F_ | H_),
    ROW("shf", SHF_L, "l clamp T", "daae", B(B32)),
    ROW("shf", SHF_L, "l wrap T", "daae", B(B32)),
    ROW("shf", SHF_R, "r clamp T", "daae", B(B32)),
    ROW("shf", SHF_R, "r wrap T", "daae", B(B32)),
    ROW("shfl", SHFL, "sync shfl T", "gaeee", B(B32)),
    ROW("shfl", SHFL, "shfl T", "gaee", B(B32)),
    ROW("shl", SHL, "T", "dae", B_),
    ROW("shr", SHR, "T", "dae", B_ | I_),
    ROW("sin", SIN, "approx ftz? T", "da", B(F32)),
    ROWS("slct", SLCT, "T S", "daas", B_ | I_ | F_, B(S32) | B(F32)),
    ROWS("slct", SLCT, "ftz T S", "daas", B_ | I_ | F_, B(F32)),
    ROW("sqrt", SQRT, "approx ftz? T", "da", B(F32)),
    ROW("sqrt", SQRT, "rnd ftz? T", "da", B(F32)),
    ROW("sqrt", SQRT, "rnd T", "da", B(F64)),
    ROW("sub", SUB, "T", "daa", I_),
    ROW("sub", SUB, "sat T", "daa", B(S32)),
    ROWF("sub", SUBC, CW_UF_COUT, "cc T", "daa", I3264),
    ROW("sub", SUB, "rnd? ftz? sat? T", "daa", B(F32)),
    ROW("sub", SUB, "rnd? T", "daa", B(F64)),
    ROW("sub", SUB, "rn? ftz? sat? T", "daa", H_),
    ROW("sub", SUB, "rn? T", "daa", BF_),
    ROWF("subc", SUBC, CW_UF_CIN, "cc? T", "daa", I3264),
    ROW("szext", SZEXT, "clamp T", "dae", I32),
    ROW("szext", SZEXT, "wrap T", "dae", I32),
    ROW("tanh", TANH, "approx T", "da", B(F32) | H_ | BF_),
    ROW("testp", TESTP, "testp T", "pa", F_),
    ROW("vote", VOTE, "sync votep T", "pme", B(PRED)),
    ROW("vote", VOTE, "sync ballot T", "ume", B(B32)),
    ROW("vote", VOTE, "votep sync T", "pme", B(PRED)),
    ROW("vote", VOTE, "ballot sync T", "ume", B(B32)),
    ROW("vote", VOTE, "votep T", "pm", B(PRED)),
    ROW("vote", VOTE, "ballot T", "um", B(B32)),
    ROW("xor", XOR, "T", "daa", B_ | B(PRED)),
};

const uint32_t cw_opspec_cnt = sizeof(cw_opspecs) / sizeof(cw_opspecs[0]);
