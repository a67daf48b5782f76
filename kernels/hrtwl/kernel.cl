/* SPDX-License-Identifier: Apache-2.0 */
/* Tracking of points in a film. A block follows one point. In each frame it compares the point's template with the frame at all
 * displacements of a search window, moves the point to where they agree best, and blends what is there into the template. Displacements
 * that lead out of the frame are not asked. Between the sections stand barriers; some sections need fewer threads than the block has. */
#define THREADS 512
#define SIDE    16 /* of the template, pixels */
#define REACH   10 /* of the search window, to each side */
#define SPAN    (2 * REACH + 1)

/* Keeps the compiler from computing addresses in one section for the next: 512 threads have to do with 32 registers each. */
#define FORGET(value) __asm__ volatile("" : "+r"(value))

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void track(__global const uchar *frames, int width, int height,
                                                                         uint frame_cnt, __global int2 *points, __global int4 *path)
{
    __local int template[SIDE * SIDE], centre[2];
    __local uint best[THREADS];
    uint thread = get_local_id(0), point = get_group_id(0);
    if (thread == 0) {
        centre[0] = points[point].x;
        centre[1] = points[point].y;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = thread; i < SIDE * SIDE; i += THREADS)
        template[i] = 16 * frames[(centre[1] + (int)(i / SIDE)) * width + centre[0] + (int)(i % SIDE)];
    for (uint frame = 1; frame < frame_cnt; frame++) {
        FORGET(thread);
        frames += width * height;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint mine = 0xffffffffu;
        if (thread < SPAN * SPAN) {
            int x = centre[0] + (int)(thread % SPAN) - REACH, y = centre[1] + (int)(thread / SPAN) - REACH;
            if (x >= 0 && y >= 0 && x <= width - SIDE && y <= height - SIDE) {
                uint difference = 0;
                int corner = y * width + x;
#pragma unroll 1
                for (int k = 0; k < SIDE * SIDE; k++) {
                    FORGET(k);
                    difference += abs(template[k] - 16 * frames[corner + k / SIDE * width + k % SIDE]);
                }
                mine = difference << 9 | thread;
            }
        }
        FORGET(thread);
        best[thread] = mine;
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
        for (uint half_size = THREADS / 2; half_size > 0; half_size /= 2) {
            if (thread < half_size)
                best[thread] = min(best[thread], best[thread + half_size]);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (thread == 0) {
            centre[0] += (int)(best[0] % 512 % SPAN) - REACH;
            centre[1] += (int)(best[0] % 512 / SPAN) - REACH;
            path[point * frame_cnt + frame] = (int4)(centre[0], centre[1], (int)(best[0] / 512), 0);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        FORGET(thread);
        for (uint i = thread; i < SIDE * SIDE; i += THREADS) {
            int seen = 16 * frames[(centre[1] + (int)(i / SIDE)) * width + centre[0] + (int)(i % SIDE)];
            template[i] = (3 * template[i] + seen + 2) / 4;
        }
    }
    if (thread == 0)
        points[point] = (int2)(centre[0], centre[1]);
}
