/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that uses libcowarp: y = a x + y on a simulated GPU, checked, with a few statistics.
 *
 *     cmake --build build --target saxpy && build/saxpy
 */
#include <stdio.h>
#include <string.h>

#include "cowarp/cowarp.h"

#define N       10000u
#define THREADS 256u

/* Written by hand here; clang --target=nvptx64-unknown-nvidiacl and nvcc -ptx write such text. */
static const char ptx[] = ".version 7.0\n"
                          ".target sm_50\n"
                          ".address_size 64\n"
                          ".visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n)\n"
                          "{\n"
                          "    .reg .b32 %r<6>; .reg .b64 %rd<6>; .reg .f32 %f<5>; .reg .pred %p<2>;\n"
                          "    mov.u32 %r1, %ctaid.x;\n"
                          "    mov.u32 %r2, %ntid.x;\n"
                          "    mov.u32 %r3, %tid.x;\n"
                          "    mad.lo.u32 %r4, %r1, %r2, %r3;\n"
                          "    ld.param.u32 %r5, [n];\n"
                          "    setp.ge.u32 %p1, %r4, %r5;\n"
                          "    @%p1 bra done;\n"
                          "    mul.wide.u32 %rd1, %r4, 4;\n"
                          "    ld.param.u64 %rd2, [x];\n"
                          "    add.u64 %rd3, %rd2, %rd1;\n"
                          "    ld.param.u64 %rd4, [y];\n"
                          "    add.u64 %rd5, %rd4, %rd1;\n"
                          "    ld.param.f32 %f1, [a];\n"
                          "    ld.global.f32 %f2, [%rd3];\n"
                          "    ld.global.f32 %f3, [%rd5];\n"
                          "    fma.rn.f32 %f4, %f1, %f2, %f3;\n"
                          "    st.global.f32 [%rd5], %f4;\n"
                          "done:\n"
                          "    ret;\n"
                          "}\n";

static float x[N], y[N], result[N];

/* Allocates device memory for n bytes and copies them there. */
static int upload(struct cowarp_gpu *gpu, uint64_t *address, const void *data, uint64_t bytes)
{
    int status = cowarp_alloc(gpu, address, bytes);
    return status == COWARP_OK ? cowarp_write(gpu, *address, data, bytes) : status;
}

static int saxpy(struct cowarp_gpu *gpu, float a)
{
    struct cowarp_module *module;
    uint64_t dx, dy;
    int status = cowarp_load(gpu, &module, ptx, strlen(ptx), "saxpy.ptx");
    if (status == COWARP_OK)
        status = upload(gpu, &dx, x, sizeof x);
    if (status == COWARP_OK)
        status = upload(gpu, &dy, y, sizeof y);
    if (status != COWARP_OK)
        return status;
    const struct cowarp_arg args[] = {COWARP_F32(a), COWARP_U64(dx), COWARP_U64(dy), COWARP_U32(N)};
    const struct cowarp_launch launch = {
        .size = sizeof launch,
        .kernel = "saxpy",
        .grid = {(N + THREADS - 1) / THREADS, 1, 1},
        .block = {THREADS, 1, 1},
        .arg_count = sizeof args / sizeof args[0],
        .args = args,
    };
    status = cowarp_run(gpu, module, &launch);
    return status == COWARP_OK ? cowarp_read(gpu, result, dy, sizeof result) : status;
}

/* The inputs are small whole numbers, so that the products are exact and any order of rounding gives the same. */
static unsigned wrong_results(float a)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < N; i++)
        wrong += result[i] != a * x[i] + y[i];
    return wrong;
}

static void print_statistics(struct cowarp_gpu *gpu)
{
    static const char *const names[] = {"thread_instructions", "l2_reads", "l2_read_misses", "dram_reads"};
    printf("%llu cycles, %.2f us simulated\n", (unsigned long long)cowarp_cycles(gpu), cowarp_microseconds(gpu));
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        uint64_t value;
        if (cowarp_counter(gpu, names[i], &value) == COWARP_OK)
            printf("%-20s %llu\n", names[i], (unsigned long long)value);
    }
}

int main(void)
{
    static const char *const settings[] = {"core.count=4", NULL};
    struct cowarp_options options;
    struct cowarp_gpu *gpu;
    for (unsigned i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = (float)(N - i);
    }
    cowarp_options_init(&options);
    options.settings = settings;
    int status = cowarp_create(&gpu, &options);
    if (status == COWARP_OK)
        status = saxpy(gpu, 2.0f);
    if (status != COWARP_OK) {
        fprintf(stderr, "saxpy: %s\n", cowarp_error(gpu));
        cowarp_destroy(gpu);
        return 1;
    }
    print_statistics(gpu);
    const unsigned wrong = wrong_results(2.0f);
    printf("%u of %u results are wrong\n", wrong, N);
    cowarp_destroy(gpu);
    return wrong != 0;
}
