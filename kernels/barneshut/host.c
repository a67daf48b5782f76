/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bh-h, bh-l: octree of 30,000 or 300,000 bodies of a Plummer cluster, built by insertion (GETM Table III, thesis Table 6.2). The tree does
 * not depend on the order of insertions, so the number of its cells is known beforehand, from the bodies' Morton keys. The check walks the
 * tree: each body is in it once and inside its cells, each cell is where its place in the tree says, and has two bodies or more; as many
 * cells as expected; no child left locked.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../host.h"

enum { BODIES, BLOCKS, THREADS };

/* Coordinates are multiples of 2^-16 in (-16, 16]: a cell of level 21 has room for one, and centres of cells are exact as floats. */
#define ROOT_EDGE 32.0f
#define GRID      65536.0
#define LEVELS    21

#define EMPTY     (-1)
#define TOP_CELLS 9u /* the root and its children exist from the start, as in the authors' benchmark */

struct point {
    float x, y, z;
};

struct cluster {
    uint32_t body_cnt, cell_cnt; /* cell_cnt: room, beyond what the tree needs for one unused cell per thread */
    uint32_t tree_cells;         /* cells of the finished tree */
    uint32_t threads, blocks;
    float *x, *y, *z, *mass;
    int32_t *start, *child;
    uint64_t *key;
    uint8_t *seen;
};

/* ---- inputs ---- */

