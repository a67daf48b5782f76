/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache floor: the lines of L1 and texture cache, and the messages that a core sends for them.
 */
#ifndef CW_CORE_CACHE_CACHE_H
#define CW_CORE_CACHE_CACHE_H

#include "core/cache/coalesce.h"
#include "core/cache/l1.h"
#include "core/cache/misses.h"
#include "core/warps/warps.h"

#define CW_TAG_KEPT    0x08000000u /* tag of a write-back: of a line that a mechanism keeps; else its generation (flush.c) */
#define CW_TAG_TEXTURE 0x10000000u /* tag of a texture cache miss: with the register's index */
#define CW_TAG_CONST   0x20000000u /* tag of a constant cache miss: with the register's index */
#define CW_TAG_CODE    0x40000000u /* tag of an instruction cache miss: with the register's index */
#define CW_TAG_MSHR    0x80000000u /* tag of an L1 miss: with the register's index; else the index of the memory instruction */
#define CW_NO_WARP     UINT16_MAX  /* in a message: it is nobody's, as a write-back of a line of global memory */

struct cw_core_cache {
    struct cw_core_warps warps; /* The floor below; it comes first, so both have one address. */
    uint32_t line_bytes;
    uint64_t acks; /* writes of all warps on their way to their acknowledgement */
    struct cw_l1 l1;
    struct cw_l1 texture; /* no sets: there is none */
    struct cw_misses misses;
};

/* Whether the instruction reads through the texture cache. */
static inline bool cw_core__uses_texture(const struct cw_core_cache *cache, const struct cw_mem_inst *m)
{
    return cache->texture.sets != 0 && m->space == CW_SPACE_GLOBAL && m->uop->op == CW_OP_LD && (m->uop->flags & CW_UF_NC) != 0;
}
/* The sectors of a line of L1 and L2 that a read-only cache's line of so many bytes is. */
static inline uint8_t cw_core__sectors(const struct cw_core_cache *cache, uint64_t line, uint32_t bytes)
{
    return (uint8_t)(((1u << bytes / CW_SECTOR_BYTES) - 1) << (line & (cache->line_bytes - 1)) / CW_SECTOR_BYTES);
}
/* packet.c */
struct cw_message *cw_core__packet(struct cw_core_cache *cache, const struct cw_pipe_entry *e);
/* A write of the warp leaves, and comes back as its acknowledgement; memory fences wait for that. */
void cw_core__expect_ack(struct cw_core_cache *cache, struct cw_message *p, uint8_t flight);
/* Writes the line's dirty bytes back, and leaves them in the L1; false when the crossbar has no room. Nobody waits for a write-back of
 * local memory: later misses of the line follow it on the same path. One of global memory is acknowledged with the tag. */
bool cw_core__write_line(struct cw_core_cache *cache, struct cw_l1_line *e, uint32_t tag);
/* Asks for those sectors of the line. */
void cw_core__send_miss(struct cw_core_cache *cache, uint64_t line, uint8_t sectors, uint32_t tag);
static inline bool cw_core__crossbar_takes(const struct cw_core_cache *cache, uint32_t flits)
{
    return cw_crossbar_can_push(cache->warps.cfg.up, cache->warps.cfg.index, flits, cache->warps.now);
}
static inline bool cw_core__miss_has_room(const struct cw_core_cache *cache)
{
    return cw_core__crossbar_takes(cache, (cache->warps.config->noc_header_bytes + cache->warps.config->noc_flit_bytes) /
                                              cache->warps.config->noc_flit_bytes);
}
/* line.c */
/* Device address of the 32-bit word that holds byte `offset` of the local memory of a lane at home in the slot; lane of that half. */
uint64_t cw_core__local_word(const struct cw_core_cache *cache, uint32_t home, uint32_t half, uint32_t lane, uint64_t offset);
/* Bytes of the line that an access touches. */
void cw_core__touched(const struct cw_core_cache *cache, const struct cw_pipe_entry *e, uint64_t mask[2]);
/* Values of an access's lanes to or from the bytes of its line. */
void cw_core__values_to_line(const struct cw_core_cache *cache, const struct cw_pipe_entry *e, uint8_t *line);
void cw_core__values_from_line(const struct cw_core_cache *cache, const struct cw_pipe_entry *e, const uint8_t *line);
/* A read of the whole line, of so many bytes, leaves in `ready` or when the crossbar has room after that; its reply carries the tag. */
void cw_core__miss_push(struct cw_core_cache *cache, uint64_t ready, uint64_t line, uint32_t bytes, uint32_t tag);
void cw_core__miss_tick(struct cw_core_cache *cache);
/* Cycle in which the next read may leave; CW_CYCLE_NEVER when there is none. */
uint64_t cw_core__miss_next(const struct cw_core_cache *cache);
/* What core.h declares of the whole core. */
bool cw_core__copy_report(const struct cw_core_cache *cache, uint64_t addr, struct cw_core_copy *copy);

#endif
