/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Litmus tests of the memory model (docs/model.md), on every preset. Each test has two to four threads that access two words x and y, which
 * begin as 0. It runs many rounds with words of their own, and with other delays before each thread, and counts the rounds that end in the
 * weak outcome: the one that no interleaving of the threads' accesses gives.
 *
 *     MP    x = 1; y = 1             | a = y; b = x                      weak: a = 1, b = 0
 *     SB    x = 1; a = y             | y = 1; b = x                      weak: a = 0, b = 0
 *     LB    a = x; y = 1             | b = y; x = 1                      weak: a = 1, b = 1
 *     IRIW  x = 1  | y = 1           | a = x; b = y     | c = y; d = x    weak: a = 1, b = 0, c = 1, d = 0
 *
 * Plain accesses may show it. Where the L1 keeps lines of global memory they do, and the tests ask for it: else they would not see a broken
 * fence either. With fences, or with release and acquire, it never comes. The threads are of different blocks, hence of different cores, or
 * warps of one block. Every preset runs with each value of l1.global.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cowarp/cowarp.h"
#include "cw_test.h"

#define COUNT(a)    (sizeof(a) / sizeof(a)[0])
#define ROUNDS      64u
#define WIDEST_WARP 64 /* a thread of each acts */
#define ROUND_BYTES 8192u
#define ROLES_MAX   4u

/*
 * Text of a thread: accesses as letters. X, Y: store 1 into x or y; x, y: load into the next result; f: fence. A store or load is marked as
 * release or acquire when the flavour has those and `marked` has a '^' under it. warm: words that the thread loads beforehand, so that its
 * core may hold them.
 */
struct role {
    const char *text, *marked, *warm;
};

struct shape {
    const char *name;
    uint32_t roles;
    struct role role[ROLES_MAX];
    bool (*is_weak)(const uint32_t r[ROLES_MAX][2]);
    const char *fence; /* the least that forbids the weak outcome */
};

static bool mp_weak(const uint32_t r[ROLES_MAX][2])
{
    return r[1][0] == 1 && r[1][1] == 0;
}

static bool sb_weak(const uint32_t r[ROLES_MAX][2])
{
    return r[0][0] == 0 && r[1][0] == 0;
}

static bool lb_weak(const uint32_t r[ROLES_MAX][2])
{
    return r[0][0] == 1 && r[1][0] == 1;
}

static bool iriw_weak(const uint32_t r[ROLES_MAX][2])
{
    return r[2][0] == 1 && r[2][1] == 0 && r[3][0] == 1 && r[3][1] == 0;
}

static const struct shape mp = {"MP", 2, {{"XfY", "  ^", ""}, {"yfx", "^  ", "x"}}, mp_weak, "acq_rel"};
static const struct shape sb = {"SB", 2, {{"Xfy", "   ", "y"}, {"Yfx", "   ", "x"}}, sb_weak, "sc"};
static const struct shape lb = {"LB", 2, {{"xfY", "^ ^", ""}, {"yfX", "^ ^", ""}}, lb_weak, "acq_rel"};
static const struct shape iriw = {"IRIW", 4, {{"X", "^", ""}, {"Y", "^", ""}, {"xfy", "^ ^", "y"}, {"yfx", "^ ^", "x"}}, iriw_weak, "sc"};
static const struct shape *const shapes[] = {&mp, &sb, &lb, &iriw};

enum flavour { PLAIN, FENCE, MEMBAR, MARKED, ATOMIC };
static const char *const flavours[] = {"plain", "fence", "membar", "release/acquire", "atom.release/atom.acquire"};

struct test {
    const struct shape *shape;
    enum flavour flavour;
    const char *scope; /* "gpu", "sys", "cta" */
    bool one_block;    /* the threads are warps of one block */
    const char *preset;
    const char *caching; /* setting of l1.global */
};

/* ---- the kernel ---- */

struct text {
    char at[16384];
    size_t n;
};

static void put(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    t->n += (size_t)vsnprintf(t->at + t->n, sizeof t->at - t->n, fmt, ap);
    va_end(ap);
    assert_true(t->n < sizeof t->at);
}

static const char *address(char c)
{
    return c == 'x' || c == 'X' ? "%rd1" : "%rd2";
}

static void put_fence(struct text *t, const struct test *k)
{
    if (k->flavour == MEMBAR)
        put(t, "membar.%s;\n", strcmp(k->scope, "gpu") == 0 ? "gl" : k->scope);
    else if (k->flavour == FENCE)
        put(t, "fence.%s.%s;\n", k->shape->fence, k->scope);
}

