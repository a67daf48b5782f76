/* SPDX-License-Identifier: Apache-2.0 */
/* red: sums of integers whose partial sums persist, and which go on after a crash where they were. */
#include <stdio.h>

#include "../session.h"

#define MADE    0x80000000u /* beside a sum that has been made */
#define THREADS 512u

enum { N, LAUNCHES, BLOCKS, SCOPE, BUG, FORM };
static const struct cowarp_workload_param params[] = {
    [N] = {"n", 262144, 1, 1 << 20, "integers per launch"},
    [LAUNCHES] = {"launches", 16, 1, 64, "launches, each with integers of its own"},
    [BLOCKS] = {"blocks", 60, 1, 1024, "thread blocks of 512 threads"},
    [SCOPE] = {"scope", 0, 0, 2, "of releases and acquires inside a block: 0 block, 1 device, 2 none"},
    [BUG] = {"bug", 0, 0, 1, "1: the sum of a block is released to the block alone (SBRP 5.3)"},
    [FORM] = {"form", 0, 0, 1, "0: SBRP's Figure 3; 1: its authors' program, where all threads of a block release at its end"},
};

struct sums {
    struct session s;
    uint32_t n, launches, blocks, outs; /* outs: words of `out` in a launch */
    uint64_t partial, out, total;       /* persistent memory: of one launch after the other */
    uint32_t *in;
    uint64_t device;   /* of the integers */
    uint64_t finished; /* blocks of each launch */
    const char *kernel;
};

/* The sum of 2^20 integers below 2048 leaves MADE free. */
static void open_sums(struct sums *r, struct cowarp_workload_context *x)
{
    static const char *const kernels[2][3] = {{"red_block", "red_device", "red_none"},
                                              {"red_authors_block", "red_authors_device", "red_authors_none"}};
    *r = (struct sums){.n = (uint32_t)x->param[N],
                       .launches = (uint32_t)x->param[LAUNCHES],
                       .blocks = (uint32_t)x->param[BLOCKS],
                       .outs = (uint32_t)x->param[BLOCKS] << x->param[FORM],
                       .kernel = x->param[BUG] != 0 ? "red_bug" : kernels[x->param[FORM]][x->param[SCOPE]]};
    session_open(&r->s, x);
    if (x->param[BUG] != 0 && (x->param[FORM] | x->param[SCOPE]) != 0)
        session_fail(&r->s, COWARP_EINVAL, "bug=1 is of form=0 and scope=0; leave these out");
    const uint64_t all = (uint64_t)r->n * r->launches;
    r->in = session_array(&r->s, all, sizeof *r->in);
    for (uint64_t i = 0; r->s.status == 0 && i < all; i++)
        r->in[i] = session_below(&r->s, 2048);
}

/* Partial sums of a launch: of the blocks, and of the sum of all blocks. */
static uint64_t partials_of(const struct sums *r)
{
    return (r->blocks + UINT64_C(1)) * THREADS;
}

static void regions(struct sums *r, uint64_t (*region)(struct session *s, const char *name, uint64_t bytes))
{
    r->partial = region(&r->s, "red.partial", r->launches * partials_of(r) * 4);
    r->out = region(&r->s, "red.out", (uint64_t)r->launches * r->outs * 4);
    r->total = region(&r->s, "red.total", r->launches * UINT64_C(4));
}

static void upload(struct sums *r)
{
    r->device = session_upload(&r->s, r->in, 4 * (uint64_t)r->n * r->launches);
    r->finished = session_upload(&r->s, NULL, 4 * (uint64_t)r->launches);
}

static void reduce(struct sums *r, uint32_t launch, uint32_t resume)
{
    session_launch(&r->s, r->kernel, r->blocks, THREADS, COWARP_U64(r->device + 4 * (uint64_t)launch * r->n),
                   COWARP_U64(r->partial + 4 * launch * partials_of(r)), COWARP_U64(r->out + 4 * (uint64_t)launch * r->outs),
                   COWARP_U64(r->total + 4 * (uint64_t)launch), COWARP_U64(r->finished + 4 * (uint64_t)launch), COWARP_U32(r->n),
                   COWARP_U32(resume));
}

/* Threads with equal numbers below this power of two give theirs to the thread. */
static uint32_t stride_of(uint32_t thread)
{
    uint32_t stride = 1;
    while (stride <= thread)
        stride *= 2;
    return stride;
}

/* What a thread has added up when it hands its sum on: its own integers, and those of the threads that are above it by a step of the tree. */
static uint32_t sum_of(const struct sums *r, uint32_t launch, uint32_t block, uint32_t thread)
{
    const uint32_t *in = r->in + (uint64_t)launch * r->n;
    uint32_t sum = 0;
    for (uint32_t t = thread; t < THREADS; t += stride_of(thread))
        for (uint64_t i = UINT64_C(2) * block * THREADS + t; i < r->n; i += UINT64_C(2) * r->blocks * THREADS)
            sum += in[i] + (i + THREADS < r->n ? in[i + THREADS] : 0);
    return sum | MADE;
}

