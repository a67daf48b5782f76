/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic with .rz, .rm and .rp, in the host's rounding mode. Operands and results pass through volatile objects: a compiler may
 * neither fold such an operation nor move it across the calls that set and restore the mode, whatever its flags are.
 */
#include <fenv.h>

#include "exec/exec_private.h"
#include "exec/fp.h"

static int host_mode(enum cw_round round)
{
    return round == CW_RZ ? FE_TOWARDZERO : round == CW_RM ? FE_DOWNWARD : round == CW_RP ? FE_UPWARD : FE_TONEAREST;
}

static void lane_f32(enum cw_op op, const volatile float *s, volatile float *d)
{
    switch (op) {
    case CW_OP_ADD:
        *d = s[0] + s[1];
        break;
    case CW_OP_SUB:
        *d = s[0] - s[1];
        break;
    case CW_OP_MUL:
        *d = s[0] * s[1];
        break;
    case CW_OP_DIV:
        *d = s[0] / s[1];
        break;
    case CW_OP_RCP:
        *d = 1.0f / s[0];
        break;
    case CW_OP_SQRT:
        *d = sqrtf(s[0]);
        break;
    default:
        *d = fmaf(s[0], s[1], s[2]);
        break;
    }
}

static void lane_f64(enum cw_op op, const volatile double *s, volatile double *d)
{
    switch (op) {
    case CW_OP_ADD:
        *d = s[0] + s[1];
        break;
    case CW_OP_SUB:
        *d = s[0] - s[1];
        break;
    case CW_OP_MUL:
        *d = s[0] * s[1];
        break;
    case CW_OP_DIV:
        *d = s[0] / s[1];
        break;
    case CW_OP_RCP:
        *d = 1.0 / s[0];
        break;
    case CW_OP_SQRT:
        *d = sqrt(s[0]);
        break;
    default:
        *d = fma(s[0], s[1], s[2]);
        break;
    }
}

void cw_exec__rounded(const struct cw_uop *u, const struct cw_exec *x, uint32_t mask)
{
    bool ftz = (u->flags & CW_UF_FTZ) != 0, sat = (u->flags & CW_UF_SAT) != 0;
    uint64_t result[CW_LANES];
    int before = fegetround();
    fesetround(host_mode((enum cw_round)u->round));
    for (uint32_t l = 0; l < CW_LANES; l++) {
        if (!((mask >> l) & 1))
            continue;
        volatile float f32[4] = {0};
        volatile double f64[4] = {0};
        for (uint32_t i = 0; i < 3; i++) {
            uint64_t bits = cw_exec__get(x, u->src[i], l);
            f32[i] = cw_f32_load((uint32_t)bits, ftz);
            f64[i] = cw_f64_of(bits);
        }
        if (u->type == CW_F32) {
            lane_f32((enum cw_op)u->op, f32, &f32[3]);
            result[l] = cw_f32_store(f32[3], ftz, sat);
        } else {
            lane_f64((enum cw_op)u->op, f64, &f64[3]);
            result[l] = cw_f64_bits(f64[3]);
        }
    }
    fesetround(before);
    for (uint32_t l = 0; l < CW_LANES; l++)
        if ((mask >> l) & 1)
            cw_exec__set(x, u->dst[0], l, result[l]);
}
