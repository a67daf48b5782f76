/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels with the patterns and sizes of those that a Quadro V100 was measured with (qv100.c). Sizes are constants, as there, so that loops
 * are unrolled. Four loads stand in front of the four sums that use them: that is the order in which ptxas puts them, and our core issues
 * in the order of the PTX. A kernel stores a sum of what it reads, so that no compiler leaves the reads out.
 */
#define L1_WORDS  16384u                /* 64 KB */
#define L1_LARGE  (1024u + 4096u * 32u) /* words that do not fit the L1 */
#define CHAIN     4096u
#define SHARED    12288u /* words: 48 KB */
#define L2_ROUNDS 2048u
#define L2_WORDS  (160u * 1024u + L2_ROUNDS * 32u)
#define MEM_WORDS 8388608u
#define MATRIX    4096u
#define ALL_MEET  barrier(CLK_LOCAL_MEM_FENCE)

/* A load that passes the L1 by. */
#define LOAD_CG(x, type, suffix, p) __asm__ volatile("ld.global.cg." suffix " %0, [%1];" : "=" type(x) : "l"(p) : "memory")

/* Reads n words once, so that caches have them. */
static float first(__global const float *p, uint n)
{
    float sum = 0;
#pragma unroll 4
    for (uint i = get_local_id(0); i < n; i += 1024)
        sum += p[i];
    ALL_MEET;
    return sum;
}

/* Multiplications and additions, each of which waits for the one before. */
__kernel void max_flops(__global const float *a, __global float *out)
{
    const uint i = get_global_id(0);
    const float x = a[i], y = a[i + 1024];
    float sum = 0;
    ALL_MEET;
#pragma unroll 16
    for (uint r = 0; r < 4096; r++)
        sum = fma(x, y, sum);
    ALL_MEET;
    out[i] = sum;
}

/* One block reads words that fit its L1, again and again. */
__kernel void l1_bw_32(__global const float *a, __global float *out)
{
    const uint t = get_local_id(0);
    float s0 = first(a, L1_WORDS), s1 = 0, s2 = 0, s3 = 0;
#pragma unroll 4
    for (uint r = 0; r < 256; r++) {
        __global const float *p = a + (t + r * 128) % L1_WORDS;
        const float w = p[0], x = p[32], y = p[64], z = p[96];
        s0 += w;
        s1 += x;
        s2 += y;
        s3 += z;
    }
    ALL_MEET;
    out[t] = s0 + s1 + s2 + s3;
}

__kernel void l1_bw_32_one(__global const float *a, __global float *out)
{
    const uint t = get_local_id(0);
    float sum = first(a, L1_WORDS);
    for (uint r = t; r < t + 32 * 1024; r += 128) {
        const float w = a[r % L1_WORDS], x = a[(r + 32) % L1_WORDS], y = a[(r + 64) % L1_WORDS], z = a[(r + 96) % L1_WORDS];
        sum += w;
        sum += x;
        sum += y;
        sum += z;
    }
    ALL_MEET;
    out[t] = sum;
}

/* A warp reads what the next one has read in the round before. */
__kernel void l1_bw_32_large(__global const float *a, __global float *out)
{
    const uint t = get_local_id(0);
    float sum = first(a, L1_LARGE);
    for (uint r = 0; r < 32 * 4096; r += 128) {
        __global const float *p = a + t + r;
        const float w = p[0], x = p[32], y = p[64], z = p[96];
        sum += w;
        sum += x;
        sum += y;
        sum += z;
    }
    ALL_MEET;
    out[t] = sum;
}

__kernel void l1_bw_64(__global const double *a, __global double *out)
{
    const uint t = get_local_id(0);
    double s0 = 0, s1 = 0;
#pragma unroll 4
    for (uint i = t; i < L1_WORDS / 2; i += 1024)
        s0 += a[i];
    ALL_MEET;
    for (uint r = t; r < t + 64 * 256; r += 128) {
        __global const double *p = a + r % (L1_WORDS / 2), *q = a + (r + 64) % (L1_WORDS / 2);
        const double w = p[0], x = p[32], y = q[0], z = q[32];
        s0 += w;
        s1 += x;
        s0 += y;
        s1 += z;
    }
    ALL_MEET;
    out[t] = s0 + s1;
}

__kernel void l1_bw_128(__global const float4 *a, __global float *out)
{
    const uint t = get_local_id(0);
    float4 sum = 0;
#pragma unroll 4
    for (uint i = t; i < L1_WORDS / 4; i += 1024)
        sum += a[i].x;
    ALL_MEET;
    for (uint r = t; r < t + 32 * 4096; r += 128) {
        const float4 w = a[r % (L1_WORDS / 4)], x = a[(r + 32) % (L1_WORDS / 4)], y = a[(r + 64) % (L1_WORDS / 4)],
                     z = a[(r + 96) % (L1_WORDS / 4)];
        sum += w;
        sum += x;
        sum += y;
        sum += z;
    }
    ALL_MEET;
    out[t] = sum.x + sum.y + sum.z + sum.w;
}

