/* SPDX-License-Identifier: Apache-2.0 */
/* Ray casting with persistent threads: as many warps as the machine holds take packets of rays until none is left. The first lane of each
 * static warp takes the packet for its warp and leaves the number in shared memory; the other lanes read it right behind, without a
 * barrier. This counts on the lanes of a static warp to run in lockstep.
 *
 * A ray walks down a tree of boxes to the nearest triangle. Then a second ray goes from there towards the lamp, and stops at the first
 * triangle that is in its way. */
#pragma OPENCL FP_CONTRACT OFF
#define BX     32
#define BY     6
#define LANES  32
#define NOBODY 0xffffffffu
#define DEPTH  32

struct box {
    float low[3], high[3];
    uint first, count; /* count 0: inner box with children first and first + 1; else a leaf with that many triangles */
};

struct triangle {
    float corner[3], side1[3], side2[3]; /* corners: corner, corner + side1, corner + side2 */
};

struct hit {
    uint triangle, shadow; /* NOBODY: none; shadow 1: something is between it and the lamp */
    float distance;
    uint drawn; /* how often this pixel was drawn */
};

struct ray {
    float from[3], to[3], inverse[3]; /* direction, and its inverse */
};

static float dot3(const float *a, const float *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross3(float *out, const float *a, const float *b)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Where the ray meets the triangle, as a multiple of its direction; 0: nowhere. */
static float meet(const struct ray *r, __global const struct triangle *t)
{
    float side1[3], side2[3], p[3], q[3], from[3];
    for (int i = 0; i < 3; i++) {
        side1[i] = t->side1[i];
        side2[i] = t->side2[i];
        from[i] = r->from[i] - t->corner[i];
    }
    cross3(p, r->to, side2);
    float determinant = dot3(side1, p);
    if (determinant > -1e-6f && determinant < 1e-6f)
        return 0.0f;
    float u = dot3(from, p) / determinant;
    if (u < 0.0f || u > 1.0f)
        return 0.0f;
    cross3(q, from, side1);
    float v = dot3(r->to, q) / determinant;
    if (v < 0.0f || u + v > 1.0f)
        return 0.0f;
    float distance = dot3(side2, q) / determinant;
    return distance > 1e-3f ? distance : 0.0f;
}

/* A box that the ray misses, or enters only behind `limit`. The slabs are widened a little: a triangle on the rim must not be lost. */
static bool misses(const struct ray *r, __global const struct box *b, float limit)
{
    float enter = 0.0f, leave = limit;
    for (int i = 0; i < 3; i++) {
        float a = (b->low[i] - r->from[i]) * r->inverse[i], c = (b->high[i] - r->from[i]) * r->inverse[i];
        enter = fmax(enter, fmin(a, c) - 1e-3f);
        leave = fmin(leave, fmax(a, c) + 1e-3f);
    }
    return enter > leave;
}

/* The nearest triangle within limit, and its distance; of two at one distance, the one of the lower number. With `any`, the first that is
 * found. */
static uint cast(const struct ray *r, __global const struct box *boxes, __global const struct triangle *triangles, float limit, bool any,
                 float *distance)
{
    uint stack[DEPTH], depth = 0, nearest = NOBODY, at = 0;
    *distance = limit;
    for (;;) {
        if (!misses(r, &boxes[at], *distance)) {
            if (boxes[at].count == 0) {
                stack[depth++] = boxes[at].first + 1;
                at = boxes[at].first;
                continue;
            }
            for (uint i = boxes[at].first; i < boxes[at].first + boxes[at].count; i++) {
                float d = meet(r, &triangles[i]);
                if (d > 0.0f && (d < *distance || (d == *distance && i < nearest))) {
                    *distance = d;
                    nearest = i;
                    if (any)
                        return nearest;
                }
            }
        }
        if (depth == 0)
            return nearest;
        at = stack[--depth];
    }
}

static void aim(struct ray *r, const float *target)
{
    for (int i = 0; i < 3; i++) {
        r->to[i] = target[i] - r->from[i];
        r->inverse[i] = 1.0f / (fabs(r->to[i]) < 1e-6f ? 1e-6f : r->to[i]);
    }
}

__kernel __attribute__((reqd_work_group_size(BX, BY, 1))) void render(__global const struct box *boxes,
                                                                      __global const struct triangle *triangles, uint width, uint height,
                                                                      float lamp_x, float lamp_y, float lamp_z, __global uint *taken,
                                                                      __global struct hit *hits)
{
    __local volatile uint packet[BX * BY / LANES];
    uint thread = get_local_id(1) * BX + get_local_id(0), warp = thread / LANES, lane = thread % LANES;
    for (;;) {
        if (lane == 0)
            packet[warp] = atomic_add(taken, LANES);
        uint pixel = packet[warp] + lane;
        if (pixel >= width * height)
            break;
        float eye[3] = {0.5f, 0.5f, -1.5f}, lamp[3] = {lamp_x, lamp_y, lamp_z}, distance, unused;
        float target[3] = {((float)(pixel % width) + 0.5f) / (float)width, ((float)(pixel / width) + 0.5f) / (float)height, 0.0f};
        struct ray r;
        for (int i = 0; i < 3; i++)
            r.from[i] = eye[i];
        aim(&r, target);
        uint nearest = cast(&r, boxes, triangles, 1e6f, false, &distance), shadow = 0;
        if (nearest != NOBODY) {
            for (int i = 0; i < 3; i++)
                r.from[i] = eye[i] + distance * r.to[i];
            aim(&r, lamp);
            shadow = cast(&r, boxes, triangles, 1.0f, true, &unused) != NOBODY;
        }
        hits[pixel].triangle = nearest;
        hits[pixel].shadow = shadow;
        hits[pixel].distance = distance;
        hits[pixel].drawn++;
    }
}
