/* SPDX-License-Identifier: Apache-2.0 */
/* mgst: floats are sorted by buckets and merging, in seven kernels. The check sorts them with the C library. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../session.h"

enum { N };
static const struct cowarp_workload_param params[] = {
    [N] = {"n", 60000, 1, 1 << 24, "numbers"},
};

#define BINS      1024u
#define BUCKETS   128u
#define PER_BLOCK 2048u /* numbers that a block of `choose` goes over */

struct sorting {
    uint32_t n, blocks, room;
    float *in, *got, *expected, *padded;
    float limits[BUCKETS];
    uint32_t sizes[BUCKETS], start[BUCKETS + 1];            /* of a bucket: numbers, and where they begin in the result */
    uint32_t first[BUCKETS + 1], first_number[BUCKETS + 1]; /* where it begins in the padded array, in vectors of four and in numbers */
    uint64_t d_in, d_bucket, d_place, d_counts, d_padded, d_other, d_first;
};

static int by_value(const void *left, const void *right)
{
    const float a = *(const float *)left, b = *(const float *)right;
    return a < b ? -1 : a > b;
}

/* Twice as many small numbers as large ones, and many equal ones. */
static void make_numbers(struct session *s, struct sorting *p)
{
    p->room = (p->n + 4 * BUCKETS + 3) / 4 * 4;
    p->blocks = (p->n + PER_BLOCK - 1) / PER_BLOCK;
    p->in = session_array(s, p->n, sizeof *p->in);
    p->got = session_array(s, p->n, sizeof *p->got);
    p->expected = session_array(s, p->n, sizeof *p->expected);
    p->padded = session_array(s, p->room, sizeof *p->padded);
    if (s->status != 0)
        return;
    for (uint32_t i = 0; i < p->n; i++) {
        const float a = session_unit(s), b = session_unit(s);
        p->in[i] = session_below(s, 8) == 0 ? floorf(16.0f * a) / 16.0f : a * b;
    }
    for (uint32_t i = 0; i < p->room; i++)
        p->padded[i] = INFINITY;
    memcpy(p->expected, p->in, p->n * sizeof *p->in);
    qsort(p->expected, p->n, sizeof *p->expected, by_value);
}

/* The limits of buckets of about equal size. Inside a bin numbers are taken as evenly spread. */
static void choose_limits(struct session *s, struct sorting *p)
{
    uint32_t bins[BINS] = {0}, bin = 0;
    const uint64_t d_bins = session_upload(s, NULL, sizeof bins);
    session_launch(s, "histogram", 30, 96, COWARP_U64(p->d_in), COWARP_U32(p->n), COWARP_F32(0.0f), COWARP_F32((float)BINS),
                   COWARP_U64(d_bins));
    session_read(s, bins, d_bins, sizeof bins);
    double below = 0;
    for (uint32_t b = 0; b < BUCKETS; b++) {
        const double wanted = (double)p->n * (b + 1) / BUCKETS;
        while (bin < BINS - 1 && below + bins[bin] < wanted)
            below += bins[bin++];
        const double part = bins[bin] > 0 ? fmin((wanted - below) / bins[bin], 1) : 0;
        p->limits[b] = (float)((bin + part) / BINS);
    }
}

