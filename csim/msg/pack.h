/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages as bits: what a crossbar carries of one. A field travels with the width, on the way and with the lanes or sectors that its type
 * declares (msg/message.h); the head travels in front. What does not travel the receiver has, or does not need.
 *
 * The bits of a message are one row, the head's kind in bit 0. Fields follow each other without gaps, in the order of their declaration.
 *
 * The model counts flits from noc.header_bytes and a payload (cw_message_size), as the papers do. cw_pack_flits says what the bits would take;
 * tests/unit/test_message_sizes.c compares the two, kind by kind.
 */
#ifndef CW_MSG_PACK_H
#define CW_MSG_PACK_H

#include "base/error.h"
#include "msg/message.h"

/* What the machine gives to widths. */
struct cw_pack_shape {
    uint32_t lanes;   /* It is core.warp_width. */
    uint32_t sectors; /* Those of a line. */
};

#define CW_PACK_WORDS 128u

struct cw_pack {
    uint32_t bits;
    uint64_t word[CW_PACK_WORDS]; /* Bit b is bit b % 64 of word b / 64. Zeros follow the last bit. */
};

/* Bits of all heads. */
uint32_t cw_pack_head_bits(const struct cw_pack_shape *shape);
/* Bits of the body of this message on its way. */
uint32_t cw_pack_body_bits(const struct cw_message *m, const struct cw_pack_shape *shape);
uint32_t cw_pack_flits(const struct cw_message *m, const struct cw_pack_shape *shape, uint32_t flit_bytes);
/* CW_EINVAL: a value is wider than its field; err names it. */
int cw_pack(struct cw_pack *to, const struct cw_message *m, const struct cw_pack_shape *shape, struct cw_error *err);
/* The reverse, into a message of the same type with room for as many elements. Lanes and sectors that do not travel with their field are 0. A
 * field that does not travel stays as it is. */
void cw_unpack(struct cw_message *m, const struct cw_pack *from, const struct cw_pack_shape *shape);
/* Packs the message, spoils each field that travels, and unpacks it again: for tests. */
int cw_pack_through(struct cw_message *m, const struct cw_pack_shape *shape, struct cw_error *err);

/* Messages of a type, kind and code that have passed. */
struct cw_pack_tally {
    const struct cw_message_type *type;
    uint8_t kind, op;
    uint64_t packets;
    uint64_t flits, packed; /* As counted (cw_message_size), and as the bits would take. */
};

/* What a crossbar does with each message that enters it, on request: it goes through bits, and is counted. */
struct cw_pack_check {
    struct cw_pack_shape shape;
    uint32_t flit_bytes;
    struct cw_message_pool *pool; /* Its fault: a value is wider than its field. */
    struct cw_pack_tally tally[64];
    uint32_t cnt;
};

void cw_pack_check(struct cw_pack_check *check, struct cw_message *m);
/* A line about a tally. */
void cw_pack_tell(const struct cw_pack_tally *tally, char *text, size_t bytes);

#endif
