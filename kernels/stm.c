/* SPDX-License-Identifier: Apache-2.0 */
#include "stm.h"

#include <stdio.h>
#include <string.h>

#include "include/stm_layout.h"

int stm_is(enum cowarp_variant variant)
{
    return variant == COWARP_STM_TL2 || variant == COWARP_STM_PR;
}

const char *stm_kernel(char name[64], const char *folder, enum cowarp_variant variant)
{
    const char *kind = variant == COWARP_TX        ? "tx"
                       : variant == COWARP_FGLOCK  ? "fglock"
                       : variant == COWARP_CGLOCK  ? "cglock"
                       : variant == COWARP_STM_TL2 ? "stm_tl2"
                                                   : "stm_pr";
    snprintf(name, 64, "%s_%s", folder, kind);
    return name;
}

uint64_t stm_bytes(enum cowarp_variant variant)
{
    return stm_is(variant) ? UINT64_C(4) * STM_WORDS : sizeof(uint32_t);
}

int stm_finish(struct cowarp_workload_context *x, uint64_t address, int status)
{
    uint32_t word[STM_TABLE];
    if (!stm_is(x->variant) || (status != 0 && status != COWARP_ECHECK))
        return status;
    const int read = cowarp_read(x->gpu, word, address, sizeof word);
    if (read != 0)
        return read;
    if (word[STM_FAULT] != 0) {
        snprintf(x->message, sizeof x->message, "a transaction has %s more words than its log holds: %s in the kernel is too small",
                 word[STM_FAULT] == STM_FAULT_READ ? "read" : "written", word[STM_FAULT] == STM_FAULT_READ ? "STM_READS" : "STM_WRITES");
        return COWARP_ECHECK;
    }
    const size_t used = strlen(x->message);
    if (status == 0)
        snprintf(x->message + used, sizeof x->message - used, "; %u aborts", word[STM_ABORTS]);
    return status;
}
