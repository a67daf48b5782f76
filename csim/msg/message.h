/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages: what travels between cores and memory partitions, and between a partition and its L2 slice.
 *
 * A message is a head and a body. The head is what the crossbars, the L2 and the sockets look at: the way, the line, the lanes. The body
 * belongs to whoever made the message: the machine's own bodies are below, a mechanism declares its own (csim/mech/mech.h) and proves with
 * CW_MESSAGE_BODY that it fits. The L2 touches bodies of three kinds only: that of a READ begins with struct cw_read_body, of a WRITE with
 * struct cw_write_body, of an ATOMIC with struct cw_atomic_body.
 *
 * Ways through a partition:
 *   kind READ, WRITE, ATOMIC   ROP delay, then the slice performs it; then `after` says where it goes
 *   kind PASS                  ROP delay and the slice's port for one cycle, but no access; then `after`
 *   kind OWN                   past the slice and without the ROP delay to the mechanism `mech`
 *
 * Messages are taken from a pool, and owned by whoever holds the pointer. A reply reuses its request's message.
 */
#ifndef CW_MSG_MESSAGE_H
#define CW_MSG_MESSAGE_H

#include <stdint.h>

#include "base/fifo.h"
#include "base/lanes.h"
#include "base/machine.h"
#include "ptx/uop.h"

enum cw_message_kind {
    /* core to partition */
    CW_MSG_READ,   /* sectors of one line */
    CW_MSG_WRITE,  /* data under a byte mask */
    CW_MSG_ATOMIC, /* up to 32 lanes on one line, applied in lane order */
    CW_MSG_PASS,   /* a mechanism's: the slice passes it on as it would a hit */
    CW_MSG_OWN,    /* a mechanism's: not for the slice */
    /* partition to core */
    CW_MSG_READ_REPLY,   /* 32 bytes per sector asked, each at its place in the line */
    CW_MSG_WRITE_ACK,    /* memory fences count these */
    CW_MSG_ATOMIC_REPLY, /* old values in place of operand a */
    CW_MSG_OWN_REPLY     /* a mechanism's */
};

/* Where a message goes when the slice has performed it, or passed it on. */
enum cw_message_after {
    CW_AFTER_REPLY, /* to the core that asked, as the kind's reply; a WRITE without needs_reply ends */
    CW_AFTER_MECH,  /* to the mechanism `mech`, through its socket after the L2 (csim/mem/partition.h) */
    CW_AFTER_RETURN /* back to the mechanism `mech`, whose own access of the L2 it was */
};

/* A 32-bit word of a log. */
struct cw_log_entry {
    uint64_t addr; /* of a 32-bit word */
    uint32_t value;
    uint8_t lane;
    uint8_t bytes; /* byte enables of the word, bits 3:0 */
    uint8_t flags; /* the mechanism's own */
    uint8_t count; /* the mechanism's own; GETM: writes to give back for this granule (0 on its further words) */
};

struct cw_message {
    /* head */
    uint8_t kind;        /* enum cw_message_kind */
    uint8_t after;       /* enum cw_message_after */
    uint8_t mech;        /* 1 + index of the mechanism in the GPU's list; 0: the machine's own */
    uint8_t op;          /* the mechanism's own code */
    uint8_t sectors;     /* bit s: bytes 32 s .. 32 s + 31 of the line are meant */
    uint8_t needs_reply; /* ATOMIC: the old values are wanted; WRITE: it is acknowledged */
    uint8_t timing_only; /* WRITE: has a write's time and traffic, but leaves the bytes as they are (idealised systems) */
    uint8_t bytes;       /* of each lane's access */
    uint16_t core, partition, warp;
    uint16_t flits;          /* set by cw_message_size() before it enters the interconnect */
    uint32_t payload_bytes;  /* bytes beyond the header, for flits and traffic counts */
    uint32_t tag;            /* the requester's own, comes back with the reply */
    uint32_t attempt;        /* of a mechanism's region: for events, takes no place on the wires */
    uint64_t addr;           /* line address, multiple of the line size */
    cw_lanes lanes;          /* lanes concerned, 31:0 */
    cw_time born;            /* time of creation, for latency statistics */
    uint8_t atom, type;      /* CW_MSG_ATOMIC: enum cw_atom, enum cw_type */
    uint32_t byte_mask[4];   /* WRITE: bit b of word w enables byte 32 w + b */
    uint8_t lane_offset[32]; /* ATOMIC, TX: byte offset of each lane's access in the line */
    /* transactional systems */
    uint64_t warpts; /* request: the warp's logical time; reply: abort cause */
    uint32_t owner;  /* global warp number: core * core.warps + warp */
    uint32_t aborted_lanes;
    uint32_t outcome[4]; /* per sector or granule, system's own */
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
    struct cw_message *next; /* free list, or whatever list the holder keeps */
};

/* Pool of messages; grows by chunks, never shrinks before destroy. in_use counts messages not yet freed (0 at the end of a kernel). */
struct cw_message_pool {
    struct cw_message *free;
    void *chunks;
    uint32_t in_use;
};

void cw_message_pool_create(struct cw_message_pool *pool);
void cw_message_pool_destroy(struct cw_message_pool *pool);
/* All fields but u are zero; never NULL except when the host is out of memory. */
struct cw_message *cw_message_new(struct cw_message_pool *pool);
void cw_message_free(struct cw_message_pool *pool, struct cw_message *m);
/* flits = ceil((header + payload_bytes) / flit_bytes), at least 1 */
void cw_message_size(struct cw_message *m, uint32_t payload_bytes, uint32_t header_bytes, uint32_t flit_bytes);

#endif
