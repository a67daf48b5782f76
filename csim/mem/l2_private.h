/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an L2 slice is made of, for the files of it: what it does (l2.c), the same by a hardware unit (l2_unit.c), and with the bytes (l2_bytes.c).
 *
 * Private to: l2.c, l2_bytes.c, l2_unit.c.
 */
#ifndef CW_MEM_L2_PRIVATE_H
#define CW_MEM_L2_PRIVATE_H

#include "adapt/l2_tags.h"
#include "mem/address.h"
#include "mem/cache_array.h"
#include "mem/device_memory_private.h"
#include "mem/l2.h"
#include "mem/mshr.h"
#include "mem/mshr_unit.h"

struct cw_l2__unit;

#define CW_L2__SECTORS_MAX (CW_LINE_BYTES_MAX / CW_SECTOR_BYTES)

struct cw_l2__line {
    struct cw_mshr *mshr;                 /* A line with an MSHR stays where it is */
    uint32_t written[CW_L2__SECTORS_MAX]; /* Bytes that the slice has: written since the sector was absent; all ones once valid. */
    uint8_t valid, dirty;
    bool brought; /* The access that has brought it is not performed yet */
    bool known;   /* With the unit: its bytes here are those of the unit */
};

struct cw_l2 {
    const struct cw_config *config;
    struct cw_stats *stats;
    struct cw_memory *memory;
    uint32_t index; /* It is that of the partition. */
    struct cw_memory_cache cache;
    struct cw_dram_port *dram;
    struct cw_nvm_port *nvm;                 /* NULL: no persistent memory */
    uint32_t line_bytes, line_log2, sectors; /* Of a line: bytes, their log2, sectors */
    struct cw_cache_array array;             /* Its tags are local line numbers */
    struct cw_l2__line *line;                /* [line of the array] */
    uint8_t *data;                           /* [line of the array][line_bytes] */
    struct cw_mshr_file mshr;
    struct cw_adapt_l2_tags *tags;            /* NULL: the array alone knows the lines */
    const struct cw_adapt_l2_tags_view *view; /* Of the line that was found last, with tags. */
    struct cw_mshr_unit *waiting;             /* NULL: mshr alone knows who waits. With it mshr's entries are names of lines. */
    struct cw_mshr said, next;                /* With it: an entry by its words; mshr's ready_head, which has the request that is next. */
    uint32_t entry;                           /* With it: the entry that it has named last. */
    bool told;                                /* There is one of these units. */
    struct cw_l2__unit *unit;                 /* All of it is hardware, which has the bytes; what is above follows it; NULL: it is not. */
};

/* Lines */

/* Sectors that a request touches. */
static inline uint8_t cw_l2__sectors_of(const struct cw_l2 *l2, const struct cw_message *p)
{
    uint32_t sectors = p->sectors;
    if (p->kind == CW_MSG_WRITE) {
        sectors = 0;
        for (uint32_t s = 0; s < l2->sectors; s++)
            sectors |= (uint32_t)(cw_line_body_of(p)->byte_mask[s] != 0) << s;
    } else if (p->kind == CW_MSG_ATOMIC) {
        sectors = 0;
        for (cw_lanes lanes = p->lanes; lanes != 0; lanes = cw_lanes_rest(lanes))
            sectors |= 1u << cw_atomic_body_of(p)->lane_offset[cw_lanes_first(lanes)] / CW_SECTOR_BYTES;
    }
    return (uint8_t)sectors;
}

static inline uint8_t cw_l2__all_sectors(const struct cw_l2 *l2)
{
    return (uint8_t)((1u << l2->sectors) - 1);
}

/* A write whose sectors are not here goes on to memory, and the sectors are fetched (l2.write_miss = through, l2.pm_miss = fetch). The way of
 * persists to their memory is not the L2's. */
