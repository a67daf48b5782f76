/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cc: segmentation of an image of 200 x 150 pixels by a minimum cut (GETM Table III, CudaCuts). The image is made here: a bright flower on
 * a dark ground, with noise. Pushes and relabels on the GPU take turns; now and then the host sets all heights to the true distances from
 * the sink (global relabelling, as in the hybrid of Hong and He 2011), and stops when no excess can reach it any more. What is left is then
 * a maximum preflow, whose value is that of a maximum flow. The check: capacities are respected, each pixel's balance holds, what reached
 * the sink is the value of Dinic's algorithm on the host, and no note to a neighbour is lost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../host.h"
#include "max_flow.h"

enum { WIDTH, HEIGHT, NOISE, PERIOD, ITERATIONS };
static const struct cowarp_workload_param params[] = {
    [WIDTH] = {"width", 200, 1, 4000, "pixels per row"},
    [HEIGHT] = {"height", 150, 1, 4000, "rows"},
    [NOISE] = {"noise", 48, 0, 255, "largest deviation of a pixel's brightness"},
    [PERIOD] = {"period", 10, 1, 1000, "pushes and relabels between two looks of the host"},
    [ITERATIONS] = {"iterations", 2000, 1, 1000000, "pushes and relabels after which the run has failed"},
};

#define BLOCK_WIDTH  32u
#define BLOCK_HEIGHT 8u
#define DIRECTIONS   4u /* left, up, right, down; d ^ 2 is the opposite one */

/* Arrays as in kernel.cl: the image has a frame one pixel wide, and is padded to whole blocks. */
struct grid {
    uint32_t width, height, stride, rows, size;
    int32_t limit;
    int32_t *capacity, *residual; /* DIRECTIONS * size */
    int32_t *source, *sink;       /* capacities from the source and to the sink; one of the two is 0 */
    int32_t *excess, *sink_left, *distance, *tally;
    int32_t *refused; /* DIRECTIONS * size */
    uint32_t *queue;
};

static uint32_t at(const struct grid *g, uint32_t x, uint32_t y)
{
    return (y + 1) * g->stride + x + 1;
}

static uint32_t neighbour(const struct grid *g, uint32_t pixel, uint32_t d)
{
    const uint32_t step = (d & 1) != 0 ? g->stride : 1;
    return d < 2 ? pixel - step : pixel + step;
}

/* ---- inputs ---- */

/* A flower of five petals around the middle, in units of a hundredth of the image's smaller side. */
static int in_flower(const struct grid *g, uint32_t x, uint32_t y)
{
    static const int32_t petal[][3] = {{0, 0, 6}, {0, -12, 8}, {12, -4, 8}, {7, 10, 8}, {-7, 10, 8}, {-12, -4, 8}};
    const int32_t side = (int32_t)(g->width < g->height ? g->width : g->height);
    const int32_t u = (2 * (int32_t)x - (int32_t)g->width) * 50 / side, v = (2 * (int32_t)y - (int32_t)g->height) * 50 / side;
    for (uint32_t i = 0; i < sizeof petal / sizeof petal[0]; i++) {
        const int32_t dx = u - petal[i][0], dy = v - petal[i][1];
        if (dx * dx + dy * dy <= petal[i][2] * petal[i][2])
            return 1;
    }
    return 0;
}

/* Bright pixels hang on the source, dark ones on the sink, neighbours on each other, the more the less they differ. */
static void make_grid(struct grid *g, uint32_t noise, uint64_t seed)
{
    int32_t *bright = g->distance;
    for (uint32_t y = 0; y < g->height; y++)
        for (uint32_t x = 0; x < g->width; x++) {
            const int32_t deviation = (int32_t)(host_random(&seed) % (2 * noise + 1)) - (int32_t)noise;
            const uint32_t p = at(g, x, y);
            bright[p] = (in_flower(g, x, y) ? 160 : 96) + deviation;
            g->source[p] = bright[p] > 128 ? bright[p] - 128 : 0;
            g->sink[p] = bright[p] < 128 ? 128 - bright[p] : 0;
        }
    for (uint32_t y = 0; y < g->height; y++)
        for (uint32_t x = 0; x < g->width; x++)
            for (uint32_t d = 0; d < DIRECTIONS; d++) {
                const uint32_t p = at(g, x, y), q = neighbour(g, p, d);
                const int inside = d == 0 ? x > 0 : d == 1 ? y > 0 : d == 2 ? x + 1 < g->width : y + 1 < g->height;
                const int32_t step = inside ? abs(bright[p] - bright[q]) : 0;
                g->capacity[d * g->size + p] = inside ? 1 + 3000 / (80 + step) : 0;
            }
    memcpy(g->residual, g->capacity, DIRECTIONS * (size_t)g->size * sizeof *g->capacity);
    memcpy(g->excess, g->source, g->size * sizeof *g->source);
    memcpy(g->sink_left, g->sink, g->size * sizeof *g->sink);
}

