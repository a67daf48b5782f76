/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Module: what a front end makes of a program. Kernels of micro-ops, and the variables that they share. A module is independent of any GPU
 * and immutable after cw_module_place(), but for const_image, which its owner may write between launches; several GPUs may run it at once.
 */
#ifndef CW_IR_MODULE_H
#define CW_IR_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ir/intrinsic.h"
#include "ir/uop.h"

struct cw_kernel_param {
    char *name;
    enum cw_type type;      /* element type; CW_U8 for byte arrays (structs) */
    uint32_t offset, bytes; /* in the parameter block */
    uint32_t align;
    uint8_t is_shared_ptr; /* .ptr .shared (OpenCL __local argument): the host gives a size, the launch gives an offset */
    uint32_t ptr_align;    /* .ptr alignment, 1 if absent */
};

struct cw_brx_table {
    uint32_t cnt;
    uint32_t *target; /* micro-op indices */
};

/* What a kernel's regions do to shared memory, as its instructions show. Two accesses are known to be to the same word when they have one
 * address register, which the region writes once at the most, and one offset. A generic address may be one of shared memory. */
struct cw_transactions {
    uint32_t cnt;           /* regions in the text */
    uint32_t words;         /* of the region that names the most different ones: how many */
    uint8_t has_read_only;  /* a region has a way from its begin to its end that reads shared memory and does not write it */
    uint8_t reads_as_wrote; /* each word that a region reads is one that it writes, and the other way round */
    uint8_t has_loop;       /* a region goes round a loop with an access in it: it may touch more words than it names */
};

/* For a debugger: a register of the text. */
struct cw_named {
    char *name;          /* "%r5", "%v1.x" */
    uint8_t type;        /* Enum cw_type, of bits the unsigned one */
    uint32_t scope;      /* Whose register it is: index in kernel->scope */
    struct cw_opnd o;    /* Where its value is while */
    uint32_t first, end; /* the next micro-op is one of first .. end - 1 */
};

/* For a debugger: a variable of the kernel's own memory that the kernel names. */
struct cw_named_variable {
    char *name;
    uint8_t type;    /* Enum cw_type, of an element; of bits the unsigned one */
    uint8_t space;   /* Enum cw_space: SHARED or LOCAL */
    uint32_t scope;  /* Whose it is: index in kernel->scope. Shared ones are the kernel's */
    uint64_t offset; /* In the block's shared memory, or in the thread's local one */
    uint64_t bytes;  /* 0: as many as the launch gives (.extern .shared) */
};

/* A function whose call has been expanded; the first is the kernel itself. */
struct cw_inlined {
    char *name;
    uint32_t caller; /* Index in kernel->scope */
    uint32_t line;   /* Of the call */
};

struct cw_kernel {
    char *name;
    struct cw_uop *uop;
    uint32_t uop_cnt;
    /* constant file: vectors of 32 equal lanes */
    uint32_t *c32; /* c32_cnt x 32 */
    uint64_t *c64; /* c64_cnt x 32 */
    uint32_t c32_cnt, c64_cnt;
    uint32_t r32_cnt, r64_cnt, pred_cnt; /* slots per thread in each register file */
    uint32_t live_regs;    /* registers for occupancy: the largest number of 32-bit words live at once (a 64-bit register is two) */
    uint32_t uniform_regs; /* of these, as far as is proved, words that are equal in all lanes of a warp: what fits scalar registers */
    struct cw_transactions transactions;
    struct cw_kernel_param *param;
    uint32_t param_cnt, param_bytes;
    uint32_t shared_bytes;          /* static shared memory, dynamic (extern) excluded */
    uint32_t reserved_shared_bytes; /* of these, at the beginning, what stands for the driver's own: a block finds zeros there */
    uint32_t local_bytes;           /* per thread */
    uint32_t reqntid[3];            /* .reqntid or 0 */
    uint32_t maxntid[3];            /* .maxntid or 0 */
    /* What the author promises or asks for, for whoever counts how many blocks a core has room for. Each is 0 when it is not said. */
    uint32_t max_threads;         /* most threads of a block: the product of .reqntid, else that of .maxntid; UINT32_MAX: that or more */
    uint32_t max_registers;       /* .maxnreg: most 32-bit registers of a thread */
    uint32_t min_blocks_per_core; /* .minnctapersm: a core is to have room for so many blocks */
    uint32_t max_blocks_per_core; /* .maxnctapersm: the old form, of which a core has no more blocks than that */
    struct cw_brx_table *brx;
    uint32_t brx_cnt;
    const struct cw_intrinsic **intrinsic; /* that it calls, each once, in the order of their first calls */
    uint32_t intrinsic_cnt;
    uint8_t threads_apart; /* .target is sm_70 or later: barriers wait for threads, not for warps (PTX ISA 6) */
    uint8_t uses_region;   /* one of them begins or ends a region */
    uint8_t uses_dynamic_shared;
    uint8_t profiled;       /* the branches' likely-convergence points are those of the profile that the module was loaded with */
    struct cw_named *named; /* Those, variables and scopes are there with cw_ir_wishes.names, else NULL */
    uint32_t named_cnt;
    struct cw_named_variable *variable;
    uint32_t variable_cnt;
    struct cw_inlined *scope;
    uint32_t scope_cnt;
    uint32_t *scope_of; /* [micro-op] */
    uint64_t address;   /* What a pointer to it holds, in the kernels of its module; 0: it has none */
    uint64_t digest;    /* of the instructions: tells the kernel from others of its name (digest.c) */
    char *refused; /* "file:line:column: what: text" of something in it, or in a function that it calls, that is not supported or wrong; it
                    * cannot be launched then, and has a name and parameters only. NULL: it can */
    int refused_status; /* CW_EUNSUP: not supported; CW_EINVAL: wrong */
};

