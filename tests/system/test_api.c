/* SPDX-License-Identifier: Apache-2.0 */
/* libcowarp's promises about memory that is freed, a GPU that has failed, and structs of another version. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cowarp/cowarp.h"
#include "cw_test.h"

#define WORDS   64u
#define STRIDE  256u /* bytes between words, so that all partitions have some */
#define BLOCKS  4u
#define THREADS 32u

/* Thread t works on word (40503 t / 16) mod 64. */
#define ENTRY(name, body)                                      \
    ".visible .entry " name "(.param .u64 words)\n{\n"         \
    ".reg .pred %p<4>;\n.reg .b32 %r<16>;\n.reg .b64 %a<4>;\n" \
    "ld.param.u64 %a1, [words];\n"                             \
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\n"          \
    "mov.u32 %r3, %tid.x;\nmad.lo.s32 %r4, %r1, %r2, %r3;\n"   \
    "mul.lo.s32 %r5, %r4, 40503;\nshr.u32 %r5, %r5, 4;\n"      \
    "and.b32 %r5, %r5, 63;\nmul.wide.u32 %a2, %r5, 256;\n"     \
    "add.s64 %a2, %a1, %a2;\nmov.u64 %a3, 0;\n" body "ret;\n}\n"
#define FILE_HEAD ".version 7.0\n.target sm_35\n.address_size 64\n.visible .global .align 4 .u32 variable = 5;\n"
#define NULL_LOAD "setp.eq.u32 %p1, %r4, 77;\n@%p1 ld.volatile.global.u32 %r6, [%a3];\n"
#define FOR_EVER                                                                      \
    "again:\nld.volatile.global.u32 %r6, [%a2];\nsetp.ne.u32 %p1, %r6, 0xffffffff;\n" \
    "@%p1 bra again;\n"
#define BEGIN "call.uni tx_begin, ();\nld.volatile.global.u32 %r7, [%a2];\nadd.u32 %r7, %r7, 1;\n"
#define END   "st.volatile.global.u32 [%a2], %r7;\ncall.uni tx_commit, ();\n"
#define ADD   "red.global.add.u32 [%a2], 1;\n"

static const char with_tx[] = FILE_HEAD ".extern .func tx_begin\n()\n;\n.extern .func tx_commit\n()\n;\n" ENTRY("good", BEGIN END)
    ENTRY("fault", BEGIN NULL_LOAD END) ENTRY("spin", BEGIN "st.volatile.global.u32 [%a2], %r7;\n" FOR_EVER END);
static const char without[] =
    FILE_HEAD ENTRY("good", ADD "ld.volatile.global.u32 %r6, [%a2];\n") ENTRY("fault", ADD NULL_LOAD) ENTRY("spin", ADD FOR_EVER);

/* A module without variables. */
static const char plain[] = ".version 7.0\n.target sm_35\n.address_size 64\n" ENTRY("other", ADD);

struct machine {
    struct cowarp_gpu *gpu;
    struct cowarp_module *module;
    uint64_t words;
};

static struct machine create(const struct cowarp_options *options)
{
    struct machine m;
    const int tx = strcmp(options->system, "none") != 0;
    if (cowarp_create(&m.gpu, options) != 0)
        fail_msg("%s", cowarp_error(m.gpu));
    assert_int_equal(cowarp_load(m.gpu, &m.module, tx ? with_tx : without, strlen(tx ? with_tx : without), "api.ptx"), 0);
    assert_int_equal(cowarp_alloc(m.gpu, &m.words, WORDS * STRIDE), 0);
    return m;
}

static struct machine create_plain(void)
{
    struct cowarp_options options;
    cowarp_options_init(&options);
    return create(&options);
}

static int run(const struct machine *m, const char *kernel)
{
    const struct cowarp_arg args[] = {COWARP_U64(m->words)};
    const struct cowarp_launch launch = {
        .size = sizeof launch, .kernel = kernel, .grid = {BLOCKS, 1, 1}, .block = {THREADS, 1, 1}, .arg_count = 1, .args = args};
    return cowarp_run(m->gpu, m->module, &launch);
}

static void expect(struct cowarp_gpu *gpu, int status, int wanted, const char *text)
{
    if (status != wanted || strstr(cowarp_error(gpu), text) == NULL)
        fail_msg("status %d, '%s'; expected %d, '%s'", status, cowarp_error(gpu), wanted, text);
}

/* Kernels that cannot run */

struct notices {
    uint32_t cnt;
    char last[600];
};

static void note(void *context, const char *text)
{
    struct notices *n = context;
    n->cnt++;
    snprintf(n->last, sizeof n->last, "%s", text);
}

static void test_api__kernel_that_cannot_run(void **state)
{
    (void)state;
    static const char text[] = FILE_HEAD ENTRY("textured", "tex.2d.v4.f32.s32 x;\n") ENTRY("good", ADD);
    struct notices notices = {0};
    struct cowarp_options options;
    cowarp_options_init(&options);
    options.on_message = note;
    options.context = &notices;
    struct machine m = create(&options);
    assert_int_equal(notices.cnt, 0);
    assert_int_equal(cowarp_load(m.gpu, &m.module, text, sizeof text - 1, "two.ptx"), COWARP_OK);
    assert_int_equal(notices.cnt, 1);
    char expected[600];
    expect(m.gpu, run(&m, "textured"), COWARP_EUNSUP, "textures are not supported: tex.2d.v4.f32.s32 x;");
    assert_memory_equal(cowarp_error(m.gpu), "two.ptx:", 8);
    snprintf(expected, sizeof expected, "kernel textured of two.ptx cannot run: %s", cowarp_error(m.gpu));
    assert_string_equal(notices.last, expected);
    assert_int_equal(run(&m, "good"), COWARP_OK); /* without a reset */
    cowarp_destroy(m.gpu);
}

/* Freeing */

