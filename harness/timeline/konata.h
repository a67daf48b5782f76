/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log of a run's warp instructions, stage by stage, that Konata shows: Kanata 0004, one command a line (docs/profile.md).
 *
 * Each instruction that issues is in it once. Its stages are F, until the warp has it; W, until its registers, a barrier or the like let it
 * issue; Q, while the scheduler issues others; I, the cycle in which it issues; then X, until its registers may be used, or M, until its access
 * to memory is over. Stages without a cycle are left out. A thread of the log is a slot of a core.
 */
#ifndef CW_HARNESS_TIMELINE_KONATA_H
#define CW_HARNESS_TIMELINE_KONATA_H

#include "base/error.h"
#include "gpu/gpu.h"

struct cw_konata;
struct cw_kernel;

struct cw_konata_options {
    const char *path;    /* as of a timeline; .gz compresses, and the limit is of the text */
    uint64_t begin, end; /* instructions that issue in these core cycles: begin <= cycle < end; end 0: to the end of the run */
    uint64_t mbytes;     /* the text is not larger, at least 1; the instructions are held until the end */
    uint32_t warps;      /* slots of a core */
};

/* The GPU exists already. CW_EIO or CW_ENOMEM. */
int cw_konata_create(struct cw_konata **konata, const struct cw_konata_options *options, struct cw_gpu *gpu, struct cw_error *err);
/* A launch of the kernel is about to begin. Kernel and text, which ends with a 0, stay until cw_konata_close. CW_ENOMEM. */
int cw_konata_launch(struct cw_konata *k, const struct cw_kernel *kernel, const char *text, struct cw_error *err);
/* Writes the file; there is none when nothing has run. *full_at: the core cycle of the first instruction that has found no room, UINT64_MAX:
 * all have. Closed before: CW_OK. */
int cw_konata_close(struct cw_konata *k, uint64_t *full_at, struct cw_error *err);
/* After the GPU has gone; without cw_konata_close before, there is no file. k may be NULL. */
void cw_konata_destroy(struct cw_konata *k);

#endif
