/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads and stores of native code: 32 lanes that lie in one allocation, or in the block's shared memory, all of them aligned. What is
 * different in any way is refused, and functional.c executes it.
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

/* The addresses of the lanes; others get that of the first one, so that nothing needs a mask. */
INLINE void read_addresses(const struct cw_native_frame *f, const struct cw_uop *u, uint32_t lanes, uint64_t addr[CW_LANES])
{
    const uint64_t imm = (uint64_t)u->imm;
    if (u->src[0].kind == CW_OPND_R64 || u->src[0].kind == CW_OPND_C64) {
        const uint64_t *from = cw_exec_src64(f->x, u->src[0]);
        for (uint32_t l = 0; l < CW_LANES; l++)
            addr[l] = from[l] + imm;
    } else {
        const uint32_t *from = cw_exec_src32(f->x, u->src[0]);
        const uint64_t keep = u->src[0].kind == CW_OPND_R32 ? UINT32_MAX : UINT64_MAX;
        for (uint32_t l = 0; l < CW_LANES; l++)
            addr[l] = (from[l] + imm) & keep;
    }
    if (lanes == UINT32_MAX)
        return;
    const uint64_t first = addr[__builtin_ctz(lanes)];
    for (uint32_t l = 0; l < CW_LANES; l++)
        addr[l] = (lanes >> l & 1u) != 0 ? addr[l] : first;
}

/* Whether all lanes' bytes are aligned and lie from base on within that many. */
INLINE bool inside(const uint64_t addr[CW_LANES], uint64_t base, uint64_t within, uint32_t bytes)
{
    const uint64_t last = within - bytes;
    uint64_t bad = 0;
    if (within < bytes)
        return false;
    for (uint32_t l = 0; l < CW_LANES; l++)
        bad |= (uint64_t)(addr[l] - base > last) | (addr[l] & (bytes - 1));
    return bad == 0;
}

/* The allocation of the first lane. */
static __attribute__((noinline)) bool find(const struct cw_native_frame *f, struct cw_native_site *s, uint64_t addr, bool store)
{
    const struct cw_region *r = addr >= CW_GLOBAL_BASE ? cw_memory_region(f->memory, addr) : NULL;
    if (r == NULL || (store && cw_memory_is_pm(addr)))
        return false;
    s->base = r->base;
    s->bytes = r->bytes;
    return true;
}

/* Where the lanes' bytes are, as addresses of the host. */
INLINE bool locate(const struct cw_native_frame *f, struct cw_native_site *s, uint64_t addr[CW_LANES], uint32_t bytes, bool store)
{
    uint64_t offset = f->host;
    if (s->uop->space == CW_SPACE_SHARED) {
        if (!inside(addr, 0, f->shared_bytes, bytes))
            return false;
        offset = (uint64_t)(uintptr_t)f->shared;
    } else if (!inside(addr, s->base, s->bytes, bytes) && (!find(f, s, addr[0], store) || !inside(addr, s->base, s->bytes, bytes))) {
        return false;
    }
    for (uint32_t l = 0; l < CW_LANES; l++)
        addr[l] += offset;
    return true;
}

/* Whether lane l is l steps behind lane 0. */
INLINE bool adjacent(const uint64_t addr[CW_LANES], uint64_t step)
{
    uint64_t other = 0;
    for (uint32_t l = 0; l < CW_LANES; l++)
        other |= addr[l] ^ (addr[0] + step * l);
    return other == 0;
}

#define BIT(n)     UINT32_C(1) << (n), UINT32_C(2) << (n), UINT32_C(4) << (n), UINT32_C(8) << (n)
#define BITS_16(n) BIT(n), BIT((n) + 4), BIT((n) + 8), BIT((n) + 12)
static const uint32_t lane_bit[CW_LANES] = {BITS_16(0), BITS_16(16)};

#define LOAD(NAME, BYTES, SLOT, MEMORY, SIGNED)                                                                                        \
    INLINE void NAME##_element(SLOT *to, const uint64_t *addr, uint64_t offset, uint32_t lanes, bool sign, SLOT keep)                  \
    {                                                                                                                                  \
        SLOT v[CW_LANES];                                                                                                              \
        if (lanes == UINT32_MAX && adjacent(addr, (BYTES))) {                                                                          \
            const MEMORY *from = (const MEMORY *)(uintptr_t)(addr[0] + offset);                                                        \
            for (uint32_t l = 0; l < CW_LANES; l++)                                                                                    \
                v[l] = from[l];                                                                                                        \
        } else {                                                                                                                       \
            for (uint32_t l = 0; l < CW_LANES; l++)                                                                                    \
                v[l] = *(const MEMORY *)(uintptr_t)(addr[l] + offset);                                                                 \
        }                                                                                                                              \
        for (uint32_t l = 0; (BYTES) < 4 && sign && l < CW_LANES; l++)                                                                 \
            v[l] = (SLOT)(SIGNED)v[l] & keep;                                                                                          \
        for (uint32_t l = 0; l < CW_LANES; l++)                                                                                        \
            to[l] = lanes == UINT32_MAX || (lanes & lane_bit[l]) != 0 ? v[l] : to[l];                                                  \
    }                                                                                                                                  \
    static uint32_t NAME(struct cw_native_frame *f, struct cw_native_site *s, uint32_t lanes)                                          \
    {                                                                                                                                  \
        const struct cw_uop *u = s->uop;                                                                                               \
        const SLOT keep = (SLOT)(u->stype == CW_U16 ? 0xffffu : UINT64_MAX);                                                           \
        const bool sign = u->type == CW_S8 || u->type == CW_S16;                                                                       \
        uint64_t addr[CW_LANES];                                                                                                       \
        read_addresses(f, u, lanes, addr);                                                                                             \
        if (!locate(f, s, addr, (BYTES) * (uint32_t)u->vec, false))                                                                    \
            return 0;                                                                                                                  \
        for (uint32_t e = 0; e < u->vec; e++)                                                                                          \
            if (u->dst[e].kind == (sizeof(SLOT) == 8 ? CW_OPND_R64 : CW_OPND_R32))                                                     \
                NAME##_element((SLOT *)(sizeof(SLOT) == 8 ? (void *)f->r64 : (void *)f->r32) + 32u * u->dst[e].idx, addr, e * (BYTES), \
                               lanes, sign, keep);                                                                                     \
        return 1;                                                                                                                      \
    }
