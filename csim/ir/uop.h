/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Micro-operation: what a front end makes of an instruction and what the core issues. Its types, flags and state spaces are those of PTX.
 * One micro-op per instruction, plus moves for the parameters of inlined calls.
 *
 * Registers. Each virtual register gets a slot in one of three register files of a thread: 32-bit (all types
 * up to 32 bits; 8- and 16-bit values are kept zero-extended), 64-bit, and predicates (one bit per lane). Slots are reused
 * when live ranges do not overlap. Immediates, symbol addresses and the like are slots of a per-kernel constant
 * file of 32-lane vectors, so that an operand is always a vector of 32 lanes.
 *
 * Register operands always are of the class of the type they are used with (types up to 32 bits: R32): where a register may be wider
 * than the type (ld, st, cvt), the front end adds a conversion. What remains is a narrow value in a wider 32-bit slot: ST, CVT and the 8- and
 * 16-bit types read the low bits only; LD of s8 and s16 extends the sign to the width of the register, which stype gives (CW_U16 or
 * CW_U32), and the slot is zero above that.
 */
#ifndef CW_IR_UOP_H
#define CW_IR_UOP_H

#include <stdbool.h>
#include <stdint.h>

enum cw_op {
#define X(name, fu, mnemonic) CW_OP_##name,
#include "ir/uop.def"
#undef X
    CW_OP_COUNT
};

/* Functional-unit classes; latency and initiation interval of each are configuration (base/config.def, fu.*). */
enum cw_fu {
    CW_FU_ALU,
    CW_FU_IMUL,
    CW_FU_IDIV,
    CW_FU_FP,
    CW_FU_FDIV,
    CW_FU_SFU,
    CW_FU_DP,
    CW_FU_DPDIV,
    CW_FU_TENSOR, /* steps of matrix multiplications, where fu.mma_latency says that there is such a unit */
    CW_FU_MEM,
    CW_FU_CTRL,
    CW_FU_COUNT
};

/* Those after F16X2 are types of arithmetic and conversion only; registers and memory hold them as bits. TF32 is a binary32 whose lower 13
 * bits are zero; E4M3X2 and E5M2X2 are two 8-bit numbers. */
enum cw_type {
    CW_PRED,
    CW_U8,
    CW_S8,
    CW_U16,
    CW_S16,
    CW_U32,
    CW_S32,
    CW_U64,
    CW_S64,
    CW_F16,
    CW_F32,
    CW_F64,
    CW_F16X2,
    CW_BF16,
    CW_BF16X2,
    CW_U16X2,
    CW_S16X2,
    CW_TF32,
    CW_E4M3X2,
    CW_E5M2X2,
    CW_TYPE_NONE
};

/* bytes per element; 0 for predicates */
static inline uint32_t cw_type_bytes(enum cw_type t)
{
    static const uint8_t bytes[] = {0, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 4, 2, 4, 4, 4, 4, 2, 2, 0};
    return bytes[t];
}

enum cw_space { CW_SPACE_GENERIC, CW_SPACE_GLOBAL, CW_SPACE_SHARED, CW_SPACE_LOCAL, CW_SPACE_CONST, CW_SPACE_PARAM };

/* Generic address windows. Global addresses are their own generic addresses and start at CW_GLOBAL_BASE; what lies below the
 * first window faults, so null pointers are caught. Addresses in shared, local, const and param space are offsets from their window. */
#define CW_SHARED_WINDOW UINT64_C(0x01000000)
#define CW_LOCAL_WINDOW  UINT64_C(0x02000000)
#define CW_CONST_WINDOW  UINT64_C(0x03000000)
#define CW_PARAM_WINDOW  UINT64_C(0x04000000)
#define CW_WINDOW_BYTES  UINT64_C(0x01000000)
#define CW_CODE_WINDOW   UINT64_C(0x80000000) /* what pointers to functions hold: nothing can be loaded there */
#define CW_GLOBAL_BASE   UINT64_C(0x100000000)

enum cw_opnd_kind {
    CW_OPND_NONE,
    CW_OPND_R32, /* 32-bit register slot idx */
    CW_OPND_R64,
    CW_OPND_PRED, /* predicate slot idx; neg = complemented (sources) */
    CW_OPND_C32,  /* constant vector idx of 32-bit lanes: kernel->c32 + idx * 32 */
    CW_OPND_C64,
    CW_OPND_CPRED, /* constant predicate: idx 0 false, 1 true */
    CW_OPND_SREG,  /* special register, idx = enum cw_sreg; only as src0 of MOV */
    CW_OPND_SINK   /* destination _ : result is dropped */
};

struct cw_opnd {
    uint8_t kind; /* enum cw_opnd_kind */
    uint8_t neg;
    uint16_t idx;
};

