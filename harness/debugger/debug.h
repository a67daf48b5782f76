/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The debugger's engine: it stops a run anywhere, shows its state, and goes back. It lives in the process that simulates, and talks to a
 * face (scripts/debug/) over a socket: the face sends a command per line, and gets an answer of one line of JSON.
 *
 * The engine hears the machine's events (csim/event/event.h), always the same types of them. So a place in the run has a name that does not
 * depend on who looks: the launch, the time, a type of event, and which event of that type at that time. A run is deterministic: the same name
 * is the same place, whenever the run comes by.
 *
 * Going back is going forward. The run leaves processes behind that stand still, copies of it that share its memory until one of them
 * writes (fork). To go back, the newest such process in front of the place makes a copy of itself, which runs to the place; the process that
 * came from there ends. So all that a run is goes back with it: memory, caches, units in Verilog, the host's program, its oracles.
 *
 * Commands. {"error": TEXT} says what is wrong. Where the run stops, the answer has "stopped", which says why, and the place.
 *
 *     stop ID KIND ... [core N] [warp N] [if CONDITION]
 *                         kinds: ptx LINE; source FILE LINE; pc N; kernel NAME; cycle N; access r|w|rw SPACE ADDRESS BYTES; abort CAUSE;
 *                         begin; commit; barrier; persist; diverge; converge; block; finding; oracle;
 *                         port UNIT.PORT N. A name of - is any
 *     delete ID
 *     select CORE WARP LANE           whom commands are about that name nobody
 *     frame N                         in which of its calls; 0 is the innermost, and each stop's
 *     go                              on, to the next stop
 *     step | next                     an instruction of the warp; a source line, calls in one go
 *     finish                          out of the function of the frame; in the kernel itself until the warp is in no transaction
 *     cycles N | at CYCLE
 *     answer UNIT                     until an output of the unit whose name ends in "valid" is so
 *     back go|step|next|line|finish|answer UNIT|cycles N    the same, back
 *     back start                      to the run's start
 *     wave FILE N                     a wave of the last N cycles: the run goes back and comes here again
 *     interrupt                       while it runs: it stops
 *     place, warps [CORE], registers [NAME], names, stack, calls, sets, symbols, report,
 *     state [GROUP [NUMBER [PIECE]]]  of a part of the chip, by the names of csim/base/state.h
 *     home ADDRESS                    partition and granule of a word of global memory
 *     ports [UNIT]                    of units, as in waves: values of the last cycle that the unit was clocked in
 *     memory SPACE ADDRESS BYTES
 *     value EXPRESSION | members EXPRESSION
 *     variables [module]              of the frame, or of the module
 *     lines FIRST LAST | code [FIRST END]    of the PTX; micro-operations
 *     quit
 */
#ifndef CW_DEBUGGER_DEBUG_H
#define CW_DEBUGGER_DEBUG_H

#include "base/error.h"
#include "gpu/gpu.h"

struct cw_debug;
struct cw_taps;

/* How a wave is made, from core cycle `begin` on; a status, and then the error says why not. */
struct cw_debug_waves {
    int (*open)(void *context, const char *path, uint64_t begin, struct cw_error *err);
    int (*close)(void *context, struct cw_error *err);
    void *context;
};

/* taps: through which the GPU's units are driven; the engine takes their on_op, and they outlive it. Takes the socket, waits for the face's first commands, and returns when the run is to begin. The process that calls is then another one:
 * the caller's waits for the last of them, and ends as that one does. CW_EIO, CW_ENOMEM. */
int cw_debug_create(struct cw_debug **out, int socket, struct cw_gpu *gpu, struct cw_taps *taps, const struct cw_debug_waves *waves,
                    struct cw_error *err);
void cw_debug_destroy(struct cw_debug *d);
/* The GPU has been reset: its events are others'. */
void cw_debug_listen(struct cw_debug *d);

struct cw_debug_launch {
    const struct cw_module *module;
    const struct cw_kernel *kernel;
    const char *text;     /* The PTX of the module, which outlives the engine */
    uint64_t global_base; /* device address of its .global variables */
};
/* Around each launch, or several that run side by side. status, err: how it has ended; a launch that fails stops the run, and its state can be
 * looked at. */
void cw_debug_launch(struct cw_debug *d, const struct cw_debug_launch *launch, uint32_t cnt);
void cw_debug_launched(struct cw_debug *d, int status, const struct cw_error *err);
/* After every time step. */
void cw_debug_step(struct cw_debug *d);
/* The program has nothing more to run: the last stop, from which one may go back. */
void cw_debug_finish(struct cw_debug *d);
/* Whether the run is on its way to a place where it has been: what it prints has been printed. */
bool cw_debug_is_travelling(const struct cw_debug *d);

#endif
