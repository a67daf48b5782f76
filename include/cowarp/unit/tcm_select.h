/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Select of the transaction conflict mask (GPU-LocalTM, section 2.1, Table 1; section 3.2): at the end of a wavefront's attempt it says
 * which lanes run the next attempt, in which mode, and whether the wavefront needs the work-group's token for it.
 *
 * [1] A lane whose bit is 1 in TCM has met a conflict in the attempt that ends (tcm), or was held back in it. [2] All lanes of tcm are in the
 * next attempt. [3] There a lane with TCM = 0 runs, one with TCM = 1 is held back.
 *
 * What a cycle means. [4] ask_valid = 1 in cycle t: the outputs from t + 1 on are the answer, until the cycle after the next one with
 * ask_valid = 1.
 *   ask_tcm     TCM at the end of the attempt
 *   ask_start   TCM at its begin: the lanes that were held back
 *   ask_before  TCM at the end of the attempt before; 0 in a transaction's first attempt, and in the first after the wavefront has aborted
 *               for another one's token
 *   ask_mcm     MCM at the end of the attempt: 0 for a lane that has met an owner of its wavefront that comes before it in the order
 *   ask_mode    mode of the attempt that ends (enum cw_local_mode; [5] 3 counts as 2)
 *   ask_descending, ask_multiple   the serialisation
 *   ask_keep    a token is for all transactions of the wavefront; 0: for one lane's
 *   ask_token   the wavefront has the token
 *
 * The next mode. [6] It is `stuck` if ask_tcm = ask_before, or if a lane that ran is in ask_tcm (ask_tcm has a lane that ask_start has not).
 *  - [7] ask_tcm = 0: transactional; the transaction is over.
 *  - [8] After transactional mode: wavefront if ask_tcm = ask_before, else transactional.
 *  - [9] After wavefront serialisation: work-group if it is stuck, else transactional.
 *  - [10] After work-group serialisation: work-group if it is stuck, or with ask_keep = 1, else transactional.
 *
 * The next TCM, sel_tcm: [11] Transactional: 0, all run. [12] Work-group serialisation: the first lane of ask_tcm runs, the lowest, or the
 * highest with ask_descending = 1. [13] Wavefront serialisation: the same with ask_multiple = 0; [14] with ask_multiple = 1 the lanes of
 * ask_tcm & ask_mcm run, [15] and if there are none, the first lane of ask_tcm.
 *  - [16] sel_run is ask_tcm & ~sel_tcm.
 *  - [17] sel_want: work-group serialisation comes, and the wavefront has no token: it waits for one before it begins.
 *  - [18] sel_free: it has one, and work-group serialisation does not come: it gives it back.
 *
 * [19] Between two attempts TCM must only lose lanes (ask_tcm is within ask_before), except when the wavefront aborts for another one's
 * token, and in work-group serialisation, where nobody else runs, it must lose one. [20] From this follows a bound: with n lanes in TCM
 * after the first attempt there are at most 3 * n more.
 *
 * [21] A reset leaves the answer to inputs of 0. [22] A clock with ask_valid = 0 changes nothing.
 */
#ifndef COWARP_UNIT_TCM_SELECT_H
#define COWARP_UNIT_TCM_SELECT_H

#include "cowarp/unit.h"

enum cw_local_mode { CW_LOCAL_TRANSACTIONAL = 0, CW_LOCAL_WAVEFRONT = 1, CW_LOCAL_WORK_GROUP = 2, CW_LOCAL_MODE_CNT };

#define CW_TCM_SELECT_PARAMS(P) P(lanes, LANES, 64, 2, 64, "lanes of a wavefront")

#define CW_TCM_SELECT_CLOCK(C) C(925, 32, "Southern Islands (HD 7970), 28 nm: engine clock; 32 nm is the nearest node of synth")

#define CW_TCM_SELECT_PORTS(IN, OUT, INW, OUTW) \
    /* an attempt of a wavefront ends */        \
    IN(ask_valid, 1)                            \
    IN(ask_tcm, p->lanes)                       \
    IN(ask_start, p->lanes)                     \
    IN(ask_before, p->lanes)                    \
    IN(ask_mcm, p->lanes)                       \
    IN(ask_mode, 2) /* enum cw_local_mode */    \
    IN(ask_descending, 1)                       \
    IN(ask_multiple, 1)                         \
    IN(ask_keep, 1)                             \
    IN(ask_token, 1)                            \
    /* the next one */                          \
    OUT(sel_tcm, p->lanes) /* held back */      \
    OUT(sel_run, p->lanes)                      \
    OUT(sel_mode, 2) /* enum cw_local_mode */   \
    OUT(sel_want, 1)                            \
    OUT(sel_free, 1)

#define CW_TCM_SELECT_WORDS(PORT, CHANNEL)                                               \
    PORT(ask_mode, local_mode, "transactional", "wavefront", "work-group", "work-group") \
    PORT(sel_mode, local_mode, "transactional", "wavefront", "work-group", "work-group")

CW_UNIT_DECLARE(tcm_select, CW_TCM_SELECT_PARAMS, CW_TCM_SELECT_PORTS)
CW_UNIT_CLOCK(tcm_select, CW_TCM_SELECT_CLOCK)

#endif
