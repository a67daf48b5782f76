/* SPDX-License-Identifier: Apache-2.0 */
/* What harness/cuda/functions.txt says of a name; the file is made by functions.py. */
#ifndef CW_HARNESS_CLI_CUDA_FUNCTIONS_H
#define CW_HARNESS_CLI_CUDA_FUNCTIONS_H

#include <stdbool.h>

/* Whether it is a function of CUDA's that is not there: it can be called, and answers cudaErrorNotSupported. */
bool cw_cuda_is_missing(const char *name);
/* The functions that are there, of both APIs, a line each. */
extern const char cw_cuda_there[];

#endif
