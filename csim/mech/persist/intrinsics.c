/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel calls to order its persists (Pandey et al., ASPLOS 2023, section 5). */
#include <stddef.h>

#include "event/event.h"
#include "mech/persist/persist.h"

const struct cw_intrinsic cw_persist_intrinsics[] = {
    {.name = "ofence",
     .role = CW_INTRINSIC_CALL,
     .result = CW_TYPE_NONE,
     .code = CW_PERSIST_CALL_OFENCE,
     .order = CW_ORDER_OFENCE,
     .what = "orders the thread's earlier persists before its later ones"},
    {.name = "dfence",
     .role = CW_INTRINSIC_CALL,
     .result = CW_TYPE_NONE,
     .code = CW_PERSIST_CALL_DFENCE,
     .order = CW_ORDER_DFENCE,
     .what = "waits until the thread's earlier persists are durable"},
    {.name = "cowarp_pacq_begin",
     .role = CW_INTRINSIC_CALL,
     .result = CW_TYPE_NONE,
     .arg_cnt = 1,
     .arg = {CW_U32},
     .code = CW_PERSIST_CALL_ACQUIRE_BEGIN,
     .what = "begins a persist acquire, given its scope"},
    {.name = "cowarp_pacq_end",
     .role = CW_INTRINSIC_CALL,
     .result = CW_TYPE_NONE,
     .arg_cnt = 3,
     .arg = {CW_U64, CW_U32, CW_U32},
     .code = CW_PERSIST_CALL_ACQUIRE_END,
     .order = CW_ORDER_ACQUIRE,
     .what = "ends a persist acquire, given the variable's address, the value read and the scope"},
    {.name = "cowarp_prel",
     .role = CW_INTRINSIC_CALL,
     .result = CW_TYPE_NONE,
     .arg_cnt = 3,
     .arg = {CW_U64, CW_U32, CW_U32},
     .code = CW_PERSIST_CALL_RELEASE,
     .order = CW_ORDER_RELEASE,
     .what = "a persist release, given the variable's address, the value to be written and the scope"},
    {.name = NULL},
};
