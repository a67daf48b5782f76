/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the ways in which workloads synchronise. */
#ifndef CW_HARNESS_CLI_WORKLOADS_H
#define CW_HARNESS_CLI_WORKLOADS_H

#include <stdbool.h>

#include "cowarp/workload.h"

/* "fglock"; NULL for none. */
const char *cli_variant_name(unsigned variant);
bool cli_variant_find(const char *name, enum cowarp_variant *variant);

#endif