static void test_api__freed_memory_faults(void **state)
{
    (void)state;
    struct machine m = create_plain();
    uint64_t before, after;
    assert_int_equal(cowarp_alloc(m.gpu, &before, 1000), 0);
    assert_int_equal(run(&m, "good"), 0);
    assert_int_equal(cowarp_free(m.gpu, m.words), 0);
    expect(m.gpu, cowarp_read(m.gpu, &after, m.words, 4), COWARP_EINVAL, "not in allocated device memory");
    expect(m.gpu, run(&m, "good"), COWARP_EFAULT, "not allocated");
    assert_int_equal(cowarp_write(m.gpu, before, &after, 4), 0);
    cowarp_destroy(m.gpu);
}

static void test_api__freed_memory_comes_back_as_zeros(void **state)
{
    (void)state;
    struct machine m = create_plain();
    const uint64_t first = m.words;
    uint32_t value = 1;
    assert_int_equal(run(&m, "good"), 0);
    assert_int_equal(cowarp_read(m.gpu, &value, m.words, 4), 0);
    assert_int_not_equal(value, 0);
    assert_int_equal(cowarp_free(m.gpu, m.words), 0);
    assert_int_equal(cowarp_alloc(m.gpu, &m.words, WORDS * STRIDE - 100), 0);
    assert_int_equal(m.words, first);
    for (uint32_t w = 0; w < WORDS; w++) {
        assert_int_equal(cowarp_read(m.gpu, &value, m.words + w * STRIDE, 4), 0);
        assert_int_equal(value, 0);
    }
    assert_int_equal(run(&m, "good"), 0);
    cowarp_destroy(m.gpu);
}

/* Copies and the L2 */

#define L2_BYTES (6u * 131072u)

/* Reads of DRAM that the kernel makes of a buffer's last bytes, of those that lie L2_BYTES before its end, and of its first, after the host
 * has written all of it. bytes: at least L2_BYTES. */
static void reads_after_a_copy(const char *setting, uint32_t bytes, uint64_t reads[3])
{
    const char *const settings[] = {setting, NULL};
    struct cowarp_options options;
    cowarp_options_init(&options);
    options.settings = settings;
    struct machine m = create(&options);
    uint8_t *data = calloc(1, bytes);
    uint64_t buffer, before = 0;
    assert_non_null(data);
    assert_int_equal(cowarp_alloc(m.gpu, &buffer, bytes), 0);
    assert_int_equal(cowarp_write(m.gpu, buffer, data, bytes), 0);
    const uint64_t place[3] = {buffer + bytes - WORDS * STRIDE, buffer + bytes - L2_BYTES, buffer};
    for (uint32_t i = 0; i < 3; i++) {
        m.words = place[i];
        assert_int_equal(run(&m, "good"), 0);
        assert_int_equal(cowarp_counter(m.gpu, "dram_reads", &reads[i]), 0);
        reads[i] -= before;
        before += reads[i];
    }
    free(data);
    cowarp_destroy(m.gpu);
}

/* Of a copy that is larger than the L2 the end stays, as much as there is room for. */
static void test_api__copies_lie_in_the_l2(void **state)
{
    (void)state;
    uint64_t reads[3];
    reads_after_a_copy("l2.host_copies=off", 3 * L2_BYTES, reads);
    assert_true(reads[0] > 0 && reads[1] > 0 && reads[2] > 0);
    reads_after_a_copy("l2.host_copies=on", 3 * L2_BYTES, reads);
    assert_true(reads[0] == 0 && reads[1] == 0);
    assert_true(reads[2] > 0);
    reads_after_a_copy("l2.host_copies=on", L2_BYTES, reads);
    assert_true(reads[0] == 0 && reads[1] == 0 && reads[2] == 0);
}

/* A launch that was stopped has left misses under way in the L2. The host can look at memory nevertheless. */
static void test_api__copies_after_a_failure(void **state)
{
    (void)state;
    static const char *const settings[] = {"l2.host_copies=on", NULL};
    struct cowarp_options options;
    uint32_t value = 7, back = 0;
    cowarp_options_init(&options);
    options.settings = settings;
    options.max_cycles = 300; /* in the middle of the first misses */
    struct machine m = create(&options);
    assert_int_equal(run(&m, "spin"), COWARP_ELIMIT);
    assert_int_equal(cowarp_write(m.gpu, m.words + STRIDE, &value, sizeof value), 0);
    assert_int_equal(cowarp_read(m.gpu, &back, m.words + STRIDE, sizeof back), 0);
    assert_int_equal(back, 7);
    cowarp_destroy(m.gpu);
}

#define LOOKS 3u

struct looker {
    struct machine m;
    uint64_t other; /* another buffer, twice as large as the L2 */
    uint8_t *copy;
    uint32_t looks;
    uint64_t reads[LOOKS]; /* of DRAM, so far */
};

/* Looks at other memory while the kernel runs, and stops it at the last look. */
static int look(void *context, uint64_t cycles, uint64_t blocks_done, uint64_t blocks_total)
{
    struct looker *l = context;
    (void)cycles, (void)blocks_done, (void)blocks_total;
    assert_int_equal(cowarp_counter(l->m.gpu, "dram_reads", &l->reads[l->looks]), 0);
    assert_int_equal(cowarp_read(l->m.gpu, l->copy, l->other, 2 * L2_BYTES), 0);
    return ++l->looks == LOOKS;
}

/* A look at memory during a launch leaves the L2 as it is: what the kernel reads again and again stays there. */
static void test_api__looks_during_a_launch(void **state)
{
    (void)state;
    static const char *const settings[] = {"l2.host_copies=on", NULL};
    struct cowarp_options options;
    struct looker l = {.copy = malloc(2 * L2_BYTES)};
    assert_non_null(l.copy);
    cowarp_options_init(&options);
    options.settings = settings;
    options.on_progress = look;
    options.context = &l;
    l.m = create(&options);
    assert_int_equal(cowarp_alloc(l.m.gpu, &l.other, 2 * L2_BYTES), 0);
    assert_int_equal(run(&l.m, "spin"), COWARP_ELIMIT);
    assert_int_equal(l.looks, LOOKS);
    assert_true(l.reads[0] > 0);
    for (uint32_t i = 1; i < LOOKS; i++)
        assert_int_equal(l.reads[i], l.reads[0]);
    cowarp_destroy(l.m.gpu);
    free(l.copy);
}

