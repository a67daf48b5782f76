/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The copier of a partition: copies rows of DRAM from one slot of a version of memory to another (mem/version.h), for the mechanism that has
 * asked the partition for it. It is a hardware unit, row_copy_engine: the C model, the RTL, or both in lockstep, from the provider that the
 * partition was made with. The instance is called partition<N>.row_copy_engine.
 *
 * It gives out messages for the slice, CLEAN, DROP and COPY, in an order that the slice has to keep. The mechanism puts them into its socket
 * to_l2, and hands back what comes from l2_done.
 */
#ifndef CW_MEM_COPIER_H
#define CW_MEM_COPIER_H

#include "adapt/row_copy_engine.h"
#include "mem/service.h"

struct cw_copier;

struct cw_copier_config {
    uint32_t mech;    /* Index of the mechanism whose messages they are. */
    uint64_t rows;    /* Rows of device memory in a bank. */
    uint64_t stride;  /* Rows from a slot to the next: the largest of a region. */
    uint32_t regions; /* It has room for so many. */
    bool over_bus;    /* Rows are copied over the data bus, not by the DRAM itself. */
};

/* For the partition. Status of the provider, or CW_ENOMEM. */
int cw_copier_create(struct cw_copier **out, const struct cw_mem_config *mem, const struct cw_copier_config *config, struct cw_error *err);
void cw_copier_destroy(struct cw_copier *c);
void cw_copier_state(struct cw_state *s, struct cw_copier *c);

/* Before a kernel: the regions. Takes no time. */
void cw_copier_launch(struct cw_copier *c, const struct cw_adapt_row_copy_engine_region *region, uint32_t cnt);
/* A job, from the next clock on: regions is a mask. No job is there. */
void cw_copier_start(struct cw_copier *c, uint32_t from, uint32_t to, uint64_t regions);
/* A cycle of the L2's clock. ready: whether to_l2 has room; the message that goes there, or NULL. *done: the job is. */
struct cw_message *cw_copier_clock(struct cw_copier *c, bool ready, bool *done, cw_time now);
/* Whether it needs the next clock. */
bool cw_copier_busy(const struct cw_copier *c);
/* A message of its own has come back. It ends here. */
void cw_copier_return(struct cw_copier *c, struct cw_message *m);

#endif
