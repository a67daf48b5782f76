/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order that lowering gives to blocks made by hand. A text has one instruction in a line, and the answer is its lines, a to z, in the
 * order of issue; each order is argued where it is asked for. The machine: 4 cycles for arithmetic, 26 for shared memory, 198 for global
 * memory, and room for 32 words of each thread.
 */
#include "base/config.h"
#include "ptx_fixture.h"

#define FIRST_LINE 7u

static struct cw_module *lowered(const char *text, const struct cw_config *machine)
{
    struct cw_module *m;
    struct cw_error err = {.text = ""};
    if (cw_ptx_load(&m, text, strlen(text), "t.ptx", px_intrinsics, &(struct cw_ir_wishes){.machine = machine}, &err) != CW_OK)
        fail_msg("%s", err.text);
    if (m->kernel[0].refused != NULL)
        fail_msg("%s", m->kernel[0].refused);
    return m;
}

static void lines_of(const struct cw_module *m, char *order)
{
    const struct cw_kernel *k = &m->kernel[0];
    for (uint32_t i = 0; i < k->uop_cnt; i++)
        *order++ = (char)('a' + (int)(k->uop[i].line - FIRST_LINE));
    *order = '\0';
}

/* One micro-op per line, or the letters of a line stand side by side. */
static void expect_with(const struct cw_config *machine, const char *body, const char *want)
{
    char text[4096], got[128];
    snprintf(text, sizeof text, "%s%s\n}\n", PX_START, body);
    struct cw_module *m = lowered(text, machine);
    assert_true(m->kernel[0].uop_cnt < sizeof got);
    lines_of(m, got);
    assert_string_equal(got, want);
    cw_module_destroy(m);
}

static struct cw_config volta(void)
{
    struct cw_config c;
    struct cw_error err;
    assert_int_equal(cw_config_preset(&c, "qv100", &err), CW_OK);
    return c;
}

static void expect(const char *body, const char *want)
{
    const struct cw_config c = volta();
    expect_with(&c, body, want);
}

/* Both loads go first: their ways to the end are the longest. Then the first store, whose value comes first. */
static void test_lower__loads_first(void **state)
{
    (void)state;
    expect("ld.global.u32 %r1, [%d1];\n"
           "st.shared.u32 [%r10], %r1;\n"
           "ld.global.u32 %r2, [%d1+4];\n"
           "st.shared.u32 [%r10+4], %r2;\n"
           "ret;",
           "acbde");
}

/* The address of the load is worked out before what the load does not need. */
static void test_lower__longest_way(void **state)
{
    (void)state;
    expect("mul.lo.u32 %r1, %r10, %r11;\n"
           "st.shared.u32 [%r12], %r1;\n"
           "add.s64 %d2, %d1, 8;\n"
           "ld.global.u32 %r2, [%d2];\n"
           "st.shared.u32 [%r12+4], %r2;\n"
           "ret;",
           "cdabef"); /* c is the offset of d, and no instruction */
}

static struct cw_uop first_load(const struct cw_module *m)
{
    uint32_t i = 0;
    while (m->kernel[0].uop[i].op != CW_OP_LD || m->kernel[0].uop[i].space != CW_SPACE_SHARED)
        i++;
    return m->kernel[0].uop[i];
}

/* The address is a thread's number times 16, or as `shift` says; two more instructions make what stands between. */
static void expect_wide(uint32_t shift, const char *loads, uint32_t parts, uint32_t bytes)
{
    char text[4096];
    const struct cw_config c = volta();
    snprintf(text, sizeof text,
             "%smov.u32 %%r10, %%tid.x; mov.u32 %%r11, %%tid.y; shl.b32 %%r20, %%r10, %u;\n%sadd.u32 %%r9, %%r1, %%r2;\nst.global.u32 "
             "[%%d1], %%r9;\nret;\n}\n",
             PX_START, shift, loads);
    struct cw_module *m = lowered(text, &c);
    const struct cw_uop u = first_load(m);
    assert_int_equal(u.parts, parts);
    assert_int_equal(u.wide, bytes);
    cw_module_destroy(m);
}

