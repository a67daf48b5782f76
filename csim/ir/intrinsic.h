/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intrinsics: calls of external functions that a mechanism of the machine carries out (a transactional system, a persistency model, a
 * user's own). A kernel declares such a function and calls it; the reader makes one micro-op of the call. A mechanism contributes its
 * intrinsics as data, an array of struct cw_intrinsic that ends with one of name NULL. The reader knows no intrinsic by itself.
 *
 * A kernel may be loaded without the mechanism that it needs: struct cw_kernel lists the intrinsics that it calls, and the launch
 * compares that list with the mechanisms of the GPU.
 */
#ifndef CW_IR_INTRINSIC_H
#define CW_IR_INTRINSIC_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/uop.h"

#define CW_INTRINSIC_ARGS 5u /* most arguments of one */

enum cw_intrinsic_role {
    /* The lanes enter or leave a region (a transaction, say) to which the mechanism may send them back: CW_OP_REGION_BEGIN and
     * CW_OP_REGION_END. What is live at the begin keeps its registers up to the end. No result. */
    CW_INTRINSIC_REGION_BEGIN,
    CW_INTRINSIC_REGION_END,
    CW_INTRINSIC_CALL, /* anything else: CW_OP_INTRINSIC */
    /* The machine's own, which every GPU carries out. */
    CW_INTRINSIC_PRINT,   /* vprintf */
    CW_INTRINSIC_ASSERT,  /* __assertfail */
    CW_INTRINSIC_BAD_FREE /* CW_OP_TRAP of kind CW_TRAP_FREE */
};

/* Types are enum cw_type: CW_U32, CW_S32, CW_F32 or CW_U64, CW_S64, CW_F64; a pointer is CW_U64. Compilers declare every parameter as
 * .b32 or .b64, so the reader compares widths only. */
struct cw_intrinsic {
    const char *name; /* as in C; a kernel may also call it by its name in C++ (_Z8tx_beginv), whatever the types that this spells */
    uint8_t role;     /* enum cw_intrinsic_role */
    uint8_t result;   /* CW_PRED (0) or CW_TYPE_NONE: it returns nothing */
    uint8_t arg_cnt;
    uint8_t arg[CW_INTRINSIC_ARGS];
    uint16_t code;    /* the mechanism's own number for it; the reader does not look at it */
    uint8_t order;    /* enum cw_event_order (event/event.h) when a call orders persists, 0 when not. Of a release or an acquire the
                         arguments are the variable's address, its value, and the scope: 0 for the block, else the device */
    const char *what; /* one line for lists and messages */
};

static inline bool cw_intrinsic_has_result(const struct cw_intrinsic *i)
{
    return cw_type_bytes((enum cw_type)i->result) > 0;
}

/* Whether i is an element of the mechanism's array. Compares addresses: mechanisms that share an intrinsic share its array. */
bool cw_intrinsic_in(const struct cw_intrinsic *array, const struct cw_intrinsic *i);

#endif
