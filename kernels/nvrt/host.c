/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvrt: ray casting with persistent threads and a tree of boxes. The check has no tree: for each pixel it asks all triangles. It also
 * counts how often each pixel was drawn, since threads that take work of another warp draw some twice and leave out others.
 */
#include <math.h>
#include <stdlib.h>

#include "../session.h"

enum { WIDTH, HEIGHT, TRIANGLES, BLOCKS };
static const struct cowarp_workload_param params[] = {
    [WIDTH] = {"width", 64, 1, 4096, "pixels per row"},
    [HEIGHT] = {"height", 64, 1, 4096, "rows of the picture"},
    [TRIANGLES] = {"triangles", 600, 1, 1 << 20, "triangles of the scene"},
    [BLOCKS] = {"blocks", 20, 1, 1000, "blocks of 192 persistent threads"},
};

#define BX     32u
#define BY     6u
#define LEAF   4u /* most triangles of a leaf */
#define NOBODY UINT32_MAX
#define FAR    1e6f

struct vector {
    float x, y, z;
};

struct box {
    float low[3], high[3];
    uint32_t first, count;
};

struct triangle {
    float corner[3], side1[3], side2[3];
};

struct hit {
    uint32_t triangle, shadow;
    float distance;
    uint32_t drawn;
};

struct scene {
    uint32_t width, height, triangle_cnt, box_cnt;
    struct triangle *triangles; /* leaf by leaf */
    struct box *boxes;
    struct hit *got;
    struct vector lamp;
};

static void bound(struct box *b, const struct triangle *t)
{
    for (uint32_t i = 0; i < 3; i++) {
        const float c[3] = {t->corner[i], t->corner[i] + t->side1[i], t->corner[i] + t->side2[i]};
        for (uint32_t k = 0; k < 3; k++) {
            b->low[i] = fminf(b->low[i], c[k]);
            b->high[i] = fmaxf(b->high[i], c[k]);
        }
    }
}

static int along_0(const void *left, const void *right)
{
    const struct triangle *const a = left, *const b = right;
    return a->corner[0] < b->corner[0] ? -1 : a->corner[0] > b->corner[0];
}

static int along_1(const void *left, const void *right)
{
    const struct triangle *const a = left, *const b = right;
    return a->corner[1] < b->corner[1] ? -1 : a->corner[1] > b->corner[1];
}

static int along_2(const void *left, const void *right)
{
    const struct triangle *const a = left, *const b = right;
    return a->corner[2] < b->corner[2] ? -1 : a->corner[2] > b->corner[2];
}

/* Halves the triangles of a box along its longest side, again and again. The depth is the logarithm of their number. */
static void split(struct scene *s, uint32_t at, uint32_t first, uint32_t count)
{
    static int (*const order[3])(const void *, const void *) = {along_0, along_1, along_2};
    struct box *const b = &s->boxes[at];
    *b = (struct box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, first, count};
    for (uint32_t i = first; i < first + count; i++)
        bound(b, &s->triangles[i]);
    if (count <= LEAF)
        return;
    uint32_t longest = 0;
    for (uint32_t i = 1; i < 3; i++)
        if (b->high[i] - b->low[i] > b->high[longest] - b->low[longest])
            longest = i;
    qsort(s->triangles + first, count, sizeof *s->triangles, order[longest]);
    const uint32_t children = s->box_cnt;
    s->box_cnt += 2;
    b->first = children;
    b->count = 0;
    split(s, children, first, count / 2);
    split(s, children + 1, first + count / 2, count - count / 2);
}

static void make_scene(struct session *s, struct scene *c)
{
    c->triangles = session_array(s, c->triangle_cnt, sizeof *c->triangles);
    c->boxes = session_array(s, 2 * (uint64_t)c->triangle_cnt + 1, sizeof *c->boxes);
    c->got = session_array(s, (uint64_t)c->width * c->height, sizeof *c->got);
    c->lamp = (struct vector){0.3f, 1.6f, -0.4f};
    if (s->status != 0)
        return;
    const float size = 1.2f / cbrtf((float)c->triangle_cnt);
    for (uint32_t i = 0; i < c->triangle_cnt; i++)
        for (uint32_t k = 0; k < 3; k++) {
            c->triangles[i].corner[k] = session_unit(s);
            c->triangles[i].side1[k] = size * (2.0f * session_unit(s) - 1.0f);
            c->triangles[i].side2[k] = size * (2.0f * session_unit(s) - 1.0f);
        }
    c->box_cnt = 1;
    split(c, 0, 0, c->triangle_cnt);
}

