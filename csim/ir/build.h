/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel under construction: what a front end fills in, and the one call that makes a kernel of it.
 *
 * A front end reads its own language and appends one virtual micro-op per instruction to struct cw_code. Operands of these are virtual
 * registers (as many as it likes), constants, special registers. Branch targets are indices of micro-ops. cw_ir_finish() then finds basic
 * blocks, where the sides of branches meet, loops and likely-convergence points, branches that all threads take alike, what lives when,
 * and the slots of registers, and fills in struct cw_kernel up to what a host asks of it: name, parameters, bounds of threads and registers,
 * bytes of shared and local memory are the front end's. csim/ptx is one front end; tests/unit/test_ir.c has another one in two hundred lines.
 *
 * Errors are sticky: the first one is kept, and every function below does nothing or little after it.
 */
#ifndef CW_IR_BUILD_H
#define CW_IR_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"
#include "base/error.h"
#include "ir/branch_counts.h"
#include "ir/module.h"

#define CW_IR_NONE UINT32_MAX /* no register, no variable, no block */

/* Growable array. CW_PUSH does nothing when memory is out (status says so). */
#define CW_VEC(T)        \
    struct {             \
        T *a;            \
        uint32_t n, cap; \
    }
#define CW_PUSH(ir, v, ...)                                                             \
    do {                                                                                \
        (v)->a = cw_ir_fit((ir), (v)->a, &(v)->cap, (v)->n, (uint32_t)sizeof(*(v)->a)); \
        if ((v)->n < (v)->cap)                                                          \
            (v)->a[(v)->n++] = (__VA_ARGS__);                                           \
    } while (0)

/* What a host wants of a kernel beyond what its text says. */
struct cw_ir_wishes {
    const struct cw_branch_counts *profile; /* Counts of the branches in an earlier run, for core.lcp=profile; NULL: none. */
    const struct cw_config *machine;        /* The order is to be that of an assembler for it (ir/lower.h); NULL: that of the text. */
    bool names;                             /* For a debugger: struct cw_kernel.named and scope. */
};

/* What all functions here share; zeros, and then what says so. */
struct cw_ir {
    int status;                             /* CW_OK, or that of the first error */
    bool is_final;                          /* the error is about the profile: no part of the program is to blame */
    struct cw_error *err;                   /* set it: where the first error's text goes */
    const char *file;                       /* set it: the program's name, for messages */
    const struct cw_branch_counts *profile; /* counts of the branches in an earlier run; NULL: none */
    const struct cw_config *machine;        /* As cw_ir_wishes.machine. */
    bool names;                             /* As cw_ir_wishes.names. */
    void (*failed)(struct cw_ir *ir);       /* called once, after the first error; NULL: nobody */
    CW_VEC(struct cw_reloc) reloc;          /* for the module; owned */
};

/* Virtual register. bytes 0 = predicate. is_temp: made by the front end, written and read under one guard, so that a guarded write of it
 * does kill. */
struct cw_vreg {
    uint8_t ptype; /* the front end's own */
    uint8_t bytes; /* 0, 4 (8- and 16-bit values, too) or 8 */
    uint8_t is_temp;
    uint8_t type;    /* Enum cw_type, for a debugger as what follows */
    char element;    /* Of a vector, 'x' to 'w'; 0: of none */
    uint32_t scope;  /* Index in code.scope */
    uint32_t length; /* Of the name in the text, which `number` follows unless it is CW_IR_NONE; 0: it has none. Counts with ir.names */
    uint32_t number;
    const char *name;
};

enum cw_vkind {
    CW_V_NONE,
    CW_V_REG,   /* id: index in code.vreg */
    CW_V_CONST, /* id: of cw_konst_add */
    CW_V_CPRED, /* id: 0 or 1, a constant predicate */
    CW_V_SREG,  /* id: enum cw_sreg */
    CW_V_SINK,  /* a result that nobody wants */
    CW_V_PVAR   /* the front end's own: not in what is finished */
};

struct cw_vopnd {
    uint8_t kind; /* enum cw_vkind */
    uint8_t neg;
    uint32_t id;
};

