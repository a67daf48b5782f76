/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transactional memory instructions of a core, on their way to the partitions and back, as every system with redo logs treats them (Fung
 * 2015, 4.2.4; GETM V.A). A store goes into the write log. A load takes what its lane has written from there and asks memory for the rest,
 * with one request per line. Complete accesses go back to the core in order of completion; a load enters the read log then. The rows of
 * both logs are written to local memory, and walked there, through the log port.
 *
 * The system adds its own part to the requests and to the read log, and takes the replies apart.
 */
#ifndef CW_MECH_TM_ACCESS_H
#define CW_MECH_TM_ACCESS_H

#include "mech/tm/keys.h"
#include "mech/tm/log_port.h"
#include "mech/tm/redo_log.h"
#include "mech/tm/tm.h"

#define CW_ACCESSES 64u /* in the system per core */

/* Body of a transactional load or store request, and of its reply, as far as all systems agree on it. */
struct cw_tx_access_body {
    struct cw_line_body line; /* loads: values */
    uint8_t lane_offset[32];  /* byte offset of each lane's access in the line */
    uint8_t bytes;            /* of each lane's access */
    cw_lanes aborted;         /* reply: lanes that lost */
};
CW_MESSAGE_BODY(cw_tx_access, struct cw_tx_access_body)
/* Its fields, of a body that has it as `member`. stores: which messages bring bytes up; answers: which bring down those of their sectors, and who lost. */
#define CW_TX_ACCESS_FIELDS(type, member, stores, answers)                                                                    \
    CW_BODY_ARRAY_ONLY(type, member.line.byte_mask, 32, CW_WAY_UP, CW_WITH_SECTOR, stores),                                   \
        CW_BODY_ARRAY_ONLY(type, member.line.data, 8, CW_WAY_UP, CW_WITH_SECTOR, stores),                                     \
        CW_BODY_ARRAY_ONLY(type, member.line.data, 8, CW_WAY_DOWN, CW_WITH_SECTOR, answers),                                  \
        CW_BODY_ARRAY(type, member.lane_offset, 7, CW_WAY_UP, CW_WITH_LANE), CW_BODY_FIELD(type, member.bytes, 5, CW_WAY_UP), \
        CW_BODY_FIELD_ONLY(type, member.aborted, CW_BITS_LANES, CW_WAY_DOWN, answers)
/* Usual answers: a write of an idealised system brings bytes, and an answer the sectors that it names. */
bool cw_tx_brings_bytes(const struct cw_message *m);
bool cw_tx_answers(const struct cw_message *m);

/* A 32-bit word of a log. */
struct cw_log_entry {
    uint64_t addr; /* of a 32-bit word */
    uint32_t value;
    uint8_t lane;
    uint8_t bytes; /* byte enables of the word, bits 3:0 */
    uint8_t flags; /* the system's own */
    uint8_t count; /* the system's own; GETM: writes to give back for this granule (0 on its further words) */
};

/* Words of a log on their way to a partition; a system's log message ends with it. */
struct cw_tx_log_body {
    uint32_t cnt;
    struct cw_log_entry entry[CW_PACKET_ENTRIES];
};
CW_MESSAGE_BODY(cw_tx_log, struct cw_tx_log_body)
/* Its fields, of a body that has it as `member`. */
/* Widths of flags and count are the system's. */
#define CW_TX_LOG_FIELDS(type, member, flag_bits, count_bits)                                                                     \
    CW_BODY_FIELD(type, member.cnt, 6, CW_WAY_BOTH), CW_BODY_TAIL(type, member.entry, addr, CW_BITS_ADDR, CW_WAY_BOTH),           \
        CW_BODY_TAIL(type, member.entry, value, 32, CW_WAY_BOTH), CW_BODY_TAIL(type, member.entry, lane, 6, CW_WAY_BOTH),         \
        CW_BODY_TAIL(type, member.entry, bytes, 4, CW_WAY_BOTH), CW_BODY_TAIL(type, member.entry, flags, flag_bits, CW_WAY_BOTH), \
        CW_BODY_TAIL(type, member.entry, count, count_bits, CW_WAY_BOTH)
/* The two above, NULL-terminated: for descriptors of systems that need no others. */
extern const struct cw_message_type *const cw_tx_messages[];

/* The first address of a partition: messages that are about no address go there. */
static inline uint64_t cw_tm_partition_addr(const struct cw_config *config, uint32_t partition)
{
    return CW_GLOBAL_BASE + (uint64_t)partition * config->partition_interleave;
}

