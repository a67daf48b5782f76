/* SPDX-License-Identifier: Apache-2.0 */
/* Packets: what travels between cores and memory partitions. Taken from a pool, owned by whoever holds the pointer. */
#ifndef CW_MSG_MESSAGE_H
#define CW_MSG_MESSAGE_H

#include <stdint.h>

#include "base/fifo.h"
#include "base/machine.h"
#include "ptx/uop.h"

enum cw_packet_kind {
    /* core to partition */
    CW_PK_READ,       /* sectors of one line */
    CW_PK_WRITE,      /* data under byte_mask; acknowledged by CW_PK_WRITE_ACK (memory fences count them) */
    CW_PK_ATOMIC,     /* up to 32 lanes on one line; applied in lane order; u.atomic */
    CW_PK_TX_LOAD,    /* transactional load: sectors of one line, lanes and offsets in lane_offset */
    CW_PK_TX_STORE,   /* transactional store announcement: carries no data */
    CW_PK_TX_LOG,     /* log entries of a committing or aborted warp: u.log */
    CW_PK_TX_CONTROL, /* other messages of a transactional system, by its own sub-codes */
    /* partition to core */
    CW_PK_READ_REPLY,
    CW_PK_WRITE_ACK,
    CW_PK_ATOMIC_REPLY, /* old values in u.atomic.a; not sent for reductions (see needs_reply): those get CW_PK_WRITE_ACK */
    CW_PK_TX_REPLY,
    CW_PK_TX_CONTROL_REPLY
};

struct cw_log_entry {
    uint64_t addr; /* of a 32-bit word */
    uint32_t value;
    uint8_t lane;
    uint8_t bytes; /* byte enables of the word, bits 3:0 */
    uint8_t flags; /* system's own */
    uint8_t count; /* system's own; GETM: writes to give back for this granule (0 on its further words) */
};

#define CW_PACKET_COMMIT_UNIT 0xffffu /* core of a READ or WRITE that a commit unit makes */

struct cw_packet {
    uint8_t kind;        /* enum cw_packet_kind */
    uint8_t sectors;     /* bit s: bytes 32 s .. 32 s + 31 of the line are meant */
    uint8_t atom, type;  /* CW_PK_ATOMIC: enum cw_atom, enum cw_type */
    uint8_t needs_reply; /* ATOMIC: the old values are wanted; WRITE: it is acknowledged */
    uint8_t timing_only; /* WRITE: has a write's time and traffic, but leaves the bytes as they are (idealised systems) */
    uint8_t sub;         /* system's own sub-code */
    uint16_t core, partition, warp;
    uint16_t flits;          /* set by cw_packet_size() before it enters the interconnect */
    uint32_t payload_bytes;  /* bytes beyond the header, for flits and traffic counts */
    uint64_t addr;           /* line address, multiple of 128 */
    uint32_t lanes;          /* lanes concerned */
    uint32_t tag;            /* the requester's own, comes back with the reply */
    uint32_t byte_mask[4];   /* WRITE: bit b of word w enables byte 32 w + b */
    uint8_t lane_offset[32]; /* ATOMIC, TX: byte offset of each lane's access in the line */
    /* transactional systems */
    uint64_t warpts; /* request: the warp's logical time; reply: abort cause */
    uint32_t owner;  /* global warp number: core * core.warps + warp */
    uint32_t aborted_lanes;
    uint32_t outcome[4]; /* per sector or granule, system's own */
    cw_time born;        /* time of creation, for latency statistics */
    union {
        uint8_t data[CW_LINE_BYTES];
        struct {
            uint64_t a[32], b[32]; /* operands per lane; CAS: a compare, b new */
        } atomic;
        struct {
            uint8_t data[CW_LINE_BYTES];
            uint64_t time[32]; /* last written, per lane */
        } tx_reply;
        struct {
            uint32_t cnt;
            struct cw_log_entry entry[CW_PACKET_ENTRIES];
        } log;
    } u;
    struct cw_packet *next; /* free list, or whatever list the holder keeps */
};

/* Pool of packets; grows by chunks, never shrinks before destroy. in_use counts packets not yet freed (0 at the end of a kernel). */
struct cw_packet_pool {
    struct cw_packet *free;
    void *chunks;
    uint32_t in_use;
};

void cw_packet_pool_create(struct cw_packet_pool *pool);
void cw_packet_pool_destroy(struct cw_packet_pool *pool);
/* All fields but u are zero; never NULL except when the host is out of memory. */
struct cw_packet *cw_packet_new(struct cw_packet_pool *pool);
void cw_packet_free(struct cw_packet_pool *pool, struct cw_packet *p);
/* flits = ceil((header + payload_bytes) / flit_bytes), at least 1 */
void cw_packet_size(struct cw_packet *p, uint32_t payload_bytes, uint32_t header_bytes, uint32_t flit_bytes);

#endif