static void fill_buckets(struct session *s, struct sorting *p)
{
    const uint64_t d_limits = session_upload(s, p->limits, sizeof p->limits), d_sizes = session_upload(s, NULL, sizeof p->sizes);
    session_launch(s, "choose", p->blocks, 32, COWARP_U64(p->d_in), COWARP_U32(p->n), COWARP_U64(d_limits), COWARP_U32(PER_BLOCK),
                   COWARP_U64(p->d_bucket), COWARP_U64(p->d_place), COWARP_U64(p->d_counts));
    session_launch(s, "add_up", BUCKETS / 32, 32, COWARP_U64(p->d_counts), COWARP_U32(p->blocks), COWARP_U64(d_sizes));
    session_read(s, p->sizes, d_sizes, sizeof p->sizes);
    for (uint32_t b = 0; s->status == 0 && b < BUCKETS; b++) {
        p->start[b + 1] = p->start[b] + p->sizes[b];
        p->first[b + 1] = p->first[b] + (p->sizes[b] + 3) / 4;
        p->first_number[b + 1] = 4 * p->first[b + 1];
    }
    if (p->start[BUCKETS] != p->n)
        session_fail(s, COWARP_ECHECK, "the buckets hold %u numbers, expected %u", p->start[BUCKETS], p->n);
    session_write(s, p->d_first, p->first_number, sizeof p->first_number);
    session_launch(s, "scatter", (p->n + 127) / 128, 128, COWARP_U64(p->d_in), COWARP_U32(p->n), COWARP_U32(PER_BLOCK),
                   COWARP_U64(p->d_bucket), COWARP_U64(p->d_place), COWARP_U64(p->d_counts), COWARP_U64(p->d_first),
                   COWARP_U64(p->d_padded));
}

static void merge_buckets(struct session *s, struct sorting *p)
{
    uint32_t longest = 0;
    for (uint32_t b = 0; b < BUCKETS; b++)
        longest = p->first[b + 1] - p->first[b] > longest ? p->first[b + 1] - p->first[b] : longest;
    session_write(s, p->d_first, p->first, sizeof p->first);
    session_launch(s, "sort_fours", (p->room / 4 + 127) / 128, 128, COWARP_U64(p->d_padded), COWARP_U32(p->room / 4));
    for (uint32_t run = 1; run < longest; run *= 2) {
        const uint32_t per_bucket = (longest + 2 * run - 1) / (2 * run), threads = run < 8 ? 256 : 208;
        session_launch(s, "merge", (BUCKETS * per_bucket + threads - 1) / threads, threads, COWARP_U64(p->d_padded), COWARP_U64(p->d_other),
                       COWARP_U64(p->d_first), COWARP_U32(run), COWARP_U32(per_bucket));
        const uint64_t swap = p->d_padded;
        p->d_padded = p->d_other;
        p->d_other = swap;
    }
}

static void sort_on_gpu(struct session *s, struct sorting *p)
{
    const uint64_t bytes = (uint64_t)p->n * sizeof *p->in;
    p->d_in = session_upload(s, p->in, bytes);
    p->d_bucket = session_upload(s, NULL, bytes);
    p->d_place = session_upload(s, NULL, bytes);
    p->d_counts = session_upload(s, NULL, (uint64_t)p->blocks * BUCKETS * sizeof(uint32_t));
    p->d_padded = session_upload(s, p->padded, (uint64_t)p->room * sizeof *p->padded);
    p->d_other = session_upload(s, NULL, (uint64_t)p->room * sizeof *p->padded);
    p->d_first = session_upload(s, NULL, sizeof p->first);
    choose_limits(s, p);
    fill_buckets(s, p);
    merge_buckets(s, p);
    const uint64_t d_start = session_upload(s, p->start, sizeof p->start), d_out = session_upload(s, NULL, bytes);
    session_launch(s, "pack", BUCKETS, 256, COWARP_U64(p->d_padded), COWARP_U64(p->d_first), COWARP_U64(d_start), COWARP_U64(d_out));
    session_read(s, p->got, d_out, bytes);
}

static int run(struct cowarp_workload_context *x)
{
    struct session s;
    struct sorting p = {.n = (uint32_t)x->param[N]};
    session_open(&s, x);
    make_numbers(&s, &p);
    if (s.status == 0) {
        sort_on_gpu(&s, &p);
        session_compare_f32(&s, "number", p.got, p.expected, p.n);
        session_passed(&s, "%u numbers are in order, and they are those of the input", p.n);
    }
    return session_close(&s);
}

const struct cowarp_workload cowarp_workload_mgst = {
    .name = "mgst",
    .folder = "mgst",
    .what = "sorting by buckets and merging, seven kernels (coherent; Fung 2015, Table 3.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
