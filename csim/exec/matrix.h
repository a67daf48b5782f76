/* SPDX-License-Identifier: Apache-2.0 */
/* A step of a matrix multiplication. */
#ifndef CW_EXEC_MATRIX_H
#define CW_EXEC_MATRIX_H

#include "exec/exec.h"

/* MMA: reads the fragments of all 32 lanes, and writes the results of the lanes of mask (matrix.c says which elements are whose). */
void cw_exec__mma(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask);

#endif
