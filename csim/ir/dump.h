/* SPDX-License-Identifier: Apache-2.0 */
/* Readable micro-ops, for debugging the reader and for reports. The format is not stable. */
#ifndef CW_IR_DUMP_H
#define CW_IR_DUMP_H

#include <stdio.h>

#include "ir/module.h"

/* "@!p0 add.s32 r3, r1, #5" without index and line. Text longer than size is cut. */
void cw_uop_text(const struct cw_kernel *k, const struct cw_uop *u, char *out, size_t size);
/* All kernels: resources, then one micro-op per line with its index, PTX line, functional unit, branch target and reconvergence point. */
void cw_module_dump(const struct cw_module *m, FILE *out);
void cw_kernel_dump(const struct cw_kernel *k, FILE *out);

#endif
