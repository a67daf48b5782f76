// SPDX-License-Identifier: Apache-2.0
// libFuzzer target for the PTX reader: no text, however broken, may crash it, and what it accepts has to be consistent.
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "ir/dump.h"
#include "ptx/ptx.h"

static const struct cw_intrinsic intrinsic[] = {
    {.name = "tx_begin", .role = CW_INTRINSIC_REGION_BEGIN},
    {.name = "tx_commit", .role = CW_INTRINSIC_REGION_END},
    {.name = "note", .role = CW_INTRINSIC_CALL, .result = CW_U32, .arg_cnt = 2, .arg = {CW_U64, CW_F32}},
    {.name = "vprintf", .role = CW_INTRINSIC_CALL, .result = CW_S32, .arg_cnt = 2, .arg = {CW_U64, CW_U64}}, /* in the corpus */
    {.name = NULL},
};
static const struct cw_intrinsic *const intrinsics[] = {intrinsic, NULL};

static void check_opnd(const struct cw_kernel *k, struct cw_opnd o)
{
    switch (o.kind) {
    case CW_OPND_R32:
        assert(o.idx < k->r32_cnt);
        break;
    case CW_OPND_R64:
        assert(o.idx < k->r64_cnt);
        break;
    case CW_OPND_PRED:
        assert(o.idx < k->pred_cnt);
        break;
    case CW_OPND_C32:
        assert(o.idx < k->c32_cnt);
        break;
    case CW_OPND_C64:
        assert(o.idx < k->c64_cnt);
        break;
    case CW_OPND_CPRED:
        assert(o.idx < 2);
        break;
    case CW_OPND_SREG:
        assert(o.idx < CW_SREG_COUNT);
        break;
    default:
        assert(o.kind == CW_OPND_NONE || o.kind == CW_OPND_SINK);
        break;
    }
}

static void check_uop(const struct cw_kernel *k, const struct cw_uop *u)
{
    assert(u->op < CW_OP_COUNT && u->fu < CW_FU_COUNT && u->type <= CW_TYPE_NONE && u->stype <= CW_TYPE_NONE);
    assert(u->dst_cnt <= CW_UOP_DSTS && u->src_cnt <= CW_UOP_SRCS);
    assert(u->guard < (int32_t)k->pred_cnt);
    for (uint32_t j = 0; j < CW_UOP_DSTS; j++)
        check_opnd(k, u->dst[j]);
    for (uint32_t j = 0; j < CW_UOP_SRCS; j++)
        check_opnd(k, u->src[j]);
    assert((u->intrinsic != NULL) == (u->op == CW_OP_REGION_BEGIN || u->op == CW_OP_REGION_END || u->op == CW_OP_INTRINSIC));
    if (u->op == CW_OP_BRA)
        assert(u->target < k->uop_cnt);
    if (u->op == CW_OP_BRA || u->op == CW_OP_BRX)
        assert(u->rpc == CW_PC_NONE || u->rpc < k->uop_cnt);
    if (u->op == CW_OP_BRX) {
        assert(u->target < k->brx_cnt);
        for (uint32_t j = 0; j < k->brx[u->target].cnt; j++)
            assert(k->brx[u->target].target[j] < k->uop_cnt);
    }
}

static void check_kernel(const struct cw_kernel *k)
{
    char text[128];
    assert((k->uop_cnt > 0) != (k->refused != NULL));
    assert(k->refused == NULL || strncmp(k->refused, "fuzz.ptx:", 9) == 0);
    for (uint32_t i = 0; i < k->uop_cnt; i++) {
        check_uop(k, &k->uop[i]);
        cw_uop_text(k, &k->uop[i], text, sizeof(text));
    }
    for (uint32_t i = 0; i < k->param_cnt; i++)
        assert(k->param[i].offset + k->param[i].bytes <= k->param_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cw_module *m;
    struct cw_error err;
    memset(&err, 0, sizeof(err));
    int status = cw_ptx_load(&m, (const char *)data, size, "fuzz.ptx", intrinsics, NULL, &err);
    if (status != CW_OK) {
        assert(status < 0 && m == NULL && strncmp(err.text, "fuzz.ptx", 8) == 0);
        return 0;
    }
    for (uint32_t i = 0; i < m->kernel_cnt; i++)
        check_kernel(&m->kernel[i]);
    assert(cw_module_place(m, CW_GLOBAL_BASE, &err) == CW_OK);
    cw_module_destroy(m);
    return 0;
}
