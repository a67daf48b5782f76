/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the compiler share: a function of native code while it is being made. Private to: the folder.
 *
 * Registers are vectors of 32 lanes in memory. A run of micro-operations that treat each lane by itself becomes a loop over pieces of
 * `width` lanes; within it values stay in the processor's registers, and those that somebody reads later are written at its end.
 */
#ifndef CW_HARNESS_NATIVE_EMIT_H
#define CW_HARNESS_NATIVE_EMIT_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "exec/native.h"

typedef LLVMValueRef cw_value;

struct cw_native_types {
    LLVMTypeRef i8, i16, i32, i64, bytes; /* bytes: a pointer */
    LLVMTypeRef bits;                     /* an integer of as many bits as a piece has lanes */
    LLVMTypeRef on;                       /* vectors of a piece: of bits, */
    LLVMTypeRef v32, v64, f32, f64;       /* integers, floating-point numbers */
};

/* One register file within a loop. */
struct cw_native_file {
    cw_value *value; /* [slot]; NULL: in memory */
    bool *written;   /* [slot] */
};

struct cw_native_emit {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    const struct cw_native_source *source;
    const struct cw_kernel *kernel;
    uint32_t width;
    bool whole;
    struct cw_native_types t;
    cw_value function, frame;
    cw_value r32, r64, pred, exec, active; /* of the frame */
    cw_value threads;                      /* a stack place: lanes of guarded micro-operations of the block */
    /* in a loop */
    cw_value at;    /* of the piece: bytes in a vector of 32-bit lanes */
    cw_value shift; /* its first lane, 32 bits */
    cw_value on;    /* its active lanes; NULL: all */
    cw_value guard; /* the lanes that execute the micro-operation; NULL: all active ones */
    struct cw_native_file words, doubles, preds;
    cw_value *gathered; /* [predicate]: the stack place in which its pieces come together */
};

static inline LLVMBasicBlockRef cw_native_block(const struct cw_native_emit *e)
{
    return LLVMAppendBasicBlockInContext(e->context, e->function, "");
}

/* lanes.c */
typedef void cw_native_lanes(struct cw_native_emit *e, const struct cw_uop *u);
/* How to emit a micro-operation as part of a loop; NULL: it is none. */
cw_native_lanes *cw_native_lanes_of(const struct cw_uop *u);
/* real.c: the same of floating-point operations */
cw_native_lanes *cw_native_real_of(const struct cw_uop *u);

/* half.c: those of half precision */
cw_native_lanes *cw_native_half_of(const struct cw_uop *u);

/* powers.c: of numbers in double precision that were floats */
cw_value cw_native_exp2(struct cw_native_emit *e, cw_value x);
cw_value cw_native_log2(struct cw_native_emit *e, cw_value x);

/* value.c: operands and results of the piece */
cw_value cw_native_number(const struct cw_native_emit *e, LLVMTypeRef vector, uint64_t n);
/* A pointer to that type, so many bytes behind base; what is there. */
cw_value cw_native_place(struct cw_native_emit *e, LLVMTypeRef type, cw_value base, uint64_t offset);
cw_value cw_native_load(struct cw_native_emit *e, LLVMTypeRef type, cw_value base, uint64_t offset);
/* A vector of which each element is v. */
cw_value cw_native_splat(struct cw_native_emit *e, LLVMTypeRef vector, cw_value v);
/* All 32 lanes of a register, or of a constant, outside of a loop; the vector's type; and the word that has a predicate. */
LLVMTypeRef cw_native_row_type(struct cw_native_emit *e, struct cw_opnd o);
cw_value cw_native_row_place(struct cw_native_emit *e, struct cw_opnd o, LLVMTypeRef type);
cw_value cw_native_read_row(struct cw_native_emit *e, struct cw_opnd o);
void cw_native_write_row(struct cw_native_emit *e, struct cw_opnd o, cw_value v);
cw_value cw_native_predicate_place(struct cw_native_emit *e, uint32_t slot);
cw_value cw_native_word(struct cw_native_emit *e, struct cw_opnd o);
cw_value cw_native_double_word(struct cw_native_emit *e, struct cw_opnd o);
cw_value cw_native_predicate(struct cw_native_emit *e, struct cw_opnd o);
void cw_native_set_word(struct cw_native_emit *e, struct cw_opnd o, cw_value v);
void cw_native_set_double_word(struct cw_native_emit *e, struct cw_opnd o, cw_value v);
void cw_native_set_predicate(struct cw_native_emit *e, struct cw_opnd o, cw_value v);
/* p is what a SETP compares: the two results, with its boolean operator. */
void cw_native_set_comparison(struct cw_native_emit *e, const struct cw_uop *u, cw_value p);
/* An integer of that type, extended to its slot; and the other way. */
cw_value cw_native_integer(struct cw_native_emit *e, struct cw_opnd o, uint32_t type);
void cw_native_set_integer(struct cw_native_emit *e, struct cw_opnd o, uint32_t type, cw_value v);
/* An operation of LLVM's with that type as its parameter: "llvm.fma". */
cw_value cw_native_call(struct cw_native_emit *e, const char *name, LLVMTypeRef type, cw_value *args, uint32_t cnt);
/* The warp has got on: it has stored something, or gone round a loop that ends. */
void cw_native_note_progress(struct cw_native_emit *e);
bool cw_native_constant(const struct cw_native_emit *e, struct cw_opnd o, uint64_t *value);

/* access.c */
/* Whether there is code for the usual patterns of its addresses. */
bool cw_native_inlines(const struct cw_native_emit *e, const struct cw_uop *u);
/* That code; it goes on in `after`, or in `other` where nothing is done. site: struct cw_native_site. */
void cw_native_emit_access(struct cw_native_emit *e, const struct cw_uop *u, cw_value site, LLVMBasicBlockRef other,
                           LLVMBasicBlockRef after);

/* across.c */
/* Whether there is code for an operation across lanes where all 32 name each other. */
bool cw_native_crosses(const struct cw_native_emit *e, const struct cw_uop *u);
/* That code; it goes on in `after`, or in `other` where nothing is done. */
void cw_native_emit_across(struct cw_native_emit *e, const struct cw_uop *u, LLVMBasicBlockRef other, LLVMBasicBlockRef after);

/* live.c */
/* Which registers somebody may read behind each micro-operation. */
struct cw_native_live {
    uint32_t words;  /* per micro-operation */
    uint64_t *after; /* bits: r32, then r64, then predicates */
};
bool cw_native_live_create(struct cw_native_live *l, const struct cw_native_source *s);
void cw_native_live_destroy(struct cw_native_live *l);
static inline bool cw_native_is_live(const struct cw_native_live *l, uint32_t pc, uint32_t slot)
{
    return (l->after[(size_t)pc * l->words + slot / 64] >> slot % 64 & 1) != 0;
}

/* kernel.c */
/* Emits the function `name` of micro-operations first to end - 1, and says where it can be entered. false: no memory. */
bool cw_native_emit_kernel(struct cw_native_emit *e, const char *name, uint32_t first, uint32_t end, uint32_t *entry);

#endif
