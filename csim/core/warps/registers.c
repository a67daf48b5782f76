/* SPDX-License-Identifier: Apache-2.0 */
/* Registers as the load/store unit sees them: operands read, and results written, lane by lane in one half of a warp. */
#include "core/warps/warps.h"

static void read_part(const struct cw_exec *x, struct cw_opnd o, uint64_t out[CW_LANES])
{
    if (o.kind == CW_OPND_R64 || o.kind == CW_OPND_C64) {
        memcpy(out, cw_exec_src64(x, o), CW_LANES * sizeof *out);
    } else if (o.kind == CW_OPND_R32 || o.kind == CW_OPND_C32) {
        const uint32_t *v = cw_exec_src32(x, o);
        for (uint32_t lane = 0; lane < CW_LANES; lane++)
            out[lane] = v[lane];
    } else {
        memset(out, 0, CW_LANES * sizeof *out);
    }
}

static __attribute__((noinline)) void read_dynamic(const struct cw_core_warps *warps, const struct cw_dynamic_warp *dynamic,
                                                   struct cw_opnd o, uint64_t out[CW_LANES])
{
    uint64_t own[CW_LANES];
    memset(out, 0, CW_LANES * sizeof *out);
    for (uint32_t i = 0; i < dynamic->cnt; i++) {
        read_part(&warps->warp[dynamic->part[i].home].x[0], o, own);
        for (uint32_t left = dynamic->part[i].lanes; left != 0; left &= left - 1)
            out[(uint32_t)__builtin_ctz(left)] = own[(uint32_t)__builtin_ctz(left)];
    }
}

void cw_core__read_operand(const struct cw_core_warps *warps, const struct cw_dynamic_warp *dynamic, uint32_t w, uint32_t half,
                           struct cw_opnd o, uint64_t out[CW_LANES])
{
    if (__builtin_expect(dynamic != NULL, 0))
        read_dynamic(warps, dynamic, o, out);
    else
        read_part(&warps->warp[w].x[half], o, out);
}

void cw_core__read_warp(const struct cw_core_warps *warps, uint32_t w, struct cw_opnd o, uint64_t out[CW_WARP_LANES_MAX])
{
    for (uint32_t half = 0; half < warps->halves; half++)
        cw_core__read_operand(warps, warps->warp[w].dynamic, w, half, o, out + CW_LANES * half);
}

/* Shared, local and constant memory have addresses of 32 bits: in a register of 32 bits the sum wraps as that register does. */
void cw_core__read_addresses(const struct cw_core_warps *warps, uint32_t w, uint32_t half, const struct cw_uop *u, uint64_t addr[CW_LANES])
{
    const bool wraps = u->space != CW_SPACE_GENERIC && u->space != CW_SPACE_GLOBAL && u->src[0].kind == CW_OPND_R32;
    const uint64_t keep = wraps ? UINT32_MAX : UINT64_MAX;
    cw_core__read_operand(warps, warps->warp[w].dynamic, w, half, u->src[0], addr);
    for (uint32_t lane = 0; lane < CW_LANES; lane++)
        addr[lane] = (addr[lane] + (uint64_t)u->imm) & keep;
}

static uint64_t extend(uint64_t v, uint32_t type)
{
    switch (type) {
    case CW_S8:
        return (uint64_t)(int64_t)(int8_t)v;
    case CW_S16:
        return (uint64_t)(int64_t)(int16_t)v;
    case CW_S32:
        return (uint64_t)(int64_t)(int32_t)v;
    default:
        return v;
    }
}

