/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scalable reader list of a partition (include/cowarp/unit/scalable_reader_list.h; SI-TM 4.2), from the provider: C model, RTL, or both
 * in lockstep. Instance partition<N>.scalable_reader_list, with the list's number behind it where a partition has several. The clearing after
 * its reset lies before the first cycle of the run.
 */
#ifndef CW_ADAPT_SCALABLE_READER_LIST_H
#define CW_ADAPT_SCALABLE_READER_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/state.h"
#include "cowarp/unit/scalable_reader_list.h"

struct cw_adapt_scalable_reader_list;

struct cw_adapt_scalable_reader_list_op {
    enum cw_reader_op kind;
    uint64_t word; /* byte address; RUN, FREE: any */
    uint32_t id;   /* LIST: any */
};

/* What a cycle has shown: a reader of the LIST under way, or the end of an ADD, REMOVE or LIST. */
struct cw_adapt_scalable_reader_list_answer {
    bool reader, over;
    uint32_t id;                  /* reader */
    enum cw_reader_result result; /* over */
};

struct cw_adapt_scalable_reader_list_config {
    uint32_t partition, list, lists; /* Which one of how many of the partition */
    uint32_t entries, id_bits;       /* Of this list. */
};

/* Status of the provider, or CW_ENOMEM; destroy it in any case. */
int cw_adapt_scalable_reader_list_create(struct cw_adapt_scalable_reader_list **out, const struct cw_unit_provider *units,
                                         const struct cw_adapt_scalable_reader_list_config *config, struct cw_error *err);
void cw_adapt_scalable_reader_list_destroy(struct cw_adapt_scalable_reader_list *t);
void cw_adapt_scalable_reader_list_state(struct cw_state *s, struct cw_adapt_scalable_reader_list *t);
/* Whether it needs the next clock. */
bool cw_adapt_scalable_reader_list_busy(const struct cw_adapt_scalable_reader_list *t);
/* Takes out who is free, from the next clock on. */
void cw_adapt_scalable_reader_list_sweep(struct cw_adapt_scalable_reader_list *t);
/* Whether a sweep is going on, or will be. */
bool cw_adapt_scalable_reader_list_sweeps(const struct cw_adapt_scalable_reader_list *t);
/* Entries in use, as after the last operation that is over. */
uint32_t cw_adapt_scalable_reader_list_used(const struct cw_adapt_scalable_reader_list *t);
/* A cycle: offers op (NULL: none); a reader of a LIST is taken if `takes` is true. true: op has been taken. */
bool cw_adapt_scalable_reader_list_clock(struct cw_adapt_scalable_reader_list *t, const struct cw_adapt_scalable_reader_list_op *op,
                                         bool takes, struct cw_adapt_scalable_reader_list_answer *answer);

#endif
