/* SPDX-License-Identifier: Apache-2.0 */
/* vecadd: c = a + b. Streams three arrays; bound by DRAM bandwidth. */
#include <stdio.h>
#include <stdlib.h>

#include "../host.h"

enum { N, THREADS };
static const struct cowarp_workload_param params[] = {
    [N] = {"n", 65536, 1, 1 << 26, "elements"},
    [THREADS] = {"threads", 256, 32, 1024, "threads per block"},
};

static int check(struct cowarp_workload_context *x, const float *a, const float *b, const float *c, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (c[i] != a[i] + b[i]) {
            snprintf(x->message, sizeof x->message, "c[%u] is %g, not %g", i, (double)c[i], (double)(a[i] + b[i]));
            return COWARP_ECHECK;
        }
    snprintf(x->message, sizeof x->message, "%u sums are right", n);
    return 0;
}

static int run_with(struct cowarp_workload_context *x, float *a, float *b, float *c, uint32_t n)
{
    struct cowarp_module *module;
    uint64_t da, db, dc, seed = x->seed;
    const uint64_t bytes = (uint64_t)n * sizeof *a;
    for (uint32_t i = 0; i < n; i++) {
        a[i] = (float)(host_random(&seed) % 100000) / 7.0f;
        b[i] = (float)(host_random(&seed) % 100000) / 3.0f;
    }
    int status = cowarp_load_file(x->gpu, &module, x->ptx_path);
    if (status == 0)
        status = host_upload(x->gpu, &da, a, bytes);
    if (status == 0)
        status = host_upload(x->gpu, &db, b, bytes);
    if (status == 0)
        status = host_upload(x->gpu, &dc, NULL, bytes);
    if (status != 0)
        return status;
    const uint32_t threads = (uint32_t)x->param[THREADS];
    const struct cowarp_arg args[] = {COWARP_U64(da), COWARP_U64(db), COWARP_U64(dc), COWARP_U32(n)};
    status = host_launch(x->gpu, module, "vecadd", (n + threads - 1) / threads, threads, 4, args);
    if (status == 0)
        status = cowarp_read(x->gpu, c, dc, bytes);
    return status == 0 ? check(x, a, b, c, n) : status;
}

static int run(struct cowarp_workload_context *x)
{
    const uint32_t n = (uint32_t)x->param[N];
    float *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c);
    int status = a != NULL && b != NULL && c != NULL ? run_with(x, a, b, c, n) : COWARP_ENOMEM;
    free(a);
    free(b);
    free(c);
    return status;
}

const struct cowarp_workload cowarp_workload_vecadd = {
    .name = "vecadd",
    .folder = "vecadd",
    .what = "vector addition, one element per thread",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
