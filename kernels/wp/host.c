/* SPDX-License-Identifier: Apache-2.0 */
/* wp: water in the columns of an atmosphere. The check treats one process after the other, each on a whole column of its own. */
#include <math.h>
#include <string.h>

#include "../session.h"

enum { WIDTH, HEIGHT, LEVELS, STEPS };
static const struct cowarp_workload_param params[] = {
    [WIDTH] = {"width", 72, 1, 2048, "columns from west to east"},
    [HEIGHT] = {"height", 56, 1, 2048, "columns from south to north"},
    [LEVELS] = {"levels", 27, 1, 64, "levels of a column"},
    [STEPS] = {"steps", 4, 1, 1000, "time steps, each a launch"},
};

#define BX         8u
#define BY         8u
#define THICKNESS  400.0f /* of a level, metres */
#define DT         120.0f /* of a time step, seconds */
#define RAIN_SPEED 90.0f
#define SNOW_SPEED 25.0f

enum { T, VAPOUR, CLOUD, RAIN, SNOW, FIELDS };

struct air {
    uint32_t wide, high, levels, steps, columns;
    float *field[FIELDS], *got[FIELDS]; /* levels x columns */
    float *ground, *got_ground;
};

/* Warm and moist below, with bubbles that differ from column to column but not wildly from one to the next. */
static void make_air(struct session *s, struct air *a)
{
    const uint64_t cells = (uint64_t)a->columns * a->levels;
    for (uint32_t f = 0; f < FIELDS; f++) {
        a->field[f] = session_array(s, cells, sizeof(float));
        a->got[f] = session_array(s, cells, sizeof(float));
    }
    a->ground = session_array(s, a->columns, sizeof *a->ground);
    a->got_ground = session_array(s, a->columns, sizeof *a->got_ground);
    for (uint64_t i = 0; s->status == 0 && i < cells; i++) {
        const uint32_t column = (uint32_t)(i % a->columns), k = (uint32_t)(i / a->columns);
        const uint32_t x = column % a->wide % 48, y = column / a->wide % 32;
        const float bubble = (float)((x < 24 ? x : 48 - x) * (y < 16 ? y : 32 - y)) / 384.0f;
        a->field[T][i] = 296.0f - 2.2f * (float)k + 2.0f * bubble + 0.3f * session_unit(s);
        a->field[VAPOUR][i] = (0.011f + 0.005f * bubble) / (1.0f + 0.14f * (float)k) + 0.0003f * session_unit(s);
    }
}

static float saturated(float kelvin)
{
    const float x = (kelvin - 273.0f) / 24.0f, denominator = 1.0f - x * (0.5f - x * 0.08f);
    return 0.004f * (1.0f + x * (0.5f + x * 0.08f)) / denominator;
}

struct column {
    float v[FIELDS][64], excess[64];
};

static void condense(struct column *c, uint32_t levels)
{
    for (uint32_t k = 0; k < levels; k++) {
        c->excess[k] = (c->v[VAPOUR][k] - saturated(c->v[T][k])) * 0.4f;
        if (c->excess[k] <= 0.0f && c->v[CLOUD][k] <= 0.0f)
            continue;
        const float moved = c->excess[k] < -c->v[CLOUD][k] ? -c->v[CLOUD][k] : c->excess[k];
        c->v[VAPOUR][k] -= moved;
        c->v[CLOUD][k] += moved;
        c->v[T][k] += 2500.0f * moved;
    }
}

static void collect(struct column *c, uint32_t levels)
{
    for (uint32_t k = 0; k < levels; k++) {
        const float cloud = c->v[CLOUD][k];
        if (cloud <= 0.0005f)
            continue;
        const float wanted = 0.001f * DT * (cloud - 0.0005f) + 0.1f * cloud * sqrtf(c->v[RAIN][k]);
        const float moved = wanted > cloud ? cloud : wanted;
        c->v[CLOUD][k] -= moved;
        c->v[c->v[T][k] < 268.0f ? SNOW : RAIN][k] += moved;
    }
}

static void melt_and_evaporate(struct column *c, uint32_t levels)
{
    for (uint32_t k = 0; k < levels; k++) {
        if (c->v[SNOW][k] > 0.0f && c->v[T][k] > 273.0f) {
            const float most = 0.0004f * (c->v[T][k] - 273.0f), moved = most < c->v[SNOW][k] ? most : c->v[SNOW][k];
            c->v[SNOW][k] -= moved;
            c->v[RAIN][k] += moved;
            c->v[T][k] -= 330.0f * moved;
        }
        if (c->excess[k] < 0.0f && c->v[RAIN][k] > 0.0f) {
            const float most = -0.2f * c->excess[k] * sqrtf(c->v[RAIN][k]), moved = most < c->v[RAIN][k] ? most : c->v[RAIN][k];
            c->v[RAIN][k] -= moved;
            c->v[VAPOUR][k] += moved;
            c->v[T][k] -= 2500.0f * moved;
        }
    }
}

