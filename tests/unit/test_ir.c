/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second front end: a text with one micro-operation per line. It shows that a kernel needs nothing of csim/ptx: this file links no object of it,
 * builds two kernels, and runs them on the GPU.
 *
 *     kernel NAME PARAMETER-BYTES      begins a kernel
 *     LABEL:                           names the next micro-operation
 *     [@pN|@!pN] OP[.WORD...] OPERAND...
 *
 * OP is a mnemonic of uop.def. Its words are a type (u32 s32 u64 f32), a comparison (eq ne lt ge), a space (param global), `wide`, or a label
 * behind bra. An operand is a register (pN predicate, rN 32 bits, dN 64 bits), a number, or tid, ntid, ctaid (of x). Results come first; an
 * address is a register or `-`, and a number of bytes.
 */
#define _GNU_SOURCE /* strtok_r, strdup */
#include <stdlib.h>
#include <string.h>

#include "cw_test.h"
#include "exec/exec.h"
#include "gpu/gpu.h"
#include "ir/build.h"

#define WORDS  16u
#define LABELS 16u

struct reader {
    struct cw_ir ir;
    struct cw_code code;
    uint32_t line;
    uint32_t bank[3][32]; /* p, r, d: virtual register + 1 */
    struct {
        char name[16];
        uint32_t at; /* micro-op of a label; of a branch that waits for one */
    } label[LABELS], branch[LABELS];
    uint32_t label_cnt, branch_cnt;
};

static uint32_t reg(struct reader *r, const char *word)
{
    static const uint8_t bytes[] = {0, 4, 8};
    const uint32_t bank = word[0] == 'p' ? 0 : word[0] == 'r' ? 1 : 2;
    uint32_t *known = &r->bank[bank][atoi(word + 1) % 32];
    if (*known == 0) {
        CW_PUSH(&r->ir, &r->code.vreg, (struct cw_vreg){.bytes = bytes[bank]});
        *known = r->code.vreg.n;
    }
    return *known - 1;
}

static struct cw_vopnd operand(struct reader *r, const char *word, bool is_wide)
{
    static const struct {
        const char *name;
        uint32_t id;
    } sregs[] = {{"tid", CW_SREG_TID_X}, {"ntid", CW_SREG_NTID_X}, {"ctaid", CW_SREG_CTAID_X}};
    for (size_t i = 0; i < sizeof sregs / sizeof sregs[0]; i++)
        if (strcmp(word, sregs[i].name) == 0)
            return (struct cw_vopnd){.kind = CW_V_SREG, .id = sregs[i].id};
    if (strchr("prd", word[0]) != NULL)
        return (struct cw_vopnd){.kind = CW_V_REG, .id = reg(r, word)};
    if (word[0] == '-' && word[1] == '\0')
        return (struct cw_vopnd){0};
    return (struct cw_vopnd){.kind = CW_V_CONST,
                             .id = cw_konst_add(&r->ir, &r->code.konsts, strtoull(word, NULL, 0), is_wide ? 8 : 4, CW_IR_NONE)};
}

/* One word behind the mnemonic. */
static void modifier(struct reader *r, struct cw_uop *u, const char *word)
{
    static const struct {
        const char *word;
        enum { TYPE, CMP, SPACE, FLAG } of;
        uint32_t value;
    } words[] = {{"u32", TYPE, CW_U32},
                 {"s32", TYPE, CW_S32},
                 {"u64", TYPE, CW_U64},
                 {"f32", TYPE, CW_F32},
                 {"eq", CMP, CW_CMP_EQ},
                 {"ne", CMP, CW_CMP_NE},
                 {"lt", CMP, CW_CMP_LT},
                 {"ge", CMP, CW_CMP_GE},
                 {"wide", FLAG, CW_UF_WIDE},
                 {"param", SPACE, CW_SPACE_PARAM},
                 {"global", SPACE, CW_SPACE_GLOBAL}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(word, words[i].word) != 0)
            continue;
        if (words[i].of == TYPE)
            *(u->type == CW_TYPE_NONE ? &u->type : &u->stype) = (uint8_t)words[i].value;
        else if (words[i].of == CMP)
            u->cmp = (uint8_t)words[i].value;
        else if (words[i].of == SPACE)
            u->space = (uint8_t)words[i].value;
        else
            u->flags |= words[i].value;
        return;
    }
    cw_ir_fail_at(&r->ir, CW_EINVAL, r->line, 1, "unknown word '%s'", word);
}

