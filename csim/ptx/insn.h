/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One instruction while it is read (insn.c), its operands (operand.c), and the files that each know some of the opcodes.
 *
 * Private to: control.c, copy.c, fragment.h, insn.c, instruction.c, mbarrier.c, mem.c, operand.c, optab.c, regular.c, special.c, sreg.c, video.c.
 */
#ifndef CW_PTX_INSN_H
#define CW_PTX_INSN_H

#include "ptx/reader.h"

#define CW_INSN_PARTS 16u

struct cw_name_part { /* "ld.param.u64" has three */
    const char *s;
    uint32_t len;
};

struct cw_insn {
    struct cw_tok word;
    struct cw_name_part part[CW_INSN_PARTS];
    uint32_t part_cnt;
    uint32_t next; /* first part that is not yet understood */
    struct cw_vop v;
    bool has_policy;           /* .L2::cache_hint */
    bool is_whole;             /* .b128, which is read as .v2.b64 */
    enum cw_ptype type, stype; /* as written: v.u.type no longer knows .b32 from .u32 */
};

/* A row of the opcode table (optab.c). mods: what follows the name, separated by blanks, '?' = optional; a lower-case word stands for
 * itself or for a group (regular.c: words), T and S for a type out of types and stypes. opnds: one letter per operand, see regular.c. */
struct cw_opspec {
    const char *name;
    uint16_t op;
    uint32_t flags;
    uint8_t cmp;
    const char *mods, *opnds;
    uint32_t types, stypes;
};

extern const struct cw_opspec cw_opspecs[];
extern const uint32_t cw_opspec_cnt;

/* insn.c */
bool cw_part_is(const struct cw_name_part *part, const char *word);
/* The next part, if it is word: consumed. */
bool cw_insn_accept(struct cw_insn *in, const char *word);
/* The next part, if it is a type: consumed, else CW_PT_NONE. */
enum cw_ptype cw_insn_type(struct cw_insn *in);
/* Fails unless all parts were understood. */
bool cw_insn_all(struct cw_ptx *p, const struct cw_insn *in);
void cw_insn_refuse(struct cw_ptx *p, const struct cw_insn *in); /* "unknown or unsupported form of ld" */

void cw_insn_dst(struct cw_insn *in, struct cw_vopnd o);
void cw_insn_src(struct cw_insn *in, struct cw_vopnd o);
void cw_insn_emit(struct cw_ptx *p, struct cw_insn *in);
/* dst = (type) (stype) src, as one CVT under the statement's guard. */
void cw_insn_convert(struct cw_ptx *p, struct cw_vopnd dst, enum cw_type type, struct cw_vopnd src, enum cw_type stype);

/* operand.c. want: the type by which they are checked and constants are converted. */
struct cw_vopnd cw_opnd_dst(struct cw_ptx *p, enum cw_ptype want);
struct cw_vopnd cw_opnd_src(struct cw_ptx *p, enum cw_ptype want);
/* The same, but a special register of the right size stays one: for MOV only. */
struct cw_vopnd cw_opnd_mov_src(struct cw_ptx *p, enum cw_ptype want);
struct cw_vopnd cw_opnd_pred(struct cw_ptx *p); /* source, maybe with ! */
struct cw_vopnd cw_opnd_const(struct cw_ptx *p, uint64_t value, uint32_t bytes);
struct cw_vopnd cw_opnd_reg(uint32_t vreg);
/* A register of any type, at least bytes wide (ld, st and cvt let it be wider). */
struct cw_vopnd cw_opnd_wide_dst(struct cw_ptx *p, uint32_t bytes);
struct cw_vopnd cw_opnd_wide_src(struct cw_ptx *p, enum cw_ptype want);
uint32_t cw_opnd_bytes(const struct cw_ptx *p, struct cw_vopnd o); /* of a register; 0 for others */
/* n operands: "{a, b}", the vector register v, or, of one, the operand alone. */
enum cw_list { CW_LIST_DST, CW_LIST_SRC, CW_LIST_WIDE_DST, CW_LIST_WIDE_SRC };
void cw_opnd_list(struct cw_ptx *p, enum cw_list list, enum cw_ptype want, uint32_t n, struct cw_vopnd *out);
/* %tid and the like, of four elements of 32 bits; false, with nothing consumed, when the token is none. */
bool cw_opnd_sreg_vector(struct cw_ptx *p, struct cw_vopnd *out);

/* sreg.c */
uint32_t cw_sreg_find(const char *name, uint32_t len); /* enum cw_sreg; CW_SREG_COUNT: none, or one that is no MOV's source */
uint32_t cw_sreg_bytes(uint32_t sreg);                 /* of its value: 4 or 8; 0: either */
/* The special register at the current token as an operand of any instruction: by way of a MOV into a new register. */
struct cw_vopnd cw_opnd_sreg(struct cw_ptx *p, enum cw_ptype want);

/* The address of a memory instruction: [register + n], [variable + n], [n]. */
struct cw_address {
    struct cw_vopnd base; /* NONE when var is a parameter */
    uint32_t var;         /* CW_IR_NONE unless it is named */
    int64_t offset;
};

/* mem.c */
/* *space: of the instruction; a generic one becomes that of the variable which the address names. */
struct cw_address cw_insn_address(struct cw_ptx *p, uint8_t *space);
/* Source 0 and the offset of a load or store, after its type, vec and space. */
void cw_insn_set_address(struct cw_ptx *p, struct cw_insn *in, const struct cw_address *a, bool is_store);
bool cw_insn_hint(struct cw_insn *in);                           /* the next part, if it is .L2::128B or the like: consumed */
void cw_insn_policy(struct cw_ptx *p, const struct cw_insn *in); /* the operand of .L2::cache_hint, if there was one */

/* mbarrier.c: the arrival of a thread whose copies are complete, cp.async.mbarrier.arrive from .arrive on. */
void cw_insn_copy_arrives(struct cw_ptx *p, struct cw_insn *in);

/* True when the opcode is one of the file's own; it has then been read up to the ';'. */
bool cw_insn_regular(struct cw_ptx *p, struct cw_insn *in);  /* regular.c */
bool cw_insn_special(struct cw_ptx *p, struct cw_insn *in);  /* special.c */
bool cw_insn_combined(struct cw_ptx *p, struct cw_insn *in); /* special.c: lop3 with a predicate, which its regular form has not */
bool cw_insn_video(struct cw_ptx *p, struct cw_insn *in);    /* video.c */
bool cw_insn_copy(struct cw_ptx *p, struct cw_insn *in);     /* copy.c: cp.async */
bool cw_insn_matrix(struct cw_ptx *p, struct cw_insn *in);   /* matrix.c: mma, ldmatrix, stmatrix, movmatrix */
bool cw_insn_wmma(struct cw_ptx *p, struct cw_insn *in);     /* wmma.c */
bool cw_insn_mbarrier(struct cw_ptx *p, struct cw_insn *in); /* mbarrier.c */
bool cw_insn_memory(struct cw_ptx *p, struct cw_insn *in);   /* mem.c: ld, st, atom, red, fences, prefetches */
bool cw_insn_control(struct cw_ptx *p, struct cw_insn *in);  /* control.c: branches, calls, barriers */

#endif