/* One thread writes a chain of addresses, and follows it. */
static void write_chain(__global ulong *chain)
{
    for (uint i = 0; i + 1 < CHAIN; i++)
        chain[i] = (ulong)(chain + i + 1);
    chain[CHAIN - 1] = (ulong)chain;
}

__kernel void l1_lat(__global ulong *chain, __global ulong *out)
{
    ulong at = (ulong)chain;
    write_chain(chain);
#pragma unroll 4
    for (uint r = 0; r < 32768; r++)
        at = *(__global ulong *)at;
    *out = at;
}

__kernel void l2_lat(__global ulong *chain, __global ulong *out)
{
    ulong at = (ulong)chain;
    write_chain(chain);
#pragma unroll 4
    for (uint r = 0; r < 32768; r++)
        LOAD_CG(at, "l", "u64", at);
    *out = at;
}

/* Each thread follows a chain in the L1, then one there and one in shared memory. */
__kernel void l1_shared_bw(__global const uint *chain, __global uint *out)
{
    __local uint shared[SHARED];
    uint at = get_local_id(0), there = get_local_id(0);
    for (uint i = get_local_id(0); i < SHARED; i += 1024)
        shared[i] = (i + 1024 + 7) % SHARED;
#pragma unroll 4
    for (uint i = 0; i < L1_WORDS; i++)
        at = chain[at];
    ALL_MEET;
#pragma unroll 4
    for (uint r = 0; r < 4096; r++) {
        there = shared[there];
        at = chain[at];
    }
    ALL_MEET;
    out[get_local_id(0)] = at + there;
}

/* All threads read words of the L2; in a round, a warp reads what the next one has read in the round before. */
#define L2_BW(name, real, type, suffix)                            \
    __kernel void name(__global const real *a, __global real *out) \
    {                                                              \
        const uint t = get_global_id(0);                           \
        real sum = 0, w, x, y, z;                                  \
        for (uint i = t; i < L2_WORDS; i += get_global_size(0)) {  \
            LOAD_CG(x, type, suffix, a + i);                       \
            sum += x;                                              \
        }                                                          \
        ALL_MEET;                                                  \
        for (uint r = t; r < t + 32 * L2_ROUNDS; r += 128) {       \
            LOAD_CG(w, type, suffix, a + r);                       \
            LOAD_CG(x, type, suffix, a + r + 32);                  \
            LOAD_CG(y, type, suffix, a + r + 64);                  \
            LOAD_CG(z, type, suffix, a + r + 96);                  \
            sum += w;                                              \
            sum += x;                                              \
            sum += y;                                              \
            sum += z;                                              \
        }                                                          \
        ALL_MEET;                                                  \
        out[t] = sum;                                              \
    }
L2_BW(l2_bw_32, float, "f", "f32")
L2_BW(l2_bw_64, double, "d", "f64")

/* The sum of five arrays, which lie one behind the other. */
__kernel void mem_bw(__global const float4 *a, __global float4 *out)
{
    for (uint i = get_global_id(0); i < MEM_WORDS / 4; i += get_global_size(0))
        out[i] = a[i] + a[i + MEM_WORDS / 4] + a[i + MEM_WORDS / 2] + a[i + MEM_WORDS / 4 * 3] + a[i + MEM_WORDS];
}

/* Four lanes meet in each bank. */
__kernel void shared_bw(__global float *out)
{
    __local float shared[SHARED];
    const uint t = get_local_id(0);
    float4 sum = 0;
    for (uint i = t; i < SHARED; i += 1024)
        shared[i] = i;
    ALL_MEET;
    for (uint r = 0; r < SHARED / 2; r++) {
        for (uint i = t * 4; i < SHARED / 2; i += 4096)
            sum += (float4)(shared[i + r], shared[i + 1 + r], shared[i + 2 + r], shared[i + 3 + r]);
    }
    ALL_MEET;
    out[t] = sum.x + sum.y + sum.z + sum.w;
}

/* A chain of 64-bit words in shared memory, which one lane follows. */
__kernel void shared_lat(__global ulong *out)
{
    __local ulong shared[SHARED / 2];
    for (uint i = get_local_id(0); i + 1 < SHARED / 2; i += 32)
        shared[i] = (i + 1) % (SHARED / 2);
    if (get_local_id(0) == 0) {
        ulong at = 0;
#pragma unroll 4
        for (uint r = 0; r < 2048; r++)
            at = shared[at];
        *out = at;
    }
}

__kernel void vector_add(__global const float *a, __global float *out, uint n)
{
    const uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] + a[i + n];
}

/* A matrix times a vector, a thread for each row or column; sums in memory, as the source has them. */
__kernel void rows(__global const float *a, __global const float *x, __global float *sum)
{
    const uint i = get_global_id(0);
    for (uint j = 0; j < MATRIX; j++)
        sum[i] += a[i * MATRIX + j] * x[j];
}

__kernel void columns(__global const float *a, __global const float *x, __global float *sum)
{
    const uint j = get_global_id(0);
    for (uint i = 0; i < MATRIX; i++)
        sum[j] += a[i * MATRIX + j] * x[i];
}
