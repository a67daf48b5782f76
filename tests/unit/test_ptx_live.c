/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Live registers counted by hand, and slot allocation checked by running: random kernels are interpreted twice, as the test's own
 * statements with one variable per PTX register, and as the reader's micro-ops with their slots; every store has to show the same value.
 */
#include "base/rng.h"
#include "ptx_fixture.h"

static void expect_live(const char *body, uint32_t words)
{
    char text[4096];
    snprintf(text, sizeof(text), "%s.extern .func tx_begin();\n.extern .func tx_commit();\n%s%s\nret;\n}\n", PX_HEAD,
             strstr(PX_START, ".visible"), body);
    struct cw_module *m = px_load(text);
    if (m->kernel[0].live_regs != words)
        fail_msg("%u words live, not %u:\n%s", m->kernel[0].live_regs, words, body);
    cw_module_destroy(m);
}

#define LD32(r) "ld.param.u32 %r" r ", [p1];\n"
#define ST32(r) "st.shared.u32 [0], %r" r ";\n"

static void test_ptx_live__counts(void **state)
{
    (void)state;
    expect_live("", 0);
    expect_live(LD32("1") ST32("1"), 1);
    expect_live(LD32("1"), 1);                                                          /* written, never read: it still needs a register */
    expect_live(LD32("1") LD32("2") "add.u32 %r3, %r1, %r2;\n" ST32("3"), 2);           /* the sum may take an operand's place */
    expect_live(LD32("1") LD32("2") "add.u32 %r3, %r1, %r2;\n" ST32("3") ST32("1"), 2); /* 1 and 3 */
    expect_live(LD32("1") LD32("2") LD32("3") ST32("1") ST32("2") ST32("3"), 3);
    expect_live(LD32("1") ST32("1") LD32("2") ST32("2"), 1);
    expect_live("ld.param.u64 %d1, [p0];\n" LD32("1") "st.global.u32 [%d1], %r1;\n", 3);                      /* 64 bits are two words */
    expect_live(LD32("1") "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nmembar.cta;\nL:", 1);                       /* predicates are none */
    expect_live(LD32("1") "mov.b32 {%h1, %h2}, %r1;\nst.shared.u16 [0], %h1;\nst.shared.u16 [2], %h2;\n", 2); /* 16 bits take a word */
}

static void test_ptx_live__control_flow(void **state)
{
    (void)state;
    /* 1 is read after the loop, 2 is the counter, 3 is live only inside */
    expect_live(
        LD32("1") LD32("2") "L: add.u32 %r3, %r2, 5;\n" ST32("3") "sub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra L;\n" ST32("1"),
        3);
    /* each side of the branch uses one of two values: both are live before it */
    expect_live(LD32("1") LD32("2") "setp.eq.u32 %p1, %r1, 7;\n@%p1 bra E;\n" ST32("1") "bra J;\nE:" ST32("2") "J:", 2);
    /* a guarded write does not end the old value, an unguarded one does */
    expect_live(LD32("1") LD32("2") LD32("3") "setp.eq.u32 %p1, %r2, 7;\n" ST32("2") ST32("3") "@%p1 mov.u32 %r1, 5;\n" ST32("1"), 3);
    expect_live(LD32("1") LD32("2") LD32("3") "setp.eq.u32 %p1, %r2, 7;\n" ST32("2") ST32("3") "mov.u32 %r1, 5;\n" ST32("1"), 2);
    /* a value that no path has defined yet is not live, though a guarded write lets it look so */
    expect_live(LD32("2") LD32("3") "setp.eq.u32 %p1, %r2, 7;\n" ST32("2") ST32("3") "@%p1 bra L;\n@%p1 mov.u32 %r1, 5;\nL:" ST32("1"), 2);
}

/* What is live at the beginning of a transaction stays so until its end: it may start again. */
static void test_ptx_live__transactions(void **state)
{
    (void)state;
    expect_live(LD32("1") "call tx_begin;\n" ST32("1") LD32("2") LD32("3") ST32("2") ST32("3") "call tx_commit;\n", 3);
    expect_live(LD32("1") "membar.cta;\n" ST32("1") LD32("2") LD32("3") ST32("2") ST32("3") "membar.cta;\n", 2);
    expect_live("call tx_begin;\n" LD32("1") ST32("1") "call tx_commit;\n" LD32("2") LD32("3") ST32("2") ST32("3"), 2);
}