struct placed {
    uint64_t words, cycles;
};

/* A run whose buffer was allocated before the modules, between them, or after them. The first has variables, the second none. */
static struct placed with_the_buffer_at(int place)
{
    struct cowarp_gpu *gpu;
    struct cowarp_options options;
    struct cowarp_module *module[2];
    uint64_t words = 0;
    cowarp_options_init(&options);
    assert_int_equal(cowarp_create(&gpu, &options), 0);
    for (int i = 0; i < 3; i++) {
        if (i == place)
            assert_int_equal(cowarp_alloc(gpu, &words, WORDS * STRIDE), 0);
        if (i < 2)
            assert_int_equal(cowarp_load(gpu, &module[i], i == 0 ? without : plain, strlen(i == 0 ? without : plain), "order.ptx"), 0);
    }
    const struct machine m = {gpu, module[0], words};
    assert_int_equal(run(&m, "good"), 0);
    const struct placed p = {words, cowarp_cycles(gpu)};
    cowarp_destroy(gpu);
    return p;
}

static void test_api__the_order_of_modules_and_buffers_does_not_matter(void **state)
{
    (void)state;
    const struct placed first = with_the_buffer_at(0);
    assert_true(first.cycles > 100);
    for (int place = 1; place < 3; place++) {
        const struct placed other = with_the_buffer_at(place);
        assert_int_equal(other.words, first.words);
        assert_int_equal(other.cycles, first.cycles);
    }
}

/* Variables and arguments by value */

static const char values[] = ".version 7.0\n.target sm_35\n.address_size 64\n"
                             ".const .align 4 .u32 table[3] = {10, 20, 30};\n.global .align 4 .u32 sum[2] = {5, 6};\n"
                             ".visible .entry k(.param .align 8 .b8 s[24], .param .u64 out, .param .u32 one)\n{\n"
                             ".reg .b32 %r<8>;\n.reg .b64 %a<4>;\nld.param.u64 %a1, [out];\nld.param.u64 %a2, [s+16];\n"
                             "ld.const.u32 %r1, [table+4];\nld.global.nc.u32 %r2, [sum+4];\nst.global.u64 [%a1], %a2;\n"
                             "st.global.u32 [%a1+8], %r1;\nst.global.u32 [%a1+12], %r2;\nld.param.u32 %r3, [one];\n"
                             "st.global.u32 [%a1+16], %r3;\nret;\n}\n";

static int run_values(struct machine *m, struct cowarp_arg first, uint32_t out[6])
{
    const struct cowarp_arg args[] = {first, COWARP_U64(m->words), COWARP_U32(9)};
    const struct cowarp_launch launch = {
        .size = sizeof launch, .kernel = "k", .grid = {1, 1, 1}, .block = {1, 1, 1}, .arg_count = 3, .args = args};
    int status = cowarp_run(m->gpu, m->module, &launch);
    assert_int_equal(cowarp_read(m->gpu, out, m->words, 6 * sizeof *out), 0);
    return status;
}

static void test_api__structs_and_variables(void **state)
{
    (void)state;
    struct machine m = create_plain();
    const uint64_t value[3] = {1, 2, 0x1122334455667788};
    uint64_t address = 0;
    const struct cowarp_bytes whole = {value, 24}, part = {value, 16}, none = {NULL, 24};
    const uint32_t two[2] = {21, 31};
    uint32_t out[6] = {0}, back[3] = {0};
    assert_int_equal(cowarp_load(m.gpu, &m.module, values, sizeof values - 1, "values.ptx"), 0);
    assert_int_equal(run_values(&m, COWARP_BYTES(&whole), out), 0);
    assert_int_equal(out[0], 0x55667788);
    assert_int_equal(out[1], 0x11223344);
    assert_int_equal(out[2], 20);
    assert_int_equal(out[3], 6);
    assert_int_equal(out[4], 9);
    assert_int_equal(cowarp_symbol_write(m.gpu, m.module, "table", 4, two, 8), 0);
    assert_int_equal(cowarp_symbol_write(m.gpu, m.module, "sum", 4, two, 4), 0);
    assert_int_equal(run_values(&m, COWARP_BYTES(&whole), out), 0);
    assert_int_equal(out[2], 21);
    assert_int_equal(out[3], 21);
    assert_int_equal(cowarp_symbol_read(m.gpu, m.module, "table", 0, back, 12), 0);
    assert_true(back[0] == 10 && back[1] == 21 && back[2] == 31);
    assert_int_equal(cowarp_symbol_read(m.gpu, m.module, "sum", 0, back, 8), 0);
    assert_true(back[0] == 5 && back[1] == 21);
    expect(m.gpu, cowarp_symbol_write(m.gpu, m.module, "table", 8, two, 8), COWARP_EINVAL,
           "values.ptx: variable 'table' has 12 bytes; 8 at offset 8 are not in it");
    expect(m.gpu, cowarp_symbol_read(m.gpu, m.module, "sum", UINT64_MAX, back, 4), COWARP_EINVAL, "'sum' has 8 bytes");
    expect(m.gpu, cowarp_symbol_read(m.gpu, m.module, "tables", 0, back, 4), COWARP_EINVAL, "has no variable 'tables'");
    expect(m.gpu, cowarp_symbol(m.gpu, m.module, "table", &address, &address), COWARP_EINVAL, "cowarp_symbol_write");
    expect(m.gpu, run_values(&m, COWARP_BYTES(&part), out), COWARP_EINVAL,
           "k: argument 1 (s): the parameter has 24 bytes, the argument 16");
    expect(m.gpu, run_values(&m, COWARP_U64(1), out), COWARP_EINVAL, "the parameter has 24 bytes, the argument 8");
    expect(m.gpu, run_values(&m, COWARP_BYTES(&none), out), COWARP_EINVAL, "argument 1 (s): there are no bytes (NULL)");
    expect(m.gpu, run_values(&m, COWARP_BYTES(NULL), out), COWARP_EINVAL, "there are no bytes (NULL)");
    cowarp_destroy(m.gpu);
}

