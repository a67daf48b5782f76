/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the PTX reader. The passes, in order:
 *
 *   parse.c, decl.c,
 *   instruction.c            text -> one list of virtual micro-ops per function (struct cw_vop): operands are the function's virtual
 *                            registers, constants, symbols; calls and accesses to call parameters are pseudo-operations
 *   inline.c                 function lists -> one list per kernel, calls expanded
 *   emit.c                   layout of shared memory; then cw_ir_finish() (csim/ir) makes struct cw_kernel
 *
 * README.md lists all files from top to bottom; a file calls only those below it.
 *
 * Errors are sticky: the first one is kept, the token stream then reads as ended, and every pass looks at status between steps. So
 * the parsing functions need no return codes, and all their loops must stop at CW_TOK_EOF. Errors end before that when what they are about can
 * be skipped (skip.c): then a function is unusable (cw_ptx_refuse), and each kernel that calls it, or a variable is, and who names it.
 *
 * Private to: decl.c, emit.c, expr.c, inline.c, intrinsic.c, load.c, parse.c, skip.c, symbol.c, token.c, util.c, insn.h.
 */
#ifndef CW_PTX_READER_H
#define CW_PTX_READER_H

#include "ir/build.h"
#include "ptx/lex.h"
#include "ptx/ptx.h"

/* Limits that keep a hostile or broken file from taking the host down. */
#ifndef CW_PTX_MAX_UOPS
#define CW_PTX_MAX_UOPS 1000000u /* per kernel after inlining */
#endif
#ifndef CW_PTX_MAX_BYTES
#define CW_PTX_MAX_BYTES (UINT64_C(1) << 30) /* one variable, and each segment */
#endif
#define CW_PTX_MAX_DEPTH 64u    /* nested scopes, constant expressions, initialisers */
#define CW_PTX_MAX_CALLS 256u   /* nested calls */
#define CW_PTX_MAX_PARAM 32764u /* bytes of kernel parameters: the PTX limit */
#define CW_IR_NONE       UINT32_MAX

/* Types as PTX writes them. */
enum cw_ptype {
    CW_PT_NONE,
    CW_PT_PRED,
    CW_PT_B8,
    CW_PT_B16,
    CW_PT_B32,
    CW_PT_B64,
    CW_PT_U8,
    CW_PT_U16,
    CW_PT_U32,
    CW_PT_U64,
    CW_PT_S8,
    CW_PT_S16,
    CW_PT_S32,
    CW_PT_S64,
    CW_PT_F16,
    CW_PT_F16X2,
    CW_PT_F32,
    CW_PT_F64,
    CW_PT_BF16, /* from here on: not of registers and variables, which hold these as .b16 and .b32 */
    CW_PT_BF16X2,
    CW_PT_U16X2,
    CW_PT_S16X2,
    CW_PT_TF32,
    CW_PT_E4M3X2,
    CW_PT_E5M2X2,
    CW_PT_COUNT
};

struct cw_ptype_info {
    char name[8];
    uint8_t bytes; /* 0 for pred */
    char kind;     /* 'p', 'b', 'u', 's', 'f' */
    uint8_t type;  /* enum cw_type; b types become u */
};

extern const struct cw_ptype_info cw_ptype_info[CW_PT_COUNT];

/* Pseudo-operations that inline.c removes. */
enum cw_vop_pseudo {
    CW_VOP_CALL = CW_OP_COUNT, /* u.target: index into the function's calls */
    CW_VOP_PLD,                /* ld.param of a call parameter: src0 PVAR, u.imm offset; u.type, u.vec as LD */
    CW_VOP_PST,
    CW_VOP_RET
};

struct cw_access { /* of a call parameter; is_store: its size makes a cell */
    uint32_t offset;
    uint8_t bytes, is_store;
};

struct cw_cell { /* one scalar of a call parameter, held in a register */
    uint32_t offset, bytes;
};

enum cw_var_space { CW_VAR_GLOBAL, CW_VAR_CONST, CW_VAR_SHARED, CW_VAR_LOCAL, CW_VAR_ENTRY_PARAM, CW_VAR_CALL_PARAM, CW_VAR_REG_PARAM };