/* The same of the sum of all blocks. */
static uint32_t sum_of_blocks(const struct sums *r, uint32_t launch, uint32_t thread)
{
    uint32_t sum = 0;
    for (uint32_t t = thread; t < THREADS; t += stride_of(thread))
        for (uint32_t b = t; b < r->blocks; b += THREADS)
            sum += sum_of(r, launch, b, 0) & ~MADE;
    return sum | MADE;
}

static void check_partial(struct sums *r, uint32_t launch, const char *of, uint32_t thread, uint32_t got, uint32_t expected, int lost)
{
    const int handed = r->outs != r->blocks && thread >= THREADS / 2; /* form=1 */
    if (got != expected && !(lost && handed && got == 0))
        session_fail(&r->s, COWARP_ECHECK, "launch %u, %s, thread %u: its sum is %#x, expected %#x%s", launch, of, thread, got, expected,
                     got == 0 ? "; but the total is there" : "");
}

/* A launch that has come to its end. lost: the sums of blocks may be missing: their writes are the releases themselves, and a release orders
 * what comes before it (SBRP Box 2). So may, with form=1, those of the upper half, which a barrier hands over. */
static void check_launch(struct sums *r, uint32_t launch, const uint32_t *partial, const uint32_t *out, uint32_t total, int lost)
{
    char of[32];
    for (uint32_t b = 0; r->s.status == 0 && b < r->blocks; b++) {
        snprintf(of, sizeof of, "block %u", b);
        for (uint32_t t = 1; r->s.status == 0 && t < THREADS; t++)
            check_partial(r, launch, of, t, partial[b * THREADS + t], sum_of(r, launch, b, t), lost);
        const uint32_t expected = sum_of(r, launch, b, 0);
        if (out[b] != expected && !(lost && out[b] == 0))
            session_fail(&r->s, COWARP_ECHECK, "launch %u, block %u: its sum is %#x, expected %#x", launch, b, out[b], expected);
    }
    for (uint32_t t = 1; r->s.status == 0 && t < THREADS; t++)
        check_partial(r, launch, "all blocks", t, partial[r->blocks * THREADS + t], sum_of_blocks(r, launch, t), lost);
    if (total != sum_of_blocks(r, launch, 0))
        session_fail(&r->s, COWARP_ECHECK, "launch %u: the total is %#x, expected %#x", launch, total, sum_of_blocks(r, launch, 0));
}

static void check_all(struct sums *r, int lost)
{
    const uint32_t outs = r->launches * r->outs;
    const uint64_t partials = r->launches * partials_of(r);
    uint32_t *partial = session_array(&r->s, partials, 4), *out = session_array(&r->s, outs, 4);
    uint32_t *total = session_array(&r->s, r->launches, 4);
    session_read(&r->s, partial, r->partial, partials * 4);
    session_read(&r->s, out, r->out, outs * UINT64_C(4));
    session_read(&r->s, total, r->total, r->launches * UINT64_C(4));
    for (uint32_t l = 0; r->s.status == 0 && l < r->launches; l++)
        check_launch(r, l, partial + l * partials_of(r), out + l * r->outs, total[l], lost);
    session_passed(&r->s, "%u sums of %u integers are right, and all partial sums", r->launches, r->n);
}

static int run(struct cowarp_workload_context *x)
{
    struct sums r;
    open_sums(&r, x);
    regions(&r, session_pm_new);
    upload(&r);
    session_phase(&r.s, "reduction");
    for (uint32_t l = 0; l < r.launches; l++)
        reduce(&r, l, 0);
    session_phase(&r.s, NULL);
    check_all(&r, 0);
    return session_close(&r.s);
}

/* A launch whose total is there needs nothing more. */
static int recover(struct cowarp_workload_context *x)
{
    struct sums r;
    uint32_t total = 0;
    open_sums(&r, x);
    regions(&r, session_pm_find);
    upload(&r);
    for (uint32_t l = 0; l < r.launches; l++) {
        session_read(&r.s, &total, r.total + 4 * (uint64_t)l, sizeof total);
        if (total == 0)
            reduce(&r, l, 1);
    }
    return session_close(&r.s);
}

static int verify(struct cowarp_workload_context *x)
{
    struct sums r;
    open_sums(&r, x);
    regions(&r, session_pm_find);
    check_all(&r, 1);
    return session_close(&r.s);
}

const struct cowarp_workload cowarp_workload_red = {
    .name = "red",
    .folder = "red",
    .what = "sums whose partial sums persist, and which resume by themselves (SBRP Figure 3)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
    .recover = recover,
    .verify = verify,
};
