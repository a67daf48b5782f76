/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of device memory, as DRAM and persistent memory have them. An L2 slice has bytes of its own lines, which may be newer.
 *
 * Private to: device_memory.c, direct.c, l2_private.h, saved.c, version.c, version_place.c.
 */
#ifndef CW_MEM_DEVICE_MEMORY_PRIVATE_H
#define CW_MEM_DEVICE_MEMORY_PRIVATE_H

#include "mem/device_memory.h"

/* Allocations that follow each other without a gap. */
struct cw_memory_span {
    uint64_t base, bytes;
};

/* A range of addresses from which allocations come. */
struct cw_memory_window {
    const char *name, *key; /* for messages: "device memory", and what makes it larger */
    uint64_t base, bytes;
    uint64_t used; /* by allocations, with their padding */
};

struct cw_version_range;
struct cw_config;

/* A cache that has bytes which memory does not have: an L2 slice. */
struct cw_memory_cache {
    void *self;
    /* The cache's bytes of the line at that place, and a mask of those that it has; NULL: it has none. Who changes them says so. */
    uint8_t *(*line)(void *self, uint64_t place, const uint32_t **mask);
    void (*changed)(void *self, uint64_t place);
    void (*settle)(void *self); /* Memory gets what the cache has written. */
    void (*reload)(void *self); /* The cache gets what memory has, of all lines that it has. */
};

struct cw_memory {
    uint8_t *host;     /* host address of device address CW_GLOBAL_BASE; that of CW_PM_BASE follows, with what lies between out of reach */
    uint64_t reserved; /* bytes there; 0: the windows are two reservations, and what lies between is not this memory's */
    uint8_t *durable;  /* host address of the durable copy of CW_PM_BASE; NULL: no persistent memory */
    struct cw_memory_window general, persistent;
    uint64_t redzone;               /* bytes, a multiple of 256, beside each allocation */
    cw_memory_persisted *persisted; /* NULL: nobody listens */
    void *listener;
    struct cw_region *region;    /* sorted by address */
    struct cw_memory_span *span; /* sorted by address; span[0] is there even when span_cnt is 0, and is then empty */
    uint32_t region_cnt, span_cnt;
    uint32_t capacity; /* of both lists: there are never more spans than regions and freed ones together */
    bool keeps_freed;
    struct cw_region *freed; /* whose places no span has given back, in the order in which they were freed; owned */
    uint32_t freed_cnt;
    const struct cw_memory_cache **cache; /* [config->partition_count] by the partition of a place; NULL: none there */
    const struct cw_config *cache_config; /* of the machine that has the caches; NULL while there are none */
    bool cached;                          /* What they have counts. False between launches: then memory has all bytes. */
    /* version.c */
    struct cw_version_range *range;
    uint32_t range_cnt, newest;
    uint32_t hidden_cnt;                  /* of the ranges, while all of them are hidden: range_cnt is 0 then */
    const struct cw_config *range_config; /* of the machine that has the ranges; NULL while there are none */
};

/* The cache of a partition's places. CW_ENOMEM. It is forgotten before it goes, and memory gets its bytes. */
int cw_memory__cached(struct cw_memory *m, const struct cw_config *config, uint32_t partition, const struct cw_memory_cache *cache);
void cw_memory__forget(struct cw_memory *m, uint32_t partition, const struct cw_memory_cache *cache);
/* At a place, of bytes that lie in one line: what a load would find, or a store change. */
void cw_memory__get(const struct cw_memory *m, uint64_t place, void *to, uint64_t bytes);
void cw_memory__put(struct cw_memory *m, uint64_t place, const void *from, uint64_t bytes);
/* to[i] = from[i] where bit i of the mask is set. */
void cw_memory__copy_masked(uint8_t *to, const uint8_t *from, const uint32_t *mask, uint32_t bytes);

/* Whether there are bytes at a place: instructions, for instance, have lines and no bytes (mem/address.h). */
static inline bool cw_memory__has(const struct cw_memory *m, uint64_t place)
{
    return place - m->general.base < m->general.bytes || place - m->persistent.base < m->persistent.bytes;
}

/* Host address of a valid address. */
static inline uint8_t *cw_memory__at(const struct cw_memory *m, uint64_t addr)
{
    return m->host + (addr - CW_GLOBAL_BASE);
}

#endif