enum cw_sreg {
    CW_SREG_TID_X,
    CW_SREG_TID_Y,
    CW_SREG_TID_Z,
    CW_SREG_NTID_X,
    CW_SREG_NTID_Y,
    CW_SREG_NTID_Z,
    CW_SREG_CTAID_X,
    CW_SREG_CTAID_Y,
    CW_SREG_CTAID_Z,
    CW_SREG_NCTAID_X,
    CW_SREG_NCTAID_Y,
    CW_SREG_NCTAID_Z,
    CW_SREG_LANEID,
    CW_SREG_WARPID,
    CW_SREG_NWARPID,
    CW_SREG_SMID,
    CW_SREG_NSMID,
    CW_SREG_GRIDID,
    CW_SREG_LANEMASK_EQ,
    CW_SREG_LANEMASK_LE,
    CW_SREG_LANEMASK_LT,
    CW_SREG_LANEMASK_GE,
    CW_SREG_LANEMASK_GT,
    CW_SREG_CLOCK,
    CW_SREG_CLOCK_HI,
    CW_SREG_CLOCK64,
    CW_SREG_GLOBALTIMER,
    CW_SREG_GLOBALTIMER_LO,
    CW_SREG_GLOBALTIMER_HI,
    CW_SREG_DYNAMIC_SMEM,
    CW_SREG_TOTAL_SMEM,       /* without reserved shared memory */
    CW_SREG_AGGR_SMEM,        /* with it */
    CW_SREG_EXPLICIT_CLUSTER, /* of the reader: it becomes one of the next when the kernel is known */
    CW_SREG_ZERO,             /* those that read 0 or 1 in this machine */
    CW_SREG_ZERO64,
    CW_SREG_ONE,
    CW_SREG_ENVREG1, /* of a cooperative launch: the upper and the lower half of the address of its barrier's memory; else 0 */
    CW_SREG_ENVREG2,
    CW_SREG_COUNT
};

enum cw_round {
    CW_RN,
    CW_RZ,
    CW_RM,
    CW_RP,
    CW_RNI,
    CW_RZI,
    CW_RMI,
    CW_RPI,
    CW_ROUND_APPROX,
    CW_ROUND_FULL,
    CW_RNA /* nearest, ties away from zero */
};

/* .rni, .rzi, .rmi, .rpi: to a whole number. */
static inline bool cw_round_is_integral(enum cw_round round)
{
    return round == CW_RNI || round == CW_RZI || round == CW_RMI || round == CW_RPI;
}

enum cw_cmp { /* SETP, SET: the second half is unordered: true when an operand is NaN */
              CW_CMP_EQ,
              CW_CMP_NE,
              CW_CMP_LT,
              CW_CMP_LE,
              CW_CMP_GT,
              CW_CMP_GE,
              CW_CMP_LO,
              CW_CMP_LS,
              CW_CMP_HI,
              CW_CMP_HS,
              CW_CMP_EQU,
              CW_CMP_NEU,
              CW_CMP_LTU,
              CW_CMP_LEU,
              CW_CMP_GTU,
              CW_CMP_GEU,
              CW_CMP_NUM,
              CW_CMP_NAN
};
enum cw_boolop { CW_BOOL_NONE, CW_BOOL_AND, CW_BOOL_OR, CW_BOOL_XOR };
enum cw_testp { CW_TESTP_FINITE, CW_TESTP_INFINITE, CW_TESTP_NUMBER, CW_TESTP_NOTANUMBER, CW_TESTP_NORMAL, CW_TESTP_SUBNORMAL };
enum cw_prmt { CW_PRMT_INDEX, CW_PRMT_F4E, CW_PRMT_B4E, CW_PRMT_RC8, CW_PRMT_ECL, CW_PRMT_ECR, CW_PRMT_RC16 };
enum cw_shfl { CW_SHFL_UP, CW_SHFL_DOWN, CW_SHFL_BFLY, CW_SHFL_IDX };
enum cw_vote { CW_VOTE_ALL, CW_VOTE_ANY, CW_VOTE_UNI, CW_VOTE_BALLOT };
enum cw_trap {
    CW_TRAP_TRAP,
    CW_TRAP_CALL,  /* an indirect call of no function that it may mean */
    CW_TRAP_DEPTH, /* a call of a function that is active imm times already, as often as it has been expanded */
    CW_TRAP_FREE   /* free of an address (source 0) that it cannot free, with what stands in front of it (1), and the heap's address (2) */
};
enum cw_bar { CW_BAR_SYNC, CW_BAR_ARRIVE, CW_BAR_RED_POPC, CW_BAR_RED_AND, CW_BAR_RED_OR, CW_BAR_WARP };
enum cw_atom {
    CW_ATOM_ADD,
    CW_ATOM_EXCH,
    CW_ATOM_CAS,
    CW_ATOM_MIN,
    CW_ATOM_MAX,
    CW_ATOM_AND,
    CW_ATOM_OR,
    CW_ATOM_XOR,
    CW_ATOM_INC,
    CW_ATOM_DEC
};
enum cw_scope { CW_SCOPE_CTA, CW_SCOPE_GPU, CW_SCOPE_SYS };