#define LOAD(n, at) "ld.shared.u32 %r" #n ", [%r20+" #at "];\n"

/* ptxas 13, sm_75, makes LDS.128 of three or four words of 16 aligned bytes, LDS.64 of two of 8, and nothing of the others. */
static void test_lower__wide(void **state)
{
    (void)state;
    expect_wide(4, LOAD(1, 0) LOAD(2, 4) LOAD(3, 8) LOAD(4, 12), 4, 16);
    expect_wide(4, LOAD(1, 12) LOAD(2, 4) LOAD(3, 8) LOAD(4, 0), 4, 16);
    expect_wide(4, LOAD(1, 0) LOAD(2, 4) LOAD(3, 12), 3, 16);
    expect_wide(4, LOAD(1, 0) LOAD(2, 4), 2, 8);
    expect_wide(4, LOAD(1, 0) LOAD(2, 8), 0, 0);
    expect_wide(4, LOAD(1, 4) LOAD(2, 8), 0, 0);
    expect_wide(3, LOAD(1, 0) LOAD(2, 4) LOAD(3, 8) LOAD(4, 12), 2, 8);
    expect_wide(2, LOAD(1, 0) LOAD(2, 4), 0, 0);
    expect_wide(4, LOAD(1, 0) "st.global.u32 [%d2], %r1;\n" LOAD(2, 4), 2, 8);
}

/* Of 8 bytes each, and with loads of 4; what is 16 bytes is left alone. */
static void test_lower__wide_of_pairs(void **state)
{
    (void)state;
    expect_wide(4, "ld.shared.v2.u32 {%r1, %r2}, [%r20];\nld.shared.v2.u32 {%r3, %r4}, [%r20+8];\n", 2, 16);
    expect_wide(4, "ld.shared.u64 %d4, [%r20+8];\nld.shared.u64 %d5, [%r20];\n", 2, 16);
    expect_wide(4, LOAD(1, 0) "ld.shared.f64 %g1, [%r20+8];\n" LOAD(2, 4), 3, 16);
    expect_wide(4, LOAD(1, 4) "ld.shared.f64 %g1, [%r20+8];\n", 2, 16);
    expect_wide(3, "ld.shared.u64 %d4, [%r20];\nld.shared.u64 %d5, [%r20+8];\n", 0, 0);
    expect_wide(4, "ld.shared.u64 %d4, [%r20+8];\nld.shared.u64 %d5, [%r20+16];\n", 0, 0);
    expect_wide(4, "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r20];\n" LOAD(5, 16), 0, 0);
}

/* Nothing of shared memory, no barrier and no new address stands between. */
static void test_lower__not_wide(void **state)
{
    (void)state;
    expect_wide(4, LOAD(1, 0) "st.shared.u32 [%r11], %r1;\n" LOAD(2, 4), 0, 0);
    expect_wide(4, LOAD(1, 0) "bar.sync 0;\n" LOAD(2, 4), 0, 0);
    expect_wide(4, LOAD(1, 0) "atom.shared.add.u32 %r3, [%r11], 1;\n" LOAD(2, 4), 0, 0);
    expect_wide(4, LOAD(1, 0) "membar.cta;\n" LOAD(2, 4), 0, 0);
    expect_wide(4, LOAD(1, 0) "add.u32 %r20, %r20, 16;\n" LOAD(2, 4), 0, 0);
    expect_wide(4, LOAD(1, 0) "add.u32 %r3, %r2, 1;\nst.global.u32 [%d2], %r3;\n" LOAD(2, 4), 0, 0);
    expect_wide(4, "ld.volatile.shared.u32 %r1, [%r20];\nld.volatile.shared.u32 %r2, [%r20+4];\n", 0, 0);
}

