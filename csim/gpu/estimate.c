/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NORMAL     1.96 /* 97.5 percent of the normal distribution lie below */
#define CLASS_BASE 1.25
#define FEWEST     3u   /* Samples of a class, before its launches may go without time */
#define UNKNOWN    0.5  /* Half of the interval of a ratio that one sample tells, as a part of the ratio */
#define DUE_GROWTH 1.25 /* The next launch that is timed whatever is known, over the one before */

void cw_samples_add(struct cw_samples *s, double cycles, double instructions)
{
    s->cnt++;
    s->x += instructions;
    s->y += cycles;
    s->xx += instructions * instructions;
    s->xy += instructions * cycles;
    s->yy += cycles * cycles;
}

void cw_samples_join(struct cw_samples *s, const struct cw_samples *more)
{
    s->cnt += more->cnt;
    s->x += more->x;
    s->y += more->y;
    s->xx += more->xx;
    s->xy += more->xy;
    s->yy += more->yy;
}

double cw_samples_ratio(const struct cw_samples *s)
{
    return s->x > 0 ? s->y / s->x : 0;
}

/* The 97.5 percent quantile of Student's distribution: Cornish and Fisher's expansion, and a table where that is coarse. */
static double student(uint32_t freedom)
{
    static const double few[] = {0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
    const double n = freedom, z = NORMAL, z3 = z * z * z, z5 = z3 * z * z;
    if (freedom < sizeof few / sizeof few[0])
        return few[freedom];
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n);
}

double cw_samples_spread(const struct cw_samples *s)
{
    const double r = cw_samples_ratio(s), n = s->cnt, residue = s->yy - 2 * r * s->xy + r * r * s->xx;
    return residue > 0 ? residue * n / (s->x * s->x) : 0;
}

double cw_samples_half(const struct cw_samples *s)
{
    return s->cnt < 2 ? INFINITY : student(s->cnt - 1) * sqrt(cw_samples_spread(s) / (s->cnt - 1.0));
}

void cw_estimate_add(struct cw_estimate *e, double cycles, double half)
{
    e->cycles += cycles;
    e->variance += half / NORMAL * (half / NORMAL);
}

double cw_estimate_half(const struct cw_estimate *e)
{
    return NORMAL * sqrt(e->variance);
}

struct cw_launch_kind *cw_launch_kind(struct cw_launch_kinds *k, const void *kernel, const uint32_t grid[3], const uint32_t block[3])
{
    for (uint32_t i = 0; i < k->cnt; i++) {
        struct cw_launch_kind *a = &k->kind[i];
        if (a->kernel == kernel && memcmp(a->grid, grid, sizeof a->grid) == 0 && memcmp(a->block, block, sizeof a->block) == 0)
            return a;
    }
    if (k->cnt == k->room) {
        const uint32_t room = k->room == 0 ? 16 : 2 * k->room;
        struct cw_launch_kind *more = realloc(k->kind, room * sizeof *more);
        if (more == NULL)
            return NULL;
        k->kind = more;
        k->room = room;
    }
    struct cw_launch_kind *a = &k->kind[k->cnt];
    *a = (struct cw_launch_kind){.kernel = kernel, .of = calloc(CW_LAUNCH_CLASSES, sizeof *a->of)};
    if (a->of == NULL)
        return NULL;
    memcpy(a->grid, grid, sizeof a->grid);
    memcpy(a->block, block, sizeof a->block);
    k->cnt++;
    return a;
}

/* The class of launches of that many instructions; a new one if there is room, else the nearest. */
static struct cw_launch_class *class_of(struct cw_launch_kind *k, double instructions)
{
    const int32_t size = instructions > 1 ? (int32_t)floor(log(instructions) / log(CLASS_BASE)) : 0;
    uint32_t best = 0;
    for (uint32_t i = 1; i < k->class_cnt; i++)
        if (abs(k->of[i].size - size) < abs(k->of[best].size - size))
            best = i;
    if ((k->class_cnt == 0 || k->of[best].size != size) && k->class_cnt < CW_LAUNCH_CLASSES) {
        best = k->class_cnt++;
        k->of[best].size = size;
    }
    k->last = best;
    return &k->of[best];
}

/* The class itself, or the one with samples whose size is nearest. */
static const struct cw_launch_class *class_that_tells(const struct cw_launch_kind *k, const struct cw_launch_class *c)
{
    const struct cw_launch_class *best = c;
    for (uint32_t i = 0; i < k->class_cnt && c->timed.cnt == 0; i++)
        if (k->of[i].timed.cnt > 0 && (best->timed.cnt == 0 || abs(k->of[i].size - c->size) < abs(best->size - c->size)))
            best = &k->of[i];
    return best;
}

bool cw_launch_wants_time(const struct cw_launch_kind *k, double bound)
{
    if (k->seen <= FEWEST || k->seen >= k->due)
        return true;
    const struct cw_samples *s = &k->of[k->last].timed;
    return s->cnt < FEWEST || cw_samples_half(s) > bound * cw_samples_ratio(s);
}

void cw_launch_timed(struct cw_launch_kind *k, double cycles, double instructions)
{
    struct cw_launch_class *c = class_of(k, instructions);
    if (k->seen++ > 0)
        cw_samples_add(&c->timed, cycles, instructions);
    k->due = (uint64_t)(DUE_GROWTH * (double)k->seen) + 1;
}

double cw_launch_untimed(struct cw_launch_kind *k, double instructions)
{
    struct cw_launch_class *c = class_of(k, instructions);
    c->untimed += instructions;
    k->seen++;
    return instructions * cw_samples_ratio(&class_that_tells(k, c)->timed);
}

void cw_launch_kinds_sum(const struct cw_launch_kinds *k, struct cw_estimate *e)
{
    for (uint32_t i = 0; i < k->cnt; i++)
        for (uint32_t n = 0; n < k->kind[i].class_cnt; n++) {
            const struct cw_launch_class *c = &k->kind[i].of[n];
            const struct cw_samples *s = &class_that_tells(&k->kind[i], c)->timed;
            const double known = c->timed.cnt > 1 ? cw_samples_half(s) : UNKNOWN * cw_samples_ratio(s);
            cw_estimate_add(e, 0, c->untimed * known);
        }
}

void cw_launch_kinds_free(struct cw_launch_kinds *k)
{
    for (uint32_t i = 0; i < k->cnt; i++)
        free(k->kind[i].of);
    free(k->kind);
    *k = (struct cw_launch_kinds){0};
}
