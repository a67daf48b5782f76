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
#ifdef __x86_64__
#include <immintrin.h>
#endif

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

/* ---- the same where the host has AVX-512 ---- */

/*
 * Only for lanes that all lie where the site's last ones did; else the functions above.
 */
#ifdef __x86_64__
#define WIDE_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define WIDE        static inline WIDE_TARGET __attribute__((always_inline))

struct near_lanes {
    __m512i low, high; /* How far behind `from` lanes 0 to 15 and 16 to 31 lie, in bytes */
    uint8_t *from;
};

/* Whether 16 lanes lie within `room` of the begin: as bits. */
WIDE uint32_t near_enough(__m512i first, __m512i second, uint64_t room)
{
    const __m512i most = _mm512_set1_epi64((long long)room);
    return (uint32_t)_mm512_cmple_epu64_mask(first, most) | (uint32_t)_mm512_cmple_epu64_mask(second, most) << 8;
}

WIDE __m512i shorter(__m512i first, __m512i second)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(first)), _mm512_cvtepi64_epi32(second), 1);
}

/* Lanes whose addresses lie within `room` behind base. */
WIDE uint32_t lanes_near(const struct cw_native_frame *f, const struct cw_uop *u, uint64_t base, uint64_t room, struct near_lanes *out)
{
    if (u->src[0].kind == CW_OPND_R64 || u->src[0].kind == CW_OPND_C64) {
        const uint64_t *from = cw_exec_src64(f->x, u->src[0]);
        const __m512i less = _mm512_set1_epi64((long long)((uint64_t)u->imm - base));
        __m512i at[4];
        for (uint32_t i = 0; i < 4; i++)
            at[i] = _mm512_add_epi64(_mm512_loadu_si512(from + 8 * i), less);
        out->low = shorter(at[0], at[1]);
        out->high = shorter(at[2], at[3]);
        return near_enough(at[0], at[1], room) | near_enough(at[2], at[3], room) << 16;
    }
    const uint32_t *from = cw_exec_src32(f->x, u->src[0]);
    const __m512i imm = _mm512_set1_epi32((int)u->imm), most = _mm512_set1_epi32((int)room);
    out->low = _mm512_add_epi32(_mm512_loadu_si512(from), imm);
    out->high = _mm512_add_epi32(_mm512_loadu_si512(from + 16), imm);
    return (uint32_t)_mm512_cmple_epu32_mask(out->low, most) | (uint32_t)_mm512_cmple_epu32_mask(out->high, most) << 16;
}

/* Finds the lanes' bytes. false: not all of them are aligned, and where the site knows memory. */
WIDE bool find_near(const struct cw_native_frame *f, const struct cw_native_site *s, uint32_t lanes, uint32_t bytes, struct near_lanes *out)
{
    const bool shared = s->uop->space == CW_SPACE_SHARED, constant = s->uop->space == CW_SPACE_CONST;
    const uint64_t base = shared || constant ? 0 : s->base;
    const uint64_t room = (shared ? f->shared_bytes : constant ? f->constant_bytes : s->bytes) - bytes;
    if (room > INT32_MAX) /* Also where there is less than that */
        return false;
    const __m512i odd = _mm512_set1_epi32((int)bytes - 1);
    uint32_t good = lanes_near(f, s->uop, base, room, out);
    good &= (uint32_t)_mm512_testn_epi32_mask(out->low, odd) | (uint32_t)_mm512_testn_epi32_mask(out->high, odd) << 16;
    out->from = shared ? f->shared : constant ? (uint8_t *)(uintptr_t)f->constant : (uint8_t *)(uintptr_t)(base + f->host);
    return (good & lanes) == lanes;
}

/* Of an element at p. */
WIDE uint32_t word_at(const uint8_t *p, uint32_t bytes)
{
    return bytes == 1 ? *p : bytes == 2 ? *(const uint16_t *)(const void *)p : *(const uint32_t *)(const void *)p;
}

/* Loads lane by lane: on the hosts at hand (Zen 4) the instruction that gathers takes a fifth longer. */
WIDE __m512i words_at(const uint8_t *from, const uint32_t at[CW_LANES / 2], uint32_t bytes)
{
#define W(l) (int)word_at(from + at[l], bytes)
    return _mm512_setr_epi32(W(0), W(1), W(2), W(3), W(4), W(5), W(6), W(7), W(8), W(9), W(10), W(11), W(12), W(13), W(14), W(15));
#undef W
}

WIDE __m512i double_words_at(const uint8_t *from, const uint32_t at[CW_LANES / 4])
{
#define W(l) *(const long long *)(const void *)(from + at[l])
    return _mm512_setr_epi64(W(0), W(1), W(2), W(3), W(4), W(5), W(6), W(7));
#undef W
}

WIDE void gather_words(uint32_t *to, const uint32_t *at, const uint8_t *from, __mmask16 lanes, const struct cw_uop *u, uint32_t bytes)
{
    const uint32_t keep = u->stype == CW_U16 ? 0xffffu : UINT32_MAX;
    __m512i v = words_at(from, at, bytes);
    if (bytes < 4 && (u->type == CW_S8 || u->type == CW_S16)) {
        v = _mm512_srai_epi32(_mm512_slli_epi32(v, 32 - 8 * bytes), 32 - 8 * bytes);
        v = _mm512_and_si512(v, _mm512_set1_epi32((int)keep));
    }
    _mm512_mask_storeu_epi32(to, lanes, v);
}

