/* SPDX-License-Identifier: Apache-2.0 */
/* The PTX text of a test. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "litmus/litmus.h"

static const char head_of_memory[] = ".version 7.5\n.target sm_75\n.address_size 64\n";
static const char head[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
                           ".extern .func ofence();\n"
                           ".extern .func dfence();\n"
                           ".extern .func cowarp_pacq_begin(.param .b32 scope);\n"
                           ".extern .func cowarp_pacq_end(.param .b64 address, .param .b32 value, .param .b32 scope);\n"
                           ".extern .func cowarp_prel(.param .b64 address, .param .b32 value, .param .b32 scope);\n";

static const char *const names[LITMUS_FORMS] = {
    [LITMUS_DELAY_EACH] = "litmus", [LITMUS_DELAY_FENCES] = "fences", [LITMUS_DELAY_FIRST] = "adjacent"};

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
static void put_shared(FILE *f, const struct litmus_test *t)
{
    const uint32_t words = t->spacing * LITMUS_PLACES / 4; /* a block has as many threads */
    fprintf(f,
            ".shared .align 128 .b8 flag[%u];\n"
            "mov.u32 %%r3, %%tid.x; setp.ge.u32 %%p1, %%r3, %u; mov.u32 %%r1, flag; shl.b32 %%r2, %%r3, 2; add.u32 %%r1, %%r1, %%r2;\n"
            "@%%p1 bra CLEAR; mov.u32 %%r2, 0; st.shared.u32 [%%r1], %%r2;\nCLEAR: bar.sync 0;\n",
            4 * words, words);
}

/* A load, and a loop that depends on it. */
static void put_delay(FILE *f, uint32_t i)
{
    fprintf(f, "ld.global.u32 %%r6, [%%rd3+%u];\n", 4 * i);
    fprintf(f, "DELAY%u: setp.eq.u32 %%p1, %%r6, 0; @%%p1 bra GO%u; sub.u32 %%r6, %%r6, 1; bra DELAY%u;\nGO%u:\n", i, i, i, i);
}

static const char *scope_of(const struct litmus_op *op)
{
    return op->system ? "sys" : op->device ? "gpu" : "cta";
}

static const char *space_of(const struct litmus_test *t, const struct litmus_op *op)
{
    return t->place[op->place].space == LITMUS_SHARED ? "shared" : "global";
}

/* The addresses of all places: what stands between two operations then waits for nothing. */
static void put_addresses(FILE *f, const struct litmus_test *t)
{
    for (uint32_t p = 0; p < t->place_cnt; p++)
        if (t->place[p].space == LITMUS_SHARED)
            fprintf(f, "mov.u64 %%a%u, flag; add.u64 %%a%u, %%a%u, %u; cvta.shared.u64 %%g%u, %%a%u;\n", p, p, p, t->spacing * p, p, p);
        else
            fprintf(f, "ld.global.u64 %%a%u, [%%rd2+%u]; mov.u64 %%g%u, %%a%u;\n", p, 8 * p, p, p);
}

static void put_call(FILE *f, const char *name, const struct litmus_op *op)
{
    fprintf(f,
            "{ .param .b64 a; .param .b32 v; .param .b32 s; st.param.b64 [a], %%g%u; st.param.b32 [v], %%r7; st.param.b32 [s], %u;\n"
            "call %s, (a, v, s); }\n",
            op->place, op->device, name);
}

static void put_acquire(FILE *f, const struct litmus_test *t, const struct litmus_op *op)
{
    fprintf(f, "{ .param .b32 s; st.param.b32 [s], %u; call cowarp_pacq_begin, (s); }\n", op->device);
    fprintf(f, "ld.relaxed.%s.%s.u32 %%r7, [%%a%u];\n", scope_of(op), space_of(t, op), op->place);
    put_call(f, "cowarp_pacq_end", op);
}

static bool is_fence(const struct litmus_op *op)
{
    return op->kind == LITMUS_OFENCE || op->kind == LITMUS_DFENCE || op->kind == LITMUS_FENCE || op->kind == LITMUS_MEMORY_FENCE;
}

/* Its result is in a register. */
static bool is_read(const struct litmus_op *op)
{
    return op->kind == LITMUS_READ || op->kind == LITMUS_LOAD || op->kind == LITMUS_MEMORY_LOAD || op->kind == LITMUS_MEMORY_EXCHANGE;
}

/* A register for a result of so many bytes. */
static char bank_of(uint32_t bytes)
{
    return bytes == 8 ? 'w' : 'v';
}