static uint64_t counter(const struct machine *m, const char *name)
{
    uint64_t value = 0;
    assert_int_equal(cowarp_counter(m->gpu, name, &value), 0);
    return value;
}

/* gtx480 reads constants, parameters and loads with .nc through caches, which would keep what the host writes between launches from kernels
 * if they kept lines that have changed: one of each. The last launches are of a machine that has the parameters at hand. */
static void test_api__constants_and_parameters_through_a_cache(void **state)
{
    (void)state;
    static const char *const cached[] = {"core.count=1", NULL}, *const at_hand[] = {"core.count=1", "const.params=off", NULL};
    const uint64_t value[3] = {1, 2, 0x1122334455667788}, other[3] = {0, 0, 7};
    const struct cowarp_bytes whole = {value, 24}, changed = {other, 24};
    const uint32_t two[2] = {21, 31};
    uint32_t out[6] = {0};
    struct cowarp_options options;
    cowarp_options_init(&options);
    options.preset = "gtx480";
    options.system = "none";
    for (int params = 1; params >= 0; params--) {
        options.settings = params != 0 ? cached : at_hand;
        struct machine m = create(&options);
        assert_int_equal(cowarp_load(m.gpu, &m.module, values, sizeof values - 1, "values.ptx"), 0);
        assert_int_equal(run_values(&m, COWARP_BYTES(&whole), out), 0);
        assert_true(out[0] == 0x55667788 && out[1] == 0x11223344 && out[2] == 20 && out[3] == 6 && out[4] == 9);
        assert_int_equal(counter(&m, "const_fills"), params != 0 ? 2 : 1);
        assert_int_equal(counter(&m, "const_reads"), params != 0 ? 4 : 1);
        assert_int_equal(cowarp_symbol_write(m.gpu, m.module, "table", 4, two, 8), 0);
        assert_int_equal(cowarp_symbol_write(m.gpu, m.module, "sum", 4, two, 4), 0);
        assert_int_equal(run_values(&m, COWARP_BYTES(&changed), out), 0);
        assert_true(out[0] == 7 && out[1] == 0 && out[2] == 21 && out[3] == 21 && out[4] == 9);
        assert_int_equal(counter(&m, "texture_fills"), 2);
        assert_int_equal(counter(&m, "const_fills"), params != 0 ? 4 : 2);
        const uint64_t code = counter(&m, "icache_fills");
        assert_int_equal(run_values(&m, COWARP_BYTES(&changed), out), 0); /* nothing has changed but the parameters' addresses */
        assert_true(out[0] == 7 && out[1] == 0 && out[2] == 21 && out[3] == 21 && out[4] == 9);
        assert_int_equal(counter(&m, "texture_fills"), 2);
        assert_int_equal(counter(&m, "const_fills"), params != 0 ? 5 : 2);
        assert_int_equal(counter(&m, "icache_fills"), code);
        cowarp_destroy(m.gpu);
    }
}

static void test_api__wrong_free_is_refused(void **state)
{
    (void)state;
    struct machine m = create_plain();
    uint64_t variable, bytes;
    assert_int_equal(cowarp_symbol(m.gpu, m.module, "variable", &variable, &bytes), 0);
    expect(m.gpu, cowarp_free(m.gpu, variable), COWARP_EINVAL, "variables of a module");
    expect(m.gpu, cowarp_free(m.gpu, m.words + 256), COWARP_EINVAL, "lies inside the allocation of 16384 bytes");
    expect(m.gpu, cowarp_free(m.gpu, 0), COWARP_EINVAL, "nothing is allocated there");
    assert_int_equal(run(&m, "good"), 0); /* nothing has changed */
    assert_int_equal(cowarp_free(m.gpu, m.words), 0);
    expect(m.gpu, cowarp_free(m.gpu, m.words), COWARP_EINVAL, "was it freed before?");
    cowarp_destroy(m.gpu);
}

/* Local memory, which holds the transaction logs, lies behind the buffer when the first launch has been. */
static void test_api__local_memory_is_not_freed(void **state)
{
    (void)state;
    struct cowarp_options options;
    cowarp_options_init(&options);
    options.system = "getm";
    struct machine m = create(&options);
    assert_int_equal(run(&m, "good"), 0);
    expect(m.gpu, cowarp_free(m.gpu, m.words + WORDS * STRIDE), COWARP_EINVAL, "local memory");
    cowarp_destroy(m.gpu);
}

/* Reset */

#define COUNTERS 256

struct counts {
    uint64_t cycles, value[COUNTERS];
    uint32_t cnt;
};

static struct counts counts_of(const struct cowarp_gpu *gpu)
{
    struct counts c = {.cycles = cowarp_cycles(gpu)};
    const char *name, *unit, *what;
    while (c.cnt < COUNTERS && cowarp_counter_at(gpu, c.cnt, &name, &c.value[c.cnt], &unit, &what))
        c.cnt++;
    return c;
}

/* Zeroes the words, runs the good kernel, and checks what it has counted. Returns what it has added to each counter. */
static struct counts run_good(const struct machine *m)
{
    uint32_t want[WORDS] = {0}, value;
    static const uint8_t zeros[WORDS * STRIDE];
    assert_int_equal(cowarp_write(m->gpu, m->words, zeros, sizeof zeros), 0);
    const struct counts before = counts_of(m->gpu);
    if (run(m, "good") != 0)
        fail_msg("%s", cowarp_error(m->gpu));
    for (uint32_t t = 0; t < BLOCKS * THREADS; t++)
        want[t * 40503u >> 4 & 63]++;
    for (uint32_t w = 0; w < WORDS; w++) {
        assert_int_equal(cowarp_read(m->gpu, &value, m->words + w * STRIDE, 4), 0);
        assert_int_equal(value, want[w]);
    }
    struct counts added = counts_of(m->gpu);
    added.cycles -= before.cycles;
    for (uint32_t i = 0; i < added.cnt; i++)
        added.value[i] -= before.value[i];
    return added;
}

