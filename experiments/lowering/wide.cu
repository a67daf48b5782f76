/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small kernels that load words of shared memory side by side, for widths.py: each asks ptxas for one rule. `n` and `step` are not known to it.
 */
#define KERNEL(name, ...)                                                   \
    extern "C" __global__ void name(float *out, float *in, int n, int step) \
    {                                                                       \
        __shared__ float s[2048];                                           \
        const int t = threadIdx.x;                                          \
        s[t] = in[t];                                                       \
        __syncthreads();                                                    \
        float sum = 0;                                                      \
        __VA_ARGS__                                                         \
        out[t] = sum;                                                       \
    }

/* Which words: b is the first of 16 bytes */
#define QUAD(name, ...) KERNEL(name, const int b = (t & 31) * 4; __VA_ARGS__)
QUAD(first_two, sum = s[b] * s[b + 1];)
QUAD(middle_two, sum = s[b + 1] * s[b + 2];)
QUAD(last_two, sum = s[b + 2] * s[b + 3];)
QUAD(apart, sum = s[b] * s[b + 2];)
QUAD(three, sum = s[b] * s[b + 1] + s[b + 2];)
QUAD(last_three, sum = s[b + 1] * s[b + 2] + s[b + 3];)
QUAD(gap, sum = s[b] * s[b + 1] + s[b + 3];)
QUAD(four, sum = s[b] * s[b + 1] + s[b + 2] * s[b + 3];)
QUAD(four_back, sum = s[b + 3] * s[b + 2] + s[b + 1] * s[b];)
QUAD(four_odd, sum = s[b + 1] * s[b + 2] + s[b + 3] * s[b + 4];)
QUAD(six, sum = s[b] * s[b + 1] + s[b + 2] * s[b + 3] + s[b + 4] * s[b + 5];)
QUAD(eight, sum = s[b] * s[b + 1] + s[b + 2] * s[b + 3] + s[b + 4] * s[b + 5] + s[b + 6] * s[b + 7];)

/* Multiples */
KERNEL(of_two, const int b = (t & 31) * 2; sum = s[b] * s[b + 1] + s[b + 2] * s[b + 3];)
KERNEL(of_one, sum = s[t] * s[t + 1] + s[t + 2] * s[t + 3];)
KERNEL(of_six, sum = s[t * 6] * s[t * 6 + 1] + s[t * 6 + 2] * s[t * 6 + 3];)
KERNEL(of_parameter, sum = s[4 * n] * s[4 * n + 1] + s[4 * n + 2];)
KERNEL(constants, sum = s[4] * s[5] + s[6] * s[7] + s[8] * s[9];)
KERNEL(sum_of_two, const int b = n * 4 + (t & 7) * 8; sum = s[b] * s[b + 1] + s[b + 2] * s[b + 3];)
KERNEL(masked, const int b = n & ~3; sum = s[b] * s[b + 1] + s[b + 2] * s[b + 3];)

/* Loops */
#define LOOP(name, by)                                                                 \
    KERNEL(                                                                            \
        name, int b = (t & 31) * 16; _Pragma("unroll 1") for (int i = 0; i < n; i++) { \
            sum += s[b] * s[b + 1] + s[b + 2] * s[b + 3];                              \
            b += by;                                                                   \
        })
LOOP(loop_2, 2)
LOOP(loop_4, 4)
LOOP(loop_64, 64)
LOOP(loop_step, step)

/* What stands between */
QUAD(store, sum = s[b]; s[n] = sum; sum *= s[b + 1];)
QUAD(global_store, sum = s[b]; in[t] = sum; sum *= s[b + 1];)
QUAD(barrier, sum = s[b]; __syncthreads(); sum *= s[b + 1];)
QUAD(fence, sum = s[b]; __threadfence_block(); sum *= s[b + 1];)
QUAD(atomic, sum = s[b]; atomicAdd((int *)&s[n], 1); sum *= s[b + 1];)
QUAD(branch, sum = s[b]; if (n > 3) sum *= in[step * t] + in[t + 99] / sum; sum *= s[b + 1];)
QUAD(late_use, sum = s[b]; for (int i = 0; i < 40; i++) sum = sum * sum + in[i * t]; sum *= s[b + 1];)
QUAD(guarded, if (n > t) sum = s[b] * s[b + 1];)
QUAD(address, const int c = __float_as_int(s[b]) & 31; sum = s[c * 2] * s[b + 1];)

/* Other widths and kinds */
KERNEL(pair, const float2 v = ((const float2 *)s)[t]; const float2 w = ((const float2 *)s)[t + 1]; sum = v.x * v.y + w.x * w.y;)
QUAD(pairs, const float2 *v = (const float2 *)&s[b]; sum = v[0].x * v[0].y + v[1].x * v[1].y;)
QUAD(reals, const double *v = (const double *)&s[b]; sum = (float)(v[0] * v[1]);)
QUAD(bytes, const unsigned char *v = (const unsigned char *)&s[b]; sum = v[0] * v[1] + v[2] * v[3];)
QUAD(halves, const unsigned short *v = (const unsigned short *)&s[b]; sum = v[0] * v[1] + v[2] * v[3];)
QUAD(strong, volatile float *v = &s[b]; sum = v[0] * v[1] + v[2] * v[3];)
