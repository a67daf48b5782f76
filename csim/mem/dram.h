/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DRAM channel of a memory partition: GDDR5 behind an FR-FCFS controller (Rixner et al., ISCA 2000).
 *
 *   push -> [scheduling latency: dram.latency core cycles] -> queue of dram.queue requests -> one command per cycle
 *        <- done FIFO, when the last data beat of a read has passed the bus
 *
 * A channel has a port for each L2 slice that it serves (dram.sharing). Each port has a FIFO of each kind; the queue takes from the ports
 * in turn. The channel's address of a line follows from the slice's: the slices' chunks of partition.interleave bytes alternate.
 *
 * It keeps time only; the bytes are in device memory. A request asks for sectors of one line, rounded up to bursts of
 * dram.burst_bytes. Writes are masked on the bus (GDDR5 WDM), so writing part of a burst costs a burst and no read.
 *
 * Address map, from the channel's line number up (a line has mem.line_bytes):  bank group | column | bank in group | row.
 * Neighbouring lines lie in different bank groups, so that a stream is paced by tCCD and not by tCCDL, and a stream
 * uses a whole row of each group before it moves to the next banks, whose activation hides behind the transfers. The
 * bank number is XORed with the low bits of the row number, so that strides of a power of two do not stay in one bank
 * (Zhang et al., MICRO 2000). That is dram.map = groups. With dram.map = banks, from the channel's chunk of partition.interleave bytes up:
 * lowest bit of the bank | column | rest of the bank | row, without the XOR, and the bank group is the bank's low bits. With columns, from
 * the channel's line number up: column | bank | row, without the XOR, and the bank group is the bank's high bits.
 *
 * Scheduling, each command cycle: the oldest column command that is allowed now; else the oldest activate or precharge
 * that is allowed now. Per bank the candidate is the oldest request that hits the open row; a row is closed only when
 * no queued request hits it. Row policy: open. Reads and writes share the queue. Starvation is bounded by an age cap
 * (cw_dram_age_cap). Refresh is not modelled. With dram.unit, the hardware unit dram_scheduler does this, for requests without copies.
 *
 * A copy takes a row to another row of its subarray (dram.subarray_rows) through the sense amplifiers, in dram.copy_ns. It needs a closed
 * bank, and holds it: no row is opened meanwhile, but other subarrays of the bank may copy at the same time. The data bus is free for other
 * banks. Requests of a bank do not overtake its copies. For the channel's limit on activates a copy counts as two.
 *
 * A copy over the bus is what it takes without that: the row is opened, read burst by burst, and closed, then the other row is opened, written
 * and closed. It holds the bank, and for its bursts the data bus, in one piece.
 *
 * Private to: dram.c, l2.h, partition.c.
 */
#ifndef CW_MEM_DRAM_H
#define CW_MEM_DRAM_H

#include "base/component.h"
#include "base/config.h"
#include "base/error.h"
#include "base/stats.h"
#include "cowarp/unit.h"

/* Bubble on the data bus when it turns from reading to writing, in command cycles; read to write is then, as in
 * GPGPU-Sim, tCL + burst + 2 - tWL. */
#define CW_DRAM_TURNAROUND 2u

struct cw_dram;
struct cw_dram_port;

/* Command cycles in the queue after which the oldest request is served alone: those of a full queue of requests that each open a row of one
 * bank and turn the data bus around twice. A smaller cap would cut in where the queue only is long, and never end, since serving one
 * request at a time lets the others grow old. */
uint32_t cw_dram_age_cap(const struct cw_config *config);

struct cw_dram_done {
    uint32_t tag;
    uint8_t sectors; /* fetched */
};

/* reads_max: most reads outstanding at once at a port. */
int cw_dram_create(struct cw_dram **out, const struct cw_config *config, const struct cw_clocks *clocks, struct cw_stats *stats,
                   uint32_t reads_max, struct cw_error *err);
/* Commands are chosen by the unit dram_scheduler from now on (mem/dram_unit.h); before the first request. partition: the channel's. CW_EUNSUP
 * with what the unit has not, or the status of the provider. */
int cw_dram_use_unit(struct cw_dram *d, const struct cw_unit_provider *units, uint32_t partition, struct cw_error *err);
void cw_dram_destroy(struct cw_dram *d);
struct cw_component *cw_dram_component(struct cw_dram *d);
/* Port index, 0 .. dram.sharing - 1, the channel's; done_wake: wake time of the component that takes the finished reads of that port. */
struct cw_dram_port *cw_dram_connect(struct cw_dram *d, uint32_t index, cw_time *done_wake);
/* Requests that may be pushed at time now. */
uint32_t cw_dram_space(const struct cw_dram_port *port, cw_time now);
/* Sectors of a line that a request for those sectors transfers: rounded up to bursts. */
uint8_t cw_dram_round(const struct cw_dram_port *port, uint8_t sectors);
/* local: partition-local address of the line. tag comes back with a finished read; writes finish silently. */
void cw_dram_push(struct cw_dram_port *port, uint64_t local, uint8_t sectors, bool write, uint32_t tag, cw_time now);
/* Whether a write may be pushed whose end is told, where cw_dram_space() allows a write. */
bool cw_dram_can_tell(const struct cw_dram_port *port);
/* A write; the tag, not NULL, comes back when its last data beat has passed the bus. */
void cw_dram_push_told(struct cw_dram_port *port, uint64_t local, uint8_t sectors, void *tag, cw_time now);
/* The tag of the oldest such write of the port that is done at time now, or NULL; pop takes it. Time from which the next one is. */
void *cw_dram_written(const struct cw_dram_port *port, cw_time now);
void cw_dram_pop_written(struct cw_dram_port *port, cw_time now);
cw_time cw_dram_next_written(const struct cw_dram_port *port);
/* Whether a copy may be pushed at time now. */
bool cw_dram_can_copy(const struct cw_dram_port *port, cw_time now);
/* Copies the row of a partition-local address to that of another, in the same bank and subarray, all of a channel by the DRAM itself or all
 * over_bus. The tag comes back when it is done. */
void cw_dram_push_copy(struct cw_dram_port *port, uint64_t from, uint64_t to, bool over_bus, void *tag, cw_time now);
/* The tag of the oldest copy of the port that is done at time now, or NULL; pop takes it. Time from which the next one is. */
void *cw_dram_copied(const struct cw_dram_port *port, cw_time now);
void cw_dram_pop_copied(struct cw_dram_port *port, cw_time now);
cw_time cw_dram_next_copied(const struct cw_dram_port *port);
/* Tells of each request of the port that is accepted and of each column command for one, from within a push or the channel's tick; with the
 * partition-local address. */
void cw_dram_listen(struct cw_dram_port *port, void (*accepted)(void *self, uint64_t local, uint8_t sectors, bool write, cw_time now),
                    void (*command)(void *self, uint64_t local, bool write, cw_time now), void *self);
/* Takes the oldest read of the port that has finished at time now; false when there is none. */
bool cw_dram_pop(struct cw_dram_port *port, struct cw_dram_done *done, cw_time now);
/* Time from which the port's next finished read may be taken. */
cw_time cw_dram_next(const struct cw_dram_port *port);
/* Nothing of the port is queued or on its way. */
bool cw_dram_idle(const struct cw_dram_port *port);
/* Requests of the port that are queued or on their way. */
uint32_t cw_dram_queued(const struct cw_dram_port *port);
/* Where a partition-local address lies (for tests and reports). */
void cw_dram_map(const struct cw_dram_port *port, uint64_t local, uint32_t *group, uint32_t *bank, uint64_t *row);

#endif
