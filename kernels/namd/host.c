/* SPDX-License-Identifier: Apache-2.0 */
/*
 * namd: short-range forces between atoms in a box, with neighbouring cells and a cut-off. The check knows no cells: it sorts the atoms
 * along one axis, and in double precision it goes over all atoms that are near enough along this axis.
 */
#include <math.h>
#include <stdlib.h>

#include "../session.h"

enum { CELLS, ATOMS };
static const struct cowarp_workload_param params[] = {
    [CELLS] = {"cells", 4, 1, 40, "cells per side of the box"},
    [ATOMS] = {"atoms", 40, 1, 200, "atoms of a cell, on the average"},
};

#define THREADS 64u
#define TYPES   4u
#define CELL    12.0f /* width of a cell */
#define CUTOFF  10.0f

struct atom {
    float x, y, z, charge;
    uint32_t type, padding[3];
};

struct mixture {
    float a, b;
};

struct pair {
    uint32_t mine, theirs;
};

struct box {
    uint32_t side, cell_cnt, atom_cnt, pair_cnt, longest; /* longest: most atoms of a cell */
    struct atom *atoms;                                   /* cell by cell */
    struct mixture mixtures[TYPES * TYPES];
    uint32_t *first, *first_pair; /* of a cell: its first atom and pair */
    struct pair *pairs;
    float *got;       /* of an atom: force and energy, 4 floats */
    double *expected; /* the same */
};

/* Atoms keep a distance by standing near the points of a grid of their cell, each at its own. So no force dwarfs all others. */
static struct atom make_atom(struct session *s, uint32_t place, uint32_t places, const uint32_t cell[3])
{
    struct atom a = {.charge = 4.0f * session_unit(s) - 2.0f, .type = session_below(s, TYPES)};
    const uint32_t grid[3] = {place % places, place / places % places, place / places / places};
    float *const at[3] = {&a.x, &a.y, &a.z};
    const float pitch = CELL / (float)places;
    for (uint32_t i = 0; i < 3; i++)
        *at[i] = (float)cell[i] * CELL + pitch * ((float)grid[i] + 0.2f + 0.6f * session_unit(s));
    return a;
}

static void fill_cell(struct session *s, struct box *b, uint32_t cell, uint32_t average)
{
    const uint32_t at[3] = {cell % b->side, cell / b->side % b->side, cell / b->side / b->side};
    const uint32_t wanted = average / 2 + session_below(s, average + 1);
    uint32_t places = 1;
    while (places * places * places < 2 * average)
        places++;
    const uint32_t all = places * places * places;
    uint32_t left = wanted < all ? wanted : all;
    b->first[cell] = b->atom_cnt;
    for (uint32_t place = 0; place < all; place++)
        if (session_below(s, all - place) < left) {
            b->atoms[b->atom_cnt++] = make_atom(s, place, places, at);
            left--;
        }
    const uint32_t n = b->atom_cnt - b->first[cell];
    b->longest = n > b->longest ? n : b->longest;
}

static void list_pairs(struct box *b)
{
    const int64_t side = b->side;
    for (uint32_t cell = 0; cell < b->cell_cnt; cell++) {
        b->first_pair[cell] = b->pair_cnt;
        for (int64_t i = 0; i < 27; i++) {
            const int64_t x = cell % side + i % 3 - 1, y = cell / side % side + i / 3 % 3 - 1, z = cell / side / side + i / 9 - 1;
            if (x >= 0 && y >= 0 && z >= 0 && x < side && y < side && z < side)
                b->pairs[b->pair_cnt++] = (struct pair){cell, (uint32_t)(x + side * (y + side * z))};
        }
    }
    b->first_pair[b->cell_cnt] = b->pair_cnt;
}

static void make_box(struct session *s, struct box *b)
{
    const uint32_t average = (uint32_t)s->x->param[ATOMS];
    const uint64_t room = (uint64_t)b->cell_cnt * (average / 2 + average);
    b->atoms = session_array(s, room + 1, sizeof *b->atoms);
    b->first = session_array(s, b->cell_cnt + UINT64_C(1), sizeof *b->first);
    b->first_pair = session_array(s, b->cell_cnt + UINT64_C(1), sizeof *b->first_pair);
    b->pairs = session_array(s, 27 * (uint64_t)b->cell_cnt, sizeof *b->pairs);
    b->got = session_array(s, 4 * room + 1, sizeof *b->got);
    b->expected = session_array(s, 4 * room + 1, sizeof *b->expected);
    if (s->status != 0)
        return;
    for (uint32_t i = 0; i < TYPES; i++)
        for (uint32_t k = i; k < TYPES; k++)
            b->mixtures[i * TYPES + k] = b->mixtures[k * TYPES + i] =
                (struct mixture){8.0f + 8.0f * session_unit(s), 4.0f + 4.0f * session_unit(s)};
    for (uint32_t cell = 0; cell < b->cell_cnt; cell++)
        fill_cell(s, b, cell, average);
    b->first[b->cell_cnt] = b->atom_cnt;
    list_pairs(b);
}

