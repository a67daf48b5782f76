/* SPDX-License-Identifier: Apache-2.0 */
/* Sum of n unsigned integers: grid-stride partial sums, a tree in shared memory per block, one result per block. */
__kernel void reduction(__global const uint *in, __global uint *out, uint n, __local uint *partial)
{
    uint lid = get_local_id(0);
    uint sum = 0;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        sum += in[i];
    partial[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (lid < half_size)
            partial[lid] += partial[lid + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        out[get_group_id(0)] = partial[0];
}
