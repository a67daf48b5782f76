/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of DRAM as device memory sees them. A row set is the rows of one number in all banks of all channels: so many bytes that follow each
 * other in device memory, from CW_GLOBAL_BASE on. Rows that lie in one subarray of a bank can be copied to each other inside the DRAM
 * (dram.h); the rows of a bank are dealt to subarrays of dram.subarray_rows rows that follow each other.
 *
 * The channel's address map (dram.h) may hash the bank with the row. Then a byte and its copy in another row of the same bank do not have
 * the same offset in their row sets; cw_row_move knows both places.
 */
#ifndef CW_MEM_ROW_H
#define CW_MEM_ROW_H

#include <stdint.h>

#include "base/config.h"

/* Bytes of a row set. */
uint64_t cw_row_set_bytes(const struct cw_config *config);
/* Number of the row set that the device address (>= CW_GLOBAL_BASE) lies in. */
uint64_t cw_row_of(const struct cw_config *config, uint64_t addr);
/* First address of a row set. */
uint64_t cw_row_base(const struct cw_config *config, uint64_t row);
/* The device address of the same partition, bank and column in another row. dram.sharing has to be 1. */
uint64_t cw_row_move(const struct cw_config *config, uint64_t addr, uint64_t row);
/* The first line of a partition's bank-th row of a row set, by address; bank: 0 .. dram.banks - 1. Where the map hashes, it is another bank's. */
uint64_t cw_row_bank(const struct cw_config *config, uint32_t partition, uint64_t row, uint32_t bank);
/* The place of a line of the row of a bank in which addr lies; column: 0 .. lines of a row - 1. dram.sharing has to be 1. */
uint64_t cw_row_column(const struct cw_config *config, uint64_t addr, uint32_t column);

#endif
