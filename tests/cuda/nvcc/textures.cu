/* SPDX-License-Identifier: Apache-2.0 */
/* Textures against the formulas of the CUDA C++ Programming Guide (Texture Fetching), in double and with the weights' eight bits of fraction. */
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "check.h"

enum { W = 13, H = 7, D = 5, PLACES = 512 };

struct place {
    float x, y, z;
};

__global__ void sample(float4 *out, cudaTextureObject_t t, const place *p, int directions)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= PLACES)
        return;
    if (directions == 1)
        out[i] = tex1D<float4>(t, p[i].x);
    else if (directions == 2)
        out[i] = tex2D<float4>(t, p[i].x, p[i].y);
    else
        out[i] = tex3D<float4>(t, p[i].x, p[i].y, p[i].z);
}

__global__ void layers(float *out, cudaTextureObject_t t, const place *p)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < PLACES)
        out[i] = tex2DLayered<float>(t, p[i].x, p[i].y, (int)p[i].z);
}

__global__ void integers(int *out, cudaTextureObject_t t, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n + 2)
        out[i] = tex1Dfetch<int>(t, i - 1);
}

__global__ void gathered(float4 *out, cudaTextureObject_t t, const place *p)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < PLACES)
        out[i] = tex2Dgather<float4>(t, p[i].x, p[i].y, 2);
}

__global__ void bytes(float4 *out, cudaTextureObject_t t, const place *p)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < PLACES && p[i].x > -1e30f) /* under a condition */
        out[i] = tex2D<float4>(t, p[i].x, p[i].y);
}

struct mode {
    cudaTextureAddressMode address;
    bool linear, normalized;
};

/* The host's texture: channel c of texel (x, y, z). */
static float texel(int x, int y, int z, int c)
{
    return (float)(((x * 31 + y * 17 + z * 7 + c * 3) % 23) - 11) / 4;
}

static const float border[4] = {5, -6, 7, 8};

static bool index_of(long long *i, long long n, cudaTextureAddressMode address)
{
    if (address == cudaAddressModeBorder)
        return *i >= 0 && *i < n;
    if (address == cudaAddressModeClamp)
        *i = *i < 0 ? 0 : *i >= n ? n - 1 : *i;
    else if (address == cudaAddressModeWrap)
        *i = ((*i % n) + n) % n;
    else {
        const long long m = ((*i % (2 * n)) + 2 * n) % (2 * n);
        *i = m < n ? m : 2 * n - 1 - m;
    }
    return true;
}

static double at(const long long *i, const int *n, int directions, int c, cudaTextureAddressMode address)
{
    long long k[3] = {0, 0, 0};
    for (int d = 0; d < directions; d++) {
        k[d] = i[d];
        if (!index_of(&k[d], n[d], address))
            return border[c];
    }
    return texel((int)k[0], (int)k[1], (int)k[2], c);
}

static double wanted(const place &p, int directions, int c, const mode &m)
{
    const int n[3] = {W, H, D};
    const float coordinate[3] = {p.x, p.y, p.z};
    const bool plain = !m.normalized && m.address != cudaAddressModeBorder;
    const cudaTextureAddressMode address = plain ? cudaAddressModeClamp : m.address;
    long long low[3];
    double upper[3] = {0, 0, 0};
    for (int d = 0; d < directions; d++) {
        float x = coordinate[d];
        if (m.normalized && address == cudaAddressModeWrap)
            x -= floorf(x);
        if (m.normalized && address == cudaAddressModeMirror)
            x = fmodf(floorf(x), 2) != 0 ? 1 - (x - floorf(x)) : x - floorf(x);
        if (m.normalized)
            x *= (float)n[d];
        if (m.linear)
            x -= 0.5f;
        low[d] = std::isnan(x) ? 0 : x > 1e9f ? 1000000000 : x < -1e9f ? -1000000000 : (long long)floorf(x);
        upper[d] = std::isnan(x) || std::fabs(x) > 1e9f ? 0 : std::floor((x - floorf(x)) * 256 + 0.5) / 256;
    }
    if (!m.linear)
        return at(low, n, directions, c, address);
    double sum = 0;
    for (int corner = 0; corner < 1 << directions; corner++) {
        long long i[3] = {low[0], low[1], low[2]};
        double weight = 1;
        for (int d = 0; d < directions; d++) {
            const int high = corner >> d & 1;
            i[d] += high;
            weight *= high ? upper[d] : 1 - upper[d];
        }
        sum += weight * at(i, n, directions, c, address);
    }
    return sum;
}

