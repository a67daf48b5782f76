/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages: what travels between cores and memory partitions, and between a partition and its L2 slice.
 *
 * A message is a head and a body. The head is what the crossbars, the L2 and the sockets look at: the way, the line, the lanes. The body
 * belongs to whoever made the message: the machine's own bodies are below, a mechanism declares its own (csim/mech/mech.h) and proves with
 * CW_MESSAGE_BODY that it fits. The L2 touches two kinds of bodies: that of a READ or WRITE begins with struct cw_line_body, that of an
 * ATOMIC with struct cw_atomic_body.
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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fifo.h"
#include "base/lanes.h"
#include "base/machine.h"
#include "base/state.h"
#include "ir/uop.h"

enum cw_message_kind {
    /* core to partition */
    CW_MSG_READ,   /* sectors of one line */
    CW_MSG_WRITE,  /* data under a byte mask */
    CW_MSG_ATOMIC, /* up to 32 lanes on one line, applied in lane order */
    CW_MSG_PASS,   /* a mechanism's: the slice passes it on as it would a hit */
    CW_MSG_OWN,    /* a mechanism's: not for the slice */
    /* a mechanism at a partition to its slice, after = CW_AFTER_RETURN */
    CW_MSG_CLEAN, /* the line is written back if it is dirty, and stays */
    CW_MSG_DROP,  /* the line goes, dirty or not; nobody waits for it */
    CW_MSG_COPY,  /* to DRAM: the row of the line is copied to another; comes back when it has been (struct cw_copy_body) */
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

/* Whether an adversary may perform it out of the order of its core and line (mem/adversary.h). */
enum cw_message_loose {
    CW_LOOSE_NOT,  /* no: what fills or writes back a line of a cache */
    CW_LOOSE_WEAK, /* an access of a thread, weak */
    CW_LOOSE_STRONG
};

struct cw_message_type;
struct cw_trips;

struct cw_message {
    /* head */
    const struct cw_message_type *type; /* of the body */
    uint8_t kind;                       /* enum cw_message_kind */
    uint8_t after;                      /* enum cw_message_after */
    uint8_t mech;                       /* 1 + index of the mechanism in the GPU's list; 0: the machine's own */
    uint8_t op;                         /* the mechanism's own code */
    uint8_t sectors;                    /* bit s: bytes 32 s .. 32 s + 31 of the line are meant */
    uint8_t needs_reply;                /* ATOMIC: the old values are wanted; WRITE: it is acknowledged */
    uint8_t timing_only; /* READ, WRITE: has the time and traffic of one, but no bytes move (idealised systems; instructions) */
    uint8_t large;       /* the pool's: size class, or a spare */
    uint8_t flight;      /* WRITE, ATOMIC: the core's, comes back with the acknowledgement */
    uint8_t loose;       /* enum cw_message_loose; of the machine's own */
    uint8_t certain;     /* READ of a mechanism at its partition: an idealised one, which the slice answers as if it had the sectors */
    uint16_t core, partition, warp;
    uint16_t flits;          /* set by cw_message_size() before it enters the interconnect */
    uint16_t epoch;          /* with loose: of the core, which counts synchronisations of block scope; takes no place on the wires */
    uint32_t payload_bytes;  /* bytes beyond the header, for flits and traffic counts */
    uint32_t tag;            /* the requester's own, comes back with the reply */
    uint32_t attempt;        /* of a mechanism's region: for events, takes no place on the wires */
    uint64_t addr;           /* line address, multiple of the line size */
    uint64_t place;          /* where L2 and DRAM find the line, set at the partition (csim/mem/version.h); 0: at addr */
    cw_lanes lanes;          /* lanes concerned, 31:0 */
    cw_time born;            /* time of creation, for latency statistics */
    struct cw_message *next; /* free list, or whatever list the holder keeps */
    uint32_t trip;           /* Its place in the list of requests on their way (msg/trip.h), takes no place on the wires; 0: none */
    /* body */
    _Alignas(16) unsigned char body[];
};

/* Bodies come in two sizes, so that reads and writes stay small. */
#define CW_MESSAGE_BODY_SMALL 240u
#define CW_MESSAGE_BODY_LARGE 592u

/* Which elements of a field travel. */
enum cw_body_with {
    CW_WITH_ALL,
    CW_WITH_LANE,   /* Element i, when lane i is one of the message's. */
    CW_WITH_SECTOR, /* Those of the message's sectors; the elements are the line from its begin to its end. */
};

/* On which way a field travels. On the other one nobody asks for it, or the requester has kept it: there it takes no wires. */
enum cw_body_way {
    CW_WAY_NONE = 0, /* It is the simulator's: it saves a look-up, or events tell it. */
    CW_WAY_UP = 1,   /* From a core to a partition. */
    CW_WAY_DOWN = 2,
    CW_WAY_BOTH = 3
};

/* Widths that others give. */
#define CW_BITS_LANES 255u /* A set of lanes: core.warp_width. */
#define CW_BITS_TYPE  254u /* Those of the type of an atomic. */
/* Of a device address: 4 GiB below CW_GLOBAL_BASE, and what may be allocated. */
#define CW_BITS_ADDR 40u

/* What a body holds, field by field: whoever saves a run, looks at a message, or carries it over wires (msg/pack.h), knows it by this. */
struct cw_body_field {
    const char *name;
    uint16_t offset, bytes;                   /* Of an element: 1, 2, 4 or 8 bytes. */
    uint16_t cnt, stride;                     /* Elements, and bytes from one to the next. cnt 0: as many as the body's `tail_cnt` says. */
    uint8_t bits;                             /* Of an element on wires, at most 64, or one of CW_BITS_LANES and CW_BITS_TYPE. */
    uint8_t way;                              /* One of enum cw_body_way. */
    uint8_t with;                             /* One of enum cw_body_with. */
    bool (*only)(const struct cw_message *m); /* Messages that carry it; it looks at the head, and at fields before this one. NULL: all. */
};

struct cw_message_type {
    const char *name; /* "kilo_log": differs from those of all other types */
    size_t bytes;     /* of the whole body, with a full tail */
    const struct cw_body_field *field;
    uint32_t field_cnt;
    /* A body with an array of which only the first elements count: where the number of them is (a uint32_t), how many there are at the most, 0:
     * no such array; bytes of each when the body ends with the last one that counts, 0: it has room for all. */
    uint16_t tail_cnt, tail_max, tail_bytes;
};

#define CW_BODY__SIZE(type, member)            sizeof(((const type *)0)->member)
#define CW_BODY_FIELD(type, member, bits, way) CW_BODY_FIELD_ONLY(type, member, bits, way, NULL)
#define CW_BODY_FIELD_ONLY(type, member, bits, way, only)                                                \
    {                                                                                                    \
#member, offsetof(type, member), CW_BODY__SIZE(type, member), 1, 0, bits, way, CW_WITH_ALL, only \
    }
#define CW_BODY_ARRAY(type, member, bits, way, with) CW_BODY_ARRAY_ONLY(type, member, bits, way, with, NULL)
#define CW_BODY_ARRAY_ONLY(type, member, bits, way, with, only)                                                                        \
    {                                                                                                                                  \
#member, offsetof(type, member), CW_BODY__SIZE(type, member[0]), CW_BODY__SIZE(type, member) / CW_BODY__SIZE(type, member[0]), \
            CW_BODY__SIZE(type, member[0]), bits, way, with, only                                                                      \
    }
/* A member of each element of the array at the end. */
#define CW_BODY_TAIL(type, array, member, bits, way)                                                                                 \
    {                                                                                                                                \
#member, offsetof(type, array[0].member), CW_BODY__SIZE(type, array[0].member), 0, CW_BODY__SIZE(type, array[0]), bits, way, \
            CW_WITH_ALL, NULL                                                                                                        \
    }

/* Defines NAME_type, in one .c file; fields: an array of struct cw_body_field. */
#define CW_MESSAGE_TYPE(name, word, type, fields) \
    const struct cw_message_type name##_type = {word, sizeof(type), fields, sizeof(fields) / sizeof *(fields), 0, 0, 0}
/* The same with a tail: the member that has the number of its elements, and the array. */
#define CW_MESSAGE_TYPE_TAIL(name, word, type, fields, cnt, array)                                          \
    const struct cw_message_type name##_type = {word,                                                       \
                                                sizeof(type),                                               \
                                                fields,                                                     \
                                                sizeof(fields) / sizeof *(fields),                          \
                                                offsetof(type, cnt),                                        \
                                                CW_BODY__SIZE(type, array) / CW_BODY__SIZE(type, array[0]), \
                                                CW_BODY__SIZE(type, array[0])}

