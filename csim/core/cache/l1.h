/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L1 data cache of a core, and the tags of the caches that only read: lines of up to 128 bytes that hold their own bytes, a valid and a
 * dirty bit per byte, miss status registers with merging. It does timing-free bookkeeping; the load/store unit gives it one access per
 * cycle and moves the packets.
 *
 * Local memory (and mechanisms' logs in it): write-back, write-allocate without a fetch, which the valid bits make possible; a read
 * of bytes that are not valid fetches the line, and the reply fills only bytes that are not valid. With l1.global=on global loads are
 * read-only lines, and a global store invalidates its line. With l1.global=write-back global stores are as those of local memory, and a
 * bit per line says which lines of global memory are dirty. With l1.write_miss=around too, a global store writes a line that is there, and
 * passes by where none is. Other cores' stores do not reach the L1: such a line can be stale until an
 * acquire of this core drops its clean bytes (cw_l1_next_global, cw_l1_forget).
 *
 * The cache refuses (CW_L1_BUSY) what would have to be ordered against an outstanding miss of the same line: a write, because
 * the reads waiting for the line are older; and a read of a line whose miss was overtaken by a global store.
 *
 * l1.sectored=on: a miss fetches the sectors of 32 bytes that it lacks, and no more. A line keeps one register, which counts the sectors
 * that are on their way; a later miss of the line asks for what is not among them, and each waiter goes on when its own sectors have come.
 * A write is refused only while a waiter needs one of its sectors. With l1.write_miss=around, only while a waiter needs one of its bytes.
 *
 * Set index: the line number folded by the number of sets three times (exclusive or), so that the logs of different warps, which
 * are a power of two apart, do not share a set. Which line is replaced, mem/cache_array.h says.
 */
#ifndef CW_CORE_CACHE_L1_H
#define CW_CORE_CACHE_L1_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "mem/cache_array.h"
#include "msg/message.h"

enum cw_l1_result {
    CW_L1_HIT,
    CW_L1_MISS,   /* waits in a miss status register: send a READ of its sectors `ask` */
    CW_L1_MERGED, /* waits in the register of an earlier miss, which has asked for all that it needs */
    CW_L1_EVICT,  /* write back victim first (cw_l1_clean), then try again */
    CW_L1_BUSY    /* no register, no line that may be replaced, or order: try again after a fill */
};

/* Who waits for a miss. */
struct cw_l1_waiter {
    void *inst;  /* NULL: a log access */
    bool global; /* it reads global memory: so does the line that a miss allocates */
    uint32_t lanes;
    uint32_t piece; /* or the log access's cookie */
    uint32_t warp;
    uint8_t sectors; /* bit each: that it needs; cw_l1_read sets it */
};

struct cw_l1_line {
    uint64_t line;               /* address; CW_CACHE_EMPTY: invalid */
    uint64_t valid[2], dirty[2]; /* bit per byte */
    uint32_t mshr;               /* 1 + index while a miss is outstanding, else 0 */
    bool global;                 /* of global memory: other cores may have written it since */
    bool stale;                  /* while a miss is outstanding: nobody else may read the line, and what comes does not stay */
    uint8_t data[CW_LINE_BYTES];
};

struct cw_l1_mshr {
    uint64_t line;
    struct cw_l1_line *into; /* NULL: do not install (overtaken by a store) */
    uint32_t waiter_cnt;
    bool used;
    uint8_t fetching, ask;       /* sectors on their way; those that the last miss has added */
    uint64_t needed[2];          /* bit per byte: that a waiter reads, or one that has been served before it */
    struct cw_l1_waiter *waiter; /* l1.mshr_merge entries */
    uint8_t data[CW_LINE_BYTES]; /* without a line to install: what has come */
};

struct cw_l1 {
    struct cw_cache_array array; /* its tags are addresses of lines */
    struct cw_l1_line *line;     /* [line of the array] */
    struct cw_l1_mshr *mshr;
    struct cw_l1_waiter *waiters;
    uint32_t line_bytes; /* 32, 64 or 128; below 64 only to read */
    uint32_t sets, ways, mshr_cnt, merge, mshr_used;
    const struct cw_l1_line *held; /* what it is about is not known yet: an invalidation takes its bytes and leaves its place; NULL: none */
    bool sectored;                 /* l1.sectored; set after creation */
    bool around;                   /* l1.write_miss=around, with l1.global=write-back; set after creation */
    bool linear;                   /* the set is the line number modulo the sets, without folding */
    uint64_t *dirty;               /* bit per line: dirty, of global memory */
    uint32_t dirty_words;          /* of 64 lines */
};

#define CW_L1_MERGE_MAX 64u /* of l1.mshr_merge */

int cw_l1_create(struct cw_l1 *l1, uint32_t line_bytes, uint32_t bytes, uint32_t ways, enum cw_replacement policy, uint32_t mshrs,
                 uint32_t merge, struct cw_error *err);
void cw_l1_destroy(struct cw_l1 *l1);
/* Forgets all lines, dirty ones too. Only without outstanding misses. */
void cw_l1_reset(struct cw_l1 *l1);

/* Sectors of 32 bytes that have one of these bytes. */
static inline uint8_t cw_l1_sectors(const uint64_t bytes[2])
{
    uint8_t sectors = 0;
    for (uint32_t s = 0; s < CW_LINE_BYTES / CW_SECTOR_BYTES; s++)
        if ((bytes[s / 2] >> (32 * (s % 2)) & UINT32_MAX) != 0)
            sectors = (uint8_t)(sectors | 1u << s);
    return sectors;
}
/* Reads the bytes of need (bit per byte) of a line. HIT: *data is the line. MISS: *mshr is the register. EVICT: *data is unused, *victim
 * the dirty line. */
enum cw_l1_result cw_l1_read(struct cw_l1 *l1, uint64_t line, const uint64_t need[2], const struct cw_l1_waiter *who, uint8_t **data,
                             uint32_t *mshr, struct cw_l1_line **victim);
/* A place for a line of which the bytes of mask are to be written: HIT: it is *e, and may be written; without valid bytes it is a new one.
 */
enum cw_l1_result cw_l1_reserve(struct cw_l1 *l1, uint64_t line, const uint64_t mask[2], struct cw_l1_line **e, struct cw_l1_line **victim);
/* Reserves the line and marks the bytes of mask valid and dirty; HIT: the caller writes them at *data. global: it is of global memory.
 * *allocated: no byte of it was there. */
enum cw_l1_result cw_l1_write(struct cw_l1 *l1, uint64_t line, const uint64_t mask[2], bool global, uint8_t **data, bool *allocated,
                              struct cw_l1_line **victim);
/* The line that has this address, or NULL. */
struct cw_l1_line *cw_l1_find(const struct cw_l1 *l1, uint64_t line);
/* Number of a line, which it keeps: 0 .. sets * ways - 1. */
static inline uint32_t cw_l1_index(const struct cw_l1 *l1, const struct cw_l1_line *e)
{
    return (uint32_t)(e - l1->line);
}
static inline bool cw_l1_is_dirty(const struct cw_l1_line *e)
{
    return (e->dirty[0] | e->dirty[1]) != 0;
}
/* The next dirty line of global memory, from number *at on, which begins as 0; NULL: there is none. */
struct cw_l1_line *cw_l1_next_dirty(const struct cw_l1 *l1, uint32_t *at);
/* The line's dirty bytes are on their way to memory. */
void cw_l1_clean(struct cw_l1 *l1, struct cw_l1_line *victim);
/* Forgets the line, which is not dirty: a global store to it passes by. The reply of an outstanding miss is not installed. */
void cw_l1_invalidate(struct cw_l1 *l1, uint64_t line);
/* Forgets what other cores may have written of the line: all but its dirty bytes. What an outstanding miss brings serves those who wait for
 * it, and does not stay. */
void cw_l1_forget(struct cw_l1 *l1, struct cw_l1_line *e);
/* The next line of global memory, from number *at on, which begins as 0; NULL: there is none. */
struct cw_l1_line *cw_l1_next_global(const struct cw_l1 *l1, uint32_t *at);
/* A reply of a miss, with those sectors: merges the data into the line, and returns the bytes to serve waiters from: the line's, or the
 * register's when the line is not installed. Afterwards the caller serves those that cw_l1_take_served gives, and calls cw_l1_release. */
const uint8_t *cw_l1_fill(struct cw_l1 *l1, uint32_t mshr, uint8_t sectors, const uint8_t *data);
/* The only reply of a miss, without l1.sectored. */
static inline const uint8_t *cw_l1_fill_line(struct cw_l1 *l1, uint32_t mshr, const uint8_t *data)
{
    return cw_l1_fill(l1, mshr, l1->mshr[mshr].fetching, data);
}
/* Takes the waiters whose sectors have all come, oldest first; returns their number. served: l1.mshr_merge entries. */
uint32_t cw_l1_take_served(struct cw_l1_mshr *m, struct cw_l1_waiter *served);
/* Its state (base/state.h); waiter walks who waits: the instruction, or NULL. */
void cw_l1_state(struct cw_state *s, struct cw_l1 *l1, void (*waiter)(struct cw_state *s, void **inst, void *context), void *context);
/* Gives the register back, unless sectors are still on their way. */
void cw_l1_release(struct cw_l1 *l1, uint32_t mshr);

#endif
