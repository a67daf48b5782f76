/* SPDX-License-Identifier: Apache-2.0 */
/* Detection by a cascade of stages. A stage has weak classifiers; each compares the brightness of two rectangles inside the window, found
 * with four reads each in the integral image. A window that fails a stage leaves. The first kernel runs the first stages on all windows,
 * the second one the rest on the windows that are left. */
#include "constant.h"

#define BX 32
#define BY 6

struct feature {
    uchar x0, y0, w0, h0, x1, y1, w1, h1; /* two rectangles within the window */
    int threshold;                        /* of the difference of their sums */
    int less, more;                       /* votes */
};

struct stage {
    uint first, count; /* its features */
    int needed;        /* votes to pass */
};

FILLED_BY_HOST struct stage stages[64] = {{0}};
FILLED_BY_HOST struct feature features[3040] = {{0}};

/* The sum of the pixels of a rectangle; the integral image has a row and a column of zeros in front. */
static int sum(__global const int *integral, int pitch, int x, int y, int w, int h)
{
    __global const int *top = integral + y * pitch + x, *bottom = top + h * pitch;
    return bottom[w] - bottom[0] - top[w] + top[0];
}

static uint cascade(__global const int *integral, int pitch, int x, int y, uint from, uint to)
{
    for (uint s = from; s < to; s++) {
        int votes = 0;
        for (uint i = 0; i < stages[s].count; i++) {
            __constant struct feature *f = &features[stages[s].first + i];
            int bright = sum(integral, pitch, x + f->x0, y + f->y0, f->w0, f->h0);
            int dark = sum(integral, pitch, x + f->x1, y + f->y1, f->w1, f->h1);
            if (bright - dark < f->threshold)
                votes += f->less;
            else
                votes += f->more;
        }
        if (votes < stages[s].needed)
            return s;
    }
    return to;
}

__kernel __attribute__((reqd_work_group_size(BX, BY, 1))) void first_stages(__global const int *integral, int pitch, int wide, int high,
                                                                            uint middle, __global uint *reached)
{
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x < wide && y < high)
        reached[y * wide + x] = cascade(integral, pitch, x, y, 0, middle);
}

__kernel __attribute__((reqd_work_group_size(BX, BY, 1))) void last_stages(__global const int *integral, int pitch, int wide, int high,
                                                                           uint middle, uint end, __global uint *reached)
{
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    if (x < wide && y < high && reached[y * wide + x] == middle)
        reached[y * wide + x] = cascade(integral, pitch, x, y, middle, end);
}
