/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The version index table of a partition (include/cowarp/unit/version_index_table.h; SI-TM section 3), from the provider: C model, RTL, or
 * both in lockstep. Instance partition<N>.version_index_table. Rows are row sets of csim/mem/row.h.
 */
#ifndef CW_ADAPT_VERSION_INDEX_TABLE_H
#define CW_ADAPT_VERSION_INDEX_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit/version_index_table.h"

struct cw_adapt_version_index_table;

struct cw_adapt_version_index_table_config {
    uint32_t partition;
    uint64_t rows;   /* of device memory */
    uint64_t stride; /* largest of a region */
    uint32_t time_bits, versions, regions;
};

/* A region's entry, as the contract has it. */
struct cw_adapt_version_index_table_region {
    uint64_t first, end, far, shift, stride, moved;
};

struct cw_adapt_version_index_table_look {
    enum cw_version_look kind;
    uint64_t row;
    uint32_t time, slot; /* SNAPSHOT; SLOT */
};

struct cw_adapt_version_index_table_op {
    enum cw_version_op kind;
    uint32_t slot;
    uint32_t time; /* CLOSE, RESTART, RENUMBER */
    uint32_t cnt;  /* HOLD, RELEASE: 0 .. 63 */
};

struct cw_adapt_version_index_table_answer {
    bool refused; /* the operation of the clock before */
    bool valid;   /* to the look-up of two clocks before: */
    bool versioned, found;
    enum cw_version_state state;
    uint32_t slot;
    uint64_t row;
};

/* Status of the provider, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_version_index_table_create(struct cw_adapt_version_index_table **out, const struct cw_unit_provider *units,
                                        const struct cw_adapt_version_index_table_config *config, struct cw_error *err);
void cw_adapt_version_index_table_destroy(struct cw_adapt_version_index_table *t);
void cw_adapt_version_index_table_state(struct cw_state *s, struct cw_adapt_version_index_table *t);
/* Before a kernel: the regions, of which the table has room for all, and the only version. Takes no time. */
void cw_adapt_version_index_table_launch(struct cw_adapt_version_index_table *t, const struct cw_adapt_version_index_table_region *region,
                                         uint32_t cnt, uint32_t slot);
/* Whether it needs the next clock. */
bool cw_adapt_version_index_table_busy(const struct cw_adapt_version_index_table *t);
/* A cycle: takes a look-up and an operation (NULL: none), and gives what is there in this cycle. */
void cw_adapt_version_index_table_clock(struct cw_adapt_version_index_table *t, const struct cw_adapt_version_index_table_look *look,
                                        const struct cw_adapt_version_index_table_op *op,
                                        struct cw_adapt_version_index_table_answer *answer);

#endif
