/* SPDX-License-Identifier: Apache-2.0 */
/*
 * L1 data cache of a core, and the tags of the caches that only read: lines of up to 128 bytes that hold their own bytes, a valid and a
 * dirty bit per byte, LRU, miss status registers with merging. It does timing-free bookkeeping; the load/store unit gives it one access per
 * cycle and moves the packets.
 *
 * Local memory (and mechanisms' logs in it): write-back, write-allocate without a fetch, which the valid bits make possible; a read
 * of bytes that are not valid fetches the line, and the reply fills only bytes that are not valid. Global loads (l1.global) are read-only
 * lines; a global store invalidates its line. Other cores' stores do not: such a line can be stale until an acquire of this core drops it
 * (cw_l1_next_global).
 *
 * The cache refuses (CW_L1_BUSY) what would have to be ordered against an outstanding miss of the same line: a write, because
 * the reads waiting for the line are older; and a read of a line whose miss was overtaken by a global store.
 * Set index: the line number folded by the number of sets three times (exclusive or), so that the logs of different warps, which
 * are a power of two apart, do not share a set.
 *
 * Private to: l1.c, core_state.h.
 */
#ifndef CW_CORE_L1_H
#define CW_CORE_L1_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "msg/message.h"

enum cw_l1_result {
    CW_L1_HIT,
    CW_L1_MISS,   /* a miss status register was taken: send a READ for it */
    CW_L1_MERGED, /* waits in the register of an earlier miss */
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
};

struct cw_l1_line {
    uint64_t line;               /* address; UINT64_MAX: invalid */
    uint64_t used;               /* for LRU */
    uint64_t valid[2], dirty[2]; /* bit per byte */
    uint32_t mshr;               /* 1 + index while a miss is outstanding, else 0 */
    bool global;                 /* of global memory: clean, and other cores may have written it since */
    uint8_t data[CW_LINE_BYTES];
};

struct cw_l1_mshr {
    uint64_t line;
    struct cw_l1_line *into; /* NULL: do not install (overtaken by a store) */
    uint32_t waiter_cnt;
    bool used;
    struct cw_l1_waiter *waiter; /* l1.mshr_merge entries */
};

struct cw_l1 {
    struct cw_l1_line *line;
    struct cw_l1_mshr *mshr;
    struct cw_l1_waiter *waiters;
    uint32_t line_bytes; /* 32, 64 or 128; below 64 only to read */
    uint32_t sets, ways, mshr_cnt, merge, mshr_used;
    uint64_t clock; /* LRU time */
    bool linear;    /* the set is the line number modulo the sets, without folding */
};

int cw_l1_create(struct cw_l1 *l1, uint32_t line_bytes, uint32_t bytes, uint32_t ways, uint32_t mshrs, uint32_t merge,
                 struct cw_error *err);
void cw_l1_destroy(struct cw_l1 *l1);
/* Forgets all lines, dirty ones too. Only without outstanding misses. */
void cw_l1_reset(struct cw_l1 *l1);

/* Reads the bytes of need (bit per byte) of a line. HIT: *data is the line. MISS: *mshr is the register. EVICT: *data is unused, *victim
 * the dirty line. */
enum cw_l1_result cw_l1_read(struct cw_l1 *l1, uint64_t line, const uint64_t need[2], const struct cw_l1_waiter *who, uint8_t **data,
                             uint32_t *mshr, struct cw_l1_line **victim);
/* Allocates a line for writing the bytes of mask, marks them valid and dirty; HIT: the caller writes them at *data. *allocated: it was
 * not there. */
enum cw_l1_result cw_l1_write(struct cw_l1 *l1, uint64_t line, const uint64_t mask[2], uint8_t **data, bool *allocated,
                              struct cw_l1_line **victim);
/* The victim's dirty bytes are on their way to memory. */
void cw_l1_clean(struct cw_l1_line *victim);
/* Forgets the line, which is not dirty: a global store to it passes by, or an acquire. The reply of an outstanding miss is not installed.
 */
void cw_l1_invalidate(struct cw_l1 *l1, uint64_t line);
/* The next line of global memory, from *at on, which begins as 0; false: there is none. */
bool cw_l1_next_global(const struct cw_l1 *l1, uint32_t *at, uint64_t *line);
/* The reply of a miss: merges the data into the line and returns the bytes to serve the waiters from (data itself when the line is not
 * installed). Afterwards the caller serves mshr->waiter[0 .. waiter_cnt-1] and calls cw_l1_release. */
const uint8_t *cw_l1_fill(struct cw_l1 *l1, uint32_t mshr, const uint8_t *data);
void cw_l1_release(struct cw_l1 *l1, uint32_t mshr);

#endif
