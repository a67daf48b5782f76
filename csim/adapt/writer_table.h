/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer table of a partition (include/cowarp/unit/writer_table.h; SI-TM 4.2), from the provider: C model, RTL, or both in lockstep.
 * Instance partition<N>.writer_table. The clearing after its reset lies before the first cycle of the run.
 */
#ifndef CW_ADAPT_WRITER_TABLE_H
#define CW_ADAPT_WRITER_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit/writer_table.h"

#define CW_ADAPT_WRITERS 8u /* entries of a word, at most */

struct cw_adapt_writer_table;

struct cw_adapt_writer_table_op {
    enum cw_writer_op kind;
    uint64_t word; /* byte address; RUN, COMMIT, FREE: any */
    uint32_t id;
};

/* To QUERY, CLAIM and RELEASE. */
struct cw_adapt_writer_table_answer {
    bool valid;
    enum cw_writer_result result;
    uint32_t owner;
    uint32_t cnt; /* of other writers of the word, whoever they are */
    uint16_t id[CW_ADAPT_WRITERS];
};

/* entries: of this partition. Status of the provider, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_writer_table_create(struct cw_adapt_writer_table **out, const struct cw_unit_provider *units, uint32_t partition,
                                 uint32_t entries, uint32_t id_bits, struct cw_error *err);
void cw_adapt_writer_table_destroy(struct cw_adapt_writer_table *t);
void cw_adapt_writer_table_state(struct cw_state *s, struct cw_adapt_writer_table *t);
/* Whether it needs the next clock. */
bool cw_adapt_writer_table_busy(const struct cw_adapt_writer_table *t);
/* Takes what does not count out of the table, from the next clock on. */
void cw_adapt_writer_table_sweep(struct cw_adapt_writer_table *t);
/* Whether a sweep is going on, or will be. */
bool cw_adapt_writer_table_sweeps(const struct cw_adapt_writer_table *t);
/* Entries in use, also of those that are over. */
uint32_t cw_adapt_writer_table_used(const struct cw_adapt_writer_table *t);
/* A cycle: offers op (NULL: none), and gives the answer that is there in this cycle. true: op has been taken. */
bool cw_adapt_writer_table_clock(struct cw_adapt_writer_table *t, const struct cw_adapt_writer_table_op *op,
                                 struct cw_adapt_writer_table_answer *answer);

#endif
