/* SPDX-License-Identifier: Apache-2.0 */
/* Short-range forces between atoms. Space is cut into cells, at least as wide as the cut-off radius. The list of neighbours names pairs of
 * cells. In the first kernel a block has a pair: each thread has an atom of the first cell and goes over the atoms of the second one. In
 * the second kernel a block has a cell and adds up what its pairs have found. */
#pragma OPENCL FP_CONTRACT OFF
#include "constant.h"

#define THREADS 64
#define TYPES   4

struct atom {
    float x, y, z, charge;
    uint type, padding[3];
};

struct mixture {
    float a, b; /* repulsion and attraction of two types of atoms */
};

FILLED_BY_HOST struct mixture mixtures[TYPES * TYPES] = {{0}};

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void pair_forces(__global const struct atom *atoms,
                                                                               __global const uint *first, __global const uint2 *pairs,
                                                                               float cutoff2, __global float4 *partial, uint longest)
{
    __local struct atom other[THREADS];
    uint thread = get_local_id(0), pair = get_group_id(0);
    uint mine = pairs[pair].x, theirs = pairs[pair].y, begin = first[mine], end = first[mine + 1];
    for (uint base = begin; base < end; base += THREADS) {
        uint me = base + thread;
        bool active = me < end;
        struct atom a = atoms[active ? me : begin];
        float fx = 0.0f, fy = 0.0f, fz = 0.0f, energy = 0.0f;
        for (uint chunk = first[theirs]; chunk < first[theirs + 1]; chunk += THREADS) {
            uint n = min(first[theirs + 1] - chunk, (uint)THREADS);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (thread < n)
                other[thread] = atoms[chunk + thread];
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint i = 0; active && i < n; i++) {
                float dx = a.x - other[i].x, dy = a.y - other[i].y, dz = a.z - other[i].z;
                float r2 = dx * dx + dy * dy + dz * dz;
                if (r2 < cutoff2 && chunk + i != me) {
                    __constant struct mixture *m = &mixtures[a.type * TYPES + other[i].type];
                    float inverse = 1.0f / r2, inverse3 = inverse * inverse * inverse;
                    float coulomb = a.charge * other[i].charge * __nvvm_rsqrt_approx_f(r2);
                    float f = (inverse3 * (12.0f * m->a * inverse3 - 6.0f * m->b) + coulomb) * inverse;
                    energy += inverse3 * (m->a * inverse3 - m->b) + coulomb;
                    fx += f * dx;
                    fy += f * dy;
                    fz += f * dz;
                }
            }
        }
        if (active)
            partial[(size_t)pair * longest + (me - begin)] = (float4)(fx, fy, fz, energy);
    }
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void sum_forces(__global const uint *first, __global const uint *first_pair,
                                                                              __global const float4 *partial, uint longest,
                                                                              __global float4 *force)
{
    uint cell = get_group_id(0);
    for (uint i = get_local_id(0); i < first[cell + 1] - first[cell]; i += THREADS) {
        float4 sum = (float4)(0.0f);
        for (uint pair = first_pair[cell]; pair < first_pair[cell + 1]; pair++)
            sum += partial[(size_t)pair * longest + i];
        force[first[cell] + i] = sum;
    }
}
