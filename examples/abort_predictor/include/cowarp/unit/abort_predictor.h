/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Abort predictor: a table of saturating counters that remembers which warps' transactions have lately aborted.
 *
 * What a cycle means. [1] qry_abort is 1 when the counter of qry_index is in the upper half of its range, qry_count is the counter; both
 * answer in the same cycle, from the state at its start. [2] With upd_valid = 1 the counter of upd_index goes up by one at the end of the
 * cycle if upd_abort is 1, down by one if it is 0, [3] and stays where it is at the end of its range. [4] A reset makes all counters 0.
 * [5] A clock with upd_valid = 0 changes nothing.
 */
#ifndef COWARP_UNIT_ABORT_PREDICTOR_H
#define COWARP_UNIT_ABORT_PREDICTOR_H

#include "cowarp/unit.h"

#define CW_ABORT_PREDICTOR_PARAMS(P)                                     \
    P(index_w, INDEX_W, 6, 1, 6, "bits of an index; a counter for each") \
    P(count_w, COUNT_W, 2, 2, 8, "bits of a counter")

#define CW_ABORT_PREDICTOR_CLOCK(C) C(1400, 32, "GETM Table II: SIMT core")

#define CW_ABORT_PREDICTOR_PORTS(IN, OUT, INW, OUTW) \
    /* a warp at tx_begin asks */                    \
    IN(qry_index, p->index_w)                        \
    OUT(qry_abort, 1)                                \
    OUT(qry_count, p->count_w)                       \
    /* an attempt has ended */                       \
    IN(upd_valid, 1)                                 \
    IN(upd_index, p->index_w)                        \
    IN(upd_abort, 1)

CW_UNIT_DECLARE(abort_predictor, CW_ABORT_PREDICTOR_PARAMS, CW_ABORT_PREDICTOR_PORTS)
CW_UNIT_CLOCK(abort_predictor, CW_ABORT_PREDICTOR_CLOCK)

#endif
