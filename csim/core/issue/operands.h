/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operand collection: what an instruction passes through between issue and its unit, and the register banks that it needs for that.
 *
 * An instruction that issues in cycle t enters a register in front of its pipeline's collectors (an entry). A free collector takes it in
 * the next cycle at the earliest. From the cycle after that the collector reads the operands: at most core.collector_reads in a cycle, and
 * a bank serves one read in a cycle, in the order in which reads were asked for; a bank that is written in a cycle is not read. When all
 * operands are there, the instruction moves into a register in front of the units (an exit), and from there into a unit that is free. With
 * n operands and nobody in its way:
 *
 *     t        issue
 *     t+1      collector            the entry is free again
 *     t+2 ..   n reads
 *     t+2+n    exit                 the collector is free again
 *     t+3+n    unit                 free again an initiation interval later
 *
 * The unit's latency follows, a cycle into the register for results and one for the write-back, which needs the register's bank. So a
 * dependent instruction issues latency + 5 + n cycles after this one. A cycle here is one of core.stage_cycles core cycles.
 *
 * Nothing ticks: an instruction reserves its way when it issues. A place is kept as the cycle from which it is free, so an instruction
 * never takes one before an instruction that issued earlier and needs it later; banks are kept in calendars for writes. A write that is 64
 * cycles away or more finds its bank free, and no read sees it.
 *
 * A register's bank is (its slot + the warp's number) mod core.reg_banks; one read takes all lanes and both words of a 64-bit register.
 * The structure is that of GPGPU-Sim's operand collectors.
 */
#ifndef CW_CORE_ISSUE_OPERANDS_H
#define CW_CORE_ISSUE_OPERANDS_H

#include <stdint.h>

#include "base/config.h"
#include "core/warps/calendar.h"
#include "core/warps/scoreboard.h"
#include "ir/op_class.h"

#define CW_COLLECTORS_MAX 16u /* per pipeline */
#define CW_UNITS_MAX      4u
#define CW_BANKS_MAX      64u

/* All times are core cycles: the place may be taken from then on. */
struct cw_operand_pipe {
    uint32_t width;         /* entries, exits and units: 1 .. CW_UNITS_MAX */
    uint32_t collector_cnt; /* 1 .. CW_COLLECTORS_MAX */
    uint64_t entry[CW_UNITS_MAX], exit[CW_UNITS_MAX], unit[CW_UNITS_MAX];
    uint64_t collector[CW_COLLECTORS_MAX];
};

struct cw_operands {
    uint32_t stage; /* core cycles per stage */
    uint32_t banks, reads;
    struct cw_operand_pipe pipe[CW_PIPE_COUNT];
    uint64_t bank_free[CW_BANKS_MAX]; /* for reads */
    struct cw_calendar writes[CW_BANKS_MAX];
};

/* Whether the configuration has operand collectors. */
static inline bool cw_operands_on(const struct cw_config *config)
{
    return config->core_collectors != 0;
}

/* Instructions that the pipeline holds in front of its units: in entries, collectors and exits. */
uint32_t cw_operands_places(const struct cw_config *config, enum cw_pipe pipe);

/* Everything free. */
void cw_operands_reset(struct cw_operands *o, const struct cw_config *config);

/* The instruction op of a warp issues in `cycle`; the pipeline has an entry then. Reserves its way, and returns the cycle in which the unit
 * takes it. */
uint64_t cw_operands_issue(struct cw_operands *o, const struct cw_issue_op *op, uint32_t warp, uint64_t cycle);

/* A result is written in `cycle` at the earliest; returns the cycle in which all destinations of op have found their banks free, and takes
 * these. Dependent instructions may issue from then on. now: the running cycle. */
uint64_t cw_operands_write(struct cw_operands *o, const struct cw_issue_op *op, uint32_t warp, uint64_t cycle, uint64_t now);

/* First cycle in which the pipeline has an entry for another instruction. */
uint64_t cw_operands_entry(const struct cw_operands *o, enum cw_pipe pipe);

#endif