/* One register, which no load writes, and one guard. */
static void test_lower__wide_bases(void **state)
{
    (void)state;
    expect_wide(4, "mov.u32 %r21, %r20;\n" LOAD(1, 0) "ld.shared.u32 %r2, [%r21+4];\n", 0, 0);
    expect_wide(4, "ld.shared.u32 %r20, [%r20];\n" LOAD(2, 4), 0, 0);
    expect_wide(4, LOAD(1, 0) "ld.shared.u32 %r20, [%r20+4];\n", 0, 0);
    expect_wide(4, LOAD(1, 0) "@%p1 " LOAD(2, 4), 0, 0);
    expect_wide(4, "@%p1 " LOAD(1, 0) "@!%p1 " LOAD(2, 4), 0, 0);
    expect_wide(4, "@%p1 " LOAD(1, 0) "@%p1 " LOAD(2, 4), 2, 8);
    expect_wide(4, "@%p1 " LOAD(1, 0) "setp.eq.u32 %p1, %r10, 5;\n@%p1 " LOAD(2, 4), 0, 0);
}

/* 4 more than a multiple of 16 is none of 8; a carry that comes in may be 1. */
static void test_lower__multiples(void **state)
{
    (void)state;
    expect_wide(4, "add.u32 %r21, %r20, 4;\nld.shared.u32 %r1, [%r21];\nld.shared.u32 %r2, [%r21+4];\n", 0, 0);
    expect_wide(4, "add.u32 %r21, %r20, 4;\nld.shared.u32 %r1, [%r21+4];\nld.shared.u32 %r2, [%r21+8];\n", 2, 8);
    expect_wide(4, "add.cc.u32 %r20, %r20, 64;\n" LOAD(1, 0) LOAD(2, 4), 2, 8);
    expect_wide(4, "add.cc.u32 %r3, %r10, %r10;\naddc.u32 %r20, %r20, 64;\n" LOAD(1, 0) LOAD(2, 4), 0, 0);
    expect_wide(4, "sub.cc.u32 %r3, %r10, %r11;\nsubc.u32 %r20, %r20, 64;\n" LOAD(1, 0) LOAD(2, 4), 0, 0);
    expect_wide(4, "mul.hi.u32 %r20, %r20, 4096;\n" LOAD(1, 0) LOAD(2, 4), 0, 0);
    expect_wide(4, "add.u32 %r20, %r20, %r11;\n" LOAD(1, 0) LOAD(2, 4), 0, 0);
}

/* A load stays behind a store to global memory by another register. */
static void test_lower__may_alias(void **state)
{
    (void)state;
    expect("st.global.u32 [%d1], %r1;\nld.global.u32 %r2, [%d2];\nst.global.u32 [%d3], %r2;\nret;", "abcd");
    expect("st.u32 [%d1], %r1;\nld.shared.u32 %r2, [%r9];\nst.shared.u32 [%r9], %r2;\nret;", "abcd");
}

/* And passes one to another space, to other bytes by the same register, and any when it is of read-only data. */
static void test_lower__cannot_alias(void **state)
{
    (void)state;
    expect("st.shared.u32 [%r8], %r1;\nld.global.u32 %r2, [%d2];\nst.global.u32 [%d3], %r2;\nret;", "bacd");
    expect("st.global.u32 [%d2+4], %r1;\nld.global.u32 %r2, [%d2];\nst.global.u32 [%d3], %r2;\nret;", "bacd");
    expect("st.global.u32 [%d1], %r1;\nld.global.nc.u32 %r2, [%d2];\nst.global.u32 [%d3], %r2;\nret;", "bacd");
}

/* Bytes that overlap by one keep their order; so do those of a register that has been written in between. */
static void test_lower__bytes(void **state)
{
    (void)state;
    expect("st.global.u8 [%d2+3], %r1;\nld.global.u32 %r2, [%d2];\nst.global.u32 [%d3], %r2;\nret;", "abcd");
    expect("st.global.u8 [%d2+4], %r1;\nld.global.u32 %r2, [%d2];\nst.global.u32 [%d3], %r2;\nret;", "bacd");
    expect("st.global.u64 [%d2-8], %d5;\nld.global.u32 %r2, [%d2];\nst.global.u32 [%d3], %r2;\nret;", "bacd");
    expect("st.global.u64 [%d2-7], %d5;\nld.global.u32 %r2, [%d2];\nst.global.u32 [%d3], %r2;\nret;", "abcd");
    expect("st.global.u32 [%d2], %r1;\nadd.s64 %d2, %d2, %d4;\nld.global.u32 %r2, [%d2+4];\nst.shared.u32 [%r8], %r2;\nret;", "abcde");
}

