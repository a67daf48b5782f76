/* SPDX-License-Identifier: Apache-2.0 */
/* cl, clto: one sweep of a cloth's distance solver, one constraint per thread (thesis Table 4.2, GETM Table III). The check finds a serial
 * order of the constraints that explains what every thread saw, repeats them in it and expects equal positions, momentum conserved, and
 * less stretch. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../host.h"

enum { CLOTHS, WIDTH, HEIGHT, THREADS, GROUP };

#define SPACING  4096  /* distance of neighbours at rest, in units of position */
#define STRETCH  1.001 /* of the initial cloth: with the noise, three of five ropes pull */
#define NOISE    512   /* greatest initial displacement of a particle in each direction */
#define MOMENTUM 2     /* mass times inverse mass */

struct constraint {
    uint32_t a, b;
    float rest, stiffness;
};

struct position {
    int32_t x, y, z;
    uint32_t count; /* updates so far */
};

struct cloth {
    uint32_t particle_cnt, constraint_cnt;
    struct constraint *constraint, *unsorted;
    int32_t *inverse_mass;
    struct position *start, *replay, *result;
    uint8_t *seen; /* of each constraint: counts that its thread saw, of b in bits 7:4, of a in bits 3:0 */
    uint32_t *lock;
    uint32_t *waiting; /* [particle][count]: constraints that saw this count and are not repeated yet */
    uint8_t *repeated;
};

/* A particle has at most six ropes, and as many updates. */
enum { COUNTS = 7 };

static uint64_t edges(uint64_t width, uint64_t height)
{
    return (width - 1) * height + width * (height - 1) + (width - 1) * (height - 1);
}

static void make_particles(struct cloth *k, uint32_t base, uint32_t width, uint32_t height, uint64_t *seed)
{
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t i = base + y * width + x;
            k->start[i].x = (int32_t)((double)x * SPACING * STRETCH) + (int32_t)(host_random(seed) % (2 * NOISE + 1)) - NOISE;
            k->start[i].y = (int32_t)((double)y * SPACING * STRETCH) + (int32_t)(host_random(seed) % (2 * NOISE + 1)) - NOISE;
            k->start[i].z = (int32_t)(host_random(seed) % (2 * NOISE + 1)) - NOISE;
            k->inverse_mass[i] = y == height - 1 ? 1 : 2; /* the hem is twice as heavy */
        }
    }
}

static void make_edges(struct constraint *c, uint32_t base, uint32_t width, uint32_t height)
{
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t i = base + y * width + x;
            if (x + 1 < width)
                *c++ = (struct constraint){i, i + 1, SPACING, 0.8f};
            if (y + 1 < height)
                *c++ = (struct constraint){i, i + width, SPACING, 0.8f};
            if (x + 1 < width && y + 1 < height)
                *c++ = (struct constraint){i, i + width + 1, (float)(SPACING * 1.41421356), 0.4f};
        }
    }
}

static int meets(const struct constraint *c, const struct constraint *group, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (c->a == group[i].a || c->a == group[i].b || c->b == group[i].a || c->b == group[i].b)
            return 1;
    return 0;
}

/* Random order, but groups of constraints that share no particle, as the original sorts them for its octets, as far as there are any left.
 */
static void sort_edges(struct constraint *c, uint32_t n, uint32_t group, uint64_t *seed)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t j = i + (uint32_t)(host_random(seed) % (n - i));
        const struct constraint chosen = c[j];
        c[j] = c[i];
        c[i] = chosen;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = i;
        while (j < n && meets(&c[j], &c[i - i % group], i % group))
            j++;
        if (j == n)
            continue;
        const struct constraint chosen = c[j];
        c[j] = c[i];
        c[i] = chosen;
    }
}

