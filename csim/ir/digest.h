/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A number for a kernel's instructions.
 *
 * Private to: digest.c, finish.c.
 */
#ifndef CW_IR_DIGEST_H
#define CW_IR_DIGEST_H

#include "ir/build.h"

uint64_t cw_digest(const struct cw_code *k, const struct cw_ir_variables *variables);

#endif
