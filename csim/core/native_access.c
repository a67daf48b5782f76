/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads and stores of native code: 32 lanes that lie in one allocation, or in the block's shared memory, the warp's local memory or constant
 * memory, all of them aligned. What is different in any way is refused, and functional.c executes it.
 */
#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#elif defined(__x86_64__) && defined(__GNUC__)
#pragma GCC target("avx2")
#endif

#include <string.h>

#include "core/native_private.h"
#include "mem/device_memory.h"

#define INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define EACH_OF_HALF _Pragma("clang loop unroll(full)") for (uint32_t l = 0; l < CW_LANES / 2; l++)
#define EACH_LANE    _Pragma("clang loop unroll(full)") for (uint32_t l = 0; l < CW_LANES; l++)
#else
#define EACH_OF_HALF _Pragma("GCC unroll 16") for (uint32_t l = 0; l < CW_LANES / 2; l++)
#define EACH_LANE    _Pragma("GCC unroll 32") for (uint32_t l = 0; l < CW_LANES; l++)
#endif

#define BIT(n)     UINT32_C(1) << (n), UINT32_C(2) << (n), UINT32_C(4) << (n), UINT32_C(8) << (n)
#define BITS_16(n) BIT(n), BIT((n) + 4), BIT((n) + 8), BIT((n) + 12)
static const uint32_t lane_bit[CW_LANES] = {BITS_16(0), BITS_16(16)};

/* Lanes that take no part get the number of the first one that does, so that nothing behind needs a mask. */
INLINE void fill(uint32_t lanes, uint32_t v[CW_LANES])
{
    const uint32_t first = v[__builtin_ctz(lanes)];
    for (uint32_t l = 0; l < CW_LANES; l++)
        v[l] = (lanes & lane_bit[l]) != 0 ? v[l] : first;
}

/* How far behind base each lane's address lies. false: some are 4 GB away or more. */
INLINE bool distances(const struct cw_native_frame *f, const struct cw_uop *u, uint32_t lanes, uint64_t base, uint32_t out[CW_LANES])
{
    uint64_t far = 0;
    if (u->src[0].kind == CW_OPND_R64 || u->src[0].kind == CW_OPND_C64) {
        const uint64_t *from = cw_exec_src64(f->x, u->src[0]), less = (uint64_t)u->imm - base;
        for (uint32_t l = 0; l < CW_LANES; l++)
            out[l] = (uint32_t)(from[l] + less);
        for (uint32_t l = 0; l < CW_LANES; l++)
            far |= lanes == UINT32_MAX || (lanes & lane_bit[l]) != 0 ? from[l] + less : 0;
    } else { /* Of shared memory, whose base is 0 and whose addresses wrap */
        const uint32_t *from = cw_exec_src32(f->x, u->src[0]);
        for (uint32_t l = 0; l < CW_LANES; l++)
            out[l] = from[l] + (uint32_t)u->imm;
    }
    if (lanes != UINT32_MAX)
        fill(lanes, out);
    return far >> 32 == 0;
}

/* Whether each of 16 lanes is `step` behind the one before it. */
INLINE bool steps_by(const uint32_t at[CW_LANES / 2], uint32_t step)
{
    uint32_t other = 0;
    for (uint32_t l = 0; l < CW_LANES / 2; l++)
        other |= at[l] ^ (at[0] + step * l);
    return other == 0;
}

/* Whether all lanes' bytes are aligned and lie within that many. */
INLINE bool inside(const uint32_t at[CW_LANES], uint64_t within, uint32_t bytes)
{
    uint32_t most = 0, bits = 0;
    for (uint32_t l = 0; l < CW_LANES; l++) {
        most = at[l] > most ? at[l] : most;
        bits |= at[l];
    }
    return within >= bytes && most <= within - bytes && (bits & (bytes - 1)) == 0;
}

/* The allocation of the first lane. */
static __attribute__((noinline)) bool find(const struct cw_native_frame *f, struct cw_native_site *s, uint32_t lanes, bool store)
{
    const struct cw_uop *u = s->uop;
    const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    const uint64_t addr = (u->src[0].kind == CW_OPND_R64 || u->src[0].kind == CW_OPND_C64) ? cw_exec_src64(f->x, u->src[0])[lane] : 0;
    const uint64_t first = addr + (uint64_t)u->imm;
    const struct cw_region *r = first >= CW_GLOBAL_BASE ? cw_memory_region(f->memory, first) : NULL;
    if (r == NULL || (store && cw_memory_is_pm(first)))
        return false;
    s->base = r->base;
    s->bytes = r->bytes;
    return true;
}

/* Words of local memory lie by lane (core_local.h). */
INLINE void interleave(uint32_t at[CW_LANES])
{
    for (uint32_t l = 0; l < CW_LANES; l++)
        at[l] = (at[l] & ~3u) * CW_LANES + 4 * l + (at[l] & 3u);
}

