/* SPDX-License-Identifier: Apache-2.0 */
/* srad: a step of speckle-reducing anisotropic diffusion, which goes on after a crash where it was. */
#include <math.h>
#include <string.h>

#include "../session.h"

#define SIDE    32u /* of a thread block, at most */
#define SPECKLE 32u /* rows and columns from which the speckle's size is taken */
#define LAMBDA  0.5f

enum { WIDTH, HEIGHT };
static const struct cowarp_workload_param params[] = {
    [WIDTH] = {"width", 512, 8, 8192, "pixels per row"},
    [HEIGHT] = {"height", 512, 8, 8192, "rows of the picture"},
};

/* What a step works on: in persistent memory, or, for comparison, in memory that is not. */
struct arrays {
    uint64_t north, south, west, east, coefficient, out, ready;
};

struct picture {
    struct session s;
    uint32_t width, height;
    uint64_t pixels;
    float *image, q0;
    uint64_t device; /* of the image */
};

/* Speckle of some size over a picture that varies slowly, as an exponential: no pixel is 0. */
static void open_picture(struct picture *p, struct cowarp_workload_context *x)
{
    *p = (struct picture){.width = (uint32_t)x->param[WIDTH], .height = (uint32_t)x->param[HEIGHT]};
    session_open(&p->s, x);
    p->pixels = (uint64_t)p->width * p->height;
    p->image = session_array(&p->s, p->pixels, sizeof *p->image);
    double sum = 0, sum2 = 0, cnt = 0;
    for (uint64_t i = 0; p->s.status == 0 && i < p->pixels; i++) {
        const uint64_t column = i % p->width, row = i / p->width;
        p->image[i] = expf(0.3f * session_unit(&p->s) + 0.001f * (float)(column + row));
        if (column >= SPECKLE || row >= SPECKLE)
            continue;
        sum += (double)p->image[i];
        sum2 += (double)p->image[i] * (double)p->image[i];
        cnt++;
    }
    p->q0 = (float)((sum2 / cnt - sum / cnt * (sum / cnt)) / (sum / cnt * (sum / cnt)));
    p->device = session_upload(&p->s, p->image, p->pixels * sizeof *p->image);
}

static struct arrays persistent(struct picture *p, uint64_t (*region)(struct session *s, const char *name, uint64_t bytes))
{
    struct session *s = &p->s;
    const uint64_t bytes = p->pixels * sizeof(float);
    return (struct arrays){.north = region(s, "srad.north", bytes),
                           .south = region(s, "srad.south", bytes),
                           .west = region(s, "srad.west", bytes),
                           .east = region(s, "srad.east", bytes),
                           .coefficient = region(s, "srad.coefficient", bytes),
                           .out = region(s, "srad.out", bytes),
                           .ready = region(s, "srad.ready", 4)};
}

static uint64_t volatile_array(struct session *s, const char *name, uint64_t bytes)
{
    (void)name;
    return session_upload(s, NULL, bytes);
}

/* Until `ready` is durable, nothing can be told from the arrays. */
static void set(struct picture *p, const struct arrays *a)
{
    const uint32_t pixels = (uint32_t)p->pixels;
    session_launch(&p->s, "srad_set", 30, 1024, COWARP_U64(a->coefficient), COWARP_U32(pixels));
    session_launch(&p->s, "srad_set", 30, 1024, COWARP_U64(a->out), COWARP_U32(pixels));
    session_launch(&p->s, "srad_ready", 1, 1, COWARP_U64(a->ready));
}

static void step(struct picture *p, const struct arrays *a)
{
    const uint32_t wide = p->width < SIDE ? p->width : SIDE, high = p->height < SIDE ? p->height : SIDE;
    const struct session_shape shape = {(p->width + wide - 1) / wide, (p->height + high - 1) / high, wide, high};
    session_launch_2d(&p->s, "srad_coefficients", shape, COWARP_U64(p->device), COWARP_U64(a->north), COWARP_U64(a->south),
                      COWARP_U64(a->west), COWARP_U64(a->east), COWARP_U64(a->coefficient), COWARP_U32(p->width), COWARP_U32(p->height),
                      COWARP_F32(p->q0));
    session_launch_2d(&p->s, "srad_pixels", shape, COWARP_U64(p->device), COWARP_U64(a->north), COWARP_U64(a->south), COWARP_U64(a->west),
                      COWARP_U64(a->east), COWARP_U64(a->coefficient), COWARP_U64(a->out), COWARP_U32(p->width), COWARP_U32(p->height),
                      COWARP_F32(LAMBDA));
}

