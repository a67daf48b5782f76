/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A memory partition as others see it: what a mechanism has of one, and what the chip asks of one. Nobody outside csim/mem knows what stands
 * behind. That may be the partition of partition.h, or another one (cw_gpu_options, partitions): a memory without caches, or a unit in RTL.
 *
 * A partition takes requests from one crossbar and puts replies into the other (msg/message.h). Mechanisms attach through sockets.
 *
 *   crossbar -> [ROP delay] -> L2 slice -> reply queue -> crossbar
 *                               |  ^                         ^
 *         after = CW_AFTER_MECH v  | to_l2                   | reply
 *                         from_l2, l2_done      from_noc <- kind OWN (no ROP delay)
 *
 * A READ with after = CW_AFTER_MECH makes its line present in the L2 (a miss fetches it) before it goes on to from_l2; a PASS passes as a
 * hit would. The values of a read are those of the moment at which the slice served it; a mechanism may instead read memory (mem/device_memory.h) at its
 * decision, if nobody else can write those words at the same instant. A message that a mechanism puts into to_l2 is a WRITE or READ with
 * after = CW_AFTER_RETURN: the slice writes the bytes into device memory, or copies them out, when it serves it, and then pushes it to
 * l2_done.
 *
 * A CLEAN or DROP takes the slice's port for a cycle. A COPY goes through it to DRAM, and comes to l2_done when the rows have been copied.
 * It is made in the order in which DRAM was given it and the write-backs of its rows.
 *
 * A write to persistent memory, or an atomic, goes on to its device (nvm.h) when the slice has performed it, and its reply comes when the
 * bytes are durable.
 *
 * Replies reuse the request's message: kind and size change, the rest comes back as it was. READ gets READ_REPLY with 32 bytes per sector
 * asked, each at its place in the line; WRITE gets WRITE_ACK, but with needs_reply = 0 (L1 write-backs) it ends in the slice, which frees
 * it; ATOMIC gets ATOMIC_REPLY (4 or 8 bytes per lane) or, with needs_reply = 0, WRITE_ACK.
 */
#ifndef CW_MEM_SERVICE_H
#define CW_MEM_SERVICE_H

#include "base/component.h"
#include "base/config.h"
#include "base/error.h"
#include "base/fifo.h"
#include "base/stats.h"
#include "cowarp/unit.h"
#include "event/event.h"
#include "msg/crossbar.h"
#include "msg/message.h"
#include "msg/trip.h"

struct cw_memory;
struct cw_nvm;
struct cw_dram;
struct cw_copier;
struct cw_copier_config;

/*
 * A mechanism's sockets at a partition: queues, each with a single producer and a single consumer. The consumer sets `wake` of the queues
 * that it consumes to its component's wake time. A queue costs nothing while it is empty.
 */
struct cw_mem_socket {
    struct cw_fifo from_l2;  /* After the L2: its messages with after = CW_AFTER_MECH. The mechanism consumes (L2 clock). */
    struct cw_fifo from_noc; /* Its own messages in: kind OWN. The mechanism consumes. */
    struct cw_fifo reply;    /* Its own messages out, for the cores. It takes turns with the L2's replies and other mechanisms'. */
    struct cw_fifo to_l2;    /* Its own accesses of the slice: WRITE, READ, CLEAN, DROP and COPY with after = CW_AFTER_RETURN. */
    struct cw_fifo l2_done;  /* They come back when performed. The mechanism consumes. */
};

/* Sockets that are calls, from within the partition's own tick; each may be NULL. They cost a test of one pointer while nobody takes them. */
struct cw_mem_hooks {
    /* Before the L2 (L2 clock): a message of the machine or of any mechanism has left the crossbar and enters the ROP delay. Returns L2
     * cycles by which it is to be held longer; those behind it wait, too. It may give the message another place of the same partition
     * (m->place; csim/mem/version.h), and changes nothing else of it. */
    uint32_t (*before_l2)(void *self, struct cw_message *m, cw_time now);
    /* The memory controller has accepted a request for sectors of a line (L2 clock): from now on it is in the controller's queue. */
    void (*accepted)(void *self, uint64_t local, uint8_t sectors, bool write, cw_time now);
    /* The channel issues a column command (DRAM clock) for the line at this partition-local address. */
    void (*dram_command)(void *self, uint64_t local, bool write, cw_time now);
};

