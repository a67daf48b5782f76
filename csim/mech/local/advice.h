/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What transactions in shared memory cost a work-group, whether a core has it, and which detector and which serialisation suit a kernel
 * (GPU-LocalTM, sections 5 and 7). docs/command.md tells users; README.md says why the rules are as they are.
 */
#ifndef CW_MECH_LOCAL_ADVICE_H
#define CW_MECH_LOCAL_ADVICE_H

#include "base/config.h"
#include "ir/module.h"

#define CW_LOCAL_DETECTS      4u
#define CW_LOCAL_SERIALS      4u
#define CW_LOCAL_COMBINATIONS (CW_LOCAL_DETECTS * CW_LOCAL_SERIALS) /* number: detector * 4 + serialisation, as their keys number them */

/* What a work-group takes, or a core has. */
struct cw_local_need {
    uint32_t vector_registers; /* 32-bit words of one lane */
    uint32_t scalar_registers; /* 32-bit words of one wavefront */
    uint32_t shared_bytes;
};

/* What detector and serialisation add for a work-group of so many work-items in wavefronts of `width` lanes, of whose shared memory `words`
 * words are transactional. shared_bytes: with the kernel's own. */
struct cw_local_need cw_local_storage(const struct cw_config *config, uint32_t combination, uint32_t items, uint32_t words);

struct cw_local_line {
    struct cw_local_need need; /* the kernel's with the mechanism's */
    uint32_t groups;           /* work-groups that a core has room for */
    const char *lacks;         /* the resource that is too small for one of them, or "work-items"; NULL: none */
};

struct cw_local_advice {
    struct cw_local_need has; /* a core */
    struct cw_local_line alone;
    struct cw_local_line line[CW_LOCAL_COMBINATIONS];
    uint32_t chosen; /* a combination; CW_LOCAL_COMBINATIONS: none fits, and a lock has to do (lds-lock) */
    const char *why;
};

/* For a kernel whose work-groups have `items` work-items and `shared_bytes` of shared memory. */
void cw_local_advise(struct cw_local_advice *a, const struct cw_config *config, const struct cw_kernel *k, uint32_t items,
                     uint32_t shared_bytes);

/* "prw-sig", "ascending-single": as the keys take them. */
const char *cw_local_detect_name(uint32_t detect);
const char *cw_local_serial_name(uint32_t serial);

#endif
