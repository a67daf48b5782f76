/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cowarp crash: the run, the GPU that recovers, and what a point of failure comes to.
 *
 * Private to: crash.c, explore.c, crash_recover.c.
 */
#ifndef COWARP_CLI_CRASH_H
#define COWARP_CLI_CRASH_H

#include "cli.h"
#include "workloads.h"

struct crash {
    struct cli_request request;
    const struct cli_parsed *p;
    struct cli_session session; /* the run; its GPU has the log and the graph */
    struct cowarp_gpu *gpu;     /* which recovers */
    struct cowarp_workload_context x;
    uint64_t wanted; /* points; UINT64_MAX: all */
    bool model;      /* states that the model allows; else prefixes of the log */
    bool at_cycle;   /* the one point of this cycle */
    uint64_t cycle;
    uint64_t persists; /* of the run */
    uint64_t done;     /* points that are right */
    uint64_t cycles;   /* that their recoveries took */
    char image[4096];  /* file for the image of a point that is wrong */
};

/* explore.c: states that the model allows. CLI_OK: all that were tried are right, and their number has been printed. */
int crash_explore(struct crash *c);
/* The same without each ordering operation in turn: which of them the recovery needs. */
int crash_operations(struct crash *c);

/* crash_recover.c. The GPU has an image: recovers and verifies; a COWARP_E... */
int crash_recover(struct crash *c);
/* What the last recovery has said. */
const char *crash_why(const struct crash *c, int outcome);
/* The same machine and parameters, on the file's image: prints the command. */
void crash_print_replay(const struct crash *c);
/* The GPU has the image: writes it to the file, and prints the command that recovers from it. */
int crash_save(struct crash *c);

#endif