static inline bool cw_l2__may_pass(const struct cw_l2 *l2, const struct cw_message *p)
{
    if (p->kind != CW_MSG_WRITE)
        return false;
    return cw_memory_is_pm(p->addr) ? l2->config->l2_pm_miss == CW_L2_PM_FETCH : l2->config->l2_write_miss == CW_L2_THROUGH;
}

static inline uint8_t *cw_l2__data_of(const struct cw_l2 *l2, const struct cw_l2__line *l)
{
    return l2->data + (size_t)(l - l2->line) * l2->line_bytes;
}

/* The device address of a line. */
static inline uint64_t cw_l2__place_of(const struct cw_l2 *l2, const struct cw_l2__line *l)
{
    return cw_address_global(l2->config, l2->index, l2->array.tag[l - l2->line] << l2->line_log2);
}

static inline uint32_t cw_l2__local_line(const struct cw_l2 *l2, uint64_t addr)
{
    return (uint32_t)(cw_address_local(l2->config, addr) >> l2->line_log2);
}

/* l2_bytes.c */

/* A sector from memory, but for the bytes that the slice has; and memory gets the bytes of sectors, as far as the slice has them. */
void cw_l2__fetch_sector(struct cw_l2 *l2, const struct cw_l2__line *l, uint32_t s, uint64_t place);
void cw_l2__write_back(struct cw_l2 *l2, const struct cw_l2__line *l, uint8_t sectors);
void cw_l2__rename_line(struct cw_l2 *l2, uint32_t index, uint32_t number);
void cw_l2__count(struct cw_l2 *l2, const struct cw_message *p, bool miss);
/* P is performed on the slice's bytes: cycles of the port. */
uint32_t cw_l2__perform(struct cw_l2 *l2, struct cw_l2__line *l, struct cw_message *p);
/* An atomic in its parts: it uses the line; some of its lanes, of which the largest number on one address is returned; and then cycles of the port. */
void cw_l2__use(struct cw_l2 *l2, struct cw_l2__line *l);
uint32_t cw_l2__perform_atomic(struct cw_l2 *l2, const struct cw_l2__line *l, struct cw_message *p, cw_lanes of);
uint32_t cw_l2__port_cycles(const struct cw_l2 *l2, uint8_t sectors);
uint32_t cw_l2__atomic_cycles(const struct cw_l2 *l2, uint8_t sectors, uint32_t most);
/* Memory has sent them. */
void cw_l2__sectors_come(struct cw_l2 *l2, uint32_t index, uint8_t sectors);

/* l2_unit.c: the same as the functions of l2.h by the unit l2_slice. Between two of them mshr says who is next, and whether an entry is in use. */

int cw_l2__unit_create(struct cw_l2 *l2, const struct cw_unit_provider *units, struct cw_error *err);
void cw_l2__unit_destroy(struct cw_l2 *l2);
void cw_l2__unit_state(struct cw_state *s, struct cw_l2 *l2);
enum cw_l2_result cw_l2__unit_access(struct cw_l2 *l2, struct cw_message *p, uint32_t *cycles, cw_time now);
enum cw_l2_result cw_l2__unit_maintain(struct cw_l2 *l2, const struct cw_message *p, cw_time now);
void cw_l2__unit_fill(struct cw_l2 *l2, uint32_t entry, uint8_t sectors);
struct cw_message *cw_l2__unit_replay(struct cw_l2 *l2, uint32_t *cycles);
/* The bytes in struct cw_l2 of the line that is there become those of the unit. */
void cw_l2__unit_peek(struct cw_l2 *l2, uint32_t index);
/* The host brings a line: where it is then. Its bytes come by cw_l2__unit_refresh. Of all lines of its set struct cw_l2 has the bytes. */
uint32_t cw_l2__unit_load(struct cw_l2 *l2, uint32_t number);
/* And those of the unit become these, which have changed without time. */
void cw_l2__unit_refresh(struct cw_l2 *l2, uint32_t index);
void cw_l2__unit_reset(struct cw_l2 *l2);

#endif
