/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dg: a quantity is carried by a wind, by the discontinuous Galerkin method. The check computes in double precision, element by element,
 * with each face's flow spread as soon as it is known.
 */
#include <math.h>

#include "../session.h"

enum { ELEMENTS, STEPS };
static const struct cowarp_workload_param params[] = {
    [ELEMENTS] = {"elements", 90, 1, 1 << 16, "tetrahedra"},
    [STEPS] = {"steps", 1, 1, 100, "time steps of five stages"},
};

#define NODES  84u
#define FACES  4u
#define FACE   28u
#define FLOWS  (FACES * FACE)
#define STAGES 5u
#define DT     0.01f

/* A stage's shares of the old residual and of the new one: a low-storage method with made-up coefficients of the usual sizes. */
static const float share_old[STAGES] = {0.0f, -0.42f, -1.19f, -1.7f, -1.51f}, share_new[STAGES] = {0.15f, 0.38f, 0.82f, 0.7f, 0.15f};

struct mesh {
    uint32_t elements, steps, nodes;
    float *slopes, *lift;  /* 3 x NODES x NODES and FLOWS x NODES, column by column */
    float *wind, *speed;   /* of an element: 3 components; of a face: outwards */
    uint32_t *own, *other; /* of a face node: its node within the element, and the neighbour's within all */
    float *start, *got;
    double *value, *rate, *residual;
};

/* Each face has a neighbour's face, itself at the rim of the mesh. The nodes of two faces meet in some order. */
static void join_faces(struct session *s, struct mesh *m)
{
    const uint32_t faces = m->elements * FACES;
    uint32_t *const order = session_array(s, faces, sizeof *order);
    if (s->status != 0)
        return;
    for (uint32_t i = 0; i < faces; i++) {
        const uint32_t k = session_below(s, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (uint32_t i = 0; i < faces; i++) {
        const uint32_t face = order[i], partner = (i ^ 1) < faces ? order[i ^ 1] : face, turn = session_below(s, FACE);
        for (uint32_t k = 0; k < FACE; k++)
            m->other[face * FACE + k] = partner / FACES * NODES + m->own[partner % FACES * FACE + (k + turn) % FACE];
    }
}

static void make_mesh(struct session *s, struct mesh *m)
{
    m->nodes = m->elements * NODES;
    float **const array[] = {&m->slopes, &m->lift, &m->wind, &m->speed, &m->start, &m->got};
    const uint32_t size[] = {3 * NODES * NODES, FLOWS * NODES, 3 * m->elements, FACES * m->elements, m->nodes, m->nodes};
    double **const wide[] = {&m->value, &m->rate, &m->residual};
    for (uint32_t i = 0; i < 6; i++) {
        *array[i] = session_array(s, size[i], sizeof(float));
        for (uint32_t k = 0; s->status == 0 && k < size[i]; k++)
            (*array[i])[k] = 2.0f * session_unit(s) - 1.0f;
    }
    for (uint32_t i = 0; i < 3; i++)
        *wide[i] = session_array(s, m->nodes, sizeof(double));
    m->own = session_array(s, FLOWS, sizeof *m->own);
    m->other = session_array(s, (uint64_t)m->elements * FLOWS, sizeof *m->other);
    for (uint32_t i = 0; s->status == 0 && i < FLOWS; i++)
        m->own[i] = session_below(s, NODES);
    for (uint32_t i = 0; s->status == 0 && i < m->nodes; i++)
        m->value[i] = (double)m->start[i];
    join_faces(s, m);
}

static void steps_on_gpu(struct session *s, struct mesh *m)
{
    const uint64_t bytes = m->nodes * sizeof(float);
    const uint64_t value = session_upload(s, m->start, bytes), rate = session_upload(s, NULL, bytes),
                   residual = session_upload(s, NULL, bytes);
    const uint64_t slopes = session_upload(s, m->slopes, 3 * NODES * NODES * sizeof(float));
    const uint64_t lift = session_upload(s, m->lift, FLOWS * NODES * sizeof(float));
    const uint64_t wind = session_upload(s, m->wind, 3 * (uint64_t)m->elements * sizeof(float));
    const uint64_t speed = session_upload(s, m->speed, FACES * (uint64_t)m->elements * sizeof(float));
    const uint64_t own = session_upload(s, m->own, FLOWS * sizeof *m->own);
    const uint64_t other = session_upload(s, m->other, (uint64_t)m->elements * FLOWS * sizeof *m->other);
    for (uint32_t i = 0; i < m->steps * STAGES; i++) {
        session_launch(s, "inside", m->elements, NODES, COWARP_U64(value), COWARP_U64(slopes), COWARP_U64(wind), COWARP_U64(rate));
        session_launch(s, "through", m->elements, FLOWS, COWARP_U64(value), COWARP_U64(own), COWARP_U64(other), COWARP_U64(speed),
                       COWARP_U64(lift), COWARP_U64(rate));
        session_launch(s, "advance", (m->nodes + 255) / 256, 256, COWARP_U64(value), COWARP_U64(residual), COWARP_U64(rate),
                       COWARP_U32(m->nodes), COWARP_F32(share_old[i % STAGES]), COWARP_F32(share_new[i % STAGES]), COWARP_F32(DT));
    }
    session_read(s, m->got, value, bytes);
}

static void rate_of(struct mesh *m, uint32_t element)
{
    const double *const v = m->value + (size_t)element * NODES;
    double *const rate = m->rate + (size_t)element * NODES;
    for (uint32_t i = 0; i < NODES; i++) {
        rate[i] = 0;
        for (uint32_t d = 0; d < 3; d++)
            for (uint32_t k = 0; k < NODES; k++)
                rate[i] -= (double)m->wind[element * 3 + d] * (double)m->slopes[(d * NODES + k) * NODES + i] * v[k];
    }
    for (uint32_t k = 0; k < FLOWS; k++) {
        const double outwards = (double)m->speed[element * FACES + k / FACE];
        const double flow = outwards < 0 ? -outwards * (m->value[m->other[(size_t)element * FLOWS + k]] - v[m->own[k]]) : 0;
        for (uint32_t i = 0; i < NODES; i++)
            rate[i] += flow * (double)m->lift[k * NODES + i];
    }
}

static void stage(struct mesh *m, uint32_t number)
{
    for (uint32_t e = 0; e < m->elements; e++)
        rate_of(m, e);
    for (uint32_t i = 0; i < m->nodes; i++) {
        m->residual[i] = (double)share_old[number] * m->residual[i] + (double)DT * m->rate[i];
        m->value[i] += (double)share_new[number] * m->residual[i];
    }
}

static int run(struct cowarp_workload_context *x)
{
    struct session s;
    struct mesh m = {.elements = (uint32_t)x->param[ELEMENTS], .steps = (uint32_t)x->param[STEPS]};
    session_open(&s, x);
    make_mesh(&s, &m);
    if (s.status == 0) {
        steps_on_gpu(&s, &m);
        for (uint32_t i = 0; s.status == 0 && i < m.steps * STAGES; i++)
            stage(&m, i % STAGES);
        session_compare_near(&s, "value of node", m.got, m.value, m.nodes, 1e-5);
        session_passed(&s, "%u values after %u steps are right to 1e-5 of the largest", m.nodes, m.steps);
    }
    return session_close(&s);
}

const struct cowarp_workload cowarp_workload_dg = {
    .name = "dg",
    .folder = "dg",
    .what = "a wind carries a quantity, discontinuous Galerkin method (coherent; Fung 2015, Table 3.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
