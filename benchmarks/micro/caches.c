/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Microbenchmarks of the constant cache and the texture cache: how long a load takes that hits, one that misses and hits in the L2, and one
 * whose lanes want different addresses. Prints a Markdown table; exit status 1 when a row of the preset gpgpusim-gtx480 leaves its band.
 *
 *     micro_caches [preset [name=value ...]]
 *
 * One warp chases a pointer through a table, in a loop of n equal loads. The time of 32 rounds less that of 16 takes away the start and
 * cold caches; a loop of 32 loads less one of 16 takes away the loop.
 *
 * What is expected: a hit takes the latency that is configured and what the stages add to a memory instruction with one register operand,
 * five cycles in GPGPU-Sim 4.2 with its GTX480 configuration. A miss takes as long as a load of 8 bytes that passes by all caches of the
 * core, whose time is measured here too, and what its longer reply takes at the port of the L2's slice and in the crossbar. A constant
 * does not go through the load/store pipeline; its lookup and the way to the crossbar take two cycles instead.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cowarp/cowarp.h"

#define STAGES_ADD 5.0

#define ROUNDS_FEW  16u
#define ROUNDS_MANY 32u
#define TEXT_BYTES  8192u

struct machine {
    const char *preset;
    const char *const *settings;
};

static void die(const struct cowarp_gpu *gpu)
{
    fprintf(stderr, "micro_caches: %s\n", cowarp_error(gpu));
    exit(1);
}

static struct cowarp_gpu *start(const struct machine *m)
{
    struct cowarp_gpu *gpu;
    struct cowarp_options options;
    cowarp_options_init(&options);
    options.preset = m->preset;
    options.settings = m->settings;
    if (cowarp_create(&gpu, &options) != 0)
        die(gpu);
    return gpu;
}

static double key(const struct machine *m, const char *name)
{
    struct cowarp_gpu *gpu = start(m);
    uint32_t value;
    if (cowarp_config_value(gpu, name, &value) != 0)
        die(gpu);
    cowarp_destroy(gpu);
    return value;
}

/* A chase through `bytes` bytes, a pointer every `stride` bytes; by so many threads, each of which starts `apart` bytes behind the one
 * before. At most 256 pointers. */
struct chase {
    const char *load; /* ld with its space, "ld.const" for constant memory */
    uint32_t bytes, stride, threads, apart;
};

static bool is_constant(const struct chase *c)
{
    return strcmp(c->load, "ld.const") == 0;
}

static void write_kernel(char *text, const struct chase *c, uint32_t loads)
{
    size_t n =
        (size_t)snprintf(text, TEXT_BYTES,
                         ".version 7.0\n.target sm_35\n.address_size 64\n.const .align 256 .b8 table[16384];\n"
                         ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n.reg .pred %%p<2>;\n.reg .b32 %%r<4>;\n.reg .b64 %%a<4>;\n"
                         "ld.param.u64 %%a1, [p];\nld.param.u32 %%r1, [n];\nmov.u32 %%r2, %%tid.x;\nmul.wide.u32 %%a2, %%r2, %u;\n"
                         "mov.u64 %%a3, %s;\nadd.u64 %%a2, %%a2, %%a3;\nLOOP:\n",
                         c->apart, is_constant(c) ? "table" : "%a1");
    for (uint32_t i = 0; i < loads; i++)
        n += (size_t)snprintf(text + n, TEXT_BYTES - n, "%s.u64 %%a2, [%%a2];\n", c->load);
    snprintf(text + n, TEXT_BYTES - n,
             "sub.u32 %%r1, %%r1, 1;\nsetp.ne.u32 %%p1, %%r1, 0;\n@%%p1 bra LOOP;\nst.global.u64 [%%a1], %%a2;\nret;\n}\n");
}

static void write_table(struct cowarp_gpu *gpu, struct cowarp_module *module, const struct chase *c, uint64_t base)
{
    static uint64_t table[1 << 13];
    for (uint32_t i = 0; i < c->bytes / 8; i++) /* constant memory has addresses from 0 on */
        table[i] = (is_constant(c) ? 0 : base) + (8 * i + c->stride) % c->bytes;
    if ((is_constant(c) ? cowarp_symbol_write(gpu, module, "table", 0, table, c->bytes) : cowarp_write(gpu, base, table, c->bytes)) != 0)
        die(gpu);
}

