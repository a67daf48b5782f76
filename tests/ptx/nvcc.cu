// SPDX-License-Identifier: Apache-2.0
// What nvcc makes of it is a test input; neither the build nor the tests need nvcc:
// nvcc -ptx -arch=sm_75 nvcc.cu -o nvcc_cu.ptx
// (in a directory whose name may be in the debug information) nvcc -ptx -arch=sm_75 -G nvcc.cu -o nvcc_debug_cu.ptx
struct item {
    int x[3];
    long y;
};

__device__ int table[4] = {1, 2, 3, 4};
__device__ int *second = &table[2];
__constant__ float coef[3] = {1.5f, 2, 3};
extern __shared__ double dyn[];

__device__ __noinline__ item make(int a, float b)
{
    item s;
    s.x[0] = a;
    s.x[1] = (int)b;
    s.x[2] = (int)(a * b);
    s.y = a;
    return s;
}

extern "C" __global__ void __launch_bounds__(128) mixed(int *p, float *f, item s, int n)
{
    __shared__ int sh[32];
    sh[threadIdx.x & 31] = p[threadIdx.x] + s.x[n];
    __syncthreads();
    item r = make(n, f[0]);
    p[0] = r.x[n] + sh[3] + *second + table[n];
    dyn[threadIdx.x] = coef[n];
    int v = __shfl_xor_sync(~0u, n, 3);
    v += __ballot_sync(~0u, n > 3) + __match_any_sync(~0u, n) + __popc(v) + __clz(v) + __ffs(v);
    f[1] = sinf(f[2]) + expf(f[3]) + sqrtf(f[4]) / f[5] + powf(f[6], f[7]);
    atomicAdd(f + 8, 1.0f);
    atomicAdd((double *)f + 9, 1.0);
    p[3] = v + __syncthreads_count(n) + __dp4a(n, v, 3) + __funnelshift_l(n, v, 5) + __byte_perm(n, v, 0x3210);
    p[4] = n % 10;
    p[5] = n / p[6];
    p[6] = (int)clock64() + (int)__umul64hi(r.y, 3);
    __threadfence();
}

extern "C" __global__ void table_jump(int *p, unsigned n)
{
    switch (p[n]) {
    case 0: p[0] = p[9] + 1; break;
    case 1: p[1] = p[8] * 3; break;
    case 2: p[2] = p[7] - 33; break;
    case 3: p[3] = p[6] / 3; break;
    case 4: p[4] = p[5] % 5; break;
    case 5: p[5] = p[4] ^ 7; break;
    case 6: p[6] = p[3] & 9; break;
    case 7: p[7] = p[2] << 2; break;
    case 8: p[8] = p[1] >> 2; break;
    case 9: p[9] = -p[0]; break;
    default: __trap();
    }
    p[n + 20] = 1;
}