static void put_access(struct text *t, const struct test *k, char c, bool marked, uint32_t result)
{
    const bool store = c == 'X' || c == 'Y';
    if (store && marked && k->flavour == MARKED)
        put(t, "st.release.%s.global.u32 [%s], 1;\n", k->scope, address(c));
    else if (store && marked && k->flavour == ATOMIC)
        put(t, "atom.release.%s.global.exch.b32 %%r9, [%s], 1;\n", k->scope, address(c));
    else if (store)
        put(t, "st.global.u32 [%s], 1;\n", address(c));
    else if (marked && k->flavour == MARKED)
        put(t, "ld.acquire.%s.global.u32 %%r%u, [%s];\n", k->scope, result, address(c));
    else if (marked && k->flavour == ATOMIC)
        put(t, "atom.acquire.%s.global.or.b32 %%r%u, [%s], 0;\n", k->scope, result, address(c));
    else
        put(t, "ld.global.u32 %%r%u, [%s];\n", result, address(c));
}

/* Two bits of the round's number for each of three roles: how long role r waits. */
static void put_role(struct text *t, const struct test *k, uint32_t r, uint32_t step)
{
    const struct role *role = &k->shape->role[r];
    uint32_t result = 10;
    put(t, "ROLE%u:\nmov.u32 %%r10, 7; mov.u32 %%r11, 7; mov.u32 %%r20, 0;\n", r);
    for (const char *w = role->warm; *w != '\0'; w++)
        put(t, "ld.global.u32 %%r21, [%s]; add.u32 %%r20, %%r20, %%r21;\n", address(*w));
    put(t, "add.u32 %%r20, %%r20, 1; red.relaxed.gpu.global.add.u32 [%%rd3], %%r20;\n");
    put(t, "WAIT%u: ld.relaxed.gpu.global.u32 %%r22, [%%rd3]; setp.lt.u32 %%p1, %%r22, %%r4; @%%p1 bra WAIT%u;\n", r, r);
    put(t, "shr.u32 %%r23, %%r3, %u; and.b32 %%r23, %%r23, %u; mul.lo.u32 %%r23, %%r23, %u;\n", r % 3 * (k->shape->roles > 2 ? 2 : 3),
        k->shape->roles > 2 ? 3 : 7, step);
    put(t, "DELAY%u: setp.eq.u32 %%p1, %%r23, 0; @%%p1 bra GO%u; sub.u32 %%r23, %%r23, 1; bra DELAY%u;\nGO%u:\n", r, r, r, r);
    for (uint32_t i = 0; role->text[i] != '\0'; i++) {
        if (role->text[i] == 'f')
            put_fence(t, k);
        else
            put_access(t, k, role->text[i], role->marked[i] == '^', result);
        result += role->text[i] == 'x' || role->text[i] == 'y';
    }
    put(t, "st.global.v2.u32 [%%rd4+%u], {%%r10, %%r11};\nbra NEXT;\n", 8 * r);
}

/* x of a round lies at its beginning; y in one of the next lines, so that the words meet in all combinations of partitions. */
static void make_kernel(struct text *t, const struct test *k, uint32_t step)
{
    const uint32_t roles = k->shape->roles;
    t->n = 0;
    put(t, ".version 7.5\n.target sm_75\n.address_size 64\n"
           ".visible .entry k(.param .u64 words, .param .u64 results, .param .u64 counter)\n{\n"
           ".reg .pred %%p<4>; .reg .b32 %%r<30>; .reg .b64 %%rd<12>;\n"
           "mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%tid.x; and.b32 %%r5, %%r2, 63; setp.ne.u32 %%p1, %%r5, 0; @%%p1 exit;\n"
           "ld.param.u64 %%rd10, [words]; ld.param.u64 %%rd4, [results]; ld.param.u64 %%rd3, [counter];\n");
    put(t, "%s", k->one_block ? "shr.u32 %r1, %r2, 6;\n" : "");
    put(t, "mov.u32 %%r3, 0; mov.u32 %%r4, %u;\nAGAIN:\n", roles);
    put(t, "mul.wide.u32 %%rd5, %%r3, %u; add.u64 %%rd1, %%rd10, %%rd5;\n", ROUND_BYTES);
    put(t, "and.b32 %%r6, %%r3, 7; mad.lo.u32 %%r6, %%r6, 256, 256; cvt.u64.u32 %%rd6, %%r6; add.u64 %%rd2, %%rd1, %%rd6;\n");
    for (uint32_t r = 0; r < roles; r++)
        put(t, "setp.eq.u32 %%p1, %%r1, %u; @%%p1 bra ROLE%u;\n", r, r);
    put(t, "ret;\n");
    for (uint32_t r = 0; r < roles; r++)
        put_role(t, k, r, step);
    put(t, "NEXT: add.u32 %%r3, %%r3, 1; add.u32 %%r4, %%r4, %u; add.u64 %%rd4, %%rd4, %u;\n", roles, 8 * ROLES_MAX);
    put(t, "setp.lt.u32 %%p1, %%r3, %u; @%%p1 bra AGAIN;\nret;\n}\n", ROUNDS);
}

