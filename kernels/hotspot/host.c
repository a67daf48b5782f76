/* SPDX-License-Identifier: Apache-2.0 */
/* hotsp: temperatures of a chip, several steps per launch in overlapping tiles. The check advances the whole grid step by step. */
#include "../session.h"

enum { N, STEPS, LAUNCHES };
static const struct cowarp_workload_param params[] = {
    [N] = {"n", 256, 1, 4096, "cells per side of the chip"},
    [STEPS] = {"steps", 4, 1, 7, "time steps per launch"},
    [LAUNCHES] = {"launches", 3, 1, 1000, "launches"},
};

#define TILE    16u
#define RATE    0.11f /* of the difference to a neighbour, per step */
#define SINK    0.02f /* of the difference to the ambient */
#define AMBIENT 80.0f

struct chip {
    uint32_t n, steps, launches;
    float *power, *start, *got, *now, *next;
};

/* The temperature of the cell that is dx to the right and dy below, or the cell's own beyond the rim. */
static float beside(const struct chip *c, uint32_t x, uint32_t y, int dx, int dy)
{
    const int64_t nx = (int64_t)x + dx, ny = (int64_t)y + dy;
    const int out = nx < 0 || ny < 0 || nx >= c->n || ny >= c->n;
    return out ? c->now[(size_t)y * c->n + x] : c->now[(size_t)ny * c->n + (size_t)nx];
}

static void step(struct chip *c)
{
    for (uint32_t y = 0; y < c->n; y++)
        for (uint32_t x = 0; x < c->n; x++) {
            const size_t i = (size_t)y * c->n + x;
            const float across = beside(c, x, y, -1, 0) + beside(c, x, y, 1, 0), along = beside(c, x, y, 0, -1) + beside(c, x, y, 0, 1);
            const float flow = (across + along) - 4.0f * c->now[i];
            c->next[i] = c->now[i] + RATE * flow + (c->power[i] - SINK * (c->now[i] - AMBIENT));
        }
    float *const swap = c->now;
    c->now = c->next;
    c->next = swap;
}

static void make_chip(struct session *s, struct chip *c)
{
    const uint64_t cells = (uint64_t)c->n * c->n;
    float **const array[] = {&c->power, &c->start, &c->got, &c->now, &c->next};
    for (uint32_t i = 0; i < sizeof array / sizeof array[0]; i++)
        *array[i] = session_array(s, cells, sizeof(float));
    for (uint64_t i = 0; s->status == 0 && i < cells; i++) {
        c->power[i] = session_below(s, 16) == 0 ? 4.0f * session_unit(s) : 0.0f;
        c->start[i] = c->now[i] = AMBIENT + 20.0f * session_unit(s);
    }
}

static void advance_on_gpu(struct session *s, struct chip *c)
{
    const uint64_t bytes = (uint64_t)c->n * c->n * sizeof(float);
    const uint64_t power = session_upload(s, c->power, bytes);
    uint64_t grid[2] = {session_upload(s, c->start, bytes), session_upload(s, NULL, bytes)};
    const uint32_t useful = TILE - 2 * c->steps, blocks = (c->n + useful - 1) / useful;
    const struct session_shape shape = {blocks, blocks, TILE, TILE};
    for (uint32_t i = 0; i < c->launches; i++)
        session_launch_2d(s, "hotspot", shape, COWARP_U64(power), COWARP_U64(grid[i % 2]), COWARP_U64(grid[(i + 1) % 2]),
                          COWARP_S32((int32_t)c->n), COWARP_S32((int32_t)c->steps), COWARP_F32(RATE), COWARP_F32(SINK),
                          COWARP_F32(AMBIENT));
    session_read(s, c->got, grid[c->launches % 2], bytes);
}

static int run(struct cowarp_workload_context *x)
{
    struct session s;
    struct chip c = {.n = (uint32_t)x->param[N], .steps = (uint32_t)x->param[STEPS], .launches = (uint32_t)x->param[LAUNCHES]};
    session_open(&s, x);
    make_chip(&s, &c);
    if (s.status == 0) {
        advance_on_gpu(&s, &c);
        for (uint32_t i = 0; s.status == 0 && i < c.steps * c.launches; i++)
            step(&c);
        session_compare_f32(&s, "temperature of cell", c.got, c.now, (uint64_t)c.n * c.n);
        session_passed(&s, "%u x %u temperatures after %u steps are right to the last bit", c.n, c.n, c.steps * c.launches);
    }
    return session_close(&s);
}

const struct cowarp_workload cowarp_workload_hotsp = {
    .name = "hotsp",
    .folder = "hotspot",
    .what = "heat stencil in tiles with branches at the rim (divergent; Fung 2015, Table 3.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
