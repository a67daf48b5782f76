/* SPDX-License-Identifier: Apache-2.0 */
/* All mechanisms of the program. The list is made by the build from the folders below csim/mech (cmake/mechanisms.cmake). */
#ifndef CW_MECH_MECHS_H
#define CW_MECH_MECHS_H

#include "mech/mech.h"

/* NULL-terminated. */
extern const struct cw_mech *const cw_mechs[];
/* NULL when there is none of that name. */
const struct cw_mech *cw_mech_find(const char *name);

uint32_t cw_mech_cnt(void);
/* The intrinsics of all mechanisms, each array once, as cw_module_load takes them: fills list, which has room for cw_mech_cnt() + 1. */
void cw_mech_intrinsics(const struct cw_intrinsic **list);

#endif
