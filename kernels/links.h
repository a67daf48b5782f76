/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes whose links are pointers on the GPU and numbers on the host, so that a structure is made and checked in one form only. */
#ifndef KERNELS_LINKS_H
#define KERNELS_LINKS_H

#include "session.h"

struct links_field {
    uint32_t at;   /* byte in the node on the GPU */
    uint32_t word; /* of the node on the host */
    int is_link;   /* 8 bytes there, the address of a node; else 4 bytes */
};

/* Nodes of `stride` words on the host, and `bytes` bytes on the GPU; bytes that no field names are 0. */
struct links {
    uint32_t stride, bytes, field_cnt;
    const struct links_field *field;
};

/* Puts `sets` times `nodes` nodes into memory that threads share in transactions (session_upload_shared). Number k becomes the address of node
 * k of the same set, so that 0, which stands for no node, is node 0's. Returns the address of the first, or 0 in a session that has failed. */
uint64_t links_upload(struct session *s, const struct links *form, const uint32_t *word, uint32_t sets, uint64_t nodes);

/* Reads them back. The session fails where a link is not the address of a node of the same set. */
void links_read(struct session *s, const struct links *form, uint32_t *word, uint64_t address, uint32_t sets, uint64_t nodes);

#endif