/* A loop whose counter is touched at its top only: its slot must not be given away in the rest of the loop. */
static void test_ptx_live__slots_in_loops(void **state)
{
    (void)state;
    struct cw_module *m = px_load(PX_KERNEL("mov.u32 %r1, 8;\nL: sub.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 0;\nmov.u32 %r2, "
                                            "5;\nst.shared.u32 [0], %r2;\n@%p1 bra L;\nmov.u32 %r3, 1;\nst.shared.u32 [0], %r3;\nret;"));
    const struct cw_uop *u = m->kernel[0].uop;
    assert_int_not_equal(u[1].dst[0].idx, u[3].dst[0].idx);
    assert_int_equal(m->kernel[0].r32_cnt, 2);
    cw_module_destroy(m);
}

/* Destinations keep off the sources of an instruction that may write before it has read everything. */
static void test_ptx_live__sources_outlive_writes(void **state)
{
    (void)state;
    struct cw_module *m = px_load(PX_KERNEL(LD32("1") "mov.b32 {%h1, %h2}, %r1;\nst.shared.u16 [0], %h1;\nst.shared.u16 [0], %h2;\n" LD32(
        "3") "shfl.sync.idx.b32 %r2, %r3, 0, 31, -1;\n" ST32("2") "ret;"));
    const struct cw_uop *u = m->kernel[0].uop;
    assert_true(u[1].dst[0].idx != u[1].src[0].idx && u[1].dst[1].idx != u[1].src[0].idx && u[1].dst[0].idx != u[1].dst[1].idx);
    assert_true(u[5].op == CW_OP_SHFL && u[5].dst[0].idx != u[5].src[0].idx);
    cw_module_destroy(m);
}

/* ---- random kernels ---- */

enum { REGS = 12, PREDS = 5, WIDES = 5, VARS = REGS + PREDS + WIDES, STATEMENTS = 48 };
enum shape { MOV, ADD, XOR, WIDE_ADD, PACK, UNPACK, SETP, SETP2, SELP, BRANCH, BEGIN, COMMIT, SHAPES };

struct statement {
    uint32_t shape, dst[2], src[3]; /* variables: r 0.., p REGS.., d REGS + PREDS.. */
    uint32_t dst_cnt, src_cnt, target;
    int32_t guard; /* variable or -1 */
    bool guard_neg;
};

static const char *name_of(char out[8], uint32_t var)
{
    if (var < REGS)
        snprintf(out, 8, "%%r%u", var % 100);
    else if (var < REGS + PREDS)
        snprintf(out, 8, "%%p%u", (var - REGS) % 100);
    else
        snprintf(out, 8, "%%d%u", (var - REGS - PREDS) % 100);
    return out;
}

static uint32_t pick(struct cw_rng *rng, char kind)
{
    return kind == 'r' ? cw_rng_below(rng, REGS) : kind == 'p' ? REGS + cw_rng_below(rng, PREDS) : REGS + PREDS + cw_rng_below(rng, WIDES);
}

static const struct {
    const char *text, *dst, *src; /* # = next operand */
    uint32_t weight;
} shapes[SHAPES] = {{"mov.u32 #, 7", "r", "", 9},           {"add.u32 #, #, #", "r", "rr", 5},
                    {"xor.b32 #, #, #", "r", "rr", 3},      {"add.u64 #, #, #", "d", "dd", 3},
                    {"mov.b64 #, {#, #}", "d", "rr", 2},    {"mov.b64 {#, #}, #", "rr", "d", 2},
                    {"setp.lt.u32 #, #, #", "p", "rr", 2},  {"setp.ge.and.u32 #|#, #, #, !#", "pp", "rrp", 2},
                    {"selp.u32 #, #, #, #", "r", "rrp", 2}, {"bra L", "", "", 5},
                    {"call tx_begin", "", "", 1},           {"call tx_commit", "", "", 1}};