/* Most components of a partition. */
#define CW_MEM_COMPONENTS 2u

/* What a partition answers. All but `destroy` is asked of one that has been created. */
struct cw_mem_service_ops {
    const char *kind; /* "partition" */
    void (*destroy)(void *self);
    /* Its components, for the clock loop; they say themselves whether they are idle, and name their state. Pointers stay valid until destroy.
     * Returns how many there are, at most CW_MEM_COMPONENTS. */
    uint32_t (*components)(void *self, struct cw_component *list[CW_MEM_COMPONENTS]);
    /* Sockets of the mechanism with that index in the GPU's list. */
    struct cw_mem_socket *(*socket)(void *self, uint32_t mech);
    /* Takes the calls; hooks and context stay valid as long as the partition. CW_ENOMEM; CW_EUNSUP: it has none of them. */
    int (*hook)(void *self, const struct cw_mem_hooks *hooks, void *context);
    /* For timelines: requests between crossbar and L2 slice, and requests to the DRAM channel that it has not finished. */
    void (*queued)(const void *self, uint32_t *l2, uint32_t *dram);
    /* The host copies from or to the line at that address of device memory, which is one of the partition. It is then in the L2, and the
     * youngest of its set. Only when idle. NULL: no cache has it. */
    void (*host_copy)(void *self, uint64_t addr);
    /* A kernel has ended: with l2.launch = cold the next one begins with cold caches. No value is lost. Only when idle. NULL: it has none. */
    void (*finish)(void *self);
    /* The DRAM channel that it has made, for partitions that share it (dram.sharing). NULL: it shares none. */
    struct cw_dram *(*channel)(void *self);
    /* Makes its copier of rows (mem/copier.h), which it then owns; a partition has one at the most. Status of the unit's provider, CW_ENOMEM.
     * NULL: it copies no rows. */
    int (*copier)(void *self, struct cw_copier **out, const struct cw_copier_config *config, struct cw_error *err);
};

/* A partition. */
struct cw_mem_service {
    const struct cw_mem_service_ops *ops; /* NULL: not created */
    void *self;
};

/* What a partition is built from; the pointed-to objects outlive it. */
struct cw_mem_config {
    const struct cw_config *config;
    const struct cw_clocks *clocks;
    struct cw_stats *stats;
    struct cw_memory *memory;
    struct cw_message_pool *pool;
    struct cw_crossbar *up, *down; /* Requests arrive at output `index` of up; replies enter at source `index` of down. */
    uint32_t index;
    struct cw_nvm *nvm; /* NULL: no persistent memory */
    const struct cw_mem_service
        *shares;                /* It has the DRAM channel (dram.sharing), and is destroyed later. NULL: the partition makes one. */
    uint32_t mech_cnt;          /* Mechanisms of the GPU, each with sockets. */
    const uint32_t *mech_inbox; /* [mech_cnt]: entries of from_noc; read at creation only */
    const struct cw_unit_provider *units; /* Its hardware units come from there. */
    const struct cw_events *events;       /* CW_EVENT_STRONG of atomics is told here; NULL: nobody hears */
    struct cw_trips *trips;               /* Where requests are is told here; NULL: nobody asks */
};

/* A kind of partition. On an error nothing is left, and out->ops is NULL. */
struct cw_mem_kind {
    const char *name; /* for messages */
    int (*create)(struct cw_mem_service *out, const struct cw_mem_config *config, struct cw_error *err);
};

static inline struct cw_mem_socket *cw_mem_socket_of(const struct cw_mem_service *s, uint32_t mech)
{
    return s->ops->socket(s->self, mech);
}

static inline int cw_mem_hook(const struct cw_mem_service *s, const struct cw_mem_hooks *hooks, void *context)
{
    return s->ops->hook(s->self, hooks, context);
}

static inline int cw_mem_copier(const struct cw_mem_service *s, struct cw_copier **out, const struct cw_copier_config *config,
                                struct cw_error *err)
{
    if (s->ops->copier == NULL)
        return cw_fail(err, CW_EUNSUP, "memory of kind '%s' copies no rows, which versions of memory need", s->ops->kind);
    return s->ops->copier(s->self, out, config, err);
}

/* One that has not been created has nothing to destroy. */
static inline void cw_mem_destroy(struct cw_mem_service *s)
{
    if (s->ops != NULL)
        s->ops->destroy(s->self);
    *s = (struct cw_mem_service){0};
}

#endif