static void mnemonic(struct reader *r, struct cw_vop *v, char *word)
{
    char *next, *name = strtok_r(word, ".", &next);
    v->u.type = v->u.stype = CW_TYPE_NONE;
    while (v->u.op < CW_OP_COUNT && strcmp(cw_op_mnemonic((enum cw_op)v->u.op), name) != 0)
        v->u.op++;
    if (v->u.op == CW_OP_COUNT) {
        cw_ir_fail_at(&r->ir, CW_EINVAL, r->line, 1, "unknown operation '%s'", name);
        return;
    }
    for (char *m = strtok_r(NULL, ".", &next); m != NULL; m = strtok_r(NULL, ".", &next))
        modifier(r, &v->u, m);
}

static void operands(struct reader *r, struct cw_vop *v, char **word, uint32_t cnt)
{
    struct cw_uop *u = &v->u;
    const bool is_memory = u->op == CW_OP_LD || u->op == CW_OP_ST, is_wide = cw_type_bytes((enum cw_type)u->type) == 8;
    uint32_t at = 0;
    u->dst_cnt = u->op != CW_OP_ST && u->op != CW_OP_BRA && u->op != CW_OP_EXIT;
    if (u->op == CW_OP_BRA && cnt == 1 && r->branch_cnt < LABELS) {
        snprintf(r->branch[r->branch_cnt].name, sizeof r->branch[0].name, "%s", word[0]);
        r->branch[r->branch_cnt++].at = r->code.code.n;
        return;
    }
    if (u->dst_cnt == 1 && cnt > 0)
        v->dst[0] = operand(r, word[at++], is_wide);
    if (is_memory && cnt >= at + 2) {
        v->src[u->src_cnt++] = operand(r, word[at], true);
        u->imm = atoi(word[at + 1]);
        u->vec = 1;
        u->stype = u->op == CW_OP_LD ? CW_U32 : CW_TYPE_NONE;
        u->scope = CW_SCOPE_SYS;
        at += 2;
    }
    for (; at < cnt && u->src_cnt < CW_UOP_SRCS; at++)
        v->src[u->src_cnt++] = operand(r, word[at], is_wide && (u->flags & CW_UF_WIDE) == 0);
}

static void statement(struct reader *r, char *text)
{
    char *word[WORDS], *next;
    uint32_t cnt = 0, at = 0;
    struct cw_vop v = {.guard = CW_IR_NONE};
    for (char *w = strtok_r(text, " ", &next); w != NULL && cnt < WORDS; w = strtok_r(NULL, " ", &next))
        word[cnt++] = w;
    if (cnt == 0)
        return;
    if (cnt == 1 && word[0][strlen(word[0]) - 1] == ':' && r->label_cnt < LABELS) {
        snprintf(r->label[r->label_cnt].name, sizeof r->label[0].name, "%.*s", (int)strlen(word[0]) - 1, word[0]);
        r->label[r->label_cnt++].at = r->code.code.n;
        return;
    }
    if (word[0][0] == '@') {
        v.u.guard_neg = word[0][1] == '!';
        v.guard = reg(r, word[at++] + 1 + v.u.guard_neg);
    }
    v.u.line = r->line;
    mnemonic(r, &v, word[at++]);
    operands(r, &v, word + at, cnt - at);
    CW_PUSH(&r->ir, &r->code.code, v);
}

