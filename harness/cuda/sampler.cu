/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texture unit as functions: what tex, tld4, suld and sust of a program become (lower.c). Texels are read by loads that may be cached as
 * textures are (ld.global.nc), so they go through the machine's texture cache. The arithmetic takes the time of the core's own instructions.
 *
 * Rules are those of the CUDA C++ Programming Guide, Texture Fetching: a place is between texel centres, weights have 8 bits of fraction, and
 * an address mode says what lies outside. Wrap and mirror are for normalized coordinates; else they are clamp.
 *
 * Debian's clang compiles it to PTX when cowarp is built; nothing of CUDA is included.
 */
#include "sampler.h"

#define DEVICE    __attribute__((device)) static inline __attribute__((always_inline))
#define EXPORTED  extern "C" __attribute__((device))
#define FAR_AWAY  0x3fffffff /* beyond any texture, so that a neighbour's index is a number too */
#define OUTSIDE   (-1)
#define FRACTIONS 256.0f /* of a weight */

struct texel {
    unsigned bits[4];
};

DEVICE float as_float(unsigned bits)
{
    float value;
    __builtin_memcpy(&value, &bits, 4);
    return value;
}

DEVICE unsigned as_bits(float value)
{
    unsigned bits;
    __builtin_memcpy(&bits, &value, 4);
    return bits;
}

DEVICE const struct cw_sampler *sampler_of(unsigned long long handle)
{
    return (const struct cw_sampler *)handle;
}

DEVICE unsigned word(const unsigned *p)
{
    return __nvvm_ldg_ui(p);
}

/* The largest number not above x, as an index. NaN is 0. */
DEVICE int floor_index(float x)
{
    const int i = __nvvm_f2i_rm(x);
    return i > FAR_AWAY ? FAR_AWAY : i < -FAR_AWAY ? -FAR_AWAY : i;
}

/* An index in [0, n), or OUTSIDE. */
DEVICE int place(int i, int n, unsigned address)
{
    if (address == CW_SAMPLER_BORDER)
        return i >= 0 && i < n ? i : OUTSIDE;
    if (address == CW_SAMPLER_CLAMP)
        return i < 0 ? 0 : i < n ? i : n - 1;
    const int period = address == CW_SAMPLER_MIRROR ? 2 * n : n;
    int r = i % period;
    r = r < 0 ? r + period : r;
    return r < n ? r : period - 1 - r;
}

/* A normalized coordinate becomes one of texels. The fraction comes first: it has all bits of a large coordinate that there are. */
DEVICE float scale(float x, int n, unsigned address)
{
    if (address == CW_SAMPLER_WRAP)
        x -= __nvvm_floor_f(x);
    if (address == CW_SAMPLER_MIRROR) {
        const float whole = __nvvm_floor_f(x), fraction = x - whole;
        x = whole - 2.0f * __nvvm_floor_f(whole * 0.5f) != 0.0f ? 1.0f - fraction : fraction;
    }
    return x * (float)n;
}

DEVICE float half_float(unsigned bits)
{
    float value;
    asm("{\n.reg .b16 %%cw_half;\ncvt.u16.u32 %%cw_half, %1;\ncvt.f32.f16 %0, %%cw_half;\n}" : "=f"(value) : "r"(bits));
    return value;
}

/* Channel c of the texel whose bytes are words[]. */
DEVICE unsigned channel(const struct cw_sampler *s, const unsigned words[4], unsigned c)
{
    const unsigned bytes = word(&s->channel_bytes), kind = word(&s->kind), low = 8 * (c * bytes % 4), bits = 8 * bytes;
    const unsigned raw = words[c * bytes / 4] >> low;
    if (kind == CW_SAMPLER_FLOAT)
        return bytes == 4 ? raw : as_bits(half_float(raw & 0xffff));
    const unsigned all = bits == 32 ? 0xffffffffu : (1u << bits) - 1, value = raw & all;
    const int signed_value = (int)(raw << (32 - bits)) >> (32 - bits);
    if (word(&s->to_float) == 0)
        return kind == CW_SAMPLER_SIGNED ? (unsigned)signed_value : value;
    if (kind == CW_SAMPLER_UNSIGNED)
        return as_bits((float)value / (float)all);
    const float f = (float)signed_value / (float)(all >> 1);
    return as_bits(f < -1.0f ? -1.0f : f);
}