static int64_t reference(const struct grid *g, int *status)
{
    const uint32_t source = g->size, sink = g->size + 1;
    struct max_flow *f = max_flow_create(g->size + 2, 3 * g->size);
    int64_t value = 0;
    if (f == NULL) {
        *status = COWARP_ENOMEM;
        return 0;
    }
    for (uint32_t y = 0; y < g->height; y++)
        for (uint32_t x = 0; x < g->width; x++) {
            const uint32_t p = at(g, x, y);
            if (g->source[p] > 0)
                max_flow_edge(f, source, p, g->source[p], 0);
            else if (g->sink[p] > 0)
                max_flow_edge(f, p, sink, g->sink[p], 0);
            for (uint32_t d = 2; d < DIRECTIONS; d++) {
                const uint32_t q = neighbour(g, p, d);
                if (g->capacity[d * g->size + p] > 0)
                    max_flow_edge(f, p, q, g->capacity[d * g->size + p], g->capacity[(d ^ 2) * g->size + q]);
            }
        }
    value = max_flow_solve(f, source, sink);
    max_flow_destroy(f);
    return value;
}

/* ---- run ---- */

struct device {
    struct cowarp_module *module;
    uint64_t residual, excess, sink, refused, tally, height[2], lock;
};

/* Every pixel's distance to the sink over residual edges, g->limit where there is none: breadth-first from the sink. Whether excess is left
 * that can get there. */
static int set_heights(struct grid *g)
{
    uint32_t head = 0, tail = 0;
    int active = 0;
    for (uint32_t p = 0; p < g->size; p++) {
        g->distance[p] = g->sink_left[p] > 0 ? 1 : g->limit;
        if (g->sink_left[p] > 0)
            g->queue[tail++] = p;
    }
    while (head < tail) {
        const uint32_t p = g->queue[head++];
        for (uint32_t d = 0; d < DIRECTIONS; d++) {
            const uint32_t q = neighbour(g, p, d);
            if (g->distance[q] == g->limit && g->residual[(d ^ 2) * g->size + q] > 0) {
                g->distance[q] = g->distance[p] + 1;
                g->queue[tail++] = q;
            }
        }
        active |= g->excess[p] > 0;
    }
    return active;
}

static int launch(struct cowarp_workload_context *x, const struct grid *g, const struct device *d, const char *kernel, uint64_t last,
                  uint32_t arg_count)
{
    const struct cowarp_arg args[] = {COWARP_U64(d->residual), COWARP_U64(d->excess),    COWARP_U64(d->sink),   COWARP_U64(d->refused),
                                      COWARP_U64(d->tally),    COWARP_U64(d->height[0]), COWARP_U32(g->stride), COWARP_U32(g->rows),
                                      COWARP_U32(g->width),    COWARP_U32(g->height),    COWARP_S32(g->limit),  COWARP_U64(last)};
    const struct cowarp_launch launch = {.size = sizeof launch,
                                         .kernel = kernel,
                                         .grid = {g->stride / BLOCK_WIDTH, g->rows / BLOCK_HEIGHT, 1},
                                         .block = {BLOCK_WIDTH, BLOCK_HEIGHT, 1},
                                         .arg_count = arg_count,
                                         .args = args};
    return cowarp_run(x->gpu, d->module, &launch);
}

static int push_and_relabel(struct cowarp_workload_context *x, const struct grid *g, struct device *d)
{
    const char *kernel = x->variant == COWARP_TX       ? "graphcut_push_tx"
                         : x->variant == COWARP_FGLOCK ? "graphcut_push_fglock"
                                                       : "graphcut_push_cglock";
    int status = launch(x, g, d, kernel, d->lock, x->variant == COWARP_CGLOCK ? 12 : 11);
    if (status == 0)
        status = launch(x, g, d, "graphcut_relabel", d->height[1], 12);
    const uint64_t next = d->height[1];
    d->height[1] = d->height[0];
    d->height[0] = next;
    return status;
}

static int upload(struct cowarp_workload_context *x, const struct grid *g, struct device *d)
{
    const uint64_t bytes = g->size * sizeof(int32_t);
    int status = cowarp_load_file(x->gpu, &d->module, x->ptx_path);
    if (status == 0)
        status = host_upload_shared(x, &d->residual, g->residual, DIRECTIONS * bytes);
    if (status == 0)
        status = host_upload_shared(x, &d->excess, g->excess, bytes);
    if (status == 0)
        status = host_upload(x->gpu, &d->sink, g->sink, bytes);
    if (status == 0)
        status = host_upload_shared(x, &d->refused, NULL, DIRECTIONS * bytes);
    if (status == 0)
        status = host_upload(x->gpu, &d->tally, NULL, bytes);
    for (int i = 0; i < 2 && status == 0; i++)
        status = host_upload(x->gpu, &d->height[i], NULL, bytes);
    return status == 0 ? host_upload(x->gpu, &d->lock, NULL, sizeof(uint32_t)) : status;
}

