/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cowarp crash: the run, the GPUs that recover, and what a point of failure comes to.
 *
 * Private to: crash.c, explore.c, crash_recover.c.
 */
#ifndef COWARP_CLI_CRASH_H
#define COWARP_CLI_CRASH_H

#include "cli.h"
#include "jobs.h"
#include "script.h"
#include "workloads.h"

/* A GPU that recovers. */
struct crash_gpu {
    struct cowarp_gpu *gpu;
    struct cowarp_workload_context x; /* of a workload */
    struct script_run script;         /* of a script */
};

struct crash {
    /* What runs, fails and recovers: a workload, or a script of anyone's. */
    const char *name, *variant, *system;
    struct cli_request request; /* of a workload */
    bool is_script;
    struct script script;
    struct script_parts parts;
    const struct cli_parsed *p;
    struct cli_session session; /* the run; its GPU has the log and the graph */
    struct crash_gpu first;     /* which recovers; with twice it has log and graph of that, too */
    struct crash_gpu second;    /* twice: which recovers from a failure of the recovery */
    bool twice;
    uint64_t wanted; /* points; UINT64_MAX: all */
    bool model;      /* states that the model allows; else prefixes of the log */
    bool at_cycle;   /* the one point of this cycle */
    uint64_t cycle;
    uint64_t persists; /* of the run */
    uint64_t done;     /* points that are right */
    uint64_t failures; /* in these recoveries, from which others were right */
    uint64_t cycles;   /* that their recoveries took */
    uint64_t last;     /* cycles of the last recovery in this process */
    uint64_t *point;   /* moments of the log that are to be tried, in ascending order; owned */
    struct cli_jobs jobs;
    char image[4096]; /* file for the image of a point that is wrong */
};

/* Of a point that is right. */
struct crash_result {
    uint64_t cycles; /* of its recovery */
    uint64_t second; /* failures in that */
};

/* crash_recover.c. A point is one of c->jobs; its result is counted in c. run, context: as of struct cli_jobs. CLI_OK or an exit status, the error printed. */
int crash_points(struct crash *c, int (*run)(void *context, uint64_t i, void *result), void *context, const char *what, uint64_t total);

/* explore.c: states that the model allows. CLI_OK: all that were tried are right, and their number has been printed. */
int crash_explore(struct crash *c);
/* The same without each ordering operation in turn: which of them the recovery needs. */
int crash_operations(struct crash *c);

/* crash_recover.c. A GPU of the run's machine, without what the run leaves besides. log: as of struct cowarp_options. CLI_OK or CLI_FAILED,
 * the error printed; close it in any case. */
int crash_gpu_open(struct crash *c, struct crash_gpu *g, int log);
void crash_gpu_close(struct crash_gpu *g);
/* The GPU has an image: recovers and verifies; a COWARP_E... */
int crash_recover(struct crash *c, struct crash_gpu *g);
/* What the last recovery has said. */
void crash_why(const struct crash *c, const struct crash_gpu *g, int outcome, char *text, size_t bytes);
/* The same machine and parameters, on the file's image: prints the command. */
void crash_print_replay(const struct crash *c);
/* The GPU has the image: writes it to the file, and prints the command that recovers from it. */
int crash_save(struct crash *c, struct crash_gpu *g);

#endif