/* All counters that are sums. Those of a new GPU obey the conservation laws, so then these do. */
static uint32_t expect_equal(struct cowarp_gpu *gpu, const struct counts *a, const struct counts *b)
{
    uint32_t compared = 0;
    assert_int_equal(a->cnt, b->cnt);
    for (uint32_t i = 0; i < a->cnt; i++) {
        const char *name, *unit, *what;
        uint64_t value;
        assert_int_equal(cowarp_counter_at(gpu, i, &name, &value, &unit, &what), 1);
        if (strstr(what, "(maximum)") != NULL)
            continue;
        if (a->value[i] != b->value[i])
            fail_msg("%s: %llu after a reset, %llu on a new GPU", name, (unsigned long long)a->value[i], (unsigned long long)b->value[i]);
        compared++;
    }
    assert_int_equal(a->cycles, b->cycles);
    return compared;
}

struct failure {
    const char *kernel;
    uint64_t max_cycles;
    int status;
};

static const struct failure failures[] = {
    {"fault", 0, COWARP_EFAULT},
    {"spin", 0, COWARP_EDEADLOCK},
    {"spin", 25000, COWARP_ELIMIT}, /* a good run takes less; four times as many for serial */
};

/* A run after a failure and a reset is that of a new GPU, and so is the one after it. */
static uint32_t fail_and_reset(const char *system, const char *const *units, const struct failure *f)
{
    static const char *const settings[] = {"watchdog.cycles=50000", "watchdog.livelock_cycles=50000", NULL};
    struct cowarp_options options;
    cowarp_options_init(&options);
    options.settings = f->max_cycles == 0 ? settings : NULL;
    options.system = system;
    options.units = units;
    options.check_serial = 1;
    options.max_cycles = strcmp(system, "serial") == 0 ? 4 * f->max_cycles : f->max_cycles;
    struct machine fresh = create(&options), m = create(&options);
    const struct counts want = run_good(&fresh);
    uint32_t compared = 0;
    for (int round = 0; round < 2; round++) {
        expect(m.gpu, run(&m, f->kernel), f->status, "");
        assert_true((cowarp_report(m.gpu)[0] != '\0') == (f->status == COWARP_EDEADLOCK));
        expect(m.gpu, run(&m, "good"), COWARP_EINVAL, "cowarp_reset");
        const struct counts before = counts_of(m.gpu);
        if (cowarp_reset(m.gpu) != 0)
            fail_msg("%s", cowarp_error(m.gpu));
        const struct counts after = counts_of(m.gpu);
        assert_memory_equal(before.value, after.value, sizeof before.value);
        assert_true(after.cycles >= before.cycles);
        assert_string_equal(cowarp_report(m.gpu), "");
        const struct counts got = run_good(&m);
        compared += expect_equal(m.gpu, &got, &want);
    }
    cowarp_destroy(fresh.gpu);
    cowarp_destroy(m.gpu);
    return compared;
}

static void test_api__reset_after_each_failure(void **state)
{
    (void)state;
    static const char *const systems[] = {"none", "getm", "kilotm", "warptm", "eapg", "warptm-el", "ideal", "serial"};
    uint32_t compared = 0;
    for (size_t s = 0; s < sizeof systems / sizeof systems[0]; s++)
        for (size_t f = 0; f < sizeof failures / sizeof failures[0]; f++)
            compared += fail_and_reset(systems[s], NULL, &failures[f]);
    print_message("%u counters compared\n", (unsigned)compared);
    assert_true(compared > 48 * 50);
}

#define CHILD                                                                                                                           \
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 k, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12]," \
    " .param .b32 s);\n.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);\n"                         \
    ".visible .entry child(.param .u64 p) { .reg .u64 %d; ld.param.u64 %d, [p]; red.global.add.u32 [%d], 1; ret; }\n"
#define LAUNCH_CHILD                                                                                                  \
    ".param .b64 k, q, r, s; .param .align 4 .b8 g[12], b[12]; .param .b32 n, t; st.param.b64 [k], child;"            \
    " st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1; st.param.b32 [b], 1; st.param.b32 [b+4], 1;" \
    " st.param.b32 [b+8], 1; st.param.b32 [n], 0; call.uni (r), __cudaCDP2GetParameterBufferV2, (k, g, b, n);"        \
    " .reg .u64 %e<3>; ld.param.u64 %e1, [r]; ld.param.u64 %e2, [p]; st.u64 [%e1], %e2; st.param.b64 [q], %e1;"       \
    " st.param.b64 [s], 0; call.uni (t), __cudaCDP2LaunchDeviceV2, (q, s);\n"

/* What a kernel has launched before it failed is not run after a reset. */
static void test_api__children_of_a_failure(void **state)
{
    (void)state;
    static const char text[] =
        ".version 8.0\n.target sm_70\n.address_size 64\n" CHILD ".visible .entry fails(.param .u64 p) { " LAUNCH_CHILD "trap; ret; }\n"
        ".visible .entry quiet(.param .u64 p) { ret; }\n"
        ".visible .entry parent(.param .u64 p) { " LAUNCH_CHILD "ret; }\n";
    struct cowarp_options options;
    uint32_t word;
    cowarp_options_init(&options);
    options.functional = 1; /* All that the kernel has written is in memory; with time a part of it is lost with the caches. */
    struct machine m = create(&options);
    assert_int_equal(cowarp_load(m.gpu, &m.module, text, sizeof text - 1, "children.ptx"), COWARP_OK);
    assert_int_equal(run(&m, "parent"), COWARP_OK);
    assert_int_equal(cowarp_read(m.gpu, &word, m.words, sizeof word), COWARP_OK);
    assert_int_equal(word, BLOCKS * THREADS);
    expect(m.gpu, run(&m, "fails"), COWARP_EFAULT, "trap");
    assert_int_equal(cowarp_reset(m.gpu), COWARP_OK);
    assert_int_equal(run(&m, "quiet"), COWARP_OK);
    assert_int_equal(cowarp_read(m.gpu, &word, m.words, sizeof word), COWARP_OK);
    assert_int_equal(word, BLOCKS * THREADS);
    cowarp_destroy(m.gpu);
}

