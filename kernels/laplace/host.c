/* SPDX-License-Identifier: Apache-2.0 */
/* laplace: one Jacobi step of the 3-D Laplace equation, checked value by value against the same arithmetic on the host. */
#include <stdio.h>
#include <stdlib.h>

#include "../host.h"

enum { SIZE };
static const struct cowarp_workload_param params[] = {
    [SIZE] = {"n", 100, 4, 512, "grid points per dimension"},
};

#define BX 32u
#define BY 4u

static float expected(const float *in, uint32_t n, uint32_t x, uint32_t y, uint32_t z)
{
    const size_t i = x + (size_t)n * y + (size_t)n * n * z;
    if (x == 0 || y == 0 || z == 0 || x == n - 1 || y == n - 1 || z == n - 1)
        return in[i];
    float sum = in[i - 1] + in[i + 1];
    sum += in[i - n];
    sum += in[i + n];
    sum += in[i - (size_t)n * n];
    sum += in[i + (size_t)n * n];
    return (1.0f / 6.0f) * sum;
}

static int check(struct cowarp_workload_context *x, const float *in, const float *out, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t j = 0; j < n; j++)
            for (uint32_t i = 0; i < n; i++) {
                const float want = expected(in, n, i, j, k), got = out[i + (size_t)n * j + (size_t)n * n * k];
                if (got != want) {
                    snprintf(x->message, sizeof x->message, "point (%u, %u, %u) is %.9g, expected %.9g", i, j, k, (double)got,
                             (double)want);
                    return COWARP_ECHECK;
                }
            }
    snprintf(x->message, sizeof x->message, "%u^3 points are right to the last bit", n);
    return 0;
}

static int run_with(struct cowarp_workload_context *x, float *in, float *out, uint32_t n)
{
    struct cowarp_module *module;
    uint64_t din, dout, seed = x->seed;
    const uint64_t points = (uint64_t)n * n * n;
    for (uint64_t i = 0; i < points; i++)
        in[i] = (float)(host_random(&seed) % 1000) / 13.0f;
    int status = cowarp_load_file(x->gpu, &module, x->ptx_path);
    if (status == 0)
        status = host_upload(x->gpu, &din, in, points * sizeof *in);
    if (status == 0)
        status = host_upload(x->gpu, &dout, NULL, points * sizeof *out);
    if (status != 0)
        return status;
    const struct cowarp_arg args[] = {COWARP_U64(din), COWARP_U64(dout), COWARP_S32((int32_t)n)};
    const struct cowarp_launch launch = {.size = sizeof launch,
                                         .kernel = "laplace",
                                         .grid = {(n + BX - 1) / BX, (n + BY - 1) / BY, 1},
                                         .block = {BX, BY, 1},
                                         .arg_count = 3,
                                         .args = args};
    status = cowarp_run(x->gpu, module, &launch);
    if (status == 0)
        status = cowarp_read(x->gpu, out, dout, points * sizeof *out);
    return status == 0 ? check(x, in, out, n) : status;
}

static int run(struct cowarp_workload_context *x)
{
    const uint32_t n = (uint32_t)x->param[SIZE];
    const size_t bytes = (size_t)n * n * n * sizeof(float);
    float *in = malloc(bytes), *out = malloc(bytes);
    int status = in != NULL && out != NULL ? run_with(x, in, out, n) : COWARP_ENOMEM;
    free(in);
    free(out);
    return status;
}

const struct cowarp_workload cowarp_workload_laplace = {
    .name = "laplace",
    .folder = "laplace",
    .what = "3-D Laplace stencil (the shape of ISPASS-2009 LPS)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};

const struct cowarp_workload cowarp_workload_lps = {
    .name = "lps",
    .folder = "laplace",
    .what = "laplace under its name in Fung 2015, Table 3.1 (divergent)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