/* Where the lanes' elements lie. Lanes that take no part get the place of one that does, so that each of them can load. */
WIDE void places_of(const struct near_lanes *near, uint32_t lanes, uint32_t at[CW_LANES])
{
    _mm512_storeu_si512(at, near->low);
    _mm512_storeu_si512(at + CW_LANES / 2, near->high);
    if (lanes == UINT32_MAX)
        return;
    const __m512i first = _mm512_set1_epi32((int)at[__builtin_ctz(lanes)]);
    _mm512_storeu_si512(at, _mm512_mask_mov_epi32(first, (__mmask16)lanes, near->low));
    _mm512_storeu_si512(at + CW_LANES / 2, _mm512_mask_mov_epi32(first, (__mmask16)(lanes >> 16), near->high));
}

WIDE bool gather(struct cw_native_frame *f, const struct cw_native_site *s, uint32_t lanes, uint32_t bytes)
{
    const struct cw_uop *u = s->uop;
    struct near_lanes near;
    uint32_t at[CW_LANES];
    if (!find_near(f, s, lanes, bytes * u->vec, &near))
        return false;
    places_of(&near, lanes, at);
    for (uint32_t e = 0; e < u->vec; e++) {
        const uint8_t *from = near.from + e * bytes;
        const uint32_t slot = 32u * u->dst[e].idx;
        if (bytes == 8 && u->dst[e].kind == CW_OPND_R64) {
            for (uint32_t l = 0; l < CW_LANES; l += 8)
                _mm512_mask_storeu_epi64(f->r64 + slot + l, (__mmask8)(lanes >> l), double_words_at(from, at + l));
        } else if (bytes < 8 && u->dst[e].kind == CW_OPND_R32) {
            gather_words(f->r32 + slot, at, from, (__mmask16)lanes, u, bytes);
            gather_words(f->r32 + slot + 16, at + 16, from, (__mmask16)(lanes >> 16), u, bytes);
        }
    }
    f->polled |= (u->flags & CW_UF_VOLATILE) != 0;
    return true;
}

#define GATHER(NAME, BYTES, ELSE)                                                                         \
    static WIDE_TARGET uint32_t NAME(struct cw_native_frame *f, struct cw_native_site *s, uint32_t lanes) \
    {                                                                                                     \
        return gather(f, s, lanes, (BYTES)) ? 1 : ELSE(f, s, lanes);                                      \
    }
GATHER(gather_1, 1u, load_1)
GATHER(gather_2, 2u, load_2)
GATHER(gather_4, 4u, load_4)
GATHER(gather_8, 8u, load_8)

#define SCATTER(NAME, BYTES, SLOT, SOURCE, ELEMENT, ELSE)                                                 \
    static WIDE_TARGET uint32_t NAME(struct cw_native_frame *f, struct cw_native_site *s, uint32_t lanes) \
    {                                                                                                     \
        struct near_lanes near;                                                                           \
        uint32_t at[CW_LANES];                                                                            \
        if (!find_near(f, s, lanes, (BYTES) * (uint32_t)s->uop->vec, &near))                              \
            return ELSE(f, s, lanes);                                                                     \
        _mm512_storeu_si512(at, near.low);                                                                \
        _mm512_storeu_si512(at + CW_LANES / 2, near.high);                                                \
        for (uint32_t e = 0; e < s->uop->vec; e++)                                                        \
            ELEMENT((const SLOT *)SOURCE(f->x, s->uop->src[e + 1]), near.from + e * (BYTES), at, lanes);  \
        f->progress++;                                                                                    \
        return 1;                                                                                         \
    }
SCATTER(scatter_1, 1u, uint32_t, cw_exec_src32, store_1_element, store_1)
SCATTER(scatter_2, 2u, uint32_t, cw_exec_src32, store_2_element, store_2)
SCATTER(scatter_4, 4u, uint32_t, cw_exec_src32, store_4_element, store_4)
SCATTER(scatter_8, 8u, uint64_t, cw_exec_src64, store_8_element, store_8)

static cw_native_access *wide_access(const struct cw_uop *u, uint32_t size)
{
    static cw_native_access *const load[] = {gather_1, gather_2, gather_4, gather_8}, *const store[] = {scatter_1, scatter_2, scatter_4,
                                                                                                        scatter_8};
    const bool host = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
    if (!host || u->space == CW_SPACE_LOCAL)
        return NULL;
    return u->op == CW_OP_LD ? load[size] : store[size];
}
#else
static cw_native_access *wide_access(const struct cw_uop *u, uint32_t size)
{
    (void)u;
    (void)size;
    return NULL;
}
#endif

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
    cw_native_access *wide = wide_access(u, size);
    return wide != NULL ? wide : loads ? load[size] : store[size];
}

#if defined(__x86_64__) && defined(__clang__)
#pragma clang attribute pop
#endif