static double coefficient_of(const struct picture *p, uint32_t x, uint32_t y, double difference[4])
{
    const uint64_t i = (uint64_t)y * p->width + x;
    const double here = (double)p->image[i], q0 = (double)p->q0;
    difference[0] = (double)p->image[y > 0 ? i - p->width : i] - here;
    difference[1] = (double)p->image[y + 1 < p->height ? i + p->width : i] - here;
    difference[2] = (double)p->image[x > 0 ? i - 1 : i] - here;
    difference[3] = (double)p->image[x + 1 < p->width ? i + 1 : i] - here;
    double squares = 0, laplacian = 0;
    for (int k = 0; k < 4; k++) {
        squares += difference[k] * difference[k] / (here * here);
        laplacian += difference[k] / here;
    }
    const double slope = 1 + 0.25 * laplacian, q = (0.5 * squares - 0.0625 * laplacian * laplacian) / (slope * slope);
    return fmin(fmax(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0), 1);
}

/* The step in double precision. */
static void expect(const struct picture *p, double *out)
{
    for (uint32_t y = 0; y < p->height; y++)
        for (uint32_t x = 0; x < p->width; x++) {
            double difference[4], other[4];
            const double here = coefficient_of(p, x, y, difference);
            const double below = coefficient_of(p, x, y + 1 < p->height ? y + 1 : y, other);
            const double right = coefficient_of(p, x + 1 < p->width ? x + 1 : x, y, other);
            const double divergence = here * (difference[0] + difference[2]) + below * difference[1] + right * difference[3];
            out[(uint64_t)y * p->width + x] = (double)p->image[(uint64_t)y * p->width + x] + 0.25 * (double)LAMBDA * divergence;
        }
}

static int run(struct cowarp_workload_context *x)
{
    struct picture p;
    open_picture(&p, x);
    const struct arrays a = persistent(&p, session_pm_new);
    session_phase(&p.s, "step");
    set(&p, &a);
    step(&p, &a);
    session_phase(&p.s, NULL);
    float *got = session_array(&p.s, p.pixels, sizeof *got);
    double *expected = session_array(&p.s, p.pixels, sizeof *expected);
    session_read(&p.s, got, a.out, p.pixels * sizeof *got);
    if (p.s.status == 0)
        expect(&p, expected);
    session_compare_near(&p.s, "pixel", got, expected, p.pixels, 1e-5);
    session_passed(&p.s, "%u x %u pixels are as expected", p.width, p.height);
    return session_close(&p.s);
}

static int recover(struct cowarp_workload_context *x)
{
    struct picture p;
    uint32_t ready = 0;
    open_picture(&p, x);
    const struct arrays a = persistent(&p, session_pm_find);
    session_read(&p.s, &ready, a.ready, sizeof ready);
    if (ready == 0)
        set(&p, &a);
    step(&p, &a);
    return session_close(&p.s);
}

/* Equal to what the kernels make without a crash, to the bit. */
static int verify(struct cowarp_workload_context *x)
{
    struct picture p;
    open_picture(&p, x);
    const struct arrays a = persistent(&p, session_pm_find), b = persistent(&p, volatile_array);
    set(&p, &b);
    step(&p, &b);
    float *got = session_array(&p.s, p.pixels, sizeof *got), *expected = session_array(&p.s, p.pixels, sizeof *expected);
    session_read(&p.s, got, a.out, p.pixels * sizeof *got);
    session_read(&p.s, expected, b.out, p.pixels * sizeof *expected);
    session_compare_f32(&p.s, "pixel", got, expected, p.pixels);
    session_passed(&p.s, "%u x %u pixels are those of a run without a crash", p.width, p.height);
    return session_close(&p.s);
}

const struct cowarp_workload cowarp_workload_srad = {
    .name = "srad",
    .folder = "srad",
    .what = "speckle-reducing diffusion whose pixels persist, and which resumes by itself (SBRP 7.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
    .recover = recover,
    .verify = verify,
};