/* Declares `type *NAME(m)`, the body of a message of the maker's own type, and NAME_type, which describes it; proves that it fits. */
#define CW_MESSAGE_BODY(name, type)                                                                     \
    _Static_assert(sizeof(type) <= CW_MESSAGE_BODY_LARGE && _Alignof(type) <= 16, "body of a message"); \
    extern const struct cw_message_type name##_type;                                                    \
    static inline type *name(struct cw_message *m)                                                      \
    {                                                                                                   \
        return (type *)(void *)m->body;                                                                 \
    }                                                                                                   \
    static inline const type *name##_of(const struct cw_message *m)                                     \
    {                                                                                                   \
        return (const type *)(const void *)m->body;                                                     \
    }

/* READ: the slice fills the sectors asked for. WRITE: bytes under the mask. */
struct cw_line_body {
    uint32_t byte_mask[4]; /* WRITE: bit b of word w enables byte 32 w + b */
    uint8_t data[CW_LINE_BYTES_MAX];
};
CW_MESSAGE_BODY(cw_line_body, struct cw_line_body)

/* COPY: every line of the row is copied to the same column of the other row, of the same subarray, when the copy is done. */
struct cw_copy_body {
    uint64_t to;   /* a place in the other row: that of the copy of the line at addr */
    bool over_bus; /* over the data bus, not by the DRAM itself */
};
CW_MESSAGE_BODY(cw_copy_body, struct cw_copy_body)

