/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Microbenchmarks of the core's pipeline: latencies and rates of instructions, as kernels see them, beside those of GPGPU-Sim 4.2 with its
 * GTX480 configuration. Prints a Markdown table; exit status 1 when a row of the preset gpgpusim-gtx480 leaves its band: a cycle for a latency, ten
 * percent for a rate (fifteen for barriers, and for three operands).
 *
 *     micro_core [preset [name=value ...]]
 *
 * A kernel is a loop around a body of n equal instructions. Its time is that of 24 rounds less that of 8, which takes away the start and
 * cold caches. A row is the time of a body of 32 instructions less that of one of 16, divided by 16, which takes away the loop. The rows
 * "loop" keep it: they are the whole round.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cowarp/cowarp.h"

#define ROUNDS_FEW  8u
#define ROUNDS_MANY 24u
#define TEXT_BYTES  16384u

/* What the body's instructions are. $ in the text stands for a register number that changes from one to the next, modulo `chains`. */
struct row {
    const char *what;
    const char *body;
    uint32_t chains;     /* 1: each instruction waits for the one before */
    uint32_t warps;      /* in one block */
    double reference;    /* GPGPU-Sim 4.2, GTX480; in cycles per body, for all warps together */
    double tolerance;    /* cycles, or a share of the reference when below 1 */
    const char *keys[2]; /* configuration: latency, or interval; NULL: none */
    uint32_t whole;      /* not 0: so many instructions of the body per round, and the loop is not taken away */
};

#define LATENCY 1.0
#define RATE    0.1
#define BARRIER 0.15 /* eight fetches in two rounds of eight warps; which warp comes first makes it 4.5 to 5 */
#define BANKS   0.15 /* three operands: how they lie in the banks makes it 6 to 8.6, and the reference does not say */

static const struct row rows[] = {
    {"latency: add.s32", "add.s32 %r1, %r1, %r2;", 1, 1, 10.75, LATENCY, {"fu.alu_latency"}, 0},
    {"latency: mul.lo.s32", "mul.lo.s32 %r1, %r1, %r2;", 1, 1, 11, LATENCY, {"fu.imul_latency"}, 0},
    {"latency: fma.rn.f32", "fma.rn.f32 %f1, %f1, %f2, %f3;", 1, 1, 13, LATENCY, {"fu.fma_latency", "fu.fp_latency"}, 0},
    {"latency: ex2.approx.f32", "ex2.approx.f32 %f1, %f1;", 1, 1, 14, LATENCY, {"fu.sfu_latency"}, 0},
    {"latency: sqrt.rn.f64", "sqrt.rn.f64 %d1, %d1;", 1, 1, 14, LATENCY, {"fu.sfu_latency"}, 0}, /* its class is that of ex2 there */
    {"latency: div.full.f32", "div.full.f32 %f1, %f1, %f2;", 1, 1, 46, LATENCY, {"fu.fdiv_latency"}, 0},
    {"latency: div.s32", "div.s32 %r1, %r1, %r2;", 1, 1, 152, LATENCY, {"fu.idiv_latency"}, 0},
    {"latency: add.f64", "add.f64 %d1, %d1, %d2;", 1, 1, 15, LATENCY, {"fu.dp_latency"}, 0},
    {"latency: ld.shared", "ld.shared.u32 %r3, [%r3];", 1, 1, 32, LATENCY, {"shared.latency"}, 0},
    {"latency: ld.global, L1 hit", "ld.global.ca.u64 %a1, [%a1];", 1, 1, 40, LATENCY, {"l1.pipeline"}, 0},
    {"latency: loop of sub, setp, taken branch", "", 1, 1, 20, LATENCY, {"core.fetch_cycles"}, 1},
    {"one warp: four chains of add.s32, each", "add.s32 %r$, %r$, 1;", 4, 1, 2.5, LATENCY, {"core.buffer"}, 0},
    {"rate: cvt.rn.f32.f64", "cvt.rn.f32.f64 %f$, %d2;", 4, 8, 4.4, RATE, {"fu.move_interval"}, 0},
    {"rate: cvt.f64.f32", "cvt.f64.f32 %d$, %f2;", 4, 8, 4.5, RATE, {"fu.move_interval"}, 0},
    {"rate: mul.lo.s32", "mul.lo.s32 %r$, %r$, 3;", 4, 8, 8, RATE, {"fu.imul_interval"}, 0},
    {"rate: mul.wide.s32", "mul.wide.s32 %a$, %r2, 3;", 4, 8, 8, RATE, {"fu.imul_interval"}, 0},
    {"rate: mad.lo.s32", "mad.lo.s32 %r$, %r$, %r2, %r3;", 4, 8, 8.5, BANKS, {"fu.imad_interval"}, 0},
    {"rate: div.full.f32", "div.full.f32 %f$, %f$, %f2;", 4, 8, 34, RATE, {"fu.fdiv_interval"}, 0},
    {"rate: div.approx.f32", "div.approx.f32 %f$, %f$, %f2;", 4, 8, 34, RATE, {"fu.fdiv_interval"}, 0},
    {"rate: ex2.approx.f32", "ex2.approx.f32 %f$, %f$;", 4, 8, 64, RATE, {"fu.sfu_interval"}, 0},
    {"rate: rcp.approx.f32", "rcp.approx.f32 %f$, %f$;", 4, 8, 64, RATE, {"fu.sfu_interval"}, 0},
    {"rate: rcp.rn.f64", "rcp.rn.f64 %d$, %d$;", 4, 8, 64, RATE, {"fu.sfu_interval"}, 0},
    {"rate: add.f64", "add.f64 %d$, %d$, %d2;", 4, 8, 64, RATE, {"fu.dp_interval"}, 0},
    {"rate: fma.rn.f64", "fma.rn.f64 %d$, %d$, %d2, %d3;", 4, 8, 64, RATE, {"fu.dp_interval"}, 0},
    {"rate: fma.rn.f32", "fma.rn.f32 %f$, %f$, %f2, %f3;", 4, 8, 8.6, BANKS, {"fu.fma_interval", "fu.fp_interval"}, 0},
    {"rate: bar.sync", "bar.sync 0;", 1, 8, 4.4, BARRIER, {"core.buffer"}, 0},
    {"rate: loop of sub, setp, taken branch", "", 1, 8, 19.7, RATE, {"core.fetch_cycles"}, 1},
};

