/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Microbenchmarks: what the configured machine measures like from inside a kernel, as an engineer would measure a real one (Wong et al.,
 * ISPASS 2010). Prints a Markdown table, configured beside measured; exit status 1 when a measurement leaves its band.
 *
 *     micro [micro.ptx] [preset]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cowarp/cowarp.h"

struct bench {
    struct cowarp_gpu *gpu;
    struct cowarp_module *module;
    int failures;
};

static void die(const struct cowarp_gpu *gpu)
{
    fprintf(stderr, "micro: %s\n", cowarp_error(gpu));
    exit(1);
}

static void must(const struct bench *b, int status)
{
    if (status != 0)
        die(b->gpu);
}

/* A fresh GPU per measurement: cold caches, statistics from zero. */
static struct bench start(const char *ptx, const char *preset, const char *setting)
{
    struct bench b = {0};
    struct cowarp_options options;
    const char *settings[] = {setting, NULL};
    cowarp_options_init(&options);
    options.preset = preset;
    options.settings = setting != NULL ? settings : NULL;
    if (cowarp_create(&b.gpu, &options) != 0)
        die(b.gpu);
    must(&b, cowarp_load_file(b.gpu, &b.module, ptx));
    return b;
}

static uint32_t config(struct bench *b, const char *name)
{
    uint32_t value = 0;
    must(b, cowarp_config_value(b->gpu, name, &value));
    return value;
}

static void run(struct bench *b, const char *kernel, uint32_t blocks, uint32_t threads, uint32_t n, const struct cowarp_arg *args)
{
    const struct cowarp_launch launch = {
        .size = sizeof launch, .kernel = kernel, .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .arg_count = n, .args = args};
    must(b, cowarp_run(b->gpu, b->module, &launch));
}

static int row(const char *what, double configured, double measured, const char *unit, double low, double high, const char *note)
{
    const int bad = measured < low || measured > high;
    printf("| %s | %.1f | %.1f | %s | %s |%s\n", what, configured, measured, unit, note, bad ? " **outside its band**" : "");
    return bad;
}

/* Mean cycles per step of a pointer chase over `cells` cells that lie `stride` bytes apart, `laps` warm-up laps before. */
static double chase(const char *ptx, const char *preset, const char *kernel, const char *setting, uint32_t cells, uint32_t stride, int laps)
{
    struct bench b = start(ptx, preset, setting);
    const uint64_t bytes = (uint64_t)cells * stride;
    uint64_t base, out, cycles = 0, *host = calloc(1, bytes);
    if (host == NULL)
        exit(1);
    must(&b, cowarp_alloc(b.gpu, &base, bytes));
    must(&b, cowarp_alloc(b.gpu, &out, sizeof cycles));
    for (uint32_t i = 0; i < cells; i++)
        host[(uint64_t)i * stride / 8] = base + (uint64_t)((i + 1) % cells) * stride;
    must(&b, cowarp_write(b.gpu, base, host, bytes));
    const uint32_t steps = cells * (uint32_t)(laps + 1);
    const struct cowarp_arg warm[] = {COWARP_U64(base), COWARP_U32(cells * (uint32_t)laps), COWARP_U64(out)};
    const struct cowarp_arg all[] = {COWARP_U64(base), COWARP_U32(steps), COWARP_U64(out)};
    uint64_t before = 0;
    if (laps > 0) { /* the steps of the last lap are what is left of two runs that differ by one lap */
        run(&b, kernel, 1, 1, 3, warm);
        must(&b, cowarp_read(b.gpu, &before, out, sizeof before));
        cowarp_destroy(b.gpu);
        b = start(ptx, preset, setting);
        must(&b, cowarp_alloc(b.gpu, &base, bytes));
        must(&b, cowarp_alloc(b.gpu, &out, sizeof cycles));
        must(&b, cowarp_write(b.gpu, base, host, bytes));
    }
    run(&b, kernel, 1, 1, 3, all);
    must(&b, cowarp_read(b.gpu, &cycles, out, sizeof cycles));
    cowarp_destroy(b.gpu);
    free(host);
    return (double)(cycles - before) / cells;
}

