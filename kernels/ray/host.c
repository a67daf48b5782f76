/* SPDX-License-Identifier: Apache-2.0 */
/* ray: ray tracing of spheres above a floor, with shadows and reflections. The check follows each ray by recursion, on vectors of its own.
 */
#include <math.h>

#include "../session.h"

enum { WIDTH, HEIGHT, SPHERES, BOUNCES };
static const struct cowarp_workload_param params[] = {
    [WIDTH] = {"width", 256, 1, 4096, "pixels per row"},
    [HEIGHT] = {"height", 256, 1, 4096, "rows of the picture"},
    [SPHERES] = {"spheres", 6, 1, 64, "spheres of the scene"},
    [BOUNCES] = {"bounces", 3, 0, 32, "reflections that a ray is followed over"},
};

#define BX  16u
#define BY  8u
#define FAR 1e6f

struct sphere {
    float centre[3], radius2, shade, mirror;
};

struct scene {
    uint32_t width, height, sphere_cnt, bounces;
    struct sphere spheres[64];
    float lamp[3];
    float *got, *expected;
};

static float product(const float *a, const float *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static float distance_to(const struct sphere *s, const float *from, const float *to)
{
    float offset[3];
    for (uint32_t i = 0; i < 3; i++)
        offset[i] = from[i] - s->centre[i];
    const float b = product(offset, to), a = product(to, to), c = product(offset, offset) - s->radius2;
    const float discriminant = b * b - a * c;
    if (discriminant <= 0.0f)
        return FAR;
    const float near = (-b - sqrtf(discriminant)) / a;
    return near > 1e-3f ? near : FAR;
}

struct surface {
    float at[3], normal[3], shade, mirror;
};

/* The surface that a ray meets first; 0: it goes off into the sky. */
static int first_surface(const struct scene *c, const float *from, const float *to, struct surface *out)
{
    const struct sphere *hit = NULL;
    float nearest = to[1] < -1e-3f ? -from[1] / to[1] : FAR;
    for (uint32_t i = 0; i < c->sphere_cnt; i++) {
        const float t = distance_to(&c->spheres[i], from, to);
        hit = t < nearest ? &c->spheres[i] : hit;
        nearest = t < nearest ? t : nearest;
    }
    if (nearest >= FAR)
        return 0;
    for (uint32_t i = 0; i < 3; i++) {
        out->at[i] = from[i] + nearest * to[i];
        out->normal[i] = i == 1 ? 1.0f : 0.0f;
    }
    for (uint32_t i = 0; hit != NULL && i < 3; i++)
        out->normal[i] = (out->at[i] - hit->centre[i]) / sqrtf(hit->radius2);
    const int odd = ((int)floorf(out->at[0]) + (int)floorf(out->at[2])) & 1;
    if (hit == NULL)
        out->at[1] = 0.0f;
    out->shade = hit != NULL ? hit->shade : odd ? 0.8f : 0.4f;
    out->mirror = hit != NULL ? hit->mirror : 0.2f;
    return 1;
}

static float diffuse(const struct scene *c, const struct surface *f)
{
    float to[3];
    for (uint32_t i = 0; i < 3; i++)
        to[i] = c->lamp[i] - f->at[i];
    const float slope = product(f->normal, to);
    if (!(slope > 0.0f))
        return 0.0f;
    for (uint32_t i = 0; i < c->sphere_cnt; i++)
        if (distance_to(&c->spheres[i], f->at, to) < 1.0f)
            return 0.0f;
    return slope / sqrtf(product(to, to));
}

/* Adds what a ray brings to `light`, and follows its reflection. */
static float follow(const struct scene *c, const float *from, const float *to, float light, float weight, uint32_t left)
{
    struct surface f;
    float reflected[3];
    if (!first_surface(c, from, to, &f))
        return light + weight * 0.3f;
    light += weight * (1.0f - f.mirror) * f.shade * (0.1f + diffuse(c, &f));
    if (left == 0)
        return light;
    const float twice = 2.0f * product(f.normal, to);
    for (uint32_t i = 0; i < 3; i++)
        reflected[i] = to[i] - twice * f.normal[i];
    return follow(c, f.at, reflected, light, weight * f.mirror, left - 1);
}

static void make_scene(struct session *s, struct scene *c)
{
    const float lamp[3] = {4.0f, 7.0f, -3.0f};
    for (uint32_t i = 0; i < 3; i++)
        c->lamp[i] = lamp[i];
    for (uint32_t i = 0; i < c->sphere_cnt; i++) {
        const float radius = 0.4f + 0.6f * session_unit(s);
        c->spheres[i] = (struct sphere){.centre = {5.0f * session_unit(s) - 2.5f, radius + session_unit(s), 4.0f * session_unit(s)},
                                        .radius2 = radius * radius,
                                        .shade = 0.3f + 0.7f * session_unit(s),
                                        .mirror = 0.6f * session_unit(s)};
    }
    c->got = session_array(s, (uint64_t)c->width * c->height, sizeof *c->got);
    c->expected = session_array(s, (uint64_t)c->width * c->height, sizeof *c->expected);
}

static void trace_on_gpu(struct session *s, struct scene *c)
{
    const uint64_t bytes = (uint64_t)c->width * c->height * sizeof *c->got, picture = session_upload(s, NULL, bytes);
    const struct session_shape shape = {(c->width + BX - 1) / BX, (c->height + BY - 1) / BY, BX, BY};
    session_constant(s, "spheres", c->spheres, sizeof c->spheres);
    session_launch_2d(s, "trace", shape, COWARP_U64(picture), COWARP_U32(c->width), COWARP_U32(c->height), COWARP_U32(c->sphere_cnt),
                      COWARP_U32(c->bounces), COWARP_F32(c->lamp[0]), COWARP_F32(c->lamp[1]), COWARP_F32(c->lamp[2]));
    session_read(s, c->got, picture, bytes);
}

static int run(struct cowarp_workload_context *x)
{
    struct session s;
    struct scene c = {.width = (uint32_t)x->param[WIDTH],
                      .height = (uint32_t)x->param[HEIGHT],
                      .sphere_cnt = (uint32_t)x->param[SPHERES],
                      .bounces = (uint32_t)x->param[BOUNCES]};
    const float eye[3] = {0.0f, 2.0f, -6.0f};
    session_open(&s, x);
    make_scene(&s, &c);
    if (s.status == 0) {
        trace_on_gpu(&s, &c);
        for (uint32_t i = 0; i < c.width * c.height; i++) {
            const float column = (float)(i % c.width), row = (float)(i / c.width);
            const float to[3] = {column / (float)c.width - 0.5f, 0.4f - row / (float)c.height, 1.0f};
            c.expected[i] = follow(&c, eye, to, 0.0f, 1.0f, c.bounces);
        }
        session_compare_f32(&s, "brightness of pixel", c.got, c.expected, (uint64_t)c.width * c.height);
        session_passed(&s, "%u x %u pixels are right to the last bit", c.width, c.height);
    }
    return session_close(&s);
}

const struct cowarp_workload cowarp_workload_ray = {
    .name = "ray",
    .folder = "ray",
    .what = "ray tracing with reflections (coherent; Fung 2015, Table 3.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
