/* SPDX-License-Identifier: Apache-2.0 */
/* Water in the air: one thread has a column of the atmosphere. At each level vapour condenses or cloud evaporates, water freezes or melts,
 * cloud becomes rain. Then rain and snow fall, in as many short steps as the fastest level of the column needs. Fields are stored level by
 * level. The formulas have the shape of a bulk scheme with made-up coefficients. */
#pragma OPENCL FP_CONTRACT OFF
#define BX 8
#define BY 8

/* Vapour that saturated air of this temperature holds, and more so the warmer it is. */
static float saturation(float t)
{
    float x = (t - 273.0f) / 24.0f;
    float bottom = 1.0f - x * (0.5f - x * 0.08f);
    return 0.004f * (1.0f + x * (0.5f + x * 0.08f)) / bottom;
}

/* Lets one kind of precipitation fall through the column; returns what has reached the ground. */
static float fall(__global float *water, uint column, uint columns, uint levels, float speed, float thickness, float dt)
{
    float fastest = 0.0f, ground = 0.0f;
    for (uint k = 0; k < levels; k++)
        fastest = fmax(fastest, speed * sqrt(water[k * columns + column]));
    if (fastest > 0.0f) {
        uint steps = (uint)(fastest * dt / thickness) + 1;
        float part = dt / (float)steps / thickness;
        for (uint i = 0; i < steps; i++) {
            float from_above = 0.0f;
            for (uint k = levels; k-- > 0;) {
                float here = water[k * columns + column], leaves = part * speed * sqrt(here) * here;
                leaves = fmin(leaves, here);
                water[k * columns + column] = here - leaves + from_above;
                from_above = leaves;
            }
            ground = ground + from_above;
        }
    }
    return ground;
}

__kernel __attribute__((reqd_work_group_size(BX, BY, 1))) void water_cycle(__global float *temperature, __global float *vapour,
                                                                           __global float *cloud, __global float *rain,
                                                                           __global float *snow, __global float *ground, uint wide,
                                                                           uint high, uint levels, float thickness, float dt)
{
    uint x = get_global_id(0), y = get_global_id(1), columns = wide * high, column = y * wide + x;
    if (x >= wide || y >= high)
        return;
    for (uint k = 0; k < levels; k++) {
        uint i = k * columns + column;
        float t = temperature[i], v = vapour[i], c = cloud[i], r = rain[i], s = snow[i];
        float excess = (v - saturation(t)) * 0.4f;
        if (excess > 0.0f || c > 0.0f) {
            float d = fmax(excess, -c);
            v = v - d;
            c = c + d;
            t = t + 2500.0f * d;
        }
        if (c > 0.0005f) {
            float d = 0.001f * dt * (c - 0.0005f) + 0.1f * c * sqrt(r);
            d = fmin(d, c);
            c = c - d;
            if (t < 268.0f)
                s = s + d;
            else
                r = r + d;
        }
        if (t > 273.0f && s > 0.0f) {
            float d = fmin(s, 0.0004f * (t - 273.0f));
            s = s - d;
            r = r + d;
            t = t - 330.0f * d;
        }
        if (r > 0.0f && excess < 0.0f) {
            float d = fmin(r, -0.2f * excess * sqrt(r));
            r = r - d;
            v = v + d;
            t = t - 2500.0f * d;
        }
        temperature[i] = t;
        vapour[i] = v;
        cloud[i] = c;
        rain[i] = r;
        snow[i] = s;
    }
    float fallen = fall(rain, column, columns, levels, 90.0f, thickness, dt);
    ground[column] = ground[column] + fallen + fall(snow, column, columns, levels, 25.0f, thickness, dt);
}