struct cw_var {
    const char *name;
    uint32_t len;
    uint8_t space; /* enum cw_var_space */
    uint8_t ptype;
    uint8_t is_extern, is_unsized, is_shared_ptr;
    uint8_t in_memory; /* CALL_PARAM: address taken or accessed in overlapping pieces, hence in local memory, not in registers */
    uint32_t align, ptr_align;
    uint64_t bytes;
    uint64_t offset; /* GLOBAL, CONST: in the segment; LOCAL and in_memory: in the function's frame; ENTRY_PARAM: in the block; SHARED: 0,
                      * as each kernel has it elsewhere (emit.c) */
    uint32_t vreg;   /* REG_PARAM */
    uint32_t line, col;
    CW_VEC(struct cw_access) access;
    struct cw_cell *cell; /* sorted by offset */
    uint32_t cell_cnt, access_clean;
    CW_VEC(uint8_t) init; /* initial value, as far as it is given */
    uint32_t cell_base;   /* the function's virtual register that holds cell 0 */
    uint8_t is_formal;
    uint32_t unusable;     /* why it cannot be used: an index + 1, or 0 */
    uint32_t formal_index; /* in the function's formal list */
};

struct cw_call {
    uint32_t callee;       /* function; of an indirect call one that has the prototype's parameters and nothing else */
    uint8_t is_indirect;   /* the address of the function is source 0 of the micro-op */
    uint32_t list;         /* indirect: which .calltargets list names the functions; CW_IR_NONE: all whose address is taken */
    uint32_t arg, arg_cnt; /* formal[i] of the callee, rets first, is bound to fn->arg.a[arg + i] */
    struct cw_tok at;
};

struct cw_label_ref { /* a branch or a table entry that waits for its label */
    const char *name;
    uint32_t len, line, col;
    uint32_t vop; /* micro-op to patch, or CW_IR_NONE */
    uint32_t table, entry;
    uint32_t depth;
};

struct cw_fn {
    const char *name;
    uint32_t len;
    uint32_t line, col;
    struct cw_tok at; /* first token of the declaration */
    uint8_t is_entry, is_defined;
    uint8_t is_library, has_heap;         /* library.c defines it; malloc or free */
    uint8_t has_cluster_size;             /* .reqnctapercluster or .explicitcluster */
    uint8_t is_address_taken;             /* an indirect call may reach it */
    uint8_t visit;                        /* of the call-graph walk */
    uint8_t is_opaque;                    /* refused by its header: its parameters are not known */
    int refused_status;                   /* CW_E... of it */
    const char *refused;                  /* the line of error about what its body has and this machine has not; NULL: it can run */
    const struct cw_intrinsic *intrinsic; /* of that name, or NULL; a function that is defined is none */
    uint32_t alias;                       /* function or CW_IR_NONE */
    uint32_t reqntid[3], maxntid[3];
    uint32_t max_registers, min_blocks_per_core, max_blocks_per_core; /* as in struct cw_kernel */
    uint32_t param_bytes;
    uint64_t frame_bytes; /* local memory of one activation */
    uint32_t frame_align;
    CW_VEC(uint32_t) formal; /* variables: returned ones first */
    uint32_t ret_cnt;
    cw_vop_vec code;
    cw_vreg_vec vreg;
    CW_VEC(struct cw_call) call;
    CW_VEC(uint32_t) arg; /* variables, for calls */
    CW_VEC(struct cw_target_table) table;
    CW_VEC(uint32_t) pvar; /* every CALL_PARAM variable, formals included */
};

enum cw_sym_kind {
    CW_SYM_REG,
    CW_SYM_VECTOR, /* index in p->vector */
    CW_SYM_RANGE,
    CW_SYM_VAR,
    CW_SYM_FN,
    CW_SYM_LABEL,
    CW_SYM_TABLE,
    CW_SYM_PROTOTYPE, /* .callprototype: a function */
    CW_SYM_CALLEES,   /* .calltargets: index of the list */
    CW_SYM_REFUSED    /* declared in a way that cannot be read: index of why */
};

struct cw_callees { /* a .calltargets list: p->callee.a[first .. first + cnt - 1] */
    uint32_t first, cnt;
};

struct cw_unusable { /* why a name cannot be used, and where it is declared */
    uint32_t line;
    char why[140];
};