/* ---- the run ---- */

struct outcome {
    uint32_t weak;
    uint32_t early, late; /* rounds in which every load saw 0, or every load saw 1: that the threads did meet in different ways */
};

static void count_round(const struct test *k, const uint32_t r[ROLES_MAX][2], struct outcome *o)
{
    uint32_t ones = 0, loads = 0;
    for (uint32_t role = 0; role < k->shape->roles; role++) {
        uint32_t i = 0;
        for (const char *c = k->shape->role[role].text; *c != '\0'; c++) {
            if (*c != 'x' && *c != 'y')
                continue;
            assert_true(r[role][i] <= 1); /* it has run */
            ones += r[role][i++];
            loads++;
        }
    }
    o->weak += k->shape->is_weak(r);
    o->early += ones == 0;
    o->late += ones == loads;
}

static void run_text(const struct test *k, const struct text *t, uint32_t blocks, uint32_t threads, void *results, size_t bytes)
{
    const char *const settings[] = {k->caching, NULL};
    struct cowarp_gpu *gpu;
    struct cowarp_module *module;
    struct cowarp_options options;
    uint64_t words, out, counter;
    cowarp_options_init(&options);
    options.preset = k->preset;
    options.settings = settings;
    options.max_cycles = 4000000;
    assert_int_equal(cowarp_create(&gpu, &options), COWARP_OK);
    if (cowarp_load(gpu, &module, t->at, t->n, "litmus.ptx") != COWARP_OK)
        fail_msg("%s\n%s", cowarp_error(gpu), t->at);
    assert_int_equal(cowarp_alloc(gpu, &words, (uint64_t)ROUNDS * ROUND_BYTES + (1u << 20)), COWARP_OK);
    assert_int_equal(cowarp_alloc(gpu, &out, bytes), COWARP_OK);
    assert_int_equal(cowarp_alloc(gpu, &counter, 256), COWARP_OK);
    const struct cowarp_arg args[] = {COWARP_U64(words), COWARP_U64(out), COWARP_U64(counter)};
    const struct cowarp_launch launch = {
        .size = sizeof launch, .kernel = "k", .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .arg_count = 3, .args = args};
    if (cowarp_run(gpu, module, &launch) != COWARP_OK)
        fail_msg("%s", cowarp_error(gpu));
    assert_int_equal(cowarp_read(gpu, results, out, bytes), COWARP_OK);
    cowarp_destroy(gpu);
}

static struct outcome run(const struct test *k)
{
    static const uint32_t steps[] = {1, 5, 17};
    struct outcome o = {0};
    for (size_t s = 0; s < COUNT(steps); s++) {
        uint32_t r[ROUNDS][ROLES_MAX][2];
        struct text t;
        make_kernel(&t, k, steps[s]);
        run_text(k, &t, k->one_block ? 1 : k->shape->roles, k->one_block ? WIDEST_WARP * k->shape->roles : WIDEST_WARP, r, sizeof r);
        for (uint32_t i = 0; i < ROUNDS; i++)
            count_round(k, (const uint32_t(*)[2])r[i], &o);
    }
    printf("%-14s %-10s %-5s %-26s %s, %-9s  weak %3u, all 0 %3u, all 1 %3u of %zu\n", k->preset, strchr(k->caching, '=') + 1,
           k->shape->name, flavours[k->flavour], k->scope, k->one_block ? "one block" : "cores", o.weak, o.early, o.late,
           ROUNDS * COUNT(steps));
    return o;
}

/* ---- the tests ---- */

/* Whether loads can find old values in the L1. */
static bool keeps(const struct test *k)
{
    return strcmp(k->caching, "l1.global=off") != 0;
}

/* Whether stores stay in the L1. */
static bool writes_back(const struct test *k)
{
    return strcmp(k->caching, "l1.global=write-back") == 0;
}

