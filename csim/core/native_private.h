/* SPDX-License-Identifier: Apache-2.0 */
/* Native code as functional.c uses it. Private to: functional.c, native.c, native_access.c. */
#ifndef CW_CORE_NATIVE_PRIVATE_H
#define CW_CORE_NATIVE_PRIVATE_H

#include "core/memory/memory.h"
#include "core/native.h"

#define CW_TURN_POLLS 4u /* Backward branches after polling in vain (report.c), behind which a warp gives way */

/* The function of a load or a store; NULL: it is left to functional.c. */
cw_native_access *cw_core__native_access(const struct cw_uop *u);

/* The core is prepared. false: its launch cannot run in native code. */
bool cw_core__native_launch(struct cw_native *n, const struct cw_core_memory *core, const struct cw_memory *memory);
/* The warp goes on in native code, for `most` warp instructions at the most, if there is code for where it is. Returns the lanes of the
 * instructions that it has executed, added up; the core's `cycle` has counted them. branches: the kernel's, by PC. */
uint64_t cw_core__native_run(const struct cw_native *n, struct cw_core_memory *core, const struct cw_branch *branches, uint32_t w,
                             uint64_t most);

#endif
