/* SPDX-License-Identifier: Apache-2.0 */
/* wsreduce: sums of the odd and of the even values of each warp, without barriers. The check adds them up one by one. */
#include "../session.h"

enum { BLOCKS };
static const struct cowarp_workload_param params[] = {
    [BLOCKS] = {"blocks", 600, 1, 1 << 20, "blocks of 128 threads"},
};

#define THREADS 128u
#define LANES   32u

static int run(struct cowarp_workload_context *x)
{
    struct session s;
    const uint32_t n = (uint32_t)x->param[BLOCKS] * THREADS, sum_cnt = 2 * (n / LANES);
    session_open(&s, x);
    uint32_t *const in = session_array(&s, n, sizeof *in);
    uint32_t *const got = session_array(&s, sum_cnt, sizeof *got), *const expected = session_array(&s, sum_cnt, sizeof *expected);
    if (s.status == 0) {
        for (uint32_t i = 0; i < n; i++) {
            in[i] = (uint32_t)host_random(&s.random);
            expected[2 * (i / LANES) + (in[i] % 2 == 0)] += in[i];
        }
        const uint64_t values = session_upload(&s, in, n * sizeof *in), sums = session_upload(&s, NULL, sum_cnt * sizeof *got);
        session_launch(&s, "warp_sums", n / THREADS, THREADS, COWARP_U64(values), COWARP_U64(sums));
        session_read(&s, got, sums, sum_cnt * sizeof *got);
        session_compare_u32(&s, "sum", got, expected, sum_cnt);
        session_passed(&s, "%u sums of odd and of even values are right", sum_cnt);
    }
    return session_close(&s);
}

const struct cowarp_workload cowarp_workload_wsreduce = {
    .name = "wsreduce",
    .folder = "wsreduce",
    .what = "trees without barriers: right only where static warps run in lockstep",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