LOAD(load_1, 1u, uint32_t, uint8_t, int8_t)
LOAD(load_2, 2u, uint32_t, uint16_t, int16_t)
LOAD(load_4, 4u, uint32_t, uint32_t, int32_t)
LOAD(load_8, 8u, uint64_t, uint64_t, int64_t)

/* In the order of the lanes: of two that store to one address the higher lane stays. */
#define STORE(NAME, BYTES, SLOT, MEMORY)                                                                       \
    INLINE void NAME##_element(const SLOT *from, const uint64_t *addr, uint64_t offset, uint32_t lanes)        \
    {                                                                                                          \
        if (lanes == UINT32_MAX && adjacent(addr, (BYTES))) {                                                  \
            MEMORY *to = (MEMORY *)(uintptr_t)(addr[0] + offset);                                              \
            for (uint32_t l = 0; l < CW_LANES; l++)                                                            \
                to[l] = (MEMORY)from[l];                                                                       \
            return;                                                                                            \
        }                                                                                                      \
        for (; lanes != 0; lanes &= lanes - 1) {                                                               \
            const uint32_t l = (uint32_t)__builtin_ctz(lanes);                                                 \
            *(MEMORY *)(uintptr_t)(addr[l] + offset) = (MEMORY)from[l];                                        \
        }                                                                                                      \
    }                                                                                                          \
    static uint32_t NAME(struct cw_native_frame *f, struct cw_native_site *s, uint32_t lanes)                  \
    {                                                                                                          \
        const struct cw_uop *u = s->uop;                                                                       \
        uint64_t addr[CW_LANES];                                                                               \
        read_addresses(f, u, lanes, addr);                                                                     \
        if (!locate(f, s, addr, (BYTES) * (uint32_t)u->vec, true))                                             \
            return 0;                                                                                          \
        for (uint32_t e = 0; e < u->vec; e++)                                                                  \
            NAME##_element(sizeof(SLOT) == 8 ? (const SLOT *)(const void *)cw_exec_src64(f->x, u->src[e + 1])  \
                                             : (const SLOT *)(const void *)cw_exec_src32(f->x, u->src[e + 1]), \
                           addr, e * (BYTES), lanes);                                                          \
        f->progress++;                                                                                         \
        return 1;                                                                                              \
    }
STORE(store_1, 1u, uint32_t, uint8_t)
STORE(store_2, 2u, uint32_t, uint16_t)
STORE(store_4, 4u, uint32_t, uint32_t)
STORE(store_8, 8u, uint64_t, uint64_t)

static bool is_value(const struct cw_uop *u, const struct cw_opnd *o, uint32_t bytes)
{
    const bool wide = bytes == 8;
    if (u->op == CW_OP_LD)
        return o->kind == (wide ? CW_OPND_R64 : CW_OPND_R32) || o->kind == CW_OPND_SINK;
    return o->kind == (wide ? CW_OPND_R64 : CW_OPND_R32) || o->kind == (wide ? CW_OPND_C64 : CW_OPND_C32);
}

cw_native_access *cw_core__native_access(const struct cw_uop *u)
{
    static cw_native_access *const load[] = {load_1, load_2, load_4, load_8}, *const store[] = {store_1, store_2, store_4, store_8};
    const uint32_t bytes = cw_type_bytes((enum cw_type)u->type);
    const bool loads = u->op == CW_OP_LD;
    if ((!loads && u->op != CW_OP_ST) || (u->space != CW_SPACE_GLOBAL && u->space != CW_SPACE_GENERIC && u->space != CW_SPACE_SHARED))
        return NULL;
    if (bytes == 0 || (loads && (u->flags & CW_UF_VOLATILE) != 0) || u->src[0].kind < CW_OPND_R32 || u->src[0].kind > CW_OPND_C64 ||
        u->src[0].kind == CW_OPND_PRED)
        return NULL;
    for (uint32_t e = 0; e < u->vec; e++)
        if (!is_value(u, loads ? &u->dst[e] : &u->src[e + 1], bytes))
            return NULL;
    const uint32_t size = (uint32_t)__builtin_ctz(bytes);
    return loads ? load[size] : store[size];
}

#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute pop
#endif