static void test_api__reset_makes_rtl_units_anew(void **state)
{
    (void)state;
    static const char *const rtl[] = {"validation_unit=rtl", NULL}, *const lockstep[] = {"validation_unit=lockstep", NULL};
    assert_true(fail_and_reset("getm", rtl, &failures[0]) > 50);
    assert_true(fail_and_reset("getm", lockstep, &failures[1]) > 50);
}

static void test_api__reset_keeps_memory_and_modules(void **state)
{
    (void)state;
    struct machine m = create_plain();
    uint64_t variable, bytes, other;
    uint32_t value = 0;
    assert_int_equal(cowarp_symbol(m.gpu, m.module, "variable", &variable, &bytes), 0);
    assert_int_equal(cowarp_reset(m.gpu), 0); /* without a failure */
    assert_int_equal(run(&m, "fault"), COWARP_EFAULT);
    assert_int_equal(cowarp_alloc(m.gpu, &other, 4), 0);
    assert_int_equal(cowarp_free(m.gpu, other), 0);
    assert_int_equal(cowarp_reset(m.gpu), 0);
    assert_int_equal(cowarp_read(m.gpu, &value, variable, 4), 0);
    assert_int_equal(value, 5);
    run_good(&m);
    cowarp_destroy(m.gpu);
}

static void expect_no_reset(struct cowarp_options *options, const char *text)
{
    options->system = "getm";
    struct machine m = create(options);
    expect(m.gpu, cowarp_reset(m.gpu), COWARP_EINVAL, text);
    run_good(&m); /* nothing has changed */
    cowarp_destroy(m.gpu);
}

static void test_api__waves_and_recordings_forbid_a_reset(void **state)
{
    (void)state;
    struct cowarp_options options;
    cowarp_options_init(&options);
    options.wave_file = CW_BINARY_DIR "/test_api.fst";
    expect_no_reset(&options, "a GPU with a wave file");
    cowarp_options_init(&options);
    options.record = "partition0.validation_unit=" CW_BINARY_DIR "/test_api.stim";
    expect_no_reset(&options, "a GPU with a recording");
    remove(CW_BINARY_DIR "/test_api.fst");
    remove(CW_BINARY_DIR "/test_api.stim");
}

static void test_api__gpu_that_was_not_created_cannot_be_reset(void **state)
{
    (void)state;
    struct cowarp_options options;
    struct cowarp_gpu *gpu;
    cowarp_options_init(&options);
    options.preset = "no such preset";
    assert_int_equal(cowarp_create(&gpu, &options), COWARP_EINVAL);
    expect(gpu, cowarp_reset(gpu), COWARP_EINVAL, "could not be created");
    cowarp_destroy(gpu);
}

/* Sizes of structs */

static void test_api__options_of_other_sizes(void **state)
{
    (void)state;
    struct {
        struct cowarp_options options;
        char later[16];
    } newer;
    struct cowarp_gpu *gpu;
    memset(newer.later, 1, sizeof newer.later);
    cowarp_options_init_size(&newer.options, sizeof newer);
    assert_int_equal(newer.options.size, sizeof newer);
    assert_int_equal(newer.later[0] | newer.later[15], 0);
    assert_int_equal(cowarp_create(&gpu, &newer.options), COWARP_EINVAL);
    expect(gpu, COWARP_EINVAL, COWARP_EINVAL, "build with this library's cowarp.h");
    cowarp_destroy(gpu);
    newer.options.size = 0;
    assert_int_equal(cowarp_create(&gpu, &newer.options), COWARP_EINVAL);
    expect(gpu, COWARP_EINVAL, COWARP_EINVAL, "struct cowarp_options: its size is 0");
    cowarp_destroy(gpu);
    /* the members behind the first one that an old program does not have are not looked at */
    newer.later[0] = 77;
    cowarp_options_init_size(&newer.options, offsetof(struct cowarp_options, wave_file));
    assert_int_equal(newer.later[0], 77);
    memset((char *)&newer.options + newer.options.size, 0xee, sizeof newer.options - newer.options.size);
    assert_int_equal(cowarp_create(&gpu, &newer.options), COWARP_OK);
    cowarp_destroy(gpu);
}

static void test_api__launches_of_other_sizes(void **state)
{
    (void)state;
    struct machine m = create_plain();
    const struct cowarp_arg args[] = {COWARP_U64(m.words)};
    struct cowarp_launch launch = {.kernel = "good", .grid = {BLOCKS, 1, 1}, .block = {THREADS, 1, 1}, .arg_count = 1, .args = args};
    expect(m.gpu, cowarp_run(m.gpu, m.module, &launch), COWARP_EINVAL, "struct cowarp_launch: its size is 0");
    launch.size = sizeof launch + 8;
    expect(m.gpu, cowarp_run(m.gpu, m.module, &launch), COWARP_EINVAL, "build with this library's cowarp.h");
    launch.size = offsetof(struct cowarp_launch, args);
    expect(m.gpu, cowarp_run(m.gpu, m.module, &launch), COWARP_EINVAL, "args is NULL");
    launch.size = offsetof(struct cowarp_launch, arg_count);
    expect(m.gpu, cowarp_run(m.gpu, m.module, &launch), COWARP_EINVAL, "takes 1 arguments, given 0");
    launch.size = offsetof(struct cowarp_launch, kernel);
    expect(m.gpu, cowarp_run(m.gpu, m.module, &launch), COWARP_EINVAL, "names no kernel");
    launch.size = sizeof launch;
    assert_int_equal(cowarp_run(m.gpu, m.module, &launch), 0); /* a refusal is no failure */
    cowarp_destroy(m.gpu);
}

struct seen {
    const struct machine *m;
    uint32_t sum;
    int status;
};

