/* SPDX-License-Identifier: Apache-2.0 */
/* km-hc, km-lc: each work-group makes clusters of its points in shared memory (GPU-LocalTM 6, KM). Sums of integers do not depend on the
 * order, so the check expects the host's sums and counts in each round. */
#include "../session.h"

#define DIMS     34u
#define WORDS    (DIMS + 1) /* of a cluster's sums; the last one is the number of points */
#define CLUSTERS 32u        /* at the most */

enum { GROUPS, WAVEFRONTS, POINTS, CLUSTER_CNT, ROUNDS };

struct means {
    struct session s;
    uint32_t groups, threads, points_per_thread, n, clusters, rounds; /* n: points of a work-group */
    uint32_t *point;                                                  /* [group][dimension][point] */
    uint32_t *sums, *expected;                                        /* [round][group][cluster][word] */
};

static uint64_t sums_cnt(const struct means *m)
{
    return (uint64_t)m->rounds * m->groups * m->clusters * WORDS;
}

/* Points stand around as many middles as there are clusters. */
static void make_points(struct means *m, uint32_t *point)
{
    uint32_t middle[CLUSTERS][DIMS];
    for (uint32_t c = 0; c < m->clusters; c++)
        for (uint32_t d = 0; d < DIMS; d++)
            middle[c][d] = session_below(&m->s, 900);
    for (uint32_t i = 0; i < m->n; i++)
        for (uint32_t d = 0; d < DIMS; d++)
            point[d * m->n + i] = middle[i % m->clusters][d] + session_below(&m->s, 100);
}

static void open_means(struct means *m, struct cowarp_workload_context *x)
{
    *m = (struct means){.groups = (uint32_t)x->param[GROUPS],
                        .threads = 64 * (uint32_t)x->param[WAVEFRONTS],
                        .points_per_thread = (uint32_t)x->param[POINTS],
                        .clusters = (uint32_t)x->param[CLUSTER_CNT],
                        .rounds = (uint32_t)x->param[ROUNDS]};
    m->n = m->threads * m->points_per_thread;
    session_open(&m->s, x);
    m->point = session_array(&m->s, (uint64_t)m->groups * m->n * DIMS, sizeof *m->point);
    m->sums = session_array(&m->s, sums_cnt(m), sizeof *m->sums);
    m->expected = session_array(&m->s, sums_cnt(m), sizeof *m->expected);
    for (uint32_t g = 0; m->s.status == 0 && g < m->groups; g++)
        make_points(m, m->point + (uint64_t)g * m->n * DIMS);
}

static uint32_t nearest(const struct means *m, const uint32_t *point, uint32_t i, uint32_t (*centre)[DIMS])
{
    uint64_t least = UINT64_MAX;
    uint32_t best = 0;
    for (uint32_t c = 0; c < m->clusters; c++) {
        uint64_t sum = 0;
        for (uint32_t d = 0; d < DIMS; d++) {
            const int64_t difference = (int64_t)point[d * m->n + i] - centre[c][d];
            sum += (uint64_t)(difference * difference);
        }
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    return best;
}

/* What a work-group's rounds have to give. */
static void expect(const struct means *m, uint32_t group)
{
    const uint32_t *point = m->point + (uint64_t)group * m->n * DIMS;
    uint32_t centre[CLUSTERS][DIMS];
    for (uint32_t c = 0; c < m->clusters; c++)
        for (uint32_t d = 0; d < DIMS; d++)
            centre[c][d] = point[d * m->n + c];
    for (uint32_t round = 0; round < m->rounds; round++) {
        uint32_t *sums = m->expected + ((uint64_t)round * m->groups + group) * m->clusters * WORDS;
        for (uint32_t i = 0; i < m->n; i++) {
            uint32_t *own = sums + nearest(m, point, i, centre) * WORDS;
            for (uint32_t d = 0; d < DIMS; d++)
                own[d] += point[d * m->n + i];
            own[DIMS]++;
        }
        for (uint32_t c = 0; c < m->clusters; c++)
            for (uint32_t d = 0; d < DIMS && sums[c * WORDS + DIMS] != 0; d++)
                centre[c][d] = sums[c * WORDS + d] / sums[c * WORDS + DIMS];
    }
}

static int run(struct cowarp_workload_context *x)
{
    struct means m;
    open_means(&m, x);
    const uint64_t point = session_upload(&m.s, m.point, (uint64_t)m.groups * m.n * DIMS * 4);
    const uint64_t sums = session_upload(&m.s, NULL, sums_cnt(&m) * 4);
    session_launch(&m.s, x->variant == COWARP_TX ? "km_tx" : "km_cglock", m.groups, m.threads, COWARP_U64(point), COWARP_U64(sums),
                   COWARP_U32(m.points_per_thread), COWARP_U32(m.clusters), COWARP_U32(m.rounds));
    session_read(&m.s, m.sums, sums, sums_cnt(&m) * 4);
    for (uint32_t g = 0; m.s.status == 0 && g < m.groups; g++)
        expect(&m, g);
    session_compare_u32(&m.s, "sum or count", m.sums, m.expected, sums_cnt(&m));
    session_passed(&m.s, "sums and counts of %u clusters are right in %u rounds of %u work-groups", m.clusters, m.rounds, m.groups);
    return session_close(&m.s);
}

#define KM(id, word, cluster_cnt, contention)                                              \
    static const struct cowarp_workload_param params_##id[] = {                            \
        [GROUPS] = {"groups", 64, 1, 4096, "work-groups, each with points of its own"},    \
        [WAVEFRONTS] = {"wavefronts", 4, 1, 4, "of 64 work-items, per work-group"},        \
        [POINTS] = {"points", 2, 1, 64, "points per work-item"},                           \
        [CLUSTER_CNT] = {"clusters", cluster_cnt, 1, CLUSTERS, "clusters"},                \
        [ROUNDS] = {"rounds", 1, 1, 64, "rounds: points are added, centres move"},         \
    };                                                                                     \
    const struct cowarp_workload cowarp_workload_##id = {                                  \
        .name = word,                                                                      \
        .folder = "km",                                                                    \
        .what = "K-Means in shared memory, " contention " contention (GPU-LocalTM 6, KM)", \
        .system = "localtm",                                                               \
        .variants = COWARP_TX | COWARP_CGLOCK,                                             \
        .params = params_##id,                                                             \
        .param_count = sizeof params_##id / sizeof params_##id[0],                         \
        .run = run,                                                                        \
    }

/* Clusters: the default of Rodinia's program, and the most that it takes. */
KM(km_hc, "km-hc", 5, "high");
KM(km_lc, "km-lc", 32, "low");
