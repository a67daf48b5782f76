/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory partition: requests leave the crossbar, wait the ROP delay, meet the L2 slice (write-back, MSHRs, atomics), which fetches misses
 * from the partition's DRAM channel; replies go to the other crossbar. Mechanisms attach through sockets.
 *
 *   crossbar -> [ROP delay] -> L2 slice -> reply queue -> crossbar
 *                               |  ^                         ^
 *         after = CW_AFTER_MECH v  | to_l2                   | reply
 *                         from_l2, l2_done      from_noc <- kind OWN (no ROP delay)
 *
 * A READ with after = CW_AFTER_MECH makes its line present in the L2 (a miss fetches it) before it goes on to from_l2; a PASS passes as a
 * hit would. The values of a read are those of the moment at which the slice served it; a mechanism may instead read device memory at its
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
 * it; ATOMIC gets ATOMIC_REPLY (4 or 8 bytes per lane) or, with needs_reply = 0, WRITE_ACK. Timing is stated in partition.c, what the slice
 * does in l2.h, DRAM in dram.h.
 */
#ifndef CW_MEM_PARTITION_H
#define CW_MEM_PARTITION_H

#include "base/component.h"
#include "base/config.h"
#include "base/error.h"
#include "base/stats.h"
#include "event/event.h"
#include "mem/address.h"
#include "mem/device_memory.h"
#include "mem/nvm.h"
#include "msg/crossbar.h"
#include "msg/message.h"

struct cw_partition;

/*
 * A mechanism's sockets at a partition: queues, each with a single producer and a single consumer. The consumer sets `wake` of the queues
 * that it consumes to its component's wake time. A queue costs nothing while it is empty.
 */
struct cw_partition_socket {
    struct cw_fifo from_l2;  /* after the L2: its messages with after = CW_AFTER_MECH; the mechanism consumes (L2 clock) */
    struct cw_fifo from_noc; /* own messages in: kind OWN; the mechanism consumes */
    struct cw_fifo reply;    /* own messages out, for the cores; takes turns with the L2's replies and other mechanisms' */
    struct cw_fifo to_l2;    /* own accesses of the slice: WRITE, READ, CLEAN, DROP and COPY with after = CW_AFTER_RETURN */
    struct cw_fifo l2_done;  /* they come back when performed; the mechanism consumes */
};

/* Sockets that are calls, from within the partition's own tick; each may be NULL. They cost a test of one pointer while nobody takes them.
 */
struct cw_partition_hooks {
    /* Before the L2 (L2 clock): a message of the machine or of any mechanism has left the crossbar and enters the ROP delay. Returns L2
     * cycles by which it is to be held longer; those behind it wait, too. It may give the message another place of the same partition
     * (m->place; csim/mem/version.h), and changes nothing else of it. */
    uint32_t (*before_l2)(void *self, struct cw_message *m, cw_time now);
    /* The memory controller has accepted a request for sectors of a line (L2 clock): from now on it is in the controller's queue. */
    void (*accepted)(void *self, uint64_t local, uint8_t sectors, bool write, cw_time now);
    /* The channel issues a column command (DRAM clock) for the line at this partition-local address. */
    void (*dram_command)(void *self, uint64_t local, bool write, cw_time now);
};

struct cw_partition_config {
    const struct cw_config *config;
    const struct cw_clocks *clocks;
    struct cw_stats *stats;
    struct cw_memory *memory;
    struct cw_message_pool *pool;
    struct cw_crossbar *up, *down; /* requests arrive at output `index` of up; replies enter at source `index` of down */
    uint32_t index;
    struct cw_nvm *nvm;             /* NULL: no persistent memory */
    struct cw_partition *shares;    /* has the DRAM channel (dram.sharing), and is destroyed later; NULL: the partition makes one */
    uint32_t mech_cnt;              /* mechanisms of the GPU, each with sockets */
    const uint32_t *mech_inbox;     /* [mech_cnt]: entries of from_noc; read at creation only */
    const struct cw_events *events; /* CW_EVENT_STRONG of atomics is told here; NULL: nobody hears */
};

int cw_partition_create(struct cw_partition **out, const struct cw_partition_config *config, struct cw_error *err);
void cw_partition_destroy(struct cw_partition *p);
/* The L2 slice (domain L2) and the DRAM channel (domain DRAM), NULL when it is another partition's. */
struct cw_component *cw_partition_l2_component(struct cw_partition *p);
struct cw_component *cw_partition_dram_component(struct cw_partition *p);
/* Sockets of the mechanism with that index in the GPU's list. */
struct cw_partition_socket *cw_partition_socket_of(struct cw_partition *p, uint32_t mech);
/* Takes the calls; hooks and self stay valid as long as the partition. CW_ENOMEM. */
int cw_partition_hook(struct cw_partition *p, const struct cw_partition_hooks *hooks, void *self);
/* Nothing queued, no miss outstanding. */
bool cw_partition_idle(const struct cw_partition *p);
/* For timelines: requests between crossbar and L2 slice, and requests to the DRAM channel that it has not finished. */
uint32_t cw_partition_queued(const struct cw_partition *p);
uint32_t cw_partition_dram_queued(const struct cw_partition *p);
/* The host copies from or to the line at that address, which is one of the partition (cw_l2_host_copy). Only when idle. */
void cw_partition_host_copy(struct cw_partition *p, uint64_t addr);
/* Invalidates every line of the L2 slice, dirty ones too, so that the next kernel starts with cold caches. No value is lost: a store's
 * bytes are in device memory once the slice has served it. The outstanding write-backs of dirty lines are neither sent to DRAM nor counted.
 * Only when idle. */
void cw_partition_flush(struct cw_partition *p);

#endif
