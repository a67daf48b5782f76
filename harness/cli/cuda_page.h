/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the command `cowarp cuda` and the process that it starts have in common: two environment variables, and a page of shared memory by
 * which the command learns what became of the run.
 */
#ifndef CW_HARNESS_CLI_CUDA_PAGE_H
#define CW_HARNESS_CLI_CUDA_PAGE_H

#include <stdint.h>

#define CW_CUDA_OPTIONS "COWARP_CUDA_OPTIONS" /* the command's options, each followed by CW_CUDA_END */
#define CW_CUDA_END     '\x1f'
#define CW_CUDA_PAGE    "COWARP_CUDA_PAGE" /* number of an open file of the page */

struct cw_cuda_page {
    uint32_t loaded; /* the library has been loaded */
    uint32_t opened; /* processes that have made the GPU; the first one writes the files */
    uint32_t failed; /* launches that have failed */
    uint32_t denied; /* of these, those that a card would have carried out: what the machine does not have, or has no room for */
    uint32_t broken; /* 1: the GPU could not be made, and the error has been told */
    uint32_t unwell; /* 1: the statistics or another file could not be written, or an oracle has found something */
};

#endif
