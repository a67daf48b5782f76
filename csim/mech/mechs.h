/* SPDX-License-Identifier: Apache-2.0 */
/* All mechanisms of the program. The list is made by the build from the folders below csim/mech (cmake/mechanisms.cmake). */
#ifndef CW_MECH_MECHS_H
#define CW_MECH_MECHS_H

#include "mech/mech.h"

/* NULL-terminated. */
extern const struct cw_mech *const cw_mechs[];
/* NULL when there is none of that name. */
const struct cw_mech *cw_mech_find(const char *name);

#endif
