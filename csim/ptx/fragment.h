/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the readers of matrix instructions share (fragment.c): arithmetic on lanes, and the steps that multiplications are made of.
 *
 * Private to: matrix.c, wmma.c, fragment.c.
 */
#ifndef CW_PTX_FRAGMENT_H
#define CW_PTX_FRAGMENT_H

#include "ptx/insn.h"

#define CW_FRAGMENT_MOST 8u /* registers of a fragment */

/* Registers of a fragment. One alone may be in braces, too. */
void cw_frag_list(struct cw_ptx *p, enum cw_list list, enum cw_ptype type, uint32_t n, struct cw_vopnd *out);
struct cw_vopnd cw_frag_temporary(struct cw_ptx *p, enum cw_ptype type);
struct cw_vopnd cw_frag_word(struct cw_ptx *p, uint64_t value);
/* A new register of 32 bits with a op b, in u32; and with the lane's number. */
struct cw_vopnd cw_frag_computed(struct cw_ptx *p, enum cw_op op, struct cw_vopnd a, struct cw_vopnd b);
struct cw_vopnd cw_frag_lane(struct cw_ptx *p);
/* What lane `from` has in a, in a new register of 32 bits. All lanes take part. */
struct cw_vopnd cw_frag_of_lane(struct cw_ptx *p, struct cw_vopnd a, struct cw_vopnd from);
/* d = a, of 4 or 8 bytes. */
void cw_frag_move(struct cw_ptx *p, struct cw_vopnd d, struct cw_vopnd a, uint32_t bytes);
/* One element of a type of 1 to 8 bytes, zero-extended, at a register with an address and an offset. */
void cw_frag_load(struct cw_ptx *p, struct cw_vopnd d, uint8_t space, struct cw_vopnd address, int64_t offset, enum cw_type type);
void cw_frag_store(struct cw_ptx *p, struct cw_vopnd a, uint8_t space, struct cw_vopnd address, int64_t offset, enum cw_type type);
/* Whether a register is one of the list. */
bool cw_frag_among(struct cw_vopnd o, const struct cw_vopnd *list, uint32_t cnt);

/* Of a multiplication: types of elements and sums, and what becomes of a sum of integers that is too large. */
struct cw_frag_kind {
    enum cw_type a, b;
    enum cw_type sum; /* CW_F32, CW_F16X2, CW_S32, CW_F64 */
    bool saturates;
};
/* Registers of the sums of a step: 1 or 2. */
uint32_t cw_frag_sums(const struct cw_frag_kind *k);
/* d = a x b + c of 8 rows, 8 columns and 32 bits of depth (csim/exec/matrix.c). */
void cw_frag_step(struct cw_ptx *p, const struct cw_frag_kind *k, struct cw_vopnd a, struct cw_vopnd b, const struct cw_vopnd *c,
                  const struct cw_vopnd *d);

#endif
