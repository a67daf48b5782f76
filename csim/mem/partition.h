/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory partition (service.h): requests leave the crossbar, wait the ROP delay, meet the L2 slice (write-back, MSHRs, atomics), which fetches
 * misses from the partition's DRAM channel; replies go to the other crossbar. Timing is stated in partition.c, what the slice does in l2.h,
 * DRAM in dram.h.
 */
#ifndef CW_MEM_PARTITION_H
#define CW_MEM_PARTITION_H

#include "mem/service.h"
#include "unit/offer.h"

/* Its L2 slice is a component (domain L2), and its DRAM channel (domain DRAM) unless it shares another partition's. */
extern const struct cw_mem_kind cw_partition_kind;
/* The units that it brings, on every machine. */
#define CW_PARTITION_UNITS 5u
extern const struct cw_mech_unit cw_partition_units[CW_PARTITION_UNITS];

#endif