/* Where the lanes' bytes are: at[] behind the result. NULL: not all of them are where this file can find them. */
INLINE uint8_t *locate(const struct cw_native_frame *f, struct cw_native_site *s, uint32_t lanes, uint32_t bytes, bool store,
                       uint32_t at[CW_LANES])
{
    if (s->uop->space == CW_SPACE_SHARED)
        return distances(f, s->uop, lanes, 0, at) && inside(at, f->shared_bytes, bytes) ? f->shared : NULL;
    if (s->uop->space == CW_SPACE_CONST)
        return distances(f, s->uop, lanes, 0, at) && inside(at, f->constant_bytes, bytes) ? (uint8_t *)(uintptr_t)f->constant : NULL;
    if (s->uop->space == CW_SPACE_LOCAL) {
        if (!distances(f, s->uop, lanes, 0, at) || !inside(at, f->local_bytes, bytes))
            return NULL;
        interleave(at);
        return f->local;
    }
    if ((!distances(f, s->uop, lanes, s->base, at) || !inside(at, s->bytes, bytes)) &&
        (!find(f, s, lanes, store) || !distances(f, s->uop, lanes, s->base, at) || !inside(at, s->bytes, bytes)))
        return NULL;
    return (uint8_t *)(uintptr_t)(s->base + f->host);
}

#define LOAD(NAME, BYTES, SLOT, MEMORY, SIGNED)                                                                                         \
    INLINE void NAME##_element(SLOT *to, const uint8_t *from, const uint32_t *at, uint32_t lanes, bool sign, SLOT keep)                 \
    {                                                                                                                                   \
        SLOT v[CW_LANES];                                                                                                               \
        for (uint32_t h = 0; h < CW_LANES; h += CW_LANES / 2) { /* Half a warp is often a row. */                                       \
            if (steps_by(at + h, 0)) {                                                                                                  \
                const SLOT same = *(const MEMORY *)(const void *)(from + at[h]);                                                        \
                for (uint32_t l = h; l < h + CW_LANES / 2; l++)                                                                         \
                    v[l] = same;                                                                                                        \
            } else if (steps_by(at + h, (BYTES))) {                                                                                     \
                for (uint32_t l = 0; l < CW_LANES / 2; l++)                                                                             \
                    v[h + l] = ((const MEMORY *)(const void *)(from + at[h]))[l];                                                       \
            } else {                                                                                                                    \
                EACH_OF_HALF v[h + l] = *(const MEMORY *)(const void *)(from + at[h + l]);                                              \
            }                                                                                                                           \
        }                                                                                                                               \
        for (uint32_t l = 0; (BYTES) < 4 && sign && l < CW_LANES; l++)                                                                  \
            v[l] = (SLOT)(SIGNED)v[l] & keep;                                                                                           \
        for (uint32_t l = 0; l < CW_LANES; l++)                                                                                         \
            to[l] = lanes == UINT32_MAX || (lanes & lane_bit[l]) != 0 ? v[l] : to[l];                                                   \
    }                                                                                                                                   \
    static uint32_t NAME(struct cw_native_frame *f, struct cw_native_site *s, uint32_t lanes)                                           \
    {                                                                                                                                   \
        const struct cw_uop *u = s->uop;                                                                                                \
        const SLOT keep = (SLOT)(u->stype == CW_U16 ? 0xffffu : UINT64_MAX);                                                            \
        const bool sign = u->type == CW_S8 || u->type == CW_S16;                                                                        \
        uint32_t at[CW_LANES];                                                                                                          \
        const uint8_t *from = locate(f, s, lanes, (BYTES) * (uint32_t)u->vec, false, at);                                               \
        if (from == NULL)                                                                                                               \
            return 0;                                                                                                                   \
        f->polled |= (u->flags & CW_UF_VOLATILE) != 0;                                                                                  \
        for (uint32_t e = 0; e < u->vec; e++)                                                                                           \
            if (u->dst[e].kind == (sizeof(SLOT) == 8 ? CW_OPND_R64 : CW_OPND_R32))                                                      \
                NAME##_element((SLOT *)(sizeof(SLOT) == 8 ? (void *)f->r64 : (void *)f->r32) + 32u * u->dst[e].idx, from + e * (BYTES), \
                               at, lanes, sign, keep);                                                                                  \
        return 1;                                                                                                                       \
    }
LOAD(load_1, 1u, uint32_t, uint8_t, int8_t)
LOAD(load_2, 2u, uint32_t, uint16_t, int16_t)
LOAD(load_4, 4u, uint32_t, uint32_t, int32_t)
LOAD(load_8, 8u, uint64_t, uint64_t, int64_t)

