/* SPDX-License-Identifier: Apache-2.0 */
/* Releases and acquires whose scope is a parameter of the workload. The scope is a constant where these functions are inlined. */
#ifndef KERNELS_SCOPE_H
#define KERNELS_SCOPE_H

#include "persist.h"

#define SCOPE_BLOCK  0
#define SCOPE_DEVICE 1
#define SCOPE_NONE   2 /* ordinary synchronisation: the variable is handed over, persists are not ordered */

/* release_in(scope, p, v), acquire_in(scope, p): as prel_block and its kin. SCOPE_NONE: for threads of a block alone. */
#define SCOPE__PAIR(qualifier, type)                                                                               \
    static inline __attribute__((overloadable)) void release_in(int scope, volatile qualifier type *p, uint value) \
    {                                                                                                              \
        if (scope == SCOPE_BLOCK)                                                                                  \
            prel_block(p, value);                                                                                  \
        else if (scope == SCOPE_DEVICE)                                                                            \
            prel_dev(p, value);                                                                                    \
        else {                                                                                                     \
            mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);                                                 \
            persist__store_block(p, value);                                                                        \
        }                                                                                                          \
    }                                                                                                              \
    static inline __attribute__((overloadable)) uint acquire_in(int scope, volatile qualifier type *p)             \
    {                                                                                                              \
        if (scope == SCOPE_BLOCK)                                                                                  \
            return pacq_block(p);                                                                                  \
        return scope == SCOPE_DEVICE ? pacq_dev(p) : persist__load_block(p);                                       \
    }

SCOPE__PAIR(__global, uint)
SCOPE__PAIR(__global, uchar)
SCOPE__PAIR(__local, uint)

/* Waits for a value other than 0. */
#define WAIT_IN(scope, p)                                            \
    for (uint seen_ = 0; seen_ == 0; seen_ = acquire_in(scope, p)) { \
    }

#endif
