/* SPDX-License-Identifier: Apache-2.0 */
/* Interest rates by Monte Carlo: a LIBOR market model. A thread has one path. It lets forward rates evolve over the dates, each by the
 * path's random number of that date, and then values contracts on the rates that are left. The first kernel gives the value of a portfolio
 * of swaptions; the second one that of a bond, and how it changes with the initial rates. Rates live in local memory. */
#include "constant.h"

#define THREADS 64
#define RATES   80
#define DATES   40

FILLED_BY_HOST float volatility[RATES] = {0};
FILLED_BY_HOST float initial[RATES] = {0};

/* Lets the rates evolve from date to date; with `slopes` also their derivatives by a shift of all initial rates. */
static void evolve(float *rate, float *slope, __global const float *normal, uint path, uint paths, float delta, float root)
{
    for (uint n = 0; n < DATES; n++) {
        float z = normal[n * paths + path] * root, drift = 0.0f, drift_slope = 0.0f;
        for (uint i = n + 1; i < RATES; i++) {
            float vol = volatility[i - n - 1], discount = 1.0f / (1.0f + delta * rate[i]);
            drift += delta * vol * rate[i] * discount;
            float growth = exp(vol * z + delta * vol * (drift - 0.5f * vol));
            if (slope) {
                drift_slope += delta * vol * discount * discount * slope[i];
                slope[i] = growth * (slope[i] + rate[i] * delta * vol * drift_slope);
            }
            rate[i] *= growth;
        }
    }
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void portfolio(__global const float *normal, uint paths, float delta,
                                                                             float root, float strike, __global float *value)
{
    uint path = get_global_id(0);
    if (path >= paths)
        return;
    float rate[RATES];
    for (uint i = 0; i < RATES; i++)
        rate[i] = initial[i];
    evolve(rate, 0, normal, path, paths, delta, root);
    float discount = 1.0f, annuity = 0.0f, sum = 0.0f;
    for (uint i = DATES; i < RATES; i++) {
        discount /= 1.0f + delta * rate[i];
        annuity += delta * discount;
        if ((i - DATES) % 5 == 4)
            sum += fmax(1.0f - discount - strike * annuity, 0.0f);
    }
    value[path] = sum;
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void bond(__global const float *normal, uint paths, float delta, float root,
                                                                        __global float2 *value_and_slope)
{
    uint path = get_global_id(0);
    if (path >= paths)
        return;
    float rate[RATES], slope[RATES];
    for (uint i = 0; i < RATES; i++) {
        rate[i] = initial[i];
        slope[i] = 1.0f;
    }
    evolve(rate, slope, normal, path, paths, delta, root);
    float discount = 1.0f, change = 0.0f;
    for (uint i = DATES; i < RATES; i++) {
        float factor = 1.0f / (1.0f + delta * rate[i]);
        discount *= factor;
        change -= delta * factor * slope[i];
    }
    value_and_slope[path] = (float2)(discount, discount * change);
}