static void join_labels(struct reader *r)
{
    for (uint32_t i = 0; i < r->branch_cnt; i++) {
        uint32_t k = 0;
        while (k < r->label_cnt && strcmp(r->label[k].name, r->branch[i].name) != 0)
            k++;
        if (k == r->label_cnt)
            cw_ir_fail_at(&r->ir, CW_EINVAL, r->line, 1, "no label '%s'", r->branch[i].name);
        else
            r->code.code.a[r->branch[i].at].u.target = r->label[k].at;
    }
}

/* A module of one kernel; NULL, and the error, when the text is wrong. */
static struct cw_module *read_text(const char *text, struct cw_error *err)
{
    struct reader r = {.ir = {.err = err, .file = "text"}, .line = 1};
    struct cw_module *m = calloc(1, sizeof *m);
    char *copy = strdup(text), *next, name[32] = "";
    assert_true(m != NULL && copy != NULL);
    m->kernel = cw_ir_alloc(&r.ir, 1, sizeof *m->kernel);
    m->kernel_cnt = 1;
    m->file = cw_ir_strdup(&r.ir, "text", 4);
    for (char *line = strtok_r(copy, "\n", &next); line != NULL; line = strtok_r(NULL, "\n", &next), r.line++)
        if (sscanf(line, "kernel %31s %u", name, &m->kernel->param_bytes) != 2)
            statement(&r, line);
    free(copy);
    join_labels(&r);
    m->kernel->name = cw_ir_strdup(&r.ir, name, (uint32_t)strlen(name));
    if (r.ir.status == CW_OK)
        cw_ir_finish(&r.ir, &r.code, NULL, name, strlen(name), 0, m->kernel);
    cw_code_free(&r.code);
    if (r.ir.status == CW_OK)
        return m;
    cw_module_destroy(m);
    return NULL;
}

#define INDEX                    \
    "mov.u32 r0 ctaid\n"         \
    "mov.u32 r1 ntid\n"          \
    "mov.u32 r2 tid\n"           \
    "mad.u32 r3 r0 r1 r2\n"      \
    "mul.wide.u64.u32 d3 r3 4\n" \
    "ld.param.u64 d0 - 0\n"      \
    "ld.param.u64 d1 - 8\n"      \
    "ld.param.u64 d2 - 16\n"     \
    "ld.param.u32 r4 - 24\n"     \
    "setp.ge.u32 p0 r3 r4\n"     \
    "@p0 bra END\n"              \
    "add.u64 d0 d0 d3\n"         \
    "add.u64 d1 d1 d3\n"         \
    "add.u64 d2 d2 d3\n"

static const char vecadd[] = "kernel vecadd 28\n" INDEX "ld.global.f32 r5 d0 0\n"
                             "ld.global.f32 r6 d1 0\n"
                             "add.f32 r7 r5 r6\n"
                             "st.global.f32 d2 0 r7\n"
                             "END:\n"
                             "exit\n";

/* Steps of the Collatz sequence of a[i], each lane as many as its number wants; b[i] is added at the end. */
static const char collatz[] = "kernel collatz 28\n" INDEX "ld.global.u32 r5 d0 0\n"
                              "mov.u32 r6 0\n"
                              "STEP:\n"
                              "setp.lt.u32 p1 r5 2\n"
                              "@p1 bra DONE\n"
                              "and.u32 r7 r5 1\n"
                              "setp.eq.u32 p2 r7 0\n"
                              "@p2 bra EVEN\n"
                              "mad.u32 r5 r5 3 1\n"
                              "bra NEXT\n"
                              "EVEN:\n"
                              "shr.u32 r5 r5 1\n"
                              "NEXT:\n"
                              "add.u32 r6 r6 1\n"
                              "bra STEP\n"
                              "DONE:\n"
                              "ld.global.u32 r8 d1 0\n"
                              "add.u32 r6 r6 r8\n"
                              "st.global.u32 d2 0 r6\n"
                              "END:\n"
                              "exit\n";