static std::vector<place> places(bool normalized, bool odd)
{
    std::vector<place> p(PLACES);
    unsigned s = 12345;
    for (place &q : p) {
        float *x = &q.x;
        for (int d = 0; d < 3; d++) {
            s = s * 1664525u + 1013904223u;
            const float span[3] = {W, H, D};
            x[d] = ((float)(s >> 8) / (1 << 24) * 3 - 1) * (normalized ? 1 : span[d]);
        }
    }
    const float edges[] = {0, -0.0f, 0.5f, 1, -0.5f, W, W - 0.5f, H, 1e20f, -1e20f, NAN, INFINITY, -INFINITY, 0.25f, 16777217.0f};
    const int cnt = odd ? 15 : 8;
    for (int i = 0; i < cnt; i++)
        p[i] = {edges[i], edges[(i + 3) % cnt], edges[(i + 7) % cnt]};
    return p;
}

template <class T> static T *upload(const std::vector<T> &v)
{
    T *d;
    CHECK(cudaMalloc(&d, v.size() * sizeof(T)));
    CHECK(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return d;
}

static cudaArray_t make_array(int directions)
{
    const int h = directions > 1 ? H : 1, d = directions > 2 ? D : 1;
    std::vector<float4> v((size_t)W * h * d);
    for (int i = 0; i < (int)v.size(); i++) {
        const int x = i % W, y = i / W % h, z = i / W / h;
        v[i] = make_float4(texel(x, y, z, 0), texel(x, y, z, 1), texel(x, y, z, 2), texel(x, y, z, 3));
    }
    cudaArray_t a;
    const cudaChannelFormatDesc c = cudaCreateChannelDesc<float4>();
    if (directions < 3) {
        CHECK(cudaMallocArray(&a, &c, W, directions > 1 ? H : 0));
        CHECK(cudaMemcpy2DToArray(a, 0, 0, v.data(), W * 16, W * 16, h, cudaMemcpyHostToDevice));
        return a;
    }
    CHECK(cudaMalloc3DArray(&a, &c, make_cudaExtent(W, H, D)));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(v.data(), W * 16, W, H);
    p.dstArray = a;
    p.extent = make_cudaExtent(W, H, D);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    return a;
}

static cudaTextureObject_t make_texture(const cudaResourceDesc &r, const mode &m, cudaTextureReadMode read = cudaReadModeElementType)
{
    cudaTextureObject_t t;
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = m.address;
    d.filterMode = m.linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.readMode = read;
    d.normalizedCoords = m.normalized;
    memcpy(d.borderColor, border, sizeof border);
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}

static void every_mode(int directions)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = make_array(directions);
    std::vector<float4> got(PLACES);
    float4 *out = upload(got);
    for (int k = 0; k < 16; k++) {
        const mode m = {(cudaTextureAddressMode)(k & 3), (k & 4) != 0, (k & 8) != 0};
        const bool fraction = m.normalized && (m.address == cudaAddressModeWrap || m.address == cudaAddressModeMirror);
        const std::vector<place> p = places(m.normalized, !fraction); /* infinity has no fraction */
        place *where = upload(p);
        const cudaTextureObject_t t = make_texture(r, m);
        sample<<<PLACES / 128, 128>>>(out, t, where, directions);
        CHECK(cudaMemcpy(got.data(), out, PLACES * sizeof(float4), cudaMemcpyDeviceToHost));
        for (int i = 0; i < PLACES; i++)
            for (int c = 0; c < 4; c++) {
                const double want = wanted(p[i], directions, c, m), is = (&got[i].x)[c];
                if (!(std::fabs(want - is) <= 1e-5 * (1 + std::fabs(want))))
                    fprintf(stderr, "%dD mode %d place %d (%g, %g, %g) channel %d: %g, not %g\n", directions, k, i, p[i].x, p[i].y, p[i].z,
                            c, is, want);
                EXPECT(std::fabs(want - is) <= 1e-5 * (1 + std::fabs(want)));
            }
        CHECK(cudaDestroyTextureObject(t));
        CHECK(cudaFree(where));
    }
    CHECK(cudaFreeArray(r.res.array.array));
    CHECK(cudaFree(out));
}

