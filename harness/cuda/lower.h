/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions of textures and surfaces as calls of functions.
 *
 * Private to: lower.c, module.c.
 */
#ifndef CW_HARNESS_CUDA_LOWER_H
#define CW_HARNESS_CUDA_LOWER_H

#include <stdbool.h>

#include "cuda/sampler.h"

/* A function of sampler.cu as PTX, in one line. functions.py makes the table of what clang has written. */
struct cw_sampler_function {
    const char *name, *text;
};
extern const struct cw_sampler_function cw_sampler_functions[];
extern const unsigned cw_sampler_function_cnt;

/* The text, which was allocated, is another one afterwards where it has such instructions. false: out of memory, and it is as it was. */
bool cw_cuda__lower(char **text);

#endif
