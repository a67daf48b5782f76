/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address map. Device memory is cut into chunks of partition.interleave bytes, dealt to the partitions in turn (as
 * GPGPU-Sim's dramid@8 does, but for any number of partitions); a partition's chunks, put one after the other, are its
 * local addresses:
 *
 *     chunk = (addr - CW_GLOBAL_BASE) / interleave
 *     partition = chunk mod count        local = (chunk / count) * interleave + addr mod interleave
 *
 * With 6 partitions, strides that are powers of two spread over at least three of them. With 64 they do not: partition.hash=on adds a hash of
 * chunk / count to the partition, modulo count, which leaves local addresses as they are.
 */
#ifndef CW_MEM_ADDRESS_H
#define CW_MEM_ADDRESS_H

#include <stdint.h>

#include "base/config.h"
#include "ir/uop.h"

/* Addresses of instructions, and of what else cores only read: behind all device memory. They have a partition, and lines in the L2 and in
 * DRAM, but no bytes; only messages that are timing_only go there. */
#define CW_PROGRAM_BASE (CW_GLOBAL_BASE + (UINT64_C(1) << 36))
#define CW_CONST_BASE   (CW_PROGRAM_BASE + (UINT64_C(1) << 33))
#define CW_PARAM_BASE   (CW_PROGRAM_BASE + (UINT64_C(1) << 34))
#define CW_PARAM_BYTES  (UINT64_C(1) << 33) /* then they begin at CW_PARAM_BASE again */

/* Which partition serves a device address (>= CW_GLOBAL_BASE): 0 .. partition.count - 1. */
uint32_t cw_address_partition(const struct cw_config *config, uint64_t addr);
/* DRAM channels: partition p has port p / channels of channel p mod channels (dram.sharing), so that neighbouring chunks of a channel are
 * of different partitions. */
uint32_t cw_address_channels(const struct cw_config *config);
/* The address within that partition, in bytes; a partition's local addresses begin at 0 and have no gaps. */
uint64_t cw_address_local(const struct cw_config *config, uint64_t addr);
/* The device address of a partition's local one. */
uint64_t cw_address_global(const struct cw_config *config, uint32_t partition, uint64_t local);

#endif