static void put_guard(FILE *f, const struct litmus_test *t, uint32_t read, uint64_t value)
{
    uint32_t bytes = 4;
    for (uint32_t i = 0; i < t->op_cnt; i++)
        if (t->op[i].kind == LITMUS_MEMORY_LOAD && t->op[i].read <= read && read < t->op[i].read + t->op[i].lanes)
            bytes = t->op[i].bytes;
    fprintf(f, "setp.eq.u%u %%p2, %%%c%u, %" PRIu64 ";\n", bytes == 8 ? 64 : 32, bank_of(bytes), read, value);
}

/* The elements of a load or store: registers, or values. */
static void put_elements(FILE *f, const struct litmus_op *op)
{
    fputs(op->lanes > 1 ? "{" : "", f);
    for (uint32_t i = 0; i < op->lanes; i++) {
        fputs(i > 0 ? ", " : "", f);
        if (op->kind == LITMUS_MEMORY_LOAD)
            fprintf(f, "%%%c%u", bank_of(op->bytes), op->read + i);
        else if (op->data != 0)
            fprintf(f, "%%%c%u", bank_of(op->bytes), op->data - 1u);
        else
            fprintf(f, "%" PRIu64, i == 0 ? op->value : op->more[i - 1]);
    }
    fputs(op->lanes > 1 ? "}" : "", f);
}

/* A load or a store, with what it depends on: a register as its address or value, or a predicate. */
static void put_transfer(FILE *f, const struct litmus_test *t, const struct litmus_op *op, const char *order)
{
    const char *base = "a";
    uint32_t number = op->place;
    if (op->guard != 0)
        put_guard(f, t, op->guard - 1u, op->guard_value);
    if (op->index != 0) {
        fprintf(f, "mul.wide.u32 %%rd10, %%v%u, %u; add.u64 %%rd10, %%rd10, %%a%u;\n", op->index - 1u, op->bytes, op->place);
        base = "rd";
        number = 10;
    }
    fprintf(f, "%s%s%s.%s%s", op->guard != 0 ? "@%p2 " : "", op->kind == LITMUS_MEMORY_LOAD ? "ld" : "st", order, space_of(t, op),
            op->texture ? ".nc" : "");
    if (op->lanes > 1)
        fprintf(f, ".v%u", op->lanes);
    fprintf(f, ".u%u ", 8 * op->bytes);
    if (op->kind == LITMUS_MEMORY_LOAD) {
        put_elements(f, op);
        fprintf(f, ", [%%%s%u+%u];\n", base, number, op->offset);
        return;
    }
    fprintf(f, "[%%%s%u+%u], ", base, number, op->offset);
    put_elements(f, op);
    fputs(";\n", f);
}

/* Of a test of memory: the instruction as PTX has it. */
static void put_access(FILE *f, const struct litmus_test *t, const struct litmus_op *op)
{
    static const char *const sems[] = {[LITMUS_WEAK] = "",
                                       [LITMUS_AS_VOLATILE] = ".volatile",
                                       [LITMUS_RELAXED] = ".relaxed",
                                       [LITMUS_ACQUIRE] = ".acquire",
                                       [LITMUS_RELEASING] = ".release",
                                       [LITMUS_ACQ_REL] = ".acq_rel",
                                       [LITMUS_SC] = ".sc"};
    char order[24];
    const bool scoped = op->sem != LITMUS_WEAK && op->sem != LITMUS_AS_VOLATILE;
    snprintf(order, sizeof order, "%s%s%s", sems[op->sem], scoped ? "." : "", scoped ? scope_of(op) : "");
    if (op->kind == LITMUS_MEMORY_FENCE && op->membar)
        fprintf(f, "membar.%s;\n", op->system ? "sys" : op->device ? "gl" : "cta");
    else if (op->kind == LITMUS_MEMORY_FENCE)
        fprintf(f, "fence%s;\n", order);
    else if (op->kind == LITMUS_MEMORY_EXCHANGE)
        fprintf(f, "atom%s.%s.exch.b32 %%v%u, [%%a%u], %" PRIu64 ";\n", order, space_of(t, op), op->read, op->place, op->value);
    else
        put_transfer(f, t, op, order);
}

