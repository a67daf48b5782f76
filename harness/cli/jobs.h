/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runner under the commands that make many runs of one program: in this process one after the other, or side by side in processes that have
 * all that this one has. The results are the same, and come in the same order. Whatever ends this process ends the others, within a second.
 * With a journal what is done is not done again: not by the same command of the same build with the same inputs.
 */
#ifndef COWARP_CLI_JOBS_H
#define COWARP_CLI_JOBS_H

#include "cli.h"

#define CLI_JOBS_END (-1) /* there is no such job, nor one behind it */

struct cli_jobs {
    struct cli_session *session;
    const char *what;    /* they are called in lines about progress, as "points" */
    uint32_t at_once;    /* processes; with 1 there is only this one */
    uint64_t total;      /* at most so many jobs */
    const char *journal; /* file; NULL: none */
    size_t bytes;        /* of a result */
    /* Job i; leaves its result in `result`, which is zeros before. A process has its jobs in ascending order, and not each of them. CLI_OK;
     * CLI_JOBS_END; or an exit status, the error printed. Of a job that goes wrong in another process nobody sees what it prints: it is run
     * again in this one. */
    int (*run)(void *context, uint64_t i, void *result);
    /* The result of job i, in ascending order. CLI_OK, or an exit status that ends all. NULL: nobody wants them. */
    int (*done)(void *context, uint64_t i, const void *result);
    void *run_context, *done_context;
    uint64_t ended; /* jobs whose result has been told */
    bool worker;    /* this is one of the other processes */
};

/* --jobs and --journal, for the table of a command's options. */
#define CLI_JOBS_OPTIONS                                                                                                      \
    {"jobs", "N", CLI_WATCHES, "processes that share the work (default 1); the result is the same"},                          \
    {                                                                                                                         \
        "journal", "FILE", CLI_WATCHES, "what is done stands there: the same command goes on behind it after an interruption" \
    }

/* The two options. CLI_OK or CLI_WRONG, the error printed. */
int cli_jobs_read(struct cli_jobs *j, const struct cli_parsed *p);
/* CLI_OK or an exit status, the error printed, that of the first job that has gone wrong. */
int cli_jobs_run(struct cli_jobs *j, const struct cli_parsed *p);

#endif
