/* SPDX-License-Identifier: Apache-2.0 */
/* The PTX text of a test. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <stdio.h>
#include <stdlib.h>

#include "litmus/litmus.h"

static const char head[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".extern .func ofence();\n"
    ".extern .func dfence();\n"
    ".extern .func cowarp_pacq_begin(.param .b32 scope);\n"
    ".extern .func cowarp_pacq_end(.param .b64 address, .param .b32 value, .param .b32 scope);\n"
    ".extern .func cowarp_prel(.param .b64 address, .param .b32 value, .param .b32 scope);\n"
    ".visible .entry litmus(.param .u64 role, .param .u64 place, .param .u64 delay, .param .u64 out, .param .u64 noise)\n"
    "{\n"
    ".reg .pred %p<2>; .reg .b32 %r<12>; .reg .b64 %rd<12>;\n";

/* %r4: instance, %r5: thread of the test; %rd2, %rd3, %rd4: places, delays and results of the instance. */
static const char find_role[] =
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r1, %r1, %r2, %r3;\n"
    "ld.param.u64 %rd1, [role]; mul.wide.u32 %rd5, %r1, 4; add.u64 %rd1, %rd1, %rd5; ld.global.u32 %r4, [%rd1];\n"
    "setp.eq.u32 %p1, %r4, 0; @%p1 bra END;\n"
    "setp.eq.u32 %p1, %r4, 0xffffffff; @%p1 bra NOISE;\n"
    "sub.u32 %r4, %r4, 1;\n";

static bool uses_shared(const struct litmus_test *t)
{
    for (uint32_t i = 0; i < t->place_cnt; i++)
        if (t->place[i].space == LITMUS_SHARED)
            return true;
    return false;
}

/* A block's variables begin as 0. */
static void put_shared(FILE *f)
{
    fprintf(f,
            ".shared .align 128 .b8 flag[%u];\n"
            "mov.u32 %%r3, %%tid.x; setp.ge.u32 %%p1, %%r3, %u; mov.u32 %%r1, flag; shl.b32 %%r2, %%r3, 2; add.u32 %%r1, %%r1, %%r2;\n"
            "@%%p1 bra CLEAR; mov.u32 %%r2, 0; st.shared.u32 [%%r1], %%r2;\nCLEAR: bar.sync 0;\n",
            4 * LITMUS_PLACES, LITMUS_PLACES);
}

static void put_delay(FILE *f, uint32_t i)
{
    fprintf(f, "ld.global.u32 %%r6, [%%rd3+%u];\n", 4 * i);
    fprintf(f, "DELAY%u: setp.eq.u32 %%p1, %%r6, 0; @%%p1 bra GO%u; sub.u32 %%r6, %%r6, 1; bra DELAY%u;\nGO%u:\n", i, i, i, i);
}

static const char *scope_of(const struct litmus_op *op)
{
    return op->device ? "gpu" : "cta";
}

static const char *space_of(const struct litmus_test *t, const struct litmus_op *op)
{
    return t->place[op->place].space == LITMUS_SHARED ? "shared" : "global";
}

/* %rd6: address of the place in its space, %rd7: the same in the address space of all. */
static void put_address(FILE *f, const struct litmus_test *t, const struct litmus_op *op)
{
    if (t->place[op->place].space == LITMUS_SHARED)
        fprintf(f, "mov.u64 %%rd6, flag; add.u64 %%rd6, %%rd6, %u; cvta.shared.u64 %%rd7, %%rd6;\n", 4 * op->place);
    else
        fprintf(f, "ld.global.u64 %%rd6, [%%rd2+%u]; mov.u64 %%rd7, %%rd6;\n", 8 * op->place);
}

static void put_call(FILE *f, const char *name, const struct litmus_op *op)
{
    fprintf(f,
            "{ .param .b64 a; .param .b32 v; .param .b32 s; st.param.b64 [a], %%rd7; st.param.b32 [v], %%r7; st.param.b32 [s], %u;\n"
            "call %s, (a, v, s); }\n",
            op->device, name);
}