static void render_on_gpu(struct session *s, struct scene *c)
{
    const uint64_t bytes = (uint64_t)c->width * c->height * sizeof *c->got;
    const uint64_t boxes = session_upload(s, c->boxes, c->box_cnt * sizeof *c->boxes);
    const uint64_t triangles = session_upload(s, c->triangles, c->triangle_cnt * sizeof *c->triangles);
    const uint64_t taken = session_upload(s, NULL, 4), hits = session_upload(s, NULL, bytes);
    const struct session_shape shape = {(uint32_t)s->x->param[BLOCKS], 1, BX, BY};
    session_launch_2d(s, "render", shape, COWARP_U64(boxes), COWARP_U64(triangles), COWARP_U32(c->width), COWARP_U32(c->height),
                      COWARP_F32(c->lamp.x), COWARP_F32(c->lamp.y), COWARP_F32(c->lamp.z), COWARP_U64(taken), COWARP_U64(hits));
    session_read(s, c->got, hits, bytes);
}

static struct vector minus(struct vector a, struct vector b)
{
    return (struct vector){a.x - b.x, a.y - b.y, a.z - b.z};
}

static struct vector cross(struct vector a, struct vector b)
{
    return (struct vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static float dot(struct vector a, struct vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vector vector(const float *a)
{
    return (struct vector){a[0], a[1], a[2]};
}

/* Solves from + d * to = corner + u * side1 + v * side2 for d by Cramer's rule. In single precision: whether a ray grazes a triangle is to
 * be decided as the kernel does. */
static float meet(struct vector from, struct vector to, const struct triangle *t)
{
    const struct vector a = vector(t->side1), b = vector(t->side2), offset = minus(from, vector(t->corner));
    const struct vector p = cross(to, b), q = cross(offset, a);
    const float determinant = dot(a, p);
    if (fabsf(determinant) < 1e-6f)
        return 0.0f;
    const float u = dot(offset, p) / determinant, v = dot(to, q) / determinant, d = dot(b, q) / determinant;
    return u >= 0.0f && u <= 1.0f && v >= 0.0f && u + v <= 1.0f && d > 1e-3f ? d : 0.0f;
}

static struct hit look(const struct scene *c, uint32_t pixel)
{
    const struct vector eye = {0.5f, 0.5f, -1.5f};
    const float w = (float)c->width, h = (float)c->height;
    const struct vector target = {((float)(pixel % c->width) + 0.5f) / w, ((float)(pixel / c->width) + 0.5f) / h, 0.0f};
    const struct vector to = minus(target, eye);
    struct hit hit = {NOBODY, 0, FAR, 1};
    for (uint32_t i = 0; i < c->triangle_cnt; i++) {
        const float d = meet(eye, to, &c->triangles[i]);
        if (d > 0.0f && d < hit.distance) {
            hit.distance = d;
            hit.triangle = i;
        }
    }
    const struct vector there = {eye.x + hit.distance * to.x, eye.y + hit.distance * to.y, eye.z + hit.distance * to.z};
    for (uint32_t i = 0; i < c->triangle_cnt && hit.triangle != NOBODY && !hit.shadow; i++) {
        const float d = meet(there, minus(c->lamp, there), &c->triangles[i]);
        hit.shadow = d > 0.0f && d < 1.0f;
    }
    return hit;
}

static void check_pixel(struct session *s, const struct scene *c, uint32_t pixel)
{
    const struct hit got = c->got[pixel], want = look(c, pixel);
    if (got.drawn != 1)
        session_fail(s, COWARP_ECHECK, "pixel %u was drawn %u times; a warp has lost its packet, or taken another one's", pixel, got.drawn);
    else if (got.triangle != want.triangle || got.shadow != want.shadow || got.distance < want.distance || got.distance > want.distance)
        session_fail(s, COWARP_ECHECK, "pixel %u sees triangle %d, shadow %u, at %.9g; expected %d, %u, %.9g", pixel, (int)got.triangle,
                     got.shadow, (double)got.distance, (int)want.triangle, want.shadow, (double)want.distance);
}

static int run(struct cowarp_workload_context *x)
{
    struct session s;
    struct scene c = {
        .width = (uint32_t)x->param[WIDTH], .height = (uint32_t)x->param[HEIGHT], .triangle_cnt = (uint32_t)x->param[TRIANGLES]};
    uint32_t seen = 0;
    session_open(&s, x);
    make_scene(&s, &c);
    if (s.status == 0) {
        render_on_gpu(&s, &c);
        for (uint32_t i = 0; s.status == 0 && i < c.width * c.height; i++) {
            check_pixel(&s, &c, i);
            seen += c.got[i].triangle != NOBODY;
        }
        session_passed(&s, "%u pixels were drawn once and right, %u of them show a triangle", c.width * c.height, seen);
    }
    return session_close(&s);
}

const struct cowarp_workload cowarp_workload_nvrt = {
    .name = "nvrt",
    .folder = "nvrt",
    .what = "ray casting with persistent threads (divergent; Fung 2015, Table 3.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
