/* SPDX-License-Identifier: Apache-2.0 */
/* Temperatures of a chip over time, explicit differences on a square grid. A block loads a tile of 16 x 16 cells and advances it `steps`
 * steps in shared memory. After each step the outermost ring of what was valid is stale, so a block delivers its inner cells only, and
 * blocks overlap. A cell outside of the chip has the temperature of its neighbour inside: no heat leaves through the rim. */
#pragma OPENCL FP_CONTRACT OFF
#define TILE 16

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void
hotspot(__global const float *power, __global const float *in, __global float *out, int n, int steps, float rate, float sink, float ambient)
{
    __local float tile[2][TILE][TILE];
    int lx = (int)get_local_id(0), ly = (int)get_local_id(1), useful = TILE - 2 * steps;
    int x = (int)get_group_id(0) * useful - steps + lx, y = (int)get_group_id(1) * useful - steps + ly;
    bool inside = x >= 0 && x < n && y >= 0 && y < n;
    float heat = 0.0f;
    if (inside) {
        tile[0][ly][lx] = in[y * n + x];
        heat = power[y * n + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < steps; i++) {
        __local float(*old)[TILE] = tile[i & 1];
        bool valid = lx > i && lx < TILE - 1 - i && ly > i && ly < TILE - 1 - i;
        if (inside && valid) {
            float centre = old[ly][lx];
            float west = x > 0 ? old[ly][lx - 1] : centre, east = x < n - 1 ? old[ly][lx + 1] : centre;
            float north = y > 0 ? old[ly - 1][lx] : centre, south = y < n - 1 ? old[ly + 1][lx] : centre;
            float flow = ((west + east) + (north + south)) - 4.0f * centre;
            tile[~i & 1][ly][lx] = centre + rate * flow + (heat - sink * (centre - ambient));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (inside && lx >= steps && lx < TILE - steps && ly >= steps && ly < TILE - steps)
        out[y * n + x] = tile[steps & 1][ly][lx];
}
