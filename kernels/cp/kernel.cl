/* SPDX-License-Identifier: Apache-2.0 */
/* Electric potential in a plane, from atoms around it. The atoms are in constant memory, a part of them per launch. A thread has eight
 * points of a row, sixteen apart, so the distance in the other directions is computed once for all eight. */
#include "constant.h"

#define BX     16
#define BY     8
#define POINTS 8
#define ATOMS  4000

struct atom {
    float x, y, z2, charge; /* z2: square of the distance from the plane */
};

FILLED_BY_HOST struct atom atoms[ATOMS] = {{0}};

__kernel __attribute__((reqd_work_group_size(BX, BY, 1))) void potential(__global float *plane, uint atom_cnt, float spacing)
{
    uint row = get_global_id(1), column = get_group_id(0) * BX * POINTS + get_local_id(0), pitch = get_num_groups(0) * BX * POINTS;
    float y = spacing * (float)row, x = spacing * (float)column, sum[POINTS];
    for (uint i = 0; i < POINTS; i++)
        sum[i] = 0.0f;
    for (uint k = 0; k < atom_cnt; k++) {
        float dy = y - atoms[k].y, rest = dy * dy + atoms[k].z2, dx = x - atoms[k].x, charge = atoms[k].charge;
        for (uint i = 0; i < POINTS; i++) {
            sum[i] += charge * __nvvm_rsqrt_approx_f(dx * dx + rest);
            dx += spacing * (float)BX;
        }
    }
    for (uint i = 0; i < POINTS; i++)
        plane[row * pitch + column + i * BX] += sum[i];
}
