/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/dump.h"

#include <inttypes.h>
#include <stdarg.h>

struct text {
    char *out;
    size_t size, n;
};

static void add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *t, const char *fmt, ...)
{
    if (t->n >= t->size)
        return;
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(t->out + t->n, t->size - t->n, fmt, ap);
    va_end(ap);
    t->n += n > 0 ? (size_t)n : 0;
}

static void add_opnd(struct text *t, const struct cw_kernel *k, struct cw_opnd o)
{
    switch (o.kind) {
    case CW_OPND_NONE:
        add(t, "-");
        break;
    case CW_OPND_R32:
        add(t, "r%u", o.idx);
        break;
    case CW_OPND_R64:
        add(t, "d%u", o.idx);
        break;
    case CW_OPND_PRED:
        add(t, "%sp%u", o.neg ? "!" : "", o.idx);
        break;
    case CW_OPND_C32:
        add(t, "#0x%" PRIx32, k->c32[(size_t)o.idx * 32]);
        break;
    case CW_OPND_C64:
        add(t, "#0x%" PRIx64 "l", k->c64[(size_t)o.idx * 32]);
        break;
    case CW_OPND_CPRED:
        add(t, "#%s", o.idx != 0 ? "true" : "false");
        break;
    case CW_OPND_SREG:
        add(t, "sreg%u", o.idx);
        break;
    default:
        add(t, "_");
        break;
    }
}

static void add_modifiers(struct text *t, const struct cw_uop *u)
{
    static const char *const spaces[] = {"", ".global", ".shared", ".local", ".const", ".param"};
    static const struct {
        uint32_t flag;
        const char *name;
    } flags[] = {{CW_UF_FTZ, ".ftz"},         {CW_UF_SAT, ".sat"},
                 {CW_UF_HI, ".hi"},           {CW_UF_WIDE, ".wide"},
                 {CW_UF_CIN, ".cin"},         {CW_UF_COUT, ".cout"},
                 {CW_UF_WRAP, ".wrap"},       {CW_UF_SHIFTAMT, ".shiftamt"},
                 {CW_UF_TO, ".to"},           {CW_UF_VOLATILE, ".volatile"},
                 {CW_UF_UNI, ".uni"},         {CW_UF_NAN, ".NaN"},
                 {CW_UF_ACQUIRE, ".acquire"}, {CW_UF_RELEASE, ".release"},
                 {CW_UF_XORSIGN, ".xorsign"}, {CW_UF_NC, ".nc"},
                 {CW_UF_RELU, ".relu"},       {CW_UF_SATFINITE, ".satfinite"}};
    add(t, "%s%s", u->intrinsic != NULL ? u->intrinsic->name : cw_op_mnemonic((enum cw_op)u->op), spaces[u->space < 6 ? u->space : 0]);
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        if ((u->flags & flags[i].flag) != 0)
            add(t, "%s", flags[i].name);
    if (u->op == CW_OP_SETP || u->op == CW_OP_SET || u->op == CW_OP_BAR || u->op == CW_OP_SHFL || u->op == CW_OP_VOTE)
        add(t, ".c%u%s", u->cmp, u->boolop != 0 ? ".bool" : "");
    if (u->op == CW_OP_ATOM || u->op == CW_OP_REDUX)
        add(t, ".a%u", u->atom);
    if (u->vec > 1)
        add(t, ".v%u", u->vec);
    if (u->type != CW_TYPE_NONE && u->op != CW_OP_BRA && u->op != CW_OP_EXIT)
        add(t, ".%s", cw_type_name((enum cw_type)u->type));
    if (u->op == CW_OP_CVT || u->op == CW_OP_SET || u->op == CW_OP_PACK || u->op == CW_OP_UNPACK || (u->flags & CW_UF_WIDE) != 0)
        add(t, ".%s", cw_type_name((enum cw_type)u->stype));
}

void cw_uop_text(const struct cw_kernel *k, const struct cw_uop *u, char *out, size_t size)
{
    struct text t = {out, size, 0};
    if (size > 0)
        out[0] = '\0';
    if (u->guard >= 0)
        add(&t, "@%sp%d ", u->guard_neg ? "!" : "", u->guard);
    add_modifiers(&t, u);
    const char *sep = " ";
    for (uint32_t i = 0; i < u->dst_cnt; i++, sep = ", ") {
        add(&t, "%s", sep);
        add_opnd(&t, k, u->dst[i]);
    }
    for (uint32_t i = 0; i < u->src_cnt; i++, sep = ", ") {
        add(&t, "%s", sep);
        add_opnd(&t, k, u->src[i]);
        if (i == 0 && (u->op == CW_OP_LD || u->op == CW_OP_ST || u->op == CW_OP_ATOM))
            add(&t, "%+" PRId64, u->imm);
    }
}

void cw_kernel_dump(const struct cw_kernel *k, FILE *out)
{
    static const char *const units[CW_FU_COUNT] = {"alu", "imul", "idiv", "fp", "fdiv", "sfu", "dp", "dpdiv", "tensor", "mem", "ctrl"};
    fprintf(out, "kernel %s: %u micro-ops, slots r32 %u r64 %u pred %u, live words %u, param %u, shared %u, local %u\n", k->name,
            k->uop_cnt, k->r32_cnt, k->r64_cnt, k->pred_cnt, k->live_regs, k->param_bytes, k->shared_bytes, k->local_bytes);
    for (uint32_t i = 0; i < k->uop_cnt; i++) {
        char text[256];
        const struct cw_uop *u = &k->uop[i];
        cw_uop_text(k, u, text, sizeof(text));
        fprintf(out, "%5u  line %-5u %-5s %s", i, u->line, units[u->fu], text);
        if (u->op == CW_OP_BRA)
            fprintf(out, " -> %u", u->target);
        for (uint32_t j = 0; u->op == CW_OP_BRX && j < k->brx[u->target].cnt; j++)
            fprintf(out, "%s%u", j == 0 ? " -> " : " ", k->brx[u->target].target[j]);
        if ((u->op == CW_OP_BRA || u->op == CW_OP_BRX) && u->rpc == CW_PC_NONE)
            fprintf(out, " rpc none");
        else if (u->op == CW_OP_BRA || u->op == CW_OP_BRX)
            fprintf(out, " rpc %u", u->rpc);
        if ((u->op == CW_OP_BRA || u->op == CW_OP_BRX) && u->lpc != CW_PC_NONE)
            fprintf(out, " lpc %u", u->lpc);
        if (u->uniform && (u->op == CW_OP_BRX || u->guard >= 0))
            fprintf(out, " uniform");
        fputc('\n', out);
    }
}

void cw_module_dump(const struct cw_module *m, FILE *out)
{
    fprintf(out, "module %s: global %" PRIu64 " bytes, const %" PRIu64 " bytes\n", m->file, m->global_bytes, m->const_bytes);
    for (uint32_t i = 0; i < m->kernel_cnt; i++)
        cw_kernel_dump(&m->kernel[i], out);
}