static void must_not(struct test k, enum flavour flavour, const char *scope)
{
    k.flavour = flavour;
    k.scope = scope;
    const struct outcome o = run(&k);
    if (o.weak != 0)
        fail_msg("%s, %s, %s.%s: the weak outcome in %u rounds", k.preset, k.shape->name, flavours[flavour], scope, o.weak);
    assert_true(o.early + o.late < ROUNDS * 3 || writes_back(&k)); /* the threads have met, and in different ways */
    assert_true(o.early > 0 || o.late > 0);
}

static void must(struct test k, enum flavour flavour, const char *scope)
{
    k.flavour = flavour;
    k.scope = scope;
    if (run(&k).weak == 0)
        fail_msg("%s, %s, %s.%s: the weak outcome has not come: can this test fail?", k.preset, k.shape->name, flavours[flavour], scope);
}

/* Calls test for each preset, without global lines in the L1, with clean ones, and with dirty ones. */
static void on_every_machine(void (*test)(struct test k))
{
    static const char *const settings[] = {"l1.global=off", "l1.global=on", "l1.global=write-back"};
    const char *name, *what;
    uint32_t machines = 0;
    for (uint32_t i = 0; cowarp_preset_at(i, &name, &what); i++)
        for (size_t s = 0; s < COUNT(settings); s++, machines++)
            test((struct test){.preset = name, .caching = settings[s]});
    assert_true(machines >= 18);
}

static void fences(struct test k)
{
    for (size_t i = 0; i < COUNT(shapes); i++) {
        k.shape = shapes[i];
        must_not(k, FENCE, "gpu");
        must_not(k, MEMBAR, "gpu");
        must_not(k, FENCE, "sys");
    }
}

/* Not SB: release and acquire leave a store and a later load unordered. */
static void release_acquire(struct test k)
{
    static const struct shape *const ordered[] = {&mp, &lb, &iriw};
    for (size_t i = 0; i < COUNT(ordered); i++) {
        k.shape = ordered[i];
        must_not(k, MARKED, "gpu");
        must_not(k, ATOMIC, "gpu");
    }
}

/* One core has one order of accesses. */
static void one_block(struct test k)
{
    k.one_block = true;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        k.shape = shapes[i];
        must_not(k, FENCE, "cta");
        if (k.shape != &sb)
            must_not(k, MARKED, "cta");
    }
}

/* What tells a test that works from one that cannot fail. Only lines in the L1 grow stale. */
static void weak_outcomes(struct test k)
{
    static const struct shape *const stale[] = {&mp, &sb, &iriw};
    k.shape = &sb;
    if (writes_back(&k)) { /* plain stores do not reach the others at all */
        must(k, PLAIN, "gpu");
        return;
    }
    for (size_t i = 0; keeps(&k) && i < COUNT(stale); i++) {
        k.shape = stale[i];
        must(k, PLAIN, "gpu");
        must(k, FENCE, "cta"); /* too narrow for threads of two blocks */
    }
    k.shape = &sb;
    if (keeps(&k))
        must(k, MARKED, "gpu");
}

static void test_litmus__fences_forbid_it(void **state)
{
    (void)state;
    on_every_machine(fences);
}

static void test_litmus__release_and_acquire_forbid_it(void **state)
{
    (void)state;
    on_every_machine(release_acquire);
}

static void test_litmus__threads_of_one_block(void **state)
{
    (void)state;
    on_every_machine(one_block);
}

static void test_litmus__plain_accesses_show_it(void **state)
{
    (void)state;
    on_every_machine(weak_outcomes);
}

/* gtx480 as it stands, by its own value of l1.global: the machine on which fences did nothing. */
static void test_litmus__gtx480_caches_global_loads(void **state)
{
    (void)state;
    struct cowarp_gpu *gpu;
    struct cowarp_options options;
    uint32_t global = 0;
    cowarp_options_init(&options);
    options.preset = "gtx480";
    assert_int_equal(cowarp_create(&gpu, &options), COWARP_OK);
    assert_int_equal(cowarp_config_value(gpu, "l1.global", &global), COWARP_OK);
    assert_int_equal(global, 1);
    cowarp_destroy(gpu);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_litmus__fences_forbid_it),           cmocka_unit_test(test_litmus__release_and_acquire_forbid_it),
    cmocka_unit_test(test_litmus__threads_of_one_block),       cmocka_unit_test(test_litmus__plain_accesses_show_it),
    cmocka_unit_test(test_litmus__gtx480_caches_global_loads),
};

CW_TEST_MAIN(tests)
