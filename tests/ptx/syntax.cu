// SPDX-License-Identifier: Apache-2.0
// CUDA syntax without a toolkit:
// clang++-14 -x cuda --cuda-device-only --cuda-gpu-arch=sm_35 -nocudainc -nocudalib -O2 -S syntax.cu -o syntax_cu.ptx
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
struct P { int a; double b; char c[3]; };
__device__ int gdata[5] = {1, 2, 3, 4, 5};
__device__ const char *msg = "hello";
__constant__ float coef[4] = {1.0f, 0.5f, 0.25f, 0.125f};
__device__ __attribute__((noinline)) P make(P p, int k) { p.a += k; p.c[k & 1] = (char)k; return p; }
extern "C" __global__ void kern(int *out, P p, float x) {
    __shared__ float tile[64];
    int t = __nvvm_read_ptx_sreg_tid_x();
    tile[t & 63] = x * coef[t & 3];
    __syncthreads();
    P q = make(p, t);
    P r = make(q, q.a);
    out[t] = (int)tile[(t + 1) & 63] + r.a + (int)r.b + r.c[0] + gdata[t % 5] + msg[t & 3];
    __nvvm_atom_cas_gen_i(out + 100, 0, t);
}