/* The warps of the block's threads that have a barrier. */
static void put_barrier(FILE *f, const struct litmus_test *t, const struct litmus_op *op)
{
    bool has[LITMUS_THREADS] = {false};
    uint32_t warps = 0;
    for (uint32_t i = 0; i < t->op_cnt; i++)
        has[t->op[i].thread] |= t->op[i].kind == LITMUS_MEMORY_BARRIER && t->thread[t->op[i].thread].block == t->thread[op->thread].block;
    for (uint32_t k = 0; k < t->thread_cnt; k++)
        warps += has[k];
    fprintf(f, "mov.u32 %%r9, WARP_SZ; mul.lo.u32 %%r9, %%r9, %u; bar.sync 1, %%r9;\n", warps);
}

/* Of a test of memory: the thread's core may have the lines in its L1 before the test begins. */
static void put_warm(FILE *f, const struct litmus_test *t, uint32_t thread)
{
    fprintf(f, "ld.global.u32 %%r6, [%%rd3+%u]; setp.eq.u32 %%p1, %%r6, 0; @%%p1 bra COLD%u;\n", 4 * (LITMUS_OPS - 1 - thread), thread);
    for (uint32_t p = 0; p < t->place_cnt; p++)
        if (t->place[p].space == LITMUS_GLOBAL)
            fprintf(f, "ld.global.u32 %%r8, [%%a%u];\n", p);
    fprintf(f, "COLD%u:\n", thread);
}

/* Results stay in registers: to store them would come between two operations. */
static void put_op(FILE *f, const struct litmus_test *t, uint32_t i)
{
    const struct litmus_op *op = &t->op[i];
    switch ((enum litmus_kind)op->kind) {
    case LITMUS_OFENCE:
    case LITMUS_DFENCE:
        fprintf(f, "call %s, ();\n", op->kind == LITMUS_OFENCE ? "ofence" : "dfence");
        break;
    case LITMUS_FENCE:
        fprintf(f, "fence.acq_rel.%s;\n", scope_of(op));
        break;
    case LITMUS_WRITE:
        if (op->how == LITMUS_ATOMIC)
            fprintf(f, "atom.global.exch.b32 %%r8, [%%a%u], %" PRIu64 ";\n", op->place, op->value);
        else
            fprintf(f, "st%s.global.u32 [%%a%u], %" PRIu64 ";\n", op->how == LITMUS_VOLATILE ? ".volatile" : "", op->place, op->value);
        break;
    case LITMUS_LOAD:
        fprintf(f, "ld.%s.u32 %%v%u, [%%a%u];\n", space_of(t, op), op->read, op->place);
        break;
    case LITMUS_RELEASE:
        fprintf(f, "mov.u32 %%r7, %" PRIu64 ";\n", op->value);
        put_call(f, "cowarp_prel", op);
        fprintf(f, "st.relaxed.%s.%s.u32 [%%a%u], %%r7;\n", scope_of(op), space_of(t, op), op->place);
        break;
    case LITMUS_WAIT:
        fprintf(f, "WAIT%u:\n", i);
        put_acquire(f, t, op);
        fprintf(f, "setp.ne.u32 %%p1, %%r7, %" PRIu64 "; @%%p1 bra WAIT%u;\n", op->value, i);
        break;
    case LITMUS_READ:
        put_acquire(f, t, op);
        fprintf(f, "mov.u32 %%v%u, %%r7;\n", op->read);
        break;
    case LITMUS_MEMORY_LOAD:
    case LITMUS_MEMORY_STORE:
    case LITMUS_MEMORY_EXCHANGE:
    case LITMUS_MEMORY_FENCE:
        put_access(f, t, op);
        break;
    case LITMUS_MEMORY_BARRIER:
        put_barrier(f, t, op);
        break;
    }
}

static uint32_t results_of(const struct litmus_op *op)
{
    return op->kind == LITMUS_MEMORY_LOAD ? op->lanes : 1;
}

static void put_results(FILE *f, const struct litmus_op *op)
{
    const bool wide = op->kind == LITMUS_MEMORY_LOAD && op->bytes == 8;
    for (uint32_t i = op->read; i < op->read + results_of(op); i++)
        fprintf(f, "st.global.u%u [%%rd4+%u], %%%c%u;\n", wide ? 64 : 32, 8 * i, wide ? 'w' : 'v', i);
}

/* What a load that may not be done leaves. */
static void put_nothing(FILE *f, const struct litmus_test *t, uint32_t thread)
{
    for (uint32_t i = 0; i < t->op_cnt; i++)
        for (uint32_t k = 0; t->op[i].thread == thread && t->op[i].guard != 0 && k < results_of(&t->op[i]); k++)
            if (is_read(&t->op[i]))
                fprintf(f, "mov.u%u %%%c%u, 0;\n", t->op[i].bytes == 8 ? 64 : 32, bank_of(t->op[i].bytes), t->op[i].read + k);
}

