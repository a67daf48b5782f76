/* SPDX-License-Identifier: Apache-2.0 */
/* One instruction: the word is split into its parts, and the file that knows the opcode reads the rest. */
#include <string.h>

#include "ptx/insn.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void split(struct cw_ptx *p, struct cw_insn *in)
{
    const char *s = in->word.text, *end = s + in->word.len;
    while (s <= end) {
        const char *dot = memchr(s, '.', (size_t)(end - s));
        if (dot == NULL)
            dot = end;
        if (in->part_cnt == CW_INSN_PARTS) {
            cw_ptx_fail(p, CW_EUNSUP, "unknown instruction");
            return;
        }
        in->part[in->part_cnt++] = (struct cw_name_part){s, (uint32_t)(dot - s)};
        s = dot + 1;
    }
}

/* Families that PTX has and this machine has not. */
static const struct {
    const char *name, *what;
} refused[] = {{"tex", "textures are"},
               {"tld4", "textures are"},
               {"txq", "textures are"},
               {"istypep", "textures are"},
               {"suld", "surfaces are"},
               {"sust", "surfaces are"},
               {"sured", "surfaces are"},
               {"suq", "surfaces are"},
               {"wgmma", "matrix instructions are"},
               {"tcgen05", "matrix instructions are"},
               {"multimem", "multicast memory is"},
               {"mapa", "clusters of several blocks are"},
               {"getctarank", "clusters of several blocks are"},
               {"clusterlaunchcontrol", "clusters of several blocks are"},
               {"tensormap", "tensor maps are"},
               {"alloca", "dynamic stacks are"},
               {"stacksave", "dynamic stacks are"},
               {"stackrestore", "dynamic stacks are"}};

static void unknown(struct cw_ptx *p, const struct cw_insn *in)
{
    for (uint32_t i = 0; i < COUNT(refused); i++) {
        if (cw_part_is(&in->part[0], refused[i].name)) {
            cw_ptx_fail_tok(p, CW_EUNSUP, &in->word, "%s not supported", refused[i].what);
            return;
        }
    }
    cw_ptx_fail_tok(p, CW_EUNSUP, &in->word, "unknown instruction");
}

/* setmaxnreg.inc|dec.sync.aligned.u32 N: moves registers between the warps of a block, which have all that they need here. */
static bool register_pool(struct cw_ptx *p, struct cw_insn *in)
{
    if (!cw_part_is(&in->part[0], "setmaxnreg"))
        return false;
    const bool known =
        (cw_insn_accept(in, "inc") || cw_insn_accept(in, "dec")) && cw_insn_accept(in, "sync") && cw_insn_accept(in, "aligned");
    if (!known || cw_insn_type(in) != CW_PT_U32 || in->next != in->part_cnt) {
        cw_insn_refuse(p, in);
        return true;
    }
    cw_ptx_uint(p, 256, "number of registers");
    cw_ptx_notice(p, &in->word, "left out: warps keep the registers that they begin with");
    in->v.u.op = CW_OP_NOP;
    cw_insn_emit(p, in);
    return true;
}

void cw_ptx_instruction(struct cw_ptx *p)
{
    struct cw_insn in = {.word = p->tok, .next = 1, .v = {.guard = CW_IR_NONE, .u = {.type = CW_TYPE_NONE, .stype = CW_TYPE_NONE}}};
    if (p->tok.kind != CW_TOK_WORD || p->tok.text[0] == '%') {
        cw_ptx_fail(p, CW_EINVAL, "expected an instruction");
        return;
    }
    split(p, &in);
    cw_ptx_advance(p);
    if (!cw_insn_combined(p, &in) && !cw_insn_regular(p, &in) && !cw_insn_special(p, &in) && !cw_insn_video(p, &in) &&
        !cw_insn_copy(p, &in) && !cw_insn_matrix(p, &in) && !cw_insn_wmma(p, &in) && !cw_insn_mbarrier(p, &in) && !cw_insn_memory(p, &in) &&
        !cw_insn_control(p, &in) && !register_pool(p, &in))
        unknown(p, &in);
    cw_ptx_expect(p, ';');
}
