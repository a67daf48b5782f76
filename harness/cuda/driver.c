/* SPDX-License-Identifier: Apache-2.0 */
/* The driver API. */
#include "cuda/cuda.h"

extern const int cw_cuda_runtime_version; /* of libcuda: 1 */
