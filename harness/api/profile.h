/* SPDX-License-Identifier: Apache-2.0 */
/* Counts per micro-operation of the kernels that a GPU runs. Private to: profile.c, profile_text.c. */
#ifndef CW_HARNESS_API_PROFILE_H
#define CW_HARNESS_API_PROFILE_H

#include <stdio.h>

#include "contended.h"
#include "gpu/gpu.h"
#include "ir/module.h"

struct cowarp_profile_row {
    uint64_t warps, threads;     /* instructions that have issued, and their lanes with a true guard */
    uint64_t branches, diverged; /* branches that have issued, and those after which the lanes went two ways */
    uint64_t accesses;           /* to lines of global and local memory */
    uint64_t aborts;             /* attempts, counted per thread, of a transaction that begins here */
    uint64_t stall[CW_STALLS];   /* cycles of a scheduler that would have issued this next */
    uint64_t cause[CW_STALLS];   /* cycles of a scheduler that has waited for this */
    uint64_t at[CW_ATS];         /* of these, by where it was */
};

/* A kernel that has run. Its module lives as long as the GPU. */
struct cowarp_profile_kernel {
    const struct cw_module *module;
    const struct cw_kernel *kernel;
    const char *text; /* PTX that the module was made of, with a 0 behind it */
    uint32_t launches;
    struct cowarp_profile_row *row; /* [micro-operation] */
    struct cowarp_contended *words; /* [COWARP_CONTENTIONS] */
    struct cowarp_profile_kernel *next;
};

/* Writes all of them; false: no memory. issue_cycles: core.issue_cycles. */
bool cowarp__profile_text(struct cowarp_profile_kernel *first, uint32_t issue_cycles, FILE *f);

#endif
