/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backp: training of a neural network by back propagation. The host does what is between the two kernels, on the GPU's sums. The check adds
 * each unit's sum in double precision, one input after the other; the changed weights are compared bit by bit.
 */
#include <math.h>

#include "../session.h"

enum { INPUTS, ROUNDS };
static const struct cowarp_workload_param params[] = {
    [INPUTS] = {"inputs", 32768, 16, 1 << 20, "input units, a multiple of 16"},
    [ROUNDS] = {"rounds", 1, 1, 1000, "rounds of training"},
};

#define SIDE     16u
#define RATE     0.3f
#define MOMENTUM 0.25f
#define TARGET   0.1

struct network {
    uint32_t inputs;
    float *input, *weight, *change, *partial, *got_weight, *got_change; /* weights: input by input, 16 units each */
    double output_weight[SIDE];
    uint64_t d_input, d_weight, d_change, d_partial, d_error;
};

static void make_network(struct session *s, struct network *n)
{
    const uint64_t weights = (uint64_t)n->inputs * SIDE;
    float **const array[] = {&n->weight, &n->change, &n->got_weight, &n->got_change};
    n->input = session_array(s, n->inputs, sizeof *n->input);
    n->partial = session_array(s, n->inputs, sizeof *n->partial);
    for (uint32_t i = 0; i < 4; i++)
        *array[i] = session_array(s, weights, sizeof(float));
    if (s->status != 0)
        return;
    for (uint32_t i = 0; i < n->inputs; i++)
        n->input[i] = session_unit(s);
    for (uint64_t i = 0; i < weights; i++)
        n->weight[i] = (2.0f * session_unit(s) - 1.0f) / 64.0f;
    for (uint32_t i = 0; i < SIDE; i++)
        n->output_weight[i] = 2.0 * (double)session_unit(s) - 1.0;
    n->d_input = session_upload(s, n->input, n->inputs * sizeof(float));
    n->d_weight = session_upload(s, n->weight, weights * sizeof(float));
    n->d_change = session_upload(s, n->change, weights * sizeof(float));
    n->d_partial = session_upload(s, NULL, n->inputs * sizeof(float));
    n->d_error = session_upload(s, NULL, SIDE * sizeof(float));
}

/* The sums from the GPU, compared with those of the host's weights. */
static void sums(struct session *s, struct network *n, float sum[SIDE])
{
    double expected[SIDE] = {0}, magnitude = 0;
    const struct session_shape shape = {n->inputs / SIDE, 1, SIDE, SIDE};
    session_launch_2d(s, "forward", shape, COWARP_U64(n->d_input), COWARP_U64(n->d_weight), COWARP_U64(n->d_partial));
    session_read(s, n->partial, n->d_partial, n->inputs * sizeof(float));
    for (uint32_t i = 0; i < n->inputs; i++) {
        for (uint32_t unit = 0; unit < SIDE; unit++) {
            expected[unit] += (double)n->weight[(size_t)i * SIDE + unit] * (double)n->input[i];
            magnitude += fabs((double)n->weight[(size_t)i * SIDE + unit]) / SIDE;
        }
        sum[i % SIDE] += n->partial[i];
    }
    for (uint32_t unit = 0; unit < SIDE; unit++)
        if (!(fabs((double)sum[unit] - expected[unit]) <= 1e-6 * magnitude))
            session_fail(s, COWARP_ECHECK, "the sum of hidden unit %u is %.9g, expected %.9g", unit, (double)sum[unit], expected[unit]);
}

/* Errors of the hidden units, from the network's one output. */
static void errors(const struct network *n, const float sum[SIDE], float error[SIDE])
{
    double out = 0, hidden[SIDE];
    for (uint32_t unit = 0; unit < SIDE; unit++) {
        hidden[unit] = 1 / (1 + exp(-(double)sum[unit]));
        out += hidden[unit] * n->output_weight[unit];
    }
    out = 1 / (1 + exp(-out));
    const double delta = out * (1 - out) * (TARGET - out);
    for (uint32_t unit = 0; unit < SIDE; unit++)
        error[unit] = (float)(hidden[unit] * (1 - hidden[unit]) * delta * n->output_weight[unit]);
}

static void train(struct session *s, struct network *n)
{
    float sum[SIDE] = {0}, error[SIDE];
    const struct session_shape shape = {n->inputs / SIDE, 1, SIDE, SIDE};
    sums(s, n, sum);
    errors(n, sum, error);
    session_write(s, n->d_error, error, sizeof error);
    session_launch_2d(s, "adjust", shape, COWARP_U64(n->d_input), COWARP_U64(n->d_weight), COWARP_U64(n->d_change), COWARP_U64(n->d_error),
                      COWARP_F32(RATE), COWARP_F32(MOMENTUM));
    for (uint32_t i = 0; i < n->inputs * SIDE; i++) {
        n->change[i] = RATE * error[i % SIDE] * n->input[i / SIDE] + MOMENTUM * n->change[i];
        n->weight[i] += n->change[i];
    }
}

static int run(struct cowarp_workload_context *x)
{
    struct session s;
    struct network n = {.inputs = (uint32_t)x->param[INPUTS]};
    session_open(&s, x);
    if (n.inputs % SIDE != 0)
        session_fail(&s, COWARP_EINVAL, "inputs must be a multiple of %u", SIDE);
    make_network(&s, &n);
    for (int64_t i = 0; s.status == 0 && i < x->param[ROUNDS]; i++)
        train(&s, &n);
    if (s.status == 0) {
        session_read(&s, n.got_weight, n.d_weight, (uint64_t)n.inputs * SIDE * sizeof(float));
        session_read(&s, n.got_change, n.d_change, (uint64_t)n.inputs * SIDE * sizeof(float));
        session_compare_f32(&s, "weight", n.got_weight, n.weight, (uint64_t)n.inputs * SIDE);
        session_compare_f32(&s, "change of weight", n.got_change, n.change, (uint64_t)n.inputs * SIDE);
        session_passed(&s, "16 sums are right, and %u weights to the last bit", n.inputs * SIDE);
    }
    return session_close(&s);
}

const struct cowarp_workload cowarp_workload_backp = {
    .name = "backp",
    .folder = "backp",
    .what = "training of a neural network (coherent; Fung 2015, Table 3.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