static float precipitate(float *water, uint32_t levels, float speed)
{
    float fastest = 0.0f, ground = 0.0f;
    for (uint32_t k = 0; k < levels; k++)
        fastest = fmaxf(fastest, speed * sqrtf(water[k]));
    const uint32_t steps = fastest > 0.0f ? (uint32_t)(fastest * DT / THICKNESS) + 1 : 0;
    for (uint32_t i = 0; i < steps; i++) {
        const float part = DT / (float)steps / THICKNESS;
        float flux[65] = {0}; /* flux[k] leaves level k downwards */
        for (uint32_t k = 0; k < levels; k++)
            flux[k] = fminf(part * speed * sqrtf(water[k]) * water[k], water[k]);
        for (uint32_t k = 0; k < levels; k++)
            water[k] = water[k] - flux[k] + flux[k + 1];
        ground += flux[0];
    }
    return ground;
}

static void step(struct air *a)
{
    struct column c;
    for (uint32_t column = 0; column < a->columns; column++) {
        for (uint32_t f = 0; f < FIELDS; f++)
            for (uint32_t k = 0; k < a->levels; k++)
                c.v[f][k] = a->field[f][(size_t)k * a->columns + column];
        condense(&c, a->levels);
        collect(&c, a->levels);
        melt_and_evaporate(&c, a->levels);
        a->ground[column] += precipitate(c.v[RAIN], a->levels, RAIN_SPEED);
        a->ground[column] += precipitate(c.v[SNOW], a->levels, SNOW_SPEED);
        for (uint32_t f = 0; f < FIELDS; f++)
            for (uint32_t k = 0; k < a->levels; k++)
                a->field[f][(size_t)k * a->columns + column] = c.v[f][k];
    }
}

static void steps_on_gpu(struct session *s, struct air *a)
{
    uint64_t field[FIELDS];
    const uint64_t bytes = (uint64_t)a->columns * a->levels * sizeof(float), ground = session_upload(s, NULL, a->columns * sizeof(float));
    const struct session_shape shape = {(a->wide + BX - 1) / BX, (a->high + BY - 1) / BY, BX, BY};
    for (uint32_t f = 0; f < FIELDS; f++)
        field[f] = session_upload(s, a->field[f], bytes);
    for (uint32_t i = 0; i < a->steps; i++)
        session_launch_2d(s, "water_cycle", shape, COWARP_U64(field[T]), COWARP_U64(field[VAPOUR]), COWARP_U64(field[CLOUD]),
                          COWARP_U64(field[RAIN]), COWARP_U64(field[SNOW]), COWARP_U64(ground), COWARP_U32(a->wide), COWARP_U32(a->high),
                          COWARP_U32(a->levels), COWARP_F32(THICKNESS), COWARP_F32(DT));
    for (uint32_t f = 0; f < FIELDS; f++)
        session_read(s, a->got[f], field[f], bytes);
    session_read(s, a->got_ground, ground, a->columns * sizeof(float));
}

static int run(struct cowarp_workload_context *x)
{
    static const char *const names[FIELDS] = {"temperature of cell", "vapour of cell", "cloud of cell", "rain of cell", "snow of cell"};
    struct session s;
    struct air a = {.wide = (uint32_t)x->param[WIDTH],
                    .high = (uint32_t)x->param[HEIGHT],
                    .levels = (uint32_t)x->param[LEVELS],
                    .steps = (uint32_t)x->param[STEPS]};
    uint32_t wet = 0;
    a.columns = a.wide * a.high;
    session_open(&s, x);
    make_air(&s, &a);
    if (s.status == 0) {
        steps_on_gpu(&s, &a);
        for (uint32_t i = 0; s.status == 0 && i < a.steps; i++)
            step(&a);
        for (uint32_t f = 0; f < FIELDS; f++)
            session_compare_f32(&s, names[f], a.got[f], a.field[f], (uint64_t)a.columns * a.levels);
        session_compare_f32(&s, "precipitation of column", a.got_ground, a.ground, a.columns);
        for (uint32_t i = 0; i < a.columns; i++)
            wet += a.ground[i] > 0.0f;
        session_passed(&s, "%u columns of %u levels are right to the last bit, it rains or snows on %u", a.columns, a.levels, wet);
    }
    return session_close(&s);
}

const struct cowarp_workload cowarp_workload_wp = {
    .name = "wp",
    .folder = "wp",
    .what = "water in the columns of an atmosphere (coherent; Fung 2015, Table 3.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