/* The cloths take turns, group by group, so that all are in flight at once and the groups of a warp are of different ones. */
static void deal(struct cloth *k, uint32_t cloths, uint32_t n, uint32_t group)
{
    struct constraint *to = k->constraint;
    for (uint32_t first = 0; first < n; first += group) {
        const uint32_t m = n - first < group ? n - first : group;
        for (uint32_t i = 0; i < cloths; i++, to += m)
            memcpy(to, k->unsorted + (uint64_t)i * n + first, m * sizeof *to);
    }
}

static void make_inputs(struct cloth *k, const int64_t *param, uint64_t seed)
{
    const uint32_t width = (uint32_t)param[WIDTH], height = (uint32_t)param[HEIGHT], n = (uint32_t)edges(width, height);
    for (uint32_t i = 0; i < (uint32_t)param[CLOTHS]; i++) {
        make_particles(k, i * width * height, width, height, &seed);
        make_edges(k->unsorted + (uint64_t)i * n, i * width * height, width, height);
        sort_edges(k->unsorted + (uint64_t)i * n, n, (uint32_t)param[GROUP], &seed);
    }
    deal(k, (uint32_t)param[CLOTHS], n, (uint32_t)param[GROUP]);
    memcpy(k->replay, k->start, k->particle_cnt * sizeof *k->start);
}

static int wrong(struct cowarp_workload_context *x, const char *what, uint32_t where)
{
    snprintf(x->message, sizeof x->message, "%s %u", what, where);
    return COWARP_ECHECK;
}

static float rope_length(const struct position *a, const struct position *b)
{
    const float x = (float)(b->x - a->x), y = (float)(b->y - a->y), z = (float)(b->z - a->z);
    const float xx = x * x, yy = y * y, zz = z * z;
    return sqrtf(xx + yy + zz);
}

static void pull(const struct cloth *k, const struct constraint *c, float length)
{
    struct position *a = &k->replay[c->a], *b = &k->replay[c->b];
    const int32_t wa = k->inverse_mass[c->a], wb = k->inverse_mass[c->b];
    const float scale = c->stiffness * (length - c->rest) / (length * (float)(wa + wb));
    const int32_t x = (int32_t)((float)(b->x - a->x) * scale), y = (int32_t)((float)(b->y - a->y) * scale),
                  z = (int32_t)((float)(b->z - a->z) * scale);
    *a = (struct position){a->x + x * wa, a->y + y * wa, a->z + z * wa, a->count + 1};
    *b = (struct position){b->x - x * wb, b->y - y * wb, b->z - z * wb, b->count + 1};
}

/* Repeats constraint i if what it saw is there now, and if it moves nothing that another has yet to see. */
static int try_repeat(struct cloth *k, uint32_t i)
{
    const struct constraint *c = &k->constraint[i];
    const struct position *a = &k->replay[c->a], *b = &k->replay[c->b];
    if (k->repeated[i] || a->count != (k->seen[i] & 15u) || b->count != (k->seen[i] >> 4))
        return 0;
    uint32_t *wait_a = &k->waiting[c->a * COUNTS + a->count], *wait_b = &k->waiting[c->b * COUNTS + b->count];
    const float length = rope_length(a, b);
    if (length > c->rest) {
        if (*wait_a != 1 || *wait_b != 1)
            return 0;
        pull(k, c, length);
    }
    --*wait_a;
    --*wait_b;
    k->repeated[i] = 1;
    return 1;
}

/* Every constraint once, in an order in which each finds what its thread found. */
static int repeat_all(struct cowarp_workload_context *x, struct cloth *k)
{
    for (uint32_t i = 0; i < k->constraint_cnt; i++) {
        if ((k->seen[i] & 15u) >= COUNTS || (k->seen[i] >> 4) >= COUNTS)
            return wrong(x, "more updates than ropes were seen by constraint", i);
        k->waiting[k->constraint[i].a * COUNTS + (k->seen[i] & 15u)]++;
        k->waiting[k->constraint[i].b * COUNTS + (k->seen[i] >> 4)]++;
    }
    uint32_t all = 0, before;
    do {
        before = all;
        for (uint32_t i = 0; i < k->constraint_cnt; i++)
            all += (uint32_t)try_repeat(k, i);
    } while (all != before);
    for (uint32_t i = 0; i < k->constraint_cnt; i++)
        if (!k->repeated[i])
            return wrong(x, "no serial order explains what was seen by constraint", i);
    return 0;
}