/* flags */
#define CW_UF_FTZ       0x00000001u
#define CW_UF_SAT       0x00000002u
#define CW_UF_HI        0x00000004u
#define CW_UF_WIDE      0x00000008u
#define CW_UF_CIN       0x00000010u
#define CW_UF_COUT      0x00000020u
#define CW_UF_WRAP      0x00000040u /* shf.wrap */
#define CW_UF_SHIFTAMT  0x00000080u
#define CW_UF_TO        0x00000100u /* cvta.to */
#define CW_UF_VOLATILE  0x00000200u /* ld/st.volatile, .relaxed, .acquire, .release: bypasses L1 */
#define CW_UF_UNI       0x00000400u /* branches: .uni */
#define CW_UF_NAN       0x00000800u /* min.NaN, max.NaN */
#define CW_UF_ACQUIRE   0x00001000u
#define CW_UF_RELEASE   0x00002000u
#define CW_UF_CACHE_ALL 0x00004000u /* ld.ca, ld.nc or default; absent for .cg/.cs/.cv policies that skip L1 */
#define CW_UF_XORSIGN   0x00008000u
#define CW_UF_NC        0x00010000u /* ld: .nc */
#define CW_UF_ENDLESS   0x00020000u /* branches: no way leads from here to the thread's end */
#define CW_UF_RELU      0x00040000u /* arithmetic and CVT: what is negative becomes +0 */
#define CW_UF_SATFINITE 0x00080000u /* CVT: what is too large becomes the largest number */
#define CW_UF_SCOPED    0x00200000u /* ld/st.relaxed, .acquire, .release: strong by what they are, as atomics; .volatile is by PTX alone */
#define CW_UF_HEAP      0x00400000u /* LD, ST, ATOM: of malloc or free, which are linked to every kernel */
#define CW_UF_ROUNDED   0x00800000u /* Arithmetic: the text names its rounding, so no assembler contracts it. */
#define CW_UF_GUARDS    0x01000000u /* It writes a predicate that guards something (ir/lower.h) */
#define CW_UF_UNREAD    0x02000000u /* ATOM: nothing reads its result */
#define CW_UF_APART     0x00100000u /* BAR: barrier without .aligned, to which lanes of a warp may come one by one */

#define CW_RESERVED_SHARED_BYTES 1024u /* what a driver reserves at the beginning of a block's shared memory, as in PTX of ptxas 13 */

#define CW_PRINT_ARGS 32u /* most arguments of a vprintf, as in CUDA */

#define CW_UOP_DSTS 4
#define CW_UOP_SRCS 5
#define CW_PC_NONE  UINT32_MAX /* rpc: no reconvergence before the threads exit */

struct cw_intrinsic; /* ir/intrinsic.h */
struct cw_uop;
struct cw_exec; /* exec/exec.h */
typedef void (*cw_exec_fn)(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);

struct cw_uop {
    cw_exec_fn exec;     /* bound by cw_exec_bind() when a kernel is prepared for a GPU; NULL for MEM and most CTRL */
    uint32_t flags;      /* CW_UF_* */
    uint16_t op;         /* enum cw_op */
    uint8_t type, stype; /* enum cw_type */
    uint8_t fu;          /* enum cw_fu */
    uint8_t round;       /* enum cw_round */
    uint8_t cmp, boolop, atom, scope;
    uint8_t space; /* enum cw_space */
    uint8_t vec;   /* LD, ST: 1, 2, 4 elements */
    uint8_t dst_cnt, src_cnt;
    int16_t guard; /* predicate slot that guards the instruction, or -1 */
    uint8_t guard_neg;
    uint8_t leaves; /* no barrier and no operation across lanes can be reached from the instruction's block (ir/meet.c) */
    uint8_t rides;  /* The machine has no instruction for it: it issues together with the next micro-op (ir/lower.h) */
    uint8_t slots;  /* Issue slots that the machine's instructions for it take beyond the first */
    uint8_t timed;  /* Enum cw_op whose class times it, when that is another; 0: its own */
    uint8_t
        parts; /* LD of shared memory: so many from it on are one machine instruction (ir/lower_wide.c); 0: it stands alone, or is one of these */
    uint8_t wide;    /* With parts: the bytes of its access, 8 or 16, which lie at a multiple of them */
    uint8_t uniform; /* BRA, BRX: proved that all threads of a block that come to it together take one target (ir/uniform.c) */
    struct cw_opnd dst[CW_UOP_DSTS];
    struct cw_opnd src[CW_UOP_SRCS];
    int64_t imm;     /* LD, ST, ATOM: byte offset; LOP3: table */
    uint32_t target; /* BRA: micro-op index; BRX: index into kernel->brx */
    uint32_t rpc;    /* BRA, BRX: reconvergence micro-op index (immediate post-dominator), or CW_PC_NONE; REGION_BEGIN: of its ends */
    uint32_t lpc;    /* BRA, BRX: likely-convergence micro-op index, where lanes may meet before rpc, or CW_PC_NONE */
    uint32_t line;   /* line in the PTX file */
    const struct cw_intrinsic *intrinsic; /* REGION_BEGIN, REGION_END, INTRINSIC: which; else NULL */
};

/* For messages: "add", "ld" ... */
const char *cw_op_mnemonic(enum cw_op op);
const char *cw_type_name(enum cw_type t);
/* The class of uop.def, refined by type; stype: of a conversion's source. */
enum cw_fu cw_op_fu(enum cw_op op, enum cw_type type, enum cw_type stype);

#endif
