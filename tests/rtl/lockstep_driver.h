/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random lockstep of a unit's C model against its RTL, for tests/rtl/test_<unit>.c.
 *
 * Environment: COWARP_LOCKSTEP_CYCLES cycles per parameter set (default 1000000), half of them each with two sets of random
 * numbers in the RTL's registers and RAMs; COWARP_SEED the seed of these and of the stimulus (default 1; --gtest_random_seed also works);
 * COWARP_LOCKSTEP_ASSERT=0 leaves the Verilog's properties out (docs/proofs.md); COWARP_LOCKSTEP_LARGEST=1 runs the sets "largest" too,
 * for a tenth of the cycles; COWARP_CACHE where built RTL is kept. For scripts/mutate: COWARP_LOCKSTEP_SETS the labels of the only
 * sets to run, with commas, each for COWARP_LOCKSTEP_CYCLES, "default" for the default parameters, which no set needs to have, and "?" to
 * list all with their parameters; COWARP_LOCKSTEP_VERILOG a file that takes the place of the unit's own. For tests/rtl/unknowns.py:
 * COWARP_LOCKSTEP_RECORD a folder, into which the inputs and the C model's outputs of these sets are written, instead of a run. For the
 * tests state.<unit>: COWARP_LOCKSTEP_SAVED=1 saves and loads the C model instead (saved_unit.h).
 */
#ifndef CW_TESTS_RTL_LOCKSTEP_DRIVER_H
#define CW_TESTS_RTL_LOCKSTEP_DRIVER_H

#include <stdint.h>

#include "cowarp/unit.h"
#include "stimulus.h"

struct cw_lockstep_set {
    const char *label;
    const void *params;
    uint32_t phase_cycles; /* of the stimulus; 0: default */
};

struct cw_lockstep_bench {
    const struct cw_unit *unit;
    const struct cw_lockstep_set *sets;
    uint32_t set_cnt;
    cw_stimulus_constrain_fn *constrain; /* NULL: the contract allows all inputs */
    void *context;
};

/*
 * A deliberately broken copy of the unit: in module's file the text `from`, which must be there exactly once, is replaced.
 * set: index of the parameter set that shows it.
 */
struct cw_mutant {
    const char *what;
    const char *module;
    const char *from, *to;
    uint32_t set;
};

/* Runs all sets with resets in the middle; fails at the first difference, at the first property of the Verilog that does not hold, or when
 * a one-bit output never took one of its values in any set, or none reached a bin of tests/rtl/bins/<unit>.txt (then the stimulus lacks it).
 * Prints seed, cycles, checks and speed. */
void cw_lockstep_run(const struct cw_lockstep_bench *bench);

/* The same for a stimulus that is made for one thing, and need not reach the bins. */
void cw_lockstep_run_narrow(const struct cw_lockstep_bench *bench);

/* The same as cw_lockstep_run for benches of one unit, whose stimuli differ: what one of them reaches counts for all. */
void cw_lockstep_run_all(const struct cw_lockstep_bench *benches, uint32_t bench_cnt);

/*
 * The fill stimulus of a unit: everything that it keeps becomes full, empty, and full again, and its counters reach their ends. It runs at the
 * default parameters, which the GPU has, and with COWARP_LOCKSTEP_ENDS=1 at the sets of the ends of the parameters. Each of these must reach
 * each bin of tests/rtl/fill/<unit>.txt by itself.
 */
struct cw_lockstep_fill {
    const struct cw_unit *unit;
    const struct cw_lockstep_set *ends; /* the label "gpu" is that of the default parameters */
    uint32_t end_cnt;
    uint32_t cycles, largest_cycles; /* of each set, of that called "largest"; with a reset in the middle */
    cw_stimulus_constrain_fn *constrain;
    void *context;
    size_t context_size; /* begins with a pointer to the parameters; the rest is 0 after a reset */
};

void cw_lockstep_fill(const struct cw_lockstep_fill *fill);

/* Fails unless lockstep finds a difference in each of the broken copies. */
void cw_lockstep_catches(const struct cw_lockstep_bench *bench, const struct cw_mutant *mutants, uint32_t mutant_cnt);

/* Opens the unit's RTL for directed tests, as backend says, with its properties and random numbers in its registers; close by
 * instance->ops->destroy, then cw_directed_close. Fails the test when it cannot. */
struct cw_unit_provider cw_directed_open(const struct cw_unit *unit, const void *params, enum cw_unit_backend backend,
                                         struct cw_unit_instance *instance);
void cw_directed_close(struct cw_unit_provider *provider, struct cw_unit_instance *instance);

#endif