struct cw_symbol {
    char *name;
    uint8_t type;        /* Enum cw_type, of an element */
    enum cw_space space; /* GLOBAL or CONST */
    uint64_t offset;     /* from the module's global or const segment */
    uint64_t bytes;
};

enum cw_reloc_kind { CW_RELOC_KERNEL, CW_RELOC_GLOBAL, CW_RELOC_CONST };

struct cw_reloc {         /* module->reloc */
    uint8_t kind;         /* enum cw_reloc_kind: 32 lanes of a kernel's 64-bit constant, bytes of the global or the constant image */
    uint8_t shift, bytes; /* of the images: which bits of the address, and how many bytes of them */
    uint32_t kernel;      /* of KERNEL */
    uint64_t where;       /* constant index, or offset in the image */
    uint64_t value;       /* to be added to the global segment's address */
};

/* From this line of the PTX on, up to the next such line, instructions are of a line of a source file (.loc). */
struct cw_loc {
    uint32_t ptx_line;
    uint32_t file; /* as .file numbers it */
    uint32_t line; /* 0: of none, as at the beginning of a function */
    uint32_t column;
    uint32_t function;                    /* That the compiler has inlined here, 1 + its number in cw_module.function; 0: none is said */
    uint32_t at_file, at_line, at_column; /* Where it is called; at_line 0: nowhere */
};

/* Functions that a compiler has inlined, as their names stand in .debug_str. */
struct cw_function_name {
    char *label;
    uint32_t offset; /* From the label */
    char *name;      /* NULL: the text does not say it */
};

struct cw_source {
    uint32_t number; /* as .file says */
    char *name;
};

struct cw_module {
    char *file;
    struct cw_kernel *kernel;
    uint32_t kernel_cnt;
    struct cw_symbol *symbol;
    uint32_t symbol_cnt;
    uint8_t *global_image; /* initial bytes of the module's .global variables */
    uint64_t global_bytes;
    uint8_t *const_image;
    uint64_t const_bytes;
    char **notice; /* "file:line:column: what: text" of what was left out, each once */
    uint32_t notice_cnt;
    struct cw_loc *loc; /* by ptx_line; of equal ones the last counts */
    uint32_t loc_cnt;
    struct cw_source *source;
    uint32_t source_cnt;
    struct cw_function_name *function;
    uint32_t function_cnt;
    struct cw_reloc *reloc; /* addresses that cw_module_place() fills in */
    uint32_t reloc_cnt;
};

/* Frees the module and all that it holds; NULL is allowed. */
void cw_module_destroy(struct cw_module *m);
/* Frees what a kernel holds. */
void cw_kernel_free(struct cw_kernel *k);

/* Fixes the address of the module's .global segment (256-byte aligned) and patches micro-op constants and pointers in
 * initialised data that name a symbol. To be called once, before a kernel runs. */
int cw_module_place(struct cw_module *m, uint64_t global_base, struct cw_error *err);

/* The name of the file that .file and .loc number so; NULL: there is none. */
const char *cw_module_file(const struct cw_module *m, uint32_t number);

/* The source file and *line that a line of the PTX was compiled from; NULL: the PTX does not say. */
const char *cw_module_source(const struct cw_module *m, uint32_t ptx_line, uint32_t *line);

/* The calls that a compiler has inlined around a line of the PTX: 0 is the innermost. name: of the function that was inlined, NULL where the PTX
 * does not say it; file and line: where it is called. false: there are no more. */
struct cw_inlined_call {
    const char *name, *file;
    uint32_t line;
};
bool cw_module_inlined(const struct cw_module *m, uint32_t ptx_line, uint32_t depth, struct cw_inlined_call *call);

/* NULL when there is none of that name. */
const struct cw_kernel *cw_module_kernel(const struct cw_module *m, const char *name);
const struct cw_symbol *cw_module_symbol(const struct cw_module *m, const char *name);

#endif
