/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Microbenchmarks of persistent memory on the presets sbrp-near and sbrp-far: how long a read and a persist take, and what one core and all
 * cores read and persist. Prints a Markdown table; exit status 1 when a row leaves its band.
 *
 *     micro_pm [PTX]
 *
 * What is expected: a read takes pm.latency more than a hit in the L2, on far memory also two passages of the link. A persist is durable
 * when the write-pending queue has it, so a near one takes as long as a hit in the L2, a far one two passages of the link more. All cores
 * together are bound by the device or the link. One core is bound by what it may have on its way: a load per slot of its load instructions,
 * or the window of sbrp's persist buffer; by Little's law its bandwidth is that number of bytes by the time of one.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cowarp/cowarp.h"

#define LINE 128u
/* A step of all threads is no whole number of partition.interleave, so that the stores of a warp visit all partitions. With 512 threads a
 * warp stays at one, and stores that wait for it hold up those behind them: near persists of all cores then reach 23 GB/s. */
#define THREADS 416u
#define STEPS   256u

struct machine {
    const char *ptx, *persistency;
    bool far; /* sbrp-far, or sbrp-near */
};

/* Kernels that all threads run, and how many of the arguments (array, words, rounds) each takes. */
struct kernel {
    const char *name;
    uint32_t args;
};
static const struct kernel reader = {"stream", 3}, past = {"persist_past", 2}, kept_writer = {"persist_kept", 2};

struct bench {
    struct cowarp_gpu *gpu;
    struct cowarp_module *module;
};

static void must(const struct bench *b, int status)
{
    if (status == 0)
        return;
    fprintf(stderr, "micro_pm: %s\n", cowarp_error(b->gpu));
    exit(1);
}

/* A fresh GPU for each measurement: cold caches, and time from zero. */
static struct bench start(const struct machine *m)
{
    struct bench b = {0};
    struct cowarp_options options;
    cowarp_options_init(&options);
    options.preset = m->far ? "sbrp-far" : "sbrp-near";
    options.persistency = m->persistency;
    must(&b, cowarp_create(&b.gpu, &options));
    must(&b, cowarp_load_file(b.gpu, &b.module, m->ptx));
    return b;
}

static uint64_t persistent(const struct bench *b, uint64_t bytes)
{
    uint64_t at = 0;
    must(b, cowarp_pm_alloc(b->gpu, &at, "micro", bytes));
    return at;
}

static void run(const struct bench *b, const char *kernel, uint32_t blocks, uint32_t threads, uint32_t n, const struct cowarp_arg *args)
{
    const struct cowarp_launch launch = {
        .size = sizeof launch, .kernel = kernel, .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .arg_count = n, .args = args};
    must(b, cowarp_run(b->gpu, b->module, &launch));
}

static double key(const struct machine *m, const char *name)
{
    const struct bench b = start(m);
    uint32_t value = 0;
    must(&b, cowarp_config_value(b.gpu, name, &value));
    cowarp_destroy(b.gpu);
    return value;
}

/* ---- latency, in core cycles ---- */

/* One thread runs a kernel that counts its own cycles, over STEPS lines; of the second of two runs when warm. */
static double one_thread(const struct machine *m, const char *kernel, int warm)
{
    const struct bench b = start(m);
    const uint64_t base = persistent(&b, STEPS * LINE);
    uint64_t out, cycles = 0, *next = calloc(STEPS * LINE, 1);
    if (next == NULL)
        exit(1);
    must(&b, cowarp_alloc(b.gpu, &out, sizeof cycles));
    for (uint32_t i = 0; i < STEPS; i++)
        next[i * LINE / 8] = base + (i + 1) % STEPS * (uint64_t)LINE;
    must(&b, cowarp_write(b.gpu, base, next, STEPS * LINE));
    const struct cowarp_arg args[] = {COWARP_U64(base), COWARP_U32(STEPS), COWARP_U64(out)};
    for (int i = 0; i <= warm; i++)
        run(&b, kernel, 1, 1, 3, args);
    must(&b, cowarp_read(b.gpu, &cycles, out, sizeof cycles));
    cowarp_destroy(b.gpu);
    free(next);
    return (double)cycles / STEPS;
}

