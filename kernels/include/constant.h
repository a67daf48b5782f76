/* SPDX-License-Identifier: Apache-2.0 */
/* Constant memory that the host fills before a launch. */
#ifndef KERNELS_CONSTANT_H
#define KERNELS_CONSTANT_H

/* OpenCL C wants an initial value, and the compiler would use it in the place of a load. A weak variable may have another value elsewhere,
 * so each read is a load. */
#define FILLED_BY_HOST __attribute__((weak)) __constant

#endif
