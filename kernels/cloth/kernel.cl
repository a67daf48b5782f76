/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distance solver of a cloth (Fung 2015, CL and CLto; GETM Table III): each thread applies one constraint, a rope between two particles
 * that pulls them together when it is stretched. Transaction of cl: both positions (8 words), rest length and stiffness are read; if the
 * rope is stretched, both inverse masses as well, and both positions are written (8 words). clto reads what never changes before the
 * transaction.
 *
 * Positions are fixed-point numbers, and particles move by an integer impulse times their integer inverse mass: so momentum is conserved to
 * the last bit in any order. The fourth word of a position counts its updates; a thread leaves the counts that it saw in seen[], from which
 * the host finds the order in which the constraints took effect.
 */
#include "sync.h"

#pragma OPENCL FP_CONTRACT OFF /* the host repeats the arithmetic bit by bit */

struct constraint {
    uint a, b;     /* particles */
    float2 spring; /* rest length in units of position; stiffness, the share of the excess that one application removes */
};

static float rope_length(int4 a, int4 b)
{
    float x = (float)(b.x - a.x), y = (float)(b.y - a.y), z = (float)(b.z - a.z);
    return sqrt(x * x + y * y + z * z);
}

/* Moves a and b, of inverse masses wa and wb, towards each other. */
static void pull(int4 *a, int4 *b, float length, float2 spring, int wa, int wb)
{
    float scale = spring.y * (length - spring.x) / (length * (float)(wa + wb));
    int4 impulse;
    impulse.x = (int)((float)(b->x - a->x) * scale);
    impulse.y = (int)((float)(b->y - a->y) * scale);
    impulse.z = (int)((float)(b->z - a->z) * scale);
    impulse.w = 0;
    *a += impulse * wa;
    *b -= impulse * wb;
    a->w++;
    b->w++;
}

/* One constraint, inside a transaction or under locks; the counts that it saw. (The spring is volatile so that both words are loaded here,
 * not one of them in the branch.) */
static uchar solve(__global const volatile struct constraint *c, __global const int *inverse_mass, __global volatile int4 *position,
                   uint ia, uint ib)
{
    int4 a = position[ia], b = position[ib];
    uchar counts = (uchar)(a.w | b.w << 4);
    float2 spring = c->spring;
    float length = rope_length(a, b);
    if (length > spring.x) {
        pull(&a, &b, length, spring, inverse_mass[ia], inverse_mass[ib]);
        position[ia] = a;
        position[ib] = b;
    }
    return counts;
}

/* The same with everything but the positions in registers. */
static uchar solve_loaded(struct constraint c, int wa, int wb, __global volatile int4 *position)
{
    int4 a = position[c.a], b = position[c.b];
    uchar counts = (uchar)(a.w | b.w << 4);
    float length = rope_length(a, b);
    if (length > c.spring.x) {
        pull(&a, &b, length, c.spring, wa, wb);
        position[c.a] = a;
        position[c.b] = b;
    }
    return counts;
}

#define PARAMETERS                                                                                                     \
    __global const struct constraint *constraints, __global const int *inverse_mass, __global volatile int4 *position, \
        __global uchar *seen, uint n, __global volatile uint *locks

__kernel void cl_tx(PARAMETERS)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint a = constraints[i].a, b = constraints[i].b;
    tx_begin();
    uchar counts = solve(&constraints[i], inverse_mass, position, a, b);
    tx_commit();
    seen[i] = counts;
}

__kernel void clto_tx(PARAMETERS)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    struct constraint c = constraints[i];
    int wa = inverse_mass[c.a], wb = inverse_mass[c.b];
    tx_begin();
    uchar counts = solve_loaded(c, wa, wb, position);
    tx_commit();
    seen[i] = counts;
}

/* Runs `statement` once while holding the particles' locks, taken in descending order, so that no two threads wait for each other. */
#define WITH_TWO_LOCKS(lock, a, b, statement)                \
    do {                                                     \
        __global volatile uint *first = &(lock)[max(a, b)];  \
        __global volatile uint *second = &(lock)[min(a, b)]; \
        int done = 0;                                        \
        while (!done) {                                      \
            if (atomic_cmpxchg(first, 0u, 1u) == 0) {        \
                if (atomic_cmpxchg(second, 0u, 1u) == 0) {   \
                    statement;                               \
                    FENCE_DEVICE();                          \
                    atomic_xchg(second, 0u);                 \
                    done = 1;                                \
                }                                            \
                atomic_xchg(first, 0u);                      \
            }                                                \
            KEEP_LOOP_SHAPE(done);                           \
        }                                                    \
    } while (0)

#define WITH_LOCK(lock, statement)                   \
    do {                                             \
        int done = 0;                                \
        while (!done) {                              \
            if (atomic_cmpxchg(lock, 0u, 1u) == 0) { \
                statement;                           \
                FENCE_DEVICE();                      \
                atomic_xchg(lock, 0u);               \
                done = 1;                            \
            }                                        \
            KEEP_LOOP_SHAPE(done);                   \
        }                                            \
    } while (0)

__kernel void cl_fglock(PARAMETERS)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint a = constraints[i].a, b = constraints[i].b;
    uchar counts;
    WITH_TWO_LOCKS(locks, a, b, counts = solve(&constraints[i], inverse_mass, position, a, b));
    seen[i] = counts;
}

__kernel void clto_fglock(PARAMETERS)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    struct constraint c = constraints[i];
    int wa = inverse_mass[c.a], wb = inverse_mass[c.b];
    uchar counts;
    WITH_TWO_LOCKS(locks, c.a, c.b, counts = solve_loaded(c, wa, wb, position));
    seen[i] = counts;
}

__kernel void cl_cglock(PARAMETERS)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint a = constraints[i].a, b = constraints[i].b;
    uchar counts;
    WITH_LOCK(locks, counts = solve(&constraints[i], inverse_mass, position, a, b));
    seen[i] = counts;
}

__kernel void clto_cglock(PARAMETERS)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    struct constraint c = constraints[i];
    int wa = inverse_mass[c.a], wb = inverse_mass[c.b];
    uchar counts;
    WITH_LOCK(locks, counts = solve_loaded(c, wa, wb, position));
    seen[i] = counts;
}