static int download(struct cowarp_workload_context *x, const struct grid *g, const struct device *d)
{
    const uint64_t bytes = g->size * sizeof(int32_t);
    int status = cowarp_read(x->gpu, g->residual, d->residual, DIRECTIONS * bytes);
    if (status == 0)
        status = cowarp_read(x->gpu, g->excess, d->excess, bytes);
    if (status == 0)
        status = cowarp_read(x->gpu, g->sink_left, d->sink, bytes);
    if (status == 0)
        status = cowarp_read(x->gpu, g->refused, d->refused, DIRECTIONS * bytes);
    return status == 0 ? cowarp_read(x->gpu, g->tally, d->tally, bytes) : status;
}

/* ---- check ---- */

static const char *check_pixel(const struct grid *g, uint32_t p, int64_t *value)
{
    int64_t out = 0;
    int32_t notes = 0;
    for (uint32_t d = 0; d < DIRECTIONS; d++) {
        const uint32_t q = neighbour(g, p, d), there = d * g->size + p, back = (d ^ 2) * g->size + q;
        if (g->residual[there] < 0 || g->residual[there] + g->residual[back] != g->capacity[there] + g->capacity[back])
            return "the capacity of an edge is not respected at pixel";
        out += g->capacity[there] - g->residual[there];
        notes += g->refused[d * g->size + q];
    }
    if (g->sink_left[p] < 0 || g->sink_left[p] > g->sink[p])
        return "the capacity to the sink is not respected at pixel";
    if (g->excess[p] < 0 || g->excess[p] != g->source[p] - (g->sink[p] - g->sink_left[p]) - out)
        return "flow is not conserved at pixel";
    if (notes != g->tally[p])
        return "notes to neighbours are lost from pixel";
    *value += g->sink[p] - g->sink_left[p];
    return NULL;
}

static int check(struct cowarp_workload_context *x, const struct grid *g, int64_t expected, int64_t iterations, int finished)
{
    int64_t value = 0;
    for (uint32_t i = 0; i < g->width * g->height; i++) {
        const char *bad = check_pixel(g, at(g, i % g->width, i / g->width), &value);
        if (bad != NULL) {
            snprintf(x->message, sizeof x->message, "%s (%u, %u)", bad, i % g->width, i / g->width);
            return COWARP_ECHECK;
        }
    }
    snprintf(x->message, sizeof x->message, "%s after %lld iterations: flow %lld, the host's maximum is %lld",
             finished ? "maximum flow" : "not finished", (long long)iterations, (long long)value, (long long)expected);
    return finished && value == expected ? 0 : COWARP_ECHECK;
}

static int run_with(struct cowarp_workload_context *x, struct grid *g)
{
    struct device d;
    int status = 0;
    int64_t iterations = 0;
    make_grid(g, (uint32_t)x->param[NOISE], x->seed);
    const int64_t expected = reference(g, &status);
    int active = 0;
    set_heights(g);
    if (status == 0)
        status = upload(x, g, &d);
    if (status != 0)
        return status;
    do {
        status = cowarp_write(x->gpu, d.height[0], g->distance, g->size * sizeof *g->distance);
        for (int64_t i = 0; i < x->param[PERIOD] && status == 0; i++, iterations++)
            status = push_and_relabel(x, g, &d);
        if (status == 0)
            status = download(x, g, &d);
        active = set_heights(g);
    } while (status == 0 && active && iterations < x->param[ITERATIONS]);
    return status == 0 ? check(x, g, expected, iterations, !active) : status;
}

static uint32_t round_up(uint32_t value, uint32_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static int run(struct cowarp_workload_context *x)
{
    struct grid g = {.width = (uint32_t)x->param[WIDTH], .height = (uint32_t)x->param[HEIGHT]};
    int32_t **const array[] = {&g.source, &g.sink, &g.excess, &g.sink_left, &g.distance, &g.tally};
    int status = 0;
    g.stride = round_up(g.width + 2, BLOCK_WIDTH);
    g.rows = round_up(g.height + 2, BLOCK_HEIGHT);
    g.size = g.stride * g.rows;
    g.limit = (int32_t)(g.width * g.height) + 1;
    g.capacity = calloc(g.size, DIRECTIONS * sizeof *g.capacity);
    g.residual = calloc(g.size, DIRECTIONS * sizeof *g.residual);
    g.refused = calloc(g.size, DIRECTIONS * sizeof *g.refused);
    g.queue = calloc(g.size, sizeof *g.queue);
    status = g.capacity && g.residual && g.refused && g.queue ? 0 : COWARP_ENOMEM;
    for (uint32_t i = 0; i < sizeof array / sizeof array[0]; i++) {
        *array[i] = calloc(g.size, sizeof **array[i]);
        status = *array[i] != NULL ? status : COWARP_ENOMEM;
    }
    if (status == 0)
        status = run_with(x, &g);
    for (uint32_t i = 0; i < sizeof array / sizeof array[0]; i++)
        free(*array[i]);
    free(g.capacity);
    free(g.residual);
    free(g.refused);
    free(g.queue);
    return status;
}

const struct cowarp_workload cowarp_workload_cc = {
    .name = "cc",
    .folder = "graphcut",
    .what = "image segmentation by push-relabel graph cut (GETM Table III, CudaCuts)",
    .variants = COWARP_TX | COWARP_FGLOCK | COWARP_CGLOCK,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