static void put_acquire(FILE *f, const struct litmus_test *t, const struct litmus_op *op)
{
    fprintf(f, "{ .param .b32 s; st.param.b32 [s], %u; call cowarp_pacq_begin, (s); }\n", op->device);
    fprintf(f, "ld.relaxed.%s.%s.u32 %%r7, [%%rd6];\n", scope_of(op), space_of(t, op));
    put_call(f, "cowarp_pacq_end", op);
}

static void put_op(FILE *f, const struct litmus_test *t, uint32_t i)
{
    const struct litmus_op *op = &t->op[i];
    put_delay(f, i);
    if (op->kind == LITMUS_OFENCE || op->kind == LITMUS_DFENCE) {
        fprintf(f, "call %s, ();\n", op->kind == LITMUS_OFENCE ? "ofence" : "dfence");
        return;
    }
    put_address(f, t, op);
    switch ((enum litmus_kind)op->kind) {
    case LITMUS_WRITE:
        fprintf(f, "mov.u32 %%r7, %u; st.global.u32 [%%rd6], %%r7;\n", op->value);
        break;
    case LITMUS_RELEASE:
        fprintf(f, "mov.u32 %%r7, %u;\n", op->value);
        put_call(f, "cowarp_prel", op);
        fprintf(f, "st.relaxed.%s.%s.u32 [%%rd6], %%r7;\n", scope_of(op), space_of(t, op));
        break;
    case LITMUS_WAIT:
        fprintf(f, "WAIT%u:\n", i);
        put_acquire(f, t, op);
        fprintf(f, "setp.ne.u32 %%p1, %%r7, %u; @%%p1 bra WAIT%u;\n", op->value, i);
        break;
    case LITMUS_READ:
        put_acquire(f, t, op);
        fprintf(f, "st.global.u32 [%%rd4+%u], %%r7;\n", 4 * op->read);
        break;
    case LITMUS_OFENCE:
    case LITMUS_DFENCE:
        break;
    }
}

char *litmus_ptx(const struct litmus_test *t, size_t *length)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, length);
    if (f == NULL)
        return NULL;
    fputs(head, f);
    if (uses_shared(t))
        put_shared(f);
    fputs(find_role, f);
    fprintf(f, "rem.u32 %%r5, %%r4, %u; div.u32 %%r4, %%r4, %u;\n", LITMUS_THREADS, LITMUS_THREADS);
    fprintf(f, "ld.param.u64 %%rd2, [place]; mul.wide.u32 %%rd5, %%r4, %u; add.u64 %%rd2, %%rd2, %%rd5;\n", 8 * LITMUS_PLACES);
    fprintf(f, "ld.param.u64 %%rd3, [delay]; mul.wide.u32 %%rd5, %%r4, %u; add.u64 %%rd3, %%rd3, %%rd5;\n", 4 * LITMUS_OPS);
    fprintf(f, "ld.param.u64 %%rd4, [out]; mul.wide.u32 %%rd5, %%r4, %u; add.u64 %%rd4, %%rd4, %%rd5;\n", 4 * LITMUS_READS);
    for (uint32_t k = 0; k < t->thread_cnt; k++)
        fprintf(f, "setp.eq.u32 %%p1, %%r5, %u; @%%p1 bra THREAD%u;\n", k, k);
    fprintf(f, "bra END;\n");
    for (uint32_t k = 0; k < t->thread_cnt; k++) {
        fprintf(f, "THREAD%u: // %s\n", k, t->thread[k].name);
        for (uint32_t i = 0; i < t->op_cnt; i++)
            if (t->op[i].thread == k)
                put_op(f, t, i);
        fprintf(f, "bra END;\n");
    }
    fprintf(f, "NOISE: ld.param.u64 %%rd6, [noise]; rem.u32 %%r5, %%r1, %u;\n", LITMUS_NOISE);
    fprintf(f, "mul.wide.u32 %%rd5, %%r5, 8; add.u64 %%rd6, %%rd6, %%rd5; ld.global.u64 %%rd6, [%%rd6]; st.global.u32 [%%rd6], %%r1;\n");
    fprintf(f, "END: ret;\n}\n");
    if (fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}
