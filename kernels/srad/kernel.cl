/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SRAD: a step of speckle-reducing anisotropic diffusion, with what each pixel has got so far in persistent memory (SBRP 7.1). The first
 * kernel writes the differences to the four neighbours, then the coefficient; the second one the new pixel. A coefficient or pixel that is
 * not negative is there already: so the same kernels resume after a crash.
 */
#include "persist.h"

#define EMPTY -1.0f

/* Marks all coefficients and pixels as still to be done. */
__kernel void srad_set(__global float *value, uint pixels)
{
    for (uint i = get_global_id(0); i < pixels; i += get_global_size(0))
        value[i] = EMPTY;
    dfence();
}

__kernel void srad_ready(__global uint *ready)
{
    *ready = 1;
    dfence();
}

/* q0: square of the speckle's coefficient of variation. */
__kernel void srad_coefficients(__global const float *image, __global float *north, __global float *south, __global float *west,
                                __global float *east, __global float *coefficient, uint width, uint height, float q0)
{
    uint x = get_global_id(0), y = get_global_id(1), i = y * width + x;
    if (x >= width || y >= height || coefficient[i] >= 0.0f)
        return;
    float here = image[i];
    float n = image[y > 0 ? i - width : i] - here, s = image[y + 1 < height ? i + width : i] - here;
    float w = image[x > 0 ? i - 1 : i] - here, e = image[x + 1 < width ? i + 1 : i] - here;
    float gradient = (n * n + s * s + w * w + e * e) / (here * here), laplacian = (n + s + w + e) / here;
    float slope = 1.0f + 0.25f * laplacian;
    float q = (0.5f * gradient - 0.0625f * laplacian * laplacian) / (slope * slope);
    float c = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
    north[i] = n;
    south[i] = s;
    west[i] = w;
    east[i] = e;
    ofence();
    coefficient[i] = clamp(c, 0.0f, 1.0f);
}

__kernel void srad_pixels(__global const float *image, __global const float *north, __global const float *south, __global const float *west,
                          __global const float *east, __global const float *coefficient, __global float *out, uint width, uint height,
                          float lambda)
{
    uint x = get_global_id(0), y = get_global_id(1), i = y * width + x;
    if (x >= width || y >= height || out[i] >= 0.0f)
        return;
    float here = coefficient[i], below = coefficient[y + 1 < height ? i + width : i], right = coefficient[x + 1 < width ? i + 1 : i];
    float divergence = here * north[i] + below * south[i] + here * west[i] + right * east[i];
    out[i] = image[i] + 0.25f * lambda * divergence;
    dfence();
}