/* The host's work between kernels. */
static int look_at_words(void *data)
{
    struct seen *s = data;
    for (uint32_t i = 0; i < WORDS; i++) {
        uint32_t word;
        assert_int_equal(cowarp_read(s->m->gpu, &word, s->m->words + (uint64_t)i * STRIDE, sizeof word), 0);
        s->sum += word;
    }
    return s->status;
}

/* Two kernels that may overlap, the host behind both, and a kernel behind the host. */
static int run_four(const struct machine *m, const char *first, struct seen *seen, struct cowarp_work w[4])
{
    static const uint32_t both[] = {0, 1}, host[] = {2};
    const struct cowarp_arg args[] = {COWARP_U64(m->words)};
    const struct cowarp_launch good = {
        .size = sizeof good, .kernel = "good", .grid = {BLOCKS, 1, 1}, .block = {THREADS, 1, 1}, .arg_count = 1, .args = args};
    struct cowarp_launch other = good;
    other.kernel = first;
    seen->m = m;
    w[0] = (struct cowarp_work){.size = sizeof w[0], .module = m->module, .launch = &other};
    w[1] = (struct cowarp_work){.size = sizeof w[0], .module = m->module, .launch = &good, .queue = 1};
    w[2] = (struct cowarp_work){.size = sizeof w[0], .call = look_at_words, .data = seen, .after = both, .after_count = 2};
    w[3] = (struct cowarp_work){.size = sizeof w[0], .module = m->module, .launch = &good, .after = host, .after_count = 1};
    return cowarp_run_together(m->gpu, w, 4);
}

static struct machine create_with(int reverse, int always, const char *system, const char *kernels)
{
    struct cowarp_options options;
    cowarp_options_init(&options);
    const char *const settings[] = {kernels, NULL};
    options.reverse_ticks = reverse;
    options.tick_always = always;
    options.system = system;
    options.settings = settings;
    return create(&options);
}

/* The order in which components tick changes no time, as with one kernel (system.exactness). */
static void test_api__kernels_side_by_side(void **state)
{
    (void)state;
    struct cowarp_work w[4][4];
    for (int i = 0; i < 4; i++) { /* as it is, reversed, each edge, one after the other */
        struct machine m = create_with(i == 1, i == 2, "none", i == 3 ? "gpu.kernels=1" : "gpu.kernels=16");
        struct seen seen = {.status = 0}, after = {.m = &m};
        assert_int_equal(run_four(&m, "good", &seen, w[i]), 0);
        assert_int_equal(seen.sum, 2 * BLOCKS * THREADS);
        assert_int_equal(look_at_words(&after), 0);
        assert_int_equal(after.sum, 3 * BLOCKS * THREADS);
        assert_true((w[i][1].begin < w[i][0].end) == (i != 3));
        assert_true(w[i][2].begin >= w[i][0].end && w[i][2].begin >= w[i][1].end && w[i][3].begin >= w[i][2].end);
        for (int k = 0; k < 4 && i < 3; k++) {
            assert_memory_equal(&w[i][k].begin, &w[0][k].begin, sizeof(double));
            assert_memory_equal(&w[i][k].end, &w[0][k].end, sizeof(double));
        }
        cowarp_destroy(m.gpu);
    }
    struct machine tx = create_with(0, 0, "getm", "gpu.kernels=16"); /* a mechanism has one kernel at a time */
    struct seen seen = {.status = 0};
    assert_int_equal(run_four(&tx, "good", &seen, w[0]), 0);
    assert_true(w[0][1].begin >= w[0][0].end);
    assert_int_equal(seen.sum, 2 * BLOCKS * THREADS);
    cowarp_destroy(tx.gpu);
}

static void test_api__works_that_fail(void **state)
{
    (void)state;
    struct cowarp_work w[4];
    struct seen seen = {.status = 0};
    struct machine m = create_plain();
    expect(m.gpu, run_four(&m, "fault", &seen, w), COWARP_EFAULT, "kernel fault");
    assert_int_equal(seen.sum, 0); /* the host was not asked */
    expect(m.gpu, run_four(&m, "good", &seen, w), COWARP_EINVAL, "has stopped with an error before");
    assert_int_equal(cowarp_reset(m.gpu), 0);
    seen.status = COWARP_EIO;
    expect(m.gpu, run_four(&m, "good", &seen, w), COWARP_EIO, "work of the host");
    assert_int_equal(cowarp_reset(m.gpu), 0);
    assert_int_equal(run(&m, "good"), 0);
    const uint32_t later[] = {1};
    w[0].size = 0;
    expect(m.gpu, cowarp_run_together(m.gpu, w, 1), COWARP_EINVAL, "struct cowarp_work: its size is 0");
    w[0].size = sizeof w[0];
    w[0].after = later;
    w[0].after_count = 1;
    expect(m.gpu, cowarp_run_together(m.gpu, w, 2), COWARP_EINVAL, "work 0 comes after work 1");
    cowarp_destroy(m.gpu);
}

static void expect_play(const struct cowarp_play *play, const char *text)
{
    struct cowarp_played played;
    assert_int_equal(cowarp_play_unit(&played, play), COWARP_EINVAL);
    if (strstr(played.error, text) == NULL)
        fail_msg("'%s'; expected '%s'", played.error, text);
}

static void test_api__plays_of_other_sizes(void **state)
{
    (void)state;
    struct cowarp_play play = {.stimulus = "a", .wave_file = "b", .backend = "c"};
    expect_play(&play, "struct cowarp_play: its size is 0");
    play.size = sizeof play + 1;
    expect_play(&play, "build with this library's cowarp.h");
    play.size = offsetof(struct cowarp_play, wave_file);
    expect_play(&play, "takes a stimulus file, a wave file and a backend");
}