static int latencies(const char *ptx, const char *preset)
{
    struct bench b = start(ptx, preset, NULL);
    const double l1 = config(&b, "l1.latency") + config(&b, "l1.pipeline");
    const double dram = config(&b, "dram.latency");
    cowarp_destroy(b.gpu);
    int bad = row("L1 hit latency (pointer chase, 8 KB)", l1, chase(ptx, preset, "chase_ca", "l1.global=on", 64, 128, 1), "cycles", l1,
                  l1 + 12, "l1.pipeline + l1.latency");
    const double l2 = chase(ptx, preset, "chase_cg", NULL, 256, 128, 1);
    bad += row("L2 hit latency (pointer chase, 32 KB)", 330, l2, "cycles", 320, 340, "GETM Table II: LLC 330");
    const double miss = chase(ptx, preset, "chase_cg", NULL, 256, 8192, 0);
    bad += row("DRAM latency beyond L2 (pointer chase, cold)", dram, miss - l2, "cycles", dram + 30, dram + 140,
               "dram.latency, plus activate, column, burst");
    return bad;
}

/* All threads that fit at once read an array of about `bytes` bytes, `rounds` times over. */
static double stream_gbps(const char *ptx, const char *preset, uint32_t bytes, uint32_t rounds)
{
    struct bench b = start(ptx, preset, NULL);
    uint64_t base;
    const uint32_t blocks = 3 * config(&b, "core.count"), threads = 512, step = 4 * blocks * threads;
    const uint32_t words = (bytes / 4 + step - 1) / step * step;
    must(&b, cowarp_alloc(b.gpu, &base, (uint64_t)words * 4));
    const struct cowarp_arg args[] = {COWARP_U64(base), COWARP_U32(words), COWARP_U32(rounds)};
    run(&b, "stream", blocks, threads, 3, args);
    const double seconds = cowarp_microseconds(b.gpu) * 1e-6;
    cowarp_destroy(b.gpu);
    return (double)words * 4.0 * rounds / seconds * 1e-9;
}

static int bandwidths(const char *ptx, const char *preset)
{
    struct bench b = start(ptx, preset, NULL);
    const double partitions = config(&b, "partition.count");
    const double dram = partitions * config(&b, "dram.bytes_per_cycle") * config(&b, "clock.dram") * 1e-3;
    const double port = partitions * config(&b, "noc.flit_bytes") * config(&b, "clock.noc") * 1e-3;
    cowarp_destroy(b.gpu);
    int bad = row("DRAM read bandwidth (16 MB stream)", dram, stream_gbps(ptx, preset, 1u << 24, 1), "GB/s", 0.75 * dram, dram,
                  "GETM Table II: 177 GB/s");
    /* A reply of 128 bytes is five flits, one of which is header. */
    bad += row("L2 read bandwidth (360 KB, 32 rounds), bound by the crossbar", port * 0.8, stream_gbps(ptx, preset, 360000, 32), "GB/s",
               0.6 * port, 0.8 * port, "one flit per port and cycle; 4 of 5 flits are data");
    return bad;
}

static double shared_chain(const char *ptx, const char *preset, uint32_t stride)
{
    struct bench b = start(ptx, preset, NULL);
    uint64_t out, cycles;
    const uint32_t n = 256;
    must(&b, cowarp_alloc(b.gpu, &out, sizeof cycles));
    const struct cowarp_arg args[] = {COWARP_U32(stride), COWARP_U32(n), COWARP_U64(out)};
    run(&b, "shared_chain", 1, 32, 3, args);
    must(&b, cowarp_read(b.gpu, &cycles, out, sizeof cycles));
    cowarp_destroy(b.gpu);
    return (double)cycles / n;
}

