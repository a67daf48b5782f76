// SPDX-License-Identifier: Apache-2.0
// clang-14 -x cl -cl-std=CL1.2 --target=nvptx64-unknown-nvidiacl -Xclang -mlink-bitcode-file -Xclang /usr/lib/clc/nvptx64--nvidiacl.bc -include clc/clc.h -O2 -S features.cl -o features_cl.ptx
extern void tx_begin(void);
extern void tx_commit(void);

struct item {
    int x[3];
    long y;
};

__attribute__((noinline)) int weigh(int a, struct item s, float4 v)
{
    return a + s.x[a & 3] + (int)v.y + (int)s.y;
}

__kernel void vecadd(__global const float *a, __global const float *b, __global float *c, int n, __local float *tmp)
{
    int i = get_global_id(0);
    tmp[get_local_id(0)] = a[i < n ? i : 0];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        c[i] = tmp[get_local_id(0) ^ 1] + b[i];
}

__kernel void structs(__global int *p, struct item s, int n, float4 v, uchar2 uc, __constant int *cc)
{
    int arr[8];
    for (int i = 0; i < 8; i++)
        arr[i] = p[i] * n;
    tx_begin();
    p[get_global_id(0)] += arr[n & 7] + weigh(n, s, v) + uc.y + cc[3];
    tx_commit();
    if (n > 3)
        p[100] = weigh(n + 1, s, v * 2.0f);
    switch (n) {
    case 0: p[0] = 1; break;
    case 1: p[1] = weigh(p[3], s, v); break;
    case 2: p[2] = 33; break;
    case 3: p[3] = 4; break;
    case 4: p[9] = 8; break;
    case 5: p[10] = 7; break;
    }
}

__kernel void loops(__global int *a, __global char *b, __global short *s, __global double *d, int n)
{
    int i = get_global_id(0), sum = 0;
    for (int j = 0; j < n; j++) {
        if (a[j] & 1)
            continue;
        sum += a[j] * b[j] - s[j];
        if (sum > 1000)
            break;
    }
    a[i] = sum % 10 + mul_hi(sum, n) + popcount(n) + clz(n);
    d[i] = sqrt((double)sum) / d[i];
    b[i] = (char)sum;
    s[i] = (short)(sum >> 3);
}

__kernel void atomics(__global int *a, __global uint *u, __local int *t, int n)
{
    int l = get_local_id(0);
    t[l] = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&t[l ^ 1], 3);
    atomic_max(a + 1, n);
    atomic_min(u, 4u);
    atomic_and(u + 1, 7u);
    atomic_xor(a + 3, n);
    atomic_xchg(a + 4, l);
    int done = 0;
    while (!done) {
        if (atomic_cmpxchg(a, 0, 1) == 0) {
            a[5]++;
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            atomic_xchg(a, 0);
            done = 1;
        }
        __asm__ volatile("" : "+r"(done));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = t[l];
}
