/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lib: interest rates by Monte Carlo. The check follows each path in double precision. It finds the slope of the bond's value from two
 * paths with slightly shifted rates, and not by derivatives.
 */
#include <math.h>

#include "../session.h"

enum { PATHS };
static const struct cowarp_workload_param params[] = {
    [PATHS] = {"paths", 256, 1, 1 << 20, "paths"},
};

#define THREADS 64u
#define RATES   80u
#define DATES   40u
#define DELTA   0.25f /* years between dates */
#define STRIKE  0.05f
#define SHIFT   1e-5

struct market {
    uint32_t paths;
    float volatility[RATES], initial[RATES];
    float *normal;                             /* date by date */
    float *value, *bond;                       /* from the GPU; bond: value and slope */
    double *expected_value, *expected_bond[2]; /* the latter: value, slope */
    float *bond_part[2];
};

/* The sum of twelve even numbers is about normal. */
static float normal(struct session *s)
{
    float sum = -6.0f;
    for (uint32_t i = 0; i < 12; i++)
        sum += session_unit(s);
    return sum;
}

static void make_market(struct session *s, struct market *m)
{
    m->normal = session_array(s, (uint64_t)DATES * m->paths, sizeof *m->normal);
    m->value = session_array(s, m->paths, sizeof *m->value);
    m->bond = session_array(s, 2 * (uint64_t)m->paths, sizeof *m->bond);
    m->expected_value = session_array(s, m->paths, sizeof *m->expected_value);
    for (uint32_t i = 0; i < 2; i++) {
        m->expected_bond[i] = session_array(s, m->paths, sizeof(double));
        m->bond_part[i] = session_array(s, m->paths, sizeof(float));
    }
    for (uint32_t i = 0; i < RATES; i++) {
        m->volatility[i] = 0.15f + 0.1f * session_unit(s);
        m->initial[i] = 0.045f + 0.01f * session_unit(s);
    }
    for (uint32_t i = 0; s->status == 0 && i < DATES * m->paths; i++)
        m->normal[i] = normal(s);
}

static void paths_on_gpu(struct session *s, struct market *m)
{
    const uint32_t blocks = (m->paths + THREADS - 1) / THREADS;
    const uint64_t numbers = session_upload(s, m->normal, (uint64_t)DATES * m->paths * sizeof *m->normal);
    const uint64_t value = session_upload(s, NULL, m->paths * sizeof(float)), bond = session_upload(s, NULL, 2 * m->paths * sizeof(float));
    const struct cowarp_arg delta = COWARP_F32(DELTA), root = COWARP_F32(sqrtf(DELTA));
    session_constant(s, "volatility", m->volatility, sizeof m->volatility);
    session_constant(s, "initial", m->initial, sizeof m->initial);
    session_launch(s, "portfolio", blocks, THREADS, COWARP_U64(numbers), COWARP_U32(m->paths), delta, root, COWARP_F32(STRIKE),
                   COWARP_U64(value));
    session_launch(s, "bond", blocks, THREADS, COWARP_U64(numbers), COWARP_U32(m->paths), delta, root, COWARP_U64(bond));
    session_read(s, m->value, value, m->paths * sizeof(float));
    session_read(s, m->bond, bond, 2 * m->paths * sizeof(float));
    for (uint32_t i = 0; i < 2 * m->paths; i++)
        m->bond_part[i % 2][i / 2] = m->bond[i];
}

/* The rates of a path at the last date, if all begin `shift` higher. The drift of a rate is the sum of its own and all earlier terms. */
static void rates_of(const struct market *m, uint32_t path, double shift, double rate[RATES])
{
    const double delta = (double)DELTA;
    for (uint32_t i = 0; i < RATES; i++)
        rate[i] = (double)m->initial[i] + shift;
    for (uint32_t n = 0; n < DATES; n++) {
        double drift[RATES], sum = 0;
        for (uint32_t i = n + 1; i < RATES; i++)
            drift[i] = sum += (double)m->volatility[i - n - 1] * (1 - 1 / (1 + delta * rate[i]));
        for (uint32_t i = n + 1; i < RATES; i++) {
            const double vol = (double)m->volatility[i - n - 1], z = (double)m->normal[(size_t)n * m->paths + path];
            rate[i] *= exp(vol * sqrt(delta) * z + vol * delta * drift[i] - vol * vol * delta / 2);
        }
    }
}

static double bond_of(const double rate[RATES])
{
    double bond = 1;
    for (uint32_t i = DATES; i < RATES; i++)
        bond /= 1 + (double)DELTA * rate[i];
    return bond;
}

static void follow(struct market *m, uint32_t path)
{
    double rate[RATES], up[RATES], down[RATES], annuity = 0, discount = 1;
    rates_of(m, path, 0, rate);
    rates_of(m, path, SHIFT, up);
    rates_of(m, path, -SHIFT, down);
    m->expected_bond[0][path] = bond_of(rate);
    m->expected_bond[1][path] = (bond_of(up) - bond_of(down)) / (2 * SHIFT);
    for (uint32_t years = 1; years <= RATES - DATES; years++) {
        discount /= 1 + (double)DELTA * rate[DATES + years - 1];
        annuity += (double)DELTA * discount;
        const double payer = 1 - discount - (double)STRIKE * annuity;
        if (years % 5 == 0 && payer > 0)
            m->expected_value[path] += payer;
    }
}

static int run(struct cowarp_workload_context *x)
{
    struct session s;
    struct market m = {.paths = (uint32_t)x->param[PATHS]};
    session_open(&s, x);
    make_market(&s, &m);
    if (s.status == 0) {
        paths_on_gpu(&s, &m);
        for (uint32_t i = 0; s.status == 0 && i < m.paths; i++)
            follow(&m, i);
        session_compare_near(&s, "value of path", m.value, m.expected_value, m.paths, 2e-5);
        session_compare_near(&s, "bond of path", m.bond_part[0], m.expected_bond[0], m.paths, 2e-5);
        session_compare_near(&s, "slope of the bond of path", m.bond_part[1], m.expected_bond[1], m.paths, 2e-5);
        session_passed(&s, "values, bonds and slopes of %u paths are right to 2e-5 of the largest", m.paths);
    }
    return session_close(&s);
}

const struct cowarp_workload cowarp_workload_lib = {
    .name = "lib",
    .folder = "libor",
    .what = "interest rates by Monte Carlo (coherent; Fung 2015, Table 3.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
