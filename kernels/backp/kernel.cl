/* SPDX-License-Identifier: Apache-2.0 */
/* A neural network with one hidden layer of 16 units: the sums that go into the hidden units, and the change of the weights after an error
 * has come back. A block has 16 inputs and all hidden units: column = unit, row = input. */
#pragma OPENCL FP_CONTRACT OFF
#define SIDE 16

__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1))) void forward(__global const float *input, __global const float *weight,
                                                                           __global float *partial)
{
    __local float x[SIDE], product[SIDE][SIDE];
    uint unit = get_local_id(0), row = get_local_id(1), block = get_group_id(0), i = block * SIDE + row;
    if (unit == 0)
        x[row] = input[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    product[row][unit] = weight[i * SIDE + unit] * x[row];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < SIDE; step *= 2) {
        if (row % (2 * step) == 0)
            product[row][unit] += product[row + step][unit];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row == 0)
        partial[block * SIDE + unit] = product[0][unit];
}

__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1))) void adjust(__global const float *input, __global float *weight,
                                                                          __global float *last_change, __global const float *error,
                                                                          float rate, float momentum)
{
    uint unit = get_local_id(0), i = get_group_id(0) * SIDE + get_local_id(1), at = i * SIDE + unit;
    float change = rate * error[unit] * input[i] + momentum * last_change[at];
    weight[at] += change;
    last_change[at] = change;
}