struct cw_sym {
    const char *name;
    uint32_t len, hash;
    uint32_t next; /* in the bucket */
    uint32_t id;   /* register, range, variable, function, micro-op index, table */
    uint32_t depth;
    uint8_t kind; /* enum cw_sym_kind */
};

struct cw_range { /* .reg .b32 %r<count> */
    uint32_t count;
    uint8_t ptype;
    uint8_t vec; /* elements of each; 1: no vectors */
    uint8_t is_whole;
};

struct cw_vector { /* .reg .v4 .u32 v, or .reg .b128 w: registers one after the other */
    uint32_t first;
    uint8_t cnt;
    uint8_t is_whole; /* .b128: two of 64 bits that have no names of their own */
};

struct cw_init {    /* a piece of initialised data that is an address; resolved at the end, when all variables have offsets */
    uint32_t owner; /* the variable that is initialised */
    uint32_t var;   /* the variable whose address it is */
    uint8_t is_generic;
    uint8_t shift, bytes; /* which bits of the address, and how many bytes of them */
    uint64_t where, addend;
};

struct cw_opspec;

struct cw_ptx {
    struct cw_ir ir; /* first */
    const char *text;
    size_t length;
    const struct cw_intrinsic *const *intrinsics; /* NULL-terminated list of arrays, or NULL */
    bool threads_apart;                           /* .target is sm_70 or later: threads of a warp have PCs of their own */
    struct cw_lex lex;
    struct cw_tok tok, ahead;
    struct cw_tok stmt; /* first token of the current statement, for messages */
    /* symbols */
    CW_VEC(struct cw_sym) sym; /* a stack: leaving a scope pops */
    uint32_t *bucket;
    uint32_t depth;
    CW_VEC(struct cw_range) range;
    CW_VEC(struct cw_vector) vector;
    struct cw_map range_reg;
    CW_VEC(struct cw_label_ref) ref;
    CW_VEC(struct cw_fn) fn;
    CW_VEC(char *) refusal; /* owns what cw_fn.refused points to */
    CW_VEC(struct cw_unusable) unusable;
    CW_VEC(char *) notice; /* the module's, later; so are the next three */
    CW_VEC(struct cw_loc) loc;
    CW_VEC(struct cw_source) source;
    CW_VEC(struct cw_function_name) function;
    CW_VEC(struct cw_tok) skipped; /* unknown directives, each once */
    struct cw_tok prefix;          /* one in front of a declaration that is to be read; kind CW_TOK_EOF: none */
    const char *narrow;            /* addresses of another size than 64 bits: why no function can be read; NULL: they are not */
    char why[140];                 /* what the last error said, without its place */
    CW_VEC(uint32_t) callee;
    CW_VEC(struct cw_callees) callees;
    CW_VEC(struct cw_var) var;
    struct cw_konsts konsts;
    CW_VEC(struct cw_init) init;
    uint64_t global_bytes, const_bytes;
    uint32_t cur; /* function being read */
    uint32_t guard;
    uint8_t guard_neg;
    uint32_t spec_first[256]; /* hash of an opcode name -> row + 1 in the table */
    struct cw_module *module;
};