/* Every name can be chosen. */
static void test_api__lists_name_what_can_be_chosen(void **state)
{
    (void)state;
    const char *name, *what, *const words[] = {"getm", "kilotm"};
    int getm = 0;
    for (uint32_t i = 0; cowarp_system_at(i, &name, &what) != 0; i++) {
        struct cowarp_options options;
        cowarp_options_init(&options);
        options.system = name;
        struct machine m = create(&options);
        cowarp_destroy(m.gpu);
        assert_true(strlen(what) > 10);
        getm |= strcmp(name, "getm") == 0;
    }
    assert_true(getm);
    int ipdom = 0;
    /* A machine on which every policy runs but those whose groups wait for loads of their own. */
    const char *const machine[] = {"core.warps=32", "core.blocks=16", "core.schedulers=1", "core.scheduler=lrr", NULL};
    const char *const by_lane[] = {"core.scoreboard=lane", NULL};
    for (uint32_t i = 0; cowarp_control_at(i, &name, &what) != 0; i++) {
        struct cowarp_options options;
        cowarp_options_init(&options);
        options.control = name;
        options.settings = strcmp(name, "si") == 0 || strcmp(name, "dws") == 0 ? by_lane : machine;
        struct machine m = create(&options);
        cowarp_destroy(m.gpu);
        assert_true(strlen(what) > 10);
        ipdom |= strcmp(name, "ipdom") == 0;
    }
    assert_true(ipdom);
    getm = 0;
    for (uint32_t i = 0; cowarp_preset_at(i, &name, &what) != 0; i++) {
        struct cowarp_options options;
        cowarp_options_init(&options);
        options.preset = name;
        struct cowarp_config *config;
        assert_int_equal(cowarp_config_create(&config, &options), 0);
        cowarp_config_destroy(config);
        assert_true(strlen(what) > 10);
        getm |= strcmp(name, "getm") == 0;
    }
    assert_true(getm);
    assert_string_equal(cowarp_nearest("kilotn", words, 2), "kilotm");
    assert_null(cowarp_nearest("vecadd", words, 2));
}

static void test_api__a_configuration_by_itself(void **state)
{
    (void)state;
    const char *const settings[] = {"core.count=3", "core.scheduler=lrr", NULL};
    struct cowarp_options options;
    struct cowarp_config *config;
    struct cowarp_key key;
    uint32_t i, cnt = 0;
    cowarp_options_init(&options);
    options.settings = settings;
    assert_int_equal(cowarp_config_create(&config, &options), 0);
    assert_int_equal(cowarp_config_find(config, "core.count", &i), 0);
    assert_int_equal(cowarp_config_at(config, i, &key), 1);
    assert_string_equal(key.name, "core.count");
    assert_string_equal(key.text, "3");
    assert_int_equal(key.value, 3);
    assert_true(key.minimum <= 3 && key.maximum >= 3 && key.words == NULL);
    assert_int_equal(cowarp_config_find(config, "core.scheduler", &i), 0);
    assert_int_equal(cowarp_config_at(config, i, &key), 1);
    assert_string_equal(key.text, "lrr");
    assert_string_equal(key.words, "gto|lrr");
    while (cowarp_config_at(config, cnt, &key) != 0) {
        assert_int_equal(cowarp_config_find(config, key.name, &i), 0);
        assert_int_equal(i, cnt++);
    }
    assert_true(cnt > 50);
    assert_non_null(strstr(cowarp_config_toml(config), "count = 3"));
    assert_int_equal(cowarp_config_find(config, "core.cuont", &i), COWARP_EINVAL);
    assert_non_null(strstr(cowarp_config_error(config), "did you mean 'core.count'"));
    cowarp_config_destroy(config);
}

static void test_api__a_wrong_configuration_is_refused(void **state)
{
    (void)state;
    const char *const settings[] = {"core.count=0", NULL};
    struct cowarp_options options;
    struct cowarp_config *config;
    cowarp_options_init(&options);
    options.settings = settings;
    assert_int_equal(cowarp_config_create(&config, &options), COWARP_EINVAL);
    assert_non_null(strstr(cowarp_config_error(config), "core.count"));
    cowarp_config_destroy(config);
    options.size = 0;
    assert_int_equal(cowarp_config_create(&config, &options), COWARP_EINVAL);
    assert_non_null(strstr(cowarp_config_error(config), "its size is 0"));
    cowarp_config_destroy(config);
    assert_string_equal(cowarp_config_error(NULL), "out of memory");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_api__kernel_that_cannot_run),
    cmocka_unit_test(test_api__copies_lie_in_the_l2),
    cmocka_unit_test(test_api__copies_after_a_failure),
    cmocka_unit_test(test_api__looks_during_a_launch),
    cmocka_unit_test(test_api__the_order_of_modules_and_buffers_does_not_matter),
    cmocka_unit_test(test_api__structs_and_variables),
    cmocka_unit_test(test_api__freed_memory_faults),
    cmocka_unit_test(test_api__freed_memory_comes_back_as_zeros),
    cmocka_unit_test(test_api__constants_and_parameters_through_a_cache),
    cmocka_unit_test(test_api__wrong_free_is_refused),
    cmocka_unit_test(test_api__local_memory_is_not_freed),
    cmocka_unit_test(test_api__reset_after_each_failure),
    cmocka_unit_test(test_api__children_of_a_failure),
    cmocka_unit_test(test_api__reset_makes_rtl_units_anew),
    cmocka_unit_test(test_api__reset_keeps_memory_and_modules),
    cmocka_unit_test(test_api__waves_and_recordings_forbid_a_reset),
    cmocka_unit_test(test_api__gpu_that_was_not_created_cannot_be_reset),
    cmocka_unit_test(test_api__options_of_other_sizes),
    cmocka_unit_test(test_api__launches_of_other_sizes),
    cmocka_unit_test(test_api__kernels_side_by_side),
    cmocka_unit_test(test_api__works_that_fail),
    cmocka_unit_test(test_api__plays_of_other_sizes),
    cmocka_unit_test(test_api__lists_name_what_can_be_chosen),
    cmocka_unit_test(test_api__a_configuration_by_itself),
    cmocka_unit_test(test_api__a_wrong_configuration_is_refused),
};

CW_TEST_MAIN(tests)
