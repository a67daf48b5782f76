/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serializability oracle: is there a serial order of the committed transactions that explains every value they read and the final memory?
 *
 * It implements struct cw_tm_observer and shares no code with any protocol. Per word it keeps the sequence of versions (value, writer) in
 * the order in which the writes reached memory; each read is matched with the version that memory held. Edges writer -> reader, reader ->
 * next writer, writer -> next writer; a cycle is a violation and the shortest one is reported with its transactions, addresses and values.
 * A read whose value differs from the version's value, a committed write that never arrived, arrived twice or with another value, and final
 * memory that differs from the last version are violations of their own. Aborted attempts that read an inconsistent snapshot are counted
 * (opacity), not judged.
 */
#ifndef CW_CHECK_SERIAL_H
#define CW_CHECK_SERIAL_H

#include "base/error.h"
#include "mech/tm/tm.h"
#include "mem/device_memory.h"

struct cw_serial;

struct cw_serial_report {
    uint64_t committed, aborted;        /* attempts seen */
    uint64_t reads, writes;             /* words of committed attempts */
    uint64_t cycle_length;              /* transactions in the shortest cycle found, 0: none */
    uint64_t value_errors, lost_writes; /* violations of the other kinds */
    uint64_t inconsistent_aborted;      /* opacity count */
    char text[1024];                    /* the first violation in words, empty when none */
};

int cw_serial_create(struct cw_serial **out, const struct cw_memory *memory, struct cw_error *err);
void cw_serial_destroy(struct cw_serial *s);
struct cw_tm_observer *cw_serial_observer(struct cw_serial *s);
/* Judges everything seen since the last call and forgets it. CW_OK, or CW_ECHECK with err = report->text. */
int cw_serial_check(struct cw_serial *s, struct cw_serial_report *report, struct cw_error *err);

#endif
