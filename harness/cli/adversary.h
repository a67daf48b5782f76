/* SPDX-License-Identifier: Apache-2.0 */
/* cowarp exec --adversary N: the same request on the machine as it is, and then under N adversaries of memory (core.memory=adversary). */
#ifndef COWARP_CLI_ADVERSARY_H
#define COWARP_CLI_ADVERSARY_H

#include "cli.h"

/* Memory of the device after a run. */
struct cli_buffer {
    const char *name;
    uint64_t address, bytes;
};

/* How a request is run, and what it leaves. */
struct cli_adversary_run {
    void *self;
    const char *title, *system;
    int (*run)(void *self, struct cowarp_gpu *gpu);                  /* a status of libcowarp */
    uint32_t (*buffers)(void *self, const struct cli_buffer **list); /* of the last run; valid until the next one */
};

/* CLI_OK: all runs end with the same bytes. CLI_FAILED: one does not, or fails, and the first difference is printed with the command that
 * shows it again. */
int cli_adversary(const struct cli_parsed *p, const struct cli_adversary_run *r);

#endif
