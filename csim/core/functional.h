/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A core without time: its warps run one after the other, each as far as it can, and memory is read and written at once. What an
 * instruction computes, which lanes run next, what a barrier waits for and what is a fault are the same code as in the timed core.
 *
 * Such a core is created with no crossbars and the policy of SIMT stacks, prepared and given blocks as every core, and never ticks. Its
 * `cycle` counts the warp instructions that it has executed; that is what a program reads as its clock.
 */
#ifndef CW_CORE_FUNCTIONAL_H
#define CW_CORE_FUNCTIONAL_H

#include "core/core.h"
#include "core/native.h"

#define CW_HOST_LINE 64 /* Bytes of a line of the host's caches: what threads of it write lies in lines of their own */

/* What a core needs that runs without time, and what it has done. */
struct cw_functional {
    _Alignas(CW_HOST_LINE) struct cw_core *core;
    struct cw_memory *memory; /* the one whose addresses the core checks */
    uint64_t warp_instructions, thread_instructions;
    uint64_t progress; /* The core's, by struct cw_core_config */
    bool spins;        /* in its last turn no warp did more than poll memory, which a block that has not begun may be needed for */
    bool has_others;   /* Cores in other threads of the host run blocks of the same launch (cw_functional_apart) */
    bool in_region;    /* `warp` was in a region when its last turn ended: the core has to have the next turn, before any other one */
    uint32_t warp;
    uint32_t slots;           /* of warps, of which those behind have none */
    struct cw_native *native; /* the launch runs in native code where there is some; NULL: it does not */
};

/* A region is executed by one lane of a warp after the other, and no other warp runs meanwhile: all regions are critical sections of one
 * lock. To be called once, before the first launch. CW_ENOMEM. */
int cw_functional_attach(struct cw_functional *f, struct cw_error *err);
/* The core is prepared for a launch, which may run in native code. */
void cw_functional_native(struct cw_functional *f, struct cw_native *n);
/* Whether blocks of the prepared launch can run in any order, and side by side: none of them waits for another one, or asks for a number that
 * depends on it (an atomic on device memory whose result is read or rounded, a volatile load, the clock, the core), and the host hears of none
 * before the end. What is left are races by plain loads and stores, whose result depends on the order. */
bool cw_functional_apart(const struct cw_functional *f);
/* Starts a block of the prepared launch, for which there is room (cw_core_can_take_block). */
void cw_functional_start_block(struct cw_functional *f, const uint32_t ctaid[3]);
/* Each warp runs until it waits, ends, sleeps, has polled memory a few times, or has executed many instructions. false: no warp could run,
 * so those that are there wait for each other for ever. */
bool cw_functional_turn(struct cw_functional *f);

#endif