/* Values of one destination; narrow: the register has 16 bits, which its slot keeps zero-extended. */
static void write_part(const struct cw_exec *x, struct cw_opnd o, uint32_t type, bool narrow, uint32_t lanes, const uint64_t *value)
{
    const bool all = lanes == UINT32_MAX; /* a loop without a mask is vector code; few lanes are better taken one by one */
    if (o.kind == CW_OPND_R32) {
        const uint32_t keep = narrow ? 0xffffu : UINT32_MAX;
        uint32_t *r = x->r32 + (uint32_t)o.idx * x->r32_stride;
        for (uint32_t lane = 0; all && lane < CW_LANES; lane++)
            r[lane] = (uint32_t)extend(value[lane], type) & keep;
        for (; !all && lanes != 0; lanes &= lanes - 1)
            r[(uint32_t)__builtin_ctz(lanes)] = (uint32_t)extend(value[(uint32_t)__builtin_ctz(lanes)], type) & keep;
    } else if (o.kind == CW_OPND_R64) {
        uint64_t *r = x->r64 + (uint32_t)o.idx * x->r64_stride;
        for (uint32_t lane = 0; all && lane < CW_LANES; lane++)
            r[lane] = extend(value[lane], type);
        for (; !all && lanes != 0; lanes &= lanes - 1)
            r[(uint32_t)__builtin_ctz(lanes)] = extend(value[(uint32_t)__builtin_ctz(lanes)], type);
    }
}

void cw_core__write_warp(struct cw_core_warps *warps, uint32_t w, struct cw_opnd o, uint32_t type, cw_lanes lanes,
                         const uint64_t value[CW_WARP_LANES_MAX])
{
    struct cw_part p;
    for (uint32_t half = 0; half < warps->halves; half++)
        for (uint32_t i = 0; cw_core__part(warps, warps->warp[w].dynamic, w, half, i, &p); i++)
            write_part(p.x, o, type, false, cw_lanes_half(lanes, half) & p.lanes, value + CW_LANES * half);
}

static void write_vector(const struct cw_exec *x, const struct cw_mem_inst *inst, uint32_t lanes)
{
    const struct cw_uop *u = inst->uop;
    for (uint32_t e = 0; e < inst->vec; e++)
        write_part(x, u->dst[e], u->type, u->stype == CW_U16, lanes, inst->value[e]);
}

void cw_core__write_back(struct cw_core_warps *warps, const struct cw_mem_inst *inst, cw_lanes lanes)
{
    if (__builtin_expect(inst->dynamic == NULL, 1)) {
        write_vector(&warps->warp[inst->warp].x[inst->half], inst, (uint32_t)lanes);
        return;
    }
    for (uint32_t i = 0; i < inst->dynamic->cnt; i++)
        write_vector(&warps->warp[inst->dynamic->part[i].home].x[0], inst, (uint32_t)lanes & inst->dynamic->part[i].lanes);
}

void cw_core__write_old(struct cw_core_warps *warps, const struct cw_mem_inst *inst, cw_lanes lanes, const uint64_t old[CW_LANES])
{
    struct cw_warp *warp = &warps->warp[inst->warp];
    const struct cw_uop *u = inst->uop;
    bool changed = false;
    for (cw_lanes left = lanes; left != 0 && !changed; left = cw_lanes_rest(left)) {
        uint32_t lane = cw_lanes_first(left);
        changed = cw_atomic_apply((enum cw_atom)u->atom, (enum cw_type)u->type, old[lane], inst->value[0][lane], inst->value[1][lane]) !=
                  old[lane];
    }
    if (changed)
        cw_core__progress(warps, warp);
    struct cw_part p;
    for (uint32_t i = 0; u->dst_cnt != 0 && cw_core__part(warps, inst->dynamic, inst->warp, inst->half, i, &p); i++)
        write_part(p.x, u->dst[0], u->type, false, (uint32_t)lanes & p.lanes, old);
}

void cw_look_register(const struct cw_core_warps *warps, uint32_t w, struct cw_opnd o, uint64_t out[CW_WARP_LANES_MAX])
{
    struct cw_part p;
    memset(out, 0, CW_WARP_LANES_MAX * sizeof *out);
    if (o.kind != CW_OPND_PRED) {
        cw_core__read_warp(warps, w, o, out);
        return;
    }
    for (uint32_t half = 0; half < warps->halves; half++)
        for (uint32_t i = 0; cw_core__part(warps, warps->warp[w].dynamic, w, half, i, &p); i++)
            for (uint32_t left = p.lanes; left != 0; left &= left - 1) {
                const uint32_t lane = (uint32_t)__builtin_ctz(left);
                out[CW_LANES * half + lane] = p.x->pred[o.idx * p.x->pred_stride] >> lane & 1u;
            }
}
