/* SPDX-License-Identifier: Apache-2.0 */
/* What a program does wrong, as the core and the sanitizer (csim/check/sanitizer.h) say it. */
#ifndef CW_EVENT_FINDING_H
#define CW_EVENT_FINDING_H

#include <stdint.h>

/* Kinds of what is checked; bits of a set. */
enum cw_check {
    CW_CHECK_MEMORY = 1, /* accesses outside of an allocation, of shared or local memory; misaligned ones; to freed memory */
    CW_CHECK_SYNC = 2,   /* barriers and operations across lanes that do not have the threads that they wait for */
    CW_CHECK_RACE = 4,   /* two threads touch a byte of shared or device memory, one writes, and nothing orders them */
    CW_CHECK_INIT = 8    /* a load of bytes that nobody has written */
};
#define CW_CHECKS 4u

/* Of one thread at one instruction. */
struct cw_finding {
    enum cw_check check;
    uint32_t line;       /* of the instruction, in the PTX file */
    uint32_t other_line; /* of the other instruction of a race; 0: there is none */
    uint32_t block[3], thread[3];
    uint64_t address; /* in `space`; 0: it is about no address */
    uint32_t bytes;
    char text[600]; /* what the thread has done, without its name and place */
};

#endif