/* In the order of the lanes: of two that store to one address the higher lane stays. */
#define STORE(NAME, BYTES, SLOT, MEMORY)                                                                       \
    INLINE void NAME##_element(const SLOT *from, uint8_t *to, const uint32_t *at, uint32_t lanes)              \
    {                                                                                                          \
        if (lanes == UINT32_MAX) {                                                                             \
            EACH_LANE *(MEMORY *)(void *)(to + at[l]) = (MEMORY)from[l];                                       \
            return;                                                                                            \
        }                                                                                                      \
        for (; lanes != 0; lanes &= lanes - 1) {                                                               \
            const uint32_t l = (uint32_t)__builtin_ctz(lanes);                                                 \
            *(MEMORY *)(void *)(to + at[l]) = (MEMORY)from[l];                                                 \
        }                                                                                                      \
    }                                                                                                          \
    static uint32_t NAME(struct cw_native_frame *f, struct cw_native_site *s, uint32_t lanes)                  \
    {                                                                                                          \
        const struct cw_uop *u = s->uop;                                                                       \
        uint32_t at[CW_LANES];                                                                                 \
        uint8_t *to = locate(f, s, lanes, (BYTES) * (uint32_t)u->vec, true, at);                               \
        if (to == NULL)                                                                                        \
            return 0;                                                                                          \
        for (uint32_t e = 0; e < u->vec; e++)                                                                  \
            NAME##_element(sizeof(SLOT) == 8 ? (const SLOT *)(const void *)cw_exec_src64(f->x, u->src[e + 1])  \
                                             : (const SLOT *)(const void *)cw_exec_src32(f->x, u->src[e + 1]), \
                           to + e * (BYTES), at, lanes);                                                       \
        f->progress += u->space != CW_SPACE_LOCAL;                                                             \
        return 1;                                                                                              \
    }
STORE(store_1, 1u, uint32_t, uint8_t)
STORE(store_2, 2u, uint32_t, uint16_t)
STORE(store_4, 4u, uint32_t, uint32_t)
STORE(store_8, 8u, uint64_t, uint64_t)

/* Double words of local memory are two words, which lie a row of 32 lanes apart. */
#define ROW_BYTES (4u * CW_LANES)

static uint32_t load_local_8(struct cw_native_frame *f, struct cw_native_site *s, uint32_t lanes)
{
    const struct cw_uop *u = s->uop;
    uint32_t at[CW_LANES];
    const uint8_t *from = locate(f, s, lanes, 8, false, at);
    if (from == NULL)
        return 0;
    f->polled |= (u->flags & CW_UF_VOLATILE) != 0;
    for (uint32_t l = 0; u->dst[0].kind == CW_OPND_R64 && l < CW_LANES; l++) {
        const uint8_t *p = from + at[l];
        const uint64_t v = *(const uint32_t *)(const void *)p | (uint64_t) * (const uint32_t *)(const void *)(p + ROW_BYTES) << 32;
        uint64_t *to = &f->r64[32u * u->dst[0].idx + l];
        *to = (lanes & lane_bit[l]) != 0 ? v : *to;
    }
    return 1;
}

static uint32_t store_local_8(struct cw_native_frame *f, struct cw_native_site *s, uint32_t lanes)
{
    uint32_t at[CW_LANES];
    uint8_t *to = locate(f, s, lanes, 8, true, at);
    if (to == NULL)
        return 0;
    const uint64_t *from = cw_exec_src64(f->x, s->uop->src[1]);
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(left);
        *(uint32_t *)(void *)(to + at[l]) = (uint32_t)from[l];
        *(uint32_t *)(void *)(to + at[l] + ROW_BYTES) = (uint32_t)(from[l] >> 32);
    }
    return 1;
}

static bool is_value(const struct cw_uop *u, const struct cw_opnd *o, uint32_t bytes)
{
    const bool wide = bytes == 8;
    if (u->op == CW_OP_LD)
        return o->kind == (wide ? CW_OPND_R64 : CW_OPND_R32) || o->kind == CW_OPND_SINK;
    return o->kind == (wide ? CW_OPND_R64 : CW_OPND_R32) || o->kind == (wide ? CW_OPND_C64 : CW_OPND_C32);
}

static bool is_known_space(uint32_t space, bool loads)
{
    return space == CW_SPACE_GLOBAL || space == CW_SPACE_GENERIC || space == CW_SPACE_SHARED || space == CW_SPACE_LOCAL ||
           (space == CW_SPACE_CONST && loads);
}

cw_native_access *cw_core__native_access(const struct cw_uop *u)
{
    static cw_native_access *const load[] = {load_1, load_2, load_4, load_8}, *const store[] = {store_1, store_2, store_4, store_8};
    const uint32_t bytes = cw_type_bytes((enum cw_type)u->type);
    const bool loads = u->op == CW_OP_LD, local = u->space == CW_SPACE_LOCAL;
    if ((!loads && u->op != CW_OP_ST) || !is_known_space(u->space, loads))
        return NULL;
    if (bytes == 0 || u->src[0].kind < CW_OPND_R32 || u->src[0].kind > CW_OPND_C64 || u->src[0].kind == CW_OPND_PRED)
        return NULL;
    const bool narrow = u->src[0].kind == CW_OPND_R32 || u->src[0].kind == CW_OPND_C32;
    if ((narrow && u->space != CW_SPACE_SHARED) || (local && u->vec > 1))
        return NULL;
    for (uint32_t e = 0; e < u->vec; e++)
        if (!is_value(u, loads ? &u->dst[e] : &u->src[e + 1], bytes))
            return NULL;
    const uint32_t size = (uint32_t)__builtin_ctz(bytes);
    if (local && bytes == 8)
        return loads ? load_local_8 : store_local_8;
    return loads ? load[size] : store[size];
}

#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute pop
#endif
