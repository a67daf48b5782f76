/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic operations on one value, for the memory partitions and shared memory. */
#include "exec/exec_private.h"
#include "exec/fp.h"

static uint64_t add(enum cw_type type, uint64_t a, uint64_t b)
{
    switch (type) {
    case CW_F32:
        return cw_f32_bits(cw_f32_of((uint32_t)a) + cw_f32_of((uint32_t)b));
    case CW_F64:
        return cw_f64_bits(cw_f64_of(a) + cw_f64_of(b));
    case CW_F16:
        return cw_f16_store(cw_f16_load(a & 0xffff) + cw_f16_load(b & 0xffff), false);
    case CW_F16X2:
        return add(CW_F16, a, b) | add(CW_F16, a >> 16, b >> 16) << 16;
    case CW_BF16:
        return cw_bf16_store(cw_bf16_load(a & 0xffff) + cw_bf16_load(b & 0xffff));
    case CW_BF16X2:
        return add(CW_BF16, a, b) | add(CW_BF16, a >> 16, b >> 16) << 16;
    default:
        return a + b;
    }
}

static uint64_t minmax(enum cw_type type, uint64_t a, uint64_t b, bool max)
{
    bool less;
    switch (type) {
    case CW_S32:
        less = (int32_t)(uint32_t)a < (int32_t)(uint32_t)b;
        break;
    case CW_S64:
        less = (int64_t)a < (int64_t)b;
        break;
    case CW_F32:
        return max ? cw_f32_bits(cw_f32_max(cw_f32_of((uint32_t)a), cw_f32_of((uint32_t)b)))
                   : cw_f32_bits(cw_f32_min(cw_f32_of((uint32_t)a), cw_f32_of((uint32_t)b)));
    case CW_F64:
        return max ? cw_f64_bits(cw_f64_max(cw_f64_of(a), cw_f64_of(b))) : cw_f64_bits(cw_f64_min(cw_f64_of(a), cw_f64_of(b)));
    default:
        less = a < b;
        break;
    }
    return less == max ? b : a;
}

static uint64_t apply(enum cw_atom op, enum cw_type type, uint64_t old, uint64_t a, uint64_t b)
{
    switch (op) {
    case CW_ATOM_ADD:
        return add(type, old, a);
    case CW_ATOM_EXCH:
        return a;
    case CW_ATOM_CAS:
        return old == a ? b : old;
    case CW_ATOM_MIN:
        return minmax(type, old, a, false);
    case CW_ATOM_MAX:
        return minmax(type, old, a, true);
    case CW_ATOM_AND:
        return old & a;
    case CW_ATOM_OR:
        return old | a;
    case CW_ATOM_XOR:
        return old ^ a;
    case CW_ATOM_INC:
        return old >= a ? 0 : old + 1;
    case CW_ATOM_DEC:
        return old == 0 || old > a ? a : old - 1;
    }
    return old;
}

uint64_t cw_atomic_apply(enum cw_atom op, enum cw_type type, uint64_t old, uint64_t a, uint64_t b)
{
    uint64_t width = UINT64_MAX >> (64 - 8 * cw_type_bytes(type));
    return apply(op, type, old & width, a & width, b & width) & width;
}
