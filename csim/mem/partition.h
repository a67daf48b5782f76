/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory partition: requests leave the crossbar, wait the ROP delay, meet the L2 slice (write-back, MSHRs, atomics),
 * which fetches misses from the partition's DRAM channel; replies go to the other crossbar. Units of a transactional
 * system attach through four FIFOs.
 *
 *   crossbar -> [ROP delay] -> L2 slice -> reply queue -> crossbar
 *                               |  ^                         ^
 *            TX_LOAD, TX_STORE  v  | tm->to_l2               | tm->reply
 *                           tm->from_l2       tm->from_noc <- TX_LOG, TX_CONTROL (no ROP delay)
 *
 * TX_LOAD makes its line present in the L2 (a miss fetches it) before it goes on to from_l2; TX_STORE passes as a hit.
 * The values of a transactional load are in u.data, as they were when the slice served it; a system may instead read
 * device memory at its decision, if nobody else can write those words at the same instant.
 * A packet that the system puts in to_l2 is an ordinary WRITE or READ from the commit unit (core field = 0xffff): the
 * slice writes the bytes into device memory, or copies them out, when it serves it and then pushes the packet to
 * l2_done.
 *
 * Replies reuse the request's packet: kind and size change, the rest comes back as it was. READ gets READ_REPLY with 32
 * bytes per sector asked, each at its place in u.data; WRITE gets WRITE_ACK, but with needs_reply = 0 (L1 write-backs)
 * it ends in the slice, which frees it; ATOMIC gets ATOMIC_REPLY (4 or 8 bytes per lane) or, with needs_reply = 0,
 * WRITE_ACK. Timing is stated in partition.c, what the slice does in l2.h, DRAM in dram.h.
 */
#ifndef CW_MEM_PARTITION_H
#define CW_MEM_PARTITION_H

#include "base/clock.h"
#include "base/config.h"
#include "base/error.h"
#include "base/stats.h"
#include "mem/device_memory.h"
#include "msg/crossbar.h"
#include "msg/message.h"

struct cw_partition;

/* Attachment of a transactional system. Single producer, single consumer each. */
struct cw_partition_socket {
    struct cw_fifo from_l2;  /* TX_LOAD, TX_STORE after their L2 access; the system consumes (L2 clock) */
    struct cw_fifo from_noc; /* TX_LOG, TX_CONTROL; the system consumes */
    struct cw_fifo reply;    /* the system produces: packets for the cores; arbitrated with the L2's own replies */
    struct cw_fifo to_l2;    /* the commit unit produces: WRITE and READ packets with core = 0xffff */
    struct cw_fifo l2_done;  /* they come back when performed */
};

struct cw_partition_config {
    const struct cw_config *config;
    const struct cw_clocks *clocks;
    struct cw_stats *stats;
    struct cw_memory *memory;
    struct cw_message_pool *pool;
    struct cw_crossbar *up, *down; /* requests arrive at output `index` of up; replies enter at source `index` of down */
    uint32_t index;
    bool with_tm;
};

int cw_partition_create(struct cw_partition **out, const struct cw_partition_config *config, struct cw_error *err);
void cw_partition_destroy(struct cw_partition *p);
/* The L2 slice (domain L2) and the DRAM channel (domain DRAM). */
struct cw_component *cw_partition_l2_component(struct cw_partition *p);
struct cw_component *cw_partition_dram_component(struct cw_partition *p);
struct cw_partition_socket *cw_partition_socket_of(struct cw_partition *p);
/* Nothing queued, no miss outstanding. */
bool cw_partition_idle(const struct cw_partition *p);
/* Forgets all cached lines (they are already in memory): cold caches for the next kernel. Only when idle. */
void cw_partition_flush(struct cw_partition *p);

/* Address map: which partition serves an address, and the address within it (contiguous). */
uint32_t cw_address_partition(const struct cw_config *config, uint64_t addr);
uint64_t cw_address_local(const struct cw_config *config, uint64_t addr);

#endif
