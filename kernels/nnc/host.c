/* SPDX-License-Identifier: Apache-2.0 */
/* nnc: the k nearest of many places to a target. The check sorts all places by their distance. */
#include <math.h>
#include <stdlib.h>

#include "../session.h"

enum { BLOCKS, NEIGHBOURS };
static const struct cowarp_workload_param params[] = {
    [BLOCKS] = {"blocks", 64, 1, 1 << 16, "blocks of the search for the nearest, of 64 places each"},
    [NEIGHBOURS] = {"k", 8, 1, 64, "neighbours to be found"},
};

#define THREADS    16u
#define PER_THREAD 4u
#define REMOVED    3e38f

struct place {
    float x, y;
};

struct ranked {
    float distance;
    uint32_t place;
};

struct search {
    uint32_t n, blocks, k;
    struct place *places, target;
    struct ranked *ranked;
    float *distance, *found, *expected_distance, *expected_found;
    uint32_t nearest[64], expected[64];
};

static int by_distance(const void *left, const void *right)
{
    const struct ranked *const a = left, *const b = right;
    if (a->distance < b->distance || a->distance > b->distance)
        return a->distance < b->distance ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

/* Places are on a grid, so some are equally far. */
static void make_places(struct session *s, struct search *p)
{
    p->places = session_array(s, p->n, sizeof *p->places);
    p->ranked = session_array(s, p->n, sizeof *p->ranked);
    float **const array[] = {&p->distance, &p->found, &p->expected_distance, &p->expected_found};
    for (uint32_t i = 0; i < 4; i++)
        *array[i] = session_array(s, p->n, sizeof(float));
    p->target = (struct place){30.0f, 90.0f};
    for (uint32_t i = 0; s->status == 0 && i < p->n; i++) {
        p->places[i] = (struct place){(float)session_below(s, 1440) / 8.0f, (float)session_below(s, 1440) / 8.0f};
        const float dx = p->places[i].x - p->target.x, dy = p->places[i].y - p->target.y;
        p->expected_distance[i] = sqrtf(dx * dx + dy * dy);
        p->ranked[i] = (struct ranked){p->expected_distance[i], i};
    }
}

static void search_on_host(struct search *p)
{
    qsort(p->ranked, p->n, sizeof *p->ranked, by_distance);
    for (uint32_t i = 0; i < p->k; i++) {
        const struct ranked r = p->ranked[i];
        p->expected[i] = r.place;
        p->expected_found[r.place] = r.distance;
        p->expected_distance[r.place] = REMOVED;
    }
}

static void search_on_gpu(struct session *s, struct search *p)
{
    const uint64_t bytes = p->n * sizeof(float), places = session_upload(s, p->places, p->n * sizeof *p->places);
    const uint64_t distance = session_upload(s, NULL, bytes), found = session_upload(s, NULL, bytes);
    const uint64_t of_block = session_upload(s, NULL, p->blocks * sizeof(uint32_t)), result = session_upload(s, NULL, sizeof(uint32_t));
    session_launch(s, "distances", p->n / THREADS, THREADS, COWARP_U64(places), COWARP_F32(p->target.x), COWARP_F32(p->target.y),
                   COWARP_U64(distance));
    for (uint32_t i = 0; i < p->k; i++) {
        session_launch(s, "nearest_of_block", p->blocks, THREADS, COWARP_U64(distance), COWARP_U32(PER_THREAD), COWARP_U64(of_block));
        session_launch(s, "nearest_of_all", 1, THREADS, COWARP_U64(distance), COWARP_U64(of_block), COWARP_U32(p->blocks),
                       COWARP_U64(result));
        session_launch(s, "removal", p->n / THREADS, THREADS, COWARP_U64(distance), COWARP_U64(result), COWARP_U64(found));
        session_read(s, &p->nearest[i], result, sizeof p->nearest[i]);
    }
    session_read(s, p->distance, distance, bytes);
    session_read(s, p->found, found, bytes);
}

static int run(struct cowarp_workload_context *x)
{
    struct session s;
    struct search p = {.blocks = (uint32_t)x->param[BLOCKS], .k = (uint32_t)x->param[NEIGHBOURS]};
    p.n = p.blocks * THREADS * PER_THREAD;
    session_open(&s, x);
    make_places(&s, &p);
    if (s.status == 0) {
        search_on_gpu(&s, &p);
        search_on_host(&p);
        session_compare_u32(&s, "neighbour", p.nearest, p.expected, p.k);
        session_compare_f32(&s, "distance of place", p.distance, p.expected_distance, p.n);
        session_compare_f32(&s, "distance found for place", p.found, p.expected_found, p.n);
        session_passed(&s, "the %u nearest of %u places are right", p.k, p.n);
    }
    return session_close(&s);
}

const struct cowarp_workload cowarp_workload_nnc = {
    .name = "nnc",
    .folder = "nnc",
    .what = "the nearest of many places, in blocks of half a warp (coherent; Fung 2015, Table 3.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