/* ATOMIC: operands per lane. */
struct cw_atomic_body {
    uint8_t atom, type;      /* enum cw_atom, enum cw_type */
    uint8_t lane_offset[32]; /* byte offset of each lane's word in the line */
    uint64_t a[32], b[32];   /* CAS: a compare, b new; in the reply a is the old value */
};
CW_MESSAGE_BODY(cw_atomic_body, struct cw_atomic_body)

/* Whether it is on its way from a partition to a core. */
static inline bool cw_message_is_down(const struct cw_message *m)
{
    return m->kind >= CW_MSG_READ_REPLY;
}

static inline uint64_t cw_message_place(const struct cw_message *m)
{
    return m->place != 0 ? m->place : m->addr;
}

#define CW_MESSAGE_SPARES      64u
#define CW_MESSAGE_SPARE_BYTES (sizeof(struct cw_message) + CW_MESSAGE_BODY_LARGE)

/*
 * Pool of messages; grows by chunks, never shrinks before destroy. in_use counts messages not yet freed (0 at the end of a kernel).
 *
 * A pool that the host gives no more memory says so to `fault`, once, and hands out its spares, in turn. So whoever asks for a message gets
 * one. The run has to end before the next instant: nobody may read then what has been sent in this one, since a spare may have been handed
 * out twice.
 */
struct cw_message_pool {
    struct cw_message *free[2]; /* by size class */
    void *chunks;
    uint32_t in_use;
    struct cw_trips *trips; /* Of the machine, which sets it: a message that ends ends its trip (msg/trip.h). NULL: none */
    void (*fault)(void *context, int status, const char *text); /* the owner's, set after creation: the run is over. NULL: none */
    void *fault_context;
    uint32_t spares; /* handed out so far */
    bool zeroed;     /* a new body holds zeros, so that two runs can be compared by all their bytes (tests) */
    const struct cw_message_type *const *const *types; /* [type_lists]: what mechanisms declare; each list ends with NULL */
    uint32_t type_lists;
    _Alignas(16) unsigned char spare[CW_MESSAGE_SPARES][CW_MESSAGE_SPARE_BYTES];
};

void cw_message_pool_create(struct cw_message_pool *pool);
void cw_message_pool_destroy(struct cw_message_pool *pool);
/* A message whose head is zero, with room for a body of that type, which holds anything. Never NULL. */
struct cw_message *cw_message_new(struct cw_message_pool *pool, const struct cw_message_type *type);
/* The same of a type with a tail: with room for that many of its elements. */
struct cw_message *cw_message_new_tail(struct cw_message_pool *pool, const struct cw_message_type *type, uint32_t elements);
/* A copy of head and body. Never NULL. */
struct cw_message *cw_message_copy(struct cw_message_pool *pool, const struct cw_message *m);
void cw_message_free(struct cw_message_pool *pool, struct cw_message *m);
/* flits = ceil((header + payload_bytes) / flit_bytes), at least 1 */
void cw_message_size(struct cw_message *m, uint32_t payload_bytes, uint32_t header_bytes, uint32_t flit_bytes);

/*
 * State (base/state.h). A message is walked where its holder is. On load it is made anew, from the pool that cw_message_pool_state has named;
 * what the holder had before is not freed, for the machine was at rest.
 */
void cw_message_state(struct cw_state *s, struct cw_message **m);
/* A pointer to a message that its holder has walked before. */
void cw_message_ref_state(struct cw_state *s, struct cw_message **m);
/* The same of a message that several hold: all of them walk it so. */
void cw_message_shared_state(struct cw_state *s, struct cw_message **m);
/* An entry of a queue of messages. */
void cw_message_slot_state(struct cw_state *s, void **slot, void *context);
/* A list by `next`; tail may be NULL. */
void cw_message_list_state(struct cw_state *s, struct cw_message **head, struct cw_message **tail);
/* In front of all that hold messages. */
void cw_message_pool_state(struct cw_state *s, struct cw_message_pool *pool);

#endif
