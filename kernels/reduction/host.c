/* SPDX-License-Identifier: Apache-2.0 */
/* reduction: sum of n integers with a tree in shared memory per block. */
#include <stdio.h>
#include <stdlib.h>

#include "../host.h"

enum { N, BLOCKS, THREADS };
static const struct cowarp_workload_param params[] = {
    [N] = {"n", 262144, 1, 1 << 26, "elements"},
    [BLOCKS] = {"blocks", 60, 1, 65535, "thread blocks"},
    [THREADS] = {"threads", 256, 32, 1024, "threads per block, a power of two"},
};

static int run_with(struct cowarp_workload_context *x, uint32_t *in, uint32_t *out, uint32_t n, uint32_t blocks)
{
    struct cowarp_module *module;
    uint64_t din, dout, seed = x->seed;
    uint32_t expected = 0, sum = 0;
    for (uint32_t i = 0; i < n; i++)
        expected += in[i] = (uint32_t)host_random(&seed);
    int status = cowarp_load_file(x->gpu, &module, x->ptx_path);
    if (status == 0)
        status = host_upload(x->gpu, &din, in, (uint64_t)n * sizeof *in);
    if (status == 0)
        status = host_upload(x->gpu, &dout, NULL, (uint64_t)blocks * sizeof *out);
    if (status != 0)
        return status;
    const uint32_t threads = (uint32_t)x->param[THREADS];
    const struct cowarp_arg args[] = {COWARP_U64(din), COWARP_U64(dout), COWARP_U32(n), COWARP_LOCAL(threads * sizeof(uint32_t))};
    status = host_launch(x->gpu, module, "reduction", blocks, threads, 4, args);
    if (status == 0)
        status = cowarp_read(x->gpu, out, dout, (uint64_t)blocks * sizeof *out);
    if (status != 0)
        return status;
    for (uint32_t i = 0; i < blocks; i++)
        sum += out[i];
    snprintf(x->message, sizeof x->message, "the sum of %u integers is %#x, expected %#x", n, sum, expected);
    return sum == expected ? 0 : COWARP_ECHECK;
}

static int run(struct cowarp_workload_context *x)
{
    const uint32_t n = (uint32_t)x->param[N], blocks = (uint32_t)x->param[BLOCKS];
    if ((x->param[THREADS] & (x->param[THREADS] - 1)) != 0) {
        snprintf(x->message, sizeof x->message, "threads must be a power of two");
        return COWARP_EINVAL;
    }
    uint32_t *in = malloc(n * sizeof *in), *out = malloc(blocks * sizeof *out);
    int status = in != NULL && out != NULL ? run_with(x, in, out, n, blocks) : COWARP_ENOMEM;
    free(in);
    free(out);
    return status;
}

const struct cowarp_workload cowarp_workload_reduction = {
    .name = "reduction",
    .folder = "reduction",
    .what = "sum of integers, tree in shared memory",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
