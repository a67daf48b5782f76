/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions in software, for host code (kernels/include/stm.h is the kernels' side). */
#ifndef KERNELS_HOST_STM_H
#define KERNELS_HOST_STM_H

#include <stdint.h>

#include "cowarp/workload.h"

/* Whether the variant is one of transactions in software. */
int stm_is(enum cowarp_variant variant);

/* "list_tx", "list_stm_pr": the kernel of a workload's folder for this variant. A string that lasts until the next call with this buffer. */
const char *stm_kernel(char name[64], const char *folder, enum cowarp_variant variant);

/* Bytes of what transactions in software share, zero at first; of other variants, those of one lock. The kernels stm_tl2, stm_pr and cglock
 * take its address as their last argument. */
uint64_t stm_bytes(enum cowarp_variant variant);

/* After the launch and the check, whose status it takes: a log that was too small is COWARP_ECHECK and named in the message; to the message
 * of a right result it adds the number of aborts. Returns the status. Other variants: nothing happens. */
int stm_finish(struct cowarp_workload_context *x, uint64_t address, int status);

#endif
