// SPDX-License-Identifier: Apache-2.0
// Arithmetic of 128 bits. nvcc's division reads with addc the carry flag that a chain of subc has left, for which PTX's own words would give
// another value. wide.ptx is made by: nvcc -ptx -arch=compute_75 wide.cu
typedef unsigned __int128 u128;
typedef __int128 s128;

// Two operands of each thread, seven results.
extern "C" __global__ void wide(const u128 *in, u128 *out)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    const u128 a = in[2 * t], b = in[2 * t + 1];
    u128 *to = out + 7 * t;
    to[0] = a / b;
    to[1] = a % b;
    to[2] = (s128)a / (s128)b;
    to[3] = (s128)a % (s128)b;
    to[4] = a * b;
    to[5] = a - b;
    to[6] = ((s128)a < (s128)b) + 2 * (a < b);
}
