/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The row copy engine of a partition (include/cowarp/unit/row_copy_engine.h; SI-TM section 5), from the provider: C model, RTL, or both in
 * lockstep. Instance partition<N>.row_copy_engine. Commands may come back several in a cycle; the unit hears of one per cycle.
 */
#ifndef CW_ADAPT_ROW_COPY_ENGINE_H
#define CW_ADAPT_ROW_COPY_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit/row_copy_engine.h"

struct cw_adapt_row_copy_engine;

struct cw_adapt_row_copy_engine_config {
    uint32_t partition;
    uint64_t rows;   /* of device memory */
    uint64_t stride; /* largest of a region */
    uint32_t banks, lines, regions;
};

/* A region's entry, as the contract has it; tail: 1 .. banks. */
struct cw_adapt_row_copy_engine_region {
    uint64_t first, rows, shift, stride;
    uint32_t tail;
};

struct cw_adapt_row_copy_engine_command {
    enum cw_row_copy_command kind;
    uint64_t row, from, to;
    uint32_t bank, line;
};

/* Status of the provider, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_row_copy_engine_create(struct cw_adapt_row_copy_engine **out, const struct cw_unit_provider *units,
                                    const struct cw_adapt_row_copy_engine_config *config, struct cw_error *err);
void cw_adapt_row_copy_engine_destroy(struct cw_adapt_row_copy_engine *e);
void cw_adapt_row_copy_engine_state(struct cw_state *s, struct cw_adapt_row_copy_engine *e);
/* Before a kernel: the regions, of which the engine has room for all. Takes no time. */
void cw_adapt_row_copy_engine_launch(struct cw_adapt_row_copy_engine *e, const struct cw_adapt_row_copy_engine_region *region,
                                     uint32_t cnt);
/* A job, from the next clock on: regions is a mask. No job is there. */
void cw_adapt_row_copy_engine_start(struct cw_adapt_row_copy_engine *e, uint32_t from, uint32_t to, uint64_t regions);
/* A command that was taken is done; bank: of a COPY. */
void cw_adapt_row_copy_engine_return(struct cw_adapt_row_copy_engine *e, bool copy, uint32_t bank);
/* Whether it needs the next clock. */
bool cw_adapt_row_copy_engine_busy(const struct cw_adapt_row_copy_engine *e);
/* A cycle. ready: whether a command would be taken; true: it has been, and is in *command. *done: the job is. */
bool cw_adapt_row_copy_engine_clock(struct cw_adapt_row_copy_engine *e, bool ready, struct cw_adapt_row_copy_engine_command *command,
                                    bool *done);

#endif
