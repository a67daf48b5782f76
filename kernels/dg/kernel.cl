/* SPDX-License-Identifier: Apache-2.0 */
/* A wave equation by the discontinuous Galerkin method, sixth order on tetrahedra: 84 nodes in an element, and 28 on each of its four
 * faces. Three kernels: what happens inside of an element (a thread per node), what comes through its faces (a thread per face node), and
 * the step in time. A quantity is carried by a wind that each element knows in its own coordinates. Matrices are read-only: they come
 * through the texture cache, where there is one. Shared memory holds an element's values. */
#include "texture.h"

#define NODES 84
#define FACES 4
#define FACE  28
#define FLOWS (FACES * FACE) /* 112 */

/* rate = - (wind . gradient), with one matrix per direction, stored column by column. */
__kernel __attribute__((reqd_work_group_size(NODES, 1, 1))) void inside(__global const float *restrict value,
                                                                        __global const float *restrict slopes,
                                                                        __global const float *restrict wind, __global float *restrict rate)
{
    __local float mine[NODES];
    uint node = get_local_id(0), element = get_group_id(0);
    mine[node] = texture_read(&value[element * NODES + node]);
    barrier(CLK_LOCAL_MEM_FENCE);
    float r = 0.0f, s = 0.0f, t = 0.0f;
    for (uint k = 0; k < NODES; k++) {
        float v = mine[k];
        r += texture_read(&slopes[k * NODES + node]) * v;
        s += texture_read(&slopes[(NODES + k) * NODES + node]) * v;
        t += texture_read(&slopes[(2 * NODES + k) * NODES + node]) * v;
    }
    rate[element * NODES + node] = -(wind[element * 3] * r + wind[element * 3 + 1] * s + wind[element * 3 + 2] * t);
}

/* The difference to the neighbour's value at each face node, where the wind blows inwards, is lifted to all nodes of the element. */
__kernel __attribute__((reqd_work_group_size(FLOWS, 1, 1))) void
through(__global const float *restrict value, __global const uint *restrict own_node, __global const uint *restrict other,
        __global const float *restrict speed, __global const float *restrict lift, __global float *restrict rate)
{
    __local float flow[FLOWS];
    uint at = get_local_id(0), element = get_group_id(0);
    float inwards = fmax(-speed[element * FACES + at / FACE], 0.0f);
    flow[at] = inwards * (texture_read(&value[other[element * FLOWS + at]]) - texture_read(&value[element * NODES + own_node[at]]));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (at < NODES) {
        float sum = 0.0f;
        for (uint k = 0; k < FLOWS; k++)
            sum += texture_read(&lift[k * NODES + at]) * flow[k];
        rate[element * NODES + at] += sum;
    }
}

/* One stage of a Runge-Kutta method that keeps one residual. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void advance(__global float *restrict value, __global float *restrict residual,
                                                                       __global const float *restrict rate, uint n, float a, float b,
                                                                       float dt)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float r = a * residual[i] + dt * rate[i];
    residual[i] = r;
    value[i] += b * r;
}