/* Core cycles of one launch. */
static double cycles(const struct machine *m, const struct chase *c, uint32_t loads, uint32_t rounds)
{
    static char text[TEXT_BYTES];
    struct cowarp_gpu *gpu = start(m);
    struct cowarp_module *module;
    uint64_t base = 0;
    write_kernel(text, c, loads);
    if (cowarp_load(gpu, &module, text, strlen(text), c->load) != 0 || cowarp_alloc(gpu, &base, 1 << 16) != 0)
        die(gpu);
    write_table(gpu, module, c, base);
    const struct cowarp_arg args[] = {COWARP_U64(base), COWARP_U32(rounds)};
    const struct cowarp_launch launch = {
        .size = sizeof launch, .kernel = "k", .grid = {1, 1, 1}, .block = {c->threads, 1, 1}, .arg_count = 2, .args = args};
    if (cowarp_run(gpu, module, &launch) != 0)
        die(gpu);
    const double all = (double)cowarp_cycles(gpu);
    cowarp_destroy(gpu);
    return all;
}

static double per_round(const struct machine *m, const struct chase *c, uint32_t loads)
{
    return (cycles(m, c, loads, ROUNDS_MANY) - cycles(m, c, loads, ROUNDS_FEW)) / (ROUNDS_MANY - ROUNDS_FEW);
}

static double per_load(const struct machine *m, const struct chase *c)
{
    return (per_round(m, c, 32) - per_round(m, c, 16)) / 16;
}

static int row(const char *what, double expected, double measured, double room, int judged)
{
    const int bad = judged && fabs(measured - expected) > room;
    printf("| %s | %.2f | %.2f |%s\n", what, expected, measured, bad ? " **outside its band**" : "");
    return bad;
}

/* Cycles by which a line is slower than the sector of a load of 8 bytes: flits of the reply, and turns of the slice's port, whose clock is
 * the core's in gpgpusim-gtx480. */
static double longer(const struct machine *m, double line_bytes)
{
    const double header = key(m, "noc.header_bytes"), flit = key(m, "noc.flit_bytes");
    const double port = key(m, "l2.port_bytes");
    return ceil((header + line_bytes) / flit) - ceil((header + 32) / flit) + ceil(line_bytes / port) - ceil(32 / port);
}

static int constants(const struct machine *m, double past, int judged)
{
    const double hit = STAGES_ADD + key(m, "const.latency"), pipeline = key(m, "l1.pipeline");
    int bad = row("ld.const, hit (4 KB)", hit, per_load(m, &(struct chase){"ld.const", 4096, 64, 1, 0}), 1, judged);
    for (uint32_t n = 2; n <= 32; n *= 4) {
        char what[80];
        snprintf(what, sizeof what, "ld.const, hit, %u addresses in a warp", n);
        bad += row(what, hit + n - 1, per_load(m, &(struct chase){"ld.const", 4096, 64, n, 8}), 1, judged);
    }
    const double miss = past - (pipeline - 2) + longer(m, key(m, "const.line_bytes"));
    bad += row("ld.const, miss, L2 hit (16 KB)", miss, per_load(m, &(struct chase){"ld.const", 16384, 64, 1, 0}), 1, judged);
    return bad;
}

static int textures(const struct machine *m, double past, int judged)
{
    const double hit = STAGES_ADD + key(m, "l1.pipeline") + key(m, "texture.latency");
    int bad = row("ld.global.nc, hit (8 KB)", hit, per_load(m, &(struct chase){"ld.global.nc", 8192, 128, 1, 0}), 1, judged);
    const double miss = past + longer(m, key(m, "texture.line_bytes"));
    bad += row("ld.global.nc, miss, L2 hit (32 KB)", miss, per_load(m, &(struct chase){"ld.global.nc", 32768, 128, 1, 0}), 1, judged);
    return bad;
}

int main(int argc, char **argv)
{
    const struct machine m = {argc > 1 ? argv[1] : "gpgpusim-gtx480", argc > 2 ? (const char *const *)(argv + 2) : NULL};
    const int judged = strcmp(m.preset, "gpgpusim-gtx480") == 0 && m.settings == NULL;
    printf("| cycles per load | expected | measured |\n|---|---:|---:|\n");
    const double past = per_load(&m, &(struct chase){"ld.global.cg", 32768, 128, 1, 0});
    row("ld.global.cg, L2 hit (32 KB), to compare with", past, past, 0, 0);
    return constants(&m, past, judged) + textures(&m, past, judged) == 0 ? 0 : 1;
}