/* An offset that an addition has made counts as one in the brackets: the load goes before the store to the word in front, not to its own.
 * The addition stands in front of its load: it is no instruction. */
static void test_lower__sums(void **state)
{
    (void)state;
    expect("st.global.u32 [%d2+4], %r1;\nadd.s64 %d4, %d2, 8;\nld.global.u32 %r2, [%d4];\nst.shared.u32 [%r8], %r2;\nret;", "bcade");
    expect("st.global.u32 [%d2+8], %r1;\nadd.s64 %d4, %d2, 8;\nld.global.u32 %r2, [%d4];\nst.shared.u32 [%r8], %r2;\nret;", "abcde");
}

/* Nothing of memory passes a barrier, a fence, an atomic, a volatile access; what touches registers only does. */
static void test_lower__fixed(void **state)
{
    (void)state;
    static const char *const fixed[] = {"bar.sync 0;",
                                        "membar.gl;",
                                        "atom.global.add.u32 %r7, [%d5], 1;",
                                        "ld.volatile.global.u32 %r7, [%d5];",
                                        "st.volatile.shared.u32 [%r9], %r7;",
                                        "ld.acquire.gpu.global.u32 %r7, [%d5];"};
    for (uint32_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        char body[512];
        snprintf(body, sizeof body, "st.shared.u32 [%%r8], %%r1;\n%s\nld.global.nc.u32 %%r2, [%%d2];\nst.global.u32 [%%d3], %%r2;\nret;",
                 fixed[i]);
        expect(body, "abcde");
    }
}

/* What an exit, a clock, a region or a call stands behind stays there: lanes that have left must not load, and a clock is read where it stands. */
static void test_lower__walls(void **state)
{
    (void)state;
    expect("@%p1 ret;\nld.global.u32 %r1, [%d1];\nst.shared.u32 [%r8], %r1;\nret;", "abcd");
    expect("st.shared.u32 [%r8], %r1;\nmov.u32 %r2, %clock;\nld.global.u32 %r3, [%d1];\nst.shared.u32 [%r8+4], %r3;\nret;", "abcde");
    expect("st.shared.u32 [%r8], %r1;\n@%p1 trap;\nld.global.u32 %r3, [%d1];\nst.shared.u32 [%r8+4], %r3;\nret;", "abcde");
}

/* A guarded write keeps what was there, so it stays between the writes around it; its guard comes before it. */
static void test_lower__guards(void **state)
{
    (void)state;
    expect("mov.u32 %r1, 1;\n@%p1 mov.u32 %r1, 2;\nst.shared.u32 [%r8], %r1;\nld.global.u32 %r2, [%d1];\nst.shared.u32 [%r8+4], %r2;\nret;",
           "dabcef");
    expect("st.shared.u32 [%r8], %r9;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 ld.global.u32 %r2, [%d1];\nst.shared.u32 [%r8+4], %r2;\nret;",
           "bacde");
}

/* The carry flag is a register. The load's way is longer than all of them. */
static void test_lower__carry(void **state)
{
    (void)state;
    expect("add.cc.u32 %r1, %r2, %r3;\naddc.u32 %r4, %r5, 0;\nadd.cc.u32 %r6, %r2, %r3;\naddc.u32 %r7, %r5, 0;\n"
           "st.shared.v4.u32 [%r8], {%r1, %r4, %r6, %r7};\nld.global.u32 %r9, [%d1];\nst.shared.u32 [%r8+16], %r9;\nret;",
           "fabcdegh");
}

