/* SPDX-License-Identifier: Apache-2.0 */
/* Reads through the texture cache, for memory that no thread writes during the launch. */
#ifndef KERNELS_TEXTURE_H
#define KERNELS_TEXTURE_H

/* The compiler makes such loads for sm_35 and later only; kernels are compiled for sm_20. */
static inline float texture_read(__global const float *address)
{
    float value;
    __asm__("ld.global.nc.f32 %0, [%1];" : "=f"(value) : "l"(address));
    return value;
}

#endif
