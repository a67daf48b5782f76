/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L2 slice: tags, miss status registers, and what happens to the bytes. Without clock and ports: the partition
 * (partition.c) decides when a request meets the slice and where its reply goes.
 *
 * Set-associative (which line is replaced, cache_array.h says), lines of mem.line_bytes with valid and dirty state per sector of 32 bytes, write-back. Set index:
 * partition-local line number modulo sets; no hash, since dealing lines to partitions has already broken up long
 * strides, and a plain index lets a reader work out by hand which lines meet.
 *
 * l2.write_miss = allocate: writes allocate without fetch. A sector of which only some bytes were written is not valid, but remembers
 * which bytes it has; it becomes valid when all 32 have been written, or when a later read fetches it. So a partial write never waits for
 * DRAM; the price is that reading the sector afterwards misses even if the wanted bytes were written. Its write-back uses the data mask and
 * costs a burst.
 *
 * l2.write_miss = through: a write that does not find its sectors goes on to DRAM, and what is not there is fetched. The write is answered
 * when DRAM has its bytes, and it keeps a place in the line's MSHR until the line is here. This is the write-allocate of GPGPU-Sim 3's L2.
 *
 * l2.sectored = off: a miss fetches all of the line that is not there, and a dirty line is written back whole.
 *
 * Persistent memory is written through, by byte: its lines take what is written, as with l2.write_miss = allocate, and are never dirty. The
 * partition sends the bytes on. What such a line lacks is fetched from its device.
 *
 * Requests to a sector for which an earlier request waits in an MSHR queue behind it, hit or miss; others pass (hit
 * under miss). Atomics read and write their sectors here, in lane order.
 *
 * The slice has the bytes of its lines. Memory gets them by write-backs, and gives those of a sector when a fetch comes back; what the
 * slice has of the sector stays. A write-back that is on its way is in memory already: the controller's queue answers for it.
 *
 * With l2.tags_unit, the hardware unit l2_tags says which line is where, which of its sectors are valid and dirty, and which line goes. The
 * slice keeps them beside it for those who read bytes without time.
 *
 * With l2.mshr_unit, the hardware unit l2_mshr says who waits and who is performed next; the slice has the messages.
 *
 * With l2.slice_unit, the hardware unit l2_slice is both, decides about each request, and has the bytes. Those who read bytes without time
 * get the unit's, too.
 *
 * Counted when a request is accepted, merged ones included: READ and PASS as l2_reads, WRITE as l2_writes, a miss
 * when not all its sectors are valid (write: when the line is absent); atomics per lane as l2_atomics, neither as reads
 * nor as writes.
 *
 * Private to: l2.c, l2_private.h, partition.c.
 */
#ifndef CW_MEM_L2_H
#define CW_MEM_L2_H

#include "base/config.h"
#include "base/error.h"
#include "base/stats.h"
#include "cowarp/unit.h"
#include "mem/device_memory.h"
#include "mem/dram.h"
#include "mem/nvm.h"
#include "msg/message.h"

struct cw_l2;

enum cw_l2_result {
    CW_L2_DONE,      /* performed; the caller sends the reply */
    CW_L2_PASSED,    /* performed and sent on to DRAM; the caller sends the reply when cw_dram_written() has the message */
    CW_L2_MISS,      /* waits in an MSHR; the slice owns the message until cw_l2_replay() */
    CW_L2_STALL,     /* not accepted, nothing changed: no MSHR, no place in it, or no line; can succeed only after
                        another access, a fill or a replay */
    CW_L2_STALL_DRAM /* not accepted, nothing changed: no space towards DRAM or NVM */
};

/* index: of the partition. nvm: NULL without persistent memory. units: asked with l2.tags_unit and l2.mshr_unit only. */
int cw_l2_create(struct cw_l2 **out, const struct cw_config *config, uint32_t index, struct cw_stats *stats, struct cw_memory *memory,
                 struct cw_dram_port *dram, struct cw_nvm_port *nvm, const struct cw_unit_provider *units, struct cw_error *err);
void cw_l2_destroy(struct cw_l2 *l2);
/* READ, WRITE, ATOMIC or PASS. On CW_L2_DONE and CW_L2_PASSED, *cycles is the time for which it takes the slice's port, in L2 cycles:
 * one for each l2.port_bytes of its sectors, and for atomics at least the largest number of lanes on one address, or l2.atomic_cycles for each
 * sector. */
enum cw_l2_result cw_l2_access(struct cw_l2 *l2, struct cw_message *p, uint32_t *cycles, cw_time now);
/* CLEAN or DROP; takes the slice's port for a cycle. Not CW_L2_MISS. A line that is fetched cannot be dropped before it is here. */
enum cw_l2_result cw_l2_maintain(struct cw_l2 *l2, const struct cw_message *p, cw_time now);
/* Accepts one line that DRAM has finished, through the fill port; false when there is none. */
bool cw_l2_fill(struct cw_l2 *l2, cw_time now);
/* The request whose miss has been resolved and that is served next, or NULL. */
struct cw_message *cw_l2_replay_head(const struct cw_l2 *l2);
/* Performs that request and hands it back. */
struct cw_message *cw_l2_replay(struct cw_l2 *l2, uint32_t *cycles);
/* No miss outstanding. */
bool cw_l2_idle(const struct cw_l2 *l2);
/* The host copies from or to the line at that address of device memory. The line is valid and the youngest of its set afterwards. What it
 * replaces is dropped: the copy has no time, so a write-back has none. Only when idle. */
void cw_l2_host_copy(struct cw_l2 *l2, uint64_t addr);
void cw_l2_flush(struct cw_l2 *l2);
/* Its state (base/state.h). */
void cw_l2_state(struct cw_state *s, struct cw_l2 *l2);

#endif
