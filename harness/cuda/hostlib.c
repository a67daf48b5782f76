/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of CUDA's whose functions are computed on the host (harness/hostlib): whether they may be, and what is said of it. */
#include <string.h>

#include "cuda/process.h"

int cw_cuda_library(const char *name, const struct cw_cuda_stream *stream)
{
    struct cowarp_gpu *gpu;
    cw_cuda__lock();
    int code = cw_cuda__gpu(&gpu);
    if (code == CW_CUDA_OK && strcmp(cli_value(&cw_cuda__process.parsed, "libraries", "host"), "refuse") == 0) {
        if (cw_cuda__is_first(name))
            cw_cuda__say("%s: refused, as --libraries=refuse says", name);
        code = CW_CUDA_NOT_SUPPORTED;
    } else if (code == CW_CUDA_OK && cw_cuda_is_capturing(stream)) {
        cw_cuda__say("%s: a call of it cannot become a node of a graph here", name);
        code = CW_CUDA_NOT_SUPPORTED;
    } else if (code == CW_CUDA_OK && cw_cuda__is_first(name)) {
        cw_cuda__say("%s: the host computes it, and it takes no simulated time; --libraries=refuse forbids it", name);
    }
    return cw_cuda__leave(code);
}
