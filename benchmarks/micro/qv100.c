/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The preset qv100 beside a Quadro V100: core cycles of whole programs, as Accel-Sim's authors have published them (Accel-Sim),
 * sums over their kernels. The kernels are our own (qv100.cl) with the patterns and sizes of the measured ones. Prints a Markdown table,
 * the mean error and the correlation; exit status 1 when a row leaves its band.
 *
 *     micro_qv100 BUILD/kernels/micro_qv100.ptx [--all] [preset [name=value ...]]
 *
 * Without --all, rows that take longer than a second are left out. No value of the preset is fitted to
 * these rows: it has the keys of Accel-Sim's configuration, and latencies of a TITAN V.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cowarp/cowarp.h"

#define KERNELS_MAX 2u
#define KEYS_MAX    32u
#define WITHIN      15u
#define L1_WORDS    (16384u + 512u)
#define L2_WORDS    (160u * 1024u + 2048u * 32u)
#define QUEUES \
    "an L2 slice has one queue for its replies to all cores, so the crossbar carries 61 percent of what it could; Accel-Sim's has, too"
#define STREAMS "streams reach 90 percent of the DRAM's peak, on the card 65; no refresh is modelled"
#define UNKNOWN "not explained"
#define APART   "warps drift apart: 12,350 sectors of the L2, not 8,255"

enum arguments { IN_OUT, IN_OUT_COUNT, OUT_ONLY, CHAIN_OUT, MATRIX };

/* in, out: words of the arrays. accelsim: what Accel-Sim gives with traces of the card's instructions. within: percent of the card's cycles;
 * why: a reason where that is more than WITHIN. */
static const struct row {
    const char *what;
    double card, accelsim;
    const char *kernel[KERNELS_MAX];
    enum arguments arguments;
    uint32_t blocks, threads, in, out, within;
    bool is_long;
    const char *why;
} rows[] = {
    {"MaxFlops", 73153, 79964, {"max_flops"}, IN_OUT, 1, 1024, 2048, 1024, WITHIN, false, ""},
    {"l1_bw_128", 578839, 551222, {"l1_bw_128"}, IN_OUT, 1, 1024, L1_WORDS, 1024, 20, false, UNKNOWN},
    {"l1_bw_32f", 62912, 45213, {"l1_bw_32"}, IN_OUT, 1, 1024, L1_WORDS, 1024, WITHIN, false, ""},
    {"l1_bw_32f_unroll", 74787, 99805, {"l1_bw_32_one"}, IN_OUT, 1, 1024, L1_WORDS, 1024, 20, false, UNKNOWN},
    {"l1_bw_32f_unroll_large", 237706, 222422, {"l1_bw_32_large"}, IN_OUT, 1, 1024, 1024 + 4096 * 32, 1024, 20, false, APART},
    {"l1_bw_64f", 44312, 42249, {"l1_bw_64"}, IN_OUT, 1, 1024, L1_WORDS, 2048, WITHIN, false, ""},
    {"l1_lat", 1177511, 1077603, {"l1_lat"}, IN_OUT, 1, 1, 8192, 2, WITHIN, false, ""},
    {"l1_shared_bw", 1271618, 818530, {"l1_shared_bw"}, CHAIN_OUT, 1, 1024, 16384, 1024, WITHIN, false, ""},
    {"l2_bw_32f", 786881, 1136368, {"l2_bw_32"}, IN_OUT, 160, 1024, L2_WORDS, 160 * 1024, 45, true, QUEUES},
    {"l2_bw_64f", 1542779, 2308577, {"l2_bw_64"}, IN_OUT, 160, 1024, 2 * L2_WORDS, 320 * 1024, 50, true, QUEUES},
    {"l2_lat", 7184780, 5754705, {"l2_lat"}, IN_OUT, 1, 1, 8192, 2, WITHIN, false, ""},
    {"mem_bw", 382172, 511648, {"mem_bw"}, IN_OUT, 160, 1024, 5 * 8388608, 8388608, WITHIN, true, ""},
    {"shared_bw", 4921086, 4767185, {"shared_bw"}, OUT_ONLY, 1, 1024, 0, 1024, WITHIN, false, ""},
    {"shared_lat", 70231, 78987, {"shared_lat"}, OUT_ONLY, 1, 32, 0, 2, WITHIN, false, ""},
    {"vectorAdd, 4,000,000", 96379, 78529, {"vector_add"}, IN_OUT_COUNT, 15625, 256, 8000000, 4000000, 30, true, STREAMS},
    {"vectorAdd, 6,000,000", 140162, 116190, {"vector_add"}, IN_OUT_COUNT, 23438, 256, 12000000, 6000000, 30, true, STREAMS},
    {"polybench-atax", 3322009, 2528432, {"rows", "columns"}, MATRIX, 16, 256, 4096 * 4096, 4096, WITHIN, true, ""},
    {"polybench-mvt", 3323426, 2518979, {"rows", "columns"}, MATRIX, 16, 256, 4096 * 4096, 4096, WITHIN, true, ""},
};

/* A loop of shared_bw stores nothing for five million cycles. */
static const char *preset = "qv100", *settings[KEYS_MAX + 2] = {"watchdog.livelock_cycles=10000000"};

static void die(const struct cowarp_gpu *gpu)
{
    fprintf(stderr, "micro_qv100: %s\n", cowarp_error(gpu));
    exit(1);
}

