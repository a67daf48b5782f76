/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheduler of a DRAM channel: which command the DRAM is given next, of those that the requests in the queue need. It is FR-FCFS (Rixner et
 * al., ISCA 2000), first ready, first come, first served, as csim/mem/dram.c chooses for requests; the DRAM's times are those that GPGPU-Sim
 * gives a channel. Bytes are not here: a request is known by its tag.
 *
 * Requests. [1] The queue has `queue` places, and push_ready = 1: one is free. [2] With push_valid and push_ready a request is taken in
 * cycle t. [3] It is in the queue from t + 1 on, behind all others, and is looked at from t + 2 on: a read, or with push_write a write, of
 * push_bursts + 1 bursts of the row push_row of the bank push_bank.
 *
 * Time. [4] A cycle with step = 1 is a command cycle: a command is given, or none is allowed. [5] Times are counted in command cycles, and
 * "n after" a command means in the n-th one after it, or later. [6] A command that is given in cycle t is there in t + 1 (cmd_valid).
 *
 * Banks. [7] A bank has an open row or none. [8] ACTIVATE opens the row of the request, PRECHARGE closes the bank. [9] READ and WRITE
 * transfer a burst of a request from or to the open row. [10] With the last one (cmd_last) the request leaves the queue: its place is free
 * in the next cycle.
 *
 * What a request needs. [11] If its row is open, it hits, and needs READ or WRITE; if another row is open, PRECHARGE; if none is, ACTIVATE.
 * [12] For each bank that has requests there is one candidate: the oldest that hits, or else the oldest.
 *
 * Which command is allowed:
 *  - [13] ACTIVATE: `rc` after the last one of its bank, `rp` after the last PRECHARGE of its bank, `rrd` after the last ACTIVATE of any
 *    bank.
 *  - [14] READ, WRITE: `rcd` after the ACTIVATE of the bank; `ccd` after the last READ or WRITE, and `ccdl` after the last one of the same
 *    bank group. [15] The group is the low `group_w` bits of the bank's number.
 *  - [16] READ: `wtr` after the last WRITE. [17] WRITE: `rtw` after the last READ.
 *  - [18] PRECHARGE: `ras` after the ACTIVATE of the bank, `rtp` after its last READ, `wtp` after its last WRITE.
 *
 * Choice. [19] Of the candidates whose READ or WRITE is allowed the oldest has it. [20] If there is none, it is the oldest of those whose
 * ACTIVATE or PRECHARGE is allowed. [21] late = 1: the oldest request has been in the queue for `age_cap` command cycles. [22] Then it is
 * served alone: what it needs is given as soon as it is allowed, and nothing else.
 *
 * [23] cmd_bank and cmd_tag are those of the request for which the command is; cmd_row is its row with ACTIVATE. [24] What is not said here
 * is 0: cmd_* without cmd_valid, cmd_row with other commands, cmd_last but with the last burst. [25] After a reset the queue is empty, no
 * row is open, and each command is allowed. [26] empty = 1: the queue is. [27] idle = 1: it is empty, and the longest of the times from
 * `rcd` to `wtp` is over since the last command; a clock without push_valid changes nothing that is seen.
 */
#ifndef COWARP_UNIT_DRAM_SCHEDULER_H
#define COWARP_UNIT_DRAM_SCHEDULER_H

#include "cowarp/unit.h"

/* Times in command cycles. */
#define CW_DRAM_SCHEDULER_PARAMS(P)                                                        \
    P(queue, QUEUE, 32, 1, 64, "requests among which it chooses")                          \
    P(bank_w, BANK_W, 4, 1, 6, "bits of a bank's number")                                  \
    P(group_w, GROUP_W, 2, 1, 4, "of them, bits of its group's number; all, if too large") \
    P(row_w, ROW_W, 24, 1, 32, "bits of a row's number")                                   \
    P(tag_w, TAG_W, 5, 1, 8, "bits of a request's tag")                                    \
    P(rcd, RCD, 12, 4, 255, "activate to column command")                                  \
    P(ras, RAS, 28, 4, 255, "activate to precharge")                                       \
    P(rp, RP, 12, 1, 255, "precharge to activate")                                         \
    P(rc, RC, 40, 1, 255, "activate to activate, same bank")                               \
    P(rrd, RRD, 6, 1, 255, "activate to activate, different banks")                        \
    P(ccd, CCD, 2, 1, 255, "column to column command; a burst's time on the bus at least") \
    P(ccdl, CCDL, 3, 2, 255, "column to column command, same bank group")                  \
    P(rtw, RTW, 12, 1, 255, "read to write command")                                       \
    P(wtr, WTR, 11, 1, 255, "write to read command")                                       \
    P(rtp, RTP, 2, 2, 255, "read to precharge")                                            \
    P(wtp, WTP, 18, 2, 255, "write to precharge")                                          \
    P(age_cap, AGE_CAP, 2144, 1, 65535, "age from which the oldest request is served alone")

#define CW_DRAM_SCHEDULER_CLOCK(C) C(924, 32, "DRAM command clock, clock.dram of preset getm")

#define CW_DRAM_SCHEDULER_PORTS(IN, OUT, INW, OUTW) \
    /* a request */                                 \
    IN(push_valid, 1)                               \
    OUT(push_ready, 1)                              \
    IN(push_write, 1)                               \
    IN(push_bank, p->bank_w)                        \
    IN(push_row, p->row_w)                          \
    IN(push_bursts, 3)                              \
    IN(push_tag, p->tag_w)                          \
    /* the command, a cycle later */                \
    IN(step, 1)                                     \
    OUT(cmd_valid, 1)                               \
    OUT(cmd_kind, 2)                                \
    OUT(cmd_bank, p->bank_w)                        \
    OUT(cmd_row, p->row_w)                          \
    OUT(cmd_tag, p->tag_w)                          \
    OUT(cmd_last, 1)                                \
    /* status */                                    \
    OUT(late, 1)                                    \
    OUT(empty, 1)                                   \
    OUT(idle, 1)

#define CW_DRAM_SCHEDULER_WORDS(PORT, CHANNEL) PORT(cmd_kind, dram_scheduler_kind, "READ", "WRITE", "ACTIVATE", "PRECHARGE")

CW_UNIT_DECLARE(dram_scheduler, CW_DRAM_SCHEDULER_PARAMS, CW_DRAM_SCHEDULER_PORTS)
CW_UNIT_CLOCK(dram_scheduler, CW_DRAM_SCHEDULER_CLOCK)

#endif
