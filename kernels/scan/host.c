/* SPDX-License-Identifier: Apache-2.0 */
/* scan: prefix sums of many arrays, which go on after a crash at the step where they were. */
#include "../session.h"

#define THREADS  128u
#define LENGTH   (4 * THREADS) /* of an array */
#define BUFFERS  2u
#define STEPS    7u
#define SUM_BITS 24 /* of a word; the step is above them */

enum { ARRAYS, SCOPE };
static const struct cowarp_workload_param params[] = {
    [ARRAYS] = {"arrays", 240, 1, 65535, "arrays of 512 integers, each with a thread block"},
    [SCOPE] = {"scope", 0, 0, 2, "of releases and acquires: 0 block, 1 device, 2 none"},
};

struct arrays {
    struct session s;
    uint32_t arrays, n;
    uint64_t words, locks, used; /* persistent memory */
    uint32_t *in;
    uint64_t device, out; /* of the integers, and of their prefix sums */
};

/* A sum has 24 bits of the kernel's words; that of 512 integers below 1000 has 19. */
static void open_arrays(struct arrays *a, struct cowarp_workload_context *x)
{
    *a = (struct arrays){.arrays = (uint32_t)x->param[ARRAYS], .n = (uint32_t)x->param[ARRAYS] * LENGTH};
    session_open(&a->s, x);
    a->in = session_array(&a->s, a->n, sizeof *a->in);
    for (uint32_t i = 0; a->s.status == 0 && i < a->n; i++)
        a->in[i] = session_below(&a->s, 1000);
}

static void regions(struct arrays *a, uint64_t (*region)(struct session *s, const char *name, uint64_t bytes))
{
    const uint64_t threads = (uint64_t)a->arrays * THREADS;
    a->words = region(&a->s, "scan.words", threads * BUFFERS * 4);
    a->locks = region(&a->s, "scan.locks", threads);
    a->used = region(&a->s, "scan.used", threads * BUFFERS);
}

static void scan(struct arrays *a)
{
    static const char *const kernels[] = {"scan_block", "scan_device", "scan_none"};
    a->device = session_upload(&a->s, a->in, a->n * UINT64_C(4));
    a->out = session_upload(&a->s, NULL, a->n * UINT64_C(4));
    session_launch(&a->s, kernels[a->s.x->param[SCOPE]], a->arrays, THREADS, COWARP_U64(a->device), COWARP_U64(a->words),
                   COWARP_U64(a->locks), COWARP_U64(a->used), COWARP_U64(a->out));
}

/* The last step's sums, which are what a crash leaves: of the integers up to the thread's last one. */
static void check_words(struct arrays *a)
{
    const uint32_t threads = a->arrays * THREADS;
    uint32_t *words = session_array(&a->s, (uint64_t)threads * BUFFERS, sizeof *words);
    uint32_t *got = session_array(&a->s, threads, sizeof *got), *expected = session_array(&a->s, threads, sizeof *expected);
    session_read(&a->s, words, a->words, (uint64_t)threads * BUFFERS * 4);
    uint32_t sum = 0;
    for (uint32_t i = 0; a->s.status == 0 && i < a->n; i++) {
        const uint32_t thread = i / 4;
        sum = (i % LENGTH == 0 ? 0 : sum) + a->in[i];
        got[thread] = words[thread / THREADS * BUFFERS * THREADS + STEPS % BUFFERS * THREADS + thread % THREADS];
        expected[thread] = (STEPS + 1) << SUM_BITS | sum;
    }
    session_compare_u32(&a->s, "sum after the last step", got, expected, threads);
    session_passed(&a->s, "%u sums of %u arrays are right", threads, a->arrays);
}

static void check_out(struct arrays *a)
{
    uint32_t *out = session_array(&a->s, a->n, sizeof *out), *expected = session_array(&a->s, a->n, sizeof *expected);
    session_read(&a->s, out, a->out, a->n * UINT64_C(4));
    for (uint32_t i = 0; a->s.status == 0 && i < a->n; i++)
        expected[i] = (i % LENGTH == 0 ? 0 : expected[i - 1]) + a->in[i];
    session_compare_u32(&a->s, "prefix sum", out, expected, a->n);
    session_passed(&a->s, "%u prefix sums in %u arrays are right", a->n, a->arrays);
}

static int run(struct cowarp_workload_context *x)
{
    struct arrays a;
    open_arrays(&a, x);
    regions(&a, session_pm_new);
    session_phase(&a.s, "scan");
    scan(&a);
    session_phase(&a.s, NULL);
    check_words(&a);
    check_out(&a);
    return session_close(&a.s);
}

static int recover(struct cowarp_workload_context *x)
{
    struct arrays a;
    open_arrays(&a, x);
    regions(&a, session_pm_find);
    scan(&a);
    return session_close(&a.s);
}

static int verify(struct cowarp_workload_context *x)
{
    struct arrays a;
    open_arrays(&a, x);
    regions(&a, session_pm_find);
    check_words(&a);
    return session_close(&a.s);
}

const struct cowarp_workload cowarp_workload_scan = {
    .name = "scan",
    .folder = "scan",
    .what = "prefix sums whose steps persist, and which resume by themselves (SBRP 7.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
    .recover = recover,
    .verify = verify,
};
