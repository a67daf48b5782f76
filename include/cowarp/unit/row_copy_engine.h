/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Row copy engine of snapshot isolation (SI-TM section 5, step 4 of Figure 12): makes the copy that a new version of memory begins as. A version
 * is copied from one slot to another, in the DRAM, row by row (RowClone). The engine of a memory partition walks the rows of the regions that
 * have changed, and gives out commands. It says when the version can be written to: when all of them are done.
 *
 * Regions. [1] An entry has the rows first .. first + rows - 1 of the partition, in each of BANKS banks; [2] of the last row only the banks below
 * `tail` (0 or above BANKS: all). [3] The copy of row r in slot s is row r + shift + s * stride of the bank, modulo 2^row_w, as the version index
 * table has it.
 *
 * [4] A job begins when start_valid and start_ready are 1: slot start_from is copied to slot start_to, in the regions of the mask start_regions,
 * [5] the lowest first; [6] row by row, and in a row bank by bank from 0 on. [7] For a row of a bank there are 2 * lines + 1 commands: for each
 * line from 0 on CLEAN, of the source (what is dirty of it in the L2 goes to the DRAM), and DROP, of the target (what the L2 has of it is not
 * valid any more); then COPY. [8] Whoever takes the commands must keep their order as far as the row goes.
 *
 * What a cycle means. [9] A command is taken when cmd_valid and cmd_ready are 1. [10] cmd_row is r, cmd_from and cmd_to are the rows of the two
 * slots. [11] cmd_valid waits for two things: at most 2^out_w - 1 commands are out, [12] and a bank, whose rows of a region are all of one
 * subarray, has one COPY at a time. [13] ret_valid = 1: a command is done, in any order; [14] with ret_copy = 1 it was the COPY of bank ret_bank.
 * [15] One that comes when none is out is not looked at.
 *
 * [16] From the start to the first command of a region: in cycle t + 1 of a start in t the lowest region of the mask is chosen, in t + 2 it is
 * read, in t + 3 its first command is offered. [17] After the last command of a region, taken in t, it is the same. [18] A region without rows
 * has none. [19] When none is left in the cycle of the choice, from the next cycle on the engine waits for what is out; [20] done = 1 in the
 * first such cycle in which nothing is, [21] and start_ready = 1 from the next one on. [22] idle = 1, without a job and while the engine waits
 * for the last commands: a clock without start_valid, set_valid and ret_valid changes nothing.
 *
 * [23] set_valid = 1 writes region set_index, [24] if it is below `regions`. [25] A region that is chosen in that cycle, or later, is as it has
 * been set. [26] cmd_* is 0 when cmd_valid is 0. [27] After a reset no job is there, [28] and no region has rows.
 */
#ifndef COWARP_UNIT_ROW_COPY_ENGINE_H
#define COWARP_UNIT_ROW_COPY_ENGINE_H

#include "cowarp/unit.h"

#define CW_ROW_COPY_ENGINE_PARAMS(P)                                                       \
    P(row_w, ROW_W, 20, 2, 30, "bits of a row's number")                                   \
    P(stride_w, STRIDE_W, 12, 1, 16, "bits of the rows from a slot to the next; <= row_w") \
    P(banks, BANKS, 16, 1, 64, "banks of the partition's channel")                         \
    P(lines, LINES, 16, 1, 64, "L2 lines of a row of a bank: 2 KB of 128 bytes")           \
    P(regions, REGIONS, 32, 1, 64, "entries of regions")                                   \
    P(out_w, OUT_W, 10, 2, 16, "bits of the number of commands that are out")

#define CW_ROW_COPY_ENGINE_CLOCK(C) C(700, 32, "L2 slice, clock.l2 of preset si-tm")

#define CW_ROW_COPY_ENGINE_PORTS(IN, OUT, INW, OUTW) \
    /* a job */                                      \
    IN(start_valid, 1)                               \
    OUT(start_ready, 1)                              \
    IN(start_from, 4)                                \
    IN(start_to, 4)                                  \
    IN(start_regions, p->regions)                    \
    OUT(done, 1)                                     \
    /* commands */                                   \
    OUT(cmd_valid, 1)                                \
    IN(cmd_ready, 1)                                 \
    OUT(cmd_kind, 2) /* enum cw_row_copy_command */  \
    OUT(cmd_row, p->row_w)                           \
    OUT(cmd_from, p->row_w)                          \
    OUT(cmd_to, p->row_w)                            \
    OUT(cmd_bank, 6)                                 \
    OUT(cmd_line, 6)                                 \
    /* what is done */                               \
    IN(ret_valid, 1)                                 \
    IN(ret_copy, 1)                                  \
    IN(ret_bank, 6)                                  \
    /* regions */                                    \
    IN(set_valid, 1)                                 \
    IN(set_index, 6)                                 \
    IN(set_first, p->row_w)                          \
    IN(set_rows, p->row_w)                           \
    IN(set_tail, 7)                                  \
    IN(set_shift, p->row_w)                          \
    IN(set_stride, p->stride_w)                      \
    /* status */                                     \
    OUT(idle, 1)

#define CW_ROW_COPY_ENGINE_WORDS(PORT, CHANNEL)               \
    PORT(cmd_kind, row_copy_command, "clean", "drop", "copy") \
    CHANNEL(command, row_copy_channel, cmd_valid, cmd_ready, cmd_kind)

enum cw_row_copy_command { CW_ROW_COPY_CLEAN, CW_ROW_COPY_DROP, CW_ROW_COPY_COPY };

CW_UNIT_DECLARE(row_copy_engine, CW_ROW_COPY_ENGINE_PARAMS, CW_ROW_COPY_ENGINE_PORTS)
CW_UNIT_CLOCK(row_copy_engine, CW_ROW_COPY_ENGINE_CLOCK)

#endif
