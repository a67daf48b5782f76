/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read log and write log of one warp's transaction attempt (Fung 2015 4.2.4; GETM V.A).
 *
 * Both logs are rows of 32 entries, one per lane: an access appends a row per 32-bit word, with void entries for the
 * lanes that take no part. In the machine the rows lie in the warp's local memory, addresses and values in a
 * 128-byte line each; here are the contents, and cw_redo_log_word() says where a row lies, so that the owner can
 * charge the L1 accesses.
 */
#ifndef CW_MECH_TM_REDO_LOG_H
#define CW_MECH_TM_REDO_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"

/* Largest access of one lane: four 32-bit or two 64-bit elements. */
#define CW_ACCESS_BYTES 16u

struct cw_write_row {
    cw_lanes lanes;          /* the other entries are void */
    uint64_t addr[CW_LANES]; /* of the 32-bit word */
    uint32_t value[CW_LANES];
    uint8_t bytes[CW_LANES]; /* byte enables 3:0 */
};

struct cw_read_row {
    cw_lanes lanes;
    uint64_t addr[CW_LANES];
    uint32_t value[CW_LANES]; /* what memory held, for systems that validate by value */
};

struct cw_redo_log {
    struct cw_write_row *write;
    struct cw_read_row *read;
    uint32_t write_cnt, write_cap, read_cnt, read_cap; /* rows */
    uint64_t signature[CW_LANES]; /* one hashed bit per written word: filters look-ups (Fung 2015 4.2.3's Bloom filter, made exact by the
                                     search) */
};

/* Bytes that one lane of the instruction touches: 1 to CW_ACCESS_BYTES. */
static inline uint32_t cw_inst_bytes(const struct cw_mem_inst *inst)
{
    return (uint32_t)inst->elem_bytes * inst->vec;
}

/* Words that one lane of the instruction touches; accesses are naturally aligned. */
static inline uint32_t cw_inst_words(const struct cw_mem_inst *inst)
{
    uint32_t bytes = cw_inst_bytes(inst);
    return bytes < 4 ? 1 : bytes / 4;
}

/* The elements of a lane as they lie in memory, and back. */
void cw_inst_get_bytes(const struct cw_mem_inst *inst, uint32_t lane, uint8_t bytes[CW_ACCESS_BYTES]);
void cw_inst_set_bytes(struct cw_mem_inst *inst, uint32_t lane, const uint8_t bytes[CW_ACCESS_BYTES]);

void cw_redo_log_clear(struct cw_redo_log *log);
void cw_redo_log_free(struct cw_redo_log *log);
/* Appends the rows of a store, or of a load, for these lanes. 0 or CW_ENOMEM. */
int cw_redo_log_store(struct cw_redo_log *log, const struct cw_mem_inst *inst, cw_lanes lanes);
int cw_redo_log_load(struct cw_redo_log *log, const struct cw_mem_inst *inst, cw_lanes lanes);
/* Appends that many void rows to the read log; the caller fills them. The first of them, or NULL when out of memory. */
struct cw_read_row *cw_redo_log_read_rows(struct cw_redo_log *log, uint32_t rows);
/* What the lane itself has written in [addr, addr + length): fills those bytes and returns their mask (bit b: bytes[b]). Later stores win.
 */
uint32_t cw_redo_log_find(const struct cw_redo_log *log, uint32_t lane, uint64_t addr, uint32_t length, uint8_t bytes[CW_ACCESS_BYTES]);

/* Local-memory layout in words per thread: read log, then write log; an entry is its address and its value ([art]). */
static inline uint32_t cw_redo_log_word(bool write_log, uint32_t row, bool value, uint32_t rows_max)
{
    return (write_log ? 2 * rows_max : 0) + 2 * row + (value ? 1 : 0);
}

/* Bytes of both logs per thread. */
static inline uint32_t cw_redo_log_bytes(uint32_t rows_max)
{
    return 16 * rows_max;
}

#endif