static void die(const struct cowarp_gpu *gpu)
{
    fprintf(stderr, "micro_core: %s\n", cowarp_error(gpu));
    exit(1);
}

static void append(char *text, const char *more)
{
    if (strlen(text) + strlen(more) + 1 > TEXT_BYTES) {
        fprintf(stderr, "micro_core: a kernel is too long\n");
        exit(1);
    }
    strcat(text, more);
}

/* One instruction of the body; registers %r8, %r9, ... are the chains. */
static void append_body(char *text, const char *body, uint32_t number)
{
    char line[128];
    size_t n = 0;
    for (const char *p = body; *p != '\0' && n + 8 < sizeof line; p++)
        n += (size_t)snprintf(line + n, sizeof line - n, *p == '$' ? "%u" : "%c", *p == '$' ? number : (unsigned char)*p);
    line[n] = '\n';
    line[n + 1] = '\0';
    append(text, line);
}

static void write_kernel(char *text, const struct row *row, uint32_t body_cnt)
{
    strcpy(text, ".version 7.0\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u32 n, .param .u64 p)\n{\n"
                 ".shared .align 4 .b8 cell[16];\n.reg .pred %p<2>;\n.reg .b32 %r<32>;\n.reg .f32 %f<32>;\n.reg .f64 %d<32>;\n"
                 ".reg .b64 %a<32>;\nld.param.u32 %r0, [n];\nld.param.u64 %a1, [p];\nmov.u32 %r1, 1;\nmov.u32 %r2, 3;\nmov.u32 %r3, cell;\n"
                 "mov.f32 %f1, 0f3F800000;\nmov.f32 %f2, 0f3F800000;\nmov.f32 %f3, 0f00000000;\nmov.f64 %d1, 0d3FF0000000000000;\n"
                 "mov.f64 %d2, 0d3FF0000000000000;\nmov.f64 %d3, 0d0000000000000000;\n");
    for (uint32_t i = 8; i < 8 + row->chains; i++) {
        char line[160];
        snprintf(line, sizeof line, "mov.u32 %%r%u, 1;\nmov.f32 %%f%u, %%f1;\nmov.f64 %%d%u, %%d1;\nmov.u64 %%a%u, %%a1;\n", i, i, i, i);
        append(text, line);
    }
    append(text, "st.shared.u32 [%r3], %r3;\nLOOP:\n");
    for (uint32_t i = 0; i < body_cnt; i++)
        append_body(text, row->body, 8 + i % row->chains);
    append(text, "sub.u32 %r0, %r0, 1;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra LOOP;\nret;\n}\n");
}

