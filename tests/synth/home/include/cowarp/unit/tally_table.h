/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tally table: a unit for the tests of cowarp synth, small enough to count its registers by hand.
 *
 * It answers a row in the second cycle after the question (req_valid), and writes the answer back, one higher, in the third. An
 * answer that is read before an earlier one was written back is old: this unit forwards nothing. After reset it clears a row per cycle.
 * The parameters break the rules of the flow, one each: fold writes back what the RAM gives in the same cycle; steps adds
 * so many multiplications to the answer's path.
 */
#ifndef COWARP_UNIT_TALLY_TABLE_H
#define COWARP_UNIT_TALLY_TABLE_H

#include "cowarp/unit.h"

#define CW_TALLY_TABLE_PARAMS(P)                            \
    P(row_w, ROW_W, 4, 2, 8, "log2 of the rows")            \
    P(value_w, VALUE_W, 8, 4, 256, "bits of a value")       \
    P(fold, FOLD, 0, 0, 1, "1: a path from a RAM to a RAM") \
    P(steps, STEPS, 0, 0, 8, "multiplications in one cycle")

#define CW_TALLY_TABLE_CLOCK(C) C(1400, 32, "a choice")

#define CW_TALLY_TABLE_PORTS(IN, OUT, INW, OUTW) \
    IN(req_valid, 1)                             \
    IN(req_row, p->row_w)                        \
    OUT(rsp_valid, 1)                            \
    OUT(rsp_value, p->value_w)

CW_UNIT_DECLARE(tally_table, CW_TALLY_TABLE_PARAMS, CW_TALLY_TABLE_PORTS)
CW_UNIT_CLOCK(tally_table, CW_TALLY_TABLE_CLOCK)

#endif