/* util.c: errors, memory, tables */
void cw_ptx_failed(struct cw_ir *ir); /* no token comes after an error: struct cw_ir.failed */
int cw_ptx_fail_at(struct cw_ptx *p, int status, uint32_t line, uint32_t col, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* At the current token, with the text of the statement (or of the line) that it is in. */
int cw_ptx_fail(struct cw_ptx *p, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int cw_ptx_fail_tok(struct cw_ptx *p, int status, const struct cw_tok *tok, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* What is not supported in a function, or wrong in it, makes the function unusable, and the file is read on: an error of that kind becomes
 * fn's, and status is CW_OK again. False when there is none, or another one, which stays. */
bool cw_ptx_refuse(struct cw_ptx *p, struct cw_fn *fn);
bool cw_ptx_refuse_text(struct cw_ptx *p, struct cw_fn *fn);        /* the same of any error that there is; false: no memory for it */
void cw_ptx_fail_refused(struct cw_ptx *p, const struct cw_fn *fn); /* fn->refused once more */
uint32_t cw_ptx_hash(const char *s, uint32_t len);

/* token.c */
void cw_ptx_advance(struct cw_ptx *p);
bool cw_ptx_is_punct(const struct cw_ptx *p, uint16_t c);
bool cw_ptx_accept(struct cw_ptx *p, uint16_t c);
void cw_ptx_expect(struct cw_ptx *p, char c);
bool cw_tok_is(const struct cw_tok *tok, const char *word);
bool cw_ptx_accept_word(struct cw_ptx *p, const char *word);
uint32_t cw_ptype_of(const char *name, uint32_t len); /* "u32" without the dot; CW_PT_NONE when it is no type */

/* symbol.c */
void cw_ptx_scope_open(struct cw_ptx *p);
void cw_ptx_scope_close(struct cw_ptx *p);
/* The innermost one of that name, or NULL. To look up is to use it: a name whose declaration cannot be read fails with the reason. */
struct cw_sym *cw_ptx_lookup(struct cw_ptx *p, const char *name, uint32_t len);
struct cw_sym *cw_ptx_find(struct cw_ptx *p, const char *name, uint32_t len); /* the same, for who does not use it */
void cw_ptx_define(struct cw_ptx *p, const struct cw_tok *name, enum cw_sym_kind kind, uint32_t id);
/* The register that the word names (ranges and elements of vectors included), or CW_IR_NONE. */
uint32_t cw_ptx_find_reg(struct cw_ptx *p, const struct cw_tok *name);
bool cw_ptx_find_vector(struct cw_ptx *p, const struct cw_tok *name, struct cw_vector *out); /* the vector as a whole */
uint32_t cw_ptx_new_reg(struct cw_ptx *p, enum cw_ptype type, bool is_temp);
/* Declares a register like that, or a range of them; like->count: how many. */
void cw_ptx_define_reg(struct cw_ptx *p, const struct cw_tok *name, const struct cw_range *like, bool is_range);
void cw_ptx_label(struct cw_ptx *p, const struct cw_tok *name);
void cw_ptx_label_ref(struct cw_ptx *p, const struct cw_tok *name, uint32_t vop, uint32_t table, uint32_t entry);

/* expr.c: constant expressions. value is s64 or u64 by *is_unsigned (may be NULL). */
uint64_t cw_ptx_expr(struct cw_ptx *p, bool *is_unsigned);
uint64_t cw_ptx_uint(struct cw_ptx *p, uint64_t max, const char *what); /* one of at most max; what names it in the message */

/* decl.c */
bool cw_ptx_declaration(struct cw_ptx *p);       /* .reg and variables inside a function; false when the token starts none */
bool cw_ptx_at_variable(const struct cw_ptx *p); /* outside of functions */
void cw_ptx_module_variable(struct cw_ptx *p, bool is_extern, bool is_common);
uint32_t cw_ptx_parameter(struct cw_ptx *p, bool is_entry); /* one formal parameter; its variable */
void cw_ptx_resolve_inits(struct cw_ptx *p);

/* sreg.c */
#define CW_PTX_RESERVED 0u /* the first variable, which stands for reserved shared memory: so it lies at the beginning of a block's */
void cw_ptx_reserve_shared(struct cw_ptx *p); /* makes it */
/* A new register with the value of the special register of that name, if it is a predicate; else CW_IR_NONE. */
uint32_t cw_sreg_predicate(struct cw_ptx *p, const struct cw_tok *name);

/* regular.c */
void cw_ptx_opcodes_init(struct cw_ptx *p);

/* instruction.c: the instruction at the current token, up to and with its ';' */
void cw_ptx_instruction(struct cw_ptx *p);

/* skip.c */
struct cw_place { /* a place in the text that can be returned to */
    struct cw_lex lex;
    struct cw_tok tok, ahead;
};

struct cw_place cw_ptx_place(const struct cw_ptx *p);
void cw_ptx_return_to(struct cw_ptx *p, const struct cw_place *place);
void cw_ptx_skip_group(struct cw_ptx *p, char open, char close); /* from an open to its close, with all between */
bool cw_ptx_skip_noise(struct cw_ptx *p);                        /* debug information and hints; false when there are none */
/* After an error in the body of function fn, which begins at `begin`: fn is refused, the body is skipped, and scopes deeper than depth are
 * closed. Does nothing when there is no error, and keeps one that a body cannot be skipped after. */
void cw_ptx_refuse_body(struct cw_ptx *p, const struct cw_place *begin, uint32_t fn, uint32_t depth);
/* The same after what is not supported in its header, which begins at `begin`: header and body, if there is one, are skipped. */
void cw_ptx_refuse_header(struct cw_ptx *p, const struct cw_place *begin, uint32_t fn, uint32_t depth);
/* The same for a declaration: the names that it declares become unusable. */
void cw_ptx_refuse_declaration(struct cw_ptx *p, const struct cw_place *begin);
/* Leaves an unknown directive out, with what belongs to it. One that stands before a declaration in its line becomes p->prefix. False: a
 * known one is here. */
bool cw_ptx_unknown_directive(struct cw_ptx *p);
void cw_ptx_no_loc(struct cw_ptx *p); /* instructions from the current token on are of no line of a source file, up to the next .loc */
void cw_ptx_notice(struct cw_ptx *p, const struct cw_tok *at, const char *what); /* "file:line:column: what: token" */

/* parse.c: the whole text */
void cw_ptx_module(struct cw_ptx *p);
/* The same of a text that is read behind the module's own; it stays where it is, and has no .version. */
void cw_ptx_further(struct cw_ptx *p, const char *text);

/* What a pointer to the function holds: no address of any memory. */
static inline uint64_t cw_ptx_code_address(uint32_t fn)
{
    return CW_CODE_WINDOW + 16u * (uint64_t)fn;
}

/* As the variable of a constant, with a function's number: the function's address. */
#define CW_PTX_FUNCTION UINT32_C(0x80000000)

static inline bool cw_ptx_is_variable(uint32_t var)
{
    return var < CW_PTX_FUNCTION; /* Nor CW_IR_NONE */
}

static inline struct cw_fn *cw_ptx_fn(struct cw_ptx *p)
{
    return &p->fn.a[p->cur];
}

/* intrinsic.c */
/* The intrinsic that a function of this name, also as C++ mangles it, stands for; NULL when there is none. */
const struct cw_intrinsic *cw_ptx_intrinsic(const struct cw_ptx *p, const char *name, uint32_t len);
const char *cw_ptx_near_intrinsic(const struct cw_ptx *p, const char *name, uint32_t len); /* for "did you mean", or NULL */
/* Fails, at the place in its declaration, when fn is not declared as its intrinsic is. */
void cw_ptx_check_intrinsic(struct cw_ptx *p, const struct cw_fn *fn);

/* inline.c: the kernel's own list */
struct cw_kcode {
    struct cw_code body;
    struct cw_ptx *p;
    uint64_t local_bytes;
    uint32_t entry;              /* function */
    uint32_t expanded;           /* calls */
    uint32_t scope;              /* Of what is pushed: as struct cw_vop has it */
    bool prints;                 /* it has a vprintf */
    uint32_t max_depth;          /* activations of a function inside each other */
    bool recurses, is_too_large; /* it has some; with that many it is too large */
    uint32_t print_words;        /* of arguments that a vprintf may have; 0: it has none */
};

/* util.c: the function's registers become the kernel's; what is pushed from now on is the function's, of which `caller` has the call in that
 * line. Its scope (struct cw_vop). */
uint32_t cw_ptx_enter(struct cw_kcode *k, const struct cw_fn *fn, uint32_t caller, uint32_t line);

/* symbol.c: with ir.names, a variable of shared or local memory gets a name, once in its scope. */
void cw_ptx_name_variable(struct cw_kcode *k, const struct cw_var *v, enum cw_space space, uint32_t scope, uint64_t offset);

void cw_ptx_check_calls(struct cw_ptx *p); /* who calls whom, storage of call parameters */
void cw_ptx_expand(struct cw_ptx *p, uint32_t entry, struct cw_kcode *k);

/* emit.c */
void cw_ptx_emit_kernel(struct cw_ptx *p, uint32_t entry, struct cw_kernel *kernel, uint32_t kernel_index);
void cw_ptx_emit_refused(struct cw_ptx *p, uint32_t entry, struct cw_kernel *kernel); /* name, parameters and why it cannot run */

#endif