/* A transactional memory instruction. */
struct cw_tm_access {
    struct cw_mem_inst *inst;
    uint32_t warp;
    cw_lanes lanes;     /* take part */
    cw_lanes asked;     /* loads: of these, lanes that read memory */
    cw_lanes unsent;    /* lanes that need a request that is not sent yet */
    uint32_t packets;   /* requests without reply */
    uint32_t log_reads; /* not done */
    bool store;
    struct cw_tm_access *next; /* in a queue, or the free list */
    uint16_t own[CW_LANES];    /* loads: bytes that come from the lane's own log */
    uint8_t bytes[CW_LANES][CW_ACCESS_BYTES];
};

struct cw_access_queue {
    struct cw_tm_access *first, *last;
};

static inline void cw_access_queue_push(struct cw_access_queue *q, struct cw_tm_access *a)
{
    a->next = NULL;
    if (q->first == NULL)
        q->first = a;
    else
        q->last->next = a;
    q->last = a;
}

static inline struct cw_tm_access *cw_access_queue_pop(struct cw_access_queue *q)
{
    struct cw_tm_access *a = q->first;
    q->first = a->next;
    return a;
}

/* Of a warp, as far as its accesses go. */
struct cw_access_warp {
    struct cw_redo_log *log; /* the system's */
    uint32_t accesses;       /* in the system now */
    uint32_t posted;         /* log writes on their way */
    uint32_t messages;       /* that wait for the interconnect */
};

/* The system's part; self is its core half. */
struct cw_access_ops {
    /* Completes a request, which has all but what only this system sends along. Returns the bytes of its payload. NULL: nothing, 0. */
    uint32_t (*request)(void *self, const struct cw_tm_access *a, struct cw_message *p);
    /* Appends what these lanes of a load took from memory to the read log. 0 or CW_ENOMEM. NULL: the addresses alone. */
    int (*log_load)(void *self, const struct cw_tm_access *a, cw_lanes lanes);
};

/* The accesses of one core. */
struct cw_accesses {
    const struct cw_tm_common *common;
    struct cw_core *core;
    const struct cw_access_ops *ops;
    void *self;
    const struct cw_message_type *body; /* of the system's requests, which begin with struct cw_tx_access_body */
    bool stores_ask;                    /* conflicts are detected at once: a store's lanes need a reply too */
    bool idealised; /* the logs take no place and no time, and a store's bytes travel at once, as outside transactions */
    struct cw_access_warp *warp;
    struct cw_tm_access *pool, *free;
    uint32_t cnt;                      /* in use */
    struct cw_access_queue send, done; /* with unsent lanes; complete */
    struct cw_log_port log;
    struct cw_message *message_first, *message_last; /* go before requests */
    struct cw_message *spare;                        /* a request that the interconnect refused */
};

/* Cookies of the log port; another is the index of the access. */
#define CW_LOG_COOKIE_POSTED 0x80000000u /* log write */

/* common, core, ops, self and the options are the caller's, as are warp[].log. 0 or CW_ENOMEM; destroy in either case. */
int cw_accesses_create(struct cw_accesses *q);
void cw_accesses_destroy(struct cw_accesses *q);

/* Takes an instruction, of which these lanes take part, and looks into the write log or appends to it. NULL: no room now. The access then
 * stands in no queue: the caller lets it go at once, or when it may. */
struct cw_tm_access *cw_access_take(struct cw_accesses *q, struct cw_mem_inst *inst, cw_lanes lanes);
/* Sends its requests in turn with the others', or, if it needs none, returns it to the core. */
void cw_access_go(struct cw_accesses *q, struct cw_tm_access *a);
/* The values of a reply to a load: those lanes' that did not abort, without the bytes that they have written themselves. */
void cw_access_take_values(struct cw_tm_access *a, const struct cw_message *p);
/* One more reply has come. */
void cw_access_replied(struct cw_accesses *q, struct cw_tm_access *a);
/* A log access with this cookie has been done; not for RESOLVE. */
void cw_access_log_done(struct cw_accesses *q, uint32_t warp, uint32_t cookie);

/* A message of the warp leaves the core behind those already queued. */
void cw_access_emit(struct cw_accesses *q, uint32_t warp, struct cw_message *p);

/* Each is a part of a core cycle. Hands complete accesses back to the core, as far as the log port has room for the loads' entries. */
void cw_access_retire(struct cw_accesses *q, cw_time now);
/* Sends one message: those of cw_access_emit first. */
void cw_access_send(struct cw_accesses *q, cw_time now);

/* Whether the next cycle has work without an event. */
bool cw_accesses_busy(const struct cw_accesses *q);
/* Nothing is in flight, log writes included. */
bool cw_accesses_idle(const struct cw_accesses *q);

static inline uint32_t cw_access_index(const struct cw_accesses *q, const struct cw_tm_access *a)
{
    return (uint32_t)(a - q->pool);
}

#endif
