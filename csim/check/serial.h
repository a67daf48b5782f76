/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serializability oracle: is there a serial order of the committed transactions that explains every value they read and the final memory?
 *
 * It listens to the events of regions (csim/event/event.h) and shares no code with any protocol. Per word it keeps the sequence of versions
 * (value, writer) in the order in which the writes reached memory. It matches each read with the version that memory held. Edges lead from
 * a writer to its readers, from a reader to the next writer, and from a writer to the next writer. A cycle is a violation; the shortest one
 * is reported with its transactions, addresses and values. Edges of order lead from each transaction of a thread to its next one, and between
 * threads through what they have seen of each other outside of transactions (serial_order.c).
 *
 * The core tells what an attempt's instructions store and load. What the protocol says of the attempt has to agree with that: a load finds
 * what its thread has stored in the attempt, else what the protocol has read for it; a write set is what the stores have left.
 *
 * A protocol that writes in place tells when it has put a word aside, and when it has restored it. At both moments, and when a word leaves
 * what regions share, memory has to hold what the last commit has left.
 *
 * Where there is an order, it counts the transactions that stand before one that had ended when they began: what strict serializability
 * forbids and snapshots do not promise. One has ended when its fate is sealed and its writes are in
 * memory.
 *
 * These are violations of their own: a read whose value differs from the version's value; a committed write that never arrived, arrived
 * twice or with another value; final memory that differs from the last version; a word put aside or restored that does; a
 * load or a write set that is not what the program does; an event of an attempt that cannot be (see stray_events). Aborted attempts that read an inconsistent snapshot are counted (opacity), not judged.
 *
 * Snapshots may permit an attempt to see one that no order of the commits explains: who has read a word before another transaction wrote it
 * stands before that one, but may commit after it, and between the two commits there is a snapshot. It is whole, so such an attempt is
 * counted apart.
 */
#ifndef CW_CHECK_SERIAL_H
#define CW_CHECK_SERIAL_H

#include "base/error.h"
#include "event/event.h"

struct cw_serial;

struct cw_serial_report {
    uint64_t committed, aborted;        /* attempts seen */
    uint64_t reads, writes;             /* words of committed attempts */
    uint64_t cycle_length;              /* transactions in the shortest cycle found, 0: none */
    uint64_t value_errors, lost_writes; /* violations of the other kinds */
    uint64_t inconsistent_aborted;      /* Opacity count: there was no moment at which all that the attempt has read was true together. */
    uint64_t unordered_aborted;         /* Of the others, those whose snapshot no order of the commits explains */
    /* Events of an attempt that has not begun, a second begin of an attempt, and a commit or abort of one that has ended: who tells the
     * events is wrong, so nothing else can be relied upon. */
    uint64_t stray_events;
    uint64_t late_reads; /* reads and validations told when the attempt had aborted: ignored, and no violation */
    uint64_t early;      /* Transactions that stand before one that had ended when they began: no violation. */
    char text[1024];     /* the first violation in words, empty when none */
    /* Of the transactions that it names, the one that was the last to commit: then it was sealed. at 0: none is known. */
    struct cw_serial_culprit {
        cw_time at; /* Of the event of its commit */
        uint32_t core, warp, lane;
    } last;
    char real_time[768]; /* How one of the early ones comes to stand there, by the fewest steps; empty when none. */
};

/* The word that memory holds at this moment at the address, a multiple of 4. The oracle asks when a word is first read, and in
 * cw_serial_check. It does not rely on the values of events for either, because these are what it has to judge. */
typedef uint32_t (*cw_serial_word_fn)(void *context, uint64_t addr);

int cw_serial_create(struct cw_serial **out, cw_serial_word_fn word, void *context, struct cw_error *err);
void cw_serial_destroy(struct cw_serial *s);
/* To be entered in the stream of events; lives as long as the oracle. */
struct cw_event_listener *cw_serial_listener(struct cw_serial *s);
/* Judges everything heard since the last call and forgets it. CW_OK, or CW_ECHECK with err = report->text. */
int cw_serial_check(struct cw_serial *s, struct cw_serial_report *report, struct cw_error *err);

#endif