/* Registers bound it: with room for 3 words, of which the address has 2, one value waits for its store before the next is loaded. */
static void test_lower__pressure(void **state)
{
    (void)state;
    struct cw_config c = volta();
    const char *body = "ld.global.u32 %r1, [%d1];\n"
                       "st.global.u32 [%d1+100], %r1;\n"
                       "ld.global.u32 %r2, [%d1+4];\n"
                       "st.global.u32 [%d1+104], %r2;\n"
                       "ld.global.u32 %r3, [%d1+8];\n"
                       "st.global.u32 [%d1+108], %r3;\n"
                       "ret;";
    expect_with(&c, body, "acebdfg");
    c.core_registers = 3 * c.core_warps * 32;
    expect_with(&c, body, "abcdefg");
    c.core_registers = 4 * c.core_warps * 32;
    expect_with(&c, body, "acbedfg");
}

/* By lines: the machine instructions of each, '-' where it rides. */
static void expect_slots(const char *body, const char *want)
{
    const struct cw_config c = volta();
    char text[4096], got[128];
    snprintf(text, sizeof text, "%s%s\n}\n", PX_START, body);
    struct cw_module *m = lowered(text, &c);
    const struct cw_kernel *k = &m->kernel[0];
    for (uint32_t i = 0; i < k->uop_cnt; i++) {
        got[k->uop[i].line - FIRST_LINE] = k->uop[i].rides ? '-' : (char)('1' + k->uop[i].slots);
        got[k->uop_cnt] = '\0';
    }
    assert_string_equal(got, want);
    cw_module_destroy(m);
}

/* What ptxas 13 makes of the same lines for sm_75, counted in its output. */
static void test_lower__slots(void **state)
{
    (void)state;
    expect_slots("mul.wide.u32 %d2, %r1, 4;\nadd.s64 %d3, %d1, %d2;\nld.global.u32 %r2, [%d3];\nst.global.u32 [%d1], %r2;\nret;", "-1111");
    expect_slots("add.s64 %d3, %d1, %d2;\nadd.s64 %d4, %d3, 16;\nld.global.u32 %r2, [%d4];\nst.global.u32 [%d3], %r2;\nret;", "2-111");
    expect_slots("shl.b32 %r1, %r2, 2;\nadd.s32 %r3, %r1, %r4;\nst.shared.u32 [%r3], %r3;\nret;", "-111");
    expect_slots("and.b64 %d2, %d1, %d3;\nmul.lo.s64 %d4, %d2, %d3;\nst.global.u64 [%d1], %d4;\nret;", "2411");
    expect_slots("ld.param.u32 %r1, [p1];\ncvt.u64.u32 %d2, %r1;\nst.global.u64 [%d1], %d2;\nret;", "--11");
}

/* The product may be contracted unless the text names its rounding, or somebody else reads it. */
static void test_lower__contraction(void **state)
{
    (void)state;
    expect_slots("mul.f32 %f1, %f2, %f3;\nadd.f32 %f4, %f1, %f5;\nst.global.f32 [%d1], %f4;\nret;", "-111");
    expect_slots("mul.rn.f32 %f1, %f2, %f3;\nadd.f32 %f4, %f1, %f5;\nst.global.f32 [%d1], %f4;\nret;", "1111");
    expect_slots("mul.f32 %f1, %f2, %f3;\nadd.rn.f32 %f4, %f1, %f5;\nst.global.f32 [%d1], %f4;\nret;", "1111");
    expect_slots("mul.f32 %f1, %f2, %f3;\nadd.f32 %f4, %f1, %f5;\nst.global.v2.f32 [%d1], {%f4, %f1};\nret;", "1111");
}

/* A sum that is stored, too, has to be computed; one by a register is no offset; nothing rides into the next block. */
static void test_lower__no_ride(void **state)
{
    (void)state;
    expect_slots("add.s64 %d4, %d2, 16;\nld.global.u32 %r2, [%d4];\nst.global.u64 [%d2], %d4;\nret;", "2111");
    expect_slots("add.s64 %d4, %d2, %d3;\nld.global.u32 %r2, [%d4];\nst.global.u32 [%d2], %r2;\nret;", "2111");
    expect_slots("mov.u32 %r1, %r2;\nJ: st.global.u32 [%d2], %r1;\n@%p1 bra J;\nret;", "1111");
}