static void put_thread(FILE *f, const struct litmus_test *t, uint32_t thread, enum litmus_form form)
{
    bool first = true;
    fprintf(f, "THREAD%u: // %s\n", thread, t->thread[thread].name);
    if (t->memory)
        put_warm(f, t, thread);
    put_nothing(f, t, thread);
    for (uint32_t i = 0; i < t->op_cnt; i++) {
        if (t->op[i].thread != thread)
            continue;
        if (first || form == LITMUS_DELAY_EACH || (form == LITMUS_DELAY_FENCES && is_fence(&t->op[i])))
            put_delay(f, i);
        put_op(f, t, i);
        first = false;
    }
    for (uint32_t i = 0; i < t->op_cnt; i++)
        if (t->op[i].thread == thread && is_read(&t->op[i]))
            put_results(f, &t->op[i]);
    fprintf(f, "bra END;\n");
}

/* A store; in a test of memory many, since memory is faster. */
static void put_noise(FILE *f, const struct litmus_test *t)
{
    fprintf(f, "NOISE: ld.param.u64 %%rd6, [noise]; mov.u32 %%r6, %u;\n", t->memory ? 32 : 1);
    fprintf(f, "AGAIN: rem.u32 %%r5, %%r1, %u; mul.wide.u32 %%rd5, %%r5, 8; add.u64 %%rd5, %%rd6, %%rd5;\n", LITMUS_NOISE);
    fprintf(f, "ld.global.u64 %%rd5, [%%rd5]; st.global.u32 [%%rd5], %%r1; add.u32 %%r1, %%r1, 7;\n");
    fprintf(f, "sub.u32 %%r6, %%r6, 1; setp.ne.u32 %%p1, %%r6, 0; @%%p1 bra AGAIN;\n");
}

static void put_kernel(FILE *f, const struct litmus_test *t, enum litmus_form form)
{
    fprintf(f, ".visible .entry %s(.param .u64 role, .param .u64 place, .param .u64 delay, .param .u64 out, .param .u64 noise)\n{\n",
            names[form]);
    fprintf(f,
            ".reg .pred %%p<3>; .reg .b32 %%r<12>; .reg .b64 %%rd<12>; .reg .b64 %%a<%u>; .reg .b64 %%g<%u>; .reg .b32 %%v<%u>; .reg .b64 "
            "%%w<%u>;\n",
            LITMUS_PLACES, LITMUS_PLACES, LITMUS_READS, LITMUS_READS);
    if (uses_shared(t))
        put_shared(f, t);
    fputs(find_role, f);
    fprintf(f, "rem.u32 %%r5, %%r4, %u; div.u32 %%r4, %%r4, %u;\n", LITMUS_THREADS, LITMUS_THREADS);
    fprintf(f, "ld.param.u64 %%rd2, [place]; mul.wide.u32 %%rd5, %%r4, %u; add.u64 %%rd2, %%rd2, %%rd5;\n", 8 * LITMUS_PLACES);
    fprintf(f, "ld.param.u64 %%rd3, [delay]; mul.wide.u32 %%rd5, %%r4, %u; add.u64 %%rd3, %%rd3, %%rd5;\n", 4 * LITMUS_OPS);
    fprintf(f, "ld.param.u64 %%rd4, [out]; mul.wide.u32 %%rd5, %%r4, %u; add.u64 %%rd4, %%rd4, %%rd5;\n", 8 * LITMUS_READS);
    put_addresses(f, t);
    for (uint32_t k = 0; k < t->thread_cnt; k++)
        fprintf(f, "setp.eq.u32 %%p1, %%r5, %u; @%%p1 bra THREAD%u;\n", k, k);
    fprintf(f, "bra END;\n");
    for (uint32_t k = 0; k < t->thread_cnt; k++)
        put_thread(f, t, k, form);
    put_noise(f, t);
    fprintf(f, "END: ret;\n}\n");
}

const char *litmus_kernel(enum litmus_form form)
{
    return names[form];
}

char *litmus_ptx(const struct litmus_test *t, size_t *length)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, length);
    if (f == NULL)
        return NULL;
    fputs(t->memory ? head_of_memory : head, f);
    for (uint32_t form = 0; form < LITMUS_FORMS; form++)
        put_kernel(f, t, (enum litmus_form)form);
    if (fclose(f) == 0)
        return text;
    free(text);
    return NULL;
}
