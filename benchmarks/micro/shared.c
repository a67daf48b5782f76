/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Microbenchmark of shared memory: core cycles from one access of a warp to the next, by the width of what a lane reads or writes, in every
 * preset, beside a card. Prints a Markdown table; exit status 1 when a number is more than a tenth away from what the row says.
 *
 *     micro_shared
 *
 * Lanes lie side by side, so no two meet in a bank but those that a wide access brings together. All warps of a core run a loop around n
 * equal accesses. A number is the time of a loop of 48 less that of one of 16, which takes away the loop.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cowarp/cowarp.h"

#define TEXT_BYTES 8192u
#define BODY_FEW   16u
#define BODY_MANY  48u
#define ROUNDS     6u
#define CORES      3u /* as many as share a port of the crossbar in some of them */
#define KINDS      6u

static const struct kind {
    const char *what;
    uint32_t bytes; /* of a lane */
    const char *body;
} kinds[KINDS] = {
    {"ld 32", 4, "ld.shared.u32 %%r%u, [%%r3];\n"},
    {"ld 64", 8, "ld.shared.u64 %%d%u, [%%r3];\n"},
    {"ld 128", 16, "ld.shared.v2.u64 {%%d%u, %%d%u}, [%%r3];\n"},
    {"st 32", 4, "st.shared.u32 [%%r3], %%r%u;\n"},
    {"st 64", 8, "st.shared.u64 [%%r3], %%d%u;\n"},
    {"st 128", 16, "st.shared.v2.u64 [%%r3], {%%d%u, %%d%u};\n"},
};

/* What follows from a preset's parts: a pass of the banks for 32 words, whichever lanes they belong to. */
static const struct row {
    const char *preset;
    double cycles[KINDS];
    const char *why;
} rows[] = {
    {"gtx480", {1, 2, 8, 1, 2, 4}, "a GTX 480: 1.00, 2.00, 6.06, loads and stores in equal parts (shared.quad_passes)"},
    {"gpgpusim-gtx480", {1, 2, 4, 1.5, 2, 4}, "a store of 32 bits keeps each of two collectors for three cycles"},
    {"getm", {2, 4, 8, 2, 4, 8}, "a pass in a cycle of 700 MHz, two of 1400; as a GTX 480"},
    {"thesis-warptm", {2, 4, 8, 2, 4, 8}, "the same"},
    {"si-tm", {2, 4, 8, 2, 4, 8}, "the same"},
    {"getm-artifact", {1, 2, 4, 1, 2, 4}, "a pass in a cycle of 700 MHz"},
    {"thesis-kilotm", {4, 16, 64, 4, 16, 64}, "a pass in a cycle of 325 MHz, four of 1300; of words that lie apart (shared.wide)"},
    {"thesis-tbc", {4, 8, 32, 4, 8, 32}, "the same, two passes in a slot"},
    {"sbrp-near", {1, 2, 4, 1, 2, 4}, "a pass in a cycle"},
    {"sbrp-artifact-far", {1, 2, 4, 1, 2, 4}, "the same"},
    {"localtm", {2, 4, 8, 2, 4, 8}, "64 lanes"},
};

static void die(const struct cowarp_gpu *gpu)
{
    fprintf(stderr, "micro_shared: %s\n", cowarp_error(gpu));
    exit(1);
}

static void write_kernel(char text[TEXT_BYTES], const struct kind *k, uint32_t body_cnt)
{
    int n =
        snprintf(text, TEXT_BYTES,
                 ".version 7.0\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u32 n)\n{\n.shared .align 16 .b8 cell[1024];\n"
                 ".reg .pred %%p<2>;\n.reg .b32 %%r<32>;\n.reg .b64 %%d<32>;\nld.param.u32 %%r0, [n];\nmov.u32 %%r3, %%laneid;\n"
                 "mov.u32 %%r4, cell;\nmad.lo.u32 %%r3, %%r3, %u, %%r4;\n",
                 k->bytes);
    for (uint32_t i = 8; i < 24; i++)
        n += snprintf(text + n, TEXT_BYTES - (size_t)n, "mov.u32 %%r%u, 1;\nmov.u64 %%d%u, 1;\n", i, i);
    n += snprintf(text + n, TEXT_BYTES - (size_t)n, "LOOP:\n");
    for (uint32_t i = 0; i < body_cnt; i++)
        n += snprintf(text + n, TEXT_BYTES - (size_t)n, k->body, 8 + i % 8, 16 + i % 8);
    snprintf(text + n, TEXT_BYTES - (size_t)n, "sub.u32 %%r0, %%r0, 1;\nsetp.ne.u32 %%p1, %%r0, 0;\n@%%p1 bra LOOP;\nret;\n}\n");
}

static uint32_t value(struct cowarp_gpu *gpu, const char *key)
{
    uint32_t v = 0;
    if (cowarp_config_value(gpu, key, &v) != 0)
        die(gpu);
    return v;
}

/* Core cycles of a launch that fills every core, for each warp of a core. */
static double cycles(const char *preset, const struct kind *k, uint32_t body_cnt)
{
    static const char *const settings[] = {"core.count=3", NULL};
    static char text[TEXT_BYTES];
    struct cowarp_gpu *gpu;
    struct cowarp_module *module;
    struct cowarp_options options;
    cowarp_options_init(&options);
    options.preset = preset;
    options.settings = settings;
    if (cowarp_create(&gpu, &options) != 0)
        die(gpu);
    write_kernel(text, k, body_cnt);
    if (cowarp_load(gpu, &module, text, strlen(text), k->what) != 0)
        die(gpu);
    const uint32_t warps = value(gpu, "core.warps") / 4, lanes = value(gpu, "core.warp_width");
    const struct cowarp_arg rounds = COWARP_U32(ROUNDS);
    const struct cowarp_launch launch = {
        .size = sizeof launch, .kernel = "k", .grid = {4 * CORES, 1, 1}, .block = {warps * lanes, 1, 1}, .arg_count = 1, .args = &rounds};
    if (cowarp_run(gpu, module, &launch) != 0)
        die(gpu);
    const double all = (double)cowarp_cycles(gpu) / (4 * warps);
    cowarp_destroy(gpu);
    return all;
}

int main(void)
{
    uint32_t bad = 0;
    printf("| preset |");
    for (uint32_t k = 0; k < KINDS; k++)
        printf(" %s |", kinds[k].what);
    printf(" why |\n|---|---:|---:|---:|---:|---:|---:|---|\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        printf("| `%s` |", rows[i].preset);
        for (uint32_t k = 0; k < KINDS; k++) {
            const double few = cycles(rows[i].preset, &kinds[k], BODY_FEW), many = cycles(rows[i].preset, &kinds[k], BODY_MANY);
            const double found = (many - few) / (BODY_MANY - BODY_FEW) / ROUNDS, wanted = rows[i].cycles[k];
            const uint32_t out = fabs(found - wanted) > wanted / 10;
            printf(" %.2f%s |", found, out != 0 ? " **outside**" : "");
            bad += out;
        }
        printf(" %s |\n", rows[i].why);
    }
    return bad == 0 ? 0 : 1;
}