/* What rides stands in front of the first that needs it, though nothing keeps it from coming early. */
static void test_lower__sinks(void **state)
{
    (void)state;
    expect("cvt.u64.u32 %d4, %r1;\nld.global.u32 %r2, [%d1];\nadd.s64 %d5, %d2, %d4;\nst.global.u32 [%d5], %r2;\nret;", "bacde");
}

/* Writes into the body `cnt` times the line, and what stands around. */
static void sides(char *body, size_t size, const char *before, const char *line, uint32_t cnt, const char *between, uint32_t other)
{
    size_t n = (size_t)snprintf(body, size, "%s\n", before);
    for (uint32_t i = 0; i < cnt; i++)
        n += (size_t)snprintf(body + n, size - n, "%s\n", line);
    n += (size_t)snprintf(body + n, size - n, "%s%s", between, other == 0 ? "" : "\n");
    for (uint32_t i = 0; i < other; i++)
        n += (size_t)snprintf(body + n, size - n, "%s\n", line);
    snprintf(body + n, size - n, "J: st.global.f32 [%%d1], %%f1;\nret;");
}

/* Guards by lines, but the last two: '+' of %p1, '-' of its opposite, 'b' for a branch that is there, '.' for none. */
static void expect_guards(const char *body, const char *want)
{
    const struct cw_config c = volta();
    char text[4096], got[128] = "";
    snprintf(text, sizeof text, "%s%s\n}\n", PX_START, body);
    struct cw_module *m = lowered(text, &c);
    const struct cw_kernel *k = &m->kernel[0];
    for (uint32_t i = 0; i < k->uop_cnt; i++) {
        const struct cw_uop *u = &k->uop[i];
        got[u->line - FIRST_LINE] = u->op == CW_OP_BRA ? 'b' : u->guard < 0 ? '.' : u->guard_neg ? '-' : '+';
    }
    got[k->uop_cnt - 2] = '\0';
    assert_string_equal(got, want);
    cw_module_destroy(m);
}

/* The sides to which ptxas 13 gives guards for sm_75 (experiments/lowering/guards.py): eight instructions alone, or seven each of two. */
static void test_lower__short_sides(void **state)
{
    (void)state;
    const char *add = "add.f32 %f1, %f1, %f2;";
    char body[2048];
    sides(body, sizeof body, "@%p1 bra J;", add, 8, "", 0);
    expect_guards(body, "+--------");
    sides(body, sizeof body, "@!%p1 bra J;", add, 8, "", 0);
    expect_guards(body, "-++++++++");
    sides(body, sizeof body, "@%p1 bra J;", add, 9, "", 0);
    expect_guards(body, "b.........");
    sides(body, sizeof body, "@%p1 bra E;", add, 2, "bra J; E:", 2);
    expect_guards(body, "+---++");
    sides(body, sizeof body, "@%p1 bra E;", add, 7, "bra J; E:", 7);
    expect_guards(body, "+--------+++++++");
    sides(body, sizeof body, "@%p1 bra E;", add, 8, "bra J; E:", 7);
    expect_guards(body, "b........b.......");
    expect_guards("@%p1 bra J;\nadd.f32 %f1, %f1, %f2;\nbra J;\nK: add.f32 %f1, %f1, %f1;\nJ: @%p2 bra K;\nst.global.f32 [%d1], %f1;\nret;",
                  "b.b.b");
}

/* An atomic, a barrier, an inner branch, a division, a write of the guard, a way that ends: the branch stays. */
static void test_lower__branch_stays(void **state)
{
    (void)state;
    static const char *const stays[] = {"red.global.add.u32 [%d2], 1;", "bar.warp.sync -1;", "div.rn.f32 %f1, %f1, %f2;",
                                        "setp.eq.u32 %p1, %r1, 0;",     "@%p2 bra J;",       "ret;"};
    char body[512];
    for (uint32_t i = 0; i < sizeof stays / sizeof *stays; i++) {
        sides(body, sizeof body, "@%p1 bra J;", stays[i], 1, "", 0);
        const struct cw_config c = volta();
        char text[4096];
        snprintf(text, sizeof text, "%s%s\n}\n", PX_START, body);
        struct cw_module *m = lowered(text, &c);
        assert_int_equal(m->kernel[0].uop[0].op, CW_OP_BRA);
        cw_module_destroy(m);
    }
}

