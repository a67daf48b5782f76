/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that a kernel launches, as the functions of a program (ptx/device_runtime.ptx) and the host that carries them out
 * (harness/api/children.c) see them. The variable cowarp_children of the module is the address of a head, behind which the children stand.
 * That text has the numbers, too.
 */
#ifndef CW_IR_CHILDREN_H
#define CW_IR_CHILDREN_H

#include <stdint.h>

#define CW_CHILD_HEAD   16                                 /* Bytes: struct cw_child_head */
#define CW_CHILD_FRONT  64                                 /* Bytes: struct cw_child, in front of the parameters */
#define CW_CHILD_STRIDE 4160                               /* Bytes from one child to the next */
#define CW_CHILD_PARAM  (CW_CHILD_STRIDE - CW_CHILD_FRONT) /* Bytes of parameters, as many as CUDA gives a child */

struct cw_child_head {
    uint32_t asked;    /* How often threads have asked for the place of a child */
    uint32_t launched; /* How many of these they have launched */
    uint32_t room;     /* Children that there are places for */
    uint32_t error;    /* The cudaError_t of the last one that could not be launched; 0: none. It belongs to all threads. */
};

struct cw_child {
    uint64_t kernel; /* Its cw_kernel.address; CW_CHILD_COPY and CW_CHILD_SET have struct cw_child_bytes for parameters */
    uint32_t grid[3], block[3];
    uint32_t shared_bytes; /* Dynamic ones */
    uint32_t turn;         /* It is the turn-th that was launched; 0: it was not */
    uint64_t stream;       /* CW_CHILD_TAIL, or any other */
    uint64_t unused[2];
};

struct cw_child_bytes {
    uint64_t to, from; /* SET: the value is the lowest byte of from */
    uint64_t cnt;
};

#define CW_CHILD_COPY 1
#define CW_CHILD_SET  2

#define CW_CHILD_TAIL 3 /* That of cudaStreamTailLaunch: behind all other children of the grid */

#endif
