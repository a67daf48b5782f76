/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lkyt: round cells in a picture: scores, their maxima over discs, and the smoothing of edges around cells. The check works on single
 * pixels in their serial order. Scores divide by a variance, so they are compared within a tolerance; the rest is exact.
 */
#include <math.h>
#include <string.h>

#include "../session.h"

enum { WIDTH, HEIGHT, CELLS, ROUNDS };
static const struct cowarp_workload_param params[] = {
    [WIDTH] = {"width", 160, 32, 4096, "pixels per row"},
    [HEIGHT] = {"height", 96, 32, 4096, "rows of the picture"},
    [CELLS] = {"cells", 15, 1, 4096, "cells whose edges are smoothed"},
    [ROUNDS] = {"rounds", 50, 1, 10000, "most rounds of smoothing"},
};

#define THREADS 175u
#define RADII   4
#define POINTS  32
#define LARGEST 10 /* radius */
#define DISC    5
#define PATCH   41
#define AREA    (PATCH * PATCH)
#define ENOUGH  0.02f /* smoothing ends when no pixel moves further */

struct sample {
    int32_t dx, dy;
    float x, y;
};

struct picture {
    int32_t width, height;
    uint32_t cell_cnt, rounds;
    struct sample circle[RADII * POINTS];
    float *grad_x, *grad_y, *edges;
    float *scores, *spread, *field; /* from the GPU */
    uint32_t *took;                 /* rounds that a cell took on the GPU */
    double *expected_scores;
    float *now, *next;
};

static void make_circles(struct picture *p)
{
    for (int r = 0; r < RADII; r++)
        for (int k = 0; k < POINTS; k++) {
            const double angle = 2 * 3.14159265358979 * k / POINTS, radius = LARGEST - 2 * r;
            p->circle[r * POINTS + k] = (struct sample){(int32_t)lround(radius * cos(angle)), (int32_t)lround(radius * sin(angle)),
                                                        (float)cos(angle), (float)sin(angle)};
        }
}

/* Rings of a grid of cells, each a bit off its place, in noise. */
static void make_gradients(struct session *s, struct picture *p)
{
    for (int32_t i = 0; i < p->width * p->height; i++) {
        const double x = i % p->width % 32 - 16, y = i / p->width % 32 - 16, r = sqrt(x * x + y * y) + 0.01;
        const double ring = exp(-(r - 8) * (r - 8) / 4);
        p->grad_x[i] = (float)(ring * x / r) + 0.4f * (session_unit(s) - 0.5f);
        p->grad_y[i] = (float)(ring * y / r) + 0.4f * (session_unit(s) - 0.5f);
    }
    for (uint32_t i = 0; i < p->cell_cnt * AREA; i++) {
        const int32_t x = (int32_t)(i % PATCH) - 20, y = (int32_t)(i % AREA / PATCH) - 20, radius2 = x * x + y * y;
        p->edges[i] = radius2 > 80 && radius2 < 140 ? 0.5f + 0.5f * session_unit(s) : 0.1f * session_unit(s);
    }
}

static void make_picture(struct session *s, struct picture *p)
{
    const uint64_t pixels = (uint64_t)p->width * (uint64_t)p->height, patches = (uint64_t)p->cell_cnt * AREA;
    float **const large[] = {&p->grad_x, &p->grad_y, &p->scores, &p->spread}, **const small[] = {&p->edges, &p->field};
    for (uint32_t i = 0; i < 4; i++)
        *large[i] = session_array(s, pixels, sizeof(float));
    for (uint32_t i = 0; i < 2; i++)
        *small[i] = session_array(s, patches, sizeof(float));
    p->now = session_array(s, AREA, sizeof *p->now);
    p->next = session_array(s, AREA, sizeof *p->next);
    p->took = session_array(s, p->cell_cnt, sizeof *p->took);
    p->expected_scores = session_array(s, pixels, sizeof *p->expected_scores);
    make_circles(p);
    if (s->status == 0)
        make_gradients(s, p);
}

static void work_on_gpu(struct session *s, struct picture *p)
{
    const uint32_t pixels = (uint32_t)(p->width * p->height), blocks = (pixels + THREADS - 1) / THREADS;
    const uint64_t bytes = pixels * sizeof(float), patches = (uint64_t)p->cell_cnt * AREA * sizeof(float);
    const uint64_t grad_x = session_upload(s, p->grad_x, bytes), grad_y = session_upload(s, p->grad_y, bytes);
    const uint64_t scores = session_upload(s, NULL, bytes), spread = session_upload(s, NULL, bytes);
    const uint64_t edges = session_upload(s, p->edges, patches), field = session_upload(s, NULL, patches);
    const uint64_t rounds = session_upload(s, NULL, p->cell_cnt * sizeof(uint32_t));
    const struct cowarp_arg width = COWARP_S32(p->width), height = COWARP_S32(p->height);
    session_constant(s, "circle", p->circle, sizeof p->circle);
    session_launch(s, "score", blocks, THREADS, COWARP_U64(grad_x), COWARP_U64(grad_y), width, height, COWARP_S32(LARGEST),
                   COWARP_U64(scores));
    session_launch(s, "dilate", blocks, THREADS, COWARP_U64(scores), width, height, COWARP_U64(spread));
    session_launch(s, "smooth", p->cell_cnt, THREADS, COWARP_U64(edges), COWARP_U64(field), COWARP_U64(rounds), COWARP_U32(p->rounds),
                   COWARP_F32(ENOUGH));
    session_read(s, p->scores, scores, bytes);
    session_read(s, p->spread, spread, bytes);
    session_read(s, p->field, field, patches);
    session_read(s, p->took, rounds, p->cell_cnt * sizeof(uint32_t));
}