static int check_momentum(struct cowarp_workload_context *x, const struct cloth *k)
{
    int64_t sum[3] = {0};
    for (uint32_t i = 0; i < k->particle_cnt; i++) {
        const int64_t mass = MOMENTUM / k->inverse_mass[i];
        sum[0] += mass * (k->result[i].x - k->start[i].x);
        sum[1] += mass * (k->result[i].y - k->start[i].y);
        sum[2] += mass * (k->result[i].z - k->start[i].z);
    }
    return sum[0] == 0 && sum[1] == 0 && sum[2] == 0 ? 0 : wrong(x, "momentum is not conserved; particles", k->particle_cnt);
}

/* Sum of the squares of what the ropes are too long, in units of the spacing. */
static double stretch(const struct cloth *k, const struct position *p)
{
    double sum = 0;
    for (uint32_t i = 0; i < k->constraint_cnt; i++) {
        const double excess = (double)rope_length(&p[k->constraint[i].a], &p[k->constraint[i].b]) - (double)k->constraint[i].rest;
        sum += excess > 0 ? excess * excess / SPACING / SPACING : 0;
    }
    return sum;
}

static int check(struct cowarp_workload_context *x, struct cloth *k)
{
    int status = check_momentum(x, k);
    if (status == 0)
        status = repeat_all(x, k);
    if (status != 0)
        return status;
    uint64_t updates = 0;
    for (uint32_t i = 0; i < k->particle_cnt; i++) {
        if (memcmp(&k->result[i], &k->replay[i], sizeof k->result[i]) != 0)
            return wrong(x, "a serial replay ends with another position of particle", i);
        if (k->lock[i] != 0)
            return wrong(x, "a lock is left taken for particle", i);
        updates += k->result[i].count;
    }
    const double before = stretch(k, k->start), after = stretch(k, k->result);
    if (after > before)
        return wrong(x, "the cloth is stretched more than before; constraints", k->constraint_cnt);
    snprintf(x->message, sizeof x->message, "%u constraints equal a serial replay, %u pulled; momentum is conserved, stretch %.1f to %.1f",
             k->constraint_cnt, (unsigned)(updates / 2), before, after);
    return 0;
}

static int launch(struct cowarp_workload_context *x, const struct cloth *k, const char *name, const struct cowarp_arg *args)
{
    struct cowarp_module *module;
    char kernel[32];
    const uint32_t threads = (uint32_t)x->param[THREADS];
    snprintf(kernel, sizeof kernel, "%s_%s", name, x->variant == COWARP_TX ? "tx" : x->variant == COWARP_FGLOCK ? "fglock" : "cglock");
    const int status = cowarp_load_file(x->gpu, &module, x->ptx_path);
    return status != 0 ? status : host_launch(x->gpu, module, kernel, (k->constraint_cnt + threads - 1) / threads, threads, 6, args);
}