/* ---- bandwidth, in GB/s ---- */

static double all_threads(const struct machine *m, const struct kernel *kernel, uint32_t blocks, uint32_t mbytes)
{
    const struct bench b = start(m);
    const uint32_t step = 4 * blocks * THREADS, words = ((mbytes << 18) + step - 1) / step * step; /* a step of the kernel stream */
    const uint64_t base = persistent(&b, 4 * (uint64_t)words);
    const struct cowarp_arg args[] = {COWARP_U64(base), COWARP_U32(words), COWARP_U32(1)};
    run(&b, kernel->name, blocks, THREADS, kernel->args, args);
    const double us = cowarp_microseconds(b.gpu);
    cowarp_destroy(b.gpu);
    return 4.0 * words / us * 1e-3;
}

/* ---- the table ---- */

static int row(const struct machine *m, const char *what, double expected, double measured, const char *unit, double low, double high,
               const char *why)
{
    const int bad = measured < low || measured > high;
    printf("| %s: %s | %.1f | %.1f | %s | %s |%s\n", m->far ? "far" : "near", what, expected, measured, unit, why,
           bad ? " **outside its band**" : "");
    return bad;
}

static int measure(const struct machine *m)
{
    const bool far = m->far;
    const double cycles_per_ns = key(m, "clock.core") * 1e-3;
    const double link = far ? 2 * key(m, "pm.link_latency") * cycles_per_ns : 0, nvm = key(m, "pm.latency") * cycles_per_ns;
    const double cores = key(m, "core.count"), window = key(m, "pm.window");
    const double l2 = one_thread(m, "chase_cg", 1), read = one_thread(m, "chase_cg", 0), persist = one_thread(m, "persist_chain", 0);
    const struct machine sbrp = {m->ptx, "sbrp", far};
    const double reads = far ? key(m, "pm.link_mbps") * 1e-3 : key(m, "pm.read_mbps") * 1e-3;
    const double writes = far ? key(m, "pm.link_mbps") * 1e-3 : key(m, "pm.write_mbps") * 1e-3;
    const double kept =
        window * LINE / ((persist - key(m, "l1.pipeline")) / cycles_per_ns); /* a line in the buffer has the pipeline behind it */
    int bad = row(m, "read beyond the L2", nvm + link, read - l2, "cycles", nvm + link, nvm + link + 40,
                  far ? "pm.latency and two passages of the link" : "pm.latency");
    bad += row(m, "persist, to its acknowledgement", l2 + link, persist, "cycles", l2 + link - 10, l2 + link + 60,
               far ? "the L2, and two passages of the link" : "the L2: the queue is the memory controller's");
    bad += row(m, "reads of all cores", reads, all_threads(m, &reader, 3 * (uint32_t)cores, 8), "GB/s", 0.75 * reads, reads,
               far ? "pm.link_mbps" : "pm.read_mbps");
    bad += row(m, "persists of all cores", writes, all_threads(m, &past, 2 * (uint32_t)cores, 8), "GB/s", 0.95 * writes, 1.02 * writes,
               far ? "pm.link_mbps" : "pm.write_mbps");
    const double one = 4 * THREADS * 4 / (read / cycles_per_ns);
    bad += row(m, "reads of one core", one, all_threads(m, &reader, 1, 1), "GB/s", 0.75 * one, 1.1 * one,
               "four loads of each thread on their way");
    bad += row(m, "persists of one core, past the L1", writes, all_threads(m, &past, 1, 1), "GB/s", 0.85 * writes, 1.15 * writes,
               "nobody waits for them, so the same");
    bad += row(m, "persists of one core under sbrp", kept, all_threads(&sbrp, &kept_writer, 1, 1), "GB/s", 0.8 * kept, 1.1 * kept,
               "pm.window lines in the time of a persist");
    return bad;
}

int main(int argc, char **argv)
{
    const char *ptx = argc > 1 ? argv[1] : "benchmarks/micro/micro.ptx";
    const struct machine near = {ptx, "none", false}, far = {ptx, "none", true};
    printf("| measurement | expected | measured | unit | what bounds it |\n|---|---:|---:|---|---|\n");
    const int bad = measure(&near) + measure(&far);
    return bad == 0 ? 0 : 1;
}
