/* SPDX-License-Identifier: Apache-2.0 */
/* Longest matches of queries in a reference, by walks down the reference's suffix tree. A thread has one query. For each of its positions
 * it walks from the root as far as the query's letters go on. A letter is 0 to 3, and 4 is the end of the reference, which no query has.
 *
 * The two kernels keep the tree in two layouts. Each is there twice: it reads the tree and the reference through the L1, or through the
 * texture cache. */
#define LETTERS 5

struct match {
    uint length, where; /* of the match; where it stands in the reference, if it has a length */
};

/* A node with its children by letter; 0 is none, since the root is nobody's child. The edge that leads to the node is a piece of the
 * reference. */
struct node {
    uint start, length;
    uint child[LETTERS];
};

/* A node in preorder: its first child is the node behind it, and `skip` is the node behind its last descendant. A leaf skips to the next.
 */
struct preorder {
    uint start, length, skip;
};

#define NAME(kernel)    kernel
#define WORD(address)   (*(address))
#define LETTER(address) (*(address))
#include "body.h"
#undef NAME
#undef WORD
#undef LETTER

static inline uint texture_word(__global const uint *address)
{
    uint value;
    __asm__("ld.global.nc.u32 %0, [%1];" : "=r"(value) : "l"(address));
    return value;
}

static inline uchar texture_letter(__global const uchar *address)
{
    ushort value;
    __asm__("ld.global.nc.u8 %0, [%1];" : "=h"(value) : "l"(address));
    return (uchar)value;
}

#define NAME(kernel)    kernel##_texture
#define WORD(address)   texture_word(address)
#define LETTER(address) texture_letter(address)
#include "body.h"