static int shared_memory(const char *ptx, const char *preset)
{
    struct bench b = start(ptx, preset, NULL);
    const double base = config(&b, "shared.latency") + config(&b, "fu.alu_latency"), pass = config(&b, "shared.pass_cycles");
    cowarp_destroy(b.gpu);
    int bad = 0;
    for (uint32_t stride = 1; stride <= 32; stride *= 2) {
        char what[80];
        snprintf(what, sizeof what, "shared memory, stride %u words (chain of load and add)", stride);
        const double wanted = base + (stride - 1) * pass;
        bad += row(what, wanted, shared_chain(ptx, preset, stride), "cycles", wanted - 1, wanted + 7,
                   stride == 1 ? "no conflict" : "stride-way bank conflict");
    }
    return bad;
}

/* Atomic additions per L2 cycle over the whole chip. */
static double atomics(const char *ptx, const char *preset, uint32_t stride)
{
    struct bench b = start(ptx, preset, NULL);
    uint64_t base;
    const uint32_t blocks = 60, threads = 256, n = 4;
    must(&b, cowarp_alloc(b.gpu, &base, (uint64_t)blocks * threads * 4 + 4));
    const struct cowarp_arg args[] = {COWARP_U64(base), COWARP_U32(stride), COWARP_U32(n)};
    run(&b, "atomics", blocks, threads, 3, args);
    const double cycles = cowarp_microseconds(b.gpu) * config(&b, "clock.l2");
    uint32_t first = 0;
    must(&b, cowarp_read(b.gpu, &first, base, sizeof first));
    if (first != (stride == 0 ? blocks * threads * n : n))
        b.failures++;
    cowarp_destroy(b.gpu);
    return b.failures != 0 ? -1.0 : (double)blocks * threads * n / cycles;
}

static double issue_rate(const char *ptx, const char *preset, uint32_t threads)
{
    struct bench b = start(ptx, preset, NULL);
    uint64_t out, instructions = 0;
    must(&b, cowarp_alloc(b.gpu, &out, 8));
    const struct cowarp_arg args[] = {COWARP_U32(400), COWARP_U64(out)};
    run(&b, "issue", 1, threads, 2, args);
    must(&b, cowarp_counter(b.gpu, "warp_instructions", &instructions));
    const double rate = (double)instructions / (double)cowarp_cycles(b.gpu);
    cowarp_destroy(b.gpu);
    return rate;
}

static int throughput(const char *ptx, const char *preset)
{
    struct bench b = start(ptx, preset, NULL);
    const double partitions = config(&b, "partition.count");
    const double issue = (double)config(&b, "core.schedulers") / config(&b, "core.issue_cycles");
    cowarp_destroy(b.gpu);
    int bad = row("atomic additions to one address", 1, atomics(ptx, preset, 0), "per L2 cycle", 0.5, 1.01, "one per cycle in one slice");
    /* A request of 32 operands is 136 bytes, five flits. */
    bad += row("atomic additions to consecutive words", 32 * partitions / 5, atomics(ptx, preset, 4), "per L2 cycle", partitions,
               32 * partitions / 5, "five flits per 32 additions; the short run shows its start and end");
    bad += row("issue rate of one core, 16 warps of independent additions", issue, issue_rate(ptx, preset, 512), "per cycle", 0.85 * issue,
               issue, "core.schedulers / core.issue_cycles");
    return bad;
}

int main(int argc, char **argv)
{
    const char *ptx = argc > 1 ? argv[1] : "benchmarks/micro/micro.ptx";
    const char *preset = argc > 2 ? argv[2] : "getm";
    printf("| measurement | configured | measured | unit | what bounds it |\n|---|---:|---:|---|---|\n");
    int bad = latencies(ptx, preset);
    bad += bandwidths(ptx, preset);
    bad += shared_memory(ptx, preset);
    bad += throughput(ptx, preset);
    return bad == 0 ? 0 : 1;
}
