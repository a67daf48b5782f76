/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timing of a micro-operation: the class that it belongs to, from that its latency and initiation interval, and the pipeline that takes it.
 *
 * Classes are the functional units of enum cw_fu, and finer ones that a configuration may give a timing of their own (fu.move, fu.max,
 * fu.imad, fu.fma, fu.dpmax, fu.shfl, fu.convert, fu.bits, fu.half). A finer class whose latency is 0 is timed as its functional unit.
 */
#ifndef CW_IR_OP_CLASS_H
#define CW_IR_OP_CLASS_H

#include <stdint.h>

#include "base/config.h"
#include "ir/uop.h"

/* Pipelines of a core that has operand collectors: each has collectors, and one or more units, of its own. */
enum cw_pipe {
    CW_PIPE_ALU, /* Integer, f32, moves, control */
    CW_PIPE_SFU, /* Special functions, divisions, f64 */
    CW_PIPE_MEM, /* Load/store unit */
    CW_PIPE_COUNT
};

struct cw_op_timing {
    uint32_t latency;  /* Core cycles in the unit, at least 1 */
    uint32_t interval; /* Core cycles until the unit takes another instruction, at least 1 */
    enum cw_fu fu;     /* The unit */
};

/* Fu: the unit that the reader has chosen, corrected by the core for memory instructions that do not go to the load/store unit. */
struct cw_op_timing cw_op_timing(const struct cw_uop *u, enum cw_fu fu, const struct cw_config *config);

/* The pipeline in which the unit lies. */
enum cw_pipe cw_op_pipe(enum cw_fu fu);

#endif