static struct cowarp_gpu *start(const char *preset, const char *const *settings)
{
    struct cowarp_gpu *gpu;
    struct cowarp_options options;
    cowarp_options_init(&options);
    options.preset = preset;
    options.settings = settings;
    if (cowarp_create(&gpu, &options) != 0)
        die(gpu);
    return gpu;
}

/* Core cycles of one launch. */
static double cycles(const struct row *row, uint32_t body_cnt, uint32_t rounds, const char *preset, const char *const *settings)
{
    static char text[TEXT_BYTES];
    struct cowarp_gpu *gpu = start(preset, settings);
    struct cowarp_module *module;
    uint64_t cell = 0;
    write_kernel(text, row, body_cnt);
    if (cowarp_load(gpu, &module, text, strlen(text), row->what) != 0 || cowarp_alloc(gpu, &cell, 256) != 0 ||
        cowarp_write(gpu, cell, &cell, sizeof cell) != 0)
        die(gpu);
    const struct cowarp_arg args[] = {COWARP_U32(rounds), COWARP_U64(cell)};
    const struct cowarp_launch launch = {
        .size = sizeof launch, .kernel = "k", .grid = {1, 1, 1}, .block = {32 * row->warps, 1, 1}, .arg_count = 2, .args = args};
    if (cowarp_run(gpu, module, &launch) != 0)
        die(gpu);
    const double all = (double)cowarp_cycles(gpu);
    cowarp_destroy(gpu);
    return all;
}

static double per_round(const struct row *row, uint32_t body_cnt, const char *preset, const char *const *settings)
{
    return (cycles(row, body_cnt, ROUNDS_MANY, preset, settings) - cycles(row, body_cnt, ROUNDS_FEW, preset, settings)) /
           (ROUNDS_MANY - ROUNDS_FEW);
}

static double measure(const struct row *row, const char *preset, const char *const *settings)
{
    if (row->whole != 0)
        return per_round(row, row->body[0] != '\0' ? row->whole : 0, preset, settings) / row->whole;
    double sum = 0;
    for (uint32_t n = 16; n < 32; n += 4)
        sum += per_round(row, n + 32, preset, settings) - per_round(row, n, preset, settings);
    return sum / (4 * 32);
}

/* The first of the row's keys that is not 0. */
static uint32_t configured(const struct row *row, const char *preset, const char *const *settings)
{
    struct cowarp_gpu *gpu = start(preset, settings);
    uint32_t value = 0;
    for (int i = 0; i < 2 && value == 0 && row->keys[i] != NULL; i++)
        if (cowarp_config_value(gpu, row->keys[i], &value) != 0)
            die(gpu);
    cowarp_destroy(gpu);
    return value;
}

int main(int argc, char **argv)
{
    const char *preset = argc > 1 ? argv[1] : "gpgpusim-gtx480";
    const char *const *settings = argc > 2 ? (const char *const *)(argv + 2) : NULL;
    const int judged = strcmp(preset, "gpgpusim-gtx480") == 0;
    int bad = 0;
    printf("| row | key | configured | reference | measured |\n|---|---|---:|---:|---:|\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *r = &rows[i];
        const double found = measure(r, preset, settings);
        const double room = r->tolerance < 1 ? r->tolerance * r->reference : r->tolerance;
        const int out = judged && fabs(found - r->reference) > room;
        printf("| %s | `%s` | %u | %.4g | %.2f |%s\n", r->what, r->keys[0], configured(r, preset, settings), r->reference, found,
               out ? " **outside its band**" : "");
        bad += out;
    }
    return bad == 0 ? 0 : 1;
}