#define N 200u

struct param {
    uint64_t a, b, out;
    uint32_t n;
};

/* Runs the text with arrays a and b of N words; out: N words. Returns instructions by warps. */
static uint64_t run(const char *text, const uint32_t *a, const uint32_t *b, uint32_t *out)
{
    struct cw_config config;
    struct cw_error err = {""};
    struct cw_gpu *gpu;
    struct param param = {.n = N};
    struct cw_module *m = read_text(text, &err);
    if (m == NULL || cw_module_place(m, CW_GLOBAL_BASE, &err) != CW_OK || cw_exec_bind(m->kernel, &err) != CW_OK)
        fail_msg("%s", err.text);
    assert_int_equal(cw_config_preset(&config, "getm", &err), CW_OK);
    assert_int_equal(cw_gpu_create(&gpu, &(struct cw_gpu_options){.config = &config, .seed = 1}, &err), CW_OK);
    struct cw_memory *memory = cw_gpu_memory(gpu);
    uint64_t *const array[] = {&param.a, &param.b, &param.out};
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(cw_memory_alloc(memory, array[i], 4 * N, 0, &err), CW_OK);
    cw_memory_write(memory, param.a, a, 4 * N);
    cw_memory_write(memory, param.b, b, 4 * N);
    const struct cw_gpu_request request = {.module = m, .kernel = m->kernel, .grid = {4, 1, 1}, .block = {64, 1, 1}, .param = &param};
    if (cw_gpu_launch(gpu, &request, &err) != CW_OK)
        fail_msg("%s", err.text);
    cw_memory_read(memory, param.out, out, 4 * N);
    const uint64_t instructions = cw_gpu_stats(gpu)->warp_instructions;
    cw_gpu_destroy(gpu);
    cw_module_destroy(m);
    return instructions;
}

static void test_ir__vecadd(void **state)
{
    float a[N], b[N], out[N];
    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = 0.5f * (float)(i * i);
    }
    run(vecadd, (const uint32_t *)a, (const uint32_t *)b, (uint32_t *)out);
    for (uint32_t i = 0; i < N; i++)
        assert_true(out[i] == a[i] + b[i]);
}

static uint32_t steps(uint32_t n)
{
    uint32_t cnt = 0;
    for (; n >= 2; cnt++)
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    return cnt;
}

static void test_ir__lanes_that_part_meet_again(void **state)
{
    uint32_t a[N], b[N], out[N], most = 0, rounds = 0;
    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        a[i] = 1 + i * 37 % 97;
        b[i] = 1000 * i;
        most = i % 32 == 0 || steps(a[i]) > most ? steps(a[i]) : most;
        rounds += i % 32 == 31 || i == N - 1 ? most : 0;
    }
    const uint64_t instructions = run(collatz, a, b, out);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(out[i], steps(a[i]) + b[i]);
    /* A round is at most ten instructions of a warp when its lanes meet again behind the if: both sides once each. */
    assert_true(instructions > 7 * rounds && instructions < 10 * (rounds + 1) + 8 * 30);
}

static void test_ir__errors_name_the_line(void **state)
{
    struct cw_error err;
    (void)state;
    assert_null(read_text("kernel k 0\nfrobnicate.u32 r1 r2\nexit\n", &err));
    assert_string_equal(err.text, "text:2:1: unknown operation 'frobnicate'");
    assert_null(read_text("kernel k 0\nmov.u31 r1 2\nexit\n", &err));
    assert_string_equal(err.text, "text:2:1: unknown word 'u31'");
    assert_null(read_text("kernel k 0\nbra AWAY\nexit\n", &err));
    assert_string_equal(err.text, "text:4:1: no label 'AWAY'");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ir__vecadd),
    cmocka_unit_test(test_ir__lanes_that_part_meet_again),
    cmocka_unit_test(test_ir__errors_name_the_line),
};

CW_TEST_MAIN(tests)