static struct statement random_statement(struct cw_rng *rng)
{
    struct statement s = {.guard = -1};
    uint32_t total = 0;
    for (uint32_t i = 0; i < SHAPES; i++)
        total += shapes[i].weight;
    uint32_t at = cw_rng_below(rng, total);
    while (at >= shapes[s.shape].weight)
        at -= shapes[s.shape++].weight;
    for (const char *c = shapes[s.shape].dst; *c != '\0'; c++) {
        do
            s.dst[s.dst_cnt] = pick(rng, *c);
        while (s.dst_cnt > 0 && s.dst[s.dst_cnt] == s.dst[0]);
        s.dst_cnt++;
    }
    for (const char *c = shapes[s.shape].src; *c != '\0'; c++)
        s.src[s.src_cnt++] = pick(rng, *c);
    s.target = cw_rng_below(rng, STATEMENTS);
    if (s.shape == BRANCH ? cw_rng_below(rng, 8) > 0 : cw_rng_below(rng, 4) == 0 && s.shape != BEGIN && s.shape != COMMIT) {
        s.guard = (int32_t)pick(rng, 'p');
        s.guard_neg = cw_rng_below(rng, 2) != 0;
    }
    return s;
}

static size_t print_statement(char *out, size_t size, const struct statement *s, uint32_t index)
{
    char name[8];
    uint32_t opnd = 0;
    size_t n = (size_t)snprintf(out, size, "L%u: ", index);
    if (s->guard >= 0)
        n += (size_t)snprintf(out + n, size - n, "@%s%s ", s->guard_neg ? "!" : "", name_of(name, (uint32_t)s->guard));
    for (const char *c = shapes[s->shape].text; *c != '\0'; c++) {
        if (*c != '#') {
            n += (size_t)snprintf(out + n, size - n, "%c", *c);
            continue;
        }
        n += (size_t)snprintf(out + n, size - n, "%s", name_of(name, opnd < s->dst_cnt ? s->dst[opnd] : s->src[opnd - s->dst_cnt]));
        opnd++;
    }
    if (s->shape == BRANCH)
        n += (size_t)snprintf(out + n, size - n, "%u", s->target);
    return n + (size_t)snprintf(out + n, size - n, ";\n");
}

struct machine { /* one lane, twice: by variable, and by slot */
    uint64_t value[VARS];
    bool defined[VARS], at_begin[VARS]; /* undefined values are not compared; at_begin: defined when the transaction began */
    uint64_t *slot[3];                  /* r32, r64, pred */
    uint32_t checks;
};

static uint64_t *slot_of(struct machine *mc, struct cw_opnd o)
{
    return &mc->slot[o.kind == CW_OPND_R32 ? 0 : o.kind == CW_OPND_R64 ? 1 : 2][o.idx];
}

static void check_read(struct machine *mc, uint32_t var, uint64_t in_slot)
{
    if (!mc->defined[var])
        return;
    mc->checks++;
    if (in_slot != mc->value[var])
        fail_msg("variable %u has lost its slot", var);
}

/* Whether the statement executes; an undefined guard decides by the variable's value, for both. */
static bool guard_true(struct machine *mc, const struct statement *s, const struct cw_uop *u)
{
    assert_int_equal(u->guard >= 0, s->guard >= 0);
    if (s->guard < 0)
        return true;
    check_read(mc, (uint32_t)s->guard, mc->slot[2][u->guard]);
    return (mc->value[s->guard] != 0) != s->guard_neg;
}

static void execute(struct machine *mc, struct cw_rng *rng, const struct statement *s, const struct cw_uop *u)
{
    bool defined = true;
    for (uint32_t i = 0; i < s->src_cnt; i++) {
        check_read(mc, s->src[i], *slot_of(mc, u->src[i]));
        defined &= mc->defined[s->src[i]];
    }
    for (uint32_t i = 0; i < s->dst_cnt; i++) { /* any new value will do */
        uint64_t v = s->dst[i] >= REGS && s->dst[i] < REGS + PREDS ? cw_rng_below(rng, 2) : cw_rng_next(rng);
        mc->value[s->dst[i]] = v;
        mc->defined[s->dst[i]] = defined;
        *slot_of(mc, u->dst[i]) = defined ? v : ~v;
    }
}

static void run(struct machine *mc, struct cw_rng *rng, const struct statement *program, const struct cw_kernel *k)
{
    uint32_t begin = CW_PC_NONE;
    for (uint32_t pc = 0, step = 0; pc < STATEMENTS && step < 400; step++) {
        const struct statement *s = &program[pc];
        const struct cw_uop *u = &k->uop[pc];
        if (begin != CW_PC_NONE && cw_rng_below(rng, 12) == 0) { /* abort: values stay, what was not defined before means nothing */
            for (uint32_t i = 0; i < VARS; i++)
                mc->defined[i] &= mc->at_begin[i];
            pc = begin;
            continue;
        }
        pc++;
        if (!guard_true(mc, s, u))
            continue;
        if (s->shape == BEGIN && begin == CW_PC_NONE) {
            begin = pc;
            memcpy(mc->at_begin, mc->defined, sizeof(mc->defined));
        } else if (s->shape == COMMIT) {
            begin = CW_PC_NONE;
        }
        execute(mc, rng, s, u);
        if (s->shape == BRANCH)
            pc = s->target;
    }
}

