/* SPDX-License-Identifier: Apache-2.0 */
/* What harness/cuda/functions.txt says of a name; the file is made by functions.py. */
#ifndef CW_HARNESS_CLI_CUDA_FUNCTIONS_H
#define CW_HARNESS_CLI_CUDA_FUNCTIONS_H

#include <stdbool.h>

/* Whether it is a function of CUDA's that is not there: it can be called, and answers cudaErrorNotSupported. */
bool cw_cuda_is_missing(const char *name);
/* Whether it has the name of a function of cuBLAS, cuRAND or cuFFT, and is none of those that the host computes: a call of it ends the program. */
bool cw_cuda_is_unknown_of_library(const char *name);
/* The functions that are there, of both APIs and of these libraries, a line each. */
extern const char cw_cuda_there[];

#endif
