/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a texture or a surface is in device memory. A handle of the program's (cudaTextureObject_t, cudaSurfaceObject_t) is the address of one
 * of these. The host writes it, and the functions of sampler.cu read it; so it is compiled for both.
 *
 * Private to: array.c, texture.c, lower.c, lower.h, sampler.cu.
 */
#ifndef CW_HARNESS_CUDA_SAMPLER_H
#define CW_HARNESS_CUDA_SAMPLER_H

/* The numbers are CUDA's. */
enum cw_sampler_kind { CW_SAMPLER_SIGNED, CW_SAMPLER_UNSIGNED, CW_SAMPLER_FLOAT };
enum cw_sampler_address { CW_SAMPLER_WRAP, CW_SAMPLER_CLAMP, CW_SAMPLER_MIRROR, CW_SAMPLER_BORDER };

struct cw_sampler {
    unsigned long long base;        /* device address of texel (0, 0, 0) */
    unsigned long long slice_bytes; /* from one layer, or one z, to the next */
    unsigned size[3];               /* texels in x, y and z; 1 where there is no such direction */
    unsigned layers;                /* 1: not layered */
    unsigned row_bytes;
    unsigned channel_bytes, channels; /* 1, 2 or 4 of each */
    unsigned kind;                    /* enum cw_sampler_kind */
    unsigned address[3];              /* enum cw_sampler_address */
    unsigned linear;                  /* 1: texels around the place are weighted */
    unsigned normalized;              /* 1: coordinates run from 0 to 1 */
    unsigned to_float;                /* 1: integers become 0 to 1, or -1 to 1 */
    float border[4];
};

/* Place of size, which layers follows, in bytes from the handle. */
#define CW_SAMPLER_SIZE 16

#endif