/* The text of a file, with a zero behind it. */
static char *text_of(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = malloc(1u << 20);
    const size_t n = f != NULL && text != NULL ? fread(text, 1, (1u << 20) - 1, f) : 0;
    if (n == 0) {
        fprintf(stderr, "micro_qv100: cannot read %s; build the target micro_qv100 first\n", path);
        exit(2);
    }
    fclose(f);
    text[n] = '\0';
    return text;
}

struct data {
    uint64_t in, out, vector;
};

/* The host fills the input, as in the measured programs: with zeros, but for the chain of l1_shared_bw, of which they write 1,024 words. */
static void prepare(struct cowarp_gpu *gpu, const struct row *r, struct data *d)
{
    uint32_t *words = calloc(r->in + 1u, 4);
    if (words == NULL || cowarp_alloc(gpu, &d->out, 4ull * r->out) != 0 || (r->in != 0 && cowarp_alloc(gpu, &d->in, 4ull * r->in) != 0) ||
        (r->arguments == MATRIX && cowarp_alloc(gpu, &d->vector, 4ull * r->out) != 0))
        die(gpu);
    for (uint32_t i = 0; r->arguments == CHAIN_OUT && i < 1024; i++)
        words[i] = i + 1025;
    if (r->in != 0 && cowarp_write(gpu, d->in, words, 4ull * r->in) != 0)
        die(gpu);
    free(words);
}

/* Core cycles of all kernels of the row. */
static double cycles(const struct row *r, const char *text)
{
    struct cowarp_gpu *gpu;
    struct cowarp_module *module;
    struct cowarp_options options;
    struct data d = {0};
    cowarp_options_init(&options);
    options.preset = preset;
    options.settings = settings;
    if (cowarp_create(&gpu, &options) != 0 || cowarp_load(gpu, &module, text, strlen(text), "qv100.ptx") != 0)
        die(gpu);
    prepare(gpu, r, &d);
    const struct cowarp_arg in_out[] = {COWARP_U64(d.in), COWARP_U64(d.out), COWARP_U32(r->out)}, out[] = {COWARP_U64(d.out)},
                            matrix[] = {COWARP_U64(d.in), COWARP_U64(d.vector), COWARP_U64(d.out)};
    const uint64_t before = cowarp_cycles(gpu);
    for (uint32_t k = 0; k < KERNELS_MAX && r->kernel[k] != NULL; k++) {
        const struct cowarp_launch l = {.size = sizeof l,
                                        .kernel = r->kernel[k],
                                        .grid = {r->blocks, 1, 1},
                                        .block = {r->threads, 1, 1},
                                        .arg_count = r->arguments == OUT_ONLY                              ? 1
                                                     : r->arguments == IN_OUT || r->arguments == CHAIN_OUT ? 2
                                                                                                           : 3,
                                        .args = r->arguments == OUT_ONLY ? out
                                                : r->arguments == MATRIX ? matrix
                                                                         : in_out};
        if (cowarp_run(gpu, module, &l) != 0)
            die(gpu);
    }
    const double all = (double)(cowarp_cycles(gpu) - before);
    cowarp_destroy(gpu);
    return all;
}

/* Sums over rows: of errors in percent, of Accel-Sim's, and of logarithms for the correlation. */
struct sums {
    double n, error, accelsim, x, y, xx, yy, xy;
};

static void add(struct sums *s, const struct row *r, double found)
{
    const double x = log(r->card), y = log(found);
    s->n++;
    s->error += fabs(found / r->card - 1) * 100;
    s->accelsim += fabs(r->accelsim / r->card - 1) * 100;
    s->x += x;
    s->y += y;
    s->xx += x * x;
    s->yy += y * y;
    s->xy += x * y;
}

int main(int argc, char **argv)
{
    const bool all = argc > 2 && strcmp(argv[2], "--all") == 0;
    const int at = all ? 3 : 2;
    uint32_t bad = 0;
    struct sums s = {0};
    if (argc < 2) {
        fprintf(stderr, "usage: micro_qv100 BUILD/kernels/micro_qv100.ptx [--all] [preset [name=value ...]]\n");
        return 2;
    }
    char *text = text_of(argv[1]);
    preset = argc > at ? argv[at] : preset;
    for (int i = at + 1; i < argc && i - at <= (int)KEYS_MAX; i++)
        settings[i - at] = argv[i];
    printf("| program | card | Accel-Sim | measured | ratio | |\n|---|---:|---:|---:|---:|---|\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *r = &rows[i];
        if (r->is_long && !all)
            continue;
        const double found = cycles(r, text), ratio = found / r->card;
        const bool out = fabs(ratio - 1) * 100 > r->within;
        printf("| %s | %.0f | %.0f | %.0f | %.2f | %s%s |\n", r->what, r->card, r->accelsim, found, ratio, out ? "**outside** " : "",
               r->why);
        fflush(stdout);
        add(&s, r, found);
        bad += out;
    }
    const double r = (s.n * s.xy - s.x * s.y) / sqrt((s.n * s.xx - s.x * s.x) * (s.n * s.yy - s.y * s.y));
    printf("\n%.0f rows: mean error %.1f percent (Accel-Sim %.1f), correlation of logarithms %.3f\n", s.n, s.error / s.n, s.accelsim / s.n,
           r);
    free(text);
    return bad == 0 ? 0 : 1;
}
