/* SPDX-License-Identifier: Apache-2.0 */
/* Which registers are read later: what nobody reads need not be written to memory. */
#include <stdlib.h>
#include <string.h>

#include "emit.h"

static int slot_of(const struct cw_kernel *k, struct cw_opnd o)
{
    switch (o.kind) {
    case CW_OPND_R32:
        return o.idx;
    case CW_OPND_R64:
        return (int)(k->r32_cnt + o.idx);
    case CW_OPND_PRED:
        return (int)(k->r32_cnt + k->r64_cnt + o.idx);
    default:
        return -1;
    }
}

static void set(uint64_t *bits, int slot, bool on)
{
    const uint64_t bit = UINT64_C(1) << (slot % 64);
    if (slot >= 0)
        bits[slot / 64] = on ? bits[slot / 64] | bit : bits[slot / 64] & ~bit;
}

/* From behind the micro-operation to before it. Only what certainly writes all lanes that execute it ends a register's life. */
static void step_back(const struct cw_native_source *s, uint32_t pc, uint64_t *bits)
{
    const struct cw_uop *u = &s->kernel->uop[pc];
    const bool writes = u->guard < 0 && s->kind[pc] == CW_NATIVE_EXEC && u->op != CW_OP_MMA;
    for (uint32_t i = 0; writes && i < CW_UOP_DSTS; i++)
        set(bits, slot_of(s->kernel, u->dst[i]), false);
    for (uint32_t i = 0; i < CW_UOP_SRCS; i++)
        set(bits, slot_of(s->kernel, u->src[i]), true);
    if (u->guard >= 0)
        set(bits, slot_of(s->kernel, (struct cw_opnd){.kind = CW_OPND_PRED, .idx = (uint16_t)u->guard}), true);
}

static void join(uint64_t *to, const uint64_t *from, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        to[i] |= from[i];
}

/* What is live behind it, by what is live before its successors. */
static void behind(const struct cw_native_source *s, uint32_t pc, const uint64_t *before, uint32_t words, uint64_t *out)
{
    const struct cw_kernel *k = s->kernel;
    const struct cw_uop *u = &k->uop[pc];
    memset(out, 0, words * sizeof *out);
    if ((u->op != CW_OP_BRA || u->guard >= 0) && (u->op != CW_OP_EXIT || u->guard >= 0) && pc + 1 < k->uop_cnt)
        join(out, before + (size_t)(pc + 1) * words, words);
    if (u->op == CW_OP_BRA)
        join(out, before + (size_t)u->target * words, words);
    for (uint32_t i = 0; u->op == CW_OP_BRX && i < k->brx[u->target].cnt; i++)
        join(out, before + (size_t)k->brx[u->target].target[i] * words, words);
}

bool cw_native_live_create(struct cw_native_live *l, const struct cw_native_source *s)
{
    const uint32_t cnt = s->kernel->uop_cnt;
    const uint32_t words = (s->kernel->r32_cnt + s->kernel->r64_cnt + s->kernel->pred_cnt + 63) / 64 + 1;
    uint64_t *before = calloc((size_t)cnt * words + words, sizeof *before);
    l->words = words;
    l->after = calloc((size_t)cnt * words, sizeof *l->after);
    bool changed = before != NULL && l->after != NULL;
    const bool ok = changed;
    while (changed) {
        changed = false;
        for (uint32_t pc = cnt; pc-- > 0;) {
            uint64_t *in = before + (size_t)pc * words, *now = before + (size_t)cnt * words;
            behind(s, pc, before, words, l->after + (size_t)pc * words);
            memcpy(now, l->after + (size_t)pc * words, words * sizeof *now);
            step_back(s, pc, now);
            changed |= memcmp(now, in, words * sizeof *now) != 0;
            memcpy(in, now, words * sizeof *now);
        }
    }
    free(before);
    return ok;
}

void cw_native_live_destroy(struct cw_native_live *l)
{
    free(l->after);
    l->after = NULL;
}
