/* SPDX-License-Identifier: Apache-2.0 */
/* What persistency models share: the intrinsics that kernels call (kernels/include/persist.h has functions over them). */
#ifndef CW_MECH_PERSIST_PERSIST_H
#define CW_MECH_PERSIST_PERSIST_H

#include "ir/intrinsic.h"

/* Codes of cw_persist_intrinsics. */
enum cw_persist_call {
    CW_PERSIST_CALL_OFENCE,
    CW_PERSIST_CALL_DFENCE,
    CW_PERSIST_CALL_ACQUIRE_BEGIN, /* scope; before the load of an acquire */
    CW_PERSIST_CALL_ACQUIRE_END,   /* address, value, scope; when the load has its value */
    CW_PERSIST_CALL_RELEASE        /* address, value, scope; before the store of a release */
};

/* The scope that a kernel says. */
enum cw_persist_scope { CW_PERSIST_BLOCK, CW_PERSIST_DEVICE };

/* All models have this array: equal addresses make them interchangeable for a kernel (csim/ir/intrinsic.h). */
extern const struct cw_intrinsic cw_persist_intrinsics[];

#endif