/* Texels of bytes become numbers from 0 to 1; rows of device memory are a texture as well. */
static void bytes_as_floats()
{
    unsigned char *rows;
    size_t pitch;
    std::vector<unsigned char> v(W * H * 2);
    for (size_t i = 0; i < v.size(); i++)
        v[i] = (unsigned char)(i * 37);
    CHECK(cudaMallocPitch(&rows, &pitch, W * 2, H));
    CHECK(cudaMemcpy2D(rows, pitch, v.data(), W * 2, W * 2, H, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = rows;
    r.res.pitch2D.desc = cudaCreateChannelDesc<uchar2>();
    r.res.pitch2D.width = W;
    r.res.pitch2D.height = H;
    r.res.pitch2D.pitchInBytes = pitch;
    const cudaTextureObject_t t = make_texture(r, {cudaAddressModeClamp, false, false}, cudaReadModeNormalizedFloat);
    const std::vector<place> p = places(false, false);
    std::vector<float4> got(PLACES);
    float4 *out = upload(got);
    bytes<<<PLACES / 128, 128>>>(out, t, upload(p));
    CHECK(cudaMemcpy(got.data(), out, PLACES * sizeof(float4), cudaMemcpyDeviceToHost));
    for (int i = 0; i < PLACES; i++) {
        const int x = (int)fmin(fmax(floor(p[i].x), 0), W - 1), y = (int)fmin(fmax(floor(p[i].y), 0), H - 1);
        EXPECT(std::fabs(got[i].x - v[(y * W + x) * 2] / 255.0) < 1e-6 && std::fabs(got[i].y - v[(y * W + x) * 2 + 1] / 255.0) < 1e-6);
    }
}

static void linear_memory()
{
    std::vector<short> v(100);
    std::vector<int> got(102);
    for (int i = 0; i < 100; i++)
        v[i] = (short)(i * 700 - 30000);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = upload(v);
    r.res.linear.desc = cudaCreateChannelDesc<short>();
    r.res.linear.sizeInBytes = 200;
    cudaTextureObject_t t;
    cudaTextureDesc d = {};
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    int *out = upload(got);
    integers<<<1, 128>>>(out, t, 100);
    CHECK(cudaMemcpy(got.data(), out, got.size() * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 102; i++)
        EXPECT(got[i] == (i > 0 && i < 101 ? v[i - 1] : 0));
    cudaResourceDesc back;
    CHECK(cudaGetTextureObjectResourceDesc(&back, t));
    EXPECT(back.res.linear.devPtr == r.res.linear.devPtr && back.res.linear.sizeInBytes == 200);
}

static void layered()
{
    std::vector<float> v(W * H * D), got(PLACES);
    for (int i = 0; i < W * H * D; i++)
        v[i] = texel(i % W, i / W % H, i / W / H, 0);
    cudaArray_t a;
    const cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    CHECK(cudaMalloc3DArray(&a, &c, make_cudaExtent(W, H, D), cudaArrayLayered));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(v.data(), W * 4, W, H);
    copy.dstArray = a;
    copy.extent = make_cudaExtent(W, H, D);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    const mode m = {cudaAddressModeClamp, true, false};
    std::vector<place> p = places(false, false);
    for (int i = 0; i < PLACES; i++)
        p[i].z = (float)(i % D);
    float *out = upload(got);
    layers<<<PLACES / 128, 128>>>(out, make_texture(r, m), upload(p));
    CHECK(cudaMemcpy(got.data(), out, PLACES * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < PLACES; i++) {
        place there = p[i];
        there.z += 0.5f; /* in the middle of the layer */
        EXPECT(std::fabs(got[i] - wanted(there, 3, 0, m)) < 1e-5);
    }
}

static void four_texels()
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = make_array(2);
    const std::vector<place> p = places(false, false);
    std::vector<float4> got(PLACES);
    float4 *out = upload(got);
    gathered<<<PLACES / 128, 128>>>(out, make_texture(r, {cudaAddressModeClamp, false, false}), upload(p));
    CHECK(cudaMemcpy(got.data(), out, PLACES * sizeof(float4), cudaMemcpyDeviceToHost));
    const int n[3] = {W, H, 1};
    for (int i = 0; i < PLACES; i++) {
        const long long x = (long long)floorf(p[i].x - 0.5f), y = (long long)floorf(p[i].y - 0.5f);
        const long long at0[2] = {x, y + 1}, at1[2] = {x + 1, y + 1}, at2[2] = {x + 1, y}, at3[2] = {x, y};
        EXPECT(got[i].x == at(at0, n, 2, 2, cudaAddressModeClamp) && got[i].y == at(at1, n, 2, 2, cudaAddressModeClamp));
        EXPECT(got[i].z == at(at2, n, 2, 2, cudaAddressModeClamp) && got[i].w == at(at3, n, 2, 2, cudaAddressModeClamp));
    }
}

int main()
{
    for (int directions = 1; directions <= 3; directions++)
        every_mode(directions);
    bytes_as_floats();
    linear_memory();
    layered();
    four_texels();
    return passed();
}
