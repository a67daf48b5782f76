/* SPDX-License-Identifier: Apache-2.0 */
/* The heap of malloc in kernels, as the functions of a program (ptx/library.c), the host that prepares it, and a core that says what is wrong
 * see it. */
#ifndef CW_IR_HEAP_H
#define CW_IR_HEAP_H

#define CW_HEAP_HEAD   16640 /* bytes in front of the first piece: how many are cut off, how many there are, and lists */
#define CW_HEAP_HEADER 16    /* bytes in front of a block: struct cw_heap_header */

/* The first word of a header, plus c for a piece of 2^c bytes. Text of PTX has them too. */
#define CW_HEAP_USED    0xa110c000
#define CW_HEAP_FREED   0xf4eed000
#define CW_HEAP_CLASSES 64

struct cw_heap_header {
    unsigned state; /* CW_HEAP_USED or CW_HEAP_FREED and the piece's class; others: malloc or free has it in work, or it is overwritten */
    unsigned next;  /* of a freed piece: offset / 16 of the next one of its list */
    unsigned long long asked; /* bytes that malloc was asked for */
};

#endif
