/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Word of a long command for `cowarp serve`: a folder in the cache with one file, which scripts/results/runner.py reads and removes when its
 * process is gone. Where the cache cannot be written there is none: it is no part of a result.
 */
#ifndef COWARP_CLI_BOARD_H
#define COWARP_CLI_BOARD_H

#include "cli.h"

struct cli_board {
    char folder[CLI_PATH_BYTES]; /* "": there is none */
    const struct cli_parsed *command;
    const char *what; /* its jobs are called so */
    uint32_t at_once;
    uint64_t total, done;
    double began, written; /* seconds since 1970 */
};

/* Strings are the caller's, until close. */
void cli_board_open(struct cli_board *b, const struct cli_parsed *command, const char *what, uint32_t at_once, uint64_t total);
/* So many jobs are done; writes twice a second at most. */
void cli_board_tell(struct cli_board *b, uint64_t done);
void cli_board_close(struct cli_board *b);

#endif