static uint32_t random_kernel(struct cw_rng *rng)
{
    static char text[16384];
    struct statement program[STATEMENTS];
    struct machine mc = {.checks = 0};
    size_t n = (size_t)snprintf(text, sizeof(text),
                                "%s.extern .func tx_begin();\n.extern .func tx_commit();\n.entry k() {\n.reg .b32 %%r<%d>; .reg .pred "
                                "%%p<%d>; .reg .b64 %%d<%d>;\n",
                                PX_HEAD, REGS, PREDS, WIDES);
    for (uint32_t i = 0; i < STATEMENTS; i++) {
        program[i] = random_statement(rng);
        n += print_statement(text + n, sizeof(text) - n, &program[i], i);
    }
    snprintf(text + n, sizeof(text) - n, "ret; }\n");
    struct cw_module *m = px_load(text);
    const struct cw_kernel *k = &m->kernel[0];
    assert_int_equal(k->uop_cnt, STATEMENTS + 1);
    uint64_t slots[3][VARS] = {{0}};
    for (uint32_t i = 0; i < 3; i++)
        mc.slot[i] = slots[i];
    assert_true(k->r32_cnt <= REGS && k->r64_cnt <= WIDES && k->pred_cnt <= PREDS);
    for (uint32_t i = 0; i < 4; i++) {
        memset(mc.defined, 0, sizeof(mc.defined));
        run(&mc, rng, program, k);
    }
    cw_module_destroy(m);
    return mc.checks;
}

static void test_ptx_live__random_kernels(void **state)
{
    (void)state;
    struct cw_rng rng;
    uint64_t checks = 0;
    cw_rng_seed(&rng, cw_test_seed(1));
    for (uint32_t i = 0; i < 1500; i++)
        checks += random_kernel(&rng);
    printf("%llu reads compared\n", (unsigned long long)checks);
    assert_true(checks > 100000);
}

/* Size: 5,000 blocks of ten instructions, every other one skipped by a branch, a loop around every hundred. */
static void test_ptx_live__large_kernel(void **state)
{
    (void)state;
    size_t size = 4u << 20, n = 0;
    char *text = malloc(size);
    assert_non_null(text);
    n += (size_t)snprintf(text, size, "%s.entry k() {\n.reg .b32 %%r<200000>; .reg .pred %%p<9>;\n", PX_HEAD);
    for (uint32_t i = 0; i < 50000; i++) {
        uint32_t block = i / 10, old = block > 4 ? (block - 4) / 2 * 20 + i % 9 : i % 9; /* written in a block that is not skipped */
        if (i % 1000 == 999)
            n += (size_t)snprintf(text + n, size - n, "@%%p%u bra L%u;\n", i % 7, block - 99);
        else if (i % 10 == 9)
            n += block % 2 == 0 ? (size_t)snprintf(text + n, size - n, "@%%p%u bra L%u;\n", i % 7, block + 2)
                                : (size_t)snprintf(text + n, size - n, "membar.cta;\n");
        else
            n += (size_t)snprintf(text + n, size - n, "%c%u: add.u32 %%r%u, %%r%u, %u;\n", i % 10 == 0 ? 'L' : 'M', i % 10 == 0 ? block : i,
                                  i, old, i);
    }
    snprintf(text + n, size - n, "L5000: ret; }\n");
    struct cw_module *m = px_load(text);
    const struct cw_kernel *k = &m->kernel[0];
    assert_int_equal(k->uop_cnt, 50001);
    assert_true(k->r32_cnt < 100);
    printf("slots %u, live words %u\n", k->r32_cnt, k->live_regs);
    cw_module_destroy(m);
    free(text);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ptx_live__counts),
    cmocka_unit_test(test_ptx_live__control_flow),
    cmocka_unit_test(test_ptx_live__transactions),
    cmocka_unit_test(test_ptx_live__slots_in_loops),
    cmocka_unit_test(test_ptx_live__sources_outlive_writes),
    cmocka_unit_test(test_ptx_live__random_kernels),
    cmocka_unit_test(test_ptx_live__large_kernel),
};

CW_TEST_MAIN(tests)
