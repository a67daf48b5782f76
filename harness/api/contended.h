/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of memory that threads contend for, with the names of the variables that they lie in. Of each kind a table keeps the most wanted ones of
 * a kernel, as the algorithm that is known as Space-Saving does: with up to COWARP_CONTENDED different words it is exact; else
 * a word may be counted too often, by no more than it says, and none that has more than a COWARP_CONTENDED-th of all is left out. Private to:
 * profile.c, profile_text.c, contended.c.
 */
#ifndef CW_HARNESS_API_CONTENDED_H
#define CW_HARNESS_API_CONTENDED_H

#include <stdio.h>

#include "gpu/gpu.h"
#include "ir/module.h"

#define COWARP_CONTENDED 256u

/* What is counted: attempts of transactions, per lane; atomics, per lane; cycles. */
enum cowarp_contention { COWARP_ABORTS, COWARP_ATOMICS, COWARP_BANK_CYCLES, COWARP_CONTENTIONS };

struct cowarp_contended {
    uint64_t total;
    uint32_t cnt;
    struct cowarp_word {
        uint64_t addr, count, surplus; /* surplus: it may have been counted too often by so much */
        char name[64];
    } word[COWARP_CONTENDED];
};

/* Where the words of a launch have their names from. */
struct cowarp_contended_launch {
    const struct cw_memory *memory;
    const struct cw_module *module;
    const struct cw_kernel *kernel;
    uint64_t global_base; /* of the module's .global segment */
    const uint8_t *param; /* of kernel->param_bytes bytes; NULL: none */
};

/* Counts what an event tells, if it tells of contention. words: [COWARP_CONTENTIONS]. */
void cowarp__contended_hear(struct cowarp_contended *words, const struct cowarp_contended_launch *launch, const struct cw_event *e);
/* The part of a profile; nothing where there is nothing. Sorts the words. */
void cowarp__contended_text(struct cowarp_contended *words, FILE *f);

#endif
