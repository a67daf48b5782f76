/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program whose data survives a power failure: a key-value store in persistent memory with an undo log, on a simulated GPU.
 *
 *     cmake --build build --target pm_store
 *     build/pm_store store.pm 5000    # the power fails after 5,000 cycles of a kernel
 *     build/pm_store store.pm         # recovers what the file has, checks it, and goes on
 *
 * Each run recovers first. Then it puts a new pair into every slot. The pair's two words lie in different lines, so a failure may come when
 * one of them is durable and the other is not. Recovery undoes such a put.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cowarp/cowarp.h"

#define SLOTS   1024u /* a power of two: key % SLOTS is the slot */
#define THREADS 128u
#define FACTOR  2654435761u /* value = key * FACTOR: so a pair shows whether its halves belong together */

/* The store as the kernels see it. All zeros is an empty store. */
struct store {
    uint32_t key[SLOTS], value[SLOTS];
    uint32_t valid[SLOTS];                     /* of the undo log: the slot's put is on its way */
    uint32_t old_key[SLOTS], old_value[SLOTS]; /* of the undo log: what was there before it */
};

/* Where the arrays begin; 4096 is 4 * SLOTS. Neighbours in a warp have slots in different lines. */
#define PLACE                                                    \
    "    .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n" \
    "    mov.u32 %r1, %ctaid.x;\n"                               \
    "    mov.u32 %r2, %ntid.x;\n"                                \
    "    mov.u32 %r3, %tid.x;\n"                                 \
    "    mad.lo.u32 %r4, %r1, %r2, %r3;\n"                       \
    "    mul.lo.u32 %r4, %r4, 37;\n"                             \
    "    and.b32 %r4, %r4, 1023;\n"                              \
    "    ld.param.u64 %rd1, [store];\n"                          \
    "    mul.wide.u32 %rd2, %r4, 4;\n"                           \
    "    add.u64 %rd3, %rd1, %rd2;\n"
#define KEY       "[%rd3]"
#define VALUE     "[%rd3+4096]"
#define VALID     "[%rd3+8192]"
#define OLD_KEY   "[%rd3+12288]"
#define OLD_VALUE "[%rd3+16384]"

static const char ptx[] = ".version 7.0\n"
                          ".target sm_50\n"
                          ".address_size 64\n"
                          ".extern .func ofence ();\n"
                          ".extern .func dfence ();\n"
                          ".visible .entry put(.param .u64 store)\n"
                          "{\n" PLACE "    ld.global.u32 %r5, " KEY ";\n"
                          "    ld.global.u32 %r6, " VALUE ";\n"
                          "    st.global.u32 " OLD_KEY ", %r5;\n"
                          "    st.global.u32 " OLD_VALUE ", %r6;\n"
                          "    call.uni ofence, ();\n" /* the log has the old pair before it is valid */
                          "    st.global.u32 " VALID ", 1;\n"
                          "    call.uni ofence, ();\n" /* it is valid before the pair changes */
                          "    or.b32 %r7, %r5, %r4;\n"
                          "    add.u32 %r7, %r7, 1024;\n"
                          "    mul.lo.u32 %r8, %r7, 2654435761;\n"
                          "    st.global.u32 " KEY ", %r7;\n"
                          "    st.global.u32 " VALUE ", %r8;\n"
                          "    call.uni ofence, ();\n" /* the pair is whole before the log lets go of the old one */
                          "    st.global.u32 " VALID ", 0;\n"
                          "    call.uni dfence, ();\n" /* the put is durable when its thread ends */
                          "    ret;\n"
                          "}\n"
                          ".visible .entry recover(.param .u64 store)\n"
                          "{\n" PLACE "    ld.global.u32 %r5, " VALID ";\n"
                          "    setp.eq.u32 %p1, %r5, 0;\n"
                          "    @%p1 bra done;\n"
                          "    ld.global.u32 %r6, " OLD_KEY ";\n"
                          "    ld.global.u32 %r7, " OLD_VALUE ";\n"
                          "    st.global.u32 " KEY ", %r6;\n"
                          "    st.global.u32 " VALUE ", %r7;\n"
                          "    call.uni ofence, ();\n" /* the power may fail again: the log stays valid until the pair is back */
                          "    st.global.u32 " VALID ", 0;\n"
                          "    call.uni dfence, ();\n"
                          "done:\n"
                          "    ret;\n"
                          "}\n";

static struct store seen;

static int launch(struct cowarp_gpu *gpu, struct cowarp_module *module, const char *kernel, uint64_t store)
{
    const struct cowarp_arg args[] = {COWARP_U64(store)};
    const struct cowarp_launch launch = {
        .size = sizeof launch, .kernel = kernel, .grid = {SLOTS / THREADS, 1, 1}, .block = {THREADS, 1, 1}, .arg_count = 1, .args = args};
    return cowarp_run(gpu, module, &launch);
}

static unsigned count(const uint32_t *words)
{
    unsigned n = 0;
    for (unsigned i = 0; i < SLOTS; i++)
        n += words[i] != 0;
    return n;
}

/* Pairs whose halves do not belong together, or that are in another one's slot. */
static unsigned wrong_pairs(void)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < SLOTS; i++)
        wrong += seen.value[i] != seen.key[i] * FACTOR || (seen.key[i] != 0 && seen.key[i] % SLOTS != i);
    return wrong;
}

/* *wrong: pairs that recovery has not put right. */
static int use_store(struct cowarp_gpu *gpu, unsigned *wrong)
{
    struct cowarp_module *module;
    uint64_t store;
    int status = cowarp_load(gpu, &module, ptx, strlen(ptx), "pm_store.ptx");
    if (status == COWARP_OK)
        status = cowarp_pm_alloc(gpu, &store, "store", sizeof seen); /* the file's, or a new one of zeros */
    if (status == COWARP_OK)
        status = cowarp_read(gpu, &seen, store, sizeof seen);
    if (status != COWARP_OK)
        return status;
    printf("found: %u pairs, %u puts to undo\n", count(seen.key), count(seen.valid));
    status = launch(gpu, module, "recover", store);
    if (status == COWARP_OK)
        status = cowarp_read(gpu, &seen, store, sizeof seen);
    if (status != COWARP_OK)
        return status;
    *wrong = wrong_pairs() + count(seen.valid);
    printf("recovered: %u pairs, %u of them wrong\n", count(seen.key), *wrong);
    return *wrong == 0 ? launch(gpu, module, "put", store) : COWARP_OK;
}

int main(int argc, char **argv)
{
    struct cowarp_options options;
    struct cowarp_gpu *gpu;
    unsigned wrong = 0;
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: pm_store FILE [CYCLES]\n");
        return 2;
    }
    cowarp_options_init(&options);
    options.preset = "sbrp-near";
    options.persistency = "sbrp";
    options.pm_file = argv[1];
    options.max_cycles = argc == 3 ? strtoull(argv[2], NULL, 10) : 0; /* of a kernel; 0: no limit */
    int status = cowarp_create(&gpu, &options);
    if (status == COWARP_OK)
        status = use_store(gpu, &wrong);
    if (status == COWARP_ELIMIT)
        printf("the power has failed: %s\n", cowarp_error(gpu));
    else if (status != COWARP_OK)
        fprintf(stderr, "pm_store: %s\n", cowarp_error(gpu));
    else if (wrong == 0)
        printf("put %u pairs in %llu cycles\n", SLOTS, (unsigned long long)cowarp_cycles(gpu));
    cowarp_destroy(gpu); /* the file gets what is durable, and nothing else */
    return wrong != 0 || (status != COWARP_OK && status != COWARP_ELIMIT);
}
