/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs that are done, a line each. Only what this build has run counts, of the same words and the same inputs: for others the file begins anew.
 *
 * Private to: jobs.c, journal.c.
 */
#ifndef COWARP_CLI_JOURNAL_H
#define COWARP_CLI_JOURNAL_H

#include <stdio.h>

#include "jobs.h"

struct cli_journal {
    FILE *file;   /* NULL: there is none */
    size_t bytes; /* of a result */
    bool failed;  /* a line could not be written */
};

/* known: [total] 1 for each job that is done, whose result is then in result, [total] of j->bytes. CLI_OK or an exit status, the error
 * printed. Close it in any case. */
int cli_journal_open(struct cli_journal *f, const struct cli_jobs *j, const struct cli_parsed *p, uint8_t *known, uint8_t *result);
void cli_journal_add(struct cli_journal *f, uint64_t i, const void *result);
/* CLI_OK or CLI_FAILED, the error printed. */
int cli_journal_close(struct cli_journal *f);

#endif
