/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that exists in versions (SI-TM, section 3). A versioned range of device memory has several slots: copies of all
 * of its bytes, of which each lies in other rows of the same subarrays, so that the DRAM can copy one to another by itself.
 *
 * An address has a place: the device address whose bytes, L2 line and DRAM row serve it. Outside versioned ranges and what they displace,
 * an address is its own place. Inside, the place depends on the slot:
 *
 *     row set   R              R + n          R + 2 n               R = row set of the range's first byte, n = rows of a slot
 *               slot 0         slot 1         slot 2  ...           (a range of more than subarray_rows / slots row sets begins at a
 *                                                                    subarray, and takes as many of them as it needs)
 *
 * The rows behind slot 0 belong to other addresses. These are displaced: their places are in a spare range, row set for row set (Figure 5).
 * Spare rows come from the top of device memory. Places have the partition of their addresses.
 *
 * Loads and stores of cores meet their places on the way into the L2 (struct cw_message, place). The host's copies go to the newest slot.
 */
#ifndef CW_MEM_VERSION_H
#define CW_MEM_VERSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/config.h"
#include "base/error.h"
#include "mem/device_memory.h"

/* A versioned range. */
struct cw_version_range {
    uint64_t base, bytes; /* device addresses; whole row sets, allocated */
    uint64_t used;        /* of these bytes, as asked for */
    uint64_t row;         /* row set of base */
    uint32_t rows;        /* row sets of the range: bytes / row set */
    uint32_t slots;
    uint32_t slot_rows; /* of a slot in one subarray */
    uint32_t reach;     /* row sets from `row` on that the slots take, the range's own included */
    uint64_t spare;     /* row set of what is displaced: that of row + rows, and on */
};

/* What a range of so many bytes has to begin at a multiple of, in bytes. */
uint64_t cw_version_alignment(const struct cw_config *config, uint64_t bytes, uint32_t slots);
/* Allocates bytes of zeros for a versioned range where one may begin, at the lowest address that does. As cw_memory_alloc. */
int cw_version_alloc(struct cw_memory *m, const struct cw_config *config, uint64_t *addr, uint64_t bytes, uint32_t slots,
                     struct cw_error *err);
/* Makes [addr, addr + bytes), rounded up to row sets, a versioned range; its bytes are in slot 0, which is the newest. What it displaces
 * moves to the spare rows. CW_EINVAL, which changes nothing: no slots, wrong alignment, bytes that are not allocated as one allocation,
 * another allocation in the last row set, another range there, a DRAM that channels share. CW_ENOMEM: no room for the spare rows. */
int cw_version_add(struct cw_memory *m, const struct cw_config *config, uint64_t addr, uint64_t bytes, uint32_t slots,
                   struct cw_error *err);
uint32_t cw_version_cnt(const struct cw_memory *m);
/* In the order in which they were added. */
const struct cw_version_range *cw_version_at(const struct cw_memory *m, uint32_t index);
/* The range that the address lies in, as an index; UINT32_MAX: none. */
uint32_t cw_version_find(const struct cw_memory *m, uint64_t addr);
/* The place of an address; slot: for addresses of a range, less than its slots. */
uint64_t cw_version_place(const struct cw_memory *m, uint64_t addr, uint32_t slot);
/* The slot that host and oracles see, of all ranges. */
void cw_version_publish(struct cw_memory *m, uint32_t slot);
uint32_t cw_version_newest(const struct cw_memory *m);
/* Memory is plain for a while: each address is its own place, and has the bytes of the newest version. CW_ENOMEM: nothing has changed. Then
 * versions again; slot 0 is the newest. Both without time, and only while no ranges are added. */
int cw_version_hide(struct cw_memory *m, struct cw_error *err);
void cw_version_show(struct cw_memory *m);
/* The bytes of a range in one slot are now in another one, too. Without time. */
void cw_version_copy(struct cw_memory *m, uint32_t index, uint32_t from, uint32_t to);
/* The bytes of the row of a bank in which place `from` lies are now in the row of `to`, too, a place of the same column. Without time. */
void cw_version_copy_row(struct cw_memory *m, uint64_t from, uint64_t to);

#endif