static double score(const struct picture *p, int32_t x, int32_t y)
{
    double best = 0;
    if (x < LARGEST || y < LARGEST || x >= p->width - LARGEST || y >= p->height - LARGEST)
        return 0;
    for (const struct sample *c = p->circle; c < p->circle + RADII * POINTS; c += POINTS) {
        double rise[POINTS], mean = 0, variance = 0;
        for (uint32_t k = 0; k < POINTS; k++) {
            const size_t at = (size_t)(y + c[k].dy) * (size_t)p->width + (size_t)(x + c[k].dx);
            rise[k] = (double)p->grad_x[at] * (double)c[k].x + (double)p->grad_y[at] * (double)c[k].y;
            mean += rise[k] / POINTS;
        }
        for (uint32_t k = 0; k < POINTS; k++)
            variance += (rise[k] - mean) * (rise[k] - mean) / POINTS;
        best = fmax(best, mean * mean / (variance + 0.01));
    }
    return best;
}

/* The largest of the GPU's scores in the disc around each pixel. */
static void check_spread(struct session *s, const struct picture *p)
{
    for (int32_t i = 0; s->status == 0 && i < p->width * p->height; i++) {
        float best = 0;
        for (int32_t y = i / p->width - DISC; y <= i / p->width + DISC; y++)
            for (int32_t x = i % p->width - DISC; x <= i % p->width + DISC; x++) {
                const int32_t dx = x - i % p->width, dy = y - i / p->width;
                if (dx * dx + dy * dy <= DISC * DISC && x >= 0 && y >= 0 && x < p->width && y < p->height)
                    best = fmaxf(best, p->scores[y * p->width + x]);
            }
        if (p->spread[i] < best || p->spread[i] > best)
            session_fail(s, COWARP_ECHECK, "pixel %d has the spread score %.9g, expected %.9g", i, (double)p->spread[i], (double)best);
    }
}

static float smoothed(const struct picture *p, const float *edge, int32_t i)
{
    const float here = p->now[i];
    float flow = 0;
    for (int32_t dy = -1; dy <= 1; dy++)
        for (int32_t dx = -1; dx <= 1; dx++) {
            const int32_t x = i % PATCH + dx, y = i / PATCH + dy;
            const int32_t cx = x < 0 ? 0 : x >= PATCH ? PATCH - 1 : x, cy = y < 0 ? 0 : y >= PATCH ? PATCH - 1 : y;
            const float d = p->now[cy * PATCH + cx] - here;
            flow += d <= 0.0f ? 0.25f * d : d;
        }
    return here + 0.1f * flow - 0.5f * edge[i] * (here - edge[i]);
}

static void check_cell(struct session *s, struct picture *p, uint32_t cell)
{
    const float *const edge = p->edges + (size_t)cell * AREA;
    uint32_t round = 0;
    memcpy(p->now, edge, AREA * sizeof *edge);
    for (float moved = ENOUGH; round < p->rounds; round++) {
        moved = 0;
        for (int32_t i = 0; i < AREA; i++) {
            p->next[i] = smoothed(p, edge, i);
            moved = fmaxf(moved, fabsf(p->next[i] - p->now[i]));
        }
        memcpy(p->now, p->next, AREA * sizeof *edge);
        if (moved < ENOUGH)
            break;
    }
    session_compare_u32(s, "rounds of cell", &p->took[cell], &round, 1);
    session_compare_f32(s, "edge of a cell at pixel", p->field + (size_t)cell * AREA, p->now, AREA);
}

static int run(struct cowarp_workload_context *x)
{
    struct session s;
    struct picture p = {.width = (int32_t)x->param[WIDTH],
                        .height = (int32_t)x->param[HEIGHT],
                        .cell_cnt = (uint32_t)x->param[CELLS],
                        .rounds = (uint32_t)x->param[ROUNDS]};
    session_open(&s, x);
    make_picture(&s, &p);
    if (s.status == 0) {
        work_on_gpu(&s, &p);
        for (int32_t i = 0; i < p.width * p.height; i++)
            p.expected_scores[i] = score(&p, i % p.width, i / p.width);
        session_compare_near(&s, "score of pixel", p.scores, p.expected_scores, (uint64_t)(p.width * p.height), 1e-4);
        check_spread(&s, &p);
        for (uint32_t i = 0; i < p.cell_cnt; i++)
            check_cell(&s, &p, i);
        session_passed(&s, "%d scores and %u cells are right, the last cell after %u rounds", p.width * p.height, p.cell_cnt,
                       p.took[p.cell_cnt - 1]);
    }
    return session_close(&s);
}

const struct cowarp_workload cowarp_workload_lkyt = {
    .name = "lkyt",
    .folder = "lkyt",
    .what = "round cells in a picture, three kernels (coherent; Fung 2015, Table 3.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
