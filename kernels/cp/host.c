/* SPDX-License-Identifier: Apache-2.0 */
/* cp: electric potential of atoms in a plane. The check adds up each point's potential in double precision. */
#include <math.h>

#include "../session.h"

enum { BLOCKS_X, BLOCKS_Y, ATOMS };
static const struct cowarp_workload_param params[] = {
    [BLOCKS_X] = {"blocks_x", 2, 1, 256, "blocks of 128 points in a row"},
    [BLOCKS_Y] = {"blocks_y", 16, 1, 4096, "blocks of 8 rows"},
    [ATOMS] = {"atoms", 400, 1, 1 << 20, "atoms, 4,000 at most per launch"},
};

#define BX       16u
#define BY       8u
#define POINTS   8u
#define CONSTANT 4000u
#define SPACING  0.25f

struct atom {
    float x, y, z2, charge;
};

static double potential(const struct atom *atoms, uint32_t atom_cnt, double x, double y)
{
    double sum = 0;
    for (uint32_t i = 0; i < atom_cnt; i++) {
        const double dx = x - (double)atoms[i].x, dy = y - (double)atoms[i].y;
        sum += (double)atoms[i].charge / sqrt(dx * dx + dy * dy + (double)atoms[i].z2);
    }
    return sum;
}

static void potential_on_gpu(struct session *s, const struct atom *atoms, uint32_t atom_cnt, float *got, uint64_t points)
{
    const struct session_shape shape = {(uint32_t)s->x->param[BLOCKS_X], (uint32_t)s->x->param[BLOCKS_Y], BX, BY};
    const uint64_t plane = session_upload(s, NULL, points * sizeof *got);
    for (uint32_t done = 0; done < atom_cnt; done += CONSTANT) {
        const uint32_t part = atom_cnt - done < CONSTANT ? atom_cnt - done : CONSTANT;
        session_constant(s, "atoms", atoms + done, part * sizeof *atoms);
        session_launch_2d(s, "potential", shape, COWARP_U64(plane), COWARP_U32(part), COWARP_F32(SPACING));
    }
    session_read(s, got, plane, points * sizeof *got);
}

static int run(struct cowarp_workload_context *x)
{
    struct session s;
    const uint32_t width = (uint32_t)x->param[BLOCKS_X] * BX * POINTS, height = (uint32_t)x->param[BLOCKS_Y] * BY;
    const uint32_t atom_cnt = (uint32_t)x->param[ATOMS];
    const uint64_t points = (uint64_t)width * height;
    session_open(&s, x);
    struct atom *const atoms = session_array(&s, atom_cnt, sizeof *atoms);
    float *const got = session_array(&s, points, sizeof *got);
    double *const expected = session_array(&s, points, sizeof *expected);
    if (s.status == 0) {
        for (uint32_t i = 0; i < atom_cnt; i++)
            atoms[i] = (struct atom){SPACING * (float)width * session_unit(&s), SPACING * (float)height * session_unit(&s),
                                     0.5f + 20.0f * session_unit(&s), 4.0f * session_unit(&s) - 2.0f};
        potential_on_gpu(&s, atoms, atom_cnt, got, points);
        for (uint64_t i = 0; s.status == 0 && i < points; i++)
            expected[i] = potential(atoms, atom_cnt, (double)SPACING * (double)(i % width), (double)SPACING * (double)(i / width));
        session_compare_near(&s, "potential at point", got, expected, points, 1e-5);
        session_passed(&s, "%u x %u potentials of %u atoms are right to 1e-5 of the largest", width, height, atom_cnt);
    }
    return session_close(&s);
}

const struct cowarp_workload cowarp_workload_cp = {
    .name = "cp",
    .folder = "cp",
    .what = "electric potential of atoms in a plane (coherent; Fung 2015, Table 3.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
