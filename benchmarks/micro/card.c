/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The preset gtx480 beside a GTX 480, as gpumembench has measured it: how many loads a core performs, by the size of what its threads read
 * again and again, and how many constants. Prints a Markdown table; exit status 1 when a row leaves its band.
 *
 *     micro_card [preset [name=value ...]]
 *
 * The clocks are the card's: 775 MHz for the core, 950 for memory, and the preset's ratio to the core's clock for the others. 90 blocks of
 * 256 threads each read `step` pieces of 1,024 bytes in turns; a load waits for the one before. A number is the time of many rounds less that
 * of few, which takes away the start and cold caches. Units: operations per core and hot clock, which is half a core cycle.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cowarp/cowarp.h"

#define TEXT_BYTES 16384u
#define BLOCK      256u
#define BLOCKS     90u
#define CORES      15u
#define BODY       64u
#define CORE_MHZ   775u
#define WITHIN     10.0 /* percent */
#define KEYS_MAX   32u

static const char *preset = "gtx480", *settings[KEYS_MAX + 6];

/* A row: words of 4 bytes that a thread reads with one load, from memory (step > 0) or constants (step = 0). registers: of a thread, where
 * they decide how many blocks a core holds; 0: as many as its warps allow. why: a reason why the row is outside WITHIN; empty: it is within. */
static const struct row {
    uint32_t step, clamp, words, registers;
    double card, within;
    const char *why, *chose;
} rows[] = {
    {1, 512, 1, 0, 13.02, WITHIN, "", NULL},
    {1, 1024, 1, 0, 14.8, WITHIN, "", NULL},
    {1, 0, 1, 0, 14.84, WITHIN, "", "core.scheduler"},
    {2, 0, 1, 0, 11.87, 25, "not known: no number of the kernel's registers gives this row and the next ones", NULL},
    {3, 0, 1, 32, 8.56, 12, "with 32 registers four blocks, whose lines fit the L1", "the kernel's registers"},
    {4, 0, 1, 32, 8.46, 12, "the same", "the kernel's registers"},
    {5, 0, 1, 0, 4.07, 40, "not known: 42 registers give 3.71 here, and 3.83 for the 2.94 of the next row", NULL},
    {6, 0, 1, 0, 2.94, WITHIN, "", NULL},
    {7, 0, 1, 0, 2.91, WITHIN, "", "clock.noc, clock.l2"},
    {8, 0, 1, 0, 2.82, WITHIN, "", NULL},
    {9, 0, 1, 0, 2.61, WITHIN, "", "l2.replacement"},
    {10, 0, 1, 0, 2.45, 25, "the L2 on the card keeps more of what is a little too large for it: its policy is not known", NULL},
    {11, 0, 1, 0, 2.22, 25, "the same", NULL},
    {12, 0, 1, 0, 1.96, 20, "the same", NULL},
    {13, 0, 1, 0, 1.69, WITHIN, "", NULL},
    {14, 0, 1, 0, 1.82, WITHIN, "", NULL},
    {16, 0, 1, 0, 1.63, WITHIN, "", NULL},
    {20, 0, 1, 0, 1.755, WITHIN, "", NULL},
    {32, 0, 1, 0, 1.663, WITHIN, "", "dram.sector_reads"},
    {64, 0, 1, 0, 1.664, WITHIN, "", NULL},
    {0, 0, 1, 0, 14.98, WITHIN, "", NULL},
    {0, 0, 2, 0, 11.62, 15, "three instructions of PTX for a load and two additions; ptxas makes constants operands of additions", NULL},
    {0, 0, 4, 0, 4.64, 35, "the card takes 3.45 core cycles: neither what issue gives, 2.5, nor a word per cycle", NULL},
};

static void die(const struct cowarp_gpu *gpu)
{
    fprintf(stderr, "micro_card: %s\n", cowarp_error(gpu));
    exit(1);
}

static struct cowarp_gpu *start(void)
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

static uint32_t value(struct cowarp_gpu *gpu, const char *key)
{
    uint32_t v = 0;
    if (cowarp_config_value(gpu, key, &v) != 0)
        die(gpu);
    return v;
}

/* The preset's clocks at the card's speed, in front of the user's settings, which stay the last. */
static void set_clocks(char word[5][32])
{
    static const char *const key[] = {"clock.core", "clock.l2", "clock.cu", "clock.noc", "clock.dram"};
    struct cowarp_gpu *gpu = start();
    const uint32_t core = value(gpu, "clock.core");
    uint32_t n = 0;
    for (uint32_t i = 0; i < 5; i++)
        snprintf(word[i], sizeof word[i], "%s=%u", key[i], i == 4 ? 950 : (value(gpu, key[i]) * CORE_MHZ + core / 2) / core);
    while (settings[n] != NULL)
        n++;
    memmove(settings + 5, settings, n * sizeof settings[0]);
    for (uint32_t i = 0; i < 5; i++)
        settings[i] = word[i];
    cowarp_destroy(gpu);
}

static size_t add_loads(char *text, size_t n, const struct row *r, uint32_t cnt)
{
    for (uint32_t i = 0; i < cnt; i++)
        n += (size_t)snprintf(text + n, TEXT_BYTES - n, "ld.global.u32 %%r4, [%%d0+%u];\nxor.b32 %%r4, %%r4, %%r5;\n",
                              i % r->step * BLOCK * 4);
    return n;
}