static int run_with(struct cowarp_workload_context *x, struct cloth *k, const char *name)
{
    uint64_t dconstraint, dmass, dposition, dseen, dlock;
    make_inputs(k, x->param, x->seed);
    int status = host_upload(x->gpu, &dconstraint, k->constraint, k->constraint_cnt * sizeof *k->constraint);
    if (status == 0)
        status = host_upload(x->gpu, &dmass, k->inverse_mass, k->particle_cnt * sizeof *k->inverse_mass);
    if (status == 0)
        status = host_upload_shared(x, &dposition, k->start, k->particle_cnt * sizeof *k->start);
    if (status == 0)
        status = host_upload(x->gpu, &dseen, NULL, k->constraint_cnt * sizeof *k->seen);
    if (status == 0)
        status = host_upload(x->gpu, &dlock, NULL, k->particle_cnt * sizeof *k->lock);
    if (status == 0)
        status = launch(x, k, name,
                        (const struct cowarp_arg[]){COWARP_U64(dconstraint), COWARP_U64(dmass), COWARP_U64(dposition), COWARP_U64(dseen),
                                                    COWARP_U32(k->constraint_cnt), COWARP_U64(dlock)});
    if (status == 0)
        status = cowarp_read(x->gpu, k->result, dposition, k->particle_cnt * sizeof *k->result);
    if (status == 0)
        status = cowarp_read(x->gpu, k->seen, dseen, k->constraint_cnt * sizeof *k->seen);
    if (status == 0)
        status = cowarp_read(x->gpu, k->lock, dlock, k->particle_cnt * sizeof *k->lock);
    return status == 0 ? check(x, k) : status;
}

static int run(struct cowarp_workload_context *x, const char *name)
{
    struct cloth k = {.particle_cnt = (uint32_t)(x->param[CLOTHS] * x->param[WIDTH] * x->param[HEIGHT]),
                      .constraint_cnt =
                          (uint32_t)(x->param[CLOTHS] * (int64_t)edges((uint64_t)x->param[WIDTH], (uint64_t)x->param[HEIGHT]))};
    k.constraint = malloc(k.constraint_cnt * sizeof *k.constraint);
    k.unsorted = malloc(k.constraint_cnt * sizeof *k.unsorted);
    k.inverse_mass = malloc(k.particle_cnt * sizeof *k.inverse_mass);
    k.start = calloc(k.particle_cnt, sizeof *k.start);
    k.replay = malloc(k.particle_cnt * sizeof *k.replay);
    k.result = malloc(k.particle_cnt * sizeof *k.result);
    k.seen = malloc(k.constraint_cnt * sizeof *k.seen);
    k.lock = malloc(k.particle_cnt * sizeof *k.lock);
    k.waiting = calloc((size_t)k.particle_cnt * COUNTS, sizeof *k.waiting);
    k.repeated = calloc(k.constraint_cnt, 1);
    const int complete =
        k.constraint && k.unsorted && k.inverse_mass && k.start && k.replay && k.result && k.seen && k.lock && k.waiting && k.repeated;
    const int status = complete ? run_with(x, &k, name) : COWARP_ENOMEM;
    free(k.constraint);
    free(k.unsorted);
    free(k.inverse_mass);
    free(k.start);
    free(k.replay);
    free(k.result);
    free(k.seen);
    free(k.lock);
    free(k.waiting);
    free(k.repeated);
    return status;
}

static int run_cl(struct cowarp_workload_context *x)
{
    return run(x, "cl");
}

static int run_clto(struct cowarp_workload_context *x)
{
    return run(x, "clto");
}

static const struct cowarp_workload_param params[] = {
    [CLOTHS] = {"cloths", 14, 1, 1000, "cloths"},
    [WIDTH] = {"width", 33, 2, 256, "particles of a cloth in one direction"},
    [HEIGHT] = {"height", 45, 2, 256, "particles of a cloth in the other"},
    [THREADS] = {"threads", 512, 1, 1024, "threads per block; each applies one constraint"},
    [GROUP] = {"group", 8, 1, 32, "constraints in a row that share no particle"},
};

#define CLOTH(id, text)                                        \
    const struct cowarp_workload cowarp_workload_##id = {      \
        .name = #id,                                           \
        .folder = "cloth",                                     \
        .what = text,                                          \
        .variants = COWARP_TX | COWARP_FGLOCK | COWARP_CGLOCK, \
        .params = params,                                      \
        .param_count = sizeof params / sizeof params[0],       \
        .run = run_##id,                                       \
    }

CLOTH(cl, "cloth, 60,200 distance constraints (GETM Table III)");
CLOTH(clto, "cl with read-only data loaded before the transaction (GETM Table III)");
