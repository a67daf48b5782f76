/* SPDX-License-Identifier: Apache-2.0 */
/* Loading PTX text in a test, and naming what comes out of it. */
#ifndef CW_TESTS_PTX_FIXTURE_H
#define CW_TESTS_PTX_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cw_test.h"
#include "ir/branch_counts.h"
#include "ir/dump.h"
#include "ir/module.h"
#include "unit/load_all.h"

#define PX_HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
/* A kernel with registers of all types, and its body. */
#define PX_REGS \
    ".reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<40>; .reg .b64 %d<10>; .reg .f32 %f<10>; .reg .f64 %g<10>; .reg .b8 %c<10>;\n"
#define PX_START        PX_HEAD ".visible .entry k(.param .u64 p0, .param .u32 p1)\n{\n" PX_REGS /* the body starts in line 7 */
#define PX_KERNEL(body) PX_START body "\n}\n"

/* Intrinsics of two mechanisms, none of the simulator's own. */
static const struct cw_intrinsic px_regions[] = {
    {.name = "tx_begin", .role = CW_INTRINSIC_REGION_BEGIN, .what = "begins"},
    {.name = "tx_commit", .role = CW_INTRINSIC_REGION_END, .result = CW_TYPE_NONE, .what = "ends"},
    {.name = NULL},
};
static const struct cw_intrinsic px_calls[] = {
    {.name = "note", .role = CW_INTRINSIC_CALL, .result = CW_U32, .arg_cnt = 2, .arg = {CW_U64, CW_F32}, .code = 7, .what = "notes"},
    {.name = "persist", .role = CW_INTRINSIC_CALL, .arg_cnt = 1, .arg = {CW_U64}, .code = 8, .what = "persists"},
    {.name = NULL},
};
static const struct cw_intrinsic *const px_intrinsics[] = {px_regions, px_calls, NULL};

static inline int px_try(struct cw_module **m, const char *text, struct cw_error *err)
{
    err->text[0] = '\0';
    return load_all(m, text, "t.ptx", px_intrinsics, err);
}

/* The module of text, or the test fails with the reader's message. */
static inline struct cw_module *px_load(const char *text)
{
    struct cw_module *m;
    struct cw_error err;
    if (px_try(&m, text, &err) != CW_OK)
        fail_msg("%s", err.text);
    return m;
}

/* A profile, as of file t.txt, of the first kernel of text: of its branches in order, the threads of their ways one after the other. */
static inline struct cw_branch_counts *px_counts(const char *text, const uint64_t *threads, uint32_t cnt)
{
    struct cw_module *m = px_load(text);
    struct cw_branch_counts *c = cw_branch_counts_create();
    struct cw_kernel_counts *k;
    struct cw_error err;
    assert_non_null(c);
    assert_int_equal(cw_branch_counts_add(c, &k, &m->kernel[0], &err), CW_OK);
    assert_int_equal(k->way_cnt, cnt);
    for (uint32_t i = 0; i < cnt; i++)
        k->way[i].threads = threads[i];
    c->file = calloc(1, sizeof "t.txt");
    assert_non_null(c->file);
    memcpy(c->file, "t.txt", sizeof "t.txt");
    cw_module_destroy(m);
    return c;
}

static inline void px_expect_error(const char *text, int status, const char *message)
{
    struct cw_module *m;
    struct cw_error err;
    int got = px_try(&m, text, &err);
    if (got == CW_OK)
        fail_msg("accepted, but expected: %s", message);
    assert_null(m);
    assert_string_equal(err.text, message);
    assert_int_equal(got, status);
}

/* Number of the nth micro-op (from 0) of that operation. */
static inline uint32_t px_find(const struct cw_kernel *k, enum cw_op op, uint32_t nth)
{
    for (uint32_t i = 0; i < k->uop_cnt; i++)
        if (k->uop[i].op == op && nth-- == 0)
            return i;
    fail_msg("no such micro-op: %s", cw_op_mnemonic(op));
    return 0;
}

/* First micro-op of the given line of the PTX text. */
static inline uint32_t px_at_line(const struct cw_kernel *k, uint32_t line)
{
    for (uint32_t i = 0; i < k->uop_cnt; i++)
        if (k->uop[i].line == line)
            return i;
    fail_msg("no micro-op of line %u", line);
    return 0;
}

static inline uint32_t px_count(const struct cw_kernel *k, enum cw_op op)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->uop_cnt; i++)
        n += k->uop[i].op == op;
    return n;
}

/* Value of a constant operand. */
static inline uint64_t px_const(const struct cw_kernel *k, struct cw_opnd o)
{
    if (o.kind == CW_OPND_C64)
        return k->c64[(size_t)o.idx * 32 + 31];
    assert_int_equal(o.kind, CW_OPND_C32);
    return k->c32[(size_t)o.idx * 32 + 31];
}

#endif
