/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A workload: inputs, launches and a check of the result, on top of the public API alone. Each lives in kernels/<name>/: kernel.cl
 * (OpenCL C, compiled to PTX at build time) and host.c, which defines `const struct cowarp_workload cowarp_workload_<name>`.
 */
#ifndef COWARP_WORKLOAD_H
#define COWARP_WORKLOAD_H

#include "cowarp/cowarp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a workload synchronises. A transactional variant needs a transactional system. */
enum cowarp_variant {
    COWARP_PLAIN = 1,    /* needs no synchronisation */
    COWARP_TX = 2,       /* transactions */
    COWARP_FGLOCK = 4,   /* fine-grained locks */
    COWARP_CGLOCK = 8,   /* one global lock */
    COWARP_STM_TL2 = 16, /* transactions in software, like TL2 (docs/stm.md) */
    COWARP_STM_PR = 32   /* transactions in software with priorities, like PR-STM */
};

/* An integer parameter that the user may change with --param name=value. */
struct cowarp_workload_param {
    const char *name;
    int64_t value_default, minimum, maximum;
    const char *what;
};

struct cowarp_workload_context {
    struct cowarp_gpu *gpu;
    enum cowarp_variant variant;
    const char *ptx_path; /* the workload's compiled kernels */
    const int64_t *param; /* values, in the order of the workload's params */
    uint64_t seed;
    struct cowarp_module *module; /* of ptx_path, when it has been loaded already by an earlier call on this GPU; else NULL */
    char message[256];            /* out: one line about the result, or what is wrong with it */
};

struct cowarp_workload {
    const char *name;   /* "ht-h" */
    const char *folder; /* kernels/<folder>/kernel.cl */
    const char *what;   /* one line, with the paper it comes from */
    const char *system; /* the transactional system that the tx variant is written for; NULL: any whose transactions are on global memory */
    unsigned variants;  /* set of enum cowarp_variant */
    const struct cowarp_workload_param *params;
    uint32_t param_count;
    /* Allocates, launches, reads back, checks. 0: the result is right. COWARP_ECHECK: it is wrong, context->message says how. Another
     * status: the API failed and cowarp_error(gpu) says why. */
    int (*run)(struct cowarp_workload_context *context);
    /* Workloads that keep their data in persistent memory; else both are NULL. The power has failed at any moment of a run() with the same
     * parameters and seed; this GPU has nothing but its durable image. recover() brings the data into a state from which the program can go
     * on: it undoes or completes what was under way. verify() comes next: whether the data is such a state. Status as of run(). */
    int (*recover)(struct cowarp_workload_context *context);
    int (*verify)(struct cowarp_workload_context *context);
};

/* All workloads, NULL-terminated. */
extern const struct cowarp_workload *const cowarp_workloads[];

#ifdef __cplusplus
}
#endif
#endif
