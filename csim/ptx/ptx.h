/* SPDX-License-Identifier: Apache-2.0 */
/* The PTX front end: text in, a module (ir/module.h) out. */
#ifndef CW_PTX_PTX_H
#define CW_PTX_PTX_H

#include <stddef.h>

#include "base/error.h"
#include "ir/build.h"
#include "ir/module.h"

/*
 * Reads PTX text (length bytes, no terminator needed). On success *out is a new module that the caller destroys. Text whose parts cannot be
 * told apart, and malformed declarations outside of functions, give CW_EINVAL and "file:line:column: what: the offending text"; nothing is
 * guessed. What is unsupported, unknown or malformed in a function refuses the kernels that have it or call it (cw_kernel.refused), and so do
 * names whose declaration is. An unknown directive outside of functions is left out, and module.notice says so.
 *
 * intrinsics: all that the build knows, whether or not a GPU has the mechanism that carries them out; a NULL-terminated list of arrays,
 * one per mechanism, each as ir/intrinsic.h says; NULL: none. The first of a name counts. The arrays have to outlive the module.
 *
 * wishes: what the host wants beyond that; NULL: nothing. Without a profile the likely-convergence points are those of core.lcp=loop. A kernel
 * that has no counts there is not `profiled`. Counts of a kernel of the same name with other instructions: CW_EINVAL.
 */
int cw_ptx_load(struct cw_module **out, const char *text, size_t length, const char *file, const struct cw_intrinsic *const *intrinsics,
                const struct cw_ir_wishes *wishes, struct cw_error *err);

#endif
