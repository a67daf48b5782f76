/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests from PTX text to results: one instruction in a kernel made from a template, read by the reader, executed lane by lane.
 *
 * Inputs a, b, c, e are parameters, loaded as %h1 .. %h4 (16 bits), %r1 .. (32), %f1 .., %l1 .. (64) and %d1 ..; the result is register 0.
 */
#ifndef CW_TESTS_EXEC_TEXT_H
#define CW_TESTS_EXEC_TEXT_H

#include "cw_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "ptx/ptx.h"

struct et_case {
    const char *text, *result; /* result: h0 r0 f0 l0 d0 or p0 */
    uint64_t in[4], expected;
};

static const char et_head[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u64 a, .param .u64 b, .param .u64 c, .param .u64 e)\n{\n"
    ".reg .pred %p<6>;\n.reg .b16 %h<6>;\n.reg .b32 %r<10>;\n.reg .f32 %f<6>;\n.reg .b64 %l<10>;\n.reg .f64 %d<6>;\n"
    "ld.param.u64 %l9, [out];\n";

/* Writes the kernel for c into text. */
static inline void et_make_kernel(char *text, size_t size, const struct et_case *c)
{
    size_t n = (size_t)snprintf(text, size, "%s", et_head);
    for (int i = 1; i <= 4; i++) {
        char p = "-abce"[i];
        n += (size_t)snprintf(text + n, size - n,
                              "ld.param.u16 %%h%d, [%c];\nld.param.u32 %%r%d, [%c];\nld.param.f32 %%f%d, [%c];\n"
                              "ld.param.u64 %%l%d, [%c];\nld.param.f64 %%d%d, [%c];\n",
                              i, p, i, p, i, p, i, p, i, p);
    }
    n += (size_t)snprintf(text + n, size - n, "setp.ne.u32 %%p1, %%r1, 0;\nsetp.ne.u32 %%p2, %%r2, 0;\n%s\n", c->text);
    if (c->result[0] == 'p')
        n += (size_t)snprintf(text + n, size - n, "selp.u32 %%r0, 1, 0, %%p0;\n");
    const char *type = strchr("h", c->result[0])    ? "u16"
                       : strchr("rp", c->result[0]) ? "u32"
                       : c->result[0] == 'f'        ? "f32"
                       : c->result[0] == 'l'        ? "u64"
                                                    : "f64";
    snprintf(text + n, size - n, "st.global.%s [%%l9], %%%c0;\nret;\n}\n", type, c->result[0] == 'p' ? 'r' : c->result[0]);
}

struct et_machine {
    uint32_t *r32, *pred, cc;
    uint64_t *r64;
    uint8_t *param;
    uint32_t tid[CW_LANES];
    struct cw_exec x;
};

static inline void et_machine_init(struct et_machine *m, const struct cw_kernel *k)
{
    memset(m, 0, sizeof *m);
    m->r32 = calloc((size_t)k->r32_cnt + 1, CW_LANES * sizeof *m->r32);
    m->r64 = calloc((size_t)k->r64_cnt + 1, CW_LANES * sizeof *m->r64);
    m->pred = calloc((size_t)k->pred_cnt + 1, sizeof *m->pred);
    m->param = calloc(1, k->param_bytes);
    assert_true(m->r32 != NULL && m->r64 != NULL && m->pred != NULL && m->param != NULL);
    m->x = (struct cw_exec){.r32 = m->r32,
                            .r64 = m->r64,
                            .pred = m->pred,
                            .cc = &m->cc,
                            .r32_stride = CW_LANES,
                            .r64_stride = CW_LANES,
                            .pred_stride = 1,
                            .kernel = k,
                            .param = m->param,
                            .tid = {m->tid, m->tid, m->tid},
                            .smid = 3};
}

/* Straight-line execution up to the store, whose operand is the result of the case. */
static inline uint64_t et_execute(struct et_machine *m, const struct cw_kernel *k, uint32_t lane)
{
    for (uint32_t i = 0; i < k->uop_cnt; i++) {
        const struct cw_uop *u = &k->uop[i];
        if (u->op == CW_OP_ST) {
            uint64_t v = u->src[1].kind == CW_OPND_R64 || u->src[1].kind == CW_OPND_C64 ? cw_exec_src64(&m->x, u->src[1])[lane]
                                                                                        : cw_exec_src32(&m->x, u->src[1])[lane];
            return v & (UINT64_MAX >> (64 - 8 * cw_type_bytes((enum cw_type)u->type)));
        }
        assert_true(u->exec != NULL);
        u->exec(u, &m->x, cw_exec_guard(u, &m->x, UINT32_MAX));
    }
    fail_msg("no store");
    return 0;
}

/* The kernel of a case, to be run with many inputs. */
struct et_loaded {
    struct cw_module *module;
    struct et_machine m;
};

static inline void et_load(struct et_loaded *k, const struct et_case *c)
{
    char text[4096];
    struct cw_error err = {""};
    k->module = NULL;
    et_make_kernel(text, sizeof text, c);
    if (cw_ptx_load(&k->module, text, strlen(text), "case.ptx", NULL, NULL, &err) != CW_OK ||
        cw_module_place(k->module, CW_GLOBAL_BASE, &err) != CW_OK)
        fail_msg("%s: %s", c->text, err.text);
    if (cw_exec_bind(&k->module->kernel[0], &err) != CW_OK)
        fail_msg("%s: %s", c->text, err.text);
    et_machine_init(&k->m, &k->module->kernel[0]);
}

static inline uint64_t et_eval(struct et_loaded *k, const uint64_t in[4])
{
    for (uint32_t i = 0; i < 4; i++)
        memcpy(k->m.param + k->module->kernel[0].param[1 + i].offset, &in[i], 8);
    return et_execute(&k->m, &k->module->kernel[0], 19);
}

static inline void et_free(struct et_loaded *k)
{
    free(k->m.r32);
    free(k->m.r64);
    free(k->m.pred);
    free(k->m.param);
    cw_module_destroy(k->module);
}

/* The result of the case. */
static inline uint64_t et_run(const struct et_case *c)
{
    struct et_loaded k;
    et_load(&k, c);
    uint64_t got = et_eval(&k, c->in);
    et_free(&k);
    return got;
}

static inline void et_check(const struct et_case *c)
{
    uint64_t got = et_run(c);
    if (got != c->expected)
        fail_msg("%s (%llx, %llx, %llx) gives %llx, not %llx", c->text, (unsigned long long)c->in[0], (unsigned long long)c->in[1],
                 (unsigned long long)c->in[2], (unsigned long long)got, (unsigned long long)c->expected);
}

#define ET_CHECK_ALL(t)                                          \
    do {                                                         \
        for (size_t i_ = 0; i_ < sizeof(t) / sizeof(t)[0]; i_++) \
            et_check(&(t)[i_]);                                  \
        printf("%zu instructions\n", sizeof(t) / sizeof(t)[0]);  \
    } while (0)

#endif