static void forces_on_gpu(struct session *s, struct box *b)
{
    const uint64_t atoms = session_upload(s, b->atoms, (b->atom_cnt + UINT64_C(1)) * sizeof *b->atoms);
    const uint64_t first = session_upload(s, b->first, (b->cell_cnt + UINT64_C(1)) * sizeof *b->first);
    const uint64_t first_pair = session_upload(s, b->first_pair, (b->cell_cnt + UINT64_C(1)) * sizeof *b->first_pair);
    const uint64_t pairs = session_upload(s, b->pairs, b->pair_cnt * sizeof *b->pairs);
    const uint64_t partial = session_upload(s, NULL, 16 * (uint64_t)b->pair_cnt * b->longest + 16);
    const uint64_t force = session_upload(s, NULL, 16 * (uint64_t)b->atom_cnt + 16);
    session_constant(s, "mixtures", b->mixtures, sizeof b->mixtures);
    session_launch(s, "pair_forces", b->pair_cnt, THREADS, COWARP_U64(atoms), COWARP_U64(first), COWARP_U64(pairs),
                   COWARP_F32(CUTOFF * CUTOFF), COWARP_U64(partial), COWARP_U32(b->longest));
    session_launch(s, "sum_forces", b->cell_cnt, THREADS, COWARP_U64(first), COWARP_U64(first_pair), COWARP_U64(partial),
                   COWARP_U32(b->longest), COWARP_U64(force));
    session_read(s, b->got, force, 16 * (uint64_t)b->atom_cnt);
}

/* Force and energy that q adds to those of p. What is near enough is decided in single precision, as in the kernel: at the cut-off the
 * force jumps. */
static void act(const struct box *b, const struct atom *p, const struct atom *q, double *sum)
{
    const float fx = p->x - q->x, fy = p->y - q->y, fz = p->z - q->z;
    if (fx * fx + fy * fy + fz * fz >= CUTOFF * CUTOFF)
        return;
    const double d[3] = {(double)fx, (double)fy, (double)fz}, r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const struct mixture *const m = &b->mixtures[p->type * TYPES + q->type];
    const double repulsion = (double)m->a / pow(r, 12), attraction = (double)m->b / pow(r, 6);
    const double coulomb = (double)p->charge * (double)q->charge / r;
    for (uint32_t i = 0; i < 3; i++)
        sum[i] += (12 * repulsion - 6 * attraction + coulomb) / (r * r) * d[i];
    sum[3] += repulsion - attraction + coulomb;
}

struct along {
    float x;
    uint32_t atom;
};

static int by_x(const void *left, const void *right)
{
    const struct along *const a = left, *const b = right;
    return a->x < b->x ? -1 : a->x > b->x;
}

static void forces_on_host(struct session *s, struct box *b)
{
    struct along *const order = session_array(s, b->atom_cnt + UINT64_C(1), sizeof *order);
    if (s->status != 0)
        return;
    for (uint32_t i = 0; i < b->atom_cnt; i++)
        order[i] = (struct along){b->atoms[i].x, i};
    qsort(order, b->atom_cnt, sizeof *order, by_x);
    for (uint32_t i = 0; i < b->atom_cnt; i++)
        for (uint32_t k = i + 1; k < b->atom_cnt && order[k].x - order[i].x <= CUTOFF; k++) {
            const uint32_t p = order[i].atom, q = order[k].atom;
            act(b, &b->atoms[p], &b->atoms[q], &b->expected[4 * (size_t)p]);
            act(b, &b->atoms[q], &b->atoms[p], &b->expected[4 * (size_t)q]);
        }
}

static int run(struct cowarp_workload_context *x)
{
    struct session s;
    struct box b = {.side = (uint32_t)x->param[CELLS]};
    b.cell_cnt = b.side * b.side * b.side;
    session_open(&s, x);
    make_box(&s, &b);
    if (s.status == 0) {
        forces_on_gpu(&s, &b);
        forces_on_host(&s, &b);
        session_compare_near(&s, "component of force or energy", b.got, b.expected, 4 * (uint64_t)b.atom_cnt, 1e-5);
        session_passed(&s, "forces and energies of %u atoms in %u pairs of cells are right to 1e-5 of the largest", b.atom_cnt, b.pair_cnt);
    }
    return session_close(&s);
}

const struct cowarp_workload cowarp_workload_namd = {
    .name = "namd",
    .folder = "namd",
    .what = "short-range forces between atoms with a cut-off (divergent; Fung 2015, Table 3.1)",
    .variants = COWARP_PLAIN,
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .run = run,
};
