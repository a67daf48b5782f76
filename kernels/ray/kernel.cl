/* SPDX-License-Identifier: Apache-2.0 */
/* Ray tracing of a few spheres above a checkered floor. A ray is followed over several reflections. At each surface a ray towards the lamp
 * finds out whether the place is lit. All objects are asked for each ray. */
#pragma OPENCL FP_CONTRACT OFF
#include "constant.h"

#define BX      16
#define BY      8
#define SPHERES 64
#define FAR     1e6f

struct sphere {
    float x, y, z, radius2, shade, mirror; /* mirror: share of the light that is reflected */
};

FILLED_BY_HOST struct sphere spheres[SPHERES] = {{0}};

/* Where a ray of direction d (of any length) meets a sphere, as a multiple of d; FAR: nowhere in front. */
static float meet(float3 from, float3 d, __constant struct sphere *s)
{
    float3 o = from - (float3)(s->x, s->y, s->z);
    float a = d.x * d.x + d.y * d.y + d.z * d.z;
    float b = o.x * d.x + o.y * d.y + o.z * d.z;
    float c = o.x * o.x + o.y * o.y + o.z * o.z - s->radius2;
    float inside = b * b - a * c;
    if (inside <= 0.0f)
        return FAR;
    float t = (-b - sqrt(inside)) / a;
    return t > 1e-3f ? t : FAR;
}

static float brightness(float3 from, float3 d, uint sphere_cnt, uint bounces, float3 lamp)
{
    float light = 0.0f, weight = 1.0f;
    for (uint bounce = 0; bounce <= bounces; bounce++) {
        float nearest = d.y < -1e-3f ? -from.y / d.y : FAR; /* the floor is at y = 0 */
        int hit = -1;
        for (uint i = 0; i < sphere_cnt; i++) {
            float t = meet(from, d, &spheres[i]);
            if (t < nearest) {
                nearest = t;
                hit = (int)i;
            }
        }
        if (nearest >= FAR)
            return light + weight * 0.3f; /* the sky */
        from = from + nearest * d;
        float3 normal = (float3)(0.0f, 1.0f, 0.0f);
        float shade = (((int)floor(from.x) + (int)floor(from.z)) & 1) ? 0.8f : 0.4f, mirror = 0.2f;
        if (hit >= 0) {
            __constant struct sphere *s = &spheres[hit];
            normal = (from - (float3)(s->x, s->y, s->z)) / sqrt(s->radius2);
            shade = s->shade;
            mirror = s->mirror;
        } else {
            from.y = 0.0f;
        }
        float3 to_lamp = lamp - from;
        float slope = normal.x * to_lamp.x + normal.y * to_lamp.y + normal.z * to_lamp.z;
        bool lit = slope > 0.0f;
        for (uint i = 0; i < sphere_cnt; i++)
            lit = lit & (meet(from, to_lamp, &spheres[i]) >= 1.0f);
        float distance2 = to_lamp.x * to_lamp.x + to_lamp.y * to_lamp.y + to_lamp.z * to_lamp.z;
        float diffuse = lit ? slope / sqrt(distance2) : 0.0f;
        light = light + weight * (1.0f - mirror) * shade * (0.1f + diffuse);
        weight = weight * mirror;
        float along = 2.0f * (normal.x * d.x + normal.y * d.y + normal.z * d.z);
        d = d - along * normal;
    }
    return light;
}

__kernel __attribute__((reqd_work_group_size(BX, BY, 1))) void trace(__global float *picture, uint width, uint height, uint sphere_cnt,
                                                                     uint bounces, float lamp_x, float lamp_y, float lamp_z)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    float3 eye = (float3)(0.0f, 2.0f, -6.0f);
    float3 d = (float3)((float)x / (float)width - 0.5f, 0.4f - (float)y / (float)height, 1.0f);
    picture[y * width + x] = brightness(eye, d, sphere_cnt, bounces, (float3)(lamp_x, lamp_y, lamp_z));
}
