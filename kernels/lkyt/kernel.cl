/* SPDX-License-Identifier: Apache-2.0 */
/* Detection and tracking of round cells in a picture, in three kernels. The first gives each pixel a score: over circles of several radii,
 * how strongly and evenly the brightness rises from the inside to the outside. The second spreads the best score over a disc. The third
 * smooths the edges around each cell: values diffuse, faster upwards than downwards, and strong edges hold theirs. */
#pragma OPENCL FP_CONTRACT OFF
#include "constant.h"
#include "texture.h"

#define THREADS 175
#define RADII   4
#define POINTS  32 /* of a circle */
#define DISC    5  /* radius of the disc */
#define PATCH   41 /* side of a cell's patch */

struct sample {
    int dx, dy;
    float x, y; /* the direction outwards */
};

FILLED_BY_HOST struct sample circle[RADII * POINTS] = {{0}};

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void score(__global const float *restrict grad_x,
                                                                         __global const float *restrict grad_y, int width, int height,
                                                                         int margin, __global float *restrict scores)
{
    int i = (int)get_global_id(0), x = i % width, y = i / width;
    if (y >= height)
        return;
    float best = 0.0f;
    if (x >= margin && y >= margin && x < width - margin && y < height - margin)
        for (int r = 0; r < RADII; r++) {
            float sum = 0.0f, squares = 0.0f;
            for (int k = 0; k < POINTS; k++) {
                __constant struct sample *c = &circle[r * POINTS + k];
                int at = (y + c->dy) * width + x + c->dx;
                float rise = texture_read(&grad_x[at]) * c->x + texture_read(&grad_y[at]) * c->y;
                sum += rise;
                squares += rise * rise;
            }
            float mean = sum / POINTS, variance = squares / POINTS - mean * mean;
            best = fmax(best, mean * mean / (variance + 0.01f));
        }
    scores[i] = best;
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void dilate(__global const float *restrict scores, int width, int height,
                                                                          __global float *restrict spread)
{
    int i = (int)get_global_id(0), x = i % width, y = i / width;
    if (y >= height)
        return;
    float best = 0.0f;
    for (int dy = -DISC; dy <= DISC; dy++)
        for (int dx = -DISC; dx <= DISC; dx++)
            if (dx * dx + dy * dy <= DISC * DISC && x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height)
                best = fmax(best, texture_read(&scores[(y + dy) * width + x + dx]));
    spread[i] = best;
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void smooth(__global const float *edges, __global float *field,
                                                                          __global uint *rounds, uint most, float enough)
{
    __local float now[PATCH * PATCH], next[PATCH * PATCH], moved[THREADS];
    uint thread = get_local_id(0), cell = get_group_id(0), round = 0;
    __global const float *edge = edges + (size_t)cell * PATCH * PATCH;
    for (uint i = thread; i < PATCH * PATCH; i += THREADS)
        now[i] = edge[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (; round < most; round++) {
        float largest = 0.0f;
        for (uint i = thread; i < PATCH * PATCH; i += THREADS) {
            int x = (int)(i % PATCH), y = (int)(i / PATCH);
            float here = now[i], flow = 0.0f;
            for (int k = 0; k < 9; k++) {
                int nx = clamp(x + k % 3 - 1, 0, PATCH - 1), ny = clamp(y + k / 3 - 1, 0, PATCH - 1);
                float d = now[ny * PATCH + nx] - here;
                flow += d > 0.0f ? d : 0.25f * d;
            }
            float value = here + 0.1f * flow - 0.5f * edge[i] * (here - edge[i]);
            next[i] = value;
            largest = fmax(largest, fabs(value - here));
        }
        moved[thread] = largest;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = thread; i < PATCH * PATCH; i += THREADS)
            now[i] = next[i];
        for (uint width = 128; width > 0; width /= 2) {
            if (thread < width && thread + width < THREADS)
                moved[thread] = fmax(moved[thread], moved[thread + width]);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        float most_moved = moved[0];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (most_moved < enough)
            break;
    }
    for (uint i = thread; i < PATCH * PATCH; i += THREADS)
        field[(size_t)cell * PATCH * PATCH + i] = now[i];
    if (thread == 0)
        rounds[cell] = round;
}