/* The texel's bytes in one load. */
DEVICE void load(unsigned words[4], unsigned long long at, unsigned bytes)
{
    words[0] = words[1] = words[2] = words[3] = 0;
    if (bytes == 4)
        words[0] = __nvvm_ldg_ui((const unsigned *)at);
    else if (bytes == 1)
        words[0] = __nvvm_ldg_uc((const unsigned char *)at);
    else if (bytes == 2)
        words[0] = __nvvm_ldg_us((const unsigned short *)at);
    else if (bytes == 8)
        asm("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(words[0]), "=r"(words[1]) : "l"(at));
    else
        asm("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3]) : "l"(at));
}

DEVICE struct texel fetch(const struct cw_sampler *s, int x, int y, int z)
{
    struct texel t;
    const unsigned channels = word(&s->channels);
    if (x == OUTSIDE || y == OUTSIDE || z == OUTSIDE) {
        for (unsigned c = 0; c < 4; c++)
            t.bits[c] = c < channels ? word((const unsigned *)&s->border[c]) : 0;
        return t;
    }
    const unsigned bytes = channels * word(&s->channel_bytes);
    const unsigned long long base = __nvvm_ldg_ull(&s->base), slice = __nvvm_ldg_ull(&s->slice_bytes);
    unsigned words[4];
    load(words, base + slice * (unsigned)z + (unsigned long long)word(&s->row_bytes) * (unsigned)y + (unsigned)x * bytes, bytes);
    for (unsigned c = 0; c < 4; c++)
        t.bits[c] = c < channels ? channel(s, words, c) : 0;
    return t;
}

/* Where a coordinate lies: the lower of two neighbours and the weight of the upper one, or one texel alone. */
struct axis {
    int first, size;
    unsigned address;
    float weight;
};

DEVICE struct axis find(const struct cw_sampler *s, unsigned d, float x, bool between)
{
    struct axis a;
    a.size = (int)word(&s->size[d]);
    a.address = word(&s->address[d]);
    const bool normalized = word(&s->normalized) != 0;
    if (!normalized && (a.address == CW_SAMPLER_WRAP || a.address == CW_SAMPLER_MIRROR))
        a.address = CW_SAMPLER_CLAMP;
    if (normalized)
        x = scale(x, a.size, a.address);
    if (between)
        x -= 0.5f;
    a.first = floor_index(x);
    float fraction = x - __nvvm_floor_f(x);
    fraction = fraction >= 0.0f ? fraction : 0.0f; /* of what is no number, and of infinity */
    a.weight = __nvvm_floor_f(fraction * FRACTIONS + 0.5f) / FRACTIONS;
    return a;
}

DEVICE int layer_of(const struct cw_sampler *s, int layer)
{
    return place(layer, (int)word(&s->layers), CW_SAMPLER_CLAMP);
}

/* The texels around the place, each with the product of its weights, one direction after the other. */
DEVICE struct texel weigh(const struct cw_sampler *s, const struct axis a[3], unsigned directions, int layer)
{
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma nounroll
    for (unsigned corner = 0; corner < 1u << directions; corner++) {
        int at[3] = {0, 0, layer};
        float weight = 1.0f;
        for (unsigned d = 0; d < directions; d++) {
            const bool upper = (corner >> d & 1) != 0;
            at[d] = place(a[d].first + (upper ? 1 : 0), a[d].size, a[d].address);
            weight *= upper ? a[d].weight : 1.0f - a[d].weight;
        }
        const struct texel t = fetch(s, at[0], at[1], at[2]);
        for (unsigned c = 0; c < 4; c++)
            sum[c] += weight * as_float(t.bits[c]);
    }
    struct texel result;
    for (unsigned c = 0; c < 4; c++)
        result.bits[c] = as_bits(sum[c]);
    return result;
}

DEVICE struct texel sample(unsigned long long handle, unsigned directions, float x, float y, float z, int layer)
{
    const struct cw_sampler *s = sampler_of(handle);
    const bool linear = word(&s->linear) != 0;
    const float coordinate[3] = {x, y, z};
    struct axis a[3];
    int at[3] = {0, 0, layer_of(s, layer)};
    for (unsigned d = 0; d < directions; d++) {
        a[d] = find(s, d, coordinate[d], linear);
        if (!linear)
            at[d] = place(a[d].first, a[d].size, a[d].address);
    }
    return linear ? weigh(s, a, directions, at[2]) : fetch(s, at[0], at[1], at[2]);
}

/* Integer coordinates are texels, and no filter counts. What is outside is zero. */
DEVICE struct texel pick(unsigned long long handle, unsigned directions, int x, int y, int z, int layer)
{
    const struct cw_sampler *s = sampler_of(handle);
    const int coordinate[3] = {x, y, z};
    int at[3] = {0, 0, layer_of(s, layer)};
    for (unsigned d = 0; d < directions; d++)
        at[d] = place(coordinate[d], (int)word(&s->size[d]), CW_SAMPLER_BORDER);
    return fetch(s, at[0], at[1], at[2]);
}

/* Of a two-dimensional texture, channel c of the four texels that linear filtering would weigh, in the order of tld4. */
DEVICE struct texel gather(unsigned long long handle, unsigned c, float x, float y)
{
    const struct cw_sampler *s = sampler_of(handle);
    const struct axis a = find(s, 0, x, true), b = find(s, 1, y, true);
    struct texel result;
    for (unsigned i = 0; i < 4; i++) {
        const int right = i == 1 || i == 2, below = i < 2;
        const struct texel t = fetch(s, place(a.first + right, a.size, a.address), place(b.first + below, b.size, b.address), 0);
        result.bits[i] = t.bits[c];
    }
    return result;
}

/* tex.1d and so on: f has coordinates that are numbers, s those that are texels; a has layers. */
EXPORTED struct texel cw_tex_1d_f(unsigned long long t, float x)
{
    return sample(t, 1, x, 0, 0, 0);
}
EXPORTED struct texel cw_tex_2d_f(unsigned long long t, float x, float y)
{
    return sample(t, 2, x, y, 0, 0);
}
EXPORTED struct texel cw_tex_3d_f(unsigned long long t, float x, float y, float z)
{
    return sample(t, 3, x, y, z, 0);
}
EXPORTED struct texel cw_tex_a1d_f(unsigned long long t, int layer, float x)
{
    return sample(t, 1, x, 0, 0, layer);
}
EXPORTED struct texel cw_tex_a2d_f(unsigned long long t, int layer, float x, float y)
{
    return sample(t, 2, x, y, 0, layer);
}
EXPORTED struct texel cw_tex_1d_s(unsigned long long t, int x)
{
    return pick(t, 1, x, 0, 0, 0);
}
EXPORTED struct texel cw_tex_2d_s(unsigned long long t, int x, int y)
{
    return pick(t, 2, x, y, 0, 0);
}
EXPORTED struct texel cw_tex_3d_s(unsigned long long t, int x, int y, int z)
{
    return pick(t, 3, x, y, z, 0);
}
EXPORTED struct texel cw_tld4_r(unsigned long long t, float x, float y)
{
    return gather(t, 0, x, y);
}
EXPORTED struct texel cw_tld4_g(unsigned long long t, float x, float y)
{
    return gather(t, 1, x, y);
}
EXPORTED struct texel cw_tld4_b(unsigned long long t, float x, float y)
{
    return gather(t, 2, x, y);
}
EXPORTED struct texel cw_tld4_a(unsigned long long t, float x, float y)
{
    return gather(t, 3, x, y);
}

/* Surfaces: the address of an element of `bytes` bytes, x in bytes; 0: outside, where mode 1 (clamp) takes the nearest, and mode 0 (trap)
 * ends the kernel. */
enum { TRAP, CLAMP };

DEVICE int surface_place(int i, int n, unsigned mode)
{
    return place(i, n, mode == CLAMP ? CW_SAMPLER_CLAMP : CW_SAMPLER_BORDER);
}

DEVICE unsigned long long surface(unsigned long long handle, int x, int y, int z, int layer, int bytes, unsigned mode)
{
    const struct cw_sampler *s = sampler_of(handle);
    const int texel_bytes = (int)(word(&s->channels) * word(&s->channel_bytes)), row = (int)word(&s->size[0]) * texel_bytes;
    x = mode == CLAMP && x > row - bytes ? row - bytes : mode == CLAMP && x < 0 ? 0 : x;
    x = x < 0 || x > row - bytes ? OUTSIDE : x;
    y = surface_place(y, (int)word(&s->size[1]), mode);
    z = surface_place(z, (int)word(&s->size[2]), mode);
    layer = surface_place(layer, (int)word(&s->layers), mode);
    if (x == OUTSIDE || y == OUTSIDE || z == OUTSIDE || layer == OUTSIDE) {
        if (mode == TRAP)
            __builtin_trap();
        return 0;
    }
    return __nvvm_ldg_ull(&s->base) + __nvvm_ldg_ull(&s->slice_bytes) * (unsigned)(z + layer) +
           (unsigned long long)word(&s->row_bytes) * (unsigned)y + (unsigned)x;
}

EXPORTED unsigned long long cw_surface_1d(unsigned long long s, int x, int bytes, unsigned mode)
{
    return surface(s, x, 0, 0, 0, bytes, mode);
}
EXPORTED unsigned long long cw_surface_2d(unsigned long long s, int x, int y, int bytes, unsigned mode)
{
    return surface(s, x, y, 0, 0, bytes, mode);
}
EXPORTED unsigned long long cw_surface_3d(unsigned long long s, int x, int y, int z, int bytes, unsigned mode)
{
    return surface(s, x, y, z, 0, bytes, mode);
}
EXPORTED unsigned long long cw_surface_a1d(unsigned long long s, int layer, int x, int bytes, unsigned mode)
{
    return surface(s, x, 0, 0, layer, bytes, mode);
}
EXPORTED unsigned long long cw_surface_a2d(unsigned long long s, int layer, int x, int y, int bytes, unsigned mode)
{
    return surface(s, x, y, 0, layer, bytes, mode);
}