/* What only the side uses lives there: guarded writes of it do not keep a register from the kernel's beginning. */
static void test_lower__side_registers(void **state)
{
    (void)state;
    const struct cw_config c = volta();
    struct cw_module *m =
        lowered(PX_KERNEL("ld.global.u32 %r1, [%d1];\nst.global.u32 [%d1+4], %r1;\nbar.sync 0;\n@%p1 bra J;\nld.global.u32 %r2, [%d1+8];\n"
                          "st.global.u32 [%d1+12], %r2;\nJ: st.global.u32 [%d1+16], %r3;\nret;"),
                &c);
    assert_int_equal(m->kernel[0].live_regs, 4); /* %d1, %r3, and one of the others at a time */
    cw_module_destroy(m);
}

/* What comes out counts: the words that are live at once, as occupancy sees them. */
static void test_lower__live_words(void **state)
{
    (void)state;
    const struct cw_config c = volta();
    struct cw_module *m = lowered(PX_KERNEL("ld.global.u32 %r1, [%d1];\nst.global.u32 [%d1+100], %r1;\nld.global.u32 %r2, [%d1+4];\n"
                                            "st.global.u32 [%d1+104], %r2;\nret;"),
                                  &c);
    assert_int_equal(m->kernel[0].live_regs, 4);
    cw_module_destroy(m);
    m = px_load(PX_KERNEL("ld.global.u32 %r1, [%d1];\nst.global.u32 [%d1+100], %r1;\nld.global.u32 %r2, [%d1+4];\n"
                          "st.global.u32 [%d1+104], %r2;\nret;"));
    assert_int_equal(m->kernel[0].live_regs, 3);
    cw_module_destroy(m);
}

/* The digest is of the text: a profile of the kernel holds for both orders. */
static void test_lower__digest(void **state)
{
    (void)state;
    const struct cw_config c = volta();
    const char *text =
        PX_KERNEL("ld.global.u32 %r1, [%d1];\nst.shared.u32 [%r8], %r1;\nld.global.u32 %r2, [%d1+4];\nst.shared.u32 [%r8+4], %r2;\nret;");
    struct cw_module *a = px_load(text), *b = lowered(text, &c);
    assert_true(a->kernel[0].digest == b->kernel[0].digest);
    cw_module_destroy(a);
    cw_module_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lower__loads_first),  cmocka_unit_test(test_lower__longest_way),    cmocka_unit_test(test_lower__may_alias),
        cmocka_unit_test(test_lower__cannot_alias), cmocka_unit_test(test_lower__bytes),          cmocka_unit_test(test_lower__sums),
        cmocka_unit_test(test_lower__fixed),        cmocka_unit_test(test_lower__walls),          cmocka_unit_test(test_lower__guards),
        cmocka_unit_test(test_lower__carry),        cmocka_unit_test(test_lower__pressure),       cmocka_unit_test(test_lower__live_words),
        cmocka_unit_test(test_lower__digest),       cmocka_unit_test(test_lower__slots),          cmocka_unit_test(test_lower__contraction),
        cmocka_unit_test(test_lower__no_ride),      cmocka_unit_test(test_lower__sinks),          cmocka_unit_test(test_lower__short_sides),
        cmocka_unit_test(test_lower__branch_stays), cmocka_unit_test(test_lower__side_registers), cmocka_unit_test(test_lower__wide),
        cmocka_unit_test(test_lower__not_wide),     cmocka_unit_test(test_lower__wide_of_pairs),  cmocka_unit_test(test_lower__wide_bases),
        cmocka_unit_test(test_lower__multiples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
