/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CW_CORE_NATIVE_H
#define CW_CORE_NATIVE_H

#include "exec/native.h"

/* The native code that there is, for functional cores of a GPU that share a thread. with: another one of the GPU, whose code it shares; NULL: the
 * first one. compiler: lives as long. at_once: code is made before it pays, and a compiler that cannot be opened is refused. CW_ENOMEM, CW_EUNSUP. */
struct cw_native;
int cw_native_create(struct cw_native **out, const struct cw_native *with, const struct cw_native_compiler *compiler, bool at_once,
                     struct cw_error *err);
void cw_native_destroy(struct cw_native *n);

#endif