static size_t add_constants(char *text, size_t n, const struct row *r, uint32_t cnt)
{
    static const char *const load[] = {"u32 %r8", "v2.u32 {%r8, %r9}", "v4.u32 {%r8, %r9, %r10, %r11}"};
    for (uint32_t i = 0; i < cnt; i++) {
        n += (size_t)snprintf(text + n, TEXT_BYTES - n, "ld.const.%s, [table+%u];\n", load[r->words / 2], 4 * r->words * i);
        for (uint32_t e = 0; e < r->words; e++)
            n += (size_t)snprintf(text + n, TEXT_BYTES - n, "add.u32 %%r%u, %%r%u, %%r%u;\n", 12 + e, 12 + e, 8 + e);
    }
    return n;
}

static void write_kernel(char text[TEXT_BYTES], const struct row *r, uint32_t cnt)
{
    size_t n = (size_t)snprintf(
        text, TEXT_BYTES,
        ".version 7.0\n.target sm_35\n.address_size 64\n.const .align 16 .b8 table[4096];\n.visible .entry k(.param .u64 p, .param .u32 "
        "n)\n{\n"
        ".reg .pred %%p<2>;\n.reg .b32 %%r<16>;\n.reg .b64 %%d<2>;\nld.param.u64 %%d0, [p];\nld.param.u32 %%r0, [n];\n"
        "mov.u32 %%r1, %%ctaid.x;\nmov.u32 %%r2, %%tid.x;\nmov.u32 %%r5, 0;\nmad.lo.u32 %%r1, %%r1, %u, %%r2;\n"
        "and.b32 %%r1, %%r1, %u;\nmad.wide.u32 %%d0, %%r1, 4, %%d0;\nmov.u32 %%r4, 0;\nmov.u32 %%r12, 0;\nmov.u32 %%r13, 0;\n"
        "mov.u32 %%r14, 0;\nmov.u32 %%r15, 0;\nLOOP:\n",
        BLOCK * r->step, r->clamp != 0 ? r->clamp - 1 : UINT32_MAX);
    n = r->step != 0 ? add_loads(text, n, r, cnt) : add_constants(text, n, r, cnt);
    snprintf(text + n, TEXT_BYTES - n,
             "sub.u32 %%r0, %%r0, 1;\nsetp.ne.u32 %%p1, %%r0, 0;\n@%%p1 bra LOOP;\nadd.u32 %%r4, %%r4, %%r12;\nadd.u32 %%r4, %%r4, %%r13;\n"
             "add.u32 %%r4, %%r4, %%r14;\nadd.u32 %%r4, %%r4, %%r15;\nst.global.u32 [%%d0], %%r4;\nret;\n}\n");
}

/* Core cycles of a launch with so many rounds. */
static double cycles(struct cowarp_gpu *gpu, struct cowarp_module *m, const struct row *r, uint64_t data, uint32_t rounds)
{
    const uint64_t before = cowarp_cycles(gpu);
    const struct cowarp_arg args[] = {COWARP_U64(data), COWARP_U32(rounds)};
    const struct cowarp_launch l = {.size = sizeof l,
                                    .kernel = "k",
                                    .grid = {BLOCKS, 1, 1},
                                    .block = {BLOCK, 1, 1},
                                    .arg_count = 2,
                                    .args = args,
                                    .registers = r->registers};
    if (cowarp_run(gpu, m, &l) != 0)
        die(gpu);
    return (double)(cowarp_cycles(gpu) - before);
}

static double measure(const struct row *r)
{
    static char text[TEXT_BYTES];
    const uint32_t cnt = r->step != 0 ? BODY / r->step * r->step : BODY / r->words, many = r->card > 5 ? 6 : 2;
    struct cowarp_gpu *gpu = start();
    struct cowarp_module *module;
    uint64_t data = 0;
    write_kernel(text, r, cnt);
    if (cowarp_load(gpu, &module, text, strlen(text), "k") != 0 ||
        cowarp_alloc(gpu, &data, (uint64_t)BLOCKS * BLOCK * (r->step + 1) * 4) != 0)
        die(gpu);
    cycles(gpu, module, r, data, 1);
    const double few = cycles(gpu, module, r, data, 1), all = cycles(gpu, module, r, data, 1 + many);
    cowarp_destroy(gpu);
    return (double)BLOCKS * BLOCK * cnt * many / (all - few) / CORES / 2;
}

int main(int argc, char **argv)
{
    char clocks[5][32];
    uint32_t bad = 0, held = 0, good = 0;
    if (argc > 1)
        preset = argv[1];
    for (int i = 2; i < argc && i < (int)KEYS_MAX; i++)
        settings[i - 2] = argv[i];
    set_clocks(clocks);
    printf("| what | card | measured | ratio | chose | |\n|---|---:|---:|---:|---|---|\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *r = &rows[i];
        const double found = measure(r), ratio = found / r->card;
        const bool out = fabs(ratio - 1) * 100 > r->within, listed = r->why[0] != 0;
        if (r->step != 0)
            printf("| loads of %u KB", (r->clamp != 0 ? 4 * r->clamp : BLOCKS * BLOCK * 4 * r->step) / 1024);
        else
            printf("| constants of %u bits", 32 * r->words);
        printf(" | %.2f | %.2f | %.2f | %s | %s%s |\n", r->card, found, ratio, r->chose != NULL ? r->chose : "", out ? "**outside** " : "",
               listed ? r->why : "");
        bad += out;
        held += r->chose == NULL;
        good += r->chose == NULL && fabs(ratio - 1) * 100 <= WITHIN;
    }
    printf("\n%u rows chose nothing: %u of them within %.0f percent\n", held, good, WITHIN);
    return bad == 0 ? 0 : 1;
}