/* Virtual micro-op: of u, operand arrays, guard, fu, rpc, lpc, leaves and uniform are filled in later. */
struct cw_vop {
    struct cw_uop u;
    struct cw_vopnd dst[CW_UOP_DSTS], src[CW_UOP_SRCS];
    uint32_t guard; /* virtual predicate register or CW_IR_NONE */
    uint32_t scope; /* Index in code.scope */
};

typedef CW_VEC(struct cw_vop) cw_vop_vec;
typedef CW_VEC(struct cw_vreg) cw_vreg_vec;

struct cw_map_entry {
    uint64_t key;
    uint32_t id;
};

struct cw_map { /* open addressing; id CW_IR_NONE = free */
    struct cw_map_entry *slot;
    uint32_t size, n;
};

/* Constant: value, plus the address of a variable or a function when var is not CW_IR_NONE. */
struct cw_vconst {
    uint64_t value;
    uint32_t var;   /* the front end's number for it; struct cw_ir_variables says what it means */
    uint32_t bytes; /* 4 or 8 */
};

struct cw_konsts { /* deduplicated constants; map: hash -> first of that hash, next: the rest */
    CW_VEC(struct cw_vconst) c;
    CW_VEC(uint32_t) next;
    struct cw_map map;
};

struct cw_target_table { /* of a BRX */
    uint32_t *target;    /* micro-ops; owned */
    uint32_t cnt;
};

struct cw_code {
    cw_vop_vec code; /* ends with an EXIT that has no guard, or with a branch that has none */
    cw_vreg_vec vreg;
    struct cw_konsts konsts;
    CW_VEC(struct cw_target_table) table;
    CW_VEC(struct cw_inlined) scope;               /* With ir.names: the kernel, and each call that has been expanded; names are owned */
    CW_VEC(struct cw_named_variable) variable;     /* With ir.names: each once in a scope; names are owned */
    CW_VEC(const struct cw_intrinsic *) intrinsic; /* that it calls, each once */
    /* filled in by cw_ir_finish() */
    uint64_t digest;
    bool profiled; /* the branches' lpc are those of a profile */
};

/* The variables whose addresses are constants of the code. All NULL when there are none. */
struct cw_ir_variables {
    const void *self;
    /* Its name, of *length characters. */
    const char *(*name)(const void *self, uint32_t var, uint32_t *length);
    /* Its offset in its segment, of a function its address; *in_global: of the module's global segment, whose address is known at cw_module_place() only. */
    uint64_t (*offset)(const void *self, uint32_t var, bool *in_global);
};

/*
 * Fills in of kernel: uop, constants, register counts, live_regs, uniform_regs, transactions, tables of BRX, intrinsics and uses_region, digest,
 * profiled. name (length characters): by which ir->profile knows the kernel. index: of the kernel in its module. Takes tables and
 * intrinsics out of code. After an error the kernel is to be freed by cw_kernel_free().
 */
void cw_ir_finish(struct cw_ir *ir, struct cw_code *code, const struct cw_ir_variables *variables, const char *name, size_t length,
                  uint32_t index, struct cw_kernel *kernel);
void cw_code_free(struct cw_code *code);

/* Keeps "file:line:column: what" when there is no error yet. Returns ir->status. */
int cw_ir_fail_at(struct cw_ir *ir, int status, uint32_t line, uint32_t column, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void *cw_ir_alloc(struct cw_ir *ir, size_t n, size_t elem_bytes); /* zeroed; NULL sets status */
char *cw_ir_strdup(struct cw_ir *ir, const char *s, uint32_t length);
void *cw_ir_fit(struct cw_ir *ir, void *a, uint32_t *cap, uint32_t n, uint32_t elem_bytes); /* for CW_PUSH */

uint32_t cw_map_get(const struct cw_map *m, uint64_t key); /* CW_IR_NONE when absent */
void cw_map_put(struct cw_ir *ir, struct cw_map *m, uint64_t key, uint32_t id);
void cw_map_clear(struct cw_map *m);
/* Index of the constant: 4 or 8 bytes of value, plus the address of var unless that is CW_IR_NONE. */
uint32_t cw_konst_add(struct cw_ir *ir, struct cw_konsts *k, uint64_t value, uint32_t bytes, uint32_t var);
void cw_konsts_free(struct cw_konsts *k);

#endif