static double uniform(uint64_t *seed)
{
    return (double)(host_random(seed) >> 11) * 0x1p-53;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Plummer (1911): the mass within radius r of a cluster of scale a is (r^2 / (r^2 + a^2))^(3/2). The largest of three uniform numbers is
 * distributed as the cube root of that. */
static struct point plummer(uint64_t *seed)
{
    const double scale = 0.58904862; /* 3 pi / 16, the scale of standard units */
    for (;;) {
        const double t = larger(uniform(seed), larger(uniform(seed), uniform(seed)));
        const double radius = scale * t / sqrt(1.0 - t * t);
        const double x = 2.0 * uniform(seed) - 1.0, y = 2.0 * uniform(seed) - 1.0, z = 2.0 * uniform(seed) - 1.0;
        const double length = sqrt(x * x + y * y + z * z);
        if (length > 1.0 || length < 0.001 || radius >= 15.0)
            continue; /* a direction from inside the unit ball, and no stragglers */
        const double f = radius / length * GRID;
        return (struct point){(float)(floor(x * f) / GRID), (float)(floor(y * f) / GRID), (float)(floor(z * f) / GRID)};
    }
}

/* Morton key: three bits per level, from the root down. A coordinate on the plane between two cells belongs below. */
static uint64_t morton(struct point p)
{
    const uint32_t x = (uint32_t)((p.x + 16.0) * GRID) - 1, y = (uint32_t)((p.y + 16.0) * GRID) - 1,
                   z = (uint32_t)((p.z + 16.0) * GRID) - 1;
    uint64_t key = 0;
    for (int b = LEVELS - 1; b >= 0; b--)
        key = key << 3 | (x >> b & 1u) | (y >> b & 1u) << 1 | (z >> b & 1u) << 2;
    return key;
}

static int by_key(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Cells of level 2 and below that hold two bodies or more, from the sorted keys: a run of bodies that agree in their first d octants is a
 * cell of level d, and begins where its first body agrees with the next one but not with the one before. 0: two bodies have one place. */
static uint32_t count_cells(const struct cluster *c)
{
    uint32_t cells = 0, before = 1;
    for (uint32_t i = 0; i + 1 < c->body_cnt; i++) {
        uint32_t common = 0;
        while (common < LEVELS && (c->key[i] ^ c->key[i + 1]) >> (3 * (LEVELS - 1 - common)) == 0)
            common++;
        if (common == LEVELS)
            return 0;
        common = common > 1 ? common : 1;
        cells += common > before ? common - before : 0;
        before = common;
    }
    return cells + TOP_CELLS;
}

static void make_bodies(struct cluster *c, uint64_t *seed)
{
    do {
        for (uint32_t i = 0; i < c->body_cnt; i++) {
            const struct point p = plummer(seed);
            c->x[i] = p.x;
            c->y[i] = p.y;
            c->z[i] = p.z;
            c->mass[i] = 1.0f / (float)c->body_cnt;
            c->key[i] = morton(p);
        }
        qsort(c->key, c->body_cnt, sizeof *c->key, by_key);
        c->tree_cells = count_cells(c);
    } while (c->tree_cells == 0);
}

/* The root and its eight children. */
static void make_top(struct cluster *c)
{
    const uint32_t last = c->body_cnt + c->cell_cnt - 1;
    for (uint32_t k = 0; k < TOP_CELLS; k++) {
        const uint32_t cell = last - k, j = k - 1;
        c->x[cell] = k == 0 ? 0.0f : (j & 1) != 0 ? ROOT_EDGE / 4 : -ROOT_EDGE / 4;
        c->y[cell] = k == 0 ? 0.0f : (j & 2) != 0 ? ROOT_EDGE / 4 : -ROOT_EDGE / 4;
        c->z[cell] = k == 0 ? 0.0f : (j & 4) != 0 ? ROOT_EDGE / 4 : -ROOT_EDGE / 4;
        c->mass[cell] = -1.0f;
        c->start[cell] = k == 0 ? 0 : -1;
        for (uint32_t i = 0; i < 8; i++)
            c->child[(cell - c->body_cnt) * 8 + i] = k == 0 ? (int32_t)(last - 1 - i) : EMPTY;
    }
}

/* ---- check ---- */

static const char *check_cell(const struct cluster *c, uint32_t cell, struct point centre, uint32_t level)
{
    if (c->x[cell] != centre.x || c->y[cell] != centre.y || c->z[cell] != centre.z)
        return "a cell's centre is not where its place in the tree says";
    if (c->mass[cell] != -1.0f || c->start[cell] != (level == 0 ? 0 : -1))
        return "a cell's mass or start is not initialised";
    return NULL;
}

static int inside(float centre, float edge, float p)
{
    return centre - edge / 2 < p && p <= centre + edge / 2;
}

static const char *check_body(const struct cluster *c, uint32_t body, struct point centre, float edge)
{
    if (!inside(centre.x, edge, c->x[body]) || !inside(centre.y, edge, c->y[body]) || !inside(centre.z, edge, c->z[body]))
        return "a body lies outside the cell that holds it";
    return NULL;
}

/* Walks the cells below and including `cell`, which is to have this centre and edge; counts its bodies and cells. NULL, or what is wrong.
 */
static const char *walk(const struct cluster *c, uint32_t cell, struct point centre, uint32_t level, uint32_t *bodies, uint32_t *cells)
{
    const float edge = ldexpf(ROOT_EDGE, -(int)level);
    const uint32_t bodies_before = *bodies;
    const char *bad = check_cell(c, cell, centre, level);
    ++*cells;
    for (uint32_t j = 0; bad == NULL && j < 8; j++) {
        const int32_t node = c->child[(cell - c->body_cnt) * 8 + j];
        const struct point below = {centre.x + ((j & 1) != 0 ? edge / 4 : -edge / 4), centre.y + ((j & 2) != 0 ? edge / 4 : -edge / 4),
                                    centre.z + ((j & 4) != 0 ? edge / 4 : -edge / 4)};
        if (node == EMPTY)
            continue;
        if (node < 0 || (uint32_t)node >= c->body_cnt + c->cell_cnt)
            return "a child is left locked or is no node";
        if (c->seen[node]++ != 0)
            return "a body or cell is in the tree twice";
        if ((uint32_t)node >= c->body_cnt) {
            bad = level == LEVELS ? "the tree is too deep" : walk(c, (uint32_t)node, below, level + 1, bodies, cells);
        } else {
            bad = check_body(c, (uint32_t)node, below, edge / 2);
            ++*bodies;
        }
    }
    if (bad == NULL && level > 1 && *bodies - bodies_before < 2)
        bad = "a cell holds fewer than two bodies";
    return bad;
}

static int check(struct cowarp_workload_context *x, const struct cluster *c)
{
    uint32_t bodies = 0, cells = 0;
    const char *bad = walk(c, c->body_cnt + c->cell_cnt - 1, (struct point){0, 0, 0}, 0, &bodies, &cells);
    if (bad != NULL)
        snprintf(x->message, sizeof x->message, "%s (after %u bodies)", bad, bodies);
    else if (bodies != c->body_cnt)
        snprintf(x->message, sizeof x->message, "%u of %u bodies are in the tree, %u are lost", bodies, c->body_cnt, c->body_cnt - bodies);
    else if (cells != c->tree_cells)
        snprintf(x->message, sizeof x->message, "the tree has %u cells, expected %u", cells, c->tree_cells);
    else {
        snprintf(x->message, sizeof x->message, "all %u bodies are in a tree of %u cells, each once and in its place", bodies, cells);
        return 0;
    }
    return COWARP_ECHECK;
}

/* ---- run ---- */

struct device {
    uint64_t x, y, z, mass, start, child, bottom, lock;
};

static int launch(struct cowarp_workload_context *x, const struct cluster *c, const struct device *d)
{
    struct cowarp_module *module;
    const int status = cowarp_load_file(x->gpu, &module, x->ptx_path);
    if (status != 0)
        return status;
    const struct cowarp_arg args[] = {COWARP_U64(d->x),
                                      COWARP_U64(d->y),
                                      COWARP_U64(d->z),
                                      COWARP_U64(d->mass),
                                      COWARP_U64(d->start),
                                      COWARP_U64(d->child),
                                      COWARP_U64(d->bottom),
                                      COWARP_U32(c->body_cnt),
                                      COWARP_U32(c->body_cnt + c->cell_cnt - 1),
                                      (struct cowarp_arg){COWARP_ARG_F32, {.f32 = ROOT_EDGE}},
                                      COWARP_U64(d->lock)};
    const char *kernel = x->variant == COWARP_TX ? "barneshut_tx" : x->variant == COWARP_FGLOCK ? "barneshut_fglock" : "barneshut_cglock";
    return host_launch(x->gpu, module, kernel, c->blocks, c->threads, x->variant == COWARP_CGLOCK ? 11 : 10, args);
}

static int upload(struct cowarp_workload_context *x, const struct cluster *c, struct device *d)
{
    const uint64_t nodes = c->body_cnt + c->cell_cnt;
    const int32_t bottom = (int32_t)(nodes - TOP_CELLS);
    int status = host_upload_shared(x, &d->x, c->x, nodes * sizeof *c->x);
    if (status == 0)
        status = host_upload_shared(x, &d->y, c->y, nodes * sizeof *c->y);
    if (status == 0)
        status = host_upload_shared(x, &d->z, c->z, nodes * sizeof *c->z);
    if (status == 0)
        status = host_upload_shared(x, &d->mass, c->mass, nodes * sizeof *c->mass);
    if (status == 0)
        status = host_upload_shared(x, &d->start, c->start, nodes * sizeof *c->start);
    if (status == 0)
        status = host_upload_shared(x, &d->child, c->child, c->cell_cnt * UINT64_C(8) * sizeof *c->child);
    if (status == 0)
        status = host_upload(x->gpu, &d->bottom, &bottom, sizeof bottom);
    return status == 0 ? host_upload(x->gpu, &d->lock, NULL, sizeof(uint32_t)) : status;
}

static int download(struct cowarp_gpu *gpu, const struct cluster *c, const struct device *d)
{
    const uint64_t nodes = c->body_cnt + c->cell_cnt;
    int status = cowarp_read(gpu, c->x, d->x, nodes * sizeof *c->x);
    if (status == 0)
        status = cowarp_read(gpu, c->y, d->y, nodes * sizeof *c->y);
    if (status == 0)
        status = cowarp_read(gpu, c->z, d->z, nodes * sizeof *c->z);
    if (status == 0)
        status = cowarp_read(gpu, c->mass, d->mass, nodes * sizeof *c->mass);
    if (status == 0)
        status = cowarp_read(gpu, c->start, d->start, nodes * sizeof *c->start);
    return status == 0 ? cowarp_read(gpu, c->child, d->child, c->cell_cnt * UINT64_C(8) * sizeof *c->child) : status;
}

/* Memory for the bodies first, then, when the number of cells is known, for these. */
static int allocate_nodes(struct cluster *c, uint64_t nodes)
{
    float **const array[] = {&c->x, &c->y, &c->z, &c->mass};
    for (uint32_t i = 0; i < 4; i++) {
        float *grown = realloc(*array[i], nodes * sizeof *grown);
        if (grown == NULL)
            return COWARP_ENOMEM;
        *array[i] = grown;
    }
    return 0;
}

static int run_with(struct cowarp_workload_context *x, struct cluster *c)
{
    struct device d;
    uint64_t seed = x->seed;
    if (allocate_nodes(c, c->body_cnt) != 0)
        return COWARP_ENOMEM;
    make_bodies(c, &seed);
    c->cell_cnt = c->tree_cells + c->blocks * c->threads;
    if (allocate_nodes(c, c->body_cnt + (uint64_t)c->cell_cnt) != 0)
        return COWARP_ENOMEM;
    c->start = calloc(c->body_cnt + (size_t)c->cell_cnt, sizeof *c->start);
    c->child = calloc(c->cell_cnt, 8 * sizeof *c->child);
    c->seen = calloc(c->body_cnt + (size_t)c->cell_cnt, 1);
    if (c->start == NULL || c->child == NULL || c->seen == NULL)
        return COWARP_ENOMEM;
    make_top(c);
    int status = upload(x, c, &d);
    if (status == 0)
        status = launch(x, c, &d);
    if (status == 0)
        status = download(x->gpu, c, &d);
    return status == 0 ? check(x, c) : status;
}

static int run(struct cowarp_workload_context *x)
{
    struct cluster c = {
        .body_cnt = (uint32_t)x->param[BODIES], .blocks = (uint32_t)x->param[BLOCKS], .threads = (uint32_t)x->param[THREADS]};
    uint32_t cores;
    int status = cowarp_config_value(x->gpu, "core.count", &cores);
    if (status != 0)
        return status;
    if (c.blocks == 0)
        c.blocks = 2 * cores;
    c.key = malloc(c.body_cnt * sizeof *c.key);
    status = c.key != NULL ? run_with(x, &c) : COWARP_ENOMEM;
    free(c.x);
    free(c.y);
    free(c.z);
    free(c.mass);
    free(c.start);
    free(c.child);
    free(c.key);
    free(c.seen);
    return status;
}

#define BARNESHUT(id, text, bodies, contention)                                                              \
    static const struct cowarp_workload_param params_##id[] = {                                              \
        [BODIES] = {"bodies", bodies, 1, 1 << 22, "bodies"},                                                 \
        [BLOCKS] = {"blocks", 0, 0, 65535, "thread blocks; 0: two per core, as the authors' benchmark has"}, \
        [THREADS] = {"threads", 288, 1, 1024, "threads per block, in a grid-stride loop over the bodies"},   \
    };                                                                                                       \
    const struct cowarp_workload cowarp_workload_##id = {                                                    \
        .name = text,                                                                                        \
        .folder = "barneshut",                                                                               \
        .what = "Barnes-Hut octree of " #bodies " bodies, " contention " contention (thesis Table 6.2)",     \
        .variants = COWARP_TX | COWARP_FGLOCK | COWARP_CGLOCK,                                               \
        .params = params_##id,                                                                               \
        .param_count = sizeof params_##id / sizeof params_##id[0],                                           \
        .run = run,                                                                                          \
    }

BARNESHUT(bh_h, "bh-h", 30000, "high");
BARNESHUT(bh_l, "bh-l", 300000, "low");
