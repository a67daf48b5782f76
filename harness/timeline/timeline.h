/* SPDX-License-Identifier: Apache-2.0 */
/* A timeline of a run, as trace events in one JSON file (docs/profile.md). */
#ifndef CW_HARNESS_TIMELINE_TIMELINE_H
#define CW_HARNESS_TIMELINE_TIMELINE_H

#include "base/error.h"
#include "gpu/gpu.h"

struct cw_timeline;

struct cw_timeline_options {
    const char *path;    /* written under a temporary name, renamed by cw_timeline_close */
    uint64_t begin, end; /* core cycles shown: begin <= cycle < end; end 0: to the end of the run */
    uint64_t mbytes;     /* the file is not larger, at least 1 */
    uint32_t warps;      /* slots of a core */
    const char *about;   /* members of the file's "otherData", as JSON without braces; copied */
};

/* The GPU exists already. CW_EIO or CW_ENOMEM. */
int cw_timeline_create(struct cw_timeline **timeline, const struct cw_timeline_options *options, struct cw_gpu *gpu, struct cw_error *err);
/* To be called after every time step. */
void cw_timeline_step(struct cw_timeline *t, cw_time now);
/* A launch of the kernel begins; NULL: it has ended. */
void cw_timeline_launch(struct cw_timeline *t, const char *kernel);
/* Completes the file; there is none when nothing has run. What happens later is not shown. Closed before: CW_OK. */
int cw_timeline_close(struct cw_timeline *t, struct cw_error *err);
/* After the GPU has gone; the file is left out when it is not complete. t may be NULL. */
void cw_timeline_destroy(struct cw_timeline *t);

#endif
