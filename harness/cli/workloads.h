/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads on a command line: requests, and names of the ways in which workloads synchronise. */
#ifndef CW_HARNESS_CLI_WORKLOADS_H
#define CW_HARNESS_CLI_WORKLOADS_H

#include <stdbool.h>

#include "cli.h"
#include "cowarp/workload.h"

/* "fglock"; NULL for none. */
const char *cli_variant_name(unsigned variant);
bool cli_variant_find(const char *name, enum cowarp_variant *variant);

/* A workload, resolved. */
struct cli_request {
    const struct cowarp_workload *workload;
    const char *system;
    enum cowarp_variant variant;
    int64_t *param;
    char ptx[CLI_PATH_BYTES]; /* its kernels */
};

/* Options of a command that takes a workload. */
#define CLI_WORKLOAD_OPTIONS                                                                                                         \
    {"system", "NAME", 0,                                                                                                            \
     "transactional system, none, fglock, cglock, stm-tl2 or stm-pr (default: the one that the workload's transactions are for, or " \
     "none)"},                                                                                                                       \
        {"variant", "NAME", 0, "plain, tx, fglock, cglock, stm-tl2 or stm-pr (default: what suits the system)"},                     \
    {                                                                                                                                \
        "param", "NAME=VALUE", CLI_REPEATS, "a parameter of the workload"                                                            \
    }

/* CLI_OK or CLI_WRONG, the error printed; free it in any case. command: for messages. */
int cli_request_read(struct cli_request *q, const struct cli_parsed *p, const char *command);
void cli_request_free(struct cli_request *q);
/* The workload's parameters, for the statistics of this GPU; a status of libcowarp. */
int cli_request_note(const struct cli_request *q, struct cowarp_gpu *gpu);
struct cowarp_workload_context cli_request_context(const struct cli_request *q, struct cowarp_gpu *gpu, uint64_t seed);
/* Recovers, as the phase "recovery", and verifies; a status of libcowarp. *cycles: what the recovery took. */
int cli_request_recover(const struct cli_request *q, struct cowarp_workload_context *x, uint64_t *cycles);

#endif
