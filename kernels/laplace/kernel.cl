/* SPDX-License-Identifier: Apache-2.0 */
/* One Jacobi step of the 3-D Laplace equation on an n x n x n grid with fixed boundaries: each thread owns a column (x, y), walks along z and
 * keeps the three values of its column in registers; the plane is shared through local memory with a halo. */
#define BX 32
#define BY 4
__kernel void laplace(__global const float *in, __global float *out, int n)
{
    __local float plane[BY + 2][BX + 2];
    int lx = (int)get_local_id(0), ly = (int)get_local_id(1);
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    bool in_grid = x < n && y < n;
    bool inner = x > 0 && x < n - 1 && y > 0 && y < n - 1;
    int here = x + n * y;
    float below = 0.0f, centre = 0.0f, above = 0.0f;
    if (in_grid) {
        centre = in[here];
        above = in[here + n * n];
    }
    for (int z = 0; z < n; z++) {
        plane[ly + 1][lx + 1] = centre;
        if (in_grid) {
            if (lx == 0 && x > 0)
                plane[ly + 1][0] = in[here - 1];
            if (lx == BX - 1 && x < n - 1)
                plane[ly + 1][BX + 1] = in[here + 1];
            if (ly == 0 && y > 0)
                plane[0][lx + 1] = in[here - n];
            if (ly == BY - 1 && y < n - 1)
                plane[BY + 1][lx + 1] = in[here + n];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (in_grid) {
            float value = centre;
            if (inner && z > 0 && z < n - 1)
                value = (1.0f / 6.0f) * (plane[ly + 1][lx] + plane[ly + 1][lx + 2] + plane[ly][lx + 1] + plane[ly + 2][lx + 1] + below + above);
            out[here] = value;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        below = centre;
        centre = above;
        here += n * n;
        if (in_grid && z < n - 2)
            above = in[here + n * n];
    }
}
